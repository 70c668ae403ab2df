//! Explosions in worlds of materials: what they do to ground and water, and these to them.

use floodplain::glam::IVec3;
use floodplain::world::{
    ChunkContent, Couplings, Edit, EditError, Material, MaterialId, Palette, Rules, UnderWater,
    World,
};
use floodplain::{Chunk, ChunkPos, Region, blast, humidity, water};
use proptest::prelude::*;
use support::world::apart::random_world;
use support::world::{id, rules, world};

const fn at(x: i32, y: i32, z: i32) -> IVec3 {
    IVec3::new(x, y, z)
}

/// Rules without what passes between water and soil: lakes stay on the soil of these worlds. Waves
/// go on for long.
fn full_rules() -> Rules {
    let blast = blast::Rules { threshold: 0.1, ..blast::Rules::wave(0.25, 0.98) };
    let clock = Rules { blast_steps: 20, ..rules() };
    Rules { blast, blast_fading: 0.0, couplings: Couplings::OFF, ..clock }
}

/// Fills cells with water, and lets it come to rest.
fn flood(world: &mut World, region: Region) {
    world.apply(Edit::Water(water::Edit::FillWater { region, height: 7 })).unwrap();
    world.run(40);
}

/// Checks every law, and that none of its water was made or lost.
fn check(world: &World, total: u128) {
    assert_eq!(world.validate(), Ok(()));
    assert_eq!(world.total(), total);
}

fn highest(world: &World) -> i32 {
    let is_wet = |cell: &IVec3| world.units(*cell) > 0;
    world.bounds().positions().filter(is_wet).map(|cell| cell.y).max().unwrap()
}

/// A lake 32 cells wide whose surface is the top of y = 5, below 20 cells of air.
fn lake(rules: Rules) -> World {
    let bounds = Region::new(at(0, 0, 0), at(31, 25, 31));
    let mut world = world(7, rules, bounds);
    flood(&mut world, Region::new(at(0, 1, 0), at(31, 5, 31)));
    assert!(world.is_at_rest());
    world
}

#[test]
fn a_charge_over_a_lake_makes_a_splash() {
    let mut world = lake(full_rules());
    let total = world.total();
    assert_eq!(highest(&world), 5);
    world.charge(at(16, 8, 16), 4.0, 900.0).unwrap();
    let (mut top, mut high) = (0, 0);
    for _ in 0..3 {
        world.step();
        check(&world, total);
        top = top.max(highest(&world));
        let above = Region::new(at(0, 7, 0), world.bounds().max()).positions();
        high = high.max(above.map(|cell| u32::from(world.units(cell))).sum::<u32>());
    }
    let thrown = world.ledger().thrown;
    assert!(top >= 8, "up to three cells above the surface and more, not y = {top}");
    assert!(high >= 40, "{high} units at least two cells above it at once");
    assert!((200..20_000).contains(&thrown), "{thrown} units thrown");
    world.run(3_000);
    check(&world, total);
    assert!(world.is_at_rest() && highest(&world) == 5, "and all falls back");
    let later = world.ledger().thrown;
    world.run(10);
    assert_eq!(world.ledger().thrown, later);
}

#[test]
fn a_stronger_charge_throws_more_and_a_switch_ends_it() {
    let thrown = |pressure, throw_flow| {
        let mut world = lake(Rules { throw_flow, ..full_rules() });
        world.charge(at(16, 8, 16), 4.0, pressure).unwrap();
        world.run(5);
        world.ledger().thrown
    };
    let figures = [100.0, 400.0, 1_600.0].map(|pressure| thrown(pressure, Some(4.0)));
    assert!(figures.is_sorted() && figures[2] > 2 * figures[0], "{figures:?}");
    assert_eq!(thrown(1_600.0, None), 0);
}

/// Each unit leaves a cell and comes to another.
#[test]
fn water_that_is_thrown_counts_as_changed() {
    let stepped = |throw_flow| {
        let mut world = lake(Rules { throw_flow, ..full_rules() });
        world.charge(at(16, 8, 16), 4.0, 900.0).unwrap();
        (world.step().changed, world.ledger().thrown)
    };
    let (with, thrown) = stepped(full_rules().throw_flow);
    assert!(thrown > 100, "{thrown}");
    assert_eq!(with - stepped(None).0, 2 * thrown);
}

