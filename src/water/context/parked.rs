//! Parked chunks: nothing happens in them except that steady flow passes, so ticks do not visit
//! them. A steady river costs a tick the same whatever its length.
//!
//! A chunk is parked by [`park`](crate::water::steady::park) after a tick in which nothing else
//! moved in it. Its record of that tick stays, since each later tick would make
//! the same. What springs in it give and what its cells pass on is added to each tick's account at
//! once, for all parked chunks together.
//!
//! Parking is no part of the state, and changes no byte: a chunk is unparked before a cell in it,
//! or at its borders, changes. Wakes unpark a chunk in the [grid](crate::grid::Grid::unpark), and
//! writes to its record do so here; [`settle_parked`] reconciles the two.

use crate::chunk::{LayerMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::simulation::StepReport;
use crate::water::context::Tick;
use crate::water::context::layers::TickScratch;
use crate::water::context::schedule::Phase;
use crate::water::ledger::Ledger;
use crate::water::store::Store;
use std::collections::BTreeMap;

/// The units that the steady flow of some chunks moves in a tick, and those that it gets from
/// springs and gives to drains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turnover {
    pub(crate) moved: u64,
    pub(crate) injected: u64,
    pub(crate) drained: u64,
}

impl Turnover {
    /// Enters the units in the ledger and the report of a tick.
    pub(crate) fn enter(&self, ledger: &mut Ledger, report: &mut StepReport) {
        report.moved += self.moved;
        ledger.injected += self.injected;
        ledger.drained += self.drained;
    }

    fn add(&mut self, other: Turnover) {
        self.moved += other.moved;
        self.injected += other.injected;
        self.drained += other.drained;
    }

    fn subtract(&mut self, other: Turnover) {
        self.moved -= other.moved;
        self.injected -= other.injected;
        self.drained -= other.drained;
    }
}

/// What is known of a parked chunk.
struct ParkedChunk {
    turnover: Turnover,
    /// Whether it stays parked in a tick in which the steady flow yields.
    stays_if_yielding: bool,
}

/// The parked chunks of a world.
#[derive(Default)]
pub(super) struct Parked {
    /// By slot: the layers (by bit) of a parked chunk's record; 0 for all other chunks.
    pub(super) layers: Vec<u16>,
    chunks: BTreeMap<Slot, ParkedChunk>,
    /// The turnover of all of them.
    sum: Turnover,
    /// Whether there are any.
    pub(super) are_any: bool,
    /// Whether there are any, and the steady flow of the tick underway has passed through them.
    pub(super) have_passed: bool,
    /// Chunks that have been unparked here, but not yet in the grid.
    pub(super) left: Vec<Slot>,
}

impl Parked {
    /// Returns the layers (by bit) of a chunk's record; 0 if it is not parked.
    #[inline]
    pub(super) fn layers(&self, slot: Slot) -> u16 {
        self.layers.get(slot.index()).copied().unwrap_or(0)
    }

    /// Forgets a chunk. Returns the layers of its record.
    pub(super) fn remove(&mut self, slot: Slot) -> u16 {
        if let Some(chunk) = self.chunks.remove(&slot) {
            self.sum.subtract(chunk.turnover);
            self.are_any = !self.chunks.is_empty();
        }
        self.layers.get_mut(slot.index()).map_or(0, core::mem::take)
    }

    /// Returns the parked chunks, with the layers (by bit) of their records.
    pub(super) fn chunks(&self) -> impl Iterator<Item = (Slot, u16)> {
        self.chunks.keys().map(|&slot| (slot, self.layers(slot)))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.layers.capacity() * size_of::<u16>()
            + self.chunks.len() * size_of::<(Slot, ParkedChunk)>()
            + self.left.capacity() * size_of::<Slot>()
    }
}

impl TickScratch {
    /// Returns whether any chunk is parked.
    #[inline]
    pub(crate) fn has_parked(&self) -> bool {
        self.parked.are_any
    }

