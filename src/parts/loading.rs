//! Columns that are loaded from records and unloaded to records while a divided world runs. All
//! parts around a column do the same: its owner with entries in its ledger, the other parts with
//! ghosts.
//!
//! Columns of explosions are refused, because the record of a chunk does not say two things:
//!
//! - Which columns are away. In explosions no cell counts as not loaded: a cell without a chunk is
//!   open space, in which the front makes chunks in any step. So pressure would run into a column
//!   that was just unloaded, and the chunks made there would stand where the column is to be
//!   loaded. Which columns are away would have to be a state of the world, in each part and in
//!   snapshots, with borders at these columns at which pressure leaves.
//! - What lies between the column and the columns beside it. The weight of a link belongs to the
//!   chunk at its lower end: without that chunk the weight is 1 again, with which the rule may be
//!   unstable at the other end. The flow of a wave over a link is in the records of both ends, and
//!   ends at one of them while the column is away.

use super::{InParts, PartError};
use crate::codec::{Format, Reader};
use crate::coords::{ChunkPos, ColumnPos};

/// Loads a column; see [`InParts::load_column`].
pub(super) fn load<W: InParts>(
    world: &mut W,
    column: ColumnPos,
    records: &[(ChunkPos, Vec<u8>)],
) -> Result<(), PartError> {
    if !W::LOADS_COLUMNS {
        return Err(PartError::NeverLoaded);
    }
    if !world.cells().is_near_own(column.chunk(0)) {
        return Ok(());
    }
    if !chunks_in(world, column).is_empty() {
        return Err(PartError::Loaded(column));
    }
    let done = restore_all(world, column, records).and_then(|()| {
        let chunks: Vec<ChunkPos> = records.iter().map(|&(chunk, _)| chunk).collect();
        world.post_loaded(&chunks).map_err(PartError::Units)
    });
    if done.is_err() {
        chunks_in(world, column).into_iter().for_each(|chunk| world.discard(chunk));
    }
    done
}

/// Unloads a column; see [`InParts::unload_column`].
pub(super) fn unload<W: InParts>(
    world: &mut W,
    column: ColumnPos,
) -> Result<Vec<(ChunkPos, Vec<u8>)>, PartError> {
    if !W::LOADS_COLUMNS {
        return Err(PartError::NeverLoaded);
    }
    if !world.cells().is_near_own(column.chunk(0)) {
        return Ok(Vec::new());
    }
    let chunks = chunks_in(world, column);
    if chunks.is_empty() {
        return Err(PartError::NotLoaded(column));
    }
    let own = world.chunks_of(column).into_iter();
    let records = own.filter_map(|chunk| Some((chunk, world.record(chunk)?))).collect();
    world.unload_chunks(&chunks).map_err(PartError::Units)?;
    Ok(records)
}

/// Returns the chunks of a column, own chunks or ghosts.
fn chunks_in<W: InParts>(world: &W, column: ColumnPos) -> Vec<ChunkPos> {
    world.cells().positions_in(column, world.extent())
}

fn restore_all<W: InParts>(
    world: &mut W,
    column: ColumnPos,
    records: &[(ChunkPos, Vec<u8>)],
) -> Result<(), PartError> {
    for &(chunk, ref record) in records {
        if chunk.column() != column || world.cells().slot(chunk).is_some() {
            let error = Reader::new(Format::Record, record)
                .malformed("of a chunk of the column, which has one record");
            return Err(PartError::Record { chunk, error });
        }
        world.restore(chunk, record)?;
    }
    Ok(())
}
