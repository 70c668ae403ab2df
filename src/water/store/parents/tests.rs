//! Links, roots and children, compared with walks over all paths.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{ChunkPos, Region};
use crate::grid::LayerId;
use crate::water::rules::Edges;
use crate::water::scratch::test_worlds::{self, ancestors};
use crate::water::store::parents::*;
use crate::water::store::{Place, chunks};

#[test]
fn planes_and_children_agree_with_parents() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0), ChunkPos::new(0, 1, 0)] {
        chunks::insert(&mut store, chunk, Chunk::uniform(Voxel::OPEN));
    }
    let slots = store.grid().sorted_slots();
    for _ in 0..20_000 {
        let place = Place::new(slots[random.usize(..3)], random.usize(..CHUNK_CELLS));
        let voxel = Voxel::OPEN
            .with_height(random.u8(1..8))
            .with_direction(Face::from_index(random.u8(..8)));
        let faces = random.u8(..64);
        let first = voxel.parent_face().map_or(0, |face| 1 << face.index());
        let faces = if first == 0 { 0 } else { faces | first };
        let voxel = store.keep_parents(
            place,
            faces,
            voxel.with(CellFlags::EXTRA, store.read(place).has(CellFlags::EXTRA)),
        );
        store.write(place, voxel);
    }
    // There are uniform chunks too, far from each other.
    let flowing = (0..7).map(|at| Voxel::OPEN.with_height(3).with_direction(Face::from_index(at)));
    for (at, voxel) in flowing.chain([Voxel::SOLID]).enumerate() {
        chunks::insert(&mut store, ChunkPos::new(0, 0, 3 + 2 * at as i32), Chunk::uniform(voxel));
    }
    for slot in store.grid().sorted_slots() {
        for layer in 0..16 {
            let planes = store.parent_planes(LayerId::new(slot, layer));
            for cell in 0..LAYER_CELLS {
                let place = Place::in_layer(LayerId::new(slot, layer), cell);
                let parents = store.parents_of(place);
                for face in Face::ALL {
                    let has = parents & 1 << face.index() != 0;
                    assert_eq!(planes[face.index()].contains(cell), has);
                    let parent = store.step(place, face);
                    if parent.is_some() {
                        assert_eq!(
                            store.children_of(parent) & 1 << face.opposite().index() != 0,
                            has
                        );
                    }
                }
            }
        }
    }
}

/// Parents are added at random in a corner of two chunks, without a cycle, and removed again.
#[test]
fn a_cell_keeps_the_parents_that_are_not_taken_from_it() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
        chunks::insert(&mut store, chunk, Chunk::uniform(Voxel::OPEN.with_height(3)));
    }
    let slots = store.grid().sorted_slots();
    let mut taken = [0; 4];
    for round in 0..20_000 {
        let (x, y, z) = (random.usize(13..18), random.usize(1..3), random.usize(1..3));
        let place = Place::new(slots[x / 16], x % 16 + 16 * z + 256 * y);
        let parents = store.parents_of(place);
        if random.bool() {
            let face = [Face::West, Face::Down, Face::North][random.usize(..3)];
            let faces = parents | 1 << face.index();
            let first = store.read(place).parent_face().unwrap_or(face);
            let voxel = store.keep_parents(place, faces, store.read(place));
            store.write(place, voxel.with_parent(first).with(CellFlags::HAS_SOURCE, true));
            assert_eq!(store.parents_of(place), faces, "round {round}");
            assert!(is_free_of_circles(&store, place), "round {round}");
            continue;
        }
        let face = Face::ALL[random.usize(..6)];
        let first = store.read(place).parent_face().filter(|&first| first != face);
        store.unlink(place, face);
        let left = parents & !(1 << face.index());
        let first = first.or_else(|| Store::faces(left).next());
        let kept = (store.parents_of(place), store.read(place).parent_face());
        assert_eq!(kept, (left, first), "round {round}");
        taken[left.count_ones() as usize] += u32::from(left != parents);
    }
    assert!(taken[..3].iter().all(|&count| count > 100), "{taken:?}");
}

