//! The values of a world of materials as bytes, beside those of the whole crate (see
//! [`codec`](crate::codec)): in edits, records and snapshots. Edits of the parts are in those of
//! the world as they are.

use crate::codec::{DecodeError, Field, Format, Reader, put_sized};
use crate::world::ground::content::ChunkContent;
use crate::world::ground::record::ChunkRecord;
use crate::world::rules::material::MaterialId;

impl Field for MaterialId {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.take().map(MaterialId)
    }
}

/// A chunk of materials, one of water or none, and one of moisture or none.
impl Field for ChunkContent {
    fn put(&self, out: &mut Vec<u8>) {
        self.materials.put(out);
        self.water.put(out);
        self.moisture.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(ChunkContent { materials: from.take()?, water: from.take()?, moisture: from.take()? })
    }

    fn heap_bytes(&self) -> usize {
        let ChunkContent { materials, water, moisture } = self;
        materials.heap_bytes() + Field::heap_bytes(water) + Field::heap_bytes(moisture)
    }
}

/// The number of its bytes, a `u32`, then these.
impl Field for ChunkRecord {
    fn put(&self, out: &mut Vec<u8>) {
        put_sized(out, &self.to_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        ChunkRecord::read(from.sized(Format::Record)?)
    }
}
