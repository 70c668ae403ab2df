//! Jobs of water that both `benches/water` and the example `throughput` measure: the worlds, and
//! what is done to them before each tick.

use crate::worlds::{lake, open_world};
use floodplain::glam::IVec3;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, Cube, Region, Shape};

/// Builds ground of 256 by 256 columns, with hills of three sizes, in the rain for a hundred ticks.
pub fn hills() -> WaterWorld {
    let wave = |at: i32, length: i32, height: i32| {
        let phase = at.rem_euclid(length);
        phase.min(length - phase) * 2 * height / length
    };
    let height = |x: i32, z: i32| {
        4 + wave(x + z / 3, 97, 24) + wave(z - x / 4, 61, 16) + wave(x * 2 + z * 3, 23, 3)
    };
    let mut world =
        open_world(Region::new(IVec3::ZERO, IVec3::new(255, 63, 255)), Rules::lossless());
    for at in Region::new(IVec3::ZERO, IVec3::new(255, 0, 255)).positions() {
        let top = at.with_y(height(at.x, at.z));
        world.fill_solid(Region::new(at, top)).expect("loaded");
    }
    (0..100).for_each(|tick| {
        storm(&mut world, tick);
        world.step();
    });
    world
}

/// In every tick a unit of rain falls on each 256th column.
pub fn storm(world: &mut WaterWorld, tick: u64) {
    let mut random = fastrand::Rng::with_seed(tick);
    for _ in 0..256 {
        let cell = IVec3::new(random.i32(0..256), 60, random.i32(0..256));
        world.pour(cell, 1).expect("open");
    }
}

/// Builds a wall of water of 64×24×96 cells at the head of a valley 256 long, at the moment at
/// which its dam is gone. The valley falls by six cells and rises by sixteen to its sides; its
/// ground is rough.
pub fn dam() -> WaterWorld {
    const RESERVOIR: i32 = 64;
    const BED: i32 = 14;
    let floor = |x: i32, z: i32| {
        if x < RESERVOIR {
            return BED;
        }
        let (along, across) = (f64::from(x), f64::from(z));
        let side = ((across - 48.0).abs() / 48.0).powi(2) * 16.0;
        let rough = 1.5 * (along / 7.0).sin() * (across / 5.0).cos();
        ((12.0 - (along - 64.0) / 40.0 + side + rough) as i32).max(1)
    };
    let bounds = Region::new(IVec3::ZERO, IVec3::new(319, 47, 95));
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).expect("rules in range");
    for position in Cube::chunks_of(Region::new(IVec3::ZERO, bounds.max())) {
        let voxel = |index: usize| match Cube::cell_at(position, index) {
            IVec3 { x, y, z } if y < floor(x, z) => Voxel::SOLID,
            IVec3 { x, y, .. } if x < RESERVOIR && y < BED + 24 => Voxel::water(WaterCell::STILL),
            _ => Voxel::OPEN,
        };
        let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(voxel);
        world.insert_chunk(position, Chunk::from_cells(&cells)).expect("inside the world");
    }
    world
}

/// The tank that fills in [`tanks`].
fn far_tank() -> Region {
    Region::new(IVec3::new(64, 0, 0), IVec3::new(111, 23, 47))
}

/// Builds two tanks, 48 by 48 cells each, that stand full to 20 and to 4 cells. A pipe of three by
/// three cells, sixteen long, joins them at their floors, below both surfaces: nothing moves but by
/// pressure.
pub fn tanks() -> WaterWorld {
    let bounds = Region::new(IVec3::ZERO, far_tank().max());
    let mut world = open_world(bounds, Rules::lossless());
    let wall = Region::new(IVec3::new(48, 0, 0), IVec3::new(63, 23, 47));
    world.fill_solid(wall).expect("loaded");
    let mut fill = |low: [i32; 3], high: [i32; 3]| {
        world.fill_water(Region::new(low.into(), high.into()), 7).expect("loaded");
    };
    fill([0, 0, 0], [47, 19, 47]);
    fill([48, 0, 22], [63, 2, 24]);
    fill([64, 0, 0], [111, 3, 47]);
    world
}

