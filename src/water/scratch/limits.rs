//! The limits on the units that a cell passes on in a tick.

use crate::water::cell::CellFlags;
use crate::water::rules::Rules;
use crate::water::voxel::Voxel;

/// The limits of every cell in a tick, in units.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) throughput: u8,
    pub(crate) supply: u8,
}

impl Limits {
    /// Returns the limits under these rules.
    pub(crate) fn of(rules: &Rules) -> Self {
        Limits { throughput: rules.throughput, supply: rules.source_supply }
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
