//! The order in which a tick goes over its chunks. Kept between calls, so that a tick can stop anywhere and go on later.

use super::store::Store;
use crate::chunk::ones;
use crate::grid::Slot;
use glam::IVec3;
use std::collections::BTreeMap;

/// What a tick does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// No tick is underway.
    #[default]
    Rest,
    /// Water at the world's end leaves, layer by layer.
    Outflows,
    /// Water falls, settles and is drawn, layer by layer.
    Flow,
    /// Bodies of water are found, chunk by chunk.
    Flood,
    /// Bodies are levelled, one by one.
    Level,
    /// What has ended ebbs away, chunk by chunk.
    Ebb,
}

/// A way over the chunks that take part: rows bottom-up; in a row layers bottom-up; in a layer the chunks in the tick's
/// order. Chunks that join meanwhile have their turn if it is still to come.
#[derive(Default)]
pub(super) struct Schedule {
    /// The members by chunk layer, each row in the tick's order.
    rows: BTreeMap<i32, Vec<Slot>>,
    /// The row that is being worked on, taken out of `rows`, which is searched too slowly to be asked for every layer.
    current: Option<(i32, Vec<Slot>)>,
    /// The layers (by bit) where anything goes on in the row that is worked on, and maybe some more.
    open: u16,
    layer: usize,
    at: usize,
    /// Who had the last turn, at `at` unless somebody has joined before it.
    last: Option<Slot>,
    random: u64,
}

impl Schedule {
    /// Begins a tick with these chunks.
    pub(super) fn begin(&mut self, store: &Store, random: u64) {
        self.rows.clear();
        self.random = random;
        for &slot in store.grid.awake_slots() {
            self.rows.entry(store.grid.position_at(slot).y).or_default().push(slot);
        }
        for row in self.rows.values_mut() {
            row.sort_unstable_by_key(|&slot| row_key(store.grid.position_at(slot), random));
        }
    }

    /// Adds a chunk that joins.
    pub(super) fn join(&mut self, store: &Store, slot: Slot) {
        let position = store.grid.position_at(slot);
        let row = match &mut self.current {
            Some((y, row)) if *y == position.y => row,
            _ => self.rows.entry(position.y).or_default(),
        };
        let at = place_of(store, row, slot, self.random);
        row.insert(at, slot);
    }

    /// Notes that something goes on in a layer of a member.
    #[inline]
    pub(super) fn open(&mut self, store: &Store, slot: Slot, layer: usize) {
        if self.current.as_ref().is_some_and(|(y, _)| *y == store.grid.position_at(slot).y) {
            self.open |= 1 << layer;
        }
    }

    /// The next layer of those that are open (the layers of a chunk, by bit), or `None` at the end; then the way begins
    /// anew.
    #[inline]
    pub(super) fn next(&mut self, store: &Store, open: impl Fn(Slot) -> u16) -> Option<(Slot, usize)> {
        if self.current.is_none() && !self.next_row(&open) {
            return None;
        }
        loop {
            let row = self.current.as_ref().map_or(&[][..], |(_, row)| row);
            if let Some(last) = self.last.take() {
                if row.get(self.at) != Some(&last) {
                    self.at = place_of(store, row, last, self.random);
                }
                self.at += 1;
            }
            while let Some(&slot) = row.get(self.at) {
                if open(slot) >> self.layer & 1 != 0 {
                    self.last = Some(slot);
                    return Some((slot, self.layer));
                }
                self.at += 1;
            }
            let above = u32::from(self.open) >> (self.layer + 1);
            (self.at, self.layer) = (0, self.layer + 1 + above.trailing_zeros() as usize);
            if above == 0 && !self.next_row(&open) {
                return None;
            }
        }
    }

