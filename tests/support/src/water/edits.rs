//! Edits and ticks of a water world, against the naive model of [`cells`](super::cells) and the
//! laws that can be seen from outside. Property tests and the fuzz targets `water_edits` and
//! `water_stream` make the edits: in the world as values that were sent as bytes, in its twin by the
//! functions of their names.

use super::cells::{Cells, Content};
pub use super::values::Edit;
use super::values::{foreign_chunk, sent, value_of};
use crate::model::{self, ChunkWorld, Looks, Model, Shelf, chunks_of, saved_and_loaded};
use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{
    self, ChunkRecord, Displaced, Edge, EditError, Fixture, Ledger, Outcome, Progress, Rules,
    Voxel, WaterWorld,
};
use floodplain::{
    Automaton, CHUNK_CELLS, Chunk, ChunkChanges, Cube, Face, Region, Shape, StepReport,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

/// Runs are one tick in slices of so many cells, saved and loaded after the first.
pub type Op = model::Op<Edit, u64>;

/// The most looks at a cell that one tick takes in its passes.
const PASSES: u64 = 4;

/// The most draws from one body in a tick; each looks at every cell once at most, and at the dry
/// cells beside it.
const DRAWS: u64 = 96;

impl ChunkWorld for WaterWorld {
    type Shape = Cube;

    fn wake_all(&mut self) {
        self.wake_all();
    }

    fn take_all_changes(&mut self) -> Option<Vec<ChunkChanges>> {
        Some(self.take_all_changes())
    }
}

/// The model of a water world.
pub struct Water {
    rules: Rules,
    cells: Cells,
    removed: Shelf<Voxel>,
    /// The edges of columns, by x and z.
    columns: HashMap<IVec2, Edge>,
    /// What is built into cells that are loaded.
    fixtures: HashMap<IVec3, Fixture>,
    /// The chunks that were removed as records, one for each position.
    records: Vec<ChunkRecord>,
    /// The chunks that the last edit loaded or unloaded.
    loaded: Vec<IVec3>,
    /// Units that moved in the world's last tick.
    moved: u64,
}

/// A water world, its twin and its model.
pub type Watched = model::Watched<Water>;

impl Watched {
    /// A world within `bounds`, all of whose chunks are loaded and open, on a floor of solid
    /// ground.
    pub fn new(seed: u64, rules: Rules, bounds: Region) -> Watched {
        let world = || {
            let mut world =
                WaterWorld::with_bounds(seed, rules, bounds).expect("rules within their ranges");
            for chunk in chunks_of::<Cube>(bounds).positions() {
                world
                    .insert_chunk(chunk, Chunk::uniform(Voxel::OPEN))
                    .expect("a chunk of the bounds");
            }
            world
                .fill_solid(Region::new(bounds.min(), bounds.max().with_y(bounds.min().y)))
                .expect("loaded");
            world
        };
        let (cells, removed) = (Cells::of(&world()), Shelf(Vec::new()));
        let (columns, fixtures) = (HashMap::new(), HashMap::new());
        let (records, loaded) = (Vec::new(), Vec::new());
        let water = Water { rules, cells, removed, columns, fixtures, records, loaded, moved: 0 };
        Watched::of(water, world)
    }
}

/// What can be seen of a cell: its height, the sea full, and where that is 0, how thick a fall
/// passes through it; `None` for ground.
pub fn look(voxel: Voxel) -> Option<(u8, Option<u8>)> {
    if voxel.is_sea() {
        return Some((7, None));
    }
    let cell = voxel.cell()?;
    let passes = cell.height() == 0 && cell.direction().is_some();
    Some((cell.height(), passes.then(|| cell.largest())))
}

/// What an edit returns.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Units(u64),
    Displaced(Displaced),
    Removed(Chunk<Voxel>),
    Records(Vec<ChunkRecord>),
}

impl Answer {
    fn of(outcome: Outcome) -> Answer {
        match outcome {
            Outcome::Displaced(displaced) => Answer::Displaced(displaced),
            Outcome::Changed(changed) => Answer::from(changed),
            Outcome::Units(units) => Answer::Units(units),
            Outcome::Removed(chunk) => Answer::Removed(chunk),
            Outcome::Records(records) => Answer::Records(records),
            _ => Answer::Units(0),
        }
    }
}

