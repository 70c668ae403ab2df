//! Falls: a column of full cells that hang below a spring or an edge passes on what its foot takes.
//! It is shifted as a whole (run): the foot gets the units, the top cell loses them, and those
//! between are as before. So a fall costs its foot and its top, whatever its height.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::{ACTIVE, CellFlags, DIRECTION_SHIFT, FULL, LARGEST_SHIFT};
use crate::water::context::Context;
use crate::water::flow::kernel::falling;
use crate::water::store::{LayerState, Place};
use crate::water::voxel::Voxel;

impl Context<'_> {
    /// Shifts the runs whose lowest cell is awake in a layer and has room below.
    pub(super) fn shift_runs(&mut self, slot: Slot, layer: usize, firm: LayerMask) {
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let hanging = (self.awake(slot, layer) & self.store.connected(slot, layer) & wet & closed)
            - firm
            - self.store.springs(slot, layer);
        for cell in hanging.iter() {
            let lowest = Place::in_layer(slot, layer, cell);
            if let Some(top) = self.top_of_run(lowest) {
                self.shift_run(lowest, top);
            }
        }
    }

    /// Returns the highest cell of the run that ends in a cell, if there are two at least, and a
    /// cell below them takes water.
    fn top_of_run(&self, lowest: Place) -> Option<Place> {
        let foot = self.store.look(lowest, Face::Down);
        if foot.is_mark() || foot.is_closed() || !self.is_of_run(lowest) {
            return None;
        }
        let above = |&place: &Place| Some(self.store.step(place, Face::Up));
        let cells = core::iter::successors(Some(lowest), above);
        let top = cells.take_while(|&place| place.is_some() && self.is_of_run(place)).last()?;
        (top != lowest).then_some(top)
    }

    /// Returns whether a cell is full, falls, and has passed on nothing in this tick, and no water
    /// lies beside it.
    fn is_of_run(&self, place: Place) -> bool {
        let fall = (u16::from(FULL) | ACTIVE | CellFlags::HAS_SOURCE.bits())
            | (Face::Down.index() as u16 + 1) << DIRECTION_SHIFT
            | u16::from(self.limits.throughput) << LARGEST_SHIFT;
        self.store.read(place).word() == fall
            && self.work.passed(place) == 0
            && Face::LATERAL.into_iter().all(|face| !self.store.look(place, face).is_wet())
            && !self.store.has_work(place)
    }

    /// Lets the foot below `lowest` take what it has room for.
    fn shift_run(&mut self, lowest: Place, top: Place) {
        let foot = self.store.step(lowest, Face::Down);
        let units = falling(FULL, self.limits.throughput, self.store.read(foot));
        let mut at = lowest;
        while at != top {
            self.work.runs.add(at, units);
            self.report.moved += u64::from(units);
            at = self.store.step(at, Face::Up);
        }
        self.wake_cell(lowest);
        self.pass_on(top, Face::Down, units);
        let (slot, layer) = (top.slot, top.layer());
        let work = self.work.join(self.store, slot, layer);
        work.fallen.insert(top.cell());
        work.woken.insert(top.cell());
        let voxel = self.store.read(top);
        self.put(top, voxel.with_height(voxel.height() - units));
        self.wake_givers(slot, layer, LayerMask::single(top.cell()));
        self.receive_from_above(foot, units);
    }

    /// Raises a cell by units that fall into it.
    fn receive_from_above(&mut self, place: Place, units: u8) {
        let cell = LayerMask::single(place.cell());
        self.write_inflow(place.slot, place.layer(), Face::Up, cell, |_, voxel: Voxel| {
            voxel.with_height(voxel.height() + units)
        });
    }
}
