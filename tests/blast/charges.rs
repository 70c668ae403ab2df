//! Charges: the ring that the wave rule makes of one, measured along circles.

use floodplain::blast::{BlastWorld, Rules};
use floodplain::glam::IVec3;
use floodplain::{Cube, Face, FieldShape, Sheet};

const PRESSURE: f32 = 300.0;

/// A world of waves in which a charge has gone off at the origin, or a single loaded cell if there
/// is no radius.
fn gone_off<S: FieldShape>(radius: Option<f32>, steps: u64) -> BlastWorld<S> {
    let mut world = BlastWorld::new(Rules::wave(0.25, 0.98)).unwrap();
    match radius {
        Some(radius) => _ = world.add_charge(IVec3::ZERO, radius, PRESSURE).unwrap(),
        None => _ = world.set_pressure(IVec3::ZERO, PRESSURE).unwrap(),
    }
    world.run(steps);
    world
}

/// The pressures at 360 points of a circle around the origin, in the plane z = 0, each between
/// those of the four cells around it.
fn circle<S: FieldShape>(world: &BlastWorld<S>, away: i32) -> Vec<f64> {
    let at = |degree: i32| {
        let (y, x) = f64::from(degree).to_radians().sin_cos();
        let [x, y] = [x, y].map(|along| along * f64::from(away));
        let corner = |x: f64, y: f64| {
            f64::from(world.pressure(IVec3::new(x.floor() as i32, y.floor() as i32, 0)))
        };
        let row = |y: f64| {
            corner(x, y) * (1.0 - x.rem_euclid(1.0)) + corner(x + 1.0, y) * x.rem_euclid(1.0)
        };
        row(y) * (1.0 - y.rem_euclid(1.0)) + row(y + 1.0) * y.rem_euclid(1.0)
    };
    (0..360).map(at).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Where the front stands, and by what share of its mean the pressure varies there (one standard
/// deviation).
fn front<S: FieldShape>(world: &BlastWorld<S>) -> (i32, f64) {
    let means = (4..60).map(|away| (away, mean(&circle(world, away))));
    let (away, mean_there) = means.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let squares: Vec<f64> =
        circle(world, away).iter().map(|pressure| (pressure - mean_there).powi(2)).collect();
    (away, mean(&squares).sqrt() / mean_there)
}

/// The size of the chequered pattern, against that of all pressures: half the difference between a
/// cell and the mean of its neighbours, root mean square in the plane z = 0.
fn chequered<S: FieldShape>(world: &BlastWorld<S>) -> f64 {
    let (mut rough, mut all) = (0.0, 0.0);
    for (y, x) in (-60..60).flat_map(|y| (-60..60).map(move |x| (y, x))) {
        let cell = IVec3::new(x, y, 0);
        let here = f64::from(world.pressure(cell));
        let beside = [Face::West, Face::East, Face::Down, Face::Up]
            .map(|face| f64::from(world.pressure(cell + face.offset())));
        rough += ((here - mean(&beside)) / 2.0).powi(2);
        all += here * here;
    }
    (rough / all).sqrt()
}

/// `most` is by how much the front of a charge of radius 4 may vary.
fn a_charge_makes_a_ring_in<S: FieldShape>(most: f64) {
    for (radius, steps) in [(4.0, 20), (4.0, 40), (4.0, 80), (6.0, 20), (6.0, 40), (6.0, 80)] {
        let most = if radius > 4.0 { 0.1 } else { most };
        let world = gone_off::<S>(Some(radius), steps);
        let ((away, varies), rough) = (front(&world), chequered(&world));
        // Waves pass half a cell in a step.
        assert!((away - steps as i32 / 2).abs() <= radius as i32, "{radius}, {steps}: {away}");
        assert!(varies < most, "{radius}, {steps}: {varies} at {away}");
        assert!(rough < 0.125, "{radius}, {steps}: {rough}");
    }
    let speckled = gone_off::<S>(None, 40);
    assert!(chequered(&speckled) > 0.3, "a single cell: {}", chequered(&speckled));
}

#[test]
fn a_charge_makes_a_ring_and_a_loaded_cell_speckles() {
    a_charge_makes_a_ring_in::<Sheet>(0.1);
    a_charge_makes_a_ring_in::<Cube>(0.2);
}
