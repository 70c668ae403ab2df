//! Bit sets of the 256 cells of a horizontal layer of a chunk, with set operators, shifts and flood
//! fill. A word holds four rows of sixteen cells.

use crate::coords::Face;
use core::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

/// The number of cells in a horizontal layer of a chunk.
pub(crate) const LAYER_CELLS: usize = 256;

/// A set of cells of one horizontal layer of a chunk: bit `x + 16·z`.
///
/// `a - b` is the set difference: the cells of `a` that are not in `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayerMask([u64; 4]);

/// The cells with x = 0.
const WEST_COLUMN: u64 = 0x0001_0001_0001_0001;
/// The cells with x = 15.
const EAST_COLUMN: u64 = 0x8000_8000_8000_8000;

impl LayerMask {
    /// The empty mask.
    pub(crate) const NONE: LayerMask = LayerMask([0; 4]);

    /// The mask of all cells.
    pub(crate) const ALL: LayerMask = LayerMask([u64::MAX; 4]);

    /// The most cells that a mask can have if [`is_sparse`](Self::is_sparse) holds.
    pub(crate) const SPARSE: usize = 12;

    /// Returns the mask with these words; bit `i % 64` of word `i / 64` is cell `i`.
    #[inline]
    pub(crate) const fn from_words(words: [u64; 4]) -> Self {
        LayerMask(words)
    }

    /// Returns the words; bit `i % 64` of word `i / 64` is cell `i`.
    #[inline]
    pub(crate) const fn words(self) -> [u64; 4] {
        self.0
    }

    /// Returns all cells if `is_in`, else none.
    #[inline]
    pub(crate) fn all_if(is_in: bool) -> Self {
        if is_in { LayerMask::ALL } else { LayerMask::NONE }
    }

    /// Returns the mask of one cell.
    #[inline]
    pub(crate) fn single(cell: usize) -> Self {
        let mut mask = LayerMask::NONE;
        mask.insert(cell);
        mask
    }

    /// Returns the cells in which a column of `columns` crosses a row of `rows`. Bit x stands for
    /// the column at x, and bit z for the row at z.
    pub(crate) fn crossing(columns: u16, rows: u16) -> Self {
        let row = |at: usize| (u64::from(columns) * u64::from((rows >> at) & 1)) << (at % 4 * 16);
        LayerMask(core::array::from_fn(|word| (0..4).map(|at| row(word * 4 + at)).sum()))
    }

    /// Returns the cells that are in any of the masks.
    #[inline]
    pub(crate) fn union(masks: impl IntoIterator<Item = LayerMask>) -> Self {
        masks.into_iter().fold(LayerMask::NONE, |union, mask| union | mask)
    }

    /// Returns the cells of a layer that satisfy `is_in`.
    #[inline]
    pub(crate) fn select<T: Copy>(cells: &[T; LAYER_CELLS], is_in: impl Fn(T) -> bool) -> Self {
        LayerMask::plane(&bytes(cells, |cell| u8::from(is_in(cell))), 0)
    }

    /// Returns whether any cell of a layer satisfies `is_in`, at a third of the cost of
    /// [`select`](Self::select).
    #[inline]
    pub(crate) fn any_cell<T: Copy>(cells: &[T; LAYER_CELLS], is_in: impl Fn(T) -> bool) -> bool {
        // There is no early exit, so that the loop vectorises.
        cells.iter().fold(false, |found, &cell| found | is_in(cell))
    }

    /// Returns, for each of the `N` lowest bits, the cells for which `of` returns a byte with that
    /// bit set.
    #[inline]
    pub(crate) fn planes<T: Copy, const N: usize>(
        cells: &[T; LAYER_CELLS],
        of: impl Fn(T) -> u8,
    ) -> [Self; N] {
        let bytes = bytes(cells, of);
        if bytes.iter().fold(0, |all, &byte| all | byte) == 0 {
            return [LayerMask::NONE; N];
        }
        core::array::from_fn(|bit| LayerMask::plane(&bytes, bit as u32))
    }

