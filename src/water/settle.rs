//! Settling: ticks of some chunks alone until nothing moves in them, outside any world or while the
//! rest of a world stands still.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ChunkRegion, Cube, Region};
use crate::rules_error::RulesError;
use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::ledger::Ledger;
use crate::water::record::ChunkRecord;
use crate::water::rules::{Edge, Edges, Rules};
use crate::water::store::changed::changes::{Kept, keep, mark_since};
use crate::water::store::chunks;
use crate::water::voxel::Voxel;

/// The result of settling.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settling {
    /// The number of ticks done.
    pub ticks: u64,
    /// The units that springs and taps supplied in these ticks.
    pub injected: u64,
    /// The units that left over draining edges and through drains in these ticks.
    pub drained: u64,
    /// The chunks in which cells are still awake, by chunk position, in order (y, then z, then x),
    /// each with the number of its awake cells.
    pub restless: Vec<(ChunkPos, usize)>,
}

impl Settling {
    /// Returns whether all chunks came to rest: no cell in them is awake.
    pub fn is_at_rest(&self) -> bool {
        self.restless.is_empty()
    }
}

/// The parameters for bringing the water of chunks to rest outside any world, on any thread, for
/// example in chunks that have just been generated.
///
/// ```
/// use floodplain::water::{Rules, Settle, Voxel};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut chunk = Chunk::uniform(Voxel::OPEN);
/// chunk.set(15 * 256, Voxel::from_word(7)?);
/// let settle = Settle { seed: 7, rules: Rules::lossless(), ..Settle::default() };
/// let (records, settling) = settle.run([(ChunkPos::ZERO, chunk)])?;
/// assert!(settling.is_at_rest());
/// assert_eq!((records[0].units(), records[0].chunk().get(15 * 256).height()), (7, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settle {
    /// The seed of the random choices.
    pub seed: u64,
    /// The rules of the world that the chunks are for. Nothing evaporates, whatever the rules say.
    pub rules: Rules,
    /// The bounds of the world that the chunks are for. At the faces of the bounds, the rules say
    /// what water does.
    pub bounds: Region,
    /// The largest number of ticks to run.
    pub most_ticks: u64,
}

impl Default for Settle {
    /// Returns seed 0, default rules, no bounds, and at most 2,000 ticks.
    fn default() -> Settle {
        let (rules, bounds) = (Rules::default(), Region::EVERYWHERE);
        Settle { seed: 0, rules, bounds, most_ticks: 2_000 }
    }
}

impl Settle {
    /// Returns the records of the settled chunks, in the order of the list, and the result of
    /// settling. Chunks may not be at rest after the last tick: a stream that leads from springs
    /// out of the world never comes to rest.
    ///
    /// Totals and levels are those of a world of these chunks after the same number of ticks,
    /// without evaporation. At faces to chunks that are not in the list, water waits, whatever the
    /// rules say.
    ///
    /// # Errors
    /// A rule's value is out of range, a position is in the list twice, or a position is out of
    /// bounds.
    pub fn run(
        &self,
        chunks: impl IntoIterator<Item = (ChunkPos, Chunk<Voxel>)>,
    ) -> Result<(Vec<ChunkRecord>, Settling), EditError> {
        let chunks: Vec<(ChunkPos, Chunk<Voxel>)> = chunks.into_iter().collect();
        let positions: Vec<ChunkPos> = chunks.iter().map(|&(position, _)| position).collect();
        let mut world = alone(self.seed, self.rules, self.bounds).map_err(EditError::Rules)?;
        world.insert_chunks(chunks)?;
        let settling = settle_all(&mut world, self.most_ticks);
        Ok((world.remove_chunks(positions)?, settling))
    }
}

/// Returns an empty world in which nothing evaporates, and in which water is held where no chunk is
/// loaded.
fn alone(seed: u64, rules: Rules, bounds: Region) -> Result<WaterWorld, RulesError> {
    rules.check()?;
    WaterWorld::with_bounds(seed, rules_alone(rules), bounds)
}

