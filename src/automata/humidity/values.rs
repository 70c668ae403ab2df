//! Edits as values, and their bytes: one for each function of [`HumidityWorld`] that changes it
//! between steps.

use super::{Cell, EditError, HumidityShape, HumidityWorld};
use crate::chunk::Chunk;
use crate::coords::Region;
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, edit_bytes};
use glam::IVec3;

/// An edit of a humidity world as a value: to be made by [`HumidityWorld::apply`], or kept and sent
/// as bytes ([`to_bytes`](Edit::to_bytes)).
///
/// A step is never left unfinished, so edits need no queue in the world: a game that collects them
/// in a list and makes them before its next step has the same bytes as one that makes each at once.
///
/// ```
/// use floodplain::humidity::{Cell, Edit, HumidityWorld, Outcome, Rules};
/// use floodplain::{Chunk, glam::IVec3};
///
/// let mut world: HumidityWorld = HumidityWorld::new(Rules::default())?;
/// let (position, chunk) = (IVec3::ZERO, Chunk::uniform(Cell::soil(5.0, 1.0)));
/// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
/// let wet = Edit::SetHumidity { cell: IVec3::new(3, 4, 0), humidity: 8.0 };
/// assert_eq!(world.apply(wet), Ok(Outcome::Humidity(5.0)));
/// # Ok::<(), floodplain::humidity::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// [`HumidityWorld::set_humidity`]; its outcome is [`Outcome::Humidity`].
    SetHumidity {
        /// Where.
        cell: IVec3,
        /// 0 to [`MOST_HUMIDITY`](super::MOST_HUMIDITY).
        humidity: f64,
    },
    /// [`HumidityWorld::set_impermeability`]; its outcome is [`Outcome::Impermeability`].
    SetImpermeability {
        /// Where.
        cell: IVec3,
        /// That of soil or of rock.
        impermeability: f32,
    },
    /// [`HumidityWorld::set_rock`]; its outcome is [`Outcome::Changed`].
    SetRock(IVec3),
    /// [`HumidityWorld::set_rain`]; its outcome is [`Outcome::Done`].
    SetRain {
        /// Where.
        cell: IVec3,
        /// 0 to [`MOST_HUMIDITY`](super::MOST_HUMIDITY).
        humidity: f64,
    },
    /// [`HumidityWorld::clear_rain`]; its outcome is [`Outcome::Changed`].
    ClearRain(IVec3),
    /// [`HumidityWorld::set_cell`]; its outcome is [`Outcome::Cell`].
    SetCell {
        /// Where.
        cell: IVec3,
        /// What is written.
        value: Cell,
    },
    /// [`HumidityWorld::fill_cells`]; its outcome is [`Outcome::Done`].
    FillCells {
        /// The cells.
        region: Region,
        /// What is written in each.
        value: Cell,
    },
    /// [`HumidityWorld::insert_chunk`]; its outcome is [`Outcome::Done`].
    InsertChunk {
        /// The chunk's position, in chunks.
        position: IVec3,
        /// Its cells, in the index order of the world's shape.
        chunk: Chunk<Cell>,
    },
    /// [`HumidityWorld::remove_chunk`]; its outcome is [`Outcome::Removed`].
    RemoveChunk(IVec3),
    /// [`HumidityWorld::wake_all`]; its outcome is [`Outcome::Done`].
    WakeAll,
}

/// What an [`Edit`] that was not refused came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The humidity that the cell had.
    Humidity(f64),
    /// The impermeability that the cell had.
    Impermeability(f32),
    /// The cell that was there.
    Cell(Cell),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The chunk that was unloaded.
    Removed(Chunk<Cell>),
    /// The edit was made.
    Done,
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Makes an edit at once, as the function of its name does.
    ///
    /// # Errors
    /// Those of that function. The edit changed nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        match edit {
            Edit::SetHumidity { cell, humidity } => {
                self.set_humidity(cell, humidity).map(Outcome::Humidity)
            }
            Edit::SetImpermeability { cell, impermeability } => {
                self.set_impermeability(cell, impermeability).map(Outcome::Impermeability)
            }
            Edit::SetRock(cell) => self.set_rock(cell).map(Outcome::Changed),
            Edit::SetRain { cell, humidity } => self.set_rain(cell, humidity).map(done),
            Edit::ClearRain(cell) => self.clear_rain(cell).map(Outcome::Changed),
            Edit::SetCell { cell, value } => self.set_cell(cell, value).map(Outcome::Cell),
            Edit::FillCells { region, value } => self.fill_cells(region, value).map(done),
            Edit::InsertChunk { position, chunk } => self.insert_chunk(position, chunk).map(done),
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }
}

edit_bytes! {
    /// Returns the edit as bytes: 1 to 38, or with a chunk 27 to 53,262. They mean the same in all
    /// later versions of this crate.
    ///
    /// ```
    /// use floodplain::humidity::{Edit, EditBytesError};
    /// use floodplain::glam::IVec3;
    ///
    /// let edit = Edit::SetRain { cell: IVec3::new(1, -2, 0), humidity: 900.0 };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 21);
    /// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
    /// assert_eq!(Edit::from_bytes(&bytes[..9]), Err(EditBytesError::Truncated { length: 9 }));
    /// ```
    Edit:
    0 SetHumidity { cell, humidity };
    1 SetImpermeability { cell, impermeability };
    2 SetRock(cell);
    3 SetRain { cell, humidity };
    4 ClearRain(cell);
    5 SetCell { cell, value };
    6 FillCells { region, value };
    7 InsertChunk { position, chunk };
    8 RemoveChunk(position);
    9 WakeAll;
}

/// Humidity `f64`, impermeability `f32`, and a `u8`: 1 for rain, else 0.
impl Field for Cell {
    fn put(&self, out: &mut Writer) {
        out.put(&self.humidity).put(&self.impermeability).put(&u8::from(self.rain));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let (humidity, impermeability) = (from.take()?, from.take()?);
        let rain = from.one_of(&[false, true], "0, or 1 for rain")?;
        Ok(Cell { humidity, impermeability, rain })
    }
}
