//! Several steps of many chunks in one go, row by row of cells: step s of a row soon follows step s
//! − 1 of the row after it. So a world larger than the cache is read and written once for several
//! steps. This is wavefront blocking in time (Lamport, "The parallel execution of DO loops", 1974;
//! Wonnacott, "Using time skewing to eliminate idle time due to memory bandwidth and
//! network limitations", 2000), and leaves less to be fetched than the tiles of
//! [`skew`](crate::automata::skew), as long as the rows that are underway fit the second-level
//! cache: those of pressures do, which a step needs nothing else for.
//!
//! Rows are numbered along y, and wave w does step s of row w − s, for all steps: the smallest s
//! first, for what it does step s + 1 needs. Along x a wave may take chunks in any order, because
//! what it does of one touches nothing that it does of another: what a chunk shows to those beside
//! it is kept by wave.
//!
//! Threads each have a band of rows of chunks. A band that begins at row b, above another, first
//! does of wave b + v the steps up to v/2, which need nothing from below b. The steps above v/2 are
//! done afterwards, by whoever goes on from the band below; what that needs of rows which are
//! further by then is kept (see [`Seam`](super::lane::Seam)). Where y is periodic, a band may
//! lie above itself.
//!
//! All chunks are stepped. Who of them is awake in which step is told afterwards, from what
//! changed: a step leaves as it is what sleeps.

use super::lane::Lane;
use super::strip::{Chunks, Phase, Strip};
use crate::automata::shape::FieldShape;
use crate::automata::workers::Workers;
use crate::chunk::Chunk;
use crate::grid::{Grid, Slot};
use core::ops::Range;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Rows of cells in a chunk.
pub(super) const ROWS: usize = 64;

/// The most steps in one go: bands of two rows of chunks are high enough for them.
pub(super) const MOST_STEPS: usize = 16;

/// So many of them are done even if the world is so wide that the rows underway are too many for
/// the cache.
const FEWEST_STEPS: usize = 8;

/// Rows of cells that are underway at a time, each in one chunk, at most: half a kilobyte of each,
/// with what flows out of it. See `benches/README.md`.
const UNDERWAY: usize = 2560;

/// What lies behind a face of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// A chunk that is stepped: which of all, and which of its row of chunks.
    Member { number: u32, at: u32 },
    /// Each cell sees itself.
    Wall,
}

/// A chunk to step.
struct Place {
    slot: Slot,
    is_awake: bool,
    /// By face.
    around: [Neighbour; 4],
}

/// Rows of chunks that follow one another along y: the numbers of the chunks in each, in the order
/// of x.
struct Run {
    rows: Vec<Range<u32>>,
    /// The first row follows the last one.
    is_ring: bool,
    /// Rows that lie in one band.
    bands: Vec<Range<usize>>,
}

/// The chunks to step, and the bands in which that is done.
pub(super) struct Plan {
    places: Vec<Place>,
    steps: usize,
    runs: Vec<Run>,
}

impl Plan {
    /// What there is to do for some steps of these chunks, in order of position, by so many
    /// threads; for [`MOST_STEPS`] at most. `behind` gives the chunks behind the faces of each,
    /// or none where there is a wall; if rows of chunks are rings, their last chunk lies before
    /// their first one along y.
    pub(super) fn new<S: FieldShape>(
        grid: &Grid<f32, S>,
        slots: &[Slot],
        steps: u64,
        threads: usize,
        behind: impl Fn(Slot) -> [Option<Slot>; 4],
        are_rings: bool,
    ) -> Self {
        let mut rows = BTreeMap::<[i32; 2], Vec<Slot>>::new();
        for &slot in slots {
            let chunk = grid.position_at(slot);
            rows.entry([chunk.z, chunk.y]).or_default().push(slot);
        }
        let widest = rows.values().map(Vec::len).max().unwrap_or(1);
        let most = (UNDERWAY / widest).clamp(FEWEST_STEPS, MOST_STEPS) as u64;
        // There are no more chunks than slots, of which there are fewer than 2³²−1.
        let mut seats = HashMap::<Slot, Neighbour>::new();
        let (mut members, mut runs, mut last) = (Vec::new(), Vec::<Run>::new(), None);
        for (&[z, y], row) in &rows {
            let first = members.len() as u32;
            for (&slot, at) in row.iter().zip(0..) {
                seats.insert(slot, Neighbour::Member { number: first + at, at });
            }
            members.extend_from_slice(row);
            if last != Some([z, y - 1]) {
                runs.push(Run { rows: Vec::new(), is_ring: are_rings, bands: Vec::new() });
            }
            last = Some([z, y]);
            runs.last_mut().expect("one has begun").rows.push(first..members.len() as u32);
        }
        for run in &mut runs {
            run.bands = run.in_bands(members.len().div_ceil(threads));
        }
        let seat = |there: Option<Slot>| there.map_or(Neighbour::Wall, |there| seats[&there]);
        let place = |&slot: &Slot| Place {
            slot,
            is_awake: grid.awake_at(slot).is_some(),
            around: behind(slot).map(seat),
        };
        Plan { places: members.iter().map(place).collect(), steps: steps.min(most) as usize, runs }
    }

