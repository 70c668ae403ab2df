//! Edits of whole chunks: they are loaded and unloaded (also as records), frozen, thawed and woken.

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
    /// if all of these chunks are frozen already. This first completes a tick that is underway.
    ///
    /// For the chunks that are not frozen, ticks are as in a world in which the frozen chunks are
    /// not loaded and `Edge::Held` stands in their place. Flows across the faces are cut: a cell
    /// that had a parent beyond such a face loses the parent, and cells that hold no water and lose
    /// their last parent dry up, with the cells downstream of them. Flows within the frozen chunks
    /// and between them stay. Freezing and thawing move no unit of water, and a frozen chunk costs
    /// a tick nothing.
    ///
    /// Everything in frozen chunks can be read and edited as in other chunks. Water that an edit
    /// sets in motion there moves once the chunks are [thawed](WaterWorld::thaw). Water that ground
    /// displaces in a frozen chunk goes only to room in frozen chunks, and water displaced
    /// elsewhere only to room in chunks that are not frozen. A frozen chunk that is removed is
    /// thawed first; a chunk that is inserted is not frozen. Which chunks are frozen is saved with
    /// the world.
    ///
    /// So a game can load more chunks than it simulates: a
    /// [`SimulationDistance`](crate::water::SimulationDistance) chooses which to freeze. The choice
    /// is part of the input: for the same bytes, freeze the same chunks between the same ticks, for
    /// instance by the players' positions, which all machines have.
    ///
    /// Far chunks may also run at a slower pace: frozen in three of four ticks and thawed for the
    /// fourth, they take a quarter of the time. At the faces between slow chunks and fast ones,
    /// water then crosses in every fourth tick only, and water that stands before such a face on
    /// the fast side rises and falls meanwhile. As each freezing cuts the flows across these faces,
    /// a stream carries across them only the water that falls and spreads there without draws or
    /// steady flow, less than its springs offer: a river should run at one pace as far as it can be
    /// seen. Bodies of water in thawed chunks are found again.
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

    /// Thaws the chunks at these chunk positions that are [frozen](WaterWorld::freeze). Returns
    /// `false`, and changes nothing, if none of these chunks is frozen. This first completes a tick
    /// that is underway.
    ///
    /// Water wakes on both sides of the faces to chunks that are not frozen. Cells that were awake
    /// when the chunks were frozen, or that edits have woken since, resume in the next tick. Flows
    /// across the faces form again.
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions. Then none is thawed.
    pub fn thaw(&mut self, chunks: impl IntoIterator<Item = ChunkPos>) -> Result<bool, EditError> {
        frozen::thaw(self, chunks)
    }

    /// Loads a chunk at a chunk position. Its water counts as placed, and its cells with water or
    /// flow wake, as do the cells around the chunk: across its six faces, and beside the cells
    /// above it.
    ///
    /// The chunk may come from any world. Cells out of bounds are ignored. Directions that lead
    /// nowhere or in a circle are cleared, as are parents beyond the first. Each cell's
    /// [`largest`](crate::water::WaterCell::largest) is lowered to this world's throughput if it is
    /// above that.
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
    /// Directions that lead from one of these chunks into another are kept, whatever the order of
    /// the list.
    ///
    /// # Errors
    /// A chunk is loaded already at one of the positions, a position is in the list twice, or a
    /// position lies outside the world's bounds. Then no chunk is loaded.
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

    /// Refuses positions at which a chunk is loaded, positions that come twice, and positions that
    /// are out of bounds.
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

    /// Inserts a chunk. The caller enters its water in the ledger, and wakes the cells that may
    /// move.
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

    /// Wakes the cells around chunks, and removes the chunks. Returns the chunks in the same order.
    /// The caller cuts the links to them and enters their water in the ledger.
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
        // Springs and marks may be above the throughput, too, and stay as they are.
        if cells.iter().fold(false, |above, voxel| above | (voxel.largest() > throughput)) {
            chunk.cells_mut().iter_mut().for_each(|voxel| *voxel = voxel.lowered_to(throughput));
            chunk.canonicalize();
        }
        chunk
    }

    /// Unloads the chunk at a chunk position and returns it. Its water counts as removed, its
    /// [fixtures](WaterWorld::set_fixture) are gone, and the cells around the chunk wake, as they
    /// do when it is loaded.
    ///
    /// This first completes a tick that is underway, so the chunk may differ from what
    /// [`chunk`](WaterWorld::chunk) returned before: keep the chunk returned here. A chunk that is
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
    /// The flows within the chunks, between them, and across their faces go into the records, and
    /// so do their [fixtures](WaterWorld::set_fixture). The water outside flows on without the
    /// chunks: a cell that had a parent in one of them loses the parent, and cells that hold no
    /// water and lose their last parent dry up, with the cells downstream of them. The records hold
    /// these cells as they were before. If the records are put back before the next tick, in
    /// whatever order and however many at once, the world is as it was, with the same
    /// [`state_hash`](WaterWorld::state_hash). For chunks that were removed by several calls, this
    /// holds if all are put back at once, or those removed last are put back first.
    ///
    /// This first completes a tick that is underway, and thaws the chunks that are
    /// [frozen](WaterWorld::freeze).
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions, or a position is in the list twice. Then no
    /// chunk is unloaded.
    pub fn remove_chunks(
        &mut self,
        positions: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<Vec<ChunkRecord>, EditError> {
        records::remove_chunks(self, positions)
    }

    /// Loads the chunks of these records, which were taken out of this world or another. Their
    /// water counts as loaded; their cells wake, except deep water, and so do the cells around
    /// them.
    ///
    /// Their water flows on as far as the world allows. A cell outside the chunks that lost parents
    /// when they were removed gets its parents back if it has not changed since. A parent counts
    /// only if it is loaded and has water or flow. If parents form a circle, which neighbours that
    /// have changed meanwhile can close, one of them is dropped. The order of the list does not
    /// matter. Cells out of bounds are ignored, and each cell's
    /// [`largest`](crate::water::WaterCell::largest) is lowered to this world's throughput if it is
    /// above that.
    ///
    /// # Errors
    /// A chunk is loaded already at one of the positions, a position is in the list twice, or a
    /// position lies outside the world's bounds. Then no chunk is loaded.
    pub fn insert_records(
        &mut self,
        records: impl IntoIterator<Item = ChunkRecord>,
    ) -> Result<(), EditError> {
        records::insert_records(self, records)
    }
}
