//! Pictures of a region, before and after: its blocks from obliquely above, and a slice.

use crate::labels::FAMILY;
use crate::oblique::{Blocks, Colour, Look, View};
use floodplain::Region;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::WaterWorld;
use plotters::prelude::*;

/// Red, green and blue bytes, row by row from the top.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub bytes: Vec<u8>,
}

const SKY: Colour = [226, 236, 242];
const PAPER: Colour = [255; 3];
const UNLOADED: Colour = [20, 20, 24];

const GRASS: Colour = [116, 158, 76];
const EARTH: Colour = [140, 108, 76];
const ROCK: Colour = [138, 134, 130];
/// Blocks of earth below grass.
const EARTH_DEEP: i32 = 3;
/// The step to a column beside it from which on nothing grows on a column.
const STEEP: i32 = 4;

/// Columns between two pictures side by side.
const GAP: usize = 2;

/// The most pixels along a side of one slice, and the size of a picture from above.
const LARGEST: usize = 640;
const VIEW: View =
    View { width: 460, height: 520, towards: Vec3::new(0.62, 1.15, 1.0), background: PAPER };

/// The region from obliquely above in the south-east, with its columns cut off below `region`.
pub fn oblique(world: &WaterWorld, region: Region) -> Picture {
    let tops = Tops::of(world, region);
    let look = |cell: IVec3| match world.voxel(cell) {
        Some(voxel) if voxel.is_solid() => Look::Ground(tops.ground(cell)),
        Some(voxel) if voxel.height() > 0 => Look::Water(f32::from(voxel.height()) / 7.0),
        _ => Look::Open,
    };
    let colours = Blocks::new(region, look).draw(VIEW);
    Picture { width: VIEW.width, height: VIEW.height, bytes: colours.concat() }
}

/// The highest ground of each column of a region.
struct Tops {
    region: Region,
    /// x fastest.
    heights: Vec<i32>,
}

impl Tops {
    fn of(world: &WaterWorld, region: Region) -> Tops {
        let (min, max) = (region.min(), region.max());
        let top = |x: i32, z: i32| {
            let is_ground = |&y: &i32| world.is_solid(IVec3::new(x, y, z));
            (min.y..=max.y).rev().find(is_ground).unwrap_or(min.y)
        };
        let heights = (min.z..=max.z).flat_map(|z| (min.x..=max.x).map(move |x| top(x, z)));
        Tops { region, heights: heights.collect() }
    }

    fn at(&self, cell: IVec3) -> i32 {
        let (min, [width, ..]) = (self.region.min(), self.region.size());
        let place = cell.clamp(min, self.region.max()) - min;
        self.heights[(place.x + width as i32 * place.z) as usize]
    }

    /// What the ground of a cell is taken for: a region says what is solid, and no more.
    fn ground(&self, cell: IVec3) -> Colour {
        let top = self.at(cell);
        let beside = [IVec3::X, IVec3::NEG_X, IVec3::Z, IVec3::NEG_Z];
        let is_steep = beside.iter().any(|&side| (self.at(cell + side) - top).abs() >= STEEP);
        match top - cell.y {
            _ if is_steep => ROCK,
            0 => GRASS,
            1..=EARTH_DEEP => EARTH,
            _ => ROCK,
        }
    }
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
    let colours: Vec<Colour> = cells.map(colour).collect();
    let small = Picture { width: width as usize, height: height as usize, bytes: colours.concat() };
    small.enlarged((LARGEST / small.width.max(small.height).max(1)).max(1))
}

fn mix(from: Colour, to: Colour, share: f32) -> Colour {
    core::array::from_fn(|at| {
        (f32::from(from[at]) * (1.0 - share) + f32::from(to[at]) * share).round() as u8
    })
}

impl Picture {
    /// The picture with each pixel as a square.
    fn enlarged(&self, scale: usize) -> Picture {
        let (width, height) = (self.width * scale, self.height * scale);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x / scale, y / scale)));
        Picture { width, height, bytes: places.flat_map(|(x, y)| *self.pixel(x, y)).collect() }
    }

    /// The picture before and the one after side by side.
    pub fn beside(&self, after: &Picture) -> Picture {
        let row = |picture: &Picture, y: usize| {
            picture.bytes[3 * y * picture.width..][..3 * picture.width].to_vec()
        };
        let rows =
            (0..self.height).map(|y| [row(self, y), PAPER.repeat(GAP), row(after, y)].concat());
        let bytes = rows.collect::<Vec<_>>().concat();
        Picture { width: 2 * self.width + GAP, height: self.height, bytes }
    }

    /// Writes words into the lower left corner; the font has to be loaded.
    pub fn label(mut self, words: &str) -> Result<Picture, String> {
        let size = (self.width as u32, self.height as u32);
        let area = BitMapBackend::with_buffer(&mut self.bytes, size).into_drawing_area();
        let place = (10, self.height as i32 - 30);
        area.draw(&Text::new(words, place, (FAMILY, 20).into_font()))
            .and_then(|()| area.present())
            .map_err(|error| error.to_string())?;
        drop(area);
        Ok(self)
    }

    fn pixel(&self, x: usize, y: usize) -> &[u8; 3] {
        self.bytes[3 * (x + y * self.width)..].first_chunk().expect("a pixel has three bytes")
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
    fn plains_are_grass_over_earth_and_steps_are_rock() {
        let (mut world, region) = world();
        world.fill_solid(Region::new(IVec3::new(9, 4, 9), IVec3::new(9, 9, 9))).unwrap();
        let tops = Tops::of(&world, region);
        let ground = |x, y, z| tops.ground(IVec3::new(x, y, z));
        assert_eq!([ground(2, 3, 2), ground(2, 2, 2), ground(2, -1, 2)], [GRASS, EARTH, ROCK]);
        assert_eq!([ground(9, 9, 9), ground(10, 3, 9)], [ROCK; 2]);
    }

    #[test]
    fn a_view_shows_blocks_and_water_on_paper() {
        let (mut world, region) = world();
        let before = oblique(&world, region);
        assert_eq!(*before.pixel(0, 0), PAPER);
        world.fill_water(Region::new(IVec3::new(0, 4, 0), IVec3::new(15, 6, 15)), 7).unwrap();
        let after = oblique(&world, region);
        let [_, green, blue] = *after.pixel(230, 300);
        assert!(blue > green, "water in the middle");
        assert!(before.beside(&after).width == 2 * VIEW.width + GAP);
    }

    #[test]
    fn slices_have_the_highest_cells_on_top() {
        let (world, region) = world();
        let slice = slice(&world, region, 5);
        let cell = |x: usize, y: usize| *slice.pixel(40 * x, 40 * y);
        assert_eq!([cell(2, 0), cell(2, 11), cell(2, 12)], [SKY, [30, 100, 190], ROCK]);
        let both = slice.beside(&slice);
        assert_eq!((both.width, both.height), (2 * 640 + GAP, 640));
        assert_eq!(*both.pixel(640 + GAP, 639), ROCK);
    }
}
