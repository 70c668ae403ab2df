//! Edits that take chunks out as records and put records in, with the flows between them.

use crate::coords::ChunkPos;
use crate::water::edit::EditError;
use crate::water::record::{ChunkRecord, ChunkState};
use crate::water::{CutCell, WaterWorld};
use hashbrown::HashSet;

impl WaterWorld {
    /// Unloads the chunks at these chunk positions and returns them as records, in the same order.
    /// Their water counts as unloaded, and the cells around them wake.
    ///
    /// The flows within them, between them, and across their faces go into the records, and so do
    /// their [fixtures](WaterWorld::set_fixture). What stays
    /// flows on without them: a cell that had a parent in one of them loses it, and cells that hold
    /// no water and lose their last parent dry up, with those downstream. The records know these
    /// cells. Put back before the next tick, in whatever order and however many at once, they leave
    /// the world as it was, with the same [`state_hash`](WaterWorld::state_hash). Chunks that were
    /// removed by several calls do if they are put back at once, or the last first.
    ///
    /// This first completes a tick that is underway, and thaws those that are
    /// [frozen](WaterWorld::freeze).
    ///
    /// # Errors
    /// For one of the positions, no chunk is loaded, or the list holds it twice. Then none is
    /// unloaded.
    pub fn remove_chunks(
        &mut self,
        positions: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<Vec<ChunkRecord>, EditError> {
        self.make_queued_edits();
        let positions: Vec<ChunkPos> = positions.into_iter().collect();
        let (mut seen, mut slots) = (HashSet::new(), Vec::with_capacity(positions.len()));
        for &position in &positions {
            let slot = self.store.grid().slot(position).filter(|_| seen.insert(position));
            slots.push(slot.ok_or(EditError::ChunkAbsent(position))?);
        }
        self.finish_tick();
        self.thaw_slots(&slots);
        let mut records: Vec<ChunkRecord> = slots
            .iter()
            .map(|&slot| {
                let position = self.store.grid().position_at(slot);
                let cells = self.store.grid().chunk_at(slot).clone();
                ChunkRecord {
                    position,
                    state: ChunkState {
                        cells: self.store.without_marks(position, cells),
                        lists: self.store.lists(slot),
                    },
                    cut: Vec::new(),
                }
            })
            .collect();
        for (record, cut) in records.iter_mut().zip(self.store.detach(&slots)) {
            record.cut = cut;
        }
        self.unload(&slots);
        self.ledger.unloaded += records.iter().map(ChunkRecord::units).sum::<u64>();
        Ok(records)
    }

    /// Loads the chunks of these records, taken out of this world or another. Their water counts as
    /// loaded; their cells wake, except deep water, and so do the cells around them.
    ///
    /// They flow on as far as the world allows. A cell outside them that lost parents when they
    /// were removed gets these back if it is as that has left it. A parent counts only if it is
    /// loaded and has water or flow; of parents in a circle, which neighbours that have changed
    /// meanwhile can close, one is dropped. The order of the list does not matter. Cells out of
    /// bounds are ignored, and each cell's [`largest`](crate::water::WaterCell::largest) is lowered
    /// to this world's throughput if it is above.
    ///
    /// # Errors
    /// For one of the positions, a chunk is loaded already, the list holds it twice, or it lies
    /// outside the world's bounds. Then no chunk is loaded.
    pub fn insert_records(
        &mut self,
        records: impl IntoIterator<Item = ChunkRecord>,
    ) -> Result<(), EditError> {
        self.make_queued_edits();
        let mut records: Vec<ChunkRecord> = records.into_iter().collect();
        self.check_vacant(records.iter().map(|record| record.position))?;
        self.finish_tick();
        records.sort_unstable_by_key(|record| record.position);
        let (mut slots, mut cut) = (Vec::with_capacity(records.len()), Vec::new());
        for record in records {
            let ChunkRecord { position, state: ChunkState { cells, lists }, cut: around } = record;
            let slot = self.load(position, cells)?;
            self.ledger.loaded += self.store.grid().chunk_at(slot).units();
            self.store.restore_lists(slot, &lists);
            slots.push(slot);
            let throughput = self.rules.throughput;
            let lowered = |cut: CutCell| CutCell { voxel: cut.voxel.lowered_to(throughput), ..cut };
            let is_inside = |cut: &CutCell| self.store.bounds().contains(cut.cell);
            cut.extend(around.into_iter().filter(is_inside).map(lowered));
        }
        self.store.relink(&slots, &cut);
        for slot in slots {
            self.store.wake_coast(slot);
            self.store.wake_fixtures(slot);
        }
        Ok(())
    }
}
