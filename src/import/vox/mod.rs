//! MagicaVoxel files (`.vox`): models of up to 256³ voxels, placed in a scene.

mod error;
mod file;
mod palette;
mod scene;

pub use error::VoxError;
pub use palette::{VoxColour, looks_like_water};

use super::MAX_CHUNKS;
use super::boxes::{TooLarge, chunks_of_box};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Cube, Region, Shape};
use crate::water::{Voxel, WaterCell};
use core::fmt;
use file::Contents;
use glam::IVec3;
use hashbrown::HashMap;
use scene::Placed;

/// The models of a MagicaVoxel file, at their places in the scene.
///
/// ```no_run
/// use floodplain::import::{VoxFile, VoxRules};
/// use floodplain::water::{Rules, WaterWorld};
///
/// let vox = VoxFile::from_bytes(&std::fs::read("castle.vox")?)?;
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunks(vox.chunks(&VoxRules::default())?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VoxFile {
    contents: Contents,
}

/// Where the models go, and which of their voxels are water.
#[derive(Clone, Copy)]
pub struct VoxRules<'a> {
    /// Added to the position of each cell. Default zero.
    pub offset: IVec3,
    /// Returns whether voxels of a colour are water, 7 units each; all others are solid. Default
    /// [`looks_like_water`].
    pub is_water: &'a dyn Fn(VoxColour) -> bool,
}

impl Default for VoxRules<'_> {
    fn default() -> Self {
        VoxRules { offset: IVec3::ZERO, is_water: &looks_like_water }
    }
}

impl fmt::Debug for VoxRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoxRules").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl VoxFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file does not follow the format. Nodes and models that the scene misses are found out
    /// later, when it is asked for its cells.
    pub fn from_bytes(bytes: &[u8]) -> Result<VoxFile, VoxError> {
        Contents::read(bytes).map(|contents| VoxFile { contents })
    }

    /// Returns the smallest box around all models that are shown; `None` if there are none.
    ///
    /// The editor has z up; here y is: a voxel at x, y, z becomes the cell x, z, −1 − y, so that
    /// nothing is mirrored. In a file without a scene only the first model is shown, and its box
    /// has its lowest corner at the origin. What the scene hides is left out, and of an animation
    /// all but the first frame.
    ///
    /// # Errors
    /// The scene has no such node, model or rotation, is a circle, or leaves the range of `i32`.
    pub fn bounds(&self) -> Result<Option<Region>, VoxError> {
        bounds(&scene::placed(&self.contents)?, IVec3::ZERO)
    }

    /// Returns the chunks of the box around all models, with their positions; what
    /// [`insert_chunks`](crate::water::WaterWorld::insert_chunks) takes. Cells without a voxel are
    /// open and dry. Where models overlap, the one placed last counts.
    ///
    /// # Errors
    /// Those of [`bounds`](VoxFile::bounds), or the box has more than [`MAX_CHUNKS`] chunks.
    pub fn chunks(&self, rules: &VoxRules<'_>) -> Result<Vec<(IVec3, Chunk<Voxel>)>, VoxError> {
        let placed = scene::placed(&self.contents)?;
        let voxels: usize = placed.iter().map(|placed| placed.model.voxels.len()).sum();
        if voxels > MAX_CHUNKS * CHUNK_CELLS {
            return Err(VoxError::TooLarge);
        }
        let Some(bounds) = bounds(&placed, rules.offset)? else { return Ok(Vec::new()) };
        let positions = chunks_of_box(bounds).map_err(|TooLarge| VoxError::TooLarge)?;
        let voxel_of: Vec<Voxel> = (0..=u8::MAX).map(|index| self.voxel(index, rules)).collect();
        let mut chunks: HashMap<IVec3, Chunk<Voxel>> = HashMap::new();
        for model in &placed {
            for &[x, y, z, colour] in &model.model.voxels {
                let cell = at(model, [x, y, z], rules.offset)?;
                let chunk = chunks.entry(Cube::chunk_of(cell));
                let chunk = chunk.or_insert_with(|| Chunk::uniform(Voxel::OPEN));
                chunk.set(Cube::index_of(cell), voxel_of[usize::from(colour)]);
            }
        }
        let chunk =
            |position| (position, chunks.remove(&position).unwrap_or(Chunk::uniform(Voxel::OPEN)));
        Ok(positions.positions().map(chunk).collect())
    }

    /// Returns what voxels of a colour become. Number 0 is that of no voxel.
    fn voxel(&self, index: u8, rules: &VoxRules<'_>) -> Voxel {
        match index {
            0 => Voxel::OPEN,
            _ if (rules.is_water)(self.contents.palette.colour(index)) => {
                Voxel::water(WaterCell::STILL)
            }
            _ => Voxel::SOLID,
        }
    }
}

/// Returns the cell of a voxel.
fn at(placed: &Placed<'_>, voxel: [u8; 3], offset: IVec3) -> Result<IVec3, VoxError> {
    let cell = placed.cell(voxel).and_then(|cell| {
        let [x, y, z] = offset.to_array();
        Some(IVec3::new(cell.x.checked_add(x)?, cell.y.checked_add(y)?, cell.z.checked_add(z)?))
    });
    cell.ok_or(VoxError::Position { model: placed.number })
}

/// Returns the smallest box around models; `None` without any.
fn bounds(placed: &[Placed<'_>], offset: IVec3) -> Result<Option<Region>, VoxError> {
    let mut around: Option<Region> = None;
    for model in placed {
        let far = (model.model.size - 1).to_array().map(|side| side as u8);
        for corner in [[0; 3], far] {
            let cell = at(model, corner, offset)?;
            around = Some(match around {
                None => Region::cell(cell),
                Some(region) => Region::new(region.min().min(cell), region.max().max(cell)),
            });
        }
    }
    Ok(around)
}
