//! The components: a world, and its loaded chunks as entities.

use super::messages::{EditFailure, EditOutcome, EditRequest};
use super::simulated::{Simulated, StepBudget, Submitted};
use crate::coords::ChunkPos;
use crate::edit_queue::{EditReport, Ticket};
use crate::simulation::Progress;
use crate::water::ChunkEvent;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::message::MessageId;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::system::Commands;
use bevy_ecs::world::{DeferredWorld, World};
use bevy_platform::time::Instant;
use bevy_reflect::Reflect;
use core::marker::PhantomData;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

/// A world as a component. Any number of entities may have one; with the
/// [plugin](super::FloodplainPlugin) of its kind, each does its ticks in `FixedUpdate`.
///
/// A world is a component and not a resource, so that a game may have several: planets, rooms, a
/// preview. It counts as [`Changed`](bevy_ecs::query::Changed) when a tick or an edit changed
/// anything in it. While it is at rest it does not, unless it has [currents](Self::with_currents).
///
/// If the component is removed, replaced or despawned, its chunk entities go with it, and edits
/// that still wait are answered by [`EditFailure::NoWorld`]. To replace a world, as by one that was
/// loaded, insert a new `SimulationWorld`.
///
/// ```
/// use floodplain::bevy::SimulationWorld;
/// use floodplain::water::{Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut water = WaterWorld::new(7, Rules::lossless())?;
/// water.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let mut app = bevy_ecs::world::World::new();
/// let entity = app.spawn(SimulationWorld::new(water)).id();
/// let simulation = app.get::<SimulationWorld<WaterWorld>>(entity).expect("it was spawned");
/// assert_eq!(simulation.world().chunks().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Component, Reflect)]
#[component(on_discard = discard::<W>)]
#[type_path = "floodplain::bevy"]
#[reflect(Component, from_reflect = false)]
pub struct SimulationWorld<W: Simulated> {
    #[reflect(ignore)]
    world: W,
    #[reflect(ignore)]
    follower: W::Follower,
    /// The entities of loaded chunks, by the order of their positions.
    #[reflect(ignore)]
    chunks: BTreeMap<ChunkPos, Entity>,
    /// The requests that wait in the world, by their tickets there.
    #[reflect(ignore)]
    waiting: VecDeque<(Ticket, MessageId<EditRequest<W>>)>,
    progress: Progress,
    time: Duration,
    /// Whether the tick underway has changed anything.
    #[reflect(ignore)]
    has_moved: bool,
    #[reflect(ignore)]
    with_currents: bool,
}

impl<W: Simulated> SimulationWorld<W> {
    /// Returns the component of a world. Changes that have not been taken from the world are
    /// dropped: the first [message](super::SimulationChanges) has all its chunks.
    pub fn new(world: W) -> Self {
        SimulationWorld {
            world,
            follower: W::Follower::default(),
            chunks: BTreeMap::new(),
            waiting: VecDeque::new(),
            progress: Progress::default(),
            time: Duration::ZERO,
            has_moved: false,
            with_currents: false,
        }
    }

    /// Makes the [changes](super::SimulationChanges) of water hold its currents, too: for a client
    /// that follows its mirror by a [`FlowField`](crate::water::FlowField). Then there is a message
    /// after each complete tick, also at rest, so that the field of the client comes to rest. What
    /// the currents cost: [`send_currents`](crate::water::Feed::send_currents). Worlds without
    /// water have no currents.
    #[must_use]
    pub fn with_currents(mut self) -> Self {
        self.with_currents = true;
        self
    }

    /// Returns the world, for reading.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Returns the world, for immediate changes, outside the order of requests.
    ///
    /// An edit of water made here completes the tick underway, whatever that costs. The functions
    /// `take_changes` and `take_edit_reports` are for the plugin alone, which does not publish
    /// changes that are taken here. A chunk of an automaton that is removed and put back here
    /// within one update is not published as loaded; use a request instead.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    /// Returns the world. First take the component off its entity by
    /// [`take`](bevy_ecs::world::EntityWorldMut::take). Waiting edits of water stay queued in the
    /// world, although their requests have been answered.
    pub fn into_world(self) -> W {
        self.world
    }

    /// Returns the entity of the chunk at a chunk position; `None` if the chunk was not loaded when
    /// changes were last published, or if the plugin has [no chunk
    /// entities](super::FloodplainPlugin::without_chunks).
    pub fn chunk(&self, position: ChunkPos) -> Option<Entity> {
        self.chunks.get(&position).copied()
    }

    /// Returns the report of the last update.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Returns how long the last update took.
    pub fn step_time(&self) -> Duration {
        self.time
    }

    /// Hands an edit to the world. Returns its outcome, unless the edit waits for the next tick.
    pub(super) fn submit(
        &mut self,
        entity: Entity,
        request: MessageId<EditRequest<W>>,
        edit: W::Edit,
    ) -> Option<EditOutcome<W>> {
        let tick = self.world.ticks();
        match self.world.submit(&mut self.follower, edit) {
            Submitted::Queued(ticket) => {
                self.waiting.push_back((ticket, request));
                None
            }
            Submitted::Made(result) => {
                let result = result.map_err(EditFailure::Refused);
                Some(EditOutcome { request: Some(request), world: entity, tick, result })
            }
        }
    }

    /// Runs a tick or a part of it. Returns whether there is something to publish: the tick is
    /// complete, and it did anything or the changes include currents.
    pub(super) fn step(&mut self, budget: StepBudget) -> bool {
        let begin = Instant::now();
        self.progress = self.world.advance(budget);
        self.time = begin.elapsed();
        self.has_moved |= self.with_currents || self.progress.report != Default::default();
        self.progress.finished && core::mem::take(&mut self.has_moved)
    }

