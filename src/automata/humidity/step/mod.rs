//! Steps of a humidity world: prepare and save rims, step the awake chunks, record the results,
//! wake chunks and put them to sleep. Steps run one by one, or several at a time in tiles.
//!
//! | file | what |
//! |---|---|
//! | `mean` | the kernels of the sweeps that keep the original formula |
//! | `conservative`, `heads`, `transmissibility` | the kernel of the conservative sweep, and its input |
//! | `kernel`, `job` | the step of one chunk, with its input; its results, and the memory for it |
//! | `ahead` | a step done ahead, in pieces |
//! | `part`, `part_edit` | a step of a part of a divided world; its edits |
//! | `shape` | steps and checks compiled once for each shape of chunks |
//! | `stepped` | which chunks a save must read |
//! | `still` | chunks that stand still |

pub(super) mod ahead;
mod conservative;
mod heads;
pub(super) mod job;
pub(super) mod kernel;
mod mean;
#[cfg(feature = "snapshot")]
mod part;
#[cfg(feature = "snapshot")]
mod part_edit;
mod shape;
#[cfg(feature = "store")]
pub(crate) mod stepped;
pub(crate) mod still;
mod transmissibility;

pub(crate) use shape::HumidityShape;

use crate::automata::engine::front;
use crate::automata::engine::tiles::{self, Plan};
use crate::automata::humidity::step::job::{Job, Tally};
#[cfg(feature = "store")]
use crate::automata::humidity::step::stepped::{count_step, note_stepped};
use crate::automata::humidity::sweep::Sweep;
use crate::automata::humidity::{HumidityWorld, Ledger};
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simulation::StepReport;

impl<S: HumidityShape> HumidityWorld<S> {
    /// Runs one step. In the report, `visited` counts the cells of awake chunks. `moved`, in the
    /// conservative sweep only, counts units of 1/65,536 that flowed over borders and over faces
    /// between cells; each face counts with its cell at the smaller coordinates, if that cell's
    /// chunk is awake. The steady flow through sleeping chunks is counted in the ledger only.
    pub fn step(&mut self) -> StepReport {
        S::step_humidity(self)
    }

    pub(in crate::automata::humidity) fn step_generic(&mut self) -> StepReport {
        crate::spans::span!("humidity");
        self.ticks = self.ticks.wrapping_add(1);
        let report = match self.rules.sweep {
            Sweep::InPlace => self.step_in_place(),
            Sweep::Synchronous | Sweep::Conservative => {
                self.step_from_ahead().unwrap_or_else(|| self.step_synchronous())
            }
        };
        #[cfg(feature = "store")]
        count_step(self);
        report
    }

    /// Runs `steps` steps. The result has the same bytes as that many calls of
    /// [`step`](HumidityWorld::step). On [`Sheet`](crate::Sheet)s larger than the cache, unless
    /// swept in place, up to sixteen steps are interleaved, which is faster and temporarily takes
    /// some kilobytes more for each chunk.
    pub fn run(&mut self, steps: u64) -> StepReport {
        S::run_humidity(self, steps)
    }

    pub(in crate::automata::humidity) fn run_generic(&mut self, steps: u64) -> StepReport {
        let mut report = StepReport::default();
        let mut done = 0;
        while done < steps {
            if self.is_at_rest() {
                // Once at rest, only the tick counter and steady flows advance.
                self.ticks = self.ticks.wrapping_add(steps - done);
                self.steady.post(&mut self.ledger, steps - done);
                break;
            }
            // After a failed attempt, the next plan is made only after [`tiles::MAX_STEPS`] steps.
            let plan =
                done.is_multiple_of(tiles::MAX_STEPS).then(|| self.plan(steps - done)).flatten();
            match plan {
                Some(plan) => {
                    report += self.step_tiled(&plan);
                    done += plan.steps() as u64;
                }
                None => {
                    report += self.step();
                    done += 1;
                }
            }
        }
        report
    }

    /// Returns a plan to interleave several steps, if that pays off.
    fn plan(&self, steps: u64) -> Option<Plan> {
        let is_alone = self.rules.sweep == Sweep::InPlace
            || self.is_ahead()
            || self.store.moisture.is_divided();
        if is_alone { None } else { Plan::if_worthwhile(&self.store.moisture, steps) }
    }

