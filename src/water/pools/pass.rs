//! A pass over a body: water that stands above the body's level moves below that level, in all of
//! the body at once.
//!
//! Pieces are the nodes of a flow network and their contacts its edges. Each cell of a contact
//! passes the throughput of the rules in a tick, as does each cell of a piece's narrowest row or
//! column. The units that each cell gives and takes are planned first. The network of the cells
//! then determines how much of the plan has a way.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::pools::column::Depth;
use crate::water::pools::layer::Levels;
use crate::water::pools::network::{Network, Node};
use crate::water::pools::plan::{Change, Kind, Plan};
use crate::water::pools::shore::{Goal, Group, Share, Shore, goal};
use crate::water::pools::trim::{Trimming, begin_trim, is_small};
use crate::water::pools::walk::{Piece, Touch, Walk, flowed, left_in, pool_key};
use crate::water::random::{Purpose, Queue, mix};
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::steady::yields;
use crate::water::store::{LAYER_ROWS, Place};
use core::ops::Range;

/// The least number of cells in a part of a piece that a neck can separate from the rest.
const BASIN: u32 = 16;

/// Returns the number of cells that water passes abreast at the neck of a piece: the least row or
/// column between two basins that are much wider than it. If there is none, the contacts limit the
/// flow.
fn width(cells: LayerMask) -> i32 {
    const COLUMN: u64 = 0x0001_0001_0001_0001;
    if cells.count() < 2 * BASIN || cells == LayerMask::ALL {
        return 256;
    }
    let words = cells.words();
    let rows: [u32; 16] = core::array::from_fn(|at| cells.row(at).count_ones());
    let column = |at: usize| words.iter().map(|word| (word >> at & COLUMN).count_ones()).sum();
    let columns: [u32; 16] = core::array::from_fn(column);
    neck(&rows).min(neck(&columns)) as i32
}

/// Returns the number of cells of the narrowest line that separates two basins, given that number
/// for each line; 256 if there is none.
fn neck(lines: &[u32; 16]) -> u32 {
    // The cells and the widest line before each line, and after it.
    let before = |seen: &mut (u32, u32), &line: &u32| {
        Some(core::mem::replace(seen, (seen.0 + line, seen.1.max(line))))
    };
    let is_basin = |&(cells, widest): &(u32, u32), line: u32| cells >= BASIN && widest > 2 * line;
    let mut after = [(0, 0); 16];
    let from_end = lines.iter().rev().scan((0, 0), before);
    after.iter_mut().rev().zip(from_end).for_each(|(after, seen)| *after = seen);
    let sides = lines.iter().scan((0, 0), before).zip(after);
    let parts = sides
        .zip(lines)
        .filter(|((before, after), line)| is_basin(before, **line) && is_basin(after, **line));
    parts.map(|(_, &line)| line).min().unwrap_or(256)
}

/// A pass over a body, which is made up of all the pieces of a walk. It can stop after any piece of
/// the body, any phase of a network, and [`CHANGES`] cells.
pub(crate) struct Pass {
    levels: Levels,
    shores: Vec<Shore>,
    stage: Stage,
}

/// The stages of a pass.
enum Stage {
    /// The shores of the pieces are found, from piece `next` on.
    Shores { next: usize },
    /// The units that the pieces would give and take are counted, shore by shore.
    Offers { goal: Goal, offers: Vec<Offer> },
    /// Water moves in the network of pieces: in a first run the parts that are offered, in a second
    /// what the first has left.
    Network { goal: Goal, offers: Vec<Offer>, network: Network, is_second: bool },
    /// The units that pass in the network of pieces are shared out among the cells.
    Plan { goal: Goal, network: Network, planning: Planning },
    /// The network of cells is built.
    Join { network: Network, plan: Plan },
    /// The plan is lowered to the units that have a way.
    Trim { network: Network, plan: Plan, trimming: Option<Box<Trimming>> },
    /// The plan is carried out, from change `next` on.
    CarryOut { plan: Plan, next: usize, moved: u64 },
}

impl Default for Stage {
    fn default() -> Self {
        Stage::Shores { next: 0 }
    }
}

/// The units that a piece would give and take.
type Offer = [i64; 2];

/// The number of changes that are carried out at a time: few in unit tests, so that passes stop.
const CHANGES: usize = if cfg!(test) { 3 } else { 256 };

