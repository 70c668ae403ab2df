//! A flow network with capacities on nodes and edges, and a greedy variant of Dinic's algorithm for
//! it. Each phase computes distances to the sinks, pushes surplus to nearer nodes, and returns what
//! no sink absorbed. The number of phases is bounded, so the flow may be less than the maximum.

use core::ops::Range;

/// The most phases of a pass.
const PHASES: usize = 12;

/// A pass ends after a phase that moves at most 1/`LEAST` of the units moved before.
const LEAST: i32 = 32;

/// A node of a flow network, in units. [`MaxFlow`](crate::water::pools::max_flow::MaxFlow) also has
/// such nodes: it uses their first four fields, and `left` as a constant capacity.
#[derive(Clone, Copy, Default)]
pub(crate) struct Node {
    /// The units that the node would still give and take.
    pub(crate) give: i32,
    pub(crate) take: i32,
    /// The units that the node gives and takes.
    pub(crate) gave: i32,
    pub(crate) took: i32,
    /// The units that may still pass through the node, and that have passed.
    pub(crate) left: i32,
    passed: i32,
    /// In this phase: the distance from the nearest node that takes, and the units received,
    /// absorbed and left over.
    distance: u32,
    inflow: i32,
    absorbed: i32,
    over: i32,
}

impl Node {
    /// Returns a node through which `left` units may pass.
    pub(crate) fn letting(left: i32) -> Self {
        Node { left, ..Node::default() }
    }

    /// Returns the units that have passed through the node.
    pub(crate) fn passed(&self) -> i32 {
        self.passed
    }
}

/// The distance of a node without a way to a node that takes.
const FAR: u32 = u32::MAX;

/// An undirected flow network.
pub(crate) struct Network {
    pub(crate) nodes: Vec<Node>,
    /// The units that may still pass along each edge, and the units that pass in this phase.
    edges: Vec<(i32, i32)>,
    /// The two nodes of each edge, and the net units that have passed from the first to the second.
    passed: Vec<([u32; 2], i32)>,
    /// For each node, its neighbours and the edges to them.
    near: Vec<(u32, u32)>,
    /// Where the neighbours of each node begin.
    first: Vec<u32>,
    /// The nodes that have a way to a node that takes, by distance.
    order: Vec<u32>,
    /// The phases since the network was begun, and the units moved in them.
    phases: usize,
    moved: i32,
}

