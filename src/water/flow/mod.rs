//! Flow of a layer: copies the layer with its neighbours into a window (halo exchange), applies the
//! kernel to it, writes the changes back, and wakes the cells that can now move.
//!
//! The rule itself is in `kernel`, the copy in `window`. Where few cells flow, the window reads
//! only the cells that the kernel visits, the result is written cell by cell (`thin`), and cells
//! that only fall need no window (`drops`). Before the kernel, drains and taps act (`fixtures`);
//! before all layers, valves act (`valves`). `portals` keeps portals of regions within their
//! quotas.

mod drops;
mod fixtures;
pub(crate) mod kernel;
pub(crate) mod portals;
pub(crate) mod runs;
mod thin;
pub(crate) mod valves;
pub(crate) mod window;

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::flow::drops::{fall_in_drops, units_to_give};
use crate::water::flow::fixtures::run_fixtures;
use crate::water::flow::kernel::{LayerFlow, falling};
use crate::water::flow::runs::{
    check_runs, clear_runs, floor_now, leave_run_below, leave_runs_before_turn, over_runs,
    pass_runs,
};
use crate::water::flow::thin::apply_thin;
use crate::water::flow::window::{Gathered, Thin, Window};
use crate::water::random::Purpose;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::Place;
use crate::water::store::flow::parked::parked;
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// Runs the flow of a layer: the sea fills the coast, fixtures act, and awake cells give water down
/// and sideways by the kernel.
pub(crate) fn flow_layer(tick: &mut Tick, window: &mut Window, layer: LayerId) {
    fill_from_sea(tick, layer);
    run_fixtures(tick, layer);
    // Parked films count as visited, so that the report does not depend on parking.
    let parked = parked(tick.store, layer) & tick.store.layer(layer).wet;
    tick.report.visited += u64::from(parked.count());
    if !tick.store.has_runs() {
        return flow_cells(tick, window, layer);
    }
    check_runs(tick, layer);
    flow_cells(tick, window, layer);
    pass_runs(tick, layer);
}

/// Applies the kernel to the layer's awake cells that are in no run.
fn flow_cells(tick: &mut Tick, window: &mut Window, layer: LayerId) {
    let wet = tick.store.layer(layer).wet;
    let awake = (tick.awake_unparked(layer) & wet) - tick.store.in_runs(layer);
    if awake.is_empty() {
        return;
    }
    let movable = if awake.is_sparse() {
        awake
    } else {
        let supported = tick.store.supported(layer) - over_runs(tick, layer);
        awake - (supported - tick.store.roomy(layer))
    };
    let is_thin = movable.is_sparse();
    let givers = if !is_thin {
        if clear_runs(tick, layer) {
            return flow_cells(tick, window, layer);
        }
        window.gather(tick.store, layer);
        movable & window.givers()
    } else if !tick.store.has_runs() {
        fall_in_drops(tick, layer, movable)
    } else {
        // A few cells are tested before the layer is read: usually they only fall.
        let givers = givers_among(tick, layer, movable);
        if givers.is_empty() || only_fall(tick, layer, givers) {
            tick.report.visited += u64::from(awake.count());
            return fall_alone(tick, layer, givers);
        }
        if clear_runs(tick, layer) {
            return flow_cells(tick, window, layer);
        }
        givers
    };
    tick.report.visited += u64::from(awake.count());
    if givers.is_empty() {
        return;
    }
    let limits = tick.limits;
    let seed = tick.scratch.seed(tick.store, layer);
    let seeds = (Purpose::Order.seed(seed), Purpose::Sides.seed(seed));
    window.flow = tick.scratch.record_mut(tick.store, layer).read().flows();
    let done = if is_thin {
        window.begin();
        window.run(&Thin(tick.store, layer), givers, limits, seeds)
    } else {
        window.run(&Gathered, givers, limits, seeds)
    };
    if done.moved > 0 {
        apply(tick, window, layer, &done, is_thin);
    }
}

/// Returns the cells of a layer that are parts of falls and have passed water down in this tick.
pub(crate) fn fallen(tick: &Tick, layer: LayerId) -> LayerMask {
    let fallen = tick.scratch.get(layer).map_or(LayerMask::NONE, |work| work.marked(Mark::Fallen));
    fallen | tick.store.passed_in_runs(layer)
}