    /// Goes on to the lowest row above the one that is worked on, or begins with the lowest of all; `false` when there is
    /// none left.
    fn next_row(&mut self, open: impl Fn(Slot) -> u16) -> bool {
        let next = match self.current.take() {
            None => self.rows.keys().next().copied(),
            Some((y, row)) => {
                self.rows.insert(y, row);
                y.checked_add(1).and_then(|above| self.rows.range(above..).next()).map(|(&row, _)| row)
            }
        };
        self.current = next.and_then(|y| self.rows.remove_entry(&y));
        let row = self.current.as_ref().map_or(&[][..], |(_, row)| row);
        self.open = row.iter().fold(0, |layers, &slot| layers | open(slot));
        // With no layer open, the first is found empty.
        self.layer = self.open.trailing_zeros() as usize % 16;
        self.current.is_some()
    }

    /// All members, rows bottom-up, each in the tick's order. Between two ways only.
    pub(super) fn members(&self) -> Vec<Slot> {
        self.rows.values().flatten().copied().collect()
    }

    /// Whether a layer of a member has its turn still to come.
    pub(super) fn is_ahead(&self, store: &Store, slot: Slot, layer: usize) -> bool {
        let position = store.grid.position_at(slot);
        let Some((y, row)) = &self.current else { return true };
        let turn = |slot: Slot| row_key(store.grid.position_at(slot), self.random);
        let behind = |last: Slot| turn(slot) <= turn(last);
        match position.y.cmp(y).then(layer.cmp(&self.layer)) {
            core::cmp::Ordering::Equal => !self.last.or(row.last().copied()).is_some_and(behind),
            order => order.is_gt(),
        }
    }
}

/// A way over a list of chunks, one after the other, and over the layers of each.
#[derive(Default)]
pub(super) struct Sweep {
    chunks: Vec<Slot>,
    at: usize,
    layer: u32,
}

impl Sweep {
    pub(super) fn over(chunks: Vec<Slot>) -> Self {
        Sweep { chunks, at: 0, layer: 0 }
    }

    /// The next layer; `open` says which layers (by bit) of a chunk there are.
    #[inline]
    pub(super) fn next(&mut self, open: impl Fn(Slot) -> u16) -> Option<(Slot, usize)> {
        while let Some(&slot) = self.chunks.get(self.at) {
            let left = u32::from(open(slot)) >> self.layer << self.layer;
            if left != 0 {
                let layer = left.trailing_zeros();
                self.layer = layer + 1;
                return Some((slot, layer as usize));
            }
            (self.at, self.layer) = (self.at + 1, 0);
        }
        None
    }

    /// The layers that have their turn still to come, of those that `open` says there are.
    pub(super) fn ahead(&self, open: impl Fn(Slot) -> u16) -> impl Iterator<Item = (Slot, usize)> {
        let chunks = self.chunks.iter().enumerate().skip(self.at);
        chunks.flat_map(move |(at, &slot)| {
            let first = if at == self.at { self.layer } else { 0 };
            let layers = u64::from(open(slot)) >> first << first;
            ones(layers).map(move |layer| (slot, layer))
        })
    }
}

/// The place of a chunk, there or not yet, in the order of a row.
fn place_of(store: &Store, row: &[Slot], slot: Slot, random: u64) -> usize {
    let key = row_key(store.grid.position_at(slot), random);
    row.partition_point(|&other| row_key(store.grid.position_at(other), random) < key)
}

/// The order of a row's chunks: by z, then x, each running up or down as the tick's random bits say.
fn row_key(position: IVec3, flip: u64) -> (i32, i32) {
    let turn = |value: i32, bit: u64| if flip >> bit & 1 == 0 { value } else { -value };
    (turn(position.z, 0), turn(position.x, 1))
}

#[cfg(test)]
mod tests {
    use super::super::rules::Edges;
    use super::super::voxel::Voxel;
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use hashbrown::{HashMap, HashSet};

