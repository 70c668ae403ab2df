//! Water as a height field: one depth over each column, and pipes to the columns beside it, in
//! which the difference of their surfaces speeds the water up (virtual pipes: O'Brien and Hodgins,
//! 1995; Mei, Decaudin and Hu, 2007). A column's ground is its highest block: what is below a roof
//! is not there.

use crate::scene::{self, Block, SIZE};
use floodplain::glam::IVec3;

/// Seconds of a step, and the acceleration of gravity in cells and seconds: a block is a metre.
pub const STEP: f32 = 0.025;
const GRAVITY: f32 = 9.81;
/// The share of its flow that a pipe keeps in a step: friction.
const KEPT: f32 = 0.995;

pub struct HeightField {
    /// The ground of each column and the water on it, in cells, x fastest.
    ground: Vec<f32>,
    depth: Vec<f32>,
    /// Cells a second through the pipes to the west, east, north and south.
    flow: Vec<[f32; 4]>,
}

const SIDES: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

impl HeightField {
    /// The scene before the breach.
    pub fn new() -> HeightField {
        let columns = (0..SIZE.z).flat_map(|z| (0..SIZE.x).map(move |x| (x, z)));
        let count = |wanted: fn(Block) -> bool| {
            let in_column = move |(x, z): (i32, i32)| {
                let cells = (0..SIZE.y).map(move |y| IVec3::new(x, y, z));
                cells.filter(move |&cell| wanted(scene::block(cell)))
            };
            columns.clone().map(in_column)
        };
        let is_ground = |block| !matches!(block, Block::Air | Block::Water);
        let top =
            |cells: &mut dyn Iterator<Item = IVec3>| cells.last().map_or(0, |cell| cell.y + 1);
        let ground = count(is_ground).map(|mut cells| top(&mut cells) as f32).collect();
        let depth: Vec<f32> =
            count(|block| block == Block::Water).map(|cells| cells.count() as f32).collect();
        let flow = vec![[0.0; 4]; depth.len()];
        HeightField { ground, depth, flow }
    }

    /// Takes the gap out of the dam.
    pub fn breach(&mut self) {
        for cell in scene::gap() {
            let column = (cell.x + SIZE.x * cell.z) as usize;
            self.ground[column] = self.ground[column].min(cell.y as f32);
        }
    }

    /// Runs one step.
    pub fn step(&mut self) {
        let columns: Vec<[Option<usize>; 4]> = (0..self.depth.len()).map(beside).collect();
        for (column, sides) in columns.iter().enumerate() {
            for (side, other) in sides.iter().enumerate() {
                let drop = other.map(|other| self.surface(column) - self.surface(other));
                let flow = self.flow[column][side] * KEPT + STEP * GRAVITY * drop.unwrap_or(0.0);
                self.flow[column][side] = if other.is_some() { flow.max(0.0) } else { 0.0 };
            }
            // No more flows out than there is.
            let out = self.flow[column].iter().sum::<f32>() * STEP;
            let share = (self.depth[column] / out.max(f32::MIN_POSITIVE)).min(1.0);
            self.flow[column].iter_mut().for_each(|flow| *flow *= share);
        }
        for (column, sides) in columns.iter().enumerate() {
            for (side, other) in sides.iter().enumerate() {
                let Some(other) = *other else { continue };
                let moved = self.flow[column][side] * STEP;
                self.depth[column] -= moved;
                self.depth[other] += moved;
            }
        }
    }

    fn surface(&self, column: usize) -> f32 {
        self.ground[column] + self.depth[column]
    }

    /// Returns the share of a cell that is water.
    pub fn share(&self, cell: IVec3) -> f32 {
        let column = (cell.x + SIZE.x * cell.z) as usize;
        let above = cell.y as f32 - self.ground[column];
        if above < 0.0 { 0.0 } else { (self.depth[column] - above).clamp(0.0, 1.0) }
    }

    /// Returns all water, in cells.
    pub fn total(&self) -> f64 {
        self.depth.iter().map(|&depth| f64::from(depth)).sum()
    }
}

/// The columns beside one; `None` beyond the edge.
fn beside(column: usize) -> [Option<usize>; 4] {
    let (x, z) = (column as i32 % SIZE.x, column as i32 / SIZE.x);
    SIDES.map(|[dx, dz]| {
        let (x, z) = (x + dx, z + dz);
        let is_inside = (0..SIZE.x).contains(&x) && (0..SIZE.z).contains(&z);
        is_inside.then_some((x + SIZE.x * z) as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lake_stands_still_until_the_breach_and_then_runs_out() {
        let mut field = HeightField::new();
        let lake = field.total();
        (0..100).for_each(|_| field.step());
        assert_eq!(field.total(), lake);
        assert_eq!(field.share(IVec3::new(13, 11, 13)), 1.0);
        field.breach();
        (0..400).for_each(|_| field.step());
        assert!((field.total() / lake - 1.0).abs() < 1e-3);
        assert_eq!(field.share(IVec3::new(13, 11, 13)), 0.0);
        assert!(field.share(IVec3::new(24, 1, 9)) > 0.9, "the pit is full");
    }
}
