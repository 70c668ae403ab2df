//! One tick: outlets; local flow, by random tiles; draws; ebb.
use crate::cell::*;
use crate::record::*;
use crate::world::*;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::collections::BTreeMap;
#[derive(Default)]
pub struct Scratch { pool: Option<(usize, rayon::ThreadPool)>, recs: Vec<Rec> }
/// A tile in this tick.
#[derive(Default)]
pub struct Job {
    key: (i32, i32),
    slots: Vec<u32>,
    listed: Vec<u32>,
    rec: u32,
    own: Vec<Option<Box<Chunk>>>,
    own_rec: Vec<Rec>,
    out: Out,
}
#[derive(Default)]
pub struct Out { ledger: Ledger, stats: Stats, wants: Vec<P>, deferred: Vec<P>, spent: u64, fresh: Vec<u32>, later: Later }
/// What the ebb found and only a sequential end may do.
#[derive(Default)]
pub struct Later { dried: Vec<P>, adopters: Vec<(P, u8)>, fresh: Vec<(P, Entry)>, turned: Vec<P> }
fn tile_of(pos: [i32; 3], offset: [i32; 2], side: i32) -> (i32, i32) { ((pos[0] + offset[0]).div_euclid(side), (pos[2] + offset[1]).div_euclid(side)) }
pub fn band_of(pos: [i32; 3], offset: [i32; 2], side: i32) -> u8 {
    let (x, z) = ((pos[0] + offset[0]).rem_euclid(side), (pos[2] + offset[1]).rem_euclid(side));
    (x == 0) as u8 | ((x == side - 1) as u8) << 1 | ((z == 0) as u8) << 2 | ((z == side - 1) as u8) << 3
}
impl View<'_> {
    /// One pass over the awake cells of some chunks: bottom-up, in hash order.
    fn pass(&mut self, slots: &[u32], band: Option<bool>, other_later: bool) -> Vec<u32> {
        let mut rows: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for &s in slots { rows.entry(self.c(s).pos[1]).or_default().push(s) }
        let mut all = vec![];
        let mut queue: Vec<u64> = vec![];
        let mut next = rows.keys().next().copied();
        while let Some(cy) = next {
            for ly in 0..16 {
                let y = cy * 16 + ly as i32;
                queue.clear();
                self.layer_seed = mix(self.tick_seed, y as u64);
                if let Some(row) = rows.get(&cy) {
                    for &s in row {
                        let c = self.c(s);
                        if c.lay_now >> ly & 1 == 0 { continue }
                        let mask = &BAND[c.band as usize];
                        let mut left = 0;
                        for k in 0..4 {
                            let mut b = c.now[ly][k];
                            match band { None => {} Some(true) => { left |= b & !mask[k]; b &= mask[k] } Some(false) => { left |= b & mask[k]; b &= !mask[k] } }
                            while b != 0 {
                                let i = k * 64 + b.trailing_zeros() as usize;
                                b &= b - 1;
                                let hash = turn_hash(self.layer_seed, c.pos[0] * 16 + (i & 15) as i32, c.pos[2] * 16 + (i >> 4) as i32);
                                queue.push((hash as u64) << 32 | (s << 12 | (ly << 8) as u32 | i as u32) as u64);
                            }
                        }
                        let _ = left;
                    }
                }
                self.stile = Stile { y, hash: 0, band, other_later };
                if queue.is_empty() { continue }
                queue.sort_unstable();
                let mut at = 0;
                loop {
                    let key = match (queue.get(at), self.late.peek()) {
                        (Some(&a), Some(&std::cmp::Reverse(b))) if b < a => { self.late.pop(); b }
                        (Some(&a), _) => { at += 1; a }
                        (None, Some(&std::cmp::Reverse(b))) => { self.late.pop(); b }
                        (None, None) => break,
                    };
                    let p = key as u32;
                    self.stile.hash = (key >> 32) as u32;
                    self.cm(p >> 12).now[ly][(p >> 6 & 3) as usize] &= !(1 << (p & 63));
                    self.turn(p);
                }
                if !self.fresh.is_empty() {
                    for s in std::mem::take(&mut self.fresh) {
                        rows.entry(self.c(s).pos[1]).or_default().push(s);
                        all.push(s);
                    }
                }
            }
            next = rows.range(cy + 1..).next().map(|r| *r.0);
        }
        self.stile = Stile { y: i32::MAX, hash: 0, band, other_later };
        all
    }
    fn random_of(&self, p: P, purpose: u64) -> u64 {
        let a = self.at(p);
        mix(self.tick_seed ^ purpose << 56, (a[0] as u32 as u64) | (a[1] as u32 as u64) << 22 ^ (a[2] as u32 as u64) << 42)
    }
    /// The ebb of a tile's cells.
    fn ebb(&mut self, rec: usize, later: &mut Later) {
        let n = self.recs[rec].entries.len();
        self.stats.entries += n as u64;
        for k in 0..n {
            let e = self.recs[rec].entries[k];
            let p = e.key;
            let w0 = self.word(p);
            if mark(w0) { continue }
            let mut w = w0;
            let touched = e.marks & TOUCHED != 0;
            let a = active(w);
            if touched { if a < 7 { w += 1 << 11 } } else if a > 0 && self.random_of(p, 1) & 3 == 0 { w -= 1 << 11 }
            if w & OUT != 0 && e.marks & OUTWAY == 0 { w &= !OUT }
            if w & IS == 0 {
                if touched && dir(w) != 0 && (w >> 8 & 7) < e.passed as u16 { w = with_largest(w, e.passed) }
                if active(w) == 0 && w & HAS == 0 && dir(w) != 0 { w = with_largest(with_dir(w, 0), 0) }
                let fresh = e.before == 0 && dir(w) == 0 && e.inflow != 0;
                if h(w) == 0 && !fresh && (dir(w) == 0 || active(w) == 0) {
                    w = 0;
                    let mut alone = e.before == 0;
                    if !alone {
                        alone = (0..6u8).all(|f| self.step(p, f).is_none_or(|q| self.inside(q >> 12) && { let v = self.word(q); mark(v) || dir(v) != f + 1 }));
                    }
                    if !alone { later.dried.push(p) }
                }
            }
            if w != w0 { self.put(p, w) }
        }
        // What has just become wet takes the first that gave to it for its parent: first givers form
        // no loop. Nothing here depends on the order of the entries.
        for k in 0..n {
            let e = self.recs[rec].entries[k];
            if e.inflow == 0 { continue }
            let w = self.word(e.key);
            if mark(w) || w & (IS | HAS) != 0 { continue }
            if e.before == 0 && dir(w) == 0 {
                if !self.adopt_first(e.key, &e, later) { later.fresh.push((e.key, e)) }
                continue;
            }
            if w == 0 { continue }
            // Others only take one that has a source, at the end, one after the other.
            let may = (0..6u8).any(|f| e.inflow >> f & 1 != 0 && self.step(e.key, f).is_some_and(|q| !self.inside(q >> 12) || self.word(q) & HAS != 0 || self.found(q).is_some_and(|e| e.before == 0)));
            if may { later.adopters.push((e.key, e.inflow)) }
        }
    }
    /// `false` if the giver lies in another tile.
    fn adopt_first(&mut self, p: P, e: &Entry, later: &mut Later) -> bool {
        let w = self.word(p);
        let f = e.from;
        let Some(q) = self.step(p, f) else { return true };
        if !self.inside(q >> 12) { return false }
        let g = self.word(q);
        if g == 0 || mark(g) {
            if h(w) == 0 { later.dried.push(p) }
            return true;
        }
        let fresh = self.found(q).is_some_and(|e| e.before == 0);
        if fresh { later.turned.push(p) }
        let n = with_dir(w, (f ^ 1) + 1) | if fresh { 0 } else { g & HAS };
        self.put(p, with_largest(n, e.passed.max(1)));
        true
    }
    /// A cell without a source takes a giver with one for its parent. No loop: a cell without a
    /// source is no ancestor of one with.
    fn adopt(&mut self, p: P, inflow: u8, turned: &mut Vec<P>) {
        self.stats.seq_ebb += 1;
        let w = self.word(p);
        if w == 0 || mark(w) || w & (IS | HAS) != 0 { return }
        let turn = (self.random_of(p, 2) % 6) as u8;
        for i in 0..6 {
            let f = (i + turn) % 6;
            if inflow >> f & 1 == 0 { continue }
            let Some(q) = self.step(p, f) else { continue };
            let g = self.word(q);
            if mark(g) || g & HAS == 0 { continue }
            self.keep(p, w);
            self.put(p, with_largest(with_dir(w, (f ^ 1) + 1), 1));
            turned.push(p);
            self.hand_down(turned);
            return;
        }
    }
    /// What stays awake, and what has changed.
    fn finish(&mut self, rec: usize) {
        for k in 0..self.recs[rec].entries.len() {
            let e = self.recs[rec].entries[k];
            let w = self.word(e.key);
            if (w ^ e.before) & 7 == 0 && e.passed > 0 && e.inflow == 1 << UP { self.stats.steady += 1 }
            if w != e.before {
                self.stats.changed += 1;
                if h(w) != h(e.before) || (w == 0) != (e.before == 0) {
                    self.stats.seen += 1;
                    let i = (e.key & 4095) as usize;
                    self.cm(e.key >> 12).feed[i >> 8][i >> 6 & 3] |= 1 << (i & 63);
                }
            }
            if w != 0 && !mark(w) && (active(w) > 0 || e.marks & WAITING != 0 || w & OUT != 0) { self.wake_place(e.key) }
        }
    }
}
impl World {
    fn take(v: View) -> Out {
        Out { ledger: v.ledger, stats: v.stats, wants: v.wants, deferred: v.deferred, spent: SPARE - v.spare, fresh: v.fresh, later: Later::default() }
    }
    fn absorb(&mut self, out: Out, listed: &mut Vec<u32>, spare: &mut u64) -> (Vec<P>, Vec<P>, Later) {
        self.ledger.add(&out.ledger);
        self.stats.add(&out.stats);
        *spare = spare.saturating_sub(out.spent);
        listed.extend(out.fresh);
        (out.wants, out.deferred, out.later)
    }
    /// Runs `f` for each tile, by itself.
    fn for_tiles(&mut self, jobs: &mut Vec<Job>, f: impl Fn(&mut View, &mut Job, usize) + Sync) {
        let t = std::time::Instant::now();
        self.for_tiles_inner(jobs, f);
        self.in_tiles[0] += t.elapsed().as_secs_f64();
    }
    fn for_tiles_inner(&mut self, jobs: &mut Vec<Job>, f: impl Fn(&mut View, &mut Job, usize) + Sync) {
        let (opt, seed, offset) = (self.opt, mix(self.seed, self.tick + 1), self.offset());
        if opt.threads <= 1 {
            let mut recs = std::mem::take(&mut self.recs);
            for job in jobs.iter_mut() {
                let mut v = self.view();
                v.recs = &mut recs;
                v.offset = offset;
                v.tile = Some(job.key);
                v.spare = SPARE;
                f(&mut v, job, job.rec as usize);
                job.out.merge(World::take(v));
            }
            self.recs = recs;
            return;
        }
        for job in jobs.iter_mut() {
            job.own.clear();
            for (k, &s) in job.slots.iter().enumerate() {
                job.own.push(self.chunks[s as usize].take());
                self.home[s as usize] = k as u32;
            }
            job.own_rec = vec![std::mem::take(&mut self.recs[job.rec as usize])];
        }
        if self.scratch.pool.as_ref().is_none_or(|p| p.0 != opt.threads) {
            self.scratch.pool = Some((opt.threads, rayon::ThreadPoolBuilder::new().num_threads(opt.threads).build().expect("threads")));
        }
        let (home, highest, several) = (&self.home, self.highest, self.highest != self.lowest);
        self.scratch.pool.as_ref().expect("just made").1.install(|| {
            jobs.par_iter_mut().for_each(|job| {
                let (mut own, mut own_rec) = (std::mem::take(&mut job.own), std::mem::take(&mut job.own_rec));
                let mut v = View { chunks: &mut own, home, recs: &mut own_rec, single: true, opt, ledger: Ledger::default(), stats: Stats::default(),
                    stile: Stile { y: i32::MAX, hash: 0, band: Some(false), other_later: false }, tick_seed: seed, layer_seed: 0, late: Default::default(), fresh: vec![],
                    offset, highest, several, wants: vec![], deferred: vec![], touched_recs: vec![], search: Default::default(), rerouted: vec![], spare: SPARE, credit: 1024, drains: vec![], tile: Some(job.key) };
                f(&mut v, job, 0);
                let out = World::take(v);
                job.out.merge(out);
                job.own = own;
                job.own_rec = own_rec;
            })
        });
        for job in jobs.iter_mut() {
            for (c, &s) in job.own.drain(..).zip(&job.slots) { self.chunks[s as usize] = c; }
            self.recs[job.rec as usize] = job.own_rec.pop().expect("one");
        }
    }
    fn offset(&self) -> [i32; 2] {
        let s = mix(self.seed, self.tick + 1);
        [(s >> 3 & 0xff) as i32 % self.opt.tile_side, (s >> 13 & 0xff) as i32 % self.opt.tile_side]
    }
    pub fn tick(&mut self) {
        let t = std::time::Instant::now();
        self.tick_inner();
        self.in_tiles[1] += t.elapsed().as_secs_f64();
    }
    fn tick_inner(&mut self) {
        let opt = self.opt;
        let seed = mix(self.seed, self.tick + 1);
        let offset = self.offset();
        let band_first = seed & 1 == 0;
        let mut listed = std::mem::take(&mut self.active);
        let mut spare = self.sources.len() as u64 * opt.supply as u64;
        // Tiles with awake cells, and their records; the last record is for all else.
        let mut jobs: Vec<Job> = vec![];
        let mut assigned: Vec<u32> = vec![];
        let mut of: HashMap<(i32, i32), usize> = HashMap::new();
        let n_tiles_at = |w: &mut World, jobs: &mut Vec<Job>, of: &mut HashMap<(i32, i32), usize>, assigned: &mut Vec<u32>, listed: &[u32]| {
            for &s in listed {
                let key = tile_of(w.chunks[s as usize].as_ref().unwrap().pos, offset, opt.tile_side);
                if of.contains_key(&key) { continue }
                let rec = jobs.len() as u32;
                of.insert(key, jobs.len());
                let mut job = Job { key, rec, ..Default::default() };
                for z in 0..opt.tile_side {
                    for x in 0..opt.tile_side {
                        let col = (key.0 * opt.tile_side + x - offset[0], key.1 * opt.tile_side + z - offset[1]);
                        if let Some(c) = w.columns.get(&col) {
                            for &s in c {
                                let c = w.chunks[s as usize].as_mut().unwrap();
                                c.rec = rec;
                                c.band = band_of(c.pos, offset, opt.tile_side);
                                assigned.push(s);
                                job.slots.push(s);
                            }
                        }
                    }
                }
                jobs.push(job);
            }
        };
        if opt.tiles { n_tiles_at(self, &mut jobs, &mut of, &mut assigned, &listed) }
        let n = jobs.len();
        self.recs = std::mem::take(&mut self.scratch.recs);
        self.recs.resize_with(n + 1, Rec::default);
        let mut recs = std::mem::take(&mut self.recs);
        // 1. Local flow.
        let (mut wants, mut deferred) = (vec![], vec![]);
        let passes: &[Option<bool>] = if !opt.tiles { &[None] } else if band_first { &[Some(true), Some(false)] } else { &[Some(false), Some(true)] };
        for (k, &band) in passes.iter().enumerate() {
            let other_later = k == 0 && passes.len() == 2;
            if band != Some(false) {
                let mut v = self.view();
                v.recs = &mut recs;
                v.offset = offset;
                v.spare = spare;
                v.search.stamp = 5_000;
                let slots = listed.clone();
                let mut fresh = v.pass(&slots, band, other_later);
                if band.is_some() { v.stats.band_visits += v.stats.visits }
                spare = v.spare;
                assigned.append(&mut v.touched_recs);
                let re = std::mem::take(&mut v.rerouted);
                let mut out = World::take(v);
                out.spent = 0;
                listed.append(&mut fresh);
                let (mut w, mut d, _) = self.absorb(out, &mut listed, &mut spare);
                wants.append(&mut w);
                deferred.append(&mut d);
                self.descend(re, &mut listed);
            } else {
                // A tile that the bands have just brought water to joins.
                n_tiles_at(self, &mut jobs, &mut of, &mut assigned, &listed);
                while recs.len() < jobs.len() + 1 { recs.push(Rec::default()) }
                if jobs.len() > n {
                    // The record of all else must stay the last; what it holds of new tiles moves there.
                    let old = std::mem::take(&mut recs[n]);
                    for e in &old.entries {
                        let r = self.chunks[(e.key >> 12) as usize].as_ref().unwrap().rec;
                        let r = if r == n as u32 && !self.in_job(&jobs, e.key >> 12, r) { jobs.len() as u32 } else { r };
                        *recs[r as usize].at(e.key, e.before) = *e;
                    }
                    let last = jobs.len() as u32;
                    for &s in &assigned {
                        let c = self.chunks[s as usize].as_mut().unwrap();
                        if c.rec == n as u32 && !jobs.get(n).is_some_and(|j| j.slots.contains(&s)) { c.rec = last }
                    }
                }
                for &s in &listed {
                    let key = tile_of(self.chunks[s as usize].as_ref().unwrap().pos, offset, opt.tile_side);
                    jobs[of[&key]].listed.push(s);
                }
                self.recs = recs;
                self.for_tiles(&mut jobs, |v, job, _| {
                    v.spare = SPARE;
                    v.search.stamp = 10_000;
                    let slots = std::mem::take(&mut job.listed);
                    let fresh = v.pass(&slots, Some(false), other_later);
                    v.fresh.extend(fresh);
                });
                recs = std::mem::take(&mut self.recs);
                for job in jobs.iter_mut() {
                    let out = std::mem::take(&mut job.out);
                    let (mut w, mut d, _) = self.absorb(out, &mut listed, &mut spare);
                    wants.append(&mut w);
                    deferred.append(&mut d);
                }
            }
        }
        wants.append(&mut deferred);
        // Outlets and cells with room take turns to be first, so that an arm can fill beside one that drains.
        let outlets_first = seed & 2 == 0;
        for outlets_turn in [outlets_first, !outlets_first] {
        // 2. Outlets draw, those held back by momentum once more, then their own water leaves.
        if !self.outlets.is_empty() && outlets_turn {
            let mut order: Vec<(i32, u32, P)> = vec![];
            let outlets = std::mem::take(&mut self.outlets);
            let mut v = self.view();
            v.search.stamp = if outlets_first { 20_000 } else { 40_000 };
            v.recs = &mut recs;
            v.offset = offset;
            v.spare = spare;
            v.stile = Stile { y: i32::MAX, hash: 0, band: None, other_later: false };
            for &p in &outlets {
                let (c, i) = (v.c(p >> 12), (p & 4095) as usize);
                if c.layers[i >> 8].wet[i >> 6 & 3] >> (i & 63) & 1 != 0 {
                    let a = v.at(p);
                    order.push((a[1], turn_hash(mix(seed, a[1] as u64), a[0], a[2]), p));
                }
            }
            order.sort_unstable();
            let mut again = vec![];
            for &(_, _, p) in &order { if v.outlet_draws(p, true) { again.push(p) } }
            for p in again { v.outlet_draws(p, false); }
            for &(_, _, p) in &order { v.outlet_leaves(p) }
            spare = v.spare;
            assigned.append(&mut v.touched_recs);
            let re = std::mem::take(&mut v.rerouted);
            let drains = std::mem::take(&mut v.drains);
            let mut out = World::take(v);
            self.drains.extend(drains);
            out.spent = 0;
            self.outlets = outlets;
            self.absorb(out, &mut listed, &mut spare);
            self.descend(re, &mut listed);
        }
        // 3. Draws.
        if !wants.is_empty() && !outlets_turn {
            let mut v = self.view();
            v.recs = &mut recs;
            v.offset = offset;
            v.spare = spare;
            v.search.stamp = if outlets_first { 40_000 } else { 20_000 };
            v.stile = Stile { y: i32::MAX, hash: 0, band: None, other_later: false };
            let mut order: Vec<(i32, u32, P)> = wants.iter().map(|&p| { let a = v.at(p); (a[1], turn_hash(mix(seed ^ 0x5555, a[1] as u64), a[0], a[2]), p) }).collect();
            order.sort_unstable();
            v.stats.seq_draws += order.len() as u64;
            for (_, _, p) in order { v.draw_for(p) }
            assigned.append(&mut v.touched_recs);
            let re = std::mem::take(&mut v.rerouted);
            let mut out = World::take(v);
            out.spent = 0;
            self.absorb(out, &mut listed, &mut spare);
            self.descend(re, &mut listed);
        }
        }
        // 4. Ebb.
        self.recs = recs;
        self.for_tiles(&mut jobs, |v, job, rec| { let mut later = Later::default(); v.ebb(rec, &mut later); job.out.later = later; });
        let mut later = Later::default();
        for job in jobs.iter_mut() {
            let out = std::mem::take(&mut job.out);
            let (_, _, l) = self.absorb(out, &mut listed, &mut spare);
            later.dried.extend(l.dried);
            later.adopters.extend(l.adopters);
            later.fresh.extend(l.fresh);
            later.turned.extend(l.turned);
        }
        let mut recs = std::mem::take(&mut self.recs);
        {
            let mut v = self.view();
            v.recs = &mut recs;
            v.offset = offset;
            v.stile = Stile { y: i32::MAX, hash: 0, band: None, other_later: false };
            let last = v.recs.len() - 1;
            v.ebb(last, &mut later);
            let fresh = std::mem::take(&mut later.fresh);
            for (p, e) in &fresh { v.stats.seq_ebb += 1; v.adopt_first(*p, e, &mut later); }
            let mut cut = vec![];
            for &p in &later.dried { v.stats.seq_ebb += 1; if v.word(p) != 0 { v.put(p, 0) } }
            for &p in &later.dried { v.cut_children_if_dry(p, &mut cut) }
            let mut turned = cut.clone();
            turned.append(&mut later.turned);
            v.take_back(&mut cut);
            v.hand_down(&mut turned);
            // In the order of places, so that nothing depends on tiles or threads.
            let mut adopters: Vec<([i32; 3], P, u8)> = later.adopters.iter().map(|&(p, i)| (v.at(p), p, i)).collect();
            adopters.sort_unstable();
            for (_, p, i) in adopters { v.adopt(p, i, &mut turned) }
            let mut re = vec![];
            re.append(&mut v.rerouted);
            assigned.append(&mut v.touched_recs);
            let mut out = World::take(v);
            out.spent = 0;
            self.absorb(out, &mut listed, &mut spare);
        }
        self.recs = recs;
        self.for_tiles(&mut jobs, |v, _, rec| v.finish(rec));
        for job in jobs.iter_mut() {
            let out = std::mem::take(&mut job.out);
            self.absorb(out, &mut listed, &mut spare);
        }
        let mut recs = std::mem::take(&mut self.recs);
        {
            let mut v = self.view();
            v.recs = &mut recs;
            v.offset = offset;
            v.stile = Stile { y: i32::MAX, hash: 0, band: None, other_later: false };
            let last = v.recs.len() - 1;
            v.finish(last);
            assigned.append(&mut v.touched_recs);
            let mut out = World::take(v);
            out.spent = 0;
            self.absorb(out, &mut listed, &mut spare);
        }
        if self.flows.1 {
            self.flows.0.clear();
            let mut all = vec![];
            for r in &recs { for e in &r.entries { all.push((e.key, flow_of(e, 0))) } }
            let v = self.view();
            let list = all.into_iter().map(|(p, f)| (v.at(p), f)).collect();
            self.flows.0 = list;
        }
        for r in &mut recs { r.clear() }
        self.scratch.recs = recs;
        for s in assigned {
            let c = self.chunks[s as usize].as_mut().unwrap();
            c.rec = NO;
            c.band = 0;
            self.home[s as usize] = NO;
        }
        for s in listed {
            let c = self.chunks[s as usize].as_mut().unwrap();
            c.listed = false;
            c.lay_now = 0;
            for ly in 0..16 {
                debug_assert!(c.now[ly] == [0; 4], "a turn was missed");
                c.now[ly] = c.layers[ly].next;
                c.layers[ly].next = [0; 4];
                if c.now[ly] != [0; 4] { c.lay_now |= 1 << ly }
            }
            if c.lay_now != 0 { c.listed = true; self.active.push(s) }
        }
        self.tick += 1;
    }
    fn in_job(&self, jobs: &[Job], slot: u32, r: u32) -> bool { jobs.get(r as usize).is_some_and(|j| j.slots.contains(&slot)) }
    /// Wakes what hangs on cells with a new parent, where sources lie at several heights.
    fn descend(&mut self, from: Vec<P>, listed: &mut Vec<u32>) {
        if from.is_empty() { return }
        let mut v = self.view();
        v.stile = Stile { y: i32::MAX, hash: 0, band: None, other_later: false };
        let mut open = from;
        let mut seen = hashbrown::HashSet::new();
        while let Some(p) = open.pop() {
            if !seen.insert(p) { continue }
            v.stats.seq_ebb += 1;
            v.wake_place(p);
            open.extend(v.children(p));
        }
        let out = World::take(v);
        listed.extend(out.fresh);
    }
    pub fn tick_with_drains(&mut self) -> Vec<([i32; 3], u64)> {
        self.drains.clear();
        self.tick();
        let d = std::mem::take(&mut self.drains);
        let v = self.view();
        d.into_iter().map(|(p, n)| (v.at(p), n)).collect()
    }
    pub fn run(&mut self, n: u64) { for _ in 0..n { self.tick() } }
}
const SPARE: u64 = 1 << 60;
impl Out {
    fn merge(&mut self, o: Out) {
        self.ledger.add(&o.ledger);
        self.stats.add(&o.stats);
        self.wants.extend(o.wants);
        self.deferred.extend(o.deferred);
        self.spent += o.spent;
        self.fresh.extend(o.fresh);
    }
}
