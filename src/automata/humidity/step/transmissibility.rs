//! Transmissibilities: the part of a difference in humidity that flows across a face in a step,
//! derived from the ground for the conservative sweep, row by row as steps visit them.

use crate::automata::engine::rows::part;
use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::cell::Ground;
use crate::automata::humidity::stirred::RowMask;
use crate::automata::humidity::store::{Fed, Store};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::simd::Aligned;
use core::marker::PhantomData;
use smallvec::SmallVec;

/// The transmissibilities of the faces of a chunk's cells, in 1/2³².
#[derive(Clone)]
pub(in crate::automata::humidity) struct Transmissibilities<S: HumidityShape> {
    /// The transmissibilities towards east, up and in cubes south; 0 at the chunk's faces.
    pub(in crate::automata::humidity) inner: SmallVec<[Inner; 3]>,
    /// The transmissibilities across the chunk's faces.
    pub(in crate::automata::humidity) outer: Outer,
    /// Cells before a draining border, in index order.
    pub(in crate::automata::humidity) drains: Vec<Drain>,
    pub(in crate::automata::humidity) rain: CellMask,
    /// Rain and rock, which are exempt from the cap.
    pub(in crate::automata::humidity) held: CellMask,
    /// The rows to be recomputed from the ground.
    stale: RowMask,
    /// By face of the chunk, whether its outer links are to be recomputed.
    stale_faces: [bool; 6],
    shape: PhantomData<S>,
}

/// The number of stored rows along an axis above which replaced rows are dropped.
const MOST_ROWS: u16 = 2 * (CHUNK_CELLS / 16) as u16;

/// The transmissibilities across the faces of a chunk, by blocks of 16 cells of a rim. Equal blocks
/// are stored once.
#[derive(Clone, Default)]
pub(in crate::automata::humidity) struct Outer {
    /// Place 0 stands for a block of zeros; place n is `blocks[n - 1]`.
    blocks: Vec<[u32; 16]>,
    /// The places of the blocks, by face and block of the rim.
    places: [[u8; 16]; 6],
}

impl Outer {
    /// The number of blocks above which replaced blocks are dropped; at most 96 are in use.
    const MOST: usize = 150;

    /// Returns a block of the rim at a face; `None` if it is all zeros.
    #[inline(always)]
    pub(in crate::automata::humidity) fn block(
        &self,
        face: usize,
        block: usize,
    ) -> Option<&[u32; 16]> {
        self.blocks.get(usize::from(self.places[face][block]).checked_sub(1)?)
    }

    fn set(&mut self, face: usize, block: usize, links: [u32; 16]) {
        let place = if links == [0; 16] {
            0
        } else if let Some(known) = self.blocks.iter().position(|known| *known == links) {
            known + 1
        } else {
            self.blocks.push(links);
            self.blocks.len()
        };
        // There are at most `MOST` + 96 blocks, so their places fit in a byte.
        self.places[face][block] = place as u8;
    }
}

/// The transmissibilities of a chunk's cells along an axis, by rows. Equal rows, which are common
/// in layered ground, are stored once.
#[derive(Clone)]
pub(in crate::automata::humidity) struct Inner {
    /// Rows of the chunk's width one after another; the first is all zeros.
    rows: Vec<Aligned<[u32; 64]>>,
    /// The number of rows.
    count: u16,
    /// By row of the chunk, its place in `rows`.
    places: [u16; CHUNK_CELLS / 16],
}

impl Default for Inner {
    fn default() -> Inner {
        Inner { rows: vec![Aligned([0; 64])], count: 1, places: [0; CHUNK_CELLS / 16] }
    }
}

impl Inner {
    /// Returns the row that begins at an index.
    #[inline(always)]
    pub(in crate::automata::humidity) fn row<const W: usize>(&self, first: usize) -> &[u32; W] {
        self.at(self.places[first / W])
    }

    #[inline(always)]
    fn at<const W: usize>(&self, place: u16) -> &[u32; W] {
        let cell = usize::from(place) * W;
        part(&self.rows[cell / 64].0, cell % 64)
    }

