//! Bodies of joined water: pieces of chunk layers, union–find with lazy splits, extremes kept.
//!
//! A *supported* cell is a source, or wet over ground or over a full cell: others fall, and are no
//! part of a body. A *piece* is a connected component of the supported cells of one chunk layer.
//! Pieces are joined sideways over chunk faces, and upwards where the lower cell is full. A *body*
//! is a component of that graph. Of each piece its highest surface and its lowest place that would
//! take water are known; of each body, both sorted. A body is level if they differ by less than two.

use crate::bits::*;
use crate::levelling::Phase;
use crate::world::*;
use std::collections::BTreeMap;

/// Steps of a search for whether what had been joined still is, right after each change.
const EVENT_STEPS: u64 = 48;
pub const LOWEST: i32 = i32::MIN;
pub const HIGHEST: i32 = i32::MAX;

#[derive(Clone)]
pub struct Piece {
    pub slot: u32,
    pub layer: u8,
    pub alive: bool,
    pub bits: Bits,
    pub node: u32,
    /// Says where the piece lies: order by it is the same in every world with the same water.
    pub key: u64,
    pub hi: (i32, u32),
    pub lo: (i32, u32),
    /// Sources that have supply left in this tick.
    pub src: u32,
    /// 7 · y: the level to which its sources lift water.
    pub mark_y: i32,
    pub dead: u64,
    pub mark: (u64, u32),
}

#[derive(Default)]
pub struct Body {
    pub pieces: usize,
    /// (level, key) → (cells, piece).
    pub hi: BTreeMap<(i32, u64), (u32, u32)>,
    pub lo: BTreeMap<(i32, u64), (u32, u32)>,
    pub src: BTreeMap<(i32, u64), (u32, u32)>,
    /// Cells that were next to what has gone: the body is connected if these count as joined.
    pub fractures: Vec<Place>,
    pub watched: bool,
}

impl Body {
    pub fn top(&self) -> i32 {
        let hi = self.hi.last_key_value().map_or(LOWEST, |(k, _)| k.0);
        hi.max(self.src.last_key_value().map_or(LOWEST, |(k, _)| k.0))
    }
    pub fn bottom(&self) -> i32 {
        self.lo.first_key_value().map_or(HIGHEST, |(k, _)| k.0)
    }
    pub fn is_unlevel(&self) -> bool {
        let (top, bottom) = (self.top(), self.bottom());
        top != LOWEST && bottom != HIGHEST && top >= bottom + 2
    }
}

struct Node {
    parent: u32,
    refs: u32,
    body: Option<Box<Body>>,
}

#[derive(Default)]
pub struct Pools {
    pub pieces: Vec<Piece>,
    free_pieces: Vec<u32>,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    pub dirty: Vec<u32>,
    /// Roots that were seen to be unlevel.
    pub watch: Vec<u32>,
    pub phase: Phase,
    pub stage: (u8, usize),
    pub scratch: crate::levelling::Scratch,
    pub epoch: u64,
    pub stats: Stats,
    /// (slot, layers changed in structure, layers changed in height).
    updating: Vec<(u32, u16, u16)>,
    /// Cells next to what has gone in this update, event by event: what must still be joined.
    events: Vec<(u32, Place)>,
    event: u32,
    /// Events that took a cell that a body's own list of fractures names.
    carried: Vec<u32>,
}

#[derive(Default, Clone, Copy, Debug)]
pub struct Stats {
    pub looked: u64,
    pub structure: u64,
    pub levels: u64,
    pub pops: u64,
    pub searches: u64,
    pub vain: u64,
    pub draws: u64,
    pub way: u64,
    pub units: u64,
    pub split_checks: u64,
    pub split_steps: u64,
    pub splits: u64,
    pub worst_update: u64,
}

impl Pools {
    // --- union–find over nodes, freed when nothing refers to them -------------------------------

