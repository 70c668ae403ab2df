//! Reading a graph: nodes, flows, totals, changes, the hash of its state, and the check of its
//! invariants.

use super::{BlastGraph, GraphEdit, GraphError, GraphOutcome, Link, Node, NodeId};
use crate::automata::blast::Ledger;
use crate::automata::blast::field::walls::Broken;
use crate::automata::blast::probe::{LinkFluxes, net_flux};
use crate::automata::blast::rules::{Rule, Rules};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::simulation::simulation;
use crate::state_hash::StateHash;
use core::fmt;
use glam::{DVec3, IVec3};
use std::collections::BTreeMap;

/// The first invariant that [`BlastGraph::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphViolation {
    /// The sum of the pressures differs from the ledger by more than a millionth.
    Ledger {
        /// The sum of the nodes.
        counted: f64,
        /// The ledger's total.
        booked: f64,
    },
    /// A pressure is not a finite number, is negative under the diffusive rule, or is in a closed
    /// node.
    Pressure {
        /// The node.
        node: NodeId,
        /// The pressure.
        pressure: f64,
    },
    /// A node's list of links or the sum of their weights is wrong, or the rule is unstable at the
    /// node.
    Links {
        /// The node.
        node: NodeId,
        /// The sum of the weights of the node's links.
        weights: f64,
    },
    /// The graph sleeps although a step would change it.
    Asleep,
}

impl fmt::Display for GraphViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphViolation::Ledger { counted, booked } => {
                write!(f, "{counted} in the nodes, {booked} in the ledger")
            }
            GraphViolation::Pressure { node, pressure } => {
                write!(f, "node {} has a pressure of {pressure}", node.0)
            }
            GraphViolation::Links { node, weights } => write!(
                f,
                "the links of node {}, of weights {weights} in sum, are not those that lead to it, \
                 or make it unstable",
                node.0
            ),
            GraphViolation::Asleep => {
                f.write_str("the graph is asleep, but a step would change it")
            }
        }
    }
}

impl core::error::Error for GraphViolation {}

