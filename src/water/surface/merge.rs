//! Greedy meshing: equal cells of a layer are joined into few rectangles.

use crate::chunk::LAYER_CELLS;

/// A rectangle of cells of a layer: the cells from `x` and `z` on, up to but excluding `x_end` and
/// `z_end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) x: usize,
    pub(super) z: usize,
    pub(super) x_end: usize,
    pub(super) z_end: usize,
}

/// Calls `emit` with rectangles that cover each cell with a key once, and no other cell. All cells
/// of a rectangle have equal keys. Each rectangle is extended along x first, and then along z;
/// `along` returns whether it may grow along x and along z.
pub(super) fn rectangles<Key: PartialEq>(
    mut keys: [Option<Key>; LAYER_CELLS],
    along: [bool; 2],
    mut emit: impl FnMut(Rectangle),
) {
    for start in 0..LAYER_CELLS {
        let Some(key) = keys[start].take() else { continue };
        let (x, z) = (start & 15, start >> 4);
        let is_equal = |keys: &[Option<Key>], x: usize, z: usize| {
            keys[z << 4 | x].as_ref().is_some_and(|other| *other == key)
        };
        let mut x_end = x + 1;
        while along[0] && x_end < 16 && is_equal(&keys, x_end, z) {
            keys[z << 4 | x_end] = None;
            x_end += 1;
        }
        let mut z_end = z + 1;
        while along[1] && z_end < 16 && (x..x_end).all(|x| is_equal(&keys, x, z_end)) {
            keys[z_end * 16 + x..z_end * 16 + x_end].fill_with(|| None);
            z_end += 1;
        }
        emit(Rectangle { x, z, x_end, z_end });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn rectangles_cover_each_cell_with_a_key_once() {
        for seed in 0..200 {
            let mut rng = Rng::with_seed(seed);
            let kinds = rng.u8(1..4);
            let keys: [Option<u8>; LAYER_CELLS] =
                core::array::from_fn(|_| Some(rng.u8(..=kinds)).filter(|&key| key < kinds));
            let along = [rng.bool(), rng.bool()];
            let mut covered = [None; LAYER_CELLS];
            rectangles(keys, along, |Rectangle { x, z, x_end, z_end }| {
                assert!(along[0] || x_end == x + 1, "seed {seed}");
                assert!(along[1] || z_end == z + 1, "seed {seed}");
                for z in z..z_end {
                    for x in x..x_end {
                        let cell = &mut covered[z << 4 | x];
                        assert!(cell.is_none(), "seed {seed}");
                        *cell = keys[z << 4 | x];
                    }
                }
            });
            assert_eq!(covered, keys, "seed {seed}");
        }
    }

    #[test]
    fn equal_cells_are_one_rectangle() {
        let mut all = Vec::new();
        rectangles([Some(0); LAYER_CELLS], [true, true], |rectangle| all.push(rectangle));
        assert_eq!(all, [Rectangle { x: 0, z: 0, x_end: 16, z_end: 16 }]);
    }
}
