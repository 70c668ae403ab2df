//! What a replay says of a world that is not the one recorded.

use floodplain::glam::IVec3;
use floodplain::recording::{Divergence, Recorder, Recording, ReplayError};
use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};

/// Two chunks with a floor.
fn tank(seed: u64) -> WaterWorld {
    let mut world = WaterWorld::new(seed, Rules::lossless()).unwrap();
    world
        .insert_chunks([0, 1].map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))))
        .unwrap();
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(31, 0, 15))).unwrap();
    world
}

fn difference<T>(result: Result<T, ReplayError>) -> Divergence {
    match result {
        Err(ReplayError::Differs(divergence)) => divergence,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("nothing differs"),
    }
}

/// A unit that lies on the floor from tick 7 on, and that no edit of the recording put there.
fn with_a_secret(check_every: u64, keyframe_every: u64) -> Recording<WaterWorld> {
    let mut game = Recorder::new(tank(1)).check_every(check_every).keyframe_every(keyframe_every);
    game.apply(Edit::Pour { cell: IVec3::new(3, 1, 3), units: 1 }).unwrap();
    game.run(7);
    assert_eq!(game.world_mut().pour(IVec3::new(20, 1, 9), 1), Ok(1));
    game.run(8);
    game.into_recording()
}

#[test]
fn the_first_tick_chunk_and_cell_that_differ_are_named() {
    let divergence = difference(with_a_secret(1, 1).replay());
    assert_eq!((divergence.tick, divergence.agreed), (8, Some(7)));
    assert_eq!(divergence.chunk, Some(ChunkPos::new(1, 0, 0)));
    let cell = divergence.cell.as_ref().unwrap();
    assert_eq!(cell.cell, IVec3::new(20, 1, 9));
    assert!(cell.recorded.starts_with("1/7") && cell.found == "dry", "{cell:?}");
    let message = divergence.to_string();
    for word in ["after 8 ticks", "chunk [1, 0, 0]", "cell [20, 1, 9]"] {
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn without_a_keyframe_the_chunk_is_named_and_with_few_checks_the_ticks_between() {
    let divergence = difference(with_a_secret(5, 0).replay());
    assert_eq!((divergence.tick, divergence.agreed), (10, Some(5)));
    assert_eq!((divergence.chunk, divergence.cell), (Some(ChunkPos::new(1, 0, 0)), None));
    let recording = with_a_secret(0, 0);
    assert_eq!(recording.checks().len(), 1, "that of the start");
    assert!(recording.replay().is_ok(), "nobody looks");
}

/// A part begins with a check that has all chunks, so it names the same chunk and cell as the
/// whole.
#[test]
fn the_part_that_differs_says_what_the_whole_says() {
    for (check_every, keyframe_every) in [(1, 1), (5, 5), (4, 0)] {
        let recording = with_a_secret(check_every, keyframe_every);
        let whole = difference(recording.replay());
        let from = whole.agreed.unwrap();
        for (from, to) in [(from, whole.tick), (from, 15), (0, whole.tick)] {
            let part = difference(recording.part(from, to).unwrap().replay());
            let agreed = Some(whole.agreed.unwrap() - from);
            let expected = Divergence { tick: whole.tick - from, agreed, ..whole.clone() };
            assert_eq!(part, expected, "a check every {check_every} ticks, from {from} to {to}");
        }
        let agrees = recording.part(0, from).unwrap();
        assert_eq!(agrees.replay().unwrap().ticks(), from);
        let beyond = ReplayError::Beyond { wanted: 16, end: 15 };
        assert_eq!(recording.part(16, 20).err(), Some(beyond));
    }
}

#[test]
fn a_chunk_that_is_there_or_not_is_named() {
    for is_there in [false, true] {
        let mut game = Recorder::new(tank(1)).check_every(1);
        game.run(2);
        if is_there {
            game.world_mut()
                .insert_chunk(ChunkPos::new(-1, 0, 0), Chunk::uniform(Voxel::OPEN))
                .unwrap();
        } else {
            game.world_mut().remove_chunk(ChunkPos::new(1, 0, 0)).unwrap();
        }
        game.run(1);
        let divergence = difference(game.recording().replay());
        let chunk = ChunkPos::new(if is_there { -1 } else { 1 }, 0, 0);
        assert_eq!((divergence.tick, divergence.chunk), (3, Some(chunk)));
    }
}

#[test]
fn another_world_than_the_generators_is_refused() {
    let mut game = Recorder::generated(tank(1), "tank", "seed = 1\n\\ two\r lines");
    game.apply(Edit::AddSource(IVec3::new(9, 9, 9))).unwrap();
    game.run(25);
    let mut recording = game.recording().clone();
    let error = ReplayError::Generator { name: "tank".to_owned() };
    assert_eq!(recording.replay().err(), Some(error.clone()));
    assert_eq!(game.undo(), Err(error), "no keyframe");
    assert_eq!(game.recording(), &recording, "unchanged");

    let divergence = difference(recording.start_with(&tank(2)));
    assert_eq!((divergence.tick, divergence.agreed, divergence.chunk), (0, None, None));
    let mut other = tank(1);
    other.pour(IVec3::new(17, 5, 5), 3).unwrap();
    assert_eq!(difference(recording.start_with(&other)).chunk, Some(ChunkPos::new(1, 0, 0)));
    let of_bytes = Recording::from_bytes(&recording.to_bytes()).unwrap();
    let of_text = Recording::from_text(&recording.to_text()).unwrap();
    for mut read in [of_bytes, of_text] {
        assert_eq!(read.generator(), Some(("tank", "seed = 1\n\\ two\r lines")));
        read.start_with(&tank(1)).unwrap();
        assert_eq!(read.replay().unwrap().state_hash(), game.world().state_hash());
    }
    recording.start_with(&tank(1)).unwrap();
    assert_eq!(recording.generator(), None);
}

/// An edit that is refused is kept: in a world that is not as it should be, it may do something.
#[test]
fn refused_edits_are_recorded() {
    let mut game = Recorder::new(tank(1));
    let pour = Edit::Pour { cell: IVec3::new(3, 0, 3), units: 4 };
    assert!(game.apply(pour.clone()).is_err(), "solid");
    assert_eq!(game.recording().edits(), [(0, pour)]);
}
