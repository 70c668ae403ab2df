//! The workspace of a tick: a record for each chunk that takes part, and how far the tick has come.
//! After the tick, the workspace is kept only to answer queries for currents; it is not part of the
//! state.

use crate::chunk::{CellMask, LayerMask, ones};
use crate::grid::{LayerId, Slot};
use crate::water::ledger::Ledger;
use crate::water::random::layer_seed;
use crate::water::scratch::budget::{Budget, CHUNK_COST};
use crate::water::scratch::chunk_record::{ChunkRecord, LayerRecord, LayerRecordMut};
use crate::water::scratch::currents::LastFlows;
use crate::water::scratch::schedule::{Phase, Schedule, Sweep};
use crate::water::scratch::tick_flow::TickFlow;
use crate::water::store::changed::touched::touch;
use crate::water::store::flow::parked::parked;
use crate::water::store::{LAYER_ROWS, Place, Store};
use core::num::NonZeroU32;
use glam::IVec3;

/// The chunks that take part in the current tick, or took part in the last tick.
#[derive(Default)]
pub(crate) struct TickScratch {
    chunks: Vec<Option<Box<ChunkRecord>>>,
    /// By slot: the layers (by bit) that take part. It is stored beside the records because it
    /// answers most queries and stays in the cache.
    open: Vec<u16>,
    members: Vec<Slot>,
    /// By slot: when the chunk took part.
    presence: Vec<Presence>,
    /// The number of ticks begun. After 2³²−1 ticks it starts again from 1.
    begun: u32,
    /// Whether the steady flow of the tick underway has passed in the chunks that take no part in
    /// it, so that it passes in a chunk that joins.
    pub(crate) resting_has_passed: bool,
    /// While a tick begins, the members of the last tick.
    leaving: Vec<Slot>,
    /// How many members of the schedule have entered.
    entered: usize,
    /// The number of chunks that the last tick used.
    last_used: usize,
    /// Records that are reset and free to use.
    #[expect(
        clippy::vec_box,
        reason = "boxes move between chunks and this list; unboxed, each move would copy the record"
    )]
    spare: Vec<Box<ChunkRecord>>,
    /// The number of layers in use.
    layers: usize,
    /// The number of layers with awake cells when the tick began, in the chunks that have entered.
    awake_layers: usize,
    random: u64,
    /// Parity of the ticks begun: distinguishes records of this tick from records of the last tick.
    is_tick_odd: bool,
    /// The current phase.
    pub(crate) phase: Phase,
    pub(crate) schedule: Schedule,
    pub(crate) sweep: Sweep,
    /// The ledger when the tick began.
    pub(crate) ledger_before: Ledger,
    /// The number of cells that were awake when the tick began, in the chunks that have entered.
    pub(crate) awake_before: usize,
    /// Whether the world may be read before the tick is complete.
    pub(crate) is_in_slices: bool,
    /// The flows of the last tick whose records this tick has taken over; empty unless the tick is
    /// in slices.
    last_flows: LastFlows,
    /// Whether parents or springs were changed between the last tick and this one.
    pub(crate) links_changed: bool,
    /// The cells from which a unit evaporated in this tick or the last; `None` unless they are
    /// logged.
    pub(crate) evaporated: Option<Vec<IVec3>>,
}

/// When a chunk took part in ticks, as numbers of ticks begun; 0 for never.
#[derive(Clone, Copy, Default)]
struct Presence {
    /// The last tick in which the chunk took part, and the one before.
    last: u32,
    before: u32,
    /// The last tick before the chunk was frozen; `None` if it is not frozen.
    frozen: Option<NonZeroU32>,
}

