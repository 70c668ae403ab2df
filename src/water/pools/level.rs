//! Levelling: surveys the bodies with an awake cell or moving water, and makes a pass over each
//! body that is not level.
//!
//! The work of a tick follows from seed, tick and water alone. A body that is not level has an
//! awake cell, so none is missed; level bodies with an awake cell are surveyed and left as they
//! are. A large body in which little water flows is levelled only in ticks that are drawn by its
//! size.
//!
//! The bodies that reach beyond the columns of a single tile are levelled first: small bodies that
//! came before them would hold a large one back that is about to take them up. Then follow the
//! other bodies, tile by tile, and threads may share the tiles: such a body and all that a pass
//! over it reads and writes are within the tile's scope. Bodies that have meanwhile grown beyond
//! their tile come last. Within each group, the passes come in the order of a hash.

use crate::chunk::LayerMask;
use crate::grid::LayerId;
use crate::water::flow::fallen;
use crate::water::pools::labels::Labels;
use crate::water::pools::layer::{AROUND, Levels, contact};
use crate::water::pools::pass::Pass;
use crate::water::pools::survey::Survey;
use crate::water::pools::walk::{Extent, Piece, Walk, Within, flowed_unsteadily, passed_steadily};
use crate::water::scratch::Tick;
use crate::water::scratch::tiles::Rank;
use crate::water::store::Place;
use core::cmp::Reverse;
use core::ops::Range;
use glam::IVec3;
use hashbrown::HashMap;

/// Bodies in which water has flowed in the tick are levelled in every tick if they are small, or if
/// their pieces have no more layers than a limit: `CALM`, plus `FOR_EACH` for each cell of a piece
/// through which water has flowed. A body twice as large as the limit is levelled in every second
/// tick on average, and so on. Bodies without flow are levelled in the tick in which they are
/// found: their last awake cell may be about to fall asleep.
const CALM: usize = 8;
const FOR_EACH: usize = 4;

/// A body gets a label if it has more pieces than this. A smaller body is surveyed in less time
/// than a label takes to maintain.
const WITHOUT_LABEL: usize = 8;

/// The greatest number of pieces of a body for which a second pass in the same tick is ruled out.
const COUNTED: usize = 256;

/// The difference of levels at which water moves in a body.
pub(crate) const STEP: i64 = 2;

/// Gathers the pieces of a layer with awake cells or moved water, except pieces known to be level.
/// Returns the number of pieces looked at.
pub(super) fn gather(
    tick: &Tick,
    labels: &Labels,
    walk: &mut Walk,
    layer: LayerId,
    starts: &mut Vec<Start>,
) -> usize {
    let wet = tick.store.layer(layer).wet;
    // Most falling water belongs to no body.
    if wet.is_empty() || (wet & tick.store.supported(layer)).is_empty() {
        return 0;
    }
    let (flowed, steady) = (flowed_unsteadily(tick, layer), passed_steadily(tick, layer));
    let mut cells = (flowed | (tick.awake_unparked(layer) - steady)) & wet;
    cells -= labels.level_cells(layer);
    if cells.is_empty() {
        return 0;
    }
    let index = walk.index_or_read(tick, layer);
    let at = *walk.layer(index);
    cells &= at.supported;
    let mut looked = 0;
    while let Some(cell) = cells.iter().next() {
        looked += 1;
        let piece = walk.joined(index, cell);
        cells -= piece;
        if is_level_alone(tick, layer, piece) {
            continue;
        }
        let flowing = (piece & flowed).count() as usize;
        let most = if flowing == 0 { 0 } else { CALM + FOR_EACH * flowing };
        starts.push(Start { most, place: Place::in_layer(layer, cell) });
    }
    looked
}

/// Returns whether a piece is certainly a whole body, and its levels differ by less than [`STEP`]:
/// a film a unit high, as most water on a slope in the rain is; full cells on solid ground that a
/// spring feeds, which do not push water out of their sides; springs, which have no surface.
pub(super) fn is_level_alone(tick: &Tick, layer: LayerId, piece: LayerMask) -> bool {
    if !piece.is_sparse() || tick.store.coast(layer.slot).is_some() {
        return false;
    }
    let is_low = |cell| tick.store.read(Place::in_layer(layer, cell)).height() == 1;
    let above = tick.store.upper_layer(layer);
    let is_below_spring = || above.is_some_and(|it| (piece & tick.store.springs(it)).any());
    let is_level = if (piece - tick.store.springs(layer)).is_empty() {
        true
    } else if (piece & tick.store.over_water(layer)).any() || is_below_spring() {
        false
    } else if (piece - tick.store.layer(layer).closed).is_empty() {
        (piece - tick.store.connected(layer)).is_empty()
    } else {
        piece.iter().all(is_low)
    };
    is_level && is_alone(tick, layer, piece)
}

