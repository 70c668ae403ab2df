//! What full cells of water are to pressure. They stand in the way of it like ground, in the ground
//! that explosions are lent; at the beginning of each tick's steps, that follows the water.

use crate::chunk::CellMask;
use crate::water::WaterCell;
use crate::world::World;
use crate::world::rules::UnderWater;
use crate::world::rules::error::EditError;
use glam::IVec3;

impl World {
    /// Makes the ground that explosions are lent that of the water now: at the beginning of the
    /// steps of a tick, during which water moves no more, except as explosions move it.
    /// Returns how many cells of the blast that changes.
    pub(in crate::world) fn follow_water(&mut self) -> u64 {
        self.is_water_edited = false;
        if self.blast.is_empty() {
            return 0;
        }
        // Chunks that had nothing to lend may have water now.
        self.lend_beside(&self.blast.audible_chunks());
        let lent: Vec<IVec3> = self.lent().collect();
        // A lent chunk is loaded, where nothing is refused.
        let changed: u64 =
            lent.into_iter().map(|chunk| self.follow_water_in(chunk).unwrap_or(0)).sum();
        changed + self.damp_in_water()
    }

    /// Damps the pressure in full cells of water, if they damp it: before the steps of a tick, so
    /// that what has filled up while it slept wakes, and after each. Returns how many
    /// cells lose any.
    pub(in crate::world) fn damp_in_water(&mut self) -> u64 {
        let UnderWater::Damps(part) = self.rules.under_water else { return 0 };
        let chunks = self.blast.chunks().map(|(chunk, _)| chunk);
        let chunks: Vec<IVec3> = chunks.filter(|&chunk| !self.blast.is_still(chunk)).collect();
        // There is no pressure in those that are solid.
        let damp = |chunk| self.blast.damp(chunk, &self.water.closed_cells(chunk), part);
        chunks.into_iter().map(damp).sum()
    }

    /// Makes the ground that explosions are lent in a chunk that of the water now, if it is lent.
    /// Returns how many cells that changes.
    pub(in crate::world) fn follow_water_in(&mut self, chunk: IVec3) -> Result<u64, EditError> {
        if self.rules.under_water != UnderWater::Stops || !self.is_lent(chunk) {
            return Ok(0);
        }
        let changed = self.blast.set_solid_cells(chunk, &self.water.closed_cells(chunk))?;
        self.forget_if_plain(chunk);
        Ok(changed)
    }

    /// Returns the cells of a chunk that stop pressure by their water, and may be solid as well.
    pub(in crate::world) fn stopping_water(&self, chunk: IVec3) -> CellMask {
        match self.rules.under_water {
            UnderWater::Stops => self.water.closed_cells(chunk),
            UnderWater::Passes | UnderWater::Damps(_) => CellMask::EMPTY,
        }
    }

    /// Returns whether a cell of a chunk stops pressure.
    pub(in crate::world) fn has_obstacle(&self, chunk: IVec3) -> bool {
        !self.stopping_water(chunk).is_empty() || self.has_solid(chunk)
    }

    /// Returns whether the water in a cell stops pressure.
    pub(in crate::world) fn is_stopped_by_water(&self, cell: IVec3) -> bool {
        self.rules.under_water == UnderWater::Stops
            && self.water.units(cell) == WaterCell::STILL.height()
    }
}
