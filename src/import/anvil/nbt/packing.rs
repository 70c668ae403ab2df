//! Numbers of a few bits in an array of 64-bit words, as the game packs the states of a section's
//! cells: lowest bits first and, since 1.16, without numbers that span two words.

use crate::coords::CHUNK_CELLS;

/// How numbers lie in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import::anvil) enum Packing {
    /// Before 1.16: without gaps.
    Spanning,
    /// Since 1.16: each word has as many whole numbers as fit into 64 bits.
    Padded,
}

/// Returns the number of bits of each index into `states` states.
pub(in crate::import::anvil) fn bits_for(states: usize) -> u32 {
    let most = states.saturating_sub(1);
    (usize::BITS - most.leading_zeros()).max(4)
}

impl Packing {
    /// Returns the length of the array that holds 4,096 numbers of this many bits.
    pub fn length(self, bits: u32) -> usize {
        match self {
            Packing::Spanning => CHUNK_CELLS * bits as usize / 64,
            Packing::Padded => CHUNK_CELLS.div_ceil((64 / bits) as usize),
        }
    }

    /// Returns the word and the bit at which a number begins.
    fn place(self, index: usize, bits: u32) -> (usize, u32) {
        match self {
            Packing::Spanning => {
                let bit = index * bits as usize;
                (bit / 64, (bit % 64) as u32)
            }
            Packing::Padded => {
                let fit = (64 / bits) as usize;
                (index / fit, (index % fit) as u32 * bits)
            }
        }
    }

    /// Returns the 4,096 numbers in an array of the right [`length`](Packing::length).
    pub fn unpack(self, words: &[u64], bits: u32) -> Vec<u16> {
        let word = |at: usize| u128::from(words.get(at).copied().unwrap_or(0));
        let number = |index| {
            let (at, bit) = self.place(index, bits);
            let pair = word(at) | word(at + 1) << 64;
            (pair >> bit) as u16 & ((1 << bits) - 1)
        };
        (0..CHUNK_CELLS).map(number).collect()
    }

    /// Returns the array of 4,096 numbers of at most this many bits.
    pub fn pack(self, numbers: &[u16], bits: u32) -> Vec<u64> {
        let mut words = vec![0; self.length(bits)];
        for (index, &number) in numbers.iter().enumerate() {
            let (at, bit) = self.place(index, bits);
            let pair = u128::from(number) << bit;
            words[at] |= pair as u64;
            let rest = (pair >> 64) as u64;
            if rest != 0 {
                words[at + 1] |= rest;
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_unpacked_as_they_were_packed() {
        for bits in 4..=12 {
            let numbers: Vec<u16> = (0..CHUNK_CELLS as u16)
                .map(|at| at.wrapping_mul(2_654) & ((1 << bits) - 1))
                .collect();
            for packing in [Packing::Spanning, Packing::Padded] {
                let words = packing.pack(&numbers, bits);
                assert_eq!(words.len(), packing.length(bits));
                assert_eq!(packing.unpack(&words, bits), numbers, "{packing:?} {bits}");
            }
        }
    }

    #[test]
    fn widths_are_those_of_the_game() {
        for (states, bits) in [(1, 4), (16, 4), (17, 5), (32, 5), (33, 6), (4096, 12)] {
            assert_eq!(bits_for(states), bits, "{states}");
        }
        assert_eq!((Packing::Spanning.length(5), Packing::Padded.length(5)), (320, 342));
    }
}
