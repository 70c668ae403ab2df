//! Queued edits against the same edits made by hand between ticks.

use super::Op;
use super::small::built;
use crate::edit_bytes;
use floodplain::Region;
use floodplain::snapshot::Saved;
use floodplain::water::{Edit, EditReport, Rules, WaterWorld};

/// An edit as it arrives from another process: by its bytes.
pub fn sent(edit: Edit) -> Edit {
    let received = edit_bytes::sent(&edit);
    assert!(received == edit, "another edit");
    received
}

/// One world does whole ticks, and gets its edits by hand between them. The other does the same
/// ticks in slices, and has its edits queued after the first slice. Returns the number of edits.
pub fn are_those_by_hand(seed: u64, rules: Rules, bounds: Region, ops: &[Op]) -> usize {
    let [mut by_hand, mut queued] = [(); 2].map(|()| built(seed, rules, bounds));
    let (mut edits, mut expected) = (Vec::new(), Vec::new());
    for op in ops {
        let (ticks, budget) = match op {
            Op::Edit(edit) => {
                edits.push(edit.clone());
                continue;
            }
            Op::Step(ticks) | Op::Run(ticks) => (*ticks, seed % 100),
            Op::Slices(budget) => (1, *budget),
            _ => continue,
        };
        for _ in 0..ticks {
            tick(&mut by_hand, &mut queued, budget, &mut edits, &mut expected);
        }
    }
    tick(&mut by_hand, &mut queued, 0, &mut edits, &mut expected);
    by_hand.step();
    queued.step();
    assert!(queued.save() == by_hand.save(), "other bytes");
    assert_eq!(queued.take_edit_reports(), expected, "other reports");
    expected.len()
}

/// One tick of both, and then the edits, which are queued if the tick is underway.
fn tick(
    by_hand: &mut WaterWorld,
    queued: &mut WaterWorld,
    budget: u64,
    edits: &mut Vec<Edit>,
    expected: &mut Vec<EditReport>,
) {
    by_hand.step();
    let mut finished = queued.step_within(budget).finished;
    for edit in edits.drain(..) {
        queued.queue(sent(edit.clone()));
        let (ticket, tick) = (expected.len() as u64, by_hand.ticks());
        expected.push(EditReport { ticket, tick, result: by_hand.apply(edit) });
    }
    while !finished {
        finished = queued.step_within(budget).finished;
    }
}
