//! The naive model of explosions on a graph: a plain map of nodes and links.

use super::map::difference;
use crate::StepReport;
use crate::blast::{
    BlastGraph, Broken, GraphEdit, GraphError, GraphOutcome, NodeId, PRESSURE_LIMIT, Rule, Rules,
    WEIGHT_LIMIT,
};
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use glam::DVec3;
use std::collections::BTreeMap;

/// A node of the model.
#[derive(Clone, Copy, Debug)]
struct Node {
    position: DVec3,
    pressure: f64,
    strength: Option<f64>,
}

/// A link from the lower node to the higher one, or a vent, which has no second node.
#[derive(Clone, Copy, Debug)]
struct Link {
    weight: f64,
    /// The flow of the wave rule, from the first node to the second.
    flow: f64,
}

/// The two ends of a link, the lower first, or the node of a vent.
type Ends = (NodeId, Option<NodeId>);

/// The model of a graph.
pub(super) struct Mesh {
    rules: Rules,
    /// The node that is added next.
    next: NodeId,
    nodes: BTreeMap<NodeId, Node>,
    links: BTreeMap<Ends, Link>,
    events: Vec<Broken<NodeId>>,
    tick: u64,
    /// The largest pressure so far, by which roundings are measured.
    peak: f64,
}

impl Model<BlastGraph> for Mesh {
    fn edited(
        &mut self,
        edit: &GraphEdit,
        answer: &Result<GraphOutcome, GraphError>,
        found: &mut Findings,
    ) {
        let is_unstable = matches!(answer, Err(GraphError::Unstable { .. }));
        let is_made = self.make(edit, is_unstable, found);
        found.hold(law::EDIT, answer.is_ok() == is_made, || format!("{edit:?}: {answer:?}"));
        if let Ok(GraphOutcome::Node(node)) = answer {
            found.same(law::EDIT, node, &self.next, || format!("{edit:?}"));
            self.next = NodeId(node.0 + 1);
        }
    }

    /// Runs a step in the map. It starts from the graph's own pressures, so that rounding errors do
    /// not add up.
    fn stepped(&mut self, graph: &BlastGraph, _: StepReport, _: u64, found: &mut Findings) {
        self.nodes = self.next_nodes();
        let size = |node: &Node| node.pressure.abs();
        self.peak = self.nodes.values().map(size).fold(self.peak, f64::max);
        for (&node, there) in &mut self.nodes {
            let pressure = graph.pressure(node).unwrap_or(f64::NAN);
            let off = (pressure - there.pressure).abs();
            found.hold(law::FORMULAS, off <= 1e-9 * self.peak, || {
                format!("{node:?}: {pressure}, expected {}", there.pressure)
            });
            there.pressure = pressure;
        }
    }

    fn happened(&mut self, events: &[Broken<NodeId>], found: &mut Findings) {
        let expected = core::mem::take(&mut self.events);
        found.same(law::EVENTS, &events, &&expected[..], || "walls that broke".to_owned());
    }

    fn compare(&self, graph: &BlastGraph, found: &mut Findings) {
        let nodes = graph.nodes().eq(self.nodes.keys().copied());
        found.hold(law::CELLS, nodes, || "the nodes".to_owned());
        for (&node, &there) in &self.nodes {
            let of_graph = (graph.pressure(node), graph.strength(node), graph.position(node));
            let expected = (Some(there.pressure), there.strength, Some(there.position));
            found.same(law::CELLS, &of_graph, &expected, || format!("{node:?}"));
        }
        let of_graph: BTreeMap<Ends, f64> =
            graph.parts().links.iter().map(|link| (ends(link.a, link.b), link.weight)).collect();
        let expected = self.links.iter().map(|(&ends, link)| (ends, link.weight)).collect();
        found.same(law::LINKS, &of_graph, &expected, || "links and vents".to_owned());
        for (&(a, b), link) in &self.links {
            let weight = b.map_or(Some(link.weight), |b| graph.link(a, b));
            found.same(law::LINKS, &weight, &Some(link.weight), || format!("{a:?} and {b:?}"));
        }
    }
}

