//! Pools: joined water levels out. Here its bodies are found, and which of their cells would draw;
//! see `levelling` for how.
//!
//! Every body with an awake cell is found anew each tick; see `body`. Nothing about bodies is kept
//! between ticks.

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

/// A cell that would draw: its head, a random tie-breaker, and where it is.
pub(crate) type Drawer = (i64, u64, Place);

/// A look for the cells that may draw from a body, done in pieces: partial cells that moved
/// nothing, and dry cells beside or above those that moved nothing.
pub(crate) struct Gathering {
    /// The highest head that a drawer may have.
    highest: i64,
    /// How many may draw: the first in their order.
    most: usize,
    /// Pieces of the body that have been looked at.
    seen: usize,
    /// Meanwhile nobody draws, so that no ties change.
    forks: Forks,
    /// Cells whose sources have been looked for in the piece that is looked at.
    asked: usize,
    drawers: Vec<Drawer>,
    /// Whether there are more than may draw.
    unheard: bool,
}

impl Gathering {
    /// Begins to look for cells whose heads are at most `highest`; of these, `most` may draw.
    pub(crate) fn new(highest: i64, most: usize) -> Self {
        Gathering {
            highest,
            most,
            seen: 0,
            forks: Forks::default(),
            asked: 0,
            drawers: Vec::new(),
            unheard: false,
        }
    }

    /// Adds a cell. It may be there already: a dry one may lie next to several pieces.
    fn admit(&mut self, drawer: Drawer) {
        if self.drawers.len() >= self.most.saturating_mul(4) {
            self.choose();
        }
        self.drawers.push(drawer);
    }

    /// Puts the drawers in order and drops those that may not draw.
    fn choose(&mut self) {
        self.drawers.sort_unstable();
        self.drawers.dedup();
        if self.drawers.len() > self.most {
            self.unheard = true;
            self.drawers.truncate(self.most);
            self.highest = self.drawers.last().map_or(self.highest, |&(head, ..)| head);
        }
    }

    /// Those that may draw, in order, and whether there are others.
    pub(crate) fn chosen(mut self) -> (Vec<Drawer>, bool) {
        self.choose();
        (self.drawers, self.unheard)
    }
}

