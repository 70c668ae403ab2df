//! Edits as values: one for each function of [`WaterWorld`] that changes it between ticks.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, Region};
use crate::water::edit::EditError;
use crate::water::voxel::Voxel;
use crate::water::{ChunkRecord, Displaced, Edge, Rules, WaterWorld};
use glam::{IVec2, IVec3};

/// An edit of a water world as a value: to be made by [`WaterWorld::apply`], put in line by
/// [`WaterWorld::queue`], or kept and sent as bytes ([`to_bytes`](Edit::to_bytes)).
///
/// ```
/// use floodplain::water::{Edit, Outcome, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// let (position, chunk) = (IVec3::ZERO, Chunk::uniform(Voxel::OPEN));
/// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
/// let pour = Edit::Pour { cell: IVec3::new(3, 0, 3), units: 9 };
/// assert_eq!(world.apply(pour), Ok(Outcome::Units(7)));
/// # Ok::<(), floodplain::water::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// [`WaterWorld::set_solid`]; its outcome is [`Outcome::Displaced`].
    SetSolid(IVec3),
    /// [`WaterWorld::clear_solid`]; its outcome is [`Outcome::Changed`].
    ClearSolid(IVec3),
    /// [`WaterWorld::add_source`]; its outcome is [`Outcome::Changed`].
    AddSource(IVec3),
    /// [`WaterWorld::remove_source`]; its outcome is [`Outcome::Changed`].
    RemoveSource(IVec3),
    /// [`WaterWorld::pour`]; its outcome is [`Outcome::Units`], those poured.
    Pour {
        /// Where.
        cell: IVec3,
        /// The most units to pour.
        units: u32,
    },
    /// [`WaterWorld::scoop`]; its outcome is [`Outcome::Units`], those scooped.
    Scoop {
        /// Where.
        cell: IVec3,
        /// The most units to scoop.
        units: u32,
    },
    /// [`WaterWorld::fill_solid`]; its outcome is [`Outcome::Units`], those removed.
    FillSolid(Region),
    /// [`WaterWorld::fill_water`]; its outcome is [`Outcome::Units`], those removed.
    FillWater {
        /// The cells.
        region: Region,
        /// The units in each cell, 0 to 7.
        height: u8,
    },
    /// [`WaterWorld::insert_chunk`]; its outcome is [`Outcome::Done`].
    InsertChunk {
        /// The chunk's position, in chunks.
        position: IVec3,
        /// Its cells.
        chunk: Chunk<Voxel>,
    },
    /// [`WaterWorld::insert_chunks`]; its outcome is [`Outcome::Done`].
    InsertChunks(Vec<(IVec3, Chunk<Voxel>)>),
    /// [`WaterWorld::remove_chunk`]; its outcome is [`Outcome::Removed`].
    RemoveChunk(IVec3),
    /// [`WaterWorld::remove_chunks`]; its outcome is [`Outcome::Records`].
    RemoveChunks(Vec<IVec3>),
    /// [`WaterWorld::insert_records`]; its outcome is [`Outcome::Done`].
    InsertRecords(Vec<ChunkRecord>),
    /// [`WaterWorld::wake_all`]; its outcome is [`Outcome::Done`].
    WakeAll,
    /// [`WaterWorld::set_rules`]; its outcome is [`Outcome::Done`].
    SetRules(Rules),
    /// [`WaterWorld::set_sea`]; its outcome is [`Outcome::Changed`].
    SetSea(IVec3),
    /// [`WaterWorld::clear_sea`]; its outcome is [`Outcome::Changed`].
    ClearSea(IVec3),
    /// [`WaterWorld::fill_sea`]; its outcome is [`Outcome::Units`], those removed.
    FillSea(Region),
    /// [`WaterWorld::set_edge`]; its outcome is [`Outcome::Changed`].
    SetEdge {
        /// The x and z of the column's chunk positions.
        column: IVec2,
        /// What water does at its faces, or `None` for what the rules say.
        edge: Option<Edge>,
    },
    /// [`WaterWorld::freeze`]; its outcome is [`Outcome::Changed`].
    Freeze(Vec<IVec3>),
    /// [`WaterWorld::thaw`]; its outcome is [`Outcome::Changed`].
    Thaw(Vec<IVec3>),
}

