//! The traits of a watched world and of its naive model.

use super::findings::Findings;
use crate::StepReport;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// The look of every place of a world.
pub type Looks<W> = BTreeMap<<W as Watch>::Place, <W as Watch>::Look>;

/// The places that changed since the last call, and the places among them that look different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes<P> {
    /// All places that changed.
    pub all: BTreeSet<P>,
    /// The changed places that look different.
    pub visible: BTreeSet<P>,
}

/// A world that can be [watched](super::Watched): a world of this crate, a game's own type around
/// one, or an automaton of its own.
///
/// ```
/// use floodplain::testing::{Changes, Looks, Watch, Watched};
/// use floodplain::{Simulation, StepReport};
/// use std::collections::{BTreeMap, BTreeSet};
///
/// /// A tap drips into a bucket. The state is two numbers.
/// #[derive(Clone, Debug)]
/// struct Bucket {
///     ticks: u64,
///     drops: u64,
/// }
///
/// impl Watch for Bucket {
///     type Edit = ();
///     type Outcome = ();
///     type Error = ();
///     type Place = u8;
///     type Look = u64;
///     type Account = u64;
///     type Event = ();
///
///     fn apply(&mut self, (): ()) -> Result<(), ()> {
///         self.drops = 0; // the only edit empties it
///         Ok(())
///     }
///     fn step(&mut self) -> StepReport {
///         self.ticks += 1;
///         self.drops += 1;
///         StepReport { visited: 1, changed: 1, moved: 0 }
///     }
///     fn wake_all(&mut self) {}
///     fn saved_and_loaded(&self) -> Result<Bucket, String> {
///         Ok(self.clone())
///     }
///     fn ticks(&self) -> u64 {
///         self.ticks
///     }
///     fn state_hash(&self) -> u64 {
///         self.drops
///     }
///     fn account(&self) -> u64 {
///         self.drops
///     }
///     fn is_at_rest(&self) -> bool {
///         false
///     }
///     fn validate(&self) -> Result<(), String> {
///         Ok(())
///     }
///     fn looks(&self) -> Looks<Bucket> {
///         BTreeMap::from([(0, self.drops)])
///     }
///     fn take_changes(&mut self) -> Changes<u8> {
///         let all = BTreeSet::from([0]); // without a list: always
///         Changes { visible: all.clone(), all }
///     }
/// }
///
/// let mut bucket = Watched::new(|| Bucket { ticks: 0, drops: 0 }).with_law("no_flood", |bucket| {
///     if bucket.drops < 3 { Ok(()) } else { Err(format!("{} drops", bucket.drops)) }
/// });
/// for _ in 0..3 {
///     bucket.step();
/// }
/// let broken = bucket.check_laws().unwrap_err();
/// assert_eq!((broken.first().law, broken.first().tick), ("no_flood", 3));
/// ```
pub trait Watch: Sized {
    /// An edit as a value.
    type Edit: Clone + Debug;
    /// The outcome of an edit that was not refused.
    type Outcome: PartialEq + Debug;
    /// Why an edit was refused.
    type Error: Debug;
    /// A cell or a node.
    type Place: Copy + Ord + Debug;
    /// The state of a place whose changes must be listed.
    type Look: Clone + PartialEq + Debug;
    /// The ledger and the total.
    type Account: PartialEq + Debug;
    /// An event of a tick, such as a wall that broke, which is reported once. `()` if there are no
    /// events.
    type Event: PartialEq + Debug;

    /// Whether reports count the same moves of a world that sleeps as of a world that never sleeps.
    /// They do not where units may flow through sleeping cells in equilibrium.
    const COUNTS_MOVES_ASLEEP: bool = false;

    /// Makes an edit, between two ticks.
    ///
    /// # Errors
    /// The edit is refused, and changed nothing.
    fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::Error>;

    /// Returns the edit with its list in another order, which must have the same result; `None` if
    /// it has no list.
    fn reordered(_edit: &Self::Edit) -> Option<Self::Edit> {
        None
    }

    /// Returns the edit as a receiver reads it, for edits that can be sent.
    ///
    /// # Errors
    /// The bytes of the edit are refused, or encode another edit.
    fn received(edit: &Self::Edit) -> Result<Self::Edit, String> {
        Ok(edit.clone())
    }

    /// Returns the edits that put back what an edit took out, one for each chunk.
    fn undo(_edit: &Self::Edit, _outcome: &Self::Outcome) -> Vec<Self::Edit> {
        Vec::new()
    }

