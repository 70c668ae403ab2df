//! Lists whose places are taken again once they are free (slab), in pages, so that a list grows
//! without being moved.

use core::ops::{Index, IndexMut};

/// Items of a page.
const PAGE: usize = 256;

/// See the top of this file. What an item holds in a free place is up to the caller.
pub(super) struct Slab<T> {
    /// All full but the last.
    pages: Vec<Vec<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { pages: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Puts an item in a free place. Returns its number.
    pub(super) fn add(&mut self, item: T) -> u32 {
        if let Some(at) = self.free.pop() {
            self[at] = item;
            return at;
        }
        if self.pages.last().is_none_or(|page| page.len() == PAGE) {
            self.pages.push(Vec::new());
        }
        let full = (self.pages.len() - 1) * PAGE;
        let page = &mut self.pages[full / PAGE];
        page.push(item);
        (full + page.len() - 1) as u32
    }

    /// Frees the place of an item.
    pub(super) fn free(&mut self, at: u32) {
        self.free.push(at);
    }

    /// Returns the item of a place, also of a free one; `None` if there never was one.
    pub(super) fn get(&self, at: u32) -> Option<&T> {
        self.pages.get(at as usize / PAGE)?.get(at as usize % PAGE)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.pages.get_mut(at as usize / PAGE)?.get_mut(at as usize % PAGE)
    }

    /// Returns all items, also those in free places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flatten()
    }

    /// Returns the bytes held, without what the items refer to.
    pub(super) fn memory_bytes(&self) -> usize {
        self.pages.iter().map(|page| page.capacity() * size_of::<T>()).sum::<usize>()
            + self.pages.capacity() * size_of::<Vec<T>>()
            + self.free.capacity() * size_of::<u32>()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: u32) -> &T {
        &self.pages[at as usize / PAGE][at as usize % PAGE]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.pages[at as usize / PAGE][at as usize % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::HashMap;

    /// Against a map: items stay where they are, and no place is given twice. As few places are
    /// taken as there ever were items at a time.
    #[test]
    fn items_stay_and_free_places_are_taken_again() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut slab, mut model, mut most) = (Slab::default(), HashMap::new(), 0);
        for round in 0..6_000 {
            if random.u32(..5) > 1 || model.is_empty() {
                assert_eq!(model.insert(slab.add(round), round), None, "round {round}");
                most = most.max(model.len());
            } else {
                let mut places: Vec<u32> = model.keys().copied().collect();
                places.sort_unstable();
                let at = places[random.usize(..places.len())];
                assert_eq!(model.remove(&at), Some(slab[at]), "round {round}");
                slab.free(at);
            }
        }
        for (&at, &item) in &model {
            assert_eq!((slab[at], slab.get(at)), (item, Some(&item)));
            assert_eq!(slab.get_mut(at).copied(), Some(item));
        }
        assert_eq!((slab.iter().count(), slab.get(most as u32)), (most, None));
        assert!(most > 2 * PAGE, "{most} items");
    }
}
