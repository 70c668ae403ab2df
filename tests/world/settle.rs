//! Settling: the same totals and levels as ticks, of some chunks alone.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{self, Fixture};
use floodplain::world::{ChunkContent, Edit, EditError, MaterialId, Rules, Settle, World};
use floodplain::{Chunk, ChunkChanges, ChunkPos, Cube, Face, Region, Shape, humidity};
use support::world::apart::random_world;
use support::world::feed::{assert_mirrors, joined};
use support::world::{id, palette, rules, world};

const MOST: u64 = 60_000;

fn bounds() -> Region {
    Region::new(IVec3::new(-4, 0, 0), IVec3::new(3, 9, 7))
}

/// Rules with which moisture comes to rest soon.
fn quick() -> Rules {
    Rules { soil_period: 1, ..rules() }
}

/// Ground in waves of several materials, with water in the air and moisture in patches.
fn generated(seed: u64) -> Vec<(ChunkPos, ChunkContent)> {
    let mut rng = Rng::with_seed(seed);
    let tops: Vec<i32> = (0..64).map(|_| rng.i32(0..6)).collect();
    let ground: Vec<MaterialId> = ["rock", "soil", "sand", "gravel"].map(id).into_iter().collect();
    let wet = rng.u8(1..40);
    Cube::chunks_of(bounds())
        .map(|chunk| {
            let top = |x: i32, z: i32| tops[(x / 3 + z / 2 * 5).rem_euclid(64) as usize];
            let mut content = ChunkContent::from_heights(chunk, top, |_| id("soil"), id("air"));
            let mut water = Chunk::uniform(water::Voxel::OPEN);
            let mut moisture = Chunk::uniform(0);
            for index in 0..4096 {
                if content.materials.get(index) == id("air") {
                    if rng.u8(..100) < wet {
                        water.set(index, water::Voxel::water(water::WaterCell::STILL));
                    }
                    continue;
                }
                water.set(index, water::Voxel::SOLID);
                let material = ground[(index / 37 + seed as usize) % ground.len()];
                content.materials.set(index, material);
                if material != id("rock") && rng.u8(..8) == 0 {
                    moisture.set(index, 500 * humidity::UNITS);
                }
            }
            (chunk, ChunkContent { water: Some(water), moisture: Some(moisture), ..content })
        })
        .collect()
}

fn new(seed: u64, rules: Rules) -> World {
    World::with_bounds(seed, palette(), rules, bounds()).unwrap()
}

/// What each layer holds: units of water, and steps of moisture.
fn levels(world: &World) -> Vec<(u64, u64)> {
    let (min, max) = (bounds().min(), bounds().max());
    let of_layer = |y: i32| {
        let layer = Region::new(min.with_y(y), max.with_y(y)).positions();
        let each =
            layer.map(|cell| (u64::from(world.units(cell)), u64::from(world.moisture(cell))));
        each.fold((0, 0), |(water, moist), (units, more)| (water + units, moist + more))
    };
    (min.y..=max.y).map(of_layer).collect()
}

/// Whether layers hold the same water, but for some units that soil has or has not soaked up, and
/// the same moisture, but for as much.
fn assert_alike(one: &World, other: &World, story: &str) {
    assert_eq!(one.total(), other.total(), "{story}");
    for ((water, moist), (water_there, moist_there)) in levels(one).into_iter().zip(levels(other)) {
        let units = water.abs_diff(water_there);
        let moisture = moist.abs_diff(moist_there) / u64::from(64 * humidity::UNITS);
        assert!(units <= 12 && moisture < 24, "{story}: {units} units, {moisture} of moisture");
    }
}

