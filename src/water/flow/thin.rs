//! Writes the result of the kernel back cell by cell, for a layer in which few cells flow.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::flow::kernel::LayerFlow;
use crate::water::flow::window::Window;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::Place;
use crate::water::voxel::Voxel;

/// Writes the result of the kernel back into the world and wakes the cells that can now move. There
/// must be no runs.
pub(super) fn apply_thin(tick: &mut Tick, window: &Window, layer: LayerId, done: &LayerFlow) {
    for cell in (done.changed | done.sprang).iter() {
        let place = Place::in_layer(layer, cell);
        let (before, now) = (tick.store.read(place), window.at(cell));
        let mut work = tick.scratch.record_mut(tick.store, layer);
        let mut record = work.cell_to_change(tick.store, place);
        if done.changed.contains(cell) {
            record.save(before);
        }
        record.mark(Mark::Touched);
        record.set_flow(window.flow[cell]);
        if done.fallen.contains(cell) {
            record.mark(Mark::Fallen);
        }
        for (entered, face) in done.entered.iter().zip(Face::LATERAL) {
            if entered.contains(cell) {
                record.record_inflow(face);
            }
        }
        if now.is_wet() {
            record.mark(Mark::Woken);
            tick.store.wake_at(place);
        }
        if now != before {
            tick.store.write(place, now);
        }
    }
    tick.wake_films_over(layer, done.changed);
    if done.fell.any()
        && let Some(lower) = tick.store.lower_layer(layer)
    {
        for cell in done.fell.iter() {
            receive(tick, Place::in_layer(lower, cell), Face::Up, window.below(cell));
        }
    }
    for (side, face) in Face::LATERAL.into_iter().enumerate() {
        let there = layer.in_chunk(tick.store.neighbour(layer.slot, face));
        if there.slot.is_some() {
            for cell in done.left[side].iter() {
                let place = Place::in_layer(there, cell);
                receive(tick, place, face.opposite(), window.beside(side, cell));
            }
        }
    }
    done.gave.iter().for_each(|cell| wake_givers_of(tick, Place::in_layer(layer, cell)));
}

/// Writes a cell that water entered through a face, and wakes it if it is wet.
pub(super) fn receive(tick: &mut Tick, place: Place, face: Face, voxel: Voxel) {
    let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
    let mut record = work.cell_to_change(tick.store, place);
    record.save(tick.store.read(place));
    record.record_inflow(face);
    record.mark(Mark::Touched);
    // The kernel also lists cells that received nothing.
    if voxel.is_wet() {
        record.mark(Mark::Woken);
        tick.store.wake_at(place);
    }
    tick.store.write(place, voxel);
    tick.wake_films_over(place.layer_id(), LayerMask::single(place.cell()));
}

/// Wakes the cells that may now flow into a cell that gave: see [`Tick::wake_givers`].
fn wake_givers_of(tick: &mut Tick, place: Place) {
    wake_above(tick, place);
    let voxel = tick.store.read(place);
    if !voxel.is_wet() && voxel.is_connected() {
        let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
        work.cell(place.cell()).mark(Mark::Woken);
        tick.store.wake_at(place);
    }
    let below = tick.store.step(place, Face::Down);
    if below.is_some() {
        let lower = tick.store.read(below);
        let may_rise = !tick.rules.pools && lower.is_connected();
        if lower.is_closed() && (may_rise || !voxel.is_wet()) {
            wake_if_wet(tick, below);
        }
    }
}

/// Wakes the water beside a cell that gave, and the water above it that may flow into it.
pub(super) fn wake_above(tick: &mut Tick, place: Place) {
    wake_sides(tick, place);
    let above = tick.store.step(place, Face::Up);
    if above.is_some() {
        wake_if_wet(tick, above);
        wake_sides(tick, above);
        if tick.store.read(above).is_full() {
            wake_if_wet(tick, tick.store.step(above, Face::Up));
        }
    }
}

/// Wakes the water beside a cell.
#[inline]
fn wake_sides(tick: &mut Tick, place: Place) {
    let (cell, wet) = (place.cell(), tick.store.layer(place.layer_id()).wet);
    if is_at_border(cell) || wet.has_beside(cell) {
        for face in Face::LATERAL {
            wake_if_wet(tick, tick.store.step(place, face));
        }
    }
}

/// Returns whether a cell of a layer has a neighbour in another chunk.
#[inline]
fn is_at_border(cell: usize) -> bool {
    let is_end = |at: usize| at == 0 || at == 15;
    is_end(cell & 15) || is_end(cell >> 4)
}

/// Wakes a cell if it is loaded and holds water.
#[inline]
fn wake_if_wet(tick: &mut Tick, place: Place) {
    if !place.is_some() || !tick.store.read(place).is_wet() {
        return;
    }
    let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
    work.cell(place.cell()).mark(Mark::Woken);
    tick.store.wake_at(place);
}
