//! Halo exchange: the outermost cells of chunks as they were before a step, so that a step can
//! change chunks in place and in any order.
//!
//! A step first saves the rims of every chunk that it will change and of their neighbours. Each
//! chunk then reads only its own cells and saved rims, so nothing depends on the order of chunks,
//! and one copy of the cells is enough. Collecting rims fetches half of each chunk from memory, so
//! a step that has a chunk in the cache also stores the rims for the next step.

use super::rows::{RowShape, Value};
use super::workers;
use crate::chunk::Chunk;
use crate::grid::{Grid, Slot};

/// Saved rims, by chunk.
pub(crate) struct Rims<T: Value, S: RowShape> {
    /// The rims of a missing chunk.
    background: S::Rims<T>,
    saved: Vec<Saved<T, S>>,
    /// Indices into `saved` by slot, or [`UNSAVED`].
    places: Vec<u32>,
    /// The number of the last round of requests.
    round: u64,
    /// The number of leading entries of `saved` not yet checked for a request in the last round.
    unchecked: usize,
}

/// The rims that a chunk's step needs, as they were before it.
#[derive(Clone, Copy)]
pub(crate) struct Before<'r, T: Value, S: RowShape> {
    pub(crate) own: &'r S::Rims<T>,
    /// The rims of the neighbours, by the face behind which a neighbour is.
    pub(crate) around: [&'r S::Rims<T>; 6],
}

struct Saved<T: Value, S: RowShape> {
    slot: Slot,
    rims: Box<S::Rims<T>>,
    /// Whether `rims` match the chunk's present cells.
    is_current: bool,
    /// The last round in which a step requested the rims.
    requested: u64,
}

impl<T: Value, S: RowShape> Saved<T, S> {
    /// Brings the rims up to date.
    fn renew(&mut self, rims: impl Fn(Slot) -> S::Rims<T>) {
        if !self.is_current {
            *self.rims = rims(self.slot);
            self.is_current = true;
        }
    }
}

const UNSAVED: u32 = u32::MAX;

impl<T: Value, S: RowShape> Rims<T, S> {
    /// Returns a store without saved rims. A missing chunk counts as filled with `background`.
    pub(crate) fn new(background: T) -> Self {
        let background = S::uniform_rims(background);
        Rims { background, saved: Vec::new(), places: Vec::new(), round: 0, unchecked: 0 }
    }

    /// Discards all saved rims, and saves the rims of these chunks and of their neighbours.
    pub(crate) fn save(&mut self, grid: &Grid<T, S>, slots: &[Slot]) {
        self.save_as(grid, slots, |slot| rims_of_chunk::<T, S>(grid.chunk_at(slot)));
    }

    /// Like [`save`](Rims::save), but with the rims that `rims` returns for each chunk.
    pub(crate) fn save_as<C: Value>(
        &mut self,
        grid: &Grid<C, S>,
        slots: &[Slot],
        rims: impl Fn(Slot) -> S::Rims<T> + Sync,
    ) {
        self.saved.iter_mut().for_each(|saved| saved.is_current = false);
        self.refresh(grid, slots, rims);
    }

    /// Like [`save_as`](Rims::save_as), but reuses the rims of each chunk that was saved or
    /// [updated](Rims::update) and not [invalidated](Rims::invalidate) since.
    pub(crate) fn refresh<C: Value>(
        &mut self,
        grid: &Grid<C, S>,
        slots: &[Slot],
        rims: impl Fn(Slot) -> S::Rims<T> + Sync,
    ) {
        self.begin_round();
        for &slot in slots {
            near(grid, slot).for_each(|slot| _ = self.request(grid, slot));
        }
        self.end_round();
        self.drop_unrequested(usize::MAX);
        // After a step done ahead few rims are outdated, too few for several threads to pay off.
        let mut outdated: Vec<_> =
            self.saved.iter_mut().filter(|saved| !saved.is_current).collect();
        workers::each(&mut outdated, |saved| saved.renew(&rims));
    }

