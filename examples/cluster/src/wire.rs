//! Lists of bytes by chunk, as messages and files have them. All numbers are little-endian.

use crate::faults::Fault;
use floodplain::ChunkPos;

/// Bytes that are read from front to back.
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// Takes the next bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let (taken, left) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| Fault::Bytes(format!("{count} bytes more should follow")))?;
        self.0 = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.bytes(N)?;
        bytes.try_into().map_err(|_| Fault::Bytes("a number is cut short".into()))
    }

    pub fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn i128(&mut self) -> Result<i128, Fault> {
        self.array().map(i128::from_le_bytes)
    }

    pub fn chunk(&mut self) -> Result<ChunkPos, Fault> {
        let mut axis = || self.array().map(i32::from_le_bytes);
        Ok(ChunkPos::new(axis()?, axis()?, axis()?))
    }
}

/// Appends a chunk's position and bytes.
pub fn put(out: &mut Vec<u8>, chunk: ChunkPos, bytes: &[u8]) {
    for axis in <[i32; 3]>::from(chunk) {
        out.extend(axis.to_le_bytes());
    }
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

/// Reads all that [`put`] appended.
pub fn take_all(bytes: &[u8]) -> Result<Vec<(ChunkPos, Vec<u8>)>, Fault> {
    let mut from = Reader(bytes);
    let mut all = Vec::new();
    while !from.0.is_empty() {
        let chunk = from.chunk()?;
        let length = from.u32()? as usize;
        all.push((chunk, from.bytes(length)?.to_vec()));
    }
    Ok(all)
}

/// Appends an account, after the number of its fields.
pub fn put_account(out: &mut Vec<u8>, account: &[i128]) {
    out.extend((account.len() as u32).to_le_bytes());
    account.iter().for_each(|units| out.extend(units.to_le_bytes()));
}

/// Reads an account.
pub fn take_account(from: &mut Reader<'_>) -> Result<Vec<i128>, Fault> {
    let fields = from.u32()?;
    (0..fields).map(|_| from.i128()).collect()
}

/// Adds an account to a sum, which may be empty yet.
pub fn add_account(sum: &mut Vec<i128>, account: &[i128]) {
    sum.resize(sum.len().max(account.len()), 0);
    sum.iter_mut().zip(account).for_each(|(sum, units)| *sum = sum.wrapping_add(*units));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_and_cut_ones_are_refused() {
        let list = [(ChunkPos::new(-3, 2, 9), vec![7; 300]), (ChunkPos::new(1, 0, 0), vec![])];
        let mut bytes = Vec::new();
        list.iter().for_each(|(chunk, record)| put(&mut bytes, *chunk, record));
        assert_eq!(take_all(&bytes).unwrap(), list);
        for length in (0..bytes.len()).filter(|length| ![0, 316].contains(length)) {
            assert!(take_all(&bytes[..length]).is_err(), "{length}");
        }
        let mut bytes = Vec::new();
        put_account(&mut bytes, &[-5, 1 << 100]);
        let mut sum = take_account(&mut Reader(&bytes)).unwrap();
        add_account(&mut sum, &[6, 0, 3]);
        assert_eq!(sum, [1, 1 << 100, 3]);
        assert!(take_account(&mut Reader(&bytes[1..])).is_err());
    }
}
