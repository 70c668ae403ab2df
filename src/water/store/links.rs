//! Links across the faces of chunks that come and go: which cells lose a parent when chunks are
//! removed, and which cells get it back when the records of these chunks are inserted. A data-flow
//! analysis over the graph of parents; cycles are found by depth-first search.

use crate::coords::{Cube, Face, Shape, sort_key};
use crate::grid::{LayerId, Slot};
use crate::water::cell::FULL;
use crate::water::record::CutCell;
use crate::water::store::parents::{Unlinked, with_parents};
use crate::water::store::{Place, Store, border_cells};
use crate::water::voxel::Voxel;
use hashbrown::{HashMap, HashSet};
use smallvec::{SmallVec, smallvec};

/// The removed chunks because of which a cell loses a parent, by index in the list.
type Causes = SmallVec<[usize; 2]>;

/// A cell that loses a parent, as it was before.
struct Loss {
    voxel: Voxel,
    parents: u8,
    causes: Causes,
}

/// A cell on the path of a search for cycles: the faces of the parents still to visit, and the face
/// of the parent being visited.
struct Stop {
    place: Place,
    left: u8,
    face: Face,
}

/// Cuts all links to parents in the removed chunks, from outside and between them. Returns, for
/// each chunk, the cells outside it that would differ without it: cells that lose a parent in it,
/// or a parent that dries up because of that.
///
/// Cells of the removed chunks are cut, too, so the chunks must be read before this call.
pub(crate) fn detach(store: &mut Store, leaving: &[Slot]) -> Vec<Vec<CutCell>> {
    let mut open = Vec::new();
    for (number, &slot) in leaving.iter().enumerate() {
        for face in Face::ALL {
            for child in children_across(store, slot, face) {
                open.push((child, face.opposite(), smallvec![number]));
            }
        }
    }
    let losses = cut_all(store, open);
    let mut cut = vec![Vec::new(); leaving.len()];
    for (place, Loss { voxel, parents, causes }) in losses {
        for cause in causes.into_iter().filter(|&cause| leaving[cause] != place.slot) {
            cut[cause].push(CutCell { cell: store.position(place), voxel, parents });
        }
    }
    for cells in &mut cut {
        cells.sort_unstable_by_key(|cut| sort_key(cut.cell));
    }
    cut
}

/// Returns the cells of the neighbour across a face that have a parent in a chunk.
fn children_across(store: &Store, slot: Slot, face: Face) -> Vec<Place> {
    let (there, behind) = (store.neighbour(slot, face), face.opposite());
    let is_inert = |slot| store.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert);
    if !there.is_some() || is_inert(there) {
        return Vec::new();
    }
    let places = border_cells(behind).map(|index| Place::new(there, index));
    places.filter(|&place| store.parents_of(place) & 1 << behind.index() != 0).collect()
}

/// Cuts the links across these faces of chunks that freeze or thaw, in both directions.
pub(super) fn cut_across(store: &mut Store, faces: &[(Slot, Face)]) {
    let mut open = Vec::new();
    for &(slot, face) in faces {
        let there = store.neighbour(slot, face);
        for (slot, face) in [(slot, face), (there, face.opposite())] {
            let children = children_across(store, slot, face);
            let link = |child| (child, face.opposite(), Causes::new());
            open.extend(children.into_iter().map(link));
        }
    }
    cut_all(store, open);
}

/// Cuts links of cells to the parent across a face, and links to cells that dry up, and wakes the
/// affected cells. Records, for each cell that loses a parent, which chunks are the cause.
///
/// Waking comes last: it then depends on the remaining links, and not on the order in which links
/// are cut.
fn cut_all(store: &mut Store, mut open: Vec<(Place, Face, Causes)>) -> Vec<(Place, Loss)> {
    let mut losses: HashMap<Place, Loss> = HashMap::new();
    while let Some((place, face, causes)) = open.pop() {
        let loss = losses.entry(place).or_insert_with(|| Loss {
            voxel: store.read(place),
            parents: store.parents_of(place),
            causes: Causes::new(),
        });
        let known = loss.causes.len();
        for cause in causes {
            if !loss.causes.contains(&cause) {
                loss.causes.push(cause);
            }
        }
        let (causes, is_new) = (loss.causes.clone(), loss.causes.len() > known);
        let dries_up = store.take_parent(place, face) == Unlinked::Dry;
        let is_dry = store.read(place) == Voxel::OPEN;
        if !is_dry || !(dries_up || is_new) {
            continue;
        }
        // These are the children from before the cut, since some links may be cut already.
        for face in Face::ALL {
            let (child, behind) = (store.step(place, face), face.opposite());
            if !child.is_some() {
                continue;
            }
            let parents = losses.get(&child).map(|loss| loss.parents);
            if parents.unwrap_or_else(|| store.parents_of(child)) & 1 << behind.index() != 0 {
                open.push((child, behind, causes.clone()));
            }
        }
    }
    let mut losses: Vec<(Place, Loss)> = losses.into_iter().collect();
    losses.sort_unstable_by_key(|&(place, _)| sort_key(store.position(place)));
    for &(place, _) in &losses {
        store.note_change(place);
        if store.parents_of(place) != 0 {
            store.wake_descendants(place);
        }
    }
    losses
}

