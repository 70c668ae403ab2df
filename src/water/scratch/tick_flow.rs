//! What has flowed in a layer in a tick: by the record of the layer or, where the chunk takes no
//! part in the tick, by the table of the steady flow that rests there. Runs are left out.

use crate::chunk::LayerMask;
use crate::water::scratch::chunk_record::{LayerRecord, Mark};
use crate::water::store::flow::steady::SteadyLayer;

/// The flow of a layer in the tick underway, runs left out.
#[derive(Clone, Copy)]
pub(crate) enum TickFlow<'t> {
    Recorded(LayerRecord<'t>),
    Resting(&'t SteadyLayer),
    Still,
}

impl TickFlow<'_> {
    /// Returns the units that a cell has passed on.
    #[inline]
    pub(crate) fn passed(self, cell: usize) -> u8 {
        match self {
            TickFlow::Recorded(record) => record.passed(cell),
            TickFlow::Resting(flows) => flows.passed(cell),
            TickFlow::Still => 0,
        }
    }

    /// Returns the cells that have passed on at least this many units; none in a still layer.
    pub(crate) fn passed_at_least(self, units: u8) -> LayerMask {
        match self {
            TickFlow::Recorded(record) => record.passed_at_least(units),
            TickFlow::Resting(flows) => flows.passed_at_least(units),
            TickFlow::Still => LayerMask::NONE,
        }
    }

    /// Returns the cells in which water has flowed: it entered, left or passed them.
    #[inline]
    pub(crate) fn flowed(self) -> LayerMask {
        match self {
            TickFlow::Recorded(record) => record.flowed(),
            TickFlow::Resting(flows) => flows.cells(),
            TickFlow::Still => LayerMask::NONE,
        }
    }

    /// Returns the cells that steady flow has passed.
    #[inline]
    pub(crate) fn steady(self) -> LayerMask {
        match self {
            TickFlow::Recorded(record) => record.marked(Mark::Steady),
            TickFlow::Resting(flows) => flows.cells(),
            TickFlow::Still => LayerMask::NONE,
        }
    }
}