    /// Runs several interleaved steps.
    fn step_tiled(&mut self, plan: &Plan) -> StepReport {
        self.ticks = self.ticks.wrapping_add(plan.steps() as u64);
        let slots = plan.slots();
        self.post_steady(&slots, plan.steps() as u64);
        self.kernel.save_rims(&self.store, &slots);
        let jobs = slots.iter().map(|&slot| {
            self.kernel.prepare(&self.store, slot);
            let mut job = Job::new(slot, Chunk::uniform(0));
            self.swap_chunk(&mut job);
            job
        });
        let jobs = jobs.collect();
        let (kernel, store) = (&self.kernel, &self.store);
        let members = plan.run(&kernel.rims, &mut self.workers, jobs, |scratch, job, before| {
            kernel.step_chunk(store, before, scratch, job);
        });
        let mut report = StepReport::default();
        let (awake, last) = plan.replay(&members, |is_awake, changed, tally| {
            post(&mut self.ledger, tally);
            if is_awake {
                report += report_of(changed, tally);
            }
        });
        for ((member, is_awake), tally) in members.into_iter().zip(awake).zip(last) {
            let mut job = member.job;
            if !is_awake {
                self.steady.note(job.slot, tally);
            }
            self.swap_chunk(&mut job);
            self.kernel.update(&mut job);
            front::set_awake(&mut self.store.moisture, job.slot, is_awake);
        }
        self.store.moisture.drop_sleepers();
        self.forget_sleepers(&slots);
        report
    }

    /// Adds the steady flow of a number of steps to the ledger. The chunks in `stepped` are no
    /// longer steady.
    fn post_steady(&mut self, stepped: &[Slot], steps: u64) {
        stepped.iter().for_each(|&slot| self.steady.forget(slot));
        self.steady.post(&mut self.ledger, steps);
    }

    /// Steps all awake chunks from the state before the step.
    fn step_synchronous(&mut self) -> StepReport {
        let mut report = StepReport::default();
        let slots = self.store.moisture.awake_slots().to_vec();
        self.post_steady(&slots, 1);
        self.kernel.save_rims(&self.store, &slots);
        let jobs = self.step_chunks(&slots, &mut report);
        front::advance(
            &mut self.store.moisture,
            jobs.iter().map(|job| (job.slot, job.changes.touched())),
        );
        self.note_touched(&jobs);
        for job in &jobs {
            if self.store.moisture.awake_at(job.slot).is_none() {
                self.steady.note(job.slot, job.tally);
            }
        }
        self.jobs = jobs;
        self.forget_sleepers(&slots);
        report
    }

    /// Steps chunk by chunk in order of position, so that each chunk comes after its neighbours at
    /// smaller coordinates. A chunk that changes wakes its neighbours: later neighbours for this
    /// step, earlier ones for the next step.
    fn step_in_place(&mut self) -> StepReport {
        let mut report = StepReport::default();
        if self.is_at_rest() {
            return report;
        }
        let slots = self.store.moisture.sorted_slots();
        for &slot in &slots {
            if self.store.moisture.awake_at(slot).is_none_or(CellMask::is_empty) {
                continue;
            }
            self.store.moisture.sleep_chunk_at(slot);
            self.kernel.save_rims(&self.store, &[slot]);
            let jobs = self.step_chunks(&[slot], &mut report);
            for touched in jobs.iter().filter_map(|job| job.changes.touched()) {
                front::wake_around(&mut self.store.moisture, slot, touched);
            }
            self.jobs = jobs;
        }
        self.store.moisture.drop_sleepers();
        self.forget_sleepers(&slots);
        report
    }

    /// Steps these chunks, and records the results.
    fn step_chunks(&mut self, slots: &[Slot], report: &mut StepReport) -> Vec<Job<S>> {
        let mut jobs = core::mem::take(&mut self.jobs);
        jobs.resize_with(slots.len(), || Job::new(Slot::NONE, Chunk::uniform(0)));
        for (job, &slot) in jobs.iter_mut().zip(slots) {
            self.kernel.prepare(&self.store, slot);
            #[cfg(feature = "store")]
            note_stepped(self, slot);
            job.slot = slot;
            job.is_by_rows = self.kernel.is_by_rows(&self.store, slot);
            self.swap_chunk(job);
        }
        let (kernel, store) = (&self.kernel, &self.store);
        self.workers.each(&mut jobs, |scratch, job| {
            let before = kernel.rims.before(&store.moisture, job.slot);
            kernel.step_chunk(store, before, scratch, job);
        });
        for job in &mut jobs {
            self.swap_chunk(job);
            if job.is_by_rows {
                job.write_rows(self.store.moisture.chunk_at_mut(job.slot));
            }
            self.kernel.update(job);
            record(report, &mut self.ledger, job.changes.count(), &job.tally);
        }
        jobs
    }

