//! Bounds in a world of water: how long flags are out of date, how high water rises, and when it
//! comes to rest. For the tests `water::bounds` and the fuzz targets of water.

use super::Op;
use super::small::{built, watched};
use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Region};

/// Ticks in which a closed world of these sizes comes to rest.
const REST_TICKS: u64 = 4_000;

/// A cell with the flag.
fn flagged(world: &WaterWorld, flag: fn(WaterCell) -> bool) -> Option<IVec3> {
    let has = |cell: &IVec3| world.cell(*cell).is_some_and(flag);
    world.bounds().positions().find(has)
}

/// Lets all chunks go on that are frozen.
fn thaw_all(world: &mut WaterWorld) {
    let frozen: Vec<ChunkPos> = world.frozen_chunks().collect();
    world.thaw(frozen).expect("they are loaded");
}

/// Removes all springs: after one tick no cell has HasSource, however far from its spring.
pub fn has_source_clears(world: &mut WaterWorld) {
    thaw_all(world);
    while let Some(spring) = flagged(world, WaterCell::is_source) {
        assert_eq!(world.remove_source(spring), Ok(true));
    }
    world.step();
    assert_eq!(flagged(world, WaterCell::has_source), None);
}

/// Whether a chunk has sea in it.
fn has_sea(chunk: &Chunk<Voxel>) -> bool {
    (0..CHUNK_CELLS).any(|index| chunk.get(index).is_sea())
}

/// Whether an edit takes chunks out, is of the sea, or builds drains and taps.
fn takes_or_gives(edit: &Edit) -> bool {
    match edit {
        Edit::RemoveChunk(_) | Edit::RemoveChunks(_) | Edit::SetFixture { .. } => true,
        Edit::SetSea(_) | Edit::ClearSea(_) | Edit::FillSea(_) | Edit::SetEdge { .. } => true,
        Edit::InsertChunk { chunk, .. } => has_sea(chunk),
        Edit::InsertChunks(list) => list.iter().any(|(_, chunk)| has_sea(chunk)),
        _ => false,
    }
}

/// Makes the edits, but for those that take chunks out, are of the sea, or build drains and taps,
/// in a world with these rules. In the end no chunk is frozen.
fn edited(seed: u64, rules: Rules, bounds: Region, ops: &[Op]) -> WaterWorld {
    let is_kept = |op: &&Op| !matches!(op, Op::Edit(edit) if takes_or_gives(edit));
    let ops: Vec<Op> = ops.iter().filter(is_kept).cloned().collect();
    let mut watched = watched(seed, rules, bounds);
    watched.play(&ops).unwrap();
    let mut world = watched.into_world();
    thaw_all(&mut world);
    world
}

/// Makes the edits in a world with open sides, and walls these off: after one tick no cell has
/// FlowOut.
pub fn flow_out_clears(seed: u64, bounds: Region, ops: &[Op]) {
    let edges = Edges { unloaded: Edge::Wall, ..Edges::DRAINING_SIDES };
    let mut world = edited(seed, Rules { edges, ..Rules::lossless() }, bounds, ops);
    let (min, max) = (bounds.min(), bounds.max());
    for wall in [
        Region::new(min, max.with_x(min.x)),
        Region::new(min.with_x(max.x), max),
        Region::new(min, max.with_z(min.z)),
        Region::new(min.with_z(max.z), max),
    ] {
        world.fill_solid(wall).expect("inside the world");
    }
    world.step();
    assert_eq!(flagged(&world, WaterCell::has_flow_out), None);
}

/// Makes the edits in a closed world without evaporation: it comes to rest, lawful and without a
/// current.
pub fn comes_to_rest(seed: u64, bounds: Region, ops: &[Op]) {
    let mut world = edited(seed, Rules::lossless(), bounds, ops);
    world.run(REST_TICKS);
    assert!(world.is_at_rest(), "{} cells still awake", world.awake_cells());
    assert_eq!(world.validate(), Ok(()));
    // The step that put the last cell to sleep moved nothing, so nothing is to be drawn as flowing.
    for cell in bounds.positions() {
        assert!(world.current(cell) == IVec3::ZERO, "a current at {cell} in a world at rest");
    }
}

/// Two halves with a wall between them, each with springs of its own and no other water: for so
/// many ticks neither fills above its own. Springs and ground are cells of the world.
pub fn stays_below_its_springs(
    seed: u64,
    rules: Rules,
    bounds: Region,
    ground: &[IVec3],
    springs: &[IVec3],
    ticks: usize,
) {
    let mut world = built(seed, Rules { edges: Edges::WALLS, ..rules }, bounds);
    let middle = bounds.min().x + (bounds.max().x - bounds.min().x) / 2;
    world
        .fill_solid(Region::new(bounds.min().with_x(middle), bounds.max().with_x(middle)))
        .expect("inside");
    for &cell in ground {
        world.set_solid(cell).expect("inside the world");
    }
    let mut heads = [None; 2];
    for &cell in springs.iter().filter(|spring| spring.x != middle) {
        world.clear_solid(cell).and_then(|_| world.add_source(cell)).expect("inside the world");
        let head = &mut heads[usize::from(cell.x > middle)];
        *head = (*head).max(Some(cell.y));
    }
    for _ in 0..ticks {
        world.step();
        for cell in bounds.positions().filter(|&cell| world.units(cell) > 0) {
            let head = heads[usize::from(cell.x > middle)];
            assert!(Some(cell.y) <= head, "water at {cell}, the highest spring at y = {head:?}");
        }
    }
}
