//! Edits, rules and empty worlds of water as a program has them.

use floodplain::glam::IVec3;
use floodplain::testing::Start;
use floodplain::water::{Edge, Edit, Fixture, Rules, Voxel};
use floodplain::{Chunk, ChunkPos, Region};

/// Returns an empty world.
pub fn world(start: &Start<Rules>) -> String {
    format!(
        "    let rules = {};\n    let bounds = {};\n    \
         floodplain::water::WaterWorld::with_bounds({}, rules, bounds).unwrap()\n",
        rules_source(&start.rules),
        region(&start.bounds),
        start.seed
    )
}

fn cell(cell: IVec3) -> String {
    format!("IVec3::new({}, {}, {})", cell.x, cell.y, cell.z)
}

fn chunk_at(ChunkPos { x, y, z }: ChunkPos) -> String {
    format!("ChunkPos::new({x}, {y}, {z})")
}

fn region(region: &Region) -> String {
    format!("Region::new({}, {})", cell(region.min()), cell(region.max()))
}

fn edge(edge: Edge) -> String {
    format!("Edge::{edge:?}")
}

fn rules_source(rules: &Rules) -> String {
    if *rules == Rules::lossless() {
        return "Rules::lossless()".to_owned();
    }
    let Rules { evaporation, film_evaporation, source_supply, throughput, .. } = rules;
    let outer: Vec<String> = rules.edges.outer.iter().map(|&outer| edge(outer)).collect();
    format!(
        "Rules {{ evaporation: {evaporation:?}, film_evaporation: {film_evaporation:?}, \
         source_supply: {source_supply}, throughput: {throughput}, edges: Edges {{ outer: [{}], unloaded: {} }}, pools: {}, \
         many_parents: {} }}",
        outer.join(", "),
        edge(rules.edges.unloaded),
        rules.pools,
        rules.many_parents
    )
}

fn chunk(chunk: &Chunk<Voxel>) -> Option<String> {
    match chunk.as_uniform()? {
        Voxel::OPEN => Some("Chunk::uniform(Voxel::OPEN)".to_owned()),
        Voxel::SOLID => Some("Chunk::uniform(Voxel::SOLID)".to_owned()),
        _ => None,
    }
}

/// Returns an edit in words; `None` if it has none.
pub fn edit(edit: &Edit) -> Option<String> {
    match edit {
        Edit::SetSolid(at) => Some(format!("Edit::SetSolid({})", cell(*at))),
        Edit::ClearSolid(at) => Some(format!("Edit::ClearSolid({})", cell(*at))),
        Edit::AddSource(at) => Some(format!("Edit::AddSource({})", cell(*at))),
        Edit::RemoveSource(at) => Some(format!("Edit::RemoveSource({})", cell(*at))),
        Edit::SetSea(at) => Some(format!("Edit::SetSea({})", cell(*at))),
        Edit::ClearSea(at) => Some(format!("Edit::ClearSea({})", cell(*at))),
        Edit::RemoveChunk(at) => Some(format!("Edit::RemoveChunk({})", chunk_at(*at))),
        Edit::FillSolid(cells) => Some(format!("Edit::FillSolid({})", region(cells))),
        Edit::FillSea(cells) => Some(format!("Edit::FillSea({})", region(cells))),
        Edit::FillWater { region: cells, height } => {
            Some(format!("Edit::FillWater {{ region: {}, height: {height} }}", region(cells)))
        }
        Edit::Pour { cell: at, units } => {
            Some(format!("Edit::Pour {{ cell: {}, units: {units} }}", cell(*at)))
        }
        Edit::Scoop { cell: at, units } => {
            Some(format!("Edit::Scoop {{ cell: {}, units: {units} }}", cell(*at)))
        }
        Edit::InsertChunk { position, chunk: cells } => chunk(cells).map(|cells| {
            format!("Edit::InsertChunk {{ position: {}, chunk: {cells} }}", chunk_at(*position))
        }),
        Edit::InsertChunks(chunks) => {
            let item = |(position, cells): &(ChunkPos, Chunk<Voxel>)| {
                chunk(cells).map(|cells| format!("({}, {cells})", chunk_at(*position)))
            };
            let items: Option<Vec<String>> = chunks.iter().map(item).collect();
            items.map(|items| format!("Edit::InsertChunks(vec![{}])", items.join(", ")))
        }
        Edit::SetFixture { cell: at, fixture } => {
            let fixture = fixture.map(|fixture| match fixture {
                Fixture::Valve { towards, rate } => {
                    format!("Fixture::Valve {{ towards: Face::{towards:?}, rate: {rate} }}")
                }
                fixture => format!("Fixture::{fixture:?}"),
            });
            let fixture = fixture.map_or("None".to_owned(), |fixture| format!("Some({fixture})"));
            Some(format!("Edit::SetFixture {{ cell: {}, fixture: {fixture} }}", cell(*at)))
        }
        Edit::Freeze(chunks) => Some(format!("Edit::Freeze({})", cells(chunks))),
        Edit::Thaw(chunks) => Some(format!("Edit::Thaw({})", cells(chunks))),
        _ => None,
    }
}

fn cells(all: &[ChunkPos]) -> String {
    let all: Vec<String> = all.iter().map(|&at| chunk_at(at)).collect();
    format!("vec![{}]", all.join(", "))
}
