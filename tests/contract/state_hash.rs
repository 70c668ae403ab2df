//! The hash of a world's state: worlds that differ in anything that it is of have different hashes,
//! and what it is not of makes no difference. Most other tests only compare hashes of worlds that
//! should be equal.

use floodplain::blast::{self, BlastGraph, BlastWorld};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Face, Region, Sheet};

const HERE: IVec3 = IVec3::new(5, 6, 0);

/// Checks that no two of these hashes are one.
fn all_differ(hashes: &[(&str, u64)]) {
    for (at, (name, hash)) in hashes.iter().enumerate() {
        for (other, other_hash) in &hashes[..at] {
            assert_ne!(hash, other_hash, "{other} and {name}");
        }
    }
}

#[test]
fn hashes_of_humidity_tell_steps_ledger_cells_and_ground_apart() {
    for sweep in [Sweep::Conservative, Sweep::Synchronous] {
        let hash = |at: IVec3, edit: fn(&mut HumidityWorld)| {
            let mut world = HumidityWorld::new(humidity::Rules::with_sweep(sweep)).unwrap();
            world.insert_chunk(at.into(), Chunk::uniform(humidity::Cell::soil(5.0, 1.0))).unwrap();
            edit(&mut world);
            world.state_hash()
        };
        let mut hashes = vec![
            ("nothing done", hash(IVec3::ZERO, |_| {})),
            ("elsewhere", hash(IVec3::X, |_| {})),
            ("a step", hash(IVec3::ZERO, |world| assert_eq!(world.run(1).changed, 0))),
            ("wet", hash(IVec3::ZERO, |world| assert_eq!(world.set_humidity(HERE, 6.0), Ok(5.0)))),
            (
                "loam",
                hash(IVec3::ZERO, |world| assert_eq!(world.set_impermeability(HERE, 2.0), Ok(1.0))),
            ),
            ("rain", hash(IVec3::ZERO, |world| world.set_rain(HERE, 5.0).unwrap())),
        ];
        let there_and_back = hash(IVec3::ZERO, |world| {
            world.set_humidity(HERE, 6.0).unwrap();
            world.set_humidity(HERE, 5.0).unwrap();
        });
        if sweep == Sweep::Conservative {
            hashes.push(("placed and removed", there_and_back));
        } else {
            assert_eq!(there_and_back, hashes[0].1, "there is no ledger");
        }
        all_differ(&hashes);
    }
}

#[test]
fn hashes_of_2d_water_tell_seed_steps_ledger_and_cells_apart() {
    let hash = |seed: u64, at: IVec3, edit: fn(&mut Water2dWorld)| {
        let mut world = Water2dWorld::new(seed, water2d::Rules::default()).unwrap();
        world.insert_chunk(at.into(), Chunk::uniform(water2d::Cell::AIR)).unwrap();
        edit(&mut world);
        world.state_hash()
    };
    all_differ(&[
        ("nothing done", hash(7, IVec3::ZERO, |_| {})),
        ("another seed", hash(8, IVec3::ZERO, |_| {})),
        ("elsewhere", hash(7, IVec3::X, |_| {})),
        ("a step", hash(7, IVec3::ZERO, |world| assert_eq!(world.run(1).changed, 0))),
        ("ground", hash(7, IVec3::ZERO, |world| world.set_solid(HERE).map(drop).unwrap())),
        ("placed", hash(7, IVec3::ZERO, |world| world.pour(HERE, 3).map(drop).unwrap())),
        (
            "placed and removed",
            hash(7, IVec3::ZERO, |world| {
                world.pour(HERE, 3).unwrap();
                world.scoop(HERE, 3).unwrap();
            }),
        ),
    ]);
}

fn pressure(edit: fn(&mut BlastWorld)) -> u64 {
    let mut world = BlastWorld::<Sheet>::new(blast::Rules::wave(0.2, 0.9)).unwrap();
    edit(&mut world);
    world.state_hash()
}

fn around() -> Region {
    Region::new(HERE - IVec3::new(3, 3, 0), HERE + IVec3::new(3, 3, 0))
}

/// Where pressure was a step ago, and something still flows.
fn flow_from(world: &mut BlastWorld, charge: f32) {
    world.set_pressure(HERE, charge).unwrap();
    world.step();
    world.fill_pressure(around(), 0.0).unwrap();
}

