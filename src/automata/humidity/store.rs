//! The cells of a world: a word of humidity and a word of ground for each, and the ground beyond
//! the bounds.

use super::HumidityShape;
use super::cell::Ground;
use super::plane::Plane;
use super::rules::{Border, Rules};
use super::sweep::Sweep;
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face, Region};
use crate::grid::{Grid, Slot};
use glam::IVec3;
use hashbrown::{HashMap, HashSet};

/// The cells of a world. A missing chunk is dry rock, and so are the cells of a chunk that lie
/// beyond the bounds; but cells beyond a draining border have the ground [`Ground::DRAIN`].
pub(super) struct Store<S: HumidityShape> {
    pub(super) sweep: Sweep,
    pub(super) bounds: Region,
    borders: [Border; 6],
    pub(super) moisture: Grid<u32, S>,
    /// The ground, by slot. For the weighted mean the planes are of words, which the steps read.
    ground: Vec<Plane>,
    /// The chunks that stand still, loaded or not.
    still: HashSet<ChunkPos>,
    /// The fed cells by chunk, in index order. They are not part of the state: the owner of the
    /// world derives them.
    fed: HashMap<Slot, Box<[Fed]>>,
}

/// A cell with a source beside it that keeps it full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fed {
    pub(crate) index: u16,
    /// The units in the full cell. A step does not lower the cell below this number, or below its
    /// own units if it holds fewer.
    pub(crate) full: u32,
}

impl<S: HumidityShape> Store<S> {
    pub(super) fn new(rules: &Rules, bounds: Region) -> Self {
        Store {
            sweep: rules.sweep,
            bounds,
            borders: rules.borders,
            moisture: Grid::new(rules.sweep.word_of(0.0)),
            ground: Vec::new(),
            still: HashSet::new(),
            fed: HashMap::new(),
        }
    }

    pub(super) fn ground_at(&self, slot: Slot) -> &Plane {
        &self.ground[slot.index()]
    }

    /// Makes copies of a chunk share its arrays until the arrays are written.
    #[cfg(feature = "store")]
    pub(super) fn share(&mut self, slot: Slot) {
        self.moisture.chunk_at_mut(slot).share();
        self.ground[slot.index()].share();
    }

    pub(super) fn ground_of(&self, slot: Slot, index: usize) -> Ground {
        self.ground_at(slot).get(index)
    }

    pub(super) fn word_of(&self, slot: Slot, index: usize) -> u32 {
        self.moisture.chunk_at(slot).get(index)
    }

    pub(super) fn set_ground(&mut self, slot: Slot, index: usize, ground: Ground) {
        self.ground[slot.index()].set(index, ground);
    }

    /// Adds a missing chunk. Returns `None` if its cells have no `i32` positions.
    pub(super) fn insert(
        &mut self,
        position: ChunkPos,
        moisture: Chunk<u32>,
        ground: Plane,
    ) -> Option<Slot> {
        self.moisture.insert(position, moisture).ok()?;
        let slot = self.moisture.slot(position)?;
        if self.ground.len() <= slot.index() {
            self.ground.resize(slot.index() + 1, Plane::uniform(Ground::WALL));
        }
        self.ground[slot.index()] = ground;
        if self.is_still(position) {
            self.moisture.shelve(&[slot]);
        }
        Some(slot)
    }

    /// Returns a plane of these words, in the form that the sweep reads.
    pub(super) fn plane_of(&self, mut ground: Chunk<u32>) -> Plane {
        ground.canonicalize();
        match self.sweep {
            Sweep::Conservative => Plane::packed(ground),
            Sweep::InPlace | Sweep::Synchronous => Plane::Words(ground),
        }
    }

    /// Removes a chunk and returns its humidity and ground.
    pub(super) fn remove(&mut self, position: ChunkPos) -> Option<(Chunk<u32>, Plane)> {
        let slot = self.moisture.slot(position)?;
        self.fed.remove(&slot);
        let moisture = self.moisture.remove(position)?;
        let wall = Plane::uniform(Ground::WALL);
        let ground = core::mem::replace(&mut self.ground[slot.index()], wall);
        Some((moisture, ground))
    }

    /// Returns the cells of a chunk that are fed, in index order.
    pub(super) fn fed_at(&self, slot: Slot) -> &[Fed] {
        self.fed.get(&slot).map_or(&[], |fed| fed)
    }

    /// Sets the fed cells of a chunk, in index order.
    pub(super) fn set_fed(&mut self, slot: Slot, fed: Vec<Fed>) {
        if fed.is_empty() {
            self.fed.remove(&slot);
        } else {
            self.fed.insert(slot, fed.into());
        }
    }

