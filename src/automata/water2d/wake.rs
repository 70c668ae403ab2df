//! The active set: a step visits the chunks that changed in the last two steps, and the chunks
//! within two cells of such a change.
//!
//! A cell's next level depends on levels up to two cells away, and on the parity of the step, since
//! the literal rule alternates between left and right first. So cells that two consecutive steps
//! left unchanged stay unchanged.

use super::lines::Cells;
use crate::chunk::CellMask;
use crate::coords::{ChunkPos, Shape, Sheet};
use crate::grid::Slot;
use glam::IVec3;

/// The number of steps that a chunk stays awake after the last change near it.
const STEPS: u8 = 2;

/// How long each chunk stays awake.
#[derive(Default)]
pub(super) struct WakeTimers {
    /// The steps left, by slot; meaningless for a chunk that is asleep.
    steps_left: Vec<u8>,
}

impl WakeTimers {
    /// Wakes a chunk.
    pub(super) fn wake(&mut self, cells: &mut Cells, slot: Slot) {
        if self.steps_left.len() < cells.slot_capacity() {
            self.steps_left.resize(cells.slot_capacity(), 0);
        }
        self.steps_left[slot.index()] = STEPS;
        cells.wake_chunk_at(slot);
    }

    /// Wakes a chunk in which cells changed, and the chunks around it that are within two cells of
    /// a changed cell.
    pub(super) fn touch(&mut self, cells: &mut Cells, slot: Slot, changed: &CellMask) {
        if changed.is_empty() {
            return;
        }
        self.wake(cells, slot);
        let chunk = cells.position_at(slot);
        for beyond in chunks_around(chunk, changed) {
            if let Some(slot) = cells.slot(beyond) {
                self.wake(cells, slot);
            }
        }
    }

    /// Wakes the eight chunks around a chunk position.
    pub(super) fn wake_around(&mut self, cells: &mut Cells, chunk: ChunkPos) {
        for beyond in chunks_around(chunk, &CellMask::FULL) {
            if let Some(slot) = cells.slot(beyond) {
                self.wake(cells, slot);
            }
        }
    }

    /// Begins a step over these chunks: counts down their steps.
    pub(super) fn begin(&mut self, slots: &[Slot]) {
        for slot in slots {
            self.steps_left[slot.index()] -= 1;
        }
    }

    /// Puts to sleep the chunks among `slots` that have no steps left.
    pub(super) fn end(&self, cells: &mut Cells, slots: &[Slot]) {
        for &slot in slots.iter().filter(|slot| self.steps_left[slot.index()] == 0) {
            cells.sleep_chunk_at(slot);
        }
        cells.drop_sleepers();
    }

    /// Returns for how many steps an awake chunk stays awake.
    #[cfg(feature = "snapshot")]
    pub(super) fn steps_left(&self, slot: Slot) -> Option<u8> {
        self.steps_left.get(slot.index()).copied()
    }

    /// Sets for how many steps an awake chunk stays awake. Returns `false` for a number that does
    /// not occur between two steps.
    #[cfg(feature = "snapshot")]
    pub(super) fn restore(&mut self, cells: &Cells, slot: Slot, steps: u8) -> bool {
        self.steps_left.resize(cells.slot_capacity(), 0);
        self.steps_left[slot.index()] = steps;
        (1..=STEPS).contains(&steps)
    }

    /// Returns the number of bytes on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps_left.capacity()
    }
}

/// Returns which of the eight chunk positions around a chunk are within two cells of `cells`, cells
/// of that chunk.
pub(super) fn chunks_around(
    chunk: ChunkPos,
    cells: &CellMask,
) -> impl Iterator<Item = ChunkPos> + use<> {
    const WEST: u64 = 0b11;
    const EAST: u64 = WEST << 62;
    let rows = cells.words();
    let (low, high) = (rows[0] | rows[1], rows[62] | rows[63]);
    let all = rows.iter().fold(0, |all, row| all | row);
    let ways = [
        (all & WEST, -1, 0),
        (all & EAST, 1, 0),
        (low, 0, -1),
        (high, 0, 1),
        (low & WEST, -1, -1),
        (low & EAST, 1, -1),
        (high & WEST, -1, 1),
        (high & EAST, 1, 1),
    ];
    let near = ways.into_iter().filter(|&(near, ..)| near != 0);
    near.map(move |(_, x, y)| chunk + IVec3::new(x, y, 0))
        .filter(|&beyond| Sheet::holds_chunk(beyond))
}
