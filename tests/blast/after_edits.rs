//! What edits leave behind in a world of pressure: which chunks are awake, what still flows, and
//! that the account holds.

use super::rooms::{at, exact, room};
use super::shut_rooms::quiet_beside_loud;
use floodplain::blast::{BlastGraph, BlastWorld, Border, Borders, EditError, NodeId, Probe, Rules};
use floodplain::glam::{DVec3, IVec3};
use floodplain::snapshot::Saved;
use floodplain::{Chunk, ChunkPos, Face, Region, Shape, Sheet};

fn field(rules: Rules) -> BlastWorld {
    BlastWorld::new(rules).unwrap()
}

/// A chunk counted as audible until a step had looked at it, and none looks at a chunk at 0: a
/// charge that was taken back kept all chunks around it awake for ever.
#[test]
fn a_charge_that_is_taken_back_leaves_nothing_behind() {
    let taken_back: [fn(&mut BlastWorld); 4] = [
        |world| _ = world.set_pressure(at(64, 0), 0.0).unwrap(),
        |world| _ = world.set_solid(at(64, 0)).unwrap(),
        |world| world.fill_pressure(Region::new(at(64, 0), at(80, 3)), 0.0).unwrap(),
        |world| _ = world.remove_chunk(ChunkPos::new(1, 0, 0)).unwrap(),
    ];
    for rules in [Rules::default(), Rules::wave(0.25, 0.9)] {
        for (number, take_back) in taken_back.into_iter().enumerate() {
            let mut world = field(rules);
            world.set_pressure(at(64, 0), 300.0).unwrap();
            take_back(&mut world);
            world.set_pressure(at(10, 10), 0.005).unwrap();
            let mut loaded = BlastWorld::load(&world.save()).unwrap();
            for world in [&mut world, &mut loaded] {
                world.run(10);
                assert_eq!(world.validate(), Ok(()), "{rules:?}, {number}");
                assert!(
                    world.is_at_rest() && world.total() == 0.0,
                    "{rules:?}, {number}: {}",
                    world.total()
                );
            }
            assert_eq!(
                (world.save(), world.ledger().absorbed > 0.004),
                (loaded.save(), true),
                "{rules:?}, {number}"
            );
        }
    }
}

/// The hash is of all that decides the future, so what was louder once decides nothing.
#[test]
fn worlds_of_one_hash_continue_alike() {
    let [mut once_loud, mut quiet] = [(); 2].map(|()| field(Rules::default()));
    once_loud.set_pressure(at(5, 5), 300.0).unwrap();
    for world in [&mut once_loud, &mut quiet] {
        world.set_pressure(at(5, 5), 0.005).unwrap();
    }
    for _ in 0..3 {
        assert_eq!(once_loud.state_hash(), quiet.state_hash());
        once_loud.step();
        quiet.step();
    }
}

/// What flows was worked out from the pressures alone, also across faces that are shut: a probe at
/// rest was pushed for ever.
#[test]
fn nothing_is_felt_at_a_face_that_is_shut() {
    let mut world = quiet_beside_loud(Rules::default());
    world.run(50);
    assert!(world.is_at_rest());
    assert_eq!(
        (world.flow(at(3, 63)), world.exposure(at(3, 63)), world.exposure(at(3, 64))),
        (DVec3::ZERO, 0.0, 0.0)
    );
    let mut probes = [Probe::new(at(3, 63), 1.0).unwrap()];
    world.run_probed(1000, &mut probes);
    assert_eq!((probes[0].impulse(), world.pressure(at(3, 63))), (DVec3::ZERO, 0.5));

    // Where the front passes, the reported flow is the real one.
    world.set_pressure(at(3, 63), 300.0).unwrap();
    let into = world.flow(at(3, 64));
    world.step();
    assert!(into.y > 0.0);
    assert_eq!(into.y, f64::from(world.pressure(at(3, 64))));
}

