//! The end of a tick: directions follow the flow, activity rises with flow and falls without, flags are made true,
//! inactive water goes, and what has come to rest falls asleep.

use super::bits::{self, LayerBits, NONE, and, any, minus, or};
use super::cell::{CellFlags, FULL};
use super::chance::{Purpose, chosen};
use super::links::orphaned;
use super::store::{LAYER_CELLS, Place, Store};
use super::tick::Tick;
use super::voxel::Voxel;
use super::window::{lower_layer, upper_layer};
use crate::coords::Face;
use crate::grid::Slot;

/// What the sweep over the cells found and only the end may do, since it reaches beyond the cell itself.
#[derive(Default)]
pub(super) struct Afterwards {
    /// Cells whose HasSource is not that of their parents.
    turned: Vec<Place>,
    /// Cells without water or flow.
    dried: Vec<Place>,
    /// Cells that lost water to the air.
    lowered: Vec<Place>,
    /// Cells whose way to the head is new.
    joined: Vec<Place>,
}

/// The chances of the ebb, as fractions of 65,536.
#[derive(Clone, Copy)]
struct Chances {
    decay: u32,
    evaporation: u32,
}

/// A layer while the ebb passes over it.
struct Ebb {
    slot: Slot,
    layer: usize,
    /// The cells that are looked at.
    cells: LayerBits,
    touched: LayerBits,
    waiting: LayerBits,
    marked: LayerBits,
}

