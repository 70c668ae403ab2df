//! How crates and boats look.

use super::mesh::{FlatMesh, Quad};
use crate::model::floats::{Craft, Float};
use floodplain::glam::Vec3;

const PLANKS: [u8; 3] = [158, 110, 64];
const EDGES: [u8; 3] = [104, 70, 42];
const HULL: [u8; 3] = [176, 66, 46];
const DECK: [u8; 3] = [196, 150, 96];
const SAIL: [u8; 3] = [246, 240, 226];

/// Adds a float to a mesh, as it lies in the water at a moment.
pub fn add_to(mesh: &mut FlatMesh, float: &Float, seconds: f32) {
    let mut model = Model { mesh, float, rock: 0.06 * (1.7 * seconds + float.at.x).sin() };
    match float.craft {
        Craft::Crate => model.add_crate(),
        Craft::Boat => model.add_boat(),
    }
}

/// A float that is being drawn. Its x axis is ahead, its y axis upwards.
struct Model<'a> {
    mesh: &'a mut FlatMesh,
    float: &'a Float,
    /// How far it leans to one side, in radians.
    rock: f32,
}

impl Model<'_> {
    fn add_crate(&mut self) {
        self.add_box([-0.40, -0.40, -0.40], [0.40, 0.40, 0.40], PLANKS);
        for (a, b) in [(-0.43, -0.31), (0.31, 0.43)] {
            self.add_box([a, -0.43, -0.43], [b, 0.43, 0.43], EDGES);
            self.add_box([-0.43, a, -0.43], [0.43, b, 0.43], EDGES);
        }
    }

    fn add_boat(&mut self) {
        // The hull: a stern, and a bow that is drawn together.
        let (low, high) = (-0.45, 0.25);
        let outline = [(-1.25, 0.52), (0.55, 0.62), (1.55, 0.0), (0.55, -0.62), (-1.25, -0.52)];
        let keel = |(x, z): (f32, f32)| Vec3::new(x * 0.86, low, z * 0.6);
        let rail = |(x, z): (f32, f32)| Vec3::new(x, high, z);
        for side in 0..5 {
            let (a, b) = (outline[side], outline[(side + 1) % 5]);
            let light = [1.0, 0.86, 0.8, 0.7, 0.75][side];
            self.add([keel(a), keel(b), rail(b), rail(a)], shade(HULL, light));
            self.add([rail(a), rail(b), keel(b), keel(a)], shade(HULL, 0.55));
        }
        let deck = outline.map(|(x, z)| Vec3::new(x * 0.9, 0.08, z * 0.88));
        self.add([deck[4], deck[0], deck[1], deck[3]], DECK);
        self.add([deck[3], deck[1], deck[2], deck[2]], DECK);
        self.add_box([-0.75, 0.08, -0.5], [-0.5, 0.24, 0.5], EDGES);
        self.add_box([0.28, 0.05, -0.05], [0.38, 2.3, 0.05], EDGES);
        let sail = [[0.26, 0.55, 0.02], [-1.05, 0.6, 0.22], [0.26, 2.2, 0.02], [0.26, 2.2, 0.02]];
        let sail = sail.map(Vec3::from_array);
        self.add(sail, SAIL);
        self.add([sail[3], sail[2], sail[1], sail[0]], shade(SAIL, 0.86));
    }

    fn add_box(&mut self, low: [f32; 3], high: [f32; 3], colour: [u8; 3]) {
        let [red, green, blue] = colour;
        let mut parts = FlatMesh::default();
        let (low, high) = (Vec3::from_array(low), Vec3::from_array(high));
        parts.add_box(low, high, [red, green, blue, 255]);
        for vertex in &mut parts.0 {
            vertex.at = self.place(Vec3::from_array(vertex.at)).to_array();
        }
        self.mesh.0.append(&mut parts.0);
    }

    fn add(&mut self, corners: [Vec3; 4], [red, green, blue]: [u8; 3]) {
        let corners = corners.map(|at| self.place(at));
        self.mesh.add(Quad(corners), [red, green, blue, 255]);
    }

    /// Returns where a point of the float lies in the world.
    fn place(&self, Vec3 { x, y, z }: Vec3) -> Vec3 {
        let (lean, level) = self.rock.sin_cos();
        let (y, z) = (y * level - z * lean, y * lean + z * level);
        let (sin, cos) = self.float.heading.sin_cos();
        let scale = match self.float.craft {
            Craft::Crate => 1.0,
            Craft::Boat => 1.5,
        };
        self.float.at + scale * Vec3::new(x * cos - z * sin, y, x * sin + z * cos)
    }
}

fn shade(colour: [u8; 3], light: f32) -> [u8; 3] {
    colour.map(|part| (f32::from(part) * light) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::floats::Floats;
    use floodplain::glam::IVec3;

    #[test]
    fn all_of_a_float_lies_round_its_middle() {
        let mut floats = Floats::default();
        floats.add(Craft::Boat, IVec3::new(10, 10, 10));
        floats.add(Craft::Crate, IVec3::new(10, 10, 10));
        for float in floats.iter() {
            let mut mesh = FlatMesh::default();
            add_to(&mut mesh, float, 1.0);
            assert!(mesh.0.len() >= 4 * 20);
            let most = if float.craft == Craft::Boat { 3.7 } else { 0.8 };
            let is_near = |at: [f32; 3]| Vec3::from_array(at).distance(float.at) < most;
            assert!(mesh.0.iter().all(|vertex| is_near(vertex.at)));
        }
    }
}
