//! Small random worlds: asleep against woken before every tick; laws; threads.
use flow::scenes::*;
use flow::world::*;
use flow::cell::*;
fn build(seed: u64, o: Options) -> (World, fastrand::Rng) {
    let mut r = fastrand::Rng::with_seed(seed);
    let mut w = World::new(seed, o);
    let (sx, sy, sz) = (r.i32(6..40), r.i32(4..14), r.i32(6..40));
    let off = [r.i32(0..64), r.i32(0..16), r.i32(0..64)];
    room(&mut w, off, [off[0] + sx - 1, off[1] + sy - 1, off[2] + sz - 1]);
    let at = |r: &mut fastrand::Rng| [off[0] + r.i32(0..sx), off[1] + r.i32(0..sy), off[2] + r.i32(0..sz)];
    let kind = r.u8(0..4);
    for _ in 0..r.i32(0..sx * sz / 2) { let p = at(&mut r); let top = if kind == 0 { p[1] } else { off[1] + r.i32(0..sy / 2) }; for y in (if kind == 0 { p[1] } else { off[1] })..=top { w.set_ground([p[0], y, p[2]], SOLID) } }
    for _ in 0..r.i32(0..4) { let p = at(&mut r); w.set_ground([p[0], off[1] - 1, p[2]], DRAIN) }
    if r.bool() { let y = off[1] + r.i32(0..sy); for z in 0..sz { w.set_ground([off[0] + sx, y, off[2] + z], DRAIN) } }
    for _ in 0..r.i32(0..5) { let p = at(&mut r); if !mark(w.get(p)) { w.add_source(p) } }
    for _ in 0..r.i32(0..60) { let p = at(&mut r); let n = r.u8(1..8); w.pour(p, n); }
    (w, r)
}
fn edit(w: &mut World, r: &mut fastrand::Rng) {
    let k = r.usize(0..w.chunks.len());
    let c = w.chunks[k].as_ref().unwrap().pos;
    // An edit somewhere that is open.
    for _ in 0..20 {
        let i = r.usize(0..4096);
        let p = [c[0] * 16 + (i as i32 & 15), c[1] * 16 + (i as i32 >> 8), c[2] * 16 + (i as i32 >> 4 & 15)];
        let v = w.get(p);
        if mark(v) { continue }
        match r.u8(0..5) {
            0 => { w.pour(p, 7); }
            1 => if v & IS != 0 { w.remove_source(p) } else { w.build(p, true) },
            2 => { if let Some(&s) = w.sources.keys().min() { w.remove_source(s) } }
            3 => if v & IS == 0 { w.add_source(p) },
            _ => { w.pour(p, 3); }
        }
        return;
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: u64 = a[2].parse().unwrap();
    let from: u64 = a.get(3).map_or(0, |v| v.parse().unwrap());
    let (mut bad, mut law, mut visits) = (0, 0, (0, 0));
    for seed in from..from + n {
        let o = Options { tile_side: 1 + (seed % 2) as i32, tiles: seed % 5 != 0, draws: if seed % 3 == 0 { Draws::InTurn } else { Draws::Staged }, ..Options::default() };
        let threads = a[1] == "threads";
        let (mut x, mut rx) = build(seed, o);
        let (mut y, mut ry) = build(seed, Options { threads: if threads { 2 + (seed % 3) as usize } else { 1 }, ..o });
        for t in 0..60 {
            let snap: Vec<(u32, Vec<u16>)> = if a.len() > 4 { x.chunks.iter().flatten().map(|c| (c.slot, c.cells.to_vec())).collect() } else { vec![] };
            x.tick();
            if a.len() > 4 && x.check().is_err() {
                let e = x.check().unwrap_err();
                let n: Vec<i32> = e.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|s| s.parse().ok()).collect();
                let q = [n[0], n[1], n[2]];
                for d in [[0,0,0],[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]] { let at = [q[0]+d[0], q[1]+d[1], q[2]+d[2]]; if let Some(p) = x.place(at) { println!("{at:?}: before {:04x} after {:04x}", snap[(p >> 12) as usize].1[(p & 4095) as usize], x.word(p)); } }
            }
            if !threads { y.wake_all() }
            y.tick();
            if let Err(e) = x.check() { println!("seed {seed} tick {t}: {e}"); law += 1; break }
            if x.state_hash() != y.state_hash() || x.ledger != y.ledger {
                println!("y: {:?} side {} {:?}", y.check(), o.tile_side, o.draws); println!("seed {seed} tick {t}: differs ({:?} {:?})", x.ledger, y.ledger);
                bad += 1;
                let mut shown = 0;
                for (k, &s) in &x.map { for i in 0..4096usize { let (u, v) = (x.chunks[s as usize].as_ref().unwrap().cells[i], y.chunks[s as usize].as_ref().unwrap().cells[i]);
                    if u != v && shown < 3 { shown += 1; println!("   {:?} {u:04x} {v:04x}", [k[0] * 16 + (i as i32 & 15), k[1] * 16 + (i as i32 >> 8), k[2] * 16 + (i as i32 >> 4 & 15)]) } } }
                break;
            }
            if t % 7 == 3 { edit(&mut x, &mut rx); edit(&mut y, &mut ry);
                if let Err(e) = x.check() { println!("seed {seed} tick {t} after edit: {e}"); law += 1; break } }
        }
        visits.0 += x.stats.visits; visits.1 += y.stats.visits;
    }
    println!("{n} worlds: {bad} differ, {law} break a law; visits {visits:?}");
}
