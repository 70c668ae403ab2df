//! Any bytes as updates of the feeds of water and of worlds of materials: refused with the place,
//! or an update that reads back as itself and that a mirror can take.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::edit_bytes::{parsed_update, parsed_world_update};

fuzz_target!(|bytes: &[u8]| {
    parsed_update(bytes);
    parsed_world_update(bytes);
});
