//! Edits of materials, and how the ground of the parts follows them.
//!
//! | file | what |
//! |---|---|
//! | `content`, `water_table` | the content of a chunk: from heights or a closure, and moist from the start; its checks |
//! | `chunks` | loading and unloading |
//! | `record` | chunks that travel |

mod chunks;
pub(super) mod content;
pub(super) mod record;
mod water_table;

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Region, Shape};
use crate::humidity::{Cell, Plane, UNITS};
use crate::simulation::Displaced;
use crate::world::World;
use crate::world::pressure::follow_in_blast;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::world::rules::palette::Traits;
use crate::world::tick::contacts::note_ground_of_cell;
use crate::world::tick::touched::touch;
use glam::IVec3;

/// The content of a cell before an edit made it another material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Replaced {
    /// The old material.
    pub material: MaterialId,
    /// The water that the new material displaced.
    pub displaced: Displaced,
    /// The moisture lost with soil that is soil no longer, in units of 1/65,536; the ledger of soil
    /// counts it as removed.
    pub moisture: u64,
}

impl World {
    /// Makes a cell another material, in all parts. Returns its old content.
    ///
    /// Water in the way of ground is pushed to the nearest room, as by
    /// [`WaterWorld::set_solid`](crate::water::WaterWorld::set_solid). The moisture of soil stays
    /// if the new material is permeable, and is lost with the old one if not. Pressure in the way
    /// of ground is lost.
    ///
    /// Takes microseconds. The first permeable cell of a chunk loads the chunk in the part of soil,
    /// and removing the last one unloads it.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, or the palette has no such material.
    pub fn set_material(
        &mut self,
        cell: IVec3,
        material: MaterialId,
    ) -> Result<Replaced, EditError> {
        self.settle();
        self.check_material(material)?;
        self.check_loaded(Region::cell(cell))?;
        self.replace(cell, material)
    }

    /// Makes every cell of a region a material, as [`set_material`](World::set_material) does with
    /// a single cell. Water is pushed out of the region, as by
    /// [`WaterWorld::fill_solid`](crate::water::WaterWorld::fill_solid). Returns the units of water
    /// removed for lack of room.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds, or the palette has no such material.
    pub fn fill_material(
        &mut self,
        region: Region,
        material: MaterialId,
    ) -> Result<u64, EditError> {
        self.settle();
        self.check_material(material)?;
        self.check_loaded(region)?;
        // All at once, or water would be pushed into cells that are filled next.
        let solid = self.palette.traits(material).solid;
        let removed = if solid { self.water.fill_solid(region)? } else { 0 };
        for cell in region.positions() {
            self.replace(cell, material)?;
        }
        Ok(removed)
    }

    /// Makes a loaded cell another material, between the ticks of the parts.
    pub(in crate::world) fn replace(
        &mut self,
        cell: IVec3,
        material: MaterialId,
    ) -> Result<Replaced, EditError> {
        let old = self.ground.get(cell);
        let mut replaced = Replaced { material: old, displaced: Displaced::default(), moisture: 0 };
        let traits = self.palette.traits(material);
        if traits.solid {
            replaced.displaced = self.water.set_solid(cell)?;
        } else {
            self.water.clear_solid(cell)?;
        }
        touch(self, Cube::chunk_of(cell));
        if old != material {
            self.ground.set(cell, material);
            _ = self.ground.mark_changed(cell);
            replaced.moisture = self.replace_soil(cell, traits)?;
            note_ground_of_cell(self, cell);
        }
        follow_in_blast(self, cell)?;
        Ok(replaced)
    }

    /// Updates a cell in the part of soil after its material has changed. Returns the moisture
    /// lost.
    fn replace_soil(&mut self, cell: IVec3, traits: Traits) -> Result<u64, EditError> {
        let chunk = Cube::chunk_of(cell);
        let Some(old) = self.soil.cell(cell) else {
            self.load_soil(chunk, None)?;
            return Ok(0);
        };
        if traits.is_permeable() {
            let new = if old.is_rock() { Cell::soil(0.0, 1.0) } else { old };
            let impermeability = traits.impermeability;
            self.soil.set_cell(cell, Cell { impermeability, ..new })?;
            return Ok(0);
        }
        if old != Cell::ROCK {
            self.soil.set_cell(cell, Cell::ROCK)?;
            if !self.has_soil(chunk) {
                self.soil.remove_chunk(chunk)?;
            }
        }
        Ok(units_of(old.humidity))
    }

