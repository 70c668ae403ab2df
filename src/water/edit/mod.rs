//! Edits of a water world: the functions that change it between ticks.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | this one | ground, springs, units of water, regions, whole chunks | |
//! | `displace` | where water goes when ground takes its place | breadth-first search |
//! | `bodies` | units taken from the surface of a body, and added at it | best-first search |
//! | `sea`, `fixtures`, `rules` | the sea and the edges of columns; drains, taps, valves; other rules | |
//! | `records` | chunks that are taken out and put in with their flows | |
//! | `frozen` | chunks that stand still | |
//! | `transfer` | units moved by what is no rule of water | |
//! | `values`, `queue` | edits as values and as bytes; in line for the end of the tick | |
//!
//! # Function, value, bytes
//!
//! A row of the table in `values` names a tag, fields, what a client's limits count, and the
//! function that makes the edit. The macro of `src/edit_table.rs` makes of these rows the enum
//! [`Edit`], `apply`, `to_bytes` and `from_bytes`, and what an edit counts for in a budget. The
//! bytes are the tag and the fields in their order, each as its type has them.
//!
//! # What an edit does
//!
//! 1. It makes the edits that wait in the queue.
//! 2. It checks all that it was given, and is refused before it has changed anything.
//! 3. It completes the tick that is underway.
//! 4. It writes cells through the [store](crate::water::store), enters units in the ledger, and
//!    cuts the ties of a cell that is replaced.
//! 5. Each written cell is marked changed and wakes what the change can set in motion: the table is
//!    in `store/wake.rs`. Water moves, and HasSource follows, in the next tick.
//!
//! # Why it ends, and what it costs
//!
//! An edit visits the cells of its region or the chunks that it names, once; `wake_all` and
//! `set_rules` visit all chunks. Displaced water searches cells until it finds room: at most
//! 16,384, or 64 for each wet cell of a region if that is more. An edit made directly also takes
//! the rest of the tick underway. One in the queue does not: it is a piece before the next tick,
//! and counts for its cells and those that it searched.

mod bodies;
mod displace;
mod error;
mod fixtures;
mod frozen;
mod queue;
mod records;
mod rules;
mod sea;
mod transfer;
mod values;

pub use error::EditError;
pub use queue::EditReport;
pub(crate) use queue::{Queue, memory_bytes};
pub use values::{Edit, Outcome};

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Face, Region, Shape};
use crate::grid::Slot;
use crate::simulation::Displaced;
use crate::water::WaterWorld;
use crate::water::cell::{FULL, WaterCell};
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use glam::IVec3;
use hashbrown::HashSet;

