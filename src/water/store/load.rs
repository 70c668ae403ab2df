//! Chunks that come and go, and what is made beside them when they do.

use super::ends::mark;
use super::masks::LayerMasks;
use super::{Beside, Rarities, Store};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::voxel::Voxel;
use glam::IVec3;
use smallvec::SmallVec;

impl Store {
    /// Puts a chunk where none is. Cells beyond the bounds become marks; the masks and outlets are made.
    pub(in crate::water) fn insert(&mut self, position: IVec3, mut chunk: Chunk<Voxel>) -> Option<Slot> {
        let region = Cube::region_of(position);
        let has_marks = (0..CHUNK_CELLS).any(|index| chunk.get(index).is_outside());
        if self.bounds.intersection(&region) != Some(region) || has_marks {
            let cells = chunk.cells_mut();
            for (index, voxel) in cells.iter_mut().enumerate() {
                if let Some(face) = self.face_beyond(Cube::cell_at(position, index)) {
                    *voxel = mark(self.edges.outer[face.index()]);
                } else if voxel.is_outside() {
                    *voxel = Voxel::OPEN;
                }
            }
            chunk.canonicalize();
        }
        let masks = chunk.as_dense().map(|cells| Box::new(LayerMasks::of(cells)));
        let mut sources = SmallVec::new();
        if let Some(cells) = chunk.as_dense() {
            let is_source = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::IS_SOURCE);
            sources = (0..CHUNK_CELLS).filter(|&index| is_source(&cells[index])).map(|index| index as u16).collect();
        }
        if let Some(voxel) = chunk.as_uniform()
            && !voxel.is_mark()
            && voxel.has(CellFlags::IS_SOURCE)
        {
            sources = (0..CHUNK_CELLS as u16).collect();
        }
        self.grid.insert(position, chunk).ok()?;
        let slot = self.grid.slot(position)?;
        if self.beside.len() < self.grid.slot_capacity() {
            self.beside.resize_with(self.grid.slot_capacity(), Beside::default);
        }
        self.count_sources(slot, &sources, true);
        let neighbours = self.grid.neighbours_of(slot);
        let rarities = Rarities { outlets: CellMask::EMPTY, sources }.boxed();
        self.beside[slot.index()] = Beside { masks, rarities, extras: None, neighbours };
        self.refresh_outlets(slot);
        self.link(slot, slot);
        Some(slot)
    }

    /// Takes a chunk out. Marks of the world's end come back as open cells.
    pub(in crate::water) fn remove(&mut self, position: IVec3) -> Option<Chunk<Voxel>> {
        let slot = self.grid.slot(position)?;
        let sources = SmallVec::<[u16; 4]>::from_slice(self.sources(slot));
        self.count_sources(slot, &sources, false);
        let mut chunk = self.grid.remove(position)?;
        self.link(slot, Slot::NONE);
        self.beside[slot.index()] = Beside::default();
        if chunk.as_dense().is_some_and(|cells| cells.iter().any(|voxel| voxel.is_outside())) {
            for voxel in chunk.cells_mut().iter_mut().filter(|voxel| voxel.is_outside()) {
                *voxel = Voxel::OPEN;
            }
            chunk.canonicalize();
        }
        Some(chunk)
    }

    /// Tells the neighbours of a chunk what lies there now: the chunk itself or [`Slot::NONE`].
    fn link(&mut self, slot: Slot, there: Slot) {
        for face in Face::ALL {
            let neighbour = self.neighbour(slot, face);
            if neighbour.is_some() {
                self.beside[neighbour.index()].neighbours[face.opposite().index()] = there;
                self.refresh_outlets(neighbour);
            }
        }
    }

    /// The masks, outlets and sources as they should be, compared with what is kept: `false` on any difference.
    pub(in crate::water) fn beside_is_true(&self, slot: Slot) -> bool {
        let chunk = self.grid.chunk_at(slot);
        let beside = &self.beside[slot.index()];
        let sources = (0..CHUNK_CELLS as u16).filter(|&index| {
            let voxel = chunk.get(index as usize);
            !voxel.is_mark() && voxel.has(CellFlags::IS_SOURCE)
        });
        let rarities = Rarities { outlets: self.outlets_of(slot), sources: sources.collect() };
        beside.masks.as_deref() == chunk.as_dense().map(LayerMasks::of).as_ref()
            && beside.rarities == rarities.boxed()
            && beside.neighbours == self.grid.neighbours_of(slot)
    }
}
