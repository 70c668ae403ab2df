//! Draws along paths, compared with references that go from cell to cell.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Region};
use crate::grid::LayerId;
use crate::water::cell::CellFlags;
use crate::water::draw::path::*;
use crate::water::draw::vain::Ways;
use crate::water::scratch::chunk_record::{LayerRecord, Mark};
use crate::water::scratch::test_worlds;
use crate::water::store::{Place, Store};
use crate::water::{Rules, WaterCell, WaterWorld};
use glam::IVec3;
use hashbrown::HashSet;

/// The cells (x, y) of a path down and up across chunk borders. The path has a single cell in one
/// of the chunks, and re-enters a layer.
const PATH: [(i32, i32); 16] = [
    (14, 18),
    (14, 17),
    (14, 16),
    (14, 15),
    (14, 14),
    (15, 14),
    (15, 15),
    (16, 15),
    (16, 16),
    (17, 16),
    (17, 15),
    (17, 14),
    (17, 13),
    (18, 13),
    (18, 14),
    (19, 14),
];

/// Makes a draw, part by part. A draw of more than one part must stop. All parts together are
/// charged the cells visited; a part that stopped was once charged all its steps, three for each
/// cell.
fn draw_whole(tick: &mut Tick, demand: Demand, path: &mut Path, ways: &mut Ways) -> Delivery {
    path.begin(&demand);
    let mut charged = 0;
    for parts in 1.. {
        let drawn = draw_along(tick, &demand, path, ways);
        charged += path.charge(drawn.is_some());
        if let Some(drawn) = drawn {
            assert_eq!(charged, path.visited());
            assert!(parts > 1 || path.visited() <= PART, "{} cells at once", path.visited());
            return drawn;
        }
    }
    unreachable!("each part visits a cell");
}