/// Fills the awake coast of a layer, each cell by at most the throughput. Coast cells that also lie
/// on the sea stay as they are: the sea closes over them when the tick ends.
fn fill_from_sea(tick: &mut Tick, layer: LayerId) {
    if tick.store.coast(layer.slot).is_none() {
        return;
    }
    let awake = tick.awake(layer) & tick.store.coast_in(layer);
    let thirsty = awake - tick.store.layer(layer).closed - tick.store.on_sea(layer);
    if thirsty.is_empty() {
        return;
    }
    leave_runs_before_turn(tick, layer, thirsty.spread());
    tick.ledger.from_sea += fill(tick, layer, thirsty, tick.limits.throughput);
}

/// Fills cells of a layer, each by up to `most` units while it has room. Returns the units.
fn fill(tick: &mut Tick, layer: LayerId, cells: LayerMask, most: u8) -> u64 {
    let mut work = tick.scratch.record_mut(tick.store, layer);
    work.save(tick.store, layer, cells);
    work.mark(Mark::Touched, cells);
    let mut filled = 0;
    for cell in cells.iter() {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        let units = voxel.room().min(most);
        tick.store.write(place, voxel.with_height(voxel.height() + units));
        filled += u64::from(units);
    }
    tick.report.moved += filled;
    tick.wake_layer(layer, cells);
    tick.wake_films_over(layer, cells);
    filled
}

/// Returns which of `cells` would give water and are not exhausted. All of `cells` must be wet.
fn givers_among(tick: &Tick, layer: LayerId, cells: LayerMask) -> LayerMask {
    let gives = |cell: usize| {
        let place = Place::in_layer(layer, cell);
        units_to_give(tick, place, floor_now(tick.store, place)) > 0
    };
    cells.iter().filter(|&cell| gives(cell)).collect()
}

/// Returns whether `givers` only fall, independently of each other: all the water that they may
/// give fits below, and no water beside them in the layer could move once they are lower. Water
/// beside them in other chunks is woken and flows with its own layer.
fn only_fall(tick: &Tick, layer: LayerId, givers: LayerMask) -> bool {
    let falls = |cell: usize| {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        let left = tick.limits.left(voxel, tick.scratch.passed_by_record(place));
        // Water that came from the side may shoot out over a ledge.
        let came_from_above = !voxel.direction().is_some_and(Face::is_lateral);
        let floor = floor_now(tick.store, place);
        came_from_above
            && floor.room() >= voxel.loose().min(left)
            && tick.limits.may_fall(voxel, floor)
    };
    let wet = tick.store.layer(layer).wet;
    (givers.spread() & wet).is_empty() && givers.iter().all(falls)
}

/// Moves the water of `givers`, which [only fall](only_fall), without a window.
fn fall_alone(tick: &mut Tick, layer: LayerId, givers: LayerMask) {
    if givers.is_empty() {
        return;
    }
    let gave = givers - tick.store.springs(layer);
    let over_runs = givers & over_runs(tick, layer);
    for cell in over_runs.iter() {
        let place = Place::in_layer(layer, cell);
        let voxel = tick.store.read(place);
        if voxel.loose().min(tick.limits.left(voxel, tick.scratch.passed_by_record(place))) < FULL {
            leave_run_below(tick, place);
        }
    }
    let mut falls: SmallVec<[(usize, u8); LayerMask::SPARSE]> = SmallVec::new();
    let mut work = tick.scratch.record_mut(tick.store, layer);
    work.save(tick.store, layer, gave);
    for cell in givers.iter() {
        let place = Place::in_layer(layer, cell);
        let (voxel, below) = (tick.store.read(place), floor_now(tick.store, place));
        let left = tick.limits.left(voxel, work.read().passed(cell));
        let units = falling(voxel.loose(), left, below);
        let mut record = work.cell(cell);
        record.pass_on(Face::Down, units);
        if voxel.is_fall() {
            record.mark(Mark::Fallen);
        }
        tick.report.moved += u64::from(units);
        if gave.contains(cell) {
            tick.store.write(place, voxel.with_height(voxel.height() - units));
        } else {
            tick.ledger.injected += u64::from(units);
        }
        match below {
            Voxel::DRAIN => tick.ledger.drained += u64::from(units),
            Voxel::SINK => tick.ledger.into_sea += u64::from(units),
            // The emptied highest cell of a run below is full again: its word says so already.
            _ if tick.store.is_in_run(tick.store.step(place, Face::Down)) => {}
            _ => falls.push((cell, units)),
        }
    }
    tick.wake_layer(layer, givers);
    if !falls.is_empty()
        && let Some(layer) = tick.store.lower_layer(layer)
    {
        let fell = falls.iter().map(|&(cell, _)| cell).collect();
        write_inflow(tick, layer, Face::Up, fell, |cell, voxel| {
            let units = falls.iter().find(|&&(at, _)| at == cell).map_or(0, |&(_, units)| units);
            voxel.with_height(voxel.height() + units)
        });
    }
    tick.wake_givers(layer, gave);
}

