//! The worlds that run in an app, their interface to the plugin, and how much of a tick they may
//! do.

use crate::coords::ChunkPos;
use crate::edit_queue::{EditReport, Ticket};
use crate::simulation::Progress;
use crate::simulation::Simulation;
use crate::water::ChunkEvent;
use bevy_ecs::component::Component;
use bevy_ecs::reflect::ReflectComponent;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_reflect::{FromReflect, Reflect, Reflectable, TypePath};
use core::fmt::Debug;
use core::time::Duration;

/// How much of a tick one run of [`FixedUpdate`](bevy_app::FixedUpdate) may do in a world. As a
/// component of a world's entity it overrides the budget of the
/// [plugin](super::FloodplainPlugin::with_budget).
///
/// [`WaterWorld`](crate::water::WaterWorld) and [`World`](crate::world::World) do their ticks in
/// slices. A step of the automata is never left unfinished: they do a whole step, whatever the
/// budget.
///
/// ```
/// use floodplain::bevy::StepBudget;
/// assert_eq!(StepBudget::default(), StepBudget::WholeTick);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[type_path = "floodplain::bevy"]
#[reflect(Component, Default)]
pub enum StepBudget {
    /// A whole tick, whatever it costs; with the feature `rayon`, on all threads of the pool.
    #[default]
    WholeTick,
    /// This many cells, as [`step_within`](crate::water::WaterWorld::step_within) counts them. Then
    /// all machines are at the same tick in the same update, as in lockstep.
    Cells(u64),
    /// This much time for each such world, as in [`step_for`](crate::water::WaterWorld::step_for).
    /// The number of updates that a tick takes depends on the machine; the result of the tick does
    /// not.
    Time(Duration),
}

/// The outcome of an edit given to a world.
#[derive(Debug)]
pub enum Submitted<O, E> {
    /// The edit waits for the next tick, with this ticket.
    Queued(Ticket),
    /// The edit was made, or refused, at once.
    Made(Result<O, E>),
}

/// A world that runs in an app: any kind of world on chunks.
/// [`WaterWorld`](crate::water::WaterWorld) and [`World`](crate::world::World), with its ground of
/// materials, do their ticks in slices. [`HumidityWorld`](crate::humidity::HumidityWorld),
/// [`BlastWorld`](crate::blast::BlastWorld) and [`Water2dWorld`](crate::water2d::Water2dWorld) do
/// each step as a whole.
///
/// ```
/// use floodplain::bevy::Simulated;
/// use floodplain::{Cube, blast::BlastWorld, water::WaterWorld};
/// assert_eq!((WaterWorld::NAME, BlastWorld::<Cube>::NAME), ("water", "blast_cube"));
/// ```
pub trait Simulated: Hosted<Update = <Self as Simulated>::Changes> {
    /// The changes since they were last published: an [`Update`](crate::water::Update) of water or
    /// [one](crate::world::Update) of materials, [`FieldChanges`](super::FieldChanges) of the
    /// automata.
    type Changes: Clone + Debug + Send + Sync + 'static;
    /// The name of the kind in the paths of its [diagnostics](super::Measure).
    const NAME: &'static str;
}

impl<W: Hosted> Simulated for W {
    type Changes = W::Update;
    const NAME: &'static str = W::PATH;
}

/// The interface of the plugin to one kind of world.
pub trait Hosted:
    Simulation<
        Edit: FromReflect + Reflectable,
        Outcome: FromReflect + Reflectable,
        EditError: FromReflect + Reflectable,
        Ledger: Reflectable,
    > + TypePath
    + Send
    + Sync
    + 'static
{
    /// [`Simulated::Changes`].
    type Update: Clone + Debug + Send + Sync + 'static;
    /// [`Simulated::NAME`].
    const PATH: &'static str;
    /// The parameters of the world.
    type Rules: Reflectable;

    /// The state of a reader of changes.
    type Follower: Default + Send + Sync + 'static;

    /// Hands an edit to the world, to be made before its next tick.
    fn submit(
        &mut self,
        follower: &mut Self::Follower,
        edit: Self::Edit,
    ) -> Submitted<Self::Outcome, Self::EditError>;

    /// Returns the reports on edits that waited and were made since the last call.
    fn take_reports(&mut self) -> Vec<EditReport<Self::Outcome, Self::EditError>> {
        Vec::new()
    }

    /// Runs a tick, or as much of it as the budget allows.
    fn advance(&mut self, _: StepBudget) -> Progress {
        let report = self.step();
        Progress { report, visited: report.visited, finished: true }
    }

    /// Returns the cells that the tick underway has still to visit, as far as is known.
    fn work_left(&self) -> u64 {
        0
    }

    /// Returns the counted sum of all cells minus the total of the ledger; `None` for a world
    /// without a ledger.
    fn imbalance(&self) -> Option<f64>;

    /// Returns the visible changes since the last call; at the first call, all loaded chunks.
    /// `with_currents` is the same in all calls: whether the changes include the currents of water.
    fn follow(&mut self, follower: &mut Self::Follower, with_currents: bool) -> Self::Update;

    /// Returns the events of chunks, in order of position.
    fn events(changes: &Self::Update) -> impl Iterator<Item = (ChunkPos, ChunkEvent)>;

    /// Returns the chunks whose mesh may have changed, loaded or not.
    fn redrawn(changes: &Self::Update) -> Vec<ChunkPos>;
}
