//! Paths: a depth-first search with backtracking from a cell along its parents to the root of its
//! flow, and a draw from there of what the path lets through.
//!
//! Parents do not change before the ebb, so they form one directed acyclic graph for the whole
//! tick. Three things keep the cost near the number of cells, however long the paths are: the tree
//! of a cell is looked up once; an exhausted path is marked down to where the search began, and no
//! later search passes a mark; and what a root gives in a tick is bounded, so that only so many
//! searches succeed.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Face};
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::layer_record::passed;
use crate::water::context::trees::{Fork, Path, PathCell};
use crate::water::draw::roots::{JOINED, Need};
use crate::water::random::{Purpose, mix};
use crate::water::store::Place;
use crate::water::voxel::Voxel;

/// Cells of a path in one layer above which the whole layer is saved at once.
const LONG_PART: usize = 8;

/// How a climb ended.
enum End {
    /// At a root that offers this many units.
    Root(u8),
    /// Before an exhausted cell.
    Exhausted,
    /// Before a cell visited earlier that leads only to roots with nothing to give.
    Fruitless,
    /// At a cell whose root, this one, has nothing to give.
    Empty(Place),
}

/// Read access to the state of one layer, looked up once for all its cells.
pub(crate) struct Layer<'t> {
    blocked: &'t LayerMask,
    flow: Option<&'t [u16; LAYER_CELLS]>,
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
        self.flow.map_or(0, |flow| passed(flow[cell]))
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

/// Returns the first parent of a cell if it lies above or below in the same chunk, and the face
/// across which the parent passes water on.
#[inline]
fn parent_above_or_below(index: usize, voxel: Voxel) -> Option<(usize, Face)> {
    let heading = voxel.direction()?;
    let parent = match heading {
        Face::Down if index < CHUNK_CELLS - LAYER_CELLS => index + LAYER_CELLS,
        Face::Up if index >= LAYER_CELLS => index - LAYER_CELLS,
        _ => return None,
    };
    Some((parent, heading))
}

/// The result of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// The units that reached the end of the path, 1 to 7, and the path's bottleneck.
    Units { units: u8, largest: u8 },
    /// Some path is exhausted for this tick, and no other leads to a root with water.
    Waiting,
    /// No root has anything to give.
    Nothing,
}

