//! Model-based testing of explosions: random operations on a world, on a twin, and on a naive model
//! of it. The other worlds have `floodplain::testing::Watched` for it; here runs carry probes, and
//! edits name nodes by their number.
//!
//! The twin gets the same edits, but is woken before each step, takes steps one by one, and is
//! never saved and loaded. After every operation the world must equal its twin and its model and
//! keep its own laws. An automaton brings its [`Model`]; [`Watched`] does the rest.

use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::{Automaton, ChunkChanges, Shape, StepReport};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// What is done to a world: edits `E`, and what all worlds can do.
#[derive(Clone, Debug)]
pub enum Op<E, R = ()> {
    Edit(E),
    WakeAll,
    TakeChanges,
    SaveAndLoad,
    /// Single steps.
    Step(u8),
    /// Steps by one call, in a way that the model knows.
    Run(u8, R),
}

/// A world under test.
pub trait World: Saved {
    /// A cell or a node.
    type Place: Copy + Ord + Debug;
    /// The ledger and the total.
    type Account: PartialEq + Debug;

    fn account(&self) -> Self::Account;
    /// The number of places that are awake.
    fn awake(&self) -> usize;
    fn state_hash(&self) -> u64;
    fn ticks(&self) -> u64;
    fn is_at_rest(&self) -> bool;
    fn step(&mut self) -> StepReport;
    fn run(&mut self, steps: u64) -> StepReport;
    fn wake_all(&mut self);
    /// Returns the changed places. Checks their order.
    fn take_changes(&mut self) -> BTreeSet<Self::Place>;
    fn validate(&self) -> Result<(), String>;
}

/// An automaton on chunks.
pub trait ChunkWorld: Automaton + Saved {
    type Shape: Shape;
    fn wake_all(&mut self);
}

impl<W: ChunkWorld> World for W {
    type Place = [i32; 3];
    type Account = (W::Ledger, W::Total);

    fn account(&self) -> Self::Account {
        (self.ledger(), self.total())
    }

    fn awake(&self) -> usize {
        self.awake_cells()
    }

    fn state_hash(&self) -> u64 {
        Automaton::state_hash(self)
    }

    fn ticks(&self) -> u64 {
        Automaton::ticks(self)
    }

    fn is_at_rest(&self) -> bool {
        Automaton::is_at_rest(self)
    }

    fn step(&mut self) -> StepReport {
        Automaton::step(self)
    }

    fn run(&mut self, steps: u64) -> StepReport {
        Automaton::run(self, steps)
    }

    fn wake_all(&mut self) {
        ChunkWorld::wake_all(self);
    }

    fn take_changes(&mut self) -> BTreeSet<[i32; 3]> {
        let changes: Vec<ChunkChanges> = Automaton::take_changes(self);
        assert!(changes.is_sorted_by_key(|changes| {
            let IVec3 { x, y, z } = changes.chunk;
            [y, z, x]
        }));
        let cells = changes.iter().flat_map(|changes| {
            changes.cells.iter().map(|index| W::Shape::cell_at(changes.chunk, index).to_array())
        });
        cells.collect()
    }

    fn validate(&self) -> Result<(), String> {
        Automaton::validate(self).map_err(|law| law.to_string())
    }
}

/// A naive model of a world. It shares no code with what it judges.
pub trait Model {
    type World: World;
    type Edit: Debug;
    /// A way to take steps by one call.
    type Run: Debug;
    type Answer: PartialEq + Debug;
    type Error: Debug;
    /// The state of a place.
    type Look: Clone + PartialEq + Debug;

    /// Makes an edit in the world, then in its twin. Lists of chunks are reversed in the twin.
    fn make(
        &mut self,
        world: &mut Self::World,
        edit: &Self::Edit,
        is_twin: bool,
    ) -> Result<Self::Answer, Self::Error>;

    /// Makes an edit in the model, which must come to the same answer.
    fn edit(&mut self, edit: &Self::Edit, answer: Result<Self::Answer, Self::Error>);

    /// Whether the last edit loaded or unloaded a cell: that is no change of it.
    fn was_loaded(&self, place: <Self::World as World>::Place) -> bool;

