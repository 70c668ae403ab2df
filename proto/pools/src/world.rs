//! Chunks as bit planes, the simplest local rule (fall; sideways half of the difference if ≥ 2),
//! bottom-up, cells of a layer in hash order; waking; the throughput record of a tick.

use crate::bits::*;
use crate::pools::Pools;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub const NO: u32 = u32::MAX;
pub type Place = (u32, usize);

/// What moved through the cells of a chunk in this tick; only touched entries are cleaned.
pub struct Rec {
    pub passed: [u8; 4096],
    pub spent: [Bits; 16],
    pub touched: Vec<u16>,
}

pub struct Chunk {
    pub pos: [i32; 3],
    pub nb: [u32; 6],
    pub loaded: bool,
    /// Heights as three bit planes: wet = any, full = all.
    pub h: [[Bits; 3]; 16],
    pub solid: [Bits; 16],
    pub src: [Bits; 16],
    pub awake: [Bits; 16],
    pub rec: Option<Box<Rec>>,
    // What the pools keep: supported wet cells, as of the last update.
    pub sup: [Bits; 16],
    pub pieces: [Vec<u32>; 16],
    pub dirty_s: u16,
    pub dirty_l: u16,
}

impl Chunk {
    pub fn new(pos: [i32; 3]) -> Self {
        Chunk {
            pos,
            nb: [NO; 6],
            loaded: true,
            h: [[NONE; 3]; 16],
            solid: [NONE; 16],
            src: [NONE; 16],
            awake: [NONE; 16],
            rec: None,
            sup: [NONE; 16],
            pieces: Default::default(),
            dirty_s: 0,
            dirty_l: 0,
        }
    }
    #[inline]
    pub fn wet(&self, l: usize) -> Bits {
        let h = &self.h[l];
        or(or(h[0], h[1]), h[2])
    }
    #[inline]
    pub fn full(&self, l: usize) -> Bits {
        let h = &self.h[l];
        and(and(h[0], h[1]), h[2])
    }
    #[inline]
    pub fn spent(&self, l: usize) -> Bits {
        self.rec.as_ref().map_or(NONE, |r| r.spent[l])
    }
    #[inline]
    pub fn height(&self, i: usize) -> u8 {
        let (h, c) = (&self.h[i >> 8], i & 255);
        let (w, b) = (c >> 6, c & 63);
        (h[0][w] >> b & 1 | (h[1][w] >> b & 1) << 1 | (h[2][w] >> b & 1) << 2) as u8
    }
    #[inline]
    fn put_height(&mut self, i: usize, v: u8) {
        let (h, c) = (&mut self.h[i >> 8], i & 255);
        for k in 0..3 {
            put(&mut h[k], c, v >> k & 1 != 0);
        }
    }
}

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Ledger {
    pub placed: i64,
    pub injected: i64,
    pub removed: i64,
    pub drained: i64,
    pub evaporated: i64,
}
impl Ledger {
    pub fn total(&self) -> i64 {
        self.placed + self.injected - self.removed - self.drained - self.evaporated
    }
}

pub struct World {
    pub chunks: Vec<Chunk>,
    pub free: Vec<u32>,
    pub map: HashMap<[i32; 3], u32>,
    pub seed: u64,
    pub tick: u64,
    /// Awake cells by layer: those of this tick and, above and behind, of the next.
    now: BTreeMap<i32, Vec<u64>>,
    next: BTreeMap<i32, Vec<u64>>,
    late: BinaryHeap<Reverse<(u64, u64, u64)>>,
    turn: Option<(i32, u64)>,
    pub recs: Vec<u32>,
    /// Cells that get so many units at the start of a tick, and cells that are emptied then.
    pub emitters: Vec<([i32; 3], u8)>,
    pub sinks: Vec<[i32; 3]>,
    pub ledger: Ledger,
    pub pools: Pools,
    pub pools_on: bool,
    pub visited: u64,
    pub changed: u64,
    spare: Vec<Vec<u64>>,
}