    /// Sets the row that begins at an index; `plane` is the number of cells of a plane.
    fn set<const W: usize>(&mut self, first: usize, plane: usize, row: &[u32; W]) {
        let number = first / W;
        let before = [1, plane / W].map(|back| number.checked_sub(back));
        let known = before.into_iter().flatten().map(|number| self.places[number]);
        let known = known.chain([0]).find(|&place| self.at(place) == row);
        self.places[number] = known.unwrap_or_else(|| self.add(row));
    }

    /// Adds a row and returns its place.
    fn add<const W: usize>(&mut self, row: &[u32; W]) -> u16 {
        let place = self.count;
        let cell = usize::from(place) * W;
        if cell / 64 == self.rows.len() {
            self.rows.push(Aligned([0; 64]));
        }
        self.rows[cell / 64].0[cell % 64..][..W].copy_from_slice(row);
        self.count += 1;
        place
    }

    fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Aligned<[u32; 64]>>()
    }
}

/// A face of a cell at a draining border.
#[derive(Clone, Copy)]
pub(in crate::automata::humidity) struct Drain {
    pub(in crate::automata::humidity) index: u16,
    /// The face at which the border lies.
    pub(in crate::automata::humidity) face: Face,
    pub(in crate::automata::humidity) transmissibility: u32,
}

impl<S: HumidityShape> Transmissibilities<S> {
    /// Returns the transmissibilities of a chunk before any of them is computed.
    pub(in crate::automata::humidity) fn unknown() -> Box<Self> {
        Box::new(Transmissibilities {
            inner: (0..S::NEIGHBOURS / 2).map(|_| Inner::default()).collect(),
            outer: Outer::default(),
            drains: Vec::new(),
            rain: CellMask::EMPTY,
            held: CellMask::EMPTY,
            stale: RowMask::ALL,
            stale_faces: [false; 6],
            shape: PhantomData,
        })
    }

    /// Notes that the ground of cells of these rows has changed.
    pub(in crate::automata::humidity) fn note_ground(&mut self, rows: RowMask) {
        self.stale = match S::NEIGHBOURS {
            6 => self.stale.union(rows.with_those_that_link_in()),
            _ => RowMask::ALL,
        };
    }

    /// Notes that the ground behind a face of the chunk has changed.
    pub(in crate::automata::humidity) fn note_face(&mut self, face: Face) {
        self.stale_faces[face.index()] = true;
    }

    /// Recomputes outdated values in the rows that a step visits, and in the rows that hold links
    /// into these rows.
    pub(in crate::automata::humidity) fn update(
        &mut self,
        store: &Store<S>,
        slot: Slot,
        coefficient: f64,
        visited: RowMask,
    ) {
        let needed = match S::NEIGHBOURS {
            6 => visited.with_those_that_link_in(),
            _ => RowMask::ALL,
        };
        if !self.stale_faces.contains(&true) && self.stale.intersection(needed).is_empty() {
            return;
        }
        let around = Around { store, slot, neighbours: store.moisture.neighbours_of(slot) };
        let mut links = Links::of(coefficient);
        let has_dropped_rows = self.inner.iter().any(|inner| inner.count > MOST_ROWS);
        if has_dropped_rows || self.outer.blocks.len() > Outer::MOST {
            self.inner.iter_mut().for_each(|inner| *inner = Inner::default());
            self.outer = Outer::default();
            self.stale = RowMask::ALL;
        }
        let stale = self.stale.intersection(needed);
        self.link_faces(&around, stale, &mut links);
        match S::NEIGHBOURS {
            6 => stale.iter().for_each(|row| self.link_row::<16>(&around, 16 * row, &mut links)),
            _ => (0..64).for_each(|row| self.link_row::<64>(&around, 64 * row, &mut links)),
        }
        self.stale = self.stale.without(stale);
    }

    /// Computes the links across the chunk's faces from stale rows, and across faces behind which
    /// the ground has changed.
    fn link_faces(&mut self, around: &Around<'_, S>, stale: RowMask, links: &mut Links) {
        for face in Face::ALL.into_iter().take(S::NEIGHBOURS) {
            let number = face.index();
            let is_stale = core::mem::take(&mut self.stale_faces[number]);
            let length = CHUNK_CELLS >> S::BITS[number / 2];
            for block in 0..length / 16 {
                if is_stale || S::NEIGHBOURS != 6 || stale.holds_of_rim(number, block) {
                    let links = around.links_across(face, block, links);
                    self.outer.set(number, block, links);
                }
            }
        }
    }