    /// Layers open while the way is under way, in chunks that take part and in others, which join: whatever is opened ahead
    /// has its turn once, in order, and what is opened behind has none until the way begins anew.
    #[test]
    fn whatever_opens_ahead_has_its_turn_in_order() {
        for seed in 0..100 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            for _ in 0..12 {
                let chunk = IVec3::from_array([0; 3].map(|_| random.i32(-2..3)));
                store.insert(chunk, Chunk::uniform(Voxel::OPEN.with_height(3)));
            }
            let slots = store.grid.sorted_slots();
            let mut open: HashMap<Slot, u16> = HashMap::new();
            for &slot in &slots[random.usize(..slots.len())..] {
                store.grid.wake_at(slot, 0);
                open.insert(slot, random.u16(..) & random.u16(..));
            }
            let flips = random.u64(..);
            let turn = |slot: Slot, layer: usize| {
                let IVec3 { x, y, z } = store.grid.position_at(slot);
                let along = |value: i32, bit: u32| if flips & 1 << bit == 0 { value } else { -value };
                (y, layer, along(z, 0), along(x, 1))
            };
            let layers_of = |open: &HashMap<Slot, u16>| -> HashSet<(Slot, usize)> {
                let layers = |(&slot, &layers): (&Slot, &u16)| ones(u64::from(layers)).map(move |layer| (slot, layer));
                open.iter().flat_map(layers).collect()
            };
            let mut schedule = Schedule::default();
            schedule.begin(&store, flips);
            for way in 0..3 {
                let mut expected = layers_of(&open);
                let mut last = None;
                while let Some((slot, layer)) = schedule.next(&store, |slot| open.get(&slot).copied().unwrap_or(0)) {
                    assert!(last < Some(turn(slot, layer)), "seed {seed}, way {way}: out of order");
                    assert!(expected.remove(&(slot, layer)), "seed {seed}, way {way}: {slot:?}, {layer}");
                    last = Some(turn(slot, layer));
                    for (&slot, &layers) in &open {
                        for layer in ones(u64::from(layers)) {
                            let ahead = last < Some(turn(slot, layer));
                            assert_eq!(schedule.is_ahead(&store, slot, layer), ahead, "seed {seed}, way {way}");
                        }
                    }
                    for _ in 0..random.usize(..3) {
                        let (slot, layer) = (slots[random.usize(..slots.len())], random.usize(..16));
                        if !open.contains_key(&slot) {
                            schedule.join(&store, slot);
                        }
                        let layers = open.entry(slot).or_default();
                        let is_new = *layers >> layer & 1 == 0;
                        *layers |= 1 << layer;
                        schedule.open(&store, slot, layer);
                        if is_new && last < Some(turn(slot, layer)) {
                            expected.insert((slot, layer));
                        }
                    }
                }
                assert!(expected.is_empty(), "seed {seed}, way {way}: {expected:?} had no turn");
                let members = schedule.members();
                assert!(members.is_sorted_by_key(|&slot| turn(slot, 0)) && members.len() == open.len());
            }
        }
    }

    #[test]
    fn a_sweep_goes_over_all_layers_of_one_chunk_after_the_other() {
        let mut random = fastrand::Rng::with_seed(12);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for x in 0..5 {
            store.insert(IVec3::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid.sorted_slots();
        for round in 0..200 {
            let layers: HashMap<Slot, u16> = slots.iter().map(|&slot| (slot, random.u16(..))).collect();
            let of = |slot: &Slot| ones(u64::from(layers[slot])).map(|layer| (*slot, layer)).collect::<Vec<_>>();
            let all: Vec<(Slot, usize)> = slots.iter().flat_map(of).collect();
            let mut sweep = Sweep::over(slots.clone());
            for at in 0..all.len() {
                assert!(sweep.ahead(|slot| layers[&slot]).eq(all[at..].iter().copied()), "round {round}");
                assert_eq!(sweep.next(|slot| layers[&slot]), Some(all[at]), "round {round}");
            }
            assert_eq!(sweep.ahead(|slot| layers[&slot]).count(), 0);
            assert_eq!(sweep.next(|slot| layers[&slot]), None);
        }
    }
}
