//! Evaporation: still surface cells lose single units at random. The columns of a chunk that lose
//! units in a tick are drawn for the chunk as a whole (see `loss_sampler`), so water that sleeps
//! costs nothing between its losses. A priority queue records when each chunk is due. A chunk that
//! has nothing to lose leaves the queue, and comes back when it takes part in a tick. The queue is
//! not part of the state: which columns lose in which ticks follows from seed, chunk and tick
//! alone.

use crate::chunk::LayerMask;
use crate::coords::{Cube, Shape};
use crate::grid::{Grid, LayerId, Slot};
use crate::water::ebb::loss_sampler::LossSampler;
use crate::water::pools::walk::flowed;
use crate::water::random::{Purpose, chunk_seed, mix};
use crate::water::rules::Rules;
use crate::water::scratch::Tick;
use crate::water::store::{LAYER_ROWS, Place, Store};
use crate::water::voxel::Voxel;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which cells may lose a unit. The films come first, so that no cell loses two units in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A cell of one unit.
    Film,
    /// A deeper cell.
    Surface,
}

/// When a chunk is due, in ticks counted from `Evaporation::start`, and for which kind of loss.
type Due = Reverse<(u64, Slot, Kind)>;

/// The columns of a chunk that lose units in this tick.
#[derive(Clone, Copy)]
pub(super) struct Losses {
    slot: Slot,
    kind: Kind,
    columns: LayerMask,
    /// The next layer to visit, from the bottom up.
    layer: usize,
}

/// The times at which chunks are due. They follow from seed, rules and ticks, and are not part of
/// the state.
pub(crate) struct Evaporation {
    films: LossSampler,
    surfaces: LossSampler,
    seed: u64,
    /// Ticks are counted from this one, since the world's tick counter may wrap.
    start: u64,
    /// The tick underway, counted from `start`.
    now: u64,
    /// The queue holds each watched chunk once for each kind, and for a while some chunks that were
    /// removed.
    queue: BinaryHeap<Due>,
    /// For each slot and kind, whether the chunk is watched. A chunk that is not watched has
    /// nothing to lose.
    watched: Vec<[bool; 2]>,
}

impl Evaporation {
    /// Returns the evaporation of a world without chunks that has done `ticks` ticks.
    pub(crate) fn new(rules: &Rules, seed: u64, ticks: u64) -> Self {
        Evaporation {
            films: LossSampler::new(rules.film_evaporation),
            surfaces: LossSampler::new(rules.evaporation),
            seed: mix(seed, Purpose::Evaporation as u64),
            start: ticks,
            now: 0,
            queue: BinaryHeap::new(),
            watched: Vec::new(),
        }
    }

    /// Adds a chunk that has been loaded.
    pub(crate) fn add_chunk(&mut self, grid: &Grid<Voxel>, slot: Slot) {
        // Chunks that come and go leave entries in the queue. Entries are removed when they are
        // due, or here if there are many.
        self.watched.resize(grid.slot_capacity(), [false; 2]);
        if self.queue.len() > 8 * grid.chunk_count() + 64 {
            self.queue.clear();
            self.watched.fill([false; 2]);
            grid.sorted_slots().into_iter().for_each(|slot| self.watch(slot));
        } else {
            self.watched[slot.index()] = [false; 2];
            self.watch(slot);
        }
    }

    /// Watches a chunk that is new, or that takes part in the tick underway and may now have water
    /// to lose.
    #[inline]
    pub(crate) fn watch(&mut self, slot: Slot) {
        let Some(watched) = self.watched.get_mut(slot.index()) else { return };
        if *watched != [true; 2] {
            let before = core::mem::replace(watched, [true; 2]);
            for kind in [Kind::Film, Kind::Surface] {
                if !before[kind as usize] && !matches!(self.draws(kind), LossSampler::Never) {
                    self.queue.push(Reverse((self.now, slot, kind)));
                }
            }
        }
    }

    /// Begins the tick after `ticks`.
    pub(crate) fn begin(&mut self, ticks: u64) {
        self.now = ticks.wrapping_add(1).wrapping_sub(self.start);
        if self.now > u64::MAX / 2 {
            self.count_from_now();
        }
    }

    /// Counts ticks from the tick underway, so that later due ticks can be represented.
    #[cold]
    fn count_from_now(&mut self) {
        let passed = core::mem::take(&mut self.now);
        self.start = self.start.wrapping_add(passed);
        let queue = core::mem::take(&mut self.queue).into_iter();
        let due =
            |Reverse((due, slot, kind)): Due| Reverse((due.saturating_sub(passed), slot, kind));
        self.queue = queue.map(due).collect();
    }

    /// Returns whether any chunk is due in the tick underway.
    pub(crate) fn is_due(&self) -> bool {
        self.queue.peek().is_some_and(|&Reverse((due, ..))| due <= self.now)
    }

    /// Returns the number of ticks after `ticks` that pass before a chunk is due.
    pub(crate) fn ticks_without(&self, ticks: u64) -> u64 {
        let done = ticks.wrapping_sub(self.start);
        self.queue
            .peek()
            .map_or(u64::MAX, |&Reverse((due, ..))| due.saturating_sub(done.wrapping_add(1)))
    }

    /// Removes and returns the next entry that is due in the tick underway.
    fn pop(&mut self) -> Option<(Slot, Kind)> {
        let due = *self.queue.peek().filter(|_| self.is_due())?;
        // An entry appears twice if a chunk was removed and another was put into its slot.
        while self.queue.peek() == Some(&due) {
            self.queue.pop();
        }
        let Reverse((_, slot, kind)) = due;
        Some((slot, kind))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let table = |draws: &LossSampler| match draws {
            LossSampler::Sparse { at_most, .. } => at_most.capacity() * size_of::<u64>(),
            LossSampler::Never | LossSampler::Dense { .. } => 0,
        };
        self.queue.capacity() * size_of::<Due>()
            + self.watched.capacity() * size_of::<[bool; 2]>()
            + table(&self.films)
            + table(&self.surfaces)
    }

