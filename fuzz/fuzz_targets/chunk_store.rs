//! The chunk store, one chunk, and masks, against plain maps, arrays and sets.

#![no_main]

use floodplain::{Cube, Sheet};
use floodplain_fuzz::{StoreRun, chunk, storage};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: StoreRun| match run {
    StoreRun::Cubes { ops, read } => storage::run::<Cube>(&ops, read),
    StoreRun::Sheets { ops, read } => storage::run::<Sheet>(&ops, read),
    StoreRun::Chunk(ops) => chunk::run(&ops),
});
