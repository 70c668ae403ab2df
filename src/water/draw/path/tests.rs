//! Searches and draws along paths, compared with references that go from cell to cell.

use crate::chunk::Chunk;
use crate::coords::Region;
use crate::water::context::layer_record::LayerRecord;
use crate::water::context::test_worlds;
use crate::water::draw::path::*;
use crate::water::store::Place;
use crate::water::{Rules, WaterCell, WaterWorld};
use glam::IVec3;

/// A path down and up across chunk borders (x, y). It has a single cell in one of the chunks, and
/// re-enters a layer.
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

/// Does a draw with a budget of a few cells at a time.
fn whole(tick: &mut Context, mut draw: Draw) -> Drawn {
    let mut draws = Draws::default();
    tick.begin_draws(&mut draws);
    loop {
        if let Some(drawn) = tick.advance(&mut draws, &mut draw, &mut Budget::new(3)) {
            return drawn;
        }
    }
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
            for chunk in Region::new(IVec3::ZERO, IVec3::new(1, 1, 0)).positions() {
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
        let (mut tick, mut reference) =
            (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
        for tick in [&mut tick, &mut reference] {
            tick.pass_on(places[narrow], Face::South, 7 - at_most);
        }
        let (last, wanted) = (PATH.len() - 1, 5);
        let first = (places[last], exit(last));
        let purpose = Purpose::Leave { limited: false };
        let drawn = whole(&mut tick, Draw::new(purpose, first.0, first, wanted, Need::Leave));
        let units = wanted.min(at_most);
        reference.take(places[0], units);
        reference.ledger.drained += u64::from(units);
        let mut bottleneck = 7;
        for (at, &place) in places.iter().enumerate() {
            let voxel = reference.store.read(place);
            bottleneck = bottleneck.min(reference.limits.left(voxel, reference.work.passed(place)));
            reference.pass_on(place, exit(at), units);
            if at > 0 {
                reference.put_marks(place, voxel.with_largest(bottleneck));
            }
        }

        let expected = if at_most < wanted { Drawn::Narrow } else { Drawn::Units };
        assert_eq!(drawn, expected, "{narrow}, {at_most}");
        assert_eq!(tick.report, reference.report, "{narrow}, {at_most}");
        assert_eq!(tick.ledger, reference.ledger, "{narrow}, {at_most}");
        for (slot, layer) in tick
            .store
            .grid()
            .sorted_slots()
            .into_iter()
            .flat_map(|slot| (0..16).map(move |at| (slot, at)))
        {
            let marks =
                |work: &LayerRecord| (work.flows(), work.inflow(), [work.touched, work.woken]);
            let [here, there] =
                [&tick, &reference].map(|tick| tick.work.get(slot, layer).map(marks));
            assert_eq!(here, there, "{narrow}, {at_most}: layer {layer}");
            let [here, there] =
                [&tick, &reference].map(|tick| tick.store.cells(slot, layer).copied());
            assert!(here == there, "{narrow}, {at_most}: layer {layer}");
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
            if let Some(face) = tick.pick(Place { slot, index }, &mut left) {
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
/// and below), and roots of all kinds. No cell is exhausted, so a draw gets what the root offers to
/// which the picked parents lead.
#[test]
fn a_draw_gets_what_the_root_of_its_path_offers() {
    let mut random = fastrand::Rng::with_seed(23);
    let (mut outcomes, mut labelled) = ([0; 3], 0);
    for round in 0..60 {
        let mut world = WaterWorld::new(round, Rules::lossless()).expect("rules in range");
        for chunk in [IVec3::ZERO, IVec3::X] {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        }
        let slots = world.store.grid().sorted_slots();
        let part = Region::new(IVec3::new(12, 3, 4), IVec3::new(20, 6, 8));
        let wet = 1 << (round % 4);
        let mut places = Vec::new();
        for cell in part.positions() {
            let place = Place::new(
                slots[(cell.x / 16) as usize],
                (cell.x % 16 + 16 * cell.z + 256 * cell.y) as usize,
            );
            let inside = |face: &Face| face.step(cell).is_some_and(|parent| part.contains(parent));
            let parents: Vec<Face> = [Face::West, Face::North, Face::Down]
                .into_iter()
                .filter(inside)
                .filter(|_| random.u8(..8) > 0)
                .collect();
            let height = if random.u8(..10) < wet { random.u8(1..8) } else { 0 };
            let voxel = match parents.first() {
                None => Voxel::OPEN.with_height(height),
                Some(first) => Voxel::OPEN.with_height(height).with_parent(*first),
            };
            let faces = parents.iter().fold(0, |faces, face| faces | 1 << face.index());
            let voxel = world.store.keep_parents(place, faces, voxel);
            world.store.write(place, voxel);
            places.push(place);
        }
        for _ in 0..20 {
            let place = places[random.usize(..places.len())];
            let mut tick = test_worlds::tick(&mut world);
            let (mut root, mut forked) = (place, false);
            loop {
                let mut parents = tick.store.parents_of(root);
                forked |= parents.count_ones() > 1;
                let Some(face) = tick.pick(root, &mut parents) else { break };
                root = tick.store.step(root, face);
            }
            let offer = tick.offer(root, Need::Leave);
            let before = tick.ledger.drained;
            let draw = Draw::new(
                Purpose::Leave { limited: false },
                place,
                (place, Face::South),
                5,
                Need::Leave,
            );
            let drawn = whole(&mut tick, draw);
            assert_eq!(tick.ledger.drained - before, u64::from(offer.min(5)), "round {round}");
            let expected = match offer {
                0 if forked => Drawn::Waiting,
                0 => Drawn::Nothing,
                1..5 => Drawn::Narrow,
                _ => Drawn::Units,
            };
            assert_eq!(drawn, expected, "round {round}");
            outcomes[if offer > 0 { 0 } else { 1 + usize::from(forked) }] += 1;
            if drawn == Drawn::Nothing {
                let trees = tick.work.get(place.slot, place.layer());
                let trees = trees.and_then(|work| work.trees.as_ref());
                let label = trees.map_or(0, |trees| trees[place.cell()]);
                assert_eq!(tick.root_of(label), Some(root), "round {round}");
                let is_labelled = |place: Place| {
                    let trees = tick.work.get(place.slot, place.layer());
                    let trees = trees.and_then(|work| work.trees.as_ref());
                    trees.is_some_and(|trees| trees[place.cell()] == label)
                };
                let path = test_worlds::ancestors(tick.store, place);
                assert!(path.into_iter().all(is_labelled), "round {round}");
                labelled += u32::from(root != place);
            }
            world.finish_tick();
        }
    }
    assert!(
        outcomes.iter().all(|&count| count > 50) && labelled > 20,
        "{outcomes:?}, {labelled} labelled"
    );
}

/// A path whose end is exhausted counts when it is walked up and when it is marked as dead. Then no
/// draw walks it again.
#[test]
fn a_path_in_vain_is_dead_from_end_to_end() {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let slot = world.store.grid().sorted_slots()[0];
    let place = |at: usize| Place::new(slot, at);
    let water = Voxel::OPEN.with_height(3);
    world.store.write(place(0), water);
    (1..16).for_each(|at| world.store.write(place(at), water.with_parent(Face::West)));
    let tick = &mut test_worlds::tick(&mut world);
    tick.pass_on(place(0), Face::East, 7);
    for charges in [16 + 15, 0] {
        let mut draws = Draws::default();
        tick.begin_draws(&mut draws);
        let first = (place(15), Face::South);
        let purpose = Purpose::Leave { limited: false };
        let mut draw = Draw::new(purpose, place(15), first, 5, Need::Leave);
        let mut charged = 0;
        let drawn = loop {
            let mut budget = Budget::new(3);
            let drawn = tick.advance(&mut draws, &mut draw, &mut budget);
            charged += budget.spent();
            if let Some(drawn) = drawn {
                break drawn;
            }
        };
        assert_eq!((drawn, charged), (Drawn::Waiting, charges));
        let work = tick.work.get(slot, 0).expect("in the tick");
        assert_eq!(work.dead, (1..16).collect::<LayerMask>());
    }
}
