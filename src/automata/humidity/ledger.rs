//! The account of all humidity that entered or left a world, in whole units.

/// The humidity that entered and left a world with the conservative sweep since it was made, in
/// units of 1/65,536.
///
/// `total = placed + rained − removed − runoff − drained`, exactly, after every edit and step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// Added by edits, or contained in inserted chunks; in a [`World`](crate::world::World) of
    /// materials also the units by which the sea keeps soil full.
    pub placed: u128,
    /// Flowed out of rain, less what flowed into it; negative if more flowed in.
    pub rained: i128,
    /// Removed by edits, or contained in removed chunks.
    pub removed: u128,
    /// Removed by the cap.
    pub runoff: u128,
    /// Flowed over draining borders.
    pub drained: u128,
}

impl Ledger {
    /// Returns the units that must be in the world now.
    ///
    /// ```
    /// use floodplain::humidity::Ledger;
    /// let ledger = Ledger { placed: 10, rained: -4, drained: 5, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 1);
    /// ```
    pub const fn total(&self) -> u128 {
        // Sums of units never reach 128 bits, and the total of a world is never negative.
        let left = (self.removed + self.runoff + self.drained) as i128;
        let total = self.placed as i128 + self.rained - left;
        if total < 0 { 0 } else { total as u128 }
    }
}
