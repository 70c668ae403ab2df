//! The ebb of chunks that no spring feeds, cell by cell along the log of the tick. In such chunks
//! no cell has parents or draws, and steady flow passes no cell, so that a cell in which no water
//! has flowed only falls asleep.

use crate::chunk::{CellMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::cell::CellFlags;
use crate::water::draw::path::pick;
use crate::water::ebb::activated;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::{Mark, NoteMut};
use crate::water::store::{Place, Store, fixtures};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// Returns whether no cell in a chunk or its neighbours is connected to a spring or has a fixture,
/// and no cell in the chunk is at the sea. Fixtures count because water that comes through a valve
/// comes from no neighbouring cell.
pub(super) fn is_unfed(store: &Store, slot: Slot) -> bool {
    let is_fed = |slot: Slot| {
        slot.is_some() && (store.has_connected(slot) || fixtures::fixtures(store, slot).is_some())
    };
    store.coast(slot).is_none()
        && !is_fed(slot)
        && !Face::ALL.into_iter().any(|face| is_fed(store.neighbour(slot, face)))
}

/// Applies the ebb to the layers of a chunk that is unfed, except layers with a table or with flags
/// of steady flow that has ended. Returns these excepted layers, by bit.
pub(super) fn ebb_unfed(tick: &mut Tick, slot: Slot) -> u16 {
    let Some(mut record) = tick.scratch.borrow_chunk(slot) else { return 0 };
    let open = tick.scratch.open_layers(slot);
    let by_layer = (record.dense_layers() | passed_before(tick, slot, open)) & open;
    let mut stay = CellMask::EMPTY;
    let mut changes: SmallVec<[(usize, Voxel); 32]> = SmallVec::new();
    record.for_each_note(|mut note| {
        let index = note.index();
        if by_layer >> (index >> 8) & 1 != 0 {
            return;
        }
        let voxel = tick.store.read(Place::new(slot, index));
        if note.has(Mark::Touched) {
            let after = after_flow(tick, slot, &note, voxel);
            if after != voxel {
                note.save(voxel);
                changes.push((index, after));
            }
        } else if !note.has(Mark::Woken) {
            return;
        }
        if voxel.is_wet() {
            stay.insert(index);
        }
    });
    tick.scratch.return_chunk(slot, record);
    if !changes.is_empty() {
        tick.store.write_marks(slot, |cells| {
            changes.iter().for_each(|&(index, voxel)| cells[index] = voxel);
        });
    }
    for y in ones(u64::from(open & !by_layer)) {
        tick.store.keep_awake(LayerId::new(slot, y), stay.layer(y));
    }
    by_layer
}

/// Returns the layers, by bit, with an awake cell that steady flow has passed in an earlier tick.
fn passed_before(tick: &Tick, slot: Slot, layers: u16) -> u16 {
    let has_flag = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::FLOW_OUT);
    let is_passed = |&y: &usize| {
        let layer = LayerId::new(slot, y);
        tick.store.select_among(layer, tick.awake(layer), has_flag).any()
    };
    ones(u64::from(layers)).filter(is_passed).fold(0, |layers, y| layers | 1 << y)
}

