//! What the springs of a flow have left in this tick. A flow is a group of chunks with connected
//! cells that are joined across faces (connected components, breadth-first search).
//!
//! Draws pass only cells that are connected to springs, and so do searches for idle springs, which
//! have passed on nothing in this tick. So both stay in the flow of the film's chunk. If no spring
//! of the flow has units left, all its films would draw in vain. If none is idle, a search would
//! find none.
//!
//! Each flow is found at most once in a tick, and costs a few steps for each chunk. No spring
//! regains supply in a tick, so each chunk leaves each list at most once.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::draw::reroute::is_search_tick;
use crate::water::scratch::Tick;
use hashbrown::HashMap;

/// The number of a flow among those found in this tick.
pub(super) type FlowId = u32;

/// The chunks with springs of a flow. Of each list, the last chunk is known to have such a spring,
/// and the others may have one. So a list is empty if, and only if, the flow has no such spring.
struct SpringChunks {
    /// Chunks with springs that have supply left.
    unspent: Vec<Slot>,
    /// Chunks with idle springs; empty in ticks without searches.
    idle: Vec<Slot>,
}

/// The flows that have been found in this tick.
#[derive(Default)]
pub(super) struct Supply {
    flow_of: HashMap<Slot, FlowId>,
    flows: Vec<SpringChunks>,
    /// The chunks of the flow that is being found.
    found: Vec<Slot>,
    /// The number of chunks visited and not yet charged to the budget.
    visited: usize,
}

impl Supply {
    /// Returns the number of the flow through a chunk with connected cells.
    pub(super) fn flow_of(&mut self, tick: &Tick, chunk: Slot) -> FlowId {
        match self.flow_of.get(&chunk) {
            Some(&flow) => flow,
            None => self.find_flow(tick, chunk),
        }
    }

    /// Returns whether any spring of a flow has units left.
    #[inline]
    pub(super) fn is_left(&self, flow: FlowId) -> bool {
        !self.flows[flow as usize].unspent.is_empty()
    }

    /// Returns whether this tick searches for paths and a flow has an idle spring.
    #[inline]
    pub(super) fn has_idle(&self, flow: FlowId) -> bool {
        !self.flows[flow as usize].idle.is_empty()
    }

    /// Notes that a spring in a chunk of a flow has given.
    pub(super) fn note_given(&mut self, tick: &Tick, flow: FlowId, chunk: Slot) {
        let SpringChunks { unspent, idle } = &mut self.flows[flow as usize];
        if unspent.last() == Some(&chunk) {
            self.visited += trim_end(unspent, |chunk| has_unspent_spring(tick, chunk));
        }
        if idle.last() == Some(&chunk) {
            self.visited += trim_end(idle, |chunk| has_idle_spring(tick, chunk));
        }
    }

    /// Returns the number of chunks visited since the last call.
    pub(super) fn take_visited(&mut self) -> usize {
        core::mem::take(&mut self.visited)
    }

    /// Finds the flow through a chunk, and returns its number.
    fn find_flow(&mut self, tick: &Tick, chunk: Slot) -> FlowId {
        let flow = self.flows.len() as FlowId;
        let mut unspent = Vec::new();
        self.found.clear();
        self.found.push(chunk);
        self.flow_of.insert(chunk, flow);
        let mut at = 0;
        while let Some(&chunk) = self.found.get(at) {
            at += 1;
            if tick.store.has_springs(chunk) {
                unspent.push(chunk);
            }
            for there in Face::ALL.map(|face| tick.store.neighbour(chunk, face)) {
                if there.is_some()
                    && tick.store.has_connected(there)
                    && self.flow_of.try_insert(there, flow).is_ok()
                {
                    self.found.push(there);
                }
            }
        }
        let mut idle = if is_search_tick(tick) { unspent.clone() } else { Vec::new() };
        self.visited += self.found.len()
            + trim_end(&mut unspent, |chunk| has_unspent_spring(tick, chunk))
            + trim_end(&mut idle, |chunk| has_idle_spring(tick, chunk));
        self.flows.push(SpringChunks { unspent, idle });
        flow
    }

    /// Removes the flows, and frees the buffers that are needed only for more than `most` chunks.
    pub(super) fn shrink(&mut self, most: usize) {
        self.flow_of.clear();
        self.flow_of.shrink_to(most);
        self.flows.clear();
        self.flows.shrink_to(most);
        self.found.clear();
        self.found.shrink_to(most);
    }

    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        let chunks = |flow: &SpringChunks| flow.unspent.capacity() + flow.idle.capacity();
        let listed = self.flows.iter().map(chunks).sum::<usize>() + self.found.capacity();
        self.flow_of.allocation_size()
            + self.flows.capacity() * size_of::<SpringChunks>()
            + listed * size_of::<Slot>()
    }
}

/// Removes chunks from the end of a list until `stays` is true for the last. Returns the number of
/// chunks visited.
fn trim_end(chunks: &mut Vec<Slot>, stays: impl Fn(Slot) -> bool) -> usize {
    let before = chunks.len();
    while chunks.pop_if(|chunk| !stays(*chunk)).is_some() {}
    before - chunks.len() + usize::from(!chunks.is_empty())
}

/// Returns whether any spring of a chunk may still pass on units in this tick.
fn has_unspent_spring(tick: &Tick, chunk: Slot) -> bool {
    let supply = tick.limits.supply.min(tick.limits.throughput);
    supply > 0 && has_spring(tick, chunk, supply)
}

/// Returns whether any spring of a chunk has passed on nothing in this tick.
fn has_idle_spring(tick: &Tick, chunk: Slot) -> bool {
    has_spring(tick, chunk, 1)
}

/// Returns whether any spring of a chunk has passed on less than this number of units.
fn has_spring(tick: &Tick, chunk: Slot, units: u8) -> bool {
    let passed = |layer: LayerId| -> LayerMask {
        tick.flow_of(layer).passed_at_least(units) | tick.store.passed_in_runs(layer)
    };
    chunk.layers().any(|layer| {
        let springs = tick.store.springs(layer);
        springs.any() && (springs - passed(layer)).any()
    })
}