impl Pass {
    /// Begins a pass over a body that lies within `levels`.
    pub(crate) fn new(levels: Levels) -> Self {
        Pass { levels, shores: Vec::new(), stage: Stage::default() }
    }

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_offers = |offers: &Vec<Offer>| offers.capacity() * size_of::<Offer>();
        let of_stage = match &self.stage {
            Stage::Shores { .. } => 0,
            Stage::Offers { offers, .. } => of_offers(offers),
            Stage::Network { offers, network, .. } => of_offers(offers) + network.memory_bytes(),
            Stage::Plan { network, planning, .. } => {
                network.memory_bytes() + planning.plan.memory_bytes()
            }
            Stage::Join { network, plan } => network.memory_bytes() + plan.memory_bytes(),
            Stage::Trim { network, plan, trimming } => {
                let of_trimming = |it: &Trimming| size_of::<Trimming>() + it.memory_bytes();
                let trimming = trimming.as_deref().map_or(0, of_trimming);
                network.memory_bytes() + plan.memory_bytes() + trimming
            }
            Stage::CarryOut { plan, .. } => plan.memory_bytes(),
        };
        let of_shores = self.shores.iter().map(Shore::memory_bytes).sum::<usize>();
        self.shores.capacity() * size_of::<Shore>() + of_shores + of_stage
    }

    /// Returns the units that cells and the sea have received and that no cell has given yet.
    pub(crate) fn units_ahead(&self) -> i64 {
        match &self.stage {
            Stage::CarryOut { plan, next, .. } => plan.ahead(*next),
            _ => 0,
        }
    }

    /// Does the next part. Returns the units moved once the pass is complete.
    pub(crate) fn advance(&mut self, tick: &mut Tick, walk: &mut Walk) -> Option<u64> {
        let shores = &mut self.shores;
        let pieces = walk.pieces.len();
        self.stage = match core::mem::take(&mut self.stage) {
            Stage::Shores { next } if next < pieces => {
                walk.charge(LAYER_ROWS);
                shores.extend(walk.shore(tick, next));
                Stage::Shores { next: next + 1 }
            }
            Stage::Shores { .. } => {
                walk.charge(8 * pieces);
                let offers = Vec::with_capacity(shores.len());
                Stage::Offers { goal: goal(shores, self.levels), offers }
            }
            Stage::Offers { goal, mut offers } if offers.len() < shores.len() => {
                walk.charge(LAYER_ROWS / 2);
                offers.push(offer(tick, walk, &shores[offers.len()], &goal));
                Stage::Offers { goal, offers }
            }
            Stage::Offers { goal, offers } => {
                walk.charge(2 * pieces);
                let network = begin_network(tick, walk, shores, &offers);
                Stage::Network { goal, offers, network, is_second: false }
            }
            Stage::Network { goal, offers, mut network, is_second } => {
                walk.charge(2 * pieces);
                if network.advance() {
                    Stage::Network { goal, offers, network, is_second }
                } else if is_second {
                    Stage::Plan { goal, network, planning: Planning::default() }
                } else {
                    begin_second_run(&mut network, shores, &offers);
                    Stage::Network { goal, offers, network, is_second: true }
                }
            }
            Stage::Plan { goal, network, mut planning } => {
                walk.charge(4 * LAYER_ROWS);
                match planning.advance(tick, shores, &goal, &network) {
                    true => Stage::Plan { goal, network, planning },
                    false => Stage::Join { network, plan: planning.plan },
                }
            }
            Stage::Join { network, mut plan } => {
                walk.charge(8 * pieces + plan.changes().len());
                let trimming = begin_trim(tick, &mut plan, walk, &network).map(Box::new);
                Stage::Trim { network, plan, trimming }
            }
            Stage::Trim { network, mut plan, mut trimming } => {
                walk.charge(LAYER_CELLS);
                if trimming.as_mut().is_none_or(|trimming| trimming.advance()) {
                    trimming.into_iter().for_each(|trimming| trimming.apply(&mut plan));
                    if yields(tick) && plan.given() > 0 {
                        mark_levelled(tick, &plan, walk, &network);
                    }
                    Stage::CarryOut { plan, next: 0, moved: 0 }
                } else {
                    Stage::Trim { network, plan, trimming }
                }
            }
            Stage::CarryOut { plan, next, mut moved } => {
                let left = &plan.changes()[next..];
                let changes = &left[..left.len().min(CHANGES)];
                walk.charge(LAYER_ROWS + 2 * changes.len());
                moved += carry_out(tick, changes);
                if changes.len() == left.len() {
                    return Some(moved);
                }
                Stage::CarryOut { next: next + changes.len(), plan, moved }
            }
        };
        None
    }
}

