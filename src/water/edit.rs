//! Edits between ticks: ground, sources, units poured and scooped, regions, whole chunks. A refused
//! edit changes nothing.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Cube, Face, Region, Shape};
use crate::grid::Slot;
use crate::water::cell::{CellFlags, WaterCell};
use crate::water::store::{Place, border_cells, units_in};
use crate::water::voxel::Voxel;
use crate::water::{Displaced, WaterWorld};
use core::fmt;
use glam::IVec3;
use hashbrown::HashSet;

/// Why an edit was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The cell's chunk is not loaded.
    NotLoaded(IVec3),
    /// The cell lies beyond the world's bounds.
    OutOfBounds(IVec3),
    /// The cell is solid ground.
    Solid(IVec3),
    /// There is a chunk at this chunk position already.
    ChunkPresent(IVec3),
    /// There is no chunk at this chunk position.
    ChunkAbsent(IVec3),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(IVec3),
    /// Still water has a height of 0 to 7.
    Height(u8),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NotLoaded(cell) => write!(f, "the chunk of cell {cell} is not loaded"),
            EditError::OutOfBounds(cell) => write!(f, "cell {cell} lies beyond the world's bounds"),
            EditError::Solid(cell) => write!(f, "cell {cell} is solid ground"),
            EditError::ChunkPresent(chunk) => write!(f, "chunk {chunk} is loaded already"),
            EditError::ChunkAbsent(chunk) => write!(f, "chunk {chunk} is not loaded"),
            EditError::ChunkOutOfBounds(chunk) => {
                write!(f, "chunk {chunk} lies beyond the world's bounds")
            }
            EditError::Height(height) => write!(f, "a height of {height}, above 7"),
        }
    }
}

impl core::error::Error for EditError {}