    /// Computes the masks, drains and inner links of the row that begins at an index.
    fn link_row<const W: usize>(
        &mut self,
        around: &Around<'_, S>,
        first: usize,
        links: &mut Links,
    ) {
        let here: [u32; W] = around.row(first);
        let bits = |is_in: fn(Ground) -> bool| {
            here.iter().rev().fold(0, |bits, &word| bits << 1 | u64::from(is_in(Ground(word))))
        };
        let (rain, rock) = (bits(Ground::is_rain), bits(Ground::is_rock));
        let (word, shift, row) = (first / 64, first % 64, u64::MAX >> (64 - W) << (first % 64));
        for (mask, cells) in [(&mut self.rain, rain), (&mut self.held, rain | rock)] {
            mask.words_mut()[word] = mask.words()[word] & !row | cells << shift;
        }
        let is_in_row = |drain: &Drain| (first..first + W).contains(&drain.index.into());
        self.drains.retain(|drain| !is_in_row(drain));
        let (is_rock, may_drain) = (rock == u64::MAX >> (64 - W), around.store.may_drain());
        for face in Face::ALL.into_iter().take(S::NEIGHBOURS) {
            let (number, axis) = (face.index(), face.index() / 2);
            let is_forward = number % 2 == 1;
            let is_within = axis == 0 || !S::FACE_CELLS[number].contains(first);
            // Otherwise the row on that side has the link.
            let is_linked = is_forward && is_within;
            if !is_linked && !may_drain {
                continue;
            }
            // No humidity passes a face of rock.
            let side = if is_rock { [Ground::WALL.0; W] } else { around.row_behind(face, first) };
            if is_linked {
                let mut linked: [u32; W] =
                    core::array::from_fn(|x| links.between(here[x], side[x]));
                if axis == 0 {
                    linked[W - 1] = 0;
                }
                self.inner[axis].set(first, S::STRIDES[1], &linked);
            }
            if may_drain && side.contains(&Ground::DRAIN.0) {
                self.note_drains(face, first, &here, &side, links);
            }
        }
    }

    /// Notes which cells of a row are before a draining border. The soil beyond the border is as
    /// impermeable as these cells.
    #[cold]
    fn note_drains<const W: usize>(
        &mut self,
        face: Face,
        first: usize,
        here: &[u32; W],
        side: &[u32; W],
        links: &mut Links,
    ) {
        let is_drained = |&x: &usize| side[x] == Ground::DRAIN.0 && !Ground(here[x]).is_rock();
        for x in (0..W).filter(is_drained) {
            let index = (first + x) as u16;
            let transmissibility = links.between(here[x], here[x]);
            let at = self
                .drains
                .partition_point(|drain| (drain.index, drain.face.index()) < (index, face.index()));
            self.drains.insert(at, Drain { index, face, transmissibility });
        }
    }

    /// Returns the rows with cells that rain, drains or feeding may change: the units that they add
    /// or remove are counted in each step.
    pub(in crate::automata::humidity) fn rows_that_enter_ledger(&self, fed: &[Fed]) -> RowMask {
        let mut rows = RowMask::of(&self.rain);
        self.drains.iter().for_each(|drain| rows.insert(usize::from(drain.index) / 16));
        fed.iter().for_each(|fed| rows.insert(usize::from(fed.index) / 16));
        rows
    }

    /// Returns the number of bytes on the heap, including those of the value itself.
    pub(in crate::automata::humidity) fn memory_bytes(&self) -> usize {
        let inner = self.inner.iter().map(Inner::memory_bytes).sum::<usize>();
        let outer = self.outer.blocks.capacity() * size_of::<[u32; 16]>();
        size_of::<Self>() + inner + outer + self.drains.capacity() * size_of::<Drain>()
    }
}

/// The ground of a chunk and around it.
struct Around<'a, S: HumidityShape> {
    store: &'a Store<S>,
    slot: Slot,
    neighbours: [Slot; 6],
}

