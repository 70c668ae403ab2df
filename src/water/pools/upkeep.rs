//! Upkeep: pieces and bodies follow the water, layer by layer where it has changed (incremental
//! connected components).
//!
//! First the pieces of changed layers are found anew, then they are joined with their neighbours,
//! then the levels are found. What has gone may have split bodies: see `splits`.

use crate::chunk::{LayerMask, ones};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::Pools;
use crate::water::pools::bodies::{Bodies, Levels, PieceId};
use crate::water::random::mix;
use crate::water::store::{LAYER_ROWS, Store};
use smallvec::SmallVec;

/// The pieces of a layer.
type Made = SmallVec<[PieceId; 2]>;

/// Pieces found around another.
pub(crate) type Near = SmallVec<[PieceId; 16]>;

impl Pools {
    /// Begins a tick's levelling: cells that moved in the last tick may take water again.
    pub(crate) fn calm(&mut self, budget: &mut Budget) -> bool {
        while let Some(slot) = self.moving.pop() {
            if let Some(chunk) = self.pieces.get_mut(slot) {
                chunk.moment = None;
                let stirred = core::mem::take(&mut chunk.stirred);
                self.to_level.add(slot, &mut chunk.to_level, stirred);
            }
            if !budget.spend(1) {
                return false;
            }
        }
        true
    }

    /// Looks at a layer that takes part in the tick: its bodies become known, and its cells that
    /// have moved take no water. Returns the cells charged.
    pub(crate) fn sweep(&mut self, tick: &Context, slot: Slot, layer: usize) -> u64 {
        let supported = tick.supported(slot, layer);
        let touched = tick.work.get(slot, layer).map_or(LayerMask::NONE, |work| work.touched);
        let moving = touched & supported;
        let wet = tick.store.layer(slot, layer).wet;
        if ((touched | tick.awake(slot, layer)) & wet).is_empty() {
            return 1;
        }
        // Water in the air is of no piece: of a layer without other water there is nothing to know,
        // nor is it noted that it moved, as it may be supported before the levelling is over.
        if !self.pieces.is_known(slot, layer) && supported.is_empty() {
            return 1;
        }
        self.want(slot, layer);
        if moving.is_empty() {
            return 1;
        }
        let Some(chunk) = self.pieces.get_mut(slot) else { return 1 };
        let begin = || {
            self.moving.push(slot);
            Box::default()
        };
        chunk.moment.get_or_insert_with(begin).moving[layer] = moving;
        let takers = chunk.takers & 1 << layer;
        self.to_level.add(slot, &mut chunk.to_level, takers);
        1
    }

    /// Returns the cells of a layer that can pass on nothing more in this tick.
    pub(crate) fn spent(&mut self, tick: &Context, slot: Slot, layer: usize) -> LayerMask {
        let Some(chunk) = self.pieces.get_mut(slot) else { return tick.spent(slot, layer) };
        let begin = || {
            self.moving.push(slot);
            Box::default()
        };
        let moment = chunk.moment.get_or_insert_with(begin);
        if moment.looked_at >> layer & 1 == 0 {
            moment.looked_at |= 1 << layer;
            moment.spent[layer] = tick.spent(slot, layer);
        }
        moment.spent[layer]
    }

    /// Notes that water passes through cells of a layer.
    pub(crate) fn note_passage(&mut self, slot: Slot, layer: usize) {
        let chunk = self.pieces.get_mut(slot);
        if let Some(moment) = chunk.and_then(|chunk| chunk.moment.as_deref_mut()) {
            moment.looked_at &= !(1 << layer);
        }
    }

    /// Makes a layer known.
    pub(crate) fn want(&mut self, slot: Slot, layer: usize) {
        let chunk = self.pieces.enter(slot);
        if chunk.known >> layer & 1 == 0 {
            if chunk.known == 0 {
                self.fresh.push(slot);
            }
            chunk.known |= 1 << layer;
            self.to_build.add(slot, &mut chunk.to_build, 1 << layer);
        }
    }

