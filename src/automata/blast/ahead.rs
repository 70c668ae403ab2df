//! Several steps at once of chunks in which, and all around which, nothing happens but the diffusive rule over whole links.

use super::BlastWorld;
use super::flow::diffuse;
use super::planes::Conductances;
use super::rules::Rule;
use super::step::Room;
use super::whole::diffuse_row;
use crate::automata::ahead::{self, Ahead, STEPS, Square, WIDTH};
use crate::automata::rows::{FieldShape, differing, part};
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simd;

impl<S: FieldShape> BlastWorld<S> {
    /// Works out the next [`STEPS`] steps of the chunks around which all are plain. `false` if there are too few.
    pub(super) fn look_ahead(&mut self) -> bool {
        if !matches!(self.rules.rule, Rule::Diffusive { .. }) {
            return false;
        }
        let awake = self.pressure.awake_slots();
        let plain = awake.iter().copied().filter(|&slot| self.is_plain(slot)).collect();
        let mut futures = Ahead::plan(&self.pressure, &plain, awake.len(), 0.0);
        let (pressure, conductance) = (&self.pressure, self.whole());
        self.workers.each(&mut futures, |room: &mut Room<S>, future| {
            let square = &mut **room.square.get_or_insert_with(|| Box::new([0.0; WIDTH * WIDTH]));
            ahead::gather(future.slots.map(|row| row.map(|slot| pressure.chunk_at(slot).into())), square);
            let cells = future.cells.cells_mut();
            let (changed, rims) = (&mut future.changed[..], &mut future.rims[..]);
            simd::run(DiffuseAhead::<S> { conductance, square, cells, changed, rims });
        });
        let any = !futures.is_empty();
        self.ahead.begin(futures);
        any
    }

    /// Whether a chunk that is awake has whole links to chunks on all sides, nothing built in it or beside it, and so much
    /// pressure that it stays audible for [`STEPS`] steps: then it cannot fall silent, nor open a front.
    fn is_plain(&self, slot: Slot) -> bool {
        let beside = &self.beside[slot.index()];
        beside.is_audible
            && beside.ground.is_none()
            && matches!(beside.conductances, Conductances::Whole)
            && self.stays_audible(self.pressure.chunk_at(slot))
            && self.is_amid_chunks(slot)
    }

    /// Whether some cell of a chunk is sure to be audible for [`STEPS`] steps. Pressure goes a cell a step, and is never below
    /// 0: so all that is further than that from the border is still in the chunk, and in some cell there is the mean of it.
    fn stays_audible(&self, chunk: &Chunk<f32>) -> bool {
        let inner = STEPS..64 - STEPS;
        let sum: f32 = match chunk.as_dense() {
            None => chunk.get(0) * (inner.len() * inner.len()) as f32,
            Some(cells) => inner.clone().map(|y| cells[64 * y..][inner.clone()].iter().sum::<f32>()).sum(),
        };
        // Twice as much as is needed, for what the sums are rounded by.
        sum >= 2.0 * self.audible() * CHUNK_CELLS as f32
    }

    /// Whether the world goes on behind all faces of a chunk.
    fn is_amid_chunks(&self, slot: Slot) -> bool {
        let chunk = self.pressure.position_at(slot);
        Self::FACES.iter().all(|&face| !self.space.side::<S>(chunk, face).is_border)
    }

    /// Puts what was worked out in its place, after its last step.
    pub(super) fn catch_up(&mut self) {
        for future in self.ahead.take() {
            self.rims.lose(future.slot());
            let pressure = self.pressure.chunk_at_mut(future.slot());
            *pressure = future.cells;
            pressure.canonicalize();
        }
    }
}

/// The next steps of a chunk under the diffusive rule, where all links are whole and nothing else can happen.
struct DiffuseAhead<'a, S: FieldShape> {
    conductance: f32,
    square: &'a mut Square<f32>,
    /// What the chunk will be.
    cells: &'a mut [f32; CHUNK_CELLS],
    /// By step.
    changed: &'a mut [CellMask],
    /// By step, or none.
    rims: &'a mut [S::Rims<f32>],
}

