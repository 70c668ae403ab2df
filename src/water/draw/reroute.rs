//! Paths for later ticks. A film whose path is exhausted while a spring of its flow is idle gets a
//! shortest path from that spring (breadth-first search); each cell of that path then has the
//! previous one as its only parent. A winding path can exhaust a cell in each lane of a river and
//! so bar all lanes to other paths; in time, shortest paths straighten the flow. No water moves in
//! a search.

use crate::coords::Face;
use crate::water::ebb::reach::spring_height_over;
use crate::water::scratch::Tick;
use crate::water::scratch::place_set::PlaceSet;
use crate::water::steady::network::carries;
use crate::water::store::Place;
use crate::water::store::links::descendants;

/// The period of the searches, in ticks.
const PERIOD: u64 = 4;

/// The searches of a tick. They share the set of visited cells: a search from another cell of the
/// same flow would find no other spring.
#[derive(Default)]
pub(super) struct Search {
    met: PlaceSet,
    /// The cells fed by the paths that were found. They now draw from another spring.
    refed: PlaceSet,
    /// The cells visited by the search underway, each with the number of the cell to which it
    /// passes water on, and the face across which the water passes.
    open: Vec<(Place, u32, Face)>,
}

impl Search {
    pub(super) fn shrink(&mut self, most: usize) {
        self.met.shrink(most);
        self.refed.shrink(most);
        self.open.clear();
        self.open.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.met.memory_bytes()
            + self.refed.memory_bytes()
            + self.open.capacity() * size_of::<(Place, u32, Face)>()
    }
}

/// Returns whether this tick searches for paths. None does if springs give nothing: there, a cell
/// below a spring may sleep, so whether the cell searched for a path would depend on what woke it.
pub(super) fn is_search_tick(tick: &Tick) -> bool {
    tick.tick % PERIOD == 1 && tick.limits.supply.min(tick.limits.throughput) > 0
}

/// Searches for the nearest idle spring of a cell's flow, and makes the shortest path from that
/// spring the cell's path. Returns the number of cells visited.
pub(super) fn reroute(tick: &mut Tick, search: &mut Search, cell: Place) -> usize {
    search.open.clear();
    if search.refed.contains(cell) {
        return 0;
    }
    // A cell that is higher than its own spring gets no water from it, and may sleep. It gets no
    // path when it is awake either.
    let is_below_spring = spring_height_over(tick.store, cell)
        .0
        .is_some_and(|height| height >= tick.store.position(cell).y);
    if !is_below_spring || !search.met.insert(cell) {
        return 0;
    }
    search.open.push((cell, 0, Face::Down));
    let turn = (tick.scratch.seed(tick.store, cell.layer_id()) % 6) as usize;
    let mut at = 0;
    while at < search.open.len() {
        let place = search.open[at].0;
        if tick.store.read(place).is_source() {
            if tick.passed(place) == 0 && may_take_way(tick, search, at) {
                take_way(tick, search, at);
                break;
            }
            // No spring has parents.
            at += 1;
            continue;
        }
        for face in (0..6).map(|face| Face::ALL[(face + turn) % 6]) {
            let exit = face.opposite();
            if let Some(there) = tick.store.across(place, face)
                && !search.met.contains(there)
                && carries(tick.store, there, exit, place)
            {
                search.met.insert(there);
                search.open.push((there, at as u32, exit));
            }
        }
        at += 1;
    }
    search.open.len()
}

/// Returns whether the spring with the number `from` is high enough: at least as high as all cells
/// of the path from it, higher than the cells into which water rises, and at least as high as the
/// springs that have fed the cells of the path so far. Cells fed through this path are no higher
/// than the springs that have fed it so far.
fn may_take_way(tick: &Tick, search: &Search, from: usize) -> bool {
    let most = tick.store.position(search.open[from].0).y;
    let mut at = from;
    while at > 0 {
        let (_, next, exit) = search.open[at];
        at = next as usize;
        let place = search.open[at].0;
        // A cell that was already fed by the previous cell of the path has the same spring.
        let is_fed_so = tick.store.read(place).parent_face() == Some(exit.opposite());
        let fed_from = (!is_fed_so).then(|| spring_height_over(tick.store, place).0).flatten();
        let is_higher = |height: i32| height > most;
        let y = tick.store.position(place).y;
        let is_above = if exit == Face::Up { y >= most } else { is_higher(y) };
        if is_above || fed_from.is_some_and(is_higher) {
            return false;
        }
    }
    true
}

/// Makes each cell of the path from the spring with the number `from` the only parent of the next
/// cell. Wakes the cells that the path feeds, since their spring may be higher than before.
fn take_way(tick: &mut Tick, search: &mut Search, from: usize) {
    let mut at = from;
    while at > 0 {
        let (_, next, exit) = search.open[at];
        at = next as usize;
        let place = search.open[at].0;
        let voxel = tick.store.read(place);
        tick.put(place, voxel);
        let voxel = tick.store.keep_parents(place, 0, voxel);
        tick.put(place, voxel.with_parent(exit.opposite()));
    }
    for place in descendants(tick.store, &[search.open[from].0]) {
        search.refed.insert(place);
        tick.wake_cell(place);
    }
}
