//! Edits and steps of a graph of pressure, against a plain map of nodes and links. Property tests
//! and the fuzz target `blast_graph` make the edits: in the graph as values that were sent as
//! bytes, in its twin by the functions of their names.

pub use super::graph_ops::Edit;
use super::graph_ops::{Op, op};
use super::probes::{Crew, Flows, ProbedRun};
use crate::edit_bytes::sent;
use crate::model::{self, Looks, Model, Watched, World};
use floodplain::StepReport;
use floodplain::blast::{
    BlastGraph, Broken, GraphEdit, GraphError, GraphOutcome, Ledger, NodeId, PRESSURE_LIMIT, Probe,
    Rule, Rules, WEIGHT_LIMIT,
};
use floodplain::glam::DVec3;
use floodplain::testing::{Bytes, Start, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 32;

/// A graph, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    rules: Rules,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let start = Start::draw_of::<BlastGraph>(&mut bytes);
        let node = GraphEdit::AddNode { position: DVec3::ZERO, pressure: 100.0 };
        let mut ops = vec![Op::Edit(Edit::Of(node))];
        ops.extend(bytes.operations(MOST_EDITS, |bytes, ops| ops.push(op(bytes))));
        Run { rules: start.rules, ops }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        let graph = || BlastGraph::new(self.rules).expect("rules within their ranges");
        let mut watched = Watched::of(Mesh::new(self.rules), graph);
        self.ops.iter().for_each(|op| watched.apply(op));
    }

    /// Makes the edits as values and by the functions of their names, with the same bytes after
    /// each.
    pub fn values_are_calls(&self) {
        let graph = || BlastGraph::new(self.rules).expect("rules within their ranges");
        model::values_are_calls(Mesh::new(self.rules), graph, &self.ops);
    }
}

impl World for BlastGraph {
    type Place = NodeId;
    type Account = Ledger;

    fn account(&self) -> Ledger {
        self.ledger()
    }

    fn awake(&self) -> usize {
        self.awake_nodes()
    }

    fn state_hash(&self) -> u64 {
        self.state_hash()
    }

    fn ticks(&self) -> u64 {
        self.ticks()
    }

    fn is_at_rest(&self) -> bool {
        self.is_at_rest()
    }

    fn step(&mut self) -> StepReport {
        self.step()
    }

    fn run(&mut self, steps: u64) -> StepReport {
        self.run(steps)
    }

    fn wake_all(&mut self) {
        self.wake_all();
    }

    fn take_changes(&mut self) -> BTreeSet<NodeId> {
        let changes = self.take_changes();
        assert!(changes.is_sorted(), "{changes:?}");
        changes.into_iter().collect()
    }

    fn validate(&self) -> Result<(), String> {
        self.validate().map_err(|law| law.to_string())
    }
}

/// A node as plainly as it can be kept.
#[derive(Clone, Copy, Debug)]
struct Node {
    position: DVec3,
    pressure: f64,
    strength: Option<f64>,
}

/// A link from the lower node to the higher, or, without a second node, a vent.
#[derive(Clone, Copy, Debug)]
struct Link {
    weight: f64,
    /// Of the wave rule, from the first node to the second.
    flow: f64,
}

/// What can be seen of a node: its pressure, what it bears if it is closed, and the weights of its
/// links and of its vent, by the other end.
#[derive(Clone, Debug, PartialEq)]
struct Look {
    pressure: f64,
    strength: Option<f64>,
    links: BTreeMap<Option<usize>, f64>,
}

/// The model: a plain map, and what probes feel.
struct Mesh {
    rules: Rules,
    ids: Vec<NodeId>,
    nodes: BTreeMap<usize, Node>,
    links: BTreeMap<(usize, Option<usize>), Link>,
    events: Vec<Broken<NodeId>>,
    tick: u64,
    /// Whether the graphs refused an edit as unstable.
    is_unstable: bool,
    /// The largest pressure that there was, by which roundings are measured.
    peak: f64,
    /// The current run and its probes; then the flows in the twin, step by step.
    run: Option<(ProbedRun<NodeId>, Vec<Probe<NodeId>>)>,
    flows: Vec<Flows>,
}

