//! The items of [`Watch`] that differ between kinds of worlds: looks, edits that undo others, the
//! naive model. All other items follow from [`Simulation`] and [`Saved`], for every kind alike.

use super::findings::Findings;
use super::watch::{Changes, Looks, Model, Watch};
use super::worlds::{received, saved_and_loaded};
use crate::StepReport;
use crate::simulation::Simulation;
use crate::snapshot::Saved;
use core::fmt::Debug;

/// A world of this crate. Its methods are those of [`Watch`] of the same names.
pub trait Kind: Saved + Simulation {
    /// A cell or a node.
    type Place: Copy + Ord + Debug;
    /// The state of a place whose changes must be listed.
    type Look: Clone + PartialEq + Debug;
    /// Whether reports count the same moves of a world that sleeps as of a world that never sleeps.
    const COUNTS_MOVES_ASLEEP: bool = false;

    fn reordered(_edit: &Self::Edit) -> Option<Self::Edit> {
        None
    }

    fn undo(_edit: &Self::Edit, _outcome: &Self::Outcome) -> Vec<Self::Edit> {
        Vec::new()
    }

    fn merge(&self, edits: Vec<Self::Edit>) -> Vec<Self::Edit> {
        edits
    }

    fn step_otherwise(&mut self, ticks: u64, _budget: u64, _found: &mut Findings) -> StepReport {
        self.run(ticks)
    }

    fn rests_within(&self) -> Option<u64> {
        None
    }

    fn let_alone(&mut self, _found: &mut Findings) {}

    fn looks(&self) -> Looks<Self>;

    fn looks_different(then: Option<&Self::Look>, now: Option<&Self::Look>) -> bool {
        then != now
    }

    fn is_change(
        _edit: Option<&Self::Edit>,
        _place: Self::Place,
        then: Option<&Self::Look>,
        now: Option<&Self::Look>,
    ) -> bool {
        then.is_some() && now.is_some()
    }

    /// Returns what [`Watch::take_changes`] returns.
    fn changes(&mut self) -> Changes<Self::Place>;

    fn model(&self) -> Option<Box<dyn Model<Self>>>;
}

/// Implements [`Watch`] for every world of this crate. A world whose bounds hold more than 65,536
/// cells has no naive model. Several ticks by one call are [`Simulation::run`], for explosions with
/// probes. A single tick of water or of materials is taken in slices, and the world is saved and
/// loaded in between.
impl<W: Kind> Watch for W {
    type Edit = <W as Simulation>::Edit;
    type Outcome = <W as Simulation>::Outcome;
    type Error = <W as Simulation>::EditError;
    type Place = <W as Kind>::Place;
    type Look = <W as Kind>::Look;
    type Account = (<W as Simulation>::Ledger, <W as Simulation>::Total);
    type Event = <W as Simulation>::Event;
    const COUNTS_MOVES_ASLEEP: bool = <W as Kind>::COUNTS_MOVES_ASLEEP;

    fn apply(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::Error> {
        Simulation::apply(self, edit)
    }

    fn reordered(edit: &Self::Edit) -> Option<Self::Edit> {
        <W as Kind>::reordered(edit)
    }

    fn received(edit: &Self::Edit) -> Result<Self::Edit, String> {
        received(edit)
    }

    fn undo(edit: &Self::Edit, outcome: &Self::Outcome) -> Vec<Self::Edit> {
        <W as Kind>::undo(edit, outcome)
    }

    fn merge(&self, edits: Vec<Self::Edit>) -> Vec<Self::Edit> {
        Kind::merge(self, edits)
    }

    fn step(&mut self) -> StepReport {
        Simulation::step(self)
    }

    fn step_otherwise(&mut self, ticks: u64, budget: u64, found: &mut Findings) -> StepReport {
        Kind::step_otherwise(self, ticks, budget, found)
    }

    fn wake_all(&mut self) {
        Simulation::wake_all(self);
    }

    fn saved_and_loaded(&self) -> Result<W, String> {
        saved_and_loaded(self)
    }

    fn awake(&self) -> usize {
        self.awake_cells()
    }

    fn ticks(&self) -> u64 {
        Simulation::ticks(self)
    }

    fn state_hash(&self) -> u64 {
        Simulation::state_hash(self)
    }

    fn account(&self) -> Self::Account {
        (self.ledger(), self.total())
    }

    fn is_at_rest(&self) -> bool {
        Simulation::is_at_rest(self)
    }

    fn rests_within(&self) -> Option<u64> {
        Kind::rests_within(self)
    }

    fn let_alone(&mut self, found: &mut Findings) {
        Kind::let_alone(self, found);
    }

    fn validate(&self) -> Result<(), String> {
        Simulation::validate(self).map_err(|broken| broken.to_string())
    }

    fn looks(&self) -> Looks<W> {
        Kind::looks(self)
    }

    fn looks_different(then: Option<&Self::Look>, now: Option<&Self::Look>) -> bool {
        <W as Kind>::looks_different(then, now)
    }

    fn is_change(
        edit: Option<&Self::Edit>,
        place: Self::Place,
        then: Option<&Self::Look>,
        now: Option<&Self::Look>,
    ) -> bool {
        <W as Kind>::is_change(edit, place, then, now)
    }

    fn take_changes(&mut self) -> Changes<Self::Place> {
        self.changes()
    }

    fn take_events(&mut self) -> Vec<Self::Event> {
        Simulation::take_events(self)
    }

    fn model(&self) -> Option<Box<dyn Model<W>>> {
        Kind::model(self)
    }
}
