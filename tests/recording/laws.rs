//! Recordings of random games, done again: by a replay, by hand, from keyframes, and on the other
//! side of a network.

use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::humidity::HumidityWorld;
use floodplain::recording::{Recorder, Recording, RecordingError, Replay, ReplayError};
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use floodplain::{Cube, DecodeProblem, Sheet};
use proptest::prelude::*;
use support::recording::{Game, by_hand, parsed, played};

/// All laws of one random game.
fn check<G: Game>(seed: u64) {
    let (game, seen) = played::<G>(seed);
    let recording = game.recording();
    assert_eq!(recording.ticks() + 1, seen.len() as u64);
    let mut replay = Replay::new(recording).unwrap();
    assert_eq!(replay.world().state_hash(), seen[0], "the start");
    while replay.step().unwrap() {
        assert_eq!(replay.world().state_hash(), seen[replay.tick() as usize], "{}", replay.tick());
    }
    assert_eq!(replay.tick(), recording.ticks());
    assert_eq!(replay.into_world().state_hash(), game.world().state_hash());

    for tick in 0..=recording.ticks() {
        let world = recording.world_at(tick).unwrap();
        assert_eq!(world.state_hash(), by_hand(recording, tick).state_hash(), "tick {tick}");
        assert_eq!(world.state_hash(), seen[tick as usize], "tick {tick}");
    }
    let beyond = recording.ticks() + 1;
    let error = ReplayError::Beyond { wanted: beyond, end: recording.ticks() };
    assert_eq!(recording.world_at(beyond).err(), Some(error));
    for (nth, (tick, _)) in recording.edits().iter().enumerate() {
        let mut world = by_hand(recording, *tick);
        let first = recording.edits().partition_point(|edit| edit.0 < *tick);
        for (_, edit) in &recording.edits()[first..nth] {
            let _ = world.apply(edit.clone());
        }
        let before = recording.world_before(nth).unwrap();
        assert_eq!(before.state_hash(), world.state_hash(), "edit {nth}");
    }

    assert!(recording.part(0, u64::MAX).unwrap() == *recording, "the whole is a part");
    let middle = recording.ticks() / 2;
    for (from, to) in [(0, middle), (middle, recording.ticks()), (middle, middle), (1, middle + 1)]
    {
        check_part(recording, from.min(to), to, &seen);
    }
    assert!(parsed::<G>(&recording.to_bytes()).as_ref() == Some(recording));
    follow(recording.start().unwrap(), &game);
}

/// A part comes to the states of the whole in its ticks, and compares them at the same checks.
fn check_part<G: Game>(recording: &Recording<G>, from: u64, to: u64, seen: &[u64]) {
    let to = to.min(recording.ticks());
    let part = recording.part(from, to).unwrap();
    assert_eq!(part.ticks(), to - from);
    let ticks = from..=to;
    let kept = recording.checks().iter().filter(|check| ticks.contains(&check.tick));
    let kept: Vec<_> = kept.map(|check| (check.tick - from, check.hash)).collect();
    let checks: Vec<_> = part.checks().iter().map(|check| (check.tick, check.hash)).collect();
    assert_eq!(checks, kept);
    let mut replay = Replay::new(&part).unwrap();
    assert_eq!(replay.world().state_hash(), seen[from as usize]);
    while replay.step().unwrap() {
        assert_eq!(replay.world().state_hash(), seen[(from + replay.tick()) as usize]);
    }
    assert_eq!(replay.tick(), to - from);
    assert!(parsed::<G>(&part.to_bytes()).as_ref() == Some(&part));
}

/// Another machine, which is sent the edits of each tick, has the same world after each.
fn follow<G: Game>(start: G, game: &Recorder<G>) {
    let mut guest = Recorder::new(start).check_every(0);
    for tick in 0..game.ticks() {
        let sent = game.recording().tick_bytes(tick);
        for length in 0..sent.len() {
            let cut = guest.apply_bytes(&sent[..length]).unwrap_err();
            let RecordingError::Bytes(error) = cut else { panic!("{cut}") };
            let problem = &error.problem;
            let is_named =
                matches!(problem, DecodeProblem::EndsEarly | DecodeProblem::Checksum { .. });
            assert!(is_named, "{error}");
        }
        guest.apply_bytes(&sent).unwrap();
        guest.step();
        let late = RecordingError::OtherTick { found: tick, wanted: tick + 1 };
        assert_eq!(guest.apply_bytes(&sent), Err(late));
    }
    assert_eq!(guest.recording().edits(), game.recording().edits());
    assert_eq!(guest.world().state_hash(), game.world().state_hash());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn a_recorded_game_of_water_replays_to_the_same_state(seed: u64) {
        check::<WaterWorld>(seed);
    }

    #[test]
    fn a_recorded_game_with_materials_replays_to_the_same_state(seed: u64) {
        check::<World>(seed);
    }

    #[test]
    fn a_recorded_game_with_an_automaton_replays_to_the_same_state(seed: u64) {
        match seed % 4 {
            0 => check::<HumidityWorld<Cube>>(seed),
            1 => check::<BlastWorld<Sheet>>(seed),
            2 => check::<BlastGraph>(seed),
            _ => check::<Water2dWorld>(seed),
        }
    }
}

