//! The map's colours: shaded relief with the light from the north-west, and water by its depth.

use crate::dem::Dem;
use crate::film::CLEAR;
use crate::view::Water;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// A colour: an index into the [`palette`].
pub type Ink = u8;

// The palette: every tint of ground in every shade; damp ground in every shade; water of every
// depth, dimmed in three steps so that the relief stays visible below it.
const SHADES: usize = 40;
const TINTS: [Colour; 4] = [[142, 158, 112], [183, 176, 128], [186, 157, 122], [222, 214, 202]];
const DAMP: usize = TINTS.len() * SHADES;
const DAMP_TINT: Colour = [158, 182, 184];
const WATER: usize = DAMP + SHADES;
const DEPTHS: usize = 16;
const DIMS: usize = 3;
const _: () = assert!(WATER + DEPTHS * DIMS <= CLEAR as usize);

/// Colours of the shallowest, the middling and the deepest water.
const WATERS: [Colour; 3] = [[118, 178, 226], [30, 98, 196], [8, 22, 92]];

/// Where the light of the map comes from: east and south.
const NORTH_WEST: [f64; 2] = [-0.5, -0.5];

/// Still water with fewer units than this is drawn as damp ground.
const POOL: u16 = 3;

/// The palette of all pictures, in red, green and blue.
pub fn palette() -> Vec<Colour> {
    let mut colours = Vec::new();
    for tint in TINTS.into_iter().chain([DAMP_TINT]) {
        colours.extend((0..SHADES).map(|shade| dimmed(tint, light(shade))));
    }
    for depth in 0..DEPTHS {
        colours.extend((0..DIMS).map(|dim| dimmed(water_colour(depth), 0.84 + 0.08 * dim as f64)));
    }
    colours
}

/// The ink of open water of a depth in units, for the key of the map.
pub fn water_ink(depth: u16) -> Ink {
    (WATER + depth_step(depth) * DIMS + DIMS - 1) as Ink
}

/// The map's relief, on which water is drawn.
pub struct Relief {
    /// The tint and shade of every column.
    ground: Vec<(u8, u8)>,
}

impl Relief {
    pub fn new(dem: &Dem) -> Relief {
        let low = f64::from(dem.metres.iter().copied().min().unwrap_or(0));
        let high = f64::from(dem.metres.iter().copied().max().unwrap_or(0));
        let shades = brightness(dem, NORTH_WEST).into_iter();
        let ground = shades.zip(&dem.metres).map(|(bright, &metres)| {
            let rise = (f64::from(metres) - low) / (high - low).max(1.0);
            let tint = (rise * TINTS.len() as f64) as usize;
            (tint.min(TINTS.len() - 1) as u8, (bright * (SHADES - 1) as f64).round() as u8)
        });
        Relief { ground: ground.collect() }
    }

    /// The ink of a column of ground with this water over it.
    pub fn ink(&self, column: usize, water: Water) -> Ink {
        let (tint, shade) =
            (usize::from(self.ground[column].0), usize::from(self.ground[column].1));
        let ink = match water {
            Water { depth: 0, .. } => tint * SHADES + shade,
            Water { depth: ..POOL, current: 0 } => DAMP + shade,
            Water { depth, .. } => WATER + depth_step(depth) * DIMS + shade * DIMS / SHADES,
        };
        ink as Ink
    }
}

/// Rise in metres per cell to the east and to the south; one-sided at the map's edge.
fn slope(dem: &Dem, cell: usize) -> [f64; 2] {
    let (x, z) = (cell % dem.width, cell / dem.width);
    let metres = |x: usize, z: usize| f64::from(dem.metres[x + z * dem.width]);
    let (west, east) = (x.saturating_sub(1), (x + 1).min(dem.width - 1));
    let (north, south) = (z.saturating_sub(1), (z + 1).min(dem.depth - 1));
    [
        (metres(east, z) - metres(west, z)) / (east - west).max(1) as f64,
        (metres(x, south) - metres(x, north)) / (south - north).max(1) as f64,
    ]
}

