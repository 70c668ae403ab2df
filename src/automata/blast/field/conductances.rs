//! The conductances of a chunk's links: coefficient times weight, 0 where no pressure passes. They
//! follow from weights and removed cells, are computed for whole chunks when a step needs them, and
//! are kept until the ground there changes.

use super::flows::{Conductances, Planes};
use super::space::{Beyond, axis, inner_step, is_positive, outermost, plane_cells};
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;

impl<S: BlastShape> BlastWorld<S> {
    /// Returns the conductance of a link of a loaded chunk.
    pub(crate) fn conductance_at(&self, slot: Slot, index: usize, face: Face) -> f32 {
        match &self.states[slot.index()].conductances {
            Conductances::Unknown => {
                self.conductance(S::cell_at(self.pressure.position_at(slot), index), face)
            }
            Conductances::Uniform => self.unit_conductance(),
            Conductances::Weighted(planes) => planes[face.index()][index],
        }
    }

    /// Computes the conductances of a chunk's links, if they are unknown.
    pub(crate) fn ensure_conductances(&mut self, slot: Slot) {
        if let Conductances::Unknown = self.states[slot.index()].conductances {
            self.states[slot.index()].conductances = self.compute_conductances(slot);
        }
    }

    /// Computes the conductances of a chunk's links from weights and removed cells.
    pub(crate) fn compute_conductances(&self, slot: Slot) -> Conductances {
        let chunk = self.pressure.position_at(slot);
        let is_plain = |there: ChunkPos| {
            self.pressure.slot(there).is_none_or(|slot| self.ground(slot).is_none())
        };
        let is_whole = |&face: &Face| {
            let side = self.space.side::<S>(chunk, face);
            // The conductance at a rigid border is irrelevant, as each cell's own pressure is
            // mirrored.
            side.plane == outermost::<S>(face)
                && !matches!(side.beyond, Beyond::There(there) if !is_plain(there))
        };
        if is_plain(chunk) && Self::FACES.iter().all(is_whole) {
            return Conductances::Uniform;
        }
        let mut planes = self.inner_conductances(slot);
        for &face in Self::FACES {
            self.put_outer_conductances(slot, face, &mut planes[face.index()]);
        }
        if !self.space.has_all_of::<S>(chunk) {
            let is_inside = |index| self.space.bounds.contains(S::cell_at(chunk, index));
            for index in (0..CHUNK_CELLS).filter(|&index| !is_inside(index)) {
                planes.iter_mut().for_each(|plane| plane[index] = 0.0);
            }
        }
        let whole = self.unit_conductance();
        let is_whole = planes.iter().all(|plane| plane.iter().all(|&link| link == whole));
        if is_whole { Conductances::Uniform } else { Conductances::Weighted(planes) }
    }

