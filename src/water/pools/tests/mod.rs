//! Laws of pools: bodies equal the results of a flood fill. That nothing depends on what is known
//! of them is tested in `twins`.

mod twins;

use super::*;
use crate::chunk::{CellMask, Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, ChunkPos, ColumnPos, Cube, Face, Region, Shape};
use crate::water::cell::FULL;
use crate::water::pools::layer::{Levels, y_of};
use crate::water::pools::level::{STEP, is_level_alone};
use crate::water::pools::walk::{Extent, Walk, Within};
use crate::water::scratch::Tick;
use crate::water::scratch::schedule::Phase;
use crate::water::scratch::test_worlds;
use crate::water::store::changed::dirty_layers::next_dirty;
use crate::water::store::{Place, head};
use crate::water::voxel::Voxel;
use crate::water::{Edge, Edges, Rules, WaterCell, WaterWorld};
use core::ops::Range;
use fastrand::Rng;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};

/// A body found by a flood fill from cell to cell: its cells, and the levels at which it gives and
/// takes water.
#[derive(Debug, PartialEq, Eq)]
struct Flooded {
    cells: usize,
    levels: Levels,
}

fn is_on_ground(tick: &Tick, place: Place) -> bool {
    !tick.store.look(place, Face::Down).is_wet()
}

/// Returns whether a cell is fed by a spring, is not full and lies on solid ground.
fn is_shallow(tick: &Tick, place: Place) -> bool {
    let voxel = tick.store.read(place);
    let below = tick.store.look(place, Face::Down);
    voxel.is_connected()
        && voxel.is_wet()
        && voxel.height() < FULL
        && is_on_ground(tick, place)
        && below.is_closed()
        && !below.is_sea()
}

fn is_supported(tick: &Tick, place: Place) -> bool {
    let voxel = tick.store.read(place);
    let below = tick.store.look(place, Face::Down);
    let rests = voxel.is_wet() && below.is_closed() && !below.is_sea();
    rests && !is_shallow(tick, place)
}

/// Returns the level of the sea across a face of a cell, if there is any, found cell by cell
/// upwards.
fn sea_across(tick: &Tick, place: Place, face: Face) -> Option<i64> {
    if face == Face::Down || !tick.store.look(place, face).is_sea() {
        return None;
    }
    let mut at = tick.store.step(place, face);
    let level = |edge: Edge, least: i32| match edge {
        Edge::Level(y) => head(y.max(least), FULL),
        _ => head(least, FULL),
    };
    if !at.is_some() {
        return Some(level(tick.store.edge_beyond(place.slot, face), i32::MIN));
    }
    loop {
        let cell = tick.store.position(at);
        if !tick.store.bounds().contains(cell) {
            return Some(level(tick.rules.edges.outer[face.index()], cell.y));
        }
        let above = tick.store.step(at, Face::Up);
        if !above.is_some() && cell.y < tick.store.bounds().max().y {
            return Some(level(tick.store.edge_of_column(Cube::chunk_of(cell)), cell.y));
        }
        if !above.is_some() || !tick.store.read(above).is_sea() {
            return Some(head(cell.y, FULL));
        }
        at = above;
    }
}

/// Returns whether a cell is loaded, open and no mark of the world's edge.
fn is_open(tick: &Tick, place: Place) -> bool {
    place.is_some() && !tick.store.read(place).is_mark()
}

