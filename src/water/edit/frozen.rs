//! Freezing: chunks that stay loaded and stand still, until they are thawed.

use crate::coords::ChunkPos;
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::edit::EditError;

impl WaterWorld {
    /// Freezes the chunks at these chunk positions: they stay loaded, and no tick moves, evaporates
    /// or visits their water. At their faces to chunks that are not frozen, water waits on both
    /// sides, as at [`Edge::Held`](crate::water::Edge::Held). Returns `false`, and changes nothing,
    /// if all of them are frozen already. This first completes a tick that is underway.
    ///
    /// For the chunks that are not frozen, ticks are as in a world in which the frozen ones are
    /// not loaded, and `Edge::Held` is there. Flows across the faces are cut: a cell that had a
    /// parent beyond loses it, and cells that hold no water and lose their last parent dry up, with
    /// those downstream. Flows within the frozen chunks and between them stay. Freezing and thawing
    /// move no unit of water, and a frozen chunk costs a tick nothing.
    ///
    /// Everything can be read and edited in frozen chunks as in others. What an edit sets in motion
    /// there moves once they are [thawed](WaterWorld::thaw); water that ground displaces goes to
    /// room in frozen chunks only, and beside them in others only. A frozen chunk that is removed
    /// is thawed first; one that is inserted is not frozen. Which chunks are frozen is saved with
    /// the world.
    ///
    /// So a game can load more than it simulates: a
    /// [`SimulationDistance`](crate::water::SimulationDistance) chooses. Which chunks are frozen is
    /// part of the input: for the same bytes, freeze the same chunks between the same ticks, for
    /// instance by the positions of the players that all machines know.
    ///
    /// Far chunks may also go at a slower pace: frozen in three of four ticks and thawed for the
    /// fourth, they take a quarter of the time. At the faces between them and the others, water
    /// then crosses in every fourth tick, and what stands before the face on the faster side rises
    /// and falls meanwhile. As each freezing cuts the flows across it, a stream carries over it
    /// only what falls and spreads there by itself, less than its springs offer: a river should be
    /// at one pace as far as it can be seen. Bodies of water in chunks that are thawed are found
    /// anew.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// /// Simulates what is within a distance of a player, counted in columns of chunks.
    /// fn keep_round(world: &mut WaterWorld, players: &[ChunkPos], distance: i32) {
    ///     let is_near = |chunk: ChunkPos| {
    ///         players.iter().any(|player| {
    ///             let apart = (chunk - *player).abs();
    ///             apart.x.max(apart.z) <= distance
    ///         })
    ///     };
    ///     let chunks = world.chunks().map(|(chunk, _)| chunk);
    ///     let (near, far): (Vec<_>, Vec<_>) = chunks.partition(|&chunk| is_near(chunk));
    ///     world.thaw(near).expect("loaded");
    ///     world.freeze(far).expect("loaded");
    /// }
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// let chunks = (0..4).map(|x| ChunkPos::new(x, 0, 0));
    /// world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN))))?;
    /// keep_round(&mut world, &[ChunkPos::ZERO], 1);
    /// assert_eq!([1, 2].map(|x| world.is_frozen(ChunkPos::new(x, 0, 0))), [false, true]);
    /// // Poured out far away: it hangs in the air until someone comes.
    /// let (high, low) = (IVec3::new(40, 15, 8), IVec3::new(40, 0, 8));
    /// world.pour(high, 7)?;
    /// world.run(30);
    /// assert_eq!((world.units(high), world.units(low)), (7, 0));
    /// keep_round(&mut world, &[ChunkPos::new(1, 0, 0)], 1);
    /// world.step();
    /// assert_eq!(world.units(high), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions. Then none is frozen.
    pub fn freeze(
        &mut self,
        chunks: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<bool, EditError> {
        let slots = self.slots_to_change(chunks, true)?;
        for &slot in &slots {
            self.tick_state.pools.forget(slot);
        }
        if !slots.is_empty() {
            self.store.set_frozen(&slots, true);
        }
        Ok(!slots.is_empty())
    }

    /// Thaws the chunks at these chunk positions that are [frozen](WaterWorld::freeze).
    /// Returns `false`, and changes nothing, if none of them is. This first completes a tick that
    /// is underway.
    ///
    /// Water at the faces to chunks that are not frozen wakes on both sides, and what was awake
    /// when the chunks were frozen, or was woken by edits, resumes in the next tick. Flows across
    /// the faces form anew.
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions. Then none is thawed.
    pub fn thaw(&mut self, chunks: impl IntoIterator<Item = ChunkPos>) -> Result<bool, EditError> {
        let slots = self.slots_to_change(chunks, false)?;
        self.thaw_slots(&slots);
        Ok(!slots.is_empty())
    }

    /// Returns whether a chunk is loaded and [frozen](WaterWorld::freeze).
    pub fn is_frozen(&self, chunk: ChunkPos) -> bool {
        self.store.grid().slot(chunk).is_some_and(|slot| self.store.is_frozen(slot))
    }

    /// Returns the chunk positions of the [frozen](WaterWorld::freeze) chunks, in order of
    /// position.
    pub fn frozen_chunks(&self) -> impl Iterator<Item = ChunkPos> {
        let slots = self.store.grid().sorted_slots().into_iter();
        slots
            .filter(|&slot| self.store.is_frozen(slot))
            .map(|slot| self.store.grid().position_at(slot))
    }

    /// Thaws the chunks among these that are frozen, between two ticks.
    pub(super) fn thaw_slots(&mut self, slots: &[Slot]) {
        let is_frozen = |&slot: &Slot| self.store.is_frozen(slot);
        let slots: Vec<Slot> = slots.iter().copied().filter(is_frozen).collect();
        if slots.is_empty() {
            return;
        }
        self.store.set_frozen(&slots, false);
        for slot in slots {
            self.tick_state.ageing.enter(&self.store, slot);
            self.tick_state.evaporation.watch(slot);
        }
    }

    /// Makes the queued edits, and returns the chunks among these that are frozen or not, other
    /// than they are to be, in order. Completes a tick that is underway if there are any.
    fn slots_to_change(
        &mut self,
        chunks: impl IntoIterator<Item = ChunkPos>,
        is_frozen: bool,
    ) -> Result<Vec<Slot>, EditError> {
        self.make_queued_edits();
        let grid = self.store.grid();
        let mut slots = Vec::new();
        for chunk in chunks {
            let slot = grid.slot(chunk).ok_or(EditError::ChunkAbsent(chunk))?;
            if self.store.is_frozen(slot) != is_frozen {
                slots.push(slot);
            }
        }
        slots.sort_unstable_by_key(|&slot| grid.position_at(slot));
        slots.dedup();
        if !slots.is_empty() {
            self.finish_tick();
        }
        Ok(slots)
    }
}
