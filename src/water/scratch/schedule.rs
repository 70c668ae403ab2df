//! The order in which the phases of a tick visit its chunks. It is kept between calls, so a tick
//! can stop after any piece and resume.

use crate::chunk::ones;
use crate::grid::{LayerId, Slot};
use crate::water::random::mix;
#[cfg(feature = "rayon")]
use crate::water::scratch::tiles::Scope;
use crate::water::scratch::tiles::{Rank, Tiling};
use crate::water::store::Store;
use core::ops::Range;

/// The next step of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// No tick is underway.
    #[default]
    Rest,
    /// Records of the last tick are freed. Chunks with awake cells or restless steady flow enter.
    Begin,
    /// Steady flow is checked and searched for, and passes.
    Steady,
    /// Water falls and spreads, layer by layer.
    Flow,
    /// Films draw from springs along their parents, layer by layer.
    Draw,
    /// The labels of bodies of water are updated, and bodies that are not level are found.
    Flood,
    /// Bodies are levelled, those beyond a tile first, then tile by tile.
    Level,
    /// Activity falls, parents change and cells fall asleep, chunk by chunk.
    Ebb,
    /// Effects of the ebb beyond a layer are propagated, and changes are published.
    End,
}

/// The order in which a phase visits chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Tile by tile, each from the bottom up.
    #[default]
    Tiles,
    /// The whole world from the bottom up.
    World,
}

/// The chunks that are visited layer by layer together: the chunks of a tile, or of the world, at
/// one y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    tile: Rank,
    y: i32,
}

/// An iteration over the chunks that take part: rows of chunks bottom-up, the layers of a row
/// bottom-up, the chunks of a layer in the tick's order. A chunk that joins during the iteration is
/// visited if its place in the order is still ahead.
#[derive(Default)]
pub(crate) struct Schedule {
    /// The chunks to be visited, row by row, each row in the tick's order.
    members: Vec<Slot>,
    /// The members that are left out of the iteration, in the order of [`Order::Tiles`].
    aside: Vec<Slot>,
    /// The members of the current row.
    row: Option<Range<usize>>,
    /// The layers (by bit) of the current row that may have work.
    open: u16,
    layer: usize,
    at: usize,
    /// The member visited last. It is at index `at` unless another member has joined before it.
    last: Option<Slot>,
    random: u64,
    order: Order,
    tiling: Tiling,
    /// The only tile that is visited; `None` for all tiles.
    only: Option<Rank>,
}

/// The sort key of the members: their row, then a hash of the tick and the column.
type VisitKey = (RowKey, u64);

impl Schedule {
    /// Begins a tick with the chunks that are awake and those that `add_others` adds, tile by tile.
    pub(crate) fn begin(
        &mut self,
        store: &Store,
        random: u64,
        add_others: impl FnOnce(&mut Vec<Slot>),
    ) {
        *self = Schedule {
            members: core::mem::take(&mut self.members),
            aside: core::mem::take(&mut self.aside),
            random,
            tiling: Tiling::new(random),
            ..Schedule::default()
        };
        self.members.clear();
        add_others(&mut self.members);
        self.members.extend_from_slice(store.grid().awake_slots());
        self.sort_members(store);
    }

    /// Begins an iteration over the whole world, with the members that satisfy `takes_part`. The
    /// other members are set aside until the next iteration.
    pub(crate) fn begin_world(&mut self, store: &Store, takes_part: impl Fn(Slot) -> bool) {
        (self.order, self.row, self.last, self.only) = (Order::World, None, None, None);
        core::mem::swap(&mut self.members, &mut self.aside);
        let members = &mut self.members;
        self.aside.retain(|&slot| {
            let is_in = takes_part(slot);
            if is_in {
                members.push(slot);
            }
            !is_in
        });
        self.sort_members(store);
    }

    /// Begins an iteration over all members, tile by tile.
    pub(crate) fn begin_tiles(&mut self, store: &Store) {
        (self.order, self.row, self.last, self.only) = (Order::Tiles, None, None, None);
        if self.members.is_empty() {
            core::mem::swap(&mut self.members, &mut self.aside);
        } else {
            self.members.append(&mut self.aside);
            self.sort_members(store);
        }
    }

    fn sort_members(&mut self, store: &Store) {
        let mut members = core::mem::take(&mut self.members);
        self.sort(store, &mut members);
        self.members = members;
    }

    /// Sorts chunks in the order of the phase, which takes half a millisecond for some 5,000 of
    /// them.
    pub(crate) fn sort(&self, store: &Store, chunks: &mut [Slot]) {
        chunks.sort_by_cached_key(|&slot| self.visit_key(store, slot));
    }

