//! The laws of water under random edits: every edit does what is documented, every invariant of
//! `validate` holds after every tick, and sleep changes nothing. Every failure prints the edits
//! that replay it. Below are edits that once broke a law, and why.

use super::random::{bounds, op, rules};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use proptest::prelude::*;
use support::water::Op;
use support::water::small::watched;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn every_law_holds_after_every_edit_and_tick(
        seed in any::<u64>(), rules in rules(), ops in prop::collection::vec(op(), 1..40)
    ) {
        replay(seed, rules, bounds(), &ops);
    }
}

fn region(from: [i32; 3], to: [i32; 3]) -> Region {
    Region::new(from.into(), to.into())
}

fn replay(seed: u64, rules: Rules, bounds: Region, ops: &[Op]) {
    watched(seed, rules, bounds).play(ops).unwrap();
}

/// A cell that dries up is cut from its children, and that rewrites them. Those in layers that were
/// no part of the tick were missing from the number of changed cells that the step reports.
#[test]
fn cells_cut_from_a_dry_parent_are_counted_as_changed() {
    let ops = [
        Op::Edit(Edit::SetSolid(IVec3::ZERO)),
        Op::Edit(Edit::FillWater { region: region([-4, 5, 0], [1, 5, 1]), height: 7 }),
        Op::Edit(Edit::FillSolid(region([-4, -4, -3], [0, 4, 4]))),
        Op::Step(8),
    ];
    replay(1_531_234_719_201_835_450, Rules::lossless(), region([-6, -5, -6], [5, 6, 5]), &ops);
}

/// Water goes into a cell from its side if it would fall there. A chunk that came, or went, below
/// that cell woke what touches it and not the water beside that cell, if that lay in a chunk next
/// to the one above: it slept on at the brink.
#[test]
fn water_wakes_beside_a_cell_under_which_a_chunk_comes_or_goes() {
    let (brink, below) = (IVec3::new(1, 0, 0), IVec3::new(0, -1, -1));
    let comes = [
        Op::Edit(Edit::RemoveChunk(ChunkPos::new(0, -1, 0))),
        Op::Edit(Edit::RemoveChunk(below.into())),
        Op::Edit(Edit::FillWater { region: Region::new(brink, brink), height: 1 }),
        Op::Step(4),
        Op::PutBack,
        Op::Step(1),
    ];
    let goes = [
        Op::Edit(Edit::FillSolid(region([-3, -1, -3], [2, -1, 2]))),
        Op::Edit(Edit::FillWater { region: Region::new(brink, brink), height: 1 }),
        Op::Step(4),
        Op::Edit(Edit::RemoveChunk(below.into())),
        Op::Step(1),
    ];
    for (unloaded, ops) in [(Edge::Wall, &comes[..]), (Edge::Drain, &goes)] {
        let rules = Rules { edges: Edges { unloaded, ..Edges::WALLS }, ..Rules::lossless() };
        (0..12).for_each(|seed| replay(seed, rules, region([-3, -3, -3], [2, 2, 2]), ops));
    }
}

/// A fill with water passed over cells of just that water without entering it, so that the ledger
/// and the returned units depended on whether the water there had ever moved.
#[test]
fn a_fill_with_what_stands_there_is_entered() {
    let pool = region([0, 1, 0], [1, 1, 1]);
    let fill = || Op::Edit(Edit::FillWater { region: pool, height: 5 });
    let ops = [fill(), fill(), fill()];
    replay(1, Rules::lossless(), region([0, 0, 0], [3, 3, 3]), &ops);
}

/// A chunk comes back whose topmost cell had its parent in the chunk above, where it has dried up
/// meanwhile. The cells below are visited first: their way up ended at that broken link, and
/// marked its cell as valid too.
#[test]
fn a_tie_to_what_has_dried_meanwhile_is_cut_when_its_chunk_comes_back() {
    let edges = Edges { unloaded: Edge::Wall, ..Edges::WALLS };
    let rules = Rules {
        source_supply: 0,
        throughput: 1,
        edges,
        pools: false,
        many_parents: false,
        ..Rules::lossless()
    };
    let below = IVec3::NEG_Y;
    let ops = [
        Op::Edit(Edit::FillWater { region: region([-1, 0, 0], [0, 1, 0]), height: 5 }),
        Op::Step(2),
        Op::Edit(Edit::RemoveChunk(below.into())),
        Op::Step(8),
        Op::PutBack,
        Op::Step(1),
    ];
    replay(0, rules, bounds(), &ops);
}

