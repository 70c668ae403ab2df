//! Vertices, and lists of quadrilaterals made of them.

use floodplain::Face;
use floodplain::glam::{IVec3, Vec3};

/// A vertex that has its colour.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    pub at: [f32; 3],
    /// Red, green, blue and how opaque.
    pub colour: [u8; 4],
}

impl Flat {
    pub fn new(at: Vec3, colour: [u8; 4]) -> Flat {
        Flat { at: at.to_array(), colour }
    }
}

/// A vertex of the surface of water.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wet {
    pub at: [f32; 3],
    pub normal: [f32; 3],
    /// The depth of water below it in sixteenths of a cell, foam from 0 to 255, and nothing.
    pub looks: [u8; 4],
}

/// Quadrilaterals of coloured vertices, four each, counterclockwise as seen from their front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatMesh(pub Vec<Flat>);

impl FlatMesh {
    /// Adds a quadrilateral of one colour.
    pub fn add(&mut self, Quad(corners): Quad, colour: [u8; 4]) {
        self.0.extend(corners.map(|at| Flat::new(at, colour)));
    }

    /// Adds the six sides of a box.
    pub fn add_box(&mut self, low: Vec3, high: Vec3, colour: [u8; 4]) {
        for face in Face::ALL {
            // From above it is brightest.
            let light = match face {
                Face::Up => 256,
                Face::Down => 130,
                Face::West | Face::East => 200,
                Face::North | Face::South => 170,
            };
            let [red, green, blue, opaque] = colour;
            let shade = |part: u8| (u32::from(part) * light / 256) as u8;
            let colour = [shade(red), shade(green), shade(blue), opaque];
            let corners = Quad::of_face(IVec3::ZERO, face, 0.0).0;
            self.add(Quad(corners.map(|at| low + (high - low) * at)), colour);
        }
    }
}

/// The corners of a quadrilateral, counterclockwise as seen from its front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad(pub [Vec3; 4]);

impl Quad {
    /// Returns a face of a cell, moved out by so much.
    pub fn of_face(cell: IVec3, face: Face, out: f32) -> Quad {
        let at = cell.as_vec3() + face.offset().as_vec3() * out;
        Quad(corners(face).map(|corner| at + corner.as_vec3()))
    }
}

/// Returns the corners of a face of the cell at the origin, counterclockwise from outside.
pub fn corners(face: Face) -> [IVec3; 4] {
    let corners = match face {
        Face::West => [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
        Face::East => [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]],
        Face::Down => [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
        Face::Up => [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]],
        Face::North => [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]],
        Face::South => [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
    };
    corners.map(IVec3::from_array)
}

/// Returns a colour in bytes, of parts from 0 to 1.
pub fn rgba(colour: Vec3, opaque: f32) -> [u8; 4] {
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    [byte(colour.x), byte(colour.y), byte(colour.z), byte(opaque)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_counterclockwise_from_outside() {
        for face in Face::ALL {
            let [a, b, c, d] = corners(face).map(|corner| corner.as_vec3());
            assert_eq!((b - a).cross(c - b), face.offset().as_vec3(), "{face:?}");
            assert_eq!(a + c, b + d, "a parallelogram");
        }
    }

    #[test]
    fn a_box_has_six_sides_of_four_vertices() {
        let mut mesh = FlatMesh::default();
        mesh.add_box(Vec3::splat(1.0), Vec3::new(2.0, 5.0, 3.0), [100, 100, 100, 255]);
        assert_eq!(mesh.0.len(), 24);
        assert!(mesh.0.iter().all(|vertex| (1.0..=5.0).contains(&vertex.at[1])));
    }
}
