//! Snapshots of three-dimensional water.

use super::bytes::{Content, Encode};
use super::error::SnapshotError;
use super::planes::{put_flagged_masks, take_flagged_masks};
use super::sections::Kind;
use super::world::Saved;
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
#[cfg(feature = "store")]
use crate::water::Since;
use crate::water::{
    ChunkState, Clock, Edge, Edges, Edit, FaceFlows, Fixture, Ledger, Rules, SavedChunk, Voxel,
    WaterCell, WaterWorld,
};
use glam::IVec3;
use std::collections::VecDeque;

/// Kind 1. Everything but [`current`](WaterWorld::current) is kept: it is zero in a loaded world
/// until it goes on.
///
/// A world with a [tick underway](WaterWorld::step_within) is written as it was when the tick
/// began. In the loaded world the tick has not begun; it comes to the same bytes at its end.
///
/// | | content |
/// |---|---|
/// | rules | `evaporation` `f64`, `source_supply` `u8`, `throughput` `u8`, the six outer edges and the unloaded one `u8` each (0 wall, 1 drain, 2 held, 3 for a level, which its y `i32` follows), `pools` `bool`, `many_parents` `bool`, `film_evaporation` `f64` |
/// | state | bounds (region), seed `u64`, ticks `u64`, ledger: placed, injected, removed, drained, evaporated, loaded and unloaded, `u64` below 2⁶² each; how many of the [queued](WaterWorld::queue) edits come before the next tick `u32`, their number `u32`, and for each the length of its bytes `u32` and its [bytes](Edit::to_bytes); what the sea gave and what it took, `u64` below 2⁶² each, the number of [edges of columns](WaterWorld::set_edge) `u32`, and for each, in order of x and then z, the column's x and z `i32` and its edge |
/// | record | a plane of `u16`: the word of a [`WaterCell`], 0x003f solid, 0x043f the sea, or, beyond the bounds, 0x0038 drain, 0x013f held, 0x023f wall; marks, with bit 2 and a third mask for the cells that `take_changes` will list, and with bit 3 if the chunk is [frozen](WaterWorld::freeze); a `u16` count of cells with the Extra flag, then for each in index order its index `u16` and a `u8` with bit f set if a parent lies behind the face of index f; a `u16` count of [fixtures](WaterWorld::set_fixture), then for each in index order its index `u16`, its kind `u8`, 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5, and its rate `u8`, 1 to 7; a `u16` count of cells with steady flow, then for each in index order its index `u16` and a `u32` with three bits for each face, the units that leave across it |
impl Saved for WaterWorld {
    const KIND: Kind = Kind::Water;

    fn put_rules(&self, out: &mut Vec<u8>) {
        let Rules {
            evaporation,
            film_evaporation,
            source_supply,
            throughput,
            edges,
            pools,
            many_parents,
        } = *self.rules();
        evaporation.put(out);
        [source_supply, throughput].iter().for_each(|units| units.put(out));
        edges.all().for_each(|edge| edge.put(out));
        [pools, many_parents].iter().for_each(|switch| switch.put(out));
        film_evaporation.put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.bounds().put(out);
        let Clock { seed, tick, ledger } = self.clock();
        let Ledger { placed, injected, removed, drained, evaporated, loaded, unloaded, .. } =
            ledger;
        let Ledger { from_sea, into_sea, .. } = ledger;
        [seed, tick, placed, injected, removed, drained, evaporated, loaded, unloaded]
            .iter()
            .for_each(|number| number.put(out));
        let (before, edits) = self.edits_that_wait();
        [before, edits.len()].iter().for_each(|&count| (count as u32).put(out));
        for edit in edits.map(Edit::to_bytes) {
            (edit.len() as u32).put(out);
            out.extend_from_slice(&edit);
        }
        [from_sea, into_sea].iter().for_each(|units| units.put(out));
        let columns = self.column_edges();
        (columns.len() as u32).put(out);
        for (column, edge) in columns {
            column.to_array().iter().for_each(|axis| axis.put(out));
            edge.put(out);
        }
    }

