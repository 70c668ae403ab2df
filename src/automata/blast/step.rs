//! One step: walls break, what is below the threshold falls silent, the front opens chunks, pressure moves.

use super::edit::sum_of;
use super::flow::{diffusive, in_grains};
use super::kernel::{Diffuse, DiffuseWhole, Linked, Ripple, Whole, reaches};
use super::rules::Rule;
use super::space::{Beyond, Side, axis, is_positive, plane_cells};
use super::{Beside, BlastWorld, Probe};
use crate::automata::front;
use crate::automata::rows::FieldShape;
use crate::automaton::StepReport;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use glam::IVec3;
use hashbrown::HashSet;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What a chunk sees behind one of its faces instead of the rim of the chunk that lies there.
struct Ghost {
    /// The chunk and its face.
    slot: Slot,
    face: Face,
    side: Side,
    /// The pressures behind a periodic border before the step, in the order of the plane's cells; none behind a face that
    /// is shut, where each cell sees its own pressure, so that nothing passes.
    values: Option<Vec<f32>>,
}

/// What a step did to a chunk.
struct Stepped {
    slot: Slot,
    changed: CellMask,
    /// It was audible before, and is no more.
    has_faded: bool,
}

impl<S: FieldShape> BlastWorld<S> {
    /// Runs one step. First the walls break that stand between too different pressures; then pressure moves.
    pub fn step(&mut self) -> StepReport {
        self.tick += 1;
        self.break_walls();
        let absorbed = self.fall_silent();
        let opened = self.open_front();
        let mut slots = self.pressure.awake_slots().to_vec();
        self.pressure.sort_slots(&mut slots);
        self.rims.save(&self.pressure, &slots);
        let is_shut: Vec<bool> = slots.iter().map(|&slot| self.is_shut(slot, &opened)).collect();
        let mut ghosts: VecDeque<Ghost> = slots.iter().flat_map(|&slot| self.ghosts(slot, &opened)).collect();
        let mut stepped = Vec::with_capacity(slots.len());
        for (slot, is_shut) in slots.into_iter().zip(is_shut) {
            let own = ghosts.iter().take_while(|ghost| ghost.slot == slot).count();
            let own: SmallVec<[Ghost; 6]> = ghosts.drain(..own).collect();
            stepped.push(match is_shut {
                true => Stepped { slot, changed: CellMask::EMPTY, has_faded: false },
                false => self.step_chunk(slot, &own),
            });
        }
        let mut report = self.settle(&stepped);
        report.changed += absorbed;
        report
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

    /// Opens the silent chunks that audible pressure is about to enter, and makes those of them that are not there. All
    /// others are shut: what is below the threshold does not seep into them, or an explosion would drain away over the
    /// borders of the chunks that it has reached.
    fn open_front(&mut self) -> HashSet<Slot> {
        let mut opened = HashSet::new();
        for slot in self.pressure.awake_slots().to_vec() {
            if self.is_blank(slot) {
                continue;
            }
            let chunk = self.pressure.position_at(slot);
            for &face in Self::FACES {
                let side = self.space.side::<S>(chunk, face);
                let Beyond::There(there) = side.beyond else { continue };
                let is_silent = self.pressure.slot(there).is_none_or(|there| self.is_blank(there));
                if is_silent && plane_cells::<S>(axis(face), side.plane).any(|index| self.enters(slot, index, face)) {
                    let there = self.ensure(there);
                    self.pressure.wake_chunk_at(there);
                    opened.insert(there);
                }
            }
        }
        opened
    }

    /// Whether a cell's pressure is audible and passes its face into a silent chunk.
    fn enters(&self, slot: Slot, index: usize, face: Face) -> bool {
        let pressure = self.pressure.chunk_at(slot).get(index);
        let flow = diffusive(self.conductance_at(slot, index, face), pressure, 0.0);
        let damping = if let Rule::Wave { damping, .. } = self.rules.rule { damping as f32 } else { 1.0 };
        pressure.abs() >= self.audible() && in_grains(damping * flow, pressure.abs()) != 0.0
    }

    /// Whether a chunk is at pressure 0 without flow.
    fn is_blank(&self, slot: Slot) -> bool {
        self.pressure.chunk_at(slot).as_uniform() == Some(0.0) && self.beside[slot.index()].flows.is_none()
    }

    /// Whether a chunk, there or not, takes no part in this step.
    fn is_shut(&self, slot: Slot, opened: &HashSet<Slot>) -> bool {
        !slot.is_some() || self.is_blank(slot) && !opened.contains(&slot)
    }

    /// The conductance of a link of a chunk that is there.
    pub(super) fn conductance_at(&self, slot: Slot, index: usize, face: Face) -> f32 {
        let planes = self.beside[slot.index()].conductance.as_ref();
        planes.map_or(self.whole(), |planes| planes[face.index()][index])
    }

    /// What lies behind the faces of a chunk that are shut, or periodic borders.
    fn ghosts(&self, slot: Slot, opened: &HashSet<Slot>) -> SmallVec<[Ghost; 6]> {
        let chunk = self.pressure.position_at(slot);
        let neighbours = self.pressure.neighbours_of(slot);
        let ghost = |&face: &Face| {
            let side = self.space.side::<S>(chunk, face);
            let Beyond::There(there) = side.beyond else { return None };
            let there = match side.is_border {
                true => self.pressure.slot(there).unwrap_or(Slot::NONE),
                false => neighbours[face.index()],
            };
            if self.is_shut(there, opened) {
                return Some(Ghost { slot, face, side, values: None });
            }
            let cells = plane_cells::<S>(axis(face), self.space.opposite_plane::<S>(face));
            let values =
                side.is_border.then(|| cells.map(|index| self.pressure.chunk_at(there).get(index)).collect())?;
            Some(Ghost { slot, face, side, values: Some(values) })
        };
        Self::FACES.iter().filter_map(ghost).collect()
    }

    fn step_chunk(&mut self, slot: Slot, ghosts: &[Ghost]) -> Stepped {
        let around = self.rims.around(self.pressure.neighbours_of(slot));
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        S::pad(cells, around, &mut self.halo);
        for ghost in ghosts {
            for (at, index) in plane_cells::<S>(axis(ghost.face), ghost.side.plane).enumerate() {
                let value = ghost.values.as_ref().map_or(cells[index], |values| values[at]);
                *S::behind(&mut self.halo, index, ghost.face) = value;
            }
        }
        if let Rule::Diffusive { .. } = self.rules.rule {
            self.book_diffusive(slot);
        }
        let mut changed = CellMask::EMPTY;
        self.run_kernel(slot, &mut changed);
        if let Rule::Wave { .. } = self.rules.rule {
            self.book_wave(slot);
        }
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        for ghost in ghosts {
            // Behind a border inside a chunk lie cells that are no part of the world: they stay at 0.
            let behind = plane_cells::<S>(axis(ghost.face), ghost.side.plane);
            behind.filter_map(|index| inner_step::<S>(index, ghost.face)).for_each(|index| cells[index] = 0.0);
        }
        self.pressure.chunk_at_mut(slot).canonicalize();
        let was_audible = core::mem::replace(&mut self.beside[slot.index()].is_audible, false);
        let is_audible = self.reaches_threshold(slot);
        self.beside[slot.index()].is_audible = is_audible;
        Stepped { slot, changed, has_faded: was_audible && !is_audible }
    }

    fn run_kernel(&mut self, slot: Slot, changed: &mut CellMask) {
        let whole = self.whole();
        let Beside { conductance, flows, .. } = &mut self.beside[slot.index()];
        let cells = self.pressure.chunk_at_mut(slot).cells_mut();
        let halo = &self.halo;
        match (self.rules.rule, conductance) {
            (Rule::Diffusive { .. }, None) => {
                S::rows(halo, cells, &mut DiffuseWhole::new(whole, changed));
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

    /// The faces of a chunk behind which the world has an open border, with the cells before it.
    fn open_planes(&self, slot: Slot) -> SmallVec<[(Face, Side); 6]> {
        let chunk = self.pressure.position_at(slot);
        let sides = Self::FACES.iter().map(|&face| (face, self.space.side::<S>(chunk, face)));
        sides.filter(|(_, side)| side.beyond == Beyond::Outside).collect()
    }

    /// Enters what a step is about to take over open borders, exactly as the kernel counts it.
    fn book_diffusive(&mut self, slot: Slot) {
        for (face, side) in self.open_planes(slot) {
            let flow = |index: usize| {
                let here = self.pressure.chunk_at(slot).get(index);
                f64::from(in_grains(diffusive(self.conductance_at(slot, index, face), here, 0.0), here))
            };
            self.ledger.left += plane_cells::<S>(axis(face), side.plane).map(flow).sum::<f64>();
        }
    }

    /// Enters what a step took over open borders.
    fn book_wave(&mut self, slot: Slot) {
        for (face, side) in self.open_planes(slot) {
            if let Some(flows) = &self.beside[slot.index()].flows {
                let flow = |index: usize| f64::from(flows[face.index()][index]);
                self.ledger.left += plane_cells::<S>(axis(face), side.plane).map(flow).sum::<f64>();
            }
        }
    }

    /// Whether a pressure or a flow of a chunk reaches the threshold.
    pub(super) fn reaches_threshold(&self, slot: Slot) -> bool {
        let audible = self.audible();
        let chunk = self.pressure.chunk_at(slot);
        let flows = self.beside[slot.index()].flows.as_deref();
        chunk.as_dense().map_or(chunk.get(0).abs() >= audible, |cells| reaches(cells, audible))
            || flows.is_some_and(|planes| planes.iter().any(|plane| reaches(plane, audible)))
    }

    /// Absorbs what is in chunks that are inaudible and have no audible neighbour, and lets go of those in which nothing
    /// stands. Next to an audible chunk they are kept: there the front may be about to come through.
    ///
    /// Only awake chunks are asked: a chunk that fades wakes its neighbours. Returns the cells that changed.
    fn fall_silent(&mut self) -> u64 {
        let is_audible = |slot: Slot| self.beside[slot.index()].is_audible;
        let is_near = |slot: Slot| self.chunks_behind(slot).iter().any(|&(_, there)| is_audible(there));
        let awake = self.pressure.awake_slots().iter().copied();
        let mut silent: Vec<Slot> = awake.filter(|&slot| !is_audible(slot) && !is_near(slot)).collect();
        self.pressure.sort_slots(&mut silent);
        silent.into_iter().map(|slot| self.absorb(slot)).sum()
    }

    fn absorb(&mut self, slot: Slot) -> u64 {
        let chunk = self.pressure.chunk_at_mut(slot);
        self.ledger.absorbed += sum_of(chunk);
        let mut changed = CellMask::EMPTY;
        for index in (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != 0.0) {
            changed.insert(index);
        }
        chunk.fill(0.0);
        self.beside[slot.index()].flows = None;
        self.hush_rim(slot);
        if !changed.is_empty() {
            self.pressure.mark_changes_at(slot, &changed);
            for (_, there) in self.chunks_behind(slot) {
                self.pressure.wake_chunk_at(there);
            }
        }
        if self.ground(slot).is_none() {
            let position = self.pressure.position_at(slot);
            if let (Some(changed), false) = (self.pressure.changed_at(slot), self.beside[slot.index()].is_untold) {
                self.gone.entry([position.y, position.z, position.x]).or_default().union_with(changed);
            }
            self.beside[slot.index()] = Beside::default();
            self.pressure.remove(position);
        }
        changed.len() as u64
    }

    /// Puts to sleep and wakes whom the step calls for.
    fn settle(&mut self, stepped: &[Stepped]) -> StepReport {
        let changes: Vec<(Slot, CellMask)> =
            stepped.iter().map(|stepped| (stepped.slot, stepped.changed.clone())).collect();
        front::advance(&mut self.pressure, &changes);
        let mut report = StepReport { visited: (stepped.len() * CHUNK_CELLS) as u64, ..StepReport::default() };
        for Stepped { slot, changed, has_faded } in stepped {
            report.changed += changed.len() as u64;
            self.wake_across_borders(*slot, changed);
            if *has_faded {
                self.pressure.wake_chunk_at(*slot);
                for (_, there) in self.chunks_behind(*slot) {
                    self.pressure.wake_chunk_at(there);
                }
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
