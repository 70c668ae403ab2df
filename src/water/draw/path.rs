//! Paths: a depth-first search from a cell along its parents to the root of its flow, and a draw
//! from there of what the path lets through.
//!
//! Directions do not change before the tick's ebb, so the parents form one forest for the whole
//! tick. Three things keep its cost about the number of cells, however long the paths are: which
//! tree a cell belongs to is looked up once; a way found exhausted is marked down to where the
//! search began, and no later search passes a mark; and what a head gives in a tick is bounded, so
//! only so many searches can succeed.

use crate::chunk::LayerMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::context::layer_record::passed;
use crate::water::context::trees::{Fork, Path, PathCell};
use crate::water::draw::roots::{JOINED, Need};
use crate::water::random::{Purpose, mix};
use crate::water::store::{LAYER_CELLS, Place};
use crate::water::voxel::Voxel;

/// Cells from which on the part of a path that lies in one layer is long.
const LONG_PART: usize = 8;

/// Where a stretch of a path ended.
enum End {
    /// At a root that offers so much.
    Root(u8),
    /// Before a cell whose ways are all exhausted.
    Exhausted,
    /// Before a cell that was met before and leads to heads with nothing to give.
    Fruitless,
    /// At a cell whose head, this one, has nothing to give.
    Empty(Place),
}

/// One layer as a path passes through it.
pub(crate) struct Layer<'t> {
    blocked: &'t LayerMask,
    flow: Option<&'t [u16; LAYER_CELLS]>,
    trees: Option<&'t [u32; LAYER_CELLS]>,
    /// Its cells, if they are stored one by one; else all are `uniform`.
    cells: Option<&'t [Voxel; LAYER_CELLS]>,
    uniform: Voxel,
}

impl Layer<'_> {
    #[inline]
    pub(crate) fn voxel(&self, cell: usize) -> Voxel {
        self.cells.map_or(self.uniform, |cells| cells[cell])
    }

    /// Units that a cell has passed on.
    #[inline]
    pub(crate) fn passed(&self, cell: usize) -> u8 {
        self.flow.map_or(0, |flow| passed(flow[cell]))
    }
}

/// The parent of a cell of a layer, and the face that it passes water on across, if its first
/// parent lies beside it in the layer.
#[inline]
pub(crate) fn parent_beside(cell: usize, voxel: Voxel) -> Option<(usize, Face)> {
    // The parent lies against the flow.
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

/// The parent of a cell of a chunk, and the face that it passes water on across, if its first
/// parent lies above or below it in the chunk.
#[inline]
fn parent_upright(index: usize, voxel: Voxel) -> Option<(usize, Face)> {
    let heading = voxel.direction()?;
    let parent = match heading {
        Face::Down if index < CHUNK_CELLS - LAYER_CELLS => index + LAYER_CELLS,
        Face::Up if index >= LAYER_CELLS => index - LAYER_CELLS,
        _ => return None,
    };
    Some((parent, heading))
}

/// What came of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Units that reached the end of the path, 1 to 7, and the path's bottleneck.
    Units { units: u8, largest: u8 },
    /// The head has water, but the way is exhausted for this tick.
    Waiting,
    /// The head has nothing to give.
    Nothing,
}

