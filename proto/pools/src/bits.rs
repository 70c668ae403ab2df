//! 256-bit masks of one layer of one chunk: bit `z * 16 + x`, four words of four rows.

pub type Bits = [u64; 4];
pub const NONE: Bits = [0; 4];
pub const ALL: Bits = [!0; 4];
const WEST: u64 = 0x0001_0001_0001_0001;
const EAST: u64 = 0x8000_8000_8000_8000;

#[inline]
pub fn any(a: Bits) -> bool {
    a[0] | a[1] | a[2] | a[3] != 0
}
#[inline]
pub fn and(a: Bits, b: Bits) -> Bits {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}
#[inline]
pub fn or(a: Bits, b: Bits) -> Bits {
    [a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]]
}
#[inline]
pub fn minus(a: Bits, b: Bits) -> Bits {
    [a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]]
}
#[inline]
pub fn count(a: Bits) -> u32 {
    a.iter().map(|w| w.count_ones()).sum()
}
#[inline]
pub fn has(a: &Bits, at: usize) -> bool {
    a[at >> 6] >> (at & 63) & 1 != 0
}
#[inline]
pub fn one(at: usize) -> Bits {
    let mut a = NONE;
    a[at >> 6] = 1 << (at & 63);
    a
}
#[inline]
pub fn put(a: &mut Bits, at: usize, on: bool) {
    let bit = 1u64 << (at & 63);
    if on {
        a[at >> 6] |= bit
    } else {
        a[at >> 6] &= !bit
    }
}
#[inline]
pub fn first(a: Bits) -> Option<usize> {
    (0..4).find(|&w| a[w] != 0).map(|w| w * 64 + a[w].trailing_zeros() as usize)
}
/// The k-th set bit.
pub fn nth(a: Bits, mut k: u32) -> usize {
    for w in 0..4 {
        let n = a[w].count_ones();
        if k < n {
            let mut word = a[w];
            for _ in 0..k {
                word &= word - 1;
            }
            return w * 64 + word.trailing_zeros() as usize;
        }
        k -= n;
    }
    unreachable!("fewer bits than asked for")
}
pub fn iter(a: Bits) -> impl Iterator<Item = usize> {
    (0..4).flat_map(move |w| {
        let mut word = a[w];
        core::iter::from_fn(move || {
            (word != 0).then(|| {
                let at = word.trailing_zeros() as usize;
                word &= word - 1;
                w * 64 + at
            })
        })
    })
}
/// The four lateral neighbours of these cells inside the layer, themselves not added.
#[inline]
pub fn beside(a: Bits) -> Bits {
    let mut out = NONE;
    for w in 0..4 {
        out[w] = (a[w] & !EAST) << 1 | (a[w] & !WEST) >> 1 | a[w] << 16 | a[w] >> 16;
    }
    for w in 0..3 {
        out[w] |= a[w + 1] << 48;
        out[w + 1] |= a[w] >> 48;
    }
    out
}
/// All of `within` that is joined to `seed` (which is cut to `within`).
#[inline]
pub fn fill(seed: Bits, within: Bits) -> Bits {
    if within == ALL && any(seed) {
        return ALL;
    }
    let mut at = and(seed, within);
    loop {
        let next = or(at, and(beside(at), within));
        if next == at {
            return at;
        }
        at = next;
        // Long rows first: a carry runs through a whole row in one step.
        let mut rows = at;
        for w in 0..4 {
            let (mut f, mut g) = (rows[w], within[w]);
            // Kogge-Stone along x, both ways.
            let (mut fe, mut ge) = (f, g & !WEST);
            fe |= ge & fe << 1;
            ge &= ge << 1;
            fe |= ge & fe << 2;
            ge &= ge << 2;
            fe |= ge & fe << 4;
            ge &= ge << 4;
            fe |= ge & fe << 8;
            g &= !EAST;
            f |= g & f >> 1;
            g &= g >> 1;
            f |= g & f >> 2;
            g &= g >> 2;
            f |= g & f >> 4;
            g &= g >> 4;
            f |= g & f >> 8;
            rows[w] = f | fe;
        }
        at = rows;
    }
}
/// Faces: west, east, north, south, down, up.
pub const FACES: [(i32, i32, i32); 6] =
    [(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0)];
/// The cells across a lateral face of the chunk, as bits of the neighbour's layer.
#[inline]
pub fn leaving(a: Bits, face: usize) -> Bits {
    let map = |f: fn(u64) -> u64| [f(a[0]), f(a[1]), f(a[2]), f(a[3])];
    match face {
        0 => map(|w| (w & WEST) << 15),
        1 => map(|w| (w & EAST) >> 15),
        2 => [0, 0, 0, a[0] << 48],
        3 => [a[3] >> 48, 0, 0, 0],
        _ => unreachable!(),
    }
}
#[inline]
pub fn mix(a: u64, b: u64) -> u64 {
    let mut z = a ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z = (z ^ z >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^ z >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn fill_is_that_of_single_steps() {
        let mut r = fastrand::Rng::with_seed(1);
        for round in 0..20_000 {
            let few = if round % 3 == 0 { !0 } else { r.u64(..) };
            let within: Bits = core::array::from_fn(|_| r.u64(..) | r.u64(..) & few);
            let seed = one(r.usize(..256));
            let mut at = and(seed, within);
            loop {
                let next = or(at, and(beside(at), within));
                if next == at {
                    break;
                }
                at = next;
            }
            assert_eq!(fill(seed, within), at);
        }
    }
}
