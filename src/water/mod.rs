//! Three-dimensional water: two bytes a cell, finite, pressurised, draining at the world's edges.
//!
//! The rules follow an existing description of voxel water: two bytes a cell, layers processed
//! bottom-up, cells of a layer in random order, and flow traced along parents back to its root.
//! This crate adds pools that level out, a max flow from springs to the world's ends, cells with
//! more than one parent, and jets over ledges, which the description leaves open.
//!
//! As in that description, water rises only below the height of its spring: if a spring feeds one
//! arm of a U, the other arm fills up to a cell below the spring. Without a spring both arms end
//! level within a unit. If a culvert comes up at the height of its spring, only a part of the
//! spring's supply passes, by pressure; if it comes up a cell lower, all of it passes.
//!
//! # Map of the code
//!
//! From the bottom up: a row imports only from rows above it, except that `draw` asks `ebb` how
//! high the spring of a cell stands. Any row may call the methods of [`WaterWorld`].
//!
//! | where | what |
//! |---|---|
//! | `cell`, `voxel`, `fixture`, `flow_record` | cells, what is built into them, the flow of each |
//! | `rules`, `ledger`, `random` | parameters, account, random numbers |
//! | `record`, `bytes` | a chunk that was taken out, and its bytes; other values as bytes |
//! | `store` | chunks with their bit masks, sources, parents, edges, awake cells, and both lists of changes |
//! | `scratch` | what all phases of a tick share: records of chunks, the schedule |
//! | `flow` | the local rule: water falls, then spreads sideways, first in its direction |
//! | `steady` | what leaves the world: a max flow from springs to ends that stands from tick to tick |
//! | `draw` | films draw from springs, along their parents |
//! | `pools` | bodies of joined water (connected components), what the world records of them, and how they level |
//! | `ebb` | activity, directions, sleep; and the end of a tick, with evaporation |
//! | `body`, `edit` | bodies of water, cell by cell; edits, also as values, as bytes and in a queue |
//! | `settle` | ticks of some chunks alone, until nothing moves in them |
//! | `tick` | the phases in order |
//! | `validate`, `restore` | the laws of a state; the state that a snapshot saves |
//! | `simulation_distance` | which chunks stand still, by the positions of the players |
//! | `feed` | the changes with their causes, as values and in bytes, and a copy that follows them |
//! | `query::heads` | how high the bodies at some cells stand, for regions |
//! | `query` | queries of a world |
//! | `surface` | drawing and swimming: mesh, falls, levels, buoyancy, smoothed currents |
//!
//! # A tick
//!
//! The phases of a tick in order, from Begin to End: what each phase does, reads, writes and wakes.
//!
#![doc = include_str!("tick.svg")]

mod body;
mod bytes;
mod cell;
mod draw;
pub(crate) mod ebb;
pub(crate) mod edit;
pub(crate) mod feed;
mod fixture;
mod flow;
mod flow_record;
mod ledger;
mod pools;
pub(crate) mod query;
pub(crate) mod random;
mod record;
#[cfg(feature = "snapshot")]
mod restore;
mod rules;
mod scratch;
pub(crate) mod settle;
mod simulation_distance;
mod steady;
mod store;
mod surface;
mod tick;
pub(crate) mod validate;
mod voxel;

pub use body::BodyReport;
pub use cell::{CellError, FULL, WaterCell};
pub use edit::{Edit, EditError, Outcome};
pub use feed::{
    Cause, ChunkCurrents, ChunkEvent, ChunkUpdate, Feed, Look, Mirror, MirrorError, Run, Span,
    Update,
};
pub use fixture::Fixture;
pub use ledger::Ledger;
pub use record::ChunkRecord;
pub(crate) use record::CutCell;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{Clock, SavedChunk};
pub use rules::{Edge, Edges, Rules};
pub(crate) use settle::rules_alone;
pub use settle::{Settle, Settling};
pub(crate) use simulation_distance::Simulated;
pub(crate) use simulation_distance::{Fate, Foresight};
pub use simulation_distance::{Ring, SimulationDistance};
#[cfg(feature = "store")]
pub(crate) use store::Since;
pub use surface::{
    Fall, FlowField, Submerged, SubmergedError, SurfaceMesh, WaterView, meshes_touched,
};
pub use voxel::Voxel;

use crate::coords::Region;
use crate::rules_error::RulesError;
use crate::water::store::changed::dirty_layers::keep_dirty_layers;
use ebb::evaporation::Evaporation;
use edit::Queue;
use scratch::layers::TickScratch;
use store::Store;
use tick::TickState;

/// A world of solid ground and water on sparse 16³ chunks.
///
/// A world holds the chunks that have been inserted. All other cells are *not loaded*: reading
/// one returns `None`, `false` or 0, editing one returns an error, and water treats it as
/// [`Edges::unloaded`] says. Any number of edits may come between two
/// [`step`](WaterWorld::step)s, in any order.
///
/// The same seed, rules, bounds, edits and ticks give the same bytes on every platform. Water is
/// counted in whole units, [`FULL`] to a full cell, and every unit is accounted for in the
/// [`Ledger`].
///
/// ```
/// use floodplain::water::{Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let top = IVec3::new(8, 15, 8);
/// assert_eq!(world.pour(top, 7)?, 7);
/// world.run(20);
/// assert_eq!(world.units(top), 0, "it fell");
/// assert_eq!(world.total(), 7, "and none was lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(feature = "bevy", derive(bevy_reflect::TypePath), type_path = "floodplain::water")]
pub struct WaterWorld {
    store: Store,
    rules: Rules,
    seed: u64,
    tick: u64,
    ledger: Ledger,
    scratch: TickScratch,
    tick_state: TickState,
    queue: Queue,
    unread: feed::Unread,
    /// The number of cells that edits have searched, to be charged to the budget of a queued edit.
    searched: u64,
}

impl WaterWorld {
    /// Returns a world without chunks, bounded by the range of `i32` only.
    ///
    /// # Errors
    /// A rule's value is out of range; see [`Rules::check`].
    pub fn new(seed: u64, rules: Rules) -> Result<Self, RulesError> {
        Self::with_bounds(seed, rules, Region::EVERYWHERE)
    }

    /// Returns a world without chunks that ends at the faces of `bounds`. [`Edges::outer`] says
    /// what water does there.
    ///
    /// # Errors
    /// A rule's value is out of range; see [`Rules::check`].
    pub fn with_bounds(seed: u64, rules: Rules, bounds: Region) -> Result<Self, RulesError> {
        rules.check()?;
        let mut store = Store::new(bounds, rules.edges);
        keep_dirty_layers(&mut store, rules.pools);
        Ok(WaterWorld {
            store,
            rules,
            seed,
            tick: 0,
            ledger: Ledger::default(),
            scratch: TickScratch::default(),
            tick_state: TickState::new(Evaporation::new(&rules, seed, 0)),
            queue: Queue::default(),
            unread: feed::Unread::default(),
            searched: 0,
        })
    }
}
