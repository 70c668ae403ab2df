//! The edits of a water world as the tests name them, and as values that are sent as bytes.

use crate::edit_bytes;
use floodplain::glam::{IVec2, IVec3};
use floodplain::water::{self, Edge, Fixture, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, Region};

/// Every public function that changes a water world.
#[derive(Clone, Debug)]
pub enum Edit {
    SetSolid(IVec3),
    ClearSolid(IVec3),
    AddSource(IVec3),
    RemoveSource(IVec3),
    Pour(IVec3, u32),
    Scoop(IVec3, u32),
    DrainBody(IVec3, u32),
    FillBody(IVec3, u32),
    FillSolid(Region),
    FillWater(Region, u8),
    RemoveChunk(IVec3),
    /// The chunk that was last removed from there, or an open one.
    InsertChunk(IVec3),
    /// A chunk of another world, of other rules, perhaps read in the middle of a tick; or of words
    /// at random.
    InsertForeign(IVec3, u64),
    /// All chunks that were removed and are not back, at once.
    InsertChunks,
    SetSea(IVec3),
    ClearSea(IVec3),
    FillSea(Region),
    /// A chunk that is all sea.
    InsertSea(IVec3),
    /// The edge of a column of chunks, by its x and z.
    SetEdge(IVec2, Option<Edge>),
    SetFixture(IVec3, Option<Fixture>),
    /// The chunks between two chunk positions, as records.
    RemoveChunks(Region),
    /// The records of all chunks that are not back, at once.
    InsertRecords,
    /// The chunks between two chunk positions.
    Freeze(Region),
    Thaw(Region),
}

impl Edit {
    /// Whether it brings sea into a world, or lets it in.
    pub fn is_of_the_sea(&self) -> bool {
        use Edit::{ClearSea, FillSea, InsertSea, SetEdge, SetSea};
        matches!(self, SetSea(_) | ClearSea(_) | FillSea(_) | InsertSea(_) | SetEdge(..))
    }
}

/// An edit as a value, with what is inserted at a position. Chunks that were removed are not known
/// here, so a list of them or of their records is empty.
pub fn value_of(edit: &Edit, chunk_for: impl Fn(IVec3) -> Chunk<Voxel>) -> water::Edit {
    let insert = |position, chunk| water::Edit::InsertChunk { position, chunk };
    match *edit {
        Edit::SetSolid(cell) => water::Edit::SetSolid(cell),
        Edit::ClearSolid(cell) => water::Edit::ClearSolid(cell),
        Edit::AddSource(cell) => water::Edit::AddSource(cell),
        Edit::RemoveSource(cell) => water::Edit::RemoveSource(cell),
        Edit::Pour(cell, units) => water::Edit::Pour { cell, units },
        Edit::Scoop(cell, units) => water::Edit::Scoop { cell, units },
        Edit::DrainBody(cell, units) => water::Edit::DrainBody { cell, units },
        Edit::FillBody(cell, units) => water::Edit::FillBody { cell, units },
        Edit::FillSolid(region) => water::Edit::FillSolid(region),
        Edit::FillWater(region, height) => water::Edit::FillWater { region, height },
        Edit::RemoveChunk(position) => water::Edit::RemoveChunk(position),
        Edit::InsertChunk(position) => insert(position, chunk_for(position)),
        Edit::InsertForeign(position, seed) => insert(position, foreign_chunk(seed)),
        Edit::InsertChunks => water::Edit::InsertChunks(Vec::new()),
        Edit::SetSea(cell) => water::Edit::SetSea(cell),
        Edit::ClearSea(cell) => water::Edit::ClearSea(cell),
        Edit::FillSea(region) => water::Edit::FillSea(region),
        Edit::InsertSea(position) => insert(position, Chunk::uniform(Voxel::SEA)),
        Edit::SetEdge(column, edge) => water::Edit::SetEdge { column, edge },
        Edit::SetFixture(cell, fixture) => water::Edit::SetFixture { cell, fixture },
        Edit::RemoveChunks(chunks) => water::Edit::RemoveChunks(chunks.positions().collect()),
        Edit::InsertRecords => water::Edit::InsertRecords(Vec::new()),
        Edit::Freeze(chunks) => water::Edit::Freeze(chunks.positions().collect()),
        Edit::Thaw(chunks) => water::Edit::Thaw(chunks.positions().collect()),
    }
}

/// An edit as it arrives from another process: by its bytes.
pub fn sent(edit: water::Edit) -> water::Edit {
    let received = edit_bytes::sent(&edit);
    assert!(received == edit, "another edit");
    received
}

/// A chunk of a world with a spring in it, of any throughput, as it is between two ticks or in the
/// middle of one; for one seed in four, of words at random.
pub fn foreign_chunk(seed: u64) -> Chunk<Voxel> {
    let mut random = fastrand::Rng::with_seed(seed);
    if random.u8(..4) == 0 {
        let mut voxel = || WaterCell::from_word(random.u16(..)).map_or(Voxel::SOLID, Voxel::water);
        return Chunk::from_cells(&std::array::from_fn(|_| voxel()));
    }
    let rules = Rules { throughput: random.u8(1..=7), ..Rules::lossless() };
    let mut world = WaterWorld::new(seed, rules).expect("rules within their ranges");
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let floor = random.i32(0..12);
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, floor, 15))).expect("loaded");
    let mut place = || IVec3::new(random.i32(0..16), random.i32(floor + 1..16), random.i32(0..16));
    let (spring, puddle) = (place(), place());
    world.fill_water(Region::new(puddle, puddle), 7).expect("loaded");
    world.add_source(spring).expect("open");
    world.run(random.u64(1..20));
    (0..random.u32(..12)).for_each(|_| _ = world.step_within(0));
    let (_, chunk) = world.chunks().next().expect("the one that was put in");
    chunk.into_owned()
}
