//! The invariants of a humidity world between two steps, each with its own error.

use super::cell::MOST_HUMIDITY;
use super::edit::units_in;
use super::step::job::{Job, Scratch, Tally};
use super::step::kernel::Kernel;
use super::{HumidityShape, HumidityWorld};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::Slot;
use core::fmt;
use glam::IVec3;

/// The first invariant that [`HumidityWorld::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// The units in the cells differ from the ledger.
    Ledger {
        /// The units in the cells.
        counted: u128,
        /// The units in the ledger.
        booked: u128,
    },
    /// The grid's own invariants do not hold.
    Storage,
    /// A humidity that is not a number from 0 to [`MOST_HUMIDITY`].
    Humidity {
        /// The cell.
        cell: IVec3,
        /// The cell's humidity.
        value: f64,
    },
    /// An impermeability that no edit can write.
    Impermeability {
        /// The cell.
        cell: IVec3,
        /// The cell's impermeability.
        value: f32,
    },
    /// A cell beyond the world's bounds that is not dry rock.
    Outside(IVec3),
    /// The chunk at this chunk position sleeps although a step would change it or its steady flow.
    Asleep(ChunkPos),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ledger { counted, booked } => {
                write!(f, "{counted} units in the cells, {booked} in the ledger")
            }
            Violation::Storage => f.write_str("the chunk store is not in its canonical form"),
            Violation::Humidity { cell, value } => {
                write!(f, "cell {cell} has a humidity of {value}")
            }
            Violation::Impermeability { cell, value } => {
                write!(f, "cell {cell} has an impermeability of {value}")
            }
            Violation::Outside(cell) => {
                write!(f, "cell {cell} lies beyond the bounds and is not dry rock")
            }
            Violation::Asleep(chunk) => {
                write!(f, "chunk {chunk} is asleep, but a step would change it")
            }
        }
    }
}

impl core::error::Error for Violation {}

/// Checks every invariant between steps; see [`HumidityWorld::validate`].
pub(super) fn check_all<S: HumidityShape>(world: &HumidityWorld<S>) -> Result<(), Violation> {
    let moisture = &world.store.moisture;
    moisture.validate().map_err(|_| Violation::Storage)?;
    let mut counted = 0;
    for slot in moisture.sorted_slots() {
        if world.store.ground_at(slot).validate().is_err() {
            return Err(Violation::Storage);
        }
        (0..CHUNK_CELLS).try_for_each(|index| check_place(world, slot, index))?;
        counted += units_in(moisture.chunk_at(slot));
    }
    if let Some(booked) = world.ledger().map(|ledger| ledger.total())
        && booked != counted
        // Units of one part may have entered another part.
        && !moisture.is_divided()
    {
        return Err(Violation::Ledger { counted, booked });
    }
    check_sleepers(world)
}

fn check_place<S: HumidityShape>(
    world: &HumidityWorld<S>,
    slot: Slot,
    index: usize,
) -> Result<(), Violation> {
    let cell = S::cell_at(world.store.moisture.position_at(slot), index);
    let word = world.store.word_of(slot, index);
    let ground = world.store.ground_of(slot, index);
    if !world.store.bounds.contains(cell) {
        let dry = word == world.store.moisture.background();
        let there = ground == world.store.ground_outside(cell);
        return if dry && there { Ok(()) } else { Err(Violation::Outside(cell)) };
    }
    let value = world.store.sweep.humidity_of(word);
    if !(0.0..=MOST_HUMIDITY).contains(&value) {
        return Err(Violation::Humidity { cell, value });
    }
    let value = ground.impermeability();
    if world.is_ground(value) { Ok(()) } else { Err(Violation::Impermeability { cell, value }) }
}

