//! Edits as values: one for each function of [`WaterWorld`] that changes the world between ticks.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Region};
use crate::edit_table::edits;
use crate::simulation::Displaced;
use crate::water::cell::FULL;
use crate::water::edit::EditError;
use crate::water::voxel::Voxel;
use crate::water::{ChunkRecord, Edge, Fixture, Rules, WaterWorld};
use glam::IVec3;

edits! {
    /// An edit of a water world as a value: to be made by [`WaterWorld::apply`], queued by
    /// [`WaterWorld::queue`], or kept and sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// [As bytes](crate::EditValue::to_bytes), an edit takes 1 to 64 bytes. An edit with chunks
    /// takes up to 8,208 for each chunk, one with a list of positions 12 for each position, and one
    /// with records the [bytes](ChunkRecord::to_bytes) of each record plus four; each of these
    /// edits takes up to five more.
    ///
    /// ```
    /// use floodplain::water::{Edit, Outcome, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    /// assert_eq!(world.apply(Edit::InsertChunk { position, chunk }), Ok(Outcome::Done));
    /// let pour = Edit::Pour { cell: IVec3::new(3, 0, 3), units: 9 };
    /// assert_eq!(world.apply(pour), Ok(Outcome::Units(7)));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
    pub enum Edit for [] WaterWorld -> Outcome, EditError;
    0 SetSolid(cell: IVec3) [GROUND.at(*cell)] => set_solid -> Displaced;
    1 ClearSolid(cell: IVec3) [GROUND.at(*cell)] => clear_solid -> Changed;
    2 AddSource(cell: IVec3) [SPRINGS.at(*cell)] => add_source -> Changed;
    3 RemoveSource(cell: IVec3) [SPRINGS.at(*cell)] => remove_source -> Changed;
    4 Pour {
        /// The cell.
        cell: IVec3,
        /// The most units to pour into the cell.
        units: u32,
    } [WATER.at(*cell).units(*units)] => pour -> Units;
    5 Scoop {
        /// The cell.
        cell: IVec3,
        /// The most units to scoop out of the cell.
        units: u32,
    } [WATER.at(*cell).units(*units)] => scoop -> Units;
    6 FillSolid(region: Region) [GROUND.within(*region)] => fill_solid -> Units;
    7 FillWater {
        /// The cells.
        region: Region,
        /// The units in each cell, 0 to 7.
        height: u8,
    } [WATER.within(*region).units_each(*height, FULL).open()] => fill_water -> Units;
    8 InsertChunk {
        /// The chunk's position, in chunks.
        position: ChunkPos,
        /// Its cells.
        chunk: Chunk<Voxel>,
    } [WORLD.chunks(1)] => insert_chunk;
    9 InsertChunks(chunks: Vec<(ChunkPos, Chunk<Voxel>)>)
        [WORLD.chunks(chunks.len())] => insert_chunks;
    10 RemoveChunk(position: ChunkPos) [WORLD.chunks(1)] => remove_chunk -> Removed;
    11 WakeAll [WORLD.each_chunk(CHUNK_CELLS)] => wake_all;
    12 SetRules(rules: Rules) [WORLD.each_chunk(CHUNK_CELLS)] => set_rules;
    14 SetSea(cell: IVec3) [SEA.at(*cell).open()] => set_sea -> Changed;
    15 ClearSea(cell: IVec3) [SEA.at(*cell)] => clear_sea -> Changed;
    16 FillSea(region: Region) [SEA.within(*region).open()] => fill_sea -> Units;
    17 SetEdge {
        /// The x and z of the column's chunk positions.
        column: ColumnPos,
        /// The edge at its faces, or `None` for the edge of the rules.
        edge: Option<Edge>,
    } [WORLD.each_chunk(1)] => set_edge -> Changed;
    18 Freeze(positions: Vec<ChunkPos>) [WORLD.faces(positions.len())] => freeze -> Changed;
    19 Thaw(positions: Vec<ChunkPos>) [WORLD.faces(positions.len())] => thaw -> Changed;
    20 RemoveChunks(positions: Vec<ChunkPos>)
        [WORLD.chunks(positions.len())] => remove_chunks -> Records;
    21 InsertRecords(records: Vec<ChunkRecord>) [WORLD.chunks(records.len())] => insert_records;
    30 DrainBody {
        /// A cell of the body.
        cell: IVec3,
        /// The most units to take.
        units: u32,
    } [WATER.at(*cell).units(*units)] => drain_body -> Units;
    31 FillBody {
        /// A cell of the body.
        cell: IVec3,
        /// The most units to add.
        units: u32,
    } [WATER.at(*cell).units(*units)] => fill_body -> Units;
    32 SetFixture {
        /// The cell.
        cell: IVec3,
        /// The new fixture, or `None` to remove the present one.
        fixture: Option<Fixture>,
    } [SPRINGS.at(*cell)] => set_fixture -> Changed;
}

/// The outcome of an [`Edit`] that has not been refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// The displaced water.
    Displaced(Displaced),
    /// Whether the edit has changed anything.
    Changed(bool),
    /// The units poured, scooped, taken, added or removed.
    Units(u64),
    /// The chunk that was unloaded.
    Removed(Chunk<Voxel>),
    /// The chunks that were unloaded.
    Records(Vec<ChunkRecord>),
    /// The edit was made and has no other result.
    Done,
}