/// What an [`Edit`] that was not refused came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// What became of the water in the way.
    Displaced(Displaced),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The units poured, scooped or removed.
    Units(u64),
    /// The chunk that was unloaded.
    Removed(Chunk<Voxel>),
    /// The chunks that were unloaded.
    Records(Vec<ChunkRecord>),
    /// The edit was made.
    Done,
}

impl WaterWorld {
    /// Makes an edit at once, as the function of its name does.
    ///
    /// # Errors
    /// Those of that function. The edit changed nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let units = |units: u32| Outcome::Units(u64::from(units));
        match edit {
            Edit::SetSolid(cell) => self.set_solid(cell).map(Outcome::Displaced),
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::AddSource(cell) => self.add_source(cell).map(Outcome::Changed),
            Edit::RemoveSource(cell) => self.remove_source(cell).map(Outcome::Changed),
            Edit::Pour { cell, units: most } => self.pour(cell, most).map(units),
            Edit::Scoop { cell, units: most } => self.scoop(cell, most).map(units),
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Units),
            Edit::FillWater { region, height } => {
                self.fill_water(region, height).map(Outcome::Units)
            }
            Edit::InsertChunk { position, chunk } => {
                self.insert_chunk(position, chunk).map(|()| Outcome::Done)
            }
            Edit::InsertChunks(chunks) => self.insert_chunks(chunks).map(|()| Outcome::Done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::RemoveChunks(positions) => self.remove_chunks(positions).map(Outcome::Records),
            Edit::InsertRecords(records) => self.insert_records(records).map(|()| Outcome::Done),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
            Edit::SetRules(rules) => {
                self.set_rules(rules).map(|()| Outcome::Done).map_err(EditError::Rules)
            }
            Edit::SetSea(cell) => self.set_sea(cell).map(Outcome::Changed),
            Edit::ClearSea(cell) => self.clear_sea(cell).map(Outcome::Changed),
            Edit::FillSea(region) => self.fill_sea(region).map(Outcome::Units),
            Edit::SetEdge { column, edge } => Ok(Outcome::Changed(self.set_edge(column, edge))),
            Edit::Freeze(chunks) => self.freeze(chunks).map(Outcome::Changed),
            Edit::Thaw(chunks) => self.thaw(chunks).map(Outcome::Changed),
        }
    }

    /// Returns how many cells an edit counts for if it is not refused: those of its regions and
    /// chunks, those at the faces of its chunks, one for each chunk that it looks at, or one.
    pub(super) fn cells_of(&self, edit: &Edit) -> u64 {
        let in_chunks = |chunks: usize| (chunks * CHUNK_CELLS) as u64;
        match edit {
            Edit::FillSolid(region) | Edit::FillWater { region, .. } | Edit::FillSea(region) => {
                region.size().iter().fold(1, |cells: u64, &side| cells.saturating_mul(side))
            }
            Edit::InsertChunk { .. } | Edit::RemoveChunk(_) => in_chunks(1),
            Edit::InsertChunks(chunks) => in_chunks(chunks.len()),
            Edit::RemoveChunks(positions) => in_chunks(positions.len()),
            Edit::InsertRecords(records) => in_chunks(records.len()),
            Edit::WakeAll | Edit::SetRules(_) => in_chunks(self.store.grid().chunk_count()),
            Edit::Freeze(chunks) | Edit::Thaw(chunks) => (chunks.len() * 6 * LAYER_CELLS) as u64,
            Edit::SetEdge { .. } => self.store.grid().chunk_count() as u64,
            _ => 1,
        }
    }
}
