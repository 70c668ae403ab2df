//! What the players are sent: the changes in their view, and whole chunks that come into it.

use crate::ground::COLUMN;
use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{Feed, WaterWorld};
use std::collections::HashSet;

/// The columns that a client sees, by the x and z of their chunks, the last among them.
pub type View = (IVec2, IVec2);

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
        let updated: HashSet<IVec3> = update.chunks().iter().map(|chunk| chunk.position).collect();
        let mut bytes = 0;
        for (view, before) in views.zip(&mut self.views) {
            let own = update.only(|chunk| is_in(view, chunk));
            if !own.chunks().is_empty() {
                bytes += own.to_bytes().len();
            }
            if view != *before {
                let is_new = |chunk: &IVec3| !is_in(*before, *chunk) && !updated.contains(chunk);
                let new: Vec<IVec3> = chunks_of(view).filter(is_new).collect();
                let loaded = new.into_iter().filter(|&chunk| world.chunk(chunk).is_some());
                bytes += self.feed.whole(world, loaded).to_bytes().len();
                *before = view;
            }
        }
        bytes
    }
}

fn is_in((min, max): View, chunk: IVec3) -> bool {
    (min.x..=max.x).contains(&chunk.x) && (min.y..=max.y).contains(&chunk.z)
}

fn chunks_of((min, max): View) -> impl Iterator<Item = IVec3> {
    let columns = (min.x..=max.x).flat_map(move |x| (min.y..=max.y).map(move |z| (x, z)));
    columns.flat_map(|(x, z)| (0..COLUMN).map(move |y| IVec3::new(x, y, z)))
}
