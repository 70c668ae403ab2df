//! The kernel that steps one chunk: the sweep's arithmetic with its cached coefficients, and the
//! rims of chunks.

use super::conservative::{Fluxes, Side};
use super::job::{Job, Scratch};
use super::rules::Rules;
use super::stirred::Stirred;
use super::store::Store;
use super::sweep::Sweep;
use super::transmissibility::Transmissibilities;
use super::{HumidityShape, conservative, mean, stirred};
use crate::automata::engine::rims::{Before, Rims, rims_of_chunk};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;

/// Steps chunks by the rules' sweep.
pub(super) struct Kernel<S: HumidityShape> {
    cap: f32,
    coefficient: f32,
    /// Of the conservative sweep.
    fluxes: Fluxes,
    /// Of the weighted mean.
    denominators: Cache<[u32; CHUNK_CELLS]>,
    /// Of the conservative sweep.
    transmissibilities: Cache<Transmissibilities<S>>,
    /// The cells at the faces of chunks, as the sweep needs them; missing chunks are dry.
    /// Invalidated by every change to a chunk outside a step.
    pub(super) rims: Rims<u32, S>,
    pub(super) stirred: Stirred,
}

/// Data derived from the ground of awake chunks and their neighbours, by slot.
struct Cache<T>(Vec<Option<Box<T>>>);

impl<T> Cache<T> {
    fn forget(&mut self, slot: Slot) {
        if let Some(cached) = self.0.get_mut(slot.index()) {
            *cached = None;
        }
    }

    fn ensure(&mut self, slot: Slot, compute: impl FnOnce() -> Box<T>) {
        if self.0.len() <= slot.index() {
            self.0.resize_with(slot.index() + 1, || None);
        }
        self.0[slot.index()].get_or_insert_with(compute);
    }

    fn at(&self, slot: Slot) -> &T {
        self.0[slot.index()].as_deref().expect("the chunk was prepared")
    }

    fn memory_bytes(&self, bytes_of: impl Fn(&T) -> usize) -> usize {
        self.0.iter().flatten().map(|cached| bytes_of(cached)).sum::<usize>()
            + self.0.capacity() * size_of::<Option<Box<T>>>()
    }
}

/// Returns what computes the rims of a chunk that a sweep needs.
fn rims_of<S: HumidityShape>(sweep: Sweep) -> fn(&Store<S>, Slot) -> S::Rims<u32> {
    match sweep {
        Sweep::InPlace | Sweep::Synchronous => mean::rims_of::<S>,
        Sweep::Conservative => conservative::rims_of::<S>,
    }
}

impl<S: HumidityShape> Kernel<S> {
    pub(super) fn new(rules: &Rules) -> Self {
        Kernel {
            cap: rules.cap,
            coefficient: rules.coefficient,
            fluxes: Fluxes::of::<S>(rules),
            denominators: Cache(Vec::new()),
            transmissibilities: Cache(Vec::new()),
            rims: Rims::new(0),
            stirred: Stirred::new(),
        }
    }

    /// Notes that a chunk, its ground or that around it is changed outside of steps: drops all that
    /// is derived from it.
    pub(super) fn forget(&mut self, slot: Slot) {
        self.free(slot);
        self.stirred.forget(slot);
    }

    /// Notes that the humidity of a chunk is changed outside of steps.
    pub(super) fn invalidate(&mut self, slot: Slot) {
        self.rims.invalidate(slot);
        self.stirred.forget(slot);
    }

    /// Takes over what a step makes known of a chunk.
    pub(super) fn update(&mut self, job: &mut Job<S>) {
        self.rims.update(job.slot, &mut job.rims);
        self.stirred.note::<S>(job.slot, job.rows);
    }

    /// Drops the data derived from the ground of a chunk and its neighbours, as the chunk sleeps.
    pub(super) fn free(&mut self, slot: Slot) {
        self.denominators.forget(slot);
        self.transmissibilities.forget(slot);
        self.rims.invalidate(slot);
    }

    /// Computes the data derived from the ground of a chunk, unless it is cached.
    pub(super) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        if store.sweep == Sweep::Conservative {
            let coefficient = f64::from(self.coefficient);
            let compute = || Transmissibilities::of(store, slot, coefficient);
            self.transmissibilities.ensure(slot, compute);
        } else {
            self.denominators.ensure(slot, || mean::denominators(store, slot));
        }
    }

    /// Returns whether moisture flows across the face between two chunks, if neither stands still.
    /// In sweeps of the mean it may.
    pub(super) fn flows_across(&self, store: &Store<S>, chunks: [Slot; 2], face: Face) -> bool {
        let sides = chunks.map(|slot| Side::<S> {
            moisture: rims_of_chunk::<u32, S>(store.moisture.chunk_at(slot)),
            ground: store.ground_at(slot).rims::<S>(),
        });
        store.sweep != Sweep::Conservative
            || conservative::flows_across(self.fluxes, self.coefficient.into(), &sides, face)
    }

    /// Saves the rims of these chunks and of their neighbours.
    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        let rims_of = rims_of::<S>(store.sweep);
        self.rims.refresh(&store.moisture, slots, |slot| rims_of(store, slot));
    }

    /// Saves the rims of a chunk and of its neighbours.
    pub(super) fn save_rims_of(&mut self, store: &Store<S>, slot: Slot) {
        let rims_of = rims_of::<S>(store.sweep);
        self.rims.renew_for(&store.moisture, slot, |slot| rims_of(store, slot));
    }

    /// Steps a prepared chunk, whose words the job has taken out of the store.
    pub(super) fn step_chunk(
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
            conservative::step_chunk(faces, fed, rows, self.fluxes, before, job, &mut changed);
            job.rows = stirred::rows_changed(job, &changed, !faces.rain.is_empty());
        } else {
            let step_chunk = match store.sweep {
                Sweep::InPlace => mean::step_chunk::<S, true>,
                _ => mean::step_chunk::<S, false>,
            };
            let denominators = self.denominators.at(job.slot);
            step_chunk(store, denominators, self.cap, before.around, scratch, job, &mut changed);
        }
        job.moisture.canonicalize();
        job.changes.summarize::<S>(&changed);
    }

    /// Bytes on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.denominators.memory_bytes(size_of_val)
            + self.transmissibilities.memory_bytes(Transmissibilities::memory_bytes)
            + self.rims.memory_bytes()
            + self.stirred.memory_bytes()
    }
}
