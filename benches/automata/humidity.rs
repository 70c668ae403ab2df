//! Humidity: the three sweeps, on soil of three kinds with rocks and rain, all of it awake.

use criterion::{BenchmarkId, Criterion, Throughput};
use floodplain::glam::IVec3;
use floodplain::humidity::{Cell, HumidityWorld, ROCK, Rules, Sweep, UNITS};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Region, Shape, Sheet};
use multiversion::multiversion;
use std::hint::black_box;
use std::time::{Duration, Instant};

const SIDES: [usize; 3] = [256, 1024, 4096];
/// Side of the sparse world, in chunks, a tenth of which are loaded.
const SPARSE_CHUNKS: i32 = 64;

/// Returns random ground for a cell, the same for sparse and dense worlds.
fn cell_at(x: usize, y: usize) -> Cell {
    let mut rng = fastrand::Rng::with_seed((x as u64) << 32 | y as u64);
    match rng.u32(..100) {
        0..5 => Cell::ROCK,
        5 => Cell::rain(1024.0, 1.0),
        _ => Cell::soil(f64::from(rng.u32(..900)), [0.75, 1.0, 2.5][rng.usize(..3)]),
    }
}

fn chunk_at(chunk: ChunkPos) -> Chunk<Cell> {
    let cells: Vec<Cell> = (0..CHUNK_CELLS)
        .map(|index| Sheet::cell_at(chunk, index))
        .map(|cell| cell_at(cell.x as usize, cell.y as usize))
        .collect();
    Chunk::from_cells(cells[..].try_into().expect("a chunk of cells"))
}

fn world(sweep: Sweep, chunks: impl Iterator<Item = IVec3>) -> HumidityWorld {
    let mut world = HumidityWorld::new(Rules::with_sweep(sweep)).expect("rules in range");
    for chunk in chunks {
        world.insert_chunk(chunk.into(), chunk_at(chunk.into())).expect("in range");
    }
    world
}

/// A dense array with the same ground, stepped by plain loops with constants computed beforehand.
struct Dense {
    side: usize,
    ground: Vec<f32>,
    held: Vec<bool>,
    humidity: Vec<f32>,
    quotients: Vec<f32>,
    /// For the mean: the denominators.
    denominators: Vec<f32>,
    /// For the conservative sweep: humidity in units, and the transmissibilities of the faces to
    /// the east and up, in 1/2³².
    units: Vec<u32>,
    shares: [Vec<u32>; 2],
    /// Fluxes from below, to the east, and up.
    flows: [Vec<i32>; 3],
    rained: i64,
}

impl Dense {
    /// Builds rows of `side` cells, with a rim of dry rock.
    fn new(inner: usize) -> Dense {
        let side = inner + 2;
        let cells: Vec<Cell> = (0..side * side)
            .map(|index| (index % side, index / side))
            .map(|(x, y)| match (1..=inner).contains(&x) && (1..=inner).contains(&y) {
                true => cell_at(x - 1, y - 1),
                false => Cell::ROCK,
            })
            .collect();
        let ground: Vec<f32> = cells.iter().map(|cell| cell.impermeability).collect();
        let humidity: Vec<f32> = cells.iter().map(|cell| cell.humidity as f32).collect();
        let mut denominators = vec![1.0; side * side];
        for index in side..side * (side - 1) {
            let beside = [index - 1, index + 1, index - side, index + side];
            denominators[index] =
                beside.iter().fold(ground[index], |sum, &beside| sum + 1.0 / ground[beside]);
        }
        let share = |here: usize, there: usize| match ground.get(there) {
            Some(&other) if ground[here] < ROCK && other < ROCK => {
                (f64::from(Rules::default().coefficient) * 2.0 / f64::from(ground[here] + other)
                    * 2f64.powi(32)) as u32
            }
            _ => 0,
        };
        let shares =
            [1, side].map(|step| (0..side * side).map(|here| share(here, here + step)).collect());
        Dense {
            side,
            held: cells.iter().map(|cell| cell.rain || cell.is_rock()).collect(),
            quotients: humidity.iter().zip(&ground).map(|(h, i)| h / i).collect(),
            units: cells.iter().map(|cell| (cell.humidity * f64::from(UNITS)) as u32).collect(),
            ground,
            humidity,
            denominators,
            shares,
            flows: [0; 3].map(|_| vec![0; side]),
            rained: 0,
        }
    }

