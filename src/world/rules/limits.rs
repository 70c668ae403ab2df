//! The limits of soaking and of springs for each material, computed from the rules: chances and
//! thresholds.

use crate::humidity::{self, UNITS};
use crate::water::random::fraction;
use crate::world::rules::Rules;
use crate::world::rules::couplings::Couplings;
use crate::world::rules::palette::Palette;

/// The depth of water, in cells above one another, up to which the chance of soaking rises.
pub(in crate::world) const MOST_DEPTH: usize = 16;

/// The limits for each material, computed from the rules.
pub(in crate::world) struct Limits {
    /// The units of moisture below which a cell has room for a unit of water, by material.
    room_below: Vec<u32>,
    /// The chances of soaking in 65,536ths, by material, then by the number of cells of water above
    /// one another, less one.
    chances: Vec<[u32; MOST_DEPTH]>,
    /// A cell that holds at least this many units of moisture gives a unit of water.
    pub(in crate::world) brim: u32,
    /// A cell that holds at least this many units of moisture gives a unit of water to the cell
    /// above.
    pub(in crate::world) brim_above: u32,
}

impl Limits {
    /// Returns the limits of rules that were checked with the palette.
    pub(in crate::world) fn of(rules: &Rules, palette: &Palette) -> Limits {
        // The scale is at most the cap, which is far below 2³².
        let scale = rules.scale() as u32;
        let Couplings { seepage, depth_gain, .. } = rules.couplings;
        let traits = || palette.materials().map(|(id, _)| palette.traits(id));
        let room_below = traits().map(|traits| match traits.capacity {
            0 => 0,
            capacity => u32::from(capacity - 1) * scale + 1,
        });
        let chances = palette.materials().map(|(_, material)| {
            let permeability = material.permeability.map_or(0.0, f64::from);
            core::array::from_fn(|above| {
                let chance = seepage * permeability * (1.0 + depth_gain * above as f64);
                fraction(chance.min(1.0))
            })
        });
        let highest = traits().map(|traits| u32::from(traits.capacity)).max().unwrap_or(0) * scale;
        Limits {
            room_below: room_below.collect(),
            chances: chances.collect(),
            brim: highest + scale,
            brim_above: below_at_rest(&rules.soil, highest).saturating_add(scale),
        }
    }

    /// Returns whether a cell of a material that holds these units of moisture has room for a unit
    /// of water.
    #[inline]
    pub(in crate::world) fn has_room(&self, material: u8, units: u32) -> bool {
        units < self.room_below[usize::from(material)]
    }

    /// Returns the number of units of moisture from which on a cell of a material has no room for a
    /// unit of water.
    pub(in crate::world) fn fill(&self, material: u8) -> u32 {
        self.room_below[usize::from(material)]
    }

    /// Returns the chances of soaking of a material in 65,536ths, by the number of cells of water
    /// above one another, less one.
    pub(in crate::world) fn chances(&self, material: u8) -> &[u32; MOST_DEPTH] {
        &self.chances[usize::from(material)]
    }
}

/// Returns the units of moisture, rounded up, that soil at rest holds below a cell that holds
/// `above`. The flux between the two cells is then zero.
pub(in crate::world) fn below_at_rest(rules: &humidity::Rules, above: u32) -> u32 {
    let cap = f64::from(rules.cap) * f64::from(UNITS);
    let (fall, above) = (f64::from(rules.fall) / f64::from(rules.coefficient), f64::from(above));
    // below − above = fall · min(above, cap − below)
    let below = (above * (1.0 + fall)).min((above + fall * cap) / (1.0 + fall));
    below.ceil() as u32
}

/// Returns the units of moisture, rounded down, that soil at rest holds above a cell that holds
/// `below`: the inverse of [`below_at_rest`].
pub(in crate::world) fn above_at_rest(rules: &humidity::Rules, below: u32) -> u32 {
    let cap = f64::from(rules.cap) * f64::from(UNITS);
    let (fall, below) = (f64::from(rules.fall) / f64::from(rules.coefficient), f64::from(below));
    let above = (below / (1.0 + fall)).max(below * (1.0 + fall) - fall * cap);
    above.floor() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, Cube, Region};
    use crate::humidity::{Cell, HumidityWorld};
    use glam::IVec3;

    #[test]
    fn soil_that_is_at_rest_below_other_soil_stays_as_it_is() {
        for fall in [0.0, 0.01, 1.0 / 32.0, 0.0625] {
            for above in [64.0, 384.0, 512.0, 900.0] {
                let rules = humidity::Rules { fall, ..humidity::Rules::default() };
                let column = Region::new(IVec3::ZERO, IVec3::Y);
                let mut world = HumidityWorld::<Cube>::with_bounds(rules, column).unwrap();
                world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
                let units = (above * f64::from(UNITS)) as u32;
                let below = f64::from(below_at_rest(&rules, units)) / f64::from(UNITS);
                world.set_humidity(IVec3::ZERO, below).unwrap();
                world.set_humidity(IVec3::Y, above).unwrap();
                world.run(10_000);
                let moved = (world.humidity(IVec3::Y) - above).abs();
                assert!(moved < 0.01, "fall {fall}: {moved} of {above}");
                assert!(below <= 1024.0 && (fall == 0.0) == (below == above));
            }
        }
    }

    #[test]
    fn a_unit_that_soil_keeps_or_gives_is_not_taken_back() {
        let (palette, rules) = (Palette::natural(), Rules::default());
        let limits = Limits::of(&rules, &palette);
        let scale = rules.scale() as u32;
        for (id, material) in palette.materials() {
            let capacity = u32::from(material.capacity) * scale;
            assert!(!limits.has_room(id.0, capacity), "{}", material.name);
            let last = capacity.checked_sub(scale);
            assert!(last.is_none_or(|last| limits.has_room(id.0, last)));
            assert!(last.is_none_or(|last| !limits.has_room(id.0, last + 1)));
            assert!(!limits.has_room(id.0, limits.brim - scale));
        }
        assert_eq!(limits.brim, 9 * scale);
        assert_eq!(limits.brim_above, 13 * scale, "(8 + 16) / 2 and one more");
    }
}
