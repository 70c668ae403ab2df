//! The stage of draws in small worlds.

use super::*;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face, Region};
use crate::water::cell::CellFlags;
use crate::water::context::test_worlds;
use crate::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use glam::IVec3;

/// Runs the whole stage in pieces.
fn all_draws(tick: &mut Tick) {
    let mut draws = Demands::default();
    begin_draws(tick, &mut draws);
    while draw_next(tick, &mut draws).is_some() {}
}

/// Water drawn by a cell above a drain would fall out of it, so only cells on firm ground draw.
#[test]
fn a_cell_draws_above_ground_but_not_above_a_drain() {
    for (unloaded, draws) in [(Edge::Wall, true), (Edge::Held, true), (Edge::Drain, false)] {
        let rules = Rules { edges: Edges { unloaded, ..Edges::WALLS }, ..Rules::lossless() };
        let mut world = WaterWorld::new(1, rules).expect("rules in range");
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        let (source, drawer) = (IVec3::new(4, 0, 5), IVec3::new(5, 0, 5));
        world.fill_water(Region::new(source, drawer), 0).expect("a loaded chunk");
        world.add_source(source).expect("an open cell");
        let place = Place::new(world.store.grid().sorted_slots()[0], 5 * 16 + 5);
        let fed = Voxel::OPEN.with_height(1).with_direction(Some(Face::East));
        world.store.write(place, fed.with(CellFlags::HAS_SOURCE, true));
        world.wake_all();
        let mut tick = test_worlds::tick(&mut world);
        let before = tick.ledger.injected;
        all_draws(&mut tick);
        // The water that leaves the world is steady flow.
        let height = tick.store.read(place).height();
        let drawn = if draws { 2 } else { 0 };
        assert_eq!(height, 1 + drawn, "{unloaded:?}");
        let given = tick.ledger.injected - before;
        assert_eq!((given, tick.ledger.drained), (u64::from(drawn), 0), "{unloaded:?}");
    }
}
