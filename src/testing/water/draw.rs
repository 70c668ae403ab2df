//! Rules, edits, chunks and small worlds of water.

use crate::coords::{ChunkPos, ChunkRegion, ColumnPos, Shape};
use crate::testing::bytes::Bytes;
use crate::testing::draw::{Sample, Start, chunk, draw_worlds, near};
use crate::water::{Edge, Edges, Edit, Fixture, Rules, Voxel, WaterCell, WaterWorld};
use crate::{Chunk, Cube, Face, Region};
use arbitrary::{Arbitrary, Result, Unstructured};
use fastrand::Rng;
use glam::IVec3;

impl Arbitrary<'_> for Voxel {
    /// Returns an open cell with up to seven units, ground, a spring, or sea.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Voxel> {
        Bytes::of(from, |bytes| match bytes.byte() % 16 {
            height @ 0..8 => WaterCell::with_height(height).map_or(Voxel::OPEN, Voxel::water),
            8..14 => Voxel::SOLID,
            14 => Voxel::water(WaterCell::SOURCE),
            _ => Voxel::SEA,
        })
    }
}

impl Arbitrary<'_> for Edge {
    /// Returns a wall in most cases; the level of a sea is -10 to 9.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edge> {
        Bytes::of(from, |bytes| match bytes.byte() {
            byte @ 248.. => Edge::Level(i32::from(bytes.byte() ^ byte) % 20 - 10),
            byte => match byte % 8 {
                5 | 6 => Edge::Drain,
                7 => Edge::Held,
                _ => Edge::Wall,
            },
        })
    }
}

impl Arbitrary<'_> for Fixture {
    /// Returns a fixture with a rate of 0 to 9; a rate of 0 or above 7 is refused.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Fixture> {
        Bytes::of(from, |bytes| {
            let rate = match bytes.byte() {
                byte @ 0..240 => 1 + byte % 7,
                byte => [0, 8, 9][usize::from(byte % 3)],
            };
            match bytes.byte() % 3 {
                0 => Fixture::Drain(rate),
                1 => Fixture::Tap(rate),
                _ => Fixture::Valve { towards: bytes.pick(&Face::ALL), rate },
            }
        })
    }
}

impl Arbitrary<'_> for Rules {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Rules> {
        Bytes::of(from, |bytes| {
            let edges = Edges {
                outer: core::array::from_fn(|_| bytes.any::<Edge>()),
                unloaded: bytes.any::<Edge>(),
            };
            let (flags, limits) = (bytes.byte(), bytes.byte());
            Rules {
                evaporation: if flags & 3 == 3 { 0.05 } else { 0.0 },
                film_evaporation: if flags & 1 == 1 { 0.01 } else { 0.0 },
                source_supply: 7 - limits % 8,
                throughput: 7 - limits / 8 % 7,
                edges,
                pools: flags & 16 == 0,
                many_parents: flags & 32 == 0,
            }
        })
    }
}

impl Arbitrary<'_> for Edit {
    /// Returns an edit near the origin. It may also set other rules, or insert records of chunks of
    /// another world, which the edits drawn for a world never do.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edit> {
        Bytes::of(from, |bytes| match bytes.byte() {
            255 => Edit::SetRules(bytes.any::<Rules>()),
            254 => {
                let mut other = bytes.any::<WaterWorld>();
                let loaded: Vec<ChunkPos> = other.chunks().map(|(position, _)| position).collect();
                Edit::InsertRecords(other.remove_chunks(loaded).expect("they are loaded"))
            }
            _ => WaterWorld::edit(bytes, near::<Cube>()),
        })
    }
}

draw_worlds!([] WaterWorld);

impl Sample for WaterWorld {
    type Rules = Rules;
    const SIZE: IVec3 = IVec3::splat(6);

