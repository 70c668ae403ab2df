//! The table of the steady flow: for each cell, the units that leave it across each of its six
//! faces in a tick.
//!
//! The flow and how it is found are described in [`steady`](crate::water::steady). The table is
//! part of the state. A cell takes a `u32`, three bits for each face; a layer of a chunk has a
//! table exactly if the flow passes one of its cells.
//!
//! Flow that does not change *rests*: a chunk that otherwise takes no part in a tick needs no
//! record in it, since the table says what has passed. The sum of all flow is kept, so that a tick
//! enters it in the ledger at once.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{Face, sort_key};
use crate::grid::{LayerId, Slot};
use crate::water::flow_record::{FaceFlows, NO_FLOW, passed};
use crate::water::store::changed::touched::touch;
use crate::water::store::neighbours::slot_across;
use crate::water::store::{Place, Store};
use std::collections::BTreeMap;

/// The units of steady flow that pass in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turnover {
    /// The units that pass through cells, all cells together.
    pub(crate) through: u64,
    /// The units that leave the world. As many come from springs.
    pub(crate) drained: u64,
}

/// The steady flow in a layer of a chunk.
pub(crate) struct SteadyLayer {
    flows: [FaceFlows; LAYER_CELLS],
    /// The same flow, as flow records.
    records: [u16; LAYER_CELLS],
    /// The units that pass through all cells together.
    through: u32,
    /// What the layer contributes to the sum of the store: its flow as it was last passed on by a
    /// record; nothing while its chunk is frozen.
    counted: Turnover,
    /// For each face, the cells from which units leave across it.
    pub(crate) out: [LayerMask; 6],
}

impl SteadyLayer {
    fn new() -> Box<Self> {
        Box::new(SteadyLayer {
            flows: [FaceFlows::NONE; LAYER_CELLS],
            records: [NO_FLOW; LAYER_CELLS],
            through: 0,
            counted: Turnover::default(),
            out: [LayerMask::NONE; 6],
        })
    }

    #[inline]
    pub(crate) fn flows(&self, cell: usize) -> FaceFlows {
        self.flows[cell]
    }

    /// Returns the flow records that the steady flow makes, for all cells.
    pub(crate) fn records(&self) -> &[u16; LAYER_CELLS] {
        &self.records
    }

    /// Returns the units that a cell passes on.
    #[inline]
    pub(crate) fn passed(&self, cell: usize) -> u8 {
        passed(self.records[cell])
    }

    /// Returns the cells that pass on at least this many units.
    pub(crate) fn passed_at_least(&self, units: u8) -> LayerMask {
        LayerMask::select(&self.records, |record| passed(record) >= units)
    }

    /// Returns the cells that the flow passes.
    pub(crate) fn cells(&self) -> LayerMask {
        LayerMask::union(self.out)
    }

    fn set(&mut self, cell: usize, flows: FaceFlows) {
        self.through -= u32::from(self.flows[cell].through());
        self.through += u32::from(flows.through());
        self.flows[cell] = flows;
        self.records[cell] = flows.record();
        for face in Face::ALL {
            let out = &mut self.out[face.index()];
            if flows.across(face) > 0 { out.insert(cell) } else { out.remove(cell) }
        }
    }
}

/// The steady flow in a chunk, by layer.
pub(in crate::water::store) type SteadyLayers = [Option<Box<SteadyLayer>>; 16];

