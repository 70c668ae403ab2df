//! The record that a tick keeps of a chunk: a log of the cells that it touched, each with the word
//! that it had before the tick and what has flowed.
//!
//! Water is thin: on real ground a layer has about four wet cells. So the log has a note of ten
//! bytes for each cell, and only a layer in which more than [`FEW`] cells take part has a table of
//! all its cells. A tick in a thin world is limited by the memory that it spans.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::flow_record::{NO_FLOW, add_flow, add_flows, passed};
use crate::water::store::changed::tick_changes::TickChanges;
use crate::water::store::{Changes, Place, Store};
use crate::water::voxel::Voxel;
use std::borrow::Cow;

/// The most cells of a layer that have notes.
const FEW: usize = LayerMask::SPARSE;

/// The end of a chain of notes.
const NONE: u16 = u16::MAX;

/// What becomes of a cell in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Water entered, left or passed it. Every other cell has the flow record [`NO_FLOW`].
    Touched,
    /// It was woken, to be visited in the next tick.
    Woken,
    /// All its parents lead to exhausted cells, so that no draw passes through it in this tick.
    Dead,
    /// It would draw, but its path is exhausted for this tick; it must stay awake.
    Waiting,
    /// Steady flow passed it.
    Steady,
    /// It is part of a fall, and has let water fall on.
    Fallen,
}

const MARKS: usize = 6;

/// The bit of a note whose cell is saved; the bits below are those of [`Mark`].
const SAVED: u8 = 1 << MARKS;

impl Mark {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A tick's note of one cell.
#[derive(Clone, Copy)]
struct Note {
    /// The flow record.
    flow: u16,
    /// The cell as it was before the tick, once it is saved.
    before: Voxel,
    /// The index of the cell in the chunk.
    index: u16,
    /// The index of the next note of the same layer, or [`NONE`].
    next: u16,
    /// The faces, by bit, that water entered through.
    inflow: u8,
    marks: u8,
}

impl Note {
    #[inline]
    fn layer(&self) -> usize {
        usize::from(self.index) / LAYER_CELLS
    }

    #[inline]
    fn cell(&self) -> usize {
        usize::from(self.index) % LAYER_CELLS
    }

    /// Saves the cell, unless it is saved.
    #[inline]
    fn save(&mut self, now: Voxel) {
        if self.marks & SAVED == 0 {
            (self.before, self.marks) = (now, self.marks | SAVED);
        }
    }
}

/// A tick's notes of all cells of a layer.
struct Table {
    flow: [u16; LAYER_CELLS],
    /// For each face, the cells that water entered through it.
    inflow: [LayerMask; 6],
    marks: [LayerMask; MARKS],
    /// The cells of `saved` as they were before the tick.
    before: [Voxel; LAYER_CELLS],
    saved: LayerMask,
}

impl Table {
    /// Returns an empty table.
    fn new() -> Box<Self> {
        Box::new(Table {
            flow: [NO_FLOW; LAYER_CELLS],
            inflow: [LayerMask::NONE; 6],
            marks: [LayerMask::NONE; MARKS],
            before: [Voxel::OPEN; LAYER_CELLS],
            saved: LayerMask::NONE,
        })
    }

    /// Resets the table. The stale cells in `before` stay, since none is in `saved`.
    fn reset(&mut self) {
        // Four rows at a time, since usually few are touched.
        let touched = self.marks[Mark::Touched as usize];
        for (flow, touched) in self.flow.as_chunks_mut::<64>().0.iter_mut().zip(touched.words()) {
            if touched != 0 {
                flow.fill(NO_FLOW);
            }
        }
        self.inflow = [LayerMask::NONE; 6];
        self.marks = [LayerMask::NONE; MARKS];
        self.saved = LayerMask::NONE;
    }

    /// Saves a cell, unless it is saved.
    #[inline]
    fn save(&mut self, cell: usize, now: Voxel) {
        if !self.saved.contains(cell) {
            self.before[cell] = now;
            self.saved.insert(cell);
        }
    }

