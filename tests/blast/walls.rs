//! Walls that break under pressure, on grids and on graphs: in which order, against which
//! difference, and how they are counted and reported.

use super::rooms::{at, exact, room};
use floodplain::blast::{BlastGraph, BlastWorld, Border, Probe, Rules};
use floodplain::glam::DVec3;
use floodplain::snapshot::Saved;
use floodplain::{ChunkPos, Face, Region};

/// The second of two walls is held by the first. When that broke, and the pressures were too far
/// from flowing for any of them to change, the chunk fell asleep before the second was asked; its
/// own snapshot was refused, for awake it would have changed.
#[test]
fn a_wall_that_breaks_has_the_walls_around_it_asked_again() {
    let mut world: BlastWorld = BlastWorld::new(Rules::default()).unwrap();
    world.fill_solid(Region::new(at(-1, -2), at(4, 2))).unwrap();
    for (cell, pressure) in [(at(0, 0), 10.0), (at(2, 1), 5.0), (at(2, -1), 3.0)] {
        world.clear_solid(cell).unwrap();
        world.set_pressure(cell, pressure).unwrap();
    }
    world.set_wall(at(1, 0), 2.0).unwrap();
    world.set_wall(at(2, 0), 4.0).unwrap();
    world.set_link(at(0, 0), Face::East, 1e-7).unwrap();
    let mut woken: BlastWorld = BlastWorld::load(&world.save()).unwrap();
    for step in 1..20 {
        woken.wake_all();
        assert_eq!(
            (world.step().changed, world.state_hash()),
            (woken.step().changed, woken.state_hash()),
            "{step}"
        );
    }
    let broken: Vec<_> =
        world.take_events().iter().map(|broken| (broken.tick, broken.place)).collect();
    assert_eq!(broken, [(1, at(1, 0)), (2, at(2, 0))]);
}

/// A wall that breaks is a cell that changed, even if no pressure comes in through it. The report
/// counted pressures only.
#[test]
fn a_wall_that_breaks_is_counted_as_changed() {
    let mut world: BlastWorld = BlastWorld::new(Rules::default()).unwrap();
    world.fill_solid(Region::new(at(-1, -1), at(2, 1))).unwrap();
    world.clear_solid(at(0, 0)).unwrap();
    world.set_pressure(at(0, 0), 10.0).unwrap();
    world.set_wall(at(1, 0), 2.0).unwrap();
    world.set_link(at(0, 0), Face::East, 1e-30).unwrap();
    world.take_changes();
    assert_eq!(world.step().changed, 1);
    let told: Vec<_> =
        world.take_changes().iter().map(|told| (told.chunk, told.cells.len())).collect();
    assert_eq!((told, world.pressure(at(1, 0))), (vec![(ChunkPos::ZERO, 1)], 0.0));
    let mut graph = BlastGraph::new(Rules::diffusive(1e-20)).unwrap();
    let [charge, wall] = [7.0, 0.0].map(|pressure| graph.add_node(DVec3::ZERO, pressure).unwrap());
    graph.add_link(charge, wall, 1e-310).unwrap();
    graph.set_wall(wall, 2.0).unwrap();
    assert_eq!((graph.step().changed, graph.pressure(wall)), (1, Some(0.0)));
}

/// And counted once where pressure comes in through it in the same step.
#[test]
fn a_wall_that_breaks_and_fills_is_counted_once() {
    for cells in [[at(3, 3), at(4, 3), at(5, 3)], [at(62, 3), at(63, 3), at(64, 3)]] {
        let [charge, wall, beyond] = cells;
        let mut world: BlastWorld = BlastWorld::new(exact(Rules::default())).unwrap();
        world.fill_solid(Region::new(charge - at(1, 1), beyond + at(1, 1))).unwrap();
        world.clear_solid(charge).unwrap();
        world.clear_solid(beyond).unwrap();
        world.set_pressure(charge, 10.0).unwrap();
        world.set_wall(wall, 2.0).unwrap();
        world.take_changes();
        assert_eq!(world.step().changed, 2, "the charge, and the wall that it fills");
        let told: Vec<_> = world.take_changes().iter().map(|told| told.cells.len()).collect();
        assert_eq!((told.iter().sum::<usize>(), world.pressure(wall) > 0.0), (2, true));
        assert_eq!(world.step().changed, 3, "nothing has broken");
    }
}