    /// Returns the tile of a chunk.
    pub(crate) fn tile_of(&self, store: &Store, slot: Slot) -> Rank {
        self.tiling.rank_of(store.grid().position_at(slot))
    }

    /// Returns the scope of a chunk's tile.
    #[cfg(feature = "rayon")]
    pub(crate) fn scope_of(&self, store: &Store, slot: Slot) -> Scope {
        self.tiling.scope_of(store.grid().position_at(slot))
    }

    /// Adds a chunk that takes part.
    pub(crate) fn add_member(&mut self, store: &Store, slot: Slot) {
        let place = self.place_of(store, slot);
        if let Some(row) = self.row.clone() {
            let (own, of_row) = (self.row_key(store, slot), self.key_of_row(store, &row));
            let (before, within) = (own < of_row, own <= of_row);
            self.row = Some(row.start + usize::from(before)..row.end + usize::from(within));
        }
        self.members.insert(place, slot);
    }

    /// Records that a layer of a member has work.
    #[inline]
    pub(crate) fn open(&mut self, store: &Store, layer: LayerId) {
        let own = self.row_key(store, layer.slot);
        if self.row.as_ref().is_some_and(|row| self.key_of_row(store, row) == own) {
            self.open |= 1 << layer.y;
        }
    }

    /// Returns the next layer to be visited; `None` at the end, after which the next call starts
    /// again from the beginning. `open` returns the layers (by bit) of a chunk that have work.
    #[inline]
    pub(crate) fn next(&mut self, store: &Store, open: impl Fn(Slot) -> u16) -> Option<LayerId> {
        if self.row.is_none() {
            self.next_row(store, &open)?;
        }
        loop {
            if let Some(last) = self.last.take() {
                if self.members.get(self.at) != Some(&last) {
                    self.at = self.place_of(store, last);
                }
                self.at += 1;
            }
            let row = self.row.clone().unwrap_or_default();
            let has_work = |slot: &Slot| open(*slot) >> self.layer & 1 != 0;
            if let Some(passed) = self.members[self.at..row.end].iter().position(has_work) {
                self.at += passed;
                self.last = Some(self.members[self.at]);
                return self.last.map(|slot| LayerId::new(slot, self.layer));
            }
            let above = u32::from(self.open) >> (self.layer + 1);
            (self.at, self.layer) = (row.start, self.layer + 1 + above.trailing_zeros() as usize);
            if above == 0 {
                self.next_row(store, &open)?;
            }
        }
    }

    /// Moves to the row after the current one, or to the first row if there is no current one, and
    /// finds which of its layers are open. Returns `None` if no row is left.
    fn next_row(&mut self, store: &Store, open: impl Fn(Slot) -> u16) -> Option<()> {
        let start = match (self.row.take(), self.only) {
            (Some(row), _) => row.end,
            (None, Some(tile)) => self.start_of(store, tile),
            (None, None) => 0,
        };
        let left = &self.members[start..];
        let key = self.row_key(store, *left.first()?);
        if self.only.is_some_and(|only| only != key.tile) {
            return None;
        }
        let row = &left[..left.partition_point(|&slot| self.row_key(store, slot) == key)];
        self.open = row.iter().fold(0, |all, &slot| all | open(slot));
        // With no layer open, layer 0 is scanned and found empty.
        (self.layer, self.at) = (self.open.trailing_zeros() as usize % 16, start);
        self.row = Some(start..start + row.len());
        Some(())
    }

    /// Returns the tiles of a turn (0 to 3) that have members, in order, with their members.
    #[cfg(feature = "rayon")]
    pub(crate) fn tiles_of(
        &self,
        store: &Store,
        turn: u64,
    ) -> impl Iterator<Item = (Rank, &[Slot])> {
        let tile_of = |&slot: &Slot| self.row_key(store, slot).tile;
        let tiles = self.members.chunk_by(move |a, b| tile_of(a) == tile_of(b));
        let tiles = tiles.map(move |members| (tile_of(&members[0]), members));
        tiles.filter(move |(tile, _)| tile.turn() == turn)
    }

    /// Begins an iteration over the members of one tile.
    #[cfg(feature = "rayon")]
    pub(crate) fn begin_tile(&mut self, tile: Rank) {
        (self.row, self.last, self.only) = (None, None, Some(tile));
    }

    /// Returns the schedule of a thread that works on tiles with these members.
    #[cfg(feature = "rayon")]
    pub(crate) fn for_members(&self, members: Vec<Slot>) -> Schedule {
        let &Schedule { random, order, tiling, .. } = self;
        Schedule { members, random, order, tiling, ..Schedule::default() }
    }

