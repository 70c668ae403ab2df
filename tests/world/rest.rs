//! Worlds come to rest: generated ground at once, closed worlds of slow soils within a stated time.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{Voxel, WaterCell};
use floodplain::world::{ChunkContent, Edit, Palette, Rules, Settle, World};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape, humidity, water};
use support::world::{id, rules, world};

const LEVEL: i32 = 20;

/// A seabed of hills and an island, of sand on soil on gravel on clay, under sea up to `LEVEL`.
fn content(chunk: ChunkPos, palette: &Palette) -> ChunkContent {
    let [air, sand, soil, gravel, clay] =
        ["air", "sand", "soil", "gravel", "clay"].map(|name| palette.id(name).unwrap());
    let top = |x: i32, z: i32| 14 + (x - 20).abs() / 3 - (z - 24) * (z - 24) / 60;
    let ground = |depth| match depth {
        0 | 1 => sand,
        2..5 => soil,
        5..8 => gravel,
        _ => clay,
    };
    let content = ChunkContent::from_heights(chunk, top, ground, air);
    let sea = |index: usize| {
        let is_open = content.materials.get(index) == air;
        let is_sea = is_open && Cube::cell_at(chunk, index).y <= LEVEL;
        if is_sea { Voxel::SEA } else { Voxel::OPEN }
    };
    let water = Chunk::from_cells(&core::array::from_fn(sea));
    ChunkContent { water: Some(water), ..content }
}

fn coast(moist: bool) -> World {
    let (palette, rules) = (Palette::natural(), Rules::default());
    let chunks = Region::new(IVec3::ZERO, IVec3::new(2, 1, 2));
    let bounds = Region::new(IVec3::ZERO, IVec3::new(47, 31, 47));
    let mut world = World::with_bounds(7, palette.clone(), rules, bounds).unwrap();
    let content = |at: ChunkPos| {
        let content = content(at, &palette);
        if moist { content.with_water_table(at, LEVEL, &palette, &rules) } else { content }
    };
    world
        .insert_chunks(chunks.positions().map(ChunkPos::from).map(|at| (at, content(at))))
        .unwrap();
    world
}

/// Five thousand of eleven thousand generated columns soaked on after 400 ticks.
#[test]
fn ground_that_is_generated_moist_is_at_rest_at_once_under_a_sea() {
    let mut world = coast(true);
    let before = world.total();
    let ticks = (0..).find(|_| {
        world.step();
        world.is_at_rest()
    });
    assert!(ticks < Some(12), "{ticks:?}");
    assert_eq!((world.total(), world.ledger().soaked, world.ledger().sprung), (before, 0, 0));
    assert_eq!(world.validate(), Ok(()));
    let mut dry = coast(false);
    dry.run(100);
    assert!(!dry.is_at_rest() && dry.soil().awake_cells() > 0);
}

/// A column of two chunks of random hills of random layers, below a sea or a lake up to a level,
/// with the moisture that it has about that level.
fn column(rng: &mut Rng, palette: &Palette, rules: &Rules) -> Vec<(ChunkPos, ChunkContent)> {
    let names = ["sand", "soil", "gravel", "clay", "rock"];
    let layers: Vec<_> = (0..8).map(|_| palette.id(names[rng.usize(..5)]).unwrap()).collect();
    let (air, level, foot) = (palette.id("air").unwrap(), rng.i32(4..28), rng.i32(-6..20));
    let [along, across] = [(); 2].map(|()| rng.i32(-12..=12));
    let top = |x: i32, z: i32| foot + (x * along + z * across) / 8 + (x * z) % 5;
    let depth = rng.usize(1..4);
    let ground = |down: u32| layers[(down as usize / depth).min(7)];
    let full = WaterCell::with_height(7).unwrap().into();
    let wet = [Voxel::SEA, full][rng.usize(..2)];
    let content = |chunk: ChunkPos| {
        let content = ChunkContent::from_heights(chunk, top, ground, air);
        let water = |index: usize| {
            let is_open = content.materials.get(index) == air;
            let is_wet = is_open && Cube::cell_at(chunk, index).y <= level;
            if is_wet { wet } else { Voxel::OPEN }
        };
        let water = Some(Chunk::from_cells(&core::array::from_fn(water)));
        (chunk, ChunkContent { water, ..content }.with_water_table(chunk, level, palette, rules))
    };
    [ChunkPos::ZERO, ChunkPos::new(0, 1, 0)].map(content).into()
}

