//! The rules of a humidity world, with their units, ranges and checks.

use super::cell::{MOST_HUMIDITY, SOIL, UNITS};
use super::sweep::Sweep;
use crate::coords::{Face, Shape};
use crate::rules_error::RulesError;

/// The fall is stored in units of the coefficient divided by this number, and is at most this
/// number times the coefficient.
const FALL_UNITS: u32 = 1 << 16;

/// The space beyond a face of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Border {
    /// Dry rock: no humidity passes, as in the original program.
    Wall,
    /// Dry soil as impermeable as the cell before it. Humidity that flows there leaves the world.
    Drain,
}

/// How humidity spreads. A world never changes its rules.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Rules {
    /// The sweep; [`Sweep::Conservative`] by default.
    pub sweep: Sweep,
    /// The most humidity that a step leaves in a cell, above 0, up to [`MOST_HUMIDITY`]; 1024 by
    /// default. Rain and rock are exempt.
    pub cap: f32,
    /// For the conservative sweep only: the part of a difference in humidity that flows across a
    /// face in a step between cells of impermeability 1. It is above 0, up to
    /// `least_impermeability` / 8 in a [`Sheet`] and `least_impermeability` / 12 in a [`Cube`], so
    /// that the outflow of a cell is at most half of what would even out its differences; 1/32 by
    /// default. In a cube, flows from rain to drains become steady to the unit, and other humidity
    /// comes to rest, if the coefficient is at most `least_impermeability` / 16 and its sum with
    /// `fall` at most `least_impermeability` / 8. At greater values, cells may oscillate by a few
    /// least flows for ever.
    ///
    /// [`Sheet`]: crate::Sheet
    /// [`Cube`]: crate::Cube
    pub coefficient: f32,
    /// For the conservative sweep only: the part of a cell's humidity that falls to the cell below,
    /// at the lower y, in a step between cells of impermeability 1, besides the flow that evens out
    /// differences. It is limited to the same part of the room that the cell below has up to the
    /// cap. At rest a cell then holds `1 + fall / coefficient` times as much as the cell above it,
    /// until both near the cap: soil drains down and fills from its foot. The fall is 0 to
    /// `least_impermeability / 2 − 4 · coefficient` in a [`Sheet`], 0 to `least_impermeability / 2
    /// − 6 · coefficient` in a [`Cube`], and at most 65,536 times the coefficient, so that no cell
    /// gives or takes more than would level it. It is counted in 1/65,536 of the coefficient,
    /// rounded down. It is 0 by default: humidity moves up as fast as down.
    ///
    /// [`Sheet`]: crate::Sheet
    /// [`Cube`]: crate::Cube
    pub fall: f32,
    /// For the conservative sweep only: the flow across a face in a step is a multiple of this
    /// flow, rounded towards zero. It is a power of two from [1/65,536](super::UNITS), the default,
    /// to 1. So smaller flows end, and soil comes to rest sooner, with differences of up to the
    /// least flow divided by the part that flows.
    pub least_flow: f32,
    /// The least impermeability that soil may have, 10⁻³⁰ to 10³⁰; 0.5 by default.
    pub least_impermeability: f32,
    /// The space beyond the world's bounds, by [`Face::index`]; walls by default. Missing chunks
    /// inside the bounds are dry rock, regardless of the borders.
    pub borders: [Border; 6],
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            sweep: Sweep::Conservative,
            cap: 1024.0,
            coefficient: 1.0 / 32.0,
            fall: 0.0,
            least_flow: 1.0 / UNITS as f32,
            least_impermeability: 0.5,
            borders: [Border::Wall; 6],
        }
    }
}

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
    /// A value is out of range. The error is the first [`RulesError`] in field order, except that
    /// the coefficient and the fall are checked last, as their limits depend on the least
    /// impermeability.
    ///
    /// ```
    /// use floodplain::humidity::Rules;
    /// use floodplain::{Cube, Sheet};
    /// let rules = Rules { coefficient: 1.0 / 16.0, ..Rules::default() };
    /// assert_eq!(rules.check::<Sheet>(), Ok(()));
    /// let error = rules.check::<Cube>().unwrap_err();
    /// assert_eq!((error.rule, error.value.as_str()), ("coefficient", "0.0625"));
    /// ```
    pub fn check<S: Shape>(&self) -> Result<(), RulesError> {
        if !(self.cap > 0.0 && f64::from(self.cap) <= MOST_HUMIDITY) {
            let wanted = format!("above 0, up to {MOST_HUMIDITY}");
            return Err(RulesError::new("cap", self.cap, wanted));
        }
        // The flux across a face is k·g·Δh with g = 2/(i + i') ≤ 1/least. The transmissibilities of
        // a cell's faces add up to at most a half, so the cell neither overshoots its neighbours
        // nor oscillates.
        let stable = f64::from(self.least_impermeability) / (2.0 * S::NEIGHBOURS as f64);
        let most = if self.sweep == Sweep::Conservative { stable } else { f64::from(f32::MAX) };
        let grain = self.least_flow * UNITS as f32;
        let is_power = grain.fract() == 0.0 && (grain as u32).is_power_of_two();
        if !((1.0..=UNITS as f32).contains(&grain) && is_power) {
            let wanted = "a power of two from 1/65,536 to 1";
            return Err(RulesError::new("least_flow", self.least_flow, wanted));
        }
        if !SOIL.contains(&self.least_impermeability) {
            let (rule, value) = ("least_impermeability", self.least_impermeability);
            let wanted = format!("{:e} to {:e}", SOIL.start(), SOIL.end());
            return Err(RulesError::new(rule, value, wanted));
        }
        if !(self.coefficient > 0.0 && f64::from(self.coefficient) <= most) {
            let wanted = format!("above 0, up to {most} to be stable");
            return Err(RulesError::new("coefficient", self.coefficient, wanted));
        }
        self.check_fall(stable * S::NEIGHBOURS as f64, S::NEIGHBOURS as f64)
    }

    /// Checks the fall. `all` is the most that the coefficients of a cell's faces may add up to.
    ///
    /// The fall counts twice in a cell, at its lower and at its upper face, but half as much as the
    /// flow that evens out differences, since it depends on only one of the two cells: the flow F =
    /// T·(h − h') + T·r·min(h, room'), with r = fall / coefficient, is zero once F / (T·(2 + r))
    /// has moved. So it takes its part of `all` once.
    fn check_fall(&self, all: f64, faces: f64) -> Result<(), RulesError> {
        let (value, coefficient) = (self.fall, f64::from(self.coefficient));
        if self.sweep != Sweep::Conservative {
            let sweep = self.sweep;
            return if value == 0.0 {
                Ok(())
            } else {
                let wanted = format!("0 in the sweep {sweep:?}, as only Conservative has it");
                Err(RulesError::new("fall", value, wanted))
            };
        }
        let most = (all - faces * coefficient).clamp(0.0, f64::from(FALL_UNITS) * coefficient);
        if value >= 0.0 && f64::from(value) <= most {
            Ok(())
        } else {
            let wanted = format!("0 to {most} to be stable with this coefficient");
            Err(RulesError::new("fall", value, wanted))
        }
    }

    /// Returns the least flow in units, a power of two.
    pub(super) fn least_flow_units(&self) -> u32 {
        (self.least_flow * UNITS as f32) as u32
    }

    /// Returns the fall in 1/65,536 of the coefficient.
    pub(super) fn fall_share(&self) -> u32 {
        (f64::from(self.fall) / f64::from(self.coefficient) * f64::from(FALL_UNITS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{Cube, Sheet};

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |rules: Rules| rules.check::<Sheet>().unwrap_err().rule;
        for cap in [0.0, -1.0, f32::NAN, f32::INFINITY, 32_768.0] {
            let rules = Rules { cap, ..Rules::default() };
            assert!(refused(rules) == "cap", "{cap}");
        }
        for coefficient in [0.0, -1.0, f32::NAN, f32::INFINITY, 0.0626] {
            let rules = Rules { coefficient, ..Rules::default() };
            assert_eq!(refused(rules), "coefficient", "{coefficient}");
        }
        for fall in [-0.1, f32::NAN, f32::INFINITY, 0.1251] {
            let rules = Rules { fall, ..Rules::default() };
            assert!(refused(rules) == "fall", "{fall}");
            let sweep = Sweep::InPlace;
            let mean = Rules { fall, ..Rules::with_sweep(sweep) };
            assert!(refused(mean) == "fall", "{fall}");
        }
        let most = [0.125, 0.0625].map(|fall| Rules { fall, ..Rules::default() });
        assert_eq!((most[0].check::<Sheet>(), most[1].check::<Cube>()), (Ok(()), Ok(())));
        let error = most[0].check::<Cube>().unwrap_err().to_string();
        assert_eq!(error, "fall is 0 to 0.0625 to be stable with this coefficient, not 0.125");
        let slow = Rules { coefficient: 1e-6, fall: 0.07, ..Rules::default() };
        assert_eq!(slow.check::<Cube>().unwrap_err().rule, "fall", "65,536 times");
        for least_flow in [0.0, -1.0, f32::NAN, f32::INFINITY, 2.0, 0.75, 1.0 / 131_072.0] {
            let rules = Rules { least_flow, ..Rules::default() };
            assert_eq!(refused(rules), "least_flow", "{least_flow}");
        }
        for least_impermeability in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-31, 1e31] {
            let rules = Rules { least_impermeability, ..Rules::with_sweep(Sweep::Synchronous) };
            assert_eq!(refused(rules), "least_impermeability", "{least_impermeability}");
        }
        assert_eq!(Rules::default().check::<Sheet>(), Ok(()));
        assert_eq!(Rules::default().check::<Cube>(), Ok(()));
    }
}
