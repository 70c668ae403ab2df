//! The film of the README: a dam in a valley of the default map breaks, and its lake runs out.

use crate::dem::Dem;
use crate::film::Film;
use crate::ground::Ground;
use crate::oblique::{Scene, dissolve, palette};
use crate::rivers::Rivers;
use crate::view::View;
use floodplain::Region;
use floodplain::water::{FULL, Rules, WaterWorld};
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// The part of the map in the film, in columns. It is mirrored from east to west, so that the water
/// runs towards the viewer.
const EAST_WEST: Range<usize> = 98..206;
const NORTH_SOUTH: Range<usize> = 197..272;

/// Height of a voxel in metres.
const METRES: f64 = 10.0;

/// A column of the map in the dam, the dam's thickness in columns, and its crest in metres.
const DAM: (usize, usize) = (152, 239);
const THICKNESS: i32 = 2;
const CREST: u16 = 580;

/// Frames before the dam breaks, frames of the flood, and frames of the transition to the first.
const STILL_FRAMES: u64 = 10;
const FLOOD_FRAMES: u64 = 88;
const DISSOLVE_FRAMES: u8 = 8;

const TICKS_PER_FRAME: u64 = 4;

/// Ticks in which the breach becomes one voxel deeper and wider.
const TICKS_PER_BLOCK: u64 = 2;

/// Hundredths of a second that a frame stays.
const DELAY: u16 = 5;

/// Writes the film; returns the world at its end.
pub fn film(map: &Dem, seed: u64, path: &Path) -> Result<WaterWorld, String> {
    let dem = cut(map);
    let mut dam = Dam::new(&dem);
    // With the dam on the map, the brim of the valley behind it is the level of its lake.
    let rivers = Rivers::of(&dam.on(&dem));
    let ground = Ground::new(&dem, &rivers, METRES)?;
    let mut world = ground.world(seed, Rules::lossless())?;
    dam.build(&ground, &rivers.brim, &mut world)?;

    let scene = Scene::new(&dem, &ground);
    let mut film = Film::create(path, scene.size(), &palette(), DELAY)?;
    let mut view = View::new(&ground);
    view.update(&ground, &mut world);
    let first = scene.draw(&view, &dam.tops);
    for _ in 0..STILL_FRAMES {
        film.show(&first)?;
    }
    let mut last = Vec::new();
    for tick in 0..FLOOD_FRAMES * TICKS_PER_FRAME {
        dam.erode(tick, &ground, &mut world)?;
        world.step();
        if (tick + 1).is_multiple_of(TICKS_PER_FRAME) {
            view.update(&ground, &mut world);
            last = scene.draw(&view, &dam.tops);
            film.show(&last)?;
        }
    }
    for step in 1..=DISSOLVE_FRAMES {
        film.show(&dissolve(&last, &first, scene.size().0, step * (16 / DISSOLVE_FRAMES)))?;
    }
    film.end(DELAY)?;
    Ok(world)
}

/// The part of the map in the film, mirrored from east to west.
fn cut(map: &Dem) -> Dem {
    let row = |z: usize| EAST_WEST.rev().map(move |x| map.metres[x + z * map.width]);
    Dem {
        width: EAST_WEST.len(),
        depth: NORTH_SOUTH.len(),
        metres: NORTH_SOUTH.flat_map(row).collect(),
    }
}

/// A wall across the valley, from north to south.
struct Dam {
    /// The column in the middle of its upstream face.
    middle: (i32, i32),
    /// The rows of columns between the slopes.
    rows: RangeInclusive<i32>,
    /// The cell above the wall, by column of the ground; elsewhere the cell above the ground.
    tops: Vec<i32>,
}

impl Dam {
    /// Finds the rows between the slopes that rise to the crest.
    fn new(dem: &Dem) -> Dam {
        let (x, z) = (EAST_WEST.end - 1 - DAM.0, DAM.1 - NORTH_SOUTH.start);
        let is_low = |z: &usize| dem.metres[x + z * dem.width] < CREST;
        let first = (0..=z).rev().take_while(is_low).last().unwrap_or(z);
        let last = (z..dem.depth).take_while(is_low).last().unwrap_or(z);
        Dam { middle: (x as i32, z as i32), rows: first as i32..=last as i32, tops: Vec::new() }
    }

    fn columns(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let x = self.middle.0;
        self.rows.clone().flat_map(move |z| (x..x + THICKNESS).map(move |x| (x, z)))
    }

    /// Returns the map with the dam as ground.
    fn on(&self, dem: &Dem) -> Dem {
        let mut dammed = dem.clone();
        for (x, z) in self.columns() {
            let metres = &mut dammed.metres[x as usize + z as usize * dem.width];
            *metres = CREST.max(*metres);
        }
        dammed
    }

    /// Builds the wall, and fills its lake and every pit to one voxel below `brim`, which is in
    /// metres.
    fn build(
        &mut self,
        ground: &Ground,
        brim: &[u16],
        world: &mut WaterWorld,
    ) -> Result<(), String> {
        self.tops = (0..ground.columns()).map(|column| ground.open_cell(column).y).collect();
        let crest = voxels(CREST);
        for (x, z) in self.columns() {
            let column = ground.column(x, z);
            let open = ground.open_cell(column);
            if open.y < crest {
                world.fill_solid(Region::new(open, open.with_y(crest - 1))).map_err(one_line)?;
                self.tops[column] = crest;
            }
        }
        for column in 0..ground.columns() {
            let (open, brim) = (ground.open_cell(column), voxels(brim[column]));
            if self.tops[column] == open.y && brim - 1 > open.y {
                let water = Region::new(open, open.with_y(brim - 2));
                world.fill_water(water, FULL).map_err(one_line)?;
            }
        }
        Ok(())
    }

    /// Removes the blocks that have fallen by this tick: a V-shaped breach that deepens and widens.
    fn erode(&mut self, tick: u64, ground: &Ground, world: &mut WaterWorld) -> Result<(), String> {
        let lowest = voxels(CREST) - (tick / TICKS_PER_BLOCK) as i32;
        for (x, z) in self.columns() {
            let column = ground.column(x, z);
            let open = ground.open_cell(column);
            let top = (lowest + (z - self.middle.1).abs()).max(open.y);
            while self.tops[column] > top {
                self.tops[column] -= 1;
                world.clear_solid(open.with_y(self.tops[column])).map_err(one_line)?;
            }
        }
        Ok(())
    }
}

fn voxels(metres: u16) -> i32 {
    (f64::from(metres) / METRES).round() as i32
}

fn one_line(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn the_lake_lies_still_until_the_dam_breaks() {
        let dem = cut(&Dem::open(&Options::default().dem).unwrap());
        let mut dam = Dam::new(&dem);
        let rivers = Rivers::of(&dam.on(&dem));
        let ground = Ground::new(&dem, &rivers, METRES).unwrap();
        let mut world = ground.world(7, Rules::lossless()).unwrap();
        dam.build(&ground, &rivers.brim, &mut world).unwrap();
        let lake = world.total();
        assert!(lake > 20_000, "{lake} units");
        world.run(20);
        assert_eq!((world.is_at_rest(), world.ledger().drained), (true, 0));
        for tick in 0..40 {
            dam.erode(tick, &ground, &mut world).unwrap();
            world.step();
        }
        assert!(!world.is_at_rest());
        assert_eq!(world.validate(), Ok(()));
    }
}
