//! Queued edits against the same edits made by hand between ticks.

use super::edits::{Op, Watched};
use super::values::{sent, value_of};
use floodplain::snapshot::Saved;
use floodplain::water::{Edit, EditReport, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Region};

/// One world does whole ticks, and gets its edits by hand between them. The other does the same
/// ticks in slices, and has its edits queued after the first slice. Returns the number of edits.
pub fn are_those_by_hand(seed: u64, rules: Rules, bounds: Region, ops: &[Op]) -> usize {
    let [mut by_hand, mut queued] = [(); 2].map(|()| Watched::new(seed, rules, bounds).world);
    let (mut edits, mut expected) = (Vec::new(), Vec::new());
    for op in ops {
        let (ticks, budget) = match op {
            Op::Edit(edit) => {
                edits.push(value_of(edit, |_| Chunk::uniform(Voxel::OPEN)));
                continue;
            }
            Op::WakeAll => {
                edits.push(Edit::WakeAll);
                continue;
            }
            Op::Step(ticks) => (*ticks, seed % 100),
            Op::Run(ticks, budget) => (*ticks, *budget),
            Op::TakeChanges | Op::SaveAndLoad => continue,
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
