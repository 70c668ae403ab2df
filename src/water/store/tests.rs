//! The store: places, canonical chunks, memory, lists of sources, selections of cells.

use super::*;
use crate::chunk::Chunk;
use crate::coords::ChunkPos;
use crate::grid::LayerId;
use crate::water::store::chunks::beside_is_true;
use crate::water::store::sources::{note_source, units_of_sources};
use crate::water::store::{chunks, fixtures};

#[test]
fn steps_agree_with_positions_across_loaded_and_missing_chunks() {
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for cell in [IVec3::ZERO, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z, IVec3::MAX, IVec3::MIN] {
        chunks::insert(&mut store, Cube::chunk_of(cell), Chunk::uniform(Voxel::OPEN));
    }
    chunks::remove(&mut store, ChunkPos::new(0, -1, 0));
    for slot in store.grid().sorted_slots() {
        assert!(beside_is_true(&store, slot));
        for index in [0, 15, 17, 240, 255, 256, 2000, 3840, 4080, 4095] {
            for face in Face::ALL {
                let there = store.step(Place { slot, index }, face);
                match face.step(store.position(Place { slot, index })) {
                    Some(cell) if store.grid().slot(Cube::chunk_of(cell)).is_some() => {
                        assert_eq!(store.position(there), cell);
                    }
                    _ => assert_eq!(there.slot, Slot::NONE),
                }
            }
        }
    }
}

/// Changes a few cells of an empty chunk and changes them back, by each of the three writers.
#[test]
fn a_chunk_is_stored_as_uniform_as_soon_as_its_cells_are_equal() {
    let mut random = fastrand::Rng::with_seed(12);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))
        .expect("none is there");
    let mut cells = [Voxel::OPEN; CHUNK_CELLS];
    for round in 0..200 {
        let some: Vec<usize> = (0..random.usize(1..4))
            .map(|_| [0, 4095, random.usize(..CHUNK_CELLS)][random.usize(..3)])
            .collect();
        // A change of `largest` does not affect the masks.
        for voxel in [Voxel::OPEN.with_largest(1), Voxel::OPEN] {
            for &index in &some {
                let (layer, cell) = (index / LAYER_CELLS, index % LAYER_CELLS);
                match random.u8(..3) {
                    0 => store.write(Place { slot, index }, voxel),
                    1 => store.write_layer(LayerId::new(slot, layer), |cells| cells[cell] = voxel),
                    _ => store.write_marks(slot, |cells| cells[index] = voxel),
                }
                cells[index] = voxel;
                let are_equal = cells.iter().all(|&cell| cell == cells[0]);
                assert_eq!(
                    store.grid().chunk_at(slot).as_uniform().is_some(),
                    are_equal,
                    "round {round}: {some:?}"
                );
                assert!(beside_is_true(&store, slot), "round {round}: {some:?}");
            }
        }
    }
}

/// Adds each kind of cached data in turn.
#[test]
fn memory_is_that_of_the_data_held() {
    let cached = |store: &Store| store.memory_bytes() - store.grid().memory_bytes();
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    assert_eq!(cached(&store), 0);
    let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))
        .expect("none is there");
    let mut expected = store.caches.capacity() * size_of::<ChunkCache>();
    assert_eq!(cached(&store), expected);
    store.write(Place::new(slot, 1), Voxel::OPEN.with_height(3));
    expected += size_of::<LayerMasks>();
    assert_eq!(cached(&store), expected, "a dense chunk has masks");
    store.keep_parents(Place::new(slot, 1), 0b11, Voxel::OPEN.with_height(3));
    expected += size_of::<[CellMask; 6]>();
    assert_eq!(cached(&store), expected, "further parents");
    store.write(Place::new(slot, 2), Voxel::water(crate::water::WaterCell::SOURCE));
    expected += size_of::<CellMask>();
    assert_eq!(cached(&store), expected, "cells with a source");
    note_source(&mut store, Place::new(slot, 2), true);
    // The cell's chunk is listed once, since its steady flow may change.
    expected += size_of::<CellMask>() + store.unbalanced.capacity() * size_of::<Slot>();
    assert_eq!(cached(&store), expected, "a source in place");
    fixtures::set_fixture(&mut store, Place::new(slot, 9), Some(Fixture::Tap(1)));
    expected += size_of::<Fixtures>() + size_of::<(u16, Fixture)>();
    assert_eq!(cached(&store), expected, "a fixture");
    fixtures::set_fixture(&mut store, Place::new(slot, 9), None);
    expected -= size_of::<Fixtures>() + size_of::<(u16, Fixture)>();
    (3..20).for_each(|index| note_source(&mut store, Place { slot, index }, true));
    assert_eq!(cached(&store), expected, "however many");
}

