//! Reads values from bytes, from front to back: the reader, and the trait of the values.

use super::error::{DecodeError, DecodeProblem, Format};

/// A value with a form in bytes.
pub(crate) trait Field: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);

    /// Reads a value.
    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Returns the number of bytes that the value holds on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Bytes that are read from front to back. Offsets in errors count from the start of the outermost
/// bytes, however deeply a part is nested.
pub struct Reader<'b> {
    format: Format,
    bytes: &'b [u8],
    /// The number of bytes read.
    read: usize,
    /// The offset of the first byte from the start of the outermost bytes.
    base: usize,
}

impl<'b> Reader<'b> {
    /// Returns a reader of bytes that should be of `format`.
    pub(crate) fn new(format: Format, bytes: &'b [u8]) -> Reader<'b> {
        Reader { format, bytes, read: 0, base: 0 }
    }

    /// Returns the offset of the next byte to be read.
    pub(crate) fn at(&self) -> usize {
        self.base + self.read
    }

    /// Returns the format of the bytes.
    #[cfg(feature = "snapshot")]
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Returns a reader of other bytes of the same format, whose first byte has the offset `base`.
    #[cfg(feature = "snapshot")]
    pub(super) fn at_offset<'o>(&self, bytes: &'o [u8], base: usize) -> Reader<'o> {
        Reader { format: self.format, bytes, read: 0, base }
    }

    /// Returns the reader if it has exactly `length` bytes.
    #[cfg(feature = "recording")]
    pub(crate) fn exactly(self, length: usize) -> Result<Self, DecodeError> {
        match self.bytes.len().checked_sub(length) {
            Some(0) => Ok(self),
            Some(bytes) => Err(self.error(self.base + length, DecodeProblem::Trailing { bytes })),
            None => Err(self.ends_early()),
        }
    }

    /// Returns the number of bytes read so far.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// Returns all of the bytes, including those already read.
    pub(super) fn all(&self) -> &'b [u8] {
        self.bytes
    }

    /// Returns the reader limited to its first `length` bytes, which include the bytes already
    /// read.
    pub(super) fn within(self, length: usize) -> Reader<'b> {
        Reader { bytes: &self.bytes[..length], ..self }
    }

    /// Returns the bytes that are not read yet.
    pub(crate) fn left(&self) -> &'b [u8] {
        &self.bytes[self.read..]
    }

    /// Reads the next value.
    pub(crate) fn take<F: Field>(&mut self) -> Result<F, DecodeError> {
        F::take(self)
    }

    /// Reads `count` bytes as they are.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'b [u8], DecodeError> {
        let Some(bytes) = self.left().get(..count) else { return Err(self.ends_early()) };
        self.read += count;
        Ok(bytes)
    }

    /// Reads `N` bytes as they are.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let array = self.left().first_chunk().copied().ok_or_else(|| self.ends_early())?;
        self.read += N;
        Ok(array)
    }

    /// Returns a reader of the bytes that are not read yet, which should be of `format`. This
    /// reader does not advance.
    #[cfg(feature = "snapshot")]
    pub(crate) fn rest(&self, format: Format) -> Self {
        Reader { format, bytes: self.left(), read: 0, base: self.at() }
    }

    /// Returns a reader of the next `length` bytes, which should be of `format`.
    pub(crate) fn part(&mut self, format: Format, length: usize) -> Result<Self, DecodeError> {
        let base = self.at();
        Ok(Reader { format, bytes: self.bytes(length)?, read: 0, base })
    }

    /// Reads a length, a `u32`, and returns a reader of that many bytes.
    pub(crate) fn sized(&mut self, format: Format) -> Result<Self, DecodeError> {
        let length: u32 = self.take()?;
        self.part(format, length as usize)
    }

    /// Reads the number of items in a list, a `u64`, each of at least `bytes` bytes. Refuses a
    /// number that the unread bytes cannot hold.
    #[cfg(feature = "snapshot")]
    pub(crate) fn count(&mut self, bytes: usize) -> Result<usize, DecodeError> {
        let (at, count) = (self.at(), self.take()?);
        self.check_count(at, count, bytes)
    }

    /// Refuses a number of items, each of at least `bytes` bytes, that the unread bytes cannot
    /// hold.
    #[cfg(feature = "snapshot")]
    pub(crate) fn check_count(
        &self,
        at: usize,
        count: u64,
        bytes: usize,
    ) -> Result<usize, DecodeError> {
        match usize::try_from(count) {
            Ok(count) if count <= self.left().len() / bytes => Ok(count),
            _ => Err(self.malformed_at(at, "a count of what follows")),
        }
    }

    /// Reads a byte, an index into `values`, and returns the value.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        values: &[T],
        wanted: &'static str,
    ) -> Result<T, DecodeError> {
        let (at, found) = (self.at(), self.take::<u8>()?);
        let value = values.get(usize::from(found)).copied();
        value.ok_or_else(|| self.refused(at, wanted, found))
    }

    /// Reads a counter below 2⁶², so that neither it nor the sum of two can overflow.
    #[cfg(feature = "snapshot")]
    pub(crate) fn counter(&mut self) -> Result<u64, DecodeError> {
        let (at, counter) = (self.at(), self.take()?);
        match counter {
            0..0x4000_0000_0000_0000 => Ok(counter),
            _ => Err(self.malformed_at(at, "a number below 2⁶²")),
        }
    }

    /// Reads a number from −`limit` to `limit`; refuses infinity and not-a-number.
    #[cfg(feature = "snapshot")]
    pub(crate) fn number_within(&mut self, limit: f64) -> Result<f64, DecodeError> {
        let (at, number) = (self.at(), self.take::<f64>()?);
        if number.abs() <= limit {
            Ok(number)
        } else {
            Err(self.malformed_at(at, "a number in its range"))
        }
    }

    /// Returns the error that the next value is not the expected one.
    #[cfg(feature = "snapshot")]
    pub(crate) fn malformed(&self, wanted: &'static str) -> DecodeError {
        self.malformed_at(self.at(), wanted)
    }

    /// Returns the error of an unexpected value at an offset.
    pub(crate) fn malformed_at(&self, at: usize, wanted: &'static str) -> DecodeError {
        self.error(at, DecodeProblem::Value { wanted, found: None })
    }

    /// Returns the error of an unexpected value at an offset, with the number found.
    pub(crate) fn refused(
        &self,
        at: usize,
        wanted: &'static str,
        found: impl Into<i64>,
    ) -> DecodeError {
        self.error(at, DecodeProblem::Value { wanted, found: Some(found.into()) })
    }

    /// Returns the error of a broken law at the next byte.
    #[cfg(feature = "snapshot")]
    pub(crate) fn unlawful(&self, law: impl ToString) -> DecodeError {
        self.error(self.at(), DecodeProblem::Law { law: law.to_string() })
    }

    /// Returns the error of a problem at an offset.
    pub(crate) fn error(&self, at: usize, problem: DecodeProblem) -> DecodeError {
        DecodeError { format: self.format, at, problem }
    }

    /// Returns the error that the bytes end where more should follow.
    pub(crate) fn ends_early(&self) -> DecodeError {
        self.error(self.base + self.bytes.len(), DecodeProblem::EndsEarly)
    }

    /// Returns the value `read`, or an error if bytes are left.
    pub(crate) fn finish<T>(self, read: T) -> Result<T, DecodeError> {
        match self.left().len() {
            0 => Ok(read),
            bytes => Err(self.error(self.at(), DecodeProblem::Trailing { bytes })),
        }
    }

    /// Reads all of the bytes as one value.
    pub(crate) fn only<F: Field>(mut self) -> Result<F, DecodeError> {
        let value = self.take()?;
        self.finish(value)
    }
}
