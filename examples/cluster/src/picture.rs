//! The picture of a run: a map of the columns by owner, a map of their awake
//! cells, and below them a row for each time that loads were noted, with the share of each rank.

use crate::faults::Fault;
use crate::rank::Rank;
use floodplain::ColumnPos;
use floodplain::parts::{InParts, Plan};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// Pixels of a column, and between the parts of the picture.
const SIDE: usize = 16;
/// Pixels of the height of a noted time.
const ROW: usize = 8;

/// The colours of ranks; they repeat from the ninth rank on.
pub const OWNERS: [[u8; 3]; 8] = [
    [31, 119, 180],
    [255, 127, 14],
    [44, 160, 44],
    [214, 39, 40],
    [148, 103, 189],
    [140, 86, 75],
    [227, 119, 194],
    [188, 189, 34],
];

/// The loads of the columns with their owners, at several times.
#[derive(Default)]
pub struct History {
    times: Vec<Vec<(ColumnPos, usize, u64)>>,
}

impl History {
    /// Notes the loads now.
    pub fn note<W: InParts>(&mut self, rank: &mut Rank<W>) -> Result<(), Fault> {
        let loads = rank.loads()?;
        let of = |(column, owner)| (column, owner, loads.get(&column).copied().unwrap_or(0));
        self.times.push(rank.plan().columns().map(of).collect());
        Ok(())
    }

    /// Writes `cluster.png` into a folder.
    pub fn draw(&self, folder: &Path, plan: &Plan) -> Result<(), Fault> {
        let columns: Vec<ColumnPos> = plan.columns().map(|(column, _)| column).collect();
        let wide = columns.iter().map(|column| column.x as usize + 1).max().unwrap_or(0);
        let deep = columns.iter().map(|column| column.z as usize + 1).max().unwrap_or(0);
        let maps = (SIDE * (wide + 1 + wide + 2), SIDE * (deep + 2));
        let mut canvas = Canvas::new(maps.0, maps.1 + ROW * self.times.len() + SIDE);
        for &(column, owner, load) in self.times.last().into_iter().flatten() {
            let most = self.times.iter().flatten().map(|&(.., load)| load).max().unwrap_or(1);
            let at = |map: usize| {
                (SIDE * (1 + map * (wide + 1) + column.x as usize), SIDE * (1 + column.z as usize))
            };
            canvas.fill(at(0), (SIDE - 1, SIDE - 1), OWNERS[owner % OWNERS.len()]);
            canvas.fill(at(1), (SIDE - 1, SIDE - 1), heat(load, most));
        }
        for (number, time) in self.times.iter().enumerate() {
            let y = maps.1 + ROW * number;
            canvas.shares(SIDE, y, maps.0 - 2 * SIDE, &by_rank(time));
        }
        fs::create_dir_all(folder)?;
        canvas.write(&folder.join("cluster.png"))
    }
}

/// Returns the load of each rank.
fn by_rank(time: &[(ColumnPos, usize, u64)]) -> BTreeMap<usize, u64> {
    let mut loads = BTreeMap::new();
    time.iter().for_each(|&(_, owner, load)| *loads.entry(owner).or_default() += load);
    loads
}

/// Returns dark blue for no load, to yellow for the most.
pub fn heat(load: u64, most: u64) -> [u8; 3] {
    let part = load as f64 / most.max(1) as f64;
    [20.0 + 235.0 * part, 20.0 + 200.0 * part, 70.0 - 40.0 * part].map(|light| light as u8)
}

/// A picture that is being painted.
pub struct Canvas {
    size: (usize, usize),
    pixels: Vec<u8>,
}

impl Canvas {
    pub fn new(wide: usize, high: usize) -> Canvas {
        Canvas { size: (wide, high), pixels: vec![255; 3 * wide * high] }
    }

    /// Paints a rectangle.
    pub fn fill(&mut self, at: (usize, usize), size: (usize, usize), colour: [u8; 3]) {
        for y in at.1..at.1 + size.1 {
            for x in at.0..at.0 + size.0 {
                let pixel = 3 * (y * self.size.0 + x);
                self.pixels[pixel..pixel + 3].copy_from_slice(&colour);
            }
        }
    }

    /// Draws a row that the ranks divide as they do the load.
    fn shares(&mut self, x: usize, y: usize, wide: usize, loads: &BTreeMap<usize, u64>) {
        let total = loads.values().sum::<u64>().max(1) as u128;
        let mut before = 0u128;
        for (&rank, &load) in loads {
            let from = (before * wide as u128 / total) as usize;
            before += u128::from(load);
            let to = (before * wide as u128 / total) as usize;
            self.fill((x + from, y), (to - from, ROW - 2), OWNERS[rank % OWNERS.len()]);
        }
    }

    /// Writes the picture as a PNG file.
    pub fn write(&self, path: &Path) -> Result<(), Fault> {
        let failed = |error: png::EncodingError| Fault::Files(std::io::Error::other(error));
        let file = File::create(path)?;
        let mut encoder = png::Encoder::new(file, self.size.0 as u32, self.size.1 as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)
    }
}
