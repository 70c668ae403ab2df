//! Ways for later ticks: a film whose path is exhausted while a spring of its flow is idle gets a
//! shortest way from that spring (breadth-first search), whose cells then have each other as their
//! only parents. A winding path can exhaust a cell in each lane of a river and so bar the others;
//! in time, shortest ways straighten it. No water moves.

use crate::coords::Face;
use crate::water::context::Tick;
use crate::water::store::Place;
use hashbrown::HashSet;

/// Ticks from one in which ways are searched to the next.
const PERIOD: u64 = 4;

/// The searches of a tick, which share what they have met: that of a cell of the same flow would
/// find no other spring.
#[derive(Default)]
pub(super) struct Search {
    met: HashSet<Place>,
    /// The cells fed by the ways that were taken: the spring that they draw from is another now.
    refed: HashSet<Place>,
    /// The cells met by the search underway, each with the number of the one that it passes water
    /// on to, and the face across which it does.
    open: Vec<(Place, u32, Face)>,
}

impl Search {
    pub(super) fn shrink(&mut self, most: usize) {
        self.met.clear();
        self.met.shrink_to(most);
        self.refed.clear();
        self.refed.shrink_to(most);
        self.open.clear();
        self.open.shrink_to(most);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        (self.met.capacity() + self.refed.capacity()) * (size_of::<Place>() + 1)
            + self.open.capacity() * size_of::<(Place, u32, Face)>()
    }
}

impl Tick<'_> {
    /// Returns whether ways are searched in this tick. Where no spring of the world is idle, none
    /// would be found.
    pub(super) fn may_reroute(&self) -> bool {
        let per_spring = u64::from(self.limits.supply.min(self.limits.throughput));
        let given = self.ledger.injected - self.scratch.ledger_before.injected;
        let all = self.store.source_count() as u64 * per_spring;
        self.tick % PERIOD == 1 && given + per_spring <= all
    }

    /// Searches the nearest idle spring of a cell's flow, and makes the way from there its path.
    /// Returns the cells visited.
    pub(super) fn reroute(&mut self, search: &mut Search, cell: Place) -> usize {
        search.open.clear();
        if search.refed.contains(&cell) {
            return 0;
        }
        // What its own spring could not fill does not draw while it sleeps.
        let is_below_spring = self
            .store
            .spring_height_over(cell)
            .0
            .is_some_and(|height| height >= self.store.position(cell).y);
        if !is_below_spring || !search.met.insert(cell) {
            return 0;
        }
        search.open.push((cell, 0, Face::Down));
        let turn = (self.scratch.seed(self.store, cell.layer_id()) % 6) as usize;
        let mut at = 0;
        while at < search.open.len() {
            let place = search.open[at].0;
            if self.store.read(place).is_source() {
                if self.passed(place) == 0 && self.may_take_way(search, at) {
                    self.take_way(search, at);
                    break;
                }
                // No spring has parents.
                at += 1;
                continue;
            }
            for face in (0..6).map(|face| Face::ALL[(face + turn) % 6]) {
                let there = self.store.step(place, face);
                let exit = face.opposite();
                if there.is_some()
                    && self.store.carries(there, exit, place)
                    && search.met.insert(there)
                {
                    search.open.push((there, at as u32, exit));
                }
            }
            at += 1;
        }
        search.open.len()
    }

    /// Returns whether a spring, the cell of this number, lies as high as all cells of the way from
    /// it, higher than those into which water rises, and as high as the springs that fed them: what
    /// hangs on these cells lies no higher than those.
    fn may_take_way(&self, search: &Search, from: usize) -> bool {
        let most = self.store.position(search.open[from].0).y;
        let mut at = from;
        while at > 0 {
            let (_, next, exit) = search.open[at];
            at = next as usize;
            let place = search.open[at].0;
            // A cell that was fed along the way is fed by what feeds the one before it.
            let is_fed_so = self.store.read(place).parent_face() == Some(exit.opposite());
            let fed_from = (!is_fed_so).then(|| self.store.spring_height_over(place).0).flatten();
            let is_higher = |height: i32| height > most;
            let rises_to = self.store.position(place).y + i32::from(exit == Face::Up);
            if is_higher(rises_to) || fed_from.is_some_and(is_higher) {
                return false;
            }
        }
        true
    }

    /// Makes each cell of the way from a spring, the cell of this number, the only parent of the
    /// next. Wakes what the way feeds: it may be of a higher spring than before.
    fn take_way(&mut self, search: &mut Search, from: usize) {
        let mut at = from;
        while at > 0 {
            let (_, next, exit) = search.open[at];
            at = next as usize;
            let place = search.open[at].0;
            let voxel = self.store.read(place);
            self.put(place, voxel);
            let voxel = self.store.keep_parents(place, 0, voxel);
            self.put(place, voxel.with_parent(exit.opposite()));
        }
        for place in self.store.descendants(&[search.open[from].0]) {
            search.refed.insert(place);
            self.wake_cell(place);
        }
    }
}
