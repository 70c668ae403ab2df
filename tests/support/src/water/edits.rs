//! Edits and ticks of a water world, against the naive model of [`cells`](super::cells) and the
//! laws that can be seen from outside. Property tests and the fuzz targets `water_edits` and
//! `water_stream` make the edits: in the world as values that were sent as bytes, in its twin by the
//! functions of their names.

use super::cells::{Cells, Content};
use crate::model::{self, ChunkWorld, Looks, Model, Shelf, chunks_of, saved_and_loaded};
use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{
    self, ChunkRecord, Displaced, Edge, EditError, Ledger, Outcome, Progress, Rules, Voxel,
    WaterCell, WaterWorld,
};
use floodplain::{Automaton, CHUNK_CELLS, Chunk, ChunkChanges, Cube, Region, Shape, StepReport};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

/// Every public function that changes a water world.
#[derive(Clone, Debug)]
pub enum Edit {
    SetSolid(IVec3),
    ClearSolid(IVec3),
    AddSource(IVec3),
    RemoveSource(IVec3),
    Pour(IVec3, u32),
    Scoop(IVec3, u32),
    FillSolid(Region),
    FillWater(Region, u8),
    RemoveChunk(IVec3),
    /// The chunk that was last removed from there, or an open one.
    InsertChunk(IVec3),
    /// A chunk of another world, of other rules, perhaps read in the middle of a tick; or of words
    /// at random.
    InsertForeign(IVec3, u64),
    /// All chunks that were removed and are not back, at once.
    InsertChunks,
    SetSea(IVec3),
    ClearSea(IVec3),
    FillSea(Region),
    /// A chunk that is all sea.
    InsertSea(IVec3),
    /// The edge of a column of chunks, by its x and z.
    SetEdge(IVec2, Option<Edge>),
    /// The chunks between two chunk positions, as records.
    RemoveChunks(Region),
    /// The records of all chunks that are not back, at once.
    InsertRecords,
    /// The chunks between two chunk positions.
    Freeze(Region),
    Thaw(Region),
}

impl Edit {
    /// Whether it brings sea into a world, or lets it in.
    pub fn is_of_the_sea(&self) -> bool {
        use Edit::{ClearSea, FillSea, InsertSea, SetEdge, SetSea};
        matches!(self, SetSea(_) | ClearSea(_) | FillSea(_) | InsertSea(_) | SetEdge(..))
    }
}

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
        let (columns, records, loaded) = (HashMap::new(), Vec::new(), Vec::new());
        let water = Water { rules, cells, removed, columns, records, loaded, moved: 0 };
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

/// An edit as a value, with what is inserted at a position. Chunks that were removed are not known
/// here, so a list of them or of their records is empty.
pub fn value_of(edit: &Edit, chunk_for: impl Fn(IVec3) -> Chunk<Voxel>) -> water::Edit {
    let insert = |position, chunk| water::Edit::InsertChunk { position, chunk };
    match *edit {
        Edit::SetSolid(cell) => water::Edit::SetSolid(cell),
        Edit::ClearSolid(cell) => water::Edit::ClearSolid(cell),
        Edit::AddSource(cell) => water::Edit::AddSource(cell),
        Edit::RemoveSource(cell) => water::Edit::RemoveSource(cell),
        Edit::Pour(cell, units) => water::Edit::Pour { cell, units },
        Edit::Scoop(cell, units) => water::Edit::Scoop { cell, units },
        Edit::FillSolid(region) => water::Edit::FillSolid(region),
        Edit::FillWater(region, height) => water::Edit::FillWater { region, height },
        Edit::RemoveChunk(position) => water::Edit::RemoveChunk(position),
        Edit::InsertChunk(position) => insert(position, chunk_for(position)),
        Edit::InsertForeign(position, seed) => insert(position, foreign_chunk(seed)),
        Edit::InsertChunks => water::Edit::InsertChunks(Vec::new()),
        Edit::SetSea(cell) => water::Edit::SetSea(cell),
        Edit::ClearSea(cell) => water::Edit::ClearSea(cell),
        Edit::FillSea(region) => water::Edit::FillSea(region),
        Edit::InsertSea(position) => insert(position, Chunk::uniform(Voxel::SEA)),
        Edit::SetEdge(column, edge) => water::Edit::SetEdge { column, edge },
        Edit::RemoveChunks(chunks) => water::Edit::RemoveChunks(chunks.positions().collect()),
        Edit::InsertRecords => water::Edit::InsertRecords(Vec::new()),
        Edit::Freeze(chunks) => water::Edit::Freeze(chunks.positions().collect()),
        Edit::Thaw(chunks) => water::Edit::Thaw(chunks.positions().collect()),
    }
}

/// An edit as it arrives from another process: by its bytes.
pub fn sent(edit: water::Edit) -> water::Edit {
    let bytes = edit.to_bytes();
    let received = water::Edit::from_bytes(&bytes).expect("the bytes of an edit");
    assert!(received == edit, "another edit");
    assert!(water::Edit::from_bytes(&bytes[..bytes.len() - 1]).is_err(), "one byte less");
    received
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
            self.records.retain(|other| other.position() != position);
            self.records.push(record);
        }
    }

    fn insert_record(&mut self, record: &ChunkRecord) -> Result<Answer, EditError> {
        self.cells.insert_record(record)?;
        self.loaded.push(record.position());
        Ok(Answer::Units(0))
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
            now_.drained == then.drained || drains && now_.drained > then.drained,
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

/// A chunk of a world with a spring in it, of any throughput, as it is between two ticks or in the
/// middle of one; for one seed in four, of words at random.
fn foreign_chunk(seed: u64) -> Chunk<Voxel> {
    let mut random = fastrand::Rng::with_seed(seed);
    if random.u8(..4) == 0 {
        let mut voxel = || WaterCell::from_word(random.u16(..)).map_or(Voxel::SOLID, Voxel::water);
        return Chunk::from_cells(&std::array::from_fn(|_| voxel()));
    }
    let rules = Rules { throughput: random.u8(1..=7), ..Rules::lossless() };
    let mut world = WaterWorld::new(seed, rules).expect("rules within their ranges");
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let floor = random.i32(0..12);
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, floor, 15))).expect("loaded");
    let mut place = || IVec3::new(random.i32(0..16), random.i32(floor + 1..16), random.i32(0..16));
    let (spring, puddle) = (place(), place());
    world.fill_water(Region::new(puddle, puddle), 7).expect("loaded");
    world.add_source(spring).expect("open");
    world.run(random.u64(1..20));
    (0..random.u32(..12)).for_each(|_| _ = world.step_within(0));
    let (_, chunk) = world.chunks().next().expect("the one that was put in");
    chunk.into_owned()
}
