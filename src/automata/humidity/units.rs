//! Humidity in whole units, as stored by the conservative sweep: read, added and taken cell by cell
//! between steps, without visiting whole chunks.

use super::plane::Plane;
use super::stirred::RowMask;
use super::store::Fed;
use super::sweep::Sweep;
use super::{HumidityShape, HumidityWorld, Ledger, UNITS};
use crate::automata::engine::front::wake_around;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;

/// The humidity of a chunk in units.
pub(crate) struct ChunkUnits<'a> {
    moisture: &'a Chunk<u32>,
    ground: &'a Plane,
}

impl ChunkUnits<'_> {
    /// Returns the units in a cell (0 to 4095); `None` in rain, whose humidity is fixed.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<u32> {
        (!self.ground.get(index).is_rain()).then(|| self.held(index))
    }

    /// Returns the units in all cells.
    pub(crate) fn all(&self) -> &Chunk<u32> {
        self.moisture
    }

    /// Returns the cells that are rain.
    pub(crate) fn rain(&self) -> CellMask {
        self.ground.rain()
    }

    /// Returns the units in a cell (0 to 4095), rain or not.
    #[inline]
    pub(crate) fn held(&self, index: usize) -> u32 {
        self.moisture.get(index)
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns the units of humidity in a cell; `None` if it is not loaded or out of bounds. For
    /// the conservative sweep only.
    pub(crate) fn units(&self, cell: IVec3) -> Option<u32> {
        let (slot, index) = self.place_of_units(cell)?;
        Some(self.store.word_of(slot, index))
    }

    /// Returns the units of a chunk; `None` if it is not loaded. For the conservative sweep only.
    pub(crate) fn chunk_units(&self, chunk: ChunkPos) -> Option<ChunkUnits<'_>> {
        debug_assert!(self.store.sweep == Sweep::Conservative, "the others keep no units");
        let slot = self.store.moisture.slot(chunk)?;
        Some(ChunkUnits {
            moisture: self.store.moisture.chunk_at(slot),
            ground: self.store.ground_at(slot),
        })
    }

    /// Returns the number of chunks that the next step visits.
    pub(crate) fn awake_chunks(&self) -> usize {
        self.store.moisture.awake_slots().len()
    }

    /// Returns the positions of the awake chunks, in no particular order. They include all chunks
    /// with a cell changed in the last step or since.
    pub(crate) fn awake_positions(&self) -> impl Iterator<Item = ChunkPos> {
        let awake = self.store.moisture.awake_slots().iter();
        awake.map(|&slot| self.store.moisture.position_at(slot))
    }

    /// Returns the positions of the awake chunks, from index `first` on.
    pub(crate) fn awake_positions_from(&self, first: usize) -> impl Iterator<Item = ChunkPos> {
        let awake = self.store.moisture.awake_slots();
        let awake = awake.get(first..).unwrap_or_default().iter();
        awake.map(|&slot| self.store.moisture.position_at(slot))
    }

    /// Returns the rows of a chunk that have changed in the last step or since.
    pub(crate) fn stirred(&self, chunk: ChunkPos) -> RowMask {
        let slot = self.store.moisture.slot(chunk);
        slot.map_or(RowMask::NONE, |slot| self.kernel.stirred.changed_at(&self.store, slot))
    }

    /// Loads a chunk inside the bounds, with these units and this ground without rain, as
    /// [`insert_chunk`](HumidityWorld::insert_chunk) does. Returns `false` if there is a chunk
    /// already or none can be there. For the conservative sweep only.
    pub(crate) fn insert_units(
        &mut self,
        position: ChunkPos,
        units: Chunk<u32>,
        ground: Plane,
    ) -> bool {
        debug_assert!(self.store.sweep == Sweep::Conservative, "the others keep no units");
        let is_inside = S::holds_chunk(position) && self.store.holds_all(position);
        let is_vacant = self.store.moisture.slot(position).is_none();
        is_inside && is_vacant && self.load(position, units, ground).is_some()
    }

    /// Unloads a chunk as [`remove_chunk`](HumidityWorld::remove_chunk) does, and returns its
    /// units; `None` if it is not loaded. For the conservative sweep only.
    pub(crate) fn remove_units(&mut self, position: ChunkPos) -> Option<Chunk<u32>> {
        self.unload(position).map(|(units, _)| units)
    }

    /// Adds up to `units` to a cell of soil, within the cap. Returns the number added, which the
    /// ledger counts as placed: 0 in rock, in rain and where no chunk is loaded. For the
    /// conservative sweep only.
    pub(crate) fn add_units(&mut self, cell: IVec3, units: u32) -> u32 {
        let Some((slot, index)) = self.place_of_units(cell) else { return 0 };
        let (old, ground) = (self.store.word_of(slot, index), self.store.ground_of(slot, index));
        let cap = (f64::from(self.rules.cap) * f64::from(UNITS)) as u32;
        let added = units.min(cap.saturating_sub(old));
        if added == 0 || ground.is_rock() || ground.is_rain() {
            return 0;
        }
        self.write_units(slot, index, old + added);
        self.ledger.placed += u128::from(added);
        added
    }

    /// Takes up to `units` out of a cell, even of rock. Returns the number taken, which the ledger
    /// counts as removed: 0 in rain, whose humidity is fixed, and where no chunk is loaded. For the
    /// conservative sweep only.
    pub(crate) fn take_units(&mut self, cell: IVec3, units: u32) -> u32 {
        let Some((slot, index)) = self.place_of_units(cell) else { return 0 };
        let old = self.store.word_of(slot, index);
        let taken = units.min(old);
        if taken == 0 || self.store.ground_of(slot, index).is_rain() {
            return 0;
        }
        self.write_units(slot, index, old - taken);
        self.ledger.removed += u128::from(taken);
        taken
    }

    /// Sets the fed cells of a chunk, in index order: a source beside such a cell keeps it full.
    /// The source replaces the units that flow on from the cell, which the ledger counts as placed.
    /// Returns whether the fed cells change; `false` if the chunk is not loaded. For the
    /// conservative sweep only.
    pub(crate) fn set_fed(&mut self, chunk: ChunkPos, fed: Vec<Fed>) -> bool {
        let Some(slot) = self.store.moisture.slot(chunk) else { return false };
        if *self.store.fed_at(slot) == *fed {
            return false;
        }
        let mut rows = RowMask::NONE;
        for cells in [self.store.fed_at(slot), &fed] {
            cells.iter().for_each(|cell| rows.insert(usize::from(cell.index) / 16));
        }
        self.kernel.note_fed(slot, rows);
        self.store.set_fed(slot, fed);
        // A sleeping chunk without steady flow is not affected.
        if self.steady.has(slot) {
            self.store.moisture.wake_chunk_at(slot);
        }
        true
    }

    /// Returns the cells of a chunk that a source beside them keeps full, in index order.
    pub(crate) fn fed(&self, chunk: ChunkPos) -> &[Fed] {
        self.store.moisture.slot(chunk).map_or(&[], |slot| self.store.fed_at(slot))
    }

    /// Allows steps to leave out the rows of cubes in which nothing changes. Reports then do not
    /// count moved units.
    pub(crate) fn count_no_moves(&mut self) {
        self.kernel.stirred.is_kept = true;
    }

    /// Replaces the ledger, after the code above has put back chunks that changed elsewhere.
    pub(crate) fn replace_ledger(&mut self, ledger: Ledger) {
        self.ledger = ledger;
    }

    fn place_of_units(&self, cell: IVec3) -> Option<(Slot, usize)> {
        debug_assert!(self.store.sweep == Sweep::Conservative, "the others keep no units");
        let slot = self.store.moisture.slot(S::chunk_of(cell))?;
        self.store.bounds.contains(cell).then(|| (slot, S::index_of(cell)))
    }

    /// Writes a new number of units, marks the cell and wakes the cells that may change because of
    /// it.
    fn write_units(&mut self, slot: Slot, index: usize, units: u32) {
        let moisture = &mut self.store.moisture;
        moisture.chunk_at_mut(slot).set(index, units);
        moisture.mark_changed_at(slot, index);
        let touched = Face::ALL.map(|face| S::FACE_CELLS[face.index()].contains(index));
        wake_around(moisture, slot, touched);
        let mut rows = RowMask::NONE;
        rows.insert(index / 16);
        self.kernel.note_moisture(&self.store, slot, rows, touched);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Rules};
    use super::*;
    use crate::coords::{Cube, Region, Sheet};
    use proptest::prelude::*;

    /// Returns a world of two chunks of soil with rock and rain, cut by the bounds.
    fn ground<S: HumidityShape>(seed: u64) -> HumidityWorld<S> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let bounds =
            Region::new(IVec3::new(0, 0, 0), S::region_of(ChunkPos::new(1, 0, 0)).max() - IVec3::X);
        let rules = Rules { cap: 100.5, ..Rules::default() };
        let mut world = HumidityWorld::with_bounds(rules, bounds).unwrap();
        for chunk in [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)] {
            let cells = core::array::from_fn(|_| match rng.u8(0..20) {
                0 => Cell { humidity: 9.0, ..Cell::ROCK },
                1 => Cell::rain(50.0, 1.0),
                _ => Cell::soil(f64::from(rng.u8(0..100)), 1.0 + rng.f32()),
            });
            world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
        }
        world
    }

    fn units_are_the_edits_of_humidity_in<S: HumidityShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let [mut raw, mut twin] = [(); 2].map(|()| ground::<S>(seed));
        let last = S::region_of(ChunkPos::new(1, 0, 0)).max() + IVec3::X;
        for _ in 0..30 {
            let cell = IVec3::new(rng.i32(-1..=last.x), rng.i32(0..=last.y), rng.i32(0..=last.z));
            let units = rng.u32(0..200) * (UNITS / 2 + 1);
            let there = twin.cell(cell);
            let held = there.map(|there| (there.humidity * f64::from(UNITS)) as u32);
            assert_eq!(raw.units(cell), held);
            let held = held.unwrap_or(0);
            let is_adding = rng.bool();
            let expected = match there {
                Some(there) if there.rain || is_adding && there.is_rock() => 0,
                None => 0,
                Some(_) if is_adding => units.min((100.5 * f64::from(UNITS)) as u32 - held),
                Some(_) => units.min(held),
            };
            let done =
                if is_adding { raw.add_units(cell, units) } else { raw.take_units(cell, units) };
            assert_eq!(done, expected, "seed {seed}: {cell}");
            if done > 0 {
                let new = if is_adding { held + done } else { held - done };
                twin.set_humidity(cell, f64::from(new) / f64::from(UNITS)).unwrap();
            }
            assert_eq!(raw.awake_cells(), twin.awake_cells(), "seed {seed}");
            assert_eq!(raw.take_changes(), twin.take_changes(), "seed {seed}");
            assert_eq!(raw.validate(), Ok(()), "seed {seed}");
            let steps = rng.u64(0..3);
            assert_eq!(raw.run(steps), twin.run(steps), "seed {seed}");
            assert_eq!(raw.state_hash(), twin.state_hash(), "seed {seed}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(40)
        })]

        #[test]
        fn units_are_the_edits_of_humidity(seed: u64) {
            units_are_the_edits_of_humidity_in::<Sheet>(seed);
            units_are_the_edits_of_humidity_in::<Cube>(seed);
        }
    }
}
