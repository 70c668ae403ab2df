//! The chunk store, one chunk, and masks, against plain maps, arrays and sets.

#![no_main]

use floodplain::{Cube, Sheet};
use floodplain_fuzz::StoreRun;
use libfuzzer_sys::fuzz_target;
use support::storage::{chunk, grid};

fuzz_target!(|run: StoreRun| match run {
    StoreRun::Cubes { ops, read } => grid::run::<Cube>(&ops, read),
    StoreRun::Sheets { ops, read } => grid::run::<Sheet>(&ops, read),
    StoreRun::Chunk(ops) => chunk::run(&ops),
});