    fn chunk_positions(&self) -> Vec<IVec3> {
        self.grid().chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: IVec3, out: &mut Vec<u8>) {
        if let Some(slot) = self.grid().slot(position) {
            put_chunk(&self.saved_chunk(slot), out);
        }
    }

    fn take_world(rules: &mut Content<'_>, state: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let rules = take_rules(rules)?;
        let bounds = state.take()?;
        let mut clock = take_clock(state)?;
        let (before, edits) = take_edits(state)?;
        let columns = take_sea(state, &mut clock.ledger)?;
        let mut world = WaterWorld::restored(rules, bounds, clock)
            .map_err(|error| SnapshotError::Unlawful { law: error.to_string() })?;
        world.restore_edits(before, edits);
        columns.into_iter().for_each(|(column, edge)| world.restore_edge(column, edge));
        Ok(world)
    }

    fn take_chunk(
        &mut self,
        position: IVec3,
        record: &mut Content<'_>,
    ) -> Result<(), SnapshotError> {
        let misplaced = record.malformed("a chunk that fits the world's bounds");
        let slot = self.restore_chunk(position, record.take()?).ok_or(misplaced)?;
        let (marks, is_frozen) = take_flagged_masks(record)?;
        self.restore_marks(slot, marks, is_frozen);
        let mut least = 0;
        for _ in 0..record.take::<u16>()? {
            let wrong = record
                .malformed("a cell with the Extra flag, after the one before, and its parents");
            let (index, faces): (u16, u8) = (record.take()?, record.take()?);
            let in_order = (least..CHUNK_CELLS as u16).contains(&index);
            if !in_order || !self.restore_parents(slot, index, faces) {
                return Err(wrong);
            }
            least = index + 1;
        }
        self.take_fixtures(slot, record)?;
        self.take_steady(slot, record)
    }

