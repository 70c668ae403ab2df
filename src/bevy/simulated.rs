//! The interface of a world that runs in an app: [`Simulated`], and the budget of its ticks.

use crate::simulation::Simulation;
use crate::water::{ChunkEvent, Progress};
use bevy_ecs::component::Component;
use core::fmt::Debug;
use core::time::Duration;
use glam::IVec3;

/// How much of a tick one run of [`FixedUpdate`](bevy_app::FixedUpdate) may do in a world. As a
/// component of a world's entity it overrides the budget of the
/// [plugin](super::FloodplainPlugin::with_budget).
///
/// [`WaterWorld`](crate::water::WaterWorld) and [`World`](crate::World) do their ticks in slices. A
/// step of the automata is never left unfinished: they do a whole one, whatever the budget.
///
/// ```
/// use floodplain::bevy::StepBudget;
/// assert_eq!(StepBudget::default(), StepBudget::WholeTick);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepBudget {
    /// A whole tick, whatever it costs; with the feature `rayon`, on all threads of the pool.
    #[default]
    WholeTick,
    /// This many cells, as [`step_within`](crate::water::WaterWorld::step_within) counts them. All
    /// machines then are at the same tick in the same update, as in lockstep.
    Cells(u64),
    /// This much time for each such world, as in [`step_for`](crate::water::WaterWorld::step_for).
    /// How many updates a tick takes depends on the machine; its result does not.
    Time(Duration),
}

/// The state of an edit that was handed to a world.
#[doc(hidden)]
#[derive(Debug)]
pub enum Submitted<O, E> {
    /// It waits for the next tick, with this ticket.
    Queued(u64),
    /// It was made, or refused, at once.
    Made(Result<O, E>),
}

/// The outcome of an edit that waited.
#[doc(hidden)]
#[derive(Debug)]
pub struct Report<O, E> {
    pub ticket: u64,
    pub tick: u64,
    pub result: Result<O, E>,
}

/// A world that runs in an app. Implemented by [`WaterWorld`](crate::water::WaterWorld), by
/// [`World`](crate::World) with its ground of materials, and by
/// [`HumidityWorld`](crate::humidity::HumidityWorld), [`BlastWorld`](crate::blast::BlastWorld) and
/// [`Water2dWorld`](crate::water2d::Water2dWorld) only.
///
/// ```
/// use floodplain::bevy::Simulated;
/// use floodplain::{Cube, blast::BlastWorld, water::WaterWorld};
/// assert_eq!((WaterWorld::NAME, BlastWorld::<Cube>::NAME), ("water", "blast_cube"));
/// ```
pub trait Simulated:
    Simulation<
        Edit: Send + Sync + 'static,
        Outcome: Send + Sync + 'static,
        EditError: Send + Sync + 'static,
    > + Send
    + Sync
    + 'static
{
    /// What looks different since the previous changes: an [`Update`](crate::water::Update) of
    /// water or [one](crate::world::Update) of materials, [`FieldChanges`](super::FieldChanges) of
    /// the automata.
    type Changes: Clone + Debug + Send + Sync + 'static;
    /// The world's name in the paths of its [diagnostics](super::Measure).
    const NAME: &'static str;

    /// The record of the previous changes, from which new changes are computed.
    #[doc(hidden)]
    type Follower: Default + Send + Sync + 'static;

    /// Hands an edit to the world, to be made before its next tick.
    #[doc(hidden)]
    fn submit(
        &mut self,
        follower: &mut Self::Follower,
        edit: Self::Edit,
    ) -> Submitted<Self::Outcome, Self::EditError>;

    /// Returns the reports on queued edits that were made since the last call.
    #[doc(hidden)]
    fn take_reports(&mut self) -> Vec<Report<Self::Outcome, Self::EditError>> {
        Vec::new()
    }

    /// Does a tick, or as much of it as the budget allows.
    #[doc(hidden)]
    fn advance(&mut self, _: StepBudget) -> Progress {
        let report = self.step();
        Progress { report, visited: report.visited, finished: true }
    }

    /// Returns the known number of cells that the tick underway has still to visit.
    #[doc(hidden)]
    fn work_left(&self) -> u64 {
        0
    }

    /// Returns the counted content of the cells less the ledger's total; `None` for a world without
    /// a ledger.
    #[doc(hidden)]
    fn imbalance(&self) -> Option<f64>;

    /// Returns what looks different since the last call; at the first, all loaded chunks.
    #[doc(hidden)]
    fn follow(&mut self, follower: &mut Self::Follower) -> Self::Changes;

    /// Returns which chunks were loaded, unloaded or changed, in order of position.
    #[doc(hidden)]
    fn events(changes: &Self::Changes) -> impl Iterator<Item = (IVec3, ChunkEvent)>;

    /// Returns the chunks whose mesh may have changed, loaded or not.
    #[doc(hidden)]
    fn redrawn(changes: &Self::Changes) -> Vec<IVec3>;
}
