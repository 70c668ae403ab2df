//! Edits in: their order, their answers, and what becomes of those that cannot be made.

use super::app::{app, chunk_entities, request, simulation, spawn, update};
use bevy_app::{App, FixedUpdate, Update};
use bevy_ecs::prelude::*;
use floodplain::bevy::{
    EditFailure, EditRequest, FloodplainPlugin, FloodplainSystems, SimulationWorld, StepBudget,
};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edit, EditError, Outcome, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos};
use support::queued::are_equal_but_for_tickets;

type Requests<'w> = MessageWriter<'w, EditRequest<WaterWorld>>;

fn plugin() -> FloodplainPlugin<WaterWorld> {
    FloodplainPlugin::new()
}

fn open_chunk() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world
}

const CELL: IVec3 = IVec3::new(4, 0, 4);

fn pour(units: u32) -> Edit {
    Edit::Pour { cell: CELL, units }
}

/// Two systems write in turn; scooped is what was poured before, and no more.
#[test]
fn requests_are_made_in_the_order_in_which_they_were_written() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    let write = |edits: Vec<Edit>| {
        move |mut requests: Requests| {
            for edit in edits.clone() {
                requests.write(EditRequest { world, edit });
            }
        }
    };
    let scoop = || Edit::Scoop { cell: CELL, units: 7 };
    let first = write(vec![pour(3), scoop(), pour(2)]);
    let second = write(vec![Edit::SetSolid(CELL), pour(1), Edit::ClearSolid(CELL), scoop()]);
    app.add_systems(FixedUpdate, (first, second).chain().before(FloodplainSystems::Edit));
    let seen = update::<WaterWorld>(&mut app);
    let answers: Vec<_> = seen.outcomes.into_iter().map(|outcome| outcome.result).collect();
    let displaced = Outcome::Displaced(floodplain::Displaced { moved: 2, removed: 0 });
    let expected = [
        Ok(Outcome::Units(3)),
        Ok(Outcome::Units(3)),
        Ok(Outcome::Units(2)),
        Ok(displaced),
        Err(EditFailure::Refused(EditError::Solid(CELL))),
        Ok(Outcome::Changed(true)),
        Ok(Outcome::Units(0)),
    ];
    assert_eq!(answers, expected);
}

#[test]
fn each_request_is_answered_by_its_id() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    let mut ids = Vec::new();
    for units in 1..5 {
        let edit = EditRequest::<WaterWorld> { world, edit: pour(units) };
        ids.push(app.world_mut().write_message(edit));
    }
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(seen.outcomes.iter().map(|outcome| outcome.request).collect::<Vec<_>>(), ids);
    assert!(update::<WaterWorld>(&mut app).outcomes.is_empty(), "once");
}

#[test]
fn refused_edits_change_nothing_and_tell_why() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    update::<WaterWorld>(&mut app);
    let far = IVec3::new(40, 0, 0);
    let fault = |edit| match edit {
        Edit::Pour { .. } => EditError::NotLoaded(far),
        Edit::FillWater { .. } => EditError::Height(8),
        _ => EditError::ChunkPresent(ChunkPos::ZERO),
    };
    let edits = [
        Edit::Pour { cell: far, units: 1 },
        Edit::FillWater { region: floodplain::Region::new(CELL, CELL), height: 8 },
        Edit::InsertChunk { position: ChunkPos::ZERO, chunk: Chunk::uniform(Voxel::SOLID) },
    ];
    let mut by_hand = WaterWorld::load(&simulation::<WaterWorld>(&app, world).world().save());
    let by_hand = by_hand.as_mut().unwrap();
    edits.iter().for_each(|edit| request::<WaterWorld>(&mut app, world, edit.clone()));
    let seen = update::<WaterWorld>(&mut app);
    let answers = seen.outcomes.into_iter().map(|outcome| outcome.result);
    let expected = edits.map(|edit| Err(EditFailure::Refused(fault(edit))));
    assert_eq!(answers.collect::<Vec<_>>(), expected);
    assert!(seen.changes.is_empty() && seen.worlds.is_empty() && seen.chunks.is_empty());
    by_hand.step();
    let saved = simulation::<WaterWorld>(&app, world).world().save();
    assert!(are_equal_but_for_tickets(&saved, &by_hand.save()));
}