pub fn chunk_of(c: [i32; 3]) -> [i32; 3] {
    [c[0] >> 4, c[1] >> 4, c[2] >> 4]
}
pub fn index_of(c: [i32; 3]) -> usize {
    ((c[1] & 15) << 8 | (c[2] & 15) << 4 | c[0] & 15) as usize
}
pub fn pack(c: [i32; 3]) -> u64 {
    (c[1] as u64 & 0xFFFFF) << 44 | (c[2] as u64 & 0x3FFFFF) << 22 | c[0] as u64 & 0x3FFFFF
}

impl World {
    pub fn new(seed: u64) -> Self {
        World {
            chunks: vec![],
            free: vec![],
            map: HashMap::new(),
            seed,
            tick: 0,
            now: BTreeMap::new(),
            next: BTreeMap::new(),
            late: BinaryHeap::new(),
            turn: None,
            recs: vec![],
            emitters: vec![],
            sinks: vec![],
            ledger: Ledger::default(),
            pools: Pools::default(),
            pools_on: true,
            visited: 0,
            changed: 0,
            spare: vec![],
        }
    }

    pub fn insert(&mut self, chunk: Chunk) {
        self.insert_as(chunk, true);
    }
    /// A chunk at rest, as a save has it, need not be woken.
    pub fn insert_as(&mut self, mut chunk: Chunk, awake: bool) {
        let pos = chunk.pos;
        assert!(!self.map.contains_key(&pos));
        let mut placed = 0;
        for l in 0..16 {
            let water = |b: Bits| i64::from(count(minus(b, chunk.src[l])));
            placed += water(chunk.h[l][0]) + 2 * water(chunk.h[l][1]) + 4 * water(chunk.h[l][2]);
        }
        self.ledger.placed += placed;
        for f in 0..6 {
            let d = FACES[f];
            chunk.nb[f] = *self.map.get(&[pos[0] + d.0, pos[1] + d.1, pos[2] + d.2]).unwrap_or(&NO);
        }
        let nb = chunk.nb;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.chunks[slot as usize] = chunk;
                slot
            }
            None => {
                self.chunks.push(chunk);
                self.chunks.len() as u32 - 1
            }
        };
        self.map.insert(pos, slot);
        for f in 0..6 {
            if nb[f] != NO {
                self.chunks[nb[f] as usize].nb[f ^ 1] = slot;
            }
        }
        self.around_changed(slot, nb, awake);
        for l in 0..16 {
            if any(self.chunks[slot as usize].wet(l)) {
                self.mark(slot, l, true);
                if !awake {
                    continue;
                }
                for c in iter(self.chunks[slot as usize].wet(l)) {
                    self.wake(slot, l * 256 + c);
                }
            }
        }
    }

    /// The neighbours of a chunk that comes or goes: their borders have to be looked at anew.
    fn around_changed(&mut self, slot: u32, nb: [u32; 6], awake: bool) {
        for f in 0..6 {
            let there = nb[f];
            if there == NO {
                continue;
            }
            let layers = if f == 4 { 15..16 } else if f == 5 { 0..1 } else { 0..16 };
            for l in layers {
                let wet = self.chunks[there as usize].wet(l);
                if !any(wet) {
                    continue;
                }
                self.mark(there, l, f >= 4);
                if !awake {
                    continue;
                }
                let border = match f {
                    4 | 5 => wet,
                    0 => and(wet, leaving(ALL, 0)),
                    1 => and(wet, leaving(ALL, 1)),
                    2 => and(wet, leaving(ALL, 2)),
                    _ => and(wet, leaving(ALL, 3)),
                };
                for c in iter(border) {
                    self.wake(there, l * 256 + c);
                }
            }
        }
        let _ = slot;
    }

    pub fn remove(&mut self, pos: [i32; 3]) {
        let Some(slot) = self.map.remove(&pos) else { return };
        self.drop_pieces(slot);
        for cells in self.next.values_mut() {
            cells.retain(|e| (e >> 12) as u32 & 0xFFFFF != slot);
        }
        self.next.retain(|_, cells| !cells.is_empty());
        let nb = self.chunks[slot as usize].nb;
        for f in 0..6 {
            if nb[f] != NO {
                self.chunks[nb[f] as usize].nb[f ^ 1] = NO;
            }
        }
        let chunk = &self.chunks[slot as usize];
        let mut gone = 0;
        for l in 0..16 {
            let water = |b: Bits| i64::from(count(minus(b, chunk.src[l])));
            gone += water(chunk.h[l][0]) + 2 * water(chunk.h[l][1]) + 4 * water(chunk.h[l][2]);
        }
        self.ledger.removed += gone;
        let mut dead = Chunk::new(pos);
        dead.loaded = false;
        dead.nb = [NO; 6];
        // Entries of the awake lists may still name the slot.
        self.chunks[slot as usize] = dead;
        self.free.push(slot);
        self.around_changed(slot, nb, true);
    }

    #[inline]
    pub fn place(&self, c: [i32; 3]) -> Option<Place> {
        self.map.get(&chunk_of(c)).map(|&s| (s, index_of(c)))
    }
    #[inline]
    pub fn pos(&self, (s, i): Place) -> [i32; 3] {
        let p = self.chunks[s as usize].pos;
        [p[0] * 16 + (i & 15) as i32, p[1] * 16 + (i >> 8) as i32, p[2] * 16 + (i >> 4 & 15) as i32]
    }
    #[inline]
    pub fn step_to(&self, (s, i): Place, f: usize) -> Place {
        let ch = &self.chunks[s as usize];
        match f {
            0 if i & 15 == 0 => (ch.nb[0], i | 15),
            0 => (s, i - 1),
            1 if i & 15 == 15 => (ch.nb[1], i & !15),
            1 => (s, i + 1),
            2 if i >> 4 & 15 == 0 => (ch.nb[2], i | 0xF0),
            2 => (s, i - 16),
            3 if i >> 4 & 15 == 15 => (ch.nb[3], i & !0xF0),
            3 => (s, i + 16),
            4 if i < 256 => (ch.nb[4], i | 0xF00),
            4 => (s, i - 256),
            _ if i >= 0xF00 => (ch.nb[5], i & 255),
            _ => (s, i + 256),
        }
    }
    /// The layer above or below (f 5 or 4).
    #[inline]
    pub fn layer_at(&self, s: u32, l: usize, f: usize) -> Option<(u32, usize)> {
        let at = match (f, l) {
            (4, 0) => (self.chunks[s as usize].nb[4], 15),
            (4, _) => (s, l - 1),
            (5, 15) => (self.chunks[s as usize].nb[5], 0),
            (5, _) => (s, l + 1),
            _ => (self.chunks[s as usize].nb[f], l),
        };
        (at.0 != NO).then_some(at)
    }

    // --- edits and changes -------------------------------------------------------------------

    pub fn height(&self, c: [i32; 3]) -> u8 {
        self.place(c).map_or(0, |(s, i)| self.chunks[s as usize].height(i))
    }
    pub fn is_solid(&self, c: [i32; 3]) -> bool {
        self.place(c).is_none_or(|(s, i)| has(&self.chunks[s as usize].solid[i >> 8], i & 255))
    }
    pub fn is_src(&self, (s, i): Place) -> bool {
        has(&self.chunks[s as usize].src[i >> 8], i & 255)
    }
    /// Pours up to `n`; returns how many.
    pub fn pour(&mut self, c: [i32; 3], n: u8) -> u8 {
        let Some(p) = self.place(c) else { return 0 };
        if self.is_solid(c) || self.is_src(p) {
            return 0;
        }
        let h = self.height(c);
        let n = n.min(7 - h);
        self.set(p, h + n);
        self.ledger.placed += i64::from(n);
        n
    }
    pub fn scoop(&mut self, c: [i32; 3], n: u8) -> u8 {
        let Some(p) = self.place(c) else { return 0 };
        if self.is_src(p) {
            return 0;
        }
        let h = self.height(c);
        let n = n.min(h);
        self.set(p, h - n);
        self.ledger.removed += i64::from(n);
        n
    }
    /// A wall placed or taken away; what water there was goes.
    pub fn wall(&mut self, c: [i32; 3], on: bool) {
        let Some((s, i)) = self.place(c) else { return };
        if on {
            self.source(c, false);
            let h = self.height(c);
            self.ledger.removed += i64::from(h);
            self.set((s, i), 0);
        }
        put(&mut self.chunks[s as usize].solid[i >> 8], i & 255, on);
        self.changed_major((s, i));
    }
    pub fn source(&mut self, c: [i32; 3], on: bool) {
        let Some((s, i)) = self.place(c) else { return };
        if self.is_src((s, i)) == on || self.is_solid(c) {
            return;
        }
        let h = self.height(c);
        if on {
            self.ledger.removed += i64::from(h);
            put(&mut self.chunks[s as usize].src[i >> 8], i & 255, true);
            self.chunks[s as usize].put_height(i, 7);
        } else {
            self.chunks[s as usize].put_height(i, 0);
            put(&mut self.chunks[s as usize].src[i >> 8], i & 255, false);
        }
        self.changed_major((s, i));
    }

    /// The one place where heights change.
    #[inline]
    pub fn set(&mut self, p: Place, v: u8) {
        let (s, i) = p;
        let ch = &mut self.chunks[s as usize];
        let old = ch.height(i);
        if old == v {
            return;
        }
        ch.put_height(i, v);
        self.changed += 1;
        let (l, c) = (i >> 8, i & 255);
        let mut major = (old == 0) != (v == 0);
        if !major && (old == 7) != (v == 7) {
            let above_wet = match self.layer_at(s, l, 5) {
                Some((s, l)) => has(&self.chunks[s as usize].wet(l), c),
                None => false,
            };
            major = above_wet || !has(&self.chunks[s as usize].sup[l], c);
        }
        if major {
            self.changed_major(p);
        } else {
            self.mark(s, l, false);
            self.wake_around(p);
        }
    }

    /// Takes a unit from a surface cell; wakes what that can set in motion, and nothing else: most
    /// losses from a level pond set nothing in motion.
    pub fn sink_quietly(&mut self, p: Place) {
        let h = self.chunks[p.0 as usize].height(p.1);
        let is_higher = |f: usize| {
            let q = self.step_to(p, f);
            q.0 != NO && self.chunks[q.0 as usize].height(q.1) > h
        };
        let (s, i) = p;
        if h == 1 || h == 7 || (0..4).any(is_higher) || has(&self.chunks[s as usize].awake[i >> 8], i & 255) {
            return self.set(p, h - 1);
        }
        self.chunks[s as usize].put_height(i, h - 1);
        self.changed += 1;
        self.mark(s, i >> 8, false);
    }

    fn changed_major(&mut self, p: Place) {
        let (s, i) = p;
        let (l, c) = (i >> 8, i & 255);
        self.mark(s, l, true);
        if let Some((s, l)) = self.layer_at(s, l, 5) {
            self.mark(s, l, true);
        }
        if let Some((s, l)) = self.layer_at(s, l, 4) {
            self.mark(s, l, false);
        }
        let nb = self.chunks[s as usize].nb;
        let (x, z) = (c & 15, c >> 4);
        for (f, at) in [(0, x == 0), (1, x == 15), (2, z == 0), (3, z == 15)] {
            if at && nb[f] != NO {
                self.mark(nb[f], l, false);
            }
        }
        self.wake_around(p);
    }

    #[inline]
    pub fn mark(&mut self, s: u32, l: usize, structure: bool) {
        let ch = &mut self.chunks[s as usize];
        if ch.dirty_s | ch.dirty_l == 0 {
            self.pools.dirty.push(s);
        }
        if structure {
            ch.dirty_s |= 1 << l;
        } else {
            ch.dirty_l |= 1 << l;
        }
    }

    // --- waking and order --------------------------------------------------------------------

    fn wake_around(&mut self, p: Place) {
        self.wake(p.0, p.1);
        for f in [0, 1, 2, 3, 5] {
            let (s, i) = self.step_to(p, f);
            if s != NO {
                self.wake(s, i);
            }
        }
    }

    #[inline]
    pub fn wake(&mut self, s: u32, i: usize) {
        let ch = &mut self.chunks[s as usize];
        let (l, c) = (i >> 8, i & 255);
        if has(&ch.awake[l], c) || !has(&ch.wet(l), c) {
            return;
        }
        put(&mut ch.awake[l], c, true);
        let y = ch.pos[1] * 16 + l as i32;
        let entry = self.entry(s, i);
        match self.turn {
            Some((at, hash)) if y > at || y == at && self.rank(entry) > self.rank(hash) => {
                if y == at {
                    let (hash, pos) = self.rank(entry);
                    self.late.push(Reverse((hash, pos, entry)));
                } else {
                    push(&mut self.now, &mut self.spare, y, entry);
                }
            }
            _ => push(&mut self.next, &mut self.spare, y, entry),
        }
    }
    /// 32 bits of hash of (seed, tick, cell), 20 of slot, 12 of index. The tick is the one in which
    /// the cell will have its turn, so entries of the next are hashed when that begins.
    #[inline]
    fn entry(&self, s: u32, i: usize) -> u64 {
        let hash = mix(mix(self.seed, self.tick), pack(self.pos((s, i)))) & !0xFFFF_FFFF;
        hash | u64::from(s) << 12 | i as u64
    }

    /// The order of turns: by hash, and where that is the same, by position.
    #[inline]
    fn rank(&self, entry: u64) -> (u64, u64) {
        (entry >> 32, pack(self.pos(((entry >> 12) as u32 & 0xFFFFF, entry as usize & 0xFFF))))
    }

    pub fn wake_all(&mut self) {
        for s in 0..self.chunks.len() as u32 {
            for l in 0..16 {
                for c in iter(self.chunks[s as usize].wet(l)) {
                    self.wake(s, l * 256 + c);
                }
            }
        }
    }
    pub fn is_asleep(&self) -> bool {
        self.next.is_empty() && self.pools.watch.is_empty() && self.pools.dirty.is_empty()
    }

    // --- the tick ------------------------------------------------------------------------------

    pub fn step(&mut self) {
        self.begin_tick();
        if self.pools_on {
            self.pools_begin();
            while !self.pools_advance(&mut 4096) {}
        }
        self.end_tick();
    }
    pub fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.step();
        }
    }

    pub fn begin_tick(&mut self) {
        self.tick += 1;
        for k in 0..self.sinks.len() {
            let p = self.place(self.sinks[k]).unwrap();
            self.ledger.drained += i64::from(self.chunks[p.0 as usize].height(p.1));
            self.set(p, 0);
        }
        for k in 0..self.emitters.len() {
            let (c, n) = self.emitters[k];
            let p = self.place(c).unwrap();
            let h = self.chunks[p.0 as usize].height(p.1);
            let n = n.min(7 - h);
            self.set(p, h + n);
            self.ledger.injected += i64::from(n);
        }
        self.local_phase();
    }
    pub fn end_tick(&mut self) {
        for s in std::mem::take(&mut self.recs) {
            let Some(mut rec) = self.chunks[s as usize].rec.take() else { continue };
            for &i in &rec.touched {
                let i = i as usize;
                // A source that was spent has supply again.
                if rec.passed[i] >= 7 && self.is_src((s, i)) {
                    self.mark(s, i >> 8, false);
                    self.wake(s, i);
                }
                rec.passed[i] = 0;
                rec.spent[i >> 8] = NONE;
            }
            rec.touched.clear();
            self.chunks[s as usize].rec = Some(rec);
        }
    }

    fn local_phase(&mut self) {
        self.now = std::mem::take(&mut self.next);
        self.turn = Some((i32::MIN, 0));
        while let Some((y, mut cells)) = self.now.pop_first() {
            for e in &mut cells {
                *e = self.entry((*e >> 12) as u32 & 0xFFFFF, *e as usize & 0xFFF);
            }
            cells.sort_unstable_by(|&a, &b| (a >> 32).cmp(&(b >> 32)).then_with(|| self.rank(a).cmp(&self.rank(b))));
            let mut k = 0;
            loop {
                let next = match (cells.get(k), self.late.peek()) {
                    (Some(&a), Some(&Reverse((hash, pos, b)))) if (hash, pos) < self.rank(a) => {
                        self.late.pop();
                        b
                    }
                    (Some(&a), _) => {
                        k += 1;
                        a
                    }
                    (None, Some(&Reverse((_, _, b)))) => {
                        self.late.pop();
                        b
                    }
                    (None, None) => break,
                };
                self.turn = Some((y, next));
                let p = ((next >> 12) as u32 & 0xFFFFF, next as usize & 0xFFF);
                put(&mut self.chunks[p.0 as usize].awake[p.1 >> 8], p.1 & 255, false);
                self.visit(p, next >> 32);
            }
            cells.clear();
            self.spare.push(cells);
        }
        self.turn = None;
    }

    #[inline]
    pub fn passed(&self, (s, i): Place) -> u8 {
        self.chunks[s as usize].rec.as_ref().map_or(0, |r| r.passed[i])
    }
    #[inline]
    pub fn pass(&mut self, p: Place, n: u8) {
        let (s, i) = p;
        let ch = &mut self.chunks[s as usize];
        let rec = ch.rec.get_or_insert_with(|| {
            Box::new(Rec { passed: [0; 4096], spent: [NONE; 16], touched: vec![] })
        });
        if rec.touched.is_empty() {
            self.recs.push(s);
        }
        if rec.passed[i] == 0 {
            rec.touched.push(i as u16);
        }
        rec.passed[i] += n;
        if rec.passed[i] >= 7 {
            put(&mut rec.spent[i >> 8], i & 255, true);
            if has(&ch.src[i >> 8], i & 255) {
                self.mark(s, i >> 8, false);
            }
        }
    }

    #[inline]
    fn room(&self, (s, i): Place) -> u8 {
        if s == NO {
            return 0;
        }
        let ch = &self.chunks[s as usize];
        if has(&ch.solid[i >> 8], i & 255) { 0 } else { 7 - ch.height(i) }
    }
    /// Moves `n` units to a neighbour, or out of a source.
    fn give(&mut self, from: Place, to: Place, n: u8) {
        self.pass(from, n);
        if self.is_src(from) {
            self.ledger.injected += i64::from(n);
        } else {
            let h = self.chunks[from.0 as usize].height(from.1);
            self.set(from, h - n);
        }
        let h = self.chunks[to.0 as usize].height(to.1);
        self.set(to, h + n);
    }

    fn visit(&mut self, p: Place, hash: u64) {
        self.visited += 1;
        let mut h = self.chunks[p.0 as usize].height(p.1);
        if h == 0 {
            return;
        }
        let src = self.is_src(p);
        let mut left = 7u8.saturating_sub(self.passed(p));
        let below = self.step_to(p, 4);
        let room = self.room(below);
        if room > 0 {
            let n = h.min(room).min(left);
            if n > 0 {
                self.give(p, below, n);
                left -= n;
                if !src {
                    h -= n;
                }
            }
            if h == 0 || room > n {
                return;
            }
        }
        for k in 0..4 {
            let there = self.step_to(p, ((hash + k) & 3) as usize);
            let room = self.room(there);
            if room == 0 {
                continue;
            }
            let other = 7 - room;
            if h >= other + 2 {
                let n = ((h - other) / 2).min(left);
                if n > 0 {
                    self.give(p, there, n);
                    left -= n;
                    if !src {
                        h -= n;
                    }
                }
            }
        }
    }

    // --- looking -------------------------------------------------------------------------------

    pub fn total(&self) -> i64 {
        let mut sum = 0;
        for ch in &self.chunks {
            for l in 0..16 {
                let water = |b: Bits| i64::from(count(minus(b, ch.src[l])));
                sum += water(ch.h[l][0]) + 2 * water(ch.h[l][1]) + 4 * water(ch.h[l][2]);
            }
        }
        sum
    }
    pub fn state_hash(&self) -> u64 {
        let mut keys: Vec<_> = self.map.iter().collect();
        keys.sort();
        let mut hash = 0;
        for (pos, &s) in keys {
            let ch = &self.chunks[s as usize];
            hash = mix(hash, mix(pos[0] as u64, mix(pos[1] as u64, pos[2] as u64)));
            for l in 0..16 {
                for b in [ch.h[l][0], ch.h[l][1], ch.h[l][2], ch.solid[l], ch.src[l]] {
                    for w in b {
                        hash = mix(hash, w);
                    }
                }
            }
        }
        mix(hash, self.ledger.total() as u64)
    }
}

fn push(map: &mut BTreeMap<i32, Vec<u64>>, spare: &mut Vec<Vec<u64>>, y: i32, entry: u64) {
    map.entry(y).or_insert_with(|| spare.pop().unwrap_or_default()).push(entry);
}
