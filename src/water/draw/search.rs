//! A way round an exhausted path: breadth-first search for the nearest spring, from the end of the
//! path backwards over cells that are connected to a spring and have throughput left. The way found
//! becomes the parents of its cells, so later draws follow it at once. A search for later ticks
//! passes through exhausted cells and still water too, and moves no water.
//!
//! Throughput only shrinks within a tick, so what a search in vain has seen is dead for the rest of
//! it. Searches share a credit of cells in each tick, which the ways that water takes renew: the
//! cost stays in proportion to what flows.

use crate::coords::Face;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::draw::Draws;
use crate::water::draw::path::{Draw, PathCell, Purpose, SearchEnd};
use crate::water::random::{Purpose as RandomPurpose, mix};
use crate::water::store::Place;
use crate::water::voxel::Voxel;
use hashbrown::HashMap;

/// Cells at the end of a path from which a search begins.
const STARTS: usize = 256;

/// A search, and how far it has come.
#[derive(Default)]
pub(super) struct Search {
    /// Cells met, in this order, and the lowest y from which a spring can lift water over the way
    /// from each of them to the draw.
    met: Vec<(Place, i32)>,
    /// How many of them have been visited.
    visited: usize,
    /// How many of them have been marked as dead, after a search in vain.
    buried: usize,
    /// For each cell met, the face across which it would pass water on; `None` on the path that the
    /// search began from.
    exits: HashMap<Place, Option<Face>>,
    /// Whether a spring was met that lies too low.
    rejected: bool,
    /// Whether the search passes through exhausted cells: it then finds a way for later ticks.
    pub(super) is_for_later: bool,
    height: Height,
    /// The cells of the way found, from the spring on.
    way: Vec<PathCell>,
}

/// The height of the springs that may feed a draw.
///
/// Where springs lie at several heights, a search keeps to those of the height that the draw hangs
/// on, and to cells that hang on such springs. The ways it finds then change no cell's reach, and
/// cells out of reach may sleep.
#[derive(Clone, Copy, Default)]
enum Height {
    /// All springs are of one height.
    #[default]
    Any,
    /// That of the only root of this cell's flow, which is not known yet.
    OfRoot(Place),
    Is(i32),
}

impl Search {
    pub(super) fn shrink(&mut self, most: usize) {
        self.met.clear();
        self.met.shrink_to(most);
        self.exits.clear();
        self.exits.shrink_to(most);
        self.way.clear();
        self.way.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.met.capacity() * size_of::<(Place, i32)>()
            + self.exits.capacity() * size_of::<(Place, Option<Face>)>()
            + self.way.capacity() * size_of::<PathCell>()
    }

    fn meet(&mut self, place: Place, exit: Option<Face>, least: i32) {
        self.met.push((place, least));
        self.exits.insert(place, exit);
    }
}

