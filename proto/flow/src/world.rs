//! Chunks, their bits, the ledger, edits; and the view that a pass works on: all chunks, or those of
//! one tile.
use crate::cell::*;
use crate::record::*;
use hashbrown::HashMap;
pub type Bits = [u64; 4];
pub struct Layer { pub wet: Bits, pub next: Bits }
pub struct Chunk {
    pub pos: [i32; 3],
    pub slot: u32,
    pub nb: [u32; 6],
    pub rec: u32,
    /// Sides that face another tile in this tick.
    pub band: u8,
    pub listed: bool,
    pub lay_now: u16,
    pub layers: [Layer; 16],
    pub now: [Bits; 16],
    pub feed: [Bits; 16],
    pub cells: [u16; 4096],
    pub outlets: Option<Box<[Bits; 16]>>,
}
impl Chunk {
    fn new(pos: [i32; 3], slot: u32) -> Box<Chunk> {
        Box::new(Chunk { pos, slot, nb: [NO; 6], rec: NO, band: 0, listed: false, lay_now: 0,
            layers: std::array::from_fn(|_| Layer { wet: [0; 4], next: [0; 4] }),
            now: [[0; 4]; 16], feed: [[0; 4]; 16], cells: [0; 4096], outlets: None })
    }
}
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Ledger { pub placed: i64, pub injected: i64, pub removed: i64, pub drained: i64, pub evaporated: i64 }
impl Ledger {
    pub fn total(&self) -> i64 { self.placed + self.injected - self.removed - self.drained - self.evaporated }
    pub fn add(&mut self, o: &Ledger) {
        self.placed += o.placed; self.injected += o.injected; self.removed += o.removed;
        self.drained += o.drained; self.evaporated += o.evaporated;
    }
}
/// For each cell of a layer, itself and its sides within the layer.
pub static AROUND: [Bits; 256] = around();
const fn around() -> [Bits; 256] {
    let mut t = [[0u64; 4]; 256];
    let mut c = 0;
    while c < 256 {
        let (x, z) = (c & 15, c >> 4);
        t[c][c >> 6] |= 1 << (c & 63);
        if x > 0 { t[c][(c - 1) >> 6] |= 1 << ((c - 1) & 63); }
        if x < 15 { t[c][(c + 1) >> 6] |= 1 << ((c + 1) & 63); }
        if z > 0 { t[c][(c - 16) >> 6] |= 1 << ((c - 16) & 63); }
        if z < 15 { t[c][(c + 16) >> 6] |= 1 << ((c + 16) & 63); }
        c += 1;
    }
    t
}
/// The band of a chunk: two columns along each side in the set (bits: west, east, north, south).
pub static BAND: [Bits; 16] = bands();
const fn bands() -> [Bits; 16] {
    let mut t = [[0u64; 4]; 16];
    let mut s = 0;
    while s < 16 {
        let mut c = 0;
        while c < 256 {
            let (x, z) = (c & 15, c >> 4);
            if s & 1 != 0 && x < 2 || s & 2 != 0 && x > 13 || s & 4 != 0 && z < 2 || s & 8 != 0 && z > 13 {
                t[s][c >> 6] |= 1 << (c & 63);
            }
            c += 1;
        }
        s += 1;
    }
    t
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draws {
    /// In the cell's turn; what would leave a tile is deferred.
    InTurn,
    /// After all local flow, in random order over all cells of a layer.
    Staged,
}
#[derive(Clone, Copy)]
pub struct Options { pub tiles: bool, pub tile_side: i32, pub threads: usize, pub draws: Draws, pub turn_limit: u8, pub supply: u8, pub lanes: bool, pub fill: u8, pub slice: i64 }
impl Default for Options {
    fn default() -> Self { Options { tiles: true, tile_side: 4, threads: 1, draws: Draws::Staged, turn_limit: 3, supply: 7, lanes: true, fill: 2, slice: i64::MAX } }
}
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    pub visits: u64, pub band_visits: u64, pub moved: u64, pub changed: u64, pub seen: u64,
    pub draws: u64, pub deferred: u64, pub climbed: u64, pub searched: u64, pub searches: u64, pub entries: u64, pub late: u64, pub seq_ebb: u64,
    pub units_drawn: u64, pub steady: u64, pub seq_draws: u64,
}
impl Stats {
    pub fn add(&mut self, o: &Stats) {
        self.visits += o.visits; self.band_visits += o.band_visits; self.moved += o.moved; self.changed += o.changed; self.seen += o.seen;
        self.draws += o.draws; self.deferred += o.deferred; self.climbed += o.climbed; self.searched += o.searched; self.searches += o.searches;
        self.entries += o.entries; self.late += o.late; self.seq_ebb += o.seq_ebb; self.units_drawn += o.units_drawn; self.steady += o.steady; self.seq_draws += o.seq_draws;
    }
}
pub struct World {
    pub chunks: Vec<Option<Box<Chunk>>>,
    pub map: HashMap<[i32; 3], u32>,
    pub columns: HashMap<(i32, i32), Vec<u32>>,
    pub ident: Vec<u32>,
    pub home: Vec<u32>,
    pub active: Vec<u32>,
    pub recs: Vec<Rec>,
    pub seed: u64,
    pub tick: u64,
    pub ledger: Ledger,
    pub stats: Stats,
    pub opt: Options,
    pub sources: HashMap<[i32; 3], ()>,
    pub highest: i32,
    pub lowest: i32,
    pub outlets: Vec<P>,
    pub scratch: crate::tick::Scratch,
    /// For measurements: net flow along x of touched cells; units by outlet.
    pub flows: (Vec<([i32; 3], i32)>, bool),
    pub in_tiles: [f64; 2],
    pub drains: Vec<(P, u64)>,
}
impl World {
    pub fn new(seed: u64, opt: Options) -> World {
        World { chunks: vec![], map: HashMap::new(), columns: HashMap::new(), ident: vec![], home: vec![], active: vec![], recs: vec![],
            seed, tick: 0, ledger: Ledger::default(), stats: Stats::default(), opt, sources: HashMap::new(), highest: i32::MIN, lowest: i32::MAX,
            outlets: vec![], scratch: Default::default(), flows: Default::default(), in_tiles: [0.0; 2], drains: vec![] }
    }
    pub fn add_chunk(&mut self, pos: [i32; 3]) -> u32 {
        if let Some(&s) = self.map.get(&pos) { return s; }
        let s = self.chunks.len() as u32;
        let mut c = Chunk::new(pos, s);
        for f in 0..6u8 {
            let mut n = pos;
            n[[0, 0, 1, 1, 2, 2][f as usize]] += [-1, 1, -1, 1, -1, 1][f as usize];
            if let Some(&t) = self.map.get(&n) {
                c.nb[f as usize] = t;
                self.chunks[t as usize].as_mut().unwrap().nb[(f ^ 1) as usize] = s;
            }
        }
        self.map.insert(pos, s);
        self.columns.entry((pos[0], pos[2])).or_default().push(s);
        self.chunks.push(Some(c));
        self.ident.push(s);
        self.home.push(NO);
        s
    }
    pub fn place(&self, at: [i32; 3]) -> Option<P> {
        let s = *self.map.get(&at.map(|v| v >> 4))?;
        Some(s << 12 | ((at[1] & 15) << 8 | (at[2] & 15) << 4 | at[0] & 15) as u32)
    }
    pub fn get(&self, at: [i32; 3]) -> u16 { self.place(at).map_or(WALL, |p| self.word(p)) }
    #[inline]
    pub fn word(&self, p: P) -> u16 { self.chunks[(p >> 12) as usize].as_ref().unwrap().cells[(p & 4095) as usize] }
    /// Puts ground, a drain or open space before the first tick.
    pub fn set_ground(&mut self, at: [i32; 3], w: u16) {
        let s = self.add_chunk(at.map(|v| v >> 4));
        let p = s << 12 | ((at[1] & 15) << 8 | (at[2] & 15) << 4 | at[0] & 15) as u32;
        self.chunks[s as usize].as_mut().unwrap().cells[(p & 4095) as usize] = w;
        if w == DRAIN {
            let faces: &[u8] = &[0, 1, 3, 4, 5];
            for &f in faces {
                if let Some(q) = self.view().step(p, f) {
                    let c = self.chunks[(q >> 12) as usize].as_mut().unwrap();
                    let i = (q & 4095) as usize;
                    let o = c.outlets.get_or_insert_with(|| Box::new([[0; 4]; 16]));
                    let bit = 1 << (i & 63);
                    if o[i >> 8][i >> 6 & 3] & bit == 0 { o[i >> 8][i >> 6 & 3] |= bit; self.outlets.push(q); }
                }
            }
        }
    }
    pub fn add_source(&mut self, at: [i32; 3]) {
        let p = self.place(at).expect("loaded");
        self.ledger.placed += 7 - water(self.word(p)) as i64;
        let before = self.highest;
        self.sources.insert(at, ());
        self.heights();
        if self.highest > before && self.sources.len() > 1 {
            let all: Vec<P> = self.sources.keys().filter_map(|&k| self.place(k)).collect();
            self.wake_below(all);
        }
        let mut v = self.view();
        v.put(p, 7 | IS | HAS | 7 << 8);
        v.wake_place(p);
        let f = v.fresh;
        self.active.extend(f);
        let mut v = self.view();
        v.wake_around(p, true);
        let f = v.fresh;
        self.active.extend(f);
        self.wake_below(vec![p]);
        // What takes it for a parent already has a source again.
        self.fix_flags(vec![p]);
    }
    /// Wakes what hangs on these cells.
    fn wake_below(&mut self, mut open: Vec<P>) {
        let mut v = self.view();
        while let Some(p) = open.pop() { v.wake_place(p); open.extend(v.children(p)); }
        let f = v.fresh;
        self.active.extend(f);
    }
    fn heights(&mut self) {
        self.highest = self.sources.keys().map(|k| k[1]).max().unwrap_or(i32::MIN);
        self.lowest = self.sources.keys().map(|k| k[1]).min().unwrap_or(i32::MAX);
    }
    pub fn remove_source(&mut self, at: [i32; 3]) {
        let Some(p) = self.place(at) else { return };
        if self.sources.remove(&at).is_none() { return }
        self.heights();
        self.view().put(p, 7);
        let mut v = self.view();
        v.wake_place(p);
        let f = v.fresh;
        self.active.extend(f);
        self.fix_flags(vec![p]);
    }
    pub fn pour(&mut self, at: [i32; 3], units: u8) -> u8 {
        let Some(p) = self.place(at) else { return 0 };
        let w = self.word(p);
        if mark(w) { return 0 }
        let n = units.min(7 - h(w));
        if n == 0 { return 0 }
        self.ledger.placed += n as i64;
        let mut v = self.view();
        v.put(p, w + n as u16);
        v.wake_place(p);
        let f = v.fresh;
        self.active.extend(f);
        n
    }
    /// Builds a block or digs it out; water in its place is removed.
    pub fn build(&mut self, at: [i32; 3], solid: bool) {
        let Some(p) = self.place(at) else { return };
        let w = self.word(p);
        if mark(w) != solid || w & IS != 0 {
            if w & IS != 0 { return }
            self.ledger.removed += water(w) as i64;
            let mut v = self.view();
            v.put(p, if solid { SOLID } else { 0 });
            v.wake_around(p, true);
            let f = v.fresh;
        self.active.extend(f);
            self.fix_flags(vec![p]);
        }
    }
    fn fix_flags(&mut self, roots: Vec<P>) {
        let mut v = self.view();
        let mut cut = vec![];
        for p in roots { v.cut_children_if_dry(p, &mut cut); cut.extend(v.children(p)); }
        v.take_back(&mut cut.clone());
        v.hand_down(&mut cut);
        let f = v.fresh;
        self.active.extend(f);
    }
    pub fn view(&mut self) -> View<'_> {
        View { chunks: &mut self.chunks, home: &self.ident, recs: &mut self.recs, single: false, opt: self.opt, ledger: Ledger::default(), stats: Stats::default(),
            stile: Stile { y: i32::MIN, hash: 0, band: None, other_later: true }, tick_seed: mix(self.seed, self.tick + 1), layer_seed: 0, late: Default::default(),
            fresh: vec![], offset: [0; 2], highest: self.highest, several: self.highest != self.lowest, wants: vec![], deferred: vec![], touched_recs: vec![], search: Default::default(),
            rerouted: vec![], spare: 0, credit: 1024, drains: vec![], tile: None }
    }
    pub fn wake_all(&mut self) {
        for s in 0..self.chunks.len() {
            let c = self.chunks[s].as_mut().unwrap();
            let mut any = false;
            for i in 0..4096 {
                if c.cells[i] != 0 && !mark(c.cells[i]) {
                    c.now[i >> 8][i >> 6 & 3] |= 1 << (i & 63);
                    c.lay_now |= 1 << (i >> 8);
                    any = true;
                }
            }
            if any && !c.listed { c.listed = true; self.active.push(s as u32); }
        }
    }
    pub fn total(&self) -> i64 {
        self.chunks.iter().flat_map(|c| c.as_ref().unwrap().cells.iter()).map(|&w| water(w) as i64).sum()
    }
    pub fn awake(&self) -> u64 {
        self.active.iter().map(|&s| self.chunks[s as usize].as_ref().unwrap().now.iter().flatten().map(|w| w.count_ones() as u64).sum::<u64>()).sum()
    }
    pub fn state_hash(&self) -> u64 {
        let mut keys: Vec<_> = self.map.iter().collect();
        keys.sort();
        let mut a = 0;
        for (k, &s) in keys {
            a = mix(a, mix(k[0] as u64, mix(k[1] as u64, k[2] as u64)));
            for q in self.chunks[s as usize].as_ref().unwrap().cells.chunks_exact(4) {
                a = (a ^ (q[0] as u64 | (q[1] as u64) << 16 | (q[2] as u64) << 32 | (q[3] as u64) << 48)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                a ^= a >> 29;
            }
        }
        mix(a, self.ledger.total() as u64)
    }
    /// The laws that hold between ticks.
    pub fn check(&self) -> Result<(), String> {
        if self.total() != self.ledger.total() { return Err(format!("ledger {} water {}", self.ledger.total(), self.total())) }
        for c in self.chunks.iter().flatten() {
            for i in 0..4096 {
                let w = c.cells[i];
                let wet = c.layers[i >> 8].wet[i >> 6 & 3] >> (i & 63) & 1 != 0;
                if wet != (w != 0 && !mark(w)) { return Err(format!("wet bit {:?} {i}", c.pos)) }
                if mark(w) || w == 0 { continue }
                let at = [c.pos[0] * 16 + (i as i32 & 15), c.pos[1] * 16 + (i as i32 >> 8), c.pos[2] * 16 + (i as i32 >> 4 & 15)];
                if w & IS != 0 { if w & HAS == 0 || dir(w) != 0 || h(w) != 7 { return Err(format!("source {at:?}")) } continue }
                if dir(w) == 0 {
                    if w & HAS != 0 { return Err(format!("HasSource without parent {at:?} {w:04x}")) }
                    if w & 7 << 8 != 0 { return Err(format!("largest without parent {at:?}")) }
                    if h(w) == 0 { return Err(format!("dry but marked {at:?} {w:04x}")) }
                    continue;
                }
                if h(w) == 0 && active(w) == 0 { return Err(format!("dry inactive {at:?}")) }
                // The chain of parents ends, and HasSource says where.
                let (mut q, mut n) = (at, 0);
                loop {
                    let v = self.get(q);
                    if v == 0 || mark(v) { return Err(format!("parent dry at {q:?} of {at:?}")) }
                    if dir(v) == 0 {
                        if (v & IS != 0) != (w & HAS != 0) { return Err(format!("HasSource wrong {at:?}")) }
                        break;
                    }
                    let f = (dir(v) - 1) as usize;
                    q[[0, 0, 1, 1, 2, 2][f]] -= [-1, 1, -1, 1, -1, 1][f];
                    n += 1;
                    if n > 5000 { return Err(format!("loop at {at:?}")) }
                }
            }
        }
        Ok(())
    }
}
/// Whose turn it is: decides whether a cell that is woken has its turn in this tick.
#[derive(Clone, Copy)]
pub struct Stile { pub y: i32, pub hash: u32, pub band: Option<bool>, pub other_later: bool }
pub struct View<'a> {
    pub chunks: &'a mut [Option<Box<Chunk>>],
    pub home: &'a [u32],
    pub recs: &'a mut [Rec],
    /// Only one tile, with one record.
    pub single: bool,
    pub opt: Options,
    pub ledger: Ledger,
    pub stats: Stats,
    pub stile: Stile,
    pub tick_seed: u64,
    pub layer_seed: u64,
    pub late: std::collections::BinaryHeap<std::cmp::Reverse<u64>>,
    pub fresh: Vec<u32>,
    pub offset: [i32; 2],
    pub highest: i32,
    pub several: bool,
    pub wants: Vec<P>,
    pub deferred: Vec<P>,
    pub touched_recs: Vec<u32>,
    pub search: crate::draw::Search,
    pub rerouted: Vec<P>,
    /// Units that sources may still give in this tick, as far as known: 0 ends a search before it begins.
    pub spare: u64,
    /// Cells that searches may still look at: earned by the ways that water took.
    pub credit: i64,
    pub drains: Vec<(P, u64)>,
    /// The tile that a pass is confined to.
    pub tile: Option<(i32, i32)>,
}
impl View<'_> {
    #[inline(always)]
    pub fn c(&self, slot: u32) -> &Chunk { self.chunks[self.home[slot as usize] as usize].as_ref().unwrap() }
    #[inline(always)]
    pub fn cm(&mut self, slot: u32) -> &mut Chunk { self.chunks[self.home[slot as usize] as usize].as_mut().unwrap() }
    #[inline]
    pub fn inside(&self, slot: u32) -> bool {
        if !self.single {
            let Some(key) = self.tile else { return true };
            let (c, s) = (self.c(slot).pos, self.opt.tile_side);
            return ((c[0] + self.offset[0]).div_euclid(s), (c[2] + self.offset[1]).div_euclid(s)) == key;
        }
        let l = self.home[slot as usize] as usize;
        l < self.chunks.len() && self.chunks[l].as_ref().unwrap().slot == slot
    }
    #[inline(always)]
    pub fn word(&self, p: P) -> u16 { self.c(p >> 12).cells[(p & 4095) as usize] }
    #[inline(always)]
    pub fn y(&self, p: P) -> i32 { self.c(p >> 12).pos[1] * 16 + (p >> 8 & 15) as i32 }
    pub fn at(&self, p: P) -> [i32; 3] {
        let c = self.c(p >> 12).pos;
        [c[0] * 16 + (p & 15) as i32, c[1] * 16 + (p >> 8 & 15) as i32, c[2] * 16 + (p >> 4 & 15) as i32]
    }
    #[inline(always)]
    pub fn step(&self, p: P, face: u8) -> Option<P> {
        let i = p & 4095;
        let (inside, delta, wrap): (bool, i32, i32) = match face {
            0 => (i & 15 > 0, -1, 15),
            1 => (i & 15 < 15, 1, -15),
            2 => (i >> 8 > 0, -256, 15 << 8),
            3 => (i >> 8 < 15, 256, -(15 << 8)),
            4 => (i >> 4 & 15 > 0, -16, 15 << 4),
            _ => (i >> 4 & 15 < 15, 16, -(15 << 4)),
        };
        if inside { return Some(p.wrapping_add_signed(delta)) }
        let n = self.c(p >> 12).nb[face as usize];
        if n == NO { return None }
        Some(n << 12 | i.wrapping_add_signed(wrap))
    }
    #[inline(always)]
    pub fn look(&self, p: P, face: u8) -> u16 { self.step(p, face).map_or(WALL, |q| self.word(q)) }
    /// Writes a word and keeps the wet bit.
    #[inline(always)]
    pub fn put(&mut self, p: P, w: u16) {
        let c = self.cm(p >> 12);
        let i = (p & 4095) as usize;
        c.cells[i] = w;
        let bit = 1u64 << (i & 63);
        let wet = &mut c.layers[i >> 8].wet[i >> 6 & 3];
        if w == 0 || mark(w) { *wet &= !bit } else { *wet |= bit }
    }
    #[inline(always)]
    pub fn rec_of(&mut self, slot: u32) -> usize {
        if self.single { return 0 }
        let r = self.c(slot).rec;
        if r != NO { return r as usize }
        // A chunk of a sleeping tile.
        let last = self.recs.len() as u32 - 1;
        let (pos, offset, side, tiles) = (self.c(slot).pos, self.offset, self.opt.tile_side, self.opt.tiles);
        let c = self.cm(slot);
        c.rec = last;
        if tiles { c.band = crate::tick::band_of(pos, offset, side) }
        self.touched_recs.push(slot);
        last as usize
    }
    #[inline(always)]
    pub fn entry(&mut self, p: P, w: u16) -> &mut Entry {
        let r = self.rec_of(p >> 12);
        self.recs[r].at(p, w)
    }
    #[inline]
    pub fn found(&self, p: P) -> Option<&Entry> {
        let r = if self.single { 0 } else { self.c(p >> 12).rec };
        if r == NO { return None }
        let r = &self.recs[r as usize];
        r.find(p).map(|i| &r.entries[i])
    }
    #[inline(always)]
    pub fn limit(&self, w: u16) -> u8 { if w & IS != 0 { self.opt.supply.min(7) } else { 7 } }
    #[inline(always)]
    pub fn left(&self, p: P, w: u16) -> u8 { self.limit(w).saturating_sub(self.found(p).map_or(0, |e| e.passed)) }
    pub fn pass_on(&mut self, p: P, w: u16, face: u8, units: u8) {
        let e = self.entry(p, w);
        e.passed += units;
        e.marks |= TOUCHED;
        add_flow(e, face, units);
        self.stats.moved += units as u64;
        if w & IS != 0 { self.spare = self.spare.saturating_sub(units as u64) }
    }
    #[inline]
    pub fn list(&mut self, slot: u32) {
        let c = self.cm(slot);
        if !c.listed { c.listed = true; self.fresh.push(slot); }
    }
    /// Wakes the wet cells of a layer in `bits`.
    #[inline(always)]
    pub fn wake_bits(&mut self, slot: u32, ly: usize, bits: &Bits) {
        let wet = &self.c(slot).layers[ly].wet;
        if (bits[0] & wet[0]) | (bits[1] & wet[1]) | (bits[2] & wet[2]) | (bits[3] & wet[3]) == 0 { return }
        self.wake_wet(slot, ly, bits);
    }
    #[inline(never)]
    fn wake_wet(&mut self, slot: u32, ly: usize, bits: &Bits) {
        let stile = self.stile;
        if !self.single && !self.recs.is_empty() && self.c(slot).rec == NO { self.rec_of(slot); }
        let c = self.cm(slot);
        let y = c.pos[1] * 16 + ly as i32;
        let band = &BAND[c.band as usize];
        let mut any = 0;
        let mut joins = 0;
        let mut late = [0u64; 4];
        for k in 0..4 {
            let b = bits[k] & c.layers[ly].wet[k];
            if b == 0 { continue }
            any |= b;
            c.layers[ly].next[k] |= b;
            // Classes: those of the pass under way, and the other one.
            let (same, other) = match stile.band {
                None => (b, 0),
                Some(true) => (b & band[k], b & !band[k]),
                Some(false) => (b & !band[k], b & band[k]),
            };
            let mut j = if stile.other_later { other } else { 0 };
            if y > stile.y { j |= same } else if y == stile.y { late[k] = same & !c.now[ly][k] }
            c.now[ly][k] |= j;
            joins |= j;
        }
        if any == 0 { return }
        if joins != 0 { c.lay_now |= 1 << ly }
        if !c.listed { c.listed = true; self.fresh.push(slot); }
        if late != [0; 4] {
            let pos = self.c(slot).pos;
            for k in 0..4 {
                let mut b = late[k];
                while b != 0 {
                    let i = k * 64 + b.trailing_zeros() as usize;
                    b &= b - 1;
                    let hash = turn_hash(self.layer_seed, pos[0] * 16 + (i & 15) as i32, pos[2] * 16 + (i >> 4) as i32);
                    if hash > stile.hash {
                        self.cm(slot).now[ly][k] |= 1 << (i & 63);
                        self.late.push(std::cmp::Reverse((hash as u64) << 32 | (slot << 12 | (ly << 8) as u32 | i as u32) as u64));
                        self.stats.late += 1;
                    }
                }
            }
        }
    }
    #[inline]
    pub fn wake_place(&mut self, p: P) {
        let i = (p & 255) as usize;
        let mut b = [0; 4];
        b[i >> 6] = 1 << (i & 63);
        self.wake_bits(p >> 12, (p >> 8 & 15) as usize, &b);
    }
    /// Wakes one cell that is wet.
    #[inline(always)]
    pub fn wake_below_turn(&mut self, p: P) {
        let (ly, k, bit) = ((p >> 8 & 15) as usize, (p >> 6 & 3) as usize, 1u64 << (p & 63));
        let (single, later) = (self.single, self.stile.other_later);
        let c = self.cm(p >> 12);
        if c.listed && (single || c.rec != NO) && (c.band == 0 || !later) {
            c.layers[ly].next[k] |= bit;
        } else {
            self.wake_place(p)
        }
    }
    /// Wakes what may now flow into a cell that gave: its sides, above it and beside that; a full
    /// cell below, if a source lies higher.
    #[inline]
    pub fn wake_around(&mut self, p: P, all: bool) {
        let (slot, ly, i) = (p >> 12, (p >> 8 & 15) as usize, (p & 255) as usize);
        self.wake_ring(slot, ly, i, p);
        if let Some(q) = self.step(p, UP) { self.wake_ring(q >> 12, (q >> 8 & 15) as usize, i, q); }
        if all || self.highest > self.y(p) {
            if let Some(q) = self.step(p, DOWN) { if all || water(self.word(q)) == 7 { self.wake_place(q) } }
        }
    }
    #[inline]
    fn wake_ring(&mut self, slot: u32, ly: usize, i: usize, p: P) {
        self.wake_bits(slot, ly, &AROUND[i]);
        let (x, z) = (i & 15, i >> 4);
        if x == 0 || x == 15 || z == 0 || z == 15 {
            for f in SIDES {
                if let Some(q) = self.step(p, f) { if q >> 12 != slot { self.wake_place(q) } }
            }
        }
    }
    pub fn children(&self, p: P) -> Vec<P> {
        (0..6u8).filter_map(|f| self.step(p, f).filter(|&q| { let w = self.word(q); !mark(w) && dir(w) == f + 1 })).collect()
    }
    /// Cuts the children of a cell that is dry or ground.
    pub fn cut_children_if_dry(&mut self, p: P, cut: &mut Vec<P>) {
        let w = self.word(p);
        if w != 0 && !mark(w) { return }
        for f in 0..6u8 {
            let Some(q) = self.step(p, f) else { continue };
            let v = self.word(q);
            if mark(v) || dir(v) != f + 1 { continue }
            self.keep(q, v);
            let mut n = with_largest(with_dir(v, 0), 0) & !HAS;
            if h(n) == 0 { n = 0 }
            self.put(q, n);
            self.wake_place(q);
            if v & HAS != 0 || n == 0 { cut.push(q) }
        }
    }
    pub fn keep(&mut self, p: P, w: u16) { if !self.recs.is_empty() { self.entry(p, w); } }
    /// HasSource goes from what hangs on cells without. The list holds cells that may have turned.
    pub fn take_back(&mut self, open: &mut Vec<P>) {
        let mut dried = vec![];
        while let Some(p) = open.pop() {
            self.stats.seq_ebb += 1;
            let w = self.word(p);
            if w == 0 { self.cut_children_if_dry(p, &mut dried); open.append(&mut dried); continue }
            if mark(w) || w & IS != 0 { continue }
            let fed = dir(w) != 0 && self.look(p, (dir(w) - 1) ^ 1) & HAS != 0;
            if fed { continue }
            if w & HAS != 0 {
                self.keep(p, w);
                self.put(p, w & !HAS);
                self.wake_place(p);
            }
            for q in self.children(p) { if self.word(q) & HAS != 0 { open.push(q) } }
        }
    }
    pub fn hand_down(&mut self, open: &mut Vec<P>) {
        while let Some(p) = open.pop() {
            self.stats.seq_ebb += 1;
            let w = self.word(p);
            if w == 0 || mark(w) { continue }
            if w & HAS == 0 {
                if dir(w) == 0 || self.look(p, (dir(w) - 1) ^ 1) & HAS == 0 { continue }
                self.keep(p, w);
                self.put(p, w | HAS);
                self.wake_place(p);
            }
            for q in self.children(p) { if self.word(q) & HAS == 0 { open.push(q) } }
        }
    }
}
#[inline(always)]
pub fn add_flow(e: &mut Entry, face: u8, units: u8) {
    let s = (face >> 1) as u16 * 5;
    let v = (e.flow >> s & 31) as i16;
    let v = (if face & 1 == 1 { v + units as i16 } else { v - units as i16 }) as u16 & 31;
    e.flow = e.flow & !(31 << s) | v << s;
}
pub fn flow_of(e: &Entry, axis: u16) -> i32 { let v = (e.flow >> (axis * 5) & 31) as i32; if v > 15 { v - 32 } else { v } }
