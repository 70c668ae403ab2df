//! What explosions promise a game: the account over 10,000 steps, symmetry, an endless field,
//! probes, and what happens at the ends of the world.

use super::rooms::{at, exact, room};
use super::shut_rooms::quiet_beside_loud;
use floodplain::blast::{
    BlastGraph, BlastWorld, Border, Borders, EditError, GRID_DAMPING_LIMIT, Probe, Rules,
};
use floodplain::glam::{DVec3, IVec3};
use floodplain::snapshot::Saved;
use floodplain::{Chunk, ChunkPos, Cube, Face, FieldShape, Region, Sheet, Simulation};

/// How far the account is from the count, as a part of what was placed.
fn drift(world: &BlastWorld) -> f64 {
    (world.total() - world.ledger().total()).abs() / world.ledger().placed
}

/// Smooth fields that hardly move are the hard case: there every cell rounds the same way.
#[test]
fn the_account_balances_over_ten_thousand_steps() {
    for (rules, border) in [
        (exact(Rules::diffusive(0.24)), Border::Rigid),
        (exact(Rules::diffusive(0.01)), Border::Rigid),
        (exact(Rules::diffusive(0.001)), Border::Periodic),
        (Rules::diffusive(0.24), Border::Open),
        (exact(Rules::wave(0.25, 0.98)), Border::Rigid),
        (exact(Rules::wave(0.01, 0.5)), Border::Periodic),
        (Rules::wave(0.25, 0.98), Border::Open),
    ] {
        let bounds = Region::new(at(0, 0), at(69, 5));
        let mut world: BlastWorld =
            BlastWorld::with_bounds(rules, bounds, Borders::all(border)).unwrap();
        for cell in bounds.positions() {
            world.set_pressure(cell, (cell.x - bounds.min().x) as f32 * 4.321).unwrap();
        }
        for _ in 0..10 {
            world.run(1000);
            assert!(
                drift(&world) < 1e-6,
                "{rules:?}, {border:?}: {:e} after {}",
                drift(&world),
                world.ticks()
            );
        }
        assert_eq!(world.validate(), Ok(()));
    }
}

/// Under the wave rule a chunk's pressures may be below 0, or sum to nothing. An account that
/// entered their sum forgot what had been there when such a chunk went, and the rounding of its
/// ripples stood alone.
#[test]
fn chunks_of_any_sign_come_and_go_in_the_account() {
    let ripples = |cells: [f32; 3]| {
        let mut world = room(exact(Rules::wave(0.25, 0.98)), [64, 64], Border::Rigid);
        let mut chunk = Chunk::uniform(0.0);
        cells.iter().enumerate().for_each(|(index, &cell)| _ = chunk.set(7 * index, cell));
        world.insert_chunk(ChunkPos::ZERO, chunk).unwrap();
        world.run(300);
        assert_eq!(world.validate(), Ok(()), "{cells:?}");
        world.remove_chunk(ChunkPos::ZERO).unwrap();
        assert_eq!(world.validate(), Ok(()), "{cells:?}, and the chunk gone");
        world
    };
    for cells in [[-3.0, 0.0, 0.0], [3.3, -1.1, 0.7], [700.0, -700.0, 0.1]] {
        let ledger = ripples(cells).ledger();
        let [above, below] = [1.0, -1.0]
            .map(|sign| cells.iter().map(|&cell| f64::from(sign * cell).max(0.0)).sum::<f64>());
        assert!(ledger.placed >= above && ledger.removed >= below, "{ledger:?} of {cells:?}");
    }
    let mut world = room(exact(Rules::wave(0.25, 0.98)), [64, 64], Border::Rigid);
    world.set_pressure(at(4, 2), -3.0).unwrap();
    world.run(2);
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!(world.validate(), Ok(()), "-3 was set, and went with its chunk");
}

#[test]
fn an_endless_field_loses_nothing_but_what_it_absorbs() {
    let mut world: BlastWorld =
        BlastWorld::new(Rules { threshold: 0.1, ..Rules::default() }).unwrap();
    world.set_pressure(at(63, 63), 300.0).unwrap();
    world.run(800);
    assert_eq!(world.ledger().absorbed, 0.0, "nothing while it is heard");
    world.run(1000);
    let ledger = world.ledger();
    assert!(ledger.absorbed > 0.0 && ledger.left == 0.0, "{ledger:?}");
    assert!(drift(&world) < 1e-6, "{:e}", drift(&world));
}

