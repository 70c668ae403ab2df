//! Inserting and removing chunks, with the data cached for them.

use crate::chunk::{CellMask, Chunk, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use crate::water::record::CellLists;
use crate::water::store::changed::dirty_layers::note_chunk;
use crate::water::store::changed::touched::touch;
use crate::water::store::fixtures::valves::valves_are_noted;
use crate::water::store::fixtures::{fixture_list, restore_fixture};
use crate::water::store::masks::LayerMasks;
use crate::water::store::neighbours::{link, parts_truly, slot_across, unlink_from};
use crate::water::store::sources::count_springs_of;
use crate::water::store::{ChunkCache, Store, boxed};
use crate::water::voxel::Voxel;

/// Inserts a chunk, and computes its masks and outlets. Cells out of bounds become marks. Returns
/// `None` if a chunk is there already.
pub(crate) fn insert(
    store: &mut Store,
    position: ChunkPos,
    mut chunk: Chunk<Voxel>,
) -> Option<Slot> {
    store.note_links();
    if !store.is_within(position) || has_marks(&chunk) {
        let cells = chunk.cells_mut();
        let is_outside = |voxel: &&mut Voxel| voxel.is_outside();
        cells.iter_mut().filter(is_outside).for_each(|voxel| *voxel = Voxel::OPEN);
        write_beyond(store, position, cells, |mark| mark);
        chunk.canonicalize();
    }
    let masks = chunk.as_dense().map(|cells| Box::new(LayerMasks::of(cells)));
    let sources = sources_in(&chunk);
    store.grid.insert(position, chunk).ok()?;
    let slot = store.grid.slot(position)?;
    if store.caches.len() < store.grid.slot_capacity() {
        store.caches.resize_with(store.grid.slot_capacity(), ChunkCache::default);
    }
    store.loads += 1;
    let load = store.loads;
    store.caches[slot.index()] = ChunkCache { masks, sources, load, ..ChunkCache::default() };
    count_springs_of(store, slot, true);
    touch(store, slot);
    link(store, slot);
    store.refresh_edges(slot);
    note_chunk(store, slot);
    if store.has_steady() {
        store.note_unbalanced(slot);
    }
    Some(slot)
}

/// Returns the further data of a chunk's cells: additional parents, fixtures and steady flow.
pub(crate) fn lists(store: &Store, slot: Slot) -> CellLists {
    CellLists {
        further_parents: store.further_parents(slot),
        fixtures: fixture_list(store, slot),
        steady: store.steady_list(slot),
    }
}

/// Restores the further data of the cells of a chunk that was just inserted.
pub(crate) fn restore_lists(store: &mut Store, slot: Slot, lists: &CellLists) {
    let CellLists { further_parents, fixtures, steady } = lists;
    for &(index, faces) in further_parents {
        store.restore_parents(slot, index, faces);
    }
    for &(index, fixture) in fixtures {
        restore_fixture(store, slot, index, fixture);
    }
    store.restore_steady(slot, steady);
}

/// Removes and returns a chunk that is not frozen, with open cells beyond the world's edge; `None`
/// if there is none.
pub(crate) fn remove(store: &mut Store, position: ChunkPos) -> Option<Chunk<Voxel>> {
    let slot = store.grid.slot(position)?;
    count_springs_of(store, slot, false);
    let around = Face::ALL.map(|face| slot_across(store, slot, face));
    let had_steady = store.caches[slot.index()].steady.is_some();
    let chunk = store.grid.remove(position)?;
    store.loads += 1;
    note_chunk(store, slot);
    unlink_from(store, around, had_steady);
    store.forget_runs(slot);
    store.discount_steady(slot);
    store.caches[slot.index()] = ChunkCache::default();
    store.with_valves.remove(&position);
    store.with_steady.remove(&position);
    store.unbalanced.retain(|&there| there != slot);
    store.restless.retain(|&there| there != slot);
    store.visible_changes.forget(slot);
    Some(without_marks(store, position, chunk))
}

/// Returns the chunk, as it lies at this position, with open cells in place of marks beyond the
/// world's edge.
pub(crate) fn without_marks(
    store: &Store,
    position: ChunkPos,
    mut chunk: Chunk<Voxel>,
) -> Chunk<Voxel> {
    if !store.is_within(position) {
        write_beyond(store, position, chunk.cells_mut(), |_| Voxel::OPEN);
        chunk.canonicalize();
    }
    chunk
}

/// Writes into each cell beyond the bounds, in the chunk at this position, the result of `by_mark`
/// for the mark that stands for the cell.
fn write_beyond(
    store: &Store,
    position: ChunkPos,
    cells: &mut [Voxel; CHUNK_CELLS],
    by_mark: impl Fn(Voxel) -> Voxel,
) {
    let layers: &mut [[Voxel; LAYER_CELLS]] = cells.as_chunks_mut().0;
    for (layer, voxels) in layers.iter_mut().enumerate() {
        for (beyond, mark) in store.marks_of_layer(position, layer) {
            beyond.iter().for_each(|cell| voxels[cell] = by_mark(mark));
        }
    }
}

/// Returns the number of times that a chunk was inserted or removed.
pub(crate) fn loads(store: &Store) -> u64 {
    store.loads
}

/// Returns a number that no other chunk of the world has had, at this position or another.
pub(crate) fn load(store: &Store, slot: Slot) -> u64 {
    store.caches[slot.index()].load
}

/// Returns whether the cached masks, outlets, coast, sources, neighbours and notes of valves match
/// the cells.
pub(crate) fn beside_is_true(store: &Store, slot: Slot) -> bool {
    let chunk = store.grid.chunk_at(slot);
    let beside = &store.caches[slot.index()];
    beside.masks.as_deref() == chunk.as_dense().map(LayerMasks::of).as_ref()
        && beside.outlets == boxed(store.outlets_of(slot))
        && beside.coast == boxed(store.coast_of(slot))
        && beside.sources == sources_in(chunk)
        && Face::ALL.map(|face| slot_across(store, slot, face)) == store.grid.neighbours_of(slot)
        && parts_truly(store, slot)
        && valves_are_noted(store, slot)
}

/// Returns whether any cell is a mark of the world's edge.
fn has_marks(chunk: &Chunk<Voxel>) -> bool {
    match chunk.as_dense() {
        Some(cells) => {
            cells.as_chunks().0.iter().any(|layer| LayerMask::any_cell(layer, Voxel::is_outside))
        }
        None => chunk.get(0).is_outside(),
    }
}

/// Returns a chunk's sources, if there are any.
fn sources_in(chunk: &Chunk<Voxel>) -> Option<Box<CellMask>> {
    match chunk.as_dense() {
        Some(cells) => {
            let mut sources = CellMask::EMPTY;
            for (layer, cells) in cells.as_chunks().0.iter().enumerate() {
                if LayerMask::any_cell(cells, Voxel::is_source) {
                    sources.set_layer(layer, LayerMask::select(cells, Voxel::is_source));
                }
            }
            boxed(sources)
        }
        None => chunk.get(0).is_source().then(|| Box::new(CellMask::FULL)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Region;
    use crate::grid::LayerId;
    use crate::water::cell::FULL;
    use crate::water::cell::{CellFlags, WaterCell};
    use crate::water::rules::{Edge, Edges};
    use crate::water::store::{Place, border_cells};

    /// Returns any voxel that a chunk may hold, including marks of the world's edge.
    fn random_voxel(random: &mut fastrand::Rng) -> Voxel {
        loop {
            let voxel = Voxel::from_raw(random.u16(..));
            let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
            if WaterCell::from_word(voxel.word()).is_ok() || marks.contains(&voxel) {
                return voxel;
            }
        }
    }

    #[test]
    fn a_loaded_chunk_has_no_marks_knows_its_sources_and_is_awake() {
        for seed in 0..16 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut kinds: [Voxel; 5] = core::array::from_fn(|_| random_voxel(&mut random));
            if seed == 0 {
                kinds[0] = Voxel::water(WaterCell::SOURCE);
            }
            let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| kinds[random.usize(..5)]);
            for chunk in [Chunk::from_cells(&cells), Chunk::uniform(kinds[0])] {
                let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
                let slot =
                    insert(&mut store, ChunkPos::ZERO, chunk.clone()).expect("none is there");
                let kept = |voxel: Voxel| if voxel.is_outside() { Voxel::OPEN } else { voxel };
                assert!(
                    (0..CHUNK_CELLS)
                        .all(|index| store.read(Place { slot, index }) == kept(chunk.get(index)))
                );
                for index in 0..CHUNK_CELLS {
                    let noted = store
                        .springs(LayerId::new(slot, index / LAYER_CELLS))
                        .contains(index % LAYER_CELLS);
                    assert_eq!(noted, chunk.get(index).cell().is_some_and(WaterCell::is_source));
                }

                store.adopt(slot);
                assert!(beside_is_true(&store, slot), "seed {seed}");
                for index in 0..CHUNK_CELLS {
                    let awake =
                        store.grid().awake_at(slot).is_some_and(|mask| mask.contains(index));
                    let voxel = store.read(Place { slot, index });
                    assert!(
                        awake || voxel.is_mark() || voxel == Voxel::OPEN,
                        "seed {seed}: {index} sleeps"
                    );
                    assert!(
                        voxel.is_mark() || !voxel.has(CellFlags::EXTRA),
                        "seed {seed}: {index} has further parents"
                    );
                }
            }
        }
    }

    #[test]
    fn wrong_cached_data_of_a_chunk_is_found() {
        let mut store =
            Store::new(Region::EVERYWHERE, Edges { unloaded: Edge::Drain, ..Edges::WALLS });
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        cells[700] = Voxel::water(WaterCell::SOURCE);
        let slot =
            insert(&mut store, ChunkPos::ZERO, Chunk::from_cells(&cells)).expect("none is there");
        let true_beside = || ChunkCache {
            masks: Some(Box::new(LayerMasks::of(&cells))),
            outlets: boxed(store.outlets_of(slot)),
            coast: None,
            sources: sources_in(&Chunk::from_cells(&cells)),
            extras: None,
            neighbours: [Slot::NONE; 6],
            load: 1,
            ..ChunkCache::default()
        };
        let other = boxed(CellMask::FULL);
        let forged = [
            (true_beside(), true),
            (ChunkCache { masks: None, ..true_beside() }, false),
            (ChunkCache { outlets: other.clone(), ..true_beside() }, false),
            (ChunkCache { coast: other.clone(), ..true_beside() }, false),
            (ChunkCache { sources: other, ..true_beside() }, false),
            (ChunkCache { neighbours: [slot; 6], ..true_beside() }, false),
            (ChunkCache { parted: 1, ..true_beside() }, false),
        ];
        for (beside, is_true) in forged {
            store.caches[slot.index()] = beside;
            assert_eq!(beside_is_true(&store, slot), is_true);
        }
    }

    #[test]
    fn a_border_wakes_if_it_has_water_or_flow() {
        let water = Voxel::OPEN.with_height(FULL);
        let mut cells = [Voxel::SOLID; CHUNK_CELLS];
        cells[3 * LAYER_CELLS..].fill(water);
        for chunk in [water, Voxel::OPEN, Voxel::SOLID]
            .map(Chunk::uniform)
            .into_iter()
            .chain([Chunk::from_cells(&cells)])
        {
            for face in Face::ALL {
                let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
                let slot =
                    insert(&mut store, ChunkPos::ZERO, chunk.clone()).expect("none is there");
                store.wake_border(slot, face, CHUNK_CELLS);
                let border: Vec<usize> = border_cells(face).collect();
                for index in 0..CHUNK_CELLS {
                    let awake =
                        store.grid().awake_at(slot).is_some_and(|mask| mask.contains(index));
                    assert_eq!(
                        awake,
                        border.contains(&index) && chunk.get(index) == water,
                        "{face:?}: {index}"
                    );
                }
            }
        }
    }
}