/// What flowed went on through a link that had grown thinner, so that a link could be opened and
/// closed in time with a wave and feed it: 83 edits made 10¹² of 300, and the rounding of that was
/// all that was left in the end.
#[test]
fn links_that_open_and_close_do_not_feed_a_wave() {
    let rules = exact(Rules::wave(0.25, 0.98));
    let mut world = room(rules, [2, 1], Border::Rigid);
    let cells = [at(-1, 0), at(0, 0)];
    world.set_pressure(cells[0], 300.0).unwrap();
    let mut graph = BlastGraph::new(rules).unwrap();
    let nodes = [300.0, 0.0].map(|pressure| graph.add_node(DVec3::ZERO, pressure).unwrap());
    graph.add_link(nodes[0], nodes[1], 1.0).unwrap();
    let (mut is_thin, mut last) = (false, 0.0);
    let (mut edits, mut highest) = (0, 0f32);
    for _ in 0..2000 {
        world.step();
        graph.step();
        let difference = world.pressure(cells[0]) - world.pressure(cells[1]);
        let flow = world.flow(cells[0]).x as f32;
        highest = highest.max(difference.abs());
        // The moments at which it would pay: thin when what flows has nothing left to lift, wide
        // when it has done so.
        let is_moment = match is_thin {
            false => difference * last < 0.0,
            true => difference * flow < 0.0 && flow.abs() < 0.2 * difference.abs(),
        };
        if is_moment {
            is_thin = !is_thin;
            edits += 1;
            let weight = if is_thin { 0.05 } else { 1.0 };
            world.set_link(cells[0], Face::East, weight).unwrap();
            graph.set_link(nodes[0], nodes[1], f64::from(weight)).unwrap();
        }
        last = difference;
        let on_graph = nodes.map(|node| graph.pressure(node).unwrap());
        assert!(
            (f64::from(difference) - (on_graph[0] - on_graph[1])).abs() < 1e-2,
            "{difference}, {on_graph:?}"
        );
    }
    assert!(edits > 4 && highest <= 300.0, "{edits} edits, up to {highest}");
    assert_eq!(world.validate(), Ok(()));
    assert!(BlastWorld::<floodplain::Sheet>::load(&world.save()).is_ok());
}

/// A flow that ended without a step was not reported, neither where a chunk fell silent nor beside
/// what an edit built.
#[test]
fn flows_that_end_are_reported() {
    let told = |world: &mut BlastWorld, cell: IVec3| {
        let index = (cell.y * 64 + cell.x) as usize;
        world
            .take_changes()
            .iter()
            .any(|told| told.chunk == ChunkPos::ZERO && told.cells.contains(index))
    };
    let mut world = field(Rules { threshold: 1.0, ..Rules::wave(0.25, 0.9) });
    // It keeps the chunk.
    world.set_solid(at(0, 60)).unwrap();
    world.set_pressure(at(29, 30), 3.0).unwrap();
    world.set_pressure(at(31, 30), -3.0).unwrap();
    let (between, mut ended) = (at(30, 30), false);
    for _ in 0..40 {
        world.take_changes();
        let before = (world.pressure(between), world.exposure(between));
        world.step();
        let after = (world.pressure(between), world.exposure(between));
        ended |= before.0 == 0.0 && before.1 > 0.0 && after == (0.0, 0.0);
        assert_eq!(
            told(&mut world, between),
            before != after,
            "{before:?} to {after:?} in step {}",
            world.ticks()
        );
    }
    assert!(ended && world.is_at_rest());

    let mut world = field(exact(Rules::wave(0.25, 0.9)));
    world.set_pressure(at(29, 30), 3.0).unwrap();
    world.run(4);
    world.take_changes();
    let before = world.flow(between);
    world.set_solid(at(31, 30)).unwrap();
    assert!(world.flow(between) != before && told(&mut world, between), "{before}");
}

/// A chunk whose link to the next is shut lets that one have a stiff link instead. Without the
/// chunk the link is whole, and both together are too much for the cell behind it.
#[test]
fn a_chunk_whose_shut_links_keep_a_neighbour_stable_is_not_unloaded() {
    let mut world = field(Rules::diffusive(0.24));
    let (here, there) = (at(63, 0), at(64, 0));
    world.set_link(here, Face::East, 0.0).unwrap();
    world.set_link(there + IVec3::X, Face::East, 0.0).unwrap();
    world.set_link(there, Face::East, 2.0).unwrap();
    let before = world.save();
    let refused = EditError::Unstable { cell: there, weights: 5.0, limit: 1.0 };
    assert_eq!(world.remove_chunk(ChunkPos::ZERO), Err(refused));
    assert!(world.save() == before, "what is refused changes nothing");
    world.set_link(there, Face::East, 1.0).unwrap();
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!((world.link(here, Face::East), world.validate()), (Some(1.0), Ok(())));
}

