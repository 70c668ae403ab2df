//! Lending: chunks with their awake cells move to another grid and back, so that a thread owns the
//! chunks that it changes. Both grids use the same slots.

use super::slab::NO_ACTIVITY;
use super::slot::{Entry, NOWHERE};
use super::{Grid, Slot};
use crate::chunk::Chunk;
use crate::coords::Shape;

/// Moves chunks with their awake cells to `borrower`, which must hold no chunks except lent ones.
/// Until [`take_back`](take_back), the slots of the chunks in this grid hold uniform chunks of the
/// background, and no chunk may be added or removed.
pub(crate) fn lend<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    borrower: &mut Grid<T, S>,
    slots: &[Slot],
) {
    let vacant =
        Entry { chunk: Chunk::uniform(grid.background), position: NOWHERE, next: Slot::NONE };
    borrower.entries.resize(grid.entries.len(), vacant);
    borrower.activity_of.resize(grid.entries.len(), NO_ACTIVITY);
    for &slot in slots {
        let (own, lent) = (&mut grid.entries[slot.index()], &mut borrower.entries[slot.index()]);
        lent.position = own.position;
        core::mem::swap(&mut own.chunk, &mut lent.chunk);
        let Some(own) = grid.activity_at_mut(slot) else { continue };
        own.is_wholly_awake = false;
        if let Some(mask) = own.awake.take() {
            let lent = borrower.activate(slot);
            borrower.activities[lent].awake = Some(mask);
        }
    }
}

/// Takes back the chunks that were lent to `borrower`, with the cells that have woken or fallen
/// asleep in them.
pub(crate) fn take_back<T: Copy + PartialEq, S: Shape>(
    grid: &mut Grid<T, S>,
    borrower: &mut Grid<T, S>,
    slots: &[Slot],
) {
    for &slot in slots {
        let (own, lent) = (&mut grid.entries[slot.index()], &mut borrower.entries[slot.index()]);
        lent.position = NOWHERE;
        core::mem::swap(&mut own.chunk, &mut lent.chunk);
    }
    while let Some(lent) = borrower.activities.pop() {
        borrower.activity_of[lent.slot.index()] = NO_ACTIVITY;
        debug_assert!(lent.changed.is_none(), "nothing is marked changed in a lent chunk");
        let own = grid.activate(lent.slot);
        grid.activities[own].awake = lent.awake;
    }
    // The list has only chunks that had no awake cells when they were lent.
    grid.awake.append(&mut borrower.awake);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{ChunkPos, Cube};

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
                lend(&mut grid, &mut borrower, &lent);
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
                take_back(&mut grid, &mut borrower, &lent);
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
