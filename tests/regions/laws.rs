//! Laws of random worlds over regions: nothing is made or lost, and the order in which messages
//! arrive makes no difference.

use crate::random::{random_edit, random_world};
use crate::scenes::{UNDIVIDED, carried, check_accounts, run, units, world};
use fastrand::Rng;
use floodplain::regions::RegionWorld;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterCell};
use floodplain::{Chunk, ChunkPos, Face, Region};
use glam::{IVec2, IVec3};

#[test]
fn nothing_is_made_or_lost_in_random_worlds() {
    let mut passed = 0;
    for seed in 0..48 {
        let context = format!("seed {seed}");
        let mut world = random_world(seed).0;
        let mut rng = Rng::with_seed(!seed);
        check_accounts(&world, &context);
        for _ in 0..16 {
            for _ in 0..rng.u8(..4) {
                _ = world.apply(random_edit(&mut rng));
                check_accounts(&world, &context);
            }
            let ticks = rng.u64(1..6);
            run(&mut world, ticks, &context);
            assert_eq!(world.validate(), Ok(()), "{context}");
        }
        for from in world.regions().collect::<Vec<_>>() {
            for to in [from + glam::IVec2::X, from - glam::IVec2::Y] {
                passed += world.account(from, to).map_or(0, |account| account.sent);
            }
        }
    }
    println!("{passed} units passed");
    assert!(passed > 5_000, "{passed} units passed");
}

#[test]
fn equal_seeds_and_edits_give_equal_bytes_in_any_order_of_messages() {
    for seed in 0..12 {
        let mut rng = Rng::with_seed(!seed);
        let mut worlds = [random_world(seed).0, random_world(seed).0];
        for _ in 0..60 {
            if rng.bool() {
                let edit = random_edit(&mut rng);
                let [one, other] = worlds.each_mut().map(|world| world.apply(edit.clone()));
                assert_eq!(one, other, "seed {seed}: {edit:?}");
            }
            worlds[0].step();
            let (_, mut messages) = worlds[1].advance();
            rng.shuffle(&mut messages);
            messages.iter().for_each(|message| _ = worlds[1].receive(message));
            let [one, other] = worlds.each_ref().map(RegionWorld::state_hash);
            assert_eq!(one, other, "seed {seed}, tick {}", worlds[0].ticks());
        }
    }
}

/// A sea in the west, and a plain behind a border that it fills up to its level.
#[test]
fn a_sea_beyond_a_border_fills_the_plain_up_to_its_level() {
    let rules = Rules::lossless();
    for side in [16, 32] {
        let mut world = world(5, rules, side, IVec3::new(64, 16, 16), |cell| match cell.y {
            0 => Voxel::SOLID,
            1..=4 if cell.x < side => Voxel::SEA,
            _ => Voxel::OPEN,
        });
        run(&mut world, 1_500, &format!("side {side}"));
        for x in side..64 {
            let level: u8 = (1..16).map(|y| units(&world, IVec3::new(x, y, 8))).sum();
            assert!((27..=28).contains(&level), "side {side}: {level} units at x = {x}");
        }
    }
}

/// Water falls over a cliff that is a border, and none stays in the air.
#[test]
fn a_fall_over_a_border_falls() {
    let rules = Rules { edges: Edges::WALLS.with(Face::East, Edge::Drain), ..Rules::lossless() };
    let [(whole, _), (carried, mut world)] = [UNDIVIDED, 16].map(|side| {
        let mut world = world(5, rules, side, IVec3::new(32, 32, 16), |cell| {
            let is_cliff = cell.x < 16 && cell.y < 20;
            let is_ground = cell.y == 0 || is_cliff || !(6..10).contains(&cell.z);
            if is_ground { Voxel::SOLID } else { Voxel::OPEN }
        });
        for z in 7..9 {
            world.apply(Edit::AddSource(IVec3::new(2, 20, z))).unwrap();
        }
        (carried(&mut world, "a fall"), world)
    });
    println!("{carried} units a tick over a fall of 19, {whole} undivided");
    assert!(carried >= 0.99 * whole, "{carried} units a tick of {whole}");
    for z in 7..9 {
        world.apply(Edit::RemoveSource(IVec3::new(2, 20, z))).unwrap();
    }
    run(&mut world, 1_500, "a fall without springs");
    let in_the_air: u32 = (2..32)
        .flat_map(|y| (6..10).map(move |z| IVec3::new(16, y, z)))
        .map(|cell| u32::from(units(&world, cell)))
        .sum();
    assert_eq!(in_the_air, 0, "nothing hangs in the air");
}

/// Flow over a border once overflowed in the lowest layer of the range of coordinates, and a sea at
/// a border in the highest.
#[test]
fn water_crosses_borders_at_both_ends_of_the_range() {
    for low in [i32::MIN, i32::MAX - 15] {
        for wet in [Voxel::SEA, Voxel::water(WaterCell::with_height(7).unwrap())] {
            let bounds = Region::new(IVec3::new(0, low, 0), IVec3::new(31, low + 15, 15));
            let mut world = RegionWorld::new(5, Rules::lossless(), bounds, 16).expect("valid");
            for (x, voxel) in [(0, wet), (1, Voxel::OPEN)] {
                let (position, chunk) = (ChunkPos::new(x, low >> 4, 0), Chunk::uniform(voxel));
                world.apply(Edit::InsertChunk { position, chunk }).expect("vacant");
            }
            let context = format!("{wet:?} from y = {low}");
            run(&mut world, 200, &context);
            let passed = world.account(IVec2::ZERO, IVec2::X).expect("beside").sent;
            assert!(passed > 2_000, "{context}: {passed} units passed");
        }
    }
}

/// Drops in all layers, more of them than threads begin to share the phases of a tick at.
#[test]
fn the_number_of_threads_makes_no_difference() {
    let size = IVec3::new(256, 32, 128);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world(9, Rules::lossless(), 128, size, |cell| {
                let random = (cell.x * 7919 + cell.y * 104_729 + cell.z * 1_299_709) % 61;
                match (cell.y, random) {
                    (0..=2, _) => Voxel::SOLID,
                    (_, 0) => Voxel::water(WaterCell::with_height(5).unwrap()),
                    _ => Voxel::OPEN,
                }
            });
            for at in 0..4 {
                let cell = IVec3::new(16 + 64 * at, 12, 64);
                world.apply(Edit::AddSource(cell)).unwrap();
            }
            let step = |world: &mut RegionWorld| (world.step().moved, world.state_hash());
            (0..24).map(|_| step(&mut world)).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(one.iter().all(|&(moved, _)| moved > 0), "{one:?}");
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
