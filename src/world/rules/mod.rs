//! The rules of a world: the rules of its parts, the scale between them, and their common clock.
//!
//! | file | what |
//! |---|---|
//! | `material`, `palette` | kinds of ground, and checked lists of them |
//! | `couplings` | the exchange between water and soil |
//! | `limits` | the limits of that exchange for each material |
//! | `error` | why an edit was refused |

pub(super) mod couplings;
pub(super) mod error;
pub(super) mod limits;
pub(super) mod material;
pub(super) mod palette;

use crate::coords::Cube;
use crate::humidity::{self, Sweep, UNITS};
use crate::rules_error::RulesError;
use crate::world::rules::couplings::Couplings;
use crate::world::rules::palette::Palette;
use crate::{blast, water};

/// The most steps of explosions in a tick.
const MOST_BLAST_STEPS: u32 = 1_000;

/// The largest reach of pressure that rules may set, in chunks.
const MOST_BLAST_REACH: u32 = 64;

/// The least flow that rules may set for throwing water.
const LEAST_THROW_FLOW: f64 = 0.001;

/// The rules of a world. They never change, except that [`water::Edit::SetRules`] replaces the
/// rules of water.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Rules {
    /// The rules of water.
    pub water: water::Rules,
    /// The rules of moisture in soil; the sweep is [`Sweep::Conservative`]. By default moisture
    /// falls as fast as it evens out: [`fall`](humidity::Rules::fall) is the coefficient, 1/32. A
    /// flow of less than 1/4, which is 1/256 of a unit of water, is dropped
    /// ([`least_flow`](humidity::Rules::least_flow)), so that slow soils come to rest: a thousand
    /// cells within 12,500 steps, which are 50,000 ticks at the default period.
    pub soil: humidity::Rules,
    /// The rules of pressure. By default waves with a coefficient of 0.25, a damping of 0.92 and a
    /// threshold of 2.
    pub blast: blast::Rules,
    /// The borders of pressure at the world's bounds, rigid or open. Rigid by default.
    pub borders: blast::Borders,
    /// The moisture in one unit of water, in units of [1/65,536](humidity::UNITS): above 0, at
    /// most the cap of the rules of soil. 64 × 65,536 by default.
    pub moisture_per_unit: u32,
    /// Moisture moves, and water and soil exchange units, in every tick whose number, counted from
    /// 1, is a multiple of this. 1 or more, 4 by default.
    pub soil_period: u32,
    /// The steps of pressure in a tick while there is any pressure, 0 to 1,000. The default of 8 is
    /// low enough for the spreading of a wave to be visible.
    pub blast_steps: u32,
    /// The share of each pressure that fades in each of its steps, 0 to 1; 0.03 by default. Without
    /// fading, the pressure of a charge in a closed room stays there. The ledger of pressure counts
    /// faded pressure as removed.
    pub blast_fading: f32,
    /// How many chunks pressure travels from the chunk in which it was added to the world, along
    /// each axis, up to 64; 4 by default. Pressure that would go further leaves the world. Once
    /// explosions are at rest, it is forgotten where pressure was added.
    pub blast_reach: u32,
    /// The most pressure that an edit may leave in a cell, by its size, from 0 to
    /// [`PRESSURE_LIMIT`](blast::PRESSURE_LIMIT); 10,000 by default.
    pub most_pressure: f32,
    /// The largest radius of a charge, from [`LEAST_CHARGE_RADIUS`](blast::LEAST_CHARGE_RADIUS) on;
    /// 16 by default.
    pub most_radius: f32,
    /// Whether pressure breaks ground, as [`Material::strength`](crate::world::Material::strength)
    /// says. If this is `false`, all ground withstands pressure. `true` by default.
    pub breaking: bool,
    /// The exchange between water and soil; all of it by default.
    pub couplings: Couplings,
    /// Whether soil that breaks into open space leaves its moisture there as water, in whole units;
    /// the rest counts as removed. If this is `false`, all of it counts as removed. `true` by
    /// default.
    pub spilling: bool,
    /// The effect of full cells of water on pressure; by default, such cells stop it.
    pub under_water: UnderWater,
    /// The length that the [flow](crate::blast::BlastWorld::flow) must have, after the steps of a
    /// tick, to throw a unit of water: at least 0.001, 4 by default; `None` for no throws. A cell
    /// of water with room above it loses a unit for each multiple of this in the length of the
    /// flow, up to 7 units. The flow is the one through the cell, or the one over it if the cell
    /// stops pressure. Each unit flies up, the further the more units are thrown, and sideways in
    /// the direction of the flow. Springs and the sea lose no units, nor does water in a frozen
    /// chunk or straight below one, and no unit enters a frozen chunk.
    pub throw_flow: Option<f64>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            water: water::Rules::default(),
            soil: humidity::Rules {
                fall: 1.0 / 32.0,
                least_flow: 0.25,
                ..humidity::Rules::default()
            },
            blast: blast::Rules { threshold: 2.0, ..blast::Rules::wave(0.25, 0.92) },
            borders: blast::Borders::default(),
            moisture_per_unit: 64 * UNITS,
            soil_period: 4,
            blast_steps: 8,
            blast_fading: 0.03,
            blast_reach: 4,
            most_pressure: 10_000.0,
            most_radius: 16.0,
            breaking: true,
            couplings: Couplings::default(),
            spilling: true,
            under_water: UnderWater::default(),
            throw_flow: Some(4.0),
        }
    }
}

