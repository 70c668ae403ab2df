//! Random worlds of water under random rules and edits run as recorded: the states they pass
//! through, what each call reports, how many cells it looked at, the currents, and the saved bytes.
//! The laws say what must hold; this shows that a change meant to keep all bytes keeps them, and
//! visits no cell more.
//!
//! After an intended change of bytes or work, the failing test prints where it wrote the new
//! record.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape, StepReport};
use std::fs;
use std::path::Path;

const RECORD: &str = include_str!("../data/golden/water_record.txt");

const WORLDS: u64 = 64;
const TICKS: u64 = 24;

fn rules(rng: &mut Rng) -> Rules {
    let mut edge = || [Edge::Wall, Edge::Wall, Edge::Drain, Edge::Held][rng.usize(..4)];
    let edges = Edges { outer: [(); 6].map(|()| edge()), unloaded: edge() };
    let evaporation = [0.0, 0.0, 0.01, 1.0][rng.usize(..4)];
    Rules {
        evaporation,
        film_evaporation: evaporation,
        source_supply: [0, 1, 3, 7, 7][rng.usize(..5)],
        throughput: [1, 2, 5, 7, 7][rng.usize(..5)],
        edges,
        pools: rng.u8(..4) > 0,
        many_parents: rng.u8(..4) > 0,
    }
}

