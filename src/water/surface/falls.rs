//! Falls: water that nothing holds up, and water of springs that passes through empty cells.

use crate::chunk::LAYER_CELLS;
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::water::cell::FULL;
use crate::water::feed::Look;
use crate::water::surface::corners::{Neighbourhood, Plane};
use crate::water::surface::view::WaterView;
use glam::IVec3;

/// Falling water: cells of a chunk one above another with the same direction and thickness. See
/// [`WaterView::falls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fall {
    /// The lowest cell.
    pub lowest: IVec3,
    /// The number of cells, 1 to 16.
    pub cells: u8,
    /// Where the water is heading: down, or the direction of its path through empty cells.
    pub direction: Face,
    /// For cells with water, their height, 1 to 7; for empty cells, their
    /// [`WaterCell::largest`](crate::water::WaterCell::largest), 0 to 7 units a tick.
    pub units: u8,
}

impl Fall {
    /// Returns the thickness of the fall as it is drawn, 0 to 1 cell: a seventh for each unit.
    pub fn thickness(&self) -> f32 {
        f32::from(self.units) / f32::from(FULL)
    }
}

/// See [`WaterView::falls`].
pub(super) fn falls(view: &(impl WaterView + ?Sized), chunk: ChunkPos) -> Vec<Fall> {
    let mut falls: Vec<Fall> = Vec::new();
    let Some(cells) = view.looks(chunk) else { return falls };
    let (chunks, wet) = (Neighbourhood::of(view, chunk), view.wet_layers(chunk));
    // The fall that each column has in the layer below, by its place in the list.
    let mut below: [Option<usize>; LAYER_CELLS] = [None; LAYER_CELLS];
    for layer in 0..16 {
        if wet >> layer & 1 == 0 {
            below.fill(None);
            continue;
        }
        let planes = [-1, 0, 1].map(|offset| chunks.plane(layer as i32 + offset));
        for (column, below) in below.iter_mut().enumerate() {
            let index = layer << 8 | column;
            let Some((direction, units)) = falling(cells.get(index), &planes, column) else {
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

/// Returns the direction and thickness of the fall in a cell (`column`, 0 to 255, of the middle one
/// of three layers), if there is one.
fn falling(look: Look, [below, here, above]: &[Plane; 3], column: usize) -> Option<(Face, u8)> {
    if let Some(units) = look.passing() {
        return Some((look.direction()?, units));
    }
    if !look.may_flow() {
        return None;
    }
    let (x, z) = ((column & 15) as i32, (column >> 4) as i32);
    let is_beside_air = || {
        let mut beside = Face::LATERAL.into_iter().map(Face::offset);
        beside.any(|side| here.is_air(x + side.x, z + side.z))
    };
    let is_within_water = above.is_wet(x, z) && below.is_wet(x, z);
    let falls = below.has_room(x, z) || is_within_water && is_beside_air();
    falls.then_some((Face::Down, look.height()))
}
