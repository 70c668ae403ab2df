//! Fixtures that a game builds into single cells: drains, taps and valves. They act in
//! `flow/fixtures.rs` and `flow/valves.rs`.

use crate::coords::Face;
use crate::water::cell::FULL;

/// A fixture in a cell; see [`WaterWorld::set_fixture`](crate::water::WaterWorld::set_fixture).
/// Rates are units a tick, 1 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub enum Fixture {
    /// Takes up to this many units a tick out of the water in its cell, before that water flows.
    /// These units leave the world and count as drained. A drain takes no more than the throughput
    /// of the rules, and the cell does not pass on the units that the drain takes.
    Drain(u8),
    /// Adds up to this many units a tick to its cell, as far as the cell has room, before the water
    /// of the cell flows. These units count as injected. The cell is no spring: water does not rise
    /// above it, nothing draws from it, and neither the cell nor the cells that it feeds have
    /// [`HAS_SOURCE`](crate::water::WaterCell::has_source). The tap sleeps while its cell is full.
    Tap(u8),
    /// Passes water one way through a wall: its cell must be solid ground, or the valve does
    /// nothing. Water passes if it stands higher behind the valve than ahead. Both levels are in
    /// units above y = 0, up to the top of the full cells straight above. Up to `rate` units pass
    /// in a tick: half of the difference, or all water of the cell behind if the cell ahead has
    /// room and has room below it, so that the water would fall. The units come from the cell
    /// behind, within its throughput, and go into the lowest cell with room in the column ahead.
    ///
    /// Valves act before all other water in a tick except steady flow, by chunk in order of
    /// position, also in still water. On either side, a spring or the sea acts like any other
    /// water, the sea at its own level; the ledger counts the units that it gives or takes as those
    /// of a spring or of the sea. A body of water does not extend through a valve, and no cell
    /// draws through one, so pressure from elsewhere does not count, and no water passes upwards.
    /// No water passes where a side is not loaded, unless the sea continues there.
    Valve {
        /// The face across which water leaves; it enters across the opposite face.
        towards: Face,
        /// The most units a tick.
        rate: u8,
    },
}

impl Fixture {
    /// Returns the units a tick.
    pub const fn rate(self) -> u8 {
        match self {
            Fixture::Drain(rate) | Fixture::Tap(rate) | Fixture::Valve { rate, .. } => rate,
        }
    }

    /// Returns whether the rate of the fixture is in its range.
    pub(crate) const fn is_valid(self) -> bool {
        matches!(self.rate(), 1..=FULL)
    }

    /// Returns two bytes for storage: the kind and the rate. The kind is 0 for a drain, 1 for a
    /// tap, and 2 plus the index of its face for a valve.
    pub(crate) const fn bytes(self) -> [u8; 2] {
        match self {
            Fixture::Drain(rate) => [0, rate],
            Fixture::Tap(rate) => [1, rate],
            Fixture::Valve { towards, rate } => [2 + towards as u8, rate],
        }
    }

    /// Returns the fixture of [`bytes`](Fixture::bytes), whose rate may be out of its range; `None`
    /// for an unknown kind.
    pub(crate) const fn from_bytes([kind, rate]: [u8; 2]) -> Option<Fixture> {
        match kind {
            0 => Some(Fixture::Drain(rate)),
            1 => Some(Fixture::Tap(rate)),
            _ => match Face::from_index(kind - 2) {
                Some(towards) => Some(Fixture::Valve { towards, rate }),
                None => None,
            },
        }
    }
}
