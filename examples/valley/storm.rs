//! The weather: rain on the whole map first, then springs at the valley heads.

use crate::ground::Ground;
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;

/// Drops in a tick for every thousand columns of the map; a drop is one unit.
const DROPS_PER_THOUSAND: usize = 9;

/// Ticks that the storm lasts: long enough for the valleys to fill. In a short run, three tenths of
/// it.
const STORM: u64 = 144;

/// When it rains, and where the springs rise.
pub struct Storm {
    random: fastrand::Rng,
    drops: usize,
    end: u64,
    springs: Vec<usize>,
}

impl Storm {
    /// The weather of a run of so many ticks.
    pub fn new(seed: u64, ticks: u64, ground: &Ground, springs: Vec<usize>) -> Storm {
        Storm {
            random: fastrand::Rng::with_seed(seed),
            drops: (ground.columns() * DROPS_PER_THOUSAND).div_ceil(1000),
            end: STORM.min(ticks * 3 / 10),
            springs,
        }
    }

    /// The tick at which the rain is over and the springs rise.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// What falls and rises before the tick (the first is 0) runs.
    pub fn weather(
        &mut self,
        tick: u64,
        ground: &Ground,
        world: &mut WaterWorld,
    ) -> Result<(), String> {
        if tick < self.end {
            for _ in 0..self.drops {
                // Not `usize`, whose numbers depend on how wide a pointer is.
                let column = self.random.u64(..ground.columns() as u64) as usize;
                rain(ground.open_cell(column), world);
            }
        } else if tick == self.end {
            for &column in &self.springs {
                world.add_source(ground.open_cell(column)).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

/// A drop onto the water that stands over `cell`, or into the cell if it is dry. Nothing falls
/// where the water reaches the top of the world, which the ledger shows.
fn rain(mut cell: IVec3, world: &mut WaterWorld) {
    while matches!(world.pour(cell, 1), Ok(0)) {
        cell.y += 1;
    }
}
