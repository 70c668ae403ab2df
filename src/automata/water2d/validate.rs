//! The invariants of a 2D water world between two steps, each with its own error.

use super::Water2dWorld;
use super::cell::{Cell, FULL, MAX_LEVEL, PRESSURE};
use super::level::bodies::{Bodies, Piece};
use super::level::head::{head, sinking};
use super::rules::Rule;
use crate::chunk::ones;
use crate::coords::{CHUNK_CELLS, Face, Shape, Sheet};
use crate::grid::Slot;
use core::fmt;
use glam::IVec3;

/// The first invariant that [`Water2dWorld::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The units in the cells differ from the ledger.
    Ledger {
        /// The units in the cells.
        counted: u64,
        /// The units in the ledger.
        booked: u64,
    },
    /// The grid's own invariants do not hold.
    Storage,
    /// A level below 0 in an open cell, or above [`MAX_LEVEL`].
    Level {
        /// The cell.
        cell: IVec3,
        /// The level; −1 is ground.
        level: i32,
    },
    /// A cell beyond the world's bounds that is not ground.
    Bounds(IVec3),
    /// A cell of a sleeping chunk that the next step, or the one after it, would change.
    Restless(IVec3),
    /// A sleeping body in which a unit of `high` has a higher head than one more unit of `low`
    /// would have.
    Uneven {
        /// The cell with the higher head.
        high: IVec3,
        /// The cell to which the unit should have moved.
        low: IVec3,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ledger { counted, booked } => {
                write!(f, "{counted} units in the cells, {booked} in the ledger")
            }
            Violation::Storage => f.write_str("the chunk store is not in its canonical form"),
            Violation::Level { cell, level } => {
                write!(f, "cell {cell} has a level of {level}, out of range")
            }
            Violation::Bounds(cell) => write!(f, "cell {cell} is open beyond the world's bounds"),
            Violation::Restless(cell) => write!(f, "cell {cell} sleeps though it would change"),
            Violation::Uneven { high, low } => {
                write!(f, "cell {high} sleeps with water that belongs in cell {low}")
            }
        }
    }
}

impl core::error::Error for Violation {}

