//! Worlds of water: flooding floors, lakes and rivers.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, Cube, Face, Region, Shape};
use std::collections::BTreeMap;

/// Builds an open world of this region, all of it loaded.
pub fn open_world(region: Region, rules: Rules) -> WaterWorld {
    let mut world = WaterWorld::with_bounds(1, rules, region).expect("rules in range");
    for chunk in Cube::chunks_of(region) {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("inside the world");
    }
    world
}

/// Builds a walled square floor, `side` cells along each side, with a source every 8 cells along
/// both axes, `drop` cells above it.
pub fn spread_world(side: i32, drop: i32) -> WaterWorld {
    let region = Region::new(IVec3::new(0, 64 - drop, 0), IVec3::new(side - 1, 79, side - 1));
    let mut world = open_world(region, Rules::lossless());
    for z in 0..side / 8 {
        for x in 0..side / 8 {
            world.add_source(IVec3::new(4 + 8 * x, 64, 4 + 8 * z)).expect("open");
        }
    }
    world
}

/// Builds a full lake in a box of this size.
pub fn lake(size: IVec3, rules: Rules) -> WaterWorld {
    let region = Region::new(IVec3::ZERO, size - IVec3::ONE);
    let mut world = open_world(region, rules);
    world.fill_water(region, 7).expect("loaded");
    world
}

/// Builds a lake 16 deep, `side` cells along each side, with a hole in the middle of its floor.
pub fn draining_lake(side: i32) -> WaterWorld {
    let rules = Rules { edges: Edges::WALLS.with(Face::Down, Edge::Drain), ..Rules::lossless() };
    let far = side - 1;
    let mut world = open_world(Region::new(IVec3::ZERO, IVec3::new(far, 16, far)), rules);
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(far, 0, far))).expect("loaded");
    world.fill_water(Region::new(IVec3::Y, IVec3::new(far, 16, far)), 7).expect("loaded");
    world.clear_solid(IVec3::new(side / 2, 0, side / 2)).expect("loaded");
    world
}

/// Builds a river of about `length` cells in steady flow, and returns it with its exact length: a
/// channel that winds through solid ground on the floors of a tower, `side` cells to a side, from a
/// source at the top to a drain at the bottom. Its cells are full, and the parent of each is the
/// cell upstream.
pub fn river_world(length: usize, side: i32) -> (WaterWorld, usize) {
    let mut river = vec![IVec3::ZERO];
    let mut heading = (1, 1);
    let mut at = IVec3::ZERO;
    while river.len() < length {
        let next = at + IVec3::new(heading.0, 0, 0);
        if (0..side).contains(&next.x) {
            at = next;
        } else {
            heading.0 = -heading.0;
            for _ in 0..2 {
                let next = at + IVec3::new(0, 0, heading.1);
                if !(0..side).contains(&next.z) {
                    heading.1 = -heading.1;
                    river.extend([at - IVec3::Y, at - 2 * IVec3::Y]);
                    at -= 2 * IVec3::Y;
                    break;
                }
                at = next;
                river.push(at);
            }
            continue;
        }
        river.push(at);
    }
    // One more cell down, in a layer that is solid otherwise, so that only the river's end drains.
    let last = at - IVec3::Y;
    river.push(last);
    let low = river.iter().copied().reduce(IVec3::min).unwrap_or(last);
    let high = river.iter().copied().reduce(IVec3::max).unwrap_or(last);
    let bounds = Region::new(low, high);
    let edges = Edges::WALLS.with(Face::Down, Edge::Drain);
    let mut world =
        WaterWorld::with_bounds(1, Rules { edges, ..Rules::lossless() }, bounds).expect("rules");
    let mut chunks = BTreeMap::new();
    let mut write = |cell: IVec3, voxel: Voxel| {
        let chunk = Cube::chunk_of(cell);
        let cells = chunks.entry(chunk).or_insert_with(|| vec![Voxel::SOLID; CHUNK_CELLS]);
        cells[Cube::index_of(cell)] = voxel;
    };
    for (at, &cell) in river.iter().enumerate() {
        let direction =
            river[at.saturating_sub(1)..=at].windows(2).next().map(|pair| pair[1] - pair[0]);
        let face = Face::ALL.into_iter().find(|face| Some(face.offset()) == direction);
        let voxel = match face {
            None => WaterCell::SOURCE,
            Some(face) => {
                let word = 7 | (face.index() as u16 + 1) << 3 | 1 << 7 | 7 << 8 | 7 << 11;
                WaterCell::from_word(word).expect("canonical")
            }
        };
        write(cell, voxel.into());
    }
    let chunks = chunks.into_iter().map(|(chunk, cells)| {
        let cells: &[Voxel; CHUNK_CELLS] = cells.as_slice().try_into().expect("a chunk of cells");
        (chunk, Chunk::from_cells(cells))
    });
    world.insert_chunks(chunks).expect("inside");
    (world, river.len())
}
