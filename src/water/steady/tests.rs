//! The steady flow in small beds: its invariants after any edit, and its amount.

use super::*;
use crate::chunk::Chunk;
use crate::coords::{ChunkRegion, Cube, Region, Shape};
use crate::water::flow_record::FaceFlows;
use crate::water::scratch::rollback::steady_before;
use crate::water::scratch::schedule::Phase;
use crate::water::scratch::test_worlds;
use crate::water::steady::balance::drains_across;
use crate::water::steady::network::{carries, steady_inflow};
use crate::water::store::flow::steady::Turnover;
use crate::water::{Edges, Rules, Voxel, WaterWorld};
use fastrand::Rng;
use glam::IVec3;

const MIN: IVec3 = IVec3::new(-7, 0, -6);
const MAX: IVec3 = IVec3::new(8, 3, 7);

/// Returns a bed of rocks with springs, on a floor, over eight chunks, which drains at its sides.
fn bed(random: &mut Rng, throughput: u8, height: i32) -> WaterWorld {
    let rules = Rules { throughput, edges: Edges::DRAINING_SIDES, ..Rules::lossless() };
    let bounds = Region::new(MIN, IVec3::new(MAX.x, height, MAX.z));
    let mut world = WaterWorld::with_bounds(random.u64(..), rules, bounds).expect("in range");
    let chunks = ChunkRegion::of::<Cube>(Region::new(MIN, MAX));
    for chunk in chunks.positions() {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::SOLID)).expect("none is there");
    }
    for cell in Region::new(MIN.with_y(1), IVec3::new(MAX.x, height, MAX.z)).positions() {
        if random.u8(..10) < 7 {
            world.clear_solid(cell).expect("a loaded chunk");
        }
    }
    for _ in 0..random.u8(1..6) {
        // Where there is rock, the next random cell is tried.
        let _ = world.add_source(cell(random, height));
    }
    world
}

fn cell(random: &mut Rng, height: i32) -> IVec3 {
    IVec3::new(random.i32(MIN.x..=MAX.x), random.i32(1..=height), random.i32(MIN.z..=MAX.z))
}

/// Makes one of the edits that can break the flow.
fn edit(world: &mut WaterWorld, random: &mut Rng) {
    let at = cell(random, MAX.y);
    let chunk = Cube::chunk_of(at);
    // A refused edit is skipped.
    match random.u8(..9) {
        0 => _ = world.set_solid(at),
        1 => _ = world.clear_solid(at),
        2 => _ = world.add_source(at),
        3 => _ = world.remove_source(at),
        4 => _ = world.drain_body(at, 60),
        5 => _ = world.scoop(at, 7),
        6 if world.is_frozen(chunk) => _ = world.thaw([chunk]),
        6 => _ = world.freeze([chunk]),
        7 => {
            if world.remove_chunk(chunk).is_err() {
                let _ = world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN));
            }
        }
        _ => _ = world.fill_water(Region::new(at, at + 1), 7),
    }
}

/// Runs the next tick up to the end of its steady stage.
fn begin(world: &mut WaterWorld) {
    while world.scratch.phase <= Phase::Steady {
        if world.step_within(0).finished {
            break;
        }
    }
}

/// Asserts that the units that enter a cell leave it, that springs give no more than they can, that
/// no flow passes cells that are not connected, and that no cell lets through more than it may.
fn assert_flow(world: &WaterWorld, context: &str) {
    let store = &world.store;
    for place in test_worlds::places(world) {
        let (flows, voxel) = (store.steady(place), store.read(place));
        if store.is_frozen(place.slot) {
            continue;
        }
        let inflow = steady_inflow(store, place);
        let through = flows.through();
        let context = format!("{context}: {}, {voxel:?}", store.position(place));
        if voxel == Voxel::DRAIN {
            continue;
        }
        assert!(through <= world.rules.throughput, "{context} passes {through}");
        assert!(through == 0 || voxel.is_connected(), "{context} is not connected");
        if voxel.is_source() {
            let given = through.checked_sub(inflow);
            let supply = world.rules.source_supply;
            assert!(given.is_some_and(|given| given <= supply), "{context} gives {given:?}");
        } else {
            assert_eq!(inflow, through, "{context}");
        }
        for (face, _) in flows.iter() {
            let leaves = store.look(place, face) == Voxel::DRAIN;
            let there = store.step(place, face);
            let enters = there.is_some() && store.read(there).is_connected();
            assert!(leaves || enters, "{context} passes on to {face:?}");
        }
    }
}

