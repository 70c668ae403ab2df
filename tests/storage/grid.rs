//! The store against a model, on random operations. Positions gather on chunk borders and at the
//! ends of the `i32` range, in both shapes.

use floodplain::glam::IVec3;
use floodplain::{CHUNK_CELLS, Cube, Face, Region, Sheet};
use proptest::prelude::*;
use proptest::sample::select;
use support::storage::grid::{BACKGROUND, Op, Stride, run};

/// On and beside borders of both shapes, and the ends of the range.
fn coordinate() -> impl Strategy<Value = i32> {
    let borders = vec![i32::MIN, i32::MIN + 16, -64, -16, 0, 0, 16, 64, i32::MAX - 15, i32::MAX];
    (select(borders), -2..=2).prop_map(|(border, beside)| border.saturating_add(beside))
}

fn position() -> impl Strategy<Value = IVec3> {
    let near = (-2..=2, -2..=2, -2..=2).prop_map(|(x, y, z)| IVec3::new(x, y, z));
    let any = (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| IVec3::new(x, y, z));
    prop_oneof![1 => near, 3 => any]
}

/// A few cells, a long row, or all of a chunk and some more.
fn region() -> impl Strategy<Value = Region> {
    let size = prop_oneof![
        4 => (0..4, 0..4, 0..4),
        1 => (0..70, 0..3, 0..3),
        1 => (15..18, 15..18, 15..18),
        1 => (62..66, 62..66, 0..2),
    ];
    (position(), size)
        .prop_map(|(min, (x, y, z))| Region::new(min, min.saturating_add(IVec3::new(x, y, z))))
}

fn op() -> impl Strategy<Value = Op> {
    let value = || BACKGROUND..BACKGROUND + 3;
    let stride = prop_oneof![
        2 => (-17..=17, -17..=17, -2..=2).prop_map(|(x, y, z)| Stride::Jump(IVec3::new(x, y, z))),
        1 => select(&Face::ALL[..]).prop_map(Stride::Step),
    ];
    prop_oneof![
        8 => (position(), value()).prop_map(|(position, value)| Op::Set(position, value)),
        3 => (region(), value()).prop_map(|(region, value)| Op::Fill(region, value)),
        1 => value().prop_map(Op::FillEverywhere),
        3 => (region(), 1..5u16).prop_map(|(region, period)| Op::CopyIn(region, period)),
        1 => (region(), 1..3usize).prop_map(|(region, extra)| Op::CopyInWrong(region, extra)),
        1 => (position(), value(), proptest::option::of(0..CHUNK_CELLS))
            .prop_map(|(position, value, odd)| Op::Insert(position, value, odd)),
        1 => (position(), value()).prop_map(|(position, value)| Op::InsertLoose(position, value)),
        1 => position().prop_map(Op::InsertAt),
        3 => position().prop_map(Op::Remove),
        4 => position().prop_map(Op::Wake),
        3 => position().prop_map(Op::Sleep),
        3 => position().prop_map(Op::MarkChanged),
        1 => Just(Op::TakeAwake),
        1 => Just(Op::TakeChanges),
        2 => (position(), prop::collection::vec(stride, 1..12))
            .prop_map(|(start, way)| Op::Walk(start, way)),
        1 => Just(Op::Clone),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(700) })]

    #[test]
    fn cubes_agree_with_the_model(ops in prop::collection::vec(op(), 1..48), region in region()) {
        run::<Cube>(&ops, region);
    }

    #[test]
    fn sheets_agree_with_the_model(ops in prop::collection::vec(op(), 1..48), region in region()) {
        run::<Sheet>(&ops, region);
    }
}
