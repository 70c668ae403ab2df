//! The fields of edits of a world as bytes. Edits of the parts are in them as they are, and so are
//! records, each after its length.

use crate::chunk::Chunk;
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, refused};
use crate::world::ground::content::Content;
use crate::world::ground::record::ChunkRecord;
use crate::world::rules::material::MaterialId;
use crate::{blast, humidity, water};

impl Field for MaterialId {
    fn put(&self, out: &mut Writer) {
        out.put(&self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        Ok(MaterialId(from.take()?))
    }
}

/// A chunk of materials, one of water or none, and one of moisture or none.
impl Field for Content {
    fn put(&self, out: &mut Writer) {
        out.put(&self.materials).put(&self.water).put(&self.moisture);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        Ok(Content { materials: from.take()?, water: from.take()?, moisture: from.take()? })
    }

    fn heap_bytes(&self) -> usize {
        let Content { materials, water, moisture } = self;
        materials.heap_bytes() + Field::heap_bytes(water) + Field::heap_bytes(moisture)
    }
}

/// A `u8`, 1 if there is a chunk, which then follows, and else 0.
impl<T: Copy + PartialEq> Field for Option<Chunk<T>>
where
    Chunk<T>: Field,
{
    fn put(&self, out: &mut Writer) {
        out.put(&u8::from(self.is_some()));
        self.iter().for_each(|chunk| _ = out.put(chunk));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let is_there = from.one_of(&[false, true], "0, or 1 for a chunk")?;
        is_there.then(|| from.take()).transpose()
    }

    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, Field::heap_bytes)
    }
}

macro_rules! lengths_first {
    ($($inner:ty),*) => {$(
        /// Its length, a `u32`, then its bytes.
        impl Field for $inner {
            fn put(&self, out: &mut Writer) {
                let bytes = self.to_bytes();
                out.put(&(bytes.len() as u32)).extend(&bytes);
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
                let length: u32 = from.take()?;
                let at = from.at();
                let bytes = from.bytes(length as usize)?;
                <$inner>::from_bytes(bytes).map_err(|error| in_world(error, at, length))
            }
        }
    )*};
}
lengths_first!(water::Edit, humidity::Edit, blast::Edit, ChunkRecord);

/// Returns what is wrong with an edit of a part, or a record, of this length, with the offset in
/// the edit of the world.
fn in_world(error: EditBytesError, inner: usize, length: u32) -> EditBytesError {
    match error {
        EditBytesError::Value { at, wanted, found } => refused(inner + at, wanted, found),
        EditBytesError::Tag { tag } => refused(inner, "the tag of an edit of the part", tag),
        EditBytesError::Truncated { .. } | EditBytesError::Trailing { .. } => {
            refused(inner - 4, "the length of what comes after it", length)
        }
    }
}
