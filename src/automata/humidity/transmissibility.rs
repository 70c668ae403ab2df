//! Transmissibilities: the part of a difference in humidity that flows across a face in a step,
//! derived from the ground for the conservative sweep.

use super::HumidityShape;
use super::cell::Ground;
use super::store::Store;
use crate::automata::engine::rows::{RowRule, part};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use crate::simd::Aligned;
use smallvec::SmallVec;

/// The transmissibilities of the faces of a chunk's cells, in 1/2³².
#[derive(Clone)]
pub(super) struct Transmissibilities<S: HumidityShape> {
    /// Towards east, up and in cubes south; 0 at the chunk's faces.
    pub(super) inner: SmallVec<[Inner; 3]>,
    /// Across the chunk's faces.
    pub(super) outer: S::Rims<u32>,
    /// Cells before a draining border, in index order.
    pub(super) drains: Vec<Drain>,
    pub(super) rain: CellMask,
    /// Rain and rock, which the cap does not touch.
    pub(super) held: CellMask,
}

/// The transmissibilities of a chunk's cells along an axis, by rows. Rows that are alike, as most
/// are in ground of layers, are kept once.
#[derive(Clone)]
pub(super) struct Inner {
    /// Rows of the chunk's width one after another; the first is of zeros.
    rows: Vec<Aligned<[u32; 64]>>,
    /// How many rows there are.
    count: u16,
    /// By row of the chunk, its place in `rows`.
    places: [u16; CHUNK_CELLS / 16],
}

impl Default for Inner {
    fn default() -> Inner {
        Inner { rows: vec![Aligned([0; 64])], count: 1, places: [0; CHUNK_CELLS / 16] }
    }
}

impl Inner {
    /// Returns the row that begins at an index.
    #[inline(always)]
    pub(super) fn row<const W: usize>(&self, first: usize) -> &[u32; W] {
        self.at(self.places[first / W])
    }

    #[inline(always)]
    fn at<const W: usize>(&self, place: u16) -> &[u32; W] {
        let cell = usize::from(place) * W;
        part(&self.rows[cell / 64].0, cell % 64)
    }

    /// Sets the row that begins at an index; `plane` is the number of cells of a plane.
    fn set<const W: usize>(&mut self, first: usize, plane: usize, row: &[u32; W]) {
        let number = first / W;
        let before = [1, plane / W].map(|back| number.checked_sub(back));
        let known = before.into_iter().flatten().map(|number| self.places[number]);
        let known = known.chain([0]).find(|&place| self.at(place) == row);
        self.places[number] = known.unwrap_or_else(|| self.add(row));
    }

    /// Adds a row and returns its place.
    fn add<const W: usize>(&mut self, row: &[u32; W]) -> u16 {
        let place = self.count;
        let cell = usize::from(place) * W;
        if cell / 64 == self.rows.len() {
            self.rows.push(Aligned([0; 64]));
        }
        self.rows[cell / 64].0[cell % 64..][..W].copy_from_slice(row);
        self.count += 1;
        place
    }

    fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Aligned<[u32; 64]>>()
    }
}

/// A face of a cell at a draining border.
#[derive(Clone, Copy)]
pub(super) struct Drain {
    pub(super) index: u16,
    /// Behind which the border lies.
    pub(super) face: Face,
    pub(super) transmissibility: u32,
}

impl<S: HumidityShape> Transmissibilities<S> {
    pub(super) fn of(store: &Store<S>, slot: Slot, coefficient: f64) -> Box<Self> {
        let mut faces = Box::new(Transmissibilities {
            inner: (0..S::NEIGHBOURS / 2).map(|_| Inner::default()).collect(),
            outer: S::uniform_rims(0),
            drains: Vec::new(),
            rain: CellMask::EMPTY,
            held: CellMask::EMPTY,
        });
        let mut unused = Box::new([0; CHUNK_CELLS]);
        let mut rule = TransmissibilityRule { faces: &mut faces, links: Links::of(coefficient) };
        S::rows(&store.ground_halo(slot), &mut unused, &mut rule);
        faces.inner.iter_mut().for_each(|inner| inner.rows.shrink_to_fit());
        faces
    }

    /// Bytes on the heap, including its own.
    pub(super) fn memory_bytes(&self) -> usize {
        let inner = self.inner.iter().map(Inner::memory_bytes).sum::<usize>();
        size_of::<Self>() + inner + self.drains.capacity() * size_of::<Drain>()
    }
}