    /// Returns the members to be visited, in the order of the phase.
    pub(crate) fn members(&self) -> &[Slot] {
        &self.members
    }

    /// Returns whether a layer of a member is still to be visited.
    pub(crate) fn is_ahead(&self, store: &Store, layer: LayerId) -> bool {
        let Some(row) = &self.row else { return true };
        let behind = |last: Slot| self.visit_key(store, layer.slot) <= self.visit_key(store, last);
        let rows = self.row_key(store, layer.slot).cmp(&self.key_of_row(store, row));
        match rows.then(layer.y.cmp(&self.layer)) {
            core::cmp::Ordering::Equal => !self.last.is_some_and(behind),
            order => order.is_gt(),
        }
    }

    /// Returns the index of a chunk among the members, or where it would be inserted.
    fn place_of(&self, store: &Store, slot: Slot) -> usize {
        let key = self.visit_key(store, slot);
        self.members.partition_point(|&other| self.visit_key(store, other) < key)
    }

    /// Returns the index of the first member of a tile, or where it would be.
    fn start_of(&self, store: &Store, tile: Rank) -> usize {
        self.members.partition_point(|&slot| self.row_key(store, slot).tile < tile)
    }

    fn row_key(&self, store: &Store, slot: Slot) -> RowKey {
        let position = store.grid().position_at(slot);
        let tile = match self.order {
            Order::Tiles => self.tiling.rank_of(position),
            Order::World => Rank::default(),
        };
        RowKey { tile, y: position.y }
    }

    /// Returns the key of a row, which is never empty.
    fn key_of_row(&self, store: &Store, row: &Range<usize>) -> RowKey {
        self.row_key(store, self.members[row.start])
    }

    /// Returns the sort key of a member. Two columns never have the same hash, since [`mix`] is a
    /// bijection of its second argument.
    fn visit_key(&self, store: &Store, slot: Slot) -> VisitKey {
        let position = store.grid().position_at(slot);
        let column = u64::from(position.x as u32) | u64::from(position.z as u32) << 32;
        (self.row_key(store, slot), mix(self.random, column))
    }
}

/// An iteration over the layers of a list of chunks, chunk by chunk.
#[derive(Default)]
pub(crate) struct Sweep {
    chunks: Vec<Slot>,
    at: usize,
    layer: u32,
}

impl Sweep {
    /// Begins a sweep over these chunks.
    pub(crate) fn begin(&mut self, chunks: &[Slot]) {
        self.chunks.clear();
        self.chunks.extend_from_slice(chunks);
        (self.at, self.layer) = (0, 0);
    }

    /// Returns the next layer of the sweep. `open` returns the layers (by bit) of a chunk that are
    /// to be visited.
    #[inline]
    pub(crate) fn next(&mut self, open: impl Fn(Slot) -> u16) -> Option<LayerId> {
        while let Some(&slot) = self.chunks.get(self.at) {
            let left = u32::from(open(slot)) >> self.layer << self.layer;
            if left != 0 {
                let layer = left.trailing_zeros();
                self.layer = layer + 1;
                return Some(LayerId::new(slot, layer as usize));
            }
            (self.at, self.layer) = (self.at + 1, 0);
        }
        None
    }

    /// Returns the next chunk of a sweep over whole chunks.
    #[inline]
    pub(crate) fn next_chunk(&mut self) -> Option<Slot> {
        let slot = self.chunks.get(self.at).copied();
        self.at += usize::from(slot.is_some());
        slot
    }

