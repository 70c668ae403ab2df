//! Whether what a tick moved fits through the cells: a max flow from what fell to what rose.

use super::cells::{Cells, Content};
use super::ends::Ends;
use super::max_flow::{Network, UNLIMITED};
use crate::Face;
use crate::water::{Edge, Rules};

/// Returns the units that a tick moved, and how many of them have ways at once on which no cell
/// passes on more than the throughput, and no spring more than its supply.
///
/// Units come from cells that fell, and from springs as many as were injected; they go to cells
/// that rose, and over draining edges as many as were drained.
pub(super) fn moved(rules: &Rules, ends: &Ends, then: &Cells, now: &Cells) -> (u64, u64) {
    let count = now.contents.len();
    let [source, springs, drains, sink] = [0, 1, 2, 3].map(|at| 2 * count + at);
    let mut network = Network::new(2 * count + 4);
    let injected = now.ledger.injected - then.ledger.injected;
    let drained = now.ledger.drained - then.ledger.drained;
    network.connect(source, springs, injected as u32);
    network.connect(drains, sink, drained as u32);
    let supply = rules.source_supply.min(rules.throughput);
    let mut moved = drained;
    for (slot, cell) in now.region.positions().enumerate() {
        let Content::Open { height, source: is_spring } = now.contents[slot] else { continue };
        let before = then.contents[slot].height();
        let (takes, passes_on) = (2 * slot, 2 * slot + 1);
        network.connect(source, takes, before.saturating_sub(height).into());
        network.connect(takes, sink, height.saturating_sub(before).into());
        moved += u64::from(height.saturating_sub(before));
        let most = if is_spring { supply } else { rules.throughput };
        network.connect(takes, passes_on, most.into());
        if is_spring {
            network.connect(springs, takes, supply.into());
        }
        for face in Face::ALL {
            match face.step(cell).map(|there| (now.slot(there), now.at(there))) {
                Some((Some(there), Ok(Content::Open { .. }))) => {
                    network.connect(passes_on, 2 * there, UNLIMITED);
                }
                Some((_, Ok(_))) => {}
                _ if ends.beyond(cell, face) == Edge::Drain => {
                    network.connect(passes_on, drains, UNLIMITED);
                }
                _ => {}
            }
        }
    }
    (moved, network.send(source, sink))
}
