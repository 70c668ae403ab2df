//! The record that a tick keeps for one layer of a chunk: how much each cell passed on, masks of
//! cells, and the cells as they were before the tick.

use crate::chunk::{LAYER_CELLS, LayerMask, ones};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::{Changes, Store};
use crate::water::voxel::Voxel;
use glam::IVec3;

/// A cell's flow record before anything has left it: units passed on in bits 0–2, then the outflow
/// along x, y and z as four bits each, offset by 8.
pub(crate) const NO_FLOW: u16 = 0x8880;

/// What one unit across each face adds to a flow record.
const UNIT: [u16; 6] = [
    1u16.wrapping_sub(1 << 4),
    1 + (1 << 4),
    1u16.wrapping_sub(1 << 8),
    1 + (1 << 8),
    1u16.wrapping_sub(1 << 12),
    1 + (1 << 12),
];

/// Returns the units passed on, 0 to 7.
#[inline]
pub(crate) fn passed(flow: u16) -> u8 {
    (flow & 7) as u8
}

/// Adds units that leave across a face.
#[inline]
pub(crate) fn add_flow(flow: &mut u16, face: Face, units: u8) {
    *flow = flow.wrapping_add(UNIT[face.index()].wrapping_mul(u16::from(units)));
}

/// Returns the outflow as a vector, in units.
pub(crate) fn current(flow: u16) -> IVec3 {
    let axis = |shift: u32| i32::from(flow >> shift & 15) - 8;
    IVec3::new(axis(4), axis(8), axis(12))
}

/// The record of one layer in a tick.
pub(crate) struct LayerRecord {
    /// The flow record of each cell. It is [`NO_FLOW`] where `touched` is not set, so only touched
    /// cells are cleared for the next tick.
    pub(crate) flow: [u16; LAYER_CELLS],
    /// For each face, the cells that water entered through it.
    pub(crate) inflow: [LayerMask; 6],
    /// The cells as they were before the tick, in the rows of `saved`.
    before: [Voxel; LAYER_CELLS],
    /// For each face, the cells that had extra parents behind it. `None` if no row is saved or
    /// no cell of the chunk had any.
    extras_before: Option<Box<[LayerMask; 6]>>,
    /// The rows saved in `before`, by bit.
    saved: u16,
    /// The cells that were awake before the tick.
    pub(crate) awake_before: LayerMask,
    /// The seed of the layer's random choices in this tick.
    pub(crate) seed: u64,
    /// The tree of flows that each cell belongs to in this tick; 0 while unknown. See
    /// [`trees`](crate::water::context::trees).
    pub(crate) trees: Option<Box<[u32; LAYER_CELLS]>>,
    /// Water entered, left or passed.
    pub(crate) touched: LayerMask,
    /// Woken in this tick, so visited in the next.
    pub(crate) woken: LayerMask,
    /// The path to the root is exhausted for this tick.
    pub(crate) blocked: LayerMask,
    /// Would draw, but the path is exhausted for this tick; must stay awake.
    pub(crate) waiting: LayerMask,
    /// Found to lie on a path to the world's end in this tick.
    pub(crate) marked: LayerMask,
}

impl LayerRecord {
    /// Returns the record of a layer in which nothing has happened.
    pub(crate) fn new() -> Self {
        LayerRecord {
            flow: [NO_FLOW; LAYER_CELLS],
            inflow: [LayerMask::NONE; 6],
            before: [Voxel::OPEN; LAYER_CELLS],
            extras_before: None,
            saved: 0,
            awake_before: LayerMask::NONE,
            seed: 0,
            trees: None,
            touched: LayerMask::NONE,
            woken: LayerMask::NONE,
            blocked: LayerMask::NONE,
            waiting: LayerMask::NONE,
            marked: LayerMask::NONE,
        }
    }

