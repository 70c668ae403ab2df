//! The surface of a body of water: a scan over its pieces for the highest cells that are the top
//! of the water, or springs.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::body::Piece;
use crate::water::pools::nearest::Candidates;
use crate::water::store::{LAYER_ROWS, LayerState, Place, Store, head};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// A surface: its hydraulic head, and its cells without those found to have nothing to give.
pub(crate) struct Surface {
    pub(crate) head: i64,
    pub(crate) cells: Candidates,
}

impl Surface {
    /// Returns an empty surface, lower than all water.
    pub(crate) fn none() -> Self {
        Surface { head: i64::MIN, cells: Candidates::default() }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.head == i64::MIN
    }
}

/// A resumable scan for the highest surface of a body below a given head.
pub(crate) struct Survey {
    below: i64,
    /// The highest head found so far, and the cells that have it.
    head: i64,
    pieces: Vec<Piece>,
    /// Number of pieces scanned.
    scanned: usize,
    /// Pieces with partly full cells, which may be higher.
    partial: SmallVec<[Piece; 2]>,
}

impl Survey {
    /// Begins a scan for the highest surface with a head less than `below`.
    pub(crate) fn below(below: i64) -> Self {
        Survey { below, head: i64::MIN, pieces: Vec::new(), scanned: 0, partial: SmallVec::new() }
    }

    /// Whether no piece has been scanned yet.
    pub(crate) fn is_new(&self) -> bool {
        self.scanned == 0
    }

    /// Adds cells with this head if it is below the limit and no higher one is known.
    fn offer(&mut self, head: i64, piece: &Piece, cells: LayerMask) {
        if head >= self.below || head < self.head || cells.is_empty() {
            return;
        }
        if head > self.head {
            self.head = head;
            self.pieces.clear();
        }
        self.pieces.push(Piece { cells, ..*piece });
    }

    /// Returns the surface found by a complete scan.
    pub(crate) fn surface(self, store: &Store) -> Surface {
        Surface { head: self.head, cells: Candidates::new(store, self.pieces) }
    }
}

/// The surface cells of a piece: full ones with no water above, partly full ones, and all springs.
struct Crests {
    full: LayerMask,
    partial: LayerMask,
    springs: LayerMask,
}

