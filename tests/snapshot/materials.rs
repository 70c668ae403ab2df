//! Worlds of materials: saved at every piece of a tick, and bytes that no world has, each refused
//! in the words that say what is wrong with it.

use super::sections::{content, forged, records_forged};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::water::{self, WaterWorld};
use floodplain::world::{Couplings, Edit, Ledger, Rules, UnderWater, World};
use floodplain::{DecodeProblem, Region};
use std::collections::BTreeSet;
use support::snapshot::forgery::number;
use support::world::{id, rules, uncoupled};
use support::worlds;

fn said(bytes: &[u8]) -> String {
    match World::load(bytes) {
        Ok(_) => "a world".to_owned(),
        Err(error) => match error.problem {
            DecodeProblem::Value { wanted, .. } => wanted.to_owned(),
            DecodeProblem::Law { law } => law,
            problem => problem.to_string(),
        },
    }
}

/// The state of the parts, in their order.
fn states(world: &World) -> [Vec<u8>; 3] {
    let mut states = [const { Vec::new() }; 3];
    world.water().put_state(&mut states[0]);
    world.soil().put_state(&mut states[1]);
    world.blast().put_state(&mut states[2]);
    states
}

/// The message when the state has these bytes after those of the parts.
fn with_tail(world: &World, change: impl Fn(&mut Vec<u8>)) -> String {
    let before: usize = states(world).iter().map(Vec::len).sum();
    said(&forged(&world.save(), "WRLD", |mut state| {
        let mut tail = state.split_off(before);
        change(&mut tail);
        [state, tail].concat()
    }))
}

#[test]
fn a_world_that_is_saved_at_any_piece_of_a_tick_continues_to_the_same_bytes() {
    for seed in 0..2 {
        let mut world = worlds::materials(seed);
        let charge =
            floodplain::blast::Edit::SetPressure { cell: IVec3::new(0, 5, 1), pressure: 80.0 };
        // Refused where that is solid or not loaded.
        let _ = world.apply(Edit::Blast(charge));
        let mut closing = 0;
        for _ in 0..3 {
            world.queue(Edit::Rain { from: IVec3::new(1, 6, 1), units: 2 });
            while !world.step_within(1).finished {
                world.queue(Edit::Rain { from: IVec3::new(2, 6, 1), units: 1 });
                closing += u32::from(world.water().ticks() > world.ticks());
                let bytes = world.save();
                let mut loaded = World::load(&bytes).unwrap();
                assert_eq!(loaded.state_hash(), world.state_hash(), "seed {seed}");
                assert!(loaded.save() == bytes, "seed {seed}: other bytes");
                let mut whole = World::load(&bytes).unwrap();
                loaded.step();
                while !whole.step_within(1).finished {}
                assert!(loaded.save() == whole.save(), "seed {seed}: other bytes in slices");
            }
        }
        assert!(closing > 0, "seed {seed}: never saved after the tick of water");
    }
}

#[test]
fn a_world_that_is_loaded_in_the_middle_of_every_tick_is_one_that_never_is() {
    let (mut world, mut other) = (worlds::materials(2), worlds::materials(2));
    for tick in 0..12 {
        for world in [&mut world, &mut other] {
            world.queue(Edit::Rain { from: IVec3::new(1, 6, 1), units: 2 });
        }
        other.step();
        // The tick of water starts again, so that a call must get farther than the one before.
        let mut budget = 1;
        while !world.step_within(budget).finished {
            world = World::load(&world.save()).unwrap();
            budget *= 2;
        }
        assert_eq!(world.state_hash(), other.state_hash(), "tick {tick}");
        assert_eq!(world.take_events(), other.take_events(), "tick {tick}");
    }
}

/// What the tick of a saved world does next: 0 if it has not begun, 1 water soaks into soil, 2 soil
/// gives water, 3 the step of soil, from 4 on lending of ground for steps of pressure, from 65,536
/// on these steps, 131,072 throws. And whether it goes on after a chunk.
fn stage_of(world: &World, bytes: &[u8]) -> (u32, bool) {
    let before: usize = states(world).iter().map(Vec::len).sum();
    let state = &content(bytes, "WRLD")[before..];
    (u32::from_le_bytes(state[..4].try_into().unwrap()), state[4] != 0)
}