    /// Marks the levels of a layer to be found anew.
    pub(crate) fn mark_levels(&mut self, slot: Slot, layer: usize) {
        if let Some(chunk) = self.pieces.get_mut(slot) {
            let layers = chunk.known & 1 << layer;
            self.to_level.add(slot, &mut chunk.to_level, layers);
        }
    }

    /// Brings pieces and bodies up to date. Returns whether they are; if not, the budget is spent.
    pub(crate) fn update(&mut self, tick: &mut Context, budget: &mut Budget) -> bool {
        self.take_news(tick.store, budget);
        loop {
            self.pay(budget);
            if budget.is_spent() {
                return false;
            }
            if let Some((slot, layer)) =
                self.to_build.next(&mut self.pieces, |chunk| &mut chunk.to_build)
            {
                self.build(tick, slot, layer);
                self.charge(slot, layer, budget);
            } else if let Some((slot, layer)) =
                self.to_join.next(&mut self.pieces, |chunk| &mut chunk.to_join)
            {
                self.join_layer(tick, slot, layer);
                self.charge(slot, layer, budget);
            } else if let Some((slot, layer)) =
                self.to_level.next(&mut self.pieces, |chunk| &mut chunk.to_level)
            {
                self.level_layer(tick, slot, layer);
                self.charge(slot, layer, budget);
            } else {
                return self.check_events(tick, budget);
            }
        }
    }

    /// Charges a layer to the budget: its rows, once for each of its pieces. What goes beyond the
    /// budget is charged to the next pieces of the tick.
    fn charge(&mut self, slot: Slot, layer: usize, budget: &mut Budget) {
        self.debt += LAYER_ROWS * self.pieces.of(slot, layer).len().max(1);
        self.pay(budget);
    }

    fn pay(&mut self, budget: &mut Budget) {
        let paid = self.debt.min(budget.left());
        self.debt -= paid;
        budget.spend(paid);
    }

    /// Takes over which known layers have changed, chunk by chunk until the budget is spent. Others
    /// are looked at when they become known: in all that changes, something is awake.
    fn take_news(&mut self, store: &mut Store, budget: &mut Budget) {
        while !budget.is_spent()
            && let Some((slot, marks)) = store.next_news()
        {
            budget.spend(1);
            if let Some(chunk) = self.pieces.get_mut(slot) {
                self.to_build.add(slot, &mut chunk.to_build, marks.structure & chunk.known);
                self.to_level.add(slot, &mut chunk.to_level, marks.levels & chunk.known);
            }
        }
    }

    /// Finds the pieces of a layer anew, if the cells of which they consist or their joints with the
    /// layer above are others than before.
    fn build(&mut self, tick: &Context, slot: Slot, layer: usize) {
        let now = tick.supported(slot, layer);
        let joints = now & tick.full(slot, layer);
        let Some(chunk) = self.pieces.get_mut(slot) else { return };
        let before = core::mem::replace(&mut chunk.supported[layer], now);
        let joints_before = core::mem::replace(&mut chunk.joints[layer], joints);
        if (now, joints) == (before, joints_before) {
            return;
        }
        let bit = 1 << layer;
        self.to_join.add(slot, &mut chunk.to_join, bit);
        self.to_level.add(slot, &mut chunk.to_level, bit);
        if now != before {
            let old = core::mem::take(&mut chunk.pieces[layer]);
            self.rebuild(tick.store, (slot, layer), (before, now), &old);
            let border = (now ^ before).leaving();
            for (face, cells) in Face::LATERAL.into_iter().zip(border) {
                let there = tick.store.neighbour(slot, face);
                if cells.any() && there.is_some() {
                    self.mark_levels(there, layer);
                }
            }
        }
        let joined = joints - joints_before;
        if joined.any() {
            for &piece in self.pieces.of(slot, layer) {
                let piece = self.bodies.piece_mut(piece);
                piece.is_fresh |= (piece.cells & joined).any();
            }
        }
        // What stands on a cell that is full no more falls, and leaves its body by that; all but a
        // spring, which only loses the joint.
        let cut = (joints_before & now) - joints;
        if cut.any()
            && let Some(above) = tick.store.upper_layer(slot, layer)
        {
            self.cut_below((slot, layer), above, cut & tick.store.springs(above.0, above.1));
        }
    }

