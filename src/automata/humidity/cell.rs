//! What a cell is: humidity, impermeability, rain; and how each is kept in one word of 32 bits.

/// Units to one of humidity in the conservative sweep: 1/65,536 is the least that moves.
pub const UNITS: u32 = 1 << 16;

/// The most humidity that a cell can hold, in every sweep. Above the cap only what is held by rain
/// and rock stays.
pub const MOST_HUMIDITY: f64 = 32_767.0;

/// The impermeability of rock.
pub const ROCK: f32 = f32::MAX;

/// Soil of this impermeability and more is rock, as in the original.
pub(super) const ROCK_FROM: f32 = f32::MAX / 5.0 * 4.0;

/// The least and the most impermeability that soil can have at all. Between these no product or
/// quotient of the weighted mean leaves the range of `f32`, so that no humidity becomes infinite or
/// not a number.
pub(super) const SOIL: core::ops::RangeInclusive<f32> = 1e-30..=1e30;

/// One cell of a [`HumidityWorld`](super::HumidityWorld), as edits take it and queries return it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// 0 to [`MOST_HUMIDITY`]. The world keeps it as `f32`, or in whole [`UNITS`] in the
    /// conservative sweep: what goes in is rounded to the nearest, and what is kept comes out
    /// exactly.
    pub humidity: f64,
    /// From the rules' least impermeability to 10³⁰ in soil; from ⅘ of `f32::MAX` on it is
    /// [`ROCK`].
    pub impermeability: f32,
    /// A source: the cell keeps its humidity whatever it gives.
    pub rain: bool,
}

impl Cell {
    /// Dry rock: what lies where no chunk is, and beyond a walled border.
    pub const ROCK: Cell = Cell { humidity: 0.0, impermeability: ROCK, rain: false };

    /// Soil without rain.
    pub const fn soil(humidity: f64, impermeability: f32) -> Cell {
        Cell { humidity, impermeability, rain: false }
    }

    /// A source that is held at this humidity.
    pub const fn rain(humidity: f64, impermeability: f32) -> Cell {
        Cell { humidity, impermeability, rain: true }
    }

    /// Whether nothing passes through the cell.
    ///
    /// ```
    /// use floodplain::humidity::Cell;
    /// assert!(Cell::ROCK.is_rock() && !Cell::soil(0.0, 4.5).is_rock());
    /// ```
    pub fn is_rock(&self) -> bool {
        self.impermeability >= ROCK_FROM
    }
}

/// The ground of a cell in one word: the bits of its impermeability, which is above zero, and rain
/// in the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground(pub(super) u32);

impl Ground {
    const RAIN: u32 = 1 << 31;

    /// What lies beyond a wall, and where no chunk is.
    pub(super) const WALL: Ground = Ground(ROCK.to_bits());
    /// What lies beyond a draining border. No cell that an edit writes can have it.
    pub(super) const DRAIN: Ground = Ground(f32::INFINITY.to_bits());

    /// The ground of a cell; rock, however impermeable it was said to be, is [`ROCK`], so that
    /// equal worlds have equal words.
    pub(super) fn of(cell: Cell) -> Ground {
        let impermeability = if cell.is_rock() { ROCK } else { cell.impermeability };
        Ground(impermeability.to_bits() | if cell.rain { Ground::RAIN } else { 0 })
    }

    #[inline(always)]
    pub(super) fn impermeability(self) -> f32 {
        f32::from_bits(self.0 & !Ground::RAIN)
    }

    #[inline(always)]
    pub(super) fn is_rain(self) -> bool {
        self.0 & Ground::RAIN != 0
    }

    /// Rock, or beyond a border.
    #[inline(always)]
    pub(super) fn is_rock(self) -> bool {
        self.impermeability() >= ROCK_FROM
    }

    /// The cell with this ground and humidity.
    pub(super) fn cell(self, humidity: f64) -> Cell {
        Cell { humidity, impermeability: self.impermeability().min(ROCK), rain: self.is_rain() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_keeps_rain_and_impermeability_apart() {
        for impermeability in [1e-30, 0.5, 1e30, ROCK] {
            for rain in [false, true] {
                let cell = Cell { humidity: 3.0, impermeability, rain };
                assert_eq!(Ground::of(cell).cell(3.0), cell);
                assert_eq!(Ground::of(cell).is_rock(), cell.is_rock());
            }
        }
        assert_eq!(Ground::DRAIN.cell(0.0), Cell::ROCK);
    }
}
