//! How water looks: from above bluer the higher it stands or the more of it flows, with a streak
//! along the current; from the side with the level in each cell. Hairlines are the borders of
//! chunks.

use floodplain::Region;
use floodplain::glam::{DVec2, IVec3};
use floodplain::water::WaterWorld;

const GROUND: [u8; 3] = [92, 80, 70];
const DRY: [u8; 3] = [233, 224, 200];
const SPRING: [u8; 3] = [255, 255, 255];
const STREAK: [u8; 3] = [8, 24, 70];
/// The colours of the palest and the deepest water, and of water without a spring, if it has one.
const WATER: [[f64; 3]; 2] = [[190.0, 220.0, 240.0], [10.0, 70.0, 160.0]];
const UNFED: [[f64; 3]; 2] = [[236.0, 200.0, 226.0], [178.0, 60.0, 140.0]];

/// Units of a full cell, and the most that a cell passes on in a tick.
const FULL: f64 = 7.0;

/// What makes water bluer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Height,
    Flow,
    /// The height; water that no spring feeds is red instead. With streaks.
    Source,
}

/// A picture, row by row from the top.
pub struct Pixels {
    pub colours: Vec<[u8; 3]>,
    pub width: usize,
    pub height: usize,
}

impl Pixels {
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Pixels {
        Pixels { colours: vec![colour; width * height], width, height }
    }

    pub fn set(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        self.colours[y * self.width + x] = colour;
    }

    /// Draws the outline of a square on the diagonal of the picture.
    pub fn frame(&mut self, corner: usize, side: usize) {
        let end = corner + side - 1;
        for at in corner..=end {
            for (x, y) in [(at, corner), (at, end), (corner, at), (end, at)] {
                self.set(x, y, STREAK);
            }
        }
    }

    /// Draws the borders of chunks. The upper left cell is so far east and south.
    fn draw_grid(&mut self, (east, south): (i32, i32), scale: usize) {
        let is_border = |first: i32, at: usize| {
            (first + (at / scale) as i32) & 15 == 0 && at.is_multiple_of(scale)
        };
        for (y, row) in self.colours.chunks_exact_mut(self.width).enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                if is_border(east, x) || is_border(south, y) {
                    *pixel = pixel.map(|part| part - part / 8);
                }
            }
        }
    }
}

/// Runs so many ticks; returns the mean current of each cell, in units a tick along x and z.
pub fn flows(world: &mut WaterWorld, cells: Region, ticks: u32) -> Vec<DVec2> {
    let mut flows = vec![DVec2::ZERO; cells.positions().count()];
    for _ in 0..ticks {
        world.step();
        for (flow, cell) in flows.iter_mut().zip(cells.positions()) {
            let current = world.current(cell).as_dvec3();
            *flow += DVec2::new(current.x, current.z) / f64::from(ticks);
        }
    }
    flows
}

/// Draws a layer of cells from above, north up.
pub fn above(
    world: &WaterWorld,
    layer: Region,
    flows: &[DVec2],
    shade: Shade,
    scale: usize,
) -> Pixels {
    let (min, size) = (layer.min(), (layer.max() - layer.min() + 1).as_usizevec3());
    let mut pixels = Pixels::new(size.x * scale, size.z * scale, DRY);
    let corner = |cell: IVec3| {
        let at = (cell - min).as_usizevec3() * scale;
        (at.x, at.z)
    };
    for (cell, &flow) in layer.positions().zip(flows) {
        let (left, top) = corner(cell);
        let water = colour(world, cell, flow, shade);
        for (x, y) in (0..scale).flat_map(|y| (0..scale).map(move |x| (x, y))) {
            pixels.set(left + x, top + y, water);
        }
    }
    pixels.draw_grid((min.x, min.z), scale);
    for (cell, &flow) in layer.positions().zip(flows) {
        let (left, top) = corner(cell);
        if world.cell(cell).is_some_and(|cell| cell.is_source()) {
            let middle = scale / 4..scale - scale / 4;
            for (x, y) in middle.clone().flat_map(|y| middle.clone().map(move |x| (x, y))) {
                pixels.set(left + x, top + y, SPRING);
            }
        } else if shade != Shade::Height {
            for along in streak(flow, scale) {
                let at = |along: f64| (scale as f64 / 2.0 + along) as usize;
                pixels.set(left + at(along.x), top + at(along.y), STREAK);
            }
        }
    }
    pixels
}

fn colour(world: &WaterWorld, cell: IVec3, flow: DVec2, shade: Shade) -> [u8; 3] {
    if world.is_solid(cell) {
        return GROUND;
    }
    let height = f64::from(world.units(cell));
    if height == 0.0 {
        return DRY;
    }
    let share = match shade {
        Shade::Height | Shade::Source => height,
        Shade::Flow => flow.length(),
    } / FULL;
    let is_fed = world.cell(cell).is_some_and(|cell| cell.is_source() || cell.has_source());
    let [pale, deep] = if shade == Shade::Source && !is_fed { UNFED } else { WATER };
    std::array::from_fn(|part| (pale[part] + (deep[part] - pale[part]) * share.min(1.0)) as u8)
}

/// The points of a streak along the flow, from the middle of a cell: at most seven tenths of the
/// cell long, if the flow is the most that a cell passes on.
fn streak(flow: DVec2, scale: usize) -> impl Iterator<Item = DVec2> {
    let steps = (flow.length() / FULL * scale as f64 * 0.7).round() as i32;
    let along = flow.normalize_or_zero();
    (0..steps).map(move |step| along * f64::from(2 * step - steps) / 2.0)
}

/// Draws a slice of cells, all with the same z, from the south: each cell is water up to its level.
pub fn side(world: &WaterWorld, slice: Region, scale: usize) -> Pixels {
    let (min, max) = (slice.min(), slice.max());
    let size = (max - min + 1).as_usizevec3();
    let mut pixels = Pixels::new(size.x * scale, size.y * scale, DRY);
    for cell in slice.positions() {
        let (left, top) = ((cell.x - min.x) as usize * scale, (max.y - cell.y) as usize * scale);
        let is_spring = world.cell(cell).is_some_and(|cell| cell.is_source());
        let level = usize::from(world.units(cell)) * scale / FULL as usize;
        for (x, y) in (0..scale).flat_map(|y| (0..scale).map(move |x| (x, y))) {
            let middle = scale / 4..scale - scale / 4;
            let colour = match () {
                () if world.is_solid(cell) => GROUND,
                () if is_spring && middle.contains(&x) && middle.contains(&y) => SPRING,
                () if y >= scale - level => WATER[1].map(|part| part as u8),
                () => continue,
            };
            pixels.set(left + x, top + y, colour);
        }
    }
    pixels
}
