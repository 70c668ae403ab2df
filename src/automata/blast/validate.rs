//! The invariants of a world of pressure between two steps, each with its own error.

use super::field::flows::Conductances;
use super::field::links::Link;
use super::field::space::Beyond;
use super::rules::Rule;
use super::step::job::Scratch;
use super::{BlastShape, BlastWorld};
use crate::automata::blast::extent::is_still;
use crate::automata::engine::rims::Rims;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use core::fmt;
use glam::IVec3;

/// The first invariant that [`BlastWorld::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// The sum of the pressures differs from the ledger by more than a millionth.
    Ledger {
        /// The sum of the cells.
        counted: f64,
        /// The ledger's total.
        booked: f64,
    },
    /// The grid's own invariants do not hold.
    Storage,
    /// A pressure that is not a finite number, or negative under the diffusive rule.
    Pressure {
        /// The cell.
        cell: IVec3,
        /// The pressure.
        pressure: f32,
    },
    /// Pressure in a removed cell or beyond the bounds.
    Filled {
        /// The cell.
        cell: IVec3,
        /// The pressure.
        pressure: f32,
    },
    /// The conductance stored for a link does not follow from its weight and ends.
    Conductance(IVec3, Face),
    /// The weights at a cell make the rule unstable.
    Unstable {
        /// The cell.
        cell: IVec3,
        /// The sum of the weights.
        weights: f64,
    },
    /// A link's flow is not the opposite of the flow stored at its other end, or is not 0 where no
    /// pressure can pass.
    Flow(IVec3, Face),
    /// A strength stored for a cell that is not removed.
    Wall {
        /// The cell.
        cell: IVec3,
        /// The strength.
        strength: f32,
    },
    /// The chunk at this chunk position sleeps although a step would change it.
    Asleep(ChunkPos),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ledger { counted, booked } => {
                write!(f, "{counted} in the cells, {booked} in the ledger")
            }
            Violation::Storage => f.write_str("the chunk store is not in its canonical form"),
            Violation::Pressure { cell, pressure } => {
                write!(f, "cell {cell} has a pressure of {pressure}")
            }
            Violation::Filled { cell, pressure } => {
                write!(
                    f,
                    "cell {cell} has a pressure of {pressure} though it is no part of the world"
                )
            }
            Violation::Conductance(cell, face) => {
                write!(f, "the conductance of cell {cell} to the {face:?} is not that of its link")
            }
            Violation::Unstable { cell, weights } => {
                write!(f, "the weights at cell {cell}, {weights} in sum, make the rule unstable")
            }
            Violation::Flow(cell, face) => {
                write!(f, "the flow of cell {cell} to the {face:?} is not that of its link")
            }
            Violation::Wall { cell, strength } => {
                write!(f, "cell {cell} has a strength of {strength} though it is open")
            }
            Violation::Asleep(chunk) => {
                write!(f, "chunk {chunk} is asleep, but a step would change it")
            }
        }
    }
}

impl core::error::Error for Violation {}

pub(super) fn validate_generic<S: BlastShape>(world: &BlastWorld<S>) -> Result<(), Violation> {
    world.pressure.validate().map_err(|_| Violation::Storage)?;
    for slot in world.pressure.sorted_slots() {
        check_walls(world, slot)?;
        for index in 0..CHUNK_CELLS {
            let cell = S::cell_at(world.pressure.position_at(slot), index);
            match world.space.bounds.contains(cell) {
                true => check_cell(world, slot, index, cell)?,
                false => check_outside(world, slot, index, cell)?,
            }
        }
    }
    let (counted, booked) = (world.total(), world.books.ledger.total());
    // Pressure of one part may have entered another part.
    if !world.pressure.is_divided() && !world.is_balanced() {
        return Err(Violation::Ledger { counted, booked });
    }
    check_sleepers(world)
}

fn check_sleepers<S: BlastShape>(world: &BlastWorld<S>) -> Result<(), Violation> {
    let (mut rims, mut scratch) = (Rims::new(0.0), Scratch::new());
    let asleep = |slot: &Slot| {
        world.pressure.awake_at(*slot).is_none_or(CellMask::is_empty)
            && !is_still(world, world.pressure.position_at(*slot))
    };
    let mut sleepers = world.pressure.sorted_slots().into_iter().filter(asleep);
    match sleepers.find(|&slot| world.would_change(slot, &mut rims, &mut scratch)) {
        Some(slot) => Err(Violation::Asleep(world.pressure.position_at(slot))),
        None => Ok(()),
    }
}

fn check_walls<S: BlastShape>(world: &BlastWorld<S>, slot: Slot) -> Result<(), Violation> {
    let Some(ground) = world.ground(slot) else { return Ok(()) };
    match ground.walls().find(|&(index, _)| !ground.solid.contains(index)) {
        Some((index, strength)) => Err(Violation::Wall {
            cell: S::cell_at(world.pressure.position_at(slot), index),
            strength,
        }),
        None => Ok(()),
    }
}

