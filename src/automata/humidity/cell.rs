//! Cells: humidity, impermeability and rain. The ground of a cell is stored in one word of 32 bits.

/// Units per 1 of humidity in the conservative sweep, which moves whole units: fixed-point numbers
/// with 16 fractional bits.
pub const UNITS: u32 = 1 << 16;

/// The most humidity that a cell can hold, in every sweep. Only rain and rock keep more than the
/// cap.
pub const MOST_HUMIDITY: f64 = 32_767.0;

/// The impermeability of rock.
pub const ROCK: f32 = f32::MAX;

/// From this impermeability on a cell is rock, as in the original program.
pub(super) const ROCK_FROM: f32 = f32::MAX / 5.0 * 4.0;

/// The range of soil's impermeability. Within it no product or quotient of the weighted mean leaves
/// the range of `f32`, so that no humidity becomes infinite or NaN.
pub(super) const SOIL: core::ops::RangeInclusive<f32> = 1e-30..=1e30;

/// One cell of a [`HumidityWorld`](super::HumidityWorld), for edits and queries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Cell {
    /// The humidity, from 0 to [`MOST_HUMIDITY`]. It is rounded to the nearest stored value: an
    /// `f32`, or in the conservative sweep a whole number of [`UNITS`].
    pub humidity: f64,
    /// The impermeability: in soil from the rules' least impermeability to 10³⁰. From ⅘ of
    /// `f32::MAX` on it is [`ROCK`].
    pub impermeability: f32,
    /// Whether the cell is a source: it keeps its humidity, whatever flows out of it.
    pub rain: bool,
}

impl Cell {
    /// Dry rock, the content of missing chunks and of the space beyond walls.
    pub const ROCK: Cell = Cell { humidity: 0.0, impermeability: ROCK, rain: false };

    /// Returns soil without rain.
    pub const fn soil(humidity: f64, impermeability: f32) -> Cell {
        Cell { humidity, impermeability, rain: false }
    }

    /// Returns a source that keeps this humidity.
    pub const fn rain(humidity: f64, impermeability: f32) -> Cell {
        Cell { humidity, impermeability, rain: true }
    }

    /// Returns whether nothing passes through the cell.
    ///
    /// ```
    /// use floodplain::humidity::Cell;
    /// assert!(Cell::ROCK.is_rock() && !Cell::soil(0.0, 4.5).is_rock());
    /// ```
    pub fn is_rock(&self) -> bool {
        self.impermeability >= ROCK_FROM
    }
}

/// The ground of a cell in one word: the bits of its impermeability, which is positive, with rain
/// in the sign bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground(pub(super) u32);

impl Ground {
    const RAIN: u32 = 1 << 31;

    /// The ground beyond walls and in missing chunks.
    pub(super) const WALL: Ground = Ground(ROCK.to_bits());
    /// The ground beyond a draining border. No edit can write this value.
    pub(super) const DRAIN: Ground = Ground(f32::INFINITY.to_bits());

    /// Returns the ground of a cell. All rock becomes [`ROCK`], so that equal worlds have equal
    /// words.
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

    /// Returns whether the ground is rock, or beyond a border.
    #[inline(always)]
    pub(super) fn is_rock(self) -> bool {
        self.impermeability() >= ROCK_FROM
    }

    /// Returns the cell with this ground and humidity.
    pub(super) fn cell(self, humidity: f64) -> Cell {
        Cell { humidity, impermeability: self.impermeability().min(ROCK), rain: self.is_rain() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_stores_rain_and_impermeability_separately() {
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
