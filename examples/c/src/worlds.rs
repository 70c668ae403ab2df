//! The worlds behind a handle: one enum for all kinds, what all of them do, and the recording of
//! what is done.
//!
//! A function of the interface that several kinds have is written once, over [`Played`] or over a
//! view of water; the macros [`with_world`] and [`with_view`] pick the kind.

use crate::border::Handle;
use crate::changes::{FpBroken, FpChunkChanges};
use crate::clock::Instant;
use crate::edit_structs::{FpEdit, FpEditReport, FpOutcome, materials_outcome, water_outcome};
#[cfg(feature = "fields")]
use crate::fields;
use crate::of_materials::OfMaterials;
use crate::status::{Answer, Fault, FpStatus, of_materials, of_water};
use crate::tags::FpKind;
use floodplain::recording::Recorder;
use floodplain::snapshot::Saved;
use floodplain::water::{FlowField, WaterWorld};
use floodplain::world::World;
use floodplain::{
    ChunkChanges, ClientEditError, EditValue, Limits, Progress, Simulation, StepReport, water,
    world,
};
use std::time::Duration;

/// A world of any kind, or a client's mirror. Opaque. Free it by `fp_world_free`.
pub struct FpWorld {
    _opaque: [u8; 0],
}

impl Handle for FpWorld {
    type Inner = Holder;
    const MARK: u64 = u64::from_le_bytes(*b"fp world");
    const NAME: &'static str = "world";
}

/// What a handle of a world holds.
pub(crate) struct Holder {
    state: State,
    /// The smoothed flow, once it is asked for.
    pub(crate) flow: Option<FlowField>,
    /// What was taken out of the world and not delivered yet.
    pub(crate) changes: Vec<FpChunkChanges>,
    pub(crate) events: Vec<FpBroken>,
    pub(crate) reports: Vec<FpEditReport>,
    pub(crate) records: Vec<u8>,
    /// The last bytes that were asked for and did not fit, as long as nothing changes.
    bytes: Option<(BytesOf, Vec<u8>)>,
}

/// What bytes were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BytesOf {
    Snapshot,
    Recording,
    /// The edits of a tick.
    Tick(u64),
}

impl Holder {
    pub(crate) fn new(state: State) -> Holder {
        Holder {
            state,
            flow: None,
            changes: Vec::new(),
            events: Vec::new(),
            reports: Vec::new(),
            records: Vec::new(),
            bytes: None,
        }
    }

    /// Returns the world, to be read.
    pub(crate) fn read(&self) -> &State {
        &self.state
    }

    /// Returns the world, to be changed.
    pub(crate) fn change(&mut self) -> &mut State {
        self.bytes = None;
        &mut self.state
    }

    /// Returns bytes that take long to make, kept from the call before if they did not fit then.
    pub(crate) fn bytes(
        &mut self,
        of: BytesOf,
        make: impl FnOnce(&State) -> Answer<Vec<u8>>,
    ) -> Answer<&mut Vec<u8>> {
        if self.bytes.as_ref().is_none_or(|(before, _)| *before != of) {
            self.bytes = Some((of, make(&self.state)?));
        }
        let (_, bytes) = self.bytes.get_or_insert((of, Vec::new()));
        Ok(bytes)
    }

    /// Forgets the bytes that were delivered.
    pub(crate) fn drop_bytes(&mut self) {
        self.bytes = None;
    }
}

/// The kinds of worlds and mirrors.
pub(crate) enum State {
    Water(Kept<WaterWorld>),
    Materials(OfMaterials<Kept<World>>),
    #[cfg(feature = "fields")]
    HumiditySheet(Kept<fields::HumiditySheet>),
    #[cfg(feature = "fields")]
    HumidityCube(Kept<fields::HumidityCube>),
    #[cfg(feature = "fields")]
    BlastSheet(Kept<fields::BlastSheet>),
    #[cfg(feature = "fields")]
    BlastCube(Kept<fields::BlastCube>),
    WaterMirror(water::Mirror),
    MaterialsMirror(OfMaterials<Box<world::Mirror>>),
}

