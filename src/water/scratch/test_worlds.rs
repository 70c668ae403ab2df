//! Random worlds for the unit tests of the tick.

use crate::chunk::{Chunk, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Shape};
use crate::water::cell::CellFlags;
use crate::water::scratch::Tick;
use crate::water::scratch::schedule::Phase;
use crate::water::store::flow::parked::forbid_parking;
use crate::water::store::{Place, Store};
use crate::water::{Edge, Edges, Rules, Voxel, WaterCell, WaterWorld};
use fastrand::Rng;
use glam::IVec3;
use hashbrown::HashSet;

/// Returns a world with springs at several heights among rocks and pools, over eight chunks, after
/// some ticks and before the next.
pub(crate) fn springs(seed: u64) -> WaterWorld {
    springs_with(seed, |world, _| _ = world.step())
}

/// Returns a world like that of [`springs`], with each tick run by `tick`, which is passed the
/// tick's number.
pub(crate) fn springs_with(seed: u64, mut tick: impl FnMut(&mut WaterWorld, u32)) -> WaterWorld {
    let mut random = Rng::with_seed(seed);
    let bounds = Region::new(IVec3::new(-6, -5, -6), IVec3::new(5, 6, 5));
    let unloaded = [Edge::Wall, Edge::Drain][random.usize(..2)];
    let rules = Rules {
        throughput: random.u8(2..=7),
        edges: Edges { unloaded, ..Edges::WALLS },
        ..Rules::lossless()
    };
    let mut world =
        WaterWorld::with_bounds(seed, rules, bounds).expect("rules within their ranges");
    // Tests write to the store directly, which takes no cell out of a run and unparks no film.
    world.store.forbid_runs();
    forbid_parking(&mut world.store);
    for chunk in Cube::chunks_of(bounds) {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("a chunk of the bounds");
    }
    let mut cell = || IVec3::new(random.i32(-6..6), random.i32(-5..7), random.i32(-6..6));
    for round in 0..12 {
        let (rock, pool) = (cell(), cell());
        // If there is rock already, or none may be placed, the next random cell is tried.
        let _ = world.fill_solid(Region::new(rock, (rock + IVec3::new(3, 1, 3)).min(bounds.max())));
        let _ = world.fill_water(Region::new(pool, (pool + 1).min(bounds.max())), 6);
        let _ = world.add_source(cell());
        (0..3).for_each(|at| tick(&mut world, 3 * round + at));
    }
    world
}

/// Returns a world with a chunk of water in which every cell is fed from the west, from the north
/// and from below, up to a spring in its first cell: far more ways up than could be walked one by
/// one.
pub(crate) fn weave() -> WaterWorld {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules within their ranges");
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let slot = world.store.grid().sorted_slots()[0];
    for index in 0..CHUNK_CELLS {
        let behind =
            [(Face::West, index & 15), (Face::North, index >> 4 & 15), (Face::Down, index >> 8)];
        let faces = behind
            .into_iter()
            .fold(0, |faces, (face, at)| faces | u8::from(at > 0) << face.index());
        let voxel = match Store::faces(faces).next() {
            Some(first) => {
                Voxel::OPEN.with_height(3).with_parent(first).with(CellFlags::HAS_SOURCE, true)
            }
            None => Voxel::water(WaterCell::SOURCE),
        };
        let voxel = world.store.keep_parents(Place { slot, index }, faces, voxel);
        world.store.write(Place { slot, index }, voxel);
    }
    world
}

/// Returns every cell of every loaded chunk.
pub(crate) fn places(world: &WaterWorld) -> Vec<Place> {
    let slots = world.store.grid().sorted_slots();
    slots
        .into_iter()
        .flat_map(|slot| (0..16 * LAYER_CELLS).map(move |index| Place { slot, index }))
        .collect()
}

/// Returns a tick that has begun, before any flow.
pub(crate) fn tick(world: &mut WaterWorld) -> Tick<'_> {
    let (tick, _) = world.underway();
    while tick.scratch.enter_next(tick.store).is_some() {}
    tick.scratch.phase = Phase::Flow;
    tick
}

/// Puts every cell to sleep.
pub(crate) fn put_to_sleep(store: &mut Store) {
    for slot in store.grid().sorted_slots() {
        if let Some(mask) = store.grid_mut().awake_at_mut(slot) {
            (0..16).for_each(|layer| mask.set_layer(layer, LayerMask::NONE));
        }
    }
}

/// Returns a cell and all cells that feed it, however far up.
pub(crate) fn ancestors(store: &Store, place: Place) -> HashSet<Place> {
    let mut met: HashSet<Place> = HashSet::from([place]);
    let mut open = vec![place];
    while let Some(place) = open.pop() {
        for face in Store::faces(store.parents_of(place)) {
            let parent = store.step(place, face);
            if parent.is_some() && met.insert(parent) {
                open.push(parent);
            }
        }
    }
    met
}

/// Returns any voxel: rock, air, a spring, or water of any height that flows anywhere.
pub(crate) fn voxel(random: &mut Rng) -> Voxel {
    match random.u8(..16) {
        0 => Voxel::SOLID,
        1 => Voxel::water(WaterCell::SOURCE),
        2 => Voxel::OPEN,
        _ => Voxel::OPEN
            .with_height(random.u8(1..8))
            .with_direction(Face::from_index(random.u8(..7))),
    }
}
