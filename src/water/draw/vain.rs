//! Draws in vain: the draws of cells whose parents have all passed on their limit, or lead only to
//! cells that have.
//!
//! Once a draw in a layer of the world was in vain, the exhausted cells are found chunk by chunk,
//! with bit masks (worklist algorithm, to the greatest fixpoint). The search resumes between the
//! turns, from the cells that draws have exhausted. In layers in which no cell draws, a cell counts
//! as exhausted only once a draw has found it exhausted.
//!
//! No cell regains throughput in a tick, so an exhausted cell stays exhausted. This search finds
//! what the draw of a cell would find, and changes nothing except the time taken.
//!
//! # What it costs
//!
//! The first search costs some passes over the rows of the layers in which cells draw. After that
//! search, a cell that a draw exhausts costs at most some passes over the rows of its layer.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::draw::supply::FlowId;
use crate::water::scratch::Tick;
use crate::water::store::Place;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// What has been found of the draws through a chunk's layer in this tick.
struct Known {
    layer: LayerId,
    /// The flow through its chunk; any number if no cells draw.
    flow: FlowId,
    /// The cells known to pass on nothing more in this tick.
    exhausted: LayerMask,
    /// The cells that draw.
    films: LayerMask,
    /// Whether the search for its exhausted cells has begun. Before, `fed` and `open` are not
    /// known.
    is_searched: bool,
    /// The cells that have parents.
    fed: LayerMask,
    /// For each face, the cells with a parent across it that is not known to be exhausted.
    open: [LayerMask; 6],
    /// The cells whose draw is not known to be in vain, whether they draw or not.
    live: LayerMask,
    /// The exhausted cells that have not yet been removed from the parents of the cells that they
    /// feed.
    fresh: LayerMask,
    /// The number of the layer across each lateral face, if cells draw in it.
    beside: [Option<u32>; 4],
    /// Whether the layer is on the list of layers to visit.
    is_listed: bool,
}

impl Known {
    /// Removes exhausted cells from the parents of the layer's cells. `beyond` holds the exhausted
    /// cells of the layers across the lateral faces.
    fn close(&mut self, exhausted: LayerMask, beyond: &[LayerMask; 4]) {
        for (face, closed) in Face::LATERAL.into_iter().zip(exhausted.shifted(beyond)) {
            self.open[face.index()] -= closed;
        }
    }
}

/// The ways by which the cells that draw may get water, as far as they are known in this tick.
#[derive(Default)]
pub(super) struct Ways {
    layers: Vec<Known>,
    by_id: HashMap<LayerId, u32>,
    /// The layers that were gathered last: all layers of one height in which cells draw.
    gathered: Vec<u32>,
    /// The layers that may have exhausted cells that have not been found yet.
    listed: Vec<u32>,
    /// The number of layers that [`next`](Ways::next) has returned.
    given: usize,
}

