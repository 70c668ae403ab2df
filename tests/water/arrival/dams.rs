//! How fast water spreads where a dam breaks.

use super::{least, mean};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};

/// The size of the floor, whose edges hold the water back.
const SIZE: IVec3 = IVec3::new(160, 48, 128);

/// Returns a floor with a block of water on it that is about to collapse.
fn dam(seed: u64) -> WaterWorld {
    let mut world = WaterWorld::new(seed, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, SIZE / 16 - 1).positions();
    let open = chunks.map(|at| (ChunkPos::new(at.x, at.y, at.z), Chunk::uniform(Voxel::OPEN)));
    world.insert_chunks(open).unwrap();
    let floor = Region::new(IVec3::ZERO, IVec3::new(SIZE.x - 1, 3, SIZE.z - 1));
    world.fill_solid(floor).unwrap();
    let water = Region::new(IVec3::new(0, 4, 16), IVec3::new(39, 24, 111));
    world.fill_water(water, 7).unwrap();
    world
}

/// Returns the columns that hold water.
fn covered(world: &WaterWorld) -> usize {
    let floor = Region::new(IVec3::ZERO, SIZE.with_y(1) - 1);
    let is_wet = |column: &IVec3| (4..SIZE.y).any(|y| world.units(column.with_y(y)) > 0);
    floor.positions().filter(is_wet).count()
}

/// 16,800 columns are covered after 90 ticks if the bodies are levelled in a random order, 15,900
/// if large ones come first (means of six seeds; 14,100 and more for each). Small bodies, when they
/// came first, held the wave back: 14,100, and 10,100 for one seed.
#[test]
fn a_dam_break_spreads_over_the_plain() {
    let columns: Vec<f64> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6)
            .map(|seed| {
                scope.spawn(move || {
                    let mut world = dam(seed);
                    world.run(90);
                    covered(&world) as f64
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    println!("{columns:?} columns");
    assert!(mean(columns.iter().copied()) >= 15_000.0, "{columns:?} columns for six seeds");
    assert!(least(columns.iter().copied()) >= 12_500.0, "{columns:?} columns for six seeds");
}
