//! The weighted mean of a cell and its neighbours, in `f32`: the original's formula, synchronous
//! (Jacobi) and in place (Gauss–Seidel).
//!
//! With `h` and `i` the cell's humidity and impermeability, and `h1`, `i1` … the values of its
//! neighbours at x − 1, x + 1, y − 1, y + 1 (z − 1, z + 1), in this order of operations:
//!
//! ```text
//! r = (h·i + h1/i1 + h2/i2 + h3/i3 + h4/i4) / (i + 1/i1 + 1/i2 + 1/i3 + 1/i4)
//! ```
//!
//! The cap limits `r`. Each quotient `h/i` is computed once for each cell, and each denominator
//! once after an edit: the same operations in the same order give the same bits.

use crate::automata::engine::changes::Rows;
use crate::automata::engine::rims::rims_of_chunk;
use crate::automata::engine::rows::{RowRule, part};
use crate::automata::humidity::HumidityShape;
use crate::automata::humidity::cell::Ground;
use crate::automata::humidity::step::job::{Job, Scratch};
use crate::automata::humidity::store::{Store, words};
use crate::chunk::CellMask;
use crate::coords::CHUNK_CELLS;
use crate::grid::Slot;
use crate::simd;

/// The mark of a cell that steps leave unchanged, stored in place of a denominator, which is
/// positive.
const HELD: u32 = 0;

/// Returns the bits of `h/i` at the faces of a chunk.
pub(in crate::automata::humidity) fn rims_of<S: HumidityShape>(
    store: &Store<S>,
    slot: Slot,
) -> S::Rims<u32> {
    let moisture = rims_of_chunk::<u32, S>(store.moisture.chunk_at(slot));
    let ground = store.ground_at(slot).rims::<S>();
    S::zip_rims(&moisture, &ground, quotient)
}

/// Steps a chunk with these denominators. `around` are the rims of the chunk's neighbours.
pub(in crate::automata::humidity) fn step_chunk<S: HumidityShape, const IN_PLACE: bool>(
    store: &Store<S>,
    denominators: &[u32; CHUNK_CELLS],
    cap: f32,
    around: [&S::Rims<u32>; 6],
    scratch: &mut Scratch<S>,
    job: &mut Job<S>,
    changed: &mut CellMask,
) {
    let ground = store.ground_at(job.slot).words();
    let ground = words(&ground, &mut scratch.ground);
    let constants = Constants { ground, denominators, cap };
    let rims = &mut **job.rims.get_or_insert_with(|| Box::new(S::uniform_rims(0)));
    let cells = job.moisture.cells_mut();
    let halo = &mut scratch.halo;
    simd::run(MeanChunk::<S, IN_PLACE> { constants, around, halo, cells, changed, rims });
}

/// A step of a chunk.
struct MeanChunk<'a, S: HumidityShape, const IN_PLACE: bool> {
    constants: Constants<'a>,
    /// The rims of the neighbours.
    around: [&'a S::Rims<u32>; 6],
    halo: &'a mut S::Halo<u32>,
    cells: &'a mut [u32; CHUNK_CELLS],
    changed: &'a mut CellMask,
    /// The chunk's rims after the step.
    rims: &'a mut S::Rims<u32>,
}

impl<S: HumidityShape, const IN_PLACE: bool> simd::Kernel for MeanChunk<'_, S, IN_PLACE> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let MeanChunk { constants, around, halo, cells, changed, rims } = self;
        let quotients = |first: usize, row: &mut [u32]| {
            let (words, ground) =
                (&cells[first..][..row.len()], &constants.ground[first..][..row.len()]);
            for x in 0..row.len() {
                row[x] = quotient(words[x], ground[x]);
            }
        };
        S::pad(quotients, around, halo);
        let rows = Rows::new(0);
        if IN_PLACE {
            let plane = S::STRIDES[1];
            let mut rule =
                InPlace { constants, rows, changed, plane, down: [0; 256], north: [0; 64] };
            S::rows(halo, cells, &mut rule);
        } else {
            S::rows(halo, cells, &mut Synchronous { constants, rows, changed });
        }
        *rims = S::zip_rims(&S::rims_of(cells), &S::rims_of(constants.ground), quotient);
    }
}

/// Returns the bits of `h/i`.
#[inline(always)]
fn quotient(word: u32, ground: u32) -> u32 {
    (f32::from_bits(word) / Ground(ground).impermeability()).to_bits()
}

