//! Ways that lead straight to their goal, where there is nothing to search.
//!
//! A search looks first where the way promises to be shortest, there at the cell nearest to the
//! goal, and among equals at the one met first. So as long as one of the steps from a cell comes
//! nearer, the first of them in the order of the faces is what it looks at next, and no other cell
//! that it meets matters. In open water that is the whole way. A walk that gets stuck is given up
//! for a search from the beginning, which looks at its cells once more; they count twice towards a
//! call's budget, and once towards what a body may look at.

use crate::coords::Face;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::nearest::distance;
use crate::water::store::{Place, Step};
use glam::IVec3;

/// Steps for which a walk has room from the start: each takes 24 bytes, and most walks that have
/// more before them get stuck.
const MOST_ROOM: u32 = 1 << 12;

/// A way on which each step comes nearer to the goal.
pub(crate) struct Walk {
    goal: Place,
    target: IVec3,
    /// Where it begins: there the way through the water ends.
    to: Place,
    /// How far it has come.
    at: Place,
    position: IVec3,
    route: Vec<Step>,
}

/// How a walk has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    Arrived,
    /// No step comes nearer, or no more cells may be looked at.
    Stuck,
    /// Not yet: it has more to look at.
    Underway,
}

impl Walk {
    pub(crate) fn new(to: Place, position: IVec3, goal: Place, target: IVec3) -> Self {
        let room = distance(position, target).min(MOST_ROOM) as usize;
        Walk { goal, target, to, at: to, position, route: Vec::with_capacity(room) }
    }

    /// Cells looked at.
    pub(crate) fn looked(&self) -> usize {
        self.route.len()
    }

    /// The cells come by with the faces that they pass water through, the one next to the beginning
    /// first.
    pub(crate) fn into_route(self) -> Vec<Step> {
        self.route
    }

    fn go(&mut self, there: Place, face: Face) {
        self.at = there;
        self.position += face.offset();
        self.route.push((there, face.opposite()));
    }

    /// Steps to the goal across a face that brings it nearer.
    fn steps_along(&self, face: Face) -> usize {
        let axis = face.index() / 2;
        self.target[axis].abs_diff(self.position[axis]) as usize
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

impl Context<'_> {
    /// Goes on with a walk through cells that may still pass water on and are not `shunned`, until
    /// it ends, the budget is spent, or it has looked at `most` cells in all.
    pub(crate) fn walk_on(
        &self,
        walk: &mut Walk,
        budget: &mut Budget,
        most: usize,
        shunned: impl Fn(Place) -> bool,
    ) -> Walked {
        while !budget.is_spent() {
            if walk.at == walk.goal {
                return Walked::Arrived;
            }
            if walk.looked() == most {
                return Walked::Stuck;
            }
            budget.spend(1);
            let full = walk.at != walk.to && self.store.read(walk.at).is_closed();
            let mut ahead = walk.ahead();
            let first = ahead.next();
            let step = first
                .into_iter()
                .chain(ahead)
                .map(|face| (self.store.step(walk.at, face), face))
                .find(|&(there, face)| {
                    there.is_some() && self.passes(there, face, full) && !shunned(there)
                });
            let Some((there, face)) = step else { return Walked::Stuck };
            walk.go(there, face);
            // After a step across a later face, the first has to be tried again.
            if first == Some(face) {
                self.stride(walk, face, budget, most, &shunned);
            }
        }
        Walked::Underway
    }

    /// Takes further steps across a lateral face, the first of those ahead, as long as they lead on
    /// in the same chunk. Takes none up or down.
    fn stride(
        &self,
        walk: &mut Walk,
        face: Face,
        budget: &mut Budget,
        most: usize,
        shunned: &impl Fn(Place) -> bool,
    ) {
        let Place { slot, index } = walk.at;
        let (x, z) = (index & 15, index >> 4 & 15);
        let (to_border, stride) = match face {
            Face::West => (x, -1),
            Face::East => (15 - x, 1),
            Face::North => (z, -16),
            Face::South => (15 - z, 16),
            Face::Down | Face::Up => return,
        };
        let layer = self.layer_of(walk.at);
        let steps =
            to_border.min(walk.steps_along(face)).min(budget.left()).min(most - walk.looked());
        for _ in 0..steps {
            let next = Place::new(slot, walk.at.index.wrapping_add_signed(stride));
            let cell = next.cell();
            let voxel = layer.voxel(cell);
            if !voxel.is_wet() || self.limits.left(voxel, layer.passed(cell)) == 0 || shunned(next)
            {
                return;
            }
            budget.spend(1);
            walk.go(next, face);
        }
    }
}
