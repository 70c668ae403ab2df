//! What the players are sent: the changes in their view, and whole chunks that come into it.

use crate::ground::COLUMN;
use floodplain::water::{Feed, WaterWorld};
use floodplain::{ChunkPos, ColumnPos};
use std::collections::HashSet;

/// The columns that a client sees, by the x and z of their chunks, the last among them.
pub type View = (ColumnPos, ColumnPos);

pub struct Clients {
    feed: Feed,
    views: Vec<View>,
}

impl Clients {
    /// Clients that have all chunks in their view.
    pub fn new(world: &mut WaterWorld, views: impl Iterator<Item = View>) -> Clients {
        Clients { feed: Feed::new(world), views: views.collect() }
    }

    /// Returns the bytes that all clients are sent after a tick.
    pub fn send(&mut self, world: &mut WaterWorld, views: impl Iterator<Item = View>) -> usize {
        let update = self.feed.take(world);
        let updated: HashSet<ChunkPos> =
            update.chunks().iter().map(|chunk| chunk.position).collect();
        let mut bytes = 0;
        for (view, before) in views.zip(&mut self.views) {
            let own = update.only(|chunk| is_in(view, chunk));
            if !own.chunks().is_empty() {
                bytes += own.to_bytes().len();
            }
            if view != *before {
                let is_new = |chunk: &ChunkPos| !is_in(*before, *chunk) && !updated.contains(chunk);
                let new: Vec<ChunkPos> = chunks_of(view).filter(is_new).collect();
                let loaded = new.into_iter().filter(|&chunk| world.chunk(chunk).is_some());
                bytes += self.feed.whole(world, loaded).to_bytes().len();
                *before = view;
            }
        }
        bytes
    }
}

fn is_in((min, max): View, chunk: ChunkPos) -> bool {
    (min.x..=max.x).contains(&chunk.x) && (min.z..=max.z).contains(&chunk.z)
}

fn chunks_of((min, max): View) -> impl Iterator<Item = ChunkPos> {
    let columns = (min.x..=max.x).flat_map(move |x| (min.z..=max.z).map(move |z| (x, z)));
    columns.flat_map(|(x, z)| (0..COLUMN).map(move |y| ChunkPos::new(x, y, z)))
}