/// The effect of full cells of water, including springs and the sea, on pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum UnderWater {
    /// Full cells stop pressure, as unbreakable ground does. Pressure in a cell that fills up is
    /// removed, and the ledger of pressure counts it as removed.
    #[default]
    Stops,
    /// Full cells are as open to pressure as air.
    Passes,
    /// Full cells let pressure in, and keep this share of it from each step to the next, 0 to 1, so
    /// that pressure fades as it passes. Faded pressure counts as removed, or as placed if it was
    /// below 0.
    Damps(f32),
}

impl Rules {
    /// Checks every field against its range, and the materials of a palette against the rules.
    ///
    /// # Errors
    /// The first [`RulesError`] found.
    ///
    /// ```
    /// use floodplain::world::{Palette, Rules};
    ///
    /// let rules = Rules { soil_period: 0, ..Rules::default() };
    /// let error = rules.check(&Palette::natural()).unwrap_err();
    /// assert_eq!(error.to_string(), "soil_period is 1 or more, not 0");
    /// assert_eq!(Rules::default().check(&Palette::natural()), Ok(()));
    /// ```
    pub fn check(&self, palette: &Palette) -> Result<(), RulesError> {
        self.water.check().map_err(RulesError::within("water"))?;
        self.soil.check::<Cube>().map_err(RulesError::within("soil"))?;
        self.blast.check(6.0).map_err(RulesError::within("blast"))?;
        let blast::Borders { x, y, z } = self.borders;
        if [x, y, z].contains(&blast::Border::Periodic) {
            return Err(RulesError::new("borders", "Periodic", "Rigid or Open"));
        }
        if self.soil.sweep != Sweep::Conservative {
            let wanted = "Conservative, which keeps an account";
            return Err(RulesError::new("sweep", format!("{:?}", self.soil.sweep), wanted))
                .map_err(RulesError::within("soil"));
        }
        let scale = self.moisture_per_unit;
        if scale == 0 || f64::from(scale) > f64::from(self.soil.cap) * f64::from(UNITS) {
            let wanted = "above 0 and at most the cap, in units of 1/65,536";
            return Err(RulesError::new("moisture_per_unit", scale, wanted));
        }
        if self.soil_period == 0 {
            return Err(RulesError::new("soil_period", 0, "1 or more"));
        }
        if self.blast_steps > MOST_BLAST_STEPS {
            let wanted = format!("0 to {MOST_BLAST_STEPS}");
            return Err(RulesError::new("blast_steps", self.blast_steps, wanted));
        }
        self.check_charges()?;
        self.check_couplings()?;
        match self.under_water {
            UnderWater::Damps(part) if !(0.0..=1.0).contains(&part) => {
                return Err(RulesError::new("under_water", part, "a part from 0 to 1"));
            }
            _ => {}
        }
        match self.throw_flow {
            Some(flow) if !(flow >= LEAST_THROW_FLOW && flow.is_finite()) => {
                let wanted = format!("{LEAST_THROW_FLOW} or more");
                return Err(RulesError::new("throw_flow", flow, wanted));
            }
            _ => {}
        }
        self.check_materials(palette)
    }

    fn check_charges(&self) -> Result<(), RulesError> {
        if !(0.0..=1.0).contains(&self.blast_fading) {
            return Err(RulesError::new("blast_fading", self.blast_fading, "0 to 1"));
        }
        if self.blast_reach > MOST_BLAST_REACH {
            let wanted = format!("0 to {MOST_BLAST_REACH} chunks");
            return Err(RulesError::new("blast_reach", self.blast_reach, wanted));
        }
        if !(0.0..=blast::PRESSURE_LIMIT).contains(&self.most_pressure) {
            let wanted = format!("0 to {:e}", blast::PRESSURE_LIMIT);
            return Err(RulesError::new("most_pressure", self.most_pressure, wanted));
        }
        if !(self.most_radius >= blast::LEAST_CHARGE_RADIUS && self.most_radius.is_finite()) {
            let wanted = format!("a number from {} on", blast::LEAST_CHARGE_RADIUS);
            return Err(RulesError::new("most_radius", self.most_radius, wanted));
        }
        Ok(())
    }

    fn check_couplings(&self) -> Result<(), RulesError> {
        let Couplings { seepage, depth_gain, .. } = self.couplings;
        if !(0.0..=1.0).contains(&seepage) {
            return Err(RulesError::new("seepage", seepage, "0 to 1"));
        }
        if !(0.0..=16.0).contains(&depth_gain) {
            return Err(RulesError::new("depth_gain", depth_gain, "0 to 16"));
        }
        Ok(())
    }

    fn check_materials(&self, palette: &Palette) -> Result<(), RulesError> {
        // The cap exceeds each capacity by at least one unit, so that soil can hold more than its
        // capacity.
        let cap = f64::from(self.soil.cap) * f64::from(UNITS);
        let most = (cap / f64::from(self.moisture_per_unit) - 1.0).min(254.0) as u8;
        let least = self.soil.least_impermeability;
        for (id, material) in palette.materials() {
            let traits = palette.traits(id);
            if traits.is_permeable() && traits.impermeability < least {
                let wanted = format!("at most {} in {:?}", 1.0 / least, material.name);
                return Err(RulesError::new("permeability", 1.0 / traits.impermeability, wanted));
            }
            if traits.capacity > most {
                let wanted = format!("at most {most} units in {:?}", material.name);
                return Err(RulesError::new("capacity", traits.capacity, wanted));
            }
        }
        Ok(())
    }

    /// Returns the units of moisture, 1/65,536 each, in one unit of water.
    pub(crate) fn scale(&self) -> u64 {
        self.moisture_per_unit.into()
    }
}
