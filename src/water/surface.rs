//! The surface of a body of water: which of its cells are its top, how high they stand, and which is nearest to a cell.

use super::bits::{self, LayerBits, NONE, and, any, minus};
use super::body::Piece;
use super::cell::{CellFlags, FULL};
use super::store::{LAYER_CELLS, Place, head};
use super::tick::Tick;
use super::voxel::Voxel;
use super::window::upper_layer;
use crate::coords::{Cube, Face, Shape};
use glam::IVec3;
use smallvec::SmallVec;

/// The highest surface that is still to be drawn from: its head, and its cells in pieces.
pub(super) struct Surface {
    pub(super) head: i64,
    pub(super) pieces: Vec<Piece>,
    /// The number of the piece that was nearest to the last cell that drew: mostly the next one is not far from it.
    pub(super) near: usize,
}

impl Surface {
    /// Takes cells with this head in, if they are below `below` and none higher is known.
    fn offer(&mut self, below: i64, head: i64, piece: &Piece, cells: LayerBits) {
        if head >= below || head < self.head || !any(cells) {
            return;
        }
        if head > self.head {
            self.head = head;
            self.pieces.clear();
        }
        self.pieces.push(Piece { cells, ..*piece });
    }
}

/// The surface cells of a piece: full ones with no water above, partial ones, and sources wherever they lie.
struct Crests {
    full: LayerBits,
    partial: LayerBits,
    sources: LayerBits,
}

impl Tick<'_> {
    /// The cell of a surface that is nearest to a cell, and the number of its piece.
    pub(super) fn nearest(&self, surface: &Surface, place: Place) -> Option<(usize, Place)> {
        let cell = self.store.position(place);
        let lowest = |piece: &Piece| Cube::cell_at(self.store.grid.position_at(piece.slot), piece.layer * LAYER_CELLS);
        let at_least = |piece: &Piece| {
            let low = lowest(piece);
            distance(cell, cell.clamp(low, low + IVec3::new(15, 0, 15)))
        };
        let mut best: Option<((u32, [i32; 3]), usize, Place)> = None;
        // One that is near goes first: of the others, hardly any cell is looked at then.
        let near = surface.pieces.get(surface.near).map(|piece| (surface.near, piece));
        let filled = near.into_iter().chain(surface.pieces.iter().enumerate()).filter(|(_, piece)| any(piece.cells));
        for (number, piece) in filled {
            let low = lowest(piece);
            if best.is_some_and(|((least, _), ..)| least < at_least(piece)) {
                continue;
            }
            let least = best.map_or(u32::MAX, |((least, _), ..)| least);
            let Some(index) = nearest_in(cell, low, piece.cells, least) else { continue };
            let there = low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4);
            let rank = (distance(cell, there), key(there));
            if best.is_none_or(|(least, ..)| rank < least) {
                best = Some((rank, number, (piece.slot, piece.layer * LAYER_CELLS + index)));
            }
        }
        best.map(|(_, number, place)| (number, place))
    }

    /// The head of a cell if it is the top of its body there, or a source, whose pressure reaches what lies below it.
    pub(super) fn crest_head(&self, place: Place) -> Option<i64> {
        let voxel = self.store.read(place);
        let y = self.height_of(place);
        if voxel.has(CellFlags::IS_SOURCE) {
            return Some(head(y, 0));
        }
        let top = voxel.is_wet() && (!voxel.is_closed() || !self.store.look(place, Face::Up).is_wet());
        top.then(|| head(y, voxel.height()))
    }

    /// The highest surface of a body below a head.
    pub(super) fn surface_below(&self, body: &[Piece], below: i64) -> Option<Surface> {
        let mut surface = Surface { head: i64::MIN, pieces: Vec::new(), near: 0 };
        let mut partial: SmallVec<[Piece; 2]> = SmallVec::new();
        for piece in body {
            let y = self.layer_height(piece);
            if head(y, FULL) < surface.head || head(y, 0) >= below {
                continue;
            }
            let crests = self.crests(piece);
            surface.offer(below, head(y, FULL), piece, crests.full);
            surface.offer(below, head(y, 0), piece, crests.sources);
            if surface.head < head(y, FULL) && any(crests.partial) {
                partial.push(Piece { cells: crests.partial, ..*piece });
            }
        }
        // How high cells stand that are neither full nor sources takes longest to tell, and mostly does not matter.
        for piece in &partial {
            self.offer_highest(&mut surface, below, piece);
        }
        (!surface.pieces.is_empty()).then_some(surface)
    }

    /// Offers the highest of a piece's cells, which hold 1 to 6 units, as far as they matter.
    fn offer_highest(&self, surface: &mut Surface, below: i64, piece: &Piece) {
        let y = self.layer_height(piece);
        for height in (1..FULL).rev().skip_while(|&height| head(y, height) >= below) {
            if head(y, height) < surface.head {
                return;
            }
            let is_as_high = |voxel: Voxel| voxel.height() == height;
            let cells = self.store.select_among(piece.slot, piece.layer, piece.cells, is_as_high);
            if any(cells) {
                return surface.offer(below, head(y, height), piece, cells);
            }
        }
    }

    /// The cells of a piece that are a surface.
    fn crests(&self, piece: &Piece) -> Crests {
        let &Piece { slot, layer, cells } = piece;
        let (wet, closed) = self.store.layer(slot, layer);
        let covered =
            upper_layer(self.store, slot, layer).map_or(NONE, |(slot, layer)| self.store.layer(slot, layer).0);
        let wet = and(cells, wet);
        let sources = and(wet, self.store.sources(slot, layer));
        let full = minus(minus(and(wet, closed), covered), sources);
        Crests { full, partial: minus(wet, closed), sources }
    }

    pub(super) fn height_of(&self, place: Place) -> i32 {
        self.store.grid.position_at(place.0).y * 16 + (place.1 / LAYER_CELLS) as i32
    }

    pub(super) fn layer_height(&self, piece: &Piece) -> i32 {
        self.store.grid.position_at(piece.slot).y * 16 + piece.layer as i32
    }
}

