//! What stands in a chunk besides pressure: removed cells, walls with their strengths, and the
//! weights of links.

use crate::automaton::StateHash;
use crate::chunk::CellMask;
use std::collections::BTreeMap;

/// What edits built in a chunk. The default is open space with links of weight 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ground {
    /// Removed cells, walls included.
    pub(crate) solid: CellMask,
    /// Strengths of walls that break, by the cell's index.
    pub(crate) strengths: BTreeMap<usize, f32>,
    /// Weights other than 1, by axis and index of the cell with the smaller coordinate; across a
    /// periodic border, of the cell with the larger one.
    pub(crate) weights: BTreeMap<(usize, usize), f32>,
}

impl Ground {
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
        for (&index, strength) in &self.strengths {
            hash.add((index as u64) << 32 | u64::from(strength.to_bits()));
        }
        for (&(axis, index), weight) in &self.weights {
            hash.add((axis as u64) << 48 | (index as u64) << 32 | u64::from(weight.to_bits()));
        }
    }

    /// Approximate bytes on the heap: the trees' entries.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.strengths.len() * size_of::<(usize, f32)>()
            + self.weights.len() * size_of::<((usize, usize), f32)>()
    }
}
