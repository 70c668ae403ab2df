//! Activity ages: it is 7 in a cell in which water has flowed in this tick, and falls afterwards.
//! Each chunk with active cells is visited in one of [`PERIOD`] ticks, at its turn (timer wheel), so
//! that a cell is not awake only to age. Water without a spring loses its direction with the last
//! of its activity, and a cell through which nothing flows any more dries up.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::random::chunk_seed;
use crate::water::store::{LAYER_ROWS, Place, Store};
use crate::water::voxel::Voxel;

/// Ticks from one visit of a chunk to the next.
const PERIOD: usize = 8;

/// What a visit takes from the activity of a cell in which nothing has flowed: after 9 to 16 ticks
/// none is left.
const AGED: u8 = 4;

/// The chunks that may have active cells, by their turn.
#[derive(Default)]
pub(crate) struct Ageing {
    /// By turn. Chunks that have gone stay until it.
    turns: [Vec<Slot>; PERIOD],
    /// By slot: the turn of a chunk in `turns`, and 0 for none, counted from 1.
    watched: Vec<u8>,
    /// The chunks still to be visited in the tick underway, the last first.
    due: Vec<Slot>,
}

impl Ageing {
    /// Adds a chunk with active cells.
    pub(crate) fn watch(&mut self, store: &Store, slot: Slot) {
        if self.watched.len() <= slot.index() {
            self.watched.resize(slot.index() + 1, 0);
        }
        if self.watched[slot.index()] == 0 {
            let position = store.grid().position_at(slot);
            let turn = chunk_seed(0, position) as usize % PERIOD;
            self.watched[slot.index()] = turn as u8 + 1;
            self.turns[turn].push(slot);
        }
    }

    /// Forgets a chunk that is being removed.
    pub(crate) fn forget(&mut self, slot: Slot) {
        if let Some(turn) = self.watched.get_mut(slot.index()) {
            *turn = 0;
        }
    }

    /// Returns whether a cell is active in a chunk that is not frozen.
    pub(crate) fn has_active(&self, store: &Store) -> bool {
        let has_active = |slot: Slot| {
            !store.is_frozen(slot) && (0..16).any(|layer| store.has(slot, layer, Voxel::is_active))
        };
        let turns = self.turns.iter().enumerate();
        let mut watched =
            turns.flat_map(|(turn, slots)| slots.iter().map(move |&slot| (turn, slot)));
        watched.any(|(turn, slot)| self.is_watched(turn, slot) && has_active(slot))
    }

    fn is_watched(&self, turn: usize, slot: Slot) -> bool {
        usize::from(self.watched[slot.index()]) == turn + 1
    }

    fn turn_of(tick: u64) -> usize {
        tick as usize % PERIOD
    }

    /// Returns whether a chunk is visited in a tick.
    pub(crate) fn is_due(&self, tick: u64) -> bool {
        !self.turns[Self::turn_of(tick)].is_empty()
    }

    /// Lists the chunks that are visited in a tick, in order of position.
    pub(super) fn begin(&mut self, store: &Store, tick: u64) {
        let turn = Self::turn_of(tick);
        let slots = core::mem::take(&mut self.turns[turn]);
        self.due = slots.into_iter().filter(|&slot| self.is_watched(turn, slot)).collect();
        store.grid().sort_slots(&mut self.due);
        self.due.dedup();
        self.due.reverse();
        self.due.iter().for_each(|slot| self.watched[slot.index()] = 0);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let slots = self.turns.iter().chain([&self.due]).map(Vec::capacity).sum::<usize>();
        slots * size_of::<Slot>() + self.watched.capacity()
    }
}

impl Context<'_> {
    /// Ages the cells of the next chunk. Adds those that dry up to `dried`. Returns the rows read;
    /// `None` if no chunk is left.
    pub(super) fn age_next(
        &mut self,
        ageing: &mut Ageing,
        dried: &mut Vec<Place>,
    ) -> Option<usize> {
        let slot = ageing.due.pop()?;
        if self.store.is_frozen(slot) {
            return Some(1);
        }
        let mut is_active = false;
        for layer in 0..16 {
            let active = self.store.select(slot, layer, Voxel::is_active);
            if active.any() {
                is_active |= self.age_layer(slot, layer, active, dried);
            }
        }
        if is_active {
            ageing.watch(self.store, slot);
        }
        Some(LAYER_ROWS * 16)
    }

    /// Ages the active cells of a layer. Returns whether any is left.
    fn age_layer(
        &mut self,
        slot: Slot,
        layer: usize,
        active: LayerMask,
        dried: &mut Vec<Place>,
    ) -> bool {
        let idle = active - self.touched(slot, layer);
        if idle.is_empty() {
            return true;
        }
        self.work.join(self.store, slot, layer).save(self.store, slot, layer, idle);
        let mut left = active - idle;
        self.store.write_marks(slot, |cells| {
            for cell in idle.iter() {
                let place = Place::in_layer(slot, layer, cell);
                let voxel = &mut cells[place.index];
                *voxel = aged(*voxel);
                if voxel.is_active() {
                    left.insert(cell);
                } else if voxel.height() == 0 && voxel.is_connected() {
                    dried.push(place);
                }
            }
        });
        left.any()
    }
}

/// Returns a cell in which nothing has flowed.
fn aged(voxel: Voxel) -> Voxel {
    let active = voxel.active().saturating_sub(AGED);
    let voxel = voxel.with_active(active);
    if active > 0 || voxel.is_connected() {
        return voxel;
    }
    voxel.with_direction(None).with_largest(0)
}
