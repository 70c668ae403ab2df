//! Copies of chunks of a world of materials, to be encoded later on another thread. A copy shares
//! its arrays with the world until the world writes them, so that copying takes little time.

use super::blast::put_parts;
use super::humidity::SavedSoil;
use super::marks::{marks_at, put_masks};
use super::materials::put_ground;
use super::water::put_chunk;
use crate::automata::blast::ChunkParts;
use crate::blast::BlastWorld;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{ChunkPos, Cube, Shape};
use crate::grid::{Grid, Slot};
use crate::humidity::{ChunkFlow, HumidityWorld, Plane};
use crate::water::SavedChunk;
use crate::world::{MaterialId, SavedGround, World, restore};

/// A copy of a chunk, which shares its arrays with the world until the world writes them.
pub(crate) struct CopiedMaterials {
    materials: Chunk<MaterialId>,
    changed: Option<Box<CellMask>>,
    is_lent: bool,
    water: SavedChunk,
    soil: Option<CopiedSoil>,
    pressure: Option<Box<CopiedPressure>>,
}

impl CopiedMaterials {
    /// Returns the copy of the chunk at a chunk position, if it is loaded.
    pub(crate) fn of(world: &mut World, position: ChunkPos) -> Option<Box<CopiedMaterials>> {
        restore::share_ground(world, position);
        let SavedGround { materials, changed, is_lent } = restore::saved_ground(world, position)?;
        let (materials, changed) = (materials.clone(), changed.cloned().map(Box::new));
        let (water, soil, blast) = restore::parts_mut(world);
        let slot = water.grid().slot(position)?;
        Some(Box::new(CopiedMaterials {
            materials,
            changed,
            is_lent,
            water: water.copy_chunk(slot),
            soil: CopiedSoil::of(soil, position),
            pressure: CopiedPressure::of(blast, position).map(Box::new),
        }))
    }

    /// Appends the record of the chunk.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let (materials, changed, is_lent) =
            (&self.materials, self.changed.as_deref(), self.is_lent);
        put_ground(&SavedGround { materials, changed, is_lent }, self.pressure.is_some(), out);
        put_chunk(&self.water, out);
        self.soil.iter().for_each(|soil| soil.put(out));
        self.pressure.iter().for_each(|pressure| pressure.put(out));
    }
}

/// A copy of a chunk of soil, which shares its arrays with the world until the world writes them.
struct CopiedSoil {
    moisture: Chunk<u32>,
    ground: Plane,
    marks: Marks,
    flow: ChunkFlow,
}

impl CopiedSoil {
    /// Returns the copy of the chunk at a chunk position, if there is one.
    fn of(soil: &mut HumidityWorld<Cube>, position: ChunkPos) -> Option<CopiedSoil> {
        let slot = soil.grid().slot(position)?;
        soil.share_chunk(slot);
        let (grid, ground) = (soil.grid(), soil.ground_at(slot).clone());
        let marks = Marks::of_both([grid.awake_at(slot), grid.changed_at(slot)]);
        let moisture = grid.chunk_at(slot).clone();
        Some(CopiedSoil { moisture, ground, marks, flow: soil.flow_at(slot) })
    }

    /// Appends the record of the chunk.
    fn put(&self, out: &mut Vec<u8>) {
        let CopiedSoil { moisture, ground, marks, flow } = self;
        let ground = &ground.words();
        SavedSoil { moisture, ground, marks: marks.masks(), flow }.put(out);
    }
}

/// A copy of a chunk of pressure.
struct CopiedPressure {
    parts: ChunkParts,
    marks: Marks,
}

impl CopiedPressure {
    /// Returns the copy of the chunk at a chunk position, if there is one.
    fn of(blast: &mut BlastWorld<Cube>, position: ChunkPos) -> Option<CopiedPressure> {
        let slot = blast.grid().slot(position)?;
        blast.share_chunk(slot);
        let (parts, marks) = (blast.chunk_parts(slot), Marks::of(blast.grid(), slot));
        Some(CopiedPressure { parts, marks })
    }

    /// Appends the record of the chunk.
    fn put(&self, out: &mut Vec<u8>) {
        put_parts(&self.parts, out);
        put_masks(self.marks.masks(), out);
    }
}

/// Whether the cells of a chunk are awake, and a copy of the mask of its changed cells.
struct Marks {
    is_awake: bool,
    changed: Option<Box<CellMask>>,
}

impl Marks {
    fn of<T: Copy + PartialEq, S: Shape>(grid: &Grid<T, S>, slot: Slot) -> Marks {
        Marks::of_both(marks_at(grid, slot))
    }

    fn of_both([awake, changed]: [Option<&CellMask>; 2]) -> Marks {
        Marks { is_awake: awake.is_some(), changed: changed.cloned().map(Box::new) }
    }

    /// Returns the masks of awake and of changed cells, as [`marks_at`] does.
    fn masks(&self) -> [Option<&CellMask>; 2] {
        [self.is_awake.then_some(&CellMask::FULL), self.changed.as_deref()]
    }
}
