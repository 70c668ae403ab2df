//! Runs: the cells of steady falls, which a tick does not visit.
//!
//! A cell of a steady fall passes on seven units downwards in each tick and gets seven from above,
//! so its word does not change and a tick need not visit it. Such cells are *in a run*. They are
//! awake, but not in the mask of awake cells; every query outside a tick reports them as awake.
//! Only the lowest cell of a run has its bit in the mask, so that its layer is visited and the cell
//! below it refilled.
//!
//! The set of cells in runs is not part of the state, and changes no byte: a cell leaves its run
//! before it or a neighbour changes, and then has the word that it would have without runs.
//! [`flow`](crate::water::flow) has the rules within a tick.

use crate::chunk::{CellMask, LayerMask};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::store::{Place, Store};
use smallvec::SmallVec;

/// The runs in a chunk.
#[derive(Default)]
pub(in crate::water::store) struct Runs {
    /// The cells in runs.
    cells: CellMask,
    /// The earlier cells in runs, if cells have entered or left runs since the flow of the last
    /// complete tick. Most runs are steady, and a tick neither reads nor writes them.
    history: Option<Box<History>>,
}

/// The cells of a chunk that were in runs before.
struct History {
    /// Cells that have left runs in the tick underway.
    left: CellMask,
    /// Cells still in runs after the flow of the tick underway.
    passed: CellMask,
    /// Cells still in runs after the flow of the last complete tick.
    passed_last: CellMask,
}

impl Runs {
    /// Returns the cells that were in runs after the flow of the tick underway.
    fn passed(&self) -> &CellMask {
        self.history.as_ref().map_or(&self.cells, |history| &history.passed)
    }

    /// Returns the cells that were in runs after the flow of the last complete tick.
    fn passed_last(&self) -> &CellMask {
        self.history.as_ref().map_or(&self.cells, |history| &history.passed_last)
    }

    /// Keeps the cells of earlier ticks. Must be called before a change of `cells`.
    fn keep(&mut self) -> &mut History {
        self.history.get_or_insert_with(|| {
            let [passed, passed_last] = [(); 2].map(|()| self.cells.clone());
            Box::new(History { left: CellMask::EMPTY, passed, passed_last })
        })
    }

    /// Ends a tick. Returns whether anything is left to be kept.
    fn end_tick(&mut self) -> bool {
        let Some(history) = &mut self.history else { return true };
        core::mem::swap(&mut history.passed, &mut history.passed_last);
        (history.passed, history.left) = (CellMask::EMPTY, CellMask::EMPTY);
        let is_steady = history.passed_last == self.cells;
        if is_steady {
            self.history = None;
        }
        !(is_steady && self.cells.is_empty())
    }
}

impl Store {
    /// Returns whether any chunk may have runs.
    #[inline]
    pub(crate) fn has_runs(&self) -> bool {
        self.has_runs
    }

    #[inline]
    fn runs(&self, slot: Slot) -> Option<&Runs> {
        self.caches[slot.index()].runs.as_deref()
    }

    /// Returns the cells of a layer that are in runs.
    #[inline]
    pub(crate) fn in_runs(&self, layer: LayerId) -> LayerMask {
        self.runs(layer.slot).map_or(LayerMask::NONE, |runs| runs.cells.layer(layer.y))
    }

    /// Returns the highest cells of the runs in a chunk, by layer from the bottom up.
    pub(crate) fn highest_in_runs(&self, slot: Slot) -> SmallVec<[(LayerId, LayerMask); 2]> {
        let Some(runs) = self.runs(slot) else { return SmallVec::new() };
        let upper = self.upper_layer(LayerId::new(slot, 15));
        let above = |y: usize| match y {
            15 => upper.map_or(LayerMask::NONE, |upper| self.in_runs(upper)),
            _ => runs.cells.layer(y + 1),
        };
        let layers = slot.layers().map(|layer| (layer, runs.cells.layer(layer.y) - above(layer.y)));
        layers.filter(|(_, cells)| cells.any()).collect()
    }

    /// Returns whether a cell is in a run.
    #[inline]
    pub(crate) fn is_in_run(&self, place: Place) -> bool {
        place.is_some()
            && self.runs(place.slot).is_some_and(|runs| runs.cells.contains(place.index))
    }

    /// Returns the cells of a layer that were in runs at the end of the flow of the tick underway.
    /// The result is meaningless before then.
    #[inline]
    pub(crate) fn passed_in_runs(&self, layer: LayerId) -> LayerMask {
        self.runs(layer.slot).map_or(LayerMask::NONE, |runs| runs.passed().layer(layer.y))
    }

    /// Returns whether any cell of a chunk was in a run at the end of the flow of the tick
    /// underway.
    #[inline]
    pub(crate) fn has_passed_in_runs(&self, slot: Slot) -> bool {
        self.has_runs && self.runs(slot).is_some_and(|runs| !runs.passed().is_empty())
    }

    /// Returns whether a cell was in a run in the last complete tick.
    pub(crate) fn passed_last_in_run(&self, place: Place) -> bool {
        self.runs(place.slot).is_some_and(|runs| runs.passed_last().contains(place.index))
    }

    /// Returns the layers (by bit) of a chunk with cells that were in runs in the last complete
    /// tick.
    pub(crate) fn layers_of_last_runs(&self, slot: Slot) -> u16 {
        let Some(runs) = self.runs(slot) else { return 0 };
        let layers = (0..16).filter(|&layer| runs.passed_last().layer(layer).any());
        layers.fold(0, |layers, layer| layers | 1 << layer)
    }

    /// Returns whether a chunk is one of those [with runs](Self::slots_with_runs).
    pub(crate) fn has_runs_in(&self, slot: Slot) -> bool {
        self.runs(slot).is_some()
    }

