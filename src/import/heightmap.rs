//! Heightmaps: grey pictures whose values are the heights of columns of ground.

use super::MAX_CHUNKS;
use super::boxes::{TooLarge, chunks_of_box};
use super::budget::{Budget, OverBudget, Work};
use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Region, Shape};
use crate::water::{Voxel, WaterCell};
use core::fmt;
use glam::IVec3;
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// The longest side of a heightmap, in columns.
pub const MAX_HEIGHTMAP_SIDE: u32 = 8192;

/// The most columns of a heightmap: 4096 × 4096, 32 MB.
const MOST_COLUMNS: u64 = 1 << 24;

/// The units of work for looking up the columns of a chunk.
const UNITS_OF_COLUMNS: u64 = 256;

/// The units of work for the cells of a chunk, if not all of them are equal.
const UNITS_OF_CELLS: u64 = 2048 - UNITS_OF_COLUMNS;

/// Heights of columns: x runs from left to right, z from top to bottom. Maps compare equal even if
/// they were read within different budgets.
#[derive(Clone, Debug)]
pub struct Heightmap {
    width: u32,
    depth: u32,
    values: Vec<u16>,
    /// The least value and the greatest.
    range: [u16; 2],
    /// The budget of each call that makes chunks.
    work: Work,
}

impl PartialEq for Heightmap {
    fn eq(&self, other: &Heightmap) -> bool {
        self.size() == other.size() && self.values == other.values
    }
}

impl Eq for Heightmap {}

/// How the values of a heightmap become columns of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeightRules {
    /// The highest solid cell of the first column if its value is 0. Default zero.
    pub origin: IVec3,
    /// The number of cells by which a column is higher for each [`per`](HeightRules::per) of its
    /// value. Default 1.
    pub cells: u16,
    /// The step in value for which a column is higher by [`cells`](HeightRules::cells); heights are
    /// rounded down. Default 1: a cell for each value.
    pub per: u16,
    /// The number of open cells that are loaded above the highest ground and water. Default 16.
    pub sky: u16,
    /// The water above the ground. Default [`MapWater::None`].
    pub water: MapWater,
}

/// The water of a heightmap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapWater {
    /// No water.
    #[default]
    None,
    /// Open cells at and below this y hold 7 units each.
    Cells(i32),
    /// Open cells at and below this y are [sea](crate::water::Voxel::SEA).
    Sea(i32),
}

impl Default for HeightRules {
    fn default() -> Self {
        HeightRules { origin: IVec3::ZERO, cells: 1, per: 1, sky: 16, water: MapWater::None }
    }
}

/// Why a heightmap was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeightmapError {
    /// The file is no PNG, is damaged, or ends too soon.
    Png {
        /// The number of bytes of the file that had been read.
        at: u64,
        /// The message of the decoder.
        reason: String,
    },
    /// The picture is in colour at a column: its red, green and blue differ, or the palette lacks
    /// its colour.
    Colour {
        /// The column along x.
        x: u32,
        /// The column along z.
        z: u32,
    },
    /// The picture has no columns, a side above [`MAX_HEIGHTMAP_SIDE`], more than 2²⁴ columns, or
    /// not one value for each column.
    Size {
        /// The columns of the picture along x.
        width: u32,
        /// The columns of the picture along z.
        depth: u32,
        /// The number of values.
        values: usize,
    },
    /// [`HeightRules::per`] is 0.
    Scale,
    /// A cell would lie beyond the range of `i32`.
    Position,
    /// The columns need more than [`MAX_CHUNKS`] chunks. A part of the columns can be read by
    /// [`Heightmap::chunks_in`].
    TooLarge,
    /// The picture, or its chunks, need more work than the file's [`Budget`].
    OverBudget {
        /// The units that the file may take.
        units: u64,
    },
}

impl From<OverBudget> for HeightmapError {
    fn from(OverBudget { units }: OverBudget) -> Self {
        HeightmapError::OverBudget { units }
    }
}

impl fmt::Display for HeightmapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeightmapError::Png { at, reason } => write!(f, "byte {at}: {reason}"),
            HeightmapError::Colour { x, z } => {
                write!(f, "the picture is in colour at {x}, {z}; heights are grey")
            }
            HeightmapError::Size { width, depth, values } => {
                write!(f, "{values} values of {width} × {depth} columns")
            }
            HeightmapError::Scale => write!(f, "a height for each 0 of the value"),
            HeightmapError::Position => write!(f, "a column leaves the range of i32"),
            HeightmapError::TooLarge => write!(f, "the columns need more than {MAX_CHUNKS} chunks"),
            HeightmapError::OverBudget { units } => {
                write!(f, "the picture asks for more than its {units} units of work")
            }
        }
    }
}

