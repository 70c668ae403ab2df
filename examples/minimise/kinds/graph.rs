//! Graphs of pressure.

use super::less::{nearer, plainer_rules};
use super::{Kind, Tile};
use floodplain::Region;
use floodplain::blast::{BlastGraph, GraphEdit, NodeId, Rules};
use floodplain::glam::{DVec3, IVec3};

/// Links are looked for among no more nodes than this: each pair is asked.
const MOST_NODES: usize = 256;

impl Kind for BlastGraph {
    const NAME: &'static str = "graph";
    const TYPES: [&'static str; 2] =
        ["floodplain::blast::BlastGraph", "floodplain::blast::GraphEdit"];
    type Setting = Rules;

    fn setting(&self) -> Rules {
        *self.rules()
    }

    fn empty(rules: &Rules) -> Option<BlastGraph> {
        BlastGraph::new(*rules).ok()
    }

    /// A graph has no bounds.
    fn bounds_of(_: &Rules) -> Region {
        Region::cell(IVec3::ZERO)
    }

    /// Directions of links, and vents, are lost.
    fn rebuilt(&self) -> Vec<GraphEdit> {
        let nodes: Vec<NodeId> = self.nodes().collect();
        // Numbers are given in order, so nodes that are gone are made, too, and removed in the end.
        let mut again = BlastGraph::new(*self.rules()).expect("the rules of a graph");
        let (mut edits, mut gone) = (Vec::new(), Vec::new());
        while let Some(&last) = nodes.last() {
            let node = again.add_node(DVec3::ZERO, 0.0).expect("0 is in range");
            let position = self.position(node);
            let pressure = self.pressure(node).unwrap_or(0.0);
            edits.push(GraphEdit::AddNode { position: position.unwrap_or_default(), pressure });
            gone.extend(position.is_none().then_some(GraphEdit::RemoveNode(node)));
            if node == last {
                break;
            }
        }
        let pairs =
            nodes.iter().take(MOST_NODES).enumerate().flat_map(|(nth, &a)| {
                nodes[nth + 1..].iter().take(MOST_NODES).map(move |&b| (a, b))
            });
        let links = pairs
            .filter_map(|(a, b)| self.link(a, b).map(|weight| GraphEdit::AddLink { a, b, weight }));
        edits.extend(links);
        let walls = nodes.iter().filter_map(|&node| {
            self.strength(node).map(|strength| GraphEdit::SetWall { node, strength })
        });
        edits.extend(walls);
        edits.extend(gone);
        edits
    }

    fn brings(edit: &GraphEdit) -> bool {
        matches!(edit, GraphEdit::AddNode { .. } | GraphEdit::AddLink { .. })
    }

    fn plainer(rules: &Rules) -> Vec<Rules> {
        let plain = Rules { threshold: 0.0, ..Rules::diffusive(0.15) };
        let mut all = plainer_rules!(rules, plain, [rule, threshold]);
        all.retain(|plainer| plainer != rules);
        all
    }

    fn lesser(edit: &GraphEdit) -> Vec<GraphEdit> {
        match *edit {
            GraphEdit::AddNode { position, pressure } => nearer(pressure)
                .into_iter()
                .map(|pressure| GraphEdit::AddNode { position, pressure })
                .collect(),
            GraphEdit::SetPressure { node, pressure } => nearer(pressure)
                .into_iter()
                .map(|pressure| GraphEdit::SetPressure { node, pressure })
                .collect(),
            GraphEdit::SetWall { node, strength } => nearer(strength)
                .into_iter()
                .map(|strength| GraphEdit::SetWall { node, strength })
                .collect(),
            GraphEdit::AddLinkAlong { a, b, weight, .. } => {
                vec![GraphEdit::AddLink { a, b, weight }]
            }
            _ => Vec::new(),
        }
    }

    fn chunks_in(_: &GraphEdit) -> usize {
        0
    }

    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        None
    }
}
