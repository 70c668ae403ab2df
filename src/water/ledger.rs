//! The account of all water that entered or left a world.

/// Units of water that entered and left a world since it was made.
///
/// After every edit and tick the world holds exactly `placed + injected + loaded + from_sea −
/// removed − drained − evaporated − unloaded − into_sea` units; see [`total`](Ledger::total). The
/// water of the [sea](crate::water::Voxel::SEA) itself is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// Added by edits: poured, filled, or contained in an inserted chunk.
    pub placed: u64,
    /// Supplied by sources and taps, including what filled each source when it was added.
    pub injected: u64,
    /// Removed by edits: scooped, overwritten, displaced without room, or contained in a removed
    /// chunk.
    pub removed: u64,
    /// Left over draining edges and through drains.
    pub drained: u64,
    /// Evaporated from inactive cells.
    pub evaporated: u64,
    /// Contained in records of chunks that were inserted.
    pub loaded: u64,
    /// Contained in chunks that were removed as records.
    pub unloaded: u64,
    /// Given by the sea: to cells beside and below it, and as units scooped from it.
    pub from_sea: u64,
    /// Taken by the sea: fallen on it, pressed into it, poured into it, or in a cell that it closed
    /// over.
    pub into_sea: u64,
}

impl Ledger {
    /// Returns the units in the world.
    ///
    /// ```
    /// use floodplain::water::Ledger;
    /// let ledger = Ledger { placed: 10, injected: 4, drained: 5, ..Ledger::default() };
    /// assert_eq!(ledger.total(), 9);
    /// assert_eq!(Ledger { from_sea: 7, into_sea: 2, ..ledger }.total(), 14);
    /// ```
    pub const fn total(&self) -> u64 {
        // Sums first, so that no intermediate result is negative. In a world's own ledger, the
        // units that left never exceed the units that entered.
        let (entered, left) = self.sums();
        entered.saturating_sub(left)
    }

    /// Returns the units that entered, and those that left.
    pub(crate) const fn sums(&self) -> (u64, u64) {
        let [placed, injected, loaded, from_sea, left @ ..] = self.entries();
        let [removed, drained, evaporated, unloaded, into_sea] = left;
        let left = removed + drained + evaporated + unloaded + into_sea;
        (placed + injected + loaded + from_sea, left)
    }

    /// Returns all entries: those of units that entered, then those of units that left. What is
    /// done with each entry alike is done with these, so that no new entry is left out.
    pub(crate) const fn entries(&self) -> [u64; 9] {
        let Ledger { placed, injected, loaded, from_sea, .. } = *self;
        let Ledger { removed, drained, evaporated, unloaded, into_sea, .. } = *self;
        [placed, injected, loaded, from_sea, removed, drained, evaporated, unloaded, into_sea]
    }

    /// Returns the ledger with these [entries](Ledger::entries).
    pub(crate) const fn from_entries(entries: [u64; 9]) -> Ledger {
        let [placed, injected, loaded, from_sea, removed, drained, evaporated, unloaded, into_sea] =
            entries;
        Ledger {
            placed,
            injected,
            removed,
            drained,
            evaporated,
            loaded,
            unloaded,
            from_sea,
            into_sea,
        }
    }

    /// Adds the entries of another ledger. A sum that no `u64` holds is its maximum.
    pub(crate) fn add(&mut self, more: Ledger) {
        let (these, more) = (self.entries(), more.entries());
        let sum = |entry: usize| these[entry].saturating_add(more[entry]);
        *self = Ledger::from_entries(core::array::from_fn(sum));
    }

    /// Returns the units that have entered and left since the ledger was `start`.
    pub(crate) fn since(&self, start: &Ledger) -> Ledger {
        let (now, then) = (self.entries(), start.entries());
        Ledger::from_entries(core::array::from_fn(|entry| now[entry] - then[entry]))
    }
}
