//! Activity ages: the activity of a cell is 7 after a tick in which water has flowed in it, unless
//! the cell is empty and no spring feeds it, and falls in later ticks. Each chunk with active cells
//! is visited in one of [`PERIOD`] ticks, at its turn (timer wheel), so that ageing keeps no cell
//! awake. A chunk in which steady flow passes all active cells has no turn until that flow changes.
//! Water without a spring loses its direction with the last of its activity, and a cell without
//! water or flow dries up.

use crate::chunk::LayerMask;
use crate::grid::{LayerId, Slot};
use crate::water::pools::walk::flowed;
use crate::water::random::chunk_seed;
use crate::water::scratch::Tick;
use crate::water::store::{LAYER_ROWS, Place, Store};
use crate::water::voxel::Voxel;

/// The number of ticks from one visit of a chunk to the next.
const PERIOD: usize = 16;

/// The amount by which a visit lowers the activity of a cell without flow, which is inactive after
/// 49 to 64 ticks. That is longer than the period at which steady flow yields, so that an arm of a
/// river that gets water only while steady flow yields does not dry up in between.
const AGED: u8 = 2;

/// The chunks that may have active cells that age, by their turn.
#[derive(Default)]
pub(crate) struct Ageing {
    turns: [Vec<Slot>; PERIOD],
    /// For each slot, the turn of its chunk and the index among the chunks of that turn; `None` if
    /// the chunk is not listed.
    watched: Vec<Option<(u8, u32)>>,
    /// The chunks still to be visited in the tick underway, in reverse order.
    due: Vec<Slot>,
    /// The next layer to visit in the last chunk of `due`.
    layer: usize,
}

impl Ageing {
    /// Lists a chunk for its turn if it has active cells.
    pub(crate) fn add_chunk(&mut self, store: &Store, slot: Slot) {
        if has_active(store, slot) {
            self.watch(store, slot);
        }
    }

    /// Lists a chunk for its turn, unless it is listed already.
    pub(crate) fn watch(&mut self, store: &Store, slot: Slot) {
        if self.watched.len() <= slot.index() {
            self.watched.resize(slot.index() + 1, None);
        }
        let watched = &mut self.watched[slot.index()];
        if watched.is_none() {
            let turn = chunk_seed(0, store.grid().position_at(slot)) as usize % PERIOD;
            *watched = Some((turn as u8, self.turns[turn].len() as u32));
            self.turns[turn].push(slot);
        }
    }

    /// Forgets a chunk that is being removed.
    pub(crate) fn forget(&mut self, slot: Slot) {
        let Some((turn, at)) = self.watched.get_mut(slot.index()).and_then(Option::take) else {
            return;
        };
        let slots = &mut self.turns[usize::from(turn)];
        slots.swap_remove(at as usize);
        if let Some(moved) = slots.get(at as usize) {
            self.watched[moved.index()] = Some((turn, at));
        }
    }

    /// Returns whether any cell is active in a chunk that is not frozen.
    pub(crate) fn has_active(&self, store: &Store) -> bool {
        let mut slots = self.turns.iter().flatten();
        slots.any(|&slot| !store.is_frozen(slot) && has_active(store, slot))
    }

    /// Returns whether any chunk is visited in a tick.
    pub(crate) fn is_due(&self, tick: u64) -> bool {
        !self.turns[tick as usize % PERIOD].is_empty()
    }

    /// Lists the chunks that are visited in a tick, in order of position.
    pub(super) fn begin(&mut self, store: &Store, tick: u64) {
        self.due.append(&mut self.turns[tick as usize % PERIOD]);
        store.grid().sort_slots(&mut self.due);
        self.due.reverse();
        self.due.iter().for_each(|slot| self.watched[slot.index()] = None);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let slots = self.turns.iter().chain([&self.due]).map(Vec::capacity).sum::<usize>();
        slots * size_of::<Slot>() + self.watched.capacity() * size_of::<Option<(u8, u32)>>()
    }
}

/// Returns whether any cell of a chunk is active.
fn has_active(store: &Store, slot: Slot) -> bool {
    slot.layers().any(|layer| store.has(layer, Voxel::is_active))
}