/// A charge on a chunk corner spreads over four chunks, and looks the same from all eight sides.
#[test]
fn a_charge_in_a_symmetric_room_keeps_its_eightfold_symmetry_to_the_bit() {
    for rules in [
        exact(Rules::default()),
        exact(Rules::wave(0.25, 0.98)),
        Rules::default(),
        Rules::wave(0.25, 0.98),
    ] {
        let bounds = Region::new(at(-20, -20), at(20, 20));
        let mut world: BlastWorld =
            BlastWorld::with_bounds(rules, bounds, Borders::default()).unwrap();
        for corner in [at(-7, -7), at(-7, 7), at(7, -7), at(7, 7)] {
            world.set_solid(corner).unwrap();
        }
        world.set_pressure(IVec3::ZERO, 300.7).unwrap();
        for _ in 0..30 {
            world.run(7);
            for cell in Region::new(IVec3::ZERO, at(20, 20)).positions() {
                let pressure = |x: i32, y: i32| world.pressure(at(x, y)).to_bits();
                let [x, y] = [cell.x, cell.y];
                let turned =
                    [(x, y), (-x, y), (x, -y), (-x, -y), (y, x), (-y, x), (y, -x), (-y, -x)];
                assert!(
                    turned.iter().all(|&(a, b)| pressure(a, b) == pressure(x, y)),
                    "{cell} at {}",
                    world.ticks()
                );
            }
        }
    }
}

#[test]
fn a_charge_in_a_cubic_room_keeps_its_48_fold_symmetry_to_the_bit() {
    for rules in [exact(Rules::diffusive(0.16)), exact(Rules::wave(0.25, 0.98))] {
        let bounds = Region::new(IVec3::splat(-9), IVec3::splat(9));
        let mut world: BlastWorld<Cube> =
            BlastWorld::with_bounds(rules, bounds, Borders::default()).unwrap();
        world.set_pressure(IVec3::ZERO, 300.7).unwrap();
        for _ in 0..10 {
            world.run(7);
            for cell in Region::new(IVec3::ZERO, IVec3::splat(9)).positions() {
                let IVec3 { x, y, z } = cell;
                for [a, b, c] in [[x, y, z], [y, x, z], [z, y, x], [x, z, y], [y, z, x], [z, x, y]]
                {
                    for signs in Region::new(IVec3::ZERO, IVec3::ONE).positions() {
                        let turned = IVec3::new(a, b, c) * (2 * signs - 1);
                        assert_eq!(
                            world.pressure(turned).to_bits(),
                            world.pressure(cell).to_bits(),
                            "{cell} {turned}"
                        );
                    }
                }
            }
        }
        assert_eq!(world.validate(), Ok(()));
    }
}

#[test]
fn an_explosion_costs_the_chunks_that_it_has_reached_and_they_go_again() {
    let mut world: BlastWorld =
        BlastWorld::new(Rules { threshold: 0.02, ..Rules::default() }).unwrap();
    world.set_pressure(at(32, 32), 300.0).unwrap();
    world.step();
    assert_eq!(world.chunks().count(), 1);
    assert_eq!(world.awake_cells(), 4096);
    let mut most = 0;
    for _ in 0..200 {
        world.run(5);
        most = most.max(world.chunks().count());
    }
    assert!((5..=13).contains(&most), "{most} chunks at once");
    for _ in 0..100 {
        if world.is_at_rest() {
            break;
        }
        world.run(100);
    }
    assert!(world.is_at_rest() && world.chunks().count() == 0);
    assert_eq!(world.total(), 0.0);
    assert!((world.ledger().absorbed - 300.0).abs() < 300e-6);
    assert_eq!(world.step().visited, 0);
}

