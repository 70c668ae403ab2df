//! Snapshots: a loaded world continues as if it had never been saved, and damaged bytes are
//! refused by name.

use floodplain::blast::{self, BlastGraph, BlastWorld, Borders};
use floodplain::glam::{DVec3, IVec3};
use floodplain::snapshot::{Kind, Saved};
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use floodplain::world;
use floodplain::{
    Chunk, ChunkPos, Cube, DecodeError, DecodeProblem, Face, Format, Region, Sheet, Simulation,
};
use support::snapshot::forgery::{contents, forged, unpacked};
use support::snapshot::samples::{Sample, run, run_graph, samples};
use support::worlds;

/// Saves and loads a world again and again, beside one that is not, and compares the bytes.
fn continues_as_if_never_saved<W: Simulation + Saved>(
    seed: u64,
    mut world: W,
    mut edit: impl FnMut(&mut W, &mut fastrand::Rng),
) {
    let mut loaded = W::load(&world.save()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    for round in 0..6 {
        let mut rng = fastrand::Rng::with_seed(seed ^ round);
        edit(&mut world, &mut rng.clone());
        edit(&mut loaded, &mut rng);
        for tick in 0..rng.u64(..8) {
            assert_eq!(world.step(), loaded.step(), "seed {seed}, round {round}, tick {tick}");
            assert_eq!(
                world.state_hash(),
                loaded.state_hash(),
                "seed {seed}, round {round}, tick {tick}"
            );
            assert_eq!(
                world.awake_cells(),
                loaded.awake_cells(),
                "seed {seed}, round {round}, tick {tick}"
            );
        }
        let bytes = world.save();
        assert!(bytes == loaded.save(), "seed {seed}, round {round}: the bytes differ");
        loaded =
            W::load(&bytes).unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
        assert_eq!(world.take_changes(), loaded.take_changes(), "seed {seed}, round {round}");
    }
}

#[test]
fn loaded_water_continues_as_if_it_had_never_been_saved() {
    (0..60).for_each(|seed| {
        continues_as_if_never_saved(seed, worlds::water(seed), worlds::edit_water)
    });
}

#[test]
fn loaded_humidity_continues_as_if_it_had_never_been_saved() {
    for seed in 0..12 {
        continues_as_if_never_saved(seed, worlds::humidity::<Sheet>(seed), worlds::edit_humidity);
        continues_as_if_never_saved(seed, worlds::humidity::<Cube>(seed), worlds::edit_humidity);
    }
}

#[test]
fn loaded_pressure_continues_as_if_it_had_never_been_saved() {
    for seed in 0..12 {
        continues_as_if_never_saved(seed, worlds::blast::<Sheet>(seed), worlds::edit_blast);
        continues_as_if_never_saved(seed, worlds::blast::<Cube>(seed), worlds::edit_blast);
    }
}

#[test]
fn loaded_water_2d_continues_as_if_it_had_never_been_saved() {
    (0..30).for_each(|seed| {
        continues_as_if_never_saved(seed, worlds::water_2d(seed), worlds::edit_water_2d)
    });
}

#[test]
fn a_loaded_world_of_materials_continues_as_if_it_had_never_been_saved() {
    for seed in 0..20 {
        continues_as_if_never_saved(seed, worlds::materials(seed), |world, rng| {
            let queued = world::Edit::Rain { from: IVec3::new(1, 6, 1), units: 3 };
            worlds::edit_materials(world, rng);
            world.queue(queued);
        });
    }
}

#[test]
fn a_loaded_graph_continues_as_if_it_had_never_been_saved() {
    for seed in 0..60 {
        let mut graph = worlds::graph(seed);
        let mut loaded =
            BlastGraph::load(&graph.save()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for round in 0..8 {
            let mut rng = fastrand::Rng::with_seed(seed ^ round);
            worlds::edit_graph(&mut graph, &mut rng.clone());
            worlds::edit_graph(&mut loaded, &mut rng);
            for step in 0..rng.u64(..5) {
                assert_eq!(graph.step(), loaded.step(), "seed {seed}, round {round}, step {step}");
                assert_eq!(
                    graph.state_hash(),
                    loaded.state_hash(),
                    "seed {seed}, round {round}, step {step}"
                );
            }
            let bytes = graph.save();
            assert!(bytes == loaded.save(), "seed {seed}, round {round}: the bytes differ");
            loaded = BlastGraph::load(&bytes)
                .unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
            if round % 3 == 2 {
                assert_eq!(
                    graph.take_changes(),
                    loaded.take_changes(),
                    "seed {seed}, round {round}"
                );
                assert_eq!(graph.take_events(), loaded.take_events(), "seed {seed}, round {round}");
            }
        }
    }
}

#[test]
fn loading_and_saving_again_gives_the_same_bytes() {
    for sample in samples() {
        assert!((sample.again)(&sample.bytes).as_ref() == Ok(&sample.bytes), "{}", sample.name);
    }
}

#[test]
fn every_truncation_is_refused() {
    for sample in samples() {
        for length in 0..sample.bytes.len() {
            let error = (sample.again)(&sample.bytes[..length])
                .expect_err("a part of the bytes is not the world");
            match (length, &error.problem) {
                (0..8, DecodeProblem::Magic { wanted: "FLDPLAIN" }) => {}
                (8.., DecodeProblem::EndsEarly) => assert_eq!(error.at, length, "{}", sample.name),
                _ => panic!("{} cut to {length}: {error:?}", sample.name),
            }
        }
        let mut longer = sample.bytes.clone();
        longer.push(0);
        let problem = DecodeProblem::Trailing { bytes: 1 };
        let error = DecodeError { format: Format::Snapshot, at: sample.bytes.len(), problem };
        assert_eq!((sample.again)(&longer), Err(error));
    }
}

/// Every single bit, some four million in all.
#[test]
fn every_flipped_bit_is_refused_by_the_name_of_its_section() {
    std::thread::scope(|scope| {
        for sample in samples() {
            scope.spawn(move || flipped_bits_are_refused(&sample));
        }
    });
}

fn flipped_bits_are_refused(sample: &Sample) {
    let mut bytes = sample.bytes.clone();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = (sample.again)(&bytes).expect_err("a flipped bit is not the same world");
        match (bit / 8, &error.problem) {
            (0..8, DecodeProblem::Magic { .. }) | (8..16, DecodeProblem::Checksum { .. }) => {}
            (at @ 16.., DecodeProblem::Checksum { .. } | DecodeProblem::EndsEarly) => {
                let section = section_at(&sample.bytes, at);
                assert_eq!(name_of(error.format), section, "{}, bit {bit}", sample.name);
            }
            _ => panic!("{}, bit {bit}: {error:?}", sample.name),
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

/// The name of the section that an error is about.
fn name_of(format: Format) -> &'static str {
    match format {
        Format::Rules => "RULE",
        Format::State => "WRLD",
        Format::Chunks => "CHNK",
        _ => "",
    }
}

/// The name of the section in which a byte lies, by walking over the sections.
pub fn section_at(bytes: &[u8], at: usize) -> &str {
    let mut start = 16;
    loop {
        let length = u64::from_le_bytes(bytes[start + 4..start + 12].try_into().unwrap()) as usize;
        if at < start + length + 16 {
            return core::str::from_utf8(&bytes[start..start + 4]).unwrap();
        }
        start += length + 16;
    }
}

#[test]
fn forged_bytes_are_refused_or_describe_a_lawful_world() {
    for sample in samples() {
        let whole = [sample.bytes.clone(), unpacked(&sample.bytes)];
        for seed in 0..80 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let bytes = forged(&whole[seed as usize % 2], |bytes| {
                for _ in 0..rng.usize(1..4) {
                    let at = rng.usize(16..bytes.len());
                    bytes[at] = rng.u8(..);
                }
            });
            if let Ok(again) = (sample.again)(&bytes) {
                let is_same = unpacked(&again) == unpacked(&bytes);
                assert!(is_same, "{}, seed {seed}: another world", sample.name);
                (sample.run)(&bytes)
                    .unwrap_or_else(|law| panic!("{}, seed {seed}: {law}", sample.name));
            }
        }
    }
}

/// A flow of 10²⁰ between pressures of 100: pressures grow by as much, with opposite signs, and
/// their sum is rounded by far more than a millionth of what was ever placed. No law was broken;
/// the account had been measured by the sum alone.
#[test]
fn a_forged_flow_far_above_all_pressures_leaves_the_account_balanced() {
    fn forge(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
        let places: Vec<usize> =
            (16..bytes.len()).filter(|&at| bytes[at..].starts_with(old)).collect();
        assert_eq!(places.len(), 1, "the flow stands once");
        forged(bytes, |bytes| bytes[places[0]..places[0] + new.len()].copy_from_slice(new))
    }
    let rules = blast::Rules::wave(0.05, 0.95);
    let mut graph = BlastGraph::new(rules).unwrap();
    let [a, b] = [(DVec3::ZERO, 100.0), (DVec3::X, 10.0)]
        .map(|(at, charge)| graph.add_node(at, charge).unwrap());
    graph.add_link(a, b, 1.0).unwrap();
    graph.step();
    let flow: f64 = 0.95 * (0.05 * (100.0 - 10.0));
    let bytes = forge(&graph.save(), &flow.to_le_bytes(), &1e20f64.to_le_bytes());
    assert_eq!(run_graph(BlastGraph::load(&bytes)), Ok(()));

    let bounds = Region::new(IVec3::ZERO, IVec3::X);
    let mut world = BlastWorld::<Sheet>::with_bounds(rules, bounds, Borders::default()).unwrap();
    world.set_pressure(IVec3::ZERO, 100.0).unwrap();
    world.set_pressure(IVec3::X, 10.0).unwrap();
    world.step();
    // What flows across a face of a grid leaves the cell without rounding.
    let flow = 100.0 - world.pressure(IVec3::ZERO);
    let mut bytes = unpacked(&world.save());
    for sign in [1.0, -1.0] {
        bytes = forge(&bytes, &(sign * flow).to_le_bytes(), &(sign * 1e20f32).to_le_bytes());
    }
    assert_eq!(run(BlastWorld::<Sheet>::load(&bytes)), Ok(()));
}

/// Numbers that are equal make equal worlds, and equal worlds equal bytes. A link of weight −0 once
/// was saved as bytes that loading refused.
#[test]
fn a_zero_below_zero_is_saved_as_the_zero_that_it_equals() {
    let rules = blast::Rules::wave(0.2, 0.9);
    let world = |zero: f32| {
        let mut world = BlastWorld::<Sheet>::new(rules).unwrap();
        world.set_pressure(IVec3::ZERO, 100.0).unwrap();
        world.run(3);
        world.set_link(IVec3::ZERO, Face::East, zero).unwrap();
        world.set_pressure(IVec3::Y, zero).unwrap();
        world.insert_chunk(ChunkPos::new(9, 0, 0), Chunk::uniform(zero)).unwrap();
        world.save()
    };
    assert_eq!(run(BlastWorld::<Sheet>::load(&world(-0.0))), Ok(()));
    assert!(world(-0.0) == world(0.0), "another world");

    let graph = |zero: f64| {
        let mut graph = BlastGraph::new(rules).unwrap();
        let [a, b, c] = [1.0, zero, -1.0].map(|x| graph.add_node(DVec3::X * x, zero).unwrap());
        graph.add_link(a, b, 1.0).unwrap();
        graph.add_link_along(b, c, zero, DVec3::new(1.0, zero, zero)).unwrap();
        graph.add_vent(c, zero, DVec3::splat(zero)).unwrap();
        graph.set_pressure(a, 100.0).unwrap();
        graph.run(3);
        graph.set_link(a, b, zero).unwrap();
        graph.set_pressure(b, zero).unwrap();
        graph.save()
    };
    assert!(graph(-0.0) == graph(0.0), "another graph");
    assert_eq!(run_graph(BlastGraph::load(&graph(-0.0))), Ok(()));
}

/// One byte after the other, from the rules to the first chunks: what it is turned into is refused
/// by the name of its section, or of that of the chunks, which no longer fit, or describes a lawful
/// world that is saved as it was loaded.
#[test]
fn every_forged_byte_is_refused_by_its_section_or_describes_a_lawful_world() {
    for sample in samples() {
        let whole = unpacked(&sample.bytes);
        let most = |at: usize| if section_at(&whole, at) == "CHNK" { 60 } else { 160 };
        for at in contents(&whole).into_iter().flat_map(|(from, to)| (from..to).take(most(from))) {
            let byte = whole[at];
            for forgery in [u8::MAX, byte ^ 0x80].into_iter().filter(|&forgery| forgery != byte) {
                let bytes = forged(&whole, |bytes| bytes[at] = forgery);
                let error = match (sample.again)(&bytes) {
                    Err(error) => error,
                    Ok(again) => {
                        let is_same = unpacked(&again) == unpacked(&bytes);
                        assert!(is_same, "{}, {forgery} at {at}: another world", sample.name);
                        continue;
                    }
                };
                let section = name_of(error.format);
                match error.problem {
                    DecodeProblem::Law { law } => assert!(!law.is_empty()),
                    DecodeProblem::Value { .. }
                    | DecodeProblem::Tag { .. }
                    | DecodeProblem::Trailing { .. }
                    | DecodeProblem::EndsEarly
                    | DecodeProblem::Version { .. }
                    | DecodeProblem::Checksum { .. } => {
                        let is_named = section == section_at(&bytes, at) || section == "CHNK";
                        assert!(is_named, "{}, {forgery} at {at}: {section}", sample.name);
                    }
                    _ => panic!("{}, {forgery} at {at}: {error:?}", sample.name),
                }
            }
        }
    }
}

#[test]
fn newer_versions_and_other_kinds_have_their_own_errors() {
    let bytes = worlds::water(1).save();
    let error = |at: usize, problem| Some(DecodeError { format: Format::Snapshot, at, problem });
    let newer = forged(&bytes, |bytes| bytes[8] = 2);
    let version = DecodeProblem::Version { found: 2, wanted: 1 };
    assert_eq!(WaterWorld::load(&newer).err(), error(8, version.clone()));
    // Its kind is that of another world, and its version is newer.
    assert_eq!(Water2dWorld::load(&newer).err(), error(8, version));
    let of_water = DecodeProblem::Kind { found: 1, wanted: Kind::Water2d };
    assert_eq!(Water2dWorld::load(&bytes).err(), error(10, of_water));
    let other = forged(&bytes, |bytes| bytes[10] = 99);
    let unknown = DecodeProblem::Kind { found: 99, wanted: Kind::Water };
    assert_eq!(WaterWorld::load(&other).err(), error(10, unknown));
    let none = DecodeProblem::Magic { wanted: "FLDPLAIN" };
    assert_eq!(WaterWorld::load(b"something else").err(), error(0, none));
}
