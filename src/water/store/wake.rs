//! Waking: the only place where rules and edits wake cells. Also the changes and wakes withheld
//! while a tick ends.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::{LayerId, Slot};
use crate::water::store::changed::changes::mark_changed;
use crate::water::store::fixtures::{fixtures_in, has_work};
use crate::water::store::flow::parked::{unpark, unpark_at, unpark_chunk};
use crate::water::store::neighbours::slot_across;
use crate::water::store::{Place, Store, border_cells, fixtures};
use crate::water::voxel::Voxel;
use core::ops::Range;
use hashbrown::HashMap;

/// Changes and wakes withheld while a tick ends.
///
/// A world saved meanwhile is saved as it was when the tick began, and the loaded world repeats the
/// tick. Changes published before the tick is complete would then be published twice.
#[derive(Default)]
pub(crate) struct PendingChanges {
    /// The awake cells of chunks where cells were woken, as they were before.
    pub(super) awake_before: HashMap<Slot, Box<CellMask>>,
    /// The chunk added last. It spares look-ups, since wakes in one chunk come together.
    last: Slot,
    /// Cells to be marked changed.
    pub(super) changed: Vec<Place>,
}

impl PendingChanges {
    /// Adds the changes and wakes that another store has withheld.
    #[cfg(feature = "rayon")]
    pub(super) fn append(&mut self, other: &mut PendingChanges) {
        for (slot, awake) in other.awake_before.drain() {
            self.awake_before.entry(slot).or_insert(awake);
        }
        self.changed.append(&mut other.changed);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.awake_before.allocation_size()
            + self.awake_before.len() * size_of::<CellMask>()
            + self.changed.capacity() * size_of::<Place>()
    }
}

impl Store {
    /// Wakes cells of a layer, whatever they hold. Every wake of layers passes through here, and
    /// every wake of a single cell through [`wake_at`](Store::wake_at).
    ///
    /// | what happens | what wakes | when the cell is visited |
    /// |---|---|---|
    /// | an edit; a cell dries up, loses its parents, or evaporates and was full or is dry ([`note_change`](Store::note_change)) | the cell, its six neighbours, the cells beside the cell above, which may slide into it, and the water over the cell above if that is full | next tick |
    /// | a cell evaporates and was not full and is not dry ([`note_loss`](Store::note_loss)) | the cell, and the cells beside it that now stand 2 units higher | next tick |
    /// | a cell gains or loses a parent ([`wake_descendants`](Store::wake_descendants)) | all cells that it feeds, at any distance, since the units that they can draw have changed | next tick |
    /// | a chunk is loaded or unloaded ([`wake_around`](Store::wake_around), [`adopt`](Store::adopt)) | the cells that touch it, and its own water | next tick |
    /// | a chunk is frozen or thawed ([`set_frozen`](crate::water::store::frozen::set_frozen)) | the cells on both sides of the faces at which it parts from its neighbours or joins them | next tick; in a frozen chunk, the next after it is thawed |
    /// | water flows or is drawn ([`Tick::wake_layer`](crate::water::scratch::Tick::wake_layer) and its callers) | the cells that received water; without pools, the connected cells with room over cells that are full now, which may draw; around the cells that gave water, the cells that may flow into them: beside, above, beside the cell above, over it if it is full; full cells below if the giver is dry; without pools, connected full cells below | this tick if the layer is still ahead, and the next |
    /// | the ebb passes ([`keep_awake`](Store::keep_awake)) | nothing: cells fall asleep, except cells that water has passed, cells waiting for a draw, and cells woken in this tick; what steady flow alone has passed falls asleep where the flow yields | next tick |
    /// | HasSource changes | the cell; if it is set, the cells beside it, too | next tick |
    /// | the steady flow of a cell changes ([`steady`](crate::water::steady), stage `Wake`) | the cell | this tick and the next |
    /// | a cell's path leads to another spring ([`reroute`](crate::water::draw::reroute)) | all cells that it feeds | next tick |
    ///
    /// A wake applies to this tick because the layer joins it ([`TickScratch::record_mut`] opens
    /// the layer in the schedule), and survives the ebb because the chunk's record keeps it. The
    /// end of a tick comes after all visits and does neither, so its wakes are for the next tick.
    /// The awake cells from before these wakes are kept for a save.
    ///
    /// [`TickScratch::record_mut`]: crate::water::scratch::layers::TickScratch::record_mut
    #[inline]
    pub(crate) fn wake_layer(&mut self, layer: LayerId, cells: LayerMask) {
        debug_assert!(self.pending.is_none(), "only single cells wake while a tick ends");
        unpark(self, layer, cells);
        self.grid.wake_layer_at(layer, cells);
    }

