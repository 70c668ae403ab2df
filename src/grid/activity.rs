//! Which cells are awake, and which have changed.
//!
//! Only chunks with such cells have an activity, and two lists say which: to ask for them costs as
//! much as there are, however many chunks sleep. A chunk with activity also keeps its neighbours'
//! slots, so that what moves crosses chunk borders without hashing.

use super::slab::NO_ACTIVITY;
use super::{Grid, GridFault, Slot};
use crate::chunk::{CellMask, LayerMask};
use crate::coords::{Face, Shape};
use glam::IVec3;

/// What is going on in one chunk.
#[derive(Clone)]
pub(super) struct Activity {
    slot: Slot,
    pub(super) neighbours: [Slot; 6],
    pub(super) awake: Option<Box<CellMask>>,
    pub(super) changed: Option<Box<CellMask>>,
    /// Known to have every cell awake: rules that wake whole chunks wake most of them again and
    /// again, and this costs less to read than a mask.
    pub(super) is_wholly_awake: bool,
}

/// The changed cells of a chunk, lent to whoever steps it: with threads, many chunks are marked at
/// once.
#[derive(Default)]
pub(crate) struct LentMarks {
    cells: Option<Box<CellMask>>,
    /// Whether the grid has the chunk in its list.
    is_listed: bool,
}

impl LentMarks {
    /// Marks cells as changed, at least one.
    pub(crate) fn add(&mut self, cells: &CellMask) {
        self.cells.get_or_insert_default().union_with(cells);
    }
}

impl Activity {
    pub(super) fn heap_bytes(&self) -> usize {
        let masks = usize::from(self.awake.is_some()) + usize::from(self.changed.is_some());
        masks * size_of::<CellMask>()
    }
}

