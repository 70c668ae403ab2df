//! The turn of a cell: down, then sideways; and whether it will draw.
use crate::cell::*;
use crate::record::*;
use crate::world::*;
/// From which height water goes into a cell at the side: one more than its own where it would fall
/// there or leave the world, else two more; 9 for never.
#[inline(always)]
fn least(v: u16, under: u16, height: u8, own: u16) -> u8 {
    let there = h(v);
    if v == DRAIN { if own & HAS != 0 { 9 } else { 1 } } else if there == 7 || height <= there { 9 } else if under & 7 < 7 { there + 1 } else { there + 2 }
}
pub struct Turn { pub height: u8, pub left: u8 }
impl View<'_> {
    #[inline]
    fn give(&mut self, t: &mut Turn, p: P, w: u16, to: P, tw: u16, face: u8, wanted: u8) {
        let units = wanted.min(t.height).min(t.left);
        if units == 0 { return }
        t.left -= units;
        if w & IS == 0 { t.height -= units } else { self.ledger.injected += units as i64 }
        self.pass_on(p, w, face, units);
        if mark(tw) { self.ledger.drained += units as i64; return }
        let e = self.entry(to, tw);
        if e.inflow == 0 { e.from = face ^ 1 }
        e.inflow |= 1 << (face ^ 1);
        e.marks |= TOUCHED;
        self.put(to, tw + units as u16);
        if face == DOWN { self.wake_below_turn(to) } else { self.wake_place(to) }
    }
    /// Gives down and sideways what it may. Returns whether it moved anything.
    pub fn local(&mut self, p: P, w: u16) -> bool {
        let mut t = Turn { height: h(w), left: 0 };
        if t.height == 0 { return false }
        let i = (p & 4095) as usize;
        let (x, z, inner) = (i & 15, i >> 4 & 15, i >= 256);
        let mut near = [(NO, WALL, 9u8); 4];
        let mut gives = 0u8;
        let (below, bw, falls);
        if inner && x > 0 && x < 15 && z > 0 && z < 15 {
            // All that matters lies in the chunk.
            let cells = &self.c(p >> 12).cells;
            let b = cells[i - 256];
            (below, bw, falls) = (Some(p - 256), b, b & 7 < 7);
            if !(falls && b != DRAIN && h(b) + t.height <= 7 && w & IS == 0) {
                for (s, d) in [-1i32, 1, -16, 16].into_iter().enumerate() {
                    let q = (i as i32 + d) as usize & 4095;
                    let v = cells[q];
                    let least = least(v, cells[q - 256 & 4095], t.height, w);
                    near[s] = (p.wrapping_add_signed(d), v, least);
                    if t.height >= least { gives |= 1 << s }
                }
            }
        } else {
            below = self.step(p, DOWN);
            bw = below.map_or(WALL, |q| self.word(q));
            falls = bw & 7 < 7;
            if !(falls && bw != DRAIN && h(bw) + t.height <= 7 && w & IS == 0) {
                for (s, f) in SIDES.into_iter().enumerate() {
                    let Some(q) = self.step(p, f) else { continue };
                    let v = self.word(q);
                    if h(v) == 7 || v != DRAIN && t.height <= h(v) { continue }
                    let least = least(v, self.look(q, DOWN), t.height, w);
                    near[s] = (q, v, least);
                    if t.height >= least { gives |= 1 << s }
                }
            }
        }
        if !falls && gives == 0 { return false }
        t.left = self.left(p, w);
        if t.left == 0 { return false }
        let before = t.left;
        if falls {
            let room = if bw == DRAIN { 7 } else { 7 - h(bw) };
            self.give(&mut t, p, w, below.unwrap_or(NO), bw, DOWN, room);
        }
        if gives != 0 && t.height > 0 && t.left > 0 {
            let momentum = match dir(w) { c @ 1..=2 => c as usize, c @ 5..=6 => c as usize - 2, _ => 0 };
            let r = mix(self.layer_seed, (p & 255) as u64 | (self.c(p >> 12).pos[0] as u32 as u64) << 8 | (self.c(p >> 12).pos[2] as u32 as u64) << 36) >> 32;
            let mut order = ORDERS[momentum][(r * 24 >> 32) as usize];
            let ways = (0..4).fold(0u8, |a, s| a | ((near[s].1 == DRAIN || !mark(near[s].1) && near[s].1 & OUT != 0) as u8) << s);
            if ways != 0 { order = first(order, ways) }
            for k in 0..4 {
                let s = (order >> (2 * k) & 3) as usize;
                let (q, v, least) = near[s];
                if gives >> s & 1 == 0 || t.left == 0 || t.height < least { continue }
                let there = h(v);
                let units = if least == there + 1 { t.height.min(7 - there) } else { (t.height - there) / 2 };
                self.give(&mut t, p, w, q, v, SIDES[s], units);
            }
        }
        if t.left == before { return false }
        if w & IS == 0 {
            self.put(p, w & !7 | t.height as u16);
            self.wake_around(p, false);
        }
        true
    }
    /// What a cell would draw for, as things are: to fill itself, or to let the cell above it rise.
    #[inline]
    pub fn want(&self, p: P) -> Option<Want> {
        let w = self.word(p);
        if w & (HAS | IS) != HAS || mark(w) { return None }
        if h(w) < 7 {
            // What is fed from above is filled by what falls.
            if dir(w) == 3 { return None }
            return (self.look(p, DOWN) & 7 == 7 && self.highest >= self.y(p)).then_some(Want::Fill)
        }
        let y = self.y(p);
        if self.highest <= y + 1 { return None }
        let a = self.look(p, UP);
        (a & 7 < 7).then_some(Want::Rise)
    }
    /// A cell's turn.
    pub fn turn(&mut self, p: P) {
        self.stats.visits += 1;
        let w = self.word(p);
        if mark(w) || w == 0 { return }
        let moved = self.local(p, w);
        if self.want(p).is_some() {
            match self.opt.draws {
                Draws::Staged => { self.wants.push(p); return }
                Draws::InTurn => self.draw_for(p),
            }
        } else if !moved && (active(w) > 0 || w & OUT != 0) {
            self.entry(p, w);
        }
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want { Fill, Rise }
