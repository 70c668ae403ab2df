//! Edits and small graphs of pressure.

use crate::Region;
use crate::blast::{BlastGraph, GraphEdit, NodeId, Rules};
use crate::testing::bytes::Bytes;
use crate::testing::draw::{Sample, Start, draw_worlds};
use arbitrary::{Arbitrary, Result, Unstructured};
use glam::{DVec3, IVec3};

fn pressure(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        byte @ 0..230 => f64::from(byte) * 1.37,
        byte => {
            let odd = [
                0.0,
                -0.0,
                -3.0,
                1e-12,
                1e-300,
                1e18,
                2e18,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn weight(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        byte @ 0..220 => f64::from(byte) / 110.0,
        byte => [0.0, 1.0, -0.5, 1e6, 2e6, f64::NAN, f64::INFINITY, 5.0][usize::from(byte % 8)],
    }
}

fn strength(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        byte @ 0..230 => f64::from(byte) / 4.0,
        byte => [f64::NAN, f64::INFINITY, -1.0, 1e300][usize::from(byte % 4)],
    }
}

fn place(bytes: &mut Bytes<'_>) -> DVec3 {
    match bytes.byte() {
        255 => DVec3::new(f64::NAN, 0.0, 0.0),
        byte => DVec3::new(f64::from(byte & 7), f64::from(byte >> 3 & 7), f64::from(byte >> 6)),
    }
}

/// Returns one of the first twelve nodes of a graph, whether it is there or not.
fn node_id(bytes: &mut Bytes<'_>) -> NodeId {
    NodeId(u32::from(bytes.byte() % 12))
}

impl Arbitrary<'_> for GraphEdit {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<GraphEdit> {
        Bytes::of(from, |bytes| {
            let node = node_id;
            match bytes.byte() % 26 {
                0..=6 => GraphEdit::AddNode { position: place(bytes), pressure: pressure(bytes) },
                7 => GraphEdit::RemoveNode(node(bytes)),
                8..=13 => {
                    GraphEdit::AddLink { a: node(bytes), b: node(bytes), weight: weight(bytes) }
                }
                14 => GraphEdit::AddLinkAlong {
                    a: node(bytes),
                    b: node(bytes),
                    weight: weight(bytes),
                    direction: place(bytes),
                },
                15 => GraphEdit::AddVent {
                    node: node(bytes),
                    weight: weight(bytes),
                    direction: place(bytes),
                },
                16 => GraphEdit::RemoveLink { a: node(bytes), b: node(bytes) },
                17 => GraphEdit::RemoveVent(node(bytes)),
                18 => GraphEdit::SetLink { a: node(bytes), b: node(bytes), weight: weight(bytes) },
                19..=21 => GraphEdit::SetPressure { node: node(bytes), pressure: pressure(bytes) },
                22 | 23 => GraphEdit::SetWall { node: node(bytes), strength: strength(bytes) },
                24 => GraphEdit::ClearWall(node(bytes)),
                _ => GraphEdit::WakeAll,
            }
        })
    }
}

draw_worlds!([] BlastGraph);

impl Sample for BlastGraph {
    type Rules = Rules;
    const SIZE: IVec3 = IVec3::ONE;

    /// Returns a graph of one node under pressure. A graph has no bounds.
    fn build(start: &Start<Rules>) -> BlastGraph {
        let mut graph = BlastGraph::new(start.rules).expect("rules within their ranges");
        graph.add_node(DVec3::ZERO, 100.0).expect("a pressure within its range");
        graph
    }

    fn edit(bytes: &mut Bytes<'_>, _: Region) -> GraphEdit {
        bytes.any::<GraphEdit>()
    }
}