    /// Gives a cell marks, by bit.
    #[inline]
    fn mark(&mut self, marks: u8, cell: usize) {
        ones(u64::from(marks)).for_each(|mark| self.marks[mark].insert(cell));
    }

    /// Takes over a note.
    fn take_over(&mut self, note: &Note) {
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
    fn changes(&self, now: &[Voxel; LAYER_CELLS]) -> Changes {
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

/// The additional parents of a layer's cells: for each face, the cells with one behind it.
type Extras = [LayerMask; 6];

/// The record of one chunk in a tick.
pub(crate) struct ChunkRecord {
    pub(super) is_of_odd_tick: bool,
    /// The layers, by bit, with a table.
    dense: u16,
    /// The layers, by bit, with a saved cell.
    saved: u16,
    notes: Vec<Note>,
    /// For each layer without a table, its last note and the number of its notes.
    chains: [(u16, u8); 16],
    tables: [Option<Box<Table>>; 16],
    /// Tables that are reset and free to use.
    #[expect(clippy::vec_box, reason = "unboxed, each move would copy a kilobyte")]
    spare: Vec<Box<Table>>,
    /// By layer: the additional parents of cells before the tick, if any cell is saved and any had
    /// some.
    extras_before: Vec<(usize, Box<Extras>)>,
    /// The awake cells of the chunk before the tick, if they can be asked for.
    pub(super) awake_before: Option<Box<CellMask>>,
}

impl Default for ChunkRecord {
    fn default() -> Self {
        ChunkRecord {
            is_of_odd_tick: false,
            dense: 0,
            saved: 0,
            notes: Vec::new(),
            chains: [(NONE, 0); 16],
            tables: [const { None }; 16],
            spare: Vec::new(),
            extras_before: Vec::new(),
            awake_before: None,
        }
    }
}

impl ChunkRecord {
    /// Resets the record of an earlier tick. Keeps the tables that it used for the next.
    pub(super) fn reset(&mut self) {
        self.spare.clear();
        for layer in ones(u64::from(core::mem::take(&mut self.dense))) {
            if let Some(mut table) = self.tables[layer].take() {
                table.reset();
                self.spare.push(table);
            }
        }
        self.notes.clear();
        (self.chains, self.saved) = ([(NONE, 0); 16], 0);
        self.extras_before.clear();
        self.awake_before = None;
    }

    /// Returns the awake cells of the chunk before the tick, if they can be asked for.
    pub(super) fn awake_before(&self) -> Option<&CellMask> {
        self.awake_before.as_deref()
    }

    /// Returns the record of a layer.
    #[inline]
    pub(super) fn layer(&self, y: usize) -> LayerRecord<'_> {
        LayerRecord { chunk: self, y }
    }

    /// Returns the record of a layer for changes.
    #[inline]
    pub(super) fn layer_mut(&mut self, y: usize) -> LayerRecordMut<'_> {
        LayerRecordMut { chunk: self, y }
    }

    /// Returns the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let tables = self.dense.count_ones() as usize + self.spare.len();
        tables * size_of::<Table>()
            + self.notes.capacity() * size_of::<Note>()
            + self.spare.capacity() * size_of::<Box<Table>>()
            + self.extras_before.len() * size_of::<Extras>()
            + self.extras_before.capacity() * size_of::<(usize, Box<Extras>)>()
            + self.awake_before.as_ref().map_or(0, |_| size_of::<CellMask>())
    }

    /// Returns whether water entered, left or passed any cell.
    pub(crate) fn is_touched(&self) -> bool {
        let is_touched = |marks: u8| marks & Mark::Touched.bit() != 0;
        self.notes().any(|note| is_touched(note.marks))
            || self.tables.iter().flatten().any(|table| table.marks[Mark::Touched as usize].any())
    }

    /// Returns the layers, by bit, with a table.
    pub(crate) fn dense_layers(&self) -> u16 {
        self.dense
    }

