//! Heights and slopes of the surface at the corners of cells, and a layer of a chunk with the rim
//! that its corners need.

use crate::coords::ChunkPos;
use crate::water::cell::FULL;
use crate::water::surface::view::{BEYOND, ChunkLooks, GROUND, WaterView};
use glam::{IVec3, Vec2};

/// The part of a cell that its corners depend on: its units of water, 0 if it is dry, and whether
/// there is water above it.
#[derive(Clone, Copy, Default)]
pub(super) struct Column {
    pub(super) units: u8,
    pub(super) is_covered: bool,
}

impl Column {
    fn surface_units(self) -> u8 {
        if self.is_covered { FULL } else { self.units }
    }
}

/// Returns the height of the surface above the bottom of the layer, 1/7 to 1, at the corner between
/// four cells: north-west, north-east, south-west, south-east. `None` if all are dry.
pub(super) fn height(round: [Column; 4]) -> Option<f32> {
    let wet = || round.iter().filter(|column| column.units > 0);
    if wet().any(|column| column.is_covered) {
        return Some(1.0);
    }
    let units: u32 = wet().map(|column| u32::from(column.units)).sum();
    // Dividend and divisor are exact, so corners with the same mean have the same bits.
    (units > 0).then(|| units as f32 / (u32::from(FULL) * wet().count() as u32) as f32)
}

/// Returns the slope of the surface at the corner between four cells, along x and z: the mean
/// height of the cells on one side less the mean on the other; 0 along an axis that has water on
/// one side only.
pub(super) fn slope([nw, ne, sw, se]: [Column; 4]) -> Vec2 {
    let mean = |pair: [Column; 2]| {
        let wet = || pair.iter().filter(|column| column.units > 0);
        let units: u32 = wet().map(|column| u32::from(column.surface_units())).sum();
        (units > 0).then(|| units as f32 / (u32::from(FULL) * wet().count() as u32) as f32)
    };
    let rise = |from, to| match (mean(from), mean(to)) {
        (Some(from), Some(to)) => to - from,
        _ => 0.0,
    };
    Vec2::new(rise([nw, sw], [ne, se]), rise([nw, ne], [sw, se]))
}

/// Returns the cell at an offset within its layer; dry if there is none.
pub(super) fn column_at(view: &(impl WaterView + ?Sized), cell: IVec3, x: i32, z: i32) -> Column {
    let (Some(x), Some(z)) = (cell.x.checked_add(x), cell.z.checked_add(z)) else {
        return Column::default();
    };
    let cell = IVec3::new(x, cell.y, z);
    let above = cell.y.checked_add(1).map(|y| cell.with_y(y));
    Column { units: view.units(cell), is_covered: above.is_some_and(|above| view.units(above) > 0) }
}

/// See [`WaterView::surface_corner`].
pub(super) fn surface_corner(view: &(impl WaterView + ?Sized), cell: IVec3) -> Option<f32> {
    height([(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|(x, z)| column_at(view, cell, x, z)))
}

/// Cells along an axis of a plane: 16 of the chunk, and one of a neighbour on either side.
const SIDE: usize = 18;

/// A layer of a chunk with a rim of its neighbours. Coordinates are −1 to 16.
pub(super) struct Plane {
    /// The units of each cell, or a mark above [`FULL`]; by z and x, from −1 on.
    units: [[u8; SIDE]; SIDE],
    /// The cells with water, by z; bit 0 is the cell with x = −1.
    wet: [u32; SIDE],
    /// The open cells without water.
    air: [u32; SIDE],
}

impl Plane {
    fn of(units: [[u8; SIDE]; SIDE]) -> Plane {
        let rows = |is_in: fn(u8) -> bool| {
            units.map(|row| {
                (0..).zip(row).fold(0, |bits, (x, units)| bits | u32::from(is_in(units)) << x)
            })
        };
        Plane {
            units,
            wet: rows(|units| (1..=FULL).contains(&units)),
            air: rows(|units| units == 0),
        }
    }

    fn get(&self, x: i32, z: i32) -> u8 {
        self.units[(z + 1) as usize][(x + 1) as usize]
    }

    /// Returns whether there is water at x and z.
    pub(super) fn is_wet(&self, x: i32, z: i32) -> bool {
        self.wet[(z + 1) as usize] >> (x + 1) & 1 != 0
    }

    /// Returns the cells of a row with water, by bit, from x = −1 on.
    pub(super) fn wet(&self, z: i32) -> u32 {
        self.wet[(z + 1) as usize]
    }

    /// Returns the cells of a row with air, open space without water, by bit, from x = −1 on.
    pub(super) fn air(&self, z: i32) -> u32 {
        self.air[(z + 1) as usize]
    }

    /// Returns whether there is air at x and z.
    pub(super) fn is_air(&self, x: i32, z: i32) -> bool {
        self.air(z) >> (x + 1) & 1 != 0
    }

    /// Returns whether there is an open cell at x and z that is not full.
    pub(super) fn has_room(&self, x: i32, z: i32) -> bool {
        self.get(x, z) < FULL
    }

    /// Returns whether there is ground at x and z.
    pub(super) fn is_ground(&self, x: i32, z: i32) -> bool {
        self.get(x, z) == GROUND
    }
}

/// Returns the cell at x and z, each −1 to 16, with the values that its corners depend on.
pub(super) fn column(here: &Plane, above: &Plane, x: i32, z: i32) -> Column {
    let units = if here.is_wet(x, z) { here.get(x, z) } else { 0 };
    Column { units, is_covered: above.is_wet(x, z) }
}

/// A chunk and the chunks around it that are loaded.
pub(super) struct Neighbourhood<'v>([[[Option<ChunkLooks<'v>>; 3]; 3]; 3]);

impl<'v> Neighbourhood<'v> {
    /// Returns a chunk and the chunks around it. The chunk's position must be in the `i32` range of
    /// cells.
    pub(super) fn of(view: &'v (impl WaterView + ?Sized), chunk: ChunkPos) -> Self {
        let along = [-1, 0, 1];
        let at = |x, y, z| view.looks(chunk + IVec3::new(x, y, z));
        Neighbourhood(along.map(|y| along.map(|z| along.map(|x| at(x, y, z)))))
    }

    /// Returns a layer, −1 to 16 from the bottom of the middle chunk.
    pub(super) fn plane(&self, layer: i32) -> Plane {
        let (chunks, y) = (&self.0[third(layer)], within(layer));
        let mut plane = [[BEYOND; SIDE]; SIDE];
        for (z, row) in (-1..).zip(&mut plane) {
            let start = y << 8 | within(z) << 4;
            let [west, middle, east] = &chunks[third(z)];
            row[0] = west.as_ref().map_or(BEYOND, |chunk| chunk.units(start | 15));
            if let Some(chunk) = middle {
                row[1..17].copy_from_slice(&chunk.row(start));
            }
            row[17] = east.as_ref().map_or(BEYOND, |chunk| chunk.units(start));
        }
        Plane::of(plane)
    }
}

/// Returns which of three chunks a coordinate of −1 to 16 is in.
pub(super) fn third(local: i32) -> usize {
    ((local >> 4) + 1) as usize
}

/// Returns where in its chunk a coordinate of −1 to 16 is, 0 to 15.
pub(super) fn within(local: i32) -> usize {
    (local & 15) as usize
}
