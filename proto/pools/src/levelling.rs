//! Levelling: a body whose extremes differ by two or more moves water from its highest surface to
//! its lowest place, by the nearest way with throughput left. The rarer of the two begins the
//! search: a drop on a lake pushes, a plug pulled draws.

use crate::bits::*;
use crate::pools::LOWEST;
use crate::world::*;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const DRAWS_PER_BODY: u32 = 96;
/// A search that follows others of its body in a tick may look at so many times what those that
/// found something have looked at, and so much more.
const VAIN_FACTOR: u64 = 4;
const VAIN_FREE: u64 = 64;
/// One layer away from that of the goal counts as so many steps.
const LAYER_COST: u32 = 64;

#[derive(Default)]
pub enum Phase {
    #[default]
    Rest,
    Update,
    Queue,
    /// The body of this cell has so many draws left.
    Body(Turn),
}

pub struct Turn {
    anchor: Place,
    draws: u32,
    /// What searches that found something have looked at.
    won: u64,
    stage: (u8, usize),
    search: Option<Search>,
}

#[derive(Clone, Copy)]
enum Goal {
    /// Surfaces from `least` to `most`, if any, and sources that lift to `above` or more.
    High { least: i32, most: i32, above: i32 },
    /// Places that take water, at levels from `least` to `most`.
    Low { least: i32, most: i32 },
}

struct Node {
    slot: u32,
    layer: u8,
    face: u8,
    before: u32,
    /// The piece, if nothing in its layer is spent: then it is passed as a whole.
    piece: u32,
    key: u32,
    entry: Bits,
    region: Bits,
}

pub struct Search {
    nodes: Vec<Node>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    /// Nodes whose ways up and down, away from the goal's layer, are not open yet.
    later: Vec<u32>,
    later_at: usize,
    epoch: u64,
    seen: HashMap<u32, Bits>,
    goal: Goal,
    from: [i32; 3],
    goal_y: i32,
    looked: u64,
    most: u64,
    /// The end that begins: the low place, or the high cell.
    place: Place,
    piece: u32,
}

enum Found {
    Underway,
    /// As many layers as it might have been looked at.
    TooFar,
    Nothing,
    /// The goal's contact cells in the region of a node, by kind.
    At(u32, [Bits; 6]),
}

#[derive(Default)]
pub struct Scratch {
    pub queue: Vec<Place>,
    waves: Vec<Bits>,
    way: Vec<Place>,
    old: Option<Search>,
}

impl World {
    pub fn pools_begin(&mut self) {
        self.pools.phase = Phase::Update;
    }

    /// Goes on with the pools' part of a tick; whether that is complete.
    pub fn pools_advance(&mut self, left: &mut i64) -> bool {
        let before = *left;
        let mut phase = std::mem::take(&mut self.pools.phase);
        let mut stage = (0, 0);
        let done = loop {
            match phase {
                Phase::Rest => break true,
                Phase::Update => {
                    // The stage of the update is kept between calls.
                    std::mem::swap(&mut stage, &mut self.pools.stage);
                    let done = self.update(left, &mut stage);
                    std::mem::swap(&mut stage, &mut self.pools.stage);
                    if !done {
                        break false;
                    }
                    self.gather_queue();
                    phase = Phase::Queue;
                }
                Phase::Queue => match self.pools.scratch.queue.pop() {
                    None => break true,
                    Some(anchor) => {
                        self.pools.scratch.way.clear();
                        phase = Phase::Body(Turn {
                            anchor,
                            draws: DRAWS_PER_BODY,
                            won: 0,
                            stage: (0, 0),
                            search: None,
                        });
                    }
                },
                Phase::Body(ref mut turn) => {
                    if *left <= 0 {
                        break false;
                    }
                    if !self.level(turn, left) {
                        phase = Phase::Queue;
                    }
                }
            }
        };
        self.pools.phase = if done { Phase::Rest } else { phase };
        self.pools.stats.looked += (before - *left) as u64;
        self.pools.stats.worst_update = self.pools.stats.worst_update.max((before - *left) as u64);
        done
    }

