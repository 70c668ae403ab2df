//! Humidity in permeable ground: it seeps from rain through soils and around rocks.
//!
//! Source of the rules: the diffusion automaton of an underground-water prototype, in which each
//! cell has a humidity and an impermeability. Two sweeps keep its formula to the bit, in place as
//! the original program runs it, and synchronous as the prototype's text describes it. That formula
//! is always stable, but creates and loses humidity. The third sweep, the default, moves whole
//! units across faces instead, and conserves humidity.
//!
//! | [`Sweep`] | arithmetic | conserves | comes to rest | order |
//! |---|---|---|---|---|
//! | [`InPlace`](Sweep::InPlace) | `f32` | no | not promised | one sequence through the world |
//! | [`Synchronous`](Sweep::Synchronous) | `f32` | no | not promised | none |
//! | [`Conservative`](Sweep::Conservative) | units of 1/65,536 | exactly | yes, with a steady flow from rain to drains | none |
//!
//! The conservative sweep is the slowest. Between cells of impermeability i, a step of the mean
//! evens out 32·i/(i² + 4) times as much in a plane: at most eight times, at i = 2, and 6.4 times
//! at 1 and at 4. These ratios are for the default coefficient of 1/32; the largest stable
//! coefficient, 1/16, halves them. A game that wants the pace of the prototype's text runs several
//! steps of the conservative sweep in a tick.
//!
//! At rest the conservative sweep leaves differences too small to move a unit: between neighbours
//! with impermeabilities `i` and `i'` in soil, less than `(i + i') / (2 · coefficient)` units,
//! rounded up, and 4 more on sheets, 8 in cubes; by default 72 units, 0.001, between cells of
//! impermeability 2. Where soil is more impermeable than 2³² · `coefficient`, no humidity moves at
//! all. The rounding differs from face to face, so mirrored ground gives mirrored humidities only
//! up to a few units. Where humidity falls, by [`Rules::fall`], it is not level at rest: the ground
//! is wettest at its foot.

mod cell;
mod edit;
mod ledger;
mod plane;
mod query;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod steady;
pub(crate) mod step;
mod stirred;
mod store;
mod sweep;
mod units;
pub(crate) mod validate;
mod values;

pub use cell::{Cell, MOST_HUMIDITY, ROCK, UNITS};
pub use edit::EditError;
pub use ledger::Ledger;
pub use rules::{Border, Rules};
pub use sweep::Sweep;
pub(crate) use units::ChunkUnits;
pub use values::{Edit, Outcome};

use super::engine::workers::Workers;
use crate::coords::{Region, Sheet};
use crate::grid::Slot;
use crate::rules_error::RulesError;
pub(crate) use plane::Plane;
#[cfg(feature = "snapshot")]
pub(crate) use restore::ChunkFlow;
use steady::Steady;
pub(crate) use step::HumidityShape;
use step::ahead::{Closing, Leavings};
#[cfg(feature = "snapshot")]
pub(crate) use step::job::Tally;
use step::job::{Job, Scratch};
use step::kernel::Kernel;
pub(crate) use stirred::RowMask;
pub(crate) use store::Fed;
use store::Store;

/// A world of soil, rock and rain on sparse chunks: 64×64×1 in the x-y plane for a [`Sheet`], with
/// separate layers at different z, or 16³ for a [`Cube`](crate::Cube).
///
/// Cells that no chunk holds are dry rock, like the space beyond the original's board. Any number
/// of edits may come between two [`step`](HumidityWorld::step)s, in any order.
///
/// ```
/// use floodplain::humidity::{Cell, HumidityWorld, Rules};
/// use floodplain::{Chunk, ChunkPos, Sheet, glam::IVec3};
///
/// let mut world = HumidityWorld::<Sheet>::new(Rules::default())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(0.0, 1.0)))?;
/// world.set_rain(IVec3::new(8, 8, 0), 1024.0)?;
/// world.set_rock(IVec3::new(9, 8, 0))?;
/// world.run(50);
/// assert!(world.humidity(IVec3::new(7, 8, 0)) > 100.0, "it seeps away from the rain");
/// assert!(
///     world.humidity(IVec3::new(10, 8, 0)) < world.humidity(IVec3::new(6, 8, 0)),
///     "and round the rock"
/// );
/// let ledger = world.ledger().expect("the default sweep keeps one");
/// assert_eq!(
///     world.total(),
///     (ledger.placed as i128 + ledger.rained) as f64 / 65_536.0,
///     "and none is made or lost"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain::humidity")]
pub struct HumidityWorld<S: HumidityShape = Sheet> {
    rules: Rules,
    store: Store<S>,
    kernel: Kernel<S>,
    workers: Workers<Scratch<S>>,
    ticks: u64,
    ledger: Ledger,
    steady: Steady,
    /// The steps done by this world, regardless of its tick counter, for saves.
    #[cfg(feature = "store")]
    steps: u64,
    /// By slot, the number of steps done after the last step that the chunk took part in.
    #[cfg(feature = "store")]
    stepped: Vec<u64>,
    /// Jobs, kept to reuse their memory.
    jobs: Vec<Job<S>>,
    /// The index in the list of awake chunks at which the search for the next chunk to step ahead
    /// begins.
    next_ahead: usize,
    /// The step being closed, if any.
    closing: Option<Closing<S>>,
    /// The old data of the last step, if that step was done ahead.
    leavings: Leavings<S>,
    /// In a divided world, the chunks that the last step changed, with the faces at which cells
    /// changed.
    touched: Vec<(Slot, [bool; 6])>,
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns a world without chunks, bounded only by the `i32` range.
    ///
    /// # Errors
    /// A value of the rules is out of range, or a step would not be stable.
    pub fn new(rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(rules, Region::EVERYWHERE)
    }

    /// Returns a world that ends at the faces of `bounds`, as [`Rules::borders`] says.
    ///
    /// # Errors
    /// A value of the rules is out of range, or a step would not be stable.
    pub fn with_bounds(rules: Rules, bounds: Region) -> Result<Self, RulesError> {
        rules.check::<S>()?;
        Ok(HumidityWorld {
            rules,
            store: Store::new(&rules, bounds),
            kernel: Kernel::new(&rules),
            workers: Workers::new(Scratch::new),
            ticks: 0,
            ledger: Ledger::default(),
            steady: Steady::default(),
            #[cfg(feature = "store")]
            steps: 0,
            #[cfg(feature = "store")]
            stepped: Vec::new(),
            jobs: Vec::new(),
            next_ahead: 0,
            closing: None,
            leavings: Leavings::default(),
            touched: Vec::new(),
        })
    }
}
