//! Edits of whole chunks: they come and go, also as records, stand still, and wake.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::edit::frozen::thaw_slots;
use crate::water::edit::{EditError, frozen, records};
use crate::water::record::ChunkRecord;
use crate::water::store::chunks;
use crate::water::store::links::detach;
use crate::water::store::neighbours::slot_across;
use crate::water::voxel::Voxel;
use hashbrown::HashSet;

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
    /// again.
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
        frozen::freeze(self, chunks)
    }

    /// Thaws the chunks at these chunk positions that are [frozen](WaterWorld::freeze).
    /// Returns `false`, and changes nothing, if none of them is. This first completes a tick that
    /// is underway.
    ///
    /// Water at the faces to chunks that are not frozen wakes on both sides, and what was awake
    /// when the chunks were frozen, or was woken by edits, resumes in the next tick. Flows across
    /// the faces form again.
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions. Then none is thawed.
    pub fn thaw(&mut self, chunks: impl IntoIterator<Item = ChunkPos>) -> Result<bool, EditError> {
        frozen::thaw(self, chunks)
    }

    /// Loads a chunk at a chunk position. Its water counts as placed, and its cells with water or
    /// flow wake, as do those around it: across its six faces, and beside the cells above it.
    ///
    /// The chunk may come from any world. Cells out of bounds are ignored. Directions that lead
    /// nowhere or in a circle are cleared, as are parents beyond the first. Each cell's
    /// [`largest`](crate::water::WaterCell::largest) is lowered to this world's throughput if it is
    /// above.
    ///
    /// # Errors
    /// A chunk is loaded there already, or the position lies outside the world's bounds.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        chunk: Chunk<Voxel>,
    ) -> Result<(), EditError> {
        self.insert_chunks([(position, chunk)])
    }

    /// Loads several chunks at once, each as [`insert_chunk`](WaterWorld::insert_chunk) does.
    /// Directions that lead from one of them into another are kept, in whatever order they come.
    ///
    /// # Errors
    /// For one of the positions, a chunk is loaded already, the list holds it twice, or it lies
    /// outside the world's bounds. Then no chunk is loaded.
    pub fn insert_chunks(
        &mut self,
        chunks: impl IntoIterator<Item = (ChunkPos, Chunk<Voxel>)>,
    ) -> Result<(), EditError> {
        self.make_queued_edits();
        let chunks: Vec<_> = chunks.into_iter().collect();
        self.check_vacant(chunks.iter().map(|&(position, _)| position))?;
        self.finish_tick();
        let mut slots = Vec::with_capacity(chunks.len());
        for (position, chunk) in chunks {
            let slot = self.load(position, chunk)?;
            self.ledger.placed += self.store.grid().chunk_at(slot).units();
            slots.push(slot);
        }
        for &slot in &slots {
            self.store.adopt(slot);
            self.store.wake_coast(slot);
        }
        for slot in slots {
            self.store.wake_around(slot);
        }
        Ok(())
    }

    /// Refuses positions at which a chunk is loaded, that come twice, or that are out of bounds.
    pub(super) fn check_vacant(
        &self,
        positions: impl Iterator<Item = ChunkPos>,
    ) -> Result<(), EditError> {
        let mut seen = HashSet::new();
        for position in positions {
            if self.store.grid().slot(position).is_some() || !seen.insert(position) {
                return Err(EditError::ChunkPresent(position));
            }
            let inside = || self.store.bounds().intersection(&Cube::region_of(position)).is_some();
            if !Cube::holds_chunk(position) || !inside() {
                return Err(EditError::ChunkOutOfBounds(position));
            }
        }
        Ok(())
    }

    /// Inserts a chunk. The caller enters it in the ledger, and wakes what may move.
    pub(super) fn load(
        &mut self,
        position: ChunkPos,
        chunk: Chunk<Voxel>,
    ) -> Result<Slot, EditError> {
        let chunk = self.admit(chunk);
        let slot = chunks::insert(&mut self.store, position, chunk)
            .ok_or(EditError::ChunkOutOfBounds(position))?;
        self.tick_state.ageing.add_chunk(&self.store, slot);
        self.tick_state.evaporation.add_chunk(self.store.grid(), slot);
        Ok(slot)
    }

    /// Wakes what lies around chunks, and removes them. Returns them in the same order. The caller
    /// cuts the links to them and enters them in the ledger.
    pub(super) fn unload(&mut self, slots: &[Slot]) -> Vec<Chunk<Voxel>> {
        slots.iter().for_each(|&slot| self.store.wake_around(slot));
        let across = |slot: Slot| Face::ALL.map(|face| slot_across(&self.store, slot, face));
        let mut beside: Vec<Slot> = slots.iter().flat_map(|&slot| across(slot)).collect();
        let leaving: HashSet<Slot> = slots.iter().copied().collect();
        beside.retain(|there| there.is_some() && !leaving.contains(there));
        let mut chunks = Vec::with_capacity(slots.len());
        for &slot in slots {
            self.scratch.forget(slot);
            self.tick_state.pools.forget(slot);
            self.tick_state.ageing.forget(slot);
            let position = self.store.grid().position_at(slot);
            chunks.extend(chunks::remove(&mut self.store, position));
        }
        // The sea may continue where the chunks were.
        beside.into_iter().for_each(|there| self.store.wake_coast(there));
        chunks
    }

    /// Returns the chunk with words that this world can hold.
    pub(super) fn admit(&self, mut chunk: Chunk<Voxel>) -> Chunk<Voxel> {
        let throughput = self.rules.throughput;
        let Some(cells) = chunk.as_dense() else {
            return Chunk::uniform(chunk.get(0).lowered_to(throughput));
        };
        // Springs and marks may be above it, too, and stay as they are.
        if cells.iter().fold(false, |above, voxel| above | (voxel.largest() > throughput)) {
            chunk.cells_mut().iter_mut().for_each(|voxel| *voxel = voxel.lowered_to(throughput));
            chunk.canonicalize();
        }
        chunk
    }

    /// Unloads the chunk at a chunk position and returns it. Its water counts as removed, its
    /// [fixtures](WaterWorld::set_fixture) are gone, and the cells around it wake, as they do when
    /// it is loaded.
    ///
    /// This first completes a tick that is underway, so the chunk may differ from what
    /// [`chunk`](WaterWorld::chunk) returned before: keep the one returned here. A chunk that is
    /// [frozen](WaterWorld::freeze) is thawed first.
    ///
    /// # Errors
    /// No chunk is loaded there.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<Chunk<Voxel>, EditError> {
        self.make_queued_edits();
        let slot = self.store.grid().slot(position).ok_or(EditError::ChunkAbsent(position))?;
        self.finish_tick();
        thaw_slots(self, &[slot]);
        detach(&mut self.store, &[slot]);
        let chunk = self.unload(&[slot]).pop().ok_or(EditError::ChunkAbsent(position))?;
        self.ledger.removed += chunk.units();
        Ok(chunk)
    }

    /// Wakes every cell with water or flow. The next ticks cost more, but change nothing that they
    /// would not have changed otherwise. Completes a tick underway first.
    pub fn wake_all(&mut self) {
        self.make_queued_edits();
        self.finish_tick();
        let slots = self.store.grid().sorted_slots();
        slots.into_iter().for_each(|slot| self.store.wake_chunk(slot));
    }

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
        records::remove_chunks(self, positions)
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
        records::insert_records(self, records)
    }
}