impl Context<'_> {
    /// Begins to find the bodies of the awake and touched cells of a layer, as far as they are not
    /// found yet. Returns how many cells have been looked at: those, and what is counted of
    /// their bodies.
    pub(crate) fn begin_flood(&mut self, pools: &mut Pools, slot: Slot, layer: usize) -> u64 {
        let wet = self.store.layer(slot, layer).wet;
        let touched = self.work.get(slot, layer).map_or(LayerMask::NONE, |work| work.touched);
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

    /// Resumes the search for the bodies of the cells of a layer that was begun and is not
    /// complete; `None` if there is none. Returns how many cells have been looked at.
    pub(crate) fn resume_flood(&mut self, pools: &mut Pools) -> Option<u64> {
        let (seeds, mut budget) = (pools.seeds.take()?, Budget::of_a_piece());
        self.flood(pools, seeds, &mut budget);
        Some(budget.spent())
    }

    /// Finds the bodies of these cells of a layer, which are not found yet, until the budget is
    /// spent; then keeps those that are still to be found, and what is joined to them.
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

    /// Goes on looking for who may draw from a body until all of it has been looked at, which is
    /// returned, or the budget is spent.
    pub(crate) fn gather(
        &mut self,
        body: &[Piece],
        gathering: &mut Gathering,
        budget: &mut Budget,
    ) -> bool {
        while let Some(piece) = body.get(gathering.seen) {
            if !budget.spend(LAYER_ROWS) {
                return false;
            }
            self.gather_from(piece, gathering);
            budget.spend(core::mem::take(&mut gathering.asked));
            gathering.seen += 1;
        }
        true
    }

    /// Adds what may draw of a piece, and the dry cells beside and above it that may.
    fn gather_from(&mut self, piece: &Piece, gathering: &mut Gathering) {
        let &Piece { slot, layer, cells } = piece;
        let y = self.layer_height(piece);
        let highest = gathering.highest;
        let Some(is_low) = low(highest - head(y, 0)) else { return };
        let closed = self.store.layer(slot, layer).closed;
        let still = cells - self.work.get(slot, layer).map_or(LayerMask::NONE, |work| work.touched);
        if still.is_empty() {
            return;
        }
        // Cells above draw only if they lie low enough, and whether a source feeds those below them
        // is dear to find out.
        let above =
            self.store.upper_layer(slot, layer).filter(|_| head(y.saturating_add(1), 0) <= highest);
        let roofs =
            above.map_or(LayerMask::NONE, |(slot, layer)| still & closed & self.dry(slot, layer));
        let beside = Face::LATERAL.map(|face| self.store.neighbour(slot, face));
        let dry_beside =
            beside.map(|slot| if slot.is_some() { self.dry(slot, layer) } else { LayerMask::NONE });
        let dry = self.dry(slot, layer);
        // In the midst of a lake nothing is dry far around, and the water stands too high to draw
        // itself.
        let may_have_shore = (dry | roofs | LayerMask::union(dry_beside)).any();
        let may_draw =
            may_have_shore || (still - closed).any() && self.store.has(slot, layer, is_low);
        if !may_draw {
            return;
        }
        let [west, east, north, south] = dry.shifted(&dry_beside);
        let banks = still & (west | east | north | south);
        let agents = (still - closed) | banks | roofs;
        if agents.is_empty() {
            return;
        }
        // A source lifts water to the cell under its own level, so cells above ask for a higher
        // one.
        let roofs = roofs - self.supplied(slot, layer, roofs, y.saturating_add(2), gathering);
        let agents = agents - self.supplied(slot, layer, agents, y, gathering);
        self.add_drawers(gathering, slot, layer, agents - closed);
        self.add_drawers(gathering, slot, layer, agents.spread() & dry);
        for ((there, dry), cells) in beside.into_iter().zip(dry_beside).zip(agents.leaving()) {
            self.add_drawers(gathering, there, layer, cells & dry);
        }
        if let Some((slot, layer)) = above {
            self.add_drawers(gathering, slot, layer, roofs);
        }
    }

    /// The open cells of a layer without water.
    fn dry(&self, slot: Slot, layer: usize) -> LayerMask {
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        !(wet | closed)
    }

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
        let Some(is_low) = low(gathering.highest - head(y, 0)) else { return };
        if !self.store.has(slot, layer, is_low) {
            return;
        }
        let cells = cells & self.store.select(slot, layer, is_low);
        let seed = Purpose::Pool.seed(self.work.seed(self.store, slot, layer));
        for cell in cells.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            if !voxel.is_mark() {
                gathering.admit((head(y, voxel.height()), mix(seed, cell as u64), place));
            }
        }
    }

    /// The cells that a source feeds along their path, if it lies high enough: they draw there and
    /// not from the pool.
    fn supplied(
        &mut self,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
        y: i32,
        gathering: &mut Gathering,
    ) -> LayerMask {
        let sourced = cells & self.store.connected(slot, layer);
        if self.store.lowest_source().is_none_or(|lowest| lowest >= y) {
            return sourced;
        }
        let mut supplied = sourced;
        for cell in sourced.iter() {
            gathering.asked += 1;
            if self.is_out_of_reach(Place::in_layer(slot, layer, cell), y, &mut gathering.forks) {
                supplied.remove(cell);
            }
        }
        supplied
    }

    /// Keeps a body awake for the next tick: a drawer, or where that is dry, the water beside and
    /// below it.
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

/// Whether a voxel holds at most so many units, as dry and solid ones do too; `None` if none can.
fn low(units: i64) -> Option<impl Fn(Voxel) -> bool + Copy> {
    let most = u8::try_from(units.min(i64::from(FULL))).ok()?;
    Some(move |voxel: Voxel| voxel.height() <= most)
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

    /// Who draws, said of each cell of a body alone.
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
                voxel.is_sourced() && !tick.is_out_of_reach(place, level, &mut Forks::default())
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

    /// Compares who draws from the bodies of a world, in all up to some heads, with a look at each
    /// cell. Returns how many of them are wet and dry, and how often nobody draws.
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
                let (found, unheard) = gathering.chosen();
                assert!(found.is_sorted() && !unheard, "up to {highest}");
                // The first of them are the same if no more may draw, however few are kept
                // meanwhile.
                for most in [1, 3, 20] {
                    let mut gathering = Gathering::new(highest, most);
                    while !tick.gather(&body.pieces, &mut gathering, &mut Budget::new(20)) {}
                    let first = (found[..most.min(found.len())].to_vec(), found.len() > most);
                    assert_eq!(gathering.chosen(), first, "up to {highest}, {most} of them");
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
    fn drawers_are_those_of_a_look_at_each_cell() {
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

    /// A chunk full of water that is stored as one cell, and half a chunk over it, so that each
    /// kind of shore stands alone: a dry chunk beside, none or one where none is loaded, dry
    /// cells above, and none but partial water.
    #[test]
    fn drawers_of_whole_chunks_of_water_are_those_of_a_look_at_each_cell() {
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