    fn new_node(&mut self) -> u32 {
        let node = Node { parent: NO, refs: 0, body: Some(Box::default()) };
        match self.free_nodes.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }
    fn unref(&mut self, mut at: u32) {
        loop {
            let node = &mut self.nodes[at as usize];
            node.refs -= 1;
            if node.refs > 0 {
                return;
            }
            node.body = None;
            let parent = node.parent;
            self.free_nodes.push(at);
            if parent == NO {
                return;
            }
            at = parent;
        }
    }
    fn root(&self, mut at: u32) -> u32 {
        while self.nodes[at as usize].parent != NO {
            at = self.nodes[at as usize].parent;
        }
        at
    }
    /// The body of a piece.
    pub fn find(&mut self, piece: u32) -> u32 {
        let node = self.pieces[piece as usize].node;
        let root = self.root(node);
        if root != node {
            self.pieces[piece as usize].node = root;
            self.nodes[root as usize].refs += 1;
            self.unref(node);
        }
        root
    }
    pub fn body(&self, root: u32) -> &Body {
        self.nodes[root as usize].body.as_ref().expect("a root")
    }
    pub fn body_mut(&mut self, root: u32) -> &mut Body {
        self.nodes[root as usize].body.as_mut().expect("a root")
    }
    pub fn root_body(&self, at: u32) -> Option<&Body> {
        self.nodes[at as usize].body.as_deref()
    }
    fn union(&mut self, a: u32, b: u32) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        if self.body(a).pieces < self.body(b).pieces {
            std::mem::swap(&mut a, &mut b);
        }
        let mut small = self.nodes[b as usize].body.take().expect("a root");
        self.nodes[b as usize].parent = a;
        self.nodes[a as usize].refs += 1;
        let large = self.body_mut(a);
        large.pieces += small.pieces;
        for (large, small) in [
            (&mut large.hi, &mut small.hi),
            (&mut large.lo, &mut small.lo),
            (&mut large.src, &mut small.src),
        ] {
            if large.len() < small.len() {
                std::mem::swap(large, small);
            }
            large.extend(std::mem::take(small));
        }
        large.fractures.append(&mut small.fractures);
        self.watch_if_unlevel(a);
    }
    pub fn watch_if_unlevel(&mut self, root: u32) {
        let body = self.body_mut(root);
        if !body.watched && body.is_unlevel() {
            body.watched = true;
            self.watch.push(root);
        }
    }

    fn new_piece(&mut self, piece: Piece) -> u32 {
        self.nodes[piece.node as usize].refs += 1;
        match self.free_pieces.pop() {
            Some(at) => {
                self.pieces[at as usize] = piece;
                at
            }
            None => {
                self.pieces.push(piece);
                self.pieces.len() as u32 - 1
            }
        }
    }
    /// Takes what is known of a piece out of its body's lists, or puts it in.
    fn enlist(&mut self, at: u32, on: bool) {
        let root = self.find(at);
        let piece = &self.pieces[at as usize];
        let (key, hi, lo, src) = (piece.key, piece.hi, piece.lo, piece.src);
        let y7 = piece.hi_source();
        let body = self.nodes[root as usize].body.as_mut().expect("a root");
        let edit = |map: &mut BTreeMap<(i32, u64), (u32, u32)>, level: i32, n: u32| {
            if on {
                map.insert((level, key), (n, at));
            } else {
                map.remove(&(level, key));
            }
        };
        if hi.1 > 0 {
            edit(&mut body.hi, hi.0, hi.1);
        }
        if lo.1 > 0 {
            edit(&mut body.lo, lo.0, lo.1);
        }
        if src > 0 {
            edit(&mut body.src, y7, src);
        }
    }
    fn drop_piece(&mut self, at: u32) {
        self.enlist(at, false);
        let root = self.find(at);
        self.body_mut(root).pieces -= 1;
        self.pieces[at as usize].alive = false;
        self.unref(root);
        self.free_pieces.push(at);
    }
    /// Gives a piece to a body that is new.
    fn relabel(&mut self, at: u32, node: u32) {
        self.enlist(at, false);
        let old = self.find(at);
        self.body_mut(old).pieces -= 1;
        self.pieces[at as usize].node = node;
        self.nodes[node as usize].refs += 1;
        self.body_mut(node).pieces += 1;
        self.unref(old);
        self.enlist(at, true);
    }
}

