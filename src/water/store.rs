//! The chunks of a water world and what is kept beside them: bit masks, outlets, sources and further parents.
//!
//! Everything that writes a voxel goes through [`Store::write`], so that the masks never disagree with the cells.

use super::bits::{self, LayerBits, and};
use super::cell::{CellFlags, FULL};
use super::rules::{Edge, Edges};
use super::voxel::Voxel;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Cube, Face, Region, Shape};
use crate::grid::{Grid, Slot};
use glam::IVec3;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Cells in a horizontal layer of a chunk.
pub(super) const LAYER_CELLS: usize = 256;

/// A cell by slot and local index; the slot may be [`Slot::NONE`].
pub(super) type Place = (Slot, usize);

/// The cells of a dense chunk by what they can hold. Together they tell dry, partial, full and solid apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerMasks {
    /// Height 1 to 7.
    pub(super) wet: CellMask,
    /// No room: full, solid, or an end of the world that is not a drain.
    pub(super) closed: CellMask,
    /// With a source: one, or connected to one. Few chunks have any, and water that rests mostly has none.
    sourced: Option<Box<CellMask>>,
}

impl LayerMasks {
    fn of(cells: &[Voxel; CHUNK_CELLS]) -> Self {
        let mut masks = LayerMasks { wet: CellMask::EMPTY, closed: CellMask::EMPTY, sourced: None };
        for (layer, cells) in cells.as_chunks().0.iter().enumerate() {
            masks.refresh(layer, cells);
        }
        masks
    }

    /// Makes the masks of a layer (0 to 15) those of its cells.
    fn refresh(&mut self, layer: usize, cells: &[Voxel; LAYER_CELLS]) {
        self.wet.set_layer(layer, bits::select(cells, Voxel::is_wet));
        self.closed.set_layer(layer, bits::select(cells, Voxel::is_closed));
        let sourced = bits::select(cells, Voxel::is_sourced);
        if self.sourced.is_some() || sourced != [0; 4] {
            self.sourced.get_or_insert_default().set_layer(layer, sourced);
            self.drop_empty();
        }
    }

    #[inline]
    fn set(&mut self, index: usize, voxel: Voxel) {
        self.wet.set(index, voxel.is_wet());
        self.closed.set(index, voxel.is_closed());
        if voxel.is_sourced() {
            self.sourced.get_or_insert_default().insert(index);
        } else if self.sourced.as_mut().is_some_and(|sourced| sourced.remove(index)) {
            self.drop_empty();
        }
    }

    /// No mask stands for an empty one, so that equal cells have equal masks.
    fn drop_empty(&mut self) {
        self.sourced.take_if(|sourced| sourced.is_empty());
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.sourced.as_ref().map_or(0, |_| size_of::<CellMask>())
    }
}

/// What stands beside one chunk. `masks` is there exactly if the chunk is dense.
#[derive(Default)]
struct Beside {
    masks: Option<Box<LayerMasks>>,
    rarities: Option<Box<Rarities>>,
    /// For each face, the cells with the Extra flag that have a parent behind it. Two faces or more for each such cell.
    extras: Option<Box<[CellMask; 6]>>,
    /// The chunks across the six faces: water crosses borders too often to look them up each time.
    neighbours: [Slot; 6],
}

/// What few chunks have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rarities {
    /// Cells with a draining neighbour below or at a side; empty in most.
    outlets: CellMask,
    /// Local indices of source cells, ascending.
    sources: SmallVec<[u16; 4]>,
}

impl Rarities {
    fn boxed(self) -> Option<Box<Self>> {
        (!self.outlets.is_empty() || !self.sources.is_empty()).then(|| Box::new(self))
    }
}

pub(super) struct Store {
    pub(super) grid: Grid<Voxel>,
    beside: Vec<Beside>,
    /// Sources by the height of their layer.
    source_heights: BTreeMap<i32, usize>,
    bounds: Region,
    edges: Edges,
}

