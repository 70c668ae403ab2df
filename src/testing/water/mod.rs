//! How water is watched: ticks in slices, looks, and a naive model.

mod arrival;
mod bodies;
mod cells;
mod draw;
mod ends;
mod fill;
mod flow_out;
mod level;
mod max_flow;
mod model;
mod passage;
mod steady;

pub use arrival::check_arrival;
pub use draw::stream_edit;
pub use steady::max_outflow;

use super::findings::Findings;
use super::kind::Kind;
use super::law;
use super::watch::{Changes, Looks, Model};
use super::worlds::{MOST_CELLS, places, saved_and_loaded};
use crate::simulation::Progress;
use crate::water::{Edge, Edit, Outcome, Voxel, WaterWorld};
use crate::{Cube, Face, Shape, StepReport};
use ends::Ends;
use model::Naive;
use std::collections::HashSet;

/// Closed worlds within bounds of at most this many cells come to rest within `REST_TICKS` ticks.
const REST_CELLS: u128 = 1 << 12;
const REST_TICKS: u64 = 4_000;

/// The most visits of a cell by the passes of one tick.
const PASSES: u64 = 4;

/// The number of rows of a chunk: a pass may visit each row, however narrow the bounds are.
const CHUNK_ROWS: u128 = 256;

/// The most draws from one body in a tick. A draw looks at every cell of the body once at most, and
/// at the dry cells beside it.
const DRAWS: u64 = 96;

/// Returns the look of a cell: its height, or 8 for the sea, and, where the height is 0, the
/// thickness and the direction of a fall that passes through the cell; `None` for ground.
///
/// ```
/// use floodplain::testing::look;
/// use floodplain::water::{Voxel, WaterCell};
///
/// assert_eq!(look(Voxel::water(WaterCell::STILL)), Some((7, None)));
/// assert_eq!(look(Voxel::SEA), Some((8, None)));
/// assert_eq!((look(Voxel::OPEN), look(Voxel::SOLID)), (Some((0, None)), None));
/// ```
pub fn look(voxel: Voxel) -> Option<(u8, Option<(u8, Face)>)> {
    if voxel.is_sea() {
        return Some((8, None));
    }
    let cell = voxel.cell()?;
    let passing = cell.direction().filter(|_| cell.height() == 0);
    Some((cell.height(), passing.map(|face| (cell.largest(), face))))
}

/// There is a naive model, unless the bounds hold more than 65,536 cells.
impl Kind for WaterWorld {
    type Place = [i32; 3];
    type Look = Voxel;
    const COUNTS_MOVES_ASLEEP: bool = true;

    /// Returns an edit that inserts chunks or records with its list in reverse.
    fn reordered(edit: &Edit) -> Option<Edit> {
        match edit {
            Edit::InsertChunks(chunks) => {
                Some(Edit::InsertChunks(chunks.iter().rev().cloned().collect()))
            }
            Edit::InsertRecords(records) => {
                Some(Edit::InsertRecords(records.iter().rev().cloned().collect()))
            }
            _ => None,
        }
    }

