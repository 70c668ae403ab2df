//! The laws of water under random edits: the ledger, every invariant of `validate`, determinism, and that sleep changes
//! nothing. Every failure prints the seed and the operations that replay it.

mod support;

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Region};
use proptest::prelude::*;
use support::{HIGH, LOW, world};

#[derive(Clone, Debug)]
enum Edit {
    SetSolid(IVec3),
    ClearSolid(IVec3),
    AddSource(IVec3),
    RemoveSource(IVec3),
    Pour(IVec3, u32),
    Scoop(IVec3, u32),
    FillSolid(IVec3, IVec3),
    FillWater(IVec3, IVec3, u8),
    RemoveChunk(IVec3),
    InsertChunk(IVec3),
    Run(u8),
}

fn cell() -> impl Strategy<Value = IVec3> {
    (LOW.x..=HIGH.x, LOW.y..=HIGH.y, LOW.z..=HIGH.z).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn chunk() -> impl Strategy<Value = IVec3> {
    (-1..=0, -1..=0, -1..=0).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => cell().prop_map(Edit::SetSolid),
        3 => cell().prop_map(Edit::ClearSolid),
        2 => cell().prop_map(Edit::AddSource),
        2 => cell().prop_map(Edit::RemoveSource),
        3 => (cell(), 0u32..9).prop_map(|(cell, units)| Edit::Pour(cell, units)),
        2 => (cell(), 0u32..9).prop_map(|(cell, units)| Edit::Scoop(cell, units)),
        2 => (cell(), cell()).prop_map(|(a, b)| Edit::FillSolid(a, b)),
        2 => (cell(), cell(), 0u8..=7).prop_map(|(a, b, height)| Edit::FillWater(a, b, height)),
        1 => chunk().prop_map(Edit::RemoveChunk),
        1 => chunk().prop_map(Edit::InsertChunk),
        8 => (1u8..12).prop_map(Edit::Run),
    ]
}

fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![3 => Just(Edge::Wall), 1 => Just(Edge::Drain), 1 => Just(Edge::Held)]
}

fn rules() -> impl Strategy<Value = Rules> {
    (prop::array::uniform6(edge()), edge(), 0u8..=7, 1u8..=7, any::<bool>(), any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(outer, unloaded, source_supply, throughput, pools, many_parents, ebb)| Rules {
            evaporation: if ebb { 0.02 } else { 0.0 },
            activity_decay: 0.25,
            source_supply,
            throughput,
            edges: Edges { outer, unloaded },
            pools,
            many_parents,
        })
}

/// Applies an edit; a refusal is fine, but must change nothing.
fn apply(world: &mut WaterWorld, edit: &Edit, stepped: &mut dyn FnMut(&mut WaterWorld)) {
    let before = world.state_hash();
    let refused = match *edit {
        Edit::SetSolid(cell) => world.set_solid(cell).is_err(),
        Edit::ClearSolid(cell) => world.clear_solid(cell).is_err(),
        Edit::AddSource(cell) => world.add_source(cell).is_err(),
        Edit::RemoveSource(cell) => world.remove_source(cell).is_err(),
        Edit::Pour(cell, units) => world.pour(cell, units).is_err(),
        Edit::Scoop(cell, units) => world.scoop(cell, units).is_err(),
        Edit::FillSolid(a, b) => world.fill_solid(Region::new(a, b)).is_err(),
        Edit::FillWater(a, b, height) => world.fill_water(Region::new(a, b), height).is_err(),
        Edit::RemoveChunk(chunk) => world.remove_chunk(chunk).is_err(),
        Edit::InsertChunk(chunk) => world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).is_err(),
        Edit::Run(ticks) => {
            (0..ticks).for_each(|_| stepped(world));
            false
        }
    };
    if refused {
        assert_eq!(world.state_hash(), before, "a refused edit changed the world: {edit:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_law_holds_after_every_edit_and_tick(
        seed in any::<u64>(), rules in rules(), edits in prop::collection::vec(edit(), 1..40)
    ) {
        let mut world = world(seed, rules);
        for (at, edit) in edits.iter().enumerate() {
            apply(&mut world, edit, &mut |world| {
                world.step();
                if let Err(law) = world.validate() {
                    panic!("tick {} of edit {at} {edit:?}: {law}", world.ticks());
                }
            });
            if let Err(law) = world.validate() {
                panic!("edit {at} {edit:?}: {law}");
            }
        }
    }

    #[test]
    fn a_sleeping_world_equals_one_that_never_slept(
        seed in any::<u64>(), rules in rules(), edits in prop::collection::vec(edit(), 1..40)
    ) {
        let mut sleeper = world(seed, rules);
        let mut awake = world(seed, rules);
        for (at, edit) in edits.iter().enumerate() {
            apply(&mut sleeper, edit, &mut |world| { world.step(); });
            apply(&mut awake, edit, &mut |world| { world.wake_all(); world.step(); });
            prop_assert_eq!(sleeper.state_hash(), awake.state_hash(), "after edit {} {:?}", at, edit);
        }
    }

    #[test]
    fn a_closed_world_comes_to_rest(seed in any::<u64>(), edits in prop::collection::vec(edit(), 1..20)) {
        let mut world = world(seed, Rules::lossless());
        for edit in edits.iter().filter(|edit| !matches!(edit, Edit::RemoveChunk(_))) {
            apply(&mut world, edit, &mut |world| { world.step(); });
        }
        for _ in 0..4_000 {
            if world.is_at_rest() {
                break;
            }
            world.step();
        }
        prop_assert!(world.is_at_rest(), "{} cells still awake", world.awake_cells());
        prop_assert_eq!(world.validate(), Ok(()));
        // The step that put the last cell to sleep moved nothing, so nothing is to be drawn as flowing.
        for cell in Region::new(LOW, HIGH).positions() {
            prop_assert!(world.current(cell) == IVec3::ZERO, "a current at {} in a world at rest", cell);
        }
    }
}