/// Returns the rules of chunks that settle: nothing evaporates, and water is held where no chunk is
/// loaded.
pub(crate) fn rules_alone(rules: Rules) -> Rules {
    let edges = Edges { unloaded: Edge::Held, ..rules.edges };
    Rules { evaporation: 0.0, film_evaporation: 0.0, edges, ..rules }
}

pub(crate) fn settle_now(
    world: &mut WaterWorld,
    region: Region,
    most: u64,
) -> Result<Settling, EditError> {
    world.make_queued_edits();
    let touched = ChunkRegion::of::<Cube>(region);
    let slots = world.store.grid().slots_in(touched);
    if slots.is_empty() {
        return Err(EditError::NotLoaded(region.min()));
    }
    world.finish_tick();
    let live = slots.into_iter().filter(|&slot| !world.store.is_frozen(slot));
    let positions: Vec<ChunkPos> = live.map(|slot| world.store.grid().position_at(slot)).collect();
    let mut chunks =
        alone(world.seed, world.rules, world.store.bounds()).map_err(EditError::Rules)?;
    // The random choices are the same as in ticks of the world.
    begin_at(&mut chunks, world.tick);
    let (records, away) = take_out(world, &positions)?;
    chunks.insert_records(records)?;
    let start = chunks.ledger;
    let settling = settle_all(&mut chunks, most);
    let end = chunks.ledger;
    put_back(world, chunks.remove_chunks(positions)?, away, [start, end])?;
    Ok(settling)
}

/// What a world keeps of chunks that settle outside it.
pub(crate) struct Away {
    /// The ledger before the chunks were taken out.
    ledger: Ledger,
    chunks: Vec<(ChunkPos, Kept)>,
}

/// Takes chunks out of a world, to be [put back](put_back) once they have settled.
pub(crate) fn take_out(
    world: &mut WaterWorld,
    positions: &[ChunkPos],
) -> Result<(Vec<ChunkRecord>, Away), EditError> {
    let ledger = world.ledger;
    let kept = |&chunk: &ChunkPos| {
        let slot = world.store.grid().slot(chunk)?;
        let unread = world.unread.of(chunk, chunks::load(&world.store, slot));
        Some((chunk, keep(&world.store, slot, unread)))
    };
    let chunks = positions.iter().filter_map(kept).collect();
    Ok((world.remove_chunks(positions.iter().copied())?, Away { ledger, chunks }))
}

/// Sets the number of ticks that a world has done, right after it was made.
pub(crate) fn begin_at(world: &mut WaterWorld, tick: u64) {
    world.tick = tick;
}

/// Puts back chunks that were taken out of a world, as if they had never been away, and marks the
/// cells that have changed meanwhile. Adds the changes from `start` to `end` of the ledger of the
/// world in which the chunks settled.
pub(crate) fn put_back(
    world: &mut WaterWorld,
    records: Vec<ChunkRecord>,
    away: Away,
    [start, end]: [Ledger; 2],
) -> Result<(), EditError> {
    world.insert_records(records)?;
    for (chunk, kept) in away.chunks {
        if let Some(slot) = world.store.grid().slot(chunk) {
            mark_since(&mut world.store, slot, kept);
        }
    }
    world.ledger = away.ledger;
    // The loading and unloading of the chunks by the world in which they settled is left out.
    world.ledger.add(Ledger { loaded: 0, unloaded: 0, ..end.since(&start) });
    Ok(())
}

/// Runs ticks until the world is asleep, at most `most` ticks.
fn settle_all(world: &mut WaterWorld, most: u64) -> Settling {
    let (start, before) = (world.tick, world.ledger);
    while !world.is_asleep() && world.tick.wrapping_sub(start) < most {
        world.step();
    }
    Settling {
        ticks: world.tick.wrapping_sub(start),
        injected: world.ledger.injected - before.injected,
        drained: world.ledger.drained - before.drained,
        restless: world.awake_chunks().map(|(chunk, cells)| (chunk, cells.len())).collect(),
    }
}