    /// Loads a chunk into the part of soil, with this moisture, if a cell of its ground is
    /// permeable.
    pub(in crate::world) fn load_soil(
        &mut self,
        chunk: ChunkPos,
        moisture: Option<&Chunk<u32>>,
    ) -> Result<(), EditError> {
        if let (true, Some(ground)) = (self.has_soil(chunk), self.ground.chunk(chunk)) {
            let impermeability = |material| self.palette.traits(material).impermeability;
            let plane = Plane::of(ground, |material| material.0, impermeability);
            let units = moisture.cloned().unwrap_or(Chunk::uniform(0));
            if self.soil.insert_units(chunk, units, plane) {
                return Ok(());
            }
            // The bounds cut the chunk.
            let cell = |index| {
                let impermeability = impermeability(ground.get(index));
                let humidity = moisture.map_or(0.0, |moisture| humidity_of(moisture.get(index)));
                Cell { humidity, impermeability, rain: false }
            };
            let mut cells = Chunk::uniform(cell(0));
            if ground.as_uniform().is_none() || moisture.is_some() {
                let each = cells.cells_mut().iter_mut().enumerate();
                each.for_each(|(index, to)| *to = cell(index));
                cells.canonicalize();
            }
            self.soil.insert_chunk(chunk, cells)?;
        }
        Ok(())
    }

    /// Returns whether a cell of a chunk is permeable.
    pub(in crate::world) fn has_soil(&self, chunk: ChunkPos) -> bool {
        self.has_any(chunk, |traits| traits.is_permeable())
    }

    /// Returns whether a cell of a chunk is solid.
    pub(in crate::world) fn has_solid(&self, chunk: ChunkPos) -> bool {
        self.has_any(chunk, |traits| traits.solid)
    }

    /// Returns whether `is_such` is true of the material of a cell of a chunk. Cells beyond the
    /// bounds, which have the first material, do not count.
    fn has_any(&self, chunk: ChunkPos, is_such: impl Fn(Traits) -> bool) -> bool {
        let Some(ground) = self.ground.chunk(chunk) else { return false };
        if let Some(material) = ground.as_uniform() {
            return is_such(self.palette.traits(material));
        }
        let such: [bool; 256] =
            core::array::from_fn(|id| is_such(self.palette.traits(MaterialId(id as u8))));
        let bounds = self.bounds();
        let counts = |index: usize| {
            such[usize::from(ground.get(index).0)] && bounds.contains(Cube::cell_at(chunk, index))
        };
        (0..CHUNK_CELLS).any(counts)
    }

    pub(in crate::world) fn check_material(&self, material: MaterialId) -> Result<(), EditError> {
        match self.palette.material(material) {
            Some(_) => Ok(()),
            None => Err(EditError::Material(material)),
        }
    }

    pub(in crate::world) fn check_loaded(&self, region: Region) -> Result<(), EditError> {
        for corner in [region.min(), region.max()] {
            if !self.bounds().contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        let mut chunks = Cube::chunks_of(region);
        match chunks.find(|&chunk| self.ground.chunk(chunk).is_none()) {
            Some(chunk) => Err(EditError::NotLoaded(Cube::cell_at(chunk, 0).max(region.min()))),
            None => Ok(()),
        }
    }
}

/// Returns a humidity of the conservative sweep in units, exactly.
pub(in crate::world) fn units_of(humidity: f64) -> u64 {
    (humidity * f64::from(UNITS)) as u64
}

/// Returns the humidity of this number of units, exactly.
pub(in crate::world) fn humidity_of(units: u32) -> f64 {
    f64::from(units) / f64::from(UNITS)
}
