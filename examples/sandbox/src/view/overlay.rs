//! What can be laid over the picture to see how water, soil and pressure work, and the marks for
//! it.

use super::mesh::{Flat, FlatMesh, Quad, rgba};
use super::scene::Scene;
use crate::model::materials::AIR;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::World;
use floodplain::{CellMask, ChunkPos, Cube, Face, Shape};

/// A property of cells that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    #[default]
    None,
    /// Arrows: where the water of a cell goes.
    Direction,
    /// How lively a cell is.
    Activity,
    /// The largest flow of late.
    Largest,
    /// The cells that the next tick visits.
    Awake,
    /// Arrows: the flow of the last tick.
    Current,
    /// The moisture of soil.
    Humidity,
    /// Pressure in open cells.
    Pressure,
}

impl Overlay {
    pub const ALL: [Overlay; 8] = [
        Overlay::None,
        Overlay::Direction,
        Overlay::Activity,
        Overlay::Largest,
        Overlay::Awake,
        Overlay::Current,
        Overlay::Humidity,
        Overlay::Pressure,
    ];

    /// Returns its name in scripts and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Overlay::None => "none",
            Overlay::Direction => "direction",
            Overlay::Activity => "activity",
            Overlay::Largest => "largest",
            Overlay::Awake => "awake",
            Overlay::Current => "current",
            Overlay::Humidity => "humidity",
            Overlay::Pressure => "pressure",
        }
    }

    /// Returns the overlay of a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Overlay> {
        Overlay::ALL.into_iter().find(|overlay| overlay.name() == name)
    }

    /// Returns the one so many after it, round the list.
    pub fn after(self, by: i32) -> Overlay {
        let at = Overlay::ALL.iter().position(|&other| other == self).unwrap_or(0) as i32;
        Overlay::ALL[(at + by).rem_euclid(Overlay::ALL.len() as i32) as usize]
    }

    /// Returns the marks of a chunk. `awake` are its cells of water that are awake.
    pub fn mesh(self, world: &World, scene: &Scene, chunk: ChunkPos, awake: &CellMask) -> FlatMesh {
        let mut mesh = FlatMesh::default();
        for index in 0..floodplain::CHUNK_CELLS {
            let cell = Cube::cell_at(chunk, index);
            match self {
                Overlay::None => return mesh,
                Overlay::Humidity => add_humidity(&mut mesh, world, scene, cell),
                Overlay::Pressure => add_pressure(&mut mesh, world.pressure(cell), cell, 0.32),
                Overlay::Awake if awake.contains(index) => {
                    add_tile(&mut mesh, scene, cell, [255, 214, 60, 190]);
                }
                Overlay::Awake => {}
                _ if scene.is_surface(cell) => self.add_water(&mut mesh, world, scene, cell),
                _ => {}
            }
        }
        mesh
    }

    /// Adds the mark of a cell of water at the surface.
    fn add_water(self, mesh: &mut FlatMesh, world: &World, scene: &Scene, cell: IVec3) {
        let Some(water) = world.water().cell(cell) else { return };
        match self {
            Overlay::Direction => {
                if let Some(face) = water.direction() {
                    let colour = DIRECTIONS[face.index()];
                    add_arrow(mesh, scene, cell, face.offset().as_vec3(), colour);
                }
            }
            Overlay::Activity => add_tile(mesh, scene, cell, heat(water.active())),
            Overlay::Largest => add_tile(mesh, scene, cell, heat(water.largest())),
            Overlay::Current => {
                let current = world.water().current(cell).as_vec3();
                if current != Vec3::ZERO {
                    let strength = current.abs().max_element().min(7.0);
                    add_arrow(mesh, scene, cell, current / current.length(), heat(strength as u8));
                }
            }
            _ => {}
        }
    }
}

/// The least pressure that is shown.
const LEAST_PRESSURE: f32 = 2.0;

/// The colours of directions, by face.
const DIRECTIONS: [[u8; 4]; 6] = [
    [235, 80, 70, 235],
    [255, 190, 70, 235],
    [245, 245, 245, 235],
    [120, 120, 120, 235],
    [110, 210, 90, 235],
    [200, 110, 230, 235],
];

/// Returns the colour of a value from 0 to 7: from dark blue over green to red.
fn heat(value: u8) -> [u8; 4] {
    const STOPS: [[u8; 3]; 8] = [
        [38, 54, 110],
        [44, 104, 158],
        [40, 150, 140],
        [86, 184, 86],
        [176, 200, 66],
        [238, 190, 56],
        [236, 130, 48],
        [222, 62, 48],
    ];
    let [red, green, blue] = STOPS[usize::from(value.min(7))];
    [red, green, blue, 215]
}

