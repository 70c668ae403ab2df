//! Where the draws of a body begin: at a lowest place that could take water, and at a highest
//! surface, spring or sea that can give some, in no piece from which there is no way.

use crate::chunk::LayerMask;
use crate::water::cell::FULL;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::bodies::{NodeId, PieceId};
use crate::water::pools::search::{Goal, Search, Target};
use crate::water::random::{Purpose, mix};
use crate::water::store::Place;
use core::ops::Bound;

/// The extremes of a body that may still be chosen in this tick.
pub(super) struct Candidates {
    /// Draws that the body may still make. Each has random numbers of its own.
    pub(super) draws_left: u32,
    /// How far the dead pieces of each extreme have been passed over: those up to here.
    low: (i64, u64),
    high: (i64, u64),
    springs: (i64, u64),
}

impl Candidates {
    pub(super) fn new(draws_left: u32) -> Self {
        Candidates {
            draws_left,
            low: (i64::MIN, 0),
            high: (i64::MAX, u64::MAX),
            springs: (i64::MAX, u64::MAX),
        }
    }
}

/// The result of looking for a place to begin.
pub(super) enum Choice<T> {
    Underway,
    None,
    Some(T),
}

/// Where a search begins: what gives or takes the water and its piece, the cells to begin with, the
/// level.
pub(super) type Start = (Target, PieceId, LayerMask, i64);

