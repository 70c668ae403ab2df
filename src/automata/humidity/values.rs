//! Edits as values, and their bytes: one edit for each function of [`HumidityWorld`] that changes
//! it between steps.

use super::{Cell, EditError, HumidityShape, HumidityWorld};
use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Reader};
use crate::coords::{ChunkPos, Region};
use crate::edit_table::edits;
use glam::IVec3;

edits! {
    /// An edit of a humidity world as a value: to be made by [`HumidityWorld::apply`], or kept and
    /// sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// A step is never left unfinished, so the world needs no queue of edits: a game that collects
    /// edits in a list and makes them before its next step gets the same bytes as a game that makes
    /// each edit at once.
    ///
    /// [As bytes](crate::EditValue::to_bytes) an edit takes 1 to 38 bytes, or with a chunk 27 to
    /// 53,265.
    ///
    /// ```
    /// use floodplain::humidity::{Cell, Edit, HumidityWorld, Outcome, Rules};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world: HumidityWorld = HumidityWorld::new(Rules::default())?;
    /// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Cell::soil(5.0, 1.0)));
    /// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
    /// let wet = Edit::SetHumidity { cell: IVec3::new(3, 4, 0), humidity: 8.0 };
    /// assert_eq!(world.apply(wet), Ok(Outcome::Humidity(5.0)));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
    pub enum Edit for [S: HumidityShape] HumidityWorld<S> -> Outcome, EditError;
    0 SetHumidity {
        /// The cell.
        cell: IVec3,
        /// The new humidity, from 0 to [`MOST_HUMIDITY`](super::MOST_HUMIDITY).
        humidity: f64,
    } [WORLD.at(*cell).permeable()] => set_humidity -> Humidity;
    1 SetImpermeability {
        /// The cell.
        cell: IVec3,
        /// The impermeability of soil or of rock.
        impermeability: f32,
    } [GROUND.at(*cell)] => set_impermeability -> Impermeability;
    2 SetRock(cell: IVec3) [GROUND.at(*cell)] => set_rock -> Changed;
    3 SetRain {
        /// The cell.
        cell: IVec3,
        /// The new humidity, from 0 to [`MOST_HUMIDITY`](super::MOST_HUMIDITY).
        humidity: f64,
    } [WORLD.at(*cell).permeable()] => set_rain;
    4 ClearRain(cell: IVec3) [MOISTURE.at(*cell).permeable()] => clear_rain -> Changed;
    5 SetCell {
        /// The cell.
        cell: IVec3,
        /// The cell to write.
        value: Cell,
    } [WORLD.at(*cell).ground()] => set_cell -> Cell;
    6 FillCells {
        /// The cells.
        region: Region,
        /// The cell to write in each place.
        value: Cell,
    } [WORLD.within(*region).ground()] => fill_cells;
    7 InsertChunk {
        /// The chunk's position, in chunks.
        position: ChunkPos,
        /// The chunk's cells, in the index order of the world's shape.
        chunk: Chunk<Cell>,
    } [WORLD.chunk(*position)] => insert_chunk;
    8 RemoveChunk(position: ChunkPos) [WORLD.chunk(*position)] => remove_chunk -> Removed;
    9 WakeAll [WORLD] => wake_all;
}

/// The result of an [`Edit`] that was not refused.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// The bytes of a cell: its humidity as an `f64`, its impermeability as an `f32`, and a `u8`, 1 for
/// rain and otherwise 0.
impl Field for Cell {
    fn put(&self, out: &mut Vec<u8>) {
        self.humidity.put(out);
        self.impermeability.put(out);
        self.rain.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (humidity, impermeability) = (from.take()?, from.take()?);
        let rain = from.one_of(&[false, true], "0, or 1 for rain")?;
        Ok(Cell { humidity, impermeability, rain })
    }
}
