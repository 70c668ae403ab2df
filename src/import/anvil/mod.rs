//! Minecraft region files (the Anvil format, `.mca`): 32 × 32 columns of chunks in sectors of 4,096
//! bytes, each column compressed separately.

mod biome;
mod block;
mod column;
mod error;
mod nbt;
mod old_ids;
mod report;
mod rules;
mod sea;
mod section;
mod sectors;
mod stage;
mod state;
mod writer;

pub use block::{Block, is_open_block};
pub use error::{ColumnFault, RegionError, SectionFault};
pub use report::{LeftOut, RegionBytes, RegionChunks, RegionReport, WhyLeftOut};
pub use rules::{BlockRules, Inland, Sources};

use super::MAX_CHUNKS;
use super::budget::{Budget, Work};
use crate::chunk::{CellMask, Chunk};
use crate::coords::ChunkPos;
use crate::water::{FULL, Voxel, WaterWorld};
use column::Column;
use error::Failure;
use hashbrown::HashMap;
use sea::{Coastline, Oceans};
use sectors::Extent;
use std::borrow::Cow;
use writer::Writer;

/// A Minecraft region file: columns of chunks, from which water worlds are made, and into which
/// their water is written back.
///
/// ```no_run
/// use floodplain::import::{BlockRules, RegionFile};
/// use floodplain::water::{Rules, WaterWorld};
///
/// let region = RegionFile::from_bytes(std::fs::read("r.0.0.mca")?)?;
/// let rules = BlockRules::default();
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// let read = region.chunks(&rules)?;
/// println!("{}", read.report);
/// world.insert_chunks(read.chunks)?;
/// world.run(100);
/// std::fs::write("r.0.0.mca", region.with_water(&world, &rules)?.bytes)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegionFile {
    bytes: Vec<u8>,
    budget: Budget,
}