#[test]
fn chunks_settle_to_the_levels_to_which_they_come_by_ticks() {
    for seed in 0..2 {
        let story = format!("seed {seed}");
        let (mut ticked, mut at_once, mut placed) =
            (new(seed, quick()), new(seed, quick()), new(seed, quick()));
        for world in [&mut ticked, &mut at_once] {
            world.insert_chunks(generated(seed)).unwrap();
        }
        let before = at_once.total();
        ticked.run(MOST);
        assert!(ticked.is_at_rest(), "{story}");

        let settling = at_once.settle_now(bounds(), MOST).unwrap();
        assert!(settling.is_at_rest() && settling.ticks > 10, "{story}: {settling:?}");
        assert_eq!((settling.came_in, settling.went_out), (0, 0), "{story}");
        assert_eq!((at_once.total(), at_once.ticks()), (before, 0), "{story}");
        assert_eq!(at_once.validate(), Ok(()), "{story}");
        assert_alike(&at_once, &ticked, &story);
        let (then, passed) = (levels(&at_once), at_once.ledger().soaked);
        at_once.run(40);
        assert!(at_once.is_at_rest() && levels(&at_once) == then, "{story}: it was at rest");
        assert_eq!(at_once.ledger().soaked, passed, "{story}");

        let list = generated(seed);
        let (records, settling) =
            Settle { seed, palette: palette(), rules: quick(), bounds: bounds(), most_ticks: MOST }
                .run(list)
                .unwrap();
        assert!(settling.is_at_rest(), "{story}: {settling:?}");
        placed.insert_records(records).unwrap();
        assert_eq!((placed.total(), placed.validate()), (before, Ok(())), "{story}");
        assert_alike(&placed, &ticked, &story);
    }
}

/// What settling has changed in the water was not listed.
#[test]
fn the_list_of_changes_has_what_settling_has_changed() {
    for seed in 0..3 {
        let mut world = new(seed, quick());
        world.insert_chunks(generated(seed)).unwrap();
        world.run(seed);
        _ = world.take_changes();
        let cells = |world: &World| -> Vec<(IVec3, u8, u32)> {
            let cells = world.bounds().positions();
            cells.map(|cell| (cell, world.units(cell), world.moisture(cell))).collect()
        };
        let before = cells(&world);
        world.settle_now(bounds(), 300).unwrap();
        let changes = world.take_changes();
        let (mut water, mut moist) = (0, 0);
        for ((cell, units, moisture), now) in before.into_iter().zip(cells(&world)) {
            let is_same = (cell, units, moisture) == now;
            let at = |change: &ChunkChanges| change.chunk == Cube::chunk_of(cell);
            let change = changes.iter().find(|change| at(change));
            let is_listed = change.is_some_and(|it| it.cells.contains(Cube::index_of(cell)));
            assert!(is_same || is_listed, "seed {seed}, {cell}");
            water += u32::from(units != now.1);
            moist += u32::from(moisture != now.2);
        }
        assert!(
            water > 10 && moist > 10,
            "seed {seed}: water in {water} cells, moisture in {moist}"
        );
    }
}

/// The chunks around them do not change, nor does pressure, and laws and accounts hold with
/// springs, rain, frozen chunks and edges that drain.
#[test]
fn while_chunks_settle_the_rest_of_the_world_stands_still() {
    let (mut moved, mut restless, mut passed) = (0, 0, 0);
    for seed in 0..5 {
        let mut rng = Rng::with_seed(seed);
        let mut edges = water::Edges::WALLS;
        edges.outer[Face::East.index()] = [water::Edge::Drain, water::Edge::Wall][rng.usize(..2)];
        let rules = Rules { water: water::Rules { edges, ..rules().water }, ..rules() };
        let mut world = random_world(&mut rng, rules);
        let size = world.bounds().size().map(|side| side as i32);
        for _ in 0..30 {
            let cell = world.bounds().min() + IVec3::from_array(size.map(|side| rng.i32(0..side)));
            _ = world.apply(Edit::Water(water::Edit::AddSource(cell)));
            _ = world.apply(Edit::Soil(humidity::Edit::SetRain { cell, humidity: 900.0 }));
        }
        _ = world.charge(IVec3::new(4, 2, 0), 3.0, 100.0);
        world.run(rng.u64(..4));
        let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        let still = chunks[rng.usize(..chunks.len())];
        world.apply(Edit::Water(water::Edit::Freeze(vec![still]))).unwrap();
        let there = chunks[rng.usize(..chunks.len())];
        let outside = |world: &World| -> Vec<(u8, u32)> {
            let cells = world.bounds().positions();
            let is_outside = |cell: &IVec3| Cube::chunk_of(*cell) != there || still == there;
            let look = |cell| (world.units(cell), world.moisture(cell));
            cells.filter(is_outside).map(look).collect()
        };
        let pressure = |world: &World| world.blast().state_hash();
        let mut feed = floodplain::world::Feed::new(&mut world);
        let mut mirror = joined(&mut feed, &world);
        let before = (outside(&world), pressure(&world), world.ticks(), world.ledger());
        let settling = world.settle_now(Region::cell(Cube::cell_at(there, 0) + 3), 30);
        let settling = settling.expect("it is loaded");
        let after = (outside(&world), pressure(&world), world.ticks(), world.ledger());
        assert_eq!((&after.0, after.1, after.2), (&before.0, before.1, before.2), "seed {seed}");
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
        let (came_in, went_out) = (after.3.came_in(), after.3.went_out());
        assert_eq!(came_in - before.3.came_in(), settling.came_in, "seed {seed}");
        assert_eq!(went_out - before.3.went_out(), settling.went_out, "seed {seed}");
        assert_eq!((after.3.water.loaded, after.3.water.unloaded), (0, 0), "seed {seed}");
        assert!(settling.restless.iter().all(|restless| restless.chunk == there));
        mirror.apply(&feed.take(&mut world)).unwrap();
        assert_mirrors(&mirror, &world, world.bounds());
        moved += settling.came_in + settling.went_out;
        restless += settling.restless.len();
        passed += after.3.soaked - before.3.soaked;
        world.run(20);
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
    }
    assert!(moved > 0 && restless > 1 && passed > 4, "{moved} {restless} {passed}");
}