impl<S: HumidityShape> Around<'_, S> {
    /// Returns the words of the row that begins at an index.
    fn row<const W: usize>(&self, first: usize) -> [u32; W] {
        let mut row = [0; W];
        self.store.ground_at(self.slot).write_row(first, &mut row);
        row
    }

    /// Returns the ground of the neighbours of a row's cells across a face.
    fn row_behind<const W: usize>(&self, face: Face, first: usize) -> [u32; W] {
        let (axis, stride) = (face.index() / 2, S::STRIDES[face.index() / 2]);
        let is_forward = face.index() % 2 == 1;
        if axis == 0 {
            // Within the row all cells except one have their neighbour.
            let mut row = self.row::<W>(first);
            if is_forward {
                row.copy_within(1.., 0);
                row[W - 1] = self.behind(face, first + W - 1).0;
            } else {
                row.copy_within(..W - 1, 1);
                row[0] = self.behind(face, first).0;
            }
            return row;
        }
        if !S::FACE_CELLS[face.index()].contains(first) {
            return self.row(if is_forward { first + stride } else { first - stride });
        }
        let mut row = [0; W];
        match self.beyond(face) {
            Ok(neighbour) => {
                let across = self.across(face, first);
                self.store.ground_at(neighbour).write_row(across, &mut row);
            }
            Err(ground) => row.fill(ground.0),
        }
        row
    }

    /// Returns the links of a block of the rim at a face of the chunk.
    fn links_across(&self, face: Face, block: usize, links: &mut Links) -> [u32; 16] {
        let number = face.index();
        // The first cell of the block, and the index distance from each cell to the next.
        let (first, step) = match number / 2 {
            0 => ((16 * block) << S::BITS[0], 1 << S::BITS[0]),
            1 => (16 * block, 1),
            _ => (block * S::STRIDES[1], 1),
        };
        let end = if number % 2 == 1 { self.span(face) } else { 0 };
        let beyond = self.beyond(face);
        core::array::from_fn(|at| {
            let index = first + at * step + end;
            let behind = match beyond {
                Ok(neighbour) => self.store.ground_of(neighbour, self.across(face, index)),
                Err(ground) => ground,
            };
            links.between(self.store.ground_of(self.slot, index).0, behind.0)
        })
    }

    /// Returns the ground across a face of the chunk from a border cell.
    fn behind(&self, face: Face, index: usize) -> Ground {
        match self.beyond(face) {
            Ok(neighbour) => self.store.ground_of(neighbour, self.across(face, index)),
            Err(ground) => ground,
        }
    }

    /// Returns the chunk behind a face, or the ground of all cells there.
    fn beyond(&self, face: Face) -> Result<Slot, Ground> {
        self.store.beyond(self.slot, self.neighbours[face.index()], face)
    }

    /// Returns the index, in the neighbouring chunk, of the cell across a face from a border cell.
    fn across(&self, face: Face, index: usize) -> usize {
        let span = self.span(face);
        if face.index() % 2 == 1 { index - span } else { index + span }
    }

    /// Returns the index distance from a cell at a face to the cell at the opposite face.
    fn span(&self, face: Face) -> usize {
        let axis = face.index() / 2;
        S::STRIDES[axis] * ((1 << S::BITS[axis]) - 1)
    }
}

/// Computes transmissibilities between two cells. Two neighbours usually have the same ground as
/// the two cells computed before, so the last result is cached.
pub(in crate::automata::humidity) struct Links {
    coefficient: f64,
    /// Two words of ground, and their transmissibility.
    last: (u32, u32, u32),
}

impl Links {
    pub(in crate::automata::humidity) fn of(coefficient: f64) -> Links {
        Links { coefficient, last: (Ground::WALL.0, Ground::WALL.0, 0) }
    }

    /// Returns the transmissibility between two cells. It is symmetric, as a sum of two numbers
    /// does not depend on their order.
    #[inline(always)]
    pub(in crate::automata::humidity) fn between(&mut self, here: u32, there: u32) -> u32 {
        if self.last.0 != here || self.last.1 != there {
            self.last = (here, there, transmissibility(self.coefficient, here, there));
        }
        self.last.2
    }
}

fn transmissibility(coefficient: f64, here: u32, there: u32) -> u32 {
    let (here, there) = (Ground(here), Ground(there));
    if here.is_rock() || there.is_rock() {
        return 0;
    }
    let sum = f64::from(here.impermeability()) + f64::from(there.impermeability());
    // The result is rounded down. The rules limit it to an eighth or a twelfth, so that the
    // transmissibilities of a cell add up to at most a half.
    (coefficient * 2.0 / sum * (1u64 << 32) as f64) as u32
}