/// Checks that a step would leave each sleeping chunk unchanged, and that the flow through its
/// rain, cap and borders equals the steady flow that each step posts. The check uses no cached
/// data.
fn check_sleepers<S: HumidityShape>(world: &HumidityWorld<S>) -> Result<(), Violation> {
    let moisture = &world.store.moisture;
    let asleep = |slot: &Slot| {
        moisture.awake_at(*slot).is_none_or(CellMask::is_empty)
            && !world.store.is_still(moisture.position_at(*slot))
    };
    let sleepers: Vec<Slot> = moisture.sorted_slots().into_iter().filter(asleep).collect();
    let (mut kernel, mut scratch) = (Kernel::new(&world.rules), Scratch::new());
    for slot in sleepers {
        // The rims are saved chunk by chunk, because the rims of all chunks can take many times the
        // memory of a world of uniform chunks.
        kernel.save_rims(&world.store, &[slot]);
        kernel.prepare(&world.store, slot);
        let mut job = Job::new(slot, moisture.chunk_at(slot).clone());
        let before = kernel.rims.before(moisture, slot);
        kernel.step_chunk(&world.store, before, &mut scratch, &mut job);
        kernel.forget(slot);
        let flow = Tally { moved: 0, ..job.tally };
        if !job.changes.is_empty() || world.steady.of(slot) != flow {
            return Err(Violation::Asleep(moisture.position_at(slot)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::cell::Ground;
    use super::super::{Cell, Rules, Sweep};
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{Region, Shape, Sheet};
    use crate::simulation::says;

    fn world(sweep: Sweep) -> HumidityWorld<Sheet> {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(9, 9, 0));
        let mut world = HumidityWorld::with_bounds(Rules::with_sweep(sweep), bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(5.0, 1.0))).unwrap();
        world.run(3);
        assert_eq!(world.check_laws(), Ok(()));
        world
    }

    /// Returns the violation found after a cell's words were overwritten directly.
    fn found(sweep: Sweep, cell: IVec3, word: u32, ground: Ground) -> Result<(), Violation> {
        let mut world = world(sweep);
        world.store.moisture.set(cell, word);
        let slot = world.store.moisture.slot(ChunkPos::ZERO).unwrap();
        world.store.set_ground(slot, Sheet::index_of(cell), ground);
        world.check_laws()
    }

    #[test]
    fn every_broken_invariant_is_found() {
        let soil = Ground::of(Cell::soil(0.0, 1.0));
        let (cell, outside) = (IVec3::new(4, 4, 0), IVec3::new(10, 4, 0));
        for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
            assert_eq!(found(sweep, outside, 1, Ground::WALL), Err(Violation::Outside(outside)));
            assert_eq!(found(sweep, outside, 0, soil), Err(Violation::Outside(outside)));
            let drain = Violation::Impermeability { cell, value: f32::INFINITY };
            assert_eq!(found(sweep, cell, 0, Ground::DRAIN), Err(drain));
        }
        let (word, booked) = (7 << 16, 500 << 16);
        let ledger = Violation::Ledger { counted: 502 << 16, booked };
        assert_eq!(found(Sweep::Conservative, cell, word, soil), Err(ledger));
        let asleep = Err(Violation::Asleep(ChunkPos::ZERO));
        assert_eq!(
            found(Sweep::Synchronous, cell, 7f32.to_bits(), soil),
            asleep,
            "there is no ledger to find it"
        );
        let lost = found(Sweep::Synchronous, cell, f32::NAN.to_bits(), soil);
        assert!(matches!(lost, Err(Violation::Humidity { value, .. }) if value.is_nan()));

        let mut slept = world(Sweep::Conservative);
        assert!(slept.is_at_rest());
        slept.store.moisture.set(cell, word);
        slept.ledger.placed += 2 << 16;
        assert_eq!(slept.check_laws(), asleep);
    }

    #[test]
    fn broken_laws_name_place_and_figures() {
        const HERE: IVec3 = IVec3::new(-4, 5, 61);
        let law = |law: Violation, parts: &[&str]| says(&law, parts);
        law(Violation::Ledger { counted: 11, booked: 12 }, &["11", "12", "ledger"]);
        law(Violation::Storage, &["store"]);
        law(Violation::Humidity { cell: HERE, value: -1.5 }, &["[-4, 5, 61]", "-1.5"]);
        law(Violation::Impermeability { cell: HERE, value: 0.25 }, &["[-4, 5, 61]", "0.25"]);
        law(Violation::Outside(HERE), &["[-4, 5, 61]"]);
        law(Violation::Asleep(HERE.into()), &["[-4, 5, 61]"]);
    }
}
