//! One draw: a walk up the parents of a cell to a spring, then water along that path, limited by
//! its narrowest cell.
//!
//! Parents form a directed acyclic graph, in which the draws of a tick make a blocking flow
//! (Dinic). A walk tries the parents of a cell in random order, and backtracks from a cell whose
//! parents are all exhausted. A cell that leads only to exhausted cells is dead for the rest of the
//! tick, and no later walk passes it. The units that a spring gives in a tick are bounded. So the
//! cost stays near the number of cells, however long the paths are.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::{LayerId, Slot};
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Tick;
use crate::water::context::chunk_record::{LayerRecord, Mark};
use crate::water::random::{Purpose as RandomPurpose, mix};
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use hashbrown::HashSet;

/// Cells of a path in one layer above which the whole layer is saved at once.
const LONG_PART: usize = 8;

/// Most units that a cell draws for itself at a time, over a short way. With less than a full cell,
/// the springs' supply reaches more cells of a rim in a tick, and a pool grows rounder. Measured:
/// see `benches/decisions.md`.
const FILL: u8 = 2;

/// The length, in cells, for which a path may carry one unit more than [`FILL`] at a time.
const CELLS_FOR_A_UNIT: usize = 16;

/// A draw for a cell, before its path is known.
pub(super) struct Demand {
    /// The cell that the water is for: the drawing cell, or the one above it.
    target: Place,
    wanted: u8,
    /// The first cell of the path, and the face through which it passes water on.
    first: (Place, Face),
    /// The faces, by bit, across which the target has other parents that the draw may try.
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
}

impl PathCell {
    fn new(place: Place, exit: Face, left: u8) -> Self {
        PathCell { slot: place.slot, index: place.index as u16, exit, left, untried: 0 }
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

/// The path of a draw, from the first cell upwards.
#[derive(Default)]
pub(super) struct Path {
    cells: Vec<PathCell>,
    /// The cells that the draw has visited, including the cells from which it backtracked.
    visited: usize,
    /// The cells from which the draw backtracked because the springs above them are too low.
    low: HashSet<Place>,
    /// Whether the draw has reached a cell without throughput left.
    is_exhausted: bool,
}

impl Path {
    pub(super) fn visited(&self) -> usize {
        self.visited
    }

    fn push(&mut self, cell: PathCell) {
        self.cells.push(cell);
        self.visited += 1;
    }

    pub(super) fn shrink(&mut self, most: usize) {
        self.cells.clear();
        self.cells.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<PathCell>() + self.low.allocation_size()
    }
}

/// Read access to the state of one layer, looked up once for all its cells.
struct Layer<'t> {
    dead: LayerMask,
    work: Option<LayerRecord<'t>>,
    /// The cells in runs, which have passed on all their throughput.
    in_runs: LayerMask,
    /// The cells if they are stored densely; otherwise all are `uniform`.
    cells: Option<&'t [Voxel; LAYER_CELLS]>,
    uniform: Voxel,
    /// The seed of the random choices of parents in the layer.
    seed: u64,
}

impl Layer<'_> {
    #[inline]
    fn voxel(&self, cell: usize) -> Voxel {
        self.cells.map_or(self.uniform, |cells| cells[cell])
    }

    /// Returns the units that a cell has passed on in this tick.
    #[inline]
    fn passed(&self, cell: usize) -> u8 {
        if self.in_runs.contains(cell) {
            return FULL;
        }
        self.work.map_or(0, |work| work.passed(cell))
    }
}

/// Returns the first parent of a cell if it is in the same layer of the chunk, and the face across
/// which the parent passes water on.
#[inline]
fn parent_beside(cell: usize, voxel: Voxel) -> Option<(usize, Face)> {
    // The parent is opposite to the direction of flow. Water without a spring has none.
    let heading = voxel.direction().filter(|_| voxel.is_connected())?;
    let parent = match heading {
        Face::West if cell & 15 < 15 => cell + 1,
        Face::East if cell & 15 > 0 => cell - 1,
        Face::North if cell < 240 => cell + 16,
        Face::South if cell >= 16 => cell - 16,
        _ => return None,
    };
    Some((parent, heading))
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

    /// Returns the draw of a full cell for the cell above it, below the spring.
    pub(super) fn to_rise(tick: &Tick, place: Place) -> Option<Self> {
        let target = tick.store.step(place, Face::Up);
        let wanted = if target.is_some() { tick.store.read(target).room() } else { 0 };
        let least_y = tick.store.layer_y(place.layer_id()).saturating_add(2);
        let first = (place, Face::Up);
        (wanted > 0).then_some(Demand { target, wanted, first, others: 0, least_y })
    }
}