    /// Returns the chunks with runs.
    pub(crate) fn slots_with_runs(&self) -> &[Slot] {
        &self.with_runs
    }

    /// Adds the cells in runs to the awake cells of a chunk; if a tick `is_underway`, the cells
    /// that were in runs when it began.
    pub(crate) fn add_cells_in_runs(&self, slot: Slot, is_underway: bool, awake: &mut CellMask) {
        if let Some(runs) = self.runs(slot) {
            awake.union_with(&runs.cells);
            if let Some(history) = runs.history.as_ref().filter(|_| is_underway) {
                awake.union_with(&history.left);
            }
        }
    }

    /// Returns the number of cells in runs whose bit is not in the mask of awake cells.
    pub(crate) fn cells_asleep_in_runs(&self) -> usize {
        let asleep = |&slot: &Slot| {
            let (Some(runs), awake) = (self.runs(slot), self.grid.awake_at(slot)) else { return 0 };
            let is_asleep = |&index: &usize| !awake.is_some_and(|awake| awake.contains(index));
            runs.cells.iter().filter(is_asleep).count()
        };
        self.with_runs.iter().map(asleep).sum()
    }

    /// Returns whether a cell is awake: in a run or in the mask of awake cells.
    pub(crate) fn is_awake(&self, place: Place) -> bool {
        let awake = self.grid.awake_at(place.slot);
        awake.is_some_and(|awake| awake.contains(place.index)) || self.is_in_run(place)
    }

    /// Puts a cell into a run. Updates its bit and the bit of the cell above it.
    pub(crate) fn enter_run(&mut self, place: Place) {
        #[cfg(test)]
        if self.runs_forbidden {
            return;
        }
        let slot = place.slot;
        let with_runs = &mut self.with_runs;
        let runs = self.caches[slot.index()].runs.get_or_insert_with(|| {
            with_runs.push(slot);
            Box::default()
        });
        runs.keep();
        runs.cells.insert(place.index);
        self.has_runs = true;
        if self.is_in_run(self.step(place, Face::Down)) {
            self.sleep_in_run(place);
        }
        let above = self.step(place, Face::Up);
        if self.is_in_run(above) {
            self.sleep_in_run(above);
        }
    }

    /// Forbids cells to enter runs from now on.
    #[cfg(test)]
    pub(crate) fn forbid_runs(&mut self) {
        self.runs_forbidden = true;
    }

    fn sleep_in_run(&mut self, place: Place) {
        if let Some(awake) = self.grid.awake_at_mut(place.slot) {
            awake.remove(place.index);
        }
    }

    /// Takes a cell out of its run, without waking it. `is_underway` is whether a tick is underway.
    pub(crate) fn take_out_of_run(&mut self, place: Place, is_underway: bool) {
        if let Some(runs) = &mut self.caches[place.slot.index()].runs {
            let history = runs.keep();
            if is_underway {
                history.left.insert(place.index);
            }
            runs.cells.remove(place.index);
        }
    }

    /// Takes a cell out of its run, if it is in one, and wakes it. Also wakes the cell above if
    /// that cell is in a run, since it is now the lowest cell of the run. This is for edits, and
    /// for the end of a tick.
    pub(crate) fn leave_run(&mut self, place: Place) {
        if self.is_in_run(place) {
            self.take_out_of_run(place, self.pending.is_some());
            self.set_awake(place);
            let above = self.step(place, Face::Up);
            if self.is_in_run(above) {
                self.set_awake(above);
            }
        }
    }

    /// Takes a cell and the cells beside it out of their runs.
    pub(in crate::water::store) fn leave_runs_at(&mut self, place: Place) {
        self.leave_run(place);
        Face::LATERAL.into_iter().for_each(|face| self.leave_run(self.step(place, face)));
    }

    /// Takes all cells of a chunk out of their runs.
    pub(crate) fn leave_runs_in(&mut self, slot: Slot) {
        let cells: Vec<usize> = self.runs(slot).iter().flat_map(|runs| runs.cells.iter()).collect();
        cells.into_iter().for_each(|index| self.leave_run(Place::new(slot, index)));
    }

    /// Notes that the flow of a tick is over: the cells of a chunk that are still in runs have
    /// passed on their units. Returns their number.
    pub(crate) fn pass_runs_of(&mut self, slot: Slot) -> usize {
        let Some(runs) = &mut self.caches[slot.index()].runs else { return 0 };
        if let Some(history) = &mut runs.history {
            history.passed.words_mut().copy_from_slice(runs.cells.words());
        }
        runs.cells.len()
    }

    /// Ends a tick for the runs. Frees the runs of chunks in which no cell is left.
    pub(crate) fn end_tick_of_runs(&mut self) {
        let caches = &mut self.caches;
        self.with_runs.retain(|slot| {
            let place = &mut caches[slot.index()].runs;
            let stays = place.as_mut().is_some_and(|runs| runs.end_tick());
            if !stays {
                *place = None;
            }
            stays
        });
        self.has_runs = !self.with_runs.is_empty();
    }

    /// Forgets a chunk that is being removed.
    pub(in crate::water::store) fn forget_runs(&mut self, slot: Slot) {
        if self.caches[slot.index()].runs.is_some() {
            self.with_runs.retain(|&there| there != slot);
        }
    }

    pub(in crate::water::store) fn bytes_of_runs(&self) -> usize {
        let bytes = |runs: &Runs| {
            size_of::<Runs>() + runs.history.as_ref().map_or(0, |_| size_of::<History>())
        };
        let runs = self.with_runs.iter().filter_map(|&slot| self.runs(slot)).map(bytes);
        runs.sum::<usize>() + self.with_runs.capacity() * size_of::<Slot>()
    }
}
