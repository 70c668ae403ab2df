//! Water that comes to stand, or stands before a spring flows through it: heaps, a lake that a
//! generator makes full, and a U of two shafts.

use crate::panels::{Axis, Panel};
use crate::picture::{self, Pixels, Shade};
use crate::{TICKS_SHOWN, open_world};
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;
use floodplain::{Face, Region};
use std::error::Error;

/// The numbers of an axis are those of the borders of chunks.
const CHUNK: i32 = 16;

/// Where heaps are put down, by the x and z of their middles: in the middle of a chunk, on a
/// border, and near a corner.
const HEAPS: [[i32; 2]; 3] = [[56, 55], [48, 56], [61, 50]];
/// Cells from the middle of a heap to its sides, and shown around it.
const HALF: i32 = 2;
const SHOWN: i32 = 20;

/// Three heaps of 5×3×5 full cells on a flat floor, at rest.
pub fn heaps() -> Result<Vec<Panel>, Box<dyn Error>> {
    HEAPS.into_iter().map(|[x, z]| heap(IVec3::new(x, 0, z))).collect()
}

fn heap(middle: IVec3) -> Result<Panel, Box<dyn Error>> {
    const SCALE: usize = 7;
    let mut world = open_world(IVec3::new(111, 15, 111), &[], |_| true)?;
    let base = IVec3::new(HALF, 0, HALF);
    world.fill_water(Region::new(middle - base, middle + base + IVec3::new(0, 2, 0)), 7)?;
    run_to_rest(&mut world);
    let around = IVec3::new(SHOWN, 0, SHOWN);
    let shown = Region::new(middle - around, middle + around);
    let still = vec![Default::default(); shown.positions().count()];
    let mut pixels = picture::above(&world, shown, &still, Shade::Height, SCALE);
    pixels.frame((SHOWN - HALF) as usize * SCALE, (2 * HALF + 1) as usize * SCALE);
    let floor = Region::new(IVec3::ZERO, world.bounds().max().with_y(0));
    let (away, units) = floor.positions().fold((IVec3::ZERO, 0), |(away, units), cell| {
        let here = i32::from(world.units(cell));
        (away + here * (cell - middle), units + here)
    });
    let off = away.as_dvec3().length() / f64::from(units);
    let title = format!("heap at {}, {}: centre off by {off:.2} cells", middle.x, middle.z);
    Ok(from_above(title, pixels, shown, SCALE))
}

/// Runs until nothing moves, but at most 4,000 ticks.
fn run_to_rest(world: &mut WaterWorld) {
    while !world.is_at_rest() && world.ticks() < 4_000 {
        world.step();
    }
}

fn from_above(title: String, pixels: Pixels, shown: Region, scale: usize) -> Panel {
    let axis = |first| Axis { first, step: 1, every: CHUNK };
    let (across, down) = (axis(shown.min().x), axis(shown.min().z));
    Panel { title, pixels, scale, across, down }
}

/// A lake of 12×3×12 cells with two springs in its surface and an outflow one cell wide and 60
/// long, dry at first and full at first, long after.
pub fn lakes() -> Result<Vec<Panel>, Box<dyn Error>> {
    [("dry", 0), ("full", 7)].map(|(name, height)| lake(name, height)).into_iter().collect()
}

fn lake(name: &str, height: u8) -> Result<Panel, Box<dyn Error>> {
    const SCALE: usize = 10;
    const SURFACE: i32 = 3;
    let max = IVec3::new(75, 4, 13);
    let is_lake = |cell: IVec3| (1..=12).contains(&cell.x) && (1..=12).contains(&cell.z);
    let is_outflow = |cell: IVec3| cell.x > 12 && cell.z == 6 && cell.y == SURFACE;
    let is_open = |cell: IVec3| is_lake(cell) && cell.y > 0 || is_outflow(cell);
    let mut world = open_world(max, &[Face::East], is_open)?;
    for cell in world.bounds().positions() {
        if is_open(cell) && cell.y <= SURFACE {
            world.fill_water(Region::cell(cell), height)?;
        }
    }
    for z in [3, 9] {
        world.add_source(IVec3::new(1, SURFACE, z))?;
    }
    world.run(4_000);
    let shown = Region::new(IVec3::new(0, SURFACE, 0), IVec3::new(max.x, SURFACE, max.z));
    let drained = world.ledger().drained;
    let flows = picture::flows(&mut world, shown, TICKS_SHOWN);
    let leaves = (world.ledger().drained - drained) as f64 / f64::from(TICKS_SHOWN);
    let pixels = picture::above(&world, shown, &flows, Shade::Source, SCALE);
    let title = format!("{name} at first: {leaves:.1} of 7 units a tick leave in the east");
    Ok(from_above(title, pixels, shown, SCALE))
}

/// The ticks at which the U is shown.
const MOMENTS: [u64; 4] = [60, 120, 180, 300];

/// Two shafts, joined by a gap one cell high and two wide at their floor; a spring in the western
/// one. From the south, through the spring; the units are those over a cell of the floor.
pub fn u_tube() -> Result<Vec<Panel>, Box<dyn Error>> {
    const SCALE: usize = 16;
    let max = IVec3::new(21, 10, 5);
    let is_open = |cell: IVec3| {
        let is_inside = cell.x > 0 && cell.x < max.x && cell.z > 0 && cell.z < max.z && cell.y > 0;
        let is_wall = (9..=10).contains(&cell.x);
        is_inside && (!is_wall || cell.y == 1 && cell.z <= 2)
    };
    let mut world = open_world(max, &[], is_open)?;
    world.add_source(IVec3::new(2, 7, 2))?;
    let shown = Region::new(IVec3::new(0, 0, 2), max.with_z(2));
    let panel = |tick| {
        world.run(tick - world.ticks());
        let [west, east] = [(1, 8), (11, 20)].map(|(from, to)| mean_column(&world, from..=to));
        let pixels = picture::side(&world, shown, SCALE);
        Panel {
            title: format!("tick {tick}: {west:.0} units in the west, {east:.0} in the east"),
            pixels,
            scale: SCALE,
            across: Axis { first: 0, step: 1, every: 4 },
            down: Axis { first: max.y, step: -1, every: 2 },
        }
    };
    Ok(MOMENTS.into_iter().map(panel).collect())
}

/// Returns the units over a cell of the floor, in the mean of these columns.
fn mean_column(world: &WaterWorld, columns: std::ops::RangeInclusive<i32>) -> f64 {
    let low = IVec3::new(*columns.start(), 1, 1);
    let high = IVec3::new(*columns.end(), world.bounds().max().y, 4);
    let cells = Region::new(low, high).positions();
    let units: u32 = cells.map(|cell| u32::from(world.units(cell))).sum();
    f64::from(units) / f64::from(4 * (high.x - low.x + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_of_a_picture_are_as_large_as_each_other_and_show_what_they_name() {
        for (panels, words) in
            [(heaps(), "centre off"), (lakes(), "of 7 units"), (u_tube(), "in the east")]
        {
            let panels = panels.unwrap();
            let size = |panel: &Panel| (panel.pixels.width, panel.pixels.height);
            assert!(panels.iter().all(|panel| size(panel) == size(&panels[0])));
            assert!(panels.iter().all(|panel| panel.title.contains(words)));
        }
    }
}
