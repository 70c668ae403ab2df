//! Steady falls: the cells of a fall fall asleep when the same passes through them as before, and
//! wake when what that relies on has changed. The last thing that a tick decides.
//!
//! A cell *falls full* in a tick if it received a full cell of water from above, passed as much
//! down, took part in nothing else, and is what it was before the tick. It will do so again if the
//! cell below does, and if the two above do or the first of them is a spring: the second fills the
//! first up again, so that nothing is drawn into it. Such a cell needs no visit. It *settles*: it
//! sleeps as a steady cell, and its flow happens where its run of steady cells ends (see
//! [`flow::steady`](crate::water::flow::steady)). So a fall costs its two ends.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::store::steady::around;
use crate::water::store::{LAYER_ROWS, Place};

impl Context<'_> {
    /// Settles cells of the next layer, and wakes steady cells that what has happened there
    /// concerns. Returns the cells charged to the budget, or `None` if no layer is left.
    pub(crate) fn settle_next(&mut self) -> Option<usize> {
        let (slot, layer) = self.work.next_in_sweep()?;
        let Some(work) = self.work.get(slot, layer) else { return Some(1) };
        let (touched, fed) = (work.touched, work.fed_from_above());
        if self.store.has_steady() {
            let visited = touched | self.awake(slot, layer);
            self.wake_steady_around(slot, layer, visited);
        }
        for cell in (fed & touched).iter() {
            let place = Place::in_layer(slot, layer, cell);
            if self.can_settle(place) {
                self.store.settle(place);
            }
        }
        Some(if fed.any() { LAYER_ROWS } else { 1 })
    }

    /// Wakes the steady cells near the visited cells of a layer that hold water, and those above
    /// and below visited cells that do not fall full.
    fn wake_steady_around(&mut self, slot: Slot, layer: usize, visited: LayerMask) {
        let steady = self.store.steady(slot, layer);
        if steady.any() {
            let near = around(visited & self.store.layer(slot, layer).wet) & steady;
            near.iter().for_each(|cell| self.rouse(Place::in_layer(slot, layer, cell)));
        }
        let steady_in = |place: Option<(Slot, usize)>| {
            place.map_or(LayerMask::NONE, |(slot, layer)| self.store.steady(slot, layer))
        };
        let above = steady_in(self.store.upper_layer(slot, layer));
        let below = self.store.lower_layer(slot, layer);
        let second = below.and_then(|(slot, layer)| self.store.lower_layer(slot, layer));
        let concerned = visited & (above | steady_in(below) | steady_in(second));
        for cell in concerned.iter() {
            let place = Place::in_layer(slot, layer, cell);
            if !self.falls_full(place) && !self.is_full_spring(place) {
                self.rouse(self.store.step(place, Face::Up));
                let below = self.store.step(place, Face::Down);
                self.rouse(below);
                // What a spring feeds does not rely on the cell above the spring.
                if below.is_some() && !self.is_full_spring(below) {
                    self.rouse(self.store.step(below, Face::Down));
                }
            }
        }
    }

    /// Whether the same passes through an awake cell in the next tick as in this one.
    fn can_settle(&self, place: Place) -> bool {
        let (above, below) = (self.store.step(place, Face::Up), self.store.step(place, Face::Down));
        if !self.falls_full(place) || !self.falls_full(below) || !above.is_some() {
            return false;
        }
        let second = self.store.step(above, Face::Up);
        self.is_full_spring(above)
            || self.falls_full(above)
                && (self.falls_full(second) || second.is_some() && self.is_full_spring(second))
    }

    /// Whether a cell falls full in this tick.
    fn falls_full(&self, place: Place) -> bool {
        if !place.is_some() {
            return false;
        }
        if self.store.is_steady(place) {
            return true;
        }
        let voxel = self.store.read(place);
        let others = CellFlags::IS_SOURCE | CellFlags::FLOW_OUT | CellFlags::EXTRA;
        !voxel.is_mark()
            && voxel.height() == FULL
            && voxel.active() == FULL
            && voxel.direction() == Some(Face::Down)
            && !voxel.has(others)
            && self.work.get(place.slot, place.layer()).is_some_and(|work| {
                work.only_falls(place.cell(), FULL) && !work.differs(place.cell(), voxel)
            })
            && self.store.is_clear(place)
    }

    /// Whether a cell is a spring that gives a full cell of water in every tick, with no other
    /// water nearby that its flow would wake.
    fn is_full_spring(&self, place: Place) -> bool {
        self.limits.supply.min(self.limits.throughput) == FULL
            && self.store.read(place).is_source()
            && self.store.is_clear(place)
    }
}

#[cfg(test)]
mod tests {
    use crate::chunk::Chunk;
    use crate::coords::{Cube, Region, Shape};
    use crate::water::{Edges, Rules, Voxel, WaterWorld};
    use fastrand::Rng;
    use glam::IVec3;

    /// A shaft of open chunks with a floor.
    fn shaft(seed: u64, size: IVec3, rules: Rules) -> WaterWorld {
        let bounds = Region::new(IVec3::ZERO, size - 1);
        let mut world = WaterWorld::with_bounds(seed, rules, bounds).expect("rules in range");
        for chunk in Region::new(IVec3::ZERO, Cube::chunk_of(size - 1)).positions() {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("inside");
        }
        world.fill_solid(Region::new(IVec3::ZERO, (size - 1).with_y(0))).expect("loaded");
        world
    }

