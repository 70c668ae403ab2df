//! Max flow from nodes that give to nodes that take, with capacities on nodes and edges: augmenting
//! paths between two search trees that are kept from path to path (Y. Boykov and V. Kolmogorov,
//! "An experimental comparison of min-cut/max-flow algorithms for energy minimization in vision",
//! 2004).
//!
//! One tree grows from the nodes that give and one from the nodes that take, breadth first. Where
//! they meet there is a path. An end whose arc to its parent is filled by the path becomes an
//! orphan: it finds another parent in its tree, or leaves the tree. If neither tree can grow, the
//! flow is the maximum.

use crate::water::pools::network::Node;
use crate::water::random::shuffle;
use core::ops::Range;
use std::collections::VecDeque;

/// The residual capacity of an arc between two ends. The reverse arc is at `index ^ 1`.
#[derive(Clone, Copy)]
struct Arc {
    to: u32,
    left: i32,
}

/// The search tree that an end is in.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Tree {
    #[default]
    None,
    /// A path leads from this end to a node that takes.
    Take,
    /// A path leads to this end from a node that gives.
    Give,
}

/// How an end is joined to its tree.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Parent {
    #[default]
    None,
    /// The end is a root: its node gives or takes.
    Root,
    /// The end is joined by this arc, along which units come from the parent or go to it.
    Arc(u32),
}

/// The state of an end in the search.
#[derive(Clone, Copy, Default)]
struct End {
    tree: Tree,
    parent: Parent,
    /// The number of the path for which the end's distance from the root was last valid.
    stamp: u32,
    distance: u32,
}

/// A flow network. Each node has two ends: units enter at `2 · node` and leave at `2 · node + 1`.
pub(crate) struct MaxFlow {
    pub(crate) nodes: Vec<Node>,
    /// The arc within each node, the arcs of each edge in both directions, and the reverse of each
    /// of these arcs.
    arcs: Vec<Arc>,
    /// The arcs that leave each end, and where the arcs of each end begin.
    leaving: Vec<u32>,
    first: Vec<u32>,
    ends: Vec<End>,
    /// The ends that may grow.
    active: VecDeque<u32>,
    orphans: Vec<u32>,
    /// The number of paths found.
    paths: u32,
    /// The most units that may still move.
    most: i32,
}

/// The number of paths that are found at a time: one in unit tests, so that the search stops.
const PATHS: usize = if cfg!(test) { 1 } else { 16 };

impl MaxFlow {
    /// Returns a network of these nodes. Each edge joins two nodes, and has a capacity in units for
    /// each direction. The first edges are tried first.
    pub(crate) fn new(nodes: Vec<Node>, edges: &[([u32; 2], i32)]) -> Self {
        let mut arcs = Vec::with_capacity(2 * nodes.len() + 4 * edges.len());
        let mut connect = |from: u32, to: u32, left: i32| {
            arcs.push(Arc { to, left });
            arcs.push(Arc { to: from, left: 0 });
        };
        for (node, id) in nodes.iter().zip(0..) {
            connect(2 * id, 2 * id + 1, node.left);
        }
        for &([a, b], capacity) in edges {
            connect(2 * a + 1, 2 * b, capacity);
            connect(2 * b + 1, 2 * a, capacity);
        }
        let ends = 2 * nodes.len();
        let from = |arc: usize| arcs[arc ^ 1].to as usize;
        let mut first = vec![0; ends + 1];
        (0..arcs.len()).for_each(|arc| first[from(arc) + 1] += 1);
        (0..ends).for_each(|end| first[end + 1] += first[end]);
        let (mut leaving, mut last) = (vec![0; arcs.len()], first.clone());
        for arc in 0..arcs.len() {
            let last = &mut last[from(arc)];
            leaving[*last as usize] = arc as u32;
            *last += 1;
        }
        let (ends, active, orphans) = (vec![End::default(); ends], VecDeque::new(), Vec::new());
        MaxFlow { nodes, arcs, leaving, first, ends, active, orphans, paths: 0, most: 0 }
    }

    /// Begins to move units. The search starts from the nodes that give and take in an order drawn
    /// from the seed.
    pub(crate) fn begin(&mut self, seed: u64) {
        let gives = |id: &u32| self.nodes[*id as usize / 2].give > 0;
        let takes = |id: &u32| self.nodes[*id as usize / 2].take > 0;
        let all = 0..self.ends.len() as u32;
        let giving = all.clone().step_by(2).filter(gives).map(|end| (end, Tree::Give));
        let taking = all.skip(1).step_by(2).filter(takes).map(|end| (end, Tree::Take));
        let mut roots: Vec<(u32, Tree)> = giving.chain(taking).collect();
        shuffle(seed, &mut roots);
        self.ends.fill(End::default());
        for &(end, tree) in &roots {
            self.ends[end as usize] = End { tree, parent: Parent::Root, ..End::default() };
        }
        self.active = roots.into_iter().map(|(end, _)| end).collect();
        self.orphans.clear();
        self.paths = 0;
        let sum = |units: fn(&Node) -> i32| self.nodes.iter().map(units).sum::<i32>();
        self.most = sum(|node| node.give).min(sum(|node| node.take));
    }

