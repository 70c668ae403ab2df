//! The currents that a feed has sent. Each update contains only the currents that have changed
//! since the update before.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::codec::{unzigzag, zigzag};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::{LayerId, Slot};
use crate::water::WaterWorld;
use crate::water::feed::run::runs;
use crate::water::feed::update::ChunkCurrents;
use crate::water::store::Place;
use glam::IVec3;
use hashbrown::HashMap;

/// The number of possible currents along an axis, from −7 to 7.
const ALONG_AXIS: i64 = 15;

/// The current of a cell as a number: x, y and z as digits from −7 to 7 in base 15, with y as the
/// lowest digit, in zigzag form. So still water is 0, and the number of water that only falls is
/// below 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Current(u16);

impl Current {
    /// The greatest number.
    pub(super) const MOST: u64 = (ALONG_AXIS * ALONG_AXIS * ALONG_AXIS - 1) as u64;

    pub(super) fn of(current: IVec3) -> Current {
        let [x, y, z] = current.to_array().map(i64::from);
        Current(zigzag(y + ALONG_AXIS * (x + ALONG_AXIS * z)) as u16)
    }

    /// Returns the current of a number, at most [`MOST`](Current::MOST).
    pub(super) fn from_number(number: u64) -> Current {
        Current(number.min(Current::MOST) as u16)
    }

    pub(super) fn number(self) -> u64 {
        self.0.into()
    }

    pub(super) fn to_vector(self) -> IVec3 {
        let mut left = unzigzag(self.0.into());
        let [y, x, z] = [(); 3].map(|()| {
            let digit = (left + 7).rem_euclid(ALONG_AXIS) - 7;
            left = (left - digit) / ALONG_AXIS;
            digit as i32
        });
        IVec3::new(x, y, z)
    }
}

/// The currents of the chunks that have any, by position.
pub(super) type ByChunk = HashMap<ChunkPos, Chunk<Current>>;

/// The currents that readers have after the last update that contained currents.
#[derive(Debug, Default)]
pub(super) struct SentCurrents {
    /// The number of complete ticks when the world had these currents; `None` before the first
    /// update.
    pub(super) tick: Option<u64>,
    chunks: ByChunk,
}

impl SentCurrents {
    /// Forgets a chunk: readers of the feed have no currents in it.
    pub(super) fn forget(&mut self, chunk: ChunkPos) {
        self.chunks.remove(&chunk);
    }

    /// Reads the currents of the last tick, and returns those that have changed, in order of
    /// position. Returns none in the middle of a tick.
    pub(super) fn take(&mut self, world: &WaterWorld) -> Vec<ChunkCurrents> {
        if world.backlog() > 0 {
            return Vec::new();
        }
        self.tick = Some(world.tick);
        let before = core::mem::take(&mut self.chunks);
        for (slot, layers) in world.current_layers_at() {
            let currents = currents_of(world, slot, layers);
            if currents != Chunk::uniform(Current::default()) {
                self.chunks.insert(world.store.grid().position_at(slot), currents);
            }
        }
        let stilled = before.keys().filter(|&chunk| !self.chunks.contains_key(chunk));
        let chunks = self.chunks.keys().chain(stilled).copied();
        let differing = chunks.map(|chunk| {
            let [was, is] = [before.get(&chunk), self.chunks.get(&chunk)];
            let at = |currents: Option<&Chunk<Current>>, index| {
                currents.map_or(Current::default(), |currents| currents.get(index))
            };
            let others = (0..CHUNK_CELLS).filter(|&index| at(was, index) != at(is, index));
            let currents = runs(others.map(|index| (index, at(is, index).to_vector())));
            ChunkCurrents { position: chunk, currents }
        });
        let mut list: Vec<_> = differing.filter(|chunk| !chunk.currents.is_empty()).collect();
        list.sort_unstable_by_key(|chunk| chunk.position);
        list
    }

    /// Returns the cells of a chunk that have a current, as of the last update; `None` if all cells
    /// are still.
    pub(super) fn whole(&self, position: ChunkPos) -> Option<ChunkCurrents> {
        let currents = self.chunks.get(&position)?;
        let all = (0..CHUNK_CELLS).map(|index| (index, currents.get(index)));
        let moving = all.filter(|&(_, current)| current != Current::default());
        let currents = runs(moving.map(|(index, current)| (index, current.to_vector())));
        Some(ChunkCurrents { position, currents })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let chunks: usize = self.chunks.values().map(Chunk::heap_bytes).sum();
        self.chunks.allocation_size() + chunks
    }
}

/// Returns the currents in these layers (by bit) of a chunk.
fn currents_of(world: &WaterWorld, slot: Slot, layers: u16) -> Chunk<Current> {
    let mut currents = [Current::default(); CHUNK_CELLS];
    for (layer, cells) in currents.as_chunks_mut::<LAYER_CELLS>().0.iter_mut().enumerate() {
        if layers >> layer & 1 != 0 {
            for (cell, current) in cells.iter_mut().enumerate() {
                *current =
                    Current::of(world.current_at(Place::in_layer(LayerId::new(slot, layer), cell)));
            }
        }
    }
    Chunk::from_cells(&currents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_current_has_a_number_of_its_own() {
        let along = -7..=7;
        let mut seen = hashbrown::HashSet::new();
        for (x, y, z) in along.clone().flat_map(|x| {
            let along = along.clone();
            along.clone().flat_map(move |y| along.clone().map(move |z| (x, y, z)))
        }) {
            let current = Current::of(IVec3::new(x, y, z));
            assert!(current.number() <= Current::MOST && seen.insert(current.number()));
            assert_eq!(Current::from_number(current.number()), current);
            assert_eq!(current.to_vector(), IVec3::new(x, y, z));
        }
        assert_eq!(seen.len() as u64, Current::MOST + 1);
    }
}
