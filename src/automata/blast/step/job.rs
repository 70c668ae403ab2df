//! A step of one chunk: its inputs, ghost cells, the choice of kernel, and the results.

use super::formulas::{diffusive_flux, quantized};
use super::uniform::{self, UniformChunk};
use super::weighted::{Diffusive, Wave};
use crate::automata::blast::field::flows::{ChunkFlows, Conductances};
use crate::automata::blast::field::space::{Beyond, Side, Space, axis, inner_step, plane_cells};
use crate::automata::blast::field::{any_reaches, highest};
use crate::automata::blast::rules::Rule;
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::automata::engine::changes::{Changes, Rows};
use crate::automata::engine::rims::{Rims, rims_of_chunk};
use crate::automata::engine::rows::{RowRule, copy_of};
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::{Grid, Slot};
use crate::simd;
use smallvec::SmallVec;

/// Ghost cells behind a chunk's face, in place of the rim of the grid's neighbour there.
pub(crate) struct Ghost {
    pub(crate) face: Face,
    pub(crate) side: Side,
    pub(crate) values: GhostValues,
}

/// Pressures before the step, in the order of the plane's cells.
pub(crate) enum GhostValues {
    /// At closed faces and rigid borders: each cell's own pressure, so that nothing flows.
    Mirrored,
    /// The saved rim of a chunk behind a periodic border, if that chunk's face is at the border.
    Rim(Slot),
    /// The cells of any other chunk behind a periodic border.
    Cells(Vec<f32>),
}

/// A chunk to step, and the step's results.
pub(crate) struct Job<S: BlastShape> {
    pub(crate) slot: Slot,
    pub(super) ghosts: Vec<Ghost>,
    /// Moved out of the world while the chunk is stepped, like `flows`; a copy if the chunk is
    /// stepped ahead.
    pub(crate) pressure: Chunk<f32>,
    pub(crate) flows: Option<ChunkFlows>,
    pub(crate) changes: Changes,
    /// Whether the chunk has been stepped ahead.
    pub(super) is_ahead: bool,
    /// The chunks behind periodic borders at which cells changed.
    pub(crate) touched_across: SmallVec<[Slot; 4]>,
    /// The number of changed cells in which a wall broke at the start of the step. They are counted
    /// already.
    pub(crate) changed_again: usize,
    /// The rims after the step.
    pub(crate) rims: Box<S::Rims<f32>>,
    /// The outflow across each open border.
    pub(crate) left: SmallVec<[f64; 2]>,
    /// The faded pressure: the sum above 0 and the sum below 0.
    pub(crate) faded: [f64; 2],
    /// The highest absolute value of the pressures after the step.
    pub(crate) highest: f32,
    /// Whether the chunk is audible after the step.
    pub(crate) is_audible: bool,
}

impl<S: BlastShape> Job<S> {
    pub(crate) fn new() -> Self {
        Job {
            slot: Slot::NONE,
            ghosts: Vec::new(),
            pressure: Chunk::uniform(0.0),
            flows: None,
            changes: Changes::default(),
            is_ahead: false,
            touched_across: SmallVec::new(),
            changed_again: 0,
            rims: Box::new(S::uniform_rims(0.0)),
            left: SmallVec::new(),
            faded: [0.0; 2],
            highest: 0.0,
            is_audible: false,
        }
    }
}

/// The memory that a worker needs to step a chunk.
pub(crate) struct Scratch<S: BlastShape> {
    pub(crate) halo: Box<S::Halo<f32>>,
}

impl<S: BlastShape> Scratch<S> {
    pub(crate) fn new() -> Self {
        Scratch { halo: S::uniform_halo(0.0) }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.halo)
    }
}

/// The parts of a world that a step reads, except the stepped chunks.
pub(crate) struct StepInputs<'w, S: BlastShape> {
    pub(crate) rule: Rule,
    pub(crate) audible: f32,
    /// The share of each pressure that remains after the step; the rest fades.
    pub(crate) keep: f32,
    pub(crate) space: &'w Space,
    pub(crate) pressure: &'w Grid<f32, S>,
    pub(crate) rims: &'w Rims<f32, S>,
    /// The places where walls have broken, sorted.
    pub(crate) broken: &'w [(Slot, usize)],
}