/// Steps from one cell to another in open water.
pub(super) fn distance(a: IVec3, b: IVec3) -> u32 {
    a.x.abs_diff(b.x).saturating_add(a.y.abs_diff(b.y)).saturating_add(a.z.abs_diff(b.z))
}

fn key(cell: IVec3) -> [i32; 3] {
    [cell.y, cell.z, cell.x]
}

/// The cell of a layer that is nearest to `cell`, among equals the one with the lowest z and then x; `None` if the layer
/// has none within `most` steps. The layer's first cell lies at `low`.
fn nearest_in(cell: IVec3, low: IVec3, cells: LayerBits, most: u32) -> Option<usize> {
    let (x, z) = (cell.x.saturating_sub(low.x), cell.z.saturating_sub(low.z));
    if !(1..15).contains(&x) && !(1..15).contains(&z) {
        let (east, south) = (x > 0, z > 0);
        let corner = low + IVec3::new(15 * i32::from(east), 0, 15 * i32::from(south));
        let most = most.checked_sub(distance(cell, corner))?;
        return nearest_to_corner(&WITHIN[usize::from(east) + 2 * usize::from(south)], cells, most);
    }
    nearest_in_rows(cell, low, cells, most)
}

/// The cell of a layer that is nearest to a corner, among equals the one with the lowest z and then x; `None` if the layer
/// has none within `most` steps.
fn nearest_to_corner(within: &[LayerBits; 31], cells: LayerBits, most: u32) -> Option<usize> {
    let within = &within[..=most.min(30) as usize];
    let steps = within.partition_point(|&within| !any(and(cells, within)));
    bits::iter(and(cells, *within.get(steps)?)).next()
}

/// Like [`nearest_in`], row by row.
fn nearest_in_rows(cell: IVec3, low: IVec3, cells: LayerBits, most: u32) -> Option<usize> {
    // A cell to the west of the layer is nearest to its first column, as one in that column is.
    let x = cell.x.saturating_sub(low.x).clamp(0, 15) as u32;
    let to_column = cell.x.abs_diff(low.x + x as i32).saturating_add(cell.y.abs_diff(low.y));
    let (mut best, mut least) = (None, most);
    for z in 0..16 {
        let row = bits::row(&cells, z);
        let to_row = to_column.saturating_add(cell.z.abs_diff(low.z + z as i32));
        if row == 0 || to_row > least {
            continue;
        }
        let (along_row, nearest) = to_nearest(row, x);
        let steps = to_row.saturating_add(along_row);
        if steps < least || steps == least && best.is_none() {
            (best, least) = (Some(z * 16 + nearest), steps);
        }
    }
    best
}

/// For each corner of a layer, the north-western, north-eastern, south-western and south-eastern, the cells within so many
/// steps of it, 0 to 30.
static WITHIN: [[LayerBits; 31]; 4] = within();

