use flow::scenes::*;
use flow::world::*;
use flow::cell::*;
fn opt(args: &[String]) -> Options {
    let mut o = Options::default();
    for a in args { match a.as_str() { "whole" => o.tiles = false, "inturn" => o.draws = Draws::InTurn, _ => if let Some(t) = a.strip_prefix("fill=") { o.fill = t.parse().unwrap() } else if let Some(t) = a.strip_prefix("limit=") { o.turn_limit = t.parse().unwrap() } else if let Some(t) = a.strip_prefix("side=") { o.tile_side = t.parse().unwrap() } } }
    o
}
/// Least and greatest reach of 16 directions.
fn reach(w: &World, at: [i32; 3], fold: &mut [f64; 16]) -> (f64, f64, f64) {
    let mut r = [0f64; 16];
    let (mut cx, mut cz, mut n) = (0.0, 0.0, 0.0);
    for c in w.chunks.iter().flatten() { for i in 0..4096usize {
        let v = c.cells[i];
        let p = [c.pos[0] * 16 + (i as i32 & 15), c.pos[1] * 16 + (i as i32 >> 8), c.pos[2] * 16 + (i as i32 >> 4 & 15)];
        if p[1] != at[1] || mark(v) || v == 0 { continue }
        if h(v) > 0 { fold[(p[0] & 15) as usize] += h(v) as f64; }
        let (dx, dz) = ((p[0] - at[0]) as f64, (p[2] - at[2]) as f64);
        cx += dx; cz += dz; n += 1.0;
        let d = dx.hypot(dz);
        if d == 0.0 { continue }
        let k = ((dz.atan2(dx) / std::f64::consts::TAU * 16.0).round() as i32).rem_euclid(16) as usize;
        r[k] = r[k].max(d);
    } }
    let (lo, hi) = (r.iter().cloned().fold(f64::MAX, f64::min), r.iter().cloned().fold(0.0, f64::max));
    (lo, hi, (cx / n).hypot(cz / n))
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let o = opt(&args);
    match args[0].as_str() {
        "round" => {
            let ticks: u64 = args[1].parse().unwrap();
            let mut all = vec![];
            let mut fold = [0f64; 16];
            for k in 0..16 {
                let mut w = World::new(k as u64 + 1, o);
                open(&mut w, [0, 0, 0], [7, 0, 7]);
                let at = [56 + k, 0, 56 + (k * 5) % 16];
                w.add_source(at);
                w.run(ticks);
                w.check().unwrap();
                let (lo, hi, off) = reach(&w, at, &mut fold);
                all.push((lo / hi, off, hi));
            }
            print!("roundness:"); for a in &all { print!(" {:.2}", a.0) }
            let m = all.iter().map(|a| a.0).sum::<f64>() / 16.0;
            println!("\n  mean {m:.3} least {:.2}, centre off by {:.1} (mean), reach {:.1}", all.iter().map(|a| a.0).fold(9.0, f64::min), all.iter().map(|a| a.1).sum::<f64>() / 16.0, all.iter().map(|a| a.2).sum::<f64>() / 16.0);
            let t = fold.iter().sum::<f64>() / 16.0;
            print!("  water by x mod 16, % of mean:"); for f in fold { print!(" {:.0}", 100.0 * f / t) } println!();
        }
        // One spring at a fixed place in its chunk, many seeds: water by distance to the chunk's and the next one's cells.
        "fair" => {
            // Spring at x = 15 or 16 of the chunk grid: what lies west and east of it.
            for sx in [60, 62, 63, 64, 65, 72] {
                let (mut west, mut east) = (0u64, 0u64);
                for seed in 0..40 {
                    let mut w = World::new(seed, o);
                    open(&mut w, [0, 0, 0], [7, 0, 7]);
                    w.add_source([sx, 0, 72]);
                    w.run(150);
                    for z in 0..128 { for x in 0..128 { let n = water(w.get([x, 0, z])) as u64; if x < sx { west += n } else if x > sx { east += n } } }
                }
                println!("spring at x mod 16 = {}: west {west}, east {east}: {:.3}", sx & 15, west as f64 / (west + east) as f64);
            }
        }
        "cross" => {
            let width: i32 = args[1].parse().unwrap();
            let mut sum = [0.0; 3];
            let mut n = 0.0;
            let (mut least, mut gap) = (1.0f64, 0.0f64);
            for k in 0..16 {
                let (ox, oz) = (64 + k, 64 + (k * 7) % 16);
                let mut w = World::new(k as u64 + 3, o);
                let len = 20;
                let m = width;
                room(&mut w, [ox - len, 1, oz - len], [ox + len + m, 3, oz + len + m]);
                // Ground, then the channels.
                for z in oz - len..=oz + len + m { for x in ox - len..=ox + len + m {
                    let in_x = z >= oz && z < oz + m; let in_z = x >= ox && x < ox + m;
                    if !in_x && !in_z { for y in 1..=3 { w.set_ground([x, y, z], SOLID) } }
                } }
                for j in 0..m {
                    for y in 1..=1 { w.set_ground([ox + len + m, y, oz + j], DRAIN); w.set_ground([ox + j, y, oz - len], DRAIN); w.set_ground([ox + j, y, oz + len + m], DRAIN); }
                    w.add_source([ox - len, 1, oz + j]);
                }
                let mut share = [0u64; 3];
                w.run(400);
                // What leaves by each arm: net flow is not kept, so count at the drains by difference of draws.
                for _ in 0..1200 {
                    let before = w.ledger.drained;
                    let _ = before;
                    let d = w.tick_with_drains();
                    for (at, units) in d {
                        let arm = if at[0] >= ox + len + m - 1 { 0 } else if at[2] <= oz - len + 1 { 1 } else { 2 };
                        share[arm] += units;
                    }
                }
                if std::env::var("DUMP").is_ok() && k < 2 { for z in oz - len..=oz + len + m { let mut any = false; for x in ox - len..=ox + len + m { let v = w.get([x, 1, z]); if z < oz || z >= oz + m { if x >= ox && x < ox + m { any = true; print!("{}{}{}{} ", h(v), [".", "<", ">", "v", "^", "n", "s", "#"][dir(v) as usize], if v & HAS != 0 { "S" } else { "-" }, active(v)); } } else { any = true; print!("{}{}{}{} ", h(v), [".", "<", ">", "v", "^", "n", "s", "#"][dir(v) as usize], if v & HAS != 0 { "S" } else { "-" }, active(v)); } } if any { println!() } } }
                w.check().unwrap();
                let t = share.iter().sum::<u64>() as f64;
                let s = share.map(|v| v as f64 / t);
                for i in 0..3 { sum[i] += s[i] }
                least = least.min(s[0]); gap = gap.max((s[1] - s[2]).abs());
                n += 1.0;
                if k < 4 { println!("  offset {k}: straight {:.2} left {:.2} right {:.2}; {:.2} units a tick of {}", s[0], s[1], s[2], t / 1200.0, 7 * m) }
            }
            println!("crossing {width} wide: straight {:.3} left {:.3} right {:.3}; least straight {least:.2}, greatest gap {gap:.3}", sum[0] / n, sum[1] / n, sum[2] / n);
        }
        // Mean current of the lanes.
        "lanes" => for (width, len, springs) in [(3, 320, 3), (9, 320, 9), (9, 320, 3), (9, 320, 1)] {
            let mut worst = 9f64;
            let mut share = 9f64;
            for k in [0, 5, 11] {
                let mut w = river(width, len, [k, k + 2], springs, 4, o);
                w.run(2000);
                let mut lane = vec![0i64; width as usize];
                let d0 = w.ledger.drained;
                let mut flows = std::mem::take(&mut w.flows);
                flows.1 = true;
                w.flows = flows;
                for _ in 0..300 { w.tick(); for &(at, f) in &w.flows.0 { if at[0] > k + 40 && at[0] < k + len - 40 { lane[(at[2] - k - 2) as usize] += f as i64 } } }
                let mean = lane.iter().sum::<i64>() as f64 / width as f64;
                worst = worst.min(lane.iter().map(|&l| l as f64 / mean).fold(9.0, f64::min));
                share = share.min((w.ledger.drained - d0) as f64 / 300.0 / (7 * springs) as f64);
            }
            println!("river {width}x{len}, {springs} springs: carries {share:.3} of the offer; least lane {worst:.2} of the mean");
        },
        "gap" => {
            let mut w = World::new(1, o);
            room(&mut w, [0, 1, 0], [60, 3, 6]);
            for z in 0..7 { if z != 3 { for y in 1..=3 { w.set_ground([30, y, z], SOLID) } } else { for y in 2..=3 { w.set_ground([30, y, z], SOLID) } } }
            for z in 0..7 { w.set_ground([61, 1, z], DRAIN); w.add_source([0, 1, z]); }
            w.run(600);
            let d = w.ledger.drained;
            w.run(200);
            println!("gap: {:.2} units a tick {:?}", (w.ledger.drained - d) as f64 / 200.0, w.check());
        }
        _ => {}
    }
}