/// A ripple that arrives at a periodic border long after all behind it has gone to sleep goes on
/// there.
#[test]
fn a_ripple_wakes_what_sleeps_behind_a_periodic_border() {
    // Bounds that end where chunks do, and amid chunks.
    for (first, last, ripple) in [(0, 127, 20), (10, 120, 30), (0, 120, 20), (10, 127, 30)] {
        let bounds = Region::new(at(first, 0), at(last, 3));
        for rules in [Rules::diffusive(0.24), Rules::wave(0.25, 0.98)] {
            let new = || {
                let mut world = BlastWorld::<Sheet>::with_bounds(
                    exact(rules),
                    bounds,
                    Borders::all(Border::Periodic),
                )
                .unwrap();
                world.fill_pressure(bounds, 5.0).unwrap();
                world.run(3);
                assert!(world.is_at_rest());
                world.set_pressure(at(ripple, 1), 300.0).unwrap();
                world
            };
            let (mut world, mut awake) = (new(), new());
            world.run(4);
            assert_eq!(world.awake_cells(), 4096, "what is far away has gone to sleep");
            awake.run(4);
            for step in 4..60 {
                awake.wake_all();
                assert_eq!(
                    world.step().changed,
                    awake.step().changed,
                    "step {step} of {rules:?} in {bounds:?}"
                );
                assert_eq!(world.validate(), Ok(()), "step {step} of {rules:?} in {bounds:?}");
            }
            assert_eq!(world.state_hash(), awake.state_hash(), "{rules:?} in {bounds:?}");
            assert_ne!(world.pressure(at(last - 5, 1)), 5.0, "it has come round");
        }
    }
}

/// A chunk below the threshold slept beside one at 0 that was shut to it, until an explosion came
/// into that one from another side. What then flowed out of the sleeper was entered where it
/// arrived, and the sleeper did not lose it: in this world eight units were made.
#[test]
fn a_sleeper_gives_what_flows_into_a_chunk_that_opens_beside_it() {
    for rules in [Rules::default(), Rules::wave(0.24, 0.9)] {
        let mut world = quiet_beside_loud(rules);
        assert!(settle(&mut world, 5), "the quiet one sleeps");
        let mut woken: BlastWorld = BlastWorld::load(&world.save()).unwrap();
        for world in [&mut world, &mut woken] {
            world.fill_pressure(Region::new(at(64, 120), at(67, 124)), 300.0).unwrap();
        }
        for step in 0..20 {
            woken.wake_all();
            assert_eq!(
                (world.step().changed, world.state_hash()),
                (woken.step().changed, woken.state_hash()),
                "{step}"
            );
            assert_eq!(world.validate(), Ok(()), "{rules:?}, step {step}");
        }
        assert!(world.pressure(at(0, 64)) > 0.0, "the explosion has come through");
    }
}

