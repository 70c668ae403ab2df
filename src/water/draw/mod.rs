//! Draws: cells with room draw water from the roots of their flows for themselves, full cells for
//! the cells above them.
//!
//! | file | what | algorithm |
//! |---|---|---|
//! | `path` | finds a path to a root with water, and moves water along it | depth-first search |
//! | `roots` | finds the root of a cell, and what it offers | tree labelling, depth-first search |
//!
//! A cell is exhausted if it has passed on all it may in this tick, or if all its parents are
//! exhausted. Within a layer that is propagated from parents to children over bit masks (a fixed
//! point of frontier expansion), which saves a search for each of the children.

pub(crate) mod path;
pub(crate) mod roots;

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::context::Context;
use crate::water::draw::path::Drawn;
use crate::water::draw::roots::Need;
use crate::water::random::{Purpose, Queue};
use crate::water::store::{LayerState, Place, head};
use crate::water::voxel::Voxel;

/// The links of a layer's cells to their parents, and which of these are exhausted outside the
/// layer, as of the beginning of its draws.
struct ParentLinks {
    /// Cells with parents.
    fed: LayerMask,
    /// Cells with a parent above or below that is not exhausted.
    vertical: LayerMask,
    /// For each lateral face, the cells with a parent across it.
    lateral: [LayerMask; 4],
    /// For each lateral face, the exhausted cells of the chunk across it.
    beyond: [LayerMask; 4],
}

impl ParentLinks {
    /// Propagates exhaustion to all cells whose parents are all exhausted. Returns those cells, and
    /// all exhausted cells.
    fn propagate(&self, exhausted: LayerMask) -> (LayerMask, LayerMask) {
        let [west, east, north, south] = self.lateral;
        let mut exhausted = exhausted;
        loop {
            let beside = exhausted.shifted(&self.beyond);
            let along_x = (west - beside[0]) | (east - beside[1]);
            let along_z = (north - beside[2]) | (south - beside[3]);
            let cut_off = self.fed - (self.vertical | along_x | along_z);
            if (cut_off - exhausted).is_empty() {
                return (cut_off, exhausted);
            }
            exhausted |= cut_off;
        }
    }
}