impl Context<'_> {
    /// Draws up to `wanted` units along the parents of `first`, which passes them on across `exit`.
    /// The caller must add them where they arrive.
    pub(crate) fn draw(&mut self, first: Place, exit: Face, wanted: u8, need: Need) -> Drawn {
        let mut path = core::mem::take(&mut self.work.trees.path);
        path.cells.clear();
        let drawn = match self.search(first, exit, need, &mut path) {
            Ok(offer) => self.pass_along(&path.cells, wanted, offer),
            Err(nothing) => nothing,
        };
        path.forks.clear();
        path.fruitless = None;
        self.work.trees.path = path;
        drawn
    }

    /// Searches a path to a root that offers water, and returns its offer, or why there is none. At
    /// a fork the parents are tried in random order.
    ///
    /// Cells all of whose parents are exhausted are marked. The cells of a path to a single root
    /// with nothing to give are labelled with that root, so that later searches test it at once.
    fn search(
        &mut self,
        first: Place,
        exit: Face,
        need: Need,
        path: &mut Path,
    ) -> Result<u8, Drawn> {
        let mut waiting = false;
        let mut next = Some((first, exit));
        while let Some((place, exit)) = next {
            let nothing = match self.climb(place, exit, need, path) {
                End::Root(offer) => return Ok(offer),
                End::Exhausted => {
                    waiting = true;
                    false
                }
                End::Fruitless => true,
                End::Empty(root) => {
                    if path.forks.is_empty() {
                        self.label_path(&path.cells, root);
                    }
                    true
                }
            };
            next = self.backtrack(path, nothing);
        }
        Err(if waiting { Drawn::Waiting } else { Drawn::Nothing })
    }

    /// Extends a path from a cell along its parents as far as possible.
    fn climb(&self, place: Place, exit: Face, need: Need, path: &mut Path) -> End {
        let (mut place, mut exit) = (place, exit);
        'layers: loop {
            let here = self.layer_of(place);
            let (slot, layer, mut cell) = (place.slot, place.layer(), place.cell());
            let first = layer * LAYER_CELLS;
            loop {
                let here_at = Place::in_layer(slot, layer, cell);
                if path.fruitless.as_ref().is_some_and(|fruitless| fruitless.contains(here_at)) {
                    return End::Fruitless;
                }
                if here.blocked.contains(cell) {
                    return End::Exhausted;
                }
                let voxel = here.voxel(cell);
                let left = self.limits.left(voxel, here.passed(cell));
                path.cells.push(PathCell { slot, index: (first + cell) as u16, exit, left });
                let tree = here.trees.map_or(0, |trees| trees[cell]);
                if matches!(tree, 0 | JOINED) && !voxel.has(CellFlags::EXTRA) {
                    if let Some((parent, heading)) = parent_beside(cell, voxel) {
                        (cell, exit) = (parent, heading);
                        continue;
                    }
                    if let Some((parent, heading)) = parent_above_or_below(first + cell, voxel) {
                        (place, exit) = (Place::new(slot, parent), heading);
                        continue 'layers;
                    }
                }
                place = Place::in_layer(slot, layer, cell);
                let mut parents = self.store.parents_in(place, voxel);
                let known = self.root_of(tree);
                if parents == 0 || known.is_some() {
                    let root = known.unwrap_or(place);
                    let offer = self.offer(root, need);
                    if offer == 0 {
                        return End::Empty(root);
                    }
                    if parents == 0 {
                        return End::Root(offer);
                    }
                }
                let Some(face) = self.pick(place, &mut parents) else { return End::Empty(place) };
                if parents != 0 {
                    path.forks.push(Fork {
                        length: path.cells.len(),
                        untried: parents,
                        nothing: false,
                    });
                }
                (place, exit) = (self.store.step(place, face), face.opposite());
                if (place.slot, place.layer()) != (slot, layer) {
                    break;
                }
                cell = place.cell();
            }
        }
    }

    /// Returns read access to the layer of a cell.
    #[inline]
    pub(crate) fn layer_of(&self, place: Place) -> Layer<'_> {
        let (slot, layer) = (place.slot, place.layer());
        let work = self.work.get(slot, layer);
        Layer {
            blocked: work.map_or(&LayerMask::NONE, |work| &work.blocked),
            flow: work.map(|work| &work.flow),
            trees: work.and_then(|work| work.trees.as_deref()),
            cells: self.store.cells(slot, layer),
            uniform: self.store.grid().chunk_at(slot).get(0),
        }
    }

    /// Backtracks from the end of a path to the last fork with an untried parent. `nothing` is
    /// whether the path ended at a root with nothing to give; otherwise it is exhausted, and the
    /// cells left behind are marked so. Returns that parent and the face it passes water across.
    fn backtrack(&mut self, path: &mut Path, nothing: bool) -> Option<(Place, Face)> {
        let mut nothing = nothing;
        loop {
            let length = path.forks.last().map_or(0, |fork| fork.length);
            if !nothing {
                self.block(&path.cells[length..]);
            }
            path.cells.truncate(length);
            let fork = path.forks.last_mut()?;
            fork.nothing |= nothing;
            let at = path.cells[length - 1].place();
            if let Some(face) = self.pick(at, &mut fork.untried) {
                return Some((self.store.step(at, face), face.opposite()));
            }
            nothing = fork.nothing;
            path.forks.pop();
            if nothing {
                path.fruitless.get_or_insert_default().insert(at);
            }
        }
    }

    /// Moves water from the root at the path's end to the path's start, and updates the bottlenecks
    /// of its cells.
    fn pass_along(&mut self, path: &[PathCell], wanted: u8, offer: u8) -> Drawn {
        let Some(root) = path.last() else { return Drawn::Nothing };
        let largest = path.iter().fold(offer, |largest, here| largest.min(here.left));
        let units = wanted.min(largest);
        self.take(root.place(), units);
        for stretch in path.chunk_by(|one, next| one.layer() == next.layer()) {
            self.record_flow(stretch, units);
        }
        let mut bottleneck = offer;
        for stretch in path.chunk_by(|one, next| one.slot == next.slot).rev() {
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
        self.report.moved += u64::from(units) * path.len() as u64;
        Drawn::Units { units, largest }
    }

    /// Records the flow of `units` along the part of a path in one layer of one chunk, and which of
    /// its cells are exhausted by that. Saves their state before the tick first.
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
        let mut spent = false;
        for here in path {
            spent |= work.pass_on(here.cell(), here.exit, units, here.left);
        }
        self.work.trees.spent |= spent;
    }

    /// Labels the cells of a path with their only root.
    fn label_path(&mut self, path: &[PathCell], root: Place) {
        self.work.trees.roots.push(root);
        let tree = self.work.trees.roots.len() as u32;
        for here in path {
            self.label(here.place(), tree);
        }
    }

    /// Marks the cells of a path as exhausted.
    fn block(&mut self, path: &[PathCell]) {
        for here in path {
            let place = here.place();
            self.work.join(self.store, place.slot, place.layer()).blocked.insert(place.cell());
        }
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
        let random =
            mix(Purpose::Parent.seed(layer_seed), place.index as u64 | u64::from(count) << 16)
                >> 32;
        let mut left = faces;
        for _ in 0..(random * u64::from(count)) >> 32 {
            left &= left - 1;
        }
        left.trailing_zeros()
    }
}

#[cfg(test)]
mod tests;
