//! A client: what is drawn is the mirror of a world that runs on a server.

use crate::chunks::{Flow, Painter};
use crate::ground;
use crate::hand::{Asked, Hand};
use crate::server::Server;
use bevy::prelude::*;
use floodplain::water::{ChunkEvent, Mirror, Update as WaterUpdate, meshes_touched};
use floodplain::{ChunkPos, EditValue};
use std::collections::{BTreeSet, HashMap};

/// The most chunks that the mirror takes.
const MOST_CHUNKS: usize = 1_000;

pub fn plugin(app: &mut App) {
    app.insert_resource(Client {
        mirror: Mirror::new(MOST_CHUNKS),
        chunks: HashMap::new(),
        water: BTreeSet::new(),
        ground: BTreeSet::new(),
    })
    .add_systems(Startup, connect)
    .add_systems(FixedUpdate, follow)
    .add_systems(Update, (act, draw).chain());
}

/// The mirror, the entities of its chunks, and the chunks of which water or ground is to be drawn.
#[derive(Resource)]
struct Client {
    mirror: Mirror,
    chunks: HashMap<ChunkPos, Entity>,
    water: BTreeSet<ChunkPos>,
    ground: BTreeSet<ChunkPos>,
}

fn connect(app: &mut World) -> Result<(), BevyError> {
    app.insert_non_send(Server::new()?);
    Ok(())
}

/// Does what the player's keys say, at what the mouse points to in the mirror.
fn act(mut hand: Hand, client: Res<Client>) {
    hand.act(&client.mirror);
}

/// Sends what was asked for, and follows the updates of the tick.
fn follow(
    mut asked: MessageReader<Asked>,
    mut server: NonSendMut<Server>,
    mut client: ResMut<Client>,
    mut flow: ResMut<Flow>,
    mut painter: Painter,
) -> Result<(), BevyError> {
    for bytes in server.tick(asked.read().map(|Asked(edit)| edit.to_bytes())) {
        let update = WaterUpdate::from_bytes(&bytes)?;
        client.apply(&update, &mut flow, &mut painter)?;
    }
    flow.ticks += 1;
    Ok(())
}

impl Client {
    fn apply(
        &mut self,
        update: &WaterUpdate,
        flow: &mut Flow,
        painter: &mut Painter,
    ) -> Result<(), BevyError> {
        self.mirror.apply(update)?;
        for chunk in update.chunks() {
            match chunk.event {
                ChunkEvent::Changed => {}
                ChunkEvent::Loaded => {
                    self.chunks.entry(chunk.position).or_insert_with(|| {
                        let entity = painter.commands.spawn_empty().id();
                        painter.dress(entity, chunk.position);
                        entity
                    });
                }
                ChunkEvent::Unloaded => {
                    let entity = self.chunks.remove(&chunk.position);
                    entity.into_iter().for_each(|entity| painter.commands.entity(entity).despawn());
                }
            }
        }
        self.water.extend(meshes_touched(&update.changes()));
        self.water.extend(flow.follow(&self.mirror));
        self.ground.extend(ground::touched([update]));
        Ok(())
    }
}

fn draw(mut client: ResMut<Client>, flow: Res<Flow>, mut painter: Painter) {
    let Client { mirror, chunks, water, ground } = &mut *client;
    let entities = |touched: &mut BTreeSet<ChunkPos>| {
        std::mem::take(touched).into_iter().filter_map(|chunk| Some((chunk, *chunks.get(&chunk)?)))
    };
    for (chunk, entity) in entities(water) {
        painter.draw_water(entity, mirror, &flow, chunk);
    }
    for (chunk, entity) in entities(ground) {
        painter.draw_ground(entity, mirror, chunk);
    }
}
