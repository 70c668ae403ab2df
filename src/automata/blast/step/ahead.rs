//! Steps done ahead: the work of the next step is done before it, one chunk at a time and on
//! copies, so that a caller can stop in between. The world does not change until the step. A step
//! begins with changes that concern several chunks: walls break, chunks open or fall silent. The
//! step makes these changes, and repeats the work on the chunks that the changes touch and on the
//! neighbours of these chunks.

use super::Job;
use super::job::StepInputs;
use crate::automata::blast::field::conductances::ensure_conductances;
use crate::automata::blast::field::space::Beyond;
use crate::automata::blast::field::walls::breaking_in;
use crate::automata::blast::{BlastShape, BlastWorld, Broken};
use crate::automata::engine::rims::rims_of_chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::Slot;
use hashbrown::{HashMap, HashSet};

/// The part of the next step that is done.
pub(crate) struct Ahead<S: BlastShape> {
    /// The chunks to step: the awake chunks, in a divided world only those whose column has no
    /// column of another part beside it.
    slots: Vec<Slot>,
    /// How many of `slots` are done, from the first on.
    done: usize,
    /// The walls that break in the chunks that are done.
    broken: Vec<Broken>,
    /// The jobs of the done chunks that take part in the step, by position.
    jobs: HashMap<ChunkPos, Job<S>>,
}

impl<S: BlastShape> Ahead<S> {
    /// Returns a step of these chunks, before any work is done.
    pub(super) fn new(slots: Vec<Slot>) -> Self {
        Ahead { slots, done: 0, broken: Vec::new(), jobs: HashMap::new() }
    }

    /// Returns the walls that break in the chunks that are done.
    pub(super) fn take_broken(&mut self) -> Vec<Broken> {
        core::mem::take(&mut self.broken)
    }

    /// Returns the awake chunks that are not done.
    pub(super) fn left_of(&self, awake: &[Slot]) -> Vec<Slot> {
        let done: HashSet<Slot> = self.slots[..self.done].iter().copied().collect();
        awake.iter().copied().filter(|slot| !done.contains(slot)).collect()
    }

    /// Takes the job that was done at a chunk position, if there is one.
    pub(super) fn take_job(&mut self, chunk: ChunkPos) -> Option<Job<S>> {
        if self.jobs.is_empty() { None } else { self.jobs.remove(&chunk) }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let bytes = |job: &Job<S>| {
            job.pressure.heap_bytes() + job.flows.as_ref().map_or(0, |flows| flows.heap_bytes())
        };
        self.jobs.values().map(bytes).sum::<usize>()
            + self.jobs.capacity() * (size_of::<(ChunkPos, Job<S>)>() + size_of::<S::Rims<f32>>())
            + self.slots.capacity() * size_of::<Slot>()
            + self.broken.capacity() * size_of::<Broken>()
    }
}

/// Does the next step's work on a chunk ahead of that step. Returns the number of cells visited;
/// `None` if only the step itself is left. No edit may be made between this call and the step.
pub(crate) fn step_ahead<S: BlastShape>(world: &mut BlastWorld<S>) -> Option<u64> {
    crate::spans::span!("explosions ahead");
    let mut ahead = world.ahead.take().unwrap_or_else(|| {
        world.rims.begin_round();
        let slots = world.pressure.awake_slots().iter().copied();
        Ahead::new(slots.filter(|&slot| !world.is_beside_foreign(slot)).collect())
    });
    let slot = ahead.slots.get(ahead.done).copied();
    if let Some(slot) = slot {
        ahead.done += 1;
        ahead.broken.extend(breaking_in(world, slot));
        let is_closed = world.is_closed(slot, &HashSet::new());
        let job = (!is_closed).then(|| job_ahead(world, slot));
        ahead.jobs.extend(job.map(|job| (world.pressure.position_at(slot), job)));
    }
    world.ahead = Some(ahead);
    slot.map(|_| CHUNK_CELLS as u64)
}

/// Returns a job with a copy of a chunk, stepped.
fn job_ahead<S: BlastShape>(world: &mut BlastWorld<S>, slot: Slot) -> Job<S> {
    let rims = |slot: Slot| rims_of_chunk::<f32, S>(world.pressure.chunk_at(slot));
    world.rims.renew_for(&world.pressure, slot, rims);
    ensure_conductances(world, slot);
    let mut job = world.jobs.pop().unwrap_or_else(Job::new);
    (job.slot, job.is_ahead) = (slot, true);
    job.ghosts = world.ghosts(slot, &HashSet::new(), &world.rims);
    job.pressure = world.pressure.chunk_at(slot).clone();
    let state = &world.states[slot.index()];
    job.flows = state.flows.clone();
    let inputs = StepInputs {
        rule: world.rules.rule,
        audible: world.audible(),
        keep: world.keep,
        space: &world.space,
        pressure: &world.pressure,
        rims: &world.rims,
        broken: &[],
    };
    world.workers.each(core::slice::from_mut(&mut job), |scratch, job| {
        inputs.step_chunk(job, &state.conductances, &mut scratch.halo);
    });
    job
}

