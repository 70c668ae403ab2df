//! Rivers over borders.

use crate::scenes::{Axis, UNDIVIDED, run, world};
use floodplain::regions::RegionWorld;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel};
use floodplain::Face;
use glam::IVec3;

/// A channel of this width and length with a floor at y = 0, three springs at its head, and a drain
/// at its end; full of water at first, or dry.
fn river(side: i32, axis: Axis, [length, width]: [i32; 2], is_full: bool) -> RegionWorld {
    let end = if axis == Axis::X { Face::East } else { Face::South };
    let rules = Rules { edges: Edges::WALLS.with(end, Edge::Drain), ..Rules::lossless() };
    let size = axis.cell(length, 16, 16);
    let mut world = world(7, rules, side, size, |cell| {
        let [_, y, across] = axis.local(cell);
        let is_channel = y > 0 && (2..2 + width).contains(&across);
        match is_channel {
            true if is_full && y == 1 => Voxel::from_word(7).unwrap(),
            true => Voxel::OPEN,
            false => Voxel::SOLID,
        }
    });
    for across in 0..3 {
        world.apply(Edit::AddSource(axis.cell(1, 1, 2 + width / 2 - 1 + across))).unwrap();
    }
    world
}

/// Returns the units a tick that leave over the last ticks.
fn carried(world: &mut RegionWorld, settle: u64, ticks: u64, context: &str) -> f64 {
    run(world, settle, context);
    let before = world.ledger().drained;
    run(world, ticks, context);
    (world.ledger().drained - before) as f64 / ticks as f64
}

#[test]
fn a_river_over_a_border_carries_what_it_carries_without_one() {
    for (axis, is_full, width) in [
        (Axis::X, false, 9),
        (Axis::X, true, 9),
        (Axis::Z, false, 9),
        (Axis::X, true, 3),
        (Axis::Z, true, 3),
    ] {
        let size = [256, width];
        let context = format!("{axis:?}, full {is_full}, {width} wide");
        let whole = carried(&mut river(UNDIVIDED, axis, size, is_full), 1_500, 640, &context);
        for side in [128, 64, 48] {
            let context = format!("{context}, side {side}");
            let divided = carried(&mut river(side, axis, size, is_full), 1_500, 640, &context);
            println!("{context}: {divided} units a tick, {whole} undivided");
            assert!(divided >= 0.99 * whole, "{context}: {divided} of {whole}");
        }
    }
    let _ = IVec3::ZERO;
}