impl Piece {
    /// 7 · y, set when the piece is made: the level to which sources in it lift water.
    fn hi_source(&self) -> i32 {
        self.mark_y
    }
}

impl World {
    pub fn layer_y(&self, s: u32, l: usize) -> i32 {
        self.chunks[s as usize].pos[1] * 16 + l as i32
    }
    pub fn piece_at(&self, (s, i): Place) -> Option<u32> {
        if s == NO {
            return None;
        }
        let (l, c) = (i >> 8, i & 255);
        let of = &self.chunks[s as usize].pieces[l];
        of.iter().copied().find(|&p| has(&self.pools.pieces[p as usize].bits, c))
    }

    /// What is supported: sources; wet over ground, over nothing loaded, or over a full cell.
    fn supported(&self, s: u32, l: usize) -> Bits {
        let ch = &self.chunks[s as usize];
        let holds = match self.layer_at(s, l, 4) {
            None => ALL,
            Some((s, l)) => {
                let below = &self.chunks[s as usize];
                or(below.solid[l], below.full(l))
            }
        };
        or(and(ch.wet(l), holds), ch.src[l])
    }

    pub fn neighbours(&self, at: u32, mut visit: impl FnMut(u32)) {
        let piece = &self.pools.pieces[at as usize];
        let (s, l, bits) = (piece.slot, piece.layer as usize, piece.bits);
        let ch = &self.chunks[s as usize];
        let mut look = |s: u32, l: usize, bits: Bits| {
            if any(bits) {
                for &p in &self.chunks[s as usize].pieces[l] {
                    if any(and(self.pools.pieces[p as usize].bits, bits)) {
                        visit(p);
                    }
                }
            }
        };
        for f in 0..4 {
            if ch.nb[f] != NO {
                look(ch.nb[f], l, leaving(bits, f));
            }
        }
        if let Some((s, l)) = self.layer_at(s, l, 5) {
            look(s, l, and(bits, ch.full(piece.layer as usize)));
        }
        if let Some((s, l)) = self.layer_at(s, l, 4) {
            look(s, l, and(bits, self.chunks[s as usize].full(l)));
        }
    }

    // --- keeping up: in steps of one layer ------------------------------------------------------

    /// Brings pieces and bodies up to date; `false` if `left` ran out before that was done.
    pub fn update(&mut self, left: &mut i64, stage: &mut (u8, usize)) -> bool {
        if stage.0 == 0 {
            if self.pools.dirty.is_empty() {
                return true;
            }
            // Structure first; it may mark further layers as changed in height.
            while stage.1 < self.pools.dirty.len() {
                if *left <= 0 {
                    return false;
                }
                let s = self.pools.dirty[stage.1];
                let layers = self.chunks[s as usize].dirty_s;
                for l in ones(layers) {
                    self.update_structure(s, l);
                    *left -= 16;
                }
                stage.1 += 1;
            }
            for s in std::mem::take(&mut self.pools.dirty) {
                let ch = &mut self.chunks[s as usize];
                let (a, b) = (std::mem::take(&mut ch.dirty_s), std::mem::take(&mut ch.dirty_l));
                self.pools.updating.push((s, a, a | b));
            }
            *stage = (1, 0);
        }
        if stage.0 == 1 {
            while let Some(&(s, layers, _)) = self.pools.updating.get(stage.1) {
                if *left <= 0 {
                    return false;
                }
                for l in ones(layers) {
                    for k in 0..self.chunks[s as usize].pieces[l].len() {
                        self.join(self.chunks[s as usize].pieces[l][k]);
                    }
                    *left -= 16;
                }
                stage.1 += 1;
            }
            *stage = (2, 0);
        }
        while let Some((s, _, layers)) = self.pools.updating.pop() {
            if *left <= 0 {
                self.pools.updating.push((s, 0, layers));
                return false;
            }
            for l in ones(layers) {
                self.update_levels(s, l);
                *left -= 16;
            }
        }
        self.check_events();
        *stage = (0, 0);
        true
    }
    pub fn update_all(&mut self) {
        let mut stage = (0, 0);
        while !self.update(&mut { i64::MAX }, &mut stage) {}
    }

