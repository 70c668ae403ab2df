//! HasSource is reachability: a wet cell that a connected cell could feed becomes connected too,
//! whether its water has flowed there or stood there before (breadth-first search from the cells
//! where that may have changed in the tick). The parents of a cell are cells that could feed it and
//! were connected before it, so chains of connected parents lead to springs, without a cycle. The
//! cells at one distance become connected in an order that depends on their positions alone, so the
//! order of the search makes no difference.
//!
//! Pressure lifts water to any height below its spring. The spring may be far away, and then a
//! change there wakes nothing here. Sleeping must make no difference, so the search starts only
//! from cells where water has moved or that have become connected in the tick, never from a cell
//! because it is awake.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::cell::CellFlags;
use crate::water::ebb::{connected_parents_in, touched};
use crate::water::random::position_seed;
use crate::water::scratch::Tick;
use crate::water::store::faces::nothing;
use crate::water::store::parents::with_parents;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The search for cells that become connected, distance by distance.
#[derive(Default)]
pub(crate) struct Reach {
    /// The connected cells to search from.
    open: Vec<Feeder>,
    /// The cells that the search from `open` has reached, in no particular order. Once the search
    /// has visited all of `open`, they become connected in the order of their hashes: they are put
    /// into buckets by hash, and a bucket is sorted when its first cell is due.
    found: Vec<Found>,
    /// Whether the cells of `found` are being connected.
    is_connecting: bool,
    /// The number of cells of `found` that are in the order in which they become connected.
    sorted: usize,
    /// The index of the first cell of `found` that is not connected yet.
    at: usize,
}

/// A loaded cell and some of its faces, in eight bytes: a search sorts many of them.
#[derive(Clone, Copy)]
pub(crate) struct CellFaces {
    slot: Slot,
    index: u16,
    /// The faces, by bit.
    faces: u8,
}

/// A cell that a connected cell across one of its faces feeds or could feed.
#[derive(Clone, Copy)]
struct Found {
    /// A random number that depends on the position of the cell alone.
    hash: u64,
    slot: Slot,
    index: u16,
    face: Face,
    /// The height of the spring that feeds the connected cell, if known.
    spring: Option<i32>,
}

impl Found {
    fn place(&self) -> Place {
        Place::new(self.slot, usize::from(self.index))
    }
}

/// A connected cell, and the faces across which to continue the search.
#[derive(Clone, Copy)]
struct Feeder {
    cell: CellFaces,
    /// The height of a spring that feeds the cell, if known.
    spring: Option<i32>,
}

impl CellFaces {
    fn new(Place { slot, index }: Place, faces: u8) -> Self {
        CellFaces { slot, index: index as u16, faces }
    }

    fn place(self) -> Place {
        Place::new(self.slot, usize::from(self.index))
    }

    /// Returns a number that orders by cell, then by faces.
    fn key(self) -> u64 {
        let CellFaces { slot, index, faces } = self;
        (slot.index() as u64) << 32 | u64::from(index) << 8 | u64::from(faces)
    }
}

/// The seed of the order in which cells at one distance become connected. It is the same in every
/// tick, so that a cell that is cut off for a moment gets the same parents again.
const ORDER: u64 = 0;

/// The bits of all faces. `NOT_UP` has the bits of the faces across which the height of the spring
/// does not matter.
const ALL: u8 = 0b11_1111;
const NOT_UP: u8 = ALL & !(1 << Face::Up.index());

