//! The rules of a humidity world, with their units, ranges and checks.

use super::cell::{MOST_HUMIDITY, SOIL};
use super::sweep::Sweep;
use crate::coords::{Face, Shape};
use core::fmt;

/// What lies beyond a face of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Border {
    /// Dry rock: nothing passes. As in the original.
    Wall,
    /// Dry soil as impermeable as the cell before it. What flows there leaves the world.
    Drain,
}

/// How humidity spreads. A world never changes its rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The sweep; [`Sweep::Conservative`] by default.
    pub sweep: Sweep,
    /// The most humidity that a step leaves in a cell, above 0, up to [`MOST_HUMIDITY`]; 1024 by
    /// default. Rain and rock keep what they hold.
    pub cap: f32,
    /// Of the conservative sweep only: the part of a difference in humidity that flows across a
    /// face in a step between cells of impermeability 1. Above 0, up to `least_impermeability` / 8
    /// in a [`Sheet`] and / 12 in a [`Cube`], so that at most half of what would even out a cell's
    /// differences flows out of it; 1/32 by default.
    ///
    /// [`Sheet`]: crate::Sheet
    /// [`Cube`]: crate::Cube
    pub coefficient: f32,
    /// The least impermeability that soil may have, 10⁻³⁰ to 10³⁰; 0.5 by default.
    pub least_impermeability: f32,
    /// What lies beyond the world's bounds, by [`Face::index`]; walls by default. Missing chunks
    /// inside the bounds are dry rock, regardless of this.
    pub borders: [Border; 6],
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            sweep: Sweep::Conservative,
            cap: 1024.0,
            coefficient: 1.0 / 32.0,
            least_impermeability: 0.5,
            borders: [Border::Wall; 6],
        }
    }
}

/// Why rules were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RulesError {
    /// A cap that is not above 0 and up to [`MOST_HUMIDITY`].
    Cap(f32),
    /// A least impermeability outside 10⁻³⁰ to 10³⁰.
    LeastImpermeability(f32),
    /// A coefficient that is not above 0, or with which the conservative sweep could overshoot.
    Coefficient {
        /// The refused value.
        value: f32,
        /// The most that is stable with this shape and least impermeability.
        most: f64,
    },
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::Cap(value) => {
                write!(f, "cap is above 0, up to {MOST_HUMIDITY}, not {value}")
            }
            RulesError::LeastImpermeability(value) => {
                write!(
                    f,
                    "least_impermeability is {:e} to {:e}, not {value}",
                    SOIL.start(),
                    SOIL.end()
                )
            }
            RulesError::Coefficient { value, most } => {
                write!(f, "coefficient is above 0, up to {most} to be stable, not {value}")
            }
        }
    }
}

impl core::error::Error for RulesError {}

impl Rules {
    /// Returns the default rules with another sweep.
    pub fn with_sweep(sweep: Sweep) -> Rules {
        Rules { sweep, ..Rules::default() }
    }

    /// Returns the same rules with another border at `face`.
    #[must_use]
    pub const fn with_border(mut self, face: Face, border: Border) -> Rules {
        self.borders[face.index()] = border;
        self
    }

    /// Checks every field against its range, for worlds of this shape.
    ///
    /// # Errors
    /// The first [`RulesError`], in field order; except the coefficient, which comes last, as its
    /// limit depends on the least impermeability.
    ///
    /// ```
    /// use floodplain::humidity::{Rules, RulesError};
    /// use floodplain::{Cube, Sheet};
    /// let rules = Rules { coefficient: 1.0 / 16.0, ..Rules::default() };
    /// assert_eq!(rules.check::<Sheet>(), Ok(()));
    /// assert_eq!(
    ///     rules.check::<Cube>(),
    ///     Err(RulesError::Coefficient { value: 1.0 / 16.0, most: 0.5 / 12.0 })
    /// );
    /// ```
    pub fn check<S: Shape>(&self) -> Result<(), RulesError> {
        if !(self.cap > 0.0 && f64::from(self.cap) <= MOST_HUMIDITY) {
            return Err(RulesError::Cap(self.cap));
        }
        // The flux across a face is k·g·Δh with g = 2/(i + i') ≤ 1/least. The transmissibilities of
        // a cell's faces add up to at most a half, so it neither overshoots its neighbours nor
        // oscillates.
        let stable = f64::from(self.least_impermeability) / (2.0 * S::NEIGHBOURS as f64);
        let most = if self.sweep == Sweep::Conservative { stable } else { f64::from(f32::MAX) };
        if !SOIL.contains(&self.least_impermeability) {
            return Err(RulesError::LeastImpermeability(self.least_impermeability));
        }
        if !(self.coefficient > 0.0 && f64::from(self.coefficient) <= most) {
            return Err(RulesError::Coefficient { value: self.coefficient, most });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{Cube, Sheet};

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        for cap in [0.0, -1.0, f32::NAN, f32::INFINITY, 32_768.0] {
            let rules = Rules { cap, ..Rules::default() };
            assert!(matches!(rules.check::<Sheet>(), Err(RulesError::Cap(_))), "{cap}");
        }
        for coefficient in [0.0, -1.0, f32::NAN, f32::INFINITY, 0.0626] {
            let rules = Rules { coefficient, ..Rules::default() };
            assert!(
                matches!(rules.check::<Sheet>(), Err(RulesError::Coefficient { .. })),
                "{coefficient}"
            );
        }
        for least_impermeability in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-31, 1e31] {
            let rules = Rules { least_impermeability, ..Rules::with_sweep(Sweep::Synchronous) };
            assert!(matches!(rules.check::<Sheet>(), Err(RulesError::LeastImpermeability(_))));
        }
        assert_eq!(Rules::default().check::<Sheet>(), Ok(()));
        assert_eq!(Rules::default().check::<Cube>(), Ok(()));
    }
}
