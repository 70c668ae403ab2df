//! What passes between water and soil.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::humidity::{self, UNITS};
use floodplain::water;
use floodplain::world::{ChunkContent, Couplings, Edit, MaterialId, Outcome, Rules, World};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape};
use proptest::prelude::*;
use support::world::apart::{Apart, random_edit, random_world};
use support::world::{id, palette, rules, world};

/// An edit of any kind that the parts run apart can follow. `gone` are chunks that were taken out.
fn some_edit(rng: &mut Rng, bounds: Region, gone: &mut Vec<Edit>) -> Edit {
    let size = bounds.size().map(|side| side as i32);
    let mut cell = || bounds.min() + IVec3::from_array(size.map(|side| rng.i32(0..side)));
    let (cell, other) = (cell(), cell());
    let chunk = Cube::chunk_of(cell);
    match rng.u32(..16) {
        0..=4 => Edit::SetMaterial { cell, material: MaterialId(rng.u8(..palette().len() as u8)) },
        5 => Edit::RemoveChunk(chunk),
        6 | 7 if !gone.is_empty() => gone.swap_remove(rng.usize(..gone.len())),
        8 => Edit::Water(water::Edit::SetSea(cell)),
        9 => Edit::Water(water::Edit::Freeze(vec![chunk])),
        10 => Edit::Water(water::Edit::Thaw(vec![chunk])),
        11 => Edit::Water(water::Edit::FillBody { cell: other, units: 20 }),
        _ => random_edit(rng, bounds),
    }
}

fn equals_the_naive_one(seed: u64) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let couplings = Couplings {
        seepage: [0.0, 0.02, 0.3, 1.0][rng.usize(..4)],
        depth_gain: [0.0, 0.25, 16.0][rng.usize(..3)],
        springs: rng.u8(..4) > 0,
        ebb: rng.bool(),
    };
    let fall = [0.0, 1.0 / 32.0][rng.usize(..2)];
    let soil = humidity::Rules { fall, ..humidity::Rules::default() };
    let clock = Rules { soil_period: rng.u32(1..4), blast_steps: 0, ..rules() };
    let rules = Rules { couplings, soil, ..clock };
    let mut world = random_world(&mut rng, rules);
    let mut apart = Apart::of(&world);
    let mut gone = Vec::new();
    for _ in 0..12 {
        for _ in 0..rng.u32(..4) {
            let edit = some_edit(&mut rng, world.bounds(), &mut gone);
            let Ok(outcome) = world.apply(edit.clone()) else { continue };
            apart.apply(&edit);
            if let (Outcome::Removed(content), Edit::RemoveChunk(position)) = (outcome, edit) {
                gone.push(Edit::InsertChunk { position, content });
            }
        }
        for _ in 0..rng.u32(1..5) {
            world.step();
            apart.step();
        }
        apart.assert_equal(&mut world);
        assert_eq!(world.validate(), Ok(()));
    }
    let ledger = world.ledger();
    ledger.soaked.min(ledger.sprung)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 6, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn an_exchange_is_that_of_a_look_at_every_cell(seed: u64) {
        equals_the_naive_one(seed);
    }
}

#[test]
fn units_do_pass_both_ways_in_the_random_worlds() {
    assert!((0..3).map(equals_the_naive_one).sum::<u64>() > 25);
}

/// A basin of 8×8 cells and 12 high, walled by its bounds: ground up to y = 3, then water.
fn basin(seed: u64, rules: Rules, ground: &str, water: i32) -> World {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(7, 11, 7));
    let mut world = world(seed, rules, bounds);
    let ground = (Region::new(IVec3::ZERO, IVec3::new(7, 3, 7)), id(ground));
    world.fill_material(ground.0, ground.1).unwrap();
    let lake = Region::new(IVec3::new(0, 4, 0), IVec3::new(7, 3 + water, 7));
    if water > 0 {
        fill(&mut world, lake);
    }
    world
}

fn fill(world: &mut World, region: Region) {
    world.apply(Edit::Water(water::Edit::FillWater { region, height: 7 })).unwrap();
}

fn lasting() -> Rules {
    Rules { water: water::Rules::lossless(), ..Rules::default() }
}

#[test]
fn a_lake_sinks_into_sand_and_stays_on_clay_and_rock() {
    let [sand, clay, rock] = ["sand", "clay", "rock"].map(|ground| {
        let mut world = basin(3, lasting(), ground, 1);
        world.run(3_000);
        assert_eq!(world.validate(), Ok(()));
        assert_eq!(world.total(), u128::from(world.ledger().scale) * 448);
        world.water().total()
    });
    assert_eq!((sand, rock), (0, 448));
    assert!((300..448).contains(&clay), "{clay}");
}

