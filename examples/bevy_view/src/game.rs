//! A world in this app: edits as messages, ticks and chunk entities by the plugin.

use crate::chunks::{Flow, Painter};
use crate::hand::{Asked, Hand};
use crate::{ground, valley};
use bevy::prelude::*;
use floodplain::bevy::{
    ChunkSurface, EditRequest, FloodplainPlugin, FloodplainSystems, SimulationChanges,
    SimulationChunk, SimulationWorld, StepBudget,
};
use floodplain::water::WaterWorld;
use std::time::Duration;

/// The time for water in a frame. A longer tick is continued in the next one.
const BUDGET: StepBudget = StepBudget::Time(Duration::from_millis(4));

type Simulation = SimulationWorld<WaterWorld>;

pub fn plugin(app: &mut App) {
    app.add_plugins(FloodplainPlugin::<WaterWorld>::new().with_budget(BUDGET))
        .add_observer(dress_chunk)
        .add_systems(Startup, load)
        .add_systems(FixedUpdate, request.before(FloodplainSystems::Edit))
        .add_systems(FixedUpdate, foam.after(FloodplainSystems::Publish))
        .add_systems(Update, (act, draw_water, draw_ground).chain());
}

fn load(mut commands: Commands) -> Result<(), BevyError> {
    commands.spawn(SimulationWorld::new(valley::world()?));
    Ok(())
}

fn dress_chunk(
    loaded: On<Add<SimulationChunk<WaterWorld>>>,
    chunks: Query<&SimulationChunk<WaterWorld>>,
    mut painter: Painter,
) -> Result<(), BevyError> {
    painter.dress(loaded.entity, chunks.get(loaded.entity)?.position());
    Ok(())
}

/// Does what the player's keys say, at what the mouse points to in the world.
fn act(mut hand: Hand, world: Single<&Simulation>) {
    hand.act(world.world());
}

/// Requests what was asked for since the last tick.
fn request(
    mut asked: MessageReader<Asked>,
    world: Single<Entity, With<Simulation>>,
    mut edits: MessageWriter<EditRequest<WaterWorld>>,
) {
    edits.write_batch(
        asked.read().map(|Asked(edit)| EditRequest { world: *world, edit: edit.clone() }),
    );
}

/// Follows the currents. Where there is or was foam, the surface counts as changed, too.
fn foam(
    world: Single<&Simulation>,
    mut flow: ResMut<Flow>,
    mut surfaces: Query<&mut ChunkSurface<WaterWorld>>,
) {
    flow.ticks = world.world().ticks();
    for chunk in flow.follow(world.world()) {
        let surface = world.chunk(chunk).and_then(|entity| surfaces.get_mut(entity).ok());
        surface.into_iter().for_each(|mut surface| surface.set_changed());
    }
}

type Touched<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static SimulationChunk<WaterWorld>),
    Changed<ChunkSurface<WaterWorld>>,
>;

fn draw_water(world: Single<&Simulation>, touched: Touched, flow: Res<Flow>, mut painter: Painter) {
    for (entity, chunk) in &touched {
        painter.draw_water(entity, world.world(), &flow, chunk.position());
    }
}

fn draw_ground(
    world: Single<&Simulation>,
    mut changes: MessageReader<SimulationChanges<WaterWorld>>,
    mut painter: Painter,
) {
    for chunk in ground::touched(changes.read().map(|message| &message.changes)) {
        if let Some(entity) = world.chunk(chunk) {
            painter.draw_ground(entity, world.world(), chunk);
        }
    }
}
