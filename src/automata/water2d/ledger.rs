//! The account of every unit of water that entered or left a world.

/// Units that entered and left a world since it was made, all by edits: `total = placed − removed`,
/// exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// The units poured, filled in, or contained in inserted chunks.
    pub placed: u64,
    /// The units scooped, displaced without room, filled over, or contained in removed chunks.
    pub removed: u64,
}

impl Ledger {
    /// Returns the units that must be in the world now.
    ///
    /// ```
    /// use floodplain::water2d::Ledger;
    /// assert_eq!(Ledger { placed: 10, removed: 4 }.total(), 6);
    /// ```
    pub const fn total(&self) -> u64 {
        // In a world's ledger, never more is removed than placed.
        self.placed.saturating_sub(self.removed)
    }
}
