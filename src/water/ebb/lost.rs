//! The log of evaporation in the last tick, cell by cell. It is off by default, and not part of the
//! state.

use crate::water::WaterWorld;
use glam::IVec3;

/// Begins to log which cells lose water by evaporation, unless they are logged already.
pub(crate) fn log_evaporation(world: &mut WaterWorld) {
    world.scratch.evaporated.get_or_insert_default();
}

/// Returns the cells from which a unit evaporated in the last tick, each once; their number is that
/// of the units that the ledger counted. Their order depends neither on the budget nor on the
/// number of threads. The list is empty if evaporation is not logged. While a tick is underway, it
/// holds the cells that have lost a unit so far in that tick.
pub(crate) fn cells_evaporated(world: &WaterWorld) -> &[IVec3] {
    world.scratch.evaporated.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::water::{Rules, Voxel, WaterCell};
    use std::collections::BTreeMap;

    /// Returns a world with an uneven floor and puddles of all heights, some of them two cells
    /// deep.
    fn puddles(seed: u64) -> WaterWorld {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rules = Rules { evaporation: 0.05, film_evaporation: 0.1, ..Rules::default() };
        let mut world = WaterWorld::new(seed, rules).unwrap();
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
            let cells = core::array::from_fn(|index| match (index / 256, rng.u8(0..4)) {
                (0 | 1, 0) | (0, _) => Voxel::SOLID,
                (1 | 2, 1) => Voxel::water(WaterCell::with_height(rng.u8(1..8)).unwrap()),
                _ => Voxel::OPEN,
            });
            world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
        }
        log_evaporation(&mut world);
        world
    }

    fn heights(world: &WaterWorld) -> BTreeMap<[i32; 3], u8> {
        let cells = crate::Region::new(IVec3::ZERO, IVec3::new(31, 15, 15)).positions();
        cells.map(|cell| (cell.to_array(), world.units(cell))).collect()
    }

    #[test]
    fn evaporation_is_logged_unit_by_unit() {
        let (mut units, mut asleep) = (0, 0);
        for seed in 0..6 {
            let [mut world, mut sliced, mut silent] = [(); 3].map(|()| puddles(seed));
            silent.scratch.evaporated = None;
            for _ in 0..150 {
                let (before, was_asleep) = (heights(&world), world.awake_cells() == 0);
                let evaporated = world.ledger().evaporated;
                world.step();
                while !sliced.step_within(7).finished {}
                silent.step();
                assert_eq!(
                    cells_evaporated(&world).len() as u64,
                    world.ledger().evaporated - evaporated
                );
                assert_eq!(cells_evaporated(&world), cells_evaporated(&sliced));
                assert_eq!(
                    (world.state_hash(), 0),
                    (silent.state_hash(), cells_evaporated(&silent).len())
                );
                units += cells_evaporated(&world).len();
                if was_asleep {
                    // No other cell has changed, since all were asleep.
                    asleep += cells_evaporated(&world).len();
                    let mut expected = before;
                    for cell in cells_evaporated(&world) {
                        *expected.get_mut(&cell.to_array()).unwrap() -= 1;
                    }
                    assert_eq!(heights(&world), expected);
                }
            }
            world.run(100_000);
            assert_eq!((world.total(), cells_evaporated(&world)), (0, &[][..]));
        }
        assert!(units > 500 && asleep > 20, "{units} units, {asleep} of them from still water");
    }
}
