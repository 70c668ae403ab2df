//! The masks of layers agree with the functions for single cells, in random worlds.

use super::*;
use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, Region};
use crate::water::fixture::Fixture;
use crate::water::rules::{Edge, Edges};
use crate::water::scratch::test_worlds;
use crate::water::store::frozen::set_frozen;
use crate::water::store::{LayerState, chunks, fixtures};
use glam::IVec3;
use std::collections::BTreeSet;

/// Returns random chunks, some of them uniform, missing or frozen, with sea and valves, between
/// edges of all kinds, and a function that returns a random set of cells for each layer.
fn world(random: &mut fastrand::Rng) -> (Store, impl Fn(LayerId) -> LayerMask + use<>) {
    let edge = |random: &mut fastrand::Rng| {
        [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(random.i32(-9..9))][random.usize(..4)]
    };
    let edges = Edges { outer: [0; 6].map(|_| edge(random)), unloaded: edge(random) };
    let bounds = Region::new(IVec3::new(-16, -13, -16), IVec3::new(15, 15, 12));
    let mut store = Store::new(bounds, edges);
    for chunk in Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions() {
        let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| match random.u8(..8) {
            0 => Voxel::SEA,
            _ => test_worlds::voxel(random),
        });
        let chunk = chunk.into();
        match random.u8(..5) {
            0 => {}
            1 => _ = chunks::insert(&mut store, chunk, Chunk::uniform(cells[0])),
            _ => _ = chunks::insert(&mut store, chunk, Chunk::from_cells(&cells)),
        }
    }
    let slots = store.grid().sorted_slots();
    let frozen: Vec<Slot> = slots.iter().copied().filter(|_| random.u8(..3) == 0).collect();
    set_frozen(&mut store, &frozen, true);
    for slot in slots {
        let valve = Fixture::Valve { towards: Face::West, rate: 3 };
        let solid = (0..CHUNK_CELLS).map(|index| Place { slot, index });
        let solid: Vec<Place> = solid.filter(|&place| store.read(place).is_solid()).collect();
        for place in solid.into_iter().filter(|_| random.bool()) {
            fixtures::set_fixture(&mut store, place, Some(valve));
        }
    }
    let words: Vec<[u64; 4]> =
        (0..16 * 16).map(|_| core::array::from_fn(|_| random.u64(..))).collect();
    (store, move |layer| LayerMask::from_words(words[layer.slot.index() * 16 + layer.y]))
}

fn layers(store: &Store) -> impl Iterator<Item = LayerId> {
    store.grid().sorted_slots().into_iter().flat_map(|slot| slot.layers())
}

/// Checks a law in every layer of many worlds. Its second argument returns a random set of cells
/// for each layer.
fn hold(law: impl Fn(&Store, &dyn Fn(LayerId) -> LayerMask, LayerId)) {
    let mut random = fastrand::Rng::with_seed(45);
    for _ in 0..24 {
        let (store, set) = world(&mut random);
        layers(&store).for_each(|layer| law(&store, &set, layer));
    }
}

fn cells_where(is_in: impl Fn(usize) -> bool) -> LayerMask {
    (0..LAYER_CELLS).filter(|&cell| is_in(cell)).collect()
}

#[test]
fn water_comes_back_across_the_face_that_it_passed_and_meets_marks_elsewhere() {
    hold(|store, _, layer| {
        for place in (0..LAYER_CELLS).map(|cell| Place::in_layer(layer, cell)) {
            for face in Face::ALL {
                match store.across(place, face) {
                    Some(there) => {
                        assert_eq!(store.across(there, face.opposite()), Some(place));
                        assert_eq!(store.is_frozen(there.slot), store.is_frozen(place.slot));
                        assert_eq!(store.look(place, face), store.read(there));
                    }
                    None => {
                        let mark = store.look(place, face);
                        assert!(mark.is_outside() || mark.is_sea(), "{mark:?}");
                    }
                }
            }
        }
    });
}

