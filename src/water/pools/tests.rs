//! Unit tests of levelling.

use super::*;
use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::context::layer_record::LayerRecord;
use crate::water::context::test_worlds;
use crate::water::store::Store;
use crate::water::voxel::Voxel;
use crate::water::{Rules, WaterCell, WaterWorld};
use glam::IVec3;

/// The path crosses a chunk border, and goes up and down, so that it re-enters layers.
#[test]
fn a_transfer_along_a_path_equals_passing_from_cell_to_cell() {
    let cells =
        [(14, 12), (14, 13), (15, 13), (15, 12), (16, 12), (16, 13), (16, 14), (16, 15), (17, 15)];
    for (narrow, at_most) in
        (0..cells.len()).flat_map(|narrow| [(narrow, 1), (narrow, 3), (narrow, 7)])
    {
        let [mut world, mut other] = [(); 2].map(|()| {
            let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
            for x in 0..2 {
                let full = Chunk::uniform(Voxel::OPEN.with_height(FULL));
                world.insert_chunk(IVec3::X * x, full).expect("none is there");
            }
            assert_eq!(world.scoop(IVec3::new(13, 12, 5), 5), Ok(5));
            test_worlds::put_to_sleep(&mut world.store);
            world
        });
        let place = |(x, y): (i32, i32)| {
            let cell = IVec3::new(x, y, 5);
            world.place(cell).expect("loaded")
        };
        let to = place((13, 12));
        let mut path: Vec<Step> = Vec::new();
        for cell in cells {
            let before = path.last().map_or(to, |&(before, _)| before);
            let exit =
                Face::ALL.into_iter().find(|&face| world.store.step(place(cell), face) == before);
            path.push((place(cell), exit.expect("the cell before lies beside it")));
        }
        let (mut tick, mut reference) =
            (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
        for tick in [&mut tick, &mut reference] {
            tick.pass_on(path[narrow].0, Face::Up, FULL - at_most);
        }
        let own = head(12, 2);
        tick.transfer(&path, to, own);
        let units = at_most.min(5);
        reference.take(path[cells.len() - 1].0, units);
        for &(place, exit) in path.iter().rev() {
            reference.pass_on(place, exit, units);
            reference.wake_cell(place);
        }
        reference.receive(to, path[0].1.opposite(), units, reference.store.read(to).largest());

        assert_eq!(tick.report, reference.report, "{narrow}, {at_most}");
        for (slot, layer) in tick
            .store
            .grid()
            .sorted_slots()
            .into_iter()
            .flat_map(|slot| (0..16).map(move |at| (slot, at)))
        {
            let marks =
                |work: &LayerRecord| (work.flows(), work.inflow(), [work.touched, work.woken]);
            let [here, there] =
                [&tick, &reference].map(|tick| tick.work.get(slot, layer).map(marks));
            assert_eq!(here, there, "{narrow}, {at_most}");
            assert_eq!(
                tick.awake(slot, layer),
                reference.awake(slot, layer),
                "{narrow}, {at_most}"
            );
            let [here, there] =
                [&tick, &reference].map(|tick| tick.store.select(slot, layer, Voxel::is_closed));
            assert_eq!(here, there, "{narrow}, {at_most}");
        }
        assert_eq!(tick.store.read(to).height(), 2 + units);
    }
}

/// Puddles on a floor, most of them of one unit. In every other world most of the water has
/// moved.
#[test]
fn no_cell_draws_from_a_film_or_from_water_that_has_moved() {
    let (mut films, mut moved, mut others) = (0, 0, 0);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut cells = [Voxel::OPEN; 16 * LAYER_CELLS];
        cells[..LAYER_CELLS].fill(Voxel::SOLID);
        for cell in &mut cells[LAYER_CELLS..2 * LAYER_CELLS] {
            *cell = match random.u8(..60) {
                0..20 => Voxel::OPEN.with_height(1),
                20 => Voxel::OPEN.with_height(random.u8(2..8)),
                21 => Voxel::water(WaterCell::SOURCE),
                22..26 => Voxel::SOLID,
                _ => Voxel::OPEN,
            };
        }
        let mut world = WaterWorld::new(seed, Rules::lossless()).expect("rules in range");
        world.insert_chunk(IVec3::ZERO, Chunk::from_cells(&cells)).expect("none is there");
        world.wake_all();
        let slot = world.store.grid().sorted_slots()[0];
        let mut tick = test_worlds::tick(&mut world);
        if seed % 2 == 1 {
            let still = 1 << random.u32(..64) | 1 << random.u32(..64);
            tick.work.join(tick.store, slot, 1).touched = LayerMask::from_words([!still; 4]);
        }
        let mut pools = Pools::begun(tick.store);
        pools.find(&mut tick, slot, 1);
        for body in core::mem::take(&mut pools.bodies) {
            let (is_film, has_moved) = (tick.is_film(&body), tick.is_all_touched(&body));
            let mut levelling = Levelling::new(body);
            assert!(
                tick.advance_to_draw(&mut levelling, &mut Budget::new(usize::MAX)),
                "seed {seed}"
            );
            let drawers = levelling.drawers.len();
            assert!(!(is_film || has_moved) || drawers == 0, "seed {seed}");
            films += u32::from(is_film);
            moved += u32::from(has_moved && !is_film);
            others += u32::from(drawers > 0);
        }
    }
    assert!(
        films > 100 && moved > 20 && others > 20,
        "{films} films, {moved} moved, {others} with drawers"
    );
}