/// Adds the connected cells in or beside a layer that could feed a wet cell that is not connected.
/// At least one of the two cells is in `cells`, the cells visited in this tick.
pub(super) fn note_feeders(
    tick: &Tick,
    layer: LayerId,
    cells: LayerMask,
    feeders: &mut Vec<CellFaces>,
) {
    let has_connected = |slot: Slot| slot.is_some() && tick.store.has_connected(slot);
    let neighbours = Face::ALL.map(|face| tick.store.neighbour(layer.slot, face));
    if !has_connected(layer.slot) && !neighbours.into_iter().any(has_connected) {
        return;
    }
    let near = |layer| {
        let (wet, connected) = (tick.store.layer(layer).wet, tick.store.connected(layer));
        [connected, wet & connected, wet - connected]
    };
    let [connected, fed, unfed] = near(layer);
    if (cells & (connected | unfed)).is_empty() {
        return;
    }
    let [_, fed_beside, unfed_beside] =
        tick.store.beside(layer, cells, [connected, fed, unfed], near, nothing);
    let [connected_above, _, unfed_above] = tick.store.vertical(layer, Face::Up, near, nothing);
    let [_, fed_below, unfed_below] = tick.store.vertical(layer, Face::Down, near, nothing);
    // A cell through which water falls may hold no water, and still feeds the cell below it.
    let feeding = fed & LayerMask::union(unfed_beside) | connected & unfed_below;
    let (pressing, pressed) = (fed & unfed_above & cells, unfed & fed_below & cells);
    let moved = match (pressing | pressed).any() {
        true => touched(tick, layer) | tick.store.passed_in_runs(layer),
        false => LayerMask::NONE,
    };
    let pressing = pressing & moved;
    let place = |cell| Place::in_layer(layer, cell);
    let noted = (feeding & cells) | pressing;
    for cell in noted.iter() {
        let faces = if pressing.contains(cell) { ALL } else { NOT_UP };
        feeders.push(CellFaces::new(place(cell), faces));
    }
    let is_noted = |there: Place| there.layer_id() == layer && noted.contains(there.cell());
    let pressed = pressed & moved;
    let fed_from = LayerMask::union(fed_beside) | connected_above;
    for cell in (unfed & cells & fed_from | pressed).iter() {
        let around = feeders_around(tick.store, place(cell), pressed.contains(cell));
        feeders.extend(around.filter(|feeder| !is_noted(feeder.place())));
    }
}

/// Returns the connected cells around a cell. The cell below is among them only if water
/// `is_pressed` up from it.
fn feeders_around(
    store: &Store,
    place: Place,
    is_pressed: bool,
) -> impl Iterator<Item = CellFaces> {
    let faces = Face::ALL.into_iter().filter(move |&face| is_pressed || face != Face::Down);
    faces.filter_map(move |face| {
        let there = store.across(place, face)?;
        let is_connected = store.read(there).is_connected();
        is_connected.then(|| CellFaces::new(there, 1 << face.opposite().index()))
    })
}

/// Adds the connected cells above the cells of `touched` that became full in this tick. Water no
/// longer falls from the cells above, so they can feed their lateral neighbours.
pub(super) fn note_feeders_above(
    tick: &Tick,
    layer: LayerId,
    touched: LayerMask,
    feeders: &mut Vec<CellFaces>,
) {
    let Some(above) = tick.store.upper_layer(layer) else { return };
    let closed = tick.store.layer(layer).closed;
    let fed = tick.store.layer(above).wet & tick.store.connected(above);
    let Some(work) = tick.scratch.get(layer) else { return };
    let had_room = |&cell: &usize| work.before(cell).is_some_and(|was| !was.is_closed());
    let filled: LayerMask = (touched & closed & fed).iter().filter(had_room).collect();
    if filled.any() {
        note_feeders(tick, above, filled, feeders);
    }
}

/// Removes, from connected cells with several parents, the parents that are not connected, so that
/// all ancestors of a connected cell are connected.
pub(super) fn drop_unconnected_parents(tick: &mut Tick, layer: LayerId, cells: LayerMask) {
    let Some(extras) = tick.store.extras(layer.slot) else { return };
    let several = LayerMask::union(extras.each_ref().map(|extra| extra.layer(layer.y)));
    let mut several = several & cells & tick.store.connected(layer);
    if !several.is_sparse() {
        let parents = tick.store.parent_planes(layer);
        let beyond = connected_parents_in(tick, layer, &parents);
        let orphaned = parents.iter().zip(beyond).map(|(&parents, fed)| parents - fed);
        several &= LayerMask::union(orphaned);
    }
    for cell in several.iter() {
        let place = Place::in_layer(layer, cell);
        for face in Store::faces(tick.store.parents_of(place)) {
            if !tick.store.look(place, face).is_connected() {
                drop_parent(tick, place, face);
            }
        }
    }
}

/// Removes a cell that becomes connected, or ceases to be, from the parents of connected cells that
/// have other parents. So a cell that becomes connected is fed by none of its descendants: a parent
/// that was orphaned late in the tick may still be listed by a connected cell.
pub(super) fn drop_from_children(tick: &mut Tick, place: Place) {
    for (child, face) in tick.store.child_links(place) {
        drop_parent(tick, child, face);
    }
}

/// Removes a parent that is not connected from a connected cell that has other parents.
fn drop_parent(tick: &mut Tick, place: Place, face: Face) {
    let voxel = tick.store.read(place);
    if voxel.is_connected() && voxel.has(CellFlags::EXTRA) {
        tick.put(place, voxel);
        let left = tick.store.parents_in(place, voxel) & !(1 << face.index());
        let voxel = with_parents(tick.store.keep_parents(place, left, voxel), left);
        tick.put(place, voxel);
    }
}

