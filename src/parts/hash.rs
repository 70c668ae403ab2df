//! Hashes of the parts of a world, which add up: the hash of a part is the sum of the hashes of its
//! chunks, each with its position (a multiset hash by addition).

use crate::coords::ChunkPos;
use crate::state_hash::hash_of;
use core::fmt;
use core::iter::Sum;
use core::ops::Add;

/// The hash of a part. The hashes of all parts, added up in any order, give the hash of the
/// undivided world. They are the same on all platforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartHash(
    /// The sum modulo 2⁶⁴, to be sent to other parts.
    pub u64,
);

impl Add for PartHash {
    type Output = PartHash;

    fn add(self, other: PartHash) -> PartHash {
        PartHash(self.0.wrapping_add(other.0))
    }
}

impl Sum for PartHash {
    fn sum<I: Iterator<Item = PartHash>>(parts: I) -> PartHash {
        parts.fold(PartHash::default(), Add::add)
    }
}

impl fmt::Display for PartHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Returns the hash of a chunk's bytes after `ticks` steps.
pub(super) fn hash_of_chunk(chunk: ChunkPos, ticks: u64, bytes: &[u8]) -> PartHash {
    let hash = hash_of(|hash| {
        hash.add(ticks);
        hash.add_position(chunk.into());
        hash.add(bytes.len() as u64);
        for word in bytes.chunks(8) {
            hash.add(word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)));
        }
    });
    PartHash(hash)
}
