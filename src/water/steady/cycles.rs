//! Cycle cancelling by depth-first search. Steady flow must have no cycle, in which water would
//! circulate even without an end. Two sorts of changes can close a cycle: a new path, which may
//! join existing flow, and the flow of an inserted chunk. Every new cycle passes a cell of the
//! change, so the search starts there.

use crate::coords::Face;
use crate::water::scratch::Tick;
use crate::water::steady::network::add_steady;
use crate::water::store::Place;
use hashbrown::HashMap;
use smallvec::SmallVec;

/// The state of a cell in the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The cell is on the current path.
    OnPath,
    /// No cycle can be reached from the cell.
    Done,
}

/// Cancels all cycles that can be reached from these cells. Returns the number of cells visited.
pub(super) fn cancel_cycles(tick: &mut Tick, from: &[Place]) -> usize {
    let mut met = HashMap::new();
    let mut visited = 0;
    for &start in from {
        while let Some(cycle) = find_cycle(tick, start, &mut met) {
            visited += met.len();
            met.clear();
            cancel(tick, &cycle);
        }
    }
    visited + met.len()
}

/// Returns a cycle that can be reached from a cell, as a list of cells and the faces through which
/// the cycle leaves them; `None` if there is none.
fn find_cycle(
    tick: &Tick,
    start: Place,
    met: &mut HashMap<Place, Progress>,
) -> Option<Vec<(Place, Face)>> {
    if met.contains_key(&start) {
        return None;
    }
    // Each cell with the faces still to follow, and the face followed last.
    let mut path = vec![(start, faces_out(tick, start), Face::Down)];
    met.insert(start, Progress::OnPath);
    while let Some((place, left, crossed)) = path.last_mut() {
        let Some(face) = left.pop() else {
            met.insert(*place, Progress::Done);
            path.pop();
            continue;
        };
        *crossed = face;
        let there = tick.store.step(*place, face);
        if !there.is_some() {
            continue;
        }
        match met.get(&there) {
            Some(Progress::Done) => {}
            Some(Progress::OnPath) => {
                let first = path.iter().position(|&(place, ..)| place == there).unwrap_or(0);
                return Some(path[first..].iter().map(|&(at, _, face)| (at, face)).collect());
            }
            None => {
                met.insert(there, Progress::OnPath);
                path.push((there, faces_out(tick, there), Face::Down));
            }
        }
    }
    None
}

/// Returns the faces across which steady flow leaves a cell.
fn faces_out(tick: &Tick, place: Place) -> SmallVec<[Face; 6]> {
    tick.store.steady(place).iter().map(|(face, _)| face).collect()
}

/// Removes from a cycle the units that pass all of its faces.
fn cancel(tick: &mut Tick, cycle: &[(Place, Face)]) {
    let across = cycle.iter().map(|&(place, face)| tick.store.steady(place).across(face));
    let units = across.min().unwrap_or(0);
    for &(place, face) in cycle {
        add_steady(tick.store, place, face, -(units as i8));
    }
}
