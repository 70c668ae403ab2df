//! The stage of draws in small worlds, and the search for a path from an idle spring.

use super::*;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face, Region};
use crate::water::cell::CellFlags;
use crate::water::draw::reroute::reroute;
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

/// A row of chunks along an axis, some with springs. Those beside each other are one flow, and a
/// chunk without springs parts two flows. After each draw, what is left is compared with what the
/// springs have passed.
#[test]
fn what_springs_have_left_is_that_of_their_own_flow() {
    let mut counts = [0; 3];
    for seed in 0..64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (throughput, source_supply) = (random.u8(1..8), random.u8(1..8));
        let rules = Rules { throughput, source_supply, ..Rules::lossless() };
        let mut world = WaterWorld::new(seed, rules).expect("rules in range");
        let along = [IVec3::X, IVec3::Y, IVec3::Z][random.usize(..3)];
        let mut springs: Vec<(i32, Place)> = Vec::new();
        for at in -4..5 {
            let chunk = ChunkPos::from(along * at);
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
            for _ in 0..[0, 0, 1, 3][random.usize(..4)] {
                let cell = along * at * 16 + IVec3::from_array([(); 3].map(|()| random.i32(0..16)));
                world.add_source(cell).expect("an open cell");
                springs.push((at, world.place(cell).expect("loaded")));
            }
        }
        springs.sort_unstable();
        springs.dedup();
        let most = throughput.min(source_supply);
        let mut tick = test_worlds::tick(&mut world);
        tick.tick = random.u64(1..3);
        let mut passed = vec![0; springs.len()];
        for (passed, &(_, spring)) in passed.iter_mut().zip(&springs) {
            *passed = random.u8(..=most);
            tick.pass_on(spring, Face::Up, *passed);
        }
        let mut supply = Supply::default();
        for _ in 0..40 {
            for flow in springs.chunk_by(|one, next| next.0 - one.0 < 2) {
                let first = springs.iter().position(|spring| spring == &flow[0]).unwrap_or(0);
                let passed = &passed[first..first + flow.len()];
                let is_left = passed.iter().any(|&units| units < most);
                let has_idle = tick.tick == 1 && passed.contains(&0);
                let id = supply.flow_of(&tick, flow[0].1.slot);
                assert_eq!(supply.is_left(id), is_left, "seed {seed}");
                assert_eq!(supply.has_idle(id), has_idle, "seed {seed}");
                let ids = flow.iter().map(|(_, spring)| supply.flow_of(&tick, spring.slot));
                assert!({ ids }.all(|other| other == id), "seed {seed}");
                let kind = if has_idle { 2 } else { usize::from(is_left) };
                counts[kind] += 1;
            }
            let drawn: Vec<usize> = (0..springs.len()).filter(|&at| passed[at] < most).collect();
            let Some(&at) = drawn.get(random.usize(..drawn.len().max(1))) else { break };
            let (units, spring) = (random.u8(1..=most - passed[at]), springs[at].1);
            passed[at] += units;
            tick.pass_on(spring, Face::Up, units);
            let flow = supply.flow_of(&tick, spring.slot);
            supply.note_given(&tick, flow, spring.slot);
        }
        world.finish_tick();
    }
    assert!(counts.iter().all(|&count| count > 50), "spent, left and idle: {counts:?}");
}

/// A draw climbs from parent to parent, so it stays in its flow.
#[test]
fn parents_lie_in_chunks_with_connected_cells() {
    let mut parents = 0;
    for seed in 0..24 {
        let world = test_worlds::springs(seed);
        for place in test_worlds::places(&world) {
            if world.store.read(place).is_connected() {
                for face in Store::faces(world.store.parents_of(place)) {
                    let parent = world.store.step(place, face);
                    assert!(world.store.has_connected(parent.slot), "seed {seed}: {place:?}");
                    parents += 1;
                }
            }
        }
    }
    assert!(parents > 1_000, "{parents} parents");
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
