//! Snapshots written by earlier versions of the format can always be loaded: one of each kind, in
//! each version in which that kind was written, is kept in `tests/data/snapshots`, with the hash of
//! its state in `state_hashes.txt` beside it.
//!
//! `FLOODPLAIN_RECORD=1 cargo test --test snapshot versions` writes the files that are missing, and
//! never over one that is there.

use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::{IVec2, IVec3};
use floodplain::humidity::HumidityWorld;
use floodplain::snapshot::{Saved, VERSION};
use floodplain::water::{Edge, Fixture, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::{Edit, World};
use floodplain::{Cube, Face, Region, Sheet};
use std::fs;
use std::path::PathBuf;
use support::worlds;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/snapshots")
}

/// Holds the files of one kind, in the versions in which it was written, against their hashes, and
/// records that of the newest if asked to and missing.
fn check<W: Saved>(
    name: &str,
    versions: &[u16],
    state_hash: fn(&W) -> u64,
    make: impl FnOnce() -> W,
) {
    let newest = W::KIND.version();
    assert!(newest <= VERSION && versions.last() == Some(&newest), "{name}");
    let (file, hashes) =
        (folder().join(format!("{name}_v{newest}.bin")), folder().join("state_hashes.txt"));
    if std::env::var_os("FLOODPLAIN_RECORD").is_some() && !file.exists() {
        let world = make();
        let line = format!("{name}_v{newest} {:016x}\n", state_hash(&world));
        let before = fs::read_to_string(&hashes).unwrap_or_default();
        fs::write(&file, world.save()).unwrap();
        fs::write(&hashes, before + &line).unwrap();
    }
    for &version in versions {
        let name = format!("{name}_v{version}");
        let bytes = fs::read(folder().join(format!("{name}.bin")))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let world = W::load(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let line = format!("{name} {:016x}", state_hash(&world));
        assert!(
            fs::read_to_string(&hashes).unwrap().lines().any(|kept| kept == line),
            "{line} is not what was kept"
        );
        assert!(version < newest || world.save() == bytes, "{name} is saved to other bytes");
    }
}

/// Water beside the sea, an edge of a single column, and fixtures.
fn water_and_sea() -> WaterWorld {
    let mut world = worlds::water(3);
    world.fill_sea(Region::new(IVec3::new(1, -3, -2), IVec3::new(4, 0, 4))).unwrap();
    world.set_edge(IVec2::new(0, -1), Some(Edge::Level(-2)));
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
fn snapshots_of_all_versions_are_read() {
    check("water", &[1, 2, 3, 4, 5, 7], WaterWorld::state_hash, water_and_sea);
    check("humidity_sheet", &[1, 6], HumidityWorld::<Sheet>::state_hash, || worlds::humidity(3));
    check("humidity_cube", &[1, 6], HumidityWorld::<Cube>::state_hash, || worlds::humidity(9));
    check("blast_sheet", &[1], BlastWorld::<Sheet>::state_hash, || worlds::blast(4));
    check("blast_cube", &[1], BlastWorld::<Cube>::state_hash, || worlds::blast(3));
    check("blast_graph", &[1], BlastGraph::state_hash, || worlds::graph(2));
    check("water_2d", &[1], Water2dWorld::state_hash, || worlds::water_2d(4));
    check("world", &[6, 7], World::state_hash, materials_and_edits);
}

/// Versions 1 and 2 had one set of changed cells: all of them may look different.
#[test]
fn what_changed_by_earlier_versions_may_look_different() {
    for version in 1..3 {
        let bytes = fs::read(folder().join(format!("water_v{version}.bin"))).unwrap();
        let mut world = WaterWorld::load(&bytes).unwrap();
        let changes = world.take_changes();
        assert!(!changes.is_empty());
        assert_eq!(world.take_all_changes(), changes, "version {version}");
    }
}

/// Version 1 wrote how many pieces of a tick underway were done. The tick starts again.
#[test]
fn water_saved_in_the_middle_of_a_tick_by_version_1_is_as_at_the_beginning_of_that_tick() {
    let bytes = fs::read(folder().join("water_underway_v1.bin")).unwrap();
    let world = WaterWorld::load(&bytes).unwrap();
    let before = WaterWorld::load(&fs::read(folder().join("water_v1.bin")).unwrap()).unwrap();
    assert_eq!((world.state_hash(), world.backlog()), (before.state_hash(), 0));
    assert!(world.save() == before.save());
}
