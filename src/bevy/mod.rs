//! A plugin for the engine [Bevy](https://bevy.org): worlds as components, edits in and changes out
//! as messages, chunks as entities. It needs the feature `bevy`, and depends on the crates of
//! Bevy's ECS alone, without a renderer.
//!
//! In each run of `FixedUpdate`, [`FloodplainSystems::Edit`] hands the [`EditRequest`]s to their
//! worlds, in the order in which they were written; [`Step`](FloodplainSystems::Step) does a tick
//! of each [`SimulationWorld`], or as much of it as its [`StepBudget`] allows, and answers each
//! request by an [`EditOutcome`]; [`Publish`](FloodplainSystems::Publish) writes
//! [`SimulationChanges`], and spawns, marks as `Changed` and despawns the entities of
//! [chunks](SimulationChunk). With the same edits before the same ticks, a world has the same bytes
//! as without Bevy.
//!
//! `FixedUpdate` runs 64 times a second unless you say otherwise. 20 ticks a second suit most
//! water: insert `Time::<Fixed>::from_hz(20.0)`. If other systems need another rate, run `Step` and
//! `Publish` in only some of the updates, by
//! [`run_if`](bevy_ecs::schedule::IntoScheduleConfigs::run_if). Do not do this with `Edit`, since
//! Bevy drops requests that are not read within two updates. Positions are of the glam that this
//! crate [exports](crate::glam), which is also the glam of Bevy 0.20.
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_ecs::prelude::*;
//! use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
//! use floodplain::bevy::*;
//! use floodplain::water::{Edit, Rules, Voxel, WaterView, WaterWorld};
//! use floodplain::{Chunk, ChunkPos, glam::IVec3};
//!
//! type Chunks<'w, 's> = Query<
//!     'w,
//!     's,
//!     &'static SimulationChunk<WaterWorld>,
//!     Changed<ChunkSurface<WaterWorld>>,
//! >;
//!
//! fn draw(chunks: Chunks, simulation: Single<&SimulationWorld<WaterWorld>>) {
//!     for chunk in &chunks {
//!         let mesh = simulation.world().surface_mesh(chunk.position(), None);
//!         println!("chunk {}: {} corners", chunk.position(), mesh.positions.len());
//!     }
//! }
//!
//! let mut water = WaterWorld::new(7, Rules::lossless())?;
//! water.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//!
//! let mut app = App::new();
//! app.add_plugins((TimePlugin, FloodplainPlugin::<WaterWorld>::new()))
//!     .insert_resource(Time::<Fixed>::from_hz(20.0))
//!     .insert_resource(TimeUpdateStrategy::FixedTimesteps(1)) // for this example: a tick a frame
//!     .add_systems(Update, draw);
//! let world = app.world_mut().spawn(SimulationWorld::new(water)).id();
//! let edit = Edit::Pour { cell: IVec3::new(8, 15, 8), units: 7 };
//! app.world_mut().write_message(EditRequest::<WaterWorld> { world, edit });
//! for _ in 0..20 {
//!     app.update();
//! }
//! let simulation = app.world().get::<SimulationWorld<WaterWorld>>(world).expect("it was spawned");
//! assert_eq!(simulation.world().total(), 7);
//! assert!(simulation.chunk(ChunkPos::ZERO).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Clients
//!
//! A client applies the [`SimulationChanges`] of its server, sent as bytes
//! ([`Update::to_bytes`](crate::water::Update::to_bytes)), to a [`Mirror`](crate::water::Mirror),
//! which is drawn by the same trait as a world. `examples/bevy_view` has both a server and a
//! client.
//!
//! # Reflection
//!
//! Rules, ledgers, edits with their outcomes and errors, reports and positions implement
//! [`Reflect`](bevy_reflect::Reflect) field by field, so inspectors show and set them by name. Type
//! paths are those of the public modules: `floodplain::water::Rules`. A plugin registers its
//! components, its [`EditRequest`] and [`EditOutcome`] (as
//! [`ReflectMessage`](bevy_ecs::reflect::ReflectMessage), so that tools can write requests), and
//! the rules and the ledger of its kind, with all types that they contain.
//!
//! Reflection does not check the ranges of rules: a value out of range can be set in `Rules`, and
//! is refused when a world takes the rules, by its `new`, its `set_rules` or a request, whose
//! answer then is [`EditFailure::Refused`]. The world keeps the rules that it had. The rate of a
//! fixture is checked in the same way. Values that keep a law themselves are opaque: regions, cells
//! of water, chunks, records of chunks and palettes are shown, and replaced as wholes. If the
//! feature `serde` is on, too, all opaque values except chunks can be read and written by Bevy's
//! reflection, checked as in any format.
//!
//! Of a [`SimulationWorld`], reflection shows the progress of its last update; its world stays
//! private. A [`SimulationChunk`] only says where it lies: setting its fields by reflection moves
//! nothing.