/// Writes the result of the kernel back into the world and wakes the cells that can now move.
fn apply(tick: &mut Tick, window: &Window, layer: LayerId, done: &LayerFlow, is_thin: bool) {
    tick.report.moved += done.moved;
    tick.ledger.drained += done.drained;
    tick.ledger.into_sea += done.into_sea;
    tick.ledger.injected += done.injected;
    if is_thin && !tick.store.has_runs() {
        return apply_thin(tick, window, layer, done);
    }
    let mut work = tick.scratch.record_mut(tick.store, layer);
    let touched = done.changed | done.sprang;
    work.mark(Mark::Touched, touched);
    if done.fallen.any() {
        work.mark(Mark::Fallen, done.fallen);
    }
    work.set_flows(touched, &window.flow);
    for (cells, face) in done.entered.into_iter().zip(Face::LATERAL) {
        if cells.any() {
            work.record_inflow(face, cells);
        }
    }
    if done.changed.any() {
        work.save(tick.store, layer, done.changed);
        if is_thin || done.changed.is_sparse() {
            for cell in done.changed.iter() {
                tick.store.write(Place::in_layer(layer, cell), window.at(cell));
            }
        } else {
            tick.store.write_layer(layer, |cells| window.copy_to(cells));
        }
    }
    tick.wake_layer(layer, touched);
    tick.wake_films_over(layer, done.changed);
    if done.fell.any()
        && let Some(layer) = tick.store.lower_layer(layer)
    {
        write_inflow(tick, layer, Face::Up, done.fell, |cell, _| window.below(cell));
    }
    for (side, face) in Face::LATERAL.into_iter().enumerate() {
        let there = tick.store.neighbour(layer.slot, face);
        if done.left[side].any() && there.is_some() {
            write_inflow(
                tick,
                layer.in_chunk(there),
                face.opposite(),
                done.left[side],
                |cell, _| window.beside(side, cell),
            );
        }
    }
    tick.wake_givers(layer, done.gave);
}

