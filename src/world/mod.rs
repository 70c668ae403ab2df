//! One ground for water, moisture and explosions: a world of materials, whose parts are kept equal
//! to it.
//!
//! No automaton knows of another. What goes from one to the other, and the clock that they share,
//! stands here, above them.
//!
//! | where | what |
//! |---|---|
//! | `rules/` | materials, the rules of all parts, the limits derived from them, and errors |
//! | `ground/` | edits of materials, and how the parts follow them; chunks that are loaded, and that travel |
//! | `pressure/` | explosions: the ground that they are lent, charges, their reach, what breaks and what is thrown |
//! | `edit/` | edits as values, in bytes and in a queue; those of the parts |
//! | `tick/` | a tick in pieces: water, what passes between water and soil, soil, explosions |
//! | `feed/` | what has changed, as values and in bytes, and a copy that follows it |
//! | `query`, `view` | reading, and what the drawing reads |
//! | `ledger`, `validate` | the account of all water, and the laws |
//! | `restore` | what a snapshot needs |

mod bytes;
mod edit;
mod feed;
mod ground;
mod ledger;
mod pressure;
mod query;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod simulation;
mod tick;
mod validate;
mod view;

pub use edit::queue::EditReport;
pub use edit::{Edit, Outcome};
pub use feed::{ChunkUpdate, Feed, MOISTURE_STEP, Mirror, Update};
pub use ground::Replaced;
pub use ground::content::Content;
pub use ground::record::ChunkRecord;
pub use ledger::Ledger;
pub use pressure::Broken;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{Common, Counts, Parts, SavedGround};
pub use rules::couplings::Couplings;
pub use rules::error::EditError;
pub use rules::material::{Material, MaterialId};
pub use rules::palette::{Palette, PaletteError};
pub use rules::{Rules, RulesError, UnderWater};
pub use tick::settle::{Restless, Settle, Settling};
pub use view::WorldView;

use crate::blast::BlastWorld;
use crate::coords::{Cube, Region};
use crate::grid::Grid;
use crate::humidity::HumidityWorld;
use crate::water::WaterWorld;
use edit::queue::Queue;
use pressure::throws::Throws;
use rules::limits::Limits;
use std::collections::BTreeSet;
use tick::Stage;
use tick::contacts::Contacts;
use tick::exchange::Passed;
#[cfg(feature = "store")]
use tick::touched::Touched;

/// A world of ground on sparse 16³ chunks, with water, moisture and pressure in it.
///
/// Its ground is a grid of [materials](Palette), and each part has the same: what is solid stops
/// water and pressure, what is permeable is soil, what has a strength is a wall that breaks. All
/// edits of ground are edits of the world; the parts can be [read](World::water), and edited by
/// [`apply`](World::apply) in all that leaves the ground as it is.
///
/// Water soaks into soil, soil that holds too much gives it back, and what evaporates goes into the
/// soil below first: [`Couplings`] are the rules of that, and [`Ledger`] its account.
///
/// Cells that no chunk holds are *not loaded*: water treats them as its rules say, moisture as
/// rock, and pressure leaves the world at their faces.
///
/// ```
/// use floodplain::glam::IVec3;
/// use floodplain::world::{Content, Edit, Palette, Rules, World};
///
/// let palette = Palette::natural();
/// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
/// let mut world = World::new(7, palette, Rules::default())?;
/// // Ground up to y = 7.
/// world.insert_chunk(IVec3::ZERO, Content::from_heights(IVec3::ZERO, |_, _| 7, |_| soil, air))?;
/// world.set_material(IVec3::new(8, 7, 8), air)?;
/// world.rain(IVec3::new(8, 15, 8), 9)?;
/// world.run(20);
/// assert!(world.units(IVec3::new(8, 7, 8)) < 7, "the soil soaked up the rest");
/// assert!(world.moisture(IVec3::new(9, 6, 8)) > 0.0, "and they spread");
/// world.validate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The same seed, palette, rules, bounds, edits and ticks give the same bytes on every platform.
pub struct World {
    palette: Palette,
    rules: Rules,
    /// Chunks are those of `water`. Cells beyond the bounds have the first material.
    ground: Grid<MaterialId, Cube>,
    water: WaterWorld,
    /// Has the chunks with a permeable cell.
    soil: HumidityWorld<Cube>,
    /// Has the ground of the chunks in `mirrored`, and pressure in those within reach of `origins`.
    blast: BlastWorld<Cube>,
    /// The complete ticks.
    tick: u64,
    stage: Stage,
    queue: Queue,
    /// The chunks whose ground `blast` has, in order of position: of the loaded ones those with
    /// pressure, or with anything that stands in them there. Follows from `blast`.
    mirrored: BTreeSet<[i32; 3]>,
    /// The chunks in which pressure was put into the world since all was silent, in order of
    /// position.
    origins: BTreeSet<[i32; 3]>,
    /// Whether an edit may have changed water since `blast` followed it, for checks alone. That
    /// is not known of a world that was just made or loaded.
    is_water_edited: bool,
    /// What is found of the water that flows throw, in this tick.
    throws: Throws,
    /// The units of water that flows threw.
    thrown: u64,
    /// The units of water that broken soil left.
    spilled: u64,
    events: Vec<Broken>,
    untold: feed::untold::Untold,
    passed: Passed,
    /// What the rules come to; what follows from rules and palette.
    limits: Limits,
    /// What follows from ground, water and soil.
    contacts: Contacts,
    #[cfg(feature = "store")]
    touched: Touched,
}

impl World {
    /// Returns a world without chunks, bounded by the range of `i32` only.
    ///
    /// # Errors
    /// A rule is out of range, or a material of the palette is by these rules.
    pub fn new(seed: u64, palette: Palette, rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(seed, palette, rules, Region::EVERYWHERE)
    }

    /// Returns a world without chunks that ends at the faces of `bounds`, as the rules of each part
    /// say.
    ///
    /// # Errors
    /// A rule is out of range, or a material of the palette is by these rules.
    pub fn with_bounds(
        seed: u64,
        palette: Palette,
        rules: Rules,
        bounds: Region,
    ) -> Result<Self, RulesError> {
        rules.check(&palette)?;
        let limits = Limits::of(&rules, &palette);
        let mut blast = BlastWorld::with_bounds(rules.blast, bounds, rules.borders)
            .map_err(RulesError::Blast)?;
        blast.keep(1.0 - rules.blast_fading);
        blast.confine();
        let mut soil = HumidityWorld::with_bounds(rules.soil, bounds).map_err(RulesError::Soil)?;
        soil.count_no_moves();
        Ok(World {
            water: WaterWorld::with_bounds(seed, rules.water, bounds).map_err(RulesError::Water)?,
            soil,
            blast,
            palette,
            rules,
            ground: Grid::new(MaterialId(0)),
            tick: 0,
            stage: Stage::Rest,
            queue: Queue::default(),
            mirrored: BTreeSet::new(),
            origins: BTreeSet::new(),
            is_water_edited: true,
            throws: Throws::default(),
            thrown: 0,
            spilled: 0,
            events: Vec::new(),
            untold: feed::untold::Untold::default(),
            passed: Passed::default(),
            limits,
            contacts: Contacts::default(),
            #[cfg(feature = "store")]
            touched: Touched::default(),
        })
    }
}