/// How bright each column is, from 0 to 1, with the light at 45 degrees above the horizon from this
/// direction (east, south).
pub fn brightness(dem: &Dem, from: [f64; 2]) -> Vec<f64> {
    let slopes: Vec<[f64; 2]> = (0..dem.cells()).map(|cell| slope(dem, cell)).collect();
    let steep = slopes.iter().map(|[east, south]| east * east + south * south).sum::<f64>()
        / dem.cells() as f64;
    // The vertical scale that gives the average slope of any map a clear shade.
    let scale = 0.8 / steep.sqrt().max(f64::MIN_POSITIVE);
    slopes.iter().map(|slope| lit(slope.map(|part| part * scale), from)).collect()
}

/// The brightness of one slope: that of a matt surface (Lambert's cosine law).
fn lit([east, south]: [f64; 2], from: [f64; 2]) -> f64 {
    let upright = 1.0 / (1.0 + east * east + south * south).sqrt();
    let light = upright * (std::f64::consts::FRAC_1_SQRT_2 - from[0] * east - from[1] * south);
    light.clamp(0.0, 1.0)
}

fn light(shade: usize) -> f64 {
    0.42 + 0.72 * shade as f64 / (SHADES - 1) as f64
}

/// The shade of a depth in units: two steps for each doubling.
fn depth_step(depth: u16) -> usize {
    ((f64::from(depth.max(1)).log2() * 2.0) as usize).min(DEPTHS - 1)
}

fn water_colour(step: usize) -> Colour {
    ramp(&WATERS, step as f64 / (DEPTHS - 1) as f64)
}

/// Interpolates between colours: `at` 0 is the first, 1 the last.
pub fn ramp(colours: &[Colour], at: f64) -> Colour {
    let along = at * (colours.len() - 1) as f64;
    let first = (along as usize).min(colours.len() - 2);
    let share = along - first as f64;
    std::array::from_fn(|part| {
        let (from, to) = (f64::from(colours[first][part]), f64::from(colours[first + 1][part]));
        (from + (to - from) * share).round() as u8
    })
}

pub fn dimmed(colour: Colour, light: f64) -> Colour {
    colour.map(|part| (f64::from(part) * light).round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brightness(ink: Ink) -> u32 {
        palette()[usize::from(ink)].iter().map(|&part| u32::from(part)).sum()
    }

    fn flat() -> Relief {
        Relief::new(&Dem { width: 2, depth: 2, metres: vec![5; 4] })
    }

    #[test]
    fn deeper_water_is_darker_and_never_transparent() {
        let relief = flat();
        let inks: Vec<Ink> =
            (3..2000).map(|depth| relief.ink(0, Water { depth, current: 0 })).collect();
        assert!(inks.windows(2).all(|pair| brightness(pair[0]) >= brightness(pair[1])));
        assert!(inks.iter().all(|&ink| ink != CLEAR && usize::from(ink) >= WATER));
        assert!(palette().len() <= usize::from(CLEAR));
    }

    #[test]
    fn a_thin_film_is_damp_ground_until_it_flows() {
        let relief = flat();
        let ink = |depth, current| usize::from(relief.ink(3, Water { depth, current }));
        assert!(ink(0, 0) < DAMP);
        assert!((DAMP..WATER).contains(&ink(2, 0)));
        assert!(ink(1, 1) >= WATER);
        assert!(ink(3, 0) >= WATER);
    }

    #[test]
    fn slopes_towards_the_north_west_are_the_bright_ones() {
        let lit = |slope| lit(slope, NORTH_WEST);
        assert!(lit([1.0, 1.0]) > lit([0.0, 0.0]));
        assert!(lit([0.0, 0.0]) > lit([-1.0, -1.0]));
        for steep in [f64::from(u16::MAX), f64::MAX] {
            assert!((0.0..=1.0).contains(&lit([steep, -steep])));
        }
    }
}
