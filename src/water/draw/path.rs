//! One draw: a walk up the parents of a cell to a spring, then water along that path, limited by
//! its narrowest cell.
//!
//! Parents form a directed acyclic graph, in which the draws of a tick make a blocking flow
//! (Dinic). A walk tries the parents of a cell in random order, and backtracks from a cell whose
//! parents are all exhausted. Such a cell counts as exhausted, too, and no later walk passes it.
//! The units that a spring gives in a tick are bounded. So the cost stays near the number of cells,
//! however long the paths are.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::draw::layer::Layer;
use crate::water::draw::vain::Ways;
use crate::water::random::{Purpose as RandomPurpose, mix};
use crate::water::scratch::Tick;
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use hashbrown::HashSet;

/// If a path has more than this number of cells in one layer, the whole layer is saved at once.
const LONG_PART: usize = 8;

/// The most units that a cell draws for itself at a time, over a short path. With less than a full
/// cell at a time, the springs' supply reaches more cells of a rim in a tick, and a pool grows
/// rounder. For the measurements, see `benches/decisions.md`.
const FILL: u8 = 2;

/// A path may carry one unit at a time for each stretch of this number of cells, if that allows
/// more than [`FILL`].
const CELLS_FOR_A_UNIT: usize = 16;

/// The number of steps after which a draw may stop: few in unit tests, so that draws stop. Each
/// cell of a path takes [`STEPS_FOR_A_CELL`].
pub(super) const PART: usize = if cfg!(test) { 3 } else { 4_096 };

/// The steps for each cell of a path: the walk enters the cell, its flow is recorded, and its
/// bottleneck is set.
const STEPS_FOR_A_CELL: usize = 3;

/// A draw for a cell, before its path is known.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    /// The cell that the water is for: the drawing cell, or the cell above it.
    target: Place,
    wanted: u8,
    /// The first cell of the path, and the face through which it passes water on.
    first: (Place, Face),
    /// The faces, by bit, across which the target has further parents that the draw may try.
    others: u8,
    /// The lowest y from which a spring gives.
    least_y: i32,
}

/// The result of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Water was passed on.
    Units,
    /// All paths up are exhausted for this tick.
    Exhausted,
    /// All paths up lead to springs that are too low.
    Nothing,
}

/// A cell of a path, the face through which it passes water on, and the units it may still pass.
#[derive(Clone, Copy)]
struct PathCell {
    slot: Slot,
    index: u16,
    exit: Face,
    left: u8,
    /// The faces, by bit, across which there are parents not tried yet.
    untried: u8,
    /// The number of its layer in [`Ways`].
    number: u32,
}

impl PathCell {
    fn new(place: Place, exit: Face, left: u8) -> Self {
        PathCell { slot: place.slot, index: place.index as u16, exit, left, untried: 0, number: 0 }
    }

    fn place(&self) -> Place {
        Place::new(self.slot, usize::from(self.index))
    }

    /// Returns the cell's chunk and layer.
    fn layer(&self) -> LayerId {
        LayerId::new(self.slot, usize::from(self.index) / LAYER_CELLS)
    }

    /// Returns the cell's index within the layer.
    fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }
}

/// The path of a draw, from the first cell upwards, and how far the draw has come.
#[derive(Default)]
pub(super) struct Path {
    cells: Vec<PathCell>,
    /// The cell that is visited next, and the face through which it passes water on; `None` after
    /// the walk has backtracked.
    next: Option<(Place, Face)>,
    /// The faces, by bit, across which the target has parents not tried yet.
    others: u8,
    stage: Stage,
    /// The cells that the draw has visited, including the cells from which it backtracked.
    visited: usize,
    /// The cells among them that have been charged.
    charged: usize,
    /// The cells from which the draw backtracked because the springs above them are too low.
    low: HashSet<Place>,
    /// Whether the draw has reached a cell without throughput left.
    is_exhausted: bool,
}

/// The stages of a draw.
#[derive(Clone, Copy, Default)]
enum Stage {
    /// The walk up the parents.
    #[default]
    Climb,
    /// Units are recorded in the cells of the path, from cell number `at` up.
    Record { at: usize, units: u8 },
    /// The bottlenecks are set in the first `end` cells of the path, from the spring down.
    Narrow { end: usize, bottleneck: u8, units: u8 },
}