#[test]
fn hashes_of_pressure_tell_steps_cells_flows_and_what_stands_there_apart() {
    all_differ(&[
        ("nothing done", pressure(|_| {})),
        ("a step", pressure(|world| _ = world.run(1))),
        ("a charge", pressure(|world| _ = world.set_pressure(HERE, 1.0).unwrap())),
        (
            "a charge elsewhere",
            pressure(|world| _ = world.set_pressure(HERE + IVec3::X * 64, 1.0).unwrap()),
        ),
        ("an obstacle", pressure(|world| _ = world.set_solid(HERE).unwrap())),
        ("a wall", pressure(|world| _ = world.set_wall(HERE, 1.0).unwrap())),
        ("a stronger wall", pressure(|world| _ = world.set_wall(HERE, 2.0).unwrap())),
        ("a link", pressure(|world| _ = world.set_link(HERE, Face::East, 0.5).unwrap())),
        ("a thinner link", pressure(|world| _ = world.set_link(HERE, Face::East, 0.25).unwrap())),
        ("a flow", pressure(|world| flow_from(world, 10.0))),
        ("a stronger flow", pressure(|world| flow_from(world, 20.0))),
    ]);
}

#[test]
fn a_chunk_of_open_space_counts_like_one_that_is_not_there() {
    let nothing = [pressure(|_| {}), pressure(|world| _ = world.run(1))];
    assert_eq!(
        pressure(|world| world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(0.0)).unwrap()),
        nothing[0]
    );
    let linked_and_back = pressure(|world| {
        for weight in [0.5, 1.0] {
            world.set_link(HERE, Face::East, weight).unwrap();
        }
    });
    assert_eq!(linked_and_back, nothing[0]);
    // Nothing flows any more, though something did.
    let stopped = pressure(|world| {
        flow_from(world, 10.0);
        world.fill_solid(around()).unwrap();
        around().positions().for_each(|cell| _ = world.clear_solid(cell).unwrap());
    });
    assert_eq!(stopped, nothing[1]);
}

#[test]
fn hashes_of_graphs_tell_steps_nodes_and_links_apart() {
    let hash = |edit: fn(&mut BlastGraph, [blast::NodeId; 3])| {
        let mut graph = BlastGraph::new(blast::Rules::wave(0.2, 0.9)).unwrap();
        let nodes = [0.0, 1.0, 2.0].map(|x| graph.add_node(DVec3::X * x, 0.0).unwrap());
        edit(&mut graph, nodes);
        graph.state_hash()
    };
    all_differ(&[
        ("nothing done", hash(|_, _| {})),
        ("a step", hash(|graph, _| _ = graph.run(1))),
        ("a node less", hash(|graph, [_, _, c]| _ = graph.remove_node(c).unwrap())),
        ("a charge", hash(|graph, [a, ..]| _ = graph.set_pressure(a, 1.0).unwrap())),
        ("a wall", hash(|graph, [a, ..]| _ = graph.set_wall(a, 1.0).unwrap())),
        ("a stronger wall", hash(|graph, [a, ..]| _ = graph.set_wall(a, 2.0).unwrap())),
        ("a link", hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::X).unwrap())),
        (
            "a link of others",
            hash(|graph, [_, b, c]| graph.add_link_along(b, c, 1.0, DVec3::X).unwrap()),
        ),
        ("a vent", hash(|graph, [a, ..]| graph.add_vent(a, 1.0, DVec3::X).unwrap())),
        (
            "a thinner link",
            hash(|graph, [a, _, c]| graph.add_link_along(a, c, 0.5, DVec3::X).unwrap()),
        ),
        (
            "a link to the west",
            hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::NEG_X).unwrap()),
        ),
        ("a link up", hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::Y).unwrap())),
        (
            "a link down",
            hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::NEG_Y).unwrap()),
        ),
        (
            "a link to the south",
            hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::Z).unwrap()),
        ),
        (
            "a link to the north",
            hash(|graph, [a, _, c]| graph.add_link_along(a, c, 1.0, DVec3::NEG_Z).unwrap()),
        ),
        ("a linked graph after a step", hash(|graph, nodes| flow_through(graph, nodes, 0.0))),
        ("a flow", hash(|graph, nodes| flow_through(graph, nodes, 10.0))),
    ]);
}

/// A step of two linked nodes, after which neither has pressure.
fn flow_through(graph: &mut BlastGraph, [a, _, c]: [blast::NodeId; 3], charge: f64) {
    graph.add_link_along(a, c, 1.0, DVec3::X).unwrap();
    graph.set_pressure(a, charge).unwrap();
    graph.step();
    [a, c].into_iter().for_each(|node| _ = graph.set_pressure(node, 0.0).unwrap());
}
