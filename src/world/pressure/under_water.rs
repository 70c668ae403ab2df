//! The effect of full cells of water on pressure. In the ground lent to explosions they block it
//! like solid ground. This is updated from the water at the beginning of each tick's steps.

use crate::chunk::CellMask;
use crate::coords::ChunkPos;
use crate::water::WaterCell;
use crate::world::World;
use crate::world::rules::UnderWater;
use crate::world::rules::error::EditError;
use glam::IVec3;

impl World {
    /// Updates the ground lent to explosions from the present water, at the beginning of the steps
    /// of a tick. During these steps only explosions move water. Returns how many cells of the
    /// blast change.
    pub(in crate::world) fn follow_water(&mut self) -> u64 {
        self.is_water_edited = false;
        if self.blast.is_empty() {
            return 0;
        }
        // Chunks without lent ground may have water now.
        self.lend_beside(&self.blast.audible_chunks());
        let lent: Vec<ChunkPos> = self.lent().collect();
        // A lent chunk is loaded, where no edit is refused.
        let changed: u64 =
            lent.into_iter().map(|chunk| self.follow_water_in(chunk).unwrap_or(0)).sum();
        changed + self.damp_in_water()
    }

    /// Damps the pressure in full cells of water, if the rules say so. This is done before the
    /// steps of a tick, so that cells that filled up while they slept wake, and after each step.
    /// Returns how many cells lose any.
    pub(in crate::world) fn damp_in_water(&mut self) -> u64 {
        let UnderWater::Damps(part) = self.rules.under_water else { return 0 };
        let chunks = self.blast.chunks().map(|(chunk, _)| chunk);
        let chunks: Vec<ChunkPos> = chunks.filter(|&chunk| !self.blast.is_still(chunk)).collect();
        // Solid cells have no pressure.
        let damp = |chunk| self.blast.damp(chunk, &self.water.closed_cells(chunk), part);
        chunks.into_iter().map(damp).sum()
    }

    /// Updates the ground of a chunk lent to explosions from the present water, if it is lent.
    /// Returns how many cells change.
    pub(in crate::world) fn follow_water_in(&mut self, chunk: ChunkPos) -> Result<u64, EditError> {
        if self.rules.under_water != UnderWater::Stops || !self.is_lent(chunk) {
            return Ok(0);
        }
        let changed = self.blast.set_solid_cells(chunk, &self.water.closed_cells(chunk))?;
        self.forget_if_plain(chunk);
        Ok(changed)
    }

    /// Returns the cells of a chunk whose water stops pressure; some may be solid as well.
    pub(in crate::world) fn stopping_water(&self, chunk: ChunkPos) -> CellMask {
        match self.rules.under_water {
            UnderWater::Stops => self.water.closed_cells(chunk),
            UnderWater::Passes | UnderWater::Damps(_) => CellMask::EMPTY,
        }
    }

    /// Returns whether a cell of a chunk stops pressure.
    pub(in crate::world) fn has_obstacle(&self, chunk: ChunkPos) -> bool {
        !self.stopping_water(chunk).is_empty() || self.has_solid(chunk)
    }

    /// Returns whether the water in a cell stops pressure.
    pub(in crate::world) fn is_stopped_by_water(&self, cell: IVec3) -> bool {
        self.rules.under_water == UnderWater::Stops
            && self.water.units(cell) == WaterCell::STILL.height()
    }
}
