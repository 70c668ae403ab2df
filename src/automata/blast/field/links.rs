//! The links of cells: their weights, their conductances, and the chunks at their ends.

use super::flows::Conductances;
use super::highest;
use super::space::{Beyond, Side, axis, is_positive};
use crate::automata::blast::{BlastShape, BlastWorld, ChunkState, Ground};
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;
use smallvec::SmallVec;

/// A link as seen from one of its cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) beyond: Beyond<IVec3>,
    /// The place of the cell beyond, if there is one and its chunk is loaded.
    pub(crate) there: Option<(Slot, usize)>,
    /// The weight: 1 across an open border, 0 at a rigid border, regardless of removed cells.
    pub(crate) weight: f32,
    /// The conductance: 0 if either end is removed.
    pub(crate) conductance: f32,
}

impl<S: BlastShape> BlastWorld<S> {
    /// Returns whether a cell is removed, regardless of the bounds.
    pub(crate) fn is_removed(&self, cell: IVec3) -> bool {
        self.is_removed_at(self.place(cell))
    }

    pub(crate) fn is_removed_at(&self, place: Option<(Slot, usize)>) -> bool {
        let ground = place.and_then(|(slot, index)| Some((self.ground(slot)?, index)));
        ground.is_some_and(|(ground, index)| ground.solid.contains(index))
    }

    /// Returns the link behind a face of a cell, whose place is `here` if its chunk is loaded.
    /// Cells beyond the bounds have no links.
    pub(crate) fn link_of(&self, cell: IVec3, here: Option<(Slot, usize)>, face: Face) -> Link {
        if !self.space.bounds.contains(cell) {
            return Link { beyond: Beyond::Rigid, there: None, weight: 0.0, conductance: 0.0 };
        }
        let beyond = self.space.beyond_cell::<S>(cell, face);
        let there = match beyond {
            Beyond::There(there) => match here {
                Some((slot, _)) if S::chunk_of(there) == S::chunk_of(cell) => {
                    Some((slot, S::index_of(there)))
                }
                _ => self.place(there),
            },
            Beyond::Rigid | Beyond::Open => None,
        };
        let weight = match beyond {
            Beyond::Rigid => 0.0,
            Beyond::Open => 1.0,
            Beyond::There(_) => self.weight_between(here, there, face),
        };
        let conductance = self.conductance_of(weight, here, there);
        Link { beyond, there, weight, conductance }
    }

    /// Returns the weight of the link across a face, from the cell `here` to the cell `there`; each
    /// is `None` if its chunk is not loaded. The weight is kept with the cell at the smaller
    /// coordinate.
    fn weight_between(
        &self,
        here: Option<(Slot, usize)>,
        there: Option<(Slot, usize)>,
        face: Face,
    ) -> f32 {
        let keeper = if is_positive(face) { here } else { there };
        keeper
            .and_then(|(slot, index)| Some(self.ground(slot)?.weight(axis(face), index)))
            .unwrap_or(1.0)
    }

    /// Returns the conductance of a link of this weight between two cells, 0 if either cell is
    /// removed.
    fn conductance_of(
        &self,
        weight: f32,
        here: Option<(Slot, usize)>,
        there: Option<(Slot, usize)>,
    ) -> f32 {
        let is_open = !self.is_removed_at(here) && !self.is_removed_at(there);
        if is_open { (self.rules.rule.coefficient() * f64::from(weight)) as f32 } else { 0.0 }
    }

    /// Returns the conductance of the link across a face, from the cell `here` to the cell `there`;
    /// each is `None` if its chunk is not loaded.
    pub(crate) fn conductance_between(
        &self,
        here: Option<(Slot, usize)>,
        there: Option<(Slot, usize)>,
        face: Face,
    ) -> f32 {
        self.conductance_of(self.weight_between(here, there, face), here, there)
    }

    /// Returns the weight of the link behind a face of a cell of the world.
    pub(crate) fn weight(&self, cell: IVec3, face: Face) -> f32 {
        self.link_of(cell, self.place(cell), face).weight
    }

    /// Returns the conductance of the link behind a face of a cell.
    pub(crate) fn conductance(&self, cell: IVec3, face: Face) -> f32 {
        self.link_of(cell, self.place(cell), face).conductance
    }

