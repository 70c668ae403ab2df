//! What happened to a cell in this tick. Sparse: an index table over dense entries; the entries are
//! the list of touched cells, in the order of first touch.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub key: u32,
    pub before: u16,
    /// Net flow, 5 bits an axis (biased by 16 when read): x, y, z.
    pub flow: u16,
    /// A draw of a cell at this height or above is in vain here.
    pub dead: i16,
    pub seen: u16,
    pub passed: u8,
    pub inflow: u8,
    pub marks: u8,
    pub from: u8,
}
pub const TOUCHED: u8 = 1;
pub const WAITING: u8 = 2;
pub const OUTWAY: u8 = 4;
pub const LOW: u8 = 8;
pub const ALIVE: i16 = i16::MAX;
#[derive(Default, Clone)]
pub struct Rec {
    table: Vec<u32>,
    pub entries: Vec<Entry>,
}
#[inline(always)]
fn spot(key: u32, mask: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b1) as usize >> 7 ^ key as usize) & mask
}
impl Rec {
    pub fn clear(&mut self) {
        self.entries.clear();
        self.table.fill(0);
    }
    #[inline]
    pub fn find(&self, key: u32) -> Option<usize> {
        if self.entries.is_empty() { return None; }
        let mask = self.table.len() - 1;
        let mut at = spot(key, mask);
        loop {
            let i = self.table[at];
            if i == 0 { return None; }
            if self.entries[i as usize - 1].key == key { return Some(i as usize - 1); }
            at = at + 1 & mask;
        }
    }
    /// The entry of a cell, made if there is none.
    #[inline]
    pub fn at(&mut self, key: u32, word: u16) -> &mut Entry {
        if self.entries.len() * 2 >= self.table.len() { self.grow(); }
        let mask = self.table.len() - 1;
        let mut at = spot(key, mask);
        loop {
            let i = self.table[at];
            if i == 0 {
                self.entries.push(Entry { key, before: word, flow: 0, dead: ALIVE, seen: 0, passed: 0, inflow: 0, marks: 0, from: 0 });
                let n = self.entries.len();
                self.table[at] = n as u32;
                return &mut self.entries[n - 1];
            }
            if self.entries[i as usize - 1].key == key { return &mut self.entries[i as usize - 1]; }
            at = at + 1 & mask;
        }
    }
    fn grow(&mut self) {
        let n = (self.table.len() * 2).max(64);
        self.table.clear();
        self.table.resize(n, 0);
        for (i, e) in self.entries.iter().enumerate() {
            let mut at = spot(e.key, n - 1);
            while self.table[at] != 0 { at = at + 1 & (n - 1); }
            self.table[at] = i as u32 + 1;
        }
    }
}
