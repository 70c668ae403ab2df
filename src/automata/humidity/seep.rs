//! The conservative sweep: flows across faces, in whole units.
//!
//! Across the face between two cells flows `F = k·g·(h − h')` with `g = 2/(i + i')`, and `g = 0` at rock: from the wetter to
//! the drier, rounded towards zero. What one cell loses its neighbour gains, so nothing is lost. The shares `k·g` of a cell's
//! faces add up to at most a half, so it stays within the range of its neighbours; and each flow that is not zero lowers
//! Σ h², a whole number, so without rain that goes on for ever it comes to rest.

use super::cell::{Ground, UNITS};
use super::rules::Rules;
use super::store::Store;
use crate::automata::rims::Rims;
use crate::automata::rows::{FieldShape, RowRule, copy_of, differing, part};
use crate::chunk::{CellMask, ones};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simd;

/// What a step of the conservative sweep works with.
pub(super) struct Seep<S: FieldShape> {
    coefficient: f32,
    /// In units.
    cap: u32,
    /// By slot, of chunks that are awake.
    faces: Vec<Option<Box<Faces>>>,
    rims: Rims<u32, S>,
}

/// Units that rain gave, less what it took, and that the cap and the borders took away, in one chunk and step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flows {
    pub(super) rained: i64,
    pub(super) runoff: u64,
    pub(super) drained: u64,
    /// Units that crossed a face, counted at the cell with the smaller coordinates, or a border.
    pub(super) moved: u64,
}

/// The shares of a chunk's faces, in 1/2³²: of a difference in humidity, how much flows in a step.
#[derive(Clone)]
struct Faces {
    /// Towards east, up and south, by cell; south is empty in a sheet.
    ahead: [Vec<u32>; 3],
    /// Towards west, down and north, of the cells at these faces of the chunk, in index order.
    behind: [[u32; 256]; 3],
    /// Cells before a draining border, in index order, with the share that goes over it.
    drains: Vec<(u16, u32)>,
    rain: CellMask,
    /// Rain and rock, which the cap does not touch.
    held: CellMask,
}

impl<S: FieldShape> Seep<S> {
    pub(super) fn new(rules: &Rules) -> Self {
        Seep {
            coefficient: rules.coefficient,
            cap: (f64::from(rules.cap) * f64::from(UNITS)) as u32,
            faces: Vec::new(),
            rims: Rims::new(0),
        }
    }

    /// Drops what was derived from the ground of a chunk and its neighbours.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(faces) = self.faces.get_mut(slot.index()) {
            *faces = None;
        }
    }

    /// Saves the humidity at the faces of these chunks and of their neighbours, as it is now.
    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        self.rims.save(&store.moisture, slots);
    }

    /// Works out the shares of a chunk, unless they are at hand.
    pub(super) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        if self.faces.len() <= slot.index() {
            self.faces.resize(slot.index() + 1, None);
        }
        let coefficient = f64::from(self.coefficient);
        self.faces[slot.index()].get_or_insert_with(|| Faces::of(store, slot, coefficient));
    }

    /// Steps the words of a chunk that was prepared, which are no longer in the store, from the rims that were saved. Returns
    /// the cells that changed, and what flowed.
    pub(super) fn step_chunk(
        &self,
        store: &Store<S>,
        slot: Slot,
        cells: &mut [u32; CHUNK_CELLS],
        halo: &mut S::Halo<u32>,
    ) -> (CellMask, Flows) {
        let faces = self.faces[slot.index()].as_deref().expect("the chunk was prepared");
        let around = self.rims.around(store.moisture.neighbours_of(slot));
        simd::run(SeepChunk::<S> { faces, cap: self.cap, around, halo, cells })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |faces: &Faces| {
            let shares: usize = faces.ahead.iter().map(|shares| shares.capacity() * size_of::<u32>()).sum();
            size_of::<Faces>() + shares + faces.drains.capacity() * size_of::<(u16, u32)>()
        };
        self.faces.iter().flatten().map(|faces| bytes(faces)).sum::<usize>()
            + self.faces.capacity() * size_of::<Option<Box<Faces>>>()
            + self.rims.memory_bytes()
    }
}

