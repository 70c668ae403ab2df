//! The systems of a kind of worlds: they hand over edits, do a tick, and publish changes.

use super::messages::{EditFailure, EditOutcome, EditRequest, SimulationChanges};
use super::simulated::{Simulated, StepBudget};
use super::simulation::{ChunkSurface, SimulationChunk, SimulationWorld};
use bevy_ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{MessageReader, MessageWriter};
use bevy_ecs::system::{Commands, Query};

/// The worlds of a kind, with their own budgets.
type Budgeted<'w, 's, W> =
    Query<'w, 's, (Entity, &'static mut SimulationWorld<W>, Option<&'static StepBudget>)>;

/// Hands the requested edits to their worlds, in the order in which they were written.
pub(super) fn edit<W: Simulated>(
    mut requests: MessageReader<'_, '_, EditRequest<W>>,
    mut worlds: Query<'_, '_, &mut SimulationWorld<W>>,
    mut outcomes: MessageWriter<'_, EditOutcome<W>>,
) {
    for (EditRequest { world, edit }, request) in requests.read_with_id() {
        let outcome = match worlds.get_mut(*world) {
            Err(_) => Some(EditOutcome {
                request: Some(request),
                world: *world,
                tick: 0,
                result: Err(EditFailure::NoWorld),
            }),
            Ok(mut simulation) => {
                let quietly = simulation.bypass_change_detection();
                let outcome = quietly.submit(*world, request, edit.clone());
                mark(&mut simulation, outcome.as_slice());
                outcome
            }
        };
        outcomes.write_batch(outcome);
    }
}

/// Returns the system that does a tick of each world, or as much of it as its budget allows.
pub(super) fn step<W: Simulated>(
    default: StepBudget,
) -> impl FnMut(Budgeted<'_, '_, W>, MessageWriter<'_, EditOutcome<W>>) {
    move |mut worlds, mut outcomes| {
        for (entity, mut simulation, budget) in &mut worlds {
            let quietly = simulation.bypass_change_detection();
            let has_news = quietly.step(budget.copied().unwrap_or(default));
            let made = quietly.take_outcomes(entity);
            if has_news {
                simulation.set_changed();
            }
            mark(&mut simulation, &made);
            outcomes.write_batch(made);
        }
    }
}

/// Marks a world as changed if an edit in `made` was not refused.
fn mark<W: Simulated>(simulation: &mut impl DetectChangesMut, made: &[EditOutcome<W>]) {
    if made.iter().any(|outcome| outcome.result.is_ok()) {
        simulation.set_changed();
    }
}

/// Publishes what looks different in the worlds that have changed. Calls `then` with each such
/// world and its changes.
fn publish_changes<W: Simulated>(
    worlds: &mut Query<'_, '_, (Entity, &mut SimulationWorld<W>)>,
    messages: &mut MessageWriter<'_, SimulationChanges<W>>,
    mut then: impl FnMut(&mut SimulationWorld<W>, Entity, &W::Changes),
) {
    for (world, mut simulation) in worlds {
        if simulation.is_changed() {
            let simulation = simulation.bypass_change_detection();
            let changes = simulation.take_changes();
            then(simulation, world, &changes);
            messages.write(SimulationChanges { world, changes });
        }
    }
}

/// Publishes changes as messages alone.
pub(super) fn publish<W: Simulated>(
    mut worlds: Query<'_, '_, (Entity, &mut SimulationWorld<W>)>,
    mut messages: MessageWriter<'_, SimulationChanges<W>>,
) {
    publish_changes(&mut worlds, &mut messages, |_, _, _| {});
}

/// Publishes changes as messages and by the entities of chunks.
pub(super) fn publish_with_chunks<W: Simulated>(
    mut worlds: Query<'_, '_, (Entity, &mut SimulationWorld<W>)>,
    mut messages: MessageWriter<'_, SimulationChanges<W>>,
    mut chunks: Query<'_, '_, &mut SimulationChunk<W>>,
    mut surfaces: Query<'_, '_, &mut ChunkSurface<W>>,
    mut commands: Commands<'_, '_>,
) {
    publish_changes(&mut worlds, &mut messages, |simulation, world, changes| {
        let [changed, redrawn] = simulation.update_chunks(world, changes, &mut commands);
        // Chunks that are spawned now cannot be found yet, and count as changed anyway.
        for chunk in changed {
            _ = chunks.get_mut(chunk).map(|mut chunk| chunk.set_changed());
        }
        for chunk in redrawn {
            _ = surfaces.get_mut(chunk).map(|mut surface| surface.set_changed());
        }
    });
}