impl<T: Into<u64>> From<T> for Answer {
    fn from(units: T) -> Answer {
        Answer::Units(units.into())
    }
}

impl Model for Water {
    type World = WaterWorld;
    type Edit = Edit;
    type Run = u64;
    type Answer = Answer;
    type Error = EditError;
    type Look = Voxel;

    fn make(
        &mut self,
        world: &mut WaterWorld,
        edit: &Edit,
        is_twin: bool,
    ) -> Result<Answer, EditError> {
        if is_twin {
            return self.make_directly(world, edit);
        }
        match *edit {
            Edit::InsertChunks => {
                let is_loaded = |position| world.chunk(position).is_some();
                self.removed.0.retain(|(position, _)| !is_loaded(*position));
                let insert = |world: &mut WaterWorld, chunks| {
                    world.apply(sent(water::Edit::InsertChunks(chunks))).map(|_| ())
                };
                self.removed.insert_into(world, false, insert).map(|()| Answer::Units(0))
            }
            Edit::InsertRecords => {
                let is_loaded = |record: &ChunkRecord| world.chunk(record.position()).is_some();
                self.records.retain(|record| !is_loaded(record));
                let records = water::Edit::InsertRecords(self.records.clone());
                world.apply(sent(records)).map(Answer::of)
            }
            _ => world
                .apply(sent(value_of(edit, |position| self.chunk_for(position))))
                .map(Answer::of),
        }
    }

    fn edit(&mut self, edit: &Edit, answer: Result<Answer, EditError>) {
        self.loaded.clear();
        let cells = &mut self.cells;
        let expected = match *edit {
            Edit::SetSolid(cell) => cells.set_solid(cell).map(Answer::Displaced),
            Edit::ClearSolid(cell) => cells.clear_solid(cell).map(Answer::from),
            Edit::AddSource(cell) => cells.set_source(cell, true).map(Answer::from),
            Edit::RemoveSource(cell) => cells.set_source(cell, false).map(Answer::from),
            Edit::Pour(cell, units) => cells.pour(cell, units).map(Answer::from),
            Edit::Scoop(cell, units) => cells.scoop(cell, units).map(Answer::from),
            Edit::DrainBody(cell, units) => {
                let sea_beyond = sea_beyond(&self.rules, cells.region, &self.columns);
                cells.drain_body(cell, units, &sea_beyond).map(Answer::from)
            }
            Edit::FillBody(cell, units) => cells.fill_body(cell, units).map(Answer::from),
            Edit::FillSolid(region) => cells.fill(region, Content::Solid).map(Answer::from),
            Edit::FillWater(region, height) => {
                cells.fill(region, Content::Open { height, source: false }).map(Answer::from)
            }
            Edit::SetSea(cell) => cells.set_sea(cell).map(Answer::from),
            Edit::ClearSea(cell) => cells.clear_sea(cell).map(Answer::from),
            Edit::FillSea(region) => cells.fill(region, Content::Sea).map(Answer::from),
            Edit::InsertSea(position) => self.insert_chunk(position, &Chunk::uniform(Voxel::SEA)),
            Edit::SetEdge(column, edge) => {
                let before = match edge {
                    Some(edge) => self.columns.insert(column, edge),
                    None => self.columns.remove(&column),
                };
                Ok(Answer::from(before != edge))
            }
            Edit::SetFixture(cell, fixture) => self.set_fixture(cell, fixture).map(Answer::from),
            Edit::RemoveChunk(position) => return self.remove_chunk(position, answer),
            Edit::InsertChunk(position) => {
                let chunk = self.chunk_for(position);
                self.removed.remove(position);
                self.insert_chunk(position, &chunk)
            }
            Edit::InsertForeign(position, seed) => {
                self.insert_chunk(position, &foreign_chunk(seed))
            }
            Edit::InsertChunks => {
                let list = std::mem::take(&mut self.removed.0);
                list.iter()
                    .try_fold(Answer::Units(0), |_, (at, chunk)| self.insert_chunk(*at, chunk))
            }
            Edit::RemoveChunks(chunks) => return self.remove_chunks(chunks, answer),
            Edit::InsertRecords => {
                let list = std::mem::take(&mut self.records);
                list.iter().try_fold(Answer::Units(0), |_, record| self.insert_record(record))
            }
            Edit::Freeze(chunks) => cells.set_frozen(chunks, true).map(Answer::from),
            Edit::Thaw(chunks) => cells.set_frozen(chunks, false).map(Answer::from),
        };
        assert_eq!(answer, expected, "{edit:?}");
    }

