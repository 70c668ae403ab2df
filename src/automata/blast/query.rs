//! Reading a world: pressures, links, flows, totals, what changed, and the hash of its state.

use super::field::ChunkState;
use super::field::flows::ChunkFlows;
use super::field::space::Beyond;
use super::ledger::sum_of;
use super::probe::{LinkFluxes, net_flux};
use super::rules::{Borders, Rule, Rules};
use super::step::formulas::{diffusive_flux, larger, quantized};
use super::{BlastShape, BlastWorld, Broken, Edit, EditError, Ground, Ledger, Outcome};
use crate::automata::blast::validate::Violation;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, Face, Region};
use crate::simulation::{ChunkChanges, simulation};
use crate::state_hash::{StateHash, hash_of};
use glam::{DVec3, IVec3};

impl<S: BlastShape> BlastWorld<S> {
    /// Returns the world's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the cells that belong to the world.
    pub fn bounds(&self) -> Region {
        self.space.bounds
    }

    /// Returns the borders at the world's bounds.
    pub fn borders(&self) -> Borders {
        self.space.borders
    }

    /// Returns the number of steps run so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the pressure of a cell; 0 if the cell is removed, out of bounds, or in no loaded
    /// chunk.
    pub fn pressure(&self, cell: IVec3) -> f32 {
        self.pressure.get(cell)
    }