/// A step of a chunk.
struct SeepChunk<'a, S: FieldShape> {
    faces: &'a Faces,
    cap: u32,
    /// The rims of the neighbours.
    around: [&'a S::Rims<u32>; 6],
    halo: &'a mut S::Halo<u32>,
    cells: &'a mut [u32; CHUNK_CELLS],
}

impl<S: FieldShape> simd::Kernel for SeepChunk<'_, S> {
    type Output = (CellMask, Flows);

    #[inline(always)]
    fn run(self) -> (CellMask, Flows) {
        let SeepChunk { faces, cap, around, halo, cells } = self;
        S::pad(copy_of(cells), around, halo);
        let mut rule = Rule {
            faces,
            cap,
            drains: &faces.drains,
            plane: S::STRIDES[1],
            down: [0; 256],
            north: [0; 64],
            changed: CellMask::EMPTY,
            flows: Flows::default(),
        };
        S::rows(halo, cells, &mut rule);
        (rule.changed, rule.flows)
    }
}

impl Faces {
    fn of<S: FieldShape>(store: &Store<S>, slot: Slot, coefficient: f64) -> Box<Faces> {
        let south = if S::NEIGHBOURS == 6 { CHUNK_CELLS } else { 0 };
        let mut faces = Box::new(Faces {
            ahead: [vec![0; CHUNK_CELLS], vec![0; CHUNK_CELLS], vec![0; south]],
            behind: [[0; 256]; 3],
            drains: Vec::new(),
            rain: CellMask::EMPTY,
            held: CellMask::EMPTY,
        });
        let mut unused = Box::new([0; CHUNK_CELLS]);
        let mut rule = Shares { faces: &mut faces, coefficient, plane: S::STRIDES[1] };
        S::rows(&store.ground_halo(slot), &mut unused, &mut rule);
        faces
    }
}

/// Fills the shares of a chunk from its ground.
struct Shares<'a> {
    faces: &'a mut Faces,
    coefficient: f64,
    /// Cells in a plane of equal y.
    plane: usize,
}

/// The share between two cells: the same from both sides, for a sum of two numbers has no order.
fn share(coefficient: f64, here: Ground, there: Ground) -> u32 {
    if here.is_rock() || there.is_rock() {
        return 0;
    }
    let sum = f64::from(here.impermeability()) + f64::from(there.impermeability());
    // Rounded down, and by the rules' check an eighth or a twelfth at most, so that those of a cell stay within a half.
    (coefficient * 2.0 / sum * (1u64 << 32) as f64) as u32
}

impl RowRule<u32> for Shares<'_> {
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        _cells: &mut [u32; W],
    ) {
        for x in 0..W {
            let (index, ground) = (first + x, Ground(here[x]));
            let coefficient = self.coefficient;
            let share = |face: usize| share(coefficient, ground, Ground(around[face][x]));
            for axis in 0..N / 2 {
                self.faces.ahead[axis][index] = share(2 * axis + 1);
            }
            if x == 0 {
                self.faces.behind[0][first / W] = share(0);
            }
            if first < self.plane {
                self.faces.behind[1][index] = share(2);
            }
            if N == 6 && first.is_multiple_of(self.plane) {
                self.faces.behind[2][first / self.plane * W + x] = share(4);
            }
            for _ in around.iter().filter(|side| Ground(side[x]) == Ground::DRAIN) {
                // Beyond a draining border lies soil like this.
                self.faces.drains.push((index as u16, self::share(coefficient, ground, ground)));
            }
            self.faces.rain.set(index, ground.is_rain());
            self.faces.held.set(index, ground.is_rain() || ground.is_rock());
        }
    }
}

/// What flows across a face from one cell to another, in units; below zero if it flows back.
#[inline(always)]
fn flow(share: u32, from: u32, to: u32) -> i32 {
    // Humidity is below 2³¹ units, so differences fit. The size first and the sign after: that rounds towards zero.
    let difference = from as i32 - to as i32;
    let sign = difference >> 31;
    let size = (difference ^ sign) - sign;
    let flow = ((u64::from(size as u32) * u64::from(share)) >> 32) as i32;
    (flow ^ sign) - sign
}

