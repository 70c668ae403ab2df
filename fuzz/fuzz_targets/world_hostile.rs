//! Clients of a world of materials that send anything, lose updates and come and go, with the laws
//! at some places and at the end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::world::hostile;

fuzz_target!(|bytes: &[u8]| {
    hostile::run(bytes);
});
