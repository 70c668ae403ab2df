//! Edits as values, and their bytes: one edit for each function of [`BlastWorld`] that changes it
//! between steps.

use super::{BlastShape, BlastWorld, EditError};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face, Region};
use crate::edit_table::edits;
use glam::IVec3;

edits! {
    /// An edit of a grid of pressure as a value: to be made by [`BlastWorld::apply`], or kept and
    /// sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// A step is never left unfinished, so the world needs no queue of edits: a game that collects
    /// edits in a list and makes them before its next step gets the same bytes as a game that makes
    /// each edit at once.
    ///
    /// [As bytes](crate::EditValue::to_bytes) an edit takes 1 to 29 bytes, or with a chunk up to
    /// 16,401.
    ///
    /// ```
    /// use floodplain::blast::{BlastWorld, Edit, Outcome, Rules};
    /// use floodplain::glam::IVec3;
    ///
    /// let mut world: BlastWorld = BlastWorld::new(Rules::default())?;
    /// let cell = IVec3::new(3, 4, 0);
    /// world.apply(Edit::SetPressure { cell, pressure: 300.0 })?;
    /// let sum = world.apply(Edit::AddPressure { cell, more: 20.0 });
    /// assert_eq!(sum, Ok(Outcome::Pressure(320.0)));
    /// assert_eq!(world.apply(Edit::ClearSolid(cell)), Ok(Outcome::Changed(false)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
    pub enum Edit for [S: BlastShape] BlastWorld<S> -> Outcome, EditError;
    0 SetPressure {
        /// The cell.
        cell: IVec3,
        /// The pressure.
        pressure: f32,
    } [PRESSURE.at(*cell).open().pressure(*pressure)] => set_pressure -> Pressure;
    1 AddPressure {
        /// The cell.
        cell: IVec3,
        /// The pressure to add.
        more: f32,
    } [PRESSURE.added(*cell, *more)] => add_pressure -> Pressure;
    2 FillPressure {
        /// The cells.
        region: Region,
        /// The new pressure of each cell.
        pressure: f32,
    } [PRESSURE.within(*region).pressure(*pressure)] => fill_pressure;
    3 SetSolid(cell: IVec3) [GROUND.at(*cell)] => set_solid -> Pressure;
    4 SetWall {
        /// The cell.
        cell: IVec3,
        /// The pressure difference that the wall withstands.
        strength: f32,
    } [GROUND.at(*cell)] => set_wall -> Pressure;
    5 ClearSolid(cell: IVec3) [GROUND.at(*cell)] => clear_solid -> Changed;
    6 FillSolid(region: Region) [GROUND.within(*region)] => fill_solid -> Sum;
    7 FillWall {
        /// The cells.
        region: Region,
        /// The pressure difference that each wall withstands.
        strength: f32,
    } [GROUND.within(*region)] => fill_wall -> Sum;
    8 SetLink {
        /// The cell at one end.
        cell: IVec3,
        /// The face that the link crosses.
        face: Face,
        /// The new weight of the link.
        weight: f32,
    } [GROUND.at(*cell)] => set_link -> Weight;
    9 InsertChunk {
        /// The chunk's position, in chunks.
        position: ChunkPos,
        /// The chunk's pressures, in the index order of the world's shape.
        chunk: Chunk<f32>,
    } [WORLD.chunk(*position)] => insert_chunk;
    10 RemoveChunk(position: ChunkPos) [WORLD.chunk(*position)] => remove_chunk -> Removed;
    11 WakeAll [WORLD] => wake_all;
    12 AddCharge {
        /// The cell at the centre of the charge.
        centre: IVec3,
        /// The radius of the charge, in cells.
        radius: f32,
        /// The pressure that is added at the centre.
        pressure: f32,
    } [PRESSURE.charge(*centre, *radius, *pressure)] => add_charge -> Sum;
}

/// The result of an [`Edit`] that was not refused.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
