//! Outlets: the cells beside or above a drain. Water leaves the world through them, first from the
//! roots of their flows, then their own. The cells of the paths that lead to an outlet are marked
//! with FlowOut (depth-first search).

use crate::coords::Face;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::draw::Draws;
use crate::water::draw::path::{Draw, Drawn, Purpose, parent_beside};
use crate::water::draw::roots::Need;
use crate::water::store::{Place, Step, Store};
use crate::water::voxel::Voxel;

impl Context<'_> {
    /// Begins the turn of an outlet. `limited`: a draw that turns off a straight flow takes only a
    /// part of it; the outlet then has a second turn. Returns its draw, if it makes one.
    pub(super) fn begin_outlet(
        &mut self,
        draws: &mut Draws,
        place: Place,
        limited: bool,
    ) -> Option<Draw> {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel == Voxel::OPEN {
            return None;
        }
        let exit = self.exit_of(place)?;
        let wanted = self.limits.left(voxel, self.work.passed(place));
        if wanted == 0 {
            draws.unmarked.push(place);
            return None;
        }
        let purpose = Purpose::Leave { limited };
        Some(Draw::new(purpose, place, (place, exit), wanted, Need::Leave))
    }

    /// Ends the draw of an outlet. Its own water leaves next, unless it draws again.
    pub(super) fn end_outlet(&mut self, draws: &mut Draws, draw: &Draw, drawn: Drawn) {
        let limited = draw.purpose == (Purpose::Leave { limited: true });
        match drawn {
            Drawn::HeldBack if limited => {
                draws.held_back.push(draw.cell);
                return;
            }
            Drawn::Narrow => draws.underway = self.begin_outlet(draws, draw.cell, limited),
            _ => {}
        }
        if draws.underway.is_none() {
            draws.leaving = Some(draw.first);
        }
    }

    /// Ends the turn of an outlet: its own water leaves through its exit, and the path to it is
    /// marked. What is connected to a spring and would flow sideways stays until it is drawn, so
    /// that a lane which loses a turn is kept. To be called again if the budget is spent.
    pub(super) fn leave(&mut self, draws: &mut Draws, (place, exit): Step, budget: &mut Budget) {
        let voxel = self.store.read(place);
        let y = self.store.layer_y(place.slot, place.layer());
        let is_free = !voxel.is_connected() || exit == Face::Down && !voxel.is_source();
        let leaves = if is_free {
            Some(true)
        } else {
            self.is_beyond_reach(place, y.saturating_add(1), budget).map(|is_beyond| !is_beyond)
        };
        let Some(leaves) = leaves else {
            draws.leaving = Some((place, exit));
            return;
        };
        if leaves {
            let own = voxel.height().min(self.limits.left(voxel, self.work.passed(place)));
            if own > 0 {
                self.take(place, own);
                self.pass_on(place, exit, own);
                self.ledger.drained += u64::from(own);
            }
        }
        draws.unmarked.push(place);
    }

    /// Returns the face across which an outlet drains.
    fn exit_of(&self, place: Place) -> Option<Face> {
        let exits = [Face::Down, Face::West, Face::East, Face::North, Face::South];
        exits.into_iter().find(|&face| self.store.look(place, face) == Voxel::DRAIN)
    }

    /// Sets FlowOut on a cell of a path to an outlet, and pushes its parents, so that all cells up
    /// to the roots of the flows get it.
    pub(super) fn mark_next(&mut self, draws: &mut Draws, place: Place, budget: &mut Budget) {
        let Some(place) = self.skip_marked(place, budget) else { return };
        if !budget.spend(1) {
            draws.unmarked.push(place);
            return;
        }
        let work = self.work.join(self.store, place.slot, place.layer());
        work.marked.insert(place.cell());
        let voxel = self.store.read(place);
        if !voxel.has(CellFlags::FLOW_OUT) {
            self.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
            self.wake_cell(place);
        }
        let parents = Store::faces(self.store.parents_of(place));
        let parents = parents.map(|face| self.store.step(place, face));
        draws.unmarked.extend(parents.filter(|parent| parent.is_some()));
    }

    /// Skips cells upwards along a path as long as they have FlowOut and a single parent in the
    /// same layer, and marks them as visited. Returns the first other cell, or the one at which the
    /// budget is spent; `None` if the path reaches a cell visited earlier in this tick.
    fn skip_marked(&mut self, place: Place, budget: &mut Budget) -> Option<Place> {
        let (slot, layer, mut cell) = (place.slot, place.layer(), place.cell());
        let visited = &mut self.work.join(self.store, slot, layer).marked;
        let cells = self.store.cells(slot, layer);
        loop {
            if visited.contains(cell) {
                budget.spend(1);
                return None;
            }
            let voxel = cells.map_or(Voxel::OPEN, |cells| cells[cell]);
            match parent_beside(cell, voxel) {
                Some((parent, _))
                    if voxel.has(CellFlags::FLOW_OUT)
                        && !voxel.has(CellFlags::EXTRA)
                        && budget.spend(1) =>
                {
                    visited.insert(cell);
                    cell = parent;
                }
                _ => return Some(Place::in_layer(slot, layer, cell)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::context::test_worlds;

    /// With few cells at a time, all that feeds an outlet is marked, and each cell counts.
    #[test]
    fn all_that_feeds_an_outlet_is_marked() {
        let (mut marked, mut skipped, mut forks) = (0, 0, 0);
        for seed in 0..24 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            // What has the flag from the first tick is skipped in the second.
            for round in 0..2 {
                let tick = &mut test_worlds::tick(&mut world);
                for &outlet in places.iter().filter(|place| place.index % 5 == seed as usize % 5) {
                    if tick.store.read(outlet).is_mark() || !tick.store.read(outlet).is_wet() {
                        continue;
                    }
                    let is_marked = |tick: &Context, place: &Place| {
                        let work = tick.work.get(place.slot, place.layer());
                        work.is_some_and(|work| work.marked.contains(place.cell()))
                    };
                    let has_flag = |tick: &Context, place: &Place| {
                        tick.store.read(*place).has(CellFlags::FLOW_OUT)
                    };
                    let mut path = test_worlds::ancestors(tick.store, outlet);
                    path.retain(|place| !is_marked(tick, place));
                    skipped += path.iter().filter(|place| has_flag(tick, place)).count();
                    let several = |place: &&Place| tick.store.parents_of(**place).count_ones() > 1;
                    forks += path.iter().filter(several).count();
                    let mut draws = Draws::default();
                    draws.unmarked.push(outlet);
                    let mut charged = 0;
                    while let Some(place) = draws.unmarked.pop() {
                        let mut budget = Budget::new(3);
                        tick.mark_next(&mut draws, place, &mut budget);
                        charged += budget.spent() as usize;
                    }
                    assert!(charged >= path.len(), "seed {seed}, {round}: {charged} charged");
                    let is_done = |place: &Place| is_marked(tick, place) && has_flag(tick, place);
                    assert!(path.iter().all(is_done), "seed {seed}, {round}: {outlet:?}");
                    marked += path.len();
                }
                world.finish_tick();
            }
        }
        assert!(
            marked > 500 && skipped > 50 && forks > 20,
            "{marked} marked, {skipped} of them skipped, {forks} forks"
        );
    }
}
