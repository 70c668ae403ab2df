//! Evaporation: still surface cells lose single units at random. The columns of a chunk that lose
//! in a tick are drawn for the chunk as a whole (see `draws`), so water that sleeps costs nothing
//! between its losses. A priority queue holds when each chunk is due.

use crate::chunk::LayerMask;
use crate::coords::{Cube, Shape};
use crate::grid::{Grid, Slot};
use crate::water::context::Context;
use crate::water::ebb::draws::Draws;
use crate::water::random::{Purpose, chunk_seed, mix};
use crate::water::rules::Rules;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// What may lose a unit: the films first, so that no cell loses two in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A cell of one unit.
    Film,
    /// A deeper cell.
    Surface,
}

/// When a chunk is due, in ticks since the queue was made, for which kind of loss.
type Due = Reverse<(u64, Slot, Kind)>;

/// The columns of a chunk that lose units in this tick.
pub(super) struct Losses {
    slot: Slot,
    kind: Kind,
    columns: LayerMask,
    /// The next layer to visit, from the bottom up.
    layer: usize,
}

/// When which chunks are due. It follows from seed, rules and ticks, and is no part of the state.
pub(crate) struct Evaporation {
    films: Draws,
    surfaces: Draws,
    seed: u64,
    /// Ticks are counted from this one, since those of the world may wrap.
    start: u64,
    /// The tick underway, counted from `start`.
    now: u64,
    /// Every loaded chunk is in it once for each kind, and for a while some that are no more.
    queue: BinaryHeap<Due>,
}

impl Evaporation {
    /// Returns the evaporation of a world without chunks that has done `ticks` ticks.
    pub(crate) fn new(rules: &Rules, seed: u64, ticks: u64) -> Self {
        Evaporation {
            films: Draws::new(rules.film_evaporation),
            surfaces: Draws::new(rules.evaporation),
            seed: mix(seed, Purpose::Evaporation as u64),
            start: ticks,
            now: 0,
            queue: BinaryHeap::new(),
        }
    }

    /// Adds a chunk that was loaded.
    pub(crate) fn enter(&mut self, grid: &Grid<Voxel>, slot: Slot) {
        // Chunks that come and go leave entries. They go when they are due, or here if they are
        // many.
        if self.queue.len() > 8 * grid.chunk_count() + 64 {
            self.queue.clear();
            let slots = grid.sorted_slots();
            slots.into_iter().for_each(|slot| self.push(slot));
        } else {
            self.push(slot);
        }
    }

    /// Lets the next tick look when a chunk is due.
    fn push(&mut self, slot: Slot) {
        for kind in [Kind::Film, Kind::Surface] {
            if !matches!(self.draws(kind), Draws::Never) {
                self.queue.push(Reverse((self.now, slot, kind)));
            }
        }
    }

    /// Begins the tick after `ticks`.
    pub(crate) fn begin(&mut self, ticks: u64) {
        self.now = ticks.wrapping_add(1).wrapping_sub(self.start);
    }

    /// Returns whether a chunk is due in the tick underway.
    pub(crate) fn is_due(&self) -> bool {
        self.queue.peek().is_some_and(|&Reverse((due, ..))| due <= self.now)
    }

    /// Returns how many ticks after `ticks` no chunk is due in.
    pub(crate) fn ticks_without(&self, ticks: u64) -> u64 {
        let done = ticks.wrapping_sub(self.start);
        self.queue
            .peek()
            .map_or(u64::MAX, |&Reverse((due, ..))| due.saturating_sub(done.wrapping_add(1)))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let table = |draws: &Draws| match draws {
            Draws::Sparse { at_most, .. } => at_most.capacity() * size_of::<u64>(),
            Draws::Never | Draws::Dense { .. } => 0,
        };
        self.queue.capacity() * size_of::<Due>() + table(&self.films) + table(&self.surfaces)
    }

    fn draws(&self, kind: Kind) -> &Draws {
        match kind {
            Kind::Film => &self.films,
            Kind::Surface => &self.surfaces,
        }
    }

    /// Takes the next chunk that is due from the queue, and adds what it loses to `losses`. Returns
    /// whether there was one.
    pub(super) fn collect(&mut self, grid: &Grid<Voxel>, losses: &mut Vec<Losses>) -> bool {
        if !self.is_due() {
            return false;
        }
        let Some(due) = self.queue.pop() else { return false };
        // A chunk may have gone and come back to the same slot.
        while self.queue.peek() == Some(&due) {
            self.queue.pop();
        }
        let Reverse((_, slot, kind)) = due;
        let position = grid.position_at(slot);
        if grid.slot(position) != Some(slot) {
            return true;
        }
        let seed = mix(chunk_seed(self.seed, position), kind as u64);
        let drawn = self.draws(kind).at(seed, self.start.wrapping_add(self.now));
        if let Some((columns, ticks)) = drawn {
            self.queue.push(Reverse((self.now + ticks, slot, kind)));
            if columns.any() {
                losses.push(Losses { slot, kind, columns, layer: 0 });
            }
        }
        true
    }
}

/// Puts losses in order: by position of the chunk, bottom first, and films before deeper cells.
pub(super) fn sort(grid: &Grid<Voxel>, losses: &mut Vec<Losses>) {
    losses.sort_unstable_by_key(|losses| {
        let position = grid.position_at(losses.slot);
        Reverse(([position.y, position.z, position.x], losses.kind))
    });
    losses.dedup_by_key(|losses| (losses.slot, losses.kind));
}

impl Context<'_> {
    /// Lets the next layer of the last chunk of `losses` lose its units. Adds the cells to `lost`,
    /// and those that are empty now to `dried`. Returns the number of cells visited, and of rows
    /// read as bits; `None` if nothing is left.
    pub(super) fn evaporate_next(
        &mut self,
        losses: &mut Vec<Losses>,
        lost: &mut Vec<Place>,
        dried: &mut Vec<Place>,
    ) -> Option<usize> {
        let next = losses.last_mut()?;
        let (slot, kind, layer) = (next.slot, next.kind, next.layer);
        let cells = next.columns & self.store.layer(slot, layer).wet;
        let rows = next.columns.rows().count_ones() as usize;
        next.layer += 1;
        if next.layer == 16 {
            losses.pop();
        }
        let is_losing = |voxel: &Voxel| {
            voxel.active() == 0
                && !voxel.is_source()
                && (voxel.height() == 1) == (kind == Kind::Film)
        };
        let mut visited = rows;
        if cells.any() {
            for cell in (cells & uncovered(self.store, slot, layer)).iter() {
                visited += 1;
                let place = Place::in_layer(slot, layer, cell);
                let voxel = Some(self.store.read(place)).filter(is_losing);
                let Some(voxel) = voxel else { continue };
                self.ledger.evaporated += 1;
                self.put(place, voxel.with_height(voxel.height() - 1));
                lost.push(place);
                if voxel.height() == 1 {
                    dried.push(place);
                }
            }
        }
        Some(visited)
    }
}

/// Returns the cells of a layer without water above. Below a chunk that is not loaded there is none,
/// since its water is not known.
fn uncovered(store: &Store, slot: Slot, layer: usize) -> LayerMask {
    match store.upper_layer(slot, layer) {
        Some((slot, layer)) => !store.layer(slot, layer).wet,
        None => {
            let top = Cube::region_of(store.grid().position_at(slot)).max().y;
            LayerMask::all_if(top == store.bounds().max().y)
        }
    }
}
