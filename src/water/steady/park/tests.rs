//! Rivers through many chunks, compared with the same rivers in a world that parks no chunk: all
//! queries return the same, in every tick and in the middle of it.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Face, Region, Shape};
use crate::water::context::test_worlds::{tick_in_slices, told};
use crate::water::{Edge, Edges, Fixture, Rules, Voxel, WaterWorld};
use fastrand::Rng;
use glam::IVec3;

/// Two chunks high, so that the bed lies in the upper ones and tunnels below.
const MIN: IVec3 = IVec3::new(-9, 0, -12);
const MAX: IVec3 = IVec3::new(70, 24, 12);

/// The layer in which the rivers flow.
const BED: i32 = 16;

/// One or two channels from the west to a drain in the east, some with wells and deeper parts.
fn world(rng: &mut Rng) -> WaterWorld {
    let rules = Rules {
        throughput: if rng.u8(..6) == 0 { rng.u8(3..7) } else { 7 },
        evaporation: if rng.u8(..3) == 0 { 0.01 } else { 0.0 },
        pools: rng.u8(..5) > 0,
        edges: Edges::WALLS.with(Face::East, Edge::Drain),
        ..Rules::lossless()
    };
    let bounds = Region::new(MIN, MAX);
    let mut world = WaterWorld::with_bounds(rng.u64(..), rules, bounds).expect("in range");
    for chunk in Cube::chunks_of(bounds) {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::SOLID)).expect("none is there");
    }
    for (from, to) in [(-8, -2), (3, 10)] {
        let (z, width) = (rng.i32(from..to - 2), rng.i32(1..4));
        let deep = rng.i32(0..3);
        let open = |world: &mut WaterWorld, min: IVec3, max: IVec3| {
            for cell in Region::new(min, max).positions() {
                world.clear_solid(cell).expect("loaded");
            }
        };
        let (west, east) = (MIN.x + rng.i32(0..8), MAX.x);
        open(&mut world, IVec3::new(west, BED, z), IVec3::new(east, BED + 3, z + width - 1));
        if deep > 0 {
            let start = rng.i32(west..east - 20);
            let bed = IVec3::new(start, BED - deep, z);
            open(&mut world, bed, IVec3::new(start + rng.i32(4..20), BED, z + width - 1));
        }
        if rng.bool() {
            // A well.
            let (x, down) = (rng.i32(west + 2..east), rng.i32(1..6));
            open(&mut world, IVec3::new(x, BED - down, z), IVec3::new(x, BED, z));
            open(&mut world, IVec3::new(x, BED - down, z - 3), IVec3::new(x, BED - down, z));
            open(&mut world, IVec3::new(x, BED - down, z - 3), IVec3::new(x, BED + 3, z - 3));
        }
        for at in 0..width {
            world.add_source(IVec3::new(west, BED, z + at)).expect("it is open");
        }
    }
    world
}

fn cell(rng: &mut Rng) -> IVec3 {
    IVec3::new(rng.i32(MIN.x..=MAX.x), rng.i32(BED - 4..BED + 4), rng.i32(MIN.z..=MAX.z))
}

/// A cell in water or beside it, mostly.
fn near_water(rng: &mut Rng, world: &WaterWorld) -> IVec3 {
    for _ in 0..200 {
        let at = cell(rng);
        if world.units(at) > 0 {
            let [x, y, z] = [(); 3].map(|()| rng.i32(-1..2));
            return (at + IVec3::new(x, y, z) * i32::from(rng.bool())).clamp(MIN, MAX);
        }
    }
    cell(rng)
}

/// Makes the same random edit in both worlds. Both worlds refuse the same edits.
fn edit(rng: &mut Rng, worlds: &mut [WaterWorld; 2]) {
    let (at, kind) = (near_water(rng, &worlds[0]), rng.u8(..16));
    let (units, chunk) = (rng.u8(1..8), Cube::chunk_of(at));
    let rate = rng.u8(1..=7);
    let answers = worlds.each_mut().map(|world| match kind {
        0..2 => format!("{:?}", world.set_solid(at)),
        2..4 => format!("{:?}", world.clear_solid(at)),
        4 => format!("{:?}", world.pour(at, units.into())),
        5 => format!("{:?}", world.scoop(at, units.into())),
        6 => format!("{:?}", world.add_source(at)),
        7 => format!("{:?}", world.remove_source(at)),
        8 => format!("{:?}", world.freeze([chunk])),
        9 | 10 => {
            let frozen: Vec<ChunkPos> = world.frozen_chunks().collect();
            format!("{:?}", world.thaw(frozen))
        }
        11 => {
            let records = world.remove_chunks([chunk]).expect("it is loaded");
            format!("{:?}", world.insert_records(records))
        }
        12 => format!("{:?}", world.set_fixture(at, Some(Fixture::Drain(rate)))),
        13 => format!("{:?}", world.set_rules(Rules { throughput: rate, ..*world.rules() })),
        14 => format!("{:?}", world.settle_now(Region::cell(at), 20)),
        _ => {
            let end = (at + IVec3::new(3, 2, 3)).min(MAX);
            format!("{:?}", world.fill_water(Region::new(at, end), units))
        }
    });
    assert_eq!(answers[0], answers[1]);
}

/// Returns the chunks that were parked, summed over all ticks.
fn run(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut worlds = [world(&mut rng.clone()), world(&mut rng)];
    worlds[1].store.parking_is_forbidden = true;
    let (mut parked, mut quiet) = (0, 150);
    for at in 0..700 {
        if quiet == 0 {
            (0..rng.u8(1..3)).for_each(|_| edit(&mut rng, &mut worlds));
            quiet = rng.u32(1..90);
        }
        quiet -= 1;
        let most = if rng.u8(..6) == 0 { rng.u64(2..2_000) } else { 0 };
        let reports = worlds.each_mut().map(|world| {
            let report = tick_in_slices(world, &mut rng.clone().fork(), most);
            (report.moved, report.changed)
        });
        parked += worlds[0].store.grid().parked_slots().len();
        assert_eq!(reports[0], reports[1], "seed {seed}, tick {at}");
        assert_eq!(told(&worlds[0]), told(&worlds[1]), "seed {seed}, tick {at}");
        let currents = worlds.each_ref().map(|world| {
            let mut rng = rng.clone();
            (0..40).map(|_| world.current(near_water(&mut rng, world))).collect::<Vec<_>>()
        });
        assert_eq!(currents[0], currents[1], "seed {seed}, tick {at}");
        let changed = worlds.each_mut().map(WaterWorld::take_all_changes);
        assert_eq!(format!("{:?}", changed[0]), format!("{:?}", changed[1]), "seed {seed}");
        if at % 16 == 0 {
            assert_eq!(worlds[0].validate(), Ok(()), "seed {seed}, tick {at}");
        }
    }
    parked
}

#[test]
fn parking_changes_nothing_that_can_be_asked() {
    let parked: usize = (0..24).map(run).sum();
    assert!(parked > 5_000, "{parked} chunks were parked");
}
