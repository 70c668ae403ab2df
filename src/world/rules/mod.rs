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
use crate::world::rules::couplings::Couplings;
use crate::world::rules::palette::Palette;
use crate::{blast, water};
use core::fmt;

/// The most steps of explosions in a tick.
const MOST_BLAST_STEPS: u32 = 1_000;

/// The largest reach of pressure that rules may set, in chunks.
const MOST_BLAST_REACH: u32 = 64;

/// The least flow that rules may set for throwing water.
const LEAST_THROW_FLOW: f64 = 0.001;

/// The rules of a world. They never change, except the rules of water, by
/// [`water::Edit::SetRules`].
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
    /// The steps of pressure in a tick while there is any, 0 to 1,000; 8 by default, so few that
    /// the spreading of a wave is visible.
    pub blast_steps: u32,
    /// The share of each pressure that fades in each of its steps, 0 to 1; 0.03 by default. Without
    /// it, the pressure of a charge in a closed room stays there. The ledger of pressure counts
    /// faded pressure as removed.
    pub blast_fading: f32,
    /// How many chunks pressure travels from the chunk in which it was added to the world, along
    /// each axis, up to 64; 4 by default. Pressure that would go further leaves the world, until
    /// all is silent.
    pub blast_reach: u32,
    /// The most pressure that an edit may leave in a cell, by its size, from 0 to
    /// [`PRESSURE_LIMIT`](blast::PRESSURE_LIMIT); 10,000 by default.
    pub most_pressure: f32,
    /// The largest radius of a charge, from [`LEAST_CHARGE_RADIUS`](blast::LEAST_CHARGE_RADIUS) on;
    /// 16 by default.
    pub most_radius: f32,
    /// Whether pressure breaks ground, as [`Material::strength`](crate::world::Material::strength)
    /// says. `true` by default; `false`: all ground withstands it.
    pub breaking: bool,
    /// The exchange between water and soil; all of it by default.
    pub couplings: Couplings,
    /// Whether soil that breaks into open space leaves its moisture there as water, in whole units;
    /// the rest counts as removed. If this is `false`, all of it counts as removed. `true` by
    /// default.
    pub spilling: bool,
    /// What full cells of water are to pressure; they stop it by default.
    pub under_water: UnderWater,
    /// The [flow](crate::blast::BlastWorld::flow) that throws a unit of water, by its length after
    /// the steps of a tick, at least 0.001; `None` for no throws. By default 4. A cell of water
    /// with room above it loses a unit for each multiple of this in the length of the flow, up to 7
    /// units. The flow is the one through the cell, or the one over it if the cell stops pressure.
    /// Each unit flies up, the further the more are thrown, and sideways in the direction of the
    /// flow. Springs and the sea lose no units, nor does water in a frozen chunk or straight below
    /// one, and no unit enters a frozen chunk.
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
    /// They stop it, as ground does that nothing breaks. Pressure in a cell that fills up is gone,
    /// which its ledger counts as removed.
    #[default]
    Stops,
    /// They are as open to it as air.
    Passes,
    /// They let it in, and keep this share of it from each step to the next, 0 to 1: it fades as it
    /// passes. Faded pressure counts as removed, or as placed if it was below 0.
    Damps(f32),
}