/// Checks that a cell beyond the bounds has no pressure, no conducting link, and no flow.
fn check_outside<S: BlastShape>(
    world: &BlastWorld<S>,
    slot: Slot,
    index: usize,
    cell: IVec3,
) -> Result<(), Violation> {
    let pressure = world.pressure.chunk_at(slot).get(index);
    if pressure != 0.0 {
        return Err(Violation::Filled { cell, pressure });
    }
    let conducts = |&&face: &&Face| match &world.states[slot.index()].conductances {
        Conductances::Unknown => false,
        Conductances::Uniform => world.unit_conductance() != 0.0,
        Conductances::Weighted(planes) => planes[face.index()][index] != 0.0,
    };
    if let Some(&face) = BlastWorld::<S>::FACES.iter().find(conducts) {
        return Err(Violation::Conductance(cell, face));
    }
    let Some(flows) = &world.states[slot.index()].flows else { return Ok(()) };
    match BlastWorld::<S>::FACES.iter().find(|&&face| flows.at::<S>(face, index) != 0.0) {
        Some(&face) => Err(Violation::Flow(cell, face)),
        None => Ok(()),
    }
}

fn check_cell<S: BlastShape>(
    world: &BlastWorld<S>,
    slot: Slot,
    index: usize,
    cell: IVec3,
) -> Result<(), Violation> {
    let pressure = world.pressure.chunk_at(slot).get(index);
    let is_signed = matches!(world.rules.rule, Rule::Wave { .. });
    if !pressure.is_finite() || !is_signed && !world.rules.rule.admits(f64::from(pressure)) {
        return Err(Violation::Pressure { cell, pressure });
    }
    if pressure != 0.0 && world.is_removed_at(Some((slot, index))) {
        return Err(Violation::Filled { cell, pressure });
    }
    let mut weights = 0.0;
    for &face in BlastWorld::<S>::FACES {
        let link = world.link_of(cell, Some((slot, index)), face);
        let is_known = match &world.states[slot.index()].conductances {
            // Irrelevant at a rigid border, where each cell's own pressure is mirrored.
            _ if link.beyond == Beyond::Rigid => true,
            Conductances::Unknown => true,
            Conductances::Uniform => link.conductance == world.unit_conductance(),
            Conductances::Weighted(planes) => link.conductance == planes[face.index()][index],
        };
        if !is_known {
            return Err(Violation::Conductance(cell, face));
        }
        weights += f64::from(link.weight);
        check_flow(world, (slot, index), face, link).map_err(|()| Violation::Flow(cell, face))?;
    }
    if world.rules.rule.is_stable(weights) {
        Ok(())
    } else {
        Err(Violation::Unstable { cell, weights })
    }
}

