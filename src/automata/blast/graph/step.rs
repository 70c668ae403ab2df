//! One step of a graph: walls break, pressure flows over each link once, and the graph falls silent
//! if all of it is below the threshold.

use super::{BlastGraph, Link, NodeId};
use crate::automata::blast::Probe;
use crate::automata::blast::field::walls::{Broken, difference};
use crate::automata::blast::probe::run_probed;
use crate::automata::blast::rules::Rule;
use crate::automata::blast::step::formulas::{diffusive_flux, wave_flux};
use crate::automata::engine::front;
use crate::simulation::StepReport;
use std::collections::BTreeSet;

impl BlastGraph {
    /// Runs one step: each wall breaks if the pressure difference across it exceeds its strength,
    /// then pressure flows.
    pub fn step(&mut self) -> StepReport {
        crate::spans::span!("explosions on a graph");
        self.tick = self.tick.wrapping_add(1);
        if !self.is_awake {
            return StepReport::default();
        }
        let broken = self.break_walls();
        let flows: Vec<f64> = self.links.iter().map(|link| self.flux_over(link)).collect();
        let mut after: Vec<f64> =
            self.nodes.iter().map(|node| node.as_ref().map_or(0.0, |node| node.pressure)).collect();
        for (link, flow) in self.links.iter().zip(&flows) {
            after[link.a.0 as usize] -= flow;
            match link.b {
                Some(b) => after[b.0 as usize] += flow,
                None => self.ledger.left += flow,
            }
        }
        let mut is_moving = false;
        if let Rule::Wave { .. } = self.rules.rule {
            for (link, flow) in self.links.iter_mut().zip(flows) {
                is_moving |= link.flow != flow;
                link.flow = flow;
            }
        } else {
            // Rounding may take a pressure below 0 by its last bit.
            after.iter_mut().for_each(|pressure| *pressure = pressure.max(0.0));
        }
        self.fall_silent(&mut after);
        let mut report = StepReport { visited: self.ids().count() as u64, ..StepReport::default() };
        for (index, (node, after)) in self.nodes.iter_mut().zip(after).enumerate() {
            let id = NodeId(index as u32);
            if let Some(node) =
                node.as_mut().filter(|node| node.pressure != after || broken.contains(&id))
            {
                node.pressure = after;
                report.changed += 1;
                self.changed.insert(id);
            }
        }
        self.is_awake = is_moving || report.changed > 0;
        report
    }

    /// Returns whether a step would change the graph if it were awake.
    pub(super) fn would_change(&self) -> bool {
        let (nodes, links) = (self.nodes.clone(), self.links.clone());
        let mut awake = BlastGraph {
            nodes,
            links,
            is_awake: true,
            changed: BTreeSet::new(),
            events: Vec::new(),
            ..*self
        };
        awake.step();
        let flows_differ =
            self.links.iter().zip(&awake.links).any(|(before, after)| before.flow != after.flow);
        flows_differ || awake.is_awake || !awake.changed.is_empty()
    }

    /// Runs `steps` steps and returns the sum of their reports.
    pub fn run(&mut self, steps: u64) -> StepReport {
        let (report, left) = front::run_until_rest(self, steps, Self::is_at_rest, Self::step);
        self.tick = self.tick.wrapping_add(left);
        report
    }

    /// Runs `steps` steps, usually all steps of a frame, and measures every step with each probe.
    pub fn run_probed(&mut self, steps: u64, probes: &mut [Probe<NodeId>]) -> StepReport {
        let is_wave = matches!(self.rules.rule, Rule::Wave { .. });
        run_probed(self, is_wave, steps, probes, Self::step, Self::flows_at)
    }

    /// Returns the flow over a link in the next step, from `a` to `b`.
    pub(super) fn flux_over(&self, link: &Link) -> f64 {
        let end = |id: NodeId| {
            self.node(id).filter(|node| node.strength.is_none()).map(|node| node.pressure)
        };
        let there = match link.b {
            Some(b) => end(b),
            None => Some(0.0),
        };
        let (Some(here), Some(there)) = (end(link.a), there) else { return 0.0 };
        let conductance = self.rules.rule.coefficient() * link.weight;
        match self.rules.rule {
            Rule::Diffusive { .. } => diffusive_flux(conductance, here, there),
            Rule::Wave { damping, .. } => wave_flux(damping, link.flow, conductance, here, there),
        }
    }

    /// Absorbs all pressure if nothing reaches the threshold anywhere.
    fn fall_silent(&mut self, after: &mut [f64]) {
        let is_silent = |value: f64| value.abs() < self.rules.threshold;
        if after.iter().all(|&pressure| is_silent(pressure))
            && self.links.iter().all(|link| is_silent(link.flow))
        {
            self.ledger.absorbed += after.iter().sum::<f64>();
            after.fill(0.0);
            self.links.iter_mut().for_each(|link| link.flow = 0.0);
        }
    }

    /// Opens each closed node if the pressure difference across it exceeds its strength. Returns
    /// the nodes that opened. All closed nodes are checked before the first one opens.
    fn break_walls(&mut self) -> BTreeSet<NodeId> {
        let breaks = |(place, node): (NodeId, &super::Node)| {
            let strength = node.strength?;
            let difference = difference(self.pressures_at(place));
            Broken::check(self.tick, place, difference, strength)
        };
        let mut broken: Vec<Broken<NodeId>> = self.ids().filter_map(breaks).collect();
        for wall in &broken {
            if let Some(node) = self.node_mut(wall.place) {
                node.strength = None;
            }
        }
        let places = broken.iter().map(|wall| wall.place).collect();
        self.events.append(&mut broken);
        places
    }

    /// Returns the pressures of the open nodes that a node has links to, and 0 for a vent.
    fn pressures_at(&self, id: NodeId) -> impl Iterator<Item = f64> {
        let links =
            self.node(id).into_iter().flat_map(|node| &node.links).map(|&place| &self.links[place]);
        links.filter(|link| link.weight > 0.0).filter_map(move |link| {
            let Some(b) = link.b else { return Some(0.0) };
            let other = self.node(if link.a == id { b } else { link.a })?;
            other.strength.is_none().then_some(other.pressure)
        })
    }
}
