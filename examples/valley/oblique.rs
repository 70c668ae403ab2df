//! A block of the map with its water, seen from above at an angle (dimetric projection), painted
//! from the furthest column to the nearest (painter's algorithm).

use crate::dem::Dem;
use crate::draw::{Colour, Ink, brightness, dimmed, ramp};
use crate::film::CLEAR;
use crate::ground::Ground;
use crate::view::{View, Water};
use floodplain::water::FULL;

// In pixels: half of a column's width and of its depth on the screen, the height of a voxel, the
// earth below the lowest ground, and the margin.
const HALF_WIDTH: usize = 4;
const HALF_DEPTH: f64 = 2.0;
const VOXEL: f64 = 2.25;
const BASE: f64 = 8.0;
const MARGIN: usize = 6;

// The palette: the background; every tint of ground in every shade; the earth at the block's cut
// sides; water of every depth with every amount of foam, its top and its side.
const BACKGROUND: Ink = 0;
const TINTS: [Colour; 5] =
    [[126, 160, 84], [88, 130, 72], [150, 132, 108], [240, 240, 244], [196, 190, 182]];
const SHADES: usize = 32;
const EARTH: usize = 1 + TINTS.len() * SHADES;
const WATER: usize = EARTH + 2;
const DEPTHS: usize = 8;
const FOAMS: usize = 4;
const _: () = assert!(WATER + DEPTHS * FOAMS * 2 <= CLEAR as usize);

const BACKGROUND_COLOUR: Colour = [233, 240, 245];
const EARTH_COLOUR: Colour = [150, 116, 84];
/// Still water from shallow to deep, fast water, and foam.
const WATERS: [Colour; 3] = [[120, 204, 236], [40, 140, 220], [16, 66, 160]];
const FAST: Colour = [92, 186, 240];
const FOAM: Colour = [236, 247, 252];

/// The first four tints are meadow, woods, rock and snow. The last three begin at these fractions
/// of the block's height.
const TINTS_BEGIN: [f64; 3] = [0.22, 0.55, 0.82];
const DAM: usize = 4;
const DAM_SHADE: usize = SHADES - 6;

/// Brightness of a column's top, right and left face.
const LIGHTS: [f64; 3] = [1.0, 0.72, 0.86];

/// Where the light comes from, east and south: from the left of the picture.
const LIGHT_FROM: [f64; 2] = [-0.5, 0.45];

pub fn palette() -> Vec<Colour> {
    let mut colours = vec![BACKGROUND_COLOUR];
    let light = |shade: usize| 0.30 + 0.82 * shade as f64 / (SHADES - 1) as f64;
    for tint in TINTS {
        colours.extend((0..SHADES).map(|shade| dimmed(tint, light(shade))));
    }
    colours.extend([LIGHTS[1], LIGHTS[2]].map(|light| dimmed(EARTH_COLOUR, light)));
    for depth in 0..DEPTHS {
        let still = ramp(&WATERS, depth as f64 / (DEPTHS - 1) as f64);
        for foam in 0..FOAMS {
            let colour = ramp(&[still, FAST, FOAM], foam as f64 / (FOAMS - 1) as f64);
            colours.extend([LIGHTS[0], LIGHTS[2]].map(|light| dimmed(colour, light)));
        }
    }
    colours
}

/// The ground of a column.
struct Column {
    tint: usize,
    shade: usize,
    /// Voxels above the lowest ground.
    height: i32,
}

/// The block: everything that stays the same from frame to frame.
pub struct Scene {
    width: i32,
    depth: i32,
    lowest: i32,
    highest: i32,
    columns: Vec<Column>,
}

impl Scene {
    pub fn new(dem: &Dem, ground: &Ground) -> Scene {
        let surface = |column: usize| ground.open_cell(column).y;
        let lowest = (0..ground.columns()).map(surface).min().unwrap_or(0);
        let highest = (0..ground.columns()).map(surface).max().unwrap_or(0);
        let column = |(column, bright): (usize, f64)| {
            let height = surface(column) - lowest;
            let rise = f64::from(height) / f64::from(highest - lowest).max(1.0) + jitter(column);
            let tint = TINTS_BEGIN.into_iter().take_while(|&begin| rise > begin).count();
            Column { tint, shade: (bright * (SHADES - 1) as f64).round() as usize, height }
        };
        let columns = brightness(dem, LIGHT_FROM).into_iter().enumerate().map(column).collect();
        Scene { width: ground.width, depth: ground.depth, lowest, highest, columns }
    }

    /// Pixels across and down.
    pub fn size(&self) -> (usize, usize) {
        let sides = (self.width + self.depth) as usize;
        let relief = f64::from(self.highest - self.lowest) * VOXEL;
        let down = sides as f64 * HALF_DEPTH + relief + BASE;
        (sides * HALF_WIDTH + 2 * MARGIN, down as usize + 2 * MARGIN)
    }

    /// Draws the block, row by row from the top. `tops` are the cells above what is solid, by
    /// column.
    pub fn draw(&self, view: &View, tops: &[i32]) -> Vec<Ink> {
        let (across, down) = self.size();
        let mut inks = vec![BACKGROUND; across * down];
        for distance in 0..self.width + self.depth - 1 {
            for x in (distance + 1 - self.depth).max(0)..self.width.min(distance + 1) {
                let z = distance - x;
                let column = self.column(x, z);
                let current = self.mean_current(x, z, view);
                let water = Water { current, ..view.water[column] };
                self.draw_column((x, z), water, tops[column] - self.lowest, &mut inks);
            }
        }
        inks
    }

    fn column(&self, x: i32, z: i32) -> usize {
        (x + z * self.width) as usize
    }

