//! Ebb: the last sweep of a tick over the cells, layer by layer. Activity rises with flow and
//! decays without, parents follow the flow (`reparent`), and resting cells fall asleep. Random
//! choices use counter-based random numbers. `finish` ends the tick; in it, still water evaporates
//! (`evaporation`) and cells dry up (`drying`).

pub(crate) mod afterwards;
mod draws;
pub(crate) mod drying;
pub(crate) mod evaporation;
pub(crate) mod finish;
mod lost;
mod reach;
pub(crate) mod reparent;

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::{
    ACTIVE, ACTIVE_SHIFT, CellFlags, DIRECTION_SHIFT, FULL, HEIGHT, LARGEST, LARGEST_SHIFT,
};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::ebb::afterwards::Afterwards;
use crate::water::random::{Purpose, chosen, fraction};
use crate::water::store::{LAYER_ROWS, LayerState, Place};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// A layer in the ebb, and its marks from the earlier phases.
pub(crate) struct Ebb {
    pub(crate) slot: Slot,
    pub(crate) layer: usize,
    /// The cells to visit.
    cells: LayerMask,
    pub(crate) touched: LayerMask,
    waiting: LayerMask,
    marked: LayerMask,
}

impl Context<'_> {
    /// Applies the ebb to a layer: its cells count, its rows at least. Adds work for the end of the
    /// tick to `later`.
    pub(crate) fn ebb(
        &mut self,
        later: &mut Afterwards,
        (slot, layer): (Slot, usize),
        budget: &mut Budget,
    ) {
        self.note_closing(later, slot, layer);
        let Some(work) = self.work.get(slot, layer) else {
            budget.spend(LAYER_ROWS);
            return;
        };
        let (touched, woken) = (work.touched, work.woken);
        let mut ebb = Ebb {
            slot,
            layer,
            cells: self.awake(slot, layer) | touched,
            touched,
            waiting: work.waiting,
            marked: work.marked,
        };
        budget.spend(LAYER_ROWS.max(ebb.cells.count() as usize));
        if ebb.cells.is_empty() {
            return;
        }
        // Untouched water without flags, direction or activity can only fall asleep.
        let still = self
            .store
            .select_among(slot, layer, ebb.cells, |voxel| voxel.word() <= u16::from(FULL));
        self.note_feeders(slot, layer, ebb.cells, &mut later.feeders);
        self.note_feeders_above(slot, layer, touched, &mut later.feeders);
        ebb.cells -= still - (touched | ebb.waiting);
        if ebb.cells.is_empty() {
            self.store.keep_awake(slot, layer, woken);
            return;
        }
        self.ebb_cells(&ebb, woken, later);
    }

    /// Adds the open cells of a layer over which the sea closes to `later`: those that lie on the
    /// sea and beside or below it.
    fn note_closing(&self, later: &mut Afterwards, slot: Slot, layer: usize) {
        if self.store.coast(slot).is_none() {
            return;
        }
        let touched = self.work.get(slot, layer).map_or(LayerMask::NONE, |work| work.touched);
        let cells = self.store.coast_in(slot, layer)
            & self.store.on_sea(slot, layer)
            & (self.awake(slot, layer) | touched);
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let open = (cells - (closed - wet)) - self.store.springs(slot, layer);
        later.closing.extend(open.iter().map(|cell| Place::in_layer(slot, layer, cell)));
    }

    /// Applies the ebb to cells of a layer. What is `woken` stays awake whatever comes of it.
    fn ebb_cells(&mut self, ebb: &Ebb, woken: LayerMask, later: &mut Afterwards) {
        let &Ebb { slot, layer, cells, touched, .. } = ebb;
        let seed = self.work.seed(self.store, slot, layer);
        let mut resting = cells - touched;
        // A few cells are usually inactive, and then no random numbers are needed.
        if resting.is_sparse() {
            resting = self.store.select_among(slot, layer, resting, |voxel| voxel.active() > 0);
        }
        if resting.any() {
            let decay = fraction(self.rules.activity_decay);
            resting &= chosen(Purpose::Decay.seed(seed), decay);
        }
        self.change_activities(slot, layer, touched, resting);
        let [active, flow_out] = self.active_and_flow_out(slot, layer, cells);
        let idle = cells - (touched | active | self.store.springs(slot, layer));
        let has_changed = self.reparent(ebb, idle, later);
        for cell in ((cells & flow_out) - ebb.marked).iter() {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            self.put_marks(place, voxel.with(CellFlags::FLOW_OUT, false));
        }
        self.drop_unconnected_parents(slot, layer, cells);
        if has_changed || self.work.ties_changed {
            self.note_stale(ebb, self.store.springs(slot, layer), later);
        }
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let dry = cells - (wet | closed);
        if dry.any() {
            let fed =
                self.store.select_among(slot, layer, dry, |voxel| voxel.direction().is_some());
            later.dried.extend(
                (dry - (fed & active)).iter().map(|cell| Place::in_layer(slot, layer, cell)),
            );
        }
        let ends = self.store.outlets(slot).map_or(LayerMask::NONE, |ends| ends.layer(layer));
        let ends = ends & self.store.connected(slot, layer);
        // What steady flow passed no more may give the unit that it kept, in the next tick.
        let stay = cells & (active | flow_out | ebb.waiting | ends);
        self.store.keep_awake(slot, layer, stay | woken);
    }

    /// Raises the activity of the cells in `up` and lowers that of the cells in `down`, see
    /// [`with_activity`].
    fn change_activities(&mut self, slot: Slot, layer: usize, up: LayerMask, down: LayerMask) {
        let Some(work) = self.work.get(slot, layer) else { return };
        if !(up | down).is_sparse() {
            let mut words = match self.store.cells(slot, layer) {
                Some(cells) => *cells,
                None => [self.store.grid().chunk_at(slot).get(0); LAYER_CELLS],
            };
            if change_whole_layer(&mut words, &work.flows(), up, down) {
                self.work.join(self.store, slot, layer).save(
                    self.store,
                    slot,
                    layer,
                    LayerMask::ALL,
                );
                self.store.write_marks(slot, |cells| {
                    cells[layer * LAYER_CELLS..][..LAYER_CELLS].copy_from_slice(&words)
                });
            }
            return;
        }
        let mut changes: SmallVec<[(usize, Voxel); LayerMask::SPARSE]> = SmallVec::new();
        let mut changed = LayerMask::NONE;
        for cell in (up | down).iter() {
            let (rises, falls) = (up.contains(cell), down.contains(cell));
            let word = self.store.read(Place::in_layer(slot, layer, cell)).word();
            let after = with_activity(word, work.flow(cell), rises, falls);
            if after != word {
                changes.push((cell, Voxel::from_raw(after)));
                changed.insert(cell);
            }
        }
        if changed.any() {
            self.work.join(self.store, slot, layer).save(self.store, slot, layer, changed);
            self.store.write_marks(slot, |cells| {
                changes.iter().for_each(|&(cell, voxel)| cells[layer * LAYER_CELLS + cell] = voxel);
            });
        }
    }

    /// Returns those of `cells` that are active, and those with FlowOut.
    fn active_and_flow_out(&self, slot: Slot, layer: usize, cells: LayerMask) -> [LayerMask; 2] {
        const FLOW_OUT: u16 = CellFlags::FLOW_OUT.bits();
        let is = |voxel: Voxel, bits: u16| u8::from(voxel.word() & bits != 0);
        let flags_of = |voxel: Voxel| is(voxel, ACTIVE) | is(voxel, FLOW_OUT) << 1;
        let Some(words) = self.store.cells(slot, layer) else {
            let marks = flags_of(self.store.grid().chunk_at(slot).get(0));
            return [0, 1].map(|bit| cells & LayerMask::all_if(marks >> bit & 1 != 0));
        };
        if !cells.is_sparse() {
            return LayerMask::planes(words, flags_of).map(|plane| cells & plane);
        }
        let mut found = [LayerMask::NONE; 2];
        for cell in cells.iter() {
            let marks = flags_of(words[cell]);
            for (bit, found) in found.iter_mut().enumerate() {
                if marks >> bit & 1 != 0 {
                    found.insert(cell);
                }
            }
        }
        found
    }

    /// Adds the cells of a layer whose HasSource flag is stale to `later`. Needed only if parents
    /// have changed since the last tick, because every tick ends with correct flags.
    fn note_stale(&self, ebb: &Ebb, springs: LayerMask, later: &mut Afterwards) {
        let &Ebb { slot, layer, cells, .. } = ebb;
        let cells = cells - springs;
        if cells.is_sparse() {
            let places = cells.iter().map(|cell| Place::in_layer(slot, layer, cell));
            return later.stale.extend(places.filter(|&place| self.is_stale(place)));
        }
        let parents = self.store.parent_planes(slot, layer);
        let stale =
            self.with_connected_parent(slot, layer, &parents) ^ self.store.connected(slot, layer);
        later.stale.extend((cells & stale).iter().map(|cell| Place::in_layer(slot, layer, cell)));
    }

    /// Whether the HasSource flag of a cell, which must not be a spring, differs from that of its
    /// parents.
    pub(super) fn is_stale(&self, place: Place) -> bool {
        let voxel = self.store.read(place);
        voxel.is_connected() != self.is_fed(place, voxel)
    }

    /// Returns the cells of a layer with a parent that is connected to a spring.
    fn with_connected_parent(
        &self,
        slot: Slot,
        layer: usize,
        parents: &[LayerMask; 6],
    ) -> LayerMask {
        let there = |place: Option<(Slot, usize)>| {
            place.map_or(LayerMask::NONE, |(slot, layer)| self.store.connected(slot, layer))
        };
        let mut beyond = [LayerMask::NONE; 4];
        for (beyond, face) in beyond.iter_mut().zip(Face::LATERAL) {
            let neighbour = self.store.neighbour(slot, face);
            *beyond = there(neighbour.is_some().then_some((neighbour, layer)));
        }
        let [from_west, from_east, from_north, from_south] =
            self.store.connected(slot, layer).shifted(&beyond);
        let [west, east, down, up, north, south] = *parents;
        let above = up & there(self.store.upper_layer(slot, layer));
        let below = down & there(self.store.lower_layer(slot, layer));
        let along_x = (west & from_west) | (east & from_east);
        let along_z = (north & from_north) | (south & from_south);
        along_x | along_z | above | below
    }
}

