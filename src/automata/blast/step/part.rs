//! A part of a divided world of explosions. Parts send each other the rims of chunks, as for a halo
//! exchange, and the changes of the front. Which chunks take part in a step depends on chunks two
//! faces away, so a rim alone is not enough: before pressure flows, parts send each other which
//! walls break, which chunks fall silent, and which chunks open.

use super::ahead::step_ahead;
use super::rounds::{SIDES, Silent, Stepped};
use crate::automata::blast::field::conductances::update_links;
use crate::automata::blast::field::flows::{ChunkFlows, Conductances};
use crate::automata::blast::restore::is_pressure;
use crate::automata::blast::rules::Border;
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::automata::engine::halo_exchange::{HaloExchange, Indivisible, Outbox};
use crate::chunk::Chunk;
use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos, Face, Region};
use crate::grid::{Grid, Slot};
use crate::simulation::StepReport;
use glam::IVec3;
use hashbrown::HashSet;
use std::sync::Arc;

/// The first byte of a message about a chunk, which says what the message contains.
mod tag {
    /// Cells of the chunk in which walls have broken.
    pub(super) const WALLS: u8 = 0;
    /// Edits have made the chunk inaudible.
    pub(super) const FADED: u8 = 1;
    /// The chunk falls silent. A byte follows: whether it still has pressures or flows.
    pub(super) const SILENT: u8 = 2;
    /// The front opens the chunk.
    pub(super) const OPENED: u8 = 3;
    /// The chunk after a step.
    pub(super) const STEPPED: u8 = 4;
    /// The chunk after an edit.
    pub(super) const EDITED: u8 = 5;
}

impl<S: BlastShape> HaloExchange for BlastWorld<S> {
    type Value = f32;
    type Shape = S;
    const EXCHANGES: usize = 4;
    const LOADS_COLUMNS: bool = false;

    /// Returns half of `columns`: which chunks take part in a step depends on chunks two faces
    /// away.
    fn steps_for(columns: u32) -> u64 {
        u64::from(columns) / 2
    }

    fn indivisible(&self) -> Option<Indivisible> {
        let borders = self.space.borders;
        let axes = [(borders.x, 'x'), (borders.z, 'z')];
        let periodic = axes.into_iter().find(|(border, _)| *border == Border::Periodic);
        periodic.map(|(_, axis)| Indivisible::Periodic(axis))
    }

    fn cells(&self) -> &Grid<f32, S> {
        &self.pressure
    }

    fn extent(&self) -> Region {
        self.bounds()
    }

    fn set_columns(&mut self, columns: Arc<HashSet<ColumnPos>>) {
        self.ahead = None;
        self.pressure.divide(columns);
        let slots: Vec<Slot> = self.pressure.occupied().collect();
        for slot in slots {
            self.states[slot.index()].sent = None;
            self.renew_ghost(slot);
        }
    }

    fn discard(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.pressure.slot(chunk) else { return };
        self.forget_conductances(slot);
        self.states[slot.index()] = Default::default();
        self.pressure.remove(chunk);
    }

    fn forget_derived_of(&mut self, chunk: ChunkPos) {
        let Some(slot) = self.pressure.slot(chunk) else { return };
        self.forget_conductances(slot);
        self.states[slot.index()].ghost_is_blank = None;
        self.renew_ghost(slot);
    }

    fn step_interior(&mut self) -> bool {
        step_ahead(self).is_some()
    }

    /// Returns the report of the whole step after the last exchange, and an empty report before.
    fn step_and_send(&mut self, exchange: usize, send: Outbox<'_>) -> StepReport {
        let mut step = match (exchange, self.underway.take()) {
            (0, _) => {
                let (step, faded) = self.break_walls_first();
                self.send_broken(&step.broken_cells(), send);
                let faded = faded.into_iter().filter(|&slot| self.is_beside_foreign(slot));
                faded.for_each(|slot| send(self.pressure.position_at(slot), vec![tag::FADED]));
                step
            }
            (1, Some(mut step)) => {
                step.silent = self.names_of_silent();
                self.send_silent(&step.silent, send);
                step
            }
            (2, Some(mut step)) => {
                self.open_chunks(&mut step);
                self.send_opened(&step.opened, send);
                step
            }
            (_, Some(step)) => {
                let report = self.finish_step(step);
                self.send_stepped(send);
                return report;
            }
            (_, None) => return StepReport::default(),
        };
        step.exchange = exchange;
        self.underway = Some(step);
        StepReport::default()
    }

