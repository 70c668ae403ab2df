//! Fingerprints of chunk records: 64-bit keyed hashes (SipHash) by which a save finds the chunks
//! that changed.

use super::tables::Key;
use core::hash::BuildHasher;
use std::hash::RandomState;

/// The entries of the records of a save, in order of their keys.
pub(super) type Known = Vec<Entry>;

/// The key and the fingerprint of a record.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) key: Key,
    fingerprint: u64,
}

/// Hashes records, so that the records of the last save are neither kept nor read again. The keys
/// of the hash are random, so that no one can construct records that collide.
#[derive(Default)]
pub(super) struct Fingerprints(RandomState);

impl Fingerprints {
    /// Returns the entry of a record.
    pub(super) fn entry(&self, key: Key, record: &[u8]) -> Entry {
        Entry { key, fingerprint: self.0.hash_one(record) }
    }
}
