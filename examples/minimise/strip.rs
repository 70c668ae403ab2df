//! A film strip of a case: a column for each tick, a row for each slice of the world in which there
//! is water, moisture or pressure; the cell at which the law is broken is framed.

use crate::case::Case;
use crate::kinds::{Kind, Tile};
use crate::laws::Broken;
use crate::png_file;
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::testing::Watch;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The least and the most pixels along the side of a cell, and those between two pictures.
const LEAST_CELL: usize = 9;
const MOST_CELL: usize = 32;
const GAP: usize = 6;
/// The width in pixels up to which the cells of a small world are enlarged.
const WIDTH: usize = 1_000;
/// The most ticks and slices that are shown.
const MOST_TICKS: usize = 12;
const MOST_SLICES: usize = 5;
/// The most cells along a side, about the cell that is broken.
const MOST_CELLS: i32 = 64;

const PAPER: [u8; 3] = [255, 255, 255];
const AIR: [u8; 3] = [244, 241, 232];
const GROUND: [u8; 3] = [92, 80, 70];
const WATER: [u8; 3] = [58, 132, 210];
const SPRING: [u8; 3] = [20, 60, 150];
const SEA: [u8; 3] = [40, 110, 130];
const MOIST: [u8; 3] = [46, 74, 110];
const FIRE: [u8; 3] = [226, 96, 30];
const MARK: [u8; 3] = [214, 40, 40];

/// Draws the strip. Returns in one line why there is none, if there is none.
pub fn save<W: Kind>(
    path: &Path,
    case: &Case<W>,
    broken: &Broken,
) -> Result<Option<String>, String> {
    let frames = frames(case);
    let Some(view) = view(&frames, broken.cell) else {
        return Ok(Some(format!("none: {} has no cells", W::NAME)));
    };
    let mut slices: Vec<i32> = (view.min().z..=view.max().z).collect();
    if slices.len() > MOST_SLICES {
        let middle = broken.cell.map_or(view.min().z.midpoint(view.max().z), |cell| cell.z);
        slices.sort_by_key(|z| z.abs_diff(middle));
        slices.truncate(MOST_SLICES);
        slices.sort_unstable();
    }
    let [across, up, _] = view.size().map(|side| side as usize);
    let side = side_of_cell(frames.len(), across);
    let (width, height) = (across * side + GAP, up * side + GAP);
    let size = (frames.len() * width + GAP, slices.len() * height + GAP);
    let mut picture = Picture::new(size, side);
    for (column, cells) in frames.iter().enumerate() {
        for (row, &z) in slices.iter().enumerate() {
            let corner = (GAP + column * width, GAP + row * height);
            for (x, y) in (0..across).flat_map(|x| (0..up).map(move |y| (x, y))) {
                let cell = IVec3::new(view.min().x + x as i32, view.max().y - y as i32, z);
                let at = (corner.0 + x * side, corner.1 + y * side);
                picture.cell(at, cells.get(&cell.to_array()).copied());
                if broken.cell == Some(cell) && column + 1 == frames.len() {
                    picture.frame(at);
                }
            }
        }
    }
    let size = (picture.width as u32, picture.height as u32);
    png_file::save(path, &picture.pixels, size).map(|()| None)
}

/// Returns the pixels along the side of a cell, of so many cells across in each of so many frames.
fn side_of_cell(frames: usize, across: usize) -> usize {
    ((WIDTH / frames).saturating_sub(GAP) / across).clamp(LEAST_CELL, MOST_CELL)
}

/// The cells of a world.
type Frame = BTreeMap<[i32; 3], Tile>;

/// Returns what the cells are after some of the ticks, the last among them. A law that panics ends
/// the film.
fn frames<W: Kind>(case: &Case<W>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut world = case.world();
    let every = (case.ticks as usize).div_ceil(MOST_TICKS - 1).max(1) as u64;
    let _ = catch_unwind(AssertUnwindSafe(|| {
        for tick in 0..=case.ticks {
            for (_, edit) in case.edits.iter().filter(|edit| edit.0 == tick) {
                let _ = Watch::apply(&mut world, edit.clone());
            }
            if tick.is_multiple_of(every) || tick == case.ticks {
                let tiles = world.tiles().unwrap_or_default().into_iter();
                frames.push(tiles.map(|(cell, tile)| (cell.to_array(), tile)).collect());
            }
            if tick < case.ticks {
                Watch::step(&mut world);
            }
        }
    }));
    frames
}

