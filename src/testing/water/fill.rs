//! The cells that springs fill in a world that no water leaves, by a search along the ways of their
//! water.

use super::cells::{Cell, Cells};
use crate::Face;
use glam::IVec3;

/// Returns the open cells below a spring to which its water can come in a world that no water
/// leaves. In time, these cells are all full, except films that slope by a unit from cell to cell.
///
/// Water moves down and sideways, and up below the height of the spring: a spring presses water no
/// higher than its own floor. No water passes the cell of another spring, which is full of its own
/// water.
pub(super) fn below_springs(cells: &Cells) -> Vec<IVec3> {
    let is_below = |height: i32| move |cell: &IVec3| cell.y < height;
    let springs = || cells.region.positions().filter(|&cell| is_spring(cells, cell));
    let mut is_below_any = vec![false; cells.contents.len()];
    let mut heights: Vec<i32> = springs().map(|spring| spring.y).collect();
    heights.sort_unstable();
    heights.dedup();
    for height in heights {
        let start = springs().filter(|spring| spring.y == height).collect();
        for cell in reached(cells, start, height).into_iter().filter(is_below(height)) {
            is_below_any[cells.slot(cell).expect("a cell of the world")] = true;
        }
    }
    let found = cells.region.positions().zip(is_below_any).filter(|&(_, is_below)| is_below);
    found.map(|(cell, _)| cell).collect()
}

fn is_spring(cells: &Cells, cell: IVec3) -> bool {
    cells.at(cell).is_ok_and(Cell::is_source)
}

/// Returns the cells that the water of springs at a height reaches.
fn reached(cells: &Cells, mut found: Vec<IVec3>, height: i32) -> Vec<IVec3> {
    let (mut is_met, mut reached) = (vec![false; cells.contents.len()], Vec::new());
    while let Some(cell) = found.pop() {
        let slot = cells.slot(cell).expect("a cell of the world");
        if std::mem::replace(&mut is_met[slot], true) {
            continue;
        }
        reached.push(cell);
        let takes = |there: &IVec3| {
            matches!(cells.at(*there), Ok(Cell::Open { source: false, .. }))
                && (there.y <= cell.y || there.y < height)
        };
        found.extend(Face::ALL.into_iter().filter_map(|face| face.step(cell)).filter(takes));
    }
    reached
}
