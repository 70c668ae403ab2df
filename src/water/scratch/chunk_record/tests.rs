//! Compares the record of a chunk with the cells themselves.

use super::*;
use crate::coords::Face;
use crate::water::scratch::test_worlds;
use hashbrown::HashSet;

type Looks = (Option<Voxel>, u8, Option<(u8, Option<Face>)>);

/// Returns the parts of a cell that a game draws, computed independently.
fn looks(voxel: Voxel) -> Looks {
    let passes = voxel != Voxel::OPEN && voxel.height() == 0 && !voxel.is_mark();
    let passing = passes.then(|| (voxel.largest(), voxel.direction()));
    (voxel.is_mark().then_some(voxel), voxel.height(), passing)
}

/// One or many cells of a layer change, some more than once, and some back to what they were.
#[test]
fn differences_from_before_a_tick_are_recorded_and_can_be_undone() {
    let (mut kept, mut unseen) = ([0; 2], 0);
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = test_worlds::springs(seed);
        let slots = world.store.grid().sorted_slots();
        let layers: Vec<LayerId> = slots.iter().flat_map(|&slot| slot.layers()).collect();
        let cells_of = |store: &Store, layer: LayerId| -> [Voxel; LAYER_CELLS] {
            core::array::from_fn(|cell| store.read(Place::in_layer(layer, cell)))
        };
        let before: Vec<_> = layers.iter().map(|&place| cells_of(&world.store, place)).collect();
        let tick = test_worlds::tick(&mut world);
        for _ in 0..100 {
            let layer = layers[random.usize(..layers.len())];
            let mut cells = LayerMask::NONE;
            let count = [1, 1, 6, 120][random.usize(..4)];
            (0..count).for_each(|_| cells.insert(random.usize(..LAYER_CELLS)));
            let mut work = tick.scratch.record_mut(tick.store, layer);
            match count {
                1 => cells.iter().for_each(|cell| work.save_cell(tick.store, layer, cell)),
                _ => work.save(tick.store, layer, cells),
            }
            for place in cells.iter().map(|cell| Place::in_layer(layer, cell)) {
                tick.store.write(
                    place,
                    [Voxel::OPEN, test_worlds::voxel(&mut random)][random.usize(..2)],
                );
            }
        }
        let mut expected = HashSet::new();
        for (&layer, before) in layers.iter().zip(&before) {
            let mut cells = cells_of(tick.store, layer);
            let work = tick.scratch.get(layer);
            let is_same = cells == *before;
            for cell in 0..LAYER_CELLS {
                let (was, is) = (before[cell], cells[cell]);
                if is != was {
                    expected.insert((Place::in_layer(layer, cell), looks(is) != looks(was)));
                    unseen += u32::from(looks(is) == looks(was));
                }
            }
            if let Some(work) = work {
                assert!(work.may_have_changed() || is_same, "seed {seed}");
                for (cell, &now) in cells.iter().enumerate() {
                    assert_eq!(work.before(cell).unwrap_or(now), before[cell], "seed {seed}");
                }
                work.revert(&mut cells);
                kept[usize::from(work.table().is_some())] += u32::from(work.may_have_changed());
            }
            assert!(cells == *before, "seed {seed}: {layer:?}");
        }
        let mut changes = TickChanges::default();
        for &slot in &slots {
            if let Some(record) = tick.scratch.of_chunk(slot) {
                record.add_changes(tick.store, slot, &mut changes);
            }
        }
        assert_eq!(changes.count(), expected.len() as u64, "seed {seed}");
        assert_eq!(changes.cells().collect::<HashSet<_>>(), expected, "seed {seed}");
    }
    assert!(
        kept.iter().all(|&layers| layers > 50),
        "{kept:?} layers kept in a list, and in a table"
    );
    assert!(unseen > 20, "{unseen} cells changed without looking different");
}
