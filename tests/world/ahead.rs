//! Soil that is stepped ahead in the ticks between its steps. A failure prints the seed that
//! replays it.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::world::{ChunkRecord, Edit, MaterialId, Rules, World};
use floodplain::{Cube, Shape, humidity, water};
use proptest::prelude::*;
use support::world::apart::{random_edit, random_world};
use support::world::{palette, rules};

/// Makes a random edit, at once or in line, which may be refused. Chunks that are removed come
/// back.
fn edit(world: &mut World, out: &mut Vec<ChunkRecord>, mut rng: Rng) {
    let bounds = world.bounds();
    let size = bounds.size().map(|side| rng.i32(0..side as i32));
    let cell = bounds.min() + IVec3::from_array(size);
    let chunk = Cube::chunk_of(cell);
    match rng.u8(..12) {
        0 => _ = world.rain(cell, 9),
        1 => _ = world.queue(Edit::Rain { from: cell, units: 9 }),
        2 | 3 => {
            let material = MaterialId(rng.u8(..palette().len() as u8));
            _ = world.set_material(cell, material);
        }
        4 => _ = world.apply(Edit::Water(water::Edit::Freeze(vec![chunk]))),
        5 | 6 => _ = world.apply(Edit::Water(water::Edit::Thaw(vec![chunk]))),
        7 => {
            world.insert_records(core::mem::take(out)).unwrap();
            out.extend(world.remove_chunks([chunk]).unwrap_or_default());
        }
        8 => _ = world.apply(Edit::Soil(humidity::Edit::SetRain { cell, humidity: 90.0 })),
        9 => _ = world.apply(Edit::Soil(humidity::Edit::ClearRain(cell))),
        10 => _ = world.charge(cell, 3.0, 200.0),
        _ => _ = world.apply(random_edit(&mut rng, bounds)),
    }
}

/// A tick in slices, most of which leave time for soil.
fn sliced(world: &mut World, rng: &mut Rng) {
    while !world.step_within(rng.u64(1..120_000)).finished {}
}

/// A world that is never without what it has stepped ahead, one that often loses all of that, since
/// it is saved and loaded, in the midst of ticks too, and one that does nothing ahead. The first
/// runs on some threads.
fn ahead_changes_nothing(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let rules = Rules { soil_period: rng.u32(1..7), ..rules() };
    let mut worlds = [(); 3].map(|()| random_world(&mut rng.clone(), rules));
    let mut out = [(); 3].map(|()| Vec::new());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rng.usize(1..4)).build().unwrap();
    for tick in 0..24 {
        for _ in 0..rng.usize(..3) {
            let edits = Rng::with_seed(rng.u64(..));
            for (world, out) in worlds.iter_mut().zip(&mut out) {
                edit(world, out, edits.clone());
            }
        }
        let [ahead, forgetful, whole] = &mut worlds;
        if rng.u8(..8) == 0 {
            // What is left of a step that was begun ahead is done with it.
            let ticks = rng.u64(1..7);
            for world in [&mut *ahead, &mut *forgetful, &mut *whole] {
                world.run(ticks);
            }
        } else {
            pool.install(|| sliced(ahead, &mut rng));
            forgetful.step_within(rng.u64(1..120_000));
            if rng.bool() {
                *forgetful = World::load(&forgetful.save()).unwrap();
            }
            if forgetful.ticks() < ahead.ticks() {
                sliced(forgetful, &mut rng);
            }
            whole.step();
        }
        for world in [&*ahead, &*forgetful] {
            assert_eq!(world.state_hash(), whole.state_hash(), "seed {seed}, tick {tick}");
            assert_eq!(world.ledger(), whole.ledger(), "seed {seed}, tick {tick}");
        }
        assert_eq!(ahead.validate(), Ok(()), "seed {seed}, tick {tick}");
    }
    let [ahead, _, whole] = &worlds;
    assert!(ahead.save() == whole.save(), "seed {seed}: a save tells of what was done ahead");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn stepping_soil_ahead_changes_no_byte(seed: u64) {
        ahead_changes_nothing(seed);
    }
}
