//! The table of a layer in which many cells take part: a tick's notes of all its cells.

use crate::chunk::{LAYER_CELLS, LayerMask, ones};
use crate::water::flow_record::NO_FLOW;
use crate::water::scratch::chunk_record::note::{Note, SAVED};
use crate::water::scratch::chunk_record::{MARKS, Mark};
use crate::water::store::Changes;
use crate::water::voxel::Voxel;

/// A tick's notes of all cells of a layer.
pub(super) struct Table {
    pub(super) flow: [u16; LAYER_CELLS],
    /// For each face, the cells that water entered through it.
    pub(super) inflow: [LayerMask; 6],
    pub(super) marks: [LayerMask; MARKS],
    /// The cells of `saved` as they were before the tick.
    pub(super) before: [Voxel; LAYER_CELLS],
    pub(super) saved: LayerMask,
}

impl Table {
    /// Returns an empty table.
    pub(super) fn new() -> Box<Self> {
        Box::new(Table {
            flow: [NO_FLOW; LAYER_CELLS],
            inflow: [LayerMask::NONE; 6],
            marks: [LayerMask::NONE; MARKS],
            before: [Voxel::OPEN; LAYER_CELLS],
            saved: LayerMask::NONE,
        })
    }

    /// Resets the table. The stale cells in `before` stay, since none is in `saved`.
    pub(super) fn reset(&mut self) {
        // Four rows are reset at a time, since usually water flows in few rows.
        let flowed = self.flowed();
        for (flow, flowed) in self.flow.as_chunks_mut::<64>().0.iter_mut().zip(flowed.words()) {
            if flowed != 0 {
                flow.fill(NO_FLOW);
            }
        }
        self.inflow = [LayerMask::NONE; 6];
        self.marks = [LayerMask::NONE; MARKS];
        self.saved = LayerMask::NONE;
    }

    /// Returns the cells in which water has flowed.
    pub(super) fn flowed(&self) -> LayerMask {
        self.marks[Mark::Touched as usize] | self.marks[Mark::Steady as usize]
    }

    /// Saves a cell, unless it is saved.
    #[inline]
    pub(super) fn save(&mut self, cell: usize, now: Voxel) {
        if !self.saved.contains(cell) {
            self.before[cell] = now;
            self.saved.insert(cell);
        }
    }

    /// Gives a cell marks, by bit.
    #[inline]
    pub(super) fn mark(&mut self, marks: u8, cell: usize) {
        ones(u64::from(marks)).for_each(|mark| self.marks[mark].insert(cell));
    }

    /// Takes over a note.
    pub(super) fn take_over(&mut self, note: &Note) {
        let cell = note.cell();
        self.flow[cell] = note.flow;
        for face in ones(u64::from(note.inflow)) {
            self.inflow[face].insert(cell);
        }
        self.mark(note.marks & !SAVED, cell);
        if note.marks & SAVED != 0 {
            self.before[cell] = note.before;
            self.saved.insert(cell);
        }
    }

    /// Returns the saved cells that differ from before the tick.
    pub(super) fn changes(&self, now: &[Voxel; LAYER_CELLS]) -> Changes {
        if self.saved.is_sparse() {
            let among = |cells: LayerMask, differs: &dyn Fn(usize) -> bool| -> LayerMask {
                cells.iter().filter(|&cell| differs(cell)).collect()
            };
            let any = among(self.saved, &|cell| self.before[cell] != now[cell]);
            let visible = among(any, &|cell| self.before[cell].look() != now[cell].look());
            return Changes { any, visible };
        }
        let any = self.saved & differing(&self.before, now, Voxel::word);
        Changes { any, visible: any & differing(&self.before, now, Voxel::look) }
    }
}

/// Returns the cells of a layer whose `part` differs.
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
