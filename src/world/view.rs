//! A common view, for drawing, of a world of materials and of a mirror of one.

use super::World;
use super::feed::Mirror;
use super::rules::material::MaterialId;
use crate::chunk::Chunk;
use crate::coords::ChunkPos;
use crate::water::{self, WaterView, WaterWorld};
use glam::IVec3;

/// Ground and water that can be drawn: a [`World`], or a [`Mirror`] on a client.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::water::WaterView;
/// use floodplain::world::{ChunkContent, Feed, MaterialId, Mirror, Palette, Rules};
/// use floodplain::world::{World, WorldView};
///
/// /// Returns the triangles of the water in a chunk, and its cells of a material.
/// fn drawn(world: &impl WorldView, chunk: ChunkPos, material: MaterialId) -> (usize, usize) {
///     let mesh = world.water().surface_mesh(chunk, None);
///     let cells = world.materials(chunk).expect("it is here");
///     (mesh.indices.len() / 3, (0..4096).filter(|&cell| cells.get(cell) == material).count())
/// }
///
/// let palette = Palette::natural();
/// let [air, rock] = ["air", "rock"].map(|name| palette.id(name).expect("natural"));
/// let mut world = World::new(7, palette, Rules::default())?;
/// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| rock, air);
/// world.insert_chunk(ChunkPos::ZERO, ground)?;
/// world.rain(IVec3::new(8, 15, 8), 9)?;
/// let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(1));
/// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
/// assert_eq!(drawn(&mirror, ChunkPos::ZERO, rock), drawn(&world, ChunkPos::ZERO, rock));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait WorldView {
    /// The type of its water.
    type Water: WaterView;

    /// Returns its water, with all queries for drawing and swimming.
    fn water(&self) -> &Self::Water;

    /// Returns the materials of the chunk at a chunk position; `None` if it is not here.
    fn materials(&self, chunk: ChunkPos) -> Option<&Chunk<MaterialId>>;

    /// Returns the material of a cell; `None` if its chunk is not here, or the cell lies outside
    /// the world's bounds.
    fn material(&self, cell: IVec3) -> Option<MaterialId>;

    /// Returns the moisture of a cell in units of [1/65,536](crate::humidity::UNITS), in a mirror
    /// rounded down to a multiple of [`MOISTURE_STEP`](super::MOISTURE_STEP); 0 if it is not
    /// permeable or its chunk is not here.
    fn moisture(&self, cell: IVec3) -> u32;
}

impl WorldView for World {
    type Water = WaterWorld;

    fn water(&self) -> &WaterWorld {
        World::water(self)
    }

    fn materials(&self, chunk: ChunkPos) -> Option<&Chunk<MaterialId>> {
        self.ground.chunk(chunk)
    }

    fn material(&self, cell: IVec3) -> Option<MaterialId> {
        World::material(self, cell)
    }

    fn moisture(&self, cell: IVec3) -> u32 {
        World::moisture(self, cell)
    }
}

impl WorldView for Mirror {
    type Water = water::Mirror;

    fn water(&self) -> &water::Mirror {
        Mirror::water(self)
    }

    fn materials(&self, chunk: ChunkPos) -> Option<&Chunk<MaterialId>> {
        self.chunk(chunk)
    }

    fn material(&self, cell: IVec3) -> Option<MaterialId> {
        Mirror::material(self, cell)
    }

    fn moisture(&self, cell: IVec3) -> u32 {
        Mirror::moisture(self, cell)
    }
}