impl Tick<'_> {
    /// Lets a layer ebb; returns how many cells were looked at.
    pub(super) fn ebb(&mut self, slot: Slot, layer: usize) -> u64 {
        let mut later = core::mem::take(&mut self.work.later);
        let looked_at = self.ebb_layer(slot, layer, &mut later);
        self.work.later = later;
        looked_at
    }

    /// Ends the tick when every layer has ebbed.
    pub(super) fn finish(&mut self) {
        let later = core::mem::take(&mut self.work.later);
        self.turn_sources(later.turned);
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
        for at in 0..self.work.schedule.members().len() {
            self.count_changes(self.work.schedule.members()[at]);
        }
    }

    fn ebb_layer(&mut self, slot: Slot, layer: usize, later: &mut Afterwards) -> u64 {
        let Some(work) = self.work.get(slot, layer) else { return 0 };
        let (decay, evaporation) = self.chances();
        let chances = Chances { decay, evaporation };
        let (touched, woken) = (work.touched, work.woken);
        let mut ebb = Ebb {
            slot,
            layer,
            cells: or(self.awake(slot, layer), touched),
            touched,
            waiting: work.waiting,
            marked: work.marked,
        };
        if !any(ebb.cells) {
            return 0;
        }
        let looked_at = u64::from(bits::count(ebb.cells));
        if chances.evaporation == 0 {
            // Still water that nothing touched has nothing to do but fall asleep.
            let still = self.store.select(slot, layer, |voxel| voxel.word() <= u16::from(FULL));
            ebb.cells = minus(ebb.cells, minus(still, or(touched, ebb.waiting)));
        }
        let stay = if any(ebb.cells) { self.ebb_cells(&ebb, chances, later) } else { NONE };
        if let Some(mask) = self.store.grid.awake_at_mut(slot) {
            mask.set_layer(layer, NONE);
        }
        let stay = or(stay, woken);
        if any(stay) {
            self.store.grid.wake_layer_at(slot, layer, stay);
        }
        looked_at
    }

    /// Lets the cells of a layer ebb; returns those that stay awake.
    fn ebb_cells(&mut self, ebb: &Ebb, chances: Chances, later: &mut Afterwards) -> LayerBits {
        let &Ebb { slot, layer, cells, touched, .. } = ebb;
        let first = layer * LAYER_CELLS;
        let Some(work) = self.work.get(slot, layer) else { return NONE };
        let mut words = match self.store.cells(slot, layer) {
            Some(cells) => *cells,
            None => [self.store.grid.chunk_at(slot).get(0); LAYER_CELLS],
        };
        let decaying = chosen(Purpose::Decay.seed(work.seed), chances.decay);
        let differ = change_activity(&mut words, &work.flow, touched, and(decaying, minus(cells, touched)));
        let (inflow, seed) = (work.inflow, work.seed);
        if differ {
            self.work.join(self.store, slot, layer).save(self.store, slot, layer);
            self.store.write_marks(slot, layer, |cells| *cells = words);
        }
        let marks = bits::bytes(&words, |voxel| {
            let is = |bits: u16| u8::from(voxel.word() & bits != 0);
            is(7 << 11) | is(CellFlags::FLOW_OUT.bits()) << 1
        });
        let (active, flow_out) = (bits::plane(&marks, 0), bits::plane(&marks, 1));
        let sources = self.store.sources(slot, layer);
        let idle = minus(minus(minus(cells, touched), active), sources);
        let retied = self.retie(ebb, &inflow, idle, sources, later);
        let mut goes = NONE;
        if chances.evaporation > 0 {
            let rising = chosen(Purpose::Evaporation.seed(seed), chances.evaporation);
            for cell in bits::iter(and(and(idle, self.store.layer(slot, layer).0), rising)) {
                self.evaporate((slot, first + cell), later);
            }
            goes = minus(self.store.layer(slot, layer).0, sources);
        }
        for cell in bits::iter(minus(and(cells, flow_out), ebb.marked)) {
            let voxel = self.store.read((slot, first + cell));
            self.put_marks((slot, first + cell), voxel.with(CellFlags::FLOW_OUT, false));
        }
        if retied || self.work.ties_changed {
            self.note_turned(ebb, sources, later);
        }
        let (wet, closed) = self.store.layer(slot, layer);
        let dry = minus(cells, or(wet, closed));
        if any(dry) {
            let fed = self.store.parent_planes(slot, layer).iter().fold(NONE, |fed, &plane| or(fed, plane));
            later.dried.extend(bits::iter(minus(dry, and(fed, active))).map(|cell| (slot, first + cell)));
        }
        and(cells, or(or(active, and(flow_out, ebb.marked)), or(ebb.waiting, goes)))
    }

    /// Lets directions follow the flow, and takes them from idle cells without a source. Whether any cell has other parents
    /// now.
    fn retie(
        &mut self,
        ebb: &Ebb,
        inflow: &[LayerBits; 6],
        idle: LayerBits,
        sources: LayerBits,
        later: &mut Afterwards,
    ) -> bool {
        let &Ebb { slot, layer, touched, .. } = ebb;
        let sourced = self.store.sourced(slot, layer);
        let entered = inflow.iter().fold(NONE, |entered, &plane| or(entered, plane));
        if !any(or(and(entered, touched), minus(idle, sourced))) {
            return false;
        }
        // Further parents may change before any voxel does.
        self.work.join(self.store, slot, layer).save(self.store, slot, layer);
        let first = layer * LAYER_CELLS;
        let parents = self.store.parent_planes(slot, layer);
        let fed = parents.iter().fold(NONE, |fed, &plane| or(fed, plane));
        let follows = may_follow(inflow, &parents, sourced, sources, self.rules.many_parents);
        let mut retied = false;
        for cell in bits::iter(minus(and(follows, touched), sources)) {
            retied |= self.follow((slot, first + cell), inflow, later);
        }
        for cell in bits::iter(minus(and(idle, fed), sourced)) {
            let voxel = self.store.read((slot, first + cell));
            let voxel = orphaned(self.store.keep_parents((slot, first + cell), 0, voxel));
            self.put((slot, first + cell), voxel);
            retied = true;
        }
        retied
    }

    /// Notes which cells of a layer have turned, as they and their parents are now. Only where ties have changed since the
    /// last tick, for after each tick HasSource is true.
    fn note_turned(&self, ebb: &Ebb, sources: LayerBits, later: &mut Afterwards) {
        let &Ebb { slot, layer, cells, .. } = ebb;
        let parents = self.store.parent_planes(slot, layer);
        let turned = bits::xor(self.sourced_parents(slot, layer, &parents), self.store.sourced(slot, layer));
        let turned = bits::iter(minus(and(cells, turned), sources));
        later.turned.extend(turned.map(|cell| (slot, layer * LAYER_CELLS + cell)));
    }

    /// The cells of a layer with a parent that has a source.
    fn sourced_parents(&self, slot: Slot, layer: usize, parents: &[LayerBits; 6]) -> LayerBits {
        let there = |place: Option<(Slot, usize)>| place.map_or(NONE, |(slot, layer)| self.store.sourced(slot, layer));
        let mut beyond = [NONE; 4];
        for (beyond, face) in beyond.iter_mut().zip(Face::LATERAL) {
            let neighbour = self.store.neighbour(slot, face);
            *beyond = there(neighbour.is_some().then_some((neighbour, layer)));
        }
        let [from_west, from_east, from_north, from_south] = bits::neighbours(self.store.sourced(slot, layer), &beyond);
        let [west, east, down, up, north, south] = *parents;
        let above = and(up, there(upper_layer(self.store, slot, layer)));
        let below = and(down, there(lower_layer(self.store, slot, layer)));
        let along_x = or(and(west, from_west), and(east, from_east));
        let along_z = or(and(north, from_north), and(south, from_south));
        or(or(along_x, along_z), or(above, below))
    }

    /// Whether one of the cell's parents has a source.
    fn is_fed(&self, place: Place, voxel: Voxel) -> bool {
        Store::faces(self.store.parents_in(place, voxel)).any(|face| self.store.look(place, face).is_sourced())
    }

    /// A cell that water came into otherwise than from its parents takes who fed it for a parent. Whether it did.
    fn follow(&mut self, place: Place, inflow: &[LayerBits; 6], later: &mut Afterwards) -> bool {
        let cell = place.1 % LAYER_CELLS;
        let inflow = (0..6).fold(0, |faces, face| faces | u8::from(bits::contains(&inflow[face], cell)) << face);
        let voxel = self.store.read(place);
        let before = self.store.parents_in(place, voxel);
        let after = self.follow_flow(place, voxel, inflow);
        let parents = self.store.parents_in(place, after);
        if parents & !before != 0 {
            later.joined.push(place);
        }
        let passed = self.work.passed(place);
        let after = if after.direction_code() == 0 { after } else { after.with_largest(after.largest().max(passed)) };
        if after != voxel {
            self.put(place, after);
        }
        parents != before
    }

    /// Lets the directions of a cell follow the flow that came in through the faces `inflow`.
    fn follow_flow(&mut self, place: Place, voxel: Voxel, inflow: u8) -> Voxel {
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
            // HasSource is handed down in one place: see `turn_sources`.
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

    /// Takes a unit from an inactive cell.
    fn evaporate(&mut self, place: Place, later: &mut Afterwards) {
        let voxel = self.store.read(place);
        self.ledger.evaporated += 1;
        self.put(place, voxel.with_height(voxel.height() - 1));
        later.lowered.push(place);
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

    /// Empties a cell through which nothing flows any more.
    fn dry_up(&mut self, place: Place) {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel == Voxel::OPEN && self.store.children(place).next().is_none() {
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
        for layer in crate::chunk::ones(u64::from(self.work.open_layers(slot))) {
            let changed = self.work.get(slot, layer).map_or(NONE, |work| work.changed(self.store, slot, layer));
            if any(changed) {
                self.report.changed += u64::from(bits::count(changed));
                self.store.grid.mark_layer_changed_at(slot, layer, changed);
            }
        }
    }
}

/// The cells whose directions may follow the flow that came in, and some more: those with inflow not from a parent that
/// have no parent, or only such without a source, or into which a cell with a source may be heading.
fn may_follow(
    inflow: &[LayerBits; 6],
    parents: &[LayerBits; 6],
    sourced: LayerBits,
    sources: LayerBits,
    many_parents: bool,
) -> LayerBits {
    let entered: [LayerBits; 6] = core::array::from_fn(|face| minus(inflow[face], parents[face]));
    let any_of = |planes: &[LayerBits; 6]| planes.iter().fold(NONE, |all, &plane| or(all, plane));
    let kept = any_of(&core::array::from_fn(|face| and(inflow[face], parents[face])));
    let loose = or(minus(bits::ALL, any_of(parents)), minus(minus(bits::ALL, sourced), kept));
    let mut joins = NONE;
    if many_parents {
        // What lies in other layers is not looked at here: it may.
        joins = or(entered[Face::Down.index()], entered[Face::Up.index()]);
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let heading = and(or(parents[face.index()], sources), sourced);
            joins = or(joins, and(entered[face.index()], bits::neighbours(heading, &[bits::ALL; 4])[side]));
        }
    }
    and(any_of(&entered), or(loose, and(sourced, joins)))
}

/// Raises the activity of the cells in `up` and their bottleneck to what they passed, lowers the activity of those in
/// `down`. Whether that changed anything.
fn change_activity(
    cells: &mut [Voxel; LAYER_CELLS],
    flow: &[u16; LAYER_CELLS],
    up: LayerBits,
    down: LayerBits,
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
        let of = |bits: LayerBits| (bits[row / 4] >> (row % 4 * 16)) as u16;
        let (up, down) = (of(up), of(down));
        if up | down == 0 {
            continue;
        }
        for ((cell, &flow), bit) in cells.iter_mut().zip(flow).zip(BIT) {
            let word = cell.word();
            let rises = u16::from(up & bit != 0).wrapping_neg();
            let falls = u16::from(down & bit != 0).wrapping_neg();
            let active = word >> 11 & 7;
            let active = active + (u16::from(active < 7) & rises) - (u16::from(active > 0) & falls);
            let largest = word >> 8 & 7;
            let passes = rises & u16::from(word & 7 << 3 != 0).wrapping_neg();
            let largest = largest.max(flow & 7 & passes);
            let after = word & !(7 << 11 | 7 << 8) | active << 11 | largest << 8;
            differ |= word ^ after;
            *cell = Voxel::from_raw(after);
        }
    }
    differ != 0
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, ancestors};
    use super::super::{Edges, Rules, WaterWorld};
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use glam::IVec3;

    #[test]
    fn activity_changes_as_it_would_cell_by_cell() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut unchanged = 0;
        for round in 0..100 {
            // Now and then cells of which most are at an end of their range, and few are in the sets.
            let still = [0, 7 << 11 | 7 << 8][round / 2 % 2];
            let voxel =
                |random: &mut fastrand::Rng| if round % 2 == 0 { random.u16(..) } else { random.u16(..) & 7 | still };
            let before: [Voxel; LAYER_CELLS] = core::array::from_fn(|_| Voxel::from_raw(voxel(&mut random)));
            let flow: [u16; LAYER_CELLS] = core::array::from_fn(|_| random.u16(..));
            let few = if round % 2 == 0 { u64::MAX } else { 1 << random.u32(..64) };
            let up: LayerBits = core::array::from_fn(|_| random.u64(..) & few);
            let down = minus(core::array::from_fn(|_| random.u64(..) & few), up);
            let mut after = before;
            let differ = change_activity(&mut after, &flow, up, down);
            assert_eq!(differ, before != after);
            unchanged += u32::from(!differ);
            for (cell, (&was, &is)) in before.iter().zip(&after).enumerate() {
                let active = match (bits::contains(&up, cell), bits::contains(&down, cell)) {
                    (true, _) => (was.active() + 1).min(7),
                    (_, true) => was.active().saturating_sub(1),
                    _ => was.active(),
                };
                let flows = bits::contains(&up, cell) && was.direction_code() != 0;
                let largest = if flows { was.largest().max((flow[cell] & 7) as u8) } else { was.largest() };
                let expected = Voxel::from_raw(was.word() & !(7 << 11) | u16::from(active) << 11).with_largest(largest);
                assert_eq!(is.word(), expected.word());
            }
        }
        assert!(unchanged > 5, "{unchanged} rounds changed nothing");
    }

    /// The parents that a cell has after water came in through the faces `inflow`, by the rules said of it alone.
    fn parents_after(tick: &Tick, place: Place, inflow: u8) -> u8 {
        let (store, voxel) = (&*tick.store, tick.store.read(place));
        let before = store.parents_of(place);
        let feeds = |face: &Face| inflow & !before & 1 << face.index() != 0;
        let entered: Vec<Face> = Face::ALL.into_iter().filter(feeds).collect();
        let has_children = store.children_of(place) != 0;
        let is_above = |face: Face| ancestors(store, store.step(place, face)).contains(&place);
        let is_sourced = |face: Face| store.look(place, face).has(CellFlags::HAS_SOURCE);
        let astray = inflow & before == 0 && !voxel.has(CellFlags::HAS_SOURCE) && !has_children;
        if entered.is_empty() {
            before
        } else if before == 0 || astray {
            let sourced = entered.iter().copied().find(|&face| is_sourced(face));
            let face = if entered.contains(&Face::Up) { Face::Up } else { sourced.unwrap_or(entered[0]) };
            let ties = !has_children || is_sourced(face) && !is_above(face);
            if ties { 1 << face.index() } else { 0 }
        } else if voxel.has(CellFlags::HAS_SOURCE) {
            let joins = |face: &Face| {
                let feeder = store.look(place, *face);
                let heads_here = feeder.direction_code() == face.opposite().index() + 1;
                is_sourced(*face)
                    && (heads_here || feeder.has(CellFlags::IS_SOURCE))
                    && !(has_children && is_above(*face))
            };
            entered.into_iter().filter(joins).fold(before, |parents, face| parents | 1 << face.index())
        } else {
            before
        }
    }

    #[test]
    fn a_cell_follows_who_fed_it_and_says_so() {
        let mut random = fastrand::Rng::with_seed(22);
        let (mut first, mut further, mut kept) = (0, 0, 0);
        for seed in 0..12 {
            let mut world = sample::springs(seed);
            let places = sample::places(&world);
            let mut tick = world.underway();
            for place in places {
                let voxel = tick.store.read(place);
                if voxel.is_mark() || voxel.has(CellFlags::IS_SOURCE) {
                    continue;
                }
                let is_wet = |face: &Face| tick.store.look(place, *face).is_wet();
                let wet = Face::ALL.into_iter().filter(is_wet).fold(0, |faces, face| faces | 1 << face.index());
                let faces = random.u8(..) & wet;
                let inflow: [LayerBits; 6] = core::array::from_fn(|face| {
                    let mut cells = NONE;
                    if faces >> face & 1 != 0 {
                        bits::insert(&mut cells, place.1 % LAYER_CELLS);
                    }
                    cells
                });
                let (before, expected) = (tick.store.parents_of(place), parents_after(&tick, place, faces));
                let mut later = Afterwards::default();
                let retied = tick.follow(place, &inflow, &mut later);
                assert_eq!(tick.store.parents_of(place), expected, "seed {seed}: {place:?}, {faces:#b}");
                assert_eq!(retied, expected != before, "seed {seed}: {place:?}, {faces:#b}");
                let joined = expected & !before != 0;
                assert_eq!(later.joined.contains(&place), joined, "seed {seed}: {place:?}, {faces:#b}");
                first += u32::from(joined && before == 0);
                further += u32::from(joined && before != 0 && expected & before == before);
                kept += u32::from(faces & !before != 0 && expected == before);
            }
        }
        assert!(first > 100 && further > 20 && kept > 100, "{first} first, {further} further, {kept} kept");
    }

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

    #[test]
    fn an_idle_cell_without_a_source_loses_all_its_parents() {
        let mut world = WaterWorld::new(1, Rules { edges: Edges::WALLS, ..Rules::lossless() }).expect("rules in range");
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        world.fill_water(Region::new(IVec3::new(4, 1, 5), IVec3::new(6, 1, 5)), 3).expect("a loaded chunk");
        world.run(40);
        let place = (world.store.grid.sorted_slots()[0], LAYER_CELLS + 5 * 16 + 5);
        let voxel = world.store.read(place).with_direction_code(Face::East.index() + 1);
        let several = 1 << Face::West.index() | 1 << Face::East.index();
        let voxel = world.store.keep_parents(place, several, voxel);
        world.store.write(place, voxel);
        world.store.wake(place);
        assert_eq!((world.store.parents_of(place), voxel.active()), (several, 0));
        world.step();
        assert_eq!(world.store.read(place).word(), 3);
        assert!(world.store.parent_planes(place.0, 1).iter().all(|cells| !any(*cells)), "nor is any kept elsewhere");
    }
}