const fn within() -> [[LayerBits; 31]; 4] {
    let mut within = [[NONE; 31]; 4];
    let mut at = 0;
    while at < 4 * 31 * 256 {
        let (corner, steps, cell) = (at / (31 * 256), at / 256 % 31, at % 256);
        let x = if corner % 2 == 0 { cell % 16 } else { 15 - cell % 16 };
        let z = if corner < 2 { cell / 16 } else { 15 - cell / 16 };
        if x + z <= steps {
            within[corner][steps][cell / 64] |= 1 << (cell % 64);
        }
        at += 1;
    }
    within
}

/// The cell of a row, in which there is one, that is nearest to column `x`: how many steps it is away, and its own column.
/// Among equals the one to the west.
fn to_nearest(row: u16, x: u32) -> (u32, usize) {
    let row = u32::from(row);
    let (west, east) = (row & ((2 << x) - 1), (row >> x).trailing_zeros());
    match west.checked_ilog2() {
        Some(west) if x - west <= east => (x - west, west as usize),
        _ => (east, (x + east) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::super::voxel::Voxel;
    use super::super::{Rules, WaterWorld, sample};
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::CHUNK_CELLS;

    #[test]
    fn the_nearest_cell_is_that_of_a_look_at_all() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut far_from_corner, mut too_far) = (0, 0);
        for round in 0..3_000 {
            let near = |random: &mut fastrand::Rng| IVec3::from_array(core::array::from_fn(|_| random.i32(-40..40)));
            let (cell, low, most) = (near(&mut random), near(&mut random), random.u32(..120));
            let mut cells: LayerBits = core::array::from_fn(|_| random.u64(..) & random.u64(..) & random.u64(..));
            if round % 2 == 0 {
                // One cell or none, so that it is often far from the corner that is nearest to `cell`.
                cells = NONE;
                cells[random.usize(..4)] = 1u64.unbounded_shl(random.u32(..80));
            }
            let rank = |index: usize| {
                let there = low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4);
                (distance(cell, there), key(there))
            };
            let expected = bits::iter(cells).map(|index| (rank(index), index)).min();
            let expected = expected.filter(|((steps, _), _)| *steps <= most).map(|(_, index)| index);
            assert_eq!(nearest_in(cell, low, cells, most), expected, "round {round}");
            let in_layer = cell.clamp(low, low + IVec3::new(15, 0, 15));
            let (x, z) = (in_layer.x - low.x, in_layer.z - low.z);
            if matches!((x, z), (0 | 15, 0 | 15)) {
                let steps =
                    expected.map(|index| distance(in_layer, low + IVec3::new(index as i32 & 15, 0, index as i32 >> 4)));
                far_from_corner += usize::from(steps.is_some_and(|steps| steps > 20));
                too_far += usize::from(any(cells) && steps.is_none());
            }
        }
        assert!(far_from_corner > 30 && too_far > 100, "{far_from_corner} far from the corner, {too_far} too far");
    }

    #[test]
    fn the_highest_cells_are_told_in_chunks_of_either_kind() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
        let mixed: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| sample::voxel(&mut random));
        let uniform = (0..=FULL).map(|height| Chunk::uniform(Voxel::OPEN.with_height(height)));
        for (x, chunk) in uniform.chain([Chunk::uniform(Voxel::SOLID), Chunk::from_cells(&mixed)]).enumerate() {
            world.insert_chunk(IVec3::X * x as i32, chunk).expect("none is there");
        }
        let tick = world.underway();
        let (mut offered, mut nothing) = (0, 0);
        for (slot, round) in
            tick.store.grid.sorted_slots().into_iter().flat_map(|slot| (0..20).map(move |at| (slot, at)))
        {
            let few = if round % 2 == 0 { u64::MAX } else { 1 << random.u32(..64) };
            let cells: LayerBits = core::array::from_fn(|_| random.u64(..) & few);
            let piece = Piece { slot, layer: random.usize(..16), cells };
            let y = tick.layer_height(&piece);
            let below = head(y, random.u8(1..9));
            let height = |cell: usize| tick.store.read((slot, piece.layer * LAYER_CELLS + cell)).height();
            let counts = |height: u8| (1..FULL).contains(&height) && head(y, height) < below;
            let highest = bits::iter(cells).map(height).filter(|&height| counts(height)).max();
            let mut surface = Surface { head: head(y, random.u8(0..4)), pieces: Vec::new(), near: 0 };
            let least = surface.head;
            tick.offer_highest(&mut surface, below, &piece);
            match highest.filter(|&height| head(y, height) >= least) {
                Some(highest) => {
                    let expected: Vec<usize> = bits::iter(cells).filter(|&cell| height(cell) == highest).collect();
                    assert_eq!((surface.head, surface.pieces.len()), (head(y, highest), 1), "round {round}");
                    assert!(bits::iter(surface.pieces[0].cells).eq(expected), "round {round}");
                    offered += 1;
                }
                None => {
                    assert!(surface.pieces.is_empty() && surface.head == least, "round {round}");
                    nothing += 1;
                }
            }
        }
        assert!(offered > 40 && nothing > 40, "{offered} offered, {nothing} not");
    }

    /// The head of a cell that is a surface, said of the cell alone.
    fn crest(tick: &Tick, place: Place) -> Option<i64> {
        let voxel = tick.store.read(place);
        let y = i64::from(tick.store.position(place).y);
        let above = tick.store.look(place, Face::Up);
        let is_top = voxel.height() < FULL || above.is_mark() || above.height() == 0;
        match voxel.cell() {
            Some(cell) if cell.is_source() => Some(7 * y),
            Some(cell) if cell.height() > 0 && is_top => Some(7 * y + i64::from(cell.height())),
            _ => None,
        }
    }

    #[test]
    fn surfaces_and_their_nearest_cells_are_those_of_a_look_at_all_cells() {
        let mut random = fastrand::Rng::with_seed(6);
        let mut mixed = 0;
        for seed in 0..16 {
            let mut world = sample::springs(seed);
            let places = sample::places(&world);
            let tick = world.underway();
            let mut body: Vec<Piece> = Vec::new();
            for &(slot, index) in &places {
                let (layer, cell) = (index / LAYER_CELLS, index % LAYER_CELLS);
                if !tick.store.read((slot, index)).is_wet() {
                    continue;
                }
                match body.last_mut() {
                    Some(piece) if piece.slot == slot && piece.layer == layer => bits::insert(&mut piece.cells, cell),
                    _ => {
                        let mut cells = NONE;
                        bits::insert(&mut cells, cell);
                        body.push(Piece { slot, layer, cells });
                    }
                }
            }
            let crests: Vec<(i64, Place)> =
                places.iter().filter_map(|&place| Some((crest(&tick, place)?, place))).collect();
            for &place in &places {
                let expected = crest(&tick, place);
                assert!(tick.store.read(place).is_mark() || tick.crest_head(place) == expected, "seed {seed}");
            }
            let mut below = i64::MAX;
            while let Some(mut surface) = tick.surface_below(&body, below) {
                let highest = crests.iter().map(|&(head, _)| head).filter(|&head| head < below).max();
                assert_eq!(Some(surface.head), highest, "seed {seed}");
                let of_piece = |piece: &Piece| {
                    let (slot, first) = (piece.slot, piece.layer * LAYER_CELLS);
                    bits::iter(piece.cells).map(move |cell| (slot, first + cell))
                };
                let mut found: Vec<Place> = surface.pieces.iter().flat_map(of_piece).collect();
                let mut expected: Vec<Place> =
                    crests.iter().filter(|&&(head, _)| head == surface.head).map(|&(_, place)| place).collect();
                for turn in 0..8 {
                    // What was near last may be no number of a piece any more, or that of an empty one.
                    surface.near = random.usize(..surface.pieces.len() + 2);
                    if turn >= 4 {
                        let emptied = random.usize(..surface.pieces.len());
                        surface.pieces[emptied].cells = NONE;
                    }
                    let left: Vec<Place> = surface.pieces.iter().flat_map(of_piece).collect();
                    let from = places[random.usize(..places.len())];
                    let rank = |&place: &Place| {
                        let (here, there) = (tick.store.position(from), tick.store.position(place));
                        let apart = (here - there).abs();
                        (apart.x + apart.y + apart.z, there.y, there.z, there.x)
                    };
                    let nearest = tick.nearest(&surface, from);
                    assert_eq!(nearest.map(|(_, place)| place), left.into_iter().min_by_key(rank), "seed {seed}");
                    assert!(
                        nearest.is_none_or(|(piece, there)| of_piece(&surface.pieces[piece]).any(|at| at == there))
                    );
                }
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "seed {seed}");
                mixed += usize::from(surface.pieces.iter().any(|piece| piece.layer != surface.pieces[0].layer));
                below = surface.head;
            }
            assert!(!crests.iter().any(|&(head, _)| head < below), "seed {seed}: none is missed");
        }
        assert!(mixed > 0, "surfaces of sources and of water below them");
    }
}
