//! Damaged snapshots of small worlds of every kind: refused, or a world that keeps every law and
//! saves to the same bytes.

#![no_main]

use floodplain_fuzz::SnapshotRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: SnapshotRun| run.run());
