//! Links, heads and children against walks over all ways.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::Region;
use crate::water::context::test_worlds::{self, ancestors};
use crate::water::rules::Edges;
use crate::water::store::Place;
use crate::water::store::parents::*;
use crate::water::tiles::Tiling;
use glam::IVec3;

/// Asks a question about cycles, again and again in pieces of three cells.
fn in_pieces<T>(
    mut ask: impl FnMut(&mut Option<Box<Ascent>>, &mut Budget) -> Result<Option<T>, OutOfScope>,
) -> Result<T, OutOfScope> {
    let mut ascent = None;
    loop {
        let mut budget = Budget::new(3);
        if let Some(answer) = ask(&mut ascent, &mut budget)? {
            assert!(ascent.is_none(), "nothing is left to resume");
            return Ok(answer);
        }
        assert!(budget.is_spent() && ascent.is_some());
    }
}

fn descends_from(
    store: &Store,
    place: Place,
    ancestor: Place,
    scope: Option<Scope>,
) -> Result<bool, OutOfScope> {
    in_pieces(|ascent, budget| store.descends_from(place, ancestor, scope, ascent, budget))
}

#[test]
fn planes_and_children_agree_with_parents() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for chunk in [IVec3::ZERO, IVec3::X, IVec3::Y] {
        store.insert(chunk, Chunk::uniform(Voxel::OPEN));
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
    // Uniform chunks too, far from each other.
    let flowing = (0..7).map(|at| Voxel::OPEN.with_height(3).with_direction(Face::from_index(at)));
    for (at, voxel) in flowing.chain([Voxel::SOLID]).enumerate() {
        store.insert(IVec3::new(0, 0, 3 + 2 * at as i32), Chunk::uniform(voxel));
    }
    for slot in store.grid().sorted_slots() {
        for layer in 0..16 {
            let planes = store.parent_planes(slot, layer);
            for cell in 0..LAYER_CELLS {
                let place = Place::in_layer(slot, layer, cell);
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

/// Ties come and go at random in a corner of two chunks; each is made unless it would close a
/// circle, by the rules of [`Store::attach`] and [`Store::add_parent`].
#[test]
fn ties_are_made_unless_they_close_a_circle() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for chunk in [IVec3::ZERO, IVec3::X] {
        store.insert(chunk, Chunk::uniform(Voxel::OPEN.with_height(3)));
    }
    let slots = store.grid().sorted_slots();
    let mut outcomes = [[0; 2]; 2];
    for round in 0..20_000 {
        let (x, y, z) = (random.usize(13..18), random.usize(..2), random.usize(..3));
        let place = Place::new(slots[x / 16], x % 16 + 16 * z + 256 * y);
        let face = Face::ALL[random.usize(..6)];
        let (there, voxel, parents) =
            (store.step(place, face), store.read(place), store.parents_of(place));
        if random.u8(..12) == 0 {
            store.unlink(place, face);
            let left = parents & !(1 << face.index());
            let first = voxel
                .parent_face()
                .filter(|&first| first != face)
                .or_else(|| Store::faces(left).next());
            assert_eq!(
                (store.parents_of(place), store.read(place).parent_face()),
                (left, first),
                "round {round}"
            );
            continue;
        }
        if !there.is_some() {
            assert_eq!(
                in_pieces(|ascent, budget| store.attach(
                    (place, face),
                    voxel,
                    None,
                    ascent,
                    budget
                )),
                Ok(None),
                "round {round}"
            );
            continue;
        }
        let children = Face::ALL.into_iter().filter(|&face| {
            let child = store.step(place, face);
            child.is_some() && store.parents_of(child) & 1 << face.opposite().index() != 0
        });
        let has_children = children.count() > 0;
        let closes = ancestors(&store, there).contains(&place);
        let connected = store.read(there).has(CellFlags::HAS_SOURCE);
        let tied = if parents == 0 {
            let tied = in_pieces(|ascent, budget| {
                store.attach((place, face), voxel, None, ascent, budget)
            })
            .unwrap();
            assert_eq!(tied.is_some(), !has_children || connected && !closes, "round {round}");
            if let Some(tied) = tied {
                assert_eq!(
                    (tied.parent_face(), tied.has(CellFlags::HAS_SOURCE)),
                    (Some(face), connected)
                );
            }
            tied
        } else {
            let tied = in_pieces(|ascent, budget| {
                store.add_parent((place, face), voxel, None, ascent, budget)
            })
            .unwrap();
            let is_new = parents & 1 << face.index() == 0;
            assert_eq!(tied.is_some(), is_new && !(has_children && closes), "round {round}");
            tied
        };
        outcomes[usize::from(parents == 0)][usize::from(tied.is_some())] += 1;
        if let Some(tied) = tied {
            // Some cells are heads with a source, so that what has children may be tied as well.
            let on = tied.is_connected() || random.u8(..4) == 0;
            store.write(place, tied.with(CellFlags::HAS_SOURCE, on));
            assert_eq!(store.parents_of(place), parents | 1 << face.index(), "round {round}");
            assert!(is_free_of_circles(&store, place), "round {round}");
        }
    }
    assert!(outcomes.iter().flatten().all(|&count| count > 50), "{outcomes:?}");
}

/// A chunk of ties at random has circles with long tails, and ties over its edge, to dry cells and
/// to rock. Across one face lies a chunk that is there already, each of whose ties leads to a head.
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
                    _ => Voxel::OPEN.with_height(random.u8(1..8)).with_direction(heading),
                }
            })
        };
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let beside = store.insert(IVec3::X, Chunk::from_cells(&cells())).expect("none is there");
        store.adopt(beside);
        let cells = cells();
        let slot = store.insert(IVec3::ZERO, Chunk::from_cells(&cells)).expect("none is there");
        // Where the way up from a cell leads, by the ties as they were: its head, unless it ends or
        // goes round before.
        let leads = |start: usize| {
            let mut at = Place::new(slot, start);
            for _ in 0..2 * CHUNK_CELLS {
                let Some(face) = store.read(at).parent_face() else { return true };
                let parent = store.step(at, face);
                if !parent.is_some() || store.read(parent).is_inert() {
                    // The tie of the last cell is cut; who is fed by that keeps its own.
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
                    "round {round}: {index} has lost its tie"
                );
                kept += u32::from(parents != 0);
            } else {
                cut += u32::from(parents == 0);
            }
            let leads_to_water = |face: Face| !store.look(Place { slot, index }, face).is_inert();
            assert!(
                Store::faces(parents).all(leads_to_water),
                "round {round}: {index} has kept its tie"
            );
            assert!(is_free_of_circles(&store, Place { slot, index }), "round {round}: {index}");
        }
    }
    assert!(kept > 1_000 && cut > 1_000, "{kept} ties kept, {cut} cut");
}

