//! The rules of pressure: how it moves, the borders, and the silence threshold, with their range
//! checks.

use crate::rules_error::RulesError;

/// How pressure moves over a link, computed from the pressures before the step. Weights are the
/// weights of the links, 1 by default; `Σw` is their sum at a node.
///
/// Both rules conserve the sum of all pressures. Coefficients are per visit of a link, and a step
/// visits each link once. The source visits each link from both ends with 0.12, which equals 0.24
/// here.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Rule {
    /// `flow = coefficient · weight · (p_a − p_b)`: explicit diffusion. It evens pressure out
    /// without overshooting: a pressure stays within the range of its neighbours, and never becomes
    /// negative.
    ///
    /// Stable if `coefficient · Σw ≤ 1` at every node: up to 1/4 on a plain sheet, 1/6 on plain
    /// cubes. The source also clamps a visit's flow to a quarter of the giver's pressure; at these
    /// coefficients and positive pressure that clamp never acts, so it is left out here.
    Diffusive {
        /// The part of the difference that crosses a link of weight 1 in a step; above 0, up to
        /// [`COEFFICIENT_LIMIT`].
        coefficient: f64,
    },
    /// `v ← damping · (v + coefficient · weight · (p_a − p_b))`, and `v` flows: a damped wave. Its
    /// front travels, is reflected by walls and leaves rarefied air behind. Pressure may be
    /// negative.
    ///
    /// It travels about `√coefficient` cells a step. Stable if `coefficient · Σw ≤ (1 + damping) /
    /// damping` at every node (less than that if undamped).
    Wave {
        /// The flow that a difference of 1 adds to a link of weight 1 in a step; above 0, up to
        /// [`COEFFICIENT_LIMIT`].
        coefficient: f64,
        /// The factor by which a flow shrinks in a step without a pressure difference; above 0, up
        /// to 1.
        damping: f64,
    },
}

impl Rule {
    /// Returns the coefficient of a link of weight 1.
    pub const fn coefficient(&self) -> f64 {
        match *self {
            Rule::Diffusive { coefficient } | Rule::Wave { coefficient, .. } => coefficient,
        }
    }

    /// Returns the most that `coefficient · Σw` may be at a node.
    ///
    /// ```
    /// use floodplain::blast::Rule;
    /// assert_eq!(Rule::Diffusive { coefficient: 0.24 }.limit(), 1.0);
    /// assert_eq!(Rule::Wave { coefficient: 0.24, damping: 0.5 }.limit(), 3.0);
    /// ```
    pub fn limit(&self) -> f64 {
        match *self {
            Rule::Diffusive { .. } => 1.0,
            Rule::Wave { damping, .. } => (1.0 + damping) / damping,
        }
    }

    /// Returns whether edits may write this pressure: up to [`PRESSURE_LIMIT`] in size, and not
    /// negative under the diffusive rule.
    pub(super) fn admits(&self, pressure: f64) -> bool {
        let least = match self {
            Rule::Diffusive { .. } => 0.0,
            Rule::Wave { .. } => -f64::from(PRESSURE_LIMIT),
        };
        (least..=f64::from(PRESSURE_LIMIT)).contains(&pressure)
    }

    /// Returns the conductance of a grid's link of weight 1.
    pub(super) fn unit_conductance(&self) -> f32 {
        self.coefficient() as f32
    }

    /// Returns whether a node whose weights have this sum is stable.
    pub(super) fn is_stable(&self, weights: f64) -> bool {
        let sum = self.coefficient() * weights;
        // Without damping, the shortest wave already grows at the limit itself.
        if *self == (Rule::Wave { coefficient: self.coefficient(), damping: 1.0 }) {
            sum < self.limit()
        } else {
            sum <= self.limit()
        }
    }
}

/// The rules of a grid or graph.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Rules {
    /// How pressure moves.
    pub rule: Rule,
    /// The silence threshold, for absolute values. A chunk falls silent if no pressure and no flow
    /// in it and in the chunks next to it reaches the threshold: the ledger counts its remaining
    /// pressure as absorbed, and it sleeps at 0 until pressure at or above the threshold reaches
    /// its border. A graph falls silent as a whole. The threshold is 0 or more; at 0 nothing is
    /// absorbed.
    pub threshold: f64,
}

impl Default for Rules {
    /// Returns the source's rule for the plane: diffusive at 0.24, which is unstable on cubes, and
    /// silent below 0.01.
    fn default() -> Self {
        Rules::diffusive(0.24)
    }
}

impl Rules {
    /// Returns the diffusive rule, silent below 0.01.
    pub const fn diffusive(coefficient: f64) -> Rules {
        Rules { rule: Rule::Diffusive { coefficient }, threshold: 0.01 }
    }

    /// Returns the wave rule, silent below 0.01. A coefficient of 0.25 and a damping of 0.98 are
    /// stable on sheets and on cubes.
    pub const fn wave(coefficient: f64, damping: f64) -> Rules {
        Rules { rule: Rule::Wave { coefficient, damping }, threshold: 0.01 }
    }