    fn step(&mut self, sweep: Sweep) {
        match sweep {
            Sweep::InPlace => step_in_place(self),
            Sweep::Synchronous => step_synchronous(self),
            Sweep::Conservative => step_conservative(self),
        }
    }
}

#[multiversion(targets = "simd")]
fn step_synchronous(dense: &mut Dense) {
    let side = dense.side;
    for (q, (h, i)) in dense.quotients.iter_mut().zip(dense.humidity.iter().zip(&dense.ground)) {
        *q = h / i;
    }
    for y in 1..side - 1 {
        let row = |from: usize| from..from + side - 2;
        let here = y * side + 1;
        let (west, east) = (&dense.quotients[row(here - 1)], &dense.quotients[row(here + 1)]);
        let (down, up) = (&dense.quotients[row(here - side)], &dense.quotients[row(here + side)]);
        let (ground, below) = (&dense.ground[row(here)], &dense.denominators[row(here)]);
        let (held, cells) = (&dense.held[row(here)], &mut dense.humidity[row(here)]);
        for x in 0..side - 2 {
            let mean = (cells[x] * ground[x] + west[x] + east[x] + down[x] + up[x]) / below[x];
            let capped = if mean > 1024.0 { 1024.0 } else { mean };
            cells[x] = if held[x] { cells[x] } else { capped };
        }
    }
}

/// Row by row in memory order: the same bits as the original's order.
#[multiversion(targets = "simd")]
fn step_in_place(dense: &mut Dense) {
    let side = dense.side;
    for here in (1..side - 1).flat_map(|y| y * side + 1..(y + 1) * side - 1) {
        if dense.held[here] {
            continue;
        }
        let q = &dense.quotients;
        let sum =
            dense.humidity[here] * dense.ground[here] + q[here - 1] + q[here + 1] + q[here - side];
        let mean = (sum + q[here + side]) / dense.denominators[here];
        dense.humidity[here] = if mean > 1024.0 { 1024.0 } else { mean };
        dense.quotients[here] = dense.humidity[here] / dense.ground[here];
    }
}

/// Computes each flux once, a row at a time; those upwards are kept for the row above.
#[multiversion(targets = "simd")]
fn step_conservative(dense: &mut Dense) {
    let (side, cap) = (dense.side, 1024 * UNITS);
    let [from_below, to_east, to_up] = &mut dense.flows;
    from_below.fill(0);
    for y in 1..side - 1 {
        let (row, inner) = (y * side, side - 2);
        let (east, up) =
            (&dense.shares[0][row..][..side - 1], &dense.shares[1][row + 1..][..inner]);
        let held = &dense.held[row + 1..][..inner];
        let (cells, above) = dense.units[row..].split_at_mut(side);
        let (here, next, links) =
            (&cells[..side - 1], &cells[1..][..side - 1], &mut to_east[..side - 1]);
        for x in 0..side - 1 {
            links[x] = flow(east[x], head(here[x], 2), head(next[x], 0));
        }
        let (west, east) = (&to_east[..inner], &to_east[1..][..inner]);
        let (cells, above) = (&mut cells[1..][..inner], &above[1..][..inner]);
        let (below, to_up) = (&mut from_below[..inner], &mut to_up[..inner]);
        let mut rained = 0i64;
        for x in 0..inner {
            to_up[x] = flow(up[x], head(cells[x], 3), head(above[x], 1));
        }
        for x in 0..inner {
            let gained = west[x] + below[x] - east[x] - to_up[x];
            let new = cells[x].wrapping_add_signed(gained);
            let capped = if new as i32 > cap as i32 { cap } else { new };
            rained -= if held[x] { i64::from(gained) } else { 0 };
            cells[x] = if held[x] { cells[x] } else { capped };
        }
        dense.rained += rained;
        below.copy_from_slice(to_up);
    }
}

