//! Runs of water worlds from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::Region;
use floodplain::testing::{Bytes, Op, Run, Small, Start, stream_edit};
use floodplain::water::{Edit, WaterWorld};
use support::queued;
use support::water::beds::{Bed, Course};
use support::water::limits;
use support::water::orders::{self, Basin};
use support::water::simulation;

/// Operations in one run of the target `water_stream`.
const MOST_OPS: usize = 16;

/// One run of the target `water_edits`: edits of cells and regions above all.
#[derive(Debug)]
pub struct EditRun(Run<WaterWorld>);

/// One run of the target `water_stream`: chunks that come and go while water moves.
#[derive(Debug)]
pub enum StreamRun {
    /// Like `water_edits`, but most edits are of chunks.
    Edits(EditRun),
    /// One of sixteen loads a basin instead.
    Basin(Basin),
}

/// One run of the target `water_arrival`: a world in which springs flow to ends.
#[derive(Debug)]
pub struct ArrivalRun(Course);

impl ArrivalRun {
    /// Makes the edits, lets the world alone, and checks that its water arrives.
    pub fn run(&self) {
        if let Err(broken) = self.0.check() {
            panic!("{broken}");
        }
    }
}

impl EditRun {
    /// Makes the edits, with every law after each tick and at the end. Some of sixteen runs
    /// test a law of whole runs instead, which takes many ticks.
    pub fn run(&self) {
        let Run { start: Start { seed, rules, bounds }, ref ops } = self.0;
        match (seed % 16, &ops[..]) {
            (1, ops) => limits::comes_to_rest(seed, bounds, ops),
            (2, ops) => limits::flow_out_clears(seed, bounds, ops),
            (3, ops) => self.stays_below_its_springs(ops),
            (4..=6, [history @ .., Op::Edit(one), Op::Edit(other)]) => {
                orders::commute(seed, rules, bounds, history, [one, other]);
            }
            (7, ops) => {
                let world = || WaterWorld::build(&self.0.start);
                _ = queued::are_those_by_hand(world, seed % 100, ops, |_| {});
            }
            (8, ops) => _ = simulation::is_the_models(seed, rules, bounds, ops),
            (at, ops) => {
                let mut watched = self.0.watched();
                if let Err(broken) = watched.play(ops) {
                    panic!("{broken}");
                }
                match at {
                    0 => limits::has_source_clears(&mut watched.into_world()),
                    // What springs offer arrives, and what is closed in comes to rest.
                    9..=11 => _ = watched.let_rest().unwrap_or_else(|broken| panic!("{broken}")),
                    _ => {}
                }
            }
        }
    }

    /// Ground and springs are where the edits would have them.
    fn stays_below_its_springs(&self, ops: &[Op<Edit>]) {
        let Start { seed, rules, bounds } = self.0.start;
        let (mut ground, mut springs) = (Vec::new(), Vec::new());
        for op in ops {
            let Op::Edit(edit) = op else { continue };
            match *edit {
                Edit::SetSolid(cell) | Edit::ClearSolid(cell) => ground.push(cell),
                Edit::FillSolid(region) | Edit::FillWater { region, .. } => {
                    let cells = region.intersection(&bounds);
                    ground.extend(cells.into_iter().flat_map(Region::positions));
                }
                Edit::AddSource(cell) | Edit::RemoveSource(cell) | Edit::Pour { cell, .. } => {
                    springs.push(cell)
                }
                _ => {}
            }
        }
        ground.retain(|&cell| bounds.contains(cell));
        springs.retain(|&cell| bounds.contains(cell));
        limits::stays_below_its_springs(seed, rules, bounds, &ground, &springs, 60);
    }
}

impl StreamRun {
    /// Makes the edits, or loads the basin, with every law.
    pub fn run(&self) {
        match self {
            StreamRun::Edits(run) => run.run(),
            StreamRun::Basin(basin) => basin.loads_in_any_order(),
        }
    }
}

impl Arbitrary<'_> for EditRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<EditRun> {
        Run::arbitrary(bytes).map(EditRun)
    }
}

impl Arbitrary<'_> for ArrivalRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<ArrivalRun> {
        let mut bytes = Bytes(bytes.bytes(bytes.len())?);
        let bed = bytes.pick(&[Bed::Flat, Bed::Stepped, Bed::Cave, Bed::Rough]);
        Ok(ArrivalRun(Course::draw(bed, &mut bytes)))
    }
}

impl Arbitrary<'_> for StreamRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<StreamRun> {
        match bytes.peek_bytes(1) {
            Some([seed]) if seed % 16 == 7 => basin(bytes).map(StreamRun::Basin),
            _ => stream(bytes).map(StreamRun::Edits),
        }
    }
}

fn basin(bytes: &mut Unstructured<'_>) -> Result<Basin> {
    let seed = u64::from(u8::arbitrary(bytes)?);
    let depth = 1 + i32::from(u8::arbitrary(bytes)? % 4);
    let pauses = <[u8; 4]>::arbitrary(bytes)?.map(|pause| u64::from(pause % 12));
    let mut order = [0, 1, 2, 3];
    let permutation = usize::from(u8::arbitrary(bytes)?);
    for at in 0..3 {
        order.swap(at, at + (permutation >> (2 * at)) % (4 - at));
    }
    let mut heights = vec![u8::arbitrary(bytes)?];
    while !bytes.is_empty() && heights.len() < 40 {
        heights.push(u8::arbitrary(bytes)?);
    }
    Ok(Basin { seed, heights, depth, order, pauses })
}

/// Returns a run in which about three of four edits load, unload, freeze or thaw chunks.
fn stream(bytes: &mut Unstructured<'_>) -> Result<EditRun> {
    let mut bytes = Bytes(bytes.bytes(bytes.len())?);
    let start = Start::draw_of::<WaterWorld>(&mut bytes);
    let op = |bytes: &mut Bytes<'_>, ops: &mut Vec<_>| {
        ops.push(Op::draw_with(bytes, start.bounds, |bytes, bounds| match bytes.byte() % 4 {
            0 => WaterWorld::edit(bytes, bounds),
            _ => stream_edit(bytes, bounds),
        }));
    };
    Ok(EditRun(Run { ops: bytes.operations(MOST_OPS, op), start }))
}
