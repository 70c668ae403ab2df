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

/// The cells a clearance away from the faces of their chunk: what lies around them is in the chunk.
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
        let (slot, layer, cell) = (place.slot, place.layer(), LayerMask::single(place.cell()));
        let mut near = (around(cell) - cell) & self.layer(slot, layer).wet;
        if near.is_empty() && !INNER.contains(place.cell()) {
            self.around_in_others(slot, cell, |there, cells| {
                near |= cells & self.layer(there, layer).wet;
            });
        }
        near.is_empty()
    }

    /// Calls `visit` with each loaded chunk beside one, and the cells of its layer within a
    /// clearance of `cells`, cells of the same layer of the one.
    pub(crate) fn around_in_others(
        &self,
        slot: Slot,
        cells: LayerMask,
        mut visit: impl FnMut(Slot, LayerMask),
    ) {
        let (mut near, mut beside) = (cells, [LayerMask::NONE; 4]);
        let mut corners = [[LayerMask::NONE; 2]; 2];
        for _ in 0..CLEARANCE {
            for (corners, beside) in corners.iter_mut().zip(beside) {
                let [_, _, north, south] = beside.leaving();
                for (corner, entering) in corners.iter_mut().zip([north, south]) {
                    *corner |= corner.spread() | entering;
                }
            }
            for (beside, entering) in beside.iter_mut().zip(near.leaving()) {
                *beside |= beside.spread() | entering;
            }
            near |= near.spread();
        }
        for (face, cells) in Face::LATERAL.into_iter().zip(beside) {
            let there = self.neighbour(slot, face);
            if cells.any() && there.is_some() {
                visit(there, cells);
            }
        }
        for (along_x, corners) in [Face::West, Face::East].into_iter().zip(corners) {
            for (along_z, cells) in [Face::North, Face::South].into_iter().zip(corners) {
                let there = self.diagonal(slot, along_x, along_z);
                if cells.any() && there.is_some() {
                    visit(there, cells);
                }
            }
        }
    }

    /// Returns the chunk across an edge of a chunk; [`Slot::NONE`] if it is not loaded, or neither
    /// of the two between them is.
    fn diagonal(&self, slot: Slot, one: Face, other: Face) -> Slot {
        for (first, second) in [(one, other), (other, one)] {
            let between = self.neighbour(slot, first);
            if between.is_some() {
                return self.neighbour(between, second);
            }
        }
        Slot::NONE
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
        let mut others = Vec::new();
        self.around_in_others(slot, LayerMask::single(place.cell()), |there, cells| {
            let steady = cells & self.steady(there, layer);
            others.extend(steady.iter().map(|cell| Place::in_layer(there, layer, cell)));
        });
        others.into_iter().for_each(|place| self.unsettle(place));
        let below = self.step(place, Face::Down);
        if below.is_some() {
            self.unsettle(below);
            self.unsettle(self.step(below, Face::Down));
        }
    }

    /// Wakes the steady cells of the chunks beside one that is loaded or removed.
    pub(super) fn unsettle_beside(&mut self, slot: Slot) {
        if !self.has_steady() {
            return;
        }
        let mut steady = Vec::new();
        self.around_in_others(slot, LayerMask::ALL, |there, _| {
            let cells = self.steady_at(there).into_iter().flat_map(CellMask::iter);
            steady.extend(cells.map(|index| Place::new(there, index)));
        });
        steady.into_iter().for_each(|place| self.unsettle(place));
    }
}