fn check_flow<S: BlastShape>(
    world: &BlastWorld<S>,
    here: (Slot, usize),
    face: Face,
    link: Link,
) -> Result<(), ()> {
    let flow_of = |(slot, index): (Slot, usize), face: Face| {
        world.states[slot.index()].flows.as_ref().map_or(0.0, |flows| flows.at::<S>(face, index))
    };
    let flow = flow_of(here, face);
    let is_true = match link.beyond {
        Beyond::There(_) => {
            // A ghost's own flows are not known.
            link.there.is_some_and(|there| world.pressure.is_ghost_at(there.0))
                || link.there.map_or(0.0, |there| flow_of(there, face.opposite())) == -flow
        }
        Beyond::Rigid | Beyond::Open => true,
    };
    if is_true && (flow == 0.0 || link.conductance != 0.0) { Ok(()) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::super::{Borders, Rules};
    use super::*;
    use crate::Face;
    use crate::automata::blast::field::conductances::{update_conductances, update_links};
    use crate::coords::{Region, Shape, Sheet};
    use crate::simulation::says;

    const WALL: IVec3 = IVec3::new(3, 3, 0);
    const OPEN: IVec3 = IVec3::new(5, 3, 0);

    /// Returns a valid room with a charge and a wall.
    fn room(rules: Rules) -> BlastWorld {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(9, 9, 0));
        let mut world = BlastWorld::with_bounds(rules, bounds, Borders::default()).unwrap();
        world.set_pressure(IVec3::new(1, 1, 0), 20.0).unwrap();
        world.set_wall(WALL, 50.0).unwrap();
        world.run(3);
        assert_eq!(world.check_laws(), Ok(()));
        world
    }

    /// Returns the violation found after the room's data were damaged.
    fn found(rules: Rules, damage: impl FnOnce(&mut BlastWorld, Slot)) -> Violation {
        let mut world = room(rules);
        let slot = world.pressure.slot(ChunkPos::ZERO).unwrap();
        damage(&mut world, slot);
        world.check_laws().unwrap_err()
    }

    #[test]
    fn every_broken_invariant_is_found() {
        let outside = IVec3::new(10, 3, 0);
        for rules in [Rules::default(), Rules::wave(0.25, 0.9)] {
            let written = |cell: IVec3, pressure: f32| {
                found(rules, |world, _| _ = world.pressure.set(cell, pressure))
            };
            for cell in [WALL, outside] {
                assert_eq!(written(cell, 2.5), Violation::Filled { cell, pressure: 2.5 });
            }
            let lost = written(OPEN, f32::NAN);
            assert!(
                matches!(lost, Violation::Pressure { cell: OPEN, pressure } if pressure.is_nan()),
                "{lost:?}"
            );
            assert!(matches!(
                found(rules, |world, _| world.books.ledger.placed += 1.0),
                Violation::Ledger { .. }
            ));
            let open = found(rules, |world, slot| {
                world.ground_mut(slot).solid.remove(Sheet::index_of(WALL));
                update_links(world, WALL);
            });
            assert_eq!(open, Violation::Wall { cell: WALL, strength: 50.0 });
            let stiff = found(rules, |world, slot| {
                world.ground_mut(slot).set_weight(0, Sheet::index_of(OPEN), 20.0);
                update_conductances(world, OPEN);
            });
            assert_eq!(stiff, Violation::Unstable { cell: OPEN, weights: 23.0 });
            let torn = found(rules, |world, slot| {
                let Conductances::Weighted(planes) = &mut world.states[slot.index()].conductances
                else {
                    panic!("a step has made use of them")
                };
                planes[Face::East.index()][Sheet::index_of(OPEN)] = 0.125;
            });
            assert_eq!(torn, Violation::Conductance(OPEN, Face::East));
            let loose = found(rules, |world, _| {
                world
                    .pressure
                    .insert(ChunkPos::new(1, 0, 0), crate::chunk::Chunk::uniform(0.0))
                    .unwrap();
                let slot = world.pressure.slot(ChunkPos::new(1, 0, 0)).unwrap();
                world.pressure.chunk_at_mut(slot).cells_mut();
            });
            assert_eq!(loose, Violation::Storage);
        }
        let asleep = found(Rules::default(), |world, slot| {
            world.pressure.sleep_chunk_at(slot);
            world.pressure.drop_sleepers();
        });
        assert_eq!(asleep, Violation::Asleep(ChunkPos::ZERO));
        let negative = found(Rules::default(), |world, _| _ = world.pressure.set(OPEN, -1.0));
        assert_eq!(negative, Violation::Pressure { cell: OPEN, pressure: -1.0 });
    }

    #[test]
    fn flows_that_do_not_agree_are_found() {
        let wave = Rules::wave(0.25, 0.9);
        let one_sided = found(wave, |world, slot| {
            let flows = world.states[slot.index()].flows.as_mut().unwrap().faces_mut::<Sheet>();
            flows[Face::East.index()][Sheet::index_of(OPEN)] += 1.0;
        });
        assert_eq!(one_sided, Violation::Flow(OPEN, Face::East));
        let through = found(wave, |world, slot| {
            let flows = world.states[slot.index()].flows.as_mut().unwrap().faces_mut::<Sheet>();
            flows[Face::East.index()][Sheet::index_of(WALL)] = 1.0;
            flows[Face::West.index()][Sheet::index_of(WALL + IVec3::X)] = -1.0;
        });
        assert_eq!(through, Violation::Flow(WALL, Face::East), "nothing passes there");
        let outside = IVec3::new(20, 30, 0);
        let beyond = found(wave, |world, slot| {
            let flows = world.states[slot.index()].flows.as_mut().unwrap().faces_mut::<Sheet>();
            flows[Face::Up.index()][Sheet::index_of(outside)] = 1.0;
        });
        assert_eq!(beyond, Violation::Flow(outside, Face::Up), "nothing is there");
    }

    #[test]
    fn broken_laws_name_place_and_figures() {
        const HERE: IVec3 = IVec3::new(-4, 5, 61);
        let law = |law: Violation, parts: &[&str]| says(&law, parts);
        law(Violation::Ledger { counted: 11.5, booked: 12.5 }, &["11.5", "12.5", "ledger"]);
        law(Violation::Storage, &["store"]);
        law(Violation::Pressure { cell: HERE, pressure: -2.5 }, &["[-4, 5, 61]", "-2.5"]);
        law(Violation::Filled { cell: HERE, pressure: 2.5 }, &["[-4, 5, 61]", "2.5"]);
        law(Violation::Conductance(HERE, Face::Up), &["[-4, 5, 61]", "Up"]);
        law(Violation::Unstable { cell: HERE, weights: 7.25 }, &["[-4, 5, 61]", "7.25"]);
        law(Violation::Flow(HERE, Face::West), &["[-4, 5, 61]", "West"]);
        law(Violation::Wall { cell: HERE, strength: 3.5 }, &["[-4, 5, 61]", "3.5"]);
    }
}