/// What kernels use: slots instead of positions. Each call takes the same time whatever the number
/// of chunks, except where it says otherwise.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Wakes a cell. `true` if it was asleep.
    #[inline]
    pub(crate) fn wake_at(&mut self, slot: Slot, index: usize) -> bool {
        let activity = self.activate(slot);
        let mask = self.activities[activity].awake.get_or_insert_with(|| {
            self.awake.push(slot);
            Box::default()
        });
        mask.insert(index)
    }

    /// Marks a cell as changed. `true` if it was not yet.
    #[inline]
    pub(crate) fn mark_changed_at(&mut self, slot: Slot, index: usize) -> bool {
        let activity = self.activate(slot);
        let mask = self.activities[activity].changed.get_or_insert_with(|| {
            self.changed.push(slot);
            Box::default()
        });
        mask.insert(index)
    }

    /// Wakes 256 consecutive cells, those in the mask; `layer` is 0 to 15.
    #[inline]
    pub(crate) fn wake_layer_at(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        let activity = self.activate(slot);
        let mask = self.activities[activity].awake.get_or_insert_with(|| {
            self.awake.push(slot);
            Box::default()
        });
        mask.insert_layer(layer, cells);
    }

    /// Marks 256 consecutive cells as changed, those in the mask; `layer` is 0 to 15.
    #[inline]
    pub(crate) fn mark_layer_changed_at(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        let activity = self.activate(slot);
        let mask = self.activities[activity].changed.get_or_insert_with(|| {
            self.changed.push(slot);
            Box::default()
        });
        mask.insert_layer(layer, cells);
    }

    /// Wakes every cell of a chunk.
    pub(crate) fn wake_chunk_at(&mut self, slot: Slot) {
        let activity = self.activate(slot);
        let activity = &mut self.activities[activity];
        if !core::mem::replace(&mut activity.is_wholly_awake, true) {
            let mask = activity.awake.get_or_insert_with(|| {
                self.awake.push(slot);
                Box::default()
            });
            **mask = CellMask::FULL;
        }
    }

    /// Wakes cells of a chunk, at least one.
    #[cfg(feature = "snapshot")]
    pub(crate) fn wake_cells_at(&mut self, slot: Slot, cells: &CellMask) {
        self.wake_layer_at(slot, 0, cells.layer(0));
        if let Some(mask) = self.awake_at_mut(slot) {
            mask.union_with(cells);
        }
    }

    /// Puts every cell of a chunk to sleep. [`drop_sleepers`](Grid::drop_sleepers) clears up.
    pub(crate) fn sleep_chunk_at(&mut self, slot: Slot) {
        if let Some(mask) = self.awake_at_mut(slot) {
            *mask = CellMask::EMPTY;
        }
    }

    /// Marks cells of a chunk as changed.
    pub(crate) fn mark_changes_at(&mut self, slot: Slot, cells: &CellMask) {
        self.mark_layer_changed_at(slot, 0, cells.layer(0));
        let activity = self.activity_of[slot.index()] as usize;
        if let Some(mask) = self.activities[activity].changed.as_mut() {
            mask.union_with(cells);
        }
    }

    /// Lends the marks of changed cells of a chunk in exchange for none, or takes them back.
    /// Meanwhile nobody else may mark its cells, nor clear up what sleeps.
    pub(crate) fn exchange_marks_at(&mut self, slot: Slot, marks: &mut LentMarks) {
        if self.activity_at(slot).is_none() && marks.cells.is_none() {
            return;
        }
        let activity = self.activate(slot);
        let activity = &mut self.activities[activity];
        debug_assert!(
            activity.changed.is_none() || marks.cells.is_none(),
            "marked while its marks were lent"
        );
        core::mem::swap(&mut activity.changed, &mut marks.cells);
        let was_listed = core::mem::replace(&mut marks.is_listed, marks.cells.is_some());
        if activity.changed.is_some() && !was_listed {
            self.changed.push(slot);
        }
    }

    /// The chunks with an awake mask, in no particular order.
    #[inline]
    pub(crate) fn awake_slots(&self) -> &[Slot] {
        &self.awake
    }

    /// The awake mask of a chunk, if it has one.
    #[inline]
    pub(crate) fn awake_at(&self, slot: Slot) -> Option<&CellMask> {
        self.activity_at(slot)?.awake.as_deref()
    }

    /// The changed cells of a chunk, if it has any.
    pub(crate) fn changed_at(&self, slot: Slot) -> Option<&CellMask> {
        self.activity_at(slot)?.changed.as_deref()
    }

    /// The awake mask of a chunk, if it has one, to change. It may become empty:
    /// [`drop_sleepers`](Grid::drop_sleepers) clears up.
    #[inline]
    pub(crate) fn awake_at_mut(&mut self, slot: Slot) -> Option<&mut CellMask> {
        let activity = self.activities.get_mut(self.activity_of[slot.index()] as usize)?;
        activity.is_wholly_awake = false;
        activity.awake.as_deref_mut()
    }

    /// Takes the chunks whose awake masks have become empty out of the awake list. Costs as much as
    /// there are awake.
    pub(crate) fn drop_sleepers(&mut self) {
        let mut slots = core::mem::take(&mut self.awake);
        slots.retain(|&slot| {
            let is_sleeper = |activity: &Activity| {
                !activity.is_wholly_awake
                    && activity.awake.as_deref().is_none_or(CellMask::is_empty)
            };
            let asleep = self.activity_at(slot).is_none_or(is_sleeper);
            if asleep {
                let activity = self.activate(slot);
                self.activities[activity].awake = None;
                self.retire_if_idle(slot);
            }
            !asleep
        });
        self.awake = slots;
    }

    #[inline]
    pub(super) fn activity_at(&self, slot: Slot) -> Option<&Activity> {
        self.activities.get(self.activity_of[slot.index()] as usize)
    }

    /// The index of the chunk's activity, made if there is none.
    #[inline]
    pub(super) fn activate(&mut self, slot: Slot) -> usize {
        match self.activity_of[slot.index()] {
            NO_ACTIVITY => self.begin(slot),
            activity => activity as usize,
        }
    }

    #[cold]
    fn begin(&mut self, slot: Slot) -> usize {
        let neighbours = self.find_neighbours(self.position_at(slot));
        let activity = self.activities.len();
        // There is one activity for a slot at most, so their number is a slot's index at most.
        self.activity_of[slot.index()] = activity as u32;
        self.activities.push(Activity {
            slot,
            neighbours,
            awake: None,
            changed: None,
            is_wholly_awake: false,
        });
        activity
    }

    /// Forgets the chunk's awake and changed cells. Costs as much as there are awake and changed.
    pub(super) fn retire(&mut self, slot: Slot) {
        let Some(activity) = self.activities.get_mut(self.activity_of[slot.index()] as usize)
        else {
            return;
        };
        activity.is_wholly_awake = false;
        if activity.awake.take().is_some() {
            self.awake.retain(|&other| other != slot);
        }
        if activity.changed.take().is_some() {
            self.changed.retain(|&other| other != slot);
        }
        self.retire_if_idle(slot);
    }

    /// Drops the activity of a chunk that has neither mask.
    pub(super) fn retire_if_idle(&mut self, slot: Slot) {
        let idle = |activity: &Activity| activity.awake.is_none() && activity.changed.is_none();
        if self.activity_at(slot).is_some_and(idle) {
            let activity = core::mem::replace(&mut self.activity_of[slot.index()], NO_ACTIVITY);
            self.activities.swap_remove(activity as usize);
            if let Some(moved) = self.activities.get(activity as usize) {
                self.activity_of[moved.slot.index()] = activity;
            }
        }
    }

    /// Tells the active neighbours of a chunk position what lies there now.
    pub(super) fn link_neighbours(&mut self, position: IVec3, slot: Slot) {
        if self.activities.is_empty() {
            return;
        }
        for face in Face::ALL {
            let neighbour = self.find_neighbour(position, face);
            if neighbour.is_some() {
                let activity = self.activity_of[neighbour.index()];
                if let Some(activity) = self.activities.get_mut(activity as usize) {
                    activity.neighbours[face.opposite().index()] = slot;
                }
            }
        }
    }

    /// How often each place of the slab is in a list of slots.
    fn times_listed(&self, list: &[Slot]) -> Vec<usize> {
        let mut times = vec![0; self.entries.len()];
        list.iter().for_each(|slot| times[slot.index()] += 1);
        times
    }

    /// Checks what the functions of this file keep true.
    pub(super) fn validate_activities(&self) -> Result<(), GridFault> {
        let (awake, changed) = (self.times_listed(&self.awake), self.times_listed(&self.changed));
        for (index, activity) in self.activities.iter().enumerate() {
            let slot = activity.slot;
            let position = self.position_at(slot);
            if self.activity_of[slot.index()] as usize != index
                || self.slot(position) != Some(slot)
                || awake[slot.index()] != usize::from(activity.awake.is_some())
                || changed[slot.index()] != usize::from(activity.changed.is_some())
                || (activity.awake.is_none() && activity.changed.is_none())
                || (activity.is_wholly_awake
                    && !activity.awake.as_deref().is_some_and(CellMask::is_full))
            {
                return Err(GridFault::Activity(position));
            }
            for face in Face::ALL {
                if activity.neighbours[face.index()] != self.find_neighbour(position, face) {
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
    fn many_cells_at_once_are_marked_as_one_by_one() {
        for seed in 0..10 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut grid = Grid::<u16, Cube>::new(0);
            (0..4).for_each(|x| {
                grid.set(IVec3::new(16 * x, 0, 0), 1);
            });
            let slots = grid.sorted_slots();
            let (mut awake, mut changed) = (Cells::new(), Cells::new());
            for _ in 0..40 {
                let (slot, layer, index) =
                    (slots[random.usize(..4)], random.usize(..16), random.usize(..CHUNK_CELLS));
                // Sometimes none: that marks nothing.
                let cells = LayerMask::from_words(core::array::from_fn(|_| {
                    if random.bool() { random.u64(..) } else { 0 }
                }));
                let mut mask = CellMask::EMPTY;
                mask.insert_layer(layer, cells);
                mask.insert(index);
                match random.u8(..9) {
                    0 => assert_eq!(grid.wake_at(slot, index), awake.insert((slot, index))),
                    1 => {
                        grid.wake_layer_at(slot, layer, cells);
                        awake.extend(layer_cells(layer, cells).map(|index| (slot, index)));
                    }
                    2 => {
                        grid.wake_chunk_at(slot);
                        awake.extend((0..CHUNK_CELLS).map(|index| (slot, index)));
                    }
                    3 => {
                        grid.wake_layer_at(slot, 0, mask.layer(0));
                        awake.extend(
                            mask.iter().take_while(|&index| index < 256).map(|index| (slot, index)),
                        );
                    }
                    4 => {
                        grid.sleep_chunk_at(slot);
                        awake.retain(|(other, _)| *other != slot);
                    }
                    5 => {
                        assert_eq!(grid.mark_changed_at(slot, index), changed.insert((slot, index)))
                    }
                    6 => {
                        grid.mark_layer_changed_at(slot, layer, cells);
                        changed.extend(layer_cells(layer, cells).map(|index| (slot, index)));
                    }
                    7 => {
                        let mut lent = [(); 4].map(|()| LentMarks::default());
                        slots
                            .iter()
                            .zip(&mut lent)
                            .for_each(|(&slot, lent)| grid.exchange_marks_at(slot, lent));
                        assert!(
                            slots.iter().all(|&slot| grid.changed_at(slot).is_none()),
                            "seed {seed}"
                        );
                        lent[slots.iter().position(|&other| other == slot).unwrap()].add(&mask);
                        slots
                            .iter()
                            .zip(&mut lent)
                            .for_each(|(&slot, lent)| grid.exchange_marks_at(slot, lent));
                        changed.extend(mask.iter().map(|index| (slot, index)));
                    }
                    _ => {
                        grid.mark_changes_at(slot, &mask);
                        changed.extend(mask.iter().map(|index| (slot, index)));
                    }
                }
                if random.u8(..4) == 0 {
                    grid.drop_sleepers();
                    let listed: BTreeSet<Slot> = grid.awake_slots().iter().copied().collect();
                    assert_eq!(
                        listed,
                        awake.iter().map(|(slot, _)| *slot).collect(),
                        "seed {seed}"
                    );
                }
                assert_eq!(grid.validate(), Ok(()), "seed {seed}");
                assert_eq!(grid.awake_cells(), awake.len(), "seed {seed}");
                let found: Cells =
                    slots.iter().flat_map(|&slot| cells_of(grid.awake_at(slot), slot)).collect();
                assert_eq!(found, awake, "seed {seed}");
                let found: Cells =
                    slots.iter().flat_map(|&slot| cells_of(grid.changed_at(slot), slot)).collect();
                assert_eq!(found, changed, "seed {seed}");
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

    /// What is found in a grid of an awake, a changed and a quiet chunk after this was done behind
    /// its back.
    fn found(damage: impl FnOnce(&mut Grid<u16, Cube>, [Slot; 3])) -> Result<(), GridFault> {
        let mut grid = Grid::<u16, Cube>::new(0);
        (0..3).for_each(|x| drop(grid.insert(IVec3::X * x, Chunk::uniform(1)).unwrap()));
        grid.wake(IVec3::ZERO).unwrap();
        grid.mark_changed(IVec3::X * 16).unwrap();
        assert_eq!(grid.validate(), Ok(()));
        let slots = [0, 1, 2].map(|x| grid.slot(IVec3::X * x).unwrap());
        damage(&mut grid, slots);
        grid.validate()
    }

    #[test]
    fn every_fault_of_the_activities_is_found() {
        let activity = |x: i32| Err(GridFault::Activity(IVec3::X * x));
        assert_eq!(found(|grid, _| grid.awake.clear()), activity(0), "awake, and not in the list");
        let wholly = found(|grid, _| grid.activities[0].is_wholly_awake = true);
        assert_eq!(wholly, activity(0), "with cells asleep");
        assert_eq!(
            found(|grid, [first, ..]| grid.changed.push(first)),
            activity(0),
            "in the list, and not changed"
        );
        assert_eq!(
            found(|grid, [first, ..]| grid.activities[1].slot = first),
            activity(0),
            "one chunk twice"
        );
        let doubled = found(|grid, _| grid.activities.push(grid.activities[0].clone()));
        assert_eq!(doubled, activity(0), "a chunk with two");
        let vacant = found(|grid, [.., third]| {
            grid.remove(IVec3::X * 2);
            grid.wake_at(third, 0);
        });
        assert_eq!(vacant, Err(GridFault::Activity(IVec3::MIN)), "where no chunk is");
        assert_eq!(
            found(|grid, _| grid.activities[1].changed = None),
            activity(1),
            "with nothing going on"
        );
        assert_eq!(
            found(|grid, [.., third]| grid.awake.push(third)),
            activity(2),
            "listed without an activity"
        );
        assert_eq!(
            found(|grid, [.., third]| grid.activity_of[third.index()] = 9),
            activity(2),
            "one that is not there"
        );
        let link =
            found(|grid, [.., third]| grid.activities[0].neighbours[Face::West.index()] = third);
        assert_eq!(link, Err(GridFault::Link(IVec3::ZERO, Face::West)));
    }
}