/// The account of changes left out pressure that water damps.
#[test]
fn pressure_that_water_damps_counts_as_changed() {
    let rules = Rules { under_water: UnderWater::Damps(0.5), throw_flow: None, ..full_rules() };
    let mut world = lake(Rules { blast_steps: 0, ..rules });
    world.charge(at(16, 10, 16), 3.0, 500.0).unwrap();
    let region = Region::new(at(15, 10, 16), at(16, 10, 16));
    world.apply(Edit::Water(water::Edit::FillWater { region, height: 7 })).unwrap();
    let pressures = |world: &World| -> Vec<f32> {
        world.bounds().positions().map(|cell| world.pressure(cell)).collect()
    };
    let (before, report, now) = (pressures(&world), world.step(), pressures(&world));
    let of_pressure = now.iter().zip(&before).filter(|(now, then)| now != then).count() as u64;
    let without = {
        let mut world = lake(Rules { blast_steps: 0, under_water: UnderWater::Passes, ..rules });
        world.apply(Edit::Water(water::Edit::FillWater { region, height: 7 })).unwrap();
        world.step()
    };
    assert!(of_pressure > 0);
    assert_eq!(report.changed, without.changed + of_pressure);
}

#[test]
fn units_are_thrown_away_from_the_charge() {
    let mut world = lake(full_rules());
    // Above the west shore.
    world.charge(at(2, 8, 16), 4.0, 900.0).unwrap();
    let mut sum = [0; 2];
    for _ in 0..2 {
        world.step();
        let above = Region::new(at(0, 6, 0), world.bounds().max()).positions();
        for cell in above {
            sum[usize::from(cell.x > 2)] += u32::from(world.units(cell));
        }
    }
    assert!(sum[1] > 3 * sum[0], "{sum:?} west and east of it");
}

#[test]
fn pressure_stops_at_the_surface_of_a_lake_or_fades_or_passes() {
    let below = |under_water| {
        let mut world = lake(Rules { under_water, throw_flow: None, ..full_rules() });
        world.charge(at(16, 10, 16), 3.0, 500.0).unwrap();
        world.step();
        assert_eq!(world.validate(), Ok(()));
        [5, 4, 3, 2, 1].map(|y| {
            let layer = Region::new(at(0, y, 0), at(31, y, 31)).positions();
            layer.map(|cell| world.pressure(cell).abs()).fold(0.0, f32::max)
        })
    };
    let [damped, passing] = [UnderWater::Damps(0.7), UnderWater::Passes].map(below);
    assert_eq!(below(UnderWater::Stops), [0.0; 5]);
    assert_eq!(below(UnderWater::Damps(1.0)), passing);
    // The share that is left falls from layer to layer.
    let shares: Vec<f32> = damped.iter().zip(passing).map(|(damped, all)| damped / all).collect();
    assert!(passing.iter().all(|&all| all > 1.0) && damped[4] > 0.0, "{damped:?} of {passing:?}");
    assert!(shares.is_sorted_by(|one, next| one > next), "{shares:?}");
    assert!(shares[0] < 0.8 && shares[4] < 0.2, "{shares:?}");
}