    /// Whether so many threads would have nothing to do for a fifth of the time at most, waiting
    /// for the largest band.
    pub(super) fn occupies(&self, threads: usize) -> bool {
        let bands =
            self.runs.iter().flat_map(|run| run.bands.iter().map(|band| run.chunks_of(band)));
        let largest = bands.max().unwrap_or(0);
        4 * largest.max(self.places.len().div_ceil(threads)) * threads <= 5 * self.places.len()
    }

    /// The chunks to step.
    pub(super) fn slots(&self) -> Vec<Slot> {
        self.places.iter().map(|place| place.slot).collect()
    }

    /// How many steps are done.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Steps the chunks, with the pressures given, all in the order of [`slots`](Plan::slots).
    pub(super) fn run<W: Send>(
        &self,
        conductance: f32,
        workers: &mut Workers<W>,
        pressures: Vec<Chunk<f32>>,
    ) -> Vec<Lane> {
        let mut bands = self.bands(pressures);
        workers.each_large(&mut bands, |_, strip| strip.run(conductance, self.steps));
        let mut bands = bands.into_iter().map(|strip| strip.rows);
        let mut stepped = Vec::with_capacity(self.places.len());
        for run in &self.runs {
            let mut rows: Vec<Chunks> = bands.by_ref().take(run.bands.len()).flatten().collect();
            let around: Vec<[usize; 2]> = run.borders().collect();
            let take =
                |around: &[usize; 2]| around.map(|row| core::mem::take(&mut rows[row])).into();
            let mut borders: Vec<_> =
                around.iter().map(take).map(|rows| Strip { rows, phase: Phase::Border }).collect();
            workers.each_large(&mut borders, |_, strip| strip.run(conductance, self.steps));
            for (row, chunks) in
                around.iter().flatten().zip(borders.into_iter().flat_map(|strip| strip.rows))
            {
                rows[*row] = chunks;
            }
            stepped.extend(
                rows.into_iter().flatten().map(|lane| *lane.expect("no strip is underway")),
            );
        }
        stepped
    }

    /// The bands of all runs.
    fn bands(&self, pressures: Vec<Chunk<f32>>) -> Vec<Strip> {
        let mut members = self.places.iter().zip(pressures);
        let mut bands = Vec::new();
        for run in &self.runs {
            for (number, band) in run.bands.iter().enumerate() {
                let phase = Phase::Band {
                    goes_on_below: run.is_ring || number > 0,
                    goes_on_above: run.is_ring || number + 1 < run.bands.len(),
                };
                let lane =
                    |(place, pressure): (&Place, _)| Lane::new(pressure, place.around, self.steps);
                let lanes = |row: &Range<u32>| {
                    members.by_ref().take(row.len()).map(lane).map(Box::new).map(Some).collect()
                };
                bands.push(Strip {
                    rows: run.rows[band.clone()].iter().map(lanes).collect(),
                    phase,
                });
            }
        }
        bands
    }

    /// Goes once more over the steps that were done. `enter` is told of each chunk that was awake
    /// in a step how many of its cells changed. Returns who is awake after the last step.
    pub(super) fn replay(&self, lanes: &[Lane], mut enter: impl FnMut(u32)) -> Vec<bool> {
        let mut awake: Vec<bool> = self.places.iter().map(|place| place.is_awake).collect();
        for step in 0..self.steps {
            let before = core::mem::replace(&mut awake, vec![false; lanes.len()]);
            for (number, was_awake) in before.into_iter().enumerate() {
                let stepped = &lanes[number].steps[step];
                if !was_awake {
                    debug_assert_eq!(stepped.changed, 0, "what sleeps stays as it is");
                    continue;
                }
                enter(stepped.changed);
                awake[number] |= stepped.changed > 0;
                for (neighbour, touched) in self.places[number].around.iter().zip(stepped.touched())
                {
                    if let (&Neighbour::Member { number, .. }, true) = (neighbour, touched) {
                        awake[number as usize] = true;
                    }
                }
            }
        }
        awake
    }
}

impl Run {
    /// The rows in bands of about so many chunks, two rows high at least.
    fn in_bands(&self, chunks: usize) -> Vec<Range<usize>> {
        let count = (self.chunks_of(&(0..self.rows.len())) / chunks.max(1))
            .clamp(1, (self.rows.len() / 2).max(1));
        (0..count)
            .map(|band| band * self.rows.len() / count..(band + 1) * self.rows.len() / count)
            .collect()
    }

    fn chunks_of(&self, band: &Range<usize>) -> usize {
        self.rows[band.clone()].iter().map(|row| row.len()).sum()
    }

    /// The rows of chunks below and above each border between bands.
    fn borders(&self) -> impl Iterator<Item = [usize; 2]> {
        let above = self.bands.iter().map(|band| band.start).skip(usize::from(!self.is_ring));
        above.map(|above| [(above + self.rows.len() - 1) % self.rows.len(), above])
    }
}
