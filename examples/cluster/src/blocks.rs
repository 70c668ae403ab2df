//! Several steps between two messages, beside copies of the columns around. Of these, only records
//! that have changed since they were last sent are sent again.

use crate::faults::Fault;
use crate::options::Options;
use crate::picture::History;
use crate::rank::Rank;
use crate::saves;
use crate::scenes::Scene;
use crate::wire;
use floodplain::parts::{Fringed, InParts, PartError, Plan};
use floodplain::{ChunkPos, ColumnPos};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Records as they were last sent to, or received from, a rank.
type Known = HashMap<(usize, ChunkPos), Vec<u8>>;

/// Runs to the last tick in blocks of `every` steps. Columns move, and saves are made, at the ends
/// of blocks.
pub fn run_blocks<C: Scene>(
    options: &Options,
    rank: &mut Rank<C::World>,
    scene: &C,
    every: u64,
    history: &mut History,
) -> Result<(), Fault> {
    let depth = depth_for::<C::World>(every, scene)?;
    let mut known = [Known::new(), Known::new()];
    while rank.ticks() < options.ticks {
        let steps = every.min(options.steps_until_roam(rank.ticks()));
        options.fail_if_asked(rank.me(), rank.ticks()..rank.ticks() + steps);
        run_block(rank, scene, depth, steps, &mut known)?;
        if let Some(roam) = options.roam_at(rank.ticks()) {
            rank.renew_ghosts()?;
            rank.roam(scene, roam)?;
            known = [Known::new(), Known::new()];
        }
        if options.balance.is_some_and(|balance| rank.ticks() % balance < steps) {
            history.note(rank)?;
            rank.renew_ghosts()?;
            rank.balance()?;
            known = [Known::new(), Known::new()];
        }
        if options.save_every.is_some_and(|every| rank.ticks() % every < steps) {
            saves::save(options, rank)?;
        }
    }
    Ok(())
}

/// Returns the least depth of copies, in columns, that is valid for `every` steps.
fn depth_for<W: InParts>(every: u64, scene: &impl Scene) -> Result<u32, Fault> {
    let columns = scene.columns(0).len() as u32;
    let depth = (1..=columns).find(|&columns| W::steps_beside(columns) >= every);
    depth.ok_or(Fault::Part(PartError::Stale { steps: every, columns }))
}

/// Renews the copies, and runs a block of steps beside them. While the records for the copies are
/// under way, the inside of the first step is done.
fn run_block<C: Scene>(
    rank: &mut Rank<C::World>,
    scene: &C,
    depth: u32,
    steps: u64,
    [sent, received]: &mut [Known; 2],
) -> Result<(), Fault> {
    let (me, plan) = (rank.me(), rank.plan().clone());
    let own = rank.swap_world(scene.empty()?);
    let mut part = Fringed::new(own, scene.empty()?, &plan, me, depth)?;
    let wanted = wanted_by_others(&plan, me, depth as i32).into_iter();
    let messages: Vec<(usize, Vec<u8>)> = wanted
        .map(|(other, columns)| (other, changed_in(part.part(), other, &columns, sent)))
        .collect();
    let came = rank.exchange_ahead(&messages, || part.step_inside());
    for (&(other, _), message) in messages.iter().zip(came) {
        for (chunk, record) in wire::take_all(&message)? {
            match record.is_empty() {
                true => received.remove(&(other, chunk)),
                false => received.insert((other, chunk), record),
            };
        }
    }
    part.renew(received.iter().map(|(&(_, chunk), record)| (chunk, record.clone())))?;
    for _ in 0..steps {
        let report = part.step()?;
        rank.add_report(report);
    }
    rank.swap_world(part.into_part());
    Ok(())
}

/// Returns, by rank, the columns of this rank of which it has copies: those at most `depth` away
/// from its own. A rank of which this one has copies also has some of this one's.
fn wanted_by_others(plan: &Plan, me: usize, depth: i32) -> BTreeMap<usize, BTreeSet<ColumnPos>> {
    let mut wanted = BTreeMap::<usize, BTreeSet<ColumnPos>>::new();
    for (own, _) in plan.columns().filter(|&(_, owner)| owner == me) {
        for x in own.x - depth..=own.x + depth {
            for z in own.z - depth..=own.z + depth {
                let owner = plan.owner(ColumnPos::new(x, z)).filter(|&owner| owner != me);
                owner
                    .into_iter()
                    .for_each(|other| _ = wanted.entry(other).or_default().insert(own));
            }
        }
    }
    wanted
}

/// Returns the records of chunks that have changed since they were sent to a rank; an empty one of
/// a chunk that is gone.
fn changed_in<W: InParts>(
    world: &W,
    other: usize,
    columns: &BTreeSet<ColumnPos>,
    sent: &mut Known,
) -> Vec<u8> {
    let mut message = Vec::new();
    let mut there = HashSet::new();
    for chunk in columns.iter().flat_map(|&column| world.chunks_of(column)) {
        there.insert(chunk);
        let record = world.record(chunk).unwrap_or_default();
        if sent.get(&(other, chunk)) != Some(&record) {
            wire::put(&mut message, chunk, &record);
            sent.insert((other, chunk), record);
        }
    }
    let of_other = sent.keys().filter(|(rank, _)| *rank == other).map(|&(_, chunk)| chunk);
    let gone: Vec<ChunkPos> = of_other.filter(|chunk| !there.contains(chunk)).collect();
    for chunk in gone {
        sent.remove(&(other, chunk));
        wire::put(&mut message, chunk, &[]);
    }
    message
}
