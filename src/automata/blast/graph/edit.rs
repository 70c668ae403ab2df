//! Edits of a graph between steps: nodes, links, charges, walls. A refused edit changes nothing.

use super::{BlastGraph, Link, Node, NodeId};
use crate::automata::blast::rules::WEIGHT_LIMIT;
use core::fmt;
use glam::DVec3;

/// Added to whatever an edit writes, to turn −0 into 0, so that equal graphs have equal bytes.
const POSITIVE_ZERO: f64 = 0.0;

/// The end of all messages about refused pressures. The limit is
/// [`PRESSURE_LIMIT`](super::super::PRESSURE_LIMIT).
const POSSIBLE: &str =
    "; it must be finite, in size less than 1e18, and not negative where it diffuses";

/// Why an edit of a graph was refused. The edit changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum GraphError {
    /// There is no such node; it may have been removed.
    NoNode(NodeId),
    /// The two nodes are not linked, or, if there is only one, the node has no vent.
    NoLink(NodeId, Option<NodeId>),
    /// The two nodes are linked already or are the same node, or, if there is only one, the node
    /// has a vent already.
    Linked(NodeId, Option<NodeId>),
    /// The node is closed by a wall, so that it has no pressure.
    Closed(NodeId),
    /// The position of a new node has a coordinate that is not finite.
    Position(DVec3),
    /// The direction of the link between two nodes, or of one node's vent (`None`), has a
    /// coordinate that is not finite.
    Direction(NodeId, Option<NodeId>, DVec3),
    /// A pressure that is not a number, or too large, or negative under the diffusive rule.
    Pressure {
        /// The node; `None` for a new node.
        node: Option<NodeId>,
        /// The refused value.
        value: f64,
    },
    /// The weight of the link between two nodes, or of one node's vent (`None`), is not a number
    /// from 0 to [`WEIGHT_LIMIT`].
    Weight(NodeId, Option<NodeId>, f64),
    /// The strength of a wall at this node is not a number above 0.
    Strength(NodeId, f64),
    /// Unstable: with this weight the shortest waves at a node would grow from step to step.
    Unstable {
        /// The node.
        node: NodeId,
        /// The resulting sum of the weights of the node's links.
        weights: f64,
        /// The most that the coefficient times this sum may be.
        limit: f64,
    },
    /// A graph holds fewer than 2³² nodes over its life.
    Full,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::NoNode(node) => write!(f, "there is no node {}", node.0),
            GraphError::NoLink(a, Some(b)) => write!(f, "nodes {} and {} are not linked", a.0, b.0),
            GraphError::NoLink(a, None) => write!(f, "node {} has no vent", a.0),
            GraphError::Linked(a, Some(b)) if a == b => {
                write!(f, "node {} cannot be linked with itself", a.0)
            }
            GraphError::Linked(a, Some(b)) => {
                write!(f, "nodes {} and {} are linked already", a.0, b.0)
            }
            GraphError::Linked(a, None) => write!(f, "node {} has a vent already", a.0),
            GraphError::Closed(node) => write!(f, "node {} is closed and has no pressure", node.0),
            GraphError::Position(value) => write!(f, "a new node at {value}, which is not finite"),
            GraphError::Direction(a, b, value) => {
                write!(f, "the direction {value} of {}, which is not finite", LinkName(*a, *b))
            }
            GraphError::Pressure { node: Some(node), value } => {
                write!(f, "a pressure of {value} at node {}{POSSIBLE}", node.0)
            }
            GraphError::Pressure { node: None, value } => {
                write!(f, "a pressure of {value} at a new node{POSSIBLE}")
            }
            GraphError::Weight(a, b, value) => {
                write!(
                    f,
                    "a weight of {value} of {}, not from 0 to {WEIGHT_LIMIT:e}",
                    LinkName(*a, *b)
                )
            }
            GraphError::Strength(node, value) => {
                write!(f, "a strength of {value} at node {}, not a number above 0", node.0)
            }
            GraphError::Unstable { node, weights, limit } => {
                let node = node.0;
                write!(
                    f,
                    "node {node} would have weights of {weights}; times the coefficient that is \
                     above {limit}: unstable"
                )
            }
            GraphError::Full => f.write_str("a graph holds fewer than 2³² nodes over its life"),
        }
    }
}

impl core::error::Error for GraphError {}

/// Displays a link of two nodes, or the vent of one.
struct LinkName(NodeId, Option<NodeId>);

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkName(a, Some(b)) => write!(f, "the link of nodes {} and {}", a.0, b.0),
            LinkName(a, None) => write!(f, "the vent of node {}", a.0),
        }
    }
}

impl BlastGraph {
    /// Adds a node without links. The ledger counts its pressure as placed, or as removed if it is
    /// below 0.
    ///
    /// # Errors
    /// The position is not finite, the pressure is out of range, or the graph can hold no more
    /// nodes.
    pub fn add_node(&mut self, position: DVec3, pressure: f64) -> Result<NodeId, GraphError> {
        self.check_pressure(None, pressure)?;
        if !position.is_finite() {
            return Err(GraphError::Position(position));
        }
        let id = NodeId(u32::try_from(self.nodes.len()).map_err(|_| GraphError::Full)?);
        let (position, pressure) = (position + POSITIVE_ZERO, pressure + POSITIVE_ZERO);
        let node = Node { position, pressure, strength: None, weights: 0.0, links: Vec::new() };
        self.nodes.push(Some(Box::new(node)));
        self.ledger.change(0.0, pressure);
        self.touch(id);
        Ok(id)
    }

