//! The rules of a 2D water world, with their ranges and checks.

use super::cell::FULL;
use crate::rules_error::RulesError;

/// How water moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rule {
    /// The source text to the letter: each step is computed from old levels, in turn with left
    /// first and with right first. Halves are rounded up sideways, so water circulates for ever,
    /// and at high pressure overshoots into a checkerboard.
    ///
    /// From the old levels, where `capacity` is the level above plus 5 if that is 100 or more, and
    /// 100 if not, each cell gives **down** the units that the cell below lacks to its capacity; to
    /// each **side** half of the difference, rounded up, from the rest; and **up** the rest above
    /// its own capacity.
    Literal,
    /// This rule comes to rest: surfaces are then level within a unit, even in the arms of a
    /// U-tube, with five units of pressure for each cell of depth.
    Settling,
}

/// How a world's water behaves. The default comes to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water2d")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Rules {
    /// How water moves.
    pub rule: Rule,
    /// The most units that a cell gives or takes in a step through the pressure of its body, 1 to
    /// 100, under [`Rule::Settling`]: how fast a surface rises or falls because of a distant
    /// surface. Exchange between neighbours is added.
    pub pressure_flow: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { rule: Rule::Settling, pressure_flow: 10 }
    }
}

impl Rules {
    /// Returns the rule of the source text, which never comes to rest where water lies beside
    /// water.
    pub fn literal() -> Rules {
        Rules { rule: Rule::Literal, ..Rules::default() }
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// A value is out of range. The error is the first [`RulesError`] in field order.
    pub fn check(&self) -> Result<(), RulesError> {
        match self.pressure_flow {
            1..=FULL => Ok(()),
            other => {
                let wanted = format!("1 to {FULL} units a step");
                Err(RulesError::new("pressure_flow", other, wanted))
            }
        }
    }
}