impl Model for Mesh {
    type World = BlastGraph;
    type Edit = Edit;
    type Run = (usize, Crew);
    /// What the edit came to, and the walls that broke.
    type Answer = (GraphOutcome, Vec<Broken<NodeId>>);
    type Error = GraphError;
    type Look = Look;

    fn make(
        &mut self,
        graph: &mut BlastGraph,
        edit: &Edit,
        is_twin: bool,
    ) -> Result<Self::Answer, GraphError> {
        let outcome = match edit {
            Edit::TakeEvents => return Ok((GraphOutcome::Done, graph.take_events())),
            Edit::Of(edit) if is_twin => graph.apply_otherwise(edit.clone()),
            Edit::Of(edit) => graph.apply(sent(edit)),
        };
        outcome.map(|outcome| (outcome, Vec::new()))
    }

    fn edit(&mut self, edit: &Edit, answer: Result<Self::Answer, GraphError>) {
        self.is_unstable = matches!(answer, Err(GraphError::Unstable { .. }));
        let is_made = match edit {
            Edit::Of(edit) => self.make_in_map(edit),
            Edit::TakeEvents => true,
        };
        assert_eq!(answer.is_ok(), is_made, "{edit:?}: {answer:?}");
        let Ok((outcome, broken)) = answer else { return };
        if let GraphOutcome::Node(node) = outcome {
            self.ids.push(node);
        }
        let is_taken = matches!(edit, Edit::TakeEvents);
        let events = if is_taken { std::mem::take(&mut self.events) } else { Vec::new() };
        assert_eq!(broken, events);
    }

    fn was_loaded(&self, _: NodeId) -> bool {
        false
    }

    fn looks(&self, _: &BlastGraph) -> Looks<Self> {
        self.nodes.iter().map(|(&node, there)| (self.ids[node], self.look(node, there))).collect()
    }

    /// The map's step. It continues with the twin's own pressures, so that roundings do not add up.
    /// Probes feel the twin: under the diffusive rule its pressures before the step, under the wave
    /// rule after it.
    fn step(&mut self, twin: &mut BlastGraph) -> StepReport {
        let before = self.flows(twin);
        self.nodes = self.next();
        let report = twin.step();
        self.peak = self.nodes.values().fold(self.peak, |peak, node| peak.max(node.pressure.abs()));
        for (&node, there) in &mut self.nodes {
            let pressure = twin.pressure(self.ids[node]).expect("a node");
            let off = (pressure - there.pressure).abs();
            assert!(
                off <= 1e-9 * self.peak,
                "node {node}: {pressure}, not {}, step {}",
                there.pressure,
                self.tick
            );
            there.pressure = pressure;
        }
        let felt = if self.is_wave() { self.flows(twin) } else { before };
        self.flows.extend(felt);
        report
    }

    fn go(
        &mut self,
        graph: &mut BlastGraph,
        steps: u64,
        run: Option<&(usize, Crew)>,
    ) -> StepReport {
        let Some(&(node, crew)) = run else { return graph.step() };
        let [from, to] = [node, node + 1].map(|node| self.ids[node % self.ids.len()]);
        let run = ProbedRun { crew, steps, from, to };
        let (report, probes) = run.go(graph, BlastGraph::run, BlastGraph::run_probed);
        self.run = Some((run, probes));
        report
    }

    fn gone(&mut self) {
        if let Some((run, probes)) = self.run.take() {
            run.check(&probes, &std::mem::take(&mut self.flows));
        }
    }

    fn compare(&self, graph: &BlastGraph, after: &dyn Debug) {
        let ids = self.nodes.keys().map(|&node| self.ids[node]);
        assert!(graph.nodes().eq(ids), "the nodes after {after:?}");
        for (&node, there) in &self.nodes {
            let id = self.ids[node];
            assert_eq!(graph.pressure(id), Some(there.pressure), "node {node} after {after:?}");
            assert_eq!(graph.strength(id), there.strength, "wall of node {node} after {after:?}");
            assert_eq!(graph.position(id), Some(there.position));
        }
        for (&(a, b), link) in &self.links {
            if let Some(b) = b {
                let weight = graph.link(self.ids[a], self.ids[b]);
                assert_eq!(weight, Some(link.weight), "{a} and {b} after {after:?}");
            }
        }
    }
}