/// Returns whether a piece is joined to no other piece. It may be called joined to a shallow of
/// another chunk.
fn is_alone(tick: &Tick, layer: LayerId, piece: LayerMask) -> bool {
    let is_beside = |face| {
        contact(tick, layer, face, piece).is_some_and(|(there, joints)| {
            ((joints & tick.store.layer(there).wet) - fallen(tick, there)).any()
        })
    };
    !AROUND.into_iter().any(is_beside)
}

/// Begins to survey the body of a piece; `None` if the piece was found before.
pub(super) fn begin_survey(tick: &Tick, walk: &mut Walk, start: Start) -> Option<Survey> {
    let (layer, cell) = (walk.index_or_read(tick, start.place.layer_id()), start.place.cell());
    if walk.piece_at(layer, cell).is_some() {
        return None;
    }
    let most = start.most << tick.scratch.random().trailing_zeros().min(32);
    Some(Survey::begin(tick, walk, (layer, cell), most))
}

/// Adds a body that was surveyed from `start` to `found` if it is not level, may get a label, or
/// reaches beyond the tile.
pub(super) fn judge(
    tick: &mut Tick,
    walk: &Walk,
    start: Start,
    (survey, extent): (&Survey, Extent),
    found: &mut Found,
) {
    match extent {
        Extent::Larger => return,
        Extent::Beyond => return found.beyond.push(start),
        Extent::Whole => {}
    }
    let (body, levels) = (survey.body(walk), survey.levels());
    if levels.differ_by(STEP) {
        if walk.is_steady(tick, body.clone()) {
            // Steady flow keeps the surface of the body as it is, until a tick in which the flow
            // yields.
            wake_body(tick, walk, body);
            return;
        }
        if let Some((key, place)) = walk.anchor(tick, body) {
            found.unlevel.push(Unlevel { key, place, within: walk.within });
        }
    } else if body.len() > WITHOUT_LABEL {
        let layers = |piece: &Piece| {
            let cells = piece.cells;
            walk.layers_of(piece).map(move |layer| (layer, cells))
        };
        found.level.push((walk.pieces[body].iter().flat_map(layers).collect(), levels));
    }
}

/// The levelling of a body. It can stop after any piece of the body.
pub(crate) struct Levelling {
    body: Unlevel,
    stage: Stage,
}

enum Stage {
    Survey(Survey),
    Pass(Box<Pass>),
}

/// How the levelling of a body has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing is left to do for the body in this tick.
    Levelled,
    /// The body reaches beyond the part of the world to which it was confined. It is unchanged.
    Outgrown,
}

impl Levelling {
    /// Begins to level the body of a cell; `None` if the cell no longer belongs to one.
    pub(super) fn begin(tick: &Tick, walk: &mut Walk, body: Unlevel) -> Option<Self> {
        walk.begin(body.within, true);
        let layer = walk.index_or_read(tick, body.place.layer_id());
        let start = (layer, body.place.cell());
        walk.charge(1);
        let is_in_body = walk.layer(layer).supported.contains(start.1);
        is_in_body.then(|| {
            let survey = Survey::begin(tick, walk, start, usize::MAX);
            Levelling { body, stage: Stage::Survey(survey) }
        })
    }

    /// Does the next part. Adds the cells of the body to `passed` before it passes over them;
    /// `before` has cells that were passed over earlier in the tick. Returns the outcome once the
    /// levelling is complete.
    pub(super) fn advance(
        &mut self,
        tick: &mut Tick,
        walk: &mut Walk,
        (before, passed): (&Passed, &mut Passed),
    ) -> Option<Outcome> {
        match &mut self.stage {
            Stage::Survey(survey) => match survey.advance(tick, walk)? {
                Extent::Beyond => return Some(Outcome::Outgrown),
                _ if !survey.levels().differ_by(STEP) => return Some(Outcome::Levelled),
                _ if was_passed(walk, before, passed) => wake_body(tick, walk, survey.body(walk)),
                _ => {
                    self.stage = Stage::Pass(Box::new(Pass::new(survey.levels())));
                    return None;
                }
            },
            Stage::Pass(pass) => {
                if pass.advance(tick, walk)? == 0 {
                    wake_body(tick, walk, 0..walk.pieces.len());
                }
            }
        }
        Some(Outcome::Levelled)
    }

