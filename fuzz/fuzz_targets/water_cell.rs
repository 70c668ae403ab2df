//! The two bytes of a water cell: every word is a cell that reads back bit by bit, or is refused by
//! the law it breaks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::water::words;

fuzz_target!(|bytes: &[u8]| {
    for &word in bytes.as_chunks().0.iter().take(16) {
        words::check(u16::from_le_bytes(word));
    }
});
