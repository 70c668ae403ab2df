//! What a watched world finds broken, by name; and that it finds nothing in worlds that are whole.

use super::own::{Basin, Bug, Edit};
use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::testing::{Op, Run, Small, Watch, Watched};
use floodplain::water::{self, Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Sheet};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Edits, some of them refused, and ticks of every sort.
const GAME: [Op<Edit>; 11] = [
    Op::Edit(Edit::Pour(1, 4)),
    Op::Edit(Edit::Each([2, 4])),
    Op::TakeChanges,
    Op::Edit(Edit::Pour(1, 6)),
    Op::Step(5),
    Op::Edit(Edit::Turn),
    Op::Step(2),
    Op::Run(3),
    Op::TakeChanges,
    Op::Reload,
    Op::Slices(7),
];

/// Plays the game with a bug, and returns the law that was found broken first.
fn broken_by(bug: Bug) -> Option<&'static str> {
    let made = Cell::new(0);
    let basin = || Basin::new(bug, made.replace(made.get() + 1));
    Watched::new(basin).play(&GAME).err().map(|broken| broken.first().law)
}

#[test]
fn every_bug_breaks_the_law_of_its_name() {
    for (bug, law) in [
        (Bug::None, None),
        (Bug::MadeAnew, Some("made_alike")),
        (Bug::Woken, Some("never_slept")),
        (Bug::ByOneCall, Some("in_slices")),
        (Bug::Saved, Some("saved_and_loaded")),
        (Bug::Unloadable, Some("saved_and_loaded")),
        (Bug::Ordered, Some("edit_alike")),
        (Bug::Refused, Some("refused")),
        (Bug::RefusedAwake, Some("refused")),
        (Bug::Unlisted, Some("changes_listed")),
        (Bug::ListedAgain, Some("changes_listed")),
        (Bug::Forgotten, Some("events")),
        (Bug::Misdated, Some("events")),
        (Bug::Uncounted, Some("changes_counted")),
        (Bug::Restless, Some("rest")),
        (Bug::Unlawful, Some("valid")),
        (Bug::Poured, Some("edit")),
        (Bug::Dropped, Some("account")),
        (Bug::Account, Some("never_slept")),
    ] {
        assert_eq!(broken_by(bug), law, "{bug:?}");
    }
}

#[test]
fn worlds_without_edits_come_to_rest_or_break_a_law() {
    let rest = |bug| {
        let mut watched = Watched::new(|| Basin::new(bug, 0));
        watched.edit(Edit::Turn).unwrap();
        watched.let_rest()
    };
    let basin = rest(Bug::None).unwrap();
    assert_eq!(Watch::ticks(&basin), 9, "as many drops as there is room for");
    let broken = rest(Bug::Endless).unwrap_err();
    assert_eq!(broken.first().law, "comes_to_rest");
}

#[test]
fn edits_that_cannot_be_sent_are_named_and_still_made() {
    let mut watched = Watched::new(|| Basin::new(Bug::None, 0));
    assert_eq!(watched.edit(Edit::Garbled), Ok(0));
    let broken = watched.check_laws().unwrap_err();
    assert_eq!(broken.first().law, "edit_as_bytes");
    assert_eq!(broken.to_string(), "tick 0, edit_as_bytes: no such edit");
    assert_eq!(watched.check_laws(), Ok(()), "it is told once");
}

#[test]
fn laws_of_ones_own_may_count_and_are_asked_after_each_edit_and_tick() {
    let mut before = 0;
    let mut watched = Watched::new(|| Basin::new(Bug::None, 0))
        .with_law("slow", move |basin: &Basin| {
            let total = floodplain::testing::Watch::account(basin);
            let more = total - std::mem::replace(&mut before, total);
            if more < 5 { Ok(()) } else { Err(format!("{more} at once")) }
        })
        .with_law("always", |_| Ok(()));
    watched.edit(Edit::Pour(0, 4)).unwrap();
    assert_eq!(watched.check_laws(), Ok(()));
    watched.edit(Edit::Pour(2, 5)).unwrap();
    let broken = watched.check_laws().unwrap_err();
    assert_eq!((broken.iter().len(), broken.first().law), (1, "slow"));
    assert_eq!(broken.first().what, "5 at once");
    assert_eq!(watched.check_laws(), Ok(()));
}

/// It is told what happens in each tick, once.
#[test]
fn a_companion_receives_events_and_must_not_change_the_world() {
    let told = Rc::new(RefCell::new(Vec::new()));
    let (heard, turn_and_drip) =
        (Rc::clone(&told), [Op::Edit(Edit::Turn), Op::Step(2), Op::Run(3)]);
    let listen = move |basin: &mut Basin, events: &[u64]| {
        heard.borrow_mut().extend(events.iter().map(|&event| (basin.ticks(), event)));
        Ok(())
    };
    let mut watched = Watched::new(|| Basin::new(Bug::None, 0)).with_companion("listens", listen);
    assert_eq!(watched.play(&turn_and_drip), Ok(()));
    assert_eq!(*told.borrow(), [(3, 3)]);

    let says_no = |basin: &mut Basin, _: &[u64]| match basin.ticks() {
        4 => Err("four".to_owned()),
        _ => Ok(()),
    };
    let mut watched = Watched::new(|| Basin::new(Bug::None, 0)).with_companion("odd", says_no);
    let broken = watched.play(&turn_and_drip).unwrap_err();
    assert_eq!(broken.to_string(), "tick 4, odd: four");

    let meddles = |basin: &mut Basin, _: &[u64]| basin.apply(Edit::Pour(4, 1)).map(drop);
    let mut watched = Watched::new(|| Basin::new(Bug::None, 0))
        .with_companion("meddles", move |basin, events| {
            meddles(basin, events).map_err(str::to_owned)
        });
    let broken = watched.play(&turn_and_drip).unwrap_err();
    assert_eq!(broken.first().law, "meddles");
    assert!(broken.first().what.starts_with("4 is Some(0), and Some(1)"), "{broken}");
}

