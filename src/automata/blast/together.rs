//! Several steps in one go, where nothing can happen but that pressure moves over whole links.

use super::BlastWorld;
use super::planes::Conductances;
use super::rules::{Border, Rule};
use super::space::{Beyond, outermost};
use super::wavefront::{MOST_STEPS, Plan};
use crate::automata::front;
use crate::automata::rims::rims_of_chunk;
use crate::automata::shape::FieldShape;
use crate::automata::workers;
use crate::automaton::StepReport;
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::simd;

/// The faces of sheets.
const SIDES: [Face; 4] = [Face::West, Face::East, Face::Down, Face::Up];

/// Chunks that must be awake. With fewer, 50 MB of pressures, single steps are faster: see
/// `benches/README.md`.
const LEAST: usize = 3072;

/// Steps that pay for the preparation.
const FEWEST_STEPS: u64 = 8;

/// So many of the chunks must be awake, in parts of them: what sleeps is stepped in vain.
const AWAKE: usize = 8;

/// By this part of the highest pressure the lowest may fall in all the steps done in one go. It
/// does not fall, but for rounding: by one part in 2²² in each.
const ROUNDING: f32 = 1.0 / 65_536.0;

/// Pressures that are not below this are far enough from the smallest numbers there are, to which
/// products are rounded otherwise.
const SMALLEST: f32 = 1e-30;

impl<S: FieldShape> BlastWorld<S> {
    /// Runs `steps` steps and adds up what they did. The same bytes as that many calls of
    /// [`step`](BlastWorld::step).
    ///
    /// In a world of [`Sheet`](crate::Sheet)s larger than the cache, from 3,072 chunks on, eight to
    /// sixteen steps are done in one go, which is faster, if pressure does nothing but even
    /// out: by the diffusive rule, with rigid or periodic borders at the borders of chunks, all
    /// of which are there, eight in nine awake, without walls, removed cells or links of a weight
    /// of their own, and each pressure above the threshold by a 65,536th of the highest one;
    /// with several threads, if each of them gets a band of rows of chunks. Meanwhile the world
    /// takes some kilobytes more for each chunk.
    pub fn run(&mut self, steps: u64) -> StepReport {
        S::run_blast(self, steps)
    }

    pub(in crate::automata) fn run_generic(&mut self, steps: u64) -> StepReport {
        let mut report = StepReport::default();
        let (mut done, mut next_plan) = (0, 0);
        while done < steps {
            if self.is_at_rest() {
                // Nothing changes any more; time still passes.
                self.tick = self.tick.wrapping_add(steps - done);
                break;
            }
            let plan = if done >= next_plan { self.plan(steps - done) } else { None };
            match plan {
                Some(plan) => {
                    report += self.step_together(&plan);
                    done += plan.steps() as u64;
                }
                None => {
                    if done >= next_plan {
                        // Where there is no plan, one is not sought anew in each step.
                        next_plan = done + MOST_STEPS as u64;
                    }
                    report += self.step();
                    done += 1;
                }
            }
        }
        report
    }

    /// How to do several steps in one go, if that is worth it, and nothing can happen meanwhile but
    /// that pressure moves.
    fn plan(&self, steps: u64) -> Option<Plan> {
        let awake = self.pressure.awake_slots().len();
        let are_enough = awake >= LEAST && AWAKE * (self.pressure.chunk_count() - awake) <= awake;
        if S::NEIGHBOURS != 4 || steps < FEWEST_STEPS || !are_enough {
            return None;
        }
        let plan = self.plan_for(steps, workers::threads())?;
        plan.occupies(workers::threads()).then_some(plan)
    }

    /// The same, whether it is worth it or not.
    fn plan_for(&self, steps: u64, threads: usize) -> Option<Plan> {
        let slots = self.pressure.sorted_slots();
        let is_diffusive = matches!(self.rules.rule, Rule::Diffusive { .. });
        if !is_diffusive
            || !slots.iter().all(|&slot| self.is_plain(slot))
            || !self.stays_audible(&slots)
        {
            return None;
        }
        let behind = |slot: Slot| SIDES.map(|face| self.behind_plain(slot, face).flatten());
        let is_ring = self.space.borders.y == Border::Periodic;
        Some(Plan::new(&self.pressure, &slots, steps, threads, behind, is_ring))
    }

