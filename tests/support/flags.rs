//! How long the flags of water cells outlive what they claim. For `water_bounds` and the fuzz targets of water.

use floodplain::glam::IVec3;
use floodplain::water::{CellFlags, WaterWorld};

/// Ticks for which a flag may outlive what it claims: no path is longer than there are cells, and a flag clears by a cell
/// a tick at least.
pub fn clearing_ticks(world: &WaterWorld) -> u64 {
    world.bounds().volume() as u64
}

/// A cell with the flag.
pub fn flagged(world: &WaterWorld, flag: CellFlags) -> Option<IVec3> {
    let has = |cell: &IVec3| world.cell(*cell).is_some_and(|cell| cell.flags().contains(flag));
    world.bounds().positions().find(has)
}

/// Runs until no cell has the flag, at most so many ticks.
pub fn clears(world: &mut WaterWorld, flag: CellFlags, ticks: u64) -> bool {
    for _ in 0..ticks {
        if flagged(world, flag).is_none() {
            return true;
        }
        world.step();
    }
    flagged(world, flag).is_none()
}

/// Takes all springs away: within as many ticks as there are cells, no cell claims to have one.
pub fn has_source_clears(world: &mut WaterWorld) {
    while let Some(spring) = flagged(world, CellFlags::IS_SOURCE) {
        assert_eq!(world.remove_source(spring), Ok(true));
    }
    let ticks = clearing_ticks(world);
    assert!(clears(world, CellFlags::HAS_SOURCE, ticks), "{:?} after {ticks}", flagged(world, CellFlags::HAS_SOURCE));
}
