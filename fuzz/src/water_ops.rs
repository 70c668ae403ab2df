//! Edits of water worlds from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{Edge, Edges, Fixture, Rules};
use floodplain::{Cube, Face, Region, Shape};
use support::water::edits::{Edit, Op, Watched};
use support::water::limits;
use support::water::orders::{self, Basin};
use support::water::queued;
use support::water::simulation;

/// Edits in one run, so that runs stay short.
const MOST_EDITS: usize = 16;

/// Cells along each side of a world.
const SIDE: i32 = 6;

/// One run of the target `water_edits`: edits of cells and regions above all.
#[derive(Debug)]
pub struct EditRun {
    seed: u64,
    rules: Rules,
    bounds: Region,
    ops: Vec<Op>,
}

/// One run of the target `water_stream`: chunks that come and go while water moves.
#[derive(Debug)]
pub enum StreamRun {
    /// Like `water_edits`, but most edits are of chunks.
    Edits(EditRun),
    /// One of sixteen loads a basin instead.
    Basin(Basin),
}

impl EditRun {
    /// Makes the edits, with every law after each tick and at the end. Some of sixteen runs
    /// test a law of whole runs instead, which takes many ticks.
    pub fn run(&self) {
        let EditRun { seed, rules, bounds, ops } = self;
        match (seed % 16, &ops[..]) {
            (1, ops) => limits::comes_to_rest(*seed, *bounds, ops),
            (2, ops) => limits::flow_out_clears(*seed, *bounds, ops),
            (3, ops) => self.stays_below_its_springs(ops),
            (4..=6, [history @ .., Op::Edit(one), Op::Edit(other)]) => {
                orders::commute(*seed, *rules, *bounds, history, [one, other]);
            }
            (7, ops) => _ = queued::are_those_by_hand(*seed, *rules, *bounds, ops),
            (8, ops) => _ = simulation::is_the_models(*seed, *rules, *bounds, ops),
            (at, ops) => {
                let mut watched = Watched::new(*seed, *rules, *bounds);
                ops.iter().for_each(|op| watched.apply(op));
                if at == 0 {
                    limits::has_source_clears(&mut watched.world);
                }
            }
        }
    }

    /// Ground and springs are where the edits would have them.
    fn stays_below_its_springs(&self, ops: &[Op]) {
        let (mut ground, mut springs) = (Vec::new(), Vec::new());
        for op in ops {
            let Op::Edit(edit) = op else { continue };
            match *edit {
                Edit::SetSolid(cell) | Edit::ClearSolid(cell) => ground.push(cell),
                Edit::FillSolid(region) | Edit::FillWater(region, _) => {
                    ground.extend(region.positions())
                }
                Edit::AddSource(cell) | Edit::RemoveSource(cell) | Edit::Pour(cell, _) => {
                    springs.push(cell)
                }
                _ => {}
            }
        }
        ground.retain(|&cell| self.bounds.contains(cell));
        springs.retain(|&cell| self.bounds.contains(cell));
        limits::stays_below_its_springs(self.seed, self.rules, self.bounds, &ground, &springs, 60);
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
        run(bytes, op)
    }
}

