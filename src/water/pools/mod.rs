//! Levelling: the lowest cells of a body draw from its highest surface, nearest first, one after
//! another.
//!
//! It is done in pieces, each of which looks at no more cells than a layer has: first the highest
//! surface is looked for, then who would draw from it; then one after another draws.

pub(crate) mod body;
pub(crate) mod drawers;
pub(crate) mod nearest;
pub(crate) mod route;
pub(crate) mod straight_route;
pub(crate) mod surface;

use crate::chunk::LayerMask;
use crate::water::cell::{CellFlags, FULL};
use crate::water::context::Context;
use crate::water::pools::body::{Body, Piece};
use crate::water::pools::drawers::Gathering;
use crate::water::pools::route::{Found, Search};
use crate::water::pools::surface::{Surface, Survey};
use crate::water::store::{LAYER_CELLS, LAYER_ROWS, Place, Step, head};
use crate::water::voxel::Voxel;

/// Draws from one body in a tick; whoever still has room waits for the next.
const DRAWS_PER_BODY: usize = 96;

/// A body that is being levelled.
pub(crate) struct Levelling {
    body: Body,
    /// The look for a lower surface, while there is one underway.
    survey: Option<Survey>,
    /// What is drawn from now.
    surface: Surface,
    /// The look for who draws, while it is underway.
    gathering: Option<Gathering>,
    /// Who draws, the next last; `None` before they have been looked for.
    drawers: Option<Vec<Place>>,
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

impl Levelling {
    fn new(body: Body) -> Self {
        Levelling {
            body,
            survey: Some(Survey::below(i64::MAX)),
            surface: Surface::none(),
            gathering: None,
            drawers: None,
            unheard: false,
            unserved: None,
            draws: DRAWS_PER_BODY,
            search: Search::new(),
        }
    }

    /// Whether nothing has been looked at.
    fn is_new(&self) -> bool {
        self.survey.as_ref().is_some_and(|survey| survey.is_new()) && self.drawers.is_none()
    }
}

impl Context<'_> {
    /// Levels bodies for a piece. Returns how many cells drew, or were looked at as a surface in
    /// vain, or in search of a way; and, where a layer was looked at as bits, one for each of
    /// its rows. `None` if no body is left.
    pub(crate) fn level_next(&mut self) -> Option<u64> {
        if self.work.levelling.is_none() && self.work.bodies.is_empty() {
            return None;
        }
        let mut left = LAYER_CELLS;
        while left > 0 {
            let levelling = self
                .work
                .levelling
                .take()
                .or_else(|| Some(Levelling::new(self.work.bodies.pop()?)));
            let Some(levelling) = levelling else { break };
            self.level(levelling, &mut left);
        }
        Some((LAYER_CELLS - left) as u64)
    }

    /// Goes on with a levelling until it is done or as many cells as are `left` have been looked
    /// at; then keeps it.
    fn level(&mut self, mut levelling: Levelling, left: &mut usize) {
        if levelling.is_new() && self.is_idle(&levelling.body, left) {
            return self.work.flooded.recycle(levelling.body);
        }
        if self.settle(&mut levelling, left) {
            self.draw_one_by_one(&mut levelling, left);
        }
        if levelling.drawers.as_ref().is_some_and(Vec::is_empty) {
            if let Some(place) = levelling.unserved {
                self.wake_neighbourhood(place);
            }
            self.work.flooded.recycle(levelling.body);
        } else {
            self.work.levelling = Some(levelling);
        }
    }

    /// Whether it can be told of a body that nobody draws from it.
    fn is_idle(&self, body: &Body, left: &mut usize) -> bool {
        *left = left.saturating_sub(LAYER_ROWS);
        self.is_film(body) || self.is_all_touched(body)
    }

    /// Whether a body is no more than cells of one unit beside each other in one layer of one
    /// chunk, as rain leaves them: a dry cell beside them stands one unit lower, and who draws
    /// two.
    fn is_film(&self, body: &Body) -> bool {
        let is_deeper = |voxel: Voxel| voxel.height() > 1;
        match body.pieces[..] {
            [Piece { slot, layer, cells }] => {
                self.store.select_among(slot, layer, cells, is_deeper).is_empty()
            }
            _ => false,
        }
    }

    /// Whether all of a body has moved in this tick, as falling water does: then nobody draws.
    fn is_all_touched(&self, body: &Body) -> bool {
        let touched = |piece: &Piece| {
            self.work.get(piece.slot, piece.layer).map_or(LayerMask::NONE, |work| work.touched)
        };
        body.pieces.iter().all(|piece| (piece.cells - touched(piece)).is_empty())
    }

