//! Rules and materials as plain structs, with functions that fill in the defaults.
//!
//! Each struct that may grow begins with its `struct_size`, which the function that fills it in
//! sets. A struct of another size is of another version of the interface, and is refused.

use crate::border::{border, list, out, text};
use crate::places::face;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::{
    FpBlastRule, FpBorder, FpEdgeKind, FpPreset, FpSoilBorder, FpSweep, FpUnderWater,
};
use core::ffi::c_char;
use floodplain::water::{Edge, Edges};
use floodplain::world::{Couplings, Material, Palette, UnderWater};
use floodplain::{blast, humidity, water, world};

/// Checks the `struct_size` of a struct.
pub(crate) fn check_size<T>(found: u32) -> Answer {
    let wanted = size_of::<T>();
    if found as usize == wanted {
        return Ok(());
    }
    let words = format_args!("struct_size is {found}, not {wanted}: fill in the defaults first");
    Err(Fault::new(FpStatus::Size, words))
}

/// Returns the switch of a byte: 0 or 1.
fn switch(byte: u8, name: &str) -> Answer<bool> {
    match byte {
        0 | 1 => Ok(byte == 1),
        _ => Err(Fault::value(format_args!("{name} is 0 or 1, not {byte}"))),
    }
}

/// What water does at an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpEdge {
    /// An `FpEdgeKind`, not `FP_EDGE_KIND_RULES`.
    pub kind: u32,
    /// The y of the sea's highest cells, for `FP_EDGE_KIND_LEVEL`.
    pub level: i32,
}

impl FpEdge {
    /// Returns the edge; `None` for what the rules say.
    pub(crate) fn or_rules(self) -> Answer<Option<Edge>> {
        Ok(match FpEdgeKind::of(self.kind)? {
            FpEdgeKind::Wall => Some(Edge::Wall),
            FpEdgeKind::Drain => Some(Edge::Drain),
            FpEdgeKind::Held => Some(Edge::Held),
            FpEdgeKind::Level => Some(Edge::Level(self.level)),
            FpEdgeKind::Rules => None,
        })
    }

    fn edge(self) -> Answer<Edge> {
        self.or_rules()?.ok_or_else(|| Fault::tag("kind of edge of rules", self.kind))
    }
}

impl From<Edge> for FpEdge {
    fn from(edge: Edge) -> FpEdge {
        let (kind, level) = match edge {
            Edge::Wall => (FpEdgeKind::Wall, 0),
            Edge::Drain => (FpEdgeKind::Drain, 0),
            Edge::Held => (FpEdgeKind::Held, 0),
            Edge::Level(y) => (FpEdgeKind::Level, y),
        };
        FpEdge { kind: kind as u32, level }
    }
}

/// The rules of water. Begin with `fp_water_rules_default`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpWaterRules {
    /// The bytes of this struct.
    pub struct_size: u32,
    /// Units that a spring supplies in a tick, 0 to 7.
    pub source_supply: u8,
    /// Units that a cell passes on in a tick, 1 to 7.
    pub throughput: u8,
    /// Whether bodies of water level out: 0 or 1.
    pub pools: u8,
    /// Whether cells keep all neighbours that feed them: 0 or 1.
    pub many_parents: u8,
    /// The chance, 0 to 1, that a still surface cell of 2 units or more loses one in a tick.
    pub evaporation: f64,
    /// The same chance for a cell of a single unit.
    pub film_evaporation: f64,
    /// The edges at the faces of the bounds: west, east, down, up, north, south.
    pub outer: [FpEdge; 6],
    /// The edge beside chunks that are not loaded.
    pub unloaded: FpEdge,
}

