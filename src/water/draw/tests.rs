//! The stage of draws in small worlds, and the search for a way round against a naive one.

use super::*;
use crate::chunk::Chunk;
use crate::coords::Region;
use crate::water::context::test_worlds;
use crate::water::store::Store;
use crate::water::{Edge, Edges, Rules, WaterWorld};
use glam::IVec3;
use hashbrown::HashMap;

/// Does the whole stage in pieces.
fn all_draws(tick: &mut Context) {
    let mut draws = Draws::default();
    tick.begin_draws(&mut draws);
    while tick.draw_next(&mut draws).is_some() {}
}

/// Water drawn by a cell above a drain would fall out of it, so only cells on firm ground draw.
#[test]
fn a_cell_draws_above_ground_but_not_above_a_drain() {
    for (unloaded, draws) in [(Edge::Wall, true), (Edge::Held, true), (Edge::Drain, false)] {
        let rules = Rules { edges: Edges { unloaded, ..Edges::WALLS }, ..Rules::lossless() };
        let mut world = WaterWorld::new(1, rules).expect("rules in range");
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        let (source, drawer) = (IVec3::new(4, 0, 5), IVec3::new(5, 0, 5));
        world.fill_water(Region::new(source, drawer), 0).expect("a loaded chunk");
        world.add_source(source).expect("an open cell");
        let place = Place::new(world.store.grid().sorted_slots()[0], 5 * 16 + 5);
        let fed = Voxel::OPEN.with_height(1).with_direction(Some(Face::East));
        world.store.write(place, fed.with(CellFlags::HAS_SOURCE, true));
        world.wake_all();
        let mut tick = test_worlds::tick(&mut world);
        all_draws(&mut tick);
        // Above a drain both are outlets: what the spring gives leaves there, and the unit here.
        let height = tick.store.read(place).height();
        assert_eq!(height, if draws { 1 + 2 } else { 0 }, "{unloaded:?}");
        assert_eq!(tick.ledger.drained, if draws { 0 } else { 7 + 1 }, "{unloaded:?}");
    }
}

/// A flat layer of rocks and water, all connected to a few springs, some cells exhausted. An
/// outlet whose path is exhausted draws exactly if a flood from that path, over cells with throughput
/// left, reaches a spring; then its parents lead to the nearest one, by a shortest way.
#[test]
fn an_exhausted_path_goes_round_to_the_nearest_spring() {
    const SIDE: i32 = 24;
    let (mut found, mut vain, mut longest) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = WaterWorld::new(seed, Rules { edges: Edges::WALLS, ..Rules::lossless() })
            .expect("rules in range");
        for chunk in Region::new(IVec3::ZERO, IVec3::new(1, 0, 1)).positions() {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        }
        let area = Region::new(IVec3::ZERO, IVec3::new(SIDE - 1, 0, SIDE - 1));
        let open: Vec<IVec3> = area.positions().filter(|_| random.u8(..10) < 7).collect();
        for &cell in &open {
            world.clear_solid(cell).expect("a loaded chunk");
        }
        let springs: Vec<IVec3> = (0..3).map(|_| open[random.usize(..open.len())]).collect();
        for &spring in &springs {
            world.add_source(spring).expect("an open cell");
        }
        // Parents lead to the springs along a flood from them.
        let mut reached: Vec<IVec3> = springs;
        let mut at = 0;
        while let Some(&cell) = reached.get(at) {
            at += 1;
            for face in Face::LATERAL {
                let Some(there) = face.step(cell) else { continue };
                if !open.contains(&there) || reached.contains(&there) {
                    continue;
                }
                reached.push(there);
                let fed = Voxel::OPEN.with_height(5).with_direction(Some(face));
                let place = world.place(there).expect("loaded");
                world.store.write(place, fed.with(CellFlags::HAS_SOURCE, true));
            }
        }
        let place_of: HashMap<IVec3, Place> =
            reached.iter().map(|&cell| (cell, world.place(cell).expect("loaded"))).collect();
        let mut tick = test_worlds::tick(&mut world);
        for &cell in reached.iter().filter(|_| random.u8(..6) == 0) {
            tick.pass_on(place_of[&cell], Face::Up, 7);
        }
        let drawer = reached[random.usize(..reached.len())];
        let place = place_of[&drawer];
        let left = |tick: &Context, cell: &IVec3| {
            let place = place_of[cell];
            tick.limits.left(tick.store.read(place), tick.work.passed(place)) > 0
        };
        let parent = |tick: &Context, cell: IVec3| {
            let faces = tick.store.parents_of(place_of[&cell]);
            Store::faces(faces).next().and_then(|face| face.step(cell))
        };
        // The path up to the first exhausted cell.
        let mut path = vec![drawer];
        let mut next = parent(&tick, drawer);
        while let Some(cell) = next.filter(|cell| left(&tick, cell)) {
            path.push(cell);
            next = parent(&tick, cell);
        }
        if next.is_none() || !left(&tick, &drawer) {
            continue;
        }
        let mut distance: HashMap<IVec3, i32> = path.iter().map(|&cell| (cell, 0)).collect();
        let mut flood = path.clone();
        let mut nearest = None;
        let mut at = 0;
        while let Some(&cell) = flood.get(at) {
            at += 1;
            for there in Face::LATERAL.into_iter().filter_map(|face| face.step(cell)) {
                let is_way = place_of.contains_key(&there) && left(&tick, &there);
                if is_way && !distance.contains_key(&there) {
                    distance.insert(there, distance[&cell] + 1);
                    flood.push(there);
                    if nearest.is_none() && tick.store.read(place_of[&there]).is_source() {
                        nearest = Some(distance[&there]);
                    }
                }
            }
        }
        let before = tick.ledger.injected;
        let mut draws = Draws::default();
        tick.begin_draws(&mut draws);
        let purpose = DrawFor::Leave { limited: false };
        let mut draw = Draw::new(purpose, place, (place, Face::Up), 7, Need::Leave);
        let drawn = loop {
            let drawn = tick.advance(&mut draws, &mut draw, &mut Budget::new(5));
            if let Some(drawn) = drawn {
                break drawn;
            }
        };
        let injected = tick.ledger.injected - before;
        assert_eq!(nearest.is_some(), injected > 0, "seed {seed}: {drawn:?}");
        let Some(nearest) = nearest else {
            vain += 1;
            continue;
        };
        found += 1;
        longest = longest.max(nearest);
        let (mut cell, mut beyond) = (drawer, 0);
        while let Some(next) = parent(&tick, cell) {
            cell = next;
            beyond += i32::from(!path.contains(&cell));
            assert!(beyond <= nearest, "seed {seed}: a longer way, or one in a circle");
        }
        assert_eq!(beyond, nearest, "seed {seed}");
        assert!(tick.store.read(place_of[&cell]).is_source(), "seed {seed}");
    }
    assert!(
        found > 40 && vain > 20 && longest > 8,
        "{found} found, {vain} in vain, {longest} cells"
    );
}
