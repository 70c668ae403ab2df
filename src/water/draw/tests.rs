//! The stage of draws in small worlds, and the search for a path from an idle spring.

use super::*;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face, Region};
use crate::water::cell::CellFlags;
use crate::water::draw::reroute::reroute;
use crate::water::draw::supply::FlowId;
use crate::water::scratch::test_worlds;
use crate::water::store::Store;
use crate::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use glam::IVec3;
use hashbrown::HashMap;

/// Runs the whole stage in pieces.
fn all_draws(tick: &mut Tick) {
    let mut draws = Demands::default();
    begin_draws(tick, &mut draws);
    while draw_next(tick, &mut draws).is_some() {}
}

#[test]
fn what_springs_have_left_is_that_of_their_own_flow() {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    for x in [0, 1, 3] {
        let chunk = ChunkPos::new(x, 0, 0);
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    }
    let springs = [IVec3::new(8, 0, 8), IVec3::new(56, 0, 8)];
    let [here, beyond] = springs.map(|spring| {
        world.add_source(spring).expect("an open cell");
        world.place(spring).expect("loaded")
    });
    let mut tick = test_worlds::tick(&mut world);
    let mut supply = Supply::default();
    tick.tick = 1;
    let [mine, other] = [here, beyond].map(|spring| supply.flow_of(&tick, spring.slot));
    let both =
        |supply: &Supply| [mine, other].map(|flow| (supply.is_left(flow), supply.has_idle(flow)));
    assert_eq!(both(&supply), [(true, true), (true, true)]);
    for (units, is_left) in [(1, true), (6, false)] {
        tick.pass_on(here, Face::Up, units);
        supply.note_given(&tick, mine, here.slot);
        assert_eq!(both(&supply), [(is_left, false), (true, true)]);
    }
    assert!(supply.take_visited() > 2);
    supply.shrink(0);
    tick.tick = 2;
    let both = [here, beyond].map(|spring| supply.flow_of(&tick, spring.slot));
    assert_eq!(both.map(|flow| supply.is_left(flow)), [false, true]);
    assert_eq!(both.map(|flow| supply.has_idle(flow)), [false, false], "no tick of searches");
}

/// A draw climbs from parent to parent, so it stays in its flow.
#[test]
fn parents_are_of_one_flow_and_units_are_left_if_one_of_its_springs_has_some() {
    let (mut spent, mut unspent) = (0, 0);
    for seed in 0..48 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = test_worlds::springs(seed);
        let mut slots = world.store.grid().sorted_slots();
        let mut tick = test_worlds::tick(&mut world);
        slots.retain(|&slot| tick.store.has_connected(slot));
        let cells = slots.iter().flat_map(|slot| slot.layers()).flat_map(|layer| {
            let connected = tick.store.connected(layer);
            connected.iter().map(move |cell| Place::in_layer(layer, cell)).collect::<Vec<_>>()
        });
        let cells: Vec<Place> = cells.collect();
        let is_spring = |tick: &Tick, place: Place| tick.store.read(place).is_source();
        let few = random.u8(..8);
        for &place in cells.iter().filter(|&&place| is_spring(&tick, place)).collect::<Vec<_>>() {
            if random.u8(..8) >= few {
                tick.pass_on(place, Face::Up, 7);
            }
        }
        let mut supply = Supply::default();
        let mut left = Vec::new();
        for &place in &cells {
            let flow = supply.flow_of(&tick, place.slot);
            left.resize(left.len().max(flow as usize + 1), false);
            left[flow as usize] |= is_spring(&tick, place) && tick.passed(place) < 7;
            for face in Store::faces(tick.store.parents_of(place)) {
                let parent = tick.store.step(place, face);
                assert_eq!(supply.flow_of(&tick, parent.slot), flow, "seed {seed}: {place:?}");
            }
        }
        for (flow, &is_left) in left.iter().enumerate() {
            assert_eq!(supply.is_left(flow as FlowId), is_left, "seed {seed}");
            *(if is_left { &mut unspent } else { &mut spent }) += 1;
        }
        world.finish_tick();
    }
    assert!(spent > 5 && unspent > 5, "{spent} flows without units, {unspent} with units");
}