/// Returns the units that a piece would give and take.
fn offer(tick: &Tick, walk: &Walk, shore: &Shore, goal: &Goal) -> Offer {
    let seed = seed_of(tick, walk, shore);
    [given(tick, shore, goal, seed), taken(shore, goal, mix(seed, 1))]
}

/// Returns the network of the pieces of a walk, in which each place gives and takes its part of all
/// that moves, so that the borders of chunks do not show.
fn begin_network(tick: &Tick, walk: &Walk, shores: &[Shore], offers: &[Offer]) -> Network {
    let mut network = network_of_pieces(tick, walk);
    let sum = |at: usize| offers.iter().map(|units| units[at]).sum::<i64>();
    let [given, taken] = [sum(0), sum(1)];
    let parts = [given, taken].map(|all| Share { units: given.min(taken), cells: all });
    for (shore, offer) in shores.iter().zip(offers) {
        let seed = mix(seed_of(tick, walk, shore), 3);
        let node = &mut network.nodes[shore.piece];
        node.give = parts[0].of(offer[0], seed) as i32;
        node.take = parts[1].of(offer[1], mix(seed, 1)) as i32;
    }
    network.begin();
    network
}

/// Begins the second run of a network, in which the units that contacts have not let through are
/// given and taken elsewhere.
fn begin_second_run(network: &mut Network, shores: &[Shore], offers: &[Offer]) {
    for (shore, offer) in shores.iter().zip(offers) {
        let node = &mut network.nodes[shore.piece];
        (node.give, node.take) = (offer[0] as i32 - node.gave, offer[1] as i32 - node.took);
    }
    network.begin();
}

/// The plan for the cells by which each piece gives and takes the units that the network of pieces
/// let through, while it is made.
#[derive(Default)]
struct Planning {
    plan: Plan,
    /// The units that have found no room, and that no cell has kept yet.
    missed: i32,
    /// The number of shores planned: first all shores take, then all give.
    done: usize,
}

impl Planning {
    /// Plans what the next shore takes or, once all have taken, gives. Returns `false` if nothing
    /// was left to plan.
    fn advance(&mut self, tick: &Tick, shores: &[Shore], goal: &Goal, network: &Network) -> bool {
        let Planning { plan, missed, done } = self;
        if let Some(shore) = shores.get(*done) {
            *missed += deliver_to(tick, plan, shore, goal, network.nodes[shore.piece].took);
        } else if let Some(shore) = shores.get(*done - shores.len()) {
            let gave = network.nodes[shore.piece].gave;
            let kept = gave.min(*missed);
            *missed -= kept;
            collect_from(tick, plan, shore, goal, gave - kept);
        } else {
            return false;
        }
        *done += 1;
        true
    }
}

/// Marks the cells through which the units of a pass may have found their way. Which of them passed
/// how many is not known, so steady flow, which follows in this tick, leaves them alone.
fn mark_levelled(tick: &mut Tick, plan: &Plan, walk: &Walk, network: &Network) {
    let is_whole = is_small(walk);
    let passed = passed_layers(tick, walk, network);
    for ((piece, node), passed) in walk.pieces.iter().zip(&network.nodes).zip(passed) {
        if is_whole || node.passed() > 0 {
            let passed_in = |y: usize| passed.as_ref().is_some_and(|passed| passed.contains(&y));
            let has_passed = |layer: &LayerId| piece.layers == 1 || passed_in(layer.y);
            for layer in walk.layers_of(piece).filter(has_passed) {
                tick.scratch.record_mut(tick.store, layer).mark(Mark::Levelled, piece.cells);
            }
        }
    }
    // Shallows belong to no piece, and units pass through them, too.
    for Change { place, .. } in plan.changes() {
        let mut record = tick.scratch.record_mut(tick.store, place.layer_id());
        record.mark(Mark::Levelled, LayerMask::single(place.cell()));
    }
}

