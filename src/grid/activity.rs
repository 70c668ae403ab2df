//! Awake and changed cells by slot: two sparse sets of chunks, each chunk with a bit mask.
//!
//! Only chunks with awake or changed cells and shelved chunks have an [`Activity`]. Two lists name
//! the chunks with awake and with changed cells, so iterating over them costs nothing for chunks
//! that sleep. An activity also caches the slots of the six neighbours, so that rules cross chunk
//! borders without hashing.

use super::slab::NO_ACTIVITY;
use super::{Grid, GridFault, LayerId, Slot};
use crate::chunk::{CellMask, LayerMask};
use crate::coords::{ChunkPos, Face, Shape};
use crate::grid::map::find_neighbour;
use core::ops::Range;

/// The awake and changed cells of one chunk, and the slots of its neighbours.
#[derive(Clone)]
pub(super) struct Activity {
    pub(super) slot: Slot,
    /// `None` until a cell first wakes: a chunk whose cells only change is not stepped.
    pub(super) neighbours: Option<[Slot; 6]>,
    pub(super) awake: Option<Box<CellMask>>,
    pub(super) changed: Option<Box<CellMask>>,
    /// Whether every cell is awake. Rules that wake whole chunks mostly wake the same chunks again,
    /// and a flag costs less to read than a mask. It may be `false` although the mask is full.
    pub(super) is_wholly_awake: bool,
    /// Whether the chunk is left out of the list of awake chunks, whatever wakes in it.
    pub(super) is_shelved: bool,
}

/// The changed cells of a chunk, moved out of the grid while a thread steps the chunk, so that many
/// chunks can be marked at once.
#[derive(Default)]
pub(crate) struct LentMarks {
    cells: Option<Box<CellMask>>,
    /// Whether the grid lists the chunk as changed.
    is_listed: bool,
}

impl LentMarks {
    /// Marks cells as changed, at least one.
    pub(crate) fn add(&mut self, cells: &CellMask) {
        self.cells.get_or_insert_default().union_with(cells);
    }

    /// Returns the marked cells; `None` if no cell is marked.
    pub(crate) fn cells(&self) -> Option<&CellMask> {
        self.cells.as_deref()
    }

    /// Takes the marked cells out; `None` if no cell is marked.
    pub(crate) fn take(&mut self) -> Option<Box<CellMask>> {
        self.cells.take()
    }
}

impl Activity {
    pub(super) fn heap_bytes(&self) -> usize {
        let masks = usize::from(self.awake.is_some()) + usize::from(self.changed.is_some());
        masks * size_of::<CellMask>()
    }
}

