//! Worlds of water.

use super::less::{
    cells, equal, fewer, fewer_chunks, fewer_units, plainer, plainer_rules, regions,
};
use super::{Cells, EditOf, Kind, Tile};
use crate::case::Case;
use crate::drawing;
use crate::laws::Broken;
use crate::source::water as words;
use floodplain::glam::IVec3;
use floodplain::testing::Start;
use floodplain::water::{Edge, Edges, Edit, FULL, Fixture, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};

impl Kind for WaterWorld {
    const NAME: &'static str = "water";
    const TYPES: [&'static str; 2] = ["floodplain::water::WaterWorld", "floodplain::water::Edit"];
    type Setting = Start<Rules>;

    fn setting(&self) -> Start<Rules> {
        Start { seed: self.seed(), rules: *self.rules(), bounds: self.bounds() }
    }

    fn empty(setting: &Start<Rules>) -> Option<WaterWorld> {
        WaterWorld::with_bounds(setting.seed, setting.rules, setting.bounds).ok()
    }

    fn bounds_of(setting: &Start<Rules>) -> Region {
        setting.bounds
    }

    fn rebuilt(&self) -> Vec<Edit> {
        let chunks: Vec<_> =
            self.chunks().map(|(position, chunk)| (position, chunk.into_owned())).collect();
        let edges = self.column_edges().map(|(column, edge)| (column, Some(edge)));
        let edges = edges.map(|(column, edge)| Edit::SetEdge { column, edge });
        let fixtures = self.fixtures().map(|(cell, fixture)| (cell, Some(fixture)));
        let fixtures = fixtures.map(|(cell, fixture)| Edit::SetFixture { cell, fixture });
        let frozen: Vec<ChunkPos> = self.frozen_chunks().collect();
        let frozen = (!frozen.is_empty()).then_some(Edit::Freeze(frozen));
        let all = edges.chain([Edit::InsertChunks(chunks)]).chain(fixtures).chain(frozen);
        all.collect()
    }

    /// Returns open chunks, and a floor. In a quarter of the worlds, a spring flows over it to an
    /// end: where other rules are drawn, water seldom arrives.
    fn small(start: &Start<Rules>) -> (Start<Rules>, Vec<Edit>) {
        let bounds = start.bounds;

        let open = Cube::chunks_of(bounds).map(|position| (position, Chunk::uniform(Voxel::OPEN)));
        let floor = Region::new(bounds.min(), bounds.max().with_y(bounds.min().y));
        let mut edits = vec![Edit::InsertChunks(open.collect()), Edit::FillSolid(floor)];
        if !start.seed.is_multiple_of(4) {
            return (*start, edits);
        }
        let edges = Edges::WALLS.with(Face::East, Edge::Drain);
        edits.push(Edit::AddSource(bounds.min() + IVec3::Y));
        (Start { rules: Rules { edges, ..Rules::lossless() }, ..*start }, edits)
    }

    fn brings(edit: &Edit) -> bool {
        matches!(
            edit,
            Edit::AddSource(_) | Edit::Pour { .. } | Edit::FillWater { .. } | Edit::FillBody { .. }
        )
    }

    /// A valve is built into ground.
    fn needs(edit: &Edit) -> Option<Edit> {
        match *edit {
            Edit::SetFixture { cell, fixture: Some(Fixture::Valve { .. }) } => {
                Some(Edit::SetSolid(cell))
            }
            _ => None,
        }
    }

    fn plainer(setting: &Start<Rules>) -> Vec<Start<Rules>> {
        let (rules, plain) = (&setting.rules, Rules::lossless());
        let mut all = plainer_rules!(
            rules,
            plain,
            [evaporation, film_evaporation, throughput, source_supply, pools, many_parents, edges]
        );
        all.push(Rules { edges: rules.edges, ..plain });
        for face in Face::ALL {
            let edges = rules.edges.with(face, plain.edges.outer[face.index()]);
            all.push(Rules { edges, ..*rules });
        }
        let mut inner = *rules;
        inner.edges.unloaded = plain.edges.unloaded;
        all.push(inner);
        plainer(setting, all)
    }

    fn lesser(edit: &Edit) -> Vec<Edit> {
        lesser(edit)
    }

    fn cells(edit: &Edit) -> Option<Cells<Edit>> {
        match edit {
            Edit::InsertChunk { position, chunk } => {
                cells(vec![(*position, chunk.clone())], Voxel::OPEN, |mut chunks| {
                    let (position, chunk) = chunks.remove(0);
                    Edit::InsertChunk { position, chunk }
                })
            }
            Edit::InsertChunks(chunks) => cells(chunks.clone(), Voxel::OPEN, Edit::InsertChunks),
            _ => None,
        }
    }

    fn chunks_in(edit: &Edit) -> usize {
        match edit {
            Edit::InsertChunk { .. } => 1,
            Edit::InsertChunks(chunks) => chunks.len(),
            Edit::InsertRecords(records) => records.len(),
            _ => 0,
        }
    }

    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>> {
        let mut all = Vec::new();
        for (position, chunk) in self.chunks() {
            let cells = Cube::region_of(position).intersection(&self.bounds());
            for cell in cells.into_iter().flat_map(Region::positions) {
                all.push((cell, tile(chunk.get(Cube::index_of(cell)))));
            }
        }
        Some(all)
    }

    fn edit_source(edit: &EditOf<Self>) -> Option<String> {
        words::edit(edit)
    }

    fn empty_source(setting: &Start<Rules>) -> Option<String> {
        Some(words::world(setting))
    }

    fn drawing(case: &Case<WaterWorld>, broken: &Broken) -> Result<String, String> {
        drawing::draw(case, broken)
    }
}

/// Returns a cell as it is drawn.
pub fn tile(voxel: Voxel) -> Tile {
    match voxel {
        Voxel::SOLID => Tile::Ground,
        voxel if voxel.is_sea() => Tile::Sea,
        voxel if voxel.cell().is_some_and(|cell| cell.is_source()) => Tile::Spring,
        voxel if voxel.height() > 0 => {
            Tile::Water(f64::from(voxel.height().min(FULL)) / f64::from(FULL))
        }
        _ => Tile::Air,
    }
}

fn lesser(edit: &Edit) -> Vec<Edit> {
    match edit {
        Edit::InsertChunks(chunks) => match &chunks[..] {
            [(position, chunk)] => {
                vec![Edit::InsertChunk { position: *position, chunk: chunk.clone() }]
            }
            chunks => {
                fewer_chunks(chunks, Voxel::OPEN).into_iter().map(Edit::InsertChunks).collect()
            }
        },
        &Edit::InsertChunk { position, ref chunk } => equal(chunk, &[Voxel::OPEN, Voxel::SOLID])
            .into_iter()
            .map(|chunk| Edit::InsertChunk { position, chunk })
            .collect(),
        Edit::InsertRecords(records) => match &records[..] {
            [record] => {
                let (position, chunk) = (record.position(), record.chunk().clone());
                vec![Edit::InsertChunk { position, chunk }]
            }
            records => fewer(records).map(Edit::InsertRecords).collect(),
        },
        Edit::RemoveChunks(chunks) => match chunks[..] {
            [chunk] => vec![Edit::RemoveChunk(chunk)],
            _ => fewer(chunks).map(Edit::RemoveChunks).collect(),
        },
        Edit::Freeze(chunks) => fewer(chunks).map(Edit::Freeze).collect(),
        Edit::Thaw(chunks) => fewer(chunks).map(Edit::Thaw).collect(),
        &Edit::FillSolid(region) => regions(region, Edit::SetSolid, Edit::FillSolid),
        &Edit::FillSea(region) => regions(region, Edit::SetSea, Edit::FillSea),
        &Edit::FillWater { region, height } => {
            let pour = |cell| Edit::Pour { cell, units: height.into() };
            let mut all = regions(region, pour, |region| Edit::FillWater { region, height });
            let lower = fewer_units(height.into()).into_iter();
            all.extend(lower.map(|units| Edit::FillWater { region, height: units as u8 }));
            all
        }
        &Edit::Pour { cell, units } => with_fewer(units, |units| Edit::Pour { cell, units }),
        &Edit::Scoop { cell, units } => with_fewer(units, |units| Edit::Scoop { cell, units }),
        &Edit::DrainBody { cell, units } => {
            with_fewer(units, |units| Edit::DrainBody { cell, units })
        }
        &Edit::FillBody { cell, units } => {
            with_fewer(units, |units| Edit::FillBody { cell, units })
        }
        &Edit::SetFixture { cell, fixture: Some(fixture) } => fewer_units(fixture.rate().into())
            .into_iter()
            .filter_map(|rate| slower(fixture, rate as u8))
            .map(|fixture| Edit::SetFixture { cell, fixture: Some(fixture) })
            .collect(),
        _ => Vec::new(),
    }
}

fn slower(fixture: Fixture, rate: u8) -> Option<Fixture> {
    match fixture {
        Fixture::Drain(_) => Some(Fixture::Drain(rate)),
        Fixture::Tap(_) => Some(Fixture::Tap(rate)),
        Fixture::Valve { towards, .. } => Some(Fixture::Valve { towards, rate }),
        _ => None,
    }
}

fn with_fewer(units: u32, edit: impl Fn(u32) -> Edit) -> Vec<Edit> {
    fewer_units(units).into_iter().map(edit).collect()
}
