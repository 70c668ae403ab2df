//! Searches and draws along paths, compared with references that go from cell to cell.

use crate::chunk::Chunk;
use crate::coords::Region;
use crate::water::context::layer_record::LayerRecord;
use crate::water::context::test_worlds::{self, ancestors};
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
        let drawn = tick.draw(places[last], exit(last), wanted, Need::Leave);
        let units = wanted.min(at_most);
        reference.take(places[0], units);
        let mut bottleneck = 7;
        for (at, &place) in places.iter().enumerate() {
            let voxel = reference.store.read(place);
            bottleneck = bottleneck.min(reference.limits.left(voxel, reference.work.passed(place)));
            reference.pass_on(place, exit(at), units);
            if at > 0 {
                reference.put_marks(place, voxel.with_largest(bottleneck));
            }
        }

        assert_eq!(drawn, Drawn::Units { units, largest: at_most }, "{narrow}, {at_most}");
        assert_eq!(tick.report, reference.report, "{narrow}, {at_most}");
        assert_eq!(tick.ledger, reference.ledger, "{narrow}, {at_most}");
        assert_eq!(tick.work.trees.spent, units == at_most, "{narrow}, {at_most}");
        for (slot, layer) in tick
            .store
            .grid()
            .sorted_slots()
            .into_iter()
            .flat_map(|slot| (0..16).map(move |at| (slot, at)))
        {
            let marks = |work: &LayerRecord| {
                (work.flow, work.inflow, [work.touched, work.woken, work.blocked])
            };
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
/// and below), and roots of all kinds. No water has moved yet, so a search finds water exactly if
/// any root has some, and exhausts no cell.
#[test]
fn a_search_finds_a_root_with_water_if_there_is_one() {
    let mut random = fastrand::Rng::with_seed(23);
    let (mut outcomes, mut labelled) = ([0; 2], 0);
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
            let height = if random.u8(..32) < wet { random.u8(1..8) } else { 0 };
            let voxel = match parents.first() {
                None if random.u8(..8) < wet => Voxel::water(WaterCell::SOURCE),
                None => Voxel::OPEN.with_height(height),
                Some(first) => Voxel::OPEN.with_height(height).with_parent(*first),
            };
            let faces = parents.iter().fold(0, |faces, face| faces | 1 << face.index());
            let voxel = world.store.keep_parents(place, faces, voxel);
            world.store.write(place, voxel);
            places.push(place);
        }
        let mut tick = test_worlds::tick(&mut world);
        for _ in 0..100 {
            let place = places[random.usize(..places.len())];
            let need = if random.bool() { Need::Leave } else { Need::Rise { y: random.i32(2..7) } };
            let mut path = Path::default();
            let found = tick.search(place, Face::Up, need, &mut path);
            let roots = ancestors(tick.store, place)
                .into_iter()
                .filter(|&place| tick.store.parents_of(place) == 0);
            let offers: Vec<u8> =
                roots.map(|root| tick.offer(root, need)).filter(|&offer| offer > 0).collect();
            match found {
                Ok(offer) => {
                    let root = path.cells.last().expect("at least the cell itself").place();
                    assert!(
                        offers.contains(&offer) && tick.offer(root, need) == offer,
                        "round {round}"
                    );
                }
                Err(nothing) => {
                    assert!(offers.is_empty() && nothing == Drawn::Nothing, "round {round}");
                    // A path to a single root is labelled with it for later searches.
                    let above = ancestors(tick.store, place);
                    if above.iter().all(|&place| tick.store.parents_of(place).count_ones() < 2) {
                        let trees = tick
                            .work
                            .get(place.slot, place.layer())
                            .and_then(|work| work.trees.as_ref());
                        let root = tick.root_of(trees.map_or(0, |trees| trees[place.cell()]));
                        assert!(
                            root.is_some_and(|root| tick.store.parents_of(root) == 0),
                            "round {round}"
                        );
                        labelled += u32::from(tick.store.parents_of(place) != 0);
                    }
                }
            }
            outcomes[usize::from(found.is_ok())] += 1;
            let blocked = |place: Place| {
                tick.work
                    .get(place.slot, place.layer())
                    .map_or(LayerMask::NONE, |work| work.blocked)
            };
            assert!(places.iter().all(|&place| blocked(place) == LayerMask::NONE), "round {round}");
        }
    }
    assert!(
        outcomes.iter().all(|&count| count > 500) && labelled > 20,
        "{outcomes:?}, {labelled} labelled"
    );
}

#[test]
fn a_failed_search_visits_each_fork_once_however_many_paths_lead_there() {
    let mut world = test_worlds::weave();
    let opposite = Place::new(world.store.grid().sorted_slots()[0], CHUNK_CELLS - 1);
    let mut tick = test_worlds::tick(&mut world);
    let mut search = |y| tick.search(opposite, Face::Up, Need::Rise { y }, &mut Path::default());
    assert_eq!(search(0), Err(Drawn::Nothing), "the spring lies no higher");
    assert_eq!(search(-1), Ok(7));
}
