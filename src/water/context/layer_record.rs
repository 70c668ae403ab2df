//! The record that a tick keeps for one layer of a chunk: how much each cell passed on, masks of
//! cells, and the cells as they were before the tick.
//!
//! Water is thin: on real ground a layer has about four wet cells. So a record notes up to
//! [`LayerMask::SPARSE`] cells in a list of eight bytes each, and takes a table of all cells only
//! when more take part. A tick in a thin world is limited by the memory that its records span.

use crate::chunk::{LAYER_CELLS, LayerMask, ones};
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::flow_record::{NO_FLOW, add_flow, add_flows, passed};
use crate::water::store::{Changes, Place, Store};
use crate::water::voxel::Voxel;
use std::borrow::Cow;

/// The most cells that a record keeps in its list.
const FEW: usize = LayerMask::SPARSE;

/// A tick's note of one cell.
#[derive(Clone, Copy)]
struct Note {
    cell: u8,
    /// The faces, by bit, that water entered through.
    inflow: u8,
    /// The flow record.
    flow: u16,
    /// The cell as it was before the tick, once it is saved.
    before: Option<Voxel>,
}

impl Note {
    const BLANK: Note = Note { cell: 0, inflow: 0, flow: NO_FLOW, before: None };
}

/// A tick's notes of all cells of a layer.
pub(crate) struct Table {
    flow: [u16; LAYER_CELLS],
    /// For each face, the cells that water entered through it.
    inflow: [LayerMask; 6],
    /// The cells of `saved` as they were before the tick.
    before: [Voxel; LAYER_CELLS],
    saved: LayerMask,
}

impl Table {
    /// Returns an empty table.
    pub(crate) fn new() -> Box<Self> {
        Box::new(Table {
            flow: [NO_FLOW; LAYER_CELLS],
            inflow: [LayerMask::NONE; 6],
            before: [Voxel::OPEN; LAYER_CELLS],
            saved: LayerMask::NONE,
        })
    }

    /// Resets the table. The stale cells in `before` stay, since none is in `saved`.
    fn reset(&mut self, touched: LayerMask) {
        // Four rows at a time, since usually few are touched.
        for (flow, touched) in self.flow.as_chunks_mut::<64>().0.iter_mut().zip(touched.words()) {
            if touched != 0 {
                flow.fill(NO_FLOW);
            }
        }
        self.inflow = [LayerMask::NONE; 6];
        self.saved = LayerMask::NONE;
    }