    /// Returns the cells whose byte has a bit (0 to 7) set.
    #[inline]
    pub(crate) fn plane(bytes: &[u8; LAYER_CELLS], bit: u32) -> Self {
        let mut plane = [0; 4];
        for (word, bytes) in plane.iter_mut().zip(bytes.as_chunks::<64>().0) {
            for eight in bytes.as_chunks::<8>().0.iter().rev() {
                // The product collects the lowest bits of the eight bytes in its highest byte.
                let lowest = u64::from_le_bytes(*eight) >> bit & 0x0101_0101_0101_0101;
                *word = *word << 8 | lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            }
        }
        LayerMask(plane)
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        !self.any()
    }

    #[inline]
    pub(crate) fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d != 0
    }

    #[inline]
    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns whether each word has at most three cells, so few that it is cheaper to visit them
    /// one by one than to process the whole layer. Takes half the time of [`count`](Self::count).
    #[inline]
    pub(crate) fn is_sparse(self) -> bool {
        let mut left = self.0;
        for _ in 0..3 {
            left = left.map(|word| word & word.wrapping_sub(1));
        }
        LayerMask(left).is_empty()
    }

    #[inline]
    pub(crate) fn contains(&self, cell: usize) -> bool {
        self.0[(cell >> 6) & 3] >> (cell & 63) & 1 != 0
    }

    #[inline]
    pub(crate) const fn insert(&mut self, cell: usize) {
        self.0[(cell >> 6) & 3] |= 1 << (cell & 63);
    }

    #[inline]
    pub(crate) fn remove(&mut self, cell: usize) {
        self.0[(cell >> 6) & 3] &= !(1 << (cell & 63));
    }

    /// Returns the cells of a row (0 to 15): bit x is the cell at x.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> u16 {
        (self.0[row / 4] >> (row % 4 * 16)) as u16
    }

    /// Returns the rows that have any cell of the mask: bit z is the row at z.
    pub(crate) fn rows(self) -> u16 {
        (0..16).fold(0, |rows, at| rows | u16::from(self.row(at) != 0) << at)
    }

    /// Returns the cells in ascending order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut words = self.0;
        let mut word = 0;
        core::iter::from_fn(move || {
            while words[word] == 0 {
                if word == 3 {
                    return None;
                }
                word += 1;
            }
            let bit = words[word].trailing_zeros() as usize;
            words[word] &= words[word] - 1;
            Some(word * 64 + bit)
        })
    }

    /// Returns the four lateral shifts, in the order of [`Face::LATERAL`]. `shifted[k]` has a cell
    /// if the cell's neighbour across face k is in the mask; `beyond[k]` is the layer of the chunk
    /// across that face.
    #[inline]
    pub(crate) fn shifted(self, beyond: &[LayerMask; 4]) -> [LayerMask; 4] {
        let [a, b, c, d] = self.0;
        let beyond = beyond.map(LayerMask::words);
        let west = |w: usize| (self.0[w] << 1) & !WEST_COLUMN | (beyond[0][w] & EAST_COLUMN) >> 15;
        let east = |w: usize| (self.0[w] >> 1) & !EAST_COLUMN | (beyond[1][w] & WEST_COLUMN) << 15;
        [
            [west(0), west(1), west(2), west(3)],
            [east(0), east(1), east(2), east(3)],
            [a << 16 | beyond[2][3] >> 48, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48],
            [a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16 | beyond[3][0] << 48],
        ]
        .map(LayerMask)
    }

    /// Shifts the mask by one cell away from a lateral face: the result has each cell whose
    /// neighbour across that face is in the mask. Cells do not cross the border of the layer.
    #[inline]
    pub(crate) fn across(self, face: Face) -> LayerMask {
        let shifted = self.shifted(&[LayerMask::NONE; 4]);
        face.side().map_or(LayerMask::NONE, |side| shifted[side])
    }

    /// Returns the cells that have a lateral neighbour in the mask, inside the layer (dilation
    /// without the mask itself).
    #[inline]
    pub(crate) fn spread(self) -> LayerMask {
        let [west, east, north, south] = self.shifted(&[LayerMask::NONE; 4]);
        west | east | north | south
    }

    /// Returns whether the mask has a lateral neighbour of a cell, inside the layer.
    #[inline]
    pub(crate) fn has_beside(&self, cell: usize) -> bool {
        let (x, z) = (cell & 15, cell >> 4);
        (x > 0) & self.contains(cell.wrapping_sub(1))
            | (x < 15) & self.contains(cell + 1)
            | (z > 0) & self.contains(cell.wrapping_sub(16))
            | (z < 15) & self.contains(cell + 16)
    }

    /// Returns the cells that leave the layer across each lateral face, as cells of the
    /// neighbouring chunk's layer.
    #[inline]
    pub(crate) fn leaving(self) -> [LayerMask; 4] {
        let [west, east, north, south] = Face::LATERAL;
        [
            self.leaving_across(west),
            self.leaving_across(east),
            self.leaving_across(north),
            self.leaving_across(south),
        ]
    }

    /// Returns the cells that leave the layer across a lateral face, as [`leaving`](Self::leaving)
    /// does; no cells for the faces up and down.
    #[inline]
    pub(crate) fn leaving_across(self, face: Face) -> LayerMask {
        let [a, .., d] = self.0;
        LayerMask(match face {
            Face::West => self.0.map(|word| (word & WEST_COLUMN) << 15),
            Face::East => self.0.map(|word| (word & EAST_COLUMN) >> 15),
            Face::North => [0, 0, 0, a << 48],
            Face::South => [d >> 48, 0, 0, 0],
            Face::Down | Face::Up => [0; 4],
        })
    }

    /// Flood fill: returns all cells of `inside` that are joined to the mask by lateral steps
    /// through `inside`.
    pub(crate) fn flood(self, inside: LayerMask) -> LayerMask {
        let mut filled = self & inside;
        if inside == LayerMask::ALL && filled.any() {
            return LayerMask::ALL;
        }
        // The common case: falling water seldom has a lateral neighbour.
        if ((filled.spread() & inside) - filled).is_empty() {
            return filled;
        }
        loop {
            let grown = filled.fill_rows(inside).fill_columns(inside);
            if grown == filled {
                return filled;
            }
            filled = grown;
        }
    }

    /// Fills along rows, in both directions up to the next gap, doubling the distance with each
    /// shift.
    fn fill_rows(self, inside: LayerMask) -> LayerMask {
        let mut filled = self.0;
        for (filled, inside) in filled.iter_mut().zip(inside.0) {
            let (mut from_west, mut from_east) = (inside & !WEST_COLUMN, inside & !EAST_COLUMN);
            for steps in [1, 2, 4, 8] {
                *filled |= from_west & (*filled << steps) | from_east & (*filled >> steps);
                from_west &= from_west << steps;
                from_east &= from_east >> steps;
            }
        }
        LayerMask(filled)
    }

    /// Fills along columns, in both directions up to the next gap.
    fn fill_columns(self, LayerMask(inside): LayerMask) -> LayerMask {
        const ROW: u32 = 16;
        let mut filled = self.0;
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
        LayerMask(filled)
    }
}