/// Writes the inflow into cells of `layer` through a face. `voxel` returns the new voxel of a cell
/// from its index and its old voxel.
fn write_inflow(
    tick: &mut Tick,
    layer: LayerId,
    face: Face,
    cells: LayerMask,
    voxel: impl Fn(usize, Voxel) -> Voxel,
) {
    let mut work = tick.scratch.record_mut(tick.store, layer);
    work.save(tick.store, layer, cells);
    work.mark(Mark::Touched, cells);
    work.record_inflow(face, cells);
    for cell in cells.iter() {
        let place = Place::in_layer(layer, cell);
        tick.store.write(place, voxel(cell, tick.store.read(place)));
    }
    tick.wake_layer(layer, cells);
    tick.wake_films_over(layer, cells);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::LAYER_CELLS;
    use crate::water::scratch::chunk_record::LayerRecord;
    use crate::water::scratch::test_worlds;

    /// Testing cells one by one finds the same givers as the whole window.
    #[test]
    fn a_few_givers_are_found_as_in_the_window_of_a_whole_layer() {
        let mut whole = Window::new();
        let (mut giving, mut exhausted) = (0, 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let tick = test_worlds::tick(&mut world);
            let limits = tick.limits;
            for layer in slots.into_iter().flat_map(|slot| slot.layers()) {
                let wet = tick.store.layer(layer).wet;
                let places: Vec<usize> = wet.iter().collect();
                let some: LayerMask = (0..places.len().min(6))
                    .map(|_| places[random.usize(..places.len())])
                    .collect();
                for cell in places {
                    let left = limits.left(tick.store.read(Place::in_layer(layer, cell)), 0);
                    let passed = if random.bool() { random.u8(..=left) } else { 0 };
                    let mut work = tick.scratch.record_mut(tick.store, layer);
                    work.cell(cell).pass_on(Face::West, passed);
                    exhausted += u32::from(passed == left);
                }
                whole.gather(tick.store, layer);
                let mut expected = some & whole.givers();
                for cell in expected.iter() {
                    let place = Place::in_layer(layer, cell);
                    if limits.left(tick.store.read(place), tick.scratch.passed_by_record(place))
                        == 0
                    {
                        expected.remove(cell);
                    }
                }
                let givers = givers_among(&tick, layer, some);
                assert_eq!(givers, expected, "seed {seed}: {layer:?}");
                giving += givers.count();
            }
        }
        assert!(giving > 200, "{giving} give");
        assert!(exhausted > 400, "{exhausted} exhausted");
    }

    /// Worlds in motion flow layer by layer, once as in a tick and once with a window of each whole
    /// layer.
    #[test]
    fn a_layer_flows_as_its_whole_window_flows() {
        let (mut window, mut moved) = (Window::new(), [0; 3]);
        for seed in 0..24 {
            let [mut world, mut other] = [(); 2].map(|()| test_worlds::springs(seed));
            let slots = world.store.grid().sorted_slots();
            let (mut tick, mut reference) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for layer in (0..16).flat_map(|y| slots.iter().map(move |&slot| LayerId { slot, y })) {
                let wet = reference.store.layer(layer).wet;
                let awake = reference.awake(layer) & wet;
                flow_layer(&mut tick, &mut window, layer);
                reference.report.visited += u64::from(awake.count());
                window.gather(reference.store, layer);
                let givers = awake & window.givers();
                let limits = reference.limits;
                let seed = reference.scratch.seed(reference.store, layer);
                let seeds = (Purpose::Order.seed(seed), Purpose::Sides.seed(seed));
                let work = reference.scratch.record_mut(reference.store, layer);
                window.flow = work.read().flows();
                let done = window.run(&Gathered, givers, limits, seeds);
                if done.moved > 0 {
                    let alone = givers.is_sparse() && only_fall(&reference, layer, givers);
                    moved[usize::from(givers.is_sparse()) + usize::from(alone)] += 1;
                    apply(&mut reference, &window, layer, &done, false);
                }
                assert_eq!(tick.report, reference.report, "seed {seed}: layer {layer:?}");
            }
            let places = slots.iter().flat_map(|&slot| slot.layers());
            for layer in places {
                let [here, there] =
                    [&tick, &reference].map(|tick| tick.store.cells(layer).copied());
                assert!(here == there, "seed {seed}: {layer:?}");
                let [here, there] = [&tick, &reference].map(|tick| {
                    let marks = |work: LayerRecord| {
                        let entries: [u8; LAYER_CELLS] =
                            core::array::from_fn(|cell| work.entries(cell));
                        (
                            work.flows(),
                            entries,
                            [work.marked(Mark::Touched), work.marked(Mark::Woken)],
                        )
                    };
                    (tick.awake(layer), tick.scratch.get(layer).map(marks))
                });
                assert_eq!(here.0, there.0, "seed {seed}: {layer:?}");
                let is_idle = here.1.is_none()
                    && there.1.is_some_and(|(.., marks)| marks == [LayerMask::NONE; 2]);
                assert!(is_idle || here.1 == there.1, "seed {seed}: {layer:?}");
            }
        }
        assert!(
            moved.iter().all(|&layers| layers > 50),
            "water moves in {moved:?} layers, in the second few cells, in the third it only falls"
        );
    }
}