/// Draws water along a path, which is kept in `path`.
pub(super) fn draw_along(tick: &mut Tick, draw: Demand, path: &mut Path) -> Delivery {
    path.cells.clear();
    path.low.clear();
    (path.visited, path.is_exhausted) = (0, false);
    let (drawn, offer) = climb(tick, &draw, path);
    if drawn == Delivery::Units {
        pass_draw(tick, &draw, path, offer);
    }
    drawn
}

/// Walks up the parents from the first cell to a root that gives. Backtracks from a cell whose
/// parents are all exhausted or are too low. Also returns the units that the root offers.
fn climb(tick: &mut Tick, draw: &Demand, path: &mut Path) -> (Delivery, u8) {
    let (mut next, mut others) = (Some(draw.first), draw.others);
    loop {
        if let Some((place, exit)) = next
            && let Some(root) = walk(tick, place, exit, path)
        {
            let offer = offer(tick, root, draw);
            if offer > 0 {
                return (Delivery::Units, offer);
            }
            path.cells.pop();
            path.low.insert(root);
        }
        let Some(last) = path.cells.last_mut() else {
            let Some(face) = pick(tick, draw.target, &mut others) else {
                let is_low = !path.low.is_empty() && !path.is_exhausted;
                return (if is_low { Delivery::Nothing } else { Delivery::Exhausted }, 0);
            };
            next = Some((tick.store.step(draw.target, face), face.opposite()));
            continue;
        };
        let (place, mut untried) = (last.place(), last.untried);
        let face = pick(tick, place, &mut untried);
        if let Some(last) = path.cells.last_mut() {
            last.untried = untried;
        }
        next = face.map(|face| (tick.store.step(place, face), face.opposite()));
        if next.is_none() {
            path.cells.pop();
            // Another draw, for a lower cell, may still pass here.
            if path.low.is_empty() {
                let mut work = tick.scratch.record_mut(tick.store, place.layer_id());
                work.cell(place.cell()).mark(Mark::Dead);
            } else {
                path.low.insert(place);
            }
        }
    }
}

/// Returns the units that a root offers for a draw.
fn offer(tick: &Tick, root: Place, draw: &Demand) -> u8 {
    let is_high = tick.store.layer_y(root.layer_id()) >= draw.least_y;
    if is_high && tick.store.read(root).is_source() { FULL } else { 0 }
}

/// Walks up the parents from a cell, past cells that are not exhausted. Returns the root at the
/// end; `None` if there is none.
fn walk(tick: &Tick, place: Place, exit: Face, path: &mut Path) -> Option<Place> {
    let (mut place, mut exit) = (place, exit);
    while place.is_some() {
        let here = layer_of(tick, place);
        let (layer, mut cell) = (place.layer_id(), place.cell());
        loop {
            let voxel = here.voxel(cell);
            let left = tick.limits.left(voxel, here.passed(cell));
            place = Place::in_layer(layer, cell);
            if left == 0 || here.dead.contains(cell) {
                path.is_exhausted = true;
                return None;
            }
            if !path.low.is_empty() && path.low.contains(&place) {
                return None;
            }
            let mut at = PathCell::new(place, exit, left);
            if !voxel.has(CellFlags::EXTRA)
                && let Some((parent, heading)) = parent_beside(cell, voxel)
            {
                path.push(at);
                (cell, exit) = (parent, heading);
                continue;
            }
            at.untried = tick.store.parents_in(place, voxel);
            let face = pick_by(here.seed, place, &mut at.untried);
            path.push(at);
            let Some(face) = face else { return Some(place) };
            (place, exit) = (tick.store.step(place, face), face.opposite());
            if !place.is_some() || (place.layer_id()) != layer {
                break;
            }
            cell = place.cell();
        }
    }
    None
}

