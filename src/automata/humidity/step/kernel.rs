//! The kernel that steps one chunk: the sweep's arithmetic with its cached coefficients, and the
//! rims of chunks.

use crate::automata::engine::rims::{Before, Rims};
use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::rules::Rules;
use crate::automata::humidity::step::ahead::Done;
use crate::automata::humidity::step::conservative::Fluxes;
use crate::automata::humidity::step::job::{Job, Row, Scratch};
use crate::automata::humidity::step::transmissibility::{Links, Transmissibilities};
use crate::automata::humidity::step::{conservative, mean};
use crate::automata::humidity::stirred::{RowMask, Stirred};
use crate::automata::humidity::store::Store;
use crate::automata::humidity::sweep::Sweep;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use hashbrown::HashMap;

/// Steps chunks by the rules' sweep.
pub(in crate::automata::humidity) struct Kernel<S: HumidityShape> {
    cap: f32,
    coefficient: f32,
    /// For the conservative sweep.
    fluxes: Fluxes,
    /// For the weighted mean.
    denominators: Cache<[u32; CHUNK_CELLS]>,
    /// For the conservative sweep.
    transmissibilities: Cache<Transmissibilities<S>>,
    /// The cells at the faces of chunks, as the sweep needs them; missing chunks are dry. They are
    /// invalidated by every change to a chunk outside a step.
    pub(in crate::automata::humidity) rims: Rims<u32, S>,
    pub(in crate::automata::humidity) stirred: Stirred,
    /// Awake chunks stepped ahead. An entry is dropped when an input of its step changes.
    pub(in crate::automata::humidity) ahead: HashMap<Slot, Done<S>>,
}

/// The number of rows above which a step of all cells of a chunk takes less time than a step by
/// rows.
const MOST_ROWS: u32 = 128;

/// Data derived from the ground of awake chunks and their neighbours, by slot.
struct Cache<T>(Vec<Option<Box<T>>>);

impl<T> Cache<T> {
    fn forget(&mut self, slot: Slot) {
        if let Some(cached) = self.0.get_mut(slot.index()) {
            *cached = None;
        }
    }

    /// Returns the cached data of a chunk, computed if necessary.
    fn ensure(&mut self, slot: Slot, compute: impl FnOnce() -> Box<T>) -> &mut T {
        if self.0.len() <= slot.index() {
            self.0.resize_with(slot.index() + 1, || None);
        }
        self.0[slot.index()].get_or_insert_with(compute)
    }

    fn at_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.0.get_mut(slot.index())?.as_deref_mut()
    }

    fn at(&self, slot: Slot) -> &T {
        self.0[slot.index()].as_deref().expect("the chunk was prepared")
    }

    fn memory_bytes(&self, bytes_of: impl Fn(&T) -> usize) -> usize {
        self.0.iter().flatten().map(|cached| bytes_of(cached)).sum::<usize>()
            + self.0.capacity() * size_of::<Option<Box<T>>>()
    }
}

/// Returns the function that computes the rims of a chunk for a sweep.
fn rims_of<S: HumidityShape>(sweep: Sweep) -> fn(&Store<S>, Slot) -> S::Rims<u32> {
    match sweep {
        Sweep::InPlace | Sweep::Synchronous => mean::rims_of::<S>,
        Sweep::Conservative => conservative::rims_of::<S>,
    }
}

/// Writes those cells of a row of a cube that are in the cube's rims.
fn write_in_rims<S: HumidityShape>(row: &Row, rims: &mut S::Rims<u32>) {
    let number = usize::from(row.first) / 16;
    let (y, z) = (number / 16, number % 16);
    S::rim_mut(rims, 0)[number] = row.cells[0];
    S::rim_mut(rims, 1)[number] = row.cells[15];
    for (face, lies_at_it, along) in
        [(2, y == 0, z), (3, y == 15, z), (4, z == 0, y), (5, z == 15, y)]
    {
        if lies_at_it {
            S::rim_mut(rims, face)[16 * along..][..16].copy_from_slice(&row.cells);
        }
    }
}

