//! Transmissibilities: the part of a difference in humidity that flows across a face in a step,
//! derived from the ground for the conservative sweep.

use super::HumidityShape;
use super::cell::Ground;
use super::store::Store;
use crate::automata::engine::rows::RowRule;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::simd::Aligned;

/// The transmissibilities of the faces of a chunk's cells, in 1/2³².
#[derive(Clone)]
pub(super) struct Transmissibilities<S: HumidityShape> {
    /// Towards east, up and in cubes south, by cell; 0 at the chunk's faces.
    pub(super) inner: Box<[Aligned<[u32; CHUNK_CELLS]>]>,
    /// Across the chunk's faces.
    pub(super) outer: S::Rims<u32>,
    /// Cells before a draining border, in index order.
    pub(super) drains: Vec<Drain>,
    pub(super) rain: CellMask,
    /// Rain and rock, which the cap does not touch.
    pub(super) held: CellMask,
}

/// A face of a cell at a draining border.
#[derive(Clone, Copy)]
pub(super) struct Drain {
    pub(super) index: u16,
    /// Behind which the border lies.
    pub(super) face: Face,
    pub(super) transmissibility: u32,
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

    /// Bytes on the heap, including its own.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.inner) + self.drains.capacity() * size_of::<Drain>()
    }
}

/// Computes the transmissibilities of a chunk from its ground.
struct TransmissibilityRule<'a, S: HumidityShape> {
    faces: &'a mut Transmissibilities<S>,
    coefficient: f64,
    /// The number of cells done at each face.
    rims: [usize; 6],
}

/// Returns the transmissibility between two cells. Symmetric, as a sum of two numbers does not
/// depend on their order.
fn transmissibility(coefficient: f64, here: Ground, there: Ground) -> u32 {
    if here.is_rock() || there.is_rock() {
        return 0;
    }
    let sum = f64::from(here.impermeability()) + f64::from(there.impermeability());
    // Rounded down. The rules limit it to an eighth or a twelfth, so that those of a cell add up to
    // at most a half.
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
                    // Beyond a draining border lies soil as impermeable as this cell.
                    self.faces.drains.push(Drain {
                        index: index as u16,
                        face: Face::ALL[face],
                        transmissibility: self::transmissibility(self.coefficient, ground, ground),
                    });
                }
            }
            self.faces.rain.set(index, ground.is_rain());
            self.faces.held.set(index, ground.is_rain() || ground.is_rock());
        }
    }
}
