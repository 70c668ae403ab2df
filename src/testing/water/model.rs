//! The naive model of water. It checks each edit against the cells and the ledger, and after each
//! tick the laws that can be seen from outside.

use super::cells::{Cell, Cells};
use super::ends::Ends;
use super::{PASSES, flow_out, passage};
use crate::coords::{ChunkPos, ColumnPos};
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use crate::water::{
    ChunkRecord, Edge, Edit, EditError, Fixture, Ledger, Outcome, Rules, Voxel, WaterWorld,
};
use crate::{CHUNK_CELLS, Chunk, Cube, Face, Shape, StepReport};
use fastrand::Rng;
use glam::IVec3;
use std::collections::{HashMap, HashSet};

/// The most cells of a world in which the ways of moved water are checked. In bodies of more cells
/// than this, a tick bounds only what passes the contacts and the necks of pieces.
const PASSAGE_CELLS: usize = 2_048;

/// The ways of moved water are checked in each tick of worlds of up to this many cells, in every
/// second tick of worlds up to twice as large, and so on, so that the checks of a large world take
/// no longer.
const PASSAGE_OFTEN: usize = 1_024;

/// The outcome of an edit in the model.
type Answer = Result<Outcome, EditError>;

/// The model of a water world.
pub(super) struct Naive {
    rules: Rules,
    cells: Cells,
    ends: Ends,
    /// The fixtures of loaded cells.
    fixtures: HashMap<IVec3, Fixture>,
}

impl Naive {
    /// Reads a world within bounds.
    pub(super) fn of(world: &WaterWorld) -> Naive {
        Naive {
            rules: *world.rules(),
            cells: Cells::of(world),
            ends: Ends::of(world),
            fixtures: world.fixtures().collect(),
        }
    }
}

impl Model<WaterWorld> for Naive {
    fn edited(&mut self, edit: &Edit, answer: &Answer, found: &mut Findings) {
        let cells = &mut self.cells;
        let changed = Outcome::Changed;
        let units = |units: u32| Outcome::Units(units.into());
        let expected = match edit {
            &Edit::SetSolid(cell) => cells.set_solid(cell).map(Outcome::Displaced),
            &Edit::ClearSolid(cell) => cells.clear_solid(cell).map(changed),
            &Edit::AddSource(cell) => cells.set_source(cell, true).map(changed),
            &Edit::RemoveSource(cell) => cells.set_source(cell, false).map(changed),
            &Edit::Pour { cell, units: most } => cells.pour(cell, most).map(units),
            &Edit::Scoop { cell, units: most } => cells.scoop(cell, most).map(units),
            &Edit::DrainBody { cell, units: most } => {
                let sea_beyond = sea_beyond(&self.ends);
                cells.drain_body(cell, most, &sea_beyond).map(units)
            }
            &Edit::FillBody { cell, units: most } => cells.fill_body(cell, most).map(units),
            &Edit::FillSolid(region) => cells.fill(region, Cell::Solid).map(Outcome::Units),
            &Edit::FillWater { region, height } => {
                let water = Cell::Open { height, source: false };
                cells.fill(region, water).map(Outcome::Units)
            }
            &Edit::SetSea(cell) => cells.set_sea(cell).map(changed),
            &Edit::ClearSea(cell) => cells.clear_sea(cell).map(changed),
            &Edit::FillSea(region) => cells.fill(region, Cell::Sea).map(Outcome::Units),
            &Edit::SetEdge { column, edge } => Ok(changed(self.set_edge(column, edge))),
            &Edit::SetFixture { cell, fixture } => self.set_fixture(cell, fixture).map(changed),
            Edit::Freeze(chunks) => cells.set_frozen(chunks, true).map(changed),
            Edit::Thaw(chunks) => cells.set_frozen(chunks, false).map(changed),
            Edit::InsertChunk { position, chunk } => {
                cells.insert_chunk(*position, chunk).map(|()| Outcome::Done)
            }
            Edit::InsertChunks(list) => cells.insert_chunks(list).map(|()| Outcome::Done),
            Edit::InsertRecords(list) => self.insert_records(list),
            &Edit::RemoveChunk(position) => return self.remove_chunk(position, answer, found),
            Edit::RemoveChunks(positions) => return self.remove_chunks(positions, answer, found),
            Edit::WakeAll => Ok(Outcome::Done),
            Edit::SetRules(rules) => self.set_rules(rules),
        };
        found.same(law::EDIT, answer, &expected, || format!("{edit:?}"));
    }

