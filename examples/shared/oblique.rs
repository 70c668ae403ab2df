//! Pictures of block worlds, seen obliquely from above: sides in their own light, shadows, and
//! water that gets darker with the way that one looks through it. Each pixel is the mean of four
//! rays through the cells (the grid traversal of Amanatides and Woo), all parallel.

use floodplain::Region;
use floodplain::glam::{IVec3, Vec3};

pub type Colour = [u8; 3];

/// What is drawn of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Look {
    #[default]
    Open,
    Ground(Colour),
    /// The share of the cell that water fills, from its bottom.
    Water(f32),
}

/// A box of cells to be drawn.
pub struct Blocks {
    size: IVec3,
    /// x fastest, then z, then y.
    looks: Vec<Look>,
}

/// From where a picture is taken, and how large it is.
#[derive(Clone, Copy)]
pub struct View {
    pub width: usize,
    pub height: usize,
    /// Where the viewer is, as seen from the blocks.
    pub towards: Vec3,
    pub background: Colour,
}

/// Red, green and blue bytes, row by row from the top.
pub type Pixels = Vec<Colour>;

/// Where the sun is, as seen from the blocks.
const SUN: Vec3 = Vec3::new(0.45, 0.8, -0.25);
/// The light on faces to the west and east, below and above, to the north and south.
const LIGHT: [[f32; 2]; 3] = [[0.55, 0.84], [0.5, 1.0], [0.6, 0.66]];
const SHADOW: f32 = 0.66;
/// The light on the rim of a face, and its width in cells.
const RIM: f32 = 0.9;
const RIM_WIDTH: f32 = 0.07;

const SHALLOW: Vec3 = Vec3::new(112.0, 182.0, 226.0);
const DEEP: Vec3 = Vec3::new(14.0, 58.0, 138.0);
/// Cells of water after which 1/e of the light from behind is left, and from which on it is dark.
const CLEAR: f32 = 1.6;
const DARK: f32 = 7.0;
/// The share of light that the surface itself sends back.
const GLOSS: f32 = 0.3;

impl Blocks {
    /// Copies what is to be drawn of the cells of a region.
    pub fn new(region: Region, look: impl Fn(IVec3) -> Look) -> Blocks {
        let (min, max) = (region.min(), region.max());
        let rows = (min.y..=max.y).flat_map(|y| (min.z..=max.z).map(move |z| (y, z)));
        let cells = rows.flat_map(|(y, z)| (min.x..=max.x).map(move |x| IVec3::new(x, y, z)));
        Blocks { size: max - min + 1, looks: cells.map(look).collect() }
    }

    fn look(&self, cell: IVec3) -> Look {
        let is_inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(self.size).all();
        if !is_inside {
            return Look::Open;
        }
        self.looks[(cell.x + self.size.x * (cell.z + self.size.z * cell.y)) as usize]
    }

    /// Draws the blocks as large as fits.
    pub fn draw(&self, view: View) -> Pixels {
        let forward = -view.towards.normalize();
        let right = forward.cross(Vec3::Y).normalize();
        let up = right.cross(forward);
        let (scale, middle) = self.fit(view, right, up);
        let origin = |x: f32, y: f32| {
            let (x, y) = (x - view.width as f32 / 2.0, view.height as f32 / 2.0 - y);
            middle + (right * x + up * y) / scale - forward * self.size.as_vec3().length()
        };
        let pixel = |at: usize| {
            let (x, y) = ((at % view.width) as f32, (at / view.width) as f32);
            let parts = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
            let seen = parts.map(|[dx, dy]| self.seen(origin(x + dx, y + dy), forward, view));
            let mean = seen.into_iter().sum::<Vec3>() / 4.0;
            mean.to_array().map(|part| part.round().clamp(0.0, 255.0) as u8)
        };
        (0..view.width * view.height).map(pixel).collect()
    }

    /// Pixels to a cell, and the point that is to be in the middle of the picture.
    fn fit(&self, view: View, right: Vec3, up: Vec3) -> (f32, Vec3) {
        let size = self.size.as_vec3();
        let corners = (0..8).map(|corner| {
            size * Vec3::from_array([0, 1, 2].map(|axis| (corner >> axis & 1) as f32))
        });
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for corner in corners {
            let seen = Vec3::new(corner.dot(right), corner.dot(up), 0.0);
            (low, high) = (low.min(seen), high.max(seen));
        }
        let room = high - low;
        let scale = (view.width as f32 / room.x).min(view.height as f32 / room.y);
        let middle = (low + high) / 2.0;
        (scale, right * middle.x + up * middle.y)
    }

