//! The laws of a water world between two ticks, checked one by one, each with an error that names
//! it.

use crate::chunk::CellMask;
use crate::coords::{Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::WaterWorld;
use crate::water::cell::{CellFlags, WaterCell};
use crate::water::context::schedule::Phase;
use crate::water::store::{Place, Store, head, units_in};
use crate::water::voxel::Voxel;
use core::fmt;
use glam::IVec3;
use std::collections::VecDeque;

/// The first law that [`WaterWorld::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The units in the cells are not what the ledger says.
    Ledger {
        /// Units in the cells.
        counted: u64,
        /// Units that the ledger says there are.
        booked: u64,
    },
    /// The grid's own invariants do not hold.
    Storage,
    /// The bit masks, outlets or sources kept beside a chunk (at this chunk position) are not those
    /// of its cells.
    Masks(IVec3),
    /// A cell whose word is not canonical.
    Word {
        /// Where.
        cell: IVec3,
        /// The word.
        word: u16,
    },
    /// A mark of the world's end inside the world, or a cell of the world beyond its end.
    Bounds(IVec3),
    /// A cell whose parent is solid, dry, not loaded or beyond the world's end.
    Parent(IVec3),
    /// A cell from which the way up comes back to where it was.
    ParentLoop(IVec3),
    /// A cell with the Extra flag without further parents in the side table, or the reverse.
    Extra(IVec3),
    /// A cell with a larger `largest` than any cell passes on in a tick.
    Largest {
        /// Where.
        cell: IVec3,
        /// Its `largest`.
        largest: u8,
    },
    /// A cell that is asleep though it is active, marked FlowOut, or due to evaporate.
    Asleep(IVec3),
    /// A cell that has a source although its parents have none, or the reverse; an awake one only
    /// if no edit has come since the last tick.
    HasSource(IVec3),
    /// Sleeping water over a cell with room.
    Unsupported(IVec3),
    /// A sleeping body of water whose surface is not level within one unit.
    Uneven {
        /// A cell of its highest surface.
        high: IVec3,
        /// A cell that its water could flow to.
        low: IVec3,
        /// How much higher the one surface is than the other, in units.
        difference: i64,
    },
    /// Two sleeping neighbours at one level whose heights differ by two or more.
    Unlevel {
        /// The higher cell.
        cell: IVec3,
        /// The lower cell.
        neighbour: IVec3,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ledger { counted, booked } => {
                write!(f, "{counted} units in the cells, {booked} in the ledger")
            }
            Violation::Storage => f.write_str("the chunk store is not in its canonical form"),
            Violation::Masks(chunk) => {
                write!(f, "the masks of chunk {chunk} are not those of its cells")
            }
            Violation::Word { cell, word } => {
                write!(f, "cell {cell} has the word {word:#06x}, which is not canonical")
            }
            Violation::Bounds(cell) => {
                write!(f, "cell {cell} is on the wrong side of the world's end")
            }
            Violation::Parent(cell) => write!(f, "the parent of cell {cell} is not there"),
            Violation::ParentLoop(cell) => write!(f, "the parents of cell {cell} form a loop"),
            Violation::Extra(cell) => {
                write!(f, "cell {cell} and the table of further parents disagree")
            }
            Violation::Largest { cell, largest } => {
                write!(f, "cell {cell} claims a flow of {largest}, above throughput")
            }
            Violation::Asleep(cell) => write!(f, "cell {cell} is asleep though it is active"),
            Violation::HasSource(cell) => {
                write!(f, "cell {cell} has a HasSource flag that is not true")
            }
            Violation::Unsupported(cell) => {
                write!(f, "the water in cell {cell} sleeps over a cell with room")
            }
            Violation::Uneven { high, low, difference } => {
                write!(f, "a sleeping body's surface at {high} is {difference} units above {low}")
            }
            Violation::Unlevel { cell, neighbour } => {
                write!(
                    f,
                    "cells {cell} and {neighbour} sleep at heights that differ by two or more"
                )
            }
        }
    }
}

impl core::error::Error for Violation {}

