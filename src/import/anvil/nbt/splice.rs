//! Replaces ranges of an NBT document. Only lists and arrays store a length, so all other tags can
//! be replaced, inserted and left out without changes around them.

use super::kind;
use core::ops::Range;

/// Replacements in a document. They do not overlap.
#[derive(Default)]
pub(in crate::import::anvil) struct Splices {
    /// The replaced ranges of the old bytes, with the new bytes.
    pieces: Vec<(Range<usize>, Vec<u8>)>,
}

impl Splices {
    pub fn replace(&mut self, range: Range<usize>, bytes: Vec<u8>) {
        self.pieces.push((range, bytes));
    }

    pub fn insert(&mut self, at: usize, bytes: Vec<u8>) {
        self.replace(at..at, bytes);
    }

    /// Returns the bytes with all replacements made. Insertions at one place keep their order.
    pub fn apply(mut self, old: &[u8]) -> Vec<u8> {
        self.pieces.sort_by_key(|(range, _)| range.start);
        let mut new = Vec::with_capacity(old.len());
        let mut at = 0;
        for (range, bytes) in self.pieces {
            new.extend_from_slice(old.get(at..range.start).unwrap_or_default());
            new.extend_from_slice(&bytes);
            at = range.end;
        }
        new.extend_from_slice(old.get(at..).unwrap_or_default());
        new
    }
}

/// Returns the bytes of a field of a compound.
pub(in crate::import::anvil) fn field(kind: u8, name: &str, payload: &[u8]) -> Vec<u8> {
    [&[kind][..], &text(name), payload].concat()
}

/// Returns the payload of a text, which must have fewer than 65,536 bytes.
pub(in crate::import::anvil) fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

/// Returns the payload of a compound of these fields.
pub(in crate::import::anvil) fn compound(fields: &[Vec<u8>]) -> Vec<u8> {
    let mut payload = fields.concat();
    payload.push(kind::END);
    payload
}

/// Returns the payload of an array of bytes.
pub(in crate::import::anvil) fn byte_array(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

/// Returns the payload of an array of 64-bit numbers.
pub(in crate::import::anvil) fn long_array(longs: &[u64]) -> Vec<u8> {
    let mut payload = (longs.len() as u32).to_be_bytes().to_vec();
    longs.iter().for_each(|long| payload.extend_from_slice(&long.to_be_bytes()));
    payload
}

/// Returns the first bytes of the payload of a list of compounds.
pub(in crate::import::anvil) fn list_of_compounds(count: usize) -> Vec<u8> {
    [&[kind::COMPOUND][..], &(count as u32).to_be_bytes()].concat()
}