/// A world in which a spring falls on open ground, with this throughput, after twenty ticks.
fn fall(throughput: u8) -> WaterWorld {
    let rules = Rules { throughput, ..Rules::lossless() };
    let mut world = WaterWorld::new(7, rules).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_solid(region([0, 0, 0], [15, 0, 15])).unwrap();
    world.add_source(IVec3::new(7, 9, 7)).unwrap();
    world.run(20);
    world
}

/// A chunk brought its flows along, though nothing in its new world lets so much pass: `validate`
/// refused that world, and so did loading what it had saved.
#[test]
fn a_chunk_of_a_world_with_more_throughput_claims_no_more_than_its_new_one_lets_pass() {
    let chunk = fall(7).remove_chunk(ChunkPos::ZERO).unwrap();
    let rules = Rules { throughput: 3, ..Rules::lossless() };
    let mut world = WaterWorld::new(1, rules).unwrap();
    world.insert_chunk(ChunkPos::ZERO, chunk).unwrap();
    assert_eq!(world.validate(), Ok(()));
    let mut loaded = WaterWorld::load(&world.save()).unwrap();
    world.run(20);
    loaded.run(20);
    assert_eq!((world.validate(), world.state_hash()), (Ok(()), loaded.state_hash()));
}

/// A cell that has run empty keeps the marks of its flow to the end of the tick. A chunk read
/// meanwhile brought them along as words that no cell has, and such cells were reported as solid.
#[test]
fn a_chunk_read_in_the_middle_of_a_tick_holds_what_it_held_before() {
    let (mut fall, mut underway) = (fall(7), 0);
    fall.fill_water(region([2, 1, 2], [4, 12, 4]), 7).unwrap();
    for _ in 0..400 {
        underway += u32::from(!fall.step_within(0).finished);
        let (_, chunk) = fall.chunks().next().unwrap();
        for voxel in chunk.as_dense().unwrap() {
            assert_eq!(Voxel::from_word(voxel.word()), Ok(*voxel));
        }
        for cell in region([0, 1, 0], [15, 15, 15]).positions() {
            assert!(fall.cell(cell).is_some(), "{cell} is open");
        }
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, chunk.into_owned()).unwrap();
        assert_eq!((world.validate(), world.total()), (Ok(()), fall.total()));
        assert!(WaterWorld::load(&world.save()).is_ok());
    }
    assert!(underway > 300, "{underway} ticks underway");
}

/// A way for later ticks led through still water that was not connected yet. The ebb cut it off for
/// that, and sleeping cells farther down the way kept HasSource.
#[test]
fn children_of_a_cell_cut_off_from_a_new_path_are_not_connected() {
    let mut edges = Edges { unloaded: Edge::Wall, ..Edges::WALLS };
    edges.outer[1] = Edge::Level(0);
    let rules = Rules {
        source_supply: 1,
        throughput: 1,
        edges,
        pools: false,
        many_parents: false,
        ..Rules::lossless()
    };
    let ops = [
        Op::Step(8),
        Op::Edit(Edit::FillWater { region: region([-3, -5, -5], [3, 0, -3]), height: 5 }),
        Op::Edit(Edit::AddSource(IVec3::new(4, -2, -6))),
        Op::Step(40),
    ];
    replay(4_668_260_846_015_923_748, rules, bounds(), &ops);
}

/// Without pools, a connected cell with room draws if the cell below it is full. One that had run
/// dry over a fall slept, and missed that the water below rose to it.
#[test]
fn a_dry_cell_wakes_when_the_cell_below_is_full() {
    let rules = Rules {
        evaporation: 0.05,
        film_evaporation: 0.01,
        pools: false,
        many_parents: true,
        ..Rules::lossless()
    };
    let ops = [
        Op::Step(4),
        Op::Edit(Edit::FillSolid(region([3, -3, 0], [5, 0, 5]))),
        Op::Edit(Edit::AddSource(IVec3::new(8, 0, 1))),
        Op::Step(7),
        Op::Edit(Edit::ClearSolid(IVec3::new(7, -3, 5))),
        Op::Step(60),
    ];
    for seed in 0..12 {
        replay(seed, rules, region([3, -3, 0], [8, 2, 5]), &ops);
    }
}
