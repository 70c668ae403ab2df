//! Columns that are loaded and unloaded while a divided world runs, at random, against one world
//! that loads and unloads the same.

use crate::worlds::{Blast, DeepSoil, Divided, Drawn, Soil, columns};
use floodplain::parts::{InParts, PartError, Plan};
use floodplain::snapshot::Saved;
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, ColumnPos, Region};
use glam::IVec3;
use std::collections::BTreeMap;

type Records = Vec<(ChunkPos, Vec<u8>)>;

/// Divides all parts by another plan.
fn divide<W: Drawn>(divided: &mut Divided<W>, plan: Plan) {
    for (number, part) in divided.parts.iter_mut().enumerate() {
        part.divide(&plan, number).unwrap();
    }
    divided.plan = plan;
}

/// Gives all parts the ghosts that they lack.
fn renew_ghosts<W: Drawn>(divided: &mut Divided<W>) {
    let mut records = Vec::new();
    for part in &divided.parts {
        let chunks = part.chunk_positions();
        records.extend(chunks.into_iter().map(|chunk| (chunk, part.record(chunk).unwrap())));
    }
    for (number, part) in divided.parts.iter_mut().enumerate() {
        for (chunk, record) in &records {
            if divided.plan.is_beside(chunk.column(), number) {
                part.restore(*chunk, record).unwrap();
            }
        }
    }
}

/// Unloads a column everywhere. Returns its records; `None` if it has to stay.
fn unload<W: Drawn>(divided: &mut Divided<W>, column: ColumnPos) -> Option<Records> {
    let plan = divided.plan.without_columns([column]).ok()?;
    let owner = divided.plan.owner(column);
    let expected = divided.whole.unload_column(column);
    let mut records = Vec::new();
    for (number, part) in divided.parts.iter_mut().enumerate() {
        match part.unload_column(column) {
            Ok(own) if owner == Some(number) => records = own,
            Ok(none) => assert_eq!(none, []),
            Err(error) => assert_eq!(Err(error), expected),
        }
    }
    if expected.is_ok() {
        assert_eq!(Ok(&records), expected.as_ref());
        divide(divided, plan);
    }
    expected.ok()
}

/// Loads a column everywhere, for a random part.
fn load<W: Drawn>(divided: &mut Divided<W>, column: ColumnPos, records: &Records) {
    let owner = divided.rng.usize(..divided.parts.len());
    let plan = divided.plan.with_columns([(column, owner)]).unwrap();
    divide(divided, plan);
    divided.whole.load_column(column, records).unwrap();
    divided.parts.iter_mut().for_each(|part| part.load_column(column, records).unwrap());
    renew_ghosts(divided);
}

fn columns_may_come_and_go<W: Drawn>(worlds: u64) {
    let (mut loaded, mut unloaded) = (0, 0);
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        let (_, size) = W::draw(seed);
        let mut away = BTreeMap::new();
        for step in 0..30 {
            for _ in 0..divided.rng.usize(..3) {
                let columns = columns(size);
                let column = columns[divided.rng.usize(..columns.len())];
                if let Some(records) = away.remove(&column) {
                    load(&mut divided, column, &records);
                    loaded += 1;
                } else if let Some(records) = unload(&mut divided, column) {
                    away.insert(column, records);
                    unloaded += 1;
                }
            }
            let reports = (divided.step(), divided.whole.step());
            let replay = format!("seed {seed}, step {step}");
            assert_eq!(reports.0, reports.1, "{replay}");
            let (account, hash) = divided.sums();
            assert_eq!(account, divided.whole.account(), "{replay}");
            assert_eq!(hash, divided.whole.hash_part(), "{replay}");
            assert_eq!(divided.whole.validate(), Ok(()), "{replay}");
        }
        divided.parts.iter().for_each(|part| assert_eq!(part.validate(), Ok(()), "seed {seed}"));
    }
    assert!(loaded > worlds && unloaded > worlds, "{loaded} loaded, {unloaded} unloaded");
}

#[test]
fn columns_that_come_and_go_change_parts_as_they_change_the_whole() {
    columns_may_come_and_go::<Soil>(12);
    columns_may_come_and_go::<DeepSoil>(12);
    columns_may_come_and_go::<Water2dWorld>(20);
}

/// Water that a loaded column is to get flows into it, and what it brings flows out.
#[test]
fn a_loaded_column_flows_at_once() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(127, 63, 0));
    let mut world = Water2dWorld::with_bounds(1, water2d::Rules::literal(), bounds).unwrap();
    let chunk = |x: i32| ChunkPos::new(x, 0, 0);
    for x in 0..2 {
        world.insert_chunk(chunk(x), Chunk::uniform(water2d::Cell::AIR)).unwrap();
    }
    let records = world.unload_column(ColumnPos::new(1, 0)).unwrap();
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(63, 9, 0)), 100).unwrap();
    world.run(100);
    world.load_column(ColumnPos::new(1, 0), &records).unwrap();
    world.run(500);
    assert!(world.level(IVec3::new(100, 0, 0)) > 0);
    assert_eq!(world.validate(), Ok(()));
}

#[test]
fn columns_that_cannot_be_loaded_or_unloaded_are_refused_without_effect() {
    let mut divided = Divided::<Soil>::draw(4);
    let world = &mut divided.whole;
    let chunks = world.chunk_positions();
    let column = chunks[0].column();
    let other = chunks.iter().find(|chunk| chunk.column() != column).unwrap();
    let stray = (*other, world.record(*other).unwrap());
    let records = world.unload_column(column).unwrap();
    assert_eq!(world.unload_column(column), Err(PartError::NotLoaded(column)));
    let before = (world.hash_part(), world.account());
    let mut cut = records.clone();
    cut.last_mut().unwrap().1.pop();
    let twice: Records = records.iter().chain(&records).cloned().collect();
    let strange: Records = records.iter().cloned().chain([stray]).collect();
    for wrong in [cut, twice, strange] {
        let error = world.load_column(column, &wrong).unwrap_err();
        assert!(matches!(error, PartError::Record { .. }), "{error}");
        assert_eq!((world.hash_part(), world.account()), before);
    }
    world.load_column(column, &records).unwrap();
    assert_eq!(world.load_column(column, &records), Err(PartError::Loaded(column)));
    let mut blast = Divided::<Blast>::draw(1).whole;
    assert_eq!(blast.unload_column(column), Err(PartError::NeverLoaded));
    assert_eq!(blast.load_column(column, &[]), Err(PartError::NeverLoaded));
}

#[test]
fn a_column_for_which_the_ledger_has_no_room_is_refused() {
    let mut world = Water2dWorld::new(1, water2d::Rules::literal()).unwrap();
    let water = Chunk::uniform(water2d::Cell::water(1).unwrap());
    world.insert_chunk(ChunkPos::ZERO, water).unwrap();
    let column = ColumnPos::new(0, 0);
    let records = world.unload_column(column).unwrap();
    let full = i128::from(u64::MAX);
    world.resume(9, &[full, full]).unwrap();
    assert_eq!(world.load_column(column, &records), Err(PartError::Units(4096)));
    assert_eq!((world.chunk_positions(), world.account()), (vec![], vec![full, full]));
    world.resume(9, &[0, 0]).unwrap();
    world.load_column(column, &records).unwrap();
    world.resume(9, &[full, full]).unwrap();
    let before = world.hash_part();
    assert_eq!(world.unload_column(column), Err(PartError::Units(4096)));
    assert_eq!((world.hash_part(), world.account()), (before, vec![full, full]));
}