    fn undo(edit: &Edit, outcome: &Outcome) -> Vec<Edit> {
        match (edit, outcome) {
            (&Edit::RemoveChunk(position), Outcome::Removed(chunk)) => {
                vec![Edit::InsertChunk { position, chunk: chunk.clone() }]
            }
            (_, Outcome::Records(records)) => {
                records.iter().map(|record| Edit::InsertRecords(vec![record.clone()])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Merges all chunks into one list, and all records into another.
    fn merge(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let (mut chunks, mut records) = (Vec::new(), Vec::new());
        let mut taken = HashSet::new();
        let mut is_free = |position| self.chunk(position).is_none() && taken.insert(position);
        // At each position, the chunk that was taken out last counts.
        for edit in edits.into_iter().rev() {
            match edit {
                Edit::InsertChunk { position, chunk } if is_free(position) => {
                    chunks.push((position, chunk));
                }
                Edit::InsertRecords(list) => {
                    records.extend(list.into_iter().filter(|record| is_free(record.position())));
                }
                _ => {}
            }
        }
        [Edit::InsertChunks(chunks), Edit::InsertRecords(records)].into()
    }

    /// Runs one tick in slices, or several ticks by [`run`](WaterWorld::run). After the first
    /// slice, the world is saved and loaded, and the tick starts again.
    fn step_otherwise(&mut self, ticks: u64, budget: u64, found: &mut Findings) -> StepReport {
        if ticks != 1 {
            return self.run(ticks);
        }
        let mut progress = self.step_within(budget);
        if !progress.finished {
            check_underway(self, found);
            match saved_and_loaded(self) {
                Ok(loaded) => *self = loaded,
                Err(wrong) => found.hold(law::UNDERWAY, false, || wrong),
            }
            found.hold(law::UNDERWAY, self.backlog() == 0, || "loaded in a tick".to_owned());
            progress = in_slices(|| self.step_within(budget));
        }
        let volume = self.bounds().volume();
        let rows = CHUNK_ROWS * self.chunks().count() as u128;
        let most = u128::from(PASSES + 3 * DRAWS) * volume + u128::from(PASSES) * rows;
        found.hold(law::COST, u128::from(progress.visited) <= most, || {
            format!("{} looks at {volume} cells", progress.visited)
        });
        progress.report
    }

    /// Returns a number for small worlds with pools that no water leaves and that only springs
    /// feed.
    fn rests_within(&self) -> Option<u64> {
        let is_small = self.bounds().volume() <= REST_CELLS;
        match is_small && self.rules().pools && is_closed(self) {
            true => Some(REST_TICKS),
            false => arrival::fills_within(self),
        }
    }

    /// Checks the laws of [`check_arrival`].
    fn let_alone(&mut self, found: &mut Findings) {
        check_arrival(self, |world| world, |edit| edit, found);
    }

    fn looks(&self) -> Looks<WaterWorld> {
        let bounds = self.bounds();
        let cells = self.chunks().flat_map(|(position, chunk)| {
            let inside = bounds.intersection(&Cube::region_of(position));
            let cells = inside.into_iter().flat_map(|cells| cells.positions());
            cells.map(move |cell| (cell.to_array(), chunk.get(Cube::index_of(cell))))
        });
        cells.collect()
    }

    fn looks_different(then: Option<&Voxel>, now: Option<&Voxel>) -> bool {
        then.copied().map(look) != now.copied().map(look)
    }

    fn changes(&mut self) -> Changes<[i32; 3]> {
        let visible = places::<Cube>(self.take_changes());
        Changes { all: places::<Cube>(self.take_all_changes()), visible }
    }

    fn model(&self) -> Option<Box<dyn Model<WaterWorld>>> {
        (self.bounds().volume() <= MOST_CELLS).then(|| Box::new(Naive::of(self)) as _)
    }
}

/// Returns whether no water comes in, goes out or evaporates, and no chunk stands still.
fn is_closed(world: &WaterWorld) -> bool {
    let gives = |voxel: Voxel| voxel.is_sea() || voxel.cell().is_some_and(|cell| cell.is_source());
    is_shut(world) && !world.looks().into_values().any(gives)
}

/// Returns whether water goes out only into the sea, comes in only from springs and the sea, and
/// does not evaporate, and no chunk stands still.
fn is_shut(world: &WaterWorld) -> bool {
    let rules = world.rules();
    let is_wall = |edge: Edge| matches!(edge, Edge::Wall | Edge::Held);
    rules.evaporation == 0.0
        && rules.film_evaporation == 0.0
        && Ends::of(world).all().all(is_wall)
        && world.fixtures().next().is_none()
        && world.frozen_chunks().next().is_none()
}

/// Calls `slice` until a tick is complete, and returns the sum of the results.
fn in_slices(mut slice: impl FnMut() -> Progress) -> Progress {
    let mut sum = slice();
    while !sum.finished {
        let Progress { report, visited, finished } = slice();
        sum.report += report;
        sum.visited += visited;
        sum.finished = finished;
    }
    sum
}

/// Checks the state between the first two slices of a tick.
fn check_underway(world: &WaterWorld, found: &mut Findings) {
    if let Err(broken) = world.validate() {
        found.hold(law::UNDERWAY, false, || broken.to_string());
    }
    let is_left = world.backlog() > 0 && !world.is_at_rest();
    found.hold(law::UNDERWAY, is_left, || "nothing left to do".to_owned());
    let is_open = |voxel: &Voxel| !voxel.is_solid() && !voxel.is_sea();
    let looks = world.looks();
    let without =
        looks.iter().find(|(cell, voxel)| is_open(voxel) && world.cell((**cell).into()).is_none());
    found.same(law::UNDERWAY, &without, &None, || "an open cell that is none".to_owned());
}
