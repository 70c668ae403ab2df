//! The contract of all automata: what the trait says is what the world's own methods say.

use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterWorld};
use floodplain::{Automaton, Chunk, StepReport};

/// Runs to rest by the trait alone, with its laws after each step; what all steps did.
fn settle(world: &mut impl Automaton, most: u64) -> StepReport {
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
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    assert_eq!(world.pour(IVec3::new(8, 9, 8), 7), Ok(7));
    world.take_changes();
    world
}

#[test]
fn water_keeps_the_contract() {
    let mut world = poured();
    let sum = settle(&mut world, 400);
    assert!(sum.moved >= 63 && sum.changed > 0 && sum.visited >= sum.moved / 7, "{sum:?}");
    assert_eq!(Automaton::total(&world), 7);
    assert_eq!(Automaton::ledger(&world), world.ledger());
    assert_eq!(Automaton::memory_bytes(&world), world.memory_bytes());
    let changes = Automaton::take_changes(&mut world);
    assert!(changes.iter().any(|change| change.chunk == IVec3::ZERO && !change.cells.is_empty()));
    assert!(Automaton::take_changes(&mut world).is_empty());

    let mut again = poured();
    Automaton::run(&mut again, world.ticks());
    assert_eq!(Automaton::state_hash(&again), Automaton::state_hash(&world), "as many steps at once");
}