/// Computes the bits of the denominators of a chunk's cells, or [`HELD`].
pub(in crate::automata::humidity) fn denominators<S: HumidityShape>(
    store: &Store<S>,
    slot: Slot,
) -> Box<[u32; CHUNK_CELLS]> {
    let mut denominators = Box::new([HELD; CHUNK_CELLS]);
    simd::run(DenominatorsChunk::<S> {
        halo: &store.ground_halo(slot),
        denominators: &mut denominators,
    });
    denominators
}

/// Computes the denominators of a chunk from its ground with a halo.
struct DenominatorsChunk<'a, S: HumidityShape> {
    halo: &'a S::Halo<u32>,
    denominators: &'a mut [u32; CHUNK_CELLS],
}

impl<S: HumidityShape> simd::Kernel for DenominatorsChunk<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        S::rows(self.halo, self.denominators, &mut Denominators);
    }
}

struct Denominators;

impl RowRule<u32> for Denominators {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        _first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        cells: &mut [u32; W],
    ) {
        for x in 0..W {
            let ground = Ground(here[x]);
            let impermeability = ground.impermeability();
            let mut sum = impermeability;
            for side in around {
                let beyond = Ground(side[x]);
                // Beyond a draining border lies soil as impermeable as this cell.
                let i =
                    if beyond == Ground::DRAIN { impermeability } else { beyond.impermeability() };
                sum += 1.0 / i;
            }
            cells[x] = if ground.is_rain() || ground.is_rock() { HELD } else { sum.to_bits() };
        }
    }
}

/// The data that steps do not change.
#[derive(Clone, Copy)]
struct Constants<'a> {
    ground: &'a [u32; CHUNK_CELLS],
    denominators: &'a [u32; CHUNK_CELLS],
    cap: f32,
}

/// Returns the mean from the quotients around a cell, in order; the cell's own word if it is held.
#[inline(always)]
fn mean<const N: usize>(
    word: u32,
    impermeability: f32,
    quotients: [u32; N],
    denominator: u32,
    cap: f32,
) -> u32 {
    let sum = quotients
        .into_iter()
        .fold(f32::from_bits(word) * impermeability, |sum, q| sum + f32::from_bits(q));
    let mean = sum / f32::from_bits(denominator);
    let capped = if mean > cap { cap } else { mean };
    if denominator == HELD { word } else { capped.to_bits() }
}

struct Synchronous<'a> {
    constants: Constants<'a>,
    rows: Rows<u32>,
    changed: &'a mut CellMask,
}

impl RowRule<u32> for Synchronous<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        _here: &[u32; W],
        around: [&[u32; W]; N],
        cells: &mut [u32; W],
    ) {
        let ground: &[u32; W] = part(self.constants.ground, first);
        let denominators: &[u32; W] = part(self.constants.denominators, first);
        let cap = self.constants.cap;
        let before = *cells;
        // The row is computed in an array of its own. Stores to the chunk would be masked, to spare
        // held cells, and reading masked stores back for the comparison stalls until they have
        // reached the cache.
        let mut after = [0; W];
        for x in 0..W {
            let impermeability = Ground(ground[x]).impermeability();
            after[x] =
                mean(before[x], impermeability, around.map(|side| side[x]), denominators[x], cap);
        }
        self.rows.mark(first, &before, &after, self.changed);
        *cells = after;
    }
}

struct InPlace<'a> {
    constants: Constants<'a>,
    rows: Rows<u32>,
    changed: &'a mut CellMask,
    /// The number of cells in a plane of equal y.
    plane: usize,
    /// The new quotients of the plane below, cell by cell, and of the row to the north.
    down: [u32; 256],
    north: [u32; 64],
}

impl RowRule<u32> for InPlace<'_> {
    #[inline(always)]
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        cells: &mut [u32; W],
    ) {
        let Constants { ground, denominators, cap } = self.constants;
        let (ground, denominators) =
            (part::<_, W>(ground, first), part::<_, W>(denominators, first));
        let in_plane = first % self.plane;
        if first < self.plane {
            self.down[in_plane..][..W].copy_from_slice(around[2]);
        }
        if N == 6 && in_plane == 0 {
            self.north[..W].copy_from_slice(around[4]);
        }
        let before = *cells;
        let mut west = around[0][0];
        for x in 0..W {
            let mut quotients = around.map(|side| side[x]);
            quotients[0] = west;
            quotients[2] = self.down[in_plane + x];
            if N == 6 {
                quotients[4] = self.north[x];
            }
            let impermeability = Ground(ground[x]).impermeability();
            cells[x] = mean(before[x], impermeability, quotients, denominators[x], cap);
            west = if denominators[x] == HELD { here[x] } else { quotient(cells[x], ground[x]) };
            self.down[in_plane + x] = west;
            self.north[x] = west;
        }
        self.rows.mark(first, &before, cells, self.changed);
    }
}
