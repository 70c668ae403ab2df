//! Finds the cells of a column whose biome is an ocean. Before 1.15 there is one biome for each
//! column of cells; since then, one for each cube of 4 × 4 × 4 cells. Damaged biomes count as no
//! ocean.

use super::nbt::{Nbt, Tag, kind};
use crate::chunk::{LAYER_CELLS, LayerMask};

/// Biome numbers of oceans before 1.18: ocean, frozen ocean and deep ocean; warm, lukewarm and cold
/// oceans; and their deep variants.
const OCEANS: [u32; 10] = [0, 10, 24, 44, 45, 46, 47, 48, 49, 50];

/// Returns the cells at height `y` that are in an ocean, given the numbers in the field `Biomes`.
pub(super) fn numbered(nbt: &Nbt<'_>, biomes: Tag, y: i32) -> LayerMask {
    let bytes = nbt.bytes(biomes);
    let number = |index: usize| match biomes.kind {
        kind::BYTES => bytes.get(index).map(|&number| u32::from(number)),
        kind::INTS => bytes.as_chunks::<4>().0.get(index).map(|&number| u32::from_be_bytes(number)),
        _ => None,
    };
    let width = if biomes.kind == kind::INTS { 4 } else { 1 };
    let is_flat = bytes.len() <= width * LAYER_CELLS;
    cells(|x, z| {
        let index = if is_flat { x + 16 * z } else { cube(x, (y / 4).max(0) as usize, z) };
        number(index).is_some_and(|number| OCEANS.contains(&number))
    })
}

/// Returns the cells at height `y` that are in an ocean, given the compound `biomes` of their
/// section.
pub(super) fn named(nbt: &Nbt<'_>, biomes: Tag, y: i32) -> LayerMask {
    let read = || {
        let [palette, data] = nbt.select(biomes, ["palette", "data"])?;
        let names = match palette {
            Some(palette) => nbt.texts_in_list(palette.of_kind(kind::LIST)?)?,
            None => Vec::new(),
        };
        let words = match data {
            Some(data) => nbt.longs(data.of_kind(kind::LONGS)?),
            None => Vec::new(),
        };
        Ok::<_, super::nbt::Malformed>((names, words))
    };
    let Ok((names, words)) = read() else { return LayerMask::NONE };
    // The indices are packed like states of blocks since 1.16, but with as few bits as possible.
    let bits = usize::BITS - names.len().saturating_sub(1).leading_zeros();
    let index_of = |cube: usize| match 64_usize.checked_div(bits as usize) {
        None => 0,
        Some(fit) => {
            let word = words.get(cube / fit).copied().unwrap_or(0);
            (word >> (cube % fit * bits as usize)) as usize & ((1 << bits) - 1)
        }
    };
    cells(|x, z| {
        let name = names.get(index_of(cube(x, (y & 15) as usize / 4, z)));
        name.is_some_and(|name| name.ends_with("ocean"))
    })
}

/// Returns the index of the cube at the cell coordinates `x` and `z` in a layer of cubes.
fn cube(x: usize, layer: usize, z: usize) -> usize {
    x / 4 + z / 4 * 4 + layer * 16
}

fn cells(is_in: impl Fn(usize, usize) -> bool) -> LayerMask {
    let mut cells = LayerMask::NONE;
    (0..LAYER_CELLS).filter(|&cell| is_in(cell % 16, cell / 16)).for_each(|at| cells.insert(at));
    cells
}

#[cfg(test)]
mod tests {
    use super::super::nbt::splice;
    use super::*;

    /// Checks a field with deep ocean in the west, x = 0 to 7, of the layer of cubes at y = 60 to
    /// 63, and plains elsewhere.
    fn check(field: u8, payload: &[u8], ocean: impl Fn(&Nbt<'_>, Tag, i32) -> LayerMask) {
        let root = splice::compound(&[splice::field(field, "x", payload)]);
        let document = splice::field(kind::COMPOUND, "", &root);
        let nbt = Nbt::read(&document).unwrap();
        let tag = nbt.get(nbt.root, "x", field).unwrap().unwrap();
        let west = cells(|x, _| x < 8);
        assert_eq!(ocean(&nbt, tag, 62), west);
    }

    fn ints(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
        let numbers: Vec<u8> = numbers.flat_map(u32::to_be_bytes).collect();
        [&((numbers.len() / 4) as u32).to_be_bytes()[..], &numbers].concat()
    }

    #[test]
    fn oceans_lie_where_each_version_stores_them() {
        let number = |x: usize| if x < 8 { 24 } else { 1 };
        let flat: Vec<u8> = (0..256).map(|cell| number(cell % 16) as u8).collect();
        check(kind::BYTES, &splice::byte_array(&flat), numbered);
        check(kind::INTS, &ints((0..256).map(|cell| number(cell % 16))), numbered);
        let cubes = (0..1024).map(|cube| if cube / 16 == 15 { number(cube % 4 * 4) } else { 1 });
        check(kind::INTS, &ints(cubes), numbered);

        let names = ["minecraft:plains", "minecraft:deep_ocean"].map(splice::text).concat();
        let palette = [&[kind::TEXT, 0, 0, 0, 2][..], &names].concat();
        // There is a bit for each cube; the cubes at y = 60 have the last sixteen.
        let words = splice::long_array(&[0x3333 << 48]);
        let section = splice::compound(&[
            splice::field(kind::LIST, "palette", &palette),
            splice::field(kind::LONGS, "data", &words),
        ]);
        check(kind::COMPOUND, &section, named);
    }

    #[test]
    fn damaged_biomes_are_no_ocean() {
        let root = splice::field(kind::COMPOUND, "", &splice::compound(&[]));
        let nbt = Nbt::read(&root).unwrap();
        assert_eq!(named(&nbt, nbt.root, 62), LayerMask::NONE);
        assert_eq!(numbered(&nbt, nbt.root, 62), LayerMask::NONE);
    }
}
