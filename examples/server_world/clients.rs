//! The clients: what each is sent, the mirror that it keeps of that, and what it draws of it.

use crate::players::chunks_of;
use floodplain::glam::IVec3;
use floodplain::water::{ChunkEvent, WaterView, meshes_touched};
use floodplain::world::World;
use floodplain::world::{Feed, MOISTURE_STEP, Mirror, Update, WorldView};
use floodplain::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Shape};
use std::collections::{BTreeSet, HashSet};
use std::error::Error;

/// The columns that a client sees, by the x and z of their chunks, the last among them.
pub type View = (ColumnPos, ColumnPos);

/// Chunks that a mirror may hold: more than a view has.
const MOST_CHUNKS: usize = 1_000;
/// Chunks that a client meshes in a tick.
const MESHES: usize = 4;

struct Client {
    view: View,
    mirror: Mirror,
    /// Chunks to mesh again.
    dirty: BTreeSet<ChunkPos>,
}

pub struct Clients {
    feed: Feed,
    clients: Vec<Client>,
}

/// What one client is sent after a tick, in the order in which it comes.
pub type Sent = Vec<Vec<u8>>;

impl Clients {
    /// Clients that have all chunks in their view.
    pub fn new(
        world: &mut World,
        views: impl Iterator<Item = View>,
    ) -> Result<Clients, Box<dyn Error>> {
        let mut feed = Feed::new(world);
        let mut clients = Vec::new();
        for view in views {
            let mut mirror = Mirror::new(MOST_CHUNKS);
            mirror.apply(&feed.whole(world, loaded(world, view)))?;
            let dirty = mirror.chunks().into_iter().collect();
            clients.push(Client { view, mirror, dirty });
        }
        Ok(Clients { feed, clients })
    }

    /// Returns what each client is sent after a tick: the changes in its view, and whole chunks
    /// that come into it.
    pub fn send(&mut self, world: &mut World, views: impl Iterator<Item = View>) -> Vec<Sent> {
        let update = self.feed.take(world);
        let all = update.water().chunks().iter();
        let whole: HashSet<ChunkPos> = all
            .filter(|chunk| chunk.event == ChunkEvent::Loaded)
            .map(|chunk| chunk.position)
            .collect();
        let mut sent = Vec::new();
        for (client, view) in self.clients.iter_mut().zip(views) {
            // Empty updates are sent too: a mirror that misses one is refused the next.
            let mut bytes = vec![update.only(|chunk| is_in(view, chunk)).to_bytes()];
            if view != client.view {
                let is_new =
                    |chunk: &ChunkPos| !is_in(client.view, *chunk) && !whole.contains(chunk);
                let new: Vec<ChunkPos> = loaded(world, view).filter(is_new).collect();
                bytes.push(self.feed.whole(world, new).to_bytes());
                client.view = view;
            }
            sent.push(bytes);
        }
        sent
    }

    /// Lets the clients read what they were sent, and draw some of what is out of date.
    pub fn receive(&mut self, sent: &[Sent]) -> Result<(), Box<dyn Error>> {
        for (client, bytes) in self.clients.iter_mut().zip(sent) {
            client.receive(bytes)?;
            client.draw();
        }
        Ok(())
    }

    /// Returns the mirror of a client.
    pub fn mirror(&self, client: usize) -> &Mirror {
        &self.clients[client].mirror
    }

    /// Returns the bytes that the feed holds; the mirrors are elsewhere.
    pub fn memory_bytes(&self) -> usize {
        self.feed.memory_bytes()
    }

    /// Returns how many chunks the clients have, or the first that is not as in the world.
    pub fn compare(&self, world: &World) -> Result<usize, String> {
        let mut chunks = 0;
        for (number, client) in self.clients.iter().enumerate() {
            let mirrored = client.mirror.chunks();
            if !mirrored.iter().copied().eq(sorted(loaded(world, client.view))) {
                return Err(format!("client {number} has not the chunks that it sees"));
            }
            if let Some(chunk) = mirrored.iter().find(|&&at| !is_equal(&client.mirror, world, at)) {
                return Err(format!("client {number} has another chunk {chunk}"));
            }
            chunks += mirrored.len();
        }
        Ok(chunks)
    }
}

impl Client {
    fn receive(&mut self, sent: &Sent) -> Result<(), Box<dyn Error>> {
        for bytes in sent {
            let update = Update::from_bytes(bytes)?;
            self.mirror.apply(&update)?;
            let whole = update.water().chunks().iter().map(|chunk| chunk.position);
            let touched = meshes_touched(&update.changes()).into_iter().chain(whole);
            self.dirty.extend(touched);
        }
        let view = self.view;
        self.mirror.retain(|chunk| is_in(view, chunk));
        self.dirty.retain(|&chunk| self.mirror.chunk(chunk).is_some());
        Ok(())
    }

    fn draw(&mut self) {
        for _ in 0..MESHES {
            let Some(chunk) = self.dirty.pop_first() else { break };
            drop(self.mirror.water().surface_mesh(chunk, None));
        }
    }
}

/// Returns whether a chunk looks the same to both, cell by cell.
fn is_equal(mirror: &Mirror, world: &World, chunk: ChunkPos) -> bool {
    let is_same = |cell: IVec3| {
        mirror.units(cell) == world.units(cell)
            && mirror.moisture(cell) / MOISTURE_STEP == world.moisture(cell) / MOISTURE_STEP
    };
    mirror.materials(chunk) == world.materials(chunk)
        && (0..CHUNK_CELLS).all(|index| is_same(Cube::cell_at(chunk, index)))
}

/// Returns the loaded chunks of a view.
fn loaded(world: &World, (min, max): View) -> impl Iterator<Item = ChunkPos> {
    let columns =
        (min.x..=max.x).flat_map(move |x| (min.z..=max.z).map(move |z| ColumnPos::new(x, z)));
    columns.flat_map(chunks_of).filter(|&chunk| world.materials(chunk).is_some())
}

/// Returns chunks in the order of mirrors: y, then z, then x.
fn sorted(chunks: impl Iterator<Item = ChunkPos>) -> impl Iterator<Item = ChunkPos> {
    let mut chunks: Vec<ChunkPos> = chunks.collect();
    chunks.sort_unstable();
    chunks.into_iter()
}

fn is_in((min, max): View, chunk: ChunkPos) -> bool {
    (min.x..=max.x).contains(&chunk.x) && (min.z..=max.z).contains(&chunk.z)
}
