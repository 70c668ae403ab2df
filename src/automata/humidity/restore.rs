//! The parts of a saved humidity world, and how a world is restored from them.

use super::plane::Plane;
use super::step::job::Tally;
use super::store::Fed;
use super::sweep::Sweep;
use super::{HumidityShape, HumidityWorld, Ledger, Rules};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::grid::{Grid, Slot};
use crate::rules_error::RulesError;

/// The fed cells of a chunk, and the units that each step posts to the ledger for it while it
/// sleeps.
pub(crate) struct ChunkFlow {
    /// The fed cells, in index order.
    pub(crate) fed: Vec<Fed>,
    /// The units, without `moved`.
    pub(crate) tally: Tally,
}

impl ChunkFlow {
    pub(crate) fn is_empty(&self) -> bool {
        self.fed.is_empty() && !self.tally.has_entries()
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns the grid of words of humidity, with its awake and changed cells.
    pub(crate) fn grid(&self) -> &Grid<u32, S> {
        &self.store.moisture
    }

    /// Returns the grid of words of humidity, mutable to wake and mark cells.
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<u32, S> {
        &mut self.store.moisture
    }

    /// Returns the fed cells of a chunk and its steady flow while it sleeps.
    pub(crate) fn flow_at(&self, slot: Slot) -> ChunkFlow {
        let is_awake = self.store.moisture.awake_at(slot).is_some();
        let tally = if is_awake { Tally::default() } else { self.steady.of(slot) };
        ChunkFlow { fed: self.store.fed_at(slot).to_vec(), tally }
    }

    /// Restores the value that [`flow_at`](HumidityWorld::flow_at) returned for a chunk. Returns
    /// whether the chunk can have this flow.
    #[must_use]
    pub(crate) fn restore_flow(&mut self, slot: Slot, flow: ChunkFlow) -> bool {
        let ChunkFlow { fed, tally } = flow;
        let is_awake = self.store.moisture.awake_at(slot).is_some();
        let is_ordered = fed.windows(2).all(|pair| pair[0].index < pair[1].index)
            && fed.last().is_none_or(|last| usize::from(last.index) < CHUNK_CELLS);
        if self.store.sweep != Sweep::Conservative || !is_ordered || is_awake && tally.has_entries()
        {
            return false;
        }
        self.store.set_fed(slot, fed);
        // The flow in a ghost is in the account of the part that owns it.
        if !self.store.moisture.is_ghost_at(slot) {
            self.steady.note(slot, tally);
        }
        true
    }

    /// Returns the ground of a chunk.
    pub(crate) fn ground_at(&self, slot: Slot) -> &Plane {
        self.store.ground_at(slot)
    }

    /// Makes copies of a chunk share its arrays until the arrays are written.
    #[cfg(feature = "store")]
    pub(crate) fn share_chunk(&mut self, slot: Slot) {
        self.store.share(slot);
    }

    /// Returns the ledger, which is empty in sweeps without one.
    pub(crate) fn account(&self) -> Ledger {
        self.ledger
    }

    /// Returns a world with this state and without chunks.
    pub(crate) fn restored(
        rules: Rules,
        bounds: Region,
        ticks: u64,
        ledger: Ledger,
    ) -> Result<Self, RulesError> {
        let mut world = HumidityWorld::with_bounds(rules, bounds)?;
        (world.ticks, world.ledger) = (ticks, ledger);
        Ok(world)
    }

    /// Restores a chunk without recording it in the ledger. Returns `None` if no chunk can be
    /// there, or if a humidity is not stored in its canonical word.
    pub(crate) fn restore_chunk(
        &mut self,
        position: ChunkPos,
        moisture: Chunk<u32>,
        ground: Chunk<u32>,
    ) -> Option<Slot> {
        if !S::holds_chunk(position) {
            return None;
        }
        self.store.bounds.intersection(&S::region_of(position))?;
        let sweep = self.store.sweep;
        let is_plain = |&word: &u32| sweep.word_of(sweep.humidity_of(word)) == word;
        let all_plain = match moisture.as_dense() {
            Some(words) => words.iter().all(is_plain),
            None => is_plain(&moisture.get(0)),
        };
        let ground = self.store.plane_of(ground);
        if all_plain { self.store.insert(position, moisture, ground) } else { None }
    }
}
