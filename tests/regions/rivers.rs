//! Rivers over borders.

use crate::scenes::{Axis, UNDIVIDED, carried, world};
use floodplain::Face;
use floodplain::regions::RegionWorld;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel};

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

#[test]
fn a_river_over_a_border_carries_what_it_carries_without_one() {
    for (axis, is_full, size) in [
        (Axis::X, false, [80, 9]),
        (Axis::X, true, [256, 9]),
        (Axis::Z, false, [80, 5]),
        (Axis::X, true, [96, 3]),
        (Axis::Z, true, [96, 3]),
    ] {
        let context = format!("{axis:?}, full {is_full}, {size:?}");
        let whole = carried(&mut river(UNDIVIDED, axis, size, is_full), &context);
        assert!(whole > 20.0, "{context}: {whole}");
        for side in [128, 64, 48, 16].into_iter().filter(|&side| side < size[0]) {
            if size[0] / side > 6 {
                continue;
            }
            let context = format!("{context}, side {side}");
            let divided = carried(&mut river(side, axis, size, is_full), &context);
            println!("{context}: {divided} units a tick, {whole} undivided");
            assert!(divided >= 0.99 * whole, "{context}: {divided} of {whole}");
        }
    }
}
