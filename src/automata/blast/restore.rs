//! The parts of a saved world of pressure, and how a world is restored from them.

use super::field::flows::ChunkFlows;
use super::field::ground::Ground;
use super::field::space::{Beyond, axis};
use super::ledger::Books;
use super::rules::{Borders, Rule, Rules, WEIGHT_LIMIT};
use super::{BlastShape, BlastWorld, Broken, Ledger};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::grid::{Grid, Slot};
use crate::rules_error::RulesError;
use std::collections::BTreeMap;

/// The largest absolute pressure or flow that is loaded: far above what edits can write, and far
/// below where a step would overflow.
pub(crate) const LARGEST: f64 = 1e24;

/// Returns whether a cell may have this pressure or flow.
pub(crate) fn is_pressure(value: f32) -> bool {
    f64::from(value).abs() <= LARGEST && value.to_bits() != (-0.0f32).to_bits()
}

/// The state outside of chunks, without the rules.
pub(crate) struct WorldParts {
    pub(crate) bounds: Region,
    pub(crate) borders: Borders,
    pub(crate) tick: u64,
    pub(crate) ledger: Ledger,
    pub(crate) events: Vec<Broken>,
    /// Freed chunks, by y, z and x, with the cells that had changed before they were freed.
    pub(crate) freed: BTreeMap<ChunkPos, CellMask>,
}

/// A chunk without derived data.
pub(crate) struct ChunkParts {
    pub(crate) pressure: Chunk<f32>,
    pub(crate) is_audible: bool,
    /// Whether no list of changes has included the chunk yet.
    pub(crate) is_unreported: bool,
    pub(crate) solid: CellMask,
    /// By the index of the wall's cell.
    pub(crate) strengths: BTreeMap<usize, f32>,
    /// By axis, and index of the cell that the link belongs to.
    pub(crate) weights: BTreeMap<(usize, usize), f32>,
    /// A plane for each face.
    pub(crate) flows: Option<Vec<Chunk<f32>>>,
}

impl<S: BlastShape> BlastWorld<S> {
    /// Returns the grid of pressures, with its awake and changed cells.
    pub(crate) fn grid(&self) -> &Grid<f32, S> {
        &self.pressure
    }

    /// Returns the grid of pressures, mutable to wake and mark cells.
    pub(crate) fn grid_mut(&mut self) -> &mut Grid<f32, S> {
        &mut self.pressure
    }

    /// Returns all state except rules and chunks.
    pub(crate) fn parts(&self) -> WorldParts {
        WorldParts {
            bounds: self.space.bounds,
            borders: self.space.borders,
            tick: self.tick,
            ledger: self.books.ledger,
            events: self.events.clone(),
            freed: self.freed.clone(),
        }
    }

    /// Returns a world with this state and without chunks.
    pub(crate) fn restored(rules: Rules, parts: WorldParts) -> Result<Self, RulesError> {
        let mut world = BlastWorld::with_bounds(rules, parts.bounds, parts.borders)?;
        (world.tick, world.books) = (parts.tick, Books::of(parts.ledger));
        (world.events, world.freed) = (parts.events, parts.freed);
        Ok(world)
    }

    /// Returns the walls that broke since the events were last taken.
    pub(crate) fn events_untold(&self) -> &[Broken] {
        &self.events
    }

    /// Returns whether links of the chunk at a chunk position have weights other than 1.
    pub(crate) fn has_weights(&self, position: ChunkPos) -> bool {
        let ground = self.pressure.slot(position).and_then(|slot| self.ground(slot));
        ground.is_some_and(|ground| !ground.weights.is_empty())
    }

    /// Returns a chunk with all its obstacles.
    pub(crate) fn chunk_parts(&self, slot: Slot) -> ChunkParts {
        let state = &self.states[slot.index()];
        let ground = state.ground.as_deref().cloned().unwrap_or_default();
        ChunkParts {
            pressure: self.pressure.chunk_at(slot).clone(),
            is_audible: state.is_audible,
            is_unreported: state.is_unreported,
            strengths: ground.walls().collect(),
            solid: ground.solid,
            weights: ground.weights,
            flows: state.flows.as_ref().map(|flows| flows.to_chunks::<S>()),
        }
    }