impl Mesh {
    fn new(rules: Rules) -> Mesh {
        Mesh {
            rules,
            ids: Vec::new(),
            nodes: BTreeMap::new(),
            links: BTreeMap::new(),
            events: Vec::new(),
            tick: 0,
            is_unstable: false,
            peak: 0.0,
            run: None,
            flows: Vec::new(),
        }
    }

    /// What flows at both places of the run.
    fn flows(&self, graph: &BlastGraph) -> Option<Flows> {
        let (run, _) = self.run.as_ref()?;
        Some([run.from, run.to].map(|place| (graph.flow(place), graph.exposure(place))))
    }

    /// The number of a node; none that there will be if it was never added.
    fn number(&self, node: NodeId) -> usize {
        self.ids.iter().position(|&id| id == node).unwrap_or(usize::MAX)
    }

    /// Makes an edit in the map; whether it can be made.
    fn make_in_map(&mut self, edit: &GraphEdit) -> bool {
        match *edit {
            GraphEdit::AddNode { position, pressure } => {
                let fits = position.is_finite() && self.is_pressure(pressure);
                if fits {
                    self.nodes.insert(self.ids.len(), Node { position, pressure, strength: None });
                }
                fits
            }
            GraphEdit::RemoveNode(node) => {
                let node = self.number(node);
                self.links.retain(|&(a, b), _| a != node && b != Some(node));
                self.nodes.remove(&node).is_some()
            }
            GraphEdit::AddLink { a, b, weight } => {
                self.join(self.number(a), Some(self.number(b)), weight)
            }
            GraphEdit::AddLinkAlong { a, b, weight, direction } => {
                direction.is_finite() && self.join(self.number(a), Some(self.number(b)), weight)
            }
            GraphEdit::AddVent { node, weight, direction } => {
                direction.is_finite() && self.join(self.number(node), None, weight)
            }
            GraphEdit::RemoveLink { a, b } => {
                self.links.remove(&key(self.number(a), Some(self.number(b)))).is_some()
            }
            GraphEdit::RemoveVent(node) => self.links.remove(&(self.number(node), None)).is_some(),
            GraphEdit::SetLink { a, b, weight } => {
                self.set_link(key(self.number(a), Some(self.number(b))), weight)
            }
            GraphEdit::SetPressure { node, pressure } => {
                let (node, fits) = (self.number(node), self.is_pressure(pressure));
                let there = self.nodes.get_mut(&node);
                let there = there.filter(|there| fits && there.strength.is_none());
                there.map(|there| there.pressure = pressure).is_some()
            }
            GraphEdit::SetWall { node, strength } => {
                let node = self.number(node);
                let fits = strength > 0.0 && strength.is_finite() && self.nodes.contains_key(&node);
                if fits {
                    self.nodes
                        .entry(node)
                        .and_modify(|node| (node.pressure, node.strength) = (0.0, Some(strength)));
                    self.links_of(node).for_each(|link| link.flow = 0.0);
                }
                fits
            }
            GraphEdit::ClearWall(node) => {
                let node = self.number(node);
                self.nodes.get_mut(&node).map(|node| node.strength = None).is_some()
            }
            GraphEdit::WakeAll => true,
            ref edit => panic!("a new edit: {edit:?}"),
        }
    }

    fn is_pressure(&self, pressure: f64) -> bool {
        let least = if self.is_wave() { -f64::from(PRESSURE_LIMIT) } else { 0.0 };
        (least..=f64::from(PRESSURE_LIMIT)).contains(&pressure)
    }

    fn is_wave(&self) -> bool {
        matches!(self.rules.rule, Rule::Wave { .. })
    }

    fn links_of(&mut self, node: usize) -> impl Iterator<Item = &mut Link> {
        self.links
            .iter_mut()
            .filter(move |((a, b), _)| *a == node || *b == Some(node))
            .map(|(_, link)| link)
    }

