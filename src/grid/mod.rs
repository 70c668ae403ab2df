//! The sparse map from chunk positions to chunks, with neighbour links, awake cells and changed cells. Knows no rules.
//!
//! Chunks lie in a slab; a slot is a chunk's place in it. Each chunk keeps the slots of its six neighbours, so kernels
//! cross a chunk border without hashing.

mod activity;

use crate::chunk::{CellMask, Chunk, NotCanonical};
use crate::coords::{CHUNK_CELLS, Cube, Face, Shape};
use core::fmt;
use core::marker::PhantomData;
use glam::IVec3;
use hashbrown::HashMap;

/// A chunk's place in a grid's slab. Valid until that chunk is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

impl Slot {
    /// Stands where a neighbour is missing.
    pub(crate) const NONE: Slot = Slot(u32::MAX);

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self != Slot::NONE
    }
}

/// A sparse 3D array of `T` in chunks of 4096 cells; a missing chunk reads as the background and costs nothing.
///
/// `S` is the shape of a chunk: [`Cube`] for worlds, [`Sheet`](crate::Sheet) for single-layer worlds.
///
/// Iteration is always in order of position (y slowest, then z, then x), never in hash order.
pub struct Grid<T, S: Shape = Cube> {
    slots: HashMap<IVec3, Slot>,
    entries: Vec<Entry<T>>,
    vacant: Vec<Slot>,
    /// Chunks with an awake mask, each once.
    awake: Vec<Slot>,
    /// Chunks with a changed mask, each once.
    changed: Vec<Slot>,
    background: T,
    shape: PhantomData<S>,
}

struct Entry<T> {
    position: IVec3,
    occupied: bool,
    chunk: Chunk<T>,
    neighbours: [Slot; 6],
    awake: Option<Box<CellMask>>,
    changed: Option<Box<CellMask>>,
}

/// Why a write to a grid was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GridError {
    /// No cell of the chunk at this chunk position has an `i32` position.
    ChunkOutOfRange(IVec3),
    /// The chunk at this chunk position is not there.
    NoChunk(IVec3),
    /// A flat slice has not as many cells as the region it stands for.
    SliceLength {
        /// Cells in the slice.
        slice: usize,
        /// Cells in the region.
        region: u128,
    },
    /// The region has more chunks than can be allocated; nothing was tried.
    RegionTooLarge {
        /// Chunks that the region touches.
        chunks: u128,
    },
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::ChunkOutOfRange(chunk) => write!(f, "chunk {chunk} lies outside the i32 range of cells"),
            GridError::NoChunk(chunk) => write!(f, "chunk {chunk} is not there"),
            GridError::SliceLength { slice, region } => {
                write!(f, "a slice of {slice} cells cannot stand for a region of {region}")
            }
            GridError::RegionTooLarge { chunks } => {
                write!(f, "the region touches {chunks} chunks, too many to allocate")
            }
        }
    }
}

impl core::error::Error for GridError {}

impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    /// A grid without chunks; every cell reads as `background`.
    pub fn new(background: T) -> Self {
        Grid {
            slots: HashMap::new(),
            entries: Vec::new(),
            vacant: Vec::new(),
            awake: Vec::new(),
            changed: Vec::new(),
            background,
            shape: PhantomData,
        }
    }

    /// What a cell of a missing chunk reads as.
    pub fn background(&self) -> T {
        self.background
    }

    /// Chunks stored.
    pub fn chunk_count(&self) -> usize {
        self.slots.len()
    }

    /// The cell at `position`; the background where its chunk is missing.
    #[inline]
    pub fn get(&self, position: IVec3) -> T {
        match self.slots.get(&S::chunk_of(position)) {
            Some(slot) => self.entries[slot.index()].chunk.get(S::index_of(position)),
            None => self.background,
        }
    }

    /// Writes a cell, and makes its chunk (of background cells) if it is missing. Returns what stood there.
    #[inline]
    pub fn set(&mut self, position: IVec3, value: T) -> T {
        let chunk = S::chunk_of(position);
        match self.slots.get(&chunk) {
            Some(slot) => self.entries[slot.index()].chunk.set(S::index_of(position), value),
            None if value == self.background => value,
            None => {
                let slot = self.occupy(chunk, Chunk::uniform(self.background));
                self.entries[slot.index()].chunk.set(S::index_of(position), value)
            }
        }
    }

    /// The chunk at a chunk position.
    pub fn chunk(&self, chunk: IVec3) -> Option<&Chunk<T>> {
        self.slots.get(&chunk).map(|slot| &self.entries[slot.index()].chunk)
    }

    /// Puts a chunk at a chunk position and returns what it replaces.
    ///
    /// # Errors
    /// [`GridError::ChunkOutOfRange`] if the cells would have no `i32` positions.
    pub fn insert(&mut self, position: IVec3, chunk: Chunk<T>) -> Result<Option<Chunk<T>>, GridError> {
        if !S::holds_chunk(position) {
            return Err(GridError::ChunkOutOfRange(position));
        }
        match self.slots.get(&position) {
            Some(slot) => Ok(Some(core::mem::replace(&mut self.entries[slot.index()].chunk, chunk))),
            None => {
                self.occupy(position, chunk);
                Ok(None)
            }
        }
    }

    /// Takes the chunk at a chunk position out, with its awake and changed masks.
    pub fn remove(&mut self, position: IVec3) -> Option<Chunk<T>> {
        let slot = self.slots.remove(&position)?;
        for face in Face::ALL {
            let neighbour = self.entries[slot.index()].neighbours[face.index()];
            if neighbour.is_some() {
                self.entries[neighbour.index()].neighbours[face.opposite().index()] = Slot::NONE;
            }
        }
        let entry = &mut self.entries[slot.index()];
        entry.occupied = false;
        entry.neighbours = [Slot::NONE; 6];
        let chunk = core::mem::replace(&mut entry.chunk, Chunk::uniform(self.background));
        if entry.awake.take().is_some() {
            self.awake.retain(|&other| other != slot);
        }
        if entry.changed.take().is_some() {
            self.changed.retain(|&other| other != slot);
        }
        self.vacant.push(slot);
        Some(chunk)
    }

    /// Every chunk with its chunk position, in order of position.
    pub fn chunks(&self) -> impl Iterator<Item = (IVec3, &Chunk<T>)> {
        self.sorted_slots().into_iter().map(|slot| {
            let entry = &self.entries[slot.index()];
            (entry.position, &entry.chunk)
        })
    }

    /// Bytes that the grid holds, its map, slab and masks included.
    pub fn memory_bytes(&self) -> usize {
        let heap: usize = self.entries.iter().map(Entry::heap_bytes).sum();
        heap + self.entries.capacity() * size_of::<Entry<T>>()
            + (self.vacant.capacity() + self.awake.capacity() + self.changed.capacity()) * size_of::<Slot>()
            + self.slots.allocation_size()
    }

    fn occupy(&mut self, position: IVec3, chunk: Chunk<T>) -> Slot {
        let mut neighbours = [Slot::NONE; 6];
        let slot = self.vacant.pop().unwrap_or(Slot(self.entries.len() as u32));
        for face in Face::ALL {
            // Chunk positions lie well inside the i32 range, so the sum cannot overflow.
            if let Some(&neighbour) = self.slots.get(&(position + face.offset())) {
                neighbours[face.index()] = neighbour;
                self.entries[neighbour.index()].neighbours[face.opposite().index()] = slot;
            }
        }
        let entry = Entry { position, occupied: true, chunk, neighbours, awake: None, changed: None };
        if slot.index() == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries[slot.index()] = entry;
        }
        self.slots.insert(position, slot);
        slot
    }
}

/// What kernels use: slots instead of positions.
impl<T: Copy + PartialEq, S: Shape> Grid<T, S> {
    #[inline]
    pub(crate) fn slot(&self, chunk: IVec3) -> Option<Slot> {
        self.slots.get(&chunk).copied()
    }

    /// One more than the largest slot index in use, now or before.
    pub(crate) fn slot_capacity(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn position_at(&self, slot: Slot) -> IVec3 {
        self.entries[slot.index()].position
    }

    #[inline]
    pub(crate) fn chunk_at(&self, slot: Slot) -> &Chunk<T> {
        &self.entries[slot.index()].chunk
    }

    #[inline]
    pub(crate) fn chunk_at_mut(&mut self, slot: Slot) -> &mut Chunk<T> {
        &mut self.entries[slot.index()].chunk
    }

    #[inline]
    pub(crate) fn neighbours_of(&self, slot: Slot) -> &[Slot; 6] {
        &self.entries[slot.index()].neighbours
    }

    /// The cell across `face` from a cell of `slot`; its slot is [`Slot::NONE`] where that chunk is missing.
    #[inline]
    pub(crate) fn step(&self, slot: Slot, index: usize, face: Face) -> (Slot, usize) {
        let axis = face.index() >> 1;
        let stride = S::STRIDES[axis];
        let last = (1 << S::BITS[axis]) - 1;
        let local = (index / stride) & last;
        if face.index() & 1 == 0 {
            if local > 0 {
                (slot, index - stride)
            } else {
                (self.neighbours_of(slot)[face.index()], index + last * stride)
            }
        } else if local < last {
            (slot, index + stride)
        } else {
            (self.neighbours_of(slot)[face.index()], index - last * stride)
        }
    }

    /// Occupied slots in order of position.
    pub(crate) fn sorted_slots(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.slots.values().copied().collect();
        self.sort_slots(&mut slots);
        slots
    }

    #[inline]
    pub(crate) fn awake_at(&self, slot: Slot) -> Option<&CellMask> {
        self.entries[slot.index()].awake.as_deref()
    }
}

impl<T> Entry<T> {
    fn heap_bytes(&self) -> usize
    where
        T: Copy + PartialEq,
    {
        let mask = |mask: &Option<Box<CellMask>>| if mask.is_some() { size_of::<CellMask>() } else { 0 };
        self.chunk.heap_bytes() + mask(&self.awake) + mask(&self.changed)
    }
}

/// Sorts positions with y slowest, then z, then x.
#[inline]
pub(crate) fn order_key(position: IVec3) -> [i32; 3] {
    [position.y, position.z, position.x]
}
