//! Random calls of the C interface, with null handles, handles of other types and wrong lengths: no
//! panic, nothing changed by what is refused, and every law of a world.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| floodplain_fuzz::call_c_interface(bytes));
