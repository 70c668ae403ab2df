//! A part of a divided world of explosions: halo exchange by the rims of chunks, and the front by
//! name. Which chunks take part in a step depends on chunks two faces away, so a rim alone is not
//! enough: before pressure flows, parts tell each other which walls break, which chunks fall
//! silent, and which chunks open.

use super::field::conductances::update_links;
use super::field::flows::{ChunkFlows, Conductances};
use super::rules::Border;
use super::step::rounds::{SIDES, Silent, Stepped};
use super::{BlastShape, BlastWorld};
use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face};
use crate::grid::Slot;
use crate::simulation::StepReport;
use glam::IVec3;
use hashbrown::HashSet;
use std::sync::Arc;

/// The rounds of a step.
pub(crate) const ROUNDS: usize = 4;

/// What a part tells of a chunk, by the first byte.
mod tag {
    /// Cells of the chunk in which walls have broken.
    pub(super) const WALLS: u8 = 0;
    /// Edits have made the chunk inaudible.
    pub(super) const FADED: u8 = 1;
    /// The chunk falls silent; whether it has pressures or flows.
    pub(super) const SILENT: u8 = 2;
    /// The front opens the chunk.
    pub(super) const OPENED: u8 = 3;
    /// The chunk after a step.
    pub(super) const STEPPED: u8 = 4;
}

/// Takes what is told of a chunk.
type Tell<'t> = &'t mut dyn FnMut(ChunkPos, Vec<u8>);

impl<S: BlastShape> BlastWorld<S> {
    /// Returns the axis across columns along which the world is periodic, if there is one.
    pub(crate) fn periodic_axis(&self) -> Option<char> {
        let borders = self.space.borders;
        let axes = [(borders.x, 'x'), (borders.z, 'z')];
        axes.into_iter().find(|(border, _)| *border == Border::Periodic).map(|(_, axis)| axis)
    }

    /// Owns these columns from now on.
    pub(crate) fn own(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.ahead = None;
        self.pressure.divide(columns);
        let slots: Vec<Slot> = self.pressure.occupied().collect();
        for slot in slots {
            self.states[slot.index()].told = None;
            self.renew_ghost(slot);
        }
    }

    /// Notes whether a chunk is a ghost, and one at pressure 0 without flows.
    fn renew_ghost(&mut self, slot: Slot) {
        let is_ghost = self.pressure.is_ghost_at(slot);
        let is_blank = self.is_blank(slot);
        self.states[slot.index()].ghost_is_blank = is_ghost.then_some(is_blank);
    }

    /// Removes a chunk, without an entry in the ledger. Wakes nothing.
    pub(crate) fn drop_chunk(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.pressure.slot(chunk) else { return };
        self.forget_conductances(slot);
        self.states[slot.index()] = Default::default();
        self.pressure.remove(chunk);
    }

    /// Drops what was derived from other contents of a chunk that was restored.
    pub(crate) fn forget_derived_of(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.pressure.slot(chunk) else { return };
        self.forget_conductances(slot);
        self.states[slot.index()].ghost_is_blank = None;
        self.renew_ghost(slot);
    }

    fn forget_conductances(&mut self, slot: Slot) {
        self.states[slot.index()].conductances = Conductances::Unknown;
        for (_, beside) in self.chunks_behind(slot) {
            self.states[beside.index()].conductances = Conductances::Unknown;
        }
    }

    /// Returns what was placed, removed, left and absorbed, in units of 2⁻⁴⁰.
    pub(crate) fn account_units(&self) -> [i128; 4] {
        self.books.units()
    }

    /// Sets the steps run and the account.
    pub(crate) fn resume(&mut self, ticks: u64, account: [i128; 4]) {
        self.tick = ticks;
        self.books.set_units(account);
    }

    /// Runs a round of a step, and hands over what other parts must hear before the next one. Only
    /// the last round reports.
    pub(crate) fn advance_telling(&mut self, round: usize, tell: Tell<'_>) -> StepReport {
        match (round, self.underway.take()) {
            (0, _) => {
                let (step, faded) = self.break_walls_first();
                self.tell_broken(&step.broken_cells(), tell);
                let faded = faded.into_iter().filter(|&slot| self.is_beside_foreign(slot));
                faded.for_each(|slot| tell(self.pressure.position_at(slot), vec![tag::FADED]));
                self.underway = Some(step);
            }
            (1, Some(mut step)) => {
                step.silent = self.names_of_silent();
                self.tell_silent(&step.silent, tell);
                self.underway = Some(step);
            }
            (2, Some(mut step)) => {
                self.open_chunks(&mut step);
                self.tell_opened(&step.opened, tell);
                self.underway = Some(step);
            }
            (_, Some(step)) => {
                let report = self.finish_step(step);
                self.tell_stepped(tell);
                return report;
            }
            (_, None) => {}
        }
        StepReport::default()
    }

    fn tell_broken(&self, cells: &[IVec3], tell: Tell<'_>) {
        for &cell in cells {
            let chunk = S::chunk_of(cell);
            if self.is_foreign_beside(chunk) {
                let mut news = vec![tag::WALLS];
                cell.put(&mut news);
                tell(chunk, news);
            }
        }
    }

    fn tell_silent(&self, silent: &[Silent], tell: Tell<'_>) {
        for &Silent { chunk, .. } in silent.iter().filter(|at| self.is_foreign_beside(at.chunk)) {
            let Some(slot) = self.pressure.slot(chunk) else { continue };
            let flows = self.states[slot.index()].flows.as_ref();
            let has_any = self.pressure.chunk_at(slot).as_uniform() != Some(0.0)
                || flows.is_some_and(ChunkFlows::is_moving);
            tell(chunk, vec![tag::SILENT, u8::from(has_any)]);
        }
    }

