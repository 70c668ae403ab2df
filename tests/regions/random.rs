//! Random worlds over regions, and random edits of them.

use crate::scenes::world;
use fastrand::Rng;
use floodplain::regions::RegionWorld;
use floodplain::water::{Edge, Edges, Edit, Fixture, Rules, Voxel, WaterCell};
use floodplain::{Chunk, Cube, Region, Shape};
use glam::IVec3;

/// The size of random worlds: regions of 16 and 32 cells have borders along both axes.
const SIZE: IVec3 = IVec3::new(48, 16, 32);

/// Returns a cell that is often near a border.
fn cell(rng: &mut Rng) -> IVec3 {
    let near = |rng: &mut Rng, most: i32| match rng.bool() {
        true => rng.i32(0..most),
        false => (16 * rng.i32(0..=most / 16) + rng.i32(-2..2)).clamp(0, most - 1),
    };
    IVec3::new(near(rng, SIZE.x), rng.i32(0..SIZE.y), near(rng, SIZE.z))
}

/// Returns a random world, with hills and caves, water, springs, and edges of all kinds, and the
/// side of its regions.
pub fn random_world(seed: u64) -> (RegionWorld, i32) {
    let mut rng = Rng::with_seed(seed);
    let edge = |rng: &mut Rng| {
        [Edge::Wall, Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(3)][rng.usize(..5)]
    };
    let outer = [0; 6].map(|_| edge(&mut rng));
    let base = if rng.bool() { Rules::lossless() } else { Rules::desert() };
    let rules = Rules { edges: Edges { outer, unloaded: edge(&mut rng) }, ..base };
    let (ground, wetness) = (rng.i32(1..6), rng.u8(..4));
    let cells: Vec<u8> = (0..SIZE.element_product()).map(|_| rng.u8(..16)).collect();
    let side = if rng.bool() { 16 } else { 32 };
    let mut world = world(seed, rules, side, SIZE, |cell| {
        let random = cells[(cell.x + SIZE.x * (cell.y + SIZE.y * cell.z)) as usize];
        let is_ground = cell.y < (ground + (cell.x / 5 + cell.z / 7) % 3);
        match random {
            0 => Voxel::SOLID,
            1..=13 if is_ground => Voxel::SOLID,
            _ if random < 4 * wetness && cell.y < 9 => {
                Voxel::water(WaterCell::with_height(random % 8).unwrap())
            }
            _ => Voxel::OPEN,
        }
    });
    for _ in 0..rng.u8(..5) {
        _ = world.apply(Edit::AddSource(cell(&mut rng)));
    }
    (world, side)
}

/// Returns a random edit.
pub fn random_edit(rng: &mut Rng) -> Edit {
    random_edit_at(rng).1
}

/// Returns a random edit, and one of its cells.
pub fn random_edit_at(rng: &mut Rng) -> (IVec3, Edit) {
    let at = cell(rng);
    let reach = IVec3::new(rng.i32(0..3), rng.i32(0..3), rng.i32(0..3));
    let region = Region::new(at, (at + reach).min(SIZE - 1));
    let edit = match rng.u8(..18) {
        0 => Edit::SetSolid(at),
        1 => Edit::ClearSolid(at),
        2 => Edit::AddSource(at),
        3 => Edit::RemoveSource(at),
        4 | 5 => Edit::Pour { cell: at, units: rng.u32(..9) },
        6 => Edit::Scoop { cell: at, units: rng.u32(..9) },
        7 => Edit::FillWater { region, height: rng.u8(..8) },
        8 => Edit::FillSolid(region),
        9 => Edit::SetSea(at),
        10 => Edit::ClearSea(at),
        11 => Edit::FillBody { cell: at, units: rng.u32(..200) },
        12 => Edit::DrainBody { cell: at, units: rng.u32(..200) },
        13 => Edit::RemoveChunk(Cube::chunk_of(at)),
        14 => Edit::InsertChunk {
            position: Cube::chunk_of(at),
            chunk: Chunk::uniform(if rng.bool() { Voxel::OPEN } else { Voxel::SOLID }),
        },
        15 => Edit::SetRules(Rules { throughput: rng.u8(3..=7), ..Rules::lossless() }),
        16 => Edit::FillSea(region),
        _ => Edit::SetFixture { cell: at, fixture: Some(Fixture::Drain(rng.u8(1..8))) },
    };
    (at, edit)
}
