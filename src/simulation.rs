//! The interface that all kinds of worlds share: the trait [`Simulation`] and its reports.

use crate::chunk::CellMask;
use crate::codec::DecodeError;
use crate::coords::ChunkPos;
use crate::limits::{ClientEditError, LimitError, Limits};
use core::error::Error;
use core::fmt::{self, Debug};
use glam::IVec3;

/// An edit of a world as a value, which can be sent as bytes. Implemented by the edits of this
/// crate's worlds.
///
/// ```
/// use floodplain::glam::IVec3;
/// use floodplain::water::Edit;
/// use floodplain::{DecodeProblem, EditValue};
///
/// let edit = Edit::Pour { cell: IVec3::new(1, -2, 3), units: 7 };
/// let bytes = edit.to_bytes();
/// assert_eq!(bytes.len(), 17);
/// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
/// let error = Edit::from_bytes(&bytes[..9]).unwrap_err();
/// assert_eq!((error.at, error.problem), (9, DecodeProblem::EndsEarly));
/// ```
pub trait EditValue: Clone + Debug + PartialEq {
    /// The names of all edits, in the order of their tags.
    const NAMES: &'static [&'static str];

    /// Returns the edit's name, that of its variant.
    fn name(&self) -> &'static str;

    /// Returns the edit as bytes: its tag, then its fields. They mean the same in all later
    /// versions of this crate.
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads the edit that [`to_bytes`](EditValue::to_bytes) wrote. For any bytes, this takes at
    /// most about eight times their length in memory, plus 130 KB, plus the memory of each chunk
    /// that is not uniform, which a few bytes can make: 9 KB for water, 17 KB for 2D water, and 30
    /// KB for a world's record. It does not panic. Values that no world would take are refused when
    /// the edit is made, not here.
    ///
    /// # Errors
    /// The bytes are no edit, or are longer than one.
    fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError>;

    /// Checks the edit against the limits of a client.
    ///
    /// # Errors
    /// The edit breaks a limit. The error is the first limit that it breaks.
    fn check_limits(&self, limits: &Limits) -> Result<(), LimitError>;
}

/// A world of any kind. Each kind also has the methods that games need as inherent ones, so only
/// generic code needs this trait, and servers need it for [`apply_bytes`](Simulation::apply_bytes).
///
/// | kind | edit, outcome, error | change | event | total, ledger |
/// |---|---|---|---|---|
/// | [`WaterWorld`](crate::water::WaterWorld) | [`Edit`](crate::water::Edit), [`Outcome`](crate::water::Outcome), [`EditError`](crate::water::EditError) | [`ChunkChanges`] | `()` | `u64`, [`Ledger`](crate::water::Ledger) |
/// | [`World`](crate::world::World) | [`Edit`](crate::world::Edit), [`Outcome`](crate::world::Outcome), [`EditError`](crate::world::EditError) | [`ChunkChanges`] | [`Broken`](crate::world::Broken) | `u128`, [`Ledger`](crate::world::Ledger) |
/// | [`HumidityWorld`](crate::humidity::HumidityWorld) | [`Edit`](crate::humidity::Edit), [`Outcome`](crate::humidity::Outcome), [`EditError`](crate::humidity::EditError) | [`ChunkChanges`] | `()` | `f64`, `Option` of [`Ledger`](crate::humidity::Ledger) |
/// | [`Water2dWorld`](crate::water2d::Water2dWorld) | [`Edit`](crate::water2d::Edit), [`Outcome`](crate::water2d::Outcome), [`EditError`](crate::water2d::EditError) | [`ChunkChanges`] | `()` | `u64`, [`Ledger`](crate::water2d::Ledger) |
/// | [`BlastWorld`](crate::blast::BlastWorld) | [`Edit`](crate::blast::Edit), [`Outcome`](crate::blast::Outcome), [`EditError`](crate::blast::EditError) | [`ChunkChanges`] | [`Broken`](crate::blast::Broken) | `f64`, [`Ledger`](crate::blast::Ledger) |
/// | [`BlastGraph`](crate::blast::BlastGraph) | [`GraphEdit`](crate::blast::GraphEdit), [`GraphOutcome`](crate::blast::GraphOutcome), [`GraphError`](crate::blast::GraphError) | [`NodeId`](crate::blast::NodeId) | [`Broken`](crate::blast::Broken) of nodes | `f64`, [`Ledger`](crate::blast::Ledger) |
///
/// Edits differ between worlds, but follow the same conventions: they are made between steps; they
/// are named `set_…`, `clear_…`, `fill_…`, `add_…`, `insert_…` and `remove_…`, or `pour` and
/// `scoop` for water; they wake the cells that they touch; and if refused, they return an error
/// that names the thing and change nothing.
///
/// ```
/// use floodplain::Simulation;
/// use floodplain::water::{Rules, WaterWorld};
///
/// fn settle(world: &mut impl Simulation, most: u64) -> bool {
///     (0..most).any(|_| {
///         world.step();
///         world.is_at_rest()
///     })
/// }
/// assert!(settle(&mut WaterWorld::new(7, Rules::default())?, 1));
/// # Ok::<(), floodplain::RulesError>(())
/// ```
pub trait Simulation {
    /// Its edits as values.
    type Edit: EditValue;
    /// The outcome of an edit that was not refused.
    type Outcome: Clone + Debug + PartialEq;
    /// Why an edit was refused.
    type EditError: Clone + Error + 'static;
    /// An item of a list of changes: [`ChunkChanges`], or a node of a graph.
    type Change: Clone + Debug + PartialEq;
    /// An event that is reported once, such as a wall that breaks; `()` if there are none.
    type Event: Clone + Debug + PartialEq;
    /// The sum of the quantity that the world moves.
    type Total: PartialEq + Debug;
    /// The sums of what entered and left.
    type Ledger: PartialEq + Debug;