    /// Wakes a loaded cell, whatever it holds.
    #[inline]
    pub(crate) fn wake_at(&mut self, place: Place) {
        if self.has_runs {
            self.leave_runs_at(place);
        }
        self.set_awake(place);
    }

    /// Sets a loaded cell's bit in the mask of awake cells.
    pub(crate) fn set_awake(&mut self, Place { slot, index }: Place) {
        unpark_at(self, Place { slot, index });
        if let Some(pending) = &mut self.pending {
            let awake = self.grid.awake_at(slot);
            if awake.is_some_and(|awake| awake.contains(index)) {
                return;
            }
            if pending.last != slot {
                pending.last = slot;
                let awake = || Box::new(awake.cloned().unwrap_or(CellMask::EMPTY));
                pending.awake_before.entry(slot).or_insert_with(awake);
            }
        }
        self.grid.wake_at(slot, index);
    }

    /// Wakes a cell if it is loaded and holds water or flow, or if it is open and the sea or a tap
    /// fills it. In any case, unparks it.
    pub(crate) fn wake(&mut self, place: Place) {
        if !place.is_some() {
            return;
        }
        unpark_at(self, place);
        let voxel = self.read(place);
        let is_filled = || self.is_coast(place) || has_work(self, place);
        if !voxel.is_inert() || voxel == Voxel::OPEN && is_filled() {
            self.wake_at(place);
        }
    }