/// Returns what a cell holds as far as fluxes see it at a face with this phase.
#[inline(always)]
fn head(units: u32, phase: u32) -> u32 {
    ((units.max(phase) - phase) & !3) + phase
}

/// Returns the flux across a face in units, rounded towards zero.
#[inline(always)]
fn flow(share: u32, from: u32, to: u32) -> i32 {
    let difference = from as i32 - to as i32;
    let sign = difference >> 31;
    let size = u64::from(((difference ^ sign) - sign) as u32);
    (((size * u64::from(share)) >> 32) as i32 ^ sign) - sign
}

/// Returns a world that is awake everywhere.
struct Awake<F: Fn() -> HumidityWorld> {
    build: F,
    world: HumidityWorld,
    cells: usize,
}

impl<F: Fn() -> HumidityWorld> Awake<F> {
    fn new(build: F) -> Self {
        let mut world = build();
        let cells = world.awake_cells();
        world.step();
        Awake { build, world, cells }
    }

    /// Times `run` of so many steps, several times. A world of which a part has come to rest is
    /// replaced by a fresh one, as sleeping chunks would not be measured.
    fn time(&mut self, times: u64, steps: u64, at_once: u64) -> Duration {
        let mut spent = Duration::ZERO;
        for _ in 0..times {
            if self.world.awake_cells() < self.cells {
                self.world = (self.build)();
                self.world.step();
            }
            let start = Instant::now();
            for _ in 0..steps / at_once {
                black_box(self.world.run(at_once));
            }
            spent += start.elapsed();
        }
        spent
    }
}

pub fn benches(criterion: &mut Criterion) {
    let sweeps = [
        ("in_place", Sweep::InPlace),
        ("synchronous", Sweep::Synchronous),
        ("conservative", Sweep::Conservative),
    ];
    for (name, sweep) in sweeps {
        let mut group = criterion.benchmark_group(format!("humidity/{name}"));
        group.sample_size(10);
        for side in SIDES {
            group.throughput(Throughput::Elements((side * side) as u64));
            let chunks = side as i32 / 64 - 1;
            let all = Region::new(IVec3::ZERO, IVec3::new(chunks, chunks, 0));
            let mut ours = Awake::new(|| world(sweep, all.positions()));
            group.bench_function(BenchmarkId::new("chunks", side), |bencher| {
                bencher.iter_custom(|times| ours.time(times, 1, 1));
            });
            drop(ours);
            let mut dense = Dense::new(side);
            group.bench_function(BenchmarkId::new("dense", side), |bencher| {
                bencher.iter(|| dense.step(sweep));
            });
        }
        let all = Region::new(IVec3::ZERO, IVec3::new(SPARSE_CHUNKS - 1, SPARSE_CHUNKS - 1, 0));
        for threads in [1, 2] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for (name, at_once) in [("single_steps", 1), ("run", 16)] {
                let mut ours = Awake::new(|| world(sweep, all.positions()));
                group.throughput(Throughput::Elements(16 * ours.cells as u64));
                group.bench_function(
                    BenchmarkId::new(format!("16_steps/{name}"), threads),
                    |bencher| {
                        bencher.iter_custom(|times| pool.install(|| ours.time(times, 16, at_once)));
                    },
                );
            }
        }
        let mut sparse = Awake::new(|| {
            let mut rng = fastrand::Rng::with_seed(3);
            world(sweep, all.positions().filter(|_| rng.u32(..10) == 0))
        });
        group.throughput(Throughput::Elements(sparse.cells as u64));
        group.bench_function(BenchmarkId::new("sparse", "a_tenth_of_4096"), |bencher| {
            bencher.iter_custom(|times| sparse.time(times, 1, 1));
        });
    }
}