    /// Completes the levelling.
    #[cfg(feature = "rayon")]
    pub(super) fn complete(
        mut self,
        tick: &mut Tick,
        walk: &mut Walk,
        (before, passed): (&Passed, &mut Passed),
    ) -> Outcome {
        loop {
            if let Some(outcome) = self.advance(tick, walk, (before, passed)) {
                return outcome;
            }
        }
    }

    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        match &self.stage {
            Stage::Survey(_) => 0,
            Stage::Pass(pass) => size_of::<Pass>() + pass.memory_bytes(),
        }
    }

    /// Returns the units that cells and the sea have received and that no cell has given yet.
    pub(super) fn units_ahead(&self) -> i64 {
        match &self.stage {
            Stage::Survey(_) => 0,
            Stage::Pass(pass) => pass.units_ahead(),
        }
    }

    /// Returns the body.
    pub(super) fn body(&self) -> Unlevel {
        self.body
    }
}

/// Adds the cells of a small body to `passed`. Returns whether any of them was passed over earlier
/// in the tick. In larger bodies, the units that pass a cell are not counted.
fn was_passed(walk: &Walk, before: &Passed, passed: &mut Passed) -> bool {
    let mut was_passed = false;
    if walk.pieces.len() <= COUNTED {
        let layers = |piece| walk.layers_of(piece).map(move |layer| (piece, layer));
        for (piece, layer) in walk.pieces.iter().flat_map(layers) {
            let passed = passed.entry(layer).or_insert(LayerMask::NONE);
            let before = before.get(&layer).map_or(*passed, |before| *before | *passed);
            was_passed |= (piece.cells & before).any();
            *passed |= piece.cells;
        }
    }
    was_passed
}

/// Keeps a body from falling asleep: wakes the fullest cell of its lowest layer. That cell keeps
/// water in the next flow, while the cells of a film may lose their water.
fn wake_body(tick: &mut Tick, walk: &Walk, body: Range<usize>) {
    let pieces = &walk.pieces[body];
    let layer = |piece: &Piece| walk.layer(piece.layer).layer;
    let Some(lowest) = pieces.iter().map(|piece| tick.store.layer_y(layer(piece))).min() else {
        return;
    };
    let places = pieces
        .iter()
        .filter(|piece| tick.store.layer_y(layer(piece)) == lowest)
        .flat_map(|piece| piece.cells.iter().map(|cell| Place::in_layer(layer(piece), cell)));
    let key = |&place: &Place| {
        let IVec3 { x, z, .. } = tick.store.position(place);
        (Reverse(tick.store.read(place).height()), x, z)
    };
    if let Some(place) = places.min_by_key(key) {
        tick.wake_cell(place);
    }
}

/// A cell from which a survey starts.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// The number of layers of pieces up to which the body is levelled if water flows in it.
    pub(super) most: usize,
    pub(super) place: Place,
}

/// A cell of a body that is not level.
#[derive(Clone, Copy)]
pub(crate) struct Unlevel {
    /// A random number.
    key: u64,
    pub(super) place: Place,
    /// The tile to which the body is confined, or the world.
    pub(super) within: Within,
}

impl Unlevel {
    /// Returns the tile to which the body is confined, if any. The order of the passes is that of
    /// these values.
    pub(super) fn tile(&self) -> Option<Rank> {
        match self.within {
            Within::Tile(tile) => Some(tile),
            Within::World => None,
        }
    }

    /// Returns the place of the body in the order of the passes.
    pub(super) fn order(&self, tick: &Tick) -> impl Ord + use<> {
        (self.tile(), self.key, tick.store.position(self.place).to_array())
    }

    /// Returns the body as one that is not confined to a tile.
    pub(super) fn in_world(self) -> Self {
        Unlevel { within: Within::World, ..self }
    }
}

/// The cells of bodies over which passes were made in this tick, by layer. A pass may join two of
/// these bodies. Then the second pass is left to the next tick, since its ways may have been used.
pub(crate) type Passed = HashMap<LayerId, LayerMask>;

/// What surveys have found.
#[derive(Default)]
pub(crate) struct Found {
    pub(super) unlevel: Vec<Unlevel>,
    /// The pieces of each body that is level, and its levels.
    pub(super) level: Vec<(Vec<(LayerId, LayerMask)>, Levels)>,
    /// The starts of bodies that reach beyond their tile.
    pub(super) beyond: Vec<Start>,
}

impl Found {
    /// Returns the bytes held on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        let of_body = |(pieces, _): &(Vec<(LayerId, LayerMask)>, Levels)| {
            pieces.capacity() * size_of::<(LayerId, LayerMask)>()
        };
        self.unlevel.capacity() * size_of::<Unlevel>()
            + self.level.capacity() * size_of::<(Vec<(LayerId, LayerMask)>, Levels)>()
            + self.level.iter().map(of_body).sum::<usize>()
            + self.beyond.capacity() * size_of::<Start>()
    }
}