    /// The bodies that are not level, each by the first cell of its lowest piece, in an order that
    /// is the same in every world with the same water. What may have split is settled first.
    fn gather_queue(&mut self) {
        let mut roots = std::mem::take(&mut self.pools.watch);
        let mut queue = std::mem::take(&mut self.pools.scratch.queue);
        queue.clear();
        let mut k = 0;
        // Splitting adds to the watch list.
        loop {
            let Some(&root) = roots.get(k) else {
                if self.pools.watch.is_empty() {
                    break;
                }
                roots.append(&mut self.pools.watch);
                continue;
            };
            k += 1;
            let Some(body) = self.pools.root_body(root) else { continue };
            if !body.watched {
                continue;
            }
            self.pools.body_mut(root).watched = false;
            if !self.pools.body(root).is_unlevel() {
                continue;
            }
            self.settle_splits(root);
            let Some(body) = self.pools.root_body(root) else { continue };
            if !body.is_unlevel() {
                continue;
            }
            if let Some((_, &(_, p))) = body.lo.first_key_value() {
                let piece = &self.pools.pieces[p as usize];
                queue.push((piece.slot, (piece.layer as usize) << 8 | first(piece.bits).unwrap()));
            }
        }
        queue.sort_by_key(|&p| Reverse(mix(self.seed, pack(self.pos(p)))));
        // They stay on the list until they are seen to be level.
        for &cell in &queue {
            if let Some(p) = self.piece_at(cell) {
                let root = self.pools.find(p);
                self.pools.watch_if_unlevel(root);
            }
        }
        self.pools.scratch.queue = queue;
    }

    /// One step of a body's levelling; `false` when it has had its turn.
    fn level(&mut self, turn: &mut Turn, left: &mut i64) -> bool {
        if turn.search.is_none() {
            // Known to be right before each draw.
            if !self.update(left, &mut turn.stage) {
                return true;
            }
            let way = &self.pools.scratch.way;
            let anchor = std::iter::once(&turn.anchor).chain(way).find_map(|&p| self.piece_at(p));
            let Some(p) = anchor else { return false };
            let root = self.pools.find(p);
            if !self.pools.body(root).is_unlevel() || turn.draws == 0 {
                return false;
            }
            self.settle_splits(root);
            let root = self.pools.find(p);
            if !self.pools.body(root).is_unlevel() {
                return false;
            }
            turn.draws -= 1;
            *left -= 1;
            match self.begin_search(root, turn) {
                None => return false,
                Some(search) => turn.search = Some(search),
            }
        }
        let mut search = turn.search.take().expect("begun");
        match self.advance(&mut search, left) {
            Found::Underway => {
                turn.search = Some(search);
                return true;
            }
            Found::Nothing | Found::TooFar => {
                self.pools.stats.vain += 1;
                for (&at, seen) in &search.seen {
                    for &p in &self.chunks[(at >> 4) as usize].pieces[(at & 15) as usize] {
                        if any(and(self.pools.pieces[p as usize].bits, *seen)) {
                            self.pools.pieces[p as usize].dead = self.tick;
                        }
                    }
                }
                for node in search.nodes.iter().filter(|n| n.piece != NO && any(n.region)) {
                    self.pools.pieces[node.piece as usize].dead = self.tick;
                }
                self.pools.pieces[search.piece as usize].dead = self.tick;
            }
            Found::At(node, contacts) => {
                turn.won += search.looked;
                self.carry(&search, node, contacts);
                // The body is looked up again by whichever of these cells still is part of one.
                turn.anchor = self.pools.scratch.way[0];
            }
        }
        self.pools.scratch.old = Some(search);
        true
    }