    /// Returns the loaded chunks behind a chunk's faces into which pressure may pass.
    pub(crate) fn chunks_behind(&self, slot: Slot) -> SmallVec<[(Face, Slot); 6]> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let are_parted = !self.space.still.is_empty();
        let behind = |&face: &Face| match neighbours[face.index()] {
            neighbour if neighbour.is_some() && !are_parted => neighbour,
            _ => self.slot_behind(&neighbours, face, &self.space.side::<S>(chunk, face)),
        };
        Self::FACES
            .iter()
            .map(|face| (*face, behind(face)))
            .filter(|(_, there)| there.is_some())
            .collect()
    }

    /// Returns the chunk behind a side of a chunk with these grid neighbours: one of the
    /// neighbours, or the chunk across a periodic border. Returns [`Slot::NONE`] if there is no
    /// such chunk or it is not loaded.
    pub(crate) fn slot_behind(&self, neighbours: &[Slot; 6], face: Face, side: &Side) -> Slot {
        match side.beyond {
            Beyond::There(there) if side.is_border => {
                self.pressure.slot(there).unwrap_or(Slot::NONE)
            }
            Beyond::There(_) => neighbours[face.index()],
            Beyond::Rigid | Beyond::Open => Slot::NONE,
        }
    }

    /// Returns a chunk's slot; creates the chunk at pressure 0 if it is missing.
    pub(crate) fn ensure_chunk(&mut self, chunk: ChunkPos) -> Slot {
        match self.pressure.slot(chunk) {
            Some(slot) => slot,
            None => self.add_chunk(chunk, Chunk::uniform(0.0)),
        }
    }

    /// Adds a chunk that is not loaded and has cells inside the bounds. The chunk is asleep.
    pub(crate) fn add_chunk(&mut self, position: ChunkPos, chunk: Chunk<f32>) -> Slot {
        let highest = highest(&chunk);
        let is_at_zero = chunk.as_uniform() == Some(0.0);
        let ghost_is_blank = self.pressure.is_foreign(position).then_some(is_at_zero);
        self.pressure
            .insert(position, chunk)
            .expect("a chunk with cells in the world has i32 positions");
        let slot = self.pressure.slot(position).expect("inserted above");
        if self.states.len() <= slot.index() {
            self.states.resize_with(slot.index() + 1, ChunkState::default);
        }
        self.states[slot.index()] =
            ChunkState { highest, is_unreported: true, ghost_is_blank, ..ChunkState::default() };
        self.rims.invalidate(slot);
        if self.space.still.contains(&position) {
            self.pressure.shelve(&[slot]);
        }
        slot
    }

    /// Multiplies the flow over a link by `part`, at both ends.
    pub(crate) fn scale_flow(&mut self, cell: IVec3, face: Face, part: f32) {
        let there = match self.space.beyond_cell::<S>(cell, face) {
            Beyond::There(there) => Some((there, face.opposite())),
            Beyond::Open | Beyond::Rigid => None,
        };
        // Both ends of a link may be stored as one number, so both are read before either is
        // written.
        let flows = [Some((cell, face)), there].map(|end| {
            let (cell, face) = end?;
            let (slot, index) = self.place(cell)?;
            let flow = self.states[slot.index()].flows.as_ref()?.at::<S>(face, index);
            (flow != 0.0).then_some((slot, face, index, flow))
        });
        for (slot, face, index, flow) in flows.into_iter().flatten() {
            // Turns −0 into 0.
            self.set_flow(slot, face, index, flow * part + 0.0);
        }
    }

    /// Sets the outflow of a cell across a face, in a chunk that has flows.
    pub(crate) fn set_flow(&mut self, slot: Slot, face: Face, index: usize, flow: f32) {
        let ChunkState { flows: Some(flows), needs_audibility_check, .. } =
            &mut self.states[slot.index()]
        else {
            return;
        };
        flows.set::<S>(face, index, flow);
        *needs_audibility_check = true;
        self.pressure.mark_changed_at(slot, index);
    }

    /// Returns the chunk's ground, which is created as open space if there is none.
    pub(crate) fn ground_mut(&mut self, slot: Slot) -> &mut Ground {
        self.states[slot.index()].ground.get_or_insert_default()
    }

    /// Drops a chunk's ground if it has no obstacles. Drops the chunk's conductances with it, since
    /// they may be uniform again.
    pub(crate) fn drop_plain_ground(&mut self, slot: Slot) {
        if self.ground(slot).is_some_and(Ground::is_plain) {
            self.states[slot.index()].ground = None;
            self.states[slot.index()].conductances = Conductances::Unknown;
        }
    }

    /// Marks a cell as changed, and wakes its chunk and the chunks of the linked cells.
    pub(crate) fn touch(&mut self, cell: IVec3) {
        let Some((slot, index)) = self.place(cell) else { return };
        self.pressure.mark_changed_at(slot, index);
        self.pressure.wake_chunk_at(slot);
        for &face in Self::FACES {
            if let Beyond::There(there) = self.space.beyond_cell::<S>(cell, face)
                && let Some((neighbour, _)) = self.place(there)
                && neighbour != slot
            {
                self.pressure.wake_chunk_at(neighbour);
            }
        }
    }
}
