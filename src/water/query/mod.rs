//! Queries of a water world: cells, currents, totals, changes, and the hash of its state. While a
//! tick is underway, they answer for the world as it was before that tick. Code above water uses
//! `contact` (which cells have a unit to give or room for one), `cover` (masks of the cells without
//! room) and `heads` (how high bodies stand).

pub(crate) mod contact;
pub(crate) mod cover;
pub(crate) mod heads;
mod simulation;

use crate::chunk::{CellMask, Chunk};
use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::grid::Slot;
use crate::simulation::{ChunkChanges, EditValue};
use crate::state_hash::StateHash;
use crate::water::body::BodyReport;
use crate::water::cell::{FULL, WaterCell};
use crate::water::edit::memory_bytes;
use crate::water::feed::unread::take_unread;
use crate::water::fixture::Fixture;
use crate::water::flow_record::{NO_FLOW, current};
use crate::water::ledger::Ledger;
use crate::water::rules::Rules;
use crate::water::scratch::limits::Limits;
use crate::water::scratch::rollback::{
    awake_before, awake_cells_before, cells_before, has_begun, is_underway, ledger_before,
    steady_before, voxel_before,
};
use crate::water::store::changed::changes::take_changes;
use crate::water::store::fixtures::fixture_list;
use crate::water::store::fixtures::valves::has_passage;
use crate::water::store::sources::units_of_sources;
use crate::water::store::{Place, chunks, fixtures};
use crate::water::validate::check_laws;
use crate::water::voxel::Voxel;
use crate::water::{WaterWorld, body};
use glam::IVec3;
use std::borrow::Cow;

impl WaterWorld {
    /// Returns the rules of the next tick.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the region of all cells that belong to the world, loaded or not.
    pub fn bounds(&self) -> Region {
        self.store.bounds()
    }

    /// Returns the seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the number of complete ticks.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the content of a cell; `None` if it is not loaded or out of bounds.
    pub fn voxel(&self, cell: IVec3) -> Option<Voxel> {
        self.place(cell).ok().map(|place| voxel_before(self, place))
    }

    /// Returns the water of an open cell; `None` if it is solid, the sea, not loaded or out of
    /// bounds.
    pub fn cell(&self, cell: IVec3) -> Option<WaterCell> {
        self.voxel(cell).and_then(Voxel::cell)
    }

    /// Returns the units of water in a cell, 0 to 7; 0 if it is solid, not loaded or out of bounds.
    /// For the sea, the result is 7, though the ledger does not count these units.
    pub fn units(&self, cell: IVec3) -> u8 {
        self.place(cell).map_or(0, |place| voxel_before(self, place).seen_height())
    }

    /// Returns whether a cell is the sea; `false` if it is not loaded or out of bounds.
    pub fn is_sea(&self, cell: IVec3) -> bool {
        self.place(cell).is_ok_and(|place| voxel_before(self, place).is_sea())
    }