impl FpWaterRules {
    pub(crate) fn rules(&self) -> Answer<water::Rules> {
        check_size::<Self>(self.struct_size)?;
        let mut edges = Edges { unloaded: self.unloaded.edge()?, ..Edges::WALLS };
        for (edge, given) in edges.outer.iter_mut().zip(self.outer) {
            *edge = given.edge()?;
        }
        Ok(water::Rules {
            evaporation: self.evaporation,
            film_evaporation: self.film_evaporation,
            source_supply: self.source_supply,
            throughput: self.throughput,
            edges,
            pools: switch(self.pools, "pools")?,
            many_parents: switch(self.many_parents, "many_parents")?,
        })
    }
}

impl From<&water::Rules> for FpWaterRules {
    fn from(rules: &water::Rules) -> FpWaterRules {
        FpWaterRules {
            struct_size: size_of::<FpWaterRules>() as u32,
            source_supply: rules.source_supply,
            throughput: rules.throughput,
            pools: rules.pools.into(),
            many_parents: rules.many_parents.into(),
            evaporation: rules.evaporation,
            film_evaporation: rules.film_evaporation,
            outer: rules.edges.outer.map(FpEdge::from),
            unloaded: rules.edges.unloaded.into(),
        }
    }
}

/// The rules of humidity. Begin with `fp_humidity_rules_default`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpHumidityRules {
    /// The bytes of this struct.
    pub struct_size: u32,
    /// An `FpSweep`.
    pub sweep: u32,
    /// The most humidity that a step leaves in a cell, above 0, up to 32,767.
    pub cap: f32,
    /// Of the conservative sweep: the part of a difference that flows in a step between cells of
    /// impermeability 1, above 0.
    pub coefficient: f32,
    /// Of the conservative sweep: the part of a cell's humidity that falls in a step.
    pub fall: f32,
    /// Of the conservative sweep: flows are multiples of this power of two, 1/65,536 to 1.
    pub least_flow: f32,
    /// The least impermeability of soil.
    pub least_impermeability: f32,
    /// An `FpSoilBorder` for each face: west, east, down, up, north, south.
    pub borders: [u32; 6],
}

impl FpHumidityRules {
    pub(crate) fn rules(&self) -> Answer<humidity::Rules> {
        check_size::<Self>(self.struct_size)?;
        let sweep = match FpSweep::of(self.sweep)? {
            FpSweep::InPlace => humidity::Sweep::InPlace,
            FpSweep::Synchronous => humidity::Sweep::Synchronous,
            FpSweep::Conservative => humidity::Sweep::Conservative,
        };
        let mut borders = [humidity::Border::Wall; 6];
        for (border, &given) in borders.iter_mut().zip(&self.borders) {
            *border = match FpSoilBorder::of(given)? {
                FpSoilBorder::Wall => humidity::Border::Wall,
                FpSoilBorder::Drain => humidity::Border::Drain,
            };
        }
        Ok(humidity::Rules {
            sweep,
            cap: self.cap,
            coefficient: self.coefficient,
            fall: self.fall,
            least_flow: self.least_flow,
            least_impermeability: self.least_impermeability,
            borders,
        })
    }
}

impl From<&humidity::Rules> for FpHumidityRules {
    fn from(rules: &humidity::Rules) -> FpHumidityRules {
        let sweep = match rules.sweep {
            humidity::Sweep::InPlace => FpSweep::InPlace,
            humidity::Sweep::Synchronous => FpSweep::Synchronous,
            humidity::Sweep::Conservative => FpSweep::Conservative,
        };
        let border = |border| match border {
            humidity::Border::Wall => FpSoilBorder::Wall as u32,
            humidity::Border::Drain => FpSoilBorder::Drain as u32,
        };
        FpHumidityRules {
            struct_size: size_of::<FpHumidityRules>() as u32,
            sweep: sweep as u32,
            cap: rules.cap,
            coefficient: rules.coefficient,
            fall: rules.fall,
            least_flow: rules.least_flow,
            least_impermeability: rules.least_impermeability,
            borders: rules.borders.map(border),
        }
    }
}

