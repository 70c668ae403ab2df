//! Edits of a world as bytes. Those of the parts are in them as they are, after their length.

use super::content::Content;
use super::material::MaterialId;
use super::values::Edit;
use crate::chunk::Chunk;
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, edit_bytes, refused};
use crate::water::Voxel;
use crate::{blast, humidity, water};

edit_bytes! {
    /// Returns the edit as bytes: 1 to 43, or with a chunk 17 to 28,689. They mean the
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
}

impl Field for MaterialId {
    fn put(&self, out: &mut Writer) {
        out.put(&self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        Ok(MaterialId(from.take()?))
    }
}

/// A chunk of materials, then, each after a `u8` that is 1 if it is there and else 0, one of water
/// and one of moisture.
impl Field for Content {
    fn put(&self, out: &mut Writer) {
        out.put(&self.materials);
        put_optional(&self.water, out);
        put_optional(&self.moisture, out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let materials = from.take()?;
        let water: Option<Chunk<Voxel>> = take_optional(from)?;
        Ok(Content { materials, water, moisture: take_optional(from)? })
    }
}

fn put_optional<T: Field>(value: &Option<T>, out: &mut Writer) {
    out.put(&u8::from(value.is_some()));
    value.iter().for_each(|value| _ = out.put(value));
}

fn take_optional<T: Field>(from: &mut Reader<'_>) -> Result<Option<T>, EditBytesError> {
    let is_there = from.one_of(&[false, true], "0, or 1 for a chunk")?;
    is_there.then(|| from.take()).transpose()
}

macro_rules! edits_of_parts {
    ($($edit:ty),*) => {$(
        /// Its length, a `u32`, then its bytes.
        impl Field for $edit {
            fn put(&self, out: &mut Writer) {
                let bytes = self.to_bytes();
                out.put(&(bytes.len() as u32)).extend(&bytes);
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
                let length: u32 = from.take()?;
                let at = from.at();
                let bytes = from.bytes(length as usize)?;
                <$edit>::from_bytes(bytes).map_err(|error| in_world(error, at, length))
            }
        }
    )*};
}
edits_of_parts!(water::Edit, humidity::Edit, blast::Edit);

/// Returns what is wrong with an edit of a part of this length, with the offset in that of the
/// world.
fn in_world(error: EditBytesError, edit: usize, length: u32) -> EditBytesError {
    match error {
        EditBytesError::Value { at, wanted, found } => refused(edit + at, wanted, found),
        EditBytesError::Tag { tag } => refused(edit, "the tag of an edit of the part", tag),
        EditBytesError::Truncated { .. } | EditBytesError::Trailing { .. } => {
            refused(edit - 4, "the length of the edit after it", length)
        }
    }
}
