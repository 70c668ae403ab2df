//! Levelling: walks through the bodies with an awake cell or moving water, and makes a pass over
//! each body that is not level.
//!
//! The work of a tick follows from seed, tick and water alone. A body that is not level has an
//! awake cell, so none is missed; level bodies with an awake cell are walked through and left as
//! they are. A large body in which little water flows is levelled only in ticks that are drawn by
//! its size. The passes come in the order of a hash.

use crate::chunk::LayerMask;
use crate::grid::LayerId;
use crate::water::pools::Pools;
use crate::water::pools::layer::Levels;
use crate::water::pools::pass::pass_over;
use crate::water::pools::walk::{Extent, Walk, flowed_unsteadily, passed_steadily};
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::store::changed::dirty_layers::{
    next_dirty, note_label, note_no_label, within_two_steps,
};
use crate::water::store::{LAYER_ROWS, Place};
use core::cmp::Reverse;
use core::ops::Range;
use glam::IVec3;
use hashbrown::HashMap;

/// Bodies in which water has flowed in the tick are levelled in every tick if they are small, or if
/// they have no more pieces than a limit: `CALM`, plus `FOR_EACH` for each cell of a piece through
/// which water has flowed. A body twice as large as the limit is levelled in every second tick on
/// average, and so on. Bodies without flow are levelled in the tick in which they are found: their
/// last awake cell may be about to fall asleep.
const CALM: usize = 8;
const FOR_EACH: usize = 4;

/// A body gets a label if it has more pieces than this. A smaller body is walked through in less
/// time than a label takes to maintain.
const SMALL: usize = 8;

/// The greatest number of pieces of a body for which a second pass in the same tick is ruled out.
const COUNTED: usize = 256;

/// The difference of levels at which water moves in a body.
pub(crate) const STEP: i64 = 2;

/// How far a tick's levelling has come.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not begun.
    #[default]
    Rest,
    /// The labels are updated for changes of the water.
    Refresh,
    /// The pieces with awake cells are gathered.
    Find,
    /// The bodies of these pieces are walked through.
    Walk,
    /// Passes are made over the bodies that are not level.
    Pass,
}

/// Finds the bodies that are not level. Returns the cells charged; `None` if all are found.
pub(crate) fn find_bodies(tick: &mut Tick, pools: &mut Pools) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    while pools.pays(&mut budget) {
        match pools.stage {
            Stage::Rest => {
                pools.walk.begin(false);
                pools.stage = Stage::Refresh;
            }
            Stage::Refresh => match next_dirty(tick.store) {
                Some((slot, marks)) => {
                    let looked = pools.labels.refresh(tick, slot, marks.levels, marks.structure);
                    let near = within_two_steps(tick.store, slot);
                    if looked.is_none() && !near.iter().any(|&slot| pools.labels.has_any(slot)) {
                        note_no_label(tick.store, slot);
                    }
                    note_labels(tick, pools);
                    pools.debt += 1 + LAYER_ROWS * looked.unwrap_or_default();
                }
                None => pools.stage = Stage::Find,
            },
            Stage::Find => match tick.scratch.next_in_sweep() {
                Some(layer) => {
                    pools.debt += 1;
                    gather(tick, pools, layer);
                }
                None => {
                    // The pieces whose bodies may be the largest come first.
                    pools.starts.sort_by_key(|start| start.most);
                    pools.stage = Stage::Walk;
                }
            },
            Stage::Walk => match pools.starts.pop() {
                Some(start) => judge(tick, pools, &start),
                None => {
                    let key = |&(key, place): &(u64, Place)| {
                        Reverse((key, tick.store.position(place).to_array()))
                    };
                    pools.unlevel.sort_by_cached_key(key);
                    pools.stage = Stage::Pass;
                    break;
                }
            },
            Stage::Pass => break,
        }
    }
    (budget.spent() > 0).then(|| budget.spent())
}

/// Levels the bodies that were found. Returns the cells charged; `None` if all are levelled.
pub(crate) fn level_bodies(tick: &mut Tick, pools: &mut Pools) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    while pools.pays(&mut budget) {
        if pools.stage != Stage::Pass {
            break;
        }
        match pools.unlevel.pop() {
            Some((_, place)) => level_body(tick, pools, place),
            None => {
                let is_quiet = tick.scratch.schedule.members().is_empty();
                pools.end(is_quiet);
            }
        }
    }
    (budget.spent() > 0).then(|| budget.spent())
}

/// Gathers the pieces of a layer with awake cells or moved water, except pieces known to be level.
fn gather(tick: &Tick, pools: &mut Pools, layer: LayerId) {
    let wet = tick.store.layer(layer).wet;
    // Most falling water belongs to no body.
    if wet.is_empty() || (wet & tick.store.supported(layer)).is_empty() {
        return;
    }
    let (touched, steady) = (flowed_unsteadily(tick, layer), passed_steadily(tick, layer));
    let mut cells = (touched | (tick.awake_unparked(layer) - steady)) & wet;
    cells -= pools.labels.level_cells(layer);
    if cells.is_empty() {
        return;
    }
    let index = pools.walk.index_or_read(tick, layer);
    let at = *pools.walk.layer(index);
    cells &= at.supported;
    while let Some(cell) = cells.iter().next() {
        let piece = at.joined(LayerMask::single(cell), at.supported);
        cells -= piece;
        if is_level_film(tick, layer, piece) {
            continue;
        }
        let flowing = (piece & touched).count() as usize;
        let most = if flowing == 0 { 0 } else { CALM + FOR_EACH * flowing };
        pools.starts.push(Start { most, layer: index, cell });
    }
}