impl State {
    pub(crate) fn kind(&self) -> FpKind {
        match self {
            State::Water(_) => FpKind::Water,
            State::Materials(_) => FpKind::Materials,
            #[cfg(feature = "fields")]
            State::HumiditySheet(_) => FpKind::HumiditySheet,
            #[cfg(feature = "fields")]
            State::HumidityCube(_) => FpKind::HumidityCube,
            #[cfg(feature = "fields")]
            State::BlastSheet(_) => FpKind::BlastSheet,
            #[cfg(feature = "fields")]
            State::BlastCube(_) => FpKind::BlastCube,
            State::WaterMirror(_) => FpKind::WaterMirror,
            State::MaterialsMirror(_) => FpKind::MaterialsMirror,
        }
    }

    /// Returns the fault of a call that another kind of world has.
    pub(crate) fn refuse<T>(&self) -> Answer<T> {
        Err(Fault::kind(format_args!("not of a world of kind {:?}", self.kind())))
    }

    /// Returns the water of a world.
    pub(crate) fn water(&self) -> Answer<&WaterWorld> {
        match self {
            State::Water(kept) => Ok(kept.world()),
            State::Materials(kept) => Ok(kept.world().water()),
            _ => self.refuse(),
        }
    }

    /// Returns a world of materials.
    pub(crate) fn materials(&self) -> Answer<&World> {
        match self {
            State::Materials(kept) => Ok(kept.world()),
            _ => self.refuse(),
        }
    }
}

/// Runs an expression over the [`Kept`] world of any kind.
macro_rules! with_world {
    ($state:expr, $kept:ident => $body:expr) => {
        match $state {
            $crate::worlds::State::Water($kept) => $body,
            $crate::worlds::State::Materials($kept) => $body,
            #[cfg(feature = "fields")]
            $crate::worlds::State::HumiditySheet($kept) => $body,
            #[cfg(feature = "fields")]
            $crate::worlds::State::HumidityCube($kept) => $body,
            #[cfg(feature = "fields")]
            $crate::worlds::State::BlastSheet($kept) => $body,
            #[cfg(feature = "fields")]
            $crate::worlds::State::BlastCube($kept) => $body,
            mirror => mirror.refuse(),
        }
    };
}
pub(crate) use with_world;

/// Runs an expression over what can be drawn: the water of a world or of a mirror.
macro_rules! with_view {
    ($state:expr, $view:ident => $body:expr) => {
        match $state {
            $crate::worlds::State::Water(kept) => {
                let $view = kept.world();
                $body
            }
            $crate::worlds::State::Materials(kept) => {
                let $view = kept.world().water();
                $body
            }
            $crate::worlds::State::WaterMirror($view) => $body,
            $crate::worlds::State::MaterialsMirror(mirror) => {
                let $view = mirror.water();
                $body
            }
            #[allow(unreachable_patterns)] // without the feature `fields` there is no other
            other => other.refuse(),
        }
    };
}
pub(crate) use with_view;

/// A kind of world, as this interface plays it.
pub(crate) trait Played: Saved + Simulation<Change = ChunkChanges> {
    /// Returns the handle's state of such a world.
    fn state(kept: Kept<Self>) -> State;
    fn edit(edit: &FpEdit) -> Answer<Self::Edit>;
    fn outcome(outcome: &Self::Outcome) -> FpOutcome;
    fn refusal(error: &Self::EditError) -> FpStatus;
    /// Returns an event for C, if there are any in such worlds.
    fn event(event: &Self::Event) -> Option<FpBroken>;

    /// Puts an edit in line. Returns its ticket.
    fn queue(&mut self, _edit: Self::Edit) -> Answer<u64> {
        Err(Fault::kind("worlds of this kind make edits at once"))
    }

    /// Returns the number of edits that wait.
    fn waiting(&self) -> usize {
        0
    }

    /// Puts an edit of a client in line.
    fn queue_bytes(&mut self, _bytes: &[u8], _limits: &Limits) -> Answer<u64> {
        Err(Fault::kind("worlds of this kind make edits at once"))
    }

