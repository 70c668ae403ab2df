//! The three tables of a save: names, keys, and the checksum at the end of each value.

use super::error::SaveError;
use super::{Part, VERSION};
use crate::codec::{Format, Kind, Reader, put_header, put_packed};
use crate::coords::ChunkPos;
use redb::TableDefinition;

pub(super) const HEAD: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("floodplain");
pub(super) const CHUNKS: TableDefinition<'static, &Key, &[u8]> = TableDefinition::new("chunks");

pub(super) const UNLOADED: TableDefinition<'static, &Key, &[u8]> = TableDefinition::new("unloaded");

/// The names of the entries of [`HEAD`].
pub(super) const FORMAT: &str = "format";
pub(super) const RULES: &str = "rules";
pub(super) const STATE: &str = "state";
pub(super) const COUNT: &str = "count";

const MAGIC: &str = "FLDPSAVE";
const CHECKSUM: usize = 4;

/// A chunk position as bytes that sort as positions do.
pub(super) type Key = [u8; 12];

pub(super) fn key_of(position: ChunkPos) -> Key {
    let mut key = Key::default();
    for (bytes, number) in
        key.as_chunks_mut().0.iter_mut().zip([position.y, position.z, position.x])
    {
        *bytes = (number ^ i32::MIN).to_be_bytes();
    }
    key
}

pub(super) fn position_of(key: &Key) -> ChunkPos {
    let number =
        |at: usize| i32::from_be_bytes([key[at], key[at + 1], key[at + 2], key[at + 3]]) ^ i32::MIN;
    ChunkPos::new(number(8), number(0), number(4))
}

/// Appends the checksum of a key and its value to the value.
pub(super) fn seal(key: &[u8], value: &mut Vec<u8>) {
    let checksum = checksum(key, value);
    value.extend_from_slice(&checksum.to_le_bytes());
}

/// Returns the value that stores a chunk's record: packed, with its checksum.
pub(super) fn packed(key: &[u8], record: &[u8]) -> Vec<u8> {
    let mut value = Vec::new();
    put_packed(&mut value, record);
    seal(key, &mut value);
    value
}

/// Returns the value without its checksum, if the checksum is right.
pub(super) fn unseal<'v>(key: &[u8], sealed: &'v [u8], part: Part) -> Result<&'v [u8], SaveError> {
    match sealed.split_last_chunk::<CHECKSUM>() {
        Some((value, found)) if checksum(key, value).to_le_bytes() == *found => Ok(value),
        _ => Err(SaveError::Damaged { part }),
    }
}

fn checksum(key: &[u8], value: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(value);
    hasher.finalize()
}

/// Returns the entry `format` for a kind of world.
pub(super) fn format_of(kind: Kind) -> Vec<u8> {
    let mut format = Vec::new();
    put_header(&mut format, MAGIC, VERSION, kind);
    format
}

/// Checks the entry `format` of a file.
pub(super) fn check_format(sealed: &[u8], wanted: Kind) -> Result<(), SaveError> {
    if !sealed.starts_with(MAGIC.as_bytes()) {
        return Err(SaveError::OtherProgram);
    }
    let part = Part::Entry(FORMAT);
    let mut format = Reader::new(Format::SaveFile, unseal(FORMAT.as_bytes(), sealed, part)?);
    let read = format.header(MAGIC, VERSION, wanted).and_then(|()| format.finish(()));
    read.map_err(SaveError::in_part(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_positions_do() {
        let numbers = [i32::MIN, -257, -256, -1, 0, 1, 255, 256, i32::MAX];
        let mut last = None;
        for y in numbers {
            for z in numbers {
                for x in numbers {
                    let key = key_of(ChunkPos::new(x, y, z));
                    assert_eq!(position_of(&key), ChunkPos::new(x, y, z));
                    assert!(last.replace(key) < Some(key));
                }
            }
        }
    }

    #[test]
    fn a_value_under_another_key_is_damaged() {
        let mut value = b"value".to_vec();
        seal(b"one", &mut value);
        let part = Part::Chunks;
        assert_eq!(unseal(b"one", &value, part).unwrap(), b"value");
        assert!(matches!(
            unseal(b"two", &value, part),
            Err(SaveError::Damaged { part: Part::Chunks })
        ));
    }
}
