//! A chunk as a game gives it to a world, or takes it out: materials, water and moisture; and what
//! is checked before it is loaded.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Region, Shape};
use crate::humidity::MOST_HUMIDITY;
use crate::water::Voxel;
use crate::world::ground::units_of;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::world::rules::palette::Palette;
use glam::IVec3;

/// The content of a chunk: materials, water in open cells, and moisture in permeable ones.
///
/// ```
/// use floodplain::Chunk;
/// use floodplain::world::{ChunkContent, MaterialId};
///
/// let rock = MaterialId(1);
/// let rock = ChunkContent::from(Chunk::uniform(rock));
/// assert!(rock.water.is_none() && rock.moisture.is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ChunkContent {
    /// The material of each cell.
    pub materials: Chunk<MaterialId>,
    /// The water of open cells, `None` if all are dry. Cells of solid material are dry or
    /// [`Voxel::SOLID`].
    pub water: Option<Chunk<Voxel>>,
    /// The moisture of permeable cells in units of [1/65,536](crate::humidity::UNITS), `None` if
    /// all are dry. All other cells are 0.
    pub moisture: Option<Chunk<u32>>,
}

impl From<Chunk<MaterialId>> for ChunkContent {
    /// Returns dry ground of these materials.
    fn from(materials: Chunk<MaterialId>) -> ChunkContent {
        ChunkContent { materials, water: None, moisture: None }
    }
}

impl ChunkContent {
    /// Returns dry ground, of the material that `material` returns for each cell of the chunk at a
    /// chunk position.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, MaterialId};
    ///
    /// let level = |cell: IVec3| MaterialId(u8::from(cell.y < 20));
    /// let content = ChunkContent::from_fn(ChunkPos::new(0, 1, 0), level);
    /// assert_eq!(content.materials.get(3 * 256), MaterialId(1), "y = 19");
    /// assert_eq!(content.materials.get(4 * 256), MaterialId(0), "y = 20");
    /// ```
    pub fn from_fn(chunk: ChunkPos, mut material: impl FnMut(IVec3) -> MaterialId) -> ChunkContent {
        let mut materials = Chunk::uniform(MaterialId(0));
        for (index, cell) in materials.cells_mut().iter_mut().enumerate() {
            *cell = material(Cube::cell_at(chunk, index));
        }
        materials.canonicalize();
        materials.into()
    }

    /// Returns the part of dry land that is in the chunk at a chunk position. `top` returns the y
    /// of the highest ground at an x and z. `ground` returns the material of ground by its depth
    /// below `top`, 0 for the surface. The cells above are `open`.
    pub fn from_heights(
        chunk: ChunkPos,
        mut top: impl FnMut(i32, i32) -> i32,
        mut ground: impl FnMut(u32) -> MaterialId,
        open: MaterialId,
    ) -> ChunkContent {
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

/// A chunk to be loaded, with the data for its checks.
pub(in crate::world) struct Filling<'a> {
    pub(in crate::world) palette: &'a Palette,
    /// The cells inside the bounds.
    pub(in crate::world) inside: Region,
    pub(in crate::world) materials: &'a Chunk<MaterialId>,
    pub(in crate::world) water: Option<&'a Chunk<Voxel>>,
    pub(in crate::world) moisture: Option<&'a Chunk<u32>>,
}

impl Filling<'_> {
    /// Returns the cells inside the bounds, with their indices and materials.
    pub(in crate::world) fn cells(&self) -> impl Iterator<Item = (IVec3, usize, MaterialId)> {
        let (materials, inside) = (self.materials, self.inside);
        let chunk = Cube::chunk_of(inside.min());
        let is_whole = inside == Cube::region_of(chunk);
        let cells = (0..CHUNK_CELLS).map(move |index| (Cube::cell_at(chunk, index), index));
        let cells = cells.filter(move |(cell, _)| is_whole || inside.contains(*cell));
        cells.map(|(cell, index)| (cell, index, materials.get(index)))
    }

    pub(in crate::world) fn check_materials(&self) -> Result<(), EditError> {
        let is_unknown = |material: MaterialId| self.palette.material(material).is_none();
        let unknown = match self.materials.as_dense() {
            None => Some(self.materials.get(0)).filter(|&id| is_unknown(id)),
            Some(cells) => {
                // The palette numbers its materials from 0 on.
                let most =
                    cells.iter().map(|id| id.0).max().filter(|&most| is_unknown(MaterialId(most)));
                most.and_then(|_| self.cells().map(|(_, _, id)| id).find(|&id| is_unknown(id)))
            }
        };
        unknown.map_or(Ok(()), |material| Err(EditError::Material(material)))
    }

    pub(in crate::world) fn check_moisture(&self) -> Result<(), EditError> {
        let Some(moisture) = self.moisture else { return Ok(()) };
        if moisture.as_uniform() == Some(0) {
            return Ok(());
        }
        for (cell, index, material) in self.cells() {
            let value = moisture.get(index);
            if value == 0 {
                continue;
            }
            if !self.palette.traits(material).is_permeable() {
                return Err(EditError::Impermeable { cell, material });
            }
            if u64::from(value) > units_of(MOST_HUMIDITY) {
                return Err(EditError::Moisture { cell, value });
            }
        }
        Ok(())
    }

    /// Returns the chunk of water: solid ground, and open cells with the water of `water`.
    pub(in crate::world) fn voxels(&self) -> Result<Chunk<Voxel>, EditError> {
        let ground = |material| {
            if self.palette.traits(material).solid { Voxel::SOLID } else { Voxel::OPEN }
        };
        if let (Some(material), None) = (self.materials.as_uniform(), self.water) {
            return Ok(Chunk::uniform(ground(material)));
        }
        let mut voxels = Chunk::uniform(Voxel::OPEN);
        let written = voxels.cells_mut();
        for (cell, index, material) in self.cells() {
            written[index] = ground(material);
            let water = self.water.map(|water| water.get(index));
            match water.filter(|&water| water != Voxel::OPEN && water != written[index]) {
                Some(water) if water.is_solid() || written[index].is_solid() => {
                    return Err(EditError::Ground { cell, material });
                }
                Some(water) => written[index] = water,
                None => {}
            }
        }
        voxels.canonicalize();
        Ok(voxels)
    }
}