    fn join(&mut self, at: u32) {
        let mut found: [u32; 32] = [NO; 32];
        let mut n = 0;
        let mut more = vec![];
        self.neighbours(at, |p| {
            if n < 32 {
                found[n] = p;
                n += 1;
            } else {
                more.push(p);
            }
        });
        for &p in found[..n].iter().chain(&more) {
            self.pools.union(at, p);
        }
    }

    fn update_structure(&mut self, s: u32, l: usize) {
        self.pools.stats.structure += 1;
        let now = self.supported(s, l);
        let ch = &self.chunks[s as usize];
        let con = and(now, ch.full(l));
        let was = ch.sup[l];
        let lost = minus(was, now);
        // Where a cell is no longer full, what stands on it falls, and is lost there; all but sources.
        let above_src = match self.layer_at(s, l, 5) {
            Some((s, l)) => self.chunks[s as usize].src[l],
            None => NONE,
        };
        let lost_con = and(minus(now, con), above_src);
        let old = if now == was { vec![] } else { std::mem::take(&mut self.chunks[s as usize].pieces[l]) };
        let ch = &mut self.chunks[s as usize];
        ch.sup[l] = now;
        if now != was {
            let nb = ch.nb;
            let border = or(lost, minus(now, was));
            for f in 0..4 {
                if nb[f] != NO && any(leaving(border, f)) {
                    self.mark(nb[f], l, false);
                }
            }
            self.remake(s, l, now, &old, lost);
        }
        if any(lost_con) {
            // Joints upwards that have gone.
            for k in 0..self.chunks[s as usize].pieces[l].len() {
                let p = self.chunks[s as usize].pieces[l][k];
                let cut = and(self.pools.pieces[p as usize].bits, lost_con);
                if any(cut) {
                    self.pools.event += 1;
                    self.fracture(s, l, cut);
                    if let Some((s, l)) = self.layer_at(s, l, 5) {
                        self.fracture(s, l, cut);
                    }
                }
            }
        }
    }

    /// New pieces for old ones.
    fn remake(&mut self, s: u32, l: usize, now: Bits, old: &[u32], lost: Bits) {
        // What lies next to what has gone, by the body that it belonged to.
        for &o in old {
            let gone = and(self.pools.pieces[o as usize].bits, lost);
            if !any(gone) {
                continue;
            }
            self.begin_event(o, |(t, i)| t == s && i >> 8 == l && has(&gone, i & 255));
            self.fracture(s, l, beside(gone));
            for f in 0..4 {
                let there = self.chunks[s as usize].nb[f];
                if there != NO {
                    self.fracture(there, l, leaving(gone, f));
                }
            }
            if let Some((s, l)) = self.layer_at(s, l, 5) {
                self.fracture(s, l, gone);
            }
            if let Some((s, l)) = self.layer_at(s, l, 4) {
                self.fracture(s, l, gone);
            }
        }
        let mut left = now;
        let mut kept = vec![];
        let mut made = vec![];
        while let Some(c) = first(left) {
            let bits = fill(one(c), left);
            left = minus(left, bits);
            let mut node = NO;
            let mut same = NO;
            for &o in old {
                let other = self.pools.pieces[o as usize].bits;
                if other == bits {
                    same = o;
                }
                if any(and(other, bits)) && node == NO {
                    node = self.pools.find(o);
                }
            }
            if same != NO {
                kept.push(same);
                made.push(same);
                continue;
            }
            let fresh = node == NO;
            if fresh {
                node = self.pools.new_node();
            }
            let y = self.layer_y(s, l);
            let ch = &self.chunks[s as usize];
            let key = mix(pack([ch.pos[0] * 16, y, ch.pos[2] * 16]), c as u64);
            let piece = Piece {
                slot: s,
                layer: l as u8,
                alive: true,
                bits,
                node,
                key,
                hi: (LOWEST, 0),
                lo: (HIGHEST, 0),
                src: 0,
                mark_y: 7 * y,
                dead: 0,
                mark: (0, 0),
            };
            let p = self.pools.new_piece(piece);
            let root = self.pools.find(p);
            self.pools.body_mut(root).pieces += 1;
            for &o in old {
                if any(and(self.pools.pieces[o as usize].bits, bits)) {
                    self.pools.union(p, o);
                }
            }
            made.push(p);
        }
        for &o in old {
            if !kept.contains(&o) {
                self.pools.drop_piece(o);
            }
        }
        self.chunks[s as usize].pieces[l] = made;
    }

