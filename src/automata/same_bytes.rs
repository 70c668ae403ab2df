//! Results do not depend on the instruction set, the number of threads, or how many steps one call
//! of `run` takes.

use super::blast::{BlastWorld, Border, Borders, Rules as BlastRules};
use super::humidity::{Cell as Soil, HumidityWorld, Rules as HumidityRules, Sweep};
use super::shape::FieldShape;
use super::water2d::{Cell, Rules as WaterRules, Water2dWorld};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Sheet};
use crate::simd::forced::at_each_level;
use crate::simulation::{ChunkChanges, Simulation, StepReport};
use glam::IVec3;

/// All observable state of a world after some steps.
#[derive(Debug, PartialEq)]
struct Seen {
    report: StepReport,
    hash: u64,
    awake: usize,
    changes: Vec<ChunkChanges>,
    /// Total, ledger and tick count.
    account: String,
}

/// A world of any automaton.
trait World {
    fn run(&mut self, steps: u64) -> Seen;
}

impl<A: Simulation<Change = ChunkChanges>> World for A {
    fn run(&mut self, steps: u64) -> Seen {
        let report = if steps == 1 { self.step() } else { Simulation::run(self, steps) };
        Seen {
            report,
            hash: self.state_hash(),
            awake: self.awake_cells(),
            changes: self.take_changes(),
            account: format!("{:?} {:?} {}", self.total(), self.ledger(), self.ticks()),
        }
    }
}

type Build = (&'static str, fn() -> Box<dyn World + Send>);

/// Worlds large enough to be shared among threads, with moving, sleeping and waking chunks.
const WORLDS: [Build; 15] = [
    ("humidity in place", || humidity::<Sheet>(Sweep::InPlace, 0.0)),
    ("humidity synchronous", || humidity::<Sheet>(Sweep::Synchronous, 0.0)),
    ("humidity conservative", || humidity::<Sheet>(Sweep::Conservative, 0.0)),
    ("humidity in place, cubes", || humidity::<Cube>(Sweep::InPlace, 0.0)),
    ("humidity synchronous, cubes", || humidity::<Cube>(Sweep::Synchronous, 0.0)),
    ("humidity conservative, cubes", || humidity::<Cube>(Sweep::Conservative, 0.0)),
    ("humidity that falls", || humidity::<Sheet>(Sweep::Conservative, 0.125)),
    ("humidity that falls, cubes", || humidity::<Cube>(Sweep::Conservative, 0.04)),
    ("blast", || blast::<Sheet>(BlastRules::default(), Border::Open)),
    ("blast, periodic", || blast::<Sheet>(BlastRules::default(), Border::Periodic)),
    ("blast, cubes", || blast::<Cube>(BlastRules::diffusive(0.15), Border::Rigid)),
    ("waves", || blast::<Sheet>(BlastRules::wave(0.25, 0.98), Border::Open)),
    ("waves, cubes", || blast::<Cube>(BlastRules::wave(0.2, 0.9), Border::Periodic)),
    ("water, literal", || water(WaterRules::literal())),
    ("water, settling", || water(WaterRules::default())),
];

/// Returns a rectangle of chunks with a hole in it: wet ground in the west, dry ground in the east.
fn humidity<S: FieldShape>(sweep: Sweep, fall: f32) -> Box<dyn World + Send> {
    let mut rng = fastrand::Rng::with_seed(1);
    let rules = HumidityRules { fall, ..HumidityRules::with_sweep(sweep) }
        .with_border(Face::Down, super::humidity::Border::Drain);
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(1000));
    let mut world = HumidityWorld::<S>::with_bounds(rules, bounds).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::new(11, 8, 0))
        .positions()
        .filter(|chunk| [chunk.x, chunk.y] != [10, 1])
    {
        let cells = core::array::from_fn(|_| match rng.u32(..50) {
            0 => Soil::ROCK,
            1 if chunk.x < 9 => Soil::rain(f64::from(rng.u32(..1024)), 1.0),
            wet => Soil::soil(
                if chunk.x < 9 { f64::from(wet) } else { 0.0 },
                [0.75, 1.0, 2.5][rng.usize(..3)],
            ),
        });
        world.insert_chunk(chunk.into(), Chunk::<Soil>::from_cells(&cells)).unwrap();
    }
    Box::new(world)
}

