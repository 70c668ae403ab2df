//! Awake and changed cells by position: the public functions over `activity.rs`.

use super::activity::Activity;
use super::{Grid, GridError, Slot};
use crate::chunk::CellMask;
use crate::coords::{ChunkPos, Shape};
use glam::IVec3;

/// # Awake and changed cells
///
/// Two sets of cells are stored beside the cells' values. [`set`](Grid::set), [`fill`](Grid::fill),
/// [`copy_in`](Grid::copy_in) and [`insert`](Grid::insert) never add cells to these sets: the rules
/// above the grid decide which cells an edit wakes. Removing a chunk removes its cells from both
/// sets.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// Wakes a cell. Returns whether it was asleep.
    ///
    /// # Errors
    /// [`GridError::NoChunk`] if the cell's chunk is missing.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, Grid, GridError, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// assert_eq!(grid.wake(IVec3::ZERO), Err(GridError::NoChunk(ChunkPos::ZERO)));
    /// grid.set(IVec3::ZERO, 1);
    /// assert_eq!(grid.wake(IVec3::ZERO), Ok(true));
    /// assert_eq!(grid.wake(IVec3::ZERO), Ok(false));
    /// assert_eq!(grid.awake_cells(), 1);
    /// ```
    pub fn wake(&mut self, position: IVec3) -> Result<bool, GridError> {
        self.locate(position).map(|(slot, index)| self.wake_at(slot, index))
    }

    /// Puts a cell to sleep. Returns whether it was awake.
    pub fn sleep(&mut self, position: IVec3) -> bool {
        let Ok((slot, index)) = self.locate(position) else { return false };
        let Some(mask) = self.awake_at_mut(slot) else { return false };
        let was_awake = mask.remove(index);
        if mask.is_empty() {
            self.drop_sleepers();
        }
        was_awake
    }

    /// Returns whether the cell is awake.
    pub fn is_awake(&self, position: IVec3) -> bool {
        let Ok((slot, index)) = self.locate(position) else { return false };
        self.awake_at(slot).is_some_and(|mask| mask.contains(index))
    }

    /// Returns the number of awake cells.
    pub fn awake_cells(&self) -> usize {
        self.awake.iter().filter_map(|&slot| self.awake_at(slot)).map(CellMask::len).sum()
    }

    /// Returns the awake cells of each chunk that has any, with its chunk position, in order of
    /// position.
    pub fn awake_chunks(&self) -> impl Iterator<Item = (ChunkPos, &CellMask)> {
        self.masks(&self.awake, |activity| activity.awake.as_deref())
    }

    /// Puts every cell to sleep. Returns the cells that were awake, by chunk, in order of position.
    pub fn take_awake(&mut self) -> Vec<(ChunkPos, CellMask)> {
        let slots = core::mem::take(&mut self.awake);
        self.take(slots, |activity| &mut activity.awake)
    }

    /// Marks a cell as changed. Returns whether it was unmarked.
    ///
    /// # Errors
    /// [`GridError::NoChunk`] if the cell's chunk is missing.
    pub fn mark_changed(&mut self, position: IVec3) -> Result<bool, GridError> {
        self.locate(position).map(|(slot, index)| self.mark_changed_at(slot, index))
    }

    /// Returns the changed cells of each chunk that has any, with its chunk position, in order of
    /// position.
    pub fn changed_chunks(&self) -> impl Iterator<Item = (ChunkPos, &CellMask)> {
        self.masks(&self.changed, |activity| activity.changed.as_deref())
    }

    /// Clears all marks of changed cells. Returns the cells that were marked, by chunk, in order of
    /// position.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Cube, Grid, glam::IVec3};
    /// let mut grid = Grid::<u16, Cube>::new(0);
    /// grid.set(IVec3::new(3, 0, -1), 1);
    /// grid.mark_changed(IVec3::new(3, 0, -1))?;
    /// let changes = grid.take_changes();
    /// assert_eq!(changes.len(), 1);
    /// assert_eq!(changes[0].0, ChunkPos::new(0, 0, -1));
    /// assert_eq!(changes[0].1.iter().collect::<Vec<_>>(), [15 * 16 + 3]);
    /// assert!(grid.take_changes().is_empty());
    /// # Ok::<(), floodplain::GridError>(())
    /// ```
    pub fn take_changes(&mut self) -> Vec<(ChunkPos, CellMask)> {
        let slots = core::mem::take(&mut self.changed);
        self.take(slots, |activity| &mut activity.changed)
    }

    /// Returns the slot and the local index of a cell.
    fn locate(&self, position: IVec3) -> Result<(Slot, usize), GridError> {
        let chunk = S::chunk_of(position);
        self.slot(chunk).map(|slot| (slot, S::index_of(position))).ok_or(GridError::NoChunk(chunk))
    }

    fn masks<'g>(
        &'g self,
        slots: &[Slot],
        pick: fn(&Activity) -> Option<&CellMask>,
    ) -> impl Iterator<Item = (ChunkPos, &'g CellMask)> + use<'g, T, S> {
        let mut slots = slots.to_vec();
        slots.retain(|&slot| !self.is_ghost_at(slot));
        self.sort_slots(&mut slots);
        let mask_at =
            move |slot| self.activity_at(slot).and_then(pick).filter(|mask| !mask.is_empty());
        slots.into_iter().filter_map(move |slot| Some((self.position_at(slot), mask_at(slot)?)))
    }

    fn take(
        &mut self,
        mut slots: Vec<Slot>,
        pick: fn(&mut Activity) -> &mut Option<Box<CellMask>>,
    ) -> Vec<(ChunkPos, CellMask)> {
        self.sort_slots(&mut slots);
        let mut taken = Vec::with_capacity(slots.len());
        for slot in slots {
            let (position, is_ghost) = (self.position_at(slot), self.is_ghost_at(slot));
            let activity = self.activate(slot);
            let activity = &mut self.activities[activity];
            let mask = pick(activity).take().filter(|_| !is_ghost);
            activity.is_wholly_awake &= activity.awake.is_some();
            taken.extend(mask.filter(|mask| !mask.is_empty()).map(|mask| (position, *mask)));
            self.retire_if_idle(slot);
        }
        taken
    }
}
