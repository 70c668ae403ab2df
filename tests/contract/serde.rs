//! Values in the formats of serde: what is drawn is the same after JSON, and what no value of a
//! type can be is refused by name.

use floodplain::blast::{self, BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::testing::{Op, Run, Small, palette};
use floodplain::water::{self, Edge, Fixture, Voxel, WaterCell, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::{self, Palette, World};
use floodplain::{Chunk, ChunkPos, Cube, EditValue, Face, Region, Sheet};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::fmt::Debug;
use support::edit_bytes::sent;
use support::worlds;

/// A value of serde.
trait Value: Serialize + DeserializeOwned + PartialEq + Debug {}
impl<T: Serialize + DeserializeOwned + PartialEq + Debug> Value for T {}

/// Writes a value as JSON, and reads it. What is no number is `null` in JSON, and refused.
#[track_caller]
fn is_the_same_after_json(value: &impl Value) {
    let text = serde_json::to_string(value).expect("a value");
    match serde_json::from_str(&text) {
        Ok(read) => same(value, read, &text),
        Err(error) => {
            let error = error.to_string();
            assert!(text.contains("null") && error.contains("null, expected f"), "{text}: {error}");
        }
    }
}

#[track_caller]
fn same<T: Value>(value: &T, read: T, text: &str) {
    assert!(*value == read, "{value:?} is {read:?} after {text}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn drawn_values_are_the_same_after_json(bytes in prop::collection::vec(any::<u8>(), 0..192)) {
        drawn_run_is_the_same::<WaterWorld>(&bytes);
        drawn_run_is_the_same::<World>(&bytes);
        drawn_run_is_the_same::<HumidityWorld<Sheet>>(&bytes);
        drawn_run_is_the_same::<HumidityWorld<Cube>>(&bytes);
        drawn_run_is_the_same::<Water2dWorld>(&bytes);
        drawn_run_is_the_same::<BlastWorld<Sheet>>(&bytes);
        drawn_run_is_the_same::<BlastWorld<Cube>>(&bytes);
        drawn_run_is_the_same::<BlastGraph>(&bytes);
    }
}

/// Edits are sent as bytes first, so that chunks of equal cells are stored as JSON has them.
fn drawn_run_is_the_same<W: Small<Rules: Value, Edit: EditValue + Value>>(bytes: &[u8]) {
    let run: Run<W> = Run::from_bytes(bytes);
    is_the_same_after_json(&run.start.rules);
    is_the_same_after_json(&run.start.bounds);
    for op in &run.ops {
        if let Op::Edit(edit) = op {
            is_the_same_after_json(&sent(edit));
        }
    }
}

#[test]
fn ledgers_reports_and_records_are_the_same_after_json() {
    let mut water = worlds::water(3);
    is_the_same_after_json(&water.step());
    is_the_same_after_json(&water.step_within(300));
    is_the_same_after_json(&water.ledger());
    let chunks: Vec<ChunkPos> = water.chunks().map(|(position, _)| position).collect();
    let records = water.remove_chunks(chunks).expect("loaded");
    is_the_same_after_json(&water::Edit::InsertRecords(records.clone()));
    is_the_same_after_json(&water::Outcome::Records(records));

    let mut world = World::new(7, Palette::natural(), world::Rules::default()).expect("rules");
    world
        .insert_chunk(ChunkPos::ZERO, Chunk::uniform(world::MaterialId(3)).into())
        .expect("vacant");
    is_the_same_after_json(&world.step());
    is_the_same_after_json(&world.ledger());
    let [from, into] = [3, 0].map(world::MaterialId);
    let broken = world::Broken { tick: 9, cell: IVec3::NEG_ONE, from, into, difference: 0.1 };
    is_the_same_after_json(&broken);
    let records = world.remove_chunks([ChunkPos::ZERO]).expect("loaded");
    is_the_same_after_json(&world::Edit::InsertRecords(records));
    is_the_same_after_json(&palette());
}

#[test]
fn reports_on_refused_edits_name_the_error() {
    let mut world = WaterWorld::new(7, water::Rules::default()).expect("rules");
    world.queue(water::Edit::Pour { cell: IVec3::ONE, units: 7 });
    world.step();
    let report = serde_json::to_value(world.take_edit_reports().remove(0)).expect("a report");
    assert_eq!(report["result"], json!({ "Err": { "NotLoaded": [1, 1, 1] } }));
}

#[test]
fn values_have_the_names_of_the_library() {
    #[track_caller]
    fn check<T: Value>(value: T, form: serde_json::Value) {
        assert_eq!(serde_json::to_value(&value).expect("a value"), form);
        same(&value, serde_json::from_value(form.clone()).expect("its form"), &form.to_string());
    }
    let cell = IVec3::new(1, -2, 3);
    check(water::Edit::WakeAll, json!("WakeAll"));
    check(
        water::Edit::Pour { cell, units: 7 },
        json!({ "Pour": { "cell": [1, -2, 3], "units": 7 } }),
    );
    let soil = humidity::Edit::SetRock(cell);
    check(world::Edit::Soil(soil), json!({ "Soil": { "SetRock": [1, -2, 3] } }));
    check(Edge::Level(-4), json!({ "Level": -4 }));
    let valve = Fixture::Valve { towards: Face::Up, rate: 3 };
    check(valve, json!({ "Valve": { "towards": "Up", "rate": 3 } }));
    let region = Region::new(cell, IVec3::splat(5));
    check(region, json!({ "min": [1, -2, 3], "max": [5, 5, 5] }));
    check(Voxel::SOLID, json!(Voxel::SOLID.word()));
    check(WaterCell::SOURCE, json!(WaterCell::SOURCE.word()));
    check([water2d::Cell::SOLID, water2d::Cell::AIR], json!([-1, 0]));
    let mut chunk = Chunk::uniform(world::MaterialId(2));
    check(chunk.clone(), json!([[4096, 2]]));
    chunk.set(1, world::MaterialId(9));
    check(chunk, json!([[1, 2], [1, 9], [4094, 2]]));
}

#[test]
fn rules_and_materials_leave_out_what_is_as_by_default() {
    let rules: water::Rules = serde_json::from_value(json!({ "throughput": 3 })).expect("rules");
    assert_eq!(rules, water::Rules { throughput: 3, ..water::Rules::default() });
    let rules =
        json!({ "soil_period": 2, "blast": { "rule": { "Diffusive": { "coefficient": 0.1 } } } });
    let blast = blast::Rules::diffusive(0.1);
    let rules: world::Rules = serde_json::from_value(rules).expect("rules");
    assert_eq!(rules, world::Rules { soil_period: 2, blast, ..world::Rules::default() });
    let materials = json!([{ "name": "air", "solid": false }, { "name": "rock", "solid": true }]);
    let palette: Palette = serde_json::from_value(materials).expect("a palette");
    assert_eq!(palette.id("rock"), Some(world::MaterialId(1)));
}

#[test]
fn impossible_values_are_refused_by_name() {
    #[track_caller]
    fn refused<T: Value>(form: serde_json::Value, says: &str) {
        let error = serde_json::from_value::<T>(form).expect_err("refused").to_string();
        assert!(error.contains(says), "{says:?} is not in {error:?}");
    }
    let swapped = json!({ "min": [0, 4, 0], "max": [9, 3, 9] });
    let says = "a region with its max at [9, 3, 9], below its min at [0, 4, 0]";
    refused::<Region>(swapped.clone(), says);
    refused::<water::Edit>(json!({ "FillSolid": swapped }), says);
    refused::<Voxel>(json!(u16::MAX), "direction code 7, above 6");
    refused::<Voxel>(json!(70_000), "70000");
    refused::<WaterCell>(json!(Voxel::SEA.word()), "direction code 7, above 6");
    let level = "a cell of 2D water is -1 for ground, or a level of at most 1,000,000, not ";
    refused::<water2d::Cell>(json!(-2), &format!("{level}-2"));
    refused::<water2d::Cell>(json!(1_000_001), &format!("{level}1000001"));
    refused::<Chunk<u8>>(json!([[4095, 0]]), "runs of 4095 cells in a chunk, which has 4096");
    refused::<Chunk<u8>>(json!([]), "runs of 0 cells in a chunk");
    refused::<Chunk<u8>>(json!([[usize::MAX, 0], [4097, 0]]), "cells in a chunk");
    refused::<water::ChunkRecord>(json!([9]), "byte 0: version 9");
    refused::<world::ChunkRecord>(json!([9]), "byte 0: version 9");
    refused::<Palette>(json!([]), "a palette has at least one material");
    let air = json!({ "name": "air", "solid": false });
    refused::<Palette>(json!([air, air]), "two materials are called \"air\"");
    refused::<Face>(json!("Top"), "unknown variant `Top`");
    refused::<water::Edit>(json!({ "Poor": [] }), "unknown variant `Poor`");
    refused::<water::Edit>(json!({ "Pour": { "cell": [0, 0, 0] } }), "missing field `units`");
    refused::<water::Edit>(json!({ "Pour": { "unit": 1 } }), "unknown field `unit`");
    refused::<water::Rules>(json!({ "evaporatoin": 0 }), "unknown field `evaporatoin`");
    refused::<world::Rules>(json!({ "couplings": { "seep": 0 } }), "unknown field `seep`");
}

/// As those that are made otherwise.
#[test]
fn rules_out_of_range_are_refused_by_the_world() {
    let rules = serde_json::from_value(json!({ "throughput": 0 })).expect("rules");
    let error = WaterWorld::new(7, rules).err().expect("refused").to_string();
    assert_eq!(error, "throughput is 1 to 7 units a tick, not 0");
}
