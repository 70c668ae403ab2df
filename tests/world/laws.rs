//! The laws of worlds under random edits.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::world::{Couplings, Edit, Ledger, MaterialId, Outcome, Palette, Rules, World};
use floodplain::{Chunk, ChunkPos, Cube, EditValue, Shape, water};
use proptest::prelude::*;
use support::world::id;
use support::world::runs::Run;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 16, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_law_holds_after_every_edit_and_tick(
        bytes in prop::collection::vec(any::<u8>(), 0..256)
    ) {
        Run::from_bytes(&bytes).run();
    }
}

/// What a law is checked on must happen.
#[test]
fn units_pass_between_all_parts_in_the_random_runs() {
    let mut rng = Rng::with_seed(4);
    let mut passed = [0; 5];
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..rng.usize(..256)).map(|_| rng.u8(..)).collect();
        let Ledger { soaked, sprung, ebbed, thrown, spilled, .. } = Run::from_bytes(&bytes).run();
        for (sum, units) in passed.iter_mut().zip([soaked, sprung, ebbed, thrown, spilled]) {
            *sum += units;
        }
        if passed.iter().all(|&units| units > 0) {
            return;
        }
    }
    panic!("{passed:?}");
}

/// An edit that waits is part of the state hash, and is sent as bytes to those who run the same
/// world. A chunk of equal cells had other bytes where they were stored one by one.
#[test]
fn a_chunk_in_an_edit_has_the_same_bytes_however_it_is_stored() {
    let insert = |materials: Chunk<MaterialId>| {
        Edit::InsertChunk { position: ChunkPos::ZERO, content: materials.into() }.to_bytes()
    };
    let material = MaterialId(3);
    let mut dense = Chunk::uniform(material);
    dense.cells_mut();
    assert!(dense.as_dense().is_some(), "stored one by one");
    assert_eq!(insert(dense), insert(Chunk::uniform(material)));
}

/// Nothing lies below the lowest cell of all. Rain that fell on from there fell on the highest.
#[test]
fn rain_that_reaches_the_lowest_cell_of_all_stays_there() {
    let mut world = World::new(7, Palette::natural(), Rules::default()).unwrap();
    let [lowest, highest] = [i32::MIN, i32::MAX].map(|y| IVec3::new(3, y, 3));
    for (cell, material) in [(lowest, id("air")), (highest, id("soil"))] {
        world.insert_chunk(Cube::chunk_of(cell), Chunk::uniform(material).into()).unwrap();
    }
    let rain = Edit::Rain { from: lowest.with_y(lowest.y + 4), units: 9 };
    assert_eq!(world.apply(rain), Ok(Outcome::Units(9)));
    assert_eq!((world.units(lowest), world.moisture(highest)), (7, 0));
}

/// A save left out that [`World::wake_all`] had woken a frozen chunk, which does not count as
/// awake: it was opened asleep.
#[test]
fn a_frozen_chunk_that_is_woken_is_saved_as_it_is() {
    let bytes = [
        25, 95, 45, 11, 175, 243, 125, 49, 41, 30, 139, 155, 170, 219, 3, 218, 139, 22, 214, 20,
        190, 221, 47, 124, 150, 241, 177, 100, 162, 55, 98, 114, 24, 223, 221, 196, 24, 150, 1,
        120, 104, 236, 48, 38, 235, 188, 17, 187, 162, 139, 54, 252, 183, 148, 187, 211, 19, 15,
        162, 69, 30, 239, 152, 124, 102, 30, 251, 155, 6, 214, 46, 21, 120, 226, 24, 210, 219, 37,
        184, 235, 203, 209, 77, 177, 93, 56, 38, 143, 208, 137, 38, 183, 236, 247, 22, 4, 228, 156,
        121, 222, 2, 211, 181, 210, 190, 203, 180, 238, 75, 124, 50, 212, 30, 219, 132, 0, 134,
        117, 83, 107, 25, 165, 20, 143, 203, 182, 144, 117, 211, 208, 86, 54, 131, 148, 120, 208,
        146, 155, 155, 224, 195,
    ];
    Run::from_bytes(&bytes).run();
}

/// Rain that fell on the pressure in a frozen chunk closed its cells to pressure in the next tick,
/// though the world was at rest: one tick then gave another world than `run`, which does nothing
/// at rest.
#[test]
fn water_over_pressure_in_a_frozen_chunk_waits_until_it_resumes() {
    let build = || {
        let (water, couplings) = (water::Rules::lossless(), Couplings::OFF);
        let rules = Rules { water, couplings, ..Rules::default() };
        let mut world = World::new(7, Palette::natural(), rules).unwrap();
        let air = Chunk::uniform(id("air"));
        world.insert_chunk(ChunkPos::ZERO, air.into()).unwrap();
        world.run(4);
        let (centre, cloud) = (IVec3::new(8, 0, 8), IVec3::new(8, 4, 8));
        assert_eq!(world.freeze([ChunkPos::ZERO]), Ok(true));
        world.charge(centre, 2.0, 90.0).unwrap();
        assert_eq!(world.rain(cloud, 7), Ok(7));
        assert_eq!((world.units(centre), world.pressure(centre)), (7, 90.0));
        world
    };
    let mut world = build();
    assert!(world.is_at_rest());
    while !world.step_within(300).finished {}
    let mut run = build();
    run.run(1);
    let report = build().step();
    assert_eq!(report.changed, 0, "a world at rest does nothing");
    assert_eq!(world.state_hash(), run.state_hash());
    let mut loaded = World::load(&world.save()).unwrap();
    for world in [&mut world, &mut run, &mut loaded] {
        assert_eq!((world.pressure(IVec3::new(8, 0, 8)), world.validate()), (90.0, Ok(())));
        world.run(3);
        assert!(world.thaw([ChunkPos::ZERO]).unwrap());
        world.step();
        assert_ne!(world.pressure(IVec3::new(8, 0, 8)), 90.0, "it moves again");
        assert_eq!(world.validate(), Ok(()));
        world.run(9);
    }
    assert!(world.save() == run.save() && world.save() == loaded.save());
}
