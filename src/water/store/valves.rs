//! Valves: which water has one to pass on, by the levels on both of its sides.

use crate::coords::{Face, order};
use crate::grid::Slot;
use crate::water::cell::FULL;
use crate::water::fixture::Fixture;
use crate::water::store::{Place, Store, head};

/// A valve: its cell, the face towards which it passes water on, and its rate in units a tick.
pub(crate) type Valve = (Place, Face, u8);

/// What lies on a side of a valve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The cell that gives or takes.
    Cell(Place),
    Sea,
}

/// Water that a valve passes on in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) from: Side,
    pub(crate) towards: Face,
    pub(crate) to: Side,
    pub(crate) units: u8,
}

impl Store {
    /// Keeps the list of chunks with valves, after a change of a chunk's fixtures.
    pub(super) fn note_valves(&mut self, slot: Slot) {
        let key = order(self.grid.position_at(slot));
        if self.has_valves(slot) {
            self.with_valves.insert(key, slot);
        } else {
            self.with_valves.remove(&key);
        }
    }

    fn has_valves(&self, slot: Slot) -> bool {
        let is_valve = |fixture: &Fixture| matches!(fixture, Fixture::Valve { .. });
        self.fixtures(slot).is_some_and(|all| all.values().any(is_valve))
    }

    /// Returns whether a chunk is in the list of those with valves exactly if it has any.
    pub(super) fn valves_are_noted(&self, slot: Slot) -> bool {
        let noted = self.with_valves.get(&order(self.grid.position_at(slot)));
        noted.copied() == self.has_valves(slot).then_some(slot)
    }

    /// Returns the valves of chunks that are not frozen, by chunk in order of position, then by
    /// index.
    pub(crate) fn valves(&self) -> impl Iterator<Item = Valve> {
        let chunks = self.with_valves.values().filter(|&&slot| !self.is_frozen(slot));
        chunks.flat_map(|&slot| {
            self.fixtures(slot).into_iter().flatten().filter_map(move |(&index, &fixture)| {
                match fixture {
                    Fixture::Valve { towards, rate } => {
                        Some((Place::new(slot, index.into()), towards, rate))
                    }
                    _ => None,
                }
            })
        })
    }

    /// Returns whether any valve has water to pass on. `left` says how much a cell may pass on.
    pub(crate) fn has_passage(&self, left: impl Fn(Place) -> u8) -> bool {
        self.valves().any(|valve| self.passage(valve, &left).is_some())
    }

    /// Returns the water that a valve passes on, if it stands higher behind the valve than ahead:
    /// half of the difference, or all of the cell behind if it would fall ahead. `left` says how
    /// much a cell may still pass on.
    pub(crate) fn passage(
        &self,
        (place, towards, rate): Valve,
        left: impl Fn(Place) -> u8,
    ) -> Option<Passage> {
        if !self.read(place).is_solid() {
            return None;
        }
        let behind = towards.opposite();
        let (from, top, held) = match self.sea_level_across(place, behind) {
            Some(level) => (Side::Sea, level, FULL),
            None => {
                let from = self.loaded_across(place, behind)?;
                let held = self.read(from).height().min(left(from));
                (Side::Cell(from), self.level_over(from), held)
            }
        };
        let (to, bottom, room, falls) = match self.sea_level_across(place, towards) {
            Some(level) => (Side::Sea, level, FULL, false),
            None => {
                let ahead = self.loaded_across(place, towards)?;
                let to = self.room_over(ahead)?;
                let falls = to == ahead && !self.look(to, Face::Down).is_closed();
                (Side::Cell(to), self.level_of(to), self.read(to).room(), falls)
            }
        };
        let difference = (top - bottom).clamp(0, 2 * i64::from(FULL)) as u8;
        let most = if falls && difference > 0 { held } else { difference / 2 };
        let units = most.min(held).min(room).min(rate);
        (units > 0).then_some(Passage { from, towards, to, units })
    }

    fn loaded_across(&self, place: Place, face: Face) -> Option<Place> {
        let there = self.step(place, face);
        there.is_some().then_some(there)
    }

    /// Returns the level of a cell's surface.
    fn level_of(&self, place: Place) -> i64 {
        head(self.position(place).y, self.read(place).height())
    }

    /// Returns the level of the water that stands on a cell: of the highest cell of its column with
    /// only full ones between.
    fn level_over(&self, mut place: Place) -> i64 {
        loop {
            let above = self.step(place, Face::Up);
            let goes_on =
                self.read(place).is_closed() && above.is_some() && self.read(above).is_wet();
            if !goes_on {
                return self.level_of(place);
            }
            place = above;
        }
    }

    /// Returns the lowest cell with room among a cell and those straight above, with only full ones
    /// between.
    fn room_over(&self, mut place: Place) -> Option<Place> {
        while place.is_some() && self.read(place).is_closed() {
            if !self.read(place).is_wet() {
                return None;
            }
            place = self.step(place, Face::Up);
        }
        place.is_some().then_some(place).filter(|&place| !self.read(place).is_mark())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use crate::water::voxel::Voxel;
    use glam::IVec3;

    #[test]
    fn valves_are_those_of_the_chunks_that_are_there_in_order() {
        let mut random = fastrand::Rng::with_seed(21);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let chunks = [IVec3::X, IVec3::NEG_Y, IVec3::ZERO];
        let mut expected: Vec<([i32; 3], usize)> = Vec::new();
        for round in 0..600 {
            let chunk = chunks[random.usize(..3)];
            let is_there = |(key, _): &([i32; 3], usize)| *key == order(chunk);
            match store.grid().slot(chunk) {
                None => _ = store.insert(chunk, Chunk::uniform(Voxel::SOLID)),
                Some(_) if random.u8(..9) == 0 => {
                    store.remove(chunk);
                    expected.retain(|valve| !is_there(valve));
                }
                Some(slot) => {
                    let index = random.usize(..6);
                    let valve = Fixture::Valve { towards: Face::East, rate: 1 };
                    let fixture = [None, Some(Fixture::Tap(2)), Some(valve)][random.usize(..3)];
                    store.set_fixture(Place::new(slot, index), fixture);
                    expected.retain(|valve| !(is_there(valve) && valve.1 == index));
                    expected.extend((fixture == Some(valve)).then_some((order(chunk), index)));
                }
            }
            expected.sort_unstable();
            let key = |place: Place| (order(store.grid().position_at(place.slot)), place.index);
            let found = store.valves().map(|(place, ..)| key(place));
            assert!(found.eq(expected.iter().copied()), "round {round}");
            assert!(store.grid().sorted_slots().iter().all(|&slot| store.beside_is_true(slot)));
        }
    }

    #[test]
    fn a_chunk_whose_valves_are_not_noted_is_found() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        let valve = Fixture::Valve { towards: Face::Up, rate: 1 };
        store.set_fixture(Place::new(slot, 7), Some(valve));
        assert!(store.beside_is_true(slot));
        store.with_valves.clear();
        assert!(!store.beside_is_true(slot));
    }
}