impl Path {
    /// Begins a draw.
    pub(super) fn begin(&mut self, demand: &Demand) {
        self.cells.clear();
        self.low.clear();
        (self.next, self.others) = (Some(demand.first), demand.others);
        (self.stage, self.is_exhausted) = (Stage::Climb, false);
        (self.visited, self.charged) = (0, 0);
    }

    /// Returns the cells to charge for the last part of the draw. All parts together are charged
    /// the cells visited, so it does not matter where a draw stops.
    pub(super) fn charge(&mut self, is_complete: bool) -> usize {
        let left = self.visited - self.charged;
        let cells = if is_complete { left } else { left.min(PART / STEPS_FOR_A_CELL) };
        self.charged += cells;
        cells
    }

    #[cfg(test)]
    pub(super) fn visited(&self) -> usize {
        self.visited
    }

    /// Returns the chunk of the spring that the last draw has found.
    ///
    /// # Panics
    ///
    /// If the last draw has found no spring.
    pub(super) fn root(&self) -> Slot {
        self.cells[self.cells.len() - 1].slot
    }

    fn push(&mut self, cell: PathCell) {
        self.cells.push(cell);
        self.visited += 1;
    }

    pub(super) fn shrink(&mut self, most: usize) {
        self.cells.clear();
        self.cells.shrink_to(most);
        self.low.clear();
        self.low.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<PathCell>() + self.low.allocation_size()
    }
}

impl Demand {
    /// Returns the draw of a cell with room, from one of its parents at random. `None` if all its
    /// parents are above it: falling water fills such a cell.
    pub(super) fn to_fill(tick: &Tick, place: Place, voxel: Voxel) -> Option<Self> {
        let mut parents = tick.store.parents_in(place, voxel) & !(1 << Face::Up.index());
        let face = pick(tick, place, &mut parents)?;
        let first = (tick.store.step(place, face), face.opposite());
        let least_y = tick.store.layer_y(place.layer_id());
        Some(Demand { target: place, wanted: voxel.room(), first, others: parents, least_y })
    }

    /// Returns the draw of a full cell for the cell above it, which must be lower than the spring.
    /// `None` if no cell above has room.
    pub(super) fn to_rise(tick: &Tick, place: Place) -> Option<Self> {
        let target = tick.store.across(place, Face::Up)?;
        let wanted = tick.store.read(target).room();
        let least_y = tick.store.layer_y(place.layer_id()).saturating_add(2);
        let first = (place, Face::Up);
        (wanted > 0).then_some(Demand { target, wanted, first, others: 0, least_y })
    }
}

/// Does the next part of the draw that was begun with [`Path::begin`]. Notes in `ways` the cells
/// that turn out to be exhausted or become exhausted. Returns the result once the draw is complete.
pub(super) fn draw_along(
    tick: &mut Tick,
    draw: &Demand,
    path: &mut Path,
    ways: &mut Ways,
) -> Option<Delivery> {
    let mut left = PART;
    if let Stage::Climb = path.stage {
        let (drawn, offer) = climb(tick, draw, path, ways, &mut left)?;
        if drawn != Delivery::Units {
            return Some(drawn);
        }
        path.stage = Stage::Record { at: 0, units: units_along(tick, draw, path, offer) };
    }
    if let Stage::Record { at, units } = path.stage {
        let at = record_flow(tick, &path.cells, (at, units), &mut left);
        path.stage = Stage::Record { at, units };
        if at < path.cells.len() {
            return None;
        }
        path.stage = Stage::Narrow { end: at, bottleneck: FULL, units };
    }
    if let Stage::Narrow { end, bottleneck, units } = path.stage {
        let (end, bottleneck) = narrow_along(tick, &path.cells[..end], bottleneck, &mut left);
        path.stage = Stage::Narrow { end, bottleneck, units };
        if end > 0 {
            return None;
        }
        deliver(tick, draw, path, (units, bottleneck));
        for spent in path.cells.iter().filter(|here| here.left == units) {
            ways.exhaust(spent.number, spent.cell());
        }
    }
    Some(Delivery::Units)
}

