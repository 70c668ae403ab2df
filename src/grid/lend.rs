//! Lending: chunks with their awake cells move to another grid and back, so that a thread owns the
//! chunks that it changes. Both grids use the same slots.

use super::slab::{Entry, NO_ACTIVITY, NOWHERE};
use super::{Grid, Slot};
use crate::chunk::Chunk;
use crate::coords::Shape;

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Moves chunks with their awake cells to `borrower`, which must hold no chunks except lent
    /// ones. Until [`take_back`](Grid::take_back) the slots of this grid hold uniform chunks of the
    /// background, and no chunk may be added or removed.
    pub(crate) fn lend(&mut self, borrower: &mut Self, slots: &[Slot]) {
        let vacant =
            Entry { chunk: Chunk::uniform(self.background), position: NOWHERE, next: Slot::NONE };
        borrower.entries.resize(self.entries.len(), vacant);
        borrower.activity_of.resize(self.entries.len(), NO_ACTIVITY);
        for &slot in slots {
            let (own, lent) =
                (&mut self.entries[slot.index()], &mut borrower.entries[slot.index()]);
            lent.position = own.position;
            core::mem::swap(&mut own.chunk, &mut lent.chunk);
            let Some(own) = self.activity_at_mut(slot) else { continue };
            own.is_wholly_awake = false;
            if let Some(mask) = own.awake.take() {
                let lent = borrower.activate(slot);
                borrower.activities[lent].awake = Some(mask);
            }
        }
    }

    /// Takes back the chunks that were lent to `borrower`, with the cells that have woken or fallen
    /// asleep in them.
    pub(crate) fn take_back(&mut self, borrower: &mut Self, slots: &[Slot]) {
        for &slot in slots {
            let (own, lent) =
                (&mut self.entries[slot.index()], &mut borrower.entries[slot.index()]);
            lent.position = NOWHERE;
            core::mem::swap(&mut own.chunk, &mut lent.chunk);
        }
        while let Some(lent) = borrower.activities.pop() {
            borrower.activity_of[lent.slot.index()] = NO_ACTIVITY;
            debug_assert!(lent.changed.is_none(), "nothing is marked changed in a lent chunk");
            let own = self.activate(lent.slot);
            self.activities[own].awake = lent.awake;
        }
        // It lists only chunks that had no awake cells when they were lent.
        self.awake.append(&mut borrower.awake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::ChunkPos;
    use crate::coords::Cube;

    /// A grid whose chunks are lent, changed and taken back equals a grid that was changed
    /// directly.
    #[test]
    fn changes_to_lent_chunks_equal_direct_changes() {
        for seed in 0..100 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut grid = Grid::<u16, Cube>::new(0);
            for x in 0..8 {
                grid.insert(ChunkPos::new(x, 0, 0), Chunk::uniform(x as u16)).unwrap();
            }
            grid.remove(ChunkPos::new(3, 0, 0)).unwrap();
            let slots = grid.sorted_slots();
            let mut borrower = Grid::<u16, Cube>::new(0);
            for _ in 0..4 {
                let mut at_home = grid.clone();
                let lent: Vec<Slot> = slots.iter().copied().filter(|_| random.bool()).collect();
                grid.lend(&mut borrower, &lent);
                for _ in 0..20 {
                    let slot = slots[random.usize(..slots.len())];
                    let (index, value) = (random.usize(..4096), random.u16(..));
                    let abroad = if lent.contains(&slot) { &mut borrower } else { &mut grid };
                    for grid in [abroad, &mut at_home] {
                        grid.chunk_at_mut(slot).cells_mut()[index] = value;
                        grid.wake_at(slot, index);
                        if let Some(mask) = grid.awake_at_mut(slot) {
                            mask.set(value as usize % 4096, false);
                        }
                    }
                }
                grid.take_back(&mut borrower, &lent);
                assert_eq!(grid.validate(), Ok(()), "seed {seed}");
                for &slot in &slots {
                    assert!(
                        grid.awake_at(slot) == at_home.awake_at(slot)
                            && grid.chunk_at(slot) == at_home.chunk_at(slot),
                        "seed {seed}"
                    );
                }
            }
        }
    }
}
