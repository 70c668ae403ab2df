//! What a call counts in worlds that once did much at once: each is run one piece a call, where no
//! piece may look at more than a chunk has cells, and counts what the tick did beside its visits.

use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Face, Region, Shape, StepReport};
use std::collections::BTreeMap;

/// The most that a piece counts: the cells of a chunk and, once more, 16 rows.
const PIECE: u64 = 4_096 + 16;

/// Runs the same world at once and one piece a call. Returns the most cells that a tick looked at
/// beside those that it visited.
fn in_pieces(build: impl Fn() -> WaterWorld, ticks: u64) -> u64 {
    let (mut whole, mut sliced) = (build(), build());
    let mut most = 0;
    for tick in 0..ticks {
        let (mut visited, mut sum) = (0, StepReport::default());
        loop {
            let progress = sliced.step_within(0);
            assert!(progress.visited <= PIECE, "{} in tick {tick}", progress.visited);
            visited += progress.visited;
            sum += progress.report;
            if progress.finished {
                break;
            }
        }
        most = most.max(visited - sum.visited);
        assert_eq!(sum, whole.step(), "tick {tick}");
        assert_eq!(sliced.state_hash(), whole.state_hash(), "tick {tick}");
    }
    most
}

/// The cells of a channel that winds through rock at y = 1, 192 cells wide, from the first on; if
/// it `drains`, the last lies below, over a draining edge.
fn winding(length: usize, drains: bool) -> Vec<IVec3> {
    let (mut cells, mut at, mut step) = (vec![IVec3::Y], IVec3::Y, IVec3::X);
    while cells.len() < length {
        let is_turn = !(0..192).contains(&(at + step).x);
        if is_turn {
            cells.push(at + IVec3::Z);
            step = -step;
        }
        at += if is_turn { 2 * IVec3::Z } else { step };
        cells.push(at);
    }
    if drains {
        cells.push(at - IVec3::Y);
    }
    cells
}

/// Such a channel in which all cells have this height, and are fed by a spring in the first.
fn channel(length: usize, height: u16, drains: bool) -> WaterWorld {
    let cells = winding(length, drains);
    let voxel = |number: usize| {
        let from = number.checked_sub(1).map(|before| cells[number] - cells[before]);
        let face = Face::ALL.into_iter().find(|face| Some(face.offset()) == from);
        // Fed from there, connected to a spring, and just active.
        let word = |face: Face| height | (face.index() as u16 + 1) << 3 | 1 << 7 | 7 << 8 | 1 << 11;
        face.map_or(WaterCell::SOURCE, |face| WaterCell::from_word(word(face)).unwrap()).into()
    };
    carved((0..cells.len()).map(|number| (cells[number], voxel(number))).collect())
}

/// A world of rock but for these cells, whose lower end drains.
fn carved(cells: Vec<(IVec3, Voxel)>) -> WaterWorld {
    let far = cells.iter().map(|&(cell, _)| cell).reduce(IVec3::max).unwrap();
    let rules = Rules { edges: Edges::WALLS.with(Face::Down, Edge::Drain), ..Rules::lossless() };
    let bounds = Region::new(IVec3::ZERO, far.with_x(191));
    let mut world = WaterWorld::with_bounds(1, rules, bounds).unwrap();
    let mut chunks: BTreeMap<ChunkPos, Vec<Voxel>> = BTreeMap::new();
    for (cell, voxel) in cells {
        let chunk = chunks.entry(Cube::chunk_of(cell));
        chunk.or_insert_with(|| vec![Voxel::SOLID; CHUNK_CELLS])[Cube::index_of(cell)] = voxel;
    }
    let chunks = chunks.into_iter().map(|(chunk, cells)| {
        let cells: &[Voxel; CHUNK_CELLS] = cells.as_slice().try_into().unwrap();
        (chunk, Chunk::from_cells(cells))
    });
    world.insert_chunks(chunks).unwrap();
    world
}

/// A dry river hangs on its spring. All that hung on a cell that dried up was one piece once, and
/// counted as 256 cells at most.
#[test]
fn a_long_river_dries_up_in_pieces() {
    const LENGTH: usize = 4_000;
    let build = || {
        let mut world = channel(LENGTH, 0, false);
        assert!(world.remove_source(IVec3::Y).unwrap());
        world
    };
    let most = in_pieces(build, 70);
    let mut world = build();
    // Activity ends 64 ticks after the last flow.
    world.run(70);
    let dry =
        winding(LENGTH, false).into_iter().filter(|&cell| world.voxel(cell) == Some(Voxel::OPEN));
    assert!(dry.count() > LENGTH - 100, "not dry");
    assert!(most > 2 * LENGTH as u64, "{most} cells beside those visited");
}