impl TickScratch {
    /// Begins a tick. `random` is the mix of world seed and tick.
    pub(crate) fn begin(&mut self, store: &Store, random: u64) {
        self.random = random;
        self.is_tick_odd = !self.is_tick_odd;
        self.forget_evaporated();
        self.chunks.resize_with(store.grid().slot_capacity(), || None);
        self.open.resize(self.chunks.len(), 0);
        self.presence.resize(self.chunks.len(), Presence::default());
        self.begun = self.begun.checked_add(1).unwrap_or(1);
        self.resting_has_passed = false;
        self.last_used = self.members.len();
        self.leaving.append(&mut self.members);
        self.schedule.begin(store, random, |found| {
            let may_have_changed = |slot: Slot| {
                self.chunks[slot.index()].as_ref().is_some_and(|record| record.may_have_changed())
            };
            store.add_restless(&self.leaving, may_have_changed, found);
        });
        (self.entered, self.awake_before, self.awake_layers) = (0, 0, 0);
    }

    /// Empties the log of evaporation, if there is one.
    pub(crate) fn forget_evaporated(&mut self) {
        if let Some(log) = &mut self.evaporated {
            log.clear();
        }
    }

    /// Enters the next chunks of the schedule, for one piece. After the last chunk, recycles the
    /// other records of the last tick and frees records. Returns the cells charged: one for each
    /// row of an awake layer, one for each record of the last tick and for each of its layers, and
    /// [`CHUNK_COST`] for each record freed; `None` if all is done.
    pub(crate) fn enter_next(&mut self, store: &mut Store) -> Option<u64> {
        let mut budget = Budget::of_a_piece();
        while !budget.is_spent()
            && let Some(&slot) = self.schedule.members().get(self.entered)
        {
            let awake = store.grid().awake_at(slot);
            let (cells, rows) = awake.map_or((0, 0), |awake| (awake.len(), rows_awake(awake)));
            if rows > budget.left() && budget.spent() > 0 {
                return Some(budget.spent());
            }
            self.entered += 1;
            self.awake_before += cells;
            if cells > 0 {
                touch(store, slot);
            }
            self.recycle(slot);
            self.add_member(store, slot);
            self.awake_layers += self.open_layers(slot).count_ones() as usize;
            budget.spend(rows.max(1));
        }
        while !budget.is_spent()
            && let Some(slot) = self.leaving.pop()
        {
            budget.spend(1 + self.recycle(slot));
        }
        while !budget.is_spent() && self.drop_spare() {
            budget.spend(CHUNK_COST);
        }
        if budget.spent() > 0 {
            return Some(budget.spent());
        }
        if !self.is_in_slices {
            self.last_flows.free();
        }
        None
    }

    /// Frees the next record that neither of two successive ticks needed. Returns `false` if there
    /// is none.
    fn drop_spare(&mut self) -> bool {
        self.spare.len() > self.last_used && self.spare.pop().is_some()
    }

    /// Returns whether all chunks that were awake when the tick began have entered, so that every
    /// record belongs to this tick.
    pub(crate) fn have_entered(&self) -> bool {
        self.phase > Phase::Begin
    }

    /// Recycles the record that the last tick left for a chunk, if any. Returns the number of its
    /// layers.
    fn recycle(&mut self, slot: Slot) -> usize {
        let Some(mut chunk) =
            self.chunks[slot.index()].take_if(|chunk| chunk.is_of_odd_tick != self.is_tick_odd)
        else {
            return 0;
        };
        let open = core::mem::take(&mut self.open[slot.index()]);
        if self.is_in_slices {
            for y in ones(u64::from(open)) {
                self.last_flows.keep(LayerId::new(slot, y), chunk.layer(y));
            }
        }
        chunk.reset();
        self.spare.push(chunk);
        let layers = open.count_ones() as usize;
        self.layers -= layers;
        layers
    }