    fn was_loaded(&self, place: [i32; 3]) -> bool {
        self.loaded.contains(&Cube::chunk_of(place.into()))
    }

    fn looks_different(then: Option<&Voxel>, now: Option<&Voxel>) -> bool {
        then.copied().map(look) != now.copied().map(look)
    }

    fn looks(&self, world: &WaterWorld) -> Looks<Self> {
        let look = |cell: IVec3| Some((cell.to_array(), world.voxel(cell)?));
        self.cells.region.positions().filter_map(look).collect()
    }

    /// The twin takes whole ticks.
    fn step(&mut self, twin: &mut WaterWorld) -> StepReport {
        let report = twin.step();
        assert_eq!(report.moved, self.moved, "moved in tick {}", twin.ticks());
        report
    }

    /// One tick, with the laws that can be seen from outside.
    fn go(&mut self, world: &mut WaterWorld, _: u64, slices: Option<&u64>) -> StepReport {
        let (before, has_rested) = (self.looks(world), world.is_at_rest());
        let Progress { report, looked_at, .. } = match slices {
            Some(&budget) => tick_in_slices(world, budget),
            None => world.step_within(u64::MAX),
        };
        let tick = world.ticks();
        let after = self.looks(world);
        let changed = after.iter().filter(|(cell, now)| before.get(*cell) != Some(*now)).count();
        assert_eq!(report.changed, changed as u64, "the changed cells that tick {tick} reports");
        assert!(
            !has_rested || report == StepReport::default(),
            "a world at rest, and tick {tick} did {report:?}"
        );
        let cells = self.cells.contents.len() as u64;
        assert!(report.visited <= PASSES * cells, "tick {tick} visited {} cells", report.visited);
        // No two bodies share a cell, so what is looked at in the levelling of all of them is at
        // most that of one.
        assert!(
            looked_at <= (PASSES + 3 * DRAWS) * cells,
            "tick {tick} looked at {looked_at} cells, {} of them awake",
            report.visited
        );
        let now = self.read(world);
        self.check_cells(world, &now);
        self.check_account(&now, tick);
        self.cells = now;
        self.moved = report.moved;
        report
    }

    fn compare(&self, world: &WaterWorld, after: &dyn Debug) {
        let now = self.read(world);
        let contents = now.contents.iter().zip(&self.cells.contents);
        for (cell, (now, then)) in now.region.positions().zip(contents) {
            assert_eq!(now, then, "cell {cell} after {after:?}");
        }
        assert_eq!(now.ledger, self.cells.ledger, "after {after:?}");
        self.check_body(world, after);
        let fixtures: Vec<_> = world.fixtures().collect();
        assert!(fixtures.iter().all(|(cell, is)| self.fixtures.get(cell) == Some(is)), "{after:?}");
        assert_eq!(fixtures.len(), self.fixtures.len(), "fixtures after {after:?}");
    }
}

