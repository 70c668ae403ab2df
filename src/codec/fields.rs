//! Values with a form in bytes, which is the same wherever the value stands.
//!
//! | value | bytes |
//! |---|---|
//! | number | as many as its type has, lowest first; for `f32` and `f64`, the IEEE 754 bits |
//! | `bool` | a `u8`, 0 or 1 |
//! | cell, position of a chunk | x, y and z, each an `i32` |
//! | column of chunks | x and z, each an `i32` |
//! | point, direction | x, y and z, each an `f64` |
//! | region | its least and its greatest cell |
//! | face | its [index](Face::index), a `u8` |
//! | value or none | a `bool`, followed by the value if the `bool` is 1 |
//! | list | the number of its items, a `u32`, then the items |
//! | text | the number of its bytes, a `u32`, then the bytes, in UTF-8 |

use super::error::DecodeError;
use super::reader::{Field, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face, Region};
use glam::{DVec3, IVec2, IVec3};

/// Appends the number of bytes, a `u32`, and then the bytes.
pub(crate) fn put_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    // A `u32` is enough: more bytes would be gigabytes.
    (bytes.len() as u32).put(out);
    out.extend_from_slice(bytes);
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(<$number>::from_le_bytes(from.array()?))
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, u128, i32, i64, i128, f32, f64);

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.one_of(&[false, true], "0 or 1, a switch")
    }
}

macro_rules! vectors {
    ($($vector:ty: $number:ty, $axes:literal;)*) => {$(
        impl Field for $vector {
            fn put(&self, out: &mut Vec<u8>) {
                self.to_array().iter().for_each(|axis| axis.put(out));
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let mut axes = [<$number>::default(); $axes];
                for axis in &mut axes {
                    *axis = from.take()?;
                }
                Ok(<$vector>::from_array(axes))
            }
        }
    )*};
}
vectors! {
    IVec2: i32, 2;
    IVec3: i32, 3;
    DVec3: f64, 3;
}

macro_rules! positions {
    ($($position:ty as $vector:ty;)*) => {$(
        impl Field for $position {
            fn put(&self, out: &mut Vec<u8>) {
                <$vector>::from(*self).put(out);
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(from.take::<$vector>()?.into())
            }
        }
    )*};
}
positions! {
    ChunkPos as IVec3;
    ColumnPos as IVec2;
}

impl Field for Region {
    fn put(&self, out: &mut Vec<u8>) {
        self.min().put(out);
        self.max().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let min: IVec3 = from.take()?;
        let (at, max) = (from.at(), from.take::<IVec3>()?);
        match (0..3).find(|&axis| max[axis] < min[axis]) {
            None => Ok(Region::new(min, max)),
            Some(axis) => {
                let wanted = "a greatest cell that is not below the least one";
                Err(from.refused(at + 4 * axis, wanted, max[axis]))
            }
        }
    }
}

impl Field for Face {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.index() as u8);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.one_of(&Face::ALL, "0 to 5, a face")
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let is_some = from.one_of(&[false, true], "0, or 1 for a value that follows")?;
        is_some.then(|| from.take()).transpose()
    }

    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, Field::heap_bytes)
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((from.take()?, from.take()?))
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes() + self.1.heap_bytes()
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        // A `u32` is enough: more items would take tens of gigabytes.
        (self.len() as u32).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    /// Reads a list. Makes room for items only as they are read, since their stated number may be
    /// false.
    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count: u32 = from.take()?;
        (0..count).map(|_| from.take()).collect()
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&self[..]) + self.iter().map(Field::heap_bytes).sum::<usize>()
    }
}

impl Field for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_sized(out, self.as_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (at, length) = (from.at(), from.take::<u32>()?);
        let text = core::str::from_utf8(from.bytes(length as usize)?);
        text.map(str::to_owned).map_err(|_| from.malformed_at(at, "a text in UTF-8"))
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }
}
