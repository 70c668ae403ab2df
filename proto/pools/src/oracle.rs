//! Bodies by flooding cell by cell, apart from everything the pools keep.

use crate::bits::*;
use crate::world::*;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Cells of each body (sorted), highest and lowest level, the highest source level.
pub type Bodies = BTreeMap<[i32; 3], (usize, i32, i32, i32)>;

pub fn bodies(w: &World) -> Bodies {
    let open = |p: Place| p.0 != NO && !has(&w.chunks[p.0 as usize].solid[p.1 >> 8], p.1 & 255);
    let h = |p: Place| w.chunks[p.0 as usize].height(p.1);
    let held = |p: Place| {
        if h(p) == 0 {
            return false;
        }
        let below = w.step_to(p, 4);
        w.is_src(p) || !open(below) || h(below) == 7
    };
    let mut seen: HashMap<Place, ()> = HashMap::new();
    let mut out = Bodies::new();
    for (s, ch) in w.chunks.iter().enumerate() {
        if !ch.loaded {
            continue;
        }
        for l in 0..16 {
            for c in iter(ch.wet(l)) {
                let start = (s as u32, l << 8 | c);
                if !held(start) || seen.contains_key(&start) {
                    continue;
                }
                seen.insert(start, ());
                let mut list = vec![start];
                let mut k = 0;
                let (mut hi, mut lo, mut src) = (i32::MIN, i32::MAX, i32::MIN);
                while k < list.len() {
                    let p = list[k];
                    k += 1;
                    let y7 = 7 * w.pos(p)[1];
                    let own = i32::from(h(p));
                    let above = w.step_to(p, 5);
                    let above_wet = above.0 != NO && h(above) > 0;
                    if w.is_src(p) {
                        src = src.max(y7);
                    } else if own < 7 || !above_wet {
                        hi = hi.max(y7 + own);
                    }
                    if own < 7 {
                        lo = lo.min(y7 + own);
                    } else if open(above) && !above_wet {
                        lo = lo.min(y7 + 7);
                    }
                    for f in 0..6 {
                        let q = w.step_to(p, f);
                        if q.0 == NO {
                            continue;
                        }
                        if f < 4 && open(q) && !held(q) && h(q) < 7 {
                            lo = lo.min(y7);
                        }
                        let joined = match f {
                            4 => h(q) == 7,
                            5 => own == 7,
                            _ => true,
                        };
                        if joined && held(q) && seen.insert(q, ()).is_none() {
                            list.push(q);
                        }
                    }
                }
                let least = list.iter().map(|&p| w.pos(p)).min().unwrap();
                out.insert(least, (list.len(), hi, lo, src));
            }
        }
    }
    out
}

/// The same from what the pools know, splits settled.
pub fn known(w: &mut World) -> Bodies {
    w.update_all();
    let mut roots: Vec<u32> = vec![];
    let alive: Vec<u32> =
        (0..w.pools.pieces.len() as u32).filter(|&p| w.pools.pieces[p as usize].alive).collect();
    for &p in &alive {
        let root = w.pools.find(p);
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    for root in roots {
        w.settle_splits(root);
    }
    let mut sums: HashMap<u32, (usize, [i32; 3])> = HashMap::new();
    for &p in &alive {
        let root = w.pools.find(p);
        let piece = w.pools.pieces[p as usize].clone();
        let entry = sums.entry(root).or_insert((0, [i32::MAX; 3]));
        for c in iter(piece.bits) {
            entry.0 += 1;
            entry.1 = entry.1.min(w.pos((piece.slot, (piece.layer as usize) << 8 | c)));
        }
    }
    sums.into_iter()
        .map(|(root, (n, least))| {
            let b = w.pools.body(root);
            let hi = b.hi.last_key_value().map_or(i32::MIN, |(k, _)| k.0);
            let lo = b.lo.first_key_value().map_or(i32::MAX, |(k, _)| k.0);
            let src = b.src.last_key_value().map_or(i32::MIN, |(k, _)| k.0);
            (least, (n, hi, lo, src))
        })
        .collect()
}

/// At rest every body without a source is level within one unit.
pub fn is_level(bodies: &Bodies) -> bool {
    bodies.values().all(|&(_, hi, lo, src)| src != i32::MIN || hi == i32::MIN || lo == i32::MAX || hi - lo <= 1)
}

/// Forgets all that is known and finds it anew.
pub fn drop_cache(w: &mut World) {
    w.pools = Default::default();
    for s in 0..w.chunks.len() {
        let ch = &mut w.chunks[s];
        ch.sup = [NONE; 16];
        ch.pieces = Default::default();
        (ch.dirty_s, ch.dirty_l) = (0, 0);
    }
    for s in 0..w.chunks.len() as u32 {
        for l in 0..16 {
            if any(w.chunks[s as usize].wet(l)) {
                w.mark(s, l, true);
            }
        }
    }
}
