//! One chunk and one mask against plain arrays and sets, on random operations.

use proptest::collection::vec;
use proptest::prelude::*;
use support::storage::chunk::{ChunkOp, run};

fn op() -> impl Strategy<Value = ChunkOp> {
    // Indices wrap, so some lie beyond the end.
    let index = || 0usize..5000;
    prop_oneof![
        4 => (index(), 0u16..3).prop_map(|(index, value)| ChunkOp::Set(index, value)),
        1 => (0u16..3).prop_map(ChunkOp::Fill),
        2 => (index(), 0usize..5000, 0u16..3).prop_map(|(from, count, value)| ChunkOp::Cells(from, count, value)),
        2 => (index(), 0usize..5000, 0u16..3).prop_map(|(from, count, value)| ChunkOp::Loosen(from, count, value)),
        1 => Just(ChunkOp::Canonicalize),
        1 => Just(ChunkOp::FromCells),
        2 => index().prop_map(ChunkOp::MaskInsert),
        2 => index().prop_map(ChunkOp::MaskRemove),
        2 => (index(), any::<bool>()).prop_map(|(index, present)| ChunkOp::MaskSet(index, present)),
        1 => (0usize..64, prop_oneof![Just(0), Just(u64::MAX), any::<u64>()])
            .prop_map(|(word, bits)| ChunkOp::MaskWord(word, bits)),
        1 => vec(index(), 0..6).prop_map(ChunkOp::MaskUnion),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_chunk_and_a_mask_agree_with_an_array_and_a_set(ops in vec(op(), 1..40)) {
        run(&ops);
    }
}

#[test]
fn a_mask_can_be_full() {
    run(&(0..64).map(|word| ChunkOp::MaskWord(word, u64::MAX)).collect::<Vec<_>>());
    run(&(0..64).map(|word| ChunkOp::Cells(word * 64, 64, 1)).collect::<Vec<_>>());
}

/// The seam is where the cells differ that are written, where none do, or anywhere.
#[test]
fn a_write_to_a_loose_chunk_makes_it_canonical_wherever_it_falls() {
    for index in [0, 1, 63, 2047, 4094, 4095] {
        for odd in [0, 1, 64, 2048, 4095] {
            let loose =
                [ChunkOp::Loosen(0, 0, 0), ChunkOp::Loosen(0, 5000, 1), ChunkOp::Loosen(odd, 1, 2)];
            for write in [
                ChunkOp::Set(index, 1),
                ChunkOp::Set(odd, 1),
                ChunkOp::Fill(1),
                ChunkOp::Canonicalize,
            ] {
                run(&[&loose[..], &[write]].concat());
            }
        }
    }
}