/// Asserts that there is no cycle: removes cells that receive no flow from the remaining cells
/// until none is left (Kahn's algorithm).
fn assert_acyclic(world: &WaterWorld, context: &str) {
    let store = &world.store;
    let next = |place: Place| {
        let out = store.steady(place).iter().map(move |(face, _)| store.step(place, face));
        out.filter(|there| there.is_some()).collect::<Vec<_>>()
    };
    let mut inflows: hashbrown::HashMap<Place, usize> = hashbrown::HashMap::new();
    let cells: Vec<Place> = test_worlds::places(world);
    cells.iter().flat_map(|&place| next(place)).for_each(|to| *inflows.entry(to).or_default() += 1);
    let mut open: Vec<Place> =
        cells.iter().filter(|place| !inflows.contains_key(*place)).copied().collect();
    let mut gone = 0;
    while let Some(place) = open.pop() {
        gone += 1;
        for to in next(place) {
            let left = inflows.get_mut(&to).expect("it gets something");
            *left -= 1;
            if *left == 0 {
                open.push(to);
            }
        }
    }
    assert_eq!(gone, cells.len(), "{context}: water flows in a circle");
}

/// Returns the units that leave the world.
fn outflow(world: &WaterWorld) -> u64 {
    let store = &world.store;
    let leaves = |place: Place| -> u64 {
        let out = store.steady(place).iter().filter(|&(face, _)| drains_across(store, place, face));
        out.map(|(_, units)| u64::from(units)).sum()
    };
    test_worlds::places(world).into_iter().map(leaves).sum()
}

#[test]
fn after_any_edit_the_flow_is_one_and_no_cell_passes_more_than_it_may() {
    let (mut flowed, mut frozen) = (0, 0);
    for seed in 0..12 {
        let random = &mut Rng::with_seed(seed);
        let throughput = random.u8(2..8);
        let mut world = bed(random, throughput, MAX.y);
        for at in 0..60 {
            if at % 3 == 2 {
                (0..random.u8(..4)).for_each(|_| edit(&mut world, random));
            }
            begin(&mut world);
            assert_flow(&world, &format!("seed {seed}, tick {at}"));
            assert_acyclic(&world, &format!("seed {seed}, tick {at}"));
            flowed += outflow(&world);
            frozen += world.frozen_chunks().count();
            world.finish_tick();
        }
    }
    assert!(flowed > 600 && frozen > 150, "{flowed} units left, {frozen} chunks frozen");
}

/// The tables hold random flows across all faces.
#[test]
fn any_table_is_reduced_to_a_flow() {
    let (mut kept, mut taken) = (0, 0);
    for seed in 0..60 {
        let random = &mut Rng::with_seed(seed);
        let mut world = bed(random, 7, MAX.y);
        world.run(random.u64(20..60));
        let places = test_worlds::places(&world);
        let [few, many] = [3, 200];
        for _ in 0..if random.bool() { few } else { many } {
            let place = places[random.usize(..places.len())];
            if world.store.read(place).is_mark() {
                continue;
            }
            let more = (0..random.u8(..4))
                .map(|_| (Face::ALL[random.usize(..6)], random.u8(..8)))
                .fold(FaceFlows::NONE, |flows, (face, units)| flows.with(face, units));
            world.store.set_steady(place, more);
        }
        world.store.note_all_unbalanced();
        let before: u32 =
            places.iter().map(|&at| u32::from(world.store.steady(at).through())).sum();
        begin(&mut world);
        assert_flow(&world, &format!("seed {seed}"));
        assert_acyclic(&world, &format!("seed {seed}"));
        let after: u32 = places.iter().map(|&at| u32::from(world.store.steady(at).through())).sum();
        kept += after;
        taken += before.saturating_sub(after);
    }
    assert!(kept > 2_000 && taken > 500, "{kept} units across faces kept, {taken} taken back");
}

