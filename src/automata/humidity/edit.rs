//! Edits between steps: humidity, ground, rain, regions, whole chunks. A refused edit changes
//! nothing.

use super::cell::{Cell, Ground, MOST_HUMIDITY, ROCK, ROCK_FROM, SOIL};
use super::plane::Plane;
use super::stirred::RowMask;
use super::sweep::Sweep;
use super::{Edit, HumidityShape, HumidityWorld};
use crate::automata::engine::changes::faces_touched;
use crate::automata::engine::front::wake_around;
use crate::automata::humidity::step::still::wake_across;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion, Face, Region};
use crate::grid::Slot;
use core::fmt;
use glam::IVec3;

/// Why an edit was refused. The edit changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum EditError {
    /// The cell's chunk is not loaded.
    NotLoaded(IVec3),
    /// The cell lies beyond the world's bounds.
    OutOfBounds(IVec3),
    /// There is a chunk at this chunk position already.
    ChunkPresent(ChunkPos),
    /// There is no chunk at this chunk position.
    ChunkAbsent(ChunkPos),
    /// The chunk at this chunk position would hold no cell inside the world's bounds.
    ChunkOutOfBounds(ChunkPos),
    /// A humidity that is not a number from 0 to [`MOST_HUMIDITY`].
    Humidity {
        /// The cell.
        cell: IVec3,
        /// The refused value.
        value: f64,
    },
    /// An impermeability that neither soil nor rock can have.
    Impermeability {
        /// The cell.
        cell: IVec3,
        /// The refused value.
        value: f32,
        /// The least impermeability that the rules allow.
        least: f32,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NotLoaded(cell) => write!(f, "the chunk of cell {cell} is not loaded"),
            EditError::OutOfBounds(cell) => write!(f, "cell {cell} lies beyond the world's bounds"),
            EditError::ChunkPresent(chunk) => write!(f, "chunk {chunk} is loaded already"),
            EditError::ChunkAbsent(chunk) => write!(f, "chunk {chunk} is not loaded"),
            EditError::ChunkOutOfBounds(chunk) => {
                write!(f, "chunk {chunk} lies beyond the world's bounds")
            }
            EditError::Humidity { cell, value } => {
                write!(f, "a humidity of {value} in cell {cell}, not 0 to {MOST_HUMIDITY}")
            }
            EditError::Impermeability { cell, value, least } => {
                let most = SOIL.end();
                write!(
                    f,
                    "an impermeability of {value} in cell {cell}, neither {least} to {most:e} nor \
                     that of rock"
                )
            }
        }
    }
}

