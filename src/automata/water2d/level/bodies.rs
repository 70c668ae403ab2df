//! Bodies of water: connected components of cells between which pressure passes, found by a flood
//! fill on rows of bits.
//!
//! Water that stands on ground or on a full cell is joined to the water and air beside it, and a
//! full cell to the cell above it. Two cells of air are never joined, so a body has a rim of air,
//! one cell wide, into which it can grow. Falling water belongs to no body.

use crate::automata::engine::changes::differing;
use crate::automata::water2d::cell::Cell;
use crate::automata::water2d::lines::{self, Cells, Line};
use crate::chunk::ones;
use crate::coords::Face;
use crate::grid::Slot;

/// Cells of a body in one row of one chunk, by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::automata::water2d) struct Piece {
    pub(in crate::automata::water2d) slot: Slot,
    /// The row in the chunk, 0 to 63.
    pub(in crate::automata::water2d) row: usize,
    pub(in crate::automata::water2d) cells: u64,
}

/// The cells of one chunk by kind, row by row.
struct ChunkMap {
    slot: Slot,
    neighbours: [Slot; 6],
    /// Water on ground or on a full cell.
    standing: [u64; 64],
    /// Standing water in full cells.
    full: [u64; 64],
    air: [u64; 64],
    /// Cells reached by the fill.
    reached: [u64; 64],
}

/// Stands for the index of the map of a chunk without a map.
const NO_MAP: u32 = u32::MAX;

/// The maps of visited chunks, valid until a cell changes.
#[derive(Default)]
pub(in crate::automata::water2d) struct Bodies {
    maps: Vec<ChunkMap>,
    /// By slot, the index of the chunk's map, or [`NO_MAP`].
    places: Vec<u32>,
}

impl Bodies {
    /// Drops all maps.
    fn clear(&mut self, cells: &Cells) {
        for map in self.maps.drain(..) {
            self.places[map.slot.index()] = NO_MAP;
        }
        self.places.resize(cells.slot_capacity(), NO_MAP);
    }

    /// Returns the bodies with a cell in these chunks, each body once, with its pieces in no
    /// particular order.
    pub(in crate::automata::water2d) fn find(
        &mut self,
        cells: &Cells,
        slots: &[Slot],
    ) -> Vec<Vec<Piece>> {
        self.clear(cells);
        let mut bodies = Vec::new();
        for &slot in slots.iter().filter(|&&slot| !lines::is_dry(cells, slot)) {
            let place = self.place(cells, slot);
            for row in 0..64 {
                loop {
                    let fresh = self.maps[place].standing[row] & !self.maps[place].reached[row];
                    let Some(first) = ones(fresh).next() else { break };
                    bodies.push(self.flood(cells, Piece { slot, row, cells: 1 << first }));
                }
            }
        }
        bodies
    }

    /// Returns the body that a piece belongs to.
    fn flood(&mut self, cells: &Cells, seed: Piece) -> Vec<Piece> {
        let mut body = Vec::new();
        let mut open = vec![seed];
        while let Some(Piece { slot, row, cells: seeds }) = open.pop() {
            let place = self.place(cells, slot);
            let map = &mut self.maps[place];
            if seeds & !map.reached[row] == 0 {
                continue;
            }
            let (standing, air) = (map.standing[row], map.air[row]);
            let filled = fill(seeds & !map.reached[row], standing, air);
            map.reached[row] |= filled;
            body.push(Piece { slot, row, cells: filled });

            let neighbours = map.neighbours;
            let filled_full = filled & map.full[row];
            let beside = |end: u64, other: u64| {
                (filled & end != 0).then_some((other, filled & end & standing == 0))
            };
            for (face, found) in
                [(Face::West, beside(1, 1 << 63)), (Face::East, beside(1 << 63, 1))]
            {
                if let Some((there, from_air)) = found {
                    self.reach(cells, neighbours[face.index()], row, there, from_air, &mut open);
                }
            }
            let (up, above) =
                if row < 63 { (slot, row + 1) } else { (neighbours[Face::Up.index()], 0) };
            self.reach(cells, up, above, filled_full, false, &mut open);
            let (down, below) =
                if row > 0 { (slot, row - 1) } else { (neighbours[Face::Down.index()], 63) };
            if down.is_some() {
                let place = self.place(cells, down);
                let joined = filled & self.maps[place].full[below];
                self.reach(cells, down, below, joined, true, &mut open);
            }
        }
        body
    }

