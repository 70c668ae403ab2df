//! What the conservative sweep derives from the ground: of a difference in humidity, how much flows
//! in a step.

use super::HumidityShape;
use super::cell::Ground;
use super::store::Store;
use crate::automata::engine::rows::RowRule;
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simd::Aligned;

/// The shares of the faces of a chunk's cells, in 1/2³²: of a difference in humidity, how much
/// flows in a step.
#[derive(Clone)]
pub(super) struct Transmissibilities<S: HumidityShape> {
    /// Towards east, up and in cubes south, by cell, and 0 out of the chunk.
    pub(super) inner: Box<[Aligned<[u32; CHUNK_CELLS]>]>,
    /// Out of the chunk.
    pub(super) outer: S::Rims<u32>,
    /// Cells before a draining border, in index order, with the share that goes over it.
    pub(super) drains: Vec<(u16, u32)>,
    pub(super) rain: CellMask,
    /// Rain and rock, which the cap does not touch.
    pub(super) held: CellMask,
}

impl<S: HumidityShape> Transmissibilities<S> {
    pub(super) fn of(store: &Store<S>, slot: Slot, coefficient: f64) -> Box<Self> {
        let mut faces = Box::new(Transmissibilities {
            inner: vec![Aligned([0; CHUNK_CELLS]); S::NEIGHBOURS / 2].into(),
            outer: S::uniform_rims(0),
            drains: Vec::new(),
            rain: CellMask::EMPTY,
            held: CellMask::EMPTY,
        });
        let mut unused = Box::new([0; CHUNK_CELLS]);
        let mut rule = TransmissibilityRule { faces: &mut faces, coefficient, rims: [0; 6] };
        S::rows(&store.ground_halo(slot), &mut unused, &mut rule);
        faces
    }

    /// Bytes on the heap, with its own.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.inner)
            + self.drains.capacity() * size_of::<(u16, u32)>()
    }
}

/// Fills the shares of a chunk from its ground.
struct TransmissibilityRule<'a, S: HumidityShape> {
    faces: &'a mut Transmissibilities<S>,
    coefficient: f64,
    /// How many cells at each face are done.
    rims: [usize; 6],
}

/// The share between two cells: the same from both sides, for a sum of two numbers has no order.
fn transmissibility(coefficient: f64, here: Ground, there: Ground) -> u32 {
    if here.is_rock() || there.is_rock() {
        return 0;
    }
    let sum = f64::from(here.impermeability()) + f64::from(there.impermeability());
    // Rounded down, and by the rules' check an eighth or a twelfth at most, so that those of a cell
    // stay within a half.
    (coefficient * 2.0 / sum * (1u64 << 32) as f64) as u32
}

impl<S: HumidityShape> RowRule<u32> for TransmissibilityRule<'_, S> {
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        _cells: &mut [u32; W],
    ) {
        for x in 0..W {
            let (index, ground) = (first + x, Ground(here[x]));
            for (face, side) in around.iter().enumerate() {
                let beyond = Ground(side[x]);
                let transmissibility = transmissibility(self.coefficient, ground, beyond);
                if S::FACE_CELLS[face].contains(index) {
                    // The cells at a face come in index order.
                    S::rim_mut(&mut self.faces.outer, face)[self.rims[face]] = transmissibility;
                    self.rims[face] += 1;
                } else if face % 2 == 1 {
                    self.faces.inner[face / 2].0[index] = transmissibility;
                }
                if beyond == Ground::DRAIN {
                    // Beyond a draining border lies soil like this.
                    self.faces.drains.push((
                        index as u16,
                        self::transmissibility(self.coefficient, ground, ground),
                    ));
                }
            }
            self.faces.rain.set(index, ground.is_rain());
            self.faces.held.set(index, ground.is_rain() || ground.is_rock());
        }
    }
}
