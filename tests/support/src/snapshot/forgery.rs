//! Forged snapshots with valid checksums, and snapshots whose records are not packed, so that their
//! bytes can be forged.

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

/// The records of the chunks in the content of their section: where each is, and its bytes,
/// unpacked.
pub fn records(chunks: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let Some((count, mut left)) = chunks.split_first_chunk::<8>() else { return Vec::new() };
    let mut records = Vec::new();
    for _ in 0..u64::from_le_bytes(*count) {
        let (position, rest) = left.split_at(12);
        let (head, rest) = number(rest);
        let (length, rest) = if head & 1 == 0 { (0, rest) } else { number(rest) };
        let (bytes, rest) = rest.split_at(head / 2);
        records.push((
            position,
            match head & 1 {
                0 => bytes.to_vec(),
                _ => lz4_flex::block::decompress(bytes, length).expect("a block of LZ4"),
            },
        ));
        left = rest;
    }
    assert!(left.is_empty());
    records
}

/// The content of the section of chunks with these records, not packed.
pub fn of_records<'p>(records: impl ExactSizeIterator<Item = (&'p [u8], Vec<u8>)>) -> Vec<u8> {
    let mut chunks = (records.len() as u64).to_le_bytes().to_vec();
    for (position, record) in records {
        chunks.extend(position);
        chunks.extend(framed(&record));
    }
    chunks
}

/// A record as it stands in the section of chunks, not packed: after twice the number of its bytes.
pub fn framed(record: &[u8]) -> Vec<u8> {
    [&varint(2 * record.len())[..], record].concat()
}

/// A number of seven bits a byte, lowest first.
fn varint(mut number: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// A record as it stands in a snapshot or a save file: packed, if that makes its bytes fewer.
pub fn packed(record: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(record);
    if record.len() < 64 || block.len() + 3 >= record.len() {
        return framed(record);
    }
    [varint(2 * block.len() + 1), varint(record.len()), block].concat()
}

/// The bytes that the cells of a chunk take, which come first here: the value of all, or runs of
/// values of so many bytes.
pub fn length_of_cells(bytes: &[u8], value: usize) -> usize {
    if bytes[0] == 0 {
        return 1 + value;
    }
    let (mut left, mut cells) = (&bytes[1..], 0);
    while cells < 4096 {
        let (run, rest) = number(left);
        cells += run >> 3;
        left = if run & 7 == 0 { &rest[value * (run >> 3)..] } else { rest };
    }
    bytes.len() - left.len()
}

/// The same snapshot with none of its records packed.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let Some(&(from, to)) = contents(bytes).get(2) else { return bytes.to_vec() };
    let chunks = of_records(records(&bytes[from..to]).into_iter());
    let mut out = bytes[..from].to_vec();
    out[from - 8..].copy_from_slice(&(chunks.len() as u64).to_le_bytes());
    out.extend(chunks);
    out.extend([0; 4]);
    forged(&out, |_| {})
}

/// Returns a number of seven bits a byte, lowest first, and what follows.
pub fn number(bytes: &[u8]) -> (usize, &[u8]) {
    let end = bytes.iter().position(|byte| byte & 0x80 == 0).expect("an end of the number");
    let bits = bytes[..=end].iter().rev();
    let number = bits.fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f));
    (number, &bytes[end + 1..])
}
