//! Ebb: the last visit of a tick to the cells that took part in it. It marks the cells that water
//! has flowed through: they become active, and cells that no spring feeds take the direction of
//! their flow (`heading`), or are open air again if they are empty. All other cells fall asleep, or
//! are parked if they wait for a draw. Cells that steady flow alone has passed fall asleep where it
//! yields. Where no spring is near, Ebb takes the notes of the log one by one (`unfed`), else layer
//! by layer with bit masks; layers in which cells only wait are left out. `finish` ends the tick:
//! activity ages (`ageing`), still water evaporates (`evaporation`) and cells dry up (`drying`).

pub(crate) mod ageing;
pub(crate) mod deferred;
pub(crate) mod drying;
pub(crate) mod evaporation;
pub(crate) mod finish;
mod heading;
mod loss_sampler;
pub(crate) mod lost;
pub(crate) mod reach;
mod unfed;

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::cell::{ACTIVE, CellFlags, DIRECTION_SHIFT, HEIGHT, LARGEST, LARGEST_SHIFT};
use crate::water::ebb::deferred::Deferred;
use crate::water::ebb::finish::is_fed;
use crate::water::ebb::heading::direct;
use crate::water::ebb::reach::{drop_unconnected_parents, note_feeders, note_feeders_above};
use crate::water::ebb::unfed::{ebb_unfed, is_unfed};
use crate::water::flow::runs::note_falls;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::steady::is_yield_tick;
use crate::water::store::faces::nothing;
use crate::water::store::flow::parked::{drop_unused_parking, parked, set_parked, unpark_chunk};
use crate::water::store::{LAYER_ROWS, LayerState, Place, fixtures};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// Applies the ebb to a chunk, and adds work for the end of the tick to `deferred`. Returns the
/// cells charged.
pub(crate) fn ebb_chunk(tick: &mut Tick, deferred: &mut Deferred, slot: Slot) -> usize {
    let by_layer = match is_unfed(tick.store, slot) {
        true => {
            unpark_chunk(tick.store, slot);
            ebb_unfed(tick, slot)
        }
        false => u16::MAX,
    };
    let mut charged = LAYER_ROWS;
    for y in 0..16 {
        if tick.scratch.open_layers(slot) & by_layer & 1 << y != 0 {
            charged += ebb(tick, deferred, LayerId::new(slot, y));
        }
    }
    drop_unused_parking(tick.store, slot);
    charged
}

/// Applies the ebb to a layer, and adds work for the end of the tick to `deferred`. Parks the films
/// that only wait. Returns the cells charged, at least the rows of the layer.
pub(crate) fn ebb(tick: &mut Tick, deferred: &mut Deferred, layer: LayerId) -> usize {
    note_closing(tick, deferred, layer);
    let Some(work) = tick.scratch.get(layer) else { return LAYER_ROWS };
    // Nothing has happened here, and no cell would fall asleep. If links have changed before this
    // tick, however, flags of HasSource may be stale.
    if work.is_blank() && !tick.scratch.links_changed && only_waits(tick, layer) {
        return LAYER_ROWS;
    }
    let (touched, woken) = (work.marked(Mark::Touched), work.marked(Mark::Woken));
    let (waiting, passed) = (work.marked(Mark::Waiting), work.marked(Mark::Steady));
    let steady = tick.store.steady_cells(layer);
    let awake = tick.awake(layer);
    let in_runs = awake & tick.store.in_runs(layer);
    let parked = (parked(tick.store, layer) & tick.store.connected(layer)) - touched;
    let cells = (awake - (in_runs | parked)) | touched;
    let charged = LAYER_ROWS.max((cells | parked).count() as usize);
    // Steady flow may pass more through a cell that is asleep than its bottleneck says: the cell
    // may have fallen asleep in a tick in which steady flow yielded.
    activate(tick, layer, touched | passed);
    if cells.is_empty() {
        if tick.scratch.links_changed {
            note_stale(tick, layer, parked, deferred);
        }
        fall_asleep(tick, layer, woken, in_runs, parked);
        return charged;
    }
    note_feeders(tick, layer, cells, &mut deferred.feeders);
    note_feeders_above(tick, layer, touched, &mut deferred.feeders);
    let fed = direct(tick, layer, &mut deferred.fed);
    let flow_out = clear_flow_out(tick, layer, cells - steady);
    drop_unconnected_parents(tick, layer, cells);
    if tick.scratch.links_changed {
        note_stale(tick, layer, cells | parked, deferred);
    }
    dry_up(tick, layer, touched - fed);
    let ends = tick.store.outlets(layer.slot).map_or(LayerMask::NONE, |ends| ends.layer(layer.y));
    let ends = ends & tick.store.connected(layer);
    // A cell that steady flow no longer passes may give the unit that it kept in the next tick.
    // Steady flow may take all that a cell lets through, but leaves it to other water when it
    // yields: if none moves then, none would move in any tick.
    let held = if is_yield_tick(tick.tick) { LayerMask::NONE } else { steady };
    let stay = cells & (flow_out | held | ends | touched) | woken;
    fall_asleep(tick, layer, stay, in_runs, parked | cells & waiting);
    note_falls(tick, layer, &mut deferred.falls);
    charged
}

