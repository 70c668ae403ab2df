//! The rules of a world: those of its parts, the scale between them, and their common clock.

use super::couplings::Couplings;
use super::palette::Palette;
use crate::coords::Cube;
use crate::humidity::{self, Sweep, UNITS};
use crate::{blast, water};
use core::fmt;

/// The most steps of explosions in a tick.
const MOST_BLAST_STEPS: u32 = 1_000;

/// The least flow that can be said to throw water.
const LEAST_THROW_FLOW: f64 = 0.001;

/// The rules of a world. A world never changes them, except those of water, by
/// [`water::Edit::SetRules`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Those of water.
    pub water: water::Rules,
    /// Those of moisture in soil; the sweep is [`Sweep::Conservative`]. By default moisture falls as
    /// much as it evens out: [`fall`](humidity::Rules::fall) is the coefficient, 1/32.
    pub soil: humidity::Rules,
    /// Those of pressure. By default waves of coefficient 0.25 and damping 0.98, silent below 0.1.
    pub blast: blast::Rules,
    /// What pressure does at the world's bounds, rigid or open. Rigid by default.
    pub borders: blast::Borders,
    /// The moisture that one unit of water is, above 0: a whole number of
    /// [1/65,536](humidity::UNITS). 64 by default.
    pub moisture_per_unit: f64,
    /// Moisture moves, and water and soil exchange units, in every tick whose number, counted from
    /// 1, is a multiple of this. 1 or more, 4 by default.
    pub soil_period: u32,
    /// The steps of pressure in a tick while there is any, 0 to 1,000; 20 by default.
    pub blast_steps: u32,
    /// Whether pressure breaks ground, as [`Material::strength`](super::Material::strength) says.
    /// `true` by default; `false`: all ground withstands it.
    pub breaking: bool,
    /// What passes between water and soil; all by default.
    pub couplings: Couplings,
    /// Whether soil that breaks into open space leaves its moisture there as water, in whole units;
    /// the rest counts as removed, as all of it does if this is `false`. `true` by default.
    pub spilling: bool,
    /// What full cells of water are to pressure; they stop it by default.
    pub submerged: Submerged,
    /// The [flow](crate::blast::BlastWorld::flow) that throws a unit of water, by its length after
    /// the steps of a tick, at least 0.001; `None` if none does. 4 by default. A cell of water with
    /// room above it loses a unit for each time that the flow through it, or over it if it stops
    /// pressure, is as long as this, at most 7. Each flies up, and the further the more are thrown,
    /// and sideways as the flow goes. Springs and the sea lose none, nor does water in frozen chunks
    /// or straight below one, and none enters these.
    pub throw_flow: Option<f64>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            water: water::Rules::default(),
            soil: humidity::Rules { fall: 1.0 / 32.0, ..humidity::Rules::default() },
            blast: blast::Rules { threshold: 0.1, ..blast::Rules::wave(0.25, 0.98) },
            borders: blast::Borders::default(),
            moisture_per_unit: 64.0,
            soil_period: 4,
            blast_steps: 20,
            breaking: true,
            couplings: Couplings::default(),
            spilling: true,
            submerged: Submerged::default(),
            throw_flow: Some(4.0),
        }
    }
}

/// What full cells of water, springs and the sea among them, are to pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Submerged {
    /// They stop it, as ground does that nothing breaks. Pressure in a cell that fills up is gone,
    /// which its ledger counts as removed.
    #[default]
    Stops,
    /// They are as open to it as air.
    Passes,
    /// They let it in, and keep this share of it from each step to the next, 0 to 1: it fades as it
    /// passes. What fades counts as removed, or placed if it was below 0.
    Damps(f32),
}