    fn take_reports(&mut self) -> Vec<FpEditReport> {
        Vec::new()
    }

    /// Steps for a time. Of worlds without slices: a whole step.
    fn step_for(&mut self, _time: Duration) -> Progress {
        self.step_within(u64::MAX)
    }
}

/// Returns the fault of an edit that was refused.
pub(crate) fn refused<W: Played>(error: &W::EditError) -> Fault {
    Fault::new(W::refusal(error), error)
}

macro_rules! played {
    ($world:ty, $kind:ident, $edit:ident, $outcome:ident, $refusal:ident, $event:expr;
        $($own:item)*) => {
        impl Played for $world {
            fn state(kept: Kept<Self>) -> State {
                State::$kind(kept.into())
            }
            fn edit(edit: &FpEdit) -> Answer<Self::Edit> {
                edit.$edit()
            }
            fn outcome(outcome: &Self::Outcome) -> FpOutcome {
                $outcome(outcome)
            }
            fn refusal(error: &Self::EditError) -> FpStatus {
                $refusal(error)
            }
            fn event(event: &Self::Event) -> Option<FpBroken> {
                ($event)(event)
            }
            $($own)*
        }
    };
}

#[cfg(feature = "fields")]
pub(crate) use played;

/// What worlds do that have a queue and ticks in slices.
macro_rules! queued {
    ($world:ty, $kind:ident, $edit:ident, $outcome:ident, $refusal:ident, $event:expr) => {
        played! {
            $world, $kind, $edit, $outcome, $refusal, $event;
            fn queue(&mut self, edit: Self::Edit) -> Answer<u64> {
                Ok(<$world>::queue(self, edit).0)
            }
            fn waiting(&self) -> usize {
                self.queued_edits().len()
            }
            fn queue_bytes(&mut self, bytes: &[u8], limits: &Limits) -> Answer<u64> {
                match <$world>::queue_bytes(self, bytes, limits) {
                    Ok(ticket) => Ok(ticket.0),
                    Err(ClientEditError::Bytes(error)) => Err(error.into()),
                    Err(ClientEditError::Limit(error)) => Err(error.into()),
                    Err(ClientEditError::Edit(error)) => Err(refused::<$world>(&error)),
                }
            }
            fn take_reports(&mut self) -> Vec<FpEditReport> {
                let reports = self.take_edit_reports().into_iter().map(|report| {
                    let result = report.result.as_ref();
                    let result = result.map($outcome).map_err($refusal);
                    FpEditReport::new(report.ticket.0, report.tick, result)
                });
                reports.collect()
            }
            fn step_for(&mut self, time: Duration) -> Progress {
                let begin = Instant::now();
                self.step_while(|_| begin.elapsed() < time)
            }
        }
    };
}

queued!(WaterWorld, Water, of_water, water_outcome, of_water, |_: &()| None);
queued!(World, Materials, of_materials, materials_outcome, of_materials, |event| {
    Some(FpBroken::of_ground(event))
});
/// A world, or a world that is recorded.
pub(crate) enum Kept<W: Played> {
    Plain(Box<W>),
    Recorded(Box<Recorded<W>>),
    /// While it becomes another of these.
    Between,
}

/// A world that is recorded, and what the recorder does not keep of queued edits.
pub(crate) struct Recorded<W: Played> {
    pub(crate) recorder: Recorder<W>,
    /// Whether a tick has begun and is not complete.
    is_underway: bool,
    /// The number of edits queued since the recording began.
    queued: u64,
    /// The number of those that were made.
    made: u64,
    reports: Vec<FpEditReport>,
}

impl<W: Played> Recorded<W> {
    /// Notes the results of queued edits, which were made at a tick.
    fn note_results(&mut self, tick: u64) {
        for result in self.recorder.take_results() {
            let result = result.as_ref().map(W::outcome).map_err(W::refusal);
            self.reports.push(FpEditReport::new(self.made, tick, result));
            self.made += 1;
        }
    }

