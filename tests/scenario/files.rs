//! Every file in `examples/scenarios` runs, keeps all laws all along, and meets its expectations.

use floodplain::glam::IVec3;
use floodplain::scenario::{Record, Run, Scenario, play};
use rayon::prelude::*;
use std::fs;
use std::path::PathBuf;

/// The laws are checked once in `OFTEN` ticks, and in worlds of more cells once in `SPARSELY`
/// ticks. The ledger is checked after every tick in all worlds.
const SMALL: u128 = 20_000;
const OFTEN: u64 = 4;
const SPARSELY: u64 = 64;

/// Files that must be there. Any other is run as well.
const NAMED: &[&str] = &[
    "bathtub",
    "chunk_corner",
    "crater_lake",
    "crossing",
    "dam_break",
    "explosion_corridor",
    "explosion_door",
    "explosion_obstacle",
    "explosion_two_rooms",
    "flooded_house",
    "lake_asleep",
    "ledge_jet",
    "narrow_gap",
    "plain_spring",
    "quarry",
    "rain_on_slope",
    "river_gap",
    "river_wide",
    "rock_shelter",
    "seeping_wall",
    "siphon_wall",
    "terraces",
    "to_the_edge",
    "two_springs",
    "u_tube_finite",
    "u_tube_source",
    "unloaded_edge",
    "water_2d_chimney",
    "water_2d_literal",
    "water_2d_tanks",
    "water_2d_u_tube",
    "waterfall",
    "world_bunker_holds",
    "world_cellar_seeps",
    "world_charge_over_lake",
    "world_dam_and_spring",
    "world_dam_blown",
    "world_hillside_stream",
    "world_lakes_on_sand_and_clay",
    "world_rain_on_rock",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/scenarios")
}

fn text_of(name: &str) -> String {
    let path = folder().join(format!("{name}.toml"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(name: &str) -> Scenario {
    Scenario::from_toml(&text_of(name))
        .unwrap_or_else(|error| panic!("{name}.toml:{}: {error}", error.line))
}

/// Runs a scenario with all its laws checked, and returns the last record.
fn check(name: &str, scenario: &Scenario) -> Result<Record, String> {
    let refused =
        |error: floodplain::scenario::ScenarioError| format!("{name}.toml:{}: {error}", error.line);
    let every = if scenario.cells() <= SMALL { OFTEN } else { SPARSELY };
    let mut run = Run::new(scenario).map_err(refused)?;
    loop {
        if run.tick().is_multiple_of(every) {
            run.validate()
                .map_err(|broken| format!("{name}.toml: {broken} at tick {}", run.tick()))?;
        }
        if !run.is_balanced() {
            return Err(format!("{name}.toml: the ledger is wrong at tick {}", run.tick()));
        }
        if !run.step().map_err(refused)? {
            break;
        }
    }
    let failures: Vec<String> = run
        .failures()
        .iter()
        .map(|failure| format!("{name}.toml:{}: {failure}", failure.line))
        .collect();
    if failures.is_empty() { Ok(run.record()) } else { Err(failures.join("\n")) }
}

#[test]
fn every_file_does_what_it_says() {
    let entries = fs::read_dir(folder()).expect("the folder of scenarios");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    for name in NAMED {
        assert!(names.iter().any(|there| there == name), "{name}.toml is missing");
    }
    // By threads: in all they take longer than all other tests of this program.
    let wrong: Vec<String> =
        names.par_iter().filter_map(|name| check(name, &read(name)).err()).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The file puts its drawing across eight chunks. In the middle of one chunk, and across the
/// origin, it comes out alike.
#[test]
fn a_chunk_corner_makes_no_difference() {
    let across =
        check("chunk_corner", &read("chunk_corner")).unwrap_or_else(|wrong| panic!("{wrong}"));
    for offset in [IVec3::splat(2), IVec3::new(-5, -5, -5), IVec3::new(1_000_003, -777_777, 12)] {
        let moved = read("chunk_corner").at_offset(offset).expect("an offset within range");
        let moved =
            check("chunk_corner", &moved).unwrap_or_else(|wrong| panic!("at {offset}: {wrong}"));
        assert_eq!(moved.total, across.total, "at {offset}");
        assert_eq!(surfaces(&moved), surfaces(&across), "the rest levels at {offset}");
    }
}

/// Units in each layer, from the bottom up: where a remainder of less than a unit a cell lies is
/// left to chance.
fn surfaces(record: &Record) -> Vec<f64> {
    let units = |value: &f64| value.max(0.0);
    record.layers.iter().map(|layer| layer.rows.iter().flatten().map(units).sum()).collect()
}

#[test]
fn running_a_file_twice_gives_the_same_bytes() {
    for name in ["dam_break", "two_springs"] {
        let run = || {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            play(name, &text_of(name), &mut out, &mut err).expect("writing to memory");
            out
        };
        assert_eq!(run(), run(), "{name}");
    }
}
