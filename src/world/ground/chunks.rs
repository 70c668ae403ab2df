//! Loading and unloading chunks, in all parts at once.

use crate::automata::blast::extent::{admit, dismiss};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Region, Shape};
#[cfg(doc)]
use crate::water::Voxel;
use crate::world::World;
use crate::world::ground::content::{ChunkContent, Filling};
use crate::world::ground::record;
use crate::world::ground::record::ChunkRecord;
use crate::world::pressure::lend_if_near;
use crate::world::pressure::reach::{forget_origins, is_within_reach};
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::world::tick::contacts::note_chunk;
use crate::world::tick::touched::touch;
use hashbrown::HashSet;

impl World {
    /// Loads a chunk at a chunk position. Its water and its moisture count as placed, and wake.
    /// Cells out of bounds are ignored. Pressure that is there already stays in open cells.
    ///
    /// # Errors
    /// A chunk is loaded there already, or the position lies outside the world's bounds; the
    /// palette lacks a material of the chunk; a solid cell has water, or an open cell is
    /// [`Voxel::SOLID`]; a cell that is not permeable has moisture, or a cell has more moisture
    /// than it can hold.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        content: ChunkContent,
    ) -> Result<(), EditError> {
        self.insert_chunks([(position, content)])
    }

    /// Loads several chunks at once, each as [`insert_chunk`](World::insert_chunk) does. Flows that
    /// lead from one of the chunks into another are kept.
    ///
    /// # Errors
    /// [`insert_chunk`](World::insert_chunk) refuses one of the chunks, or the list holds a
    /// position twice. Then no chunk is loaded.
    pub fn insert_chunks(
        &mut self,
        chunks: impl IntoIterator<Item = (ChunkPos, ChunkContent)>,
    ) -> Result<(), EditError> {
        self.settle();
        let chunks: Vec<(ChunkPos, ChunkContent)> = chunks.into_iter().collect();
        let mut seen = HashSet::new();
        let mut voxels = Vec::with_capacity(chunks.len());
        for (position, content) in &chunks {
            let inside = self.vacant(*position)?;
            if !seen.insert(*position) {
                return Err(EditError::ChunkPresent(*position));
            }
            let filling = Filling {
                palette: &self.palette,
                inside,
                materials: &content.materials,
                water: content.water.as_ref(),
                moisture: content.moisture.as_ref(),
            };
            filling.check_materials()?;
            filling.check_moisture()?;
            voxels.push((*position, filling.voxels()?));
        }
        self.water.insert_chunks(voxels)?;
        for (position, content) in chunks {
            self.load(position, content.materials, content.moisture.as_ref())?;
        }
        Ok(())
    }

    /// Loads a chunk in all parts except water, which has it already.
    pub(in crate::world) fn load(
        &mut self,
        position: ChunkPos,
        materials: Chunk<MaterialId>,
        moisture: Option<&Chunk<u32>>,
    ) -> Result<(), EditError> {
        let materials = self.within_bounds(position, materials);
        touch(self, position);
        // The position was checked before.
        _ = self.ground.insert(position, materials);
        self.load_soil(position, moisture)?;
        note_chunk(self, position);
        if is_within_reach(self, position) {
            admit(&mut self.blast, position);
        }
        lend_if_near(self, position)
    }

    /// Unloads a chunk from all parts except water. Returns its materials, and its moisture in
    /// units.
    pub(in crate::world) fn unload(
        &mut self,
        position: ChunkPos,
    ) -> (Chunk<MaterialId>, Option<Chunk<u32>>) {
        let materials = self.ground.remove(position).unwrap_or(Chunk::uniform(MaterialId(0)));
        self.mirrored.remove(&position);
        self.set_still(position, false);
        // The blast has no such chunk if it has neither pressure nor ground there.
        _ = self.blast.remove_chunk(position);
        dismiss(&mut self.blast, position);
        forget_origins(self);
        let moisture = self.soil.remove_units(position);
        note_chunk(self, position);
        (materials, moisture)
    }

    /// Unloads the chunk at a chunk position and returns its content. Its water and its moisture
    /// count as removed, and so does the pressure in it. Its fixtures are lost, and soil that was
    /// rain becomes moist soil.
    ///
    /// # Errors
    /// No chunk is loaded there.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<ChunkContent, EditError> {
        self.settle();
        if self.ground.chunk(position).is_none() {
            return Err(EditError::ChunkAbsent(position));
        }
        let water = self.water.remove_chunk(position)?;
        let (materials, moisture) = self.unload(position);
        Ok(ChunkContent { materials, water: Some(water), moisture })
    }

    /// Returns the region of a chunk inside the bounds. Refuses a chunk that is loaded already, or
    /// that has no cell inside the bounds.
    pub(in crate::world) fn vacant(&self, position: ChunkPos) -> Result<Region, EditError> {
        if self.ground.chunk(position).is_some() {
            return Err(EditError::ChunkPresent(position));
        }
        let inside = Cube::holds_chunk(position)
            .then(|| self.bounds().intersection(&Cube::region_of(position)))
            .flatten();
        inside.ok_or(EditError::ChunkOutOfBounds(position))
    }

    /// Returns the materials of a chunk, with the first material in all cells beyond the bounds.
    fn within_bounds(&self, position: ChunkPos, mut chunk: Chunk<MaterialId>) -> Chunk<MaterialId> {
        let (bounds, region) = (self.bounds(), Cube::region_of(position));
        if bounds.intersection(&region) != Some(region) {
            for (index, material) in chunk.cells_mut().iter_mut().enumerate() {
                if !bounds.contains(Cube::cell_at(position, index)) {
                    *material = MaterialId(0);
                }
            }
            chunk.canonicalize();
        }
        chunk
    }

    /// Unloads the chunks at these chunk positions and returns them as records, in the same order.
    /// Their water counts as unloaded, as by
    /// [`WaterWorld::remove_chunks`](crate::water::WaterWorld::remove_chunks), which also describes
    /// the effect on flows across their faces. Their moisture and the pressure in them count as
    /// removed.
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions, or the list holds a position twice. Then no
    /// chunk is unloaded.
    pub fn remove_chunks(
        &mut self,
        positions: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<Vec<ChunkRecord>, EditError> {
        record::remove_chunks(self, positions)
    }

    /// Loads the chunks of these records, taken out of this world or another whose materials have
    /// the same numbers. Their water counts as loaded and flows on, as after
    /// [`WaterWorld::insert_records`](crate::water::WaterWorld::insert_records); their moisture
    /// counts as placed.
    ///
    /// # Errors
    /// A chunk is loaded already at one of the positions, the list holds a position twice, or a
    /// position lies outside the world's bounds; a record's materials do not fit the palette, its
    /// water or its moisture. Then no chunk is loaded.
    pub fn insert_records(
        &mut self,
        records: impl IntoIterator<Item = ChunkRecord>,
    ) -> Result<(), EditError> {
        record::insert_records(self, records)
    }
}
