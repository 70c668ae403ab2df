//! The interface that a stream needs of a world whose chunks may come and go in a save file.

use crate::codec::DecodeError;
use crate::coords::ChunkPos;
use crate::snapshot::{CopiedMaterials, Saved, put_chunk};
use crate::water::{self, SavedChunk, Since, WaterWorld};
use crate::world::tick::touched::{is_touched_since, rests, touched_since};
use crate::world::{self, World};

/// A world of which a [`Stream`](super::Stream) keeps the unloaded chunks: a [`WaterWorld`] or a
/// [`World`].
pub trait Streamed: Saved {
    /// The record of a chunk, which `remove_chunks` returns and `insert_records` takes.
    type Record: Clone + Send + Sync;

    /// A copy of a chunk as it was at some time.
    #[doc(hidden)]
    type Copy: Send;

    /// Returns the position of a record's chunk.
    #[doc(hidden)]
    fn position_of(record: &Self::Record) -> ChunkPos;

    #[doc(hidden)]
    fn bytes_of(record: &Self::Record) -> Vec<u8>;

    #[doc(hidden)]
    fn record_of(bytes: &[u8]) -> Result<Self::Record, DecodeError>;

    /// Returns the positions of the loaded chunks, in no order.
    #[doc(hidden)]
    fn present(&self) -> Vec<ChunkPos>;

    /// Returns whether a chunk is loaded.
    #[doc(hidden)]
    fn has_chunk(&self, chunk: ChunkPos) -> bool;

    /// Returns the chunks whose saved state may have changed since `since`, in no order, and the
    /// time until which this holds. Returns all chunks if `since` is `None` or belongs to another
    /// world.
    #[doc(hidden)]
    fn touched_since(&mut self, since: Option<Since>) -> (Vec<ChunkPos>, Since);

    /// Returns whether the saved state of a chunk may have changed since `since`.
    #[doc(hidden)]
    fn is_touched_since(&self, chunk: ChunkPos, since: Since) -> bool;

    /// Returns whether no tick touches a chunk in its present state.
    #[doc(hidden)]
    fn rests(&self, chunk: ChunkPos) -> bool;

    /// Returns a copy of a chunk, in constant time except for its masks and lists.
    #[doc(hidden)]
    fn copy(&mut self, chunk: ChunkPos) -> Self::Copy;

    /// Appends the record of a chunk that was copied.
    #[doc(hidden)]
    fn put_copy(copy: &Self::Copy, out: &mut Vec<u8>);
}

/// A copy of a chunk of water, if there was one. It is in a box, since growing tables move their
/// entries.
pub struct CopiedWater(Option<Box<SavedChunk>>);

/// A copy of a chunk of a world of materials, if there was one.
pub struct CopiedWorld(Option<Box<CopiedMaterials>>);

impl Streamed for WaterWorld {
    type Record = water::ChunkRecord;
    type Copy = CopiedWater;

    fn position_of(record: &Self::Record) -> ChunkPos {
        record.position()
    }

    fn bytes_of(record: &Self::Record) -> Vec<u8> {
        record.to_bytes()
    }

    fn record_of(bytes: &[u8]) -> Result<Self::Record, DecodeError> {
        water::ChunkRecord::from_bytes(bytes)
    }

    fn present(&self) -> Vec<ChunkPos> {
        self.grid().occupied().map(|slot| self.grid().position_at(slot)).collect()
    }

    fn has_chunk(&self, chunk: ChunkPos) -> bool {
        self.grid().slot(chunk).is_some()
    }

    fn touched_since(&mut self, since: Option<Since>) -> (Vec<ChunkPos>, Since) {
        let (slots, now) = WaterWorld::touched_since(self, since);
        (slots.into_iter().map(|slot| self.grid().position_at(slot)).collect(), now)
    }

    fn is_touched_since(&self, chunk: ChunkPos, since: Since) -> bool {
        let slot = self.grid().slot(chunk);
        slot.is_none_or(|slot| WaterWorld::is_touched_since(self, slot, since))
    }

    fn rests(&self, chunk: ChunkPos) -> bool {
        let is_awake = |slot| self.grid().awake_at(slot).is_some();
        !self.grid().slot(chunk).is_some_and(is_awake) || self.is_frozen(chunk)
    }

    fn copy(&mut self, chunk: ChunkPos) -> CopiedWater {
        CopiedWater(self.grid().slot(chunk).map(|slot| Box::new(self.copy_chunk(slot))))
    }

    fn put_copy(copy: &CopiedWater, out: &mut Vec<u8>) {
        copy.0.iter().for_each(|chunk| put_chunk(chunk, out));
    }
}

impl Streamed for World {
    type Record = world::ChunkRecord;
    type Copy = CopiedWorld;

    fn position_of(record: &Self::Record) -> ChunkPos {
        record.position()
    }

    fn bytes_of(record: &Self::Record) -> Vec<u8> {
        record.to_bytes()
    }

    fn record_of(bytes: &[u8]) -> Result<Self::Record, DecodeError> {
        world::ChunkRecord::from_bytes(bytes)
    }

    fn present(&self) -> Vec<ChunkPos> {
        Streamed::present(self.water())
    }

    /// Returns whether a chunk is loaded. The water of a world has all of the world's chunks.
    fn has_chunk(&self, chunk: ChunkPos) -> bool {
        self.water().grid().slot(chunk).is_some()
    }

    fn touched_since(&mut self, since: Option<Since>) -> (Vec<ChunkPos>, Since) {
        touched_since(self, since)
    }

    fn is_touched_since(&self, chunk: ChunkPos, since: Since) -> bool {
        is_touched_since(self, chunk, since)
    }

    fn rests(&self, chunk: ChunkPos) -> bool {
        rests(self, chunk)
    }

    fn copy(&mut self, chunk: ChunkPos) -> CopiedWorld {
        CopiedWorld(CopiedMaterials::of(self, chunk))
    }

    fn put_copy(copy: &CopiedWorld, out: &mut Vec<u8>) {
        copy.0.iter().for_each(|chunk| chunk.put(out));
    }
}