    /// Merges edits of [`undo`](Watch::undo), the oldest first, into as few edits as possible, and
    /// leaves out edits that the present world would refuse.
    fn merge(&self, edits: Vec<Self::Edit>) -> Vec<Self::Edit> {
        edits
    }

    /// Runs one tick.
    fn step(&mut self) -> StepReport;

    /// Runs some ticks in another way that must have the same result: by one call, or one tick in
    /// slices of this budget. Adds to `found` the laws broken meanwhile. A world that has
    /// no other way takes single [steps](Watch::step).
    fn step_otherwise(&mut self, ticks: u64, _budget: u64, _found: &mut Findings) -> StepReport {
        let mut sum = StepReport::default();
        (0..ticks).for_each(|_| sum += self.step());
        sum
    }

    /// Wakes everything that sleeps.
    fn wake_all(&mut self);

    /// Returns the world as it is after it was saved and loaded.
    ///
    /// # Errors
    /// The saved world cannot be loaded, or the loaded world saves to other bytes.
    fn saved_and_loaded(&self) -> Result<Self, String>;

    /// Returns the number of places that the next tick will visit. A refused edit wakes no place.
    fn awake(&self) -> usize {
        0
    }

    /// Returns the number of ticks run.
    fn ticks(&self) -> u64;

    /// Returns a hash of the state that decides the future.
    fn state_hash(&self) -> u64;

    /// Returns the ledger and the total.
    fn account(&self) -> Self::Account;

    /// Returns whether nothing will change until the next edit.
    fn is_at_rest(&self) -> bool;

    /// Returns the ticks within which the world comes to rest if left to itself; `None` if it may
    /// continue for ever, or for a time that is not known.
    fn rests_within(&self) -> Option<u64> {
        None
    }

    /// Runs the world without edits for a while, and adds to `found` the laws of its final state
    /// that are broken. By default, this does nothing. A game's own type around a
    /// [`WaterWorld`](crate::water::WaterWorld) calls [`check_arrival`](super::check_arrival).
    fn let_alone(&mut self, _found: &mut Findings) {}

    /// Checks the laws of the world itself.
    ///
    /// # Errors
    /// The first broken law, in words.
    fn validate(&self) -> Result<(), String>;

    /// Returns the look of every place that is loaded. It is asked for after each edit and tick, so
    /// a watched world should be small.
    fn looks(&self) -> Looks<Self>;

    /// Returns whether one can see the difference between two looks of a place; a look is `None`
    /// where the place is not loaded.
    fn looks_different(then: Option<&Self::Look>, now: Option<&Self::Look>) -> bool {
        then != now
    }

    /// Returns whether a place whose look has changed must be among the changes, after an edit that
    /// was made or after a tick, for which `edit` is `None`. By default, this is true of every
    /// place that was loaded and still is: the loading or unloading of a place is no change.
    fn is_change(
        _edit: Option<&Self::Edit>,
        _place: Self::Place,
        then: Option<&Self::Look>,
        now: Option<&Self::Look>,
    ) -> bool {
        then.is_some() && now.is_some()
    }

    /// Returns the places that changed since the last call.
    fn take_changes(&mut self) -> Changes<Self::Place>;

    /// Returns the events since the last call, in order.
    fn take_events(&mut self) -> Vec<Self::Event> {
        Vec::new()
    }

    /// Returns a naive model of the world as it is, if there is one.
    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        None
    }
}

/// A naive model of a world: cells and account kept as plainly as can be, by code that shares
/// nothing with the world.
pub trait Model<W: Watch> {
    /// Is called before an edit of the world.
    fn edit_begins(&mut self, _world: &W) {}

    /// Makes an edit in the model, too, which must give the same answer.
    fn edited(
        &mut self,
        edit: &W::Edit,
        answer: &Result<W::Outcome, W::Error>,
        found: &mut Findings,
    );

    /// Is called before a tick of the world.
    fn step_begins(&mut self, _world: &W) {}

    /// Is called after a tick of the world, which the model checks or repeats. `differing` is the
    /// number of places whose look the tick changed.
    fn stepped(&mut self, world: &W, report: StepReport, differing: u64, found: &mut Findings);

    /// Is called with the events that the world reports for the last edit or tick.
    fn happened(&mut self, _events: &[W::Event], _found: &mut Findings) {}

    /// Checks that the world equals the model.
    fn compare(&self, world: &W, found: &mut Findings);
}
