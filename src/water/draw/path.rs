//! One draw: a walk up the parents of a cell to the root of its flow, and water that passes along
//! that path, as much as its narrowest cell lets through.
//!
//! Parents form a directed acyclic graph. At a fork, one parent is picked at random for the tick,
//! so that the paths of a tick form a forest. Three things keep the cost near the number of cells,
//! however long the paths are: a path whose end is exhausted is marked as dead down to where the
//! draw began, and no later draw passes a dead cell; the cells of a path to a root with nothing to
//! give are labelled with that root; and what a root gives in a tick is bounded, so that only so
//! many draws succeed. A draw can stop after any cell and resume.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::context::layer_record::LayerRecord;
use crate::water::draw::Draws;
use crate::water::draw::roots::{Need, is_joined};
use crate::water::random::{Purpose as RandomPurpose, mix};
use crate::water::store::Place;
use crate::water::voxel::Voxel;

/// Cells of a path in one layer above which the whole layer is saved at once.
const LONG_PART: usize = 8;

/// Most units that a cell connected to a spring draws for itself at a time, over a short way. With
/// less than a full cell, the springs' supply reaches more cells of a rim in a tick, and a pool
/// grows rounder. Measured: see `benches/decisions.md`.
const FILL: u8 = 2;

/// Cells of a way for each unit that it may carry at a time, beyond [`FILL`].
const CELLS_FOR_A_UNIT: usize = 16;

/// Most units of a draw that turns off where the flow goes straight on (momentum).
const TURN: u8 = 3;

/// What a draw is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To fill the drawing cell.
    Fill,
    /// To fill the cell above the drawing cell.
    Rise,
    /// To leave the world through the drawing cell. `limited`: a draw that turns off a straight
    /// flow takes [`TURN`] units at most.
    Leave { limited: bool },
    /// To find a way for later ticks, and move no water.
    Later,
}

/// A draw, and how far it has come.
pub(crate) struct Draw {
    pub(super) purpose: Purpose,
    pub(super) cell: Place,
    pub(super) need: Need,
    wanted: u8,
    /// The first cell of the path, and the face through which it passes water on.
    pub(super) first: (Place, Face),
    /// The most units that momentum allows.
    cap: u8,
    stage: Stage,
}

enum Stage {
    /// Walks up the parents. This cell is next.
    Climb { place: Place, exit: Face },
    /// Searches the nearest spring.
    Search,
    /// Makes the way that the search has found the path, from the spring on.
    Reroute { place: Place },
    /// Finds out what the first `left` cells of the path let through, after the others. Its root
    /// offers `offer` units.
    Measure { offer: u8, largest: u8, left: usize },
    /// Passes water along the first `left` cells of the path, after the others.
    Pass { units: u8, largest: u8, left: usize, bottleneck: u8 },
    /// Marks the first `left` cells of the path as dead, after the others. Nothing was drawn.
    Bury { left: usize },
    /// Labels the first `left` cells of the path with their only root's tree, after the others. It
    /// has nothing to give.
    Label { tree: u32, left: usize },
}

/// The result of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Water was passed on, as much as was wanted or the root offers.
    Units,
    /// Water was passed on, but momentum kept the draw from taking more.
    HeldBack,
    /// Water was passed on, but the path lets no more through.
    Narrow,
    /// The path is exhausted for this tick, and no way round was found.
    Waiting,
    /// The root has nothing to give.
    Nothing,
}

/// A cell of a path, the face through which it passes water on, and the units it may still pass.
#[derive(Clone, Copy)]
pub(super) struct PathCell {
    pub(super) slot: Slot,
    pub(super) index: u16,
    pub(super) exit: Face,
    pub(super) left: u8,
}

impl PathCell {
    pub(super) fn new(place: Place, exit: Face, left: u8) -> Self {
        PathCell { slot: place.slot, index: place.index as u16, exit, left }
    }

    pub(super) fn place(&self) -> Place {
        Place::new(self.slot, usize::from(self.index))
    }

    /// Returns its chunk and layer.
    fn layer(&self) -> (Slot, usize) {
        (self.slot, usize::from(self.index) / LAYER_CELLS)
    }