/// Why rules, or rules together with a palette, were refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RulesError {
    /// Those of water.
    Water(water::RulesError),
    /// Those of soil.
    Soil(humidity::RulesError),
    /// Those of pressure.
    Blast(blast::RulesError),
    /// A periodic border of pressure: no other part has one.
    Periodic,
    /// A sweep that keeps no account of moisture.
    Sweep(Sweep),
    /// A [`moisture_per_unit`](Rules::moisture_per_unit) that is not a whole number of 1/65,536
    /// above 0, or more than the cap of the rules of soil.
    MoisturePerUnit(f64),
    /// A period of 0.
    SoilPeriod(u32),
    /// More than 1,000 steps.
    BlastSteps(u32),
    /// A [`seepage`](Couplings::seepage) that is not a number from 0 to 1.
    Seepage(f64),
    /// A [`depth_gain`](Couplings::depth_gain) that is not a number from 0 to 16.
    DepthGain(f64),
    /// A share of [`Submerged::Damps`] that is not a number from 0 to 1.
    Damping(f32),
    /// A [`throw_flow`](Rules::throw_flow) that is not a number from 0.001 on.
    ThrowFlow(f64),
    /// A material with a permeability above what the rules of soil allow.
    Permeability {
        /// The material's name.
        material: String,
        /// Its permeability.
        value: f32,
        /// The most: 1 / [`least_impermeability`](humidity::Rules::least_impermeability).
        most: f32,
    },
    /// A material with a capacity such that one unit more is above what a step leaves in a cell.
    Capacity {
        /// The material's name.
        material: String,
        /// Its capacity, in units of water.
        value: u8,
        /// The most.
        most: u8,
    },
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::Water(error) => write!(f, "water: {error}"),
            RulesError::Soil(error) => write!(f, "soil: {error}"),
            RulesError::Blast(error) => write!(f, "blast: {error}"),
            RulesError::Periodic => f.write_str("no border of pressure is periodic"),
            RulesError::Sweep(sweep) => {
                write!(f, "the sweep {sweep:?} keeps no account; a world needs Conservative")
            }
            RulesError::MoisturePerUnit(value) => write!(
                f,
                "moisture_per_unit is a whole number of 1/65,536 above 0, at most the cap, not \
                 {value}"
            ),
            RulesError::SoilPeriod(value) => write!(f, "soil_period is 1 or more, not {value}"),
            RulesError::BlastSteps(value) => {
                write!(f, "blast_steps is 0 to {MOST_BLAST_STEPS}, not {value}")
            }
            RulesError::Seepage(value) => write!(f, "seepage is 0 to 1, not {value}"),
            RulesError::DepthGain(value) => write!(f, "depth_gain is 0 to 16, not {value}"),
            RulesError::Damping(value) => write!(f, "water keeps 0 to 1 of pressure, not {value}"),
            RulesError::ThrowFlow(value) => {
                write!(f, "throw_flow is {LEAST_THROW_FLOW} or more, not {value}")
            }
            RulesError::Permeability { material, value, most } => {
                write!(f, "the permeability of {material:?} is at most {most}, not {value}")
            }
            RulesError::Capacity { material, value, most } => {
                write!(f, "{material:?} can soak up {most} units, not {value}")
            }
        }
    }
}

impl core::error::Error for RulesError {}

impl Rules {
    /// Checks every field against its range, and the materials of a palette against them.
    ///
    /// # Errors
    /// The first [`RulesError`] found.
    ///
    /// ```
    /// use floodplain::world::{Palette, Rules, RulesError};
    ///
    /// let rules = Rules { soil_period: 0, ..Rules::default() };
    /// assert_eq!(rules.check(&Palette::natural()), Err(RulesError::SoilPeriod(0)));
    /// assert_eq!(Rules::default().check(&Palette::natural()), Ok(()));
    /// ```
    pub fn check(&self, palette: &Palette) -> Result<(), RulesError> {
        self.water.check().map_err(RulesError::Water)?;
        self.soil.check::<Cube>().map_err(RulesError::Soil)?;
        self.blast.check(6.0).map_err(RulesError::Blast)?;
        let blast::Borders { x, y, z } = self.borders;
        if [x, y, z].contains(&blast::Border::Periodic) {
            return Err(RulesError::Periodic);
        }
        if self.soil.sweep != Sweep::Conservative {
            return Err(RulesError::Sweep(self.soil.sweep));
        }
        let scale = self.moisture_per_unit;
        let is_whole = (scale * f64::from(UNITS)).fract() == 0.0;
        if !(scale > 0.0 && scale <= f64::from(self.soil.cap) && is_whole) {
            return Err(RulesError::MoisturePerUnit(scale));
        }
        if self.soil_period == 0 {
            return Err(RulesError::SoilPeriod(0));
        }
        if self.blast_steps > MOST_BLAST_STEPS {
            return Err(RulesError::BlastSteps(self.blast_steps));
        }
        self.check_couplings()?;
        match self.submerged {
            Submerged::Damps(part) if !(0.0..=1.0).contains(&part) => {
                return Err(RulesError::Damping(part));
            }
            _ => {}
        }
        match self.throw_flow {
            Some(flow) if !(flow >= LEAST_THROW_FLOW && flow.is_finite()) => {
                return Err(RulesError::ThrowFlow(flow));
            }
            _ => {}
        }
        self.check_materials(palette)
    }

    fn check_couplings(&self) -> Result<(), RulesError> {
        let Couplings { seepage, depth_gain, .. } = self.couplings;
        if !(0.0..=1.0).contains(&seepage) {
            return Err(RulesError::Seepage(seepage));
        }
        if !(0.0..=16.0).contains(&depth_gain) {
            return Err(RulesError::DepthGain(depth_gain));
        }
        Ok(())
    }

    fn check_materials(&self, palette: &Palette) -> Result<(), RulesError> {
        // One unit more must have room under the cap, so that soil can hold too much.
        let most = (f64::from(self.soil.cap) / self.moisture_per_unit - 1.0).min(254.0) as u8;
        let least = self.soil.least_impermeability;
        for (id, material) in palette.materials() {
            let traits = palette.traits(id);
            if traits.is_permeable() && traits.impermeability < least {
                return Err(RulesError::Permeability {
                    material: material.name.clone(),
                    value: 1.0 / traits.impermeability,
                    most: 1.0 / least,
                });
            }
            if traits.capacity > most {
                return Err(RulesError::Capacity {
                    material: material.name.clone(),
                    value: traits.capacity,
                    most,
                });
            }
        }
        Ok(())
    }

    /// Returns the units of moisture, 1/65,536 each, that one unit of water is.
    pub(crate) fn scale(&self) -> u64 {
        (self.moisture_per_unit * f64::from(UNITS)) as u64
    }
}
