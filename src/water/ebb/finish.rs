//! The end of a tick, when every layer has ebbed: what reaches beyond the cell where it was found
//! is done, flags are made true, and what changed is counted, in pieces.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::store::parents::Descent;
use crate::water::store::{LAYER_ROWS, Place, Store};
use crate::water::voxel::Voxel;

/// What the sweep over the cells found and only the end may do, since it reaches beyond the cell
/// itself.
#[derive(Default)]
pub(crate) struct Afterwards {
    /// Cells whose HasSource is not that of their parents.
    pub(crate) turned: Vec<Place>,
    /// Cells without water or flow.
    pub(crate) dried: Vec<Place>,
    /// Cells that lost water to the air.
    pub(crate) lowered: Vec<Place>,
    /// Cells whose way to the head is new.
    pub(crate) joined: Vec<Place>,
}

/// How far the end of a tick is.
pub(crate) struct Ending {
    stage: Stage,
    /// What is still to be done; each list from its last on.
    left: Afterwards,
    /// Cells that are to be asked whether their HasSource is true.
    asked: Vec<Place>,
    /// What is being woken.
    descent: Option<Descent>,
    /// Layers with cells that differ from before the tick.
    changed: Vec<(Slot, usize, LayerMask)>,
}

/// What the end of a tick does next.
#[derive(Clone, Copy)]
enum Stage {
    /// Cells without water or flow dry up.
    DryUp,
    /// HasSource is taken back where no parent has it.
    TakeBack,
    /// HasSource is handed down where a parent has it. Parents form no circle, so the order does
    /// not matter.
    HandDown,
    /// What is fed by a cell with a new way to the head wakes.
    Wake,
    /// What has lost water to the air is noted.
    Note,
    /// What differs from before the tick is counted.
    Count,
    /// Nothing is left to do but to publish what has changed.
    Publish,
}

