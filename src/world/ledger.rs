//! The account of all water, in cells and in soil, and of all pressure.

use crate::{blast, humidity, water};

/// The water, moisture and pressure that entered and left a world since it was made: the ledgers of
/// its parts, and the sum of water and moisture in units of moisture, 1/65,536 each.
///
/// `total = came_in − went_out`, exactly, after every edit and tick. Water that passes into soil or
/// back enters and leaves by the ledgers of the parts, but not by that of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// The ledger of water, in units of water.
    pub water: water::Ledger,
    /// The ledger of moisture, in units of moisture.
    pub soil: humidity::Ledger,
    /// The ledger of pressure.
    pub blast: blast::Ledger,
    /// The units of moisture in one unit of water.
    pub scale: u64,
    /// The units of water that soaked into soil. The ledger of water counts them as `removed`, the
    /// ledger of moisture as `placed`.
    pub soaked: u64,
    /// The units of water that soil gave back. The ledger of moisture counts them as `removed`, the
    /// ledger of water as `placed`.
    pub sprung: u64,
    /// The units of water that evaporated into soil. The ledger of water counts them as
    /// `evaporated`, the ledger of moisture as `placed`.
    pub ebbed: u64,
    /// The units of water that explosions [threw](super::Rules::throw_flow) from cell to cell.
    pub thrown: u64,
    /// The units of water that soil left behind when it broke. The ledger of moisture counts them
    /// as `removed`, the ledger of water as `placed`. The world neither gained nor lost them.
    pub spilled: u64,
}

impl Ledger {
    /// Returns the units of moisture that must be in the world now, in cells and in soil.
    ///
    /// ```
    /// use floodplain::world::Ledger;
    /// use floodplain::{humidity, water};
    ///
    /// let water = water::Ledger { placed: 3, ..water::Ledger::default() };
    /// let soil = humidity::Ledger { placed: 50, removed: 10, ..humidity::Ledger::default() };
    /// let ledger = Ledger { water, soil, scale: 1_000, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 3_040);
    /// assert_eq!((ledger.came_in(), ledger.went_out()), (3_050, 10));
    /// ```
    pub const fn total(&self) -> u128 {
        self.water.total() as u128 * self.scale as u128 + self.soil.total()
    }

    /// Returns the units of moisture that came into the world, in water and in soil.
    pub const fn came_in(&self) -> u128 {
        let (entered, _) = self.water.sums();
        let rained = if self.soil.rained > 0 { self.soil.rained as u128 } else { 0 };
        (entered as u128 * self.scale as u128 + self.soil.placed + rained)
            .saturating_sub(self.passed())
    }

    /// Returns the units of moisture that went out of the world, from water and from soil.
    pub const fn went_out(&self) -> u128 {
        let (_, left) = self.water.sums();
        let humidity::Ledger { rained, removed, runoff, drained, .. } = self.soil;
        let rained = if rained < 0 { rained.unsigned_abs() } else { 0 };
        (left as u128 * self.scale as u128 + removed + runoff + drained + rained)
            .saturating_sub(self.passed())
    }

    /// Returns the units of moisture that passed between the parts.
    const fn passed(&self) -> u128 {
        (self.soaked as u128 + self.sprung as u128 + self.ebbed as u128 + self.spilled as u128)
            * self.scale as u128
    }
}
