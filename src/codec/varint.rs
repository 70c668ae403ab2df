//! Whole numbers in few bytes: LEB128, seven bits to a byte, lowest first; and zigzag, which maps
//! numbers near 0, on either side, to small unsigned ones.

use super::error::DecodeError;
use super::reader::Reader;
use glam::IVec3;

/// Appends a number.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Returns a number that is small if `number` is near 0, on either side.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Returns the number from which [`zigzag`] made `number`.
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends the way from one position to another: the differences in x, y and z as zigzag numbers.
pub(crate) fn put_way<P: Into<IVec3>>(out: &mut Vec<u8>, from: P, to: P) {
    let (from, to) = (from.into(), to.into());
    for (from, to) in from.to_array().into_iter().zip(to.to_array()) {
        put_varint(out, zigzag(i64::from(to) - i64::from(from)));
    }
}

impl Reader<'_> {
    /// Reads a number that [`put_varint`] wrote.
    pub(crate) fn varint(&mut self) -> Result<u64, DecodeError> {
        let (at, mut number) = (self.at(), 0);
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.malformed_at(at, "a number of at most 64 bits"))
    }

    /// Reads the number of items in a list, each of at least `bytes` bytes. Refuses a number that
    /// the unread bytes cannot hold.
    #[cfg(feature = "recording")]
    pub(crate) fn varint_count(&mut self, bytes: usize) -> Result<usize, DecodeError> {
        let (at, count) = (self.at(), self.varint()?);
        self.check_count(at, count, bytes)
    }

    /// Reads the [way](put_way) from a position, and returns the position at its end.
    pub(crate) fn way<P: From<IVec3> + Into<IVec3>>(&mut self, from: P) -> Result<P, DecodeError> {
        let from = from.into();
        let mut axis = |from: i32| {
            let (at, way) = (self.at(), unzigzag(self.varint()?));
            let to = i32::try_from(way.saturating_add(from.into()));
            to.map_err(|_| self.refused(at, "the way to a position", way))
        };
        Ok(IVec3::new(axis(from.x)?, axis(from.y)?, axis(from.z)?).into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::{DecodeProblem, Format};
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let read = |bytes: &[u8]| {
            let mut from = Reader::new(Format::Update, bytes);
            let number = from.varint()?;
            from.finish(number)
        };
        for bit in 0..64 {
            for number in [(1u64 << bit) - 1, 1 << bit, u64::MAX >> bit] {
                let mut bytes = Vec::new();
                put_varint(&mut bytes, number);
                assert_eq!(read(&bytes), Ok(number));
                bytes.pop();
                let cut = read(&bytes).map_err(|error| (error.at, error.problem));
                assert_eq!(cut, Err((bytes.len(), DecodeProblem::EndsEarly)));
                assert_eq!(zigzag(unzigzag(number)), number);
            }
        }
        let wanted = "a number of at most 64 bits";
        let problem = DecodeProblem::Value { wanted, found: None };
        let long = DecodeError { format: Format::Update, at: 0, problem };
        assert_eq!(read(&[0xff; 12]), Err(long));
    }
}