    /// Goes on to settle who draws from a body, and from which surface. `false` if as many cells as
    /// are `left` have been looked at before that is done.
    fn settle(&mut self, levelling: &mut Levelling, left: &mut usize) -> bool {
        if !self.find_surface(levelling, left) {
            return false;
        }
        if levelling.drawers.is_some() {
            return true;
        }
        if levelling.surface.is_none() {
            levelling.drawers = Some(Vec::new());
            return true;
        }
        let highest = levelling.surface.head - 2;
        let gathering =
            levelling.gathering.get_or_insert_with(|| Gathering::new(highest, DRAWS_PER_BODY));
        let is_complete = self.gather(&levelling.body.pieces, gathering, left);
        if is_complete && let Some(gathering) = levelling.gathering.take() {
            let (drawers, unheard) = gathering.chosen();
            levelling.drawers =
                Some(drawers.into_iter().rev().map(|(_, _, place)| place).collect());
            levelling.unheard = unheard;
        }
        is_complete
    }

    /// Goes on with the look for a surface, if one is underway. `false` if it is not done when as
    /// many cells as are `left` have been looked at.
    fn find_surface(&mut self, levelling: &mut Levelling, left: &mut usize) -> bool {
        let Some(survey) = &mut levelling.survey else { return true };
        let is_complete = self.survey(&levelling.body.pieces, survey, left);
        if is_complete && let Some(survey) = levelling.survey.take() {
            levelling.surface = survey.surface(self.store);
        }
        is_complete
    }

    /// Lets the drawers draw one after another, until all have or as many cells as are `left` have
    /// been looked at.
    fn draw_one_by_one(&mut self, levelling: &mut Levelling, left: &mut usize) {
        while *left > 0
            && let Some(&place) = levelling.drawers.as_ref().and_then(|drawers| drawers.last())
        {
            match self.draw_from(place, levelling, left) {
                Outcome::Underway => return,
                Outcome::Level if !levelling.unheard => {}
                Outcome::Level | Outcome::Unserved => levelling.unserved = Some(place),
            }
            if let Some(drawers) = &mut levelling.drawers {
                drawers.pop();
            }
            *left = left.saturating_sub(1);
        }
    }

