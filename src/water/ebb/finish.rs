//! The end of a tick, after every layer has ebbed: dries up cells (`drying`), propagates the
//! HasSource flag along the flows (depth-first search over the children), wakes cells, and lists
//! the changes.

#[cfg(feature = "rayon")]
use crate::grid::Slot;
use crate::water::cell::CellFlags;
use crate::water::ebb::ageing::{Ageing, age_next};
use crate::water::ebb::deferred::Deferred;
use crate::water::ebb::drying::{Cut, close, cut_next, dry_up};
use crate::water::ebb::evaporation::{Evaporation, Losses, collect_next, evaporate_next};
use crate::water::ebb::reach::{
    Reach, begin_reach, drop_from_children, note_feeders_of, reach_next,
};
use crate::water::flow::runs::end_runs;
use crate::water::scratch::Tick;
use crate::water::scratch::budget::Budget;
#[cfg(feature = "rayon")]
use crate::water::store::changed::tick_changes::TickChanges;
use crate::water::store::changed::tick_changes::{publish_changes, tick_changes_mut};
use crate::water::store::{LAYER_ROWS, Place, Store};
use crate::water::voxel::Voxel;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// The state of the end of a tick.
pub(crate) struct Ending {
    stage: Stage,
    /// The cells that evaporate in this tick, in reverse order.
    losses: Vec<Losses>,
    /// Work still to be done; the lists are stacks.
    left: Deferred,
    /// The cell that has dried up or over which the sea has closed, while its links are being cut.
    cut: Option<Cut>,
    /// Stack of cells whose HasSource flag is to be checked.
    unchecked: Vec<Place>,
    /// Cells that may have lost HasSource. A connected neighbour may still feed them.
    cut_off: Vec<Place>,
    /// The search for cells that become connected.
    reach: Reach,
}

impl Ending {
    /// Returns whether only listing and publishing the changes are left.
    #[cfg(feature = "rayon")]
    pub(crate) fn is_about_to_list(&self) -> bool {
        matches!(self.stage, Stage::List)
    }
}

/// The current stage of the end of a tick.
#[derive(Clone, Copy)]
enum Stage {
    /// Ages the activity of the chunks whose turn it is.
    Age,
    /// Draws the columns that lose water in the chunks that are due to evaporate.
    Collect,
    /// Removes the water that evaporates.
    Evaporate,
    /// Dries up the cells without water or flow.
    DryUp,
    /// Turns the open cells that lie on the sea, and beside or below it, into sea.
    Close,
    /// Clears HasSource in cells without a connected parent, and continues with their children.
    Disconnect,
    /// Looks for connected cells around the cells that have lost HasSource, and around those that
    /// water has entered from connected cells.
    Border,
    /// Sets HasSource in cells with a connected parent, and in wet cells that connected cells could
    /// feed.
    Reach,
    /// Marks cells that lost water by evaporation as changed, and wakes the cells around them.
    Note,
    /// Drops the chunks without awake cells from the list of awake chunks. The chunks before this
    /// index are left.
    DropSleepers(usize),
    /// Lists the cells that the tick has changed.
    List,
    /// Done, except for publishing the changes.
    Publish,
}

/// Begins the end of the tick with the work that the ebb has deferred.
pub(crate) fn begin_ending(tick: &mut Tick, left: Deferred, ageing: &mut Ageing) -> Ending {
    ageing.begin(tick.store, tick.tick);
    tick.store.hold_changes();
    Ending {
        stage: Stage::Age,
        losses: Vec::new(),
        left,
        cut: None,
        unchecked: Vec::new(),
        cut_off: Vec::new(),
        reach: Reach::default(),
    }
}

/// Resumes the end of the tick until the budget of a piece is spent. Returns the number of cells
/// charged: cells processed, rows read, sixteen for each awake chunk and for each chunk with listed
/// changes. `None` if only [`publish`] is left.
pub(crate) fn finish(
    tick: &mut Tick,
    ending: &mut Ending,
    ageing: &mut Ageing,
    evaporation: &mut Evaporation,
) -> Option<u64> {
    if matches!(ending.stage, Stage::Publish) {
        return None;
    }
    let mut budget = Budget::of_a_piece();
    while !budget.is_spent() {
        let cells = match ending.stage {
            Stage::Age => age_next(tick, ageing, &mut ending.left.dried),
            Stage::Collect => collect_next(tick, evaporation, &mut ending.losses),
            Stage::Evaporate => evaporate_next(
                tick,
                &mut ending.losses,
                &mut ending.left.evaporated,
                &mut ending.left.dried,
            ),
            Stage::DryUp => dry_up_next(tick, ending),
            Stage::Close => close_next(tick, ending),
            Stage::Disconnect => disconnect_next(tick, ending),
            Stage::Border => border_next(tick, ending),
            Stage::Reach => reach_next(tick, &mut ending.reach),
            Stage::Note => note_next(tick, ending),
            Stage::DropSleepers(left) => drop_sleepers_next(tick, left).map(|(left, cells)| {
                ending.stage = Stage::DropSleepers(left);
                cells
            }),
            Stage::List => list_next(tick),
            Stage::Publish => break,
        };
        match cells {
            Some(cells) => _ = budget.spend(cells),
            None => ending.stage = stage_after(tick, ending),
        }
    }
    Some(budget.spent())
}

