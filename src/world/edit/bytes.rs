//! Edits of a world as bytes. Those of the parts are in them as they are, and so are records, each
//! after its length.

use crate::chunk::Chunk;
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, edit_bytes, refused};
use crate::world::edit::Edit;
use crate::world::ground::content::Content;
use crate::world::ground::record::ChunkRecord;
use crate::world::rules::material::MaterialId;
use crate::{blast, humidity, water};

edit_bytes! {
    /// Returns the edit as bytes: 1 to 43, or with a chunk 17 to 28,689; of lists, as
    /// long as these. They mean the
    /// same in all later versions of this crate.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Edit, EditBytesError, MaterialId};
    ///
    /// let edit = Edit::SetMaterial { cell: IVec3::new(1, -2, 3), material: MaterialId(4) };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 14);
    /// assert_eq!(Edit::from_bytes(&bytes), Ok(edit));
    /// assert_eq!(Edit::from_bytes(&bytes[..9]), Err(EditBytesError::Truncated { length: 9 }));
    /// ```
    Edit:
    0 SetMaterial { cell, material };
    1 FillMaterial { region, material };
    2 InsertChunk { position, content };
    3 RemoveChunk(position);
    4 Rain { from, units };
    5 Water(edit);
    6 Soil(edit);
    7 Blast(edit);
    8 WakeAll;
    9 RemoveChunks(positions);
    10 InsertRecords(records);
    11 Charge { centre, radius, pressure };
}

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
