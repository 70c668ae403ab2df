//! Faces, regions and shapes against arithmetic done the plain way: lists of positions, and
//! division that rounds down.

use floodplain::glam::IVec3;
use floodplain::{CHUNK_CELLS, Cube, Face, Region, Shape, Sheet};
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn faces_are_six_unit_steps_in_opposite_pairs() {
    let offsets = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
    for (index, offset) in offsets.into_iter().enumerate() {
        let face = Face::from_index(index as u8).expect("one of six");
        assert_eq!((face, face.index()), (Face::ALL[index], index));
        assert_eq!(face.offset().to_array(), offset);
        assert_eq!(face.opposite().index(), index ^ 1);
        assert_eq!(Face::LATERAL.contains(&face), offset[1] == 0);
    }
    assert!((6..=u8::MAX).all(|index| Face::from_index(index).is_none()));
}

/// Near zero, and at the ends of the range.
fn coordinate() -> impl Strategy<Value = i32> {
    prop_oneof![3 => -70..70, 1 => select(vec![i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX]), 1 => any::<i32>()]
}

fn position() -> impl Strategy<Value = IVec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn near() -> impl Strategy<Value = IVec3> {
    (-3..3, -3..3, -3..3).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

/// The positions between two corners, y slowest, then z, then x.
fn listed(a: IVec3, b: IVec3) -> Vec<IVec3> {
    let mut list = Vec::new();
    for y in a.y.min(b.y)..=a.y.max(b.y) {
        for z in a.z.min(b.z)..=a.z.max(b.z) {
            list.extend((a.x.min(b.x)..=a.x.max(b.x)).map(|x| IVec3::new(x, y, z)));
        }
    }
    list
}

/// Chunk and index by division that rounds down, for the sides of a chunk and the order of its
/// axes, fastest first.
fn split(cell: IVec3, sides: [i64; 3], order: [usize; 3]) -> (IVec3, usize) {
    let (mut chunk, mut index, mut stride) = (IVec3::ZERO, 0, 1);
    for axis in order {
        chunk[axis] = i64::from(cell[axis]).div_euclid(sides[axis]) as i32;
        index += stride * i64::from(cell[axis]).rem_euclid(sides[axis]);
        stride *= sides[axis];
    }
    (chunk, index as usize)
}

fn check_shape<S: Shape>(cell: IVec3, sides: [i64; 3], order: [usize; 3]) {
    let (chunk, index) = split(cell, sides, order);
    assert_eq!((S::chunk_of(cell), S::index_of(cell)), (chunk.into(), index));
    assert_eq!(S::cell_at(chunk.into(), index), cell);
    let region = S::region_of(chunk.into());
    assert!(region.contains(cell) && region.volume() == CHUNK_CELLS as u128);
    assert_eq!(
        [split(region.min(), sides, order), split(region.max(), sides, order)],
        [(chunk, 0), (chunk, 4095)]
    );
    let has_cells = (0..3).all(|axis| {
        let first = i64::from(cell[axis]) * sides[axis];
        (i64::from(i32::MIN)..=i64::from(i32::MAX)).contains(&first)
    });
    assert_eq!(S::holds_chunk(cell.into()), has_cells, "as a chunk position: {cell}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_step_adds_the_offset_or_leaves_the_range(cell in position(), face in select(Face::ALL.to_vec())) {
        let sum = |axis: usize| i64::from(cell[axis]) + i64::from(face.offset()[axis]);
        let inside = (0..3).all(|axis| i32::try_from(sum(axis)).is_ok());
        let there = inside.then(|| IVec3::new(sum(0) as i32, sum(1) as i32, sum(2) as i32));
        prop_assert_eq!(face.step(cell), there);
    }

    #[test]
    fn a_region_is_the_list_of_its_positions(a in near(), b in near(), c in near(), d in near()) {
        let (one, other) = (Region::new(a, b), Region::new(c, d));
        let (list, others) = (listed(a, b), listed(c, d));
        prop_assert!(one.positions().eq(list.iter().copied()));
        prop_assert_eq!(one.volume(), list.len() as u128);
        prop_assert_eq!(one.size().iter().product::<u64>(), list.len() as u64);
        prop_assert_eq!((one.min(), one.max()), (list[0], list[list.len() - 1]));
        for cell in listed(IVec3::splat(-4), IVec3::splat(4)) {
            prop_assert_eq!(one.contains(cell), list.contains(&cell));
        }
        let shared: Vec<IVec3> = list.iter().copied().filter(|cell| others.contains(cell)).collect();
        let found = one.intersection(&other).map_or(Vec::new(), |shared| shared.positions().collect());
        prop_assert_eq!(found, shared);
        prop_assert!(Region::cell(a).positions().eq([a]));
        prop_assert_eq!(format!("{one:?}"), format!("{}..={}", list[0], list[list.len() - 1]));
    }

    #[test]
    fn sizes_are_right_over_the_whole_range(a in position(), b in position()) {
        let region = Region::new(a, b);
        for axis in 0..3 {
            prop_assert_eq!(u128::from(region.size()[axis]), u128::from(a[axis].abs_diff(b[axis])) + 1);
        }
        prop_assert_eq!(region.volume(), region.size().iter().map(|&size| u128::from(size)).product::<u128>());
        prop_assert!(region.contains(a) && region.contains(b));
    }

    #[test]
    fn shapes_divide_and_round_down(cell in position()) {
        check_shape::<Cube>(cell, [16, 16, 16], [0, 2, 1]);
        check_shape::<Sheet>(cell, [64, 64, 1], [0, 1, 2]);
    }
}