/// Walks up the parents from the first cell to a root that gives. Backtracks from a cell whose
/// parents are all exhausted or lead only to springs that are too low. Returns the result, and the
/// units that the root offers; `None` if it has visited as many cells as were left to visit.
fn climb(
    tick: &Tick,
    draw: &Demand,
    path: &mut Path,
    ways: &mut Ways,
    left: &mut usize,
) -> Option<(Delivery, u8)> {
    let mut next = path.next.take();
    let mut here: Option<(Layer, u32)> = None;
    while *left > 0 {
        *left -= 1;
        if let Some((place, exit)) = next.take()
            && push_cell(tick, (place, exit), path, ways, &mut here)
        {
            let Some(last) = path.cells.last_mut() else { unreachable!("just entered") };
            if let Some(face) = pick(tick, place, &mut last.untried) {
                next = Some((tick.store.step(place, face), face.opposite()));
                continue;
            }
            let offer = offer(tick, place, draw);
            if offer > 0 {
                return Some((Delivery::Units, offer));
            }
            path.cells.pop();
            path.low.insert(place);
        }
        let Some(last) = path.cells.last_mut() else {
            let Some(face) = pick(tick, draw.target, &mut path.others) else {
                let is_low = !path.low.is_empty() && !path.is_exhausted;
                return Some((if is_low { Delivery::Nothing } else { Delivery::Exhausted }, 0));
            };
            next = Some((tick.store.step(draw.target, face), face.opposite()));
            continue;
        };
        let place = last.place();
        match pick(tick, place, &mut last.untried) {
            Some(face) => next = Some((tick.store.step(place, face), face.opposite())),
            // Another draw, for a lower cell, may still pass here.
            None if !path.low.is_empty() => {
                path.cells.pop();
                path.low.insert(place);
            }
            None => {
                ways.exhaust(last.number, place.cell());
                path.cells.pop();
            }
        }
    }
    path.next = next;
    None
}

/// Adds a cell to the path, unless it is exhausted or leads to springs that are too low. Returns
/// whether the cell was added. `here` is the layer of the cell visited before, with the number of
/// that layer.
fn push_cell<'t>(
    tick: &'t Tick,
    (place, exit): (Place, Face),
    path: &mut Path,
    ways: &mut Ways,
    here: &mut Option<(Layer<'t>, u32)>,
) -> bool {
    if let Some(last) = path.cells.last()
        && ways.is_closed(last.number, last.cell(), exit.opposite())
    {
        path.is_exhausted = true;
        return false;
    }
    if !place.is_some() {
        return false;
    }
    let id = place.layer_id();
    let (layer, number) = match here {
        Some(here) if here.0.id() == id => here,
        _ => here.insert((Layer::of(tick, id), ways.number_of(id))),
    };
    let left = layer.left(place.cell());
    if left == 0 || ways.is_exhausted(*number, place.cell()) {
        path.is_exhausted = true;
        if let Some(last) = path.cells.last() {
            ways.close(last.number, last.cell(), exit.opposite());
        }
        return false;
    }
    if !path.low.is_empty() && path.low.contains(&place) {
        return false;
    }
    let untried = tick.store.parents_in(place, layer.voxel(place.cell()));
    path.push(PathCell { untried, number: *number, ..PathCell::new(place, exit, left) });
    true
}

/// Returns the units that a root offers for a draw.
fn offer(tick: &Tick, root: Place, draw: &Demand) -> u8 {
    let is_high = tick.store.layer_y(root.layer_id()) >= draw.least_y;
    if is_high && tick.store.read(root).is_source() { FULL } else { 0 }
}

/// Returns the units that a draw passes along its path, limited by the narrowest cell.
fn units_along(tick: &Tick, draw: &Demand, path: &Path, offer: u8) -> u8 {
    let cells = &path.cells;
    // A long path costs more, so it carries more at a time. A cell that also passes water on, as at
    // the edge of a fall, may draw as many units as it has passed on.
    let passed = usize::from(tick.passed(draw.target));
    let fill = (cells.len() / CELLS_FOR_A_UNIT).max(usize::from(FILL)).max(passed);
    let largest = cells.iter().map(|here| here.left).fold(FULL, u8::min);
    draw.wanted.min(largest).min(offer).min(fill.min(usize::from(FULL)) as u8)
}