    /// Whether a chunk has nothing but whole links, to chunks that are there or to none.
    fn is_plain(&self, slot: Slot) -> bool {
        let is_open = self.beside[slot.index()].ground.is_none();
        is_open && SIDES.iter().all(|&face| self.behind_plain(slot, face).is_some())
    }

    /// What lies behind a face of a chunk, if that is another one, or nothing but a wall, and the
    /// chunk ends there. Not itself, as in a world one chunk wide: that would be its own
    /// neighbour.
    fn behind_plain(&self, slot: Slot, face: Face) -> Option<Option<Slot>> {
        let side = self.space.side::<S>(self.pressure.position_at(slot), face);
        match side.beyond {
            _ if side.plane != outermost::<S>(face) => None,
            Beyond::Outside => None,
            Beyond::Wall => Some(None),
            Beyond::There(there) => {
                self.pressure.slot(there).filter(|&there| there != slot).map(Some)
            }
        }
    }

    /// Whether all pressures are so high that for the next steps they stay at the threshold: none
    /// falls below the lowest of those around it, because no more than a quarter of a
    /// difference flows over each of four links.
    fn stays_audible(&self, slots: &[Slot]) -> bool {
        let (mut ranges, pressure): (Vec<_>, _) =
            (slots.iter().map(|&slot| (slot, [0.0; 2])).collect(), &self.pressure);
        workers::each(&mut ranges, |(slot, range)| *range = range_of(pressure.chunk_at(*slot)));
        let ranges = ranges.into_iter().map(|(_, range)| range);
        let [low, high] = ranges.reduce(wider).unwrap_or_default();
        low >= SMALLEST && low - ROUNDING * high >= self.audible()
    }

    /// Does several steps in one go.
    fn step_together(&mut self, plan: &Plan) -> StepReport {
        self.tick = self.tick.wrapping_add(plan.steps() as u64);
        let slots = plan.slots();
        self.rims.renew(&self.pressure, &slots, |slot| {
            rims_of_chunk::<f32, S>(self.pressure.chunk_at(slot))
        });
        let take = |&slot: &Slot| {
            let beside = &mut self.beside[slot.index()];
            (beside.conductances, beside.may_be_quieter) = (Conductances::Whole, false);
            core::mem::replace(self.pressure.chunk_at_mut(slot), Chunk::uniform(0.0))
        };
        let pressures = slots.iter().map(take).collect();
        let lanes = plan.run(self.whole(), &mut self.workers, pressures);
        let mut report = StepReport::default();
        let awake = plan.replay(&lanes, |changed| {
            report +=
                StepReport { visited: CHUNK_CELLS as u64, changed: u64::from(changed), moved: 0 };
        });
        for ((slot, mut lane), is_awake) in slots.into_iter().zip(lanes).zip(awake) {
            lane.pressure.canonicalize();
            *self.pressure.chunk_at_mut(slot) = lane.pressure;
            if !lane.changed.is_empty() {
                self.pressure.mark_changes_at(slot, &lane.changed);
            }
            let mut rims = Box::new(S::uniform_rims(0.0));
            (0..S::NEIGHBOURS)
                .for_each(|face| S::rim_mut(&mut rims, face).copy_from_slice(&lane.rims[face]));
            self.rims.note(slot, &mut rims);
            front::put(&mut self.pressure, slot, is_awake);
        }
        self.pressure.drop_sleepers();
        report
    }
}

/// The lowest and the highest pressure of a chunk.
fn range_of(chunk: &Chunk<f32>) -> [f32; 2] {
    chunk.as_dense().map_or([chunk.get(0); 2], |cells| simd::run(RangeOf(cells)))
}