/// Returns whether a piece is certainly a whole body, and its levels differ by less than [`STEP`]:
/// a film a unit high, as most water on a slope in the rain is, or full cells on solid ground that
/// a spring feeds, which do not push water out of their sides.
pub(super) fn is_level_film(tick: &Tick, layer: LayerId, piece: LayerMask) -> bool {
    let is_low = |cell| tick.store.read(Place::in_layer(layer, cell)).height() == 1;
    let above = tick.store.upper_layer(layer);
    let is_level = || {
        if (piece - tick.store.layer(layer).closed).is_empty() {
            let is_fed = (piece - tick.store.connected(layer)).is_empty();
            is_fed && !above.is_some_and(|it| (piece & tick.store.layer(it).wet).any())
        } else {
            let is_below_spring = above.is_some_and(|it| (piece & tick.store.springs(it)).any());
            !is_below_spring && piece.iter().all(is_low)
        }
    };
    let is_alone = || {
        (piece & tick.store.over_water(layer)).is_empty()
            && !piece.leaving().into_iter().any(LayerMask::any)
    };
    piece.is_sparse() && tick.store.coast(layer.slot).is_none() && is_level() && is_alone()
}

/// Walks through the body of a piece, unless that was done, and lists the body if it is not level.
fn judge(tick: &mut Tick, pools: &mut Pools, &Start { most, layer, cell }: &Start) {
    if pools.walk.piece_at(layer, cell).is_some() {
        return;
    }
    let most = most << tick.scratch.random().trailing_zeros().min(32);
    let (body, extent) = pools.walk.explore(tick, (layer, cell), most);
    pools.debt += LAYER_ROWS * body.len();
    if extent == Extent::Larger {
        return;
    }
    let levels = pools.walk.levels(tick, body.clone());
    if levels.differ_by(STEP) {
        if pools.walk.is_steady(tick, body.clone()) {
            // Steady flow keeps the surface of the body as it is, until a tick in which the flow
            // yields.
            wake_body(tick, &pools.walk, body);
            return;
        }
        pools.unlevel.extend(pools.walk.anchor(tick, body));
    } else if body.len() > SMALL {
        pools.keep(body, levels);
        note_labels(tick, pools);
    }
}

/// Makes the store record changes around the chunks that have got labels.
fn note_labels(tick: &mut Tick, pools: &mut Pools) {
    while let Some(slot) = pools.labels.next_entered() {
        note_label(tick.store, slot);
    }
}

/// Makes a pass over the body of a cell, if the cell still belongs to one.
fn level_body(tick: &mut Tick, pools: &mut Pools, place: Place) {
    let walk = &mut pools.walk;
    walk.begin(true);
    let layer = walk.index_or_read(tick, place.layer_id());
    if !walk.layer(layer).supported.contains(place.cell()) {
        return;
    }
    let (body, _) = walk.explore(tick, (layer, place.cell()), usize::MAX);
    pools.debt += LAYER_ROWS * body.len();
    let levels = walk.levels(tick, body);
    if !levels.differ_by(STEP) {
        return;
    }
    // In larger bodies, the units that pass a cell are not counted.
    let mut was_passed = false;
    if walk.pieces.len() <= COUNTED {
        for piece in &walk.pieces {
            let at = walk.layer(piece.layer);
            let passed = pools.passed.entry(at.layer).or_insert(LayerMask::NONE);
            was_passed |= (piece.cells & *passed).any();
            *passed |= piece.cells;
        }
    }
    if was_passed || pass_over(tick, walk, levels) == 0 {
        wake_body(tick, walk, 0..walk.pieces.len());
    }
}

/// Keeps a body from falling asleep: wakes the fullest cell of its lowest layer. That cell keeps
/// water in the next flow, while the cells of a film may lose their water.
fn wake_body(tick: &mut Tick, walk: &Walk, body: Range<usize>) {
    let places = walk.pieces[body].iter().flat_map(|piece| {
        let at = walk.layer(piece.layer);
        let place = |cell| Place::in_layer(at.layer, cell);
        let fullest = piece.cells.iter().map(place);
        fullest.max_by_key(|&place| tick.store.read(place).height())
    });
    let key = |&place: &Place| {
        let IVec3 { x, y, z } = tick.store.position(place);
        (y, Reverse(tick.store.read(place).height()), x, z)
    };
    if let Some(place) = places.min_by_key(key) {
        tick.wake_cell(place);
    }
}

/// A cell of a piece whose body is to be walked through.
pub(crate) struct Start {
    /// The number of pieces up to which the body is levelled if water flows in it.
    most: usize,
    layer: u32,
    cell: usize,
}

impl Pools {
    /// Records that a body is within these levels.
    fn keep(&mut self, body: Range<usize>, levels: Levels) {
        let walk = &self.walk;
        let pieces = walk.pieces[body].iter().map(|piece| {
            let layer = walk.layer(piece.layer);
            (layer.layer, &piece.cells)
        });
        self.labels.add(pieces, levels);
    }

    /// Ends the levelling of a tick. If nothing is awake in the tick, frees the buffers.
    fn end(&mut self, is_quiet: bool) {
        self.walk.begin(false);
        (self.unlevel, self.starts) = (Vec::new(), Vec::new());
        self.passed.clear();
        self.stage = Stage::Rest;
        if is_quiet {
            self.walk = Walk::default();
            self.passed = HashMap::new();
        }
    }

    /// Charges to the budget the work that was done without interruption. Returns whether any of
    /// the budget is left.
    fn pays(&mut self, budget: &mut Budget) -> bool {
        let paid = self.debt.min(budget.left());
        self.debt -= paid;
        budget.spend(paid);
        !budget.is_spent()
    }
}
