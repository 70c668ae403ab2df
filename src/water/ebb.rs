//! The end of a tick: directions follow the flow, activity rises with flow and falls without, flags are made true,
//! inactive water goes, and what has come to rest falls asleep.

use super::bits::{self, LayerBits, NONE, any, minus, or};
use super::cell::{CellFlags, FULL};
use super::chance::{Purpose, chosen, layer_seed};
use super::links::orphaned;
use super::store::{LAYER_CELLS, Place, Store};
use super::tick::Tick;
use super::voxel::Voxel;
use super::workspace::passed;
use crate::coords::Face;
use crate::grid::Slot;

/// What the sweep over the cells found and only the end may do, since it reaches beyond the cell itself.
#[derive(Default)]
struct Afterwards {
    /// Cells whose HasSource is not that of their parents.
    turned: Vec<Place>,
    /// Cells without water or flow.
    dried: Vec<Place>,
    /// Cells that lost water to the air.
    lowered: Vec<Place>,
    /// Cells whose way to the head is new.
    joined: Vec<Place>,
}

/// The layer's random sets, drawn when first needed.
struct Chances {
    decay: Option<LayerBits>,
    evaporation: Option<LayerBits>,
}

impl Tick<'_> {
    /// Ends the tick. The two chances are fractions of 65,536.
    pub(super) fn ebb(&mut self, decay: u32, evaporation: u32) {
        let mut later = Afterwards::default();
        let members = self.work.members();
        for &slot in &members {
            for layer in 0..16 {
                self.ebb_layer(slot, layer, decay, evaporation, &mut later);
            }
        }
        self.turn_sources(&later.turned);
        for place in later.dried {
            self.dry_up(place);
        }
        for place in later.joined {
            self.store.wake_descendants(place);
        }
        for place in later.lowered {
            self.store.note_change(place);
        }
        self.store.grid.drop_sleepers();
        for slot in members {
            self.count_changes(slot);
        }
    }

    fn ebb_layer(&mut self, slot: Slot, layer: usize, decay: u32, evaporation: u32, later: &mut Afterwards) {
        let scratch = self.work.join(self.store, slot);
        let touched = scratch.touched.layer(layer);
        let woken = scratch.woken.layer(layer);
        let waiting = scratch.waiting.layer(layer);
        let awake = self.awake(slot, layer);
        let mut cells = or(awake, touched);
        if !any(cells) {
            return;
        }
        if evaporation == 0 {
            // Still water that nothing touched has nothing to do but fall asleep.
            cells = minus(cells, minus(self.store.still(slot, layer), or(touched, waiting)));
        }
        let mut chances = Chances { decay: None, evaporation: None };
        let mut stay = NONE;
        for cell in bits::iter(cells) {
            let place = (slot, layer * LAYER_CELLS + cell);
            let voxel = self.store.read(place);
            if voxel.is_mark() || voxel == Voxel::OPEN && !bits::contains(&touched, cell) {
                continue;
            }
            let after = if bits::contains(&touched, cell) {
                self.raise(place, voxel, later)
            } else {
                self.lower(place, voxel, &mut chances, (decay, evaporation), later)
            };
            let after = self.settle_flags(place, after);
            if !after.has(CellFlags::IS_SOURCE) && self.is_fed(place, after) != after.has(CellFlags::HAS_SOURCE) {
                later.turned.push(place);
            }
            if after.height() == 0 && (after.direction_code() == 0 || after.active() == 0) {
                later.dried.push(place);
            }
            if after != voxel {
                self.put(place, after);
            }
            if self.stays_awake(place, after, evaporation) {
                bits::insert(&mut stay, cell);
            }
        }
        if let Some(mask) = self.store.grid.awake_at_mut(slot) {
            mask.set_layer(layer, NONE);
        }
        let stay = or(stay, woken);
        if any(stay) {
            self.store.grid.wake_layer_at(slot, layer, stay);
        }
    }

    /// Whether one of the cell's parents has a source.
    fn is_fed(&self, place: Place, voxel: Voxel) -> bool {
        Store::faces(self.store.parents_in(place, voxel))
            .any(|face| self.store.look(place, face).has(CellFlags::HAS_SOURCE))
    }

    /// A cell with flow: its activity rises, and it takes its feeders for parents.
    fn raise(&mut self, place: Place, voxel: Voxel, later: &mut Afterwards) -> Voxel {
        let scratch = self.work.join(self.store, place.0);
        let (flow, inflow) = (scratch.flow[place.1], scratch.inflow[place.1]);
        let active = (voxel.active() + 1).min(FULL);
        let voxel = voxel.with_active(active);
        if voxel.has(CellFlags::IS_SOURCE) {
            return voxel;
        }
        let before = self.store.parents_in(place, voxel);
        let voxel = self.follow(place, voxel, inflow);
        if self.store.parents_in(place, voxel) & !before != 0 {
            later.joined.push(place);
        }
        let largest = voxel.largest().max(passed(flow));
        if voxel.direction_code() == 0 { voxel } else { voxel.with_largest(largest) }
    }

    /// Lets the directions of a cell follow the flow that came in through the faces `inflow`.
    fn follow(&mut self, place: Place, voxel: Voxel, inflow: u8) -> Voxel {
        let parents = self.store.parents_in(place, voxel);
        if inflow == 0 || inflow & parents == inflow {
            return voxel;
        }
        let sourced = |tick: &Self, face: Face| tick.store.look(place, face).has(CellFlags::HAS_SOURCE);
        let faces = || Store::faces(inflow & !parents);
        let strays = inflow & parents == 0 && !voxel.has(CellFlags::HAS_SOURCE);
        if parents == 0 || strays && self.store.children(place).next().is_none() {
            // Water from above first, then from a flow with a source, then any.
            let first = faces().find(|&face| face == Face::Up);
            let face = first.or_else(|| faces().find(|&face| sourced(self, face))).or_else(|| faces().next());
            let Some(face) = face else { return voxel };
            let loose = self.store.keep_parents(place, 0, voxel);
            // HasSource is handed down a cell a tick, in one place: see `turn_sources`.
            let attached = self.store.attach(place, face, loose);
            return attached.map_or(loose, |attached| attached.with(CellFlags::HAS_SOURCE, false));
        }
        if !self.rules.many_parents || !voxel.has(CellFlags::HAS_SOURCE) {
            return voxel;
        }
        let mut voxel = voxel;
        for face in faces() {
            let feeder = self.store.look(place, face);
            let heading = feeder.direction_code() == face.opposite().index() + 1 || feeder.has(CellFlags::IS_SOURCE);
            if feeder.has(CellFlags::HAS_SOURCE) && heading {
                self.store.write(place, voxel);
                voxel = self.store.add_parent(place, face, voxel).unwrap_or(voxel);
                self.store.write(place, voxel);
            }
        }
        voxel
    }

    /// A cell without flow: its activity falls at random; once inactive it is still, and its water may go.
    fn lower(
        &mut self,
        place: Place,
        voxel: Voxel,
        chances: &mut Chances,
        (decay, evaporation): (u32, u32),
        later: &mut Afterwards,
    ) -> Voxel {
        let (slot, layer, cell) = (place.0, place.1 / LAYER_CELLS, place.1 % LAYER_CELLS);
        let position = self.store.grid.position_at(slot);
        let mut voxel = voxel;
        if voxel.active() > 0 {
            let seed = || layer_seed(self.random, Purpose::Decay, position, layer);
            let set = chances.decay.get_or_insert_with(|| chosen(seed(), decay));
            if bits::contains(set, cell) {
                voxel = voxel.with_active(voxel.active() - 1);
            }
            if voxel.active() > 0 {
                return voxel;
            }
        }
        if voxel.has(CellFlags::IS_SOURCE) {
            return voxel;
        }
        if !voxel.has(CellFlags::HAS_SOURCE) && voxel.direction_code() != 0 {
            voxel = orphaned(self.store.keep_parents(place, 0, voxel));
        }
        if evaporation > 0 && voxel.height() > 0 {
            let seed = || layer_seed(self.random, Purpose::Evaporation, position, layer);
            let set = chances.evaporation.get_or_insert_with(|| chosen(seed(), evaporation));
            if bits::contains(set, cell) {
                self.ledger.evaporated += 1;
                voxel = voxel.with_height(voxel.height() - 1);
                later.lowered.push(place);
            }
        }
        voxel
    }

    /// FlowOut holds only while a way to the world's end is seen.
    fn settle_flags(&self, place: Place, voxel: Voxel) -> Voxel {
        let seen = self.work.get(place.0).is_some_and(|scratch| scratch.marked.contains(place.1));
        if voxel.has(CellFlags::FLOW_OUT) && !seen { voxel.with(CellFlags::FLOW_OUT, false) } else { voxel }
    }

    fn stays_awake(&self, place: Place, voxel: Voxel, evaporation: u32) -> bool {
        let waiting = self.work.get(place.0).is_some_and(|scratch| scratch.waiting.contains(place.1));
        let goes = evaporation > 0 && voxel.height() > 0 && !voxel.has(CellFlags::IS_SOURCE);
        voxel.active() > 0 || voxel.has(CellFlags::FLOW_OUT) || waiting || goes
    }

    /// Hands HasSource down, or takes it back: a cell a tick, so that its children are asked in the next.
    fn turn_sources(&mut self, turned: &[Place]) {
        for &place in turned {
            let voxel = self.store.read(place);
            let on = !voxel.has(CellFlags::HAS_SOURCE);
            if voxel.direction_code() == 0 || voxel.is_mark() {
                continue;
            }
            self.put(place, voxel.with(CellFlags::HAS_SOURCE, on));
            self.store.note_change(place);
        }
    }

    /// Empties a cell through which nothing flows any more.
    fn dry_up(&mut self, place: Place) {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel.height() > 0 || voxel == Voxel::OPEN && self.store.children(place).next().is_none()
        {
            return;
        }
        self.keep_what_dries_with(place);
        self.store.keep_parents(place, 0, voxel);
        self.put(place, Voxel::OPEN);
        self.store.cut_ties(place);
        self.store.note_change(place);
    }

    /// Cutting the ties of a cell rewrites its children, and theirs where these hold no water either. They need not be
    /// part of the tick yet: they join as they are, so that their change is counted.
    fn keep_what_dries_with(&mut self, place: Place) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let children: Vec<Place> = self.store.children(place).collect();
            for child in children {
                let voxel = self.store.read(child);
                self.put(child, voxel);
                if voxel.height() == 0 {
                    open.push(child);
                }
            }
        }
    }

    /// Marks and counts the cells of a member whose words differ from before the tick.
    fn count_changes(&mut self, slot: Slot) {
        let Some(scratch) = self.work.get(slot) else { return };
        for layer in (0..16).filter(|&layer| scratch.is_saved(layer)) {
            let changed = scratch.changed(self.store, slot, layer);
            if any(changed) {
                self.report.changed += u64::from(bits::count(changed));
                self.store.grid.mark_layer_changed_at(slot, layer, changed);
            }
        }
    }
}