    /// Makes an edit at once.
    ///
    /// # Errors
    /// The edit is refused, and changes nothing.
    fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::EditError>;
    /// Makes an edit that a client has sent, if it keeps within limits.
    ///
    /// # Errors
    /// The bytes are no edit, the edit breaks a limit, or the world refuses it. Then nothing is
    /// changed.
    fn apply_bytes(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Self::Outcome, ClientEditError<Self::EditError>> {
        let edit = limits.read(bytes)?;
        self.apply(edit).map_err(ClientEditError::Edit)
    }
    /// Runs one step, or completes the one that is underway.
    fn step(&mut self) -> StepReport;
    /// Runs a step, or as much of it as the budget of cells allows; the next call resumes it. The
    /// automata run a whole step, whatever the budget.
    fn step_within(&mut self, budget: u64) -> Progress;
    /// Completes the step that is underway, if there is one.
    fn finish_tick(&mut self) -> StepReport;
    /// Runs `steps` steps, with the same result as that many calls of [`step`](Simulation::step).
    fn run(&mut self, steps: u64) -> StepReport;
    /// Returns the number of steps run; wraps after `u64::MAX`.
    fn ticks(&self) -> u64;
    /// Returns the sum over all cells.
    fn total(&self) -> Self::Total;
    /// Returns the amounts that have entered and left since the world was made.
    fn ledger(&self) -> Self::Ledger;
    /// Returns the number of cells that the next step will visit.
    fn awake_cells(&self) -> usize;
    /// Wakes everything that sleeps.
    fn wake_all(&mut self);
    /// Returns whether nothing will change until the next edit: no cell is awake.
    fn is_at_rest(&self) -> bool;
    /// Returns the cells whose state or ground an edit or a step has changed since the last call,
    /// by chunk, in order of position. Some may have their old values again. In water, only cells
    /// that look different are listed: see
    /// [`WaterWorld::take_changes`](crate::water::WaterWorld::take_changes).
    ///
    /// Loading and unloading a chunk is not listed, and unloading drops the chunk's changes. Until
    /// the next call, each changed chunk takes a mask of 512 bytes.
    fn take_changes(&mut self) -> Vec<Self::Change>;
    /// Returns the events since the last call, in order.
    fn take_events(&mut self) -> Vec<Self::Event>;
    /// Returns a hash of the state that decides the future. Rules and bounds are not part of it:
    /// compare those separately. It does not depend on the platform or on the order of loading.
    fn state_hash(&self) -> u64;
    /// Calls `visit` with the position of each chunk, in order, and a hash of its cells. Nodes of a
    /// graph count as cells along x.
    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64));
    /// Returns the position of the cell at this index of a chunk, and its content in words.
    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String);
    /// Returns seed, bounds and rules in words.
    fn describe(&self) -> String;
    /// Checks every law of the world.
    ///
    /// # Errors
    /// A law is broken. The error is the first broken law found.
    fn validate(&self) -> Result<(), Violation>;
    /// Returns the bytes that the world holds on the heap.
    fn memory_bytes(&self) -> usize;
}