    /// Makes copies of a chunk of pressure share its array until the array is written.
    #[cfg(feature = "store")]
    pub(crate) fn share_chunk(&mut self, slot: Slot) {
        self.pressure.chunk_at_mut(slot).share();
    }

    /// Restores a chunk without entering its pressure in the ledger.
    ///
    /// # Errors
    /// The chunk has a fault that [`validate`](BlastWorld::validate) would not find. The error says
    /// what was expected.
    pub(crate) fn restore_chunk(
        &mut self,
        position: ChunkPos,
        parts: ChunkParts,
    ) -> Result<Slot, &'static str> {
        let bounds = self.space.bounds;
        if !S::holds_chunk(position) || bounds.intersection(&S::region_of(position)).is_none() {
            return Err("a chunk that fits the world's bounds");
        }
        self.check_parts(position, &parts)?;
        let ChunkParts { pressure, is_audible, is_unreported, solid, strengths, weights, flows } =
            parts;
        let slot = self.add_chunk(position, pressure);
        let mut of_cells = Chunk::uniform(0.0);
        strengths.into_iter().for_each(|(index, strength)| _ = of_cells.set(index, strength));
        let mut ground = Ground::default();
        ground.replace(solid, of_cells);
        ground.weights = weights;
        let state = &mut self.states[slot.index()];
        state.ground = (!ground.is_plain()).then(|| Box::new(ground));
        state.flows = flows.map(|planes| ChunkFlows::of(&planes));
        (state.is_audible, state.is_unreported) = (is_audible, is_unreported);
        let is_above = self.reaches_threshold(slot);
        if is_audible && !is_above {
            // The chunk was saved between an edit and the step that would have checked whether it
            // is audible. Such a chunk must be awake.
            self.states[slot.index()].needs_audibility_check = true;
            self.pressure.wake_chunk_at(slot);
        }
        if is_audible || !is_above { Ok(slot) } else { Err("a chunk marked as audible if it is") }
    }

    fn check_parts(&self, position: ChunkPos, parts: &ChunkParts) -> Result<(), &'static str> {
        let is_inside = |index: usize| self.space.bounds.contains(S::cell_at(position, index));
        if !parts.solid.iter().all(is_inside) {
            return Err("removed cells inside the world's bounds");
        }
        if !parts.strengths.iter().all(|(&index, &strength)| {
            parts.solid.contains(index) && strength > 0.0 && strength.is_finite()
        }) {
            return Err("strengths above 0 of removed cells");
        }
        if !parts
            .weights
            .iter()
            .all(|(&(axis, index), &weight)| self.is_weight(position, axis, index, weight))
        {
            return Err("weights from 0 to 10⁶ and not 1, of links between cells of the world");
        }
        let is_wave = matches!(self.rules.rule, Rule::Wave { .. });
        let is_still = |plane: &Chunk<f32>| {
            (0..CHUNK_CELLS).all(|index| plane.get(index) == 0.0 || is_inside(index))
        };
        match &parts.flows {
            Some(planes) if !is_wave || !planes.iter().all(is_still) => {
                Err("flows of a wave inside the world's bounds")
            }
            _ => Ok(()),
        }
    }

    /// Returns whether an edit can have set this weight.
    fn is_weight(&self, position: ChunkPos, along: usize, index: usize, weight: f32) -> bool {
        let cell = S::cell_at(position, index);
        let face = Self::FACES.iter().skip(1).step_by(2).find(|&&face| axis(face) == along);
        (0.0..=WEIGHT_LIMIT).contains(&weight)
            && weight != 1.0
            && weight.is_sign_positive()
            && self.space.bounds.contains(cell)
            && face.is_some_and(|&face| {
                matches!(self.space.beyond_cell::<S>(cell, face), Beyond::There(_))
            })
    }
}
