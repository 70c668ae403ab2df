//! Eviction: once a world is at rest, what is known of small bodies is dropped. To find them again
//! costs little. What is known of large ones is kept, so that a drop in a sleeping sea costs no
//! more than in a pond.

use crate::chunk::{LayerMask, ones};
use crate::grid::Slot;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::bodies::{Bodies, NodeId};
use crate::water::store::LAYER_ROWS;
use hashbrown::{HashMap, HashSet};

/// Bodies of so many pieces are kept.
const LARGE: usize = 64;

/// An eviction underway: passes over the chunks that became known since the last one.
pub(crate) struct Eviction {
    pass: Pass,
    /// How many of the chunks the pass has seen.
    at: usize,
    /// The pieces of each body in these chunks.
    pieces: HashMap<NodeId, usize>,
    kept: HashSet<NodeId>,
    /// Whether this pass has found another body to keep.
    has_changed: bool,
}

#[derive(Clone, Copy)]
enum Pass {
    /// The pieces are counted.
    Count,
    /// Layers are known as a whole, so all bodies in the layers of one that is kept are kept.
    Spread,
    /// All others are dropped.
    Drop,
}

impl Pools {
    /// Drops what is known of small bodies. Nothing may be changing. Returns whether that is done;
    /// if not, the budget is spent.
    pub(crate) fn evict(&mut self, budget: &mut Budget) -> bool {
        if self.fresh.is_empty() {
            return true;
        }
        let mut eviction = self.eviction.take().unwrap_or_else(|| Eviction {
            pass: Pass::Count,
            at: 0,
            pieces: HashMap::new(),
            kept: HashSet::new(),
            has_changed: false,
        });
        loop {
            while let Some(&slot) = self.fresh.get(eviction.at) {
                if budget.is_spent() {
                    self.eviction = Some(eviction);
                    return false;
                }
                let known = self.pieces.get(slot).map_or(0, |chunk| chunk.known);
                for layer in ones(u64::from(known)) {
                    self.pass_layer(&mut eviction, slot, layer);
                    budget.spend(LAYER_ROWS);
                }
                eviction.at += 1;
            }
            eviction.at = 0;
            eviction.pass = match eviction.pass {
                Pass::Count => Pass::Spread,
                Pass::Spread if core::mem::take(&mut eviction.has_changed) => Pass::Spread,
                Pass::Spread => Pass::Drop,
                Pass::Drop => break,
            };
        }
        self.fresh = Vec::new();
        if self.pieces.is_empty() {
            self.pieces = Default::default();
            self.bodies = Bodies::default();
        }
        true
    }

    fn pass_layer(&mut self, eviction: &mut Eviction, slot: Slot, layer: usize) {
        let pieces = self.pieces.of(slot, layer);
        let roots: Vec<NodeId> = pieces.iter().map(|&piece| self.bodies.root_of(piece)).collect();
        match eviction.pass {
            Pass::Count => {
                roots.into_iter().for_each(|root| *eviction.pieces.entry(root).or_default() += 1)
            }
            Pass::Spread => {
                let is_kept = |root: &NodeId| {
                    let pieces = self.bodies.body(*root).pieces();
                    eviction.kept.contains(root)
                        || pieces >= LARGE
                        || eviction.pieces.get(root) != Some(&pieces)
                };
                if roots.iter().any(is_kept) {
                    for root in roots {
                        eviction.has_changed |= eviction.kept.insert(root);
                    }
                }
            }
            Pass::Drop => {
                if roots.iter().any(|root| eviction.kept.contains(root)) {
                    return;
                }
                let Some(chunk) = self.pieces.get_mut(slot) else { return };
                chunk.known &= !(1 << layer);
                chunk.supported[layer] = LayerMask::NONE;
                chunk.joints[layer] = LayerMask::NONE;
                let dropped = core::mem::take(&mut chunk.pieces[layer]);
                if chunk.known == 0 {
                    self.pieces.take(slot);
                }
                dropped.into_iter().for_each(|piece| self.bodies.remove_piece(piece));
            }
        }
    }
}
