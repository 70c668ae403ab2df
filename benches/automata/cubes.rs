//! Humidity and explosions in cubes: steps of 6³ chunks in which every cell is visited. Without
//! dense loops: the benches of sheets compare the same rules with those.

use crate::fields;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::Sweep;
use floodplain::{CHUNK_CELLS, Cube, Region, Shape, Simulation};

/// Chunks along each side.
const SIDE: i32 = 6;

/// Steps that one sample runs, and warm-up steps before.
const STEPS: u64 = 4;

fn chunks() -> Region {
    fields::chunks([SIDE; 3])
}

/// Returns a world of explosions, with a cell of each chunk removed or none. One removed cell makes
/// all links of its chunk weighted.
fn exploding(rules: blast::Rules, is_walled: bool) -> BlastWorld<Cube> {
    let mut world = fields::blast(rules, chunks());
    for chunk in chunks().positions().filter(|_| is_walled) {
        world.set_solid(Cube::region_of(chunk.into()).min() + IVec3::splat(8)).expect("in bounds");
    }
    world
}

/// Times steps of a fresh world for each sample, so that none has come to rest.
fn time<W: Simulation>(criterion: &mut Criterion, name: &str, build: impl Fn() -> W) {
    let begun = || {
        let mut world = build();
        world.run(STEPS);
        world
    };
    let visited = begun().run(STEPS).visited;
    assert_eq!(
        visited,
        STEPS * (chunks().positions().count() * CHUNK_CELLS) as u64,
        "all of it is awake"
    );
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).throughput(Throughput::Elements(visited));
    group.bench_function(BenchmarkId::from_parameter(16 * SIDE), |bencher| {
        bencher.iter_batched_ref(begun, |world| world.run(STEPS), BatchSize::PerIteration);
    });
    group.finish();
}

pub fn benches(criterion: &mut Criterion) {
    let (diffusive, waves) = (blast::Rules::diffusive(0.16), blast::Rules::wave(0.16, 0.98));
    time(criterion, "cubes/blast", || exploding(diffusive, false));
    time(criterion, "cubes/blast/walled", || exploding(diffusive, true));
    time(criterion, "cubes/blast/wave", || exploding(waves, false));
    time(criterion, "cubes/blast/wave/walled", || exploding(waves, true));
    time(criterion, "cubes/humidity/in_place", || {
        fields::humidity::<Cube>(Sweep::InPlace, chunks())
    });
    time(criterion, "cubes/humidity/synchronous", || {
        fields::humidity::<Cube>(Sweep::Synchronous, chunks())
    });
    time(criterion, "cubes/humidity/conservative", || {
        fields::humidity::<Cube>(Sweep::Conservative, chunks())
    });
}
