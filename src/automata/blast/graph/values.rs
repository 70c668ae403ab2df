//! Edits as values, and their bytes: one edit for each function of [`BlastGraph`] that changes it
//! between steps.

use super::{BlastGraph, GraphError, NodeId};
use crate::codec::{DecodeError, Field, Reader};
use crate::edit_table::edits;
use glam::DVec3;

edits! {
    /// An edit of a graph of pressure as a value: to be made by [`BlastGraph::apply`], or kept and
    /// sent as bytes ([`to_bytes`](crate::EditValue::to_bytes)).
    ///
    /// Two graphs that get the same edits give their nodes the same numbers, so a [`NodeId`] means
    /// the same node in both. A step is never left unfinished, so the graph needs no queue of
    /// edits: a game that collects edits in a list and makes them before its next step gets the
    /// same bytes as a game that makes each edit at once.
    ///
    /// [As bytes](crate::EditValue::to_bytes) an edit takes 1 to 41 bytes.
    ///
    /// ```
    /// use floodplain::blast::{BlastGraph, GraphEdit, GraphOutcome, Rules};
    /// use floodplain::glam::DVec3;
    ///
    /// let mut graph = BlastGraph::new(Rules::default())?;
    /// let charge = GraphEdit::AddNode { position: DVec3::ZERO, pressure: 300.0 };
    /// let Ok(GraphOutcome::Node(node)) = graph.apply(charge) else { panic!("refused") };
    /// assert_eq!(graph.apply(GraphEdit::RemoveNode(node)), Ok(GraphOutcome::Pressure(300.0)));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
    pub enum GraphEdit for [] BlastGraph -> GraphOutcome, GraphError;
    0 AddNode {
        /// The node's position.
        position: DVec3,
        /// The node's pressure.
        pressure: f64,
    } [WORLD.pressure(*pressure as f32)] => add_node -> Node;
    1 RemoveNode(node: NodeId) [WORLD] => remove_node -> Pressure;
    2 AddLink {
        /// The node at one end.
        a: NodeId,
        /// The node at the other end.
        b: NodeId,
        /// The link's weight.
        weight: f64,
    } [GROUND] => add_link;
    3 AddLinkAlong {
        /// The node at one end.
        a: NodeId,
        /// The node at the other end.
        b: NodeId,
        /// The link's weight.
        weight: f64,
        /// The link's direction, as seen from `a`.
        direction: DVec3,
    } [GROUND] => add_link_along;
    4 AddVent {
        /// The node.
        node: NodeId,
        /// The weight of the node's link to the outside.
        weight: f64,
        /// The direction of the node's link to the outside.
        direction: DVec3,
    } [GROUND] => add_vent;
    5 RemoveLink {
        /// The node at one end.
        a: NodeId,
        /// The node at the other end.
        b: NodeId,
    } [GROUND] => remove_link;
    6 RemoveVent(node: NodeId) [GROUND] => remove_vent;
    7 SetLink {
        /// The node at one end.
        a: NodeId,
        /// The node at the other end.
        b: NodeId,
        /// The link's weight.
        weight: f64,
    } [GROUND] => set_link -> Weight;
    8 SetPressure {
        /// The node.
        node: NodeId,
        /// The node's pressure.
        pressure: f64,
    } [PRESSURE.pressure(*pressure as f32)] => set_pressure -> Pressure;
    9 SetWall {
        /// The node.
        node: NodeId,
        /// The pressure difference that the wall withstands.
        strength: f64,
    } [GROUND] => set_wall -> Pressure;
    10 ClearWall(node: NodeId) [GROUND] => clear_wall -> Changed;
    11 WakeAll [WORLD] => wake_all;
}

/// The result of a [`GraphEdit`] that was not refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// The number of the node, a `u32`. A number without a node is refused when the edit is made.
impl Field for NodeId {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.take().map(NodeId)
    }
}