/// Several ticks by one call are ticks like others.
#[test]
fn the_tick_that_breaks_a_law_is_named_whichever_way_it_is_run() {
    for op in [Op::Step(9), Op::Run(9)] {
        let law = |basin: &Basin| match floodplain::testing::Watch::account(basin) {
            0..4 => Ok(()),
            units => Err(format!("{units} units")),
        };
        let mut watched = Watched::new(|| Basin::new(Bug::None, 0)).with_law("shallow", law);
        let broken = watched.play(&[Op::Edit(Edit::Turn), op]).unwrap_err();
        assert_eq!(broken.to_string(), "tick 4, shallow: 4 units");
    }
}

/// The first cell that differs is named, with what it is in both.
#[test]
fn a_world_that_is_not_made_alike_is_found_by_its_cell() {
    let made = Cell::new(0);
    let world = || {
        let bounds = Region::new(IVec3::ZERO, IVec3::splat(3));
        let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.pour(IVec3::new(2, 1, 3), 1 + made.replace(made.get() + 1)).unwrap();
        world
    };
    let broken = Watched::new(world).check_laws().unwrap_err();
    assert_eq!(broken.first().law, "made_alike");
    assert!(broken.first().what.starts_with("[2, 1, 3] is "), "{broken}");
}

#[test]
fn a_world_without_bounds_is_watched_without_a_model() {
    let world = || {
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world
    };
    let mut watched = Watched::new(world);
    let cell = IVec3::new(8, 15, 8);
    let edit = water::Edit::Pour { cell, units: 7 };
    watched.play(&[Op::Edit(edit), Op::Step(20), Op::TakeChanges]).unwrap();
    assert_eq!((watched.world().units(cell), watched.into_world().total()), (0, 7));
}

/// What was taken out comes back, the last first, or all of it at once.
#[test]
fn chunks_that_were_taken_out_are_put_back() {
    let run: Run<WaterWorld> = Run::from_bytes(&[]);
    let mut watched = run.watched();
    let chunks = |watched: &Watched<WaterWorld>| watched.world().chunks().count();
    let all: Vec<ChunkPos> = watched.world().chunks().map(|(position, _)| position).collect();
    let count = all.len();
    assert!(count > 1, "{count} chunks");
    watched
        .play(&all.iter().map(|&at| Op::Edit(water::Edit::RemoveChunk(at))).collect::<Vec<_>>())
        .unwrap();
    assert_eq!(chunks(&watched), 0);
    watched.play(&[Op::PutBack, Op::Step(1)]).unwrap();
    assert_eq!(chunks(&watched), 1);
    watched.play(&[Op::PutAllBack, Op::Step(1)]).unwrap();
    assert_eq!(chunks(&watched), count);
    watched.play(&[Op::Edit(water::Edit::RemoveChunks(all)), Op::Step(1), Op::PutAllBack]).unwrap();
    assert_eq!(chunks(&watched), count);
}

/// Where nothing is loaded beyond a frozen chunk, the edge is what it is elsewhere: the model took
/// every body of such a chunk for one that the sea does not feed.
#[test]
fn a_frozen_chunk_at_the_edge_of_the_sea_is_as_the_model_says() {
    let world = || {
        let bounds = Region::new(IVec3::ZERO, IVec3::splat(3));
        let mut outer = [Edge::Wall; 6];
        outer[Face::North.index()] = Edge::Level(2);
        let rules = Rules { edges: Edges { outer, unloaded: Edge::Wall }, ..Rules::lossless() };
        let mut world = WaterWorld::with_bounds(1, rules, bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world
    };
    let mut watched = Watched::new(world);
    let freeze = water::Edit::Freeze(vec![ChunkPos::ZERO]);
    watched.play(&[Op::Step(20), Op::Edit(freeze), Op::Step(40)]).unwrap();
    let pond = watched.world().body_at(IVec3::new(1, 0, 1), 100).unwrap();
    assert!(pond.is_fed && pond.cells == 48);
}

fn check<W: Small>(bytes: &[u8]) {
    let run: Run<W> = Run::from_bytes(bytes);
    if let Err(broken) = run.check() {
        panic!("{broken}\n{run:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn small_worlds_of_every_kind_keep_every_law(bytes in prop::collection::vec(any::<u8>(), 0..192)) {
        check::<WaterWorld>(&bytes);
        check::<World>(&bytes);
        check::<HumidityWorld<Sheet>>(&bytes);
        check::<HumidityWorld<Cube>>(&bytes);
        check::<Water2dWorld>(&bytes);
        check::<BlastWorld<Sheet>>(&bytes);
        check::<BlastWorld<Cube>>(&bytes);
        check::<BlastGraph>(&bytes);
    }
}