impl Context<'_> {
    /// Begins to end the tick, when every layer has ebbed and has left this to do.
    pub(crate) fn begin_ending(&mut self, mut left: Afterwards) -> Ending {
        left.dried.reverse();
        self.store.withhold_changes();
        let (asked, changed) = (Vec::new(), Vec::new());
        Ending { stage: Stage::DryUp, left, asked, descent: None, changed }
    }

    /// Ends the tick, for a piece. Returns how many cells were dealt with; a layer whose changes are
    /// counted is as many as it has rows. `None` if nothing is left to do but to
    /// [`publish`](Context::publish).
    pub(crate) fn finish(&mut self, ending: &mut Ending) -> Option<u64> {
        if matches!(ending.stage, Stage::Publish) {
            return None;
        }
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent() {
            let cells = match ending.stage {
                Stage::DryUp => self.dry_up_next(ending),
                Stage::TakeBack => self.turn_next(&mut ending.asked, false),
                Stage::HandDown => self.turn_next(&mut ending.asked, true),
                Stage::Wake => self.wake_next(ending),
                Stage::Note => self.note_next(ending),
                Stage::Count => self.count_next(ending),
                Stage::Publish => break,
            };
            match cells {
                Some(cells) => _ = budget.spend(cells),
                None => ending.stage = self.after(ending),
            }
        }
        Some(budget.spent())
    }

    /// What comes after a stage that is done.
    fn after(&mut self, ending: &mut Ending) -> Stage {
        match ending.stage {
            Stage::DryUp => {
                // Only now: a cell that dries up may have brought what it fed its source.
                ending.asked.clone_from(&ending.left.turned);
                Stage::TakeBack
            }
            Stage::TakeBack => {
                ending.asked = core::mem::take(&mut ending.left.turned);
                Stage::HandDown
            }
            Stage::HandDown => Stage::Wake,
            Stage::Wake => Stage::Note,
            Stage::Note => {
                self.store.settle_ties();
                self.store.drop_sleepers();
                self.work.begin_sweep();
                Stage::Count
            }
            Stage::Count | Stage::Publish => Stage::Publish,
        }
    }

    /// Dries up the next cell. Returns how many cells were dealt with, as the others of its kind
    /// do; `None` if there is none.
    fn dry_up_next(&mut self, ending: &mut Ending) -> Option<usize> {
        let place = ending.left.dried.pop()?;
        let before = ending.left.turned.len();
        self.dry_up(place, &mut ending.left.turned);
        Some(1 + ending.left.turned.len() - before)
    }

    /// Makes HasSource true in the next cell that is asked, and has what it feeds asked if it
    /// turned.
    fn turn_next(&mut self, asked: &mut Vec<Place>, on: bool) -> Option<usize> {
        let place = asked.pop()?;
        self.turn_source(place, on, asked);
        Some(1)
    }

    fn wake_next(&mut self, ending: &mut Ending) -> Option<usize> {
        if let Some(descent) = &mut ending.descent
            && self.store.wake_next(descent)
        {
            return Some(1);
        }
        ending.descent = Some(Descent::from(ending.left.joined.pop()?));
        Some(1)
    }

    fn note_next(&mut self, ending: &mut Ending) -> Option<usize> {
        self.store.note_change(ending.left.lowered.pop()?);
        Some(1)
    }

    /// Counts the cells of the next layer whose words differ from before the tick.
    fn count_next(&mut self, ending: &mut Ending) -> Option<usize> {
        let (slot, layer) = self.work.next_in_sweep()?;
        let changed = self
            .work
            .get(slot, layer)
            .map_or(LayerMask::NONE, |work| work.changed(self.store, slot, layer));
        if changed.any() {
            self.report.changed += u64::from(changed.count());
            ending.changed.push((slot, layer, changed));
        }
        Some(LAYER_ROWS)
    }

    /// Publishes what has changed. The tick must be complete with that: what is saved before does
    /// not have these marks.
    pub(crate) fn publish(&mut self, ending: &Ending) {
        self.store.publish_changes();
        for &(slot, layer, cells) in &ending.changed {
            self.store.mark_layer_changed(slot, layer, cells);
        }
    }

    /// Gives a cell HasSource or takes it, if that makes it true; adds its children to those that
    /// are to be asked.
    fn turn_source(&mut self, place: Place, on: bool, open: &mut Vec<Place>) {
        let voxel = self.store.read(place);
        if voxel.is_sourced() == on
            || voxel.has(CellFlags::IS_SOURCE)
            || self.is_fed(place, voxel) != on
        {
            return;
        }
        self.put(place, voxel.with(CellFlags::HAS_SOURCE, on));
        self.store.wake(place);
        open.extend(self.store.children(place));
    }

    /// Whether one of the cell's parents has a source.
    pub(crate) fn is_fed(&self, place: Place, voxel: Voxel) -> bool {
        Store::faces(self.store.parents_in(place, voxel))
            .any(|face| self.store.look(place, face).is_sourced())
    }

    /// Empties a cell through which nothing flows any more. Adds the cells to `turned` that lose a
    /// parent by that.
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
        self.put(place, Voxel::OPEN);
        self.store.keep_parents(place, 0, voxel);
        // Its own ties are gone; those that are left are its children's.
        if feeds {
            self.store.cut_ties(place);
        }
        self.store.note_change(place);
    }

    /// Cutting the ties of a cell rewrites its children, and theirs where these hold no water
    /// either. They need not be part of the tick yet: they join as they are, so that their
    /// change is counted. Adds the children to `turned`, and what these feed: one that loses
    /// its only parent loses its HasSource with it.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::context::test_worlds::{self, ancestors};

    /// Springs dry up or break out; then the flags of all that they feed turn, and whatever has
    /// turned wakes.
    #[test]
    fn has_source_is_made_true_and_wakes_only_what_turns() {
        let (mut off, mut on) = (0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let tick = &mut test_worlds::tick(&mut world);
            for &place in &places {
                let voxel = tick.store.read(place);
                let (is_source, is_head) =
                    (voxel.is_source(), voxel.is_wet() && tick.store.parents_of(place) == 0);
                if seed % 2 == 0 && is_source && random.bool() {
                    tick.store.write(place, voxel.with(CellFlags::IS_SOURCE, false));
                } else if seed % 2 == 1 && is_head && random.u8(..4) == 0 {
                    tick.store.write(
                        place,
                        voxel.with(CellFlags::IS_SOURCE, true).with(CellFlags::HAS_SOURCE, true),
                    );
                }
            }
            let cells: Vec<Place> =
                places.into_iter().filter(|&place| !tick.store.read(place).is_inert()).collect();
            let before: Vec<bool> =
                cells.iter().map(|&place| tick.store.read(place).is_sourced()).collect();
            let has_turned = |place: &&Place| {
                let voxel = tick.store.read(**place);
                !voxel.is_source() && voxel.is_sourced() != tick.is_fed(**place, voxel)
            };
            let turned: Vec<Place> = cells.iter().filter(has_turned).copied().collect();
            test_worlds::put_to_sleep(tick.store);
            for on in [false, true] {
                let mut asked = Vec::clone(&turned);
                while tick.turn_next(&mut asked, on).is_some() {}
            }
            for (&place, was) in cells.iter().zip(before) {
                let expected = ancestors(tick.store, place)
                    .into_iter()
                    .any(|place| tick.store.read(place).is_source());
                assert_eq!(tick.store.read(place).is_sourced(), expected, "seed {seed}: {place:?}");
                let awake = tick
                    .store
                    .grid()
                    .awake_at(place.slot)
                    .is_some_and(|mask| mask.contains(place.index));
                assert_eq!(awake, was != expected, "seed {seed}: {place:?}");
                off += u32::from(was && !expected);
                on += u32::from(!was && expected);
            }
        }
        assert!(off > 100 && on > 100, "{off} turned off, {on} on");
    }
}