    /// Calls `change` for the notes of the layers without a table, in the order in which they were
    /// made.
    #[inline]
    pub(crate) fn for_each_note(&mut self, mut change: impl FnMut(NoteMut<'_>)) {
        let ChunkRecord { notes, dense, saved, .. } = self;
        for note in notes.iter_mut().filter(|note| *dense >> note.layer() & 1 == 0) {
            change(NoteMut { note, saved });
        }
    }

    /// Returns the notes of the layers without a table.
    fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| self.dense >> note.layer() & 1 == 0)
    }

    /// Adds the cells that differ from before the tick to `changes`.
    pub(crate) fn add_changes(&self, store: &Store, slot: Slot, changes: &mut TickChanges) {
        for note in self.notes().filter(|note| note.marks & SAVED != 0) {
            let now = store.read(Place::new(slot, usize::from(note.index)));
            if now != note.before {
                changes.add_cell(slot, note.index, now.look() != note.before.look());
            }
        }
        for y in ones(u64::from(self.dense & self.saved)) {
            let layer = LayerId::new(slot, y);
            if let Some(table) = &self.tables[y] {
                changes.add_layer(layer, table.changes(&layer_of(store, layer)));
            }
        }
    }

    /// Returns the notes of a layer that has no table.
    #[inline]
    fn chain(&self, y: usize) -> impl Iterator<Item = &Note> {
        let note = |at: u16| self.notes.get(usize::from(at));
        core::iter::successors(note(self.chains[y].0), move |last| note(last.next))
    }

    /// Gives a layer a table, and moves its notes there.
    pub(super) fn use_table(&mut self, y: usize) {
        let mut table = self.spare.pop().unwrap_or_else(Table::new);
        self.chain(y).for_each(|note| table.take_over(note));
        self.chains[y] = (NONE, 0);
        self.dense |= 1 << y;
        self.tables[y] = Some(table);
    }
}

/// The note of a cell, for changes.
pub(crate) struct NoteMut<'r> {
    note: &'r mut Note,
    saved: &'r mut u16,
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

/// The record of one layer of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct LayerRecord<'r> {
    chunk: &'r ChunkRecord,
    y: usize,
}

impl<'r> LayerRecord<'r> {
    #[inline]
    fn table(self) -> Option<&'r Table> {
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

    /// Returns the cells with a mark.
    #[inline]
    pub(crate) fn marked(self, mark: Mark) -> LayerMask {
        match self.table() {
            Some(table) => table.marks[mark as usize],
            None => self.among_notes(|note| note.marks & mark.bit() != 0),
        }
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
        let of_layer = |(y, _): &&(usize, Box<Extras>)| *y == self.y;
        self.chunk.extras_before.iter().find(of_layer).map(|(_, extras)| &**extras)
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
    pub(crate) fn enter(&mut self, face: Face) {
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

/// The record of one layer of a chunk, for changes.
pub(crate) struct LayerRecordMut<'r> {
    chunk: &'r mut ChunkRecord,
    y: usize,
}

impl LayerRecordMut<'_> {
    /// Returns the record for reading.
    #[inline]
    pub(crate) fn read(&self) -> LayerRecord<'_> {
        LayerRecord { chunk: self.chunk, y: self.y }
    }

    /// Returns the record of a cell. It adds a note if there is none; notes of more than [`FEW`]
    /// cells of a layer are moved into a table.
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

    /// Returns the record of a cell that is about to change. The parents that it has besides the
    /// first are saved.
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

    /// Returns the table of the layer, if it has one or these are too many cells for notes.
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
    pub(crate) fn enter(&mut self, face: Face, cells: LayerMask) {
        match self.table_for(cells) {
            Some(table) => table.inflow[face.index()] |= cells,
            None => cells.iter().for_each(|cell| self.cell(cell).enter(face)),
        }
    }

    /// Saves these cells of layer `layer` if this is the tick's first change to them. If there are
    /// many, the whole layer is saved, and is later compared as a whole.
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

    /// Records the units that cells pass on, given as flow records of all cells, without the units
    /// that they have passed on already.
    pub(crate) fn pass_on_all(&mut self, cells: LayerMask, flows: &[u16; LAYER_CELLS]) {
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
        self.mark(Mark::Touched, cells);
    }
}

