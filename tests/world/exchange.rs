//! What passes between water and soil.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water;
use floodplain::world::{Couplings, Edit, Outcome, Rules};
use floodplain::{Cube, Shape};
use proptest::prelude::*;
use support::world::apart::{Apart, random_edit, random_world};
use support::world::{palette, rules};

/// An edit of any kind that the parts run apart can follow. `gone` are chunks that were taken out.
fn some_edit(rng: &mut Rng, bounds: floodplain::Region, gone: &mut Vec<Edit>) -> Edit {
    let size = bounds.size().map(|side| side as i32);
    let mut cell = || bounds.min() + IVec3::from_array(size.map(|side| rng.i32(..side)));
    let (cell, other) = (cell(), cell());
    let chunk = Cube::chunk_of(cell);
    match rng.u32(..16) {
        0..=4 => Edit::SetMaterial {
            cell,
            material: floodplain::world::MaterialId(rng.u8(..palette().len() as u8)),
        },
        5 => Edit::RemoveChunk(chunk),
        6 | 7 if !gone.is_empty() => gone.swap_remove(rng.usize(..gone.len())),
        8 => Edit::Water(water::Edit::SetSea(cell)),
        9 => Edit::Water(water::Edit::Freeze(vec![chunk])),
        10 => Edit::Water(water::Edit::Thaw(vec![chunk])),
        11 => Edit::Water(water::Edit::FillBody { cell: other, units: 20 }),
        _ => random_edit(rng, bounds),
    }
}

fn equals_the_naive_one(seed: u64) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let couplings = Couplings {
        seepage: [0.0, 0.02, 0.3, 1.0][rng.usize(..4)],
        depth: [0.0, 0.25, 16.0][rng.usize(..3)],
        springs: rng.u8(..4) > 0,
        ebb: rng.bool(),
    };
    let rules = Rules { couplings, soil_period: rng.u32(1..4), blast_steps: 0, ..rules() };
    let mut world = random_world(&mut rng, rules);
    let mut apart = Apart::of(&world);
    let mut gone = Vec::new();
    for _ in 0..12 {
        for _ in 0..rng.u32(..4) {
            let edit = some_edit(&mut rng, world.bounds(), &mut gone);
            let Ok(outcome) = world.apply(edit.clone()) else { continue };
            apart.apply(&edit);
            if let (Outcome::Removed(content), Edit::RemoveChunk(position)) = (outcome, edit) {
                gone.push(Edit::InsertChunk { position, content });
            }
        }
        for _ in 0..rng.u32(1..5) {
            world.step();
            apart.step();
        }
        apart.assert_equal(&mut world);
        assert_eq!(world.validate(), Ok(()));
    }
    let ledger = world.ledger();
    ledger.soaked.min(ledger.sprung)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn an_exchange_is_that_of_a_look_at_every_cell(seed: u64) {
        equals_the_naive_one(seed);
    }
}

#[test]
fn units_do_pass_both_ways_in_the_random_worlds() {
    assert!((0..6).map(equals_the_naive_one).sum::<u64>() > 50);
}