    /// Notes where a step of a divided world has changed chunks.
    pub(in crate::automata::humidity) fn note_touched<'j>(
        &mut self,
        jobs: impl IntoIterator<Item = &'j Job<S>>,
    ) {
        if self.store.moisture.is_divided() {
            let touched = |job: &Job<S>| Some((job.slot, job.changes.touched()?));
            self.touched = jobs.into_iter().filter_map(touched).collect();
        }
    }

    /// Moves a chunk out of the world to step it, or back into the world.
    fn swap_chunk(&mut self, job: &mut Job<S>) {
        let moisture = &mut self.store.moisture;
        if !job.is_by_rows {
            core::mem::swap(&mut job.moisture, moisture.chunk_at_mut(job.slot));
        }
        moisture.exchange_marks_at(job.slot, &mut job.changes.marks);
    }

    /// Frees the derived data of the chunks that sleep.
    fn forget_sleepers(&mut self, slots: &[Slot]) {
        for &slot in slots {
            if self.store.moisture.awake_at(slot).is_none() {
                self.kernel.free(slot);
            }
        }
    }
}

/// Records the result of a step of an awake chunk.
pub(in crate::automata::humidity) fn record(
    report: &mut StepReport,
    ledger: &mut Ledger,
    changed: usize,
    tally: &Tally,
) {
    *report += report_of(changed, tally);
    post(ledger, tally);
}

/// Returns the report of a step of an awake chunk.
fn report_of(changed: usize, tally: &Tally) -> StepReport {
    StepReport { visited: CHUNK_CELLS as u64, changed: changed as u64, moved: tally.moved }
}

