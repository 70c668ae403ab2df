//! The cells that draw from a body: a scan over its pieces by bit mask, then a selection of the
//! lowest (top *k* by sorting).
//!
//! Bodies with an awake or touched cell are found in each tick, by the flood fill of `body`.
//! Nothing about them is kept between ticks.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::FULL;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::draw::roots::Forks;
use crate::water::pools::Pools;
use crate::water::pools::body::Piece;
use crate::water::random::{Purpose, mix};
use crate::water::store::{LAYER_ROWS, LayerState, Place, head};
use crate::water::voxel::Voxel;

/// A cell that draws: its head, a random tie-breaker, and its place.
pub(crate) type Drawer = (i64, u64, Place);

/// A resumable scan for the cells that may draw from a body: partly full cells that did not move in
/// this tick, and dry cells beside or above cells that did not.
pub(crate) struct Gathering {
    /// Highest head that a drawer may have.
    highest: i64,
    /// Number of cells that may draw: the first in sorted order.
    limit: usize,
    /// Number of pieces scanned.
    scanned: usize,
    /// Valid during the whole scan, since no parents change before it ends.
    forks: Forks,
    /// Cells of the current piece whose springs were searched for.
    lookups: usize,
    drawers: Vec<Drawer>,
    /// Whether cells were dropped because of the limit.
    has_more: bool,
}

impl Gathering {
    /// Begins a scan for at most `limit` cells whose heads are at most `highest`.
    pub(crate) fn new(highest: i64, limit: usize) -> Self {
        Gathering {
            highest,
            limit,
            scanned: 0,
            forks: Forks::default(),
            lookups: 0,
            drawers: Vec::new(),
            has_more: false,
        }
    }

    /// Adds a cell, which may be a duplicate: a dry cell may lie next to several pieces.
    fn add(&mut self, drawer: Drawer) {
        if self.drawers.len() >= self.limit.saturating_mul(4) {
            self.prune();
        }
        self.drawers.push(drawer);
    }

    /// Sorts the drawers and drops duplicates and those beyond the limit.
    fn prune(&mut self) {
        self.drawers.sort_unstable();
        self.drawers.dedup();
        if self.drawers.len() > self.limit {
            self.has_more = true;
            self.drawers.truncate(self.limit);
            self.highest = self.drawers.last().map_or(self.highest, |&(head, ..)| head);
        }
    }

    /// Returns the drawers in order, and whether others were dropped.
    pub(crate) fn into_drawers(mut self) -> (Vec<Drawer>, bool) {
        self.prune();
        (self.drawers, self.has_more)
    }
}

