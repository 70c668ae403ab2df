//! Chunks whose meshes are out of date, first come, first served: so that those that change in
//! every tick do not keep the others waiting.

use floodplain::ChunkPos;
use std::collections::{BTreeSet, VecDeque};

/// A queue that holds each chunk once.
#[derive(Debug, Default)]
pub struct Stale {
    order: VecDeque<ChunkPos>,
    waiting: BTreeSet<ChunkPos>,
}

impl Stale {
    /// Puts a chunk at the end, unless it waits already.
    pub fn insert(&mut self, chunk: ChunkPos) {
        if self.waiting.insert(chunk) {
            self.order.push_back(chunk);
        }
    }

    /// Takes the first.
    pub fn pop(&mut self) -> Option<ChunkPos> {
        let first = self.order.pop_front()?;
        self.waiting.remove(&first);
        Some(first)
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }
}

impl Extend<ChunkPos> for Stale {
    fn extend<T: IntoIterator<Item = ChunkPos>>(&mut self, chunks: T) {
        chunks.into_iter().for_each(|chunk| self.insert(chunk));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_waits_once_and_in_order() {
        let mut stale = Stale::default();
        stale.extend([ChunkPos::new(2, 0, 0), ChunkPos::new(1, 0, 0), ChunkPos::new(2, 0, 0)]);
        assert_eq!(stale.len(), 2);
        assert_eq!(stale.pop(), Some(ChunkPos::new(2, 0, 0)));
        stale.insert(ChunkPos::new(2, 0, 0));
        assert_eq!(stale.len(), 2);
        assert_eq!(
            [stale.pop(), stale.pop(), stale.pop()],
            [Some(ChunkPos::new(1, 0, 0)), Some(ChunkPos::new(2, 0, 0)), None]
        );
    }
}