/// The range of two.
#[inline(always)]
fn wider(one: [f32; 2], other: [f32; 2]) -> [f32; 2] {
    let (low, high) = (one[0] < other[0], one[1] > other[1]);
    [if low { one[0] } else { other[0] }, if high { one[1] } else { other[1] }]
}

struct RangeOf<'a>(&'a [f32; CHUNK_CELLS]);

impl simd::Kernel for RangeOf<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run(self) -> [f32; 2] {
        let rows = self.0.as_chunks::<64>().0;
        let (mut low, mut high) = (rows[0], rows[0]);
        for row in rows {
            for x in 0..64 {
                [low[x], high[x]] = wider([low[x], high[x]], [row[x]; 2]);
            }
        }
        low.into_iter().zip(high).map(|(low, high)| [low, high]).reduce(wider).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Borders, Rules};
    use super::*;
    use crate::automata::workers::in_pool;
    use crate::coords::{Region, Shape, Sheet};
    use glam::IVec3;

    /// All that can be told of a world, but for its cells.
    fn account(world: &mut BlastWorld) -> String {
        format!(
            "{:?} {:?} {} {}",
            world.take_changes(),
            world.ledger(),
            world.awake_cells(),
            world.ticks()
        )
    }

    /// Rings and walls along both axes, rows of chunks that are rings of two, chunks that are level
    /// and sleep, and edits.
    #[test]
    fn steps_in_one_go_are_those_one_by_one() {
        let borders = [Border::Periodic, Border::Rigid];
        let mut together = 0;
        for seed in 0..24 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let chunks = Region::new(
                IVec3::new(-2, -1, 0),
                IVec3::new(rng.i32(-2..3), rng.i32(-1..8), rng.i32(0..2)),
            );
            let ends = [chunks.min(), chunks.max()].map(Sheet::region_of);
            let bounds = Region::new(ends[0].min(), ends[1].max());
            let borders = Borders {
                x: borders[rng.usize(..2)],
                y: borders[rng.usize(..2)],
                z: Border::Rigid,
            };
            let rules = Rules::diffusive([0.25, 0.1][rng.usize(..2)]);
            let new = || BlastWorld::<Sheet>::with_bounds(rules, bounds, borders).unwrap();
            let [mut world, mut alone] = [new(), new()];
            for chunk in chunks.positions() {
                let mut cells = Chunk::uniform(50.0);
                match rng.u32(..4) {
                    0 => {
                        cells = Chunk::from_cells(&core::array::from_fn(|_| 1.0 + 99.0 * rng.f32()))
                    }
                    1 => _ = cells.set(rng.usize(..4096), 90.0),
                    _ => {}
                }
                [&mut world, &mut alone]
                    .into_iter()
                    .for_each(|world| world.insert_chunk(chunk, cells.clone()).unwrap());
            }
            for _ in 0..5 {
                let steps = rng.u64(1..=MOST_STEPS as u64);
                let Some(plan) = world.plan_for(steps, rng.usize(1..5)) else {
                    let size = bounds.max() - bounds.min();
                    let narrow = [(size.x, borders.x), (size.y, borders.y)];
                    assert!(
                        narrow
                            .iter()
                            .any(|&(size, border)| size < 64 && border == Border::Periodic),
                        "seed {seed}"
                    );
                    break;
                };
                together += 1;
                let mut expected = StepReport::default();
                (0..steps).for_each(|_| expected += alone.step());
                let report = in_pool(rng.usize(1..4), || world.step_together(&plan));
                assert_eq!(report, expected, "seed {seed}");
                assert_eq!(world.state_hash(), alone.state_hash(), "seed {seed}");
                assert_eq!(account(&mut world), account(&mut alone), "seed {seed}");
                assert_eq!(world.validate(), Ok(()), "seed {seed}");
                // Single steps go on from the rims that were noted.
                for _ in 0..rng.usize(..3) {
                    assert_eq!(world.step(), alone.step(), "seed {seed}");
                }
                let at = Sheet::cell_at(chunks.min(), rng.usize(..4096));
                [&mut world, &mut alone]
                    .into_iter()
                    .for_each(|world| _ = world.set_pressure(at, 400.0).unwrap());
            }
        }
        assert!(together > 60, "{together}");
    }

    /// Anything but pressure that evens out between chunks that are there.
    #[test]
    fn nothing_is_planned_where_something_else_may_happen() {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(64 * 8 - 1, 64 * 8 - 1, 0));
        let world = |rules: Rules, bounds: Region, border: Border| {
            let mut world =
                BlastWorld::<Sheet>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
            for chunk in Region::new(IVec3::ZERO, IVec3::new(7, 7, 0)).positions() {
                let cells = core::array::from_fn(|index| if index % 3 == 0 { 1.0 } else { 2.0 });
                world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
            }
            world
        };
        let plain = || world(Rules::default(), bounds, Border::Periodic);
        let is_planned = |world: &BlastWorld| world.plan_for(16, 1).is_some();
        assert!(
            is_planned(&plain()) && is_planned(&world(Rules::default(), bounds, Border::Rigid))
        );
        assert!(!is_planned(&world(Rules::default(), bounds, Border::Open)));
        assert!(!is_planned(&world(Rules::wave(0.2, 0.5), bounds, Border::Rigid)));
        assert!(!is_planned(&world(
            Rules { threshold: 1.0, ..Rules::default() },
            bounds,
            Border::Rigid
        )));
        let wider = Region::new(bounds.min(), bounds.max() + IVec3::X);
        assert!(!is_planned(&world(Rules::default(), wider, Border::Rigid)), "a chunk is missing");
        let narrower = Region::new(bounds.min(), bounds.max() - IVec3::X);
        assert!(
            !is_planned(&world(Rules::default(), narrower, Border::Periodic)),
            "a chunk goes on beyond the border"
        );
        let mut faint = world(Rules { threshold: 0.0, ..Rules::default() }, bounds, Border::Rigid);
        assert!(is_planned(&faint));
        _ = faint.set_pressure(IVec3::ZERO, SMALLEST / 2.0).unwrap();
        assert!(!is_planned(&faint), "too small a pressure");
        let edits: [fn(&mut BlastWorld); 4] = [
            |world| _ = world.set_solid(IVec3::new(70, 70, 0)).unwrap(),
            |world| _ = world.set_pressure(IVec3::new(70, 70, 0), 0.0).unwrap(),
            |world| _ = world.set_link(IVec3::new(63, 70, 0), Face::East, 0.5).unwrap(),
            |world| _ = world.remove_chunk(IVec3::ONE.with_z(0)).unwrap(),
        ];
        for (number, edit) in edits.into_iter().enumerate() {
            let mut world = plain();
            edit(&mut world);
            assert!(!is_planned(&world), "edit {number}");
        }
    }

    /// With a spot in one chunk, and all chunks awake since they are new.
    #[test]
    fn large_worlds_are_run_in_one_go() {
        let [mut world, mut alone] = [(); 2].map(|()| {
            let bounds = Region::new(IVec3::ZERO, IVec3::new(64 * 64 - 1, 64 * 48 - 1, 0));
            let borders = Borders::all(Border::Periodic);
            let mut world =
                BlastWorld::<Sheet>::with_bounds(Rules::default(), bounds, borders).unwrap();
            for chunk in Region::new(IVec3::ZERO, IVec3::new(63, 47, 0)).positions() {
                world.insert_chunk(chunk, Chunk::uniform(2.0)).unwrap();
            }
            world.set_pressure(IVec3::ZERO, 50.0).unwrap();
            world
        });
        in_pool(2, || {
            assert!(world.plan(FEWEST_STEPS).is_some() && world.plan(FEWEST_STEPS - 1).is_none());
            let mut expected = StepReport::default();
            (0..18).for_each(|_| expected += alone.step());
            assert_eq!(world.run(18), expected);
        });
        assert_eq!(world.state_hash(), alone.state_hash());
        assert_eq!(account(&mut world), account(&mut alone));
        assert!(world.plan(16).is_none(), "too much sleeps");
    }
}
