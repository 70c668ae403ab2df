//! Humidity that falls: it gathers at the foot of the ground, none is made or lost, no cell is
//! filled above the cap by it, and it comes to rest. Random tests print what replays them.

use super::random::{counted, world};
use floodplain::glam::IVec3;
use floodplain::humidity::{Border, Cell, HumidityWorld, Rules, Sweep, UNITS};
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Sheet};
use proptest::prelude::*;

/// Cells of a column, which lies in two chunks of cubes.
const HEIGHT: i32 = 24;

/// A column of soil in rock, under these rules, with this much humidity in each cell, the lowest
/// first.
fn column<S: FieldShape>(rules: Rules, humidity: impl Fn(i32) -> f64) -> HumidityWorld<S> {
    let mut column = HumidityWorld::<S>::with_bounds(rules, column_region()).unwrap();
    let chunks = Region::new(IVec3::ZERO, S::chunk_of(column_region().max()).into());
    for chunk in chunks.positions() {
        column.insert_chunk(chunk.into(), Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
    }
    for at in column_region().positions() {
        column.set_humidity(at, humidity(at.y)).unwrap();
    }
    column
}

fn column_region() -> Region {
    Region::new(IVec3::ZERO, IVec3::Y * (HEIGHT - 1))
}

/// From the lowest on.
fn heights<S: FieldShape>(world: &HumidityWorld<S>) -> Vec<f64> {
    column_region().positions().map(|at| world.humidity(at)).collect()
}

/// Steps until nothing changes.
fn come_to_rest<S: FieldShape>(world: &mut HumidityWorld<S>) {
    for _ in 0..4000 {
        if world.is_at_rest() {
            return;
        }
        world.run(100);
    }
    panic!("not at rest after {} steps", world.ticks());
}

fn rules(fall: f32) -> Rules {
    Rules { fall, cap: 100.0, ..Rules::default() }
}

fn soil_wets_from_its_foot_in<S: FieldShape>() {
    // Twice the coefficient: each cell holds three times what the one above it does.
    let fall = 1.0 / 16.0;
    let mut falling = column::<S>(rules(fall), |y| if y >= 20 { 10.0 } else { 0.0 });
    come_to_rest(&mut falling);
    let at_rest = heights(&falling);
    assert!(at_rest.is_sorted_by(|lower, upper| lower >= upper), "{at_rest:?}");
    assert!((at_rest[0] / at_rest[1] - 3.0).abs() < 0.01, "{at_rest:?}");
    assert!(at_rest[..4].iter().sum::<f64>() > 39.0, "of 40: {at_rest:?}");
    assert_eq!(falling.total(), 40.0);

    // With more than the lowest cells can hold they fill, one above another.
    let mut filling = column::<S>(rules(fall), |_| 50.0);
    come_to_rest(&mut filling);
    let filled = heights(&filling);
    assert!(filled.is_sorted_by(|lower, upper| lower >= upper), "{filled:?}");
    assert!(filled[..6].iter().all(|&humidity| humidity > 99.9 && humidity <= 100.0), "{filled:?}");
    assert!(filled[18..].iter().all(|&humidity| humidity < 0.1), "{filled:?}");
    assert_eq!(filling.total(), 50.0 * f64::from(HEIGHT));
    assert_eq!(filling.ledger().unwrap().runoff, 0);

    // Without it, all is level.
    let mut level = column::<S>(rules(0.0), |y| if y >= 20 { 10.0 } else { 0.0 });
    come_to_rest(&mut level);
    assert!(heights(&level).iter().all(|humidity| (humidity - 40.0 / 24.0).abs() < 0.01));
}

#[test]
fn soil_wets_from_its_foot() {
    soil_wets_from_its_foot_in::<Sheet>();
    soil_wets_from_its_foot_in::<Cube>();
}

/// The front of what falls is down before as much would have spread there.
#[test]
fn humidity_moves_down_faster_than_up() {
    let in_the_middle = |y| if y == 12 { 90.0 } else { 0.0 };
    let mut falling = column::<Cube>(rules(1.0 / 16.0), in_the_middle);
    let mut spreading = column::<Cube>(rules(0.0), in_the_middle);
    falling.run(60);
    spreading.run(60);
    let (falling, spreading) = (heights(&falling), heights(&spreading));
    let below = |heights: &[f64]| heights[..12].iter().sum::<f64>();
    let above = |heights: &[f64]| heights[13..].iter().sum::<f64>();
    assert!((below(&spreading) - above(&spreading)).abs() < 0.01, "{spreading:?}");
    assert!(below(&falling) > 1.5 * below(&spreading), "{falling:?}, {spreading:?}");
    assert!(above(&falling) < 0.5 * above(&spreading), "{falling:?}, {spreading:?}");
}

/// A draining floor takes what falls on it, and more than what would have spread.
#[test]
fn a_draining_floor_takes_what_falls() {
    let [falling, spreading] = [1.0 / 16.0, 0.0].map(|fall| {
        let drained = rules(fall).with_border(Face::Down, Border::Drain);
        let mut world = column::<Cube>(drained, |_| 50.0);
        world.run(200);
        assert_eq!(world.validate(), Ok(()));
        world.ledger().unwrap().drained
    });
    assert!(falling > 2 * spreading, "{falling}, {spreading}");
}

#[test]
fn sweeps_of_the_mean_have_no_fall() {
    for sweep in [Sweep::InPlace, Sweep::Synchronous] {
        let rules = Rules { fall: 0.01, ..Rules::with_sweep(sweep) };
        let refused = HumidityWorld::<Sheet>::new(rules).err();
        let error = refused.unwrap().to_string();
        assert!(error.starts_with(&format!("fall is 0 in the sweep {sweep:?}")), "{error}");
    }
}

/// A small ground: what each cell holds of the cap, its impermeability, and whether it is rock.
type Ground = Vec<(f64, f32, bool)>;

fn ground() -> impl Strategy<Value = Ground> {
    let rock = prop::bool::weighted(0.2);
    prop::collection::vec((0.0..=1.0f64, 0.5..3.0f32, rock), 27)
}

fn assert_comes_to_rest<S: FieldShape>(size: IVec3, fall: f32, cap: f32, ground: &Ground) {
    // Across the borders of chunks.
    let region = Region::new(IVec3::splat(-1).with_z(0), size - IVec3::new(2, 2, 1));
    let rules = Rules { cap, fall, ..Rules::default() };
    let mut world = world::<S>(rules, region);
    for (at, &(share, impermeability, is_rock)) in region.positions().zip(ground) {
        let soil = Cell::soil(share * f64::from(cap), impermeability);
        world.set_cell(at, if is_rock { Cell::ROCK } else { soil }).unwrap();
    }
    let before = counted(&world);
    for _ in 0..4000 {
        if world.is_at_rest() {
            break;
        }
        world.run(100);
        let most = region.positions().map(|at| world.humidity(at)).fold(0.0, f64::max);
        assert!(most <= f64::from(cap), "{most} above the cap of {cap}");
    }
    assert!(world.is_at_rest(), "not at rest after {} steps", world.ticks());
    assert_eq!((counted(&world), world.ledger().unwrap().runoff), (before, 0));
    assert_eq!(world.validate(), Ok(()));
    // What would flow across each horizontal face is less than a unit, and half of one by rounding.
    for upper in region.positions() {
        let (Some(above), Some(below)) = (world.cell(upper), world.cell(upper - IVec3::Y)) else {
            continue;
        };
        if above.is_rock() || below.is_rock() {
            continue;
        }
        let part = f64::from(rules.coefficient) * 2.0
            / f64::from(above.impermeability + below.impermeability);
        let falling = above.humidity.min(f64::from(cap) - below.humidity);
        let times = (f64::from(fall) / f64::from(rules.coefficient) * 65_536.0).floor() / 65_536.0;
        let flow = part * (above.humidity - below.humidity + times * falling);
        assert!((flow * f64::from(UNITS)).abs() < 1.6, "{flow} at {upper}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4, max_shrink_iters: 4, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn falling_humidity_comes_to_rest_and_is_conserved(
        ground in ground(), share in 0.0..=1.0f32, cap in prop::sample::select(vec![1.0f32, 64.5, 1024.0])
    ) {
        assert_comes_to_rest::<Sheet>(IVec3::new(4, 6, 1), 0.125 * share, cap, &ground);
        assert_comes_to_rest::<Cube>(IVec3::splat(3), 0.0625 * share, cap, &ground);
    }
}
