//! Waking: the one door through which cells become awake, and what is withheld while a tick ends.

use crate::chunk::{CellMask, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::water::store::{LAYER_CELLS, Place, Store, border_cells};
use glam::IVec3;
use hashbrown::HashMap;

/// What is kept while a tick ends.
///
/// A world saved meanwhile is saved as it was when the tick began, and in the loaded world the tick
/// starts again. So changes are published when the tick is complete: if they were published before,
/// the loaded world would publish them a second time.
#[derive(Default)]
pub(crate) struct Withheld {
    /// The awake cells of chunks where cells were woken, as they were before.
    awake_before: HashMap<Slot, CellMask>,
    /// Cells to be marked changed.
    changed: Vec<Place>,
}

impl Withheld {
    pub(crate) fn memory_bytes(&self) -> usize {
        self.awake_before.capacity() * size_of::<(Slot, CellMask)>()
            + self.changed.capacity() * size_of::<Place>()
    }
}

impl Store {
    /// Wakes cells of a layer (0 to 15), whatever is in them. All waking ends here, or for a single
    /// cell in [`wake_at`](Store::wake_at).
    ///
    /// | what happens | what wakes | when the cell is visited |
    /// |---|---|---|
    /// | an edit, or a cell changes beyond the flow: it dries up, loses its parents or water to the air ([`note_change`](Store::note_change)) | the cell, its six neighbours, and those beside the cell above, which may slide into it | next tick |
    /// | a tie is cut or joined above a cell ([`wake_descendants`](Store::wake_descendants)) | all that it feeds, however far: what may be drawn has changed | next tick |
    /// | a chunk is loaded or unloaded ([`wake_around`](Store::wake_around), [`adopt`](Store::adopt)) | what touches it, and its own water | next tick |
    /// | water flows or is drawn ([`Context::wake_layer`](crate::water::context::Context::wake_layer) and what uses it) | cells that received; for those that gave, what may flow into them now: beside, above and beside that, and full cells below if a source lies higher | this tick if the layer's turn is still to come, and the next |
    /// | the ebb passes ([`keep_awake`](Store::keep_awake)) | nothing: cells fall asleep, except active ones, those that wait for a draw, and those woken in this tick | next tick |
    /// | HasSource turns | the cell | next tick |
    ///
    /// A wake is for this tick because the layer joins it ([`Workspace::join`], which opens the layer
    /// in the schedule), and outlasts the ebb because it is noted in the layer's record. The end of a
    /// tick does neither, and comes after all turns; so its wakes are for the next tick. They are not
    /// withheld, but the awake cells before them are kept for a save.
    ///
    /// [`Workspace::join`]: crate::water::context::layers::Workspace::join
    #[inline]
    pub(crate) fn wake_layer(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        debug_assert!(self.withheld.is_none(), "only single cells wake while a tick ends");
        self.grid.wake_layer_at(slot, layer, cells);
    }

    /// Wakes a loaded cell, whatever is in it.
    #[inline]
    pub(crate) fn wake_at(&mut self, Place { slot, index }: Place) {
        if let Some(withheld) = &mut self.withheld {
            let awake = self.grid.awake_at(slot);
            if awake.is_some_and(|awake| awake.contains(index)) {
                return;
            }
            withheld
                .awake_before
                .entry(slot)
                .or_insert_with(|| awake.cloned().unwrap_or(CellMask::EMPTY));
        }
        self.grid.wake_at(slot, index);
    }

    /// Wakes a loaded cell if anything is in it.
    pub(crate) fn wake(&mut self, place: Place) {
        if place.is_some() && !self.read(place).is_inert() {
            self.wake_at(place);
        }
    }

    /// Marks a cell changed and wakes it with its neighbours, and with the cells beside the one
    /// above, which may slide into it.
    pub(crate) fn note_change(&mut self, place: Place) {
        self.note_ties();
        self.mark_changed(place);
        self.wake(place);
        for face in Face::ALL {
            self.wake(self.step(place, face));
        }
        let above = self.step(place, Face::Up);
        if above.is_some() {
            for face in Face::LATERAL {
                self.wake(self.step(above, face));
            }
        }
    }

    /// Wakes what a chunk that comes or goes may move: what touches it from outside, and what lies
    /// beside the cells above it, for water goes into a cell from its side if it would fall
    /// there.
    pub(crate) fn wake_around(&mut self, slot: Slot) {
        for face in Face::ALL {
            self.wake_border(self.neighbour(slot, face), face.opposite(), CHUNK_CELLS);
        }
        let above = self.neighbour(slot, Face::Up);
        if above.is_some() {
            for face in Face::LATERAL {
                self.wake_border(self.neighbour(above, face), face.opposite(), LAYER_CELLS);
            }
        }
    }

    /// Wakes the cells along a face of a chunk, if it is there, whose index is below `end`.
    pub(super) fn wake_border(&mut self, slot: Slot, face: Face, end: usize) {
        if slot.is_some()
            && self.grid.chunk_at(slot).as_uniform().is_none_or(|voxel| !voxel.is_inert())
        {
            border_cells(face)
                .filter(|&index| index < end)
                .for_each(|index| self.wake(Place { slot, index }));
        }
    }

    /// The awake cells of a layer (0 to 15).
    #[inline]
    pub(crate) fn awake(&self, slot: Slot, layer: usize) -> LayerMask {
        self.grid.awake_at(slot).map_or(LayerMask::NONE, |mask| mask.layer(layer))
    }

    /// Lets the cells of a layer (0 to 15) fall asleep, except these.
    pub(crate) fn keep_awake(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        if let Some(mask) = self.grid.awake_at_mut(slot) {
            mask.set_layer(layer, LayerMask::NONE);
        }
        if cells.any() {
            self.wake_layer(slot, layer, cells);
        }
    }

    /// Forgets chunks in which no cell is awake any more.
    pub(crate) fn drop_sleepers(&mut self) {
        self.grid.drop_sleepers();
    }

    /// From now on the awake cells before each wake are kept, and changes are withheld.
    pub(crate) fn withhold_changes(&mut self) {
        self.withheld = Some(Withheld::default());
    }

    /// Publishes the changes withheld; from now on changes are published at once.
    pub(crate) fn publish_changes(&mut self) {
        let changed = self.withheld.take().map_or_else(Vec::new, |withheld| withheld.changed);
        for Place { slot, index } in changed {
            self.grid.mark_changed_at(slot, index);
        }
    }

    /// Marks a cell changed.
    fn mark_changed(&mut self, place: Place) {
        match &mut self.withheld {
            Some(withheld) => withheld.changed.push(place),
            None => _ = self.grid.mark_changed_at(place.slot, place.index),
        }
    }

    /// Marks cells of a layer (0 to 15) changed.
    pub(crate) fn mark_layer_changed(&mut self, slot: Slot, layer: usize, cells: LayerMask) {
        self.grid.mark_layer_changed_at(slot, layer, cells);
    }

    /// The chunks with changed cells, in order of position, with those cells, which are marked no
    /// more.
    pub(crate) fn take_changes(&mut self) -> Vec<(IVec3, CellMask)> {
        self.grid.take_changes()
    }

    /// The awake cells of a chunk, if it has any; those before the tick began to end, if it does.
    pub(crate) fn awake_before(&self, slot: Slot) -> Option<&CellMask> {
        let kept = self.withheld.as_ref().and_then(|withheld| withheld.awake_before.get(&slot));
        kept.or_else(|| self.grid.awake_at(slot))
    }
}