    /// Checks every field against its range, for nodes whose weights add up to `weights`: 4 on a
    /// plain sheet, 6 on plain cubes.
    ///
    /// # Errors
    /// A value is out of range, or the rules are unstable. The error is the first [`RulesError`]
    /// found.
    ///
    /// ```
    /// use floodplain::blast::Rules;
    /// assert_eq!(Rules::diffusive(0.24).check(4.0), Ok(()));
    /// let error = Rules::diffusive(0.24).check(6.0).unwrap_err();
    /// assert_eq!(error.wanted, "at most 1/6 to be stable, with weights of 6 at a node");
    /// ```
    pub fn check(&self, weights: f64) -> Result<(), RulesError> {
        let coefficient = self.rule.coefficient();
        if !(coefficient > 0.0 && coefficient <= COEFFICIENT_LIMIT) {
            let wanted = format!("a number above 0, up to {COEFFICIENT_LIMIT:e}");
            return Err(RulesError::new("coefficient", coefficient, wanted));
        }
        if let Rule::Wave { damping, .. } = self.rule
            && !(damping > 0.0 && damping <= 1.0)
        {
            return Err(RulesError::new("damping", damping, "above 0 and at most 1"));
        }
        if !(self.threshold >= 0.0 && self.threshold <= f64::from(PRESSURE_LIMIT)) {
            let wanted = format!("a pressure from 0 to {PRESSURE_LIMIT:e}");
            return Err(RulesError::new("threshold", self.threshold, wanted));
        }
        if !self.rule.is_stable(weights) {
            let limit = self.rule.limit();
            let wanted = format!(
                "at most {limit}/{weights} to be stable, with weights of {weights} at a node"
            );
            return Err(RulesError::new("coefficient", coefficient, wanted));
        }
        Ok(())
    }
}

/// The largest absolute value of a pressure that an edit may write: sums of pressures stay far from
/// overflow.
pub const PRESSURE_LIMIT: f32 = 1e18;

/// The largest coefficient. Larger ones would be stable with a damping near 0, but their products
/// would overflow.
pub const COEFFICIENT_LIMIT: f64 = 1e6;

/// The largest damping of waves on a grid, up to rounding to `f32`, in which a grid computes. Waves
/// that are damped less, by a larger factor, accumulate more rounding than the ledger's millionth
/// over 10,000 steps allows; undamped waves accumulate ten times as much. A graph, in `f64`, takes
/// any damping up to 1.
pub const GRID_DAMPING_LIMIT: f64 = 0.98;

/// The number of chunks that one fill of a [`BlastWorld`](super::BlastWorld) may touch: a square of
/// 4096 cells a side, or a cube of 256. A fill takes up to 0.2 MB for each chunk, so less than 1 GB
/// in total.
pub const FILL_CHUNK_LIMIT: u128 = 1 << 12;

/// The least radius of a charge, in cells: with a smaller radius, a charge is hardly smoother than
/// pressure set in a single cell.
pub const LEAST_CHARGE_RADIUS: f32 = 2.0;

/// The largest weight of a link.
pub const WEIGHT_LIMIT: f32 = 1e6;

/// The effect of the world's bounds on pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Border {
    /// No pressure passes.
    #[default]
    Rigid,
    /// Opposite sides are linked.
    Periodic,
    /// Beyond lies endless space at pressure 0. The ledger counts the outflow as left.
    Open,
}

/// The borders of a world, by axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Borders {
    /// At the smallest and the largest x.
    pub x: Border,
    /// At the smallest and the largest y.
    pub y: Border,
    /// At the smallest and the largest z; a sheet has no links along z.
    pub z: Border,
}

impl Borders {
    /// Returns borders that are the same on all axes.
    pub const fn all(border: Border) -> Borders {
        Borders { x: border, y: border, z: border }
    }

    /// Returns the borders by axis: x, y, z.
    pub(super) const fn by_axis(self) -> [Border; 3] {
        [self.x, self.y, self.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |rules: Rules| rules.check(4.0).unwrap_err().rule;
        for bad in [f64::NAN, f64::INFINITY, 0.0, -0.1] {
            assert!(refused(Rules::diffusive(bad)) == "coefficient", "{bad}");
            assert!(refused(Rules::wave(0.1, bad)) == "damping", "{bad}");
        }
        for bad in [f64::NAN, f64::INFINITY, -1e-9] {
            let rules = Rules { threshold: bad, ..Rules::default() };
            assert!(refused(rules) == "threshold", "{bad}");
        }
        assert!(refused(Rules::wave(1e200, 1e-250)) == "coefficient", "it would overflow");
        assert_eq!(refused(Rules::wave(0.1, 1.1)), "damping");
    }

    #[test]
    fn the_limits_of_stability_are_those_of_the_plane_and_of_space() {
        assert_eq!(Rules::diffusive(0.25).check(4.0), Ok(()));
        assert!(Rules::diffusive(0.2500001).check(4.0).is_err());
        assert!(Rules::diffusive(1.0 / 6.0).check(6.0).is_ok());
        // c · 8 ≤ 2 (1 + d) / d in the plane, and 12 in place of 8 in space.
        assert_eq!(Rules::wave(0.75, 0.5).check(4.0), Ok(()));
        assert!(Rules::wave(0.75001, 0.5).check(4.0).is_err());
        assert_eq!(Rules::wave(0.5, 0.5).check(6.0), Ok(()));
        assert!(Rules::wave(0.5001, 0.5).check(6.0).is_err());
        assert!(
            Rules::wave(0.5, 1.0).check(4.0).is_err() && Rules::wave(0.499, 1.0).check(4.0).is_ok()
        );
    }
}
