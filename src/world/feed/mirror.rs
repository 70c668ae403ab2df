//! A copy of a world's ground, water and moisture, on the side of a client.

use super::update::{ChunkUpdate, Update, moisture_of, step_of};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::water::{self, ChunkEvent, MirrorError};
use crate::world::rules::material::MaterialId;
use core::ops::Range;
use glam::IVec3;
use hashbrown::HashMap;

/// A copy of what chunks of a world look like, kept up to date by [`Update`]s: materials, water,
/// and moisture in steps of [`MOISTURE_STEP`](crate::world::MOISTURE_STEP).
///
/// It holds the chunks that were sent to it whole. Changes of other chunks are skipped, so a client
/// may follow a part of the world. After a missed update, the mirror refuses the next one, and the
/// client asks for its [`chunks`](Mirror::chunks) again.
#[derive(Clone, Debug)]
pub struct Mirror {
    water: water::Mirror,
    /// The same chunks as `water` has.
    chunks: HashMap<ChunkPos, Ground>,
}

/// The materials of a chunk, and its moisture in steps.
#[derive(Clone, Debug)]
struct Ground {
    materials: Chunk<MaterialId>,
    moisture: Chunk<u8>,
}

impl Mirror {
    /// Returns an empty mirror that may hold `most_chunks` chunks, of up to 12 KB each. Its first
    /// update is one of [whole](crate::world::Feed::whole) chunks.
    pub fn new(most_chunks: usize) -> Mirror {
        Mirror { water: water::Mirror::new(most_chunks), chunks: HashMap::new() }
    }

    /// Makes the changes of an update.
    ///
    /// # Errors
    /// The update is not the next one, or has too many chunks. The mirror is unchanged.
    pub fn apply(&mut self, update: &Update) -> Result<(), MirrorError> {
        self.water.apply(&update.water)?;
        for chunk in update.water.chunks() {
            match chunk.event {
                ChunkEvent::Unloaded => _ = self.chunks.remove(&chunk.position),
                ChunkEvent::Loaded => {
                    let (materials, moisture) = (Chunk::uniform(MaterialId(0)), Chunk::uniform(0));
                    self.chunks.insert(chunk.position, Ground { materials, moisture });
                }
                ChunkEvent::Changed => {}
            }
        }
        update.ground.iter().for_each(|chunk| self.apply_chunk(chunk));
        Ok(())
    }

    /// Forgets the chunks at positions for which `is_kept` returns `false`, so that other chunks
    /// have room; see [`water::Mirror::retain`].
    pub fn retain(&mut self, is_kept: impl FnMut(ChunkPos) -> bool) {
        self.water.retain(is_kept);
        self.chunks.retain(|&chunk, _| self.water.chunk(chunk).is_some());
    }

    fn apply_chunk(&mut self, update: &ChunkUpdate) {
        let Some(chunk) = self.chunks.get_mut(&update.position) else { return };
        let materials = update.materials.iter().map(|run| (run.indices(), run.value));
        write(&mut chunk.materials, materials);
        let steps = update.moisture.iter().map(|run| (run.indices(), step_of(run.value)));
        write(&mut chunk.moisture, steps);
    }

    /// Returns the copy of the visible water and of the solid cells. It has the same chunks as the
    /// mirror.
    pub fn water(&self) -> &water::Mirror {
        &self.water
    }

    /// Returns the number of the last update; `None` before the first.
    pub fn number(&self) -> Option<u64> {
        self.water.number()
    }

    /// Returns the number of complete ticks of the world at the last update.
    pub fn ticks(&self) -> u64 {
        self.water.ticks()
    }

    /// Returns the material of a cell; `None` if its chunk is not here, or the cell is out of the
    /// world's bounds.
    pub fn material(&self, cell: IVec3) -> Option<MaterialId> {
        self.water.look(cell)?;
        let chunk = self.chunks.get(&Cube::chunk_of(cell))?;
        Some(chunk.materials.get(Cube::index_of(cell)))
    }

    /// Returns the units of water in a cell, 0 to 7; 0 if its chunk is not here.
    pub fn units(&self, cell: IVec3) -> u8 {
        self.water.units(cell)
    }

    /// Returns the moisture of a cell in units of [1/65,536](crate::humidity::UNITS), rounded down
    /// to a multiple of [`MOISTURE_STEP`](crate::world::MOISTURE_STEP), but at most 255 steps; 0 if
    /// the cell is not permeable or its chunk is not here.
    pub fn moisture(&self, cell: IVec3) -> u32 {
        let chunk = self.chunks.get(&Cube::chunk_of(cell));
        let steps = chunk.map_or(0, |chunk| chunk.moisture.get(Cube::index_of(cell)));
        moisture_of(steps)
    }

    /// Returns the materials of the chunk at a chunk position; `None` if the chunk is not here.
    /// Cells out of the world's bounds have the first material.
    pub fn chunk(&self, position: ChunkPos) -> Option<&Chunk<MaterialId>> {
        self.chunks.get(&position).map(|chunk| &chunk.materials)
    }

    /// Returns the positions of the chunks that are here, in order: y slowest, then z, then x.
    pub fn chunks(&self) -> Vec<ChunkPos> {
        self.water.chunks()
    }
}

fn write<T: Copy + PartialEq>(chunk: &mut Chunk<T>, runs: impl Iterator<Item = (Range<usize>, T)>) {
    for (indices, value) in runs {
        indices.for_each(|index| _ = chunk.set(index, value));
    }
    chunk.canonicalize();
}