    /// Moves units along the next paths. Returns whether as many units have moved as the network
    /// lets through.
    pub(crate) fn advance(&mut self) -> bool {
        for _ in 0..PATHS {
            if self.most == 0 {
                return true;
            }
            let Some(arc) = self.grow() else { return true };
            self.paths += 1;
            self.most -= self.augment(arc);
            // The trees are of no use once all that is given or taken has a way.
            while self.most > 0
                && let Some(orphan) = self.orphans.pop()
            {
                self.adopt(orphan);
            }
        }
        false
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let numbers = [&self.leaving, &self.first, &self.orphans].map(Vec::capacity);
        self.nodes.capacity() * size_of::<Node>()
            + self.arcs.capacity() * size_of::<Arc>()
            + self.ends.capacity() * size_of::<End>()
            + (numbers.iter().sum::<usize>() + self.active.capacity()) * size_of::<u32>()
    }

    fn leaving(&self, end: u32) -> Range<usize> {
        self.first[end as usize] as usize..self.first[end as usize + 1] as usize
    }

    /// Returns whether more units may pass along an arc that leaves an end of a tree, or along the
    /// reverse arc in the tree of the nodes that take.
    fn is_open(&self, tree: Tree, arc: u32) -> bool {
        self.arcs[(arc ^ u32::from(tree == Tree::Take)) as usize].left > 0
    }

    /// Grows the trees until they meet. Returns the arc where they meet; `None` if they cannot.
    fn grow(&mut self) -> Option<u32> {
        while let Some(&end) = self.active.front() {
            let End { tree, stamp, distance, .. } = self.ends[end as usize];
            if tree != Tree::None {
                for index in self.leaving(end) {
                    let arc = self.leaving[index];
                    if !self.is_open(tree, arc) {
                        continue;
                    }
                    let forward = arc ^ u32::from(tree == Tree::Take);
                    let to = self.arcs[arc as usize].to;
                    let there = &mut self.ends[to as usize];
                    if there.tree == Tree::None {
                        let parent = Parent::Arc(forward);
                        *there = End { tree, parent, stamp, distance: distance + 1 };
                        self.active.push_back(to);
                    } else if there.tree != tree {
                        return Some(forward);
                    }
                }
            }
            self.active.pop_front();
        }
        None
    }

    /// Returns the arcs from an end to the root of its tree, and the root.
    fn way_to_root(&self, mut end: u32) -> (Vec<u32>, u32) {
        let mut arcs = Vec::new();
        while let Parent::Arc(arc) = self.ends[end as usize].parent {
            arcs.push(arc);
            end = self.parent_along(end, arc);
        }
        (arcs, end)
    }

    /// Returns the parent of an end along an arc.
    fn parent_along(&self, end: u32, arc: u32) -> u32 {
        match self.ends[end as usize].tree {
            Tree::Give => self.arcs[arc as usize ^ 1].to,
            _ => self.arcs[arc as usize].to,
        }
    }

    /// Moves as many units as can pass along the path through an arc at which the trees meet. The
    /// ends that lose their parents become orphans. Returns the units.
    fn augment(&mut self, arc: u32) -> i32 {
        let (mut path, from) = self.way_to_root(self.arcs[arc as usize ^ 1].to);
        let (rest, to) = self.way_to_root(self.arcs[arc as usize].to);
        path.push(arc);
        path.extend(rest);
        let (give, take) = (self.nodes[from as usize / 2].give, self.nodes[to as usize / 2].take);
        let left = path.iter().map(|&arc| self.arcs[arc as usize].left);
        let units = left.min().unwrap_or_default().min(give).min(take);
        for &arc in &path {
            self.arcs[arc as usize].left -= units;
            self.arcs[arc as usize ^ 1].left += units;
            if self.arcs[arc as usize].left == 0 {
                let [tail, head] = [arc ^ 1, arc].map(|arc| self.arcs[arc as usize].to);
                for end in [tail, head] {
                    if self.ends[end as usize].parent == Parent::Arc(arc) {
                        self.orphan(end);
                    }
                }
            }
        }
        let giver = &mut self.nodes[from as usize / 2];
        (giver.give, giver.gave) = (giver.give - units, giver.gave + units);
        if giver.give == 0 {
            self.orphan(from);
        }
        let taker = &mut self.nodes[to as usize / 2];
        (taker.take, taker.took) = (taker.take - units, taker.took + units);
        if taker.take == 0 {
            self.orphan(to);
        }
        units
    }

    fn orphan(&mut self, end: u32) {
        self.ends[end as usize].parent = Parent::None;
        self.orphans.push(end);
    }

