//! Soil that breaks into open space leaves its moisture as water.

use crate::coords::Face;
use crate::world::World;
use glam::IVec3;

impl World {
    /// Turns the moisture of broken soil into water in the cell where the soil was, in whole units,
    /// and in the open cells around it if that cell has no room for all. The moisture has left the
    /// part of soil already; moisture without room and fractions of a unit count as removed.
    /// Returns how many cells took water.
    pub(in crate::world) fn spill(&mut self, cell: IVec3, moisture: u64) -> u64 {
        let solid = |cell| self.material(cell).is_none_or(|id| self.palette.traits(id).solid);
        if !self.rules.spilling || moisture < self.rules.scale() || solid(cell) {
            return 0;
        }
        // Soil holds so little that this is at most 2³¹ units.
        let mut left = (moisture / self.rules.scale()) as u32;
        let around = Face::ALL.into_iter().filter_map(|face| face.step(cell));
        let mut changed = 0;
        for cell in core::iter::once(cell).chain(around) {
            // Solid cells and cells that are not loaded refuse water.
            let poured = self.water.pour(cell, left).unwrap_or(0);
            if poured > 0 {
                (left, self.spilled) = (left - poured, self.spilled + u64::from(poured));
                _ = self.follow_in_blast(cell);
                changed += 1;
            }
        }
        changed
    }
}
