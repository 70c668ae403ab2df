//! Edits as values, and their bytes: one for each function of [`BlastWorld`] that changes it
//! between steps.

use super::{BlastShape, BlastWorld, EditError};
use crate::chunk::Chunk;
use crate::coords::{Face, Region};
use crate::edit_bytes::edit_bytes;
use glam::IVec3;

/// An edit of a grid of pressure as a value: to be made by [`BlastWorld::apply`], or kept and sent
/// as bytes ([`to_bytes`](Edit::to_bytes)).
///
/// A step is never left unfinished, so edits need no queue in the world: a game that collects them
/// in a list and makes them before its next step has the same bytes as one that makes each at once.
///
/// ```
/// use floodplain::blast::{BlastWorld, Edit, Outcome, Rules};
/// use floodplain::glam::IVec3;
///
/// let mut world: BlastWorld = BlastWorld::new(Rules::default())?;
/// let cell = IVec3::new(3, 4, 0);
/// world.apply(Edit::SetPressure { cell, pressure: 300.0 })?;
/// assert_eq!(world.apply(Edit::AddPressure { cell, more: 20.0 }), Ok(Outcome::Pressure(320.0)));
/// assert_eq!(world.apply(Edit::ClearSolid(cell)), Ok(Outcome::Changed(false)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// [`BlastWorld::set_pressure`]; its outcome is [`Outcome::Pressure`], that before.
    SetPressure {
        /// Where.
        cell: IVec3,
        /// The pressure.
        pressure: f32,
    },
    /// [`BlastWorld::add_pressure`]; its outcome is [`Outcome::Pressure`], that after it.
    AddPressure {
        /// Where.
        cell: IVec3,
        /// What is added.
        more: f32,
    },
    /// [`BlastWorld::fill_pressure`]; its outcome is [`Outcome::Done`].
    FillPressure {
        /// The cells.
        region: Region,
        /// The pressure in each.
        pressure: f32,
    },
    /// [`BlastWorld::set_solid`]; its outcome is [`Outcome::Pressure`], that before.
    SetSolid(IVec3),
    /// [`BlastWorld::set_wall`]; its outcome is [`Outcome::Pressure`], that before.
    SetWall {
        /// Where.
        cell: IVec3,
        /// The pressure difference that it withstands.
        strength: f32,
    },
    /// [`BlastWorld::clear_solid`]; its outcome is [`Outcome::Changed`].
    ClearSolid(IVec3),
    /// [`BlastWorld::fill_solid`]; its outcome is [`Outcome::Sum`].
    FillSolid(Region),
    /// [`BlastWorld::fill_wall`]; its outcome is [`Outcome::Sum`].
    FillWall {
        /// The cells.
        region: Region,
        /// The pressure difference that each withstands.
        strength: f32,
    },
    /// [`BlastWorld::set_link`]; its outcome is [`Outcome::Weight`].
    SetLink {
        /// The cell at one end.
        cell: IVec3,
        /// The face that the link crosses.
        face: Face,
        /// Its weight.
        weight: f32,
    },
    /// [`BlastWorld::insert_chunk`]; its outcome is [`Outcome::Done`].
    InsertChunk {
        /// The chunk's position, in chunks.
        position: IVec3,
        /// Its pressures, in the index order of the world's shape.
        chunk: Chunk<f32>,
    },
    /// [`BlastWorld::remove_chunk`]; its outcome is [`Outcome::Removed`].
    RemoveChunk(IVec3),
    /// [`BlastWorld::wake_all`]; its outcome is [`Outcome::Done`].
    WakeAll,
    /// [`BlastWorld::add_charge`]; its outcome is [`Outcome::Sum`].
    AddCharge {
        /// The cell in its middle.
        centre: IVec3,
        /// Its radius, in cells.
        radius: f32,
        /// The pressure that is added at its centre.
        pressure: f32,
    },
}

/// What an [`Edit`] that was not refused came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The pressure in the cell, before the edit or after it.
    Pressure(f32),
    /// The sum of the pressures that were in the cells, or that a charge added to them.
    Sum(f64),
    /// The weight that the link had.
    Weight(f32),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The pressures of the chunk that was unloaded.
    Removed(Chunk<f32>),
    /// The edit was made.
    Done,
}

impl<S: BlastShape> BlastWorld<S> {
    /// Makes an edit at once, as the function of its name does.
    ///
    /// # Errors
    /// Those of that function. The edit changed nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetPressure { cell, pressure } => {
                self.set_pressure(cell, pressure).map(Outcome::Pressure)
            }
            Edit::AddPressure { cell, more } => {
                self.add_pressure(cell, more).map(Outcome::Pressure)
            }
            Edit::FillPressure { region, pressure } => {
                self.fill_pressure(region, pressure).map(done)
            }
            Edit::SetSolid(cell) => self.set_solid(cell).map(Outcome::Pressure),
            Edit::SetWall { cell, strength } => {
                self.set_wall(cell, strength).map(Outcome::Pressure)
            }
            Edit::ClearSolid(cell) => self.clear_solid(cell).map(Outcome::Changed),
            Edit::FillSolid(region) => self.fill_solid(region).map(Outcome::Sum),
            Edit::FillWall { region, strength } => {
                self.fill_wall(region, strength).map(Outcome::Sum)
            }
            Edit::SetLink { cell, face, weight } => {
                self.set_link(cell, face, weight).map(Outcome::Weight)
            }
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
            Edit::AddCharge { centre, radius, pressure } => {
                self.add_charge(centre, radius, pressure).map(Outcome::Sum)
            }
        }
    }
}

edit_bytes! {
    /// Returns the edit as bytes: 1 to 29, or with a chunk up to 16,398. They mean the same in all
    /// later versions of this crate.
    ///
    /// ```
    /// use floodplain::blast::{Edit, EditBytesError};
    /// use floodplain::glam::IVec3;
    ///
    /// let edit = Edit::SetWall { cell: IVec3::new(1, -2, 0), strength: 40.0 };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 17);
    /// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
    /// assert_eq!(Edit::from_bytes(&bytes[..9]), Err(EditBytesError::Truncated { length: 9 }));
    /// ```
    Edit:
    0 SetPressure { cell, pressure };
    1 AddPressure { cell, more };
    2 FillPressure { region, pressure };
    3 SetSolid(cell);
    4 SetWall { cell, strength };
    5 ClearSolid(cell);
    6 FillSolid(region);
    7 FillWall { region, strength };
    8 SetLink { cell, face, weight };
    9 InsertChunk { position, chunk };
    10 RemoveChunk(position);
    11 WakeAll;
    12 AddCharge { centre, radius, pressure };
}