    fn begin_event(&mut self, of: u32, took: impl Fn(Place) -> bool) {
        self.pools.event += 1;
        let root = self.pools.find(of);
        if self.pools.body(root).fractures.iter().any(|&p| took(p)) {
            self.pools.carried.push(self.pools.event);
        }
    }

    /// Keeps one cell of each piece among these for the event: what was joined there may be no more.
    fn fracture(&mut self, s: u32, l: usize, bits: Bits) {
        let sup = self.chunks[s as usize].sup[l];
        let mut bits = and(bits, sup);
        while let Some(c) = first(bits) {
            bits = minus(bits, fill(one(c), sup));
            self.pools.events.push((self.pools.event, (s, l << 8 | c)));
        }
    }

    /// Most events are over at once: what was joined still is, round a corner, or a small part is
    /// cut off. The others are kept with the body until that has to be known.
    fn check_events(&mut self) {
        let events = std::mem::take(&mut self.pools.events);
        if events.is_empty() {
            return;
        }
        let carried = std::mem::take(&mut self.pools.carried);
        self.pools.event = 0;
        // Cells that went after they were kept tie the events of their body together.
        let broken = events.iter().any(|&(_, p)| self.piece_at(p).is_none());
        let mut roots: Vec<(u32, u32)> = vec![];
        let mut split: Vec<u32> = vec![];
        for of_event in events.chunk_by(|a, b| broken || a.0 == b.0) {
            let is_carried = of_event.iter().any(|e| carried.contains(&e.0));
            if of_event.len() < 2 && !is_carried {
                continue;
            }
            roots.clear();
            for &(_, p) in of_event {
                if let Some(p) = self.piece_at(p) {
                    roots.push((self.pools.find(p), p));
                }
            }
            roots.sort_unstable();
            roots.dedup();
            for of_root in roots.chunk_by(|a, b| a.0 == b.0) {
                if is_carried {
                    for &(root, p) in of_root {
                        let piece = &self.pools.pieces[p as usize];
                        let cell = (piece.slot, (piece.layer as usize) << 8 | first(piece.bits).unwrap_or(0));
                        self.pools.body_mut(root).fractures.push(cell);
                    }
                } else {
                    let whole = self.connect(of_root.iter().map(|r| r.1).collect(), EVENT_STEPS);
                    if !whole && !split.contains(&of_root[0].0) {
                        split.push(of_root[0].0);
                    }
                }
            }
        }
        // A part that went may have been what tied other events, or older fractures, to this one.
        for root in split {
            let mut left: Vec<u32> = events.iter().filter_map(|&(_, p)| self.piece_at(p)).collect();
            left.retain(|&p| self.pools.find(p) == root);
            if self.pools.body(root).fractures.is_empty() {
                self.connect(left, EVENT_STEPS);
            } else {
                for p in left {
                    let piece = &self.pools.pieces[p as usize];
                    let cell = (piece.slot, (piece.layer as usize) << 8 | first(piece.bits).unwrap_or(0));
                    self.pools.body_mut(root).fractures.push(cell);
                }
            }
        }
        let mut events = events;
        events.clear();
        self.pools.events = events;
    }

