//! What a world must offer to be recorded.

use crate::automata::{blast, humidity, water2d};
use crate::automaton::StateHash;
use crate::blast::{BlastGraph, BlastShape, BlastWorld};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Cube, Shape, sort_key};
use crate::edit_bytes::EditBytesError;
use crate::edit_table::Demanding;
use crate::humidity::{HumidityShape, HumidityWorld};
use crate::limits::{LimitError, Limits};
use crate::snapshot::Saved;
use crate::water::{self, WaterWorld};
use crate::water2d::Water2dWorld;
use crate::world::{self, World};
use core::error::Error;
use core::fmt::Debug;
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// A world that can be recorded. Implemented by the worlds of this crate only: those whose edits
/// are values.
///
/// ```
/// use floodplain::blast::BlastGraph;
/// use floodplain::recording::Recorded;
/// use floodplain::water::WaterWorld;
/// fn records<W: Recorded>() {}
/// records::<WaterWorld>();
/// records::<BlastGraph>();
/// ```
pub trait Recorded: Saved {
    /// Its edits as values.
    type Edit: Clone + Debug + PartialEq;
    /// What an edit that was not refused came to.
    type Outcome: Debug;
    /// Why an edit was refused.
    type EditError: Error + 'static;

    /// Makes an edit.
    #[doc(hidden)]
    fn make(&mut self, edit: Self::Edit) -> Result<Self::Outcome, Self::EditError>;

    /// Returns an edit as bytes.
    #[doc(hidden)]
    fn edit_bytes(edit: &Self::Edit) -> Vec<u8>;

    /// Returns the edit of these bytes.
    #[doc(hidden)]
    fn edit_of(bytes: &[u8]) -> Result<Self::Edit, EditBytesError>;

    /// Checks an edit of another machine.
    #[doc(hidden)]
    fn check_limits(edit: &Self::Edit, limits: &Limits) -> Result<(), LimitError>;

    /// Completes the tick that is underway, if there is one.
    #[doc(hidden)]
    fn complete(&mut self) {}

    /// Does a tick, or as much of it as the budget allows, for worlds that do ticks in slices.
    /// Returns whether it is complete.
    #[doc(hidden)]
    fn tick_within(&mut self, budget: u64) -> bool;

    /// Returns the hash of the state.
    #[doc(hidden)]
    fn hash_of_state(&self) -> u64;

    /// Hands over each chunk with a hash of its cells. Nodes of a graph count as cells along x.
    #[doc(hidden)]
    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64));

    /// Returns the cell of a chunk, and what it holds in words.
    #[doc(hidden)]
    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String);

    /// Returns seed, bounds and rules in words.
    #[doc(hidden)]
    fn summary(&self) -> String;
}

/// Implements the functions that do the same in all worlds.
macro_rules! common {
    ($part:ident, $edit:ident, $outcome:ident, $error:ident) => {
        type Edit = $part::$edit;
        type Outcome = $part::$outcome;
        type EditError = $part::$error;

        fn make(&mut self, edit: $part::$edit) -> Result<$part::$outcome, $part::$error> {
            self.apply(edit)
        }

        fn edit_bytes(edit: &$part::$edit) -> Vec<u8> {
            edit.to_bytes()
        }

        fn edit_of(bytes: &[u8]) -> Result<$part::$edit, EditBytesError> {
            $part::$edit::from_bytes(bytes)
        }

        fn check_limits(edit: &$part::$edit, limits: &Limits) -> Result<(), LimitError> {
            limits.check(&edit.demand())
        }

        fn hash_of_state(&self) -> u64 {
            self.state_hash()
        }
    };
}

/// Implements ticks that are never left unfinished.
macro_rules! whole_ticks {
    () => {
        fn tick_within(&mut self, _: u64) -> bool {
            self.step();
            true
        }
    };
}

/// Implements ticks that are done in slices.
macro_rules! sliced_ticks {
    () => {
        fn complete(&mut self) {
            self.finish_tick();
        }

        fn tick_within(&mut self, budget: u64) -> bool {
            self.step_within(budget).finished
        }
    };
}

/// Returns the hash of what `add` adds.
fn hash_of(add: impl FnOnce(&mut StateHash)) -> u64 {
    let mut hash = StateHash::new();
    add(&mut hash);
    hash.finish()
}

impl Recorded for WaterWorld {
    common!(water, Edit, Outcome, EditError);
    sliced_ticks!();

    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
        let mut fixtures: BTreeMap<[i32; 3], Vec<u64>> = BTreeMap::new();
        for (cell, fixture) in self.fixtures() {
            let [kind, value] = fixture.bytes().map(u64::from);
            let word = Cube::index_of(cell) as u64 | kind << 16 | value << 24;
            fixtures.entry(sort_key(Cube::chunk_of(cell))).or_default().push(word);
        }
        for (position, chunk) in self.chunks() {
            let hash = hash_of(|hash| {
                hash.add(u64::from(self.is_frozen(position)));
                hash.add_chunk::<_, 4>(&chunk, |voxel| u64::from(voxel.word()));
                fixtures
                    .get(&sort_key(position))
                    .into_iter()
                    .flatten()
                    .for_each(|&word| hash.add(word));
            });
            visit(position, hash);
        }
    }

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let cell = Cube::cell_at(chunk, index);
        let fixture = self.fixture(cell).map(|fixture| format!(", {fixture:?}"));
        let frozen = if self.is_frozen(chunk) { ", frozen" } else { "" };
        let voxel = self.voxel(cell).map_or("not there".to_owned(), |voxel| format!("{voxel:?}"));
        (cell, format!("{voxel}{}{frozen}", fixture.unwrap_or_default()))
    }

    fn summary(&self) -> String {
        let (seed, bounds, rules) = (self.seed(), self.bounds(), self.rules());
        format!("seed {seed}, bounds {bounds:?}, {rules:?}")
    }
}