impl Ways {
    /// Returns the number of a layer.
    pub(super) fn number_of(&mut self, layer: LayerId) -> u32 {
        let next = self.layers.len() as u32;
        match self.by_id.entry(layer) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                self.layers.push(Known {
                    layer,
                    flow: 0,
                    exhausted: LayerMask::NONE,
                    films: LayerMask::NONE,
                    is_searched: false,
                    fed: LayerMask::NONE,
                    open: [LayerMask::NONE; 6],
                    live: LayerMask::NONE,
                    fresh: LayerMask::NONE,
                    beside: [None; 4],
                    is_listed: false,
                });
                *entry.insert(next)
            }
        }
    }

    /// Returns a cell of the layer with this number.
    pub(super) fn place(&self, number: u32, cell: usize) -> Place {
        Place::in_layer(self.layers[number as usize].layer, cell)
    }

    /// Begins to gather the layers of another height.
    pub(super) fn begin(&mut self) {
        self.gathered.clear();
        self.begin_turns();
    }

    /// Begins to return the gathered layers.
    pub(super) fn begin_turns(&mut self) {
        self.given = 0;
    }

    /// Adds a layer of a flow in which `films` draw.
    pub(super) fn gather(&mut self, layer: LayerId, films: LayerMask, flow: FlowId) {
        let number = self.number_of(layer);
        self.gathered.push(number);
        let known = &mut self.layers[number as usize];
        (known.flow, known.films, known.live) = (flow, films, films);
    }

    /// Returns the flow of a layer in which cells draw.
    #[inline]
    pub(super) fn flow(&self, number: u32) -> FlowId {
        self.layers[number as usize].flow
    }

    /// Begins the search for exhausted cells in the gathered layers, unless it has begun.
    pub(super) fn begin_search(&mut self, tick: &Tick) {
        if self.gathered.first().is_some_and(|&first| self.layers[first as usize].is_searched) {
            return;
        }
        for at in 0..self.gathered.len() {
            let number = self.gathered[at] as usize;
            let layer = self.layers[number].layer;
            let beside = Face::LATERAL.map(|face| {
                let there = layer.in_chunk(tick.store.neighbour(layer.slot, face));
                let number = self.by_id.get(&there).copied();
                number.filter(|&number| self.layers[number as usize].films.any())
            });
            let open = open_parents(tick, layer);
            let known = &mut self.layers[number];
            known.exhausted |= spent_in(tick, layer);
            (known.beside, known.fed, known.open) = (beside, LayerMask::union(open), open);
            known.is_searched = true;
        }
        for at in 0..self.gathered.len() {
            self.close_spent(tick, self.gathered[at] as usize);
            self.list(self.gathered[at]);
        }
    }

    /// Removes the exhausted cells in and around a layer from the parents of its cells.
    fn close_spent(&mut self, tick: &Tick, number: usize) {
        let known = &self.layers[number];
        let (layer, open) = (known.layer, &known.open);
        let mut beyond = [LayerMask::NONE; 4];
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let there = layer.in_chunk(tick.store.neighbour(layer.slot, face));
            if there.slot.is_some() && open[face.index()].leaving()[side].any() {
                beyond[side] = self.exhausted_in(tick, there);
            }
        }
        let of = |face: Face, there: Option<LayerId>| match there {
            Some(there) if open[face.index()].any() => self.exhausted_in(tick, there),
            _ => LayerMask::NONE,
        };
        let above = of(Face::Up, tick.store.upper_layer(layer));
        let below = of(Face::Down, tick.store.lower_layer(layer));
        let known = &mut self.layers[number];
        known.close(known.exhausted, &beyond);
        known.open[Face::Up.index()] -= above;
        known.open[Face::Down.index()] -= below;
    }

    /// Returns the cells of a layer known to pass on nothing more in this tick.
    fn exhausted_in(&self, tick: &Tick, layer: LayerId) -> LayerMask {
        match self.by_id.get(&layer).map(|&number| &self.layers[number as usize]) {
            Some(known) if known.is_searched => known.exhausted,
            Some(known) => known.exhausted | spent_in(tick, layer),
            None => spent_in(tick, layer),
        }
    }

    /// Visits the next layer that may have exhausted cells that have not been found yet. Returns
    /// `false` if there is no such layer.
    pub(super) fn search_next(&mut self, tick: &Tick) -> bool {
        let Some(number) = self.listed.pop() else { return false };
        let known = &mut self.layers[number as usize];
        known.is_listed = false;
        let (mut found, mut all) = (core::mem::take(&mut known.fresh), LayerMask::NONE);
        loop {
            all |= found;
            known.close(found, &[LayerMask::NONE; 4]);
            found = known.fed - (LayerMask::union(known.open) | known.exhausted);
            if found.is_empty() {
                break;
            }
            known.exhausted |= found;
        }
        let [west, east, down, _, north, south] = known.open;
        // Full cells draw for the cells above them. The parents of full cells are not checked.
        let closed = tick.store.layer(known.layer).closed;
        known.live = west | east | down | north | south | closed;
        let beside = known.beside;
        for (side, leaving) in all.leaving().into_iter().enumerate() {
            if let Some(there) = beside[side]
                && leaving.any()
            {
                let face = Face::LATERAL[side].opposite();
                self.layers[there as usize].open[face.index()] -= leaving;
                self.list(there);
            }
        }
        true
    }

    fn list(&mut self, number: u32) {
        if !core::mem::replace(&mut self.layers[number as usize].is_listed, true) {
            self.listed.push(number);
        }
    }

    /// Returns the number of the next gathered layer, the cells in it that draw, and those whose
    /// draw is not known to be in vain.
    pub(super) fn next(&mut self) -> Option<(u32, LayerMask, LayerMask)> {
        let &number = self.gathered.get(self.given)?;
        self.given += 1;
        let known = &self.layers[number as usize];
        Some((number, known.films, known.films & known.live))
    }

    /// Returns whether the draw of a cell is known to be in vain.
    #[inline]
    pub(super) fn is_vain(&self, number: u32, cell: usize) -> bool {
        !self.layers[number as usize].live.contains(cell)
    }

    /// Returns whether a cell is known to be exhausted.
    #[inline]
    pub(super) fn is_exhausted(&self, number: u32, cell: usize) -> bool {
        self.layers[number as usize].exhausted.contains(cell)
    }

    /// Returns whether the parent of a cell across a face is known to be exhausted.
    #[inline]
    pub(super) fn is_closed(&self, number: u32, cell: usize, face: Face) -> bool {
        let known = &self.layers[number as usize];
        known.is_searched && !known.open[face.index()].contains(cell)
    }

    /// Notes that a cell passes on nothing more in this tick.
    pub(super) fn exhaust(&mut self, number: u32, cell: usize) {
        let known = &mut self.layers[number as usize];
        if !known.exhausted.contains(cell) {
            known.exhausted.insert(cell);
            if known.is_searched {
                known.fresh.insert(cell);
                self.list(number);
            }
        }
    }

    /// Notes that the parent of a cell across a face passes on nothing more in this tick.
    pub(super) fn close(&mut self, number: u32, cell: usize, face: Face) {
        let known = &mut self.layers[number as usize];
        if known.is_searched && known.open[face.index()].contains(cell) {
            known.open[face.index()].remove(cell);
            self.list(number);
        }
    }

    /// Forgets everything, and frees buffers of more than `most` cells.
    pub(super) fn shrink(&mut self, most: usize) {
        let layers = most / LAYER_CELLS;
        self.layers.clear();
        self.layers.shrink_to(layers);
        self.by_id.clear();
        self.by_id.shrink_to(layers);
        self.begin();
        self.gathered.shrink_to(layers);
        self.listed.shrink_to(layers);
    }

    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.layers.capacity() * size_of::<Known>()
            + self.by_id.allocation_size()
            + (self.gathered.capacity() + self.listed.capacity()) * size_of::<u32>()
    }
}

/// Returns, for each face, the cells of a layer that have a parent across it and are no springs.
pub(super) fn open_parents(tick: &Tick, layer: LayerId) -> [LayerMask; 6] {
    let springs = tick.store.springs(layer);
    tick.store.parent_planes(layer).map(|plane| plane - springs)
}

/// Returns the cells of a layer that have passed on their limit in this tick.
fn spent_in(tick: &Tick, layer: LayerId) -> LayerMask {
    let flow = tick.flow_of(layer);
    let supply = tick.limits.supply.min(tick.limits.throughput);
    let spent = flow.passed_at_least(tick.limits.throughput)
        | (tick.store.springs(layer) & flow.passed_at_least(supply));
    (spent | tick.store.passed_in_runs(layer)) & tick.store.connected(layer)
}
