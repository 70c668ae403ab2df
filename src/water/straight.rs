//! Ways that lead straight to their goal, where there is nothing to search.
//!
//! A search looks first where the way promises to be shortest, there at the cell nearest to the goal, and among equals at
//! the one met first. So as long as one of the steps from a cell comes nearer, the first of them in the order of the faces
//! is what it looks at next, and no other cell that it meets matters. In open water that is the whole way. A walk that gets
//! stuck is given up for a search from the beginning, which looks at its cells once more; they count twice towards a call's
//! budget, and once towards what a body may look at.

use super::store::Place;
use super::tick::Tick;
use crate::coords::Face;
use glam::IVec3;

/// A way on which each step comes nearer to the goal.
pub(super) struct Walk {
    goal: Place,
    target: IVec3,
    /// Where it begins: there the way through the water ends.
    to: Place,
    /// How far it has come.
    at: Place,
    position: IVec3,
    way: Vec<(Place, Face)>,
}

/// How a walk has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Walked {
    Arrived,
    /// No step comes nearer, or no more cells may be looked at.
    Stuck,
    /// Not yet: it has more to look at.
    Underway,
}

impl Walk {
    pub(super) fn new(to: Place, position: IVec3, goal: Place, target: IVec3) -> Self {
        Walk { goal, target, to, at: to, position, way: Vec::new() }
    }

    /// Cells looked at.
    pub(super) fn looked(&self) -> usize {
        self.way.len()
    }

    /// The cells come by with the faces that they pass water through, the one next to the beginning first.
    pub(super) fn into_way(self) -> Vec<(Place, Face)> {
        self.way
    }

    /// The faces across which the goal is nearer, in their order.
    fn ahead(&self) -> impl Iterator<Item = Face> {
        let (target, from) = (self.target.to_array(), self.position.to_array());
        let axes = [(Face::West, Face::East), (Face::Down, Face::Up), (Face::North, Face::South)];
        (0..3).filter(move |&axis| target[axis] != from[axis]).map(move |axis| {
            let (back, forth) = axes[axis];
            if target[axis] < from[axis] { back } else { forth }
        })
    }
}

impl Tick<'_> {
    /// Goes on with a walk through cells that may still pass water on and are not `shunned`, until it ends, has looked at
    /// as many cells as are `left`, or at `most` in all.
    pub(super) fn walk_on(
        &self,
        walk: &mut Walk,
        left: &mut usize,
        most: usize,
        shunned: impl Fn(Place) -> bool,
    ) -> Walked {
        while *left > 0 {
            if walk.at == walk.goal {
                return Walked::Arrived;
            }
            if walk.looked() == most {
                return Walked::Stuck;
            }
            *left -= 1;
            let full = walk.at != walk.to && self.store.read(walk.at).is_closed();
            let step = walk
                .ahead()
                .map(|face| (self.store.step(walk.at, face), face))
                .find(|&(there, face)| there.0.is_some() && self.passes(there, face, full) && !shunned(there));
            let Some((there, face)) = step else { return Walked::Stuck };
            walk.at = there;
            walk.position += face.offset();
            walk.way.push((there, face.opposite()));
        }
        Walked::Underway
    }
}
