//! Edits and steps of two-dimensional water, each step against a naive oracle.

#![no_main]

use floodplain_fuzz::Water2dRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: Water2dRun| run.0.run());
