//! One step: walls break, what is below the threshold falls silent, the front opens chunks, pressure moves.

use super::edit::sum_of;
use super::flow::{diffusive, in_grains};
use super::job::{Frame, Ghost, Job, Room, Seen, is_audible};
use super::planes::{ChunkFlows, Conductances};
use super::rules::Rule;
use super::space::{Beyond, axis, outermost, plane_cells};
use super::{Beside, BlastWorld, Probe};
use crate::automata::front;
use crate::automata::rims::{Rims, rims_of_chunk};
use crate::automata::shape::FieldShape;
use crate::automaton::StepReport;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use glam::IVec3;
use hashbrown::HashSet;
use smallvec::SmallVec;

impl<S: FieldShape> BlastWorld<S> {
    /// Runs one step. First the walls break that stand between too different pressures; then pressure moves.
    pub fn step(&mut self) -> StepReport {
        S::step_blast(self)
    }

    pub(in crate::automata) fn step_generic(&mut self) -> StepReport {
        self.tick = self.tick.wrapping_add(1);
        let broken = self.break_walls();
        let absorbed = self.fall_silent();
        let opened = self.open_front();
        let mut places: Vec<(Slot, usize)> = broken.iter().filter_map(|&place| self.place(place)).collect();
        places.sort_unstable();
        let mut slots = self.pressure.awake_slots().to_vec();
        self.pressure.sort_slots(&mut slots);
        let mut report = StepReport {
            visited: (slots.len() * CHUNK_CELLS) as u64,
            changed: absorbed + broken.len() as u64,
            moved: 0,
        };
        let mut jobs = core::mem::take(&mut self.jobs);
        let rims = |slot: Slot| rims_of_chunk::<f32, S>(self.pressure.chunk_at(slot));
        self.rims.renew(&self.pressure, &slots, rims);
        // What is shut sleeps on, unless something else wakes it.
        let (shut, open): (Vec<Slot>, Vec<Slot>) = slots.into_iter().partition(|&slot| self.is_shut(slot, &opened));
        let open = self.begin(&open, &opened, &mut jobs);
        open.iter_mut().for_each(|job| self.exchange(job));
        let (rule, audible) = (self.rules.rule, self.audible());
        let frame =
            Frame { rule, audible, space: &self.space, pressure: &self.pressure, rims: &self.rims, broken: &places };
        self.workers.each(open, |room, job| frame.step_chunk(job, &mut room.halo));
        let mut faded = Vec::new();
        for job in open.iter_mut().rev() {
            self.exchange(job);
            self.rims.note(job.slot, &mut job.rims);
            job.left.iter().for_each(|left| self.ledger.left += left);
            faded.extend(job.has_faded.then_some(job.slot));
            report.changed += (job.changes.count() - job.changed_again) as u64;
        }
        self.settle(&shut, open, &faded);
        broken.into_iter().for_each(|place| self.touch(place));
        self.jobs = jobs;
        report
    }

