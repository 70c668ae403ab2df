//! Two-dimensional water with pressure: a vertical slice of ground and integer water levels.
//!
//! Source of the rules: a cellular automaton of water flow in two dimensions, whose cells hold five
//! units more for each cell of depth, so that water rises over obstacles when its body reaches
//! higher behind them. [`Rule::Literal`] is that automaton; [`Rule::Settling`] keeps its pressure
//! and comes to rest.
//!
//! # The literal rule
//!
//! The text gives its rule in words and in pseudo-code. [`Rule::Literal`] is the pseudo-code, with
//! these corrections:
//!
//! - The rising water is `level − capacity`; the pseudo-code has `capacity − level`, which is
//!   negative wherever its condition holds.
//! - No water sinks into a cell that holds its capacity or more. The pseudo-code gives the cell the
//!   units that it lacks, even a negative number, which would take water out of the cell below.
//! - The sinking water follows from the old level of the cell below. The pseudo-code reads its
//!   current level, so that a step depends on the order of the cells; with the order from the top
//!   down, both levels are the same.
//!
//! Where words and pseudo-code differ, the pseudo-code counts: the capacity is the *level* above
//! plus 5, where the words have the *capacity* above. Besides, no level exceeds [`MAX_LEVEL`]: a
//! cell takes at most a quarter of its room from each side in a step. The text has no such bound,
//! which affects only water of at least a fifth of that level.
//!
//! # The settling rule
//!
//! Every unit of water has a head. While its cell fills, the head is the height at which the unit
//! is, 100 to a cell. Above that, in a cell with pressure, each unit adds 20, so that five units
//! weigh as much as a cell of depth. A step makes water
//!
//! 1. sink and rise between a cell and the one below it,
//! 2. spread sideways where it stands on something,
//! 3. move within its body, from the highest heads to the lowest, over any distance: pressure in a
//!    body acts at once.
//!
//! The rule comes to rest: the sum of the heads of all units is a whole number with a least value,
//! and every step that changes anything lowers it. In 1 and 3 each unit that moves has a lower head
//! afterwards; in 2 the new levels of a row are convex combinations of its old levels, which lowers
//! every sum of a convex function of the levels. At rest nothing moves in 1 or 3, and so:
//!
//! - water lies on ground or on full cells;
//! - in each body all surfaces under the open sky are level within one unit, in every arm;
//! - d cells below a surface that is just full the level is 100 + 5·d, or a unit less where the
//!   water does not suffice for all cells;
//! - a hollow without a vent fills like any other, as air has no pressure here;
//! - where a cell is filled up after each step, as by a spring, the other arm of a U rises as high
//!   as that cell, less a unit. (In [three dimensions](crate::water), it rises to the cell below.)
//!
//! Where the surface cell is not full, the pressure below it is the same fraction of five, rounded
//! down. A body transmits pressure through its narrowest neck as through its widest:
//! [`Rules::pressure_flow`] units for each cell and step.

mod cell;
mod changes;
mod edit;
mod ledger;
mod level;
mod lines;
mod literal;
mod query;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod settling;
mod step;
mod validate;
mod values;
mod wake;

pub use cell::{Cell, FULL, MAX_LEVEL, PRESSURE};
pub use edit::EditError;
pub use ledger::Ledger;
pub use rules::{Rule, Rules};
pub use values::{Edit, Outcome};

use crate::coords::Region;
use crate::grid::Grid;
use crate::rules_error::RulesError;
use lines::Cells;
use step::Kernel;
use wake::WakeTimers;

/// A vertical slice of ground and water on sparse chunks of 64×64 cells: x to the east, y up.
///
/// Each z is a separate slice, with its z in the chunk positions. Cells that no chunk holds are
/// *not loaded*: water is held there as at a wall, and flows on when a chunk is loaded. Cells
/// beyond the world's bounds are never loaded.
///
/// ```
/// use floodplain::water2d::{Cell, Rules, Water2dWorld};
/// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
///
/// let mut world = Water2dWorld::new(7, Rules::default())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::SOLID))?;
/// for (from, to) in [([1, 1, 0], [9, 1, 0]), ([1, 2, 0], [3, 9, 0]), ([9, 2, 0], [9, 9, 0])] {
///     world.fill_water(Region::new(from.into(), to.into()), 0)?; // a U: wide arm, narrow arm
/// }
/// world.fill_water(Region::new(IVec3::new(1, 2, 0), IVec3::new(3, 8, 0)), 100)?;
/// world.run(1000);
/// assert!(world.is_at_rest());
/// let arm = |x: i32| (2..=9).map(|y| world.level(IVec3::new(x, y, 0)).min(100)).sum::<u32>();
/// assert!(arm(1).abs_diff(arm(9)) <= 1, "the arms are level");
/// assert_eq!(world.total(), 2100, "and nothing was lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain::water2d")]
pub struct Water2dWorld {
    cells: Cells,
    bounds: Region,
    rules: Rules,
    seed: u64,
    tick: u64,
    ledger: Ledger,
    wake_timers: WakeTimers,
    kernel: Kernel,
}

impl Water2dWorld {
    /// Returns a world without chunks, bounded only by the `i32` range. The seed decides which side
    /// the literal rule's first step prefers; the settling rule ignores it.
    ///
    /// # Errors
    /// A value of the rules is out of range.
    pub fn new(seed: u64, rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(seed, rules, Region::EVERYWHERE)
    }

    /// Returns a world that ends at the faces of `bounds`, which are walls.
    ///
    /// # Errors
    /// A value of the rules is out of range.
    pub fn with_bounds(seed: u64, rules: Rules, bounds: Region) -> Result<Self, RulesError> {
        rules.check()?;
        Ok(Water2dWorld {
            cells: Grid::new(Cell::SOLID),
            bounds,
            rules,
            seed,
            tick: 0,
            ledger: Ledger::default(),
            wake_timers: WakeTimers::default(),
            kernel: Kernel::new(rules.rule),
        })
    }
}
