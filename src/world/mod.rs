//! One ground for water, moisture and explosions: a world of materials, whose parts are kept equal
//! to it.
//!
//! No automaton knows of another. What goes from one to the other, and the clock that they share,
//! stands here, above them.
//!
//! | file | what |
//! |---|---|
//! | `material`, `palette`, `rules` | what ground is made of, and the rules of all parts, with their checks |
//! | `content`, `water_table` | a chunk as a game gives it: materials, water, moisture; from heights or a closure, and moist from the start |
//! | `error` | why an edit was refused |
//! | `ground` | edits of materials, and how the parts follow them |
//! | `chunks`, `record` | loading and unloading; chunks that travel |
//! | `pressure`, `submerged` | the ground of explosions: lent where there is pressure, with full cells of water; what breaks |
//! | `charge`, `reach`, `spill`, `throws` | charges; how far they reach; moisture of broken soil that becomes water; water that flows throw |
//! | `water_edits` | edits of water that leave the ground as it is |
//! | `parts` | the same of all parts, as values |
//! | `rain` | water from above |
//! | `couplings`, `limits`, `contacts`, `exchange`, `seabed` | what passes between water and soil: its rules, what they come to for each material, where it may, how it does; what the sea keeps full |
//! | `tick` | a tick: water, then soil, then explosions, in pieces |
//! | `settle` | ticks of some chunks alone, until nothing moves in them |
//! | `simulated` | what a simulation distance needs to know |
//! | `values`, `bytes`, `queue` | edits as values, in bytes, and in a queue |
//! | `query`, `ledger`, `validate` | reading, the account of all water, the laws |
//! | `feed` | what has changed, as values and in bytes, and a copy that follows it |
//! | `view` | what the drawing reads, of a world or of a copy that follows it |
//! | `restore`, `touched` | what a snapshot needs, and what a save may leave out |

mod bytes;
mod charge;
mod chunks;
mod client;
mod contacts;
mod content;
mod couplings;
mod error;
mod exchange;
mod feed;
mod ground;
mod ledger;
mod limits;
mod material;
mod palette;
mod parts;
mod pressure;
mod query;
mod queue;
mod rain;
mod reach;
mod record;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod seabed;
mod settle;
mod simulated;
mod spill;
mod submerged;
mod throws;
mod tick;
mod touched;
mod validate;
mod values;
mod view;
mod water_edits;
mod water_table;

pub use crate::edit_bytes::EditBytesError;
pub use crate::water::{MirrorError, Progress, UpdateBytesError};
pub use content::Content;
pub use couplings::Couplings;
pub use error::EditError;
pub use feed::{ChunkUpdate, Feed, MOISTURE_STEP, Mirror, Update};
pub use ground::Replaced;
pub use ledger::Ledger;
pub use material::{Material, MaterialId};
pub use palette::{Palette, PaletteError};
pub use pressure::Broken;
pub use queue::EditReport;
pub use record::ChunkRecord;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{Common, Counts, Parts, SavedGround};
pub use rules::{Rules, RulesError, Submerged};
pub use settle::{Restless, Settling, settle};
pub use validate::Violation;
pub use values::{Edit, Outcome};
pub use view::WorldView;

use crate::automaton::automaton;
use crate::blast::BlastWorld;
use crate::coords::{Cube, Region};
use crate::grid::Grid;
use crate::humidity::HumidityWorld;
use crate::water::WaterWorld;
use contacts::Contacts;
use exchange::Passed;
use limits::Limits;
use queue::Queue;
use std::collections::BTreeSet;
use throws::Throws;
use tick::Stage;

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
/// assert!(world.height(IVec3::new(8, 7, 8)) < 7, "the soil soaked up the rest");
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
    touched: touched::Touched,
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
            touched: touched::Touched::default(),
        })
    }
}

automaton!([] World, u128, Ledger, Violation);
