//! Steady cells: those of a fall through which the same water passes in every tick. They sleep,
//! although water flows through them, and are kept in a mask of their own.

use crate::chunk::{CellMask, LayerMask};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::{Place, Store};
use std::collections::BTreeSet;

/// How far apart a steady cell and other water in its layer lie at least: water that is not steady
/// gets no further than this in one tick.
pub(crate) const CLEARANCE: usize = 3;

/// The cells that are a clearance away from the faces of their chunk, so that what lies around them
/// is in the same layer of the same chunk.
const INNER: LayerMask = {
    let mut inner = LayerMask::NONE;
    let mut cell = 0;
    while cell < 256 {
        let (x, z) = (cell % 16, cell / 16);
        let (first, last) = (CLEARANCE, 15 - CLEARANCE);
        if x >= first && x <= last && z >= first && z <= last {
            inner.insert(cell);
        }
        cell += 1;
    }
    inner
};

/// Returns the cells of a layer within a clearance of `cells`, these included.
pub(crate) fn around(cells: LayerMask) -> LayerMask {
    (0..CLEARANCE).fold(cells, |around, _| around | around.spread())
}

impl Store {
    /// Returns whether any cell of the world is steady.
    #[inline]
    pub(crate) fn has_steady(&self) -> bool {
        self.steady_cells > 0
    }

    /// Returns the steady cells of a chunk, if it has any.
    pub(crate) fn steady_at(&self, slot: Slot) -> Option<&CellMask> {
        self.beside[slot.index()].steady.as_deref()
    }

    /// Returns the steady cells of a layer (0 to 15).
    #[inline]
    pub(crate) fn steady(&self, slot: Slot, layer: usize) -> LayerMask {
        self.steady_at(slot).map_or(LayerMask::NONE, |steady| steady.layer(layer))
    }

    /// Returns whether a loaded cell is steady.
    #[inline]
    pub(crate) fn is_steady(&self, Place { slot, index }: Place) -> bool {
        self.steady_at(slot).is_some_and(|steady| steady.contains(index))
    }

    /// Returns whether no other water lies within a clearance of a cell in its layer.
    pub(crate) fn is_clear(&self, place: Place) -> bool {
        let cell = place.cell();
        let around = around(LayerMask::single(cell)) - LayerMask::single(cell);
        INNER.contains(cell) && (around & self.layer(place.slot, place.layer()).wet).is_empty()
    }

    /// Lets an awake cell sleep as a steady one.
    pub(crate) fn settle(&mut self, place: Place) {
        if self.beside[place.slot.index()].steady.get_or_insert_default().insert(place.index) {
            self.steady_cells += 1;
        }
        if let Some(awake) = self.grid.awake_at_mut(place.slot) {
            awake.remove(place.index);
        }
    }

    /// Wakes a cell if it is steady.
    pub(crate) fn unsettle(&mut self, place: Place) {
        if place.is_some() && self.is_steady(place) {
            self.wake_at(place);
        }
    }

    /// Removes a cell from the steady ones, if it is one.
    #[inline]
    pub(super) fn remove_steady(&mut self, place: Place) {
        let Some(steady) = &mut self.beside[place.slot.index()].steady else { return };
        if steady.remove(place.index) {
            self.steady_cells -= 1;
            self.roused.insert(place);
            self.beside[place.slot.index()].steady.take_if(|steady| steady.is_empty());
        }
    }

    /// Returns whether a cell was steady in the last tick and has ceased to be since.
    pub(crate) fn was_roused(&self, place: Place) -> bool {
        self.roused.contains(&place)
    }

    /// Forgets that a cell has ceased to be steady.
    pub(crate) fn forget_roused(&mut self, place: Place) {
        self.roused.remove(&place);
    }

    /// Returns the cells that have ceased to be steady since this was last called.
    pub(crate) fn take_roused(&mut self) -> BTreeSet<Place> {
        core::mem::take(&mut self.roused)
    }

    /// Removes all cells of a chunk from the steady ones.
    pub(super) fn remove_all_steady(&mut self, slot: Slot) {
        if let Some(steady) = self.beside[slot.index()].steady.take() {
            self.steady_cells -= steady.iter().count();
        }
        self.roused.retain(|place| place.slot != slot);
    }

    /// Wakes the steady cells that an edit of a cell may concern: those within a clearance of it,
    /// and those two below it, which rely on what the cell above theirs receives.
    pub(super) fn unsettle_around(&mut self, place: Place) {
        if !self.has_steady() {
            return;
        }
        let (slot, layer) = (place.slot, place.layer());
        let near = around(LayerMask::single(place.cell())) & self.steady(slot, layer);
        near.iter().for_each(|cell| self.unsettle(Place::in_layer(slot, layer, cell)));
        let below = self.step(place, Face::Down);
        if below.is_some() {
            self.unsettle(below);
            self.unsettle(self.step(below, Face::Down));
        }
    }
}
