//! Edits of a water world: the functions that change it between ticks.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | this one | ground, springs, units of water, regions; methods for bodies, fixtures and rules | |
//! | `chunks` | whole chunks: methods that load, unload, freeze, thaw and wake them | |
//! | `displace` | where water goes when ground takes its place | breadth-first search |
//! | `bodies` | units taken from the surface of a body, or added at it | best-first search |
//! | `sea`, `fixtures`, `rules` | the sea and the edges of columns; drains, taps, valves; other rules | |
//! | `records` | chunks that are taken out and put in with their flows | |
//! | `frozen` | chunks that stand still | |
//! | `portals` | the portals of a region of a divided world | |
//! | `transfer` | units moved from outside the rules of water | |
//! | `values`, `queue` | edits as values and as bytes; edits queued for the end of the tick | |
//! | `error` | why an edit is refused | |
//!
//! # Function, value, bytes
//!
//! A row of the table in `values` names a tag, fields, what a client's limits count, and the
//! function that makes the edit. From these rows, the macro of `src/edit_table.rs` makes the enum
//! [`Edit`], `apply`, `to_bytes` and `from_bytes`, and the number of cells that an edit counts for
//! in a budget. The bytes are the tag and the fields in their order, each in the form of its type.
//!
//! # What an edit does
//!
//! 1. It makes the edits that wait in the queue.
//! 2. It checks its arguments. If it is refused, it has not changed anything yet.
//! 3. It completes the tick that is underway.
//! 4. It writes cells through the [store](crate::water::store), enters units in the ledger, and
//!    cuts the links of a cell that is replaced.
//! 5. Each written cell is marked as changed and wakes the cells that the change can set in motion:
//!    the table of wakes is in `store/wake.rs`. Water moves, and HasSource is updated, in the next
//!    tick.
//!
//! # Why it ends, and what it costs
//!
//! An edit visits the cells of its region or the chunks that it names, once; `wake_all` and
//! `set_rules` visit all chunks. Displaced water searches cells until it finds room: at most
//! 16,384, or 64 for each wet cell of a region if that is more. An edit made directly also takes
//! the time of the rest of the tick underway. A queued edit does not: it is a piece of its own
//! before the next tick, and counts for its cells and for the cells that it has searched.

mod bodies;
mod chunks;
mod displace;
mod error;
mod fixtures;
mod frozen;
mod portals;
mod queue;
mod records;
mod rules;
mod sea;
pub(crate) mod transfer;
mod values;

pub use error::EditError;
pub(crate) use queue::{Queue, memory_bytes};
pub use values::{Edit, Outcome};

use crate::coords::{Cube, Region, Shape};
use crate::rules_error::RulesError;
use crate::simulation::Displaced;
use crate::water::cell::{CellFlags, FULL, MOST_ACTIVE, WaterCell};
use crate::water::edit::displace::displace;
use crate::water::fixture::Fixture;
use crate::water::store::Place;
use crate::water::store::sources::note_source;
use crate::water::voxel::Voxel;
use crate::water::{Rules, WaterWorld};
use glam::IVec3;