/// Returns the units that have come through the pipe of [`tanks`].
pub fn units_through_the_pipe(world: &WaterWorld) -> u64 {
    units(world, far_tank(), |_| true) - 48 * 48 * 4 * 7
}

/// The layer that [`pour_at_one_spot`] fills first, and the spot's middle.
const SPOT: IVec3 = IVec3::new(64, 8, 64);

/// Builds a still lake of 128 by 128 cells, eight deep, with room for as much again.
pub fn still_lake() -> WaterWorld {
    let mut world =
        open_world(Region::new(IVec3::ZERO, IVec3::new(127, 15, 127)), Rules::lossless());
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(127, 7, 127)), 7).expect("loaded");
    world.run(10);
    assert!(world.is_at_rest());
    world
}

/// Pours seven units, from three cells above the surface of [`still_lake`], on each of nine
/// columns.
pub fn pour_at_one_spot(world: &mut WaterWorld, _: u64) {
    for cell in Region::new(SPOT - IVec3::new(1, -3, 1), SPOT + IVec3::new(1, 3, 1)).positions() {
        world.pour(cell, 7).expect("open");
    }
}

/// Returns the units poured at the spot that now lie more than sixteen cells from it, where only
/// pressure brings them: the local flow leaves a slope of a unit a cell.
pub fn units_far_from_the_spot(world: &WaterWorld) -> u64 {
    let far = |cell: IVec3| (cell - SPOT).with_y(0).length_squared() > 16 * 16;
    units(world, Region::new(IVec3::new(0, 8, 0), IVec3::new(127, 15, 127)), far)
}

fn units(world: &WaterWorld, region: Region, is_counted: impl Fn(IVec3) -> bool) -> u64 {
    let cells = region.positions().filter(|&cell| is_counted(cell));
    cells.map(|cell| u64::from(world.units(cell))).sum()
}

/// Builds a sleeping lake of this size, with room above it, and a spring of one unit a tick at its
/// rim.
pub fn fed_lake(size: IVec3) -> WaterWorld {
    let rules = Rules { source_supply: 1, ..Rules::lossless() };
    let mut world = open_world(Region::new(IVec3::ZERO, size + IVec3::new(-1, 7, -1)), rules);
    world.fill_water(Region::new(IVec3::ZERO, size - IVec3::ONE), 7).expect("loaded");
    world.run(10);
    assert!(world.is_at_rest());
    world.add_source(IVec3::new(0, size.y + 2, 0)).expect("open");
    world.run(10);
    world
}

/// Builds a sealed lake of 64×16×64 cells at rest, to be woken as a whole.
pub fn sealed_lake() -> WaterWorld {
    let mut world = lake(IVec3::new(64, 16, 64), Rules::lossless());
    world.run(100);
    assert!(world.is_at_rest());
    world
}

/// Returns a chunk with a floor and one wet cell on it, the one with index 300.
pub fn puddle() -> Chunk<Voxel> {
    let mut cells = [Voxel::OPEN; CHUNK_CELLS];
    cells[..256].fill(Voxel::SOLID);
    cells[300] = WaterCell::with_height(1).expect("in range").into();
    Chunk::from_cells(&cells)
}

/// Builds a world of this many chunks, each with a puddle at rest.
pub fn puddles(chunks: i32) -> WaterWorld {
    let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
    let chunk = puddle();
    for at in 0..chunks {
        let position = IVec3::new(at % 317, 0, at / 317);
        world.insert_chunk(position.into(), chunk.clone()).expect("free");
    }
    world.run(40);
    assert!(world.is_at_rest());
    world
}

/// Builds a plain of 256 by 256 cells with a spring in its middle.
pub fn plain() -> WaterWorld {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(255, 2, 255));
    let mut world = open_world(bounds, Rules::lossless());
    world.add_source(IVec3::new(125, 0, 131)).expect("open");
    world
}