/// A chunk of random links has cycles with long tails, and links over its edge, to dry cells and to
/// rock. Across one face lies a chunk that was there before, each of whose links leads to a root.
#[test]
fn a_loaded_chunk_keeps_the_ties_that_lead_to_a_head() {
    let mut random = fastrand::Rng::with_seed(15);
    let (mut kept, mut cut) = (0, 0);
    for round in 0..16 {
        let free = [2, 8, 64, 512][round % 4];
        let mut cells = || -> [Voxel; CHUNK_CELLS] {
            core::array::from_fn(|_| {
                let heading =
                    if random.u32(..free) == 0 { None } else { Face::from_index(random.u8(..6)) };
                match random.u8(..32) {
                    0 => Voxel::OPEN,
                    1 => Voxel::SOLID,
                    _ => Voxel::OPEN
                        .with_height(random.u8(1..8))
                        .with_direction(heading)
                        .with(CellFlags::HAS_SOURCE, true),
                }
            })
        };
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let beside =
            chunks::insert(&mut store, ChunkPos::new(1, 0, 0), Chunk::from_cells(&cells()))
                .expect("none is there");
        store.adopt(beside);
        let cells = cells();
        let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::from_cells(&cells))
            .expect("none is there");
        // Returns whether a cell keeps its link: `false` if its path, by the links as they were,
        // runs into a cycle, or if the parent of the cell itself is missing or inert.
        let leads = |start: usize| {
            let mut at = Place::new(slot, start);
            for _ in 0..2 * CHUNK_CELLS {
                let Some(face) = store.read(at).parent_face() else { return true };
                let parent = store.step(at, face);
                if !parent.is_some() || store.read(parent).is_inert() {
                    // The link of the last cell is cut; the cells that it feeds keep their links.
                    return at != Place::new(slot, start);
                }
                at = parent;
            }
            false
        };
        let sound: Vec<bool> = (0..CHUNK_CELLS).map(leads).collect();
        store.adopt(slot);
        for (index, &sound) in sound.iter().enumerate() {
            let parents = store.parents_of(Place { slot, index });
            if sound {
                assert_eq!(
                    store.read(Place { slot, index }),
                    cells[index],
                    "round {round}: {index} has lost its link"
                );
                kept += u32::from(parents != 0);
            } else {
                cut += u32::from(parents == 0);
            }
            let leads_to_water = |face: Face| !store.look(Place { slot, index }, face).is_inert();
            assert!(
                Store::faces(parents).all(leads_to_water),
                "round {round}: {index} has kept its link"
            );
            assert!(is_free_of_circles(&store, Place { slot, index }), "round {round}: {index}");
        }
    }
    assert!(kept > 1_000 && cut > 1_000, "{kept} links kept, {cut} cut");
}

#[test]
fn a_cell_that_keeps_a_parent_wakes_all_that_it_feeds() {
    let mut woken = 0;
    for seed in 0..12 {
        let mut world = test_worlds::springs(seed);
        let places = test_worlds::places(&world);
        let store = &mut world.store;
        for place in places.iter().copied() {
            let Some(face) = Store::faces(store.parents_of(place)).nth(1) else { continue };
            test_worlds::put_to_sleep(store);
            store.unlink(place, face);
            assert_ne!(store.parents_of(place), 0);
            for &there in
                places.iter().filter(|&&there| there != place && store.parents_of(there) != 0)
            {
                if ancestors(store, there).contains(&place) {
                    let awake = store
                        .grid()
                        .awake_at(there.slot)
                        .is_some_and(|mask| mask.contains(there.index));
                    assert!(awake, "seed {seed}: {there:?} below {place:?}");
                    woken += 1;
                }
            }
        }
    }
    assert!(woken > 100, "{woken} cells woke");
}