impl RegionFile {
    /// Returns the region file with these bytes. Each call that reads columns decompresses them,
    /// within the default [`Budget`]. A file without bytes, as the game leaves some, has no
    /// columns.
    ///
    /// # Errors
    /// The file ends within its header.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<RegionFile, RegionError> {
        RegionFile::from_bytes_within(bytes, Budget::default())
    }

    /// Returns the region file with these bytes, as [`from_bytes`](RegionFile::from_bytes) does,
    /// with `budget` for each read or write.
    ///
    /// # Errors
    /// The file ends within its header.
    pub fn from_bytes_within(
        bytes: impl Into<Vec<u8>>,
        budget: Budget,
    ) -> Result<RegionFile, RegionError> {
        let bytes = bytes.into();
        if !bytes.is_empty() && bytes.len() < sectors::HEADER {
            return Err(RegionError::Header { bytes: bytes.len() });
        }
        Ok(RegionFile { bytes, budget })
    }

    /// Returns the places in the file at which it has columns: x and z, each 0 to 31, z slowest.
    pub fn columns(&self) -> impl Iterator<Item = [u8; 2]> {
        sectors::places().filter(|&at| sectors::location(&self.bytes, at).is_some())
    }

    /// Returns the chunks of all columns, at their positions in the game's world, with the water in
    /// them, and a report of the parts left out. The chunks are in order of
    /// [`columns`](RegionFile::columns), and from the lowest in each column.
    ///
    /// Skips columns that the game has not finished, that have no blocks, that are damaged, or that
    /// are stored at the place of another column. In columns from before 1.18 that are being
    /// upgraded, sections below 0 that do not exist yet are skipped. A column reaches from the
    /// bottom of the world to the highest section with blocks, or to a height of 256 before 1.18.
    /// Sections that are not stored are open.
    ///
    /// # Errors
    /// The file has more than [`MAX_CHUNKS`] chunks, or needs more work than the budget.
    pub fn chunks(&self, rules: &BlockRules<'_>) -> Result<RegionChunks, RegionError> {
        let mut chunks = Vec::new();
        let mut oceans = Oceans::default();
        let mut work = self.budget.work(self.bytes.len());
        let report = self.each_column(&mut work, |_, column, work| {
            oceans.note(column, rules);
            if chunks.len() + column.chunk_count() > MAX_CHUNKS {
                return Err(Failure::File(RegionError::TooManyChunks));
            }
            chunks.extend(column.chunks(rules, work)?);
            Ok(())
        })?;
        sea::part(&mut chunks, &oceans, rules, &mut work)?;
        Ok(RegionChunks { chunks, report })
    }

    /// Returns the chunks of the column at a place in the file, even if
    /// [`chunks`](RegionFile::chunks) leaves it out: because the game has not finished it, because
    /// its position differs from its place, or because it shares bytes with other columns. The
    /// chunks are at the position that the column names. There are none if there is no column at
    /// the place, or x or z is above 31. The sea is found within this column alone.
    ///
    /// # Errors
    /// The column is damaged, or needs more work than the budget.
    pub fn column(
        &self,
        at: [u8; 2],
        rules: &BlockRules<'_>,
    ) -> Result<Vec<(ChunkPos, Chunk<Voxel>)>, RegionError> {
        let Some(location) = sectors::location(&self.bytes, at) else { return Ok(Vec::new()) };
        let mut work = self.budget.work(self.bytes.len());
        let mut read = || {
            let stored = sectors::stored(&self.bytes, at)?;
            let bytes = sectors::inflate(&stored, &mut work)?;
            let column = Column::read(&bytes)?;
            if !column.is_in_range() {
                return Err(ColumnFault::Position { named: column.position }.into());
            }
            let mut oceans = Oceans::default();
            oceans.note(&column, rules);
            let mut chunks = column.chunks(rules, &mut work)?;
            sea::part(&mut chunks, &oceans, rules, &mut work)?;
            Ok(chunks)
        };
        read().map_err(|failure| match failure {
            Failure::File(error) => error,
            Failure::Column(fault) => RegionError::Column { at, offset: location.offset, fault },
        })
    }

    /// Returns the bytes of a region file in which the blocks hold the water of `world`, so that
    /// the file reads back as the same water under the same rules. Also returns a report of the
    /// columns that do not change, whatever `world` has there: columns that
    /// [`chunks`](RegionFile::chunks) leaves out, and columns that would become too long. `rules`
    /// must be the rules under which the chunks were read.
    ///
    /// Only chunks that `world` has loaded change, and of these only cells whose content differs
    /// from their block: dry cells become air, wet cells become water of the level of their height,
    /// and cells that have become solid become stone. A full cell becomes a source, which is
    /// permanent in the game; where sources would read back as unlimited water, it becomes falling
    /// water. Springs and sea become sources. Under rules without springs or sea, such sources read
    /// back as seven units, and sea that is no longer connected to the sea reads back as
    /// [`Inland`].
    ///
    /// A waterlogged block that is open does not change while its cell is full or dry. Water of any
    /// other height replaces it, as it replaces plants and torches that it reaches. A solid
    /// waterlogged block keeps its water, which no world counts. All other blocks, entities and
    /// data stay byte by byte. All other columns, even damaged ones, stay in their place in the
    /// file; header entries that lead beyond the file's end are cleared, as in the game. Heightmaps
    /// and light are not changed either: the game recomputes them where it notices a change, and
    /// its tools do so for a whole world.
    ///
    /// # Errors
    /// The file needs more work than the budget.
    pub fn with_water(
        &self,
        world: &WaterWorld,
        rules: &BlockRules<'_>,
    ) -> Result<RegionBytes, RegionError> {
        let mut work = self.budget.work(self.bytes.len());
        let inland = self.inland_of(world, rules, &mut work)?;
        let mut file = Writer::new(&self.bytes);
        let report = self.each_column(&mut work, |at, column, work| {
            let Some(bytes) = column.with_water(world, &inland, rules, work)? else {
                return Ok(());
            };
            let bytes = sectors::deflate(&bytes);
            if !sectors::fits(bytes.len()) {
                return Err(ColumnFault::TooLongToWrite { bytes: bytes.len() }.into());
            }
            file.replace(at, &bytes);
            Ok(())
        })?;
        Ok(RegionBytes { bytes: file.finish(), report })
    }

    /// Returns the sources that are to read back as inland, once the file has the water of `world`:
    /// blocks that are or will be sources in it and that the sea does not reach.
    fn inland_of(
        &self,
        world: &WaterWorld,
        rules: &BlockRules<'_>,
        work: &mut Work,
    ) -> Result<HashMap<ChunkPos, CellMask>, RegionError> {
        let Sources::Sea(level) = rules.sources else { return Ok(HashMap::new()) };
        let mut coastline = Coastline::default();
        self.each_column(work, |_, column, work| {
            let chunks = column.chunks(rules, work)?;
            let water: Vec<Cow<'_, Chunk<Voxel>>> = chunks
                .iter()
                .map(|(at, old)| world.chunk(*at).unwrap_or(Cow::Borrowed(old)))
                .collect();
            let chunks = chunks.iter().zip(&water).rev().map(|((at, old), new)| {
                let is_source = |cell| {
                    let (old, new) = (old.get(cell), new.get(cell));
                    let is_spring = new.cell().is_some_and(|cell| cell.is_source());
                    new.is_sea() || is_spring || old.is_sea() && new.height() == FULL
                };
                (*at, &**new, sea::sources_below(level, *at, is_source))
            });
            coastline.add_column(level, column.ocean(level), chunks);
            Ok(())
        })?;
        Ok(coastline.inland(work)?)
    }

    /// Calls `visit` with the place in the file and the contents of each readable column, in order
    /// of the places. Returns a report of the other columns and of the columns for which `visit`
    /// fails.
    fn each_column(
        &self,
        work: &mut Work,
        mut visit: impl FnMut([u8; 2], &Column<'_>, &mut Work) -> Result<(), Failure>,
    ) -> Result<RegionReport, RegionError> {
        let mut report = RegionReport::default();
        for extent in sectors::extents(&self.bytes) {
            let Extent { places, offset, .. } = &extent;
            match visit_column(&extent, work, &mut report, &mut visit) {
                Ok(()) => {}
                Err(Failure::File(error)) => return Err(error),
                Err(Failure::Column(fault)) => {
                    let why = WhyLeftOut::Unreadable(fault);
                    places.iter().for_each(|&at| report.push(at, *offset, why.clone()));
                }
            }
        }
        report.sort();
        Ok(report)
    }
}