/// Water drawn by a cell above a drain would fall out of it, so only cells on solid ground draw.
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

/// A flat layer of rocks and water, connected by a flood to a few springs, some of which are idle.
/// If a flood from a cell reaches an idle spring, the cell's parents lead to one after the search,
/// along a shortest path; otherwise they lead where they led before.
#[test]
fn a_way_is_a_shortest_one_to_an_idle_spring() {
    const SIDE: i32 = 24;
    let (mut found, mut vain, mut out_of_reach, mut longest) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let rules = Rules { edges: Edges::WALLS, ..Rules::lossless() };
        let mut world = WaterWorld::new(seed, rules).expect("rules in range");
        for chunk in Region::new(IVec3::ZERO, IVec3::new(1, 0, 1)).positions().map(ChunkPos::from) {
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
        let beside =
            |cell: IVec3| Face::LATERAL.into_iter().map(move |face| (face, cell + face.offset()));
        let mut reached: Vec<IVec3> = springs;
        let mut at = 0;
        while let Some(&cell) = reached.get(at) {
            at += 1;
            for (face, there) in beside(cell) {
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
        let is_spring = |tick: &Tick, cell: IVec3| tick.store.read(place_of[&cell]).is_source();
        for &cell in &reached {
            if is_spring(&tick, cell) && random.u8(..3) > 0 {
                tick.pass_on(place_of[&cell], Face::Up, 7);
            }
        }
        let drawer = reached[random.usize(..reached.len())];
        if is_spring(&tick, drawer) {
            continue;
        }
        let is_idle = |tick: &Tick, cell: IVec3| {
            is_spring(tick, cell) && tick.scratch.passed_by_record(place_of[&cell]) == 0
        };
        let mut distance: HashMap<IVec3, i32> = HashMap::from([(drawer, 0)]);
        let mut flood = vec![drawer];
        let mut at = 0;
        while let Some(&cell) = flood.get(at) {
            at += 1;
            if cell != drawer && is_spring(&tick, cell) {
                // No water passes through a spring.
                continue;
            }
            for (_, there) in beside(cell) {
                if place_of.contains_key(&there) && !distance.contains_key(&there) {
                    distance.insert(there, distance[&cell] + 1);
                    flood.push(there);
                }
            }
        }
        let nearest = flood.iter().find(|&&cell| is_idle(&tick, cell)).map(|cell| distance[cell]);
        let parent = |tick: &Tick, cell: IVec3| {
            let faces = tick.store.parents_of(place_of[&cell]);
            assert!(faces.count_ones() < 2, "seed {seed}");
            Store::faces(faces).next().and_then(|face| face.step(cell))
        };
        let way = |tick: &Tick| -> Vec<IVec3> {
            core::iter::successors(Some(drawer), |&cell| parent(tick, cell)).take(1_000).collect()
        };
        // Searches are made in every fourth tick.
        tick.tick = 1;
        let mut supply = Supply::default();
        let flow = supply.flow_of(&tick, place_of[&drawer].slot);
        let may_reach = supply.has_idle(flow);
        assert!(may_reach || nearest.is_none(), "seed {seed}");
        out_of_reach += u32::from(!may_reach);
        let (before, injected) = (way(&tick), tick.ledger.injected);
        let mut search = Search::default();
        assert!(reroute(&mut tick, &mut search, place_of[&drawer]) > 0);
        let after = way(&tick);
        let Some(nearest) = nearest else {
            assert_eq!(before, after, "seed {seed}");
            // Cells that one search has visited in vain are not visited again in this tick.
            assert_eq!(reroute(&mut tick, &mut search, place_of[&drawer]), 0);
            vain += 1;
            continue;
        };
        found += 1;
        longest = longest.max(nearest);
        assert_eq!(after.len() as i32, nearest + 1, "seed {seed}");
        assert!(is_idle(&tick, after[after.len() - 1]), "seed {seed}");
        assert_eq!(tick.ledger.injected, injected, "seed {seed}: no water moves");
    }
    assert!(
        found > 100 && vain > 20 && out_of_reach > 0 && longest > 8,
        "{found} found, {vain} in vain, {out_of_reach} of them out of reach, {longest} cells"
    );
}
