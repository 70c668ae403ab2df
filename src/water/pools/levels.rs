//! The levels of a piece: its highest surface and the lowest place that takes water, by bit masks.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::FULL;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::context::layer_record::passed;
use crate::water::pools::bodies::{Extreme, Levels};
use crate::water::pools::pieces::Pieces;
use crate::water::store::{LayerState, Place, head};
use crate::water::voxel::Voxel;
use core::cell::OnceCell;

/// A layer of a chunk with what lies at it.
pub(crate) struct Surroundings {
    slot: Slot,
    layer: usize,
    y: i32,
    full: LayerMask,
    /// The springs, whether they can give or not.
    pub(crate) springs: LayerMask,
    /// The cells with water above.
    covered: LayerMask,
    /// The cells below an open and dry one.
    open_above: LayerMask,
    /// For each lateral face, the cells with a gap across it: an open cell, not full and of no
    /// piece.
    gaps: [LayerMask; 4],
    /// The cells that take no water in this tick, as they have moved in it.
    moving: LayerMask,
    /// The bits of the heights, once they are asked for.
    planes: OnceCell<[LayerMask; 3]>,
    /// The cells that springs fill, and those over which springs fill the cell above.
    supplied: [LayerMask; 2],
}

/// The lowest level at which cells take water, and these cells, by where the water goes.
#[derive(Clone, Copy)]
pub(crate) struct Lowest {
    pub(crate) level: i64,
    /// For each lateral face, the cells with a gap across it.
    beside: [LayerMask; 4],
    own: LayerMask,
    above: LayerMask,
    /// The cells at the sea, which takes what is pressed into it.
    sea: LayerMask,
}

impl Lowest {
    /// Returns the cells.
    pub(crate) fn cells(&self) -> LayerMask {
        LayerMask::union(self.beside) | self.own | self.above | self.sea
    }

    /// Returns this without some of the cells, except those that water goes into.
    pub(crate) fn without(mut self, cells: LayerMask) -> Self {
        self.beside.iter_mut().for_each(|beside| *beside -= cells);
        self.above -= cells;
        self.sea -= cells;
        self
    }

    /// Returns whether the water goes into the sea, across a face of its own.
    pub(crate) fn is_sea(&self, cell: usize) -> bool {
        self.sea.contains(cell)
    }

    /// Returns the face across which the water of a cell goes, `None` if it goes into the cell. Of
    /// several, `random` decides. Not for water that goes into the sea.
    pub(crate) fn face_at(&self, cell: usize, random: u64) -> Option<Face> {
        if self.own.contains(cell) {
            return None;
        }
        let lateral = (0..4).map(|face| (face + random as usize) & 3);
        let gap = lateral.into_iter().find(|&face| self.beside[face].contains(cell));
        Some(gap.map_or(Face::Up, |face| Face::LATERAL[face]))
    }
}

