//! A world of materials as a [`Simulation`](crate::Simulation), and as a
//! [`SimulationDistance`](crate::water::SimulationDistance) sees it.

use crate::automata::blast::mirror::stirred_chunks;
use crate::blast;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::simulation::{ChunkChanges, Progress, StepReport, simulation};
use crate::state_hash::hash_of;
use crate::water::{self, Fate, Foresight, Simulated};
use crate::world::{Broken, Edit, EditError, Ledger, Outcome, World};
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

simulation! {
    [] World;
    edits: Edit, Outcome, EditError;
    sums: u128, Ledger;
    changes: ChunkChanges;
    events: Broken;
    awake: awake_cells;

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        let pressures: BTreeMap<ChunkPos, &Chunk<f32>> =
            self.blast().chunks().collect();
        let grounds = self.chunks().map(|(position, _)| position);
        let all: BTreeSet<ChunkPos> = pressures.keys().copied().chain(grounds).collect();
        for position in all {
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
                if let Some(pressure) = pressures.get(&position) {
                    blast::add_pressures(hash, pressure);
                }
            });
            visit(position, hash);
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let cell = Cube::cell_at(chunk, index);
        let (material, voxel) = (self.material(cell), self.water().voxel(cell));
        let (moisture, pressure) = (self.moisture(cell), self.pressure(cell));
        (cell, format!("{material:?}, {voxel:?}, moisture {moisture}, pressure {pressure}"))
    }

    fn describe(&self) -> String {
        let (seed, bounds, rules) = (self.seed(), self.bounds(), self.rules());
        format!("seed {seed}, bounds {bounds:?}, {rules:?}")
    }

    fn step_within(&mut self, budget: u64) -> Progress {
        Self::step_within(self, budget)
    }

    fn finish_tick(&mut self) -> StepReport {
        Self::finish_tick(self)
    }

    fn take_events(&mut self) -> Vec<Broken> {
        Self::take_events(self)
    }
}

/// The cost of stepping a chunk of soil or of pressure, in visits of a cell of water (about 0.54 µs
/// on one EPYC core, 2026-11-27). A chunk of soil took 15 µs; the 40 µs of a chunk of pressure are
/// an estimate.
const SOIL_STEP: usize = 28;
const BLAST_STEP: usize = 80;

impl Simulated for World {
    fn edit_of(water: water::Edit) -> Edit {
        Edit::Water(water)
    }

    fn ticks_begun(&self) -> u64 {
        self.tick.wrapping_add(self.queue.has_begun().into())
    }

    fn foresee(&self, visit: &mut dyn FnMut(ChunkPos, bool)) {
        let mut foresight = Foresight::of(&self.water);
        for edit in self.queue.waiting() {
            match edit {
                Edit::InsertChunk { position, .. } => foresight.note(Fate::Comes, &[*position]),
                Edit::InsertRecords(list) => {
                    let at: Vec<ChunkPos> = list.iter().map(|record| record.position()).collect();
                    foresight.note(Fate::Comes, &at);
                }
                Edit::RemoveChunk(position) => foresight.note(Fate::Goes, &[*position]),
                Edit::RemoveChunks(list) => foresight.note(Fate::Goes, list),
                Edit::Water(edit @ (water::Edit::Freeze(_) | water::Edit::Thaw(_))) => {
                    foresight.note_water(edit);
                }
                _ => {}
            }
        }
        foresight.visit(visit);
    }

    /// Soil steps once in several ticks, pressure several times in each tick. Chunks of soil and of
    /// pressure are weighted by the time that their steps take per tick.
    fn visit_awake(&self, visit: &mut dyn FnMut(ChunkPos, usize)) {
        self.water.visit_awake(visit);
        let of_soil = (SOIL_STEP / self.rules.soil_period as usize).max(1);
        self.soil.awake_positions().for_each(|chunk| visit(chunk, of_soil));
        let of_blast = BLAST_STEP * self.rules.blast_steps as usize;
        stirred_chunks(&self.blast).into_iter().for_each(|chunk| visit(chunk, of_blast));
    }
}