impl Store {
    pub(super) fn new(bounds: Region, edges: Edges) -> Self {
        Store { grid: Grid::new(Voxel::HELD), beside: Vec::new(), source_heights: BTreeMap::new(), bounds, edges }
    }

    pub(super) fn bounds(&self) -> Region {
        self.bounds
    }

    #[inline]
    pub(super) fn read(&self, (slot, index): Place) -> Voxel {
        self.grid.chunk_at(slot).get(index)
    }

    /// Writes a voxel and keeps the masks true. Leaves sources, outlets and parents to the caller.
    #[inline]
    pub(super) fn write(&mut self, (slot, index): Place, voxel: Voxel) {
        let chunk = self.grid.chunk_at_mut(slot);
        let beside = &mut self.beside[slot.index()];
        let cells = chunk.cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        cells[index & (CHUNK_CELLS - 1)] = voxel;
        masks.set(index, voxel);
        if cells[0] == voxel && cells[CHUNK_CELLS - 1] == voxel {
            self.canonicalize(slot);
        }
    }

    /// Changes the cells of a layer (0 to 15) in what the masks do not know: all but height and HasSource.
    #[inline]
    pub(super) fn write_marks(&mut self, slot: Slot, layer: usize, change: impl FnOnce(&mut [Voxel; LAYER_CELLS])) {
        let beside = &mut self.beside[slot.index()];
        let cells = self.grid.chunk_at_mut(slot).cells_mut();
        if beside.masks.is_none() {
            beside.masks = Some(Box::new(LayerMasks::of(cells)));
        }
        if let Some(layer_cells) = cells.as_chunks_mut().0.get_mut(layer) {
            change(layer_cells);
        }
        if cells[0] == cells[CHUNK_CELLS - 1] {
            self.canonicalize(slot);
        }
    }

    /// The cells of a layer (0 to 15), if they are stored one by one.
    #[inline]
    pub(super) fn cells(&self, slot: Slot, layer: usize) -> Option<&[Voxel; LAYER_CELLS]> {
        self.grid.chunk_at(slot).as_dense()?.as_chunks().0.get(layer)
    }

    /// Changes the cells of a layer (0 to 15) and keeps the masks true, like [`write`](Store::write) for many.
    #[inline]
    pub(super) fn write_layer(&mut self, slot: Slot, layer: usize, change: impl FnOnce(&mut [Voxel; LAYER_CELLS])) {
        let beside = &mut self.beside[slot.index()];
        let cells = self.grid.chunk_at_mut(slot).cells_mut();
        let masks = beside.masks.get_or_insert_with(|| Box::new(LayerMasks::of(cells)));
        let Some(layer_cells) = cells.as_chunks_mut().0.get_mut(layer) else { return };
        change(layer_cells);
        masks.refresh(layer, layer_cells);
        if cells[0] == cells[CHUNK_CELLS - 1] {
            self.canonicalize(slot);
        }
    }

    /// Gives a chunk that has become uniform its short form back.
    pub(super) fn canonicalize(&mut self, slot: Slot) {
        if self.grid.chunk_at_mut(slot).canonicalize() {
            self.beside[slot.index()].masks = None;
        }
    }

    /// The cell across `face`; its slot is [`Slot::NONE`] where the chunk is not loaded.
    #[inline]
    pub(super) fn step(&self, place: Place, face: Face) -> Place {
        let (slot, index) = place;
        let (stride, at) = match face {
            Face::West | Face::East => (1, index & 15),
            Face::North | Face::South => (16, index >> 4 & 15),
            Face::Down | Face::Up => (256, index >> 8 & 15),
        };
        match face {
            Face::West | Face::North | Face::Down if at > 0 => (slot, index - stride),
            Face::West | Face::North | Face::Down => (self.neighbour(slot, face), index + 15 * stride),
            _ if at < 15 => (slot, index + stride),
            _ => (self.neighbour(slot, face), index - 15 * stride),
        }
    }

