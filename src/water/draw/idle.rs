//! Whether a film may find an idle spring: a spring that has passed on nothing in this tick.
//!
//! Water passes only between cells that are connected to springs. So a search from a film does not
//! leave the group of its chunk: the chunks with connected cells that are joined across faces
//! (connected components, breadth-first search). Where no spring of the group is idle, a search
//! from cell to cell would be in vain. A group is found once in a tick, when the first film of it
//! asks; it costs some steps a chunk instead of some a cell.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::draw::reroute::is_search_tick;
use crate::water::scratch::Tick;
use hashbrown::HashMap;

/// The groups that films have asked for in this tick.
#[derive(Default)]
pub(super) struct IdleSprings {
    /// The number of the group of each chunk.
    group_of: HashMap<Slot, u32>,
    /// For each group, the chunks with springs that may be idle. A spring that has passed on water
    /// is not idle again in the same tick, so a chunk is checked until it has no idle spring, and
    /// no more.
    unchecked: Vec<Vec<Slot>>,
    /// The chunks that the search underway has found.
    found: Vec<Slot>,
    /// The chunks visited that have not been charged yet.
    visited: usize,
}

impl IdleSprings {
    /// Returns whether this tick searches for paths, and a film of this chunk may find an idle
    /// spring.
    pub(super) fn may_reach(&mut self, tick: &Tick, chunk: Slot) -> bool {
        if !is_search_tick(tick) {
            return false;
        }
        let group = match self.group_of.get(&chunk) {
            Some(&group) => group,
            None => self.find_group(tick, chunk),
        };
        let unchecked = &mut self.unchecked[group as usize];
        while let Some(&chunk) = unchecked.last() {
            self.visited += 1;
            if has_idle_spring(tick, chunk) {
                return true;
            }
            unchecked.pop();
        }
        false
    }

    /// Returns the number of chunks visited since the last call.
    pub(super) fn take_visited(&mut self) -> usize {
        core::mem::take(&mut self.visited)
    }

    /// Finds the group of a chunk, and returns its number.
    fn find_group(&mut self, tick: &Tick, chunk: Slot) -> u32 {
        let group = self.unchecked.len() as u32;
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
        self.unchecked.push(with_springs);
        group
    }

    /// Forgets the groups, and frees the buffers that only more than `most` chunks need.
    pub(super) fn shrink(&mut self, most: usize) {
        self.group_of.clear();
        self.group_of.shrink_to(most);
        self.unchecked.clear();
        self.unchecked.shrink_to(most);
        self.found.clear();
        self.found.shrink_to(most);
    }

    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.group_of.allocation_size()
            + self.unchecked.capacity() * size_of::<Vec<Slot>>()
            + self
                .unchecked
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
