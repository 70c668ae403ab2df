//! The parts of a saved graph, and how a graph is restored from them.

use super::{BlastGraph, Link, Node, NodeId};
use crate::automata::blast::rules::{Rule, Rules, WEIGHT_LIMIT};
use crate::automata::blast::{Broken, Ledger};
use glam::DVec3;
use std::collections::BTreeSet;

/// A graph without derived data.
pub(crate) struct GraphParts {
    pub(crate) rules: Rules,
    pub(crate) tick: u64,
    pub(crate) ledger: Ledger,
    pub(crate) is_awake: bool,
    /// By id; `None` where a node was removed.
    pub(crate) nodes: Vec<Option<Box<NodeParts>>>,
    pub(crate) links: Vec<LinkParts>,
    pub(crate) events: Vec<Broken<NodeId>>,
    /// In ascending order.
    pub(crate) changed: Vec<NodeId>,
}

pub(crate) struct NodeParts {
    pub(crate) position: DVec3,
    pub(crate) pressure: f64,
    pub(crate) strength: Option<f64>,
    /// Indices into the list of links, in the order in which weights are summed.
    pub(crate) links: Vec<usize>,
}

pub(crate) struct LinkParts {
    pub(crate) a: NodeId,
    pub(crate) b: Option<NodeId>,
    pub(crate) weight: f64,
    pub(crate) direction: DVec3,
    pub(crate) flow: f64,
}

impl BlastGraph {
    pub(crate) fn parts(&self) -> GraphParts {
        let node = |node: &Node| {
            let &Node { position, pressure, strength, weights: _, ref links } = node;
            Box::new(NodeParts { position, pressure, strength, links: links.clone() })
        };
        let link = |link: &Link| LinkParts {
            a: link.a,
            b: link.b,
            weight: link.weight,
            direction: link.direction,
            flow: link.flow,
        };
        GraphParts {
            rules: self.rules,
            tick: self.tick,
            ledger: self.ledger,
            is_awake: self.is_awake,
            nodes: self.nodes.iter().map(|there| there.as_deref().map(node)).collect(),
            links: self.links.iter().map(link).collect(),
            events: self.events.clone(),
            changed: self.changed.iter().copied().collect(),
        }
    }

    /// Returns the graph of these parts.
    ///
    /// # Errors
    /// The parts have a fault that [`validate`](BlastGraph::validate) would not find. The error
    /// describes the fault.
    pub(crate) fn restored(parts: GraphParts) -> Result<Self, String> {
        let mut graph = BlastGraph::new(parts.rules).map_err(|error| error.to_string())?;
        (graph.tick, graph.ledger, graph.is_awake) = (parts.tick, parts.ledger, parts.is_awake);
        let link =
            |LinkParts { a, b, weight, direction, flow }| Link { a, b, weight, direction, flow };
        graph.links = parts.links.into_iter().map(link).collect();
        let node = |parts: Box<NodeParts>| {
            let NodeParts { position, pressure, strength, links } = *parts;
            let weights = links
                .iter()
                .filter_map(|&place| graph.links.get(place))
                .map(|link| link.weight)
                .sum();
            Box::new(Node { position, pressure, strength, weights, links })
        };
        graph.nodes = parts.nodes.into_iter().map(|there| there.map(node)).collect();
        (graph.events, graph.changed) = (parts.events, parts.changed.into_iter().collect());
        graph.check_links()?;
        graph.check_strengths()?;
        let known = |id: &NodeId| (id.0 as usize) < graph.nodes.len();
        if graph.changed.iter().chain(graph.events.iter().map(|event| &event.place)).all(known) {
            Ok(graph)
        } else {
            Err("a change or an event of a node that never existed".to_owned())
        }
    }

    /// Checks that each link joins existing nodes, that no two links join the same nodes, and that
    /// each link is listed once by each of its ends.
    fn check_links(&self) -> Result<(), String> {
        let mut joined = BTreeSet::new();
        let mut ends = BTreeSet::new();
        for (place, link) in self.links.iter().enumerate() {
            let b = link.b.unwrap_or(link.a);
            let fits =
                self.node(link.a).is_some() && self.node(b).is_some() && link.b != Some(link.a);
            if !fits || !joined.insert((link.a.min(b), link.a.max(b))) {
                return Err(format!(
                    "link {place} does not join two nodes that no other link joins"
                ));
            }
            if !self.is_lawful(link) {
                return Err(format!(
                    "link {place} has a weight, a direction or a flow that it cannot have"
                ));
            }
            ends.extend([Some(link.a), link.b].into_iter().flatten().map(|end| (end, place)));
        }
        for (id, node) in self.ids() {
            if let Some(place) = node.links.iter().find(|&&place| !ends.remove(&(id, place))) {
                return Err(format!(
                    "node {} lists link {place}, which does not lead to it, or twice",
                    id.0
                ));
            }
        }
        ends.first().map_or(Ok(()), |(id, place)| {
            Err(format!("node {} does not list its link {place}", id.0))
        })
    }

    /// Returns whether edits and steps can have produced this link.
    fn is_lawful(&self, link: &Link) -> bool {
        let is_closed = |id: NodeId| self.node(id).is_some_and(|node| node.strength.is_some());
        let flows = matches!(self.rules.rule, Rule::Wave { .. })
            && link.weight > 0.0
            && !is_closed(link.a)
            && !link.b.is_some_and(is_closed);
        (0.0..=f64::from(WEIGHT_LIMIT)).contains(&link.weight)
            // A direction's length is not exactly 1, as squares of very short vectors are
            // imprecise.
            && link.direction.to_array().iter().all(|along| along.abs() <= 2.0)
            && (link.flow == 0.0 || flows)
    }

    fn check_strengths(&self) -> Result<(), String> {
        let is_wrong = |&strength: &f64| !(strength > 0.0 && strength.is_finite());
        match self.ids().find(|(_, node)| node.strength.as_ref().is_some_and(is_wrong)) {
            Some((id, _)) => Err(format!("the strength of node {} is not a number above 0", id.0)),
            None => Ok(()),
        }
    }
}
