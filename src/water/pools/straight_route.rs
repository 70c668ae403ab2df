//! Greedy walk: a route on which each step comes nearer to the goal, without a priority queue.
//!
//! It is the prefix of the A* search of `route`. That search visits the cell with the shortest
//! route first, then the one nearest to the goal, then the one discovered first. So as long as any
//! step from a cell comes nearer to the goal, the first such step in the order of the faces is the
//! next cell visited, and no other discovered cell matters. In open water that is the whole route.
//! If the walk gets stuck, the A* search starts over: the cells of the walk count twice towards the
//! budget of a call, and once towards the search limit of the body.

use crate::coords::Face;
use crate::water::context::Context;
use crate::water::context::budget::Budget;
use crate::water::pools::nearest::distance;
use crate::water::store::{Place, Step};
use glam::IVec3;

/// Most steps to allocate memory for at the start, at 24 bytes each. Most walks with a longer
/// distance ahead get stuck early.
const MAX_CAPACITY: u32 = 1 << 12;

/// A walk on which each step comes nearer to the goal.
pub(crate) struct Walk {
    goal: Place,
    target: IVec3,
    /// The drawing cell: the walk begins there, and the route ends there.
    to: Place,
    /// The current cell.
    at: Place,
    position: IVec3,
    route: Vec<Step>,
}

/// The result of resuming a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    Arrived,
    /// No step comes nearer, or no more cells may be visited.
    Stuck,
    /// The budget is spent before the walk has ended.
    Underway,
}

impl Walk {
    pub(crate) fn new(to: Place, position: IVec3, goal: Place, target: IVec3) -> Self {
        let room = distance(position, target).min(MAX_CAPACITY) as usize;
        Walk { goal, target, to, at: to, position, route: Vec::with_capacity(room) }
    }

    /// Returns the number of cells visited.
    pub(crate) fn visited(&self) -> usize {
        self.route.len()
    }

    /// Returns the cells visited with the faces that they pass water across, the neighbour of the
    /// drawing cell first.
    pub(crate) fn into_route(self) -> Vec<Step> {
        self.route
    }

    fn advance(&mut self, there: Place, face: Face) {
        self.at = there;
        self.position += face.offset();
        self.route.push((there, face.opposite()));
    }

    /// Returns the distance to the goal along the axis of a face.
    fn steps_along(&self, face: Face) -> usize {
        let axis = face.index() / 2;
        self.target[axis].abs_diff(self.position[axis]) as usize
    }

    /// Returns the faces towards the goal, in the order of their indices.
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
    /// Resumes a walk through cells that may still pass water on and are not `excluded`, until it
    /// ends, the budget is spent, or it has visited `limit` cells in all.
    pub(crate) fn walk(
        &self,
        walk: &mut Walk,
        budget: &mut Budget,
        limit: usize,
        excluded: impl Fn(Place) -> bool,
    ) -> Walked {
        while !budget.is_spent() {
            if walk.at == walk.goal {
                return Walked::Arrived;
            }
            if walk.visited() == limit {
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
                    there.is_some() && self.passes(there, face, full) && !excluded(there)
                });
            let Some((there, face)) = step else { return Walked::Stuck };
            walk.advance(there, face);
            // After a step across a later face, the first must be tried again.
            if first == Some(face) {
                self.walk_along(walk, face, budget, limit, &excluded);
            }
        }
        Walked::Underway
    }

    /// Continues across a lateral face, the first of those ahead, as far as possible within the
    /// chunk. Does nothing for vertical faces.
    fn walk_along(
        &self,
        walk: &mut Walk,
        face: Face,
        budget: &mut Budget,
        limit: usize,
        excluded: &impl Fn(Place) -> bool,
    ) {
        let Place { slot, index } = walk.at;
        let (x, z) = (index & 15, index >> 4 & 15);
        let (to_border, offset) = match face {
            Face::West => (x, -1),
            Face::East => (15 - x, 1),
            Face::North => (z, -16),
            Face::South => (15 - z, 16),
            Face::Down | Face::Up => return,
        };
        let layer = self.layer_of(walk.at);
        let steps =
            to_border.min(walk.steps_along(face)).min(budget.left()).min(limit - walk.visited());
        for _ in 0..steps {
            let next = Place::new(slot, walk.at.index.wrapping_add_signed(offset));
            let cell = next.cell();
            let voxel = layer.voxel(cell);
            if !voxel.is_wet() || self.limits.left(voxel, layer.passed(cell)) == 0 || excluded(next)
            {
                return;
            }
            budget.spend(1);
            walk.advance(next, face);
        }
    }
}
