//! One cell: solid ground, or open with an integer level of water.

use core::fmt;

/// The level of a full cell that carries no pressure.
pub const FULL: u32 = 100;

/// The pressure: the units that each further cell of depth adds to the level.
pub const PRESSURE: u32 = 5;

/// The highest level of a cell: the pressure 200,000 cells deep.
///
/// Water that would raise a cell above this level stays where it was, so no level overflows.
pub const MAX_LEVEL: u32 = 1_000_000;

/// Solid ground, or an open cell with a level of water; 0 is air.
///
/// ```
/// use floodplain::water2d::{Cell, MAX_LEVEL};
/// assert_eq!(Cell::water(500).unwrap().level(), 500);
/// assert_eq!(Cell::AIR.level(), 0);
/// assert!(Cell::SOLID.is_solid() && Cell::water(MAX_LEVEL + 1).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct Cell(
    /// The level, or −1 for solid ground: the bitwise or of two cells is not negative if both are
    /// open.
    pub(super) i32,
);

impl Cell {
    /// Ground: contains no water and lets none through.
    pub const SOLID: Cell = Cell(-1);
    /// An open cell without water.
    pub const AIR: Cell = Cell(0);

    /// Returns an open cell with this level, in units, 0 to [`MAX_LEVEL`]; `None` if it is higher.
    pub const fn water(level: u32) -> Option<Cell> {
        if level > MAX_LEVEL { None } else { Some(Cell(level as i32)) }
    }

    /// The valid [`number`](Cell::number)s, in words.
    pub(crate) const NUMBERS: &str = "-1 for ground, or a level of at most 1,000,000";

    /// Returns the cell as a number: −1 for ground, or its level.
    pub(crate) const fn number(self) -> i32 {
        self.0
    }

    /// Returns the cell with a [`number`](Cell::number); `None` if no cell has it.
    pub(crate) const fn from_number(number: i32) -> Option<Cell> {
        if number >= -1 && number <= MAX_LEVEL as i32 { Some(Cell(number)) } else { None }
    }

    /// Returns the units of water in the cell, 0 to [`MAX_LEVEL`]; none in ground.
    pub const fn level(self) -> u32 {
        if self.0 < 0 { 0 } else { self.0 as u32 }
    }

    /// Returns whether the cell is ground.
    pub const fn is_solid(self) -> bool {
        self.0 < 0
    }

    /// Returns whether there is water in the cell.
    pub(super) const fn is_wet(self) -> bool {
        self.0 > 0
    }

    /// Returns whether the cell is full, so that it transmits pressure and carries water above it.
    pub(super) const fn is_full(self) -> bool {
        self.0 >= FULL as i32
    }

    /// Returns whether water can stand on the cell: it is ground, or full.
    pub(super) const fn carries(self) -> bool {
        self.is_solid() || self.is_full()
    }
}

impl Default for Cell {
    fn default() -> Self {
        Cell::AIR
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_solid() { f.write_str("Solid") } else { write!(f, "Water({})", self.0) }
    }
}