    /// Replaces the pieces of a layer. Those that are as before keep their body, others take that
    /// of a piece that they have cells of, so that bodies only ever become too large here.
    fn rebuild(
        &mut self,
        store: &Store,
        (slot, layer): (Slot, usize),
        (before, now): (LayerMask, LayerMask),
        old: &[PieceId],
    ) {
        let lost = before - now;
        for &piece in old {
            let gone = self.bodies.piece(piece).cells & lost;
            if gone.any() {
                self.note_loss(store, (slot, layer), piece, gone);
            }
        }
        // Pieces that hold and touch nothing that has changed are as before.
        let changed = now ^ before;
        let around = changed | changed.spread();
        let is_kept = |&piece: &PieceId| (self.bodies.piece(piece).cells & around).is_empty();
        let (kept, old): (Made, Made) = old.iter().copied().partition(is_kept);
        let cells_of = |piece: &PieceId| self.bodies.piece(*piece).cells;
        let mut left = now - LayerMask::union(kept.iter().map(cells_of));
        let (mut kept, mut made) = (kept.into_iter().peekable(), Made::new());
        let chunk = store.grid().position_at(slot);
        let place = mix(
            u64::from(chunk.x as u32) | u64::from(chunk.z as u32) << 32,
            u64::from(chunk.y as u32) << 8 | layer as u64,
        );
        // The order of the pieces is that of their first cells.
        while let Some(first) = left.iter().next() {
            while let Some(same) = kept.next_if(|&piece| self.bodies.first_cell(piece) < first) {
                made.push(same);
            }
            let cells = LayerMask::single(first).flood(left);
            left -= cells;
            let overlaps = |bodies: &Bodies, piece| (bodies.piece(piece).cells & cells).any();
            let root = match old.iter().find(|&&piece| overlaps(&self.bodies, piece)) {
                Some(&piece) => self.bodies.root_of(piece),
                None => self.bodies.add_body(),
            };
            let piece = self.bodies.add_piece((slot, layer), cells, mix(place, first as u64), root);
            for &other in &old {
                if overlaps(&self.bodies, other) {
                    self.debt += self.bodies.join(piece, other);
                }
            }
            made.push(piece);
        }
        made.extend(kept);
        old.into_iter().for_each(|piece| self.bodies.remove_piece(piece));
        if let Some(chunk) = self.pieces.get_mut(slot) {
            chunk.pieces[layer] = made;
        }
    }

    /// Joins the pieces of a layer that are new or have new joints with their neighbours.
    /// Neighbouring layers become known; where one does, it will join them.
    fn join_layer(&mut self, tick: &Context, slot: Slot, layer: usize) {
        for index in 0..self.pieces.of(slot, layer).len() {
            let piece = self.pieces.of(slot, layer)[index];
            if core::mem::take(&mut self.bodies.piece_mut(piece).is_fresh) {
                self.join_piece(tick, piece);
            }
        }
    }

    fn join_piece(&mut self, tick: &Context, piece: PieceId) {
        for (place, cells) in self.contacts(tick, piece) {
            if !self.pieces.is_known(place.0, place.1) {
                if (tick.supported(place.0, place.1) & cells).any() {
                    self.want(place.0, place.1);
                }
                continue;
            }
            for &other in self.pieces.of(place.0, place.1) {
                if (self.bodies.piece(other).cells & cells).any() {
                    self.debt += self.bodies.join(piece, other);
                }
            }
        }
    }

