//! What is drawn of a chunk's water: its surface, white where it runs fast, and its falls.

use crate::triangles::Triangles;
use bevy::prelude::*;
use floodplain::water::{Fall, FlowField, WaterView};
use floodplain::{ChunkPos, Cube, Face, Shape};

/// Still water, foam, and water that passes through empty cells.
const WATER: Vec4 = Vec4::new(0.03, 0.16, 0.36, 0.80);
const FOAM: Vec4 = Vec4::new(0.75, 0.85, 0.92, 0.92);
const FALL: Vec4 = Vec4::new(0.55, 0.70, 0.82, 0.35);
/// Cells a tick from which on water is white all over, and up to which it is not.
const WHITE: f32 = 0.35;
const CLEAR: f32 = 0.08;
/// Cells that the thickest sheet is high.
const SHEET: f32 = 0.25;

/// Returns the surface and the falls of a chunk's water.
pub fn of(water: &impl WaterView, flow: &FlowField, chunk: ChunkPos) -> Triangles {
    let surface = water.surface_mesh(chunk, Some(flow));
    let arrays = |vectors: Vec<Vec3>| vectors.into_iter().map(|vector| vector.to_array());
    let mut triangles = Triangles {
        positions: arrays(surface.positions).collect(),
        normals: arrays(surface.normals).collect(),
        colours: surface.flow.into_iter().map(|flow| colour(flow.length())).collect(),
        indices: surface.indices,
    };
    for fall in water.falls(chunk) {
        // The surface shows the cells that hold water, as full ones; a fall is what it leaves out.
        let is_dry = water.units(fall.lowest) == 0;
        if is_dry && fall.units > 0 {
            add_fall(&mut triangles, &fall, chunk);
        }
    }
    triangles
}

/// Returns the colour of water with the speed, in cells a tick.
fn colour(speed: f32) -> [f32; 4] {
    let foam = ((speed - CLEAR) / (WHITE - CLEAR)).clamp(0.0, 1.0);
    WATER.lerp(FOAM, foam).to_array()
}

/// Adds water that passes through empty cells: a column as wide as it is thick, or the top of a
/// sheet.
fn add_fall(triangles: &mut Triangles, fall: &Fall, chunk: ChunkPos) {
    let low = (fall.lowest - Cube::cell_at(chunk, 0)).as_vec3();
    let high = low + Vec3::new(1.0, f32::from(fall.cells), 1.0);
    let thickness = fall.thickness();
    if fall.direction.offset().y == 0 {
        let high = high.with_y(low.y + SHEET * thickness);
        return triangles.add_face(low, high, Face::Up, WATER.to_array());
    }
    let margin = Vec3::new(1.0, 0.0, 1.0) * 0.4 * (1.0 - thickness);
    for face in Face::ALL {
        triangles.add_face(low + margin, high - margin, face, FALL.to_array());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valley;

    #[test]
    fn a_still_lake_is_clear_and_has_no_falls() {
        let world = valley::world().expect("the valley is valid");
        let lake = of(&world, &FlowField::new(), ChunkPos::new(1, 2, 1));
        assert!(lake.colours.iter().all(|&colour| colour == WATER.to_array()));
        let top = |position: &[f32; 3]| position[1] == 3.0;
        assert!(!lake.positions.is_empty() && lake.positions.iter().all(top));
    }

    #[test]
    fn fast_water_is_white() {
        assert_eq!(
            [0.0, CLEAR, WHITE, 2.0].map(colour).map(|colour| colour[0]),
            [WATER.x, WATER.x, FOAM.x, FOAM.x]
        );
        assert!((WATER.x..FOAM.x).contains(&colour(0.2)[0]));
    }

    #[test]
    fn falls_are_as_wide_as_they_are_thick() {
        let size = |direction: Face, units: u8| {
            let mut triangles = Triangles::default();
            let fall = Fall { lowest: IVec3::new(17, 1, 2), cells: 3, direction, units };
            add_fall(&mut triangles, &fall, ChunkPos::new(1, 0, 0));
            let corners = triangles.positions.iter().map(|&corner| Vec3::from(corner));
            let (low, high) = corners.fold((Vec3::MAX, Vec3::MIN), |(low, high), corner| {
                (low.min(corner), high.max(corner))
            });
            assert!(low.cmpge(Vec3::new(1.0, 1.0, 2.0)).all());
            high - low
        };
        assert_eq!(size(Face::Down, 7), Vec3::new(1.0, 3.0, 1.0));
        assert!(size(Face::Down, 1).x < size(Face::Down, 6).x);
        assert_eq!(size(Face::East, 7), Vec3::new(1.0, 0.0, 1.0), "the top of a sheet");
    }
}
