//! One chunk and one mask against plain arrays and sets. Property tests and the fuzz target
//! `chunk_store` make the operations.

use floodplain::{CHUNK_CELLS, CellMask, Chunk};
use std::collections::BTreeSet;

/// Every public function that changes a chunk or a mask.
#[derive(Clone, Debug)]
pub enum ChunkOp {
    Set(usize, u16),
    Fill(u16),
    /// Writes through the open slice, a run of this many cells, and canonicalises.
    Cells(usize, usize, u16),
    /// The same, but leaves the chunk loose: stored cell by cell, whatever they are.
    Loosen(usize, usize, u16),
    Canonicalize,
    FromCells,
    MaskInsert(usize),
    MaskRemove(usize),
    MaskSet(usize, bool),
    /// A word of 64 cells as a whole.
    MaskWord(usize, u64),
    MaskUnion(Vec<usize>),
}

/// Applies the operations to both and compares after each.
pub fn run(ops: &[ChunkOp]) {
    let (mut chunk, mut cells) = (Chunk::uniform(0u16), vec![0u16; CHUNK_CELLS]);
    // Whether the open slice was handed out and nothing has made the chunk canonical since.
    let mut is_loose = false;
    let (mut mask, mut set) = (CellMask::EMPTY, BTreeSet::new());
    for op in ops {
        match op {
            &ChunkOp::Set(index, value) => {
                let wrapped = index % CHUNK_CELLS;
                assert_eq!(
                    chunk.set(index, value),
                    core::mem::replace(&mut cells[wrapped], value),
                    "{op:?}"
                );
                assert_eq!(chunk.get(index), value);
                is_loose = false;
            }
            &ChunkOp::Fill(value) => {
                chunk.fill(value);
                cells.fill(value);
                is_loose = false;
            }
            &ChunkOp::Cells(from, count, value) | &ChunkOp::Loosen(from, count, value) => {
                let run = from % CHUNK_CELLS..(from % CHUNK_CELLS + count).min(CHUNK_CELLS);
                chunk.cells_mut()[run.clone()].fill(value);
                cells[run].fill(value);
                is_loose = matches!(op, ChunkOp::Loosen(..));
                if !is_loose {
                    assert_eq!(chunk.canonicalize(), are_equal(&cells), "{op:?}");
                }
            }
            ChunkOp::Canonicalize => {
                assert_eq!(chunk.canonicalize(), are_equal(&cells), "{op:?}");
                is_loose = false;
            }
            ChunkOp::FromCells => {
                let rebuilt = Chunk::from_cells(cells.first_chunk().expect("4096 cells"));
                let is_form_the_same = !is_loose || !are_equal(&cells);
                assert_eq!(
                    rebuilt == chunk,
                    is_form_the_same,
                    "equal cells in the same form make equal chunks"
                );
                chunk = rebuilt;
                is_loose = false;
            }
            &ChunkOp::MaskInsert(index) => {
                assert_eq!(mask.insert(index), set.insert(index % CHUNK_CELLS))
            }
            &ChunkOp::MaskRemove(index) => {
                assert_eq!(mask.remove(index), set.remove(&(index % CHUNK_CELLS)))
            }
            &ChunkOp::MaskSet(index, present) => {
                mask.set(index, present);
                set.remove(&(index % CHUNK_CELLS));
                set.extend(present.then_some(index % CHUNK_CELLS));
            }
            &ChunkOp::MaskWord(word, bits) => {
                mask.words_mut()[word % 64] = bits;
                let first = word % 64 * 64;
                set.retain(|index| !(first..first + 64).contains(index));
                set.extend((0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit));
            }
            ChunkOp::MaskUnion(more) => {
                let mut other = CellMask::default();
                for &index in more {
                    other.insert(index);
                }
                let meets = more.iter().any(|index| set.contains(&(index % CHUNK_CELLS)));
                assert_eq!(mask.intersects(&other), meets, "{op:?}");
                mask.union_with(&other);
                set.extend(more.iter().map(|index| index % CHUNK_CELLS));
            }
        }
        compare_chunk(&chunk, &cells, is_loose);
        compare_mask(&mask, &set);
    }
}

fn are_equal(cells: &[u16]) -> bool {
    cells.iter().all(|&cell| cell == cells[0])
}

fn compare_chunk(chunk: &Chunk<u16>, cells: &[u16], is_loose: bool) {
    let uniform = (!is_loose && are_equal(cells)).then_some(cells[0]);
    assert_eq!(chunk.as_uniform(), uniform);
    assert_eq!(chunk.as_dense().map(|dense| &dense[..]), uniform.is_none().then_some(cells));
    assert!((0..CHUNK_CELLS).all(|index| chunk.get(index) == cells[index]));
    assert_eq!(chunk.heap_bytes(), if uniform.is_some() { 0 } else { 2 * CHUNK_CELLS });
    assert_eq!(chunk.validate().is_ok(), uniform.is_some() || !are_equal(cells));
    assert!(chunk == &chunk.clone());
}

fn compare_mask(mask: &CellMask, set: &BTreeSet<usize>) {
    assert!(mask.iter().eq(set.iter().copied()));
    assert_eq!(
        (mask.len(), mask.is_empty(), mask.is_full()),
        (set.len(), set.is_empty(), set.len() == CHUNK_CELLS)
    );
    assert!(set.iter().all(|&index| mask.contains(index) && mask.contains(index + CHUNK_CELLS)));
    assert_eq!(
        mask.words().iter().map(|word| word.count_ones() as usize).sum::<usize>(),
        set.len()
    );
    assert_eq!(format!("{mask:?}"), format!("{set:?}"));
}