/// Bodies over several layers. In some layers all water has moved.
#[test]
fn a_body_has_moved_if_all_its_cells_have_moved() {
    let mut found = [0; 3];
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = test_worlds::springs(seed);
        let slots = world.store.grid().sorted_slots();
        let layers: Vec<_> =
            slots.iter().flat_map(|&slot| (0..16).map(move |layer| (slot, layer))).collect();
        world.wake_all();
        let mut tick = test_worlds::tick(&mut world);
        for &(slot, layer) in &layers {
            let touched = if random.u8(..4) > 0 { LayerMask::ALL } else { LayerMask::NONE };
            tick.work.join(tick.store, slot, layer).touched = touched;
        }
        let mut pools = Pools::begun(tick.store);
        for &(slot, layer) in &layers {
            pools.find(&mut tick, slot, layer);
        }
        for body in core::mem::take(&mut pools.bodies) {
            let moved = |piece: &&Piece| {
                tick.work
                    .get(piece.slot, piece.layer)
                    .is_some_and(|work| work.touched == LayerMask::ALL)
            };
            let count = body.pieces.iter().filter(moved).count();
            assert_eq!(tick.is_all_touched(&body), count == body.pieces.len(), "seed {seed}");
            found[usize::from(count > 0) + usize::from(count == body.pieces.len())] += 1;
        }
    }
    assert!(
        found.iter().all(|&bodies| bodies > 20),
        "{found:?} bodies at rest, in part, and all in motion"
    );
}

impl Pools {
    /// Returns an empty set of bodies for a tick that has begun.
    pub(crate) fn begun(store: &Store) -> Self {
        let mut pools = Pools::default();
        pools.begin(store.grid().slot_capacity());
        pools
    }

    /// Finds all bodies with awake or touched cells in a layer.
    pub(crate) fn find(&mut self, tick: &mut Context, slot: Slot, layer: usize) {
        tick.begin_flood(self, slot, layer);
        while tick.resume_flood(self).is_some() {}
    }
}

#[test]
fn passing_along_a_layer_equals_passing_from_cell_to_cell() {
    let mut random = fastrand::Rng::with_seed(12);
    let (mut passed_on, mut exhausted, mut woken) = (0, 0, 0);
    for seed in 0..6 {
        let [mut world, mut other] = [(); 2].map(|()| {
            let mut world = test_worlds::springs(seed);
            if seed % 2 == 1 {
                test_worlds::put_to_sleep(&mut world.store);
            }
            world
        });
        let slots = world.store.grid().sorted_slots();
        let (mut tick, mut reference) =
            (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
        for (slot, layer) in
            slots.into_iter().flat_map(|slot| (0..64).map(move |at| (slot, at % 16)))
        {
            let wet = tick.store.layer(slot, layer).wet.iter();
            let mut path: Vec<Step> = Vec::new();
            for cell in wet {
                let exit = Face::ALL[random.usize(..6)];
                path.extend(
                    (random.u8(..3) == 0).then_some((Place::in_layer(slot, layer, cell), exit)),
                );
            }
            let left = path.iter().map(|&(place, _)| {
                reference.limits.left(reference.store.read(place), reference.work.passed(place))
            });
            let left = left.min().unwrap_or(u8::MAX);
            assert_eq!(tick.left_along(&path), left, "seed {seed}");
            if path.is_empty() || left == 0 {
                continue;
            }
            let units = random.u8(1..=left);
            let awake_before = tick.awake(slot, layer);
            tick.pass_along_in_layer(&path, units);
            for &(place, exit) in &path {
                reference.pass_on(place, exit, units);
                reference.wake_cell(place);
            }
            let (here, there) = (tick.work.get(slot, layer), reference.work.get(slot, layer));
            let (here, there) =
                (here.expect("the layer is recorded"), there.expect("the layer is recorded"));
            let marks = |work: &LayerRecord| [work.touched, work.woken];
            assert_eq!((here.flows(), marks(here)), (there.flows(), marks(there)), "seed {seed}");
            assert_eq!(tick.awake(slot, layer), reference.awake(slot, layer), "seed {seed}");
            assert_eq!(tick.report, reference.report, "seed {seed}");
            passed_on += path.len();
            let is_spent = |&&(place, _): &&Step| tick.work.passed(place) == left;
            exhausted += path.iter().filter(is_spent).count();
            woken += (tick.awake(slot, layer) - awake_before).count();
        }
    }
    assert!(passed_on > 500 && exhausted > 50, "{passed_on} cells, {exhausted} exhausted");
    assert!(woken > 100, "{woken} cells slept");
}
