//! Forged snapshots in which what was awake sleeps. Everything else in them is true, and every
//! checksum right. They are refused, or describe a world in which nothing would have changed: then
//! it continues as if it had not been forged.

use super::sections::{forged, records_forged};
use floodplain::blast::BlastGraph;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water2d::{Cell, Rules, Water2dWorld};
use floodplain::{CHUNK_CELLS, Chunk, Cube, DecodeProblem, Shape, Sheet, Simulation};
use support::snapshot::forgery::length_of_cells;
use support::worlds;

/// A record without its marks of cells that are awake, where all cells of a chunk are awake or
/// none: marks are a byte with bit 0 set, and a mask of ones.
fn whole_chunk_asleep(record: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut left = record;
    while let Some((&first, rest)) = left.split_first() {
        let is_mark = matches!(first, 1 | 3)
            && rest.len() >= 512
            && rest[..512].iter().all(|&byte| byte == 0xff);
        out.push(if is_mark { first & !1 } else { first });
        left = if is_mark { &rest[512..] } else { rest };
    }
    out
}

/// Marks without those of cells that are awake. Whether there were any.
fn marks_asleep(left: &mut &[u8], out: &mut Vec<u8>) -> bool {
    let marks = take(left, 1)[0];
    out.push(marks & !1);
    take(left, if marks & 1 == 1 { 512 } else { 0 });
    out.extend(take(left, 512 * (marks & !1).count_ones() as usize));
    marks & 1 == 1
}

fn take<'a>(left: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = left.split_at(length);
    *left = rest;
    taken
}

/// Of water, where cells are awake one by one; its marks come first.
fn water_asleep(record: &[u8]) -> Vec<u8> {
    let (mut left, mut out) = (record, Vec::new());
    marks_asleep(&mut left, &mut out);
    [&out, left].concat()
}

/// Of 2D water; the steps that a chunk stays awake go with its marks.
fn water_2d_asleep(record: &[u8]) -> Vec<u8> {
    let (cells, mut left) = record.split_at(length_of_cells(record, 4));
    let mut out = cells.to_vec();
    let was_awake = marks_asleep(&mut left, &mut out);
    take(&mut left, usize::from(was_awake));
    [&out, left].concat()
}

/// Of 2D water whose chunks stay awake, but for one more step only.
fn water_2d_soon_asleep(record: &[u8]) -> Vec<u8> {
    let mut out = record.to_vec();
    if record[length_of_cells(record, 4)] & 1 == 1 {
        *out.last_mut().unwrap() = 1;
    }
    out
}

/// Puts worlds of a kind to sleep; some must be refused.
fn sleepers_are_refused<W: Simulation + Saved>(
    born: impl Fn(u64) -> W,
    asleep: fn(&[u8]) -> Vec<u8>,
) {
    let mut refused = 0;
    for seed in 0..20 {
        let bytes = born(seed).save();
        match W::load(&records_forged(&bytes, asleep)) {
            Err(error) => {
                let is_lawless =
                    matches!(&error.problem, DecodeProblem::Law { law } if !law.is_empty());
                assert!(is_lawless, "seed {seed}: {error:?}");
                refused += 1;
            }
            Ok(mut world) => {
                let mut untouched = W::load(&bytes).unwrap();
                for step in 0..6 {
                    assert_eq!(
                        world.state_hash(),
                        untouched.state_hash(),
                        "seed {seed}, step {step}"
                    );
                    world.step();
                    untouched.step();
                }
            }
        }
    }
    assert!(refused > 0, "none of twenty worlds was refused");
}

#[test]
fn water_that_would_move_is_not_asleep() {
    sleepers_are_refused(worlds::water, water_asleep);
}

#[test]
fn humidity_that_would_seep_is_not_asleep() {
    sleepers_are_refused(worlds::humidity::<Sheet>, whole_chunk_asleep);
    sleepers_are_refused(worlds::humidity::<Cube>, whole_chunk_asleep);
}

#[test]
fn pressure_that_would_spread_is_not_asleep() {
    sleepers_are_refused(worlds::blast::<Sheet>, whole_chunk_asleep);
    sleepers_are_refused(worlds::blast::<Cube>, whole_chunk_asleep);
}

#[test]
fn water_2d_that_would_move_is_not_asleep() {
    sleepers_are_refused(worlds::water_2d, water_2d_asleep);
}

/// Water that runs in from above, and on down a slope to the west or to the east, alternately. A
/// step of the one kind passes on through the chunk as much as comes in, and changes no level
/// there; the next does. No law is broken before it does.
#[test]
fn water_2d_that_would_move_after_the_next_step_does_not_sleep_before() {
    let laws: Vec<Option<String>> = (0..8)
        .map(|seed| {
            let mut world = Water2dWorld::new(seed, Rules::literal()).unwrap();
            let level = |cell: IVec3| match (cell.x, cell.y) {
                (2, 64..=70) => Some(1),
                (-20..=2, 63) => Some(97 + cell.x),
                (3, 63) => Some(98),
                _ => None,
            };
            for chunk in [IVec3::ZERO, IVec3::NEG_X, IVec3::Y] {
                let cells: [Cell; CHUNK_CELLS] = core::array::from_fn(|index| {
                    let level = level(Sheet::cell_at(chunk.into(), index));
                    level.map_or(Cell::SOLID, |level| Cell::water(level as u32).unwrap())
                });
                world.insert_chunk(chunk.into(), Chunk::from_cells(&cells)).unwrap();
            }
            let drowsy = Water2dWorld::load(&records_forged(&world.save(), water_2d_soon_asleep));
            assert_eq!(drowsy.is_err(), world.prefers_left(), "seed {seed}");
            drowsy.err().map(|error| error.to_string())
        })
        .collect();
    assert!(
        laws.contains(&None)
            && laws.iter().flatten().all(|law| law.contains("would change if it were awake"))
    );
    assert!(laws.iter().any(Option::is_some), "{laws:?}");
}

/// A graph sleeps as a whole; the byte that says so stands after its steps and its ledger. Nobody
/// looked whether it could be true: a graph with a charge in it was loaded as asleep, and stood
/// still for ever.
#[test]
fn a_graph_that_would_change_is_not_asleep() {
    let mut refused = 0;
    for seed in 0..20 {
        let bytes = worlds::graph(seed).save();
        let asleep = forged(&bytes, "WRLD", |mut state| {
            assert!(state[40] <= 1);
            state[40] = 0;
            state
        });
        match BlastGraph::load(&asleep) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
            Ok(mut graph) => {
                let mut untouched = BlastGraph::load(&bytes).unwrap();
                for step in 0..6 {
                    assert_eq!(
                        graph.state_hash(),
                        untouched.state_hash(),
                        "seed {seed}, step {step}"
                    );
                    graph.step();
                    untouched.step();
                }
            }
        }
    }
    assert!(refused > 0, "none of twenty graphs was refused");
}