    /// Chooses who begins: a cell of the rarer extreme.
    fn begin_search(&mut self, root: u32, turn: &Turn) -> Option<Search> {
        let (tick, draws) = (self.tick, u64::from(turn.draws));
        let old = self.pools.scratch.old.take();
        let body = self.pools.body(root);
        let pieces = &self.pools.pieces;
        let (bottom, top) = (body.bottom(), body.top());
        // Which of the two has fewer cells: both are counted in turns, so the smaller one ends it.
        let mut lows = body.lo.iter().take_while(|(k, _)| k.0 == bottom);
        let mut highs = body
            .hi
            .iter()
            .rev()
            .take_while(|(k, _)| k.0 == top)
            .chain(body.src.iter().rev().take_while(|(k, _)| k.0 == top));
        let (mut low, mut high) = (0, 0);
        let low_begins = loop {
            if low <= high {
                match lows.next() {
                    Some((_, &(n, _))) => low += n,
                    None => break true,
                }
            } else {
                match highs.next() {
                    Some((_, &(n, _))) => high += n,
                    None => break false,
                }
            }
        };
        let alive = |p: u32| pieces[p as usize].dead != tick;
        let seed = mix(mix(self.seed, tick), draws);
        let mut search = old.unwrap_or_else(|| Search {
            nodes: vec![],
            open: BinaryHeap::new(),
            later: vec![],
            later_at: 0,
            epoch: 0,
            seen: HashMap::new(),
            goal: Goal::Low { least: 0, most: 0 },
            from: [0; 3],
            goal_y: 0,
            looked: 0,
            most: 0,
            place: (0, 0),
            piece: 0,
        });
        search.nodes.clear();
        search.open.clear();
        search.seen.clear();
        search.later.clear();
        search.later_at = 0;
        search.looked = 0;
        search.most = if turn.won == 0 { u64::MAX } else { VAIN_FREE + VAIN_FACTOR * turn.won };
        let (slot, layer, entry);
        if low_begins {
            let (&(level, _), &(_, p)) = body
                .lo
                .iter()
                .take_while(|(k, _)| k.0 <= top - 2)
                .find(|(_, v)| alive(v.1))?;
            let piece = &pieces[p as usize];
            (slot, layer) = (piece.slot, piece.layer as usize);
            let contacts = self.low_contacts(slot, layer, piece.bits, level);
            let place = self.choose(slot, layer, &contacts, mix(seed, piece.key));
            // Cells of the piece from which it can be reached.
            entry = if contacts[4] != NONE { one(place.1 & 255) } else { minus(self.contacts_of(place, slot, layer, piece.bits), self.chunks[slot as usize].spent(layer)) };
            let hi = body.hi.last_key_value().map_or(LOWEST, |(k, _)| k.0);
            // Within one of the highest is as good, and nearer.
            search.goal = Goal::High { least: (hi.max(LOWEST + 1) - 1).max(level + 2), most: hi, above: level + 2 };
            search.goal_y = (top - 1).div_euclid(7);
            (search.place, search.piece) = (place, p);
        } else {
            let hi = body.hi.iter().rev().take_while(|(k, _)| k.0 >= bottom + 2);
            let src = body.src.iter().rev().take_while(|(k, _)| k.0 >= bottom + 2);
            let best = |found: Option<((i32, u64), u32)>| found;
            let a = best(hi.map(|(k, v)| (*k, v.1)).find(|v| alive(v.1)));
            let b = best(src.map(|(k, v)| (*k, v.1)).find(|v| alive(v.1)));
            let (use_src, ((level, _), p)) = match (a, b) {
                (Some(a), Some(b)) if b.0.0 > a.0.0 => (true, b),
                (Some(a), _) => (false, a),
                (None, Some(b)) => (true, b),
                (None, None) => return None,
            };
            let piece = &pieces[p as usize];
            (slot, layer) = (piece.slot, piece.layer as usize);
            let ch = &self.chunks[slot as usize];
            let cells = if use_src {
                and(piece.bits, ch.src[layer])
            } else {
                self.high_cells(slot, layer, piece.bits, level)
            };
            let cells = minus(cells, ch.spent(layer));
            if !any(cells) {
                self.pools.pieces[p as usize].dead = tick;
                search.looked = 0;
                search.most = u64::MAX;
                search.piece = p;
                return Some(search);
            }
            let k = (mix(seed, piece.key) % u64::from(count(cells))) as u32;
            let c = nth(cells, k);
            entry = one(c);
            search.goal = Goal::Low { least: bottom, most: (bottom + 1).min(level - 2) };
            search.goal_y = bottom.div_euclid(7);
            (search.place, search.piece) = ((slot, layer << 8 | c), p);
        }
        search.from = self.pos(search.place);
        self.pools.stats.searches += 1;
        self.pools.epoch += 1;
        search.epoch = self.pools.epoch;
        let mut piece = NO;
        if !any(self.chunks[slot as usize].spent(layer)) {
            piece = search.piece;
            self.pools.pieces[piece as usize].mark.0 = search.epoch;
        }
        search.nodes.push(Node { slot, layer: layer as u8, face: 6, before: NO, piece, key: 0, entry, region: NONE });
        if any(entry) {
            search.open.push(Reverse((0, 0)));
        }
        Some(search)
    }

