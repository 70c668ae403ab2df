//! The colours of materials, dry and moist.

use super::scene::Scene;
use crate::model::materials::{CLAY, CONCRETE, LEAVES, PLASTER, ROCK, SAND, SOIL, TILES, WOOD};
use crate::noise::{hash, noise};
use floodplain::Face;
use floodplain::glam::{IVec3, Vec3};

/// Returns a colour of red, green and blue bytes, in linear light.
pub fn from_bytes(bytes: [u8; 3]) -> Vec3 {
    let [red, green, blue] = bytes.map(|byte| (f32::from(byte) / 255.0).powf(2.2));
    Vec3::new(red, green, blue)
}

/// Returns a colour in bytes; what is brighter than white is white.
pub fn to_bytes(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(|part| (part.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8)
}

/// Returns the share of light that a face throws back, in each colour.
pub fn albedo(scene: &Scene, cell: IVec3, face: Face) -> Vec3 {
    let IVec3 { x, y, z } = cell;
    let front = cell + face.offset();
    let is_cut = front.cmplt(IVec3::ZERO).any() || front.cmpge(scene.size()).any();
    // Turf grows where soil lies open, and hangs over the steps of slopes.
    let is_turf = !scene.is_solid(cell + IVec3::Y) && face != Face::Down;
    let dry = match scene.material(cell) {
        SOIL if is_turf => turf(cell, face),
        SOIL => from_bytes([150, 112, 76]),
        SAND => from_bytes([214, 194, 146]),
        CLAY => from_bytes([168, 134, 104]),
        ROCK => rock(y),
        CONCRETE => concrete(y),
        WOOD => from_bytes([112, 80, 52]),
        LEAVES => leaves(x, z),
        PLASTER => from_bytes([238, 228, 208]),
        TILES => from_bytes([186, 74, 52]),
        _ => Vec3::ONE,
    };
    let grain = 0.93 + 0.14 * (hash(x, y, z) & 3) as f32 / 3.0;
    // Wet soil is dark, and at the cut sides of the block bluish, so that it is seen to be water.
    let wet = if is_cut { Vec3::new(0.26, 0.46, 0.78) } else { Vec3::new(0.44, 0.46, 0.52) };
    dry * grain * Vec3::ONE.lerp(wet, scene.moisture(cell).sqrt())
}

fn turf(IVec3 { x, y, z }: IVec3, face: Face) -> Vec3 {
    let (meadow, moor) = (from_bytes([140, 184, 78]), from_bytes([100, 144, 66]));
    let patch = noise(x as f32 / 9.0, z as f32 / 9.0 + 30.0);
    let grass = meadow.lerp(moor, (0.8 * patch + y as f32 / 90.0).min(1.0));
    if face == Face::Up { grass } else { grass.lerp(from_bytes([150, 112, 76]), 0.4) }
}

fn rock(y: i32) -> Vec3 {
    let band = noise(y as f32 / 2.3, 4.0);
    from_bytes([128, 124, 122]).lerp(from_bytes([160, 152, 144]), band)
}

/// Returns the colour of concrete, darker at the joints between the layers it was poured in.
fn concrete(y: i32) -> Vec3 {
    from_bytes(if y % 5 == 0 { [170, 168, 162] } else { [206, 203, 196] })
}

fn leaves(x: i32, z: i32) -> Vec3 {
    let tree = noise(x as f32 / 7.0 + 5.0, z as f32 / 7.0);
    from_bytes([54, 108, 54]).lerp(from_bytes([112, 150, 60]), tree)
}
