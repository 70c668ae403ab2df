//! The fields of edits as bytes, alike for all automata. An edit is a tag, which says which edit it
//! is (see [`edit_table`](crate::edit_table)), then its fields in little-endian order.
//!
//! | field | bytes |
//! |---|---|
//! | number | as many as it has |
//! | cell, position of a chunk | x, y and z, each an `i32` |
//! | column of chunks | x and z, each an `i32` |
//! | point, direction | x, y and z, each an `f64` |
//! | region | its least and its greatest cell |
//! | face | its [index](Face::index), a `u8` |
//! | chunk | a 0 and one value for all cells, or a 1 and 4096 values in index order |
//! | list | the number of its items, a `u32`, then these |

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Face, Region};
use core::fmt;
use glam::{DVec3, IVec2, IVec3};

/// Why bytes are no edit; for the edits of all automata. Offsets count from the first byte, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditBytesError {
    /// The bytes end within the edit.
    Truncated {
        /// Their number.
        length: usize,
    },
    /// No edit has this tag.
    Tag {
        /// The tag found, at offset 0.
        tag: u8,
    },
    /// A value out of its range.
    Value {
        /// The offset of the value.
        at: usize,
        /// What it should be.
        wanted: &'static str,
        /// The value found.
        found: i64,
    },
    /// There are bytes after the edit.
    Trailing {
        /// The offset at which the edit ends.
        at: usize,
        /// The number of bytes after it.
        bytes: usize,
    },
}

impl fmt::Display for EditBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditBytesError::Truncated { length } => {
                write!(f, "an edit goes on after these {length} bytes")
            }
            EditBytesError::Tag { tag } => write!(f, "no edit has the tag {tag}"),
            EditBytesError::Value { at, wanted, found } => {
                write!(f, "byte {at}: expected {wanted}, not {found}")
            }
            EditBytesError::Trailing { at, bytes } => {
                write!(f, "{bytes} bytes after the edit, which ends at byte {at}")
            }
        }
    }
}

impl core::error::Error for EditBytesError {}

/// A value with a fixed form in the bytes of an edit.
pub(crate) trait Field: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Writer);

    /// Reads a value.
    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError>;

    /// Returns the bytes that the value holds on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// The bytes of an edit, as far as they are written.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Begins an edit.
    pub(crate) fn tagged(tag: u8) -> Writer {
        Writer(vec![tag])
    }

    pub(crate) fn put(&mut self, field: &impl Field) -> &mut Writer {
        field.put(self);
        self
    }

    /// Appends bytes as they are.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn finish(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.0)
    }
}

/// Reads the bytes of an edit from front to back.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0 }
    }

    /// Returns the offset of what is read next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn take<F: Field>(&mut self) -> Result<F, EditBytesError> {
        F::take(self)
    }

    /// Returns the next byte, if there is one, and leaves it there.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads so many bytes as they are.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'b [u8], EditBytesError> {
        let bytes = self.bytes.get(self.at..).and_then(|left| left.get(..count));
        self.at = self.at.saturating_add(count);
        bytes.ok_or(EditBytesError::Truncated { length: self.bytes.len() })
    }

    /// Reads a byte, the index of one of these values.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        values: &[T],
        wanted: &'static str,
    ) -> Result<T, EditBytesError> {
        let (at, found) = (self.at, self.take::<u8>()?);
        let value = values.get(usize::from(found)).copied();
        value.ok_or_else(|| refused(at, wanted, found))
    }

    /// Returns the edit that was read, unless there are bytes after it.
    pub(crate) fn finish<E>(self, edit: E) -> Result<E, EditBytesError> {
        match self.bytes.len() - self.at {
            0 => Ok(edit),
            bytes => Err(EditBytesError::Trailing { at: self.at, bytes }),
        }
    }
}

/// Returns the error of a value that is not as wanted.
pub(crate) fn refused(at: usize, wanted: &'static str, found: impl Into<i64>) -> EditBytesError {
    EditBytesError::Value { at, wanted, found: found.into() }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn put(&self, out: &mut Writer) {
                out.extend(&self.to_le_bytes());
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
                let length = from.bytes.len();
                let bytes = from.bytes(size_of::<$number>())?.first_chunk();
                let bytes = bytes.ok_or(EditBytesError::Truncated { length })?;
                Ok(<$number>::from_le_bytes(*bytes))
            }
        }
    )*};
}
numbers!(u8, u16, u32, i32, f32, f64);

macro_rules! vectors {
    ($($vector:ty),*) => {$(
        impl Field for $vector {
            fn put(&self, out: &mut Writer) {
                self.to_array().iter().for_each(|axis| axis.put(out));
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
                Ok(<$vector>::new(from.take()?, from.take()?, from.take()?))
            }
        }
    )*};
}
vectors!(IVec3, DVec3);

impl Field for IVec2 {
    fn put(&self, out: &mut Writer) {
        out.put(&self.x).put(&self.y);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        Ok(IVec2::new(from.take()?, from.take()?))
    }
}

impl Field for Region {
    fn put(&self, out: &mut Writer) {
        out.put(&self.min()).put(&self.max());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let min: IVec3 = from.take()?;
        let (at, max) = (from.at, from.take::<IVec3>()?);
        match (0..3).find(|&axis| max[axis] < min[axis]) {
            None => Ok(Region::new(min, max)),
            Some(axis) => {
                let wanted = "a greatest cell that is not below the least one";
                Err(refused(at + 4 * axis, wanted, max[axis]))
            }
        }
    }
}

impl Field for Face {
    fn put(&self, out: &mut Writer) {
        out.put(&(self.index() as u8));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        from.one_of(&Face::ALL, "0 to 5, a face")
    }
}

impl<T: Field + Copy + PartialEq> Field for Chunk<T> {
    /// Equal cells have the short form, however they are stored, so that equal chunks have equal
    /// bytes.
    fn put(&self, out: &mut Writer) {
        match self.as_dense().filter(|cells| cells.iter().any(|cell| *cell != cells[0])) {
            None => _ = out.put(&0u8).put(&self.get(0)),
            Some(cells) => {
                out.put(&1u8);
                cells.iter().for_each(|cell| cell.put(out));
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let is_dense = from.one_of(&[false, true], "0 or 1, the form of a chunk")?;
        let first = from.take()?;
        if !is_dense {
            return Ok(Chunk::uniform(first));
        }
        let mut cells = [first; CHUNK_CELLS];
        for cell in &mut cells[1..] {
            *cell = from.take()?;
        }
        Ok(Chunk::from_cells(&cells))
    }

    fn heap_bytes(&self) -> usize {
        Chunk::heap_bytes(self)
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, out: &mut Writer) {
        out.put(&self.0).put(&self.1);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        Ok((from.take()?, from.take()?))
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes() + self.1.heap_bytes()
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Writer) {
        // The bytes of more items would take tens of gigabytes.
        out.put(&(self.len() as u32));
        self.iter().for_each(|item| item.put(out));
    }

    /// Makes room for items as they are read: their number may be made up.
    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        let count: u32 = from.take()?;
        (0..count).map(|_| from.take()).collect()
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&self[..]) + self.iter().map(Field::heap_bytes).sum::<usize>()
    }
}