    pub fn drop_pieces(&mut self, s: u32) {
        self.pools.event += 1;
        for l in 0..16 {
            let old = std::mem::take(&mut self.chunks[s as usize].pieces[l]);
            for o in old {
                let gone = self.pools.pieces[o as usize].bits;
                // One event for all of the chunk: its pieces were joined to each other.
                let root = self.pools.find(o);
                if self.pools.body(root).fractures.iter().any(|p| p.0 == s) {
                    self.pools.carried.push(self.pools.event);
                }
                for f in 0..4 {
                    let there = self.chunks[s as usize].nb[f];
                    if there != NO {
                        self.fracture(there, l, leaving(gone, f));
                    }
                }
                if l == 15 && let Some((s, l)) = self.layer_at(s, l, 5) {
                    self.fracture(s, l, gone);
                }
                if l == 0 && let Some((s, l)) = self.layer_at(s, l, 4) {
                    self.fracture(s, l, gone);
                }
                self.pools.drop_piece(o);
            }
        }
        self.pools.dirty.retain(|&d| d != s);
    }

    // --- levels ---------------------------------------------------------------------------------

    pub fn mask_of_height(&self, s: u32, l: usize, h: u8) -> Bits {
        let p = &self.chunks[s as usize].h[l];
        let take = |b: Bits, on: bool| if on { b } else { minus(ALL, b) };
        and(and(take(p[0], h & 1 != 0), take(p[1], h & 2 != 0)), take(p[2], h & 4 != 0))
    }
    /// Full cells without water above.
    pub fn full_tops(&self, s: u32, l: usize) -> Bits {
        let ch = &self.chunks[s as usize];
        let covered = match self.layer_at(s, l, 5) {
            Some((s, l)) => self.chunks[s as usize].wet(l),
            None => NONE,
        };
        minus(minus(ch.full(l), covered), ch.src[l])
    }
    /// Cells that water could be pushed into sideways: open, not full, and no part of a body.
    pub fn gaps(&self, s: u32, l: usize) -> Bits {
        let ch = &self.chunks[s as usize];
        minus(ALL, or(or(ch.solid[l], ch.sup[l]), ch.full(l)))
    }
    /// Cells of the layer above that are open and dry.
    pub fn dry_above(&self, s: u32, l: usize) -> Bits {
        match self.layer_at(s, l, 5) {
            Some((s, l)) => {
                let ch = &self.chunks[s as usize];
                minus(ALL, or(ch.solid[l], ch.wet(l)))
            }
            None => NONE,
        }
    }

    /// The surface cells of a piece that stand at a level.
    pub fn high_cells(&self, s: u32, l: usize, bits: Bits, level: i32) -> Bits {
        let h = level - 7 * self.layer_y(s, l);
        match h {
            1..=6 => and(bits, self.mask_of_height(s, l, h as u8)),
            7 => and(bits, self.full_tops(s, l)),
            _ => NONE,
        }
    }
    /// The cells of a piece that are, or border on, a place at this level that takes water: partial
    /// ones at it; those with a gap beside in each direction; those with dry air above.
    pub fn low_contacts(&self, s: u32, l: usize, bits: Bits, level: i32) -> [Bits; 6] {
        let mut out = [NONE; 6];
        match level - 7 * self.layer_y(s, l) {
            0 => {
                let gaps = self.gaps(s, l);
                for f in 0..4 {
                    out[f] = and(bits, shifted(gaps, f ^ 1));
                    let there = self.chunks[s as usize].nb[f];
                    if there != NO {
                        let across = leaving(self.gaps(there, l), f ^ 1);
                        out[f] = or(out[f], and(bits, across));
                    }
                }
            }
            h @ 1..=6 => out[4] = and(bits, self.mask_of_height(s, l, h as u8)),
            7 => out[5] = and(and(bits, self.full_tops_with_sources(s, l)), self.dry_above(s, l)),
            _ => {}
        }
        out
    }
    fn full_tops_with_sources(&self, s: u32, l: usize) -> Bits {
        self.chunks[s as usize].full(l)
    }