/// Returns the height of the water of a cell above the bottom of the world.
fn level(scene: &Scene, cell: IVec3) -> f32 {
    cell.y as f32 + f32::from(scene.water(cell)) / 7.0 + 0.06
}

/// Adds a flat square on the water of a cell.
fn add_tile(mesh: &mut FlatMesh, scene: &Scene, cell: IVec3, colour: [u8; 4]) {
    let (x, y, z) = (cell.x as f32, level(scene, cell), cell.z as f32);
    let (low, high) = (0.08, 0.92);
    let corners = [(low, low), (low, high), (high, high), (high, low)];
    mesh.add(Quad(corners.map(|(dx, dz)| Vec3::new(x + dx, y, z + dz))), colour);
}

/// Adds an arrow on the water of a cell; a diamond for one that points up or down.
fn add_arrow(mesh: &mut FlatMesh, scene: &Scene, cell: IVec3, ahead: Vec3, colour: [u8; 4]) {
    let middle = Vec3::new(cell.x as f32 + 0.5, level(scene, cell), cell.z as f32 + 0.5);
    let flat = Vec3::new(ahead.x, 0.0, ahead.z);
    let (front, back) = match flat.length() {
        length if length > 0.3 => (flat / length * 0.46, 0.40),
        _ => (Vec3::X * 0.26, 1.0),
    };
    let side = Vec3::new(-front.z, 0.0, front.x) * if back < 1.0 { 0.72 } else { 1.0 };
    let corners = [front, -side - front * (1.0 - back), -front * back, side - front * (1.0 - back)];
    // An arrow head: its back is drawn in.
    mesh.add(Quad(corners.map(|off| middle + off)), colour);
}

/// Adds the shown faces of a permeable cell, coloured by its moisture.
fn add_humidity(mesh: &mut FlatMesh, world: &World, scene: &Scene, cell: IVec3) {
    let Some(share) = scene.share_of_moisture(world, cell) else { return };
    let (dry, wet) = (Vec3::new(214.0, 170.0, 96.0), Vec3::new(24.0, 70.0, 190.0));
    let colour = dry.lerp(wet, share.sqrt());
    let colour = [colour.x as u8, colour.y as u8, colour.z as u8, 225];
    for face in Face::ALL {
        if face != Face::Down && scene.material(cell + face.offset()) == AIR {
            mesh.add(Quad::of_face(cell, face, 0.02), colour);
        }
    }
}

/// Adds two crossed sheets for the pressure of a cell, red above that of air and blue below it, at
/// most so opaque.
pub fn add_pressure(mesh: &mut FlatMesh, pressure: f32, cell: IVec3, opaque: f32) {
    if pressure.abs() < LEAST_PRESSURE {
        return;
    }
    let strength = (pressure.abs() / 60.0).sqrt().min(1.0);
    let hot = Vec3::new(255.0, 120.0, 40.0).lerp(Vec3::new(255.0, 246.0, 214.0), strength);
    let colour = if pressure > 0.0 { hot } else { Vec3::new(90.0, 140.0, 255.0) };
    let colour = rgba(colour / 255.0, opaque * strength);
    let middle = cell.as_vec3() + 0.5;
    for across in [Vec3::X, Vec3::Z] {
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        let at = |(a, b): (f32, f32)| Flat::new(middle + across * a + Vec3::Y * b, colour);
        mesh.0.extend(corners.map(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    #[test]
    fn overlays_follow_each_other_round() {
        let mut overlay = Overlay::None;
        for _ in Overlay::ALL {
            assert_eq!(Overlay::from_name(overlay.name()), Some(overlay));
            assert_eq!(overlay.after(1).after(-1), overlay);
            overlay = overlay.after(1);
        }
        assert_eq!(overlay, Overlay::None);
        assert_eq!(Overlay::from_name("mood"), None);
    }

    /// The quads of an overlay in the chunk of a spring that runs for some ticks over soil.
    fn quads(overlay: Overlay) -> usize {
        let mut world = Kind::Plain.world(7).unwrap();
        let spring = IVec3::new(142, 12, 88);
        world.add_source(spring).unwrap();
        world.run(40);
        world.charge(spring + IVec3::Y * 2, 3.0, 100.0).unwrap();
        let scene = Scene::of(&world);
        let chunk = Cube::chunk_of(spring);
        let mut awake = world.water().awake_chunks();
        let awake = awake.find(|(at, _)| *at == chunk).map_or(CellMask::EMPTY, |(_, cells)| cells);
        overlay.mesh(&world, &scene, chunk, &awake).0.len() / 4
    }

    #[test]
    fn each_overlay_has_marks_where_there_is_something_to_show() {
        for overlay in Overlay::ALL {
            let quads = quads(overlay);
            assert_eq!(quads > 0, overlay != Overlay::None, "{}: {quads}", overlay.name());
        }
    }
}