    /// Parks members of the tick that has just been completed, with their turnovers. Unless they
    /// stay, a tick in which the steady flow yields unparks them.
    pub(crate) fn park(&mut self, chunks: &[(Slot, Turnover)], stays_if_yielding: bool) {
        for &(slot, turnover) in chunks {
            let layers = core::mem::take(&mut self.open[slot.index()]);
            self.layers -= layers.count_ones() as usize;
            self.parked.layers[slot.index()] = layers;
            self.parked.chunks.insert(slot, ParkedChunk { turnover, stays_if_yielding });
            self.parked.sum.add(turnover);
            if let Some(record) = &mut self.chunks[slot.index()] {
                record.forget_saved();
            }
        }
        self.parked.are_any |= !chunks.is_empty();
        let parked = &self.parked;
        self.members.retain(|&slot| parked.layers(slot) == 0);
    }

    /// Lets a parked chunk take part in the tick underway, or between two ticks in the last one.
    #[cold]
    pub(super) fn unpark(&mut self, store: &Store, slot: Slot) {
        let has_passed = self.parked.have_passed;
        let layers = self.parked.remove(slot);
        self.parked.left.push(slot);
        if self.phase == Phase::Rest || has_passed {
            self.keep_record(store, slot, layers);
        } else {
            self.drop_record(store, slot, layers);
        }
        if self.phase != Phase::Rest {
            self.schedule.join(store, slot);
        }
        if self.phase == Phase::Ebb {
            self.sweep.push(slot);
        }
    }

    /// The record of a chunk that was parked is that of the tick underway, in which its steady flow
    /// has passed.
    fn keep_record(&mut self, store: &Store, slot: Slot, layers: u16) {
        self.keep_last_flows(slot, layers);
        let awake = self.is_in_slices.then(|| store.awake_before(slot).cloned()).flatten();
        if let Some(record) = &mut self.chunks[slot.index()] {
            record.is_of_odd_tick = self.is_tick_odd;
            record.awake_before = awake.map(Box::new);
        }
        self.open[slot.index()] = layers;
        self.layers += layers.count_ones() as usize;
        self.members.push(slot);
    }

    /// The chunk begins the tick underway with an empty record, since its steady flow has still to
    /// pass.
    fn drop_record(&mut self, store: &Store, slot: Slot, layers: u16) {
        self.keep_last_flows(slot, layers);
        if let Some(mut record) = self.chunks[slot.index()].take() {
            record.reset();
            self.spare.push(record);
        }
        self.add_member(store, slot);
    }

    /// Keeps the flows of the last tick of a chunk whose record the tick underway takes over.
    fn keep_last_flows(&mut self, slot: Slot, layers: u16) {
        if let Some(record) = &self.chunks[slot.index()]
            && self.is_in_slices
            && self.phase != Phase::Rest
        {
            for y in ones(u64::from(layers)) {
                self.last_flows.keep(LayerId::new(slot, y), record.layer(y));
            }
        }
    }
}

/// Makes the grid and the workspace of the tick agree on which chunks are parked.
pub(crate) fn settle_parked(store: &mut Store, scratch: &mut TickScratch) {
    store.grid_mut().unpark(core::mem::take(&mut scratch.parked.left));
    for slot in store.grid_mut().take_unparked() {
        if scratch.parked.layers(slot) != 0 {
            scratch.unpark(store, slot);
        }
    }
    scratch.parked.left.clear();
}

/// Unparks the chunks that take part in a tick in which the steady flow yields.
pub(crate) fn unpark_yielding(store: &mut Store, scratch: &TickScratch) {
    let leaving = scratch.parked.chunks.iter().filter(|(_, chunk)| !chunk.stays_if_yielding);
    store.grid_mut().unpark(leaving.map(|(&slot, _)| slot));
}

/// Lets the steady flow of a tick pass through all parked chunks.
pub(crate) fn pass_parked(tick: &mut Tick) {
    let parked = &mut tick.scratch.parked;
    parked.have_passed = parked.are_any;
    parked.sum.enter(tick.ledger, &mut tick.report);
}

/// Unparks the chunks beside and below cells of a layer that hold water now: what lies at the
/// border may act on it.
#[cold]
pub(super) fn unpark_beside(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let mut unpark = |face: Face| {
        let there = tick.store.neighbour(layer.slot, face);
        if there.is_some() && tick.scratch.parked.layers(there) != 0 {
            tick.scratch.unpark(tick.store, there);
        }
    };
    for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
        if cells.any() {
            unpark(face);
        }
    }
    match layer.y {
        0 => unpark(Face::Down),
        15 => unpark(Face::Up),
        _ => {}
    }
}