    fn join(&mut self, a: usize, b: Option<usize>, weight: f64) -> bool {
        let ends_are_there =
            self.nodes.contains_key(&a) && b.is_none_or(|b| self.nodes.contains_key(&b));
        if Some(a) == b
            || !ends_are_there
            || self.links.contains_key(&key(a, b))
            || !self.bears(a, b, weight, weight)
        {
            return false;
        }
        self.links.insert(key(a, b), Link { weight, flow: 0.0 });
        true
    }

    fn set_link(&mut self, (a, b): (usize, Option<usize>), weight: f64) -> bool {
        let Some(&link) = self.links.get(&(a, b)) else { return false };
        if !self.bears(a, b, weight, weight - link.weight) {
            return false;
        }
        let flow =
            if weight < link.weight { link.flow * (weight / link.weight) } else { link.flow };
        self.links.insert((a, b), Link { weight, flow });
        true
    }

    /// Whether both ends bear a weight that is so much more than what was there. Next to the limit
    /// the graph's own answer counts, for it may add up the weights in another order.
    fn bears(&mut self, a: usize, b: Option<usize>, weight: f64, more: f64) -> bool {
        if !(0.0..=f64::from(WEIGHT_LIMIT)).contains(&weight) {
            return false;
        }
        let rule = self.rules.rule;
        let mut load = 0.0f64;
        for end in [Some(a), b].into_iter().flatten().filter(|_| more > 0.0) {
            let sum: f64 = self.links_of(end).map(|link| link.weight).sum();
            load = load.max(rule.coefficient() * (sum + more) / rule.limit());
        }
        if self.is_unstable {
            assert!(load >= 1.0 - 1e-9, "refused as unstable at {load} of the limit");
        } else {
            assert!(load <= 1.0 + 1e-9, "{load} of the limit");
        }
        !self.is_unstable
    }

    /// The nodes after a step, by the rules as they are written.
    fn next(&mut self) -> BTreeMap<usize, Node> {
        self.tick += 1;
        for (node, difference, strength) in self.broken() {
            self.events.push(Broken {
                tick: self.tick,
                place: self.ids[node],
                difference,
                strength,
            });
            self.nodes.entry(node).and_modify(|node| node.strength = None);
        }
        let mut after = self.nodes.clone();
        for (&(a, b), link) in &mut self.links {
            let open = |node: usize| self.nodes.get(&node).filter(|node| node.strength.is_none());
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

    /// The walls that give way now, with the difference across each.
    fn broken(&self) -> Vec<(usize, f64, f64)> {
        let mut broken = Vec::new();
        for (&node, there) in &self.nodes {
            let Some(strength) = there.strength else { continue };
            let mut beside = Vec::new();
            for (&(a, b), _) in self.links.iter().filter(|(_, link)| link.weight > 0.0) {
                match b {
                    None if a == node => beside.push(0.0),
                    Some(b) if a == node || b == node => {
                        let other = self.nodes[&(a + b - node)];
                        beside.extend(other.strength.is_none().then_some(other.pressure));
                    }
                    _ => {}
                }
            }
            let high = beside.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = beside.iter().copied().fold(f64::INFINITY, f64::min);
            let difference = match beside[..] {
                [] => 0.0,
                [only] => f64::abs(only),
                _ => high - low,
            };
            if difference > strength {
                broken.push((node, difference, strength));
            }
        }
        broken
    }

    fn look(&self, node: usize, &Node { pressure, strength, .. }: &Node) -> Look {
        let other = |&(a, b): &(usize, Option<usize>)| {
            if a == node { Some(b) } else { (b == Some(node)).then_some(Some(a)) }
        };
        let links = self
            .links
            .iter()
            .filter_map(|(ends, link)| Some((other(ends)?, link.weight)))
            .collect();
        Look { pressure, strength, links }
    }
}

/// The two ends of a link, the lower number first.
fn key(a: usize, b: Option<usize>) -> (usize, Option<usize>) {
    match b {
        Some(b) => (a.min(b), Some(a.max(b))),
        None => (a, None),
    }
}
