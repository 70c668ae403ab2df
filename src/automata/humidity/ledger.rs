//! The account of all humidity that entered or left a world, in whole units.

/// What entered and left a world with the conservative sweep since it was made, in units of
/// 1/65,536.
///
/// `total = placed + rained − removed − runoff − drained`, exactly, after every edit and step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// Put in by edits, or standing in a chunk that was inserted.
    pub placed: u128,
    /// Given by rain, less what flowed into it: below zero if rain took in more than it gave.
    pub rained: i128,
    /// Taken out by edits, or in a chunk that was removed.
    pub removed: u128,
    /// What the cap rejected.
    pub runoff: u128,
    /// Gone over a draining border.
    pub drained: u128,
}

impl Ledger {
    /// The units that must be in the world now.
    ///
    /// ```
    /// use floodplain::humidity::Ledger;
    /// let ledger = Ledger { placed: 10, rained: -4, drained: 5, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 1);
    /// ```
    pub const fn total(&self) -> u128 {
        // Whole numbers of 128 bits cannot be filled by a unit at a time, and a world never holds
        // less than nothing.
        let left = (self.removed + self.runoff + self.drained) as i128;
        let total = self.placed as i128 + self.rained - left;
        if total < 0 { 0 } else { total as u128 }
    }
}
