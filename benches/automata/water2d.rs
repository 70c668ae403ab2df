//! 2D water: both rules on dense and sparse worlds in motion, a large tank with and without a wave,
//! and a world at rest.

use criterion::{BenchmarkId, Criterion, Throughput};
use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, Rules, Water2dWorld};
use floodplain::{Chunk, Shape, Sheet};
use multiversion::multiversion;
use std::hint::black_box;

const SIDES: [usize; 3] = [256, 1024, 4096];

/// Warm-up steps, after which no chunk is at rest or in its initial state.
const WARM: u64 = 4;

/// Random rocks and water, so that water moves everywhere for as long as a bench takes.
fn drawn(side: usize) -> Vec<i32> {
    let mut rng = fastrand::Rng::with_seed(side as u64);
    let mut cell = || match rng.u32(..100) {
        0..15 => -1,
        15..50 => 0,
        _ => rng.i32(1..200),
    };
    (0..side * side).map(|_| cell()).collect()
}

/// Returns a world with those chunks of a drawing for which `keep` holds.
fn world(
    cells: &[i32],
    side: usize,
    rules: Rules,
    mut keep: impl FnMut(IVec3) -> bool,
) -> Water2dWorld {
    let mut world = Water2dWorld::new(1, rules).expect("rules in range");
    let chunks = (side / 64) as i32;
    for position in (0..chunks).flat_map(|y| (0..chunks).map(move |x| IVec3::new(x, y, 0))) {
        let block = core::array::from_fn(|index| {
            let cell = Sheet::cell_at(position.into(), index);
            let level = cells[cell.y as usize * side + cell.x as usize];
            u32::try_from(level)
                .map_or(Cell::SOLID, |level| Cell::water(level).expect("a level in range"))
        });
        if keep(position) {
            world
                .insert_chunk(position.into(), Chunk::from_cells(&block))
                .expect("a place in range");
        }
    }
    world
}

/// Dense arrays of levels with a rim of ground, −1, and plain loops over rows.
struct Dense {
    width: usize,
    old: Vec<i32>,
    new: Vec<i32>,
    gives: [Vec<i32>; 4],
}

impl Dense {
    fn new(cells: &[i32], side: usize) -> Dense {
        let width = side + 2;
        let mut old = vec![-1; width * width];
        for (y, row) in cells.chunks(side).enumerate() {
            old[(y + 1) * width + 1..][..side].copy_from_slice(row);
        }
        let gives = [(); 4].map(|()| vec![0; width * width]);
        Dense { width, new: old.clone(), old, gives }
    }
}

/// The literal rule: first the outflows of all cells, then their levels.
#[multiversion(targets = "simd")]
fn literal_step(dense: &mut Dense, left_first: bool) {
    let (width, inner) = (dense.width, dense.width - 2);
    let accepted = |to: i32, offer: i32| if to < 0 { 0 } else { offer.max(0) };
    let capacity = |above: i32| if above >= 100 { above + 5 } else { 100 };
    let [downs, firsts, seconds, ups] = &mut dense.gives;
    for y in 1..width - 1 {
        let row = |y: usize, shift: usize| &dense.old[y * width + shift..][..inner];
        let (here, below, above) = (row(y, 1), row(y - 1, 1), row(y + 1, 1));
        let (first, second) =
            if left_first { (row(y, 0), row(y, 2)) } else { (row(y, 2), row(y, 0)) };
        let from = y * width + 1;
        let (downs, firsts) = (&mut downs[from..][..inner], &mut firsts[from..][..inner]);
        let (seconds, ups) = (&mut seconds[from..][..inner], &mut ups[from..][..inner]);
        for x in 0..inner {
            let down = accepted(below[x], (capacity(here[x]) - below[x]).min(here[x]));
            let left = here[x] - down;
            let to_first = accepted(first[x], (left - first[x] + 1) >> 1);
            let left = left - to_first;
            let to_second = accepted(second[x], (left - second[x] + 1) >> 1);
            let left = left - to_second;
            (downs[x], firsts[x], seconds[x]) = (down, to_first, to_second);
            ups[x] = accepted(above[x], left - capacity(above[x]));
        }
    }
    let [downs, firsts, seconds, ups] = &dense.gives;
    let (wests, easts) = if left_first { (firsts, seconds) } else { (seconds, firsts) };
    for y in 1..width - 1 {
        let from = y * width + 1;
        let (from_below, from_above) =
            (&ups[from - width..][..inner], &downs[from + width..][..inner]);
        let (from_west, from_east) = (&easts[from - 1..][..inner], &wests[from + 1..][..inner]);
        let (out, old) = (&mut dense.new[from..][..inner], &dense.old[from..][..inner]);
        let [down, west, east, up] =
            [downs, wests, easts, ups].map(|gives| &gives[from..][..inner]);
        for x in 0..inner {
            let given = down[x] + west[x] + east[x] + up[x];
            out[x] = old[x] - given + from_below[x] + from_above[x] + from_west[x] + from_east[x];
        }
    }
    core::mem::swap(&mut dense.old, &mut dense.new);
}

