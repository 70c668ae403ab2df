//! Snapshots of three-dimensional water.

use super::bytes::{Content, Encode};
use super::chunks::{self, SavedChunk};
use super::error::SnapshotError;
use super::sections::{Kind, Reader, Writer};
use crate::coords::{Cube, Region};
use crate::water::{Clock, Edge, Edges, Ledger, Rules, Voxel, WaterCell, WaterWorld};
use glam::IVec3;

/// # Saving
///
/// With the feature `snapshot`. The sections of kind 1, each value in this order:
///
/// | section | content |
/// |---|---|
/// | `RULE` | `evaporation` `f64`, `activity_decay` `f64`, `source_supply` `u8`, `throughput` `u8`, the six outer edges and the unloaded one `u8` each (0 wall, 1 drain, 2 held), `pools` `bool`, `many_parents` `bool` |
/// | `WRLD` | bounds (region), seed `u64`, ticks `u64`, ledger: placed, injected, removed, drained, evaporated, `u64` each; ticks and entries below 2⁶² |
/// | `CHNK` | chunks, as [`snapshot`](crate::snapshot) says; a cell is the `u16` of its [`WaterCell`], 0x003f solid, or, beyond the bounds, 0x0038 drain, 0x013f held, 0x023f wall |
/// | `PRNT` | a count, then for each cell with the Extra flag, in order of position: its position, and a `u8` with bit f set if a parent lies behind the face of index f |
impl WaterWorld {
    /// The whole world as bytes: the same for equal worlds. What is not kept is [`current`](WaterWorld::current), which is
    /// zero in a loaded world until its next step.
    pub fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::Water);
        writer.section("RULE", |out| put_rules(self.rules(), out));
        writer.section("WRLD", |out| {
            let Clock { seed, tick, ledger } = self.clock();
            self.bounds().put(out);
            let Ledger { placed, injected, removed, drained, evaporated } = ledger;
            [seed, tick, placed, injected, removed, drained, evaporated].iter().for_each(|number| number.put(out));
        });
        writer.section("CHNK", |out| chunks::put(self.grid(), out));
        writer.section("PRNT", |out| {
            let parents = self.further_parents();
            (parents.len() as u64).put(out);
            for (cell, faces) in parents {
                cell.put(out);
                faces.put(out);
            }
        });
        writer.finish()
    }

    /// The world that [`save`](WaterWorld::save) made these bytes of.
    ///
    /// # Errors
    /// The bytes are not a snapshot of a water world, are damaged, or describe a world that breaks a law.
    pub fn load(bytes: &[u8]) -> Result<WaterWorld, SnapshotError> {
        let mut reader = Reader::new(bytes, Kind::Water)?;
        let rules = reader.section("RULE", take_rules)?;
        let (bounds, clock) = reader.section("WRLD", take_clock)?;
        let mut world = WaterWorld::restored(rules, bounds, clock).map_err(unlawful)?;
        reader.section("CHNK", |content| {
            let chunks = chunks::take::<Voxel, Cube>(content)?;
            let misplaced = content.malformed("chunks that lie in the world's bounds");
            for SavedChunk { position, chunk, .. } in &chunks {
                if !world.restore_chunk(*position, chunk.clone()) {
                    return Err(misplaced);
                }
            }
            for saved in &chunks {
                world.restore_marks(saved.position, saved.awake.as_deref(), saved.changed.as_deref());
            }
            Ok(())
        })?;
        reader.section("PRNT", |content| take_parents(content, &mut world))?;
        reader.finish()?;
        world.validate().map_err(unlawful)?;
        Ok(world)
    }
}

fn unlawful(law: impl ToString) -> SnapshotError {
    SnapshotError::Unlawful { law: law.to_string() }
}

fn put_rules(rules: &Rules, out: &mut Vec<u8>) {
    let Rules { evaporation, activity_decay, source_supply, throughput, edges, pools, many_parents } = *rules;
    [evaporation, activity_decay].iter().for_each(|chance| chance.put(out));
    [source_supply, throughput].iter().for_each(|units| units.put(out));
    edges.outer.iter().chain([&edges.unloaded]).for_each(|edge| edge.put(out));
    [pools, many_parents].iter().for_each(|switch| switch.put(out));
}

fn take_rules(content: &mut Content<'_>) -> Result<Rules, SnapshotError> {
    let (evaporation, activity_decay) = (content.take()?, content.take()?);
    let (source_supply, throughput) = (content.take()?, content.take()?);
    let mut outer = [Edge::Wall; 6];
    for edge in &mut outer {
        *edge = content.take()?;
    }
    let edges = Edges { outer, unloaded: content.take()? };
    let (pools, many_parents) = (content.take()?, content.take()?);
    Ok(Rules { evaporation, activity_decay, source_supply, throughput, edges, pools, many_parents })
}

fn take_clock(content: &mut Content<'_>) -> Result<(Region, Clock), SnapshotError> {
    let bounds = content.take()?;
    let seed = content.take()?;
    let tick = take_counter(content)?;
    let ledger = Ledger {
        placed: take_counter(content)?,
        injected: take_counter(content)?,
        removed: take_counter(content)?,
        drained: take_counter(content)?,
        evaporated: take_counter(content)?,
    };
    Ok((bounds, Clock { seed, tick, ledger }))
}

/// A number that only ever grows, so far from the end of its range that neither it nor the sum of two can reach it.
fn take_counter(content: &mut Content<'_>) -> Result<u64, SnapshotError> {
    let wrong = content.malformed("a number below 2⁶²");
    let counter = content.take()?;
    if counter < 1 << 62 { Ok(counter) } else { Err(wrong) }
}

fn take_parents(content: &mut Content<'_>, world: &mut WaterWorld) -> Result<(), SnapshotError> {
    let mut last = None;
    for _ in 0..content.count(13)? {
        let wrong = content.malformed("a cell with the Extra flag, after the one before, and its parents");
        let (cell, faces): (IVec3, u8) = (content.take()?, content.take()?);
        let key = [cell.y, cell.z, cell.x];
        if last.replace(key).is_some_and(|last| last >= key) || !world.restore_parents(cell, faces) {
            return Err(wrong);
        }
    }
    Ok(())
}

impl Encode for Edge {
    fn put(&self, out: &mut Vec<u8>) {
        let code: u8 = match self {
            Edge::Wall => 0,
            Edge::Drain => 1,
            Edge::Held => 2,
        };
        code.put(out);
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("an edge: 0 to 2");
        match content.take::<u8>()? {
            0 => Ok(Edge::Wall),
            1 => Ok(Edge::Drain),
            2 => Ok(Edge::Held),
            _ => Err(wrong),
        }
    }
}

impl Encode for Voxel {
    fn put(&self, out: &mut Vec<u8>) {
        self.word().put(out);
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("the word of a water cell, of solid ground, or of the world's end");
        let word = content.take()?;
        let voxel = Voxel::from_raw(word);
        let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
        if marks.contains(&voxel) || WaterCell::from_word(word).is_ok() { Ok(voxel) } else { Err(wrong) }
    }
}
