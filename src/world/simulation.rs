//! A world of materials as a [`Simulation`](crate::Simulation).

use crate::blast;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::simulation::{ChunkChanges, Progress, StepReport, simulation};
use crate::state_hash::hash_of;
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
