//! Cells that dry up, and cells over which the sea closes. Their children lose them as parents; a
//! child without water or another parent dries up too (depth-first search over the children). A
//! whole river may be fed through one cell, so the links of a cell are cut one by one.

use crate::coords::Face;
use crate::water::ebb::reach::drop_from_children;
use crate::water::scratch::Tick;
use crate::water::store::Place;
use crate::water::store::flow::parked::unpark_at;
use crate::water::store::parents::{DescendantSearch, Unlinked};
use crate::water::voxel::Voxel;

/// A cell whose links are being cut.
pub(crate) struct Cut {
    place: Place,
    /// Links still to be cut, as a stack: a child, and the face across which the parent is.
    links: Vec<(Place, Face)>,
    /// The descendants of the last child that has other parents, while they are being woken.
    descent: Option<DescendantSearch>,
}

/// Empties a cell without water or flow. Returns the cell if it has children: their links to it
/// must then be cut.
pub(crate) fn dry_up(tick: &mut Tick, place: Place, children: u8) -> Option<Cut> {
    let voxel = tick.store.read(place);
    let feeds = children != 0;
    if voxel.is_mark() || voxel == Voxel::OPEN && !feeds {
        return None;
    }
    tick.put(place, Voxel::OPEN);
    unpark_at(tick.store, place);
    tick.store.keep_parents(place, 0, voxel);
    feeds.then(|| begin_cut(tick, place))
}

/// Turns a cell over which the sea closes into sea, unless it is sea already; the sea takes its
/// water. Returns the cell if it changed: the links to it must then be cut.
pub(crate) fn close(tick: &mut Tick, place: Place) -> Option<Cut> {
    let voxel = tick.store.read(place);
    if voxel.is_sea() {
        return None;
    }
    tick.ledger.into_sea += u64::from(voxel.height());
    tick.put(place, Voxel::SEA);
    tick.store.keep_parents(place, 0, voxel);
    tick.store.note_sea(place);
    Some(begin_cut(tick, place))
}

/// Begins to cut the links from the children of a cell, whose own parents are gone.
fn begin_cut(tick: &Tick, place: Place) -> Cut {
    let mut links = tick.store.child_links(place);
    links.reverse();
    Cut { place, links, descent: None }
}