/// A pond on sand, a bank that holds too much, and wet turf, under a charge.
fn passing(rules: Rules) -> World {
    let bounds = Region::new(IVec3::new(-6, 0, 0), IVec3::new(6, 7, 5));
    let mut world = support::world::world(11, rules, bounds);
    let block = |from: [i32; 3], to: [i32; 3]| Region::new(from.into(), to.into());
    let wet = |world: &mut World, region: Region, humidity: f64| {
        for cell in region.positions() {
            world.apply(Edit::Soil(humidity::Edit::SetHumidity { cell, humidity })).unwrap();
        }
    };
    for (material, region) in [
        ("sand", block([-6, 0, 0], [2, 1, 5])),
        ("gravel", block([3, 0, 0], [6, 3, 5])),
        ("turf", block([-1, 2, 0], [-1, 4, 5])),
    ] {
        world.fill_material(region, id(material)).unwrap();
    }
    wet(&mut world, block([3, 0, 0], [6, 3, 5]), 900.0);
    wet(&mut world, block([-1, 2, 0], [-1, 4, 5]), 200.0);
    let region = block([-6, 2, 0], [-2, 3, 5]);
    world.apply(Edit::Water(water::Edit::FillWater { region, height: 7 })).unwrap();
    world.charge(IVec3::new(-3, 5, 3), 2.0, 200.0).unwrap();
    world
}

/// Runs some ticks, and whatever was saved between two pieces to the end of the tick. Returns the
/// account, and how far ticks were when they were saved.
fn saved_at_every_piece(mut world: World) -> (Ledger, BTreeSet<(u32, bool)>) {
    let mut stages = BTreeSet::new();
    for tick in 0..2 {
        let mut saved = vec![world.save()];
        while !world.step_within(0).finished {
            saved.push(world.save());
            stages.insert(stage_of(&world, &saved[saved.len() - 1]));
        }
        let end = world.save();
        for (piece, bytes) in saved.iter().enumerate() {
            let mut loaded = World::load(bytes).unwrap();
            loaded.step();
            assert!(loaded.save() == end, "tick {tick}, piece {piece}: other bytes");
        }
    }
    assert_eq!(world.validate(), Ok(()));
    (world.ledger(), stages)
}

#[test]
fn a_world_continues_to_the_same_bytes_from_between_any_two_stages_while_units_pass() {
    let water = water::Rules { evaporation: 0.1, film_evaporation: 0.1, ..rules().water };
    let all = Rules { water, soil_period: 1, throw_flow: Some(1.0), ..rules() };
    let passed = |rules| {
        let (ledger, stages) = saved_at_every_piece(passing(rules));
        let Couplings { seepage, springs, .. } = rules.couplings;
        let is_exchanging = seepage > 0.0 || springs;
        let (lending, steps) = (0..=rules.blast_steps + 4, 65_536..65_536 + rules.blast_steps);
        let all = lending.chain(steps).chain([131_072]);
        let mut all = all.filter(|&stage| stage != 2 || is_exchanging);
        assert!(all.all(|stage| stages.contains(&(stage, false))), "{stages:?}");
        assert_eq!(stages.contains(&(1, true)), seepage > 0.0, "{stages:?}");
        assert_eq!(stages.contains(&(2, true)), springs, "{stages:?}");
        let Ledger { soaked, sprung, ebbed, thrown, spilled, .. } = ledger;
        [soaked, sprung, ebbed, thrown, spilled].map(|units| units > 0)
    };
    assert_eq!(passed(all), [true; 5]);
    assert_eq!(passed(Rules { under_water: UnderWater::Passes, ..all }), [true; 5]);
    let off = Couplings::OFF;
    let Couplings { seepage, springs, ebb, .. } = all.couplings;
    for (couplings, is_on) in [
        (off, [false; 3]),
        (Couplings { seepage, ..off }, [true, false, false]),
        (Couplings { springs, ..off }, [false, true, false]),
        (Couplings { ebb, ..off }, [false, false, true]),
    ] {
        let [soaked, sprung, ebbed] = is_on;
        let with = Rules { couplings, ..all };
        assert_eq!(passed(with), [soaked, sprung, ebbed, true, true], "{couplings:?}");
        let apart = uncoupled(with);
        assert_eq!(passed(apart), [soaked, sprung, ebbed, false, false], "{couplings:?}");
    }
}

