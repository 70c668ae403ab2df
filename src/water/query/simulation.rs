//! Water as a [`Simulation`](crate::Simulation).

use crate::coords::{ChunkPos, Cube, Shape};
use crate::simulation::{ChunkChanges, Progress, StepReport, simulation};
use crate::state_hash::hash_of;
use crate::water::{Edit, EditError, Ledger, Outcome, WaterWorld};
use glam::IVec3;
use std::collections::BTreeMap;

simulation! {
    [] WaterWorld;
    edits: Edit, Outcome, EditError;
    sums: u64, Ledger;
    changes: ChunkChanges;
    events: ();
    awake: awake_cells;

    fn visit_chunk_hashes(&self, visit: &mut dyn FnMut(ChunkPos, u64)) {
        let mut fixtures: BTreeMap<ChunkPos, Vec<u64>> = BTreeMap::new();
        for (cell, fixture) in self.fixtures() {
            let [kind, value] = fixture.bytes().map(u64::from);
            let word = Cube::index_of(cell) as u64 | kind << 16 | value << 24;
            fixtures.entry(Cube::chunk_of(cell)).or_default().push(word);
        }
        for (position, chunk) in self.chunks() {
            let hash = hash_of(|hash| {
                hash.add(u64::from(self.is_frozen(position)));
                hash.add_chunk::<_, 4>(&chunk, |voxel| u64::from(voxel.word()));
                fixtures
                    .get(&position)
                    .into_iter()
                    .flatten()
                    .for_each(|&word| hash.add(word));
            });
            visit(position, hash);
        }
    }

    fn describe_cell(&self, chunk: ChunkPos, index: usize) -> (IVec3, String) {
        let cell = Cube::cell_at(chunk, index);
        let fixture = self.fixture(cell).map(|fixture| format!(", {fixture:?}"));
        let frozen = if self.is_frozen(chunk) { ", frozen" } else { "" };
        let voxel = self.voxel(cell).map_or("not there".to_owned(), |voxel| format!("{voxel:?}"));
        (cell, format!("{voxel}{}{frozen}", fixture.unwrap_or_default()))
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
}