/// Cuts the next link of a cell whose links are being cut, or wakes the next descendant of a cell
/// that has lost one of several parents. Returns `false` if nothing was left to do.
///
/// Cells are saved before they are rewritten, since they may not take part in the tick yet and
/// their change must be counted. A cell that loses a parent is added to `stale` with its children,
/// because a cell that loses its only parent also loses HasSource.
pub(crate) fn cut_next(tick: &mut Tick, cut: &mut Cut, stale: &mut Vec<Place>) -> bool {
    if let Some(descent) = &mut cut.descent
        && tick.store.wake_next(descent)
    {
        return true;
    }
    cut.descent = None;
    let Some((child, face)) = cut.links.pop() else {
        tick.store.note_change(cut.place);
        return false;
    };
    tick.put(child, tick.store.read(child));
    stale.push(child);
    stale.extend(tick.store.children(child));
    match tick.store.remove_parent(child, face) {
        Unlinked::NoParent => {}
        Unlinked::Done => drop_from_children(tick, child),
        Unlinked::HasOthers => cut.descent = Some(DescendantSearch::from(child)),
        Unlinked::Dry => cut.links.extend(tick.store.child_links(child)),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::cell::{ACTIVE_SHIFT, HEIGHT};
    use crate::water::scratch::test_worlds;
    use crate::water::store::Store;
    use crate::water::store::parents::with_parents;
    use crate::water::{WaterWorld, ebb};
    use fastrand::Rng;

    /// Returns a world of springs, asleep, in which most cells with a direction hold no water.
    fn flows(seed: u64) -> WaterWorld {
        let mut world = test_worlds::springs(seed);
        let mut random = Rng::with_seed(seed);
        for place in test_worlds::places(&world) {
            let voxel = world.store.read(place);
            if !voxel.is_mark() && voxel.direction().is_some() && random.u8(..5) > 0 {
                let dry = Voxel::from_raw(voxel.word() & !HEIGHT | 1 << ACTIVE_SHIFT);
                world.store.write(place, dry);
            }
        }
        test_worlds::put_to_sleep(&mut world.store);
        world
    }

    /// Returns whether the HasSource flag of a cell differs from that of its parents.
    fn is_stale(tick: &Tick, place: Place) -> bool {
        let voxel = tick.store.read(place);
        !voxel.is_mark() && !voxel.is_source() && ebb::is_stale(tick, place)
    }

    /// Cuts the links from the children of a cell, and from the children of cells that dry up as a
    /// result.
    fn cut_at_once(store: &mut Store, place: Place) {
        let mut links = store.child_links(place);
        links.reverse();
        while let Some((child, face)) = links.pop() {
            match store.remove_parent(child, face) {
                Unlinked::NoParent => {}
                Unlinked::Done => leave_connected_children(store, child),
                Unlinked::HasOthers => store.wake_descendants(child),
                Unlinked::Dry => links.extend(store.child_links(child)),
            }
        }
        store.note_change(place);
    }

    /// Removes a cell that is not connected from the parents of connected cells that have other
    /// parents.
    fn leave_connected_children(store: &mut Store, place: Place) {
        for (child, face) in store.child_links(place) {
            let (voxel, parents) = (store.read(child), store.parents_of(child));
            if !voxel.is_connected() || parents.count_ones() < 2 {
                continue;
            }
            let left = parents & !(1 << face.index());
            let voxel = with_parents(store.keep_parents(child, left, voxel), left);
            store.write(child, voxel);
        }
    }

    /// Cutting links one by one cuts the same links as cutting them at once, and wakes the same
    /// cells. All cells that lose a connected parent are listed, and no connected cell keeps an
    /// orphaned parent.
    #[test]
    fn ties_that_are_cut_one_by_one_leave_what_those_cut_at_once_leave() {
        let (mut longest, mut descents) = (0, 0);
        for seed in 0..5 {
            let (mut stepwise, mut at_once) = (flows(seed), flows(seed));
            let places = test_worlds::places(&stepwise);
            let tick = &mut test_worlds::tick(&mut stepwise);
            for &place in places.iter().filter(|place| place.index % 11 == seed as usize % 11) {
                let store = &mut at_once.store;
                let (voxel, children) = (store.read(place), store.children_of(place));
                if voxel.is_mark() || voxel.is_source() || children == 0 {
                    continue;
                }
                store.write(place, Voxel::OPEN);
                store.keep_parents(place, 0, voxel);
                cut_at_once(store, place);
                let stale_before: Vec<Place> =
                    places.iter().copied().filter(|&place| is_stale(tick, place)).collect();
                let mut stale = Vec::new();
                let mut cut = dry_up(tick, place, children).expect("it feeds others");
                let mut links = 0;
                while cut_next(tick, &mut cut, &mut stale) {
                    descents += usize::from(cut.descent.is_some());
                    links += usize::from(cut.descent.is_none());
                }
                longest = longest.max(links);
                for &place in &places {
                    let what = format!("seed {seed}: {place:?}");
                    let (voxel, other) = (tick.store.read(place), at_once.store.read(place));
                    assert_eq!(voxel, other, "{what}");
                    assert_eq!(
                        tick.store.parents_of(place),
                        at_once.store.parents_of(place),
                        "{what}"
                    );
                    let awake = tick.store.awake(place.layer_id());
                    let other = at_once.store.awake(place.layer_id());
                    assert_eq!(awake, other, "{what}");
                    if stale_before.contains(&place) || stale.contains(&place) {
                        continue;
                    }
                    assert!(!is_stale(tick, place), "{what}");
                }
            }
        }
        assert!(longest > 15 && descents > 40, "{longest} links of one cell, {descents} woken");
    }
}