/// Also if walls break in several chunks in one step, in any order of loading.
#[test]
fn walls_that_break_and_fill_in_many_chunks_are_counted_once() {
    let mut world: BlastWorld = BlastWorld::new(exact(Rules::default())).unwrap();
    for chunk in [3, 1, 2, 0] {
        let charge = at(64 * chunk + 30, 5);
        world.set_pressure(charge, 10.0).unwrap();
        for wall in [charge + at(1, 0), charge + at(0, 1)] {
            world.set_wall(wall, 2.0).unwrap();
        }
    }
    assert_eq!(world.step().changed, 4 * 5, "each charge and the four cells around it");
    assert_eq!(world.take_events().len(), 8);
}

/// A chunk below the threshold is freed in the step in which its last wall breaks. The broken
/// wall was neither counted nor reported.
#[test]
fn a_wall_that_breaks_in_a_freed_chunk_is_counted_and_reported() {
    let mut world: BlastWorld =
        BlastWorld::new(Rules { threshold: 1.0, ..Rules::default() }).unwrap();
    world.set_pressure(at(3, 3), 0.5).unwrap();
    world.set_wall(at(4, 3), 0.25).unwrap();
    world.take_changes();
    assert_eq!(
        (world.step().changed, world.take_events().len(), world.chunks().count()),
        (2, 1, 0)
    );
    let told: Vec<_> =
        world.take_changes().iter().map(|told| (told.chunk, told.cells.len())).collect();
    assert_eq!(told, [(ChunkPos::ZERO, 2)]);
}

/// The same on a graph, over links so thin that what would flow is no number.
#[test]
fn a_node_that_breaks_has_the_nodes_around_it_asked_again() {
    let mut graph = BlastGraph::new(Rules::diffusive(1e-20)).unwrap();
    let charges = [4.0, 0.0, 0.0, 7.0, 5.0].into_iter().enumerate();
    let nodes: Vec<_> =
        charges.map(|(x, charge)| graph.add_node(DVec3::X * x as f64, charge).unwrap()).collect();
    for (a, b) in [(0, 1), (1, 2), (2, 3), (2, 4)] {
        graph.add_link(nodes[a], nodes[b], 1e-310).unwrap();
    }
    graph.set_wall(nodes[1], 2.0).unwrap();
    graph.set_wall(nodes[2], 3.0).unwrap();
    graph = BlastGraph::load(&graph.save()).unwrap();
    graph.run(20);
    assert!(graph.is_at_rest());
    let broken: Vec<_> =
        graph.take_events().iter().map(|broken| (broken.tick, broken.place)).collect();
    assert_eq!(broken, [(1, nodes[1]), (2, nodes[2])]);
}

#[test]
fn walls_break_in_order_and_are_reported_once() {
    let mut world = room(exact(Rules::default()), [40, 1], Border::Rigid);
    for (x, strength) in [(5, 3.0), (-5, 3.0), (15, 50.0), (10, 1.0)] {
        world.set_wall(at(x, 0), strength).unwrap();
    }
    world.set_pressure(at(0, 0), 100.0).unwrap();
    assert_eq!(world.strength(at(5, 0)), Some(3.0));
    world.run(3000);
    let events = world.take_events();
    let places: Vec<i32> = events.iter().map(|event| event.place.x).collect();
    assert_eq!(
        places,
        [-5, 5, 10],
        "two at once, then the next behind one of them; the strong one stands"
    );
    assert!(events[0].tick == events[1].tick && events[1].tick < events[2].tick);
    assert!(events.iter().all(|event| event.difference > event.strength));
    assert!(world.take_events().is_empty());
    assert!(!world.is_solid(at(5, 0)) && world.is_solid(at(15, 0)));
    assert!(world.pressure(at(12, 0)) > 0.0 && world.pressure(at(17, 0)) == 0.0);
    assert_eq!(world.validate(), Ok(()));
}

