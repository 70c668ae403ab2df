//! A part of a divided world of humidity: halo exchange, one cell wide, by the rims of chunks.

use super::HumidityShape;
use crate::automata::engine::halo_exchange::{HaloExchange, Indivisible, Outbox};
use crate::automata::humidity::edit::units_in;
use crate::automata::humidity::stirred::RowMask;
use crate::automata::humidity::sweep::Sweep;
use crate::automata::humidity::{HumidityWorld, Ledger, MOST_HUMIDITY};
use crate::chunk::CellMask;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face, Region};
use crate::grid::{Grid, Slot};
use crate::simulation::StepReport;
use hashbrown::HashSet;
use std::sync::Arc;

/// The faces at which a chunk of another column may be.
const SIDES: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

impl<S: HumidityShape> HaloExchange for HumidityWorld<S> {
    type Value = u32;
    type Shape = S;
    const EXCHANGES: usize = 1;

    /// Returns one less than the width of the columns in cells: a step reads one cell beyond a
    /// face, and after the last step the cells at the face decide what wakes.
    fn steps_for(columns: u32) -> u64 {
        (u64::from(columns) << S::BITS[0]).saturating_sub(1)
    }

    fn indivisible(&self) -> Option<Indivisible> {
        (self.rules.sweep == Sweep::InPlace).then_some(Indivisible::InPlace)
    }

    fn cells(&self) -> &Grid<u32, S> {
        &self.store.moisture
    }

    fn extent(&self) -> Region {
        self.bounds()
    }

    fn set_columns(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.store.moisture.divide(columns);
        for slot in self.store.moisture.ghosts() {
            self.steady.forget(slot);
            self.kernel.free(slot);
        }
        self.kernel.ahead.clear();
    }

    fn discard(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.store.moisture.slot(chunk) else { return };
        self.forget_derived(slot);
        self.steady.forget(slot);
        self.store.remove(chunk);
    }

    fn post_loaded(&mut self, chunks: &[ChunkPos]) -> Result<(), i128> {
        self.kernel.ahead.clear();
        for &chunk in chunks {
            let Some(slot) = self.store.moisture.slot(chunk) else { continue };
            self.ledger.placed += self.units_of_own(slot);
            self.store.moisture.wake_chunk_at(slot);
            self.wake_beside(slot);
        }
        Ok(())
    }

    fn unload_chunks(&mut self, chunks: &[ChunkPos]) -> Result<(), i128> {
        self.kernel.ahead.clear();
        for &chunk in chunks {
            let Some(slot) = self.store.moisture.slot(chunk) else { continue };
            self.ledger.removed += self.units_of_own(slot);
            self.wake_beside(slot);
            self.discard(chunk);
        }
        Ok(())
    }

    fn forget_derived_of(&mut self, chunk: ChunkPos) {
        if let Some(slot) = self.store.moisture.slot(chunk) {
            self.forget_derived(slot);
        }
    }

    fn step_interior(&mut self) -> bool {
        self.step_some_ahead(|world, slot| {
            let chunk = world.store.moisture.position_at(slot);
            foreign_sides(world, chunk).next().is_none()
        })
    }

    /// Sends the rim of each chunk that changed beside a column of another part.
    fn step_and_send(&mut self, _exchange: usize, send: Outbox<'_>) -> StepReport {
        self.touched.clear();
        let report = self.step();
        for &(slot, touched) in &self.touched {
            let chunk = self.store.moisture.position_at(slot);
            for face in foreign_sides(self, chunk).filter(|face| touched[face.index()]) {
                let mut rim = Vec::new();
                face.put(&mut rim);
                for index in S::FACE_CELLS[face.index()].iter() {
                    self.store.word_of(slot, index).put(&mut rim);
                }
                send(chunk, rim);
            }
        }
        report
    }