    /// Begins a round of requests, for a step that saves rims chunk by chunk.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
    }

    /// Ends a round. Rims that were not requested in it may be dropped.
    pub(crate) fn end_round(&mut self) {
        self.unchecked = self.saved.len();
    }

    /// Saves the rims of a chunk and of its neighbours that are not up to date.
    pub(crate) fn renew_for<C: Value>(
        &mut self,
        grid: &Grid<C, S>,
        slot: Slot,
        rims: impl Fn(Slot) -> S::Rims<T>,
    ) {
        near(grid, slot).for_each(|slot| self.request(grid, slot).renew(&rims));
    }

    /// Returns the rims of a chunk, up to date or not. This round does not drop them.
    fn request<C: Value>(&mut self, grid: &Grid<C, S>, slot: Slot) -> &mut Saved<T, S> {
        if self.places.len() <= slot.index() {
            self.places.resize(grid.slot_capacity(), UNSAVED);
        }
        let place = &mut self.places[slot.index()];
        if *place == UNSAVED {
            // There are fewer slots than 2³²−1.
            *place = self.saved.len() as u32;
            let rims = Box::new(self.background);
            self.saved.push(Saved { slot, rims, is_current: false, requested: 0 });
        }
        let saved = &mut self.saved[*place as usize];
        saved.requested = self.round;
        saved
    }

    /// Checks up to `most` saved rims, and drops those not requested in the last round. Returns
    /// whether any are left to check.
    pub(crate) fn drop_unrequested(&mut self, most: usize) -> bool {
        let left = self.unchecked.saturating_sub(most);
        for place in (left..self.unchecked).rev() {
            if self.saved[place].requested == self.round {
                continue;
            }
            let dropped = self.saved.swap_remove(place);
            self.places[dropped.slot.index()] = UNSAVED;
            if let Some(moved) = self.saved.get(place) {
                self.places[moved.slot.index()] = place as u32;
            }
        }
        self.unchecked = left;
        left > 0
    }

    fn saved_mut(&mut self, slot: Slot) -> Option<&mut Saved<T, S>> {
        self.saved.get_mut(*self.places.get(slot.index())? as usize)
    }

    /// Replaces the rims of a chunk, if it has saved ones, by swapping them with `rims`.
    pub(crate) fn update(&mut self, slot: Slot, rims: &mut Box<S::Rims<T>>) {
        if let Some(saved) = self.saved_mut(slot) {
            core::mem::swap(&mut saved.rims, rims);
            saved.is_current = true;
        }
    }

    /// Changes the rims of a chunk as its cells are changed, if it has saved ones.
    pub(crate) fn patch(&mut self, slot: Slot, change: impl FnOnce(&mut S::Rims<T>)) {
        if let Some(saved) = self.saved_mut(slot) {
            change(&mut saved.rims);
        }
    }

    /// Marks the rims of a chunk as outdated, because its cells have changed.
    pub(crate) fn invalidate(&mut self, slot: Slot) {
        if let Some(saved) = self.saved_mut(slot) {
            saved.is_current = false;
        }
    }

    /// Returns the saved rims of a chunk; the background if it is missing or has none.
    pub(crate) fn at(&self, slot: Slot) -> &S::Rims<T> {
        let place = self.places.get(slot.index()).map_or(UNSAVED, |&place| place);
        self.saved.get(place as usize).map_or(&self.background, |saved| &*saved.rims)
    }

    /// Returns the rims of a chunk, if they are saved and up to date.
    pub(crate) fn current(&self, slot: Slot) -> Option<&S::Rims<T>> {
        let saved = self.saved.get(*self.places.get(slot.index())? as usize)?;
        saved.is_current.then_some(&*saved.rims)
    }

    /// Returns the rims of a chunk's neighbours, by face.
    pub(crate) fn around(&self, neighbours: [Slot; 6]) -> [&S::Rims<T>; 6] {
        neighbours.map(|slot| self.at(slot))
    }

    /// Returns the rims that a chunk's step needs.
    pub(crate) fn before<C: Value>(&self, grid: &Grid<C, S>, slot: Slot) -> Before<'_, T, S> {
        Before { own: self.at(slot), around: self.around(grid.neighbours_of(slot)) }
    }

    /// Returns the number of bytes on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.saved.len() * size_of::<S::Rims<T>>()
            + self.saved.capacity() * size_of::<Saved<T, S>>()
            + self.places.capacity() * size_of::<u32>()
    }
}

/// Returns the slots of a chunk and of its neighbours.
fn near<C: Value, S: RowShape>(
    grid: &Grid<C, S>,
    slot: Slot,
) -> impl Iterator<Item = Slot> + use<C, S> {
    let neighbours = grid.neighbours_of(slot).into_iter().take(S::NEIGHBOURS);
    core::iter::once(slot).chain(neighbours.filter(|slot| slot.is_some()))
}

/// Returns the rims of a uniform or dense chunk.
pub(crate) fn rims_of_chunk<T: Value, S: RowShape>(chunk: &Chunk<T>) -> S::Rims<T> {
    match chunk.as_dense() {
        Some(cells) => S::rims_of(cells),
        None => S::uniform_rims(chunk.get(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{CHUNK_CELLS, ChunkPos, Sheet};

    #[test]
    fn kept_rims_equal_freshly_saved_ones() {
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut grid = Grid::<u8, Sheet>::new(0);
            for at in 0..12 {
                grid.insert(ChunkPos::new(at % 4, at / 4, 0), Chunk::uniform(random.u8(..)))
                    .unwrap();
            }
            let slots = grid.sorted_slots();
            let (mut kept, mut fresh) = (Rims::<u8, Sheet>::new(9), Rims::<u8, Sheet>::new(9));
            for _ in 0..30 {
                let stepped: Vec<Slot> =
                    slots.iter().copied().filter(|_| random.u8(..3) > 0).collect();
                kept.refresh(&grid, &stepped, |slot| {
                    rims_of_chunk::<u8, Sheet>(grid.chunk_at(slot))
                });
                fresh.save(&grid, &stepped);
                for &slot in slots.iter().chain(&[Slot::NONE]) {
                    assert!(kept.at(slot) == fresh.at(slot), "seed {seed}, {slot:?}");
                }
                for &slot in &stepped {
                    let cells: [u8; CHUNK_CELLS] = core::array::from_fn(|_| random.u8(..));
                    *grid.chunk_at_mut(slot) = Chunk::from_cells(&cells);
                    kept.update(slot, &mut Box::new(Sheet::rims_of(&cells)));
                }
                let edited = slots[random.usize(..slots.len())];
                grid.chunk_at_mut(edited).set(random.usize(..CHUNK_CELLS), random.u8(..));
                kept.invalidate(edited);
            }
        }
    }
}