/// A river in flow that leads to an end of the world: draws, and the search for steady flow, go
/// along all of it, and count.
#[test]
fn a_long_path_to_an_end_is_walked_in_pieces() {
    const LENGTH: usize = 20_000;
    let most = in_pieces(|| channel(LENGTH, 7, true), 2);
    assert!(most > 2 * LENGTH as u64, "{most} cells beside those visited");
}

/// Which spring is the highest above a cell is searched through forks. The searches did not count.
#[test]
fn springs_at_several_heights_are_searched_in_pieces() {
    let build = || {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(47, 6, 31));
        let mut world = WaterWorld::with_bounds(5, Rules::lossless(), bounds).unwrap();
        for chunk in Region::new(IVec3::ZERO, IVec3::new(2, 0, 1)).positions() {
            world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
        }
        for (x, y, z) in [(5, 2, 11), (14, 5, 11), (25, 4, 5), (33, 3, 19), (42, 4, 27)] {
            world.add_source(IVec3::new(x, y, z)).unwrap();
        }
        world.run(150);
        world
    };
    let most = in_pieces(build, 40);
    // Pools do not ask for springs: what is left is what draws ask for.
    assert!(most > 3_500, "{most} cells beside those visited");
}

/// A tunnel full of water, with a shaft full of water at one end and an empty one at the other. All
/// that moves passes through all of the tunnel, which is walked through for it. That was one piece,
/// and counted as 256 cells at most.
#[test]
fn a_way_through_a_long_body_resumes_in_pieces() {
    const LENGTH: usize = 3_000;
    let build = || {
        let tunnel = winding(LENGTH, false);
        let shaft = |foot: IVec3, voxel: Voxel| (1..5).map(move |up| (foot + up * IVec3::Y, voxel));
        let full = Voxel::from(WaterCell::from_word(7).unwrap());
        let mut cells: Vec<(IVec3, Voxel)> = tunnel.iter().map(|&cell| (cell, full)).collect();
        cells.extend(shaft(tunnel[0], full));
        cells.extend(shaft(tunnel[tunnel.len() - 1], Voxel::OPEN));
        let mut world = carved(cells);
        world.wake_all();
        world
    };
    let most = in_pieces(build, 3);
    assert!(most > 9_000, "{most} cells beside those visited");
}

/// Every chunk takes part. Only their order and the publishing of their changes are not counted.
#[test]
fn many_chunks_take_part_in_pieces() {
    const SIDE: i32 = 36;
    let build = || {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(16 * SIDE - 1, 15, 16 * SIDE - 1));
        let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).unwrap();
        let chunks = Region::new(IVec3::ZERO, IVec3::new(SIDE - 1, 0, SIDE - 1))
            .positions()
            .map(ChunkPos::from);
        world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN)))).unwrap();
        for at in 0..SIDE * SIDE {
            let chunk = ChunkPos::new(at / SIDE, 0, at % SIDE);
            world.pour(Cube::cell_at(chunk, 0) + IVec3::new(8, 3, 8), 2).unwrap();
        }
        world
    };
    let most = in_pieces(build, 5);
    assert!(most > 120_000, "{most} cells beside those visited");
    let (mut whole, mut sliced) = (build(), build());
    for tick in 0..6 {
        whole.step();
        while !sliced.step_within(0).finished {}
        if tick % 2 == 1 {
            // What has changed in a chunk goes with it.
            let chunk = ChunkPos::new(tick, 0, tick);
            assert!(sliced.remove_chunk(chunk).unwrap() == whole.remove_chunk(chunk).unwrap());
            assert_eq!(sliced.take_all_changes(), whole.take_all_changes(), "tick {tick}");
        }
        let saved = whole.save();
        for calls in 0..4 {
            assert!(!sliced.step_within(3_000).finished, "tick {tick}");
            assert!(sliced.save() == saved, "tick {tick}, {calls} calls of the next");
        }
        whole.step();
        sliced.finish_tick();
        assert_eq!(sliced.take_changes(), whole.take_changes(), "tick {tick}");
    }
}