/// A kind of world. Its methods are those of the same names in [`Simulation`], which every `Kind`
/// implements.
pub trait Kind {
    type Edit: EditValue;
    type Outcome: Clone + Debug + PartialEq;
    type EditError: Clone + Error + 'static;
    type Change: Clone + Debug + PartialEq;
    type Event: Clone + Debug + PartialEq;
    type Total: PartialEq + Debug;
    type Ledger: PartialEq + Debug;

    fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::EditError>;
    fn step(&mut self) -> StepReport;
    /// Runs a whole step, for worlds whose steps are never left unfinished.
    fn step_within(&mut self, _budget: u64) -> Progress {
        let report = self.step();
        Progress { report, visited: report.visited, finished: true }
    }
    fn finish_tick(&mut self) -> StepReport {
        StepReport::default()
    }
    fn run(&mut self, steps: u64) -> StepReport;
    fn ticks(&self) -> u64;
    fn total(&self) -> Self::Total;
    fn ledger(&self) -> Self::Ledger;
    fn awake_cells(&self) -> usize;
    fn wake_all(&mut self);
    fn is_at_rest(&self) -> bool;
    fn take_changes(&mut self) -> Vec<Self::Change>;
    fn take_events(&mut self) -> Vec<Self::Event> {
        Vec::new()
    }
    fn state_hash(&self) -> u64;
    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64));
    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String);
    fn describe(&self) -> String;
    fn validate(&self) -> Result<(), Violation>;
    fn memory_bytes(&self) -> usize;
}

impl<W: Kind> Simulation for W {
    type Edit = <W as Kind>::Edit;
    type Outcome = <W as Kind>::Outcome;
    type EditError = <W as Kind>::EditError;
    type Change = <W as Kind>::Change;
    type Event = <W as Kind>::Event;
    type Total = <W as Kind>::Total;
    type Ledger = <W as Kind>::Ledger;

    fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::EditError> {
        Kind::apply(self, edit)
    }

    fn step(&mut self) -> StepReport {
        Kind::step(self)
    }

    fn step_within(&mut self, budget: u64) -> Progress {
        Kind::step_within(self, budget)
    }

    fn finish_tick(&mut self) -> StepReport {
        Kind::finish_tick(self)
    }

    fn run(&mut self, steps: u64) -> StepReport {
        Kind::run(self, steps)
    }

    fn ticks(&self) -> u64 {
        Kind::ticks(self)
    }

    fn total(&self) -> Self::Total {
        Kind::total(self)
    }

    fn ledger(&self) -> Self::Ledger {
        Kind::ledger(self)
    }

    fn awake_cells(&self) -> usize {
        Kind::awake_cells(self)
    }

    fn wake_all(&mut self) {
        Kind::wake_all(self);
    }

    fn is_at_rest(&self) -> bool {
        Kind::is_at_rest(self)
    }

    fn take_changes(&mut self) -> Vec<Self::Change> {
        Kind::take_changes(self)
    }

    fn take_events(&mut self) -> Vec<Self::Event> {
        Kind::take_events(self)
    }

    fn state_hash(&self) -> u64 {
        Kind::state_hash(self)
    }

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        Kind::visit_chunk_hashes(self, visit);
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        Kind::describe_cell(self, chunk, index)
    }

    fn describe(&self) -> String {
        Kind::describe(self)
    }

    fn validate(&self) -> Result<(), Violation> {
        Kind::validate(self)
    }

    fn memory_bytes(&self) -> usize {
        Kind::memory_bytes(self)
    }
}