#[test]
fn a_draw_along_a_path_equals_passing_from_cell_to_cell() {
    for (narrow, at_most) in
        (0..PATH.len()).flat_map(|narrow| [(narrow, 1), (narrow, 3), (narrow, 7)])
    {
        let exit = |at: usize| {
            let offset =
                PATH.get(at + 1).map_or((1, 0), |&(x, y)| (x - PATH[at].0, y - PATH[at].1));
            let leads = |face: &Face| face.offset() == IVec3::new(offset.0, offset.1, 0);
            Face::ALL.into_iter().find(leads).expect("the next cell lies beside it")
        };
        let [mut world, mut other] = [(); 2].map(|()| {
            let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
            for chunk in
                Region::new(IVec3::ZERO, IVec3::new(1, 1, 0)).positions().map(ChunkPos::from)
            {
                world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
            }
            world
        });
        let place = |at: usize| {
            let cell = IVec3::new(PATH[at].0, PATH[at].1, 5);
            world.place(cell).expect("loaded")
        };
        let places: Vec<Place> = (0..PATH.len()).map(place).collect();
        for world in [&mut world, &mut other] {
            world.store.write(places[0], Voxel::water(WaterCell::SOURCE));
            for (at, &place) in places.iter().enumerate().skip(1) {
                let flowing =
                    Voxel::OPEN.with_height(at as u8 % 8).with_direction(Some(exit(at - 1)));
                world.store.write(place, flowing.with(CellFlags::HAS_SOURCE, true));
            }
        }
        let target = world.place(IVec3::new(20, 14, 5)).expect("loaded");
        let (mut tick, mut reference) =
            (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
        for tick in [&mut tick, &mut reference] {
            tick.pass_on(places[narrow], Face::South, 7 - at_most);
        }
        // The target may draw as many units as it has passed on, so it draws more than two at a
        // time.
        let (last, wanted) = (PATH.len() - 1, 5);
        for tick in [&mut tick, &mut reference] {
            tick.pass_on(target, Face::Up, 5);
        }
        let first = (places[last], exit(last));
        let mut path = Path::default();
        let demand = Demand { target, wanted, first, others: 0, least_y: 18 };
        let drawn = draw_whole(&mut tick, demand, &mut path, &mut Ways::default());
        assert_eq!(path.visited(), PATH.len());
        let units = wanted.min(at_most);
        reference.take(places[0], units);
        let mut bottleneck = 7;
        for (at, &place) in places.iter().enumerate() {
            let voxel = reference.store.read(place);
            bottleneck = bottleneck
                .min(reference.limits.left(voxel, reference.scratch.passed_by_record(place)));
            reference.pass_on(place, exit(at), units);
            if at > 0 {
                reference.put_marks(place, voxel.with_largest(bottleneck));
            }
        }
        reference.receive(target, Face::West, units, bottleneck);

        assert_eq!(drawn, Delivery::Units, "{narrow}, {at_most}");
        assert_eq!(tick.report, reference.report, "{narrow}, {at_most}");
        assert_eq!(tick.ledger, reference.ledger, "{narrow}, {at_most}");
        for layer in tick.store.grid().sorted_slots().into_iter().flat_map(Slot::layers) {
            let marks = |work: LayerRecord| {
                let entries: [u8; LAYER_CELLS] = core::array::from_fn(|cell| work.entries(cell));
                (work.flows(), entries, [work.marked(Mark::Touched), work.marked(Mark::Woken)])
            };
            let [here, there] = [&tick, &reference].map(|tick| tick.scratch.get(layer).map(marks));
            assert_eq!(here, there, "{narrow}, {at_most}: {layer:?}");
            let [here, there] = [&tick, &reference].map(|tick| tick.store.cells(layer).copied());
            assert!(here == there, "{narrow}, {at_most}: {layer:?}");
        }
    }
}

#[test]
fn each_of_several_parents_is_picked_equally_often() {
    let mut world = test_worlds::springs(3);
    let slot = world.store.grid().sorted_slots()[0];
    let tick = test_worlds::tick(&mut world);
    for faces in 0..64_u8 {
        let mut picked = [0; 6];
        for index in 0..512 {
            let mut left = faces;
            if let Some(face) = pick(&tick, Place { slot, index }, &mut left) {
                assert_eq!(left, faces & !(1 << face.index()), "{faces:#b}");
                picked[face.index()] += 1;
            }
            assert_eq!(left.count_ones(), faces.count_ones().saturating_sub(1), "{faces:#b}");
        }
        let share = 512 / faces.count_ones().max(1);
        for (face, &times) in picked.iter().enumerate() {
            let expected =
                if faces >> face & 1 != 0 { share * 2 / 3..=share * 4 / 3 } else { 0..=0 };
            assert!(expected.contains(&times), "{faces:#b}: {picked:?}");
        }
    }
}

/// Cells of a box across a chunk border, each with up to three parents (to the west, to the north
/// and below), up to springs; some cells are exhausted. Draws from random cells make a blocking
/// flow: a draw gets units exactly if a way up over cells with throughput left leads to a spring,
/// and a cell is noted as exhausted only if no such way leads up from it.
#[test]
fn a_draw_finds_a_way_if_there_is_one_and_exhausted_cells_have_none() {
    let mut random = fastrand::Rng::with_seed(23);
    let mut outcomes = [0; 3];
    for round in 0..60 {
        let mut world = WaterWorld::new(round, Rules::lossless()).expect("rules in range");
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        }
        let part = Region::new(IVec3::new(12, 3, 4), IVec3::new(20, 6, 8));
        let mut places = Vec::new();
        for cell in part.positions() {
            let place = world.place(cell).expect("loaded");
            let inside = |face: &Face| face.step(cell).is_some_and(|parent| part.contains(parent));
            let faces = [Face::West, Face::North, Face::Down]
                .into_iter()
                .filter(|face| inside(face) && random.u8(..8) > 0)
                .fold(0, |faces, face| faces | 1 << face.index());
            let voxel = match Store::faces(faces).next() {
                None => Voxel::water(WaterCell::SOURCE),
                Some(first) => Voxel::OPEN
                    .with_height(random.u8(..8))
                    .with_parent(first)
                    .with(CellFlags::HAS_SOURCE, true),
            };
            let voxel = world.store.keep_parents(place, faces, voxel);
            world.store.write(place, voxel);
            places.push(place);
        }
        let target = world.place(IVec3::ZERO).expect("loaded");
        let mut tick = test_worlds::tick(&mut world);
        for &place in &places {
            if random.u8(..3) == 0 {
                tick.pass_on(place, Face::Up, random.u8(1..8));
            }
        }
        let (mut path, mut ways) = (Path::default(), Ways::default());
        for draw in 0..400 {
            let place = places[random.usize(..places.len())];
            let has_way = leads_to_a_spring(&tick, place);
            let before = tick.ledger.injected;
            let first = (place, Face::South);
            let demand = Demand { target, wanted: 1, first, others: 0, least_y: 0 };
            let drawn = draw_whole(&mut tick, demand, &mut path, &mut ways);
            let given = tick.ledger.injected - before;
            let expected = if has_way { Delivery::Units } else { Delivery::Exhausted };
            assert_eq!((drawn, given), (expected, u64::from(has_way)), "round {round}: {draw}");
            outcomes[usize::from(has_way)] += 1;
            // Makes room for the next draw.
            tick.put(target, Voxel::OPEN);
        }
        for &place in &places {
            let number = ways.number_of(place.layer_id());
            if ways.is_exhausted(number, place.cell()) {
                assert!(!leads_to_a_spring(&tick, place), "round {round}: {place:?}");
                outcomes[2] += 1;
            }
        }
        world.finish_tick();
    }
    assert!(outcomes.iter().all(|&count| count > 500), "{outcomes:?}");
}