impl Context<'_> {
    /// Returns the y of a layer of a chunk.
    pub(crate) fn y_of(&self, slot: Slot, layer: usize) -> i32 {
        self.store.grid().position_at(slot).y * 16 + layer as i32
    }

    /// Returns the cells of a layer of which pieces consist: springs that can give, and water over
    /// closed cells. Other water falls.
    pub(crate) fn supported(&self, slot: Slot, layer: usize) -> LayerMask {
        let wet = self.store.layer(slot, layer).wet;
        if wet.is_empty() {
            return wet;
        }
        let springs = self.store.springs(slot, layer);
        let supported = wet & (self.firm(slot, layer) | springs);
        if self.limits.supply == 0 { supported - springs } else { supported }
    }

    /// Returns the cells of a layer that are full of water.
    pub(crate) fn full(&self, slot: Slot, layer: usize) -> LayerMask {
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        wet & closed
    }

    /// Returns the cells of a layer that matter to no level: those full of water with water above
    /// them. Springs may give, and the sea at a cell may give and take.
    pub(crate) fn inner(&self, slot: Slot, layer: usize) -> LayerMask {
        let Some(above) = self.store.upper_layer(slot, layer) else { return LayerMask::NONE };
        let covered = self.store.layer(above.0, above.1).wet;
        let giving = self.store.springs(slot, layer) | self.store.coast_in(slot, layer);
        (self.full(slot, layer) & covered) - giving
    }

    /// Returns the cells of a layer that can pass on nothing more in this tick.
    pub(crate) fn spent(&self, slot: Slot, layer: usize) -> LayerMask {
        let Some(work) = self.work.get(slot, layer) else { return LayerMask::NONE };
        let springs = self.store.springs(slot, layer);
        let is_spent = |&cell: &usize| {
            let voxel = self.store.read(Place::in_layer(slot, layer, cell));
            self.limits.left(voxel, work.passed(cell)) == 0
        };
        if work.touched.is_sparse() {
            return work.touched.iter().filter(is_spent).collect();
        }
        let throughput = self.limits.throughput;
        let spent = LayerMask::select(&work.flows(), |flow| passed(flow) >= throughput);
        let spent_springs: LayerMask = (work.touched & springs).iter().filter(is_spent).collect();
        (work.touched & spent) | spent_springs
    }

    /// Returns the cells of a layer that are open, not full and of no piece.
    fn gaps(&self, pieces: &Pieces, slot: Slot, layer: usize) -> LayerMask {
        let supported =
            pieces.supported(slot, layer).unwrap_or_else(|| self.supported(slot, layer));
        !(self.store.layer(slot, layer).closed | supported) - self.store.drains(slot, layer)
    }

    /// Returns a layer with what lies at it. `pieces` must know its supported cells.
    pub(crate) fn surroundings(&self, pieces: &Pieces, slot: Slot, layer: usize) -> Surroundings {
        let (mut covered, mut open_above) = (LayerMask::NONE, LayerMask::NONE);
        if let Some((slot, layer)) = self.store.upper_layer(slot, layer) {
            let LayerState { wet, closed } = self.store.layer(slot, layer);
            covered = wet;
            open_above = !(wet | closed) - self.store.drains(slot, layer);
        }
        let beside = Face::LATERAL.map(|face| self.store.neighbour(slot, face)).map(|there| {
            if there.is_some() { self.gaps(pieces, there, layer) } else { LayerMask::NONE }
        });
        Surroundings {
            slot,
            layer,
            y: self.y_of(slot, layer),
            full: self.full(slot, layer),
            springs: self.store.springs(slot, layer),
            covered,
            open_above,
            gaps: self.gaps(pieces, slot, layer).shifted(&beside),
            moving: pieces.moving(slot, layer),
            planes: OnceCell::new(),
            supplied: [LayerMask::NONE; 2],
        }
    }

    /// Returns the levels of a piece.
    pub(crate) fn levels(&self, at: &Surroundings, cells: LayerMask) -> Levels {
        let extreme = |found: Option<(i64, LayerMask)>| {
            found.map_or_else(Extreme::default, |(level, cells)| Extreme {
                level,
                cells: cells.count(),
            })
        };
        let sea = cells & self.store.coast_in(at.slot, at.layer);
        let all = at.springs & cells;
        let given = all | sea;
        let free = if given.any() { given - self.spent(at.slot, at.layer) } else { given };
        let springs = match self.store.sea_levels(at.slot, at.layer, sea & free) {
            // No spring beside it lifts water higher.
            Some(levels) => Some(levels.high),
            None => (all & free).any().then(|| (head(at.y, 0), all & free)),
        };
        let moved = cells & at.moving;
        let would_take = (LayerMask::union(at.gaps) & (moved - at.covered))
            | (moved & at.open_above)
            | (moved - at.full);
        Levels {
            high: extreme(self.highest(at, cells)),
            low: extreme(self.lowest(at, cells).map(|lowest| (lowest.level, lowest.cells()))),
            springs: extreme(springs),
            is_stirred: free != given || would_take.any(),
        }
    }

    /// Returns the highest surface among cells, springs left out, and the cells that have it.
    pub(crate) fn highest(&self, at: &Surroundings, cells: LayerMask) -> Option<(i64, LayerMask)> {
        let cells = cells - at.springs;
        let tops = (cells & at.full) - at.covered;
        if tops.any() {
            return Some((head(at.y, FULL), tops));
        }
        let partial = cells - at.full;
        partial.any().then(|| self.extreme(at, partial, true))
    }

    /// Returns the lowest level at which cells take water.
    ///
    /// A cell that is not full takes it itself. Where it has no water above it, a gap beside it
    /// does; where it has, the gap is fed by the flow alone, so that falls do not push water out of
    /// their sides. Over a full cell, an open one does. Where no cell takes any, the sea does.
    pub(crate) fn lowest(&self, at: &Surroundings, cells: LayerMask) -> Option<Lowest> {
        let none = LayerMask::NONE;
        let mut lowest =
            Lowest { level: head(at.y, 0), beside: [none; 4], own: none, above: none, sea: none };
        let [filled, lifted] = at.supplied.map(|supplied| cells - (at.moving | supplied));
        lowest.beside = at.gaps.map(|gaps| gaps & (filled - at.covered));
        if LayerMask::union(lowest.beside).any() {
            return Some(lowest);
        }
        let partial = filled - at.full;
        if partial.any() {
            (lowest.level, lowest.own) = self.extreme(at, partial, false);
            return Some(lowest);
        }
        lowest.level = head(at.y, FULL);
        lowest.above = lifted & at.full & at.open_above;
        if lowest.above.any() {
            return Some(lowest);
        }
        (lowest.level, lowest.sea) = self.store.sea_levels(at.slot, at.layer, cells)?.low;
        Some(lowest)
    }

    /// Returns the lowest level at which cells take water, but for those on solid ground that a
    /// spring within reach feeds: they draw from it, so that rivers keep their lanes. Over deeper
    /// water all take, so that a pool is level while it is fed. Which they are is not part of what
    /// is kept of a piece, since it depends on the parents of its cells, however far up. Returns
    /// `None` if the budget is spent before that is known.
    pub(crate) fn lowest_unsupplied(
        &mut self,
        at: &mut Surroundings,
        cells: LayerMask,
        budget: &mut Budget,
    ) -> Option<Option<Lowest>> {
        let takers = cells & (!at.full | at.open_above | LayerMask::union(at.gaps));
        let takers = match self.store.lower_layer(at.slot, at.layer) {
            Some((slot, layer)) => takers - self.store.layer(slot, layer).wet,
            None => takers,
        };
        at.supplied = self.supplied(at.slot, at.layer, takers, budget)?;
        Some(self.lowest(at, cells))
    }

    /// Returns the greatest or least height among cells of a layer, as a level, and the cells that
    /// have it.
    fn extreme(&self, at: &Surroundings, mut cells: LayerMask, greatest: bool) -> (i64, LayerMask) {
        let Some(voxels) = self.store.cells(at.slot, at.layer) else {
            return (head(at.y, self.store.grid().chunk_at(at.slot).get(0).height()), cells);
        };
        let mut height = 0;
        if cells.is_sparse() {
            let mut found = LayerMask::NONE;
            for cell in cells.iter() {
                let of_cell = voxels[cell].height();
                if found.is_empty() || of_cell != height && (of_cell > height) == greatest {
                    (height, found) = (of_cell, LayerMask::NONE);
                }
                if of_cell == height {
                    found.insert(cell);
                }
            }
            return (head(at.y, height), found);
        }
        let planes = *at.planes.get_or_init(|| LayerMask::planes(voxels, Voxel::height));
        for (bit, plane) in planes.into_iter().enumerate().rev() {
            let (with, without) = (cells & plane, cells - plane);
            let is_set = if greatest { with.any() } else { without.is_empty() };
            cells = if is_set { with } else { without };
            height |= u8::from(is_set) << bit;
        }
        (head(at.y, height), cells)
    }
}
