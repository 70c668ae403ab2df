//! Rivers over borders.

use crate::scenes::{Axis, UNDIVIDED, carried, run, world};
use floodplain::Face;
use floodplain::regions::RegionWorld;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel};
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

#[test]
fn a_river_over_a_border_carries_what_it_carries_without_one() {
    let sides: [&[i32]; 3] = [&[48, 16], &[128, 64], &[64, 48, 16]];
    for (axis, is_full, size, sides) in [
        (Axis::X, false, [64, 9], sides[0]),
        (Axis::X, true, [256, 5], sides[1]),
        (Axis::Z, false, [80, 5], sides[2]),
        (Axis::X, true, [96, 3], sides[2]),
        (Axis::Z, true, [96, 3], sides[2]),
    ] {
        let context = format!("{axis:?}, full {is_full}, {size:?}");
        let whole = carried(&mut river(UNDIVIDED, axis, size, is_full), &context);
        assert!(whole > 20.0, "{context}: {whole}");
        for &side in sides {
            let context = format!("{context}, side {side}");
            let divided = carried(&mut river(side, axis, size, is_full), &context);
            println!("{context}: {divided} units a tick, {whole} undivided");
            assert!(divided >= 0.99 * whole, "{context}: {divided} of {whole}");
        }
    }
}

/// A ring of channels through four regions, each of which is fed by the one before: after its
/// spring has gone, they do not go on to feed each other.
#[test]
fn a_ring_over_borders_whose_spring_is_gone_is_fed_by_none() {
    let mut world = world(7, Rules::lossless(), 16, IVec3::new(32, 16, 32), |cell| {
        let is_ring = |axis: i32| (4..7).contains(&axis) || (25..28).contains(&axis);
        let is_within = (4..28).contains(&cell.x) && (4..28).contains(&cell.z);
        match cell.y == 1 && is_within && (is_ring(cell.x) || is_ring(cell.z)) {
            true => Voxel::OPEN,
            false => Voxel::SOLID,
        }
    });
    let spring = IVec3::new(5, 1, 5);
    let fed = |world: &RegionWorld| {
        let cells = (0..32).flat_map(|x| (0..32).map(move |z| IVec3::new(x, 1, z)));
        let cells = cells.filter_map(|cell| world.region_of(cell)?.cell(cell));
        cells.filter(|cell| cell.has_source()).count()
    };
    world.apply(Edit::AddSource(spring)).unwrap();
    run(&mut world, 1_500, "a ring");
    let before = fed(&world);
    assert!(before > 200, "{before} cells of the ring are fed");
    world.apply(Edit::RemoveSource(spring)).unwrap();
    run(&mut world, 1_500, "a ring without a spring");
    println!("{before} cells were fed, {} are", fed(&world));
    assert_eq!(fed(&world), 0);
}

/// Springs on both sides of a border, which feed each other's cells until one side's are taken
/// away: what was under way between them must not count as used up for good.
#[test]
fn springs_that_met_at_a_border_leave_the_way_free() {
    let whole = carried(&mut river(UNDIVIDED, Axis::X, [48, 3], false), "undivided");
    for removed in [15, 16] {
        let context = format!("springs at x = {removed} taken away");
        let mut world = river(16, Axis::X, [48, 3], false);
        let springs = |x: i32| (2..5).map(move |z| IVec3::new(x, 1, z));
        for cell in springs(15).chain(springs(16)) {
            world.apply(Edit::AddSource(cell)).unwrap();
        }
        run(&mut world, 3, &context);
        for cell in springs(removed) {
            world.apply(Edit::RemoveSource(cell)).unwrap();
        }
        run(&mut world, 12, &context);
        for cell in springs(31 - removed) {
            world.apply(Edit::RemoveSource(cell)).unwrap();
        }
        let divided = carried(&mut world, &context);
        println!("{context}: {divided} units a tick, {whole} undivided");
        assert!(divided >= 0.99 * whole, "{context}: {divided} of {whole}");
    }
}
