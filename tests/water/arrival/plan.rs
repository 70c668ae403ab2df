//! Worlds from plans: what lies in each cell, turned, mirrored, and put anywhere in the chunk grid.

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Face, Region, Shape};

pub fn at(x: i32, y: i32, z: i32) -> IVec3 {
    IVec3::new(x, y, z)
}

/// What lies in a cell of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Is {
    Ground,
    Open,
    Full,
    Spring,
}

/// How a plan lies in the world: moved, mirrored along z, and turned about y.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pose {
    pub offset: IVec3,
    pub is_mirrored: bool,
    pub quarters: u8,
}

impl Pose {
    /// Any of 2,048 poses: each offset against the chunk grid along x and z, mirrored or not, in
    /// each direction.
    pub fn of(seed: u64) -> Pose {
        let mut rng = fastrand::Rng::with_seed(seed);
        Pose {
            offset: at(rng.i32(0..16), 0, rng.i32(0..16)),
            is_mirrored: rng.bool(),
            quarters: rng.u8(0..4),
        }
    }
}

/// A world within walls, from the plan of a box whose least corner is the origin.
pub struct Built {
    pub world: WaterWorld,
    size: IVec3,
    pose: Pose,
}

impl Built {
    /// Builds the plan with these rules. It drains at these faces of the plan.
    pub fn with_rules(
        rules: Rules,
        (seed, pose): (u64, Pose),
        size: IVec3,
        drains: &[Face],
        plan: impl Fn(IVec3) -> Is,
    ) -> Built {
        let ends = drains.iter().map(|&face| turned(pose, face));
        let edges = ends.fold(Edges::WALLS, |edges, face| edges.with(face, Edge::Drain));
        let corners = [IVec3::ZERO, size - 1].map(|cell| placed(pose, size, cell));
        let bounds = Region::new(corners[0].min(corners[1]), corners[0].max(corners[1]));
        let mut world = WaterWorld::with_bounds(seed, Rules { edges, ..rules }, bounds).unwrap();
        let mut cells = std::collections::HashMap::new();
        for cell in Region::new(IVec3::ZERO, size - 1).positions() {
            cells.insert(placed(pose, size, cell), plan(cell));
        }
        let voxel = |cell: IVec3| match cells.get(&cell).copied().unwrap_or(Is::Ground) {
            Is::Ground => Voxel::SOLID,
            Is::Open => Voxel::OPEN,
            Is::Full => Voxel::water(WaterCell::STILL),
            Is::Spring => Voxel::water(WaterCell::SOURCE),
        };
        let chunk = |chunk: ChunkPos| {
            let cells: [Voxel; CHUNK_CELLS] =
                std::array::from_fn(|index| voxel(Cube::cell_at(chunk, index)));
            (chunk, Chunk::from_cells(&cells))
        };

        world.insert_chunks(Cube::chunks_of(bounds).map(chunk)).unwrap();
        world.wake_all();
        Built { world, size, pose }
    }

    /// The same with the default rules, without evaporation.
    pub fn new(
        how: (u64, Pose),
        size: IVec3,
        drains: &[Face],
        plan: impl Fn(IVec3) -> Is,
    ) -> Built {
        Built::with_rules(Rules::lossless(), how, size, drains, plan)
    }

    /// Where a cell of the plan lies in the world.
    pub fn at(&self, cell: IVec3) -> IVec3 {
        placed(self.pose, self.size, cell)
    }

    pub fn height(&self, x: i32, y: i32, z: i32) -> u8 {
        self.world.units(self.at(at(x, y, z)))
    }

    /// The units in a box of the plan.
    pub fn units(&self, from: IVec3, to: IVec3) -> u64 {
        let cells = Region::new(from, to).positions();
        cells.map(|cell| u64::from(self.height(cell.x, cell.y, cell.z))).sum()
    }

    /// The cells of a box of the plan that satisfy something.
    pub fn count(&self, from: IVec3, to: IVec3, is: impl Fn(WaterCell) -> bool) -> usize {
        let cells = Region::new(from, to).positions();
        cells.filter(|&cell| self.world.cell(self.at(cell)).is_some_and(&is)).count()
    }

    /// Units a tick that leave the world, in the mean of so many ticks.
    pub fn outflow(&mut self, ticks: u64) -> f64 {
        let before = self.world.ledger().drained;
        self.world.run(ticks);
        (self.world.ledger().drained - before) as f64 / ticks as f64
    }
}

fn placed(pose: Pose, size: IVec3, cell: IVec3) -> IVec3 {
    let (mut cell, mut size) = (cell, size);
    if pose.is_mirrored {
        cell.z = size.z - 1 - cell.z;
    }
    for _ in 0..pose.quarters {
        cell = at(size.z - 1 - cell.z, cell.y, cell.x);
        size = at(size.z, size.y, size.x);
    }
    cell + pose.offset
}

fn turned(pose: Pose, face: Face) -> Face {
    let offset = face.offset();
    let mut offset = if pose.is_mirrored { offset.with_z(-offset.z) } else { offset };
    for _ in 0..pose.quarters {
        offset = at(-offset.z, offset.y, offset.x);
    }
    Face::ALL.into_iter().find(|face| face.offset() == offset).unwrap()
}

/// Each end of each face is where the plan has it, however it lies.
#[test]
fn a_plan_drains_where_it_says_however_it_lies() {
    for seed in 0..40 {
        let plan = |cell: IVec3| match cell {
            IVec3 { x: 1, y: 0, z: 1 } => Is::Spring,
            IVec3 { x: 1.., y: 0, z: 1 } => Is::Open,
            _ => Is::Ground,
        };
        let mut built = Built::new((seed, Pose::of(seed)), at(5, 2, 4), &[Face::East], plan);
        assert_eq!(built.units(IVec3::ZERO, at(4, 1, 3)), 7);
        built.world.run(40);
        assert_eq!(built.outflow(10), 7.0, "{:?}", built.pose);
        assert_eq!(built.height(0, 0, 0), 0);
    }
}
