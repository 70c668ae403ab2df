//! The ends of steady falls. The cells of a run of steady cells pass on a full cell of water each
//! without a visit; only at the ends does that concern others. Seen from above, a steady cell has
//! passed its water on already, and is dry.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::{FULL, HEIGHT};
use crate::water::context::Context;
use crate::water::flow::window::{Window, window_index};
use crate::water::store::Place;
use crate::water::voxel::Voxel;

impl Context<'_> {
    /// Lets water fall from the steady cells above a layer whose cells have all had their turn. A
    /// steady cell above one without room for all of it wakes, and has its turn in this tick.
    pub(super) fn fall_from_steady(&mut self, slot: Slot, layer: usize) {
        let Some((above, upper)) = self.store.upper_layer(slot, layer) else { return };
        let ends = self.store.steady(above, upper) - self.store.steady(slot, layer);
        for cell in ends.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            if voxel.is_mark() || voxel.room() < FULL {
                self.work.join(self.store, above, upper);
                let end = Place::in_layer(above, upper, cell);
                self.store.unsettle(end);
                self.store.forget_roused(end);
                continue;
            }
            let work = self.work.join(self.store, slot, layer);
            work.save_cell(self.store, slot, layer, cell);
            work.enter_cell(Face::Up, cell);
            work.touched.insert(cell);
            self.store.write(place, voxel.with_height(FULL));
            self.wake_cell(place);
        }
    }

    /// Returns the steady cells below a layer.
    pub(super) fn steady_below(&self, slot: Slot, layer: usize) -> LayerMask {
        let lower = self.store.lower_layer(slot, layer);
        lower.map_or(LayerMask::NONE, |(slot, layer)| self.store.steady(slot, layer))
    }

    /// Returns the voxel below a cell, as water that falls finds it.
    pub(super) fn floor(&self, place: Place) -> Voxel {
        let (below, voxel) =
            (self.store.step(place, Face::Down), self.store.look(place, Face::Down));
        if below.is_some() && self.store.is_steady(below) { voxel.with_height(0) } else { voxel }
    }

    /// Handles water that falls on steady cells of a layer. Returns the other cells it falls on: a
    /// steady cell that receives what it has passed on stays as it is, another wakes.
    pub(super) fn fall_on_steady(
        &mut self,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
        voxel: &impl Fn(usize, Voxel) -> Voxel,
    ) -> LayerMask {
        let mut others = cells;
        for cell in (cells & self.store.steady(slot, layer)).iter() {
            let place = Place::in_layer(slot, layer, cell);
            let given = self.store.read(place).with_height(0);
            if voxel(cell, given).height() == FULL {
                others.remove(cell);
            } else {
                self.rouse_before_inflow(place);
                self.put(place, given);
            }
        }
        others
    }
}

impl Window {
    /// Shows steady cells of the layer below as dry.
    pub(super) fn empty_below(&mut self, cells: LayerMask) {
        cells.iter().for_each(|cell| self.below[window_index(cell)] &= !HEIGHT);
    }
}