/// Returns the body of a cell, as a reference.
fn flood(tick: &Tick, start: Place) -> (Vec<Place>, Flooded) {
    let mut seen: HashSet<Place> = HashSet::from([start]);
    let mut open = vec![start];
    // Springs join the water around them, and have no surface.
    let mut levels = Levels::NONE;
    let low = |level: i64| Levels { low: level, ..Levels::NONE };
    let high = |level: i64| Levels { high: level, ..Levels::NONE };
    let mut at = 0;
    while let Some(&place) = open.get(at) {
        at += 1;
        let voxel = tick.store.read(place);
        let y = y_of(tick, place.layer_id());
        let level = head(y, voxel.height());
        let above = tick.store.step(place, Face::Up);
        let is_covered = above.is_some() && tick.store.read(above).is_wet();
        let is_full = voxel.height() == FULL;
        if !voxel.is_source() {
            if !is_full || !is_covered && !tick.store.is_coast(place) {
                levels = levels.and(high(level));
            }
            if !is_full || is_open(tick, above) && !is_covered {
                levels = levels.and(low(level));
            }
            for level in Face::ALL.into_iter().filter_map(|face| sea_across(tick, place, face)) {
                levels = levels.and(Levels { low: level, high: level });
            }
            // A spring lifts water up to its cell, even water that lies one unit lower.
            let gives = |face: Face| {
                let there = tick.store.step(place, face);
                tick.limits.supply > 0 && there.is_some() && tick.store.read(there).is_source()
            };
            if gives(Face::Up) {
                levels = levels.and(high(head(y, FULL) + 1));
            } else if Face::LATERAL.into_iter().any(gives) {
                levels = levels.and(high(head(y, 0) + 1));
            }
        }
        let feeds_itself = voxel.is_connected() && is_on_ground(tick, place);
        for face in Face::ALL {
            let there = tick.store.step(place, face);
            if !is_open(tick, there) {
                continue;
            }
            let beside = tick.store.read(there);
            let is_joined = is_supported(tick, there)
                && match face {
                    Face::Up => is_full,
                    Face::Down => beside.height() == FULL,
                    _ => true,
                };
            if is_joined && seen.insert(there) {
                open.push(there);
            }
            if voxel.is_source() {
                continue;
            }
            if Face::LATERAL.contains(&face) && is_shallow(tick, there) {
                levels = levels.and(low(head(y, FULL)));
            }
            let is_gap =
                !is_supported(tick, there) && beside.height() < FULL && !is_shallow(tick, there);
            if Face::LATERAL.contains(&face) && is_gap && !is_covered {
                // A body gives water above the layer of a lane to the lane if a spring feeds it.
                let level = if feeds_itself { FULL } else { 0 };
                levels = levels.and(low(head(y, level)));
            }
        }
    }
    (open.clone(), Flooded { cells: open.len(), levels })
}

/// Returns a tick that has begun, before any flow, with the pools of its world.
fn tick(world: &mut WaterWorld) -> (Tick<'_>, &mut Pools) {
    let (tick, tick_state) = world.underway();
    while tick.scratch.enter_next(tick.store).is_some() {}
    tick.scratch.phase = Phase::Flow;
    (tick, &mut tick_state.pools)
}

/// Returns the pieces of the body of a cell, its extent and its levels.
fn survey(tick: &Tick, walk: &mut Walk, start: (u32, usize)) -> (Range<usize>, Extent, Levels) {
    let mut survey = Survey::begin(tick, walk, start, usize::MAX);
    let extent = survey.complete(tick, walk);
    (survey.body(walk), extent, survey.levels())
}

/// Compares the bodies of a world, both surveyed and labelled, with the results of a flood
/// fill. What counts as level and alone must be a whole body, and level. Returns the number of
/// bodies, the number of bodies with labels, and how many count as level and alone: films a unit
/// high, full ones, springs.
fn compare(world: &mut WaterWorld, seed: u64) -> [usize; 5] {
    let slots = world.store.grid().sorted_slots();
    let (tick, pools) = tick(world);
    pools.walk.begin(Within::World, false);
    while let Some((slot, marks)) = next_dirty(tick.store) {
        pools.labels.refresh(&tick, slot, marks.levels, marks.structure);
    }
    let mut seen: HashSet<Place> = HashSet::new();
    let mut bodies = [0; 5];
    for place in
        slots.iter().flat_map(|&slot| (0..CHUNK_CELLS).map(move |index| Place { slot, index }))
    {
        if !is_supported(&tick, place) || seen.contains(&place) {
            assert!(is_supported(&tick, place) || pools.labels.of_cell(place).is_none());
            continue;
        }
        let (cells, expected) = flood(&tick, place);
        seen.extend(&cells);
        let at = tick.store.position(place);
        let layer = pools.walk.index_or_read(&tick, place.layer_id());
        assert_eq!(pools.walk.piece_at(layer, place.cell()), None, "seed {seed}: {at}");
        let (body, extent, levels) = survey(&tick, &mut pools.walk, (layer, place.cell()));
        assert!(extent == Extent::Whole, "seed {seed}: {at}");
        let pieces = &pools.walk.pieces[body.clone()];
        let count = pieces.iter().map(|piece| piece.count() as usize).sum();
        let piece = pieces[0].cells;
        assert_eq!(Flooded { cells: count, levels }, expected, "seed {seed}: {at}");
        bodies[0] += 1;
        if is_level_alone(&tick, place.layer_id(), piece) {
            assert_eq!(body.len(), 1, "seed {seed}: {at}: other pieces belong to the body");
            assert!(!levels.differ_by(STEP), "seed {seed}: {at}: {levels:?}");
            let voxel = tick.store.read(place);
            let kind = usize::from(voxel.is_full()) + usize::from(voxel.is_source());
            bodies[2 + kind] += 1;
        }
        let labels: HashMap<_, _> =
            cells.iter().filter_map(|&cell| pools.labels.of_cell(cell)).collect();
        let Some((_, bounds)) = labels.iter().next() else { continue };
        let known = cells.iter().filter(|&&cell| pools.labels.of_cell(cell).is_some()).count();
        assert_eq!((labels.len(), known), (1, cells.len()), "seed {seed}: {at}: known in part");
        assert_eq!(levels.and(*bounds), *bounds, "seed {seed}: {at}: out of bounds");
        bodies[1] += 1;
    }
    bodies
}