    fn step_within(&mut self, budget: u64) -> Progress {
        let tick = self.recorder.world().ticks();
        let finished = self.recorder.step_within(budget);
        self.is_underway = !finished;
        self.note_results(tick);
        Progress { finished, ..Progress::default() }
    }

    fn finish_tick(&mut self) {
        if self.is_underway {
            self.step_within(u64::MAX);
        }
    }

    fn apply(&mut self, edit: W::Edit) -> Result<W::Outcome, W::EditError> {
        self.finish_tick();
        let result = self.recorder.apply(edit);
        let tick = self.recorder.world().ticks();
        self.note_results(tick);
        result
    }

    fn queue(&mut self, edit: W::Edit) -> u64 {
        self.recorder.queue(edit);
        self.queued += 1;
        self.queued - 1
    }

    /// Makes the edits of a tick by their bytes. Returns how many were not refused.
    pub(crate) fn apply_bytes(&mut self, bytes: &[u8]) -> Answer<u64> {
        let made = self.recorder.apply_bytes(bytes)?;
        self.is_underway = false;
        let tick = self.recorder.world().ticks();
        self.note_results(tick);
        Ok(made as u64)
    }

    /// Takes back the last edit.
    pub(crate) fn undo(&mut self) -> Answer {
        let undone = self.recorder.undo()?;
        let none = || Fault::new(FpStatus::None, "there is no edit to take back");
        undone.map(|_| self.go_back()).ok_or_else(none)
    }

    /// Goes back to a tick.
    pub(crate) fn rewind(&mut self, tick: u64) -> Answer {
        self.recorder.rewind(tick)?;
        self.go_back();
        Ok(())
    }

    /// Forgets what was underway and in line, after the recorder went back.
    fn go_back(&mut self) {
        self.is_underway = false;
        self.made = self.queued;
    }
}

impl<W: Played> Kept<W> {
    pub(crate) fn new(world: W) -> Kept<W> {
        Kept::Plain(Box::new(world))
    }

    pub(crate) fn world(&self) -> &W {
        match self {
            Kept::Plain(world) => world,
            Kept::Recorded(recorded) => recorded.recorder.world(),
            Kept::Between => unreachable!("a handle whose call panicked is not entered"),
        }
    }

    /// Returns the world, for lists that are taken out of it.
    pub(crate) fn lists(&mut self) -> &mut W {
        match self {
            Kept::Plain(world) => world,
            Kept::Recorded(recorded) => recorded.recorder.world_mut(),
            Kept::Between => unreachable!("a handle whose call panicked is not entered"),
        }
    }

    /// Returns the recording's side, or a fault.
    pub(crate) fn recorded(&mut self) -> Answer<&mut Recorded<W>> {
        match self {
            Kept::Recorded(recorded) => Ok(recorded),
            _ => Err(Fault::new(FpStatus::Recording, "the world is not recorded")),
        }
    }

    /// Returns the world for what no recording has, or a fault while it is recorded.
    pub(crate) fn unrecorded(&mut self) -> Answer<&mut W> {
        match self {
            Kept::Plain(world) => Ok(world),
            _ => Err(Fault::new(FpStatus::Recording, "the world is recorded")),
        }
    }

    pub(crate) fn apply(&mut self, edit: W::Edit) -> Answer<W::Outcome> {
        let result = match self {
            Kept::Recorded(recorded) => recorded.apply(edit),
            _ => self.lists().apply(edit),
        };
        result.map_err(|error| refused::<W>(&error))
    }

    pub(crate) fn queue(&mut self, edit: W::Edit) -> Answer<u64> {
        match self {
            Kept::Recorded(recorded) => Ok(recorded.queue(edit)),
            _ => W::queue(self.lists(), edit),
        }
    }

    /// Puts an edit of a client in line.
    pub(crate) fn queue_bytes(&mut self, bytes: &[u8], limits: &Limits) -> Answer<u64> {
        let Kept::Recorded(recorded) = self else {
            return W::queue_bytes(self.lists(), bytes, limits);
        };
        let waiting = (recorded.queued - recorded.made) as usize + recorded.reports.len();
        if waiting >= limits.most_waiting {
            let most = limits.most_waiting;
            return Err(floodplain::LimitError::Waiting { waiting, most }.into());
        }
        let edit = edit_of_bytes::<W>(bytes, Some(limits))?;
        Ok(recorded.queue(edit))
    }

