//! A pass over a body: what stands above its level moves to what lies below, in all of the body at
//! once.
//!
//! Pieces are the nodes of a flow network and their contacts its edges. Each cell of a contact
//! passes seven units in a tick, and a piece as many as its narrowest row or column. Blocking flows
//! by distance (Dinic's algorithm, greedily and for a few phases) push water from where it is over
//! to where it is wanted, and back what nobody took.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::Slot;
use crate::water::cell::FULL;
use crate::water::context::Context;
use crate::water::pools::layer::Levels;
use crate::water::pools::shore::{Goal, Group, Share, Shore, goal};
use crate::water::pools::walk::Walk;
use crate::water::random::{Purpose, Queue, mix};
use crate::water::store::Place;
use core::ops::Range;

/// Phases of a pass.
const PHASES: usize = 12;

/// A pass ends with a phase that moves less than this part of what has moved before.
const LEAST: i32 = 32;

/// The least cells of a part of a piece that a neck can part from the rest.
const BASIN: u32 = 16;

/// A piece in the network.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Units that it would still give and take.
    give: i32,
    take: i32,
    /// Units that it gives and takes.
    gave: i32,
    took: i32,
    /// Units that may still pass through it.
    left: i32,
    /// In this phase: its distance from where water is wanted, what has come to it, what it has
    /// taken, and what is over.
    distance: u32,
    inflow: i32,
    absorbed: i32,
    over: i32,
}

/// No way to where water is wanted.
const FAR: u32 = u32::MAX;

/// A flow network of pieces.
struct Network {
    nodes: Vec<Node>,
    /// The units that may still pass between two pieces, and in this phase do.
    edges: Vec<(i32, i32)>,
    /// For each node, its neighbours and the edges to them.
    near: Vec<(u32, u32)>,
    /// Where those of each node begin.
    first: Vec<u32>,
    /// The nodes from which there is a way, by distance.
    order: Vec<u32>,
}