    /// Returns the pieces that are joined with a piece, all of them known. One may come twice.
    pub(crate) fn neighbours(&self, tick: &Context, piece: PieceId) -> Near {
        let mut near = Near::new();
        for (place, cells) in self.contacts(tick, piece) {
            near.extend(self.pieces_in(place, cells));
        }
        near
    }

    /// Returns the pieces of a layer that have one of these cells.
    fn pieces_in(
        &self,
        (slot, layer): (Slot, usize),
        cells: LayerMask,
    ) -> impl Iterator<Item = PieceId> {
        let of = self.pieces.of(slot, layer).iter().copied();
        of.filter(move |&piece| (self.bodies.piece(piece).cells & cells).any())
    }

    /// Returns the layers around a piece, with the cells in them that are joined with it if they
    /// are supported: beside it, above its full cells, and full ones below.
    fn contacts(
        &self,
        tick: &Context,
        piece: PieceId,
    ) -> SmallVec<[((Slot, usize), LayerMask); 6]> {
        let piece = self.bodies.piece(piece);
        let (slot, layer, cells) = (piece.slot, usize::from(piece.layer), piece.cells);
        let store = &*tick.store;
        let mut contacts = SmallVec::new();
        let mut add = |place: (Slot, usize), cells: LayerMask| {
            if cells.any() {
                contacts.push((place, cells));
            }
        };
        for (face, cells) in Face::LATERAL.into_iter().zip(cells.leaving()) {
            let there = store.neighbour(slot, face);
            if there.is_some() {
                add((there, layer), cells);
            }
        }
        if let Some(above) = store.upper_layer(slot, layer) {
            add(above, cells & tick.full(slot, layer));
        }
        if let Some(below) = store.lower_layer(slot, layer) {
            add(below, cells & tick.full(below.0, below.1));
        }
        contacts
    }

    /// Finds the levels of the pieces of a layer.
    fn level_layer(&mut self, tick: &Context, slot: Slot, layer: usize) {
        let Some(chunk) = self.pieces.get_mut(slot) else { return };
        let bit = 1 << layer;
        let is_inner = (chunk.supported[layer] - tick.inner(slot, layer)).is_empty();
        if is_inner && chunk.inner & bit != 0 || chunk.pieces[layer].is_empty() {
            return;
        }
        let pieces: Near = self.pieces.of(slot, layer).into();
        let (mut stirred, mut takes) = (false, false);
        if is_inner {
            pieces.iter().for_each(|&piece| self.bodies.set_levels(piece, Levels::default()));
        } else {
            let at = tick.surroundings(&self.pieces, slot, layer);
            for piece in pieces {
                let levels = tick.levels(&at, self.bodies.piece(piece).cells);
                self.bodies.set_levels(piece, levels);
                stirred |= levels.is_stirred;
                takes |= levels.low.is_some() || levels.springs.is_some();
            }
        }
        let Some(chunk) = self.pieces.get_mut(slot) else { return };
        chunk.inner = chunk.inner & !bit | u16::from(is_inner) << layer;
        chunk.takers = chunk.takers & !bit | u16::from(takes) << layer;
        if stirred {
            // So that the layer is looked at again in the next tick.
            if chunk.stirred == 0 {
                self.moving.push(slot);
            }
            chunk.stirred |= bit;
        }
    }

    /// Forgets a chunk that is being removed. Its pieces may have joined others with each other:
    /// that is one event, whatever the number of its pieces.
    pub(crate) fn forget(&mut self, store: &Store, slot: Slot) {
        let Some(chunk) = self.pieces.take(slot) else { return };
        self.begin_chunk_event(slot);
        for layer in ones(u64::from(chunk.known)) {
            for &piece in &chunk.pieces[layer] {
                self.note_chunk_loss(store, (slot, layer), piece);
                self.bodies.remove_piece(piece);
            }
        }
    }
}
