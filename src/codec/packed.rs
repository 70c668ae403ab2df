//! Bytes that are packed by LZ4 if that makes them fewer. They begin with a
//! [varint](super::varint): twice the number of stored bytes, plus one if these are packed. If they
//! are, a varint of the number of bytes that they unpack to follows, and then a block of LZ4.
//! Otherwise the bytes follow as they are.

use super::error::DecodeError;
use super::reader::Reader;
use super::varint::put_varint;
use std::borrow::Cow;

/// The fewest bytes that are worth an attempt at packing.
const LEAST: usize = 64;

/// The most bytes that are packed or unpacked: more than any chunk has. A chunk of a world of
/// materials with flows of pressure everywhere has 200,000.
const MOST: usize = 1 << 19;

/// The most bytes that one byte of a block of LZ4 can stand for.
const MOST_RATIO: usize = 255;

/// Bytes, unpacked.
pub(crate) struct Unpacked<'b> {
    /// A reader of the surrounding bytes, which has read the packed ones.
    around: Reader<'b>,
    bytes: Cow<'b, [u8]>,
    /// The offset of the first packed byte.
    at: usize,
}

impl Unpacked<'_> {
    /// Returns the bytes.
    #[cfg(any(test, feature = "store"))]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns a reader of the bytes. Its offsets continue from the first packed byte, as if the
    /// bytes were not packed.
    pub(crate) fn reader(&self) -> Reader<'_> {
        self.around.at_offset(&self.bytes, self.at)
    }
}

/// Appends bytes, packed if that makes them fewer.
pub(crate) fn put_packed(out: &mut Vec<u8>, bytes: &[u8]) {
    let fits = (LEAST..=MOST).contains(&bytes.len());
    let packed = fits.then(|| lz4_flex::block::compress(bytes));
    match packed.filter(|packed| packed.len() + 3 < bytes.len()) {
        None => {
            put_varint(out, (bytes.len() as u64) << 1);
            out.extend_from_slice(bytes);
        }
        Some(packed) => {
            put_varint(out, (packed.len() as u64) << 1 | 1);
            put_varint(out, bytes.len() as u64);
            out.extend_from_slice(&packed);
        }
    }
}

impl<'b> Reader<'b> {
    /// Reads what [`put_packed`] wrote. Unpacks at most half a megabyte, and at most 255 times the
    /// length of the block.
    pub(crate) fn packed(&mut self) -> Result<Unpacked<'b>, DecodeError> {
        const WANTED: &str = "a block of LZ4, and the number of bytes that it holds";
        let (start, head) = (self.at(), self.varint()?);
        let length = usize::try_from(head >> 1).unwrap_or(usize::MAX);
        if head & 1 == 0 {
            let at = self.at();
            let bytes = Cow::Borrowed(self.bytes(length)?);
            return Ok(Unpacked { around: self.rest(self.format()), bytes, at });
        }
        let wanted = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let (at, block) = (self.at(), self.bytes(length)?);
        let lengths = wanted.div_ceil(MOST_RATIO)..wanted;
        let fits = wanted <= MOST && lengths.contains(&block.len());
        let unpacked = fits.then(|| lz4_flex::block::decompress(block, wanted).ok()).flatten();
        let unpacked = unpacked.filter(|unpacked| unpacked.len() == wanted);
        let bytes = Cow::Owned(unpacked.ok_or_else(|| self.malformed_at(start, WANTED))?);
        Ok(Unpacked { around: self.rest(self.format()), bytes, at })
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::Format;
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_packed(&mut out, bytes);
        out
    }

    #[test]
    fn unpacking_packed_bytes_gives_the_same_and_packing_adds_none() {
        let mut random = fastrand::Rng::with_seed(5);
        for length in (0..300).chain([4_000, 40_000, MOST, MOST + 1]) {
            let noise: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            let rows: Vec<u8> = (0..length).map(|at| (at / 7 % 5 * (at % 32)) as u8).collect();
            for bytes in [noise, rows, vec![7; length]] {
                let packed = packed(&bytes);
                assert!(packed.len() <= bytes.len() + 3);
                let mut from = Reader::new(Format::Chunks, &packed);
                assert!(from.packed().unwrap().bytes() == bytes);
                assert!(from.finish(()).is_ok());
            }
        }
        assert!(packed(&[7; 4_000]).len() < 60);
    }

    #[test]
    fn truncated_bytes_and_false_lengths_are_refused() {
        let read = |bytes: &[u8]| {
            let unpacked = Reader::new(Format::Chunks, bytes).packed();
            unpacked.map(|unpacked| unpacked.bytes().len()).map_err(|error| error.at)
        };
        let whole = packed(&[7; 4_000]);
        assert_eq!(read(&whole), Ok(4_000));
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        let block = lz4_flex::block::compress(&[7; 4_000]);
        for claim in [0, 3_999, 4_001, 255 * block.len() as u64, 1 << 20, u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, (block.len() as u64) << 1 | 1);
            put_varint(&mut bytes, claim);
            bytes.extend(&block);
            assert_eq!(read(&bytes), Err(0), "{claim}");
        }
    }
}
