//! The parts of a world that a snapshot saves, and how a world is restored from them. A world with
//! a tick underway is saved as it was when the tick began.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::coords::{ChunkPos, ColumnPos, Cube, Region, Shape};
use crate::edit_queue::Waiting;
use crate::grid::{Grid, LayerId, Slot};
use crate::rules_error::RulesError;
use crate::water::cell::CellFlags;
use crate::water::ebb::evaporation::Evaporation;
use crate::water::edit::Queue;
use crate::water::ledger::Ledger;
use crate::water::record::{CellLists, ChunkState};
use crate::water::rules::{Edge, Rules};
#[cfg(feature = "store")]
use crate::water::scratch::rollback::is_underway;
use crate::water::scratch::rollback::{
    awake_cells_before, cells_before, ledger_before, steady_before,
};
#[cfg(feature = "store")]
use crate::water::store::Since;
use crate::water::store::changed::changes;
use crate::water::store::changed::changes::{changes_at, mark_visible_changes_at};
#[cfg(feature = "store")]
use crate::water::store::changed::touched;
#[cfg(feature = "store")]
use crate::water::store::changed::touched::begin_period;
use crate::water::store::chunks;
use crate::water::store::chunks::without_marks;
use crate::water::store::frozen::restore_frozen;
use crate::water::tick::TickState;
use crate::water::voxel::Voxel;
use crate::water::{Edit, WaterWorld};
use std::collections::VecDeque;

/// The state of a world besides its chunks.
pub(crate) struct Clock {
    pub(crate) seed: u64,
    /// The number of complete ticks.
    pub(crate) tick: u64,
    /// The ledger; while a tick is underway, the ledger from before that tick.
    pub(crate) ledger: Ledger,
}

/// A chunk between ticks, with its marks: which cells are awake, and which are still to be listed
/// as changed.
#[derive(Debug)]
pub(crate) struct SavedChunk {
    pub(crate) state: ChunkState,
    /// The awake cells; `None` if no cell is awake.
    pub(crate) awake: Option<Box<CellMask>>,
    pub(crate) changed: Option<Box<CellMask>>,
    /// The changed cells that look different.
    pub(crate) visible: Option<Box<CellMask>>,
    pub(crate) is_frozen: bool,
}

impl WaterWorld {
    pub(crate) fn clock(&self) -> Clock {
        Clock { seed: self.seed, tick: self.tick, ledger: ledger_before(self) }
    }

    /// Returns the queued edits.
    pub(crate) fn edits_that_wait(&self) -> Waiting<impl ExactSizeIterator<Item = &Edit>> {
        self.queue.saved()
    }

    pub(crate) fn restore_edits(&mut self, edits: Waiting<VecDeque<Edit>>) {
        self.queue = Queue::restored(false, edits);
    }

    /// Returns the chunks with their awake and changed cells. Cells out of bounds are marks.
    pub(crate) fn grid(&self) -> &Grid<Voxel> {
        self.store.grid()
    }

    /// Returns the saved state of a chunk. The state shares its cells with the world until the
    /// world writes them.
    #[cfg(feature = "store")]
    pub(crate) fn copy_chunk(&mut self, slot: Slot) -> SavedChunk {
        self.store.grid_mut().chunk_at_mut(slot).share();
        self.saved_chunk(slot)
    }

    /// Returns the saved state of a chunk.
    pub(crate) fn saved_chunk(&self, slot: Slot) -> SavedChunk {
        let awake = awake_cells_before(self, slot);
        SavedChunk {
            state: self.chunk_state(slot),
            awake: (!awake.is_empty()).then(|| Box::new(awake)),
            changed: changes_at(&self.store, slot).map(Box::new),
            visible: self.visible_changes_at(slot).map(Box::new),
            is_frozen: self.store.is_frozen(slot),
        }
    }

    /// Returns the cells of a chunk that `take_changes` will list.
    fn visible_changes_at(&self, slot: Slot) -> Option<CellMask> {
        let (at, load) = (self.store.grid().position_at(slot), chunks::load(&self.store, slot));
        let listed = changes::visible_changes_at(&self.store, slot);
        let mut all = self.unread.of(at, load).cloned().or_else(|| listed.clone())?;
        listed.iter().for_each(|cells| all.union_with(cells));
        Some(all)
    }