/// In ticks that are stopped anywhere, amid falls: what counts as level and alone is a whole body,
/// and level.
#[test]
fn pieces_that_count_as_level_are_level_bodies_amid_falls() {
    let (mut springs, mut under_falls, mut others) = (0, 0, 0);
    for seed in 0..24 {
        let mut random = Rng::with_seed(seed);
        test_worlds::springs_with(seed, |world, round| {
            world.step_within(random.u64(1..2_000));
            let slots = world.store.grid().sorted_slots();
            let (tick, _) = world.underway();
            let mut walk = Walk::default();
            for layer in slots.into_iter().flat_map(|slot| slot.layers()) {
                walk.begin(Within::World, false);
                let index = walk.index_or_read(&tick, layer);
                let mut cells = walk.layer(index).supported;
                while let Some(cell) = cells.iter().next() {
                    let piece = walk.joined(index, cell);
                    cells -= piece;
                    if !is_level_alone(&tick, layer, piece) {
                        continue;
                    }
                    let context = format!("seed {seed}, round {round}: {layer:?}, cell {cell}");
                    let (body, extent, levels) = survey(&tick, &mut walk, (index, cell));
                    assert!(extent == Extent::Whole && body.len() == 1, "{context}");
                    assert!(!levels.differ_by(STEP), "{context}: {levels:?}");
                    let above = tick.store.upper_layer(layer);
                    let is_under = above.is_some_and(|it| (piece & tick.store.layer(it).wet).any());
                    match (piece - tick.store.springs(layer)).is_empty() {
                        true => springs += 1,
                        false if is_under => under_falls += 1,
                        false => others += 1,
                    }
                }
            }
        });
    }
    assert!(
        springs > 100 && under_falls > 100 && others > 100,
        "{springs} of springs, {under_falls} under falls, {others} others"
    );
}

/// Returns the positions of the chunks of random worlds.
fn chunks() -> Vec<IVec3> {
    Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions().collect()
}

fn any_chunk(random: &mut Rng) -> Chunk<Voxel> {
    let kinds = [
        Voxel::OPEN,
        Voxel::SOLID,
        Voxel::OPEN.with_height(FULL),
        Voxel::OPEN.with_height(random.u8(1..7)),
        Voxel::water(WaterCell::SOURCE),
    ];
    match random.u8(..6) {
        0 => Chunk::uniform(kinds[random.usize(..5)]),
        1 => Chunk::uniform(Voxel::OPEN),
        _ => {
            let mut cells = [Voxel::OPEN; CHUNK_CELLS];
            for layer in cells.as_chunks_mut::<LAYER_CELLS>().0 {
                let common = kinds[[0, 0, 1, 2, 3][random.usize(..5)]];
                let rare = kinds[[0, 1, 1, 2, 3, 4][random.usize(..6)]];
                let one_in = [2, 5, 60][random.usize(..3)];
                layer.fill_with(|| if random.u8(..one_in) == 0 { rare } else { common });
            }
            Chunk::from_cells(&cells)
        }
    }
}

fn any_world(seed: u64, random: &mut Rng) -> WaterWorld {
    let edge = |random: &mut Rng| {
        let level = Edge::Level(random.i32(-16..16));
        [Edge::Wall, Edge::Drain, Edge::Held, level][random.usize(..4)]
    };
    let mut edges = Edges { unloaded: edge(random), ..Edges::WALLS };
    if random.bool() {
        edges.outer = [0; 6].map(|_| edge(random));
    }
    let rules = Rules {
        edges,
        throughput: [7, 7, 3][random.usize(..3)],
        source_supply: [7, 7, 2, 0][random.usize(..4)],
        evaporation: [0.0, 0.0, 0.01][random.usize(..3)],
        ..Rules::lossless()
    };
    let bounds = match random.bool() {
        true => Region::EVERYWHERE,
        false => Region::new(IVec3::splat(-13), IVec3::splat(11)),
    };
    let mut world = WaterWorld::with_bounds(seed, rules, bounds).expect("rules in range");
    for chunk in chunks().into_iter().filter(|_| random.u8(..4) > 0).collect::<Vec<_>>() {
        world.insert_chunk(chunk.into(), any_chunk(random)).expect("none is there");
    }
    world
}