    /// Makes a chunk a member, with its awake layers.
    fn add_member(&mut self, store: &Store, slot: Slot) {
        let mut chunk = self.spare.pop().unwrap_or_default();
        chunk.is_of_odd_tick = self.is_tick_odd;
        if self.is_in_slices {
            let awake = store.awake_before(slot).cloned().unwrap_or(CellMask::EMPTY);
            chunk.awake_before = Some(Box::new(awake));
        }
        self.chunks[slot.index()] = Some(chunk);
        self.members.push(slot);
        let presence = &mut self.presence[slot.index()];
        (presence.last, presence.before) = (self.begun, presence.last);
        let Some(awake) = store.grid().awake_at(slot) else { return };
        for y in (0..16).filter(|&y| awake.layer(y).any()) {
            self.open(store, LayerId::new(slot, y));
        }
    }

    /// Returns the record of a layer. The chunk joins the tick if it is not a member yet.
    #[inline]
    pub(crate) fn record_mut(&mut self, store: &Store, layer: LayerId) -> LayerRecordMut<'_> {
        if self.open[layer.slot.index()] >> layer.y & 1 == 0 {
            self.open_new(store, layer);
        }
        match &mut self.chunks[layer.slot.index()] {
            Some(chunk) => chunk.layer_mut(layer.y),
            None => unreachable!("joined above"),
        }
    }

    #[cold]
    fn open_new(&mut self, store: &Store, layer: LayerId) {
        if self.chunks[layer.slot.index()].is_none() {
            self.add_member(store, layer.slot);
            self.schedule.add_member(store, layer.slot);
            if self.resting_has_passed {
                self.pass_steadily(store, layer.slot);
            }
        }
        self.open(store, layer);
    }

    /// Records that the steady flow has passed in a chunk that joins the tick.
    fn pass_steadily(&mut self, store: &Store, slot: Slot) {
        for y in ones(u64::from(store.steady_layers(slot))) {
            let layer = LayerId::new(slot, y);
            self.open(store, layer);
            if let (Some(chunk), Some(flows)) =
                (&mut self.chunks[slot.index()], store.steady_layer(layer))
            {
                chunk.layer_mut(y).pass_on_steadily(flows.cells(), flows.records());
            }
        }
    }

    /// Returns what has flowed in a layer in the tick underway, runs left out. Valid once the phase
    /// `Begin` is over.
    #[inline]
    pub(crate) fn flow_of<'t>(&'t self, store: &'t Store, layer: LayerId) -> TickFlow<'t> {
        if let Some(record) = self.get(layer) {
            return TickFlow::Recorded(record);
        }
        let takes_part = self.chunks.get(layer.slot.index()).is_some_and(Option::is_some);
        if !self.resting_has_passed || takes_part || !store.is_steady(layer.slot) {
            return TickFlow::Still;
        }
        store.steady_layer(layer).map_or(TickFlow::Still, TickFlow::Resting)
    }

    /// Returns whether the steady flow of a chunk, if there is any, rested in the last complete
    /// tick.
    pub(crate) fn rested_in_last(&self, slot: Slot) -> bool {
        let Some(&Presence { last, before, frozen }) = self.presence.get(slot.index()) else {
            return false;
        };
        let is_underway = self.phase != Phase::Rest;
        let tick = self.begun - u32::from(is_underway);
        let last = if is_underway && last == self.begun { before } else { last };
        last != 0 && last != tick && frozen.is_none_or(|frozen| frozen.get() == tick)
    }

    /// Notes that a chunk was frozen or thawed between two ticks.
    pub(crate) fn note_frozen(&mut self, slot: Slot, is_frozen: bool) {
        if let Some(presence) = self.presence.get_mut(slot.index()) {
            *presence = match is_frozen {
                true => Presence { frozen: NonZeroU32::new(self.begun), ..*presence },
                false => Presence::default(),
            };
        }
    }

    /// Makes a member's layer take part, if it does not yet.
    fn open(&mut self, store: &Store, layer: LayerId) {
        let open = &mut self.open[layer.slot.index()];
        if *open >> layer.y & 1 != 0 {
            return;
        }
        *open |= 1 << layer.y;
        if !(store.awake(layer) - parked(store, layer)).is_sparse()
            && let Some(chunk) = &mut self.chunks[layer.slot.index()]
        {
            chunk.use_table(layer.y);
        }
        self.schedule.open(store, layer);
        self.layers += 1;
    }

    /// Returns the record of a layer that takes part.
    #[inline]
    pub(crate) fn get(&self, layer: LayerId) -> Option<LayerRecord<'_>> {
        if self.open_layers(layer.slot) >> layer.y & 1 == 0 {
            return None;
        }
        self.chunks[layer.slot.index()].as_ref().map(|chunk| chunk.layer(layer.y))
    }

    /// Takes the record of a chunk out, to be put back by [`return_chunk`](Self::return_chunk).
    pub(crate) fn borrow_chunk(&mut self, slot: Slot) -> Option<Box<ChunkRecord>> {
        self.chunks[slot.index()].take()
    }

    pub(crate) fn return_chunk(&mut self, slot: Slot, record: Box<ChunkRecord>) {
        self.chunks[slot.index()] = Some(record);
    }

    /// Returns the record of a chunk that takes part.
    pub(crate) fn of_chunk(&self, slot: Slot) -> Option<&ChunkRecord> {
        self.chunks.get(slot.index())?.as_deref()
    }

    /// Returns the next layer of the schedule; see [`Schedule::next`].
    #[inline]
    pub(crate) fn next_layer(&mut self, store: &Store) -> Option<LayerId> {
        let open = &self.open;
        self.schedule.next(store, |slot| open[slot.index()])
    }

    /// Returns the next layer of the sweep over the chunks.
    #[inline]
    pub(crate) fn next_in_sweep(&mut self) -> Option<LayerId> {
        let mut sweep = core::mem::take(&mut self.sweep);
        let next = sweep.next(|slot| self.open_layers(slot));
        self.sweep = sweep;
        next
    }

    /// Returns the next chunk of a sweep over whole chunks.
    #[inline]
    pub(crate) fn next_chunk_in_sweep(&mut self) -> Option<Slot> {
        self.sweep.next_chunk()
    }

    /// Begins a sweep over these chunks.
    #[cfg(feature = "rayon")]
    pub(crate) fn begin_sweep_over(&mut self, chunks: &[Slot]) {
        self.sweep.begin(chunks);
    }

    /// Begins a sweep over the chunks that take part.
    pub(crate) fn begin_sweep(&mut self) {
        self.sweep.begin(self.schedule.members());
    }

    /// Returns the number of layers with awake cells when the tick began.
    #[cfg(feature = "rayon")]
    pub(crate) fn awake_layers(&self) -> usize {
        self.awake_layers
    }

    /// Moves the records of chunks to the workspace of a thread, which works on the chunks in
    /// `members`.
    #[cfg(feature = "rayon")]
    pub(crate) fn lend(&mut self, borrower: &mut TickScratch, slots: &[Slot], members: Vec<Slot>) {
        borrower.schedule = self.schedule.for_members(members);
        (borrower.random, borrower.is_tick_odd) = (self.random, self.is_tick_odd);
        (borrower.phase, borrower.links_changed) = (self.phase, self.links_changed);
        borrower.resting_has_passed = self.resting_has_passed;
        borrower.begun = self.begun;
        borrower.presence.resize(self.chunks.len(), Presence::default());
        borrower.chunks.resize_with(self.chunks.len(), || None);
        borrower.open.resize(self.chunks.len(), 0);
        self.swap_chunks(borrower, slots);
    }

    /// Takes back the records that were lent, with the records of chunks and layers that have
    /// joined.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_back(&mut self, borrower: &mut TickScratch, slots: &[Slot], store: &Store) {
        self.swap_chunks(borrower, slots);
        self.layers += core::mem::take(&mut borrower.layers);
        self.spare.append(&mut borrower.spare);
        for slot in borrower.members.drain(..) {
            self.members.push(slot);
            self.schedule.add_member(store, slot);
        }
    }

    #[cfg(feature = "rayon")]
    fn swap_chunks(&mut self, borrower: &mut TickScratch, slots: &[Slot]) {
        for slot in slots {
            let at = slot.index();
            core::mem::swap(&mut self.chunks[at], &mut borrower.chunks[at]);
            core::mem::swap(&mut self.open[at], &mut borrower.open[at]);
            core::mem::swap(&mut self.presence[at], &mut borrower.presence[at]);
        }
    }

    /// See [`WaterWorld::backlog`](crate::water::WaterWorld::backlog).
    pub(crate) fn backlog(&self, store: &Store, pools: bool) -> u64 {
        let in_layer = |layer: LayerId| {
            let awake = store.awake(layer);
            let record = self.get(layer);
            let flowed = record.map_or(LayerMask::NONE, LayerRecord::flowed);
            u64::from((awake | flowed).count())
        };
        let layers_of = |&slot: &Slot| {
            ones(u64::from(self.open_layers(slot))).map(move |y| LayerId { slot, y })
        };
        let everywhere = || self.members.iter().flat_map(layers_of);
        let all = || everywhere().map(in_layer).sum::<u64>();
        let in_schedule = || everywhere().filter(|&layer| self.schedule.is_ahead(store, layer));
        let in_sweep = || self.sweep.ahead(|slot| self.open_layers(slot));
        let ending = 1;
        ending
            + match self.phase {
                Phase::Rest => return 0,
                Phase::Begin => (3 + u64::from(pools)) * store.grid().awake_cells() as u64,
                Phase::Steady => (3 + u64::from(pools)) * all(),
                Phase::Flow => {
                    in_schedule().map(in_layer).sum::<u64>() + (2 + u64::from(pools)) * all()
                }
                Phase::Draw => (2 + u64::from(pools)) * all(),
                Phase::Flood => in_sweep().map(in_layer).sum::<u64>() + all(),
                Phase::Level => all(),
                Phase::Ebb => in_sweep().map(in_layer).sum::<u64>(),
                Phase::End => 0,
            }
    }

    /// Returns the layers (by bit) of a chunk that have a record.
    #[inline]
    pub(crate) fn open_layers(&self, slot: Slot) -> u16 {
        self.open.get(slot.index()).copied().unwrap_or(0)
    }

    /// Returns the mix of the world's seed and the tick.
    pub(crate) fn random(&self) -> u64 {
        self.random
    }

    /// Returns the seed of a layer's random choices in this tick.
    #[inline]
    pub(crate) fn seed(&self, store: &Store, layer: LayerId) -> u64 {
        layer_seed(self.random, store.grid().position_at(layer.slot), layer.y)
    }

    /// Returns the units that a cell has passed on in this tick, by the record of its layer alone:
    /// resting flow and runs are left out.
    #[inline]
    pub(crate) fn passed_by_record(&self, place: Place) -> u8 {
        self.get(place.layer_id()).map_or(0, |work| work.passed(place.cell()))
    }

    /// Drops the flows of the tick before the last complete tick.
    pub(crate) fn drop_last_flows(&mut self) {
        self.last_flows.clear();
    }

    /// Returns the flow record of a cell from the last complete tick.
    pub(crate) fn last_flow(&self, place: Place) -> u16 {
        match self.record_of_last(place) {
            Some(record) => record.flow(place.cell()),
            None => self.last_flows.of(place),
        }
    }

    /// Returns the record of the last complete tick, unless the tick underway has taken it over.
    fn record_of_last(&self, place: Place) -> Option<LayerRecord<'_>> {
        let chunk = self.chunks.get(place.slot.index())?.as_ref()?;
        let is_of_last = self.phase == Phase::Rest || chunk.is_of_odd_tick != self.is_tick_odd;
        is_of_last.then(|| chunk.layer(place.layer()))
    }

    /// Returns the chunks with records of the last tick or of the tick underway, each with the
    /// layers (by bit) that have a record.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (Slot, u16)> {
        self.members.iter().map(|&slot| (slot, self.open_layers(slot)))
    }

    /// Drops the records of a chunk that is being removed.
    pub(crate) fn forget(&mut self, slot: Slot) {
        if self.chunks.get_mut(slot.index()).and_then(Option::take).is_some() {
            let open = core::mem::take(&mut self.open[slot.index()]);
            self.layers -= open.count_ones() as usize;
        }
        self.members.retain(|&member| member != slot);
        if let Some(presence) = self.presence.get_mut(slot.index()) {
            *presence = Presence::default();
        }
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let records = self.chunks.iter().flatten().chain(&self.spare);
        records.map(|chunk| size_of::<ChunkRecord>() + chunk.heap_bytes()).sum::<usize>()
            + self.spare.capacity() * size_of::<Box<ChunkRecord>>()
            + self.chunks.capacity() * size_of::<Option<Box<ChunkRecord>>>()
            + self.open.capacity() * size_of::<u16>()
            + self.presence.capacity() * size_of::<Presence>()
            + (self.members.capacity() + self.leaving.capacity()) * size_of::<Slot>()
            + self.last_flows.memory_bytes()
            + self.evaporated.as_ref().map_or(0, |log| log.capacity() * size_of::<IVec3>())
    }
}

