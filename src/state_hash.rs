//! The hash of a world's state, stable across platforms and versions.

use crate::chunk::Chunk;
use glam::IVec3;

/// A 64-bit hash: FNV-1a over words with another multiplier, and a final mix as in splitmix64.
/// Stable across platforms and versions.
pub(crate) struct StateHash(u64);

impl StateHash {
    pub(crate) fn new() -> Self {
        StateHash(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    pub(crate) fn add_position(&mut self, position: IVec3) {
        self.add(u64::from(position.x as u32) | u64::from(position.y as u32) << 32);
        self.add(u64::from(position.z as u32));
    }

    /// Adds a chunk: the cells of a dense chunk, `PER_WORD` (1, 2 or 4) to a word with the first
    /// cell in the lowest bits, or the one value of a uniform chunk.
    pub(crate) fn add_chunk<T: Copy + PartialEq, const PER_WORD: usize>(
        &mut self,
        chunk: &Chunk<T>,
        bits: fn(T) -> u64,
    ) {
        match chunk.as_dense() {
            None => self.add(bits(chunk.get(0))),
            Some(cells) => {
                for cells in cells.as_chunks::<PER_WORD>().0 {
                    let append = |word: u64, &cell: &T| {
                        word.unbounded_shl(64 / PER_WORD as u32) | bits(cell)
                    };
                    self.add(cells.iter().rev().fold(0, append));
                }
            }
        }
    }

    pub(crate) fn finish(self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 32
    }
}

/// Returns the hash of what `add` adds.
pub(crate) fn hash_of(add: impl FnOnce(&mut StateHash)) -> u64 {
    let mut hash = StateHash::new();
    add(&mut hash);
    hash.finish()
}
