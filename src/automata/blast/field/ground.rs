//! The obstacles in a chunk: removed cells, walls with their strengths, and the weights of links.

use super::space::{axis, is_positive};
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::simd;
use crate::state_hash::StateHash;
use std::collections::BTreeMap;

/// The obstacles that edits built in a chunk. The default is open space with links of weight 1.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// Removed cells, walls included.
    pub(crate) solid: CellMask,
    /// Strengths of walls that break, 0 in all other cells.
    strengths: Chunk<f32>,
    /// A lower bound of the strengths of all walls.
    least_strength: f32,
    /// Weights other than 1, by axis and index of the cell with the smaller coordinate; across a
    /// periodic border, of the cell with the larger coordinate.
    pub(crate) weights: BTreeMap<(usize, usize), f32>,
}

impl Default for Ground {
    fn default() -> Self {
        let (solid, strengths) = (CellMask::EMPTY, Chunk::uniform(0.0));
        Ground { solid, strengths, least_strength: f32::INFINITY, weights: BTreeMap::new() }
    }
}

impl Ground {
    /// Returns the strength of a cell (0 to 4095); `None` if it is no wall that breaks.
    pub(crate) fn strength(&self, index: usize) -> Option<f32> {
        Some(self.strengths.get(index)).filter(|&strength| strength > 0.0)
    }

    /// Returns the strengths of all cells, 0 where no wall breaks.
    pub(crate) fn strengths(&self) -> &Chunk<f32> {
        &self.strengths
    }

    /// Sets the strength of a cell (0 to 4095), 0 for no wall.
    pub(crate) fn set_strength(&mut self, index: usize, strength: f32) {
        self.strengths.set(index, strength);
        if strength > 0.0 && strength < self.least_strength {
            self.least_strength = strength;
        }
    }

    /// Replaces the removed cells and the strengths.
    pub(crate) fn replace(&mut self, solid: CellMask, strengths: Chunk<f32>) {
        self.least_strength = match strengths.as_dense() {
            Some(strengths) => simd::run(Least(strengths)),
            None if strengths.get(0) > 0.0 => strengths.get(0),
            None => f32::INFINITY,
        };
        (self.solid, self.strengths) = (solid, strengths);
    }

    /// Returns the walls that break and their strengths, in index order.
    pub(crate) fn walls(&self) -> impl Iterator<Item = (usize, f32)> {
        let cells = if self.strengths.as_uniform() == Some(0.0) { 0 } else { CHUNK_CELLS };
        (0..cells).filter_map(|index| Some((index, self.strength(index)?)))
    }

    /// Returns a lower bound of the strengths of all walls; infinity if no cell was ever a wall.
    pub(crate) fn least_strength(&self) -> f32 {
        self.least_strength
    }

    /// Returns the removed cells that lie at the chunk's faces or have a neighbour in the chunk
    /// that is not removed. No pressure reaches the other removed cells, which are most of a thick
    /// wall.
    pub(crate) fn exposed<S: BlastShape>(&self) -> CellMask {
        let mut buried = self.solid.clone();
        for &face in BlastWorld::<S>::FACES {
            let stride = S::STRIDES[axis(face)];
            let behind = behind(self.solid.words(), stride, is_positive(face));
            let outermost = S::FACE_CELLS[face.index()].words();
            for (word, buried) in buried.words_mut().iter_mut().enumerate() {
                *buried &= behind[word] & !outermost[word];
            }
        }
        let mut exposed = self.solid.clone();
        for (exposed, buried) in exposed.words_mut().iter_mut().zip(buried.words()) {
            *exposed &= !buried;
        }
        exposed
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.solid.is_empty() && self.weights.is_empty()
    }

    pub(crate) fn weight(&self, axis: usize, index: usize) -> f32 {
        self.weights.get(&(axis, index)).copied().unwrap_or(1.0)
    }

    pub(crate) fn set_weight(&mut self, axis: usize, index: usize, weight: f32) {
        if weight == 1.0 {
            self.weights.remove(&(axis, index));
        } else {
            self.weights.insert((axis, index), weight);
        }
    }

    pub(crate) fn add_to(&self, hash: &mut StateHash) {
        if self.is_plain() {
            return;
        }
        self.solid.words().iter().for_each(|&word| hash.add(word));
        for (index, strength) in self.walls() {
            hash.add((index as u64) << 32 | u64::from(strength.to_bits()));
        }
        for (&(axis, index), weight) in &self.weights {
            hash.add((axis as u64) << 48 | (index as u64) << 32 | u64::from(weight.to_bits()));
        }
    }

    /// Returns the approximate number of bytes on the heap: the strengths, and the entries of the
    /// tree of weights.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.strengths.heap_bytes() + self.weights.len() * size_of::<((usize, usize), f32)>()
    }
}

/// The least of the numbers above 0.
struct Least<'a>(&'a [f32; CHUNK_CELLS]);

impl simd::Kernel for Least<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        // Numbers of 0 or more are in the order of their bits. Subtracting one from the bits makes
        // 0 the last in that order.
        let least = self.0.iter().fold(f32::INFINITY.to_bits() - 1, |least, strength| {
            least.min(strength.to_bits().wrapping_sub(1))
        });
        f32::from_bits(least + 1)
    }
}

/// Returns, for each cell, the bit of the cell that is `stride` places after it in index order, or
/// before it unless `is_after`.
fn behind(
    cells: &[u64; CHUNK_CELLS / 64],
    stride: usize,
    is_after: bool,
) -> [u64; CHUNK_CELLS / 64] {
    let (words, bits) = (stride / 64, stride as u32 % 64);
    let word = |at: usize| cells.get(at).copied().unwrap_or(0);
    core::array::from_fn(|at| match is_after {
        true => word(at + words) >> bits | word(at + words + 1).unbounded_shl(64 - bits),
        // There is no cell below index 0 or after the last one.
        false => {
            let [near, far] = [words, words + 1].map(|words| at.wrapping_sub(words));
            word(near) << bits | word(far).unbounded_shr(64 - bits)
        }
    })
}