impl Context<'_> {
    /// Returns a random number for a piece, in this draw of its body.
    pub(super) fn random_at(&self, pools: &Pools, piece: PieceId, draws_left: u32) -> u64 {
        let place = pools.first_cell(piece);
        let seed = self.work.seed(self.store, place.slot, place.layer());
        mix(mix(Purpose::Pool.seed(seed), u64::from(draws_left)), place.cell() as u64)
    }

    /// Chooses where the two searches of the next draw begin: at a lowest place and at a highest
    /// surface or spring with something to give, but in no piece without a way. The low one is kept
    /// in `low`, and may be known already.
    pub(super) fn choose(
        &mut self,
        pools: &mut Pools,
        candidates: &mut Candidates,
        (piece, low): (PieceId, &mut Option<Start>),
        budget: &mut Budget,
    ) -> Choice<Box<[Search; 2]>> {
        let root = pools.bodies.root_of(piece);
        let body = pools.bodies.body(root);
        let (Some(top), Some(bottom)) = (body.top(), body.bottom()) else { return Choice::None };
        let surface = body.high.last_key_value().map_or(i64::MIN, |(&(level, _), _)| level);
        let low = match low {
            Some(low) => *low,
            None => match self.choose_low(pools, candidates, root, top, budget) {
                Choice::Some(start) => *low.insert(start),
                Choice::Underway => return Choice::Underway,
                Choice::None => return Choice::None,
            },
        };
        let high = match self.choose_high(pools, candidates, root, bottom, budget) {
            Choice::Some(high) => high,
            Choice::Underway => return Choice::Underway,
            Choice::None => return Choice::None,
        };
        let per_layer = i64::from(FULL);
        let top_y = if top > surface { top } else { top - 1 }.div_euclid(per_layer) as i32;
        let bottom_y = bottom.div_euclid(per_layer) as i32;
        let least = low.3 + 2;
        let upwards = Goal::High { least, enough: least.max(surface.saturating_sub(1)) };
        let most = high.3 - 2;
        let downwards = Goal::Low { most, enough: most.min(bottom + 1) };
        Choice::Some(Box::new([
            Search::new(self, pools, 0, (low.0, low.1), low.2, (upwards, top_y)),
            Search::new(self, pools, 1, (high.0, high.1), high.2, (downwards, bottom_y)),
        ]))
    }

    /// Chooses a lowest place that could take water, a step or more below `top`.
    fn choose_low(
        &mut self,
        pools: &mut Pools,
        candidates: &mut Candidates,
        root: NodeId,
        top: i64,
        budget: &mut Budget,
    ) -> Choice<Start> {
        loop {
            let body = pools.bodies.body(root);
            let rest = (Bound::Excluded(candidates.low), Bound::Unbounded);
            let Some((&at, &(_, piece))) = body.low.range(rest).next() else { return Choice::None };
            if at.0 > top - body.step() {
                return Choice::None;
            }
            if pools.bodies.piece(piece).dead != pools.round {
                match self.low_start(pools, candidates, piece, budget) {
                    Some(Some(start)) => return Choice::Some(start),
                    Some(None) => {}
                    None => return Choice::Underway,
                }
            }
            candidates.low = at;
            if !budget.spend(1) {
                return Choice::Underway;
            }
        }
    }

    /// Chooses a lowest place of a piece, if it has one. Returns `None` if the budget is spent
    /// before that is known.
    fn low_start(
        &mut self,
        pools: &mut Pools,
        candidates: &Candidates,
        id: PieceId,
        budget: &mut Budget,
    ) -> Option<Option<Start>> {
        let piece = pools.bodies.piece(id);
        let (slot, layer) = (piece.slot, usize::from(piece.layer));
        let mut surroundings = self.surroundings(&pools.pieces, slot, layer);
        let cells = piece.cells;
        let lowest = self.lowest_unsupplied(&mut surroundings, cells, budget)?;
        let lowest = lowest.map(|lowest| lowest.without(pools.spent(self, slot, layer)));
        let random = self.random_at(pools, id, candidates.draws_left);
        Some(lowest.and_then(|lowest| {
            let cell = chosen_cell(lowest.cells(), random)?;
            let contact = Place::in_layer(slot, layer, cell);
            let target = self.target(&lowest, contact, random >> 32);
            Some((target, id, LayerMask::single(cell), lowest.level))
        }))
    }

    /// Chooses a highest surface or spring, or the sea, that can give, a step or more above
    /// `bottom`.
    fn choose_high(
        &mut self,
        pools: &mut Pools,
        candidates: &mut Candidates,
        root: NodeId,
        bottom: i64,
        budget: &mut Budget,
    ) -> Choice<Start> {
        loop {
            let body = pools.bodies.body(root);
            let surface = body.high.range(..candidates.high).next_back();
            let spring = body.springs.range(..candidates.springs).next_back();
            let is_spring = spring.map(|(at, _)| at.0) > surface.map(|(at, _)| at.0);
            let Some((&at, &(_, piece))) = (if is_spring { spring } else { surface }) else {
                return Choice::None;
            };
            if at.0 < bottom + body.step() {
                return Choice::None;
            }
            if pools.bodies.piece(piece).dead != pools.round
                && let Some(start) = self.high_start(pools, candidates, (piece, at.0), is_spring)
            {
                return Choice::Some(start);
            }
            // A piece whose surface has nothing to give may have springs that do.
            *if is_spring { &mut candidates.springs } else { &mut candidates.high } = at;
            if !budget.spend(1) {
                return Choice::Underway;
            }
        }
    }

    /// Chooses a cell of a piece that gives: a spring or one at the sea, or one of its highest
    /// surface.
    fn high_start(
        &self,
        pools: &mut Pools,
        candidates: &Candidates,
        (id, level): (PieceId, i64),
        is_spring: bool,
    ) -> Option<Start> {
        let piece = pools.bodies.piece(id);
        let (slot, layer, cells) = (piece.slot, usize::from(piece.layer), piece.cells);
        let free = cells - pools.spent(self, slot, layer);
        let cells = if is_spring {
            match self.store.sea_levels(slot, layer, free) {
                Some(levels) => levels.high.1,
                None => free & self.store.springs(slot, layer),
            }
        } else {
            let surroundings = self.surroundings(&pools.pieces, slot, layer);
            self.highest(&surroundings, cells)?.1
        };
        let random = self.random_at(pools, id, candidates.draws_left);
        let cell = chosen_cell(cells - pools.spent(self, slot, layer), random)?;
        let target = Target::Cell(Place::in_layer(slot, layer, cell));
        Some((target, id, LayerMask::single(cell), level))
    }
}

/// Returns one of these cells at random, if there are any.
fn chosen_cell(cells: LayerMask, random: u64) -> Option<usize> {
    let count = u64::from(cells.count());
    (count > 0).then(|| cells.iter().nth((random % count) as usize)).flatten()
}