#[test]
fn states_that_no_world_has_are_refused_in_words() {
    let world = worlds::materials(1);
    assert_eq!(with_tail(&world, |_| ()), "a world");
    let steps = world.rules().blast_steps;
    for stage in [99, 5 + steps, 65_535, 65_536 + steps, 131_071, 131_073, u32::MAX] {
        let said = with_tail(&world, |tail| tail[..4].copy_from_slice(&stage.to_le_bytes()));
        assert_eq!(said, "a stage that no tick has", "{stage}");
    }
    let after = |stage: u8| {
        with_tail(&world, |tail| {
            (tail[0], tail[4]) = (stage, 1);
            tail.splice(5..5, [0; 12]);
        })
    };
    for stage in [0, 3, 4] {
        assert_eq!(after(stage), "a stage that no tick has", "{stage} after a chunk");
    }
    let edits = "no more edits before the next tick than wait";
    assert_eq!(with_tail(&world, |tail| tail[13] = 1), edits);
    let in_the_middle = with_tail(&world, |tail| {
        (tail[0], tail[13], tail[17]) = (1, 1, 1);
        tail.insert(21, 8);
    });
    assert_eq!(in_the_middle, "no edits before the next tick in the middle of one");
    let no_edit = with_tail(&world, |tail| {
        tail[17] = 1;
        tail.insert(21, 99);
    });
    assert_eq!(no_edit, "nothing has the tag 99");
    let [water, soil, blast] = states(&world);
    let after = water.len() + soil.len() + blast.len();
    let whole = content(&world.save(), "WRLD");
    let with = |water: &[u8], soil: &[u8]| {
        let state = [water, soil, &blast, &whole[after..]].concat();
        said(&forged(&world.save(), "WRLD", |_| state.clone()))
    };
    assert_eq!(with(&water, &soil), "a world");
    let mut queueing = WaterWorld::with_bounds(1, *world.water().rules(), world.bounds()).unwrap();
    queueing.queue(water::Edit::WakeAll);
    let mut state = Vec::new();
    queueing.put_state(&mut state);
    assert_eq!(with(&state, &soil), "edits or events of a part, which a world has itself");
    let elsewhere = Region::new(IVec3::ZERO, IVec3::splat(3));
    let moved = HumidityWorld::<floodplain::Cube>::with_bounds(*world.soil().rules(), elsewhere);
    let mut state = Vec::new();
    moved.unwrap().put_state(&mut state);
    assert_eq!(with(&water, &state), "parts with other bounds");
}

/// A list of chunks was taken in any order, and saved in theirs: loaded bytes were saved to others.
#[test]
fn chunks_in_which_pressure_was_put_are_in_order() {
    // A state ends with these positions, and five counts.
    let said = with_tail(&worlds::materials(1), |tail| {
        let end = tail.len() - 5 * 8;
        tail[end - 2 * 12..end].rotate_left(12);
    });
    assert_eq!(said, "chunks in order of y, then z, then x, each once");
}

#[test]
fn palettes_and_rules_are_checked_when_they_are_read() {
    let saved = worlds::materials(1).save();
    let rules = content(&saved, "RULE");
    let name = rules.windows(3).position(|bytes| bytes == b"air").unwrap();
    let with = |at: usize, bytes: &[u8]| {
        said(&forged(&saved, "RULE", |mut rules| {
            rules[at..at + bytes.len()].copy_from_slice(bytes);
            rules
        }))
    };
    assert_eq!(with(name, b"air"), "a world");
    assert_eq!(with(name, &[0xff]), "a text in UTF-8");
    let concrete = rules.windows(4).position(|bytes| bytes == b"rock").unwrap();
    assert_eq!(with(concrete, b"soil"), "two materials are called \"soil\"");
    // From the end on: two bools and two numbers of the couplings, `throw_flow` with a bool before
    // it, `under_water`, a bool, four numbers of charges, a bool, the steps of pressure, the period
    // of soil, and `moisture_per_unit`.
    let end = rules.len();
    assert_eq!(with(end - 1, &[2]), "0 or 1, a switch");
    let (two, nan) = (2.0f64.to_le_bytes(), f64::NAN.to_le_bytes());
    assert_eq!(with(end - 10, &nan), "depth_gain is 0 to 16, not NaN");
    assert_eq!(with(end - 18, &two), "seepage is 0 to 1, not 2");
    assert_eq!(with(end - 26, &[0; 8]), "throw_flow is 0.001 or more, not 0");
    assert_eq!(with(end - 33, &[0; 4]), "most_radius is a number from 2 on, not 0");
    assert_eq!(with(end - 54, &[0; 4]), "soil_period is 1 or more, not 0");
    assert_eq!(
        with(end - 58, &[0; 4]),
        "moisture_per_unit is above 0 and at most the cap, in units of 1/65,536, not 0"
    );
}

#[test]
fn records_that_no_world_has_are_refused_in_words() {
    let saved = worlds::materials(1).save();
    let with = |bits: u8| {
        said(&records_forged(&saved, |record| {
            let mut record = record.to_vec();
            record[0] = bits;
            record
        }))
    };
    let bits = "bits for changed, lent, and pressure";
    for refused in [8, 12, 16, 255] {
        assert_eq!(with(refused), bits, "{refused}");
    }
    let unknown = said(&records_forged(&saved, |record| {
        let mut record = record.to_vec();
        assert_eq!(record[1], 1, "a plane of cells that differ");
        // The first cell, after the run that it stands in.
        let (_, after) = number(&record[2..]);
        let first = record.len() - after.len();
        record[first] = 200;
        record
    }));
    assert_eq!(unknown, "materials of the palette, inside the world's bounds");
}
