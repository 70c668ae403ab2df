//! Where water goes when ground takes its place: a breadth-first search for the nearest room, from
//! the cells filled, through the water joined to them.

use crate::coords::Face;
use crate::water::WaterWorld;
use crate::water::store::Place;
use hashbrown::{HashMap, HashSet};

/// The most cells that an edit of few cells visits in search of room. A search that finds no room
/// takes about three milliseconds; in a lake 20 cells deep it extends about 20 cells.
pub(super) const REACH: u64 = 1 << 14;

/// The most cells that an edit of many cells visits for each cell of water displaced. The water of
/// each cell needs the room of a cell, and must first rise to the surface.
const REACH_OF_EACH: u64 = 64;

/// The order in which water tries the neighbours of a cell.
const FACES: [Face; 6] = [Face::West, Face::East, Face::North, Face::South, Face::Up, Face::Down];

/// Moves the water that stood in cells that are now ground, each with its units, to the nearest
/// room. Water that finds no room within reach leaves the world. Returns the numbers of units moved
/// and removed.
///
/// Cells that touch are one body, and the bodies take their turns in the order of their first
/// cells.
pub(super) fn displace(world: &mut WaterWorld, wet: &[(Place, u8)]) -> (u64, u64) {
    let mut waiting: HashMap<Place, u8> = wet.iter().copied().collect();
    let (mut total, mut removed) = (0, 0);
    for &(first, _) in wet {
        let (body, units) = take_body(world, first, &mut waiting);
        if units == 0 {
            continue;
        }
        let each = (REACH / wet.len() as u64).max(REACH_OF_EACH);
        let most = each * body.len() as u64;
        total += units;
        removed += find_room(world, units, most, |search| search.expand_all(&body));
    }
    world.ledger.removed += removed;
    (total - removed, removed)
}

/// Adds units of water to the nearest room around a cell, the cell itself first. Returns the number
/// of units that find no room within reach.
pub(super) fn fill_from(world: &mut WaterWorld, place: Place, units: u64) -> u64 {
    find_room(world, units, REACH, |search| search.rise(Some(place)))
}

/// Fills the nearest room with units of water, visiting at most `most` cells. `start` visits or
/// queues the first cells. Returns the number of units that find no room.
fn find_room(
    world: &mut WaterWorld,
    units: u64,
    most: u64,
    start: impl FnOnce(&mut Search),
) -> u64 {
    let mut search = Search {
        world,
        left: units,
        credit: most,
        entered: HashSet::new(),
        fallen: HashSet::new(),
        next: Vec::new(),
    };
    start(&mut search);
    search.widen();
    let (left, unused) = (search.left, search.credit);
    world.searched += most - unused;
    left
}

/// Removes `first` and the cells that are joined to it from `waiting`. Returns these cells and the
/// sum of their units; no cells if `first` is not in `waiting`.
fn take_body(
    world: &WaterWorld,
    first: Place,
    waiting: &mut HashMap<Place, u8>,
) -> (Vec<Place>, u64) {
    let Some(height) = waiting.remove(&first) else { return (Vec::new(), 0) };
    let (mut body, mut units) = (vec![first], u64::from(height));
    let mut at = 0;
    while let Some(&place) = body.get(at) {
        for face in FACES {
            if let Some(there) = world.store.across(place, face)
                && let Some(height) = waiting.remove(&there)
            {
                body.push(there);
                units += u64::from(height);
            }
        }
        at += 1;
    }
    (body, units)
}

/// A search for room, which fills the room that it finds. A step counts for distance, except from a
/// full cell up into a full one: water comes out straight above the cell from which it was
/// displaced, however deep that is.
struct Search<'a> {
    world: &'a mut WaterWorld,
    /// Units without a place yet.
    left: u64,
    /// The number of cells that may still be visited.
    credit: u64,
    /// The cells that the water has entered, which are full now.
    entered: HashSet<Place>,
    /// The cells that the water has fallen through. It enters such a cell if it comes back from
    /// below.
    fallen: HashSet<Place>,
    /// The cells one step farther away.
    next: Vec<Place>,
}

impl Search<'_> {
    /// Begins the search around cells that are now ground.
    fn expand_all(&mut self, body: &[Place]) {
        for &place in body {
            let above = self.expand(place);
            self.rise(above);
        }
    }

    /// Visits the queued cells, and the cells that get queued in the process, step by step.
    fn widen(&mut self) {
        while self.has_more() && !self.next.is_empty() {
            for place in core::mem::take(&mut self.next) {
                self.rise(Some(place));
            }
        }
    }

    fn has_more(&self) -> bool {
        self.left > 0 && self.credit > 0
    }

    /// Enters a cell and the full cells straight above it.
    fn rise(&mut self, mut from: Option<Place>) {
        while let Some(place) = from.filter(|_| self.has_more()) {
            from = if self.visit(place) { self.expand(place) } else { None };
        }
    }

    /// Fills a cell, or falls through it if it is dry and has room below. Returns whether its
    /// neighbours are to be searched.
    fn visit(&mut self, place: Place) -> bool {
        if self.entered.contains(&place) {
            return false;
        }
        self.credit -= 1;
        let voxel = self.world.store.read(place);
        let below = self.world.store.look(place, Face::Down);
        if !voxel.is_wet() && !below.is_mark() && !below.is_closed() {
            if self.fallen.insert(place) {
                self.next.extend(self.world.store.across(place, Face::Down));
            }
            return false;
        }
        self.entered.insert(place);
        let units = self.left.min(u64::from(voxel.room()));
        if units > 0 {
            self.world.replace(place, voxel.with_height(voxel.height() + units as u8));
            self.left -= units;
        }
        self.left > 0
    }

    /// Queues the neighbours of a cell that takes no more water. Returns the cell above, instead of
    /// queueing it, if that cell is full.
    fn expand(&mut self, place: Place) -> Option<Place> {
        let mut above = None;
        for face in FACES {
            let Some(there) = self.world.store.across(place, face) else { continue };
            let voxel = self.world.store.read(there);
            if voxel.is_mark() || self.entered.contains(&there) {
                continue;
            }
            if face == Face::Up && voxel.is_closed() {
                above = Some(there);
            } else {
                self.next.push(there);
            }
        }
        above
    }
}
