//! Edits as values, and their bytes: one edit for each function of [`Water2dWorld`] that changes it
//! between steps.

use super::{Cell, EditError, MAX_LEVEL, Water2dWorld};
use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Reader};
use crate::coords::{ChunkPos, Region};
use crate::edit_table::edits;
use crate::simulation::Displaced;
use glam::IVec3;

edits! {
    /// An edit of a 2D water world as a value: to be made by [`Water2dWorld::apply`], or kept and
    /// sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// A step is never left unfinished, so the world needs no queue of edits: a game that collects
    /// edits in a list and makes them before its next step gets the same bytes as a game that makes
    /// each edit at once.
    ///
    /// [As bytes](crate::EditValue::to_bytes) an edit takes 1 to 29 bytes, or with chunks up to
    /// 16,400 for each chunk and five more.
    ///
    /// ```
    /// use floodplain::water2d::{Cell, Edit, Outcome, Rules, Water2dWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = Water2dWorld::new(7, Rules::default())?;
    /// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Cell::AIR));
    /// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
    /// let pour = Edit::Pour { cell: IVec3::new(3, 4, 0), units: 250 };
    /// assert_eq!(world.apply(pour), Ok(Outcome::Level(250)));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
    pub enum Edit for [] Water2dWorld -> Outcome, EditError;
    0 SetSolid(cell: IVec3) [GROUND.at(*cell).and_beside()] => set_solid -> Displaced;
    1 ClearSolid(cell: IVec3) [GROUND.at(*cell)] => clear_solid -> Changed;
    2 Pour {
        /// The cell.
        cell: IVec3,
        /// The units to pour.
        units: u32,
    } [WATER.at(*cell).units(*units)] => pour -> Level;
    3 Scoop {
        /// The cell.
        cell: IVec3,
        /// The most units to scoop.
        units: u32,
    } [WATER.at(*cell).units(*units)] => scoop -> Units;
    4 FillSolid(region: Region) [GROUND.within(*region)] => fill_solid -> Units;
    5 FillWater {
        /// The cells.
        region: Region,
        /// The units in each cell, 0 to [`MAX_LEVEL`].
        level: u32,
    } [WATER.within(*region).units_each(*level, MAX_LEVEL)] => fill_water -> Units;
    6 InsertChunk {
        /// The chunk's position, in chunks.
        position: ChunkPos,
        /// The chunk's cells.
        chunk: Chunk<Cell>,
    } [WORLD.chunk(*position)] => insert_chunk;
    7 InsertChunks(chunks: Vec<(ChunkPos, Chunk<Cell>)>)
        [WORLD.chunk(chunks.first().map(|&(first, _)| first))] => insert_chunks;
    8 RemoveChunk(position: ChunkPos) [WORLD.chunk(*position)] => remove_chunk -> Removed;
    9 WakeAll [WORLD] => wake_all;
}

/// The result of an [`Edit`] that was not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// What became of the water that was in the cell.
    Displaced(Displaced),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The level of the cell after the edit.
    Level(u32),
    /// The units scooped or removed.
    Units(u64),
    /// The chunk that was unloaded.
    Removed(Chunk<Cell>),
    /// The edit was made.
    Done,
}

/// The bytes of a cell: an `i32`, −1 for ground, or the level.
impl Field for Cell {
    fn put(&self, out: &mut Vec<u8>) {
        self.number().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (at, found) = (from.at(), from.take()?);
        Cell::from_number(found).ok_or_else(|| from.refused(at, Cell::NUMBERS, found))
    }
}
