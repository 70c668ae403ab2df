//! Snapshots of three-dimensional water.

use super::marks::{put_flagged_masks, take_flagged_masks};
use super::queued::{put_edits, take_edits};
use super::world::Saved;
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::{ChunkPos, ColumnPos};
#[cfg(feature = "store")]
use crate::water::Since;
use crate::water::{Clock, Edge, Ledger, SavedChunk, WaterWorld};

/// Kind 1. Everything is kept except [`current`](WaterWorld::current), which is zero in a loaded
/// world until the next tick.
///
/// A world with a [tick underway](WaterWorld::step_within) is written as it was when the tick
/// began. In the loaded world the tick has not begun, and it ends with the same bytes.
///
/// | | content |
/// |---|---|
/// | rules | `evaporation` and `film_evaporation` `f64`, `source_supply` and `throughput` `u8`, the six outer edges and the unloaded one `u8` each (0 wall, 1 drain, 2 held, 3 level, followed by its y `i32`), `pools` and `many_parents` `bool`: as in the edit that sets them |
/// | state | bounds (region), seed `u64`, ticks `u64`, ledger: placed, injected, loaded, from the sea, then removed, drained, evaporated, unloaded and into the sea, `u64` below 2⁶² each; of the [queued](WaterWorld::queue) edits the ticket of the first `u64` below 2⁶², how many come before the next tick `u32`, their number `u32`, and the [bytes](crate::EditValue::to_bytes) of each; the number of [edges of columns](WaterWorld::set_edge) `u32`, and for each, in order of x and then z, the column's x and z `i32` and its edge |
/// | record | marks, with bit 2 and a third mask for the cells that `take_changes` will list, and with bit 3 if the chunk is [frozen](WaterWorld::freeze); then the chunk as in its [record](crate::water::ChunkRecord::to_bytes) |
impl Saved for WaterWorld {
    const KIND: Kind = Kind::Water;

    fn put_rules(&self, out: &mut Vec<u8>) {
        self.rules().put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.bounds().put(out);
        let Clock { seed, tick, ledger } = self.clock();
        [seed, tick].iter().chain(&ledger.entries()).for_each(|number| number.put(out));
        put_edits(self.edits_that_wait(), out);
        let columns = self.column_edges();
        (columns.len() as u32).put(out);
        for (column, edge) in columns {
            column.put(out);
            edge.put(out);
        }
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        self.grid().chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>) {
        if let Some(slot) = self.grid().slot(position) {
            put_chunk(&self.saved_chunk(slot), out);
        }
    }

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rules = rules.take()?;
        let bounds = state.take()?;
        let clock = take_clock(state)?;
        let edits = take_edits(state)?;
        let columns = take_columns(state)?;
        let mut world =
            WaterWorld::restored(rules, bounds, clock).map_err(|error| state.unlawful(error))?;
        world.restore_edits(edits);
        columns.into_iter().for_each(|(column, edge)| world.restore_edge(column, edge));
        Ok(world)
    }

    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let (marks, is_frozen) = take_flagged_masks(record)?;
        let misplaced = record.malformed("a chunk that fits the world's bounds");
        let slot = self.restore_chunk(position, record.take()?).ok_or(misplaced)?;
        self.restore_marks(slot, marks, is_frozen);
        Ok(())
    }

    #[cfg(feature = "store")]
    fn since_now(&self) -> Option<Since> {
        WaterWorld::since_now(self)
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

/// Appends the record of a chunk.
pub(crate) fn put_chunk(chunk: &SavedChunk, out: &mut Vec<u8>) {
    let masks = [chunk.awake.as_deref(), chunk.changed.as_deref(), chunk.visible.as_deref()];
    put_flagged_masks(masks, chunk.is_frozen, out);
    chunk.state.put(out);
}

fn take_clock(content: &mut Reader<'_>) -> Result<Clock, DecodeError> {
    let seed = content.take()?;
    let tick = content.take()?;
    let mut entries = Ledger::default().entries();
    for entry in &mut entries {
        *entry = content.counter()?;
    }
    if entries.iter().try_fold(0_u64, |sum, &units| sum.checked_add(units)).is_none() {
        return Err(content.malformed("a ledger of fewer than 2^64 units"));
    }
    Ok(Clock { seed, tick, ledger: Ledger::from_entries(entries) })
}

fn take_columns(content: &mut Reader<'_>) -> Result<Vec<(ColumnPos, Edge)>, DecodeError> {
    let mut columns: Vec<(ColumnPos, Edge)> = Vec::new();
    for _ in 0..content.take::<u32>()? {
        let wrong = content.malformed("a column after the one before, and its edge");
        let column = content.take()?;
        if columns.last().is_some_and(|&(last, _)| last >= column) {
            return Err(wrong);
        }
        columns.push((column, content.take()?));
    }
    Ok(columns)
}
