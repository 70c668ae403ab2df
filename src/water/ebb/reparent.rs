//! Reparenting: directions follow the flow. A cell adopts neighbours that fed it in the tick as
//! parents; an idle cell that is not connected to a spring loses all its parents.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::ebb::Ebb;
use crate::water::ebb::afterwards::{Adoption, Afterwards};
use crate::water::store::parents::orphaned;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The cells of a layer whose parents are still to follow the flow.
pub(crate) struct Reparenting {
    /// Those that may adopt what fed them.
    candidates: LayerMask,
    /// Those that lose all their parents.
    cut_off: LayerMask,
    /// Whether any parents have changed.
    pub(super) has_changed: bool,
}

impl Context<'_> {
    /// Begins to let the directions of a layer's cells follow the flow, and to clear them in idle
    /// cells that are not connected to a spring.
    pub(super) fn begin_reparenting(&mut self, ebb: &Ebb, idle: LayerMask) -> Reparenting {
        let &Ebb { slot, layer, touched, .. } = ebb;
        let none = LayerMask::NONE;
        let mut found = Reparenting { candidates: none, cut_off: none, has_changed: false };
        let Some(work) = self.work.get(slot, layer) else { return found };
        let connected = self.store.connected(slot, layer);
        let entered = work.entered() & touched;
        let is_fed = |voxel: Voxel| voxel.direction().is_some();
        found.cut_off = self.store.select_among(slot, layer, idle - connected, is_fed);
        let changing = entered | found.cut_off;
        if changing.is_empty() {
            return found;
        }
        // Additional parents may change before any voxel does.
        self.work.join(self.store, slot, layer).save(self.store, slot, layer, changing);
        let springs = self.store.springs(slot, layer);
        let candidates = if entered.is_sparse() {
            entered
        } else {
            let parents = self.store.parent_planes(slot, layer);
            let inflow = self.work.join(self.store, slot, layer).inflow();
            may_reparent(&inflow, &parents, connected, springs, self.rules.many_parents)
        };
        found.candidates = (candidates & touched) - springs;
        found
    }

    /// Goes on with that. Returns whether it is done; if not, the budget is spent.
    pub(super) fn go_on_reparenting(
        &mut self,
        (slot, layer): (Slot, usize),
        left: &mut Reparenting,
        later: &mut Afterwards,
        budget: &mut Budget,
    ) -> bool {
        for cell in left.candidates.iter() {
            let inflow = self.work.get(slot, layer).map_or(0, |work| work.entries(cell));
            let place = Place::in_layer(slot, layer, cell);
            let Some(has_changed) = self.reparent_cell(place, inflow, later, budget) else {
                return false;
            };
            left.has_changed |= has_changed;
            left.candidates.remove(cell);
        }
        for cell in left.cut_off.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            let voxel = orphaned(self.store.keep_parents(place, 0, voxel));
            self.put(place, voxel);
            if self.work.ties_changed {
                // A draw may have made it part of a way in this tick, before it was connected. What
                // it feeds may sleep, and is connected no more.
                let fed = self.store.children(place).filter(|&child| self.is_stale(child));
                later.stale.extend(fed);
            }
            left.has_changed = true;
        }
        true
    }

    /// Adopts neighbours that fed a cell through the faces `inflow` as parents, as far as the rules
    /// allow it, and raises its bottleneck to the units that it passed on. Puts off what needs more
    /// than the scope. Returns whether the parents changed; `None` if the budget is spent before
    /// that is known: then the same call resumes it.
    pub(crate) fn reparent_cell(
        &mut self,
        place: Place,
        inflow: u8,
        later: &mut Afterwards,
        budget: &mut Budget,
    ) -> Option<bool> {
        let interrupted = later.adoption.take();
        let mut adoption = interrupted.unwrap_or_else(|| self.begin_adoption(place, inflow));
        debug_assert_eq!(adoption.place, place, "an adoption is resumed before another begins");
        if !self.adopt_feeders(&mut adoption, budget) {
            later.adoption = Some(adoption);
            return None;
        }
        let Adoption { before: (voxel, before), voxel: after, left, .. } = adoption;
        if left.is_some() {
            later.put_off.push((place, inflow));
        }
        let parents = self.store.parents_in(place, after);
        if parents & !before != 0 {
            later.reparented.push(place);
        }
        let passed = self.work.passed(place);
        let after = if after.direction().is_none() {
            after
        } else {
            after.with_largest(after.largest().max(passed))
        };
        if after != voxel {
            self.put(place, after);
        }
        Some(parents != before)
    }

    /// Finds out which neighbours a cell may adopt, according to the flow that came in through the
    /// faces `inflow`.
    fn begin_adoption(&self, place: Place, inflow: u8) -> Adoption {
        let voxel = self.store.read(place);
        let parents = self.store.parents_in(place, voxel);
        let mut adoption = Adoption {
            place,
            before: (voxel, parents),
            voxel,
            is_first: false,
            faces: 0,
            ascent: None,
            left: None,
        };
        if inflow == 0 || inflow & parents == inflow {
            return adoption;
        }
        let connected = |face: Face| self.store.look(place, face).has(CellFlags::HAS_SOURCE);
        let faces = || Store::faces(inflow & !parents);
        let is_stray = inflow & parents == 0 && !voxel.has(CellFlags::HAS_SOURCE);
        if parents == 0 || is_stray && self.store.children(place).next().is_none() {
            // Priority: flow from above, then from a cell connected to a spring, then any.
            let first = faces().find(|&face| face == Face::Up);
            let face =
                first.or_else(|| faces().find(|&face| connected(face))).or_else(|| faces().next());
            adoption.is_first = true;
            adoption.faces = face.map_or(0, |face| 1 << face.index());
        } else if self.rules.many_parents && voxel.has(CellFlags::HAS_SOURCE) {
            let joins = |&face: &Face| {
                let feeder = self.store.look(place, face);
                let heading =
                    feeder.direction() == Some(face.opposite()) || feeder.has(CellFlags::IS_SOURCE);
                feeder.has(CellFlags::HAS_SOURCE) && heading
            };
            adoption.faces = faces().filter(joins).fold(0, |all, face| all | 1 << face.index());
        }
        adoption
    }

    /// Changes the parents of a cell, as far as that closes no cycle. Returns whether that is done;
    /// if not, the budget is spent.
    fn adopt_feeders(&mut self, adoption: &mut Adoption, budget: &mut Budget) -> bool {
        while let Some(face) = Store::faces(adoption.faces).next() {
            let is_done = if adoption.is_first {
                self.adopt_first(adoption, face, budget)
            } else {
                self.adopt_further(adoption, face, budget)
            };
            if !is_done {
                return false;
            }
            adoption.faces &= !(1 << face.index());
        }
        true
    }

    fn adopt_first(&mut self, adoption: &mut Adoption, face: Face, budget: &mut Budget) -> bool {
        let Adoption { place, voxel, .. } = *adoption;
        let loose = voxel.with(CellFlags::EXTRA, false);
        let at = (place, face);
        match self.store.attach(at, loose, self.scope, &mut adoption.ascent, budget) {
            Ok(None) => return false,
            Ok(Some(attached)) => {
                self.store.keep_parents(place, 0, voxel);
                // HasSource is set in one place, at the end of the tick: see
                // `Context::set_connected`.
                let attached = attached.map(|voxel| voxel.with(CellFlags::HAS_SOURCE, false));
                adoption.voxel = attached.unwrap_or(loose);
            }
            Err(left) => adoption.left = Some(left),
        }
        true
    }

    fn adopt_further(&mut self, adoption: &mut Adoption, face: Face, budget: &mut Budget) -> bool {
        let Adoption { place, voxel, .. } = *adoption;
        self.store.write(place, voxel);
        match self.store.add_parent((place, face), voxel, self.scope, &mut adoption.ascent, budget)
        {
            Ok(None) => return false,
            Ok(Some(added)) => adoption.voxel = added.unwrap_or(voxel),
            Err(left) => adoption.left = Some(left),
        }
        self.store.write(place, adoption.voxel);
        true
    }
}

