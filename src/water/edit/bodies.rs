//! Edits of bodies of water: units are taken from the surface of a body, or added at its surface.

use crate::water::WaterWorld;
use crate::water::body::{BodySearch, sea_fills};
use crate::water::edit::EditError;
use crate::water::edit::displace::{REACH, fill_from};
use glam::IVec3;

pub(super) fn drain_body(
    world: &mut WaterWorld,
    cell: IVec3,
    units: u32,
) -> Result<u32, EditError> {
    world.make_queued_edits();
    let start = world.open_place_to_edit(cell)?;
    let voxel = world.store.read(start);
    if voxel.is_sea() {
        world.take_from_sea(units);
        return Ok(units);
    }
    if !voxel.is_wet() {
        return Ok(0);
    }
    let (mut search, mut left) = (BodySearch::new(world, start, REACH), units);
    while left > 0 {
        let Some(place) = search.next(world) else { break };
        let voxel = world.store.read(place);
        if voxel.is_source() {
            world.take_out(place, left);
            left = 0;
        } else if sea_fills(world, place) {
            world.take_from_sea(left);
            left = 0;
        } else {
            let given = left.min(voxel.height().into());
            world.take_out(place, given);
            left -= given;
        }
    }
    world.searched += REACH - search.left();
    Ok(units - left)
}

pub(super) fn fill_body(world: &mut WaterWorld, cell: IVec3, units: u32) -> Result<u32, EditError> {
    world.make_queued_edits();
    let start = world.open_place_to_edit(cell)?;
    let is_sea = world.store.read(start).is_sea();
    let left = if is_sea { 0 } else { fill_from(world, start, units.into()) as u32 };
    let added = units - left;
    world.ledger.placed += u64::from(added);
    if is_sea {
        world.ledger.into_sea += u64::from(added);
    }
    Ok(added)
}