/// Units that go back and forth between two cells balance, but come from no spring.
#[test]
fn a_cycle_that_comes_with_a_chunk_is_cancelled() {
    let mut cycles = 0;
    for seed in 0..20 {
        let mut world = bed(&mut Rng::with_seed(seed), 7, MAX.y);
        world.run(20);
        let store = &world.store;
        let is_free = |&(here, there): &(Place, Place)| {
            let carries_on = there.is_some() && carries(store, here, Face::East, there);
            let carries_back = carries_on && carries(store, there, Face::West, here);
            let is_unused =
                |place: Place| store.steady(place).is_none() && steady_inflow(store, place) == 0;
            carries_back && is_unused(here) && is_unused(there)
        };
        let places = test_worlds::places(&world);
        let pairs = places.iter().map(|&here| (here, store.step(here, Face::East)));
        let Some((here, there)) = pairs.into_iter().find(is_free) else { continue };
        world.store.set_steady(here, FaceFlows::NONE.with(Face::East, 3));
        world.store.set_steady(there, FaceFlows::NONE.with(Face::West, 3));
        world.store.note_all_unbalanced();
        begin(&mut world);
        assert_flow(&world, &format!("seed {seed}"));
        assert_acyclic(&world, &format!("seed {seed}"));
        cycles += 1;
    }
    assert!(cycles > 5, "{cycles} cycles");
}

/// A yielding flow takes the throughput that other flow has left over, and its table does not
/// change.
#[test]
fn a_flow_that_yields_passes_what_is_left_over() {
    let (mut yielded, mut full) = (0, 0);
    for seed in 0..40 {
        let random = &mut Rng::with_seed(seed);
        // The record of a cell cannot hold more than 7 units.
        let throughput = random.u8(2..4);
        let mut world = bed(random, throughput, MAX.y);
        world.run(YIELD_PERIOD * 4 + YIELDING);
        assert_eq!(world.ticks() % YIELD_PERIOD, YIELDING);
        let _ = world.scoop(cell(random, MAX.y), 7);
        let places = test_worlds::places(&world);
        begin(&mut world);
        let table: Vec<FaceFlows> = places.iter().map(|&place| world.store.steady(place)).collect();
        while world.scratch.phase <= Phase::Draw {
            if world.step_within(0).finished {
                break;
            }
        }
        for (&place, &flows) in places.iter().zip(&table) {
            let passed = world.scratch.get(place.layer_id());
            let passed = passed.map_or(0, |work| work.passed(place.cell()));
            assert!(passed <= throughput, "seed {seed}: {place:?} passes {passed} units");
            assert_eq!(world.store.steady(place), flows, "seed {seed}: {place:?}");
            yielded += u32::from(passed > 0 && passed < flows.through());
            full += u32::from(passed == throughput);
        }
        world.finish_tick();
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
    }
    assert!(yielded > 30 && full > 100, "{yielded} cells yielded, {full} pass all they may");
}

/// While a tick is underway, the table is read as it was when the tick began.
#[test]
fn the_table_of_before_a_tick_is_known_during_it() {
    let mut changed = 0;
    for seed in 0..12 {
        let random = &mut Rng::with_seed(seed);
        let mut world = bed(random, 7, MAX.y);
        let slots = world.store.grid().sorted_slots();
        for at in 0..40 {
            if at % 4 == 0 {
                let at = cell(random, MAX.y);
                match random.bool() {
                    true => _ = world.set_solid(at),
                    false => _ = world.clear_solid(at),
                }
            }
            let tables = |world: &WaterWorld| -> Vec<Vec<(u16, FaceFlows)>> {
                slots.iter().map(|&slot| steady_before(world, slot)).collect()
            };
            let now = |world: &WaterWorld| -> Vec<Vec<(u16, FaceFlows)>> {
                slots.iter().map(|&slot| world.store.steady_list(slot)).collect()
            };
            let before = now(&world);
            while !world.step_within(0).finished {
                assert!(tables(&world) == before, "seed {seed}, tick {at}");
                changed += u32::from(now(&world) != before);
            }
        }
    }
    assert!(changed > 500, "{changed} times the table had changed");
}