    /// Where a cell lies.
    pub(super) fn position(&self, (slot, index): Place) -> IVec3 {
        Cube::cell_at(self.grid.position_at(slot), index)
    }

    /// The chunk across a face; [`Slot::NONE`] where it is not loaded.
    #[inline]
    pub(super) fn neighbour(&self, slot: Slot, face: Face) -> Slot {
        self.beside[slot.index()].neighbours[face.index()]
    }

    /// What stands across `face`: the neighbour's voxel, or the mark of the end of the world.
    #[inline]
    pub(super) fn look(&self, place: Place, face: Face) -> Voxel {
        let there = self.step(place, face);
        if there.0.is_some() { self.read(there) } else { self.beyond(place.0, face) }
    }

    /// The mark that stands in for the missing chunk across `face` of the chunk at `slot`.
    pub(super) fn beyond(&self, slot: Slot, face: Face) -> Voxel {
        let chunk = self.grid.position_at(slot) + face.offset();
        let inside = Cube::holds_chunk(chunk) && self.bounds.intersection(&Cube::region_of(chunk)).is_some();
        mark(if inside { self.edges.unloaded } else { self.edges.outer[face.index()] })
    }

    /// The wet and closed bits of a layer (0 to 15) of a chunk.
    #[inline]
    pub(super) fn layer(&self, slot: Slot, layer: usize) -> (LayerBits, LayerBits) {
        match &self.beside[slot.index()].masks {
            Some(masks) => (masks.wet.layer(layer), masks.closed.layer(layer)),
            None => {
                let voxel = self.grid.chunk_at(slot).get(0);
                let all = |yes: bool| if yes { [u64::MAX; 4] } else { [0; 4] };
                (all(voxel.is_wet()), all(voxel.is_closed()))
            }
        }
    }

    /// The layers of a chunk, by bit, that are full of water from side to side.
    pub(super) fn full_layers(&self, slot: Slot) -> u16 {
        (0..16).rev().fold(0, |layers, layer| {
            let (wet, closed) = self.layer(slot, layer);
            layers << 1 | u16::from(and(wet, closed) == bits::ALL)
        })
    }

    /// Cells of the chunk with a draining neighbour below or at a side.
    #[inline]
    pub(super) fn outlets(&self, slot: Slot) -> Option<&CellMask> {
        self.beside[slot.index()].rarities.as_ref().map(|rarities| &rarities.outlets)
    }

    /// Local indices of the chunk's source cells, ascending.
    #[inline]
    pub(super) fn sources(&self, slot: Slot) -> &[u16] {
        self.beside[slot.index()].rarities.as_ref().map_or(&[], |rarities| &rarities.sources)
    }

    pub(super) fn note_source(&mut self, (slot, index): Place, present: bool) {
        let beside = &mut self.beside[slot.index()];
        let mut rarities = beside.rarities.take().unwrap_or_default();
        let found = rarities.sources.binary_search(&(index as u16));
        match (found, present) {
            (Err(at), true) => rarities.sources.insert(at, index as u16),
            (Ok(at), false) => {
                rarities.sources.remove(at);
            }
            _ => {}
        }
        beside.rarities = rarities.boxed();
        if found.is_ok() != present {
            self.count_sources(slot, &[index as u16], present);
        }
    }

    /// The height of the lowest source in the world.
    #[inline]
    pub(super) fn lowest_source(&self) -> Option<i32> {
        self.source_heights.keys().next().copied()
    }

    /// The height of the highest source in the world.
    #[inline]
    pub(super) fn highest_source(&self) -> Option<i32> {
        self.source_heights.keys().next_back().copied()
    }

