//! The trait of all automata: its methods return what the world's own methods return.

use floodplain::blast::{self, BlastGraph, BlastWorld};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, Cell, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Simulation, StepReport};

/// Runs to rest by the trait alone, with its laws after each step; what all steps did.
fn settle(world: &mut impl Simulation, most: u64) -> StepReport {
    let mut sum = StepReport::default();
    for _ in 0..most {
        if world.is_at_rest() {
            break;
        }
        sum += world.step();
        assert!(world.validate().is_ok(), "step {}", world.ticks());
    }
    assert_eq!(world.awake_cells(), 0, "after {most} steps");
    sum
}

fn poured() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    assert_eq!(world.pour(IVec3::new(8, 9, 8), 7), Ok(7));
    world.take_changes();
    world
}

#[test]
fn water_keeps_the_contract() {
    let mut world = poured();
    let sum = settle(&mut world, 400);
    assert!(sum.moved >= 63 && sum.changed > 0 && sum.visited >= sum.moved / 7, "{sum:?}");
    assert_eq!(Simulation::total(&world), 7);
    assert_eq!(Simulation::ledger(&world), world.ledger());
    assert_eq!(Simulation::memory_bytes(&world), world.memory_bytes());
    let changes = Simulation::take_changes(&mut world);
    assert!(
        changes.iter().any(|change| change.chunk == ChunkPos::ZERO && !change.cells.is_empty())
    );
    assert!(Simulation::take_changes(&mut world).is_empty());

    let mut again = poured();
    Simulation::run(&mut again, world.ticks());
    assert_eq!(
        Simulation::state_hash(&again),
        Simulation::state_hash(&world),
        "as many steps at once"
    );
}

/// At rest, many ticks in one call leave the same state as single ticks.
#[test]
fn a_run_to_rest_gives_back_the_memory_that_single_steps_do() {
    let [mut run, mut stepped] = [poured(), poured()];
    run.run(600);
    (0..600).for_each(|_| _ = stepped.step());
    assert_eq!(run.state_hash(), stepped.state_hash());
    assert_eq!(run.memory_bytes(), stepped.memory_bytes());
}

/// At rest any number of ticks takes no time, and a world that old is saved and continues like any
/// other. Snapshots of worlds older than 2⁶² steps used to be refused, and water and graphs took
/// every step of the time one by one.
#[test]
fn time_passes_over_a_world_at_rest_and_it_is_saved() {
    fn lives_on<W: Saved>(mut world: W, run: fn(&mut W, u64), state: fn(&W) -> (u64, u64)) {
        run(&mut world, 100);
        let (_, ticks) = state(&world);
        run(&mut world, u64::MAX - 50);
        assert_eq!(state(&world).1, ticks.wrapping_sub(51));
        let mut again = W::load(&world.save()).unwrap();
        run(&mut again, 100);
        run(&mut world, 100);
        assert_eq!(state(&again), state(&world));
        assert_eq!(state(&again).1, 149);
    }
    fn automaton<W: Simulation + Saved>(world: W) {
        lives_on(
            world,
            |world, steps| _ = world.run(steps),
            |world| (world.state_hash(), world.ticks()),
        );
    }
    automaton(poured());
    let mut damp = HumidityWorld::<floodplain::Sheet>::new(humidity::Rules::default()).unwrap();
    damp.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(5.0, 1.0))).unwrap();
    automaton(damp);
    automaton(Water2dWorld::new(3, water2d::Rules::literal()).unwrap());
    let rules = blast::Rules { threshold: 1.0, ..blast::Rules::wave(0.05, 0.5) };
    let mut loud = BlastWorld::<floodplain::Sheet>::new(rules).unwrap();
    loud.set_wall(IVec3::X, 0.5).unwrap();
    loud.set_pressure(IVec3::ZERO, 10.0).unwrap();
    automaton(loud);
    let mut graph = BlastGraph::new(rules).unwrap();
    let [a, b] = [(DVec3::ZERO, 10.0), (DVec3::X, 0.0)]
        .map(|(at, charge)| graph.add_node(at, charge).unwrap());
    graph.set_wall(b, 0.5).unwrap();
    graph.add_link(a, b, 1.0).unwrap();
    lives_on(
        graph,
        |graph, steps| _ = graph.run(steps),
        |graph| (graph.state_hash(), graph.ticks()),
    );
}
