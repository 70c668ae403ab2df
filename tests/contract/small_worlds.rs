//! A store, and a world of each automaton with its bytes, that are small enough for Miri
//! (`.ci/miri`) to run.

use floodplain::blast::{self, BlastGraph, BlastWorld, Borders};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Sheet, Simulation};
use support::storage::grid::{self, BACKGROUND, Op, Stride};

/// Every operation there is, once, across borders of both shapes.
#[test]
fn a_small_store_agrees_with_the_model() {
    let corner = Region::new(IVec3::new(-1, -1, -1), IVec3::new(1, 0, 0));
    let ops = [
        Op::Set(IVec3::new(-1, 0, 0), 5),
        Op::Fill(corner, 2),
        Op::CopyIn(corner, 3),
        Op::CopyInWrong(corner, 1),
        Op::Wake(IVec3::ZERO),
        Op::MarkChanged(IVec3::ZERO),
        Op::Sleep(IVec3::ZERO),
        Op::Wake(IVec3::NEG_X),
        Op::Clone,
        Op::TakeAwake,
        Op::TakeChanges,
        Op::Walk(
            IVec3::ZERO,
            vec![
                Stride::Jump(IVec3::NEG_ONE),
                Stride::Step(Face::East),
                Stride::Jump(IVec3::new(64, 0, 0)),
            ],
        ),
        Op::Remove(IVec3::ZERO),
        Op::Insert(IVec3::ZERO, BACKGROUND, Some(17)),
        Op::InsertLoose(IVec3::NEG_ONE, BACKGROUND),
        Op::InsertAt(IVec3::MAX),
        Op::FillEverywhere(2),
        Op::FillEverywhere(BACKGROUND),
    ];
    grid::run::<Cube>(&ops, corner);
    grid::run::<Sheet>(&ops, corner);
}

/// A spring in a tunnel through one chunk of rock, over a step to the face of a chunk that is not
/// loaded, which drains.
#[test]
fn a_spring_runs_through_a_tunnel_to_a_drain() {
    let edges = Edges { unloaded: Edge::Drain, ..Edges::WALLS };
    let mut world = WaterWorld::new(3, Rules { edges, ..Rules::lossless() }).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
    for (from, to) in [([2, 5, 3], [3, 5, 3]), ([0, 4, 3], [2, 4, 3])] {
        world.fill_water(Region::new(from.into(), to.into()), 0).unwrap();
    }
    assert_eq!(world.add_source(IVec3::new(3, 5, 3)), Ok(true));
    assert_eq!(world.pour(IVec3::new(1, 4, 3), 5), Ok(5));
    let moved = world.run(5).moved;
    assert_eq!(world.validate(), Ok(()));
    assert!(moved > 0 && world.ledger().drained > 0, "{:?}", world.ledger());
    let (hash, held) = (world.state_hash(), world.total());
    let chunk = world.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!((world.total(), world.ledger().removed), (0, held));
    world.insert_chunk(ChunkPos::ZERO, chunk).unwrap();
    assert!(world.total() == held && world.state_hash() != hash, "the ledger is part of the state");
}

/// A few cells in the corner of one chunk.
fn corner() -> Region {
    Region::new(IVec3::ZERO, IVec3::new(3, 3, 0))
}

/// One step changes the world; then its bytes are the same world, which loading has checked for its
/// laws.
fn steps_and_comes_back<W: Simulation + Saved>(mut world: W) {
    assert!(world.step().changed > 0);
    let bytes = world.save();
    let loaded = W::load(&bytes).unwrap();
    assert_eq!((loaded.save() == bytes, loaded.state_hash()), (true, world.state_hash()));
}

#[test]
fn one_step_of_humidity_and_its_bytes() {
    for sweep in
        [humidity::Sweep::Conservative, humidity::Sweep::InPlace, humidity::Sweep::Synchronous]
    {
        let mut world: HumidityWorld =
            HumidityWorld::with_bounds(humidity::Rules::with_sweep(sweep), corner()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(1.0, 1.0))).unwrap();
        world.set_rain(IVec3::new(2, 2, 0), 40.0).unwrap();
        steps_and_comes_back(world);
    }
}

#[test]
fn one_step_of_explosions_and_its_bytes() {
    for rules in [blast::Rules::default(), blast::Rules::wave(0.25, 0.9)] {
        let mut world: BlastWorld =
            BlastWorld::with_bounds(rules, corner(), Borders::default()).unwrap();
        world.set_wall(IVec3::ONE.with_z(0), 4.0).unwrap();
        world.set_pressure(IVec3::X, 40.0).unwrap();
        steps_and_comes_back(world);
        let mut graph = BlastGraph::new(rules).unwrap();
        let [a, b] = [DVec3::ZERO, DVec3::X].map(|place| graph.add_node(place, 0.0).unwrap());
        graph.add_link(a, b, 1.0).unwrap();
        graph.set_pressure(a, 40.0).unwrap();
        assert_eq!(graph.step().changed, 2);
        assert_eq!(BlastGraph::load(&graph.save()).unwrap().state_hash(), graph.state_hash());
    }
}

#[test]
fn one_step_of_2d_water_and_its_bytes() {
    for rules in [water2d::Rules::default(), water2d::Rules::literal()] {
        let mut world = Water2dWorld::with_bounds(7, rules, corner()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::AIR)).unwrap();
        world.pour(IVec3::new(2, 2, 0), 300).unwrap();
        steps_and_comes_back(world);
    }
}

#[test]
fn one_step_of_water_and_its_bytes() {
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
    world.fill_water(Region::new(IVec3::ONE, IVec3::new(3, 3, 1)), 0).unwrap();
    world.add_source(IVec3::new(2, 3, 1)).unwrap();
    steps_and_comes_back(world);
}