/// The rules of pressure. Begin with `fp_blast_rules_default`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpBlastRules {
    /// The bytes of this struct.
    pub struct_size: u32,
    /// An `FpBlastRule`.
    pub rule: u32,
    /// The part of a difference that flows over a link in a step, above 0.
    pub coefficient: f64,
    /// Of waves: the share of a flow that is left after a step, 0 to 1. Else unused.
    pub damping: f64,
    /// The pressure at which a chunk opens, and below which all in it is silent, 0 or more.
    pub threshold: f64,
}

impl FpBlastRules {
    pub(crate) fn rules(&self) -> Answer<blast::Rules> {
        check_size::<Self>(self.struct_size)?;
        let rules = match FpBlastRule::of(self.rule)? {
            FpBlastRule::Diffusive => blast::Rules::diffusive(self.coefficient),
            FpBlastRule::Wave => blast::Rules::wave(self.coefficient, self.damping),
        };
        Ok(blast::Rules { threshold: self.threshold, ..rules })
    }
}

impl From<&blast::Rules> for FpBlastRules {
    fn from(rules: &blast::Rules) -> FpBlastRules {
        let (rule, damping) = match rules.rule {
            blast::Rule::Diffusive { .. } => (FpBlastRule::Diffusive, 0.0),
            blast::Rule::Wave { damping, .. } => (FpBlastRule::Wave, damping),
        };
        FpBlastRules {
            struct_size: size_of::<FpBlastRules>() as u32,
            rule: rule as u32,
            coefficient: rules.rule.coefficient(),
            damping,
            threshold: rules.threshold,
        }
    }
}

/// Returns the borders of three numbers, for x, y and z.
pub(crate) fn borders(numbers: [u32; 3]) -> Answer<blast::Borders> {
    let border = |number| {
        Ok::<_, Fault>(match FpBorder::of(number)? {
            FpBorder::Rigid => blast::Border::Rigid,
            FpBorder::Open => blast::Border::Open,
            FpBorder::Periodic => blast::Border::Periodic,
        })
    };
    let [x, y, z] = numbers;
    Ok(blast::Borders { x: border(x)?, y: border(y)?, z: border(z)? })
}

fn border_number(border: blast::Border) -> u32 {
    match border {
        blast::Border::Rigid => FpBorder::Rigid as u32,
        blast::Border::Open => FpBorder::Open as u32,
        blast::Border::Periodic => FpBorder::Periodic as u32,
    }
}

/// The rules of a world of materials. Begin with `fp_materials_rules_default`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpMaterialsRules {
    /// The bytes of this struct.
    pub struct_size: u32,
    /// Moisture moves in every tick that is a multiple of this, 1 or more.
    pub soil_period: u32,
    /// The rules of water.
    pub water: FpWaterRules,
    /// The rules of moisture; the sweep is the conservative one.
    pub soil: FpHumidityRules,
    /// An `FpBorder` for x, y and z, none of them periodic.
    pub borders: [u32; 3],
    /// The rules of pressure.
    pub blast: FpBlastRules,
    /// The moisture in a unit of water, in 1/65,536: above 0.
    pub moisture_per_unit: u32,
    /// Unused.
    pub reserved: u32,
    /// Steps of pressure in a tick, 0 to 1,000.
    pub blast_steps: u32,
    /// Chunks that pressure travels along each axis, 0 to 64.
    pub blast_reach: u32,
    /// The share of a pressure that fades in a step, 0 to 1.
    pub blast_fading: f32,
    /// The most pressure that an edit may leave in a cell.
    pub most_pressure: f32,
    /// The largest radius of a charge, in cells.
    pub most_radius: f32,
    /// The share of pressure that water keeps in a step, 0 to 1, for `FP_UNDER_WATER_DAMPS`.
    pub damping: f32,
    /// An `FpUnderWater`.
    pub under_water: u32,
    /// Whether pressure breaks ground: 0 or 1.
    pub breaking: u8,
    /// Whether soil that breaks leaves its moisture as water: 0 or 1.
    pub spilling: u8,
    /// Whether soil gives water back: 0 or 1.
    pub springs: u8,
    /// Whether what evaporates goes into the soil below: 0 or 1.
    pub ebb: u8,
    /// The flow of pressure that throws a unit of water, 0.001 or more; 0: none is thrown.
    pub throw_flow: f64,
    /// The chance, 0 to 1, that a cell of permeability 1 soaks up a unit in a step of soil.
    pub seepage: f64,
    /// The relative increase of that chance for each cell of water above, 0 to 16.
    pub depth_gain: f64,
}

