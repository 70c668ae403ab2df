//! Units that are moved from one cell to another between ticks by explosions, outside the rules of
//! water.

use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::voxel::Voxel;
use glam::IVec3;

/// Returns whether [`move_units`] may put a unit into a cell: the cell is loaded, open, not full,
/// and in no frozen chunk. Between ticks only.
pub(crate) fn has_room(world: &WaterWorld, cell: IVec3) -> bool {
    world.place(cell).is_ok_and(|place| {
        let voxel = world.store.read(place);
        voxel.room() > 0 && !world.store.is_frozen(place.slot)
    })
}

/// Moves up to `units` from one cell to another, at any distance. Returns the number of units
/// moved, 0 to 7: at most what `from` holds and `to` has room for. The ledger stays as it is. Both
/// cells wake, as by [`scoop`](WaterWorld::scoop) and [`pour`](WaterWorld::pour). Springs and the
/// sea, which do not grow or shrink, neither give nor take.
///
/// # Errors
/// A cell is solid, not loaded or out of bounds.
pub(crate) fn move_units(
    world: &mut WaterWorld,
    from: IVec3,
    to: IVec3,
    units: u32,
) -> Result<u32, EditError> {
    world.make_queued_edits();
    let (giver, taker) = (world.open_place_to_edit(from)?, world.open_place_to_edit(to)?);
    let [given, taken] = [giver, taker].map(|place| world.store.read(place));
    let is_endless = |voxel: Voxel| voxel.is_source() || voxel.is_sea();
    if giver == taker || is_endless(given) || is_endless(taken) {
        return Ok(0);
    }
    let moved = units.min(u32::from(given.height())).min(u32::from(taken.room())) as u8;
    if moved > 0 {
        world.take_down(giver, moved);
        // The taker is read again, since the giver may have been its parent.
        let taken = world.store.read(taker);
        world.replace(taker, taken.with_height(taken.height() + moved));
    }
    Ok(u32::from(moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, Cube, Shape};
    use crate::water::{Rules, WaterCell};
    use proptest::prelude::*;

    /// Returns a basin with ground, a spring, a cell of sea, and water in motion.
    fn basin(seed: u64) -> WaterWorld {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut world = WaterWorld::new(seed, Rules::lossless()).unwrap();
        let cells = core::array::from_fn(|index| match rng.u8(0..12) {
            _ if index < 256 => Voxel::SOLID,
            0 | 1 => Voxel::SOLID,
            2..6 if index < 2048 => Voxel::water(WaterCell::with_height(rng.u8(1..8)).unwrap()),
            _ => Voxel::OPEN,
        });
        world.insert_chunk(ChunkPos::ZERO, Chunk::from_cells(&cells)).unwrap();
        _ = world.add_source(IVec3::new(8, 9, 8));
        _ = world.set_sea(IVec3::new(0, 2, 0));
        world.run(rng.u64(0..30));
        world
    }

    /// Moves units in a basin, and scoops and pours the same units in its twin.
    fn check(seed: u64) -> Result<(), TestCaseError> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let [mut moving, mut twin] = [(); 2].map(|()| basin(seed));
        for _ in 0..20 {
            let mut cell = || IVec3::new(rng.i32(0..16), rng.i32(0..9), rng.i32(-1..16));
            let (from, to) = (cell(), cell());
            let (units, before) = (rng.u32(0..9), moving.ledger());
            let is_open = moving.cell(to).is_some() && !moving.is_frozen(Cube::chunk_of(to));
            prop_assert_eq!(has_room(&moving, to), is_open && moving.units(to) < 7);
            let moved = move_units(&mut moving, from, to, units);
            prop_assert_eq!(moving.ledger(), before);
            match moved {
                Ok(moved) => {
                    let is_endless = |cell| {
                        twin.is_sea(cell) || twin.cell(cell).is_some_and(|cell| cell.is_source())
                    };
                    let room = 7 - u32::from(twin.units(to).min(7));
                    let most = units.min(u32::from(twin.units(from))).min(room);
                    let gives = from != to && !is_endless(from) && !is_endless(to);
                    prop_assert_eq!(moved, if gives { most } else { 0 });
                    if moved > 0 {
                        twin.scoop(from, moved).unwrap();
                        twin.pour(to, moved).unwrap();
                    }
                }
                Err(error) => {
                    let refused = twin.scoop(from, 0).and(twin.scoop(to, 0));
                    prop_assert_eq!(refused, Err(error));
                }
            }
            prop_assert_eq!(moving.validate(), Ok(()));
            let awake = |world: &WaterWorld| world.awake_chunks().collect::<Vec<_>>();
            prop_assert_eq!(awake(&moving), awake(&twin));
            moving.step();
            twin.step();
            prop_assert!(moving.chunk(ChunkPos::ZERO) == twin.chunk(ChunkPos::ZERO));
        }
        Ok(())
    }

    /// A body that was not level was kept awake only by a cell of a film, which the next flow
    /// emptied: the body slept with a difference of two units.
    #[test]
    fn a_body_that_is_not_level_is_kept_awake_by_a_cell_that_keeps_water() {
        check(4_204_852_127_169_553_861).unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(40)
        })]

        #[test]
        fn units_that_move_are_scooped_and_poured(seed: u64) {
            check(seed)?;
        }
    }
}