    /// Opens the cells of a row in `seeds` that are standing water or air and not reached yet; only
    /// standing water if `standing_only`.
    fn reach(
        &mut self,
        cells: &Cells,
        slot: Slot,
        row: usize,
        seeds: u64,
        standing_only: bool,
        open: &mut Vec<Piece>,
    ) {
        if seeds == 0 || !slot.is_some() {
            return;
        }
        let place = self.place(cells, slot);
        let map = &self.maps[place];
        let members = map.standing[row] | if standing_only { 0 } else { map.air[row] };
        let cells = seeds & members & !map.reached[row];
        if cells != 0 {
            open.push(Piece { slot, row, cells });
        }
    }

    /// Returns the index of a chunk's map, which is created if missing.
    fn place(&mut self, cells: &Cells, slot: Slot) -> usize {
        if self.places[slot.index()] == NO_MAP {
            // There are fewer slots than 2³²−1.
            self.places[slot.index()] = self.maps.len() as u32;
            self.maps.push(ChunkMap::of(cells, slot));
        }
        self.places[slot.index()] as usize
    }

    /// Returns the number of bytes on the heap.
    pub(in crate::automata::water2d) fn memory_bytes(&self) -> usize {
        self.maps.capacity() * size_of::<ChunkMap>() + self.places.capacity() * size_of::<u32>()
    }
}

impl ChunkMap {
    fn of(cells: &Cells, slot: Slot) -> ChunkMap {
        let neighbours = cells.neighbours_of(slot);
        let mut map = ChunkMap {
            slot,
            neighbours,
            standing: [0; 64],
            full: [0; 64],
            air: [0; 64],
            reached: [0; 64],
        };
        let mut carried =
            where_in(&lines::row(cells, neighbours[Face::Down.index()], 63), Cell::carries);
        for row in 0..64 {
            let line = lines::row(cells, slot, row);
            let (wet, full, ground) = (
                where_in(&line, Cell::is_wet),
                where_in(&line, Cell::is_full),
                where_in(&line, Cell::is_solid),
            );
            map.standing[row] = wet & carried;
            map.full[row] = full & carried;
            map.air[row] = !(wet | ground);
            carried = full | ground;
        }
        map
    }
}

/// Returns the cells of a line for which `is` holds, by bit.
fn where_in(line: &Line, is: impl Fn(Cell) -> bool) -> u64 {
    differing(&line.map(is), &[false; 64])
}

/// Returns the cells of a row that are joined to `seeds`. Standing water is joined to all cells
/// beside it, air to standing water only. The fill is bit-parallel, by doubling (Kogge–Stone) to
/// both sides.
fn fill(seeds: u64, standing: u64, air: u64) -> u64 {
    let members = standing | air;
    // Bit x + 1: cells x and x + 1 are joined.
    let joined = (standing << 1 & members) | (members << 1 & standing);
    let (mut east, mut west) = (seeds & members, seeds & members);
    let (mut open_east, mut open_west) = (joined, joined >> 1);
    for shift in [1, 2, 4, 8, 16, 32] {
        east |= open_east & east << shift;
        open_east &= open_east << shift;
        west |= open_west & west >> shift;
        open_west &= open_west >> shift;
    }
    east | west
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill_by_steps(seeds: u64, standing: u64, air: u64) -> u64 {
        let is = |bits: u64, x: i32| (0..64).contains(&x) && bits >> x & 1 != 0;
        let mut filled = seeds & (standing | air);
        loop {
            let mut more = filled;
            for x in 0..64 {
                for beside in [x - 1, x + 1] {
                    let joined = is(standing, x) || is(standing, beside);
                    if is(filled, beside) && is(standing | air, x) && joined {
                        more |= 1 << x;
                    }
                }
            }
            if more == filled {
                return filled;
            }
            filled = more;
        }
    }

    #[test]
    fn rows_fill_as_cell_by_cell() {
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..3000 {
            let mut bits = || rng.u64(..) | rng.u64(..);
            let ground = !bits();
            let standing = bits() & !ground;
            let air = !(ground | standing);
            let seeds = 1 << rng.u32(..64);
            assert_eq!(fill(seeds, standing, air), fill_by_steps(seeds, standing, air));
        }
        assert_eq!(fill(1, u64::MAX, 0), u64::MAX);
        assert_eq!(fill(1 << 63, u64::MAX, 0), u64::MAX);
    }
}
