//! Snapshots: what is saved and loaded goes on as if it had never been saved, and damaged bytes are refused by name.

mod support;

use floodplain::glam::IVec3;
use floodplain::snapshot::{Saved, SnapshotError};
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Automaton, Chunk, Region};
use support::{HIGH, LOW};

/// A world that can be saved, and how its kind is loaded and saved again.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    again: fn(&[u8]) -> Result<Vec<u8>, SnapshotError>,
    /// Loads the world, runs it, and checks its laws.
    run: fn(&[u8]) -> Result<(), String>,
}

fn run<W: Automaton>(loaded: Result<W, SnapshotError>) -> Result<(), String> {
    let mut world = loaded.map_err(|error| error.to_string())?;
    for _ in 0..8 {
        world.step();
        world.validate().map_err(|law| law.to_string())?;
    }
    Ok(())
}

/// A small world of water in the middle of something: springs, pools, drains, missing chunks.
fn water(seed: u64) -> WaterWorld {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut edge = || [Edge::Wall, Edge::Drain, Edge::Held][rng.usize(..3)];
    let edges = Edges { outer: core::array::from_fn(|_| edge()), unloaded: edge() };
    let mut world = support::world(seed, Rules { edges, ..Rules::default() });
    let cell =
        |rng: &mut fastrand::Rng| IVec3::new(rng.i32(LOW.x..=HIGH.x), rng.i32(LOW.y..=HIGH.y), rng.i32(LOW.z..=HIGH.z));
    for _ in 0..rng.usize(1..12) {
        let at = cell(&mut rng);
        let there = at.min(cell(&mut rng));
        // Edits of solid cells are refused; that is as good as none.
        let _ = match rng.u8(..5) {
            0 => world.set_solid(at).is_ok(),
            1 => world.fill_water(Region::new(at, there), rng.u8(..=7)).is_ok(),
            2 => world.pour(at, 7).is_ok(),
            3 => world.remove_chunk(IVec3::new(0, rng.i32(-1..1), -1)).is_ok(),
            _ => world.add_source(at).is_ok(),
        };
        world.run(rng.u64(..6));
    }
    world
}

fn samples() -> Vec<Sample> {
    let water = (0..10).map(|seed| Sample {
        name: format!("water {seed}"),
        bytes: water(seed).save(),
        again: |bytes| WaterWorld::load(bytes).map(|world| world.save()),
        run: |bytes| run(WaterWorld::load(bytes)),
    });
    water.collect()
}

/// Saves and loads a world again and again, beside one that is not, and compares the bytes.
fn goes_on_as_if_never_saved<W: Automaton + Saved>(
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
            assert_eq!(world.state_hash(), loaded.state_hash(), "seed {seed}, round {round}, tick {tick}");
            assert_eq!(world.awake_cells(), loaded.awake_cells(), "seed {seed}, round {round}, tick {tick}");
        }
        let bytes = world.save();
        assert!(bytes == loaded.save(), "seed {seed}, round {round}: the bytes differ");
        loaded = W::load(&bytes).unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
        assert_eq!(world.take_changes(), loaded.take_changes(), "seed {seed}, round {round}");
    }
}

#[test]
fn a_loaded_world_goes_on_as_if_it_had_never_been_saved() {
    for seed in 0..60 {
        let edit = |world: &mut WaterWorld, rng: &mut fastrand::Rng| {
            let cell = IVec3::new(rng.i32(LOW.x..=HIGH.x), rng.i32(LOW.y..=HIGH.y), rng.i32(LOW.z..=HIGH.z));
            let _ = if rng.bool() { world.add_source(cell).is_ok() } else { world.pour(cell, 5).is_ok() };
        };
        goes_on_as_if_never_saved(seed, water(seed), edit);
    }
}

#[test]
fn what_is_loaded_and_saved_again_is_the_same_bytes() {
    for sample in samples() {
        assert!((sample.again)(&sample.bytes).as_ref() == Ok(&sample.bytes), "{}", sample.name);
    }
}

