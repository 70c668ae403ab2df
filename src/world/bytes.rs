//! The bytes of the values of a world of materials, in edits, records and snapshots. The bytes of
//! values that all worlds share are in [`codec`](crate::codec). An edit of a part is put into an
//! edit of the world unchanged.

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

/// As bytes: a chunk of materials, then a chunk of water or none, then a chunk of moisture or none.
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

/// As bytes: the number of bytes of the record, a `u32`, then the record.
impl Field for ChunkRecord {
    fn put(&self, out: &mut Vec<u8>) {
        put_sized(out, &self.to_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        ChunkRecord::read(from.sized(Format::Record)?)
    }
}