    pub(crate) fn take_reports(&mut self) -> Vec<FpEditReport> {
        match self {
            Kept::Recorded(recorded) => core::mem::take(&mut recorded.reports),
            _ => self.lists().take_reports(),
        }
    }

    pub(crate) fn step_within(&mut self, budget: u64) -> Progress {
        match self {
            Kept::Recorded(recorded) => recorded.step_within(budget),
            _ => self.lists().step_within(budget),
        }
    }

    pub(crate) fn step(&mut self) -> StepReport {
        match self {
            Kept::Recorded(_) => self.step_within(u64::MAX).report,
            _ => self.lists().step(),
        }
    }

    pub(crate) fn run(&mut self, steps: u64) -> StepReport {
        match self {
            Kept::Recorded(_) => {
                for _ in 0..steps {
                    self.step();
                }
                StepReport::default()
            }
            _ => self.lists().run(steps),
        }
    }

    pub(crate) fn finish_tick(&mut self) -> StepReport {
        match self {
            Kept::Recorded(recorded) => {
                recorded.finish_tick();
                StepReport::default()
            }
            _ => self.lists().finish_tick(),
        }
    }

    /// Steps until a time has passed or the tick is complete.
    pub(crate) fn step_for(&mut self, time: Duration) -> Progress {
        /// Cells between two looks at the clock: some 10 µs.
        const SLICE: u64 = 1_000;
        let Kept::Recorded(recorded) = self else { return self.lists().step_for(time) };
        let begin = Instant::now();
        loop {
            let progress = recorded.step_within(SLICE);
            if progress.finished || begin.elapsed() >= time {
                return progress;
            }
        }
    }

    /// Begins a recording, with the limits of edits that other machines send.
    pub(crate) fn record(
        &mut self,
        check_every: u64,
        keyframe_every: u64,
        limits: Option<Limits>,
    ) -> Answer {
        let world = self.unrecorded()?;
        if world.waiting() > 0 {
            return Err(Fault::new(FpStatus::Recording, "queued edits wait: step first"));
        }
        let Kept::Plain(world) = core::mem::replace(self, Kept::Between) else {
            unreachable!("it was not recorded");
        };
        let recorder = Recorder::new(*world);
        let mut recorder = recorder.check_every(check_every).keyframe_every(keyframe_every);
        if let Some(limits) = limits {
            recorder = recorder.limits(limits);
        }
        *self = Kept::Recorded(Box::new(Recorded {
            recorder,
            is_underway: false,
            queued: 0,
            made: 0,
            reports: Vec::new(),
        }));
        Ok(())
    }

    /// Ends the recording, after the tick that is underway. Edits that wait are made.
    pub(crate) fn end_recording(&mut self) -> Answer {
        let recorded = self.recorded()?;
        if recorded.queued > recorded.made {
            return Err(Fault::new(FpStatus::Recording, "queued edits wait: step first"));
        }
        recorded.finish_tick();
        if let Kept::Recorded(recorded) = core::mem::replace(self, Kept::Between) {
            *self = Kept::new(recorded.recorder.into_world());
        }
        Ok(())
    }
}

/// Returns the edit of bytes, if it keeps within the limits.
pub(crate) fn edit_of_bytes<W: Played>(bytes: &[u8], limits: Option<&Limits>) -> Answer<W::Edit> {
    if let Some(limits) = limits
        && bytes.len() > limits.most_bytes
    {
        let (bytes, most) = (bytes.len(), limits.most_bytes);
        return Err(floodplain::LimitError::Bytes { bytes, most }.into());
    }
    let edit = W::Edit::from_bytes(bytes)?;
    if let Some(limits) = limits {
        edit.check_limits(limits)?;
    }
    Ok(edit)
}