impl Store {
    /// Returns the chunks that have steady flow, in order of position. In frozen chunks it stands
    /// still.
    pub(crate) fn steady_slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.with_steady.values().copied()
    }

    /// Returns whether steady flow passes a chunk that is not frozen.
    #[inline]
    pub(crate) fn is_steady(&self, slot: Slot) -> bool {
        let cache = &self.caches[slot.index()];
        cache.steady.is_some() && !cache.is_frozen
    }

    /// Returns whether any chunk that is not frozen has steady flow.
    #[inline]
    pub(crate) fn has_steady(&self) -> bool {
        self.steady_slots().any(|slot| !self.is_frozen(slot))
    }

    /// Returns the steady flow in a layer, if there is any.
    #[inline]
    pub(crate) fn steady_layer(&self, layer: LayerId) -> Option<&SteadyLayer> {
        self.caches[layer.slot.index()].steady.as_ref()?[layer.y].as_deref()
    }

    /// Returns the cells of a layer that the steady flow passes.
    #[inline]
    pub(crate) fn steady_cells(&self, layer: LayerId) -> LayerMask {
        self.steady_layer(layer).map_or(LayerMask::NONE, SteadyLayer::cells)
    }

    /// Returns the steady flow that leaves a cell, which must be loaded.
    #[inline]
    pub(crate) fn steady(&self, place: Place) -> FaceFlows {
        match self.steady_layer(place.layer_id()) {
            Some(layer) => layer.flows(place.cell()),
            None => FaceFlows::NONE,
        }
    }

    /// Returns the steady flow that leaves the cells of a chunk, by index, in order.
    pub(crate) fn steady_list(&self, slot: Slot) -> Vec<(u16, FaceFlows)> {
        let mut list = Vec::new();
        for layer in 0..16 {
            let Some(flows) = self.steady_layer(LayerId::new(slot, layer)) else { continue };
            let of = |cell| ((layer * LAYER_CELLS + cell) as u16, flows.flows(cell));
            list.extend(flows.cells().iter().map(of));
        }
        list
    }

    /// Returns the steady flow of the whole world: the sum over the layers, each as it was counted
    /// last.
    pub(crate) fn steady_sum(&self) -> Turnover {
        self.steady_sum
    }

    /// Counts the flow of a layer, of which these units leave the world, in the sum.
    pub(crate) fn count_steady(&mut self, layer: LayerId, drained: u64) {
        let steady = &mut self.caches[layer.slot.index()].steady;
        if let Some(flows) = steady.as_mut().and_then(|layers| layers[layer.y].as_mut()) {
            let now = Turnover { through: flows.through.into(), drained };
            let before = core::mem::replace(&mut flows.counted, now);
            let sum = &mut self.steady_sum;
            sum.through = sum.through + now.through - before.through;
            sum.drained = sum.drained + now.drained - before.drained;
        }
    }

    /// Takes the flow of a chunk out of the sum, until it is counted again.
    pub(in crate::water::store) fn discount_steady(&mut self, slot: Slot) {
        let Some(layers) = &mut self.caches[slot.index()].steady else { return };
        for flows in layers.iter_mut().flatten() {
            let before = core::mem::take(&mut flows.counted);
            self.steady_sum.through -= before.through;
            self.steady_sum.drained -= before.drained;
        }
    }

    /// Notes that the flow of a chunk, if there is any, does not rest in the next tick.
    pub(crate) fn note_unrest(&mut self, slot: Slot) {
        if self.caches[slot.index()].steady.is_none() || self.restless.last() == Some(&slot) {
            return;
        }
        self.restless.push(slot);
        if self.restless.len() > 2 * self.with_steady.len() {
            self.restless.sort_unstable();
            self.restless.dedup();
        }
    }

    /// Notes that all flow that did not rest has been counted in this tick.
    pub(crate) fn forget_unrest(&mut self) {
        self.restless.clear();
    }

    /// Adds the sleeping chunks in which the steady flow does not rest in this tick: chunks in
    /// which the flow has changed or may not balance, and chunks in or near which a cell may have
    /// changed in the last tick or may change in this one. Cells may have changed in the chunks of
    /// `changing` that satisfy `may_have_changed`, and may change in awake chunks.
    pub(crate) fn add_restless(
        &self,
        changing: &[Slot],
        may_have_changed: impl Fn(Slot) -> bool,
        found: &mut Vec<Slot>,
    ) {
        if self.with_steady.is_empty() {
            return;
        }
        let mut add = |slot: Slot| {
            if slot.is_some() && self.is_steady(slot) && self.grid.awake_at(slot).is_none() {
                found.push(slot);
            }
        };
        self.restless.iter().for_each(|&slot| add(slot));
        for &slot in &self.unbalanced {
            add(slot);
            Face::ALL.into_iter().for_each(|face| add(self.neighbour(slot, face)));
        }
        // Whether a face carries flow depends on cells up to one chunk beside and one below.
        let changing = changing.iter().copied().filter(|&slot| may_have_changed(slot));
        for slot in changing.chain(self.grid.awake_slots().iter().copied()) {
            let column = [Face::Down, Face::Up].map(|face| self.neighbour(slot, face));
            for level in core::iter::once(slot).chain(column).filter(|level| level.is_some()) {
                add(level);
                Face::LATERAL.into_iter().for_each(|face| add(self.neighbour(level, face)));
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// Sets the steady flow that leaves a cell, and keeps the old value.
    pub(crate) fn set_steady(&mut self, place: Place, flows: FaceFlows) {
        let before = self.steady(place);
        if before != flows {
            self.steady_before.push((place, before));
            self.write_steady(place, flows);
        }
    }

    fn write_steady(&mut self, place: Place, flows: FaceFlows) {
        let Place { slot, .. } = place;
        touch(self, slot);
        let steady = &mut self.caches[slot.index()].steady;
        if steady.is_none() {
            self.with_steady.insert(self.grid.position_at(slot), slot);
        }
        let layer = &mut steady.get_or_insert_default()[place.layer()];
        let layer = layer.get_or_insert_with(SteadyLayer::new);
        layer.set(place.cell(), flows);
        let is_empty = layer.cells().is_empty();
        self.note_unrest(slot);
        if is_empty {
            self.drop_steady_layer(place.layer_id());
        }
    }

    /// Frees the table of a layer that the flow does not pass any more.
    fn drop_steady_layer(&mut self, layer: LayerId) {
        self.count_steady(layer, 0);
        let steady = &mut self.caches[layer.slot.index()].steady;
        let Some(layers) = steady else { return };
        layers[layer.y] = None;
        if layers.iter().all(Option::is_none) {
            *steady = None;
            self.with_steady.remove(&self.grid.position_at(layer.slot));
        }
    }

    /// Forgets the old values of the steady flow, as a tick begins.
    pub(crate) fn forget_steady_before(&mut self) {
        self.steady_before.clear();
    }

    /// Returns a mark of the present steady flow, for [`return_steady`](Self::return_steady).
    pub(crate) fn steady_mark(&self) -> usize {
        self.steady_before.len()
    }

    /// Returns the cell of a change of the steady flow in this tick, by the number of the change;
    /// `None` after the last change.
    pub(crate) fn changed_steady(&self, number: usize) -> Option<Place> {
        self.steady_before.get(number).map(|&(place, _)| place)
    }

    /// Returns the cells of all changes of the steady flow since a mark of this tick. A cell with
    /// several changes is returned several times.
    pub(crate) fn steady_changed_since(&self, mark: usize) -> Vec<Place> {
        self.steady_before[mark..].iter().map(|&(place, _)| place).collect()
    }

    /// Restores the steady flow as it was at a mark of this tick.
    pub(crate) fn return_steady(&mut self, mark: usize) {
        while self.steady_before.len() > mark
            && let Some((place, flows)) = self.steady_before.pop()
        {
            self.write_steady(place, flows);
        }
    }

    /// Returns the steady flow that left a cell when the tick underway began.
    pub(crate) fn steady_at_begin(&self, place: Place) -> FaceFlows {
        let changed = self.steady_before.iter().find(|(there, _)| *there == place);
        changed.map_or_else(|| self.steady(place), |&(_, before)| before)
    }

    /// Returns the layers (by bit) of a chunk that have steady flow.
    pub(crate) fn steady_layers(&self, slot: Slot) -> u16 {
        let is_passed = |&y: &usize| self.steady_layer(LayerId::new(slot, y)).is_some();
        (0..16).filter(is_passed).fold(0, |layers, y| layers | 1 << y)
    }

    /// Returns the steady flow that left the cells of a chunk when the tick underway began, by
    /// index, in order.
    pub(crate) fn steady_list_before(&self, slot: Slot) -> Vec<(u16, FaceFlows)> {
        let mut flows: BTreeMap<u16, FaceFlows> = self.steady_list(slot).into_iter().collect();
        for &(place, before) in self.steady_before.iter().rev() {
            if place.slot == slot {
                flows.insert(place.index as u16, before);
            }
        }
        flows.into_iter().filter(|(_, flows)| !flows.is_none()).collect()
    }

    /// Restores the steady flow of a chunk that was just inserted, from a list by cell index. The
    /// flow of cells out of bounds is left out. The next tick takes back flow that does not
    /// balance.
    pub(crate) fn restore_steady(&mut self, slot: Slot, list: &[(u16, FaceFlows)]) {
        for &(index, flows) in list {
            let place = Place::new(slot, usize::from(index));
            if self.bounds.contains(self.position(place)) {
                self.write_steady(place, flows);
            }
        }
        self.note_unbalanced(slot);
    }

    /// Notes that the steady flow in a chunk or across its faces may not balance.
    pub(crate) fn note_unbalanced(&mut self, slot: Slot) {
        if self.unbalanced.last() != Some(&slot) {
            self.unbalanced.push(slot);
        }
    }

    /// Notes that the steady flow may not balance anywhere.
    pub(crate) fn note_all_unbalanced(&mut self) {
        self.unbalanced.extend(self.with_steady.values());
    }

    /// Adds the cells whose steady flow may not balance, in order of position, and forgets them.
    pub(crate) fn take_unbalanced(&mut self, cells: &mut Vec<Place>) {
        let mut slots = core::mem::take(&mut self.unbalanced);
        if slots.is_empty() {
            return;
        }
        let around = |&slot: &Slot| Face::ALL.map(|face| slot_across(self, slot, face));
        let beside: Vec<Slot> = slots.iter().flat_map(around).collect();
        slots.extend(beside.into_iter().filter(|slot| slot.is_some()));
        let mut found = Vec::new();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots.into_iter().filter(|&slot| !self.is_frozen(slot)) {
            for (index, flows) in self.steady_list(slot) {
                let place = Place::new(slot, usize::from(index));
                found.push(place);
                let next = flows.iter().map(|(face, _)| self.step(place, face));
                found.extend(next.filter(|next| next.is_some()));
            }
        }
        found.sort_unstable_by_key(|&place| (sort_key(self.position(place)), place));
        found.dedup();
        cells.extend(found);
    }

    /// Returns the bytes that the tables of a chunk take.
    pub(in crate::water::store) fn steady_bytes(layers: &SteadyLayers) -> usize {
        size_of::<SteadyLayers>() + layers.iter().flatten().count() * size_of::<SteadyLayer>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::coords::Region;
    use crate::water::flow_record::passed;
    use crate::water::rules::Edges;
    use crate::water::store::chunks;
    use crate::water::voxel::Voxel;

    #[test]
    fn the_table_holds_what_was_set_last_and_frees_what_is_empty() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let slot = chunks::insert(&mut store, ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))
            .expect("none is there");
        let mut random = fastrand::Rng::with_seed(44);
        let mut model = [FaceFlows::NONE; 4096];
        for _ in 0..2_000 {
            let place = Place::new(slot, random.usize(..4096));
            let flows = match random.bool() {
                true => FaceFlows::NONE.with(Face::ALL[random.usize(..6)], random.u8(..8)),
                false => FaceFlows::NONE,
            };
            store.set_steady(place, flows);
            model[place.index] = flows;
            assert_eq!(store.steady(place), flows);
            assert_eq!(flows.through(), flows.iter().map(|(_, units)| units).sum::<u8>());
            assert_eq!(FaceFlows::from_word(flows.word()), Some(flows));
            if let Some(layer) = store.steady_layer(LayerId::new(slot, place.layer())) {
                let through = (0..LAYER_CELLS).map(|cell| u32::from(layer.flows(cell).through()));
                assert_eq!(layer.through, through.sum());
                let record = layer.records()[place.cell()];
                assert_eq!(passed(record), flows.through());
            }
        }
        let list: Vec<(u16, FaceFlows)> = (0..4096)
            .map(|index| (index as u16, model[index]))
            .filter(|(_, flows)| !flows.is_none())
            .collect();
        assert_eq!(store.steady_list(slot), list);
        assert!(list.len() > 100 && store.has_steady());
        (0..4096).for_each(|index| store.set_steady(Place::new(slot, index), FaceFlows::NONE));
        assert!(!store.has_steady() && store.steady_list(slot).is_empty());
        assert!(FaceFlows::from_word(1 << 18).is_none());
    }
}