/// The settling rule between neighbours, without bodies: pairs up and down, then sideways.
#[multiversion(targets = "simd")]
fn settling_step(dense: &mut Dense) {
    let width = dense.width;
    for first in [1, 2] {
        for y in (first..width - 2).step_by(2) {
            let (low, high) = dense.old.split_at_mut((y + 1) * width);
            let (lower, upper) =
                (&mut low[y * width + 1..][..width - 2], &mut high[1..][..width - 2]);
            for x in 0..width - 2 {
                let moved = sinking(lower[x], upper[x]);
                lower[x] += moved;
                upper[x] -= moved;
            }
        }
    }
    let flows = &mut dense.gives[0][..width];
    for y in 1..width - 1 {
        let (below, here) =
            (&dense.old[(y - 1) * width..][..width], &dense.old[y * width..][..width]);
        let pressing = |x: usize| if below[x] < 0 || below[x] >= 100 { here[x] } else { 0 };
        for x in 0..width - 1 {
            let eastward = ((pressing(x) - here[x + 1]).max(0) + 1) >> 2;
            let westward = ((pressing(x + 1) - here[x]).max(0) + 1) >> 2;
            flows[x] = if here[x] | here[x + 1] < 0 { 0 } else { eastward - westward };
        }
        let out = &mut dense.new[y * width..][..width];
        for x in 1..width - 1 {
            out[x] = here[x] + flows[x - 1] - flows[x];
        }
    }
    core::mem::swap(&mut dense.old, &mut dense.new);
}

/// Returns the units that sink between two cells, by the crate's formula.
fn sinking(lower: i32, upper: i32) -> i32 {
    let total = lower + upper;
    let more = (total - 100).max(0);
    let share = |more: i32| ((more.min(106) * 49) >> 10).max(5 + ((more - 105) >> 1));
    let settled = lower.max(total.min(100 + share(more))).min(total.min(100 + share(more + 1)));
    if lower | upper < 0 { 0 } else { settled - lower }
}

fn in_motion(criterion: &mut Criterion, name: &str, rules: Rules) {
    let mut group = criterion.benchmark_group(name);
    for side in SIDES {
        let cells = drawn(side);
        group.throughput(Throughput::Elements((side * side) as u64));
        let mut moving = world(&cells, side, rules, |_| true);
        moving.run(WARM);
        group.bench_function(BenchmarkId::new("floodplain", side), |bencher| {
            bencher.iter(|| black_box(moving.step()))
        });
        drop(moving);
        let mut dense = Dense::new(&cells, side);
        let mut left_first = true;
        group.bench_function(BenchmarkId::new("dense", side), |bencher| {
            bencher.iter(|| {
                left_first = !left_first;
                if rules == Rules::literal() {
                    literal_step(&mut dense, left_first)
                } else {
                    settling_step(&mut dense)
                }
                black_box(&dense.old);
            });
        });
    }
    let side = 4096;
    let cells = drawn(side);
    let mut rng = fastrand::Rng::with_seed(9);
    let mut sparse = world(&cells, side, rules, |_| rng.u32(..10) == 0);
    sparse.run(WARM);
    let present = sparse.chunks().count() as u64 * 4096;
    group.throughput(Throughput::Elements(present));
    group.bench_function("floodplain/4096, a tenth of the chunks", |bencher| {
        bencher.iter(|| black_box(sparse.step()));
    });
    group.finish();
}

/// A full tank of 1024² cells: with a wave in one corner, and asleep.
fn tank(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("water2d_tank");
    let side = 1024;
    let mut tank = world(&vec![100; side * side], side, Rules::default(), |_| true);
    let rest = (1..100_000).find(|_| {
        tank.step();
        tank.is_at_rest()
    });
    let rest = rest.expect("the tank comes to rest");
    println!("water2d_tank: at rest since step {rest}");
    group.bench_function("asleep", |bencher| bencher.iter(|| black_box(tank.step())));
    group.bench_function("a bucket poured", |bencher| {
        bencher.iter(|| {
            tank.pour(IVec3::new(3, 0, 0), 100).expect("open");
            black_box(tank.step())
        });
    });
    group.finish();
}

/// All of this automaton's benches.
pub fn benches(criterion: &mut Criterion) {
    in_motion(criterion, "water2d_literal", Rules::literal());
    in_motion(criterion, "water2d_settling", Rules::default());
    tank(criterion);
}
