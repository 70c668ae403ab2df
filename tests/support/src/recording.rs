//! Random games that are recorded: edits as values, whole ticks and slices, undo; and the naive
//! replay, which makes each edit before its tick and knows nothing of keyframes.

use crate::worlds;
use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld, GraphEdit, NodeId};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::recording::{Recorder, Recording, ReplayError};
use floodplain::snapshot::Saved;
use floodplain::water::{self, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::{self, World};
use floodplain::{Chunk, Cube, Region, Shape, Sheet, Simulation};

/// A world with edits drawn at random.
pub trait Game: Saved + Simulation {
    fn world(seed: u64) -> Self;
    /// An edit, which may be refused.
    fn edit(&self, rng: &mut Rng) -> Self::Edit;
}

/// A cell near the origin, seldom one beyond the bounds.
fn cell(rng: &mut Rng) -> IVec3 {
    IVec3::new(rng.i32(-6..5), rng.i32(-1..7), rng.i32(-1..4))
}

impl Game for WaterWorld {
    fn world(seed: u64) -> Self {
        worlds::water_with_fixtures(seed)
    }

    fn edit(&self, rng: &mut Rng) -> water::Edit {
        use water::Edit;
        let (at, there) = (cell(rng), cell(rng));
        match rng.u8(..14) {
            0 => Edit::SetSolid(at),
            1 => Edit::ClearSolid(at),
            2 => Edit::AddSource(at),
            3 => Edit::RemoveSource(at),
            4 => Edit::Scoop { cell: at, units: 9 },
            5 => Edit::FillWater { region: Region::new(at, at.min(there)), height: rng.u8(..9) },
            6 => Edit::RemoveChunk(Cube::chunk_of(at)),
            7 => Edit::InsertChunk {
                position: Cube::chunk_of(at),
                chunk: Chunk::uniform(if rng.bool() { Voxel::OPEN } else { Voxel::SEA }),
            },
            8 => Edit::DrainBody { cell: at, units: 20 },
            9 => Edit::Freeze(vec![Cube::chunk_of(at)]),
            10 => Edit::Thaw(vec![Cube::chunk_of(at)]),
            _ => Edit::Pour { cell: at, units: rng.u32(..8) },
        }
    }
}

impl Game for World {
    fn world(seed: u64) -> Self {
        worlds::materials(seed)
    }

    fn edit(&self, rng: &mut Rng) -> world::Edit {
        use world::Edit;
        let (at, there) = (cell(rng), cell(rng));
        let material = world::MaterialId(rng.u8(..self.palette().len() as u8 + 1));
        match rng.u8(..8) {
            0 => Edit::SetMaterial { cell: at, material },
            1 => Edit::FillMaterial { region: Region::new(at, at.min(there)), material },
            2 => Edit::Water(water::Edit::AddSource(at)),
            3 => Edit::Soil(humidity::Edit::SetHumidity { cell: at, humidity: 90.0 * rng.f64() }),
            4 => Edit::Charge { centre: at, radius: 2.0, pressure: 400.0 * rng.f32() },
            5 => Edit::RemoveChunk(Cube::chunk_of(at)),
            _ => Edit::Rain { from: at, units: rng.u32(..30) },
        }
    }
}

impl Game for HumidityWorld<Cube> {
    fn world(seed: u64) -> Self {
        worlds::humidity(seed)
    }

    fn edit(&self, rng: &mut Rng) -> humidity::Edit {
        use humidity::Edit;
        let at = cell(rng);
        match rng.u8(..5) {
            0 => Edit::SetRock(at),
            1 => Edit::SetRain { cell: at, humidity: 80.0 * rng.f64() },
            2 => Edit::RemoveChunk(Cube::chunk_of(at)),
            3 => Edit::InsertChunk {
                position: Cube::chunk_of(at),
                chunk: Chunk::uniform(humidity::Cell::soil(40.0, 1.0)),
            },
            _ => Edit::SetHumidity { cell: at, humidity: 200.0 * rng.f64() },
        }
    }
}

impl Game for Water2dWorld {
    fn world(seed: u64) -> Self {
        worlds::water_2d(seed)
    }

    fn edit(&self, rng: &mut Rng) -> water2d::Edit {
        use water2d::Edit;
        let at = cell(rng).with_z(0);
        match rng.u8(..5) {
            0 => Edit::SetSolid(at),
            1 => Edit::ClearSolid(at),
            2 => Edit::RemoveChunk(Sheet::chunk_of(at)),
            3 => Edit::InsertChunk {
                position: Sheet::chunk_of(at),
                chunk: Chunk::uniform(water2d::Cell::AIR),
            },
            _ => Edit::Pour { cell: at, units: rng.u32(..500) },
        }
    }
}

impl Game for BlastWorld<Sheet> {
    fn world(seed: u64) -> Self {
        worlds::blast(seed)
    }

    fn edit(&self, rng: &mut Rng) -> blast::Edit {
        use blast::Edit;
        let at = cell(rng).with_z(0);
        match rng.u8(..5) {
            0 => Edit::SetSolid(at),
            1 => Edit::SetWall { cell: at, strength: 5.0 * rng.f32() },
            2 => Edit::ClearSolid(at),
            3 => Edit::RemoveChunk(Sheet::chunk_of(at)),
            _ => Edit::AddPressure { cell: at, more: 90.0 * rng.f32() },
        }
    }
}

impl Game for BlastGraph {
    fn world(seed: u64) -> Self {
        worlds::graph(seed)
    }

    fn edit(&self, rng: &mut Rng) -> GraphEdit {
        let nodes: Vec<NodeId> = self.nodes().collect();
        let position = DVec3::new(rng.f64(), rng.f64(), rng.f64());
        let (Some(&a), Some(&b)) = (rng.choice(&nodes), rng.choice(&nodes)) else {
            return GraphEdit::AddNode { position, pressure: 50.0 };
        };
        match rng.u8(..6) {
            0 => GraphEdit::AddNode { position, pressure: 90.0 * rng.f64() },
            1 => GraphEdit::RemoveNode(a),
            2 => GraphEdit::AddLink { a, b, weight: rng.f64() },
            3 => GraphEdit::SetWall { node: a, strength: 5.0 * rng.f64() },
            4 => GraphEdit::ClearWall(a),
            _ => GraphEdit::SetPressure { node: a, pressure: 90.0 * rng.f64() },
        }
    }
}

/// Plays a random game on a recorder. Returns it with the hash of the state after each tick, as it
/// was seen while the game went on.
pub fn played<G: Game>(seed: u64) -> (Recorder<G>, Vec<u64>) {
    let mut rng = Rng::with_seed(seed);
    let mut game = Recorder::new(G::world(seed % 12))
        .check_every(rng.u64(..4))
        .keyframe_every([0, 3, 8][rng.usize(..3)]);
    let mut seen = vec![game.world().state_hash()];
    for _ in 0..rng.usize(8..40) {
        let edit = game.world().edit(&mut rng);
        match rng.u8(..12) {
            0..4 => drop(game.apply(edit)),
            4 | 5 => game.queue(edit),
            6 => _ = game.step_within(rng.u64(..40)),
            7 if rng.bool() => drop(game.undo().expect("the snapshots are right")),
            7 => game.rewind(rng.u64(..=game.ticks())).expect("a tick that was"),
            _ => game.step(),
        }
        let ticks = game.ticks() as usize;
        seen.truncate(ticks + 1);
        if ticks == seen.len() {
            // If an edit has completed the tick, the world has gone on since.
            let has_gone_on = !game.recording().edits_at(ticks as u64).is_empty();
            seen.push(match has_gone_on {
                true => by_hand(game.recording(), ticks as u64).state_hash(),
                false => game.world().state_hash(),
            });
        }
        assert_eq!(game.ticks() as usize + 1, seen.len());
    }
    game.step();
    seen.push(game.world().state_hash());
    seen.truncate(game.ticks() as usize + 1);
    (game, seen)
}

/// Does a recording again by hand: no keyframes, no checks. Returns the world.
pub fn by_hand<G: Game>(recording: &Recording<G>, ticks: u64) -> G {
    let mut world = recording.start().expect("a snapshot");
    for tick in 0..ticks {
        for (_, edit) in recording.edits_at(tick) {
            let _ = world.apply(edit.clone());
        }
        world.step();
    }
    world
}

/// Returns the recording of any bytes. They must be one that is the same as bytes and as text once
/// it is read again, or an error that names a place among them.
pub fn parsed<G: Saved + Simulation>(bytes: &[u8]) -> Option<Recording<G>> {
    match Recording::<G>::from_bytes(bytes) {
        Ok(recording) => {
            let again = Recording::from_bytes(&recording.to_bytes());
            assert!(again.as_ref() == Ok(&recording), "other bytes");
            let text = recording.to_text();
            assert!(Recording::from_text(&text).as_ref() == Ok(&recording), "another text: {text}");
            Some(recording)
        }
        Err(error) => {
            assert!(error.at <= bytes.len() && !error.to_string().is_empty(), "{error}");
            None
        }
    }
}

/// Replays what may be anything, if it is short. It ends well, differs, in a part of it alone, too,
/// or is refused.
pub fn replayed<G: Game>(recording: &Recording<G>) {
    if recording.ticks() > 24 || recording.edits().len() > 40 {
        return;
    }
    match recording.replay() {
        Ok(world) => {
            assert_eq!(
                world.state_hash(),
                {
                    let mut world = by_hand(recording, recording.ticks());
                    for (_, edit) in recording.edits_at(recording.ticks()) {
                        let _ = world.apply(edit.clone());
                    }
                    world.state_hash()
                },
                "by hand"
            );
        }
        Err(ReplayError::Differs(divergence)) => {
            assert!(divergence.tick <= recording.ticks(), "{divergence}");
            assert_ne!(divergence.recorded, divergence.found, "{divergence}");
            if recording.keyframes().all(|tick| tick > 0) {
                // A part begins with a keyframe where there is one, else as the whole does.
                let part = recording.part(0, divergence.tick).expect("the start is right");
                let of_part = part.replay().err();
                assert_eq!(
                    of_part,
                    Some(ReplayError::Differs(divergence)),
                    "the part that differs"
                );
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Makes length and checksum of changed bytes right.
pub fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= 24 {
        let length = bytes.len() as u64;
        bytes[12..20].copy_from_slice(&length.to_le_bytes());
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}