impl core::error::Error for HeightmapError {}

impl Heightmap {
    /// Returns the heightmap of `values`, row by row from the top. The values come from the program
    /// itself, so there is no [`Budget`] for the chunks.
    ///
    /// # Errors
    /// The size is out of range, or does not match the number of values: [`HeightmapError::Size`].
    pub fn new(width: u32, depth: u32, values: Vec<u16>) -> Result<Heightmap, HeightmapError> {
        let work = Budget::UNLIMITED.work(values.len());
        Heightmap::with_work(width, depth, values, work)
    }

    fn with_work(
        width: u32,
        depth: u32,
        values: Vec<u16>,
        work: Work,
    ) -> Result<Heightmap, HeightmapError> {
        check_size(width, depth, values.len())?;
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        Ok(Heightmap { width, depth, values, range: [low, high], work })
    }

    /// Reads a grey PNG picture. Its values are not scaled: with 8 bits they are at most 255, and
    /// with fewer bits less. Grey that is stored as red, green and blue, or by a palette, is
    /// accepted, too: its value is that of each of the three. An alpha channel is ignored.
    ///
    /// # Errors
    /// The file is damaged, in colour, or too large, or needs more work than the default
    /// [`Budget`].
    pub fn from_png(bytes: &[u8]) -> Result<Heightmap, HeightmapError> {
        Heightmap::from_png_within(bytes, Budget::default())
    }

    /// Reads a picture, as [`from_png`](Heightmap::from_png) does, within `budget`. Each later call
    /// for chunks has the same budget.
    ///
    /// # Errors
    /// The errors of [`from_png`](Heightmap::from_png).
    pub fn from_png_within(bytes: &[u8], budget: Budget) -> Result<Heightmap, HeightmapError> {
        let mut source = Cursor::new(bytes);
        let read = read_png(&mut source, budget.work(bytes.len()));
        read.map_err(|error| match error {
            Refused::Map(error) => error,
            Refused::Png(reason) => HeightmapError::Png { at: source.position(), reason },
        })
    }

