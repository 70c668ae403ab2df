//! Read access to one layer during the draws: what the draws read of a layer is looked up once for
//! all its cells.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::scratch::Tick;
use crate::water::scratch::limits::Limits;
use crate::water::scratch::tick_flow::TickFlow;
use crate::water::voxel::Voxel;

/// One layer of a chunk: its cells, and what they have passed on in this tick.
pub(super) struct Layer<'t> {
    id: LayerId,
    limits: Limits,
    flow: TickFlow<'t>,
    /// The cells in runs, which have passed on all their throughput.
    in_runs: LayerMask,
    /// The cells if they are stored densely; otherwise all cells are `uniform`.
    cells: Option<&'t [Voxel; LAYER_CELLS]>,
    uniform: Voxel,
}

impl<'t> Layer<'t> {
    #[inline]
    pub(super) fn of(tick: &'t Tick, id: LayerId) -> Self {
        Layer {
            id,
            limits: tick.limits,
            flow: tick.flow_of(id),
            in_runs: tick.store.passed_in_runs(id),
            cells: tick.store.cells(id),
            uniform: tick.store.grid().chunk_at(id.slot).get(0),
        }
    }

    #[inline]
    pub(super) fn id(&self) -> LayerId {
        self.id
    }

    #[inline]
    pub(super) fn voxel(&self, cell: usize) -> Voxel {
        self.cells.map_or(self.uniform, |cells| cells[cell])
    }

    /// Returns the units that a cell may still pass on in this tick.
    #[inline]
    pub(super) fn left(&self, cell: usize) -> u8 {
        let passed = if self.in_runs.contains(cell) { FULL } else { self.flow.passed(cell) };
        self.limits.left(self.voxel(cell), passed)
    }
}