/// The same pressure on both sides breaks nothing, not even at the wall's end; a thick wall stands
/// against 0.
#[test]
fn a_wall_is_asked_about_the_difference_across_it() {
    let mut world = room(exact(Rules::default()), [9, 9], Border::Rigid);
    world.fill_pressure(world.bounds(), 50.0).unwrap();
    world.fill_wall(Region::new(at(0, -2), at(0, 2)), 40.0).unwrap();
    world.run(200);
    assert_eq!(world.take_events(), []);
    world.fill_wall(Region::new(at(-4, 3), at(4, 4)), 40.0).unwrap();
    world.step();
    assert_eq!(
        world.take_events().len(),
        8,
        "of the row that faces the room, all but the cell behind the other wall"
    );
}

/// What is around a wall may change while all of it sleeps: an edit of a sealed cell is seen.
#[test]
fn a_sealed_charge_breaks_its_wall() {
    let mut world = room(exact(Rules::default()), [5, 1], Border::Rigid);
    world.set_wall(at(0, 0), 30.0).unwrap();
    world.set_solid(at(-2, 0)).unwrap();
    world.run(10);
    assert!(world.is_at_rest());
    world.set_pressure(at(-1, 0), 29.0).unwrap();
    world.run(10);
    assert!(world.is_at_rest() && world.take_events().is_empty());
    world.set_pressure(at(-1, 0), 31.0).unwrap();
    world.step();
    assert_eq!(world.take_events().len(), 1);
}

#[test]
fn a_graph_breaks_the_same_walls_at_the_same_steps() {
    let rules = exact(Rules::wave(0.25, 0.98));
    let mut world = room(rules, [30, 1], Border::Rigid);
    let mut graph = BlastGraph::new(rules).unwrap();
    let min = world.bounds().min().x;
    let nodes: Vec<_> =
        (0..30).map(|x| graph.add_node(DVec3::X * f64::from(x), 0.0).unwrap()).collect();
    nodes.windows(2).for_each(|pair| graph.add_link(pair[0], pair[1], 1.0).unwrap());
    for (index, strength) in [(5, 20.0), (12, 8.0), (20, 2.0)] {
        world.set_wall(at(min + index, 0), strength).unwrap();
        graph.set_wall(nodes[index as usize], f64::from(strength)).unwrap();
    }
    world.set_pressure(at(min + 2, 0), 150.0).unwrap();
    graph.set_pressure(nodes[2], 150.0).unwrap();
    let mut probes = [Probe::new(at(min + 8, 0), 0.5).unwrap()];
    let mut graph_probes = [Probe::new(nodes[8], 0.5).unwrap()];
    world.run_probed(400, &mut probes);
    graph.run_probed(400, &mut graph_probes);
    let on_grid: Vec<_> =
        world.take_events().iter().map(|event| (event.tick, event.place.x - min)).collect();
    let on_graph: Vec<_> = graph
        .take_events()
        .iter()
        .map(|e| (e.tick, graph.position(e.place).unwrap().x as i32))
        .collect();
    assert!(on_grid.len() > 1, "{on_grid:?}");
    assert_eq!(on_grid, on_graph);
    assert!((probes[0].impulse() - graph_probes[0].impulse()).length() < 1e-2);
    assert!((probes[0].exposure() - graph_probes[0].exposure()).abs() < 1e-2);
    assert_eq!(graph.validate(), Ok(()));
}