impl Network {
    /// Returns a network of these nodes. Each edge joins two nodes, and has a capacity in units.
    pub(crate) fn new(nodes: Vec<Node>, joins: &[([u32; 2], i32)]) -> Self {
        let mut first = vec![0; nodes.len() + 1];
        for at in joins.iter().flat_map(|(ends, _)| ends) {
            first[*at as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let (mut near, mut end) = (vec![(0, 0); 2 * joins.len()], first.clone());
        for (edge, &([a, b], _)) in joins.iter().enumerate() {
            for (from, to) in [(a, b), (b, a)] {
                near[end[from as usize] as usize] = (to, edge as u32);
                end[from as usize] += 1;
            }
        }
        let edges = joins.iter().map(|&(_, capacity)| (capacity, 0)).collect();
        let passed = joins.iter().map(|&(ends, _)| (ends, 0)).collect();
        Network { nodes, edges, passed, near, first, order: Vec::new(), phases: 0, moved: 0 }
    }

    /// Returns the units that have passed along an edge, from its first node to the second or, if
    /// negative, back.
    pub(crate) fn passed_along(&self, edge: usize) -> i32 {
        self.passed[edge].1
    }

    fn near(&self, node: u32) -> Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Begins to move the units that the nodes give and take now.
    pub(crate) fn begin(&mut self) {
        (self.phases, self.moved) = (0, 0);
    }

    /// Moves water in one phase. Returns whether another phase follows.
    pub(crate) fn advance(&mut self) -> bool {
        if self.phases == PHASES || self.measure() == 0 {
            return false;
        }
        self.push();
        let units = self.settle();
        let is_last = units * LEAST <= self.moved;
        self.phases += 1;
        self.moved += units;
        !is_last
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<(i32, i32)>()
            + self.passed.capacity() * size_of::<([u32; 2], i32)>()
            + self.near.capacity() * size_of::<(u32, u32)>()
            + (self.first.capacity() + self.order.capacity()) * size_of::<u32>()
    }

    /// Finds the distances from the nodes that take to all nodes that give (breadth-first search).
    /// Returns the number of nodes that give and have a way.
    fn measure(&mut self) -> usize {
        self.order.clear();
        let (mut giving, mut met) = (0, 0);
        for (at, node) in self.nodes.iter_mut().enumerate() {
            (node.distance, node.inflow, node.absorbed, node.over) = (FAR, 0, 0, 0);
            giving += usize::from(node.give > 0);
            if node.take > 0 && node.left > 0 {
                node.distance = 0;
                self.order.push(at as u32);
                met += usize::from(node.give > 0);
            }
        }
        self.edges.iter_mut().for_each(|edge| edge.1 = 0);
        let mut at = 0;
        while met < giving
            && let Some(&node) = self.order.get(at)
        {
            at += 1;
            let distance = self.nodes[node as usize].distance + 1;
            for index in self.near(node) {
                let (to, edge) = self.near[index];
                let there = &mut self.nodes[to as usize];
                if there.distance == FAR && there.left > 0 && self.edges[edge as usize].0 > 0 {
                    there.distance = distance;
                    self.order.push(to);
                    met += usize::from(there.give > 0);
                }
            }
        }
        met
    }

    /// Pushes surplus from far nodes to near ones.
    fn push(&mut self) {
        for at in (0..self.order.len()).rev() {
            let id = self.order[at];
            let node = self.nodes[id as usize];
            let passes = (node.give + node.inflow).min(node.left);
            let absorbed = passes.min(node.take);
            let mut on = passes - absorbed;
            for index in self.near(id) {
                let (to, edge) = self.near[index];
                if on == 0 {
                    break;
                }
                if self.nodes[to as usize].distance < node.distance {
                    let edge = &mut self.edges[edge as usize];
                    edge.1 = on.min(edge.0);
                    on -= edge.1;
                    self.nodes[to as usize].inflow += edge.1;
                }
            }
            let node = &mut self.nodes[id as usize];
            node.absorbed = absorbed;
            node.over = node.give + node.inflow - passes + on;
        }
    }

    /// Sends the units that no node took back to where they came from, and books the rest. Returns
    /// the units booked.
    fn settle(&mut self) -> i32 {
        let mut units = 0;
        for at in 0..self.order.len() {
            let id = self.order[at];
            let node = self.nodes[id as usize];
            let kept = node.over.min(node.give);
            let mut back = node.over - kept;
            for index in self.near(id) {
                if back == 0 {
                    break;
                }
                let (from, edge) = self.near[index];
                let edge = &mut self.edges[edge as usize];
                if self.nodes[from as usize].distance > node.distance && edge.1 > 0 {
                    let returned = back.min(edge.1);
                    edge.1 -= returned;
                    back -= returned;
                    self.nodes[from as usize].over += returned;
                }
            }
            let node = &mut self.nodes[id as usize];
            let gave = node.give - kept;
            let passed = gave + node.inflow - (node.over - kept);
            node.left -= passed;
            node.passed += passed;
            node.give -= gave;
            node.gave += gave;
            node.take -= node.absorbed;
            node.took += node.absorbed;
            units += node.absorbed;
        }
        for ((left, passes), (ends, passed)) in self.edges.iter_mut().zip(&mut self.passed) {
            let [first, second] = ends.map(|end| self.nodes[end as usize].distance);
            *left -= *passes;
            *passed += if first > second { *passes } else { -*passes };
        }
        units
    }
}
