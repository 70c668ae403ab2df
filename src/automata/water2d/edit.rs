//! Edits between steps: ground, units poured and scooped, regions, whole chunks. A refused edit
//! changes nothing.

use super::cell::{Cell, MAX_LEVEL};
use super::{Edit, Ledger, Water2dWorld};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion, Face, Region, Shape, Sheet};
use crate::grid::Slot;
use crate::simulation::Displaced;
use core::fmt;
use glam::IVec3;
use hashbrown::HashSet;
use smallvec::SmallVec;

/// A cell's place: its chunk's slot, and its index there.
type Place = (Slot, usize);

/// The effect of an edit on the cells of a world, or of a part of a divided world.
#[derive(Default)]
pub(super) struct Effect {
    /// Regions to fill, each with the new cell.
    pub(super) writes: SmallVec<[(Region, Cell); 5]>,
    /// The units posted to the ledger as placed.
    pub(super) placed: u64,
    /// The units posted to the ledger as removed.
    pub(super) removed: u64,
}

impl Effect {
    /// Returns the effect of writing a cell.
    fn of_write(at: IVec3, cell: Cell) -> Effect {
        Effect { writes: SmallVec::from_iter([(Region::cell(at), cell)]), ..Effect::default() }
    }
}

/// Why an edit was refused. The edit changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum EditError {
    /// The cell's chunk is not loaded.
    NotLoaded(IVec3),
    /// The cell lies beyond the world's bounds.
    OutOfBounds(IVec3),
    /// The cell is solid ground.
    Solid(IVec3),
    /// There is a chunk at this chunk position already.
    ChunkPresent(ChunkPos),
    /// There is no chunk at this chunk position.
    ChunkAbsent(ChunkPos),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(ChunkPos),
    /// A level above [`MAX_LEVEL`].
    Level {
        /// The cell that would have the level, or the first cell of a region.
        cell: IVec3,
        /// The refused level, in units.
        level: u64,
    },
    /// The units ever placed, or removed with chunks, would exceed the ledger's 64 bits.
    LedgerFull {
        /// The units to be placed or removed.
        units: u64,
    },
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
            EditError::Level { cell, level } => {
                write!(f, "a level of {level} in cell {cell}, above {MAX_LEVEL}")
            }
            EditError::LedgerFull { units } => {
                write!(f, "{units} units more would overflow the ledger")
            }
        }
    }
}

impl core::error::Error for EditError {}

impl Water2dWorld {
    /// Makes a cell solid. Its water moves to open neighbours, up to [`MAX_LEVEL`] each: up first,
    /// then west, east and down. In full cells the water becomes pressure. Water without room
    /// leaves the world.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or the ledger is full.
    pub fn set_solid(&mut self, cell: IVec3) -> Result<Displaced, EditError> {
        let level = u64::from(self.level(cell));
        let removed = self.edit_cells(&Edit::SetSolid(cell))?.removed;
        Ok(Displaced { moved: (level - removed) as u32, removed: removed as u32 })
    }