impl<S: FieldShape> simd::Kernel for DiffuseAhead<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let DiffuseAhead { conductance, square, cells, changed, rims } = self;
        for (step, changed) in changed.iter_mut().enumerate() {
            if let Some(rims) = rims.get_mut(step) {
                ahead::copy_inner(square, cells);
                *rims = S::rims_of(cells);
            }
            let rows = ahead::rows_of_step(step);
            let below = (ahead::row(square, rows.start - 1), ahead::row(square, rows.start));
            let mut upward: [f32; WIDTH] = core::array::from_fn(|x| diffuse(conductance, below.0[x], below.1[x]));
            for y in rows {
                let (here, [_, next, _, up]) = (ahead::row(square, y), ahead::around(square, y));
                let carried = [&mut upward, &mut [0.0; WIDTH]];
                let after = diffuse_row::<WIDTH, 4>(conductance, here, [next, up, up], [0.0; 2], carried);
                if (STEPS..STEPS + 64).contains(&y) {
                    let inner = |row: &[f32; WIDTH]| -> [f32; 64] { *part(row, STEPS) };
                    changed.words_mut()[y - STEPS] = differing(&inner(here), &inner(&after));
                }
                square[WIDTH * y..][..WIDTH].copy_from_slice(&after);
            }
        }
        ahead::copy_inner(square, cells);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Border, Borders, Rules};
    use super::*;
    use crate::coords::{Cube, Face, Region, Sheet};
    use glam::IVec3;

    /// Seven by seven chunks with pressure everywhere.
    fn world<S: FieldShape>(rules: Rules) -> BlastWorld<S> {
        let mut rng = fastrand::Rng::with_seed(4);
        let bounds = Region::new(IVec3::ZERO, S::region_of(IVec3::new(6, 6, 0)).max());
        let mut world = BlastWorld::with_bounds(rules, bounds, Borders::all(Border::Rigid)).unwrap();
        for chunk in Region::new(IVec3::ZERO, IVec3::new(6, 6, 0)).positions() {
            let cells: [f32; CHUNK_CELLS] = core::array::from_fn(|_| 1.0 + rng.f32());
            world.insert_chunk(chunk, Chunk::from_cells(&cells)).unwrap();
        }
        world.step();
        world
    }

    /// The chunks that are worked out ahead.
    fn chosen<S: FieldShape>(world: &mut BlastWorld<S>) -> Vec<IVec3> {
        world.look_ahead();
        let mut chunks: Vec<IVec3> =
            world.ahead.take().iter().map(|future| world.pressure.position_at(future.slot())).collect();
        chunks.sort_by_key(|chunk| (chunk.y, chunk.x));
        chunks
    }

    #[test]
    fn only_chunks_amid_plain_chunks_are_worked_out_ahead() {
        let mut open = world::<Sheet>(Rules::default());
        let mut inner: Vec<IVec3> = (2..5).flat_map(|y| (2..5).map(move |x| IVec3::new(x, y, 0))).collect();
        assert_eq!(chosen(&mut open), inner, "neither at a border nor beside one that is");

        // The link is of the chunk at 1, 1 and the one east of it.
        open.set_link(IVec3::new(127, 100, 0), Face::East, 0.5).unwrap();
        inner.retain(|chunk| ![[2, 2], [3, 2]].contains(&[chunk.x, chunk.y]));
        assert_eq!(chosen(&mut open), inner, "nor beside a link of its own");

        let mut faint = world::<Sheet>(Rules { threshold: 1.0, ..Rules::default() });
        assert_eq!(chosen(&mut faint), [], "the mean might fall silent");
        assert_eq!(chosen(&mut world::<Sheet>(Rules::wave(0.25, 0.9))), []);
        assert_eq!(chosen(&mut world::<Cube>(Rules::diffusive(0.15))), []);
    }
}
