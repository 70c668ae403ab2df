//! How a layer of water looks from above: bluer the higher it stands or the more of it flows, with
//! a streak along the current. Hairlines are the borders of chunks.

use crate::png_file;
use floodplain::glam::{DVec2, IVec3};
use floodplain::water::WaterWorld;
use std::path::Path;

const GROUND: [u8; 3] = [92, 80, 70];
const DRY: [u8; 3] = [233, 224, 200];
const SPRING: [u8; 3] = [255, 255, 255];
const STREAK: [u8; 3] = [8, 24, 70];
/// The palest and the deepest water.
const WATER: [[f64; 3]; 2] = [[190.0, 220.0, 240.0], [10.0, 70.0, 160.0]];

/// Units of a full cell, and the most that a cell passes on in a tick.
const FULL: f64 = 7.0;

/// What makes water bluer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Height,
    Flow,
}

/// Runs so many ticks; returns the mean current of each cell, in units a tick along x and z.
pub fn flows(world: &mut WaterWorld, ticks: u32) -> Vec<DVec2> {
    let bounds = world.bounds();
    let mut flows = vec![DVec2::ZERO; bounds.positions().count()];
    for _ in 0..ticks {
        world.step();
        for (flow, cell) in flows.iter_mut().zip(bounds.positions()) {
            let current = world.current(cell).as_dvec3();
            *flow += DVec2::new(current.x, current.z) / f64::from(ticks);
        }
    }
    flows
}

/// Writes the picture of a world of one layer, north up, as a PNG.
pub fn save(
    path: &Path,
    world: &WaterWorld,
    flows: &[DVec2],
    shade: Shade,
    scale: usize,
) -> Result<(), String> {
    let (min, max) = (world.bounds().min(), world.bounds().max());
    let width = (max.x - min.x + 1) as usize * scale;
    let height = (max.z - min.z + 1) as usize * scale;
    let mut pixels = vec![[0; 3]; width * height];
    for (cell, &flow) in world.bounds().positions().zip(flows) {
        let (left, top) = ((cell.x - min.x) as usize * scale, (cell.z - min.z) as usize * scale);
        let water = colour(world, cell, flow, shade);
        let is_spring = world.cell(cell).is_some_and(|cell| cell.is_source());
        for (x, y) in (0..scale).flat_map(|y| (0..scale).map(move |x| (x, y))) {
            let is_middle = |along: usize| (scale / 4..scale - scale / 4).contains(&along);
            let is_border = cell.x & 15 == 0 && x == 0 || cell.z & 15 == 0 && y == 0;
            pixels[(top + y) * width + left + x] = match is_border {
                _ if is_spring && is_middle(x) && is_middle(y) => SPRING,
                true => water.map(|part| part - part / 8),
                false => water,
            };
        }
        if shade == Shade::Flow && !is_spring {
            for along in streak(flow, scale) {
                let at = |along: f64| (scale as f64 / 2.0 + along) as usize;
                pixels[(top + at(along.y)) * width + left + at(along.x)] = STREAK;
            }
        }
    }
    png_file::save(path, pixels.as_flattened(), (width as u32, height as u32))
}

fn colour(world: &WaterWorld, cell: IVec3, flow: DVec2, shade: Shade) -> [u8; 3] {
    if world.is_solid(cell) {
        return GROUND;
    }
    let height = f64::from(world.height(cell));
    if height == 0.0 {
        return DRY;
    }
    let share = match shade {
        Shade::Height => height,
        Shade::Flow => flow.length(),
    } / FULL;
    let [pale, deep] = WATER;
    std::array::from_fn(|part| (pale[part] + (deep[part] - pale[part]) * share.min(1.0)) as u8)
}

/// The points of a streak along the flow, from the middle of a cell: at most seven tenths of the
/// cell long, if the flow is the most that a cell passes on.
fn streak(flow: DVec2, scale: usize) -> impl Iterator<Item = DVec2> {
    let steps = (flow.length() / FULL * scale as f64 * 0.7).round() as i32;
    let along = flow.normalize_or_zero();
    (0..steps).map(move |step| along * f64::from(2 * step - steps) / 2.0)
}
