//! Max flow in a network of capacities: Dinic's algorithm.

use std::collections::VecDeque;

/// A capacity that is never the bottleneck.
pub(super) const UNLIMITED: u32 = u32::MAX / 2;

/// An edge of the residual network. The edge at `index ^ 1` leads back.
struct Edge {
    to: usize,
    left: u32,
}

/// A directed network.
pub(super) struct Network {
    edges: Vec<Edge>,
    /// The edges that leave each node.
    leaving: Vec<Vec<usize>>,
}

impl Network {
    /// Returns a network of `nodes` nodes without edges.
    pub(super) fn new(nodes: usize) -> Network {
        Network { edges: Vec::new(), leaving: vec![Vec::new(); nodes] }
    }

    /// Adds an edge of this capacity.
    pub(super) fn connect(&mut self, from: usize, to: usize, capacity: u32) {
        for (from, to, left) in [(from, to, capacity), (to, from, 0)] {
            self.leaving[from].push(self.edges.len());
            self.edges.push(Edge { to, left });
        }
    }

    /// Sends as many units as possible from one node to another, and returns their number. Later
    /// calls use the capacities that are left.
    pub(super) fn send(&mut self, source: usize, sink: usize) -> u64 {
        let mut sent = 0;
        loop {
            let levels = self.levels(source);
            if levels[sink].is_none() {
                return sent;
            }
            let mut tried = vec![0; self.leaving.len()];
            loop {
                let units = self.augment((source, sink), &levels, &mut tried);
                if units == 0 {
                    break;
                }
                sent += u64::from(units);
            }
        }
    }

    /// Returns the distance of each node from the source over edges with capacity left.
    fn levels(&self, source: usize) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.leaving.len()];
        levels[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &edge in &self.leaving[node] {
                let Edge { to, left } = self.edges[edge];
                if left > 0 && levels[to].is_none() {
                    levels[to] = levels[node].map(|level| level + 1);
                    queue.push_back(to);
                }
            }
        }
        levels
    }

    /// Sends units along one shortest path, and returns their number; 0 if no path is left. `tried`
    /// counts the edges of each node that lead nowhere at these levels.
    fn augment(
        &mut self,
        (source, sink): (usize, usize),
        levels: &[Option<u32>],
        tried: &mut [usize],
    ) -> u32 {
        let mut path: Vec<usize> = Vec::new();
        loop {
            let node = path.last().map_or(source, |&edge| self.edges[edge].to);
            if node == sink {
                let units = path.iter().map(|&edge| self.edges[edge].left).min().unwrap_or(0);
                for edge in path {
                    self.edges[edge].left -= units;
                    self.edges[edge ^ 1].left += units;
                }
                return units;
            }
            let next = levels[node].map(|level| level + 1);
            let leads_on = |edge: &usize| {
                let Edge { to, left } = self.edges[*edge];
                left > 0 && levels[to] == next
            };
            let untried = &self.leaving[node][tried[node]..];
            match untried.iter().position(leads_on) {
                Some(skipped) => {
                    path.push(untried[skipped]);
                    tried[node] += skipped;
                }
                None => {
                    let Some(edge) = path.pop() else { return 0 };
                    tried[self.edges[edge ^ 1].to] += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The max flow equals the min cut, which is found among all cuts.
    #[test]
    fn the_flow_equals_the_least_capacity_of_all_cuts() {
        for seed in 0..200 {
            let mut random = Rng::with_seed(seed);
            let nodes = random.usize(2..8);
            let mut place = || (random.usize(..nodes), random.usize(..nodes), random.u32(..9));
            let edges: Vec<_> = (0..3 * nodes).map(|_| place()).collect();
            let mut network = Network::new(nodes);
            edges.iter().for_each(|&(from, to, capacity)| network.connect(from, to, capacity));
            let cut = |side: usize| -> u64 {
                let is_in = |node: usize| node != 1 && (node == 0 || side >> node & 1 == 1);
                let cut = edges.iter().filter(|&&(from, to, _)| is_in(from) && !is_in(to));
                cut.map(|&(.., capacity)| u64::from(capacity)).sum()
            };
            let least = (0..1 << nodes).map(cut).min();
            assert_eq!(Some(network.send(0, 1)), least, "seed {seed}: {edges:?}");
        }
    }
}