    /// Makes a random edit near one of the springs, or loads a chunk anew.
    fn edit(world: &mut WaterWorld, random: &mut Rng, springs: &[IVec3]) {
        let size = world.bounds().max() + 1;
        let spring = springs[random.usize(..springs.len())];
        let mut beside = || IVec3::new(random.i32(-3..4), 0, random.i32(-3..4));
        let near = spring + [IVec3::ZERO, beside()][usize::from(spring.y % 2 == 0)];
        let cell = near.with_y(random.i32(1..size.y));
        // Where something is in the way, another edit will do.
        match random.u8(..8) {
            0..=2 => _ = world.pour(cell, random.u32(1..8)),
            3 => _ = world.scoop(cell, random.u32(1..8)),
            4 => _ = world.set_solid(cell),
            5 => _ = world.remove_source(spring),
            6 => _ = world.add_source(spring),
            _ => {
                let position = Cube::chunk_of(cell);
                if let Ok(chunk) = world.remove_chunk(position) {
                    world.insert_chunk(position, chunk).expect("it was there");
                }
            }
        }
    }

    #[test]
    fn falls_that_sleep_equal_falls_that_are_woken_before_every_tick() {
        let mut ticks = 0;
        for seed in 0..40 {
            let mut random = Rng::with_seed(seed);
            let size = IVec3::new(16, 48, 16);
            let rules = Rules { edges: Edges::WALLS, ..Rules::lossless() };
            let mut world = shaft(seed, size, rules);
            let spring = |random: &mut Rng| {
                IVec3::new(random.i32(2..14), random.i32(20..47), random.i32(2..14))
            };
            let springs: Vec<IVec3> = (0..2).map(|_| spring(&mut random)).collect();
            springs.iter().for_each(|&cell| _ = world.add_source(cell).expect("open"));
            let mut woken = shaft(seed, size, world.rules().clone());
            springs.iter().for_each(|&cell| _ = woken.add_source(cell).expect("open"));
            for tick in 0..80 {
                if tick > 20 && random.u8(..6) == 0 {
                    let mut again = random.clone();
                    edit(&mut world, &mut random, &springs);
                    edit(&mut woken, &mut again, &springs);
                }
                woken.wake_all();
                ticks += u32::from(world.store.has_steady());
                let slice = if random.bool() { u64::MAX } else { random.u64(1..60) };
                while !world.step_within(slice).finished {}
                woken.step();
                assert_eq!(world.state_hash(), woken.state_hash(), "seed {seed}, tick {tick}");
                assert_eq!(world.ledger(), woken.ledger(), "seed {seed}, tick {tick}");
                assert_eq!(world.validate(), Ok(()), "seed {seed}, tick {tick}");
                for cell in springs.iter().flat_map(|cell| (1..48).map(|y| cell.with_y(y))) {
                    let currents = [&world, &woken].map(|world| world.current(cell));
                    assert_eq!(currents[0], currents[1], "seed {seed}, tick {tick}: {cell}");
                }
            }
        }
        assert!(ticks > 400, "falls slept in {ticks} ticks");
    }

    #[test]
    fn a_fall_costs_its_ends() {
        let world = |height: i32| {
            let mut world = shaft(1, IVec3::new(16, height, 16), Rules::lossless());
            let spring = IVec3::new(8, height - 2, 7);
            world.add_source(spring).expect("open");
            world.run(height as u64 + 12);
            (world, spring)
        };
        let visited = [48, 96].map(|height| world(height).0.step().visited);
        assert!(visited[0].abs_diff(visited[1]) < 20, "{visited:?} cells visited in two falls");
        let (mut world, spring) = world(96);
        assert!(world.store.has_steady());
        assert_eq!(world.current(spring.with_y(50)), IVec3::new(0, -7, 0));
        world.remove_source(spring).expect("it is there");
        world.run(100);
        assert!(!world.store.has_steady());
        assert_eq!(world.height(spring.with_y(50)), 0);
        assert_eq!(world.validate(), Ok(()));
    }

    #[cfg(feature = "snapshot")]
    #[test]
    fn a_steady_fall_is_saved_as_awake_anywhere_in_a_tick() {
        let mut steady = 0;
        for seed in 0..4 {
            let mut random = Rng::with_seed(seed);
            let mut world = shaft(seed, IVec3::new(16, 48, 16), Rules::lossless());
            let springs = [IVec3::new(8, 40, 7)];
            world.add_source(springs[0]).expect("open");
            world.run(50);
            for tick in 0..8 {
                edit(&mut world, &mut random, &springs);
                let slots = world.store.grid().sorted_slots();
                let before: Vec<_> = slots.iter().map(|&slot| world.chunk_record(slot)).collect();
                steady += u32::from(world.store.has_steady());
                while !world.step_within(1).finished {
                    for (&slot, before) in slots.iter().zip(&before) {
                        let is_same = world.chunk_record(slot) == *before;
                        assert!(is_same, "seed {seed}, tick {tick}: {slot:?}");
                    }
                }
            }
        }
        assert!(steady > 5, "falls slept in {steady} ticks");
    }
}
