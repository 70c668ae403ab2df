//! The items that most games use, in one line: worlds, positions, chunks, the traits of worlds.
//!
//! Names that several modules have, such as `Rules` and `Edit`, stay in their modules, which the
//! prelude holds too.
//!
//! ```
//! use floodplain::ChunkPos;
//! use floodplain::prelude::*;
//!
//! let mut world = WaterWorld::new(7, water::Rules::lossless())?;
//! world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! world.pour(IVec3::new(8, 9, 8), 7)?;
//! world.run(20);
//! assert_eq!(world.units(IVec3::new(8, 9, 8)), 0, "it fell");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::blast::{BlastGraph, BlastWorld};
pub use crate::humidity::HumidityWorld;
pub use crate::water::{FlowField, Voxel, WaterCell, WaterView, WaterWorld};
pub use crate::water2d::Water2dWorld;
pub use crate::world::{MaterialId, Palette, World, WorldView};
pub use crate::{
    CHUNK_CELLS, Chunk, ChunkChanges, ChunkPos, ColumnPos, Cube, EditValue, Face, Region, Shape,
    Sheet, Simulation,
};
pub use crate::{blast, humidity, water, water2d, world};
pub use glam::IVec3;