    /// Returns the number of columns along x and along z.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.depth]
    }

    /// Returns the value of a column; `None` beyond the map.
    pub fn value(&self, x: u32, z: u32) -> Option<u16> {
        if x >= self.width || z >= self.depth {
            return None;
        }
        self.values.get(x as usize + z as usize * self.width as usize).copied()
    }

    /// Returns the region of the columns, from the lowest ground up to the highest ground or water
    /// and the sky above it.
    ///
    /// # Errors
    /// The scale is 0, or a cell would lie beyond the range of `i32`.
    pub fn bounds(&self, rules: &HeightRules) -> Result<Region, HeightmapError> {
        let [low, high] = self.range.map(|value| self.top(value, rules));
        let (low, mut high) = (low?, high?);
        if let MapWater::Cells(y) | MapWater::Sea(y) = rules.water {
            high = high.max(i64::from(y));
        }
        let origin = rules.origin;
        let far = |from: i32, side: u32| fit(i64::from(from) + i64::from(side) - 1);
        Ok(Region::new(
            IVec3::new(origin.x, fit(low)?, origin.z),
            IVec3::new(
                far(origin.x, self.width)?,
                fit(high + i64::from(rules.sky))?,
                far(origin.z, self.depth)?,
            ),
        ))
    }

    /// Returns the chunks of [`bounds`](Heightmap::bounds) with their positions: the argument of
    /// [`insert_chunks`](crate::water::WaterWorld::insert_chunks). A column is solid up to its
    /// height, with water above by the rules. Give the world these bounds, too: cells of the chunks
    /// beyond the bounds are not part of the map, and repeat its outermost columns.
    ///
    /// ```
    /// use floodplain::import::{HeightRules, Heightmap, MapWater};
    /// use floodplain::water::{Rules, WaterWorld};
    /// use floodplain::glam::IVec3;
    ///
    /// let map = Heightmap::new(3, 1, vec![9, 2, 9])?;
    /// let rules = HeightRules { water: MapWater::Cells(5), ..HeightRules::default() };
    /// let mut world = WaterWorld::with_bounds(7, Rules::lossless(), map.bounds(&rules)?)?;
    /// world.insert_chunks(map.chunks(&rules)?)?;
    /// assert_eq!(world.total(), 21);
    /// assert!(world.is_solid(IVec3::new(1, 2, 0)) && world.is_solid(IVec3::new(2, 9, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`bounds`](Heightmap::bounds), [`HeightmapError::TooLarge`] for more than
    /// [`MAX_CHUNKS`] chunks, and [`HeightmapError::OverBudget`] for more work than the file's
    /// [`Budget`].
    pub fn chunks(
        &self,
        rules: &HeightRules,
    ) -> Result<Vec<(ChunkPos, Chunk<Voxel>)>, HeightmapError> {
        self.chunks_in(self.bounds(rules)?, rules)
    }

    /// Returns the [`chunks`](Heightmap::chunks) that have cells in a region, for a map that is too
    /// large as a whole, or that is loaded column by column. There are none if the region is beside
    /// the map.
    ///
    /// ```
    /// use floodplain::import::{HeightRules, Heightmap};
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::Region;
    ///
    /// let map = Heightmap::new(40, 40, vec![20; 1600])?;
    /// let rules = HeightRules::default();
    /// // The column of chunks at 1, 2, at all heights.
    /// let column = Region::new(IVec3::new(16, i32::MIN, 32), IVec3::new(31, i32::MAX, 47));
    /// let chunks = map.chunks_in(column, &rules)?;
    /// let positions = chunks.iter().map(|&(position, _)| position);
    /// assert!(positions.eq([1, 2].map(|y| ChunkPos::new(1, y, 2))));
    /// # Ok::<(), floodplain::import::HeightmapError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`chunks`](Heightmap::chunks), with the limits for the chunks of the region
    /// alone.
    pub fn chunks_in(
        &self,
        region: Region,
        rules: &HeightRules,
    ) -> Result<Vec<(ChunkPos, Chunk<Voxel>)>, HeightmapError> {
        let Some(cells) = self.bounds(rules)?.intersection(&region) else { return Ok(Vec::new()) };
        let positions = chunks_of_box(cells).map_err(|TooLarge| HeightmapError::TooLarge)?;
        let mut work = self.work.clone();
        positions.positions().map(|at| Ok((at, self.chunk(at, rules, &mut work)?))).collect()
    }

    fn chunk(
        &self,
        position: ChunkPos,
        rules: &HeightRules,
        work: &mut Work,
    ) -> Result<Chunk<Voxel>, HeightmapError> {
        work.take(UNITS_OF_COLUMNS)?;
        let corner = Cube::cell_at(position, 0);
        let column = |column: usize| {
            let at = |cell: i32, origin: i32, side: u32| {
                (i64::from(cell) - i64::from(origin)).clamp(0, i64::from(side) - 1) as u32
            };
            let x = at(corner.x + (column & 15) as i32, rules.origin.x, self.width);
            let z = at(corner.z + (column >> 4) as i32, rules.origin.z, self.depth);
            self.top(self.value(x, z).unwrap_or(0), rules)
        };
        let tops: Vec<i64> = (0..LAYER_CELLS).map(column).collect::<Result<_, _>>()?;
        let (low, high) = (corner.y, Cube::region_of(position).max().y);
        let (at_low, at_high) = (rules.water.above(low), rules.water.above(high));
        if tops.iter().all(|&top| i64::from(high) <= top) {
            return Ok(Chunk::uniform(Voxel::SOLID));
        }
        if at_low == at_high && tops.iter().all(|&top| top < i64::from(low)) {
            return Ok(Chunk::uniform(at_low));
        }
        work.take(UNITS_OF_CELLS)?;
        let mut cells = [Voxel::SOLID; CHUNK_CELLS];
        for (layer, y) in cells.chunks_exact_mut(LAYER_CELLS).zip(low..=high) {
            let above = rules.water.above(y);
            let columns = layer.iter_mut().zip(&tops);
            columns.filter(|(_, top)| **top < i64::from(y)).for_each(|(cell, _)| *cell = above);
        }
        Ok(Chunk::from_cells(&cells))
    }

    /// Returns the y of the highest solid cell of a column with the value `value`.
    fn top(&self, value: u16, rules: &HeightRules) -> Result<i64, HeightmapError> {
        let scaled = i64::from(value) * i64::from(rules.cells);
        let height = scaled.checked_div(i64::from(rules.per)).ok_or(HeightmapError::Scale)?;
        Ok(i64::from(rules.origin.y) + height)
    }
}

