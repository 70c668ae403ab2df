//! The water seen from above, column by column, updated from the cells that changed.

use crate::ground::Ground;
use floodplain::ChunkChanges;
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;
use floodplain::{Cube, Shape};
use rayon::prelude::*;

/// The water over one column of ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Water {
    /// Units, seven to a voxel.
    pub depth: u16,
    /// The strongest current in the column, in units a tick.
    pub current: u8,
}

pub struct View {
    pub water: Vec<Water>,
    /// The highest cell of each column through which water from a neighbour can fall.
    lips: Vec<i32>,
}

impl View {
    pub fn new(ground: &Ground) -> View {
        let sides = [IVec3::X, IVec3::NEG_X, IVec3::Z, IVec3::NEG_Z];
        let inside = |cell: &IVec3| {
            (0..ground.width).contains(&cell.x) && (0..ground.depth).contains(&cell.z)
        };
        let lip = |column: usize| {
            let cell = ground.open_cell(column);
            let beside = sides.into_iter().map(|side| cell + side).filter(inside);
            beside
                .map(|cell| ground.open_cell(ground.column(cell.x, cell.z)).y)
                .fold(cell.y, i32::max)
        };
        View {
            water: vec![Water::default(); ground.columns()],
            lips: (0..ground.columns()).map(lip).collect(),
        }
    }

    /// Reads the columns again in which a cell changed, and those with a current, since a current
    /// can end without a change. A current that begins raises a cell's activity, which cannot be
    /// seen in the water, so all changes are asked for.
    pub fn update(&mut self, ground: &Ground, world: &mut WaterWorld) {
        let mut stale: Vec<bool> = self.water.iter().map(|water| water.current > 0).collect();
        for changes in world.take_all_changes() {
            let corner = Cube::cell_at(changes.chunk, 0);
            for (word, bits) in columns_of(&changes).into_iter().enumerate() {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    let at = (word * 64 + bit) as i32;
                    let (x, z) = (corner.x + (at & 15), corner.z + (at >> 4));
                    if x < ground.width && z < ground.depth {
                        stale[ground.column(x, z)] = true;
                    }
                }
            }
        }
        let world = &*world;
        let updated = |column: usize| {
            if stale[column] { self.read(column, ground, world) } else { self.water[column] }
        };
        self.water = (0..self.water.len()).into_par_iter().map(updated).collect();
    }

    fn read(&self, column: usize, ground: &Ground, world: &WaterWorld) -> Water {
        let mut water = Water::default();
        let mut cell = ground.open_cell(column);
        loop {
            let height = world.units(cell);
            if height == 0 && cell.y > self.lips[column] {
                return water;
            }
            water.depth = water.depth.saturating_add(u16::from(height));
            let current = world.current(cell).abs();
            water.current = water.current.max(current.max_element() as u8);
            cell.y += 1;
        }
    }
}

/// The columns of a chunk with a change at any height: bit `x + 16·z`.
fn columns_of(changes: &ChunkChanges) -> [u64; 4] {
    let mut columns = [0; 4];
    for layer in changes.cells.words().as_chunks::<4>().0 {
        for (column, bits) in columns.iter_mut().zip(layer) {
            *column |= bits;
        }
    }
    columns
}