/// Prepares and returns the stage after the one that is done.
fn stage_after(tick: &mut Tick, ending: &mut Ending) -> Stage {
    match ending.stage {
        Stage::Age => Stage::Collect,
        Stage::Collect => {
            let grid = tick.store.grid();
            ending.losses.sort_unstable_by_key(|losses| losses.key(grid));
            Stage::Evaporate
        }
        Stage::Evaporate => Stage::DryUp,
        Stage::DryUp => Stage::Close,
        Stage::Close => {
            // This comes after drying up and closing, which may cut cells off from their springs.
            ending.unchecked.clone_from(&ending.left.stale);
            ending.cut_off.clone_from(&ending.left.stale);
            Stage::Disconnect
        }
        Stage::Disconnect => {
            ending.left.stale.clear();
            Stage::Border
        }
        Stage::Border => {
            begin_reach(&mut ending.reach, &mut ending.left.feeders);
            Stage::Reach
        }
        Stage::Reach => Stage::Note,
        Stage::Note => {
            tick.store.settle_links();
            Stage::DropSleepers(tick.store.grid().awake_slots().len())
        }
        Stage::DropSleepers(_) => {
            tick.scratch.begin_sweep();
            Stage::List
        }
        Stage::List | Stage::Publish => Stage::Publish,
    }
}

/// Dries up the next cell, or cuts the next link of the cell that dried up last.
fn dry_up_next(tick: &mut Tick, ending: &mut Ending) -> Option<usize> {
    if !go_on_cutting(tick, ending) {
        let place = ending.left.dried.pop()?;
        ending.cut = dry_up(tick, place, tick.store.children_of(place));
    }
    Some(1)
}

/// Turns the next cell over which the sea closes into sea, or cuts the next link of the last such
/// cell.
fn close_next(tick: &mut Tick, ending: &mut Ending) -> Option<usize> {
    if !go_on_cutting(tick, ending) {
        let place = ending.left.closing.pop()?;
        ending.cut = close(tick, place);
    }
    Some(1)
}

/// Cuts the next link of the cell whose links are being cut. Returns `false` if there is no such
/// cell.
fn go_on_cutting(tick: &mut Tick, ending: &mut Ending) -> bool {
    let Some(cut) = &mut ending.cut else { return false };
    if !cut_next(tick, cut, &mut ending.left.stale) {
        ending.cut = None;
    }
    true
}

fn disconnect_next(tick: &mut Tick, ending: &mut Ending) -> Option<usize> {
    let place = ending.unchecked.pop()?;
    if disconnect(tick, place, &mut ending.unchecked) {
        ending.cut_off.push(place);
    }
    Some(1)
}

fn border_next(tick: &Tick, ending: &mut Ending) -> Option<usize> {
    if let Some(place) = ending.cut_off.pop() {
        note_feeders_of(tick, place, &mut ending.left.feeders);
    } else {
        let (place, faces) = ending.left.fed.pop()?;
        ending.reach.add_fed(tick, place, faces);
    }
    Some(1)
}

/// Drops the sleepers among the last of the first `left` awake chunks. Returns the number of chunks
/// that are left, and the cells charged.
fn drop_sleepers_next(tick: &mut Tick, left: usize) -> Option<(usize, usize)> {
    let end = left.checked_sub(1)?;
    tick.store.drop_sleepers_among(end..left);
    Some((end, LAYER_ROWS))
}

fn note_next(tick: &mut Tick, ending: &mut Ending) -> Option<usize> {
    let place = ending.left.evaporated.pop()?;
    tick.store.note_loss(place);
    if let Some(log) = &mut tick.scratch.evaporated {
        log.push(tick.store.position(place));
    }
    Some(1)
}

/// Lists the cells of the next chunk that the tick has changed.
fn list_next(tick: &mut Tick) -> Option<usize> {
    let slot = tick.scratch.next_chunk_in_sweep()?;
    let mut changes = core::mem::take(tick_changes_mut(tick.store));
    if let Some(record) = tick.scratch.of_chunk(slot) {
        record.add_changes(tick.store, slot, &mut changes);
    }
    *tick_changes_mut(tick.store) = changes;
    Some(LAYER_ROWS)
}