#[test]
fn every_truncation_is_refused() {
    for sample in samples() {
        for length in 0..sample.bytes.len() {
            let error = (sample.again)(&sample.bytes[..length]).expect_err("a part of the bytes is not the world");
            match (length, &error) {
                (0..8, SnapshotError::NotASnapshot) | (8..16, SnapshotError::Header) => {}
                (16.., SnapshotError::Truncated { .. }) => {}
                _ => panic!("{} cut to {length}: {error:?}", sample.name),
            }
        }
        let mut longer = sample.bytes.clone();
        longer.push(0);
        assert_eq!((sample.again)(&longer), Err(SnapshotError::Trailing { bytes: 1 }));
    }
}

#[test]
fn every_flipped_bit_is_refused_by_the_name_of_its_section() {
    for sample in samples() {
        let mut bytes = sample.bytes.clone();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = (sample.again)(&bytes).expect_err("a flipped bit is not the same world");
            match (bit / 8, &error) {
                (0..8, SnapshotError::NotASnapshot) | (8..16, SnapshotError::Header) => {}
                (at @ 16.., SnapshotError::Damaged { section } | SnapshotError::Truncated { section }) => {
                    assert_eq!(*section, section_at(&sample.bytes, at), "{}, bit {bit}", sample.name);
                }
                _ => panic!("{}, bit {bit}: {error:?}", sample.name),
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// The name of the section in which a byte lies, by walking over the sections.
fn section_at(bytes: &[u8], at: usize) -> &str {
    let mut start = 16;
    loop {
        let length = u64::from_le_bytes(bytes[start + 4..start + 12].try_into().unwrap()) as usize;
        if at < start + length + 16 {
            return core::str::from_utf8(&bytes[start..start + 4]).unwrap();
        }
        start += length + 16;
    }
}

/// The bytes with a change to them and every checksum made right again.
fn forged(bytes: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    change(&mut bytes);
    let header = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&header.to_le_bytes());
    let mut start = 16;
    while let Some(length) = bytes.get(start + 4..start + 12) {
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let Some(end) = start.checked_add(length).and_then(|end| end.checked_add(12)) else { break };
        if bytes.len() < end + 4 {
            break;
        }
        let checksum = crc32fast::hash(&bytes[start..end]);
        bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        start = end + 4;
    }
    bytes
}

#[test]
fn forged_bytes_are_refused_or_describe_a_lawful_world() {
    for sample in samples() {
        for seed in 0..400 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let bytes = forged(&sample.bytes, |bytes| {
                for _ in 0..rng.usize(1..4) {
                    let at = rng.usize(16..bytes.len());
                    bytes[at] = rng.u8(..);
                }
            });
            if let Ok(again) = (sample.again)(&bytes) {
                assert!(again == bytes, "{}, seed {seed}: another world", sample.name);
                (sample.run)(&bytes).unwrap_or_else(|law| panic!("{}, seed {seed}: {law}", sample.name));
            }
        }
    }
}

#[test]
fn newer_versions_and_other_kinds_have_their_own_errors() {
    let bytes = water(1).save();
    let newer = forged(&bytes, |bytes| bytes[8] = 2);
    assert_eq!(WaterWorld::load(&newer).err(), Some(SnapshotError::NewerVersion { found: 2, newest: 1 }));
    let other = forged(&bytes, |bytes| bytes[10] = 99);
    assert!(matches!(WaterWorld::load(&other), Err(SnapshotError::OtherKind { found: 99, .. })));
    assert_eq!(WaterWorld::load(b"something else").err(), Some(SnapshotError::NotASnapshot));
}

#[test]
fn memory_stays_within_a_multiple_of_the_input() {
    let mut world = WaterWorld::new(1, Rules::default()).unwrap();
    for x in 0..1_000 {
        world.insert_chunk(IVec3::new(2 * x, 0, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    let bytes = world.save();
    let loaded = WaterWorld::load(&bytes).unwrap();
    assert!(loaded.memory_bytes() <= 64 * bytes.len(), "{} of {}", loaded.memory_bytes(), bytes.len());
    // A count that the bytes cannot hold is refused before memory is taken for it.
    let at = bytes.windows(4).position(|name| name == b"CHNK").unwrap() + 12;
    let huge = forged(&bytes, |bytes| bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes()));
    assert!(matches!(WaterWorld::load(&huge), Err(SnapshotError::Malformed { section: "CHNK", at: 0, .. })));
}