/// Returns a superset of the cells whose parents may change: those with inflow from a neighbour
/// that is not a parent, if they have no parent, or are not connected to a spring and had no inflow
/// from a parent, or are connected and a connected neighbour may be flowing into them.
fn may_reparent(
    inflow: &[LayerMask; 6],
    parents: &[LayerMask; 6],
    connected: LayerMask,
    springs: LayerMask,
    many_parents: bool,
) -> LayerMask {
    let entered: [LayerMask; 6] = core::array::from_fn(|face| inflow[face] - parents[face]);
    let kept = LayerMask::union((0..6).map(|face| inflow[face] & parents[face]));
    let loose = !LayerMask::union(*parents) | (!connected - kept);
    let mut joins = LayerMask::NONE;
    if many_parents {
        // Neighbours in other layers are not tested, but assumed to flow into the cell.
        joins = entered[Face::Down.index()] | entered[Face::Up.index()];
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let heading = (parents[face.index()] | springs) & connected;
            joins |= entered[face.index()] & heading.shifted(&[LayerMask::ALL; 4])[side];
        }
    }
    LayerMask::union(entered) & (loose | (connected & joins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::context::test_worlds::{self, ancestors};
    use crate::water::{Edges, Rules, WaterWorld};
    use glam::IVec3;

    /// Reference: the parents of a cell after inflow through the faces `inflow`.
    fn parents_after(tick: &Context, place: Place, inflow: u8) -> u8 {
        let (store, voxel) = (&*tick.store, tick.store.read(place));
        let before = store.parents_of(place);
        let feeds = |face: &Face| inflow & !before & 1 << face.index() != 0;
        let entered: Vec<Face> = Face::ALL.into_iter().filter(feeds).collect();
        let has_children = store.children_of(place) != 0;
        let is_above = |face: Face| ancestors(store, store.step(place, face)).contains(&place);
        let is_connected = |face: Face| store.look(place, face).has(CellFlags::HAS_SOURCE);
        let is_stray = inflow & before == 0 && !voxel.has(CellFlags::HAS_SOURCE) && !has_children;
        if entered.is_empty() {
            before
        } else if before == 0 || is_stray {
            let connected = entered.iter().copied().find(|&face| is_connected(face));
            let face = if entered.contains(&Face::Up) {
                Face::Up
            } else {
                connected.unwrap_or(entered[0])
            };
            let is_allowed = !has_children || is_connected(face) && !is_above(face);
            if is_allowed { 1 << face.index() } else { 0 }
        } else if voxel.has(CellFlags::HAS_SOURCE) {
            let joins = |face: &Face| {
                let feeder = store.look(place, *face);
                let heads_here = feeder.direction() == Some(face.opposite());
                is_connected(*face)
                    && (heads_here || feeder.has(CellFlags::IS_SOURCE))
                    && !(has_children && is_above(*face))
            };
            entered
                .into_iter()
                .filter(joins)
                .fold(before, |parents, face| parents | 1 << face.index())
        } else {
            before
        }
    }

    #[test]
    fn a_cell_adopts_neighbours_that_fed_it_and_reports_that() {
        let mut random = fastrand::Rng::with_seed(22);
        let (mut first, mut further, mut kept, mut interrupted) = (0, 0, 0, 0);
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            for place in places {
                let voxel = tick.store.read(place);
                if voxel.is_mark() || voxel.has(CellFlags::IS_SOURCE) {
                    continue;
                }
                let is_wet = |face: &Face| tick.store.look(place, *face).is_wet();
                let wet = Face::ALL
                    .into_iter()
                    .filter(is_wet)
                    .fold(0, |faces, face| faces | 1 << face.index());
                let faces = random.u8(..) & wet;
                let (before, expected) =
                    (tick.store.parents_of(place), parents_after(&tick, place, faces));
                let mut later = Afterwards::default();
                // The searches for cycles are done in pieces of one cell or more.
                let reparented = loop {
                    let mut budget = Budget::new(1 + seed as usize % 3);
                    match tick.reparent_cell(place, faces, &mut later, &mut budget) {
                        Some(reparented) => break reparented,
                        None => interrupted += 1,
                    }
                };
                assert_eq!(
                    tick.store.parents_of(place),
                    expected,
                    "seed {seed}: {place:?}, {faces:#b}"
                );
                assert_eq!(reparented, expected != before, "seed {seed}: {place:?}, {faces:#b}");
                let gains_parent = expected & !before != 0;
                assert_eq!(
                    later.reparented.contains(&place),
                    gains_parent,
                    "seed {seed}: {place:?}, {faces:#b}"
                );
                first += u32::from(gains_parent && before == 0);
                further += u32::from(gains_parent && before != 0 && expected & before == before);
                kept += u32::from(faces & !before != 0 && expected == before);
            }
        }
        assert!(
            first > 100 && further > 20 && kept > 100 && interrupted > 100,
            "{first} first parents, {further} additional ones, {kept} unchanged, {interrupted} times \
             interrupted"
        );
    }

    #[test]
    fn an_idle_cell_without_a_spring_loses_all_its_parents() {
        let mut world = WaterWorld::new(1, Rules { edges: Edges::WALLS, ..Rules::lossless() })
            .expect("rules in range");
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
        world
            .fill_water(Region::new(IVec3::new(4, 1, 5), IVec3::new(6, 1, 5)), 3)
            .expect("a loaded chunk");
        world.run(40);
        let place = Place::in_layer(world.store.grid().sorted_slots()[0], 1, 5 * 16 + 5);
        let voxel = world.store.read(place).with_direction(Some(Face::East));
        let several = 1 << Face::West.index() | 1 << Face::East.index();
        let voxel = world.store.keep_parents(place, several, voxel);
        world.store.write(place, voxel);
        world.store.wake(place);
        assert_eq!((world.store.parents_of(place), voxel.active()), (several, 0));
        world.step();
        assert_eq!(world.store.read(place).word(), 3);
        assert!(
            world.store.parent_planes(place.slot, 1).iter().all(|cells| cells.is_empty()),
            "no parent is kept outside the voxel either"
        );
    }
}