/// Returns read access to the layer of a cell.
#[inline]
fn layer_of<'a>(tick: &'a Tick, place: Place) -> Layer<'a> {
    let layer = place.layer_id();
    let work = tick.scratch.get(layer);
    Layer {
        dead: work.map_or(LayerMask::NONE, |work| work.marked(Mark::Dead)),
        work,
        in_runs: tick.store.passed_in_runs(layer),
        cells: tick.store.cells(layer),
        uniform: tick.store.grid().chunk_at(layer.slot).get(0),
        seed: RandomPurpose::Parent.seed(tick.scratch.seed(tick.store, layer)),
    }
}

/// Passes water along a path from the spring at its end, limited by the narrowest cell, and
/// delivers it.
fn pass_draw(tick: &mut Tick, draw: &Demand, path: &Path, offer: u8) {
    let cells = &path.cells;
    // A long path costs more, so it carries more at a time. A cell that also passes water on, as at
    // the edge of a fall, may draw these units, too.
    let passed = usize::from(tick.passed(draw.target));
    let fill = (cells.len() / CELLS_FOR_A_UNIT).max(usize::from(FILL)).max(passed);
    let largest = cells.iter().map(|here| here.left).fold(FULL, u8::min);
    let units = draw.wanted.min(largest).min(offer).min(fill.min(usize::from(FULL)) as u8);
    for stretch in cells.chunk_by(|one, next| one.layer() == next.layer()) {
        record_flow(tick, stretch, units);
    }
    narrow_along(tick, cells);
    tick.report.moved += u64::from(units) * cells.len() as u64;
    let (first, root) = (cells[0], cells[cells.len() - 1].place());
    tick.take(root, units);
    let is_beside = draw.target != first.place() && first.exit != Face::Up;
    let largest = if is_beside { largest } else { tick.store.read(draw.target).largest() };
    tick.receive(draw.target, first.exit.opposite(), units, largest);
}

/// Sets the bottlenecks of the cells of a path, from the spring down.
fn narrow_along(tick: &mut Tick, cells: &[PathCell]) {
    let mut bottleneck = FULL;
    for stretch in cells.chunk_by(|one, next| one.slot == next.slot).rev() {
        tick.store.write_marks(stretch[0].slot, |cells| {
            for here in stretch.iter().rev() {
                bottleneck = bottleneck.min(here.left);
                let voxel = &mut cells[usize::from(here.index) & (CHUNK_CELLS - 1)];
                if voxel.direction().is_some() {
                    *voxel = voxel.with_largest(bottleneck);
                }
            }
        });
    }
}

/// Records the flow of `units` along the part of a path in one layer of one chunk. First saves the
/// cells as they were before the tick.
fn record_flow(tick: &mut Tick, path: &[PathCell], units: u8) {
    let layer = path[0].layer();
    let mut work = tick.scratch.record_mut(tick.store, layer);
    // For a long part, saving the whole layer is cheaper than testing each cell.
    if path.len() > LONG_PART {
        work.save(tick.store, layer, LayerMask::ALL);
    } else {
        for here in path {
            work.save_cell(tick.store, layer, here.cell());
        }
    }
    for here in path {
        work.cell(here.cell()).pass_on(here.exit, units);
    }
}

/// Removes a random face from a set of faces, by bit, and returns it. `None` if it is empty.
#[inline]
pub(crate) fn pick(tick: &Tick, place: Place, faces: &mut u8) -> Option<Face> {
    let several = *faces & faces.wrapping_sub(1) != 0;
    let seed = if several { tick.scratch.seed(tick.store, place.layer_id()) } else { 0 };
    pick_by(RandomPurpose::Parent.seed(seed), place, faces)
}

/// Works like [`pick`], with the seed of the layer for this purpose.
#[inline]
fn pick_by(seed: u64, place: Place, faces: &mut u8) -> Option<Face> {
    let several = *faces & faces.wrapping_sub(1) != 0;
    let face = if several { pick_one_of(seed, place, *faces) } else { faces.trailing_zeros() };
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
