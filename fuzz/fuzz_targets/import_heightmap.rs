//! Any bytes as a heightmap in PNG: refused with the place, or chunks of a lawful world.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::import::heightmap_laws;

fuzz_target!(|bytes: &[u8]| {
    let _ = heightmap_laws(bytes);
});