    /// Begins a job for each of these chunks, in room kept from the last step.
    fn begin<'j>(&mut self, slots: &[Slot], opened: &HashSet<Slot>, jobs: &'j mut Vec<Job<S>>) -> &'j mut [Job<S>] {
        if jobs.len() < slots.len() {
            jobs.resize_with(slots.len(), Job::new);
        }
        let jobs = &mut jobs[..slots.len()];
        // The last rims that were read are the nearest in the caches: so the last chunks come first.
        for (job, &slot) in jobs.iter_mut().zip(slots.iter().rev()) {
            self.know_conductances(slot);
            job.begin(slot, self.ghosts(slot, opened, &self.rims));
        }
        jobs
    }

    /// Whether a step would change a chunk that sleeps, if it were awake. `rims` and `room` are what a step needs: for one
    /// chunk at a time, because for all at once it is many times the memory of a world of uniform chunks.
    pub(super) fn would_change(&self, slot: Slot, rims: &mut Rims<f32, S>, room: &mut Room<S>) -> bool {
        if self.breaking_in(slot).next().is_some() || self.has_faded(slot) || !self.front_of(slot).is_empty() {
            return true;
        }
        if self.is_blank(slot) {
            return false;
        }
        let Beside { flows, is_audible, conductances, .. } = &self.beside[slot.index()];
        let pressure = self.pressure.chunk_at(slot).clone();
        let is_still = pressure.as_uniform() == Some(0.0) && !flows.as_ref().is_some_and(ChunkFlows::is_moving);
        if self.is_unheard(slot) {
            return !is_still;
        }
        let conductances = match conductances {
            Conductances::Unknown => self.conductances_of(slot),
            known => known.clone(),
        };
        let beside = Beside { flows: flows.clone(), is_audible: *is_audible, conductances, ..Beside::default() };
        rims.save(&self.pressure, &[slot]);
        let (rule, audible) = (self.rules.rule, self.audible());
        let frame = Frame { rule, audible, space: &self.space, pressure: &self.pressure, rims, broken: &[] };
        let ghosts = self.ghosts(slot, &HashSet::new(), rims);
        let mut job = Job::new();
        job.begin(slot, ghosts);
        (job.pressure, job.beside) = (pressure, beside);
        frame.step_chunk(&mut job, &mut room.halo);
        job.has_faded || !job.changes.is_empty()
    }

    /// Takes a chunk out of the world to step it, or puts it back.
    fn exchange(&mut self, job: &mut Job<S>) {
        core::mem::swap(self.pressure.chunk_at_mut(job.slot), &mut job.pressure);
        core::mem::swap(&mut self.beside[job.slot.index()], &mut job.beside);
        self.pressure.exchange_marks_at(job.slot, &mut job.changes.marks);
    }

    /// Runs `steps` steps and adds up what they did. The same bytes as that many calls of [`step`](BlastWorld::step).
    pub fn run(&mut self, steps: u64) -> StepReport {
        let mut sum = StepReport::default();
        for done in 0..steps {
            if self.is_at_rest() {
                // Nothing changes any more; time still passes.
                self.tick = self.tick.wrapping_add(steps - done);
                break;
            }
            sum += self.step();
        }
        sum
    }

    /// Runs `steps` steps, as many as make a frame, and lets each probe feel every one of them.
    pub fn run_probed(&mut self, steps: u64, probes: &mut [Probe<IVec3>]) -> StepReport {
        if probes.is_empty() {
            return self.run(steps);
        }
        let mut sum = StepReport::default();
        for _ in 0..steps {
            // Diffusive flows follow from the pressures before the step; the wave's are known after it.
            let is_wave = matches!(self.rules.rule, Rule::Wave { .. });
            if !is_wave {
                probes.iter_mut().for_each(|probe| probe.feel(&self.flows_at(*probe.place())));
            }
            sum += self.step();
            if is_wave {
                probes.iter_mut().for_each(|probe| probe.feel(&self.flows_at(*probe.place())));
            }
        }
        sum
    }

    /// The chunks behind the faces of a chunk that are there.
    pub(super) fn chunks_behind(&self, slot: Slot) -> SmallVec<[(Face, Slot); 6]> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let behind = |&face: &Face| {
            if neighbours[face.index()].is_some() {
                return Some((face, neighbours[face.index()]));
            }
            let side = self.space.side::<S>(chunk, face);
            let Beyond::There(there) = side.beyond else { return None };
            side.is_border.then(|| self.pressure.slot(there)).flatten().map(|there| (face, there))
        };
        Self::FACES.iter().filter_map(behind).collect()
    }

    /// Opens the silent chunks that audible pressure is about to enter, and makes those of them that are not there. All
    /// others are shut: what is below the threshold does not seep into them, or an explosion would drain away over the
    /// borders of the chunks that it has reached.
    ///
    /// What lies beside an opened chunk wakes with it: until now it was shut off from there, and slept, and from now on what
    /// flows into the one flows out of the other.
    fn open_front(&mut self) -> HashSet<Slot> {
        let mut opened = HashSet::new();
        for slot in self.pressure.awake_slots().to_vec() {
            for there in self.front_of(slot) {
                let there = self.ensure(there);
                self.wake_with_neighbours(there);
                opened.insert(there);
            }
        }
        opened
    }

    /// Whether pressure is about to enter a silent chunk, there or not.
    pub(super) fn is_about_to_open(&self, chunk: IVec3) -> bool {
        let behind = |&face: &Face| match self.space.side::<S>(chunk, face).beyond {
            Beyond::There(there) => self.pressure.slot(there),
            Beyond::Outside | Beyond::Wall => None,
        };
        Self::FACES.iter().filter_map(behind).any(|slot| self.front_of(slot).contains(&chunk))
    }

    /// The silent chunks, there or not, that a chunk's pressure is about to enter.
    fn front_of(&self, slot: Slot) -> SmallVec<[IVec3; 6]> {
        if self.is_blank(slot) {
            return SmallVec::new();
        }
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let entered = |&face: &Face| {
            // Where the world ends, no chunk is next to this one.
            if neighbours[face.index()].is_some() && !self.is_blank(neighbours[face.index()]) {
                return None;
            }
            let side = self.space.side::<S>(chunk, face);
            let Beyond::There(there) = side.beyond else { return None };
            let beyond = match side.is_border {
                true => self.pressure.slot(there).unwrap_or(Slot::NONE),
                false => neighbours[face.index()],
            };
            let is_silent = !beyond.is_some() || self.is_blank(beyond);
            let mut rim = plane_cells::<S>(axis(face), side.plane);
            (is_silent && rim.any(|index| self.enters(slot, index, face))).then_some(there)
        };
        Self::FACES.iter().filter_map(entered).collect()
    }

    /// Whether a cell's pressure is audible and passes its face into a silent chunk.
    fn enters(&self, slot: Slot, index: usize, face: Face) -> bool {
        let pressure = self.pressure.chunk_at(slot).get(index);
        let flow = diffusive(self.conductance_at(slot, index, face), pressure, 0.0);
        let damping = if let Rule::Wave { damping, .. } = self.rules.rule { damping as f32 } else { 1.0 };
        pressure.abs() >= self.audible() && in_grains(damping * flow, pressure.abs()) != 0.0
    }

    /// Whether a chunk is at pressure 0 without flow.
    pub(super) fn is_blank(&self, slot: Slot) -> bool {
        self.pressure.chunk_at(slot).as_uniform() == Some(0.0) && self.beside[slot.index()].flows.is_none()
    }

    /// Whether a chunk, there or not, takes no part in this step.
    fn is_shut(&self, slot: Slot, opened: &HashSet<Slot>) -> bool {
        !slot.is_some() || self.is_blank(slot) && !opened.contains(&slot)
    }

    /// The conductance of a link of a chunk that is there.
    pub(super) fn conductance_at(&self, slot: Slot, index: usize, face: Face) -> f32 {
        match &self.beside[slot.index()].conductances {
            Conductances::Unknown => self.conductance(S::cell_at(self.pressure.position_at(slot), index), face),
            Conductances::Whole => self.whole(),
            Conductances::Each(planes) => planes[face.index()][index],
        }
    }

    /// What lies behind the faces of a chunk that are shut, and of rigid and periodic borders. `rims` are those of the step.
    fn ghosts(&self, slot: Slot, opened: &HashSet<Slot>, rims: &Rims<f32, S>) -> Vec<Ghost> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let ghost = |&face: &Face| {
            if neighbours[face.index()].is_some() && !self.is_shut(neighbours[face.index()], opened) {
                return None;
            }
            let side = self.space.side::<S>(chunk, face);
            let there = match side.beyond {
                Beyond::Outside => return None,
                Beyond::Wall => Slot::NONE,
                Beyond::There(there) if side.is_border => self.pressure.slot(there).unwrap_or(Slot::NONE),
                Beyond::There(_) => neighbours[face.index()],
            };
            let seen = if self.is_shut(there, opened) { Seen::Own } else { self.seen_across(face, there, rims) };
            Some(Ghost { face, side, seen })
        };
        Self::FACES.iter().filter_map(ghost).collect()
    }

    /// What is seen of a chunk across a periodic border behind this face.
    fn seen_across(&self, face: Face, there: Slot, rims: &Rims<f32, S>) -> Seen {
        let plane = self.space.opposite_plane::<S>(face);
        if plane == outermost::<S>(face.opposite()) && rims.known(there).is_some() {
            return Seen::Rim(there);
        }
        let chunk = self.pressure.chunk_at(there);
        Seen::Cells(plane_cells::<S>(axis(face), plane).map(|index| chunk.get(index)).collect())
    }

    /// Whether a pressure or a flow of a chunk reaches the threshold.
    pub(super) fn reaches_threshold(&self, slot: Slot) -> bool {
        is_audible(self.pressure.chunk_at(slot), &self.beside[slot.index()], self.audible())
    }

    /// Absorbs what is in chunks that are inaudible and have no audible neighbour, and lets go of those in which nothing
    /// stands. Next to an audible chunk they are kept: there the front may be about to come through.
    ///
    /// Only awake chunks are asked: a chunk that fades wakes its neighbours. Returns the cells that changed.
    fn fall_silent(&mut self) -> u64 {
        self.hear_edits();
        let awake = self.pressure.awake_slots().iter().copied();
        let mut silent: Vec<Slot> = awake.filter(|&slot| self.is_unheard(slot)).collect();
        self.pressure.sort_slots(&mut silent);
        silent.into_iter().map(|slot| self.absorb(slot)).sum()
    }

    /// Asks anew which chunks are audible that edits may have made quieter. They are awake since.
    fn hear_edits(&mut self) {
        let is_asked = |&slot: &Slot| self.beside[slot.index()].may_be_quieter;
        let asked: Vec<Slot> = self.pressure.awake_slots().iter().copied().filter(is_asked).collect();
        for slot in asked {
            self.beside[slot.index()].may_be_quieter = false;
            if self.has_faded(slot) {
                self.beside[slot.index()].is_audible = false;
                self.wake_with_neighbours(slot);
            }
        }
    }

    /// Whether a chunk that counts as audible is not.
    pub(super) fn has_faded(&self, slot: Slot) -> bool {
        self.beside[slot.index()].is_audible && !self.reaches_threshold(slot)
    }

    /// Whether neither a chunk nor any next to it is audible.
    fn is_unheard(&self, slot: Slot) -> bool {
        let is_audible = |slot: Slot| self.beside[slot.index()].is_audible;
        !is_audible(slot) && !self.chunks_behind(slot).iter().any(|&(_, there)| is_audible(there))
    }

    fn absorb(&mut self, slot: Slot) -> u64 {
        let chunk = self.pressure.chunk_at_mut(slot);
        self.ledger.absorbed += sum_of(chunk);
        let flows = self.beside[slot.index()].flows.as_ref();
        let flowing =
            |index: usize| flows.is_some_and(|flows| Self::FACES.iter().any(|&face| flows.at::<S>(face, index) != 0.0));
        let mut changed = CellMask::EMPTY;
        for index in (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != 0.0 || flowing(index)) {
            changed.insert(index);
        }
        chunk.fill(0.0);
        self.rims.lose(slot);
        self.beside[slot.index()].flows = None;
        self.hush_rim(slot);
        if !changed.is_empty() {
            self.pressure.mark_changes_at(slot, &changed);
            for (_, there) in self.chunks_behind(slot) {
                self.pressure.wake_chunk_at(there);
            }
        }
        if self.ground(slot).is_none() {
            let position = self.pressure.position_at(slot);
            if let (Some(changed), false) = (self.pressure.changed_at(slot), self.beside[slot.index()].is_untold) {
                self.gone.entry([position.y, position.z, position.x]).or_default().union_with(changed);
            }
            self.beside[slot.index()] = Beside::default();
            self.pressure.remove(position);
        }
        changed.len() as u64
    }

    /// Puts to sleep and wakes whom the step calls for.
    fn settle(&mut self, shut: &[Slot], stepped: &[Job<S>], faded: &[Slot]) {
        let shut = shut.iter().map(|&slot| (slot, None));
        let touched = stepped.iter().map(|job| (job.slot, job.changes.touched()));
        front::advance(&mut self.pressure, shut.chain(touched));
        for &there in stepped.iter().flat_map(|job| &job.touched_across) {
            self.pressure.wake_chunk_at(there);
        }
        for &slot in faded {
            self.pressure.wake_chunk_at(slot);
            for (_, there) in self.chunks_behind(slot) {
                self.pressure.wake_chunk_at(there);
            }
        }
    }

    /// Ends the flows from other chunks into a silent one, and wakes those chunks.
    pub(super) fn hush_rim(&mut self, slot: Slot) {
        let chunk = self.pressure.position_at(slot);
        for (face, there) in self.chunks_behind(slot) {
            let side = self.space.side::<S>(self.pressure.position_at(there), face.opposite());
            let Some(flows) = &self.beside[there.index()].flows else { continue };
            let flowing = |&index: &usize| flows.at::<S>(face.opposite(), index) != 0.0;
            let ended: Vec<usize> = plane_cells::<S>(axis(face), side.plane).filter(flowing).collect();
            if ended.is_empty() {
                continue;
            }
            ended.into_iter().for_each(|index| self.set_flow(there, face.opposite(), index, 0.0));
            if self.pressure.position_at(there) != chunk {
                self.pressure.wake_chunk_at(there);
            }
        }
    }
}
