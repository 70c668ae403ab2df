//! Edits as values: one for each function of [`World`] that changes it between ticks, except that
//! chunks are inserted one by one; and the edits of its parts.
//!
//! | file | what |
//! |---|---|
//! | `queue` | queued edits |
//! | `parts` | edits of the parts, as values, that leave the ground as it is |
//! | `water_edits`, `rain` | edits of water by name, and water from above |

mod parts;
pub(super) mod queue;
pub(crate) mod rain;
mod water_edits;

use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::edit_table::edits;
use crate::world::World;
use crate::world::ground::Replaced;
use crate::world::ground::content::ChunkContent;
use crate::world::ground::record::ChunkRecord;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::{blast, humidity, water};
use glam::IVec3;

edits! {
    /// An edit of a world as a value: to be made by [`World::apply`], queued by [`World::queue`],
    /// or kept and sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// An edit of a part must leave the ground as it is. It may change springs, sea, fixtures and
    /// units of water; moisture and rain of soil; or pressure. An edit of a part that would change
    /// ground, chunks or links is refused as [`EditError::ChangesGround`].
    ///
    /// [As bytes](crate::EditValue::to_bytes), an edit takes 1 to 39 bytes, or 17 to 28,698 with a
    /// chunk; with a list, its size grows with the list.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::water;
    /// use floodplain::world::{ChunkContent, Edit, EditError, Outcome, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let air = palette.id("air").expect("natural");
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let (position, content) = (ChunkPos::ZERO, ChunkContent::from_fn(ChunkPos::ZERO, |_| air));
    /// assert_eq!(world.apply(Edit::InsertChunk { position, content }), Ok(Outcome::Done));
    /// let spring = water::Edit::AddSource(IVec3::new(3, 4, 5));
    /// let outcome = world.apply(Edit::Water(spring));
    /// assert_eq!(outcome, Ok(Outcome::Water(water::Outcome::Changed(true))));
    /// let refused = world.apply(Edit::Water(water::Edit::SetSolid(IVec3::ZERO)));
    /// assert_eq!(refused, Err(EditError::ChangesGround { part: "water", edit: "SetSolid" }));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
    pub enum Edit for [] World -> Outcome, EditError, after settle;
    0 SetMaterial {
        /// The cell.
        cell: IVec3,
        /// The new material.
        material: MaterialId,
    } [GROUND.at(*cell)] => set_material -> Replaced;
    1 FillMaterial {
        /// The cells.
        region: Region,
        /// The new material of each cell.
        material: MaterialId,
    } [GROUND.within(*region)] => fill_material -> Units;
    2 InsertChunk {
        /// The chunk's position, in chunks.
        position: ChunkPos,
        /// The chunk's content.
        content: ChunkContent,
    } [WORLD.chunks(1)] => insert_chunk;
    3 RemoveChunk(position: ChunkPos) [WORLD.chunks(1)] => remove_chunk -> Removed;
    4 Rain {
        /// The cell from which the rain falls.
        from: IVec3,
        /// The most units that fall.
        units: u32,
    } [MOISTURE.at(*from).units(*units)] => rain -> Units;
    5 /** An edit of water. */ Water(edit: water::Edit) [edit.scope()] => (edit_water) -> Water;
    6 /** An edit of moisture. */ Soil(edit: humidity::Edit) [edit.scope()] => (edit_soil) -> Soil;
    7 /** An edit of pressure. */ Blast(edit: blast::Edit) [edit.scope()] => (edit_blast) -> Blast;
    8 WakeAll [WORLD.each_chunk(CHUNK_CELLS)] => wake_all;
    9 RemoveChunks(positions: Vec<ChunkPos>)
        [WORLD.chunks(positions.len())] => remove_chunks -> Records;
    10 InsertRecords(records: Vec<ChunkRecord>) [WORLD.chunks(records.len())] => insert_records;
    11 Charge {
        /// The cell at the centre of the charge.
        centre: IVec3,
        /// The radius of the charge, in cells.
        radius: f32,
        /// The pressure that is added at the centre.
        pressure: f32,
    } [PRESSURE.charge(*centre, *radius, *pressure)] => charge -> Pressure;
}

/// The outcome of an [`Edit`] that was not refused.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// The old content of the cell.
    Replaced(Replaced),
    /// The units of water removed, or of rain that found a place.
    Units(u64),
    /// The content of the unloaded chunk.
    Removed(ChunkContent),
    /// The chunks that were unloaded.
    Records(Vec<ChunkRecord>),
    /// The outcome of an edit of water.
    Water(water::Outcome),
    /// The outcome of an edit of moisture.
    Soil(humidity::Outcome),
    /// The sum of the pressures that a charge added.
    Pressure(f64),
    /// The outcome of an edit of pressure.
    Blast(blast::Outcome),
    /// The edit was made.
    Done,
}

impl Outcome {
    /// Returns the units of water that an edit poured, scooped, took, added or removed, or the
    /// units of rain that found a place; `None` for other edits. This is what a bucket gave, or
    /// gets back:
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::water;
    /// use floodplain::world::{ChunkContent, Edit, MaterialId, Palette, Rules, World};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let air = ChunkContent::from_fn(ChunkPos::ZERO, |_| MaterialId(0));
    /// world.insert_chunk(ChunkPos::ZERO, air)?;
    /// let (cell, units) = (IVec3::new(8, 0, 8), 9);
    /// world.queue(Edit::Water(water::Edit::Pour { cell, units }));
    /// world.step();
    /// let report = world.take_edit_reports().remove(0);
    /// assert_eq!(report.result?.units(), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn units(&self) -> Option<u64> {
        match *self {
            Outcome::Units(units) | Outcome::Water(water::Outcome::Units(units)) => Some(units),
            _ => None,
        }
    }
}
