//! Charges, and other pressure added to a world: only to cells that are open to pressure at that
//! time.

use crate::automata::blast::charge::check_charge;
use crate::blast;
use crate::coords::{ChunkRegion, Cube, Region};
use crate::world::World;
use crate::world::pressure::reach::{forget_origins, reach_from};
use crate::world::pressure::{Matter, lend_region, matter_at};
use crate::world::rules::error::EditError;
use crate::world::tick::touched::touch_pressure;
use glam::IVec3;

pub(crate) fn charge(
    world: &mut World,
    centre: IVec3,
    radius: f32,
    pressure: f32,
) -> Result<f64, EditError> {
    world.settle();
    touch_pressure(world);
    let most = world.rules.most_radius;
    if radius > most {
        return Err(EditError::Radius { centre, value: radius, most });
    }
    check_pressure(world, centre, pressure)?;
    let takes_none =
        |cell| world.material(cell).is_none() || matter_at(world, cell) != Matter::Open;
    let check_sum = |cell, sum| check_pressure(world, cell, sum);
    let region = check_charge(&world.blast, centre, radius, pressure, takes_none, check_sum)?;
    world.check_loaded(Region::cell(centre))?;
    reach_from(world, ChunkRegion::of::<Cube>(Region::cell(centre)));
    lend_region(world, region)?;
    let added = world.blast.add_charge(centre, radius, pressure)?;
    lend_region(world, region)?;
    forget_origins(world);
    Ok(added)
}

/// Lends the blast the ground of a region, then sets the pressure there by an edit that open cells
/// do not refuse.
pub(in crate::world) fn set_pressure(
    world: &mut World,
    region: Region,
    pressure: f32,
    edit: blast::Edit,
) -> Result<blast::Outcome, EditError> {
    // Before any ground is lent: a refused edit changes nothing.
    world.blast.check_fill(region, pressure)?;
    world.check_loaded(region)?;
    check_pressure(world, region.min(), pressure)?;
    reach_from(world, ChunkRegion::of::<Cube>(region));
    lend_region(world, region)?;
    let outcome = world.blast.apply(edit)?;
    lend_region(world, region)?;
    forget_origins(world);
    Ok(outcome)
}

/// Checks a resulting pressure against the limit of the rules.
fn check_pressure(world: &World, cell: IVec3, value: f32) -> Result<(), EditError> {
    world.blast.check_pressure(cell, value)?;
    let most = world.rules.most_pressure;
    if value.abs() > most {
        return Err(EditError::Pressure { cell, value, most });
    }
    Ok(())
}
