//! Forged snapshots in which what was awake sleeps. Everything else in them is true, and every checksum right. They are refused,
//! or describe a world in which nothing would have changed: then it goes on as if nobody had touched it.

#[path = "support/sections.rs"]
#[expect(dead_code, reason = "shared with the tests of what is refused")]
mod sections;
#[path = "support/worlds.rs"]
mod worlds;

use floodplain::blast::BlastGraph;
use floodplain::snapshot::{Saved, SnapshotError};
use floodplain::{Automaton, Cube, Sheet};
use sections::forged;

/// Chunks without their marks of cells that are awake, where all cells of a chunk are awake or none: marks are a byte with
/// bit 0 set, and a mask of ones.
fn whole_chunks_asleep(content: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut left = &content[..];
    while let Some((&first, rest)) = left.split_first() {
        let is_mark = matches!(first, 1 | 3) && rest.len() >= 512 && rest[..512].iter().all(|&byte| byte == 0xff);
        out.push(if is_mark { first & !1 } else { first });
        left = if is_mark { &rest[512..] } else { rest };
    }
    out
}

/// The same where ones are found in cells too: record by record, of a position, a plane of cells of this many bytes, marks,
/// and what follows them, from which `rest` takes what it leaves in place.
fn records_asleep(content: Vec<u8>, cell: usize, rest: fn(&mut &[u8], bool) -> Vec<u8>) -> Vec<u8> {
    let (head, mut left) = content.split_at(8);
    let mut out = head.to_vec();
    while !left.is_empty() {
        let cells = if left[12] == 0 { 1 } else { 4096 };
        out.extend(take(&mut left, 13 + cell * cells));
        let marks = take(&mut left, 1)[0];
        out.push(marks & !1);
        take(&mut left, if marks & 1 == 1 { 512 } else { 0 });
        out.extend(take(&mut left, if marks & 2 == 2 { 512 } else { 0 }));
        out.extend(rest(&mut left, marks & 1 == 1));
    }
    out
}

fn take<'a>(left: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = left.split_at(length);
    *left = rest;
    taken
}

/// Of water, where cells are awake one by one; further parents stay.
fn water_asleep(content: Vec<u8>) -> Vec<u8> {
    records_asleep(content, 2, |left, _| {
        let parents = usize::from(u16::from_le_bytes([left[0], left[1]]));
        take(left, 2 + 3 * parents).to_vec()
    })
}

/// Of 2D water; the steps that a chunk stays awake go with its marks.
fn water_2d_asleep(content: Vec<u8>) -> Vec<u8> {
    records_asleep(content, 4, |left, is_awake| {
        take(left, usize::from(is_awake));
        Vec::new()
    })
}

/// Puts worlds of a kind to sleep; some must be refused.
fn sleepers_are_refused<W: Automaton + Saved>(born: impl Fn(u64) -> W, asleep: fn(Vec<u8>) -> Vec<u8>) {
    let mut refused = 0;
    for seed in 0..20 {
        let bytes = born(seed).save();
        match W::load(&forged(&bytes, "CHNK", asleep)) {
            Err(SnapshotError::Unlawful { law }) => {
                assert!(!law.is_empty());
                refused += 1;
            }
            Err(error) => panic!("seed {seed}: {error:?}"),
            Ok(mut world) => {
                let mut untouched = W::load(&bytes).unwrap();
                for step in 0..6 {
                    assert_eq!(world.state_hash(), untouched.state_hash(), "seed {seed}, step {step}");
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
    sleepers_are_refused(worlds::humidity::<Sheet>, whole_chunks_asleep);
    sleepers_are_refused(worlds::humidity::<Cube>, whole_chunks_asleep);
}

#[test]
fn pressure_that_would_spread_is_not_asleep() {
    sleepers_are_refused(worlds::blast::<Sheet>, whole_chunks_asleep);
    sleepers_are_refused(worlds::blast::<Cube>, whole_chunks_asleep);
}

#[test]
fn water_2d_that_would_move_is_not_asleep() {
    sleepers_are_refused(worlds::water_2d, water_2d_asleep);
}

/// A graph sleeps as a whole; the byte that says so stands after its steps and its ledger. Nobody looked whether it could be
/// true: a graph with a charge in it was loaded as asleep, and stood still for ever.
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
                    assert_eq!(graph.state_hash(), untouched.state_hash(), "seed {seed}, step {step}");
                    graph.step();
                    untouched.step();
                }
            }
        }
    }
    assert!(refused > 0, "none of twenty graphs was refused");
}