/// Makes an edit. The world may refuse it.
fn any_edit(world: &mut WaterWorld, random: &mut Rng) {
    let cell = IVec3::from_array([0; 3].map(|_| random.i32(-16..16)));
    let chunk = IVec3::from_array([0; 3].map(|_| random.i32(-1..1)));
    let region = Region::new(cell, (cell + random.i32(0..4)).min(IVec3::splat(15)));
    match random.u8(..20) {
        0..4 => _ = world.pour(cell, random.u32(1..8)),
        4..7 => _ = world.scoop(cell, random.u32(1..8)),
        7..10 => _ = world.set_solid(cell),
        10..12 => _ = world.clear_solid(cell),
        12 => _ = world.add_source(cell),
        13 => _ = world.remove_source(cell),
        14 => _ = world.fill_solid(region),
        15 | 16 => _ = world.fill_water(region, random.u8(..8)),
        17 => _ = world.remove_chunk(chunk.into()),
        _ => {
            let content = any_chunk(random);
            _ = world.insert_chunk(chunk.into(), content);
        }
    }
}

/// Makes an edit of the sea. The world may refuse it.
fn any_sea_edit(world: &mut WaterWorld, random: &mut Rng) {
    let cell = IVec3::from_array([0; 3].map(|_| random.i32(-16..16)));
    let chunk = IVec3::from_array([0; 3].map(|_| random.i32(-1..1)));
    let to = (cell + IVec3::from_array([0; 3].map(|_| random.i32(0..6)))).min(IVec3::splat(15));
    match random.u8(..8) {
        0 | 1 => _ = world.set_sea(cell),
        2 | 3 => _ = world.clear_sea(cell),
        4 | 5 => _ = world.fill_sea(Region::new(cell, to)),
        6 => _ = world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::SEA)),
        _ => {
            let edge = random.bool().then(|| Edge::Level(random.i32(-16..16)));
            world.set_edge(ColumnPos::new(random.i32(-2..2), random.i32(-2..2)), edge);
        }
    }
}

#[test]
fn bodies_are_those_of_a_flood_fill() {
    let mut bodies = [0; 5];
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let mut world = any_world(seed, &mut random);
        // Before the flow of a tick it is not known which cells of runs fall.
        world.store.forbid_runs();
        for _ in 0..30 {
            for _ in 0..random.usize(1..8) {
                any_edit(&mut world, &mut random);
                if seed % 2 == 1 {
                    any_sea_edit(&mut world, &mut random);
                }
            }
            if random.u8(..3) > 0 {
                world.run(random.u64(1..30));
            }
            if random.u8(..3) == 0 {
                let found = compare(&mut world, seed);
                bodies = [0, 1, 2, 3, 4].map(|at| bodies[at] + found[at]);
            }
        }
    }
    let is_much = bodies.iter().zip([1_000, 6, 50, 8, 8]).all(|(&found, least)| found > least);
    assert!(is_much, "{bodies:?} bodies, known ones, films a unit high, full films, springs");
}

/// Returns a world with water 14 to 30 cells deep, higher on one side, with pillars, niches and
/// sometimes springs.
fn deep_world(seed: u64, random: &mut Rng) -> WaterWorld {
    let mut world = WaterWorld::new(seed, Rules::lossless()).expect("rules in range");
    for chunk in chunks() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).expect("none is there");
    }
    let top = random.i32(-2..14);
    let mut fill = |min: IVec3, max: IVec3| {
        world.fill_water(Region::new(min, max), FULL).expect("the cells are loaded");
    };
    fill(IVec3::splat(-16), IVec3::new(15, top, 15));
    fill(IVec3::new(-16, top, -16), IVec3::new(random.i32(-8..8), top + random.i32(0..3), 15));
    for _ in 0..random.usize(0..3) {
        let foot = IVec3::new(random.i32(-16..16), -16, random.i32(-16..16));
        let top = foot + random.i32(0..4) * IVec3::new(1, 0, 1) + random.i32(0..30) * IVec3::Y;
        world.fill_solid(Region::new(foot, top.min(IVec3::splat(15)))).expect("they are loaded");
    }
    for _ in 0..random.usize(0..3) {
        _ = world.add_source(IVec3::from_array([0; 3].map(|_| random.i32(-16..16))));
    }
    world
}

