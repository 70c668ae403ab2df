//! The sea: where it is, its coast, which is the set of cells that it can fill, and how high it
//! stands.
//!
//! Sea is stored in chunks as ground is, so a chunk of sea alone is stored as one value. Sea is
//! never awake. The open cells beside and below it, the coast, act for it. In the flow, an awake
//! cell of the coast takes what it lacks; a cell of the coast that also lies on the sea becomes sea
//! when the tick ends. In a body of water, a cell of the coast gives like a spring and takes like a
//! gap, at the level of the top of that sea. A cell of the coast that sleeps is full.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{Cube, Face, Shape};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::rules::Edge;
use crate::water::store::changed::dirty_layers::{note_floor, note_levels};
use crate::water::store::faces::nothing;
use crate::water::store::neighbours::is_parted;
use crate::water::store::{Place, Store, boxed, head};
use crate::water::voxel::Voxel;

/// The faces across which the sea fills a cell.
const FROM: [Face; 5] = [Face::West, Face::East, Face::North, Face::South, Face::Up];

/// The levels of the sea at the cells of a layer that it presses on.
#[derive(Clone, Copy)]
pub(crate) struct SeaLevels {
    /// The highest level, and the cells with that level.
    pub(crate) high: (i64, LayerMask),
    /// The lowest level, and the cells with that level.
    pub(crate) low: (i64, LayerMask),
}

impl Store {
    /// Returns the sea of a layer.
    #[inline]
    pub(crate) fn sea(&self, layer: LayerId) -> LayerMask {
        match &self.caches[layer.slot.index()].masks {
            Some(masks) => masks.sea.as_ref().map_or(LayerMask::NONE, |sea| sea.layer(layer.y)),
            None => LayerMask::all_if(self.grid.chunk_at(layer.slot).get(0).is_sea()),
        }
    }

    /// Returns whether a chunk holds any sea.
    #[inline]
    pub(crate) fn has_sea(&self, slot: Slot) -> bool {
        match &self.caches[slot.index()].masks {
            Some(masks) => masks.sea.is_some(),
            None => self.grid.chunk_at(slot).get(0).is_sea(),
        }
    }

    /// Returns the cells of a layer that lie on the sea.
    pub(crate) fn on_sea(&self, layer: LayerId) -> LayerMask {
        let [sea] = self.vertical(layer, Face::Down, |below| [self.sea(below)], nothing);
        sea
    }

    /// Returns the cells of a chunk with sea beside or above them, except the sea itself, if there
    /// are any. Ground and marks are among them.
    #[inline]
    pub(crate) fn coast(&self, slot: Slot) -> Option<&CellMask> {
        self.caches[slot.index()].coast.as_deref()
    }

    /// Returns the coast of a layer.
    #[inline]
    pub(crate) fn coast_in(&self, layer: LayerId) -> LayerMask {
        self.coast(layer.slot).map_or(LayerMask::NONE, |coast| coast.layer(layer.y))
    }

    /// Returns whether a loaded cell has sea beside or above it, and is not sea itself.
    #[inline]
    pub(crate) fn is_coast(&self, Place { slot, index }: Place) -> bool {
        self.coast(slot).is_some_and(|coast| coast.contains(index))
    }

    /// Recomputes a chunk's coast after a change of its sea or at its faces.
    pub(crate) fn refresh_coast(&mut self, slot: Slot) {
        if self.coast(slot).is_none() && !self.may_have_coast(slot) {
            return;
        }
        self.caches[slot.index()].coast = boxed(self.coast_of(slot));
    }

    pub(crate) fn coast_of(&self, slot: Slot) -> CellMask {
        let mut coast = CellMask::EMPTY;
        if !self.may_have_coast(slot) {
            return coast;
        }
        for layer in 0..16 {
            let at = LayerId::new(slot, layer);
            let sea = |layer| [self.sea(layer)];
            let beyond = |face| [LayerMask::all_if(self.beyond(slot, face, layer).is_sea())];
            let [beside] = self.beside(at, LayerMask::ALL, sea(at), sea, beyond);
            let [above] = self.vertical(at, Face::Up, sea, nothing);
            coast.set_layer(layer, (LayerMask::union(beside) | above) - self.sea(at));
        }
        coast
    }

