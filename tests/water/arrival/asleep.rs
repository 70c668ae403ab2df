//! Rivers sleep: what only steady flow passes is not visited, and flows all the same.

use super::Cases;
use super::plan::{Built, Is, Pose, at};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Feed, Mirror, WaterWorld};
use floodplain::{Cube, Face, Shape};

const LENGTH: i32 = 40;

/// The length of a river in the middle of which no chunk is beside a chunk of its ends.
const LONG: i32 = 112;

/// A river of `length` cells on level ground, with a spring at the head of each lane. It leaves the
/// world at the end of the bed, or through holes in its last cells.
fn river(seed: u64, (length, width): (i32, i32), through_holes: bool) -> Built {
    let size = at(length + i32::from(through_holes), 3, width + 2);
    let plan = move |cell: IVec3| match cell {
        IVec3 { z, .. } if z == 0 || z == width + 1 => Is::Ground,
        IVec3 { x: 0, y: 1, .. } => Is::Spring,
        IVec3 { x, y: 1, .. } if x < length => Is::Open,
        IVec3 { x, y: 0, .. } if through_holes && x == length - 1 => Is::Open,
        _ => Is::Ground,
    };
    let end = if through_holes { Face::Down } else { Face::East };
    Built::new((seed, Pose::of(seed)), size, &[end], plan)
}

/// The currents of the bed of a river.
fn currents(built: &Built, (length, width): (i32, i32)) -> Vec<IVec3> {
    let bed = (0..length).flat_map(|x| (1..=width).map(move |z| at(x, 1, z)));
    bed.map(|cell| built.world.current(built.at(cell))).collect()
}

/// Each cell of a river was visited in each tick, and in those in which its flow yields so were the
/// body of the river and all paths through it: 6 ms for 10,000 cells.
#[test]
fn rivers_sleep_and_flow_and_fill_what_is_dug_beside_them() {
    let mut cases = Cases::default();
    for (width, through_holes) in [(1, false), (3, false), (5, false), (1, true), (3, true)] {
        for seed in 0..4 {
            let mut built = river(seed, (LENGTH, width), through_holes);
            let what = format!("{width} wide, through holes: {through_holes}, seed {seed}");
            // Through the bottom of the world, a pit would be one more hole.
            let pits = [None, Some(at(LENGTH / 2, 0, 1)), Some(at(LENGTH / 3, 0, width))];
            for &dug in &pits[..if through_holes { 1 } else { 3 }] {
                if let Some(pit) = dug {
                    built.world.clear_solid(built.at(pit)).unwrap();
                }
                built.world.run(1_000);
                let awake = built.world.awake_cells();
                let outflow = built.outflow(64);
                let flows = currents(&built, (LENGTH, width));
                let still = flows.iter().filter(|&&flow| flow == IVec3::ZERO).count();
                let (mut feed, mut mirror) = (Feed::new(&mut built.world), Mirror::new(100));
                feed.send_currents();
                let all: Vec<_> = built.world.chunks().map(|(chunk, _)| chunk).collect();
                mirror.apply(&feed.whole(&built.world, all)).unwrap();
                mirror.apply(&feed.take(&mut built.world)).unwrap();
                let bed = (0..LENGTH).flat_map(|x| (1..=width).map(move |z| at(x, 1, z)));
                let sent: Vec<IVec3> = bed.map(|cell| mirror.current(built.at(cell))).collect();
                let pit = dug.map(|it| built.height(it.x, it.y, it.z));
                built.world.validate().unwrap();
                // The ends stay awake.
                let holds = awake <= 2 * width as usize
                    && outflow == f64::from(7 * width)
                    && still == 0
                    && sent == flows
                    && pit.is_none_or(|units| units == 7);
                let figures = format!("{awake} awake, {outflow} flow out, {still} still, {pit:?}");
                cases.hold(holds, format!("{what}: {figures}"));
            }
        }
    }
    cases.all_hold();
}

/// In each tick, steady flow passed its units on by a record of each layer.
#[test]
fn a_steady_river_costs_the_same_however_long_it_is() {
    for (width, through_holes) in [(1, false), (4, false), (2, true)] {
        let [short, long] = [160, 1_600].map(|length| {
            let mut built = river(3, (length, width), through_holes);
            built.world.run(2 * length as u64 + 400);
            let outflow = built.outflow(1);
            // Two ticks in which the flow yields are among these.
            let visited = (0..64).map(|_| built.world.step_within(u64::MAX).visited);
            (outflow, visited.sum::<u64>())
        });
        assert_eq!(short.0, f64::from(7 * width));
        assert_eq!(short, long, "{width} wide, through holes: {through_holes}");
    }
}

