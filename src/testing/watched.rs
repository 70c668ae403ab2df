//! A world with its twins and its model, and the check of every law after each edit and tick.

use super::compare::{agree, are_same};
use super::findings::{BrokenLaws, Findings};
use super::law;
use super::op::Op;
use super::watch::{Changes, Looks, Model, Watch};
use crate::StepReport;

/// The budgets of a slice of the twin in slices, one for each tick by turns, unless one is given.
const BUDGETS: [u64; 4] = [0, 40, 7, 400];

/// The twin that is saved and loaded is reloaded after each tick whose number this divides.
const RELOAD: u64 = 4;

/// A law of your own, with its state.
type Check<W> = Box<dyn FnMut(&W) -> Result<(), String>>;

/// A companion that reads its own twin.
struct Companion<W: Watch> {
    law: &'static str,
    twin: W,
    attend: Box<Attend<W>>,
}

/// The function called after each edit and tick, with the events since the last call.
type Attend<W> = dyn FnMut(&mut W, &[<W as Watch>::Event]) -> Result<(), String>;

/// A world that is watched: with a twin that never sleeps, one that takes its ticks in slices, one
/// that is saved and loaded in between, and a naive model of its cells and its account.
///
/// Edits and ticks go through this type, which makes them in the world, its twins and its model.
/// After each, it compares the world with its twins and its model, and checks `validate` and laws
/// of your own; [`check_laws`](Watched::check_laws) returns the broken laws by name.
///
/// ```
/// use floodplain::testing::Watched;
/// use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
///
/// let bounds = Region::new(IVec3::ZERO, IVec3::splat(7));
/// let basin = || {
///     let mut world = WaterWorld::with_bounds(7, Rules::lossless(), bounds).unwrap();
///     world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
///     world
/// };
/// let mut watched = Watched::new(basin).with_law("no_lake", |world| match world.total() {
///     0..=20 => Ok(()),
///     units => Err(format!("{units} units")),
/// });
/// for x in 0..3 {
///     watched.edit(Edit::Pour { cell: IVec3::new(x, 7, 4), units: 7 })?;
///     watched.step();
/// }
/// let broken = watched.check_laws().unwrap_err();
/// assert_eq!(broken.to_string(), "tick 2, no_lake: 21 units");
/// assert_eq!(watched.check_laws().unwrap_err().first().law, "no_lake", "as long as it is broken");
/// # Ok::<(), floodplain::water::EditError>(())
/// ```
pub struct Watched<W: Watch> {
    world: W,
    /// The twin that is woken before each tick, and takes the lists of edits in another order.
    awake: Box<W>,
    /// The twin that takes its ticks in slices, or several by one call.
    sliced: Box<W>,
    reloaded: Box<W>,
    model: Option<Box<dyn Model<W>>>,
    laws: Vec<(&'static str, Check<W>)>,
    companions: Vec<Companion<W>>,
    found: Findings,
    /// The hash of the world's state after the last edit or tick.
    hash: u64,
    /// The looks after the last edit or tick.
    looks: Looks<W>,
    /// The looks when changes were last taken. A place that looks the same again need not be
    /// reported, such as a chunk of explosions that falls silent and is freed with its marks.
    taken: Looks<W>,
    /// The events since changes were last taken, which the twins have yet to report.
    unchecked: Vec<W::Event>,
    /// Edits that put removed chunks back, the oldest first.
    shelf: Vec<W::Edit>,
}

impl<W: Watch> Watched<W> {
    /// Watches the world that `make` returns. `make` is called once for the world and once for each
    /// of its three twins, and must return equal worlds: that is the first law.
    pub fn new(make: impl Fn() -> W) -> Watched<W> {
        let mut world = make();
        // In boxes, since a build without optimisation moves each world of about 20 kB on the stack
        // several times, and the thread of a test has 2 MB.
        let [mut awake, mut sliced, mut reloaded] = [(); 3].map(|()| Box::new(make()));
        for world in [&mut world, &mut *awake, &mut *sliced, &mut *reloaded] {
            world.take_changes();
            world.take_events();
        }
        let (model, hash, looks) = (world.model(), world.state_hash(), world.looks());
        let mut watched = Watched {
            world,
            awake,
            sliced,
            reloaded,
            model,
            laws: Vec::new(),
            companions: Vec::new(),
            found: Findings::default(),
            hash,
            taken: looks.clone(),
            looks,
            unchecked: Vec::new(),
            shelf: Vec::new(),
        };
        for twin in [&*watched.awake, &*watched.sliced, &*watched.reloaded] {
            are_same(law::MADE_ALIKE, (&watched.world, watched.hash), twin, &mut watched.found);
        }
        watched
    }

