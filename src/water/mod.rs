//! Three-dimensional water: two bytes a cell, finite, pressurised, draining at the world's end.
//!
//! Source of the rules: the voxel water that is described in two bytes a cell, layers bottom-up,
//! cells in random order, parent paths traced back to the source; with its two open problems, pools
//! and many parents, solved.

mod cell;
mod context;
mod draw;
mod ebb;
mod edit;
mod flow;
mod ledger;
mod pools;
mod query;
mod random;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod store;
mod tick;
mod validate;
mod voxel;

pub use crate::automaton::Displaced;
pub use cell::{CellError, CellFlags, FULL, WaterCell};
pub use edit::EditError;
pub use ledger::Ledger;
#[cfg(feature = "snapshot")]
pub(crate) use restore::Clock;
pub use rules::{Edge, Edges, Rules, RulesError};
pub use tick::Progress;
pub use validate::Violation;
pub use voxel::Voxel;

use crate::automaton::automaton;
use crate::coords::Region;
use context::layers::Workspace;
use store::Store;
use tick::Unfinished;

/// A world of solid ground and water on sparse 16³ chunks.
///
/// Cells that no chunk holds are *not loaded*: reading them gives `None` or 0, editing them an
/// error, and water treats them as [`Edges::unloaded`] says. Between two
/// [`step`](WaterWorld::step)s any number of edits may come, in any order.
///
/// ```
/// use floodplain::water::{Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let top = IVec3::new(8, 15, 8);
/// assert_eq!(world.pour(top, 7)?, 7);
/// world.run(20);
/// assert_eq!(world.height(top), 0, "it fell");
/// assert_eq!(world.total(), 7, "and none was lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WaterWorld {
    store: Store,
    rules: Rules,
    seed: u64,
    tick: u64,
    ledger: Ledger,
    work: Workspace,
    unfinished: Unfinished,
}

impl WaterWorld {
    /// A world without end (but for the `i32` range) and without chunks.
    ///
    /// # Errors
    /// Rules with a value out of range.
    pub fn new(seed: u64, rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(seed, rules, Region::EVERYWHERE)
    }

    /// A world that ends at the faces of `bounds`, as [`Edges::outer`] says.
    ///
    /// # Errors
    /// Rules with a value out of range.
    pub fn with_bounds(seed: u64, rules: Rules, bounds: Region) -> Result<Self, RulesError> {
        rules.check()?;
        Ok(WaterWorld {
            store: Store::new(bounds, rules.edges),
            rules,
            seed,
            tick: 0,
            ledger: Ledger::default(),
            work: Workspace::default(),
            unfinished: Unfinished::default(),
        })
    }
}

automaton!([] WaterWorld, u64, Ledger, Violation);
