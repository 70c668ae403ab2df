//! Forged snapshots with valid checksums.

/// Returns changed bytes with valid checksums.
pub fn forged(bytes: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    change(&mut bytes);
    let header = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&header.to_le_bytes());
    let mut start = 16;
    while let Some(length) = bytes.get(start + 4..start + 12) {
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let Some(end) = start.checked_add(length).and_then(|end| end.checked_add(12)) else {
            break;
        };
        if bytes.len() < end + 4 {
            break;
        }
        let checksum = crc32fast::hash(&bytes[start..end]);
        bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        start = end + 4;
    }
    bytes
}

/// Where the contents of the sections lie: from, to.
pub fn contents(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut start, mut contents) = (16, Vec::new());
    while let Some(length) = bytes.get(start + 4..start + 12) {
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        contents.push((start + 12, start + 12 + length));
        start += length + 16;
    }
    contents
}