impl WaterWorld {
    /// Makes a cell solid, as a block, a door, sand that lands or ice does, and returns what became
    /// of its water. A source or sea in the cell is removed.
    ///
    /// Water is pushed to the nearest room, through the water joined to it: up through full cells,
    /// sideways and down. It fills cells that hold some, and dry ones on ground or on full cells;
    /// through dry cells with room below it falls. Springs pass it on. Steps count for distance,
    /// except from a full cell up into a full one, so that water comes out straight above where
    /// it can. Of neighbours equally near, the sides come first (west, east, north, south), then
    /// up, then down. At most 16,384 cells are looked at; what finds no room among them leaves the
    /// world and counts as removed.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::Displaced;
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let displaced = world.set_solid(IVec3::new(8, 0, 8))?;
    /// assert_eq!(displaced, Displaced { moved: 7, removed: 0 });
    /// assert_eq!(world.units(IVec3::new(8, 10, 8)), 7, "on the surface");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn set_solid(&mut self, cell: IVec3) -> Result<Displaced, EditError> {
        self.make_queued_edits();
        if self.store.read(self.place(cell)?).is_solid() {
            return Ok(Displaced::default());
        }
        let place = self.place_to_edit(cell)?;
        let height = self.store.read(place).height();
        self.forget(place);
        self.replace(place, Voxel::SOLID);
        let (moved, removed) = self.displace(&[(place, height)]);
        Ok(Displaced { moved: moved as u32, removed: removed as u32 })
    }

    /// Makes a solid cell open and dry. Returns `false`, and changes nothing, if it is open.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if !self.store.read(self.place(cell)?).is_solid() {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        self.replace(place, Voxel::OPEN);
        Ok(true)
    }

    /// Makes a cell a spring and fills it; the water added counts as injected. Sea in it is
    /// removed. Returns `false`, and changes nothing, if the cell is a spring.
    ///
    /// Its water rises up to the cell below it: the far arm of a U ends a cell lower.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn add_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if self.store.read(self.place(cell)?).is_source() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        self.ledger.injected += u64::from(FULL - voxel.height());
        self.store.keep_parents(place, 0, voxel);
        self.store.note_source(place, true);
        self.replace(place, Voxel::water(WaterCell::SOURCE));
        Ok(true)
    }

    /// Makes a spring an ordinary full cell. Returns `false`, and changes nothing, if the cell is
    /// no spring.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn remove_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        let voxel = self.store.read(self.place(cell)?);
        if !voxel.is_source() && !voxel.is_solid() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        self.store.note_source(place, false);
        self.replace(place, Voxel::water(WaterCell::STILL));
        Ok(true)
    }

    /// Pours up to `units` into a cell. Returns how many had room, 0 to 7; they count as placed.
    /// The sea has room for 7, which are gone: they count as taken by the sea, too.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        if voxel.is_sea() {
            let poured = units.min(u32::from(FULL));
            self.ledger.placed += u64::from(poured);
            self.ledger.into_sea += u64::from(poured);
            return Ok(poured);
        }
        let poured = units.min(u32::from(voxel.room()));
        if poured > 0 {
            self.ledger.placed += u64::from(poured);
            self.replace(place, voxel.with_height(voxel.height() + poured as u8));
        }
        Ok(poured)
    }

    /// Takes up to `units` out of a cell. Returns how many it held, 0 to 7; they count as removed.
    /// A source stays full: its units count as injected, too. So does the sea: they count as given
    /// by the sea, too.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        let scooped = units.min(u32::from(voxel.seen_height()));
        if scooped == 0 {
            return Ok(0);
        }
        self.take_out(place, scooped);
        Ok(scooped)
    }

    /// Takes units out of a cell, and enters them as removed. A spring and the sea have any number;
    /// another cell must hold them.
    fn take_out(&mut self, place: Place, units: u32) {
        let voxel = self.store.read(place);
        if voxel.is_sea() {
            return self.take_from_sea(units);
        }
        self.ledger.removed += u64::from(units);
        if voxel.is_source() {
            self.ledger.injected += u64::from(units);
            return;
        }
        self.take_down(place, units as u8);
    }

    /// Lowers the water of a cell that is no spring by units that it holds.
    fn take_down(&mut self, place: Place, units: u8) {
        let voxel = self.store.read(place);
        let left = voxel.with_height(voxel.height() - units);
        if left.height() == 0 {
            self.forget(place);
            self.replace(place, Voxel::OPEN);
        } else {
            self.replace(place, left);
        }
    }

    /// Enters units as given by the sea and removed.
    fn take_from_sea(&mut self, units: u32) {
        self.ledger.removed += u64::from(units);
        self.ledger.from_sea += u64::from(units);
    }

    /// Makes every cell of a region solid, sources and sea included. Returns the units removed for
    /// lack of room.
    ///
    /// Water is pushed out of the region and to the nearest room, as by
    /// [`set_solid`](WaterWorld::set_solid). Wet cells that touch are pushed out together, and at
    /// most 64 cells are looked at for each wet cell of the region, or 16,384 if that is more.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds.
    pub fn fill_solid(&mut self, region: Region) -> Result<u64, EditError> {
        self.fill(region, Voxel::SOLID)
    }

    /// Makes every cell of a region open, with still water of `height` units (0 for dry); replaces
    /// ground, sources and sea. The old water counts as removed, the new as placed. Returns the
    /// units removed.
    ///
    /// # Errors
    /// The height is above 7, or a cell of the region is not loaded or out of bounds.
    pub fn fill_water(&mut self, region: Region, height: u8) -> Result<u64, EditError> {
        let cell = WaterCell::with_height(height).map_err(|_| EditError::Height(height))?;
        self.fill(region, Voxel::water(cell))
    }

    fn fill(&mut self, region: Region, voxel: Voxel) -> Result<u64, EditError> {
        self.make_queued_edits();
        self.check_loaded(region)?;
        self.finish_tick();
        let (mut removed, mut displaced) = (0, Vec::new());
        for cell in region.positions() {
            let place = self.place(cell)?;
            let old = self.store.read(place);
            if !voxel.is_solid() {
                removed += u64::from(old.height());
            } else if old.is_wet() {
                displaced.push((place, old.height()));
            }
            self.ledger.placed += u64::from(voxel.height());
            if old == voxel {
                continue;
            }
            if !old.is_solid() {
                self.forget(place);
            }
            self.replace(place, voxel);
        }
        self.ledger.removed += removed;
        Ok(removed + self.displace(&displaced).1)
    }

    /// Loads a chunk at a chunk position. Its water counts as placed, and its cells with water or
    /// flow wake, as do those around it: across its six faces, and beside the cells above it.
    ///
    /// The chunk may come from any world. Cells out of bounds are ignored. Directions that lead
    /// nowhere or in a circle are cleared, as are parents beyond the first. Each cell's
    /// [`largest`](WaterCell::largest) is lowered to this world's throughput if it is above.
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

    /// Refuses positions at which a chunk is loaded, that come twice, or that lie out of bounds.
    fn check_vacant(&self, positions: impl Iterator<Item = ChunkPos>) -> Result<(), EditError> {
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
    fn load(&mut self, position: ChunkPos, chunk: Chunk<Voxel>) -> Result<Slot, EditError> {
        let slot = self
            .store
            .insert(position, self.admit(chunk))
            .ok_or(EditError::ChunkOutOfBounds(position))?;
        self.tick_state.ageing.enter(&self.store, slot);
        self.tick_state.evaporation.enter(self.store.grid(), slot);
        Ok(slot)
    }

    /// Wakes what lies around chunks, and removes them. Returns them in the same order. The caller
    /// cuts the ties to them and enters them in the ledger.
    fn unload(&mut self, slots: &[Slot]) -> Vec<Chunk<Voxel>> {
        slots.iter().for_each(|&slot| self.store.wake_around(slot));
        let across = |slot: Slot| Face::ALL.map(|face| self.store.across(slot, face));
        let mut beside: Vec<Slot> = slots.iter().flat_map(|&slot| across(slot)).collect();
        let leaving: HashSet<Slot> = slots.iter().copied().collect();
        beside.retain(|there| there.is_some() && !leaving.contains(there));
        let mut chunks = Vec::with_capacity(slots.len());
        for &slot in slots {
            self.scratch.forget(slot);
            self.tick_state.pools.forget(slot);
            self.tick_state.ageing.forget(slot);
            chunks.extend(self.store.remove(self.store.grid().position_at(slot)));
        }
        // The sea may continue where the chunks were.
        beside.into_iter().for_each(|there| self.store.wake_coast(there));
        chunks
    }

    /// Returns the chunk with words that this world can hold.
    fn admit(&self, mut chunk: Chunk<Voxel>) -> Chunk<Voxel> {
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
        self.thaw_slots(&[slot]);
        self.store.detach(&[slot]);
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

    /// Writes a voxel, marks it changed, and wakes the cells that the change can set in motion.
    fn replace(&mut self, place: Place, voxel: Voxel) {
        let was_sea = self.store.read(place).is_sea();
        self.store.write(place, voxel);
        if was_sea != voxel.is_sea() {
            self.store.note_sea(place);
        }
        self.store.note_change(place);
    }

    /// Removes a cell from the sources, and cuts it from its parents and children, before it is
    /// replaced.
    fn forget(&mut self, place: Place) {
        self.store.note_source(place, false);
        self.store.cut_ties(place);
    }

    fn check_loaded(&self, region: Region) -> Result<(), EditError> {
        for corner in [region.min(), region.max()] {
            if !self.store.bounds().contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        match Cube::chunks_of(region).find(|&chunk| self.store.grid().slot(chunk).is_none()) {
            Some(chunk) => Err(EditError::NotLoaded(Cube::cell_at(chunk, 0).max(region.min()))),
            None => Ok(()),
        }
    }

    pub(crate) fn place(&self, cell: IVec3) -> Result<Place, EditError> {
        if !self.store.bounds().contains(cell) {
            return Err(EditError::OutOfBounds(cell));
        }
        let slot =
            self.store.grid().slot(Cube::chunk_of(cell)).ok_or(EditError::NotLoaded(cell))?;
        Ok(Place::new(slot, Cube::index_of(cell)))
    }

    /// Returns the place of a cell to edit, after completing a tick underway.
    fn place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        let place = self.place(cell)?;
        self.finish_tick();
        Ok(place)
    }

    /// Like [`place_to_edit`](Self::place_to_edit), for a cell that must not be solid.
    fn open_place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        if self.store.read(self.place(cell)?).is_solid() {
            Err(EditError::Solid(cell))
        } else {
            self.place_to_edit(cell)
        }
    }
}
