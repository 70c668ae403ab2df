//! Snapshots with a section replaced, with valid checksums. Their records are not packed.

use support::snapshot::forgery::{of_records, records, unpacked};

/// The sections of a snapshot: names and contents.
fn sections(bytes: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let (mut left, mut sections) = (&bytes[16..], Vec::new());
    while !left.is_empty() {
        let length = u64::from_le_bytes(left[4..12].try_into().unwrap()) as usize;
        sections.push((&left[..4], left[12..12 + length].to_vec()));
        left = &left[16 + length..];
    }
    sections
}

/// Where the content of one section begins.
pub fn start_of(bytes: &[u8], name: &str) -> usize {
    let before = sections(bytes);
    let before = before.iter().take_while(|(section, _)| *section != name.as_bytes());
    before.map(|(_, content)| content.len() + 16).sum::<usize>() + 16 + 12
}

/// The content of one section.
pub fn content(bytes: &[u8], name: &str) -> Vec<u8> {
    let bytes = unpacked(bytes);
    let section = sections(&bytes).into_iter().find(|(section, _)| *section == name.as_bytes());
    section.expect("a section of this name").1
}

/// The snapshot with another content of one section.
pub fn forged(bytes: &[u8], name: &str, mut change: impl FnMut(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let bytes = unpacked(bytes);
    let mut out = bytes[..16].to_vec();
    for (section, content) in sections(&bytes) {
        let content = if section == name.as_bytes() { change(content) } else { content };
        let start = out.len();
        out.extend_from_slice(section);
        out.extend_from_slice(&(content.len() as u64).to_le_bytes());
        out.extend_from_slice(&content);
        out.extend_from_slice(&crc32fast::hash(&out[start..]).to_le_bytes());
    }
    out
}

/// The snapshot with other records of its chunks.
pub fn records_forged(bytes: &[u8], mut change: impl FnMut(&[u8]) -> Vec<u8>) -> Vec<u8> {
    forged(bytes, "CHNK", |chunks| {
        let records = records(&chunks);
        of_records(records.iter().map(|(position, record)| (*position, change(record))))
    })
}