    /// Returns whether a chunk stands still.
    pub(super) fn is_still(&self, chunk: ChunkPos) -> bool {
        !self.still.is_empty() && self.still.contains(&chunk)
    }

    pub(super) fn set_still(&mut self, chunk: ChunkPos, is_still: bool) {
        match is_still {
            true => _ = self.still.insert(chunk),
            false => _ = self.still.remove(&chunk),
        }
    }

    /// Returns whether nothing passes a face of a chunk because the chunk or the chunk behind the
    /// face stands still.
    pub(super) fn is_parted(&self, chunk: ChunkPos, face: Face) -> bool {
        let behind = chunk.step(face);
        !self.still.is_empty()
            && (self.is_still(chunk) || behind.is_some_and(|behind| self.is_still(behind)))
    }

    /// Returns the ground of a cell beyond the bounds, as its neighbour inside the bounds reads it.
    pub(super) fn ground_outside(&self, cell: IVec3) -> Ground {
        let bounds = self.bounds;
        let (under, over) = (cell.cmplt(bounds.min()), cell.cmpgt(bounds.max()));
        let beyond = [under.x, over.x, under.y, over.y, under.z, over.z];
        let face = Face::ALL.into_iter().find(|face| beyond[face.index()]);
        face.map_or(Ground::WALL, |face| self.border(face))
    }

    fn border(&self, face: Face) -> Ground {
        match self.borders[face.index()] {
            Border::Wall => Ground::WALL,
            Border::Drain => Ground::DRAIN,
        }
    }

    /// Returns whether all cells of a chunk are inside the bounds.
    pub(super) fn holds_all(&self, chunk: ChunkPos) -> bool {
        let region = S::region_of(chunk);
        self.bounds.intersection(&region) == Some(region)
    }

    /// Returns whether a border of the world may drain.
    pub(super) fn may_drain(&self) -> bool {
        self.borders.contains(&Border::Drain)
    }

    /// Returns the ground behind a face of a chunk without a neighbour there.
    fn ground_behind(&self, chunk: ChunkPos, face: Face) -> Ground {
        let region = S::region_of(chunk);
        let axis = face.index() / 2;
        let ends = match face {
            Face::West | Face::Down | Face::North => region.min()[axis] <= self.bounds.min()[axis],
            Face::East | Face::Up | Face::South => region.max()[axis] >= self.bounds.max()[axis],
        };
        if ends { self.border(face) } else { Ground::WALL }
    }

    /// Returns the chunk behind a face of a chunk, given the chunk's neighbour there. If there is
    /// no neighbour, or one of the two chunks stands still, returns the ground of all cells behind
    /// the face.
    pub(super) fn beyond(&self, slot: Slot, neighbour: Slot, face: Face) -> Result<Slot, Ground> {
        let chunk = self.moisture.position_at(slot);
        match neighbour {
            Slot::NONE => Err(self.ground_behind(chunk, face)),
            _ if self.is_parted(chunk, face) => Err(Ground::WALL),
            neighbour => Ok(neighbour),
        }
    }

    /// Returns the ground of a chunk and of the cells around it.
    pub(super) fn ground_halo(&self, slot: Slot) -> Box<S::Halo<u32>> {
        let neighbours = self.moisture.neighbours_of(slot);
        let rims: [S::Rims<u32>; 6] = core::array::from_fn(|face| {
            match self.beyond(slot, neighbours[face], Face::ALL[face]) {
                Ok(neighbour) => self.ground_at(neighbour).rims::<S>(),
                Err(ground) => S::uniform_rims(ground.0),
            }
        });
        let mut halo = S::uniform_halo(Ground::WALL.0);
        let here = self.ground_at(slot);
        S::pad(|first, row| here.write_row(first, row), rims.each_ref(), &mut halo);
        halo
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let ground: usize = self.ground.iter().map(Plane::heap_bytes).sum();
        self.moisture.memory_bytes()
            + ground
            + self.ground.capacity() * size_of::<Plane>()
            + self.still.allocation_size()
            + self.fed.allocation_size()
            + self.fed.values().map(|fed| size_of_val(&**fed)).sum::<usize>()
    }
}

/// Returns a chunk's words; the words of a uniform chunk are written to `scratch`.
#[inline]
pub(super) fn words<'w>(
    chunk: &'w Chunk<u32>,
    scratch: &'w mut Option<Box<[u32; CHUNK_CELLS]>>,
) -> &'w [u32; CHUNK_CELLS] {
    match chunk.as_dense() {
        Some(words) => words,
        None => {
            let scratch = scratch.get_or_insert_with(|| Box::new([0; CHUNK_CELLS]));
            scratch.fill(chunk.get(0));
            scratch
        }
    }
}
