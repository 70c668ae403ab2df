//! Worlds of materials in an app: water, soil and explosions on one ground.

use super::simulated::{Hosted, StepBudget, Submitted};
use super::worlds::in_slices;
use crate::coords::ChunkPos;
use crate::edit_queue::EditReport;
use crate::simulation::Progress;
use crate::water::{ChunkEvent, meshes_touched};
use crate::world::{self, Feed, Update, World};
use bevy_platform::time::Instant;
use std::collections::BTreeMap;

impl Hosted for World {
    type Update = Update;
    type Follower = Option<Feed>;
    const PATH: &'static str = "world";

    in_slices!(world);

    fn work_left(&self) -> u64 {
        self.water().backlog()
    }

    /// Returns the difference in units of water.
    fn imbalance(&self) -> Option<f64> {
        let ledger = self.ledger();
        let more = self.total().wrapping_sub(ledger.total()) as i128;
        Some(more as f64 / ledger.scale as f64)
    }

    /// Returns the changes since the last call. The first update holds whole chunks: a
    /// [`Mirror`](world::Mirror) joins by it, and then applies the later updates.
    fn follow(&mut self, feed: &mut Option<Feed>, with_currents: bool) -> Update {
        if let Some(feed) = feed {
            return feed.take(self);
        }
        let new = feed.insert(Feed::new(self));
        if with_currents {
            new.send_currents();
            new.take(self); // Whole chunks have the currents of the update before them.
        }
        let all: Vec<ChunkPos> = self.chunks().map(|(position, _)| position).collect();
        new.whole(self, all)
    }

    fn events(update: &Update) -> impl Iterator<Item = (ChunkPos, ChunkEvent)> {
        let ground = update.ground().iter().map(|chunk| (chunk.position, ChunkEvent::Changed));
        let water = update.water().chunks().iter().map(|chunk| (chunk.position, chunk.event));
        // The update of water decides, since it records which chunks were loaded.
        let all: BTreeMap<ChunkPos, ChunkEvent> = ground.chain(water).collect();
        all.into_iter()
    }

    fn redrawn(update: &Update) -> Vec<ChunkPos> {
        meshes_touched(&update.changes())
    }
}