/// Makes one of the edits that change a river, or the world around it.
fn disturb(built: &mut Built, (length, width): (i32, i32), rng: &mut fastrand::Rng) {
    let cell = built.at(at(rng.i32(0..length), rng.i32(0..3), rng.i32(0..width + 2)));
    let chunk = Cube::chunk_of(cell);
    let world = &mut built.world;
    // A refused edit changes nothing.
    match rng.u8(..8) {
        0 | 1 => _ = world.clear_solid(cell),
        2 => _ = world.set_solid(cell),
        3 => _ = world.remove_source(cell),
        4 => _ = world.add_source(cell),
        5 if world.is_frozen(chunk) => _ = world.thaw([chunk]),
        5 => _ = world.freeze([chunk]),
        6 => {
            let records = world.remove_chunks([chunk]).unwrap();
            world.insert_records(records).unwrap();
        }
        _ => _ = world.scoop(cell, 7),
    }
}

/// Rivers that sleep have the bytes of rivers that are woken before each tick, and so have rivers
/// that are also saved and loaded in the middle of ticks.
#[test]
fn rivers_that_sleep_equal_rivers_that_never_do() {
    let mut slept = 0;
    for seed in 0..24 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (width, through_holes) = (rng.i32(1..5), rng.bool());
        let size @ (length, _) = ([LENGTH, LONG][seed as usize % 2], width);
        // Where the bed narrows, the flow leaves throughput over for films that draw.
        let lanes = if rng.bool() { 1 } else { width };
        let build = || {
            let mut built = river(seed, size, through_holes);
            for z in lanes + 1..=width {
                built.world.set_solid(built.at(at(length - 2, 1, z))).unwrap();
            }
            built
        };
        let (mut sleeper, mut awake, mut loaded) = (build(), build(), build());
        for tick in 0..260 {
            if tick > 100 && tick % 16 == 0 {
                let edits = rng.fork();
                for built in [&mut sleeper, &mut awake, &mut loaded] {
                    disturb(built, size, &mut edits.clone());
                }
                let holds = currents(&sleeper, size) == currents(&awake, size);
                assert!(holds, "seed {seed}, tick {tick}: currents after an edit");
            }
            awake.world.wake_all();
            if rng.u8(..8) == 0 {
                loaded.world.step_within(rng.u64(..600));
                let bytes = loaded.world.save();
                loaded.world = WaterWorld::load(&bytes).unwrap();
            }
            // A world that was just loaded has no currents.
            let is_loaded = loaded.world.ticks() > tick;
            if rng.u8(..8) == 0 {
                let before = currents(&sleeper, size);
                sleeper.world.step_within(rng.u64(..600));
                let is_complete = sleeper.world.ticks() > tick;
                let holds = is_complete || currents(&sleeper, size) == before;
                assert!(holds, "seed {seed}, tick {tick}: currents of the last complete tick");
            }
            for built in [&mut sleeper, &mut awake, &mut loaded] {
                while built.world.ticks() == tick {
                    built.world.step_within(u64::MAX);
                }
            }
            let flows = currents(&sleeper, size);
            let holds = currents(&awake, size) == flows;
            assert!(holds, "seed {seed}, tick {tick}: currents where it is woken");
            let holds = is_loaded || currents(&loaded, size) == flows;
            assert!(holds, "seed {seed}, tick {tick}: currents where it was loaded");
            let hash = sleeper.world.state_hash();
            assert_eq!(awake.world.state_hash(), hash, "seed {seed}, tick {tick}: woken");
            assert_eq!(loaded.world.state_hash(), hash, "seed {seed}, tick {tick}: loaded");
            let cells = (width * length) as usize;
            slept += u32::from(tick > 90 && sleeper.world.awake_cells() < cells / 2);
        }
        sleeper.world.validate().unwrap();
    }
    assert!(slept > 1_000, "rivers slept in {slept} ticks");
}

/// A spring that was placed in steady flow had no FlowOut after the next tick if the flow yielded
/// in that tick. In one tick of 32, steady flow passes only what other flow leaves over.
#[test]
fn a_spring_in_steady_flow_keeps_flow_out() {
    // Falls four cells high at the head of a lane, which drains at its end.
    let size = at(4, 5, 1);
    let plan = |cell: IVec3| if cell == at(0, 4, 0) { Is::Spring } else { Is::Open };
    let cells = [at(0, 3, 0), at(0, 2, 0), at(0, 1, 0), at(0, 0, 0), at(1, 0, 0), at(3, 0, 0)];
    for seed in 0..8 {
        for cell in cells {
            for ticks in 60..92 {
                let mut built = Built::new((seed, Pose::of(seed)), size, &[Face::East], plan);
                let place = built.at(cell);
                built.world.run(ticks);
                let what = format!("seed {seed}, {cell} in tick {ticks}");
                assert!(built.world.cell(place).unwrap().has_flow_out(), "{what}");
                built.world.add_source(place).unwrap();
                for _ in 0..3 {
                    assert!(built.world.cell(place).unwrap().has_flow_out(), "{what}");
                    assert_eq!(built.world.validate(), Ok(()), "{what}");
                    built.world.step();
                }
            }
        }
    }
}
