//! Snapshots of the format's version can be loaded: one of each kind of world is kept in
//! `tests/data/snapshots`, with the hash of its state in `state_hashes.txt` beside it.
//!
//! `FLOODPLAIN_RECORD=1 cargo test --test snapshot versions` writes the files that are missing, and
//! never over one that is there.

use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::snapshot::{Saved, VERSION};
use floodplain::water::{Edge, Fixture, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::{Edit, World};
use floodplain::{ColumnPos, Cube, Face, Region, Sheet};
use std::fs;
use std::path::PathBuf;
use support::snapshot::forgery::unpacked;
use support::worlds;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/snapshots")
}

/// Holds the file of a kind against its hash, and records it if asked to and missing.
fn check<W: Saved>(kind: &str, state_hash: fn(&W) -> u64, make: impl FnOnce() -> W) {
    let name = format!("{kind}_v{VERSION}");
    let (file, hashes) = (folder().join(format!("{name}.bin")), folder().join("state_hashes.txt"));
    let line = |world: &W| format!("{name} {:016x}", state_hash(world));
    if std::env::var_os("FLOODPLAIN_RECORD").is_some() && !file.exists() {
        let world = make();
        let before = fs::read_to_string(&hashes).unwrap_or_default();
        fs::write(&file, world.save()).unwrap();
        fs::write(&hashes, before + &line(&world) + "\n").unwrap();
    }
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let world = W::load(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let kept = fs::read_to_string(&hashes).unwrap();
    assert!(kept.lines().any(|kept| kept == line(&world)), "{} was not kept", line(&world));
    // Another version of the packer may pack the same into other bytes.
    assert!(unpacked(&world.save()) == unpacked(&bytes), "{name} is saved to other bytes");
}

/// Water beside the sea, an edge of a single column, and fixtures.
fn water_and_sea() -> WaterWorld {
    let mut world = worlds::water(3);
    world.fill_sea(Region::new(IVec3::new(1, -3, -2), IVec3::new(4, 0, 4))).unwrap();
    world.set_edge(ColumnPos::new(0, -1), Some(Edge::Level(-2)));
    world.set_fixture(IVec3::new(-3, 4, 2), Some(Fixture::Tap(3))).unwrap();
    world.set_fixture(IVec3::new(-4, -3, 2), Some(Fixture::Drain(1))).unwrap();
    let valve = Fixture::Valve { towards: Face::South, rate: 5 };
    world.set_fixture(IVec3::new(-4, -3, 1), Some(valve)).unwrap();
    world.run(5);
    world
}

/// Ground, water, moisture and pressure, and an edit that waits.
fn materials_and_edits() -> World {
    let mut world = worlds::materials(3);
    world.queue(Edit::Rain { from: IVec3::new(1, 6, 1), units: 3 });
    world
}

#[test]
fn snapshots_of_this_version_are_read() {
    check("water", WaterWorld::state_hash, water_and_sea);
    check("humidity_sheet", HumidityWorld::<Sheet>::state_hash, || worlds::humidity(3));
    check("humidity_cube", HumidityWorld::<Cube>::state_hash, || worlds::humidity(9));
    check("blast_sheet", BlastWorld::<Sheet>::state_hash, || worlds::blast(4));
    check("blast_cube", BlastWorld::<Cube>::state_hash, || worlds::blast(3));
    check("blast_graph", BlastGraph::state_hash, || worlds::graph(2));
    check("water_2d", Water2dWorld::state_hash, || worlds::water_2d(4));
    check("world", World::state_hash, materials_and_edits);
}
