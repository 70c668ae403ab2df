//! Edits and steps of pressure on a graph, against a plain map of nodes and links.

#![no_main]

use floodplain_fuzz::GraphRun;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|run: GraphRun| run.0.run());