/// Adds the connected cells around a wet cell that has lost HasSource.
pub(super) fn note_feeders_of(tick: &Tick, place: Place, feeders: &mut Vec<CellFaces>) {
    let voxel = tick.store.read(place);
    if voxel.is_wet() && !voxel.is_connected() {
        feeders.extend(feeders_around(tick.store, place, true));
    }
}

impl Reach {
    /// Adds a cell that water entered across some faces, by bit, from connected cells. It becomes
    /// connected at the first distance, if these cells are still connected.
    pub(super) fn add_fed(&mut self, tick: &Tick, place: Place, faces: u8) {
        let voxel = tick.store.read(place);
        if voxel != Voxel::OPEN && !voxel.is_connected() && !voxel.is_mark() {
            let feeds = |face: &Face| match face {
                Face::Down => is_pressed_up(tick.store, place),
                _ => tick.store.look(place, *face).is_connected(),
            };
            let faces = Store::faces(faces).filter(feeds);
            self.found.extend(faces.map(|face| found_at(tick, place, face, None)));
        }
    }
}

/// Begins the search from `feeders`.
pub(super) fn begin_reach(reach: &mut Reach, feeders: &mut Vec<CellFaces>) {
    feeders.sort_unstable_by_key(|feeder| feeder.key());
    feeders.dedup_by(|next, kept| {
        let is_same = next.place() == kept.place();
        if is_same {
            kept.faces |= next.faces;
        }
        is_same
    });
    reach.open = feeders.drain(..).map(|cell| Feeder { cell, spring: None }).collect();
}

fn found_at(tick: &Tick, place: Place, face: Face, spring: Option<i32>) -> Found {
    let hash = position_seed(ORDER, tick.store.position(place));
    Found { hash, slot: place.slot, index: place.index as u16, face, spring }
}

/// Sorts cells by hash, then by position, then by face.
fn sort(tick: &Tick, found: &mut [Found]) {
    found.sort_unstable_by_key(|found| found.hash);
    for same in found.chunk_by_mut(|a, b| a.hash == b.hash) {
        if same.len() > 1 {
            let position = |found: &Found| tick.store.position(found.place()).to_array();
            same.sort_unstable_by_key(|found| (position(found), found.face));
        }
    }
}

/// Returns the number of a cell's bucket, of 256: the highest byte of its hash.
fn bucket(found: &Found) -> usize {
    (found.hash >> 56) as usize
}

/// Puts the cells of each bucket beside each other, lowest bucket first.
fn put_in_buckets(found: &mut [Found]) {
    let mut at = [0; 256];
    found.iter().for_each(|found| at[bucket(found)] += 1);
    let mut begin = 0;
    for count in &mut at {
        begin += core::mem::replace(count, begin);
    }
    let cells = found.to_vec();
    for cell in cells {
        let next = &mut at[bucket(&cell)];
        found[*next] = cell;
        *next += 1;
    }
}

impl Reach {
    /// Begins to connect the cells found. Few cells are sorted at once, many are put into buckets.
    fn begin_to_connect(&mut self, tick: &Tick) {
        /// The number of cells from which buckets are used.
        const MANY: usize = 256;
        (self.at, self.sorted) = (0, 0);
        if self.found.len() < MANY {
            sort(tick, &mut self.found);
            self.sorted = self.found.len();
        } else {
            put_in_buckets(&mut self.found);
        }
        self.is_connecting = true;
    }

    /// Sorts the next bucket.
    fn sort_next(&mut self, tick: &Tick) {
        let rest = &mut self.found[self.sorted..];
        let count = rest.iter().take_while(|found| bucket(found) == bucket(&rest[0])).count();
        sort(tick, &mut rest[..count]);
        self.sorted += count;
    }
}

/// Searches from the next cell, or connects the next cell found. Returns the number of cells
/// visited; `None` if nothing is left to do.
pub(super) fn reach_next(tick: &mut Tick, reach: &mut Reach) -> Option<usize> {
    if reach.is_connecting && reach.at < reach.found.len() {
        if reach.at == reach.sorted {
            reach.sort_next(tick);
        }
        let rest = &reach.found[reach.at..reach.sorted];
        let count = rest.iter().take_while(|found| found.place() == rest[0].place()).count();
        reach.open.push(connect(tick, &rest[..count]));
        reach.at += count;
        return Some(1);
    }
    if core::mem::take(&mut reach.is_connecting) {
        reach.found.clear();
    }
    if let Some(feeder) = reach.open.pop() {
        return Some(search_from(tick, feeder, &mut reach.found));
    }
    reach.begin_to_connect(tick);
    (!reach.found.is_empty()).then_some(1)
}

