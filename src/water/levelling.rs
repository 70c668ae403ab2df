//! Levelling: the lowest cells of a body draw from its highest surface, nearest first, one after another.
//!
//! Who draws and from where is settled at once; the rest goes on in pieces, each of which looks at no more cells than a
//! layer has.

use super::body::Body;
use super::cell::{CellFlags, FULL};
use super::store::{LAYER_CELLS, Place, head};
use super::surface::Surface;
use super::tick::Tick;
use super::way::{Found, Search, Step};

/// Draws from one body in a tick; whoever still has room waits for the next.
const DRAWS_PER_BODY: usize = 96;

/// A body that is being levelled.
pub(super) struct Levelling {
    body: Body,
    /// What is drawn from now.
    surface: Surface,
    /// Who draws, the next last.
    drawers: Vec<Place>,
    /// Whether more cells would draw than may.
    unheard: bool,
    /// The last cell for which there was water that it could not have in this tick.
    unserved: Option<Place>,
    /// Draws that are left.
    draws: usize,
    search: Search,
}

/// How a cell's drawing ended.
enum Outcome {
    /// It is level with the surface, or full.
    Level,
    /// There is water for it that it could not have in this tick.
    Unserved,
    /// Not yet: a piece is over.
    Underway,
}

impl Tick<'_> {
    /// Settles who draws from a body, and from which surface; `None`, and the body goes back, if nobody does.
    pub(super) fn begin_levelling(&mut self, body: Body) -> Option<Levelling> {
        let surface = self.surface_below(&body.pieces, i64::MAX);
        let mut drawers = surface.as_ref().map_or_else(Vec::new, |top| self.drawers(&body.pieces, top.head - 2));
        let Some(surface) = surface.filter(|_| !drawers.is_empty()) else {
            self.work.flooded.recycle(body);
            return None;
        };
        let unheard = drawers.len() > DRAWS_PER_BODY;
        if unheard {
            drawers.select_nth_unstable(DRAWS_PER_BODY);
            drawers.truncate(DRAWS_PER_BODY);
        }
        drawers.sort_unstable();
        let drawers = drawers.into_iter().rev().map(|(_, _, place)| place).collect();
        let search = Search::new();
        Some(Levelling { body, surface, drawers, unheard, unserved: None, draws: DRAWS_PER_BODY, search })
    }

    /// Goes on with a levelling for a piece, and keeps it if that does not end it. Returns how many cells drew, were looked
    /// at as a surface in vain, or in search of a way.
    pub(super) fn level(&mut self, mut levelling: Levelling) -> u64 {
        let mut left = LAYER_CELLS;
        while left > 0
            && let Some(&place) = levelling.drawers.last()
        {
            match self.draw_from(place, &mut levelling, &mut left) {
                Outcome::Underway => break,
                Outcome::Level if !levelling.unheard => {}
                Outcome::Level | Outcome::Unserved => levelling.unserved = Some(place),
            }
            levelling.drawers.pop();
            left = left.saturating_sub(1);
        }
        if levelling.drawers.is_empty() {
            if let Some(place) = levelling.unserved {
                self.wake_neighbourhood(place);
            }
            self.work.flooded.recycle(levelling.body);
        } else {
            self.work.levelling = Some(levelling);
        }
        (LAYER_CELLS - left) as u64
    }

    /// Draws for one cell until it is level with the surface or full, or as many cells as are `left` have been looked at.
    fn draw_from(&mut self, place: Place, levelling: &mut Levelling, left: &mut usize) -> Outcome {
        loop {
            let own = head(self.height_of(place), self.store.read(place).height());
            if !levelling.search.is_underway() {
                match self.choose_goal(place, own, levelling, left) {
                    Ok(goal) => levelling.search.begin(self, place, goal, own),
                    Err(outcome) => return outcome,
                }
            }
            match self.way(&mut levelling.search, left) {
                Found::Way(path) => self.carry(&path, place, own),
                Found::Nothing => return Outcome::Unserved,
                Found::Underway => return Outcome::Underway,
            }
        }
    }

    /// The nearest cell of the highest surface that can give to a cell with this head.
    fn choose_goal(
        &mut self,
        place: Place,
        own: i64,
        levelling: &mut Levelling,
        left: &mut usize,
    ) -> Result<Place, Outcome> {
        let Levelling { body, surface, draws, .. } = levelling;
        loop {
            if self.store.read(place).room() == 0 || surface.head < own + 2 {
                return Err(Outcome::Level);
            }
            let Some((piece, goal)) = self.nearest(surface, place) else {
                *surface = self.surface_below(&body.pieces, surface.head).ok_or(Outcome::Level)?;
                continue;
            };
            surface.near = piece;
            let spent = self.limits.left(self.store.read(goal), self.work.passed(goal)) == 0;
            if spent || self.crest_head(goal) != Some(surface.head) || goal == place {
                *left = left.checked_sub(1).ok_or(Outcome::Underway)?;
                let (word, bit) = ((goal.1 % LAYER_CELLS) >> 6, goal.1 & 63);
                surface.pieces[piece].cells[word] &= !(1 << bit);
                continue;
            }
            *draws = draws.checked_sub(1).ok_or(Outcome::Unserved)?;
            return Ok(goal);
        }
    }

    /// Moves what half the difference of the heads, the room and the way allow from the end of a path to `to`.
    fn carry(&mut self, path: &[Step], to: Place, own: i64) {
        let Some(&(from, _)) = path.last() else { return };
        let source = self.store.read(from);
        let available = if source.has(CellFlags::IS_SOURCE) { FULL } else { source.height() };
        let half = self.crest_head(from).map_or(0, |head| (head - own) / 2).clamp(0, 7) as u8;
        let mut units = self.store.read(to).room().min(available).min(half);
        for stretch in path.chunk_by(lie_in_one_layer) {
            units = units.min(self.left_along(stretch));
        }
        self.take(from, units);
        for stretch in path.chunk_by(lie_in_one_layer).rev() {
            self.pass_along_in_layer(stretch, units);
        }
        if let Some(&(_, exit)) = path.first() {
            self.receive(to, exit.opposite(), units, self.store.read(to).largest());
        }
    }
}

/// Whether two cells of a path lie in the same layer of the same chunk.
fn lie_in_one_layer(&((slot, index), _): &Step, &((other, at), _): &Step) -> bool {
    slot == other && index / LAYER_CELLS == at / LAYER_CELLS
}