impl Recorded for World {
    common!(world, Edit, Outcome, EditError);
    sliced_ticks!();

    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
        let pressures: BTreeMap<[i32; 3], &Chunk<f32>> =
            self.blast().chunks().map(|(position, chunk)| (sort_key(position), chunk)).collect();
        let grounds = self.chunks().map(|(position, _)| sort_key(position));
        let all: BTreeSet<[i32; 3]> = pressures.keys().copied().chain(grounds).collect();
        for [y, z, x] in all {
            let position = IVec3::new(x, y, z);
            let hash = hash_of(|hash| {
                if let Some(content) = self.chunk(position) {
                    hash.add_chunk::<_, 4>(&content.materials, |material| u64::from(material.0));
                    if let Some(water) = content.water {
                        hash.add_chunk::<_, 4>(&water, |voxel| u64::from(voxel.word()));
                    }
                    if let Some(moisture) = content.moisture {
                        hash.add_chunk::<_, 2>(&moisture, u64::from);
                    }
                }
                if let Some(pressure) = pressures.get(&[y, z, x]) {
                    add_pressures(hash, pressure);
                }
            });
            visit(position, hash);
        }
    }

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let cell = Cube::cell_at(chunk, index);
        let (material, voxel) = (self.material(cell), self.water().voxel(cell));
        let (moisture, pressure) = (self.moisture(cell), self.pressure(cell));
        (cell, format!("{material:?}, {voxel:?}, moisture {moisture}, pressure {pressure}"))
    }

    fn summary(&self) -> String {
        let (seed, bounds, rules) = (self.seed(), self.bounds(), self.rules());
        format!("seed {seed}, bounds {bounds:?}, {rules:?}")
    }
}

impl<S: HumidityShape> Recorded for HumidityWorld<S> {
    common!(humidity, Edit, Outcome, EditError);
    whole_ticks!();

    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
        for (position, chunk) in self.chunks() {
            let hash = hash_of(|hash| {
                hash.add_chunk::<_, 1>(&chunk, |cell| cell.humidity.to_bits());
                let ground = |cell: humidity::Cell| {
                    u64::from(cell.impermeability.to_bits()) << 1 | u64::from(cell.rain)
                };
                hash.add_chunk::<_, 1>(&chunk, ground);
            });
            visit(position, hash);
        }
    }

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let cell = S::cell_at(chunk, index);
        (cell, format!("{:?}", self.cell(cell)))
    }

    fn summary(&self) -> String {
        format!("bounds {:?}, {:?}", self.bounds(), self.rules())
    }
}

impl<S: BlastShape> Recorded for BlastWorld<S> {
    common!(blast, Edit, Outcome, EditError);
    whole_ticks!();

    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
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

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let cell = S::cell_at(chunk, index);
        let (pressure, is_solid) = (self.pressure(cell), self.is_solid(cell));
        let strength = self.strength(cell);
        (cell, format!("pressure {pressure}, solid {is_solid}, strength {strength:?}"))
    }

    fn summary(&self) -> String {
        format!("bounds {:?}, {:?}, {:?}", self.bounds(), self.borders(), self.rules())
    }
}

/// Adds pressures; a zero below zero is the zero that it equals.
fn add_pressures(hash: &mut StateHash, chunk: &Chunk<f32>) {
    hash.add_chunk::<_, 2>(chunk, |pressure| u64::from((pressure + 0.0).to_bits()));
}

impl Recorded for BlastGraph {
    common!(blast, GraphEdit, GraphOutcome, GraphError);
    whole_ticks!();

    /// Blocks of 4096 nodes, by number.
    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
        let mut blocks: BTreeMap<u32, StateHash> = BTreeMap::new();
        for node in self.nodes() {
            let hash = blocks.entry(node.0 / CHUNK_CELLS as u32).or_insert_with(StateHash::new);
            hash.add(node.0.into());
            hash.add(self.pressure(node).map_or(0, |pressure| (pressure + 0.0).to_bits()));
            hash.add(self.strength(node).map_or(0, f64::to_bits));
        }
        for (block, hash) in blocks {
            visit(IVec3::X * block as i32, hash.finish());
        }
    }

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let node = blast::NodeId(chunk.x as u32 * CHUNK_CELLS as u32 + index as u32);
        let (pressure, strength) = (self.pressure(node), self.strength(node));
        (IVec3::X * node.0 as i32, format!("pressure {pressure:?}, strength {strength:?}"))
    }

    fn summary(&self) -> String {
        format!("{:?}", self.rules())
    }
}

impl Recorded for Water2dWorld {
    common!(water2d, Edit, Outcome, EditError);
    whole_ticks!();

    fn visit_chunks(&self, visit: &mut dyn FnMut(IVec3, u64)) {
        let word = |cell: water2d::Cell| match cell.is_solid() {
            true => u64::from(u32::MAX),
            false => u64::from(cell.level()),
        };
        for (position, chunk) in self.chunks() {
            visit(position, hash_of(|hash| hash.add_chunk::<_, 2>(chunk, word)));
        }
    }

    fn look(&self, chunk: IVec3, index: usize) -> (IVec3, String) {
        let cell = crate::coords::Sheet::cell_at(chunk, index);
        (cell, format!("{:?}", self.cell(cell)))
    }

    fn summary(&self) -> String {
        let (seed, bounds, rules) = (self.seed(), self.bounds(), self.rules());
        format!("seed {seed}, bounds {bounds:?}, {rules:?}")
    }
}
