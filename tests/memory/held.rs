//! `memory_bytes` of water and humidity against the allocator's count.

use crate::{MEMORY, alone};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Region};

/// A walled floor of 6×6 columns of chunks, two chunks high, with springs at this height.
fn world(springs: i32) -> WaterWorld {
    let mut world = WaterWorld::new(5, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(5, 1, 5)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(95, 0, 95))).unwrap();
    for spring in Region::new(IVec3::ZERO, IVec3::new(11, 0, 11)).positions() {
        world.add_source(IVec3::new(8 * spring.x + 4, springs, 8 * spring.z + 4)).unwrap();
    }
    world
}

/// 64 chunks of soil of all humidities, in cubes, of whose memory much is faces.
fn ground(sweep: Sweep) -> HumidityWorld<Cube> {
    let mut world = HumidityWorld::new(humidity::Rules::with_sweep(sweep)).unwrap();
    for chunk in Region::new(IVec3::ZERO, IVec3::splat(3)).positions() {
        let cells = core::array::from_fn(|index| humidity::Cell::soil(index as f64 / 8.0, 1.0));
        world.insert_chunk(chunk.into(), Chunk::from_cells(&cells)).unwrap();
    }
    world
}

/// Whether what is held since `before`, by the allocator's count, is within a twentieth of what is
/// said.
fn check(story: &str, before: usize, said: usize) {
    let held = MEMORY.current_usage() - before;
    assert!(said.abs_diff(held) * 20 <= held, "{story}: {held} bytes held, {said} said");
}

/// The levelling of a body between two calls was once left out: up to half of what a world held.
/// The body fills shafts one cell wide, which are joined at the bottom and deeper on one side.
fn shafts_in_slices() {
    // Above the lowest layer, every second column is solid.
    let shafts = |height: usize| -> [Voxel; 4096] {
        core::array::from_fn(|index| match index / 256 {
            1.. if (index + index / 16) % 2 == 0 => Voxel::SOLID,
            y if y < height => Voxel::water(WaterCell::STILL),
            _ => Voxel::OPEN,
        })
    };
    let [high, low] = [7, 3].map(|height| Chunk::from_cells(&shafts(height)));
    let filled = |at: IVec3| (at.into(), if at.x < 2 { high.clone() } else { low.clone() });
    let chunks = Region::new(IVec3::ZERO, IVec3::new(3, 0, 3)).positions();
    let before = MEMORY.current_usage();
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    world.insert_chunks(chunks.map(filled)).unwrap();
    let mut calls = 0;
    while world.ticks() < 2 {
        world.step_within(0);
        calls += 1;
        if calls % 8 == 0 {
            check("in slices", before, world.memory_bytes());
        }
    }
    assert!(calls > 300, "{calls} calls");
}

/// The groups of cells that give and take water at a shore were once left out if there were more
/// than four.
fn rough_lake_in_slices() {
    let before = MEMORY.current_usage();
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(3, 0, 3)).positions().map(ChunkPos::from);
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    let mut rng = fastrand::Rng::with_seed(3);
    for cell in Region::new(IVec3::ZERO, IVec3::new(63, 0, 63)).positions() {
        let depth = rng.i32(4..9);
        world.fill_water(Region::new(cell, cell + IVec3::Y * (depth - 1)), 7).unwrap();
    }
    let mut calls = 0;
    while world.ticks() < 2 {
        world.step_within(0);
        calls += 1;
        check("a rough lake in slices", before, world.memory_bytes());
    }
    assert!(calls > 300, "{calls} calls");
}

/// What a tick works with was once left out in part: a tenth of a world in motion.
#[test]
fn a_world_holds_what_it_says() {
    let _alone = alone();
    for (story, springs, ticks) in [
        ("before its first tick", 1, 0),
        ("in motion", 1, 30),
        ("in falls", 28, 40),
        ("with a pool", 6, 120),
    ] {
        let before = MEMORY.current_usage();
        let mut world = world(springs);
        world.run(ticks);
        check(story, before, world.memory_bytes());
    }
    shafts_in_slices();
    rough_lake_in_slices();
    for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
        let before = MEMORY.current_usage();
        let mut world = ground(sweep);
        (0..3).for_each(|_| _ = world.step());
        check(&format!("{sweep:?}"), before, world.memory_bytes());
    }
}