    /// Returns the chunks whose saved state may have changed since `since`, in no particular order,
    /// and the time until which the list holds; see
    /// [`touched_since`](crate::water::store::changed::touched::touched_since).
    #[cfg(feature = "store")]
    pub(crate) fn touched_since(&mut self, since: Option<Since>) -> (Vec<Slot>, Since) {
        let is_underway = is_underway(self);
        touched::touched_since(&mut self.store, since, is_underway)
    }

    /// Returns the current time, for later queries of touched chunks. Returns `None` while a tick
    /// is underway, since a tick marks chunks as touched before it changes them.
    #[cfg(feature = "store")]
    pub(crate) fn since_now(&self) -> Option<Since> {
        (!is_underway(self)).then(|| begin_period(&self.store))
    }

    /// Returns the number of the current period, which ends with the next query of touched chunks.
    #[cfg(feature = "store")]
    pub(crate) fn period(&self) -> u64 {
        touched::period(&self.store)
    }

    /// Returns whether a chunk has been touched since `since`.
    #[cfg(feature = "store")]
    pub(crate) fn is_touched_since(&self, slot: Slot, since: Since) -> bool {
        touched::is_touched_since(&self.store, slot, since)
    }

    /// Marks cells of a chunk as awake, as changed, and as looking different, and the chunk as
    /// frozen or not.
    pub(crate) fn restore_marks(
        &mut self,
        slot: Slot,
        marks: [Option<CellMask>; 3],
        is_frozen: bool,
    ) {
        if is_frozen {
            restore_frozen(&mut self.store, slot);
        }
        let [awake, changed, visible] = &marks;
        let grid = self.store.grid_mut();
        awake.iter().for_each(|cells| grid.wake_cells_at(slot, cells));
        changed.iter().for_each(|cells| grid.mark_changes_at(slot, cells));
        visible.iter().for_each(|cells| mark_visible_changes_at(&mut self.store, slot, cells));
    }

    /// Returns the state of a chunk; while a tick is underway, its state when that tick began.
    pub(crate) fn chunk_state(&self, slot: Slot) -> ChunkState {
        let position = self.store.grid().position_at(slot);
        let cells = without_marks(&self.store, position, cells_before(self, slot).into_owned());
        let steady = steady_before(self, slot);
        // No tick changes fixtures.
        let mut record =
            ChunkState { cells, lists: CellLists { steady, ..chunks::lists(&self.store, slot) } };
        if self.scratch.have_entered() {
            for layer in ones(u64::from(self.scratch.open_layers(slot))) {
                self.roll_back_layer(&mut record, LayerId::new(slot, layer));
            }
        }
        record
    }

    /// Resets the parents of a layer to their state before the tick underway.
    fn roll_back_layer(&self, record: &mut ChunkState, layer: LayerId) {
        let Some(work) = self.scratch.get(layer) else { return };
        if !work.may_have_changed() {
            return;
        }
        let first = layer.y * LAYER_CELLS;
        let is_of_layer = |index: u16| usize::from(index) / LAYER_CELLS == layer.y;
        record.lists.further_parents.retain(|&(index, _)| !is_of_layer(index));
        let faces_of = |cell| {
            (0..6).fold(0, |faces, face| {
                let behind = work.extras_before().map_or(LayerMask::NONE, |extras| extras[face]);
                faces | u8::from(behind.contains(cell)) << face
            })
        };
        for cell in 0..LAYER_CELLS {
            let voxel = record.cells.get(first + cell);
            if !voxel.is_mark() && voxel.has(CellFlags::EXTRA) {
                record.lists.further_parents.push(((first + cell) as u16, faces_of(cell)));
            }
        }
        record.lists.further_parents.sort_unstable();
    }

    /// Returns a world without chunks that has the state of `clock`.
    pub(crate) fn restored(rules: Rules, bounds: Region, clock: Clock) -> Result<Self, RulesError> {
        let mut world = WaterWorld::with_bounds(clock.seed, rules, bounds)?;
        (world.tick, world.ledger) = (clock.tick, clock.ledger);
        let evaporation = Evaporation::new(&world.rules, clock.seed, clock.tick);
        world.tick_state = TickState::new(evaporation);
        Ok(world)
    }

