//! Water from above: it falls on water, or on soil that has room for it.

use crate::coords::{Face, Region};
use crate::world::World;
use crate::world::rules::error::EditError;
use glam::IVec3;

/// Where the rain from a cell lands.
struct Landing {
    /// The lowest open cell that the rain passes: it holds the first water, or lies on ground.
    open: IVec3,
    /// The permeable cell below `open`, if `open` is dry and lies on permeable ground.
    soil: Option<IVec3>,
}

pub(crate) fn rain(world: &mut World, from: IVec3, units: u32) -> Result<u32, EditError> {
    world.settle();
    world.check_loaded(Region::cell(from))?;
    let material = world.ground.get(from);
    if world.palette.traits(material).solid {
        return Err(EditError::Ground { cell: from, material });
    }
    let Landing { open, soil } = landing(world, from);
    let mut left = units;
    if let Some(soil) = soil {
        left -= soak(world, soil, left);
    }
    for y in open.y..=from.y {
        left -= world.water.pour(open.with_y(y), left)?;
        if left == 0 {
            break;
        }
    }
    Ok(units - left)
}

/// Returns where the rain from an open cell lands.
fn landing(world: &World, from: IVec3) -> Landing {
    let mut open = from;
    while world.water.units(open) == 0 {
        let Some(below) = Face::Down.step(open) else { break };
        let Some(material) = world.material(below) else { break };
        let traits = world.palette.traits(material);
        if traits.solid {
            return Landing { open, soil: traits.is_permeable().then_some(below) };
        }
        open = below;
    }
    Landing { open, soil: None }
}

/// Puts whole units of water into permeable ground, up to `units` and as far as it has room.
/// Returns the number of units put in: 0 in soil that is rain, whose moisture never changes.
pub(in crate::world) fn soak(world: &mut World, cell: IVec3, units: u32) -> u32 {
    let scale = world.rules.scale();
    let capacity = world.palette.traits(world.ground.get(cell)).capacity;
    let held = world.soil.units(cell).unwrap_or(0);
    let room = (u64::from(capacity) * scale).saturating_sub(held.into()) / scale;
    // A capacity is at most the cap, so there is room for all of `soaked`.
    let soaked = room.min(units.into()) * scale;
    (u64::from(world.soil.add_units(cell, soaked as u32)) / scale) as u32
}
