//! What a record says of one layer or cell, and how the phases change it. The functions are the
//! same for cells with notes and for layers with a table.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::flow_record::{NO_FLOW, add_flow, add_flows, passed};
use crate::water::scratch::chunk_record::note::{Note, SAVED};
use crate::water::scratch::chunk_record::table::Table;
use crate::water::scratch::chunk_record::{ChunkRecord, FEW, Mark, NONE, layer_of};
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The record of one layer of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct LayerRecord<'r> {
    pub(super) chunk: &'r ChunkRecord,
    pub(super) y: usize,
}

impl<'r> LayerRecord<'r> {
    #[inline]
    pub(super) fn table(self) -> Option<&'r Table> {
        self.chunk.tables[self.y].as_deref()
    }

    /// Returns the note of a cell, if it has one.
    #[inline]
    fn noted(self, cell: usize) -> Option<&'r Note> {
        self.chunk.chain(self.y).find(|note| note.cell() == cell)
    }

    /// Returns the cells whose notes satisfy `is_in`; none in a layer with a table.
    #[inline]
    fn among_notes(self, is_in: impl Fn(&Note) -> bool) -> LayerMask {
        self.chunk.chain(self.y).filter(|note| is_in(note)).map(Note::cell).collect()
    }

    /// Returns whether the log has no note of the layer's cells.
    #[inline]
    pub(crate) fn is_blank(self) -> bool {
        self.table().is_none() && self.chunk.chains[self.y].1 == 0
    }

    /// Returns the cells with a mark.
    #[inline]
    pub(crate) fn marked(self, mark: Mark) -> LayerMask {
        match self.table() {
            Some(table) => table.marks[mark as usize],
            None => self.among_notes(|note| note.marks & mark.bit() != 0),
        }
    }

    /// Returns the cells in which water has flowed: it entered, left or passed them.
    #[inline]
    pub(crate) fn flowed(self) -> LayerMask {
        self.marked(Mark::Touched) | self.marked(Mark::Steady)
    }

    /// Returns the flow record of a cell.
    #[inline]
    pub(crate) fn flow(self, cell: usize) -> u16 {
        match self.table() {
            Some(table) => table.flow[cell],
            None => self.noted(cell).map_or(NO_FLOW, |note| note.flow),
        }
    }

    /// Returns the units that a cell has passed on in this tick.
    #[inline]
    pub(crate) fn passed(self, cell: usize) -> u8 {
        passed(self.flow(cell))
    }

    /// Returns the cells that have passed on at least this many units in this tick.
    pub(crate) fn passed_at_least(self, units: u8) -> LayerMask {
        match self.table() {
            Some(table) => LayerMask::select(&table.flow, |flow| passed(flow) >= units),
            None if units == 0 => LayerMask::ALL,
            None => self.among_notes(|note| passed(note.flow) >= units),
        }
    }

    /// Returns the flow records of all cells.
    pub(crate) fn flows(self) -> [u16; LAYER_CELLS] {
        match self.table() {
            Some(table) => table.flow,
            None => {
                let mut flows = [NO_FLOW; LAYER_CELLS];
                self.chunk.chain(self.y).for_each(|note| flows[note.cell()] = note.flow);
                flows
            }
        }
    }

    /// Returns the faces, by bit, through which water entered a cell.
    #[inline]
    pub(crate) fn entries(self, cell: usize) -> u8 {
        match self.table() {
            Some(table) => (0..6)
                .fold(0, |faces, face| faces | u8::from(table.inflow[face].contains(cell)) << face),
            None => self.noted(cell).map_or(0, |note| note.inflow),
        }
    }

    /// Returns the cells that water entered.
    pub(crate) fn entered(self) -> LayerMask {
        match self.table() {
            Some(table) => LayerMask::union(table.inflow),
            None => self.among_notes(|note| note.inflow != 0),
        }
    }

    /// Restores the layer's cells to what they were before the tick.
    pub(crate) fn revert(self, cells: &mut [Voxel; LAYER_CELLS]) {
        match self.table() {
            Some(table) => table.saved.iter().for_each(|cell| cells[cell] = table.before[cell]),
            None => {
                let saved = self.chunk.chain(self.y).filter(|note| note.marks & SAVED != 0);
                saved.for_each(|note| cells[note.cell()] = note.before);
            }
        }
    }

    /// Returns a cell as it was before the tick if it is saved. A cell that is not saved has not
    /// changed.
    #[inline]
    pub(crate) fn before(self, cell: usize) -> Option<Voxel> {
        match self.table() {
            Some(table) => table.saved.contains(cell).then(|| table.before[cell]),
            None => {
                let note = self.noted(cell).filter(|note| note.marks & SAVED != 0);
                note.map(|note| note.before)
            }
        }
    }

    /// Returns whether any cell is saved. If not, no cell has changed.
    #[inline]
    pub(crate) fn may_have_changed(self) -> bool {
        self.chunk.saved >> self.y & 1 != 0
    }

    /// Returns, for each face, the cells that had extra parents behind it before the tick; `None`
    /// if no cell of the layer had any.
    #[cfg(feature = "snapshot")]
    pub(crate) fn extras_before(self) -> Option<&'r [LayerMask; 6]> {
        let of_layer = |(y, _): &&(usize, Box<[LayerMask; 6]>)| *y == self.y;
        self.chunk.extras_before.iter().find(of_layer).map(|(_, extras)| &**extras)
    }
}

