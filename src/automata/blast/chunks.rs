//! Loading and unloading whole chunks of pressures. A refused edit changes nothing.

use super::edit::POSITIVE_ZERO;
use super::error::EditError;
use super::field::ChunkState;
use super::field::space::{Beyond, axis, is_positive, plane_cells};
use super::ledger::sums_by_sign;
use super::{BlastShape, BlastWorld};
use crate::automata::blast::field::conductances::update_links;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face, Region};
use crate::grid::Slot;
use glam::IVec3;

impl<S: BlastShape> BlastWorld<S> {
    /// Loads a chunk of pressures. Cells beyond the bounds are ignored. The ledger counts pressures
    /// as placed, and pressures below 0 as removed.
    ///
    /// # Errors
    /// There is a chunk already, or the chunk lies outside the world; a pressure out of range, even
    /// beyond the bounds.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        mut chunk: Chunk<f32>,
    ) -> Result<(), EditError> {
        if self.pressure.slot(position).is_some() {
            return Err(EditError::ChunkPresent(position));
        }
        let bounds = self.space.bounds;
        let inside = self.inside_of(position)?;
        let is_wrong = |value: f32| !self.rules.rule.admits(f64::from(value));
        let wrong = match chunk.as_dense() {
            Some(cells) => cells.iter().position(|&value| is_wrong(value)),
            None => is_wrong(chunk.get(0)).then_some(0),
        };
        if let Some(index) = wrong {
            return Err(EditError::Pressure {
                cell: S::cell_at(position, index),
                value: chunk.get(index),
            });
        }
        let is_whole = inside == S::region_of(position);
        for (index, pressure) in chunk.cells_mut().iter_mut().enumerate() {
            let is_inside = is_whole || bounds.contains(S::cell_at(position, index));
            *pressure = if is_inside { *pressure + POSITIVE_ZERO } else { POSITIVE_ZERO };
        }
        let slot = self.add_chunk(position, chunk);
        self.states[slot.index()].is_unreported = false;
        self.states[slot.index()].is_audible = self.reaches_threshold(slot);
        let signed = sums_by_sign(self.pressure.chunk_at(slot));
        self.books.place(signed);
        self.wake_with_neighbours(slot);
        Ok(())
    }

    /// Unloads a chunk and returns its pressures, which the ledger counts as removed, and pressures
    /// below 0 as placed. Its walls, removed cells and weights are forgotten: it becomes open space
    /// at pressure 0.
    ///
    /// # Errors
    /// There is no such chunk; a cell next to it would become unstable, since the links that belong
    /// to the chunk fall back to weight 1.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<Chunk<f32>, EditError> {
        let slot = self.pressure.slot(position).ok_or(EditError::ChunkAbsent(position))?;
        self.check_removal(position, slot)?;
        self.wake_with_neighbours(slot);
        self.end_flows_into(slot);
        self.states[slot.index()] = ChunkState::default();
        let chunk = self.pressure.remove(position).ok_or(EditError::ChunkAbsent(position))?;
        self.books.remove(sums_by_sign(&chunk));
        for &face in Self::FACES {
            let side = self.space.side::<S>(position, face);
            for index in plane_cells::<S>(axis(face), side.plane) {
                let cell = S::cell_at(position, index);
                if let (true, Beyond::There(there)) =
                    (self.space.bounds.contains(cell), self.space.beyond_cell::<S>(cell, face))
                {
                    update_links(self, there);
                }
            }
        }
        Ok(chunk)
    }

    /// Returns the cells of a chunk that belong to the world.
    pub(super) fn inside_of(&self, position: ChunkPos) -> Result<Region, EditError> {
        S::holds_chunk(position)
            .then(|| self.space.bounds.intersection(&S::region_of(position)))
            .flatten()
            .ok_or(EditError::ChunkOutOfBounds(position))
    }

    /// Checks that every cell next to a chunk stays stable if the chunk's own links fall back to
    /// weight 1.
    fn check_removal(&self, position: ChunkPos, slot: Slot) -> Result<(), EditError> {
        if self.ground(slot).is_none() {
            return Ok(());
        }
        let is_owned = |cell: IVec3, face: Face| match self.space.beyond_cell::<S>(cell, face) {
            Beyond::There(there) => {
                S::chunk_of(if is_positive(face) { cell } else { there }) == position
            }
            _ => false,
        };
        for &face in Self::FACES {
            let side = self.space.side::<S>(position, face);
            for index in plane_cells::<S>(axis(face), side.plane) {
                let Beyond::There(there) =
                    self.space.beyond_cell::<S>(S::cell_at(position, index), face)
                else {
                    continue;
                };
                let weight = |&face: &Face| {
                    if is_owned(there, face) { 1.0 } else { self.weight(there, face) }
                };
                let weights: f64 = Self::FACES.iter().map(|face| f64::from(weight(face))).sum();
                if S::chunk_of(there) != position && !self.rules.rule.is_stable(weights) {
                    return Err(EditError::Unstable {
                        cell: there,
                        weights,
                        limit: self.rules.rule.limit(),
                    });
                }
            }
        }
        Ok(())
    }
}