    /// Uses this model in place of the world's own.
    #[must_use]
    pub fn with_model(self, model: impl Model<W> + 'static) -> Watched<W> {
        Watched { model: Some(Box::new(model)), ..self }
    }

    /// Adds a law of your own, which is checked after each edit and tick. `check` returns how the
    /// law is broken, and may keep state between checks.
    #[must_use]
    pub fn with_law(
        mut self,
        name: &'static str,
        check: impl FnMut(&W) -> Result<(), String> + 'static,
    ) -> Watched<W> {
        self.laws.push((name, Box::new(check)));
        self
    }

    /// Adds a law of a companion of the world: a client over a network, a save file. `attend` is
    /// called at once and after each edit and tick, with a twin of the companion's own and the
    /// events of the world since the last call. It may take the twin's lists of changes and events,
    /// and returns how the law is broken. It must not change the twin's future.
    ///
    /// ```
    /// use floodplain::testing::{Run, mirrored};
    /// use floodplain::world::World;
    ///
    /// let run: Run<World> = Run::from_bytes(&[7; 99]);
    /// let mut watched = run.watched().with_companion("my_client", mirrored());
    /// assert_eq!(watched.play(&run.ops), Ok(()));
    /// ```
    #[must_use]
    pub fn with_companion(
        mut self,
        name: &'static str,
        attend: impl FnMut(&mut W, &[W::Event]) -> Result<(), String> + 'static,
    ) -> Watched<W> {
        match self.world.saved_and_loaded() {
            Ok(twin) => {
                let mut companion = Companion { law: name, twin, attend: Box::new(attend) };
                companion.attend(&[], &mut self.found);
                self.companions.push(companion);
            }
            Err(wrong) => self.found.hold(law::SAVED_AND_LOADED, false, || wrong),
        }
        self
    }

    /// Returns the world.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Returns the world, and drops its twins and its model.
    pub fn into_world(self) -> W {
        self.world
    }

    /// Makes an edit in all worlds and in the model, and checks the laws.
    ///
    /// # Errors
    /// The edit is refused. That breaks no law.
    pub fn edit(&mut self, edit: W::Edit) -> Result<W::Outcome, W::Error> {
        let before = (self.hash, self.world.awake());
        if let Some(model) = &mut self.model {
            model.edit_begins(&self.world);
        }
        let received = W::received(&edit).unwrap_or_else(|wrong| {
            self.found.hold(law::EDIT_AS_BYTES, false, || wrong);
            edit.clone()
        });
        let answer = self.world.apply(received);
        self.hash = self.world.state_hash();
        self.edit_twins(&edit, &answer);
        if let Some(model) = &mut self.model {
            model.edited(&edit, &answer, &mut self.found);
        }
        self.tell();
        let differing = self.note_changes(answer.is_ok().then_some(&edit));
        match &answer {
            Ok(outcome) => self.shelf.extend(W::undo(&edit, outcome)),
            Err(refused) => {
                let now = (self.hash, self.world.awake());
                let is_same = now == before && differing.is_empty();
                self.found.hold(law::REFUSED, is_same, || format!("{refused:?} after {edit:?}"));
            }
        }
        self.compare();
        answer
    }