    /// Returns whether a cell is solid ground; `false` if it is not loaded or out of bounds.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.place(cell).is_ok_and(|place| voxel_before(self, place).is_solid())
    }

    /// Returns the net flow of water out of a cell in the last complete tick: units along x, y and
    /// z, each −7 to 7. The result is zero in still water, in cells that are not loaded, and in a
    /// world that has just been loaded. Use it to draw currents and to move objects.
    pub fn current(&self, cell: IVec3) -> IVec3 {
        self.place(cell).map_or(IVec3::ZERO, |place| self.current_at(place))
    }

    /// Returns the outflow of a cell in the last complete tick.
    pub(crate) fn current_at(&self, place: Place) -> IVec3 {
        match self.scratch.last_flow(place) {
            NO_FLOW if self.store.passed_last_in_run(place) => IVec3::NEG_Y * i32::from(FULL),
            NO_FLOW if self.scratch.rested_in_last(place.slot) => {
                let flows = match is_underway(self) {
                    true => self.store.steady_at_begin(place),
                    false => self.store.steady(place),
                };
                current(flows.record())
            }
            flow => current(flow),
        }
    }

    /// Returns the chunks with currents of the last tick, and the chunks with records of the tick
    /// underway, each with the layers (by bit) that may have currents or records.
    pub(crate) fn current_layers_at(&self) -> impl Iterator<Item = (Slot, u16)> {
        let rested = |slot: Slot| match self.scratch.rested_in_last(slot) {
            true => self.store.steady_layers(slot),
            false => 0,
        };
        let unrecorded = move |slot: Slot| self.store.layers_of_last_runs(slot) | rested(slot);
        let recorded =
            self.scratch.recorded().map(move |(slot, layers)| (slot, layers | unrecorded(slot)));
        let runs = self.store.slots_with_runs().iter().copied();
        let steady = self.store.steady_slots().filter(|&slot| !self.store.has_runs_in(slot));
        let others = runs.chain(steady).filter(|&slot| self.scratch.open_layers(slot) == 0);
        recorded.chain(others.map(move |slot| (slot, unrecorded(slot))))
    }

    /// Returns the units of water in the world, without the sea, counted cell by cell. If this
    /// equals [`ledger().total()`](Ledger::total), no unit has been made or lost. Takes time linear
    /// in the loaded chunks, about 0.3 µs for each chunk with water.
    pub fn total(&self) -> u64 {
        self.chunks().map(|(_, chunk)| chunk.units()).sum()
    }

    /// Returns the account of all water that has entered and left the world.
    pub fn ledger(&self) -> Ledger {
        ledger_before(self)
    }

    /// Returns whether nothing will change until the next edit: no cell is awake or active, no tick
    /// is underway, no edit is queued, no [valve](crate::water::Fixture::Valve) has water to pass
    /// on, and no water can evaporate.
    ///
    /// With evaporation, [`awake_cells`](WaterWorld::awake_cells) is 0 when all water is still, and
    /// a tick then costs next to nothing; but the world is at rest only when it holds no water
    /// other than that of its springs.
    pub fn is_at_rest(&self) -> bool {
        let evaporates = self.rules.evaporation > 0.0 || self.rules.film_evaporation > 0.0;
        self.is_asleep() && !(evaporates && units_of_sources(&self.store) < self.ledger().total())
    }

    /// Returns whether no cell is awake or active, no steady flow passes, no tick is underway, no
    /// edit is queued, and no valve has water to pass on.
    pub(crate) fn is_asleep(&self) -> bool {
        let limits = Limits::of(&self.rules);
        let left = |place: Place| limits.left(self.store.read(place), 0);
        !has_begun(self)
            && self.queue.is_empty()
            && self.awake_cells() == 0
            && !self.store.has_steady()
            && !self.tick_state.ageing.has_active(&self.store)
            && !has_passage(&self.store, left)
    }

    /// Returns the number of awake cells: the cells that the next tick will visit or, while a tick
    /// is underway, the cells that were awake when it began. Cells of [frozen](WaterWorld::freeze)
    /// chunks are not counted.
    pub fn awake_cells(&self) -> usize {
        awake_before(self)
    }

    /// Returns the positions of the chunks with awake cells, and these cells, in order of position;
    /// while a tick is underway, as they were when that tick began. Awake cells of
    /// [frozen](WaterWorld::freeze) chunks are not among them.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunks([0, 1].map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))))?;
    /// world.pour(IVec3::new(20, 5, 8), 7)?;
    /// let awake: Vec<ChunkPos> = world.awake_chunks().map(|(chunk, _)| chunk).collect();
    /// assert_eq!(awake, [ChunkPos::new(1, 0, 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn awake_chunks(&self) -> impl Iterator<Item = (ChunkPos, CellMask)> {
        let slots = self.store.grid().sorted_slots().into_iter();
        slots
            .filter(|&slot| !self.store.is_frozen(slot))
            .map(|slot| (self.store.grid().position_at(slot), awake_cells_before(self, slot)))
            .filter(|(_, awake)| !awake.is_empty())
    }

    /// Returns the cells to redraw: the cells that an edit has changed since the last call, and the
    /// cells that a tick has left looking different. The cells are listed by chunk, in order of
    /// position. The loading and unloading of chunks is not listed. A [`Feed`](crate::water::Feed)
    /// of the world takes nothing from this list, except changes from before the first call of this
    /// function: a game that uses both calls this function once at the beginning. Beside a feed,
    /// each chunk that changes takes 1 KB until the next call, or until the chunk is unloaded.
    ///
    /// The visible properties of a cell are its ground, its height, and, if its height is 0,
    /// whether water of a spring passes through it, the direction of that water, and its
    /// [`largest`](WaterCell::largest), the thickness of a fall. A river in steady flow is not
    /// listed, although its currents continue. For other changes see
    /// [`take_all_changes`](WaterWorld::take_all_changes); neither function affects what the other
    /// returns.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// let cell = IVec3::new(8, 8, 8);
    /// world.clear_solid(cell)?;
    /// world.add_source(cell)?;
    /// assert_eq!(world.take_changes()[0].cells.len(), 1);
    /// assert_eq!(world.take_all_changes()[0].cells.len(), 1);
    /// world.step();
    /// assert!(world.take_changes().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        ChunkChanges::list(take_unread(self))
    }

    /// Returns every cell of which an edit or a tick has changed any bit since the last call, in
    /// the form of [`take_changes`](WaterWorld::take_changes). In addition to the cells that
    /// `take_changes` lists, these include cells in which only activity, flags, direction or
    /// bottleneck have changed. Use this to keep a copy of the words, in another process or on a
    /// disk.
    ///
    /// A copy of a chunk, made at any time, stays exact if all changes taken later are applied.
    /// That includes a copy made while a tick is underway, since the changes of the tick are listed
    /// once it is complete.
    ///
    /// Until the next call, each changed chunk takes a mask of 512 bytes. The list is for a single
    /// reader.
    pub fn take_all_changes(&mut self) -> Vec<ChunkChanges> {
        ChunkChanges::list(take_changes(&mut self.store))
    }

    /// Returns the loaded chunks with their chunk positions, in order of position. Cells outside
    /// the world's bounds hold no water.
    ///
    /// The chunks are borrowed. While a tick is underway, the chunks that it has changed are copies
    /// of their state before the tick.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, Cow<'_, Chunk<Voxel>>)> {
        let chunk = |slot| (self.store.grid().position_at(slot), cells_before(self, slot));
        self.store.grid().sorted_slots().into_iter().map(chunk)
    }

    /// Returns the number of times that a chunk has been inserted or removed.
    pub(crate) fn loads(&self) -> u64 {
        chunks::loads(&self.store)
    }

    /// Returns the chunk at a chunk position, as [`chunks`](WaterWorld::chunks) does; `None` if it
    /// is not loaded.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.pour(IVec3::new(8, 15, 8), 7)?;
    /// let before = world.chunk(ChunkPos::ZERO).map(|chunk| chunk.into_owned());
    /// while !world.step_within(0).finished {
    ///     assert_eq!(world.chunk(ChunkPos::ZERO).as_deref(), before.as_ref());
    /// }
    /// assert_ne!(world.chunk(ChunkPos::ZERO).as_deref(), before.as_ref());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunk(&self, position: ChunkPos) -> Option<Cow<'_, Chunk<Voxel>>> {
        self.store.grid().slot(position).map(|slot| cells_before(self, slot))
    }

    /// Returns the bytes that the world holds on the heap, including those for the currents of the
    /// last tick. While a tick is underway, the lists of the tick's end do not count.
    pub fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
            + self.scratch.memory_bytes()
            + self.tick_state.memory_bytes()
            + memory_bytes(&self.queue)
            + self.unread.memory_bytes()
    }

    /// Returns a hash of seed, ticks, ledger, every cell and fixture of every chunk, the steady
    /// flow, which chunks are [frozen](WaterWorld::freeze), and the queued edits. The hash is the
    /// same on every platform, and independent of the order in which chunks were loaded. Rules,
    /// bounds and the [edges of columns](WaterWorld::set_edge) are not part of it: compare these
    /// separately. The ledger's loaded and unloaded units are not part of it either, since their
    /// difference follows from the rest: a chunk that is removed as a record and put back leaves
    /// the hash unchanged.
    ///
    /// While a tick is underway, this is the hash from before that tick. A snapshot saved during
    /// the tick has the same hash when loaded.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let ledger = ledger_before(self);
        for value in [
            self.seed,
            self.tick,
            ledger.placed,
            ledger.injected,
            ledger.removed,
            ledger.drained,
            ledger.evaporated,
        ] {
            hash.add(value);
        }
        // A world that has never touched the sea has the hash of a world without these entries.
        if ledger.from_sea + ledger.into_sea > 0 {
            [ledger.from_sea, ledger.into_sea].into_iter().for_each(|units| hash.add(units));
        }
        for slot in self.store.grid().sorted_slots() {
            hash.add_position(self.store.grid().position_at(slot).into());
            hash.add_chunk::<_, 4>(&cells_before(self, slot), |voxel| u64::from(voxel.word()));
            for (index, fixture) in fixture_list(&self.store, slot) {
                let [kind, value] = fixture.bytes().map(u64::from);
                hash.add(u64::from(index) | kind << 16 | value << 24 | 1 << 32);
            }
            for (index, flows) in steady_before(self, slot) {
                hash.add(u64::from(index) | u64::from(flows.word()) << 16 | 1 << 40);
            }
            // Only frozen chunks add an entry.
            if self.store.is_frozen(slot) {
                hash.add(1);
            }
        }
        self.queue.hash(&mut hash, EditValue::to_bytes);
        hash.finish()
    }

    /// Returns the state of the body of water that a cell belongs to, after visiting at most
    /// `reach` cells of water and air. `None` if the cell holds no water, is the sea, is not
    /// loaded, or is out of bounds, or if `reach` is 0.
    ///
    /// A body is water that is joined sideways, and up and down where the lower cell is full. The
    /// search visits the cell's own column and the surface at its height first. While a tick is
    /// underway, this is the body as it was before that tick. Takes time linear in the number of
    /// cells visited.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// world.fill_water(Region::new(IVec3::new(2, 2, 2), IVec3::new(5, 3, 5)), 7)?;
    /// let pond = world.body_at(IVec3::new(3, 2, 3), 10_000).ok_or("water")?;
    /// assert_eq!((pond.units, pond.cells, pond.surface), (224, 32, 28));
    /// assert!(!pond.is_fed && !pond.shuts_in_air && !pond.is_cut_off);
    /// world.clear_solid(IVec3::new(3, 4, 3))?;
    /// assert!(world.body_at(IVec3::new(3, 2, 3), 10_000).ok_or("water")?.shuts_in_air);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn body_at(&self, cell: IVec3, reach: u32) -> Option<BodyReport> {
        body::body_at(self, cell, reach)
    }

    /// Returns the fixture of a cell; `None` if the cell has none, is not loaded, or is out of
    /// bounds.
    pub fn fixture(&self, cell: IVec3) -> Option<Fixture> {
        self.place(cell).ok().and_then(|place| fixtures::fixture(&self.store, place))
    }

    /// Returns all fixtures with their cells, by chunk in order of position, and in each chunk in
    /// order of the cells.
    pub fn fixtures(&self) -> impl Iterator<Item = (IVec3, Fixture)> {
        let slots = self.store.grid().sorted_slots().into_iter();
        slots.flat_map(|slot| {
            let chunk = self.store.grid().position_at(slot);
            let all = fixtures::fixtures(&self.store, slot).into_iter().flatten();
            all.map(move |(&index, &fixture)| (Cube::cell_at(chunk, index.into()), fixture))
        })
    }

    /// Returns whether a chunk is loaded and [frozen](WaterWorld::freeze).
    pub fn is_frozen(&self, chunk: ChunkPos) -> bool {
        self.store.grid().slot(chunk).is_some_and(|slot| self.store.is_frozen(slot))
    }

    /// Returns the chunk positions of the [frozen](WaterWorld::freeze) chunks, in order of
    /// position.
    pub fn frozen_chunks(&self) -> impl Iterator<Item = ChunkPos> {
        let slots = self.store.grid().sorted_slots().into_iter();
        slots
            .filter(|&slot| self.store.is_frozen(slot))
            .map(|slot| self.store.grid().position_at(slot))
    }

    /// Checks every law of the whole world. While a tick is underway, it checks only storage,
    /// masks, bounds and the ledger, since the other laws hold between ticks. The check is slow,
    /// and meant for tests, fuzzers and bug reports.
    ///
    /// # Errors
    /// A law is broken. The error holds the first broken law found, with the cell and the values.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        check_laws(self).map_err(crate::Violation::of)
    }
}