impl<S: BlastShape> StepInputs<'_, S> {
    /// Steps a chunk with these conductances, which must be computed.
    pub(crate) fn step_chunk(
        &self,
        job: &mut Job<S>,
        conductances: &Conductances,
        halo: &mut S::Halo<f32>,
    ) {
        let mut changed = CellMask::EMPTY;
        job.left.clear();
        if let Rule::Diffusive { .. } = self.rule {
            self.record_diffusive_outflow(job, conductances);
        }
        self.run_kernel(job, conductances, halo, &mut changed);
        if let Rule::Wave { .. } = self.rule {
            self.record_wave_outflow(job);
        }
        job.faded = self.fade(job.pressure.cells_mut(), &mut changed);
        job.pressure.canonicalize();
        job.changes.summarize::<S>(&changed);
        self.find_touched_across(job, &changed);
        *job.rims = rims_of_chunk::<f32, S>(&job.pressure);
        job.ghosts = Vec::new();
        job.highest = highest(&job.pressure);
        job.is_audible = any_reaches(&job.pressure, job.flows.as_ref(), self.audible);
    }

    fn run_kernel(
        &self,
        job: &mut Job<S>,
        conductances: &Conductances,
        halo: &mut S::Halo<f32>,
        changed: &mut CellMask,
    ) {
        let around = self.rims.around(self.pressure.neighbours_of(job.slot));
        let flows = &mut job.flows;
        let cells = job.pressure.cells_mut();
        let Some(conductances) = conductances.planes() else {
            let rims = self.rims.at(job.slot);
            let ghost = |face: usize| job.ghosts.iter().find(|ghost| ghost.face.index() == face);
            let beyond = core::array::from_fn(|face| match ghost(face) {
                Some(ghost) => self.behind(ghost).unwrap_or(S::rim(rims, face)),
                None => S::rim(around[face], face ^ 1),
            });
            let rims = core::array::from_fn(|face| S::rim(rims, face));
            let chunk = UniformChunk { cells, rims, beyond, changed };
            return uniform::step::<S>(self.rule, chunk, || {
                flows.get_or_insert_default().links_mut::<S>()
            });
        };
        let ghosts = job.ghosts.iter().map(|ghost| (ghost, self.behind(ghost))).collect();
        let chunk = BlastChunk::<S> { around, ghosts, halo, cells };
        match self.rule {
            Rule::Diffusive { .. } => {
                chunk.run(Diffusive { conductances, rows: Rows::new(0.0), changed })
            }
            Rule::Wave { damping, .. } => {
                let flows = flows.get_or_insert_default().faces_mut::<S>();
                let rows = [(); 7].map(|()| Rows::new(0.0));
                chunk.run(Wave { conductances, damping: damping as f32, flows, rows, changed })
            }
        }
    }

    /// Makes each pressure fade, and marks the cells that change. Returns the faded pressure: the
    /// sum above 0 and the sum below 0.
    fn fade(&self, cells: &mut [f32; CHUNK_CELLS], changed: &mut CellMask) -> [f64; 2] {
        let mut sums = [0.0; 2];
        if self.keep == 1.0 {
            return sums;
        }
        for (row, word) in cells.chunks_exact_mut(64).zip(changed.words_mut()) {
            for (x, cell) in row.iter_mut().enumerate() {
                let new = *cell * self.keep + 0.0;
                let lost = f64::from(*cell) - f64::from(new);
                sums[0] += lost.max(0.0);
                sums[1] += lost.min(0.0);
                *word |= u64::from(new != *cell) << x;
                *cell = new;
            }
        }
        sums
    }

    /// Finds the chunks behind periodic borders next to changes, and counts changed cells with
    /// broken walls.
    fn find_touched_across(&self, job: &mut Job<S>, changed: &CellMask) {
        let begin = self.broken.partition_point(|&(slot, _)| slot < job.slot);
        let broken = self.broken[begin..].iter().take_while(|&&(slot, _)| slot == job.slot);
        job.changed_again = broken.filter(|&&(_, index)| changed.contains(index)).count();
        job.touched_across.clear();
        if job.changes.is_empty() {
            return;
        }
        for (face, side) in self.sides_without_neighbours(job.slot) {
            if let Beyond::There(there) = side.beyond
                && side.is_border
                && let Some(there) = self.pressure.slot(there).filter(|&there| there != job.slot)
                && plane_cells::<S>(axis(face), side.plane).any(|index| changed.contains(index))
            {
                job.touched_across.push(there);
            }
        }
    }

    /// Returns the ghost cells behind a face, unless they mirror the chunk's own cells.
    fn behind<'g>(&'g self, ghost: &'g Ghost) -> Option<&'g [f32]> {
        match &ghost.values {
            GhostValues::Mirrored => None,
            GhostValues::Rim(there) => {
                Some(S::rim(self.rims.at(*there), ghost.face.opposite().index()))
            }
            GhostValues::Cells(cells) => Some(cells),
        }
    }

    /// Returns the chunk's faces at open borders, with the cells before each.
    fn open_planes(&self, slot: Slot) -> impl Iterator<Item = (Face, Side)> {
        self.sides_without_neighbours(slot).filter(|(_, side)| side.beyond == Beyond::Open)
    }

    /// Returns the faces without a neighbour in the grid, with what lies behind them.
    fn sides_without_neighbours(&self, slot: Slot) -> impl Iterator<Item = (Face, Side)> {
        let (chunk, neighbours) =
            (self.pressure.position_at(slot), self.pressure.neighbours_of(slot));
        let faces =
            BlastWorld::<S>::FACES.iter().filter(move |face| !neighbours[face.index()].is_some());
        faces.map(move |&face| (face, self.space.side::<S>(chunk, face)))
    }

    /// Records the flow that a step is about to move across open borders, computed exactly as the
    /// kernel does.
    fn record_diffusive_outflow(&self, job: &mut Job<S>, conductances: &Conductances) {
        for (face, side) in self.open_planes(job.slot) {
            let planes = conductances.planes();
            let flow = |index: usize| {
                let here = job.pressure.get(index);
                let conductance = planes
                    .map_or(self.rule.unit_conductance(), |planes| planes[face.index()][index]);
                f64::from(quantized(diffusive_flux(conductance, here, 0.0), here))
            };
            job.left.push(plane_cells::<S>(axis(face), side.plane).map(flow).sum());
        }
    }

    /// Records the flow that a step moved across open borders.
    fn record_wave_outflow(&self, job: &mut Job<S>) {
        for (face, side) in self.open_planes(job.slot) {
            if let Some(flows) = &job.flows {
                let flow = |index: usize| f64::from(flows.at::<S>(face, index));
                job.left.push(plane_cells::<S>(axis(face), side.plane).map(flow).sum());
            }
        }
    }
}

