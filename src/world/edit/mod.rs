//! Edits as values: one for each function of [`World`] that changes it between ticks, except that
//! chunks are inserted one by one; and those of its parts.
//!
//! | file | what |
//! |---|---|
//! | `bytes`, `client`, `queue` | edits in bytes, from clients, and in line |
//! | `parts` | edits of the parts, as values, that leave the ground as it is |
//! | `water_edits`, `rain` | those of water by name, and water from above |

mod bytes;
mod client;
mod parts;
pub(super) mod queue;
mod rain;
mod water_edits;

use crate::coords::{CHUNK_CELLS, Region};
use crate::world::World;
use crate::world::ground::Replaced;
use crate::world::ground::content::Content;
use crate::world::ground::record::ChunkRecord;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::{blast, humidity, water};
use glam::IVec3;

/// An edit of a world as a value: to be made by [`World::apply`], put in line by [`World::queue`],
/// or kept and sent as bytes ([`to_bytes`](Edit::to_bytes)).
///
/// Edits of a part are those that leave its ground as it is: springs, sea, fixtures and units of
/// water, moisture and rain of soil, pressure. Those that would change ground, chunks or links are
/// refused as [`EditError::ChangesGround`].
///
/// ```
/// use floodplain::glam::IVec3;
/// use floodplain::water;
/// use floodplain::world::{Content, Edit, EditError, Outcome, Palette, Rules, World};
///
/// let palette = Palette::natural();
/// let air = palette.id("air").expect("natural");
/// let mut world = World::new(7, palette, Rules::default())?;
/// let (position, content) = (IVec3::ZERO, Content::from_fn(IVec3::ZERO, |_| air));
/// assert_eq!(world.apply(Edit::InsertChunk { position, content }), Ok(Outcome::Done));
/// let spring = water::Edit::AddSource(IVec3::new(3, 4, 5));
/// let outcome = world.apply(Edit::Water(spring));
/// assert_eq!(outcome, Ok(Outcome::Water(water::Outcome::Changed(true))));
/// let refused = world.apply(Edit::Water(water::Edit::SetSolid(IVec3::ZERO)));
/// assert_eq!(refused, Err(EditError::ChangesGround { part: "water", edit: "SetSolid" }));
/// # Ok::<(), floodplain::world::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// [`World::set_material`]; its outcome is [`Outcome::Replaced`].
    SetMaterial {
        /// Where.
        cell: IVec3,
        /// What it becomes.
        material: MaterialId,
    },
    /// [`World::fill_material`]; its outcome is [`Outcome::Units`], those removed.
    FillMaterial {
        /// The cells.
        region: Region,
        /// What they become.
        material: MaterialId,
    },
    /// [`World::insert_chunk`]; its outcome is [`Outcome::Done`].
    InsertChunk {
        /// The chunk's position, in chunks.
        position: IVec3,
        /// What it holds.
        content: Content,
    },
    /// [`World::remove_chunk`]; its outcome is [`Outcome::Removed`].
    RemoveChunk(IVec3),
    /// [`World::remove_chunks`]; its outcome is [`Outcome::Records`].
    RemoveChunks(Vec<IVec3>),
    /// [`World::insert_records`]; its outcome is [`Outcome::Done`].
    InsertRecords(Vec<ChunkRecord>),
    /// [`World::rain`]; its outcome is [`Outcome::Units`], those that found a place.
    Rain {
        /// From where.
        from: IVec3,
        /// The most units that fall.
        units: u32,
    },
    /// [`World::charge`]; its outcome is [`Outcome::Blast`], the sum of what was added.
    Charge {
        /// The cell in its middle.
        centre: IVec3,
        /// Its radius, in cells.
        radius: f32,
        /// The pressure that is added at its centre.
        pressure: f32,
    },
    /// An edit of water; its outcome is [`Outcome::Water`].
    Water(water::Edit),
    /// An edit of moisture; its outcome is [`Outcome::Soil`].
    Soil(humidity::Edit),
    /// An edit of pressure; its outcome is [`Outcome::Blast`].
    Blast(blast::Edit),
    /// [`World::wake_all`]; its outcome is [`Outcome::Done`].
    WakeAll,
}

