//! Whether an idle spring is within reach of a film. A spring is idle if it has passed on nothing
//! in this tick.
//!
//! A search for an idle spring goes from cell to cell and visits only cells that are connected to
//! springs. So it stays in the group of the film's chunk: the chunks with connected cells that are
//! joined across faces (connected components, breadth-first search). Where no spring of the group
//! is idle, the search is left out. Each group is found at most once in a tick, and costs a few
//! steps for each chunk.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::draw::reroute::is_search_tick;
use crate::water::scratch::Tick;
use hashbrown::HashMap;

/// The groups that have been found in this tick.
#[derive(Default)]
pub(super) struct IdleSprings {
    /// The number of the group of each chunk.
    group_of: HashMap<Slot, u32>,
    /// For each group, the chunks with springs that may be idle. A chunk without idle springs is
    /// removed: no spring becomes idle again in the same tick.
    may_be_idle: Vec<Vec<Slot>>,
    /// The chunks of the group that is being found.
    found: Vec<Slot>,
    /// The number of chunks visited and not yet charged to the budget.
    visited: usize,
}

impl IdleSprings {
    /// Returns whether this tick searches for paths and the group of a chunk has an idle spring.
    pub(super) fn may_reach(&mut self, tick: &Tick, chunk: Slot) -> bool {
        if !is_search_tick(tick) {
            return false;
        }
        let group = match self.group_of.get(&chunk) {
            Some(&group) => group,
            None => self.find_group(tick, chunk),
        };
        let may_be_idle = &mut self.may_be_idle[group as usize];
        while let Some(&chunk) = may_be_idle.last() {
            self.visited += 1;
            if has_idle_spring(tick, chunk) {
                return true;
            }
            may_be_idle.pop();
        }
        false
    }

    /// Returns the number of chunks visited since the last call.
    pub(super) fn take_visited(&mut self) -> usize {
        core::mem::take(&mut self.visited)
    }

    /// Finds the group of a chunk, and returns its number.
    fn find_group(&mut self, tick: &Tick, chunk: Slot) -> u32 {
        let group = self.may_be_idle.len() as u32;
        let mut with_springs = Vec::new();
        self.found.clear();
        self.found.push(chunk);
        self.group_of.insert(chunk, group);
        let mut at = 0;
        while let Some(&chunk) = self.found.get(at) {
            at += 1;
            if tick.store.has_springs(chunk) {
                with_springs.push(chunk);
            }
            for there in Face::ALL.map(|face| tick.store.neighbour(chunk, face)) {
                if there.is_some()
                    && tick.store.has_connected(there)
                    && self.group_of.try_insert(there, group).is_ok()
                {
                    self.found.push(there);
                }
            }
        }
        self.visited += self.found.len();
        self.may_be_idle.push(with_springs);
        group
    }

    /// Removes the groups, and frees the buffers that are needed only for more than `most` chunks.
    pub(super) fn shrink(&mut self, most: usize) {
        self.group_of.clear();
        self.group_of.shrink_to(most);
        self.may_be_idle.clear();
        self.may_be_idle.shrink_to(most);
        self.found.clear();
        self.found.shrink_to(most);
    }

    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.group_of.allocation_size()
            + self.may_be_idle.capacity() * size_of::<Vec<Slot>>()
            + self
                .may_be_idle
                .iter()
                .map(|chunks| chunks.capacity() * size_of::<Slot>())
                .sum::<usize>()
            + self.found.capacity() * size_of::<Slot>()
    }
}

/// Returns whether any spring of a chunk has passed on nothing in this tick.
fn has_idle_spring(tick: &Tick, chunk: Slot) -> bool {
    chunk.layers().any(|layer| {
        let springs = tick.store.springs(layer) - tick.store.passed_in_runs(layer);
        springs.any() && (springs - tick.flow_of(layer).passed_at_least(1)).any()
    })
}