#[test]
fn deeper_water_soaks_in_faster() {
    let soaked = |depth: i32| -> u64 {
        let each = (0..60).map(|seed| {
            let rules = Rules { soil_period: 1, ..lasting() };
            let mut world = basin(seed, rules, "sand", depth);
            world.step();
            world.ledger().soaked
        });
        each.sum()
    };
    // Of 60 · 64 cells, with the chance 1.5 / 16 · (1 + 0.25 · (depth − 1)).
    let (shallow, deep) = (soaked(1), soaked(7));
    assert!((300..420).contains(&shallow), "{shallow}");
    assert!((820..980).contains(&deep), "{deep}");
}

/// A lake and a cellar with a wall of this material between them, on rock.
fn cellar(wall: &str, couplings: Couplings) -> (u64, World) {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(15, 7, 3));
    let mut world = world(9, Rules { couplings, ..lasting() }, bounds);
    let block = |from: [i32; 3], to: [i32; 3]| Region::new(from.into(), to.into());
    world.fill_material(block([0, 0, 0], [15, 0, 3]), id("rock")).unwrap();
    world.fill_material(block([8, 1, 0], [9, 7, 3]), id(wall)).unwrap();
    fill(&mut world, block([0, 1, 0], [7, 6, 3]));
    world.run(6_000);
    assert_eq!(world.validate(), Ok(()));
    let cells = block([10, 1, 0], [15, 7, 3]);
    (cells.positions().map(|cell| u64::from(world.units(cell))).sum(), world)
}

#[test]
fn a_cellar_floods_through_its_wall() {
    let (units, world) = cellar("soil", Couplings::default());
    assert!(units > 100, "{units}");
    assert_eq!(units, world.ledger().sprung, "all of it seeped through");
    assert_eq!(cellar("concrete", Couplings::default()).0, 0);
    assert_eq!(cellar("soil", Couplings { springs: false, ..Couplings::default() }).0, 0);
    assert_eq!(cellar("soil", Couplings::OFF).0, 0);
}

#[test]
fn a_wet_slope_has_springs_at_its_foot() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(15, 15, 7));
    let mut world = world(5, lasting(), bounds);
    let [air, soil, rock] = ["air", "soil", "rock"].map(id);
    let hill = |cell: IVec3| match cell {
        cell if cell.y == 0 => rock,
        cell if cell.y <= 13 - cell.x => soil,
        _ => air,
    };
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    let mut content = ChunkContent::from_fn(ChunkPos::ZERO, hill);
    let mut moisture = Chunk::uniform(0);
    for index in 0..4096 {
        if content.materials.get(index) == soil {
            moisture.set(index, 6 * 64 * UNITS);
        }
    }
    content.moisture = Some(moisture);
    world.insert_chunk(ChunkPos::ZERO, content).unwrap();
    world.run(4_000);
    let ledger = world.ledger();
    assert!(ledger.sprung > 50 && ledger.soaked < ledger.sprung, "{ledger:?}");
    let wet = bounds.positions().filter(|&cell| world.units(cell) > 0);
    let wet: Vec<IVec3> = wet.collect();
    assert!(!wet.is_empty() && wet.iter().all(|cell| cell.y <= 2 && cell.x >= 10), "{wet:?}");
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn water_that_evaporates_goes_into_the_soil_below_and_then_into_the_air() {
    let couplings = Couplings { ebb: true, ..Couplings::OFF };
    let lossless = water::Rules::lossless();
    let water = water::Rules { evaporation: 0.02, film_evaporation: 0.02, ..lossless };
    let rules = Rules { water, couplings, ..Rules::default() };
    let run = |ground: &str, couplings| {
        let mut world = basin(4, Rules { couplings, ..rules }, ground, 2);
        world.run(2_000);
        assert_eq!((world.validate(), world.water().total()), (Ok(()), 0));
        world.ledger()
    };
    let sand = run("sand", couplings);
    assert_eq!((sand.water.evaporated, sand.soaked), (896, 0));
    // What soil has room for depends on how fast it sinks.
    assert!(sand.ebbed > 384, "{}", sand.ebbed);
    assert_eq!(sand.went_out(), u128::from(896 - sand.ebbed) * u128::from(sand.scale));
    // Four to a cell of the surface, less where it has moisture of its neighbours; it passes hardly
    // any on.
    let clay = run("clay", couplings);
    assert!((200..400).contains(&clay.ebbed), "{}", clay.ebbed);
    assert_eq!(run("rock", couplings).ebbed, 0);
    assert_eq!(run("sand", Couplings::OFF).ebbed, 0);
    assert_eq!(run("sand", Couplings::OFF).went_out(), sand.scale as u128 * 896);
}

