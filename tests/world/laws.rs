//! The laws of worlds under random edits.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::world::{Edit, Ledger, MaterialId, Outcome, Palette, Rules, World};
use floodplain::{Chunk, Cube, Shape};
use proptest::prelude::*;
use support::world::id;
use support::world::runs::Run;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
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
        Edit::InsertChunk { position: IVec3::ZERO, content: materials.into() }.to_bytes()
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
    assert_eq!((world.height(lowest), world.moisture(highest)), (7, 0.0));
}
