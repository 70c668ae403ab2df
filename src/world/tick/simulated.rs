//! A world of materials as a simulation distance sees it.

use crate::automata::blast::mirror::stirred_chunks;
use crate::coords::ChunkPos;
use crate::water::{self, Fate, Foresight, Simulated};
use crate::world::World;
use crate::world::edit::Edit;

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

    /// Soil steps once in several ticks, pressure several times in each. Chunks of both are
    /// weighted by the time of their steps.
    fn visit_awake(&self, visit: &mut dyn FnMut(ChunkPos, usize)) {
        self.water.visit_awake(visit);
        let of_soil = (SOIL_STEP / self.rules.soil_period as usize).max(1);
        self.soil.awake_positions().for_each(|chunk| visit(chunk, of_soil));
        let of_blast = BLAST_STEP * self.rules.blast_steps as usize;
        stirred_chunks(&self.blast).into_iter().for_each(|chunk| visit(chunk, of_blast));
    }
}
