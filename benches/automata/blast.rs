//! Explosions: steps of worlds in which every cell changes, beside the same formula over plain
//! arrays.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use floodplain::blast::{BlastWorld, Border, Borders, Rules};
use floodplain::glam::IVec3;
use floodplain::{CHUNK_CELLS, Chunk, Region};
use multiversion::multiversion;

/// Cells along each side of a dense world.
const SIDES: [usize; 3] = [256, 1024, 4096];

/// Steps that one sample runs.
const STEPS: u64 = 4;

/// Warm-up steps, after which lists have grown and caches are in the same state, for our worlds and
/// the dense loops alike.
const WARM_UP: u64 = 4;

const COEFFICIENT: f32 = 0.24;
const WAVE_COEFFICIENT: f32 = 0.25;
const DAMPING: f32 = 0.98;

/// Pressures that differ everywhere, so that no flow is 0.
fn pressures(count: usize) -> Vec<f32> {
    let mut rng = fastrand::Rng::with_seed(1);
    (0..count).map(|_| 1.0 + 99.0 * rng.f32()).collect()
}

/// Returns a world on a square of so many chunks along each side, of which one in `one_in` is
/// loaded, chosen at random; and their number.
fn world(rules: Rules, chunks: i32, one_in: u32) -> (BlastWorld, u64) {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(64 * chunks - 1, 64 * chunks - 1, 0));
    let mut world =
        BlastWorld::with_bounds(rules, bounds, Borders::all(Border::Periodic)).expect("stable");
    let cells = pressures(CHUNK_CELLS);
    let mut rng = fastrand::Rng::with_seed(2);
    let mut count = 0;
    for chunk in Region::new(IVec3::ZERO, IVec3::new(chunks - 1, chunks - 1, 0)).positions() {
        if rng.u32(..one_in) == 0 {
            let cells =
                core::array::from_fn(|index| cells[(index + rng.usize(..64)) % CHUNK_CELLS]);
            world.insert_chunk(chunk.into(), Chunk::from_cells(&cells)).expect("in bounds");
            count += 1;
        }
    }
    (world, count)
}

/// A dense world in plain arrays, old and new, with a rim that mirrors the outer rows and columns.
struct Dense {
    side: usize,
    old: Vec<f32>,
    new: Vec<f32>,
}

impl Dense {
    fn new(side: usize) -> Dense {
        let cells = pressures((side + 2) * (side + 2));
        Dense { side, old: cells.clone(), new: cells }
    }
}

/// Waves in plain arrays: pressures, and the flows over the links east and up of each cell, each
/// visited once.
struct DenseWave {
    side: usize,
    pressures: Vec<f32>,
    east: Vec<f32>,
    up: Vec<f32>,
}

impl DenseWave {
    fn new(side: usize) -> DenseWave {
        let cells = pressures((side + 2) * (side + 2));
        let still = vec![0.0; cells.len()];
        DenseWave { side, pressures: cells, east: still.clone(), up: still }
    }
}

/// The formula of the grid's kernel, quantized, each link visited once.
#[multiversion(targets = "simd")]
fn step(dense: &mut Dense) {
    let (side, stride) = (dense.side, dense.side + 2);
    let mut east = vec![0.0; side + 1];
    let mut below: Vec<f32> =
        (1..=side).map(|x| out(dense.old[x], dense.old[stride + x])).collect();
    for y in 1..=side {
        let row = |y: usize, x: usize| &dense.old[y * stride + x..];
        let (here, next) = (&row(y, 0)[..side + 1], &row(y, 1)[..side + 1]);
        let links = &mut east[..side + 1];
        for x in 0..side + 1 {
            links[x] = out(here[x], next[x]);
        }
        let (west, east) = (&east[..side], &east[1..][..side]);
        let (here, up, below) = (&next[..side], &row(y + 1, 1)[..side], &mut below[..side]);
        let new = &mut dense.new[y * stride + 1..][..side];
        for x in 0..side {
            let on = out(here[x], up[x]);
            new[x] = (here[x] - ((east[x] - west[x]) + (on - below[x]))).max(0.0);
            below[x] = on;
        }
    }
    core::mem::swap(&mut dense.old, &mut dense.new);
}

/// The bare formula without quantization, so that sums drift.
#[multiversion(targets = "simd")]
fn step_bare(dense: &mut Dense) {
    let (side, stride) = (dense.side, dense.side + 2);
    for y in 1..=side {
        let row = |y: usize, x: usize| &dense.old[y * stride + x..][..side];
        let (here, west, east) = (row(y, 1), row(y, 0), row(y, 2));
        let (down, up) = (row(y - 1, 1), row(y + 1, 1));
        let new = &mut dense.new[y * stride + 1..][..side];
        for x in 0..side {
            let sum = (west[x] + east[x]) + (down[x] + up[x]);
            new[x] = here[x] + COEFFICIENT * (sum - 4.0 * here[x]);
        }
    }
    core::mem::swap(&mut dense.old, &mut dense.new);
}