    /// Makes a solid cell open and dry; returns `false` if it was open already.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.edit_cells(&Edit::ClearSolid(cell)).map(|effect| !effect.writes.is_empty())
    }

    /// Pours all of `units` into a cell, even beyond its capacity, and returns the cell's new
    /// level.
    ///
    /// # Errors
    /// The cell would have a level above [`MAX_LEVEL`]; the cell is solid, not loaded or out of
    /// bounds; or the ledger is full.
    ///
    /// ```
    /// use floodplain::water2d::{Cell, EditError, MAX_LEVEL, Rules, Water2dWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    /// let mut world = Water2dWorld::new(0, Rules::default())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR))?;
    /// assert_eq!(world.pour(IVec3::ZERO, 250), Ok(250));
    /// let refused = EditError::Level { cell: IVec3::ZERO, level: 1_000_250 };
    /// assert_eq!(world.pour(IVec3::ZERO, MAX_LEVEL), Err(refused));
    /// assert_eq!(world.total(), 250);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.edit_cells(&Edit::Pour { cell, units }).map(|_| self.level(cell))
    }

    /// Removes up to `units` from a cell. Returns how many were removed.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds, or the ledger is full.
    pub fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.edit_cells(&Edit::Scoop { cell, units }).map(|effect| effect.removed as u32)
    }

    /// Makes every cell of a region solid, without moving water to neighbours. The ledger counts
    /// the water in the region as removed. Returns the units of that water.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds, or the ledger is full.
    pub fn fill_solid(&mut self, region: Region) -> Result<u64, EditError> {
        self.edit_cells(&Edit::FillSolid(region)).map(|effect| effect.removed)
    }

    /// Makes every cell of a region open with this level (0 for air), ground included. The ledger
    /// counts the old water as removed and the new water as placed. Returns the old water's units.
    ///
    /// # Errors
    /// The level is above [`MAX_LEVEL`], a cell of the region is not loaded or out of bounds, or
    /// the ledger is full.
    pub fn fill_water(&mut self, region: Region, level: u32) -> Result<u64, EditError> {
        self.edit_cells(&Edit::FillWater { region, level }).map(|effect| effect.removed)
    }

    /// Makes an edit of cells. In a part of a divided world, edits only the part's own cells.
    fn edit_cells(&mut self, edit: &Edit) -> Result<Effect, EditError> {
        let effect = self.effect_of(edit)?;
        self.ledger = self.ledger_with(effect.placed, effect.removed)?;
        for &(region, cell) in &effect.writes {
            match region.min() == region.max() {
                true => self.write(region.min(), cell),
                false => {
                    for slot in self.own_slots(region) {
                        self.fill_in_chunk(slot, region, cell);
                    }
                }
            }
        }
        Ok(effect)
    }

    /// Writes a cell, unless it is in a ghost. If the cell changes, marks it and wakes its chunk.
    fn write(&mut self, at: IVec3, cell: Cell) {
        let own = |slot: &Slot| !self.cells.is_ghost_at(*slot);
        let Some(slot) = self.cells.slot(Sheet::chunk_of(at)).filter(own) else { return };
        let index = Sheet::index_of(at);
        if self.cells.chunk_at_mut(slot).set(index, cell) != cell {
            let mut changed = CellMask::EMPTY;
            changed.insert(index);
            self.record(slot, &changed);
        }
    }

    /// Checks an edit of cells, except for room in the ledger, and returns its effect. In a part of
    /// a divided world, cells of other parts are neither checked nor counted: their owners do that.
    pub(super) fn effect_of(&self, edit: &Edit) -> Result<Effect, EditError> {
        match *edit {
            Edit::SetSolid(cell) => self.effect_of_solid(cell),
            Edit::ClearSolid(cell) => match self.own_cell(cell)? {
                Some(Cell::SOLID) => Ok(Effect::of_write(cell, Cell::AIR)),
                _ => Ok(Effect::default()),
            },
            Edit::Pour { cell, units } => {
                let Some(level) = self.own_level(cell)? else { return Ok(Effect::default()) };
                let poured = water(cell, u64::from(level) + u64::from(units))?;
                Ok(Effect { placed: units.into(), ..Effect::of_write(cell, poured) })
            }
            Edit::Scoop { cell, units } => {
                let Some(level) = self.own_level(cell)? else { return Ok(Effect::default()) };
                let scooped = units.min(level);
                let left = Cell((level - scooped) as i32);
                Ok(Effect { removed: scooped.into(), ..Effect::of_write(cell, left) })
            }
            Edit::FillSolid(region) => self.effect_of_fill(region, Cell::SOLID),
            Edit::FillWater { region, level } => {
                self.effect_of_fill(region, water(region.min(), level.into())?)
            }
            Edit::InsertChunk { .. }
            | Edit::InsertChunks(_)
            | Edit::RemoveChunk(_)
            | Edit::WakeAll => Ok(Effect::default()),
        }
    }

    /// Returns the effect of a cell that becomes solid: its water moves to open neighbours.
    fn effect_of_solid(&self, cell: IVec3) -> Result<Effect, EditError> {
        let is_foreign = self.cells.is_foreign(Sheet::chunk_of(cell));
        let place = match self.place(cell) {
            Err(EditError::NotLoaded(_)) if is_foreign => return Ok(Effect::default()),
            place => place?,
        };
        let mut effect = Effect::of_write(cell, Cell::SOLID);
        let mut left = self.read(place).level();
        for there in [Face::Up, Face::West, Face::East, Face::Down].map(|face| face.step(cell)) {
            let open = there.and_then(|there| Some((there, self.cell(there)?)));
            let Some((there, old)) = open.filter(|(_, old)| !old.is_solid()) else { continue };
            let units = left.min(MAX_LEVEL - old.level());
            effect.writes.push((Region::cell(there), Cell((old.level() + units) as i32)));
            left -= units;
        }
        // Units removed from a ghost are posted to the ledger of its owner.
        effect.removed = if is_foreign { 0 } else { left.into() };
        Ok(effect)
    }

    fn effect_of_fill(&self, region: Region, cell: Cell) -> Result<Effect, EditError> {
        self.check_loaded(region)?;
        let [placed, removed] = self.units_of_fill(&self.own_slots(region), region, cell);
        Ok(Effect { writes: SmallVec::from_iter([(region, cell)]), placed, removed })
    }

    /// Returns the units that enter and leave these chunks if the cells of a region become `cell`.
    /// The sums do not overflow, as there are fewer than 2⁴⁴ loaded cells.
    fn units_of_fill(&self, slots: &[Slot], region: Region, cell: Cell) -> [u64; 2] {
        let (mut placed, mut removed) = (0, 0);
        for &slot in slots {
            let whole = Sheet::region_of(self.cells.position_at(slot));
            let Some(cover) = whole.intersection(&region) else { continue };
            placed += cover.volume() as u64 * u64::from(cell.level());
            removed += match cover == whole {
                true => units_in(self.cells.chunk_at(slot)),
                false => cover
                    .positions()
                    .map(|at| u64::from(self.read((slot, Sheet::index_of(at))).level()))
                    .sum(),
            };
        }
        [placed, removed]
    }

    /// Returns the cells of a region in a chunk that differ from `cell`.
    pub(super) fn others_in(&self, slot: Slot, region: Region, cell: Cell) -> CellMask {
        let whole = Sheet::region_of(self.cells.position_at(slot));
        let cells = whole.intersection(&region).into_iter().flat_map(Region::positions);
        let mut others = CellMask::EMPTY;
        for index in cells.map(Sheet::index_of) {
            others.set(index, self.read((slot, index)) != cell);
        }
        others
    }

    /// Fills the cells of a region in a chunk.
    fn fill_in_chunk(&mut self, slot: Slot, region: Region, cell: Cell) {
        let changed = self.others_in(slot, region, cell);
        let whole = Sheet::region_of(self.cells.position_at(slot));
        if whole.intersection(&region) == Some(whole) {
            self.cells.chunk_at_mut(slot).fill(cell);
        } else {
            for index in changed.iter() {
                self.cells.chunk_at_mut(slot).set(index, cell);
            }
        }
        self.record(slot, &changed);
    }

    /// Loads a chunk, and wakes it and the chunks around it. The ledger counts its water as placed.
    /// Cells beyond the bounds become ground.
    ///
    /// # Errors
    /// There is a chunk already, the chunk lies outside the world, or the ledger is full.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        chunk: Chunk<Cell>,
    ) -> Result<(), EditError> {
        self.insert_chunks([(position, chunk)])
    }

    /// Loads many chunks at once, as [`insert_chunk`](Water2dWorld::insert_chunk) does one chunk.
    ///
    /// # Errors
    /// One of the chunks is loaded already, occurs twice in the list, or lies outside the world, or
    /// the ledger is full. Then no chunk is loaded.
    pub fn insert_chunks(
        &mut self,
        chunks: impl IntoIterator<Item = (ChunkPos, Chunk<Cell>)>,
    ) -> Result<(), EditError> {
        let mut seen = HashSet::new();
        let mut units = 0u64;
        let mut trimmed = Vec::new();
        for (position, chunk) in chunks {
            if self.cells.slot(position).is_some() || !seen.insert(position) {
                return Err(EditError::ChunkPresent(position));
            }
            let inside = || self.bounds.intersection(&Sheet::region_of(position)).is_some();
            if !Sheet::holds_chunk(position) || !inside() {
                return Err(EditError::ChunkOutOfBounds(position));
            }
            let chunk = self.trim(position, chunk);
            units = units.saturating_add(units_in(&chunk));
            trimmed.push((position, chunk));
        }
        self.ledger = self.ledger_with(units, 0)?;
        self.kernel.drop_ahead();
        for (position, chunk) in trimmed {
            // The range of the position was checked above.
            if self.cells.insert(position, chunk).is_ok()
                && let Some(slot) = self.cells.slot(position)
            {
                self.wake_timers.touch(&mut self.cells, slot, &CellMask::FULL);
            }
        }
        Ok(())
    }

    /// Unloads a chunk and returns it. The ledger counts its water as removed.
    ///
    /// # Errors
    /// There is no such chunk, or the ledger is full.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<Chunk<Cell>, EditError> {
        let absent = EditError::ChunkAbsent(position);
        let slot = self.cells.slot(position).ok_or(absent)?;
        let units = units_in(self.cells.chunk_at(slot));
        let ledger = self.ledger_with(0, units)?;
        let chunk = self.cells.remove(position).ok_or(absent)?;
        self.kernel.drop_ahead();
        self.ledger = ledger;
        self.wake_timers.wake_around(&mut self.cells, position);
        Ok(chunk)
    }

    /// Wakes every chunk. Has no other effect: a world with sleeping chunks equals one that never
    /// slept.
    pub fn wake_all(&mut self) {
        for slot in self.cells.sorted_slots() {
            self.wake_timers.wake(&mut self.cells, slot);
        }
    }

    fn read(&self, (slot, index): Place) -> Cell {
        self.cells.chunk_at(slot).get(index)
    }

    fn record(&mut self, slot: Slot, changed: &CellMask) {
        if !changed.is_empty() {
            self.kernel.drop_ahead();
            self.cells.mark_changes_at(slot, changed);
            self.wake_timers.touch(&mut self.cells, slot, changed);
        }
    }

    /// Returns the ledger after these units have entered and left.
    ///
    /// # Errors
    /// The ledger has no room for the units.
    pub(super) fn ledger_with(&self, placed: u64, removed: u64) -> Result<Ledger, EditError> {
        let sum =
            |sum: u64, units: u64| sum.checked_add(units).ok_or(EditError::LedgerFull { units });
        let Ledger { placed: all_placed, removed: all_removed } = self.ledger;
        Ok(Ledger { placed: sum(all_placed, placed)?, removed: sum(all_removed, removed)? })
    }

    /// Turns a chunk's cells beyond the bounds into ground.
    fn trim(&self, position: ChunkPos, mut chunk: Chunk<Cell>) -> Chunk<Cell> {
        let whole = Sheet::region_of(position);
        if self.bounds.intersection(&whole) != Some(whole) {
            for (index, cell) in chunk.cells_mut().iter_mut().enumerate() {
                if !self.bounds.contains(Sheet::cell_at(position, index)) {
                    *cell = Cell::SOLID;
                }
            }
        }
        chunk.canonicalize();
        chunk
    }

    /// Checks that a region is in the world and its chunks are loaded. In a part of a divided world
    /// only the part's own chunks must be loaded.
    fn check_loaded(&self, region: Region) -> Result<(), EditError> {
        for corner in [region.min(), region.max()] {
            if !self.bounds.contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        match self.cells.first_absent_in(region) {
            Some(chunk) => Err(EditError::NotLoaded(Sheet::cell_at(chunk, 0).max(region.min()))),
            None => Ok(()),
        }
    }

    /// Returns the slots of a region's loaded chunks, without ghosts.
    pub(super) fn own_slots(&self, region: Region) -> Vec<Slot> {
        let mut slots = self.cells.slots_in(ChunkRegion::of::<Sheet>(region));
        slots.retain(|&slot| !self.cells.is_ghost_at(slot));
        slots
    }

    pub(super) fn place(&self, cell: IVec3) -> Result<Place, EditError> {
        if !self.bounds.contains(cell) {
            return Err(EditError::OutOfBounds(cell));
        }
        let slot = self.cells.slot(Sheet::chunk_of(cell)).ok_or(EditError::NotLoaded(cell))?;
        Ok((slot, Sheet::index_of(cell)))
    }

    /// Returns a cell to edit; `None` if it is in a column of another part.
    fn own_cell(&self, cell: IVec3) -> Result<Option<Cell>, EditError> {
        let is_own = !self.cells.is_foreign(Sheet::chunk_of(cell));
        match self.place(cell) {
            Err(EditError::NotLoaded(_)) if !is_own => Ok(None),
            place => place.map(|place| is_own.then(|| self.read(place))),
        }
    }

    /// Returns the level of a cell to edit, which has to be open; `None` if it is in a column of
    /// another part.
    fn own_level(&self, cell: IVec3) -> Result<Option<u32>, EditError> {
        match self.own_cell(cell)? {
            Some(Cell::SOLID) => Err(EditError::Solid(cell)),
            own => Ok(own.map(Cell::level)),
        }
    }
}

