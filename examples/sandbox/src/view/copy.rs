//! The water as it was after one tick, copied by the library's feed, so that meshes that are made
//! one by one while ticks go on all show the same tick.

use floodplain::water;
use floodplain::world::{Feed, Mirror, World};

/// A copy that follows a world when it is told to.
pub struct WaterCopy {
    feed: Feed,
    mirror: Mirror,
}

impl WaterCopy {
    /// Returns a copy of a world.
    pub fn of(world: &mut World) -> WaterCopy {
        let chunks: Vec<_> = world.chunks().map(|(chunk, _)| chunk).collect();
        let mut copy = WaterCopy { feed: Feed::new(world), mirror: Mirror::new(chunks.len()) };
        let whole = copy.feed.whole(world, chunks);
        // Whole chunks, as many as it may hold, are never refused.
        let applied = copy.mirror.apply(&whole);
        debug_assert_eq!(applied, Ok(()));
        copy
    }

    /// Copies what changed.
    pub fn follow(&mut self, world: &mut World) {
        let update = self.feed.take(world);
        if self.mirror.apply(&update).is_err() {
            // Chunks came that it has no room for.
            *self = WaterCopy::of(world);
        }
    }

    pub fn water(&self) -> &water::Mirror {
        self.mirror.water()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;
    use floodplain::glam::IVec3;
    use floodplain::water::WaterView;

    #[test]
    fn a_copy_shows_the_tick_at_which_it_followed() {
        let mut world = Kind::Dam.world(7).unwrap();
        let mut copy = WaterCopy::of(&mut world);
        let meshes = |water: &dyn Fn(floodplain::ChunkPos) -> floodplain::water::SurfaceMesh| {
            world_chunks().map(water).collect::<Vec<_>>()
        };
        world.charge(IVec3::new(75, 22, 58), 9.0, 720.0).unwrap();
        world.run(12);
        copy.follow(&mut world);
        let then = meshes(&|chunk| world.water().surface_mesh(chunk, None));
        world.run(3);
        assert_eq!(meshes(&|chunk| copy.water().surface_mesh(chunk, None)), then);
        assert_ne!(meshes(&|chunk| world.water().surface_mesh(chunk, None)), then);
    }

    fn world_chunks() -> impl Iterator<Item = floodplain::ChunkPos> {
        let chunk = |n: i32| floodplain::ChunkPos::new(n % 11, n / 11 % 4, n / 44);
        (0..11 * 4 * 6).map(chunk)
    }
}
