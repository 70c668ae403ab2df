//! One ground for water, moisture and explosions: a world of materials. The ground of each of its
//! parts is kept equal to its own.
//!
//! The automata do not depend on each other. Exchange between them, and their common clock, are
//! implemented here, above them.
//!
//! | where | what |
//! |---|---|
//! | `rules/` | materials, the rules of all parts, the limits derived from them, and errors |
//! | `ground/` | edits of materials, and how the parts follow them; loading and unloading chunks, as content and as records |
//! | `pressure/` | explosions: the ground lent to them, charges, their reach, broken ground and thrown water |
//! | `edit/` | edits as values and in a queue; edits of the parts; edits of water by name |
//! | `tick/` | a tick in pieces: water, exchange between water and soil, soil, explosions; settling; what a save may leave out |
//! | `feed/` | the changes of a world, as values and in bytes, and a copy that follows them |
//! | `query`, `simulation`, `view` | queries, the world as a [`Simulation`](crate::Simulation), the view for drawing |
//! | `bytes` | values in bytes |
//! | `ledger`, `validate` | the account of all water, and the laws |
//! | `restore` | the state that a snapshot saves |

mod bytes;
mod edit;
mod feed;
mod ground;
mod ledger;
pub(crate) mod pressure;
mod query;
#[cfg(feature = "snapshot")]
pub(crate) mod restore;
mod rules;
mod simulation;
pub(crate) mod tick;
mod validate;
mod view;

pub use edit::{Edit, Outcome};
pub use feed::{ChunkUpdate, Feed, MOISTURE_STEP, Mirror, Update};
pub use ground::Replaced;
pub use ground::content::ChunkContent;
pub use ground::record::ChunkRecord;
pub use ledger::Ledger;
pub use pressure::Broken;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{Common, Counts, Parts, SavedGround};
pub use rules::couplings::Couplings;
pub use rules::error::EditError;
pub use rules::material::{Material, MaterialId};
pub use rules::palette::{Palette, PaletteError};
pub use rules::{Rules, UnderWater};
pub use tick::settle::{Restless, Settle, Settling};
pub use view::WorldView;

use crate::automata::blast::extent::{confine, keep};
use crate::blast::BlastWorld;
use crate::coords::{ChunkPos, Cube, Region};
use crate::grid::Grid;
use crate::humidity::HumidityWorld;
use crate::rules_error::RulesError;
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
/// Its ground is a grid of [materials](Palette), and all parts have the same ground: solid cells
/// stop water and pressure, permeable cells are soil, cells with a strength are walls that break.
/// All edits of ground are edits of the world. The parts can be [read](World::water), and
/// [`apply`](World::apply) edits them in every way that leaves the ground unchanged.
///
/// Water soaks into soil, soil that holds too much gives it back, and evaporated water goes into
/// the soil below first: [`Couplings`] holds these rules, and [`Ledger`] the account.
///
/// Cells that no chunk holds are *not loaded*: water treats them by its rules, moisture as rock,
/// and pressure leaves the world at their faces.
///
/// ```
/// use floodplain::{ChunkPos, glam::IVec3};
/// use floodplain::world::{ChunkContent, Edit, Palette, Rules, World};
///
/// let palette = Palette::natural();
/// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
/// let mut world = World::new(7, palette, Rules::default())?;
/// // Ground up to y = 7.
/// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| soil, air);
/// world.insert_chunk(ChunkPos::ZERO, ground)?;
/// world.set_material(IVec3::new(8, 7, 8), air)?;
/// world.rain(IVec3::new(8, 15, 8), 9)?;
/// world.run(20);
/// assert!(world.units(IVec3::new(8, 7, 8)) < 7, "the soil soaked up the rest");
/// assert!(world.moisture(IVec3::new(9, 6, 8)) > 0, "and they spread");
/// world.validate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The same seed, palette, rules, bounds, edits and ticks give the same bytes on every platform.
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain::world")]
pub struct World {
    palette: Palette,
    rules: Rules,
    /// The material of each cell, in the same chunks as `water`. Cells beyond the bounds have the
    /// first material.
    ground: Grid<MaterialId, Cube>,
    water: WaterWorld,
    /// The part of soil: the chunks with a permeable cell.
    soil: HumidityWorld<Cube>,
    /// The part of explosions: the ground of the chunks in `mirrored`, and pressure in chunks
    /// within reach of `origins`.
    blast: BlastWorld<Cube>,
    /// The number of complete ticks.
    tick: u64,
    stage: Stage,
    queue: Queue,
    /// The chunks whose ground `blast` has, in order of position: loaded chunks in which `blast`
    /// has pressure or ground. The set follows from `blast`.
    mirrored: BTreeSet<ChunkPos>,
    /// The chunks in which pressure was added to the world, in order of position. They are
    /// forgotten once explosions are at rest, except chunks within reach of pressure that is still
    /// there.
    origins: BTreeSet<ChunkPos>,
    /// Whether an edit may have changed water since the ground of `blast` last followed it. Only
    /// checks read this. It is also `true` for a world that was just made or loaded.
    is_water_edited: bool,
    /// The water found to be thrown by flows in this tick.
    throws: Throws,
    /// The units of water that flows threw.
    thrown: u64,
    /// The units of water that soil left behind when it broke.
    spilled: u64,
    events: Vec<Broken>,
    unread: feed::unread::Unread,
    passed: Passed,
    /// The thresholds and chances that follow from rules and palette.
    limits: Limits,
    /// The contacts that follow from ground, water and soil.
    contacts: Contacts,
    #[cfg(feature = "store")]
    touched: Touched,
}

impl World {
    /// Returns a world without chunks, bounded by the range of `i32` only.
    ///
    /// # Errors
    /// A rule is out of range, or the rules do not allow a material of the palette.
    pub fn new(seed: u64, palette: Palette, rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(seed, palette, rules, Region::EVERYWHERE)
    }

    /// Returns a world without chunks that ends at the faces of `bounds`, where the rules of each
    /// part apply.
    ///
    /// # Errors
    /// A rule is out of range, or the rules do not allow a material of the palette.
    pub fn with_bounds(
        seed: u64,
        palette: Palette,
        rules: Rules,
        bounds: Region,
    ) -> Result<Self, RulesError> {
        rules.check(&palette)?;
        let limits = Limits::of(&rules, &palette);
        let mut blast = BlastWorld::with_bounds(rules.blast, bounds, rules.borders)
            .map_err(RulesError::within("blast"))?;
        keep(&mut blast, 1.0 - rules.blast_fading);
        confine(&mut blast);
        let mut soil =
            HumidityWorld::with_bounds(rules.soil, bounds).map_err(RulesError::within("soil"))?;
        soil.count_no_moves();
        Ok(World {
            water: WaterWorld::with_bounds(seed, rules.water, bounds)
                .map_err(RulesError::within("water"))?,
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
            unread: feed::unread::Unread::default(),
            passed: Passed::default(),
            limits,
            contacts: Contacts::default(),
            #[cfg(feature = "store")]
            touched: Touched::default(),
        })
    }
}
