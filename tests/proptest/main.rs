//! What fails shrinks to the least that fails.

use floodplain::glam::IVec3;
use floodplain::testing::strategies::{drawn, edits, runs};
use floodplain::testing::{Op, Run};
use floodplain::water::{Edit, WaterWorld};
use floodplain::{ChunkPos, Region};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Returns what is left of the first value that fails.
fn least<S: Strategy>(strategy: &S, fails: impl Fn(&S::Value) -> bool) -> S::Value {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: 100_000,
        ..Config::with_cases(2_000)
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, |value| match fails(&value) {
        true => Err(TestCaseError::fail("as asked")),
        false => Ok(()),
    });
    match result {
        Err(TestError::Fail(_, least)) => least,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bytes_become_fewer_and_less() {
    let list = drawn(|bytes| {
        let count = usize::from(bytes.byte() % 9);
        (0..count).map(|_| bytes.byte()).collect::<Vec<_>>()
    });
    assert_eq!(least(&list, |list| list.iter().any(|&byte| byte > 76)), [77]);
    assert_eq!(least(&list, |list| list.len() > 4), [0; 5]);
}

#[test]
fn an_edit_shrinks_to_the_least_water_at_the_least_corner() {
    let bounds = Region::new(IVec3::splat(-3), IVec3::splat(9));
    let edits = edits::<WaterWorld>(bounds);
    let is_wet = |edit: &Edit| matches!(edit, Edit::FillWater { height: 3.., .. });
    let corner = Region::cell(bounds.min());
    assert_eq!(least(&edits, is_wet), Edit::FillWater { region: corner, height: 3 });
    let is_list = |edit: &Edit| matches!(edit, Edit::RemoveChunks(_));
    assert_eq!(least(&edits, is_list), Edit::RemoveChunks(vec![ChunkPos::new(-1, -1, -1)]));
}

#[test]
fn a_run_shrinks_to_the_fewest_edits_and_ticks() {
    let runs = runs::<WaterWorld>(1..12);
    let poured = |run: &Run<WaterWorld>| {
        let units = |op: &Op<Edit>| match op {
            Op::Edit(Edit::Pour { units, .. }) => *units,
            _ => 0,
        };
        run.ops.iter().map(units).sum::<u32>()
    };
    let ticks = |run: &Run<WaterWorld>| {
        let of = |op: &Op<Edit>| if let Op::Step(ticks) = op { u32::from(*ticks) } else { 0 };
        run.ops.iter().map(of).sum::<u32>()
    };
    let run = least(&runs, |run| poured(run) >= 4 && ticks(run) >= 3);
    assert_eq!((poured(&run), ticks(&run)), (4, 3), "{run:?}");
    assert!(run.ops.len() <= 3 && run.start.seed == 0, "{run:?}");
}