/// Raises the activity of the cells in `up` and lowers that of the cells in `down`, see
/// [`with_activity`]. Returns whether any cell changed.
fn change_whole_layer(
    cells: &mut [Voxel; LAYER_CELLS],
    flow: &[u16; LAYER_CELLS],
    up: LayerMask,
    down: LayerMask,
) -> bool {
    const BIT: [u16; 16] = {
        let mut bits = [0; 16];
        let mut bit = 0;
        while bit < 16 {
            bits[bit] = 1 << bit;
            bit += 1;
        }
        bits
    };
    let mut differ = 0;
    let rows = cells.as_chunks_mut::<16>().0.iter_mut().zip(flow.as_chunks::<16>().0);
    for (row, (cells, flow)) in rows.enumerate() {
        let (up, down) = (up.row(row), down.row(row));
        if up | down == 0 {
            continue;
        }
        for ((cell, &flow), bit) in cells.iter_mut().zip(flow).zip(BIT) {
            let word = cell.word();
            let after = with_activity(word, flow, up & bit != 0, down & bit != 0);
            differ |= word ^ after;
            *cell = Voxel::from_raw(after);
        }
    }
    differ != 0
}

/// Returns a cell's word with its activity raised by one if it `rises`, or lowered by one if it
/// `falls`, within 0 to 7. The bottleneck of a cell that rises and has a direction becomes at least
/// the units that it passed on, according to `flow`, its flow record.
#[inline(always)]
fn with_activity(word: u16, flow: u16, rises: bool, falls: bool) -> u16 {
    let (rises, falls) = (u16::from(rises), u16::from(falls));
    let active = word >> ACTIVE_SHIFT & HEIGHT;
    let active = active + (u16::from(active < HEIGHT) & rises) - (u16::from(active > 0) & falls);
    let largest = word >> LARGEST_SHIFT & HEIGHT;
    let passes = (rises & u16::from(word & HEIGHT << DIRECTION_SHIFT != 0)).wrapping_neg();
    let largest = largest.max(flow & HEIGHT & passes);
    word & !(ACTIVE | LARGEST) | active << ACTIVE_SHIFT | largest << LARGEST_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::context::test_worlds;

    #[test]
    fn activity_changes_as_it_does_cell_by_cell() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut unchanged = 0;
        for round in 0..100 {
            // In odd rounds most cells are at an end of their range, and few are in the sets.
            let still = [0, ACTIVE | LARGEST][round / 2 % 2];
            let voxel = |random: &mut fastrand::Rng| {
                if round % 2 == 0 { random.u16(..) } else { random.u16(..) & HEIGHT | still }
            };
            let before: [Voxel; LAYER_CELLS] =
                core::array::from_fn(|_| Voxel::from_raw(voxel(&mut random)));
            let flow: [u16; LAYER_CELLS] = core::array::from_fn(|_| random.u16(..));
            let few = if round % 2 == 0 { u64::MAX } else { 1 << random.u32(..64) };
            let up = LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & few));
            let down = LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & few)) - up;
            let mut after = before;
            let differ = change_whole_layer(&mut after, &flow, up, down);
            assert_eq!(differ, before != after);
            unchanged += u32::from(!differ);
            for (cell, (&was, &is)) in before.iter().zip(&after).enumerate() {
                let active = match (up.contains(cell), down.contains(cell)) {
                    (true, _) => (was.active() + 1).min(7),
                    (_, true) => was.active().saturating_sub(1),
                    _ => was.active(),
                };
                let flows = up.contains(cell) && was.direction_code() != 0;
                let largest =
                    if flows { was.largest().max((flow[cell] & 7) as u8) } else { was.largest() };
                let expected =
                    Voxel::from_raw(was.word() & !ACTIVE | u16::from(active) << ACTIVE_SHIFT)
                        .with_largest(largest);
                assert_eq!(is.word(), expected.word());
            }
        }
        assert!(unchanged > 5, "{unchanged} rounds changed nothing");
    }

    #[test]
    fn a_few_cells_ebb_as_in_a_whole_layer() {
        let mut changes = 0;
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let mut tick = test_worlds::tick(&mut world);
            for (slot, layer) in
                slots.into_iter().flat_map(|slot| (0..16).map(move |layer| (slot, layer)))
            {
                let wet: Vec<usize> = tick.store.layer(slot, layer).wet.iter().collect();
                let mut some = |most: usize| {
                    let count = if wet.is_empty() { 0 } else { random.usize(..most) };
                    (0..count).map(|_| wet[random.usize(..wet.len())]).collect::<LayerMask>()
                };
                let (up, down, cells) = (some(6), some(6), some(6) | some(40));
                let down = down - up;
                let work = tick.work.join(tick.store, slot, layer);
                (0..LAYER_CELLS).for_each(|cell| work.set_flow(cell, random.u16(..)));
                let flow = work.flows();
                let now = |tick: &Context| -> [Voxel; LAYER_CELLS] {
                    core::array::from_fn(|cell| tick.store.read(Place::in_layer(slot, layer, cell)))
                };
                let mut expected = now(&tick);
                changes += u32::from(change_whole_layer(&mut expected, &flow, up, down));
                tick.change_activities(slot, layer, up, down);
                assert!(now(&tick) == expected, "seed {seed}: layer {layer}");
                let [active, flow_out] = tick.active_and_flow_out(slot, layer, cells);
                for cell in cells.iter() {
                    let voxel = expected[cell];
                    let is = (active.contains(cell), flow_out.contains(cell));
                    assert_eq!(
                        is,
                        (voxel.active() > 0, voxel.has(CellFlags::FLOW_OUT)),
                        "seed {seed}: layer {layer}"
                    );
                }
            }
        }
        assert!(changes > 200, "{changes} layers changed");
    }

    #[test]
    fn stale_flags_are_found_one_by_one_as_in_a_whole_layer() {
        let (mut found, mut layers) = (0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            for place in test_worlds::places(&world) {
                let voxel = world.store.read(place);
                if !voxel.is_inert() && !voxel.is_source() && random.u8(..4) == 0 {
                    world
                        .store
                        .write(place, voxel.with(CellFlags::HAS_SOURCE, !voxel.is_connected()));
                }
            }
            let slots = world.store.grid().sorted_slots();
            let tick = test_worlds::tick(&mut world);
            for (slot, layer) in
                slots.into_iter().flat_map(|slot| (0..16).map(move |layer| (slot, layer)))
            {
                let springs = tick.store.springs(slot, layer);
                let stale = |cells: LayerMask| {
                    let ebb = Ebb {
                        slot,
                        layer,
                        cells,
                        touched: LayerMask::NONE,
                        waiting: LayerMask::NONE,
                        marked: LayerMask::NONE,
                    };
                    let mut later = Afterwards::default();
                    tick.note_stale(&ebb, springs, &mut later);
                    later.stale
                };
                let alone = |cell: usize| {
                    let cells = LayerMask::single(cell);
                    stale(cells)
                };
                let one_by_one: Vec<Place> = (0..LAYER_CELLS).flat_map(alone).collect();
                assert_eq!(stale(LayerMask::ALL), one_by_one, "seed {seed}: layer {layer}");
                found += one_by_one.len();
                layers += usize::from(one_by_one.len() > 1);
            }
        }
        assert!(
            found > 500 && layers > 50,
            "{found} stale flags, several of them in {layers} layers"
        );
    }
}
