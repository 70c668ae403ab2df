//! The stages of levelling in a tick: labels are updated, bodies are surveyed, tile by tile and
//! then beyond tiles, level bodies get labels, and the other bodies are levelled, large ones first.
//! A stage can stop after any chunk, layer, part of a body or label; only the lists of bodies are
//! sorted at once.

use crate::grid::LayerId;
use crate::water::pools::Pools;
use crate::water::pools::level::{
    Found, Levelling, Outcome, Start, Unlevel, begin_survey, gather, judge,
};
use crate::water::pools::walk::{Walk, Within};
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
use crate::water::scratch::tiles::Rank;
use crate::water::store::LAYER_ROWS;
use crate::water::store::changed::dirty_layers::{
    next_dirty, note_label, note_no_label, within_two_steps,
};
use core::cmp::Reverse;
use hashbrown::HashMap;
#[cfg(feature = "rayon")]
use {
    crate::chunk::{LayerMask, ones},
    crate::grid::Slot,
    crate::water::pools::level::Passed,
};

/// How far a tick's levelling has come.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not begun.
    #[default]
    Rest,
    /// The labels are updated for changes of the water.
    Refresh,
    /// The pieces with awake cells in a tile are gathered.
    Find,
    /// The bodies of these pieces are surveyed.
    Survey,
    /// The bodies that reach beyond a tile are surveyed.
    SurveyBeyond,
    /// The level bodies that were found get labels.
    Label,
    /// Passes are made over the bodies that are not level.
    Pass,
}

/// Finds the bodies that are not level. Returns the cells charged; `None` if all are found.
pub(crate) fn find_bodies(tick: &mut Tick, pools: &mut Pools) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    while pools.debt.pay(&mut budget) {
        match pools.stage {
            Stage::Rest => pools.stage = Stage::Refresh,
            Stage::Refresh => {
                if !refresh_next(tick, pools) {
                    pools.stage = Stage::Find;
                }
            }
            Stage::Find => gather_next(tick, pools),
            Stage::Survey => {
                if !survey_next(tick, pools) {
                    begin_next_tile(tick, pools);
                }
            }
            Stage::SurveyBeyond => {
                if !survey_next(tick, pools) {
                    pools.stage = Stage::Label;
                }
            }
            Stage::Label => {
                if !label_next(tick, pools) {
                    sort(tick, &mut pools.found.unlevel);
                    pools.stage = Stage::Pass;
                }
            }
            Stage::Pass => break,
        }
    }
    (budget.spent() > 0).then(|| budget.spent())
}

/// Levels the bodies that were found. Returns the cells charged; `None` if all are levelled.
pub(crate) fn level_bodies(tick: &mut Tick, pools: &mut Pools) -> Option<u64> {
    let mut budget = Budget::of_a_piece();
    let mut has_passed_large = false;
    while pools.debt.pay(&mut budget) && pools.stage == Stage::Pass {
        if let Some(levelling) = &mut pools.levelling {
            let passed = (&HashMap::new(), &mut pools.passed);
            if let Some(outcome) = levelling.advance(tick, &mut pools.walk, passed) {
                let body = levelling.body();
                has_passed_large = body.tile().is_none();
                if outcome == Outcome::Outgrown {
                    pools.outgrown.push(body.in_world());
                }
                pools.levelling = None;
            }
        } else {
            match pools.found.unlevel.pop() {
                // Threads may share what follows.
                Some(body) if body.tile().is_some() && has_passed_large => {
                    pools.found.unlevel.push(body);
                    break;
                }
                Some(body) => pools.levelling = Levelling::begin(tick, &mut pools.walk, body),
                None if !pools.outgrown.is_empty() => {
                    pools.found.unlevel.append(&mut pools.outgrown);
                    sort(tick, &mut pools.found.unlevel);
                }
                None => {
                    let is_quiet = tick.scratch.schedule.members().is_empty();
                    pools.end(is_quiet);
                }
            }
        }
        pools.debt.add(pools.walk.take_charged());
    }
    (budget.spent() > 0 || pools.stage == Stage::Pass).then(|| budget.spent())
}