#[inline(always)]
fn flows<const W: usize>(shares: &[u32; W], from: &[u32; W], to: &[u32; W]) -> [i32; W] {
    core::array::from_fn(|x| flow(shares[x], from[x], to[x]))
}

#[inline(always)]
fn total<const W: usize>(flows: &[i32; W]) -> u64 {
    flows.iter().map(|flow| u64::from(flow.unsigned_abs())).sum()
}

struct Rule<'a> {
    faces: &'a Faces,
    cap: u32,
    /// Those of the rows that are still to come.
    drains: &'a [(u16, u32)],
    /// Cells in a plane of equal y.
    plane: usize,
    /// What flowed up out of the plane below, cell by cell, and south out of the row to the north.
    down: [i32; 256],
    north: [i32; 64],
    changed: CellMask,
    flows: Flows,
}

impl RowRule<u32> for Rule<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        cells: &mut [u32; W],
    ) {
        let Faces { ahead, behind, .. } = self.faces;
        let in_plane = first % self.plane;
        let down: &mut [i32; W] = self.down[in_plane..].first_chunk_mut().expect("a row of the plane");
        if first < self.plane {
            *down = flows(part(&behind[1], first), around[2], here);
        }
        let west = flow(behind[0][first / W], around[0][0], here[0]);
        let east = flows(part(&ahead[0], first), here, around[1]);
        let up = flows(part(&ahead[1], first), here, around[3]);
        for x in 0..W {
            // The sums may pass 2³² on the way; the result does not.
            cells[x] = here[x].wrapping_add_signed(down[x]).wrapping_sub(up[x] as u32).wrapping_sub(east[x] as u32);
        }
        cells[0] = cells[0].wrapping_add_signed(west);
        for (cell, &east) in cells[1..].iter_mut().zip(&east) {
            *cell = cell.wrapping_add_signed(east);
        }
        *down = up;
        if N == 6 {
            let north: &mut [i32; W] = self.north.first_chunk_mut().expect("a row");
            if in_plane == 0 {
                *north = flows(part(&behind[2], first / self.plane * W), around[4], here);
            }
            let south = flows(part(&ahead[2], first), here, around[5]);
            for x in 0..W {
                cells[x] = cells[x].wrapping_add_signed(north[x]).wrapping_sub(south[x] as u32);
            }
            self.flows.moved += total(&south);
            *north = south;
        }
        self.flows.moved += total(&east) + total(&up);
        self.drain(first, here, cells);
        self.hold_rain(first, here, cells);
        if cells.iter().fold(false, |over, &cell| over | (cell as i32 > self.cap as i32)) {
            self.run_off(first, cells);
        }
        self.changed.words_mut()[first / 64] |= differing(here, cells) << (first % 64);
    }
}

impl Rule<'_> {
    #[inline(always)]
    fn drain<const W: usize>(&mut self, first: usize, here: &[u32; W], cells: &mut [u32; W]) {
        while let Some((&(index, share), rest)) = self.drains.split_first()
            && usize::from(index) < first + W
        {
            let x = usize::from(index) - first;
            let drained = flow(share, here[x], 0) as u32;
            cells[x] = cells[x].wrapping_sub(drained);
            self.flows.drained += u64::from(drained);
            self.flows.moved += u64::from(drained);
            self.drains = rest;
        }
    }

    /// The cells of a row that are in a mask, the first lowest.
    #[inline(always)]
    fn in_row<const W: usize>(mask: &CellMask, first: usize) -> u64 {
        mask.words()[first / 64] >> (first % 64) & u64::MAX >> (64 - W)
    }

    #[inline(always)]
    fn hold_rain<const W: usize>(&mut self, first: usize, here: &[u32; W], cells: &mut [u32; W]) {
        for x in ones(Self::in_row::<W>(&self.faces.rain, first)) {
            self.flows.rained += i64::from(here[x]) - i64::from(cells[x]);
            cells[x] = here[x];
        }
    }

    fn run_off<const W: usize>(&mut self, first: usize, cells: &mut [u32; W]) {
        for x in ones(!Self::in_row::<W>(&self.faces.held, first) & u64::MAX >> (64 - W)) {
            let over = cells[x].saturating_sub(self.cap);
            cells[x] -= over;
            self.flows.runoff += u64::from(over);
        }
    }
}