    fn stepped(
        &mut self,
        world: &WaterWorld,
        report: StepReport,
        differing: u64,
        found: &mut Findings,
    ) {
        found.same(law::CHANGES_COUNTED, &report.changed, &differing, || "cells".to_owned());
        let most = PASSES * self.cells.contents.len() as u64;
        found.hold(law::COST, report.visited <= most, || format!("{} visited", report.visited));
        let now = self.read(world, found);
        self.check_cells(world, &now, found);
        self.check_account(&now, found);
        self.check_evaporation(world, &now, found);
        let lost = flow_out::without_end(world, &now, &self.ends);
        found.hold(law::FLOW_OUT, lost.is_none(), || format!("no end is joined to {lost:?}"));
        self.check_passage(world.ticks(), &now, found);
        self.cells = now;
    }

    fn compare(&self, world: &WaterWorld, found: &mut Findings) {
        let now = self.read(world, found);
        let contents = now.contents.iter().zip(&self.cells.contents);
        for (cell, (now, then)) in now.region.positions().zip(contents) {
            found.same(law::CELLS, now, then, || cell.to_string());
        }
        found.same(law::LEDGER, &now.ledger, &self.cells.ledger, || "after an edit".to_owned());
        self.check_body(world, found);
        let fixtures: HashMap<IVec3, Fixture> = world.fixtures().collect();
        found.same(law::FIXTURES, &fixtures, &self.fixtures, || "what is built in".to_owned());
    }
}

