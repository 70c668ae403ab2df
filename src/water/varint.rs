//! Variable-length integers: LEB128, seven bits to a byte, lowest first; and zigzag, which maps
//! numbers near 0 on either side to small ones.

/// Why bytes do not encode a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarintError {
    /// The number continues after the last byte.
    Truncated,
    /// The number has more than 64 bits.
    TooLong,
}

/// Appends a number.
pub(crate) fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the number at `at`, and moves `at` behind it.
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Result<u64, VarintError> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = bytes.get(*at).copied().ok_or(VarintError::Truncated)?;
        *at += 1;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(VarintError::TooLong)
}

/// Returns a number that is small if `number` is near 0, on either side.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Returns the number of a [`zigzag`].
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for bit in 0..64 {
            for number in [(1u64 << bit) - 1, 1 << bit, u64::MAX >> bit] {
                let mut bytes = Vec::new();
                write_varint(&mut bytes, number);
                let mut at = 0;
                assert_eq!(read_varint(&bytes, &mut at), Ok(number));
                assert_eq!(at, bytes.len());
                bytes.pop();
                assert_eq!(read_varint(&bytes, &mut 0), Err(VarintError::Truncated));
                assert_eq!(zigzag(unzigzag(number)), number);
            }
        }
        assert_eq!(read_varint(&[0xff; 12], &mut 0), Err(VarintError::TooLong));
    }
}