/// Adds the cells that a connected cell reaches. Returns the number of cells visited.
fn search_from(tick: &Tick, mut feeder: Feeder, found: &mut Vec<Found>) -> usize {
    let place = feeder.cell.place();
    // The cell may have been cut off since it was listed.
    if !tick.store.read(place).is_connected() {
        return 1;
    }
    let mut looked = 1;
    for face in Store::faces(feeder.cell.faces) {
        let Some(there) = tick.store.across(place, face) else { continue };
        if !could_feed(tick.store, place, face, there) {
            continue;
        }
        if face == Face::Up {
            looked += measure_spring(tick, &mut feeder);
            let y = tick.store.layer_y(there.layer_id());
            if feeder.spring.is_none_or(|spring| spring <= y) {
                continue;
            }
        }
        found.push(found_at(tick, there, face.opposite(), feeder.spring));
    }
    looked
}

/// Finds the height of the spring at the end of a cell's first parents, if that height is not
/// known. Returns the number of cells visited.
fn measure_spring(tick: &Tick, feeder: &mut Feeder) -> usize {
    if feeder.spring.is_some() {
        return 0;
    }
    let (height, looked) = spring_height_over(tick.store, feeder.cell.place());
    feeder.spring = height;
    looked
}

/// Connects a cell that was reached from one or several sides. With the rule of many parents, its
/// parents are the cells that reached it and all connected cells above and beside it that could
/// feed it; otherwise it has only the first of them as a parent. No parent descends from the cell,
/// since the descendants of the cell are not connected. The first parent is the present one if it
/// is among the parents, or else a random one of the cells that reached the cell. Returns the cell,
/// from which the search continues.
fn connect(tick: &mut Tick, found: &[Found]) -> Feeder {
    let place = found[0].place();
    let reached = found.iter().fold(0, |faces, found| faces | 1 << found.face.index());
    let faces = match tick.rules.many_parents {
        true => reached | feeders_of(tick.store, place),
        false => reached,
    };
    let voxel = tick.store.read(place);
    let kept = voxel.parent_face().filter(|face| faces >> face.index() & 1 != 0);
    let drawn = found[(found[0].hash % found.len() as u64) as usize];
    let first = kept.unwrap_or(drawn.face);
    let spring = found.iter().find(|found| found.face == first).and_then(|found| found.spring);
    let parents = if tick.rules.many_parents { faces } else { 1 << first.index() };
    tick.put(place, voxel);
    let voxel = tick.store.keep_parents(place, parents, voxel);
    let largest = tick.store.look(place, first).largest().min(tick.limits.throughput);
    let voxel = voxel.with_parent(first).with_largest(largest);
    tick.put(place, voxel.with(CellFlags::HAS_SOURCE, true));
    tick.store.wake(place);
    // The cell may have joined two bodies, which are separate now if it is a shallow: shallows
    // belong to no body.
    Face::LATERAL.into_iter().for_each(|face| tick.store.wake(tick.store.step(place, face)));
    drop_from_children(tick, place);
    Feeder { cell: CellFaces::new(place, ALL), spring }
}

/// Returns whether a connected cell could feed a cell that is not connected, across a face. It
/// could if its water falls on the cell, if it holds water beside the cell and has no room below,
/// or if it is full and its water is pressed up into the cell. Whether its spring is high enough
/// for that is for the caller to check.
fn could_feed(store: &Store, from: Place, face: Face, to: Place) -> bool {
    let (here, there) = (store.read(from), store.read(to));
    if !there.is_wet() || there.is_mark() || there.is_connected() || !here.is_connected() {
        return false;
    }
    match face {
        Face::Down => true,
        Face::Up => here.is_closed(),
        _ => here.is_wet() && store.floor(from).room() == 0,
    }
}

/// Returns the faces, by bit, across which connected cells could feed a cell from above or from the
/// side.
fn feeders_of(store: &Store, place: Place) -> u8 {
    let feeds = |&face: &Face| {
        let there = store.across(place, face);
        there.is_some_and(|there| could_feed(store, there, face.opposite(), place))
    };
    let faces = Face::ALL.into_iter().filter(|&face| face != Face::Down);
    faces.filter(feeds).fold(0, |faces, face| faces | 1 << face.index())
}