/// However many edits are taken back one by one, the world is the one before each.
#[test]
fn undo_restores_the_world_before_each_edit() {
    for seed in 0..12 {
        let (mut game, _) = played::<WaterWorld>(seed);
        while let Some((tick, edit)) = game.recording().edits().last().cloned() {
            let nth = game.recording().edits().len() - 1;
            let mut before = by_hand(game.recording(), tick);
            let first = game.recording().edits().partition_point(|edit| edit.0 < tick);
            for (_, edit) in &game.recording().edits()[first..nth] {
                let _ = before.apply(edit.clone());
            }
            assert_eq!(game.undo().unwrap(), Some(edit), "seed {seed}");
            assert_eq!((game.ticks(), game.recording().edits().len()), (tick, nth), "seed {seed}");
            assert_eq!(game.world().state_hash(), before.state_hash(), "seed {seed}, edit {nth}");
        }
        assert_eq!(game.undo().unwrap(), None);
        game.run(3);
        assert!(game.recording().replay().is_ok(), "seed {seed}");
    }
}

/// What was in line belongs to the future that is taken back.
#[test]
fn edits_in_line_are_dropped_by_undo_and_rewind() {
    for seed in 0..4 {
        let mut rng = fastrand::Rng::with_seed(seed);
        for is_undo in [true, false] {
            let mut game = Recorder::new(<WaterWorld as Game>::world(seed));
            let start = game.world().state_hash();
            let edit = game.world().edit(&mut rng);
            let _ = game.apply(edit.clone());
            game.queue(edit);
            if is_undo {
                game.undo().unwrap();
            } else {
                game.rewind(0).unwrap();
            }
            assert_eq!(game.world().state_hash(), start, "seed {seed}");
            game.step();
            assert_eq!((game.take_results().len(), game.recording().edits()), (0, &[][..]));
        }
    }
}

/// After an edit is taken back, checks go on as if it had never been made: each says which chunks
/// have changed since the one before.
#[test]
fn checks_after_an_undo_say_what_they_would_without_the_edit() {
    let mut listed = 0;
    for seed in 0..6 {
        let new = || Recorder::new(<WaterWorld as Game>::world(seed)).check_every(5);
        let (mut plain, mut undone) = (new(), new());
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..4 {
            let kept = plain.world().edit(&mut rng);
            for game in [&mut plain, &mut undone] {
                let _ = game.apply(kept.clone());
                game.run(7);
            }
            let other = undone.world().edit(&mut rng);
            let _ = undone.apply(other);
            undone.run(8);
            undone.undo().unwrap().expect("there is one");
            undone.run(6);
            plain.run(6);
            assert_eq!(undone.recording().checks(), plain.recording().checks(), "seed {seed}");
        }
        let chunks = plain.recording().checks().iter().skip(1).map(|check| check.chunks.len());
        listed += chunks.sum::<usize>();
        undone.recording().replay().expect("each check holds");
    }
    assert!(listed > 20, "{listed} chunks changed");
}

/// Edits in line are made before the next tick, and a tick in slices is the tick.
#[test]
fn slices_and_lines_are_not_in_the_recording() {
    for seed in 0..8 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut whole = Recorder::new(<WaterWorld as Game>::world(seed)).check_every(1);
        let mut sliced = Recorder::new(<WaterWorld as Game>::world(seed)).check_every(1);
        for _ in 0..30 {
            let edit = whole.world().edit(&mut rng);
            let outcome = whole.apply(edit.clone());
            sliced.queue(edit);
            whole.step();
            while !sliced.step_within(rng.u64(..60)) {}
            assert_eq!(sliced.take_results(), [outcome]);
        }
        assert!(whole.recording() == sliced.recording(), "seed {seed}");
    }
}

/// What is refused changes nothing: the tick stays underway, too.
#[test]
fn edits_of_another_tick_leave_a_tick_that_is_underway_as_it_is() {
    let mut host = Recorder::new(<WaterWorld as Game>::world(1));
    let mut guest = Recorder::new(<WaterWorld as Game>::world(1));
    assert!(!guest.step_within(0), "a tick of one piece");
    let error = RecordingError::OtherTick { found: 0, wanted: 1 };
    assert_eq!(guest.apply_bytes(&host.recording().tick_bytes(0)), Err(error));
    assert_eq!(guest.ticks(), 0);
    host.step();
    assert_eq!(guest.apply_bytes(&host.recording().tick_bytes(1)), Ok(0));
    assert_eq!((guest.ticks(), guest.world().state_hash()), (1, host.world().state_hash()));
}
