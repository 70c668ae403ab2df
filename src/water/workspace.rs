//! What a tick works with beside the world itself: per chunk, how much each cell passed on, and marks on cells. Kept after
//! the tick only to answer for its currents; not part of the state.

use super::bits::LayerBits;
use super::store::{LAYER_CELLS, Place, Store};
use super::voxel::Voxel;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use glam::IVec3;
use std::collections::BTreeMap;

/// A cell's flow record before anything has left it: units passed on in bits 0–2, then the outflow along x, y and z as
/// four bits each, offset by 8.
const NO_FLOW: u16 = 0x8880;

/// What one unit across each face adds to a flow record.
const UNIT: [u16; 6] = [
    1u16.wrapping_sub(1 << 4),
    1 + (1 << 4),
    1u16.wrapping_sub(1 << 8),
    1 + (1 << 8),
    1u16.wrapping_sub(1 << 12),
    1 + (1 << 12),
];

/// Units passed on, 0 to 7.
#[inline]
pub(super) fn passed(flow: u16) -> u8 {
    (flow & 7) as u8
}

/// Enters units that leave across a face.
#[inline]
pub(super) fn add_flow(flow: &mut u16, face: Face, units: u8) {
    *flow = flow.wrapping_add(UNIT[face.index()].wrapping_mul(u16::from(units)));
}

/// The outflow as a vector, in units.
fn current(flow: u16) -> IVec3 {
    let axis = |shift: u32| i32::from(flow >> shift & 15) - 8;
    IVec3::new(axis(4), axis(8), axis(12))
}

/// One chunk's part in a tick.
pub(super) struct Scratch {
    pub(super) flow: [u16; CHUNK_CELLS],
    /// The faces through which water came in, by bit.
    pub(super) inflow: [u8; CHUNK_CELLS],
    /// The cells as they were before the tick, for the layers in `saved`.
    before: [Voxel; CHUNK_CELLS],
    /// The tree of flows that a cell belongs to in this tick; 0 while unknown. See `trace`.
    pub(super) tree: [u32; CHUNK_CELLS],
    /// Water came, left or passed.
    pub(super) touched: CellMask,
    /// Woken in this tick, so to be looked at in the next.
    pub(super) woken: CellMask,
    /// The way to the head is exhausted for this tick.
    pub(super) blocked: CellMask,
    /// Would draw, but the way is exhausted for this tick: may not sleep.
    pub(super) waiting: CellMask,
    /// Seen to lie on a way to the world's end in this tick.
    pub(super) marked: CellMask,
    saved: u16,
    used: u16,
}

impl Scratch {
    fn new() -> Box<Self> {
        Box::new(Scratch {
            flow: [NO_FLOW; CHUNK_CELLS],
            inflow: [0; CHUNK_CELLS],
            before: [Voxel::OPEN; CHUNK_CELLS],
            tree: [0; CHUNK_CELLS],
            touched: CellMask::EMPTY,
            woken: CellMask::EMPTY,
            blocked: CellMask::EMPTY,
            waiting: CellMask::EMPTY,
            marked: CellMask::EMPTY,
            saved: 0,
            used: 0,
        })
    }

    /// Notes that a layer's records will be written, so that they are cleared for the next tick.
    #[inline]
    pub(super) fn use_layer(&mut self, layer: usize) {
        self.used |= 1 << layer;
    }

    /// Keeps a layer as it is now, if this is the tick's first change to it.
    #[inline]
    pub(super) fn save(&mut self, store: &Store, slot: Slot, layer: usize) {
        if self.saved >> layer & 1 != 0 {
            return;
        }
        self.saved |= 1 << layer;
        let range = layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
        let chunk = store.grid.chunk_at(slot);
        match chunk.as_dense() {
            Some(cells) => self.before[range.clone()].copy_from_slice(&cells[range]),
            None => self.before[range].fill(chunk.get(0)),
        }
    }