    /// Makes the end nearest to a root of its tree the parent of an orphan. If there is none, the
    /// orphan leaves its tree, and its children become orphans.
    fn adopt(&mut self, orphan: u32) {
        let tree = self.ends[orphan as usize].tree;
        let mut nearest = None;
        for index in self.leaving(orphan) {
            let arc = self.leaving[index];
            let to = self.arcs[arc as usize].to;
            // Units come along the reverse arc from a parent in the tree of the nodes that give.
            let forward = arc ^ u32::from(tree == Tree::Give);
            if self.ends[to as usize].tree == tree
                && self.arcs[forward as usize].left > 0
                && let Some(distance) = self.distance(to)
                && nearest.is_none_or(|(least, _)| distance < least)
            {
                nearest = Some((distance, forward));
            }
        }
        if let Some((distance, arc)) = nearest {
            let (stamp, distance) = (self.paths, distance + 1);
            self.ends[orphan as usize] = End { tree, parent: Parent::Arc(arc), stamp, distance };
            return;
        }
        self.ends[orphan as usize] = End::default();
        for index in self.leaving(orphan) {
            let arc = self.leaving[index];
            let to = self.arcs[arc as usize].to;
            let End { tree: there, parent, .. } = self.ends[to as usize];
            if there != tree {
                continue;
            }
            let forward = arc ^ u32::from(tree == Tree::Give);
            if self.arcs[forward as usize].left > 0 {
                self.active.push_back(to);
            }
            if parent == Parent::Arc(forward ^ 1) {
                self.orphan(to);
            }
        }
    }

    /// Returns the distance of an end from the root of its tree; `None` if the end or an ancestor
    /// of it is an orphan.
    fn distance(&mut self, end: u32) -> Option<u32> {
        let (mut at, mut steps) = (end, 0);
        let mut all = loop {
            let End { parent, stamp, distance, .. } = self.ends[at as usize];
            match parent {
                _ if stamp == self.paths && parent != Parent::None => break distance + steps,
                Parent::Root => break steps,
                Parent::None => return None,
                Parent::Arc(arc) => at = self.parent_along(at, arc),
            }
            steps += 1;
        };
        let (distance, mut at) = (all, end);
        // The distances on the way are valid for this path.
        loop {
            let paths = self.paths;
            let here = &mut self.ends[at as usize];
            if here.stamp == paths {
                break;
            }
            (here.stamp, here.distance) = (paths, all);
            let Parent::Arc(arc) = here.parent else { break };
            at = self.parent_along(at, arc);
            all -= 1;
        }
        Some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Returns the max flow by depth-first searches for one unit each (L. Ford and D. Fulkerson,
    /// 1956).
    fn unit_by_unit(nodes: &[Node], edges: &[([u32; 2], i32)]) -> i32 {
        let (source, sink) = (2 * nodes.len(), 2 * nodes.len() + 1);
        let mut left = vec![vec![0; sink + 1]; sink + 1];
        for (id, node) in nodes.iter().enumerate() {
            left[source][2 * id] += node.give;
            left[2 * id][2 * id + 1] += node.left;
            left[2 * id + 1][sink] += node.take;
        }
        for &(pair, most) in edges {
            let [a, b] = pair.map(|id| 2 * id as usize);
            left[a + 1][b] += most;
            left[b + 1][a] += most;
        }
        fn send(left: &mut [Vec<i32>], seen: &mut [bool], at: usize, sink: usize) -> bool {
            seen[at] = true;
            at == sink
                || (0..=sink).any(|to| {
                    let is_sent = left[at][to] > 0 && !seen[to] && send(left, seen, to, sink);
                    if is_sent {
                        left[at][to] -= 1;
                        left[to][at] += 1;
                    }
                    is_sent
                })
        }
        (0..).take_while(|_| send(&mut left, &mut vec![false; sink + 1], source, sink)).count()
            as i32
    }

    #[test]
    fn random_networks_pass_their_max_flow() {
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let count = rng.usize(2..14);
            let node = |rng: &mut Rng| {
                let mut node = Node::letting(rng.i32(0..12));
                let mut units = || if rng.bool() { rng.i32(0..9) } else { 0 };
                (node.give, node.take) = (units(), units());
                node
            };
            let nodes: Vec<Node> = (0..count).map(|_| node(&mut rng)).collect();
            let end = |rng: &mut Rng| rng.u32(0..count as u32);
            let edges: Vec<([u32; 2], i32)> = (0..rng.usize(0..3 * count))
                .map(|_| ([end(&mut rng), end(&mut rng)], rng.i32(0..9)))
                .filter(|&([a, b], _)| a != b)
                .collect();
            let mut network = MaxFlow::new(nodes.clone(), &edges);
            network.begin(seed);
            while !network.advance() {}
            let moved = |of: fn(&Node) -> i32| network.nodes.iter().map(of).sum::<i32>();
            let most = unit_by_unit(&nodes, &edges);
            let sums = [moved(|node| node.gave), moved(|node| node.took)];
            assert_eq!(sums, [most; 2], "seed {seed}");
            for (now, then) in network.nodes.iter().zip(&nodes) {
                assert_eq!([now.give + now.gave, now.take + now.took], [then.give, then.take]);
            }
        }
    }
}
