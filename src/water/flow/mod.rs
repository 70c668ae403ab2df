//! Flow of a layer: copies the layer with its neighbours into a window (halo exchange), applies the
//! kernel to it, writes the changes back, and wakes the cells that can now move.
//!
//! The rule itself is in `kernel`, the copy in `window`.

pub(crate) mod kernel;
pub(crate) mod window;

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::flow::kernel::{LayerFlow, can_give, least_height};
use crate::water::flow::window::Window;
use crate::water::random::Purpose;
use crate::water::store::{LayerState, Place};
use crate::water::voxel::Voxel;

impl Context<'_> {
    /// Applies the kernel to the layer's awake cells: they give water down and sideways.
    pub(crate) fn flow_layer(&mut self, window: &mut Window, slot: Slot, layer: usize) {
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let awake = self.awake(slot, layer) & wet;
        if awake.is_empty() {
            return;
        }
        self.report.visited += u64::from(awake.count());
        let movable = awake - (self.firm(slot, layer) & self.enclosed(slot, layer, closed));
        let givers = self.gather_givers(window, slot, layer, movable);
        if givers.is_empty() {
            return;
        }
        let limits = self.limits;
        let work = self.work.join(self.store, slot, layer);
        let seeds = (Purpose::Order.seed(work.seed), Purpose::Sides.seed(work.seed));
        let done = window.run(givers, limits, seeds, &mut work.flow, &mut work.inflow);
        if done.moved > 0 {
            self.apply(window, slot, layer, &done);
        }
    }

    /// Returns those of `cells`, which are wet, that would give water, and copies what the kernel
    /// needs for them into the window.
    fn gather_givers(
        &self,
        window: &mut Window,
        slot: Slot,
        layer: usize,
        cells: LayerMask,
    ) -> LayerMask {
        if cells.is_empty() {
            return LayerMask::NONE;
        }
        if !cells.is_sparse() {
            window.gather(self.store, slot, layer);
            return cells & window.givers();
        }
        // A few cells are tested before the whole layer is gathered: usually they have nothing to
        // give, or only fall.
        let givers = self.givers_among(slot, layer, cells);
        if self.only_fall(slot, layer, givers) {
            window.gather_alone(self.store, slot, layer, givers);
        } else {
            window.gather(self.store, slot, layer);
        }
        givers
    }

    /// Returns those of `cells` that would give water and are not exhausted.
    fn givers_among(&self, slot: Slot, layer: usize, cells: LayerMask) -> LayerMask {
        let mut givers = LayerMask::NONE;
        for cell in cells.iter() {
            let place = Place::in_layer(slot, layer, cell);
            let (own, below) = (self.store.read(place), self.store.look(place, Face::Down));
            let gives = |lowest: u8| can_give(own.word(), below.word(), lowest);
            let is_exhausted = self.limits.left(own, self.work.passed(place)) == 0;
            if !is_exhausted && (gives(u8::MAX) || gives(self.lowest_beside(place))) {
                givers.insert(cell);
            }
        }
        givers
    }

    /// Returns the least height from which water flows into any cell beside `place`.
    fn lowest_beside(&self, place: Place) -> u8 {
        let least = |face: Face| {
            let there = self.store.step(place, face);
            let below =
                if there.is_some() { self.store.look(there, Face::Down) } else { Voxel::WALL };
            least_height(self.store.look(place, face).word(), below.word())
        };
        Face::LATERAL.into_iter().map(least).min().unwrap_or(u8::MAX)
    }

    /// Whether `givers` only fall, independently of each other: all that they may give fits below,
    /// and no water lies beside them in the layer that could move once they are lower. Water beside
    /// them in other chunks is woken and flows with its own layer.
    fn only_fall(&self, slot: Slot, layer: usize, givers: LayerMask) -> bool {
        let falls = |cell: usize| {
            let place = Place::in_layer(slot, layer, cell);
            let voxel = self.store.read(place);
            let left = self.limits.left(voxel, self.work.passed(place));
            self.store.look(place, Face::Down).room() >= voxel.height().min(left)
        };
        let wet = self.store.layer(slot, layer).wet;
        (givers.spread() & wet).is_empty() && givers.iter().all(falls)
    }

    /// Returns the cells enclosed on all four sides by cells without room.
    fn enclosed(&self, slot: Slot, layer: usize, closed: LayerMask) -> LayerMask {
        let beyond = self.beside(slot, layer, |closed, _| closed, |voxel| voxel.is_closed());
        let [west, east, north, south] = closed.shifted(&beyond);
        west & east & north & south
    }

    /// Writes the result of the kernel back into the world and wakes the cells that can now move.
    fn apply(&mut self, window: &Window, slot: Slot, layer: usize, done: &LayerFlow) {
        self.report.moved += done.moved;
        self.ledger.drained += done.drained;
        self.ledger.injected += done.injected;
        let work = self.work.join(self.store, slot, layer);
        let touched = done.changed | done.sprang;
        work.touched |= touched;
        if done.changed.any() {
            work.save(self.store, slot, layer, done.changed);
            if done.changed.is_sparse() {
                for cell in done.changed.iter() {
                    self.store.write(Place::in_layer(slot, layer, cell), window.at(cell));
                }
            } else {
                self.store.write_layer(slot, layer, |cells| window.copy_to(cells));
            }
        }
        self.wake_layer(slot, layer, touched);
        if done.fell.any()
            && let Some((slot, layer)) = self.store.lower_layer(slot, layer)
        {
            self.write_inflow(slot, layer, Face::Up, done.fell, |cell| window.below(cell));
        }
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let there = self.store.neighbour(slot, face);
            if done.left[side].any() && there.is_some() {
                self.write_inflow(there, layer, face.opposite(), done.left[side], |cell| {
                    window.beside(side, cell)
                });
            }
        }
        self.wake_givers(slot, layer, done.gave);
    }

    /// Writes the inflow of another layer through a face.
    fn write_inflow(
        &mut self,
        slot: Slot,
        layer: usize,
        face: Face,
        cells: LayerMask,
        voxel: impl Fn(usize) -> Voxel,
    ) {
        let work = self.work.join(self.store, slot, layer);
        work.save(self.store, slot, layer, cells);
        work.touched |= cells;
        let inflow = &mut work.inflow[face.index()];
        *inflow |= cells;
        for cell in cells.iter() {
            self.store.write(Place::in_layer(slot, layer, cell), voxel(cell));
        }
        self.wake_layer(slot, layer, cells);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::context::layer_record::{LayerRecord, add_flow};
    use crate::water::context::test_worlds;

    /// The two fast paths (a few cells tested one by one, and falling cells gathered alone) must
    /// equal the window of the whole layer.
    #[test]
    fn a_few_cells_flow_as_in_the_window_of_a_whole_layer() {
        let (mut whole, mut alone) = (Window::new(), Window::new());
        let (mut giving, mut falling, mut exhausted) = (0, 0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let tick = test_worlds::tick(&mut world);
            let limits = tick.limits;
            for (slot, layer) in
                slots.into_iter().flat_map(|slot| (0..16).map(move |layer| (slot, layer)))
            {
                let wet = tick.store.layer(slot, layer).wet;
                let places: Vec<usize> = wet.iter().collect();
                let some: LayerMask = (0..places.len().min(6))
                    .map(|_| places[random.usize(..places.len())])
                    .collect();
                for cell in places {
                    let left = limits.left(tick.store.read(Place::in_layer(slot, layer, cell)), 0);
                    let passed = if random.bool() { random.u8(..=left) } else { 0 };
                    let work = tick.work.join(tick.store, slot, layer);
                    add_flow(&mut work.flow[cell], Face::West, passed);
                    exhausted += u32::from(passed == left);
                }
                whole.gather(tick.store, slot, layer);
                let mut expected = some & whole.givers();
                for cell in expected.iter() {
                    let place = Place::in_layer(slot, layer, cell);
                    if limits.left(tick.store.read(place), tick.work.passed(place)) == 0 {
                        expected.remove(cell);
                    }
                }
                let givers = tick.givers_among(slot, layer, some);
                assert_eq!(givers, expected, "seed {seed}: layer {layer} in {slot:?}");
                giving += givers.count();
                if givers.is_empty() || !tick.only_fall(slot, layer, givers) {
                    continue;
                }
                falling += 1;
                alone.own.fill_with(|| random.u16(..));
                alone.below.fill_with(|| random.u16(..));
                alone.gather_alone(tick.store, slot, layer, givers);
                let work = tick.work.join(tick.store, slot, layer);
                let run = |window: &mut Window| {
                    let (mut flow, mut inflow) = (work.flow, [LayerMask::NONE; 6]);
                    let done = window.run(givers, limits, (seed, seed + 1), &mut flow, &mut inflow);
                    let words = givers.iter().map(|cell| (window.at(cell), window.below(cell)));
                    let words: Vec<_> = words.collect();
                    (words, flow, inflow, done)
                };
                let (whole, alone) = (run(&mut whole), run(&mut alone));
                assert!(whole == alone, "seed {seed}: layer {layer} in {slot:?}");
            }
        }
        assert!(giving > 200, "{giving} give");
        assert!(falling > 50, "in {falling} layers water only falls");
        assert!(exhausted > 400, "{exhausted} exhausted");
    }

    /// Worlds in motion, layer by layer: as in a tick, and with a window of each whole layer.
    #[test]
    fn a_layer_flows_as_its_whole_window_flows() {
        let (mut window, mut moved) = (Window::new(), [0; 2]);
        for seed in 0..24 {
            let [mut world, mut other] = [(); 2].map(|()| test_worlds::springs(seed));
            let slots = world.store.grid().sorted_slots();
            let (mut tick, mut reference) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for (layer, slot) in
                (0..16).flat_map(|layer| slots.iter().map(move |&slot| (layer, slot)))
            {
                let wet = reference.store.layer(slot, layer).wet;
                let awake = reference.awake(slot, layer) & wet;
                tick.flow_layer(&mut window, slot, layer);
                reference.report.visited += u64::from(awake.count());
                window.gather(reference.store, slot, layer);
                let givers = awake & window.givers();
                let limits = reference.limits;
                let work = reference.work.join(reference.store, slot, layer);
                let seeds = (Purpose::Order.seed(work.seed), Purpose::Sides.seed(work.seed));
                let done = window.run(givers, limits, seeds, &mut work.flow, &mut work.inflow);
                if done.moved > 0 {
                    reference.apply(&window, slot, layer, &done);
                    moved[usize::from(givers.is_sparse())] += 1;
                }
                assert_eq!(tick.report, reference.report, "seed {seed}: layer {layer}");
            }
            let places = slots.iter().flat_map(|&slot| (0..16).map(move |layer| (slot, layer)));
            for (slot, layer) in places {
                let [here, there] =
                    [&tick, &reference].map(|tick| tick.store.cells(slot, layer).copied());
                assert!(here == there, "seed {seed}: layer {layer}");
                let [here, there] = [&tick, &reference].map(|tick| {
                    let marks =
                        |work: &LayerRecord| (work.flow, work.inflow, [work.touched, work.woken]);
                    (tick.awake(slot, layer), tick.work.get(slot, layer).map(marks))
                });
                assert_eq!(here.0, there.0, "seed {seed}: layer {layer}");
                let is_idle = here.1.is_none()
                    && there.1.is_some_and(|(.., marks)| marks == [LayerMask::NONE; 2]);
                assert!(is_idle || here.1 == there.1, "seed {seed}: layer {layer}");
            }
        }
        assert!(
            moved.iter().all(|&layers| layers > 100),
            "water moves in {moved:?} layers, in the second few cells"
        );
    }
}
