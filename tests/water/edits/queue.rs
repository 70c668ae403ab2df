//! Queued edits, and edits as bytes.

use crate::random::{self, op};
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{
    ChunkRecord, Edge, Edges, Edit, EditError, Fixture, Outcome, Rules, Voxel, WaterWorld,
};
use floodplain::{Chunk, ChunkPos, ColumnPos, Cube, EditReport, EditValue, Region, Shape, Ticket};
use proptest::prelude::*;
use support::edit_bytes::{parsed, sent};
use support::queued;
use support::queued::are_equal_but_for_tickets;
use support::water::small::built;
use support::worlds;

fn cell(rng: &mut Rng, region: Region) -> IVec3 {
    let (min, max) = (region.min(), region.max());
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

fn chunk(rng: &mut Rng) -> Chunk<Voxel> {
    let kinds = [Voxel::OPEN, Voxel::SOLID, Voxel::from_word(rng.u16(..8)).unwrap()];
    match rng.u8(..3) {
        0 => Chunk::uniform(kinds[rng.usize(..3)]),
        _ => Chunk::from_cells(&core::array::from_fn(|_| kinds[rng.usize(..3)])),
    }
}

/// The records of some chunks of a world.
fn records(rng: &mut Rng) -> Vec<ChunkRecord> {
    let mut world = worlds::water(rng.u64(..20));
    let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
    let some = chunks.into_iter().filter(|_| rng.u8(..3) == 0);
    world.remove_chunks(some).unwrap()
}

/// Any rules; one in four is refused.
fn rules(rng: &mut Rng) -> Rules {
    let mut edge = || [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(2)][rng.usize(..4)];
    let edges = Edges { outer: core::array::from_fn(|_| edge()), unloaded: edge() };
    Rules {
        evaporation: [0.0, 1.0 / 256.0][rng.usize(..2)],
        source_supply: rng.u8(..8),
        throughput: rng.u8(1..10),
        edges,
        pools: rng.bool(),
        many_parents: rng.bool(),
        ..Rules::default()
    }
}

/// The chunks of the box with these corners.
fn chunks_between(one: ChunkPos, other: ChunkPos) -> Vec<ChunkPos> {
    Region::new(one.into(), other.into()).positions().map(ChunkPos::from).collect()
}

/// Any edit; some will be refused.
fn edit(rng: &mut Rng, bounds: Region) -> Edit {
    let at = cell(rng, Region::new(bounds.min() - 1, bounds.max()));
    let region = Region::new(at, at.min(cell(rng, bounds)));
    let position = Cube::chunk_of(at);
    match rng.u8(..29) {
        0 | 1 => Edit::SetSolid(at),
        2 => Edit::ClearSolid(at),
        3 | 4 => Edit::AddSource(at),
        5 => Edit::RemoveSource(at),
        6 | 7 => Edit::Pour { cell: at, units: rng.u32(..9) },
        8 => Edit::Scoop { cell: at, units: rng.u32(..9) },
        9 => Edit::FillSolid(region),
        10 => Edit::FillWater { region, height: rng.u8(..9) },
        11 => Edit::RemoveChunk(position),
        12 => Edit::InsertChunk { position, chunk: chunk(rng) },
        13 => Edit::InsertChunks((0..rng.usize(..3)).map(|_| (position, chunk(rng))).collect()),
        14 => Edit::WakeAll,
        15 => Edit::SetRules(rules(rng)),
        16 => Edit::SetSea(at),
        17 => Edit::ClearSea(at),
        18 => Edit::FillSea(region),
        19 => {
            let edge = [None, Some(Edge::Drain), Some(Edge::Level(at.y))][rng.usize(..3)];
            Edit::SetEdge { column: ColumnPos::new(position.x, position.z), edge }
        }
        20 => Edit::RemoveChunks(vec![position]),
        21 => Edit::RemoveChunks(chunks_between(position, Cube::chunk_of(bounds.max()))),
        22 => Edit::InsertRecords(records(rng)),
        23 => Edit::DrainBody { cell: at, units: rng.u32(..60) },
        24 => Edit::FillBody { cell: at, units: rng.u32(..60) },
        25 => {
            let fixture = [None, Some(Fixture::Drain(3)), Some(Fixture::Tap(rng.u8(..9)))];
            Edit::SetFixture { cell: at, fixture: fixture[rng.usize(..3)] }
        }
        26 => Edit::Freeze(chunks_between(position, IVec3::from(position).min(IVec3::ZERO).into())),
        27 => Edit::Thaw(vec![position, Cube::chunk_of(bounds.min())]),
        _ => Edit::Pour { cell: at, units: 7 },
    }
}

/// Edits made by hand, each with the number of its report.
fn make(world: &mut WaterWorld, edits: &[Edit], reports: &mut Vec<EditReport<Outcome, EditError>>) {
    for edit in edits {
        let (ticket, tick) = (Ticket(reports.len() as u64), world.ticks());
        let result = world.apply(edit.clone());
        reports.push(EditReport { ticket, tick, result });
    }
}

/// One world gets its edits by hand between whole ticks. The other has them queued at any moment of
/// the tick before, which is done in slices.
#[test]
fn queued_edits_are_those_made_by_hand_between_ticks() {
    let (mut refused, mut made, mut slices) = (0, 0, 0);
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let (mut by_hand, mut queued) = (worlds::water(seed), worlds::water(seed));
        let (mut expected, mut reports) = (Vec::new(), Vec::new());
        for tick in 0..8 {
            let most = [1, 40, 400, u64::MAX][rng.usize(..4)];
            let mut edits: Vec<Edit> =
                (0..rng.usize(..6)).map(|_| edit(&mut rng, by_hand.bounds())).collect();
            by_hand.step();
            make(&mut by_hand, &edits, &mut expected);
            edits.reverse();
            // The first slice begins the tick: edits queued from here on come after it.
            let mut finished = queued.step_within(rng.u64(..most)).finished;
            while !finished {
                for _ in 0..rng.usize(..3) {
                    if let Some(edit) = edits.pop() {
                        queued.queue(sent(&edit));
                    }
                }
                finished = queued.step_within(rng.u64(..most)).finished;
                slices += 1;
            }
            edits.drain(..).rev().for_each(|edit| _ = queued.queue(edit));
            // A tick without edits, in which those that wait are made.
            by_hand.step();
            queued.step();
            assert_eq!(queued.queued_edits().len(), 0);
            assert_eq!(queued.state_hash(), by_hand.state_hash(), "seed {seed}, tick {tick}");
            assert_eq!(queued.ledger(), by_hand.ledger(), "seed {seed}, tick {tick}");
            assert_eq!(queued.take_changes(), by_hand.take_changes(), "seed {seed}, tick {tick}");
            reports.append(&mut queued.take_edit_reports());
        }
        assert!(reports == expected, "seed {seed}: other reports");
        refused += reports.iter().filter(|report| report.result.is_err()).count();
        made += reports.iter().filter(|report| report.result.is_ok()).count();
    }
    assert!(refused > 100 && made > 300, "{made} edits made, {refused} refused");
    assert!(slices > 1_000, "{slices} slices");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn queued_edits_under_any_rules_are_those_made_by_hand(
        seed in any::<u64>(), rules in random::rules(), ops in prop::collection::vec(op(), 1..30)
    ) {
        let world = || built(seed, rules, random::bounds());
        queued::are_those_by_hand(world, seed % 100, &ops, |_| {});
    }
}

