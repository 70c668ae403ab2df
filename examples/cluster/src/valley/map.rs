//! The picture of the valley: its water, and beside it the rank that owns each region and the
//! number of its awake cells.

use super::scene::{HEIGHT, SIDE, Valley};
use crate::faults::Fault;
use crate::picture::{Canvas, OWNERS, heat};
use crate::wire::Reader;
use floodplain::glam::{IVec2, IVec3};
use floodplain::regions::RegionWorld;

/// Pixels of a cell.
const PIXELS: usize = 4;

/// Returns the regions here as bytes: where each is, its awake cells, and the units over each
/// column of its cells.
pub fn maps_of(valley: Valley, world: &RegionWorld) -> Vec<u8> {
    let mut out = Vec::new();
    for region in world.regions() {
        let first = region * SIDE;
        let Some(water) = world.region_of(IVec3::new(first.x, 0, first.y)) else { continue };
        out.extend((region.x as u32).to_le_bytes());
        out.extend((region.y as u32).to_le_bytes());
        out.extend((water.awake_cells() as u32).to_le_bytes());
        for at in 0..SIDE * SIDE {
            let (x, z) = (first.x + at % SIDE, first.y + at / SIDE);
            let over = valley.ground(x, z) + 1..16 * HEIGHT;
            let units: u32 = over.map(|y| u32::from(water.units(IVec3::new(x, y, z)))).sum();
            out.extend(units.to_le_bytes());
        }
    }
    out
}

/// Draws the valley with its water, and beside it the owner and the awake cells of each region.
pub fn draw(valley: Valley, maps: &[Vec<u8>]) -> Result<Canvas, Fault> {
    let wide = PIXELS * valley.cells() as usize;
    let block = PIXELS * SIDE as usize / 2;
    let beside = block * valley.regions() as usize;
    let mut canvas = Canvas::new(wide + beside + 24, wide.max(2 * beside + 24));
    for (rank, bytes) in maps.iter().enumerate() {
        let mut from = Reader(bytes);
        while !from.0.is_empty() {
            let region = IVec2::new(from.u32()? as i32, from.u32()? as i32);
            let load = from.u32()?;
            let at = |down: usize| {
                (wide + 12 + block * region.x as usize, down + block * region.y as usize)
            };
            canvas.fill(at(0), (block - 1, block - 1), OWNERS[rank % OWNERS.len()]);
            canvas.fill(at(beside + 12), (block - 1, block - 1), heat(load.into(), 4096));
            for at in 0..SIDE * SIDE {
                let units = from.u32()?;
                let cell = region * SIDE + IVec2::new(at % SIDE, at / SIDE);
                if cell.x < valley.cells() && cell.y < valley.cells() {
                    let pixel = (PIXELS * cell.x as usize, PIXELS * cell.y as usize);
                    canvas.fill(pixel, (PIXELS, PIXELS), ink(valley, cell, units));
                }
            }
        }
    }
    Ok(canvas)
}

/// Returns brown ground, lighter the higher, or blue water, darker the deeper.
fn ink(valley: Valley, cell: IVec2, units: u32) -> [u8; 3] {
    let light = (60 + 4 * valley.ground(cell.x, cell.y)).min(230) as u8;
    match units {
        0 => [light, light - light / 6, light / 2],
        _ => [60, 170_u32.saturating_sub(2 * units) as u8, 255_u32.saturating_sub(units) as u8],
    }
}