/// What an [`Edit`] that was not refused came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// What was in the cell.
    Replaced(Replaced),
    /// The units of water removed, or of rain that found a place.
    Units(u64),
    /// What the chunk held that was unloaded.
    Removed(Content),
    /// The chunks that were unloaded.
    Records(Vec<ChunkRecord>),
    /// Of an edit of water.
    Water(water::Outcome),
    /// Of an edit of moisture.
    Soil(humidity::Outcome),
    /// Of an edit of pressure.
    Blast(blast::Outcome),
    /// The edit was made.
    Done,
}

impl Outcome {
    /// Returns the units of water of an edit that pours, scoops, takes, adds or removes some, of
    /// rain those that found a place; `None` for other edits. What a bucket gave, or gets back:
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::water;
    /// use floodplain::world::{Content, Edit, MaterialId, Palette, Rules, World};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let air = Content::from_fn(IVec3::ZERO, |_| MaterialId(0));
    /// world.insert_chunk(IVec3::ZERO, air)?;
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

impl World {
    /// Makes an edit at once, as the function of its name does, or that of the part.
    ///
    /// # Errors
    /// Those of that function, and [`EditError::ChangesGround`] for an edit of a part. The edit
    /// changed nothing.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        self.settle();
        match edit {
            Edit::SetMaterial { cell, material } => {
                self.set_material(cell, material).map(Outcome::Replaced)
            }
            Edit::FillMaterial { region, material } => {
                self.fill_material(region, material).map(Outcome::Units)
            }
            Edit::InsertChunk { position, content } => {
                self.insert_chunk(position, content).map(|()| Outcome::Done)
            }
            Edit::RemoveChunk(position) => self.remove_chunk(position).map(Outcome::Removed),
            Edit::RemoveChunks(positions) => self.remove_chunks(positions).map(Outcome::Records),
            Edit::InsertRecords(records) => self.insert_records(records).map(|()| Outcome::Done),
            Edit::Rain { from, units } => {
                self.rain(from, units).map(|units| Outcome::Units(units.into()))
            }
            Edit::Charge { centre, radius, pressure } => {
                let added = self.charge(centre, radius, pressure)?;
                Ok(Outcome::Blast(blast::Outcome::Sum(added)))
            }
            Edit::Water(edit) => self.edit_water(edit).map(Outcome::Water),
            Edit::Soil(edit) => self.edit_soil(edit).map(Outcome::Soil),
            Edit::Blast(edit) => self.edit_blast(edit).map(Outcome::Blast),
            Edit::WakeAll => {
                self.wake_all();
                Ok(Outcome::Done)
            }
        }
    }
}

impl Edit {
    /// Returns how many cells the edit counts for in a budget if it is not refused: those of its
    /// region or chunks, or one.
    pub(in crate::world) fn cells(&self) -> u64 {
        let in_region = |region: &Region| u64::try_from(region.volume()).unwrap_or(u64::MAX);
        match self {
            Edit::FillMaterial { region, .. }
            | Edit::Water(water::Edit::FillWater { region, .. } | water::Edit::FillSea(region))
            | Edit::Blast(blast::Edit::FillPressure { region, .. }) => in_region(region),
            Edit::Charge { radius, .. } | Edit::Blast(blast::Edit::AddCharge { radius, .. }) => {
                // A charge that is not refused has far fewer cells than a u64 can count.
                let side = 2 * u64::from(*radius as u16) + 1;
                side.pow(3)
            }
            Edit::InsertChunk { .. } | Edit::RemoveChunk(_) => CHUNK_CELLS as u64,
            Edit::RemoveChunks(positions) => (positions.len() * CHUNK_CELLS) as u64,
            Edit::InsertRecords(records) => (records.len() * CHUNK_CELLS) as u64,
            _ => 1,
        }
    }
}
