//! Edits as values, and their bytes: one for each function of [`BlastGraph`] that changes it
//! between steps.

use super::{BlastGraph, GraphError, NodeId};
use crate::edit_bytes::{EditBytesError, Field, Reader, Writer, edit_bytes};
use glam::DVec3;

/// An edit of a graph of pressure as a value: to be made by [`BlastGraph::apply`], or kept and sent
/// as bytes ([`to_bytes`](GraphEdit::to_bytes)).
///
/// Two graphs that get the same edits number their nodes alike, so a [`NodeId`] means the same node
/// in both. A step is never left unfinished, so edits need no queue in the graph: a game that
/// collects them in a list and makes them before its next step has the same bytes as one that makes
/// each at once.
///
/// ```
/// use floodplain::blast::{BlastGraph, GraphEdit, GraphOutcome, Rules};
/// use floodplain::glam::DVec3;
///
/// let mut graph = BlastGraph::new(Rules::default())?;
/// let charge = GraphEdit::AddNode { position: DVec3::ZERO, pressure: 300.0 };
/// let Ok(GraphOutcome::Node(node)) = graph.apply(charge) else { panic!("refused") };
/// assert_eq!(graph.apply(GraphEdit::RemoveNode(node)), Ok(GraphOutcome::Pressure(300.0)));
/// # Ok::<(), floodplain::blast::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphEdit {
    /// [`BlastGraph::add_node`]; its outcome is [`GraphOutcome::Node`].
    AddNode {
        /// Where.
        position: DVec3,
        /// Its pressure.
        pressure: f64,
    },
    /// [`BlastGraph::remove_node`]; its outcome is [`GraphOutcome::Pressure`].
    RemoveNode(NodeId),
    /// [`BlastGraph::add_link`]; its outcome is [`GraphOutcome::Done`].
    AddLink {
        /// One end.
        a: NodeId,
        /// The other.
        b: NodeId,
        /// The link's weight.
        weight: f64,
    },
    /// [`BlastGraph::add_link_along`]; its outcome is [`GraphOutcome::Done`].
    AddLinkAlong {
        /// One end.
        a: NodeId,
        /// The other.
        b: NodeId,
        /// The link's weight.
        weight: f64,
        /// Its direction, as seen from `a`.
        direction: DVec3,
    },
    /// [`BlastGraph::add_vent`]; its outcome is [`GraphOutcome::Done`].
    AddVent {
        /// The node.
        node: NodeId,
        /// The weight of its link to the outside.
        weight: f64,
        /// The direction of that.
        direction: DVec3,
    },
    /// [`BlastGraph::remove_link`]; its outcome is [`GraphOutcome::Done`].
    RemoveLink {
        /// One end.
        a: NodeId,
        /// The other.
        b: NodeId,
    },
    /// [`BlastGraph::remove_vent`]; its outcome is [`GraphOutcome::Done`].
    RemoveVent(NodeId),
    /// [`BlastGraph::set_link`]; its outcome is [`GraphOutcome::Weight`].
    SetLink {
        /// One end.
        a: NodeId,
        /// The other.
        b: NodeId,
        /// The link's weight.
        weight: f64,
    },
    /// [`BlastGraph::set_pressure`]; its outcome is [`GraphOutcome::Pressure`].
    SetPressure {
        /// The node.
        node: NodeId,
        /// Its pressure.
        pressure: f64,
    },
    /// [`BlastGraph::set_wall`]; its outcome is [`GraphOutcome::Pressure`].
    SetWall {
        /// The node.
        node: NodeId,
        /// The pressure difference that it withstands.
        strength: f64,
    },
    /// [`BlastGraph::clear_wall`]; its outcome is [`GraphOutcome::Changed`].
    ClearWall(NodeId),
    /// [`BlastGraph::wake_all`]; its outcome is [`GraphOutcome::Done`].
    WakeAll,
}

/// What a [`GraphEdit`] that was not refused came to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphOutcome {
    /// The node that was added.
    Node(NodeId),
    /// The pressure that the node had.
    Pressure(f64),
    /// The weight that the link had.
    Weight(f64),
    /// Whether the edit changed anything.
    Changed(bool),
    /// The edit was made.
    Done,
}

impl BlastGraph {
    /// Makes an edit at once, as the function of its name does.
    ///
    /// # Errors
    /// Those of that function. The edit changed nothing.
    pub fn apply(&mut self, edit: GraphEdit) -> Result<GraphOutcome, GraphError> {
        let done = |()| GraphOutcome::Done;
        match edit {
            GraphEdit::AddNode { position, pressure } => {
                self.add_node(position, pressure).map(GraphOutcome::Node)
            }
            GraphEdit::RemoveNode(node) => self.remove_node(node).map(GraphOutcome::Pressure),
            GraphEdit::AddLink { a, b, weight } => self.add_link(a, b, weight).map(done),
            GraphEdit::AddLinkAlong { a, b, weight, direction } => {
                self.add_link_along(a, b, weight, direction).map(done)
            }
            GraphEdit::AddVent { node, weight, direction } => {
                self.add_vent(node, weight, direction).map(done)
            }
            GraphEdit::RemoveLink { a, b } => self.remove_link(a, b).map(done),
            GraphEdit::RemoveVent(node) => self.remove_vent(node).map(done),
            GraphEdit::SetLink { a, b, weight } => {
                self.set_link(a, b, weight).map(GraphOutcome::Weight)
            }
            GraphEdit::SetPressure { node, pressure } => {
                self.set_pressure(node, pressure).map(GraphOutcome::Pressure)
            }
            GraphEdit::SetWall { node, strength } => {
                self.set_wall(node, strength).map(GraphOutcome::Pressure)
            }
            GraphEdit::ClearWall(node) => self.clear_wall(node).map(GraphOutcome::Changed),
            GraphEdit::WakeAll => {
                self.wake_all();
                Ok(GraphOutcome::Done)
            }
        }
    }
}

edit_bytes! {
    /// Returns the edit as bytes, 1 to 41. They mean the same in all later versions of this crate.
    ///
    /// ```
    /// use floodplain::blast::{EditBytesError, GraphEdit};
    /// use floodplain::glam::DVec3;
    ///
    /// let edit = GraphEdit::AddNode { position: DVec3::new(0.5, 2.0, 0.0), pressure: 40.0 };
    /// let bytes = edit.to_bytes();
    /// assert_eq!(bytes.len(), 33);
    /// assert_eq!(GraphEdit::from_bytes(&bytes), Ok(edit));
    /// let half = GraphEdit::from_bytes(&bytes[..9]);
    /// assert_eq!(half, Err(EditBytesError::Truncated { length: 9 }));
    /// ```
    GraphEdit:
    0 AddNode { position, pressure };
    1 RemoveNode(node);
    2 AddLink { a, b, weight };
    3 AddLinkAlong { a, b, weight, direction };
    4 AddVent { node, weight, direction };
    5 RemoveLink { a, b };
    6 RemoveVent(node);
    7 SetLink { a, b, weight };
    8 SetPressure { node, pressure };
    9 SetWall { node, strength };
    10 ClearWall(node);
    11 WakeAll;
}

/// The number of the node, a `u32`. One that no graph has yet is refused when the edit is made.
impl Field for NodeId {
    fn put(&self, out: &mut Writer) {
        out.put(&self.0);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, EditBytesError> {
        from.take().map(NodeId)
    }
}