/// Returns a world with pressure nearly everywhere, a wall that breaks, and silence in the east.
fn blast<S: FieldShape>(rules: BlastRules, border: Border) -> Box<dyn World + Send> {
    let mut rng = fastrand::Rng::with_seed(2);
    let last = S::region_of(ChunkPos::new(9, 5, 0)).max();
    let bounds = Region::new(IVec3::ZERO, last);
    let mut world = BlastWorld::<S>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::new(7, 5, 0)).positions() {
        let cells: [f32; CHUNK_CELLS] = core::array::from_fn(|_| 1.0 + 99.0 * rng.f32());
        world.insert_chunk(chunk.into(), Chunk::from_cells(&cells)).unwrap();
    }
    world.set_wall(S::region_of(ChunkPos::ZERO).max(), 3.0).unwrap();
    Box::new(world)
}

/// Returns a world with rocks, air and water in the west, and only air in the east.
fn water(rules: WaterRules) -> Box<dyn World + Send> {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut world = Water2dWorld::new(5, rules).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::new(9, 4, 0)).positions().map(ChunkPos::from) {
        let cells = core::array::from_fn(|_| match rng.u32(..100) {
            _ if chunk.x > 5 => Cell::AIR,
            0..15 => Cell::SOLID,
            15..50 => Cell::AIR,
            level => Cell::water(2 * level).unwrap(),
        });
        world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
    }
    Box::new(world)
}

#[test]
fn every_instruction_set_gives_the_same_bytes() {
    for (name, build) in WORLDS {
        let seen = at_each_level(|| {
            let mut world = build();
            (0..3).map(|_| world.run(1)).collect::<Vec<Seen>>()
        });
        let moves = |steps: &[Seen]| steps.iter().all(|seen| seen.report.changed > 0);
        assert!(moves(&seen[0].1), "{name}");
        for (level, steps) in &seen[1..] {
            assert!(*steps == seen[0].1, "{name}: {level:?}");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let pools = [1, 2, 3, 8]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for (name, build) in WORLDS {
        let mut worlds = pools.each_ref().map(|_| build());
        for steps in [1, 1, 5] {
            let run = |(pool, world): (_, &mut _)| in_pool(pool, world, steps);
            let seen: Vec<Seen> = pools.iter().zip(&mut worlds).map(run).collect();
            for (pool, other) in pools.iter().zip(&seen) {
                assert!(
                    *other == seen[0],
                    "{name}: {steps} steps with {} threads",
                    pool.current_num_threads()
                );
            }
        }
    }
}

/// Steps a world inside a pool of threads.
#[cfg(feature = "rayon")]
fn in_pool(pool: &rayon::ThreadPool, world: &mut Box<dyn World + Send>, steps: u64) -> Seen {
    pool.install(|| world.run(steps))
}

#[test]
fn many_steps_in_one_call_give_the_same_bytes() {
    for (name, build) in WORLDS {
        let (mut single, mut many) = (build(), build());
        for steps in [1, 16] {
            let mut expected = single.run(1);
            for _ in 1..steps {
                let next = single.run(1);
                let mut report = expected.report;
                report += next.report;
                let changes = merged(expected.changes, &next.changes);
                expected = Seen { report, changes, ..next };
            }
            assert!(many.run(steps) == expected, "{name}: {steps} steps");
        }
    }
}

/// Returns all changes of two lists, in order of position.
fn merged(mut changes: Vec<ChunkChanges>, more: &[ChunkChanges]) -> Vec<ChunkChanges> {
    for added in more {
        match changes.iter_mut().find(|known| known.chunk == added.chunk) {
            Some(known) => known.cells.union_with(&added.cells),
            None => changes.push(added.clone()),
        }
    }
    changes.sort_by_key(|known| (known.chunk.y, known.chunk.z, known.chunk.x));
    changes
}
