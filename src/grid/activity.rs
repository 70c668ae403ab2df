//! Which cells are awake, and which have changed.
//!
//! Only chunks with such cells have an activity, and all activities lie side by side: to ask for them costs as much as
//! there are, however many chunks sleep. A chunk with activity also keeps its neighbours' slots, so that what moves
//! crosses chunk borders without hashing.

use super::{Grid, GridError, GridFault, Slot};
use crate::chunk::CellMask;
use crate::coords::{Face, Shape};
use glam::IVec3;

/// Stands where a chunk has no activity.
pub(super) const NO_ACTIVITY: u32 = u32::MAX;

/// What is going on in one chunk.
#[derive(Clone)]
pub(super) struct Activity {
    slot: Slot,
    pub(super) neighbours: [Slot; 6],
    awake: Option<Box<CellMask>>,
    changed: Option<Box<CellMask>>,
}

impl Activity {
    pub(super) fn heap_bytes(&self) -> usize {
        let masks = usize::from(self.awake.is_some()) + usize::from(self.changed.is_some());
        masks * size_of::<CellMask>()
    }
}

/// One of the two masks of an activity.
type Pick = fn(&mut Activity) -> &mut Option<Box<CellMask>>;

/// # Awake and changed cells
///
/// Two sets of cells beside the cells' values. The grid itself never adds to them: [`set`](Grid::set),
/// [`fill`](Grid::fill), [`copy_in`](Grid::copy_in) and [`insert`](Grid::insert) are plain storage and mark nothing, and
/// it is for the rules on top to say what an edit wakes. A chunk that is removed takes its marks with it.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Wakes a cell. `true` if it was asleep.
    ///
    /// # Errors
    /// [`GridError::NoChunk`] if its chunk is missing.
    ///
    /// ```
    /// use floodplain::{Cube, Grid, GridError, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// assert_eq!(grid.wake(IVec3::ZERO), Err(GridError::NoChunk(IVec3::ZERO)));
    /// grid.set(IVec3::ZERO, 1);
    /// assert_eq!(grid.wake(IVec3::ZERO), Ok(true));
    /// assert_eq!(grid.wake(IVec3::ZERO), Ok(false));
    /// assert_eq!(grid.awake_cells(), 1);
    /// ```
    pub fn wake(&mut self, position: IVec3) -> Result<bool, GridError> {
        self.mark(position, |activity| &mut activity.awake)
    }

    /// Puts a cell to sleep. `true` if it was awake.
    pub fn sleep(&mut self, position: IVec3) -> bool {
        let Some(slot) = self.slot(S::chunk_of(position)).filter(|&slot| self.awake_at(slot).is_some()) else {
            return false;
        };
        let activity = self.activate(slot);
        let Some(mask) = &mut activity.awake else { return false };
        let was_awake = mask.remove(S::index_of(position));
        if mask.is_empty() {
            activity.awake = None;
            if activity.changed.is_none() {
                self.retire(slot);
            }
        }
        was_awake
    }

    /// Whether the cell is awake.
    pub fn is_awake(&self, position: IVec3) -> bool {
        let mask = self.slot(S::chunk_of(position)).and_then(|slot| self.awake_at(slot));
        mask.is_some_and(|mask| mask.contains(S::index_of(position)))
    }

    /// Cells awake.
    pub fn awake_cells(&self) -> usize {
        self.activities.iter().filter_map(|activity| activity.awake.as_deref()).map(CellMask::len).sum()
    }

    /// The chunk positions of chunks with cells awake, and these cells, in order of position.
    pub fn awake_chunks(&self) -> impl Iterator<Item = (IVec3, &CellMask)> {
        self.masks(|activity| activity.awake.as_deref())
    }

    /// Puts every cell to sleep. Returns those that were awake, by chunk position, in order of position.
    pub fn take_awake(&mut self) -> Vec<(IVec3, CellMask)> {
        self.take(|activity| &mut activity.awake)
    }

    /// Marks a cell as changed. `true` if it was not yet.
    ///
    /// # Errors
    /// [`GridError::NoChunk`] if its chunk is missing.
    pub fn mark_changed(&mut self, position: IVec3) -> Result<bool, GridError> {
        self.mark(position, |activity| &mut activity.changed)
    }

    /// The chunk positions of chunks with changed cells, and these cells, in order of position.
    pub fn changed_chunks(&self) -> impl Iterator<Item = (IVec3, &CellMask)> {
        self.masks(|activity| activity.changed.as_deref())
    }

    /// Forgets all changes. Returns the changed cells by chunk position, in order of position.
    ///
    /// ```
    /// use floodplain::{Cube, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(3, 0, -1), 1);
    /// grid.mark_changed(IVec3::new(3, 0, -1))?;
    /// let changes = grid.take_changes();
    /// assert_eq!(changes.len(), 1);
    /// assert_eq!(changes[0].0, IVec3::new(0, 0, -1));
    /// assert_eq!(changes[0].1.iter().collect::<Vec<_>>(), [15 * 16 + 3]);
    /// assert!(grid.take_changes().is_empty());
    /// # Ok::<(), floodplain::GridError>(())
    /// ```
    pub fn take_changes(&mut self) -> Vec<(IVec3, CellMask)> {
        self.take(|activity| &mut activity.changed)
    }

    fn mark(&mut self, position: IVec3, pick: Pick) -> Result<bool, GridError> {
        let chunk = S::chunk_of(position);
        let slot = self.slot(chunk).ok_or(GridError::NoChunk(chunk))?;
        Ok(pick(self.activate(slot)).get_or_insert_default().insert(S::index_of(position)))
    }

    fn masks<'g>(
        &'g self,
        pick: fn(&'g Activity) -> Option<&'g CellMask>,
    ) -> impl Iterator<Item = (IVec3, &'g CellMask)> {
        let marked =
            self.activities.iter().filter(move |&activity| pick(activity).is_some_and(|mask| !mask.is_empty()));
        let slots = self.in_order(marked.map(|activity| activity.slot));
        slots.into_iter().filter_map(move |slot| Some((self.position_at(slot), pick(self.activity_at(slot)?)?)))
    }

    fn take(&mut self, pick: Pick) -> Vec<(IVec3, CellMask)> {
        let slots = self.in_order(self.activities.iter().map(|activity| activity.slot));
        let mut taken = Vec::new();
        for slot in slots {
            let position = self.position_at(slot);
            let activity = self.activate(slot);
            taken.extend(pick(activity).take().filter(|mask| !mask.is_empty()).map(|mask| (position, *mask)));
            if activity.awake.is_none() && activity.changed.is_none() {
                self.retire(slot);
            }
        }
        taken
    }
}