#[test]
fn an_entity_without_a_world_is_named_in_the_answer() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    let empty = app.world_mut().spawn_empty().id();
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    for at in [empty, world, gone] {
        request::<WaterWorld>(&mut app, at, pour(1));
    }
    let seen = update::<WaterWorld>(&mut app);
    let mut answers: Vec<_> =
        seen.outcomes.into_iter().map(|outcome| (outcome.world, outcome.result)).collect();
    answers.sort_by_key(|(world, _)| *world);
    let mut expected = vec![
        (empty, Err(EditFailure::NoWorld)),
        (world, Ok(Outcome::Units(1))),
        (gone, Err(EditFailure::NoWorld)),
    ];
    expected.sort_by_key(|(world, _)| *world);
    assert_eq!(answers, expected);
}

/// An app with water in motion, an update of which does one piece of a tick, in the middle of one;
/// and two requests that wait for its end.
fn with_requests_that_wait() -> (App, Entity) {
    let mut app = app(plugin().with_budget(StepBudget::Cells(0)));
    let mut world = open_chunk();
    world.fill_water(floodplain::Region::new(CELL, CELL + IVec3::new(3, 9, 3)), 7).unwrap();
    let world = spawn(&mut app, world);
    assert!(!chunk_entities_after_update(&mut app, world).is_empty());
    [pour(1), pour(2)].into_iter().for_each(|edit| request::<WaterWorld>(&mut app, world, edit));
    let seen = update::<WaterWorld>(&mut app);
    assert!(seen.outcomes.is_empty(), "they wait");
    (app, world)
}

fn chunk_entities_after_update(app: &mut App, world: Entity) -> Vec<ChunkPos> {
    update::<WaterWorld>(app);
    chunk_entities::<WaterWorld>(app, world)
}

#[test]
fn a_world_that_goes_takes_its_chunks_along_and_answers_what_waits() {
    let (mut app, world) = with_requests_that_wait();
    let other = spawn(&mut app, open_chunk());
    update::<WaterWorld>(&mut app);
    app.world_mut().despawn(world);
    let seen = update::<WaterWorld>(&mut app);
    let answers = seen.outcomes.iter().map(|outcome| (outcome.world, outcome.result.clone()));
    assert_eq!(answers.collect::<Vec<_>>(), vec![(world, Err(EditFailure::NoWorld)); 2]);
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), []);
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, other), [ChunkPos::ZERO]);
}

#[test]
fn a_world_that_is_replaced_answers_for_the_old_one_and_begins_anew() {
    let (mut app, world) = with_requests_that_wait();
    let mut new = WaterWorld::new(8, Rules::lossless()).unwrap();
    new.insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
    app.world_mut().entity_mut(world).insert(SimulationWorld::new(new));
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(seen.outcomes.len(), 2);
    assert!(seen.outcomes.iter().all(|outcome| outcome.result == Err(EditFailure::NoWorld)));
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), [ChunkPos::new(1, 0, 0)]);
    let [changes] = &seen.changes[..] else { panic!("one message") };
    assert!(changes.changes.is_whole());
    assert_eq!(changes.changes.chunks().len(), 1);
}

/// As in a world that was saved with edits that waited.
#[test]
fn edits_queued_in_the_world_itself_are_answered_without_a_request() {
    let mut app = app(plugin());
    let mut queued = open_chunk();
    queued.queue(pour(2));
    let world = spawn(&mut app, queued);
    request::<WaterWorld>(&mut app, world, pour(4));
    let seen = update::<WaterWorld>(&mut app);
    let answers = seen.outcomes.iter();
    let answers = answers.map(|outcome| (outcome.request.is_some(), outcome.result.clone()));
    let expected = [(false, Ok(Outcome::Units(2))), (true, Ok(Outcome::Units(4)))];
    assert_eq!(answers.collect::<Vec<_>>(), expected);
}

