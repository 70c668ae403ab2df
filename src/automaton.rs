//! What every automaton of this crate can be asked and told, in the same words. No rules of any of
//! them.

use crate::chunk::{CellMask, Chunk};
use glam::IVec3;

/// What all automata have in common: steps, totals with their account, changes, rest, and the check
/// of their laws.
///
/// Every method is also an inherent one of each automaton, so that this trait is only needed by
/// code that serves several. Edits differ from one to the next in what they write, and agree in
/// how: they come between steps; are named `set_…`, `clear_…`, `fill_…`, `add_…`, `insert_…` and
/// `remove_…`, and where water is poured and scooped `pour` and `scoop`; wake what they touch; and,
/// if they cannot be made, return an error that names the thing and change nothing.
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
    /// The sum of what the automaton moves about.
    type Total: PartialEq + core::fmt::Debug;
    /// The account of what entered and left.
    type Ledger: PartialEq + core::fmt::Debug;
    /// A law that does not hold; there is none unless this crate has a bug.
    type Violation: core::error::Error;

    /// Runs one step.
    fn step(&mut self) -> StepReport;
    /// Runs `steps` steps. The same bytes as that many calls of [`step`](Automaton::step).
    fn run(&mut self, steps: u64) -> StepReport;
    /// Steps run so far; after `u64::MAX` the count begins anew.
    fn ticks(&self) -> u64;
    /// What is in the world now.
    fn total(&self) -> Self::Total;
    /// What entered and left since the world was made.
    fn ledger(&self) -> Self::Ledger;
    /// Cells that the next step will look at.
    fn awake_cells(&self) -> usize;
    /// Whether nothing will change until the next edit: no cell is awake.
    fn is_at_rest(&self) -> bool;
    /// The cells whose state or ground an edit or a step has changed since this was last asked, by
    /// chunk, in order of position; some of them may be back at what they were.
    ///
    /// Loading and unloading is not listed, for whoever does it knows. With an unloaded chunk goes
    /// what changed in it and was not asked for. What was never asked for takes memory, as a
    /// mask of 512 bytes for each chunk that changed and is there.
    fn take_changes(&mut self) -> Vec<ChunkChanges>;
    /// A hash of the state that decides the future under the same rules and within the same bounds,
    /// which are not part of it: who compares worlds compares those apart. The same on every
    /// platform, whatever the order of loading.
    fn state_hash(&self) -> u64;
    /// Checks every law of the automaton.
    ///
    /// # Errors
    /// The first law found broken.
    fn validate(&self) -> Result<(), Self::Violation>;
    /// Bytes that the world holds on the heap.
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

/// What one step, or several, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Awake cells that the step passed over; of a tick of water, those of its outflows and of its
    /// regular flow. What searches look at is counted by
    /// [`Progress::looked_at`](crate::water::Progress::looked_at).
    pub visited: u64,
    /// Cells whose state differs from before the step.
    pub changed: u64,
    /// Whole units that moved from a cell to its neighbour or over an edge, each counted once for
    /// every cell it left; 0 in automata that do not count in whole units. A chunk that sleeps
    /// counts nothing, although each of its cells may get as much as it gives: then units that
    /// go through it are missing here.
    pub moved: u64,
}

impl core::ops::AddAssign for StepReport {
    fn add_assign(&mut self, more: StepReport) {
        self.visited += more.visited;
        self.changed += more.changed;
        self.moved += more.moved;
    }
}

/// What became of the water, flat or not, that stood in the way of an edit, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Displaced {
    /// Went to neighbours with room.
    pub moved: u32,
    /// Found no room and left the world; entered in the ledger as removed.
    pub removed: u32,
}

/// The cells of one chunk that changed since they were last asked for.
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

/// A 64-bit hash in the manner of FNV-1a over words, with a final mix: stable across platforms and
/// versions.
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

    /// Adds the cells of a chunk, `PER_WORD` (1, 2 or 4) to a word, the first lowest; of a uniform
    /// chunk just one.
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