    /// Returns its index within the layer.
    fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }
}

/// The path of a draw as far as it has been walked, from the first cell upwards.
#[derive(Default)]
pub(super) struct Path {
    pub(super) cells: Vec<PathCell>,
    /// Whether a parent was picked from several.
    pub(super) forked: bool,
}

impl Path {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.forked = false;
    }

    /// Returns as many cells as the budget allows, the last of the first `left` cells, charges them
    /// and takes them off `left`.
    fn next_part(&self, left: &mut usize, budget: &mut Budget) -> &[PathCell] {
        let end = *left;
        *left = end.saturating_sub(budget.left());
        budget.spend(end - *left);
        &self.cells[*left..end]
    }

    pub(super) fn shrink(&mut self, most: usize) {
        self.cells.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<PathCell>()
    }
}

/// How a walk up the parents ended.
enum End {
    /// At a root that offers this many units.
    Root(u8),
    /// Before a cell that has passed on all that it may in this tick.
    Exhausted,
    /// Before a cell that leads only to exhausted ones.
    Dead,
    /// At a cell whose root, this one, has nothing to give.
    Empty(Place),
}

/// How a search for a spring ended.
pub(super) enum SearchEnd {
    /// It has found this one.
    Spring(Place),
    Nothing,
    /// None may be made: flows of several springs may join above the draw.
    Refused,
}

/// Read access to the state of one layer, looked up once for all its cells.
pub(crate) struct Layer<'t> {
    dead: &'t LayerMask,
    work: Option<&'t LayerRecord>,
    trees: Option<&'t [u32; LAYER_CELLS]>,
    /// Its cells if they are stored densely; otherwise all are `uniform`.
    cells: Option<&'t [Voxel; LAYER_CELLS]>,
    uniform: Voxel,
}

impl Layer<'_> {
    #[inline]
    pub(crate) fn voxel(&self, cell: usize) -> Voxel {
        self.cells.map_or(self.uniform, |cells| cells[cell])
    }

    /// Returns the units that a cell has passed on in this tick.
    #[inline]
    pub(crate) fn passed(&self, cell: usize) -> u8 {
        self.work.map_or(0, |work| work.passed(cell))
    }
}

/// Returns the first parent of a cell if it lies in the same layer of the chunk, and the face
/// across which the parent passes water on.
#[inline]
pub(crate) fn parent_beside(cell: usize, voxel: Voxel) -> Option<(usize, Face)> {
    // The parent lies opposite to the direction of flow.
    let heading = voxel.direction()?;
    let parent = match heading {
        Face::West if cell & 15 < 15 => cell + 1,
        Face::East if cell & 15 > 0 => cell - 1,
        Face::North if cell < 240 => cell + 16,
        Face::South if cell >= 16 => cell - 16,
        _ => return None,
    };
    Some((parent, heading))
}

impl Draw {
    /// Returns a draw of up to `wanted` units for `cell`, along the parents of the first cell.
    pub(super) fn new(
        purpose: Purpose,
        cell: Place,
        first: (Place, Face),
        wanted: u8,
        need: Need,
    ) -> Self {
        let (place, exit) = first;
        let cap = wanted;
        Draw { purpose, cell, need, wanted, first, cap, stage: Stage::Climb { place, exit } }
    }

    /// Begins to find out what its path lets through, whose root offers `offer` units.
    fn measure(&mut self, path: &Path, offer: u8) {
        self.stage = Stage::Measure { offer, largest: offer, left: path.cells.len() };
    }

    /// Makes it a search for a way for later ticks, in which no water passes.
    pub(super) fn for_later(mut self) -> Self {
        (self.purpose, self.stage) = (Purpose::Later, Stage::Search);
        self
    }
}