impl WaterWorld {
    /// Makes a cell solid. Water in the way goes to open neighbours with room, sides first, then
    /// up, then down; what finds no room leaves the world. A source in the way is gone.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn set_solid(&mut self, cell: IVec3) -> Result<Displaced, EditError> {
        if self.store.read(self.place(cell)?).is_solid() {
            return Ok(Displaced::default());
        }
        let place = self.place_to_edit(cell)?;
        let mut displaced = Displaced::default();
        let voxel = self.store.read(place);
        self.forget(place);
        let mut left = voxel.height();
        self.replace(place, Voxel::SOLID);
        let ways = [Face::West, Face::East, Face::North, Face::South, Face::Up, Face::Down];
        for face in ways {
            let there = self.store.step(place, face);
            if left == 0 {
                break;
            }
            if !there.is_some() || self.store.read(there).is_mark() {
                continue;
            }
            let voxel = self.store.read(there);
            let units = left.min(voxel.room());
            if units > 0 {
                self.replace(there, voxel.with_height(voxel.height() + units));
                left -= units;
                displaced.moved += u32::from(units);
            }
        }
        displaced.removed = u32::from(left);
        self.ledger.removed += u64::from(left);
        Ok(displaced)
    }

    /// Makes a solid cell open and dry; `false` if it was open already.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        if !self.store.read(self.place(cell)?).is_solid() {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        self.replace(place, Voxel::OPEN);
        Ok(true)
    }

    /// Makes a cell a spring and fills it; `false` if it was one already. The filling is entered as
    /// injected.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn add_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        if self.store.read(self.place(cell)?).is_source() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        self.ledger.injected += u64::from(voxel.room());
        self.store.keep_parents(place, 0, voxel);
        self.store.note_source(place, true);
        self.replace(place, Voxel::water(WaterCell::SOURCE));
        Ok(true)
    }

    /// Makes a spring an ordinary full cell, whose water stays; `false` if it was none.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn remove_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        let voxel = self.store.read(self.place(cell)?);
        if !voxel.is_source() && !voxel.is_solid() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        self.store.note_source(place, false);
        self.replace(place, Voxel::water(WaterCell::STILL));
        Ok(true)
    }

    /// Pours up to `units` into a cell and returns how many went in: what had room, 0 to 7.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        let poured = units.min(u32::from(voxel.room()));
        if poured > 0 {
            self.ledger.placed += u64::from(poured);
            self.replace(place, voxel.with_height(voxel.height() + poured as u8));
        }
        Ok(poured)
    }

    /// Takes up to `units` out of a cell and returns how many came out. A source gives without
    /// running dry: what it gives is entered as injected and as removed.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        let scooped = units.min(u32::from(voxel.height()));
        if scooped == 0 {
            return Ok(0);
        }
        self.ledger.removed += u64::from(scooped);
        if voxel.has(CellFlags::IS_SOURCE) {
            self.ledger.injected += u64::from(scooped);
            return Ok(scooped);
        }
        let left = voxel.with_height(voxel.height() - scooped as u8);
        if left.height() == 0 {
            self.forget(place);
            self.replace(place, Voxel::OPEN);
        } else {
            self.replace(place, left);
        }
        Ok(scooped)
    }

    /// Makes every cell of a region solid, without looking for room: the water in it is entered as
    /// removed and returned.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds.
    pub fn fill_solid(&mut self, region: Region) -> Result<u64, EditError> {
        self.fill(region, Voxel::SOLID)
    }

    /// Makes every cell of a region open with still water of this height (0 for dry), ground and
    /// sources included. The water that stood there is entered as removed and returned; the new
    /// water is entered as placed.
    ///
    /// # Errors
    /// A height above 7; a cell of the region is not loaded or out of bounds.
    pub fn fill_water(&mut self, region: Region, height: u8) -> Result<u64, EditError> {
        let cell = WaterCell::with_height(height).map_err(|_| EditError::Height(height))?;
        self.fill(region, Voxel::water(cell))
    }

    fn fill(&mut self, region: Region, voxel: Voxel) -> Result<u64, EditError> {
        self.check_loaded(region)?;
        self.end_tick();
        let mut removed = 0;
        for cell in region.positions() {
            let place = self.place(cell)?;
            let old = self.store.read(place);
            removed += u64::from(old.height());
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
        Ok(removed)
    }

    /// Loads a chunk, of whatever world. Its water is entered as placed; cells beyond the bounds
    /// are ignored; directions that lead nowhere or in a circle are cleared; no cell keeps a
    /// [`largest`](WaterCell::largest) above the throughput here; cells that had run empty in a
    /// tick underway are dry. Everything at its six faces wakes, and what lies beside the cells
    /// above it.
    ///
    /// # Errors
    /// There is a chunk already, or the chunk lies outside the world.
    pub fn insert_chunk(&mut self, position: IVec3, chunk: Chunk<Voxel>) -> Result<(), EditError> {
        self.insert_chunks([(position, chunk)])
    }

    /// Loads many chunks at once, as [`insert_chunk`](WaterWorld::insert_chunk) does one.
    /// Directions that lead from one of them into another are kept, whatever the order.
    ///
    /// # Errors
    /// For one of the chunks: there is one already, here or in the list, or it lies outside the
    /// world. None is loaded.
    pub fn insert_chunks(
        &mut self,
        chunks: impl IntoIterator<Item = (IVec3, Chunk<Voxel>)>,
    ) -> Result<(), EditError> {
        let chunks: Vec<_> = chunks.into_iter().collect();
        let mut seen = HashSet::new();
        for &(position, _) in &chunks {
            if self.store.grid().slot(position).is_some() || !seen.insert(position) {
                return Err(EditError::ChunkPresent(position));
            }
            let inside = || self.store.bounds().intersection(&Cube::region_of(position)).is_some();
            if !Cube::holds_chunk(position) || !inside() {
                return Err(EditError::ChunkOutOfBounds(position));
            }
        }
        self.end_tick();
        let mut slots = Vec::with_capacity(chunks.len());
        for (position, chunk) in chunks {
            let slot = self
                .store
                .insert(position, self.admit(chunk))
                .ok_or(EditError::ChunkOutOfBounds(position))?;
            self.ledger.placed += units_in(self.store.grid().chunk_at(slot));
            slots.push(slot);
        }
        for &slot in &slots {
            self.store.adopt(slot);
        }
        for slot in slots {
            self.store.wake_around(slot);
        }
        Ok(())
    }

    /// A chunk as this world has it between ticks.
    fn admit(&self, mut chunk: Chunk<Voxel>) -> Chunk<Voxel> {
        let throughput = self.rules.throughput;
        let Some(cells) = chunk.as_dense() else {
            return Chunk::uniform(chunk.get(0).between_ticks(throughput));
        };
        if cells.iter().fold(false, |doubtful, voxel| doubtful | voxel.is_doubtful(throughput)) {
            chunk.cells_mut().iter_mut().for_each(|voxel| *voxel = voxel.between_ticks(throughput));
            chunk.canonicalize();
        }
        chunk
    }

    /// Unloads a chunk and returns it. Its water is entered as removed, and what loading it would
    /// wake wakes.
    ///
    /// # Errors
    /// There is no such chunk.
    pub fn remove_chunk(&mut self, position: IVec3) -> Result<Chunk<Voxel>, EditError> {
        let slot = self.store.grid().slot(position).ok_or(EditError::ChunkAbsent(position))?;
        self.end_tick();
        for face in Face::ALL {
            let there = self.store.neighbour(slot, face);
            let inert = |slot: Slot| {
                self.store.grid().chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert)
            };
            if there.is_some() && !inert(there) {
                border_cells(face.opposite())
                    .for_each(|index| self.store.unlink(Place::new(there, index), face.opposite()));
            }
        }
        self.store.wake_around(slot);
        self.work.forget(slot);
        let chunk = self.store.remove(position).ok_or(EditError::ChunkAbsent(position))?;
        self.ledger.removed += units_in(&chunk);
        Ok(chunk)
    }

    /// Wakes every cell with water or flow. Changes nothing else: a sleeping world equals one that
    /// never slept.
    pub fn wake_all(&mut self) {
        self.end_tick();
        for slot in self.store.grid().sorted_slots() {
            if self.store.grid().chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert) {
                continue;
            }
            for index in 0..CHUNK_CELLS {
                self.store.wake(Place { slot, index });
            }
        }
    }

    /// Writes a voxel, marks it changed, and wakes whatever the change may move.
    fn replace(&mut self, place: Place, voxel: Voxel) {
        self.store.write(place, voxel);
        self.store.note_change(place);
    }

    /// Cuts every tie of a cell that is about to change its nature: source, parents, children.
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
        match chunks_of(region).find(|&chunk| self.store.grid().slot(chunk).is_none()) {
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

    /// The place of a cell that is about to be edited, between ticks.
    fn place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        let place = self.place(cell)?;
        self.end_tick();
        Ok(place)
    }

    /// The same for a cell that must not be solid.
    fn open_place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        if self.store.read(self.place(cell)?).is_solid() {
            Err(EditError::Solid(cell))
        } else {
            self.place_to_edit(cell)
        }
    }
}

/// The chunk positions that a region touches, in order.
fn chunks_of(region: Region) -> impl Iterator<Item = IVec3> {
    Region::new(Cube::chunk_of(region.min()), Cube::chunk_of(region.max())).positions()
}