    /// One of the places that these contacts lead to.
    fn choose(&self, s: u32, l: usize, contacts: &[Bits; 6], hash: u64) -> Place {
        let all: u32 = contacts.iter().map(|&b| count(b)).sum();
        let mut k = (hash % u64::from(all.max(1))) as u32;
        for (f, &bits) in contacts.iter().enumerate() {
            let n = count(bits);
            if k < n {
                let cell = (s, l << 8 | nth(bits, k));
                return if f == 4 { cell } else { self.step_to(cell, f) };
            }
            k -= n;
        }
        unreachable!("a piece that is low somewhere")
    }
    /// The cells of a piece beside, or below, a place outside of it.
    fn contacts_of(&self, place: Place, s: u32, l: usize, bits: Bits) -> Bits {
        let mut out = NONE;
        for f in 0..5 {
            let there = self.step_to(place, f);
            if there.0 == s && there.1 >> 8 == l && has(&bits, there.1 & 255) && (f < 4 || has(&self.chunks[s as usize].full(l), there.1 & 255)) {
                put(&mut out, there.1 & 255, true);
            }
        }
        out
    }

    fn advance(&mut self, search: &mut Search, left: &mut i64) -> Found {
        loop {
            if *left <= 0 {
                return Found::Underway;
            }
            if search.looked >= search.most {
                return Found::TooFar;
            }
            // Ways up and down come when what is left lies so much farther.
            let top = search.open.peek().map_or(u32::MAX, |top| top.0.0);
            if let Some(&at) = search.later.get(search.later_at)
                && search.nodes[at as usize].key + LAYER_COST <= top
            {
                search.later_at += 1;
                let y = self.layer_y(search.nodes[at as usize].slot, search.nodes[at as usize].layer as usize);
                for f in [4, 5] {
                    if toward(y, search.goal_y) != Some(f) {
                        self.open_across(search, at, f);
                    }
                }
                continue;
            }
            let Some(Reverse((_, at))) = search.open.pop() else { return Found::Nothing };
            let node = &mut search.nodes[at as usize];
            let (s, l, piece) = (node.slot, node.layer as usize, node.piece);
            let mut may = true;
            if piece != NO {
                let piece = &self.pools.pieces[piece as usize];
                node.region = piece.bits;
                may = match search.goal {
                    Goal::Low { most, .. } => piece.lo.0 <= most,
                    Goal::High { least, .. } => piece.hi.0 >= least || piece.src > 0,
                };
            } else {
                let ch = &self.chunks[s as usize];
                let pass = minus(ch.sup[l], ch.spent(l));
                let seen = search.seen.entry(s << 4 | l as u32).or_insert(NONE);
                let free = minus(pass, *seen);
                // The low place that begins need not pass anything on itself.
                let entry = if at == 0 { node.entry } else { and(node.entry, free) };
                if !any(entry) {
                    continue;
                }
                node.entry = entry;
                node.region = or(entry, fill(entry, or(free, entry)));
                *seen = or(*seen, node.region);
            }
            let region = node.region;
            *left -= 16;
            search.looked += 1;
            self.pools.stats.pops += 1;
            if may {
                let goal = self.goals(search.goal, s, l, region, search.place);
                if goal.iter().any(|&b| any(b)) {
                    return Found::At(at, goal);
                }
            }
            for f in 0..4 {
                self.open_across(search, at, f);
            }
            if let Some(f) = toward(self.layer_y(s, l), search.goal_y) {
                self.open_across(search, at, f);
            }
            search.later.push(at);
        }
    }