impl Water2dWorld {
    /// Checks every invariant between steps, over the whole world. Slow: for tests, fuzzers and bug
    /// reports.
    ///
    /// # Errors
    /// The first broken invariant, with its place and figures.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        self.check_laws().map_err(crate::Violation::of)
    }

    /// Returns the first broken law as a typed error.
    pub(crate) fn check_laws(&self) -> Result<(), Violation> {
        self.cells.validate().map_err(|_| Violation::Storage)?;
        let (counted, booked) = (self.total(), self.ledger.total());
        // Units of one part may have entered another part.
        if counted != booked && !self.cells.is_divided() {
            return Err(Violation::Ledger { counted, booked });
        }
        // Sleepers are checked only once all levels are known to be in range.
        for slot in self.cells.sorted_slots() {
            (0..CHUNK_CELLS).try_for_each(|index| self.check_cell(slot, index))?;
        }
        for slot in self.cells.sorted_slots().into_iter().filter(|&slot| !self.is_awake(slot)) {
            (0..CHUNK_CELLS).try_for_each(|index| self.check_sleeper(slot, index))?;
        }
        if self.rules.rule == Rule::Settling { self.check_bodies() } else { Ok(()) }
    }

    fn check_cell(&self, slot: Slot, index: usize) -> Result<(), Violation> {
        let position = Sheet::cell_at(self.cells.position_at(slot), index);
        let cell = self.cells.chunk_at(slot).get(index);
        if !(-1..=MAX_LEVEL as i32).contains(&cell.0) {
            return Err(Violation::Level { cell: position, level: cell.0 });
        }
        if !self.bounds.contains(position) && !cell.is_solid() {
            return Err(Violation::Bounds(position));
        }
        Ok(())
    }

    fn check_sleeper(&self, slot: Slot, index: usize) -> Result<(), Violation> {
        let cell = self.cells.chunk_at(slot).get(index);
        if cell.is_solid() {
            return Ok(());
        }
        let position = Sheet::cell_at(self.cells.position_at(slot), index);
        let changes = match self.rules.rule {
            Rule::Literal => {
                [false, true].into_iter().any(|left| self.after_literal(position, left) != cell.0)
            }
            Rule::Settling => sinking(self.cell_beyond(position, Face::Down).0, cell.0) != 0,
        };
        if changes { Err(Violation::Restless(position)) } else { Ok(()) }
    }

    fn is_awake(&self, slot: Slot) -> bool {
        self.cells.awake_at(slot).is_some_and(|mask| !mask.is_empty())
    }

    /// Returns the cell behind a face; ground at the end of the range.
    fn cell_beyond(&self, cell: IVec3, face: Face) -> Cell {
        face.step(cell).map_or(Cell::SOLID, |beyond| self.cells.get(beyond))
    }

    /// Returns the level of an open cell after a step of the literal rule.
    fn after_literal(&self, cell: IVec3, left_first: bool) -> i32 {
        let given: i32 = self.outflows(cell, left_first).iter().sum();
        let received = [Face::West, Face::East, Face::Down, Face::Up].map(|face| {
            let giver = face.step(cell).filter(|&giver| !self.cells.get(giver).is_solid());
            giver.map_or(0, |giver| self.outflows(giver, left_first)[face.opposite().index()])
        });
        self.cells.get(cell).0 - given + received.iter().sum::<i32>()
    }

    /// Returns the outflows of an open cell, by face.
    fn outflows(&self, cell: IVec3, left_first: bool) -> [i32; 4] {
        let capacity =
            |above: Cell| if above.is_full() { above.0 + PRESSURE as i32 } else { FULL as i32 };
        let mut left = self.cells.get(cell).0;
        let down = capacity(self.cells.get(cell)) - self.cell_beyond(cell, Face::Down).0;
        let mut outflows = [0; 4];
        for face in [[Face::Down, Face::West, Face::East], [Face::Down, Face::East, Face::West]]
            [usize::from(!left_first)]
        .into_iter()
        .chain([Face::Up])
        {
            let there = self.cell_beyond(cell, face);
            let offer = match face {
                Face::Down => down.min(left),
                Face::Up => left - capacity(there),
                _ => (left - there.0 + 1).div_euclid(2),
            };
            if !there.is_solid() {
                outflows[face.index()] = offer.clamp(0, (MAX_LEVEL as i32 - there.0) / 4);
                left -= outflows[face.index()];
            }
        }
        outflows
    }

    /// Checks that each body in sleeping chunks has a single water line.
    fn check_bodies(&self) -> Result<(), Violation> {
        for body in Bodies::default().find(&self.cells, &self.cells.sorted_slots()) {
            if body.iter().any(|piece| self.is_awake(piece.slot)) {
                continue;
            }
            let heads = |piece: &Piece, next: i64| {
                let (slot, row) = (piece.slot, piece.row);
                let place =
                    move |x: usize| Sheet::cell_at(self.cells.position_at(slot), 64 * row + x);
                ones(piece.cells).map(move |x| {
                    let (cell, unit) = (place(x), i64::from(self.cells.get(place(x)).0) + next);
                    (head(i64::from(cell.y), unit), unit, cell)
                })
            };
            let highest =
                body.iter().flat_map(|piece| heads(piece, 0)).filter(|&(_, unit, _)| unit > 0);
            let lowest = body
                .iter()
                .flat_map(|piece| heads(piece, 1))
                .filter(|&(_, unit, _)| unit <= i64::from(MAX_LEVEL));
            if let Some((top, _, high)) = highest.max_by_key(|&(head, ..)| head)
                && let Some((next, _, low)) = lowest.min_by_key(|&(head, ..)| head)
                && top > next
            {
                return Err(Violation::Uneven { high, low });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rules;
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, Region};
    use crate::simulation::says;

    /// Returns the violation found in an empty, sleeping tank after these cells were overwritten
    /// directly and recorded in the ledger.
    fn found(rules: Rules, cells: &[(IVec3, i32)]) -> Result<(), Violation> {
        let mut world = tank(rules);
        for &(at, level) in cells {
            world.cells.set(at, Cell(level));
            world.ledger.placed += u64::from(Cell(level).level());
        }
        world.check_laws()
    }

    fn tank(rules: Rules) -> Water2dWorld {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(1, 4, 0));
        let mut world = Water2dWorld::with_bounds(7, rules, bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
        world.run(5);
        assert!(world.is_at_rest() && world.check_laws().is_ok());
        world
    }

    #[test]
    fn every_broken_invariant_is_found() {
        let (low, high) = (IVec3::new(1, 2, 0), IVec3::new(1, 3, 0));
        for rules in [Rules::default(), Rules::literal()] {
            for level in [-2, i32::MIN, MAX_LEVEL as i32 + 1] {
                assert_eq!(
                    found(rules, &[(low, level)]),
                    Err(Violation::Level { cell: low, level })
                );
            }
            let outside = IVec3::new(2, 2, 0);
            assert_eq!(found(rules, &[(outside, 0)]), Err(Violation::Bounds(outside)));
            let mut lost = tank(rules);
            lost.ledger.placed += 3;
            assert_eq!(lost.check_laws(), Err(Violation::Ledger { counted: 0, booked: 3 }));
            let mut loose = Water2dWorld::new(7, rules).unwrap();
            loose.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
            let slot = loose.cells.slot(ChunkPos::ZERO).unwrap();
            loose.cells.chunk_at_mut(slot).cells_mut();
            assert_eq!(loose.check_laws(), Err(Violation::Storage));
        }
        assert_eq!(
            found(Rules::default(), &[(high, 5)]),
            Err(Violation::Restless(high)),
            "it would fall"
        );
        assert_eq!(
            found(Rules::literal(), &[(high, 5)]),
            Err(Violation::Restless(low)),
            "it would receive"
        );
    }

    #[test]
    fn a_sleeping_body_that_is_not_level_is_found() {
        let (high, low) = (IVec3::ZERO, IVec3::X);
        assert_eq!(found(Rules::default(), &[(high, 100), (low, 99)]), Ok(()));
        assert_eq!(
            found(Rules::default(), &[(high, 100), (low, 50)]),
            Err(Violation::Uneven { high, low })
        );
        assert_eq!(found(Rules::literal(), &[(high, 50), (low, 50)]), Ok(()));
        assert_eq!(
            found(Rules::literal(), &[(high, 51), (low, 50)]),
            Err(Violation::Restless(high))
        );
    }

    #[test]
    fn broken_laws_name_place_and_figures() {
        const HERE: IVec3 = IVec3::new(-4, 5, 61);
        const THERE: IVec3 = IVec3::new(-3, 5, 61);
        let slice = |law: Violation, parts: &[&str]| says(&law, parts);
        slice(Violation::Ledger { counted: 11, booked: 12 }, &["11", "12", "ledger"]);
        slice(Violation::Storage, &["store"]);
        slice(Violation::Level { cell: HERE, level: -9 }, &["[-4, 5, 61]", "-9"]);
        slice(Violation::Bounds(HERE), &["[-4, 5, 61]"]);
        slice(Violation::Restless(HERE), &["[-4, 5, 61]"]);
        slice(Violation::Uneven { high: HERE, low: THERE }, &["[-4, 5, 61]", "[-3, 5, 61]"]);
    }
}