impl Context<'_> {
    /// Begins to find the bodies of the awake and touched cells of a layer, except for those found
    /// already. Returns the cells charged: the awake and touched ones, and those of the flood fill.
    pub(crate) fn begin_flood(&mut self, pools: &mut Pools, slot: Slot, layer: usize) -> u64 {
        let wet = self.store.layer(slot, layer).wet;
        let touched = self.touched(slot, layer);
        let seeds = (self.awake(slot, layer) | touched) & wet;
        let count = seeds.count() as usize;
        if count == 0 {
            return 0;
        }
        let seeds = seeds - pools.flooded.cells(self.store, slot, layer);
        let mut budget = Budget::of_a_piece();
        budget.spend(count);
        self.flood(pools, Piece { slot, layer, cells: seeds }, &mut budget);
        budget.spent()
    }

    /// Resumes the unfinished search for the bodies of a layer. Returns the cells charged; `None`
    /// if no search is unfinished.
    pub(crate) fn resume_flood(&mut self, pools: &mut Pools) -> Option<u64> {
        let (seeds, mut budget) = (pools.seeds.take()?, Budget::of_a_piece());
        self.flood(pools, seeds, &mut budget);
        Some(budget.spent())
    }

    /// Finds the bodies of the cells in `seeds`. If the budget is spent before, keeps the remaining
    /// seeds for [`resume_flood`](Self::resume_flood).
    fn flood(&mut self, pools: &mut Pools, mut seeds: Piece, budget: &mut Budget) {
        let Piece { slot, layer, .. } = seeds;
        loop {
            if !pools.flooded.is_growing() {
                let Some(cell) = seeds.cells.iter().next() else { break };
                let seed = LayerMask::single(cell);
                pools.flooded.begin_body(Piece { cells: seed, ..seeds });
            }
            let Some(body) = pools.flooded.grow(self.store, budget) else {
                pools.seeds = Some(seeds);
                break;
            };
            pools.bodies.push(body);
            seeds.cells -= pools.flooded.cells(self.store, slot, layer);
        }
    }

    /// Resumes the scan of a body for drawers. Returns whether it is complete; if not, the budget
    /// is spent.
    pub(crate) fn gather(
        &mut self,
        body: &[Piece],
        gathering: &mut Gathering,
        budget: &mut Budget,
    ) -> bool {
        while let Some(piece) = body.get(gathering.scanned) {
            if !budget.spend(LAYER_ROWS) {
                return false;
            }
            self.gather_from(piece, gathering);
            budget.spend(core::mem::take(&mut gathering.lookups));
            gathering.scanned += 1;
        }
        true
    }

    /// Adds the cells of a piece that may draw, and the dry cells beside and above it that may.
    fn gather_from(&mut self, piece: &Piece, gathering: &mut Gathering) {
        let &Piece { slot, layer, cells } = piece;
        let y = self.layer_height(piece);
        let highest = gathering.highest;
        let Some(is_low) = at_most(highest - head(y, 0)) else { return };
        let closed = self.store.layer(slot, layer).closed;
        let unmoved = cells - self.touched(slot, layer);
        if unmoved.is_empty() {
            return;
        }
        // Cells above draw only if they lie low enough. Testing that first avoids searches for
        // the springs that feed the cells below them.
        let above =
            self.store.upper_layer(slot, layer).filter(|_| head(y.saturating_add(1), 0) <= highest);
        let tops =
            above.map_or(LayerMask::NONE, |(slot, layer)| unmoved & closed & self.dry(slot, layer));
        let beside = Face::LATERAL.map(|face| self.store.neighbour(slot, face));
        let dry_beside =
            beside.map(|slot| if slot.is_some() { self.dry(slot, layer) } else { LayerMask::NONE });
        let dry = self.dry(slot, layer);
        // Fast path for the middle of a lake: no dry cell near, and the water too high to draw.
        let may_have_shore = (dry | tops | LayerMask::union(dry_beside)).any();
        let may_draw =
            may_have_shore || (unmoved - closed).any() && self.store.has(slot, layer, is_low);
        if !may_draw {
            return;
        }
        let [west, east, north, south] = dry.shifted(&dry_beside);
        let shore = unmoved & (west | east | north | south);
        let candidates = (unmoved - closed) | shore | tops;
        if candidates.is_empty() {
            return;
        }
        // A spring lifts water at most to the cell below its own level, so a cell above takes a
        // spring two levels higher than the piece.
        let tops = tops - self.supplied(slot, layer, tops, y.saturating_add(2), gathering);
        let candidates = candidates - self.supplied(slot, layer, candidates, y, gathering);
        self.add_drawers(gathering, slot, layer, candidates - closed);
        self.add_drawers(gathering, slot, layer, candidates.spread() & dry);
        for ((there, dry), cells) in beside.into_iter().zip(dry_beside).zip(candidates.leaving()) {
            self.add_drawers(gathering, there, layer, cells & dry);
        }
        if let Some((slot, layer)) = above {
            self.add_drawers(gathering, slot, layer, tops);
        }
    }

    /// Returns the cells of a layer that are open and without water.
    fn dry(&self, slot: Slot, layer: usize) -> LayerMask {
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        !(wet | closed)
    }

    /// Adds those of these cells whose heads are low enough.
    fn add_drawers(
        &mut self,
        gathering: &mut Gathering,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
    ) {
        if cells.is_empty() {
            return;
        }
        let y = self.store.grid().position_at(slot).y * 16 + layer as i32;
        let Some(is_low) = at_most(gathering.highest - head(y, 0)) else { return };
        if !self.store.has(slot, layer, is_low) {
            return;
        }
        let cells = cells & self.store.select(slot, layer, is_low);
        let seed = Purpose::Pool.seed(self.work.seed(self.store, slot, layer));
        for cell in cells.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            if !voxel.is_mark() {
                gathering.add((head(y, voxel.height()), mix(seed, cell as u64), place));
            }
        }
    }

    /// Returns the cells that a spring at `y` or higher feeds. They draw along their paths and not
    /// from the pool.
    fn supplied(
        &mut self,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
        y: i32,
        gathering: &mut Gathering,
    ) -> LayerMask {
        let connected = cells & self.store.connected(slot, layer);
        if self.store.lowest_source().is_none_or(|lowest| lowest >= y) {
            return connected;
        }
        let mut supplied = connected;
        for cell in connected.iter() {
            gathering.lookups += 1;
            if self.is_out_of_reach(Place::in_layer(slot, layer, cell), y, &mut gathering.forks) {
                supplied.remove(cell);
            }
        }
        supplied
    }

    /// Keeps a body awake for the next tick: wakes the water around a drawer and, if it is wet, the
    /// drawer.
    pub(crate) fn wake_neighbourhood(&mut self, place: Place) {
        for face in Face::ALL {
            let there = self.store.step(place, face);
            if there.is_some() && self.store.read(there).is_wet() {
                self.wake_cell(there);
            }
        }
        if self.store.read(place).is_wet() {
            self.wake_cell(place);
        }
    }
}

