//! What is done to a graph of pressure: the operations, and which of them bytes say.

use super::probes::Crew;
use crate::model;
use floodplain::blast::GraphEdit;
use floodplain::testing::{Bytes, Draw};

/// What changes a graph.
#[derive(Clone, Debug)]
pub enum Edit {
    Of(GraphEdit),
    TakeEvents,
}

/// Runs are felt at a node and later perhaps at the next. Nodes are numbered in the order in which
/// they were added, including removed ones, modulo their number.
pub type Op = model::Op<Edit, (usize, Crew)>;

/// The operation that these bytes say; any do.
pub fn op(bytes: &mut Bytes) -> Op {
    match bytes.byte() % 32 {
        0..=4 => Op::Step(1 + bytes.byte() % 8),
        5 => {
            let byte = bytes.byte();
            Op::Run(byte % 64, (usize::from(bytes.byte()), Crew::of(byte)))
        }
        6 => Op::TakeChanges,
        7 => Op::SaveAndLoad,
        8 => Op::Edit(Edit::TakeEvents),
        _ => Op::Edit(Edit::Of(GraphEdit::draw(bytes))),
    }
}