/// Links chunks that were just inserted, with their extra parents, and wakes the cells that may
/// move. The cells of `cut` get their parents back if they have not changed since the cut. Then
/// cuts links whose parent is not in the world or has neither water nor flow, and one link of each
/// cycle. Returns the cells that got their parents back.
pub(crate) fn relink(store: &mut Store, inserted: &[Slot], cut: &[CutCell]) -> Vec<Place> {
    let restored: Vec<Place> = cut.iter().filter_map(|cut| restore(store, cut)).collect();
    let mut linked = restored.clone();
    for &slot in inserted {
        for layer in slot.layers() {
            let is_tied = |voxel: Voxel| voxel.is_connected() && voxel.direction().is_some();
            if store.has(layer, is_tied) {
                let cells = store.select(layer, is_tied);
                linked.extend(cells.iter().map(|cell| Place::in_layer(layer, cell)));
            }
        }
    }
    for &place in &linked {
        for face in Store::faces(store.parents_of(place)) {
            let parent = store.step(place, face);
            let feeds = |voxel: Voxel| !voxel.is_mark() && voxel != Voxel::OPEN;
            if !parent.is_some() || !feeds(store.read(parent)) {
                store.unlink(place, face);
            }
        }
    }
    cut_circles(store, inserted, &restored, &linked);
    descendants(store, &restored).into_iter().for_each(|place| store.wake_at(place));
    for &slot in inserted {
        wake_loaded(store, slot);
        store.wake_around(slot);
    }
    restored
}

/// Gives a cell its parents back, if it has not changed since it lost them. Returns the place of
/// the cell if so, else `None`.
fn restore(store: &mut Store, cut: &CutCell) -> Option<Place> {
    let &CutCell { cell, voxel, parents } = cut;
    let place = Place::new(store.grid.slot(Cube::chunk_of(cell))?, Cube::index_of(cell));
    let held = store.parents_of(place);
    let has_lost = voxel.is_connected() && held & !parents == 0 && held != parents;
    if !has_lost || store.read(place) != with_parents(voxel, held) {
        return None;
    }
    let voxel = store.keep_parents(place, parents, voxel);
    store.write(place, voxel);
    store.note_change(place);
    Some(place)
}

/// Cuts one link of each cycle. A cycle has a new link, so it contains a cell of `linked`. It
/// passes through chunks other than the inserted ones only by way of restored cells.
fn cut_circles(store: &mut Store, inserted: &[Slot], restored: &[Place], linked: &[Place]) {
    let inside: HashSet<Slot> = inserted.iter().copied().collect();
    let is_searched = |place: Place| !restored.is_empty() || inside.contains(&place.slot);
    let new: HashSet<Place> = linked.iter().copied().collect();
    let mut ended = HashSet::new();
    for &start in linked {
        while let Some((child, face)) =
            new_tie_of_circle(store, start, &new, &mut ended, is_searched)
        {
            store.unlink(child, face);
        }
    }
}

/// Searches the ancestors of a cell for a cycle. Returns a link of the first cycle found; the child
/// of the link is in `new`. Cells without cycles among their ancestors are added to `ended`.
fn new_tie_of_circle(
    store: &Store,
    start: Place,
    new: &HashSet<Place>,
    ended: &mut HashSet<Place>,
    is_searched: impl Fn(Place) -> bool,
) -> Option<(Place, Face)> {
    let stop = |place| Stop { place, left: store.parents_of(place), face: Face::West };
    let (mut path, mut on_path) = (Vec::new(), HashSet::new());
    if !ended.contains(&start) {
        path.push(stop(start));
        on_path.insert(start);
    }
    while let Some(last) = path.last_mut() {
        let Some(face) = Store::faces(last.left).next() else {
            on_path.remove(&last.place);
            ended.insert(last.place);
            path.pop();
            continue;
        };
        last.left &= last.left - 1;
        last.face = face;
        let parent = store.step(last.place, face);
        if !is_searched(parent) || ended.contains(&parent) {
            continue;
        }
        if on_path.insert(parent) {
            path.push(stop(parent));
            continue;
        }
        let mut circle = path.iter().skip_while(|stop| stop.place != parent);
        let link = circle.find(|stop| new.contains(&stop.place));
        return link.map(|stop| (stop.place, stop.face));
    }
    None
}

/// Returns all descendants of cells.
pub(crate) fn descendants(store: &Store, cells: &[Place]) -> Vec<Place> {
    let (mut open, mut met, mut all) = (cells.to_vec(), HashSet::new(), Vec::new());
    while let Some(place) = open.pop() {
        let new = store.children(place).filter(|&child| met.insert(child));
        let first = all.len();
        all.extend(new);
        open.extend(&all[first..]);
    }
    all
}

/// Wakes the cells of a chunk that was just inserted, except deep water: full and still, with water
/// above and no room beside or below, not at a face of the chunk, and without steady flow. Only the
/// level of its body can move such a cell, and the body reaches from it up to a cell that wakes.
fn wake_loaded(store: &mut Store, slot: Slot) {
    if store.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert) {
        return;
    }
    for layer in 0..16 {
        let mut cells = store.select(LayerId::new(slot, layer), |voxel| !voxel.is_inert());
        if (1..15).contains(&layer) && cells.any() {
            let still =
                store.select(LayerId::new(slot, layer), |voxel| voxel.word() == u16::from(FULL));
            let at = LayerId::new(slot, layer);
            let still = still - store.steady_cells(at);
            let [west, east, north, south] = store.layer(at).closed.shifted(&Default::default());
            let above = store.layer(LayerId::new(slot, layer + 1)).wet;
            cells -= still & west & east & north & south & store.supported(at) & above;
        }
        if cells.any() {
            store.wake_layer(LayerId::new(slot, layer), cells);
        }
    }
}
