//! Evaporation from water that sleeps: who loses how much, and that nothing else than seed, place
//! and tick decides.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape};

/// Ponds of 2 by 2 cells, 100 to a chunk, in 4 by 4 chunks, with walls of 1 cell. They hold 3
/// layers of water, the top one of this height.
fn ponds(seed: u64, rules: Rules, top: u8) -> WaterWorld {
    let mut world = WaterWorld::new(seed, rules).unwrap();
    let chunks = Region::new(IVec3::ZERO, IVec3::new(3, 1, 3)).positions().map(ChunkPos::from);
    let of = |y: i32| Chunk::uniform(if y == 0 { Voxel::SOLID } else { Voxel::OPEN });
    world.insert_chunks(chunks.map(|chunk| (chunk, of(chunk.y)))).unwrap();
    for at in Region::new(IVec3::ZERO, IVec3::new(20, 0, 20)).positions() {
        let corner = 3 * at + IVec3::new(0, 13, 0);
        let below = Region::new(corner, corner + IVec3::new(1, 1, 1));
        world.fill_water(below, 7).unwrap();
        world
            .fill_water(Region::new(corner + 2 * IVec3::Y, corner + IVec3::new(1, 2, 1)), top)
            .unwrap();
    }
    world.run(10);
    world
}

/// By default a bucket on a plain stays for about an hour, as seven films.
#[test]
fn films_of_a_bucket_go_with_the_half_life_of_the_preset() {
    let films_after = |rules: Rules, seconds: u64| {
        let mut world = WaterWorld::new(5, rules).unwrap();
        let floor = Region::new(IVec3::ZERO, IVec3::new(4, 0, 4)).positions().map(ChunkPos::from);
        world.insert_chunks(floor.map(|at| (at, Chunk::uniform(Voxel::OPEN)))).unwrap();
        for at in Region::new(IVec3::ZERO, IVec3::new(4, 0, 4)).positions() {
            world.pour(16 * at + IVec3::new(8, 0, 8), 7).unwrap();
        }
        world.run(20 * seconds);
        assert_eq!(world.validate(), Ok(()));
        world.total()
    };
    let poured = 7 * 25;
    let left = films_after(Rules::default(), 60);
    assert!(left > poured * 9 / 10, "{left} of {poured} by default");
    for (rules, half_life) in [(Rules::puddle(), 20), (Rules::rain(), 60), (Rules::desert(), 5)] {
        // A bucket is still after some seconds.
        let half = films_after(rules, half_life);
        assert!((poured * 3 / 10..poured * 9 / 10).contains(&half), "{half} after {half_life} s");
        let few = films_after(rules, 7 * half_life + 10);
        assert!(few < poured / 20, "{few} of {poured} after seven half-lives of {half_life} s");
    }
}

/// The number of ticks wraps. What was due after the last one was due never, or at once for ever.
#[test]
fn evaporation_continues_where_the_number_of_ticks_ends() {
    for before in [1, 2, 9, 60, u64::MAX / 2] {
        let rules = Rules {
            evaporation: 1.0 / 65_536.0,
            film_evaporation: 1.0 / 256.0,
            ..Rules::default()
        };
        let mut world = WaterWorld::new(before, rules).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.run(u64::MAX - before);
        assert_eq!(world.ticks(), u64::MAX - before);
        for x in 0..16 {
            world.fill_water(Region::cell(IVec3::new(x, 0, 0)), 1).unwrap();
        }
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        for _ in 0..10 {
            world.run(50);
            loaded.run(50);
            assert_eq!(world.state_hash(), loaded.state_hash(), "{before} ticks before the end");
            assert_eq!(world.validate(), Ok(()));
        }
        assert_eq!(world.ticks(), 500u64.wrapping_sub(before + 1));
        assert!(world.ledger().evaporated > 8, "{before} ticks before the end");
    }
}

const CELLS: f64 = 21.0 * 21.0 * 4.0;