    /// The mean current of a column and its four neighbours, so that single cells do not flicker.
    fn mean_current(&self, x: i32, z: i32, view: &View) -> u8 {
        let cells = [(x, z), (x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)];
        let inside = cells
            .into_iter()
            .filter(|(x, z)| (0..self.width).contains(x) && (0..self.depth).contains(z));
        let (mut sum, mut count) = (0, 0);
        for water in inside.map(|(x, z)| view.water[self.column(x, z)]) {
            if water.depth > 0 {
                (sum, count) = (sum + u32::from(water.current), count + 1);
            }
        }
        (sum / count.max(1)) as u8
    }

    /// Draws one column, solid up to this many voxels, with its water on top.
    fn draw_column(&self, (x, z): (i32, i32), water: Water, solid: i32, inks: &mut [Ink]) {
        let (across, down) = self.size();
        let ground = self.ground_inks(self.column(x, z), solid);
        let wet = water_inks(water);
        let left = MARGIN + (x - z + self.depth - 1) as usize * HALF_WIDTH;
        let nearer = f64::from(self.width + self.depth - 1 - x - z);
        let floor = (down - MARGIN) as f64 - BASE - nearer * HALF_DEPTH;
        let bed = floor - f64::from(solid) * VOXEL;
        let surface = bed - f64::from(water.depth) / f64::from(FULL) * VOXEL;
        for step in 0..2 * HALF_WIDTH {
            // Half of the top's depth at this pixel: the top is a rhombus.
            let off_middle = (step as f64 + 0.5 - HALF_WIDTH as f64).abs() - 0.5;
            let half = HALF_DEPTH * (1.0 - off_middle / HALF_WIDTH as f64);
            let mut fill = |from: f64, to: f64, ink: Ink| {
                for y in from.round().max(0.0) as usize..to.round().max(0.0) as usize {
                    inks[y * across + left + step] = ink;
                }
            };
            let is_left = step < HALF_WIDTH;
            let is_cut = if is_left { z + 1 == self.depth } else { x + 1 == self.width };
            // The turf at a cut side is a voxel thick.
            let turf = if is_cut { bed + half + VOXEL } else { floor + half };
            let top = if water.depth > 0 { wet[0] } else { ground[0] };
            fill(surface - half, surface + half, top);
            fill(surface + half, bed + half, wet[1]);
            fill(bed + half, turf, ground[1 + usize::from(is_left)]);
            fill(turf, floor + half + BASE, (EARTH + usize::from(is_left)) as Ink);
        }
    }

    /// The top, right and left face of a column that is solid up to this many voxels.
    fn ground_inks(&self, column: usize, solid: i32) -> [Ink; 3] {
        let Column { tint, shade, height } = self.columns[column];
        let (tint, shade) = if solid > height { (DAM, DAM_SHADE) } else { (tint, shade) };
        LIGHTS.map(|light| (1 + tint * SHADES + (shade as f64 * light) as usize) as Ink)
    }
}

/// The top and the side of water: darker the deeper, and the more foam the faster and shallower.
fn water_inks(water: Water) -> [Ink; 2] {
    const SHALLOW: u16 = FULL as u16;
    let depth = (water.depth.max(1).ilog2() as usize).min(DEPTHS - 1);
    let foam = match water.current {
        0 => 0,
        1..4 => 1,
        _ if water.depth > 3 * SHALLOW => 1,
        _ if water.depth > SHALLOW => 2,
        _ => 3,
    };
    let ink = (WATER + (depth * FOAMS + foam) * 2) as Ink;
    [ink, ink + 1]
}

/// A number from -0.04 to 0.04 that looks random, so that tints have no straight borders.
fn jitter(column: usize) -> f64 {
    let hash = (column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59;
    (hash as f64 - 15.5) * 0.0025
}

/// A picture between two, `width` pixels wide: of every 4×4 pixels `step` (0 to 16) are those of
/// the second one (ordered dithering with a Bayer matrix).
pub fn dissolve(from: &[Ink], to: &[Ink], width: usize, step: u8) -> Vec<Ink> {
    const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    let pixel = |(at, (&from, &to)): (usize, (&Ink, &Ink))| {
        let (x, y) = (at % width, at / width);
        if BAYER[y % 4][x % 4] < step { to } else { from }
    };
    from.iter().zip(to).enumerate().map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivers::Rivers;

    #[test]
    fn water_is_drawn_over_its_ground_only() {
        let metres = (0..20).rev().map(|column| 9 * column).collect();
        let dem = Dem { width: 5, depth: 4, metres };
        let ground = Ground::new(&dem, &Rivers::of(&dem), 9.0).unwrap();
        let scene = Scene::new(&dem, &ground);
        let mut view = View::new(&ground);
        let tops: Vec<i32> = (0..20).map(|column| ground.open_cell(column).y).collect();
        let dry = scene.draw(&view, &tops);
        let is_water = |&ink: &Ink| usize::from(ink) >= WATER;
        assert!(!dry.iter().any(is_water));
        view.water[13] = Water { depth: 7, current: 7 };
        let wet = scene.draw(&view, &tops);
        assert!(wet.iter().any(is_water));
        assert!(wet.iter().zip(&dry).all(|(wet, dry)| wet == dry || is_water(wet)));
        assert!(wet.iter().all(|&ink| usize::from(ink) < palette().len()));
    }

    #[test]
    fn a_dissolve_goes_from_one_picture_to_the_other() {
        let (from, to) = ([1; 48], [2; 48]);
        let count = |step| dissolve(&from, &to, 8, step).iter().filter(|&&ink| ink == 2).count();
        assert_eq!([0, 4, 8, 16].map(count), [0, 12, 24, 48]);
    }
}
