//! Soil that breaks into open space leaves its moisture as water.

use crate::coords::Face;
use crate::world::World;
use crate::world::pressure::follow_in_blast;
use glam::IVec3;

/// Turns the moisture of broken soil into water in the cell where the soil was, in whole units, and
/// in the open cells around it if that cell has no room for all. The moisture has left the part of
/// soil already; moisture without room and fractions of a unit count as removed. Returns how many
/// cells took water.
pub(in crate::world) fn spill(world: &mut World, cell: IVec3, moisture: u64) -> u64 {
    let solid = |cell| world.material(cell).is_none_or(|id| world.palette.traits(id).solid);
    if !world.rules.spilling || moisture < world.rules.scale() || solid(cell) {
        return 0;
    }
    // A cell of soil holds less than 2³¹ units of moisture.
    let mut left = (moisture / world.rules.scale()) as u32;
    let around = Face::ALL.into_iter().filter_map(|face| face.step(cell));
    let mut changed = 0;
    for cell in core::iter::once(cell).chain(around) {
        // Solid cells and cells that are not loaded refuse water.
        let poured = world.water.pour(cell, left).unwrap_or(0);
        if poured > 0 {
            (left, world.spilled) = (left - poured, world.spilled + u64::from(poured));
            _ = follow_in_blast(world, cell);
            changed += 1;
        }
    }
    changed
}
