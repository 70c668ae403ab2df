//! Couplings: the rules of the exchange between water and soil.

/// The exchange between water and soil, in whole units of water. All of it except [`ebb`] happens
/// in the ticks with a step of soil, before that step.
///
/// Water soaks into soil that then holds at most its [capacity](crate::world::Material::capacity),
/// and soil gives a unit back only if it then holds at least the highest capacity of the palette.
/// So no unit circulates for ever, through ground of whatever materials, and a closed world comes
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
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Couplings {
    /// The chance with which a cell of permeability 1 soaks up a unit of the water above or beside
    /// it, in each step of soil. It is proportional to the
    /// [permeability](crate::world::Material::permeability), up to 1, in steps of 1/65,536, rounded
    /// up. Springs and the sea give without end, and the ledger of water counts the units. If the
    /// chance is above 0, soil with sea above or beside it stays full: in the same step, the sea
    /// replaces moisture that flows on, to 1/65,536 of moisture, and the ledger of soil counts it
    /// as placed. 0 to 1, 1/16 by default; 0 means that nothing soaks in.
    pub seepage: f64,
    /// The relative increase of the chance of [`seepage`](Couplings::seepage) for each cell of
    /// water above the one that soaks in, for up to 15 cells: with n cells above, the chance is
    /// multiplied by 1 + n · `depth_gain`. 0 to 16, 0.25 by default.
    pub depth_gain: f64,
    /// Whether soil gives water back, `true` by default. A cell that holds at least one unit more
    /// than the highest capacity of the palette gives one in each step of soil: to the open cell
    /// below it, if that has room, or else to an open cell beside it, in random order. It gives
    /// none to the sea, which presses on it. It gives to the cell above only if the unit is pressed
    /// up: if the moisture that remains would, at rest, sustain the highest capacity in soil above
    /// it. That takes more moisture where moisture [falls](crate::humidity::Rules::fall).
    pub springs: bool,
    /// Whether a unit that evaporates goes into the soil straight below its cell, if that has room
    /// for it. The soil may be up to 16 cells down, through water and air. Otherwise the unit goes
    /// into the air. `true` by default.
    pub ebb: bool,
}

impl Default for Couplings {
    fn default() -> Self {
        Couplings { seepage: 1.0 / 16.0, depth_gain: 0.25, springs: true, ebb: true }
    }
}

impl Couplings {
    /// No exchange: water and soil run separately.
    pub const OFF: Couplings =
        Couplings { seepage: 0.0, depth_gain: 0.0, springs: false, ebb: false };

    /// Returns whether water and soil exchange units before a step of soil.
    pub(in crate::world) fn exchange(&self) -> bool {
        self.seepage > 0.0 || self.springs
    }
}