    /// Applies the rim of a ghost at a face, and wakes the chunk behind that face.
    fn apply_halo(&mut self, chunk: ChunkPos, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut bytes = Reader::new(Format::Message, bytes);
        let wrong = bytes.malformed("the rim of a ghost that is loaded, of humidities");
        let face: Face = bytes.take()?;
        let ghost = self.store.moisture.slot(chunk);
        let ghost = ghost.filter(|&slot| self.store.moisture.is_ghost_at(slot));
        let Some(slot) = ghost.filter(|_| SIDES.contains(&face)) else { return Err(wrong) };
        let sweep = self.store.sweep;
        let mut words = Vec::new();
        for index in S::FACE_CELLS[face.index()].iter() {
            let word = bytes.take()?;
            let humidity = sweep.humidity_of(word);
            if !(0.0..=MOST_HUMIDITY).contains(&humidity) || sweep.word_of(humidity) != word {
                return Err(wrong);
            }
            words.push((index, word));
        }
        bytes.finish(())?;
        self.replace_rim(slot, face, &words);
        Ok(())
    }

    fn ledger_units(&self) -> Vec<i128> {
        let units = |ledger: Ledger| {
            // Sums of units never reach 127 bits.
            let [placed, removed, runoff, drained] =
                [ledger.placed, ledger.removed, ledger.runoff, ledger.drained]
                    .map(|units| units as i128);
            vec![placed, ledger.rained, removed, runoff, drained]
        };
        self.ledger().map(units).unwrap_or_default()
    }

    fn set_ledger(&mut self, ticks: u64, units: &[i128]) -> Result<(), i128> {
        let sum = |units: i128| u128::try_from(units).map_err(|_| units);
        let ledger = match *units {
            [placed, rained, removed, runoff, drained] => Ledger {
                placed: sum(placed)?,
                rained,
                removed: sum(removed)?,
                runoff: sum(runoff)?,
                drained: sum(drained)?,
            },
            _ => Ledger::default(),
        };
        (self.ticks, self.ledger) = (ticks, ledger);
        Ok(())
    }
}

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns the units in a chunk as the ledger counts them: 0 in a ghost, and in sweeps that
    /// keep no ledger.
    fn units_of_own(&self, slot: Slot) -> u128 {
        let is_counted =
            self.store.sweep == Sweep::Conservative && !self.store.moisture.is_ghost_at(slot);
        if is_counted { units_in(self.store.moisture.chunk_at(slot)) } else { 0 }
    }

    /// Wakes the chunks beside a chunk that comes or goes, whether or not anything flows between
    /// them: a part has no record of which rows of a ghost the last step has changed.
    fn wake_beside(&mut self, slot: Slot) {
        let neighbours = self.store.moisture.neighbours_of(slot);
        for beside in neighbours.into_iter().filter(|beside| beside.is_some()) {
            self.kernel.stirred.look_at(beside, RowMask::ALL);
            self.store.moisture.wake_chunk_at(beside);
        }
    }

    fn forget_derived(&mut self, slot: Slot) {
        self.kernel.forget(slot);
        let neighbours = self.store.moisture.neighbours_of(slot);
        for (face, beside) in Face::ALL.into_iter().zip(neighbours) {
            if beside.is_some() {
                self.kernel.note_ground_behind(beside, face.opposite());
            }
        }
    }

    fn replace_rim(&mut self, slot: Slot, face: Face, words: &[(usize, u32)]) {
        let mut changed = CellMask::EMPTY;
        let chunk = self.store.moisture.chunk_at_mut(slot);
        for &(index, word) in words {
            chunk.set(index, word);
            changed.insert(index);
        }
        chunk.canonicalize();
        let touched = Face::ALL.map(|other| other == face);
        self.kernel.note_moisture(&self.store, slot, RowMask::of(&changed), touched);
        let behind = self.store.moisture.neighbours_of(slot)[face.index()];
        if behind.is_some() {
            self.store.moisture.wake_chunk_at(behind);
        }
    }
}

/// Returns the faces of a chunk behind which another part owns the column.
fn foreign_sides<S: HumidityShape>(
    world: &HumidityWorld<S>,
    chunk: ChunkPos,
) -> impl Iterator<Item = Face> {
    let sides = SIDES.into_iter().take(S::NEIGHBOURS - 2);
    sides.filter(move |&face| {
        chunk.step(face).is_some_and(|there| world.store.moisture.is_foreign(there))
    })
}