    /// Makes a record of an earlier tick like new. The stale cells in `before` stay, since no row
    /// is in `saved`.
    pub(crate) fn reset(&mut self) {
        // Four rows at a time, since usually few are touched.
        for (flow, touched) in
            self.flow.as_chunks_mut::<64>().0.iter_mut().zip(self.touched.words())
        {
            if touched != 0 {
                flow.fill(NO_FLOW);
            }
        }
        self.inflow = [LayerMask::NONE; 6];
        self.saved = 0;
        self.trees = None;
        for bits in [
            &mut self.touched,
            &mut self.woken,
            &mut self.blocked,
            &mut self.waiting,
            &mut self.marked,
        ] {
            *bits = LayerMask::NONE;
        }
    }

    /// Saves these cells if this is the tick's first change to their rows. If they are many, the
    /// whole layer is saved, and is later compared as a whole.
    pub(crate) fn save(&mut self, store: &Store, slot: Slot, layer: usize, cells: LayerMask) {
        let rows = if cells.is_sparse() { cells.rows() } else { u16::MAX };
        if rows & !self.saved != 0 {
            self.save_rows(store, slot, layer, rows);
        }
    }

    /// Saves a cell if this is the tick's first change to its row.
    #[inline]
    pub(crate) fn save_cell(&mut self, store: &Store, slot: Slot, layer: usize, cell: usize) {
        let row = 1 << (cell / 16);
        if self.saved & row == 0 {
            self.save_rows(store, slot, layer, row);
        }
    }

    /// Saves those of the rows (by bit) that are not saved yet.
    fn save_rows(&mut self, store: &Store, slot: Slot, layer: usize, rows: u16) {
        if self.saved == 0 {
            self.extras_before = store
                .extras(slot)
                .map(|extras| Box::new(extras.each_ref().map(|faces| faces.layer(layer))));
        }
        let rows = rows & !self.saved;
        self.saved |= rows;
        let before = self.before.as_chunks_mut::<16>().0;
        match store.cells(slot, layer) {
            Some(cells) => {
                ones(u64::from(rows)).for_each(|row| before[row] = cells.as_chunks().0[row])
            }
            None => ones(u64::from(rows))
                .for_each(|row| before[row].fill(store.grid().chunk_at(slot).get(0))),
        }
    }

    /// Records units that a cell passes on across a face. `left` is what it could still pass on in
    /// this tick. Returns whether the cell is exhausted now.
    #[inline]
    pub(crate) fn pass_on(&mut self, cell: usize, face: Face, units: u8, left: u8) -> bool {
        add_flow(&mut self.flow[cell], face, units);
        self.touched.insert(cell);
        let is_spent = left <= units;
        if is_spent {
            self.blocked.insert(cell);
        }
        is_spent
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.extras_before.as_ref().map_or(0, |_| size_of::<[LayerMask; 6]>())
            + self.trees.as_ref().map_or(0, |_| size_of::<[u32; LAYER_CELLS]>())
    }

    /// Restores the layer's cells to what they were before the tick.
    pub(crate) fn revert(&self, cells: &mut [Voxel; LAYER_CELLS]) {
        let rows =
            cells.as_chunks_mut::<16>().0.iter_mut().zip(self.before.as_chunks().0).enumerate();
        rows.filter(|(row, _)| self.saved >> row & 1 != 0)
            .for_each(|(_, (now, before))| *now = *before);
    }

    /// Returns whether any row is saved. If not, no cell has changed.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.saved != 0
    }

    /// Returns, for each face, the cells that had extra parents behind it before the tick; `None`
    /// if no cell of the chunk had any.
    #[cfg(feature = "snapshot")]
    pub(crate) fn extras_before(&self) -> Option<&[LayerMask; 6]> {
        self.extras_before.as_deref()
    }

    /// Returns the cells that differ from before the tick.
    pub(crate) fn changes(&self, store: &Store, slot: Slot, layer: usize) -> Changes {
        if self.saved == 0 {
            return Changes::NONE;
        }
        let uniform;
        let now = match store.cells(slot, layer) {
            Some(cells) => cells,
            None => {
                uniform = [store.grid().chunk_at(slot).get(0); LAYER_CELLS];
                &uniform
            }
        };
        let words = if self.saved == u16::MAX {
            differing(&self.before, now, Voxel::word)
        } else {
            let mut words = LayerMask::NONE;
            for row in ones(u64::from(self.saved)) {
                let cells = row * 16..row * 16 + 16;
                if self.before[cells.clone()] != now[cells.clone()] {
                    cells.filter(|&x| self.before[x] != now[x]).for_each(|x| words.insert(x));
                }
            }
            words
        };
        let looks = if words.is_sparse() {
            let differs = |&cell: &usize| self.before[cell].look() != now[cell].look();
            words.iter().filter(differs).collect()
        } else {
            words & differing(&self.before, now, Voxel::look)
        };
        Changes { words, looks }
    }
}