    /// Returns the layers still to be visited, among the layers that `open` returns for a chunk.
    pub(crate) fn ahead(&self, open: impl Fn(Slot) -> u16) -> impl Iterator<Item = LayerId> {
        let chunks = self.chunks.iter().enumerate().skip(self.at);
        chunks.flat_map(move |(at, &slot)| {
            let first = if at == self.at { self.layer } else { 0 };
            let layers = u64::from(open(slot)) >> first << first;
            ones(layers).map(move |y| LayerId { slot, y })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::coords::Region;
    use crate::water::rules::Edges;
    use crate::water::store::chunks;
    use crate::water::voxel::Voxel;
    use glam::IVec3;
    use hashbrown::{HashMap, HashSet};

    /// Layers are opened during the iteration, in chunks that take part and in chunks that join. A
    /// layer opened ahead is visited once, in order; a layer opened behind waits until the next
    /// pass.
    #[test]
    fn whatever_opens_ahead_has_its_turn_in_order() {
        for seed in 0..100 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            for _ in 0..12 {
                let chunk = IVec3::from_array([0; 3].map(|_| random.i32(-3..4)));
                chunks::insert(
                    &mut store,
                    chunk.into(),
                    Chunk::uniform(Voxel::OPEN.with_height(3)),
                );
            }
            let slots = store.grid().sorted_slots();
            let mut open: HashMap<Slot, u16> = HashMap::new();
            for &slot in &slots[random.usize(..slots.len())..] {
                store.grid_mut().wake_at(slot, 0);
                open.insert(slot, random.u16(..) & random.u16(..));
            }
            let flips = random.u64(..);
            let order = [Order::Tiles, Order::World][seed as usize % 2];
            let of_keys = Schedule {
                random: flips,
                tiling: Tiling::new(flips),
                order,
                ..Schedule::default()
            };
            let key = |LayerId { slot, y: layer }: LayerId| {
                let (row, order) = of_keys.visit_key(&store, slot);
                (row, layer, order)
            };
            let layers_of = |open: &HashMap<Slot, u16>| -> HashSet<LayerId> {
                let layers = |(&slot, &layers): (&Slot, &u16)| {
                    ones(u64::from(layers)).map(move |y| LayerId { slot, y })
                };
                open.iter().flat_map(layers).collect()
            };
            let mut schedule = Schedule::default();
            schedule.begin(&store, flips, |_| {});
            match order {
                Order::Tiles => schedule.begin_tiles(&store),
                Order::World => schedule.begin_world(&store, |_| true),
            }
            for pass in 0..3 {
                let mut expected = layers_of(&open);
                let mut last = None;
                let next = |schedule: &mut Schedule, open: &HashMap<Slot, u16>| {
                    schedule.next(&store, |slot| open.get(&slot).copied().unwrap_or(0))
                };
                while let Some(visited) = next(&mut schedule, &open) {
                    assert!(last < Some(key(visited)), "seed {seed}, pass {pass}: out of order");
                    assert!(expected.remove(&visited), "seed {seed}, pass {pass}: {visited:?}");
                    last = Some(key(visited));
                    for (&slot, &layers) in &open {
                        for layer in ones(u64::from(layers)) {
                            let ahead = last < Some(key(LayerId { slot, y: layer }));
                            assert_eq!(
                                schedule.is_ahead(&store, LayerId { slot, y: layer }),
                                ahead,
                                "seed {seed}, pass {pass}"
                            );
                        }
                    }
                    for _ in 0..random.usize(..3) {
                        let slot = slots[random.usize(..slots.len())];
                        let layer = random.usize(..16);
                        if !open.contains_key(&slot) {
                            schedule.add_member(&store, slot);
                        }
                        let layers = open.entry(slot).or_default();
                        let is_new = *layers >> layer & 1 == 0;
                        *layers |= 1 << layer;
                        schedule.open(&store, LayerId { slot, y: layer });
                        if is_new && last < Some(key(LayerId { slot, y: layer })) {
                            expected.insert(LayerId { slot, y: layer });
                        }
                    }
                }
                assert!(
                    expected.is_empty(),
                    "seed {seed}, pass {pass}: {expected:?} were not visited"
                );
                let members = schedule.members();
                assert!(
                    members.is_sorted_by_key(|&slot| key(LayerId::new(slot, 0)))
                        && members.len() == open.len()
                );
            }
        }
    }

    #[test]
    fn a_sweep_goes_over_all_layers_of_one_chunk_after_the_other() {
        let mut random = fastrand::Rng::with_seed(12);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for x in 0..5 {
            chunks::insert(&mut store, ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid().sorted_slots();
        for round in 0..200 {
            let layers: HashMap<Slot, u16> =
                slots.iter().map(|&slot| (slot, random.u16(..))).collect();
            let of = |slot: &Slot| {
                ones(u64::from(layers[slot]))
                    .map(|layer| LayerId::new(*slot, layer))
                    .collect::<Vec<_>>()
            };
            let all: Vec<LayerId> = slots.iter().flat_map(of).collect();
            let mut sweep = Sweep::default();
            sweep.begin(&slots);
            for at in 0..all.len() {
                assert!(
                    sweep.ahead(|slot| layers[&slot]).eq(all[at..].iter().copied()),
                    "round {round}"
                );
                assert_eq!(sweep.next(|slot| layers[&slot]), Some(all[at]), "round {round}");
            }
            assert_eq!(sweep.ahead(|slot| layers[&slot]).count(), 0);
            assert_eq!(sweep.next(|slot| layers[&slot]), None);
        }
    }
}
