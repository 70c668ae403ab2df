//! Random calls, and that they are of all functions.
//!
//! `FP_RUNS=20000 cargo test -p floodplain-c hostile` makes more of them.

use crate::calls;

#[test]
fn no_call_panics_and_what_is_refused_changes_nothing() {
    let mut random = fastrand::Rng::with_seed(9);
    let runs = std::env::var("FP_RUNS").map_or(300, |runs| runs.parse().expect("a number"));
    for run in 0..runs {
        let seed = random.u64(..);
        let mut bytes = fastrand::Rng::with_seed(seed);
        let length = bytes.usize(20..1_500);
        let bytes: Vec<u8> = (0..length).map(|_| bytes.u8(..)).collect();
        println!("run {run}: seed {seed}");
        calls::run(&bytes);
    }
}

#[test]
fn the_calls_are_of_every_function() {
    let source = include_str!("calls.rs");
    let header = include_str!("../include/floodplain.h");
    // Files, and what other tests call with each refusal.
    let files = ["fp_save_create", "fp_save_open", "fp_stream_create", "fp_stream_open"];
    let is_other = |name: &str| files.contains(&name) || name == "fp_interface_version";
    let names = header.split("\nFpStatus ").skip(1).filter_map(|rest| rest.split('(').next());
    let missing: Vec<&str> =
        names.filter(|name| !source.contains(&format!("{name}(")) && !is_other(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