impl Water {
    /// Makes an edit by the function of its name.
    fn make_directly(&self, world: &mut WaterWorld, edit: &Edit) -> Result<Answer, EditError> {
        match *edit {
            Edit::SetSolid(cell) => world.set_solid(cell).map(Answer::Displaced),
            Edit::ClearSolid(cell) => world.clear_solid(cell).map(Answer::from),
            Edit::AddSource(cell) => world.add_source(cell).map(Answer::from),
            Edit::RemoveSource(cell) => world.remove_source(cell).map(Answer::from),
            Edit::Pour(cell, units) => world.pour(cell, units).map(Answer::from),
            Edit::Scoop(cell, units) => world.scoop(cell, units).map(Answer::from),
            Edit::DrainBody(cell, units) => world.drain_body(cell, units).map(Answer::from),
            Edit::FillBody(cell, units) => world.fill_body(cell, units).map(Answer::from),
            Edit::FillSolid(region) => world.fill_solid(region).map(Answer::from),
            Edit::FillWater(region, height) => world.fill_water(region, height).map(Answer::from),
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(Answer::Removed),
            Edit::InsertChunk(position) => {
                world.insert_chunk(position, self.chunk_for(position)).map(|()| Answer::Units(0))
            }
            Edit::InsertForeign(position, seed) => {
                world.insert_chunk(position, foreign_chunk(seed)).map(|()| Answer::Units(0))
            }
            Edit::SetSea(cell) => world.set_sea(cell).map(Answer::from),
            Edit::ClearSea(cell) => world.clear_sea(cell).map(Answer::from),
            Edit::FillSea(region) => world.fill_sea(region).map(Answer::from),
            Edit::InsertSea(position) => {
                world.insert_chunk(position, Chunk::uniform(Voxel::SEA)).map(|()| Answer::Units(0))
            }
            Edit::SetEdge(column, edge) => Ok(Answer::from(world.set_edge(column, edge))),
            Edit::SetFixture(cell, fixture) => world.set_fixture(cell, fixture).map(Answer::from),
            Edit::InsertChunks => {
                let done = self.removed.insert_into(world, true, WaterWorld::insert_chunks);
                done.map(|()| Answer::Units(0))
            }
            Edit::RemoveChunks(chunks) => {
                world.remove_chunks(chunks.positions()).map(Answer::Records)
            }
            Edit::InsertRecords => {
                let records = self.records.iter().rev().cloned();
                world.insert_records(records).map(|()| Answer::Units(0))
            }
            Edit::Freeze(chunks) => world.freeze(chunks.positions()).map(Answer::from),
            Edit::Thaw(chunks) => world.thaw(chunks.positions()).map(Answer::from),
        }
    }

    /// The chunk that was last removed from there, or an open one.
    fn chunk_for(&self, position: IVec3) -> Chunk<Voxel> {
        self.removed.get(position).unwrap_or(Chunk::uniform(Voxel::OPEN))
    }

    fn insert_chunk(&mut self, position: IVec3, chunk: &Chunk<Voxel>) -> Result<Answer, EditError> {
        self.cells.insert_chunk(position, chunk)?;
        self.loaded.push(position);
        Ok(Answer::Units(0))
    }

    fn remove_chunk(&mut self, position: IVec3, answer: Result<Answer, EditError>) {
        let held = self.cells.remove_chunk(position);
        let Ok(Answer::Removed(chunk)) = answer else {
            assert_eq!(answer.err(), held.err());
            return;
        };
        let held = held.expect("the model has the chunk");
        self.check_removed(position, &chunk, held);
        self.take_fixtures(position);
        self.removed.put(position, chunk);
    }

    fn remove_chunks(&mut self, chunks: Region, answer: Result<Answer, EditError>) {
        let absent = chunks.positions().find(|&chunk| !self.cells.has_chunk(chunk));
        let Ok(Answer::Records(records)) = answer else {
            assert_eq!(answer.err(), absent.map(EditError::ChunkAbsent));
            return;
        };
        assert!(records.iter().map(ChunkRecord::position).eq(chunks.positions()));
        for record in records {
            let position = record.position();
            let held = self.cells.unload(position).expect("the model has the chunk");
            self.check_removed(position, record.chunk(), held);
            let fixtures = self.take_fixtures(position);
            assert!(record.fixtures().eq(fixtures), "the fixtures of {position}");
            self.records.retain(|other| other.position() != position);
            self.records.push(record);
        }
    }

    fn insert_record(&mut self, record: &ChunkRecord) -> Result<Answer, EditError> {
        self.cells.insert_record(record)?;
        let cell = |index| Cube::cell_at(record.position(), index);
        let there = record.fixtures().map(|(index, fixture)| (cell(index), fixture));
        self.fixtures.extend(there.filter(|&(cell, _)| self.cells.region.contains(cell)));
        self.loaded.push(record.position());
        Ok(Answer::Units(0))
    }

    fn set_fixture(&mut self, cell: IVec3, fixture: Option<Fixture>) -> Result<bool, EditError> {
        if let Some(rate) = fixture.map(Fixture::rate).filter(|rate| !(1..=7).contains(rate)) {
            return Err(EditError::Rate(rate));
        }
        self.cells.at(cell)?;
        let before = match fixture {
            Some(fixture) => self.fixtures.insert(cell, fixture),
            None => self.fixtures.remove(&cell),
        };
        Ok(before != fixture)
    }