/// Returns the max flow in a flat bed, found by augmenting paths over cells of a capacity
/// (Ford–Fulkerson on a split graph, one unit at a time).
fn max_flow(world: &WaterWorld) -> u64 {
    let open: Vec<IVec3> = Region::new(MIN.with_y(1), MAX.with_y(1))
        .positions()
        .filter(|&cell| world.cell(cell).is_some())
        .collect();
    let number = |cell: IVec3| open.iter().position(|&other| other == cell);
    let beside: Vec<Vec<usize>> = open
        .iter()
        .map(|&cell| {
            Face::LATERAL.into_iter().filter_map(|face| number(cell + face.offset())).collect()
        })
        .collect();
    let is_end =
        |cell: IVec3| cell.x == MIN.x || cell.x == MAX.x || cell.z == MIN.z || cell.z == MAX.z;
    let count = open.len();
    // The flow between nodes: a cell is entered at node `cell` and left at node `count + cell`.
    let mut flow: hashbrown::HashMap<(usize, usize), i64> = hashbrown::HashMap::new();
    let mut left: Vec<i64> = open
        .iter()
        .map(|&cell| if world.cell(cell).is_some_and(|cell| cell.is_source()) { 7 } else { 0 })
        .collect();
    let mut sent = 0;
    loop {
        let mut from = vec![usize::MAX; 2 * count];
        let mut queue: Vec<usize> = (0..count).filter(|&cell| left[cell] > 0).collect();
        queue.iter().for_each(|&node| from[node] = node);
        let mut at = 0;
        let end = loop {
            let Some(&node) = queue.get(at) else { return sent };
            at += 1;
            if node >= count && is_end(open[node - count]) {
                break node;
            }
            let next: Vec<(usize, i64)> = match node.checked_sub(count) {
                None => {
                    let back = beside[node].iter().map(|&there| (count + there, 0));
                    core::iter::once((count + node, 7)).chain(back).collect()
                }
                Some(cell) => {
                    let on = beside[cell].iter().map(|&there| (there, i64::MAX));
                    on.chain([(cell, 0)]).collect()
                }
            };
            for (next, capacity) in next {
                let stands = flow.get(&(node, next)).copied().unwrap_or(0);
                if from[next] == usize::MAX && capacity > stands {
                    from[next] = node;
                    queue.push(next);
                }
            }
        };
        let mut node = end;
        while from[node] != node {
            *flow.entry((from[node], node)).or_default() += 1;
            *flow.entry((node, from[node])).or_default() -= 1;
            node = from[node];
        }
        left[node] -= 1;
        sent += 1;
    }
}

/// Half of the beds are initially full, the other half dry.
#[test]
fn in_time_the_flow_is_a_maximum_one() {
    let mut flowed = 0;
    for seed in 0..24 {
        let random = &mut Rng::with_seed(seed);
        let mut world = bed(random, 7, 1);
        if seed % 2 == 0 {
            world.fill_water(Region::new(MIN.with_y(1), MAX.with_y(1)), 7).expect("loaded chunks");
        }
        world.run(400);
        let most = max_flow(&world);
        assert_eq!(outflow(&world), most, "seed {seed}");
        flowed += most;
    }
    assert!(flowed > 200, "{flowed} units");
}