/// Returns the cells of a layer.
fn layer_of(store: &Store, layer: LayerId) -> Cow<'_, [Voxel; LAYER_CELLS]> {
    match store.cells(layer) {
        Some(cells) => Cow::Borrowed(cells),
        None => Cow::Owned([store.grid().chunk_at(layer.slot).get(0); LAYER_CELLS]),
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
#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Face;
    use crate::water::context::test_worlds;
    use hashbrown::HashSet;

    type Looks = (Option<Voxel>, u8, Option<(u8, Option<Face>)>);

    /// The parts of a cell that a game draws, computed independently.
    fn looks(voxel: Voxel) -> Looks {
        let passes = voxel != Voxel::OPEN && voxel.height() == 0 && !voxel.is_mark();
        let passing = passes.then(|| (voxel.largest(), voxel.direction()));
        (voxel.is_mark().then_some(voxel), voxel.height(), passing)
    }

    /// One cell or many of a layer change, some more than once and some back.
    #[test]
    fn differences_from_before_a_tick_are_recorded_and_can_be_undone() {
        let (mut kept, mut unseen) = ([0; 2], 0);
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let layers: Vec<LayerId> = slots.iter().flat_map(|&slot| slot.layers()).collect();
            let cells_of = |store: &Store, layer: LayerId| -> [Voxel; LAYER_CELLS] {
                core::array::from_fn(|cell| store.read(Place::in_layer(layer, cell)))
            };
            let before: Vec<_> =
                layers.iter().map(|&place| cells_of(&world.store, place)).collect();
            let tick = test_worlds::tick(&mut world);
            for _ in 0..100 {
                let layer = layers[random.usize(..layers.len())];
                let mut cells = LayerMask::NONE;
                let count = [1, 1, 6, 120][random.usize(..4)];
                (0..count).for_each(|_| cells.insert(random.usize(..LAYER_CELLS)));
                let mut work = tick.scratch.record_mut(tick.store, layer);
                match count {
                    1 => cells.iter().for_each(|cell| work.save_cell(tick.store, layer, cell)),
                    _ => work.save(tick.store, layer, cells),
                }
                for place in cells.iter().map(|cell| Place::in_layer(layer, cell)) {
                    tick.store.write(
                        place,
                        [Voxel::OPEN, test_worlds::voxel(&mut random)][random.usize(..2)],
                    );
                }
            }
            let mut expected = HashSet::new();
            for (&layer, before) in layers.iter().zip(&before) {
                let mut cells = cells_of(tick.store, layer);
                let work = tick.scratch.get(layer);
                let is_same = cells == *before;
                for cell in 0..LAYER_CELLS {
                    let (was, is) = (before[cell], cells[cell]);
                    if is != was {
                        expected.insert((Place::in_layer(layer, cell), looks(is) != looks(was)));
                        unseen += u32::from(looks(is) == looks(was));
                    }
                }
                if let Some(work) = work {
                    assert!(work.may_have_changed() || is_same, "seed {seed}");
                    for (cell, &now) in cells.iter().enumerate() {
                        assert_eq!(work.before(cell).unwrap_or(now), before[cell], "seed {seed}");
                    }
                    work.revert(&mut cells);
                    kept[usize::from(work.table().is_some())] += u32::from(work.may_have_changed());
                }
                assert!(cells == *before, "seed {seed}: {layer:?}");
            }
            let mut changes = TickChanges::default();
            for &slot in &slots {
                if let Some(record) = tick.scratch.of_chunk(slot) {
                    record.add_changes(tick.store, slot, &mut changes);
                }
            }
            assert_eq!(changes.count(), expected.len() as u64, "seed {seed}");
            assert_eq!(changes.cells().collect::<HashSet<_>>(), expected, "seed {seed}");
        }
        assert!(
            kept.iter().all(|&layers| layers > 50),
            "{kept:?} layers kept in a list, and in a table"
        );
        assert!(unseen > 20, "{unseen} cells changed without looking different");
    }
}