/// The account of changes left out soil that took what evaporated: fewer were reported than
/// differed.
#[test]
fn soil_that_takes_what_evaporated_counts_as_changed() {
    let water = water::Rules { evaporation: 1.0, film_evaporation: 1.0, ..lasting().water };
    let couplings = Couplings { ebb: true, ..Couplings::OFF };
    let rules = Rules { water, couplings, soil_period: 1_000, ..Rules::default() };
    let mut world = basin(4, rules, "sand", 1);
    let moist = |world: &World| -> Vec<u32> {
        world.bounds().positions().map(|cell| world.moisture(cell)).collect()
    };
    let (before, report) = (moist(&world), world.step());
    let moistened = moist(&world).iter().zip(&before).filter(|(now, then)| now != then).count();
    assert_eq!(moistened, 64);
    // And each cell of water above.
    assert_eq!((world.ledger().ebbed, report.changed), (64, 128));
}

#[test]
fn springs_and_the_sea_give_without_end_and_their_ledger_says_so() {
    for edit in [water::Edit::SetSea as fn(IVec3) -> water::Edit, water::Edit::AddSource] {
        let mut world = basin(4, lasting(), "sand", 0);
        world
            .fill_material(Region::new(IVec3::new(0, 4, 0), IVec3::new(7, 11, 7)), id("rock"))
            .unwrap();
        let cell = IVec3::new(3, 4, 3);
        world.set_material(cell, id("air")).unwrap();
        world.apply(Edit::Water(edit(cell))).unwrap();
        let before = world.ledger();
        world.run(2_000);
        let ledger = world.ledger();
        let given = ledger.water.injected + ledger.water.from_sea
            - before.water.injected
            - before.water.from_sea;
        let (scale, came) = (u128::from(ledger.scale), ledger.came_in() - before.came_in());
        assert!(given == ledger.soaked && came > 20 * scale, "{ledger:?}");
        assert_eq!(ledger.went_out(), before.went_out());
        // The sea also keeps soil full that has its fill, to the unit of moisture.
        let kept = ledger.soil.placed - before.soil.placed - u128::from(ledger.soaked) * scale;
        assert_eq!(came, u128::from(given) * scale + kept);
        assert_eq!(kept > 0, world.water().is_sea(cell), "{ledger:?}");
        assert_eq!(world.units(cell), 7);
    }
}

/// Small closed worlds of air, rock and soils of all capacities, with water and moisture.
#[test]
fn a_closed_world_comes_to_rest_and_then_does_nothing() {
    let bounds = Region::new(IVec3::new(-3, -4, 0), IVec3::new(4, 4, 3));
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let fall = [0.0, 1.0 / 32.0, 0.0625][seed as usize % 3];
        let soil = humidity::Rules { fall, ..humidity::Rules::default() };
        let mut world = world(seed, Rules { soil, soil_period: 1, ..rules() }, bounds);
        for cell in bounds.positions() {
            let ground = ["air", "air", "rock", "soil", "sand", "gravel", "rubble"][rng.usize(..7)];
            world.set_material(cell, id(ground)).unwrap();
            let units = u32::from(rng.u8(..8));
            _ = world.apply(Edit::Water(water::Edit::Pour { cell, units }));
            let humidity = f64::from(rng.u32(..1024));
            let moist = humidity::Edit::SetHumidity { cell, humidity };
            _ = world.apply(Edit::Soil(moist));
        }
        let total = world.total();
        for _ in 0..200 {
            if world.is_at_rest() {
                break;
            }
            world.run(500);
        }
        assert!(world.is_at_rest(), "seed {seed}: {:?}", world.ledger());
        assert_eq!((world.validate(), world.total()), (Ok(()), total));
        let before = (world.ledger(), world.water().total());
        world.wake_all();
        for _ in 0..4 {
            world.step();
        }
        assert_eq!(world.step().visited, 0);
        assert_eq!((world.ledger(), world.water().total()), before);
    }
}

#[test]
fn any_number_of_threads_exchanges_the_same_units() {
    let hashes = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut rng = Rng::with_seed(6);
            let lossless = rules().water;
            let water = water::Rules { evaporation: 0.2, film_evaporation: 0.2, ..lossless };
            let mut world = random_world(&mut rng, Rules { water, ..rules() });
            let mut hashes = Vec::new();
            for _ in 0..10 {
                _ = world.apply(random_edit(&mut rng, world.bounds()));
                world.run(3);
                hashes.push(world.state_hash());
            }
            let ledger = world.ledger();
            assert!(ledger.soaked > 0 && ledger.ebbed > 0);
            hashes
        })
    });
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]));
}