/// What a report names is what goes on.
#[test]
fn restless_chunks_are_named() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 7, 3));
    let mut world = world(5, rules(), bounds);
    world.fill_material(Region::new(IVec3::ZERO, IVec3::new(31, 0, 3)), id("rock")).unwrap();
    let calm = world.settle_now(bounds, 100).unwrap();
    assert!(calm.is_at_rest() && calm.restless.is_empty());
    // Moisture that spreads for long, in one of two chunks.
    world.fill_material(Region::new(IVec3::ZERO, IVec3::new(9, 0, 3)), id("clay")).unwrap();
    let wet = humidity::Edit::SetHumidity { cell: IVec3::ZERO, humidity: 900.0 };
    world.apply(Edit::Soil(wet)).unwrap();
    let settling = world.settle_now(bounds, 12).unwrap();
    let [chunk] = settling.restless[..] else { panic!("{settling:?}") };
    assert_eq!((chunk.chunk, chunk.water, chunk.soil), (ChunkPos::ZERO, 0, true));
    assert_eq!((settling.ticks, settling.is_at_rest()), (12, false));
    // A valve that has water to pass on keeps a world from rest, though no cell is awake.
    let mut valve = support::world::world(5, rules(), bounds);
    valve.fill_material(bounds, id("rock")).unwrap();
    let cells = Region::new(IVec3::new(3, 3, 1), IVec3::new(5, 3, 1));
    valve.fill_material(cells, id("air")).unwrap();
    valve.set_material(IVec3::new(4, 3, 1), id("rock")).unwrap();
    let fixture = Some(Fixture::Valve { towards: Face::East, rate: 1 });
    let build = water::Edit::SetFixture { cell: IVec3::new(4, 3, 1), fixture };
    valve.apply(Edit::Water(build)).unwrap();
    valve.rain(IVec3::new(3, 3, 1), 6).unwrap();
    assert!(!valve.settle_now(bounds, 1).unwrap().is_at_rest());
    assert!(valve.settle_now(bounds, 100).unwrap().is_at_rest());
    assert_eq!([3, 5].map(|x| valve.units(IVec3::new(x, 3, 1))), [3, 3]);
}

#[test]
fn invalid_settling_is_refused() {
    let air = || (ChunkPos::ZERO, ChunkContent::from(Chunk::uniform(id("air"))));
    let refused = |rules, list: Vec<(ChunkPos, ChunkContent)>| {
        Settle {
            seed: 1,
            palette: palette(),
            rules,
            bounds: Region::cell(IVec3::ZERO),
            most_ticks: 9,
        }
        .run(list)
        .unwrap_err()
    };
    assert_eq!(refused(rules(), vec![air(), air()]), EditError::ChunkPresent(ChunkPos::ZERO));
    let far = vec![(ChunkPos::new(1, 0, 0), air().1)];
    assert_eq!(refused(rules(), far), EditError::ChunkOutOfBounds(ChunkPos::new(1, 0, 0)));
    let wrong = Rules { soil_period: 0, ..rules() };
    assert!(
        matches!(refused(wrong, vec![air()]), EditError::Rules(error) if error.rule == "soil_period")
    );
    let mut empty = new(1, rules());
    let cell = IVec3::new(40, 2, 3);
    assert_eq!(empty.settle_now(Region::cell(cell), 9), Err(EditError::NotLoaded(cell)));
}
