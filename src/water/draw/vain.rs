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

/// The cells of a chunk's layer that draw.
struct Films {
    layer: LayerId,
    cells: LayerMask,
    /// The cells of the layer known to pass on nothing more in this tick; `None` before the first
    /// visit of a batch.
    exhausted: Option<LayerMask>,
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
    pub(super) fn push(&mut self, layer: LayerId, cells: LayerMask) {
        self.by_slot.insert(layer.slot, self.films.len());
        self.open.push(self.films.len());
        self.films.push(Films { layer, cells, exhausted: None, is_open: true });
    }

    /// Returns whether the highest byte of a turn's order belongs to this batch.
    pub(super) fn is_of_batch(&self, order: u64) -> bool {
        let (first, end) = (BATCHES[self.batch].start, BATCHES[self.batch].end);
        let bucket = (order >> 56) as u8;
        bucket >= first && (bucket < end || end == u8::MAX)
    }

    /// Returns the next chunk's layer of the batch, and its cells.
    pub(super) fn next(&mut self) -> Option<(LayerId, LayerMask)> {
        let &Films { layer, cells, .. } = self.films.get(self.next)?;
        self.next += 1;
        Some((layer, cells))
    }

    /// Begins the next batch. Returns `false` if there is none; then it is empty.
    pub(super) fn begin_batch(&mut self) -> bool {
        self.batch += 1;
        self.next = 0;
        if self.batch == BATCHES.len() || self.films.is_empty() {
            self.films.clear();
            self.by_slot.clear();
            self.open.clear();
            self.batch = 0;
            return false;
        }
        self.open.clear();
        self.open.extend(0..self.films.len());
        for films in &mut self.films {
            (films.exhausted, films.is_open) = (None, true);
        }
        true
    }

    /// Opens the chunk in a slot, if it is in the layer.
    fn open(&mut self, slot: Slot) {
        if let Some(&at) = self.by_slot.get(&slot)
            && !core::mem::replace(&mut self.films[at].is_open, true)
        {
            self.open.push(at);
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

/// Returns the same cells for the layer of draws, if the chunk has cells in it.
fn known(tick: &Tick, all: &Layer, layer: LayerId) -> LayerMask {
    let films = all.by_slot.get(&layer.slot).map(|&at| &all.films[at]);
    let known = films.filter(|films| films.layer == layer).and_then(|films| films.exhausted);
    known.unwrap_or_else(|| exhausted_in(tick, layer))
}

fn exhausted(tick: &Tick, all: &Layer, layer: LayerId) -> Exhausted {
    let of = |at: Option<LayerId>| at.map_or(LayerMask::NONE, |layer| exhausted_in(tick, layer));
    let springs = tick.store.springs(layer);
    let parents = tick.store.parent_planes(layer).map(|plane| plane - springs);
    let vertical = |face: Face, at| match parents[face.index()].any() {
        true => of(at),
        false => LayerMask::NONE,
    };
    Exhausted {
        parents,
        here: known(tick, all, layer),
        beyond: core::array::from_fn(|side| {
            let there = tick.store.neighbour(layer.slot, Face::LATERAL[side]);
            if there.is_some() { known(tick, all, layer.in_chunk(there)) } else { LayerMask::NONE }
        }),
        above: vertical(Face::Up, tick.store.upper_layer(layer)),
        below: vertical(Face::Down, tick.store.lower_layer(layer)),
    }
}

/// Visits the next chunk of a layer. Returns `false` if all exhausted cells are known.
pub(super) fn find_exhausted(tick: &mut Tick, all: &mut Layer) -> bool {
    let Some(at) = all.open.pop() else { return false };
    let Films { layer, ref mut is_open, .. } = all.films[at];
    *is_open = false;
    let mut exhausted = exhausted(tick, all, layer);
    let before = exhausted.here;
    if exhausted.close() {
        let found = exhausted.here - before;
        tick.scratch.record_mut(tick.store, layer).mark(Mark::Dead, found);
        for (face, found) in Face::LATERAL.into_iter().zip(found.leaving()) {
            let there = tick.store.neighbour(layer.slot, face);
            if found.any() && there.is_some() {
                all.open(there);
            }
        }
    }
    all.films[at].exhausted = Some(exhausted.here);
    true
}

/// Returns the drawing cells among `cells` of a layer whose draw is not known to be in vain. A cell
/// draws from no parent above it.
pub(super) fn not_in_vain(tick: &Tick, all: &Layer, layer: LayerId, cells: LayerMask) -> LayerMask {
    let exhausted = exhausted(tick, all, layer);
    let [west, east, down, _, north, south] = exhausted.parents;
    let draws = west | east | down | north | south;
    // Full cells draw for the cells above them; the other parents of those cells are not checked.
    let risers = tick.store.layer(layer).closed;
    cells - (draws - (exhausted.fed_from_below() | risers))
}