fn cell(rng: &mut Rng, region: Region) -> IVec3 {
    let (min, max) = (region.min(), region.max());
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

/// A box of up to `most` cells a side.
fn cells(rng: &mut Rng, region: Region, most: i32) -> Region {
    let at = cell(rng, region);
    let size = IVec3::new(rng.i32(0..most), rng.i32(0..most), rng.i32(0..most));
    Region::new(at, (at + size).min(region.max()))
}

/// A world with all its chunks, and the part of it where things are to happen.
fn world(seed: u64, rng: &mut Rng) -> (WaterWorld, Region) {
    let around = |from: [i32; 3], to: [i32; 3]| Region::new(from.into(), to.into());
    // Lakes take longest, so there are fewest.
    let kind = [0, 1, 3, 2, 0, 1, 3, 1][(seed % 8) as usize];
    let part = match kind {
        0 => around([-6, -5, -6], [5, 6, 5]),
        1 => around([-16, -16, -16], [15, 15, 15]),
        2 => around([-10, 0, -10], [9, 20, 9]),
        _ => around([100, -40, -30], [130, -20, -1]),
    };
    let bounds = if kind == 3 { Region::EVERYWHERE } else { part };
    let mut world = WaterWorld::with_bounds(seed, rules(rng), bounds).unwrap();
    let ground = if kind == 1 { Voxel::SOLID } else { Voxel::OPEN };
    for chunk in Cube::chunks_of(part) {
        world.insert_chunk(chunk, Chunk::uniform(ground)).unwrap();
    }
    match kind {
        // Tunnels through rock.
        1 => {
            for _ in 0..24 {
                let (at, axis) = (cell(rng, part), rng.usize(..3));
                let mut to = at;
                to[axis] = part.max()[axis].min(at[axis] + rng.i32(4..20));
                world.fill_water(Region::new(at, to), [0, 0, 7][rng.usize(..3)]).unwrap();
            }
        }
        // A lake over a chunk border, with holes in its shore.
        2 => {
            world.fill_solid(Region::new(part.min(), part.max().with_y(1))).unwrap();
            let lake = Region::new(part.min().with_y(2), part.max().with_y(rng.i32(14..19)));
            world.fill_water(lake, 7).unwrap();
            for _ in 0..6 {
                world.fill_solid(cells(rng, part, 9)).unwrap();
                world.fill_water(cells(rng, part, 7), 0).unwrap();
            }
        }
        // Hills.
        _ => {
            for _ in 0..8 {
                let hill = cells(rng, part, 8);
                world.fill_solid(Region::new(hill.min().with_y(part.min().y), hill.max())).unwrap();
            }
        }
    }
    (world, part)
}

/// One edit; some are refused, which is as good as none.
fn edit(
    world: &mut WaterWorld,
    part: Region,
    removed: &mut Vec<(ChunkPos, Chunk<Voxel>)>,
    rng: &mut Rng,
) {
    let at = cell(rng, part);
    let _ = match rng.u8(..16) {
        0 => world.set_solid(at).is_ok(),
        1 => world.clear_solid(at).is_ok(),
        2 => world.fill_solid(cells(rng, part, 4)).is_ok(),
        3 | 4 => world.fill_water(cells(rng, part, 8), rng.u8(..=7)).is_ok(),
        5 => world.fill_water(cells(rng, part, 20), 7).is_ok(),
        6..9 => world.add_source(at).is_ok(),
        9 => world.remove_source(at).is_ok(),
        10 => world.scoop(at, rng.u32(..8)).is_ok(),
        11 => {
            let chunk = Cube::chunk_of(at);
            removed.extend(world.remove_chunk(chunk).ok().map(|cells| (chunk, cells)));
            true
        }
        12 => removed.pop().is_none_or(|(chunk, cells)| world.insert_chunk(chunk, cells).is_ok()),
        _ => world.pour(at, 7).is_ok(),
    };
}

/// One tick, mostly in slices; what its calls say goes into `said`.
fn tick(
    world: &mut WaterWorld,
    part: Region,
    rng: &mut Rng,
    said: &mut crc32fast::Hasher,
) -> StepReport {
    let mut note = |value: u64| said.update(&value.to_le_bytes());
    let mut sum = StepReport::default();
    // However many slices there are, the edits to come are the same.
    let mut rng = rng.fork();
    let most = [20, 300, 3_000, u64::MAX][rng.usize(..4)];
    loop {
        let progress = world.step_within(rng.u64(..most));
        sum += progress.report;
        note(progress.visited);
        note(world.backlog());
        for _ in 0..4 {
            let current = world.current(cell(&mut rng, part));
            note(current.dot(IVec3::new(1, 16, 256)) as u64);
        }
        if progress.finished {
            break;
        }
    }
    note(world.awake_cells() as u64);
    for changes in world.take_all_changes() {
        note(IVec3::from(changes.chunk).dot(IVec3::new(1, 16, 256)) as u64);
        note(changes.cells.iter().map(|cell| cell as u64 * cell as u64).sum());
    }
    sum
}

/// Rules, state and chunks of a snapshot; of the state what every version of the format has:
/// bounds, seed, ticks and account.
fn content(saved: &[u8]) -> [&[u8]; 3] {
    const STATE: usize = 24 + 7 * 8;
    let mut left = &saved[16..];
    ["RULE", "WRLD", "CHNK"].map(|name| {
        assert!(left.starts_with(name.as_bytes()));
        let length = u64::from_le_bytes(left[4..12].try_into().expect("eight bytes")) as usize;
        let content = &left[12..12 + length];
        left = &left[12 + length + 4..];
        if name == "WRLD" { &content[..STATE] } else { content }
    })
}

/// What one world does, in a line.
fn line(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let (mut world, part) = world(seed, &mut rng);
    let (mut removed, mut said, mut sum) =
        (Vec::new(), crc32fast::Hasher::new(), StepReport::default());
    for at in 0..TICKS {
        for _ in 0..rng.usize(..4) {
            edit(&mut world, part, &mut removed, &mut rng);
        }
        sum += tick(&mut world, part, &mut rng, &mut said);
        if at % 8 == 0 {
            world.step_within(rng.u64(..300));
            content(&world.save()).into_iter().for_each(|section| said.update(section));
            // Whether the call above completes its tick depends on what a piece charges.
            world.finish_tick();
        }
    }
    world.step();
    assert_eq!(world.validate(), Ok(()), "seed {seed}");
    let StepReport { visited, moved, changed } = sum;
    let (state, said) = (world.state_hash(), said.finalize());
    format!(
        "{seed} visited {visited} moved {moved} changed {changed} state {state:016x} said {said:08x}\n"
    )
}

#[test]
fn random_worlds_run_as_recorded() {
    let found: Vec<String> = (0..WORLDS).map(line).collect();
    let text = found.concat();
    if text != RECORD {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("water_record.txt");
        fs::write(&file, &text).expect("writing to the target's folder");
        let differs = found
            .iter()
            .zip(RECORD.lines())
            .find(|(found, recorded)| found.trim_end() != *recorded);
        panic!("{differs:?}: found and recorded. All that was found is in {}", file.display());
    }
}