mod diagnostics;
mod fields;
mod materials;
mod messages;
mod simulated;
mod simulation;
mod systems;
mod worlds;

pub use diagnostics::Measure;
pub use fields::{FieldChanges, FieldUpdate};
pub use messages::{EditFailure, EditOutcome, EditRequest, SimulationChanges};
pub use simulated::{Simulated, StepBudget};
pub use simulation::{ChunkSurface, SimulationChunk, SimulationWorld};

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use core::marker::PhantomData;

/// The phases of the plugins in [`FixedUpdate`], one after the other, as system sets that the
/// plugins of all kinds of worlds share.
///
/// To have requests made in the same update, order the system that writes them
/// [`before`](IntoScheduleConfigs::before) `Edit`, and a system that reads the outcomes
/// [`after`](IntoScheduleConfigs::after) `Publish`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloodplainSystems {
    /// Requested edits are handed to their worlds.
    Edit,
    /// Worlds do their ticks.
    Step,
    /// Changes are published, and measured.
    Publish,
}

/// Runs the worlds of one kind: add one plugin for each kind in the game. Add a plugin for time
/// yourself: `TimePlugin` is among Bevy's `MinimalPlugins` and `DefaultPlugins`.
///
/// ```
/// use floodplain::bevy::{FloodplainPlugin, StepBudget};
/// use floodplain::{water2d::Water2dWorld, water::WaterWorld};
/// use std::time::Duration;
///
/// let water = FloodplainPlugin::<WaterWorld>::new()
///     .with_budget(StepBudget::Time(Duration::from_millis(2)))
///     .with_ledger_check(200);
/// let slices = FloodplainPlugin::<Water2dWorld>::new().without_chunks();
/// let mut app = bevy_app::App::new();
/// app.add_plugins((water, slices));
/// assert!(app.is_plugin_added::<FloodplainPlugin<WaterWorld>>());
/// ```
pub struct FloodplainPlugin<W: Simulated> {
    budget: StepBudget,
    check_every: Option<u32>,
    has_chunks: bool,
    kind: PhantomData<fn() -> W>,
}

impl<W: Simulated> FloodplainPlugin<W> {
    /// Returns the plugin with whole ticks, chunks as entities, and no count of the ledger.
    pub fn new() -> Self {
        FloodplainPlugin {
            budget: StepBudget::WholeTick,
            check_every: None,
            has_chunks: true,
            kind: PhantomData,
        }
    }

    /// Sets how much of a tick an update may do in each world that has no [`StepBudget`] of its
    /// own.
    ///
    /// The edits of the requests that come before a tick count in its budget, and wait if the
    /// budget is used up. After a hitch, Bevy runs `FixedUpdate` several times in a frame, each
    /// time with the whole budget.
    #[must_use]
    pub fn with_budget(mut self, budget: StepBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Counts all cells of all worlds once in `updates` updates, and compares the counts with the
    /// ledgers: [`Measure::Imbalance`]. With 0, as with 1, counts in each update. The time this
    /// takes is linear in the number of chunks that are not uniform.
    #[must_use]
    pub fn with_ledger_check(mut self, updates: u32) -> Self {
        self.check_every = Some(updates);
        self
    }

    /// Spawns no entities for chunks, for games that keep entities of their own and read the
    /// messages.
    #[must_use]
    pub fn without_chunks(mut self) -> Self {
        self.has_chunks = false;
        self
    }
}

impl<W: Simulated> Default for FloodplainPlugin<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Simulated> Plugin for FloodplainPlugin<W> {
    fn build(&self, app: &mut App) {
        use FloodplainSystems::{Edit, Publish, Step};
        app.add_message::<EditRequest<W>>()
            .add_message::<EditOutcome<W>>()
            .add_message::<SimulationChanges<W>>()
            .register_type::<SimulationWorld<W>>()
            .register_type::<SimulationChunk<W>>()
            .register_type::<ChunkSurface<W>>()
            .register_type::<StepBudget>()
            .register_type::<W::Rules>()
            .register_type::<W::Ledger>()
            .register_type::<EditRequest<W>>()
            .register_type::<EditOutcome<W>>()
            .configure_sets(FixedUpdate, (Edit, Step, Publish).chain())
            .add_systems(FixedUpdate, systems::edit::<W>.in_set(Edit))
            .add_systems(FixedUpdate, systems::step::<W>(self.budget).in_set(Step))
            .add_systems(FixedUpdate, diagnostics::measure::<W>(self.check_every).in_set(Publish));
        if self.has_chunks {
            app.add_systems(FixedUpdate, systems::publish_with_chunks::<W>.in_set(Publish));
        } else {
            app.add_systems(FixedUpdate, systems::publish::<W>.in_set(Publish));
        }
        diagnostics::register::<W>(app);
    }
}