/// In a world one cell wide a link leads from a cell to itself, and its weight counts at both its
/// ends.
#[test]
fn a_link_from_a_cell_to_itself_counts_twice() {
    let borders = Borders { x: Border::Periodic, ..Borders::default() };
    let bounds = Region::new(at(0, 0), at(0, 9));
    let mut world =
        BlastWorld::<Sheet>::with_bounds(Rules::diffusive(0.24), bounds, borders).unwrap();
    // With the links up and down: 4.14 and 4.2 times 0.24.
    assert_eq!(world.set_link(at(0, 5), Face::East, 1.07), Ok(1.0));
    let refused = world.set_link(at(0, 5), Face::East, 1.1);
    assert!(
        matches!(refused, Err(EditError::Unstable { weights, .. }) if (weights - 4.2).abs() < 1e-6),
        "{refused:?}"
    );
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn both_ends_of_a_changed_link_are_reported() {
    let mut world = field(Rules::default());
    for (cell, face) in [(at(63, 5), Face::East), (at(64, 7), Face::West), (at(9, 9), Face::Up)] {
        let ends = [cell, cell + face.offset()];
        ends.iter().for_each(|&end| {
            world.insert_chunk(Sheet::chunk_of(end), Chunk::uniform(0.0)).unwrap_or_default()
        });
        world.take_changes();
        world.set_link(cell, face, 0.5).unwrap();
        let told: Vec<IVec3> = world
            .take_changes()
            .iter()
            .flat_map(|changes| {
                changes.cells.iter().map(|index| Sheet::cell_at(changes.chunk, index))
            })
            .collect();
        assert!(told.len() == 2 && ends.iter().all(|end| told.contains(end)), "{ends:?}: {told:?}");
    }

    let mut graph = BlastGraph::new(Rules::default()).unwrap();
    let nodes = [0.0, 1.0, 2.0].map(|x| graph.add_node(DVec3::X * x, 5.0).unwrap());
    let [a, b, _] = nodes;
    graph.add_link(a, b, 1.0).unwrap();
    let edits: [fn(&mut BlastGraph, NodeId, NodeId); 3] = [
        |graph, a, b| _ = graph.set_link(a, b, 0.5).unwrap(),
        |graph, a, b| graph.remove_link(b, a).unwrap(),
        |graph, a, b| graph.add_link(b, a, 0.25).unwrap(),
    ];
    for edit in edits {
        graph.run(3);
        assert_eq!((graph.is_at_rest(), graph.take_changes().len() <= 3), (true, true));
        edit(&mut graph, a, b);
        assert_eq!((graph.is_at_rest(), graph.take_changes()), (false, vec![a, b]));
    }
}

/// The squares of so long or so short a way leave the range of numbers, and so does the longest way
/// itself.
#[test]
fn nodes_however_far_apart_are_linked_in_their_direction() {
    for far in [1e-300, 1e-160, 1.0, 1e160, 1e300, f64::MAX] {
        let mut graph = BlastGraph::new(Rules::diffusive(0.1)).unwrap();
        let [a, b] = [-far, far].map(|y| graph.add_node(DVec3::Y * y, 0.0).unwrap());
        graph.add_link(a, b, 1.0).unwrap();
        graph.set_pressure(a, 100.0).unwrap();
        assert!((graph.flow(a) - DVec3::Y * 10.0).length() < 1e-9, "{far:e}: {}", graph.flow(a));
    }
}

/// What was behind a wall goes out into the open when the chunk with the wall is unloaded.
#[test]
fn a_chunk_that_held_pressure_back_wakes_what_it_held_when_it_goes() {
    let bounds = Region::new(at(0, 0), at(127, 63));
    let mut world =
        BlastWorld::<Sheet>::with_bounds(Rules::default(), bounds, Borders::default()).unwrap();
    world.fill_solid(Region::new(at(63, 0), at(63, 63))).unwrap();
    world.insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(50.0)).unwrap();
    world.run(5);
    assert_eq!((world.is_at_rest(), world.validate()), (true, Ok(())));
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!((world.is_at_rest(), world.validate()), (false, Ok(())));
    world.run(5);
    assert!(world.pressure(at(63, 9)) > 1.0, "{}", world.pressure(at(63, 9)));
}