    fn count_sources(&mut self, slot: Slot, sources: &[u16], present: bool) {
        let bottom = self.grid.position_at(slot).y * 16;
        for &index in sources {
            let y = bottom + i32::from(index) / LAYER_CELLS as i32;
            let count = self.source_heights.entry(y).or_default();
            if present {
                *count += 1;
            } else {
                *count -= 1;
            }
            if *count == 0 {
                self.source_heights.remove(&y);
            }
        }
    }

    /// The cells of a layer (0 to 15) that are sources or connected to one.
    #[inline]
    pub(super) fn sourced(&self, slot: Slot, layer: usize) -> LayerBits {
        match &self.beside[slot.index()].masks {
            Some(masks) => masks.sourced.as_ref().map_or([0; 4], |sourced| sourced.layer(layer)),
            None => self.select(slot, layer, Voxel::is_sourced),
        }
    }

    /// The cells of a layer (0 to 15) that satisfy `is_in`.
    #[inline]
    pub(super) fn select(&self, slot: Slot, layer: usize, is_in: impl Fn(Voxel) -> bool) -> LayerBits {
        match self.cells(slot, layer) {
            Some(cells) => bits::select(cells, is_in),
            None => [if is_in(self.grid.chunk_at(slot).get(0)) { u64::MAX } else { 0 }; 4],
        }
    }

    /// For each face, the cells with the Extra flag that have a parent behind it, if the chunk has such cells.
    #[inline]
    pub(super) fn extras(&self, slot: Slot) -> Option<&[CellMask; 6]> {
        self.beside[slot.index()].extras.as_deref()
    }

    pub(super) fn extras_mut(&mut self, slot: Slot) -> &mut Option<Box<[CellMask; 6]>> {
        &mut self.beside[slot.index()].extras
    }

    /// The chunk's cells with more than one parent, by index, with the faces behind which they lie, by bit.
    #[cfg(feature = "snapshot")]
    pub(super) fn further_parents(&self, slot: Slot) -> Vec<(u16, u8)> {
        let several = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        let chunk = self.grid.chunk_at(slot);
        if chunk.as_uniform().is_some_and(|voxel| !several(&voxel)) {
            return Vec::new();
        }
        let faces = |index: u16| (index, self.parents_of((slot, usize::from(index))));
        (0..CHUNK_CELLS as u16).filter(|&index| several(&chunk.get(usize::from(index)))).map(faces).collect()
    }

    /// Enters the parents of a cell with the Extra flag; `false` if it has none, or fewer than two are given.
    #[cfg(feature = "snapshot")]
    pub(super) fn restore_parents(&mut self, place: Place, faces: u8) -> bool {
        let voxel = self.read(place);
        let fits = !voxel.is_mark() && voxel.has(CellFlags::EXTRA) && faces < 1 << 6 && faces.count_ones() > 1;
        if fits {
            self.keep_parents(place, faces, voxel);
        }
        fits
    }