    /// Returns the conductances of the links inside a chunk. The values for links to other chunks
    /// are meaningless.
    fn inner_conductances(&self, slot: Slot) -> Planes {
        let whole = self.unit_conductance();
        let Some(ground) = self.ground(slot) else {
            return vec![[whole; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice();
        };
        let mut open = [1.0; CHUNK_CELLS];
        ground.solid.iter().for_each(|index| open[index] = 0.0);
        let mut planes = vec![[0.0; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice();
        for &face in Self::FACES {
            let (stride, plane) = (S::STRIDES[axis(face)], &mut planes[face.index()]);
            let (from, there) = if is_positive(face) { (0, stride) } else { (stride, 0) };
            let ends = open[from..].iter().zip(&open[there..]);
            plane[from..]
                .iter_mut()
                .zip(ends)
                .for_each(|(link, ends)| *link = whole * ends.0 * ends.1);
        }
        for (&(along, index), &weight) in &ground.weights {
            let conductance = (self.rules.rule.coefficient() * f64::from(weight)) as f32;
            let (low, high) = (2 * along, 2 * along + 1);
            if let Some(there) = inner_step::<S>(index, Face::ALL[high]) {
                let link = conductance * open[index] * open[there];
                (planes[high][index], planes[low][there]) = (link, link);
            }
        }
        planes
    }

    /// Sets the conductances of the links at a face of a chunk, or at the edge of the world within
    /// it.
    fn put_outer_conductances(&self, slot: Slot, face: Face, plane: &mut [f32; CHUNK_CELLS]) {
        let side = self.space.side::<S>(self.pressure.position_at(slot), face);
        let neighbours = self.pressure.neighbours_of(slot);
        let there = self.slot_behind(&neighbours, face, &side);
        for index in plane_cells::<S>(axis(face), side.plane) {
            plane[index] = match side.beyond {
                Beyond::Rigid => 0.0,
                Beyond::Open if self.is_removed_at(Some((slot, index))) => 0.0,
                Beyond::Open => self.unit_conductance(),
                Beyond::There(_) => {
                    let beyond = self.index_behind(index, face, side.is_border);
                    let there = there.is_some().then_some((there, beyond));
                    self.conductance_between(Some((slot, index)), there, face)
                }
            };
        }
    }

    /// Returns the index of the cell across a face of a chunk or, at a border, across the border.
    fn index_behind(&self, index: usize, face: Face, is_border: bool) -> usize {
        let axis = axis(face);
        let plane = match is_border {
            true => self.space.opposite_plane::<S>(face),
            false => outermost::<S>(face.opposite()),
        };
        let local = (index / S::STRIDES[axis]) & ((1 << S::BITS[axis]) - 1);
        index + plane * S::STRIDES[axis] - local * S::STRIDES[axis]
    }

    /// Recomputes the conductances of a cell's links, at both ends. Ends the flows over links that
    /// no longer conduct.
    pub(crate) fn update_links(&mut self, cell: IVec3) {
        self.update_conductances(cell);
        for &face in Self::FACES {
            if self.conductance(cell, face) == 0.0 {
                self.scale_flow(cell, face, 0.0);
            }
        }
    }

    /// Recomputes the conductances of a cell's links, at both ends.
    pub(crate) fn update_conductances(&mut self, cell: IVec3) {
        for &face in Self::FACES {
            let conductance = self.conductance(cell, face);
            self.set_conductance(self.place(cell), face, conductance);
            if let Beyond::There(there) = self.space.beyond_cell::<S>(cell, face) {
                self.set_conductance(self.place(there), face.opposite(), conductance);
            }
        }
    }

    /// Clears the conductances of a chunk after a change of its ground. Recomputes those of its
    /// neighbours at the common faces.
    pub(crate) fn renew_conductances(&mut self, slot: Slot, changed: &CellMask) {
        self.states[slot.index()].conductances = Conductances::Unknown;
        let position = self.pressure.position_at(slot);
        for (face, there) in self.chunks_behind(slot) {
            if matches!(self.states[there.index()].conductances, Conductances::Unknown) {
                continue;
            }
            let side = self.space.side::<S>(position, face);
            for index in plane_cells::<S>(axis(face), side.plane).filter(|&at| changed.contains(at))
            {
                let beyond = (there, self.index_behind(index, face, side.is_border));
                let conductance = self.conductance_between(Some((slot, index)), Some(beyond), face);
                self.set_conductance(Some(beyond), face.opposite(), conductance);
            }
        }
    }

    fn set_conductance(&mut self, place: Option<(Slot, usize)>, face: Face, conductance: f32) {
        let whole = self.unit_conductance();
        let Some((slot, index)) = place else { return };
        let conductances = &mut self.states[slot.index()].conductances;
        if matches!(conductances, Conductances::Uniform) && conductance != whole {
            *conductances = Conductances::Weighted(
                vec![[whole; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice(),
            );
        }
        if let Conductances::Weighted(planes) = conductances {
            planes[face.index()][index] = conductance;
        }
    }
}
