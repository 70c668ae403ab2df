//! The two-byte cell (same layout as the crate's) and the random numbers.
pub type P = u32; // slot << 12 | y << 8 | z << 4 | x
pub const NO: u32 = u32::MAX;
pub const SOLID: u16 = 0b111_111;
pub const DRAIN: u16 = 0b111_000;
pub const WALL: u16 = 0b111_111 | 1 << 9;
pub const IS: u16 = 1 << 6;
pub const HAS: u16 = 1 << 7;
pub const OUT: u16 = 1 << 14;
/// Faces: west, east, down, up, north, south. The opposite is `face ^ 1`.
pub const DOWN: u8 = 2;
pub const UP: u8 = 3;
pub const SIDES: [u8; 4] = [0, 1, 4, 5];
#[inline(always)]
pub fn mark(w: u16) -> bool { w & 0b111_000 == 0b111_000 }
#[inline(always)]
pub fn h(w: u16) -> u8 { (w & 7) as u8 }
/// Units of water: none in marks.
#[inline(always)]
pub fn water(w: u16) -> u8 { if mark(w) { 0 } else { (w & 7) as u8 } }
#[inline(always)]
pub fn dir(w: u16) -> u8 { (w >> 3 & 7) as u8 }
#[inline(always)]
pub fn active(w: u16) -> u16 { w >> 11 & 7 }
#[inline(always)]
pub fn with_dir(w: u16, d: u8) -> u16 { w & !0b111_000 | (d as u16) << 3 }
#[inline(always)]
pub fn with_largest(w: u16, l: u8) -> u16 { w & !(7 << 8) | (l as u16) << 8 }
#[inline]
pub fn mix(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
/// The turn of a column in a layer: two multiplications.
#[inline(always)]
pub fn turn_hash(layer_seed: u64, x: i32, z: i32) -> u32 {
    let a = (layer_seed ^ (x as u32 as u64 | (z as u32 as u64) << 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let a = (a ^ a >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    (a >> 32) as u32
}
pub const fn side_orders() -> [[u8; 24]; 5] {
    let mut orders = [[0; 24]; 5];
    let mut n = 0;
    let mut c = 0;
    while c < 256 {
        let o = c as u8;
        if 1 << (o & 3) | 1 << (o >> 2 & 3) | 1 << (o >> 4 & 3) | 1 << (o >> 6) == 15 {
            orders[0][n] = o;
            let mut f = 0;
            while f < 4 { orders[f + 1][n] = first(o, 1 << f); f += 1; }
            n += 1;
        }
        c += 1;
    }
    orders
}
pub static ORDERS: [[u8; 24]; 5] = side_orders();
pub const fn first(order: u8, set: u8) -> u8 {
    let (mut out, mut len, mut pass) = (0, 0, 0);
    while pass < 2 {
        let mut at = 0;
        while at < 8 {
            let s = order >> at & 3;
            if set >> s & 1 == 1 - pass { out |= s << len; len += 2; }
            at += 2;
        }
        pass += 1;
    }
    out
}