impl BlastGraph {
    /// Returns the graph's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the number of steps run so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the existing nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.ids().map(|(id, _)| id)
    }

    /// Returns a node's position; `None` if the node does not exist.
    pub fn position(&self, node: NodeId) -> Option<DVec3> {
        self.node(node).map(|node| node.position)
    }

    /// Returns a node's pressure, 0 if the node is closed; `None` if it does not exist.
    pub fn pressure(&self, node: NodeId) -> Option<f64> {
        self.node(node).map(|node| node.pressure)
    }

    /// Returns the strength of the wall that closes a node; `None` if the node is open or does not
    /// exist.
    pub fn strength(&self, node: NodeId) -> Option<f64> {
        self.node(node)?.strength
    }

    /// Returns the weight of the link between two nodes; `None` if they are not linked.
    pub fn link(&self, a: NodeId, b: NodeId) -> Option<f64> {
        self.link_between(a, Some(b)).map(|place| self.links[place].weight)
    }

    /// Returns the flow vector at a node, as [`BlastWorld::flow`](crate::blast::BlastWorld::flow)
    /// does at a cell; zero if the node does not exist.
    pub fn flow(&self, node: NodeId) -> DVec3 {
        net_flux(&self.flows_at(node))
    }

    /// Returns the sum of the magnitudes of the flows over a node's links, 0 or more.
    pub fn exposure(&self, node: NodeId) -> f64 {
        // An empty sum is −0.
        self.flows_at(node).iter().map(|(_, flow)| flow.abs()).sum::<f64>() + 0.0
    }

    /// Returns the outflow over each of a node's links.
    pub(super) fn flows_at(&self, id: NodeId) -> LinkFluxes {
        let out = |&place: &usize| {
            let link = &self.links[place];
            let flow = match self.rules.rule {
                Rule::Diffusive { .. } => self.flux_over(link),
                Rule::Wave { .. } => link.flow,
            };
            if link.a == id { (link.direction, flow) } else { (-link.direction, -flow) }
        };
        self.node(id).into_iter().flat_map(|node| &node.links).map(out).collect()
    }

    /// Returns the sum of all pressures, added in order of the nodes.
    pub fn total(&self) -> f64 {
        self.ids().map(|(_, node)| node.pressure).sum::<f64>() + 0.0
    }

    /// Returns the account of all pressure that entered and left.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Returns the number of nodes that the next step will visit: all, or none.
    pub fn awake_nodes(&self) -> usize {
        if self.is_awake { self.ids().count() } else { 0 }
    }

    /// Returns whether the graph will not change until the next edit.
    pub fn is_at_rest(&self) -> bool {
        !self.is_awake
    }

    /// Wakes the graph. Has no other effect.
    pub fn wake_all(&mut self) {
        self.is_awake = true;
    }

    /// Takes the list of nodes that have changed since the last call, in order: added, removed, or
    /// with another pressure or other links.
    pub fn take_changes(&mut self) -> Vec<NodeId> {
        core::mem::take(&mut self.changed).into_iter().collect()
    }

    /// Takes the walls that broke since the last call, by step, then in order of the nodes.
    pub fn take_events(&mut self) -> Vec<Broken<NodeId>> {
        core::mem::take(&mut self.events)
    }

    /// Returns a hash of the state that decides the future: tick count, nodes and links. It is the
    /// same on every platform. Rules are not included.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        hash.add(self.tick);
        for (id, node) in self.ids() {
            hash.add(u64::from(id.0));
            hash.add((node.pressure + 0.0).to_bits());
            hash.add(node.strength.map_or(0, f64::to_bits));
        }
        for Link { a, b, weight, direction, flow } in &self.links {
            hash.add(u64::from(a.0) << 32 | b.map_or(u64::from(u32::MAX), |b| u64::from(b.0)));
            for value in [*weight, direction.x, direction.y, direction.z, *flow] {
                hash.add((value + 0.0).to_bits());
            }
        }
        hash.finish()
    }

    /// Checks every invariant between steps.
    ///
    /// # Errors
    /// The first invariant found broken.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        self.check_laws().map_err(crate::Violation::of)
    }

    /// Returns the first broken law as a typed error.
    pub(crate) fn check_laws(&self) -> Result<(), GraphViolation> {
        let mut degrees = vec![0; self.nodes.len()];
        for end in self.links.iter().flat_map(|link| [Some(link.a), link.b]).flatten() {
            degrees[end.0 as usize] += 1;
        }
        for (id, node) in self.ids() {
            let is_signed = matches!(self.rules.rule, Rule::Wave { .. });
            let fits =
                node.pressure.is_finite() && (is_signed || self.rules.rule.admits(node.pressure));
            if !fits || node.strength.is_some() && node.pressure != 0.0 {
                return Err(GraphViolation::Pressure { node: id, pressure: node.pressure });
            }
            let leads_here = |link: &Link| link.a == id || link.b == Some(id);
            let is_linked = |&place: &usize| self.links.get(place).is_some_and(leads_here);
            let weights: f64 = node
                .links
                .iter()
                .filter_map(|&place| self.links.get(place))
                .map(|link| link.weight)
                .sum();
            let is_true = node.links.iter().all(is_linked)
                && node.links.len() == degrees[id.0 as usize]
                && weights == node.weights;
            if !is_true || !self.rules.rule.is_stable(weights) {
                return Err(GraphViolation::Links { node: id, weights });
            }
        }
        let (counted, booked) = (self.total(), self.ledger.total());
        let pressures = self.ids().map(|(_, node)| node.pressure.abs());
        let there: f64 = pressures.chain(self.links.iter().map(|link| link.flow.abs())).sum();
        if !self.ledger.agrees_with(counted, there) {
            return Err(GraphViolation::Ledger { counted, booked });
        }
        if self.is_awake || !self.would_change() { Ok(()) } else { Err(GraphViolation::Asleep) }
    }

    /// Returns the approximate number of bytes on the heap: nodes, links and lists.
    pub fn memory_bytes(&self) -> usize {
        let lists: usize =
            self.ids().map(|(_, node)| node.links.capacity() * size_of::<usize>()).sum();
        lists
            + self.nodes.capacity() * size_of::<Option<Box<Node>>>()
            + self.ids().count() * size_of::<Node>()
            + self.links.capacity() * size_of::<Link>()
            + self.events.capacity() * size_of::<Broken<NodeId>>()
            + self.changed.len() * size_of::<NodeId>()
    }

    /// Returns the index of the link between two nodes, or of a node's vent.
    pub(super) fn link_between(&self, a: NodeId, b: Option<NodeId>) -> Option<usize> {
        let joins = |&place: &usize| {
            let link = &self.links[place];
            (link.a, link.b) == (a, b) || b.is_some() && (Some(link.a), link.b) == (b, Some(a))
        };
        self.node(a)?.links.iter().copied().find(joins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::says;

    /// Returns the violation found in a damaged graph of two linked nodes, the second with a vent.
    fn found(damage: impl FnOnce(&mut BlastGraph)) -> GraphViolation {
        let mut graph = BlastGraph::new(Rules::default()).unwrap();
        let [a, b] = [0.0, 1.0].map(|x| graph.add_node(DVec3::X * x, 10.0).unwrap());
        graph.add_link(a, b, 0.5).unwrap();
        graph.add_vent(b, 1.0, DVec3::X).unwrap();
        graph.run(3);
        assert_eq!(graph.check_laws(), Ok(()));
        damage(&mut graph);
        graph.check_laws().unwrap_err()
    }

    #[test]
    fn every_broken_invariant_is_found() {
        let [a, b] = [NodeId(0), NodeId(1)];
        let node = |graph: &mut BlastGraph, id: NodeId, damage: fn(&mut Node)| {
            damage(graph.node_mut(id).unwrap());
        };
        let negative = found(|graph| node(graph, b, |node| node.pressure = -1.0));
        assert_eq!(negative, GraphViolation::Pressure { node: b, pressure: -1.0 });
        let closed =
            found(|graph| node(graph, a, |node| (node.pressure, node.strength) = (2.0, Some(1.0))));
        assert_eq!(closed, GraphViolation::Pressure { node: a, pressure: 2.0 });
        let weighed = found(|graph| node(graph, a, |node| node.weights = 0.75));
        assert_eq!(weighed, GraphViolation::Links { node: a, weights: 0.5 });
        let unlinked = found(|graph| node(graph, b, |node| node.links.truncate(1)));
        assert_eq!(unlinked, GraphViolation::Links { node: b, weights: 0.5 });
        let strayed = found(|graph| node(graph, a, |node| node.links[0] = 1));
        assert_eq!(strayed, GraphViolation::Links { node: a, weights: 1.0 });
        let stiff = found(|graph| {
            graph.links[1].weight = 9.0;
            graph.node_mut(b).unwrap().weights = 9.5;
        });
        assert_eq!(stiff, GraphViolation::Links { node: b, weights: 9.5 });
        let lost = found(|graph| graph.ledger.placed += 1.0);
        assert!(matches!(lost, GraphViolation::Ledger { counted, booked }
                if (booked - counted - 1.0).abs() < 1e-9));
        assert_eq!(found(|graph| graph.is_awake = false), GraphViolation::Asleep);
        for law in [negative, weighed, lost, GraphViolation::Asleep] {
            assert!(!law.to_string().is_empty());
        }
    }

    #[test]
    fn a_broken_ledger_names_its_figures() {
        says(&GraphViolation::Ledger { counted: 11.5, booked: 12.5 }, &["11.5", "12.5", "ledger"]);
    }
}

simulation! {
    [] BlastGraph;
    edits: GraphEdit, GraphOutcome, GraphError;
    sums: f64, Ledger;
    changes: NodeId;
    events: Broken<NodeId>;
    awake: awake_nodes;

    /// Visits the hashes of blocks of 4096 nodes, by number.
    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        let mut blocks: BTreeMap<u32, StateHash> = BTreeMap::new();
        for node in self.nodes() {
            let hash = blocks.entry(node.0 / CHUNK_CELLS as u32).or_insert_with(StateHash::new);
            hash.add(node.0.into());
            hash.add(self.pressure(node).map_or(0, |pressure| (pressure + 0.0).to_bits()));
            hash.add(self.strength(node).map_or(0, f64::to_bits));
        }
        for (block, hash) in blocks {
            visit(ChunkPos::new(block as i32, 0, 0), hash.finish());
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let node = NodeId(chunk.x as u32 * CHUNK_CELLS as u32 + index as u32);
        let (pressure, strength) = (self.pressure(node), self.strength(node));
        (IVec3::X * node.0 as i32, format!("pressure {pressure:?}, strength {strength:?}"))
    }

    fn describe(&self) -> String {
        format!("{:?}", self.rules())
    }

    fn take_events(&mut self) -> Vec<Broken<NodeId>> {
        Self::take_events(self)
    }
}
