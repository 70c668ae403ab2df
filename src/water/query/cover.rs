//! Masks for code above water that shares the space of cells with it: which cells of a chunk have
//! no room left, and which hold water with room above it. They may be read between ticks only.

use crate::chunk::{CellMask, LayerMask};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Shape};
use crate::grid::LayerId;
use crate::water::WaterWorld;
use crate::water::store::faces::nothing;

/// Returns the cells of a chunk, inside the bounds, that are solid, full of water, or sea; none if
/// the chunk is not loaded.
pub(crate) fn closed_cells(world: &WaterWorld, chunk: ChunkPos) -> CellMask {
    let Some(slot) = world.store.grid().slot(chunk) else { return CellMask::EMPTY };
    let mut cells = CellMask::EMPTY;
    (0..16).for_each(|layer| {
        cells.set_layer(layer, world.store.layer(LayerId::new(slot, layer)).closed)
    });
    inside(world, chunk, cells)
}

/// Returns the cells of a chunk that hold water, springs included, and have room above them; none
/// if the chunk is not loaded.
pub(crate) fn surface_cells(world: &WaterWorld, chunk: ChunkPos) -> CellMask {
    let Some(slot) = world.store.grid().slot(chunk) else { return CellMask::EMPTY };
    let mut cells = CellMask::EMPTY;
    for layer in 0..16 {
        cells.set_layer(layer, surface_of(world, LayerId::new(slot, layer)));
    }
    inside(world, chunk, cells)
}

fn surface_of(world: &WaterWorld, layer: LayerId) -> LayerMask {
    let wet = world.store.layer(layer).wet;
    if wet.is_empty() {
        return wet;
    }
    let room = |above| [!world.store.layer(above).closed];
    let [room] = world.store.vertical(layer, Face::Up, room, nothing);
    wet & room
}

/// Returns `cells` of a chunk without those beyond the bounds, which hold only marks.
fn inside(world: &WaterWorld, chunk: ChunkPos, mut cells: CellMask) -> CellMask {
    let (bounds, region) = (world.bounds(), Cube::region_of(chunk));
    if is_cut(&bounds, &region) {
        for index in 0..CHUNK_CELLS {
            if !bounds.contains(Cube::cell_at(chunk, index)) {
                cells.remove(index);
            }
        }
    }
    cells
}

fn is_cut(bounds: &Region, region: &Region) -> bool {
    bounds.intersection(region) != Some(*region)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::water::{Rules, Voxel, WaterCell};
    use glam::IVec3;

    #[test]
    fn masks_are_those_of_the_cells_read_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(3);
        let bounds = Region::new(IVec3::new(0, 0, 2), IVec3::new(31, 31, 12));
        let mut world = WaterWorld::with_bounds(7, Rules::lossless(), bounds).unwrap();
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0), ChunkPos::new(0, 1, 0)] {
            let cells = core::array::from_fn(|_| match rng.u8(0..8) {
                0 | 1 => Voxel::SOLID,
                2 => Voxel::SEA,
                3 => Voxel::water(WaterCell::STILL),
                height => Voxel::water(WaterCell::with_height(height - 4).unwrap()),
            });
            world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
        }
        for chunk in
            [ChunkPos::ZERO, ChunkPos::new(1, 0, 0), ChunkPos::new(0, 1, 0), ChunkPos::new(1, 1, 1)]
        {
            let (closed, surface) = (closed_cells(&world, chunk), surface_cells(&world, chunk));
            for index in 0..CHUNK_CELLS {
                let cell = Cube::cell_at(chunk, index);
                let is_closed = |cell| world.is_solid(cell) || world.units(cell) == 7;
                let is_loaded = |cell| world.voxel(cell).is_some();
                assert_eq!(closed.contains(index), is_loaded(cell) && is_closed(cell), "{cell}");
                let above = cell + IVec3::Y;
                let is_wet = world.units(cell) > 0 && !world.is_sea(cell);
                let is_surface = is_wet && is_loaded(above) && !is_closed(above);
                assert_eq!(surface.contains(index), is_surface, "{cell}");
            }
        }
    }
}
