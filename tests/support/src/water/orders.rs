//! What the order of edits and of loading may not change in a world of water. For `water_order` and
//! the fuzz targets of water.

use super::Op;
use super::small::watched;
use floodplain::glam::IVec3;
use floodplain::water::{Edit, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Region, Shape};

/// The cells that an edit which displaces no water may write or wake: its own, and their
/// neighbours. `None` if it is no edit of cells.
fn reach(edit: &Edit) -> Option<Region> {
    let around = |region: Region| {
        Region::new(
            region.min().saturating_sub(IVec3::ONE),
            region.max().saturating_add(IVec3::ONE),
        )
    };
    match *edit {
        Edit::SetSolid(cell)
        | Edit::ClearSolid(cell)
        | Edit::AddSource(cell)
        | Edit::RemoveSource(cell)
        | Edit::Pour { cell, .. }
        | Edit::Scoop { cell, .. }
        | Edit::SetFixture { cell, .. }
        | Edit::SetSea(cell)
        | Edit::ClearSea(cell) => Some(around(Region::cell(cell))),
        Edit::FillSolid(region) | Edit::FillWater { region, .. } | Edit::FillSea(region) => {
            Some(around(region))
        }
        _ => None,
    }
}

/// Whether an edit makes ground where there is water, which goes as far as it must for room.
fn displaces(edit: &Edit, world: &WaterWorld) -> bool {
    let region = match *edit {
        Edit::SetSolid(cell) => Region::cell(cell),
        Edit::FillSolid(region) => region,
        _ => return false,
    };
    let cells = region.intersection(&world.bounds());
    cells.is_some_and(|cells| cells.positions().any(|cell| world.units(cell) > 0))
}

/// A world after some history, then one edit and another, and some ticks. `None` if one of them
/// displaces water, or if a cell passes water on without holding any at the time of the edits: such
/// cells dry up when they are cut off, and so do those downstream, however far away.
fn hashes(
    seed: u64,
    rules: Rules,
    bounds: Region,
    history: &[Op],
    edits: [&Edit; 2],
) -> Option<[u64; 2]> {
    let mut watched = watched(seed, rules, bounds);
    watched.play(history).unwrap();
    let passes = |cell: IVec3| {
        watched.world().cell(cell).is_some_and(|cell| cell.height() == 0 && !cell.is_dry())
    };
    let displaces = edits.iter().any(|edit| displaces(edit, watched.world()));
    if displaces || bounds.positions().any(passes) {
        return None;
    }
    watched.play(&edits.map(|edit| Op::Edit(edit.clone()))).unwrap();
    let mut world = watched.into_world();
    let then = world.state_hash();
    world.run(4);
    Some([then, world.state_hash()])
}

/// Two edits that touch no common cell or neighbour do the same in either order, after any history.
/// `false` if they do touch one, displace water, or if a stream ties them together.
pub fn commute(
    seed: u64,
    rules: Rules,
    bounds: Region,
    history: &[Op],
    [one, other]: [&Edit; 2],
) -> bool {
    let (Some(reach_of_one), Some(reach_of_other)) = (reach(one), reach(other)) else {
        return false;
    };
    if reach_of_one.intersection(&reach_of_other).is_some() {
        return false;
    }
    let hashes = |edits| hashes(seed, rules, bounds, history, edits);
    let first = hashes([one, other]);
    first.is_some() && {
        assert_eq!(first, hashes([other, one]));
        true
    }
}

/// A basin of four chunks within walls, and how they are loaded one by one.
#[derive(Debug)]
pub struct Basin {
    pub seed: u64,
    /// Of the ground, in turn; not empty. It nowhere rises above `depth`, up to which there is
    /// water.
    pub heights: Vec<u8>,
    pub depth: i32,
    /// In which order the chunks come, and how many ticks pass after each.
    pub order: [usize; 4],
    pub pauses: [u64; 4],
}

impl Basin {
    /// Chunks loaded one by one in any order while water moves: at rest each layer has the same
    /// water.
    pub fn loads_in_any_order(&self) {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 7, 31));
        let chunks = self.chunks();
        let world = || {
            WaterWorld::with_bounds(self.seed, Rules::lossless(), bounds)
                .expect("rules within their ranges")
        };
        let (mut at_once, mut one_by_one) = (world(), world());
        assert_eq!(at_once.insert_chunks(chunks.iter().cloned()), Ok(()));
        for (at, pause) in self.order.into_iter().zip(self.pauses) {
            let (position, chunk) = chunks[at].clone();
            assert_eq!(one_by_one.insert_chunk(position, chunk), Ok(()));
            one_by_one.run(pause);
        }
        assert_eq!(levels(&mut one_by_one), levels(&mut at_once));
        assert_eq!(one_by_one.total(), at_once.total());
    }

    fn chunks(&self) -> Vec<(ChunkPos, Chunk<Voxel>)> {
        let chunks = Region::new(IVec3::ZERO, IVec3::new(1, 0, 1)).positions().map(ChunkPos::from);
        let ground =
            |cell: IVec3| self.heights[(cell.x * 5 + cell.z * 3) as usize % self.heights.len()];
        let voxel = |cell: IVec3| match cell.y {
            y if y <= i32::from(ground(cell)) % self.depth => Voxel::SOLID,
            y if y <= self.depth => Voxel::water(WaterCell::STILL),
            _ => Voxel::OPEN,
        };
        let cells = |chunk| {
            core::array::from_fn::<_, CHUNK_CELLS, _>(|index| voxel(Cube::cell_at(chunk, index)))
        };
        chunks.map(|chunk| (chunk, Chunk::from_cells(&cells(chunk)))).collect()
    }
}

/// Units in each layer of the world at rest.
fn levels(world: &mut WaterWorld) -> Vec<u64> {
    world.run(6_000);
    assert!(
        world.is_at_rest() && world.validate().is_ok(),
        "{} cells still awake",
        world.awake_cells()
    );
    let layer = |y: i32| {
        let (min, max) = (world.bounds().min().with_y(y), world.bounds().max().with_y(y));
        Region::new(min, max).positions().map(|cell| u64::from(world.units(cell))).sum()
    };
    (world.bounds().min().y..=world.bounds().max().y).map(layer).collect()
}
