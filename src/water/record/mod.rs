//! A chunk that was taken out of a world, as a value with all that its water needs to flow on. The
//! bytes of a record are in `bytes`; chunks are taken out and put in by
//! [`edit::records`](crate::water::edit).

mod bytes;

use crate::chunk::Chunk;
use crate::coords::ChunkPos;
use crate::water::cell::CellFlags;
use crate::water::fixture::Fixture;
use crate::water::flow_record::FaceFlows;
use crate::water::voxel::Voxel;
use glam::IVec3;

/// A chunk that was taken out of a world by
/// [`remove_chunks`](crate::water::WaterWorld::remove_chunks), with the flows inside it and across
/// its faces. It can be put into this world or another by
/// [`insert_records`](crate::water::WaterWorld::insert_records), and until then be kept or sent,
/// also as bytes ([`to_bytes`](ChunkRecord::to_bytes)).
///
/// A record holds the cells of the chunk, all parents of each cell, the fixtures, and the steady
/// flow that passes the cells. It also holds the cells outside the chunk that lost a parent when
/// the chunk was taken out, as they were before. Which cells were awake is not kept, since waking
/// changes nothing.
///
/// ```
/// use floodplain::water::{ChunkRecord, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunks([0, 1].map(|y| (ChunkPos::new(0, y, 0), Chunk::uniform(Voxel::OPEN))))?;
/// world.add_source(IVec3::new(8, 20, 8))?;
/// world.run(10);
///
/// let before = world.state_hash();
/// let records = world.remove_chunks([ChunkPos::new(0, 1, 0)])?;
/// assert_eq!(world.ledger().unloaded, records[0].units());
/// let bytes = records[0].to_bytes();
/// world.insert_records([ChunkRecord::from_bytes(&bytes)?])?;
/// assert_eq!(world.state_hash(), before, "it falls on as if nothing had been");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct ChunkRecord {
    pub(crate) position: ChunkPos,
    /// The chunk; its cells beyond the world's bounds are open.
    pub(crate) state: ChunkState,
    /// The cells outside the chunk that lost a parent when it was taken out, in order of position.
    pub(crate) cut: Vec<CutCell>,
}

/// All that decides the flow of a chunk between ticks, except which cells are awake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkState {
    pub(crate) cells: Chunk<Voxel>,
    pub(crate) lists: CellLists,
}

/// Further data of some cells of a chunk, in order of their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellLists {
    /// For each cell with several parents, a bit for each face across which it has one.
    pub(crate) further_parents: Vec<(u16, u8)>,
    /// The fixtures of the cells.
    pub(crate) fixtures: Vec<(u16, Fixture)>,
    /// The steady flow that leaves the cells.
    pub(crate) steady: Vec<(u16, FaceFlows)>,
}

/// A cell outside a chunk that lost a parent when the chunk was taken out, as it was before: a
/// child of a cell of the chunk, or a child of a cell that dried up as a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutCell {
    pub(crate) cell: IVec3,
    pub(crate) voxel: Voxel,
    /// A bit for each face across which it had a parent.
    pub(crate) parents: u8,
}

impl ChunkRecord {
    /// Returns the chunk's position, in chunks.
    pub fn position(&self) -> ChunkPos {
        self.position
    }

    /// Returns the cells of the chunk. Cells beyond the bounds of the world that it comes from are
    /// open.
    pub fn chunk(&self) -> &Chunk<Voxel> {
        &self.state.cells
    }

    /// Returns the fixtures of the chunk, with the local indices of their cells, in order.
    pub fn fixtures(&self) -> impl ExactSizeIterator<Item = (usize, Fixture)> {
        self.state.lists.fixtures.iter().map(|&(index, fixture)| (index.into(), fixture))
    }

    /// Returns the units of water in the chunk, springs included.
    pub fn units(&self) -> u64 {
        self.state.cells.units()
    }

    /// Returns the bytes held on the heap.
    pub fn memory_bytes(&self) -> usize {
        let ChunkState { cells, lists: CellLists { further_parents, fixtures, steady } } =
            &self.state;
        cells.heap_bytes()
            + further_parents.capacity() * size_of::<(u16, u8)>()
            + fixtures.capacity() * size_of::<(u16, Fixture)>()
            + steady.capacity() * size_of::<(u16, FaceFlows)>()
            + self.cut.capacity() * size_of::<CutCell>()
    }
}

/// Returns whether a cell of a world can have parents across these faces, by bit: its direction
/// gives the first parent, and it must have the Extra flag exactly if there are several.
pub(crate) fn are_parents_of(voxel: Voxel, parents: u8) -> bool {
    let first = voxel.parent_face().map_or(0, |face| 1 << face.index());
    !voxel.is_mark()
        && parents < 1 << 6
        && parents & first == first
        && (parents == 0) == (first == 0)
        && (parents.count_ones() > 1) == voxel.has(CellFlags::EXTRA)
}
