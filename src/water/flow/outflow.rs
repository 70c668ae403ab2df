//! Outflow: water leaves through the drains at the edges of the world, first from the roots of its
//! flow, then from the outlet itself. The paths of outlets are marked by depth-first search.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::draw::path::{Drawn, parent_beside};
use crate::water::draw::roots::Need;
use crate::water::random::{Purpose, Queue};
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// Lets water leave through the awake outlets of a layer. Returns the number of cells visited.
    pub(crate) fn outflow(&mut self, slot: Slot, layer: usize) -> u64 {
        let Some(outlets) = self.store.outlets(slot) else { return 0 };
        let cells = outlets.layer(layer) & self.awake(slot, layer);
        if cells.is_empty() {
            return 0;
        }
        let visited = u64::from(cells.count());
        self.report.visited += visited;
        let mut queue = Queue::new(Purpose::Order.seed(self.work.seed(self.store, slot, layer)));
        cells.iter().for_each(|cell| queue.push(cell));
        while let Some(cell) = queue.pop() {
            self.flow_out(Place::in_layer(slot, layer, cell));
        }
        visited
    }

    /// Lets water leave through an outlet: what a draw brings from a root, then its own.
    fn flow_out(&mut self, place: Place) {
        let voxel = self.store.read(place);
        if voxel.is_mark() || voxel == Voxel::OPEN {
            return;
        }
        let exits = [Face::Down, Face::West, Face::East, Face::North, Face::South];
        let Some(exit) =
            exits.into_iter().find(|&face| self.store.look(place, face) == Voxel::DRAIN)
        else {
            return;
        };
        self.mark_path(place);
        let wanted = self.limits.left(voxel, self.work.passed(place));
        if wanted == 0 {
            return;
        }
        if let Drawn::Units { units, .. } = self.draw(place, exit, wanted, Need::Leave) {
            self.ledger.drained += u64::from(units);
        }
        let voxel = self.store.read(place);
        let own = voxel.height().min(self.limits.left(voxel, self.work.passed(place)));
        if own > 0 {
            self.take(place, own);
            self.pass_on(place, exit, own);
            self.ledger.drained += u64::from(own);
        }
    }

    /// Sets FlowOut on all cells from an outlet up to the roots of its flows.
    fn mark_path(&mut self, outlet: Place) {
        let mut open: SmallVec<[Place; 8]> = smallvec![outlet];
        while let Some(place) = open.pop() {
            let Some(place) = self.skip_marked(place) else { continue };
            let work = self.work.join(self.store, place.slot, place.layer());
            work.marked.insert(place.cell());
            let voxel = self.store.read(place);
            if !voxel.has(CellFlags::FLOW_OUT) {
                self.put_marks(place, voxel.with(CellFlags::FLOW_OUT, true));
                self.wake_cell(place);
            }
            for face in Store::faces(self.store.parents_of(place)) {
                let parent = self.store.step(place, face);
                if parent.is_some() {
                    open.push(parent);
                }
            }
        }
    }

    /// Skips cells upwards along a path as long as they have FlowOut and a single parent in the
    /// same layer, and marks them as visited. Returns the first other cell, `None` if the path
    /// reaches a cell visited earlier in this tick.
    fn skip_marked(&mut self, place: Place) -> Option<Place> {
        let (slot, layer, mut cell) = (place.slot, place.layer(), place.cell());
        let visited = &mut self.work.join(self.store, slot, layer).marked;
        let cells = self.store.cells(slot, layer);
        loop {
            if visited.contains(cell) {
                return None;
            }
            let voxel = cells.map_or(Voxel::OPEN, |cells| cells[cell]);
            match parent_beside(cell, voxel) {
                Some((parent, _))
                    if voxel.has(CellFlags::FLOW_OUT) && !voxel.has(CellFlags::EXTRA) =>
                {
                    visited.insert(cell);
                    cell = parent;
                }
                _ => return Some(Place::in_layer(slot, layer, cell)),
            }
        }
    }
}