    /// The colour that a ray comes to.
    fn seen(&self, origin: Vec3, ray: Vec3, view: View) -> Vec3 {
        let (mut through, mut surface) = (0.0, None);
        let mut behind = colour(view.background);
        self.walk(origin, ray, |step| {
            let from = origin + ray * step.from;
            match step.look {
                Look::Open => true,
                Look::Ground(ground) => {
                    behind = colour(ground) * self.light(step.cell, step.axis, ray, from);
                    false
                }
                Look::Water(share) => {
                    let top = step.cell.y as f32 + share;
                    let to = (step.to - step.from) * -ray.y;
                    let above = (from.y - top).max(0.0);
                    if above < to {
                        // Either through the surface or through the side of the cell.
                        let axis = if above > 0.0 { 1 } else { step.axis };
                        let enters = origin + ray * (step.from - above / ray.y);
                        surface.get_or_insert_with(|| self.light(step.cell, axis, ray, enters));
                        through += (to - above) / -ray.y;
                    }
                    true
                }
            }
        });
        let Some(light) = surface else { return behind };
        let body = SHALLOW.lerp(DEEP, (through / DARK).min(1.0)) * light.midpoint(1.0);
        behind.lerp(body, 1.0 - (1.0 - GLOSS) * (-through / CLEAR).exp())
    }

    /// The light on the face by which a ray enters a cell.
    fn light(&self, cell: IVec3, axis: usize, ray: Vec3, at: Vec3) -> f32 {
        let side = usize::from(ray[axis] < 0.0);
        let mut light = LIGHT[axis][side];
        let mut is_lit = SUN[axis] * -ray[axis] > 0.0;
        if is_lit {
            self.walk(at - ray * 1e-3, SUN.normalize(), |step| {
                is_lit = !matches!(step.look, Look::Ground(_)) || step.cell == cell;
                is_lit
            });
        }
        if !is_lit {
            light *= SHADOW;
        }
        let on_rim = (0..3).filter(|&other| other != axis).any(|other| {
            let part = at[other] - cell[other] as f32;
            !(RIM_WIDTH..=1.0 - RIM_WIDTH).contains(&part)
        });
        let is_ground = matches!(self.look(cell), Look::Ground(_));
        if on_rim && is_ground { light * RIM } else { light }
    }

    /// Follows a ray until `visit` returns `false` or it leaves the box.
    fn walk(&self, origin: Vec3, ray: Vec3, mut visit: impl FnMut(Step) -> bool) {
        let sign = ray.signum();
        let delta = ray.abs().max(Vec3::splat(1e-6)).recip();
        let size = self.size.as_vec3();
        // The distances at which the ray enters and leaves the box, along each axis.
        let near = (size * (sign * -0.5 + 0.5) - origin) * sign * delta;
        let far = (size * (sign * 0.5 + 0.5) - origin) * sign * delta;
        let (mut from, last) = (near.max_element().max(0.0), far.min_element());
        if from >= last {
            return;
        }
        let mut axis = (0..3).max_by(|&a, &b| near[a].total_cmp(&near[b])).unwrap_or(1);
        let start = origin + ray * from;
        let mut cell = start.floor().as_ivec3().clamp(IVec3::ZERO, self.size - 1);
        let ahead = (cell.as_vec3() + sign * 0.5 + 0.5 - start) * sign;
        let mut next = (ahead.max(Vec3::ZERO) * delta + from).to_array();
        loop {
            let exit = (0..3).min_by(|&a, &b| next[a].total_cmp(&next[b])).unwrap_or(1);
            let to = next[exit].min(last);
            if !visit(Step { cell, look: self.look(cell), from, to, axis }) || to >= last {
                return;
            }
            cell[exit] += sign[exit] as i32;
            (from, axis) = (to, exit);
            next[exit] += delta[exit];
        }
    }
}

/// A part of a ray, in one cell.
struct Step {
    /// From the corner of the box.
    cell: IVec3,
    look: Look,
    /// The distances at which the ray enters and leaves the cell.
    from: f32,
    to: f32,
    /// The axis of the face by which it enters.
    axis: usize,
}

fn colour(of: Colour) -> Vec3 {
    Vec3::from_array(of.map(f32::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: View =
        View { width: 60, height: 60, towards: Vec3::new(0.01, 1.0, 0.01), background: [255; 3] };

    /// The colour in the middle of a picture from above.
    fn middle(look: impl Fn(IVec3) -> Look) -> Vec3 {
        let region = Region::new(IVec3::splat(-1), IVec3::new(1, 3, 1));
        colour(Blocks::new(region, look).draw(VIEW)[30 * 60 + 30])
    }

    #[test]
    fn ground_is_lit_and_what_is_below_a_roof_is_in_its_shadow() {
        let ground = Look::Ground([100; 3]);
        let plain = middle(|cell| if cell.y < 0 { ground } else { Look::Open });
        assert_eq!(plain, Vec3::splat(100.0));
        let is_roof = |cell: IVec3| cell.y == 2 && cell.x == 1; // in the way of the sun
        let shaded = middle(|cell| if cell.y < 0 || is_roof(cell) { ground } else { Look::Open });
        assert_eq!(shaded, Vec3::splat(66.0));
        assert_eq!(middle(|_| Look::Open), Vec3::splat(255.0));
    }

    #[test]
    fn deeper_water_is_darker() {
        let of_depth = |depth: i32| {
            middle(|cell| match cell.y {
                y if y < 0 => Look::Ground([200; 3]),
                y if y < depth => Look::Water(1.0),
                _ => Look::Open,
            })
        };
        let light = [0, 1, 2, 4].map(|depth| of_depth(depth).element_sum());
        assert!(light.is_sorted_by(|a, b| a > b), "{light:?}");
    }
}