/// What kernels use: slots instead of positions. Each call takes the same time whatever the number of chunks.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    #[inline]
    pub(crate) fn awake_at(&self, slot: Slot) -> Option<&CellMask> {
        self.activity_at(slot)?.awake.as_deref()
    }

    #[inline]
    pub(crate) fn awake_at_mut(&mut self, slot: Slot) -> &mut Option<Box<CellMask>> {
        &mut self.activate(slot).awake
    }

    #[inline]
    pub(crate) fn changed_at_mut(&mut self, slot: Slot) -> &mut Option<Box<CellMask>> {
        &mut self.activate(slot).changed
    }

    /// Slots with an awake mask, in order of position. Gives up the activity of chunks that have neither mask left.
    pub(crate) fn awake_slots(&mut self) -> Vec<Slot> {
        let done = |activity: &&Activity| activity.awake.is_none() && activity.changed.is_none();
        let idle: Vec<Slot> = self.activities.iter().filter(done).map(|activity| activity.slot).collect();
        for slot in idle {
            self.retire(slot);
        }
        self.in_order(self.activities.iter().filter(|activity| activity.awake.is_some()).map(|activity| activity.slot))
    }

    #[inline]
    pub(super) fn activity_at(&self, slot: Slot) -> Option<&Activity> {
        self.activities.get(self.entries[slot.index()].activity as usize)
    }

    /// The chunk's activity, made if there is none.
    #[inline]
    fn activate(&mut self, slot: Slot) -> &mut Activity {
        if self.entries[slot.index()].activity == NO_ACTIVITY {
            self.begin(slot);
        }
        &mut self.activities[self.entries[slot.index()].activity as usize]
    }

    #[cold]
    fn begin(&mut self, slot: Slot) {
        let neighbours = self.find_neighbours(self.position_at(slot));
        // There is one activity for a slot at most, so their number is a slot's index at most.
        self.entries[slot.index()].activity = self.activities.len() as u32;
        self.activities.push(Activity { slot, neighbours, awake: None, changed: None });
    }

    /// Drops the chunk's activity, if it has one.
    pub(super) fn retire(&mut self, slot: Slot) {
        let activity = core::mem::replace(&mut self.entries[slot.index()].activity, NO_ACTIVITY);
        if activity != NO_ACTIVITY {
            self.activities.swap_remove(activity as usize);
            if let Some(moved) = self.activities.get(activity as usize) {
                self.entries[moved.slot.index()].activity = activity;
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
                let activity = self.entries[neighbour.index()].activity;
                if let Some(activity) = self.activities.get_mut(activity as usize) {
                    activity.neighbours[face.opposite().index()] = slot;
                }
            }
        }
    }

    /// Checks what the functions of this file keep true.
    pub(super) fn validate_activities(&self) -> Result<(), GridFault> {
        for (index, activity) in self.activities.iter().enumerate() {
            let position = self.position_at(activity.slot);
            if self.entries[activity.slot.index()].activity as usize != index
                || self.slot(position) != Some(activity.slot)
            {
                return Err(GridFault::Activity(position));
            }
            for face in Face::ALL {
                if activity.neighbours[face.index()] != self.find_neighbour(position, face) {
                    return Err(GridFault::Link(position, face));
                }
            }
        }
        let stray = self
            .entries
            .iter()
            .find(|entry| entry.activity != NO_ACTIVITY && entry.activity as usize >= self.activities.len());
        stray.map_or(Ok(()), |entry| Err(GridFault::Activity(entry.position)))
    }
}
