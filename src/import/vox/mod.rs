//! MagicaVoxel files (`.vox`): models of up to 256³ voxels, placed in a scene.

mod error;
mod file;
mod palette;
mod scene;

pub use error::VoxError;
pub use palette::{VoxColour, VoxMaterial, looks_like_water};

use super::boxes::{TooLarge, chunks_of_box};
use super::budget::{Budget, Work};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::water::{Voxel, WaterCell};
use core::fmt;
use file::Contents;
use glam::IVec3;
use hashbrown::HashSet;
use scene::{Placed, Scene};

/// The units of work that a chunk takes when its first voxel is placed.
const UNITS_OF_CHUNK: u64 = 1024;

/// The models of a MagicaVoxel file, at their places in the scene.
///
/// ```no_run
/// use floodplain::import::{VoxFile, VoxRules};
/// use floodplain::water::{Rules, WaterWorld};
///
/// let vox = VoxFile::from_bytes(&std::fs::read("castle.vox")?)?;
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// let read = vox.chunks(&VoxRules::default())?;
/// println!("{}", read.report);
/// world.insert_chunks(read.chunks)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VoxFile {
    contents: Contents,
    work: Work,
}

/// The chunks read from a MagicaVoxel file.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct VoxChunks {
    /// The chunks of the box around all models, with their positions: the argument of
    /// [`insert_chunks`](crate::water::WaterWorld::insert_chunks).
    pub chunks: Vec<(ChunkPos, Chunk<Voxel>)>,
    /// The parts that were left out.
    pub report: VoxReport,
}

/// The parts that reading a MagicaVoxel file left out. As text it is a line with the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoxReport {
    /// The number of models placed, each counted once for each time that the scene shows it.
    pub placed: usize,
    /// The number of nodes of the scene that are hidden, directly or with their layer.
    pub hidden: usize,
    /// The number of models that the scene never shows; without a scene, all except the first.
    pub unplaced: usize,
    /// The number of frames of animations after the first frame.
    pub later_frames: usize,
}