/// Updates the labels of the next chunk that has changed. Returns `false` if there is none.
fn refresh_next(tick: &mut Tick, pools: &mut Pools) -> bool {
    let Some((slot, marks)) = next_dirty(tick.store) else { return false };
    let looked = pools.labels.refresh(tick, slot, marks.levels, marks.structure);
    let near = within_two_steps(tick.store, slot);
    if looked.is_none() && !near.iter().any(|&slot| pools.labels.has_any(slot)) {
        note_no_label(tick.store, slot);
    }
    note_labels(tick, pools);
    pools.debt.add(1 + LAYER_ROWS * looked.unwrap_or_default());
    true
}

/// Gathers the next layer, or ends the tile if the next layer is in another tile.
fn gather_next(tick: &mut Tick, pools: &mut Pools) {
    let next = pools.next.take().or_else(|| tick.scratch.next_in_sweep());
    match next {
        Some(layer) if pools.tile == Some(tile_of(tick, layer)) => {
            let Pools { labels, walk, starts, .. } = pools;
            pools.debt.add(1 + gather(tick, labels, walk, layer, starts));
        }
        _ => {
            pools.next = next;
            sort_starts(&mut pools.starts);
            pools.stage = Stage::Survey;
        }
    }
}

fn tile_of(tick: &Tick, layer: LayerId) -> Rank {
    tick.scratch.schedule.tile_of(tick.store, layer.slot)
}

/// Begins the tile of the layer that is gathered next, or the surveys beyond tiles.
fn begin_next_tile(tick: &Tick, pools: &mut Pools) {
    pools.tile = pools.next.map(|layer| tile_of(tick, layer));
    pools.walk.begin(pools.tile.map_or(Within::World, Within::Tile), false);
    pools.stage = match pools.tile {
        Some(_) => Stage::Find,
        None => {
            pools.starts = core::mem::take(&mut pools.found.beyond);
            sort_starts(&mut pools.starts);
            Stage::SurveyBeyond
        }
    };
}

/// Sorts starts so that the pieces whose bodies may be the largest come last.
fn sort_starts(starts: &mut [Start]) {
    starts.sort_by_key(|start| start.most);
}

/// Surveys the next piece of a body, or begins with the body of the next start. Returns `false` if
/// no start is left.
fn survey_next(tick: &mut Tick, pools: &mut Pools) -> bool {
    let Pools { survey: underway, walk, starts, found, .. } = pools;
    if let Some((start, survey)) = underway {
        if let Some(extent) = survey.advance(tick, walk) {
            judge(tick, walk, *start, (survey, extent), found);
            *underway = None;
        }
    } else {
        let Some(start) = starts.pop() else { return false };
        *underway = begin_survey(tick, walk, start).map(|survey| (start, survey));
    }
    pools.debt.add(walk.take_charged());
    true
}

/// Sorts bodies so that the first body in the order of the passes comes last.
fn sort(tick: &Tick, bodies: &mut [Unlevel]) {
    bodies.sort_by_cached_key(|body| Reverse(body.order(tick)));
}

/// Gives a label to the next level body. Returns `false` if there is none.
fn label_next(tick: &mut Tick, pools: &mut Pools) -> bool {
    let Some((pieces, levels)) = pools.found.level.pop() else { return false };
    pools.labels.add(pieces.iter().map(|(layer, cells)| (*layer, cells)), levels);
    note_labels(tick, pools);
    pools.debt.add(pieces.len());
    true
}

/// Makes the store record changes around the chunks that have got labels.
fn note_labels(tick: &mut Tick, pools: &mut Pools) {
    while let Some(slot) = pools.labels.next_entered() {
        note_label(tick.store, slot);
    }
}

/// The stages for threads that share the tiles.
#[cfg(feature = "rayon")]
impl Pools {
    /// Returns whether no body has been looked for in this tick, so that threads may share the
    /// search.
    pub(crate) fn may_share_search(&self) -> bool {
        self.stage == Stage::Rest
    }

