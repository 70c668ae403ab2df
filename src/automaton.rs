//! The interface that all automata share: the trait [`Automaton`], its reports, and the state hash.

use crate::chunk::{CellMask, Chunk};
use glam::IVec3;

/// What all automata have in common: steps, totals and ledger, changes, rest, and the check of
/// their laws.
///
/// Each automaton also has these methods as inherent ones, so only generic code needs this trait.
/// Edits differ between automata, but follow the same conventions: they are made between steps;
/// they are named `set_…`, `clear_…`, `fill_…`, `add_…`, `insert_…` and `remove_…`, or `pour` and
/// `scoop` for water; they wake the cells that they touch; and if refused, they return an error
/// that names the thing and change nothing. Each is also a value of the automaton's `Edit`, which
/// `apply` makes, and which can be sent as bytes.
///
/// ```
/// use floodplain::Automaton;
/// use floodplain::water::{Rules, WaterWorld};
///
/// fn settle(world: &mut impl Automaton, most: u64) -> bool {
///     (0..most).any(|_| {
///         world.step();
///         world.is_at_rest()
///     })
/// }
/// assert!(settle(&mut WaterWorld::new(7, Rules::default())?, 1));
/// # Ok::<(), floodplain::water::RulesError>(())
/// ```
pub trait Automaton {
    /// The sum of the quantity that the automaton moves.
    type Total: PartialEq + core::fmt::Debug;
    /// The sums of what entered and left.
    type Ledger: PartialEq + core::fmt::Debug;
    /// A broken law. There is none unless this crate has a bug.
    type Violation: core::error::Error;

    /// Runs one step.
    fn step(&mut self) -> StepReport;
    /// Runs `steps` steps, with the same result as that many calls of [`step`](Automaton::step).
    fn run(&mut self, steps: u64) -> StepReport;
    /// Returns the number of steps run; wraps after `u64::MAX`.
    fn ticks(&self) -> u64;
    /// Returns the sum over all cells.
    fn total(&self) -> Self::Total;
    /// Returns what entered and left since the world was made.
    fn ledger(&self) -> Self::Ledger;
    /// Returns the number of cells that the next step will visit.
    fn awake_cells(&self) -> usize;
    /// Returns whether nothing will change until the next edit: no cell is awake.
    fn is_at_rest(&self) -> bool;
    /// Returns the cells whose state or ground an edit or a step has changed since the last call,
    /// by chunk, in order of position. Some may have their old values again. In water, only those
    /// that look different: see
    /// [`WaterWorld::take_changes`](crate::water::WaterWorld::take_changes).
    ///
    /// Loading and unloading a chunk is not listed, and unloading drops the chunk's changes. Until
    /// the next call, each changed chunk takes a mask of 512 bytes.
    fn take_changes(&mut self) -> Vec<ChunkChanges>;
    /// Returns a hash of the state that decides the future. Rules and bounds are not part of it:
    /// compare those separately. Independent of the platform and of the order of loading.
    fn state_hash(&self) -> u64;
    /// Checks every law of the automaton.
    ///
    /// # Errors
    /// The first broken law found.
    fn validate(&self) -> Result<(), Self::Violation>;
    /// Returns the bytes that the world holds on the heap.
    fn memory_bytes(&self) -> usize;
}

/// Implements [`Automaton`] by the inherent methods of the same names.
macro_rules! automaton {
    ([$($generics:tt)*] $world:ty, $total:ty, $ledger:ty, $violation:ty) => {
        impl<$($generics)*> $crate::automaton::Automaton for $world {
            type Total = $total;
            type Ledger = $ledger;
            type Violation = $violation;

            fn step(&mut self) -> $crate::automaton::StepReport {
                <$world>::step(self)
            }
            fn run(&mut self, steps: u64) -> $crate::automaton::StepReport {
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
                <$world>::awake_cells(self)
            }
            fn is_at_rest(&self) -> bool {
                <$world>::is_at_rest(self)
            }
            fn take_changes(&mut self) -> Vec<$crate::automaton::ChunkChanges> {
                <$world>::take_changes(self)
            }
            fn state_hash(&self) -> u64 {
                <$world>::state_hash(self)
            }
            fn validate(&self) -> Result<(), $violation> {
                <$world>::validate(self)
            }
            fn memory_bytes(&self) -> usize {
                <$world>::memory_bytes(self)
            }
        }
    };
}
pub(crate) use automaton;

/// What one or several steps did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Awake cells visited; in a tick of water, those of its outflows and of its regular flow, and
    /// those of steady falls, which are not looked at one by one.
    /// Cells visited by searches are counted by
    /// [`Progress::looked_at`](crate::water::Progress::looked_at).
    pub visited: u64,
    /// Cells whose state differs from before the step; in a [`World`](crate::World), those of each
    /// part and of what passes between them, so that a cell that changes in two ways counts twice.
    /// In the settling rule of 2D water also those that one part of the step changes and another
    /// changes back.
    pub changed: u64,
    /// Whole units that moved from a cell to its neighbour or over an edge, each counted once for
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

/// What an edit did with the water in its way, in units; for both water automata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Displaced {
    /// Moved to cells with room.
    pub moved: u32,
    /// Left the world for lack of room within reach; in the ledger as removed.
    pub removed: u32,
}

/// The changed cells of one chunk; see [`Automaton::take_changes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkChanges {
    /// The chunk's position, in chunks.
    pub chunk: IVec3,
    /// The cells whose state, or whose ground, may differ.
    pub cells: CellMask,
}

impl ChunkChanges {
    pub(crate) fn list(changes: Vec<(IVec3, CellMask)>) -> Vec<ChunkChanges> {
        changes.into_iter().map(|(chunk, cells)| ChunkChanges { chunk, cells }).collect()
    }
}

/// A 64-bit hash: FNV-1a over words with another multiplier, and a final mix as in splitmix64.
/// Stable across platforms and versions.
pub(crate) struct StateHash(u64);

impl StateHash {
    pub(crate) fn new() -> Self {
        StateHash(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    pub(crate) fn add_position(&mut self, position: IVec3) {
        self.add(u64::from(position.x as u32) | u64::from(position.y as u32) << 32);
        self.add(u64::from(position.z as u32));
    }

    /// Adds the cells of a dense chunk, `PER_WORD` (1, 2 or 4) to a word, the first lowest; the one
    /// value of a uniform chunk.
    pub(crate) fn add_chunk<T: Copy + PartialEq, const PER_WORD: usize>(
        &mut self,
        chunk: &Chunk<T>,
        bits: fn(T) -> u64,
    ) {
        match chunk.as_dense() {
            None => self.add(bits(chunk.get(0))),
            Some(cells) => {
                for cells in cells.as_chunks::<PER_WORD>().0 {
                    let append = |word: u64, &cell: &T| {
                        word.unbounded_shl(64 / PER_WORD as u32) | bits(cell)
                    };
                    self.add(cells.iter().rev().fold(0, append));
                }
            }
        }
    }

    pub(crate) fn finish(self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 32
    }
}
