//! What steps one chunk: the sweep's arithmetic, and what chunks show each other.

use super::HumidityShape;
use super::job::{Job, Room};
use super::mean::Mean;
use super::rules::Rules;
use super::seep::Seep;
use super::store::Store;
use super::sweep::Sweep;
use crate::automata::engine::rims::{Before, Rims};
use crate::chunk::CellMask;
use crate::grid::Slot;

/// What steps chunks: the sweep's arithmetic, and what chunks show each other.
pub(super) struct Kernel<S: HumidityShape> {
    arithmetic: Arithmetic<S>,
    /// What the arithmetic needs of the cells at the faces of chunks; what is missing is dry. Lost
    /// to every change of a chunk that is not a step's.
    pub(super) rims: Rims<u32, S>,
}

/// The two kinds of arithmetic, each with what it derives from the ground.
enum Arithmetic<S: HumidityShape> {
    Mean(Mean),
    Seep(Seep<S>),
}

impl<S: HumidityShape> Kernel<S> {
    pub(super) fn new(rules: &Rules) -> Self {
        let arithmetic = match rules.sweep {
            Sweep::InPlace | Sweep::Synchronous => Arithmetic::Mean(Mean::new(rules)),
            Sweep::Conservative => Arithmetic::Seep(Seep::new(rules)),
        };
        Kernel { arithmetic, rims: Rims::new(0) }
    }

    /// Drops what was derived from the ground of a chunk and its neighbours.
    pub(super) fn forget(&mut self, slot: Slot) {
        match &mut self.arithmetic {
            Arithmetic::Mean(mean) => mean.forget(slot),
            Arithmetic::Seep(seep) => seep.forget(slot),
        }
        self.rims.lose(slot);
    }

    /// Works out what follows from the ground of a chunk, unless that is at hand.
    pub(super) fn prepare(&mut self, store: &Store<S>, slot: Slot) {
        match &mut self.arithmetic {
            Arithmetic::Mean(mean) => mean.prepare(store, slot),
            Arithmetic::Seep(seep) => seep.prepare(store, slot),
        }
    }

    /// Saves what is at the faces of these chunks and of their neighbours, as it is now.
    pub(super) fn save_rims(&mut self, store: &Store<S>, slots: &[Slot]) {
        let rims_of = match self.arithmetic {
            Arithmetic::Mean(_) => Mean::rims_of::<S>,
            Arithmetic::Seep(_) => Seep::rims_of,
        };
        self.rims.renew(&store.moisture, slots, |slot| rims_of(store, slot));
    }

    /// Steps a chunk that was prepared, whose words are no longer in the store.
    pub(super) fn step_chunk(
        &self,
        store: &Store<S>,
        before: Before<u32, S>,
        room: &mut Room<S>,
        job: &mut Job<S>,
    ) {
        let mut changed = CellMask::EMPTY;
        match (&self.arithmetic, store.sweep) {
            (Arithmetic::Mean(mean), Sweep::InPlace) => {
                mean.step_chunk::<S, true>(store, before, room, job, &mut changed);
            }
            (Arithmetic::Mean(mean), _) => {
                mean.step_chunk::<S, false>(store, before, room, job, &mut changed)
            }
            (Arithmetic::Seep(seep), _) => seep.step_chunk(before, job, &mut changed),
        }
        job.moisture.canonicalize();
        job.changes.sum_up::<S>(&changed);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let derived = match &self.arithmetic {
            Arithmetic::Mean(mean) => mean.memory_bytes(),
            Arithmetic::Seep(seep) => seep.memory_bytes(),
        };
        derived + self.rims.memory_bytes()
    }
}