/// Returns the cells to show: where there is something of note at any time, else any cell; the cell
/// that is broken, and one more on each side. If they are many, those near it.
fn view(frames: &[Frame], cell: Option<IVec3>) -> Option<Region> {
    let any = frames.iter().find_map(|frame| frame.keys().next().copied())?;
    let of_note = frames.iter().flatten().filter(|(_, tile)| tile.is_of_note());
    let cells = of_note.map(|(&cell, _)| cell.into()).chain(cell);
    let hull = cells.map(Region::cell).reduce(|one: Region, other| {
        Region::new(one.min().min(other.min()), one.max().max(other.max()))
    });
    let hull = hull.unwrap_or(Region::cell(any.into()));
    let side = IVec3::new(1, 1, 0);
    let hull = Region::new(hull.min().saturating_sub(side), hull.max().saturating_add(side));
    let middle = cell.unwrap_or_else(|| {
        let (min, max) = (hull.min(), hull.max());
        IVec3::new(min.x.midpoint(max.x), min.y.midpoint(max.y), min.z.midpoint(max.z))
    });
    let reach = IVec3::splat(MOST_CELLS / 2);
    hull.intersection(&Region::new(middle.saturating_sub(reach), middle.saturating_add(reach)))
}

struct Picture {
    width: usize,
    height: usize,
    /// Pixels along the side of a cell.
    side: usize,
    pixels: Vec<u8>,
}

impl Picture {
    fn new((width, height): (usize, usize), side: usize) -> Picture {
        Picture { width, height, side, pixels: PAPER.repeat(width * height) }
    }

    fn set(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        let at = 3 * (y * self.width + x);
        self.pixels[at..at + 3].copy_from_slice(&colour);
    }

    /// Draws a cell: water as high as it stands.
    fn cell(&mut self, (left, top): (usize, usize), tile: Option<Tile>) {
        let Some(tile) = tile else { return };
        let side = self.side;
        let (below, height, above) = match tile {
            Tile::Air => (AIR, side, AIR),
            Tile::Ground => (GROUND, side, AIR),
            Tile::Water(share) => (WATER, (share * side as f64) as usize, AIR),
            Tile::Spring => (SPRING, side, AIR),
            Tile::Sea => (SEA, side, AIR),
            Tile::Moist(share) => (mixed(GROUND, MOIST, share), side, AIR),
            Tile::Pressure(share) => (mixed(AIR, FIRE, share), side, AIR),
        };
        for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
            let colour = if y + height >= side { below } else { above };
            self.set(left + x, top + y, colour);
        }
    }

    /// Frames a cell.
    fn frame(&mut self, (left, top): (usize, usize)) {
        let side = self.side;
        for step in 0..side {
            for (x, y) in [(step, 0), (step, side - 1), (0, step), (side - 1, step)] {
                self.set(left + x, top + y, MARK);
            }
        }
    }
}

/// Returns a colour between two, nearer to the second by this share.
fn mixed(from: [u8; 3], to: [u8; 3], share: f64) -> [u8; 3] {
    let mix = |from: u8, to: u8| f64::from(from) + share * (f64::from(to) - f64::from(from));
    core::array::from_fn(|part| mix(from[part], to[part]) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt;
    use crate::kinds::{NAMES, for_kind};

    #[test]
    fn distant_cells_are_shown_whether_the_law_names_a_cell_or_not() {
        for (far, z) in [(100, 0), (i32::MAX - 1, i32::MAX - 9)] {
            let frame = |cells: &[IVec3]| {
                let water = cells.iter().map(|cell| (cell.to_array(), Tile::Water(1.0)));
                water.chain([([0, 0, 0], Tile::Air)]).collect::<Frame>()
            };
            let cells = [IVec3::new(far, 0, z), IVec3::new(far, 2, z + 9)];
            let expected = Region::new(IVec3::new(far - 1, -1, z), IVec3::new(far + 1, 3, z + 9));
            for named in [None, Some(cells[0])] {
                assert_eq!(view(&[frame(&cells)], named), Some(expected), "{far}");
            }
        }
    }

    #[test]
    fn cells_of_small_worlds_are_enlarged_up_to_the_width_of_a_strip() {
        assert_eq!(side_of_cell(1, 5), MOST_CELL);
        assert_eq!(side_of_cell(12, MOST_CELLS as usize), LEAST_CELL);
        let side = side_of_cell(6, 8);
        assert!(LEAST_CELL < side && side < MOST_CELL && 6 * (8 * side + GAP) + GAP <= WIDTH + GAP);
    }

    fn strip<W: Kind>(path: &Path) -> Result<Option<String>, String> {
        let broken = Broken { law: "", tick: 0, what: String::new(), cell: None };
        save(path, &hunt::case::<W>(3), &broken)
    }

    #[test]
    fn every_kind_has_a_strip_or_says_why_not() {
        let path = std::env::temp_dir().join(format!("minimise-{}.png", std::process::id()));
        for name in NAMES {
            let none = for_kind!(name, strip(&path), else Err(name.to_owned())).unwrap();
            let expected = (name == "graph").then(|| "none: graph has no cells".to_owned());
            assert_eq!(none, expected, "{name}");
            assert_eq!(std::fs::remove_file(&path).is_ok(), expected.is_none(), "{name}");
        }
    }
}
