//! The weather: rain on the whole map first, then springs at the valley heads.

use super::ground::Ground;
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;

/// Drops per tick for every thousand columns of the map; a drop is one unit.
const DROPS_PER_THOUSAND: usize = 9;

/// Ticks that the storm lasts: long enough for the valleys to fill. Three tenths of a shorter run.
const STORM: u64 = 144;

/// The weather of a run.
pub struct Storm {
    random: fastrand::Rng,
    drops: usize,
    end: u64,
    springs: Vec<usize>,
}

impl Storm {
    /// The weather of a run of `ticks` ticks.
    pub fn new(seed: u64, ticks: u64, ground: &Ground, springs: Vec<usize>) -> Storm {
        Storm {
            random: fastrand::Rng::with_seed(seed),
            drops: (ground.columns() * DROPS_PER_THOUSAND).div_ceil(1000),
            end: STORM.min(ticks * 3 / 10),
            springs,
        }
    }

    /// The tick at which the rain ends and the springs start.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Applies the weather before this tick (the first is 0) runs.
    pub fn weather(
        &mut self,
        tick: u64,
        ground: &Ground,
        world: &mut WaterWorld,
    ) -> Result<(), String> {
        if tick < self.end {
            for _ in 0..self.drops {
                // Not `usize`: its random numbers depend on the width of a pointer.
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

/// Adds a drop on top of the water above `cell`, or to the cell if it is dry. No drop is added
/// where the water reaches the top of the world; the ledger shows that.
fn rain(mut cell: IVec3, world: &mut WaterWorld) {
    while matches!(world.pour(cell, 1), Ok(0)) {
        cell.y += 1;
    }
}