    /// Removes a node with its links. Returns its pressure, which the ledger counts as removed, or
    /// as placed if it is below 0.
    ///
    /// # Errors
    /// There is no such node.
    pub fn remove_node(&mut self, node: NodeId) -> Result<f64, GraphError> {
        let pressure = self.node(node).ok_or(GraphError::NoNode(node))?.pressure;
        while let Some(&link) = self.node(node).and_then(|node| node.links.last()) {
            self.cut(link);
        }
        self.nodes[node.0 as usize] = None;
        self.ledger.change(pressure, 0.0);
        self.touch(node);
        Ok(pressure)
    }

    /// Links two nodes, in the direction from `a` to `b`. The weight is 1 for open air, less for
    /// obstacles that let pressure through slowly.
    ///
    /// # Errors
    /// A node does not exist, the nodes are the same or are linked already, the weight is out of
    /// range, or the rule would be unstable with it at either node.
    pub fn add_link(&mut self, a: NodeId, b: NodeId, weight: f64) -> Result<(), GraphError> {
        let [from, to] =
            [a, b].map(|id| self.node(id).map(|node| node.position).ok_or(GraphError::NoNode(id)));
        let (from, to) = (from?, to?);
        let apart = to - from;
        // The difference of positions may overflow; the difference of their halves does not.
        self.add_link_along(
            a,
            b,
            weight,
            if apart.is_finite() { apart } else { 0.5 * to - 0.5 * from },
        )
    }

    /// Links two nodes, as [`add_link`](BlastGraph::add_link) does, but in a given direction as
    /// seen from `a`: for links over a periodic border. The length of the direction does not
    /// matter.
    ///
    /// # Errors
    /// [`add_link`](BlastGraph::add_link) would return an error, or the direction is not finite.
    pub fn add_link_along(
        &mut self,
        a: NodeId,
        b: NodeId,
        weight: f64,
        direction: DVec3,
    ) -> Result<(), GraphError> {
        if a == b || self.link_between(a, Some(b)).is_some() {
            return Err(GraphError::Linked(a, Some(b)));
        }
        self.connect(a, Some(b), weight, direction)
    }

    /// Links a node to the outside, an endless space at pressure 0. The ledger counts the outflow
    /// as left.
    ///
    /// # Errors
    /// There is no such node, it has a vent already, the weight is out of range, the rule would be
    /// unstable with it, or the direction is not finite.
    pub fn add_vent(
        &mut self,
        node: NodeId,
        weight: f64,
        direction: DVec3,
    ) -> Result<(), GraphError> {
        if self.link_between(node, None).is_some() {
            return Err(GraphError::Linked(node, None));
        }
        self.connect(node, None, weight, direction)
    }

    /// Removes the link between two nodes.
    ///
    /// # Errors
    /// The nodes are not linked.
    pub fn remove_link(&mut self, a: NodeId, b: NodeId) -> Result<(), GraphError> {
        let link = self.link_between(a, Some(b)).ok_or(GraphError::NoLink(a, Some(b)))?;
        self.cut(link);
        Ok(())
    }

    /// Closes a node's vent.
    ///
    /// # Errors
    /// The node has no vent.
    pub fn remove_vent(&mut self, node: NodeId) -> Result<(), GraphError> {
        let link = self.link_between(node, None).ok_or(GraphError::NoLink(node, None))?;
        self.cut(link);
        Ok(())
    }

    /// Changes the weight of the link between two nodes. Returns the old weight. Under the wave
    /// rule a lower weight reduces the link's flow in proportion, as in
    /// [`BlastWorld::set_link`](crate::blast::BlastWorld::set_link).
    ///
    /// # Errors
    /// The nodes are not linked, the weight is out of range, or the rule would be unstable with it
    /// at either node.
    pub fn set_link(&mut self, a: NodeId, b: NodeId, weight: f64) -> Result<f64, GraphError> {
        let place = self.link_between(a, Some(b)).ok_or(GraphError::NoLink(a, Some(b)))?;
        let old = self.links[place].weight;
        self.check_weight(a, Some(b), weight, weight - old)?;
        let link = &mut self.links[place];
        link.weight = weight + POSITIVE_ZERO;
        if weight < old {
            link.flow = link.flow * (weight / old) + POSITIVE_ZERO;
        }
        [a, b].into_iter().for_each(|end| self.weigh(end));
        [a, b].into_iter().for_each(|end| self.touch(end));
        Ok(old)
    }