/// Delivers units from the spring at the end of a path to the cell that draws. `bottleneck` is that
/// of the path.
fn deliver(tick: &mut Tick, draw: &Demand, path: &Path, (units, bottleneck): (u8, u8)) {
    let cells = &path.cells;
    tick.report.moved += u64::from(units) * cells.len() as u64;
    let (first, root) = (cells[0], cells[cells.len() - 1].place());
    tick.take(root, units);
    let is_beside = draw.target != first.place() && first.exit != Face::Up;
    let largest = if is_beside { bottleneck } else { tick.store.read(draw.target).largest() };
    tick.receive(draw.target, first.exit.opposite(), units, largest);
}

/// Sets the bottlenecks of the cells of a path, from the last down. `bottleneck` is the bottleneck
/// before the last cell. Returns the number of cells left, and the bottleneck of the cell set last.
fn narrow_along(
    tick: &mut Tick,
    cells: &[PathCell],
    mut bottleneck: u8,
    left: &mut usize,
) -> (usize, u8) {
    let mut end = cells.len();
    for stretch in cells.chunk_by(|one, next| one.slot == next.slot).rev() {
        if *left == 0 {
            break;
        }
        tick.store.write_marks(stretch[0].slot, |cells| {
            for here in stretch.iter().rev() {
                bottleneck = bottleneck.min(here.left);
                let voxel = &mut cells[usize::from(here.index) & (CHUNK_CELLS - 1)];
                if voxel.direction().is_some() {
                    *voxel = voxel.with_largest(bottleneck);
                }
            }
        });
        end -= stretch.len();
        *left = left.saturating_sub(stretch.len());
    }
    (end, bottleneck)
}

/// Records the flow of `units` along a path from cell number `at` up. Returns the number of the
/// first cell that is left.
fn record_flow(
    tick: &mut Tick,
    cells: &[PathCell],
    (mut at, units): (usize, u8),
    left: &mut usize,
) -> usize {
    for stretch in cells[at..].chunk_by(|one, next| one.layer() == next.layer()) {
        if *left == 0 {
            break;
        }
        record_in_layer(tick, stretch, units);
        at += stretch.len();
        *left = left.saturating_sub(stretch.len());
    }
    at
}

/// Records the flow of `units` along the part of a path in one layer of one chunk. First saves the
/// cells as they were before the tick.
fn record_in_layer(tick: &mut Tick, path: &[PathCell], units: u8) {
    let layer = path[0].layer();
    let mut work = tick.scratch.record_mut(tick.store, layer);
    // For a long part, saving the whole layer is cheaper than testing each cell.
    if path.len() > LONG_PART {
        work.save(tick.store, layer, LayerMask::ALL);
        for here in path {
            work.cell(here.cell()).pass_on(here.exit, units);
        }
        return;
    }
    for here in path {
        let mut record = work.cell_to_change(tick.store, here.place());
        record.save(tick.store.read(here.place()));
        record.pass_on(here.exit, units);
    }
}

/// Removes a random face from a set of faces, by bit, and returns it. `None` if the set is empty.
#[inline]
pub(crate) fn pick(tick: &Tick, place: Place, faces: &mut u8) -> Option<Face> {
    let several = *faces & faces.wrapping_sub(1) != 0;
    let face = if several {
        let seed = tick.scratch.seed(tick.store, place.layer_id());
        pick_one_of(RandomPurpose::Parent.seed(seed), place, *faces)
    } else {
        faces.trailing_zeros()
    };
    *faces &= !(1u32 << face) as u8;
    Face::from_index(face as u8)
}

/// Returns the index of a random face of a non-empty set. The choice depends on the seed, the cell
/// and the size of the set only.
#[inline]
fn pick_one_of(seed: u64, place: Place, faces: u8) -> u32 {
    let count = faces.count_ones();
    let random = mix(seed, place.index as u64 | u64::from(count) << 16) >> 32;
    let mut left = faces;
    for _ in 0..(random * u64::from(count)) >> 32 {
        left &= left - 1;
    }
    left.trailing_zeros()
}

#[cfg(test)]
mod tests;
