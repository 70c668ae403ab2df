//! The account of every unit of water that entered or left a world.

/// Units that entered and left a world since it was made, all by edits: `total = placed − removed`,
/// exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// Poured, filled, or standing in a chunk that was inserted.
    pub placed: u64,
    /// Scooped, built over without room to go, filled over, or standing in a chunk that was
    /// removed.
    pub removed: u64,
}

impl Ledger {
    /// The units that must be in the world now.
    ///
    /// ```
    /// use floodplain::water2d::Ledger;
    /// assert_eq!(Ledger { placed: 10, removed: 4 }.total(), 6);
    /// ```
    pub const fn total(&self) -> u64 {
        // A ledger that a world keeps never says that more left than entered.
        self.placed.saturating_sub(self.removed)
    }
}
