//! What the samples of all languages do, by the Rust API: they reach the same hash.

use floodplain::blast::{self, BlastWorld, Probe};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::water::{self, Voxel, WaterWorld};
use floodplain::world::{ChunkContent, MaterialId, Palette, World};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Region, Sheet};

fn at(x: i32, y: i32, z: i32) -> IVec3 {
    IVec3::new(x, y, z)
}

fn water() -> u64 {
    let mut world = WaterWorld::new(7, water::Rules::lossless()).unwrap();
    let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|index| match index / 256 {
        0 => Voxel::SOLID,
        1 if index % 5 == 0 => Voxel::from_word(3).unwrap(),
        _ => Voxel::OPEN,
    });
    world.insert_chunk(ChunkPos::ZERO, Chunk::from_cells(&cells)).unwrap();
    world.insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_solid(Region::new(at(16, 0, 0), at(31, 0, 15))).unwrap();
    world.add_source(at(8, 4, 8)).unwrap();
    world.pour(at(20, 5, 8), 7).unwrap();
    world.queue(water::Edit::SetSolid(at(5, 1, 8)));
    world.run(20);
    world.pour(at(3, 9, 3), 7).unwrap();
    let records = world.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    world.run(3);
    world.insert_records(records).unwrap();
    world.run(7);
    world.state_hash()
}

fn materials() -> u64 {
    let mut world = World::new(5, Palette::natural(), Default::default()).unwrap();
    let ground =
        ChunkContent::from_fn(ChunkPos::ZERO, |cell| MaterialId(if cell.y < 8 { 2 } else { 0 }));
    world.insert_chunk(ChunkPos::ZERO, ground).unwrap();
    world.rain(at(8, 15, 8), 40).unwrap();
    world.charge(at(4, 8, 4), 2.0, 500.0).unwrap();
    world.run(40);
    world.state_hash()
}

fn humidity() -> u64 {
    let mut world = HumidityWorld::<Sheet>::new(Default::default()).unwrap();
    let loam = Chunk::uniform(humidity::Cell::soil(0.0, 2.0));
    world.insert_chunk(ChunkPos::ZERO, loam).unwrap();
    world.set_rain(at(30, 63, 0), 1000.0).unwrap();
    world.set_rock(at(30, 60, 0)).unwrap();
    world.run(50);
    world.state_hash()
}

fn blast() -> u64 {
    let rules = blast::Rules { threshold: 0.01, ..blast::Rules::wave(0.125, 0.75) };
    let mut world = BlastWorld::<Cube>::new(rules).unwrap();
    world.set_wall(at(4, 0, 0), 2.0).unwrap();
    world.set_pressure(IVec3::ZERO, 3000.0).unwrap();
    let mut probes = [Probe::new(at(3, 2, 0), 0.5).unwrap()];
    world.run_probed(20, &mut probes);
    assert!(probes[0].impulse().length() > 0.0);
    assert_eq!(world.take_events().len(), 1);
    world.state_hash()
}

#[test]
fn the_samples_reach_the_hash_of_the_rust_api() {
    let hash = water() ^ materials() ^ humidity() ^ blast();
    let line = format!("floodplain: state hash {hash:016x}\n");
    assert_eq!(line, include_str!("../samples/expected.txt"));
}
