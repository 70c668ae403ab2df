//! How explosions on grids and on graphs are watched: looks, naive models, and probes in steps by
//! one call.

mod draw;
mod draw_graph;
mod grid;
mod map;
mod mesh;
mod probes;

use super::findings::Findings;
use super::kind::Kind;
use super::watch::{Changes, Looks, Model};
use super::worlds::{MOST_CELLS, all_cells, cell_changes, undo_by_chunk};
use crate::blast::{BlastGraph, BlastWorld, Edit, GraphEdit, NodeId, Outcome, Probe, Rule};
use crate::{FieldShape, StepReport};
use glam::{DVec3, IVec3};
use grid::Field;
use mesh::Mesh;
use probes::Probed;
use std::collections::BTreeSet;

/// The visible state of a node: the bits of its pressure, of its strength if it is closed, and its
/// links and its vent, each with the bits of its weight.
type NodeLook = (u64, Option<u64>, BTreeSet<(Option<NodeId>, u64)>);

/// There is a naive model, unless the bounds hold more than 65,536 cells. All cells within smaller
/// bounds are compared, also in chunks that are not loaded, since pressure comes and goes with its
/// chunks.
impl<S: FieldShape> Kind for BlastWorld<S> {
    /// The bits of the pressure, whether the cell is closed, and the bits of its strength.
    type Look = (u32, bool, Option<u32>);
    type Place = [i32; 3];
    undo_by_chunk!();

    /// Runs several steps by one call, with probes.
    fn step_otherwise(&mut self, steps: u64, _: u64, found: &mut Findings) -> StepReport {
        probes::run(self, steps, found)
    }

    fn looks(&self) -> Looks<Self> {
        let look = |cell| {
            let strength = self.strength(cell).map(f32::to_bits);
            ((self.pressure(cell) + 0.0).to_bits(), self.is_solid(cell), strength)
        };
        all_cells::<S, _>(self.bounds(), self.chunks().map(|(position, _)| position), look)
    }

    /// Returns `false` for cells of a chunk that the edit loads or unloads.
    fn is_change(
        edit: Option<&Edit>,
        place: [i32; 3],
        then: Option<&Self::Look>,
        now: Option<&Self::Look>,
    ) -> bool {
        let is_moved = match edit {
            Some(Edit::InsertChunk { position, .. } | Edit::RemoveChunk(position)) => {
                S::chunk_of(place.into()) == *position
            }
            _ => false,
        };
        !is_moved && then.is_some() && now.is_some()
    }

    fn changes(&mut self) -> Changes<[i32; 3]> {
        cell_changes::<S>(self)
    }

    fn model(&self) -> Option<Box<dyn Model<Self>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Field::of(self)) as _)
    }
}

impl<S: FieldShape> Probed for BlastWorld<S> {
    type At = IVec3;

    /// Returns a cell that is compared, and a cell beside it.
    fn two_places(&self, number: usize) -> Option<[IVec3; 2]> {
        let looks = self.looks();
        let &cell = looks.keys().nth(number.checked_rem(looks.len())?)?;
        let from = IVec3::from_array(cell);
        Some([from, from.saturating_add(crate::Face::ALL[number % 6].offset())])
    }

    fn is_wave(&self) -> bool {
        matches!(self.rules().rule, Rule::Wave { .. })
    }

    fn flow_at(&self, place: IVec3) -> (DVec3, f64) {
        (self.flow(place), self.exposure(place))
    }

    fn run(&mut self, steps: u64) -> StepReport {
        self.run(steps)
    }

    fn run_probed(&mut self, steps: u64, probes: &mut [Probe<IVec3>]) -> StepReport {
        self.run_probed(steps, probes)
    }
}

/// There is a naive model. Nodes that come and go are changes, too.
impl Kind for BlastGraph {
    type Place = NodeId;
    type Look = NodeLook;

    /// Runs several steps by one call, with probes.
    fn step_otherwise(&mut self, steps: u64, _: u64, found: &mut Findings) -> StepReport {
        probes::run(self, steps, found)
    }

    fn looks(&self) -> Looks<Self> {
        let look = |node| {
            let strength = self.strength(node).map(f64::to_bits);
            let pressure = (self.pressure(node).unwrap_or(0.0) + 0.0).to_bits();
            (node, (pressure, strength, BTreeSet::new()))
        };
        let mut looks: Looks<Self> = self.nodes().map(look).collect();
        for link in self.parts().links {
            let ends = [Some((link.a, link.b)), link.b.map(|b| (b, Some(link.a)))];
            for (end, other) in ends.into_iter().flatten() {
                let links = looks.get_mut(&end).map(|(.., links)| links);
                links.map(|links| links.insert((other, link.weight.to_bits())));
            }
        }
        looks
    }

    /// Returns true: nodes that come or go are changes, too.
    fn is_change(
        _: Option<&GraphEdit>,
        _: NodeId,
        _: Option<&NodeLook>,
        _: Option<&NodeLook>,
    ) -> bool {
        true
    }

    fn changes(&mut self) -> Changes<NodeId> {
        let all: BTreeSet<NodeId> = self.take_changes().into_iter().collect();
        Changes { visible: all.clone(), all }
    }

    fn model(&self) -> Option<Box<dyn Model<BlastGraph>>> {
        Some(Box::new(Mesh::of(self)))
    }
}

impl Probed for BlastGraph {
    type At = NodeId;

    /// Returns a node, and the next one.
    fn two_places(&self, number: usize) -> Option<[NodeId; 2]> {
        let nodes: Vec<NodeId> = self.nodes().collect();
        let at = number.checked_rem(nodes.len())?;
        Some([nodes[at], nodes[(at + 1) % nodes.len()]])
    }

    fn is_wave(&self) -> bool {
        matches!(self.rules().rule, Rule::Wave { .. })
    }

    fn flow_at(&self, place: NodeId) -> (DVec3, f64) {
        (self.flow(place), self.exposure(place))
    }

    fn run(&mut self, steps: u64) -> StepReport {
        self.run(steps)
    }

    fn run_probed(&mut self, steps: u64, probes: &mut [Probe<NodeId>]) -> StepReport {
        self.run_probed(steps, probes)
    }
}
