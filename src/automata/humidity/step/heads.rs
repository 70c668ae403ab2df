//! Heads: the humidity from which fluxes are computed, rounded down at different thresholds at each
//! face of a cell.
//!
//! If all fluxes of a cell were rounded in the same way, two of them could grow with the same unit.
//! The cell would then lose more than it got, and between rain and a drain it would oscillate for
//! ever, with all cells downstream. So the head at a face is a multiple of a few least flows, plus
//! a phase, and the six faces have six phases. With each least flow that a cell gets, the head
//! grows at one face at most, and the outflow grows by no more than the cell got. A step is then
//! order-preserving: wetter ground stays wetter. Since a step is conservative too, it is a
//! contraction in the sum of absolute differences (M. Crandall and L. Tartar, "Some relations
//! between nonexpansive and order preserving mappings", 1980). Two things follow:
//!
//! - If no cell dries in a step, none dries in any later step, and humidity is bounded. So the
//!   ground reaches a fixed point in finitely many steps, at which inflow equals outflow. Dry
//!   ground with rain and drains is such a case.
//! - Without rain and drains, in a cycle of states each cell would either only give or only get.
//!   The cell with the greatest humidity would give, and no cell reaches that humidity by its
//!   fluxes, each less than a quarter (sheets) or an eighth (cubes) of a difference. So there is no
//!   cycle except rest.
//!
//! Both require that a grain of head changes a flux by at most half of a least flow. Rules fulfil
//! this up to a certain coefficient and fall; faster rules have exact heads.

use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::rules::Rules;
use crate::coords::Face;

/// How humidities are rounded down to heads.
#[derive(Clone, Copy)]
pub(in crate::automata::humidity) struct Heads {
    /// The mask of the bits that a multiple of the grain may have, by axis.
    masks: [u32; 3],
    /// The phases in units, by [`Face::index`].
    phases: [u32; 6],
}

/// In least flows: the grain of each axis, and the phases of the faces. Heads at faces up and down
/// have the smaller grain in cubes, since the fall there doubles the part that flows.
const SHEET: ([u32; 3], [u32; 6]) = ([4, 4, 4], [0, 2, 1, 3, 0, 0]);
const CUBE: ([u32; 3], [u32; 6]) = ([8, 4, 8], [0, 4, 1, 3, 2, 6]);

impl Heads {
    pub(in crate::automata::humidity) fn of<S: HumidityShape>(rules: &Rules) -> Heads {
        let (grains, phases) = if S::NEIGHBOURS == 4 { SHEET } else { CUBE };
        // The greatest parts of a difference that flow across a face, including the fall.
        let least = f64::from(rules.least_impermeability);
        let level = f64::from(rules.coefficient) / least;
        let falling = level + f64::from(rules.fall) / least;
        let is_fine = |part: f64, grain: u32| 2.0 * part * f64::from(grain) <= 1.0;
        if !(is_fine(level, grains[0]) && is_fine(falling, grains[1])) {
            return Heads { masks: [u32::MAX; 3], phases: [0; 6] };
        }
        let least_flow = rules.least_flow_units();
        Heads {
            masks: grains.map(|grain| !(grain * least_flow - 1)),
            phases: phases.map(|phase| phase * least_flow),
        }
    }

    /// Returns the head of a cell at a face: less than a grain below the units of the cell; in
    /// nearly dry cells, less than a grain above.
    #[inline(always)]
    pub(in crate::automata::humidity) fn at(self, face: Face, units: u32) -> u32 {
        let phase = self.phases[face.index()];
        ((units.max(phase) - phase) & self.masks[face.index() / 2]) + phase
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{Cube, Sheet};

    /// Checks that with each additional least flow in a cell, at most one head grows.
    fn no_two_heads_grow_at_once_in<S: HumidityShape>(rules: &Rules) {
        let heads = Heads::of::<S>(rules);
        let flow = rules.least_flow_units();
        for units in (9 * flow..40 * flow).map(|units| units + 5) {
            let grows = |face: &&Face| heads.at(**face, units + flow) > heads.at(**face, units);
            let faces = &Face::ALL[..S::NEIGHBOURS];
            assert!(faces.iter().filter(grows).count() <= 1, "{units}");
            let behind = faces.iter().map(|&face| units - heads.at(face, units)).max();
            assert!(behind < Some(8 * flow), "{units}");
        }
    }

    #[test]
    fn no_two_heads_grow_at_once() {
        for least_flow in [1.0, 4.0].map(|flow| flow / 65_536.0) {
            let rules = Rules { least_flow, ..Rules::default() };
            no_two_heads_grow_at_once_in::<Sheet>(&rules);
            no_two_heads_grow_at_once_in::<Cube>(&rules);
        }
    }

    #[test]
    fn fast_rules_have_exact_heads() {
        let rules = Rules { coefficient: 0.5 / 12.0, ..Rules::default() };
        assert_eq!(Heads::of::<Cube>(&rules).at(Face::West, 77), 77);
        assert_eq!(Heads::of::<Sheet>(&rules).at(Face::West, 77), 76);
    }
}
