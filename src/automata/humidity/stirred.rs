//! Which rows of a chunk a step of the conservative sweep must visit: the rows in which a cell may
//! change. A cell does not change if neither it nor a neighbour changed in the last step, and the
//! flow across its faces is the same. So a step that moves moisture in a few cells of a chunk
//! visits a few of its rows.
//!
//! Rows are left out in cubes only, and only if moved units are not reported: units that move
//! through rows that do not change are not counted.

use super::HumidityShape;
use super::store::Store;
use crate::chunk::{CellMask, ones};
use crate::coords::Face;
use crate::grid::Slot;

/// Rows of a cube along x, one bit each: by y, four layers in a word, then by z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowMask([u64; 4]);

/// The rows of each layer with the least z.
const NORTHERNMOST: u64 = 0x0001_0001_0001_0001;

impl RowMask {
    pub(crate) const ALL: RowMask = RowMask([u64::MAX; 4]);
    pub(super) const NONE: RowMask = RowMask([0; 4]);

    /// Returns the rows that hold one of these cells.
    pub(super) fn of(cells: &CellMask) -> RowMask {
        let mut rows = [0; 4];
        for (group, &word) in cells.words().iter().enumerate() {
            for row in 0..4 {
                let is_in = word >> (16 * row) & 0xffff != 0;
                rows[group / 16] |= u64::from(is_in) << (group % 16 * 4 + row);
            }
        }
        RowMask(rows)
    }

    #[inline(always)]
    pub(super) fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(super) fn insert(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|rows| rows.count_ones()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == RowMask::NONE
    }