/// Returns whether all awake cells of a layer are in runs, or are connected and parked.
fn only_waits(tick: &Tick, layer: LayerId) -> bool {
    let store = &*tick.store;
    let waiting = parked(store, layer) & store.connected(layer);
    ((tick.awake(layer) - waiting) - store.in_runs(layer)).is_empty()
}

/// Puts the cells of a layer to sleep, except cells in runs and cells among `stay` and `waiting`
/// that a tick may change. Parks those that only wait.
fn fall_asleep(
    tick: &mut Tick,
    layer: LayerId,
    stay: LayerMask,
    in_runs: LayerMask,
    waiting: LayerMask,
) {
    let may_act = may_act(tick, layer);
    let (stay, waiting) = (stay & may_act, waiting & may_act);
    tick.store.keep_awake(layer, stay | in_runs | waiting);
    set_parked(tick.store, layer, waiting - stay);
}

/// Returns the cells of a layer that a tick may change: all except dry cells that no spring, sea or
/// fixture could fill.
fn may_act(tick: &Tick, layer: LayerId) -> LayerMask {
    if tick.store.coast(layer.slot).is_some()
        || fixtures::fixtures(tick.store, layer.slot).is_some()
    {
        return LayerMask::ALL;
    }
    tick.store.layer(layer).wet | tick.store.connected(layer)
}

/// Adds the open cells of a layer over which the sea closes to `deferred`: cells that lie on the
/// sea and are also beside or below it.
fn note_closing(tick: &Tick, deferred: &mut Deferred, layer: LayerId) {
    if tick.store.coast(layer.slot).is_none() {
        return;
    }
    let cells = tick.awake(layer) | touched(tick, layer);
    let cells = cells & tick.store.coast_in(layer) & tick.store.on_sea(layer);
    let LayerState { wet, closed } = tick.store.layer(layer);
    let open = (cells - (closed - wet)) - tick.store.springs(layer);
    deferred.closing.extend(open.iter().map(|cell| Place::in_layer(layer, cell)));
}

/// Returns the cells of a layer that water other than steady flow has touched in this tick, without
/// cells in runs. Steady flow does not count here: it passes cells that are asleep.
pub(super) fn touched(tick: &Tick, layer: LayerId) -> LayerMask {
    tick.scratch.get(layer).map_or(LayerMask::NONE, |work| work.marked(Mark::Touched))
}

/// Clears FlowOut in the cells of `cells`, which steady flow does not pass. Returns the cells that
/// had FlowOut.
fn clear_flow_out(tick: &mut Tick, layer: LayerId, cells: LayerMask) -> LayerMask {
    let has_flag = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::FLOW_OUT);
    let flow_out = tick.store.select_among(layer, cells, has_flag);
    for cell in flow_out.iter() {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        tick.put_marks(place, voxel.with(CellFlags::FLOW_OUT, false));
    }
    flow_out
}

/// Dries up the cells of `cells` that are empty and not connected.
fn dry_up(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let LayerState { wet, closed } = tick.store.layer(layer);
    for cell in (cells - (wet | closed | tick.store.connected(layer))).iter() {
        tick.put_marks(Place::in_layer(layer, cell), Voxel::OPEN);
    }
}

