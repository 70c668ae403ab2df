//! Whether bodies of water are level: a flood fill of each, and the surfaces in it.

use super::cells::{Cell, Cells};
use crate::Face;
use crate::water::WaterWorld;
use glam::IVec3;

/// A surface, in units above y = 0, and its cell.
type Surface = (i64, [i32; 3]);

/// Returns the highest surface of a body of water that is not level within one unit, and the lowest
/// place to which it could flow; `None` if all bodies are level.
pub(super) fn unlevel(world: &WaterWorld) -> Option<(Surface, Surface)> {
    let cells = Cells::of(world);
    let mut is_met = vec![false; cells.contents.len()];
    let wet = cells.region.positions().zip(&cells.contents).filter(|(_, is)| is.height() > 0);
    let mut bodies = wet.filter_map(|(start, _)| surfaces(&cells, start, &mut is_met));
    bodies.find(|(highest, lowest)| highest.0 > lowest.0 + 1)
}

/// Returns the highest surface of the body at a wet cell, and the lowest place with room in it or
/// in the dry cells into which it could flow; `None` if the body was met before, or nothing has
/// room.
fn surfaces(cells: &Cells, start: IVec3, is_met: &mut [bool]) -> Option<(Surface, Surface)> {
    let (mut tops, mut rooms): (Vec<Surface>, Vec<Surface>) = (Vec::new(), Vec::new());
    let mut found = vec![start];
    while let Some(cell) = found.pop() {
        let Some(slot) = cells.slot(cell).filter(|&slot| !is_met[slot]) else { continue };
        let height = cells.contents[slot].height();
        let surface =
            |cell: IVec3, height: u8| (7 * i64::from(cell.y) + i64::from(height), cell.to_array());
        is_met[slot] = true;
        tops.push(surface(cell, height));
        rooms.extend((height < 7).then(|| surface(cell, height)));
        for face in Face::ALL {
            let Some(there) = face.step(cell) else { continue };
            let Ok(Cell::Open { height: next, .. }) = cells.at(there) else { continue };
            let is_joined = match face {
                Face::Up => height == 7,
                Face::Down => next == 7,
                _ => true,
            };
            if is_joined && next > 0 {
                found.push(there);
            } else if face != Face::Up {
                rooms.push(surface(there, next));
            }
        }
    }
    Some((tops.into_iter().max()?, rooms.into_iter().min()?))
}