#[test]
fn a_charge_is_laid_in_open_cells_only() {
    let mut world = lake(full_rules());
    let sums = [at(16, 0, 16), at(16, 3, 16), at(16, 5, 16), at(16, 12, 16)]
        .map(|centre| world.charge(centre, 3.0, 100.0).unwrap());
    assert_eq!(sums[..2], [0.0, 0.0], "deep in the lake, the ball is all water and ground");
    assert!(sums[2] > 0.0 && sums[2] < 0.5 * sums[3], "{sums:?}");
    assert_eq!(world.pressure(at(16, 5, 16)), 0.0);
    assert!(world.pressure(at(16, 6, 16)) > 20.0);
    let before = world.ledger().blast;
    flood(&mut world, Region::new(at(0, 6, 0), at(31, 7, 31)));
    assert!(world.ledger().blast.removed > before.removed, "pressure in cells that fill is gone");
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn a_refused_edit_of_pressure_changes_nothing() {
    let mut world = lake(full_rules());
    let refused = |world: &mut World, edit: Edit| {
        let before = (world.state_hash(), world.ledger(), world.blast().chunks().count());
        let error = world.apply(edit).unwrap_err();
        let after = (world.state_hash(), world.ledger(), world.blast().chunks().count());
        assert_eq!(before, after);
        error
    };
    let charge = |radius, pressure| Edit::Charge { centre: at(8, 6, 8), radius, pressure };
    for edit in [charge(1.0, 9.0), charge(f32::NAN, 9.0), charge(3.0, f32::INFINITY)] {
        assert!(matches!(refused(&mut world, edit), EditError::Blast(_)));
    }
    let Rules { most_pressure: most, most_radius, .. } = *world.rules();
    world.charge(at(8, 7, 8), 2.0, most).unwrap();
    let (centre, radius, pressure) = (at(8, 7, 7), most_radius, most);
    let error = refused(&mut world, Edit::Charge { centre, radius, pressure });
    assert!(matches!(error, EditError::Pressure { value, .. } if value > most), "{error}");
    let error = refused(&mut world, charge(3.0, 2.0 * most));
    let cell = at(8, 6, 8);
    assert_eq!(error, EditError::Pressure { cell, value: 2.0 * most, most });
    let value = most_radius + 1.0;
    let error = refused(&mut world, charge(value, 9.0));
    assert_eq!(error, EditError::Radius { centre: cell, value, most: most_radius });
    let region = Region::new(at(8, 8, 8), at(8, 9, 8));
    let fill = Edit::Blast(blast::Edit::FillPressure { region, pressure: -2.0 * most });
    assert!(matches!(refused(&mut world, fill), EditError::Pressure { .. }));
    let cell = at(3, 3, 3);
    let full = Edit::Blast(blast::Edit::AddPressure { cell, more: 1.0 });
    assert_eq!(refused(&mut world, full), EditError::Blast(blast::EditError::Solid(cell)));
}

/// A dam of glass across a valley, with a lake behind it.
fn dam(material: MaterialId) -> World {
    let bounds = Region::new(at(0, 0, 0), at(47, 11, 7));
    let mut world = world(3, full_rules(), bounds);
    let wall = Region::new(at(20, 1, 0), at(20, 9, 7));
    world.fill_material(wall, material).unwrap();
    flood(&mut world, Region::new(at(0, 1, 0), at(19, 7, 7)));
    assert_eq!(world.units(at(30, 1, 4)), 0);
    world
}

#[test]
fn a_dam_that_is_blown_lets_the_lake_out_and_one_of_rock_holds() {
    let mut blown = dam(id("glass"));
    let total = blown.total();
    blown.charge(at(23, 4, 4), 3.0, 100.0).unwrap();
    blown.run(100);
    let mut events = blown.take_events();
    assert!(events.is_sorted_by_key(|event| event.tick));
    // Soil of the floor breaks, too.
    events.retain(|event| event.from == id("glass"));
    assert!(events.len() > 20 && events.iter().all(|event| event.cell.x == 20));
    assert!(blown.units(at(40, 1, 4)) > 0 && blown.units(at(10, 7, 4)) == 0);
    check(&blown, total);
    let mut holds = dam(id("rock"));
    holds.charge(at(23, 4, 4), 3.0, 100.0).unwrap();
    holds.run(100);
    assert!(holds.take_events().iter().all(|event| event.from != id("rock")));
    assert_eq!(holds.units(at(30, 1, 4)), 0);
    assert_eq!(holds.units(at(10, 6, 4)), 7);
    assert_eq!(holds.validate(), Ok(()));
}

#[test]
fn no_pressure_enters_a_bunker_that_holds() {
    let bounds = Region::new(at(0, 0, 0), at(31, 15, 15));
    let inside = Region::new(at(20, 1, 5), at(24, 4, 9));
    let bunker = |material: &str| {
        let mut world = world(3, full_rules(), bounds);
        let shell = Region::new(at(19, 1, 4), at(25, 5, 10));
        world.fill_material(shell, id(material)).unwrap();
        world.fill_material(inside, id("air")).unwrap();
        world.charge(at(10, 5, 7), 4.0, 300.0).unwrap();
        let mut worst = 0.0_f32;
        for _ in 0..20 {
            world.step();
            worst = inside.positions().map(|cell| world.pressure(cell).abs()).fold(worst, f32::max);
        }
        assert_eq!(world.validate(), Ok(()));
        worst
    };
    assert_eq!(bunker("rock"), 0.0);
    assert!(bunker("glass") > 1.0);
}

/// Soil of two kinds that breaks: turf into air, brick into concrete and then rubble.
#[test]
fn broken_soil_leaves_its_moisture_as_water_and_what_is_left_is_counted() {
    let spilled = |spilling| {
        let bounds = Region::new(at(0, 0, 0), at(15, 15, 15));
        let palette = Palette::new([
            Material::open("air"),
            Material::solid("turf").permeable(0.5, 6).breaking(5.0, "air"),
            Material::solid("sod").permeable(0.5, 6).breaking(5.0, "soil"),
            Material::solid("soil").permeable(0.5, 6),
        ])
        .unwrap();
        let rules = Rules { spilling, soil_period: 1_000, throw_flow: None, ..full_rules() };
        let mut world = World::with_bounds(7, palette, rules, bounds).unwrap();
        let air = Chunk::uniform(MaterialId(0));
        let content = ChunkContent { materials: air, water: None, moisture: None };
        world.insert_chunk(ChunkPos::ZERO, content).unwrap();
        for (cell, material) in [(at(5, 3, 5), 1), (at(9, 3, 5), 2)] {
            world.set_material(cell, MaterialId(material)).unwrap();
            // Three units of water and a half.
            let edit = humidity::Edit::SetHumidity { cell, humidity: 3.5 * 64.0 };
            world.apply(Edit::Soil(edit)).unwrap();
        }
        let before = world.ledger();
        world.charge(at(7, 4, 8), 3.0, 300.0).unwrap();
        let changed = world.step().changed;
        let events = world.take_events();
        assert_eq!(events.iter().map(|event| event.into.0).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(world.moisture(at(9, 3, 5)), 224 * humidity::UNITS, "what stays soil keeps it");
        assert_eq!(world.validate(), Ok(()));
        let now = world.ledger();
        let lost = before.total() - now.total();
        assert_eq!(now.went_out() - before.went_out(), lost, "none came in");
        assert_eq!(world.water().total(), now.spilled);
        (now.spilled, lost / u128::from(now.scale / 2), changed)
    };
    let [(units, halves, changed), dry] = [true, false].map(spilled);
    assert_eq!((units, halves), (3, 1), "half a unit is lost");
    assert_eq!(dry, (0, 7, changed - 1), "the cell that it spills into counts as changed");
}

#[test]
fn steps_of_explosions_and_of_soil_are_done_chunk_by_chunk() {
    let side = Region::new(IVec3::ZERO, at(79, 31, 79));
    let mut world = world(7, Rules { soil_period: 1, ..full_rules() }, side);
    let (whole, slice) = (4_096 * world.chunks().count() as u64, 4_096);
    for cell in Region::new(at(0, 0, 0), at(79, 0, 79)).positions() {
        let edit = humidity::Edit::SetHumidity { cell, humidity: 400.0 * f64::from(cell.x % 2) };
        world.apply(Edit::Soil(edit)).unwrap();
    }
    world.charge(at(40, 20, 40), 12.0, 400.0).unwrap();
    world.run(4);
    let (mut calls, mut most) = (0, 0);
    loop {
        let progress = world.step_within(1);
        (calls, most) = (calls + 1, most.max(progress.visited));
        if progress.finished {
            break;
        }
    }
    assert!(world.blast().chunks().count() > 16 && calls > 16 * 20, "{calls} calls");
    // At its end, a step looks at a layer of each chunk.
    assert!(most <= slice.max(whole / 16), "{most} cells in one call");
    let changed = world.take_changes();
    assert!(changed.len() > 16, "{} chunks", changed.len());
}

/// What a charge at random places over random water comes to, in slices and whole, with chunks that
/// come and go.
fn random_blasts(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let rules = Rules {
        under_water: [UnderWater::Stops, UnderWater::Passes, UnderWater::Damps(0.7)]
            [rng.usize(..3)],
        throw_flow: Some(0.5 + rng.f64() * 6.0),
        blast_steps: rng.u32(1..12),
        ..rules()
    };
    let (mut whole, mut sliced) =
        (random_world(&mut rng.clone(), rules), random_world(&mut rng, rules));
    let bounds = whole.bounds();
    let chunks = whole.chunks().map(|(chunk, _)| chunk).collect::<Vec<_>>();
    let mut out = Vec::new();
    for _ in 0..8 {
        let centre =
            bounds.min() + IVec3::from_array(bounds.size().map(|side| rng.i32(0..side as i32)));
        let (radius, pressure) = (2.0 + rng.f32() * 4.0, rng.f32() * 600.0);
        let moving = chunks[rng.usize(..chunks.len())];
        let [whole_out, sliced_out] = [&mut whole, &mut sliced].map(|world| {
            let laid = world.charge(centre, radius, pressure);
            assert!(laid.is_ok() || world.material(centre).is_none(), "seed {seed}: {laid:?}");
            world.insert_records(out.clone()).unwrap();
            (laid, world.remove_chunks([moving]).unwrap())
        });
        assert_eq!(whole_out, sliced_out, "seed {seed}");
        out = whole_out.1;
        for _ in 0..3 {
            whole.step();
            whole.wake_all();
            while !sliced.step_within(rng.u64(1..4_000)).finished {
                // What is done of a step is the same however the tick goes on.
                if rng.u8(..30) == 0 {
                    sliced.finish_tick();
                    break;
                }
            }
            assert_eq!(whole.state_hash(), sliced.state_hash(), "seed {seed}");
            assert_eq!(whole.ledger(), sliced.ledger(), "seed {seed}");
            assert_eq!(sliced.validate(), Ok(()), "seed {seed}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn random_charges_in_slices_woken_and_with_chunks_that_travel_give_the_same_bytes(seed: u64) {
        random_blasts(seed);
    }
}

/// Water falls on a body at rest, which does not yet fill the dry cell beside it.
#[test]
fn a_body_that_water_falls_on_may_sleep() {
    random_blasts(4458506156106944787);
}
