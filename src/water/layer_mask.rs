//! Horizontal layers of a chunk as 256 bits, four rows of sixteen to a word: made from cells,
//! shifted to neighbours, and flood filled.

/// The 256 cells of one horizontal layer of a chunk: bit `x + 16·z`.
pub(crate) type LayerBits = [u64; 4];

/// What looking at a layer as bits counts as, in cells: one for each row.
pub(crate) const LAYER_ROWS: usize = 16;

pub(crate) const NONE: LayerBits = [0; 4];
pub(crate) const ALL: LayerBits = [u64::MAX; 4];

/// The cells with x = 0.
const WEST_COLUMN: u64 = 0x0001_0001_0001_0001;
/// The cells with x = 15.
const EAST_COLUMN: u64 = 0x8000_8000_8000_8000;

#[inline]
pub(crate) fn and(a: LayerBits, b: LayerBits) -> LayerBits {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}

#[inline]
pub(crate) fn or(a: LayerBits, b: LayerBits) -> LayerBits {
    [a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]]
}

#[inline]
pub(crate) fn minus(a: LayerBits, b: LayerBits) -> LayerBits {
    [a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]]
}

#[inline]
pub(crate) fn xor(a: LayerBits, b: LayerBits) -> LayerBits {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

#[inline]
pub(crate) fn any(bits: LayerBits) -> bool {
    bits[0] | bits[1] | bits[2] | bits[3] != 0
}

#[inline]
pub(crate) fn count(bits: LayerBits) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// The most cells that are few: see [`are_few`].
pub(crate) const FEW: usize = 12;

/// Whether there are so few cells that it is cheaper to look at them one by one than at all of a
/// layer: three at most in each four rows, which is told in half the time of counting them.
#[inline]
pub(crate) fn are_few(bits: LayerBits) -> bool {
    let mut left = bits;
    for _ in 0..3 {
        left = left.map(|word| word & word.wrapping_sub(1));
    }
    !any(left)
}

/// The cell, if there is just one.
#[inline]
pub(crate) fn only(bits: LayerBits) -> Option<usize> {
    let first = iter(bits).next()?;
    let mut left = bits;
    remove(&mut left, first);
    (!any(left)).then_some(first)
}

#[inline]
pub(crate) fn contains(bits: &LayerBits, cell: usize) -> bool {
    bits[(cell >> 6) & 3] >> (cell & 63) & 1 != 0
}

#[inline]
pub(crate) fn insert(bits: &mut LayerBits, cell: usize) {
    bits[(cell >> 6) & 3] |= 1 << (cell & 63);
}

#[inline]
pub(crate) fn remove(bits: &mut LayerBits, cell: usize) {
    bits[(cell >> 6) & 3] &= !(1 << (cell & 63));
}

/// The cells of a row (0 to 15), by their x.
#[inline]
pub(crate) fn row(bits: &LayerBits, row: usize) -> u16 {
    (bits[row / 4] >> (row % 4 * 16)) as u16
}

/// The rows, by bit, with any of the cells.
pub(crate) fn rows(bits: LayerBits) -> u16 {
    (0..16).fold(0, |rows, at| rows | u16::from(row(&bits, at) != 0) << at)
}

/// The cells of a layer that satisfy `is_in`.
#[inline]
pub(crate) fn select<T: Copy>(cells: &[T; 256], is_in: impl Fn(T) -> bool) -> LayerBits {
    plane(&bytes(cells, |cell| u8::from(is_in(cell))), 0)
}

/// Whether any cell of a layer satisfies `is_in`: a third of what [`select`] takes.
#[inline]
pub(crate) fn has<T: Copy>(cells: &[T; 256], is_in: impl Fn(T) -> bool) -> bool {
    // Without an early exit, so that it vectorises.
    cells.iter().fold(false, |found, &cell| found | is_in(cell))
}

/// A byte for each cell of a layer, for [`plane`].
#[inline]
pub(crate) fn bytes<T: Copy>(cells: &[T; 256], of: impl Fn(T) -> u8) -> [u8; 256] {
    let mut bytes = [0; 256];
    for (byte, &cell) in bytes.iter_mut().zip(cells) {
        *byte = of(cell);
    }
    bytes
}

/// The cells whose byte has a bit (0 to 7) set.
#[inline]
pub(crate) fn plane(bytes: &[u8; 256], bit: u32) -> LayerBits {
    let mut plane = NONE;
    for (word, bytes) in plane.iter_mut().zip(bytes.as_chunks::<64>().0) {
        for eight in bytes.as_chunks::<8>().0.iter().rev() {
            // The product brings the lowest bits of the eight bytes together in its highest byte.
            let lowest = u64::from_le_bytes(*eight) >> bit & 0x0101_0101_0101_0101;
            *word = *word << 8 | lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        }
    }
    plane
}

/// The cells in ascending order.
#[inline]
pub(crate) fn iter(bits: LayerBits) -> impl Iterator<Item = usize> {
    let mut bits = bits;
    let mut word = 0;
    core::iter::from_fn(move || {
        while bits[word] == 0 {
            if word == 3 {
                return None;
            }
            word += 1;
        }
        let bit = bits[word].trailing_zeros() as usize;
        bits[word] &= bits[word] - 1;
        Some(word * 64 + bit)
    })
}

/// The four lateral shifts of a layer, in the order of [`Face::LATERAL`](crate::Face::LATERAL).
/// `shifted[k]` has a cell's bit where the cell's neighbour across face k is in `bits`; `beyond[k]`
/// is the layer of the chunk across that face.
#[inline]
pub(crate) fn neighbours(bits: LayerBits, beyond: &[LayerBits; 4]) -> [LayerBits; 4] {
    let [a, b, c, d] = bits;
    let west = |w: usize| (bits[w] << 1) & !WEST_COLUMN | (beyond[0][w] & EAST_COLUMN) >> 15;
    let east = |w: usize| (bits[w] >> 1) & !EAST_COLUMN | (beyond[1][w] & WEST_COLUMN) << 15;
    [
        [west(0), west(1), west(2), west(3)],
        [east(0), east(1), east(2), east(3)],
        [a << 16 | beyond[2][3] >> 48, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48],
        [a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16 | beyond[3][0] << 48],
    ]
}

/// The cells that have a lateral neighbour in `bits`, inside the layer.
#[inline]
pub(crate) fn spread(bits: LayerBits) -> LayerBits {
    let [west, east, north, south] = neighbours(bits, &[NONE; 4]);
    or(or(west, east), or(north, south))
}

/// What leaves a layer across each lateral face: bits of the neighbouring chunk's layer.
#[inline]
pub(crate) fn leaving(bits: LayerBits) -> [LayerBits; 4] {
    let [a, b, c, d] = bits;
    let west = |word: u64| (word & WEST_COLUMN) << 15;
    let east = |word: u64| (word & EAST_COLUMN) >> 15;
    let (west, east) = ([west(a), west(b), west(c), west(d)], [east(a), east(b), east(c), east(d)]);
    [west, east, [0, 0, 0, bits[0] << 48], [bits[3] >> 48, 0, 0, 0]]
}

/// All cells of `inside` that are joined to `start` sideways through `inside`.
pub(crate) fn fill(start: LayerBits, inside: LayerBits) -> LayerBits {
    let mut filled = and(start, inside);
    if inside == ALL && any(filled) {
        return ALL;
    }
    // Falling water mostly has none beside it.
    if !any(minus(and(spread(filled), inside), filled)) {
        return filled;
    }
    loop {
        let grown = fill_columns(fill_rows(filled, inside), inside);
        if grown == filled {
            return filled;
        }
        filled = grown;
    }
}

/// Fills along rows, both ways to the next gap: twice as far with each shift.
fn fill_rows(filled: LayerBits, inside: LayerBits) -> LayerBits {
    let mut filled = filled;
    for (filled, &inside) in filled.iter_mut().zip(&inside) {
        let (mut from_west, mut from_east) = (inside & !WEST_COLUMN, inside & !EAST_COLUMN);
        for steps in [1, 2, 4, 8] {
            *filled |= from_west & (*filled << steps) | from_east & (*filled >> steps);
            from_west &= from_west << steps;
            from_east &= from_east >> steps;
        }
    }
    filled
}

/// Fills along columns, both ways to the next gap.
fn fill_columns(filled: LayerBits, inside: LayerBits) -> LayerBits {
    const ROW: u32 = 16;
    let mut filled = filled;
    for word in 0..4 {
        let north = if word > 0 { filled[word - 1] >> (3 * ROW) } else { 0 };
        filled[word] |= inside[word] & north;
        for _ in 0..3 {
            filled[word] |= inside[word] & (filled[word] << ROW);
        }
    }
    for word in (0..4).rev() {
        let south = if word < 3 { filled[word + 1] << (3 * ROW) } else { 0 };
        filled[word] |= inside[word] & south;
        for _ in 0..3 {
            filled[word] |= inside[word] & (filled[word] >> ROW);
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cells: &[(usize, usize)]) -> LayerBits {
        let mut bits = NONE;
        for (x, z) in cells {
            insert(&mut bits, x + 16 * z);
        }
        bits
    }

    #[test]
    fn a_plane_has_the_bits_of_the_bytes() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20 {
            let cells: [u16; 256] = core::array::from_fn(|_| random.u16(..));
            let bytes = bytes(&cells, |cell| cell as u8);
            for bit in 0..8 {
                let plane = plane(&bytes, bit);
                assert!(
                    (0..256).all(|cell| contains(&plane, cell) == (cells[cell] >> bit & 1 != 0))
                );
            }
            assert!((0..256).all(|at| has(&cells, |cell| cell == cells[at])));
            assert!(!has(&cells, |cell| cells.iter().all(|&other| other != cell)));
            let odd = select(&cells, |cell| cell % 3 == 1);
            assert!((0..256).all(|cell| contains(&odd, cell) == (cells[cell] % 3 == 1)));
        }
    }

    #[test]
    fn sets_agree_with_what_is_said_of_each_cell() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..50 {
            // Full, empty and single sets too.
            let mut layer = || -> LayerBits {
                match random.u8(..8) {
                    0 => NONE,
                    1 => ALL,
                    2 => set(&[(random.usize(..16), random.usize(..16))]),
                    _ => core::array::from_fn(|_| random.u64(..)),
                }
            };
            let (a, b) = (layer(), layer());
            let cells = |bits: LayerBits| {
                (0..256).filter(move |&cell| bits[cell / 64] & 1 << (cell % 64) != 0)
            };
            let holds = |bits: LayerBits, law: &dyn Fn(bool, bool) -> bool| {
                (0..256).all(|cell| {
                    contains(&bits, cell) == law(contains(&a, cell), contains(&b, cell))
                })
            };
            assert!(holds(and(a, b), &|a, b| a && b), "round {round}");
            assert!(holds(or(a, b), &|a, b| a || b), "round {round}");
            assert!(holds(minus(a, b), &|a, b| a && !b), "round {round}");
            assert!(holds(xor(a, b), &|a, b| a != b), "round {round}");
            assert!(iter(a).eq(cells(a)), "round {round}");
            assert_eq!(only(a), cells(a).next().filter(|_| cells(a).count() == 1), "round {round}");
            assert_eq!(
                (any(a), count(a) as usize),
                (cells(a).next().is_some(), cells(a).count()),
                "round {round}"
            );
            let cell = random.usize(..256);
            let (mut more, mut less) = (a, a);
            insert(&mut more, cell);
            remove(&mut less, cell);
            assert!(
                (0..256).all(|at| contains(&more, at) == (at == cell || contains(&a, at))),
                "round {round}"
            );
            assert!(
                (0..256).all(|at| contains(&less, at) == (at != cell && contains(&a, at))),
                "round {round}"
            );
        }
    }

    #[test]
    fn neighbours_are_those_found_cell_by_cell() {
        let mut random = fastrand::Rng::with_seed(8);
        for round in 0..50 {
            let mut layer = || -> LayerBits { core::array::from_fn(|_| random.u64(..)) };
            let (own, beyond) = (layer(), [layer(), layer(), layer(), layer()]);
            let at = |bits: &LayerBits, x: usize, z: usize| contains(bits, x + 16 * z);
            let shifted = neighbours(own, &beyond);
            let (spread, leaving) = (spread(own), leaving(own));
            for (x, z) in (0..16).flat_map(|x| (0..16).map(move |z| (x, z))) {
                let inside = [
                    (x > 0).then(|| at(&own, x - 1, z)),
                    (x < 15).then(|| at(&own, x + 1, z)),
                    (z > 0).then(|| at(&own, x, z - 1)),
                    (z < 15).then(|| at(&own, x, z + 1)),
                ];
                let opposite = [(15, z), (0, z), (x, 15), (x, 0)];
                for side in 0..4 {
                    let (there_x, there_z) = opposite[side];
                    let expected =
                        inside[side].unwrap_or_else(|| at(&beyond[side], there_x, there_z));
                    assert_eq!(
                        at(&shifted[side], x, z),
                        expected,
                        "round {round}: side {side} of {x}, {z}"
                    );
                    let leaves = at(&leaving[side], there_x, there_z);
                    assert!(
                        inside[side].is_some() || leaves == at(&own, x, z),
                        "round {round}: side {side}"
                    );
                }
                assert_eq!(
                    at(&spread, x, z),
                    inside.contains(&Some(true)),
                    "round {round}: {x}, {z}"
                );
            }
            let borders = [15, 0, 15, 0];
            for (side, bits) in leaving.into_iter().enumerate() {
                let off_border = |cell: usize| [cell & 15, cell >> 4][side / 2] != borders[side];
                assert!(!iter(bits).any(off_border), "round {round}: side {side}");
            }
        }
    }

    #[test]
    fn shifts_cross_words_and_borders() {
        let inside = set(&[(3, 4)]);
        let [west, east, north, south] = neighbours(inside, &[NONE; 4]);
        assert_eq!([west, east], [set(&[(4, 4)]), set(&[(2, 4)])]);
        assert_eq!([north, south], [set(&[(3, 5)]), set(&[(3, 3)])]);
        let beyond = [set(&[(15, 2)]), set(&[(0, 3)]), set(&[(4, 15)]), set(&[(5, 0)])];
        let shifted = neighbours(NONE, &beyond);
        assert_eq!(shifted, [set(&[(0, 2)]), set(&[(15, 3)]), set(&[(4, 0)]), set(&[(5, 15)])]);
        assert_eq!(leaving(set(&[(0, 2)]))[0], set(&[(15, 2)]));
        assert_eq!(leaving(set(&[(15, 3)]))[1], set(&[(0, 3)]));
        assert_eq!(leaving(set(&[(4, 0)]))[2], set(&[(4, 15)]));
        assert_eq!(leaving(set(&[(5, 15)]))[3], set(&[(5, 0)]));
    }

    #[test]
    fn fill_reaches_what_steps_reach() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..2_000 {
            let dense: LayerBits = core::array::from_fn(|_| random.u64(..) | random.u64(..));
            let inside = if round % 2 == 0 {
                dense
            } else {
                or(dense, core::array::from_fn(|_| random.u64(..)))
            };
            let start = core::array::from_fn(|_| {
                random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..)
            });
            let mut expected = and(start, inside);
            loop {
                let grown = or(expected, and(spread(expected), inside));
                if grown == expected {
                    break;
                }
                expected = grown;
            }
            assert_eq!(fill(start, inside), expected, "round {round}");
        }
    }

    #[test]
    fn fill_follows_a_winding_way_and_stops_at_gaps() {
        let way = set(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 3)]);
        let apart = set(&[(8, 8), (9, 8)]);
        assert_eq!(fill(set(&[(0, 0)]), or(way, apart)), way);
        assert_eq!(fill(set(&[(5, 5)]), or(way, apart)), NONE);
        assert_eq!(fill(set(&[(5, 5)]), ALL), ALL);
    }

    #[test]
    fn rows_and_whether_cells_are_few_are_what_counting_says() {
        let mut random = fastrand::Rng::with_seed(8);
        let mut few = 0;
        for round in 0..400 {
            let mut cells = NONE;
            (0..random.usize(..16)).for_each(|_| insert(&mut cells, random.usize(..256)));
            let in_row = |z: usize| (0..16).filter(|x| contains(&cells, z * 16 + x)).count();
            let in_four_rows = |first: usize| (first..first + 4).map(in_row).sum::<usize>();
            let expected = [0, 4, 8, 12].into_iter().all(|first| in_four_rows(first) <= 3);
            assert_eq!(are_few(cells), expected, "round {round}");
            few += u32::from(expected);
            for z in 0..16 {
                assert!(
                    (0..16).all(|x| (row(&cells, z) >> x & 1 != 0) == contains(&cells, z * 16 + x)),
                    "round {round}"
                );
                assert_eq!(rows(cells) >> z & 1 != 0, in_row(z) > 0, "round {round}");
            }
        }
        assert!((100..300).contains(&few), "{few} of 400");
    }
}