/// Implements [`Kind`] by the inherent methods of the same names. After the rows come the methods
/// that differ between worlds: the hashes of chunks, a cell in words, the world in words, ticks in
/// slices, events.
macro_rules! simulation {
    (
        [$($generics:tt)*] $world:ty;
        edits: $edit:ty, $outcome:ty, $error:ty;
        sums: $total:ty, $ledger:ty;
        changes: $changes:ty;
        events: $event:ty;
        awake: $awake:ident;
        $($own:tt)+
    ) => {
        impl<$($generics)*> $crate::simulation::Kind for $world {
            type Edit = $edit;
            type Outcome = $outcome;
            type EditError = $error;
            type Change = $changes;
            type Event = $event;
            type Total = $total;
            type Ledger = $ledger;

            fn apply(&mut self, edit: $edit) -> Result<$outcome, $error> {
                <$world>::apply(self, edit)
            }
            fn step(&mut self) -> $crate::simulation::StepReport {
                <$world>::step(self)
            }
            fn run(&mut self, steps: u64) -> $crate::simulation::StepReport {
                <$world>::run(self, steps)
            }
            fn ticks(&self) -> u64 {
                <$world>::ticks(self)
            }
            fn total(&self) -> $total {
                <$world>::total(self)
            }
            fn ledger(&self) -> $ledger {
                <$world>::ledger(self)
            }
            fn awake_cells(&self) -> usize {
                <$world>::$awake(self)
            }
            fn wake_all(&mut self) {
                <$world>::wake_all(self);
            }
            fn is_at_rest(&self) -> bool {
                <$world>::is_at_rest(self)
            }
            fn take_changes(&mut self) -> Vec<$changes> {
                <$world>::take_changes(self)
            }
            fn state_hash(&self) -> u64 {
                <$world>::state_hash(self)
            }
            fn validate(&self) -> Result<(), $crate::simulation::Violation> {
                <$world>::validate(self)
            }
            fn memory_bytes(&self) -> usize {
                <$world>::memory_bytes(self)
            }

            $($own)+
        }
    };
}
pub(crate) use simulation;

/// A broken law of a world, in words: the law, the place, and its figures. No law is broken unless
/// this crate has a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(String);

impl Violation {
    pub(crate) fn of(law: impl Error) -> Violation {
        Violation(law.to_string())
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Violation {}

/// Checks that the text of an error is one line that contains these parts.
#[cfg(test)]
#[track_caller]
pub(crate) fn says(error: &dyn Error, parts: &[&str]) {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

/// The work and the changes of one or several steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Awake cells visited. In a tick of water, the cells awake when Flow reaches their layer, and
    /// the cells of steady falls, which are not visited one by one. Cells visited by searches are
    /// counted by [`Progress::visited`].
    pub visited: u64,
    /// Cells whose state differs from before the step. In a [`World`](crate::world::World), the
    /// counts of all parts and of what passes between them are added up, so that a cell that
    /// changes in two ways counts twice. In the settling rule of 2D water, cells that one part of
    /// the step changes and another changes back count, too.
    pub changed: u64,
    /// Whole units that moved from a cell to its neighbour or across an edge, each counted once for
    /// every cell that it left; 0 in automata without whole units. Sleeping chunks count nothing,
    /// although units may flow through them in equilibrium.
    pub moved: u64,
}

impl core::ops::AddAssign for StepReport {
    fn add_assign(&mut self, more: StepReport) {
        self.visited += more.visited;
        self.changed += more.changed;
        self.moved += more.moved;
    }
}

/// The progress of a call with a budget; see [`Simulation::step_within`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// The report of this call. The reports of all calls of a tick add up to the report of one
    /// [`step`](Simulation::step), unless an edit ends the tick: work done by that edit appears in
    /// no report.
    pub report: StepReport,
    /// Cells that the call visited, counted once in each pass, and rows of cells read as bits.
    pub visited: u64,
    /// Whether the tick is complete.
    pub finished: bool,
}

/// The water that an edit displaced, in units; for both water automata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Displaced {
    /// Units moved to cells with room.
    pub moved: u32,
    /// Units that left the world for lack of room within reach. The ledger counts them as removed.
    pub removed: u32,
}

/// The changed cells of one chunk; see [`Simulation::take_changes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkChanges {
    /// The chunk's position, in chunks.
    pub chunk: ChunkPos,
    /// The cells whose state, or whose ground, may differ.
    pub cells: CellMask,
}

impl ChunkChanges {
    pub(crate) fn list(changes: Vec<(ChunkPos, CellMask)>) -> Vec<ChunkChanges> {
        changes.into_iter().map(|(chunk, cells)| ChunkChanges { chunk, cells }).collect()
    }
}
