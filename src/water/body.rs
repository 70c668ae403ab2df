//! Queries of bodies of water: how much water a body holds, how high it stands, what feeds it, and
//! whether it shuts in air. The cells of a body are found by best-first search, the highest first,
//! and the air over it by depth-first search.

use crate::coords::Face;
use crate::water::WaterWorld;
use crate::water::scratch::rollback::voxel_before;
use crate::water::store::faces::is_one_body;
use crate::water::store::{Place, head};
use core::cmp::Reverse;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};
use std::collections::BinaryHeap;

/// The state of a body of water; see [`WaterWorld::body_at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyReport {
    /// The units of water in the body, including its springs.
    pub units: u64,
    /// The number of cells.
    pub cells: u64,
    /// The highest surface, in units above y = 0: 7·y plus the height of a cell without water
    /// above. A seventh of the value is the y of the surface.
    pub surface: i64,
    /// Whether a spring is in the body or at one of the six faces of its cells, or the sea is
    /// beside or above one of its cells.
    pub is_fed: bool,
    /// Whether air is shut in over the body. Shut-in air is in a cell with room that belongs to the
    /// body or is straight above one of its cells, and from which no path through cells with room
    /// leads, across faces, to the end of the world or of the loaded chunks. The sea and ground
    /// have no room.
    pub shuts_in_air: bool,
    /// Whether the search used up its reach. Then the body may be larger: `units`, `cells` and
    /// `surface` describe the part that was visited. `is_fed` and `shuts_in_air` are right if they
    /// are `true`; if `false`, they may be wrong.
    pub is_cut_off: bool,
}

pub(crate) fn body_at(world: &WaterWorld, cell: IVec3, reach: u32) -> Option<BodyReport> {
    let start = world.place(cell).ok().filter(|&place| voxel_before(world, place).is_wet())?;
    let mut search = BodySearch::new(world, start, reach.into());
    let mut body: Option<BodyReport> = None;
    let mut roofs = Vec::new();
    while let Some(place) = search.next(world) {
        let voxel = voxel_before(world, place);
        let surface = head(world.store.position(place).y, voxel.height());
        let report = body.get_or_insert(BodyReport {
            units: 0,
            cells: 0,
            surface,
            is_fed: false,
            shuts_in_air: false,
            is_cut_off: false,
        });
        report.units += u64::from(voxel.height());
        report.cells += 1;
        // A full cell under water is joined to that water, whose surface is higher.
        report.surface = report.surface.max(surface);
        report.is_fed |= is_fed_at(world, place);
        let top = if !voxel.is_full() { place } else { world.store.step(place, Face::Up) };
        roofs.extend(top.is_some().then_some(top));
    }
    let mut report = body?;
    let mut air =
        AirSearch { met: HashMap::new(), left: search.left, is_cut_off: search.is_cut_off };
    for (number, top) in roofs.into_iter().enumerate() {
        report.shuts_in_air |= air.is_shut_in(world, top, number);
    }
    report.is_cut_off = air.is_cut_off;
    Some(report)
}

/// Returns whether a spring is in a cell or at one of its faces, or the sea is beside or above it.
fn is_fed_at(world: &WaterWorld, place: Place) -> bool {
    let is_spring = |there: Place| there.is_some() && voxel_before(world, there).is_source();
    is_spring(place)
        || Face::ALL.into_iter().any(|face| is_spring(world.store.step(place, face)))
        || sea_fills(world, place)
}

/// Returns whether the sea is beside or above a cell.
pub(super) fn sea_fills(world: &WaterWorld, place: Place) -> bool {
    Face::ALL.into_iter().filter(|&face| face != Face::Down).any(|face| {
        let there = world.store.step(place, face);
        match there.is_some() {
            true => voxel_before(world, there).is_sea(),
            false => world.store.beyond(place.slot, face, place.layer()).is_sea(),
        }
    })
}

/// Returns the cells of the same body that are joined to a wet cell, each with the face across
/// which it lies.
fn joined(world: &WaterWorld, place: Place) -> impl Iterator<Item = (Face, Place)> + '_ {
    let here = voxel_before(world, place);
    Face::ALL.into_iter().filter_map(move |face| {
        let there = world.store.across(place, face)?;
        is_one_body(face, here, voxel_before(world, there)).then_some((face, there))
    })
}

/// A cell that a search has found: its y, the order in which it was found, its place, and whether
/// its neighbours have been visited. The highest cell ranks first, and among equals the cell found
/// first.
type Found = (i32, Reverse<u64>, Place, bool);

/// Finds the cells of a body from the top: of the cells found, the highest comes first, and among
/// equals the cell found first. So the first cell is straight above the start, and the cells around
/// that first cell follow, the nearest first.
pub(super) struct BodySearch {
    open: BinaryHeap<Found>,
    met: HashSet<Place>,
    /// The number of cells that the search may still visit.
    left: u64,
    is_cut_off: bool,
}

impl BodySearch {
    /// Returns a search that begins at a wet cell, with a limit on the number of cells to visit.
    pub(super) fn new(world: &WaterWorld, start: Place, reach: u64) -> Self {
        let mut search = BodySearch {
            open: BinaryHeap::new(),
            met: HashSet::new(),
            left: reach,
            is_cut_off: false,
        };
        search.find(world.store.position(start).y, start);
        search
    }

    /// Returns the number of cells that the search may still visit.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Returns the next cell. All cells joined to it have been found, so the caller may empty it.
    pub(super) fn next(&mut self, world: &WaterWorld) -> Option<Place> {
        while let Some((y, rank, place, is_looked_at)) = self.open.pop() {
            if is_looked_at {
                return Some(place);
            }
            if self.left == 0 {
                self.is_cut_off = true;
                return None;
            }
            self.left -= 1;
            self.open.push((y, rank, place, true));
            for (face, there) in joined(world, place) {
                self.find(y.saturating_add(face.offset().y), there);
            }
        }
        None
    }

    fn find(&mut self, y: i32, place: Place) {
        let rank = Reverse(self.met.len() as u64);
        if self.met.insert(place) {
            self.open.push((y, rank, place, false));
        }
    }
}

/// Searches the air over a body for ways out, from one cell after another.
struct AirSearch {
    /// The cells visited, each with the number of the search that visited it.
    met: HashMap<Place, usize>,
    /// The number of cells that the search may still visit.
    left: u64,
    is_cut_off: bool,
}

impl AirSearch {
    /// Returns whether a cell has room, has not been visited before, and has no way out.
    fn is_shut_in(&mut self, world: &WaterWorld, start: Place, number: usize) -> bool {
        let has_room = |place: Place| !voxel_before(world, place).is_closed();
        if !has_room(start) || self.met.contains_key(&start) {
            return false;
        }
        self.met.insert(start, number);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            if self.left == 0 {
                self.is_cut_off = true;
                return false;
            }
            self.left -= 1;
            let cell = world.store.position(place);
            // Up is pushed last, so that it is visited first.
            for face in [Face::Down, Face::West, Face::East, Face::North, Face::South, Face::Up] {
                let there = world.store.step(place, face);
                let is_inside = there.is_some()
                    && face.step(cell).is_some_and(|there| world.store.bounds().contains(there));
                if !is_inside {
                    return false;
                }
                if !has_room(there) {
                    continue;
                }
                match self.met.insert(there, number) {
                    None => open.push(there),
                    // A search that reaches a cell of an unfinished search has found a way out.
                    Some(before) if before != number => return false,
                    Some(_) => {}
                }
            }
        }
        true
    }
}
