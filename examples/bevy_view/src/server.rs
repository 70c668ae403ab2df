//! The server of a client: an app without a window, which runs the world by the plugin. What passes
//! between the two is bytes, as over a network.

use crate::valley;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use floodplain::bevy::{FloodplainPlugin, FloodplainSystems, SimulationChanges, SimulationWorld};
use floodplain::water::WaterWorld;
use floodplain::{EditKinds, Limits};

pub struct Server(App);

/// What has come from the client, and what goes to it.
#[derive(Resource, Default)]
struct Line {
    edits: Vec<Vec<u8>>,
    updates: Vec<Vec<u8>>,
}

impl Server {
    pub fn new() -> Result<Server, BevyError> {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, FloodplainPlugin::<WaterWorld>::new().without_chunks()))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .init_resource::<Line>()
            .add_systems(FixedUpdate, receive.before(FloodplainSystems::Edit))
            .add_systems(FixedUpdate, send.after(FloodplainSystems::Publish));
        app.world_mut().spawn(SimulationWorld::new(valley::world()?).with_currents());
        app.update(); // Time begins with the first.
        Ok(Server(app))
    }

    /// Does a tick, with these edits of the client before it. Returns the updates for the client.
    pub fn tick(&mut self, edits: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        self.0.world_mut().resource_mut::<Line>().edits.extend(edits);
        self.0.update();
        std::mem::take(&mut self.0.world_mut().resource_mut::<Line>().updates)
    }
}

/// Queues what players may do.
fn receive(mut line: ResMut<Line>, mut world: Single<&mut SimulationWorld<WaterWorld>>) {
    let limits = Limits { kinds: Limits::default().kinds | EditKinds::SPRINGS, ..default() };
    for bytes in line.edits.drain(..) {
        if let Err(refused) = world.world_mut().queue_bytes(&bytes, &limits) {
            warn!("{refused}");
        }
    }
}

fn send(mut line: ResMut<Line>, mut changes: MessageReader<SimulationChanges<WaterWorld>>) {
    line.updates.extend(changes.read().map(|message| message.changes.to_bytes()));
}
