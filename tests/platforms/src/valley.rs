//! The valley of the example: its storm and springs over real ground, without the pictures.

use crate::dem::Dem;
use crate::ground::Ground;
use crate::rivers::Rivers;
use crate::storm::Storm;
use floodplain::water::Rules;
use std::io::Cursor;

const MAP: &[u8] = include_bytes!("../../../examples/data/jacksboro_dem_m.png");
const SEED: u64 = 7;
const METRES_PER_VOXEL: f64 = 4.0;

/// The hash after so many ticks.
pub fn state_hash(ticks: u64) -> Result<u64, String> {
    let dem = Dem::decode(Cursor::new(MAP))?;
    let rivers = Rivers::of(&dem);
    let ground = Ground::new(&dem, &rivers, METRES_PER_VOXEL)?;
    let mut world = ground.world(SEED, Rules::default())?;
    let mut storm = Storm::new(SEED, ticks, &ground, rivers.heads(&dem));
    for tick in 0..ticks {
        storm.weather(tick, &ground, &mut world)?;
        world.step();
    }
    Ok(world.state_hash())
}