impl Naive {
    fn set_edge(&mut self, column: ColumnPos, edge: Option<Edge>) -> bool {
        let before = match edge {
            Some(edge) => self.ends.columns.insert(column, edge),
            None => self.ends.columns.remove(&column),
        };
        before != edge
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

    fn set_rules(&mut self, rules: &Rules) -> Answer {
        rules.check().map_err(EditError::Rules)?;
        self.rules = *rules;
        self.ends.edges = rules.edges;
        Ok(Outcome::Done)
    }

    fn insert_records(&mut self, records: &[ChunkRecord]) -> Answer {
        self.cells.insert_records(records)?;
        for record in records {
            let cell = |index| Cube::cell_at(record.position(), index);
            let there = record.fixtures().map(|(index, fixture)| (cell(index), fixture));
            self.fixtures.extend(there.filter(|&(cell, _)| self.cells.region.contains(cell)));
        }
        Ok(Outcome::Done)
    }

    fn remove_chunk(&mut self, position: ChunkPos, answer: &Answer, found: &mut Findings) {
        let held = self.cells.remove_chunk(position);
        match (answer, held) {
            (Ok(Outcome::Removed(chunk)), Ok(held)) => {
                self.check_removed(position, chunk, held, found);
                self.take_fixtures(position);
            }
            (answer, held) => {
                let refused = [answer.as_ref().err().cloned(), held.err()];
                let is_same = refused[0].is_some() && refused[0] == refused[1];
                found.hold(law::EDIT, is_same, || format!("chunk {position}: {answer:?}"));
            }
        }
    }

    fn remove_chunks(&mut self, positions: &[ChunkPos], answer: &Answer, found: &mut Findings) {
        let mut seen = HashSet::new();
        let mut is_there = |chunk| self.cells.has_chunk(chunk) && seen.insert(chunk);
        let absent = positions.iter().copied().find(|&chunk| !is_there(chunk));
        let Ok(Outcome::Records(records)) = answer else {
            let refused = answer.as_ref().err().cloned();
            found.same(law::EDIT, &refused, &absent.map(EditError::ChunkAbsent), || {
                format!("chunks {positions:?}")
            });
            return;
        };
        let of = records.iter().map(ChunkRecord::position);
        found.hold(law::EDIT, of.eq(positions.iter().copied()), || format!("{positions:?}"));
        for record in records {
            let position = record.position();
            let Ok(held) = self.cells.unload(position) else {
                found.hold(law::EDIT, false, || format!("a record of {position}"));
                continue;
            };
            self.check_removed(position, record.chunk(), held, found);
            let fixtures = self.take_fixtures(position);
            let is_same = record.fixtures().eq(fixtures);
            found.hold(law::FIXTURES, is_same, || format!("those of chunk {position}"));
        }
    }

    /// Takes the fixtures of a chunk, in order.
    fn take_fixtures(&mut self, chunk: ChunkPos) -> Vec<(usize, Fixture)> {
        let is_in = |cell: &IVec3, _: &mut Fixture| Cube::chunk_of(*cell) == chunk;
        let taken = self.fixtures.extract_if(is_in);
        let mut taken: Vec<_> = taken.map(|(cell, is)| (Cube::index_of(cell), is)).collect();
        taken.sort_unstable_by_key(|&(index, _)| index);
        taken
    }

    /// Checks that a removed chunk holds the content of the model.
    fn check_removed(
        &self,
        position: ChunkPos,
        chunk: &Chunk<Voxel>,
        held: Vec<(IVec3, Cell)>,
        found: &mut Findings,
    ) {
        for (cell, content) in held {
            let voxel = chunk.get(Cube::index_of(cell));
            found.same(law::EDIT, &Cell::of(voxel), &content, || format!("{cell}, removed"));
        }
        let beyond = |&index: &usize| !self.cells.region.contains(Cube::cell_at(position, index));
        let is_open = (0..CHUNK_CELLS).filter(beyond).all(|index| chunk.get(index) == Voxel::OPEN);
        found.hold(law::EDIT, is_open, || format!("cells of {position} beyond the end"));
    }

    /// Checks the report of the body at a cell. The cell is another one after each operation, and
    /// the search looks at few cells or at all.
    fn check_body(&self, world: &WaterWorld, found: &mut Findings) {
        let mut random = Rng::with_seed(world.state_hash());
        let place = random.usize(..self.cells.contents.len());
        let cell = self.cells.region.positions().nth(place).unwrap_or(self.cells.region.min());
        let reach = [random.u32(..40), u32::MAX][random.usize(..2)];
        let body = world.body_at(cell, reach);
        let sea_beyond = sea_beyond(&self.ends);
        let mut expected = self.cells.body_at(cell, reach as usize, &sea_beyond);
        if let (Some(body), Some(expected)) = (&body, &mut expected)
            && body.is_cut_off
        {
            // What the report says about air is right only if the reach is enough.
            let may_be = reach < u32::MAX && (expected.shuts_in_air || !body.shuts_in_air);
            found.hold(law::BODY, may_be, || format!("air in that at {cell}"));
            (expected.is_cut_off, expected.shuts_in_air) = (true, body.shuts_in_air);
        }
        found.same(law::BODY, &body, &expected, || format!("that at {cell}, within {reach} cells"));
    }

    /// Returns the cells of a world, and checks that the same chunks are frozen as in the model.
    fn read(&self, world: &WaterWorld, found: &mut Findings) -> Cells {
        let now = Cells::of(world);
        found.same(law::FROZEN, &now.frozen, &self.cells.frozen, || "frozen chunks".to_owned());
        now
    }

    fn evaporates(&self) -> bool {
        self.rules.evaporation > 0.0 || self.rules.film_evaporation > 0.0
    }

    /// Checks that ground, springs, the sea and frozen chunks stay, and that no cell gives more
    /// than its throughput.
    fn check_cells(&self, world: &WaterWorld, now: &Cells, found: &mut Findings) {
        let throughput = self.rules.throughput;
        let loss = throughput + u8::from(self.evaporates());
        let contents = now.contents.iter().zip(&self.cells.contents);
        for (cell, (now, then)) in now.region.positions().zip(contents) {
            let is_frozen = self.cells.frozen.contains(&Cube::chunk_of(cell));
            found.hold(law::FROZEN, !is_frozen || now == then, || format!("{cell}: {now:?}"));
            match (now, then) {
                (Cell::Open { height, source }, Cell::Open { height: before, source: was }) => {
                    let is_full = source == was && (!source || *height == 7);
                    found.hold(law::GROUND, is_full, || format!("spring at {cell}: {now:?}"));
                    found.hold(law::THROUGHPUT, height + loss >= *before, || {
                        format!("{cell} fell from {before} to {height}")
                    });
                }
                (Cell::Sea, Cell::Open { source: false, .. }) => {
                    let may_close = self.cells.may_close(cell);
                    found.hold(law::GROUND, may_close, || format!("sea over {cell}"));
                }
                _ => found.same(law::GROUND, now, then, || cell.to_string()),
            }
            let flow = world.current(cell).abs().element_sum();
            found.hold(law::THROUGHPUT, flow <= i32::from(throughput), || {
                format!("{cell} passed {flow} on")
            });
        }
    }

    /// Checks that water evaporated from still surfaces only.
    fn check_evaporation(&self, world: &WaterWorld, now: &Cells, found: &mut Findings) {
        let units = now.ledger.evaporated - self.cells.ledger.evaporated;
        if units == 0 {
            return;
        }
        let is_still = |&(cell, (now, then)): &(IVec3, (&Cell, &Cell))| {
            let is_uncovered = Face::Up.step(cell).is_none_or(|above| world.units(above) == 0);
            now.height() + 1 == then.height() && is_uncovered && world.current(cell) == IVec3::ZERO
        };
        let contents = now.contents.iter().zip(&self.cells.contents);
        let still = now.region.positions().zip(contents).filter(is_still).count() as u64;
        found.hold(law::EVAPORATION, units <= still, || {
            format!("{units} units evaporated, and {still} still cells fell by one")
        });
    }

    /// Checks, in small worlds without sea, fixtures and evaporation, that the units that a tick
    /// moved have ways on which no cell passes more than its throughput in total.
    fn check_passage(&self, tick: u64, now: &Cells, found: &mut Findings) {
        let has_sea = self.ends.all().any(|edge| matches!(edge, Edge::Level(_)))
            || self.cells.contents.contains(&Cell::Sea);
        let moves_otherwise = has_sea || self.evaporates() || !self.fixtures.is_empty();
        let count = now.contents.len();
        let is_its_turn = tick.is_multiple_of(count.div_ceil(PASSAGE_OFTEN) as u64);
        if moves_otherwise || count > PASSAGE_CELLS || !is_its_turn {
            return;
        }
        let (moved, found_ways) = passage::moved(&self.rules, &self.ends, &self.cells, now);
        found.hold(law::THROUGHPUT, moved == found_ways, || {
            format!("{moved} units moved, {found_ways} of them within the throughput of all cells")
        });
    }

    /// Checks that a tick posted only units of springs, taps, drains, the sea and evaporation.
    fn check_account(&self, now: &Cells, found: &mut Findings) {
        let (then, now_) = (self.cells.ledger, now.ledger);
        let by_edits =
            |ledger: Ledger| [ledger.placed, ledger.removed, ledger.loaded, ledger.unloaded];
        let mut hold = |holds, what: &str| found.hold(law::ACCOUNT, holds, || what.to_owned());
        hold(by_edits(then) == by_edits(now_), "a tick posted units of edits");
        let (supply, drained) = self.given_and_taken();
        hold((then.injected..=then.injected + supply).contains(&now_.injected), "injected");
        let levels = self.ends.all().any(|edge| matches!(edge, Edge::Level(_)));
        let drains = levels || self.ends.all().any(|edge| edge == Edge::Drain);
        let has_sea = levels || self.cells.contents.contains(&Cell::Sea);
        let by_sea = |ledger: Ledger| [ledger.from_sea, ledger.into_sea];
        let sea = [by_sea(then), by_sea(now_)];
        let grows = sea[1][0] >= sea[0][0] && sea[1][1] >= sea[0][1];
        hold(sea[0] == sea[1] || has_sea && grows, "of the sea");
        let may_drain = (then.drained..=then.drained + drained).contains(&now_.drained);
        hold(may_drain || drains && now_.drained > then.drained, "drained");
        let loses = self.evaporates() && now_.evaporated > then.evaporated;
        hold(now_.evaporated == then.evaporated || loses, "evaporated");
        hold(now.total() == now_.total(), "the sum over all cells");
    }

    /// Returns the most units that springs and taps give, and drains take, in a tick.
    fn given_and_taken(&self) -> (u64, u64) {
        let springs = self.cells.contents.iter().filter(|content| content.is_source()).count();
        let each = self.rules.source_supply.min(self.rules.throughput);
        let [mut given, mut taken] = [springs as u64 * u64::from(each), 0];
        for (&cell, fixture) in &self.fixtures {
            let is_source = self.cells.at(cell).is_ok_and(Cell::is_source);
            match fixture {
                Fixture::Tap(rate) if !is_source => given += u64::from(*rate),
                Fixture::Drain(rate) if !is_source => taken += u64::from(*rate),
                _ => {}
            }
        }
        (given, taken)
    }
}

/// Returns a function that returns whether the sea continues across a face of a cell, where no cell
/// is loaded.
fn sea_beyond(ends: &Ends) -> impl Fn(IVec3, Face) -> bool + '_ {
    |cell, face| {
        let is_sea = matches!(ends.beyond(cell, face), Edge::Level(y) if cell.y <= y);
        is_sea && Face::LATERAL.contains(&face)
    }
}