impl FpMaterialsRules {
    pub(crate) fn rules(&self) -> Answer<world::Rules> {
        check_size::<Self>(self.struct_size)?;
        let under_water = match FpUnderWater::of(self.under_water)? {
            FpUnderWater::Stops => UnderWater::Stops,
            FpUnderWater::Passes => UnderWater::Passes,
            FpUnderWater::Damps => UnderWater::Damps(self.damping),
        };
        let couplings = Couplings {
            seepage: self.seepage,
            depth_gain: self.depth_gain,
            springs: switch(self.springs, "springs")?,
            ebb: switch(self.ebb, "ebb")?,
        };
        Ok(world::Rules {
            water: self.water.rules()?,
            soil: self.soil.rules()?,
            blast: self.blast.rules()?,
            borders: borders(self.borders)?,
            moisture_per_unit: self.moisture_per_unit,
            soil_period: self.soil_period,
            blast_steps: self.blast_steps,
            blast_fading: self.blast_fading,
            blast_reach: self.blast_reach,
            most_pressure: self.most_pressure,
            most_radius: self.most_radius,
            breaking: switch(self.breaking, "breaking")?,
            couplings,
            spilling: switch(self.spilling, "spilling")?,
            under_water,
            throw_flow: (self.throw_flow != 0.0).then_some(self.throw_flow),
        })
    }
}

impl From<&world::Rules> for FpMaterialsRules {
    fn from(rules: &world::Rules) -> FpMaterialsRules {
        let (under_water, damping) = match rules.under_water {
            UnderWater::Passes => (FpUnderWater::Passes, 0.0),
            UnderWater::Damps(share) => (FpUnderWater::Damps, share),
            _ => (FpUnderWater::Stops, 0.0),
        };
        let blast::Borders { x, y, z } = rules.borders;
        FpMaterialsRules {
            struct_size: size_of::<FpMaterialsRules>() as u32,
            soil_period: rules.soil_period,
            water: (&rules.water).into(),
            soil: (&rules.soil).into(),
            borders: [x, y, z].map(border_number),
            blast: (&rules.blast).into(),
            moisture_per_unit: rules.moisture_per_unit,
            reserved: 0,
            blast_steps: rules.blast_steps,
            blast_reach: rules.blast_reach,
            blast_fading: rules.blast_fading,
            most_pressure: rules.most_pressure,
            most_radius: rules.most_radius,
            damping,
            under_water: under_water as u32,
            breaking: rules.breaking.into(),
            spilling: rules.spilling.into(),
            springs: rules.couplings.springs.into(),
            ebb: rules.couplings.ebb.into(),
            throw_flow: rules.throw_flow.unwrap_or(0.0),
            seepage: rules.couplings.seepage,
            depth_gain: rules.couplings.depth_gain,
        }
    }
}

/// A material of a palette. The names are the caller's, and are copied.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FpMaterial {
    /// Its name in UTF-8, ended by a byte of 0; unique.
    pub name: *const c_char,
    /// The name of the material that it becomes when it breaks; null if it never breaks.
    pub breaks_into: *const c_char,
    /// How easily moisture passes, 10⁻³⁰ to 10³⁰; 0 for impermeable ground and open space.
    pub permeability: f32,
    /// The pressure difference that breaks it, above 0; unused if it never breaks.
    pub strength: f32,
    /// Whether it is ground: 0 or 1.
    pub solid: u8,
    /// The whole units of water that a cell of it soaks up; 0 if it is not permeable.
    pub capacity: u8,
    /// Unused.
    pub reserved: [u8; 6],
}