    /// Sets a node's pressure. Returns the old pressure.
    ///
    /// # Errors
    /// There is no such node, it is closed, or the pressure is out of range.
    pub fn set_pressure(&mut self, node: NodeId, pressure: f64) -> Result<f64, GraphError> {
        self.check_pressure(Some(node), pressure)?;
        let there = self.node_mut(node).ok_or(GraphError::NoNode(node))?;
        if there.strength.is_some() {
            return Err(GraphError::Closed(node));
        }
        let old = core::mem::replace(&mut there.pressure, pressure + POSITIVE_ZERO);
        self.ledger.change(old, pressure);
        self.touch(node);
        Ok(old)
    }

    /// Closes a node until the pressure difference across it exceeds `strength`, as in
    /// [`BlastWorld::set_wall`](crate::blast::BlastWorld::set_wall). Returns the pressure that was
    /// in the node.
    ///
    /// # Errors
    /// There is no such node, or the strength is not a number above 0.
    pub fn set_wall(&mut self, node: NodeId, strength: f64) -> Result<f64, GraphError> {
        if !(strength > 0.0 && strength.is_finite()) {
            return Err(GraphError::Strength(node, strength));
        }
        let there = self.node_mut(node).ok_or(GraphError::NoNode(node))?;
        there.strength = Some(strength);
        let old = core::mem::replace(&mut there.pressure, 0.0);
        for place in there.links.clone() {
            self.links[place].flow = 0.0;
        }
        self.ledger.change(old, 0.0);
        self.touch(node);
        Ok(old)
    }

    /// Opens a closed node at pressure 0. Returns `false` if it was open already.
    ///
    /// # Errors
    /// There is no such node.
    pub fn clear_wall(&mut self, node: NodeId) -> Result<bool, GraphError> {
        let was_closed =
            self.node_mut(node).ok_or(GraphError::NoNode(node))?.strength.take().is_some();
        if was_closed {
            self.touch(node);
        }
        Ok(was_closed)
    }

    fn connect(
        &mut self,
        a: NodeId,
        b: Option<NodeId>,
        weight: f64,
        direction: DVec3,
    ) -> Result<(), GraphError> {
        if !direction.is_finite() {
            return Err(GraphError::Direction(a, b, direction));
        }
        self.check_weight(a, b, weight, weight)?;
        let place = self.links.len();
        let (weight, direction) = (weight + POSITIVE_ZERO, unit(direction) + POSITIVE_ZERO);
        self.links.push(Link { a, b, weight, direction, flow: 0.0 });
        for end in [Some(a), b].into_iter().flatten() {
            if let Some(node) = self.node_mut(end) {
                node.links.push(place);
            }
            self.weigh(end);
            self.touch(end);
        }
        Ok(())
    }

    /// Removes a link. The last link moves to its place.
    fn cut(&mut self, place: usize) {
        let ends = |link: &Link| [Some(link.a), link.b].into_iter().flatten();
        let cut = self.links.swap_remove(place);
        for end in ends(&cut) {
            if let Some(node) = self.node_mut(end) {
                node.links.retain(|&link| link != place);
            }
        }
        let last = self.links.len();
        if let Some(moved) = self.links.get(place).cloned() {
            for end in ends(&moved) {
                let links = self.node_mut(end).map(|node| &mut node.links);
                links
                    .into_iter()
                    .flatten()
                    .filter(|link| **link == last)
                    .for_each(|link| *link = place);
            }
        }
        for end in ends(&cut) {
            self.weigh(end);
            self.touch(end);
        }
    }

    /// Recomputes the sum of the weights at a node.
    fn weigh(&mut self, id: NodeId) {
        let weights = self
            .node(id)
            .map_or(0.0, |node| node.links.iter().map(|&link| self.links[link].weight).sum());
        if let Some(node) = self.node_mut(id) {
            node.weights = weights;
        }
    }

    fn touch(&mut self, node: NodeId) {
        self.changed.insert(node);
        self.is_awake = true;
    }

    fn check_pressure(&self, node: Option<NodeId>, value: f64) -> Result<(), GraphError> {
        if self.rules.rule.admits(value) {
            Ok(())
        } else {
            Err(GraphError::Pressure { node, value })
        }
    }

    fn check_weight(
        &self,
        a: NodeId,
        b: Option<NodeId>,
        weight: f64,
        more: f64,
    ) -> Result<(), GraphError> {
        if !(0.0..=f64::from(WEIGHT_LIMIT)).contains(&weight) {
            return Err(GraphError::Weight(a, b, weight));
        }
        for node in [Some(a), b].into_iter().flatten() {
            let weights = self.node(node).ok_or(GraphError::NoNode(node))?.weights + more;
            if more > 0.0 && !self.rules.rule.is_stable(weights) {
                return Err(GraphError::Unstable { node, weights, limit: self.rules.rule.limit() });
            }
        }
        Ok(())
    }
}

/// Returns the unit vector of a direction, zero for zero. Divides by a power of two first, which is
/// exact, since the squares of very long or very short vectors leave the range of `f64`.
fn unit(direction: DVec3) -> DVec3 {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    let longest = direction.abs().max_element();
    let power = f64::from_bits(longest.to_bits() & EXPONENT).max(f64::MIN_POSITIVE);
    (direction / power).normalize_or_zero()
}
