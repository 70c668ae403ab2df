//! Recordings as bytes and as text: damage is refused with its place.

use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::recording::{Recorder, Recording, RecordingError, ReplayError};
use floodplain::snapshot::Kind;
use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::{
    Chunk, ChunkPos, Cube, DecodeError, DecodeProblem, Format, Sheet, humidity::HumidityWorld,
};
use support::recording::{Game, forged, parsed, played, replayed};

/// A recording with everything in it.
fn sample() -> Recording<WaterWorld> {
    let mut game = Recorder::new(WaterWorld::new(3, Rules::lossless()).unwrap())
        .check_every(2)
        .keyframe_every(4);
    let (position, chunk) = (ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    game.apply(Edit::InsertChunk { position, chunk }).unwrap();
    game.apply(Edit::Pour { cell: IVec3::new(3, 4, 5), units: 7 }).unwrap();
    game.run(5);
    game.apply(Edit::RemoveChunk(ChunkPos::ZERO)).unwrap();
    game.run(4);
    game.into_recording()
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    let bytes = sample().to_bytes();
    for length in 0..bytes.len() {
        let error = Recording::<WaterWorld>::from_bytes(&bytes[..length]).unwrap_err();
        match (length, &error.problem) {
            (0..8, DecodeProblem::Magic { wanted: "FLDRECRD" }) => assert_eq!(error.at, 0),
            (8.., DecodeProblem::EndsEarly) => assert_eq!(error.at, length),
            _ => panic!("cut to {length}: {error:?}"),
        }
    }
    let mut bytes = bytes;
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = Recording::<WaterWorld>::from_bytes(&bytes).unwrap_err();
        let is_named = match bit / 8 {
            0..8 => matches!(error.problem, DecodeProblem::Magic { .. }),
            8..10 => matches!(error.problem, DecodeProblem::Version { wanted: 1, .. }),
            10..12 => matches!(error.problem, DecodeProblem::Kind { wanted: Kind::Water, .. }),
            12..20 => {
                matches!(error.problem, DecodeProblem::EndsEarly | DecodeProblem::Trailing { .. })
            }
            _ => matches!(error.problem, DecodeProblem::Checksum { .. }),
        };
        assert!(is_named, "bit {bit}: {error:?}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn forged_bytes_are_refused_or_another_recording() {
    fn check<G: Game>(seed: u64) {
        let (game, _) = played::<G>(seed);
        let bytes = game.recording().to_bytes();
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut read, mut refused) = (0, 0);
        for _ in 0..150 {
            let mut bytes = bytes.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(20..bytes.len());
                match rng.u8(..4) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes.insert(at, rng.u8(..)),
                    _ => bytes[at] = rng.u8(..),
                }
            }
            match parsed::<G>(&forged(bytes)) {
                Some(recording) => {
                    replayed(&recording);
                    read += 1;
                }
                None => refused += 1,
            }
        }
        assert!(read > 0 && refused > 0, "{read} were read, {refused} refused");
    }
    check::<WaterWorld>(1);
    check::<Water2dWorld>(2);
    check::<HumidityWorld<Cube>>(3);
}

#[test]
fn recordings_of_other_kinds_and_versions_have_their_own_errors() {
    let bytes = sample().to_bytes();
    let of_bytes = |at: usize, problem| DecodeError { format: Format::Recording, at, problem };
    let other = DecodeProblem::Kind { found: 1, wanted: Kind::Water2d };
    let refused = Recording::<Water2dWorld>::from_bytes(&bytes).err();
    assert_eq!(refused, Some(of_bytes(10, other.clone())));
    let text = sample().to_text();
    let refused = Recording::<Water2dWorld>::from_text(&text).err();
    assert_eq!(refused, Some(RecordingError::Text { line: 2, problem: other }));
    let mut newer = bytes.clone();
    newer[8] = 2;
    let version = DecodeProblem::Version { found: 2, wanted: 1 };
    let refused = Recording::<WaterWorld>::from_bytes(&forged(newer)).err();
    assert_eq!(refused, Some(of_bytes(8, version.clone())));
    let newer = text.replacen("recording 1", "recording 2", 1);
    let refused = Recording::<WaterWorld>::from_text(&newer).err();
    assert_eq!(refused, Some(RecordingError::Text { line: 1, problem: version }));
}