/// Returns, for each piece, the layers in which units passed to or from other pieces, and the
/// layers between these, by y in the chunk. Where two columns touch, the units pass in the highest
/// layers, in no more of them than they need.
fn passed_layers(tick: &Tick, walk: &Walk, network: &Network) -> Vec<Option<Range<usize>>> {
    let mut passed: Vec<Option<Range<usize>>> = vec![None; walk.pieces.len()];
    let mut add = |piece: u32, layers: Range<usize>| {
        let all = &mut passed[piece as usize];
        *all = Some(match all.take() {
            Some(all) => all.start.min(layers.start)..all.end.max(layers.end),
            None => layers,
        });
    };
    for (edge, contact) in walk.contacts().iter().enumerate() {
        let units = network.passed_along(edge).unsigned_abs();
        let ([one, other], Touch { face, there, layers }) = (contact.pieces, contact.touch);
        let (y, top) = (there.y, there.y + layers);
        let in_a_layer = u32::from(tick.limits.throughput) * contact.cells as u32 / layers as u32;
        let of_one = match face {
            _ if units == 0 => continue,
            Face::Up => (y + 15) % 16..(y + 15) % 16 + 1,
            Face::Down => (y + 1) % 16..(y + 1) % 16 + 1,
            _ => top - layers.min(units.div_ceil(in_a_layer) as usize)..top,
        };
        add(other, if face.is_lateral() { of_one.clone() } else { y..top });
        add(one, of_one);
    }
    passed
}

/// Returns the network of the pieces of a walk.
fn network_of_pieces(tick: &Tick, walk: &Walk) -> Network {
    let throughput = i32::from(tick.limits.throughput);
    let abreast = |piece: &Piece| match piece.depth {
        Depth::Column => 16 * piece.layers as i32,
        Depth::OnColumn | Depth::OnFull => 256,
        Depth::Shallow => width(piece.cells),
    };
    let nodes = walk.pieces.iter().map(|piece| Node::letting(throughput * abreast(piece)));
    let joins: Vec<([u32; 2], i32)> =
        walk.contacts().iter().map(|contact| (contact.pieces, contact.capacity)).collect();
    Network::new(nodes.collect(), &joins)
}

/// Returns the seed of the random choices in a piece.
fn seed_of(tick: &Tick, walk: &Walk, shore: &Shore) -> u64 {
    Purpose::Pool.seed(pool_key(tick, walk.first_cell(shore.piece)))
}

/// Returns the units that a piece would give.
fn given(tick: &Tick, shore: &Shore, goal: &Goal, random: u64) -> i64 {
    let (mut sure, mut more) = (0, 0);
    for group in &shore.gives {
        let most = i64::from(group.most.min(tick.limits.throughput));
        let each = (group.level - goal.give).clamp(0, most);
        let spent = flowed(tick, group.layer) & group.cells;
        let fresh = i64::from((group.cells - spent).count());
        sure += fresh * each;
        let more_each = i64::from(group.level >= goal.give && each < most);
        more += fresh * more_each;
        for cell in spent.iter() {
            let place = Place::in_layer(group.layer, cell);
            let left = tick.limits.left(tick.store.read(place), tick.passed(place));
            let left = i64::from(left);
            sure += each.min(left);
            more += more_each.min((left - each).max(0));
        }
    }
    let sea = left_in(tick, shore.layer, shore.sea_that_gives(goal));
    sure + goal.lack.of(more, random) + i64::from(sea)
}

/// Plans to give units to the groups of a piece that take, the lowest first. Returns the units that
/// found no room.
fn deliver_to(tick: &Tick, plan: &mut Plan, shore: &Shore, goal: &Goal, mut units: i32) -> i32 {
    for group in &shore.takes {
        units -= raise_group(tick, plan, group, group.taken_by_each(goal.take), units);
    }
    let more = shore.takes.iter().filter(|group| group.level <= goal.take);
    for group in more.filter(|_| goal.excess.is_some()) {
        units -= raise_group(tick, plan, group, 1, units);
    }
    let (place, cells) = (shore.layer, shore.sea_that_takes(goal));
    units -= spend(tick, place, cells, (FULL, units), |at, most| {
        let left = tick.limits.left(tick.store.read(at), tick.passed(at));
        plan.add(at, Kind::IntoSea, most, left)
    });
    units
}

/// Plans to take units from the groups of a piece that give, the highest first.
fn collect_from(tick: &Tick, plan: &mut Plan, shore: &Shore, goal: &Goal, mut units: i32) {
    for group in shore.gives.iter().rev() {
        units -= lower_group(tick, plan, group, group.level - goal.give, units);
    }
    let has_more = |group: &&Group| (0..i64::from(group.most)).contains(&(group.level - goal.give));
    let more = shore.gives.iter().rev().filter(has_more);
    for group in more.filter(|_| goal.lack.is_some()) {
        units -= lower_group(tick, plan, group, 1, units);
    }
    let (place, cells) = (shore.layer, shore.sea_that_gives(goal));
    units -= spend(tick, place, cells, (FULL, units), |at, most| {
        let left = tick.limits.left(tick.store.read(at), tick.passed(at));
        plan.add(at, Kind::Give, most, left)
    });
    plan.unfounded += units;
}

