//! The recorded scenarios, automata and caves end in the recorded states. `.ci/platforms` holds the
//! same hashes, and the valley's, against other targets and profiles; after a change that is meant
//! to change them, `.ci/platforms record` records them again.

#[path = "../platforms/src/automata.rs"]
mod automata;
#[path = "../platforms/src/caves.rs"]
mod caves;
#[path = "../platforms/src/scenarios.rs"]
mod scenarios;

use scenarios::{SCENARIOS, state_hash};

const GOLDEN: &str = include_str!("../data/golden/state_hashes.txt");

#[test]
fn scenarios_end_in_the_recorded_states() {
    for (name, text) in SCENARIOS {
        let hash = state_hash(text).unwrap_or_else(|error| panic!("{name}.toml: {error}"));
        is_recorded(name, hash);
    }
}

#[test]
fn automata_end_in_the_recorded_states() {
    for (name, hash) in automata::WORLDS {
        is_recorded(name, hash().unwrap_or_else(|error| panic!("{name}: {error}")));
    }
}

#[test]
fn caves_go_through_the_recorded_states() {
    is_recorded("caves", caves::state_hash().unwrap_or_else(|error| panic!("{error}")));
}

fn is_recorded(name: &str, hash: u64) {
    let line = format!("{name} {hash:016x}");
    assert!(GOLDEN.lines().any(|golden| golden == line), "{line} is not what was recorded");
}

#[test]
fn every_recorded_hash_is_of_a_world_that_is_run() {
    let mut names: Vec<&str> = GOLDEN.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names.pop(), Some("valley"));
    let scenarios = SCENARIOS.iter().map(|(name, _)| name);
    let automata = automata::WORLDS.iter().map(|(name, _)| name);
    assert!(names.iter().eq(scenarios.chain(automata).chain([&"caves"])));
}