    /// Takes over a note of the list.
    fn take_over(&mut self, note: &Note) {
        let cell = usize::from(note.cell);
        self.flow[cell] = note.flow;
        for face in ones(u64::from(note.inflow)) {
            self.inflow[face].insert(cell);
        }
        if let Some(before) = note.before {
            self.before[cell] = before;
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

/// Marks of cells that springs feed. Most layers have no such cells.
pub(crate) struct Marks {
    /// Cells whose parents all lead to exhausted cells, so that no draw passes through them in this
    /// tick.
    pub(crate) dead: LayerMask,
    /// Cells that would draw, but whose path is exhausted for this tick; they must stay awake.
    pub(crate) waiting: LayerMask,
    /// Passed by steady flow in this tick.
    pub(crate) marked: LayerMask,
    /// Parts of falls that have let water fall on in this tick.
    pub(crate) fallen: LayerMask,
}

impl Marks {
    const NONE: Marks = Marks {
        dead: LayerMask::NONE,
        waiting: LayerMask::NONE,
        marked: LayerMask::NONE,
        fallen: LayerMask::NONE,
    };
}

/// The record of one layer in a tick. The fields that all phases read come first: the time of a
/// tick in a thin world is mostly cache misses on its records.
#[repr(C)]
pub(crate) struct LayerRecord {
    /// Cells that water entered, left or passed. Every other cell has the flow record [`NO_FLOW`].
    pub(crate) touched: LayerMask,
    /// Cells woken in this tick, to be visited in the next.
    pub(crate) woken: LayerMask,
    notes: [Note; FEW],
    /// The notes of all cells, if more than [`FEW`] take part; then the list is empty.
    table: Option<Box<Table>>,
    /// The number of notes in the list.
    count: u8,
    /// Whether any cell is saved.
    has_saved: bool,
    /// The saved parents, if any. The allocation is kept from tick to tick.
    marks: Option<Box<Marks>>,
    /// For each face, the cells that had extra parents behind it. `None` if no cell is saved or
    /// none had any.
    extras_before: Option<Box<[LayerMask; 6]>>,
    /// The seed of the layer's random choices in this tick.
    pub(crate) seed: u64,
    /// The cells that were awake before the tick.
    pub(crate) awake_before: LayerMask,
}

impl LayerRecord {
    /// Returns an empty record.
    pub(crate) fn new() -> Self {
        LayerRecord {
            touched: LayerMask::NONE,
            woken: LayerMask::NONE,
            notes: [Note::BLANK; FEW],
            table: None,
            count: 0,
            has_saved: false,
            marks: None,
            extras_before: None,
            seed: 0,
            awake_before: LayerMask::NONE,
        }
    }

    /// Resets a record of an earlier tick. Returns its table, also reset, if it had one.
    pub(crate) fn reset(&mut self) -> Option<Box<Table>> {
        let mut table = self.table.take();
        if let Some(table) = &mut table {
            table.reset(self.touched);
        }
        (self.touched, self.woken) = (LayerMask::NONE, LayerMask::NONE);
        if let Some(marks) = &mut self.marks {
            **marks = Marks::NONE;
        }
        (self.count, self.has_saved, self.extras_before) = (0, false, None);
        table
    }

    /// Returns the marks of cells that springs feed.
    #[inline]
    pub(crate) fn marks(&self) -> &Marks {
        self.marks.as_deref().unwrap_or(&Marks::NONE)
    }

    pub(crate) fn marks_mut(&mut self) -> &mut Marks {
        self.marks.get_or_insert_with(|| Box::new(Marks::NONE))
    }

    /// Gives an empty record a table, which must be new or reset.
    pub(crate) fn use_table(&mut self, table: Box<Table>) {
        debug_assert!(self.count == 0, "notes would be lost");
        self.table = Some(table);
    }

    /// Returns the note of a cell in the list, if it has one.
    #[inline]
    fn noted(&self, cell: usize) -> Option<&Note> {
        self.list().iter().find(|note| usize::from(note.cell) == cell)
    }

    #[inline]
    fn list(&self) -> &[Note] {
        &self.notes[..usize::from(self.count)]
    }

    /// Returns the note of a cell in the list, and adds one if there is none. `None` if the layer
    /// has a table; a full list is replaced by a table.
    #[inline]
    fn note(&mut self, cell: usize) -> Option<&mut Note> {
        if self.table.is_some() {
            return None;
        }
        let count = usize::from(self.count);
        let at = match self.list().iter().position(|note| usize::from(note.cell) == cell) {
            Some(at) => at,
            None if count == FEW => {
                self.make_table();
                return None;
            }
            None => {
                self.notes[count] = Note { cell: cell as u8, ..Note::BLANK };
                self.count += 1;
                count
            }
        };
        Some(&mut self.notes[at])
    }

    /// Moves the list into a table.
    #[cold]
    fn make_table(&mut self) {
        let mut table = Table::new();
        self.list().iter().for_each(|note| table.take_over(note));
        self.count = 0;
        self.table = Some(table);
    }

    /// Returns the flow record of a cell.
    #[inline]
    pub(crate) fn flow(&self, cell: usize) -> u16 {
        match &self.table {
            Some(table) => table.flow[cell],
            None => self.noted(cell).map_or(NO_FLOW, |note| note.flow),
        }
    }

    /// Returns the units that a cell has passed on in this tick.
    #[inline]
    pub(crate) fn passed(&self, cell: usize) -> u8 {
        passed(self.flow(cell))
    }

    /// Returns the cells that have passed on at least this many units in this tick.
    pub(crate) fn passed_at_least(&self, units: u8) -> LayerMask {
        match &self.table {
            Some(table) => LayerMask::select(&table.flow, |flow| passed(flow) >= units),
            None if units == 0 => LayerMask::ALL,
            None => {
                let notes = self.list().iter().filter(|note| passed(note.flow) >= units);
                notes.map(|note| usize::from(note.cell)).collect()
            }
        }
    }

    /// Returns the flow records of all cells.
    pub(crate) fn flows(&self) -> [u16; LAYER_CELLS] {
        match &self.table {
            Some(table) => table.flow,
            None => {
                let mut flows = [NO_FLOW; LAYER_CELLS];
                self.list().iter().for_each(|note| flows[usize::from(note.cell)] = note.flow);
                flows
            }
        }
    }

    /// Replaces the flow records of these cells.
    pub(crate) fn set_flows(&mut self, cells: LayerMask, flows: &[u16; LAYER_CELLS]) {
        cells.iter().for_each(|cell| self.set_flow(cell, flows[cell]));
    }

    /// Replaces the flow record of a cell.
    #[inline]
    pub(crate) fn set_flow(&mut self, cell: usize, flow: u16) {
        match self.note(cell) {
            Some(note) => note.flow = flow,
            None => self.in_table(|table| table.flow[cell] = flow),
        }
    }

    #[inline]
    fn in_table(&mut self, change: impl FnOnce(&mut Table)) {
        if let Some(table) = &mut self.table {
            change(table);
        }
    }

    /// Records that water entered these cells through a face.
    #[inline]
    pub(crate) fn enter(&mut self, face: Face, cells: LayerMask) {
        if self.table.is_none() && cells.is_sparse() {
            return cells.iter().for_each(|cell| self.enter_cell(face, cell));
        }
        if self.table.is_none() {
            self.make_table();
        }
        self.in_table(|table| table.inflow[face.index()] |= cells);
    }

    /// Records that water entered a cell through a face.
    #[inline]
    pub(crate) fn enter_cell(&mut self, face: Face, cell: usize) {
        match self.note(cell) {
            Some(note) => note.inflow |= 1 << face.index(),
            None => self.in_table(|table| table.inflow[face.index()].insert(cell)),
        }
    }

    /// Returns the faces, by bit, through which water entered a cell.
    #[inline]
    pub(crate) fn entries(&self, cell: usize) -> u8 {
        match &self.table {
            Some(table) => (0..6)
                .fold(0, |faces, face| faces | u8::from(table.inflow[face].contains(cell)) << face),
            None => self.noted(cell).map_or(0, |note| note.inflow),
        }
    }

    /// Returns the cells that water entered.
    pub(crate) fn entered(&self) -> LayerMask {
        match &self.table {
            Some(table) => LayerMask::union(table.inflow),
            None => {
                let entered = self.list().iter().filter(|note| note.inflow != 0);
                entered.map(|note| usize::from(note.cell)).collect()
            }
        }
    }

    /// Saves these cells if this is the tick's first change to them. If there are many, the whole
    /// layer is saved, and is later compared as a whole.
    pub(crate) fn save(&mut self, store: &Store, layer: LayerId, cells: LayerMask) {
        if cells.is_sparse() {
            return cells.iter().for_each(|cell| self.save_cell(store, layer, cell));
        }
        self.save_extras(store, layer);
        if self.table.is_none() {
            self.make_table();
        }
        let Some(table) = &mut self.table else { return };
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
        self.save_extras(store, layer);
        let now = || store.read(Place::in_layer(layer, cell));
        match self.note(cell) {
            Some(note) if note.before.is_none() => note.before = Some(now()),
            Some(_) => (),
            None => self.in_table(|table| {
                if !table.saved.contains(cell) {
                    table.before[cell] = now();
                    table.saved.insert(cell);
                }
            }),
        }
    }

    /// Saves the additional parents of a layer before the tick's first change to it.
    #[inline]
    fn save_extras(&mut self, store: &Store, layer: LayerId) {
        if !core::mem::replace(&mut self.has_saved, true)
            && let Some(extras) = store.extras(layer.slot)
        {
            let extras = extras.each_ref().map(|cells| cells.layer(layer.y));
            if LayerMask::union(extras).any() {
                self.extras_before = Some(Box::new(extras));
            }
        }
    }

    /// Records units that a cell passes on across a face.
    #[inline]
    pub(crate) fn pass_on(&mut self, cell: usize, face: Face, units: u8) {
        match self.note(cell) {
            Some(note) => add_flow(&mut note.flow, face, units),
            None => self.in_table(|table| add_flow(&mut table.flow[cell], face, units)),
        }
        self.touched.insert(cell);
    }

    /// Records the units that cells pass on, given as flow records of all cells, without the units
    /// that they have passed on already.
    pub(crate) fn pass_on_all(&mut self, cells: LayerMask, flows: &[u16; LAYER_CELLS]) {
        if self.table.is_none() && !cells.is_sparse() {
            self.make_table();
        }
        match &mut self.table {
            Some(table) => {
                for (own, &flow) in table.flow.iter_mut().zip(flows) {
                    *own = add_flows(*own, flow);
                }
            }
            None => cells.iter().for_each(|cell| {
                let flow = add_flows(self.flow(cell), flows[cell]);
                self.set_flow(cell, flow);
            }),
        }
        self.touched |= cells;
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |_| size_of::<Table>())
            + self.marks.as_ref().map_or(0, |_| size_of::<Marks>())
            + self.extras_before.as_ref().map_or(0, |_| size_of::<[LayerMask; 6]>())
    }

    /// Restores the layer's cells to what they were before the tick.
    pub(crate) fn revert(&self, cells: &mut [Voxel; LAYER_CELLS]) {
        match &self.table {
            Some(table) => table.saved.iter().for_each(|cell| cells[cell] = table.before[cell]),
            None => {
                for note in self.list() {
                    if let Some(before) = note.before {
                        cells[usize::from(note.cell)] = before;
                    }
                }
            }
        }
    }

    /// Returns a cell as it was before the tick if it is saved. A cell that is not saved has not
    /// changed.
    #[inline]
    pub(crate) fn before(&self, cell: usize) -> Option<Voxel> {
        match &self.table {
            Some(table) => table.saved.contains(cell).then(|| table.before[cell]),
            None => self.noted(cell).and_then(|note| note.before),
        }
    }

    /// Returns whether any cell is saved. If not, no cell has changed.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.has_saved
    }

    /// Returns, for each face, the cells that had extra parents behind it before the tick; `None`
    /// if no cell of the layer had any.
    #[cfg(feature = "snapshot")]
    pub(crate) fn extras_before(&self) -> Option<&[LayerMask; 6]> {
        self.extras_before.as_deref()
    }

    /// Returns the cells that differ from before the tick.
    pub(crate) fn changes(&self, store: &Store, layer: LayerId) -> Changes {
        if !self.has_saved {
            return Changes::NONE;
        }
        let mut changes = Changes::NONE;
        match &self.table {
            Some(table) => changes = table.changes(&layer_of(store, layer)),
            None => {
                for note in self.list() {
                    let cell = usize::from(note.cell);
                    let Some(before) = note.before else { continue };
                    let now = store.read(Place::in_layer(layer, cell));
                    if now != before {
                        changes.any.insert(cell);
                    }
                    if now.look() != before.look() {
                        changes.visible.insert(cell);
                    }
                }
            }
        }
        changes
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
                let work = tick.scratch.record_mut(tick.store, layer);
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
            for (&layer, before) in layers.iter().zip(&before) {
                let mut cells = cells_of(tick.store, layer);
                let work = tick.scratch.get(layer);
                let changes = work.map_or(Changes::NONE, |work| work.changes(tick.store, layer));
                for cell in 0..LAYER_CELLS {
                    let (was, is) = (before[cell], cells[cell]);
                    assert_eq!(
                        [changes.any.contains(cell), changes.visible.contains(cell)],
                        [is != was, looks(is) != looks(was)],
                        "seed {seed}: {layer:?}, {cell}"
                    );
                    unseen += u32::from(is != was && looks(is) == looks(was));
                }
                if let Some(work) = work {
                    assert!(work.may_have_changed() || changes.any.is_empty(), "seed {seed}");
                    for (cell, &now) in cells.iter().enumerate() {
                        assert_eq!(work.before(cell).unwrap_or(now), before[cell], "seed {seed}");
                    }
                    work.revert(&mut cells);
                    kept[usize::from(work.table.is_some())] += u32::from(work.may_have_changed());
                }
                assert!(cells == *before, "seed {seed}: {layer:?}");
            }
        }
        assert!(
            kept.iter().all(|&layers| layers > 50),
            "{kept:?} layers kept in a list, and in a table"
        );
        assert!(unseen > 20, "{unseen} cells changed without looking different");
    }
}