    fn tell_opened(&self, opened: &HashSet<Slot>, tell: Tell<'_>) {
        for chunk in opened.iter().map(|&slot| self.pressure.position_at(slot)) {
            if self.pressure.is_foreign(chunk) || self.is_foreign_beside(chunk) {
                tell(chunk, vec![tag::OPENED]);
            }
        }
    }

    fn tell_stepped(&mut self, tell: Tell<'_>) {
        for stepped in core::mem::take(&mut self.stepped) {
            if !self.is_beside_foreign(stepped.slot) {
                continue;
            }
            let chunk = self.pressure.position_at(stepped.slot);
            let faces = self.faces_to_tell(chunk, &stepped);
            let now = [self.states[stepped.slot.index()].is_audible, self.is_blank(stepped.slot)];
            let told = self.states[stepped.slot.index()].told.replace(now);
            if !faces.is_empty() || stepped.has_faded || told != Some(now) {
                tell(chunk, self.news_of(&stepped, now, &faces));
            }
        }
    }

    /// Returns the faces at which a chunk has changed beside columns of other parts.
    fn faces_to_tell(&self, chunk: ChunkPos, stepped: &Stepped) -> Vec<Face> {
        let touched = stepped.touched.unwrap_or_default();
        let is_told = |face: &Face| {
            touched[face.index()]
                && chunk.step(*face).is_some_and(|there| self.pressure.is_foreign(there))
        };
        SIDES.into_iter().take(S::NEIGHBOURS - 2).filter(is_told).collect()
    }

    fn news_of(&self, stepped: &Stepped, now: [bool; 2], faces: &[Face]) -> Vec<u8> {
        let mut news = vec![tag::STEPPED];
        [stepped.has_faded, now[0], now[1]].iter().for_each(|is_so| is_so.put(&mut news));
        self.states[stepped.slot.index()].highest.put(&mut news);
        for &face in faces {
            face.put(&mut news);
            for index in S::FACE_CELLS[face.index()].iter() {
                self.pressure.chunk_at(stepped.slot).get(index).put(&mut news);
            }
        }
        news
    }

    /// Takes over what another part tells of a chunk.
    pub(crate) fn hear(&mut self, chunk: ChunkPos, news: &[u8]) -> Result<(), DecodeError> {
        let mut news = Reader::new(Format::News, news);
        let wrong = news.malformed("what is told of a chunk in this round of a step");
        let is_ghost = self.pressure.is_foreign(chunk);
        let tag: u8 = news.take()?;
        if self.inside_of(chunk).is_err()
            || !is_ghost && tag != tag::OPENED
            || self.underway.is_some() == (tag == tag::STEPPED)
        {
            return Err(wrong);
        }
        match tag {
            tag::WALLS => {
                let cell = news.take()?;
                news.finish(())?;
                if S::chunk_of(cell) != chunk {
                    return Err(wrong);
                }
                self.open_ghost_wall(cell);
            }
            tag::FADED => {
                news.finish(())?;
                let slot = self.ensure_chunk(chunk);
                self.states[slot.index()].is_audible = false;
                self.wake_with_neighbours(slot);
            }
            tag::SILENT => {
                let ghost = Some(news.take()?);
                news.finish(())?;
                let step = self.underway.as_mut();
                step.into_iter().for_each(|step| step.silent.push(Silent { chunk, ghost }));
            }
            tag::OPENED => {
                news.finish(())?;
                let slot = self.ensure_chunk(chunk);
                self.wake_with_neighbours(slot);
                let step = self.underway.as_mut();
                step.into_iter().for_each(|step| _ = step.opened.insert(slot));
            }
            tag::STEPPED => self.hear_stepped(chunk, news)?,
            _ => return Err(wrong),
        }
        Ok(())
    }

    fn hear_stepped(&mut self, chunk: ChunkPos, mut news: Reader<'_>) -> Result<(), DecodeError> {
        let (has_faded, is_audible, is_blank): (bool, bool, bool) =
            (news.take()?, news.take()?, news.take()?);
        let wrong = news.malformed("pressures");
        let highest = news.take()?;
        let mut rims = Vec::new();
        while !news.left().is_empty() {
            let face: Face = news.take()?;
            for index in S::FACE_CELLS[face.index()].iter() {
                rims.push((face, index, news.take::<f32>()?));
            }
        }
        if !rims.iter().all(|(.., pressure)| pressure.is_finite()) {
            return Err(wrong);
        }
        let slot = self.ensure_chunk(chunk);
        let cells: &mut Chunk<f32> = self.pressure.chunk_at_mut(slot);
        rims.iter().for_each(|&(_, index, pressure)| _ = cells.set(index, pressure));
        cells.canonicalize();
        self.rims.invalidate(slot);
        let state = &mut self.states[slot.index()];
        (state.is_audible, state.ghost_is_blank) = (is_audible, Some(is_blank));
        state.highest = highest;
        let neighbours = self.pressure.neighbours_of(slot);
        for beside in rims.iter().map(|(face, ..)| neighbours[face.index()]) {
            if beside.is_some() {
                self.pressure.wake_chunk_at(beside);
            }
        }
        if has_faded {
            self.wake_with_neighbours(slot);
        }
        Ok(())
    }

    /// Opens a wall of a ghost that has broken.
    fn open_ghost_wall(&mut self, cell: IVec3) {
        let Some((slot, index)) = self.place(cell) else { return };
        let ground = self.ground_mut(slot);
        ground.solid.set(index, false);
        ground.set_strength(index, 0.0);
        self.drop_plain_ground(slot);
        update_links(self, cell);
        self.wake_beside(cell);
        let step = self.underway.as_mut();
        step.into_iter().for_each(|step| step.broken_beside.push(cell));
    }
}