    #[cfg(feature = "store")]
    fn since_now(&self) -> Option<Since> {
        WaterWorld::since_now(self)
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

impl WaterWorld {
    /// Reads the fixtures of a chunk.
    fn take_fixtures(&mut self, slot: Slot, record: &mut Content<'_>) -> Result<(), SnapshotError> {
        let mut least = 0;
        for _ in 0..record.take::<u16>()? {
            let wrong = record.malformed("a cell after the one before, and its fixture");
            let index: u16 = record.take()?;
            let fixture = Fixture::from_bytes([record.take()?, record.take()?]);
            let in_order = (least..CHUNK_CELLS as u16).contains(&index);
            let is_taken = |fixture| in_order && self.restore_fixture(slot, index, fixture);
            if !fixture.is_some_and(is_taken) {
                return Err(wrong);
            }
            least = index + 1;
        }
        Ok(())
    }

    /// Reads the steady flow of a chunk.
    fn take_steady(&mut self, slot: Slot, record: &mut Content<'_>) -> Result<(), SnapshotError> {
        let (mut least, mut list) = (0, Vec::new());
        for _ in 0..record.take::<u16>()? {
            let wrong = record.malformed("a cell after the one before, and its steady flow");
            let index: u16 = record.take()?;
            let flows = FaceFlows::from_word(record.take()?).filter(|flows| !flows.is_none());
            let flows =
                flows.filter(|_| (least..CHUNK_CELLS as u16).contains(&index)).ok_or(wrong)?;
            list.push((index, flows));
            least = index + 1;
        }
        self.restore_steady(slot, &list);
        Ok(())
    }
}

/// Appends the record of a chunk.
pub(crate) fn put_chunk(chunk: &SavedChunk, out: &mut Vec<u8>) {
    let ChunkState { cells, awake, further_parents, fixtures, steady } = &chunk.state;
    cells.put(out);
    let masks = [awake.as_deref(), chunk.changed.as_deref(), chunk.visible.as_deref()];
    put_flagged_masks(masks, chunk.is_frozen, out);
    // At most one for each of the 4096 cells.
    (further_parents.len() as u16).put(out);
    for (index, faces) in further_parents {
        index.put(out);
        faces.put(out);
    }
    (fixtures.len() as u16).put(out);
    for (index, fixture) in fixtures {
        index.put(out);
        fixture.bytes().iter().for_each(|byte| byte.put(out));
    }
    (steady.len() as u16).put(out);
    for (index, flows) in steady {
        index.put(out);
        flows.word().put(out);
    }
}

fn take_rules(content: &mut Content<'_>) -> Result<Rules, SnapshotError> {
    let evaporation = content.take()?;
    let (source_supply, throughput) = (content.take()?, content.take()?);
    let mut outer = [Edge::Wall; 6];
    for edge in &mut outer {
        *edge = content.take()?;
    }
    let edges = Edges { outer, unloaded: content.take()? };
    let (pools, many_parents) = (content.take()?, content.take()?);
    let film_evaporation = content.take()?;
    Ok(Rules {
        evaporation,
        film_evaporation,
        source_supply,
        throughput,
        edges,
        pools,
        many_parents,
    })
}

fn take_clock(content: &mut Content<'_>) -> Result<Clock, SnapshotError> {
    let seed = content.take()?;
    let tick = content.take()?;
    let ledger = Ledger {
        placed: content.counter()?,
        injected: content.counter()?,
        removed: content.counter()?,
        drained: content.counter()?,
        evaporated: content.counter()?,
        loaded: content.counter()?,
        unloaded: content.counter()?,
        ..Ledger::default()
    };
    Ok(Clock { seed, tick, ledger })
}

/// Reads how many queued edits come before the next tick, and the edits.
fn take_edits(content: &mut Content<'_>) -> Result<(usize, VecDeque<Edit>), SnapshotError> {
    let mut edits = VecDeque::new();
    let wrong = content.malformed("the end of the section");
    let (Ok(before), Ok(count)) = (content.take::<u32>(), content.take::<u32>()) else {
        return Err(wrong);
    };
    if before > count {
        return Err(wrong);
    }
    for _ in 0..count {
        let length: u32 = content.take()?;
        let wrong = content.malformed("the bytes of an edit");
        let bytes = content.bytes(length as usize)?;
        edits.push_back(Edit::from_bytes(bytes).map_err(|_| wrong)?);
    }
    Ok((before as usize, edits))
}

/// Reads what the sea gave and took into the ledger, and returns the edges of columns.
fn take_sea(
    content: &mut Content<'_>,
    ledger: &mut Ledger,
) -> Result<Vec<([i32; 2], Edge)>, SnapshotError> {
    let mut columns: Vec<([i32; 2], Edge)> = Vec::new();
    (ledger.from_sea, ledger.into_sea) = (content.counter()?, content.counter()?);
    for _ in 0..content.take::<u32>()? {
        let wrong = content.malformed("a column after the one before, and its edge");
        let column = [content.take()?, content.take()?];
        if columns.last().is_some_and(|&(last, _)| last >= column) {
            return Err(wrong);
        }
        columns.push((column, content.take()?));
    }
    Ok(columns)
}

impl Encode for Edge {
    fn put(&self, out: &mut Vec<u8>) {
        let code: u8 = match self {
            Edge::Wall => 0,
            Edge::Drain => 1,
            Edge::Held => 2,
            Edge::Level(_) => 3,
        };
        code.put(out);
        if let Edge::Level(y) = self {
            y.put(out);
        }
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("an edge: 0 to 3");
        match content.take::<u8>()? {
            0 => Ok(Edge::Wall),
            1 => Ok(Edge::Drain),
            2 => Ok(Edge::Held),
            3 => Ok(Edge::Level(content.take()?)),
            _ => Err(wrong),
        }
    }
}

impl Encode for Voxel {
    fn put(&self, out: &mut Vec<u8>) {
        self.word().put(out);
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong =
            content.malformed("the word of a water cell, of solid ground, or of the world's end");
        let word = content.take()?;
        let voxel = Voxel::from_raw(word);
        let marks = [Voxel::SOLID, Voxel::SEA, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
        if marks.contains(&voxel) || WaterCell::from_word(word).is_ok() {
            Ok(voxel)
        } else {
            Err(wrong)
        }
    }
}