/// Whether a count of rare events is within four deviations of its mean.
#[track_caller]
fn check_count(found: u64, mean: f64) {
    assert!((found as f64 - mean).abs() < 4.0 * mean.sqrt() + 1.0, "{found}, not about {mean}");
}

#[test]
fn still_surface_cells_lose_with_their_chance_and_those_below_nothing() {
    let chance = 1.0 / 65_536.0;
    let rules = Rules { evaporation: chance, film_evaporation: 0.0, ..Rules::default() };
    let mut world = ponds(1, rules, 7);
    assert_eq!(world.awake_cells(), 0, "still water sleeps");
    let (mut asleep, before) = (0, world.ledger().evaporated);
    for _ in 0..6000 {
        asleep += u64::from(world.awake_cells() == 0);
        world.step();
    }
    assert!(asleep > 3000, "asleep in {asleep} ticks");
    check_count(world.ledger().evaporated - before, 6000.0 * CELLS * chance);
    for cell in Region::new(IVec3::new(0, 13, 0), IVec3::new(61, 14, 61)).positions() {
        assert!(world.is_solid(cell) || world.units(cell) == 7, "{cell}");
    }
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn films_have_a_chance_of_their_own() {
    let (film, ticks) = (1.0 / 16_384.0, 1000);
    let rules = Rules { evaporation: 0.0, film_evaporation: film, ..Rules::default() };
    let mut deep = ponds(2, rules, 2);
    deep.run(ticks);
    assert_eq!(deep.ledger().evaporated, 0);
    let mut films = ponds(2, rules, 1);
    let before = films.ledger().evaporated;
    films.run(ticks);
    check_count(films.ledger().evaporated - before, ticks as f64 * CELLS * film);
    // What lies below a film that has gone is no film.
    films.run(1_000_000);
    assert_eq!(films.ledger().evaporated, CELLS as u64, "all films went, and nothing else");

    let rules = Rules { evaporation: film, film_evaporation: 0.0, ..Rules::default() };
    let mut films = ponds(2, rules, 1);
    films.run(200);
    assert_eq!(films.ledger().evaporated, 0);
}

/// Nothing is lost by skipping what sleeps, and by nothing that is done to it meanwhile.
#[test]
fn a_world_that_sleeps_loses_what_one_loses_that_is_woken_saved_or_in_slices() {
    for seed in 0..6 {
        let rules = Rules {
            evaporation: [1.0 / 100_000.0, 1.0 / 300.0, 0.1][seed as usize % 3],
            film_evaporation: [1.0 / 1000.0, 0.03, 0.0][seed as usize % 3],
            ..Rules::default()
        };
        let [mut asleep, mut woken, mut sliced] = [(); 3].map(|()| ponds(seed, rules, 2));
        let mut rng = Rng::with_seed(seed);
        let mut single = 0;
        for _ in 0..20 {
            let ticks = if seed % 3 == 0 { rng.u64(1..60) } else { rng.u64(1..6) };
            single += ticks;
            asleep.run(ticks);
            for _ in 0..ticks {
                woken.wake_all();
                woken.step();
                // A loaded world begins the tick again, so it is saved once in a tick at most.
                let mut slices_to_save = rng.u32(..16);
                while !sliced.step_within(rng.u64(..600)).finished {
                    slices_to_save = slices_to_save.wrapping_sub(1);
                    if slices_to_save == 0 {
                        sliced = WaterWorld::load(&sliced.save()).unwrap();
                    }
                }
            }
            assert_eq!(asleep.state_hash(), woken.state_hash(), "seed {seed}, tick {single}");
            assert_eq!(asleep.state_hash(), sliced.state_hash(), "seed {seed}, tick {single}");
            assert_eq!(asleep.validate(), Ok(()), "seed {seed}");
        }
        assert!(asleep.ledger().evaporated > 3, "seed {seed}");
    }
}

/// A million ticks of a still world, skipped from loss to loss, are those taken one by one.
#[test]
fn a_run_through_still_water_skips_no_loss() {
    let mut run = ponds(4, Rules::default(), 7);
    let mut stepped = WaterWorld::load(&run.save()).unwrap();
    let before = run.ledger().evaporated;
    run.run(100_000);
    (0..100_000).for_each(|_| _ = stepped.step());
    assert_eq!(run.state_hash(), stepped.state_hash());
    check_count(run.ledger().evaporated - before, 1e5 * CELLS / 1_048_576.0);
}

/// The losses of a chunk do not depend on when and in which order it was loaded.
#[test]
fn chunks_that_come_and_go_lose_what_others_do_and_leave_nothing() {
    let rules = Rules { evaporation: 0.001, film_evaporation: 0.001, ..Rules::default() };
    let mut still = ponds(5, rules, 2);
    let mut restless = WaterWorld::load(&still.save()).unwrap();
    let far = |at: i32| IVec3::new(100 + at % 7, 0, 0);
    for at in 0..60 {
        still.step();
        for chunk in 0..3 {
            let position = far(at + chunk);
            let _ = restless.remove_chunk(position.into());
            restless.insert_chunk(position.into(), Chunk::uniform(Voxel::SOLID)).unwrap();
        }
        restless.step();
        assert_eq!(still.ledger().evaporated, restless.ledger().evaporated, "tick {at}");
    }
    let mut empty = WaterWorld::new(5, rules).unwrap();
    for at in 0..20_000 {
        empty.insert_chunk(far(at).into(), Chunk::uniform(Voxel::SOLID)).unwrap();
        empty.remove_chunk(far(at).into()).unwrap();
    }
    assert!(empty.memory_bytes() < 20_000, "{} bytes", empty.memory_bytes());
}

/// Flowing water does not evaporate, nor water below a chunk that is not loaded: there may be more.
#[test]
fn flowing_and_possibly_deep_water_does_not_evaporate() {
    let rules = Rules { evaporation: 1.0, film_evaporation: 1.0, ..Rules::default() };
    let mut world = WaterWorld::new(6, rules).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let top = Region::new(IVec3::new(0, 15, 0), IVec3::new(15, 15, 15));
    world.fill_solid(Region::new(IVec3::new(0, 14, 0), IVec3::new(15, 14, 15))).unwrap();
    world.fill_water(top, 7).unwrap();
    world.run(20);
    assert_eq!((world.ledger().evaporated, world.awake_cells()), (0, 0));
    world.insert_chunk(ChunkPos::new(0, 1, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
    world.step();
    assert_eq!(world.ledger().evaporated, 256, "one of each cell");

    let mut fall = WaterWorld::new(6, rules).unwrap();
    fall.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let region = Region::new(IVec3::new(0, 9, 0), IVec3::new(15, 9, 15));
    fall.fill_water(region, 5).unwrap();
    for _ in 0..9 {
        assert_eq!(fall.ledger().evaporated, 0, "it falls");
        fall.step();
    }
}

/// The world may still change by itself while it holds water other than that of springs.
#[test]
fn a_world_in_which_water_can_evaporate_is_not_at_rest() {
    let rules = Rules { evaporation: 0.1, film_evaporation: 0.1, ..Rules::default() };
    let mut world = WaterWorld::new(7, rules).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let pit = IVec3::new(8, 3, 8);
    world.fill_solid(Cube::region_of(ChunkPos::ZERO)).unwrap();
    world.clear_solid(pit).unwrap();
    assert!(world.step().changed == 0 && world.is_at_rest(), "no water");
    world.pour(pit, 3).unwrap();
    for _ in 0..2000 {
        assert_eq!(world.is_at_rest(), world.total() == 0);
        world.step();
    }
    assert_eq!(world.total(), 0);
    world.run(3);
    assert!(world.is_at_rest());
    world.add_source(pit).unwrap();
    world.run(40);
    assert!(world.is_at_rest(), "a spring does not evaporate");
}