    /// Returns whether a cell is removed: an obstacle, or a wall that has not broken.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.is_removed(cell)
    }

    /// Returns the strength of a wall that breaks; `None` for any other cell.
    pub fn strength(&self, cell: IVec3) -> Option<f32> {
        let (slot, index) = self.place(cell)?;
        self.ground(slot)?.strength(index)
    }

    /// Returns the weight of the link behind a face of a cell, as
    /// [`set_link`](BlastWorld::set_link) set it; 1 across an open border; `None` at a rigid
    /// border, out of bounds, and where the shape has no links.
    pub fn link(&self, cell: IVec3, face: Face) -> Option<f32> {
        let is_link = self.space.bounds.contains(cell)
            && face.index() < S::NEIGHBOURS
            && self.space.beyond_cell::<S>(cell, face) != Beyond::Rigid;
        is_link.then(|| self.weight(cell, face))
    }

    /// Returns the flow vector at a cell: the sum over its links of the outflow, in the link's
    /// direction. It points away from the explosion. Zero in a removed cell.
    ///
    /// Under the diffusive rule it is the flow of the next step, computed from the present
    /// pressures; there is no flow into a chunk at 0 that is not about to open. Under the wave rule
    /// it is the flow of the last step.
    pub fn flow(&self, cell: IVec3) -> DVec3 {
        net_flux(&self.flows_at(cell))
    }

    /// Returns the sum of the magnitudes of the flows over a cell's links, 0 or more.
    pub fn exposure(&self, cell: IVec3) -> f64 {
        // An empty sum is −0.
        self.flows_at(cell).iter().map(|(_, flow)| flow.abs()).sum::<f64>() + 0.0
    }

    /// Returns whether a [flow](BlastWorld::flow) in a chunk may be as long as `least`; `false`
    /// only if none is.
    pub(crate) fn may_flow(&self, chunk: ChunkPos, least: f64) -> bool {
        match self.rules.rule {
            // Along each of three axes, two links add up.
            Rule::Wave { .. } => self.pressure.slot(chunk).is_some_and(|slot| {
                let flows = self.states[slot.index()].flows.as_ref();
                flows.is_some_and(|flows| flows.reach((least / 4.0) as f32))
            }),
            Rule::Diffusive { .. } => !self.is_blank_at(chunk) || self.is_about_to_open(chunk),
        }
    }

    /// Returns the outflow over each of a cell's links.
    pub(crate) fn flows_at(&self, cell: IVec3) -> LinkFluxes {
        if !self.space.bounds.contains(cell) {
            return LinkFluxes::new();
        }
        let outflow = |face: &Face, flow: f32| (face.offset().as_dvec3(), f64::from(flow));
        if let Rule::Wave { .. } = self.rules.rule {
            let flows = self
                .place(cell)
                .and_then(|(slot, index)| Some((self.states[slot.index()].flows.as_ref()?, index)));
            let of = |face| flows.map_or(0.0, |(flows, index)| flows.at::<S>(face, index));
            return Self::FACES.iter().map(|face| outflow(face, of(*face))).collect();
        }
        let of = |face| self.next_flow_across(cell, face);
        Self::FACES.iter().map(|face| outflow(face, of(*face))).collect()
    }

    /// Returns the flow across a face of a cell in the next step of the diffusive rule.
    fn next_flow_across(&self, cell: IVec3, face: Face) -> f32 {
        let there = match self.space.beyond_cell::<S>(cell, face) {
            Beyond::There(there) if self.is_closed_between(cell, there) => return 0.0,
            Beyond::There(there) => self.pressure(there),
            Beyond::Open | Beyond::Rigid => 0.0,
        };
        let here = self.pressure(cell);
        quantized(diffusive_flux(self.conductance(cell, face), here, there), larger(here, there))
    }

    /// Returns whether there is no flow between two linked cells because the chunk of one of them,
    /// loaded or not, is silent and not about to open.
    fn is_closed_between(&self, cell: IVec3, there: IVec3) -> bool {
        let chunks = [cell, there].map(S::chunk_of);
        chunks[0] != chunks[1]
            && chunks
                .into_iter()
                .any(|chunk| self.is_blank_at(chunk) && !self.is_about_to_open(chunk))
    }

    /// Returns the sum of all pressures, counted cell by cell in order of position.
    pub fn total(&self) -> f64 {
        // An empty sum is −0.
        self.chunks().map(|(_, chunk)| sum_of(chunk)).sum::<f64>() + 0.0
    }

    /// Returns the account of all pressure that entered and left.
    pub fn ledger(&self) -> Ledger {
        self.books.ledger
    }

    /// Returns whether the ledger agrees with the pressures, to the promised precision.
    pub(crate) fn is_balanced(&self) -> bool {
        let size = |number: f32| f64::from(number.abs());
        let pressures = |chunk: &Chunk<f32>| match chunk.as_dense() {
            Some(cells) => cells.iter().copied().map(size).sum(),
            None => size(chunk.get(0)) * CHUNK_CELLS as f64,
        };
        let flows = self.states.iter().filter_map(|state| state.flows.as_ref());
        let flowing: f64 = flows.flat_map(ChunkFlows::values::<S>).map(size).sum();
        let there: f64 = self.chunks().map(|(_, chunk)| pressures(chunk)).sum();
        self.books.ledger.agrees_with(self.total(), there + flowing)
    }

    /// Returns whether the world will not change until the next edit: no chunk is awake.
    pub fn is_at_rest(&self) -> bool {
        self.pressure.awake_slots().is_empty()
    }

    /// Returns the number of cells that the next step will visit, without the cells of chunks that
    /// the front will open.
    pub fn awake_cells(&self) -> usize {
        self.pressure.awake_cells()
    }

    /// Takes the chunks with cells that changed since the last call, in order of position. A cell
    /// changes by pressure, by flow under the wave rule, or by an edit of walls and links. Chunks
    /// freed since the last call are included, except perhaps those also created since then.
    /// Loading and unloading are not listed.
    ///
    /// The memory for freed chunks is bounded, whether this function is called or not: only chunks
    /// that were reported before, or inserted, are remembered.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        let mut changes = core::mem::take(&mut self.freed);
        for (chunk, cells) in self.pressure.take_changes() {
            if let Some(slot) = self.pressure.slot(chunk) {
                self.states[slot.index()].is_unreported = false;
            }
            changes.entry(chunk).or_default().union_with(&cells);
        }
        ChunkChanges::list(changes.into_iter().collect())
    }

    /// Returns the loaded chunks, in order of position.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, &Chunk<f32>)> {
        self.pressure.chunks()
    }

    /// Returns the number of bytes that the world holds on the heap.
    pub fn memory_bytes(&self) -> usize {
        let ground = |ground: &Ground| size_of::<Ground>() + ground.heap_bytes();
        let states = self.states.iter().map(|state| {
            state.conductances.planes().map_or(0, |planes| size_of_val(&**planes))
                + state.flows.as_ref().map_or(0, ChunkFlows::heap_bytes)
                + state.ground.as_deref().map_or(0, ground)
        });
        self.pressure.memory_bytes()
            + states.sum::<usize>()
            + self.states.capacity() * size_of::<ChunkState>()
            + self.events.capacity() * size_of::<super::Broken>()
            + self.freed.len() * size_of::<([i32; 3], CellMask)>()
            + self.space.memory_bytes()
            + self.rims.memory_bytes()
            + self.jobs.capacity() * size_of::<super::Job<S>>()
            + self.jobs.len() * size_of::<S::Rims<f32>>()
            + self.ahead.as_ref().map_or(0, super::Ahead::memory_bytes)
            + self.workers.scratch().iter().map(super::Scratch::memory_bytes).sum::<usize>()
    }

    /// Returns a hash of the state that decides the future: tick count, pressures, flows of the
    /// wave rule, and obstacles, in order of position. It is the same on every platform. A chunk of
    /// open space at 0 counts like a missing one. Rules, bounds and borders are not included.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        hash.add(self.tick);
        for slot in self.pressure.sorted_slots() {
            let chunk = self.pressure.chunk_at(slot);
            let flows = self.states[slot.index()].flows.as_ref().filter(|flows| flows.is_moving());
            if chunk.as_uniform() == Some(0.0) && flows.is_none() && self.ground(slot).is_none() {
                continue;
            }
            hash.add_position(self.pressure.position_at(slot).into());
            hash.add_chunk::<_, 2>(chunk, |pressure| u64::from((pressure + 0.0).to_bits()));
            for flow in flows.into_iter().flat_map(|flows| flows.values::<S>()) {
                hash.add(u64::from((flow + 0.0).to_bits()));
            }
            if let Some(ground) = self.ground(slot) {
                ground.add_to(&mut hash);
            }
        }
        hash.finish()
    }

    /// Takes the walls that broke since the last call, by step, then in order of position.
    pub fn take_events(&mut self) -> Vec<Broken> {
        core::mem::take(&mut self.events)
    }

    /// Checks every invariant between steps, over the whole world. Slow: for tests, fuzzers and bug
    /// reports.
    ///
    /// # Errors
    /// The first broken invariant, with its place and figures.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        self.check_laws().map_err(crate::Violation::of)
    }

    /// Returns the first broken law as a typed error.
    pub(crate) fn check_laws(&self) -> Result<(), Violation> {
        S::validate_blast(self)
    }
}