    /// Takes the fixtures of a chunk, in order.
    fn take_fixtures(&mut self, chunk: IVec3) -> Vec<(usize, Fixture)> {
        let is_in = |cell: &IVec3, _: &mut Fixture| Cube::chunk_of(*cell) == chunk;
        let taken = self.fixtures.extract_if(is_in);
        let mut taken: Vec<_> = taken.map(|(cell, is)| (Cube::index_of(cell), is)).collect();
        taken.sort_unstable_by_key(|&(index, _)| index);
        taken
    }

    /// What was removed holds what the model has.
    fn check_removed(
        &mut self,
        position: IVec3,
        chunk: &Chunk<Voxel>,
        held: Vec<(IVec3, Content)>,
    ) {
        for (cell, content) in held {
            let voxel = chunk.get(Cube::index_of(cell));
            assert_eq!(Content::of(voxel), content, "cell {cell} of the removed chunk");
        }
        let beyond = |&index: &usize| !self.cells.region.contains(Cube::cell_at(position, index));
        assert!(
            (0..CHUNK_CELLS).filter(beyond).all(|index| chunk.get(index) == Voxel::OPEN),
            "cells beyond the end"
        );
        self.loaded.push(position);
    }

    /// The body at a cell, which is another after each operation, from looking at few cells or
    /// many.
    fn check_body(&self, world: &WaterWorld, after: &dyn Debug) {
        let mut random = fastrand::Rng::with_seed(world.state_hash());
        let cells: Vec<IVec3> = self.cells.region.positions().collect();
        let cell = cells[random.usize(..cells.len())];
        let reach = [random.u32(..40), u32::MAX][random.usize(..2)];
        let mut found = world.body_at(cell, reach);
        let sea_beyond = sea_beyond(&self.rules, self.cells.region, &self.columns);
        let mut expected = self.cells.body_at(cell, reach as usize, &sea_beyond);
        if let (Some(found), Some(expected)) = (&mut found, &mut expected)
            && found.is_cut_off
        {
            assert!(reach < u32::MAX && (expected.shuts_in_air || !found.shuts_in_air));
            (expected.is_cut_off, expected.shuts_in_air) = (true, found.shuts_in_air);
        }
        assert_eq!(found, expected, "the body at {cell}, from {reach} cells, after {after:?}");
    }

    /// The cells of a world, in which the same chunks must be frozen as in the model.
    fn read(&self, world: &WaterWorld) -> Cells {
        let frozen: HashSet<IVec3> = world.frozen_chunks().collect();
        assert_eq!(frozen, self.cells.frozen, "the frozen chunks");
        Cells { frozen, ..Cells::of(world) }
    }

    fn evaporates(&self) -> bool {
        self.rules.evaporation > 0.0 || self.rules.film_evaporation > 0.0
    }

    /// Ground, springs and the sea stay; no cell gives more than its throughput.
    fn check_cells(&self, world: &WaterWorld, now: &Cells) {
        let tick = world.ticks();
        let throughput = self.rules.throughput;
        let loss = throughput + u8::from(self.evaporates());
        for (cell, (now, then)) in
            now.region.positions().zip(now.contents.iter().zip(&self.cells.contents))
        {
            match (now, then) {
                _ if self.cells.frozen.contains(&Cube::chunk_of(cell)) => {
                    assert_eq!(now, then, "frozen cell {cell}, tick {tick}");
                }
                (
                    Content::Open { height, source },
                    Content::Open { height: before, source: was },
                ) => {
                    assert_eq!(source, was, "a spring came or went at {cell}, tick {tick}");
                    assert!(!source || *height == 7, "a spring is not full at {cell}, tick {tick}");
                    assert!(
                        height + loss >= *before,
                        "cell {cell} fell from {before} to {height}, tick {tick}"
                    );
                }
                (Content::Sea, Content::Open { source: false, .. }) => {
                    assert!(self.cells.may_close(cell), "sea over {cell}, tick {tick}");
                }
                _ => assert_eq!(now, then, "ground or sea at {cell}, tick {tick}"),
            }
            let flow = world.current(cell).abs().element_sum();
            assert!(flow <= i32::from(throughput), "cell {cell} passed {flow} on, tick {tick}");
        }
    }