/// Whoever takes reports meant for the plugin gets them, and later answers still find their
/// requests.
#[test]
fn an_answer_that_somebody_took_does_not_shift_the_others() {
    let (mut app, world) = with_requests_that_wait();
    let mut simulation = app.world_mut().get_mut::<SimulationWorld<WaterWorld>>(world).unwrap();
    let water = simulation.world_mut();
    water.clear_solid(CELL).unwrap(); // has those made that wait
    assert_eq!(water.take_edit_reports().len(), 2);
    let edit = EditRequest::<WaterWorld> { world, edit: Edit::AddSource(CELL) };
    let request = app.world_mut().write_message(edit);
    let outcomes: Vec<_> = (0..40).flat_map(|_| update::<WaterWorld>(&mut app).outcomes).collect();
    let [outcome] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!((outcome.request, outcome.result.is_ok()), (request, true));
}

#[test]
fn changes_made_by_hand_are_published() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    update::<WaterWorld>(&mut app);
    let mut simulation = app.world_mut().get_mut::<SimulationWorld<WaterWorld>>(world).unwrap();
    simulation
        .world_mut()
        .insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(Voxel::SOLID))
        .unwrap();
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(seen.changes.len(), 1);
    assert_eq!(
        chunk_entities::<WaterWorld>(&mut app, world),
        [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]
    );
}

/// A game whose other systems run more often than its water. No request is lost meanwhile.
#[test]
fn ticks_may_be_done_in_some_of_the_updates() {
    let mut app = app(plugin());
    use FloodplainSystems::{Publish, Step};
    let every_fifth = |mut updates: Local<u32>| {
        *updates += 1;
        updates.is_multiple_of(5)
    };
    app.configure_sets(FixedUpdate, (Step.run_if(every_fifth), Publish.run_if(every_fifth)));
    let world = spawn(&mut app, open_chunk());
    let mut answers = 0;
    for _ in 0..15 {
        request::<WaterWorld>(&mut app, world, pour(1));
        answers += update::<WaterWorld>(&mut app).outcomes.len();
    }
    assert_eq!((simulation::<WaterWorld>(&app, world).world().ticks(), answers), (3, 15));
}

/// Requests are written by a system that runs in each frame.
#[test]
fn a_world_is_taken_out_as_it_is() {
    let mut app = app(plugin());
    let world = spawn(&mut app, open_chunk());
    let write =
        move |mut requests: Requests| _ = requests.write(EditRequest { world, edit: pour(1) });
    app.add_systems(Update, write);
    (0..4).for_each(|_| app.update());
    let taken = app.world_mut().entity_mut(world).take::<SimulationWorld<WaterWorld>>().unwrap();
    let water = taken.into_world();
    assert_eq!((water.ticks(), water.total(), water.validate()), (4, 3, Ok(())));
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, world), []);
}

/// The chunk entities are those of its new entity, and whoever follows its messages is told all.
#[test]
fn a_world_that_is_put_on_another_entity_begins_anew_there() {
    let mut app = app(plugin());
    let first = spawn(&mut app, open_chunk());
    update::<WaterWorld>(&mut app);
    let taken = app.world_mut().entity_mut(first).take::<SimulationWorld<WaterWorld>>().unwrap();
    let second = app.world_mut().spawn(taken).id();
    let seen = update::<WaterWorld>(&mut app);
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, first), []);
    assert_eq!(chunk_entities::<WaterWorld>(&mut app, second), [ChunkPos::ZERO]);
    let [changes] = &seen.changes[..] else { panic!("one message") };
    assert!(changes.world == second && changes.changes.is_whole());
}