    /// Updates all labels, before threads find the bodies of tiles.
    pub(crate) fn refresh_labels(&mut self, tick: &mut Tick) {
        while refresh_next(tick, self) {}
    }

    /// Finds the bodies of a tile with these chunks. Chunks that join the tick meanwhile are not
    /// missed: only cells of runs wake in them, which belong to no body.
    pub(crate) fn find_in_tile(
        &self,
        tick: &mut Tick,
        walk: &mut Walk,
        tile: Rank,
        chunks: &[Slot],
    ) -> Found {
        walk.begin(Within::Tile(tile), false);
        let (mut found, mut starts) = (Found::default(), Vec::new());
        for &slot in chunks {
            for y in ones(u64::from(tick.scratch.open_layers(slot))) {
                gather(tick, &self.labels, walk, LayerId::new(slot, y), &mut starts);
            }
        }
        sort_starts(&mut starts);
        while let Some(start) = starts.pop() {
            if let Some(mut survey) = begin_survey(tick, walk, start) {
                let extent = survey.complete(tick, walk);
                judge(tick, walk, start, (&survey, extent), &mut found);
            }
        }
        found
    }

    /// Adds what was found in the tiles, in the order of the tiles, and finds the bodies beyond.
    pub(crate) fn find_beyond(&mut self, tick: &mut Tick, found: Vec<Found>) {
        for mut found in found {
            self.found.unlevel.append(&mut found.unlevel);
            self.found.level.append(&mut found.level);
            self.found.beyond.append(&mut found.beyond);
        }
        begin_next_tile(tick, self);
        while find_bodies(tick, self).is_some() {}
    }

    /// Returns whether the bodies that are left to be levelled are those of several tiles, which
    /// threads may share.
    pub(crate) fn may_share_passes(&self) -> bool {
        let tile_of = |body: Option<&Unlevel>| body.and_then(Unlevel::tile);
        let [first, last] = [self.found.unlevel.first(), self.found.unlevel.last()].map(tile_of);
        self.levelling.is_none() && last.is_some() && first != last
    }

    /// Levels the bodies of a tile. Returns the bodies that have grown beyond it, and the cells of
    /// the bodies over which passes were made.
    pub(crate) fn level_in_tile(
        &self,
        tick: &mut Tick,
        walk: &mut Walk,
        tile: Rank,
    ) -> (Vec<Unlevel>, Passed) {
        let (mut outgrown, mut passed) = (Vec::new(), HashMap::new());
        // The list is in reverse order.
        let bodies = &self.found.unlevel;
        let first = bodies.partition_point(|body| body.tile() > Some(tile));
        let end = bodies.partition_point(|body| body.tile() >= Some(tile));
        for &body in bodies[first..end].iter().rev() {
            let Some(levelling) = Levelling::begin(tick, walk, body) else { continue };
            let outcome = levelling.complete(tick, walk, (&self.passed, &mut passed));
            if outcome == Outcome::Outgrown {
                outgrown.push(body.in_world());
            }
        }
        (outgrown, passed)
    }

    /// Levels the bodies that have grown beyond their tile, once all tiles are levelled.
    pub(crate) fn level_outgrown(&mut self, tick: &mut Tick, tiles: Vec<(Vec<Unlevel>, Passed)>) {
        self.found.unlevel.clear();
        for (mut outgrown, passed) in tiles {
            self.outgrown.append(&mut outgrown);
            for (layer, cells) in passed {
                *self.passed.entry(layer).or_insert(LayerMask::NONE) |= cells;
            }
        }
        while level_bodies(tick, self).is_some() {}
    }
}

impl Pools {
    /// Ends the levelling of a tick. Frees the lists, and all buffers if nothing was awake in the
    /// tick.
    fn end(&mut self, is_quiet: bool) {
        self.walk.begin(Within::World, false);
        (self.found, self.starts, self.outgrown) = (Found::default(), Vec::new(), Vec::new());
        self.passed.clear();
        self.stage = Stage::Rest;
        if is_quiet {
            self.walk = Walk::default();
            self.passed = HashMap::new();
        }
    }
}