/// Ages the cells of the next layer. Adds the cells that dry up to `dried`. Returns the number of
/// rows read; `None` if no layer is left.
pub(super) fn age_next(
    tick: &mut Tick,
    ageing: &mut Ageing,
    dried: &mut Vec<Place>,
) -> Option<usize> {
    let slot = *ageing.due.last()?;
    if !tick.store.is_frozen(slot) {
        let layer = LayerId::new(slot, ageing.layer);
        let active = match tick.store.has(layer, Voxel::is_active) {
            true => tick.store.select(layer, Voxel::is_active),
            false => LayerMask::NONE,
        };
        if active.any() && age_layer(tick, layer, active, dried) {
            ageing.watch(tick.store, slot);
        }
    }
    ageing.layer = (ageing.layer + 1) % 16;
    if ageing.layer == 0 {
        ageing.due.pop();
    }
    Some(LAYER_ROWS)
}

/// Ages the active cells of a layer, except cells in which water flows. Returns whether any active
/// cell is left that steady flow does not pass.
fn age_layer(tick: &mut Tick, layer: LayerId, active: LayerMask, dried: &mut Vec<Place>) -> bool {
    let mut left = active - tick.store.steady_cells(layer);
    let idle = left - flowed(tick, layer);
    if idle.is_empty() {
        return left.any();
    }
    tick.scratch.record_mut(tick.store, layer).save(tick.store, layer, idle);
    left -= idle;
    tick.store.write_marks(layer.slot, |cells| {
        for cell in idle.iter() {
            let place = Place::in_layer(layer, cell);
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

/// Returns a cell without flow after a visit.
fn aged(voxel: Voxel) -> Voxel {
    let active = voxel.active().saturating_sub(AGED);
    let voxel = voxel.with_active(active);
    if active > 0 || voxel.is_connected() {
        return voxel;
    }
    voxel.with_direction(None).with_largest(0)
}

#[cfg(test)]
mod tests {
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, ChunkRegion, Cube, Shape};
    use crate::water::{Rules, Voxel, WaterWorld};
    use glam::IVec3;

    /// Chunks at many places, so that their turns differ.
    #[test]
    fn activity_ends_49_to_64_ticks_after_the_last_flow() {
        for place in 0..24 {
            let mut world = WaterWorld::new(place, Rules::lossless()).expect("rules in range");
            let chunk = ChunkPos::new(place as i32, 0, -3);
            let cells = Cube::region_of(chunk);
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("none is there");
            world.pour(cells.min() + IVec3::new(8, 3, 8), 7).expect("loaded");
            let active = |world: &WaterWorld| -> Vec<u8> {
                let cells = cells.positions().filter_map(|cell| world.cell(cell));
                cells.map(|cell| cell.active()).filter(|&active| active > 0).collect()
            };
            let (mut last_flow, mut ended) = (0, None);
            while !world.is_at_rest() {
                let moved = world.step().moved;
                if moved > 0 {
                    last_flow = world.ticks();
                    assert!(active(&world).contains(&7), "place {place}");
                }
                if active(&world).is_empty() {
                    ended = ended.or(Some(world.ticks()));
                }
                assert!(world.ticks() < 1_000, "place {place}: no rest");
            }
            assert!(active(&world).is_empty(), "place {place}: at rest, and active");
            let after = ended.expect("it ends") - last_flow;
            assert!((49..=64).contains(&after), "place {place}: {after} ticks");
        }
    }

    /// A world that is saved and loaded while it ages continues to age as the original does.
    #[test]
    fn a_chunk_ages_as_the_tick_and_its_position_say() {
        let build = |ticks: u64| {
            let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
            let chunks = ChunkRegion::new(ChunkPos::ZERO, ChunkPos::new(3, 0, 3));
            world
                .insert_chunks(chunks.positions().map(|at| (at, Chunk::uniform(Voxel::OPEN))))
                .expect("none is there");
            for chunk in chunks.positions() {
                world.pour(Cube::cell_at(chunk, 0) + IVec3::new(8, 3, 8), 7).expect("loaded");
            }
            world.run(ticks);
            // Taken out and put back in another order, the chunks are in other slots.
            let records = world.remove_chunks(chunks.positions()).expect("loaded");
            world.insert_records(records.into_iter().rev()).expect("none is there");
            world.run(80 - ticks);
            chunks.positions().map(|at| world.chunk(at).map(|chunk| chunk.into_owned())).collect()
        };
        let expected: Vec<Option<Chunk<Voxel>>> = build(0);
        for ticks in [20, 33, 50, 64] {
            assert!(build(ticks) == expected, "put back after {ticks} ticks");
        }
    }
}
