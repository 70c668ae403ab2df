//! The messages into and out of worlds: edits, their outcomes, and changes.

use super::simulated::Simulated;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageId};
use bevy_ecs::reflect::ReflectMessage;
use bevy_reflect::Reflect;
use core::error::Error;
use core::fmt;

/// An incoming message: an edit, to be made in the world of an entity before its next tick.
/// Requests are made in the order in which they were written, by whichever system; each request is
/// answered by one [`EditOutcome`].
///
/// ```
/// use bevy_ecs::prelude::*;
/// use floodplain::bevy::{EditRequest, SimulationWorld};
/// use floodplain::water::{Edit, WaterWorld};
/// use floodplain::glam::IVec3;
///
/// fn build(
///     world: Single<Entity, With<SimulationWorld<WaterWorld>>>,
///     mut edits: MessageWriter<EditRequest<WaterWorld>>,
/// ) {
///     let request = edits.write(EditRequest { world: *world, edit: Edit::SetSolid(IVec3::ZERO) });
///     println!("outcome {request:?} will tell");
/// }
/// # let mut world = World::new();
/// # world.init_resource::<Messages<EditRequest<WaterWorld>>>();
/// # let water = WaterWorld::new(7, Default::default()).unwrap();
/// # world.spawn(SimulationWorld::new(water));
/// # world.run_system_cached(build).unwrap();
/// # assert_eq!(world.resource::<Messages<EditRequest<WaterWorld>>>().len(), 1);
/// ```
#[derive(Message, Reflect)]
#[type_path = "floodplain::bevy"]
#[reflect(Message)]
pub struct EditRequest<W: Simulated> {
    /// The entity with the [`SimulationWorld`](super::SimulationWorld).
    pub world: Entity,
    /// The edit to make.
    pub edit: W::Edit,
}

/// An outgoing message: the outcome of an edit. It is written by the end of
/// [`FloodplainSystems::Step`](super::FloodplainSystems::Step) of the update in which the edit was
/// made.
#[derive(Message, Reflect)]
#[type_path = "floodplain::bevy"]
#[reflect(Message)]
pub struct EditOutcome<W: Simulated> {
    /// The id that [`MessageWriter::write`](bevy_ecs::message::MessageWriter::write) returned for
    /// the request. `None` for an edit of water that was queued in the world itself, before the
    /// world was spawned or by [`world_mut`](super::SimulationWorld::world_mut).
    pub request: Option<MessageId<EditRequest<W>>>,
    /// The entity that the request named.
    pub world: Entity,
    /// The number of complete ticks of the world when the edit was made; 0 if there was no world.
    pub tick: u64,
    /// The result of the edit, or why nothing was changed.
    pub result: Result<W::Outcome, EditFailure<W::EditError>>,
}

/// Why a requested edit was not made.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[type_path = "floodplain::bevy"]
pub enum EditFailure<E> {
    /// The entity had no [`SimulationWorld`](super::SimulationWorld) of this kind, or lost it
    /// before the edit was made.
    NoWorld,
    /// The world refused the edit, which changed nothing.
    Refused(E),
}

impl<E: fmt::Display> fmt::Display for EditFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditFailure::NoWorld => f.write_str("the entity has no such world"),
            EditFailure::Refused(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for EditFailure<E> {}

/// An outgoing message: the changes of a world. One is written in each update in which a tick that
/// did anything was completed, an edit was made, or the [`SimulationWorld`](super::SimulationWorld)
/// was borrowed mutably. The first message has all loaded chunks. A world at rest writes none,
/// unless it has [currents](super::SimulationWorld::with_currents).
#[derive(Message)]
pub struct SimulationChanges<W: Simulated> {
    /// The entity of the world.
    pub world: Entity,
    /// The changes since the previous message. For water these are updates of a feed, and the first
    /// update has whole chunks: a [`Mirror`](crate::water::Mirror) that applies each update is a
    /// copy of the world.
    pub changes: W::Changes,
}

/// `Clone` and `Debug` are not derived, because derives would require a world that can be cloned
/// and printed.
impl<W: Simulated> Clone for EditRequest<W> {
    fn clone(&self) -> Self {
        EditRequest { world: self.world, edit: self.edit.clone() }
    }
}

impl<W: Simulated> fmt::Debug for EditRequest<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (&self.world, &self.edit);
        f.debug_struct("EditRequest").field("world", fields.0).field("edit", fields.1).finish()
    }
}

impl<W: Simulated> Clone for EditOutcome<W> {
    fn clone(&self) -> Self {
        EditOutcome { result: self.result.clone(), ..*self }
    }
}

impl<W: Simulated> fmt::Debug for EditOutcome<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditOutcome")
            .field("request", &self.request)
            .field("world", &self.world)
            .field("tick", &self.tick)
            .field("result", &self.result)
            .finish()
    }
}

impl<W: Simulated> Clone for SimulationChanges<W> {
    fn clone(&self) -> Self {
        SimulationChanges { world: self.world, changes: self.changes.clone() }
    }
}

impl<W: Simulated> fmt::Debug for SimulationChanges<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (&self.world, &self.changes);
        f.debug_struct("SimulationChanges")
            .field("world", fields.0)
            .field("changes", fields.1)
            .finish()
    }
}