/// For rules: access by slot instead of position. Each function takes constant time unless it says
/// otherwise.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Wakes a cell. Returns whether it was asleep.
    #[inline]
    pub(crate) fn wake_at(&mut self, slot: Slot, index: usize) -> bool {
        self.awake_mask(slot).insert(index)
    }

    /// Marks a cell as changed. Returns whether it was unmarked.
    #[inline]
    pub(crate) fn mark_changed_at(&mut self, slot: Slot, index: usize) -> bool {
        self.changed_mask(slot).insert(index)
    }

    /// Marks cells of a layer as changed.
    #[inline]
    pub(crate) fn mark_layer_changed_at(&mut self, layer: LayerId, cells: LayerMask) {
        self.changed_mask(layer.slot).insert_layer(layer.y, cells);
    }

    /// Wakes cells of a layer.
    #[inline]
    pub(crate) fn wake_layer_at(&mut self, layer: LayerId, cells: LayerMask) {
        self.awake_mask(layer.slot).insert_layer(layer.y, cells);
    }

    /// Wakes every cell of a chunk, unless it is a ghost.
    pub(crate) fn wake_chunk_at(&mut self, slot: Slot) {
        if self.is_ghost_at(slot) {
            return;
        }
        let activity = self.activate(slot);
        if !core::mem::replace(&mut self.activities[activity].is_wholly_awake, true) {
            *self.awake_mask(slot) = CellMask::FULL;
        }
    }

    /// Wakes cells of a chunk, at least one.
    #[cfg(feature = "snapshot")]
    pub(crate) fn wake_cells_at(&mut self, slot: Slot, cells: &CellMask) {
        self.awake_mask(slot).union_with(cells);
    }

    /// Puts every cell of a chunk to sleep. Call [`drop_sleepers`](Grid::drop_sleepers) afterwards.
    pub(crate) fn sleep_chunk_at(&mut self, slot: Slot) {
        if let Some(mask) = self.awake_at_mut(slot) {
            *mask = CellMask::EMPTY;
        }
    }

    /// Marks cells of a chunk as changed, at least one. If the chunk has no mask, the given one
    /// becomes its mask.
    pub(crate) fn mark_all_changed_at(&mut self, slot: Slot, cells: Box<CellMask>) {
        let activity = self.activate(slot);
        match &mut self.activities[activity].changed {
            Some(changed) => changed.union_with(&cells),
            changed => {
                *changed = Some(cells);
                self.changed.push(slot);
            }
        }
    }

    /// Swaps the changed mask of a chunk with `cells`. Returns whether the chunk has such a mask.
    pub(crate) fn swap_changed_at(&mut self, slot: Slot, cells: &mut Box<CellMask>) -> bool {
        let activity = self.activities.get_mut(self.activity_of[slot.index()] as usize);
        let changed = activity.and_then(|activity| activity.changed.as_mut());
        changed.map(|changed| core::mem::swap(changed, cells)).is_some()
    }

    /// Puts awake chunks to sleep, and appends their masks to a list, to be freed later. Takes time
    /// linear in the number of awake chunks.
    #[expect(clippy::vec_box, reason = "a mask is moved by its pointer")]
    pub(crate) fn sleep_chunks(&mut self, slots: &[Slot], masks: &mut Vec<Box<CellMask>>) {
        if slots.is_empty() {
            return;
        }
        for &slot in slots {
            let activity = self.activate(slot);
            let activity = &mut self.activities[activity];
            activity.is_wholly_awake = false;
            masks.extend(activity.awake.take());
        }
        let mut awake = core::mem::take(&mut self.awake);
        awake.retain(|&slot| self.awake_at(slot).is_some());
        self.awake = awake;
        slots.iter().for_each(|&slot| self.retire_if_idle(slot));
    }

    /// Removes chunks from the list of awake chunks. Their awake cells stay awake, and more cells
    /// may wake, but until [`unshelve`](Grid::unshelve) no step finds or counts them.
    pub(crate) fn shelve(&mut self, slots: &[Slot]) {
        let mut is_any_listed = false;
        for &slot in slots {
            let activity = self.activate(slot);
            let activity = &mut self.activities[activity];
            is_any_listed |= activity.awake.is_some();
            activity.is_shelved = true;
        }
        if !is_any_listed {
            return;
        }
        let mut awake = core::mem::take(&mut self.awake);
        awake.retain(|&slot| self.activity_at(slot).is_some_and(|activity| !activity.is_shelved));
        self.awake = awake;
    }

    /// Returns whether a chunk is shelved.
    pub(crate) fn is_shelved(&self, slot: Slot) -> bool {
        self.activity_at(slot).is_some_and(|activity| activity.is_shelved)
    }

    /// Puts chunks that were shelved back into the list of awake chunks.
    pub(crate) fn unshelve(&mut self, slots: &[Slot]) {
        for &slot in slots {
            let activity = self.activate(slot);
            let activity = &mut self.activities[activity];
            activity.is_shelved = false;
            if activity.awake.is_some() {
                self.awake.push(slot);
            }
            self.retire_if_idle(slot);
        }
        self.drop_sleepers();
    }

    /// Marks cells of a chunk as changed, at least one.
    pub(crate) fn mark_changes_at(&mut self, slot: Slot, cells: &CellMask) {
        self.changed_mask(slot).union_with(cells);
    }

    /// Swaps a chunk's changed mask with `marks`: moves the mask out if `marks` is empty, else back
    /// in. While the mask is out, neither mark the chunk's cells nor call `drop_sleepers`.
    pub(crate) fn exchange_marks_at(&mut self, slot: Slot, marks: &mut LentMarks) {
        if self.activity_at(slot).is_none() && marks.cells.is_none() {
            return;
        }
        let activity = self.activate(slot);
        let activity = &mut self.activities[activity];
        debug_assert!(
            activity.changed.is_none() || marks.cells.is_none(),
            "marked while its mask was out"
        );
        core::mem::swap(&mut activity.changed, &mut marks.cells);
        let was_listed = core::mem::replace(&mut marks.is_listed, marks.cells.is_some());
        if activity.changed.is_some() && !was_listed {
            self.changed.push(slot);
        }
    }

    /// Returns the chunks with an awake mask, in no particular order.
    #[inline]
    pub(crate) fn awake_slots(&self) -> &[Slot] {
        &self.awake
    }

    /// Returns the awake mask of a chunk; `None` if it has none.
    #[inline]
    pub(crate) fn awake_at(&self, slot: Slot) -> Option<&CellMask> {
        self.activity_at(slot)?.awake.as_deref()
    }

    /// Returns the changed cells of a chunk; `None` if it has none.
    pub(crate) fn changed_at(&self, slot: Slot) -> Option<&CellMask> {
        self.activity_at(slot)?.changed.as_deref()
    }

    /// Returns the awake mask of a chunk; `None` if it has none. If the mask becomes empty, call
    /// [`drop_sleepers`](Grid::drop_sleepers) afterwards.
    #[inline]
    pub(crate) fn awake_at_mut(&mut self, slot: Slot) -> Option<&mut CellMask> {
        let activity = self.activities.get_mut(self.activity_of[slot.index()] as usize)?;
        activity.is_wholly_awake = false;
        activity.awake.as_deref_mut()
    }

    /// Removes the chunks with empty awake masks from the awake list. Takes time linear in the
    /// length of that list.
    pub(crate) fn drop_sleepers(&mut self) {
        self.drop_sleepers_among(0..self.awake.len());
    }

    /// Removes the chunks with empty awake masks from a range of the awake list. The chunks behind
    /// the range must have been treated before, since they may move into it.
    pub(crate) fn drop_sleepers_among(&mut self, range: Range<usize>) {
        let is_sleeper = |activity: &Activity| {
            !activity.is_wholly_awake && activity.awake.as_deref().is_none_or(CellMask::is_empty)
        };
        for at in range.rev() {
            let slot = self.awake[at];
            if self.activity_at(slot).is_none_or(is_sleeper) {
                self.awake.swap_remove(at);
                let activity = self.activate(slot);
                self.activities[activity].awake = None;
                self.retire_if_idle(slot);
            }
        }
    }

    #[inline]
    pub(super) fn activity_at(&self, slot: Slot) -> Option<&Activity> {
        self.activities.get(self.activity_of[slot.index()] as usize)
    }

    #[cfg(feature = "rayon")]
    pub(super) fn activity_at_mut(&mut self, slot: Slot) -> Option<&mut Activity> {
        self.activities.get_mut(self.activity_of[slot.index()] as usize)
    }

    /// Returns the index of the chunk's activity; makes one if it has none.
    #[inline]
    pub(super) fn activate(&mut self, slot: Slot) -> usize {
        match self.activity_of[slot.index()] {
            NO_ACTIVITY => self.begin(slot),
            activity => activity as usize,
        }
    }

    /// Returns the awake mask of a chunk; makes one if it has none.
    #[inline]
    fn awake_mask(&mut self, slot: Slot) -> &mut CellMask {
        let index = self.activate(slot);
        if self.activities[index].awake.is_none() {
            let neighbours = self.neighbours_of(slot);
            let activity = &mut self.activities[index];
            activity.neighbours = Some(neighbours);
            if !activity.is_shelved {
                self.awake.push(slot);
            }
        }
        self.activities[index].awake.get_or_insert_default()
    }

    /// Returns the changed mask of a chunk; makes one if it has none.
    #[inline]
    fn changed_mask(&mut self, slot: Slot) -> &mut CellMask {
        let activity = self.activate(slot);
        self.activities[activity].changed.get_or_insert_with(|| {
            self.changed.push(slot);
            Box::default()
        })
    }

    #[cold]
    fn begin(&mut self, slot: Slot) -> usize {
        let activity = self.activities.len();
        // A slot has at most one activity, so the index fits wherever a slot fits.
        self.activity_of[slot.index()] = activity as u32;
        self.activities.push(Activity {
            slot,
            neighbours: None,
            awake: None,
            changed: None,
            is_wholly_awake: false,
            is_shelved: false,
        });
        activity
    }

    /// Clears a chunk's awake and changed cells. Takes time linear in the lengths of both lists.
    pub(super) fn retire(&mut self, slot: Slot) {
        let Some(activity) = self.activities.get_mut(self.activity_of[slot.index()] as usize)
        else {
            return;
        };
        activity.is_wholly_awake = false;
        let was_shelved = core::mem::take(&mut activity.is_shelved);
        if activity.awake.take().is_some() && !was_shelved {
            self.awake.retain(|&other| other != slot);
        }
        if activity.changed.take().is_some() {
            self.changed.retain(|&other| other != slot);
        }
        self.retire_if_idle(slot);
    }

    /// Removes the activity of a chunk that has neither mask and is not shelved.
    pub(super) fn retire_if_idle(&mut self, slot: Slot) {
        let idle = |activity: &Activity| {
            activity.awake.is_none() && activity.changed.is_none() && !activity.is_shelved
        };
        if self.activity_at(slot).is_some_and(idle) {
            let activity = core::mem::replace(&mut self.activity_of[slot.index()], NO_ACTIVITY);
            self.activities.swap_remove(activity as usize);
            if let Some(moved) = self.activities.get(activity as usize) {
                self.activity_of[moved.slot.index()] = activity;
            }
        }
    }

    /// Updates the cached slot of a chunk position in the activities of its neighbours.
    pub(super) fn link_neighbours(&mut self, position: ChunkPos, slot: Slot) {
        if self.activities.is_empty() {
            return;
        }
        for face in Face::ALL {
            let neighbour = find_neighbour(self, position, face);
            if neighbour.is_some() {
                let activity = self.activity_of[neighbour.index()];
                let activity = self.activities.get_mut(activity as usize);
                if let Some(neighbours) = activity.and_then(|activity| activity.neighbours.as_mut())
                {
                    neighbours[face.opposite().index()] = slot;
                }
            }
        }
    }

    /// Counts how often `list` names each slot.
    fn times_listed(&self, list: &[Slot]) -> Vec<usize> {
        let mut times = vec![0; self.entries.len()];
        list.iter().for_each(|slot| times[slot.index()] += 1);
        times
    }

    /// Checks the invariants of this file.
    pub(super) fn validate_activities(&self) -> Result<(), GridFault> {
        let (awake, changed) = (self.times_listed(&self.awake), self.times_listed(&self.changed));
        for (index, activity) in self.activities.iter().enumerate() {
            let slot = activity.slot;
            let position = self.position_at(slot);
            if self.activity_of[slot.index()] as usize != index
                || self.slot(position) != Some(slot)
                || awake[slot.index()]
                    != usize::from(activity.awake.is_some() && !activity.is_shelved)
                || changed[slot.index()] != usize::from(activity.changed.is_some())
                || (activity.awake.is_none() && activity.changed.is_none() && !activity.is_shelved)
                || (activity.is_wholly_awake
                    && !activity.awake.as_deref().is_some_and(CellMask::is_full))
            {
                return Err(GridFault::Activity(position));
            }
            let Some(neighbours) = activity.neighbours else { continue };
            for face in Face::ALL {
                if neighbours[face.index()] != find_neighbour(self, position, face) {
                    return Err(GridFault::Link(position, face));
                }
            }
        }
        let stray =
            |&slot: &Slot| self.activity_at(slot).is_none_or(|activity| activity.slot != slot);
        if let Some(&slot) = self.awake.iter().chain(&self.changed).find(|slot| stray(slot)) {
            return Err(GridFault::Activity(self.position_at(slot)));
        }
        let lost = |&(_, &activity): &(usize, &u32)| {
            activity != NO_ACTIVITY && activity as usize >= self.activities.len()
        };
        let lost = self.activity_of.iter().enumerate().find(lost);
        lost.map_or(Ok(()), |(index, _)| Err(GridFault::Activity(self.entries[index].position)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, Cube};
    use glam::IVec3;
    use std::collections::BTreeSet;

    type Cells = BTreeSet<(Slot, usize)>;

    fn cells_of(mask: Option<&CellMask>, slot: Slot) -> Cells {
        mask.into_iter().flat_map(CellMask::iter).map(|index| (slot, index)).collect()
    }

    fn layer_cells(layer: usize, cells: LayerMask) -> impl Iterator<Item = usize> {
        cells.iter().map(move |cell| 256 * layer + cell)
    }

    #[test]
    fn marking_many_cells_at_once_equals_marking_them_one_by_one() {
        for seed in 0..10 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut grid = Grid::<u16, Cube>::new(0);
            (0..4).for_each(|x| {
                grid.set(IVec3::new(16 * x, 0, 0), 1);
            });
            let slots = grid.sorted_slots();
            let (mut awake, mut changed) = (Cells::new(), Cells::new());
            let mut shelved: BTreeSet<Slot> = BTreeSet::new();
            for _ in 0..40 {
                let (slot, layer, index) =
                    (slots[random.usize(..4)], random.usize(..16), random.usize(..CHUNK_CELLS));
                // The layer is sometimes empty; then none of its cells is marked.
                let cells = LayerMask::from_words(core::array::from_fn(|_| {
                    if random.bool() { random.u64(..) } else { 0 }
                }));
                let mut mask = CellMask::EMPTY;
                mask.insert_layer(layer, cells);
                mask.insert(index);
                match random.u8(..11) {
                    0 => assert_eq!(grid.wake_at(slot, index), awake.insert((slot, index))),
                    1 => {
                        grid.wake_layer_at(LayerId::new(slot, layer), cells);
                        awake.extend(layer_cells(layer, cells).map(|index| (slot, index)));
                    }
                    2 => {
                        grid.wake_chunk_at(slot);
                        awake.extend((0..CHUNK_CELLS).map(|index| (slot, index)));
                    }
                    3 => {
                        grid.wake_layer_at(LayerId::new(slot, 0), mask.layer(0));
                        awake.extend(layer_cells(0, mask.layer(0)).map(|index| (slot, index)));
                    }
                    4 => {
                        grid.sleep_chunk_at(slot);
                        awake.retain(|(other, _)| *other != slot);
                    }
                    5 => {
                        assert_eq!(grid.mark_changed_at(slot, index), changed.insert((slot, index)))
                    }
                    6 => {
                        let mut mask = Box::<CellMask>::default();
                        mask.insert_layer(layer, cells);
                        grid.mark_all_changed_at(slot, mask);
                        changed.extend(layer_cells(layer, cells).map(|index| (slot, index)));
                    }
                    7 => {
                        let mut out = [(); 4].map(|()| LentMarks::default());
                        let exchange = |grid: &mut Grid<u16, Cube>, out: &mut [LentMarks]| {
                            slots.iter().zip(out).for_each(|(&slot, marks)| {
                                grid.exchange_marks_at(slot, marks);
                            });
                        };
                        exchange(&mut grid, &mut out);
                        assert!(slots.iter().all(|&slot| grid.changed_at(slot).is_none()));
                        out[slots.iter().position(|&other| other == slot).unwrap()].add(&mask);
                        exchange(&mut grid, &mut out);
                        changed.extend(mask.iter().map(|index| (slot, index)));
                    }
                    8 if !shelved.contains(&slot) => {
                        grid.shelve(&[slot]);
                        shelved.insert(slot);
                    }
                    9 if shelved.remove(&slot) => grid.unshelve(&[slot]),
                    _ => {
                        grid.mark_changes_at(slot, &mask);
                        changed.extend(mask.iter().map(|index| (slot, index)));
                    }
                }
                if random.u8(..4) == 0 {
                    grid.drop_sleepers();
                    let listed: BTreeSet<Slot> = grid.awake_slots().iter().copied().collect();
                    let expected: BTreeSet<Slot> = awake.iter().map(|cell| cell.0).collect();
                    assert!(listed.iter().eq(expected.difference(&shelved)), "seed {seed}");
                }
                assert_eq!(grid.validate(), Ok(()), "seed {seed}");
                let counted = awake.iter().filter(|(slot, _)| !shelved.contains(slot)).count();
                assert_eq!(grid.awake_cells(), counted, "seed {seed}");
                let found = |mask: fn(&Grid<u16, Cube>, Slot) -> Option<&CellMask>| -> Cells {
                    slots.iter().flat_map(|&slot| cells_of(mask(&grid, slot), slot)).collect()
                };
                assert_eq!(found(Grid::awake_at), awake, "seed {seed}");
                assert_eq!(found(Grid::changed_at), changed, "seed {seed}");
            }
        }
    }

    #[cfg(feature = "snapshot")]
    #[test]
    fn cells_woken_by_a_mask_are_those_of_the_mask() {
        let mut random = fastrand::Rng::with_seed(9);
        let mut grid = Grid::<u16, Cube>::new(0);
        grid.set(IVec3::ZERO, 1);
        let slot = grid.sorted_slots()[0];
        let mut mask = CellMask::EMPTY;
        for _ in 0..20 {
            mask.insert(random.usize(..CHUNK_CELLS));
            grid.wake_cells_at(slot, &mask);
            assert_eq!(grid.awake_at(slot), Some(&mask));
        }
    }

    #[test]
    fn every_fault_of_the_activities_is_found() {
        type Damage = fn(&mut Grid<u16, Cube>, [Slot; 3]);
        let activity = |x: i32| GridFault::Activity(ChunkPos::new(x, 0, 0));
        let link = GridFault::Link(ChunkPos::ZERO, Face::West);
        // Chunk 0 is awake, chunk 1 is changed, chunk 2 is idle.
        let faults: [(&str, Damage, GridFault); 11] = [
            (
                "listed although shelved",
                |grid, _| grid.activities[0].is_shelved = true,
                activity(0),
            ),
            ("awake but not listed", |grid, _| grid.awake.clear(), activity(0)),
            ("cells are asleep", |grid, _| grid.activities[0].is_wholly_awake = true, activity(0)),
            ("listed but not changed", |grid, [first, ..]| grid.changed.push(first), activity(0)),
            ("one chunk twice", |grid, [first, ..]| grid.activities[1].slot = first, activity(0)),
            (
                "a chunk has two activities",
                |grid, _| grid.activities.push(grid.activities[0].clone()),
                activity(0),
            ),
            (
                "no chunk in the slot",
                |grid, [.., third]| {
                    grid.remove(ChunkPos::new(2, 0, 0));
                    grid.wake_at(third, 0);
                },
                GridFault::Activity(IVec3::MIN.into()),
            ),
            ("neither mask", |grid, _| grid.activities[1].changed = None, activity(1)),
            ("listed without activity", |grid, [.., third]| grid.awake.push(third), activity(2)),
            (
                "index out of range",
                |grid, [.., third]| grid.activity_of[third.index()] = 9,
                activity(2),
            ),
            (
                "wrong neighbour",
                |grid, [.., third]| {
                    let neighbours = &mut grid.activities[0].neighbours;
                    neighbours.get_or_insert([Slot::NONE; 6])[Face::West.index()] = third;
                },
                link,
            ),
        ];
        for (name, damage, fault) in faults {
            let mut grid = Grid::<u16, Cube>::new(0);
            let slots = [0, 1, 2].map(|x| {
                grid.insert(ChunkPos::new(x, 0, 0), Chunk::uniform(1)).unwrap();
                grid.slot(ChunkPos::new(x, 0, 0)).unwrap()
            });
            grid.wake(IVec3::ZERO).unwrap();
            grid.mark_changed(IVec3::X * 16).unwrap();
            assert_eq!(grid.validate(), Ok(()));
            damage(&mut grid, slots);
            assert_eq!(grid.validate(), Err(fault), "{name}");
        }
    }
}
