//! A chunk as a game gives it to a world, or takes it out: materials, water and moisture.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::water::Voxel;
use crate::world::rules::material::MaterialId;
use glam::IVec3;

/// The content of a chunk: materials, water in open cells, and moisture in permeable ones.
///
/// ```
/// use floodplain::Chunk;
/// use floodplain::world::{Content, MaterialId};
///
/// let rock = MaterialId(1);
/// let rock = Content::from(Chunk::uniform(rock));
/// assert!(rock.water.is_none() && rock.moisture.is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Content {
    /// The material of each cell.
    pub materials: Chunk<MaterialId>,
    /// The water of open cells, `None` if all are dry. Cells of solid material are dry or
    /// [`Voxel::SOLID`].
    pub water: Option<Chunk<Voxel>>,
    /// The moisture of permeable cells in units of [1/65,536](crate::humidity::UNITS), `None` if
    /// all are dry. All other cells are 0.
    pub moisture: Option<Chunk<u32>>,
}

impl From<Chunk<MaterialId>> for Content {
    /// Dry ground.
    fn from(materials: Chunk<MaterialId>) -> Content {
        Content { materials, water: None, moisture: None }
    }
}

impl Content {
    /// Returns dry ground, of the material that `material` returns for each cell of the chunk at a
    /// chunk position.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{Content, MaterialId};
    ///
    /// let level = |cell: IVec3| MaterialId(u8::from(cell.y < 20));
    /// let content = Content::from_fn(ChunkPos::new(0, 1, 0), level);
    /// assert_eq!(content.materials.get(3 * 256), MaterialId(1), "y = 19");
    /// assert_eq!(content.materials.get(4 * 256), MaterialId(0), "y = 20");
    /// ```
    pub fn from_fn(chunk: ChunkPos, mut material: impl FnMut(IVec3) -> MaterialId) -> Content {
        let mut materials = Chunk::uniform(MaterialId(0));
        for (index, cell) in materials.cells_mut().iter_mut().enumerate() {
            *cell = material(Cube::cell_at(chunk, index));
        }
        materials.canonicalize();
        materials.into()
    }

    /// Returns the part of dry land that lies in the chunk at a chunk position. `top` returns the y
    /// of the highest ground at an x and z. `ground` returns its material by depth below that, 0
    /// for the surface. The cells above are `open`.
    pub fn from_heights(
        chunk: ChunkPos,
        mut top: impl FnMut(i32, i32) -> i32,
        mut ground: impl FnMut(u32) -> MaterialId,
        open: MaterialId,
    ) -> Content {
        let column = |index| Cube::cell_at(chunk, index);
        let tops: [i32; 256] = core::array::from_fn(|index| top(column(index).x, column(index).z));
        let mut materials = Chunk::uniform(open);
        for (index, material) in materials.cells_mut().iter_mut().enumerate() {
            let top = tops[index % 256];
            let y = Cube::cell_at(chunk, index).y;
            if y <= top {
                *material = ground(top.abs_diff(y));
            }
        }
        materials.canonicalize();
        materials.into()
    }
}
