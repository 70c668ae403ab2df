//! Which rows of a chunk a step of the conservative sweep must look at: those in which a cell may
//! change. A cell stays as it is if nothing changed in it and beside it in the last step. So a step
//! that moves moisture in a few cells of a chunk visits a few of its rows.
//!
//! Used in cubes only, and only if moved units are not reported: units that move through rows that
//! do not change are not counted.

use super::HumidityShape;
use super::job::Job;
use super::store::Store;
use crate::chunk::CellMask;
use crate::coords::Face;
use crate::grid::Slot;

/// Rows of a cube along x, a bit each: by y, four layers in a word, then by z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowMask([u64; 4]);

/// The rows of each layer with the least z.
const NORTHERNMOST: u64 = 0x0001_0001_0001_0001;

impl RowMask {
    pub(super) const ALL: RowMask = RowMask([u64::MAX; 4]);

    /// Returns the rows that hold one of these cells.
    fn of(cells: &CellMask) -> RowMask {
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

    fn union(self, other: RowMask) -> RowMask {
        RowMask(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn map(self, change: impl Fn(u64) -> u64) -> RowMask {
        RowMask(self.0.map(change))
    }

    /// Returns these rows and those that have one of them at a face.
    fn with_those_beside(self) -> RowMask {
        let Self([a, b, c, d]) = self;
        let above = RowMask([a << 16, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48]);
        let below = RowMask([a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16]);
        let south = self.map(|rows| rows << 1 & !NORTHERNMOST);
        let north = self.map(|rows| rows >> 1 & !(NORTHERNMOST << 15));
        self.union(above).union(below).union(south).union(north)
    }

    /// Returns the rows of a chunk that have one of these, of the chunk behind a face, beside them.
    fn across(self, face: Face) -> RowMask {
        let Self([lowest, _, _, highest]) = self;
        match face {
            Face::West | Face::East => self,
            Face::Down => RowMask([highest >> 48, 0, 0, 0]),
            Face::Up => RowMask([0, 0, 0, lowest << 48]),
            Face::North => self.map(|rows| rows >> 15 & NORTHERNMOST),
            Face::South => self.map(|rows| (rows & NORTHERNMOST) << 15),
        }
    }

    /// Returns these rows and those that are compared together with them, four at a time.
    fn in_fours(self) -> RowMask {
        self.map(|rows| {
            let pairs = rows | rows >> 1;
            let firsts = (pairs | pairs >> 2) & 0x1111_1111_1111_1111;
            firsts * 0xf
        })
    }
}

/// The rows in which the last step changed something, by slot.
pub(super) struct Stirred {
    /// Whether steps may leave rows out.
    pub(super) is_kept: bool,
    /// `None` if that is not known.
    rows: Vec<Option<RowMask>>,
}

impl Stirred {
    pub(super) fn new() -> Stirred {
        Stirred { is_kept: false, rows: Vec::new() }
    }

    /// Returns the rows of an awake chunk that its next step must look at.
    pub(super) fn rows_at<S: HumidityShape>(&self, store: &Store<S>, slot: Slot) -> RowMask {
        let Some(own) = self.at(slot) else { return RowMask::ALL };
        let chunk = store.moisture.position_at(slot);
        let neighbours = Face::ALL.into_iter().zip(store.moisture.neighbours_of(slot));
        // What sleeps has not changed.
        let awake = neighbours.filter(|&(face, beside)| {
            beside.is_some()
                && store.moisture.awake_at(beside).is_some()
                && !store.is_parted(chunk, face)
        });
        let beside = awake
            .map(|(face, beside)| self.at(beside).unwrap_or(RowMask::ALL).across(face))
            .fold(own.with_those_beside(), RowMask::union);
        beside.in_fours()
    }

    fn at(&self, slot: Slot) -> Option<RowMask> {
        if self.is_kept { self.rows.get(slot.index()).copied().flatten() } else { None }
    }

    /// Notes in which rows a step has changed a chunk.
    pub(super) fn note<S: HumidityShape>(&mut self, slot: Slot, rows: Option<RowMask>) {
        if self.is_kept && S::NEIGHBOURS == 6 {
            if self.rows.len() <= slot.index() {
                self.rows.resize(slot.index() + 1, None);
            }
            self.rows[slot.index()] = rows;
        }
    }

    /// Notes that a chunk may have changed anywhere.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(rows) = self.rows.get_mut(slot.index()) {
            *rows = None;
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.rows.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Option<RowMask>>()
    }
}

/// Returns the rows in which a step has changed a chunk; `None` if the next one must look at all,
/// since something flows through rain, cap or border or out of what is kept full.
pub(super) fn rows_changed<S: HumidityShape>(
    job: &Job<S>,
    changed: &CellMask,
    has_rain: bool,
) -> Option<RowMask> {
    (!has_rain && !job.tally.enters_ledger()).then(|| RowMask::of(changed))
}

#[cfg(test)]
mod tests {
    use super::super::{Border, Cell, Fed, HumidityWorld, Rules};
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, Cube, Region, Shape};
    use fastrand::Rng;
    use glam::IVec3;

    /// Rows of random cells, against a search of cell by cell.
    #[test]
    fn a_row_is_stirred_by_what_changes_in_it_and_beside_it() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..50 {
            let here = Cube::cell_at(IVec3::ZERO, rng.usize(..CHUNK_CELLS));
            let mut changed = CellMask::EMPTY;
            changed.insert(Cube::index_of(here));
            let rows = RowMask::of(&changed);
            for face in Face::ALL {
                let there = face.step(here).unwrap();
                let (chunk, row) = (Cube::chunk_of(there), Cube::index_of(there) / 16);
                let seen = match chunk == IVec3::ZERO {
                    true => rows.with_those_beside(),
                    false => rows.across(face.opposite()),
                };
                assert!(seen.contains(row) && seen.in_fours().contains(row / 4 * 4), "{here}");
            }
            let count = |rows: RowMask| rows.0.iter().map(|word| word.count_ones()).sum::<u32>();
            assert!((3..=5).contains(&count(rows.with_those_beside())), "{here}");
            assert!((8..=20).contains(&count(rows.with_those_beside().in_fours())), "{here}");
        }
    }

