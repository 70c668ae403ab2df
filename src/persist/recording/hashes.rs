//! Hashes of a world and of its chunks, by which a replay is compared with its recording.

use crate::coords::ChunkPos;
use crate::simulation::Simulation;
use crate::snapshot::Saved;
use std::collections::BTreeMap;

/// The hashes of a world at some tick, before the edits of that tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The ticks done since the start.
    pub tick: u64,
    /// The [hash](crate::Simulation::state_hash) of the state.
    pub hash: u64,
    /// The chunks that have changed since the check before, in order of position (y, then z, then
    /// x): each with a hash of its cells, or `None` if it is gone. The first check lists all
    /// chunks. In a graph, a chunk is a block of 4096 nodes, numbered along x.
    pub chunks: Vec<(ChunkPos, Option<u32>)>,
}

/// The hash of each chunk, in order of position.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChunkHashes(BTreeMap<ChunkPos, u32>);

impl ChunkHashes {
    /// Notes the changes of a check.
    pub(super) fn note(&mut self, check: &Check) {
        for &(position, hash) in &check.chunks {
            match hash {
                Some(hash) => _ = self.0.insert(position, hash),
                None => _ = self.0.remove(&position),
            }
        }
    }

    /// Returns the chunks whose hashes in `now` are new or differ, and the chunks that are gone
    /// from `now`.
    pub(super) fn changes(&self, now: &ChunkHashes) -> Vec<(ChunkPos, Option<u32>)> {
        let gone = self.0.keys().filter(|key| !now.0.contains_key(*key)).map(|&key| (key, None));
        let changed = now.0.iter().filter(|(key, hash)| self.0.get(*key) != Some(*hash));
        let changed = changed.map(|(&key, &hash)| (key, Some(hash)));
        let all: BTreeMap<ChunkPos, Option<u32>> = gone.chain(changed).collect();
        all.into_iter().collect()
    }

    /// Returns the first chunk whose hash differs in `now`, or that only one of the two has.
    pub(super) fn first_difference(&self, now: &ChunkHashes) -> Option<ChunkPos> {
        self.changes(now).first().map(|&(position, _)| position)
    }
}

/// Returns the hashes of the chunks of a world.
pub(super) fn hashes_of<W: Saved + Simulation>(world: &W) -> ChunkHashes {
    let mut hashes = ChunkHashes::default();
    world.visit_chunk_hashes(&mut |position, hash| _ = hashes.0.insert(position, hash as u32));
    hashes
}