    fn update_levels(&mut self, s: u32, l: usize) {
        if self.chunks[s as usize].pieces[l].is_empty() {
            return;
        }
        self.pools.stats.levels += 1;
        let ch = &self.chunks[s as usize];
        let y7 = 7 * self.layer_y(s, l);
        let (full, src) = (ch.full(l), minus(ch.src[l], ch.spent(l)));
        let tops = self.full_tops(s, l);
        let dry_above = self.dry_above(s, l);
        let gaps = self.gaps(s, l);
        let mut next_to_gap = beside(gaps);
        for f in 0..4 {
            if ch.nb[f] != NO {
                next_to_gap = or(next_to_gap, leaving(self.gaps(ch.nb[f], l), f ^ 1));
            }
        }
        let planes = ch.h[l];
        for k in 0..self.chunks[s as usize].pieces[l].len() {
            let at = self.chunks[s as usize].pieces[l][k];
            let piece = &self.pools.pieces[at as usize];
            let bits = piece.bits;
            let partial = minus(bits, full);
            let tops = and(tops, bits);
            let hi = if any(tops) {
                (y7 + 7, count(tops))
            } else if any(partial) {
                let (h, cells) = extreme(&planes, partial, true);
                (y7 + h, count(cells))
            } else {
                (LOWEST, 0)
            };
            let edge = and(bits, next_to_gap);
            let lo = if any(edge) {
                (y7, count(edge))
            } else if any(partial) {
                let (h, cells) = extreme(&planes, partial, false);
                (y7 + h, count(cells))
            } else {
                let open = and(and(bits, full), dry_above);
                if any(open) { (y7 + 7, count(open)) } else { (HIGHEST, 0) }
            };
            let src = count(and(bits, src));
            if (hi, lo, src) != (piece.hi, piece.lo, piece.src) {
                self.pools.enlist(at, false);
                let piece = &mut self.pools.pieces[at as usize];
                (piece.hi, piece.lo, piece.src) = (hi, lo, src);
                self.pools.enlist(at, true);
                let root = self.pools.find(at);
                self.pools.watch_if_unlevel(root);
            }
        }
    }

    // --- splits, found when they matter -----------------------------------------------------------

    /// Whether a body was connected; if not, all but one of its parts are bodies of their own now.
    /// Searches from all sides of what has gone in turns, so it costs what the smaller parts do.
    pub fn settle_splits(&mut self, root: u32) -> bool {
        let cells = std::mem::take(&mut self.pools.body_mut(root).fractures);
        if cells.is_empty() {
            return true;
        }
        let pieces = cells.into_iter().filter_map(|p| self.piece_at(p));
        let pieces = pieces.collect::<Vec<_>>();
        let pieces = pieces.into_iter().filter(|&p| self.pools.find(p) == root).collect();
        self.connect(pieces, u64::MAX)
    }