    /// Returns whether a chunk can have a coast: a quick test, since most chunks have none.
    fn may_have_coast(&self, slot: Slot) -> bool {
        if self.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_sea) {
            return false;
        }
        let comes_in = |face: Face| match self.neighbour(slot, face) {
            // If any layer of the missing chunk counts as sea, its lowest layer does.
            Slot::NONE => self.beyond(slot, face, 0).is_sea(),
            there => self.has_sea(there),
        };
        self.has_sea(slot) || FROM.into_iter().any(comes_in)
    }

    /// Notes that a cell became sea or ceased to be sea: updates the coasts, wakes the cells that
    /// the sea above or below it now presses on, and notifies the pools.
    pub(crate) fn note_sea(&mut self, place: Place) {
        self.refresh_coast_at(place);
        for face in [Face::West, Face::East, Face::North, Face::South, Face::Down] {
            self.refresh_coast_at(self.step(place, face));
        }
        self.note_pressure(place);
        let mut below = self.step(place, Face::Down);
        while below.is_some() && self.read(below).is_sea() {
            self.note_pressure(below);
            below = self.step(below, Face::Down);
        }
        self.note_pressure_at(below);
        note_floor(self, place);
    }

    /// Adds a cell to its chunk's coast, or removes it.
    fn refresh_coast_at(&mut self, place: Place) {
        if !place.is_some() {
            return;
        }
        let presses = || FROM.into_iter().any(|face| self.look(place, face).is_sea());
        let is_coast = !self.read(place).is_sea() && presses();
        if is_coast == self.is_coast(place) {
            return;
        }
        let beside = &mut self.caches[place.slot.index()];
        let mut coast = beside.coast.take().map_or(CellMask::EMPTY, |coast| *coast);
        coast.set(place.index, is_coast);
        beside.coast = boxed(coast);
    }

    /// Wakes the cells beside a cell of sea whose level may have changed, and all cells that they
    /// feed.
    fn note_pressure(&mut self, place: Place) {
        for face in Face::LATERAL {
            self.note_pressure_at(self.step(place, face));
        }
    }

    fn note_pressure_at(&mut self, place: Place) {
        if place.is_some() && !self.read(place).is_mark() {
            self.wake(place);
            if self.children_of(place) != 0 {
                self.wake_descendants(place);
            }
            note_levels(self, place.layer_id());
        }
    }

    /// Wakes the cells that the sea below a chunk presses on, if the sea continues in the chunk or,
    /// without the chunk, at the level of an edge. The level of the sea below rises or falls when
    /// the chunk comes or goes.
    pub(crate) fn wake_depths(&mut self, slot: Slot) {
        let edge = self.edge_of_column(self.grid.position_at(slot));
        if !self.has_sea(slot) && !matches!(edge, Edge::Level(_)) {
            return;
        }
        let mut below = self.neighbour(slot, Face::Down);
        while below.is_some() && self.has_sea(below) {
            for face in Face::LATERAL {
                self.wake_coast(self.neighbour(below, face));
            }
            self.wake_coast(below);
            below = self.neighbour(below, Face::Down);
        }
        self.wake_coast(below);
    }

    /// Wakes the open cells of a chunk's coast, if the chunk is loaded, and makes the pools read
    /// them again.
    pub(crate) fn wake_coast(&mut self, slot: Slot) {
        if !slot.is_some() || self.coast(slot).is_none() {
            return;
        }
        for layer in 0..16 {
            let cells = self.coast_in(LayerId::new(slot, layer));
            for cell in cells.iter() {
                self.note_pressure_at(Place::in_layer(LayerId::new(slot, layer), cell));
            }
        }
    }

    /// Returns the levels of the sea that fills these cells of a layer, if any does.
    pub(crate) fn sea_levels(&self, layer: LayerId, cells: LayerMask) -> Option<SeaLevels> {
        let mut levels: Option<SeaLevels> = None;
        for cell in (cells & self.coast_in(layer)).iter() {
            let place = Place::in_layer(layer, cell);
            let here = FROM.into_iter().filter_map(|face| self.sea_level_across(place, face));
            for level in here {
                let at = LayerMask::single(cell);
                let levels =
                    levels.get_or_insert(SeaLevels { high: (level, at), low: (level, at) });
                levels.high = merged(levels.high, (level, at), level > levels.high.0);
                levels.low = merged(levels.low, (level, at), level < levels.low.0);
            }
        }
        levels
    }

    /// Returns the level of the sea across a face of a cell; `None` if there is no sea.
    pub(crate) fn sea_level_across(&self, place: Place, face: Face) -> Option<i64> {
        let there = self.step(place, face);
        if there.is_some() {
            return self.read(there).is_sea().then(|| self.sea_level(there));
        }
        let is_sea = self.beyond(place.slot, face, place.layer()).is_sea();
        match self.edge_beyond(place.slot, face) {
            Edge::Level(y) if is_sea => Some(head(y, FULL)),
            _ => None,
        }
    }

    /// Returns the level of the sea at a cell of it: the top of the sea straight above, or the
    /// level of the edge beyond which it continues.
    fn sea_level(&self, mut place: Place) -> i64 {
        loop {
            if self.grid.chunk_at(place.slot).as_uniform().is_some() {
                place.index |= 15 * LAYER_CELLS;
            }
            let cell = self.position(place);
            let above = self.step(place, Face::Up);
            if above.is_some() && self.bounds.contains(cell) {
                if self.read(above).is_sea() {
                    place = above;
                    continue;
                }
                return head(cell.y, FULL);
            }
            let edge = match self.face_beyond(cell) {
                Some(face) => self.edges.outer[face.index()],
                None if place.layer() == 15 && !is_parted(self, place.slot, Face::Up) => {
                    self.edge_of_column(Cube::chunk_of(cell))
                }
                None => Edge::Held,
            };
            return match edge {
                Edge::Level(y) => head(y.max(cell.y), FULL),
                _ => head(cell.y, FULL),
            };
        }
    }
}