/// A row of cells, each fed by the next, as long as a search may be and one longer.
#[test]
fn a_search_gives_up_after_65_536_cells() {
    const LONGEST: usize = 65_536;
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let row = Chunk::uniform(Voxel::OPEN.with_height(3).with_direction(Some(Face::West)));
    for x in 0..=(LONGEST / 16) as i32 {
        store.insert(IVec3::new(x, 0, 0), row.clone());
    }
    let slots = store.grid().sorted_slots();
    let cell = |x: usize| Place::new(slots[x / 16], x % 16);
    // The last cell of the last chunk is the head of the row: what is fed across the edge is
    // nobody's child.
    let last = slots.len() * 16 - 1;
    let other_row = Place::new(slots[0], 16);
    assert_eq!(descends_from(&store, cell(last + 1 - LONGEST), other_row, None), Ok(false));
    assert_eq!(
        descends_from(&store, cell(last - LONGEST), other_row, None),
        Ok(true),
        "too long to tell"
    );
    // Each cell counts.
    let mut budget = Budget::new(2 * LONGEST);
    let end = cell(last + 1 - LONGEST);
    assert_eq!(store.descends_from(end, other_row, None, &mut None, &mut budget), Ok(Some(false)));
    assert_eq!(budget.spent(), LONGEST as u64);
    assert!(
        descends_from(&store, cell(last - 5), cell(last), None) == Ok(true)
            && descends_from(&store, cell(last), cell(last - 5), None) == Ok(false)
    );
}

/// What a search would find further away than the scope of a tile, it does not tell.
#[test]
fn a_search_does_not_leave_its_scope() {
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let row = Chunk::uniform(Voxel::OPEN.with_height(3).with_direction(Some(Face::West)));
    for x in 0..20 {
        store.insert(IVec3::new(x, 0, 0), row.clone());
    }
    let slots = store.grid().sorted_slots();
    let cell = |x: usize| Place::new(slots[x / 16], x % 16);
    for tick in 0..16 {
        let scope = Tiling::new(tick).scope_of(IVec3::new(8, 0, 0));
        let within = |x: usize| scope.contains(IVec3::new(x as i32 / 16, 0, 0));
        let end = (0..20 * 16).rev().find(|&x| within(x)).expect("a chunk of the scope");
        let found = |ancestor| descends_from(&store, cell(8 * 16), ancestor, Some(scope));
        assert_eq!(found(cell(end)), Ok(true), "tick {tick}");
        assert_eq!(found(cell(end + 1)), Err(OutOfScope), "tick {tick}");
        assert_eq!(found(cell(0)), Err(OutOfScope), "no ancestor, tick {tick}");
        assert_eq!(descends_from(&store, cell(8 * 16), cell(0), None), Ok(false));
    }
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

/// Walked way by way, this would never end, and the search would give up.
#[test]
fn each_cell_is_walked_through_once_however_many_ways_lead_there() {
    let mut world = test_worlds::weave();
    let slot = world.store.grid().sorted_slots()[0];
    let (corner, opposite) = (Place::new(slot, 0), Place::new(slot, CHUNK_CELLS - 1));
    assert_eq!(descends_from(&world.store, opposite, corner, None), Ok(true));
    assert_eq!(descends_from(&world.store, opposite, Place::NONE, None), Ok(false));
    test_worlds::put_to_sleep(&mut world.store);
    world.store.wake_descendants(corner);
    let awake = world.store.grid().awake_at(slot).expect("some are awake").len();
    assert_eq!(awake, CHUNK_CELLS - 1);
}

#[test]
fn met_is_a_set() {
    let mut random = fastrand::Rng::with_seed(16);
    let slots = {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for chunk in [IVec3::ZERO, IVec3::X] {
            store.insert(chunk, Chunk::uniform(Voxel::OPEN));
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
        let tied = |place: &Place| store.parents_of(*place) | store.children_of(*place) != 0;
        let places: Vec<Place> = places.into_iter().filter(tied).collect();
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

/// Whether no way up from a cell comes back to it.
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
    let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let flagged =
        Voxel::OPEN.with_height(3).with_direction(Some(Face::West)).with(CellFlags::EXTRA, true);
    // A mark that has the bit of the flag.
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
    store.remove(IVec3::ZERO);
    let slot = store.insert(IVec3::ZERO, Chunk::uniform(flagged)).expect("none is there");
    assert!(store.restore_parents(slot, 4095, 0b11));
    assert_eq!(store.further_parents(slot).len(), 4096);
}
