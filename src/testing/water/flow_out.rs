//! Whether steady flow leads to an end of the world: a search back from the ends.

use super::cells::{Cell, Cells};
use super::ends::Ends;
use crate::water::{Edge, WaterCell, WaterWorld};
use crate::{Cube, Face, Shape};
use glam::IVec3;

/// Returns a cell with FlowOut that is not joined to an end by cells with FlowOut; `None` if there
/// is no such cell. Cells in frozen chunks stand still and keep the flag, so they do not count.
pub(super) fn without_end(world: &WaterWorld, cells: &Cells, ends: &Ends) -> Option<IVec3> {
    let has_flag = |cell: IVec3| world.cell(cell).is_some_and(WaterCell::has_flow_out);
    let passed: Vec<IVec3> = cells.region.positions().filter(|&cell| has_flag(cell)).collect();
    // Above its level, the sea beyond an edge is an end like a drain.
    let drains = |cell: IVec3, face: Face| {
        let is_loaded = face.step(cell).is_some_and(|there| cells.at(there).is_ok());
        !is_loaded
            && match ends.beyond(cell, face) {
                Edge::Drain => true,
                Edge::Level(level) => cell.y > level,
                Edge::Wall | Edge::Held => false,
            }
    };
    let is_end = |cell: &&IVec3| Face::ALL.into_iter().any(|face| drains(**cell, face));
    let mut found: Vec<IVec3> = passed.iter().filter(is_end).copied().collect();
    let mut is_joined = vec![false; cells.contents.len()];
    while let Some(cell) = found.pop() {
        let Some(slot) = cells.slot(cell).filter(|&slot| !is_joined[slot]) else { continue };
        is_joined[slot] = true;
        let beside = Face::ALL.into_iter().filter_map(|face| face.step(cell));
        found.extend(
            beside.filter(|&there| {
                matches!(cells.at(there), Ok(Cell::Open { .. })) && has_flag(there)
            }),
        );
    }
    let is_lost = |cell: &IVec3| {
        let is_frozen = cells.frozen.contains(&Cube::chunk_of(*cell));
        !is_frozen && cells.slot(*cell).is_some_and(|slot| !is_joined[slot])
    };
    passed.into_iter().find(is_lost)
}