/// Why rules, or rules together with a palette, were refused.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum RulesError {
    /// The rules of water.
    Water(water::RulesError),
    /// The rules of soil.
    Soil(humidity::RulesError),
    /// The rules of pressure.
    Blast(blast::RulesError),
    /// A periodic border of pressure, which the other parts lack.
    Periodic,
    /// A sweep without a ledger of moisture.
    Sweep(Sweep),
    /// A [`moisture_per_unit`](Rules::moisture_per_unit) of 0, or more than the cap of the rules of
    /// soil.
    MoisturePerUnit(u32),
    /// A period of 0.
    SoilPeriod(u32),
    /// More than 1,000 steps.
    BlastSteps(u32),
    /// A fading share that is not a number from 0 to 1.
    BlastFading(f32),
    /// A reach of more than 64 chunks.
    BlastReach(u32),
    /// A [`most_pressure`](Rules::most_pressure) that is not a number from 0 to
    /// [`PRESSURE_LIMIT`](blast::PRESSURE_LIMIT).
    MostPressure(f32),
    /// A [`most_radius`](Rules::most_radius) that is not a number from
    /// [`LEAST_CHARGE_RADIUS`](blast::LEAST_CHARGE_RADIUS) on.
    MostRadius(f32),
    /// A [`seepage`](Couplings::seepage) that is not a number from 0 to 1.
    Seepage(f64),
    /// A [`depth_gain`](Couplings::depth_gain) that is not a number from 0 to 16.
    DepthGain(f64),
    /// A share of [`UnderWater::Damps`] that is not a number from 0 to 1.
    Damping(f32),
    /// A [`throw_flow`](Rules::throw_flow) that is not a number from 0.001 on.
    ThrowFlow(f64),
    /// A material with a permeability above the limit of the rules of soil.
    Permeability {
        /// The material's name.
        material: String,
        /// Its permeability.
        value: f32,
        /// The most: 1 / [`least_impermeability`](humidity::Rules::least_impermeability).
        most: f32,
    },
    /// A material with a capacity such that one unit more is above the most that a step leaves in a
    /// cell.
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
                "moisture_per_unit, in units of 1/65,536, is above 0 and at most the cap, not {value}"
            ),
            RulesError::SoilPeriod(value) => write!(f, "soil_period is 1 or more, not {value}"),
            RulesError::BlastSteps(value) => {
                write!(f, "blast_steps is 0 to {MOST_BLAST_STEPS}, not {value}")
            }
            RulesError::BlastFading(value) => {
                write!(f, "0 to 1 of pressure fades in a step, not {value}")
            }
            RulesError::BlastReach(value) => {
                write!(f, "pressure reaches 0 to {MOST_BLAST_REACH} chunks, not {value}")
            }
            RulesError::MostPressure(value) => {
                write!(f, "most_pressure is 0 to {:e}, not {value}", blast::PRESSURE_LIMIT)
            }
            RulesError::MostRadius(value) => {
                let least = blast::LEAST_CHARGE_RADIUS;
                write!(f, "most_radius is a number from {least} on, not {value}")
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
        if scale == 0 || f64::from(scale) > f64::from(self.soil.cap) * f64::from(UNITS) {
            return Err(RulesError::MoisturePerUnit(scale));
        }
        if self.soil_period == 0 {
            return Err(RulesError::SoilPeriod(0));
        }
        if self.blast_steps > MOST_BLAST_STEPS {
            return Err(RulesError::BlastSteps(self.blast_steps));
        }
        self.check_charges()?;
        self.check_couplings()?;
        match self.under_water {
            UnderWater::Damps(part) if !(0.0..=1.0).contains(&part) => {
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

    fn check_charges(&self) -> Result<(), RulesError> {
        if !(0.0..=1.0).contains(&self.blast_fading) {
            return Err(RulesError::BlastFading(self.blast_fading));
        }
        if self.blast_reach > MOST_BLAST_REACH {
            return Err(RulesError::BlastReach(self.blast_reach));
        }
        if !(0.0..=blast::PRESSURE_LIMIT).contains(&self.most_pressure) {
            return Err(RulesError::MostPressure(self.most_pressure));
        }
        if !(self.most_radius >= blast::LEAST_CHARGE_RADIUS && self.most_radius.is_finite()) {
            return Err(RulesError::MostRadius(self.most_radius));
        }
        Ok(())
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
        let cap = f64::from(self.soil.cap) * f64::from(UNITS);
        let most = (cap / f64::from(self.moisture_per_unit) - 1.0).min(254.0) as u8;
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

    /// Returns the units of moisture, 1/65,536 each, in one unit of water.
    pub(crate) fn scale(&self) -> u64 {
        self.moisture_per_unit.into()
    }
}