/// The record of one layer of a chunk, for changes.
pub(crate) struct LayerRecordMut<'r> {
    pub(super) chunk: &'r mut ChunkRecord,
    pub(super) y: usize,
}

impl LayerRecordMut<'_> {
    /// Returns the record for reading.
    #[inline]
    pub(crate) fn read(&self) -> LayerRecord<'_> {
        LayerRecord { chunk: self.chunk, y: self.y }
    }

    /// Returns the record of a cell. Adds a note if there is none; notes of more than [`FEW`] cells
    /// of a layer are moved into a table.
    #[inline]
    pub(crate) fn cell(&mut self, cell: usize) -> CellRecord<'_> {
        if self.chunk.dense >> self.y & 1 != 0 {
            return self.in_table(cell);
        }
        let (last, count) = self.chunk.chains[self.y];
        let mut at = last;
        while at != NONE {
            let note = &self.chunk.notes[usize::from(at)];
            if note.cell() == cell {
                return CellRecord(Kept::Note(&mut self.chunk.notes[usize::from(at)]));
            }
            at = note.next;
        }
        if usize::from(count) == FEW {
            self.chunk.use_table(self.y);
            return self.in_table(cell);
        }
        let at = self.chunk.notes.len();
        self.chunk.chains[self.y] = (at as u16, count + 1);
        let index = (self.y * LAYER_CELLS + cell) as u16;
        let (flow, before) = (NO_FLOW, Voxel::OPEN);
        self.chunk.notes.push(Note { flow, before, index, next: last, inflow: 0, marks: 0 });
        CellRecord(Kept::Note(&mut self.chunk.notes[at]))
    }

    /// Returns the record of a cell that is about to change. Saves the additional parents of the
    /// cell's layer if this is the tick's first change to the layer.
    #[inline]
    pub(crate) fn cell_to_change(&mut self, store: &Store, place: Place) -> CellRecord<'_> {
        self.save_extras(store, place.layer_id());
        self.cell(place.cell())
    }

    fn in_table(&mut self, cell: usize) -> CellRecord<'_> {
        let table = self.chunk.tables[self.y].get_or_insert_with(Table::new);
        CellRecord(Kept::Table(table, cell))
    }

    #[inline]
    fn table(&mut self) -> Option<&mut Table> {
        self.chunk.tables[self.y].as_deref_mut()
    }

    /// Returns the table of the layer, if the layer has one or `cells` are too many for notes.
    #[inline]
    fn table_for(&mut self, cells: LayerMask) -> Option<&mut Table> {
        if self.chunk.dense >> self.y & 1 == 0 {
            if cells.is_sparse() {
                return None;
            }
            self.chunk.use_table(self.y);
        }
        self.table()
    }

    /// Gives cells a mark.
    #[inline]
    pub(crate) fn mark(&mut self, mark: Mark, cells: LayerMask) {
        match self.table_for(cells) {
            Some(table) => table.marks[mark as usize] |= cells,
            None => cells.iter().for_each(|cell| self.cell(cell).mark(mark)),
        }
    }

    /// Replaces the flow records of these cells.
    pub(crate) fn set_flows(&mut self, cells: LayerMask, flows: &[u16; LAYER_CELLS]) {
        cells.iter().for_each(|cell| self.cell(cell).set_flow(flows[cell]));
    }

    /// Records that water entered these cells through a face.
    #[inline]
    pub(crate) fn record_inflow(&mut self, face: Face, cells: LayerMask) {
        match self.table_for(cells) {
            Some(table) => table.inflow[face.index()] |= cells,
            None => cells.iter().for_each(|cell| self.cell(cell).record_inflow(face)),
        }
    }

    /// Saves these cells of layer `layer` if this is the tick's first change to them. If `cells`
    /// are many, the whole layer is saved, and is later compared as a whole.
    pub(crate) fn save(&mut self, store: &Store, layer: LayerId, cells: LayerMask) {
        if cells.is_sparse() {
            return cells.iter().for_each(|cell| self.save_cell(store, layer, cell));
        }
        self.save_extras(store, layer);
        let Some(table) = self.table_for(cells) else { return };
        if table.saved == LayerMask::ALL {
            return;
        }
        let now = layer_of(store, layer);
        if table.saved.is_empty() {
            table.before = *now;
        } else {
            (!table.saved).iter().for_each(|cell| table.before[cell] = now[cell]);
        }
        table.saved = LayerMask::ALL;
    }

    /// Saves a cell if this is the tick's first change to it.
    #[inline]
    pub(crate) fn save_cell(&mut self, store: &Store, layer: LayerId, cell: usize) {
        let place = Place::in_layer(layer, cell);
        self.cell_to_change(store, place).save(store.read(place));
    }

    /// Saves the additional parents of a layer before the tick's first change to it.
    #[inline]
    fn save_extras(&mut self, store: &Store, layer: LayerId) {
        if self.chunk.saved >> self.y & 1 != 0 {
            return;
        }
        self.chunk.saved |= 1 << self.y;
        if let Some(extras) = store.extras(layer.slot) {
            let extras = extras.each_ref().map(|cells| cells.layer(layer.y));
            if LayerMask::union(extras).any() {
                self.chunk.extras_before.push((self.y, Box::new(extras)));
            }
        }
    }

    /// Records that steady flow passes cells, in addition to the units that they have passed on
    /// already. `flows` has the flow records of all cells.
    pub(crate) fn pass_on_steadily(&mut self, cells: LayerMask, flows: &[u16; LAYER_CELLS]) {
        if let Some(table) = self.table_for(cells) {
            for (own, &flow) in table.flow.iter_mut().zip(flows) {
                *own = add_flows(*own, flow);
            }
        } else {
            for cell in cells.iter() {
                let flow = add_flows(self.read().flow(cell), flows[cell]);
                self.cell(cell).set_flow(flow);
            }
        }
        self.mark(Mark::Steady, cells);
    }
}