    /// Adds what lies across a face of a node's region to what is open.
    #[inline]
    fn open_across(&mut self, search: &mut Search, at: u32, f: usize) {
        let node = &search.nodes[at as usize];
        let (s, l, region) = (node.slot, node.layer as usize, node.region);
        let Some((t, m)) = self.layer_at(s, l, f) else { return };
        let bits = match f {
            4 => and(region, self.chunks[t as usize].full(m)),
            5 => and(region, self.chunks[s as usize].full(l)),
            _ => leaving(region, f),
        };
        if !any(bits) {
            return;
        }
        let there = &self.chunks[t as usize];
        let spent = there.spent(m);
        let p = there.pos;
        let far = |a: i32, low: i32| (low - a).max(a - low - 15).max(0) as u32;
        let key = far(search.from[0], p[0] * 16)
            + far(search.from[2], p[2] * 16)
            + LAYER_COST * (p[1] * 16 + m as i32).abs_diff(search.goal_y);
        let mut open = |entry: Bits, piece: u32| {
            let seq = search.nodes.len() as u32;
            let (slot, layer, face) = (t, m as u8, f as u8);
            search.nodes.push(Node { slot, layer, face, before: at, piece, key, entry, region: NONE });
            search.open.push(Reverse((key, seq)));
        };
        if any(spent) {
            let bits = minus(and(bits, there.sup[m]), spent);
            let seen = search.seen.get(&(t << 4 | m as u32)).copied().unwrap_or(NONE);
            if any(minus(bits, seen)) {
                open(bits, NO);
            }
            return;
        }
        for &p in &there.pieces[m] {
            let piece = &mut self.pools.pieces[p as usize];
            let entry = and(bits, piece.bits);
            if piece.mark.0 != search.epoch && any(entry) {
                piece.mark.0 = search.epoch;
                open(entry, p);
            }
        }
    }

    fn goals(&self, goal: Goal, s: u32, l: usize, region: Bits, own: Place) -> [Bits; 6] {
        let mut out = [NONE; 6];
        match goal {
            Goal::Low { least, most } => {
                let y7 = 7 * self.layer_y(s, l);
                for level in least.max(y7)..=most.min(y7 + 7) {
                    let found = self.low_contacts(s, l, region, level);
                    if found.iter().any(|&b| any(b)) {
                        return found;
                    }
                }
            }
            Goal::High { least, most, above } => {
                let ch = &self.chunks[s as usize];
                let y7 = 7 * self.layer_y(s, l);
                let mut cells = NONE;
                for level in least.max(y7 + 1)..=most.min(y7 + 7) {
                    cells = or(cells, self.high_cells(s, l, region, level));
                }
                if y7 >= above {
                    cells = or(cells, and(region, ch.src[l]));
                }
                out[4] = minus(cells, ch.spent(l));
                if own.0 == s && own.1 >> 8 == l {
                    put(&mut out[4], own.1 & 255, false);
                }
            }
        }
        out
    }

