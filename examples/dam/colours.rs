//! The colours of materials, dry and moist.

use crate::ground::{CONCRETE, LEAVES, PLASTER, ROCK, SAND, SILT, SOIL, TILES, WOOD};
use crate::light::Hit;
use crate::noise::{hash, noise};
use crate::scene::{PIECE, Scene};
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
pub fn albedo(scene: &Scene, hit: Hit) -> Vec3 {
    let IVec3 { x, y, z } = hit.cell;
    let beyond = hit.cell + hit.normal;
    let is_cut = beyond.z == scene.end.z || beyond.x == scene.end.x;
    // Turf hangs over the steps of slopes.
    let is_turf = !is_cut || !scene.look(hit.cell + IVec3::Y).is_solid();
    let dry = match hit.look.material {
        SOIL if is_turf => turf(hit),
        SOIL => from_bytes([150, 112, 76]),
        SILT => from_bytes([158, 132, 98]),
        SAND => from_bytes([214, 194, 146]),
        ROCK => rock(y),
        CONCRETE => concrete(hit.cell),
        PIECE => from_bytes([150, 148, 144]),
        WOOD => from_bytes([104, 74, 50]),
        LEAVES => leaves(x, z),
        PLASTER => from_bytes([238, 228, 208]),
        TILES => from_bytes([186, 74, 52]),
        _ => Vec3::ONE,
    };
    let grain = 0.95 + 0.10 * (hash(x, y, z) & 3) as f32 / 3.0;
    let moist = (f32::from(hit.look.moist) / 255.0).sqrt();
    // Wet soil is dark and bluish, more so at the cut sides of the block, so that it is seen to be
    // water.
    let (dark, water) =
        if is_cut { (0.30, from_bytes([36, 84, 132])) } else { (0.42, from_bytes([22, 62, 78])) };
    (dry * grain).lerp((dry * grain * dark).lerp(water, 0.55), moist)
}

fn turf(hit: Hit) -> Vec3 {
    let IVec3 { x, y, z } = hit.cell;
    let (meadow, moor) = (from_bytes([134, 176, 74]), from_bytes([104, 142, 66]));
    let patch = noise(x as f32 / 9.0, z as f32 / 9.0 + 30.0);
    let grass = meadow.lerp(moor, (0.8 * patch + y as f32 / 90.0).min(1.0));
    if hit.normal.y == 0 { grass.lerp(from_bytes([150, 112, 76]), 0.35) } else { grass }
}

fn rock(y: i32) -> Vec3 {
    let band = noise(y as f32 / 2.3, 4.0);
    from_bytes([128, 124, 122]).lerp(from_bytes([158, 150, 142]), band)
}

/// Returns the colour of concrete, darker at the joints between the layers it was poured in.
fn concrete(cell: IVec3) -> Vec3 {
    let joint = cell.y % 5 == 0;
    from_bytes(if joint { [176, 174, 168] } else { [206, 203, 196] })
}

fn leaves(x: i32, z: i32) -> Vec3 {
    let tree = noise(x as f32 / 7.0 + 5.0, z as f32 / 7.0);
    from_bytes([54, 104, 54]).lerp(from_bytes([104, 142, 58]), tree)
}
