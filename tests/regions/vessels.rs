//! Communicating vessels over borders: lakes and U-tubes.

use crate::scenes::{Axis, run, surfaces, world};
use floodplain::Region;
use floodplain::regions::RegionWorld;
use floodplain::water::{Edit, Rules, Voxel};

/// Returns the least and the greatest level of surfaces.
fn spread(world: &RegionWorld, cells: Region) -> [i32; 2] {
    let levels = surfaces(world, cells);
    [levels.iter().copied().min().unwrap(), levels.iter().copied().max().unwrap()]
}

#[test]
fn a_lake_over_a_border_comes_to_rest_within_a_unit() {
    for (axis, lakes) in
        [(Axis::X, &[(16, 5), (16, 11), (32, 20), (48, 30)][..]), (Axis::Z, &[(16, 11), (32, 20)])]
    {
        for &(side, fill) in lakes {
            let size = axis.cell(64, 16, 16);
            let mut world = world(3, Rules::lossless(), side, size, |cell| {
                if cell.y == 0 { Voxel::SOLID } else { Voxel::OPEN }
            });
            let corner = axis.cell(fill, 9, 15);
            for first in (0..=fill).step_by(16) {
                let last = (first + 15).min(fill);
                let region = Region::new(axis.cell(first, 1, 0), axis.cell(last, corner.y, 15));
                world.apply(Edit::FillWater { region, height: 7 }).unwrap();
            }
            let context = format!("{axis:?}, side {side}, filled to {fill}");
            run(&mut world, 3_000, &context);
            let [low, high] =
                spread(&world, Region::new(axis.cell(0, 1, 0), axis.cell(63, 15, 15)));
            println!("{context}: levels {low} to {high}");
            assert!(high - low <= 1, "{context}: levels {low} to {high}");
        }
    }
}

/// Two shafts, joined by a culvert at the bottom, with a border at an offset from it.
#[test]
fn a_u_tube_over_a_border_comes_to_rest_within_a_unit() {
    for axis in [Axis::X, Axis::Z] {
        for (side, height) in [(16, 12), (16, 40), (32, 30)] {
            let size = axis.cell(64, 48, 16);
            let is_shaft = |along: i32| (8..12).contains(&along) || (38..41).contains(&along);
            let mut world = world(3, Rules::lossless(), side, size, |cell| {
                let [along, y, across] = axis.local(cell);
                let is_culvert = (1..3).contains(&y) && (8..41).contains(&along);
                let is_open = (4..7).contains(&across) && y > 0 && (is_culvert || is_shaft(along));
                if is_open { Voxel::OPEN } else { Voxel::SOLID }
            });
            let region = Region::new(axis.cell(8, 1, 4), axis.cell(11, height, 6));
            world.apply(Edit::FillWater { region, height: 7 }).unwrap();
            let context = format!("{axis:?}, side {side}, filled to {height}");
            run(&mut world, 4_000, &context);
            let levels = |from: i32, to: i32| {
                spread(&world, Region::new(axis.cell(from, 1, 4), axis.cell(to, 47, 6)))
            };
            let [one, other] = [levels(8, 11), levels(38, 40)];
            println!("{context}: levels {one:?} and {other:?}");
            let (low, high) = (one[0].min(other[0]), one[1].max(other[1]));
            assert!(high - low <= 1, "{context}: levels {one:?} and {other:?}");
        }
    }
}
