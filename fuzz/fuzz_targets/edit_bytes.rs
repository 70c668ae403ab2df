//! Any bytes as edits of every automaton: refused with the place, or an edit that keeps every law
//! of a world.

#![no_main]

use floodplain_fuzz::EditBytesRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: EditBytesRun| run.run());