/// Returns whether the spring that feeds the cell below a cell is higher than the cell, so that its
/// water may rise into the cell.
fn is_pressed_up(store: &Store, place: Place) -> bool {
    let below = store.across(place, Face::Down);
    let spring = below.and_then(|below| spring_height_over(store, below).0);
    spring.is_some_and(|height| height > store.layer_y(place.layer_id()))
}

/// Returns the height of the spring at the end of the first parents of a cell (`None` if there is
/// no such spring), and the number of cells visited.
pub(crate) fn spring_height_over(store: &Store, mut place: Place) -> (Option<i32>, usize) {
    let mut looked = 1;
    loop {
        let voxel = store.read(place);
        if voxel.is_source() {
            return (Some(store.layer_y(place.layer_id())), looked);
        }
        let parent = voxel.parent_face().filter(|_| voxel.is_connected());
        let Some(face) = parent else { return (None, looked) };
        place = store.step(place, face);
        if !place.is_some() {
            return (None, looked);
        }
        looked += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::WaterWorld;
    use crate::water::scratch::test_worlds;
    use hashbrown::{HashMap, HashSet};

    /// Asserts that parents form no cycle: each cell comes after all cells that feed it (Kahn's
    /// algorithm).
    fn assert_acyclic(store: &Store, places: &[Place], context: &str) {
        let parents_of = |&place: &Place| {
            let faces = Store::faces(store.parents_of(place));
            faces.map(move |face| store.step(place, face)).filter(|parent| parent.is_some())
        };
        let mut left: HashMap<Place, usize> =
            places.iter().map(|place| (*place, parents_of(place).count())).collect();
        let mut open: Vec<Place> = left.keys().filter(|place| left[*place] == 0).copied().collect();
        let mut sorted = 0;
        while let Some(place) = open.pop() {
            sorted += 1;
            for child in store.children(place) {
                let count = left.get_mut(&child).expect("a loaded cell");
                *count -= 1;
                if *count == 0 {
                    open.push(child);
                }
            }
        }
        assert_eq!(sorted, places.len(), "{context}: a cycle");
    }

    /// After each tick, a cell is connected exactly if it is a spring or has a connected parent;
    /// all parents of a connected cell are connected. A connected cell leaves no wet cell that it
    /// could feed unconnected for longer than a tick. Parents form no cycle, so each path up ends
    /// at a spring.
    #[test]
    fn connected_cells_lead_to_springs_and_connect_every_cell_they_could_feed() {
        let (mut fed, mut several, mut others) = (0, 0, 0);
        for seed in 0..10 {
            let mut feeding = HashSet::new();
            test_worlds::springs_with(seed, |world, at| {
                world.step();
                let fed_late = core::mem::take(&mut feeding);
                let context = format!("seed {seed}, tick {at}");
                let places = test_worlds::places(world);
                assert_acyclic(&world.store, &places, &context);
                for &place in &places {
                    let voxel = world.store.read(place);
                    if voxel.is_inert() {
                        continue;
                    }
                    let connected = connected_parents(world, place);
                    let parents = world.store.parents_of(place);
                    if !voxel.is_connected() {
                        assert_eq!(connected, 0, "{context}: {place:?} has a connected parent");
                        others += 1;
                        continue;
                    }
                    if !voxel.is_source() {
                        assert!(connected != 0, "{context}: {place:?} has no connected parent");
                        assert_eq!(connected, parents, "{context}: {place:?} has others");
                        several += u32::from(parents.count_ones() > 1);
                        fed += 1;
                    }
                    let (spring, _) = spring_height_over(&world.store, place);
                    assert!(spring.is_some(), "{context}: {place:?} has no way to a spring");
                    for face in Store::faces(NOT_UP) {
                        let there = world.store.step(place, face);
                        let feeds = there.is_some() && could_feed(&world.store, place, face, there);
                        if feeds {
                            let is_late = fed_late.contains(&(place, there));
                            assert!(!is_late, "{context}: {place:?} could feed {there:?}");
                            feeding.insert((place, there));
                        }
                    }
                }
            });
        }
        assert!(fed > 400 && several > 40 && others > 400, "{fed}, {several}, {others}");
    }

    /// Returns the faces, by bit, across which a cell has connected parents.
    fn connected_parents(world: &WaterWorld, place: Place) -> u8 {
        Store::faces(world.store.parents_of(place))
            .filter(|&face| world.store.look(place, face).is_connected())
            .fold(0, |faces, face| faces | 1 << face.index())
    }
}