    /// Whether a layer has been changed in this tick.
    #[inline]
    pub(super) fn is_saved(&self, layer: usize) -> bool {
        self.saved >> layer & 1 != 0
    }

    /// The cells of a saved layer that differ from before the tick.
    pub(super) fn changed(&self, store: &Store, slot: Slot, layer: usize) -> LayerBits {
        let range = layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
        let before = self.before[range.clone()].as_chunks::<64>().0;
        let chunk = store.grid.chunk_at(slot);
        match chunk.as_dense() {
            None => {
                let now = chunk.get(0);
                core::array::from_fn(|word| {
                    before[word].iter().rev().fold(0, |bits, was| bits << 1 | u64::from(*was != now))
                })
            }
            Some(cells) => {
                let cells = cells[range].as_chunks::<64>().0;
                core::array::from_fn(|word| {
                    let pairs = before[word].iter().zip(&cells[word]).rev();
                    pairs.fold(0, |bits, (was, is)| bits << 1 | u64::from(was != is))
                })
            }
        }
    }

    fn clear(&mut self) {
        for layer in crate::chunk::ones(u64::from(self.used)) {
            let range = layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
            self.flow[range.clone()].fill(NO_FLOW);
            self.inflow[range.clone()].fill(0);
            self.tree[range].fill(0);
        }
        for mask in [&mut self.touched, &mut self.woken, &mut self.blocked, &mut self.waiting, &mut self.marked] {
            *mask = CellMask::EMPTY;
        }
        self.saved = 0;
        self.used = 0;
    }
}

/// The chunks that take part in the current tick, or took part in the last.
#[derive(Default)]
pub(super) struct Workspace {
    scratch: Vec<Option<Box<Scratch>>>,
    members: Vec<Slot>,
    spare: Vec<Box<Scratch>>,
    /// The members by chunk layer, each row in the tick's order.
    rows: BTreeMap<i32, Vec<Slot>>,
    /// The row that is being worked on, taken out of `rows`, which is searched too slowly to be asked for every layer.
    current: Option<(i32, Vec<Slot>)>,
    flip: u64,
    pub(super) flooded: Flooded,
}

/// The cells that belong to a body found in this tick, whether or not their chunk takes part in it.
#[derive(Default)]
pub(super) struct Flooded {
    masks: Vec<Option<Box<(u64, CellMask)>>>,
    tick: u64,
}

impl Flooded {
    /// Begins a tick: nothing is flooded.
    pub(super) fn begin(&mut self, slots: usize) {
        self.tick += 1;
        self.masks.resize_with(slots, || None);
    }

    pub(super) fn of(&mut self, slot: Slot) -> &mut CellMask {
        let (tick, mask) = &mut **self.masks[slot.index()].get_or_insert_default();
        if *tick != self.tick {
            (*tick, *mask) = (self.tick, CellMask::EMPTY);
        }
        mask
    }
}

impl Workspace {
    /// Begins a tick: drops what the last one left, and takes the awake chunks in.
    pub(super) fn begin(&mut self, store: &Store, random: u64) {
        for slot in self.members.drain(..) {
            if let Some(mut scratch) = self.scratch[slot.index()].take() {
                scratch.clear();
                self.spare.push(scratch);
            }
        }
        self.rows.clear();
        self.flip = random;
        self.flooded.begin(store.grid.slot_capacity());
        self.scratch.resize_with(store.grid.slot_capacity(), || None);
        for &slot in store.grid.awake_slots() {
            self.scratch[slot.index()] = Some(self.spare.pop().unwrap_or_else(Scratch::new));
            self.members.push(slot);
            self.rows.entry(store.grid.position_at(slot).y).or_default().push(slot);
        }
        // Scratch that two ticks in a row had no use for goes back to the system.
        self.spare.truncate(self.members.len());
        let flip = self.flip;
        for row in self.rows.values_mut() {
            row.sort_unstable_by_key(|&slot| row_key(store.grid.position_at(slot), flip));
        }
    }

