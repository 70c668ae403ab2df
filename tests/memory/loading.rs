//! Loading takes memory in proportion to the bytes, whatever they claim: for worlds in which each
//! byte is worth the most, and for counts and lengths at the end of their range with valid
//! checksums. The count is the peak while loading and checking, not only the memory held at the
//! end.

use crate::{alone, peak_of};
use floodplain::blast::{self, BlastGraph, BlastWorld, Border, Borders};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::snapshot::Saved;
use floodplain::water::{self, Edge, Edges, Voxel, WaterCell, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Cube, FieldShape, Region, Sheet};
use support::snapshot::{forgery, samples};

/// Bytes for each byte of a snapshot.
const MOST: usize = 64;

/// Bytes that an empty world takes, with what its checks work in.
const LEAST: usize = 256 << 10;

/// Bytes for each chunk, which a few can fill with cells that differ.
const MOST_OF_A_CHUNK: usize = 512 << 10;

/// Half the cells of the worlds of water: so far goes a tick that is then saved.
const HALF_A_PASS: u64 = 100 * 4096;

/// The place of the chunks' section.
const CHUNKS: usize = 2;

/// Loads a world of which each byte is worth much; the most memory that is held.
fn check<W: Saved>(story: &str, world: W) -> usize {
    let bytes = world.save();
    drop(world);
    let (peak, loaded) = peak_of(|| W::load(&bytes).map(|_| ()));
    println!(
        "{:>14} {story:<44} {:>8} bytes, {:>5.1} times",
        format!("{:?}", W::KIND),
        bytes.len(),
        peak as f64 / bytes.len() as f64
    );
    assert_eq!(loaded, Ok(()), "{story}");
    assert!(peak <= MOST * bytes.len() + LEAST, "{story}: {peak} bytes for {}", bytes.len());
    peak
}

/// Many positions, in a row or apart.
fn positions(step: i32) -> impl Iterator<Item = ChunkPos> {
    (0..200).map(move |x| ChunkPos::new(step * x, 0, 0))
}

#[test]
fn water() {
    let _alone = alone();
    for (story, edge) in [
        ("beside walls", Edge::Wall),
        ("beside drains", Edge::Drain),
        ("beside held water", Edge::Held),
    ] {
        for (story, voxel, step) in [
            (format!("open, apart, {story}"), Voxel::OPEN, 2),
            (format!("open, in a row, {story}"), Voxel::OPEN, 1),
            (format!("solid, {story}"), Voxel::SOLID, 2),
            (format!("springs, in a row, {story}"), WaterCell::SOURCE.into(), 1),
            (format!("full, in a row, {story}"), WaterCell::with_height(7).unwrap().into(), 1),
        ] {
            let rules = water::Rules {
                edges: Edges { outer: [edge; 6], unloaded: edge },
                ..water::Rules::default()
            };
            let mut world = WaterWorld::new(1, rules).unwrap();
            for chunk in positions(step) {
                world.insert_chunk(chunk, Chunk::uniform(voxel)).unwrap();
            }
            check(&story, WaterWorld::load(&world.save()).unwrap());
            if edge == Edge::Wall {
                // Asleep, a chunk is a few bytes.
                world.run(40);
                world.take_changes();
                check(&format!("{story}, later"), WaterWorld::load(&world.save()).unwrap());
            }
            if voxel.cell().is_some_and(|cell| cell.height() > 0) {
                world.wake_all();
                assert!(!world.step_within(HALF_A_PASS).finished, "{story}");
                let held = world.memory_bytes();
                let peak = check(&format!("{story}, in the middle of a tick"), world);
                assert!(
                    2 * peak < held,
                    "{story}: {peak} bytes, as much as the {held} that the tick took"
                );
            }
        }
    }
}

fn humidity_of<S: FieldShape>() {
    for sweep in [Sweep::Conservative, Sweep::InPlace, Sweep::Synchronous] {
        for (border, step) in [(humidity::Border::Wall, 1), (humidity::Border::Drain, 2)] {
            let rules =
                humidity::Rules { borders: [border; 6], ..humidity::Rules::with_sweep(sweep) };
            let mut world = HumidityWorld::<S>::new(rules).unwrap();
            for chunk in positions(step) {
                world.insert_chunk(chunk, Chunk::uniform(humidity::Cell::soil(0.0, 1.0))).unwrap();
            }
            world.run(2);
            world.take_changes();
            check(&format!("{sweep:?}, {border:?}"), world);
        }
    }
}

#[test]
fn humidity() {
    let _alone = alone();
    humidity_of::<Sheet>();
    humidity_of::<Cube>();
}

