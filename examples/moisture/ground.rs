//! The ground: sand above and below loam, a lens of clay, boulders, and rain all along the surface.

use floodplain::glam::IVec3;
use floodplain::humidity::{Border, Cell, HumidityWorld, Rules};
use floodplain::{Chunk, Face, Region, Shape, Sheet};

pub const WIDTH: i32 = 240;
pub const HEIGHT: i32 = 120;

/// Impermeabilities.
pub const SAND: f32 = 0.5;
pub const LOAM: f32 = 2.0;
pub const CLAY: f32 = 40.0;

/// Centre and radius of each boulder, in cells.
const BOULDERS: [(i32, i32, i32); 6] =
    [(40, 92, 11), (88, 74, 16), (126, 98, 8), (170, 84, 13), (208, 60, 10), (60, 40, 9)];

pub fn region() -> Region {
    Region::new(IVec3::ZERO, IVec3::new(WIDTH - 1, HEIGHT - 1, 0))
}

/// The cell at a position; the top row is rain.
fn cell(at: IVec3) -> Cell {
    let (x, y) = (at.x, at.y);
    let wave = |length: f64, size: f64| (f64::from(x) / length).sin() * size;
    if y == HEIGHT - 1 {
        return Cell::rain(1000.0, SAND);
    }
    if BOULDERS
        .iter()
        .any(|&(cx, cy, radius)| (x - cx).pow(2) + (y - cy).pow(2) < radius * (radius + 1))
    {
        return Cell::ROCK;
    }
    let height = f64::from(y);
    // A lens of clay, thick in the middle.
    let lens = 1.0 - ((f64::from(x) - 165.0) / 62.0).powi(2);
    if lens > 0.0 && (height - 34.0).abs() < 9.0 * lens.sqrt() {
        return Cell::soil(0.0, CLAY);
    }
    let sand =
        height > 100.0 + wave(19.0, 4.0) || (14.0..34.0).contains(&(height - wave(31.0, 6.0)));
    Cell::soil(0.0, if sand { SAND } else { LOAM })
}

/// The world: walls on all sides except the floor, which drains.
pub fn world() -> Result<HumidityWorld, Box<dyn std::error::Error>> {
    let rules = Rules { coefficient: 1.0 / 16.0, ..Rules::default() };
    let mut world =
        HumidityWorld::with_bounds(rules.with_border(Face::Down, Border::Drain), region())?;
    for chunk in Sheet::chunks_of(region()) {
        let mut cells = Chunk::uniform(Cell::ROCK);
        for (index, to) in cells.cells_mut().iter_mut().enumerate() {
            *to = cell(Sheet::cell_at(chunk, index));
        }
        world.insert_chunk(chunk, cells)?;
    }
    Ok(world)
}