    /// Takes a chunk in that water has reached in this tick.
    #[inline]
    pub(super) fn join(&mut self, store: &Store, slot: Slot) -> &mut Scratch {
        if self.scratch[slot.index()].is_none() {
            self.take_in(store, slot);
        }
        match &mut self.scratch[slot.index()] {
            Some(scratch) => scratch,
            None => unreachable!("taken in above"),
        }
    }

    fn take_in(&mut self, store: &Store, slot: Slot) {
        let mut scratch = self.spare.pop().unwrap_or_else(Scratch::new);
        if let Some(awake) = store.grid.awake_at(slot) {
            scratch.woken = awake.clone();
        }
        self.scratch[slot.index()] = Some(scratch);
        self.members.push(slot);
        let position = store.grid.position_at(slot);
        let row = match &mut self.current {
            Some((y, row)) if *y == position.y => row,
            _ => self.rows.entry(position.y).or_default(),
        };
        let key = row_key(position, self.flip);
        let at = row.partition_point(|&other| row_key(store.grid.position_at(other), self.flip) < key);
        row.insert(at, slot);
    }

    #[inline]
    pub(super) fn get(&self, slot: Slot) -> Option<&Scratch> {
        self.scratch.get(slot.index())?.as_deref()
    }

    /// Units that a cell has passed on in this tick.
    #[inline]
    pub(super) fn passed(&self, (slot, index): Place) -> u8 {
        self.get(slot).map_or(0, |scratch| passed(scratch.flow[index]))
    }

    pub(super) fn current(&self, (slot, index): Place) -> IVec3 {
        self.get(slot).map_or(IVec3::ZERO, |scratch| current(scratch.flow[index]))
    }

    /// Goes on to the lowest row above the one that is worked on, or begins with the lowest of all; `false` when there is
    /// none left.
    pub(super) fn next_row(&mut self) -> bool {
        let next = match self.current.take() {
            None => self.rows.keys().next().copied(),
            Some((y, row)) => {
                self.rows.insert(y, row);
                y.checked_add(1).and_then(|above| self.rows.range(above..).next()).map(|(&row, _)| row)
            }
        };
        self.current = next.and_then(|y| self.rows.remove_entry(&y));
        self.current.is_some()
    }

    /// The member at a place in the order of the row that is worked on. The row may grow meanwhile.
    #[inline]
    pub(super) fn member(&self, at: usize) -> Option<Slot> {
        self.current.as_ref()?.1.get(at).copied()
    }

    /// The place of a member of the row that is worked on in its order.
    pub(super) fn place_of(&self, store: &Store, slot: Slot) -> usize {
        let key = row_key(store.grid.position_at(slot), self.flip);
        self.current
            .as_ref()
            .map_or(0, |(_, row)| row.partition_point(|&other| row_key(store.grid.position_at(other), self.flip) < key))
    }

    /// All members, rows bottom-up, each in the tick's order.
    pub(super) fn members(&self) -> Vec<Slot> {
        self.rows.values().flatten().copied().collect()
    }

    /// Drops what the last tick left about a chunk that is going.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(scratch) = self.scratch.get_mut(slot.index()) {
            *scratch = None;
        }
        self.members.retain(|&member| member != slot);
    }

    /// Bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        (self.members.len() + self.spare.len()) * size_of::<Scratch>()
            + self.scratch.capacity() * size_of::<Option<Box<Scratch>>>()
            + self.members.capacity() * size_of::<Slot>()
    }
}

/// The order of a row's chunks: by z, then x, each running up or down as the tick's random bits say.
fn row_key(position: IVec3, flip: u64) -> (i32, i32) {
    let turn = |value: i32, bit: u64| if flip >> bit & 1 == 0 { value } else { -value };
    (turn(position.z, 0), turn(position.x, 1))
}