/// A path that is found in a tick in which the flow yields, and that then passes nothing, once left
/// cells with FlowOut that no other cells with FlowOut joined to an end.
#[test]
fn after_a_tick_the_cells_with_flow_out_are_those_of_the_table() {
    let (mut passed, mut yielding) = (0, 0);
    for seed in 0..60 {
        let random = &mut Rng::with_seed(seed);
        let mut world = bed(random, 7, MAX.y);
        for tick in 0..200 {
            // Flow is often about to change when it yields.
            if random.u8(..8) == 0 || is_yield_tick(world.ticks() + 1) {
                edit(&mut world, random);
            }
            world.step();
            for place in test_worlds::places(&world) {
                let voxel = world.store.read(place);
                if voxel.is_mark() || world.store.is_frozen(place.slot) {
                    continue;
                }
                let is_passed = !world.store.steady(place).is_none();
                // The next tick takes back the flow of a cell that was cut off at the end of this.
                if is_passed && !voxel.is_connected() {
                    continue;
                }
                let at = world.store.position(place);
                let has_flag = voxel.has(crate::water::cell::CellFlags::FLOW_OUT);
                assert_eq!(has_flag, is_passed, "seed {seed}, tick {tick}: {at}");
                passed += u32::from(is_passed);
                yielding += u32::from(is_passed && is_yield_tick(world.ticks() - 1));
            }
        }
    }
    assert!(passed > 10_000 && yielding > 300, "{passed} cells, {yielding} of flow that yields");
}

/// A river of 600 cells is dammed up for a moment, so that its end searches all of it for more
/// flow. Such a search was a single piece once.
#[test]
fn a_search_stops_with_its_piece() {
    const END: IVec3 = IVec3::new(600, 1, 1);
    let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::lossless() };
    let bounds = Region::new(IVec3::ZERO, IVec3::new(END.x, 1, 2));
    let [mut world, mut twin] = [(); 2].map(|()| {
        let mut world = WaterWorld::with_bounds(3, rules, bounds).expect("in range");
        for chunk in ChunkRegion::of::<Cube>(bounds).positions() {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        }
        for cell in Region::new(IVec3::ONE, END).positions() {
            world.clear_solid(cell).expect("loaded");
        }
        world.add_source(IVec3::ONE).expect("open");
        world.run(1_500);
        world.set_solid(END - 9 * IVec3::X).expect("loaded");
        world.clear_solid(END - 9 * IVec3::X).expect("loaded");
        world
    });
    let (mut most, mut longest) = (0, 0);
    for _ in 0..32 {
        let mut all = 0;
        while world.scratch.phase <= Phase::Steady {
            let visited = world.step_within(0).visited;
            (most, all) = (most.max(visited), all + visited);
        }
        longest = longest.max(all);
        world.finish_tick();
        twin.step();
        assert_eq!(world.state_hash(), twin.state_hash(), "tick {}", world.ticks());
    }
    assert!(longest > 1_000, "{longest} in the steady stage of a tick");
    assert!(most <= 2 * 256, "{most} in a piece");
}

/// The sum of all flow is kept: springs give it, drains take it, and frozen chunks have no part.
#[test]
fn the_kept_sum_is_that_of_the_table() {
    let (mut all, mut frozen) = (Turnover::default(), 0);
    for seed in 0..30 {
        let random = &mut Rng::with_seed(seed);
        let mut world = bed(random, 7, MAX.y);
        for tick in 0..160 {
            if random.u8(..8) == 0 {
                edit(&mut world, random);
            }
            world.finish_tick();
            world.step();
            // What has yielded has been counted as less.
            if is_yield_tick(world.ticks() - 1) {
                continue;
            }
            let mut of_table = Turnover::default();
            for place in test_worlds::places(&world) {
                let through = world.store.steady(place).through();
                if world.store.is_frozen(place.slot) {
                    frozen += u32::from(through > 0);
                    continue;
                }
                of_table.through += u64::from(through);
                if world.store.read(place).is_source() {
                    of_table.drained += u64::from(through - steady_inflow(&world.store, place));
                }
            }
            assert_eq!(world.store.steady_sum(), of_table, "seed {seed}, tick {tick}");
            all.through += of_table.through;
            all.drained += of_table.drained;
        }
    }
    assert!(all.through > 50_000 && all.drained > 5_000 && frozen > 1_000, "{all:?}, {frozen}");
}
