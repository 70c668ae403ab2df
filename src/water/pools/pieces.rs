//! What is known of the layers of chunks: their supported cells and their pieces.
//!
//! A layer is known from the first tick on in which something may move in it, or in a layer with
//! which it has a body in common. So all pieces of a body are known if one of them is.

use crate::chunk::{LayerMask, ones};
use crate::grid::Slot;
use crate::water::pools::bodies::PieceId;
use smallvec::SmallVec;

/// What is known of a chunk.
#[derive(Default)]
pub(crate) struct ChunkPieces {
    /// The known layers, by bit. Nothing is set for others.
    pub(crate) known: u16,
    /// The layers whose pieces are to be found anew.
    pub(crate) to_build: u16,
    /// The layers whose pieces are to be joined with their neighbours.
    pub(crate) to_join: u16,
    /// The layers whose levels are to be found anew.
    pub(crate) to_level: u16,
    /// The layers whose levels depend on what has moved in this tick.
    pub(crate) stirred: u16,
    /// The layers of which no piece has a surface, takes water or gives any.
    pub(crate) inner: u16,
    /// The layers with pieces that take water or have springs: what moves matters to these.
    pub(crate) takers: u16,
    pub(crate) supported: [LayerMask; 16],
    /// The supported cells that are full, and so joined with those above them.
    pub(crate) joints: [LayerMask; 16],
    pub(crate) pieces: [SmallVec<[PieceId; 2]>; 16],
    /// What holds for the tick underway only.
    pub(crate) moment: Option<Box<Moment>>,
}

/// What is kept of a chunk for one tick.
#[derive(Default)]
pub(crate) struct Moment {
    /// The cells that had moved when the pools' part of the tick began.
    pub(crate) moving: [LayerMask; 16],
    /// The layers, by bit, for which `spent` is right.
    pub(crate) looked_at: u16,
    /// The cells that can pass on nothing more.
    pub(crate) spent: [LayerMask; 16],
}

/// What is known of all chunks, by slot.
#[derive(Default)]
pub(crate) struct Pieces {
    chunks: Vec<Option<Box<ChunkPieces>>>,
}

impl Pieces {
    pub(crate) fn get(&self, slot: Slot) -> Option<&ChunkPieces> {
        self.chunks.get(slot.index())?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut ChunkPieces> {
        self.chunks.get_mut(slot.index())?.as_deref_mut()
    }

    /// Returns a chunk, after adding it with no known layer if it is not there.
    pub(crate) fn enter(&mut self, slot: Slot) -> &mut ChunkPieces {
        if self.chunks.len() <= slot.index() {
            self.chunks.resize_with(slot.index() + 1, || None);
        }
        self.chunks[slot.index()].get_or_insert_default()
    }

    /// Returns whether nothing is known. Reads as many chunks as the world has had.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(Option::is_none)
    }

    /// Removes what is known of a chunk.
    pub(crate) fn take(&mut self, slot: Slot) -> Option<Box<ChunkPieces>> {
        self.chunks.get_mut(slot.index())?.take()
    }

    /// Returns whether a layer (0 to 15) is known.
    #[inline]
    pub(crate) fn is_known(&self, slot: Slot, layer: usize) -> bool {
        self.get(slot).is_some_and(|chunk| chunk.known >> layer & 1 != 0)
    }

    /// Returns the supported cells of a layer, if it is known.
    #[inline]
    pub(crate) fn supported(&self, slot: Slot, layer: usize) -> Option<LayerMask> {
        let chunk = self.get(slot)?;
        (chunk.known >> layer & 1 != 0).then(|| chunk.supported[layer])
    }

    /// Returns the cells of a layer that had moved in this tick when the pools' part of it began.
    #[inline]
    pub(crate) fn moving(&self, slot: Slot, layer: usize) -> LayerMask {
        let moment = self.get(slot).and_then(|chunk| chunk.moment.as_deref());
        moment.map_or(LayerMask::NONE, |moment| moment.moving[layer])
    }

    /// Returns the pieces of a layer; none if it is not known.
    #[inline]
    pub(crate) fn of(&self, slot: Slot, layer: usize) -> &[PieceId] {
        self.get(slot).map_or(&[], |chunk| &chunk.pieces[layer])
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let chunk = |chunk: &ChunkPieces| {
            let spilled = chunk.pieces.iter().filter(|pieces| pieces.spilled());
            size_of::<ChunkPieces>()
                + chunk.moment.as_ref().map_or(0, |_| size_of::<Moment>())
                + spilled.map(|pieces| pieces.capacity() * size_of::<PieceId>()).sum::<usize>()
        };
        self.chunks.iter().flatten().map(|known| chunk(known)).sum::<usize>()
            + self.chunks.capacity() * size_of::<Option<Box<ChunkPieces>>>()
    }
}

/// Chunks with layers still to be processed, as a stack.
#[derive(Default)]
pub(crate) struct ToDo {
    chunks: Vec<Slot>,
}

impl ToDo {
    /// Adds layers (by bit) to those in `of`, which are those of a chunk still to be processed.
    pub(crate) fn add(&mut self, slot: Slot, of: &mut u16, layers: u16) {
        if *of == 0 && layers != 0 {
            self.chunks.push(slot);
        }
        *of |= layers;
    }

    /// Takes the next layer; `of` selects the layers of a chunk still to be processed.
    pub(crate) fn next(
        &mut self,
        pieces: &mut Pieces,
        of: impl Fn(&mut ChunkPieces) -> &mut u16,
    ) -> Option<(Slot, usize)> {
        while let Some(&slot) = self.chunks.last() {
            let layers = pieces.get_mut(slot).map(&of);
            if let Some(layers) = layers
                && let Some(layer) = ones(u64::from(*layers)).next()
            {
                *layers &= *layers - 1;
                if *layers == 0 {
                    self.chunks.pop();
                }
                return Some((slot, layer));
            }
            self.chunks.pop();
        }
        None
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Slot>()
    }
}