impl Context<'_> {
    /// Returns the head of a cell if it is the top of its body there, or a spring, which exerts
    /// pressure wherever it lies.
    pub(crate) fn crest_head(&self, place: Place) -> Option<i64> {
        let voxel = self.store.read(place);
        let y = self.height_of(place);
        if voxel.has(CellFlags::IS_SOURCE) {
            return Some(head(y, 0));
        }
        let top =
            voxel.is_wet() && (!voxel.is_closed() || !self.store.look(place, Face::Up).is_wet());
        top.then(|| head(y, voxel.height()))
    }

    /// Resumes a survey of a body. Returns whether it is complete; if not, the budget is spent.
    pub(crate) fn survey(&self, body: &[Piece], survey: &mut Survey, budget: &mut Budget) -> bool {
        while let Some(piece) = body.get(survey.scanned) {
            if !budget.spend(LAYER_ROWS) {
                return false;
            }
            self.survey_piece(piece, survey);
            survey.scanned += 1;
        }
        // Finding the height of partly full cells costs most, and is rarely needed once the full
        // cells and the springs are known.
        while let Some(piece) = survey.partial.pop() {
            self.offer_highest(survey, &piece);
            budget.spend(LAYER_ROWS);
            if budget.is_spent() {
                break;
            }
        }
        survey.partial.is_empty()
    }

    /// Offers the full cells and the springs of a piece, and defers its partly full cells.
    fn survey_piece(&self, piece: &Piece, survey: &mut Survey) {
        let y = self.layer_height(piece);
        if head(y, FULL) < survey.head || head(y, 0) >= survey.below {
            return;
        }
        let crests = self.crests(piece);
        survey.offer(head(y, FULL), piece, crests.full);
        survey.offer(head(y, 0), piece, crests.springs);
        if survey.head < head(y, FULL) && crests.partial.any() {
            survey.partial.push(Piece { cells: crests.partial, ..*piece });
        }
    }

    /// Offers the highest cells of a piece of partly full cells (1 to 6 units) that are below the
    /// limit, unless a higher head is known.
    fn offer_highest(&self, survey: &mut Survey, piece: &Piece) {
        let y = self.layer_height(piece);
        for height in (1..FULL).rev().skip_while(|&height| head(y, height) >= survey.below) {
            if head(y, height) < survey.head {
                return;
            }
            let is_as_high = |voxel: Voxel| voxel.height() == height;
            let cells = self.store.select_among(piece.slot, piece.layer, piece.cells, is_as_high);
            if cells.any() {
                return survey.offer(head(y, height), piece, cells);
            }
        }
    }

    /// Returns the surface cells of a piece.
    fn crests(&self, piece: &Piece) -> Crests {
        let &Piece { slot, layer, cells } = piece;
        let LayerState { wet, closed } = self.store.layer(slot, layer);
        let covered = self
            .store
            .upper_layer(slot, layer)
            .map_or(LayerMask::NONE, |(slot, layer)| self.store.layer(slot, layer).wet);
        let wet = cells & wet;
        let springs = wet & self.store.springs(slot, layer);
        let full = (wet & closed) - (covered | springs);
        Crests { full, partial: wet - closed, springs }
    }

    /// Returns the y coordinate of a cell, in cells.
    pub(crate) fn height_of(&self, place: Place) -> i32 {
        self.store.grid().position_at(place.slot).y * 16 + place.layer() as i32
    }

    /// Returns the y coordinate of a piece, in cells.
    pub(crate) fn layer_height(&self, piece: &Piece) -> i32 {
        self.store.grid().position_at(piece.slot).y * 16 + piece.layer as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::CHUNK_CELLS;
    use crate::water::context::test_worlds;
    use crate::water::voxel::Voxel;
    use crate::water::{Rules, WaterWorld};
    use glam::IVec3;

    #[test]
    fn the_highest_cells_are_found_in_dense_and_uniform_chunks() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
        let mixed: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| test_worlds::voxel(&mut random));
        let uniform = (0..=FULL).map(|height| Chunk::uniform(Voxel::OPEN.with_height(height)));
        for (x, chunk) in
            uniform.chain([Chunk::uniform(Voxel::SOLID), Chunk::from_cells(&mixed)]).enumerate()
        {
            world.insert_chunk(IVec3::X * x as i32, chunk).expect("none is there");
        }
        let tick = test_worlds::tick(&mut world);
        let (mut offered, mut nothing) = (0, 0);
        for (slot, round) in tick
            .store
            .grid()
            .sorted_slots()
            .into_iter()
            .flat_map(|slot| (0..20).map(move |at| (slot, at)))
        {
            let few = if round % 2 == 0 { u64::MAX } else { 1 << random.u32(..64) };
            let cells = LayerMask::from_words(core::array::from_fn(|_| random.u64(..) & few));
            let piece = Piece { slot, layer: random.usize(..16), cells };
            let y = tick.layer_height(&piece);
            let below = head(y, random.u8(1..9));
            let height =
                |cell: usize| tick.store.read(Place::in_layer(slot, piece.layer, cell)).height();
            let counts = |height: u8| (1..FULL).contains(&height) && head(y, height) < below;
            let highest = cells.iter().map(height).filter(|&height| counts(height)).max();
            let mut survey = Survey::below(below);
            survey.head = head(y, random.u8(0..4));
            let least = survey.head;
            tick.offer_highest(&mut survey, &piece);
            match highest.filter(|&height| head(y, height) >= least) {
                Some(highest) => {
                    let expected: Vec<usize> =
                        cells.iter().filter(|&cell| height(cell) == highest).collect();
                    assert_eq!(
                        (survey.head, survey.pieces.len()),
                        (head(y, highest), 1),
                        "round {round}"
                    );
                    assert!(survey.pieces[0].cells.iter().eq(expected), "round {round}");
                    offered += 1;
                }
                None => {
                    assert!(survey.pieces.is_empty() && survey.head == least, "round {round}");
                    nothing += 1;
                }
            }
        }
        assert!(offered > 40 && nothing > 40, "{offered} offered, {nothing} not");
    }

    /// Reference for `crest_head`, written from the public cell.
    fn crest(tick: &Context, place: Place) -> Option<i64> {
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
    fn a_survey_finds_the_surface_that_a_scan_of_all_cells_finds() {
        let mut random = fastrand::Rng::with_seed(6);
        let mut mixed = 0;
        for seed in 0..16 {
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let tick = test_worlds::tick(&mut world);
            let mut body: Vec<Piece> = Vec::new();
            for &place in &places {
                let (slot, layer, cell) = (place.slot, place.layer(), place.cell());
                if !tick.store.read(place).is_wet() {
                    continue;
                }
                match body.last_mut() {
                    Some(piece) if piece.slot == slot && piece.layer == layer => {
                        piece.cells.insert(cell)
                    }
                    _ => {
                        let cells = LayerMask::single(cell);
                        body.push(Piece { slot, layer, cells });
                    }
                }
            }
            let crests: Vec<(i64, Place)> =
                places.iter().filter_map(|&place| Some((crest(&tick, place)?, place))).collect();
            for &place in &places {
                let expected = crest(&tick, place);
                assert!(
                    tick.store.read(place).is_mark() || tick.crest_head(place) == expected,
                    "seed {seed}"
                );
            }
            let mut below = i64::MAX;
            loop {
                let mut survey = Survey::below(below);
                while !tick.survey(&body, &mut survey, &mut Budget::new(random.usize(1..40))) {}
                let highest =
                    crests.iter().map(|&(head, _)| head).filter(|&head| head < below).max();
                assert_eq!(survey.head, highest.unwrap_or(i64::MIN), "seed {seed}");
                let of_piece = |piece: &Piece| {
                    let Piece { slot, layer, .. } = *piece;
                    piece.cells.iter().map(move |cell| Place::in_layer(slot, layer, cell))
                };
                let mut found: Vec<Place> = survey.pieces.iter().flat_map(of_piece).collect();
                let mut expected: Vec<Place> = crests
                    .iter()
                    .filter(|&&(head, _)| head == survey.head)
                    .map(|&(_, place)| place)
                    .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "seed {seed}");
                if found.is_empty() {
                    break;
                }
                mixed += usize::from(
                    survey.pieces.iter().any(|piece| piece.layer != survey.pieces[0].layer),
                );
                below = survey.head;
            }
            assert!(!crests.iter().any(|&(head, _)| head < below), "seed {seed}: none is missed");
        }
        assert!(mixed > 0, "surfaces of springs and of water below them");
    }
}
