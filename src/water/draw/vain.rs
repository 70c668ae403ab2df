//! Draws in vain: draws of cells whose parents have all passed on their limit, or lead only to such
//! cells. They are found for a layer of the world at once, chunk by chunk by bit masks (worklist
//! algorithm, to the greatest fixpoint), before its cells take their turns. Where springs give all
//! their supply to water that flows by itself, as on a plain, no draw would succeed.
//!
//! A cell that is exhausted before the draws of a layer stays exhausted during them, since no cell
//! regains throughput. So this search finds what the turn of the cell would find, and changes
//! nothing except the time.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::context::Tick;
use crate::water::context::chunk_record::Mark;
use core::ops::Range;
use hashbrown::HashMap;

/// The cells of a chunk's layer that draw, and what is known of the layer during the draws.
struct Films {
    layer: LayerId,
    cells: LayerMask,
    /// The cells with a parent across each face, springs left out. No draw changes them.
    parents: [LayerMask; 6],
    /// The index of the chunk across each lateral face, if it has cells that draw.
    beside: [Option<u32>; 4],
    /// The cells known to pass on nothing more in this tick: of this layer, of those above and
    /// below it, and of those across its lateral faces in chunks without cells that draw.
    exhausted: LayerMask,
    above: LayerMask,
    below: LayerMask,
    beyond: [LayerMask; 4],
    /// Whether the chunk is on the list of chunks to visit.
    is_open: bool,
}

/// The cells of one layer of the world that draw, by chunk. They get their turns in batches, since
/// most cells that become exhausted do so in the first draws.
#[derive(Default)]
pub(super) struct Layer {
    films: Vec<Films>,
    by_slot: HashMap<Slot, usize>,
    /// The chunks in which more cells may be exhausted than is known.
    open: Vec<usize>,
    /// The first chunk whose turns of the batch have not been returned.
    next: usize,
    /// The number of batches before this one.
    batch: usize,
}

/// The turns of each batch, by the highest byte of their order.
const BATCHES: [Range<u8>; 3] = [0..4, 4..32, 32..u8::MAX];

impl Layer {
    pub(super) fn push(&mut self, tick: &Tick, layer: LayerId, cells: LayerMask) {
        self.by_slot.insert(layer.slot, self.films.len());
        let springs = tick.store.springs(layer);
        self.films.push(Films {
            layer,
            cells,
            parents: tick.store.parent_planes(layer).map(|plane| plane - springs),
            beside: [None; 4],
            exhausted: LayerMask::NONE,
            above: LayerMask::NONE,
            below: LayerMask::NONE,
            beyond: [LayerMask::NONE; 4],
            is_open: true,
        });
    }

    /// Prepares the next batch, once all chunks are there.
    pub(super) fn prepare(&mut self, tick: &Tick) {
        self.open.clear();
        self.open.extend(0..self.films.len());
        let of = |at: Option<LayerId>, is_asked: bool| match at {
            Some(layer) if is_asked => exhausted_in(tick, layer),
            _ => LayerMask::NONE,
        };
        for films in &mut self.films {
            let (layer, parents) = (films.layer, films.parents);
            films.exhausted = exhausted_in(tick, layer);
            let has_parents = |face: Face| parents[face.index()].any();
            films.above = of(tick.store.upper_layer(layer), has_parents(Face::Up));
            films.below = of(tick.store.lower_layer(layer), has_parents(Face::Down));
            for (side, face) in Face::LATERAL.into_iter().enumerate() {
                let there = tick.store.neighbour(layer.slot, face);
                films.beside[side] = self.by_slot.get(&there).map(|&at| at as u32);
                let is_asked = films.beside[side].is_none()
                    && there.is_some()
                    && parents[face.index()].leaving()[side].any();
                films.beyond[side] = of(Some(layer.in_chunk(there)), is_asked);
            }
            films.is_open = true;
        }
    }

    /// Returns whether the highest byte of a turn's order belongs to this batch.
    pub(super) fn is_of_batch(&self, order: u64) -> bool {
        let (first, end) = (BATCHES[self.batch].start, BATCHES[self.batch].end);
        let bucket = (order >> 56) as u8;
        bucket >= first && (bucket < end || end == u8::MAX)
    }

    /// Returns the next chunk's layer of the batch, its cells, and those among them whose draw is
    /// not known to be in vain.
    pub(super) fn next(&mut self, tick: &Tick) -> Option<(LayerId, LayerMask, LayerMask)> {
        let &Films { layer, cells, .. } = self.films.get(self.next)?;
        let exhausted = self.exhausted(self.next);
        self.next += 1;
        Some((layer, cells, not_in_vain(tick, &exhausted, layer, cells)))
    }

