//! Encodes and decodes values as little-endian bytes.

use super::error::SnapshotError;
use crate::chunk::CellMask;
use crate::coords::Region;
use glam::IVec3;

/// A value with a fixed form in bytes.
pub(crate) trait Encode: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);

    /// Reads a value.
    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError>;
}

/// The content of a section, read from front to back.
pub struct Content<'a> {
    section: &'static str,
    all: &'a [u8],
    read: usize,
}

impl<'a> Content<'a> {
    /// Returns a reader of a section.
    pub(crate) fn new(section: &'static str, all: &'a [u8]) -> Self {
        Content { section, all, read: 0 }
    }

    /// Reads the next value.
    pub(crate) fn take<E: Encode>(&mut self) -> Result<E, SnapshotError> {
        E::take(self)
    }

    /// Reads the next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        match self.all[self.read..].split_at_checked(count) {
            Some((bytes, _)) => {
                self.read += count;
                Ok(bytes)
            }
            None => Err(self.malformed("more bytes")),
        }
    }

    /// Reads the count of a list of items of at least `bytes` bytes each. Refuses a count of more
    /// items than the content can hold.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<usize, SnapshotError> {
        let before = self.read;
        let count: u64 = self.take()?;
        let left = self.all.len() - self.read;
        match usize::try_from(count) {
            Ok(count) if count <= left / bytes => Ok(count),
            _ => {
                self.read = before;
                Err(self.malformed("a count of what follows"))
            }
        }
    }

    /// Reads a byte: the index of one of these values.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        values: &[T],
        wanted: &'static str,
    ) -> Result<T, SnapshotError> {
        let wrong = self.malformed(wanted);
        values.get(usize::from(self.take::<u8>()?)).copied().ok_or(wrong)
    }

    /// Reads a counter below 2⁶², so that neither it nor the sum of two can overflow.
    pub(crate) fn counter(&mut self) -> Result<u64, SnapshotError> {
        let wrong = self.malformed("a number below 2⁶²");
        let counter = self.take()?;
        if counter < 1 << 62 { Ok(counter) } else { Err(wrong) }
    }

    /// Reads a number from −`limit` to `limit`; refuses infinity and not-a-number.
    pub(crate) fn number_within(&mut self, limit: f64) -> Result<f64, SnapshotError> {
        let wrong = self.malformed("a number in its range");
        let number: f64 = self.take()?;
        if number.abs() <= limit { Ok(number) } else { Err(wrong) }
    }

    /// Returns the error that the content here is not as `wanted`.
    pub(crate) fn malformed(&self, wanted: &'static str) -> SnapshotError {
        SnapshotError::Malformed { section: self.section, at: self.read, wanted }
    }

    /// Refuses unread content.
    pub(crate) fn finish(self) -> Result<(), SnapshotError> {
        let is_at_end = self.read == self.all.len();
        if is_at_end { Ok(()) } else { Err(self.malformed("the end of the section")) }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Encode for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
                let bytes = content.bytes(size_of::<$number>())?;
                Ok(<$number>::from_le_bytes(bytes.try_into().expect("as many bytes as asked for")))
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, u128, i32, i64, i128, f32, f64);

impl Encode for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("a bool: 0 or 1");
        match content.take::<u8>()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(wrong),
        }
    }
}

impl Encode for IVec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().iter().for_each(|number| number.put(out));
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        Ok(IVec3::new(content.take()?, content.take()?, content.take()?))
    }
}

impl Encode for Region {
    fn put(&self, out: &mut Vec<u8>) {
        self.min().put(out);
        self.max().put(out);
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("a region: its least and its greatest corner");
        let (min, max) = (content.take()?, content.take()?);
        let region = Region::new(min, max);
        if region.min() == min { Ok(region) } else { Err(wrong) }
    }
}

impl Encode for CellMask {
    fn put(&self, out: &mut Vec<u8>) {
        self.words().iter().for_each(|word| word.put(out));
    }

    fn take(content: &mut Content<'_>) -> Result<Self, SnapshotError> {
        let wrong = content.malformed("a mask with at least one cell");
        let mut mask = CellMask::EMPTY;
        for word in mask.words_mut() {
            *word = content.take()?;
        }
        if mask.is_empty() { Err(wrong) } else { Ok(mask) }
    }
}