/// Posts the units that a step of a chunk added and removed.
fn post(ledger: &mut Ledger, tally: &Tally) {
    ledger.placed += u128::from(tally.fed);
    ledger.rained += i128::from(tally.rained);
    ledger.runoff += u128::from(tally.runoff);
    ledger.drained += u128::from(tally.drained);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automata::engine::workers::in_pool;
    use crate::automata::humidity::step::kernel::Kernel;
    use crate::automata::humidity::{Border, Cell, Rules};
    use crate::coords::{ChunkPos, ChunkRegion, Cube, Region, Shape, Sheet};
    use glam::IVec3;

    const LAST: IVec3 = IVec3::new(9, 8, 0);

    fn cell(rng: &mut fastrand::Rng) -> Cell {
        Cell::soil(f64::from(rng.u32(..900)), 1.0 + rng.f32())
    }

    /// Makes a random edit; returns whether it succeeded.
    fn edit<S: HumidityShape>(world: &mut HumidityWorld<S>, mut rng: fastrand::Rng) -> bool {
        let chunk = ChunkPos::new(rng.i32(0..=LAST.x), rng.i32(0..=LAST.y), 0);
        let at = S::cell_at(chunk, rng.usize(..4096));
        match rng.u32(..10) {
            0 => world.set_humidity(at, f64::from(rng.u32(..900))).is_ok(),
            1 => world.set_impermeability(at, 1.0 + rng.f32()).is_ok(),
            2 => world.set_rock(at).is_ok(),
            3 => world.set_rain(at, f64::from(rng.u32(..900))).is_ok(),
            4 => world.fill_cells(S::region_of(chunk), cell(&mut rng)).is_ok(),
            5 => world.remove_chunk(chunk).is_ok(),
            // The chunk is replaced at once, so that the new one reuses the slot of the old one.
            6 => {
                let is_there = world.remove_chunk(chunk).is_ok();
                world.insert_chunk(chunk, Chunk::uniform(cell(&mut rng))).unwrap();
                is_there
            }
            _ => world.insert_chunk(chunk, Chunk::uniform(cell(&mut rng))).is_ok(),
        }
    }

    fn reused_rims_change_nothing_with<S: HumidityShape>(sweep: Sweep) {
        let rules = Rules { borders: [Border::Drain; 6], ..Rules::with_sweep(sweep) };
        let bounds = Region::new(IVec3::ZERO, S::region_of(LAST.into()).max());
        let mut rng = fastrand::Rng::with_seed(6);
        let [mut keeping, mut forgetful] =
            [(); 2].map(|()| HumidityWorld::<S>::with_bounds(rules, bounds).unwrap());
        for chunk in Region::new(IVec3::ZERO, LAST).positions() {
            let cells = Chunk::uniform(cell(&mut rng));
            keeping.insert_chunk(chunk.into(), cells.clone()).unwrap();
            forgetful.insert_chunk(chunk.into(), cells).unwrap();
        }
        let mut together = 0;
        for seed in 0..4 {
            let edits = [&mut keeping, &mut forgetful]
                .map(|world| edit(world, fastrand::Rng::with_seed(seed)));
            assert_eq!(edits[0], edits[1], "edit {seed}");
            let steps = rng.u64(1..13);
            together += in_pool(1, || {
                let is_planned = keeping.plan(steps).is_some();
                keeping.run(steps);
                u32::from(is_planned)
            });
            for _ in 0..steps {
                forgetful.kernel = Kernel::new(&rules);
                forgetful.step();
            }
            assert_eq!(keeping.state_hash(), forgetful.state_hash(), "edit {seed}");
        }
        assert_eq!(together > 0, sweep != Sweep::InPlace && S::NEIGHBOURS == 4, "{together}");
    }

    #[test]
    fn reused_rims_change_nothing() {
        for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
            reused_rims_change_nothing_with::<Sheet>(sweep);
            reused_rims_change_nothing_with::<Cube>(sweep);
        }
    }

    /// Returns all observable state except the cells.
    fn account(world: &mut HumidityWorld<Sheet>) -> String {
        format!(
            "{:?} {:?} {} {}",
            world.take_changes(),
            world.ledger(),
            world.awake_cells(),
            world.ticks()
        )
    }

    /// Compares steps with any number of awake chunks and any surroundings.
    #[test]
    fn interleaved_steps_equal_single_steps() {
        for seed in 0..3 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let sweep = [Sweep::Synchronous, Sweep::Conservative][rng.usize(..2)];
            let rules =
                Rules { borders: [Border::Drain; 6], cap: 600.0, ..Rules::with_sweep(sweep) };
            let chunks = ChunkRegion::new(ChunkPos::new(-4, -3, -1), ChunkPos::new(6, 5, 1));
            let bounds = Region::new(
                Sheet::region_of(ChunkPos::new(-4, -3, -1)).min(),
                Sheet::region_of(ChunkPos::new(6, 5, 1)).max(),
            );
            let [mut together, mut alone] =
                [(); 2].map(|()| HumidityWorld::<Sheet>::with_bounds(rules, bounds).unwrap());
            for chunk in chunks.positions() {
                if rng.u32(..4) == 0 {
                    continue;
                }
                let (dry, wet) = (Cell::soil(0.0, 1.5), cell(&mut rng));
                let one = rng.usize(..4096);
                let mut cells = Chunk::uniform(dry);
                cells.set(one, [Cell::rain(500.0, 1.0), wet, dry][rng.usize(..3)]);
                [&mut together, &mut alone]
                    .into_iter()
                    .for_each(|world| _ = world.insert_chunk(chunk, cells.clone()));
            }
            for _ in 0..6 {
                let steps = rng.u64(1..=tiles::MAX_STEPS);
                let moisture = &together.store.moisture;
                let plan = Plan::new(
                    moisture,
                    &tiles::members(moisture),
                    steps,
                    rng.i32(1..9),
                    rng.usize(1..3),
                );
                let mut expected = StepReport::default();
                (0..steps).for_each(|_| expected += alone.step());
                let report = in_pool(rng.usize(1..4), || together.step_tiled(&plan));
                assert_eq!(report, expected, "seed {seed}");
                assert_eq!(together.state_hash(), alone.state_hash(), "seed {seed}");
                assert_eq!(account(&mut together), account(&mut alone), "seed {seed}");
                assert_eq!(together.validate(), Ok(()), "seed {seed}");
                let at = Sheet::cell_at(IVec3::ONE.with_z(0).into(), rng.usize(..4096));
                [&mut together, &mut alone]
                    .into_iter()
                    .for_each(|world| _ = world.set_humidity(at, 400.0));
            }
        }
    }
}
