//! The account of every unit of water that entered or left a world.

/// Units that entered and left a world since it was made.
///
/// `total = placed + injected − removed − drained − evaporated`, exactly, after every edit and
/// tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// Put in by edits: poured, filled, or standing in a chunk that was inserted.
    pub placed: u64,
    /// Supplied by sources, the first filling of each included.
    pub injected: u64,
    /// Taken out by edits: scooped, built over without room to go, or in a chunk that was removed.
    pub removed: u64,
    /// Gone over a draining edge.
    pub drained: u64,
    /// Gone from inactive cells.
    pub evaporated: u64,
}

impl Ledger {
    /// The units that must be in the world now.
    ///
    /// ```
    /// use floodplain::water::Ledger;
    /// let ledger = Ledger { placed: 10, injected: 4, drained: 5, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 9);
    /// ```
    pub const fn total(&self) -> u64 {
        // Summed before subtracting, so that no difference can dip below zero on the way. A ledger
        // that a world keeps never says that more left than entered.
        (self.placed + self.injected).saturating_sub(self.removed + self.drained + self.evaporated)
    }
}
