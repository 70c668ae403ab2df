//! One step, in this order: walls break; chunks below the threshold fall silent; the front opens
//! chunks; pressure flows, chunk by chunk; chunks wake and go to sleep.

pub(crate) mod ahead;
pub(super) mod formulas;
pub(super) mod job;
#[cfg(feature = "snapshot")]
mod part;
#[cfg(feature = "snapshot")]
mod part_edit;
pub(super) mod rounds;
mod silence;
pub(super) mod uniform;
mod weighted;

use super::field::flows::{ChunkFlows, Conductances};
use super::field::space::{Beyond, axis, outermost, plane_cells};
use super::probe::run_probed;
use super::rules::Rule;
use super::{BlastShape, BlastWorld, ChunkState, Probe};
use crate::automata::blast::field::conductances::{compute_conductances, ensure_conductances};
use crate::automata::blast::field::walls::{break_walls, breaking_in};
use crate::automata::blast::step::ahead::drop_stale;
use crate::automata::engine::front;
use crate::automata::engine::rims::{Rims, rims_of_chunk};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use crate::simulation::StepReport;
use ahead::Ahead;
use glam::IVec3;
use hashbrown::HashSet;
use job::{Ghost, GhostValues, Job, Scratch, StepInputs};
use rounds::{SIDES, Silent, Underway};

impl<S: BlastShape> BlastWorld<S> {
    /// Runs one step: walls whose pressure difference exceeds their strength break, then pressure
    /// flows.
    pub fn step(&mut self) -> StepReport {
        S::step_blast(self)
    }

    pub(super) fn step_generic(&mut self) -> StepReport {
        crate::spans::span!("explosions");
        let mut step = self.break_walls_first().0;
        step.silent = self.names_of_silent();
        self.open_chunks(&mut step);
        self.finish_step(step)
    }

    /// Makes pressure flow: the last round of a step.
    pub(super) fn finish_step(&mut self, step: Underway<S>) -> StepReport {
        let Underway { mut ahead, broken, broken_beside, silent, absorbed, opened, .. } = step;
        let silent = silent.into_iter().map(|silent| silent.chunk);
        let of_walls = broken.iter().chain(&broken_beside).map(|&place| S::chunk_of(place));
        let of_front = opened.iter().map(|&slot| self.pressure.position_at(slot));
        drop_stale(self, &mut ahead, of_walls.chain(silent).chain(of_front));
        let mut places: Vec<(Slot, usize)> =
            broken.iter().filter_map(|&place| self.place(place)).collect();
        places.sort_unstable();
        let mut slots = self.pressure.awake_slots().to_vec();
        self.pressure.sort_slots(&mut slots);
        let visited = (slots.len() * CHUNK_CELLS) as u64;
        let rims = |slot: Slot| rims_of_chunk::<f32, S>(self.pressure.chunk_at(slot));
        self.rims.refresh(&self.pressure, &slots, rims);
        // Closed chunks are put to sleep, unless a change next to them wakes them.
        let (closed, open): (Vec<Slot>, Vec<Slot>) =
            slots.into_iter().partition(|&slot| self.is_closed(slot, &opened));
        let mut jobs = core::mem::take(&mut self.jobs);
        let open = self.begin(&open, &opened, ahead, &mut jobs);
        open.iter_mut().filter(|job| !job.is_ahead).for_each(|job| self.swap_chunk(job));
        let (rule, audible, keep) = (self.rules.rule, self.audible(), self.keep);
        let inputs = StepInputs {
            rule,
            audible,
            keep,
            space: &self.space,
            pressure: &self.pressure,
            rims: &self.rims,
            broken: &places,
        };
        let states = &self.states;
        let mut left: Vec<&mut Job<S>> = open.iter_mut().filter(|job| !job.is_ahead).collect();
        self.workers.each(&mut left, |scratch, job| {
            let conductances = &states[job.slot.index()].conductances;
            inputs.step_chunk(job, conductances, &mut scratch.halo);
        });
        let (changed, faded) = self.put_back(open);
        self.advance_front(&closed, open, &faded);
        #[cfg(feature = "snapshot")]
        self.note_stepped(open, &faded);
        let changed = absorbed + broken.len() as u64 + changed;
        broken.into_iter().for_each(|place| self.touch(place));
        broken_beside.into_iter().for_each(|place| self.wake_beside(place));
        self.jobs = jobs;
        StepReport { visited, changed, moved: 0 }
    }