/// A wave in an endless field: both signs, and an end all the same.
#[test]
fn a_wave_runs_out_too() {
    let mut world: BlastWorld =
        BlastWorld::new(Rules { threshold: 0.1, ..Rules::wave(0.25, 0.9) }).unwrap();
    world.set_pressure(at(0, 0), 300.0).unwrap();
    world.run(40);
    assert!(world.pressure(at(12, 0)) != 0.0);
    for _ in 0..2000 {
        world.run(10);
        assert!(drift(&world) < 1e-6);
    }
    assert!(world.is_at_rest(), "{} awake", world.awake_cells());
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn a_wave_arrives_at_the_speed_that_its_rule_says() {
    let mut world: BlastWorld = BlastWorld::new(exact(Rules::wave(0.25, 0.98))).unwrap();
    for y in -200..=200 {
        world.set_pressure(at(0, y), 100.0).unwrap();
    }
    world.run(80);
    let front = (0..80)
        .max_by(|&a, &b| world.pressure(at(a, 0)).total_cmp(&world.pressure(at(b, 0))))
        .unwrap();
    assert!((36..=40).contains(&front), "80 steps at half a cell a step, the crest at {front}");
}

/// A probe's impulse is what went through its cell: of a cell that gains, what came in less what
/// went out.
#[test]
fn a_probe_adds_up_what_it_feels() {
    for rules in [exact(Rules::default()), exact(Rules::wave(0.25, 0.9))] {
        let mut world = room(rules, [21, 21], Border::Rigid);
        world.set_pressure(at(0, 0), 300.0).unwrap();
        let place = at(3, 4);
        let mut probe = [Probe::new(place, 2.0).unwrap()];
        let (mut sum, mut exposure) = (DVec3::ZERO, 0.0);
        let is_diffusive = rules == exact(Rules::default());
        for _ in 0..25 {
            let before = (world.flow(place), world.exposure(place));
            world.run_probed(1, &mut probe);
            let (flow, shake) =
                if is_diffusive { before } else { (world.flow(place), world.exposure(place)) };
            sum += flow * 2.0;
            exposure += shake;
        }
        assert!(
            (probe[0].impulse() - sum).length() < 1e-9
                && (probe[0].exposure() - exposure).abs() < 1e-9
        );
        assert_eq!(probe[0].mean_force(), probe[0].impulse() / 25.0);
        assert!(sum.x > 0.0 && sum.y > 0.0, "away from the charge: {sum}");
        assert!(exposure >= sum.length() / 2.0);
        probe[0].reset();
        assert_eq!((probe[0].steps(), probe[0].mean_force()), (0, DVec3::ZERO));
        // In the middle of it, forces cancel, and the noise does not.
        let mut middle = [Probe::new(at(0, 0), 1.0).unwrap()];
        world.run_probed(5, &mut middle);
        assert_eq!(middle[0].impulse(), DVec3::ZERO);
        assert!(middle[0].exposure() > 0.0);
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(Probe::new(at(0, 0), bad).is_err());
    }
}

#[test]
fn the_ends_of_the_range_are_ends_of_the_world() {
    fn check<S: FieldShape>(rules: Rules, border: Border) {
        for corner in [IVec3::MIN, IVec3::MAX, IVec3::new(i32::MIN, i32::MAX, 0)] {
            let mut world: BlastWorld<S> =
                BlastWorld::with_bounds(rules, Region::EVERYWHERE, Borders::all(border)).unwrap();
            world.set_pressure(corner, 300.0).unwrap();
            for face in Face::ALL {
                let refused = world.set_link(corner, face, 0.5).is_err();
                assert!(!refused || border != Border::Periodic || face.index() >= S::NEIGHBOURS);
            }
            world.set_wall(corner, 5.0).unwrap();
            world.clear_solid(corner).unwrap();
            world.set_pressure(corner, 300.0).unwrap();
            world.run(20);
            assert_eq!(world.validate(), Ok(()));
            assert!(world.pressure(corner) != 0.0);
            let chunk = world.chunks().next().unwrap().0;
            world.remove_chunk(chunk).unwrap();
            world.run(3);
            assert_eq!(world.validate(), Ok(()));
        }
    }
    for border in [Border::Rigid, Border::Periodic, Border::Open] {
        check::<Sheet>(Rules::default(), border);
        check::<Cube>(Rules::wave(0.25, 0.98), border);
    }
}

#[test]
fn worlds_one_and_two_cells_wide_wrap_onto_themselves() {
    for size in [[1, 1], [1, 5], [2, 2], [2, 7], [64, 1], [65, 2]] {
        for rules in [exact(Rules::default()), exact(Rules::wave(0.25, 0.98))] {
            let mut world = room(rules, size, Border::Periodic);
            let cell = world.bounds().min();
            world.set_pressure(cell, 300.0).unwrap();
            world.run(50);
            assert_eq!(world.validate(), Ok(()), "{size:?}");
            assert!(drift(&world) < 1e-6);
        }
    }
    // A link to itself counts twice at its only cell.
    let mut world = room(Rules::diffusive(0.2), [1, 9], Border::Periodic);
    assert!(matches!(
        world.set_link(at(0, 0), Face::East, 1.6),
        Err(EditError::Unstable { weights: 5.2.., .. })
    ));
    world.set_link(at(0, 0), Face::West, 1.4).unwrap();
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn refusals_name_their_cause() {
    let unstable = BlastWorld::<Cube>::new(Rules::default()).err().unwrap().to_string();
    assert!(unstable.contains("stable, with weights of 6"), "{unstable}");
    let mut world = room(Rules::default(), [9, 9], Border::Rigid);
    assert_eq!(world.set_pressure(at(9, 0), 1.0), Err(EditError::OutOfBounds(at(9, 0))));
    assert_eq!(
        world.set_pressure(at(0, 0), -1.0),
        Err(EditError::Pressure { cell: at(0, 0), value: -1.0 })
    );
    assert!(matches!(world.set_pressure(at(0, 0), f32::NAN), Err(EditError::Pressure { .. })));
    world.set_solid(at(0, 0)).unwrap();
    assert_eq!(world.set_pressure(at(0, 0), 1.0), Err(EditError::Solid(at(0, 0))));
    assert_eq!(
        world.set_link(at(4, 0), Face::East, 0.5),
        Err(EditError::NoLink(at(4, 0), Face::East))
    );
    assert_eq!(
        world.set_link(at(0, 0), Face::South, 0.5),
        Err(EditError::NoLink(at(0, 0), Face::South))
    );
    assert!(matches!(world.set_link(at(1, 1), Face::Up, 1.5), Err(EditError::Unstable { .. })));
    assert_eq!(
        world.set_wall(at(0, 0), 0.0),
        Err(EditError::Strength { cell: at(0, 0), value: 0.0 })
    );
    assert_eq!(
        world.insert_chunk(at(1, 0).into(), Chunk::uniform(1.0)),
        Err(EditError::ChunkOutOfBounds(at(1, 0).into()))
    );
    assert_eq!(
        world.remove_chunk((at(-1, 3)).into()).unwrap_err(),
        EditError::ChunkAbsent((at(-1, 3)).into())
    );
    let mut endless: BlastWorld = BlastWorld::new(Rules::default()).unwrap();
    assert!(matches!(
        endless.fill_pressure(Region::EVERYWHERE, 1.0),
        Err(EditError::RegionTooLarge { .. })
    ));
    assert!(matches!(
        endless.fill_solid(Region::EVERYWHERE),
        Err(EditError::RegionTooLarge { .. })
    ));
}

/// One function that serves every automaton.
fn settle(world: &mut impl Simulation, most: u64) -> bool {
    (0..most).any(|_| {
        world.step();
        world.is_at_rest()
    })
}

#[test]
fn a_closed_room_comes_to_rest_all_by_itself() {
    let rules = [exact(Rules::default()), exact(Rules::wave(0.25, 0.9))];
    for (rules, border) in rules
        .into_iter()
        .flat_map(|rules| [Border::Rigid, Border::Periodic].map(|border| (rules, border)))
    {
        let mut world = room(rules, [12, 9], border);
        world.set_pressure(at(2, 2), 300.0).unwrap();
        assert!(settle(&mut world, 20_000), "{} cells awake", world.awake_cells());
        let pressures: Vec<f32> =
            world.bounds().positions().map(|cell| world.pressure(cell)).collect();
        let (least, most) =
            pressures.iter().fold((f32::MAX, 0f32), |(a, b), &p| (a.min(p), b.max(p)));
        assert!(most - least < 1e-4, "{least} to {most}");
        let hash = Simulation::state_hash(&world);
        assert_eq!(
            world.chunks().map(|(_, chunk)| chunk.heap_bytes()).sum::<usize>() % (4 * 4096),
            0
        );
        world.run(10);
        assert_eq!(world.total(), Simulation::total(&world));
        assert_ne!(world.state_hash(), hash, "the hash counts steps");
    }
}

/// A removed chunk's links became whole, whether or not the cells that are left bore it: a cell
/// with stiff links to its other neighbours gave more than it had, and pressure was made from
/// nothing.
#[test]
fn a_chunk_is_not_removed_from_beside_a_cell_that_needs_its_weak_links() {
    let mut world: BlastWorld = BlastWorld::new(Rules::default()).unwrap();
    let (inside, outside) = (IVec3::new(63, 5, 0), IVec3::new(64, 5, 0));
    world.set_link(inside, Face::East, 0.0).unwrap();
    for face in [Face::Up, Face::Down, Face::East] {
        world.set_link(outside, face, 1.16).unwrap();
    }
    world.set_pressure(outside, 100.0).unwrap();
    let before = world.state_hash();
    assert!(
        matches!(world.remove_chunk(ChunkPos::ZERO), Err(EditError::Unstable { cell, .. }) if cell == outside)
    );
    assert_eq!(world.state_hash(), before);
    world.set_link(outside, Face::East, 1.0).unwrap();
    world.set_link(outside, Face::Up, 1.0).unwrap();
    world.remove_chunk(ChunkPos::ZERO).unwrap();
    for _ in 0..20 {
        world.step();
        assert_eq!(world.validate(), Ok(()));
    }
}

/// Waves that are hardly damped add up roundings for so long that the account was off by ten
/// millionths.
#[test]
fn grids_refuse_waves_that_ring_longer_than_their_account_allows() {
    let refused = BlastWorld::<Sheet>::new(Rules::wave(0.25, 0.99)).err().unwrap();
    assert_eq!((refused.rule, refused.value.as_str()), ("damping", "0.99"));
    for (rules, borders) in [
        (Rules::wave(0.49, GRID_DAMPING_LIMIT), Border::Periodic),
        (Rules::wave(0.25, GRID_DAMPING_LIMIT), Border::Rigid),
    ] {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(63, 63, 0));
        let rules = Rules { threshold: 0.0, ..rules };
        let mut world =
            BlastWorld::<Sheet>::with_bounds(rules, bounds, Borders::all(borders)).unwrap();
        world.set_pressure(IVec3::new(1, 1, 0), 300.0).unwrap();
        for _ in 0..100 {
            world.run(100);
            assert_eq!(world.validate(), Ok(()), "after {} steps", world.ticks());
        }
    }
}

/// A damping of 0.98 that comes out of an `f32` is a little more in `f64`, and was refused.
#[test]
fn the_limit_of_damping_is_taken_as_f32_too() {
    let single = f64::from(0.98f32);
    assert!(single > GRID_DAMPING_LIMIT);
    let run = |damping: f64| {
        let mut world = BlastWorld::<Sheet>::new(Rules::wave(0.25, damping)).unwrap();
        world.set_pressure(at(1, 1), 300.0).unwrap();
        world.run(50);
        world.state_hash()
    };
    assert_eq!(run(single), run(GRID_DAMPING_LIMIT), "the grid counts in f32");
    let above = f64::from(0.98f32.next_up());
    let refused = BlastWorld::<Sheet>::new(Rules::wave(0.25, above)).err().unwrap();
    assert_eq!((refused.rule, refused.value), ("damping", above.to_string()));
}

/// The squares of very long and very short vectors are infinite or 0, and such links had no
/// direction.
#[test]
fn a_link_keeps_its_direction_whatever_its_length() {
    let flow = |link: &dyn Fn(&mut BlastGraph)| {
        let mut graph = BlastGraph::new(exact(Rules::diffusive(0.24))).unwrap();
        let node = graph.add_node(DVec3::ZERO, 100.0).unwrap();
        link(&mut graph);
        graph.flow(node)
    };
    let way = DVec3::new(3.0, -4.0, 12.0);
    let along = |direction: DVec3| {
        flow(&|graph| {
            let there = graph.add_node(DVec3::ONE, 0.0).unwrap();
            let node = graph.nodes().next().unwrap();
            graph.add_link_along(node, there, 1.0, direction).unwrap();
        })
    };
    for power in [-1020, -700, -520, -3, 0, 1, 511, 600, 1019] {
        assert_eq!(along(way * 2f64.powi(power)), along(way), "times 2 to the {power}");
    }
    assert!((along(way) - 24.0 * way / 13.0).length() < 1e-12);
    let least = f64::from_bits(1);
    assert_eq!(along(DVec3::new(0.0, -least, 0.0)), DVec3::new(0.0, -24.0, 0.0));
    assert_eq!(along(DVec3::ZERO), DVec3::ZERO, "two nodes at one place");
    let far = flow(&|graph| {
        let node = graph.nodes().next().unwrap();
        let [west, east] =
            [-f64::MAX, f64::MAX].map(|x| graph.add_node(DVec3::X * x, 0.0).unwrap());
        graph.add_link(node, west, 1.0).unwrap();
        graph.add_link(west, east, 1.0).unwrap();
        graph.set_pressure(west, 100.0).unwrap();
        assert_eq!(graph.flow(west), DVec3::X * 24.0, "to the other end of the range");
        graph.set_pressure(west, 50.0).unwrap();
    });
    assert_eq!(far, DVec3::NEG_X * 12.0);
}