/// Reads a column, and calls `visit` with it unless it is to be left out.
fn visit_column(
    Extent { places, offset, stored }: &Extent<'_>,
    work: &mut Work,
    report: &mut RegionReport,
    visit: &mut impl FnMut([u8; 2], &Column<'_>, &mut Work) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stored = stored.as_ref().map_err(ColumnFault::clone)?;
    let bytes = sectors::inflate(stored, work)?;
    let column = Column::read(&bytes)?;
    let named = column.position;
    let is_named = |at: &[u8; 2]| [named.x & 31, named.z & 31] == at.map(i32::from);
    let at = places.iter().copied().find(is_named).filter(|_| column.is_in_range());
    let at = at.ok_or(ColumnFault::Position { named })?;
    for &other in places.iter().filter(|&&other| other != at) {
        let fault = ColumnFault::Overlap { with: at };
        report.push(other, *offset, WhyLeftOut::Unreadable(fault));
    }
    let why = match column.why_left_out() {
        Some(why) => Some(why),
        None => match visit(at, &column, work) {
            Ok(()) => {
                report.columns += 1;
                let sections = column.missing();
                (sections > 0).then_some(WhyLeftOut::BelowZero { sections })
            }
            Err(Failure::Column(fault)) => Some(WhyLeftOut::Unreadable(fault)),
            Err(error) => return Err(error),
        },
    };
    why.into_iter().for_each(|why| report.push(at, *offset, why));
    Ok(())
}