/// Returns an open cell with this level.
fn water(cell: IVec3, level: u64) -> Result<Cell, EditError> {
    let water = u32::try_from(level).ok().and_then(Cell::water);
    water.ok_or(EditError::Level { cell, level })
}

/// Returns the units of water in a chunk.
pub(super) fn units_in(chunk: &Chunk<Cell>) -> u64 {
    match chunk.as_dense() {
        Some(cells) => cells.iter().map(|cell| u64::from(cell.level())).sum(),
        None => u64::from(chunk.get(0).level()) * CHUNK_CELLS as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water2d::Rules;

    #[test]
    fn edits_that_would_overflow_the_ledger_are_refused() {
        let mut world = Water2dWorld::new(0, Rules::default()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
        world.ledger = Ledger { placed: u64::MAX - 99, removed: u64::MAX - 99 };
        let refused = Err(EditError::LedgerFull { units: 100 });
        assert_eq!(world.pour(IVec3::ZERO, 100), refused);
        assert_eq!(world.fill_water(Region::cell(IVec3::ZERO), 100).map(|_| 100), refused);
        let full = || Chunk::uniform(Cell(100));
        assert!(matches!(
            world.insert_chunk(ChunkPos::new(1, 0, 0), full()),
            Err(EditError::LedgerFull { units: 409_600 })
        ));
        assert_eq!((world.total(), world.chunks().count(), world.level(IVec3::ZERO)), (0, 1, 0));
        assert_eq!(world.pour(IVec3::ZERO, 99), Ok(99));
        assert_eq!(world.validate(), Ok(()));
        world.ledger.removed = u64::MAX - 98;
        let full = Err(EditError::LedgerFull { units: 99 });
        assert_eq!(world.remove_chunk(ChunkPos::ZERO).map(|_| ()), full);
        assert_eq!((world.level(IVec3::ZERO), world.ledger.removed), (99, u64::MAX - 98));
    }

    /// Scooping, making solid and filling once added to the ledger's `removed` without a check.
    #[test]
    fn edits_that_would_overflow_the_removed_units_are_refused() {
        let [pit, beside] = [IVec3::ZERO, IVec3::new(1, 0, 0)];
        let mut world = Water2dWorld::new(0, Rules::default()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::SOLID)).unwrap();
        world.fill_water(Region::cell(pit), 100).unwrap();
        world.ledger = Ledger { placed: u64::MAX, removed: u64::MAX - 99 };
        let before = world.state_hash();
        let refused = EditError::LedgerFull { units: 100 };
        assert_eq!(world.scoop(pit, 100), Err(refused));
        assert_eq!(world.set_solid(pit), Err(refused), "there is no room beside it");
        assert_eq!(world.fill_solid(Region::new(pit, beside)), Err(refused));
        assert_eq!(world.fill_water(Region::new(pit, beside), 0), Err(refused));
        assert_eq!((world.state_hash(), world.ledger.removed), (before, u64::MAX - 99));
        assert_eq!(world.scoop(pit, 99), Ok(99));
        assert_eq!((world.level(pit), world.ledger.removed), (1, u64::MAX));
        world.ledger.removed = u64::MAX - 1;
        assert_eq!(world.set_solid(pit), Ok(Displaced { moved: 0, removed: 1 }));
    }
}
