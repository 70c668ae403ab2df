//! Columns that pass from part to part, and worlds put together from the records of another number
//! of parts.

use crate::worlds::{Blast, DeepBlast, DeepSoil, Divided, Drawn, Soil, random_plan, sums_of};
use floodplain::humidity::{Border, Cell, Rules, Sweep};
use floodplain::parts::{InParts, Plan};
use floodplain::snapshot::Saved;
use floodplain::water2d::Water2dWorld;
use floodplain::{Chunk, ChunkPos, ColumnPos, Region};
use glam::IVec3;

/// Returns the records of all chunks of all parts.
fn records<W: InParts>(parts: &[W]) -> Vec<(ChunkPos, Vec<u8>)> {
    let mut records = Vec::new();
    for part in parts {
        part.visit_chunk_hashes(&mut |chunk, _| records.push((chunk, part.record(chunk).unwrap())));
    }
    records
}

/// Gives a part the chunks of its columns that it does not have, and all ghosts.
fn fill<W: Drawn>(divided: &mut Divided<W>, number: usize, records: &[(ChunkPos, Vec<u8>)]) {
    let part = &mut divided.parts[number];
    for (chunk, record) in records {
        let column = ColumnPos::new(chunk.x, chunk.z);
        let is_own = divided.plan.owner(column) == Some(number);
        if is_own || divided.plan.is_beside(column, number) {
            part.restore(*chunk, record).unwrap();
        }
    }
}

fn columns_may_move<W: Drawn>(worlds: u64) {
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        let (_, size) = W::draw(seed);
        for step in 0..24 {
            if step % 6 == 3 {
                let all = records(&divided.parts);
                let parts = divided.parts.len();
                divided.plan = random_plan(&mut divided.rng, size, parts);
                for number in 0..parts {
                    divided.parts[number].divide(&divided.plan, number).unwrap();
                    fill(&mut divided, number, &all);
                }
            }
            let reports = (divided.step(), divided.whole.step());
            assert_eq!(reports.0, reports.1, "seed {seed}, step {step}");
            let (account, hash) = divided.sums();
            assert_eq!(account, divided.whole.account(), "seed {seed}, step {step}");
            assert_eq!(hash, divided.whole.hash_part(), "seed {seed}, step {step}");
            let changes = format!("{:?}", divided.whole.take_changes());
            assert_eq!(divided.changes(), changes, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn columns_that_move_between_parts_change_nothing() {
    columns_may_move::<Soil>(5);
    columns_may_move::<DeepSoil>(5);
    columns_may_move::<Water2dWorld>(6);
    columns_may_move::<Blast>(8);
    columns_may_move::<DeepBlast>(10);
}

/// A ghost could be older than its owner's chunk, or that be gone: then the part owned what no one
/// has.
#[test]
fn a_ghost_of_a_column_that_becomes_own_is_dropped() {
    for seed in 0..20 {
        let mut divided = Divided::<DeepBlast>::draw(seed);
        let own = |plan: &Plan, part: usize| {
            let columns = plan.columns().filter(move |&(_, owner)| owner == part);
            columns.map(|(column, _)| column).collect::<Vec<_>>()
        };
        let before = own(&divided.plan, 0);
        let all = divided.plan.columns().map(|(column, _)| (column, 0));
        let plan = Plan::of_owners(all, 1).unwrap();
        divided.parts[0].divide(&plan, 0).unwrap();
        for column in own(&plan, 0).into_iter().filter(|column| !before.contains(column)) {
            assert_eq!(divided.parts[0].chunks_of(column), [], "seed {seed}: {column}");
        }
    }
}

/// What flows through a sleeping chunk is entered by the part that owns it, and once was by the
/// parts beside it, too.
#[test]
fn the_steady_flow_of_a_ghost_is_in_no_account() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(127, 63, 0));
    let build = || {
        let rules = Rules { borders: [Border::Drain; 6], ..Rules::with_sweep(Sweep::Conservative) };
        let mut world = Soil::with_bounds(rules, bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::ROCK)).unwrap();
        world.insert_chunk(ChunkPos::new(1, 0, 0), Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
        let rain = IVec3::new(20, 0, 0);
        world.fill_cells(Region::cell(rain), Cell::soil(0.0, 1.0)).unwrap();
        world.set_rain(rain, 900.0).unwrap();
        world.run(40);
        world
    };
    let mut whole = build();
    assert!(whole.is_at_rest() && whole.ledger().unwrap().drained > 0, "rain drains in its sleep");
    let plan = Plan::stripes([ColumnPos::new(0, 0), ColumnPos::new(1, 0)], 2).unwrap();
    let mut parts = [build(), build()];
    let none = vec![0; whole.account().len()];
    for (number, part) in parts.iter_mut().enumerate() {
        part.divide(&plan, number).unwrap();
    }
    parts[1].resume(40, &none).unwrap();
    let record = parts[0].record(ChunkPos::ZERO).unwrap();
    parts[1].restore(ChunkPos::ZERO, &record).unwrap();
    for _ in 0..10 {
        whole.step();
        parts.iter_mut().for_each(|part| assert_eq!(part.advance(0).messages, []));
    }
    assert_eq!(sums_of(&parts).0, whole.account());
}

fn another_number_of_parts_continues<W: Drawn>(worlds: u64) {
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        let (_, size) = W::draw(seed);
        for _ in 0..10 {
            divided.step();
            divided.whole.step();
        }
        let (all, account) = (records(&divided.parts), divided.sums().0);
        let parts = divided.rng.usize(1..4).min((size.x * size.z) as usize);
        divided.plan = random_plan(&mut divided.rng, size, parts);
        divided.parts = (0..parts).map(|_| W::empty(seed)).collect();
        for number in 0..parts {
            let part = &mut divided.parts[number];
            let of_part = if number == 0 { account.clone() } else { vec![0; account.len()] };
            part.resume(10, &of_part).unwrap();
            part.divide(&divided.plan, number).unwrap();
            fill(&mut divided, number, &all);
        }
        for _ in 0..10 {
            divided.step();
            divided.whole.step();
        }
        let (account, hash) = divided.sums();
        assert_eq!(account, divided.whole.account(), "seed {seed}");
        assert_eq!(hash, divided.whole.hash_part(), "seed {seed}");
    }
}

