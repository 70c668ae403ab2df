//! Reparenting: the direction of water that no spring feeds follows the flow. A cell adopts a
//! neighbour that fed it in the tick as its parent; an idle one loses its parents. What springs
//! feed gets its parents when it becomes connected: see `reach`.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::ebb::Ebb;
use crate::water::ebb::afterwards::Afterwards;
use crate::water::store::parents::orphaned;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

impl Context<'_> {
    /// Lets the directions of a layer's cells follow the flow, and clears them in idle cells that
    /// are not connected to a spring. Returns whether any parent has changed.
    pub(super) fn reparent(&mut self, ebb: &Ebb, idle: LayerMask, later: &mut Afterwards) -> bool {
        let &Ebb { slot, layer, touched, .. } = ebb;
        let Some(work) = self.work.get(slot, layer) else { return false };
        let connected = self.store.connected(slot, layer);
        let entered = work.entered() & touched;
        let has_parent = |voxel: Voxel| voxel.direction().is_some();
        let cut_off = self.store.select_among(slot, layer, idle - connected, has_parent);
        if (entered | cut_off).is_empty() {
            return false;
        }
        let mut has_changed = cut_off.any();
        for cell in entered.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let inflow = self.work.get(slot, layer).map_or(0, |work| work.entries(cell));
            let adopts = !connected.contains(cell) && self.adopt_feeder(place, inflow);
            if adopts {
                later.reparented.push(place);
            }
            has_changed |= adopts;
            self.widen(place);
        }
        for cell in cut_off.iter() {
            self.cut_off(Place::in_layer(slot, layer, cell), later);
        }
        has_changed
    }

    /// Raises the bottleneck of a cell with a parent to the units that it passed on.
    fn widen(&mut self, place: Place) {
        let (voxel, passed) = (self.store.read(place), self.work.passed(place));
        if voxel.direction().is_some() && voxel.largest() < passed {
            self.put(place, voxel.with_largest(passed));
        }
    }

    /// Makes a neighbour that fed a cell through one of the faces `inflow` its parent, if it has
    /// none, or was not fed by it. A cell with children keeps what it has, so parents form no
    /// cycle. Returns whether the parent is another.
    fn adopt_feeder(&mut self, place: Place, inflow: u8) -> bool {
        let voxel = self.store.read(place);
        let parents = self.store.parents_in(place, voxel);
        if inflow & parents != 0 || self.store.children_of(place) != 0 {
            return false;
        }
        let is_feeder = |&face: &Face| {
            let there = self.store.step(place, face);
            there.is_some() && !self.store.read(there).is_mark()
        };
        let feeders = || Store::faces(inflow).filter(is_feeder);
        let is_connected = |&face: &Face| self.store.look(place, face).has(CellFlags::HAS_SOURCE);
        // Flow from above first, then from a cell connected to a spring, then any.
        let from_above = feeders().find(|&face| face == Face::Up);
        let face = from_above.or_else(|| feeders().find(is_connected)).or_else(|| feeders().next());
        let Some(face) = face else { return false };
        let voxel = self.store.keep_parents(place, 0, voxel).with_parent(face);
        // HasSource is set in one place, at the end of the tick: see `reach`.
        self.put(place, voxel);
        true
    }

    /// Takes the parents from a cell through which nothing flows.
    fn cut_off(&mut self, place: Place, later: &mut Afterwards) {
        let voxel = self.store.read(place);
        // Saved first: additional parents may change before the voxel does.
        self.put(place, voxel);
        let voxel = orphaned(self.store.keep_parents(place, 0, voxel));
        self.put(place, voxel);
        if self.work.ties_changed {
            // What it feeds may sleep, and is connected no more.
            let fed = self.store.children(place).filter(|&child| self.is_stale(child));
            later.stale.extend(fed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::context::test_worlds;
    use crate::water::{Edges, Rules, Voxel, WaterWorld};
    use glam::IVec3;

    /// Reference: the parents of a cell after inflow through the faces `inflow`.
    fn parents_after(tick: &Context, place: Place, inflow: u8) -> u8 {
        let (store, before) = (&*tick.store, tick.store.parents_of(place));
        let entered: Vec<Face> =
            Face::ALL.into_iter().filter(|face| inflow & 1 << face.index() != 0).collect();
        let is_kept = inflow & before != 0 || store.children_of(place) != 0;
        if entered.is_empty() || is_kept {
            return before;
        }
        let is_connected = |face: &&Face| store.look(place, **face).has(CellFlags::HAS_SOURCE);
        let connected = entered.iter().find(is_connected);
        let up = entered.iter().find(|&&face| face == Face::Up);
        1 << up.or(connected).unwrap_or(&entered[0]).index()
    }

    #[test]
    fn a_cell_adopts_a_neighbour_that_fed_it_unless_it_feeds_others() {
        let mut random = fastrand::Rng::with_seed(22);
        let (mut adopted, mut kept) = (0, 0);
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let mut tick = test_worlds::tick(&mut world);
            for place in places {
                let voxel = tick.store.read(place);
                if voxel.is_mark() || voxel.is_connected() {
                    continue;
                }
                let is_wet = |face: &Face| tick.store.look(place, *face).is_wet();
                let wet = Face::ALL
                    .into_iter()
                    .filter(is_wet)
                    .fold(0, |faces, face| faces | 1 << face.index());
                let inflow = random.u8(..) & wet;
                let before = tick.store.parents_of(place);
                let expected = parents_after(&tick, place, inflow);
                let adopts = tick.adopt_feeder(place, inflow);
                assert_eq!(
                    (adopts, tick.store.parents_of(place)),
                    (expected != before, expected),
                    "seed {seed}: {place:?}, {inflow:#b}"
                );
                adopted += u32::from(adopts);
                kept += u32::from(inflow != 0 && !adopts);
            }
        }
        assert!(adopted > 50 && kept > 50, "{adopted} adopted, {kept} kept");
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
