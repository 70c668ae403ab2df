//! What passes between water and soil: the rules.

/// What passes between water and soil, whole units of water at a time. All but [`ebb`] happens in
/// the ticks in which soil has its step, before that step.
///
/// Water soaks into soil that then holds at most its [capacity](crate::world::Material::capacity),
/// and soil gives a unit back only if it then holds at least the highest capacity of the palette.
/// So no unit goes round for ever, through ground of whatever materials, and a closed world comes
/// to rest.
///
/// [`ebb`]: Couplings::ebb
///
/// ```
/// use floodplain::world::{Couplings, Rules};
///
/// let apart = Rules { couplings: Couplings::OFF, ..Rules::default() };
/// assert!(Rules::default().couplings.springs && !apart.couplings.springs);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Couplings {
    /// The chance with which a cell of permeability 1 soaks up a unit of the water above or beside
    /// it, in each step of soil; proportional to the
    /// [permeability](crate::world::Material::permeability), up to 1, in steps of 1/65,536, rounded
    /// up. Springs and the sea give without end, and their ledger says what they gave. Soil with
    /// sea above or beside it keeps its fill then: what flows on, the sea gives in the same step,
    /// to 1/65,536 of moisture, and the ledger of soil counts it as placed. 0 to 1, 1/16 by
    /// default; 0: none.
    pub seepage: f64,
    /// How much likelier that is for each cell of water above the one that soaks in, of up to 15:
    /// water below n others gives with 1 + n · this times the chance. 0 to 16, 0.25 by default.
    pub depth_gain: f64,
    /// Whether soil gives water back, `true` by default: a cell that holds at least one unit more
    /// than the highest capacity of the palette gives one in each step of soil to the open cell
    /// below it, if that has room, or else to one beside it, in random order; to the sea none,
    /// which presses on it. To the one above only
    /// if it is pressed up: if what it keeps would, at rest, hold up that highest capacity in soil
    /// above it, which is more where moisture [falls](crate::humidity::Rules::fall).
    pub springs: bool,
    /// Whether a unit that evaporates goes into the soil straight below its cell, up to 16 cells
    /// down, through water and air, if that has room for it; into the air if not. `true` by
    /// default.
    pub ebb: bool,
}

impl Default for Couplings {
    fn default() -> Self {
        Couplings { seepage: 1.0 / 16.0, depth_gain: 0.25, springs: true, ebb: true }
    }
}

impl Couplings {
    /// None: water and soil run apart.
    pub const OFF: Couplings =
        Couplings { seepage: 0.0, depth_gain: 0.0, springs: false, ebb: false };

    /// Returns whether water and soil exchange units before a step of soil.
    pub(in crate::world) fn exchange(&self) -> bool {
        self.seepage > 0.0 || self.springs
    }
}
