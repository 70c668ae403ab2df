//! Edits and steps of humidity, each step against a naive oracle.

#![no_main]

use floodplain_fuzz::HumidityRun;
use libfuzzer_sys::fuzz_target;
use support::humidity::edits::check;

fuzz_target!(|run: HumidityRun| check(&run.0));