/// A ghost with its values, unless they mirror the chunk's own cells.
type Behind<'a> = (&'a Ghost, Option<&'a [f32]>);

/// A step of a chunk without the rule.
struct BlastChunk<'a, S: BlastShape> {
    /// The rims of the neighbours.
    around: [&'a S::Rims<f32>; 6],
    ghosts: SmallVec<[Behind<'a>; 2]>,
    halo: &'a mut S::Halo<f32>,
    cells: &'a mut [f32; CHUNK_CELLS],
}

impl<S: BlastShape> BlastChunk<'_, S> {
    fn run(self, rule: impl RowRule<f32>) {
        simd::run(Ruled(self, rule));
    }

    fn put_ghosts(&mut self) {
        for (ghost, behind) in &self.ghosts {
            for (at, index) in plane_cells::<S>(axis(ghost.face), ghost.side.plane).enumerate() {
                let value = behind.map_or(self.cells[index], |cells| cells[at]);
                *S::behind(self.halo, index, ghost.face) = value;
            }
        }
    }

    /// Resets the cells behind a border inside the chunk, which are not part of the world, to 0.
    fn clear_outside(&mut self) {
        for (ghost, _) in &self.ghosts {
            let behind = plane_cells::<S>(axis(ghost.face), ghost.side.plane);
            behind
                .filter_map(|index| inner_step::<S>(index, ghost.face))
                .for_each(|index| self.cells[index] = 0.0);
        }
    }
}

/// A step of a chunk by a rule for links of any weight.
struct Ruled<'a, S: BlastShape, R>(BlastChunk<'a, S>, R);

impl<S: BlastShape, R: RowRule<f32>> simd::Kernel for Ruled<'_, S, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Ruled(mut chunk, mut rule) = self;
        S::pad(copy_of(chunk.cells), chunk.around, chunk.halo);
        chunk.put_ghosts();
        S::rows(chunk.halo, chunk.cells, &mut rule);
        chunk.clear_outside();
    }
}
