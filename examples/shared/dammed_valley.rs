//! A valley that falls towards the east, with a lake behind a dam.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, Cube, Face, Region, Shape};
use std::error::Error;

/// Cells from west to east, and from the valley's bed to its ridges in the south and north.
pub const LENGTH: i32 = 160;
const WIDTH: i32 = 48;
const HEIGHT: i32 = 48;

/// How far from its western end the valley begins, and how high its ridges are.
const HEAD: i32 = 12;
const RIDGE: i32 = 40;

/// Where the dam stands, how thick it is, and how high its lake.
const DAM: i32 = 40;
const THICKNESS: i32 = 3;
const LAKE: i32 = 34;

/// The gap that is blown into the dam: all that stands above the valley's bed, in its middle.
pub fn gap() -> Region {
    let (bed, middle) = (ground(DAM, WIDTH / 2), WIDTH / 2);
    let low = IVec3::new(DAM, bed, middle - 3);
    Region::new(low, IVec3::new(DAM + THICKNESS - 1, LAKE + 2, middle + 3))
}

/// Returns the lowest open height of a column without a dam.
pub fn ground(x: i32, z: i32) -> i32 {
    let slope = (LENGTH - x) / 10;
    let bank = (z - WIDTH / 2).abs();
    let head = (HEAD - x).max(0);
    (6 + slope + (bank * bank + 4 * head * head) / 16).min(RIDGE)
}

fn voxel(cell: IVec3) -> Voxel {
    let IVec3 { x, y, z } = cell;
    let is_dam = (DAM..DAM + THICKNESS).contains(&x) && y <= LAKE + 2;
    if y < ground(x, z) || is_dam {
        Voxel::SOLID
    } else if x < DAM && y <= LAKE {
        Voxel::water(WaterCell::STILL)
    } else {
        Voxel::OPEN
    }
}

/// Returns the world. Water that reaches its eastern end leaves it.
///
/// # Errors
/// None, unless this file is wrong.
pub fn world() -> Result<WaterWorld, Box<dyn Error + Send + Sync>> {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(LENGTH, HEIGHT, WIDTH) - 1);
    let mut edges = Edges::WALLS;
    edges.outer[Face::East.index()] = Edge::Drain;
    let mut world = WaterWorld::with_bounds(7, Rules { edges, ..Rules::lossless() }, bounds)?;
    let chunks = Cube::chunks_of(Region::new(IVec3::ZERO, bounds.max()));
    world.insert_chunks(chunks.map(|position| {
        let cells = core::array::from_fn::<_, CHUNK_CELLS, _>(|index| {
            voxel(Cube::cell_at(position, index))
        });
        (position, Chunk::from_cells(&cells))
    }))?;
    Ok(world)
}