impl Mesh {
    /// Reads a graph.
    pub(super) fn of(graph: &BlastGraph) -> Mesh {
        let parts = graph.parts();
        let node = |node| {
            let (position, pressure) = (graph.position(node)?, graph.pressure(node)?);
            Some((node, Node { position, pressure, strength: graph.strength(node) }))
        };
        let links = parts.links.iter().map(|link| {
            let is_turned = link.b.is_some_and(|b| b < link.a);
            let flow = if is_turned { -link.flow } else { link.flow };
            (ends(link.a, link.b), Link { weight: link.weight, flow })
        });
        Mesh {
            rules: parts.rules,
            next: NodeId(parts.nodes.len() as u32),
            nodes: graph.nodes().filter_map(node).collect(),
            links: links.collect(),
            events: Vec::new(),
            tick: parts.tick,
            peak: 0.0,
        }
    }

    /// Makes an edit in the map. Returns whether it can be made.
    fn make(&mut self, edit: &GraphEdit, is_unstable: bool, found: &mut Findings) -> bool {
        let mut bears =
            |mesh: &Mesh, link, weight, more| mesh.bears(link, weight, more, is_unstable, found);
        match *edit {
            GraphEdit::AddNode { position, pressure } => {
                let fits = position.is_finite() && self.is_pressure(pressure);
                if fits {
                    self.nodes.insert(self.next, Node { position, pressure, strength: None });
                }
                fits
            }
            GraphEdit::RemoveNode(node) => {
                self.links.retain(|&(a, b), _| a != node && b != Some(node));
                self.nodes.remove(&node).is_some()
            }
            GraphEdit::AddLink { a, b, weight } => self.connect(a, Some(b), weight, &mut bears),
            GraphEdit::AddLinkAlong { a, b, weight, direction } => {
                direction.is_finite() && self.connect(a, Some(b), weight, &mut bears)
            }
            GraphEdit::AddVent { node, weight, direction } => {
                direction.is_finite() && self.connect(node, None, weight, &mut bears)
            }
            GraphEdit::RemoveLink { a, b } => self.links.remove(&ends(a, Some(b))).is_some(),
            GraphEdit::RemoveVent(node) => self.links.remove(&(node, None)).is_some(),
            GraphEdit::SetLink { a, b, weight } => {
                self.set_link(ends(a, Some(b)), weight, &mut bears)
            }
            GraphEdit::SetPressure { node, pressure } => {
                let fits = self.is_pressure(pressure);
                let there = self.nodes.get_mut(&node);
                let there = there.filter(|there| fits && there.strength.is_none());
                there.map(|there| there.pressure = pressure).is_some()
            }
            GraphEdit::SetWall { node, strength } => {
                let fits = strength > 0.0 && strength.is_finite() && self.nodes.contains_key(&node);
                if fits {
                    self.nodes
                        .entry(node)
                        .and_modify(|node| (node.pressure, node.strength) = (0.0, Some(strength)));
                    let links = self.links.iter_mut().filter(|(ends, _)| is_end(node, ends));
                    links.for_each(|(_, link)| link.flow = 0.0);
                }
                fits
            }
            GraphEdit::ClearWall(node) => {
                self.nodes.get_mut(&node).map(|node| node.strength = None).is_some()
            }
            GraphEdit::WakeAll => true,
        }
    }

    fn is_pressure(&self, pressure: f64) -> bool {
        let least = if self.is_wave() { -f64::from(PRESSURE_LIMIT) } else { 0.0 };
        (least..=f64::from(PRESSURE_LIMIT)).contains(&pressure)
    }

    fn is_wave(&self) -> bool {
        matches!(self.rules.rule, Rule::Wave { .. })
    }

    fn connect(
        &mut self,
        a: NodeId,
        b: Option<NodeId>,
        weight: f64,
        bears: &mut impl FnMut(&Mesh, Ends, f64, f64) -> bool,
    ) -> bool {
        let are_there = [Some(a), b].into_iter().flatten().all(|end| self.nodes.contains_key(&end));
        let link = ends(a, b);
        if Some(a) == b
            || !are_there
            || self.links.contains_key(&link)
            || !bears(self, link, weight, weight)
        {
            return false;
        }
        self.links.insert(link, Link { weight, flow: 0.0 });
        true
    }