impl Arbitrary<'_> for StreamRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<StreamRun> {
        match bytes.peek_bytes(1) {
            Some([seed]) if seed % 16 == 7 => basin(bytes).map(StreamRun::Basin),
            _ => run(bytes, stream_op).map(StreamRun::Edits),
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

type MakeOp = fn(&mut Unstructured<'_>, Region) -> Result<Op>;

fn run(bytes: &mut Unstructured<'_>, op: MakeOp) -> Result<EditRun> {
    let seed = u64::from(u8::arbitrary(bytes)?);
    let (rules, bounds) = (rules(bytes)?, bounds(bytes)?);
    let mut ops = Vec::new();
    while !bytes.is_empty() && ops.len() < MOST_EDITS {
        ops.push(op(bytes, bounds)?);
    }
    Ok(EditRun { seed, rules, bounds, ops })
}

/// Worlds across one border of two chunks, across a corner of eight, and at both ends of the range.
fn bounds(bytes: &mut Unstructured<'_>) -> Result<Region> {
    let size = IVec3::splat(SIDE - 1);
    let half = SIDE / 2;
    let min = match u8::arbitrary(bytes)? % 16 {
        0..=4 => IVec3::new(2, -half, 5),
        5..=8 => IVec3::new(0, 1, -half),
        9..=12 => IVec3::new(-half, 3, 9),
        13 => IVec3::splat(-half),
        14 => IVec3::MAX - size,
        _ => IVec3::MIN,
    };
    Ok(Region::new(min, min + size))
}

fn edge(byte: u8) -> Edge {
    match byte % 4 {
        0 => Edge::Drain,
        1 => Edge::Held,
        2 if byte >= 192 => Edge::Level(i32::from(byte / 4) % 20 - 10),
        _ => Edge::Wall,
    }
}

fn rules(bytes: &mut Unstructured<'_>) -> Result<Rules> {
    let edges = Edges {
        outer: <[u8; 6]>::arbitrary(bytes)?.map(edge),
        unloaded: edge(u8::arbitrary(bytes)?),
    };
    let (flags, limits) = (u8::arbitrary(bytes)?, u8::arbitrary(bytes)?);
    Ok(Rules {
        evaporation: if flags & 3 == 3 { 0.05 } else { 0.0 },
        film_evaporation: if flags & 1 == 1 { 0.01 } else { 0.0 },
        activity_decay: [0.25, 0.25, 1.0, 0.05][usize::from(flags >> 2 & 3)],
        source_supply: 7 - limits % 8,
        throughput: 7 - limits / 8 % 7,
        edges,
        pools: flags & 16 == 0,
        many_parents: flags & 32 == 0,
    })
}

/// A cell of the world, seldom one just outside.
fn cell(bytes: &mut Unstructured<'_>, bounds: Region) -> Result<IVec3> {
    let side = (SIDE as u8 + 1) as u16;
    let place = i32::from(u16::arbitrary(bytes)? % (side * side * side));
    let side = i32::from(side);
    let local = IVec3::new(place % side, place / side % side, place / side / side);
    // The row beyond the end is folded back three times in four, by a bit that does not depend on
    // the place.
    let outside = local.cmpeq(IVec3::splat(SIDE)).any()
        && bytes.peek_bytes(1).is_some_and(|byte| byte[0] & 3 != 0);
    Ok(bounds.min().saturating_add(if outside { local.min(IVec3::splat(SIDE - 1)) } else { local }))
}

fn chunk(bytes: &mut Unstructured<'_>, bounds: Region) -> Result<IVec3> {
    Ok(Cube::chunk_of(cell(bytes, bounds)?))
}

fn region(bytes: &mut Unstructured<'_>, bounds: Region) -> Result<Region> {
    Ok(Region::new(cell(bytes, bounds)?, cell(bytes, bounds)?))
}

fn units(bytes: &mut Unstructured<'_>) -> Result<u32> {
    Ok(u32::from(u8::arbitrary(bytes)? % 9))
}

fn op(bytes: &mut Unstructured<'_>, bounds: Region) -> Result<Op> {
    Ok(Op::Edit(match u8::arbitrary(bytes)? % 38 {
        0 | 1 => Edit::SetSolid(cell(bytes, bounds)?),
        2 | 3 => Edit::ClearSolid(cell(bytes, bounds)?),
        4 | 5 => Edit::AddSource(cell(bytes, bounds)?),
        6 => Edit::RemoveSource(cell(bytes, bounds)?),
        7 | 8 => Edit::Pour(cell(bytes, bounds)?, units(bytes)?),
        9 => Edit::Scoop(cell(bytes, bounds)?, units(bytes)?),
        10 | 11 => Edit::FillSolid(region(bytes, bounds)?),
        12 | 13 => Edit::FillWater(region(bytes, bounds)?, units(bytes)? as u8),
        14 => Edit::RemoveChunk(chunk(bytes, bounds)?),
        15 => Edit::InsertChunk(chunk(bytes, bounds)?),
        16 => Edit::InsertChunks,
        17 => return Ok(Op::WakeAll),
        18 => return Ok(Op::TakeChanges),
        19 => return Ok(Op::Run(1, u64::from(u8::arbitrary(bytes)?) * 8)),
        20 => return Ok(Op::SaveAndLoad),
        21 => Edit::InsertForeign(chunk(bytes, bounds)?, u64::from(u8::arbitrary(bytes)?)),
        22 => Edit::DrainBody(cell(bytes, bounds)?, units(bytes)? * 7),
        23 => Edit::FillBody(cell(bytes, bounds)?, units(bytes)? * 7),
        24 | 25 => Edit::SetSea(cell(bytes, bounds)?),
        26 => Edit::ClearSea(cell(bytes, bounds)?),
        27 | 28 => Edit::FillSea(region(bytes, bounds)?),
        29 => Edit::InsertSea(chunk(bytes, bounds)?),
        30 => {
            let column = chunk(bytes, bounds)?;
            let byte = u8::arbitrary(bytes)?;
            let edge = (byte % 8 > 0).then(|| edge(byte.wrapping_mul(37)));
            Edit::SetEdge(IVec2::new(column.x, column.z), edge)
        }
        31 => {
            let (cell, byte) = (cell(bytes, bounds)?, u8::arbitrary(bytes)?);
            let rate = byte / 4 % 9;
            let fixture = match (byte % 4, Face::from_index(u8::arbitrary(bytes)? % 8)) {
                (0, _) => None,
                (1, Some(towards)) => Some(Fixture::Valve { towards, rate }),
                (2, _) => Some(Fixture::Drain(rate)),
                _ => Some(Fixture::Tap(rate)),
            };
            Edit::SetFixture(cell, fixture)
        }
        32 => Edit::Freeze(Region::cell(chunk(bytes, bounds)?)),
        33 => Edit::Thaw(Region::cell(chunk(bytes, bounds)?)),
        _ => return Ok(Op::Step(1 + u8::arbitrary(bytes)? % 6)),
    }))
}

fn stream_op(bytes: &mut Unstructured<'_>, bounds: Region) -> Result<Op> {
    let what = bytes.peek_bytes(1).map_or(0, |byte| byte[0] / 21 % 12);
    if what > 9 {
        return op(bytes, bounds);
    }
    u8::arbitrary(bytes)?;
    Ok(Op::Edit(match what {
        0 | 1 => Edit::RemoveChunk(chunk(bytes, bounds)?),
        2 => Edit::InsertChunk(chunk(bytes, bounds)?),
        3 => Edit::InsertChunks,
        4 => Edit::RemoveChunks(Region::cell(chunk(bytes, bounds)?)),
        5 => Edit::RemoveChunks(Region::new(chunk(bytes, bounds)?, chunk(bytes, bounds)?)),
        6 => Edit::Freeze(Region::new(chunk(bytes, bounds)?, chunk(bytes, bounds)?)),
        7 => Edit::Thaw(Region::new(chunk(bytes, bounds)?, chunk(bytes, bounds)?)),
        _ => Edit::InsertRecords,
    }))
}