impl<S: HumidityShape> Kernel<S> {
    pub(in crate::automata::humidity) fn new(rules: &Rules) -> Self {
        Kernel {
            cap: rules.cap,
            coefficient: rules.coefficient,
            fluxes: Fluxes::of::<S>(rules),
            denominators: Cache(Vec::new()),
            transmissibilities: Cache(Vec::new()),
            rims: Rims::new(0),
            stirred: Stirred::new(),
            ahead: HashMap::new(),
        }
    }

    /// Notes that a chunk has been loaded or unloaded, or may have changed anywhere: drops all its
    /// derived data.
    pub(in crate::automata::humidity) fn forget(&mut self, slot: Slot) {
        self.free(slot);
        self.stirred.forget(slot);
    }

    /// Notes that the humidity of cells of a chunk has changed outside of steps, in these rows and
    /// at these faces.
    pub(in crate::automata::humidity) fn note_moisture(
        &mut self,
        store: &Store<S>,
        slot: Slot,
        rows: RowMask,
        touched: [bool; 6],
    ) {
        self.rims.invalidate(slot);
        self.stirred.stir(slot, rows);
        self.ahead.remove(&slot);
        for (beside, touched) in store.moisture.neighbours_of(slot).iter().zip(touched) {
            if touched {
                self.ahead.remove(beside);
            }
        }
    }

    /// Notes that the fed cells of a chunk have changed, in these rows.
    pub(in crate::automata::humidity) fn note_fed(&mut self, slot: Slot, rows: RowMask) {
        self.stirred.look_at(slot, rows);
        self.ahead.remove(&slot);
    }

    /// Notes that the ground of cells of a chunk has changed, in these rows.
    pub(in crate::automata::humidity) fn note_ground(&mut self, slot: Slot, rows: RowMask) {
        self.denominators.forget(slot);
        if let Some(known) = self.transmissibilities.at_mut(slot) {
            known.note_ground(rows);
        }
        self.stirred.stir(slot, rows);
    }

    /// Notes that the ground behind a face of a chunk has changed.
    pub(in crate::automata::humidity) fn note_ground_behind(&mut self, slot: Slot, face: Face) {
        self.ahead.remove(&slot);
        self.denominators.forget(slot);
        if let Some(known) = self.transmissibilities.at_mut(slot) {
            known.note_face(face);
        }
    }

    /// Takes over the data that a step has derived for a chunk.
    pub(in crate::automata::humidity) fn update(&mut self, job: &mut Job<S>) {
        if job.is_by_rows {
            self.rims.patch(job.slot, |rims| {
                job.changed_rows.iter().for_each(|row| write_in_rims::<S>(row, rims));
            });
        } else if let Some(mut rims) = job.rims.take() {
            self.rims.update(job.slot, &mut rims);
        }
        self.stirred.note::<S>(job.slot, job.rows);
    }

    /// Drops the data derived from a chunk and its neighbours, as the chunk sleeps.
    pub(in crate::automata::humidity) fn free(&mut self, slot: Slot) {
        self.ahead.remove(&slot);
        self.denominators.forget(slot);
        self.transmissibilities.forget(slot);
        self.rims.invalidate(slot);
    }