    /// Puts a chunk where none is. Cells beyond the bounds become marks; the masks and outlets are made.
    pub(super) fn insert(&mut self, position: IVec3, mut chunk: Chunk<Voxel>) -> Option<Slot> {
        let region = Cube::region_of(position);
        let has_marks = (0..CHUNK_CELLS).any(|index| chunk.get(index).is_outside());
        if self.bounds.intersection(&region) != Some(region) || has_marks {
            let cells = chunk.cells_mut();
            for (index, voxel) in cells.iter_mut().enumerate() {
                if let Some(face) = self.face_beyond(Cube::cell_at(position, index)) {
                    *voxel = mark(self.edges.outer[face.index()]);
                } else if voxel.is_outside() {
                    *voxel = Voxel::OPEN;
                }
            }
            chunk.canonicalize();
        }
        let masks = chunk.as_dense().map(|cells| Box::new(LayerMasks::of(cells)));
        let mut sources = SmallVec::new();
        if let Some(cells) = chunk.as_dense() {
            let is_source = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::IS_SOURCE);
            sources = (0..CHUNK_CELLS).filter(|&index| is_source(&cells[index])).map(|index| index as u16).collect();
        }
        if let Some(voxel) = chunk.as_uniform()
            && !voxel.is_mark()
            && voxel.has(CellFlags::IS_SOURCE)
        {
            sources = (0..CHUNK_CELLS as u16).collect();
        }
        self.grid.insert(position, chunk).ok()?;
        let slot = self.grid.slot(position)?;
        if self.beside.len() < self.grid.slot_capacity() {
            self.beside.resize_with(self.grid.slot_capacity(), Beside::default);
        }
        self.count_sources(slot, &sources, true);
        let neighbours = self.grid.neighbours_of(slot);
        let rarities = Rarities { outlets: CellMask::EMPTY, sources }.boxed();
        self.beside[slot.index()] = Beside { masks, rarities, extras: None, neighbours };
        self.refresh_outlets(slot);
        self.link(slot, slot);
        Some(slot)
    }

    /// Takes a chunk out. Marks of the world's end come back as open cells.
    pub(super) fn remove(&mut self, position: IVec3) -> Option<Chunk<Voxel>> {
        let slot = self.grid.slot(position)?;
        let sources = SmallVec::<[u16; 4]>::from_slice(self.sources(slot));
        self.count_sources(slot, &sources, false);
        let mut chunk = self.grid.remove(position)?;
        self.link(slot, Slot::NONE);
        self.beside[slot.index()] = Beside::default();
        if chunk.as_dense().is_some_and(|cells| cells.iter().any(|voxel| voxel.is_outside())) {
            for voxel in chunk.cells_mut().iter_mut().filter(|voxel| voxel.is_outside()) {
                *voxel = Voxel::OPEN;
            }
            chunk.canonicalize();
        }
        Some(chunk)
    }

    /// Tells the neighbours of a chunk what lies there now: the chunk itself or [`Slot::NONE`].
    fn link(&mut self, slot: Slot, there: Slot) {
        for face in Face::ALL {
            let neighbour = self.neighbour(slot, face);
            if neighbour.is_some() {
                self.beside[neighbour.index()].neighbours[face.opposite().index()] = there;
                self.refresh_outlets(neighbour);
            }
        }
    }

    /// Bytes held: grid, masks and tables.
    pub(super) fn memory_bytes(&self) -> usize {
        let beside = |beside: &Beside| {
            beside.masks.as_ref().map_or(0, |masks| masks.heap_bytes())
                + beside.extras.as_ref().map_or(0, |_| size_of::<[CellMask; 6]>())
                + beside.rarities.as_ref().map_or(0, |rarities| {
                    let spilled = if rarities.sources.spilled() { rarities.sources.capacity() } else { 0 };
                    size_of::<Rarities>() + spilled * size_of::<u16>()
                })
        };
        self.grid.memory_bytes()
            + self.beside.iter().map(beside).sum::<usize>()
            + self.beside.capacity() * size_of::<Beside>()
    }

    /// The masks, outlets and sources as they should be, compared with what is kept: `false` on any difference.
    pub(super) fn beside_is_true(&self, slot: Slot) -> bool {
        let chunk = self.grid.chunk_at(slot);
        let beside = &self.beside[slot.index()];
        let sources = (0..CHUNK_CELLS as u16).filter(|&index| {
            let voxel = chunk.get(index as usize);
            !voxel.is_mark() && voxel.has(CellFlags::IS_SOURCE)
        });
        let rarities = Rarities { outlets: self.outlets_of(slot), sources: sources.collect() };
        beside.masks.as_deref() == chunk.as_dense().map(LayerMasks::of).as_ref()
            && beside.rarities == rarities.boxed()
            && beside.neighbours == self.grid.neighbours_of(slot)
    }

    /// The outer face beyond which a cell lies; down first, so that a draining floor goes on under the sides.
    fn face_beyond(&self, cell: IVec3) -> Option<Face> {
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let beyond = [
            (cell.y < min.y, Face::Down),
            (cell.y > max.y, Face::Up),
            (cell.x < min.x, Face::West),
            (cell.x > max.x, Face::East),
            (cell.z < min.z, Face::North),
            (cell.z > max.z, Face::South),
        ];
        beyond.into_iter().find(|&(outside, _)| outside).map(|(_, face)| face)
    }

    fn refresh_outlets(&mut self, slot: Slot) {
        let outlets = self.outlets_of(slot);
        let beside = &mut self.beside[slot.index()];
        let rarities = beside.rarities.take().map(|rarities| *rarities).unwrap_or_default();
        beside.rarities = Rarities { outlets, ..rarities }.boxed();
    }

    fn outlets_of(&self, slot: Slot) -> CellMask {
        let drains = [Face::Down, Face::West, Face::East, Face::North, Face::South];
        let mut outlets = CellMask::EMPTY;
        for face in drains {
            if !self.neighbour(slot, face).is_some() && self.beyond(slot, face) != Voxel::DRAIN {
                continue;
            }
            for index in border_cells(face) {
                if self.look((slot, index), face) == Voxel::DRAIN {
                    outlets.insert(index);
                }
            }
        }
        let region = Cube::region_of(self.grid.position_at(slot));
        if self.bounds.intersection(&region) != Some(region) {
            for index in 0..CHUNK_CELLS {
                if drains.into_iter().any(|face| self.look((slot, index), face) == Voxel::DRAIN) {
                    outlets.insert(index);
                }
            }
        }
        outlets
    }
}