#[test]
fn a_set_is_met_from_the_cells_from_which_water_reaches_a_cell_of_it() {
    hold(|store, set, layer| {
        let is_met = |cell: usize, face: Face| {
            let place = Place::in_layer(layer, cell);
            match store.across(place, face) {
                Some(there) => set(there.layer_id()).contains(there.cell()),
                None => store.look(place, face) == Voxel::DRAIN,
            }
        };
        let of = |layer| [set(layer)];
        let beyond =
            |face| [LayerMask::all_if(store.beyond(layer.slot, face, layer.y) == Voxel::DRAIN)];
        for cells in [LayerMask::ALL, LayerMask::crossing(!1, !0)] {
            let [sides] = store.beside(layer, cells, of(layer), of, beyond);
            for (found, face) in sides.into_iter().zip(Face::LATERAL) {
                assert_eq!(found, cells & cells_where(|cell| is_met(cell, face)), "{face:?}");
            }
        }
        for face in [Face::Up, Face::Down] {
            let [found] = store.vertical(layer, face, of, beyond);
            assert_eq!(found, cells_where(|cell| is_met(cell, face)), "{face:?}");
        }
    });
}

#[test]
fn cells_spread_to_those_that_water_reaches() {
    hold(|store, set, layer| {
        let cells = [set(layer), LayerMask::NONE, LayerMask::ALL, LayerMask::single(7)];
        let ring = store.spread(layer, &cells);
        let found = ring
            .iter()
            .flat_map(|&(layer, cells)| cells.iter().map(move |cell| Place::in_layer(layer, cell)));
        let sides = cells.into_iter().zip(Face::LATERAL);
        let reached = sides.flat_map(|(cells, face)| {
            cells.iter().filter_map(move |cell| store.across(Place::in_layer(layer, cell), face))
        });
        assert_eq!(found.collect::<BTreeSet<_>>(), reached.collect());
    });
}

#[test]
fn there_is_room_where_what_water_meets_has_room() {
    hold(|store, _, layer| {
        let place = |cell| Place::in_layer(layer, cell);
        let supported = cells_where(|cell| store.floor(place(cell)).is_closed());
        assert_eq!(store.supported(layer), supported);
        let capped = cells_where(|cell| store.look(place(cell), Face::Up).is_closed());
        assert_eq!(store.capped(layer), capped);
        let has_room = |cell, face| !store.look(place(cell), face).is_closed();
        let roomy = cells_where(|cell| Face::LATERAL.into_iter().any(|face| has_room(cell, face)));
        assert_eq!(store.roomy(layer), roomy);
    });
}

#[test]
fn bodies_are_joined_beside_and_above_and_below_where_full() {
    hold(|store, set, layer| {
        for face in Face::ALL {
            let reached = set(layer).iter().filter_map(|cell| {
                let here = Place::in_layer(layer, cell);
                let there = store.across(here, face)?;
                let is_joined = match face {
                    Face::Up => store.read(here).is_full(),
                    Face::Down => store.read(there).is_full(),
                    _ => there.slot != layer.slot,
                };
                is_joined.then_some(there)
            });
            let joints = store.joints(layer, face, set(layer));
            let there = store.layer_across(layer, face);
            let found = there
                .into_iter()
                .flat_map(|there| joints.iter().map(move |cell| Place::in_layer(there, cell)));
            assert_eq!(found.collect::<BTreeSet<_>>(), reached.collect(), "{face:?}");
        }
    });
}

/// Because of this law, no rule needs to test whether a cell behind a face is ground.
#[test]
fn ground_has_neither_water_nor_room() {
    hold(|store, _, layer| {
        let solid = store.select(layer, Voxel::is_solid);
        let state = store.layer(layer);
        assert_eq!(state.full(), store.select(layer, Voxel::is_full));
        let LayerState { wet, closed } = state;
        assert_eq!(solid & (closed - wet), solid);
        for cell in solid.iter() {
            let voxel = store.read(Place::in_layer(layer, cell));
            assert_eq!((voxel.height(), voxel.room(), voxel.is_full()), (0, 0, false));
        }
    });
}