    fn set_link(
        &mut self,
        ends: Ends,
        weight: f64,
        bears: &mut impl FnMut(&Mesh, Ends, f64, f64) -> bool,
    ) -> bool {
        let Some(&link) = self.links.get(&ends) else { return false };
        if !bears(self, ends, weight, weight - link.weight) {
            return false;
        }
        let flow =
            if weight < link.weight { link.flow * (weight / link.weight) } else { link.flow };
        self.links.insert(ends, Link { weight, flow });
        true
    }

    /// Returns whether both ends bear a weight that is larger by `more` than the old one. Next to
    /// the limit the graph's own answer counts, since the graph may add up the weights in another
    /// order.
    fn bears(
        &self,
        (a, b): Ends,
        weight: f64,
        more: f64,
        is_unstable: bool,
        found: &mut Findings,
    ) -> bool {
        if !(0.0..=f64::from(WEIGHT_LIMIT)).contains(&weight) {
            return false;
        }
        let rule = self.rules.rule;
        let mut load = 0.0f64;
        for end in [Some(a), b].into_iter().flatten().filter(|_| more > 0.0) {
            let links = self.links.iter().filter(|(ends, _)| is_end(end, ends));
            let sum: f64 = links.map(|(_, link)| link.weight).sum();
            load = load.max(rule.coefficient() * (sum + more) / rule.limit());
        }
        let fits = if is_unstable { load >= 1.0 - 1e-9 } else { load <= 1.0 + 1e-9 };
        let refused = if is_unstable { "refused" } else { "not refused" };
        found.hold(law::EDIT, fits, || format!("{refused} as unstable at {load} of the limit"));
        !is_unstable
    }

    /// Returns the nodes after a step, computed literally by the rules.
    fn next_nodes(&mut self) -> BTreeMap<NodeId, Node> {
        self.tick += 1;
        for (node, difference, strength) in self.broken() {
            self.events.push(Broken { tick: self.tick, place: node, difference, strength });
            self.nodes.entry(node).and_modify(|node| node.strength = None);
        }
        let mut after = self.nodes.clone();
        for (&(a, b), link) in &mut self.links {
            let open = |node: NodeId| self.nodes.get(&node).filter(|node| node.strength.is_none());
            let there = b.map_or(Some(0.0), |b| open(b).map(|node| node.pressure));
            let (Some(here), Some(there)) = (open(a).map(|node| node.pressure), there) else {
                continue;
            };
            let flow = match self.rules.rule {
                Rule::Diffusive { coefficient } => coefficient * link.weight * (here - there),
                Rule::Wave { coefficient, damping } => {
                    damping * (link.flow + coefficient * link.weight * (here - there))
                }
            };
            link.flow = if matches!(self.rules.rule, Rule::Wave { .. }) { flow } else { 0.0 };
            after.entry(a).and_modify(|node| node.pressure -= flow);
            b.map(|b| after.entry(b).and_modify(|node| node.pressure += flow));
        }
        let is_silent = |value: f64| value.abs() < self.rules.threshold;
        if after.values().all(|node| is_silent(node.pressure))
            && self.links.values().all(|link| is_silent(link.flow))
        {
            after.values_mut().for_each(|node| node.pressure = 0.0);
            self.links.values_mut().for_each(|link| link.flow = 0.0);
        }
        after
    }

    /// Returns the walls that break now, with the difference across each and its strength.
    fn broken(&self) -> Vec<(NodeId, f64, f64)> {
        let mut broken = Vec::new();
        for (&node, there) in &self.nodes {
            let Some(strength) = there.strength else { continue };
            let mut beside = Vec::new();
            for (&(a, b), _) in self.links.iter().filter(|(_, link)| link.weight > 0.0) {
                match b {
                    None if a == node => beside.push(0.0),
                    Some(b) if a == node || b == node => {
                        let other = self.nodes[if a == node { &b } else { &a }];
                        beside.extend(other.strength.is_none().then_some(other.pressure));
                    }
                    _ => {}
                }
            }
            let difference = difference(&beside);
            if difference > strength {
                broken.push((node, difference, strength));
            }
        }
        broken
    }
}

/// Returns the ends of a link, the lower first.
fn ends(a: NodeId, b: Option<NodeId>) -> Ends {
    match b {
        Some(b) => (a.min(b), Some(a.max(b))),
        None => (a, None),
    }
}

fn is_end(node: NodeId, &(a, b): &Ends) -> bool {
    a == node || b == Some(node)
}
