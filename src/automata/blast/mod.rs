//! Explosions: pressure that flows over links, on a grid of chunks or on a graph.
//!
//! Source of the rules: T. Forsyth, "Cellular Automata for Physical Modelling" (Game Programming
//! Gems 3): nodes with a pressure, edges over which a part of the difference flows, obstacles as
//! removed nodes or edges. This crate adds a damped wave. Both rules are explicit finite-difference
//! schemes in flux form: of the diffusion equation and of the damped wave equation.
//!
//! [`BlastWorld`] is the grid, in `f32`; [`BlastGraph`] has its nodes anywhere, in `f64`. The same
//! world has the same pressures on both, except for rounding. A [`Probe`] measures the effect of an
//! explosion on an object.

pub(crate) mod charge;
mod edit;
mod error;
pub(crate) mod extent;
mod field;
mod graph;
mod ledger;
pub(crate) mod mirror;
mod probe;
mod query;
#[cfg(feature = "snapshot")]
pub(crate) mod restore;
mod rules;
mod shape;
pub(crate) mod step;
pub(crate) mod validate;
mod values;

pub use error::EditError;
pub use field::walls::Broken;
pub use graph::{BlastGraph, GraphEdit, GraphError, GraphOutcome, NodeId};
#[cfg(feature = "snapshot")]
pub(crate) use graph::{GraphParts, LinkParts, NodeParts};
use ledger::Books;
pub use ledger::Ledger;
pub use probe::Probe;
pub(crate) use query::add_pressures;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{ChunkParts, WorldParts};
pub use rules::{
    Border, Borders, COEFFICIENT_LIMIT, FILL_CHUNK_LIMIT, GRID_DAMPING_LIMIT, LEAST_CHARGE_RADIUS,
    PRESSURE_LIMIT, Rule, Rules, WEIGHT_LIMIT,
};
pub use values::{Edit, Outcome};

use super::engine::rims::Rims;
use super::engine::workers::Workers;
use crate::chunk::CellMask;
use crate::coords::{ChunkPos, Face, Region, Sheet};
use crate::grid::{Grid, Slot};
use crate::rules_error::RulesError;
use field::ChunkState;
use field::ground::Ground;
use field::space::Space;
use glam::IVec3;
pub(crate) use shape::BlastShape;
use std::collections::BTreeMap;
use step::ahead::Ahead;
use step::job::{Job, Scratch};
#[cfg(feature = "snapshot")]
use step::rounds::{Stepped, Underway};

/// A world of pressure on sparse chunks: [`Sheet`]s of 64×64 cells, linked to four neighbours, or
/// [`Cube`](crate::Cube)s of 16³, linked to six.
///
/// A cell that no chunk holds is open space at pressure 0. So a world is an endless field until
/// something is built in it, and an explosion creates the chunks that it reaches: a chunk at 0
/// opens when a pressure of [`Rules::threshold`] is about to enter it, and is closed until then.
/// Chunks in which everything has fallen below the threshold are freed. Any number of edits may
/// come between two [`step`](BlastWorld::step)s.
///
/// ```
/// use floodplain::blast::{BlastWorld, Probe, Rules};
/// use floodplain::glam::IVec3;
///
/// let mut world: BlastWorld = BlastWorld::new(Rules::default())?;
/// world.set_pressure(IVec3::ZERO, 300.0)?;
/// let mut figure = [Probe::new(IVec3::new(3, 0, 0), 0.5)?];
/// world.run_probed(20, &mut figure);
/// assert!(figure[0].mean_force().x > 0.0, "it is thrown to the east");
/// assert!((world.total() - 300.0).abs() < 1e-3, "and no pressure was made or lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain::blast")]
pub struct BlastWorld<S: BlastShape = Sheet> {
    rules: Rules,
    space: Space,
    tick: u64,
    books: Books,
    pressure: Grid<f32, S>,
    /// By slot.
    states: Vec<ChunkState>,
    events: Vec<Broken>,
    /// Chunks that were freed since the last [`take_changes`](BlastWorld::take_changes), by y, z
    /// and x, with the cells that had changed until then. Only chunks that had been reported are
    /// kept: a chunk that was both created and freed since the last call left nothing changed.
    freed: BTreeMap<ChunkPos, CellMask>,
    /// Invalidated by every change to a chunk outside a step.
    rims: Rims<f32, S>,
    workers: Workers<Scratch<S>>,
    /// Memory for the next step; meaningless between steps.
    jobs: Vec<Job<S>>,
    /// The part of the next step that is done already.
    ahead: Option<Ahead<S>>,
    /// In a divided world, a step between two of its rounds.
    #[cfg(feature = "snapshot")]
    underway: Option<Underway<S>>,
    /// In a divided world, the chunks that the last step stepped.
    #[cfg(feature = "snapshot")]
    stepped: Vec<Stepped>,
    /// The share of each pressure that remains after a step, 0 to 1; 1 unless the code above sets
    /// it.
    keep: f32,
}