    /// Ticks enter what springs, drains and evaporation did, and nothing else.
    fn check_account(&self, now: &Cells, tick: u64) {
        let (then, now_) = (self.cells.ledger, now.ledger);
        let by_edits =
            |ledger: Ledger| [ledger.placed, ledger.removed, ledger.loaded, ledger.unloaded];
        assert_eq!(by_edits(then), by_edits(now_), "tick {tick} entered an edit");
        let springs =
            self.cells.contents.iter().filter(|content| content.is_source()).count() as u64;
        let supply = springs * u64::from(self.rules.source_supply.min(self.rules.throughput));
        let [mut tapped, mut drained] = [0; 2];
        for (&cell, fixture) in &self.fixtures {
            let source = self.cells.at(cell).is_ok_and(Content::is_source);
            match fixture {
                Fixture::Tap(rate) if !source => tapped += u64::from(*rate),
                Fixture::Drain(rate) if !source => drained += u64::from(*rate),
                _ => {}
            }
        }
        let supply = supply + tapped;
        assert!(
            (then.injected..=then.injected + supply).contains(&now_.injected),
            "tick {tick}: supply of springs"
        );
        let edges = self.rules.edges;
        let mut all = edges.outer.iter().chain([&edges.unloaded]).chain(self.columns.values());
        let levels = all.clone().any(|edge| matches!(edge, Edge::Level(_)));
        let drains = levels || all.any(|&edge| edge == Edge::Drain);
        let has_sea = levels || self.cells.contents.contains(&Content::Sea);
        assert!(
            now_.from_sea == then.from_sea && now_.into_sea == then.into_sea
                || has_sea && now_.from_sea >= then.from_sea && now_.into_sea >= then.into_sea,
            "tick {tick}: sea"
        );
        assert!(
            (then.drained..=then.drained + drained).contains(&now_.drained)
                || drains && now_.drained > then.drained,
            "tick {tick}: drained"
        );
        let loses = self.evaporates();
        assert!(
            now_.evaporated == then.evaporated || loses && now_.evaporated > then.evaporated,
            "tick {tick}: gone"
        );
        assert_eq!(now.total(), now_.total(), "the ledger, tick {tick}");
    }
}

/// Whether the sea goes on across a face of a cell, where no cell is loaded.
fn sea_beyond<'a>(
    rules: &'a Rules,
    bounds: Region,
    columns: &'a HashMap<IVec2, Edge>,
) -> impl Fn(IVec3, Face) -> bool + 'a {
    move |cell, face| {
        let there = cell.checked_add(face.offset()).filter(|&there| bounds.contains(there));
        let edge = match there.map(Cube::chunk_of) {
            Some(chunk) => {
                *columns.get(&IVec2::new(chunk.x, chunk.z)).unwrap_or(&rules.edges.unloaded)
            }
            None => rules.edges.outer[face.index()],
        };
        !matches!(face, Face::Down | Face::Up) && matches!(edge, Edge::Level(y) if cell.y <= y)
    }
}

/// A tick that is done in slices. After the first of them the world is saved and loaded, and the
/// tick starts again.
fn tick_in_slices(world: &mut WaterWorld, budget: u64) -> Progress {
    let mut sum = world.step_within(budget);
    if !sum.finished {
        assert_eq!(Automaton::validate(world), Ok(()), "a tick underway");
        let open = |cell: &IVec3| {
            world.voxel(*cell).is_some_and(|voxel| !voxel.is_solid() && !voxel.is_sea())
        };
        let dry = world.bounds().positions().filter(open).find(|&cell| world.cell(cell).is_none());
        assert_eq!(dry, None, "an open cell that is none, in a tick underway");
        *world = saved_and_loaded(world);
        assert_eq!(world.backlog(), 0, "a loaded world is between ticks");
        sum = world.step_within(budget);
    }
    while !sum.finished {
        assert!(
            world.backlog() > 0 && !world.is_at_rest(),
            "a tick underway with nothing left to do"
        );
        let Progress { report, looked_at, finished, .. } = world.step_within(budget);
        sum.report += report;
        sum.looked_at += looked_at;
        sum.finished = finished;
    }
    sum
}
