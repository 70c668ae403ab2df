//! Draws: up the parents to the source, or else, breadth first, to the nearest source that still
//! gives. All of it can stop after any cell and go on later: `Draw::advance`.
use crate::cell::*;
use crate::flow::Want;
use crate::record::*;
use crate::world::*;
#[derive(Default, Clone)]
pub struct Search { pub queue: Vec<(P, i32)>, pub head: usize, pub stamp: u16, pub rejected: bool, pub path: Vec<(P, u8, u8)>, pub way: Vec<(P, u8, u8)> }
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drawn { Units(u8, bool), Waiting, Low, Defer, None }
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need { Leave, Fill(i32), Rise(i32) }
const START: u8 = 0xff;
enum Stage { Climb { at: P, exit: u8 }, Search, Trace { at: P }, Pass { k: usize, low: u8 } }
/// One draw under way.
pub struct Draw { cell: P, first: P, wanted: u8, need: Need, limit: bool, limited: bool, cap: u8, units: u8, stage: Stage }
impl Draw {
    pub fn new(cell: P, first: P, exit: u8, wanted: u8, need: Need, limit: bool) -> Draw {
        Draw { cell, first, wanted, need, limit, limited: false, cap: 7, units: 0, stage: Stage::Climb { at: first, exit } }
    }
    fn y(&self) -> i16 { match self.need { Need::Leave => i16::MIN, Need::Fill(y) | Need::Rise(y) => y as i16 } }
    fn reaches(&self, source: i32, need: i32) -> bool {
        source >= need && match self.need { Need::Leave => true, Need::Fill(y) => source >= y, Need::Rise(y) => source > y }
    }
    /// Goes on for up to `left` cells. `None` if it is not done.
    pub fn advance(&mut self, v: &mut View, left: &mut i64) -> Option<Drawn> {
        loop {
            if *left <= 0 { return None }
            match self.stage {
                Stage::Climb { at, exit } => {
                    *left -= 1;
                    v.stats.climbed += 1;
                    if !v.inside(at >> 12) { return Some(Drawn::Defer) }
                    let w = v.word(at);
                    if mark(w) || w & HAS == 0 { return Some(Drawn::None) }
                    let (mut passed, mut dead, mut low) = (0, false, false);
                    if let Some(e) = v.found(at) {
                        passed = e.passed;
                        dead = self.y() >= e.dead;
                        low = dead && e.marks & LOW != 0;
                    }
                    if low { return Some(Drawn::Low) }
                    let room = v.limit(w).saturating_sub(passed);
                    // What leaves does not lead through another outlet: it would take that one's place.
                    let through = self.need == Need::Leave && at != self.first && v.is_outlet(at);
                    if dead || room == 0 || through {
                        if dead || !v.opt.lanes || v.spare == 0 || v.credit <= 0 { self.bury(v, dead); return Some(Drawn::Waiting) }
                        if self.first == self.cell && v.search.path.is_empty() { return Some(Drawn::Waiting) }
                        self.begin_search(v);
                        continue;
                    }
                    v.search.path.push((at, exit, room));
                    if w & IS != 0 {
                        if !self.reaches(v.y(at), i32::MIN) {
                            let y = self.y();
                            for k in 0..v.search.path.len() {
                                let q = v.search.path[k].0;
                                let w = v.word(q);
                                let e = v.entry(q, w);
                                e.dead = e.dead.min(y);
                                e.marks |= LOW;
                            }
                            return Some(Drawn::Low)
                        }
                        self.begin_pass(v);
                        continue;
                    }
                    let d = dir(w);
                    if d == 0 { return Some(Drawn::None) }
                    // Momentum: where the flow goes straight on, a branch gets a part of it first.
                    if self.limit && exit + 1 != d && SIDES.contains(&exit) && SIDES.contains(&(d - 1)) {
                        let s = v.look(at, d - 1);
                        if !mark(s) && dir(s) == d && active(s) > 0 && self.cap > v.opt.turn_limit { self.cap = v.opt.turn_limit; self.limited = true; }
                    }
                    match v.step(at, (d - 1) ^ 1) {
                        Some(q) => self.stage = Stage::Climb { at: q, exit: d - 1 },
                        None => return Some(Drawn::None),
                    }
                }
                Stage::Search => {
                    let Some(&(c, need)) = v.search.queue.get(v.search.head) else {
                        // In vain: nobody else need look here in this tick.
                        if !v.search.rejected {
                            let y = self.y();
                            for k in 0..v.search.queue.len() {
                                let q = v.search.queue[k].0;
                                let w = v.word(q);
                                let e = v.entry(q, w);
                                e.dead = e.dead.min(y);
                            }
                        }
                        return Some(Drawn::Waiting);
                    };
                    v.search.head += 1;
                    v.credit -= 1;
                    if v.credit <= 0 { return Some(Drawn::Waiting) }
                    *left -= 1;
                    v.stats.searched += 1;
                    let stamp = v.search.stamp;
                    let turn = (mix(v.tick_seed, c as u64 ^ (stamp as u64) << 32) >> 60) as u8;
                    for k in 0..6u8 {
                        let f = [0, 1, 4, 5, 3, 2][if k < 4 { k ^ (turn & 3) } else { k } as usize];
                        let Some(q) = v.step(c, f) else { continue };
                        if !v.inside(q >> 12) { return Some(Drawn::Defer) }
                        let w = v.word(q);
                        if mark(w) || w & HAS == 0 || q == self.cell || self.need == Need::Leave && v.is_outlet(q) { continue }
                        let mut need = need;
                        // Water would rise from it: only from a full cell, and to below its source.
                        if f == DOWN { if h(w) < 7 { continue } need = need.max(v.y(c) + 1) }
                        let limit = v.limit(w);
                        let y = self.y();
                        let e = v.entry(q, w);
                        if e.seen == stamp || e.passed >= limit || y >= e.dead { continue }
                        e.seen = stamp;
                        e.from = f;
                        if w & IS != 0 {
                            if !self.reaches(v.y(q), need) { v.search.rejected = true; continue }
                            v.search.way.clear();
                            self.stage = Stage::Trace { at: q };
                            break;
                        }
                        v.search.queue.push((q, need));
                    }
                }
                Stage::Trace { at } => {
                    // From the source back to the climbed path, or to the cell that draws; each takes
                    // the next for its parent.
                    *left -= 1;
                    let w = v.word(at);
                    let f = v.entry(at, w).from;
                    if f == START {
                        let k = v.search.path.iter().position(|s| s.0 == at).map_or(0, |k| k + 1);
                        v.search.path.truncate(k);
                        let mut way = std::mem::take(&mut v.search.way);
                        way.reverse();
                        v.search.path.append(&mut way);
                        v.search.way = way;
                        self.begin_pass(v);
                        continue;
                    }
                    let l = v.left(at, w);
                    v.search.way.push((at, f ^ 1, l));
                    let child = v.step(at, f ^ 1).expect("it came from there");
                    let cw = v.word(child);
                    let n = with_dir(cw, (f ^ 1) + 1);
                    if n != cw {
                        v.entry(child, cw);
                        v.put(child, n);
                        if v.several { v.rerouted.push(child) }
                    }
                    self.stage = Stage::Trace { at: child };
                }
                Stage::Pass { k, low } => {
                    *left -= 1;
                    let (q, exit, room) = v.search.path[k];
                    let w = v.word(q);
                    let low = low.min(room);
                    v.pass_on(q, w, exit, self.units);
                    if dir(w) != 0 { v.put(q, with_largest(w, low)); }
                    if w & IS != 0 { v.ledger.injected += self.units as i64 }
                    if k == 0 { return Some(Drawn::Units(self.units, self.limited)) }
                    self.stage = Stage::Pass { k: k - 1, low };
                }
            }
        }
    }
    fn begin_pass(&mut self, v: &mut View) {
        let cap = v.search.path.iter().fold(self.cap, |a, p| a.min(p.2));
        self.units = self.wanted.min(cap);
        v.credit += 2 * v.search.path.len() as i64;
        v.stats.units_drawn += self.units as u64;
        self.stage = Stage::Pass { k: v.search.path.len() - 1, low: 7 };
    }
    fn begin_search(&mut self, v: &mut View) {
        v.stats.searches += 1;
        v.search.queue.clear();
        v.search.head = 0;
        v.search.rejected = false;
        v.search.stamp += 1;
        self.cap = 7;
        self.limited = false;
        let stamp = v.search.stamp;
        // From where the climb ended back down to the cell itself.
        for k in (0..v.search.path.len()).rev() { let q = v.search.path[k].0; v.search.queue.push((q, i32::MIN)); }
        if self.first != self.cell { v.search.queue.push((self.cell, i32::MIN)); }
        for k in 0..v.search.queue.len() {
            let q = v.search.queue[k].0;
            let w = v.word(q);
            let e = v.entry(q, w);
            e.seen = stamp;
            e.from = START;
        }
        self.stage = Stage::Search;
    }
    /// Marks the way climbed so far as dead.
    fn bury(&mut self, v: &mut View, _dead: bool) {
        let y = self.y();
        for k in 0..v.search.path.len() {
            let q = v.search.path[k].0;
            let w = v.word(q);
            let e = v.entry(q, w);
            e.dead = e.dead.min(y);
        }
    }
}
impl View<'_> {
    #[inline]
    fn wait(&mut self, p: P, w: u16) {
        if active(w) == 0 && w & OUT == 0 && self.found(p).is_none() { self.wake_place(p) } else { self.entry(p, w).marks |= WAITING }
    }
    pub fn run_draw(&mut self, mut d: Draw) -> Drawn {
        self.stats.draws += 1;
        self.search.path.clear();
        loop {
            // Each call goes on where the last stopped.
            let mut left = self.opt.slice;
            if let Some(drawn) = d.advance(self, &mut left) { return drawn }
        }
    }
    /// A cell draws for itself or for the cell above.
    pub fn draw_for(&mut self, p: P) {
        let w = self.word(p);
        let Some(want) = self.want(p) else {
            if !mark(w) && (active(w) > 0 || w & OUT != 0) { self.entry(p, w); }
            return;
        };
        if self.spare == 0 { return self.wait(p, w) }
        let y = self.y(p);
        let (draw, to, face) = match want {
            Want::Fill => {
                let Some(parent) = self.step(p, (dir(w) - 1) ^ 1) else { return };
                (Draw::new(p, parent, dir(w) - 1, (7 - h(w)).min(self.opt.fill), Need::Fill(y), false), p, NO)
            }
            Want::Rise => {
                let a = self.look(p, UP);
                let q = self.step(p, UP);
                if !q.is_none_or(|q| self.inside(q >> 12)) { self.deferred.push(p); return }
                (Draw::new(p, p, UP, if a == DRAIN { 7 } else { 7 - h(a) }, Need::Rise(y + 1), false), q.unwrap_or(NO), DOWN as u32)
            }
        };
        match self.run_draw(draw) {
            Drawn::Units(units, _) => {
                let tw = self.word(to);
                if mark(tw) { self.ledger.drained += units as i64; return }
                // A search may have turned the cell.
                let from = if face == NO { (dir(tw) - 1) ^ 1 } else { DOWN };
                let e = self.entry(to, tw);
                if e.inflow == 0 && e.before == 0 { e.from = from }
                e.inflow |= 1 << from;
                e.marks |= TOUCHED;
                self.put(to, tw + units as u16);
                self.wake_place(to);
            }
            // One whose source lies too low may still be brought another way, where sources lie at several heights.
            Drawn::Waiting | Drawn::Low | Drawn::None => self.wait(p, w),
            Drawn::Defer => { self.stats.deferred += 1; self.deferred.push(p) }
        }
    }
    pub fn is_outlet(&self, p: P) -> bool { self.c(p >> 12).outlets.as_ref().is_some_and(|o| o[(p >> 8 & 15) as usize][(p >> 6 & 3) as usize] >> (p & 63) & 1 != 0) }
    /// The cell's way to a drain, if it lies beside one.
    fn exit_of(&self, p: P) -> Option<u8> { [DOWN, 0, 1, 4, 5].into_iter().find(|&f| self.look(p, f) == DRAIN) }
    /// An outlet draws for what leaves. Returns whether it was held back by momentum.
    pub fn outlet_draws(&mut self, p: P, limit: bool) -> bool {
        let w = self.word(p);
        if mark(w) || w == 0 || w & HAS == 0 { return false }
        let Some(exit) = self.exit_of(p) else { return false };
        let wanted = self.left(p, w);
        if wanted == 0 { return false }
        let Drawn::Units(units, limited) = self.run_draw(Draw::new(p, p, exit, wanted, Need::Leave, limit)) else { return false };
        self.ledger.drained += units as i64;
        self.drains.push((p, units as u64));
        limited
    }
    pub fn outlet_leaves(&mut self, p: P) {
        let w = self.word(p);
        if mark(w) || w == 0 { return }
        let Some(exit) = self.exit_of(p) else { return };
        // Water with a source stands at the end until it is drawn: a lane that loses a turn keeps.
        let own = if w & IS != 0 || w & HAS != 0 && exit != DOWN { 0 } else { h(w).min(self.left(p, w)) };
        if own > 0 {
            self.pass_on(p, w, exit, own);
            self.put(p, w - own as u16);
            self.ledger.drained += own as i64;
            self.drains.push((p, own as u64));
            self.wake_around(p, false);
        }
        // The way up is one to the world's end.
        let mut q = p;
        loop {
            let w = self.word(q);
            if mark(w) || w == 0 { break }
            let e = self.entry(q, w);
            if e.marks & OUTWAY != 0 { break }
            e.marks |= OUTWAY;
            if w & OUT == 0 { self.put(q, w | OUT); self.wake_place(q); }
            if dir(w) == 0 { break }
            let Some(u) = self.step(q, (dir(w) - 1) ^ 1) else { break };
            q = u;
        }
    }
}
