//! Columns that pass from part to part, and worlds put together from the records of another number
//! of parts.

use crate::worlds::{Blast, DeepBlast, DeepSoil, Divided, Drawn, Soil, random_plan};
use floodplain::parts::InParts;
use floodplain::water2d::Water2dWorld;
use floodplain::{ChunkPos, ColumnPos};

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
        }
    }
}

#[test]
fn columns_that_move_between_parts_change_nothing() {
    columns_may_move::<Soil>(15);
    columns_may_move::<DeepSoil>(15);
    columns_may_move::<Water2dWorld>(15);
    columns_may_move::<Blast>(20);
    columns_may_move::<DeepBlast>(30);
}

fn another_number_of_parts_goes_on<W: Drawn>(worlds: u64) {
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
fn a_world_goes_on_in_another_number_of_parts() {
    another_number_of_parts_goes_on::<Soil>(10);
    another_number_of_parts_goes_on::<DeepSoil>(10);
    another_number_of_parts_goes_on::<Water2dWorld>(10);
    another_number_of_parts_goes_on::<Blast>(10);
    another_number_of_parts_goes_on::<DeepBlast>(10);
}
