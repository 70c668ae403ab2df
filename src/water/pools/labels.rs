//! Labels of bodies between ticks: union–find (disjoint sets) over labels with bounds.
//!
//! Each label has a least and a greatest level. All cells of its bodies that give or take water lie
//! between them. Changes of the water widen the bounds, and labels whose bodies join are joined. A
//! split of a body is not searched for, since the bounds hold for both parts. Only bodies that were
//! found level get a label, and a label is dropped as soon as its bounds no longer prove its bodies
//! level. So labels save work and decide nothing.

use crate::chunk::{LayerMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::pools::layer::{AROUND, Layer, Levels, contact, levels_of, look, rim};
use crate::water::pools::level::STEP;
use crate::water::scratch::Tick;
use smallvec::SmallVec;

/// The index of a label.
type LabelId = u32;

#[derive(Clone, Copy)]
struct Label {
    /// The label's parent; a root is its own parent.
    parent: LabelId,
    levels: Levels,
}

/// Cells of a layer with the same label.
#[derive(Clone, Copy)]
struct Entry {
    cells: LayerMask,
    label: LabelId,
}

type Entries = SmallVec<[Entry; 1]>;

/// The layers of a chunk.
type ChunkLabels = [Entries; 16];

/// The labels of a world. If a cell has one, all cells of its body have one.
#[derive(Default)]
pub(crate) struct Labels {
    /// By slot.
    chunks: Vec<Option<Box<ChunkLabels>>>,
    labels: Vec<Label>,
    /// The number of entries.
    entries: usize,
    /// The chunks that have got their first labels.
    entered: Vec<Slot>,
    /// Layers with bodies that are to get the labels of the cells that they touch.
    to_spread: Vec<LayerId>,
}

/// The number of layers into which a label may spread for each layer that has changed. A label that
/// would spread farther is dropped.
const SPREAD: usize = 4;

impl Labels {
    pub(crate) fn memory_bytes(&self) -> usize {
        let spilled = |chunk: &ChunkLabels| {
            let spilled = chunk.iter().filter(|entries| entries.spilled());
            spilled.map(|entries| entries.capacity() * size_of::<Entry>()).sum::<usize>()
        };
        let chunks = self.chunks.iter().flatten();
        chunks.map(|chunk| size_of::<ChunkLabels>() + spilled(chunk)).sum::<usize>()
            + self.chunks.capacity() * size_of::<Option<Box<ChunkLabels>>>()
            + self.labels.capacity() * size_of::<Label>()
            + self.entered.capacity() * size_of::<Slot>()
            + self.to_spread.capacity() * size_of::<LayerId>()
    }

    fn of(&self, layer: LayerId) -> &[Entry] {
        self.chunks
            .get(layer.slot.index())
            .and_then(Option::as_ref)
            .map_or(&[], |chunk| &chunk[layer.y])
    }

    #[cfg(test)]
    pub(crate) fn is_used(&self) -> bool {
        self.entries > 0
    }

    /// Returns the root of a cell's label and its bounds, unless it was dropped.
    #[cfg(test)]
    pub(crate) fn of_cell(&self, place: crate::water::store::Place) -> Option<(u32, Levels)> {
        let entries = self.of(place.layer_id()).iter();
        let mut found = entries.filter(|entry| entry.cells.contains(place.cell()));
        let root = self.root(found.next()?.label);
        assert!(found.next().is_none(), "two labels");
        Some((root, self.levels(root))).filter(|_| !self.is_dropped(root))
    }

    fn root(&self, mut label: LabelId) -> LabelId {
        while self.labels[label as usize].parent != label {
            label = self.labels[label as usize].parent;
        }
        label
    }

    fn levels(&self, label: LabelId) -> Levels {
        self.labels[self.root(label) as usize].levels
    }

    fn unite(&mut self, a: LabelId, b: LabelId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.labels[b as usize].parent = a;
            self.widen(a, self.labels[b as usize].levels);
        }
    }

    fn widen(&mut self, label: LabelId, levels: Levels) {
        let root = self.root(label) as usize;
        self.labels[root].levels = self.labels[root].levels.and(levels);
    }

    fn is_dropped(&self, label: LabelId) -> bool {
        self.levels(label).differ_by(STEP)
    }

    /// Returns the cells of a layer whose body is known to be level.
    pub(crate) fn level_cells(&self, layer: LayerId) -> LayerMask {
        let kept = self.of(layer).iter().filter(|entry| !self.is_dropped(entry.label));
        LayerMask::union(kept.map(|entry| entry.cells))
    }

    /// Gives all pieces of a body a new label with the levels of the body.
    pub(crate) fn add<'a>(
        &mut self,
        pieces: impl Iterator<Item = (LayerId, &'a LayerMask)>,
        levels: Levels,
    ) {
        let label = self.labels.len() as LabelId;
        self.labels.push(Label { parent: label, levels });
        for (layer, &cells) in pieces {
            let entries = self.entries_mut(layer);
            let before = entries.len();
            entries.retain(|entry| {
                entry.cells -= cells;
                entry.cells.any()
            });
            entries.push(Entry { cells, label });
            let after = entries.len();
            self.entries = self.entries + after - before;
        }
        if self.labels.len() > 64 + 2 * self.entries {
            self.compact();
        }
    }

    fn entries_mut(&mut self, layer: LayerId) -> &mut Entries {
        if self.chunks.len() <= layer.slot.index() {
            self.chunks.resize_with(layer.slot.index() + 1, || None);
        }
        let chunk = &mut self.chunks[layer.slot.index()];
        if chunk.is_none() {
            self.entered.push(layer.slot);
        }
        &mut chunk.get_or_insert_default()[layer.y]
    }

    /// Returns whether a chunk has labels.
    pub(crate) fn has_any(&self, slot: Slot) -> bool {
        self.chunks.get(slot.index()).is_some_and(Option::is_some)
    }

    /// Removes and returns a chunk that has got its first label.
    pub(crate) fn next_entered(&mut self) -> Option<Slot> {
        self.entered.pop()
    }

    /// Drops the labels that no cell has, and the entries of dropped labels.
    fn compact(&mut self) {
        let mut of_root = vec![LabelId::MAX; self.labels.len()];
        let mut labels = Vec::new();
        let mut chunks = core::mem::take(&mut self.chunks);
        self.entries = 0;
        for chunk in &mut chunks {
            let Some(layers) = chunk else { continue };
            for entries in layers.iter_mut() {
                entries.retain(|entry| !self.is_dropped(entry.label));
                self.entries += entries.len();
                for entry in entries {
                    let root = self.root(entry.label) as usize;
                    if of_root[root] == LabelId::MAX {
                        of_root[root] = labels.len() as LabelId;
                        labels.push(Label { parent: of_root[root], ..self.labels[root] });
                    }
                    entry.label = of_root[root];
                }
            }
            if layers.iter().all(|entries| entries.is_empty()) {
                *chunk = None;
            }
        }
        (self.chunks, self.labels) = (chunks, labels);
    }

    /// Forgets a chunk that is being removed. The rest of its bodies stays within the bounds.
    pub(crate) fn forget(&mut self, slot: Slot) {
        if let Some(chunk) = self.chunks.get_mut(slot.index()).and_then(Option::take) {
            self.entries -= chunk.iter().map(|entries| entries.len()).sum::<usize>();
        }
    }

    /// Updates the labels of a chunk for its changed layers, by bit. In the layers in `structure`,
    /// the supported cells or their neighbours may have changed. Returns the number of layers
    /// visited; `None` if neither the chunk nor a chunk beside it has labels.
    pub(crate) fn refresh(
        &mut self,
        tick: &Tick,
        slot: Slot,
        layers: u16,
        structure: u16,
    ) -> Option<usize> {
        let is_used = |slot: Slot| slot.is_some() && self.has_any(slot);
        let near = Face::ALL.into_iter().map(|face| tick.store.neighbour(slot, face));
        if !near.chain([slot]).any(is_used) {
            return None;
        }
        let mut allowed = SPREAD * structure.count_ones() as usize;
        let mut looked = 0;
        for layer in ones(u64::from(structure)) {
            looked += 1;
            self.to_spread.push(LayerId::new(slot, layer));
        }
        while let Some(layer) = self.to_spread.pop() {
            looked += 1;
            self.spread(tick, layer, &mut allowed);
        }
        for layer in ones(u64::from(layers)) {
            looked += usize::from(!self.of(LayerId::new(slot, layer)).is_empty());
            self.widen_layer(tick, LayerId::new(slot, layer));
        }
        Some(looked)
    }

    /// Widens the bounds of the labels of a layer by the levels of its cells.
    fn widen_layer(&mut self, tick: &Tick, layer: LayerId) {
        if self.of(layer).is_empty() {
            return;
        }
        let at = look(tick, layer);
        for index in 0..self.of(layer).len() {
            let Entry { cells, label } = self.of(layer)[index];
            let rim = rim(tick, &at, cells & at.supported, |layer| look(tick, layer));
            if !rim.is_empty() {
                self.widen(label, levels_of(tick, &at, &rim));
            }
        }
    }

    /// Gives the supported cells of a layer the labels of the cells that they touch.
    fn spread(&mut self, tick: &Tick, layer: LayerId, allowed: &mut usize) {
        let touching = self.touching(tick, layer);
        if touching.is_empty() && self.of(layer).is_empty() {
            return;
        }
        let at = look(tick, layer);
        let entries = core::mem::take(self.entries_mut(layer));
        self.entries -= entries.len();
        let kept = entries.into_iter().filter(|entry| !self.is_dropped(entry.label));
        let kept = kept.map(|entry| Entry { cells: entry.cells & at.supported, ..entry });
        let mut kept: Entries = kept.filter(|entry| entry.cells.any()).collect();
        let labelled = LayerMask::union(kept.iter().map(|entry| entry.cells));
        let mut left = at.supported - labelled;
        let seeds = LayerMask::union(touching.iter().map(|entry| entry.cells)) | labelled.spread();
        left = at.joined(seeds, left);
        while let Some(cell) = left.iter().next() {
            let cells = at.joined(LayerMask::single(cell), left);
            left -= cells;
            let around = cells | cells.spread();
            let found = kept.iter().find(|entry| (entry.cells & around).any());
            let found = found.or_else(|| touching.iter().find(|of| (of.cells & cells).any()));
            let Some(&Entry { label, .. }) = found else { continue };
            for index in 0..kept.len() {
                if (kept[index].cells & around).any() {
                    self.unite(label, kept[index].label);
                }
            }
            kept.push(Entry { cells, label });
        }
        for of in &touching {
            for entry in kept.iter().filter(|entry| (entry.cells & of.cells).any()) {
                self.unite(entry.label, of.label);
            }
        }
        self.entries += kept.len();
        *self.entries_mut(layer) = kept.clone();
        for Entry { cells, label } in kept {
            self.spread_from(tick, &at, cells, label, allowed);
        }
        self.widen_layer(tick, layer);
    }

    /// Spreads a label from cells of a layer, or drops the label if it may spread no farther.
    fn spread_from(
        &mut self,
        tick: &Tick,
        at: &Layer,
        cells: LayerMask,
        label: LabelId,
        allowed: &mut usize,
    ) {
        let open: SmallVec<[LayerId; 6]> = AROUND
            .into_iter()
            .filter_map(|face| contact(tick, at.layer, face, cells))
            .filter(|&(layer, cells)| self.has_others(tick, layer, cells))
            .map(|(layer, _)| layer)
            .collect();
        if open.len() > *allowed {
            self.widen(label, Levels::ANY);
            return;
        }
        *allowed -= open.len();
        self.to_spread.extend(open);
    }

    /// Returns whether any of these cells of a layer belongs to a body without a label.
    fn has_others(&self, tick: &Tick, layer: LayerId, cells: LayerMask) -> bool {
        let kept = self.of(layer).iter().filter(|entry| !self.is_dropped(entry.label));
        let cells = cells - LayerMask::union(kept.map(|entry| entry.cells));
        cells.any() && (cells & look(tick, layer).supported).any()
    }

    /// Returns the labels around a layer, with the cells of the layer that touch them.
    fn touching(&self, tick: &Tick, layer: LayerId) -> Entries {
        let mut touching = Entries::new();
        let mut add = |cells: LayerMask, entry: &Entry| {
            if cells.any() && !self.is_dropped(entry.label) {
                touching.push(Entry { cells, label: entry.label });
            }
        };
        for face in AROUND {
            let Some(there) = tick.store.layer_across(layer, face) else { continue };
            for entry in self.of(there) {
                add(tick.store.joints(there, face.opposite(), entry.cells), entry);
            }
        }
        touching
    }
}