simulation! {
    [S: BlastShape] BlastWorld<S>;
    edits: Edit, Outcome, EditError;
    sums: f64, Ledger;
    changes: ChunkChanges;
    events: Broken;
    awake: awake_cells;

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        for (position, chunk) in self.chunks() {
            let hash = hash_of(|hash| {
                add_pressures(hash, chunk);
                for index in 0..CHUNK_CELLS {
                    let cell = S::cell_at(position, index);
                    if self.is_solid(cell) {
                        let strength = self.strength(cell).map_or(0, |strength| strength.to_bits());
                        hash.add((index as u64) << 32 | u64::from(strength));
                    }
                }
            });
            visit(position, hash);
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let cell = S::cell_at(chunk, index);
        let (pressure, is_solid) = (self.pressure(cell), self.is_solid(cell));
        let strength = self.strength(cell);
        (cell, format!("pressure {pressure}, solid {is_solid}, strength {strength:?}"))
    }

    fn describe(&self) -> String {
        format!("bounds {:?}, {:?}, {:?}", self.bounds(), self.borders(), self.rules())
    }

    fn take_events(&mut self) -> Vec<Broken> {
        Self::take_events(self)
    }
}

/// Adds a chunk's pressures to a hash. −0 counts as 0, which it equals.
pub(crate) fn add_pressures(hash: &mut StateHash, chunk: &Chunk<f32>) {
    hash.add_chunk::<_, 2>(chunk, |pressure| u64::from((pressure + 0.0).to_bits()));
}