impl Network {
    fn new(tick: &Context, walk: &Walk) -> Self {
        let throughput = i32::from(tick.limits.throughput);
        let node = |cells: LayerMask| Node { left: throughput * width(cells), ..Node::default() };
        let nodes: Vec<Node> = walk.pieces.iter().map(|piece| node(piece.cells)).collect();
        let contacts = walk.contacts.as_deref().unwrap_or_default();
        let mut first = vec![0; nodes.len() + 1];
        for at in contacts.iter().flat_map(|contact| contact.pieces) {
            first[at as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let (mut near, mut end) = (vec![(0, 0); 2 * contacts.len()], first.clone());
        for (edge, contact) in contacts.iter().enumerate() {
            let [a, b] = contact.pieces;
            for (from, to) in [(a, b), (b, a)] {
                near[end[from as usize] as usize] = (to, edge as u32);
                end[from as usize] += 1;
            }
        }
        let edges = contacts.iter().map(|contact| (contact.capacity, 0)).collect();
        Network { nodes, edges, near, first, order: Vec::new() }
    }

    fn near(&self, node: u32) -> Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Moves water, phase by phase. Returns the units.
    fn run(&mut self) -> i32 {
        let mut moved = 0;
        for _ in 0..PHASES {
            self.measure();
            self.push();
            let units = self.settle();
            let is_last = units * LEAST <= moved;
            moved += units;
            if is_last {
                break;
            }
        }
        moved
    }

    /// Finds the distances from where water is wanted (breadth-first search).
    fn measure(&mut self) {
        self.order.clear();
        for (at, node) in self.nodes.iter_mut().enumerate() {
            (node.distance, node.inflow, node.absorbed, node.over) = (FAR, 0, 0, 0);
            if node.take > 0 && node.left > 0 {
                node.distance = 0;
                self.order.push(at as u32);
            }
        }
        self.edges.iter_mut().for_each(|edge| edge.1 = 0);
        let mut at = 0;
        while let Some(&node) = self.order.get(at) {
            at += 1;
            let distance = self.nodes[node as usize].distance + 1;
            for index in self.near(node) {
                let (to, edge) = self.near[index];
                let there = &mut self.nodes[to as usize];
                if there.distance == FAR && there.left > 0 && self.edges[edge as usize].0 > 0 {
                    there.distance = distance;
                    self.order.push(to);
                }
            }
        }
    }

    /// Pushes what is over from far to near.
    fn push(&mut self) {
        for at in (0..self.order.len()).rev() {
            let id = self.order[at];
            let node = self.nodes[id as usize];
            let passes = (node.give + node.inflow).min(node.left);
            let absorbed = passes.min(node.take);
            let mut on = passes - absorbed;
            for index in self.near(id) {
                let (to, edge) = self.near[index];
                if on == 0 {
                    break;
                }
                if self.nodes[to as usize].distance < node.distance {
                    let edge = &mut self.edges[edge as usize];
                    edge.1 = on.min(edge.0);
                    on -= edge.1;
                    self.nodes[to as usize].inflow += edge.1;
                }
            }
            let node = &mut self.nodes[id as usize];
            node.absorbed = absorbed;
            node.over = node.give + node.inflow - passes + on;
        }
    }

    /// Returns what nobody took to where it came from, and books the rest. Returns the units.
    fn settle(&mut self) -> i32 {
        let mut units = 0;
        for at in 0..self.order.len() {
            let id = self.order[at];
            let node = self.nodes[id as usize];
            let kept = node.over.min(node.give);
            let mut back = node.over - kept;
            for index in self.near(id) {
                if back == 0 {
                    break;
                }
                let (from, edge) = self.near[index];
                let edge = &mut self.edges[edge as usize];
                if self.nodes[from as usize].distance > node.distance && edge.1 > 0 {
                    let returned = back.min(edge.1);
                    edge.1 -= returned;
                    back -= returned;
                    self.nodes[from as usize].over += returned;
                }
            }
            let node = &mut self.nodes[id as usize];
            let gave = node.give - kept;
            node.left -= gave + node.inflow - (node.over - kept);
            node.give -= gave;
            node.gave += gave;
            node.take -= node.absorbed;
            node.took += node.absorbed;
            units += node.absorbed;
        }
        self.edges.iter_mut().for_each(|edge| edge.0 -= edge.1);
        units
    }
}

/// Returns how many cells water passes abreast through a piece at its neck: the least row or column
/// that parts a piece in two basins, much wider than it. Else the contacts are narrow enough.
fn width(cells: LayerMask) -> i32 {
    const COLUMN: u64 = 0x0001_0001_0001_0001;
    if cells.count() < 2 * BASIN {
        return 256;
    }
    let words = cells.words();
    let rows: [u32; 16] = core::array::from_fn(|at| cells.row(at).count_ones());
    let column = |at: usize| words.iter().map(|word| (word >> at & COLUMN).count_ones()).sum();
    let columns: [u32; 16] = core::array::from_fn(column);
    let neck = |counts: &[u32; 16]| {
        let parts = |&at: &usize| {
            let is_basin = |side: &[u32]| {
                let widest = side.iter().copied().max().unwrap_or(0);
                side.iter().sum::<u32>() >= BASIN && widest > 2 * counts[at]
            };
            is_basin(&counts[..at]) && is_basin(&counts[at + 1..])
        };
        (0..16).filter(parts).map(|at| counts[at]).min()
    };
    [&rows, &columns].into_iter().filter_map(neck).min().unwrap_or(256) as i32
}

impl Context<'_> {
    /// Moves water in a body, all the pieces of a walk, that lies within `levels`. Returns the
    /// units.
    pub(crate) fn pass_over(&mut self, walk: &mut Walk, levels: Levels) -> u64 {
        let shores = walk.shores(self, 0..walk.pieces.len());
        let goal = goal(&shores, levels);
        let mut network = Network::new(self, walk);
        let full: Vec<[i64; 2]> = shores
            .iter()
            .map(|shore| {
                let seed = self.seed_of(walk, shore);
                [self.given(shore, &goal, seed), taken(shore, &goal, mix(seed, 1))]
            })
            .collect();
        // At first each place gives and takes its part of what moves in all, so that the borders of
        // chunks do not show; then what contacts have not let through, from and to others.
        let sum = |at: usize| full.iter().map(|units| units[at]).sum::<i64>();
        let [given, taken] = [sum(0), sum(1)];
        let parts = [given, taken].map(|all| Share { units: given.min(taken), cells: all });
        for (shore, full) in shores.iter().zip(&full) {
            let seed = mix(self.seed_of(walk, shore), 3);
            let node = &mut network.nodes[shore.piece];
            node.give = parts[0].of(full[0], seed) as i32;
            node.take = parts[1].of(full[1], mix(seed, 1)) as i32;
        }
        network.run();
        for (shore, full) in shores.iter().zip(&full) {
            let node = &mut network.nodes[shore.piece];
            (node.give, node.take) = (full[0] as i32 - node.gave, full[1] as i32 - node.took);
        }
        network.run();
        let mut missed = 0;
        for shore in &shores {
            missed += self.deliver_to(shore, &goal, network.nodes[shore.piece].took);
        }
        let mut moved = 0;
        for shore in &shores {
            let gave = network.nodes[shore.piece].gave;
            let kept = gave.min(missed);
            missed -= kept;
            self.collect_from(shore, &goal, gave - kept);
            moved += gave - kept;
        }
        moved as u64
    }

    /// Returns the seed of the random choices in a piece.
    fn seed_of(&self, walk: &Walk, shore: &Shore) -> u64 {
        Purpose::Pool.seed(self.pool_key(walk.first_cell(shore.piece)))
    }

    /// Returns the units that a piece would give.
    fn given(&self, shore: &Shore, goal: &Goal, random: u64) -> i64 {
        let (mut sure, mut more) = (0, 0);
        for group in &shore.gives {
            let most = i64::from(group.most.min(self.limits.throughput));
            let each = (group.level - goal.give).clamp(0, most);
            let spent = self.touched(group.slot, group.layer) & group.cells;
            let untouched = i64::from((group.cells - spent).count());
            sure += untouched * each;
            let more_each = i64::from(group.level >= goal.give && each < most);
            more += untouched * more_each;
            for cell in spent.iter() {
                let place = Place::in_layer(group.slot, group.layer, cell);
                let left = self.limits.left(self.store.read(place), self.work.passed(place));
                let left = i64::from(left);
                sure += each.min(left);
                more += more_each.min((left - each).max(0));
            }
        }
        let sea = self.left_in(shore.slot, shore.layer, shore.sea_that_gives(goal));
        sure + goal.lack.of(more, random) + i64::from(sea)
    }

    /// Gives units to what takes in a piece, the lowest first. Returns those for which there was no
    /// room.
    fn deliver_to(&mut self, shore: &Shore, goal: &Goal, mut units: i32) -> i32 {
        for group in &shore.takes {
            units -= self.raise_group(group, goal.take - group.level, units);
        }
        let more = shore.takes.iter().filter(|group| group.level <= goal.take);
        for group in more.filter(|_| goal.excess.is_some()) {
            units -= self.raise_group(group, 1, units);
        }
        let (place, cells) = ((shore.slot, shore.layer), shore.sea_that_takes(goal));
        units -= self.spend(place, cells, (FULL, units), Context::flow_into_sea);
        units
    }

    /// Takes units from what gives in a piece, the highest first.
    fn collect_from(&mut self, shore: &Shore, goal: &Goal, mut units: i32) {
        for group in shore.gives.iter().rev() {
            units -= self.lower_group(group, group.level - goal.give, units);
        }
        let has_more =
            |group: &&Group| (0..i64::from(group.most)).contains(&(group.level - goal.give));
        let more = shore.gives.iter().rev().filter(has_more);
        for group in more.filter(|_| goal.lack.is_some()) {
            units -= self.lower_group(group, 1, units);
        }
        let (place, cells) = ((shore.slot, shore.layer), shore.sea_that_gives(goal));
        units -= self.spend(place, cells, (FULL, units), Context::give_from);
        debug_assert!(units == 0, "{units} units come from nowhere");
    }

    /// Raises cells of a group by up to `each` units. Returns the units, `units` at most.
    fn raise_group(&mut self, group: &Group, each: i64, units: i32) -> i32 {
        let each = each.clamp(0, i64::from(group.most)) as u8;
        self.spend((group.slot, group.layer), group.cells, (each, units), |tick, at, most| {
            let voxel = tick.store.read(at);
            let units = most.min(voxel.room());
            if units > 0 {
                match group.entry {
                    Some(face) => tick.receive(at, face, units, voxel.largest()),
                    None => tick.raise(at, units, voxel.largest()),
                }
            }
            units
        })
    }

    /// Lowers cells of a group by up to `each` units. Returns the units, `units` at most.
    fn lower_group(&mut self, group: &Group, each: i64, units: i32) -> i32 {
        let each = each.clamp(0, i64::from(group.most)) as u8;
        self.spend((group.slot, group.layer), group.cells, (each, units), |tick, at, most| {
            let height = tick.store.read(at).height();
            tick.give_from(at, most.min(height))
        })
    }

    /// Has a cell pass on up to `most` units. Returns the units.
    fn give_from(&mut self, place: Place, most: u8) -> u8 {
        let voxel = self.store.read(place);
        let units = most.min(self.limits.left(voxel, self.work.passed(place)));
        if units > 0 {
            self.pass_on(place, self.exit(place), units);
            self.take(place, units);
        }
        units
    }

    /// Returns the face through which a cell gives water to its body: down if there is water below,
    /// else to water beside it.
    fn exit(&self, place: Place) -> Face {
        let leads = |&face: &Face| self.store.look(place, face).is_wet();
        let turn = (self.pool_key(place) >> 32) as usize % 4;
        let beside = (0..4).map(|side| Face::LATERAL[(side + turn) % 4]);
        core::iter::once(Face::Down).chain(beside).find(leads).unwrap_or(Face::Down)
    }

    /// Has a cell at the sea pass up to `most` units into it. Returns the units.
    fn flow_into_sea(&mut self, place: Place, most: u8) -> u8 {
        let level = |&face: &Face| self.store.sea_level_across(place, face).unwrap_or(i64::MAX);
        let face = Face::ALL.into_iter().min_by_key(level).unwrap_or(Face::Up);
        let units = most.min(self.limits.left(self.store.read(place), self.work.passed(place)));
        if units > 0 {
            self.pass_on(place, face, units);
            self.ledger.into_sea += u64::from(units);
        }
        units
    }

    /// Shares units evenly among cells of a layer, up to `each` for one, in random order. `change`
    /// makes up to so many units of it pass in a cell, and returns how many. Returns their sum.
    fn spend(
        &mut self,
        (slot, layer): (Slot, usize),
        cells: LayerMask,
        (each, units): (u8, i32),
        mut change: impl FnMut(&mut Self, Place, u8) -> u8,
    ) -> i32 {
        let count = cells.count() as i32;
        if count == 0 || units <= 0 || each == 0 {
            return 0;
        }
        let mut passed = [0; LAYER_CELLS];
        let seed = mix(Purpose::Pool.seed(self.work.seed(self.store, slot, layer)), 2);
        let (mut left, mut before) = (units, 0);
        while left > 0 && left != before {
            before = left;
            let even = (left + count - 1) / count;
            let mut queue = Queue::new(seed);
            cells.iter().for_each(|cell| queue.push(cell));
            while left > 0
                && let Some(cell) = queue.pop()
            {
                let most = i32::from(each - passed[cell]).min(even).min(left) as u8;
                let changed = change(self, Place::in_layer(slot, layer, cell), most);
                passed[cell] += changed;
                left -= i32::from(changed);
            }
        }
        units - left
    }
}

/// Returns the units that a piece would take.
fn taken(shore: &Shore, goal: &Goal, random: u64) -> i64 {
    let (mut sure, mut more) = (0, 0);
    for group in &shore.takes {
        let (count, most) = (i64::from(group.cells.count()), i64::from(group.most));
        let each = (goal.take - group.level).clamp(0, most);
        sure += count * each;
        more += count * i64::from(group.level <= goal.take && each < most);
    }
    let sea = i64::from(FULL) * i64::from(shore.sea_that_takes(goal).count());
    sure + goal.excess.of(more, random) + sea
}