impl Context<'_> {
    /// Resumes a draw. Returns its result, or `None` if the budget is spent before the draw is
    /// complete. A draw that succeeds has delivered its water.
    pub(super) fn advance(
        &mut self,
        draws: &mut Draws,
        draw: &mut Draw,
        budget: &mut Budget,
    ) -> Option<Drawn> {
        while !budget.is_spent() {
            match draw.stage {
                Stage::Climb { place, exit } => {
                    let end = self.climb(draw, &mut draws.path, place, exit, budget)?;
                    if let Some(drawn) = self.end_climb(draws, draw, end) {
                        return Some(drawn);
                    }
                }
                Stage::Search => match self.search_on(draws, draw, budget)? {
                    SearchEnd::Spring(place) => draw.stage = Stage::Reroute { place },
                    SearchEnd::Nothing => return Some(Drawn::Waiting),
                    SearchEnd::Refused => draw.stage = Stage::Bury { left: draws.path.cells.len() },
                },
                Stage::Reroute { place } => match self.reroute_on(draws, place, budget) {
                    Some(place) => draw.stage = Stage::Reroute { place },
                    None if draw.purpose == Purpose::Later => return Some(Drawn::Waiting),
                    None => {
                        draw.cap = draw.wanted;
                        draw.measure(&draws.path, self.limits.supply);
                    }
                },
                Stage::Measure { offer, ref mut largest, ref mut left } => {
                    let part = draws.path.next_part(left, budget);
                    *largest = part.iter().fold(*largest, |most, here| most.min(here.left));
                    if *left == 0 {
                        let largest = *largest;
                        self.begin_pass(draws, draw, offer, largest);
                    }
                }
                Stage::Pass { .. } => {
                    if let Some(drawn) = self.pass_on_path(draws, draw, budget) {
                        return Some(drawn);
                    }
                }
                Stage::Bury { ref mut left } => {
                    for here in draws.path.next_part(left, budget) {
                        self.bury_cell(here.place());
                    }
                    if *left == 0 {
                        return Some(Drawn::Waiting);
                    }
                }
                Stage::Label { tree, ref mut left } => {
                    for here in draws.path.next_part(left, budget) {
                        self.label(here.place(), tree);
                    }
                    if *left == 0 {
                        return Some(Drawn::Nothing);
                    }
                }
            }
        }
        None
    }

    /// Decides what follows a walk up the parents. Returns the result if the draw has failed.
    fn end_climb(&mut self, draws: &mut Draws, draw: &mut Draw, end: End) -> Option<Drawn> {
        match end {
            End::Root(offer) => {
                draw.measure(&draws.path, offer);
                None
            }
            End::Exhausted if self.begin_search(draws, draw) => {
                draw.stage = Stage::Search;
                None
            }
            End::Exhausted | End::Dead => {
                draw.stage = Stage::Bury { left: draws.path.cells.len() };
                None
            }
            // Another parent may be picked in the next tick.
            End::Empty(_) if draws.path.forked => Some(Drawn::Waiting),
            End::Empty(root) => {
                let tree = self.new_label(root);
                draw.stage = Stage::Label { tree, left: draws.path.cells.len() };
                None
            }
        }
    }

    /// Walks up the parents from a cell as far as possible. Returns `None` if the budget is spent
    /// before that.
    fn climb(
        &self,
        draw: &mut Draw,
        path: &mut Path,
        place: Place,
        exit: Face,
        budget: &mut Budget,
    ) -> Option<End> {
        let (mut place, mut exit) = (place, exit);
        let may_turn = draw.purpose == Purpose::Leave { limited: true };
        loop {
            let here = self.layer_of(place);
            let (slot, layer, mut cell) = (place.slot, place.layer(), place.cell());
            // Water that leaves must not take the place of another outlet.
            let other_outlets = match draw.purpose {
                Purpose::Leave { .. } => self.store.outlets(slot),
                Purpose::Fill | Purpose::Rise | Purpose::Later => None,
            };
            loop {
                if here.dead.contains(cell) {
                    return Some(End::Dead);
                }
                place = Place::in_layer(slot, layer, cell);
                if !budget.spend(1) {
                    draw.stage = Stage::Climb { place, exit };
                    return None;
                }
                let voxel = here.voxel(cell);
                let left = self.limits.left(voxel, here.passed(cell));
                let is_other_outlet = other_outlets
                    .is_some_and(|outlets| outlets.contains(place.index) && place != draw.cell);
                if left == 0 || is_other_outlet {
                    return Some(End::Exhausted);
                }
                path.cells.push(PathCell::new(place, exit, left));
                if may_turn && voxel.direction() != Some(exit) && self.turns_off(place, voxel, exit)
                {
                    draw.cap = draw.cap.min(TURN);
                }
                let tree = here.trees.map_or(0, |trees| trees[cell]);
                if (tree == 0 || is_joined(tree))
                    && !voxel.has(CellFlags::EXTRA)
                    && let Some((parent, heading)) = parent_beside(cell, voxel)
                {
                    (cell, exit) = (parent, heading);
                    continue;
                }
                let mut parents = self.store.parents_in(place, voxel);
                let known = self.root_of(tree);
                if parents == 0 || known.is_some() {
                    let root = known.unwrap_or(place);
                    let offer = self.offer(root, draw.need);
                    if offer == 0 {
                        return Some(End::Empty(root));
                    }
                    if parents == 0 {
                        return Some(End::Root(offer));
                    }
                }
                path.forked |= parents.count_ones() > 1;
                let Some(face) = self.pick(place, &mut parents) else {
                    return Some(End::Empty(place));
                };
                (place, exit) = (self.store.step(place, face), face.opposite());
                if !place.is_some() {
                    return Some(End::Exhausted);
                }
                if (place.slot, place.layer()) != (slot, layer) {
                    break;
                }
                cell = place.cell();
            }
        }
    }

    /// Whether a draw of water to leave the world would lead through another outlet, whose place it
    /// would take.
    #[inline]
    pub(super) fn is_other_outlet(&self, draw: &Draw, place: Place) -> bool {
        matches!(draw.purpose, Purpose::Leave { .. })
            && place != draw.cell
            && self.store.outlets(place.slot).is_some_and(|outlets| outlets.contains(place.index))
    }

    /// Whether a path that leads across `exit` turns off at a cell where the flow also goes
    /// straight on.
    fn turns_off(&self, place: Place, voxel: Voxel, exit: Face) -> bool {
        let Some(heading) = voxel.direction() else { return false };
        if !heading.is_lateral() || !exit.is_lateral() {
            return false;
        }
        let ahead = self.store.look(place, heading);
        !ahead.is_mark() && ahead.direction() == Some(heading) && ahead.active() > 0
    }

    /// Returns read access to the layer of a cell.
    #[inline]
    pub(crate) fn layer_of(&self, place: Place) -> Layer<'_> {
        let (slot, layer) = (place.slot, place.layer());
        let work = self.work.get(slot, layer);
        Layer {
            dead: work.map_or(&LayerMask::NONE, |work| &work.dead),
            work,
            trees: work.and_then(|work| work.trees.as_deref()),
            cells: self.store.cells(slot, layer),
            uniform: self.store.grid().chunk_at(slot).get(0),
        }
    }

    /// Begins to pass water along the path, which lets `largest` units through of those that its
    /// root offers.
    fn begin_pass(&mut self, draws: &mut Draws, draw: &mut Draw, offer: u8, largest: u8) {
        let path = &draws.path.cells;
        // A long way costs more, so it carries more at a time; and what a cell passes on, as at the
        // edge of a fall, it may also draw.
        let passed = usize::from(self.work.passed(draw.cell));
        let fill = (path.len() / CELLS_FOR_A_UNIT).max(usize::from(FILL)).max(passed);
        if draw.purpose == Purpose::Fill && self.store.read(draw.cell).is_connected() {
            draw.cap = draw.cap.min(fill.min(usize::from(FULL)) as u8);
        }
        let units = draw.cap.min(largest);
        draws.credit += 2 * path.len() as i64;
        draw.stage = Stage::Pass { units, largest, left: path.len(), bottleneck: offer };
    }

    /// Passes water along the next cells of the path, from the root on. After the last, takes it
    /// from the root and delivers it, all at once, so that the account balances between two pieces.
    fn pass_on_path(
        &mut self,
        draws: &mut Draws,
        draw: &mut Draw,
        budget: &mut Budget,
    ) -> Option<Drawn> {
        let Stage::Pass { units, largest, left, bottleneck } = draw.stage else { return None };
        let path = &draws.path.cells;
        let mut from = left;
        let part = draws.path.next_part(&mut from, budget);
        for stretch in part.chunk_by(|one, next| one.layer() == next.layer()) {
            self.record_flow(stretch, units);
        }
        let mut bottleneck = bottleneck;
        for stretch in part.chunk_by(|one, next| one.slot == next.slot).rev() {
            self.store.write_marks(stretch[0].slot, |cells| {
                for here in stretch.iter().rev() {
                    bottleneck = bottleneck.min(here.left);
                    let voxel = &mut cells[usize::from(here.index) & (CHUNK_CELLS - 1)];
                    if voxel.direction().is_some() {
                        *voxel = voxel.with_largest(bottleneck);
                    }
                }
            });
        }
        self.report.moved += u64::from(units) * part.len() as u64;
        if from > 0 {
            draw.stage = Stage::Pass { units, largest, left: from, bottleneck };
            return None;
        }
        let (first, root) = (path[0], path[path.len() - 1].place());
        self.take(root, units);
        self.deliver(draw, first.exit, units, largest);
        Some(match () {
            () if units == draw.wanted => Drawn::Units,
            () if units == draw.cap => Drawn::HeldBack,
            () if units == largest => Drawn::Narrow,
            () => Drawn::Units,
        })
    }

    /// Delivers the water of a draw, which left the path's first cell across `exit`.
    fn deliver(&mut self, draw: &Draw, exit: Face, units: u8, largest: u8) {
        let (to, largest) = match draw.purpose {
            Purpose::Leave { .. } => {
                self.ledger.drained += u64::from(units);
                return;
            }
            Purpose::Fill | Purpose::Later => (draw.cell, largest),
            Purpose::Rise => {
                if self.store.look(draw.cell, Face::Up) == Voxel::DRAIN {
                    self.ledger.drained += u64::from(units);
                    return;
                }
                let above = self.store.step(draw.cell, Face::Up);
                (above, self.store.read(above).largest())
            }
        };
        self.receive(to, exit.opposite(), units, largest);
    }

    /// Records the flow of `units` along the part of a path in one layer of one chunk. Saves the
    /// cells' state before the tick first.
    fn record_flow(&mut self, path: &[PathCell], units: u8) {
        let (slot, layer) = path[0].layer();
        let work = self.work.join(self.store, slot, layer);
        // For a long part, saving the whole layer is cheaper than testing each cell.
        if path.len() > LONG_PART {
            work.save(self.store, slot, layer, LayerMask::ALL);
        } else {
            for here in path {
                work.save_cell(self.store, slot, layer, here.cell());
            }
        }
        for here in path {
            work.pass_on(here.cell(), here.exit, units);
        }
    }

    /// Marks a cell as one that leads only to exhausted ones for the rest of this tick.
    pub(super) fn bury_cell(&mut self, place: Place) {
        self.work.join(self.store, place.slot, place.layer()).dead.insert(place.cell());
    }

    /// Removes a random face from a set of faces, by bit, and returns it.
    #[inline]
    pub(crate) fn pick(&self, place: Place, faces: &mut u8) -> Option<Face> {
        let several = *faces & faces.wrapping_sub(1) != 0;
        let face = if several { self.pick_one_of(place, *faces) } else { faces.trailing_zeros() };
        *faces &= !(1u32 << face) as u8;
        Face::from_index(face as u8)
    }

    /// Returns the index of a random face of a non-empty set. The choice depends on the seed, the
    /// tick, the cell and the size of the set only.
    fn pick_one_of(&self, place: Place, faces: u8) -> u32 {
        let layer_seed = self.work.seed(self.store, place.slot, place.layer());
        let count = faces.count_ones();
        let random = mix(
            RandomPurpose::Parent.seed(layer_seed),
            place.index as u64 | u64::from(count) << 16,
        ) >> 32;
        let mut left = faces;
        for _ in 0..(random * u64::from(count)) >> 32 {
            left &= left - 1;
        }
        left.trailing_zeros()
    }
}

#[cfg(test)]
mod tests;
