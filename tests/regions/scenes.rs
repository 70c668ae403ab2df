//! Worlds over regions, whose ground is the same for every size of regions, along both axes.

use floodplain::regions::RegionWorld;
use floodplain::water::{Edit, Rules, Voxel};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape};
use glam::{IVec2, IVec3};

/// A side of regions so large that all is in one.
pub const UNDIVIDED: i32 = 4096;

/// The axis along which a scene lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    X,
    Z,
}

impl Axis {
    /// Returns the cell of a scene: along it, up, and across.
    pub fn cell(self, along: i32, y: i32, across: i32) -> IVec3 {
        match self {
            Axis::X => IVec3::new(along, y, across),
            Axis::Z => IVec3::new(across, y, along),
        }
    }

    /// Returns where a cell is in the scene.
    pub fn local(self, cell: IVec3) -> [i32; 3] {
        match self {
            Axis::X => [cell.x, cell.y, cell.z],
            Axis::Z => [cell.z, cell.y, cell.x],
        }
    }
}

/// Returns a world of this size in cells, a voxel given for each cell.
pub fn world(
    seed: u64,
    rules: Rules,
    side: i32,
    size: IVec3,
    voxel: impl Fn(IVec3) -> Voxel,
) -> RegionWorld {
    let bounds = Region::new(IVec3::ZERO, size - 1);
    let mut world = RegionWorld::new(seed, rules, bounds, side).expect("valid");
    let chunks = (size + 15) / 16;
    for y in 0..chunks.y {
        for z in 0..chunks.z {
            for x in 0..chunks.x {
                let position = ChunkPos::new(x, y, z);
                let cells = core::array::from_fn(|index| voxel(Cube::cell_at(position, index)));
                let chunk = Chunk::from_cells(&cells);
                world.apply(Edit::InsertChunk { position, chunk }).expect("vacant");
            }
        }
    }
    world
}

/// Runs ticks, and checks after each that nothing was made or lost, in all and at each face.
pub fn run(world: &mut RegionWorld, ticks: u64, context: &str) {
    for _ in 0..ticks {
        world.step();
        check_accounts(world, context);
    }
}

/// Checks that the units in a world are those of its ledger, and that sent equals received and
/// under way at each face.
pub fn check_accounts(world: &RegionWorld, context: &str) {
    let tick = world.ticks();
    assert_eq!(world.total(), world.ledger().total(), "{context}, tick {tick}: units in all");
    let regions: Vec<IVec2> = world.regions().collect();
    for &from in &regions {
        for to in [IVec2::X, IVec2::NEG_X, IVec2::Y, IVec2::NEG_Y].map(|step| from + step) {
            let Some(account) = world.account(from, to) else { continue };
            let arrived = account.received + account.under_way;
            assert_eq!(account.sent, arrived, "{context}, tick {tick}: {from} to {to} {account:?}");
        }
    }
}

/// Returns the units in a cell, wherever it is.
pub fn units(world: &RegionWorld, cell: IVec3) -> u8 {
    world.region_of(cell).map_or(0, |region| region.units(cell))
}

/// Returns the levels of the surface, in units above y = 0, of the columns of a box of cells: of
/// the highest wet cell in each.
pub fn surfaces(world: &RegionWorld, cells: Region) -> Vec<i32> {
    let (min, max) = (cells.min(), cells.max());
    let mut levels = Vec::new();
    for x in min.x..=max.x {
        for z in min.z..=max.z {
            let wet = |&y: &i32| units(world, IVec3::new(x, y, z)) > 0;
            let top = (min.y..=max.y).rev().find(wet);
            levels.push(
                top.map_or(7 * min.y, |y| 7 * y + i32::from(units(world, IVec3::new(x, y, z)))),
            );
        }
    }
    levels
}

/// Returns the units a tick that leave the world, once its beds have filled.
pub fn carried(world: &mut RegionWorld, context: &str) -> f64 {
    const TICKS: u64 = 320;
    let mut drained = 0;
    for round in 0..60 {
        let (total, before) = (world.total(), world.ledger().drained);
        run(world, TICKS, context);
        drained = world.ledger().drained - before;
        if round > 1 && world.total().abs_diff(total) < TICKS / 50 {
            break;
        }
    }
    drained as f64 / TICKS as f64
}
