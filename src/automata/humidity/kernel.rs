//! The kernel that steps one chunk: the sweep's arithmetic with its cached coefficients, and the
//! rims of chunks.

use super::HumidityShape;
use super::conservative::Conservative;
use super::job::{Job, Scratch};
use super::mean::Mean;
use super::rules::Rules;
use super::store::Store;
use super::sweep::Sweep;
use crate::automata::engine::rims::{Before, Rims};
use crate::chunk::CellMask;
use crate::grid::Slot;

/// Steps chunks by the rules' sweep.
pub(super) struct Kernel<S: HumidityShape> {
    arithmetic: Arithmetic<S>,
    /// The cells at the faces of chunks, as the arithmetic needs them; missing chunks are dry.
    /// Invalidated by every change to a chunk outside a step.
    pub(super) rims: Rims<u32, S>,
}

/// The two kinds of arithmetic, each with the data derived from the ground.
enum Arithmetic<S: HumidityShape> {
    Mean(Mean),
    Conservative(Conservative<S>),
}

impl<S: HumidityShape> Kernel<S> {
    pub(super) fn new(rules: &Rules) -> Self {
        let arithmetic = match rules.sweep {
            Sweep::InPlace | Sweep::Synchronous => Arithmetic::Mean(Mean::new(rules)),
            Sweep::Conservative => Arithmetic::Conservative(Conservative::new(rules)),
        };
        Kernel { arithmetic, rims: Rims::new(0) }
    }

    /// Drops the data derived from the ground of a chunk and its neighbours.
    pub(super) fn forget(&mut self, slot: Slot) {
        match &mut self.arithmetic {
            Arithmetic::Mean(mean) => mean.forget(slot),
            Arithmetic::Conservative(conservative) => conservative.forget(slot),
        }
        self.rims.invalidate(slot);
    }

    /// Computes the data derived from the ground of a chunk, unless it is cached.
    pub(super) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        match &mut self.arithmetic {
            Arithmetic::Mean(mean) => mean.prepare(store, slot),
            Arithmetic::Conservative(conservative) => conservative.prepare(store, slot),
        }
    }

    /// Saves the rims of these chunks and of their neighbours.
    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        let rims_of = match self.arithmetic {
            Arithmetic::Mean(_) => Mean::rims_of::<S>,
            Arithmetic::Conservative(_) => Conservative::rims_of,
        };
        self.rims.refresh(&store.moisture, slots, |slot| rims_of(store, slot));
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
        match (&self.arithmetic, store.sweep) {
            (Arithmetic::Mean(mean), Sweep::InPlace) => {
                mean.step_chunk::<S, true>(store, before, scratch, job, &mut changed);
            }
            (Arithmetic::Mean(mean), _) => {
                mean.step_chunk::<S, false>(store, before, scratch, job, &mut changed)
            }
            (Arithmetic::Conservative(conservative), _) => {
                conservative.step_chunk(before, job, &mut changed)
            }
        }
        job.moisture.canonicalize();
        job.changes.sum_up::<S>(&changed);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let derived = match &self.arithmetic {
            Arithmetic::Mean(mean) => mean.memory_bytes(),
            Arithmetic::Conservative(conservative) => conservative.memory_bytes(),
        };
        derived + self.rims.memory_bytes()
    }
}