/// Chunks along a border, all of one pressure or none.
fn pressure_of<S: FieldShape>() {
    for rules in [blast::Rules::diffusive(0.15), blast::Rules::wave(0.15, 0.9)] {
        for (border, pressure, step) in
            [(Border::Rigid, 1.0, 1), (Border::Periodic, 1.0, 1), (Border::Open, 0.0, 2)]
        {
            let last = S::region_of(ChunkPos::new(200 * step - 1, 0, 0)).max();
            let bounds = Region::new(IVec3::ZERO, last);
            let mut world =
                BlastWorld::<S>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
            for chunk in positions(step) {
                world.insert_chunk(chunk, Chunk::uniform(pressure)).unwrap();
            }
            world.run(3);
            world.take_changes();
            check(&format!("{:?}, {border:?}", rules.rule), world);
        }
    }
}

#[test]
fn pressure_on_grids() {
    let _alone = alone();
    pressure_of::<Sheet>();
    pressure_of::<Cube>();
}

#[test]
fn pressure_on_graphs() {
    let _alone = alone();
    for rules in [blast::Rules::diffusive(0.15), blast::Rules::wave(0.15, 0.9)] {
        let mut graph = BlastGraph::new(rules).unwrap();
        for place in 0..10_000 {
            let node = graph.add_node(DVec3::new(f64::from(place), 0.0, 0.0), 0.0).unwrap();
            graph.remove_node(node).unwrap();
        }
        graph.take_changes();
        check("nodes that were removed", graph);
        let mut graph = BlastGraph::new(rules).unwrap();
        for place in 0..1_000 {
            let node = graph.add_node(DVec3::new(f64::from(place), 0.0, 0.0), 1.0).unwrap();
            graph.add_vent(node, 1.0, DVec3::Y).unwrap();
        }
        check("nodes that vent", graph);
    }
}

#[test]
fn water_2d() {
    let _alone = alone();
    for rules in [water2d::Rules::default(), water2d::Rules::literal()] {
        for (story, cell, step) in [
            ("air, apart", water2d::Cell::AIR, 2),
            ("air, in a row", water2d::Cell::AIR, 1),
            ("ground, in a row", water2d::Cell::SOLID, 1),
        ] {
            let mut world = Water2dWorld::new(7, rules).unwrap();
            for chunk in positions(step) {
                world.insert_chunk(chunk, Chunk::uniform(cell)).unwrap();
            }
            world.run(4);
            world.take_changes();
            check(&format!("{:?}, {story}", rules.rule), world);
        }
    }
}

/// Numbers at the end of their range, and counts that the bytes could just hold.
fn claims(length: usize) -> Vec<Vec<u8>> {
    let counts = [u64::MAX, 1 << 62, 1 << 32, length as u64, length as u64 / 13];
    let counts = counts.iter().map(|count| count.to_le_bytes().to_vec());
    counts.chain([vec![0xff; 4], vec![0xff; 2]]).collect()
}

#[test]
fn a_snapshot_takes_bounded_memory_whatever_it_claims() {
    let _alone = alone();
    // One of water is enough.
    for sample in samples::samples().into_iter().skip(3) {
        let mut refused = 0;
        let sections = forgery::contents(&sample.bytes);
        let (from, to) = sections[CHUNKS];
        let chunks = forgery::records(&sample.bytes[from..to]).len();
        for (section, (at, end)) in sections.into_iter().enumerate() {
            let most = if section < CHUNKS { 48 } else { 12 };
            // The section's own length, and what comes first in it: counts, bounds, the first
            // record.
            for place in [at - 8].into_iter().chain(at..end.min(at + most)) {
                for claim in claims(sample.bytes.len()) {
                    if place + claim.len() > end.max(at) {
                        continue;
                    }
                    let bytes = forgery::forged(&sample.bytes, |bytes| {
                        bytes[place..][..claim.len()].copy_from_slice(&claim)
                    });
                    let (peak, result) = peak_of(|| (sample.again)(&bytes));
                    assert!(
                        peak <= MOST * bytes.len() + LEAST + chunks * MOST_OF_A_CHUNK,
                        "{}, {claim:?} at {place}: {peak} bytes",
                        sample.name
                    );
                    match result {
                        Ok(again) => {
                            // A block of LZ4 can be written in several ways.
                            assert!(
                                forgery::unpacked(&again) == forgery::unpacked(&bytes),
                                "{}, {claim:?} at {place}: another world",
                                sample.name
                            );
                            let run = (sample.run)(&bytes);
                            run.unwrap_or_else(|law| {
                                panic!("{}, {claim:?} at {place}: {law}", sample.name)
                            });
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
        }
        assert!(refused > 100, "{}: only {refused} claims were refused", sample.name);
    }
}
