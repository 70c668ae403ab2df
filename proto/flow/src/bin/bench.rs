use flow::scenes::*;
use flow::world::*;
use flow::cell::*;
#[derive(Clone, Copy)]
struct Instant(f64);
fn wall() -> f64 { std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64() }
fn cpu() -> f64 { if std::env::var("WALL").is_ok() { wall() } else { cpu_time() } }
fn cpu_time() -> f64 { std::fs::read_to_string("/proc/self/schedstat").unwrap().split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9 }
impl Instant { fn now() -> Instant { Instant(cpu()) } fn elapsed(self) -> std::time::Duration { std::time::Duration::from_secs_f64(cpu() - self.0) } }
fn opt(args: &[String]) -> Options {
    let mut o = Options::default();
    for a in args {
        match a.as_str() {
            "whole" => o.tiles = false,
            "inturn" => o.draws = Draws::InTurn,
            "nolanes" => o.lanes = false,
            _ => if let Some(t) = a.strip_prefix("t=") { o.threads = t.parse().unwrap() }
                 else if let Some(t) = a.strip_prefix("side=") { o.tile_side = t.parse().unwrap() }
                 else if a == "slice" { o.slice = 3 } else if let Some(t) = a.strip_prefix("fill=") { o.fill = t.parse().unwrap() } else if let Some(t) = a.strip_prefix("limit=") { o.turn_limit = t.parse().unwrap() }
        }
    }
    o
}
fn show(name: &str, w: &World, t: f64, ticks: u64) {
    let s = w.stats;
    println!("{name}: in tiles {:.1} %", 100.0 * w.in_tiles[0] / w.in_tiles[1]);
    println!("{name}: steady falls {}, staged draws {}; {ticks} ticks {:.3} s, {:.3} ms/tick, visits {} ({:.0} ns), band {:.1} %, draws {} climbed {} searches {} ({} cells), entries {}, changed {}, seen {}, late {}, deferred {}, seq ebb {}, moved {}, hash {:016x} {:?}",
        s.steady, s.seq_draws, t, t * 1e3 / ticks as f64, s.visits, t * 1e9 / s.visits as f64, 100.0 * s.band_visits as f64 / s.visits as f64, s.draws, s.climbed, s.searches, s.searched, s.entries, s.changed, s.seen, s.late, s.deferred, s.seq_ebb, s.moved, w.state_hash(), w.check());
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let o = opt(&args);
    match args[0].as_str() {
        "luanti" => {
            let side: i32 = std::env::var("SIDE").map_or(256, |v| v.parse().unwrap()); let mut w = spread(side, 63, o);
            let t = Instant::now();
            let mut n = 0;
            while !floor_wet(&w, side, 1) && n < 400 { w.tick(); n += 1; }
            show("luanti", &w, t.elapsed().as_secs_f64(), n);
        }
        "floor" => {
            let mut w = spread(256, 0, o);
            let t = Instant::now();
            w.run(100);
            show("spread on floor", &w, t.elapsed().as_secs_f64(), 100);
        }
        "fall16" => {
            let mut w = spread(256, 16, o);
            let t = Instant::now();
            w.run(100);
            show("fall of 16", &w, t.elapsed().as_secs_f64(), 100);
        }
        "river" => for (width, len) in [(3, 160), (9, 40), (3, 320), (9, 320)] {
            let mut w = river(width, len, [5, 3], width, 1, o);
            w.run(2500);
            let s0 = w.stats; let d = w.ledger.drained;
            let t = Instant::now();
            w.run(500);
            let t = t.elapsed().as_secs_f64();
            println!("river {width}x{len}: {:.2} of {} units a tick, {:.4} ms a tick, {:.0} visits, {:.0} climbed, {:.1} searches, {:.0} searched; seen {:.1} changed {:.1} {:?}", (w.ledger.drained - d) as f64 / 500.0, width * 7, t * 2.0,
                (w.stats.visits - s0.visits) as f64 / 500.0, (w.stats.climbed - s0.climbed) as f64 / 500.0, (w.stats.searches - s0.searches) as f64 / 500.0, (w.stats.searched - s0.searched) as f64 / 500.0,
                (w.stats.seen - s0.seen) as f64 / 500.0, (w.stats.changed - s0.changed) as f64 / 500.0, w.check());
        }
        "rain" => {
            let mut w = hills(o);
            let mut rng = lcg(7);
            let (mut t, mut s0) = (0.0, Stats::default());
            for tick in 0..120 {
                for _ in 0..2500 { let r = rng(); w.pour([(r & 255) as i32, 60, (r >> 8 & 255) as i32], 1); }
                if tick == 100 { s0 = w.stats }
                let t0 = Instant::now(); w.tick(); if tick >= 100 { t += t0.elapsed().as_secs_f64() }
            }
            let v = (w.stats.visits - s0.visits) as f64 / 20.0;
            println!("rain: in tiles {:.1} %", 100.0 * w.in_tiles[0] / w.in_tiles[1]);
            println!("rain: {:.3} ms a tick, {v:.0} visits, awake {}, {:.0} ns an awake cell; band {:.1} %, seq ebb {:.0} of {:.0} entries, draws {}, hash {:016x} {:?}", t * 50.0, w.awake(), t * 5e7 / w.awake() as f64,
                100.0 * (w.stats.band_visits - s0.band_visits) as f64 / 20.0 / v, (w.stats.seq_ebb - s0.seq_ebb) as f64 / 20.0, (w.stats.entries - s0.entries) as f64 / 20.0, w.stats.draws, w.state_hash(), w.check());
        }
        _ => println!("?"),
    }
    let _ = DOWN;
}
