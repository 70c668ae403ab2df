//! Pictures of a region, before and after: its ground and water from above, and a slice.

use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;

/// Red, green and blue bytes, row by row from the top.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub bytes: Vec<u8>,
}

type Colour = [u8; 3];

const SKY: Colour = [226, 236, 242];
const ROCK: Colour = [96, 88, 82];
const SHALLOW: Colour = [120, 190, 230];
const DEEP: Colour = [10, 50, 130];
const UNLOADED: Colour = [20, 20, 24];

/// The depth at which water is darkest, in cells.
const DEEPEST: f32 = 14.0;

/// Columns between two pictures side by side.
const GAP: usize = 2;

/// The most pixels along a side of one picture.
const LARGEST: usize = 640;

/// The ground from above, lighter where it is higher, and the water on it, darker where it is
/// deeper.
pub fn above(world: &WaterWorld, region: Region) -> Picture {
    let columns = rows(region, |x, z| column(world, region, x, z));
    let mut ground: Vec<i32> = columns.iter().flatten().map(|&(top, _)| top).collect();
    ground.sort_unstable();
    let low = ground.first().copied().unwrap_or(0) as f32;
    let high = ground.last().copied().unwrap_or(0) as f32;
    let colour = |&(top, water): &(i32, f32)| {
        let light = (top as f32 - low) / (high - low).max(1.0);
        if water > 0.0 {
            mix(SHALLOW, DEEP, water / DEEPEST)
        } else {
            mix([74, 92, 48], [214, 208, 176], light)
        }
    };
    let [width, _, height] = region.size();
    let colours = columns.iter().map(|column| column.as_ref().map_or(UNLOADED, colour));
    Picture::new(width as usize, height as usize, colours.collect())
}

/// The highest ground of a column and the depth of the water above it, in cells; `None` if the
/// column is not loaded.
fn column(world: &WaterWorld, region: Region, x: i32, z: i32) -> Option<(i32, f32)> {
    let mut water = 0.0;
    let mut is_loaded = false;
    for y in (region.min().y..=region.max().y).rev() {
        let cell = IVec3::new(x, y, z);
        is_loaded |= world.voxel(cell).is_some();
        if world.is_solid(cell) {
            return Some((y, water));
        }
        water += f32::from(world.units(cell)) / 7.0;
    }
    is_loaded.then_some((region.min().y, water))
}

/// A slice at x, with z to the right and the highest cells on top.
pub fn slice(world: &WaterWorld, region: Region, x: i32) -> Picture {
    let [_, height, width] = region.size();
    let heights = (region.min().y..=region.max().y).rev();
    let cells =
        heights.flat_map(|y| (region.min().z..=region.max().z).map(move |z| IVec3::new(x, y, z)));
    let colour = |cell: IVec3| match world.voxel(cell) {
        None => UNLOADED,
        Some(voxel) if voxel.is_solid() => ROCK,
        Some(_) => mix(SKY, [30, 100, 190], f32::from(world.units(cell)) / 7.0),
    };
    Picture::new(width as usize, height as usize, cells.map(colour).collect())
}

/// Something of every column of a region, row by row.
fn rows<T>(region: Region, of: impl Fn(i32, i32) -> T) -> Vec<T> {
    let (min, max) = (region.min(), region.max());
    let places = (min.z..=max.z).flat_map(|z| (min.x..=max.x).map(move |x| (x, z)));
    places.map(|(x, z)| of(x, z)).collect()
}

fn mix(from: Colour, to: Colour, share: f32) -> Colour {
    let share = share.clamp(0.0, 1.0);
    core::array::from_fn(|at| {
        (f32::from(from[at]) * (1.0 - share) + f32::from(to[at]) * share).round() as u8
    })
}

impl Picture {
    fn new(width: usize, height: usize, colours: Vec<Colour>) -> Picture {
        Picture { width, height, bytes: colours.concat() }
    }

    /// The picture before and the one after side by side, each cell as a square of pixels.
    pub fn beside(&self, after: &Picture) -> Picture {
        let scale = (LARGEST / self.width.max(self.height).max(1)).max(1);
        let (width, height) = ((2 * self.width + GAP) * scale, self.height * scale);
        let mut bytes = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let (x, y) = (x / scale, y / scale);
                let pixel = match x {
                    _ if x < self.width => self.pixel(x, y),
                    _ if x < self.width + GAP => &[255; 3],
                    _ => after.pixel(x - self.width - GAP, y),
                };
                bytes.extend_from_slice(pixel);
            }
        }
        Picture { width, height, bytes }
    }

    fn pixel(&self, x: usize, y: usize) -> &[u8] {
        &self.bytes[3 * (x + y * self.width)..][..3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::water::{Rules, Voxel};
    use floodplain::{Chunk, ChunkPos};

    fn world() -> (WaterWorld, Region) {
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        let region = Region::new(IVec3::ZERO, IVec3::splat(15));
        world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, 3, 15))).unwrap();
        world.pour(IVec3::new(5, 4, 2), 7).unwrap();
        (world, region)
    }

    #[test]
    fn columns_have_the_colour_of_their_water_or_ground() {
        let (world, region) = world();
        assert_eq!(column(&world, region, 5, 2), Some((3, 1.0)));
        assert_eq!(column(&world, region, 20, 2), None);
        let above = above(&world, region);
        assert_eq!(above.pixel(5, 2), mix(SHALLOW, DEEP, 1.0 / DEEPEST));
        assert_eq!(above.pixel(4, 2), [74, 92, 48]);
    }

    #[test]
    fn slices_have_the_highest_cells_on_top() {
        let (world, region) = world();
        let slice = slice(&world, region, 5);
        assert_eq!(slice.pixel(2, 0), SKY);
        assert_eq!(slice.pixel(2, 11), [30, 100, 190]);
        assert_eq!(slice.pixel(2, 12), ROCK);
        let both = slice.beside(&slice);
        assert_eq!((both.width, both.height), ((2 * 16 + GAP) * 40, 640));
        assert_eq!(both.pixel(18 * 40, 639), ROCK);
    }
}
