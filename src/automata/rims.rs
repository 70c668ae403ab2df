//! The outermost cells of chunks as they were before a step, so that a step can change chunks in place, in any order.
//!
//! A step first saves the rims of every chunk that it will change and of their neighbours. Then each chunk needs only its own
//! cells and saved rims: nothing depends on which chunk comes first, and one copy of the cells is enough.

use super::rows::{FieldShape, Value};
use super::workers;
use crate::chunk::Chunk;
use crate::grid::{Grid, Slot};

/// Saved rims, by chunk.
pub(crate) struct Rims<T: Value, S: FieldShape> {
    /// What lies where a chunk is missing.
    background: S::Rims<T>,
    /// Of which the first `count` are of this step.
    saved: Vec<(Slot, S::Rims<T>)>,
    count: usize,
    /// By slot: the place in `saved`, or [`UNSAVED`].
    places: Vec<u32>,
}

const UNSAVED: u32 = u32::MAX;

impl<T: Value, S: FieldShape> Rims<T, S> {
    /// None saved; a missing chunk has the background all over.
    pub(crate) fn new(background: T) -> Self {
        Rims { background: S::uniform_rims(background), saved: Vec::new(), count: 0, places: Vec::new() }
    }

    /// Forgets what was saved, and saves the rims of these chunks and of their neighbours.
    pub(crate) fn save(&mut self, grid: &Grid<T, S>, slots: &[Slot]) {
        self.save_as(grid, slots, |slot| rims_of_chunk::<T, S>(grid.chunk_at(slot)));
    }

    /// Like [`save`](Rims::save), but saves what `rims` makes of each chunk.
    pub(crate) fn save_as<C: Value>(
        &mut self,
        grid: &Grid<C, S>,
        slots: &[Slot],
        rims: impl Fn(Slot) -> S::Rims<T> + Sync,
    ) {
        self.clear(grid.slot_capacity());
        for &slot in slots {
            self.add(slot);
            for &neighbour in grid.neighbours_of(slot)[..S::NEIGHBOURS].iter().filter(|slot| slot.is_some()) {
                self.add(neighbour);
            }
        }
        workers::each(&mut self.saved[..self.count], |(slot, saved)| *saved = rims(*slot));
    }

    fn clear(&mut self, slot_capacity: usize) {
        for (slot, _) in &self.saved[..self.count] {
            self.places[slot.index()] = UNSAVED;
        }
        self.count = 0;
        self.places.resize(slot_capacity, UNSAVED);
    }

    fn add(&mut self, slot: Slot) {
        if self.places[slot.index()] == UNSAVED {
            // There are fewer slots than 2³²−1.
            self.places[slot.index()] = self.count as u32;
            match self.saved.get_mut(self.count) {
                Some((saved, _)) => *saved = slot,
                None => self.saved.push((slot, self.background)),
            }
            self.count += 1;
        }
    }

    /// The rims of a chunk; the background if it is missing or was not saved.
    pub(crate) fn at(&self, slot: Slot) -> &S::Rims<T> {
        let place = self.places.get(slot.index()).map_or(UNSAVED, |&place| place);
        self.saved.get(place as usize).map_or(&self.background, |(_, rims)| rims)
    }

    /// The rims of a chunk's neighbours, by face.
    pub(crate) fn around(&self, neighbours: [Slot; 6]) -> [&S::Rims<T>; 6] {
        neighbours.map(|slot| self.at(slot))
    }

    /// Bytes on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.saved.capacity() * size_of::<(Slot, S::Rims<T>)>() + self.places.capacity() * size_of::<u32>()
    }
}

/// The rims of a chunk, whichever way it is stored.
pub(crate) fn rims_of_chunk<T: Value, S: FieldShape>(chunk: &Chunk<T>) -> S::Rims<T> {
    match chunk.as_dense() {
        Some(cells) => S::rims_of(cells),
        None => S::uniform_rims(chunk.get(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Sheet;
    use glam::IVec3;

    #[test]
    fn rims_are_those_of_the_last_save_and_of_no_other() {
        let mut grid = Grid::<u32, Sheet>::new(9);
        let slots = [0, 1, 5, 6].map(|x| {
            grid.insert(IVec3::new(x, 0, 0), Chunk::uniform(x as u32)).unwrap();
            grid.slot(IVec3::new(x, 0, 0)).unwrap()
        });
        let mut rims = Rims::<u32, Sheet>::new(9);
        let seen = |rims: &Rims<u32, Sheet>| slots.map(|slot| rims.at(slot)[0][0]);
        rims.save(&grid, &slots);
        assert_eq!((seen(&rims), rims.at(Slot::NONE)[0][0]), ([0, 1, 5, 6], 9));
        rims.save(&grid, &slots[3..]);
        assert_eq!(seen(&rims), [9, 9, 5, 6], "the neighbour with it");
        rims.save(&grid, &[]);
        assert_eq!(seen(&rims), [9; 4]);
    }
}
