//! Fingerprints of chunk records: 64-bit keyed hashes (SipHash) by which a save finds the chunks
//! that changed.

use super::tables::Key;
use core::hash::BuildHasher;
use std::hash::RandomState;

/// The chunks of a save in order of their keys, with the fingerprints of their records.
pub(super) type Known = Vec<(Key, u64)>;

/// Hashes records, so that the records of the last save are neither kept nor read again. The keys
/// are random, so that no one can construct records that collide.
#[derive(Default)]
pub(super) struct Fingerprints(RandomState);

impl Fingerprints {
    /// Returns the fingerprint of a record.
    pub(super) fn of(&self, record: &[u8]) -> u64 {
        self.0.hash_one(record)
    }
}
