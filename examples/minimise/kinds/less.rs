//! What is less of regions, lists, numbers, chunks and beginnings, for edits of every kind.

use super::Cells;
use floodplain::glam::IVec3;
use floodplain::testing::Start;
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Region};

/// Returns parts of a region: its halves, then all but its outermost cells, along each axis.
pub fn parts(region: Region) -> impl Iterator<Item = Region> {
    let (min, max) = (region.min(), region.max());
    let cut = move |axis: usize, less: i32| {
        let mut cuts = Vec::new();
        if less > 0 {
            let (mut low, mut high) = (min, max);
            low[axis] += less;
            high[axis] -= less;
            cuts.extend([Region::new(low, max), Region::new(min, high)]);
        }
        cuts
    };
    let side = move |axis: usize| (i64::from(max[axis]) - i64::from(min[axis])).min(1 << 30) as i32;
    let halves = (0..3).flat_map(move |axis| cut(axis, side(axis) - side(axis) / 2));
    halves.chain((0..3).flat_map(move |axis| cut(axis, side(axis).min(1))))
}

/// Returns an edit of the only cell of a region, or edits of its parts.
pub fn regions<E>(
    region: Region,
    of_cell: impl FnOnce(IVec3) -> E,
    of_region: impl Fn(Region) -> E,
) -> Vec<E> {
    match region.volume() {
        1 => vec![of_cell(region.min())],
        _ => parts(region).map(of_region).collect(),
    }
}

/// Returns the halves of a list, then the list without each of its items. A single one is left.
pub fn fewer<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> {
    let half = if list.len() > 3 { list.len() / 2 } else { 0 };
    let halves = [&list[..half], &list[half..]].into_iter().filter(move |_| half > 0);
    let from = if list.len() > 1 { 0 } else { list.len() };
    let without = |nth: usize| [&list[..nth], &list[nth + 1..]].concat();
    halves.map(<[T]>::to_vec).chain((from..list.len()).map(without))
}

/// Returns fewer units, 1 at least.
pub fn fewer_units(units: u32) -> Vec<u32> {
    let mut all = vec![1, units / 2, units.saturating_sub(1)];
    all.retain(|&fewer| fewer > 0 && fewer < units);
    all.dedup();
    all
}

/// Returns numbers nearer to 0, whole ones.
pub fn nearer(number: f64) -> Vec<f64> {
    if !number.is_finite() {
        return Vec::new();
    }
    let mut all = vec![0.0, number.signum(), (number / 2.0).trunc()];
    all.retain(|nearer| nearer.abs() < number.abs());
    all.dedup();
    all
}

/// As [`nearer`], in single precision.
pub fn nearer_f32(number: f32) -> Vec<f32> {
    nearer(number.into()).into_iter().map(|nearer| nearer as f32).collect()
}

/// Returns chunks of equal cells in the place of one that is not.
pub fn equal<T: Copy + PartialEq>(chunk: &Chunk<T>, cells: &[T]) -> Vec<Chunk<T>> {
    match chunk.as_uniform() {
        Some(_) => Vec::new(),
        None => cells.iter().map(|&cell| Chunk::uniform(cell)).collect(),
    }
}

/// Returns fewer chunks, and as many with one of equal cells.
pub fn fewer_chunks<T: Copy + PartialEq>(
    chunks: &[(ChunkPos, Chunk<T>)],
    plain: T,
) -> Vec<Vec<(ChunkPos, Chunk<T>)>> {
    let plainer = (0..chunks.len()).flat_map(|nth| {
        equal(&chunks[nth].1, &[plain]).into_iter().map(move |chunk| {
            let mut chunks = chunks.to_vec();
            chunks[nth].1 = chunk;
            chunks
        })
    });
    fewer(chunks).chain(plainer).collect()
}

/// Returns the cells of chunks that are not plain, unless each chunk has equal ones.
pub fn cells<T: Copy + PartialEq + 'static, E>(
    chunks: Vec<(ChunkPos, Chunk<T>)>,
    plain: T,
    edit: impl Fn(Vec<(ChunkPos, Chunk<T>)>) -> E + 'static,
) -> Option<Cells<E>> {
    if chunks.iter().all(|(_, chunk)| chunk.as_uniform().is_some()) {
        return None;
    }
    let cell = |chunks: &[(ChunkPos, Chunk<T>)], at: usize| {
        chunks[at / CHUNK_CELLS].1.get(at % CHUNK_CELLS)
    };
    let all = 0..chunks.len() * CHUNK_CELLS;
    let kept: Vec<usize> = all.filter(|&at| cell(&chunks, at) != plain).collect();
    let with = move |kept: &[usize]| {
        let mut fewer: Vec<(ChunkPos, Chunk<T>)> =
            chunks.iter().map(|&(position, _)| (position, Chunk::uniform(plain))).collect();
        for &at in kept {
            fewer[at / CHUNK_CELLS].1.set(at % CHUNK_CELLS, cell(&chunks, at));
        }
        edit(fewer)
    };
    (!kept.is_empty()).then(|| Cells { kept, with: Box::new(with) })
}

/// Returns beginnings with these rules, with the seed 0, and within narrower bounds.
pub fn plainer<R: Copy + PartialEq>(
    start: &Start<R>,
    rules: impl IntoIterator<Item = R>,
) -> Vec<Start<R>> {
    let of_rules = rules.into_iter().map(|rules| Start { rules, ..*start });
    let seedless = Start { seed: 0, ..*start };
    let narrower = parts(start.bounds).map(|bounds| Start { bounds, ..*start });
    let all = of_rules.chain([seedless]).chain(narrower);
    all.filter(|plainer| plainer != start).collect()
}

/// Returns rules with all fields as in plain ones, and with each field by itself.
macro_rules! plainer_rules {
    ($rules:expr, $plain:expr, [$($field:ident),+]) => {{
        let (rules, plain) = (*$rules, $plain);
        let mut all = vec![plain];
        $(
            let mut one = rules;
            one.$field = plain.$field;
            all.push(one);
        )+
        all
    }};
}
pub(super) use plainer_rules;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_less_and_lie_within() {
        let region = Region::new(IVec3::new(-3, 0, 4), IVec3::new(5, 0, 9));
        let parts: Vec<Region> = parts(region).collect();
        assert_eq!(parts.len(), 8, "two halves and two of all but one, along x and z");
        for part in parts {
            assert!(part.volume() < region.volume());
            assert!(region.contains(part.min()) && region.contains(part.max()));
        }
    }

    #[test]
    fn lists_and_numbers_become_less() {
        assert_eq!(fewer(&[1, 2, 3]).collect::<Vec<_>>(), [[2, 3], [1, 3], [1, 2]]);
        assert_eq!(
            fewer(&[1, 2, 3, 4]).take(3).collect::<Vec<_>>(),
            [vec![1, 2], vec![3, 4], vec![2, 3, 4]]
        );
        assert_eq!(fewer(&[1]).count(), 0);
        assert_eq!((fewer_units(7), fewer_units(2)), (vec![1, 3, 6], vec![1]));
        assert_eq!((fewer_units(1), fewer_units(0)), (vec![], vec![]));
        assert_eq!(nearer(-9.5), [0.0, -1.0, -4.0]);
        assert_eq!((nearer(0.25), nearer(f64::NAN)), (vec![0.0], vec![]));
    }
}
