//! An app without a window that does one fixed update a frame, and notes what can be seen of it.

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use floodplain::ChunkPos;
use floodplain::bevy::{
    ChunkSurface, EditFailure, EditOutcome, EditRequest, FloodplainPlugin, Simulated,
    SimulationChanges, SimulationChunk, SimulationWorld,
};

/// What an edit came to.
pub type Answer<W> = Result<
    <W as floodplain::Simulation>::Outcome,
    EditFailure<<W as floodplain::Simulation>::EditError>,
>;

/// What was seen in the frames since it was taken last.
#[derive(Resource)]
pub struct Seen<W: Simulated> {
    pub outcomes: Vec<EditOutcome<W>>,
    pub changes: Vec<SimulationChanges<W>>,
    /// Worlds, chunks and surfaces that counted as changed.
    pub worlds: Vec<Entity>,
    pub chunks: Vec<(Entity, ChunkPos)>,
    pub surfaces: Vec<(Entity, ChunkPos)>,
}

impl<W: Simulated> Default for Seen<W> {
    fn default() -> Self {
        let (outcomes, changes, worlds) = (Vec::new(), Vec::new(), Vec::new());
        Seen { outcomes, changes, worlds, chunks: Vec::new(), surfaces: Vec::new() }
    }
}

type Changes<'w, 's, W, C> = Query<'w, 's, &'static SimulationChunk<W>, Changed<C>>;

fn see<W: Simulated>(
    mut seen: ResMut<Seen<W>>,
    mut outcomes: MessageReader<EditOutcome<W>>,
    mut changes: MessageReader<SimulationChanges<W>>,
    worlds: Query<Entity, Changed<SimulationWorld<W>>>,
    chunks: Changes<W, SimulationChunk<W>>,
    surfaces: Changes<W, ChunkSurface<W>>,
) {
    let place = |chunk: &SimulationChunk<W>| (chunk.world(), chunk.position());
    seen.outcomes.extend(outcomes.read().cloned());
    seen.changes.extend(changes.read().cloned());
    seen.worlds.extend(&worlds);
    seen.chunks.extend(chunks.iter().map(place));
    seen.surfaces.extend(surfaces.iter().map(place));
}

/// Returns an app with this plugin. Each of its updates does one fixed update.
pub fn app<W: Simulated>(plugin: FloodplainPlugin<W>) -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, plugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .init_resource::<Seen<W>>()
        .add_systems(Update, see::<W>);
    // Time begins with the first.
    app.update();
    app
}

/// Adds a world to an app.
pub fn spawn<W: Simulated>(app: &mut App, world: W) -> Entity {
    app.world_mut().spawn(SimulationWorld::new(world)).id()
}

/// Writes a request.
pub fn request<W: Simulated>(app: &mut App, world: Entity, edit: W::Edit) {
    app.world_mut().write_message(EditRequest::<W> { world, edit }).expect("the plugin is added");
}

/// Runs one update, and returns what was seen.
pub fn update<W: Simulated>(app: &mut App) -> Seen<W> {
    app.update();
    std::mem::take(&mut *app.world_mut().resource_mut::<Seen<W>>())
}

/// Returns the component of an entity.
pub fn simulation<W: Simulated>(app: &App, entity: Entity) -> &SimulationWorld<W> {
    app.world().get(entity).expect("it has a world")
}

/// Returns the chunks of a world that there are entities of, in order of position.
pub fn chunk_entities<W: Simulated>(app: &mut App, world: Entity) -> Vec<ChunkPos> {
    let mut chunks = app.world_mut().query::<&SimulationChunk<W>>();
    let of_it = chunks.iter(app.world()).filter(|chunk| chunk.world() == world);
    let mut positions: Vec<ChunkPos> = of_it.map(SimulationChunk::position).collect();
    positions.sort();
    positions
}
