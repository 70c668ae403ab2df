//! Runs: the cells of steady falls, which a tick shifts as wholes and does not visit. Noted is how
//! many units each has passed on downwards, as three bit planes of a chunk.

use crate::chunk::{CellMask, LayerMask};
use crate::grid::Slot;
use crate::water::store::Place;

/// The cells of runs in a chunk, by the bits of their units.
type Planes = [CellMask; 3];

/// The runs of a tick.
#[derive(Default)]
pub(crate) struct Runs {
    /// By slot.
    chunks: Vec<Option<Box<Planes>>>,
    /// The chunks with runs, and perhaps some that have gone.
    slots: Vec<Slot>,
}

impl Runs {
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Notes that a cell has passed on units, 1 to 7, downwards.
    pub(crate) fn add(&mut self, place: Place, units: u8) {
        let at = place.slot.index();
        if self.chunks.len() <= at {
            self.chunks.resize_with(at + 1, || None);
        }
        let slots = &mut self.slots;
        let planes = self.chunks[at].get_or_insert_with(|| {
            slots.push(place.slot);
            Box::default()
        });
        for (bit, plane) in planes.iter_mut().enumerate() {
            plane.set(place.index, units >> bit & 1 != 0);
        }
    }

    /// Adds the runs that others have noted, in other cells.
    #[cfg(feature = "rayon")]
    pub(super) fn append(&mut self, other: &mut Runs) {
        for slot in other.slots.drain(..) {
            let Some(planes) = other.chunks[slot.index()].take() else { continue };
            if self.chunks.len() <= slot.index() {
                self.chunks.resize_with(slot.index() + 1, || None);
            }
            match &mut self.chunks[slot.index()] {
                Some(own) => {
                    own.iter_mut().zip(planes.iter()).for_each(|(own, plane)| own.union_with(plane))
                }
                own => {
                    *own = Some(planes);
                    self.slots.push(slot);
                }
            }
        }
    }

    fn of(&self, slot: Slot) -> Option<&Planes> {
        self.chunks.get(slot.index())?.as_deref()
    }

    /// Returns the units that a cell has passed on in a run, 0 if it is in none.
    #[inline]
    pub(crate) fn units(&self, place: Place) -> u8 {
        let Some(planes) = self.of(place.slot) else { return 0 };
        (0..3).fold(0, |units, bit| units | u8::from(planes[bit].contains(place.index)) << bit)
    }

    /// Returns the cells of a layer (0 to 15) that are in runs.
    #[inline]
    pub(crate) fn layer(&self, slot: Slot, layer: usize) -> LayerMask {
        self.of(slot).map_or(LayerMask::NONE, |planes| {
            LayerMask::union(planes.each_ref().map(|plane| plane.layer(layer)))
        })
    }

    /// Returns the chunks with runs, each with the layers (by bit) that have some.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (Slot, u16)> {
        let bits = |slot: Slot| {
            let layers = (0..16).filter(|&layer| self.layer(slot, layer).any());
            layers.fold(0, |bits, layer| bits | 1 << layer)
        };
        self.slots.iter().map(move |&slot| (slot, bits(slot))).filter(|&(_, bits)| bits != 0)
    }

    /// Forgets a chunk that is being removed.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(planes) = self.chunks.get_mut(slot.index()) {
            *planes = None;
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.chunks[slot.index()] = None;
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.chunks.iter().flatten().count() * size_of::<Planes>()
            + self.chunks.capacity() * size_of::<Option<Box<Planes>>>()
            + self.slots.capacity() * size_of::<Slot>()
    }
}