/// Returns the cells of a layer of which `part` differs.
fn differing(
    before: &[Voxel; LAYER_CELLS],
    now: &[Voxel; LAYER_CELLS],
    part: impl Fn(Voxel) -> u16,
) -> LayerMask {
    let mut differs = [0; LAYER_CELLS];
    for ((differs, was), is) in differs.iter_mut().zip(before).zip(now) {
        *differs = part(*was) ^ part(*is);
    }
    LayerMask::select(&differs, |differs| differs != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::context::test_worlds;
    use crate::water::store::Place;

    /// What a game draws of a cell, in words of its own.
    fn looks(voxel: Voxel) -> (Option<Voxel>, u8, Option<u8>) {
        let passes = voxel != Voxel::OPEN && voxel.height() == 0 && !voxel.is_mark();
        (voxel.is_mark().then_some(voxel), voxel.height(), passes.then(|| voxel.largest()))
    }

    /// One cell or many of a layer change, some more than once and some back.
    #[test]
    fn what_differs_from_before_a_tick_is_known_and_can_be_turned_back() {
        let (mut kept, mut unseen) = ([0; 2], 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let layers: Vec<(Slot, usize)> =
                slots.iter().flat_map(|&slot| (0..16).map(move |layer| (slot, layer))).collect();
            let cells_of = |store: &Store, (slot, layer): (Slot, usize)| -> [Voxel; LAYER_CELLS] {
                core::array::from_fn(|cell| store.read(Place::in_layer(slot, layer, cell)))
            };
            let before: Vec<_> =
                layers.iter().map(|&place| cells_of(&world.store, place)).collect();
            let tick = test_worlds::tick(&mut world);
            for _ in 0..100 {
                let (slot, layer) = layers[random.usize(..layers.len())];
                let mut cells = LayerMask::NONE;
                let count = [1, 1, 6, 120][random.usize(..4)];
                (0..count).for_each(|_| cells.insert(random.usize(..LAYER_CELLS)));
                let work = tick.work.join(tick.store, slot, layer);
                match count {
                    1 => {
                        cells.iter().for_each(|cell| work.save_cell(tick.store, slot, layer, cell))
                    }
                    _ => work.save(tick.store, slot, layer, cells),
                }
                for place in cells.iter().map(|cell| Place::in_layer(slot, layer, cell)) {
                    tick.store.write(
                        place,
                        [Voxel::OPEN, test_worlds::voxel(&mut random)][random.usize(..2)],
                    );
                }
            }
            for (&(slot, layer), before) in layers.iter().zip(&before) {
                let mut cells = cells_of(tick.store, (slot, layer));
                let work = tick.work.get(slot, layer);
                let changes =
                    work.map_or(Changes::NONE, |work| work.changes(tick.store, slot, layer));
                for cell in 0..LAYER_CELLS {
                    let (was, is) = (before[cell], cells[cell]);
                    assert_eq!(
                        [changes.words.contains(cell), changes.looks.contains(cell)],
                        [is != was, looks(is) != looks(was)],
                        "seed {seed}: {layer}, {cell}"
                    );
                    unseen += u32::from(is != was && looks(is) == looks(was));
                }
                if let Some(work) = work {
                    assert!(work.may_have_changed() || changes.words.is_empty(), "seed {seed}");
                    work.revert(&mut cells);
                    kept[usize::from(work.saved == u16::MAX)] += u32::from(work.saved != 0);
                }
                assert!(cells == *before, "seed {seed}: layer {layer}");
            }
        }
        assert!(
            kept.iter().all(|&layers| layers > 50),
            "{kept:?} layers kept in part, and as a whole"
        );
        assert!(unseen > 20, "{unseen} cells changed without looking different");
    }
}