    /// Finds out whether pieces that had been of one body still are, in so many steps at most; what
    /// is not known then is kept with the body.
    fn connect(&mut self, pieces: Vec<u32>, most: u64) -> bool {
        if pieces.len() < 2 {
            return true;
        }
        self.pools.stats.split_checks += 1;
        self.pools.epoch += 1;
        let epoch = self.pools.epoch;
        let root = self.pools.find(pieces[0]);
        let mut groups: Vec<Group> = vec![];
        for p in pieces {
            if self.pools.pieces[p as usize].mark.0 == epoch || self.pools.find(p) != root {
                continue;
            }
            self.pools.pieces[p as usize].mark = (epoch, groups.len() as u32);
            groups.push(Group { parent: groups.len(), seen: vec![p], at: 0, done: false });
        }
        let mut steps = 0;
        let mut live = groups.len();
        let mut whole = true;
        let mut turn = 0;
        while live > 1 {
            if steps >= most {
                let live = groups.iter().enumerate().filter(|(k, g)| g.parent == *k && !g.done);
                for (_, g) in live {
                    let piece = &self.pools.pieces[g.seen[0] as usize];
                    let cell = (piece.slot, (piece.layer as usize) << 8 | first(piece.bits).unwrap_or(0));
                    self.pools.body_mut(root).fractures.push(cell);
                }
                return whole;
            }
            let g = turn % groups.len();
            turn += 1;
            if groups[g].parent != g || groups[g].done {
                continue;
            }
            let Some(&p) = groups[g].seen.get(groups[g].at) else {
                // All of a part is seen: it is a body of its own.
                groups[g].done = true;
                live -= 1;
                whole = false;
                self.pools.stats.splits += 1;
                let node = self.pools.new_node();
                for k in 0..groups[g].seen.len() {
                    self.pools.relabel(groups[g].seen[k], node);
                }
                self.pools.watch_if_unlevel(node);
                continue;
            };
            groups[g].at += 1;
            steps += 1;
            self.pools.stats.split_steps += 1;
            let mut near = [NO; 64];
            let mut n = 0;
            let mut more = vec![];
            self.neighbours(p, |q| {
                if n < 64 {
                    near[n] = q;
                    n += 1;
                } else {
                    more.push(q);
                }
            });
            let mut g = g;
            for &q in near[..n].iter().chain(&more) {
                let mark = self.pools.pieces[q as usize].mark;
                if mark.0 != epoch {
                    self.pools.pieces[q as usize].mark = (epoch, g as u32);
                    groups[g].seen.push(q);
                } else {
                    let mut other = mark.1 as usize;
                    while groups[other].parent != other {
                        other = groups[other].parent;
                    }
                    if other != g {
                        // They met: one group.
                        let (keep, gone) =
                            if groups[g].seen.len() >= groups[other].seen.len() { (g, other) } else { (other, g) };
                        let moved = std::mem::take(&mut groups[gone].seen);
                        let at = groups[gone].at;
                        groups[gone].parent = keep;
                        // Those not yet looked at come last, those looked at before `at`.
                        let (looked, open) = moved.split_at(at);
                        let keep_at = groups[keep].at;
                        let tail = groups[keep].seen.split_off(keep_at);
                        groups[keep].seen.extend_from_slice(looked);
                        groups[keep].at += looked.len();
                        groups[keep].seen.extend(tail);
                        groups[keep].seen.extend_from_slice(open);
                        live -= 1;
                        g = keep;
                    }
                }
            }
        }
        whole
    }
}

struct Group {
    parent: usize,
    seen: Vec<u32>,
    at: usize,
    done: bool,
}

pub fn ones(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let at = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            at
        })
    })
}

/// Cells one step to the other side: those whose neighbour across `face ^ 1` is in `bits`.
pub fn shifted(bits: Bits, face: usize) -> Bits {
    // Cells of `bits` moved across `face`, inside the layer.
    const WEST: u64 = 0x0001_0001_0001_0001;
    const EAST: u64 = 0x8000_8000_8000_8000;
    let b = bits;
    match face {
        0 => b.map(|w| (w & !WEST) >> 1),
        1 => b.map(|w| (w & !EAST) << 1),
        2 => [b[0] >> 16 | b[1] << 48, b[1] >> 16 | b[2] << 48, b[2] >> 16 | b[3] << 48, b[3] >> 16],
        3 => [b[0] << 16, b[1] << 16 | b[0] >> 48, b[2] << 16 | b[1] >> 48, b[3] << 16 | b[2] >> 48],
        _ => unreachable!(),
    }
}

/// The greatest or least height among cells, and the cells that have it.
pub fn extreme(planes: &[Bits; 3], mut cells: Bits, greatest: bool) -> (i32, Bits) {
    let mut h = 0;
    for k in (0..3).rev() {
        let with = and(cells, planes[k]);
        let without = minus(cells, planes[k]);
        let on = if greatest { any(with) } else { !any(without) };
        cells = if on { with } else { without };
        h |= i32::from(on) << k;
    }
    (h, cells)
}