impl WaterWorld {
    /// Makes a cell solid, as a block, a door, sand that lands or ice does, and returns what
    /// happened to its water. A source or sea in the cell is removed.
    ///
    /// Water is pushed to the nearest room, through the water joined to it: up through full cells,
    /// sideways and down. The water fills cells that hold water already, and dry cells on ground or
    /// on full cells; it falls through dry cells with room below, and passes through springs. Steps
    /// count for distance, except from a full cell up into a full one, so that water comes out
    /// straight above where it can. Of neighbours equally near, the sides come first (west, east,
    /// north, south), then up, then down. At most 16,384 cells are visited; water that finds no
    /// room in these cells leaves the world and counts as removed.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::Displaced;
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let displaced = world.set_solid(IVec3::new(8, 0, 8))?;
    /// assert_eq!(displaced, Displaced { moved: 7, removed: 0 });
    /// assert_eq!(world.units(IVec3::new(8, 10, 8)), 7, "on the surface");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn set_solid(&mut self, cell: IVec3) -> Result<Displaced, EditError> {
        self.make_queued_edits();
        if self.store.read(self.place(cell)?).is_solid() {
            return Ok(Displaced::default());
        }
        let place = self.place_to_edit(cell)?;
        let height = self.store.read(place).height();
        self.forget(place);
        self.replace(place, Voxel::SOLID);
        let (moved, removed) = displace(self, &[(place, height)]);
        Ok(Displaced { moved: moved as u32, removed: removed as u32 })
    }

    /// Makes a solid cell open and dry. Returns `false`, and changes nothing, if it is open.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if !self.store.read(self.place(cell)?).is_solid() {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        self.replace(place, Voxel::OPEN);
        Ok(true)
    }

    /// Makes a cell a spring and fills it; the water added counts as injected. Sea in the cell is
    /// removed. Returns `false`, and changes nothing, if the cell is a spring.
    ///
    /// Water that the spring feeds rises up to the cell below the height of the spring: the far arm
    /// of a U ends a cell lower.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn add_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if self.store.read(self.place(cell)?).is_source() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        // The ledger counts no units in the sea, so all units of a spring in its place are new.
        self.ledger.injected += u64::from(FULL - voxel.height());
        self.store.keep_parents(place, 0, voxel);
        note_source(&mut self.store, place, true);
        let mut source = Voxel::water(WaterCell::SOURCE);
        if !self.store.steady(place).is_none() {
            // The cell keeps its steady flow. A tick in which that flow yields would not set these.
            source = source.with(CellFlags::FLOW_OUT, true).with_active(MOST_ACTIVE);
        }
        self.replace(place, source);
        Ok(true)
    }

    /// Makes a spring an ordinary full cell. Returns `false`, and changes nothing, if the cell is
    /// no spring.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn remove_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        let voxel = self.store.read(self.place(cell)?);
        if !voxel.is_source() && !voxel.is_solid() {
            return Ok(false);
        }
        let place = self.open_place_to_edit(cell)?;
        note_source(&mut self.store, place, false);
        self.replace(place, Voxel::water(WaterCell::STILL));
        Ok(true)
    }

    /// Pours up to `units` into a cell. Returns the number of units that had room, 0 to 7; they
    /// count as placed. The sea has room for 7 units, which are gone: they count as taken by the
    /// sea, too.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        if voxel.is_sea() {
            let poured = units.min(u32::from(FULL));
            self.ledger.placed += u64::from(poured);
            self.ledger.into_sea += u64::from(poured);
            return Ok(poured);
        }
        let poured = units.min(u32::from(voxel.room()));
        if poured > 0 {
            self.ledger.placed += u64::from(poured);
            self.replace(place, voxel.with_height(voxel.height() + poured as u8));
        }
        Ok(poured)
    }

    /// Takes up to `units` out of a cell. Returns the number of units taken, 0 to 7; they count as
    /// removed. A source stays full: its units count as injected, too. The sea stays full: its
    /// units count as given by the sea, too.
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let place = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(place);
        let scooped = units.min(u32::from(voxel.seen_height()));
        if scooped == 0 {
            return Ok(0);
        }
        self.take_out(place, scooped);
        Ok(scooped)
    }

    /// Takes units out of a cell, and enters them as removed. A spring and the sea give any number
    /// of units; any other cell must hold as many as are taken.
    fn take_out(&mut self, place: Place, units: u32) {
        let voxel = self.store.read(place);
        if voxel.is_sea() {
            return self.take_from_sea(units);
        }
        self.ledger.removed += u64::from(units);
        if voxel.is_source() {
            self.ledger.injected += u64::from(units);
            return;
        }
        self.take_down(place, units as u8);
    }

    /// Lowers the water of a cell that is no spring by units that it holds.
    fn take_down(&mut self, place: Place, units: u8) {
        let voxel = self.store.read(place);
        let left = voxel.with_height(voxel.height() - units);
        if left.height() == 0 {
            self.forget(place);
            self.replace(place, Voxel::OPEN);
        } else {
            self.replace(place, left);
        }
    }

    /// Enters units as given by the sea and removed.
    fn take_from_sea(&mut self, units: u32) {
        self.ledger.removed += u64::from(units);
        self.ledger.from_sea += u64::from(units);
    }

    /// Makes every cell of a region solid, sources and sea included. Returns the number of units
    /// removed for lack of room.
    ///
    /// Water is pushed out of the region and to the nearest room, as by
    /// [`set_solid`](WaterWorld::set_solid). Wet cells that touch are pushed out together, and at
    /// most 64 cells are visited for each wet cell of the region, or 16,384 if that is more.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds.
    pub fn fill_solid(&mut self, region: Region) -> Result<u64, EditError> {
        self.fill(region, Voxel::SOLID)
    }

    /// Makes every cell of a region open, with still water of `height` units (0 for dry), in place
    /// of ground, sources and sea. The old water counts as removed, the new water as placed.
    /// Returns the number of units removed.
    ///
    /// # Errors
    /// The height is above 7, or a cell of the region is not loaded or out of bounds.
    pub fn fill_water(&mut self, region: Region, height: u8) -> Result<u64, EditError> {
        let cell = WaterCell::with_height(height).map_err(|_| EditError::Height(height))?;
        self.fill(region, Voxel::water(cell))
    }

    fn fill(&mut self, region: Region, voxel: Voxel) -> Result<u64, EditError> {
        self.make_queued_edits();
        self.check_loaded(region)?;
        self.finish_tick();
        let (mut removed, mut displaced) = (0, Vec::new());
        for cell in region.positions() {
            let place = self.place(cell)?;
            let old = self.store.read(place);
            if !voxel.is_solid() {
                removed += u64::from(old.height());
            } else if old.is_wet() {
                displaced.push((place, old.height()));
            }
            self.ledger.placed += u64::from(voxel.height());
            if old == voxel {
                continue;
            }
            if !old.is_solid() {
                self.forget(place);
            }
            self.replace(place, voxel);
        }
        self.ledger.removed += removed;
        Ok(removed + displace(self, &displaced).1)
    }

    /// Writes a voxel, marks it changed, and wakes the cells that the change can set in motion.
    fn replace(&mut self, place: Place, voxel: Voxel) {
        let was_sea = self.store.read(place).is_sea();
        self.store.write(place, voxel);
        if was_sea != voxel.is_sea() {
            self.store.note_sea(place);
        }
        self.store.note_change(place);
    }

    /// Removes a cell from the sources, and cuts its links to parents and children, before the cell
    /// is replaced.
    fn forget(&mut self, place: Place) {
        note_source(&mut self.store, place, false);
        self.store.cut_ties(place);
    }

    fn check_loaded(&self, region: Region) -> Result<(), EditError> {
        for corner in [region.min(), region.max()] {
            if !self.store.bounds().contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        match Cube::chunks_of(region).find(|&chunk| self.store.grid().slot(chunk).is_none()) {
            Some(chunk) => Err(EditError::NotLoaded(Cube::cell_at(chunk, 0).max(region.min()))),
            None => Ok(()),
        }
    }

    pub(crate) fn place(&self, cell: IVec3) -> Result<Place, EditError> {
        if !self.store.bounds().contains(cell) {
            return Err(EditError::OutOfBounds(cell));
        }
        let slot =
            self.store.grid().slot(Cube::chunk_of(cell)).ok_or(EditError::NotLoaded(cell))?;
        Ok(Place::new(slot, Cube::index_of(cell)))
    }

    /// Returns the place of a cell to edit, after completing a tick underway.
    fn place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        let place = self.place(cell)?;
        self.finish_tick();
        Ok(place)
    }

    /// Returns the place of a cell to edit as [`place_to_edit`](Self::place_to_edit) does, unless
    /// the cell is solid.
    fn open_place_to_edit(&mut self, cell: IVec3) -> Result<Place, EditError> {
        if self.store.read(self.place(cell)?).is_solid() {
            Err(EditError::Solid(cell))
        } else {
            self.place_to_edit(cell)
        }
    }

    /// Takes up to `units` out of the [body](WaterWorld::body_at) of water that a cell belongs to,
    /// as a bucket, a pump or a pipe does. Returns the number of units taken; they count as
    /// removed.
    ///
    /// The result is 0 if the cell holds no water, even if water stands beside or below it: an
    /// intake above the water sucks air. Put an intake at the bottom, where the water of the body
    /// stands longest.
    ///
    /// The units come from the top: first from the surface straight above the cell, then from the
    /// surface around it, the nearest cells first, then from the layer below, and so on, as far as
    /// the cells are joined to the cell. If the body rises higher elsewhere, units come from there
    /// as soon as the search has found that part. A spring that the search reaches gives all units
    /// that are still missing, and so does the sea where it is beside or above a cell of the body:
    /// these units count as injected, or as given by the sea, too. At most 16,384 cells are
    /// visited.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let intake = IVec3::new(8, 0, 8);
    /// assert_eq!(world.drain_body(intake, 20)?, 20);
    /// assert_eq!(world.units(IVec3::new(8, 9, 8)), 0, "from the surface above it");
    /// assert_eq!(world.units(intake), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn drain_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        bodies::drain_body(self, cell, units)
    }

    /// Adds up to `units` to the [body](WaterWorld::body_at) of water that a cell belongs to, or at
    /// a cell without water. Returns the number of units that found room; they count as placed.
    ///
    /// The units go into the cell, as far as it has room, and then to the nearest room, like the
    /// water that [`set_solid`](WaterWorld::set_solid) displaces: straight up through full cells to
    /// the surface, and from there to the sides. They fall through a dry cell with room below, and
    /// pass through springs. If the cell is sea, the sea takes all units, which count as taken by
    /// the sea, too. At most 16,384 cells are visited.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let outlet = IVec3::new(8, 0, 8);
    /// assert_eq!(world.fill_body(outlet, 20)?, 20);
    /// assert_eq!(world.units(IVec3::new(8, 10, 8)), 7, "on the surface above it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn fill_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        bodies::fill_body(self, cell, units)
    }

    /// Builds a [`Fixture`] into a cell in place of its present fixture, or removes the present
    /// one. Returns `false`, and changes nothing, if the cell is in that state already.
    ///
    /// A fixture stays in its cell, whatever the cell becomes. A drain or a tap does nothing while
    /// its cell is ground, sea or a spring, and a valve does nothing while its cell is not ground.
    /// Fixtures are saved with the world, and travel in [records](WaterWorld::remove_chunks); a
    /// chunk that [`remove_chunk`](WaterWorld::remove_chunk) returns has none. The edit moves no
    /// water. The cell is listed as changed.
    ///
    /// ```
    /// use floodplain::water::{Fixture, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// let [tap, drain] = [IVec3::new(2, 5, 5), IVec3::new(9, 5, 5)];
    /// world.fill_water(Region::new(tap, drain), 0)?;
    /// world.set_fixture(tap, Some(Fixture::Tap(2)))?;
    /// world.set_fixture(drain, Some(Fixture::Drain(7)))?;
    /// world.run(100);
    /// let before = world.ledger();
    /// world.run(100);
    /// assert_eq!(world.ledger().injected - before.injected, 200);
    /// assert!((150..=250).contains(&(world.ledger().drained - before.drained)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A rate is not 1 to 7, or the cell is not loaded or out of bounds.
    pub fn set_fixture(
        &mut self,
        cell: IVec3,
        fixture: Option<Fixture>,
    ) -> Result<bool, EditError> {
        fixtures::set_fixture(self, cell, fixture)
    }

    /// Replaces the rules, from the next tick on: for a dry season, springs that give less, or an
    /// edge that opens. Completes a tick underway first. Setting the present rules again changes
    /// nothing.
    ///
    /// A change of the chances of evaporation alone wakes nothing. Any other change wakes every
    /// cell with water or flow, as [`wake_all`](WaterWorld::wake_all) does, since water at rest
    /// under the old rules need not be at rest under the new rules. If the throughput falls, each
    /// cell's [`largest`](crate::water::WaterCell::largest) is lowered to it. No water is moved and
    /// the ledger stays as it is.
    ///
    /// # Errors
    /// A rule's value is out of range; see [`Rules::check`]. Nothing is changed.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 1, 15)), 7)?;
    /// world.run(500);
    /// assert_eq!(world.ledger().evaporated, 0);
    /// world.set_rules(Rules { evaporation: 1.0 / 64.0, ..*world.rules() })?;
    /// world.run(500);
    /// assert!(world.ledger().evaporated > 1000, "a dry season");
    /// let wrong = world.set_rules(Rules { throughput: 9, ..*world.rules() });
    /// assert_eq!(wrong.unwrap_err().to_string(), "throughput is 1 to 7 units a tick, not 9");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_rules(&mut self, rules: Rules) -> Result<(), RulesError> {
        rules::set_rules(self, rules)
    }

    /// Returns the number of cells that edits have visited since the last call, in search of room
    /// for water or of the cells of a body.
    pub(crate) fn take_searched(&mut self) -> u64 {
        core::mem::take(&mut self.searched)
    }
}