impl WaterWorld {
    /// Checks every law that holds between ticks, over the whole world: while a tick goes on only
    /// storage, bounds and the ledger, since the rest is made true by its end. Slow: for tests,
    /// fuzzers and bug reports.
    ///
    /// # Errors
    /// The first law found broken, with its place and figures.
    pub fn validate(&self) -> Result<(), Violation> {
        self.store.grid().validate().map_err(|_| Violation::Storage)?;
        let mut counted = 0;
        for slot in self.store.grid().sorted_slots() {
            if !self.store.beside_is_true(slot) {
                return Err(Violation::Masks(self.store.grid().position_at(slot)));
            }
            let chunk = self.store.grid().chunk_at(slot);
            counted += units_in(chunk);
            let cells = Cube::region_of(self.store.grid().position_at(slot));
            let within = self.store.bounds().intersection(&cells) == Some(cells);
            // Most cells are of these two kinds, and fuzzers check all of them after every tick.
            for place in
                self.cells_where(slot, |voxel| !within || voxel != Voxel::OPEN && !voxel.is_solid())
            {
                self.check_cell(place, self.store.read(place))?;
            }
        }
        let booked = self.total();
        if counted != booked {
            return Err(Violation::Ledger { counted, booked });
        }
        if self.work.phase != Phase::Rest {
            return Ok(());
        }
        self.check_loops()?;
        if self.rules.pools { self.check_surfaces() } else { Ok(()) }
    }

    /// The cells of a chunk that satisfy `is_in`, in order.
    fn cells_where(
        &self,
        slot: Slot,
        is_in: impl Fn(Voxel) -> bool,
    ) -> impl Iterator<Item = Place> {
        (0..16).flat_map(move |layer| {
            self.store
                .select(slot, layer, &is_in)
                .iter()
                .map(move |cell| Place::in_layer(slot, layer, cell))
        })
    }

    fn check_cell(&self, place: Place, voxel: Voxel) -> Result<(), Violation> {
        let cell = self.store.position(place);
        if voxel.is_outside() == self.store.bounds().contains(cell) {
            return Err(Violation::Bounds(cell));
        }
        if voxel.is_mark() || voxel == Voxel::OPEN || self.work.phase != Phase::Rest {
            return Ok(());
        }
        WaterCell::from_word(voxel.word())
            .map_err(|_| Violation::Word { cell, word: voxel.word() })?;
        if voxel.largest() > self.rules.throughput && !voxel.has(CellFlags::IS_SOURCE) {
            return Err(Violation::Largest { cell, largest: voxel.largest() });
        }
        self.check_parents(place, voxel, cell)?;
        let asleep =
            !self.store.grid().awake_at(place.slot).is_some_and(|mask| mask.contains(place.index));
        if asleep || !self.store.have_ties_changed() {
            self.check_source(place, voxel, cell)?;
        }
        if asleep { self.check_sleeper(place, voxel, cell) } else { Ok(()) }
    }

    fn check_parents(&self, place: Place, voxel: Voxel, cell: IVec3) -> Result<(), Violation> {
        let parents = self.store.parents_of(place);
        let first = voxel.parent_face().map_or(0, |face| 1u8 << face.index());
        if parents & first != first || (parents.count_ones() > 1) != voxel.has(CellFlags::EXTRA) {
            return Err(Violation::Extra(cell));
        }
        for face in Store::faces(parents) {
            let parent = self.store.look(place, face);
            if parent.is_mark() || parent == Voxel::OPEN {
                return Err(Violation::Parent(cell));
            }
        }
        Ok(())
    }

    fn check_source(&self, place: Place, voxel: Voxel, cell: IVec3) -> Result<(), Violation> {
        let mut parents =
            Store::faces(self.store.parents_of(place)).map(|face| self.store.look(place, face));
        let is_fed = parents.any(|parent| parent.has(CellFlags::HAS_SOURCE));
        let is_true = voxel.has(CellFlags::IS_SOURCE) || is_fed == voxel.has(CellFlags::HAS_SOURCE);
        if is_true { Ok(()) } else { Err(Violation::HasSource(cell)) }
    }

    fn check_sleeper(&self, place: Place, voxel: Voxel, cell: IVec3) -> Result<(), Violation> {
        let is_source = voxel.has(CellFlags::IS_SOURCE);
        let evaporates = self.rules.evaporation > 0.0 && !is_source;
        if voxel.active() > 0 || voxel.has(CellFlags::FLOW_OUT) || evaporates {
            return Err(Violation::Asleep(cell));
        }
        if is_source && self.rules.source_supply == 0 {
            return Ok(());
        }
        let below = self.store.look(place, Face::Down);
        if below.room() > 0 {
            return Err(Violation::Unsupported(cell));
        }
        for face in Face::LATERAL {
            let beside = self.store.look(place, face);
            let lower = !beside.is_closed() && voxel.height() >= beside.height_bits() + 2;
            if lower && let Some(neighbour) = face.step(cell) {
                return Err(Violation::Unlevel { cell, neighbour });
            }
        }
        Ok(())
    }

