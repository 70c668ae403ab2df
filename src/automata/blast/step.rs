//! One step: walls break, the front opens chunks, pressure moves, what is below the threshold falls silent.

use super::edit::sum_of;
use super::flow::{diffusive, in_grains};
use super::kernel::{Diffuse, Linked, Ripple, Whole, reaches};
use super::rules::Rule;
use super::space::{Beyond, Side, axis, is_positive, plane_cells};
use super::{Beside, BlastWorld, Probe};
use crate::automata::front;
use crate::automata::rows::{FieldShape, RowRule, differing};
use crate::automaton::StepReport;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use glam::IVec3;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The cells behind a periodic border, as they were before the step.
struct Ghost {
    /// The chunk that borders on them, and its face there.
    slot: Slot,
    face: Face,
    side: Side,
    /// In the order of the plane's cells.
    values: Vec<f32>,
}

/// A side of a chunk over which pressure is lost.
struct Exit {
    face: Face,
    side: Side,
    /// Over an open border, else into a chunk that is not there.
    is_border: bool,
}

/// What a step did to a chunk.
struct Stepped {
    slot: Slot,
    changed: CellMask,
    is_silent: bool,
}

impl<S: FieldShape> BlastWorld<S> {
    /// Runs one step. First the walls break that stand between too different pressures; then pressure moves.
    pub fn step(&mut self) -> StepReport {
        self.tick += 1;
        self.break_walls();
        self.open_front();
        let mut slots = self.pressure.awake_slots().to_vec();
        self.pressure.sort_slots(&mut slots);
        self.rims.save(&self.pressure, &slots);
        let mut ghosts: VecDeque<Ghost> = slots.iter().flat_map(|&slot| self.ghosts(slot)).collect();
        let mut stepped = Vec::with_capacity(slots.len());
        for slot in slots {
            let own = ghosts.iter().take_while(|ghost| ghost.slot == slot).count();
            let own: SmallVec<[Ghost; 6]> = ghosts.drain(..own).collect();
            stepped.push(self.step_chunk(slot, &own));
        }
        self.settle(&stepped)
    }

    /// Runs `steps` steps and adds up what they did.
    pub fn run(&mut self, steps: u64) -> StepReport {
        self.run_probed(steps, &mut [])
    }

    /// Runs `steps` steps, as many as make a frame, and lets each probe feel every one of them.
    pub fn run_probed(&mut self, steps: u64, probes: &mut [Probe<IVec3>]) -> StepReport {
        let mut sum = StepReport::default();
        for _ in 0..steps {
            // Diffusive flows follow from the pressures before the step; the wave's are known after it.
            let is_wave = matches!(self.rules.rule, Rule::Wave { .. });
            if !is_wave {
                probes.iter_mut().for_each(|probe| probe.feel(&self.flows_at(*probe.place())));
            }
            sum += self.step();
            if is_wave {
                probes.iter_mut().for_each(|probe| probe.feel(&self.flows_at(*probe.place())));
            }
        }
        sum
    }

