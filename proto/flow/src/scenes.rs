//! Worlds to measure.
use crate::cell::*;
use crate::world::*;
/// A box of open space inside solid ground, by chunks.
pub fn room(w: &mut World, lo: [i32; 3], hi: [i32; 3]) {
    for y in (lo[1] - 1) >> 4..=hi[1] + 1 >> 4 { for z in (lo[2] - 1) >> 4..=hi[2] + 1 >> 4 { for x in (lo[0] - 1) >> 4..=hi[0] + 1 >> 4 { w.add_chunk([x, y, z]); } } }
    for c in w.chunks.iter_mut().flatten() {
        for i in 0..4096 {
            let at = [c.pos[0] * 16 + (i as i32 & 15), c.pos[1] * 16 + (i as i32 >> 8), c.pos[2] * 16 + (i as i32 >> 4 & 15)];
            if (0..3).any(|k| at[k] < lo[k] || at[k] > hi[k]) { c.cells[i] = SOLID }
        }
    }
}
/// Chunks of open space; beyond them walls.
pub fn open(w: &mut World, lo: [i32; 3], hi: [i32; 3]) {
    for y in lo[1]..=hi[1] { for z in lo[2]..=hi[2] { for x in lo[0]..=hi[0] { w.add_chunk([x, y, z]); } } }
}
/// Luanti's job: springs every 8 cells at y = 64, `drop` cells above the floor.
pub fn spread(side: i32, drop: i32, opt: Options) -> World {
    let mut w = World::new(1, opt);
    room(&mut w, [0, 64 - drop, 0], [side - 1, 79, side - 1]);
    for z in 0..side / 8 { for x in 0..side / 8 { w.add_source([4 + 8 * x, 64, 4 + 8 * z]); } }
    w
}
pub fn floor_wet(w: &World, side: i32, y: i32) -> bool {
    for z in 0..side / 16 { for x in 0..side / 16 {
        let c = w.chunks[w.map[&[x, y >> 4, z]] as usize].as_ref().unwrap();
        if c.layers[(y & 15) as usize].wet != [u64::MAX; 4] { return false }
    } }
    true
}
/// A flat channel along x from `off`, drains at its end.
pub fn river(width: i32, length: i32, off: [i32; 2], springs: i32, seed: u64, opt: Options) -> World {
    let mut w = World::new(seed, opt);
    room(&mut w, [off[0], 1, off[1]], [off[0] + length - 1, 4, off[1] + width - 1]);
    for z in 0..width { w.set_ground([off[0] + length, 1, off[1] + z], DRAIN); }
    for z in 0..springs { w.add_source([off[0], 1, off[1] + (width - springs) / 2 + z]); }
    w
}
pub fn rough(x: i32, z: i32) -> i32 {
    let f = |s: f64, a: f64, p: f64| a * ((x as f64 / s + p).sin() + (z as f64 / s * 1.13 + p * 2.0).cos());
    (28.0 + f(37.0, 6.0, 0.3) + f(17.0, 3.0, 1.1) + f(7.0, 1.2, 2.0)) as i32
}
pub fn hills(opt: Options) -> World {
    let mut w = World::new(1, opt);
    room(&mut w, [0, 0, 0], [255, 63, 255]);
    for z in 0..256 { for x in 0..256 { for y in 0..=rough(x, z) { w.set_ground([x, y, z], SOLID) } } }
    w
}
pub fn lcg(seed: u64) -> impl FnMut() -> u64 { let mut s = seed; move || { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); s >> 33 } }