    /// Prepares a job for each of these chunks: the job done ahead, or a job that reuses the memory
    /// of the last step.
    fn begin<'j>(
        &mut self,
        slots: &[Slot],
        opened: &HashSet<Slot>,
        mut ahead: Ahead<S>,
        jobs: &'j mut Vec<Job<S>>,
    ) -> &'j mut [Job<S>] {
        if jobs.len() < slots.len() {
            jobs.resize_with(slots.len(), Job::new);
        }
        let jobs = &mut jobs[..slots.len()];
        for (job, &slot) in jobs.iter_mut().zip(slots) {
            if let Some(done) = ahead.take_job(self.pressure.position_at(slot)) {
                *job = done;
                continue;
            }
            ensure_conductances(self, slot);
            (job.slot, job.is_ahead) = (slot, false);
            job.ghosts = self.ghosts(slot, opened, &self.rims);
        }
        jobs
    }

    /// Puts stepped chunks back. Returns how many of their cells changed, without the cells in
    /// which a wall broke, and which chunks are no longer audible.
    fn put_back(&mut self, stepped: &mut [Job<S>]) -> (u64, Vec<Slot>) {
        let (mut changed, mut faded) = (0, Vec::new());
        for job in stepped.iter_mut() {
            self.swap_chunk(job);
            if job.is_ahead {
                // The chunk as it was before the step is dropped; the rest of the job is kept for
                // reuse.
                (job.pressure, job.flows) = (Chunk::uniform(0.0), None);
            }
            self.rims.update(job.slot, &mut job.rims);
            job.left.iter().for_each(|&left| self.books.leave(left));
            self.books.remove(job.faded);
            let state = &mut self.states[job.slot.index()];
            faded.extend((state.is_audible && !job.is_audible).then_some(job.slot));
            (state.is_audible, state.needs_audibility_check) = (job.is_audible, false);
            state.highest = job.highest;
            changed += (job.changes.count() - job.changed_again) as u64;
        }
        (changed, faded)
    }

    /// Returns whether a step would change a sleeping chunk if it were awake. Saves `rims` for this
    /// chunk alone, because the rims of all chunks can take many times the memory of a world of
    /// uniform chunks.
    pub(super) fn would_change(
        &self,
        slot: Slot,
        rims: &mut Rims<f32, S>,
        scratch: &mut Scratch<S>,
    ) -> bool {
        if !breaking_in(self, slot).is_empty()
            || self.has_faded(slot)
            || !self.front_of(slot).is_empty()
        {
            return true;
        }
        if self.is_blank(slot) {
            return false;
        }
        let ChunkState { flows, is_audible, conductances, .. } = &self.states[slot.index()];
        let (flows, was_audible) = (flows.clone(), *is_audible);
        let pressure = self.pressure.chunk_at(slot).clone();
        let is_still = pressure.as_uniform() == Some(0.0)
            && !flows.as_ref().is_some_and(ChunkFlows::is_moving);
        if self.is_quiet_around(slot) {
            return !is_still;
        }
        let computed;
        let conductances = match conductances {
            Conductances::Unknown => {
                computed = compute_conductances(self, slot);
                &computed
            }
            known => known,
        };
        rims.save(&self.pressure, &[slot]);
        let (rule, audible, keep) = (self.rules.rule, self.audible(), self.keep);
        let inputs = StepInputs {
            rule,
            audible,
            keep,
            space: &self.space,
            pressure: &self.pressure,
            rims,
            broken: &[],
        };
        let ghosts = self.ghosts(slot, &HashSet::new(), rims);
        let mut job = Job { slot, ghosts, pressure, flows, ..Job::new() };
        inputs.step_chunk(&mut job, conductances, &mut scratch.halo);
        was_audible && !job.is_audible || !job.changes.is_empty()
    }

    /// Moves a chunk out of the world to step it, or back into the world. After a step ahead, moves
    /// the stepped copy into the world.
    fn swap_chunk(&mut self, job: &mut Job<S>) {
        core::mem::swap(self.pressure.chunk_at_mut(job.slot), &mut job.pressure);
        core::mem::swap(&mut self.states[job.slot.index()].flows, &mut job.flows);
        if !job.is_ahead {
            self.pressure.exchange_marks_at(job.slot, &mut job.changes.marks);
        } else if let Some(changed) = job.changes.marks.take() {
            self.pressure.mark_changes_at(job.slot, &changed);
        }
    }

    /// Runs `steps` steps and returns the sum of their reports. The result has the same bytes as
    /// that many calls of [`step`](BlastWorld::step).
    pub fn run(&mut self, steps: u64) -> StepReport {
        let (report, left) = front::run_until_rest(self, steps, Self::is_at_rest, Self::step);
        self.tick = self.tick.wrapping_add(left);
        report
    }

    /// Runs `steps` steps, usually all steps of a frame, and measures every step with each probe.
    pub fn run_probed(&mut self, steps: u64, probes: &mut [Probe<IVec3>]) -> StepReport {
        if probes.is_empty() {
            return self.run(steps);
        }
        let is_wave = matches!(self.rules.rule, Rule::Wave { .. });
        run_probed(self, is_wave, steps, probes, Self::step, Self::flows_at)
    }

    /// Returns the ghosts of a chunk: at closed faces, and at rigid and periodic borders. `rims`
    /// are the rims of the step.
    fn ghosts(&self, slot: Slot, opened: &HashSet<Slot>, rims: &Rims<f32, S>) -> Vec<Ghost> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let ghost = |&face: &Face| {
            if neighbours[face.index()].is_some()
                && !self.is_closed(neighbours[face.index()], opened)
                && !chunk.step(face).is_some_and(|there| self.space.is_parted([chunk, there]))
            {
                return None;
            }
            let side = self.space.side::<S>(chunk, face);
            if side.beyond == Beyond::Open {
                return None;
            }
            let there = self.slot_behind(&neighbours, face, &side);
            let values = if self.is_closed(there, opened) {
                GhostValues::Mirrored
            } else {
                self.values_across(face, there, rims)
            };
            Some(Ghost { face, side, values })
        };
        Self::FACES.iter().filter_map(ghost).collect()
    }

    /// Returns the cells of a chunk behind a periodic border.
    fn values_across(&self, face: Face, there: Slot, rims: &Rims<f32, S>) -> GhostValues {
        let plane = self.space.opposite_plane::<S>(face);
        if plane == outermost::<S>(face.opposite()) && rims.current(there).is_some() {
            return GhostValues::Rim(there);
        }
        let chunk = self.pressure.chunk_at(there);
        GhostValues::Cells(
            plane_cells::<S>(axis(face), plane).map(|index| chunk.get(index)).collect(),
        )
    }

    /// Wakes chunks and puts them to sleep after a step.
    fn advance_front(&mut self, closed: &[Slot], stepped: &[Job<S>], faded: &[Slot]) {
        let closed = closed.iter().map(|&slot| (slot, None));
        let touched = stepped.iter().map(|job| (job.slot, job.changes.touched()));
        front::advance(&mut self.pressure, closed.chain(touched));
        for &there in stepped.iter().flat_map(|job| &job.touched_across) {
            self.pressure.wake_chunk_at(there);
        }
        for &slot in faded {
            self.wake_with_neighbours(slot);
        }
    }

    /// Opens the walls that break, and finds the chunks that edits have made inaudible: the first
    /// round. Returns the step, and the chunks made inaudible.
    pub(crate) fn break_walls_first(&mut self) -> (Underway<S>, Vec<Slot>) {
        let mut ahead = self.ahead.take().unwrap_or_else(|| Ahead::new(Vec::new()));
        let left = ahead.left_of(self.pressure.awake_slots());
        let broken = break_walls(self, ahead.take_broken(), &left);
        self.tick = self.tick.wrapping_add(1);
        let faded = self.recheck_audibility();
        let step = Underway {
            ahead,
            broken,
            broken_beside: Vec::new(),
            silent: Vec::new(),
            absorbed: 0,
            opened: HashSet::new(),
            #[cfg(feature = "snapshot")]
            exchange: 0,
        };
        (step, faded)
    }

    /// Returns the chunks that fall silent, in order of position: the second round.
    pub(crate) fn names_of_silent(&self) -> Vec<Silent> {
        let name = |slot| Silent { chunk: self.pressure.position_at(slot), ghost: None };
        self.falling_silent().into_iter().map(name).collect()
    }

    /// Absorbs the chunks that fall silent, and opens the chunks that the front enters: the third
    /// round.
    pub(crate) fn open_chunks(&mut self, step: &mut Underway<S>) {
        step.silent.sort_unstable_by_key(|silent| silent.chunk.sort_key());
        for &Silent { chunk, ghost } in &step.silent {
            let Some(slot) = self.pressure.slot(chunk) else { continue };
            match ghost {
                None => step.absorbed += self.absorb(slot),
                Some(had_any) => self.absorb_ghost(slot, had_any),
            }
        }
        step.opened = self.open_front();
    }

    /// Sets a ghost that has fallen silent to pressure 0, and frees it if it has no obstacles.
    fn absorb_ghost(&mut self, slot: Slot, had_any: bool) {
        self.pressure.chunk_at_mut(slot).fill(0.0);
        self.rims.invalidate(slot);
        let state = &mut self.states[slot.index()];
        (state.flows, state.highest) = (None, 0.0);
        (state.is_audible, state.ghost_is_blank) = (false, Some(true));
        self.end_flows_into(slot);
        if had_any {
            self.wake_with_neighbours(slot);
        }
        if self.ground(slot).is_none() {
            self.states[slot.index()] = Default::default();
            self.pressure.remove(self.pressure.position_at(slot));
        }
    }

    /// Notes which chunks a step of a divided world has stepped.
    #[cfg(feature = "snapshot")]
    pub(super) fn note_stepped(&mut self, jobs: &[Job<S>], faded: &[Slot]) {
        if self.pressure.is_divided() {
            let stepped = |job: &Job<S>| rounds::Stepped {
                slot: job.slot,
                touched: job.changes.touched(),
                has_faded: faded.contains(&job.slot),
            };
            self.stepped = jobs.iter().map(stepped).collect();
        }
    }

    /// Returns whether another part owns a column beside the column of a chunk.
    pub(crate) fn is_beside_foreign(&self, slot: Slot) -> bool {
        self.pressure.is_divided() && self.is_foreign_beside(self.pressure.position_at(slot))
    }

    /// Returns whether another part owns a column beside the column of a chunk position.
    pub(crate) fn is_foreign_beside(&self, chunk: ChunkPos) -> bool {
        let is_foreign =
            |&face: &Face| chunk.step(face).is_some_and(|there| self.pressure.is_foreign(there));
        SIDES.iter().take(S::NEIGHBOURS - 2).any(is_foreign)
    }

    /// Wakes the chunks of the cells that a cell of a ghost is linked to.
    pub(crate) fn wake_beside(&mut self, cell: IVec3) {
        for face in Self::FACES {
            let there = face.step(cell).and_then(|there| self.pressure.slot(S::chunk_of(there)));
            there.into_iter().for_each(|slot| self.pressure.wake_chunk_at(slot));
        }
    }
}