/// A walk path by path would never end.
#[test]
fn each_cell_is_walked_through_once_however_many_ways_lead_there() {
    let mut world = test_worlds::weave();
    let slot = world.store.grid().sorted_slots()[0];
    test_worlds::put_to_sleep(&mut world.store);
    world.store.wake_descendants(Place::new(slot, 0));
    let awake = world.store.grid().awake_at(slot).expect("some are awake").len();
    assert_eq!(awake, CHUNK_CELLS - 1);
}

#[test]
fn met_is_a_set() {
    let mut random = fastrand::Rng::with_seed(16);
    let slots = {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
            chunks::insert(&mut store, chunk, Chunk::uniform(Voxel::OPEN));
        }
        store.grid().sorted_slots()
    };
    for _ in 0..20 {
        let (mut met, mut expected) = (Met::default(), HashSet::new());
        for _ in 0..60 {
            let place = Place::new(slots[random.usize(..2)], random.usize(..30));
            assert_eq!(met.insert(place), expected.insert(place));
        }
    }
}

#[test]
fn all_that_a_cell_feeds_wakes_and_nothing_else() {
    let mut woken = 0;
    for seed in 0..12 {
        let mut world = test_worlds::springs(seed);
        let places = test_worlds::places(&world);
        let store = &mut world.store;
        let linked = |place: &Place| store.parents_of(*place) | store.children_of(*place) != 0;
        let places: Vec<Place> = places.into_iter().filter(linked).collect();
        let above: Vec<HashSet<Place>> =
            places.iter().map(|&place| ancestors(store, place)).collect();
        for &place in places.iter().step_by(5) {
            test_worlds::put_to_sleep(store);
            store.wake_descendants(place);
            for (&there, above) in places.iter().zip(&above) {
                let awake = store
                    .grid()
                    .awake_at(there.slot)
                    .is_some_and(|mask| mask.contains(there.index));
                let fed = there != place && above.contains(&place);
                assert_eq!(awake, fed, "seed {seed}: {there:?} below {place:?}");
                woken += usize::from(awake);
            }
        }
    }
    assert!(woken > 1_000, "{woken} cells woke");
}

/// Returns whether no path up from a cell comes back to it.
fn is_free_of_circles(store: &Store, place: Place) -> bool {
    let parents = Store::faces(store.parents_of(place)).map(|face| store.step(place, face));
    parents
        .filter(|parent| parent.is_some())
        .all(|parent| !ancestors(store, parent).contains(&place))
}

#[cfg(feature = "snapshot")]
#[test]
fn only_two_faces_or_more_of_a_cell_with_the_flag_are_entered() {
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))
        .expect("none is there");
    let flagged = Voxel::OPEN
        .with_height(3)
        .with_direction(Some(Face::West))
        .with(CellFlags::HAS_SOURCE | CellFlags::EXTRA, true);
    // A mark with the bit of the flag.
    let mark = Voxel::from_raw(Voxel::SOLID.word() | CellFlags::EXTRA.bits());
    for (index, voxel) in
        [flagged, flagged.with(CellFlags::EXTRA, false), mark].into_iter().enumerate()
    {
        store.write(Place { slot, index }, voxel);
    }
    for faces in 0..=u8::MAX {
        let fits = faces < 64 && faces.count_ones() > 1;
        assert_eq!(store.restore_parents(slot, 0, faces), fits, "{faces:#b}");
        assert!(!store.restore_parents(slot, 1, faces) && !store.restore_parents(slot, 2, faces));
        let entered = store.further_parents(slot);
        assert!(
            if fits { entered == [(0, faces)] } else { entered.len() == 1 },
            "{faces:#b}: {entered:?}"
        );
    }
    chunks::remove(&mut store, ChunkPos::ZERO);
    let slot =
        chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(flagged)).expect("none is there");
    assert!(store.restore_parents(slot, 4095, 0b11));
    assert_eq!(store.further_parents(slot).len(), 4096);
}