/// With a few edits in each tick, saved and loaded at any moment.
#[test]
fn however_a_tick_is_sliced_and_saved_its_queued_edits_come_to_the_same() {
    let (mut saved, mut waiting) = (0, 0);
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let (mut whole, mut sliced) = (worlds::water(seed), worlds::water(seed));
        for tick in 0..12 {
            for _ in 0..rng.usize(..4) {
                let edit = edit(&mut rng, whole.bounds());
                whole.queue(edit.clone());
                sliced.queue(edit);
            }
            whole.step();
            // No edit is queued during this tick, so the loaded world has the same ones before it.
            // It starts the tick again, so that is done once only.
            let (mut saves, most) = (rng.usize(..2), [1, 60, 200][rng.usize(..3)]);
            while !sliced.step_within(rng.u64(..most)).finished {
                assert!(sliced.backlog() > 0 && !sliced.is_at_rest(), "seed {seed}");
                sliced.validate().unwrap();
                if saves > 0 && rng.bool() {
                    saves -= 1;
                    let loaded = WaterWorld::load(&sliced.save()).unwrap();
                    assert_eq!(loaded.state_hash(), sliced.state_hash(), "seed {seed}");
                    assert!(loaded.save() == sliced.save(), "seed {seed}");
                    waiting += loaded.queued_edits().len();
                    sliced = loaded;
                    saved += 1;
                }
            }
            assert!(sliced.save() == whole.save(), "seed {seed}, tick {tick}");
        }
    }
    assert!(saved > 100 && waiting > 20, "{saved} saved, {waiting} edits waiting in them");
}

/// What is queued in the middle of a tick comes after it, in a world that was saved meanwhile, too,
/// although that one starts the tick again.
#[test]
fn edits_queued_in_the_middle_of_a_tick_come_after_it_once_loaded_too() {
    let mut underway = 0;
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        if world.step_within(rng.u64(..60)).finished {
            continue;
        }
        underway += 1;
        (0..4).for_each(|_| _ = world.queue(edit(&mut rng, world.bounds())));
        let mut loaded = WaterWorld::load(&world.save()).unwrap();
        assert_eq!(loaded.state_hash(), world.state_hash(), "seed {seed}");
        assert!(loaded.queued_edits().eq(world.queued_edits()), "seed {seed}");
        for _ in 0..2 {
            world.step();
            loaded.step();
            assert!(world.save() == loaded.save(), "seed {seed}");
        }
        assert_eq!(world.take_edit_reports(), loaded.take_edit_reports(), "seed {seed}");
    }
    assert!(underway > 20, "{underway} ticks underway");
}