/// Lists the cells that the tick has changed, in all chunks at once. Returns the number of cells
/// charged.
#[cfg(feature = "rayon")]
pub(crate) fn list_shared(tick: &mut Tick, ending: &mut Ending) -> u64 {
    let chunks: Vec<Slot> = core::iter::from_fn(|| tick.scratch.next_chunk_in_sweep()).collect();
    let (store, scratch) = (&*tick.store, &*tick.scratch);
    let list = |chunks: &[Slot]| {
        let mut changes = TickChanges::default();
        for &slot in chunks {
            if let Some(record) = scratch.of_chunk(slot) {
                record.add_changes(store, slot, &mut changes);
            }
        }
        changes
    };
    // A thread takes some chunks at a time, since one chunk takes only a microsecond.
    let mut parts: Vec<TickChanges> = chunks.par_chunks(64).map(list).collect();
    parts.iter_mut().for_each(|part| tick_changes_mut(tick.store).append(part));
    ending.stage = Stage::Publish;
    (LAYER_ROWS * chunks.len()) as u64
}

/// Publishes the changes. The tick must complete with this call: a world saved during the tick does
/// not contain the marks of these changes.
pub(crate) fn publish(tick: &mut Tick, ending: Ending) {
    tick.report.changed += publish_changes(tick.store);
    end_runs(tick, ending.left.falls);
}

/// Disconnects a connected cell, not a spring, of which no parent has HasSource: clears its
/// HasSource, wakes it, and pushes its children to `unchecked`. Returns whether it did so.
fn disconnect(tick: &mut Tick, place: Place, unchecked: &mut Vec<Place>) -> bool {
    let voxel = tick.store.read(place);
    if !voxel.is_connected() || voxel.is_source() || is_fed(tick, place, voxel) {
        return false;
    }
    // The cell is saved first, since its parents change before its voxel does.
    tick.put(place, voxel);
    let voxel = tick.store.keep_parents(place, 0, voxel);
    tick.put(place, severed(voxel));
    tick.store.wake(place);
    drop_from_children(tick, place);
    unchecked.extend(tick.store.children(place));
    true
}

/// Returns whether a parent of a cell is connected to a spring.
pub(crate) fn is_fed(tick: &Tick, place: Place, voxel: Voxel) -> bool {
    connected_parents(tick, place, voxel) != 0
}

/// Returns the faces, by bit, across which a cell has parents connected to a spring.
pub(super) fn connected_parents(tick: &Tick, place: Place, voxel: Voxel) -> u8 {
    Store::faces(tick.store.parents_in(place, voxel))
        .filter(|&face| tick.store.look(place, face).is_connected())
        .fold(0, |faces, face| faces | 1 << face.index())
}

/// Returns a cell without parents that is no longer connected. It keeps its direction while it is
/// active.
fn severed(voxel: Voxel) -> Voxel {
    let voxel = voxel.with(CellFlags::HAS_SOURCE, false);
    if voxel.active() > 0 { voxel } else { voxel.with_direction(None).with_largest(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::scratch::test_worlds::{self, ancestors};

    /// Springs are removed. Then the flags of all cells that only these springs fed change, and
    /// exactly the changed cells wake.
    #[test]
    fn cells_without_a_spring_are_disconnected_and_only_they_wake() {
        let mut off = 0;
        for seed in 0..48 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut world = test_worlds::springs(seed);
            let places = test_worlds::places(&world);
            let tick = &mut test_worlds::tick(&mut world);
            for &place in &places {
                let voxel = tick.store.read(place);
                if voxel.is_source() && random.bool() {
                    tick.store.write(place, voxel.with(CellFlags::IS_SOURCE, false));
                }
            }
            let cells: Vec<Place> =
                places.into_iter().filter(|&place| !tick.store.read(place).is_inert()).collect();
            let before: Vec<bool> =
                cells.iter().map(|&place| tick.store.read(place).is_connected()).collect();
            let is_stale = |place: &&Place| {
                let voxel = tick.store.read(**place);
                !voxel.is_source() && voxel.is_connected() != is_fed(tick, **place, voxel)
            };
            let stale: Vec<Place> = cells.iter().filter(is_stale).copied().collect();
            test_worlds::put_to_sleep(tick.store);
            let mut unchecked = stale.clone();
            while let Some(place) = unchecked.pop() {
                disconnect(tick, place, &mut unchecked);
            }
            for (&place, was) in cells.iter().zip(before) {
                let expected = ancestors(tick.store, place)
                    .into_iter()
                    .any(|place| tick.store.read(place).is_source());
                assert_eq!(
                    tick.store.read(place).is_connected(),
                    expected,
                    "seed {seed}: {place:?}"
                );
                let awake = tick
                    .store
                    .grid()
                    .awake_at(place.slot)
                    .is_some_and(|mask| mask.contains(place.index));
                assert_eq!(awake, was != expected, "seed {seed}: {place:?}");
                off += u32::from(was && !expected);
            }
        }
        assert!(off > 100, "{off} disconnected");
    }
}
