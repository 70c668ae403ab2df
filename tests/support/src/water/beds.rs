//! Small worlds in which springs flow to ends: over flat and stepped beds, through caves, dry or
//! with water that stood there before. Bytes determine everything.

use super::Op;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::testing::{BrokenLaws, Bytes, Watched};
use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Face, Region, Shape};
use std::fmt;

/// What the ground of a world is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bed {
    /// One layer, with walls at random.
    Flat,
    /// Steps that go down along x, with walls at random.
    Stepped,
    /// Columns of any height.
    Rough,
    /// Ground at random places.
    Cave,
}

const SIZE: IVec3 = IVec3::new(10, 5, 7);

/// Edits once the world has flowed for a while.
const LATE_EDITS: u8 = 4;

/// A small world over a bed, and what is done to it.
pub struct Course {
    pub seed: u64,
    pub rules: Rules,
    pub bounds: Region,
    /// In the order of the positions of the bounds.
    pub cells: Vec<Voxel>,
    pub ops: Vec<Op>,
}

impl Course {
    /// Returns the world that the next bytes say, over a bed of this kind.
    pub fn draw(bed: Bed, bytes: &mut Bytes<'_>) -> Course {
        let seed = u64::from(bytes.byte()) << 8 | u64::from(bytes.byte());
        let bounds = bytes.bounds(SIZE);
        let sides = bytes.pick(&[2_u8, 2, 2, 3, 1, 15, 8, 0]);
        let drains = Face::LATERAL.into_iter().enumerate().filter(|(at, _)| sides >> at & 1 == 1);
        let edges = drains.fold(Edges::WALLS, |edges, (_, face)| edges.with(face, Edge::Drain));
        let limits = [(7, 7), (7, 7), (7, 7), (7, 3), (4, 7), (5, 2)];
        let (throughput, source_supply) = bytes.pick(&limits);
        let rules = Rules { throughput, source_supply, edges, ..Rules::lossless() };
        let cells = cells(bed, bounds, bytes);
        let mut ops = vec![Op::Step(1 + bytes.byte() % 12)];
        for _ in 0..bytes.byte() % (LATE_EDITS + 1) {
            ops.push(Op::Edit(late_edit(bytes, bounds)));
            ops.push(Op::Step(1 + bytes.byte() % 12));
        }
        Course { seed, rules, bounds, cells, ops }
    }

    pub fn world(&self) -> WaterWorld {
        let mut world = WaterWorld::with_bounds(self.seed, self.rules, self.bounds)
            .expect("rules within their ranges");
        let positions: Vec<IVec3> = self.bounds.positions().collect();
        let chunk = |chunk: ChunkPos| {
            let mut cells = [Voxel::OPEN; CHUNK_CELLS];
            for (&cell, &voxel) in positions.iter().zip(&self.cells) {
                if Cube::chunk_of(cell) == chunk {
                    cells[Cube::index_of(cell)] = voxel;
                }
            }
            (chunk, Chunk::from_cells(&cells))
        };
        world.insert_chunks(Cube::chunks_of(self.bounds).map(chunk)).expect("none is there");
        world.wake_all();
        world
    }

    /// Makes the edits with every law after each, and lets the world alone: its water arrives.
    pub fn check(&self) -> Result<(), BrokenLaws> {
        let mut watched = Watched::new(|| self.world());
        watched.play(&self.ops)?;
        watched.let_rest().map(drop)
    }
}

/// Layers from the top, each of rows along x: `#` ground, `S` a spring, else the units.
impl fmt::Debug for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, {:?}, {:?}, {:?}", self.seed, self.rules, self.bounds, self.ops)?;
        let [width, height, depth] = self.bounds.size().map(|size| size as usize);
        for y in (0..height).rev() {
            for z in 0..depth {
                let row = &self.cells[(y * depth + z) * width..][..width];
                let character = |voxel: &Voxel| match voxel.cell() {
                    None => '#',
                    Some(cell) if cell.is_source() => 'S',
                    Some(cell) => char::from(b'0' + cell.height()),
                };
                writeln!(f, "{}", row.iter().map(character).collect::<String>())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn cells(bed: Bed, bounds: Region, bytes: &mut Bytes<'_>) -> Vec<Voxel> {
    let (share, full) = (bytes.byte() % 120, bytes.pick(&[0_u8, 255, 200, 40]));
    let mut rng = Rng::with_seed(bytes.byte().into());
    let walls: Vec<bool> = (0..SIZE.x * SIZE.z).map(|_| rng.u8(..) < share).collect();
    let tops: Vec<i32> = (0..SIZE.x * SIZE.z).map(|_| rng.i32(0..5)).collect();
    let mut voxel = |cell: IVec3| {
        let IVec3 { x, y, z } = cell - bounds.min();
        let column = (z * SIZE.x + x) as usize;
        let is_ground = match bed {
            _ if y == 0 => true,
            Bed::Flat => y > 1 || walls[column],
            Bed::Stepped => walls[column] || y <= 3 - x / 3,
            Bed::Rough => y < tops[column],
            Bed::Cave => rng.u8(..) < share,
        };
        match is_ground {
            true => Voxel::SOLID,
            false if rng.u8(..) < full => Voxel::water(WaterCell::STILL),
            false => Voxel::OPEN,
        }
    };
    let mut cells: Vec<Voxel> = bounds.positions().map(&mut voxel).collect();
    for _ in 0..[1, 2, 3, 1, 2, 3, 2, 0][usize::from(bytes.byte() % 8)] {
        let place = usize::from(bytes.byte()) * 97 % cells.len();
        let open = (0..cells.len()).map(|at| (place + at) % cells.len());
        if let Some(open) = open.into_iter().find(|&at| !cells[at].is_solid()) {
            cells[open] = Voxel::water(WaterCell::SOURCE);
        }
    }
    cells
}

fn late_edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
    let cell = bytes.cell(bounds);
    match bytes.byte() % 6 {
        0 => Edit::SetSolid(cell),
        1 => Edit::ClearSolid(cell),
        2 => Edit::AddSource(cell),
        3 => Edit::RemoveSource(cell),
        4 => Edit::Pour { cell, units: 7 },
        _ => Edit::Scoop { cell, units: 7 },
    }
}