    /// Returns the outcomes of the waiting edits that were made since the last call.
    pub(super) fn take_outcomes(&mut self, entity: Entity) -> Vec<EditOutcome<W>> {
        let reports = self.world.take_reports().into_iter();
        reports
            .map(|EditReport { ticket, tick, result }| {
                let request = self.take_request(ticket);
                let result = result.map_err(EditFailure::Refused);
                EditOutcome { request, world: entity, tick, result }
            })
            .collect()
    }

    /// Returns the request with this ticket. Waiting requests with lower tickets are dropped
    /// without an answer: the reports on their edits were taken outside the plugin.
    fn take_request(&mut self, ticket: Ticket) -> Option<MessageId<EditRequest<W>>> {
        while let Some(&(first, request)) = self.waiting.front()
            && first <= ticket
        {
            self.waiting.pop_front();
            if first == ticket {
                return Some(request);
            }
        }
        None
    }

    /// Returns the visible changes since the last call.
    pub(super) fn take_changes(&mut self) -> W::Changes {
        self.world.follow(&mut self.follower, self.with_currents)
    }

    /// Spawns the entities of chunks that were loaded, and despawns the entities of chunks that
    /// were unloaded. Returns the entities of chunks that look different, and the entities of
    /// chunks to redraw.
    pub(super) fn update_chunks(
        &mut self,
        entity: Entity,
        changes: &W::Changes,
        commands: &mut Commands<'_, '_>,
    ) -> [Vec<Entity>; 2] {
        let (mut changed, mut spawned) = (Vec::new(), Vec::new());
        for (position, event) in W::events(changes) {
            match (event, self.chunk(position)) {
                (ChunkEvent::Unloaded, Some(chunk)) => {
                    self.chunks.remove(&position);
                    commands.entity(chunk).try_despawn();
                }
                (ChunkEvent::Unloaded, None) => {}
                (_, Some(chunk)) => changed.push(chunk),
                (_, None) => {
                    let of = SimulationChunk::<W> { world: entity, position, kind: PhantomData };
                    let chunk = commands.spawn((of, ChunkSurface::<W>(PhantomData))).id();
                    self.chunks.insert(position, chunk);
                    spawned.push((position, chunk));
                }
            }
        }
        if !spawned.is_empty() {
            commands.queue(move |app: &mut World| despawn_strays::<W>(app, entity, spawned));
        }
        let redrawn = W::redrawn(changes);
        [changed, redrawn.into_iter().filter_map(|position| self.chunk(position)).collect()]
    }
}

/// Despawns the chunks of a world that is removed, and answers the requests that wait in it. A
/// component that is inserted on an entity again starts over, with all its chunks.
fn discard<W: Simulated>(mut app: DeferredWorld<'_>, context: HookContext) {
    let world = context.entity;
    let Some(mut simulation) = app.get_mut::<SimulationWorld<W>>(world) else { return };
    let chunks = core::mem::take(&mut simulation.chunks);
    let waiting = core::mem::take(&mut simulation.waiting);
    simulation.follower = W::Follower::default();
    for chunk in chunks.into_values() {
        app.commands().entity(chunk).try_despawn();
    }
    if waiting.is_empty() {
        return;
    }
    app.write_message_batch(waiting.into_iter().map(|(_, request)| EditOutcome::<W> {
        request: Some(request),
        world,
        tick: 0,
        result: Err(EditFailure::NoWorld),
    }));
}

/// Despawns just spawned chunks that their world does not list. A command of the same update has
/// removed that world before the chunks were spawned, when it had no chunks to despawn yet.
fn despawn_strays<W: Simulated>(app: &mut World, world: Entity, spawned: Vec<(ChunkPos, Entity)>) {
    for (position, chunk) in spawned {
        let simulation = app.get::<SimulationWorld<W>>(world);
        if simulation.and_then(|simulation| simulation.chunk(position)) != Some(chunk) {
            app.despawn(chunk);
        }
    }
}

/// A loaded chunk of a world as an entity. The entity is [`Changed`](bevy_ecs::query::Changed) when
/// a cell of the chunk looks different, and is despawned with the chunk.
///
/// Add your own components to the entity, such as its mesh. It has no transform and no parent: add
/// them if you need them. If you despawn the entity, it is not spawned again until its chunk has
/// been unloaded and loaded.
#[derive(Component, Reflect)]
#[type_path = "floodplain::bevy"]
#[reflect(Component)]
pub struct SimulationChunk<W: Simulated> {
    world: Entity,
    position: ChunkPos,
    #[reflect(ignore)]
    kind: PhantomData<fn() -> W>,
}

impl<W: Simulated> SimulationChunk<W> {
    /// Returns the entity of the world.
    pub fn world(&self) -> Entity {
        self.world
    }

    /// Returns the chunk position: the position of the chunk's first cell, divided by the size of a
    /// chunk.
    pub fn position(&self) -> ChunkPos {
        self.position
    }
}

/// A mark on each [chunk](SimulationChunk): [`Changed`](bevy_ecs::query::Changed) when the chunk is
/// to be redrawn. For water this includes changes of a neighbour's cells at a corner that both
/// share; see [`meshes_touched`](crate::water::meshes_touched).
#[derive(Component, Reflect)]
#[type_path = "floodplain::bevy"]
#[reflect(Component)]
pub struct ChunkSurface<W: Simulated>(#[reflect(ignore)] PhantomData<fn() -> W>);
