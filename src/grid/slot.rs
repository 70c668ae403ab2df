//! The types that slab and map share: the index of a chunk, and the entry at that index.

use crate::chunk::Chunk;
use crate::coords::ChunkPos;

/// The index of a chunk in a grid's slab. Valid until that chunk is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

impl Default for Slot {
    fn default() -> Self {
        Slot::NONE
    }
}

impl Slot {
    /// No chunk.
    pub(crate) const NONE: Slot = Slot(u32::MAX);

    /// Returns the slot with this index. Panics if the index is 2³²−1 or more, as
    /// [`Grid`](super::Grid) documents.
    pub(super) fn new(index: usize) -> Slot {
        match u32::try_from(index) {
            Ok(index) if index != u32::MAX => Slot(index),
            _ => panic!("a grid holds fewer than 2³²−1 chunks"),
        }
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self != Slot::NONE
    }

    /// Returns the layers of the chunk, from the bottom up.
    #[inline]
    pub(crate) fn layers(self) -> impl Iterator<Item = LayerId> {
        (0..16).map(move |y| LayerId { slot: self, y })
    }
}

/// A layer of a chunk: the cells with one y. The slot may be [`Slot::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LayerId {
    pub(crate) slot: Slot,
    /// The layer's y in the chunk, 0 to 15.
    pub(crate) y: usize,
}

impl LayerId {
    #[inline]
    pub(crate) const fn new(slot: Slot, y: usize) -> Self {
        LayerId { slot, y }
    }

    /// Returns the layer with the same y in another chunk.
    #[inline]
    pub(crate) const fn in_chunk(self, slot: Slot) -> Self {
        LayerId { slot, y: self.y }
    }
}

/// The position of a vacant entry. No chunk has this position, in either shape.
pub(super) const NOWHERE: ChunkPos = ChunkPos::new(i32::MIN, i32::MIN, i32::MIN);

/// One entry of the slab. For cells of up to eight bytes it takes half a cache line, and it is
/// aligned so that it never crosses a cache line.
#[derive(Clone)]
#[repr(align(32))]
pub(super) struct Entry<T> {
    pub(super) chunk: Chunk<T>,
    pub(super) position: ChunkPos,
    /// The next chunk of the bucket; in a vacant entry, the next vacant one.
    pub(super) next: Slot,
}
