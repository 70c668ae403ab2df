//! What all phases of a tick share: the [`Tick`], its scratch memory, and the primitives by which
//! they write.
//!
//! A tick owns nothing: it borrows the world's parts, and its own records are in the
//! [`TickScratch`]. The state of a single phase between two pieces is passed to it by
//! [`tick`](crate::water::tick).

pub(crate) mod budget;
pub(crate) mod chunk_record;
pub(crate) mod currents;
pub(crate) mod layers;
pub(crate) mod limits;
pub(crate) mod place_set;
pub(crate) mod rollback;
pub(crate) mod runs;
pub(crate) mod schedule;
#[cfg(test)]
pub(crate) mod test_worlds;
pub(crate) mod tick_flow;
pub(crate) mod tiles;

use crate::chunk::LayerMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::LayerId;
use crate::simulation::StepReport;
use crate::water::cell::{CellFlags, FULL};
use crate::water::ledger::Ledger;
use crate::water::rules::Rules;
use crate::water::scratch::chunk_record::Mark;
use crate::water::scratch::layers::TickScratch;
use crate::water::scratch::limits::Limits;
use crate::water::scratch::runs::{leave_run, leave_runs_beside};
use crate::water::scratch::schedule::Phase;
use crate::water::scratch::tick_flow::TickFlow;
use crate::water::store::flow::parked::parked;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The world's parts as a tick works on them.
pub(crate) struct Tick<'w> {
    pub(crate) store: &'w mut Store,
    pub(crate) scratch: &'w mut TickScratch,
    pub(crate) ledger: &'w mut Ledger,
    pub(crate) rules: &'w Rules,
    pub(crate) limits: Limits,
    /// The number of complete ticks.
    pub(crate) tick: u64,
    /// Whether the steady flow takes only the throughput that all other flow of this tick has left
    /// over.
    pub(crate) is_yielding: bool,
    pub(crate) report: StepReport,
}