#[test]
fn deep_bodies_are_those_of_a_flood_fill() {
    let (mut bodies, mut columns) = (0, 0);
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let mut world = deep_world(seed, &mut random);
        for _ in 0..6 {
            bodies += compare(&mut world, seed)[0];
            let pieces = &world.tick_state.pools.walk.pieces;
            columns += pieces.iter().filter(|piece| piece.layers > 1).count();
            any_edit(&mut world, &mut random);
            world.run(random.u64(1..6));
            assert_eq!(world.validate(), Ok(()), "seed {seed}");
        }
    }
    assert!(bodies > 50 && columns > 100, "{bodies} bodies, {columns} columns");
}

/// Chunks of a pond come and go beside water that never rests.
#[test]
fn labels_do_not_grow_with_the_chunks_that_have_come_and_gone() {
    const STAY: i32 = 40;
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    world
        .insert_chunk(ChunkPos::new(-1, 0, 0), Chunk::uniform(Voxel::OPEN))
        .expect("none is there");
    world.add_source(IVec3::new(-8, 9, 8)).expect("the cell is open");
    let mut pond = Chunk::uniform(Voxel::OPEN);
    for cell in 0..3 * LAYER_CELLS {
        pond.set(cell, Voxel::OPEN.with_height(FULL));
    }
    let (mut at_first, mut known) = (0, 0);
    for x in 0..600 {
        world.insert_chunk(ChunkPos::new(x % 100, 0, 0), pond.clone()).expect("none is there");
        if x >= STAY {
            world.remove_chunk(ChunkPos::new((x - STAY) % 100, 0, 0)).expect("it is loaded");
        }
        world.step();
        assert!(!world.is_at_rest(), "after {x} chunks");
        let bytes = world.tick_state.pools.memory_bytes() + world.store.memory_bytes();
        known += usize::from(world.tick_state.pools.labels.is_used());
        match x {
            ..200 => at_first = at_first.max(bytes),
            _ => assert!(bytes <= at_first + at_first / 8, "{bytes} bytes, {at_first} at first"),
        }
    }
    assert!(known > 50, "bodies are known after {known} ticks");
}

/// A lake of a piece in each of 400 chunks, higher on one side, which is levelled in some ticks.
/// No piece of a tick may walk through all of it, or make its pass at once.
#[test]
fn a_large_body_is_surveyed_and_levelled_in_many_pieces_of_a_tick() {
    const SIDE: i32 = 20;
    let mut world = WaterWorld::new(3, Rules::lossless()).expect("rules in range");
    let chunks = (0..SIDE * SIDE).map(|at| ChunkPos::new(at % SIDE, 0, at / SIDE));
    world.insert_chunks(chunks.map(|at| (at, Chunk::uniform(Voxel::OPEN)))).expect("none is there");
    let top = IVec3::new(16 * SIDE - 1, 0, 16 * SIDE - 1);
    world.fill_water(Region::new(IVec3::ZERO, top), 2).expect("loaded");
    world.fill_water(Region::new(IVec3::ZERO, top.with_x(20)), 6).expect("loaded");
    let pieces = |world: &WaterWorld| world.tick_state.pools.walk.pieces.len();
    let (mut most, mut found, mut levelling) = (0, 0, 0);
    while world.ticks() < 8 {
        let before = pieces(&world);
        world.step_within(0);
        most = most.max(pieces(&world).saturating_sub(before));
        found = found.max(pieces(&world));
        levelling += usize::from(world.tick_state.pools.levelling.is_some());
    }
    assert_eq!(found, (SIDE * SIDE) as usize);
    assert!(most < 100, "{most} pieces found at once");
    assert!(levelling > 40, "the lake is levelled in {levelling} pieces");
}

/// `validate` once reported a broken ledger in the middle of a pass, when cells had received units
/// that others were still to give.
#[test]
fn the_account_balances_between_the_changes_of_a_pass() {
    let mut stops = 0;
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let mut rough = Chunk::uniform(Voxel::OPEN);
        for cell in 0..LAYER_CELLS {
            rough.set(cell, Voxel::OPEN.with_height(random.u8(1..=FULL)));
        }
        let edge = [Edge::Held, Edge::Drain, Edge::Level(0)][seed as usize % 3];
        let rules = Rules { edges: Edges { unloaded: edge, ..Edges::WALLS }, ..Rules::lossless() };
        let mut world = WaterWorld::new(seed, rules).expect("rules in range");
        world.insert_chunk(ChunkPos::ZERO, rough).expect("none is there");
        while world.ticks() < 6 {
            world.step_within(0);
            stops += usize::from(world.tick_state.pools.units_ahead() != 0);
            assert_eq!(world.validate(), Ok(()), "seed {seed}, tick {}", world.ticks());
        }
    }
    assert!(stops > 40, "{stops} stops between changes");
}