#[test]
fn sources_are_listed_by_chunk_and_counted() {
    let mut random = fastrand::Rng::with_seed(13);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    for chunk in [ChunkPos::ZERO, ChunkPos::new(0, -1, 0)] {
        chunks::insert(&mut store, chunk, Chunk::uniform(Voxel::OPEN));
    }
    let slots = store.grid().sorted_slots();
    let mut sources = std::collections::BTreeSet::new();
    for round in 0..2_000 {
        // Few cells, so that many calls repeat an entry or remove a missing one.
        let place = Place::new(slots[random.usize(..2)], random.usize(..16) * 255);
        let present = random.bool();
        note_source(&mut store, place, present);
        if present {
            sources.insert(place)
        } else {
            sources.remove(&place)
        };
        for &slot in &slots {
            let noted = (0..CHUNK_CELLS).filter(|index| {
                store.springs(LayerId::new(slot, index / LAYER_CELLS)).contains(index % LAYER_CELLS)
            });
            let expected =
                sources.iter().filter(|place| place.slot == slot).map(|place| place.index);
            assert!(noted.eq(expected), "round {round}");
        }
        assert_eq!(units_of_sources(&store), 7 * sources.len() as u64, "round {round}");
    }
}

/// The last cell that differs, at a border or inside, is overwritten by each of the three
/// writers.
#[test]
fn a_chunk_of_equal_cells_is_uniform_whatever_was_written_last() {
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))
        .expect("none is there");
    let wet = Voxel::OPEN.with_height(3);
    for index in [0, 1, 255, 256, 2000, 4094, 4095] {
        let (layer, cell) = (index / LAYER_CELLS, index % LAYER_CELLS);
        for way in 0..3 {
            store.write(Place { slot, index }, wet);
            assert!(
                store.grid().chunk_at(slot).as_dense().is_some() && beside_is_true(&store, slot)
            );
            match way {
                0 => store.write(Place { slot, index }, Voxel::OPEN),
                1 => {
                    store.write_layer(LayerId::new(slot, layer), |cells| cells[cell] = Voxel::OPEN)
                }
                _ => {
                    store.write_layer(LayerId::new(slot, layer), |cells| {
                        cells[cell] = Voxel::OPEN.with_largest(2)
                    });
                    store.write_marks(slot, |cells| cells[index] = Voxel::OPEN);
                }
            }
            assert_eq!(
                store.grid().chunk_at(slot).as_uniform(),
                Some(Voxel::OPEN),
                "{index}, way {way}"
            );
            assert!(beside_is_true(&store, slot), "{index}, way {way}");
        }
    }
}

#[test]
fn among_few_cells_or_many_those_are_selected_that_satisfy() {
    let mut random = fastrand::Rng::with_seed(13);
    let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
    let heights: [Voxel; CHUNK_CELLS] =
        core::array::from_fn(|_| Voxel::OPEN.with_height(random.u8(..8)));
    let dense = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::from_cells(&heights))
        .expect("none is there");
    let full = chunks::insert(
        &mut store,
        ChunkPos::new(1, 0, 0),
        Chunk::uniform(Voxel::OPEN.with_height(FULL)),
    )
    .expect("none is there");
    for round in 0..100 {
        let (layer, height) = (random.usize(..16), random.u8(..8));
        let mut cells = LayerMask::NONE;
        (0..[1, 8, 200][round % 3]).for_each(|_| cells.insert(random.usize(..LAYER_CELLS)));
        for slot in [dense, full] {
            let found = store
                .select_among(LayerId::new(slot, layer), cells, |voxel| voxel.height() == height);
            for cell in 0..LAYER_CELLS {
                let is_in =
                    store.read(Place::in_layer(LayerId::new(slot, layer), cell)).height() == height;
                assert_eq!(found.contains(cell), is_in && cells.contains(cell), "round {round}");
            }
        }
    }
}