/// Drops the work done ahead for chunks that have changed, and for chunks next to them.
pub(super) fn drop_stale<S: BlastShape>(
    world: &BlastWorld<S>,
    ahead: &mut Ahead<S>,
    touched: impl Iterator<Item = ChunkPos>,
) {
    if ahead.jobs.is_empty() {
        return;
    }
    for chunk in touched {
        ahead.jobs.remove(&chunk);
        for &face in BlastWorld::<S>::FACES {
            if let Beyond::There(there) = world.space.side::<S>(chunk, face).beyond {
                ahead.jobs.remove(&there);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Border, Borders, Rules};
    use super::*;
    use crate::coords::{Cube, Face, Region, Sheet};
    use glam::IVec3;
    use proptest::prelude::*;

    /// Returns all observable state of a world, including its ledger and its marks.
    fn all<S: BlastShape>(world: &mut BlastWorld<S>) -> String {
        let (events, changes) = (world.take_events(), world.take_changes());
        format!(
            "{} {:?} {events:?} {changes:?} {}",
            world.state_hash(),
            world.ledger(),
            world.awake_cells()
        )
    }

    /// Makes a random edit, of a wall more often than of anything else.
    fn edit<S: BlastShape>(world: &mut BlastWorld<S>, mut rng: fastrand::Rng) -> bool {
        let chunk = ChunkPos::new(rng.i32(0..3), rng.i32(0..2), 0);
        let near =
            |world: &BlastWorld<S>, cell: IVec3| cell.clamp(IVec3::ZERO, world.bounds().max());
        let cell = near(world, S::cell_at(chunk, rng.usize(..4096)));
        match rng.u32(..8) {
            0 | 1 => world.set_pressure(cell, rng.f32() * 900.0).is_ok(),
            2 => world.set_solid(cell).is_ok(),
            3 => world.clear_solid(cell).is_ok(),
            4 => world.set_link(cell, Face::East, 0.5).is_ok(),
            5 => {
                let end = near(world, cell + IVec3::new(9, 5, 1));
                world.fill_wall(Region::new(cell, end), 1.0 + rng.f32() * 30.0).is_ok()
            }
            _ => world.set_wall(cell, 1.0 + rng.f32() * 30.0).is_ok(),
        }
    }

    fn ahead_changes_nothing<S: BlastShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rules = [Rules::diffusive(0.16), Rules::wave(0.25, 0.9)][rng.usize(..2)];
        let rules = Rules { threshold: [0.0, 0.5, 4.0][rng.usize(..3)], ..rules };
        let border = [Border::Rigid, Border::Periodic, Border::Open][rng.usize(..3)];
        let last = S::region_of(ChunkPos::new(2, 1, 0)).max() - IVec3::new(rng.i32(0..9), 0, 0);
        let bounds = Region::new(IVec3::ZERO, last);
        let new = || BlastWorld::<S>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
        let (mut sliced, mut whole) = (new(), new());
        for step in 0..40 {
            if rng.u8(..3) == 0 {
                let draws = rng.u64(..);
                let edits = [&mut sliced, &mut whole]
                    .map(|world| edit(world, fastrand::Rng::with_seed(draws)));
                assert_eq!(edits[0], edits[1], "seed {seed}, step {step}");
            }
            let before = sliced.state_hash();
            let pieces = rng.usize(..8);
            let looked = (0..pieces).map_while(|_| step_ahead(&mut sliced)).count();
            assert!(
                looked == pieces || step_ahead(&mut sliced).is_none(),
                "seed {seed}, step {step}"
            );
            assert_eq!(sliced.state_hash(), before, "seed {seed}, step {step}");
            assert_eq!(sliced.validate(), Ok(()), "seed {seed}, step {step}");
            assert_eq!(sliced.step(), whole.step(), "seed {seed}, step {step}");
            assert_eq!(all(&mut sliced), all(&mut whole), "seed {seed}, step {step}");
        }
        assert_eq!(sliced.validate(), Ok(()), "seed {seed}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

        #[test]
        fn a_step_that_is_done_ahead_as_far_as_one_likes_is_the_same(seed: u64) {
            ahead_changes_nothing::<Sheet>(seed);
            ahead_changes_nothing::<Cube>(seed);
        }
    }
}