    fn apply_halo(&mut self, chunk: ChunkPos, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut bytes = Reader::new(Format::Message, bytes);
        let wrong = bytes.malformed("what is sent of a chunk beside this part in this exchange");
        let tag: u8 = bytes.take()?;
        let exchange = match tag {
            tag::WALLS | tag::FADED => Some(0),
            tag::SILENT => Some(1),
            tag::OPENED => Some(2),
            _ => None,
        };
        let is_ghost = self.pressure.is_foreign(chunk);
        if self.inside_of(chunk).is_err()
            || !is_ghost && tag != tag::OPENED
            || !self.pressure.is_near_own(chunk)
            || self.underway.as_ref().map(|step| step.exchange) != exchange
        {
            return Err(wrong);
        }
        match tag {
            tag::WALLS => {
                let cell = bytes.take()?;
                bytes.finish(())?;
                if S::chunk_of(cell) != chunk {
                    return Err(wrong);
                }
                self.open_ghost_wall(cell);
            }
            tag::FADED => {
                bytes.finish(())?;
                let slot = self.ensure_chunk(chunk);
                self.states[slot.index()].is_audible = false;
                self.wake_with_neighbours(slot);
            }
            tag::SILENT => {
                let ghost = Some(bytes.take()?);
                bytes.finish(())?;
                let step = self.underway.as_mut();
                step.into_iter().for_each(|step| step.silent.push(Silent { chunk, ghost }));
            }
            tag::OPENED => {
                bytes.finish(())?;
                let slot = self.ensure_chunk(chunk);
                self.wake_with_neighbours(slot);
                let step = self.underway.as_mut();
                step.into_iter().for_each(|step| _ = step.opened.insert(slot));
            }
            tag::STEPPED => self.receive_stepped(chunk, bytes, true)?,
            // The edit, made in each part, has woken chunks already.
            tag::EDITED => self.receive_stepped(chunk, bytes, false)?,
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// Returns the pressure placed, removed, left and absorbed, in units of 2⁻⁴⁰.
    fn ledger_units(&self) -> Vec<i128> {
        self.books.units().to_vec()
    }

    fn set_ledger(&mut self, ticks: u64, units: &[i128]) -> Result<(), i128> {
        if let Ok(units) = units.try_into() {
            self.tick = ticks;
            self.books.set_units(units);
        }
        Ok(())
    }
}

impl<S: BlastShape> BlastWorld<S> {
    /// Notes whether a chunk is a ghost, and whether a ghost is at pressure 0 without flows.
    fn renew_ghost(&mut self, slot: Slot) {
        let is_ghost = self.pressure.is_ghost_at(slot);
        let is_blank = self.is_blank(slot);
        self.states[slot.index()].ghost_is_blank = is_ghost.then_some(is_blank);
    }

    fn forget_conductances(&mut self, slot: Slot) {
        self.states[slot.index()].conductances = Conductances::Unknown;
        for (_, beside) in self.chunks_behind(slot) {
            self.states[beside.index()].conductances = Conductances::Unknown;
        }
    }

    fn send_broken(&self, cells: &[IVec3], send: Outbox<'_>) {
        for &cell in cells {
            let chunk = S::chunk_of(cell);
            if self.is_foreign_beside(chunk) {
                let mut bytes = vec![tag::WALLS];
                cell.put(&mut bytes);
                send(chunk, bytes);
            }
        }
    }

    fn send_silent(&self, silent: &[Silent], send: Outbox<'_>) {
        for &Silent { chunk, .. } in silent.iter().filter(|at| self.is_foreign_beside(at.chunk)) {
            let Some(slot) = self.pressure.slot(chunk) else { continue };
            let flows = self.states[slot.index()].flows.as_ref();
            let has_any = self.pressure.chunk_at(slot).as_uniform() != Some(0.0)
                || flows.is_some_and(ChunkFlows::is_moving);
            send(chunk, vec![tag::SILENT, u8::from(has_any)]);
        }
    }

    fn send_opened(&self, opened: &HashSet<Slot>, send: Outbox<'_>) {
        for chunk in opened.iter().map(|&slot| self.pressure.position_at(slot)) {
            if self.pressure.is_foreign(chunk) || self.is_foreign_beside(chunk) {
                send(chunk, vec![tag::OPENED]);
            }
        }
    }

    fn send_stepped(&mut self, send: Outbox<'_>) {
        for stepped in core::mem::take(&mut self.stepped) {
            if !self.is_beside_foreign(stepped.slot) {
                continue;
            }
            let chunk = self.pressure.position_at(stepped.slot);
            let faces = self.faces_to_send(chunk, &stepped);
            let now = [self.states[stepped.slot.index()].is_audible, self.is_blank(stepped.slot)];
            let last = self.states[stepped.slot.index()].sent.replace(now);
            if !faces.is_empty() || stepped.has_faded || last != Some(now) {
                send(chunk, self.stepped_bytes(tag::STEPPED, &stepped, now, &faces));
            }
        }
    }

    /// Sends an edited chunk of this part, if it is loaded, to the parts beside it.
    pub(super) fn send_edited(&mut self, chunk: ChunkPos, send: Outbox<'_>) {
        let Some(slot) = self.pressure.slot(chunk).filter(|&slot| self.is_beside_foreign(slot))
        else {
            return;
        };
        let stepped = Stepped { slot, touched: Some([true; 6]), has_faded: false };
        let faces = self.faces_to_send(chunk, &stepped);
        let now = [self.states[slot.index()].is_audible, self.is_blank(slot)];
        self.states[slot.index()].sent = Some(now);
        send(chunk, self.stepped_bytes(tag::EDITED, &stepped, now, &faces));
    }

    /// Returns the faces at which a chunk has changed beside columns of other parts.
    fn faces_to_send(&self, chunk: ChunkPos, stepped: &Stepped) -> Vec<Face> {
        let touched = stepped.touched.unwrap_or_default();
        let is_sent = |face: &Face| {
            touched[face.index()]
                && chunk.step(*face).is_some_and(|there| self.pressure.is_foreign(there))
        };
        SIDES.into_iter().take(S::NEIGHBOURS - 2).filter(is_sent).collect()
    }

    fn stepped_bytes(&self, tag: u8, stepped: &Stepped, now: [bool; 2], faces: &[Face]) -> Vec<u8> {
        let mut bytes = vec![tag];
        [stepped.has_faded, now[0], now[1]].iter().for_each(|is_so| is_so.put(&mut bytes));
        self.states[stepped.slot.index()].highest.put(&mut bytes);
        for &face in faces {
            face.put(&mut bytes);
            for index in S::FACE_CELLS[face.index()].iter() {
                self.pressure.chunk_at(stepped.slot).get(index).put(&mut bytes);
            }
        }
        bytes
    }

    fn receive_stepped(
        &mut self,
        chunk: ChunkPos,
        mut bytes: Reader<'_>,
        wakes: bool,
    ) -> Result<(), DecodeError> {
        let (has_faded, is_audible, is_blank): (bool, bool, bool) =
            (bytes.take()?, bytes.take()?, bytes.take()?);
        let wrong = bytes.malformed("pressures");
        let highest: f32 = bytes.take()?;
        let mut rims = Vec::new();
        while !bytes.left().is_empty() {
            let face: Face = bytes.take()?;
            for index in S::FACE_CELLS[face.index()].iter() {
                rims.push((face, index, bytes.take::<f32>()?));
            }
        }
        let fits = highest >= 0.0 && is_pressure(highest);
        if !fits || !rims.iter().all(|&(.., pressure)| is_pressure(pressure)) {
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
            if wakes && beside.is_some() {
                self.pressure.wake_chunk_at(beside);
            }
        }
        if wakes && has_faded {
            self.wake_with_neighbours(slot);
        }
        Ok(())
    }

    /// Opens a wall that has broken in a ghost.
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
