//! Memory beside water that never rests.

use super::plan::at;
use floodplain::Chunk;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};

/// Four bytes were kept for each wet chunk that was ever loaded, as long as water moved somewhere:
/// a list of what was new was emptied only in a world at rest. 4,000 more loads must hold no more.
#[test]
fn loads_and_unloads_beside_water_that_never_rests_take_no_memory() {
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    let mut stream = Chunk::uniform(Voxel::OPEN);
    let water = Voxel::water(WaterCell::with_height(3).unwrap());
    (0..16).for_each(|cell| _ = stream.set(cell, water));
    let mut rests = 0;
    let mut load = |world: &mut WaterWorld, x: i32| {
        world.insert_chunk((at(x % 1_000, 0, 0)).into(), stream.clone()).unwrap();
        world.step();
        world.take_changes();
        rests += u64::from(world.is_at_rest());
        if x >= 1 {
            world.remove_chunk((at((x - 1) % 1_000, 0, 0)).into()).unwrap();
        }
    };
    (0..3_000).for_each(|x| load(&mut world, x));
    let before = world.memory_bytes();
    (3_000..7_000).for_each(|x| load(&mut world, x));
    let after = world.memory_bytes();
    assert_eq!(rests, 0, "ticks at rest");
    println!("{before} bytes after 3,000 loads, {after} after 7,000");
    assert!(after <= before + before / 50, "{before} bytes, then {after}");
}
