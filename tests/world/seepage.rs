//! Steady seepage: soil below a sea sleeps once it gains what it loses or is full, and all is as if
//! it never slept, in saves and after frost too. A failure prints the seed that replays it.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::humidity::Border;
use floodplain::snapshot::Saved;
use floodplain::world::{Edit, Rules, World};
use floodplain::{ChunkPos, Face, Region, water};
use support::world::{id, rules, world};

/// Two chunks of hills of several soils with some rock, dry, below a sea; under one in two the
/// floor drains.
fn seabed(seed: u64) -> World {
    let mut rng = Rng::with_seed(seed);
    let floor = if seed.is_multiple_of(2) { Border::Drain } else { Border::Wall };
    let rules = Rules { soil_period: 1, ..rules() };
    let rules = Rules { soil: rules.soil.with_border(Face::Down, floor), ..rules };
    let bounds = Region::new(IVec3::new(10, 0, 0), IVec3::new(21, 8, 5));
    let mut world = world(seed, rules, bounds);
    let soils = ["sand", "soil", "gravel", "rock"].map(id);
    let top = rng.i32(2..5);
    for cell in bounds.positions() {
        let height = top + (cell.x / 3 + cell.z / 2) % 3;
        let material = if cell.y > height { id("air") } else { soils[rng.usize(..4)] };
        world.set_material(cell, material).unwrap();
        if cell.y > height {
            world.apply(Edit::Water(water::Edit::SetSea(cell))).unwrap();
        }
    }
    world
}

/// The ticks after which a world is at rest.
fn ticks_to_rest(world: &mut World, most: u64) -> Option<u64> {
    (1..=most / 50).map(|times| times * 50).find(|_| {
        world.run(50);
        world.is_at_rest()
    })
}

fn moisture(world: &World) -> Vec<u32> {
    world.bounds().positions().map(|cell| world.moisture(cell)).collect()
}

/// What a world holds and has entered is that of one in which nothing ever sleeps, tick by tick.
#[test]
fn soil_under_a_sea_that_sleeps_is_as_soil_that_never_does() {
    for seed in 0..4 {
        let [mut sleepy, mut awake] = [(); 2].map(|()| seabed(seed));
        for tick in 0..150 {
            awake.wake_all();
            sleepy.step();
            awake.step();
            assert_eq!(sleepy.state_hash(), awake.state_hash(), "seed {seed}, tick {tick}");
        }
        assert_eq!(sleepy.ledger(), awake.ledger(), "seed {seed}");
    }
}

#[test]
fn seepage_from_random_seas_sleeps_despite_saves_and_frost() {
    for seed in 0..6 {
        let mut world = seabed(seed);
        let ticks = ticks_to_rest(&mut world, 20_000);
        assert!(ticks.is_some(), "seed {seed}: {} cells awake", world.awake_cells());
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
        let (still, before, drains) = (moisture(&world), world.ledger(), seed % 2 == 0);

        // A sleeper enters what it would if it were awake, and so does one that was loaded.
        let bytes = world.save();
        let [mut loaded, mut awake] = [(); 2].map(|()| World::load(&bytes).unwrap());
        assert_eq!((loaded.save() == bytes, loaded.soil().awake_cells()), (true, 0));
        for _ in 0..5 {
            awake.wake_all();
            let visited = [&mut world, &mut loaded, &mut awake].map(|world| world.step().visited);
            assert_eq!((visited[0], visited[1], visited[2] > 0), (0, 0, true), "seed {seed}");
        }
        for other in [&loaded, &awake] {
            assert_eq!(world.state_hash(), other.state_hash(), "seed {seed}");
            assert_eq!((world.ledger(), moisture(other) == still), (other.ledger(), true));
        }
        assert!(loaded.save() == world.save(), "seed {seed}");
        let seeped = world.ledger().soil.drained - before.soil.drained;
        assert_eq!((seeped > 0, seeped % 5), (drains, 0), "seed {seed}");
        assert_eq!(world.ledger().came_in() - before.came_in(), seeped, "seed {seed}");

        // Nothing seeps in frost. Thawed, it goes on as before.
        let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        world.apply(Edit::Water(water::Edit::Freeze(chunks.clone()))).unwrap();
        let before = world.ledger();
        world.run(7);
        assert_eq!(world.ledger(), before, "seed {seed}");
        world.apply(Edit::Water(water::Edit::Thaw(chunks))).unwrap();
        world.run(7);
        assert_eq!((moisture(&world) == still, world.is_at_rest()), (true, true), "seed {seed}");
        assert_eq!(world.ledger().soil.drained - before.soil.drained, seeped / 5 * 7);
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
    }
}

/// Of what lies beside the sea, soil was told in exchanges alone, so that a world that was loaded
/// between one and the step of soil would have dried for a step.
#[test]
fn a_world_that_is_saved_at_any_piece_of_a_tick_continues_as_it_would_have() {
    let mut world = seabed(2);
    world.run(300);
    for tick in 0..4 {
        let mut hashes = Vec::new();
        while !world.step_within(1).finished {
            let mut loaded = World::load(&world.save()).unwrap();
            loaded.step();
            hashes.push(loaded.state_hash());
        }
        assert!(hashes.len() > 3, "{hashes:?}");
        assert_eq!(hashes, vec![world.state_hash(); hashes.len()], "tick {tick}");
    }
}

/// Where the sea is gone, or the soil beside it is, nothing is kept full any more.
#[test]
fn soil_that_the_sea_leaves_dries() {
    for seed in [0, 2] {
        let mut world = seabed(seed);
        ticks_to_rest(&mut world, 20_000).unwrap();
        let (held, before) = (world.total(), world.ledger());
        for cell in world
            .bounds()
            .positions()
            .filter(|&cell| world.water().is_sea(cell))
            .collect::<Vec<_>>()
        {
            world.apply(Edit::Water(water::Edit::ClearSea(cell))).unwrap();
        }
        world.run(20);
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
        let after = world.ledger();
        assert!(after.soil.drained > before.soil.drained && world.total() < held, "seed {seed}");
        assert_eq!(after.soil.placed, before.soil.placed, "seed {seed}");
    }
}