impl Context<'_> {
    /// Draws for the layer's awake cells from their roots: for those on firm ground with room
    /// (`fillers`), and for the cells above full ones that are connected to a spring (`risers`).
    pub(crate) fn draws(&mut self, slot: Slot, layer: usize) {
        let awake = self.awake(slot, layer);
        if awake.is_empty() {
            return;
        }
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let firm = self.firm(slot, layer);
        let roof = match self.store.upper_layer(slot, layer) {
            Some((slot, layer)) => self.store.layer(slot, layer).closed,
            None if self.store.beyond(slot, Face::Up).is_closed() => LayerMask::ALL,
            None => LayerMask::NONE,
        };
        let fillers = (awake & firm) - closed;
        let y = self.store.grid().position_at(slot).y * 16 + layer as i32;
        let mut risers = (awake & self.store.connected(slot, layer) & wet & closed) - roof;
        if self.store.highest_source().is_none_or(|highest| highest <= y.saturating_add(1)) {
            risers = LayerMask::NONE;
        }
        if (fillers | risers).any() {
            self.draw_in_random_order(slot, layer, y, fillers, risers);
        }
    }

    /// Draws for cells in random order as long as any has a path that is not exhausted.
    fn draw_in_random_order(
        &mut self,
        slot: Slot,
        layer: usize,
        y: i32,
        fillers: LayerMask,
        risers: LayerMask,
    ) {
        let parents = self.store.parent_planes(slot, layer);
        let fed = LayerMask::union(parents);
        let mut open = fed & (fillers | risers);
        if open.is_empty() {
            return;
        }
        let links = self.parent_links(slot, layer, &parents);
        let stuck =
            |(cut_off, blocked): (LayerMask, LayerMask)| (fillers & cut_off) | (risers & blocked);
        let mut ready = open - stuck(self.propagate_exhaustion(slot, layer, &links));
        let mut queue = Queue::new(Purpose::Draws.seed(self.work.seed(self.store, slot, layer)));
        ready.iter().for_each(|cell| queue.push(cell));
        let mut waiting = LayerMask::NONE;
        while let Some(cell) = queue.pop() {
            if !ready.contains(cell) {
                continue;
            }
            let place = Place::in_layer(slot, layer, cell);
            open.remove(cell);
            ready.remove(cell);
            let drawn =
                if fillers.contains(cell) { self.fill_up(place, y) } else { self.rise(place, y) };
            if drawn == Drawn::Waiting {
                waiting.insert(cell);
            }
            if drawn == Drawn::Waiting || core::mem::take(&mut self.work.trees.spent) {
                ready = open - stuck(self.propagate_exhaustion(slot, layer, &links));
                if ready.is_empty() {
                    break;
                }
            }
        }
        // The cells left have no path that is not exhausted.
        let work = self.work.join(self.store, slot, layer);
        work.waiting |= waiting | open;
    }

    /// Returns the links of a layer's cells to their parents.
    fn parent_links(&self, slot: Slot, layer: usize, parents: &[LayerMask; 6]) -> ParentLinks {
        let blocked = |place: Option<(Slot, usize)>| {
            place
                .and_then(|(slot, layer)| self.work.get(slot, layer))
                .map_or(LayerMask::NONE, |work| work.blocked)
        };
        let [west, east, down, up, north, south] = *parents;
        let above = up - blocked(self.store.upper_layer(slot, layer));
        let below = down - blocked(self.store.lower_layer(slot, layer));
        let mut beyond = [LayerMask::NONE; 4];
        for (beyond, face) in beyond.iter_mut().zip(Face::LATERAL) {
            *beyond = blocked(Some((self.store.neighbour(slot, face), layer)));
        }
        let fed = west | east | north | south | up | down;
        ParentLinks { fed, vertical: above | below, lateral: [west, east, north, south], beyond }
    }

    /// Propagates exhaustion in a layer; see [`ParentLinks::propagate`]. Cells outside the layer
    /// that were exhausted since `links` was built are found by searches instead.
    fn propagate_exhaustion(
        &mut self,
        slot: Slot,
        layer: usize,
        links: &ParentLinks,
    ) -> (LayerMask, LayerMask) {
        let work = self.work.join(self.store, slot, layer);
        let (cut_off, exhausted) = links.propagate(work.blocked);
        work.blocked = exhausted;
        (cut_off, exhausted)
    }

    /// Draws for a cell with room. Tries its parents in random order.
    fn fill_up(&mut self, place: Place, y: i32) -> Drawn {
        let voxel = self.store.read(place);
        let connected = voxel.has(CellFlags::HAS_SOURCE);
        let need = Need::Fill { y, head: head(y, voxel.height()), connected };
        let mut parents = self.store.parents_in(place, voxel);
        let mut drawn = Drawn::Nothing;
        while let Some(face) = self.pick(place, &mut parents) {
            let parent = self.store.step(place, face);
            drawn = match self.draw(parent, face.opposite(), voxel.room(), need) {
                Drawn::Nothing => drawn,
                other => other,
            };
            if let Drawn::Units { units, largest } = drawn {
                self.receive(place, face, units, largest);
                break;
            }
        }
        drawn
    }

    /// Draws for the cell above a full cell that is connected to a spring.
    fn rise(&mut self, place: Place, y: i32) -> Drawn {
        let above = self.store.look(place, Face::Up);
        let drawn = self.draw(place, Face::Up, above.room(), Need::Rise { y: y.saturating_add(1) });
        if let Drawn::Units { units, .. } = drawn {
            if above == Voxel::DRAIN {
                self.ledger.drained += u64::from(units);
            } else {
                let there = self.store.step(place, Face::Up);
                self.receive(there, Face::Down, units, self.store.read(there).largest());
            }
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::context::test_worlds;
    use crate::water::{Edge, Edges, Rules, WaterWorld};
    use glam::IVec3;

    /// Reference: cell by cell, until nothing changes.
    fn propagate_slowly(
        parents: &[[bool; 256]; 4],
        vertical: &[bool; 256],
        exhausted: &mut [bool; 256],
    ) -> [bool; 256] {
        let beside = |cell: usize, side: usize| match side {
            0 if cell & 15 > 0 => Some(cell - 1),
            1 if cell & 15 < 15 => Some(cell + 1),
            2 if cell >= 16 => Some(cell - 16),
            3 if cell < 240 => Some(cell + 16),
            _ => None,
        };
        loop {
            let before = *exhausted;
            let cut_off = core::array::from_fn(|cell| {
                let fed = vertical[cell] || (0..4).any(|side| parents[side][cell]);
                let free = |side: usize| {
                    parents[side][cell] && beside(cell, side).is_none_or(|there| !before[there])
                };
                fed && !vertical[cell] && !(0..4).any(free)
            });
            (0..256).for_each(|cell| exhausted[cell] |= cut_off[cell]);
            if *exhausted == before {
                return cut_off;
            }
        }
    }

    #[test]
    fn exhaustion_propagates_as_it_does_from_cell_to_cell() {
        let mut random = fastrand::Rng::with_seed(9);
        let mask_of = |cells: &[bool; 256]| LayerMask::select(cells, |is_in| is_in);
        for round in 0..200 {
            let density = 1 + round % 4;
            let parents: [[bool; 256]; 4] =
                [(); 4].map(|()| core::array::from_fn(|_| random.usize(..4) < density));
            let vertical = core::array::from_fn(|_| random.usize(..20) == 0);
            let mut exhausted = core::array::from_fn(|_| random.usize(..10) == 0);
            let lateral = parents.each_ref().map(mask_of);
            let fed = lateral.iter().fold(mask_of(&vertical), |fed, &side| fed | side);
            let links = ParentLinks {
                fed,
                vertical: mask_of(&vertical),
                lateral,
                beyond: [LayerMask::NONE; 4],
            };
            let fast = links.propagate(mask_of(&exhausted));
            let cut_off = propagate_slowly(&parents, &vertical, &mut exhausted);
            assert_eq!(fast, (mask_of(&cut_off), mask_of(&exhausted)), "round {round}");
        }
    }

    /// Water drawn by a cell above a drain would fall out of it, so only cells on firm ground draw.
    #[test]
    fn a_cell_draws_above_ground_but_not_above_a_drain() {
        for (unloaded, draws) in [(Edge::Wall, true), (Edge::Held, true), (Edge::Drain, false)] {
            let rules = Rules { edges: Edges { unloaded, ..Edges::WALLS }, ..Rules::lossless() };
            let mut world = WaterWorld::new(1, rules).expect("rules in range");
            world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
            let (source, drawer) = (IVec3::new(4, 0, 5), IVec3::new(5, 0, 5));
            world.fill_water(Region::new(source, drawer), 0).expect("a loaded chunk");
            world.add_source(source).expect("an open cell");
            let place = Place::new(world.store.grid().sorted_slots()[0], 5 * 16 + 5);
            let fed = Voxel::OPEN.with_height(1).with_direction(Some(Face::East));
            world.store.write(place, fed.with(CellFlags::HAS_SOURCE, true));
            world.wake_all();
            let mut tick = test_worlds::tick(&mut world);
            tick.draws(place.slot, 0);
            assert_eq!(tick.store.read(place).height(), if draws { 7 } else { 1 }, "{unloaded:?}");
        }
    }

    /// One draw exhausts the spring. Then all cells that it feeds in the layer are marked as
    /// exhausted, even where their path leads through the layer above.
    #[test]
    fn all_cells_fed_by_an_exhausted_path_are_marked_as_exhausted() {
        let beside = [(5, 0, Face::East)];
        let over_a_wall = [
            (5, 0, Face::East),
            (5, 1, Face::Up),
            (6, 1, Face::East),
            (6, 0, Face::Down),
            (7, 0, Face::East),
        ];
        for (seed, cells) in (0..8).flat_map(|seed| [(seed, &beside[..]), (seed, &over_a_wall[..])])
        {
            let rules = Rules { edges: Edges::WALLS, ..Rules::lossless() };
            let mut world = WaterWorld::new(seed, rules).expect("rules in range");
            world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::SOLID)).expect("none is there");
            let spring = IVec3::new(4, 0, 5);
            world.clear_solid(spring).expect("a loaded chunk");
            world.add_source(spring).expect("an open cell");
            let slot = world.store.grid().sorted_slots()[0];
            let place = |x: usize, y: usize| Place::in_layer(slot, y, 5 * 16 + x);
            for &(x, y, heading) in cells {
                let fed =
                    Voxel::OPEN.with_direction(Some(heading)).with(CellFlags::HAS_SOURCE, true);
                world.store.write(place(x, y), fed);
            }
            world.wake_all();
            let before = world.ledger.injected;
            let mut tick = test_worlds::tick(&mut world);
            tick.draws(slot, 0);
            assert_eq!(tick.ledger.injected - before, 7);
            let blocked = tick.work.get(slot, 0).map_or(LayerMask::NONE, |work| work.blocked);
            let cut_off =
                |&(x, y, _): &(usize, usize, Face)| y > 0 || blocked.contains(place(x, y).index);
            assert!(cells.iter().all(cut_off), "seed {seed}");
        }
    }
}