/// Statistics of what is generated: none of the columns is restless.
#[test]
fn random_columns_that_are_generated_moist_settle_within_twelve_ticks() {
    let (palette, rules, mut moist) = (Palette::natural(), Rules::default(), 0);
    for seed in 0..100 {
        let chunks = column(&mut Rng::with_seed(seed), &palette, &rules);
        let held = |moisture: Option<&Chunk<u32>>| moisture.cloned().unwrap_or(Chunk::uniform(0));
        let before: Vec<_> = chunks.iter().map(|at| held(at.1.moisture.as_ref())).collect();
        let (records, settling) =
            Settle { seed, palette: palette.clone(), rules, most_ticks: 12, ..Settle::default() }
                .run(chunks)
                .unwrap();
        assert!(settling.is_at_rest(), "seed {seed}: {settling:?}");
        assert_eq!((settling.came_in, settling.went_out), (0, 0), "seed {seed}");
        let after: Vec<_> = records.iter().map(|record| held(record.moisture())).collect();
        assert!(before == after, "seed {seed}");
        moist += u32::from(before.iter().any(|moisture| *moisture != Chunk::uniform(0)));
    }
    assert!(moist > 80, "{moist}");
}

/// Of 117 random worlds of slow soils, 60 were restless after 40,000 ticks. Now half of them are at
/// rest after 15,000 and the last after 24,700.
#[test]
fn a_closed_world_of_slow_soils_is_at_rest_within_twenty_five_thousand_ticks() {
    for seed in 0..4 {
        let mut rng = Rng::with_seed(seed);
        let bounds = Region::new(IVec3::ZERO, IVec3::new(15, 7, 7));
        let mut world = world(seed, rules(), bounds);
        let slow = ["clay", "brick", "soil", "clay", "air"].map(id);
        for cell in bounds.positions() {
            let material = slow[rng.usize(..5)];
            world.set_material(cell, material).unwrap();
            if material != id("air") {
                let edit = humidity::Edit::SetHumidity { cell, humidity: rng.f64() * 900.0 };
                world.apply(Edit::Soil(edit)).unwrap();
            }
        }
        let total = world.total();
        let ticks = (100..=25_000).step_by(100).find(|_| {
            world.run(100);
            world.is_at_rest()
        });
        assert!(ticks.is_some(), "seed {seed}");
        assert_eq!((world.total(), world.validate()), (total, Ok(())), "seed {seed}");
    }
}

/// A chunk of soils under a sea, over a floor that drains.
fn seabed() -> World {
    let palette = Palette::natural();
    let soil = Rules::default().soil.with_border(Face::Down, humidity::Border::Drain);
    let rules = Rules { soil, soil_period: 1, ..Rules::default() };
    let bounds = Cube::region_of(ChunkPos::ZERO);
    let [air, gravel, soil] = ["air", "gravel", "soil"].map(id);
    let top = |x: i32, z: i32| 5 + (x / 3 + z / 5) % 3;
    let ground = |depth| if depth < 3 { gravel } else { soil };
    let content = ChunkContent::from_heights(ChunkPos::ZERO, top, ground, air);
    let mut world = World::with_bounds(7, palette, rules, bounds).unwrap();
    world.insert_chunk(ChunkPos::ZERO, content).unwrap();
    for cell in bounds.positions() {
        if (8..12).contains(&cell.y) || cell.y < 8 && cell.y > top(cell.x, cell.z) {
            world.apply(Edit::Water(water::Edit::SetSea(cell))).unwrap();
        }
    }
    world
}

/// Soil that gains what it loses never slept: the sea gave it whole units, by chance, and what
/// flowed went up and down by some least flows.
#[test]
fn soil_below_a_sea_from_which_moisture_drains_sleeps_and_its_account_continues() {
    let mut world = seabed();
    let ticks = (100..=5_000).step_by(100).find(|_| {
        world.run(100);
        world.is_at_rest()
    });
    assert!(ticks.is_some(), "{} cells awake", world.awake_cells());
    assert_eq!(world.validate(), Ok(()));
    let (total, before) = (world.total(), world.ledger());
    let report = world.run(1_000);
    assert_eq!((report.visited, world.total()), (0, total));
    let after = world.ledger();
    let drained = after.soil.drained - before.soil.drained;
    assert!(drained > 0 && drained.is_multiple_of(1_000), "{drained}");
    assert_eq!(after.came_in() - before.came_in(), drained);
    assert_eq!((after.soaked, after.sprung), (before.soaked, before.sprung));
    // A world that never sleeps comes to the same.
    let mut awake = seabed();
    awake.run(world.ticks() - 5);
    for _ in 0..5 {
        awake.wake_all();
        awake.step();
    }
    assert_eq!(awake.state_hash(), world.state_hash());
}