/// Returns the better of two levels with the cells at it; if the levels are equal, with all cells
/// of both.
fn merged(before: (i64, LayerMask), now: (i64, LayerMask), is_better: bool) -> (i64, LayerMask) {
    match is_better {
        true => now,
        false if now.0 == before.0 => (before.0, before.1 | now.1),
        false => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use crate::water::store::chunks;

    /// A past bug: the level of a sea stored as one value was the chunk's top, except in its
    /// topmost layer.
    #[test]
    fn the_level_of_the_sea_does_not_depend_on_how_a_chunk_is_stored() {
        let edges = Edges { unloaded: Edge::Level(20), ..Edges::WALLS };
        let mut store = Store::new(Region::EVERYWHERE, edges);
        let mut with_a_hole = Chunk::uniform(Voxel::SEA);
        with_a_hole.set(0, Voxel::OPEN);
        let seas = [Chunk::uniform(Voxel::SEA), with_a_hole];
        for (x, sea) in [0, 4].into_iter().zip(seas) {
            assert!(chunks::insert(&mut store, ChunkPos::new(x, 0, 0), sea).is_some());
            let beside =
                chunks::insert(&mut store, ChunkPos::new(x + 1, 0, 0), Chunk::uniform(Voxel::OPEN));
            let slot = beside.expect("none is there");
            for layer in 0..16 {
                let place = Place::in_layer(LayerId::new(slot, layer), 5 * 16);
                let level = store.sea_level_across(place, Face::West);
                assert_eq!(level, Some(head(20, FULL)), "at x = {x}, layer {layer}");
            }
        }
    }
}
