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
