//! Falls: water that nothing holds up, and water that passes through empty cells.

use crate::chunk::LAYER_CELLS;
use crate::coords::{Cube, Face, Shape};
use crate::water::WaterWorld;
use crate::water::cell::FULL;
use crate::water::surface::corners::{Neighbourhood, Plane};
use crate::water::voxel::Voxel;
use glam::IVec3;

/// Falling water: cells of a chunk one above another with the same direction and thickness. See
/// [`WaterWorld::falls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fall {
    /// The lowest cell.
    pub lowest: IVec3,
    /// The number of cells, 1 to 16.
    pub cells: u8,
    /// Where the water is heading: down, or the direction in which it passes through empty cells.
    pub direction: Face,
    /// The height of cells with water, 1 to 7; of empty cells
    /// [`WaterCell::largest`](crate::water::WaterCell::largest), 0 to 7 units a tick.
    pub units: u8,
}

impl Fall {
    /// Returns the thickness of the fall as it is drawn, 0 to 1 cell: a seventh for each unit.
    pub fn thickness(&self) -> f32 {
        f32::from(self.units) / f32::from(FULL)
    }
}

impl WaterWorld {
    /// Returns the falls of a chunk, in order of their lowest cells: y slowest, then z, then x. A
    /// fall that goes on in the chunk below is continued among the falls of that chunk.
    ///
    /// A cell is part of a fall if
    ///
    /// - it holds water, and the cell below is open and not full; or
    /// - it holds water, as do the cells above and below it, and there is air at a side of it: a
    ///   full jet, or a wall of water that cannot stand; or
    /// - it holds no water between ticks, but water passes through it.
    ///
    /// The mesh shows cells with water above them as full ones; this is how thick they are. A world
    /// at rest has no falls, but for springs in the air that supply nothing. Like the mesh, falls
    /// depend on what [`take_changes`](WaterWorld::take_changes) lists within a cell of them, but
    /// for the direction in empty cells. While a tick is underway, they are those after the last
    /// complete one.
    ///
    /// ```
    /// use floodplain::water::{Fall, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, Face, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(3, Rules { source_supply: 2, ..Rules::lossless() })?;
    /// world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.add_source(IVec3::new(8, 12, 8))?;
    /// world.run(11);
    /// let lowest = IVec3::new(8, 1, 8);
    /// let fall = world.falls(IVec3::ZERO)[0];
    /// assert_eq!(fall, Fall { lowest, cells: 11, direction: Face::Down, units: 2 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn falls(&self, chunk: IVec3) -> Vec<Fall> {
        let mut falls: Vec<Fall> = Vec::new();
        let Some(slot) = self.store.grid().slot(chunk) else { return falls };
        let (chunks, cells) = (Neighbourhood::of(self, chunk), self.cells_before(slot));
        // The fall that each column has in the layer below, by its place in the list.
        let mut below: [Option<usize>; LAYER_CELLS] = [None; LAYER_CELLS];
        for layer in 0..16 {
            let is_inert = !self.store.has(slot, layer, |voxel| !voxel.is_inert());
            if is_inert && !self.is_in_tick(slot, layer) {
                below.fill(None);
                continue;
            }
            let planes = [-1, 0, 1].map(|offset| chunks.plane(layer as i32 + offset));
            for (column, below) in below.iter_mut().enumerate() {
                let index = layer << 8 | column;
                let voxel = cells.get(index);
                let Some((direction, units)) = falling(voxel, &planes, column) else {
                    *below = None;
                    continue;
                };
                let continued = below
                    .and_then(|at| falls.get_mut(at))
                    .filter(|fall| (fall.direction, fall.units) == (direction, units));
                if let Some(fall) = continued {
                    fall.cells += 1;
                } else {
                    *below = Some(falls.len());
                    let lowest = Cube::cell_at(chunk, index);
                    falls.push(Fall { lowest, cells: 1, direction, units });
                }
            }
        }
        falls
    }
}

/// Returns the direction and thickness of the fall in a cell (`column`, 0 to 255, of the middle one
/// of three layers), if there is one.
fn falling(voxel: Voxel, [below, here, above]: &[Plane; 3], column: usize) -> Option<(Face, u8)> {
    let water = voxel.cell()?;
    if water.height() == 0 {
        return Some((water.direction()?, water.largest()));
    }
    let (x, z) = ((column & 15) as i32, (column >> 4) as i32);
    let is_beside_air = || {
        let mut beside = Face::LATERAL.into_iter().map(Face::offset);
        beside.any(|side| here.is_air(x + side.x, z + side.z))
    };
    let is_within_water = above.is_wet(x, z) && below.is_wet(x, z);
    let falls = below.has_room(x, z) || is_within_water && is_beside_air();
    falls.then_some((Face::Down, water.height()))
}