/// Makes cells of a layer active and raises their bottlenecks: see [`activated`].
fn activate(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let Some(work) = tick.scratch.get(layer) else { return };
    if !cells.is_sparse() {
        let mut words = match tick.store.cells(layer) {
            Some(cells) => *cells,
            None => [tick.store.grid().chunk_at(layer.slot).get(0); LAYER_CELLS],
        };
        if activate_layer(&mut words, &work.flows(), cells) {
            tick.scratch.record_mut(tick.store, layer).save(tick.store, layer, LayerMask::ALL);
            tick.store.write_marks(layer.slot, |cells| {
                cells[layer.y * LAYER_CELLS..][..LAYER_CELLS].copy_from_slice(&words)
            });
        }
        return;
    }
    let mut changes: SmallVec<[(usize, Voxel); LayerMask::SPARSE]> = SmallVec::new();
    let mut changed = LayerMask::NONE;
    for cell in cells.iter() {
        let word = tick.store.read(Place::in_layer(layer, cell)).word();
        let after = activated(word, work.flow(cell), true);
        if after != word {
            changes.push((cell, Voxel::from_raw(after)));
            changed.insert(cell);
        }
    }
    if changed.any() {
        tick.scratch.record_mut(tick.store, layer).save(tick.store, layer, changed);
        tick.store.write_marks(layer.slot, |cells| {
            changes.iter().for_each(|&(cell, voxel)| cells[layer.y * LAYER_CELLS + cell] = voxel);
        });
    }
}

/// Adds the cells of a layer whose HasSource flag is stale to `deferred`. This is needed only if
/// parents have changed since the last tick, because every tick ends with correct flags.
fn note_stale(tick: &Tick, layer: LayerId, cells: LayerMask, deferred: &mut Deferred) {
    let cells = cells & (tick.store.connected(layer) - tick.store.springs(layer));
    if cells.is_sparse() {
        let places = cells.iter().map(|cell| Place::in_layer(layer, cell));
        return deferred.stale.extend(places.filter(|&place| is_stale(tick, place)));
    }
    let parents = tick.store.parent_planes(layer);
    let stale = cells - LayerMask::union(connected_parents_in(tick, layer, &parents));
    deferred.stale.extend(stale.iter().map(|cell| Place::in_layer(layer, cell)));
}

/// Returns whether the HasSource flag of a cell, which must not be a spring, differs from that of
/// its parents.
pub(super) fn is_stale(tick: &Tick, place: Place) -> bool {
    let voxel = tick.store.read(place);
    voxel.is_connected() != is_fed(tick, place, voxel)
}

/// Returns, for each face, the cells of a layer with a parent across it that is connected to a
/// spring.
pub(super) fn connected_parents_in(
    tick: &Tick,
    layer: LayerId,
    parents: &[LayerMask; 6],
) -> [LayerMask; 6] {
    let connected = |layer| [tick.store.connected(layer)];
    let [beside] = tick.store.beside(layer, LayerMask::ALL, connected(layer), connected, nothing);
    let mut fed = *parents;
    for (parents, face) in fed.iter_mut().zip(Face::ALL) {
        let [over] = match face.side() {
            Some(side) => [beside[side]],
            None => tick.store.vertical(layer, face, connected, nothing),
        };
        *parents &= over;
    }
    fed
}

/// Makes cells of a layer active: see [`activated`]. Returns whether any cell changed.
fn activate_layer(
    cells: &mut [Voxel; LAYER_CELLS],
    flow: &[u16; LAYER_CELLS],
    active: LayerMask,
) -> bool {
    const BIT: [u16; 16] = {
        let mut bits = [0; 16];
        let mut bit = 0;
        while bit < 16 {
            bits[bit] = 1 << bit;
            bit += 1;
        }
        bits
    };
    let mut differ = 0;
    let rows = cells.as_chunks_mut::<16>().0.iter_mut().zip(flow.as_chunks::<16>().0);
    for (row, (cells, flow)) in rows.enumerate() {
        let active = active.row(row);
        if active == 0 {
            continue;
        }
        for ((cell, &flow), bit) in cells.iter_mut().zip(flow).zip(BIT) {
            let word = cell.word();
            let after = activated(word, flow, active & bit != 0);
            differ |= word ^ after;
            *cell = Voxel::from_raw(after);
        }
    }
    differ != 0
}