impl core::error::Error for EditError {}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Sets a cell's humidity, which may be above the cap. Rain keeps the new humidity from then
    /// on. Returns the old humidity.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or the humidity is not a number from 0 to
    /// [`MOST_HUMIDITY`].
    pub fn set_humidity(&mut self, cell: IVec3, humidity: f64) -> Result<f64, EditError> {
        let edit = Edit::SetHumidity { cell, humidity };
        self.edit_cells(Region::cell(cell), &edit).map(|old| old.humidity)
    }

    /// Sets a cell's impermeability and keeps its humidity. Returns the old impermeability.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or the rules do not allow the impermeability.
    pub fn set_impermeability(
        &mut self,
        cell: IVec3,
        impermeability: f32,
    ) -> Result<f32, EditError> {
        let edit = Edit::SetImpermeability { cell, impermeability };
        self.edit_cells(Region::cell(cell), &edit).map(|old| old.impermeability)
    }

    /// Makes a cell rock. The cell keeps its humidity, and its rain ends. Returns `false` if it was
    /// rock already.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn set_rock(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.edit_cells(Region::cell(cell), &Edit::SetRock(cell)).map(|old| !old.is_rock())
    }

    /// Makes a cell a source with this humidity, and keeps its ground. Rain on rock has no effect.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or the humidity is not a number from 0 to
    /// [`MOST_HUMIDITY`].
    pub fn set_rain(&mut self, cell: IVec3, humidity: f64) -> Result<(), EditError> {
        self.edit_cells(Region::cell(cell), &Edit::SetRain { cell, humidity }).map(drop)
    }

    /// Makes a rain cell an ordinary one, and keeps its humidity. Returns `false` if it was not
    /// rain.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_rain(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.edit_cells(Region::cell(cell), &Edit::ClearRain(cell)).map(|old| old.rain)
    }

    /// Writes a cell. Returns the old cell.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or a value is out of range.
    pub fn set_cell(&mut self, cell: IVec3, value: Cell) -> Result<Cell, EditError> {
        self.edit_cells(Region::cell(cell), &Edit::SetCell { cell, value })
    }

    /// Writes every cell of a region.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds, or a value is out of range.
    pub fn fill_cells(&mut self, region: Region, value: Cell) -> Result<(), EditError> {
        self.edit_cells(region, &Edit::FillCells { region, value }).map(drop)
    }

    /// Makes an edit of the cells of a region. In a part of a divided world, edits only the cells
    /// in the part's own chunks and in its ghosts. Returns the first edited cell as it was before.
    fn edit_cells(&mut self, region: Region, edit: &Edit) -> Result<Cell, EditError> {
        self.check_edit(region, edit)?;
        let mut first = None;
        for slot in self.store.moisture.slots_and_ghosts_in(ChunkRegion::of::<S>(region)) {
            let chunk = self.store.moisture.position_at(slot);
            let Some(old) = self.cell(first_in::<S>(chunk, region)) else { continue };
            let new = written(edit, old);
            let (word, ground) = (self.store.sweep.word_of(new.humidity), Ground::of(new));
            self.fill_in_chunk(slot, region, word, ground);
            first.get_or_insert(old);
        }
        first.ok_or(EditError::NotLoaded(region.min()))
    }

    /// Checks an edit of the cells of a region, and that the region's chunks are loaded; in a part
    /// of a divided world, that its own chunks in the region are.
    pub(super) fn check_edit(&self, region: Region, edit: &Edit) -> Result<(), EditError> {
        for corner in [region.min(), region.max()] {
            if !self.store.bounds.contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        if let Some(chunk) = self.store.moisture.first_absent_in(region) {
            return Err(EditError::NotLoaded(first_in::<S>(chunk, region)));
        }
        // Whatever cell is there, the values that the edit keeps are in range.
        let any = Cell::soil(0.0, *SOIL.end());
        self.check_cell(region.min(), written(edit, any))
    }

    /// Writes the cells of a region in one chunk. The cells of a ghost are posted only to the
    /// ledger of the part that owns it.
    fn fill_in_chunk(&mut self, slot: Slot, region: Region, word: u32, ground: Ground) {
        let is_ghost = self.store.moisture.is_ghost_at(slot);
        let whole = S::region_of(self.store.moisture.position_at(slot));
        let mut changed = CellMask::EMPTY;
        let mut new_ground = false;
        for cell in whole.intersection(&region).into_iter().flat_map(Region::positions) {
            let index = S::index_of(cell);
            let old_ground = self.store.ground_of(slot, index);
            let old = self.store.moisture.chunk_at_mut(slot).set(index, word);
            if (old, old_ground) != (word, ground) {
                self.store.set_ground(slot, index, ground);
                changed.insert(index);
                new_ground |= old_ground != ground;
                if !is_ghost {
                    self.record(old, word);
                }
            }
        }
        if !changed.is_empty() {
            let (rows, touched) = (RowMask::of(&changed), faces_touched::<S>(&changed));
            self.kernel.note_moisture(&self.store, slot, rows, touched);
            self.store.moisture.mark_changes_at(slot, &changed);
            wake_around(&mut self.store.moisture, slot, touched);
            if new_ground {
                self.kernel.note_ground(slot, rows);
                let neighbours = self.store.moisture.neighbours_of(slot);
                for face in Face::ALL.into_iter().filter(|face| touched[face.index()]) {
                    self.kernel.note_ground_behind(neighbours[face.index()], face.opposite());
                }
            }
        }
    }

    /// Loads a chunk, and wakes it and the neighbours with which it exchanges humidity. Cells
    /// beyond the bounds are ignored.
    ///
    /// # Errors
    /// There is a chunk already, the chunk lies outside the world, or a value is out of range.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        chunk: Chunk<Cell>,
    ) -> Result<(), EditError> {
        if self.store.moisture.slot(position).is_some() {
            return Err(EditError::ChunkPresent(position));
        }
        let outside = EditError::ChunkOutOfBounds(position);
        if !S::holds_chunk(position)
            || self.store.bounds.intersection(&S::region_of(position)).is_none()
        {
            return Err(outside);
        }
        let (moisture, ground) = self.words_of(position, &chunk)?;
        let ground = self.store.plane_of(ground);
        self.load(position, moisture, ground).ok_or(outside)
    }

    /// Loads a missing chunk. The chunk stays asleep only if steps may leave out rows, the chunk is
    /// dry, and nothing flows across its faces. Returns `None` if its cells have no `i32`
    /// positions.
    pub(super) fn load(
        &mut self,
        position: ChunkPos,
        moisture: Chunk<u32>,
        ground: Plane,
    ) -> Option<()> {
        let rows = wet_rows(&moisture);
        let slot = self.store.insert(position, moisture, ground)?;
        self.kernel.forget(slot);
        // There is no flow between dry cells.
        self.kernel.stirred.note::<S>(slot, Some([rows, RowMask::NONE]));
        let flows = !self.store.is_still(position) && wake_across(self, slot);
        if flows || !rows.is_empty() || !self.kernel.stirred.is_kept {
            self.store.moisture.wake_chunk_at(slot);
        }
        self.record_chunk(slot, |world, units| world.ledger.placed += units);
        Some(())
    }

    /// Unloads a chunk and returns it. Dry rock takes its place. The ledger counts its humidity as
    /// removed.
    ///
    /// # Errors
    /// There is no such chunk.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<Chunk<Cell>, EditError> {
        let (moisture, ground) = self.unload(position).ok_or(EditError::ChunkAbsent(position))?;
        Ok(self.cells_of(&moisture, &ground.words()))
    }

    /// Unloads a chunk and returns its humidity and ground; `None` if it is not loaded.
    pub(super) fn unload(&mut self, position: ChunkPos) -> Option<(Chunk<u32>, Plane)> {
        let slot = self.store.moisture.slot(position)?;
        if !self.store.is_still(position) {
            wake_across(self, slot);
        }
        self.kernel.forget(slot);
        self.record_chunk(slot, |world, units| world.ledger.removed += units);
        self.steady.forget(slot);
        self.store.remove(position)
    }

    /// Wakes every chunk. Has no other effect: a world with sleeping chunks equals one that never
    /// slept.
    pub fn wake_all(&mut self) {
        for slot in self.store.moisture.sorted_slots() {
            self.store.moisture.wake_chunk_at(slot);
        }
        self.kernel.stirred.forget_all();
    }

    /// Returns the words of a chunk's humidity and ground, if all of its cells inside the bounds
    /// are in range.
    fn words_of(
        &self,
        position: ChunkPos,
        chunk: &Chunk<Cell>,
    ) -> Result<(Chunk<u32>, Chunk<u32>), EditError> {
        let bounds = self.store.bounds;
        let region = S::region_of(position);
        let word = |cell: Cell| (self.store.sweep.word_of(cell.humidity), Ground::of(cell).0);
        if let Some(cell) = chunk.as_uniform()
            && bounds.contains(region.min())
            && bounds.contains(region.max())
        {
            self.check_cell(region.min(), cell)?;
            let (word, ground) = word(cell);
            return Ok((Chunk::uniform(word), Chunk::uniform(ground)));
        }
        let mut moisture = Chunk::uniform(self.store.moisture.background());
        let mut ground = Chunk::uniform(Ground::WALL.0);
        let (words, grounds) = (moisture.cells_mut(), ground.cells_mut());
        for index in 0..CHUNK_CELLS {
            let at = S::cell_at(position, index);
            if bounds.contains(at) {
                self.check_cell(at, chunk.get(index))?;
                (words[index], grounds[index]) = word(chunk.get(index));
            } else {
                grounds[index] = self.store.ground_outside(at).0;
            }
        }
        Ok((moisture, ground))
    }

    /// Converts a chunk's words to cells.
    pub(super) fn cells_of(&self, moisture: &Chunk<u32>, ground: &Chunk<u32>) -> Chunk<Cell> {
        let cell = |index| {
            Ground(ground.get(index)).cell(self.store.sweep.humidity_of(moisture.get(index)))
        };
        let mut chunk = Chunk::uniform(cell(0));
        if moisture.as_uniform().is_none() || ground.as_uniform().is_none() {
            chunk.cells_mut().iter_mut().enumerate().for_each(|(index, to)| *to = cell(index));
            chunk.canonicalize();
        }
        chunk
    }

    /// Records an edit of a cell in the ledger.
    fn record(&mut self, old: u32, new: u32) {
        if self.store.sweep == Sweep::Conservative {
            self.ledger.placed += u128::from(new.saturating_sub(old));
            self.ledger.removed += u128::from(old.saturating_sub(new));
        }
    }

    fn record_chunk(&mut self, slot: Slot, record: fn(&mut Self, u128)) {
        if self.store.sweep == Sweep::Conservative {
            let chunk = self.store.moisture.chunk_at(slot);
            record(self, units_in(chunk));
        }
    }

    fn check_cell(&self, at: IVec3, cell: Cell) -> Result<(), EditError> {
        if !(0.0..=MOST_HUMIDITY).contains(&cell.humidity) {
            return Err(EditError::Humidity { cell: at, value: cell.humidity });
        }
        let least = self.rules.least_impermeability;
        let value = cell.impermeability;
        if self.is_ground(value) {
            Ok(())
        } else {
            Err(EditError::Impermeability { cell: at, value, least })
        }
    }

    /// Returns whether a cell can have this impermeability, as soil or as rock.
    pub(super) fn is_ground(&self, impermeability: f32) -> bool {
        let soil = self.rules.least_impermeability..=*SOIL.end();
        soil.contains(&impermeability)
            || (impermeability >= ROCK_FROM && impermeability.is_finite())
    }
}