    /// Sets the edge of a column, before any chunk is restored.
    pub(crate) fn restore_edge(&mut self, column: ColumnPos, edge: Edge) {
        self.store.set_column_edge(column, Some(edge));
    }

    /// Inserts a chunk without counting its water in the ledger. Returns `None` if no chunk with
    /// these cells and lists can be at that position.
    pub(crate) fn restore_chunk(&mut self, position: ChunkPos, state: ChunkState) -> Option<Slot> {
        let ChunkState { cells, lists } = state;
        if !Cube::holds_chunk(position) {
            return None;
        }
        self.store.bounds().intersection(&Cube::region_of(position))?;
        let slot = chunks::insert(&mut self.store, position, cells.clone())?;
        self.tick_state.ageing.add_chunk(&self.store, slot);
        self.tick_state.evaporation.add_chunk(self.store.grid(), slot);
        chunks::restore_lists(&mut self.store, slot, &lists);
        let stored = self.store.grid().chunk_at(slot).clone();
        let is_same = without_marks(&self.store, position, stored) == cells
            && chunks::lists(&self.store, slot) == lists;
        is_same.then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::scratch::schedule::Phase;
    use crate::water::scratch::test_worlds;
    use glam::IVec3;

    fn state_and_awake(world: &WaterWorld, slot: Slot) -> (ChunkState, Option<Box<CellMask>>) {
        let saved = world.saved_chunk(slot);
        (saved.state, saved.awake)
    }

    #[test]
    fn while_a_tick_is_underway_a_chunk_is_recorded_as_it_was_when_the_tick_began() {
        let (mut changed, mut retied) = (0, 0);
        for seed in 0..24 {
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let records = |world: &WaterWorld| -> Vec<_> {
                slots.iter().map(|&slot| state_and_awake(world, slot)).collect()
            };
            let before = records(&world);
            while !world.step_within(0).finished {
                assert!(records(&world) == before, "seed {seed}");
                for (&slot, before) in slots.iter().zip(&before) {
                    let position = world.store.grid().position_at(slot);
                    let now = world.store.grid().chunk_at(slot).clone();
                    let now = without_marks(&world.store, position, now);
                    changed += u32::from(now != before.0.cells);
                    retied += u32::from(
                        world.store.further_parents(slot) != before.0.lists.further_parents,
                    );
                }
            }
        }
        assert!(
            changed > 500 && retied > 20,
            "{changed} chunks had changed, {retied} had other parents"
        );
    }

    /// Springs are removed, and most water is put to sleep before each tick. So the end of the tick
    /// wakes cells that took no part in the tick, and dries up others.
    #[test]
    fn while_a_tick_ends_a_chunk_is_recorded_as_it_was_when_the_tick_began() {
        let mut retied = 0;
        for seed in 0..14 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let sources: Vec<IVec3> = test_worlds::places(&world)
                .into_iter()
                .filter(|&place| world.store.read(place).is_source())
                .map(|place| world.store.position(place))
                .collect();
            let records = |world: &WaterWorld| -> Vec<_> {
                slots.iter().map(|&slot| state_and_awake(world, slot)).collect()
            };
            for source in sources {
                world.run(2);
                test_worlds::put_to_sleep(&mut world.store);
                world.remove_source(source).expect("a source");
                for &slot in &slots {
                    let awake = LayerMask::from_words(core::array::from_fn(|_| {
                        random.u64(..) & random.u64(..)
                    }));
                    world
                        .store
                        .grid_mut()
                        .wake_layer_at(LayerId::new(slot, random.usize(..16)), awake);
                }
                let before = records(&world);
                while !world.step_within(0).finished {
                    assert!(records(&world) == before, "seed {seed}");
                    if world.scratch.phase != Phase::End {
                        continue;
                    }
                    for (&slot, before) in slots.iter().zip(&before) {
                        retied += usize::from(
                            world.store.further_parents(slot) != before.0.lists.further_parents,
                        );
                    }
                }
            }
        }
        assert!(retied > 14, "{retied} chunks with other parents");
    }
}