#[test]
fn a_world_continues_in_another_number_of_parts() {
    another_number_of_parts_continues::<Soil>(10);
    another_number_of_parts_continues::<DeepSoil>(10);
    another_number_of_parts_continues::<Water2dWorld>(10);
    another_number_of_parts_continues::<Blast>(10);
    another_number_of_parts_continues::<DeepBlast>(10);
}

/// A snapshot has the ledger of explosions in `f64`: the account goes on from it, and from the
/// units themselves if these are kept beside it.
#[test]
fn an_account_continues_after_a_snapshot() {
    for seed in 0..20 {
        let (mut world, _) = DeepBlast::draw(seed);
        world.run(10);
        let mut loaded = DeepBlast::load(&world.save()).unwrap();
        let ledger = loaded.ledger();
        let sums = [ledger.placed, ledger.removed, ledger.left, ledger.absorbed];
        let (units, begun) = (world.account(), loaded.account());
        for field in 0..4 {
            let sum = sums[field] * 2f64.powi(40);
            assert_eq!(begun[field], sum.round() as i128, "seed {seed}");
            let off = (units[field] - begun[field]).unsigned_abs() as f64;
            assert!(off <= 1e-9 * sum.abs() + 1e4, "seed {seed}: {off} of {sum} units");
        }
        let mut kept = DeepBlast::load(&world.save()).unwrap();
        kept.resume(world.ticks(), &units).unwrap();
        for world in [&mut world, &mut loaded, &mut kept] {
            world.run(20);
        }
        assert_eq!(kept.account(), world.account(), "seed {seed}");
        let since = |now: Vec<i128>, then: &[i128]| -> Vec<i128> {
            now.iter().zip(then).map(|(now, then)| now - then).collect()
        };
        let expected = since(world.account(), &units);
        assert_eq!(since(loaded.account(), &begun), expected, "seed {seed}");
    }
}
