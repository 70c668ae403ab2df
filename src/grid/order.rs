//! Slots in order of position: y slowest, then z, then x.

use super::{Grid, Slot};
use crate::coords::{ChunkRegion, Shape};

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Returns the occupied slots in order of position.
    pub(crate) fn sorted_slots(&self) -> Vec<Slot> {
        self.order().to_vec()
    }

    /// The same; sorted by the first call after an insertion or removal, then cached.
    pub(super) fn order(&self) -> &[Slot] {
        self.order.get_or_init(|| self.in_order(self.occupied()))
    }

    /// Returns the occupied slots of a box of chunk positions, in order of position. Takes time
    /// linear in the volume of the box or the number of chunks in the grid, whichever is smaller.
    pub(crate) fn slots_in(&self, chunks: ChunkRegion) -> Vec<Slot> {
        if chunks.volume() <= self.chunk_count as u128 {
            chunks.positions().filter_map(|chunk| self.slot(chunk)).collect()
        } else {
            self.order()
                .iter()
                .copied()
                .filter(|&slot| chunks.contains(self.position_at(slot)))
                .collect()
        }
    }

    /// Sorts slots by the positions of their chunks.
    pub(crate) fn sort_slots(&self, slots: &mut [Slot]) {
        let sorted = self.in_order(slots.iter().copied());
        slots.copy_from_slice(&sorted);
    }

    /// Returns these slots in order of position.
    pub(super) fn in_order(&self, slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
        let mut keyed: Vec<(u128, Slot)> =
            slots.map(|slot| (self.position_at(slot).sort_key(), slot)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, slot)| slot).collect()
    }
}