impl Tick<'_> {
    #[inline]
    pub(crate) fn awake(&self, layer: LayerId) -> LayerMask {
        self.store.awake(layer)
    }

    /// Returns the awake cells of a layer except parked films.
    #[inline]
    pub(crate) fn awake_unparked(&self, layer: LayerId) -> LayerMask {
        self.store.awake(layer) - parked(self.store, layer)
    }

    /// Writes a voxel, after saving the cell as it was before the tick.
    pub(crate) fn put(&mut self, place: Place, voxel: Voxel) {
        leave_run(self, place);
        let (layer, cell) = (place.layer(), place.cell());
        self.scratch.record_mut(self.store, LayerId::new(place.slot, layer)).save_cell(
            self.store,
            LayerId::new(place.slot, layer),
            cell,
        );
        self.store.write(place, voxel);
    }

    /// Writes a voxel whose height and HasSource do not change, so that the masks stay valid.
    #[inline]
    pub(crate) fn put_marks(&mut self, place: Place, voxel: Voxel) {
        leave_run(self, place);
        let (layer, cell) = (place.layer(), place.cell());
        self.scratch.record_mut(self.store, LayerId::new(place.slot, layer)).save_cell(
            self.store,
            LayerId::new(place.slot, layer),
            cell,
        );
        self.store.write_marks(place.slot, |cells| cells[place.index & (CHUNK_CELLS - 1)] = voxel);
    }

    /// Records units that leave a cell across a face.
    pub(crate) fn pass_on(&mut self, place: Place, face: Face, units: u8) {
        leave_run(self, place);
        let (layer, cell) = (place.layer(), place.cell());
        let mut work = self.scratch.record_mut(self.store, LayerId::new(place.slot, layer));
        work.cell(cell).pass_on(face, units);
        self.report.moved += u64::from(units);
    }

    /// Raises a cell by units that entered through a face. `largest` is the bottleneck of the path
    /// from the cell to its spring, if it has one.
    pub(crate) fn receive(&mut self, place: Place, face: Face, units: u8, largest: u8) {
        self.raise_from(place, Some(face), units, largest);
    }

    /// Raises a cell by units that entered through no particular face.
    pub(crate) fn raise(&mut self, place: Place, units: u8, largest: u8) {
        self.raise_from(place, None, units, largest);
    }

    fn raise_from(&mut self, place: Place, face: Option<Face>, units: u8, largest: u8) {
        let layer = place.layer_id();
        leave_run(self, place);
        self.part_from_runs(layer, LayerMask::single(place.cell()));
        let before = self.store.read(place);
        let voxel = before.with_height(before.height() + units);
        let voxel = if voxel.direction().is_none() { voxel } else { voxel.with_largest(largest) };
        let mut work = self.scratch.record_mut(self.store, layer);
        let mut record = work.cell_to_change(self.store, place);
        record.save(before);
        record.mark(Mark::Touched);
        record.mark(Mark::Woken);
        if let Some(face) = face {
            record.record_inflow(face);
        }
        self.store.write(place, voxel);
        self.store.wake_at(place);
        self.wake_films_over(layer, LayerMask::single(place.cell()));
    }

    /// Takes units from a cell and wakes the cells that may now flow into it. A spring stays full:
    /// the units are entered in the ledger as injected. A cell at the sea passes on the units that
    /// the sea gives.
    pub(crate) fn take(&mut self, place: Place, units: u8) {
        let voxel = self.store.read(place);
        if voxel.has(CellFlags::IS_SOURCE) {
            self.ledger.injected += u64::from(units);
            return;
        }
        if self.store.is_coast(place) {
            self.ledger.from_sea += u64::from(units);
            return;
        }
        self.put(place, voxel.with_height(voxel.height() - units));
        let gave = LayerMask::single(place.cell());
        self.wake_givers(place.layer_id(), gave);
    }

    /// Wakes the cells that may now flow into the cells that gave: the cells beside the givers,
    /// above the givers, and beside the cells above. Also wakes the water over a full cell above a
    /// giver: while the full cell had no room below, the water over it formed one body with the
    /// water beside the full cell. Without pools, connected full cells below a giver wake, since
    /// they may draw for it. A full cell below a giver that is dry now wakes in any case: it is the
    /// surface of a separate body, which may stand lower elsewhere.
    pub(crate) fn wake_givers(&mut self, layer: LayerId, gave: LayerMask) {
        if gave.is_empty() {
            return;
        }
        let around = gave | gave.spread();
        self.wake_layer(layer, around);
        // A cell that has given all its water may draw, though it may have been asleep.
        let dry = gave - self.store.layer(layer).wet;
        let emptied = dry & self.store.connected(layer);
        if emptied.any() {
            self.scratch.record_mut(self.store, layer).mark(Mark::Woken, emptied);
            self.store.wake_layer(layer, emptied);
        }
        self.wake_across(layer, gave);
        if let Some(layer) = self.store.upper_layer(layer) {
            self.wake_layer(layer, around);
            self.wake_across(layer, gave);
            let full = gave & self.store.layer(layer).full();
            if full.any()
                && let Some(layer) = self.store.upper_layer(layer)
            {
                self.wake_layer(layer, full);
            }
        }
        if let Some(layer) = self.store.lower_layer(layer)
            && (dry.any() || !self.rules.pools)
        {
            let full = self.store.layer(layer).closed;
            let rising =
                if self.rules.pools { LayerMask::NONE } else { self.store.connected(layer) };
            self.wake_layer(layer, (dry | gave & rising) & full);
        }
    }

    /// Wakes the cells of neighbouring chunks that are beside the cells in `bits`.
    pub(crate) fn wake_across(&mut self, layer: LayerId, bits: LayerMask) {
        for (face, bits) in Face::LATERAL.into_iter().zip(bits.leaving()) {
            let there = self.store.neighbour(layer.slot, face);
            if bits.any() && there.is_some() {
                self.wake_layer(layer.in_chunk(there), bits);
            }
        }
    }

    /// Wakes the cells in `bits` that hold water: for this tick if their layer is still ahead, and
    /// for the next.
    pub(crate) fn wake_layer(&mut self, layer: LayerId, bits: LayerMask) {
        let wet = self.store.layer(layer).wet;
        let mut bits = bits & wet;
        if self.store.has_runs() {
            bits -= self.store.in_runs(layer);
        }
        if bits.any() {
            self.part_from_runs(layer, bits);
            // A chunk that was asleep joins the tick: its layer may still be ahead.
            self.scratch.record_mut(self.store, layer).mark(Mark::Woken, bits);
            self.store.wake_layer(layer, bits);
        }
    }

    /// Without pools, wakes the connected cells with room over the full cells among `cells`, which
    /// have received water: the woken cells have ground now, and may draw. With pools, no cell over
    /// water draws.
    #[inline]
    pub(crate) fn wake_films_over(&mut self, layer: LayerId, cells: LayerMask) {
        if self.rules.pools {
            return;
        }
        let full = cells & self.store.layer(layer).closed;
        if full.any()
            && let Some(above) = self.store.upper_layer(layer)
        {
            let films = (full & self.store.connected(above)) - self.store.layer(above).closed;
            if films.any() {
                self.scratch.record_mut(self.store, above).mark(Mark::Woken, films);
                self.store.wake_layer(above, films);
            }
        }
    }

    pub(crate) fn wake_cell(&mut self, place: Place) {
        leave_run(self, place);
        let mut work = self.scratch.record_mut(self.store, place.layer_id());
        work.cell(place.cell()).mark(Mark::Woken);
        self.part_from_runs(place.layer_id(), LayerMask::single(place.cell()));
        self.store.wake_at(place);
    }

    /// Takes the cells in runs beside `cells` of a layer, which hold water now, out of their runs.
    #[inline]
    fn part_from_runs(&mut self, layer: LayerId, cells: LayerMask) {
        if self.store.has_runs() {
            leave_runs_beside(self, layer, cells);
        }
    }

    /// Returns what has flowed in a layer in this tick, runs left out.
    #[inline]
    pub(crate) fn flow_of(&self, layer: LayerId) -> TickFlow<'_> {
        self.scratch.flow_of(self.store, layer)
    }

    /// Returns the units that a cell has passed on in this tick.
    #[inline]
    pub(crate) fn passed(&self, place: Place) -> u8 {
        let passed = self.flow_of(place.layer_id()).passed(place.cell());
        let in_run = self.scratch.phase > Phase::Flow
            && self.store.passed_in_runs(place.layer_id()).contains(place.cell());
        if in_run { FULL } else { passed }
    }
}