    /// Makes an edit in all twins. The twin that never sleeps gets the list of the edit in another
    /// order.
    fn edit_twins(&mut self, edit: &W::Edit, answer: &Result<W::Outcome, W::Error>) {
        let reordered = W::reordered(edit).and_then(|edit| self.awake.apply(edit).ok());
        // A refusal names the first refused entry of a list, so a refused edit is made in its own
        // order.
        let of_awake = match reordered {
            Some(outcome) => Ok(outcome),
            None => self.awake.apply(edit.clone()),
        };
        agree(&of_awake, answer, edit, &mut self.found);
        let attended = self.companions.iter_mut().map(|companion| &mut companion.twin);
        for twin in [&mut *self.sliced, &mut *self.reloaded].into_iter().chain(attended) {
            agree(&twin.apply(edit.clone()), answer, edit, &mut self.found);
        }
    }

    /// Runs one tick in all worlds, and checks the laws.
    pub fn step(&mut self) -> StepReport {
        let tick = self.world.ticks();
        self.step_in_slices(BUDGETS[(tick % BUDGETS.len() as u64) as usize])
    }

    /// Runs one tick in all worlds, in slices of this budget in the twin in slices, and checks the
    /// laws.
    fn step_in_slices(&mut self, budget: u64) -> StepReport {
        let report = self.step_world();
        let of_sliced = self.sliced.step_otherwise(1, budget, &mut self.found);
        self.found.same(law::IN_SLICES, &of_sliced.changed, &report.changed, || {
            format!("changes, in slices of {budget}")
        });
        self.compare_sliced();
        report
    }

    /// Runs ticks in all worlds, one by one except in the twin in slices, which runs them by one
    /// call, and checks the laws.
    pub fn run(&mut self, ticks: u64) -> StepReport {
        let mut sum = StepReport::default();
        (0..ticks).for_each(|_| sum += self.step_world());
        let at_once = self.sliced.step_otherwise(ticks, u64::MAX, &mut self.found);
        self.found.same(law::IN_SLICES, &at_once.changed, &sum.changed, || {
            format!("changes in {ticks} ticks by one call")
        });
        self.compare_sliced();
        sum
    }

    /// Saves and loads the twin kept for this, and checks the laws.
    fn reload(&mut self) {
        match self.reloaded.saved_and_loaded() {
            Ok(loaded) => *self.reloaded = loaded,
            Err(wrong) => self.found.hold(law::SAVED_AND_LOADED, false, || wrong),
        }
        self.compare();
    }

    /// Takes the changes of all worlds. The lists must be the same, include every place that has
    /// changed since they were last taken, and list as visible every place that looks different.
    /// The events since then must be the same, too.
    pub fn take_changes(&mut self) -> Changes<W::Place> {
        let changes = self.world.take_changes();
        for (law, twin) in [
            (law::NEVER_SLEPT, &mut self.awake),
            (law::IN_SLICES, &mut self.sliced),
            (law::SAVED_AND_LOADED, &mut self.reloaded),
        ] {
            let is_same = twin.take_changes() == changes;
            self.found.hold(law, is_same, || "other changes".to_owned());
            self.found.same(law::EVENTS, &twin.take_events(), &self.unchecked, || {
                format!("{law}: events")
            });
        }
        self.unchecked.clear();
        let found = &mut self.found;
        let is_part = changes.visible.is_subset(&changes.all);
        found.hold(law::CHANGES_LISTED, is_part, || "visible changes that are none".to_owned());
        // In most ticks nothing differs, and one comparison of all places is the fastest.
        let is_other = self.looks != self.taken;
        let places = self.looks.keys().chain(self.taken.keys()).filter(|_| is_other);
        for place in places {
            let (then, now) = (self.taken.get(place), self.looks.get(place));
            let is_listed = changes.all.contains(place) || then == now;
            found.hold(law::CHANGES_LISTED, is_listed, || format!("{place:?}: {then:?}, {now:?}"));
            let is_seen = changes.visible.contains(place) || !W::looks_different(then, now);
            found.hold(law::CHANGES_LISTED, is_seen, || format!("{place:?} looks different"));
        }
        let again = self.world.take_changes();
        let is_empty = again.all.is_empty() && again.visible.is_empty();
        found.hold(law::CHANGES_LISTED, is_empty, || "a change listed twice".to_owned());
        self.taken.clone_from(&self.looks);
        changes
    }