    /// Begins the next batch. Returns `false` if there is none; then it is empty.
    pub(super) fn begin_batch(&mut self, tick: &Tick) -> bool {
        self.batch += 1;
        self.next = 0;
        if self.batch == BATCHES.len() || self.films.is_empty() {
            self.films.clear();
            self.by_slot.clear();
            self.open.clear();
            self.batch = 0;
            return false;
        }
        self.prepare(tick);
        true
    }

    /// Opens a chunk.
    fn open(&mut self, at: usize) {
        if !core::mem::replace(&mut self.films[at].is_open, true) {
            self.open.push(at);
        }
    }

    /// Returns the exhausted cells in and around the layer of a chunk.
    fn exhausted(&self, at: usize) -> Exhausted {
        let films = &self.films[at];
        Exhausted {
            parents: films.parents,
            here: films.exhausted,
            beyond: core::array::from_fn(|side| match films.beside[side] {
                Some(there) => self.films[there as usize].exhausted,
                None => films.beyond[side],
            }),
            above: films.above,
            below: films.below,
        }
    }

    pub(super) fn shrink(&mut self, most: usize) {
        self.films.shrink_to(most);
        self.by_slot.shrink_to(most);
        self.open.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.films.capacity() * size_of::<Films>()
            + self.by_slot.allocation_size()
            + self.open.capacity() * size_of::<usize>()
    }
}

/// The exhausted cells in and around a layer, and which cell feeds which.
struct Exhausted {
    /// The cells with a parent across each face, springs left out.
    parents: [LayerMask; 6],
    here: LayerMask,
    beyond: [LayerMask; 4],
    above: LayerMask,
    below: LayerMask,
}

impl Exhausted {
    /// Returns the cells with a parent beside or below them that may have throughput left.
    fn fed_from_below(&self) -> LayerMask {
        let [west, east, down, _, north, south] = self.parents;
        let [from_west, from_east, from_north, from_south] = self.here.shifted(&self.beyond);
        (west - from_west)
            | (east - from_east)
            | (north - from_north)
            | (south - from_south)
            | (down - self.below)
    }

    /// Adds the cells that lead only to exhausted ones. Returns whether there were any.
    fn close(&mut self) -> bool {
        let up = self.parents[Face::Up.index()] - self.above;
        let fed = LayerMask::union(self.parents);
        let mut has_grown = false;
        loop {
            let found = fed - (self.fed_from_below() | up | self.here);
            if found.is_empty() {
                return has_grown;
            }
            self.here |= found;
            has_grown = true;
        }
    }
}

/// Returns the cells of a layer known to pass on nothing more in this tick: cells that have passed
/// on their limit, and cells known to lead only to such cells.
fn exhausted_in(tick: &Tick, layer: LayerId) -> LayerMask {
    let Some(work) = tick.scratch.get(layer) else {
        return tick.store.passed_in_runs(layer);
    };
    let supply = tick.limits.supply.min(tick.limits.throughput);
    let spent = work.passed_at_least(tick.limits.throughput)
        | (tick.store.springs(layer) & work.passed_at_least(supply));
    let spent = spent | work.marked(Mark::Dead) | tick.store.passed_in_runs(layer);
    spent & tick.store.connected(layer)
}

/// Visits the next chunk of a layer. Returns `false` if all exhausted cells are known.
pub(super) fn find_exhausted(tick: &mut Tick, all: &mut Layer) -> bool {
    let Some(at) = all.open.pop() else { return false };
    all.films[at].is_open = false;
    let mut exhausted = all.exhausted(at);
    let Films { layer, exhausted: before, beside, .. } = all.films[at];
    if exhausted.close() {
        let found = exhausted.here - before;
        tick.scratch.record_mut(tick.store, layer).mark(Mark::Dead, found);
        for (there, found) in beside.into_iter().zip(found.leaving()) {
            if let Some(there) = there
                && found.any()
            {
                all.open(there as usize);
            }
        }
    }
    all.films[at].exhausted = exhausted.here;
    true
}

/// Returns the drawing cells among `cells` of a layer whose draw is not known to be in vain. A cell
/// draws from no parent above it.
fn not_in_vain(tick: &Tick, exhausted: &Exhausted, layer: LayerId, cells: LayerMask) -> LayerMask {
    let [west, east, down, _, north, south] = exhausted.parents;
    let draws = west | east | down | north | south;
    // Full cells draw for the cells above them; the other parents of those cells are not checked.
    let risers = tick.store.layer(layer).closed;
    cells - (draws - (exhausted.fed_from_below() | risers))
}
