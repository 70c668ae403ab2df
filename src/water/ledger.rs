//! The account of all water that entered or left a world.

/// The units of water that have entered and left a world since it was made.
///
/// After every edit and tick the world holds exactly `placed + injected + loaded + from_sea −
/// removed − drained − evaporated − unloaded − into_sea` units; see [`total`](Ledger::total). The
/// water of the [sea](crate::water::Voxel::SEA) itself is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// Units added by edits: poured, filled, or contained in an inserted chunk.
    pub placed: u64,
    /// Units supplied by sources and taps, including the units that filled each source when it was
    /// added.
    pub injected: u64,
    /// Units removed by edits: scooped, overwritten, displaced without room, or contained in a
    /// removed chunk.
    pub removed: u64,
    /// Units that left the world over draining edges and through drains.
    pub drained: u64,
    /// Units evaporated from inactive cells.
    pub evaporated: u64,
    /// Units contained in records of chunks that were inserted.
    pub loaded: u64,
    /// Units contained in chunks that were removed as records.
    pub unloaded: u64,
    /// Units given by the sea: to cells beside and below it, and to edits that scoop from it.
    pub from_sea: u64,
    /// Units taken by the sea: fallen on it, pressed into it, poured into it, or in a cell that it
    /// closed over.
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
        // The sums come first, so that no intermediate result is negative. In a world's own ledger,
        // the units that left never exceed the units that entered.
        let (entered, left) = self.sums();
        entered.saturating_sub(left)
    }

    /// Returns the number of units that have entered, and the number of units that have left.
    pub(crate) const fn sums(&self) -> (u64, u64) {
        let [placed, injected, loaded, from_sea, left @ ..] = self.entries();
        let [removed, drained, evaporated, unloaded, into_sea] = left;
        let left = removed + drained + evaporated + unloaded + into_sea;
        (placed + injected + loaded + from_sea, left)
    }

    /// Returns all entries: first the entries of units that entered, then the entries of units that
    /// left. Code that treats all entries alike uses this list, so that no new entry is left out.
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

    /// Adds the entries of another ledger. A sum too large for a `u64` becomes `u64::MAX`.
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