    /// Draws for one cell until it is level with the surface or full, or as many cells as are
    /// `left` have been looked at.
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
        loop {
            if !self.find_surface(levelling, left) {
                return Err(Outcome::Underway);
            }
            let Levelling { surface, draws, .. } = levelling;
            if self.store.read(place).room() == 0 || surface.head < own + 2 {
                return Err(Outcome::Level);
            }
            let Some(goal) = surface.cells.nearest(self.store, place) else {
                levelling.survey = Some(Survey::below(surface.head));
                continue;
            };
            let spent = self.limits.left(self.store.read(goal), self.work.passed(goal)) == 0;
            if spent || self.crest_head(goal) != Some(surface.head) || goal == place {
                *left = left.checked_sub(1).ok_or(Outcome::Underway)?;
                let mut vain = self.spent_sources(surface.cells.last_piece());
                vain.insert(goal.cell());
                surface.cells.remove_from_last(vain);
                continue;
            }
            *draws = draws.checked_sub(1).ok_or(Outcome::Unserved)?;
            return Ok(goal);
        }
    }

    /// The sources of a piece that can give no more in this tick. Of the springs under a wide
    /// surface, which stand as high as it, the near ones are soon spent.
    fn spent_sources(&self, piece: Option<&Piece>) -> LayerMask {
        let Some(&Piece { slot, layer, cells }) = piece else { return LayerMask::NONE };
        let mut spent = cells & self.store.sources(slot, layer);
        for cell in spent.iter() {
            let place = Place::in_layer(slot, layer, cell);
            if self.limits.left(self.store.read(place), self.work.passed(place)) > 0 {
                spent.remove(cell);
            }
        }
        spent
    }

    /// Units that all cells of a path may still pass on in this tick. They lie in one layer of one
    /// chunk.
    fn left_along(&self, path: &[Step]) -> u8 {
        let Some(&(first, _)) = path.first() else { return u8::MAX };
        let layer = self.layer_of(first);
        let left = |(place, _): &Step| {
            let cell = place.cell();
            self.limits.left(layer.voxel(cell), layer.passed(cell))
        };
        path.iter().map(left).min().unwrap_or(u8::MAX)
    }

    /// Moves what half the difference of the heads, the room and the way allow from the end of a
    /// path to `to`.
    fn carry(&mut self, path: &[Step], to: Place, own: i64) {
        let Some(&(from, _)) = path.last() else { return };
        let source = self.store.read(from);
        let available = if source.has(CellFlags::IS_SOURCE) { FULL } else { source.height() };
        let half =
            self.crest_head(from).map_or(0, |head| (head - own) / 2).clamp(0, i64::from(FULL))
                as u8;
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
fn lie_in_one_layer((a, _): &Step, (b, _): &Step) -> bool {
    (a.slot, a.layer()) == (b.slot, b.layer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Face;
    use crate::water::context::layer_record::LayerWork;
    use crate::water::context::test_worlds;
    use crate::water::voxel::Voxel;
    use crate::water::{Rules, WaterCell, WaterWorld};
    use glam::IVec3;

    /// Over a chunk border, and up and down, so that it comes back to layers that it has left.
    #[test]
    fn water_is_carried_along_a_path_as_it_passes_from_cell_to_cell() {
        let cells = [
            (14, 12),
            (14, 13),
            (15, 13),
            (15, 12),
            (16, 12),
            (16, 13),
            (16, 14),
            (16, 15),
            (17, 15),
        ];
        for (narrow, at_most) in
            (0..cells.len()).flat_map(|narrow| [(narrow, 1), (narrow, 3), (narrow, 7)])
        {
            let [mut world, mut other] = [(); 2].map(|()| {
                let mut world = WaterWorld::new(1, Rules::lossless()).expect("rules in range");
                for x in 0..2 {
                    let full = Chunk::uniform(Voxel::OPEN.with_height(FULL));
                    world.insert_chunk(IVec3::X * x, full).expect("none is there");
                }
                assert_eq!(world.scoop(IVec3::new(13, 12, 5), 5), Ok(5));
                test_worlds::put_to_sleep(&mut world.store);
                world
            });
            let place = |(x, y): (i32, i32)| {
                let cell = IVec3::new(x, y, 5);
                world.place(cell).expect("loaded")
            };
            let to = place((13, 12));
            let mut path: Vec<Step> = Vec::new();
            for cell in cells {
                let before = path.last().map_or(to, |&(before, _)| before);
                let exit = Face::ALL
                    .into_iter()
                    .find(|&face| world.store.step(place(cell), face) == before);
                path.push((place(cell), exit.expect("the cell before lies beside it")));
            }
            let (mut tick, mut plainly) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for tick in [&mut tick, &mut plainly] {
                tick.pass_on(path[narrow].0, Face::Up, FULL - at_most);
            }
            let own = head(12, 2);
            tick.carry(&path, to, own);
            let units = at_most.min(5);
            plainly.take(path[cells.len() - 1].0, units);
            for &(place, exit) in path.iter().rev() {
                plainly.pass_on(place, exit, units);
                plainly.wake_cell(place);
            }
            plainly.receive(to, path[0].1.opposite(), units, plainly.store.read(to).largest());

            assert_eq!(tick.report, plainly.report, "{narrow}, {at_most}");
            for (slot, layer) in tick
                .store
                .grid
                .sorted_slots()
                .into_iter()
                .flat_map(|slot| (0..16).map(move |at| (slot, at)))
            {
                let marks = |work: &LayerWork| {
                    (work.flow, work.inflow, [work.touched, work.woken, work.blocked])
                };
                let [here, there] =
                    [&tick, &plainly].map(|tick| tick.work.get(slot, layer).map(marks));
                assert_eq!(here, there, "{narrow}, {at_most}");
                assert_eq!(
                    tick.awake(slot, layer),
                    plainly.awake(slot, layer),
                    "{narrow}, {at_most}"
                );
                let [here, there] =
                    [&tick, &plainly].map(|tick| tick.store.select(slot, layer, Voxel::is_closed));
                assert_eq!(here, there, "{narrow}, {at_most}");
            }
            assert_eq!(tick.store.read(to).height(), 2 + units);
        }
    }

    /// Puddles on a floor, most of them of single units; in every other world most water has moved.
    #[test]
    fn nobody_draws_from_a_film_nor_from_what_has_moved() {
        let (mut films, mut moved, mut others) = (0, 0, 0);
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut cells = [Voxel::OPEN; 16 * LAYER_CELLS];
            cells[..LAYER_CELLS].fill(Voxel::SOLID);
            for cell in &mut cells[LAYER_CELLS..2 * LAYER_CELLS] {
                *cell = match random.u8(..60) {
                    0..20 => Voxel::OPEN.with_height(1),
                    20 => Voxel::OPEN.with_height(random.u8(2..8)),
                    21 => Voxel::water(WaterCell::SOURCE),
                    22..26 => Voxel::SOLID,
                    _ => Voxel::OPEN,
                };
            }
            let mut world = WaterWorld::new(seed, Rules::lossless()).expect("rules in range");
            world.insert_chunk(IVec3::ZERO, Chunk::from_cells(&cells)).expect("none is there");
            world.wake_all();
            let slot = world.store.grid.sorted_slots()[0];
            let mut tick = test_worlds::tick(&mut world);
            if seed % 2 == 1 {
                let still = 1 << random.u32(..64) | 1 << random.u32(..64);
                tick.work.join(tick.store, slot, 1).touched = LayerMask::from_words([!still; 4]);
            }
            test_worlds::flood(&mut tick, slot, 1);
            for body in core::mem::take(&mut tick.work.bodies) {
                let (is_film, has_moved) = (tick.is_film(&body), tick.is_all_touched(&body));
                let mut levelling = Levelling::new(body);
                assert!(tick.settle(&mut levelling, &mut { usize::MAX }), "seed {seed}");
                let drawers = levelling.drawers.map_or(0, |drawers| drawers.len());
                assert!(!(is_film || has_moved) || drawers == 0, "seed {seed}");
                films += u32::from(is_film);
                moved += u32::from(has_moved && !is_film);
                others += u32::from(drawers > 0);
            }
        }
        assert!(
            films > 100 && moved > 20 && others > 20,
            "{films} films, {moved} moved, {others} with drawers"
        );
    }

    /// Bodies over several layers, in some of which all water has moved.
    #[test]
    fn a_body_has_moved_if_all_its_cells_have() {
        let mut found = [0; 3];
        for seed in 0..24 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid.sorted_slots();
            let layers: Vec<_> =
                slots.iter().flat_map(|&slot| (0..16).map(move |layer| (slot, layer))).collect();
            world.wake_all();
            let mut tick = test_worlds::tick(&mut world);
            for &(slot, layer) in &layers {
                let touched = if random.u8(..4) > 0 { LayerMask::ALL } else { LayerMask::NONE };
                tick.work.join(tick.store, slot, layer).touched = touched;
            }
            for &(slot, layer) in &layers {
                test_worlds::flood(&mut tick, slot, layer);
            }
            for body in core::mem::take(&mut tick.work.bodies) {
                let moved = |piece: &&Piece| {
                    tick.work
                        .get(piece.slot, piece.layer)
                        .is_some_and(|work| work.touched == LayerMask::ALL)
                };
                let count = body.pieces.iter().filter(moved).count();
                assert_eq!(tick.is_all_touched(&body), count == body.pieces.len(), "seed {seed}");
                found[usize::from(count > 0) + usize::from(count == body.pieces.len())] += 1;
            }
        }
        assert!(
            found.iter().all(|&bodies| bodies > 20),
            "{found:?} bodies at rest, in part, and all in motion"
        );
    }
    #[test]
    fn units_pass_along_a_path_as_they_pass_from_cell_to_cell() {
        let mut random = fastrand::Rng::with_seed(12);
        let (mut passed_on, mut exhausted, mut woken) = (0, 0, 0);
        for seed in 0..6 {
            let [mut world, mut other] = [(); 2].map(|()| {
                let mut world = test_worlds::springs(seed);
                if seed % 2 == 1 {
                    test_worlds::put_to_sleep(&mut world.store);
                }
                world
            });
            let slots = world.store.grid.sorted_slots();
            let (mut tick, mut plainly) =
                (test_worlds::tick(&mut world), test_worlds::tick(&mut other));
            for (slot, layer) in
                slots.into_iter().flat_map(|slot| (0..64).map(move |at| (slot, at % 16)))
            {
                let wet = tick.store.layer(slot, layer).wet.iter();
                let mut path: Vec<Step> = Vec::new();
                for cell in wet {
                    let exit = Face::ALL[random.usize(..6)];
                    path.extend(
                        (random.u8(..3) == 0).then_some((Place::in_layer(slot, layer, cell), exit)),
                    );
                }
                let left = path.iter().map(|&(place, _)| {
                    plainly.limits.left(plainly.store.read(place), plainly.work.passed(place))
                });
                let left = left.min().unwrap_or(u8::MAX);
                assert_eq!(tick.left_along(&path), left, "seed {seed}");
                if path.is_empty() || left == 0 {
                    continue;
                }
                let units = random.u8(1..=left);
                let awake_before = tick.awake(slot, layer);
                tick.pass_along_in_layer(&path, units);
                for &(place, exit) in &path {
                    plainly.pass_on(place, exit, units);
                    plainly.wake_cell(place);
                }
                let (here, there) = (tick.work.get(slot, layer), plainly.work.get(slot, layer));
                let (here, there) = (here.expect("it has joined"), there.expect("it has joined"));
                let marks = |work: &LayerWork| [work.touched, work.woken, work.blocked];
                assert_eq!((here.flow, marks(here)), (there.flow, marks(there)), "seed {seed}");
                assert_eq!(tick.awake(slot, layer), plainly.awake(slot, layer), "seed {seed}");
                assert_eq!(tick.report, plainly.report, "seed {seed}");
                passed_on += path.len();
                exhausted += here.blocked.count();
                woken += (tick.awake(slot, layer) - awake_before).count();
            }
        }
        assert!(passed_on > 500 && exhausted > 50, "{passed_on} cells, {exhausted} exhausted");
        assert!(woken > 100, "{woken} cells slept");
    }
}
