//! Recordings that are watched: no law of theirs is broken, and what is broken is named.

use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::recording::{Recorder, Recording};
use floodplain::testing::{Watch, Watched};
use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use floodplain::{Chunk, ChunkPos, Cube, Region, Sheet, Simulation};
use proptest::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use support::recording::{Game, played};

/// Watches a random game: each edit and each tick of it once.
fn check<G>(seed: u64)
where
    G: Game + Watch<Edit = <G as Simulation>::Edit>,
{
    let (game, _) = played::<G>(seed);
    let recording = game.recording();
    let asked = Rc::new(Cell::new(0));
    let counter = Rc::clone(&asked);
    let watched = Watched::of(recording).unwrap().with_law("asked", move |_| {
        counter.set(counter.get() + 1);
        Ok(())
    });
    assert_eq!(watched.follow(recording, |_| true), None);
    assert_eq!(asked.get(), recording.edits().len() as u64 + recording.ticks());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(5) })]

    #[test]
    fn recorded_games_of_every_kind_keep_every_law(seed in any::<u64>()) {
        check::<WaterWorld>(seed);
        check::<World>(seed);
        check::<HumidityWorld<Cube>>(seed);
        check::<Water2dWorld>(seed);
        check::<BlastWorld<Sheet>>(seed);
        check::<BlastGraph>(seed);
    }
}

/// A basin that has run for three ticks when the recording begins; after two more, rain.
fn rain() -> Recording<WaterWorld> {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.run(3);
    let mut game = Recorder::new(world);
    game.run(2);
    for x in 0..3 {
        game.apply(Edit::Pour { cell: IVec3::new(x, 5, 5), units: 7 }).unwrap();
    }
    game.run(4);
    game.into_recording()
}

#[test]
fn the_first_broken_law_that_is_wanted_is_named_with_the_ticks_of_the_world() {
    let recording = rain();
    let at_most = |most: u64| {
        move |world: &WaterWorld| match world.total() {
            units if units <= most => Ok(()),
            units => Err(format!("{units} units")),
        }
    };
    let watched = || {
        let watched = Watched::of(&recording).unwrap();
        watched.with_law("dry", at_most(0)).with_law("damp", at_most(14))
    };
    let first = watched().follow(&recording, |_| true).unwrap();
    assert_eq!(first.to_string(), "tick 5, dry: 7 units");
    let damp = watched().follow(&recording, |law| law == "damp").unwrap();
    assert_eq!(damp.to_string(), "tick 5, damp: 21 units");
    assert_eq!(watched().follow(&recording, |law| law == "ledger"), None);
}

#[test]
fn a_panic_is_a_broken_law_in_the_tick_that_it_interrupts() {
    let recording = rain();
    let watched = || {
        Watched::of(&recording).unwrap().with_law("sound", |world| {
            assert!(world.ticks() < 7, "a crash after {} ticks", world.ticks());
            Ok(())
        })
    };
    let broken = watched().follow(&recording, |_| true).unwrap();
    assert_eq!(broken.to_string(), "tick 7, no_panic: a crash after 7 ticks");
    assert_eq!(watched().follow(&recording, |law| law != "no_panic"), None);
}

/// Water that evaporates is looked for in all rows of its chunk, of which the world has one cell.
#[test]
fn a_world_of_one_cell_keeps_the_law_of_cost() {
    let rules = Rules { evaporation: 0.05, ..Rules::lossless() };
    let bounds = Region::cell(IVec3::new(3, 8, 0));
    let mut world = WaterWorld::with_bounds(0, rules, bounds).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let pour = Edit::Pour { cell: bounds.min(), units: 1 };
    let recording = Recording::new(&world, vec![(0, pour)], 60);
    assert_eq!(Watched::of(&recording).unwrap().follow(&recording, |_| true), None);
}