    pub(super) fn union(self, other: RowMask) -> RowMask {
        RowMask(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    pub(super) fn intersection(self, other: RowMask) -> RowMask {
        RowMask(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    pub(super) fn without(self, other: RowMask) -> RowMask {
        RowMask(core::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns the rows in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let words = self.0.into_iter().enumerate();
        words.flat_map(|(word, rows)| ones(rows).map(move |row| 64 * word + row))
    }

    /// Returns whether any of these rows has a cell in a block of 16 cells of the rim at a face.
    #[inline(always)]
    pub(super) fn holds_of_rim(&self, face: usize, block: usize) -> bool {
        match face {
            0 | 1 => self.0[block / 4] >> (16 * (block % 4)) & 0xffff != 0,
            2 => self.contains(block),
            3 => self.contains(240 + block),
            4 => self.contains(16 * block),
            _ => self.contains(16 * block + 15),
        }
    }

    fn map(self, change: impl Fn(u64) -> u64) -> RowMask {
        RowMask(self.0.map(change))
    }

    /// Returns these rows and the rows that share a face with one of them.
    fn with_those_beside(self) -> RowMask {
        let Self([a, b, c, d]) = self;
        let above = RowMask([a << 16, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48]);
        let below = self.below();
        let south = self.map(|rows| rows << 1 & !NORTHERNMOST);
        self.union(above).union(below).union(south).union(self.north())
    }

    /// Returns the rows straight below these rows, in the next layer down.
    fn below(self) -> RowMask {
        let Self([a, b, c, d]) = self;
        RowMask([a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16])
    }

    /// Returns the rows beside these rows to the north.
    fn north(self) -> RowMask {
        self.map(|rows| rows >> 1 & !(NORTHERNMOST << 15))
    }

    /// Returns these rows with the rows below and to the north. A row stores its links up and
    /// south, so all links of these rows are stored in the returned rows.
    pub(super) fn with_those_that_link_in(self) -> RowMask {
        self.union(self.below()).union(self.north())
    }

    /// Returns the rows of a chunk that are beside one of these rows of the chunk behind a face.
    pub(super) fn across(self, face: Face) -> RowMask {
        let Self([lowest, _, _, highest]) = self;
        match face {
            Face::West | Face::East => self,
            Face::Down => RowMask([highest >> 48, 0, 0, 0]),
            Face::Up => RowMask([0, 0, 0, lowest << 48]),
            Face::North => self.map(|rows| rows >> 15 & NORTHERNMOST),
            Face::South => self.map(|rows| (rows & NORTHERNMOST) << 15),
        }
    }

    /// Returns these rows and the rows that a step of all cells compares together with them, four
    /// at a time.
    pub(super) fn in_fours(self) -> RowMask {
        self.map(|rows| {
            let pairs = rows | rows >> 1;
            let firsts = (pairs | pairs >> 2) & 0x1111_1111_1111_1111;
            firsts * 0xf
        })
    }
}

/// The rows of a chunk that a step must visit.
#[derive(Clone, Copy)]
struct Stir {
    /// The rows that have changed in the last step or since: these rows and the rows beside them
    /// are visited.
    changed: RowMask,
    /// Other rows to visit: the flow across their faces may differ from the flow of the last step,
    /// or enters the ledger.
    due: RowMask,
}

/// The rows that the next step must visit, by slot.
pub(super) struct Stirred {
    /// Whether steps may leave rows out.
    pub(super) is_kept: bool,
    /// `None` if the rows are not known. A sleeping chunk has no changed rows.
    stirs: Vec<Option<Stir>>,
}

impl Stirred {
    pub(super) fn new() -> Stirred {
        Stirred { is_kept: false, stirs: Vec::new() }
    }

    /// Returns the rows of an awake chunk that its next step must visit.
    pub(super) fn rows_at<S: HumidityShape>(&self, store: &Store<S>, slot: Slot) -> RowMask {
        let Some(own) = self.at(slot) else { return RowMask::ALL };
        let chunk = store.moisture.position_at(slot);
        let neighbours = Face::ALL.into_iter().zip(store.moisture.neighbours_of(slot));
        let open =
            neighbours.filter(|&(face, beside)| beside.is_some() && !store.is_parted(chunk, face));
        open.map(|(face, beside)| self.changed_at(store, beside).across(face))
            .fold(own.changed.with_those_beside().union(own.due), RowMask::union)
    }

    /// Returns the rows of a chunk that have changed in the last step or since.
    pub(super) fn changed_at<S: HumidityShape>(&self, store: &Store<S>, slot: Slot) -> RowMask {
        // A sleeping chunk has not changed.
        match store.moisture.awake_at(slot) {
            Some(_) => self.at(slot).map_or(RowMask::ALL, |stir| stir.changed),
            None => RowMask::NONE,
        }
    }

    fn at(&self, slot: Slot) -> Option<Stir> {
        if self.is_kept { self.stirs.get(slot.index()).copied().flatten() } else { None }
    }

    /// Records the rows of a chunk that a step has changed, and the other rows that the next step
    /// must visit; `None` for all rows.
    pub(super) fn note<S: HumidityShape>(&mut self, slot: Slot, rows: Option<[RowMask; 2]>) {
        if self.is_kept && S::NEIGHBOURS == 6 {
            if self.stirs.len() <= slot.index() {
                self.stirs.resize(slot.index() + 1, None);
            }
            self.stirs[slot.index()] = rows.map(|[changed, due]| Stir { changed, due });
        }
    }

    /// Records that rows of a chunk have changed outside of steps.
    pub(super) fn stir(&mut self, slot: Slot, rows: RowMask) {
        if let Some(Some(stir)) = self.stirs.get_mut(slot.index()) {
            stir.changed = stir.changed.union(rows);
        }
    }

    /// Records that the next step must visit rows of a chunk.
    pub(super) fn look_at(&mut self, slot: Slot, rows: RowMask) {
        if let Some(Some(stir)) = self.stirs.get_mut(slot.index()) {
            stir.due = stir.due.union(rows);
        }
    }

    /// Records that a chunk may have changed anywhere.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(stir) = self.stirs.get_mut(slot.index()) {
            *stir = None;
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.stirs.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.stirs.capacity() * size_of::<Option<Stir>>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Border, Cell, Fed, HumidityWorld, Rules};
    use super::*;
    use crate::automata::humidity::step::still::set_still;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Region, Shape};
    use fastrand::Rng;
    use glam::IVec3;

    /// Compares the rows of random cells with a search cell by cell.
    #[test]
    fn a_row_is_stirred_by_what_changes_in_it_and_beside_it() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..50 {
            let here = Cube::cell_at(ChunkPos::ZERO, rng.usize(..CHUNK_CELLS));
            let mut changed = CellMask::EMPTY;
            changed.insert(Cube::index_of(here));
            let rows = RowMask::of(&changed);
            for face in Face::ALL {
                let there = face.step(here).unwrap();
                let (chunk, row) = (Cube::chunk_of(there), Cube::index_of(there) / 16);
                let seen = match chunk == ChunkPos::ZERO {
                    true => rows.with_those_beside(),
                    false => rows.across(face.opposite()),
                };
                assert!(seen.contains(row) && seen.in_fours().contains(row / 4 * 4), "{here}");
            }
            assert!((3..=5).contains(&rows.with_those_beside().count()), "{here}");
            assert!((8..=20).contains(&rows.with_those_beside().in_fours().count()), "{here}");
        }
    }

    const CHUNKS: IVec3 = IVec3::new(3, 2, 2);

    /// Returns a chunk of dry soils and rock, in which some cells are wet.
    fn content(rng: &mut Rng) -> Chunk<Cell> {
        let soils = [0.5, 1.0, 2.0, 40.0];
        Chunk::from_cells(&core::array::from_fn(|_| match rng.u16(..1_000) {
            0..200 => Cell::ROCK,
            200 => Cell::soil(rng.f64() * 900.0, 1.0),
            other => Cell::soil(0.0, soils[usize::from(other) % 4]),
        }))
    }

    /// Makes a random edit, or stops or resumes a chunk.
    fn edit(world: &mut HumidityWorld<Cube>, rng: &mut Rng) {
        let chunk = IVec3::from_array(CHUNKS.to_array().map(|side| rng.i32(0..side)));
        let cell = Cube::cell_at(chunk.into(), rng.usize(..CHUNK_CELLS));
        let humidity = rng.f64() * 900.0;
        match rng.u8(..12) {
            0..3 => _ = world.add_units(cell, rng.u32(..1 << 24)),
            3 => _ = world.take_units(cell, rng.u32(..1 << 24)),
            4 => _ = world.set_rock(cell),
            5 => _ = world.set_rain(cell, humidity),
            6 => _ = world.fill_cells(Region::cell(cell), Cell::soil(humidity, 1.0)),
            7 => _ = world.remove_chunk(chunk.into()),
            8 => _ = world.insert_chunk(chunk.into(), content(rng)),
            9 => {
                let full = rng.u32(..1 << 24);
                let fed = (0..3).map(|index| Fed { index: 100 * index, full }).collect();
                world.set_fed(chunk.into(), fed);
            }
            other => set_still(world, chunk.into(), other == 10),
        }
    }

    /// Compares a world with twins that visit all rows, one of which never sleeps.
    #[test]
    fn rows_that_are_passed_over_and_chunks_that_are_not_woken_would_not_have_changed() {
        for seed in 0..6 {
            let mut rng = Rng::with_seed(seed);
            let border = [Border::Wall, Border::Drain][rng.usize(..2)];
            let least_flow = [1.0 / 65_536.0, 0.25][rng.usize(..2)];
            let fall = [0.0, 1.0 / 32.0][rng.usize(..2)];
            let rules = Rules { cap: 600.0, least_flow, fall, ..Rules::default() };
            let rules = rules.with_border(Face::Down, border);
            let bounds = Region::new(IVec3::ZERO, 16 * CHUNKS - 1);
            let mut worlds = [(); 3].map(|()| HumidityWorld::with_bounds(rules, bounds).unwrap());
            worlds[0].count_no_moves();
            for chunk in Region::new(IVec3::ZERO, CHUNKS - 1).positions() {
                let cells = content(&mut rng);
                for world in &mut worlds {
                    world.insert_chunk(chunk.into(), cells.clone()).unwrap();
                }
            }
            for step in 0..40 {
                let edits = rng.u64(..);
                for world in &mut worlds {
                    let mut rng = Rng::with_seed(edits);
                    // Tests the flow across the faces of a chunk in the step before the chunk
                    // stops.
                    if seed % 2 == 1 && step > 4 {
                        let chunk =
                            IVec3::from_array(CHUNKS.to_array().map(|side| rng.i32(0..side)));
                        set_still(world, chunk.into(), rng.u8(..3) == 0);
                    } else if step % 3 == 0 {
                        edit(world, &mut rng);
                    }
                }
                worlds[2].wake_all();
                worlds.iter_mut().for_each(|world| _ = world.step());
                let [sparing, whole, awake] = &worlds;
                for other in [whole, awake] {
                    assert_eq!(sparing.state_hash(), other.state_hash(), "seed {seed}: {step}");
                    assert_eq!(sparing.ledger(), other.ledger(), "seed {seed}: {step}");
                }
                assert!(sparing.awake_cells() <= whole.awake_cells(), "seed {seed}: {step}");
                if step % 8 == 7 {
                    assert_eq!(sparing.validate(), Ok(()), "seed {seed}: {step}");
                }
            }
        }
    }
}