/// The formula of the grid's kernel, quantized or not.
#[multiversion(targets = "simd")]
fn step_wave<const QUANTIZED: bool>(dense: &mut DenseWave) {
    let (side, stride) = (dense.side, dense.side + 2);
    for y in 0..=side {
        let (from, length) = (y * stride, side + 1);
        let row = |x: usize| &dense.pressures[from + x..][..length];
        let (here, next, above) = (row(0), row(1), row(stride));
        let (east, up) = (&mut dense.east[from..][..length], &mut dense.up[from..][..length]);
        for x in 0..length {
            east[x] = ripple::<QUANTIZED>(east[x], here[x], next[x]);
            up[x] = ripple::<QUANTIZED>(up[x], here[x], above[x]);
        }
    }
    for y in 1..=side {
        let here = y * stride + 1;
        let (east, west) = (&dense.east[here..][..side], &dense.east[here - 1..][..side]);
        let (up, down) = (&dense.up[here..][..side], &dense.up[here - stride..][..side]);
        let pressures = &mut dense.pressures[here..][..side];
        for x in 0..side {
            pressures[x] -= (east[x] - west[x]) + (up[x] - down[x]);
        }
    }
}

/// Returns the flow over a link after a step of the wave rule.
#[inline(always)]
fn ripple<const QUANTIZED: bool>(flow: f32, here: f32, there: f32) -> f32 {
    let flow = DAMPING * (flow + WAVE_COEFFICIENT * (here - there));
    let (here, there) = (here.abs(), there.abs());
    if QUANTIZED { quantized(flow, if here > there { here } else { there }) } else { flow }
}

/// Returns the quantized flow out of a cell to a neighbour.
#[inline(always)]
fn out(here: f32, there: f32) -> f32 {
    quantized(COEFFICIENT * (here - there), if here > there { here } else { there })
}

#[inline(always)]
fn quantized(flow: f32, scale: f32) -> f32 {
    let sum = scale + flow.abs();
    (f32::from_bits(sum.to_bits() - u32::from(sum - scale > flow.abs())) - scale).copysign(flow)
}

/// Times steps of a dense world after the same warm-up as ours.
fn time_dense<D>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    side: usize,
    new: fn(usize) -> D,
    step: fn(&mut D),
) {
    let run = |dense: &mut D, steps: u64| (0..steps).for_each(|_| step(dense));
    let begun = || {
        let mut dense = new(side);
        run(&mut dense, WARM_UP);
        dense
    };
    group.bench_function(BenchmarkId::new(name, side), |bencher| {
        bencher.iter_batched_ref(begun, |dense| run(dense, STEPS), BatchSize::PerIteration);
    });
}

/// The benches of explosions.
pub fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("blast");
    group.sample_size(20);
    for side in SIDES {
        group.throughput(Throughput::Elements((side * side) as u64 * STEPS));
        // A fresh world for each sample: pressures level out, and unchanged chunks sleep.
        let uneven = || {
            let (mut world, _) = world(Rules::default(), side as i32 / 64, 1);
            assert_eq!(
                world.run(WARM_UP).visited,
                (side * side) as u64 * WARM_UP,
                "every chunk is awake"
            );
            world
        };
        group.bench_function(BenchmarkId::new("chunks", side), |bencher| {
            bencher.iter_batched_ref(uneven, |world| world.run(STEPS), BatchSize::PerIteration);
        });
        time_dense(&mut group, "dense", side, Dense::new, step);
        time_dense(&mut group, "dense_bare", side, Dense::new, step_bare);
    }
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let side = SIDES[2];
        group.throughput(Throughput::Elements((side * side) as u64 * 16));
        let uneven = || {
            let (mut world, _) = world(Rules::default(), side as i32 / 64, 1);
            world.run(WARM_UP);
            world
        };
        let run = |world: &mut BlastWorld| pool.install(|| _ = world.run(16));
        group.bench_function(BenchmarkId::new("16_steps", threads), |bencher| {
            bencher.iter_batched_ref(uneven, run, BatchSize::PerIteration);
        });
    }
    let waves = Rules::wave(0.25, 0.98);
    for side in SIDES {
        group.throughput(Throughput::Elements((side * side) as u64 * STEPS));
        // A fresh world for each sample: waves die down, and silent chunks cost nothing.
        let rippling = || {
            let (mut world, _) = world(waves, side as i32 / 64, 1);
            assert_eq!(
                world.run(WARM_UP).changed,
                (side * side) as u64 * WARM_UP,
                "every cell changes"
            );
            world
        };
        group.bench_function(BenchmarkId::new("wave/chunks", side), |bencher| {
            bencher.iter_batched_ref(rippling, |world| world.run(STEPS), BatchSize::PerIteration);
        });
        time_dense(&mut group, "wave/dense", side, DenseWave::new, step_wave::<true>);
        time_dense(&mut group, "wave/dense_bare", side, DenseWave::new, step_wave::<false>);
    }
    for (name, rules) in [("sparse", Rules::default()), ("wave/sparse", waves)] {
        // A fresh world for each sample, after the steps in which the front opens the surrounding
        // chunks.
        let opened = || {
            let (mut world, count) = world(rules, 64, 10);
            world.run(4);
            (world, count)
        };
        let (mut sparse, count) = opened();
        let visited = sparse.run(STEPS).visited;
        println!(
            "blast/{name}: {count} of 4096 chunks at first; {STEPS} steps visit {visited} cells"
        );
        group.throughput(Throughput::Elements(visited));
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || opened().0,
                |world| world.run(STEPS),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}