    /// All places.
    fn looks(&self, world: &Self::World) -> Looks<Self>;

    /// One step of the twin and of the model, which must come to the same.
    fn step(&mut self, twin: &mut Self::World) -> StepReport;

    /// Steps of the world: a single one, or several in the way of `run`. The twin's come after.
    fn go(&mut self, world: &mut Self::World, steps: u64, run: Option<&Self::Run>) -> StepReport {
        if run.is_some() { world.run(steps) } else { world.step() }
    }

    /// After steps of the world and of the twin.
    fn gone(&mut self) {}

    /// The world must equal the model.
    fn compare(&self, world: &Self::World, after: &dyn Debug);
}

/// The state of each place.
pub type Looks<M> = BTreeMap<<<M as Model>::World as World>::Place, <M as Model>::Look>;

/// A world, its twin and its model.
pub struct Watched<M: Model> {
    pub world: M::World,
    twin: M::World,
    model: M,
    /// The world at the last comparison: hashing takes longer than most edits.
    state: State<M::World>,
    /// The state when changes were last taken. A place that is back at that need not be
    /// reported: a chunk of explosions that falls silent is let go with its marks.
    taken: Looks<M>,
}

impl<M: Model> Watched<M> {
    /// Two worlds made in the same way, and a model of them.
    pub fn of(model: M, make: impl Fn() -> M::World) -> Watched<M> {
        let (mut world, mut twin) = (make(), make());
        world.take_changes();
        twin.take_changes();
        let state = state_of(&world);
        let taken = model.looks(&world);
        Watched { world, twin, model, state, taken }
    }

    /// Carries out an operation, and checks everything.
    pub fn apply(&mut self, op: &Op<M::Edit, M::Run>) {
        match op {
            Op::Edit(edit) => return self.edit(edit),
            Op::Step(steps) => return (0..*steps).for_each(|_| self.advance(1, None, op)),
            Op::Run(steps, run) => return self.advance(u64::from(*steps), Some(run), op),
            Op::WakeAll => self.world.wake_all(),
            Op::TakeChanges => self.take_changes(),
            Op::SaveAndLoad => self.world = saved_and_loaded(&self.world),
        }
        self.compare(op);
    }

    /// Makes an edit in all three. One that is refused must change nothing.
    fn edit(&mut self, edit: &M::Edit) {
        let then = self.model.looks(&self.world);
        let answer = self.model.make(&mut self.world, edit, false);
        agree(&answer, &self.model.make(&mut self.twin, edit, true), edit);
        let is_refused = answer.is_err();
        self.model.edit(edit, answer);
        self.note_changes(&then, M::was_loaded);
        let has_changed = self.compare(edit);
        assert!(!(is_refused && has_changed), "a refused edit changed the world: {edit:?}");
    }

    /// Steps of the world, and as many single ones of the twin and the model.
    fn advance(&mut self, steps: u64, run: Option<&M::Run>, op: &dyn Debug) {
        let (then, has_rested) = (self.model.looks(&self.world), self.world.is_at_rest());
        let report = self.model.go(&mut self.world, steps, run);
        let mut changed = 0;
        for _ in 0..steps {
            self.twin.wake_all();
            changed += self.model.step(&mut self.twin).changed;
        }
        self.model.gone();
        let tick = self.world.ticks();
        assert_eq!(report.changed, changed, "changes to tick {tick}; the twin never slept");
        let differing = self.note_changes(&then, |_, _| false);
        assert!(changed >= differing, "{differing} differ, and {changed} are reported");
        assert!(!has_rested || differing == 0, "a world at rest changed {differing} places");
        self.compare(op);
    }

    /// Both must report the same changes, among them every place that differs from when changes were
    /// last taken.
    fn take_changes(&mut self) {
        let changes = self.world.take_changes();
        assert_eq!(changes, self.twin.take_changes(), "two equal worlds");
        let now = self.model.looks(&self.world);
        for place in now.keys().chain(self.taken.keys()) {
            let differs = now.get(place) != self.taken.get(place);
            let is_reported = changes.contains(place);
            assert!(is_reported || !differs, "{place:?} changed and was not reported");
        }
        self.taken = now;
        assert!(self.world.take_changes().is_empty(), "a change is reported once");
    }