    /// [Leaves the world to itself](Watch::let_alone), and runs it until it rests if it [must come
    /// to rest](Watch::rests_within). Returns the world; its twins and its model are dropped.
    ///
    /// # Errors
    /// The laws found broken since the last call of [`check_laws`](Watched::check_laws) or by
    /// [`Watch::let_alone`], or `comes_to_rest`.
    ///
    /// ```
    /// use floodplain::testing::Run;
    /// use floodplain::water::{Edit, WaterWorld};
    ///
    /// let mut watched = Run::<WaterWorld>::from_bytes(&[]).watched();
    /// let cell = watched.world().bounds().max();
    /// watched.edit(Edit::Pour { cell, units: 7 })?;
    /// let world = watched.let_rest().unwrap();
    /// assert!(world.is_at_rest() && world.total() == 7 && world.units(cell) == 0);
    /// # Ok::<(), floodplain::water::EditError>(())
    /// ```
    pub fn let_rest(mut self) -> Result<W, BrokenLaws> {
        self.rest();
        self.found.take()?;
        Ok(self.world)
    }

    /// Runs an operation. An edit may be refused, which breaks no law.
    pub fn apply(&mut self, op: &Op<W::Edit>) {
        match op {
            Op::Edit(edit) => _ = self.edit(edit.clone()),
            Op::Step(ticks) => (0..*ticks).for_each(|_| _ = self.step()),
            Op::Run(ticks) => _ = self.run(u64::from(*ticks)),
            Op::Slices(budget) => _ = self.step_in_slices(*budget),
            Op::PutBack => {
                if let Some(edit) = self.shelf.pop() {
                    let _ = self.edit(edit);
                }
            }
            Op::PutAllBack => {
                let shelf = std::mem::take(&mut self.shelf);
                for edit in self.world.merge(shelf) {
                    let _ = self.edit(edit);
                }
            }
            Op::TakeChanges => _ = self.take_changes(),
            Op::Reload => self.reload(),
        }
    }

    /// Runs operations, stops at the first one that breaks a law, and takes the changes at the end.
    ///
    /// # Errors
    /// The laws found broken when the run stopped.
    pub fn play(&mut self, ops: &[Op<W::Edit>]) -> Result<(), BrokenLaws> {
        self.check_laws()?;
        ops.iter().try_for_each(|op| {
            self.apply(op);
            self.found.take()
        })?;
        self.take_changes();
        self.found.take()
    }

    /// Checks the laws, and returns the laws found broken since the last call, each with its first
    /// case.
    ///
    /// # Errors
    /// The broken laws. Their consequences are found, too, so the first law says most.
    pub fn check_laws(&mut self) -> Result<(), BrokenLaws> {
        self.compare();
        self.found.take()
    }

    /// Returns the laws found broken since the last call as an error.
    #[cfg(feature = "recording")]
    pub(super) fn take_found(&mut self) -> Result<(), BrokenLaws> {
        self.found.take()
    }

    /// Leaves the world to itself, without its twins and its model, and runs it until it rests if
    /// it must come to rest.
    pub(super) fn rest(&mut self) {
        self.world.let_alone(&mut self.found);
        let Some(most) = self.world.rests_within() else { return };
        let mut ticks = 0;
        while ticks < most && !self.world.is_at_rest() {
            self.world.step();
            ticks += 1;
        }
        self.found.hold(law::COMES_TO_REST, self.world.is_at_rest(), || {
            format!("not within {most} ticks after this one")
        });
    }