/// Films of a layer across a chunk border, each with up to two parents, up to springs; some cells
/// are exhausted. Before the draws and after each of them, a draw is known to be in vain exactly if
/// no way up over cells with throughput left leads to a spring.
#[test]
fn a_draw_is_known_to_be_in_vain_exactly_if_no_way_leads_to_a_spring() {
    let mut random = fastrand::Rng::with_seed(45);
    let (mut vain, mut drawn) = (0, 0);
    for round in 0..60 {
        let mut world = WaterWorld::new(round, Rules::lossless()).expect("rules in range");
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        }
        let part = Region::new(IVec3::new(11, 5, 3), IVec3::new(20, 5, 12));
        let (mut places, mut films) = (Vec::new(), Vec::new());
        for cell in part.positions() {
            let place = world.place(cell).expect("loaded");
            let inside = |face: &Face| face.step(cell).is_some_and(|parent| part.contains(parent));
            let faces = [Face::West, Face::North]
                .into_iter()
                .filter(|face| inside(face) && random.u8(..6) > 0)
                .fold(0, |faces, face| faces | 1 << face.index());
            let first = Store::faces(faces).next();
            let fed = |first| Voxel::OPEN.with_parent(first).with(CellFlags::HAS_SOURCE, true);
            let voxel = first.map_or(Voxel::water(WaterCell::SOURCE), fed);
            let voxel = world.store.keep_parents(place, faces, voxel);
            world.store.write(place, voxel);
            films.extend(first.is_some().then_some(place));
            places.push(place);
        }
        let mut tick = test_worlds::tick(&mut world);
        for &place in &places {
            if random.u8(..3) == 0 {
                tick.pass_on(place, Face::Up, random.u8(1..8));
            }
        }
        let mut ways = Ways::default();
        ways.begin();
        for slot in tick.store.grid().sorted_slots() {
            let layer = LayerId::new(slot, 5);
            let cells = films.iter().filter(|place| place.slot == slot).map(|place| place.cell());
            ways.gather(layer, cells.collect(), 0);
        }
        ways.begin_search(&tick);
        for draw in 0..150 {
            while ways.search_next(&tick) {}
            for place in &films {
                let parents = Store::faces(tick.store.parents_of(*place));
                let has_way = parents
                    .map(|face| tick.store.step(*place, face))
                    .any(|parent| leads_to_a_spring(&tick, parent));
                let number = ways.number_of(place.layer_id());
                let is_vain = ways.is_vain(number, place.cell());
                let is_full = tick.store.read(*place).room() == 0;
                assert!(is_full || is_vain != has_way, "round {round}, {draw}: {place:?}");
                vain += u32::from(is_vain);
            }
            let place = films[random.usize(..films.len())];
            let voxel = tick.store.read(place);
            let number = ways.number_of(place.layer_id());
            if voxel.room() == 0 || ways.is_vain(number, place.cell()) {
                continue;
            }
            let demand = Demand::to_fill(&tick, place, voxel).expect("it has a parent beside it");
            let outcome = draw_whole(&mut tick, demand, &mut Path::default(), &mut ways);
            assert_eq!(outcome, Delivery::Units, "round {round}, {draw}: {place:?}");
            drawn += 1;
        }
        world.finish_tick();
    }
    assert!(vain > 10_000 && drawn > 500, "{vain} in vain, {drawn} drawn");
}

/// Returns whether a path up from a cell leads to a spring, over cells with throughput left.
fn leads_to_a_spring(tick: &Tick, place: Place) -> bool {
    let left = |place: Place| {
        tick.limits.left(tick.store.read(place), tick.scratch.passed_by_record(place))
    };
    let (mut met, mut open) = (HashSet::new(), vec![place]);
    while let Some(place) = open.pop() {
        if left(place) == 0 || !met.insert(place) {
            continue;
        }
        if tick.store.read(place).is_source() {
            return true;
        }
        let parents = Store::faces(tick.store.parents_of(place));
        open.extend(parents.map(|face| tick.store.step(place, face)));
    }
    false
}

/// A path whose upper end is exhausted is exhausted over its whole length, and no later draw walks
/// it.
#[test]
fn a_path_in_vain_is_exhausted_from_end_to_end() {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let slot = world.store.grid().sorted_slots()[0];
    let place = |at: usize| Place::new(slot, at);
    let water = Voxel::OPEN.with_height(3).with(CellFlags::HAS_SOURCE, true);
    world.store.write(place(0), Voxel::water(WaterCell::SOURCE));
    (1..16).for_each(|at| world.store.write(place(at), water.with_parent(Face::West)));
    let tick = &mut test_worlds::tick(&mut world);
    tick.pass_on(place(0), Face::East, 7);
    let mut ways = Ways::default();
    for visited in [15, 0] {
        let (target, first) = (place(31), (place(15), Face::South));
        let mut path = Path::default();
        let demand = Demand { target, wanted: 5, first, others: 0, least_y: 0 };
        let drawn = draw_whole(tick, demand, &mut path, &mut ways);
        assert_eq!((drawn, path.visited()), (Delivery::Exhausted, visited));
        let number = ways.number_of(LayerId::new(slot, 0));
        let exhausted: Vec<usize> =
            (0..LAYER_CELLS).filter(|&cell| ways.is_exhausted(number, cell)).collect();
        assert_eq!(exhausted, (1..16).collect::<Vec<_>>());
    }
}
