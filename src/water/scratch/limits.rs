//! The limits on the units that a cell passes on in a tick.

use crate::water::cell::CellFlags;
use crate::water::rules::Rules;
use crate::water::voxel::Voxel;

/// The limits of every cell in a tick, in units.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) throughput: u8,
    pub(crate) supply: u8,
    /// Whether water at the ends of steady flow is held, since that flow passes last in this tick.
    pub(crate) holds_ends: bool,
}

impl Limits {
    /// Returns the limits under these rules, in a tick in which steady flow does not yield.
    pub(crate) fn of(rules: &Rules) -> Self {
        Limits { throughput: rules.throughput, supply: rules.source_supply, holds_ends: false }
    }

    /// Returns whether water may fall out of a cell into the one below. In a tick in which steady
    /// flow yields, a cell with FlowOut does not fall out of the world: then it would draw from
    /// its spring what steady flow is about to bring, and take the throughput of the whole path.
    #[inline]
    pub(crate) fn may_fall(&self, voxel: Voxel, below: Voxel) -> bool {
        !(self.holds_ends && below == Voxel::DRAIN && voxel.has(CellFlags::FLOW_OUT))
    }

    /// Returns the units that a cell may still pass on in this tick, after `passed`.
    #[inline]
    pub(crate) fn left(&self, voxel: Voxel, passed: u8) -> u8 {
        let limit = if voxel.has(CellFlags::IS_SOURCE) {
            self.supply.min(self.throughput)
        } else {
            self.throughput
        };
        limit.saturating_sub(passed)
    }
}