    /// Computes the data derived from the ground of a chunk that its step needs, unless it is
    /// cached.
    pub(in crate::automata::humidity) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        if store.sweep == Sweep::Conservative {
            let visited = self.stirred.rows_at(store, slot).in_fours();
            let known = self.transmissibilities.ensure(slot, Transmissibilities::unknown);
            known.update(store, slot, self.coefficient.into(), visited);
        } else {
            self.denominators.ensure(slot, || mean::denominators(store, slot));
        }
    }

    /// Returns the rows of two chunks between which moisture flows across a face of the first
    /// chunk, or would flow if neither were frozen. In the sweeps of the mean, returns all rows,
    /// since moisture may flow anywhere.
    pub(in crate::automata::humidity) fn flows_across(
        &self,
        store: &Store<S>,
        [here, there]: [Slot; 2],
        face: Face,
    ) -> [RowMask; 2] {
        if store.sweep != Sweep::Conservative {
            return [RowMask::ALL; 2];
        }
        let mut links = Links::of(self.coefficient.into());
        let mut rows = [RowMask::NONE; 2];
        let is_dry = |slot| store.moisture.chunk_at(slot).as_uniform() == Some(0);
        if is_dry(here) && is_dry(there) {
            return rows;
        }
        let cells = |face: Face| S::FACE_CELLS[face.index()].iter();
        for (own, other) in cells(face).zip(cells(face.opposite())) {
            let (from, to) = (store.word_of(here, own), store.word_of(there, other));
            if from | to == 0 {
                continue;
            }
            let transmissibility =
                links.between(store.ground_of(here, own).0, store.ground_of(there, other).0);
            if self.fluxes.flows(face, transmissibility, from, to) {
                rows[0].insert(own / 16);
                rows[1].insert(other / 16);
            }
        }
        rows
    }

    /// Saves the rims of these chunks and of their neighbours.
    pub(in crate::automata::humidity) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        let rims_of = rims_of::<S>(store.sweep);
        self.rims.refresh(&store.moisture, slots, |slot| rims_of(store, slot));
    }

    /// Saves the rims of a chunk and of its neighbours.
    pub(in crate::automata::humidity) fn save_rims_of(&mut self, store: &Store<S>, slot: Slot) {
        let rims_of = rims_of::<S>(store.sweep);
        self.rims.renew_for(&store.moisture, slot, |slot| rims_of(store, slot));
    }

    /// Returns whether a chunk is to be stepped by rows, because few rows are to be visited.
    pub(in crate::automata::humidity) fn is_by_rows(&self, store: &Store<S>, slot: Slot) -> bool {
        S::NEIGHBOURS == 6
            && store.sweep == Sweep::Conservative
            && store.moisture.chunk_at(slot).as_dense().is_some()
            && self.stirred.rows_at(store, slot).count() <= MOST_ROWS
    }

    /// Steps a prepared chunk: by rows on its words in the store, or as a whole on words that the
    /// job has taken out of the store.
    pub(in crate::automata::humidity) fn step_chunk(
        &self,
        store: &Store<S>,
        before: Before<u32, S>,
        scratch: &mut Scratch<S>,
        job: &mut Job<S>,
    ) {
        let mut changed = CellMask::EMPTY;
        if store.sweep == Sweep::Conservative {
            let faces = self.transmissibilities.at(job.slot);
            let fed = store.fed_at(job.slot);
            let rows = self.stirred.rows_at(store, job.slot);
            let (cells, visited) = match job.is_by_rows {
                true => (store.moisture.chunk_at(job.slot).as_dense(), rows),
                false => (None, rows.in_fours()),
            };
            let inputs = conservative::Inputs { faces, fed, visited, before };
            conservative::step_chunk(self.fluxes, inputs, cells, job, &mut changed);
            // After a runoff, any row may run off again.
            job.rows = (job.tally.runoff == 0)
                .then(|| [RowMask::of(&changed), faces.rows_that_enter_ledger(fed)]);
        } else {
            let step_chunk = match store.sweep {
                Sweep::InPlace => mean::step_chunk::<S, true>,
                _ => mean::step_chunk::<S, false>,
            };
            let denominators = self.denominators.at(job.slot);
            step_chunk(store, denominators, self.cap, before.around, scratch, job, &mut changed);
        }
        if !job.is_by_rows {
            job.moisture.canonicalize();
        }
        job.changes.summarize::<S>(&changed);
    }

    /// Returns the number of bytes on the heap.
    pub(in crate::automata::humidity) fn memory_bytes(&self) -> usize {
        self.denominators.memory_bytes(size_of_val)
            + self.transmissibilities.memory_bytes(Transmissibilities::memory_bytes)
            + self.rims.memory_bytes()
            + self.stirred.memory_bytes()
            + self.ahead.allocation_size()
            + self.ahead.values().map(Done::heap_bytes).sum::<usize>()
    }
}