/// Returns the number of rows in layers with awake cells. These rows are read when a chunk enters.
fn rows_awake(awake: &CellMask) -> usize {
    LAYER_ROWS * (0..16).filter(|&layer| awake.layer(layer).any()).count()
}

#[cfg(test)]
mod tests {
    use crate::chunk::LAYER_CELLS;
    use crate::water::flow_record::NO_FLOW;
    use crate::water::scratch::chunk_record::Mark;
    use crate::water::scratch::test_worlds;

    /// The counts of layers and chunks, which are updated as they come and go, equal a recount.
    #[test]
    fn layers_and_chunks_are_counted_as_they_are_there() {
        let mut most = 0;
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            for _ in 0..12 {
                world.step_within(60);
                let work = &world.scratch;
                let chunks = work.chunks.iter().flatten();
                let layers: u32 = work.open.iter().map(|layers| layers.count_ones()).sum();
                let members =
                    chunks.filter(|chunk| chunk.is_of_odd_tick == work.is_tick_odd).count();
                assert_eq!(
                    (work.layers, work.members.len()),
                    (layers as usize, members),
                    "seed {seed}"
                );
                most = most.max(layers);
            }
            world.finish_tick();
            let chunk =
                world.chunks().next().map(|(position, _)| position).expect("a loaded chunk");
            let (before, slot) =
                (world.scratch.layers, world.store.grid().slot(chunk).expect("it is loaded"));
            let gone = world.scratch.open_layers(slot).count_ones() as usize;
            world.scratch.forget(slot);
            assert_eq!(
                (world.scratch.open_layers(slot), world.scratch.layers),
                (0, before - gone),
                "seed {seed}"
            );
        }
        assert!(most > 20, "{most} layers at most");
    }

    #[test]
    fn a_tick_begins_with_nothing_of_the_last() {
        let mut used = 0;
        for seed in 0..12 {
            let mut world = test_worlds::springs(seed);
            for _ in 0..6 {
                used += world.step().moved;
                let tick = test_worlds::tick(&mut world);
                let records = tick.scratch.chunks.iter().flatten();
                for work in records.flat_map(|chunk| (0..16).map(|y| chunk.layer(y))) {
                    let marks = [
                        Mark::Touched,
                        Mark::Woken,
                        Mark::Waiting,
                        Mark::Steady,
                        Mark::Fallen,
                        Mark::Levelled,
                    ];
                    assert!(
                        (0..LAYER_CELLS).all(|cell| work.flow(cell) == NO_FLOW)
                            && marks.into_iter().all(|mark| work.marked(mark).is_empty()),
                        "seed {seed}"
                    );
                    assert!(work.entered().is_empty() && !work.may_have_changed(), "seed {seed}");
                }
            }
        }
        assert!(used > 1_000, "{used} units moved");
    }
}
