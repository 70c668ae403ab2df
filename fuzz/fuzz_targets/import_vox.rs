//! Any bytes as a MagicaVoxel file: refused with the place, or chunks of a lawful world.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::import::vox_laws;

fuzz_target!(|bytes: &[u8]| {
    let _ = vox_laws(bytes);
});