impl fmt::Display for VoxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} models placed", self.placed)?;
        for (count, what) in [
            (self.hidden, "nodes hidden"),
            (self.unplaced, "models not shown"),
            (self.later_frames, "later frames left out"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// Where the models are placed, and which of their voxels are water.
#[derive(Clone, Copy)]
pub struct VoxRules<'a> {
    /// The offset that is added to the position of each cell. Default zero.
    pub offset: IVec3,
    /// Returns whether voxels of a colour are water, 7 units each; all others are solid. Default
    /// [`looks_like_water`]: blue glass.
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
    /// Reads a file, with the default [`Budget`] for its scene.
    ///
    /// # Errors
    /// The file does not follow the format, or has no models. Nodes and models missing from the
    /// scene are found later, when its cells are read.
    pub fn from_bytes(bytes: &[u8]) -> Result<VoxFile, VoxError> {
        VoxFile::from_bytes_within(bytes, Budget::default())
    }

    /// Reads a file, as [`from_bytes`](VoxFile::from_bytes) does, with `budget` for each call that
    /// reads the chunks of its scene.
    ///
    /// # Errors
    /// The errors of [`from_bytes`](VoxFile::from_bytes).
    pub fn from_bytes_within(bytes: &[u8], budget: Budget) -> Result<VoxFile, VoxError> {
        let contents = Contents::read(bytes)?;
        Ok(VoxFile { contents, work: budget.work(bytes.len()) })
    }

    /// Returns the smallest box around all models that are shown; `None` if there are none.
    ///
    /// In the editor z is up; here y is up. A voxel at x, y, z becomes the cell x, z, −1 − y, so
    /// that nothing is mirrored. In a file without a scene only the first model is shown, and its
    /// box has its lowest corner at the origin. Hidden parts of the scene are left out, and so are
    /// all frames of an animation except the first.
    ///
    /// # Errors
    /// The scene lacks a node, model or rotation, is cyclic, or leaves the range of `i32`.
    pub fn bounds(&self) -> Result<Option<Region>, VoxError> {
        bounds(&scene::shown(&self.contents)?.placed, IVec3::ZERO)
    }

    /// Returns the chunks of the box around all models, and a report of the parts left out. Cells
    /// without a voxel are open and dry. Where models overlap, the one placed last counts.
    ///
    /// # Errors
    /// The errors of [`bounds`](VoxFile::bounds), [`VoxError::TooLarge`] for more than
    /// [`MAX_CHUNKS`](crate::import::MAX_CHUNKS) chunks, and [`VoxError::OverBudget`] for more work
    /// than the budget.
    pub fn chunks(&self, rules: &VoxRules<'_>) -> Result<VoxChunks, VoxError> {
        let scene = scene::shown(&self.contents)?;
        let voxels = scene.placed.iter().map(|placed| placed.model.voxels.len() as u64);
        let mut work = self.work.clone();
        work.take(voxels.sum())?;
        let report = self.report(&scene);
        let Some(bounds) = bounds(&scene.placed, rules.offset)? else {
            return Ok(VoxChunks { chunks: Vec::new(), report });
        };
        let positions = chunks_of_box(bounds).map_err(|TooLarge| VoxError::TooLarge)?;
        let mut chunks: Vec<(ChunkPos, Chunk<Voxel>)> =
            positions.positions().map(|at| (at, Chunk::uniform(Voxel::OPEN))).collect();
        let voxel_of: Vec<Voxel> = (0..=u8::MAX).map(|index| self.voxel(index, rules)).collect();
        for model in &scene.placed {
            // Both corners of the model's box are in range, as `bounds` has checked.
            let (origin, steps) = (at(model, [0; 3], rules.offset)?, model.steps());
            for &[x, y, z, colour] in &model.model.voxels {
                let along = [x, y, z].map(i32::from);
                let cell = origin + steps[0] * along[0] + steps[1] * along[1] + steps[2] * along[2];
                let (_, chunk) = &mut chunks[index_in(bounds, cell)];
                if chunk.as_dense().is_none() {
                    work.take(UNITS_OF_CHUNK)?;
                }
                chunk.set(Cube::index_of(cell), voxel_of[usize::from(colour)]);
            }
        }
        Ok(VoxChunks { chunks, report })
    }

    /// Returns the parts of the file that a scene does not show.
    fn report(&self, scene: &Scene<'_>) -> VoxReport {
        let shown: HashSet<u32> = scene.placed.iter().map(|placed| placed.number).collect();
        VoxReport {
            placed: scene.placed.len(),
            hidden: scene.hidden,
            unplaced: self.contents.models.len() - shown.len(),
            later_frames: self.contents.later_frames,
        }
    }

    /// Returns the content of the cell of a voxel with the colour `index`. No voxel has the number
    /// 0.
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

/// Returns the index of a cell's chunk among the chunks of a box of cells, in order of position.
fn index_in(bounds: Region, cell: IVec3) -> usize {
    let (min, max) = (Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max()));
    let [width, _, depth] = (max - min).to_array().map(|side| side as usize + 1);
    let [x, y, z] = (Cube::chunk_of(cell) - min).to_array().map(|side| side as usize);
    x + width * (z + depth * y)
}

/// Returns the cell of a voxel.
fn at(placed: &Placed<'_>, voxel: [u8; 3], offset: IVec3) -> Result<IVec3, VoxError> {
    let cell = placed.cell(voxel).and_then(|cell| {
        let [x, y, z] = offset.to_array();
        Some(IVec3::new(cell.x.checked_add(x)?, cell.y.checked_add(y)?, cell.z.checked_add(z)?))
    });
    cell.ok_or(VoxError::Position { model: placed.number })
}

/// Returns the smallest box around some models; `None` if there are none.
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