#[test]
fn an_edit_made_directly_comes_after_those_queued_before_it() {
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let (mut by_hand, mut world) = (worlds::water(seed), worlds::water(seed));
        let edits: Vec<Edit> = (0..5).map(|_| edit(&mut rng, world.bounds())).collect();
        let finished = world.step_within(rng.u64(..60)).finished;
        edits[..4].iter().for_each(|edit| _ = world.queue(edit.clone()));
        let mut expected = Vec::new();
        by_hand.step();
        make(&mut by_hand, &edits, &mut expected);
        let result = world.apply(edits[4].clone());
        assert_eq!(world.queued_edits().len(), 0, "seed {seed}: {:?}", edits[4]);
        assert!(world.backlog() == 0 && world.ticks() == by_hand.ticks(), "{finished}");
        let mut reports = world.take_edit_reports();
        reports.push(EditReport { ticket: Ticket(4), tick: world.ticks(), result });
        let are_equal = are_equal_but_for_tickets(&world.save(), &by_hand.save());
        assert!(reports == expected && are_equal, "seed {seed}");
    }
}

/// A player who builds in every tick. Each edit that was made directly completed the tick that was
/// underway, so that no call kept its budget.
#[test]
fn a_game_that_queues_edits_in_every_tick_keeps_its_budget() {
    const BUDGET: u64 = 2_000;
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    let side = Region::new(IVec3::ZERO, IVec3::new(3, 1, 3));
    world
        .insert_chunks(
            side.positions().map(ChunkPos::from).map(|at| (at, Chunk::uniform(Voxel::OPEN))),
        )
        .unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(24, 20, 63)), 7).unwrap();
    let mut rng = Rng::with_seed(3);
    let (mut most, mut done, mut calls, mut edits) = (0, 0, 0, 0);
    while world.ticks() < 30 {
        let at = IVec3::new(rng.i32(0..64), rng.i32(0..32), rng.i32(0..64));
        world.queue(if rng.bool() { Edit::SetSolid(at) } else { Edit::ClearSolid(at) });
        let progress = world.step_within(BUDGET);
        most = most.max(progress.visited);
        (done, calls) = (done + progress.visited, calls + 1);
        for report in world.take_edit_reports() {
            assert!(report.result.is_ok(), "{report:?}");
            edits += 1;
        }
    }
    assert!(most < BUDGET + 4_112, "{most} cells in one call");
    assert!(
        done > 50 * BUDGET && calls > 60 && edits > 60,
        "{done} in {calls} calls, {edits} edits"
    );
}

/// A tick that has nothing to do may still have edits before it.
#[test]
fn a_world_with_queued_edits_is_not_at_rest() {
    let mut world = WaterWorld::new(3, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.run(8);
    assert!(world.is_at_rest());
    let (hash, spring) = (world.state_hash(), IVec3::new(8, 4, 8));
    assert_eq!(world.queue(Edit::AddSource(spring)), Ticket(0));
    assert_eq!(world.queue(Edit::AddSource(IVec3::splat(99))), Ticket(1));
    assert!(!world.is_at_rest() && world.state_hash() != hash);
    world.run(40);
    let results: Vec<_> = world
        .take_edit_reports()
        .into_iter()
        .map(|report| (report.ticket.0, report.result))
        .collect();
    assert!(matches!(results[..], [(0, Ok(Outcome::Changed(true))), (1, Err(_))]), "{results:?}");
    assert!(world.total() > 7, "the spring flows");
    assert!(world.take_edit_reports().is_empty());
    assert_eq!(world.queue(Edit::WakeAll), Ticket(2), "tickets go on");
}

#[test]
fn any_bytes_are_an_edit_or_an_error_that_names_the_place() {
    let (mut rng, mut read) = (Rng::with_seed(5), 0);
    let bounds = Region::new(IVec3::splat(-20), IVec3::splat(20));
    for round in 0..4_000 {
        let bytes = match round % 4 {
            0 => (0..rng.usize(..40)).map(|_| rng.u8(..)).collect(),
            1 => (0..rng.usize(1..40)).map(|at| if at == 0 { rng.u8(..23) } else { 0 }).collect(),
            // One that is an edit but for a few bytes.
            _ => {
                let mut bytes = edit(&mut rng, bounds).to_bytes();
                for _ in 0..rng.usize(..3) {
                    let at = rng.usize(..bytes.len().min(60));
                    bytes[at] = rng.u8(..);
                }
                if rng.bool() {
                    bytes.truncate(rng.usize(..=bytes.len()));
                }
                bytes
            }
        };
        read += usize::from(parsed::<Edit>(&bytes).is_some());
    }
    assert!(read > 300, "{read} are edits");
}
