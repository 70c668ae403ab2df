//! The end of the world as its chunks see it: the marks beyond, and the cells that drain into them.

use super::{Rarities, Store};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Cube, Face, Shape};
use crate::grid::Slot;
use crate::water::rules::Edge;
use crate::water::voxel::Voxel;
use glam::IVec3;

impl Store {
    /// The mark that stands in for the missing chunk across `face` of the chunk at `slot`.
    pub(in crate::water) fn beyond(&self, slot: Slot, face: Face) -> Voxel {
        let chunk = self.grid.position_at(slot) + face.offset();
        let inside = Cube::holds_chunk(chunk) && self.bounds.intersection(&Cube::region_of(chunk)).is_some();
        mark(if inside { self.edges.unloaded } else { self.edges.outer[face.index()] })
    }

    /// Cells of the chunk with a draining neighbour below or at a side.
    #[inline]
    pub(in crate::water) fn outlets(&self, slot: Slot) -> Option<&CellMask> {
        self.beside[slot.index()].rarities.as_ref().map(|rarities| &rarities.outlets)
    }

    /// The outer face beyond which a cell lies; down first, so that a draining floor goes on under the sides.
    pub(super) fn face_beyond(&self, cell: IVec3) -> Option<Face> {
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let beyond = [
            (cell.y < min.y, Face::Down),
            (cell.y > max.y, Face::Up),
            (cell.x < min.x, Face::West),
            (cell.x > max.x, Face::East),
            (cell.z < min.z, Face::North),
            (cell.z > max.z, Face::South),
        ];
        beyond.into_iter().find(|&(outside, _)| outside).map(|(_, face)| face)
    }

    pub(super) fn refresh_outlets(&mut self, slot: Slot) {
        let outlets = self.outlets_of(slot);
        let beside = &mut self.beside[slot.index()];
        let rarities = beside.rarities.take().map(|rarities| *rarities).unwrap_or_default();
        beside.rarities = Rarities { outlets, ..rarities }.boxed();
    }

    pub(super) fn outlets_of(&self, slot: Slot) -> CellMask {
        let drains = [Face::Down, Face::West, Face::East, Face::North, Face::South];
        let mut outlets = CellMask::EMPTY;
        for face in drains {
            if !self.neighbour(slot, face).is_some() && self.beyond(slot, face) != Voxel::DRAIN {
                continue;
            }
            for index in border_cells(face) {
                if self.look((slot, index), face) == Voxel::DRAIN {
                    outlets.insert(index);
                }
            }
        }
        let region = Cube::region_of(self.grid.position_at(slot));
        if self.bounds.intersection(&region) != Some(region) {
            for index in 0..CHUNK_CELLS {
                if drains.into_iter().any(|face| self.look((slot, index), face) == Voxel::DRAIN) {
                    outlets.insert(index);
                }
            }
        }
        outlets
    }
}

/// The local indices of a cube's 256 cells along a face.
pub(in crate::water) fn border_cells(face: Face) -> impl Iterator<Item = usize> {
    let axis = face.index() >> 1;
    let fixed = if face.index() & 1 == 0 { 0 } else { 15 * Cube::STRIDES[axis] };
    let [first, second] = match axis {
        0 => [Cube::STRIDES[2], Cube::STRIDES[1]],
        1 => [Cube::STRIDES[0], Cube::STRIDES[2]],
        _ => [Cube::STRIDES[0], Cube::STRIDES[1]],
    };
    (0..16).flat_map(move |b| (0..16).map(move |a| fixed + a * first + b * second))
}

pub(super) fn mark(edge: Edge) -> Voxel {
    match edge {
        Edge::Wall => Voxel::WALL,
        Edge::Drain => Voxel::DRAIN,
        Edge::Held => Voxel::HELD,
    }
}
