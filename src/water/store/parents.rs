//! Further parents, as a snapshot writes and reads them.

use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

impl Store {
    /// The chunk's cells with more than one parent, by index, with the faces behind which they lie,
    /// by bit.
    pub(crate) fn further_parents(&self, slot: Slot) -> Vec<(u16, u8)> {
        let several = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        let chunk = self.grid.chunk_at(slot);
        if chunk.as_uniform().is_some_and(|voxel| !several(&voxel)) {
            return Vec::new();
        }
        let faces = |index: u16| (index, self.parents_of(Place::new(slot, usize::from(index))));
        (0..CHUNK_CELLS as u16)
            .filter(|&index| several(&chunk.get(usize::from(index))))
            .map(faces)
            .collect()
    }

    /// Enters the parents of a cell with the Extra flag; `false` if it has none, or fewer than two
    /// are given.
    pub(crate) fn restore_parents(&mut self, place: Place, faces: u8) -> bool {
        let voxel = self.read(place);
        let fits = !voxel.is_mark()
            && voxel.has(CellFlags::EXTRA)
            && faces < 1 << 6
            && faces.count_ones() > 1;
        if fits {
            self.keep_parents(place, faces, voxel);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Face;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use glam::IVec3;

    #[test]
    fn only_two_faces_or_more_of_a_cell_with_the_flag_are_entered() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
        let flagged = Voxel::OPEN
            .with_height(3)
            .with_direction(Some(Face::West))
            .with(CellFlags::EXTRA, true);
        // A mark that has the bit of the flag.
        let mark = Voxel::from_raw(Voxel::SOLID.word() | CellFlags::EXTRA.bits());
        for (index, voxel) in
            [flagged, flagged.with(CellFlags::EXTRA, false), mark].into_iter().enumerate()
        {
            store.write(Place { slot, index }, voxel);
        }
        for faces in 0..=u8::MAX {
            let fits = faces < 64 && faces.count_ones() > 1;
            assert_eq!(store.restore_parents(Place::new(slot, 0), faces), fits, "{faces:#b}");
            assert!(
                !store.restore_parents(Place::new(slot, 1), faces)
                    && !store.restore_parents(Place::new(slot, 2), faces)
            );
            let entered = store.further_parents(slot);
            assert!(
                if fits { entered == [(0, faces)] } else { entered.len() == 1 },
                "{faces:#b}: {entered:?}"
            );
        }
        store.remove(IVec3::ZERO);
        let slot = store.insert(IVec3::ZERO, Chunk::uniform(flagged)).expect("none is there");
        assert!(store.restore_parents(Place::new(slot, 4095), 0b11));
        assert_eq!(store.further_parents(slot).len(), 4096);
    }
}