/// Returns a cell after an edit.
fn written(edit: &Edit, old: Cell) -> Cell {
    match *edit {
        Edit::SetHumidity { humidity, .. } => Cell { humidity, ..old },
        Edit::SetImpermeability { impermeability, .. } => Cell { impermeability, ..old },
        Edit::SetRock(_) => Cell { impermeability: ROCK, rain: false, ..old },
        Edit::SetRain { humidity, .. } => Cell { humidity, rain: true, ..old },
        Edit::ClearRain(_) => Cell { rain: false, ..old },
        Edit::SetCell { value, .. } | Edit::FillCells { value, .. } => value,
        Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => old,
    }
}

/// Returns the first cell of a chunk that is in a region.
fn first_in<S: HumidityShape>(chunk: ChunkPos, region: Region) -> IVec3 {
    S::region_of(chunk).min().max(region.min())
}

/// Returns the rows of a cube that are not dry.
fn wet_rows(moisture: &Chunk<u32>) -> RowMask {
    let Some(words) = moisture.as_dense() else {
        return if moisture.get(0) == 0 { RowMask::NONE } else { RowMask::ALL };
    };
    let mut rows = RowMask::NONE;
    for (number, row) in words.as_chunks::<16>().0.iter().enumerate() {
        if row.iter().fold(0, |any, &word| any | word) != 0 {
            rows.insert(number);
        }
    }
    rows
}

/// Returns the units in a chunk of the conservative sweep.
pub(super) fn units_in(chunk: &Chunk<u32>) -> u128 {
    match chunk.as_dense() {
        None => u128::from(chunk.get(0)) * CHUNK_CELLS as u128,
        Some(words) => u128::from(words.iter().map(|&word| u64::from(word)).sum::<u64>()),
    }
}
