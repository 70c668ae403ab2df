//! Minecraft region files (the Anvil format, `.mca`): 32 × 32 columns of chunks in sectors of 4,096
//! bytes, each compressed for itself.

mod block;
mod column;
mod error;
mod nbt;
mod old_ids;
mod packing;
mod rules;
mod section;
mod sectors;
mod splice;
mod state;

pub use block::{Block, is_open_block};
pub use error::{ColumnFault, RegionError, SectionFault};
pub use rules::{BlockRules, Sources};

use super::MAX_CHUNKS;
use crate::chunk::Chunk;
use crate::water::{Voxel, WaterWorld};
use column::Column;
use glam::IVec3;
use sectors::Stored;
use std::borrow::Cow;

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
/// world.insert_chunks(region.chunks(&rules)?)?;
/// world.run(100);
/// std::fs::write("r.0.0.mca", region.with_water(&world, &rules)?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegionFile {
    bytes: Vec<u8>,
}

impl RegionFile {
    /// Returns the region file with these bytes. Its columns are read later, when they are asked
    /// for. A file without bytes, as the game leaves some, has no columns.
    ///
    /// # Errors
    /// The file ends within its header.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<RegionFile, RegionError> {
        let bytes = bytes.into();
        if !bytes.is_empty() && bytes.len() < sectors::HEADER {
            return Err(RegionError::Header { bytes: bytes.len() });
        }
        Ok(RegionFile { bytes })
    }

    /// Returns the places in the file at which it has columns: x and z, each 0 to 31, z slowest.
    pub fn columns(&self) -> impl Iterator<Item = [u8; 2]> {
        sectors::places().filter(|&at| sectors::location(&self.bytes, at).is_some())
    }

    /// Returns the chunks of all columns, at the positions that they have in the game's world, with
    /// the water in them: what [`insert_chunks`](crate::water::WaterWorld::insert_chunks) takes. In
    /// order of [`columns`](RegionFile::columns), and from the lowest.
    ///
    /// Columns that the game has not finished are left out. A column reaches from the bottom of the
    /// world to the highest section with blocks, before 1.18 to a height of 256; what is not stored
    /// of it is open.
    ///
    /// # Errors
    /// A column is damaged, or there are more than [`MAX_CHUNKS`] chunks. With
    /// [`column`](RegionFile::column) the sound columns of a damaged file can be read.
    pub fn chunks(
        &self,
        rules: &BlockRules<'_>,
    ) -> Result<Vec<(IVec3, Chunk<Voxel>)>, RegionError> {
        let mut chunks = Vec::new();
        for at in self.columns() {
            let read = |column: Column<'_>| {
                let is_within = chunks.len() + column.chunk_count() <= MAX_CHUNKS;
                is_within.then(|| column.chunks(rules)).transpose()
            };
            match self.read(at, read)?.flatten() {
                Some(column) => chunks.extend(column),
                None => return Err(RegionError::TooManyChunks),
            }
        }
        Ok(chunks)
    }

    /// Returns the chunks of the column at a place in the file, as [`chunks`](RegionFile::chunks)
    /// does; none if there is no column, or x or z is above 31.
    ///
    /// # Errors
    /// The column is damaged.
    pub fn column(
        &self,
        at: [u8; 2],
        rules: &BlockRules<'_>,
    ) -> Result<Vec<(IVec3, Chunk<Voxel>)>, RegionError> {
        Ok(self.read(at, |column| column.chunks(rules))?.unwrap_or_default())
    }

    /// Returns the bytes of a region file in which the blocks hold the water of `world`, so that
    /// the file reads back as the same water under the same rules. `rules` must be those under
    /// which the chunks were read.
    ///
    /// Only chunks that `world` has loaded change, and of these only cells that hold something else
    /// than their block did: dry cells become air, wet ones water of the level that belongs to
    /// their height, and what has been built since becomes stone. A full cell is a source, which
    /// lasts in the game; where sources would read back without end, it is water that falls.
    /// Springs and sea become sources; under rules that have neither, these read back as seven
    /// units.
    ///
    /// A waterlogged block that is open stays what it is while its cell is full or dry; water of
    /// any other height takes its place, as it does with plants and torches that it reaches. A
    /// solid waterlogged block keeps the water in it, which no world counts. All other blocks,
    /// entities and data stay byte by byte. So do heightmaps and light: the game makes them anew
    /// where it notices a change, and its own tools do so for a whole world.
    ///
    /// # Errors
    /// A column is damaged, or would become too long. One that lies in a file of its own is kept.
    pub fn with_water(
        &self,
        world: &WaterWorld,
        rules: &BlockRules<'_>,
    ) -> Result<Vec<u8>, RegionError> {
        let mut file = sectors::Writer::new(&self.bytes);
        for at in self.columns() {
            let stored = self.stored(at)?;
            if stored.is_external() {
                file.push(at, Cow::Borrowed(&[]), stored.compression);
                continue;
            }
            let changed = self.read(at, |column| column.with_water(world, rules))?.flatten();
            match changed {
                None => file.push(at, Cow::Borrowed(stored.bytes), stored.compression),
                Some(bytes) => {
                    let bytes = sectors::deflate(&bytes);
                    if !sectors::fits(bytes.len()) {
                        let fault = ColumnFault::TooLongToWrite { bytes: bytes.len() };
                        return Err(self.error(at, fault));
                    }
                    file.push(at, Cow::Owned(bytes), sectors::ZLIB);
                }
            }
        }
        Ok(file.finish())
    }

    /// Returns where the column at a place lies.
    fn stored(&self, at: [u8; 2]) -> Result<Stored<'_>, RegionError> {
        sectors::stored(&self.bytes, at).map_err(|fault| self.error(at, fault))
    }

    /// Decompresses the column at a place, if there is one, and returns what is read of it.
    fn read<T>(
        &self,
        at: [u8; 2],
        read: impl FnOnce(Column<'_>) -> Result<T, ColumnFault>,
    ) -> Result<Option<T>, RegionError> {
        if sectors::location(&self.bytes, at).is_none() {
            return Ok(None);
        }
        let stored = self.stored(at)?;
        let decompressed = || {
            let bytes = sectors::inflate(&stored)?;
            let column = Column::read(&bytes)?;
            let named = column.position;
            let is_here = [named.x & 31, named.y & 31] == at.map(i32::from);
            if !is_here || !column.is_in_range() {
                return Err(ColumnFault::Position { named });
            }
            read(column)
        };
        decompressed().map(Some).map_err(|fault| self.error(at, fault))
    }

    /// Returns the error of a column.
    fn error(&self, at: [u8; 2], fault: ColumnFault) -> RegionError {
        let offset = sectors::location(&self.bytes, at).map_or(0, |location| location.offset);
        RegionError::Column { at, offset, fault }
    }
}
