//! Pressure on a graph: nodes at any position, finer where it matters, with links that can be added
//! and removed at any time. [`BlastGraph`] describes the weights with which a finer graph behaves
//! the same.

mod edit;
mod query;
#[cfg(feature = "snapshot")]
mod restore;
mod step;
mod values;

pub use edit::GraphError;
#[cfg(feature = "snapshot")]
pub(crate) use restore::{GraphParts, LinkParts, NodeParts};
pub use values::{GraphEdit, GraphOutcome};

use super::field::walls::Broken;
use super::ledger::Ledger;
use super::rules::Rules;
use crate::rules_error::RulesError;
use glam::DVec3;
use std::collections::BTreeSet;

/// The identity of a node of a [`BlastGraph`]. It is never reused within a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeId(pub(crate) u32);

/// Pressure on a graph, in `f64`, with the same [`Rules`] and terms as
/// [`BlastWorld`](super::BlastWorld).
///
/// # Finer graphs
///
/// In a step `coefficient · weight · (p − p')` flows over a link, and changes the pressure of both
/// its ends by that amount: each node counts the same, whatever volume it represents. In the terms
/// of finite volumes, a link with a cross-section `A` and a length `d` between nodes of volume `V`
/// has the conductance `A / d`, and its weight is `A / (d · V)`: 1 on the grid, and 1/d² between
/// the nodes of a lattice with a spacing of `d` cells, in a plane as in space. With these weights,
/// pressure spreads as far in a given number of steps as on the grid, and waves travel as fast.
///
/// - The rule must be stable with these weights: the largest coefficient is d² times the largest
///   coefficient of the grid.
/// - A charge must be placed in all nodes of the volume that it had in a coarser graph, at the same
///   pressure. There are more such nodes in a finer graph, so [`total`](BlastGraph::total) is
///   larger: it counts pressure by node, not by volume.
/// - Between nodes of different volumes no weight is right for both ends. Pressure crosses such a
///   seam and ends equal on both sides. The conserved sum is the sum over nodes, not over volume:
///   of the pressure by volume of a blast from nodes of volume `V`, the share `v / V` arrives in
///   nodes of volume `v`, and `V / v` on the way back. So use the same spacing wherever blasts are
///   to be compared.
///
/// As a [`Simulation`](crate::Simulation), a graph lists its changes as nodes, not as cells of
/// chunks. A link's direction is the direction from node to node, unless another is given
/// ([`add_link_along`](BlastGraph::add_link_along)), as for links over a periodic border.
///
/// ```
/// use floodplain::blast::{BlastGraph, Rules};
/// use floodplain::glam::DVec3;
///
/// let mut graph = BlastGraph::new(Rules::default())?;
/// let charge = graph.add_node(DVec3::ZERO, 300.0)?;
/// let near = graph.add_node(DVec3::X, 0.0)?;
/// graph.add_link(charge, near, 1.0)?;
/// graph.step();
/// assert_eq!(graph.pressure(near), Some(0.24 * 300.0));
/// assert!(graph.flow(near).x > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BlastGraph {
    rules: Rules,
    tick: u64,
    ledger: Ledger,
    /// The nodes by id; `None` where a node was removed. They are boxed, because a long-lived graph
    /// has many removed nodes.
    nodes: Vec<Option<Box<Node>>>,
    /// The order depends only on the order of additions and removals.
    links: Vec<Link>,
    events: Vec<Broken<NodeId>>,
    changed: BTreeSet<NodeId>,
    /// Whether an edit or the last step changed something.
    is_awake: bool,
}

#[derive(Clone, Debug)]
struct Node {
    position: DVec3,
    pressure: f64,
    /// For a closed node: the pressure difference that opens it.
    strength: Option<f64>,
    /// The sum of the weights of all its links.
    weights: f64,
    /// Indices into the graph's links.
    links: Vec<usize>,
}

/// A link from `a` to `b`, or from `a` to the outside at pressure 0.
#[derive(Clone, Debug)]
struct Link {
    a: NodeId,
    b: Option<NodeId>,
    weight: f64,
    /// A unit vector from `a` to `b`, or zero if they are at the same position.
    direction: DVec3,
    /// The flow from `a` to `b` in the last step of the wave rule.
    flow: f64,
}

impl BlastGraph {
    /// Returns a graph without nodes.
    ///
    /// # Errors
    /// A value of the rules is out of range. Stability depends on the links, and is checked when
    /// links are added.
    pub fn new(rules: Rules) -> Result<Self, RulesError> {
        rules.check(0.0)?;
        Ok(BlastGraph {
            rules,
            tick: 0,
            ledger: Ledger::default(),
            nodes: Vec::new(),
            links: Vec::new(),
            events: Vec::new(),
            changed: BTreeSet::new(),
            is_awake: false,
        })
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)?.as_deref()
    }

    fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize)?.as_deref_mut()
    }

    /// Returns the existing nodes, in order.
    fn ids<'a>(&'a self) -> impl Iterator<Item = (NodeId, &'a Node)> {
        let node = |(index, node): (usize, &'a Option<Box<Node>>)| {
            Some((NodeId(index as u32), node.as_deref()?))
        };
        self.nodes.iter().enumerate().filter_map(node)
    }
}