/// Returns the palette of a list of materials; of an empty list, the natural one.
///
/// # Safety
/// The caller's promises.
pub(crate) unsafe fn palette(materials: *const FpMaterial, count: usize) -> Answer<Palette> {
    // SAFETY: as of this function.
    let materials = unsafe { list(materials, count, "materials") }?;
    if materials.is_empty() {
        return Ok(Palette::natural());
    }
    // SAFETY: as of this function.
    let materials = materials.iter().map(|material| unsafe { named(material) });
    let materials: Vec<Material> = materials.collect::<Answer<_>>()?;
    Ok(Palette::new(materials)?)
}

/// Returns a material with its names.
///
/// # Safety
/// The caller's promises.
unsafe fn named(material: &FpMaterial) -> Answer<Material> {
    // SAFETY: as of this function.
    let name = unsafe { text(material.name, "name") }?;
    let breaks_into = match material.breaks_into.is_null() {
        true => None,
        // SAFETY: as of this function.
        false => Some(unsafe { text(material.breaks_into, "breaks_into") }?.to_owned()),
    };
    Ok(Material {
        name: name.to_owned(),
        solid: switch(material.solid, "solid")?,
        permeability: (material.permeability != 0.0).then_some(material.permeability),
        strength: breaks_into.is_some().then_some(material.strength),
        capacity: material.capacity,
        breaks_into,
    })
}

/// Returns the fixture of numbers, as edits have them.
pub(crate) fn fixture(
    kind: crate::tags::FpFixture,
    rate: u32,
    towards: u32,
) -> Answer<Option<water::Fixture>> {
    use crate::tags::FpFixture;
    let units =
        || u8::try_from(rate).map_err(|_| Fault::value(format_args!("a rate of {rate} units")));
    Ok(match kind {
        FpFixture::Nothing => None,
        FpFixture::Drain => Some(water::Fixture::Drain(units()?)),
        FpFixture::Tap => Some(water::Fixture::Tap(units()?)),
        FpFixture::Valve => Some(water::Fixture::Valve { towards: face(towards)?, rate: units()? }),
    })
}

/// Fills in rules of water by an `FpPreset`.
///
/// Errors: `FP_STATUS_POINTER`; `FP_STATUS_TAG` for a number that is no preset. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_rules_default(preset: u32, rules: *mut FpWaterRules) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let rules = unsafe { out(rules, "rules") }?;
        let preset = match FpPreset::of(preset)? {
            FpPreset::Default => water::Rules::default(),
            FpPreset::Lossless => water::Rules::lossless(),
            FpPreset::Puddle => water::Rules::puddle(),
            FpPreset::Rain => water::Rules::rain(),
            FpPreset::Desert => water::Rules::desert(),
        };
        rules.put((&preset).into());
        Ok(())
    })
}

/// Fills in the default rules of a world of materials.
///
/// Errors: `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_rules_default(rules: *mut FpMaterialsRules) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        unsafe { out(rules, "rules") }?.put((&world::Rules::default()).into());
        Ok(())
    })
}

/// Fills in the default rules of humidity.
///
/// Errors: `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_humidity_rules_default(rules: *mut FpHumidityRules) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        unsafe { out(rules, "rules") }?.put((&humidity::Rules::default()).into());
        Ok(())
    })
}

/// Fills in the default rules of pressure.
///
/// Errors: `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_rules_default(rules: *mut FpBlastRules) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        unsafe { out(rules, "rules") }?.put((&blast::Rules::default()).into());
        Ok(())
    })
}
