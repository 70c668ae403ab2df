//! A film strip of a case: a column for each tick, a row for each slice of the world in which there
//! is water; the cell at which the law is broken is framed.

use crate::case::Case;
use crate::laws::Broken;
use crate::png_file;
use floodplain::glam::IVec3;
use floodplain::water::{FULL, Voxel, WaterWorld};
use floodplain::{Cube, Region, Shape};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Pixels along the side of a cell, and between two pictures.
const CELL: usize = 9;
const GAP: usize = 6;
/// The most ticks and slices that are shown.
const MOST_TICKS: usize = 12;
const MOST_SLICES: usize = 5;

const PAPER: [u8; 3] = [255, 255, 255];
const AIR: [u8; 3] = [244, 241, 232];
const GROUND: [u8; 3] = [92, 80, 70];
const WATER: [u8; 3] = [58, 132, 210];
const SPRING: [u8; 3] = [20, 60, 150];
const SEA: [u8; 3] = [40, 110, 130];
const MARK: [u8; 3] = [214, 40, 40];

/// Draws the strip.
pub fn save(path: &Path, case: &Case, broken: &Broken) -> Result<(), String> {
    let frames = frames(case);
    let Some(view) = view(&frames, broken.cell) else {
        return Err("there is no cell to draw".to_owned());
    };
    let mut slices: Vec<i32> = (view.min().z..=view.max().z).collect();
    if slices.len() > MOST_SLICES {
        let middle = broken.cell.map_or((view.min().z + view.max().z) / 2, |cell| cell.z);
        slices.sort_by_key(|z| (z - middle).abs());
        slices.truncate(MOST_SLICES);
        slices.sort_unstable();
    }
    let [across, up, _] = view.size().map(|side| side as usize);
    let (width, height) = (across * CELL + GAP, up * CELL + GAP);
    let mut picture = Picture::new(frames.len() * width + GAP, slices.len() * height + GAP);
    for (column, (_, cells)) in frames.iter().enumerate() {
        for (row, &z) in slices.iter().enumerate() {
            let corner = (GAP + column * width, GAP + row * height);
            for (x, y) in (0..across).flat_map(|x| (0..up).map(move |y| (x, y))) {
                let cell = IVec3::new(view.min().x + x as i32, view.max().y - y as i32, z);
                let at = (corner.0 + x * CELL, corner.1 + y * CELL);
                picture.cell(at, cells(cell));
                if broken.cell == Some(cell) && column + 1 == frames.len() {
                    picture.frame(at);
                }
            }
        }
    }
    png_file::save(path, &picture.pixels, (picture.width as u32, picture.height as u32))
}

type Look = Box<dyn Fn(IVec3) -> Option<Voxel>>;

/// Returns what the cells are after some of the ticks, the last among them. A law that panics ends
/// the film.
fn frames(case: &Case) -> Vec<(Region, Look)> {
    let mut frames = Vec::new();
    let mut world = case.world();
    let every = (case.ticks as usize).div_ceil(MOST_TICKS - 1).max(1) as u64;
    let _ = catch_unwind(AssertUnwindSafe(|| {
        for tick in 0..=case.ticks {
            for (_, edit) in case.edits.iter().filter(|edit| edit.0 == tick) {
                let _ = world.apply(edit.clone());
            }
            if tick.is_multiple_of(every) || tick == case.ticks {
                frames.push(look(&world));
            }
            if tick < case.ticks {
                world.step();
            }
        }
    }));
    frames
}

/// Returns where a world is wet, or not loaded everywhere else, and its cells.
fn look(world: &WaterWorld) -> (Region, Look) {
    let mut wet: Option<Region> = None;
    let mut all = std::collections::BTreeMap::new();
    for (position, chunk) in world.chunks() {
        let Some(region) = Cube::region_of(position).intersection(&world.bounds()) else {
            continue;
        };
        for cell in region.positions() {
            let voxel = chunk.get(Cube::index_of(cell));
            all.insert(cell.to_array(), voxel);
            if voxel.height() > 0 || voxel.is_sea() {
                wet = Some(including(wet, cell));
            }
        }
    }
    let wet = wet.or_else(|| all.keys().next().map(|&cell| Region::new(cell.into(), cell.into())));
    let region = wet.unwrap_or(Region::new(IVec3::ZERO, IVec3::ZERO));
    (region, Box::new(move |cell| all.get(&cell.to_array()).copied()))
}

fn including(region: Option<Region>, cell: IVec3) -> Region {
    match region {
        None => Region::new(cell, cell),
        Some(region) => Region::new(region.min().min(cell), region.max().max(cell)),
    }
}

/// Returns the cells to show: where it is wet at any time, the cell that is broken, and one more
/// on each side.
fn view(frames: &[(Region, Look)], cell: Option<IVec3>) -> Option<Region> {
    let wet = frames.iter().map(|frame| frame.0);
    let all = wet.chain(cell.map(|cell| Region::new(cell, cell)));
    let hull = all
        .reduce(|one, other| Region::new(one.min().min(other.min()), one.max().max(other.max())))?;
    let side = IVec3::new(1, 1, 0);
    Some(Region::new(hull.min().saturating_sub(side), hull.max().saturating_add(side)))
}

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    fn new(width: usize, height: usize) -> Picture {
        Picture { width, height, pixels: PAPER.repeat(width * height) }
    }

    fn set(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        let at = 3 * (y * self.width + x);
        self.pixels[at..at + 3].copy_from_slice(&colour);
    }

    /// Draws a cell: water as high as it stands.
    fn cell(&mut self, (left, top): (usize, usize), voxel: Option<Voxel>) {
        let Some(voxel) = voxel else { return };
        let is_spring = voxel.cell().is_some_and(|cell| cell.is_source());
        let (colour, height) = match voxel {
            Voxel::SOLID => (GROUND, CELL),
            voxel if voxel.is_sea() => (SEA, CELL),
            _ if is_spring => (SPRING, CELL),
            voxel => (WATER, usize::from(voxel.height().min(FULL)) * CELL / usize::from(FULL)),
        };
        for (x, y) in (0..CELL).flat_map(|x| (0..CELL).map(move |y| (x, y))) {
            let colour = if y + height >= CELL { colour } else { AIR };
            self.set(left + x, top + y, colour);
        }
    }

    /// Frames a cell.
    fn frame(&mut self, (left, top): (usize, usize)) {
        for step in 0..CELL {
            for (x, y) in [(step, 0), (step, CELL - 1), (0, step), (CELL - 1, step)] {
                self.set(left + x, top + y, MARK);
            }
        }
    }
}
