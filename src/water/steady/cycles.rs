//! The flow keeps free of cycles: two ways may join to one, which would go on in a circle when
//! both ends are cut off. A depth-first search from the cells of a new way finds them all, since
//! there were none before.

use crate::coords::Face;
use crate::water::context::Context;
use crate::water::store::Place;
use hashbrown::HashMap;

/// How far a search has come with a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It lies on the way from where the search began.
    OnWay,
    Done,
}

impl Context<'_> {
    /// Takes the flow off all cycles that pass one of these cells. Returns the cells looked at.
    pub(super) fn cancel_cycles(&mut self, from: &[Place]) -> usize {
        let mut met = HashMap::new();
        let mut looked = 0;
        for &start in from {
            while let Some(cycle) = self.find_cycle(start, &mut met) {
                looked += met.len();
                met.clear();
                self.take_off_all(&cycle);
            }
        }
        looked + met.len()
    }

    /// Returns the faces that a cycle crosses which can be reached from a cell, if there is one.
    fn find_cycle(
        &self,
        start: Place,
        met: &mut HashMap<Place, Progress>,
    ) -> Option<Vec<(Place, Face)>> {
        if met.contains_key(&start) {
            return None;
        }
        // The cells of the way, each with the faces that are left to look across and the last one.
        let mut way = vec![(start, self.faces_out(start), Face::Down)];
        met.insert(start, Progress::OnWay);
        while let Some((place, left, crossed)) = way.last_mut() {
            let Some(face) = left.pop() else {
                met.insert(*place, Progress::Done);
                way.pop();
                continue;
            };
            *crossed = face;
            let there = self.store.step(*place, face);
            if !there.is_some() {
                continue;
            }
            match met.get(&there) {
                Some(Progress::Done) => {}
                Some(Progress::OnWay) => {
                    let first = way.iter().position(|&(place, ..)| place == there).unwrap_or(0);
                    return Some(way[first..].iter().map(|&(at, _, face)| (at, face)).collect());
                }
                None => {
                    met.insert(there, Progress::OnWay);
                    way.push((there, self.faces_out(there), Face::Down));
                }
            }
        }
        None
    }

    fn faces_out(&self, place: Place) -> smallvec::SmallVec<[Face; 6]> {
        self.store.steady(place).iter().map(|(face, _)| face).collect()
    }

    /// Takes off what passes all faces of a cycle.
    fn take_off_all(&mut self, cycle: &[(Place, Face)]) {
        let across = cycle.iter().map(|&(place, face)| self.store.steady(place).across(face));
        let units = across.min().unwrap_or(0);
        for &(place, face) in cycle {
            self.store.add_steady(place, face, -(units as i8));
        }
    }
}