    /// Wakes the cells of a chunk that [`wake`](Store::wake) wakes.
    pub(crate) fn wake_chunk(&mut self, slot: Slot) {
        unpark_chunk(self, slot);
        let is_inert = self.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert);
        if is_inert && self.coast(slot).is_none() && fixtures::fixtures(self, slot).is_none() {
            return;
        }
        self.leave_runs_in(slot);
        for layer in 0..16 {
            let mut cells = self.select(LayerId::new(slot, layer), |voxel| !voxel.is_inert());
            let at_work = fixtures_in(self, LayerId::new(slot, layer));
            let at_work = at_work.map(|(cell, _)| cell);
            let at_work = at_work
                .filter(|&cell| has_work(self, Place::in_layer(LayerId::new(slot, layer), cell)));
            let filled = self.coast_in(LayerId::new(slot, layer)) | at_work.collect();
            if filled.any() {
                cells |=
                    filled & self.select(LayerId::new(slot, layer), |voxel| voxel == Voxel::OPEN);
            }
            if cells.any() {
                self.wake_layer(LayerId::new(slot, layer), cells);
            }
        }
    }

    /// Marks a cell changed and wakes it, its neighbours, the cells beside the cell above, which
    /// may slide into it, and the water over the cell above.
    pub(crate) fn note_change(&mut self, place: Place) {
        self.note_links();
        mark_changed(self, place);
        self.wake(place);
        for face in Face::ALL {
            self.wake(self.step(place, face));
        }
        let above = self.step(place, Face::Up);
        if above.is_some() {
            for face in Face::LATERAL {
                self.wake(self.step(above, face));
            }
            self.wake_over_full(above);
        }
    }

    /// Wakes the water over a full cell: the two no longer belong to one body once the cell has
    /// room below.
    fn wake_over_full(&mut self, place: Place) {
        if self.read(place).is_full() {
            self.wake(self.step(place, Face::Up));
        }
    }

    /// Marks a still cell that lost a unit as changed. Wakes it, since it may draw, and the cells
    /// beside it that now stand high enough to give. If it was full and now has room, or is dry and
    /// cannot draw itself, wakes all cells that [`note_change`](Store::note_change) wakes.
    pub(crate) fn note_loss(&mut self, place: Place) {
        let voxel = self.read(place);
        let height = voxel.height();
        if voxel.room() == 1 || height == 0 {
            return self.note_change(place);
        }
        mark_changed(self, place);
        self.wake(place);
        for face in Face::LATERAL {
            let beside = self.step(place, face);
            if beside.is_some() && self.read(beside).height() > height + 1 {
                self.wake(beside);
            }
        }
    }

    /// Wakes the cells that may move when a chunk is loaded or removed: the cells that touch it
    /// from outside, the cells beside the cells above it, since water enters a cell from its side
    /// if it would fall there, and the water over full cells above it.
    pub(crate) fn wake_around(&mut self, slot: Slot) {
        for face in Face::ALL {
            self.wake_border(slot_across(self, slot, face), face.opposite(), CHUNK_CELLS);
        }
        let above = self.neighbour(slot, Face::Up);
        if above.is_some() {
            for face in Face::LATERAL {
                self.wake_border(self.neighbour(above, face), face.opposite(), LAYER_CELLS);
            }
            self.wake_over_floor(above);
        }
        self.wake_depths(slot);
    }

    /// Wakes the water over full cells at the lower face of a chunk.
    pub(super) fn wake_over_floor(&mut self, slot: Slot) {
        if slot.is_some() {
            border_cells(Face::Down).for_each(|index| self.wake_over_full(Place { slot, index }));
        }
    }

    /// Wakes the cells along a face of a chunk whose index is below `end`, if the chunk is loaded.
    pub(super) fn wake_border(&mut self, slot: Slot, face: Face, end: usize) {
        if slot.is_some()
            && (self.grid.chunk_at(slot).as_uniform().is_none_or(|voxel| !voxel.is_inert())
                || self.coast(slot).is_some())
        {
            border_cells(face)
                .filter(|&index| index < end)
                .for_each(|index| self.wake(Place { slot, index }));
        }
    }

    /// Returns the awake cells of a layer.
    #[inline]
    pub(crate) fn awake(&self, layer: LayerId) -> LayerMask {
        self.grid.awake_at(layer.slot).map_or(LayerMask::NONE, |mask| mask.layer(layer.y))
    }

    /// Puts the cells of a layer to sleep, except `cells`, which are woken. Parked films among them
    /// stay parked.
    pub(crate) fn keep_awake(&mut self, layer: LayerId, cells: LayerMask) {
        if let Some(mask) = self.grid.awake_at_mut(layer.slot) {
            mask.set_layer(layer.y, LayerMask::NONE);
        }
        if cells.any() {
            self.grid.wake_layer_at(layer, cells);
        }
    }

    /// Drops the chunks without awake cells from a range of the list of awake chunks: see
    /// [`Grid::drop_sleepers_among`](crate::grid::Grid::drop_sleepers_among).
    pub(crate) fn drop_sleepers_among(&mut self, range: Range<usize>) {
        self.grid.drop_sleepers_among(range);
    }

    /// Starts to withhold changes and to keep the awake cells before each wake.
    pub(crate) fn hold_changes(&mut self) {
        self.pending = Some(PendingChanges::default());
    }

    /// Returns the awake cells of a chunk, if any; while a tick ends, as they were before its end
    /// began.
    pub(crate) fn awake_before(&self, slot: Slot) -> Option<&CellMask> {
        let kept = self.pending.as_ref().and_then(|pending| pending.awake_before.get(&slot));
        let kept = kept.map(|awake| &**awake);
        kept.or_else(|| self.grid.awake_at(slot))
    }
}