    const CHUNKS: IVec3 = IVec3::new(3, 2, 2);

    /// Chunks of dry soils and rock, of which some cells are wet.
    fn content(rng: &mut Rng) -> Chunk<Cell> {
        let soils = [0.5, 1.0, 2.0, 40.0];
        Chunk::from_cells(&core::array::from_fn(|_| match rng.u16(..1_000) {
            0..200 => Cell::ROCK,
            200 => Cell::soil(rng.f64() * 900.0, 1.0),
            other => Cell::soil(0.0, soils[usize::from(other) % 4]),
        }))
    }

    /// Makes a random edit, or lets a chunk stand still or go on.
    fn edit(world: &mut HumidityWorld<Cube>, rng: &mut Rng) {
        let chunk = IVec3::from_array(CHUNKS.to_array().map(|side| rng.i32(0..side)));
        let cell = Cube::cell_at(chunk, rng.usize(..CHUNK_CELLS));
        let humidity = rng.f64() * 900.0;
        match rng.u8(..12) {
            0..3 => _ = world.add_units(cell, rng.u32(..1 << 24)),
            3 => _ = world.take_units(cell, rng.u32(..1 << 24)),
            4 => _ = world.set_rock(cell),
            5 => _ = world.set_rain(cell, humidity),
            6 => _ = world.fill_cells(Region::cell(cell), Cell::soil(humidity, 1.0)),
            7 => _ = world.remove_chunk(chunk),
            8 => _ = world.insert_chunk(chunk, content(rng)),
            9 => {
                let full = rng.u32(..1 << 24);
                let fed = (0..3).map(|index| Fed { index: 100 * index, full }).collect();
                world.set_fed(chunk, fed);
            }
            other => world.set_still(chunk, other == 10),
        }
    }

    /// Against twins that look at all rows, one of which never sleeps.
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
                    world.insert_chunk(chunk, cells.clone()).unwrap();
                }
            }
            for step in 0..40 {
                if step % 3 == 0 {
                    let edits = rng.u64(..);
                    worlds.iter_mut().for_each(|world| edit(world, &mut Rng::with_seed(edits)));
                }
                worlds[2].wake_all();
                worlds.iter_mut().for_each(|world| _ = world.step());
                let [sparing, whole, awake] = &worlds;
                for other in [whole, awake] {
                    assert_eq!(sparing.state_hash(), other.state_hash(), "seed {seed}: {step}");
                    assert_eq!(sparing.ledger(), other.ledger(), "seed {seed}: {step}");
                }
                assert_eq!(sparing.awake_cells(), whole.awake_cells(), "seed {seed}: {step}");
                if step % 8 == 7 {
                    assert_eq!(sparing.validate(), Ok(()), "seed {seed}: {step}");
                }
            }
        }
    }
}