    /// The chunks behind the faces of a chunk that are there.
    pub(super) fn chunks_behind(&self, slot: Slot) -> SmallVec<[(Face, Slot); 6]> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let behind = |&face: &Face| {
            let side = self.space.side::<S>(chunk, face);
            let there = match side.beyond {
                Beyond::There(there) if side.is_border => self.pressure.slot(there).unwrap_or(Slot::NONE),
                Beyond::There(_) => neighbours[face.index()],
                Beyond::Wall | Beyond::Outside => Slot::NONE,
            };
            there.is_some().then_some((face, there))
        };
        Self::FACES.iter().filter_map(behind).collect()
    }

    /// Makes the chunks that are not there and that audible pressure is about to enter.
    fn open_front(&mut self) {
        let audible = self.audible();
        for slot in self.pressure.awake_slots().to_vec() {
            let chunk = self.pressure.chunk_at(slot);
            if chunk.as_uniform() == Some(0.0) {
                continue;
            }
            for exit in self.exits(slot).into_iter().filter(|exit| !exit.is_border) {
                let chunk = self.pressure.chunk_at(slot);
                let mut cells = plane_cells::<S>(axis(exit.face), exit.side.plane);
                let enters =
                    |index| chunk.get(index).abs() >= audible && self.conductance_at(slot, index, exit.face) > 0.0;
                if cells.any(enters)
                    && let Beyond::There(there) = exit.side.beyond
                {
                    let opened = self.ensure(there);
                    self.pressure.wake_chunk_at(opened);
                }
            }
        }
    }

    /// The conductance of a link of a chunk that is there.
    pub(super) fn conductance_at(&self, slot: Slot, index: usize, face: Face) -> f32 {
        let planes = self.beside[slot.index()].conductance.as_ref();
        planes.map_or(self.whole(), |planes| planes[face.index()][index])
    }

    /// The sides of a chunk over which pressure leaves what is kept in cells.
    fn exits(&self, slot: Slot) -> SmallVec<[Exit; 6]> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let exit = |&face: &Face| {
            let side = self.space.side::<S>(chunk, face);
            let is_lost = match side.beyond {
                Beyond::Wall => false,
                Beyond::Outside => true,
                Beyond::There(there) if side.is_border => self.pressure.slot(there).is_none(),
                Beyond::There(_) => !neighbours[face.index()].is_some(),
            };
            is_lost.then_some(Exit { face, side, is_border: side.beyond == Beyond::Outside })
        };
        Self::FACES.iter().filter_map(exit).collect()
    }

    /// What lies behind the periodic borders of a chunk.
    fn ghosts(&self, slot: Slot) -> SmallVec<[Ghost; 6]> {
        let chunk = self.pressure.position_at(slot);
        let ghost = |&face: &Face| {
            let side = self.space.side::<S>(chunk, face);
            let Beyond::There(there) = side.beyond else { return None };
            if !side.is_border {
                return None;
            }
            let cells = plane_cells::<S>(axis(face), self.space.opposite_plane::<S>(face));
            let values = match self.pressure.chunk(there) {
                Some(there) => cells.map(|index| there.get(index)).collect(),
                None => cells.map(|_| 0.0).collect(),
            };
            Some(Ghost { slot, face, side, values })
        };
        Self::FACES.iter().filter_map(ghost).collect()
    }

    fn step_chunk(&mut self, slot: Slot, ghosts: &[Ghost]) -> Stepped {
        let exits = self.exits(slot);
        let around = self.rims.around(self.pressure.neighbours_of(slot));
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        S::pad(cells, around, &mut self.halo);
        for ghost in ghosts {
            for (index, &value) in plane_cells::<S>(axis(ghost.face), ghost.side.plane).zip(&ghost.values) {
                *S::behind(&mut self.halo, index, ghost.face) = value;
            }
        }
        if let Rule::Diffusive { .. } = self.rules.rule {
            self.book_diffusive(slot, &exits);
        }
        let mut changed = CellMask::EMPTY;
        self.run_kernel(slot, &mut changed);
        if let Rule::Wave { .. } = self.rules.rule {
            self.book_wave(slot, &exits);
        }
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        for ghost in ghosts {
            // Behind a border inside a chunk lie cells that are no part of the world: they stay at 0.
            let behind = plane_cells::<S>(axis(ghost.face), ghost.side.plane);
            behind.filter_map(|index| inner_step::<S>(index, ghost.face)).for_each(|index| cells[index] = 0.0);
        }
        let is_silent = self.is_silent(slot);
        let chunk = self.pressure.chunk_at_mut(slot);
        if is_silent {
            changed = CellMask::EMPTY;
            self.ledger.absorbed += sum_of(chunk);
            S::rows(&self.halo, chunk.cells_mut(), &mut Silence { changed: &mut changed });
            self.beside[slot.index()].flows = None;
        }
        chunk.canonicalize();
        Stepped { slot, changed, is_silent }
    }

    fn run_kernel(&mut self, slot: Slot, changed: &mut CellMask) {
        let whole = self.whole();
        let Beside { conductance, flows, .. } = &mut self.beside[slot.index()];
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        let halo = &self.halo;
        match (self.rules.rule, conductance) {
            (Rule::Diffusive { .. }, None) => {
                S::rows(halo, cells, &mut Diffuse { conductance: Whole(whole), changed });
            }
            (Rule::Diffusive { .. }, Some(planes)) => {
                S::rows(halo, cells, &mut Diffuse { conductance: Linked(planes), changed });
            }
            (Rule::Wave { damping, .. }, conductance) => {
                let none = || vec![[0.0; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice();
                let (damping, flows) = (damping as f32, flows.get_or_insert_with(none));
                match conductance {
                    None => {
                        S::rows(halo, cells, &mut Ripple { conductance: Whole(whole), damping, flows, changed });
                    }
                    Some(planes) => {
                        S::rows(halo, cells, &mut Ripple { conductance: Linked(planes), damping, flows, changed });
                    }
                }
            }
        }
    }

    /// Enters what a step is about to take over the exits, exactly as the kernel counts it.
    fn book_diffusive(&mut self, slot: Slot, exits: &[Exit]) {
        let chunk = self.pressure.chunk_at(slot);
        for exit in exits {
            let flow = |index: usize| {
                let here = chunk.get(index);
                f64::from(in_grains(diffusive(self.conductance_at(slot, index, exit.face), here, 0.0), here))
            };
            let sum: f64 = plane_cells::<S>(axis(exit.face), exit.side.plane).map(flow).sum();
            *if exit.is_border { &mut self.ledger.left } else { &mut self.ledger.absorbed } += sum;
        }
    }

    /// Enters what a step took over the exits. What flows into a chunk that is not there is gone, and its flow with it.
    fn book_wave(&mut self, slot: Slot, exits: &[Exit]) {
        let Some(flows) = &mut self.beside[slot.index()].flows else { return };
        for exit in exits {
            let cells = plane_cells::<S>(axis(exit.face), exit.side.plane);
            let plane = &mut flows[exit.face.index()];
            let sum: f64 = cells.clone().map(|index| f64::from(plane[index])).sum();
            if exit.is_border {
                self.ledger.left += sum;
            } else {
                self.ledger.absorbed += sum;
                cells.for_each(|index| plane[index] = 0.0);
            }
        }
    }

    /// Whether no pressure and no flow of a chunk reaches the threshold, nor did any pressure next to it before the step:
    /// as long as the front stands at its border, a chunk is kept, so that it can fill.
    fn is_silent(&mut self, slot: Slot) -> bool {
        let audible = self.audible();
        let flows = self.beside[slot.index()].flows.as_deref();
        let is_moving = flows.is_some_and(|planes| planes.iter().any(|plane| reaches(plane, audible)));
        let has_pressure = match self.pressure.chunk_at(slot).as_dense() {
            Some(cells) => reaches(cells, audible),
            None => self.pressure.chunk_at(slot).get(0).abs() >= audible,
        };
        if has_pressure || is_moving {
            return false;
        }
        let chunk = self.pressure.position_at(slot);
        !Self::FACES.iter().any(|&face| {
            plane_cells::<S>(axis(face), self.space.side::<S>(chunk, face).plane).any(|index| {
                let is_audible = S::behind(&mut self.halo, index, face).abs() >= audible;
                is_audible && self.conductance_at(slot, index, face) > 0.0
            })
        })
    }

    /// Puts to sleep and wakes whom the step calls for, and lets go of silent chunks in which nothing stands.
    fn settle(&mut self, stepped: &[Stepped]) -> StepReport {
        let changes: Vec<(Slot, CellMask)> =
            stepped.iter().map(|stepped| (stepped.slot, stepped.changed.clone())).collect();
        front::advance(&mut self.pressure, &changes);
        let mut report = StepReport { visited: (stepped.len() * CHUNK_CELLS) as u64, ..StepReport::default() };
        for Stepped { slot, changed, .. } in stepped {
            report.changed += changed.len() as u64;
            self.wake_across_borders(*slot, changed);
        }
        for Stepped { slot, .. } in stepped.iter().filter(|stepped| stepped.is_silent) {
            self.hush_rim(*slot);
            if self.ground(*slot).is_none() {
                let position = self.pressure.position_at(*slot);
                self.gone.extend(self.pressure.changed_at(*slot).map(|changed| (position, changed.clone())));
                self.beside[slot.index()] = Beside::default();
                self.pressure.remove(position);
            }
        }
        report
    }

    /// Wakes the chunks that touch a changed cell from behind a periodic border.
    fn wake_across_borders(&mut self, slot: Slot, changed: &CellMask) {
        let chunk = self.pressure.position_at(slot);
        for &face in Self::FACES {
            let side = self.space.side::<S>(chunk, face);
            if let Beyond::There(there) = side.beyond
                && side.is_border
                && let Some(there) = self.pressure.slot(there)
                && plane_cells::<S>(axis(face), side.plane).any(|index| changed.contains(index))
            {
                self.pressure.wake_chunk_at(there);
            }
        }
    }

    /// Ends the flows from other chunks into a silent one, and wakes those chunks.
    pub(super) fn hush_rim(&mut self, slot: Slot) {
        let chunk = self.pressure.position_at(slot);
        for (face, there) in self.chunks_behind(slot) {
            let side = self.space.side::<S>(self.pressure.position_at(there), face.opposite());
            let Some(flows) = &mut self.beside[there.index()].flows else { continue };
            let plane = &mut flows[face.opposite().index()];
            let mut ended = false;
            for index in plane_cells::<S>(axis(face), side.plane) {
                ended |= plane[index] != 0.0;
                plane[index] = 0.0;
            }
            if ended && self.pressure.position_at(there) != chunk {
                self.pressure.wake_chunk_at(there);
            }
        }
    }
}

/// What a step leaves of a chunk that falls silent: nothing.
struct Silence<'a> {
    changed: &'a mut CellMask,
}

impl RowRule<f32> for Silence<'_> {
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[f32; W],
        _around: [&[f32; W]; N],
        cells: &mut [f32; W],
    ) {
        *cells = [0.0; W];
        self.changed.words_mut()[first / 64] |= differing(here, cells) << (first % 64);
    }
}

/// The index of the cell behind a face, if it lies in the same chunk.
pub(super) fn inner_step<S: FieldShape>(index: usize, face: Face) -> Option<usize> {
    let (axis, last) = (axis(face), (1 << S::BITS[axis(face)]) - 1);
    let local = (index / S::STRIDES[axis]) & last;
    match is_positive(face) {
        true if local < last => Some(index + S::STRIDES[axis]),
        false if local > 0 => Some(index - S::STRIDES[axis]),
        _ => None,
    }
}
