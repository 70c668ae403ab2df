//! Random recordings of small worlds, until one of them breaks a law. Each uses
//! a random subset of the kinds of edits, so that kinds that suppress each other also occur alone
//! (Groce et al., *Swarm Testing*, ISSTA 2012).

use crate::case::{Begin, Case};
use crate::shrink::chunks_of;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Edit, Fixture, Rules, Voxel};
use floodplain::{Chunk, Cube, Face, Region, Shape};

/// The worlds lie across eight chunks, so that borders are crossed in every direction.
const BOUNDS: [[i32; 3]; 2] = [[-5, -4, -5], [4, 5, 4]];

/// Returns the recording of a seed.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::with_seed(seed);
    let bounds = Region::new(BOUNDS[0].into(), BOUNDS[1].into());
    let (low, high) = (bounds.min(), bounds.max());
    let open = |position| (position, Chunk::uniform(Voxel::OPEN));
    let floor = Region::new(low, IVec3::new(high.x, low.y + 1, high.z));
    let mut edits = vec![
        (0, Edit::InsertChunks(chunks_of(bounds).into_iter().map(open).collect())),
        (0, Edit::FillSolid(floor)),
    ];
    let kinds: Vec<u8> = (0..rng.usize(1..6)).map(|_| rng.u8(..KINDS)).collect();
    let mut tick = 0;
    for _ in 0..rng.usize(3..20) {
        if rng.u8(..3) == 0 {
            tick += rng.u64(..12);
        }
        let kind =
            if rng.u8(..4) == 0 { WATER[rng.usize(..4)] } else { kinds[rng.usize(..kinds.len())] };
        if kind == VALVE {
            // A valve is built into solid ground.
            let (at, rate) = (cell(&mut rng, bounds), rng.u8(1..=7));
            let fixture = Some(Fixture::Valve { towards: Face::ALL[rng.usize(..6)], rate });
            edits.push((tick, Edit::SetSolid(at)));
            edits.push((tick, Edit::SetFixture { cell: at, fixture }));
        } else {
            edits.push((tick, edit(&mut rng, kind, bounds)));
        }
    }
    let begin = Begin::Empty { seed: rng.u64(..1000), rules: rules(&mut rng), bounds };
    Case { begin, edits, ticks: tick + rng.u64(1..30) }
}

/// Closed worlds without evaporation in half of the cases, any others in the rest.
fn rules(rng: &mut Rng) -> Rules {
    if rng.bool() {
        return Rules::lossless();
    }
    let mut edge = || [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(-2)][rng.usize(..4)];
    let edges = Edges { outer: core::array::from_fn(|_| edge()), unloaded: edge() };
    Rules {
        evaporation: [0.0, 1.0 / 32.0][rng.usize(..2)],
        film_evaporation: [0.0, 1.0 / 16.0][rng.usize(..2)],
        activity_decay: [0.25, 1.0][rng.usize(..2)],
        source_supply: [7, 3][rng.usize(..2)],
        throughput: [7, 7, 4][rng.usize(..3)],
        edges,
        pools: rng.u8(..4) > 0,
        many_parents: rng.u8(..4) > 0,
    }
}

/// A cell above the lowest layer; half of the time in the middle, where all chunks meet and where
/// edits come near to each other.
fn cell(rng: &mut Rng, bounds: Region) -> IVec3 {
    let (mut min, mut max) = (bounds.min() + IVec3::Y, bounds.max());
    if rng.bool() {
        (min, max) = (IVec3::splat(-2), IVec3::splat(1));
    }
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

/// The kinds of edits, and some that bring water.
const KINDS: u8 = 32;
const WATER: [u8; 4] = [0, 5, 30, 31];
const VALVE: u8 = 27;

/// An edit of cells, regions, fixtures or chunks.
fn edit(rng: &mut Rng, kind: u8, bounds: Region) -> Edit {
    let (at, there) = (cell(rng, bounds), cell(rng, bounds));
    let region = Region::new(at, there);
    let position = Cube::chunk_of(at);
    match kind {
        0..4 => Edit::AddSource(at),
        4 => Edit::RemoveSource(at),
        5..8 => Edit::FillWater { region, height: rng.u8(..=7) },
        8..11 => Edit::FillSolid(Region::new(at, at.with_y(there.y))),
        11 => Edit::FillSolid(Region::new(at, there.with_y(at.y))),
        12..15 => Edit::SetSolid(at),
        15..18 => Edit::ClearSolid(at),
        18 => Edit::Scoop { cell: at, units: 7 },
        19 => Edit::DrainBody { cell: at, units: rng.u32(1..60) },
        20 => Edit::FillBody { cell: at, units: rng.u32(1..60) },
        21 => Edit::RemoveChunk(position),
        22 => Edit::InsertChunk { position, chunk: Chunk::uniform(Voxel::OPEN) },
        23 => Edit::SetSea(at),
        24 => Edit::FillSea(Region::new(at, at.with_x(there.x))),
        25 => Edit::ClearSea(at),
        26 => {
            let rate = rng.u8(1..=7);
            let fixture = if rng.bool() { Fixture::Drain(rate) } else { Fixture::Tap(rate) };
            Edit::SetFixture { cell: at, fixture: Some(fixture) }
        }
        28 => Edit::Freeze(vec![position]),
        29 => Edit::Thaw(vec![position]),
        _ => Edit::Pour { cell: at, units: rng.u32(1..=7) },
    }
}