    /// Follows all parents from every cell, each once: a cell met again before its own search has
    /// ended is in a loop.
    fn check_loops(&self) -> Result<(), Violation> {
        let (mut met, mut ended) = (PlaceSet::default(), PlaceSet::default());
        let mut open = Vec::new();
        for slot in self.store.grid().sorted_slots() {
            // Cells without parents are in no loop.
            for start in self.cells_where(slot, |voxel| voxel.direction().is_some()) {
                if met.insert(start) {
                    open.push((start, self.store.parents_of(start)));
                }
                while let Some((place, faces)) = open.pop() {
                    let Some(face) = Store::faces(faces).next() else {
                        ended.insert(place);
                        continue;
                    };
                    open.push((place, faces & (faces - 1)));
                    let parent = self.store.step(place, face);
                    if met.insert(parent) {
                        open.push((parent, self.store.parents_of(parent)));
                    } else if !ended.contains(parent) {
                        return Err(Violation::ParentLoop(self.store.position(parent)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Every sleeping body without a source is level: cell by cell, apart from the masks that the
    /// pools are found with.
    fn check_surfaces(&self) -> Result<(), Violation> {
        let mut seen = PlaceSet::default();
        for slot in self.store.grid().sorted_slots() {
            for start in self.cells_where(slot, Voxel::is_wet) {
                if seen.insert(start) {
                    self.check_surface(start, &mut seen)?;
                }
            }
        }
        Ok(())
    }

    fn check_surface(&self, start: Place, seen: &mut PlaceSet) -> Result<(), Violation> {
        // The nearest first: then what is still open is no more than a surface of what was seen.
        let mut open = VecDeque::from([start]);
        let (mut high, mut low): (Option<Surface>, Option<Surface>) = (None, None);
        let mut exempt = false;
        while let Some(place) = open.pop_front() {
            let voxel = self.store.read(place);
            let cell = self.store.position(place);
            let full = voxel.is_closed();
            let asleep = !self
                .store
                .grid()
                .awake_at(place.slot)
                .is_some_and(|mask| mask.contains(place.index));
            exempt |= voxel.has(CellFlags::HAS_SOURCE) || !asleep;
            let own = head(cell.y, voxel.height());
            if !full || !self.store.look(place, Face::Up).is_wet() {
                high = high.max_by_head((own, cell));
            }
            if !full {
                low = low.min_by_head((own, cell));
            }
            for face in Face::ALL {
                let there = self.store.step(place, face);
                if !there.is_some() {
                    continue;
                }
                let beside = self.store.read(there);
                let joined = match face {
                    Face::Up => full,
                    Face::Down => beside.is_closed(),
                    _ => true,
                };
                if joined && beside.is_wet() && seen.insert(there) {
                    open.push_back(there);
                }
                if joined && face != Face::Down && !beside.is_mark() && !beside.is_wet() {
                    let dry = self.store.position(there);
                    low = low.min_by_head((head(dry.y, 0), dry));
                }
            }
        }
        match (high, low) {
            (Some((top, high)), Some((bottom, low))) if !exempt && top - bottom > 1 => {
                Err(Violation::Uneven { high, low, difference: top - bottom })
            }
            _ => Ok(()),
        }
    }
}

/// The head of a surface in one cell, and the cell.
type Surface = (i64, IVec3);

/// Keeps the higher or the lower of two surfaces, the first of equals.
trait ByHead {
    fn max_by_head(self, other: Surface) -> Self;
    fn min_by_head(self, other: Surface) -> Self;
}

impl ByHead for Option<Surface> {
    fn max_by_head(self, other: Surface) -> Self {
        self.filter(|kept| kept.0 >= other.0).or(Some(other))
    }

    fn min_by_head(self, other: Surface) -> Self {
        self.filter(|kept| kept.0 <= other.0).or(Some(other))
    }
}

/// A set of cells of a whole world. Memory grows with the chunks, not with the cells.
#[derive(Default)]
struct PlaceSet {
    masks: Vec<Option<Box<CellMask>>>,
}

impl PlaceSet {
    /// Adds a cell; `true` if it was not there.
    fn insert(&mut self, Place { slot, index }: Place) -> bool {
        if self.masks.len() <= slot.index() {
            self.masks.resize_with(slot.index() + 1, || None);
        }
        self.masks[slot.index()].get_or_insert_default().insert(index)
    }

    /// Whether the cell is in the set.
    fn contains(&self, Place { slot, index }: Place) -> bool {
        let mask = self.masks.get(slot.index()).and_then(Option::as_deref);
        mask.is_some_and(|mask| mask.contains(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::{Edges, Rules};
    use glam::IVec3;

    const HERE: IVec3 = IVec3::new(2, 1, 1);
    const EAST: IVec3 = IVec3::new(3, 1, 1);
    const FULL: u16 = 7;
    /// Directions: water that flows to the west has its parent in the east, and the reverse.
    const WESTWARD: u16 = 1 << 3;
    const EASTWARD: u16 = 2 << 3;

    /// A chunk of rock, asleep, with holes that hold these words; all but the words is true.
    fn world(words: &[(IVec3, u16)]) -> WaterWorld {
        let mut world = WaterWorld::new(7, Rules { throughput: 3, ..Rules::lossless() }).unwrap();
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
        world.run(3);
        for &(cell, word) in words {
            let place = world.place(cell).unwrap();
            let voxel = Voxel::from_raw(word);
            world.store.write(place, voxel);
            world.ledger.placed += u64::from(voxel.height());
        }
        world
    }

    #[test]
    fn still_water_breaks_no_law() {
        assert_eq!(world(&[(HERE, FULL | WESTWARD), (EAST, FULL)]).validate(), Ok(()));
        assert_eq!(world(&[(HERE, 3), (EAST, 2)]).validate(), Ok(()));
    }

    #[test]
    fn every_broken_law_of_a_cell_is_found() {
        let (largest, active) = (|units: u16| units << 8, 1 << 11);
        let found = |words: &[(IVec3, u16)]| world(words).validate().unwrap_err();
        assert_eq!(
            found(&[(HERE, FULL | largest(1))]),
            Violation::Word { cell: HERE, word: 0x0107 }
        );
        let to_the_west = |more: u16| [(EAST, FULL), (HERE, FULL | WESTWARD | more)];
        assert_eq!(found(&to_the_west(largest(5))), Violation::Largest { cell: HERE, largest: 5 });
        assert_eq!(found(&to_the_west(CellFlags::EXTRA.bits())), Violation::Extra(HERE));
        assert_eq!(found(&to_the_west(CellFlags::HAS_SOURCE.bits())), Violation::HasSource(HERE));
        assert_eq!(found(&to_the_west(CellFlags::FLOW_OUT.bits())), Violation::Asleep(HERE));
        assert_eq!(found(&to_the_west(active)), Violation::Asleep(HERE));
        assert_eq!(found(&[(HERE, FULL | WESTWARD), (EAST, 0)]), Violation::Parent(HERE));
        assert_eq!(found(&[(HERE, Voxel::HELD.word())]), Violation::Bounds(HERE));
        assert_eq!(found(&[(HERE, 3), (HERE - IVec3::Y, 0)]), Violation::Unsupported(HERE));
        assert_eq!(
            found(&[(HERE, 5), (EAST, 2)]),
            Violation::Unlevel { cell: HERE, neighbour: EAST }
        );
    }

    #[test]
    fn every_broken_law_between_cells_is_found() {
        let round = world(&[(HERE, FULL | WESTWARD), (EAST, FULL | EASTWARD)]).validate();
        assert!(matches!(round, Err(Violation::ParentLoop(HERE | EAST))), "{round:?}");
        let low = EAST + IVec3::X;
        let slope = world(&[(HERE, 3), (EAST, 2), (low, 1)]);
        assert_eq!(slope.validate(), Err(Violation::Uneven { high: HERE, low, difference: 2 }));
        let mut lost = world(&[(HERE, FULL)]);
        lost.ledger.placed += 2;
        assert_eq!(lost.validate(), Err(Violation::Ledger { counted: 7, booked: 9 }));
        let mut masked = world(&[(HERE, FULL)]);
        masked.store.grid_mut().set(HERE, Voxel::from_raw(3));
        assert_eq!(masked.validate(), Err(Violation::Masks(IVec3::ZERO)));
        let mut loose = world(&[]);
        let Place { slot, .. } = loose.place(HERE).unwrap();
        loose.store.grid_mut().chunk_at_mut(slot).cells_mut();
        assert_eq!(loose.validate(), Err(Violation::Storage));
    }

    #[test]
    fn what_was_added_is_there_and_nothing_else() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for x in 0..4 {
            store.insert(IVec3::X * x, Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid().sorted_slots();
        let (mut set, mut expected) = (PlaceSet::default(), hashbrown::HashSet::new());
        for _ in 0..2_000 {
            let place = Place::new(slots[random.usize(..4)], random.usize(..200));
            assert_eq!(set.contains(place), expected.contains(&place));
            if random.bool() {
                assert_eq!(set.insert(place), expected.insert(place));
            }
        }
    }
}