/// The record of one cell, for changes.
pub(crate) struct CellRecord<'r>(Kept<'r>);

/// Where the record of a cell is kept.
enum Kept<'r> {
    Note(&'r mut Note),
    Table(&'r mut Table, usize),
}

impl CellRecord<'_> {
    /// Saves the cell as it was before the tick, unless it is saved.
    #[inline]
    pub(crate) fn save(&mut self, before: Voxel) {
        match &mut self.0 {
            Kept::Note(note) => note.save(before),
            Kept::Table(table, cell) => table.save(*cell, before),
        }
    }

    #[inline]
    pub(crate) fn mark(&mut self, mark: Mark) {
        match &mut self.0 {
            Kept::Note(note) => note.marks |= mark.bit(),
            Kept::Table(table, cell) => table.marks[mark as usize].insert(*cell),
        }
    }

    #[inline]
    pub(crate) fn unmark(&mut self, mark: Mark) {
        match &mut self.0 {
            Kept::Note(note) => note.marks &= !mark.bit(),
            Kept::Table(table, cell) => table.marks[mark as usize].remove(*cell),
        }
    }

    /// Records that water entered through a face.
    #[inline]
    pub(crate) fn record_inflow(&mut self, face: Face) {
        match &mut self.0 {
            Kept::Note(note) => note.inflow |= 1 << face.index(),
            Kept::Table(table, cell) => table.inflow[face.index()].insert(*cell),
        }
    }

    /// Records units that the cell passes on across a face.
    #[inline]
    pub(crate) fn pass_on(&mut self, face: Face, units: u8) {
        match &mut self.0 {
            Kept::Note(note) => add_flow(&mut note.flow, face, units),
            Kept::Table(table, cell) => add_flow(&mut table.flow[*cell], face, units),
        }
        self.mark(Mark::Touched);
    }

    /// Replaces the flow record.
    #[inline]
    pub(crate) fn set_flow(&mut self, flow: u16) {
        match &mut self.0 {
            Kept::Note(note) => note.flow = flow,
            Kept::Table(table, cell) => table.flow[*cell] = flow,
        }
    }
}

/// The note of a cell, for changes.
pub(crate) struct NoteMut<'r> {
    pub(super) note: &'r mut Note,
    pub(super) saved: &'r mut u16,
}

impl NoteMut<'_> {
    /// Returns the index of the cell in the chunk.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        usize::from(self.note.index)
    }

    #[inline]
    pub(crate) fn has(&self, mark: Mark) -> bool {
        self.note.marks & mark.bit() != 0
    }

    /// Returns the flow record.
    #[inline]
    pub(crate) fn flow(&self) -> u16 {
        self.note.flow
    }

    /// Returns the faces, by bit, that water entered through.
    #[inline]
    pub(crate) fn inflow(&self) -> u8 {
        self.note.inflow
    }

    /// Saves the cell, if this is the tick's first change to it. The layer must have no additional
    /// parents.
    #[inline]
    pub(crate) fn save(&mut self, now: Voxel) {
        self.note.save(now);
        *self.saved |= 1 << self.note.layer();
    }
}
