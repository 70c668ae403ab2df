//! The end of a tick, when every layer has ebbed: what reaches beyond the cell where it was found is done, flags are made
//! true, and what changed is counted.

use super::bits::{self, NONE, any};
use super::cell::CellFlags;
use super::store::{Place, Store};
use super::tick::Tick;
use super::voxel::Voxel;
use crate::grid::Slot;

/// What the sweep over the cells found and only the end may do, since it reaches beyond the cell itself.
#[derive(Default)]
pub(super) struct Afterwards {
    /// Cells whose HasSource is not that of their parents.
    pub(super) turned: Vec<Place>,
    /// Cells without water or flow.
    pub(super) dried: Vec<Place>,
    /// Cells that lost water to the air.
    pub(super) lowered: Vec<Place>,
    /// Cells whose way to the head is new.
    pub(super) joined: Vec<Place>,
}

impl Tick<'_> {
    /// Ends the tick when every layer has ebbed.
    pub(super) fn finish(&mut self) {
        let Afterwards { mut turned, dried, lowered, joined } = core::mem::take(&mut self.work.later);
        for place in dried {
            self.dry_up(place, &mut turned);
        }
        // Only now: a cell that dries up may have brought what it fed its source.
        self.turn_sources(turned);
        for place in joined {
            self.store.wake_descendants(place);
        }
        for place in lowered {
            self.store.note_change(place);
        }
        self.store.settle_ties();
        self.store.grid.drop_sleepers();
        for at in 0..self.work.schedule.members().len() {
            self.count_changes(self.work.schedule.members()[at]);
        }
    }

    /// Makes HasSource true again from the cells in `turned` on down, however far: first it is taken back where no parent
    /// has it, then handed down where one does. Parents form no circle, so the order does not matter.
    fn turn_sources(&mut self, turned: Vec<Place>) {
        let mut open = turned.clone();
        while let Some(place) = open.pop() {
            self.turn_source(place, false, &mut open);
        }
        open = turned;
        while let Some(place) = open.pop() {
            self.turn_source(place, true, &mut open);
        }
    }

    /// Gives a cell HasSource or takes it, if that makes it true; adds its children to those that are to be asked.
    fn turn_source(&mut self, place: Place, on: bool, open: &mut Vec<Place>) {
        let voxel = self.store.read(place);
        if voxel.is_sourced() == on || voxel.has(CellFlags::IS_SOURCE) || self.is_fed(place, voxel) != on {
            return;
        }
        self.put(place, voxel.with(CellFlags::HAS_SOURCE, on));
        self.store.wake(place);
        open.extend(self.store.children(place));
    }

    /// Whether one of the cell's parents has a source.
    pub(super) fn is_fed(&self, place: Place, voxel: Voxel) -> bool {
        Store::faces(self.store.parents_in(place, voxel)).any(|face| self.store.look(place, face).is_sourced())
    }

    /// Empties a cell through which nothing flows any more. Adds the cells to `turned` that lose a parent by that.
    fn dry_up(&mut self, place: Place, turned: &mut Vec<Place>) {
        let voxel = self.store.read(place);
        if voxel.is_mark() {
            return;
        }
        let feeds = self.store.children_of(place) != 0;
        if voxel == Voxel::OPEN && !feeds {
            return;
        }
        if feeds {
            self.keep_what_dries_with(place, turned);
        }
        self.store.keep_parents(place, 0, voxel);
        self.put(place, Voxel::OPEN);
        // Its own ties are gone; those that are left are its children's.
        if feeds {
            self.store.cut_ties(place);
        }
        self.store.note_change(place);
    }

    /// Cutting the ties of a cell rewrites its children, and theirs where these hold no water either. They need not be
    /// part of the tick yet: they join as they are, so that their change is counted. Adds the children to `turned`, and what
    /// these feed: one that loses its only parent loses its HasSource with it.
    fn keep_what_dries_with(&mut self, place: Place, turned: &mut Vec<Place>) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let children: Vec<Place> = self.store.children(place).collect();
            for child in children {
                let voxel = self.store.read(child);
                self.put(child, voxel);
                turned.push(child);
                turned.extend(self.store.children(child));
                if voxel.height() == 0 {
                    open.push(child);
                }
            }
        }
    }

    /// Marks and counts the cells of a member whose words differ from before the tick.
    fn count_changes(&mut self, slot: Slot) {
        for layer in crate::chunk::ones(u64::from(self.work.open_layers(slot))) {
            let changed = self.work.get(slot, layer).map_or(NONE, |work| work.changed(self.store, slot, layer));
            if any(changed) {
                self.report.changed += u64::from(bits::count(changed));
                self.store.grid.mark_layer_changed_at(slot, layer, changed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, ancestors};
    use super::*;

    /// Springs dry up or break out; then the flags of all that they feed turn, and whatever has turned wakes.
    #[test]
    fn has_source_is_made_true_and_wakes_only_what_turns() {
        let (mut off, mut on) = (0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = sample::springs(seed);
            let places = sample::places(&world);
            let tick = &mut world.underway();
            for &place in &places {
                let voxel = tick.store.read(place);
                let (is_source, is_head) = (voxel.is_source(), voxel.is_wet() && tick.store.parents_of(place) == 0);
                if seed % 2 == 0 && is_source && random.bool() {
                    tick.store.write(place, voxel.with(CellFlags::IS_SOURCE, false));
                } else if seed % 2 == 1 && is_head && random.u8(..4) == 0 {
                    tick.store.write(place, voxel.with(CellFlags::IS_SOURCE, true).with(CellFlags::HAS_SOURCE, true));
                }
            }
            let cells: Vec<Place> = places.into_iter().filter(|&place| !tick.store.read(place).is_inert()).collect();
            let before: Vec<bool> = cells.iter().map(|&place| tick.store.read(place).is_sourced()).collect();
            let has_turned = |place: &&Place| {
                let voxel = tick.store.read(**place);
                !voxel.is_source() && voxel.is_sourced() != tick.is_fed(**place, voxel)
            };
            let turned = cells.iter().filter(has_turned).copied().collect();
            sample::put_to_sleep(tick.store);
            tick.turn_sources(turned);
            for (&place, was) in cells.iter().zip(before) {
                let expected = ancestors(tick.store, place).into_iter().any(|place| tick.store.read(place).is_source());
                assert_eq!(tick.store.read(place).is_sourced(), expected, "seed {seed}: {place:?}");
                let awake = tick.store.grid.awake_at(place.0).is_some_and(|mask| mask.contains(place.1));
                assert_eq!(awake, was != expected, "seed {seed}: {place:?}");
                off += u32::from(was && !expected);
                on += u32::from(!was && expected);
            }
        }
        assert!(off > 100 && on > 100, "{off} turned off, {on} on");
    }
}