impl MapWater {
    /// Returns the content of an open cell at height `y`.
    fn above(self, y: i32) -> Voxel {
        match self {
            MapWater::Cells(top) if y <= top => Voxel::water(WaterCell::STILL),
            MapWater::Sea(top) if y <= top => Voxel::SEA,
            _ => Voxel::OPEN,
        }
    }
}

fn fit(value: i64) -> Result<i32, HeightmapError> {
    i32::try_from(value).map_err(|_| HeightmapError::Position)
}

fn check_size(width: u32, depth: u32, values: usize) -> Result<(), HeightmapError> {
    let columns = u64::from(width) * u64::from(depth);
    let sides = 1..=MAX_HEIGHTMAP_SIDE;
    let is_right = sides.contains(&width) && sides.contains(&depth);
    if is_right && columns <= MOST_COLUMNS && columns == values as u64 {
        return Ok(());
    }
    Err(HeightmapError::Size { width, depth, values })
}

/// Why a picture was refused: by its decoder, or as a map.
enum Refused {
    Png(String),
    Map(HeightmapError),
}

impl From<png::DecodingError> for Refused {
    fn from(error: png::DecodingError) -> Self {
        Refused::Png(error.to_string())
    }
}

impl From<HeightmapError> for Refused {
    fn from(error: HeightmapError) -> Self {
        Refused::Map(error)
    }
}

fn read_png(source: &mut Cursor<&[u8]>, work: Work) -> Result<Heightmap, Refused> {
    // The limit is for the decoder's memory besides the picture itself, whose size is checked
    // first.
    let mut decoder = Decoder::new_with_limits(source, Limits { bytes: 1 << 24 });
    // Nothing is expanded, so that a grey value of a few bits is not scaled.
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info()?;
    let (width, depth) = reader.info().size();
    let columns = u64::from(width) * u64::from(depth);
    check_size(width, depth, usize::try_from(columns).unwrap_or(usize::MAX))?;
    let (colour, bits) = reader.output_color_type();
    work.clone().take(columns * colour.samples() as u64).map_err(HeightmapError::from)?;
    let palette = reader.info().palette.as_deref().unwrap_or_default().to_vec();
    let size = reader.output_buffer_size();
    let mut picture = vec![0; size.ok_or(Refused::Png("the picture is too large".into()))?];
    let frame = reader.next_frame(&mut picture)?;
    let rows = picture.chunks_exact(frame.line_size.max(1));
    let mut values = Vec::with_capacity(columns as usize);
    for (z, row) in (0..depth).zip(rows) {
        for x in 0..width {
            let value = grey_at(row, x as usize, colour, bits, &palette);
            values.push(value.ok_or(HeightmapError::Colour { x, z })?);
        }
    }
    Ok(Heightmap::with_work(width, depth, values, work)?)
}

/// Returns the value at `x` in a row of the picture; `None` if it is not grey.
fn grey_at(row: &[u8], x: usize, colour: ColorType, bits: BitDepth, palette: &[u8]) -> Option<u16> {
    let first = x * colour.samples();
    let [red, green, blue] = match colour {
        ColorType::Grayscale | ColorType::GrayscaleAlpha => {
            return Some(value_at(row, first, bits));
        }
        ColorType::Rgb | ColorType::Rgba => [0, 1, 2].map(|at| value_at(row, first + at, bits)),
        ColorType::Indexed => {
            let index = usize::from(value_at(row, first, bits));
            palette.as_chunks::<3>().0.get(index)?.map(u16::from)
        }
    };
    (red == green && green == blue).then_some(red)
}

/// Returns a sample of a row; samples of less than a byte begin at its highest bits.
fn value_at(row: &[u8], sample: usize, bits: BitDepth) -> u16 {
    let byte = |at: usize| u16::from(row.get(at).copied().unwrap_or(0));
    match bits {
        BitDepth::Sixteen => byte(2 * sample) << 8 | byte(2 * sample + 1),
        BitDepth::Eight => byte(sample),
        bits => {
            let bits = bits as usize;
            let shift = 8 - bits - sample * bits % 8;
            byte(sample * bits / 8) >> shift & ((1 << bits) - 1)
        }
    }
}
