//! A part of a divided world of humidity: halo exchange, one cell wide, by the rims of chunks.

use super::stirred::RowMask;
use super::sweep::Sweep;
use super::{HumidityShape, HumidityWorld, Ledger};
use crate::chunk::CellMask;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face};
use crate::grid::Slot;
use hashbrown::HashSet;
use std::sync::Arc;

/// The faces at which a chunk of another column may be.
const SIDES: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

impl<S: HumidityShape> HumidityWorld<S> {
    /// Returns whether the order of chunks has no effect on a step.
    pub(crate) fn is_synchronous(&self) -> bool {
        self.rules.sweep != Sweep::InPlace
    }

    /// Owns these columns from now on.
    pub(crate) fn own(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.store.moisture.divide(columns);
        for slot in self.store.moisture.ghosts() {
            self.steady.forget(slot);
            self.kernel.free(slot);
        }
        self.kernel.ahead.clear();
    }

    /// Removes a chunk, without an entry in the ledger. Wakes nothing.
    pub(crate) fn drop_chunk(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.store.moisture.slot(chunk) else { return };
        self.forget_derived(slot);
        self.steady.forget(slot);
        self.store.remove(chunk);
    }

    /// Drops what was derived from other contents of a chunk that was restored, or is removed.
    pub(crate) fn forget_derived_of(&mut self, chunk: ChunkPos) {
        if let Some(slot) = self.store.moisture.slot(chunk) {
            self.forget_derived(slot);
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

    /// Sets the steps run and the ledger.
    pub(crate) fn resume(&mut self, ticks: u64, ledger: Ledger) {
        (self.ticks, self.ledger) = (ticks, ledger);
    }

    /// Steps some of the chunks that no ghost is beside ahead. Returns whether there were any.
    pub(crate) fn step_inside(&mut self) -> bool {
        self.step_some_ahead(|world, slot| {
            let chunk = world.store.moisture.position_at(slot);
            foreign_sides(world, chunk).next().is_none()
        })
    }

    /// Runs a step, and hands over the rim of each chunk that changed beside a column of another
    /// part.
    pub(crate) fn step_telling(
        &mut self,
        tell: &mut dyn FnMut(ChunkPos, Vec<u8>),
    ) -> crate::StepReport {
        self.touched.clear();
        let report = self.step();
        for &(slot, touched) in &self.touched {
            let chunk = self.store.moisture.position_at(slot);
            for face in foreign_sides(self, chunk).filter(|face| touched[face.index()]) {
                let mut news = Vec::new();
                face.put(&mut news);
                for index in S::FACE_CELLS[face.index()].iter() {
                    self.store.word_of(slot, index).put(&mut news);
                }
                tell(chunk, news);
            }
        }
        report
    }

    /// Takes over the rim of a ghost that another part has told, and wakes the chunk behind it.
    pub(crate) fn hear(&mut self, chunk: ChunkPos, news: &[u8]) -> Result<(), DecodeError> {
        let mut news = Reader::new(Format::News, news);
        let wrong = news.malformed("the rim of a ghost that is loaded, of humidities");
        let face: Face = news.take()?;
        let ghost = self.store.moisture.slot(chunk);
        let Some(slot) = ghost.filter(|&slot| self.store.moisture.is_ghost_at(slot)) else {
            return Err(wrong);
        };
        let sweep = self.store.sweep;
        let mut words = Vec::new();
        for index in S::FACE_CELLS[face.index()].iter() {
            let word = news.take()?;
            if sweep.word_of(sweep.humidity_of(word)) != word {
                return Err(wrong);
            }
            words.push((index, word));
        }
        news.finish(())?;
        self.replace_rim(slot, face, &words);
        Ok(())
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

/// Returns the faces of a chunk beside which another part owns the column.
fn foreign_sides<S: HumidityShape>(
    world: &HumidityWorld<S>,
    chunk: ChunkPos,
) -> impl Iterator<Item = Face> {
    let sides = SIDES.into_iter().take(S::NEIGHBOURS - 2);
    sides.filter(move |&face| {
        chunk.step(face).is_some_and(|there| world.store.moisture.is_foreign(there))
    })
}
