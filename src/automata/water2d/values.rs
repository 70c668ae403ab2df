//! Edits as values, and their bytes: one for each function of [`Water2dWorld`] that changes it
//! between steps.

use super::{Cell, Displaced, EditError, MAX_LEVEL, Water2dWorld};
use crate::chunk::Chunk;
use crate::coords::Region;
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, edit_bytes, refused};
use glam::IVec3;

/// An edit of a 2D water world as a value: to be made by [`Water2dWorld::apply`], or kept and sent
/// as bytes ([`to_bytes`](Edit::to_bytes)).
///
/// A step is never left unfinished, so edits need no queue in the world: a game that collects them
/// in a list and makes them before its next step has the same bytes as one that makes each at once.
///
/// ```
/// use floodplain::water2d::{Cell, Edit, Outcome, Rules, Water2dWorld};
/// use floodplain::{Chunk, glam::IVec3};
///
/// let mut world = Water2dWorld::new(7, Rules::default())?;
/// let (position, chunk) = (IVec3::ZERO, Chunk::uniform(Cell::AIR));
/// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
/// let pour = Edit::Pour { cell: IVec3::new(3, 4, 0), units: 250 };
/// assert_eq!(world.apply(pour), Ok(Outcome::Level(250)));
/// # Ok::<(), floodplain::water2d::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// [`Water2dWorld::set_solid`]; its outcome is [`Outcome::Displaced`].
    SetSolid(IVec3),
    /// [`Water2dWorld::clear_solid`]; its outcome is [`Outcome::Changed`].
    ClearSolid(IVec3),
    /// [`Water2dWorld::pour`]; its outcome is [`Outcome::Level`].
    Pour {
        /// Where.
        cell: IVec3,
        /// The units to pour.
        units: u32,
    },
    /// [`Water2dWorld::scoop`]; its outcome is [`Outcome::Units`], those scooped.
    Scoop {
        /// Where.
        cell: IVec3,
        /// The most units to scoop.
        units: u32,
    },
    /// [`Water2dWorld::fill_solid`]; its outcome is [`Outcome::Units`], those removed.
    FillSolid(Region),
    /// [`Water2dWorld::fill_water`]; its outcome is [`Outcome::Units`], those removed.
    FillWater {
        /// The cells.
        region: Region,
        /// The units in each, 0 to [`MAX_LEVEL`].
        level: u32,
    },
    /// [`Water2dWorld::insert_chunk`]; its outcome is [`Outcome::Done`].
    InsertChunk {
        /// The chunk's position, in chunks.
        position: IVec3,
        /// Its cells.
        chunk: Chunk<Cell>,
    },
    /// [`Water2dWorld::insert_chunks`]; its outcome is [`Outcome::Done`].
    InsertChunks(Vec<(IVec3, Chunk<Cell>)>),
    /// [`Water2dWorld::remove_chunk`]; its outcome is [`Outcome::Removed`].
    RemoveChunk(IVec3),
    /// [`Water2dWorld::wake_all`]; its outcome is [`Outcome::Done`].
    WakeAll,
}

/// What an [`Edit`] that was not refused came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// What became of the water in the way.
    Displaced(Displaced),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The level of the cell after it.
    Level(u32),
    /// The units scooped or removed.
    Units(u64),
    /// The chunk that was unloaded.
    Removed(Chunk<Cell>),
    /// The edit was made.
    Done,
}

impl Water2dWorld {
    /// Makes an edit at once, as the function of its name does.
    ///
    /// # Errors
    /// Those of that function. The edit changed nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetSolid(cell) => self.set_solid(cell).map(Outcome::Displaced),
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::Pour { cell, units } => self.pour(cell, units).map(Outcome::Level),
            Edit::Scoop { cell, units } => {
                self.scoop(cell, units).map(|scooped| Outcome::Units(scooped.into()))
            }
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Units),
            Edit::FillWater { region, level } => self.fill_water(region, level).map(Outcome::Units),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::InsertChunks(chunks) => self.insert_chunks(chunks).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }
}

edit_bytes! {
    /// Returns the edit as bytes: 1 to 29, or for each chunk up to 16,397 and five more. They mean
    /// the same in all later versions of this crate.
    ///
    /// ```
    /// use floodplain::water2d::{Edit, EditBytesError};
    /// use floodplain::glam::IVec3;
    ///
    /// let edit = Edit::Scoop { cell: IVec3::new(1, -2, 0), units: 40 };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 17);
    /// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
    /// assert_eq!(Edit::from_bytes(&bytes[..9]), Err(EditBytesError::Truncated { length: 9 }));
    /// ```
    Edit:
    0 SetSolid(cell);
    1 ClearSolid(cell);
    2 Pour { cell, units };
    3 Scoop { cell, units };
    4 FillSolid(region);
    5 FillWater { region, level };
    6 InsertChunk { position, chunk };
    7 InsertChunks(chunks);
    8 RemoveChunk(position);
    9 WakeAll;
}

/// An `i32`: −1 for ground, or the level.
impl Field for Cell {
    fn put(&self, out: &mut Writer) {
        out.put(&self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (at, found): (usize, i32) = (from.at(), from.take()?);
        match u32::try_from(found) {
            Ok(level @ 0..=MAX_LEVEL) => Ok(Cell(level as i32)),
            _ if Cell(found) == Cell::SOLID => Ok(Cell::SOLID),
            _ => Err(refused(at, "-1 for ground, or a level of at most 1,000,000", found)),
        }
    }
}
