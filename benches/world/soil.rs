//! Twenty million awake cells of soil under a film of water: how far calls of `step_for` go beyond
//! their budget, and what preparing a save takes on the thread of the game.

use crate::stopwatch::Stopwatch;
use criterion::Criterion;
use floodplain::glam::IVec3;
use floodplain::humidity::UNITS;
use floodplain::save_file::SaveFile;
use floodplain::water::{self, Voxel, WaterCell};
use floodplain::world::{ChunkContent, Palette, Rules, World};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Region};
use redb::backends::InMemoryBackend;
use std::time::Duration;

/// Chunks of soil along each axis, with one layer of air above.
const SIZE: IVec3 = IVec3::new(25, 8, 25);

/// Ticks with each budget, and saves.
const TICKS: u64 = 4;

/// Soil of random moisture under water.
fn moist() -> World {
    let palette = Palette::natural();
    let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    let rules = Rules { water: water::Rules::lossless(), soil_period: 1, ..Rules::default() };
    let mut world = World::new(7, palette, rules).expect("rules in range");
    let mut random = fastrand::Rng::with_seed(3);
    let mut water = Chunk::uniform(Voxel::OPEN);
    let full = WaterCell::with_height(7).expect("0 to 7").into();
    (0..256).for_each(|index| _ = water.set(index, full));
    let contents = Region::new(IVec3::ZERO, SIZE.with_y(SIZE.y + 1) - 1).positions().map(|chunk| {
        let chunk = ChunkPos::from(chunk);
        let is_air = chunk.y == SIZE.y;
        let mut content = ChunkContent::from(Chunk::uniform(if is_air { air } else { soil }));
        if is_air {
            content.water = Some(water.clone());
        } else {
            let cells: [u32; CHUNK_CELLS] = core::array::from_fn(|_| random.u32(..60) * UNITS);
            content.moisture = Some(Chunk::from_cells(&cells));
        }
        (chunk, content)
    });
    world.insert_chunks(contents.collect::<Vec<_>>()).expect("none is there");
    world.run(2);
    world
}

/// See the top of this file.
pub fn soil(_: &mut Criterion) {
    let mut world = moist();
    println!("soil: {} awake cells", world.soil().awake_cells());
    for budget in [200, 1000].map(Duration::from_micros) {
        let (mut calls, mut longest) = (0, Duration::ZERO);
        for _ in 0..TICKS {
            loop {
                let stopwatch = Stopwatch::start();
                let progress = world.step_for(budget);
                longest = longest.max(stopwatch.stop());
                calls += 1;
                if progress.finished {
                    break;
                }
            }
        }
        let beyond = longest.saturating_sub(budget);
        println!("soil/step_for({budget:?}): {calls} calls, {beyond:.2?} beyond at most");
    }
    let mut file = SaveFile::create_on(InMemoryBackend::new(), &world).expect("memory");
    let mut stream = file.stream();
    for _ in 0..TICKS {
        world.step();
        let stopwatch = Stopwatch::start();
        let job = stream.prepare(&mut world);
        println!("soil/prepare: {} chunks in {:.2?}", job.chunks(), stopwatch.stop());
        world.step();
        file.commit(job).expect("memory");
    }
}