/// Returns a predicate for voxels of at most this many units (dry and solid ones included); `None`
/// if the number is negative.
fn at_most(units: i64) -> Option<impl Fn(Voxel) -> bool + Copy> {
    let limit = u8::try_from(units.min(i64::from(FULL))).ok()?;
    Some(move |voxel: Voxel| voxel.height() <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::context::test_worlds;
    use crate::water::{Rules, WaterWorld};
    use core::ops::Range;
    use glam::IVec3;
    use hashbrown::HashSet;

    /// Reference: the drawers of a body, cell by cell.
    fn drawers_one_by_one(
        tick: &mut Context,
        body: &[Piece],
        highest: i64,
    ) -> HashSet<(i64, Place)> {
        let mut drawers = HashSet::new();
        let of_piece = |piece: &Piece| {
            let Piece { slot, layer, .. } = *piece;
            piece.cells.iter().map(move |cell| Place::in_layer(slot, layer, cell))
        };
        for place in body.iter().flat_map(of_piece) {
            let (layer, cell) = (place.layer(), place.cell());
            if tick.work.get(place.slot, layer).is_some_and(|work| work.touched.contains(cell)) {
                continue;
            }
            let (voxel, y) = (tick.store.read(place), tick.height_of(place));
            let mut is_supplied = |level: i32| {
                voxel.is_connected() && !tick.is_out_of_reach(place, level, &mut Forks::default())
            };
            let (by_own, by_higher) = (is_supplied(y), is_supplied(y + 2));
            let mut add = |place: Place, head: i64| {
                if head <= highest {
                    drawers.insert((head, place));
                }
            };
            let is_dry = |tick: &Context, place: Place| {
                let is_open =
                    |voxel: Voxel| !voxel.is_wet() && !voxel.is_closed() && !voxel.is_mark();
                place.is_some() && is_open(tick.store.read(place))
            };
            if !by_own {
                if voxel.height() < FULL {
                    add(place, head(y, voxel.height()));
                }
                for face in Face::LATERAL {
                    let there = tick.store.step(place, face);
                    if is_dry(tick, there) {
                        add(there, head(y, 0));
                    }
                }
            }
            let above = tick.store.step(place, Face::Up);
            if voxel.height() == FULL && !by_higher && is_dry(tick, above) {
                add(above, head(y + 1, 0));
            }
        }
        drawers
    }

    /// Compares the drawers of all bodies of a world with the reference, for each of `heads` as the
    /// highest head. Returns the numbers of wet and dry drawers, and of scans without any.
    fn compare_drawers(world: &mut WaterWorld, heads: Range<i64>) -> [usize; 3] {
        let slots = world.store.grid().sorted_slots();
        let mut tick = test_worlds::tick(world);
        let mut pools = Pools::begun(tick.store);
        for (slot, layer) in
            slots.into_iter().flat_map(|slot| (0..16).map(move |layer| (slot, layer)))
        {
            pools.find(&mut tick, slot, layer);
        }
        let [mut wet, mut dry, mut none] = [0; 3];
        for body in core::mem::take(&mut pools.bodies) {
            for highest in heads.clone() {
                let expected = drawers_one_by_one(&mut tick, &body.pieces, highest);
                let mut gathering = Gathering::new(highest, usize::MAX);
                while !tick.gather(&body.pieces, &mut gathering, &mut Budget::new(20)) {}
                let (found, has_more) = gathering.into_drawers();
                assert!(found.is_sorted() && !has_more, "up to {highest}");
                // A limit keeps the first of them.
                for limit in [1, 3, 20] {
                    let mut gathering = Gathering::new(highest, limit);
                    while !tick.gather(&body.pieces, &mut gathering, &mut Budget::new(20)) {}
                    let first = (found[..limit.min(found.len())].to_vec(), found.len() > limit);
                    assert_eq!(gathering.into_drawers(), first, "up to {highest}, {limit} of them");
                }
                let places: HashSet<(i64, Place)> =
                    found.iter().map(|&(head, _, place)| (head, place)).collect();
                assert_eq!((places.len(), &places), (found.len(), &expected), "up to {highest}");
                let are_wet =
                    found.iter().filter(|drawer| tick.store.read(drawer.2).is_wet()).count();
                (wet, dry, none) = (
                    wet + are_wet,
                    dry + found.len() - are_wet,
                    none + usize::from(found.is_empty()),
                );
            }
        }
        [wet, dry, none]
    }

    #[test]
    fn drawers_are_those_found_cell_by_cell() {
        let [mut wet, mut dry, mut none] = [0; 3];
        for seed in 0..20 {
            let mut world = test_worlds::springs(seed);
            world.step_within(40 + 20 * seed);
            let counts = compare_drawers(&mut world, -30..50);
            (wet, dry, none) = (wet + counts[0], dry + counts[1], none + counts[2]);
        }
        assert!(
            wet > 500 && dry > 500 && none > 20,
            "{wet} wet ones and {dry} dry ones, none {none} times"
        );
    }

    /// A uniform chunk full of water with part of a chunk of water above it, and a dry chunk at one
    /// side or at none: so each kind of shore occurs alone, dry cells beside or above, or partly
    /// full cells only.
    #[test]
    fn drawers_of_uniform_chunks_are_those_found_cell_by_cell() {
        for height in [3, FULL] {
            for dry_side in
                [None, Some(IVec3::X), Some(IVec3::NEG_X), Some(IVec3::Z), Some(IVec3::NEG_Z)]
            {
                let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
                world
                    .insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN.with_height(FULL)))
                    .expect("none is there");
                world.insert_chunk(IVec3::Y, Chunk::uniform(Voxel::OPEN)).expect("none is there");
                world
                    .fill_water(Region::new(IVec3::Y * 16, IVec3::new(15, 20, 15)), height)
                    .expect("a loaded chunk");
                if let Some(side) = dry_side {
                    world.insert_chunk(side, Chunk::uniform(Voxel::OPEN)).expect("none is there");
                }
                world.wake_all();
                let slot = world.store.grid().slot(IVec3::ZERO).expect("loaded");
                assert!(world.store.grid().chunk_at(slot).as_uniform().is_some());
                let [wet, dry, _] = compare_drawers(&mut world, -1..160);
                assert_eq!(wet > 0, height < FULL, "beside {dry_side:?}");
                assert_eq!(dry > 0, height == FULL || dry_side.is_some(), "beside {dry_side:?}");
            }
        }
    }
}
