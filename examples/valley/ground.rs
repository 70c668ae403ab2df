//! The map as solid voxels in a world whose sides drain.

use super::dem::Dem;
use super::rivers::Rivers;
use floodplain::glam::IVec3;
use floodplain::water::{Edges, Rules, Voxel, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, ColumnPos, Cube, Region, Shape};

/// The most chunks of a map: about a gigabyte if all of them hold ground and water.
const MOST_CHUNKS: usize = 100_000;

/// The highest ground, in voxels above sea level.
const HIGHEST: f64 = 1e6;

/// Voxels of open air above the highest ground.
const SKY: i32 = 16;

/// The surface of the ground: x runs east, z south, both from the map's north-west corner.
pub struct Ground {
    pub width: i32,
    pub depth: i32,
    /// The lowest open cell of every column.
    surface: Vec<i32>,
    /// The open cell above the level at which a pit overflows; elsewhere the surface.
    brim: Vec<i32>,
}

impl Ground {
    /// The ground of a map. An error if it is too high.
    pub fn new(dem: &Dem, rivers: &Rivers, metres_per_voxel: f64) -> Result<Ground, String> {
        let highest = f64::from(dem.metres.iter().copied().max().unwrap_or(0)) / metres_per_voxel;
        if highest > HIGHEST {
            return Err(format!(
                "this ground is {highest:.0} voxels high, above {HIGHEST}; \
                 take more --metres-per-voxel"
            ));
        }
        let voxels = |metres: &u16| (f64::from(*metres) / metres_per_voxel).round() as i32;
        Ok(Ground {
            width: dem.width as i32,
            depth: dem.depth as i32,
            surface: dem.metres.iter().map(voxels).collect(),
            brim: rivers.brim.iter().map(voxels).collect(),
        })
    }

    pub fn columns(&self) -> usize {
        self.surface.len()
    }

    pub fn column(&self, x: i32, z: i32) -> usize {
        (x + z * self.width) as usize
    }

    /// The lowest open cell of a column.
    pub fn open_cell(&self, column: usize) -> IVec3 {
        let column_ = column as i32;
        IVec3::new(column_ % self.width, self.surface[column], column_ / self.width)
    }

    pub fn bounds(&self) -> Region {
        let floor = self.surface.iter().copied().fold(i32::MAX, i32::min) - 1;
        let top = self.surface.iter().copied().fold(i32::MIN, i32::max) + SKY;
        Region::new(IVec3::new(0, floor, 0), IVec3::new(self.width - 1, top, self.depth - 1))
    }

    /// Builds a dry world of this ground. An error if it is too large.
    pub fn world(&self, seed: u64, rules: Rules) -> Result<WaterWorld, String> {
        let rules = Rules { edges: Edges::DRAINING_SIDES, ..rules };
        let bounds = self.bounds();
        let mut world =
            WaterWorld::with_bounds(seed, rules, bounds).map_err(|error| error.to_string())?;
        let spans = self.chunk_spans(bounds);
        let needed: i64 = spans.iter().map(|&(_, low, high)| i64::from(high - low) + 1).sum();
        if needed > MOST_CHUNKS as i64 {
            return Err(format!(
                "this ground needs {needed} chunks of 16 voxels a side, above {MOST_CHUNKS}; \
                 take a smaller map or more --metres-per-voxel"
            ));
        }
        for (stack, low, high) in spans {
            for y in low..=high {
                let position = stack.chunk(y);
                world
                    .insert_chunk(position, self.chunk(position))
                    .map_err(|error| error.to_string())?;
            }
        }
        Ok(world)
    }

    /// The chunk columns of the map, each with its lowest and highest chunk that water can reach:
    /// from the lowest ground in it or beside it up to the highest brim, with air above.
    fn chunk_spans(&self, bounds: Region) -> Vec<(ColumnPos, i32, i32)> {
        let (first, last) = (Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max()));
        let stacks =
            (first.z..=last.z).flat_map(|z| (first.x..=last.x).map(move |x| ColumnPos::new(x, z)));
        stacks.map(|stack| self.chunk_span(stack, first.y, last.y)).collect()
    }

    fn chunk_span(&self, stack: ColumnPos, floor: i32, top: i32) -> (ColumnPos, i32, i32) {
        let corner = Cube::cell_at(stack.chunk(0), 0);
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for z in (corner.z - 1).max(0)..(corner.z + 17).min(self.depth) {
            for x in (corner.x - 1).max(0)..(corner.x + 17).min(self.width) {
                let column = self.column(x, z);
                low = low.min(self.surface[column] - 1);
                high = high.max(self.brim[column] + SKY / 2);
            }
        }
        (stack, (low >> 4).max(floor), (high >> 4).min(top))
    }

    fn chunk(&self, position: ChunkPos) -> Chunk<Voxel> {
        let mut cells = [Voxel::OPEN; CHUNK_CELLS];
        for (index, voxel) in cells.iter_mut().enumerate() {
            let cell = Cube::cell_at(position, index);
            // The world ignores cells beyond the map; repeating the nearest column keeps deep
            // chunks uniform.
            let column = self.column(cell.x.min(self.width - 1), cell.z.min(self.depth - 1));
            if cell.y < self.surface[column] {
                *voxel = Voxel::SOLID;
            }
        }
        Chunk::from_cells(&cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> (Dem, Ground) {
        let metres = (0..40 * 20).map(|cell| 100 + 9 * (cell % 40) as u16).collect();
        let dem = Dem { width: 40, depth: 20, metres };
        let ground = Ground::new(&dem, &Rivers::of(&dem), 4.0).unwrap();
        (dem, ground)
    }

    #[test]
    fn columns_are_solid_up_to_their_height_and_open_above() {
        let (dem, ground) = ramp();
        let world = ground.world(1, Rules::default()).unwrap();
        for column in 0..ground.columns() {
            let open = ground.open_cell(column);
            assert_eq!(open.y, (f64::from(dem.metres[column]) / 4.0).round() as i32);
            assert!(world.cell(open).is_some(), "open at {open}");
            assert!(world.is_solid(open - IVec3::Y), "solid below {open}");
        }
        assert_eq!(world.bounds().min().y, 24);
        assert_eq!(world.total(), 0);
    }

    #[test]
    fn ground_that_needs_too_many_chunks_is_refused() {
        let (dem, _) = ramp();
        let world = |dem: &Dem, metres| {
            Ground::new(dem, &Rivers::of(dem), metres)
                .and_then(|ground| ground.world(1, Rules::default()))
        };
        let cliffs =
            Dem { width: 80, depth: 80, metres: (0..6400).map(|cell| cell % 2 * 60_000).collect() };
        for (dem, metres) in [(&dem, 1e-6), (&dem, f64::MIN_POSITIVE), (&cliffs, 0.1)] {
            let error = world(dem, metres).err().unwrap();
            assert!(error.contains("--metres-per-voxel") && !error.contains('\n'), "{error}");
        }
        assert!(world(&dem, f64::MAX).is_ok(), "all flat");
    }
}
