//! What a world of water says that it holds is what it holds, by the allocator's count.

use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Region};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A walled floor of 6×6 columns of chunks, two chunks high, with springs at this height.
fn world(springs: i32) -> WaterWorld {
    let mut world = WaterWorld::new(5, Rules::lossless()).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(5, 1, 5)).positions();
    world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(95, 0, 95))).unwrap();
    for spring in Region::new(IVec3::ZERO, IVec3::new(11, 0, 11)).positions() {
        world.add_source(IVec3::new(8 * spring.x + 4, springs, 8 * spring.z + 4)).unwrap();
    }
    world
}

/// Within a twentieth. What a tick works with was left out in part: a tenth of a world in motion.
#[test]
fn a_world_of_water_holds_what_it_says() {
    for (story, springs, ticks) in
        [("before its first tick", 1, 0), ("in motion", 1, 30), ("in falls", 28, 40), ("with a pool", 6, 120)]
    {
        let before = MEMORY.current_usage();
        let mut world = world(springs);
        world.run(ticks);
        let (held, said) = (MEMORY.current_usage() - before, world.memory_bytes());
        println!("{story}: {held} bytes held, {said} said");
        assert!(said.abs_diff(held) * 20 <= held, "{story}: {held} bytes held, {said} said");
        drop(world);
    }
}
