//! What a game builds into single cells: drains and taps.

use crate::water::cell::FULL;

/// What is built into a cell; see [`WaterWorld::set_fixture`](crate::water::WaterWorld::set_fixture).
/// Rates are units a tick, 1 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fixture {
    /// Takes up to so many units a tick out of the water in its cell, before that flows on; they
    /// leave the world and count as drained. It takes no more than the throughput of the rules, and
    /// what it takes the cell does not pass on.
    Drain(u8),
    /// Adds up to so many units a tick to its cell, as far as that has room, before its water flows
    /// on; they count as injected. Its cell is no spring: water does not rise above it, and nothing
    /// draws from it. Full, it sleeps.
    Tap(u8),
}

impl Fixture {
    /// Returns the units a tick.
    pub const fn rate(self) -> u8 {
        match self {
            Fixture::Drain(rate) | Fixture::Tap(rate) => rate,
        }
    }

    /// Returns whether its values are in their ranges.
    pub(crate) const fn is_valid(self) -> bool {
        matches!(self.rate(), 1..=FULL)
    }

    /// Returns two bytes for storage: the kind, 0 drain and 1 tap, and the rate.
    pub(crate) const fn bytes(self) -> [u8; 2] {
        match self {
            Fixture::Drain(rate) => [0, rate],
            Fixture::Tap(rate) => [1, rate],
        }
    }

    /// Returns the fixture of [`bytes`](Fixture::bytes), whose values may be out of their ranges;
    /// `None` for another kind.
    pub(crate) const fn from_bytes([kind, rate]: [u8; 2]) -> Option<Fixture> {
        match kind {
            0 => Some(Fixture::Drain(rate)),
            1 => Some(Fixture::Tap(rate)),
            _ => None,
        }
    }
}