/// Computes the transmissibilities of a chunk from its ground.
struct TransmissibilityRule<'a, S: HumidityShape> {
    faces: &'a mut Transmissibilities<S>,
    links: Links,
}

/// Transmissibilities between two cells. Neighbours mostly are of the same ground as the two
/// before, of which the last result is kept.
pub(super) struct Links {
    coefficient: f64,
    /// Two words of ground, and their transmissibility.
    last: (u32, u32, u32),
}

impl Links {
    pub(super) fn of(coefficient: f64) -> Links {
        Links { coefficient, last: (Ground::WALL.0, Ground::WALL.0, 0) }
    }

    /// Returns the transmissibility between two cells. Symmetric, as a sum of two numbers does not
    /// depend on their order.
    #[inline(always)]
    pub(super) fn between(&mut self, here: u32, there: u32) -> u32 {
        if self.last.0 != here || self.last.1 != there {
            self.last = (here, there, transmissibility(self.coefficient, here, there));
        }
        self.last.2
    }
}

fn transmissibility(coefficient: f64, here: u32, there: u32) -> u32 {
    let (here, there) = (Ground(here), Ground(there));
    if here.is_rock() || there.is_rock() {
        return 0;
    }
    let sum = f64::from(here.impermeability()) + f64::from(there.impermeability());
    // Rounded down. The rules limit it to an eighth or a twelfth, so that those of a cell add up to
    // at most a half.
    (coefficient * 2.0 / sum * (1u64 << 32) as f64) as u32
}

impl<S: HumidityShape> RowRule<u32> for TransmissibilityRule<'_, S> {
    fn row<const W: usize, const N: usize>(
        &mut self,
        first: usize,
        here: &[u32; W],
        around: [&[u32; W]; N],
        _cells: &mut [u32; W],
    ) {
        let mask = |is_in: fn(Ground) -> bool| {
            here.iter().rev().fold(0, |bits, &word| bits << 1 | u64::from(is_in(Ground(word))))
        };
        let (rain, rock) = (mask(Ground::is_rain), mask(Ground::is_rock));
        let (word, shift) = (first / 64, first % 64);
        self.faces.rain.words_mut()[word] |= rain << shift;
        self.faces.held.words_mut()[word] |= (rain | rock) << shift;
        if rock == u64::MAX >> (64 - W) {
            // Nothing passes any of its faces.
            return;
        }
        for (&face, side) in Face::ALL.iter().zip(around) {
            self.link::<W>(face, first, here, side);
        }
        for (x, &ground) in here.iter().enumerate() {
            for (&face, side) in Face::ALL.iter().zip(around) {
                if side[x] == Ground::DRAIN.0 {
                    // Beyond a draining border lies soil as impermeable as this cell.
                    self.faces.drains.push(Drain {
                        index: (first + x) as u16,
                        face,
                        transmissibility: self.links.between(ground, ground),
                    });
                }
            }
        }
    }
}

impl<S: HumidityShape> TransmissibilityRule<'_, S> {
    /// Notes the transmissibilities of a row's cells across a face.
    #[inline(always)]
    fn link<const W: usize>(&mut self, face: Face, first: usize, here: &[u32; W], side: &[u32; W]) {
        let TransmissibilityRule { faces, links } = self;
        let number = face.index();
        let (plane, row) = (S::STRIDES[1], first / W);
        match face {
            Face::West => {
                S::rim_mut(&mut faces.outer, number)[row] = links.between(here[0], side[0])
            }
            Face::East => {
                let mut inner = [0; W];
                for x in 0..W - 1 {
                    inner[x] = links.between(here[x], side[x]);
                }
                faces.inner[0].set(first, plane, &inner);
                let last = links.between(here[W - 1], side[W - 1]);
                S::rim_mut(&mut faces.outer, number)[row] = last;
            }
            _ if S::FACE_CELLS[number].contains(first) => {
                let along = if number / 2 == 1 { first % plane } else { first / plane * W };
                let outer = &mut S::rim_mut(&mut faces.outer, number)[along..][..W];
                for x in 0..W {
                    outer[x] = links.between(here[x], side[x]);
                }
            }
            Face::Up | Face::South => {
                let mut inner = [0; W];
                for x in 0..W {
                    inner[x] = links.between(here[x], side[x]);
                }
                faces.inner[number / 2].set(first, plane, &inner);
            }
            Face::Down | Face::North => {}
        }
    }
}