impl<S: BlastShape> BlastWorld<S> {
    /// The faces across which cells are linked.
    const FACES: &'static [Face] = Face::ALL.split_at(S::NEIGHBOURS).0;

    /// Returns a world without bounds other than the `i32` range, with rigid borders there.
    ///
    /// # Errors
    /// A value of the rules is out of range, or the rules are unstable for this shape.
    pub fn new(rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(rules, Region::EVERYWHERE, Borders::default())
    }

    /// Returns a world that ends at the faces of `bounds`, as `borders` say.
    ///
    /// # Errors
    /// A value of the rules is out of range, the rules are unstable for this shape, or waves have a
    /// damping above [`GRID_DAMPING_LIMIT`].
    pub fn with_bounds(rules: Rules, bounds: Region, borders: Borders) -> Result<Self, RulesError> {
        rules.check(S::NEIGHBOURS as f64)?;
        if let Rule::Wave { damping, .. } = rules.rule
            && damping as f32 > GRID_DAMPING_LIMIT as f32
        {
            let wanted =
                format!("at most {GRID_DAMPING_LIMIT} on a grid, to limit rounding errors");
            return Err(RulesError::new("damping", damping, wanted));
        }
        Ok(BlastWorld {
            rules,
            space: Space::new(bounds, borders),
            tick: 0,
            books: Books::default(),
            pressure: Grid::new(0.0),
            states: Vec::new(),
            events: Vec::new(),
            freed: BTreeMap::new(),
            rims: Rims::new(0.0),
            workers: Workers::new(Scratch::new),
            jobs: Vec::new(),
            ahead: None,
            #[cfg(feature = "snapshot")]
            underway: None,
            #[cfg(feature = "snapshot")]
            stepped: Vec::new(),
            keep: 1.0,
        })
    }

    /// Returns the conductance of a link of weight 1.
    fn unit_conductance(&self) -> f32 {
        self.rules.rule.unit_conductance()
    }

    /// Returns the least pressure or flow that keeps a chunk from falling silent: the threshold, or
    /// the smallest number above 0.
    fn audible(&self) -> f32 {
        (self.rules.threshold as f32).max(f32::from_bits(1))
    }

    /// Returns the slot and index of a cell, if its chunk is loaded.
    fn place(&self, cell: IVec3) -> Option<(Slot, usize)> {
        self.pressure.slot(S::chunk_of(cell)).map(|slot| (slot, S::index_of(cell)))
    }

    fn ground(&self, slot: Slot) -> Option<&Ground> {
        self.states[slot.index()].ground.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cube;
    use crate::chunk::Chunk;

    /// Makes a random edit; returns whether it succeeded.
    fn edit<S: BlastShape>(world: &mut BlastWorld<S>, mut rng: fastrand::Rng) -> bool {
        let chunk = ChunkPos::new(rng.i32(0..3), rng.i32(0..2), 0);
        let cell = S::cell_at(chunk, rng.usize(..4096));
        match rng.u32(..7) {
            0 | 1 => world.set_pressure(cell, rng.f32() * 900.0).is_ok(),
            2 => world.set_solid(cell).is_ok(),
            3 => world.clear_solid(cell).is_ok(),
            4 => world.set_link(cell, Face::East, 0.5).is_ok(),
            5 => world.remove_chunk(chunk).is_ok(),
            _ => world.insert_chunk(chunk, Chunk::uniform(rng.f32() * 9.0)).is_ok(),
        }
    }

    fn reused_rims_change_nothing_with<S: BlastShape>(rules: Rules, border: Border) {
        let bounds = Region::new(IVec3::ZERO, S::region_of(ChunkPos::new(2, 1, 0)).max());
        let new = || BlastWorld::<S>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
        let (mut keeping, mut forgetful) = (new(), new());
        for seed in 0..120 {
            let edits = [&mut keeping, &mut forgetful]
                .map(|world| edit(world, fastrand::Rng::with_seed(seed)));
            assert_eq!(edits[0], edits[1], "edit {seed}");
            forgetful.rims = Rims::new(0.0);
            assert_eq!(keeping.step(), forgetful.step(), "edit {seed}");
            assert_eq!(keeping.state_hash(), forgetful.state_hash(), "edit {seed}");
        }
        assert!(keeping.total() > 1.0);
    }

    #[test]
    fn reused_rims_change_nothing() {
        // A threshold at which chunks fall silent and are freed between edits.
        for rules in [Rules::diffusive(0.12), Rules::wave(0.2, 0.5)]
            .map(|rules| Rules { threshold: 2.0, ..rules })
        {
            for border in [Border::Open, Border::Periodic] {
                reused_rims_change_nothing_with::<Sheet>(rules, border);
                reused_rims_change_nothing_with::<Cube>(rules, border);
            }
        }
    }
}