    /// The way from the node's goal back to the start, in `scratch.way`: from the goal's cell on.
    fn carry(&mut self, search: &Search, node: u32, contacts: [Bits; 6]) {
        let mut way = std::mem::take(&mut self.pools.scratch.way);
        let mut waves = std::mem::take(&mut self.pools.scratch.waves);
        way.clear();
        let goals = contacts.iter().fold(NONE, |a, &b| or(a, b));
        let mut at = node;
        let mut from = goals;
        loop {
            let n = &search.nodes[at as usize];
            route(n, from, &mut waves, &mut way);
            if n.before == NO {
                break;
            }
            let last = *way.last().expect("a way in each layer");
            let (s, i) = self.step_to(last, n.face as usize ^ 1);
            debug_assert_eq!((s, (i >> 8) as u8), (search.nodes[n.before as usize].slot, search.nodes[n.before as usize].layer));
            from = one(i & 255);
            at = n.before;
        }
        let reached = way[0];
        let (high, low);
        match search.goal {
            Goal::High { .. } => {
                high = reached;
                low = search.place;
            }
            Goal::Low { .. } => {
                high = search.place;
                let c = reached.1 & 255;
                let mix_ = mix(mix(self.seed, self.tick), pack(self.pos(reached)));
                let f = (0..6).map(|k| ((k + mix_) % 6) as usize).find(|&f| has(&contacts[f], c));
                let f = f.expect("a goal is at the end");
                low = if f == 4 { reached } else { self.step_to(reached, f) };
            }
        }
        let y = |p: Place| self.pos(p)[1];
        let src = self.is_src(high);
        let h_low = self.chunks[low.0 as usize].height(low.1);
        let h_high = self.chunks[high.0 as usize].height(high.1);
        let top = 7 * y(high) + if src { 0 } else { i32::from(h_high) };
        let gap = !has(&self.chunks[low.0 as usize].sup[low.1 >> 8], low.1 & 255);
        let bottom = 7 * y(low) + if gap { 0 } else { i32::from(h_low) };
        let mut units = ((top - bottom) / 2).clamp(0, 7) as u8;
        units = units.min(7 - h_low).min(if src { 7 } else { h_high });
        for &p in &way {
            if p != low {
                units = units.min(7 - self.passed(p).min(7));
            }
        }
        self.pools.stats.draws += 1;
        self.pools.stats.way += way.len() as u64;
        self.pools.stats.units += u64::from(units);
        debug_assert!(units > 0, "{top} {bottom} {h_low} {h_high} {:?}", way.len());
        if units > 0 {
            for &p in &way {
                if p != low {
                    self.pass(p, units);
                }
            }
            if src {
                self.ledger.injected += i64::from(units);
            } else {
                self.set(high, h_high - units);
            }
            self.set(low, h_low + units);
        }
        way.push(high);
        way.insert(0, low);
        self.pools.scratch.way = way;
        self.pools.scratch.waves = waves;
    }
}

/// The face towards the goal's layer.
fn toward(y: i32, goal: i32) -> Option<usize> {
    (y != goal).then(|| if y < goal { 5 } else { 4 })
}

/// Adds the cells of a shortest way through a node's region, from one of `from` to its entry.
fn route(node: &Node, from: Bits, waves: &mut Vec<Bits>, way: &mut Vec<Place>) {
    let base = (node.layer as usize) << 8;
    waves.clear();
    // Outwards from the entry, so that the way is walked from the other end.
    let mut all = node.entry;
    waves.push(all);
    while !any(and(all, from)) {
        let next = or(all, and(beside(all), node.region));
        debug_assert!(next != all, "a region is connected");
        if next == all {
            return;
        }
        waves.push(next);
        all = next;
    }
    let hit = and(all, from);
    let mut c = first(hit).expect("hit");
    way.push((node.slot, base | c));
    for k in (0..waves.len() - 1).rev() {
        let near = and(beside(one(c)), waves[k]);
        c = first(near).expect("a wave before");
        way.push((node.slot, base | c));
    }
}