/// The local indices of a cube's 256 cells along a face.
pub(super) fn border_cells(face: Face) -> impl Iterator<Item = usize> {
    let axis = face.index() >> 1;
    let fixed = if face.index() & 1 == 0 { 0 } else { 15 * Cube::STRIDES[axis] };
    let [first, second] = match axis {
        0 => [Cube::STRIDES[2], Cube::STRIDES[1]],
        1 => [Cube::STRIDES[0], Cube::STRIDES[2]],
        _ => [Cube::STRIDES[0], Cube::STRIDES[1]],
    };
    (0..16).flat_map(move |b| (0..16).map(move |a| fixed + a * first + b * second))
}

fn mark(edge: Edge) -> Voxel {
    match edge {
        Edge::Wall => Voxel::WALL,
        Edge::Drain => Voxel::DRAIN,
        Edge::Held => Voxel::HELD,
    }
}

/// Units of water in a chunk.
pub(super) fn units_in(chunk: &Chunk<Voxel>) -> u64 {
    match (chunk.as_uniform(), chunk.as_dense()) {
        (Some(voxel), _) => u64::from(voxel.height()) * CHUNK_CELLS as u64,
        (_, Some(cells)) => cells.iter().map(|voxel| u64::from(voxel.height())).sum(),
        _ => 0,
    }
}

/// The head of water in a cell: the height of its surface above y = 0, in units.
#[inline]
pub(super) fn head(y: i32, height: u8) -> i64 {
    i64::from(y) * i64::from(FULL) + i64::from(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_agree_with_positions_across_loaded_and_missing_chunks() {
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for cell in [IVec3::ZERO, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z, IVec3::MAX, IVec3::MIN] {
            store.insert(Cube::chunk_of(cell), Chunk::uniform(Voxel::OPEN));
        }
        store.remove(IVec3::NEG_Y);
        for slot in store.grid.sorted_slots() {
            assert!(store.beside_is_true(slot));
            for index in [0, 15, 17, 240, 255, 256, 2000, 3840, 4080, 4095] {
                for face in Face::ALL {
                    let there = store.step((slot, index), face);
                    match face.step(store.position((slot, index))) {
                        Some(cell) if store.grid.slot(Cube::chunk_of(cell)).is_some() => {
                            assert_eq!(store.position(there), cell);
                        }
                        _ => assert_eq!(there.0, Slot::NONE),
                    }
                }
            }
        }
    }
}