#[test]
fn a_text_is_the_recording_and_can_be_read() {
    let recording = sample();
    let text = recording.to_text();
    for line in [
        "floodplain recording 1",
        "world 1 Water",
        "ticks 9",
        "edit 0 0403000000040000000500000007000000 # Pour { cell: IVec3(3, 4, 5), units: 7 }",
        "edit 5 0a000000000000000000000000 # RemoveChunk(ChunkPos(0, 0, 0))",
        "  chunk 0 0 0 gone",
        "keyframe 4",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    assert!(text.contains("start snapshot # seed 3, bounds "), "{text}");
    assert!(Recording::from_text(&text) == Ok(recording));
    for seed in 0..6 {
        let (game, _) = played::<WaterWorld>(seed);
        assert!(Recording::from_text(&game.recording().to_text()).as_ref() == Ok(game.recording()));
    }
}

#[test]
fn errors_in_a_text_name_their_line() {
    let text = "\
floodplain recording 1
world 1 Water # a comment

ticks 9
start generator
  name a # b
  parameters \\\\ \\n
edit 3 02080000000400000008000000
check 4 0123456789abcdef
  chunk 0 0 0 00000001
  chunk 1 0 0 gone
";
    let read = Recording::<WaterWorld>::from_text(text).unwrap();
    assert_eq!(read.generator(), Some(("a # b", "\\ \n")));
    assert_eq!(read.edits(), [(3, Edit::AddSource(IVec3::new(8, 4, 8)))]);
    assert_eq!(
        read.checks()[0].chunks,
        [(ChunkPos::ZERO, Some(1)), (ChunkPos::new(1, 0, 0), None)]
    );
    for (line, from, to) in [
        (2, "world 1", "world one"),
        (4, "ticks 9", "ticks -9"),
        (4, "ticks 9", "ticks 9 10"),
        (5, "start", "ticks 9\nstart"),
        (5, "start generator", "start here"),
        (5, "start generator", "start generator a"),
        (6, "  name", "  nam"),
        (7, "\\n", "\\t"),
        (8, "edit 3", "edit x"),
        (8, "edit 3", "edit 10"),
        (8, "0208", "zz08"),
        (9, "check 4", "check"),
        (9, "check 4", "check 44"),
        (9, "0123456789abcdef", "hash"),
        (9, "0123456789abcdef", "0123456789abcdef 0"),
        (9, "check 4", "start snapshot\ncheck 4"),
        (9, "check 4", "keyframe 3 00\ncheck 4"),
        (10, "00000001", "1x"),
        (10, "  chunk 0 0 0 00000001", "  keyframe 5\n chunk 0 0 0 gone"),
        (11, "chunk 1 0 0 gone", "chunk 1 0 0"),
        (11, "chunk 1 0 0 gone", "chunk 1 0 0 gone 1"),
        (11, "chunk 1 0 0 gone", "chunk -1 0 0 gone"),
        (11, "  chunk 1", "  chunks 1"),
        (11, "  chunk 1 0 0 gone", "  00"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        match Recording::<WaterWorld>::from_text(&changed).err() {
            Some(RecordingError::Text { line: at, problem }) => {
                let at_least = if to.contains("keyframe") { line..=line + 1 } else { line..=line };
                assert!(at_least.contains(&at), "{from} as {to}: line {at}, {problem}");
            }
            error => panic!("{from} as {to}: {error:?}"),
        }
    }
    let edit = text.replacen("0208", "6308", 1);
    let problem = DecodeProblem::Tag { found: 99 };
    let error = DecodeError { format: Format::Edit, at: 0, problem };
    let error = RecordingError::Edit { line: 8, error };
    assert_eq!(Recording::<WaterWorld>::from_text(&edit).err(), Some(error));
    let problem = |text: &str| match Recording::<WaterWorld>::from_text(text).err() {
        Some(RecordingError::Text { line, problem }) => (line, problem),
        error => panic!("{text}: {error:?}"),
    };
    for text in ["", "a letter", "floodplain recording x\nworld 1"] {
        let none = DecodeProblem::Magic { wanted: "floodplain recording" };
        assert_eq!(problem(text), (1, none), "{text}");
    }
    let wanted = "world, and the number of its kind";
    let no_world = DecodeProblem::Value { wanted, found: None };
    assert_eq!(problem("floodplain recording 1"), (2, no_world));
}

/// Ticks may be as many as a number can say: nothing counts beyond them.
#[test]
fn checks_at_the_last_tick_there_is_are_read_once() {
    let check = format!("check {} 0\n", u64::MAX);
    let text = format!(
        "floodplain recording 1\nworld 1 Water\nticks {}\nstart generator\nname a\nparameters b\n{check}",
        u64::MAX
    );
    let read = Recording::<WaterWorld>::from_text(&text).unwrap();
    assert_eq!(read.checks()[0].tick, u64::MAX);
    assert!(Recording::from_bytes(&read.to_bytes()).as_ref() == Ok(&read));
    let wanted = "a tick after the last one and not beyond the end";
    let problem = DecodeProblem::Value { wanted, found: None };
    let refused = RecordingError::Text { line: 8, problem };
    assert_eq!(Recording::<WaterWorld>::from_text(&(text + &check)).err(), Some(refused));
}

/// Refused edits are recorded too, and one may hold a NaN.
#[test]
fn a_recording_with_an_edit_that_holds_no_number_equals_itself() {
    let refused = |x: i32| {
        let mut game = Recorder::new(BlastWorld::<Sheet>::new(blast::Rules::default()).unwrap());
        let cell = IVec3::new(x, 2, 0);
        assert!(game.apply(blast::Edit::AddPressure { cell, more: f32::NAN }).is_err());
        game.into_recording()
    };
    let recording = refused(1);
    assert!(recording == recording.clone() && recording != refused(0));
    assert!(Recording::from_bytes(&recording.to_bytes()).as_ref() == Ok(&recording));
    assert!(Recording::from_text(&recording.to_text()).as_ref() == Ok(&recording));
}

/// A snapshot in a recording is read when it is used, and refused then with its tick.
#[test]
fn a_snapshot_that_breaks_a_law_is_refused_when_it_is_used() {
    let text = sample().to_text();
    let (before, keyframe) = text.split_once("keyframe 4\n").unwrap();
    let (first, rest) = keyframe.split_once('\n').unwrap();
    // The snapshot's first letters.
    let spoilt = first.replacen("464c44", "464c45", 1);
    assert_ne!(spoilt, first);
    let spoilt = format!("{before}keyframe 4\n{spoilt}\n{rest}");
    let recording = Recording::<WaterWorld>::from_text(&spoilt).unwrap();
    assert!(matches!(recording.world_at(5).err(), Some(ReplayError::Snapshot { tick: 4, .. })));
    assert!(recording.world_at(3).is_ok());
}