/// Plans to raise cells of a group by up to `each` units each, in total by at most `units`. Returns
/// the units planned.
fn raise_group(tick: &Tick, plan: &mut Plan, group: &Group, each: i64, units: i32) -> i32 {
    let each = each.clamp(0, i64::from(group.most)) as u8;
    spend(tick, group.layer, group.cells, (each, units), |at, most| {
        plan.add(at, Kind::Rise(group.entry), most, tick.store.read(at).room())
    })
}

/// Plans to lower cells of a group by up to `each` units each, in total by at most `units`. Returns
/// the units planned.
fn lower_group(tick: &Tick, plan: &mut Plan, group: &Group, each: i64, units: i32) -> i32 {
    let each = each.clamp(0, i64::from(group.most)) as u8;
    spend(tick, group.layer, group.cells, (each, units), |at, most| {
        let voxel = tick.store.read(at);
        let left = tick.limits.left(voxel, tick.passed(at));
        plan.add(at, Kind::Give, most, left.min(voxel.height()))
    })
}

/// Carries out changes of a plan. Returns the units moved.
fn carry_out(tick: &mut Tick, changes: &[Change]) -> u64 {
    let mut moved = 0;
    for change in changes.iter().filter(|change| change.units > 0) {
        let (place, units) = (change.place, change.units);
        match change.kind {
            Kind::Rise(entry) => {
                let largest = tick.store.read(place).largest();
                match entry {
                    Some(face) => tick.receive(place, face, units, largest),
                    None => tick.raise(place, units, largest),
                }
            }
            Kind::Give => {
                tick.pass_on(place, exit(tick, place), units);
                tick.take(place, units);
                moved += u64::from(units);
            }
            Kind::IntoSea => {
                let level =
                    |&face: &Face| tick.store.sea_level_across(place, face).unwrap_or(i64::MAX);
                let face = Face::ALL.into_iter().min_by_key(level).unwrap_or(Face::Up);
                tick.pass_on(place, face, units);
                tick.ledger.into_sea += u64::from(units);
            }
        }
    }
    moved
}

/// Returns the face through which a cell gives water to its body: down if there is water below,
/// else to water beside it.
fn exit(tick: &Tick, place: Place) -> Face {
    let leads = |&face: &Face| tick.store.look(place, face).is_wet();
    let turn = (pool_key(tick, place) >> 32) as usize % 4;
    let beside = (0..4).map(|side| Face::LATERAL[(side + turn) % 4]);
    core::iter::once(Face::Down).chain(beside).find(leads).unwrap_or(Face::Down)
}

/// Shares units evenly among cells of a layer, up to `each` for one, in random order. `change`
/// passes up to the given number of units in a cell, and returns the number that passed. Returns
/// the sum of these numbers.
fn spend(
    tick: &Tick,
    layer: LayerId,
    cells: LayerMask,
    (each, units): (u8, i32),
    mut change: impl FnMut(Place, u8) -> u8,
) -> i32 {
    let count = cells.count() as i32;
    if count == 0 || units <= 0 || each == 0 {
        return 0;
    }
    let mut passed = [0; LAYER_CELLS];
    let seed = mix(Purpose::Pool.seed(tick.scratch.seed(tick.store, layer)), 2);
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
            let changed = change(Place::in_layer(layer, cell), most);
            passed[cell] += changed;
            left -= i32::from(changed);
        }
    }
    units - left
}

/// Returns the units that a piece would take.
fn taken(shore: &Shore, goal: &Goal, random: u64) -> i64 {
    let (mut sure, mut more) = (0, 0);
    for group in &shore.takes {
        let (count, most) = (i64::from(group.cells.count()), i64::from(group.most));
        let each = group.taken_by_each(goal.take);
        sure += count * each;
        more += count * i64::from(group.level <= goal.take && each < most);
    }
    let sea = i64::from(FULL) * i64::from(shore.sea_that_takes(goal).count());
    sure + goal.excess.of(more, random) + sea
}