impl Context<'_> {
    /// Draws up to `wanted` units along the parents of `first`, which passes them on across `exit`.
    /// The caller sees to where they go.
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

    /// The path to a head that offers something, or why there is none. Where flows join, the
    /// parents are tried in random order.
    ///
    /// A cell all of whose ways are exhausted is marked so. A path to one head that has nothing to
    /// give is remembered with its head, so that who comes after asks that at once.
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
                End::Empty(head) => {
                    if path.forks.is_empty() {
                        self.remember(&path.cells, head);
                    }
                    true
                }
            };
            next = self.back_up(path, nothing);
        }
        Err(if waiting { Drawn::Waiting } else { Drawn::Nothing })
    }

    /// Follows the parents from a cell up until that ends.
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
                    if let Some((parent, heading)) = parent_upright(first + cell, voxel) {
                        (place, exit) = (Place::new(slot, parent), heading);
                        continue 'layers;
                    }
                }
                place = Place::in_layer(slot, layer, cell);
                let mut parents = self.store.parents_in(place, voxel);
                let known = self.root_of(tree);
                if parents == 0 || known.is_some() {
                    let head = known.unwrap_or(place);
                    let offer = self.offer(head, need);
                    if offer == 0 {
                        return End::Empty(head);
                    }
                    if parents == 0 {
                        return End::Root(offer);
                    }
                }
                let Some(face) = self.pick(place, &mut parents) else { return End::Empty(place) };
                if parents != 0 {
                    path.forks.push(Fork {
                        length: path.cells.len(),
                        ways: parents,
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

    /// Goes back along a path that ended, in a head with `nothing` or exhausted, to where another
    /// can be taken, and marks what is left behind if that is exhausted. Returns the next cell
    /// to try, with the face it would pass water on across.
    fn back_up(&mut self, path: &mut Path, nothing: bool) -> Option<(Place, Face)> {
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
            if let Some(face) = self.pick(at, &mut fork.ways) {
                return Some((self.store.step(at, face), face.opposite()));
            }
            nothing = fork.nothing;
            path.forks.pop();
            if nothing {
                path.fruitless.get_or_insert_default().insert(at);
            }
        }
    }

    /// Takes water from the head at the path's end and lets it pass to the path's start; marks the
    /// path.
    fn pass_along(&mut self, path: &[PathCell], wanted: u8, offer: u8) -> Drawn {
        let Some(head) = path.last() else { return Drawn::Nothing };
        let largest = path.iter().fold(offer, |largest, here| largest.min(here.left));
        let units = wanted.min(largest);
        self.take(head.place(), units);
        for stretch in path.chunk_by(|one, next| one.layer() == next.layer()) {
            self.enter_flow(stretch, units);
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

    /// Keeps the part of a path that lies in one layer of one chunk as it is, and enters the units
    /// that pass along it. Notes which cells of it may not pass on any more.
    fn enter_flow(&mut self, path: &[PathCell], units: u8) {
        let (slot, layer) = path[0].layer();
        let work = self.work.join(self.store, slot, layer);
        // A long part is kept with all of its layer, without asking cell by cell.
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

    /// Remembers the one head of the cells of a path.
    fn remember(&mut self, path: &[PathCell], head: Place) {
        self.work.trees.roots.push(head);
        let tree = self.work.trees.roots.len() as u32;
        for here in path {
            self.label(here.place(), tree);
        }
    }

    fn block(&mut self, path: &[PathCell]) {
        for here in path {
            let place = here.place();
            self.work.join(self.store, place.slot, place.layer()).blocked.insert(place.cell());
        }
    }

    /// Takes one face out of a set of face bits, at random.
    #[inline]
    pub(crate) fn pick(&self, place: Place, ways: &mut u8) -> Option<Face> {
        let several = *ways & ways.wrapping_sub(1) != 0;
        let face = if several { self.pick_one_of(place, *ways) } else { ways.trailing_zeros() };
        *ways &= !(1u32 << face) as u8;
        Face::from_index(face as u8)
    }

    fn pick_one_of(&self, place: Place, ways: u8) -> u32 {
        let layer_seed = self.work.seed(self.store, place.slot, place.layer());
        let count = ways.count_ones();
        let random =
            mix(Purpose::Parent.seed(layer_seed), place.index as u64 | u64::from(count) << 16)
                >> 32;
        let mut left = ways;
        for _ in 0..(random * u64::from(count)) >> 32 {
            left &= left - 1;
        }
        left.trailing_zeros()
    }
}

#[cfg(test)]
mod tests;
