//! Random rules and edits for the tests of water's laws.

use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{Edge, Edges, Rules};
use floodplain::{Cube, Region, Shape};
use proptest::prelude::*;
use support::water::edits::{Edit, Op};

/// The world lies across eight chunks, so that borders are crossed in every direction.
pub fn bounds() -> Region {
    Region::new(IVec3::new(-6, -5, -6), IVec3::new(5, 6, 5))
}

fn cell() -> impl Strategy<Value = IVec3> {
    let (low, high) = (bounds().min(), bounds().max() + 1);
    // The last of each axis is out of bounds, so seldom taken.
    let axis = |low: i32, high: i32| prop_oneof![60 => low..high, 1 => Just(high)];
    (axis(low.x, high.x), axis(low.y, high.y), axis(low.z, high.z))
        .prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn region() -> impl Strategy<Value = Region> {
    (cell(), cell()).prop_map(|(a, b)| Region::new(a, b))
}

/// Any edit.
pub fn edit() -> impl Strategy<Value = Edit> {
    let chunk = || cell().prop_map(Cube::chunk_of);
    prop_oneof![
        3 => cell().prop_map(Edit::SetSolid),
        3 => cell().prop_map(Edit::ClearSolid),
        2 => cell().prop_map(Edit::AddSource),
        2 => cell().prop_map(Edit::RemoveSource),
        3 => (cell(), 0u32..9).prop_map(|(cell, units)| Edit::Pour(cell, units)),
        2 => (cell(), 0u32..9).prop_map(|(cell, units)| Edit::Scoop(cell, units)),
        2 => region().prop_map(Edit::FillSolid),
        2 => (region(), 0u8..=8).prop_map(|(region, height)| Edit::FillWater(region, height)),
        1 => chunk().prop_map(Edit::RemoveChunk),
        1 => chunk().prop_map(Edit::InsertChunk),
        1 => (chunk(), any::<u64>()).prop_map(|(chunk, seed)| Edit::InsertForeign(chunk, seed)),
        1 => Just(Edit::InsertChunks),
        1 => cell().prop_map(Edit::SetSea),
        1 => cell().prop_map(Edit::ClearSea),
        1 => region().prop_map(Edit::FillSea),
        1 => chunk().prop_map(Edit::InsertSea),
        1 => (chunk(), prop::option::of(edge()))
            .prop_map(|(chunk, edge)| Edit::SetEdge(IVec2::new(chunk.x, chunk.z), edge)),
        1 => (chunk(), chunk()).prop_map(|(a, b)| Edit::RemoveChunks(Region::new(a, b))),
        2 => Just(Edit::InsertRecords),
        1 => (chunk(), chunk()).prop_map(|(a, b)| Edit::Freeze(Region::new(a, b))),
        1 => (chunk(), chunk()).prop_map(|(a, b)| Edit::Thaw(Region::new(a, b))),
    ]
}

/// Any edit, or a few ticks.
pub fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        23 => edit().prop_map(Op::Edit),
        1 => Just(Op::WakeAll),
        1 => Just(Op::TakeChanges),
        8 => (1u8..12).prop_map(Op::Step),
        1 => (0u64..4000).prop_map(|budget| Op::Run(1, budget)),
        1 => Just(Op::SaveAndLoad),
    ]
}

fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![
        6 => Just(Edge::Wall),
        2 => Just(Edge::Drain),
        2 => Just(Edge::Held),
        1 => (-6i32..7).prop_map(Edge::Level),
    ]
}

/// Any rules.
pub fn rules() -> impl Strategy<Value = Rules> {
    (
        prop::array::uniform6(edge()),
        edge(),
        0u8..=7,
        1u8..=7,
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(outer, unloaded, source_supply, throughput, pools, many_parents, ebb)| {
            Rules {
                evaporation: if ebb { 0.02 } else { 0.0 },
                film_evaporation: if ebb { 0.005 } else { 0.0 },
                activity_decay: 0.25,
                source_supply,
                throughput,
                edges: Edges { outer, unloaded },
                pools,
                many_parents,
            }
        })
}