    fn draws(&self, kind: Kind) -> &LossSampler {
        match kind {
            Kind::Film => &self.films,
            Kind::Surface => &self.surfaces,
        }
    }
}

/// The order of losses, last to first: by position of the chunk, bottom first, and films before
/// deeper cells.
pub(super) type Key = Reverse<([i32; 3], Kind)>;

impl Losses {
    pub(super) fn key(&self, grid: &Grid<Voxel>) -> Key {
        let position = grid.position_at(self.slot);
        Reverse(([position.y, position.z, position.x], self.kind))
    }
}

/// Takes the next chunk that is due from the queue, and adds its losses to `losses`. Returns the
/// number of rows read, at least one; `None` if no chunk is due.
pub(super) fn collect_next(
    tick: &Tick,
    evaporation: &mut Evaporation,
    losses: &mut Vec<Losses>,
) -> Option<usize> {
    let (slot, kind) = evaporation.pop()?;
    let grid = tick.store.grid();
    let position = grid.position_at(slot);
    if grid.slot(position) != Some(slot) {
        return Some(1);
    }
    if tick.store.is_frozen(slot) {
        evaporation.watched[slot.index()][kind as usize] = false;
        return Some(1);
    }
    // Only a sleeping chunk is checked: a chunk that takes part in the tick would return to the
    // queue in the next tick.
    let sleeps = tick.scratch.open_layers(slot) == 0;
    let seed = mix(chunk_seed(evaporation.seed, position), kind as u64);
    let now = evaporation.start.wrapping_add(evaporation.now);
    let drawn = evaporation.draws(kind).at(seed, now);
    let drawn = drawn.filter(|_| !(sleeps && has_nothing_to_lose(tick.store, slot, kind)));
    match drawn {
        None => evaporation.watched[slot.index()][kind as usize] = false,
        Some((columns, ticks)) => {
            evaporation.queue.push(Reverse((evaporation.now + ticks, slot, kind)));
            if columns.any() {
                losses.push(Losses { slot, kind, columns, layer: 0 });
            }
        }
    }
    Some(if sleeps { LAYER_ROWS } else { 1 })
}

/// Removes the units that the next layer of the last chunk of `losses` loses. Adds the cells that
/// lose a unit to `lost`, and the cells that dry up to `dried`. Returns the number of cells visited
/// plus the number of rows read as bits; `None` if no layer is left.
pub(super) fn evaporate_next(
    tick: &mut Tick,
    losses: &mut Vec<Losses>,
    lost: &mut Vec<Place>,
    dried: &mut Vec<Place>,
) -> Option<usize> {
    let next = losses.last_mut()?;
    let (slot, kind, layer) = (next.slot, next.kind, LayerId::new(next.slot, next.layer));
    let still = tick.store.layer(layer).wet - flowed(tick, layer);
    let cells = next.columns & still;
    let rows = next.columns.rows().count_ones() as usize;
    next.layer += 1;
    if next.layer == 16 {
        losses.pop();
        // The queue may have held a chunk twice.
        while losses.last().is_some_and(|next| (next.slot, next.kind) == (slot, kind)) {
            losses.pop();
        }
    }
    let is_losing =
        |voxel: &Voxel| !voxel.is_source() && (voxel.height() == 1) == (kind == Kind::Film);
    let mut visited = rows;
    if cells.any() {
        for cell in (cells & uncovered(tick.store, layer)).iter() {
            visited += 1;
            let place = Place::in_layer(layer, cell);
            let voxel = Some(tick.store.read(place)).filter(is_losing);
            let Some(voxel) = voxel else { continue };
            tick.ledger.evaporated += 1;
            tick.put(place, voxel.with_height(voxel.height() - 1));
            lost.push(place);
            // A connected cell may feed others until its activity ends.
            if voxel.height() == 1 && !(voxel.is_connected() && voxel.is_active()) {
                dried.push(place);
            }
        }
    }
    Some(visited)
}

/// Returns the cells of a layer without water or sea above. Below a chunk that is not loaded there
/// are no such cells, since the water of that chunk is not known.
fn uncovered(store: &Store, layer: LayerId) -> LayerMask {
    match store.upper_layer(layer) {
        Some(layer) => !(store.layer(layer).wet | store.sea(layer)),
        None => {
            let top = Cube::region_of(store.grid().position_at(layer.slot)).max().y;
            LayerMask::all_if(top == store.bounds().max().y)
        }
    }
}

/// Returns whether no cell of a chunk can lose water of this kind, whatever else evaporates in this
/// tick: a cell below a film may lose water when the film is gone, but a cell below a full cell may
/// not. The result may be `false` although no cell can.
fn has_nothing_to_lose(store: &Store, slot: Slot, kind: Kind) -> bool {
    let full_above = |layer| {
        let above = store.upper_layer(layer).filter(|above| above.slot == slot);
        above.map_or(LayerMask::NONE, |above| store.layer(above).full())
    };
    let may_lose = |layer: LayerId| match kind {
        Kind::Film => {
            store.layer(layer).wet.any()
                && store.has(layer, |voxel| voxel.height_bits() == 1 && !voxel.is_mark())
        }
        Kind::Surface => (store.layer(layer).wet - store.springs(layer) - full_above(layer)).any(),
    };
    !slot.layers().any(may_lose)
}