/// Returns a byte for each cell of a layer, for [`LayerMask::plane`].
#[inline]
fn bytes<T: Copy>(cells: &[T; LAYER_CELLS], of: impl Fn(T) -> u8) -> [u8; LAYER_CELLS] {
    let mut bytes = [0; LAYER_CELLS];
    for (byte, &cell) in bytes.iter_mut().zip(cells) {
        *byte = of(cell);
    }
    bytes
}

impl FromIterator<usize> for LayerMask {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        let mut mask = LayerMask::NONE;
        cells.into_iter().for_each(|cell| mask.insert(cell));
        mask
    }
}

impl Not for LayerMask {
    type Output = LayerMask;

    #[inline]
    fn not(self) -> LayerMask {
        let [a, b, c, d] = self.0;
        LayerMask([!a, !b, !c, !d])
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident
        |$a:ident, $b:ident| $word:expr;)*) => {$(
        impl $operator for LayerMask {
            type Output = LayerMask;

            #[inline]
            fn $method(self, other: LayerMask) -> LayerMask {
                let word = |$a: u64, $b: u64| $word;
                let (LayerMask(a), LayerMask(b)) = (self, other);
                LayerMask([word(a[0], b[0]), word(a[1], b[1]), word(a[2], b[2]), word(a[3], b[3])])
            }
        }

        impl $assign for LayerMask {
            #[inline]
            fn $assign_method(&mut self, other: LayerMask) {
                *self = (*self).$method(other);
            }
        }
    )*};
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign |a, b| a & b;
    BitOr bitor BitOrAssign bitor_assign |a, b| a | b;
    BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b;
    Sub sub SubAssign sub_assign |a, b| a & !b;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cells: &[(usize, usize)]) -> LayerMask {
        cells.iter().map(|(x, z)| x + 16 * z).collect()
    }

    #[test]
    fn a_plane_has_the_bits_of_the_bytes() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20 {
            let cells: [u16; LAYER_CELLS] = core::array::from_fn(|_| random.u16(..));
            let bytes = bytes(&cells, |cell| cell as u8);
            let planes: [_; 8] = LayerMask::planes(&cells, |cell| cell as u8);
            for (bit, together) in planes.into_iter().enumerate() {
                let plane = LayerMask::plane(&bytes, bit as u32);
                assert_eq!(plane, together);
                assert!(
                    (0..LAYER_CELLS)
                        .all(|cell| plane.contains(cell) == (cells[cell] >> bit & 1 != 0))
                );
            }
            assert!(
                (0..LAYER_CELLS).all(|at| LayerMask::any_cell(&cells, |cell| cell == cells[at]))
            );
            assert!(!LayerMask::any_cell(&cells, |cell| cells.iter().all(|&other| other != cell)));
            let odd = LayerMask::select(&cells, |cell| cell % 3 == 1);
            assert!((0..LAYER_CELLS).all(|cell| odd.contains(cell) == (cells[cell] % 3 == 1)));
        }
    }

    #[test]
    fn masks_agree_with_their_cells_one_by_one() {
        let mut random = fastrand::Rng::with_seed(6);
        for round in 0..50 {
            // Full and empty sets and sets of one cell are tested, too.
            let mut layer = || -> LayerMask {
                match random.u8(..8) {
                    0 => LayerMask::NONE,
                    1 => LayerMask::ALL,
                    2 => set(&[(random.usize(..16), random.usize(..16))]),
                    _ => LayerMask(core::array::from_fn(|_| random.u64(..))),
                }
            };
            let (a, b) = (layer(), layer());
            let cells = |bits: LayerMask| {
                (0..LAYER_CELLS).filter(move |&cell| bits.0[cell / 64] & 1 << (cell % 64) != 0)
            };
            let holds = |bits: LayerMask, law: &dyn Fn(bool, bool) -> bool| {
                (0..LAYER_CELLS)
                    .all(|cell| bits.contains(cell) == law(a.contains(cell), b.contains(cell)))
            };
            assert!(holds(a & b, &|a, b| a && b), "round {round}");
            assert!(holds(a | b, &|a, b| a || b), "round {round}");
            assert!(holds(a - b, &|a, b| a && !b), "round {round}");
            assert!(holds(a ^ b, &|a, b| a != b), "round {round}");
            assert!(a.iter().eq(cells(a)), "round {round}");
            assert_eq!(
                (a.any(), a.count() as usize),
                (cells(a).next().is_some(), cells(a).count()),
                "round {round}"
            );
            let cell = random.usize(..256);
            let (mut more, mut less) = (a, a);
            more.insert(cell);
            less.remove(cell);
            assert!(
                (0..LAYER_CELLS).all(|at| more.contains(at) == (at == cell || a.contains(at))),
                "round {round}"
            );
            assert!(
                (0..LAYER_CELLS).all(|at| less.contains(at) == (at != cell && a.contains(at))),
                "round {round}"
            );
        }
    }

    #[test]
    fn neighbours_are_those_found_cell_by_cell() {
        let mut random = fastrand::Rng::with_seed(8);
        for round in 0..50 {
            let mut layer = || LayerMask(core::array::from_fn(|_| random.u64(..)));
            let (own, beyond) = (layer(), [layer(), layer(), layer(), layer()]);
            let at = |bits: &LayerMask, x: usize, z: usize| bits.contains(x + 16 * z);
            let shifted = own.shifted(&beyond);
            let (spread, leaving) = (own.spread(), own.leaving());
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
                assert!(!bits.iter().any(off_border), "round {round}: side {side}");
            }
        }
    }

    #[test]
    fn shifts_cross_words_and_borders() {
        let inside = set(&[(3, 4)]);
        let [west, east, north, south] = inside.shifted(&[LayerMask::NONE; 4]);
        assert_eq!([west, east], [set(&[(4, 4)]), set(&[(2, 4)])]);
        assert_eq!([north, south], [set(&[(3, 5)]), set(&[(3, 3)])]);
        let beyond = [set(&[(15, 2)]), set(&[(0, 3)]), set(&[(4, 15)]), set(&[(5, 0)])];
        let shifted = LayerMask::NONE.shifted(&beyond);
        assert_eq!(shifted, [set(&[(0, 2)]), set(&[(15, 3)]), set(&[(4, 0)]), set(&[(5, 15)])]);
        assert_eq!(set(&[(0, 2)]).leaving()[0], set(&[(15, 2)]));
        assert_eq!(set(&[(15, 3)]).leaving()[1], set(&[(0, 3)]));
        assert_eq!(set(&[(4, 0)]).leaving()[2], set(&[(4, 15)]));
        assert_eq!(set(&[(5, 15)]).leaving()[3], set(&[(5, 0)]));
    }

    #[test]
    fn a_flood_reaches_what_steps_reach() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..2_000 {
            let dense = LayerMask(core::array::from_fn(|_| random.u64(..) | random.u64(..)));
            let inside = if round % 2 == 0 {
                dense
            } else {
                dense | LayerMask(core::array::from_fn(|_| random.u64(..)))
            };
            let start = LayerMask(core::array::from_fn(|_| {
                random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..)
            }));
            let mut expected = start & inside;
            loop {
                let grown = expected | (expected.spread() & inside);
                if grown == expected {
                    break;
                }
                expected = grown;
            }
            assert_eq!(start.flood(inside), expected, "round {round}");
        }
    }

    #[test]
    fn a_flood_follows_a_winding_path_and_stops_at_gaps() {
        let path = set(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 3)]);
        let apart = set(&[(8, 8), (9, 8)]);
        assert_eq!(set(&[(0, 0)]).flood(path | apart), path);
        assert_eq!(set(&[(5, 5)]).flood(path | apart), LayerMask::NONE);
        assert_eq!(set(&[(5, 5)]).flood(LayerMask::ALL), LayerMask::ALL);
    }

    #[test]
    fn rows_and_sparseness_agree_with_a_count() {
        let mut random = fastrand::Rng::with_seed(8);
        let mut few = 0;
        for round in 0..400 {
            let cells: LayerMask = (0..random.usize(..16)).map(|_| random.usize(..256)).collect();
            let in_row = |z: usize| (0..16).filter(|x| cells.contains(z * 16 + x)).count();
            let in_four_rows = |first: usize| (first..first + 4).map(in_row).sum::<usize>();
            let expected = [0, 4, 8, 12].into_iter().all(|first| in_four_rows(first) <= 3);
            assert_eq!(cells.is_sparse(), expected, "round {round}");
            few += u32::from(expected);
            for z in 0..16 {
                assert!(
                    (0..16).all(|x| (cells.row(z) >> x & 1 != 0) == cells.contains(z * 16 + x)),
                    "round {round}"
                );
                assert_eq!(cells.rows() >> z & 1 != 0, in_row(z) > 0, "round {round}");
            }
        }
        assert!((100..300).contains(&few), "{few} of 400");
    }
}