/// Returns the word of a cell after Ebb: unchanged, or with the most activity if the cell
/// `is_active`. The bottleneck of an active cell with a direction becomes at least the number of
/// units that the cell has passed on, by its flow record `flow`.
#[inline(always)]
pub(super) fn activated(word: u16, flow: u16, is_active: bool) -> u16 {
    let active = if is_active { ACTIVE } else { 0 };
    let largest = word >> LARGEST_SHIFT & HEIGHT;
    let passes = u16::from(is_active && word & HEIGHT << DIRECTION_SHIFT != 0).wrapping_neg();
    let largest = largest.max(flow & HEIGHT & passes);
    (word | active) & !LARGEST | largest << LARGEST_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::scratch::test_worlds;

    #[test]
    fn a_layer_becomes_active_as_its_cells_do() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut unchanged = 0;
        for round in 0..100 {
            // In odd rounds all cells are active already, and few are in the set.
            let (still, few) =
                [(0, u64::MAX), (ACTIVE | LARGEST, 1 << random.u32(..64))][round % 2];
            let before: [Voxel; LAYER_CELLS] =
                core::array::from_fn(|_| Voxel::from_raw(random.u16(..) | still));
            let flow: [u16; LAYER_CELLS] = core::array::from_fn(|_| random.u16(..));
            let cells = LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & few));
            let mut after = before;
            let differ = activate_layer(&mut after, &flow, cells);
            assert_eq!(differ, before != after);
            unchanged += u32::from(!differ);
            for (cell, (&was, &is)) in before.iter().zip(&after).enumerate() {
                let mut expected = was;
                if cells.contains(cell) {
                    expected = expected.with_active(7);
                    if was.direction_code() != 0 {
                        expected = expected.with_largest(was.largest().max((flow[cell] & 7) as u8));
                    }
                }
                assert_eq!(is.word(), expected.word());
            }
        }
        assert!(unchanged > 5, "{unchanged} rounds changed nothing");
    }

    #[test]
    fn a_few_cells_become_active_as_in_a_whole_layer() {
        let mut changes = 0;
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let mut tick = test_worlds::tick(&mut world);
            for layer in slots.into_iter().flat_map(|slot| slot.layers()) {
                let wet: Vec<usize> = tick.store.layer(layer).wet.iter().collect();
                let count = if wet.is_empty() { 0 } else { random.usize(..40) };
                let cells = (0..count).map(|_| wet[random.usize(..wet.len())]).collect();
                let mut work = tick.scratch.record_mut(tick.store, layer);
                (0..LAYER_CELLS).for_each(|cell| work.cell(cell).set_flow(random.u16(..)));
                let flow = work.read().flows();
                let now = |tick: &Tick| -> [Voxel; LAYER_CELLS] {
                    core::array::from_fn(|cell| tick.store.read(Place::in_layer(layer, cell)))
                };
                let mut expected = now(&tick);
                changes += u32::from(activate_layer(&mut expected, &flow, cells));
                activate(&mut tick, layer, cells);
                assert!(now(&tick) == expected, "seed {seed}: {layer:?}");
            }
        }
        assert!(changes > 200, "{changes} layers changed");
    }

    #[test]
    fn stale_flags_are_found_one_by_one_as_in_a_whole_layer() {
        let (mut found, mut layers) = (0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            for place in test_worlds::places(&world) {
                let voxel = world.store.read(place);
                if voxel.is_connected() && !voxel.is_source() && random.u8(..4) == 0 {
                    let faces = world.store.keep_parents(place, 0, voxel);
                    world.store.write(place, faces.with(CellFlags::HAS_SOURCE, false));
                }
            }
            let slots = world.store.grid().sorted_slots();
            let tick = test_worlds::tick(&mut world);
            for layer in slots.into_iter().flat_map(|slot| slot.layers()) {
                let stale = |cells: LayerMask| {
                    let mut deferred = Deferred::default();
                    note_stale(&tick, layer, cells, &mut deferred);
                    deferred.stale
                };
                let alone = |cell: usize| stale(LayerMask::single(cell));
                let one_by_one: Vec<Place> = (0..LAYER_CELLS).flat_map(alone).collect();
                assert_eq!(stale(LayerMask::ALL), one_by_one, "seed {seed}: {layer:?}");
                found += one_by_one.len();
                layers += usize::from(one_by_one.len() > 1);
            }
        }
        assert!(
            found > 200 && layers > 20,
            "{found} stale flags, several of them in {layers} layers"
        );
    }
}
