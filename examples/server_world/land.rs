//! The ground of `server_tick` as materials: soil on rock, beaches of sand, lakes in beds of rock.
//! A column is settled alone before it is inserted, and moist beside the sea.

use crate::ground::{COLUMN, Ground, SEA};
use floodplain::water::Voxel;
use floodplain::world::{ChunkContent, ChunkRecord, EditError, MaterialId, Palette, Rules, Settle};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, ColumnPos, Cube, Shape};

pub const SEED: u64 = 7;
/// Cells of soil or sand on the rock.
const DEEP: i32 = 4;
/// Sand reaches so many cells above the sea.
const BEACH: i32 = 2;
/// Ticks in which ground that was just generated comes to rest, at most.
const SETTLING: u64 = 200;

pub struct Land {
    pub ground: Ground,
    palette: Palette,
    pub air: MaterialId,
    pub soil: MaterialId,
    rock: MaterialId,
    sand: MaterialId,
}

impl Land {
    /// Returns the land, of materials of the natural palette.
    pub fn new() -> Land {
        let palette = Palette::natural();
        let [air, rock, soil, sand] = ["air", "rock", "soil", "sand"]
            .map(|name| palette.id(name).expect("a name of the natural palette"));
        Land { ground: Ground { has_rivers: false }, palette, air, soil, rock, sand }
    }

    pub fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Returns the chunks of a column, settled alone, by the x and z of their positions. A server
    /// has a thread that does this.
    pub fn column(&self, column: ColumnPos) -> Result<Vec<ChunkRecord>, EditError> {
        let palette = self.palette.clone();
        let settle = Settle { seed: SEED, palette, most_ticks: SETTLING, ..Settle::default() };
        Ok(settle.run(self.contents(column))?.0)
    }

    /// Returns the chunks of a column as they are generated.
    pub fn contents(&self, column: ColumnPos) -> Vec<(ChunkPos, ChunkContent)> {
        let beds = Beds::of(self.ground, column);
        let chunks = self.ground.column(column).into_iter();
        chunks.map(|(chunk, water)| (chunk, self.content(chunk, water, &beds))).collect()
    }

    fn content(&self, chunk: ChunkPos, water: Chunk<Voxel>, beds: &Beds) -> ChunkContent {
        let material = |index: usize| {
            let cell = Cube::cell_at(chunk, index);
            let top = beds.top(index % 256);
            if !water.get(index).is_solid() {
                self.air
            } else if top - cell.y >= DEEP || beds.is_bed(index % 256, cell.y) {
                self.rock
            } else if top <= SEA + BEACH {
                self.sand
            } else {
                self.soil
            }
        };
        let cells: [MaterialId; CHUNK_CELLS] = core::array::from_fn(material);
        let content = ChunkContent { water: Some(water), ..Chunk::from_cells(&cells).into() };
        content.with_water_table(chunk, SEA, &self.palette, &Rules::default())
    }

    /// Returns the highest cell of a world.
    pub const fn top() -> i32 {
        16 * COLUMN - 1
    }
}

/// The tops of a column's ground, and the lakes that lie on it or beside it.
struct Beds {
    /// By x, then z: the highest solid cell, and the highest of a lake on it or beside it.
    stacks: Vec<(i32, i32)>,
}

impl Beds {
    fn of(ground: Ground, column: ColumnPos) -> Beds {
        let stack = |x: i32, z: i32| ground.stack(16 * column.x + x, 16 * column.z + z);
        let at = |index: i32| {
            let (x, z) = (index & 15, index >> 4);
            let round = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
            let lakes = round.map(|(dx, dz)| stack(x + dx, z + dz).water);
            (stack(x, z).ground, lakes.into_iter().max().unwrap_or(i32::MIN))
        };
        Beds { stacks: (0..256).map(at).collect() }
    }

    fn top(&self, at: usize) -> i32 {
        self.stacks[at].0
    }

    /// Returns whether a cell of ground holds a lake: it would sink into soil for hours.
    fn is_bed(&self, at: usize, y: i32) -> bool {
        y <= self.stacks[at].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lakes_have_water_and_hills_have_soil() {
        let land = Land::new();
        let is_lake = |&column: &ColumnPos| {
            let stack = land.ground.stack(16 * column.x + 8, 16 * column.z + 8);
            stack.water > stack.ground
        };
        let columns = || (0..24).flat_map(|x| (0..24).map(move |z| ColumnPos::new(x, z)));
        let of = |column: Option<ColumnPos>| {
            land.column(column.expect("there is one")).expect("it fits")
        };
        let lake = of(columns().find(is_lake));
        assert!(lake.len() == COLUMN as usize && lake.iter().any(|it| it.water().units() > 0));
        let is_soil = |record: &ChunkRecord| {
            (0..CHUNK_CELLS).any(|index| record.materials().get(index) == land.soil)
        };
        assert!(of(columns().find(|column| !is_lake(column))).iter().any(is_soil));
    }
}
