//! Further parents, as a snapshot writes and reads them.

use super::{Place, Store};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::voxel::Voxel;

impl Store {
    /// The chunk's cells with more than one parent, by index, with the faces behind which they lie, by bit.
    pub(in crate::water) fn further_parents(&self, slot: Slot) -> Vec<(u16, u8)> {
        let several = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        let chunk = self.grid.chunk_at(slot);
        if chunk.as_uniform().is_some_and(|voxel| !several(&voxel)) {
            return Vec::new();
        }
        let faces = |index: u16| (index, self.parents_of((slot, usize::from(index))));
        (0..CHUNK_CELLS as u16).filter(|&index| several(&chunk.get(usize::from(index)))).map(faces).collect()
    }

    /// Enters the parents of a cell with the Extra flag; `false` if it has none, or fewer than two are given.
    pub(in crate::water) fn restore_parents(&mut self, place: Place, faces: u8) -> bool {
        let voxel = self.read(place);
        let fits = !voxel.is_mark() && voxel.has(CellFlags::EXTRA) && faces < 1 << 6 && faces.count_ones() > 1;
        if fits {
            self.keep_parents(place, faces, voxel);
        }
        fits
    }
}