impl Context<'_> {
    /// Begins a search from the end of an exhausted path. Returns whether there is any to make: the
    /// draw must be one of an outlet that is connected to a spring, and springs and searches must
    /// have something left. Searches for cells with room cost much and gain nothing: see
    /// `benches/decisions.md`.
    pub(super) fn begin_search(&mut self, draws: &mut Draws, draw: &Draw) -> bool {
        let is_outlet = matches!(draw.purpose, Purpose::Leave { .. });
        let is_connected = self.store.read(draw.cell).is_connected();
        let is_spent = draws.path.cells.is_empty();
        if !is_outlet
            || !is_connected
            || is_spent
            || draws.credit <= 0
            || self.springs_left(draws) == 0
        {
            return false;
        }
        self.reset_search(&mut draws.search, draw.cell);
        let search = &mut draws.search;
        for here in draws.path.cells.iter().rev().take(STARTS) {
            search.meet(here.place(), None, i32::MIN);
        }
        true
    }

    /// Begins a search for a way for later ticks, from a cell whose draw was in vain while springs
    /// had water left. A winding path can exhaust a cell in each lane of a river and so bar the
    /// others; in time, shortest ways straighten it.
    pub(super) fn begin_search_for_later(&mut self, draws: &mut Draws, place: Place) -> bool {
        if draws.credit <= 0 {
            return false;
        }
        self.reset_search(&mut draws.search, place);
        draws.search.is_for_later = true;
        draws.search.meet(place, None, i32::MIN);
        true
    }

    /// Forgets the last search, for one of a draw that hangs on the root of a cell.
    fn reset_search(&self, search: &mut Search, place: Place) {
        let is_one_height = self.store.lowest_source() == self.store.highest_source();
        search.height = if is_one_height { Height::Any } else { Height::OfRoot(place) };
        search.met.clear();
        search.exits.clear();
        search.way.clear();
        (search.visited, search.buried, search.rejected) = (0, 0, false);
        search.is_for_later = false;
    }

    /// Resumes a search. Returns its end, or `None` if the budget is spent before that.
    pub(super) fn search_on(
        &mut self,
        draws: &mut Draws,
        draw: &Draw,
        budget: &mut Budget,
    ) -> Option<SearchEnd> {
        if let Height::OfRoot(place) = draws.search.height {
            let Some(height) = self.height_of_root(place, budget)? else {
                return Some(SearchEnd::Refused);
            };
            draws.search.height = Height::Is(height);
        }
        while let Some(&(place, least)) = draws.search.met.get(draws.search.visited) {
            if draws.credit <= 0 {
                return Some(SearchEnd::Nothing);
            }
            if !budget.spend(1) {
                return None;
            }
            let spring = self.search_around(draws, draw, (place, least), budget)?;
            draws.search.visited += 1;
            draws.credit -= 1;
            if let Some(spring) = spring {
                return Some(SearchEnd::Spring(spring));
            }
        }
        if !draws.search.rejected && !draws.search.is_for_later {
            while let Some(&(place, _)) = draws.search.met.get(draws.search.buried) {
                if !budget.spend(1) {
                    return None;
                }
                draws.search.buried += 1;
                self.bury_cell(place);
            }
        }
        Some(SearchEnd::Nothing)
    }

    /// Meets the neighbours that could feed a cell, sides in random order, then above, then below.
    /// Returns a spring among them that can feed the draw, if any; `None` if the budget is spent.
    /// Then it may be called again: those met stay so.
    fn search_around(
        &mut self,
        draws: &mut Draws,
        draw: &Draw,
        (place, least): (Place, i32),
        budget: &mut Budget,
    ) -> Option<Option<Place>> {
        let layer_seed = self.work.seed(self.store, place.slot, place.layer());
        let turn = (mix(RandomPurpose::Search.seed(layer_seed), place.index as u64) >> 62) as usize;
        let sides = (0..4).map(|side| Face::LATERAL[side ^ turn]);
        for face in sides.chain([Face::Up, Face::Down]) {
            let there = self.store.step(place, face);
            if !there.is_some() || draws.search.exits.contains_key(&there) {
                continue;
            }
            let voxel = self.store.read(there);
            if !self.can_feed(draws, draw, (there, voxel), face, budget)? {
                continue;
            }
            // Water rises into a cell only from a full one, and only below the spring's height.
            let least = if face == Face::Down {
                least.max(self.store.position(place).y + 1)
            } else {
                least
            };
            if !voxel.has(CellFlags::IS_SOURCE) {
                draws.search.meet(there, Some(face.opposite()), least);
                continue;
            }
            let y = self.store.position(there).y;
            if y < least || self.offer(there, draw.need) == 0 {
                draws.search.rejected = true;
                continue;
            }
            draws.search.exits.insert(there, Some(face.opposite()));
            return Some(Some(there));
        }
        Some(None)
    }

    /// Whether a way of the search may lead through a cell, which lies across `face` from the next
    /// cell of the way. Returns `None` if the budget is spent.
    fn can_feed(
        &mut self,
        draws: &Draws,
        draw: &Draw,
        (place, voxel): (Place, Voxel),
        face: Face,
        budget: &mut Budget,
    ) -> Option<bool> {
        if voxel.is_mark()
            || !(voxel.is_connected() || draws.search.is_for_later && voxel.is_wet())
            || face == Face::Down && voxel.height() < FULL
            || self.is_other_outlet(draw, place)
        {
            return Some(false);
        }
        let work = self.work.get(place.slot, place.layer());
        let is_dead = work.is_some_and(|work| work.dead.contains(place.cell()));
        let is_spent = is_dead || self.limits.left(voxel, self.work.passed(place)) == 0;
        if is_spent && !draws.search.is_for_later {
            return Some(false);
        }
        // What hangs in the air falls, and does not flow sideways.
        if face.is_lateral()
            && !voxel.has(CellFlags::IS_SOURCE)
            && !self.store.floor(place).is_closed()
        {
            return Some(false);
        }
        match draws.search.height {
            Height::Is(height) => Some(self.height_of_root(place, budget)? == Some(height)),
            Height::Any | Height::OfRoot(_) => Some(true),
        }
    }

    /// Returns the height of the only root of a cell's flow, if no flows join above it; `None` if
    /// the budget is spent.
    fn height_of_root(&mut self, place: Place, budget: &mut Budget) -> Option<Option<i32>> {
        let tree = self.tree_of(place, budget)?;
        Some(self.root_of(tree).map(|root| self.store.position(root).y))
    }

    /// Makes the next cells of the way that a search has found the path, from the spring on: each
    /// becomes the only parent of the cell that it passes water on to. Returns the next cell, or
    /// `None` if the way has reached the path that the search began from.
    pub(super) fn reroute_on(
        &mut self,
        draws: &mut Draws,
        place: Place,
        budget: &mut Budget,
    ) -> Option<Place> {
        let mut place = place;
        while budget.spend(1) {
            let exit = draws.search.exits.get(&place).copied().flatten();
            let Some(exit) = exit else {
                // It is one of the last cells: see `STARTS`.
                let begun = draws.path.cells.iter().rposition(|here| here.place() == place);
                draws.path.cells.truncate(begun.map_or(0, |at| at + 1));
                draws.path.cells.extend(draws.search.way.drain(..).rev());
                return None;
            };
            let left = self.limits.left(self.store.read(place), self.work.passed(place));
            draws.search.way.push(PathCell::new(place, exit, left));
            let child = self.store.step(place, exit);
            self.set_only_parent(child, exit.opposite());
            place = child;
        }
        Some(place)
    }

    /// Makes the neighbour across `face` the only parent of a cell.
    fn set_only_parent(&mut self, place: Place, face: Face) {
        let voxel = self.store.read(place);
        if self.store.parents_in(place, voxel) == 1 << face.index() {
            return;
        }
        let work = self.work.join(self.store, place.slot, place.layer());
        work.save_cell(self.store, place.slot, place.layer(), place.cell());
        if !voxel.is_connected() {
            // The ebb finds that it is connected now.
            self.work.ties_changed = true;
            self.wake_cell(place);
        }
        let voxel = self.store.keep_parents(place, 0, voxel).with_parent(face);
        self.put_marks(place, voxel);
    }
}