/// Returns a cell in which water has flowed as it is after the ebb: active, with the direction of
/// the water that entered. An empty cell dries up.
fn after_flow(tick: &Tick, slot: Slot, note: &NoteMut, voxel: Voxel) -> Voxel {
    if !voxel.is_wet() && !voxel.is_closed() {
        return Voxel::OPEN;
    }
    let word = activated(voxel.word(), note.flow(), true);
    let mut voxel = Voxel::from_raw(word);
    let kept = voxel.parent_face().map_or(0, |face| 1 << face.index());
    let inflow = note.inflow();
    if inflow != 0 && inflow & kept == 0 {
        let above = inflow & 1 << Face::Up.index();
        let mut faces = if above != 0 { above } else { inflow };
        if let Some(face) = pick(tick, Place::new(slot, note.index()), &mut faces) {
            voxel = voxel.with_parent(face);
        }
    }
    voxel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion};
    use crate::water::ebb::deferred::Deferred;
    use crate::water::ebb::{ebb, ebb_chunk};
    use crate::water::flow::flow_layer;
    use crate::water::flow::window::Window;
    use crate::water::scratch::test_worlds;
    use crate::water::store::changed::tick_changes::TickChanges;
    use crate::water::{Rules, WaterWorld};
    use hashbrown::HashSet;

    /// Returns a world of scattered rock and water, thin in most layers, after some ticks of
    /// falling.
    fn rain(seed: u64) -> WaterWorld {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = WaterWorld::new(seed, Rules::lossless()).expect("rules in range");
        for chunk in ChunkRegion::new(ChunkPos::ZERO, ChunkPos::new(1, 1, 0)).positions() {
            let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| match random.u8(..60) {
                0..4 => Voxel::SOLID,
                4 => Voxel::OPEN.with_height(random.u8(1..8)),
                _ => Voxel::OPEN,
            });
            world.insert_chunk(chunk, Chunk::from_cells(&cells)).expect("none is there");
        }
        world.run(seed % 6);
        world
    }

    /// Drops leave no active cells behind, but water of springs does as it passes.
    #[test]
    fn only_water_of_springs_leaves_empty_cells_active() {
        let (mut moved, mut passed) = (0, 0);
        for seed in 0..12 {
            let mut world = rain(seed);
            for tick in 0..8 {
                moved += world.step().moved;
                let voxels = test_worlds::places(&world).into_iter();
                let mut voxels = voxels.map(|place| world.store.read(place));
                let is_left = |voxel: &Voxel| !voxel.is_wet() && !voxel.is_inert();
                assert_eq!(voxels.find(is_left), None, "seed {seed}, tick {tick}");
            }
            test_worlds::springs_with(seed, |world, _| {
                world.step();
                let voxels = test_worlds::places(world).into_iter();
                let voxels = voxels.map(|place| world.store.read(place));
                let is_passed =
                    |voxel: &Voxel| !voxel.is_mark() && !voxel.is_wet() && voxel.is_connected();
                passed += voxels.filter(is_passed).count();
            });
        }
        assert!(moved > 1_000 && passed > 20, "{moved} units of drops, {passed} cells passed");
    }

    /// After Flow, the ebb of a chunk leaves the same cells, awake cells and changes as the ebb of
    /// its layers one by one.
    #[test]
    fn an_unfed_chunk_ebbs_as_its_layers_do() {
        let (mut kept_awake, mut changed, mut dense) = (0, 0, 0);
        for seed in 0..40 {
            let mut worlds = [(); 2].map(|()| rain(seed));
            let outcomes = worlds.each_mut().map(|world| {
                let slots = world.store.grid().sorted_slots();
                let (mut tick, mut window) = (test_worlds::tick(world), Window::new());
                while let Some(layer) = tick.scratch.next_layer(tick.store) {
                    flow_layer(&mut tick, &mut window, layer);
                }
                (slots, tick.report)
            });
            assert_eq!(outcomes[0], outcomes[1], "seed {seed}");
            let slots = outcomes[0].0.clone();
            let mut deferred = Deferred::default();
            let results = [true, false].map(|by_chunk| {
                let world = &mut worlds[usize::from(by_chunk)];
                let (mut tick, _) = world.underway();
                for &slot in &slots {
                    assert!(is_unfed(tick.store, slot), "seed {seed}");
                    if by_chunk {
                        let record = tick.scratch.of_chunk(slot);
                        dense += record.map_or(0, |record| record.dense_layers().count_ones());
                        ebb_chunk(&mut tick, &mut deferred, slot);
                        continue;
                    }
                    for layer in slot.layers() {
                        if tick.scratch.get(layer).is_some() {
                            ebb(&mut tick, &mut deferred, layer);
                        }
                    }
                }
                let mut changes = TickChanges::default();
                for &slot in &slots {
                    if let Some(record) = tick.scratch.of_chunk(slot) {
                        record.add_changes(tick.store, slot, &mut changes);
                    }
                }
                let layers = slots.iter().flat_map(|&slot| slot.layers());
                let awake: Vec<_> = layers.map(|layer| tick.awake(layer)).collect();
                let cells = test_worlds::places(world).into_iter();
                let cells: Vec<Voxel> = cells.map(|place| world.store.read(place)).collect();
                (cells, awake, changes.cells().collect::<HashSet<_>>())
            });
            assert!(results[0].0 == results[1].0, "seed {seed}: cells");
            assert_eq!(results[0].1, results[1].1, "seed {seed}: awake cells");
            assert_eq!(results[0].2, results[1].2, "seed {seed}: changes");
            kept_awake += results[0].1.iter().map(|cells| cells.count()).sum::<u32>();
            changed += results[0].2.len();
        }
        assert!(
            kept_awake > 1_000 && changed > 1_000 && dense > 100,
            "{kept_awake} cells stay awake, {changed} change, {dense} layers have tables"
        );
    }
}
