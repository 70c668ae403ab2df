//! Edits of the fixtures of single cells.

use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::fixture::Fixture;
use crate::water::store::fixtures;
use glam::IVec3;

pub(super) fn set_fixture(
    world: &mut WaterWorld,
    cell: IVec3,
    fixture: Option<Fixture>,
) -> Result<bool, EditError> {
    world.make_queued_edits();
    if let Some(wrong) = fixture.filter(|fixture| !fixture.is_valid()) {
        return Err(EditError::Rate(wrong.rate()));
    }
    if fixtures::fixture(&world.store, world.place(cell)?) == fixture {
        return Ok(false);
    }
    let place = world.place_to_edit(cell)?;
    fixtures::set_fixture(&mut world.store, place, fixture);
    world.store.note_change(place);
    Ok(true)
}