    /// Notes the places that differ, except those that were loaded or unloaded. Returns how many.
    fn note_changes(
        &mut self,
        then: &Looks<M>,
        was_loaded: impl Fn(&M, <M::World as World>::Place) -> bool,
    ) -> u64 {
        let now = self.model.looks(&self.world);
        let mut differing = 0;
        for &place in now.keys().chain(then.keys().filter(|place| !now.contains_key(place))) {
            if was_loaded(&self.model, place) {
                match now.get(&place) {
                    Some(look) => _ = self.taken.insert(place, look.clone()),
                    None => _ = self.taken.remove(&place),
                }
            } else if now.get(&place) != then.get(&place) {
                differing += 1;
            }
        }
        differing
    }

    /// The world must be lawful, and equal to its twin and its model. Returns whether its state is
    /// another than before.
    fn compare(&mut self, after: &dyn Debug) -> bool {
        let (state, twin) = (state_of(&self.world), state_of(&self.twin));
        assert_eq!(state.0, twin.0, "the hash of the twin, after {after:?}");
        assert_eq!(state.1, twin.1, "the account of the twin, after {after:?}");
        if let Err(law) = self.world.validate() {
            panic!("tick {}: {law}, after {after:?}", self.world.ticks());
        }
        self.model.compare(&self.world, after);
        std::mem::replace(&mut self.state, state) != self.state
    }
}

/// The hash of the state, the account, and what is awake.
type State<W> = (u64, <W as World>::Account, usize);

fn state_of<W: World>(world: &W) -> State<W> {
    (world.state_hash(), world.account(), world.awake())
}

/// Returns the world as it is after saving and loading.
pub fn saved_and_loaded<W: World>(world: &W) -> W {
    let bytes = world.save();
    let loaded = W::load(&bytes).unwrap_or_else(|error| panic!("a world that was saved: {error}"));
    assert!(loaded.save() == bytes, "other bytes from a world that was loaded");
    assert_eq!(loaded.state_hash(), world.state_hash(), "the hash of a world that was loaded");
    loaded
}

/// Two equal worlds answer alike.
fn agree<T: PartialEq + Debug, E: Debug>(
    one: &Result<T, E>,
    other: &Result<T, E>,
    edit: &impl Debug,
) {
    match (one, other) {
        (Ok(one), Ok(other)) => assert_eq!(one, other, "two equal worlds: {edit:?}"),
        // Compared as text: an error may hold a NaN.
        _ => assert_eq!(format!("{one:?}"), format!("{other:?}"), "{edit:?}"),
    }
}

/// Makes edits in one world as values that were sent as bytes, in another by the functions of their
/// names. Both save to the same bytes after each. Runs are taken in single steps.
pub fn values_are_calls<M: Model>(
    mut model: M,
    make: impl Fn() -> M::World,
    ops: &[Op<M::Edit, M::Run>],
) where
    M::Run: Debug,
{
    let [mut by_value, mut by_call] = [make(), make()];
    for op in ops {
        match op {
            Op::Edit(edit) => {
                let outcome = model.make(&mut by_value, edit, false);
                agree(&outcome, &model.make(&mut by_call, edit, true), edit);
                model.edit(edit, outcome);
            }
            Op::Step(steps) | Op::Run(steps, _) => {
                for _ in 0..*steps {
                    assert_eq!(by_value.step(), model.step(&mut by_call));
                }
            }
            Op::WakeAll => [&mut by_value, &mut by_call].into_iter().for_each(World::wake_all),
            Op::TakeChanges => {
                assert_eq!(by_value.take_changes(), by_call.take_changes());
            }
            Op::SaveAndLoad => by_value = saved_and_loaded(&by_value),
        }
        assert!(by_value.save() == by_call.save(), "other bytes after {op:?}");
    }
}

/// The name of an error's variant.
pub fn name(error: &impl Debug) -> String {
    format!("{error:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