    /// Runs one tick of the world, the model and all twins except the twin in slices, and checks
    /// every law that does not need that twin.
    fn step_world(&mut self) -> StepReport {
        let has_rested = self.world.is_at_rest();
        if let Some(model) = &mut self.model {
            model.step_begins(&self.world);
        }
        let report = self.world.step();
        self.hash = self.world.state_hash();
        self.found.at(self.world.ticks());
        self.awake.wake_all();
        for (law, twin, counts_moves) in [
            (law::NEVER_SLEPT, &mut self.awake, W::COUNTS_MOVES_ASLEEP),
            (law::SAVED_AND_LOADED, &mut self.reloaded, true),
        ] {
            let counts =
                |report: StepReport| (report.changed, counts_moves.then_some(report.moved));
            let (of_twin, of_world) = (counts(twin.step()), counts(report));
            self.found.same(law, &of_twin, &of_world, || "changed and moved".to_owned());
        }
        if self.world.ticks().is_multiple_of(RELOAD) {
            match self.reloaded.saved_and_loaded() {
                Ok(loaded) => *self.reloaded = loaded,
                Err(wrong) => self.found.hold(law::SAVED_AND_LOADED, false, || wrong),
            }
        }
        self.companions.iter_mut().for_each(|companion| _ = companion.twin.step());
        let differing = self.note_changes(None);
        let count = differing.len() as u64;
        self.found.hold(law::CHANGES_COUNTED, report.changed >= count, || {
            format!("{count} differ, {:?} first, and {} are reported", differing[0], report.changed)
        });
        let is_still = report == StepReport::default() && count == 0;
        self.found.hold(law::REST, !has_rested || is_still, || format!("{report:?}"));
        if let Some(model) = &mut self.model {
            model.stepped(&self.world, report, count, &mut self.found);
        }
        self.tell();
        self.compare_others();
        report
    }

    /// Passes the events of the last edit or tick to the model and the companions.
    fn tell(&mut self) {
        let events = self.world.take_events();
        if let Some(model) = &mut self.model {
            model.happened(&events, &mut self.found);
        }
        self.companions.iter_mut().for_each(|companion| companion.attend(&events, &mut self.found));
        self.unchecked.extend(events);
    }

    /// Reads the looks again after an edit that was made, or after a tick. Records the looks of
    /// places that need not be among the changes, and returns all other places that differ.
    fn note_changes(&mut self, edit: Option<&W::Edit>) -> Vec<W::Place> {
        let now = self.world.looks();
        // After an edit, equal looks are not the end: places that look the same may have been
        // loaded or unloaded.
        if edit.is_none() && now == self.looks {
            return Vec::new();
        }
        let mut differing = Vec::new();
        let gone = self.looks.keys().filter(|place| !now.contains_key(place));
        for &place in now.keys().chain(gone) {
            let (then, look) = (self.looks.get(&place), now.get(&place));
            if W::is_change(edit, place, then, look) {
                differing.extend((then != look).then_some(place));
                continue;
            }
            match look {
                Some(look) => _ = self.taken.insert(place, look.clone()),
                None => _ = self.taken.remove(&place),
            }
        }
        self.looks = now;
        differing
    }

    /// Checks that the world keeps the laws, and equals its twins and its model.
    fn compare(&mut self) {
        self.compare_others();
        self.compare_sliced();
    }

    fn compare_sliced(&mut self) {
        let Watched { world, hash, sliced, found, .. } = self;
        are_same(law::IN_SLICES, (world, *hash), sliced, found);
    }

    fn compare_others(&mut self) {
        let Watched { world, hash, awake, reloaded, model, laws, companions, found, .. } = self;
        found.at(world.ticks());
        if let Err(broken) = world.validate() {
            found.hold(law::VALID, false, || broken);
        }
        are_same(law::NEVER_SLEPT, (world, *hash), awake, found);
        are_same(law::SAVED_AND_LOADED, (world, *hash), reloaded, found);
        for Companion { law, twin, .. } in companions {
            are_same(law, (world, *hash), twin, found);
        }
        if let Some(model) = model {
            model.compare(world, found);
        }
        for (name, check) in laws {
            if let Err(broken) = check(world) {
                found.hold(name, false, || broken);
            }
        }
    }
}

impl<W: Watch> Companion<W> {
    fn attend(&mut self, events: &[W::Event], found: &mut Findings) {
        if let Err(broken) = (self.attend)(&mut self.twin, events) {
            found.hold(self.law, false, || broken);
        }
    }
}