    /// Returns open chunks on a floor of solid ground.
    fn build(start: &Start<Rules>) -> WaterWorld {
        let &Start { seed, rules, bounds } = start;
        let mut world =
            WaterWorld::with_bounds(seed, rules, bounds).expect("rules within their ranges");
        let open = Cube::chunks_of(bounds).map(|at| (at, Chunk::uniform(Voxel::OPEN)));
        world.insert_chunks(open).expect("chunks of the bounds");
        let floor = Region::new(bounds.min(), bounds.max().with_y(bounds.min().y));
        world.fill_solid(floor).expect("it is loaded");
        world
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
        match bytes.byte() % 36 {
            0..=2 => Edit::Pour { cell: bytes.cell(bounds), units: units(bytes) },
            3..=5 => Edit::SetSolid(bytes.cell(bounds)),
            6..=8 => Edit::ClearSolid(bytes.cell(bounds)),
            9..=11 => Edit::AddSource(bytes.cell(bounds)),
            12 | 13 => Edit::RemoveSource(bytes.cell(bounds)),
            14 => Edit::Scoop { cell: bytes.cell(bounds), units: units(bytes) },
            15 => Edit::DrainBody { cell: bytes.cell(bounds), units: 7 * units(bytes) },
            16 => Edit::FillBody { cell: bytes.cell(bounds), units: 7 * units(bytes) },
            17 | 18 => Edit::FillSolid(bytes.region(bounds)),
            19..=21 => Edit::FillWater { region: bytes.region(bounds), height: units(bytes) as u8 },
            22 => Edit::SetSea(bytes.cell(bounds)),
            23 => Edit::ClearSea(bytes.cell(bounds)),
            24 => Edit::FillSea(bytes.region(bounds)),
            25 | 26 => {
                let has_some = bytes.byte() % 8 < 7;
                let fixture = has_some.then(|| bytes.any::<Fixture>());
                Edit::SetFixture { cell: bytes.cell(bounds), fixture }
            }
            27 => {
                let column = chunk::<Cube>(bytes, bounds);
                let edge = (bytes.byte() % 8 < 7).then(|| bytes.any::<Edge>());
                Edit::SetEdge { column: ColumnPos::new(column.x, column.z), edge }
            }
            28 => Edit::WakeAll,
            _ => stream_edit(bytes, bounds),
        }
    }
}

/// Returns an edit of water that loads, unloads, freezes or thaws chunks.
pub fn stream_edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
    let one = |bytes: &mut Bytes<'_>| chunk::<Cube>(bytes, bounds);
    let some = |bytes: &mut Bytes<'_>| {
        let (from, to) = (one(bytes), one(bytes));
        // At the ends of the range, a region from one end to the other would be the whole range.
        let is_near = (from - to).abs().max_element() < 4;
        ChunkRegion::new(from, if is_near { to } else { from }).positions().collect()
    };
    match bytes.byte() % 12 {
        0 | 1 => Edit::RemoveChunk(one(bytes)),
        2 | 3 => Edit::RemoveChunks(some(bytes)),
        4 | 5 => Edit::InsertChunk { position: one(bytes), chunk: Chunk::uniform(Voxel::OPEN) },
        6 => Edit::InsertChunk { position: one(bytes), chunk: foreign_chunk(bytes.byte()) },
        7 => Edit::InsertChunk { position: one(bytes), chunk: Chunk::uniform(Voxel::SEA) },
        8 => Edit::InsertChunks(vec![
            (one(bytes), Chunk::uniform(Voxel::OPEN)),
            // This may be the same chunk, which is refused.
            (one(bytes), bytes.any::<Chunk<_>>()),
        ]),
        9 | 10 => Edit::Freeze(some(bytes)),
        _ => Edit::Thaw(some(bytes)),
    }
}

/// Returns a number of units, in some cases more than a cell holds.
fn units(bytes: &mut Bytes<'_>) -> u32 {
    u32::from(bytes.byte() % 9)
}

/// Returns a chunk of a world with a spring in it and any throughput, as it is between two ticks or
/// in the middle of one; for one seed in four, a chunk of random words.
fn foreign_chunk(seed: u8) -> Chunk<Voxel> {
    let mut random = Rng::with_seed(seed.into());
    if random.u8(..4) == 0 {
        let mut voxel = || WaterCell::from_word(random.u16(..)).map_or(Voxel::SOLID, Voxel::water);
        return Chunk::from_cells(&core::array::from_fn(|_| voxel()));
    }
    let rules = Rules { throughput: random.u8(1..=7), ..Rules::lossless() };
    let mut world = WaterWorld::new(seed.into(), rules).expect("rules within their ranges");
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let floor = random.i32(0..12);
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, floor, 15))).expect("loaded");
    let mut place = || IVec3::new(random.i32(0..16), random.i32(floor + 1..16), random.i32(0..16));
    let (spring, puddle) = (place(), place());
    world.fill_water(Region::new(puddle, puddle), 7).expect("loaded");
    world.add_source(spring).expect("open");
    world.run(random.u64(1..20));
    (0..random.u32(..12)).for_each(|_| _ = world.step_within(0));
    world.chunk(ChunkPos::ZERO).expect("the one that was put in").into_owned()
}
