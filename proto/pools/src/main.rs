//! Scenarios and their cost: `cargo run --release -- [name]`.

use pools::oracle;
use pools::world::*;
use std::time::Instant;

/// Chunks that cover a box of cells from the origin, all open.
fn open(w: &mut World, size: [i32; 3]) {
    for x in 0..(size[0] + 15) >> 4 {
        for z in 0..(size[2] + 15) >> 4 {
            for y in 0..(size[1] + 15) >> 4 {
                w.insert(Chunk::new([x, y, z]));
            }
        }
    }
}
/// Fills boxes in a set of chunks that are not inserted yet.
struct Build {
    chunks: std::collections::BTreeMap<[i32; 3], Chunk>,
}
#[derive(Clone, Copy)]
enum Cell {
    Air,
    Solid,
    Water(u8),
    Source,
}
impl Build {
    fn new(size: [i32; 3], all: Cell) -> Self {
        let mut b = Build { chunks: Default::default() };
        for x in 0..(size[0] + 15) >> 4 {
            for z in 0..(size[2] + 15) >> 4 {
                for y in 0..(size[1] + 15) >> 4 {
                    b.chunks.insert([x, y, z], Chunk::new([x, y, z]));
                }
            }
        }
        let up = |a: i32| (a + 15 & !15) - 1;
        if matches!(all, Cell::Solid) {
            b.fill([0; 3], [up(size[0]), up(size[1]), up(size[2])], Cell::Solid);
        }
        b
    }
    fn set(&mut self, c: [i32; 3], cell: Cell) {
        let ch = self.chunks.get_mut(&chunk_of(c)).unwrap();
        let i = index_of(c);
        let h = match cell {
            Cell::Air | Cell::Solid => 0,
            Cell::Water(h) => h,
            Cell::Source => 7,
        };
        for k in 0..3 {
            pools::bits::put(&mut ch.h[i >> 8][k], i & 255, h >> k & 1 != 0);
        }
        pools::bits::put(&mut ch.solid[i >> 8], i & 255, matches!(cell, Cell::Solid));
        pools::bits::put(&mut ch.src[i >> 8], i & 255, matches!(cell, Cell::Source));
    }
    fn fill(&mut self, low: [i32; 3], high: [i32; 3], cell: Cell) {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                for x in low[0]..=high[0] {
                    self.set([x, y, z], cell);
                }
            }
        }
    }
    fn world(self, seed: u64) -> World {
        let mut w = World::new(seed);
        let start = Instant::now();
        let n = self.chunks.len();
        for (_, ch) in self.chunks {
            w.insert_as(ch, n < 1000);
        }
        w.update_all();
        let spent = start.elapsed();
        if n > 1000 {
            println!("  loaded {n} chunks in {spent:?}, {:?} each", spent / n as u32);
        }
        w
    }
}

/// Time on the processor, whoever else wants it.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or(0)
}

struct Series {
    cpu: u64,
    ns: Vec<u64>,
}
impl Series {
    fn mean(&self) -> f64 {
        self.cpu as f64 / self.ns.len() as f64
    }
}
/// Runs ticks, prints what one costs.
fn measure(name: &str, w: &mut World, ticks: usize, mut each: impl FnMut(&mut World, usize)) -> Series {
    let before = (w.pools.stats, w.visited, w.changed);
    let mut ns = vec![];
    let cpu = cpu_ns();
    let mut heaviest = (0, 0, 0, 0, 0);
    for t in 0..ticks {
        let was = w.pools.stats;
        let start = Instant::now();
        each(w, t);
        w.step();
        ns.push(start.elapsed().as_nanos() as u64);
        let is = w.pools.stats;
        let here = (is.pops - was.pops, is.split_steps - was.split_steps, is.draws - was.draws, is.vain - was.vain, is.levels - was.levels);
        heaviest = heaviest.max(here);
    }
    let mut sorted = ns.clone();
    sorted.sort_unstable();
    let s = Series { cpu: cpu_ns() - cpu, ns };
    let st = w.pools.stats;
    let per = |a: u64, b: u64| (a - b) as f64 / ticks as f64;
    println!(
        "{name}: cpu {:.2} us, p50 {:.2}, p99 {:.2}, worst {:.2} | a tick: visits {:.1}, changed {:.1}, draws {:.2}, units {:.2}, way {:.1}, vain {:.2}, pops {:.1}, pieces {:.1}, levels {:.1}, looked {:.0}, split {:.1}/{:.1}",
        s.mean() / 1e3,
        sorted[ticks / 2] as f64 / 1e3,
        sorted[ticks * 99 / 100] as f64 / 1e3,
        sorted[ticks - 1] as f64 / 1e3,
        per(w.visited, before.1),
        per(w.changed, before.2),
        per(st.draws, before.0.draws),
        per(st.units, before.0.units),
        per(st.way, before.0.way),
        per(st.vain, before.0.vain),
        per(st.pops, before.0.pops),
        per(st.structure, before.0.structure),
        per(st.levels, before.0.levels),
        per(st.looked, before.0.looked),
        per(st.split_checks, before.0.split_checks),
        per(st.split_steps, before.0.split_steps),
    );
    println!("    heaviest tick: pops {}, split steps {}, draws {}, vain {}, levels {}", heaviest.0, heaviest.1, heaviest.2, heaviest.3, heaviest.4);
    assert_eq!(w.total(), w.ledger.total());
    s
}
fn settle(w: &mut World) {
    for _ in 0..100_000 {
        if w.is_asleep() {
            return;
        }
        w.step();
    }
    println!("  (not at rest)");
}

fn lake(n: i32, deep: i32) -> World {
    let mut b = Build::new([n, deep + 4, n], Cell::Solid);
    b.fill([0, 0, 0], [n - 1, deep - 1, n - 1], Cell::Water(7));
    b.fill([0, deep, 0], [n - 1, deep + 3, n - 1], Cell::Air);
    let mut w = b.world(1);
    settle(&mut w);
    w
}

fn trickle() {
    let mut small = lake(16, 8);
    small.emitters.push(([8, 8, 8], 1));
    let a = measure("trickle 16x16x8   ", &mut small, 1000, |_, _| {});
    let mut big = lake(160, 24);
    big.emitters.push(([80, 24, 80], 1));
    let b = measure("trickle 160x160x24, first 1000  ", &mut big, 1000, |_, _| {});
    let c = measure("trickle 160x160x24, next 40,000 ", &mut big, 40_000, |_, _| {});
    println!("  ratio {:.2}, later {:.2}", b.mean() / a.mean(), c.mean() / a.mean());
    println!("  levels {:?}", oracle::bodies(&big).values().next());
}

fn drop() {
    let mut b = Build::new([16 * 200, 16, 16 * 100], Cell::Air);
    for x in 0..200 {
        for z in 0..100 {
            let (x, z) = (x * 16, z * 16);
            b.fill([x, 0, z], [x + 15, 0, z + 15], Cell::Solid);
            b.fill([x + 4, 1, z + 4], [x + 8, 1, z + 8], Cell::Water(2));
        }
    }
    let mut w = b.world(1);
    settle(&mut w);
    let mut r = fastrand::Rng::with_seed(1);
    measure("asleep, 20,000 chunks", &mut w, 10_000, |_, _| {});
    measure("a drop poured and scooped in each tick", &mut w, 10_000, |w, _| {
        let c = [r.i32(0..200) * 16 + 6, 1, r.i32(0..100) * 16 + 6];
        w.pour(c, 1);
        w.scoop(c, 1);
    });
    measure("a drop falls in each tick, at one place", &mut w, 10_000, |w, t| {
        let c = [6, if t % 2 == 0 { 5 } else { 6 }, 6];
        w.pour(c, 1);
        if t % 64 == 0 {
            for x in 0..16 {
                for z in 0..16 {
                    w.scoop([x, 1, z], 1);
                }
            }
        }
    });
    measure("a drop falls in each tick, anywhere", &mut w, 10_000, |w, _| {
        let c = [r.i32(0..200) * 16 + 6, 5, r.i32(0..100) * 16 + 6];
        w.pour(c, 1);
    });
}

fn springs() {
    let mut first = [0.0; 3];
    for (n, places) in [
        (1, vec![[5, 1, 5]]),
        (1, vec![[30, 4, 18]]),
        (2, vec![[5, 1, 5], [30, 4, 18]]),
        (4, vec![[5, 1, 5], [30, 4, 18], [20, 6, 3], [38, 3, 22]]),
    ] {
        let mut b = Build::new([48, 16, 32], Cell::Solid);
        b.fill([0, 0, 0], [39, 6, 23], Cell::Air);
        let mut w = b.world(1);
        for &p in &places {
            w.source(p, true);
        }
        for (k, ticks) in [300, 700, 4000].into_iter().enumerate() {
            let s = measure(&format!("springs {n}, window {k}"), &mut w, ticks, |_, _| {});
            if first[k] == 0.0 {
                first[k] = s.mean();
            }
            println!("  ratio to one spring {:.2}", s.mean() / first[k]);
        }
        println!("  asleep {}, {:?}", w.is_asleep(), oracle::bodies(&w));
    }
}

fn sea(source: bool) -> World {
    let n = 1600;
    let kind = if source { Cell::Source } else { Cell::Water(7) };
    // The sea lies over a layer of chunks with a cave in it.
    let mut b = Build { chunks: Default::default() };
    for x in 0..n / 16 {
        for z in 0..n / 16 {
            let mut water = Chunk::new([x, 1, z]);
            for l in 0..16 {
                water.h[l] = [[!0; 4]; 3];
                if source {
                    water.src[l] = [!0; 4];
                }
            }
            b.chunks.insert([x, 1, z], water);
            b.chunks.insert([x, 2, z], Chunk::new([x, 2, z]));
        }
    }
    for x in 49..52 {
        for z in 49..52 {
            let mut ground = Chunk::new([x, 0, z]);
            ground.solid = [[!0; 4]; 16];
            b.chunks.insert([x, 0, z], ground);
        }
    }
    b.fill([790, 3, 790], [820, 8, 820], Cell::Air);
    b.fill([800, 9, 800], [800, 14, 800], Cell::Air);
    let _ = kind;
    let mut w = b.world(1);
    settle(&mut w);
    w
}
fn seas() {
    for source in [true, false] {
        let name = if source { "all-source sea" } else { "finite sea" };
        let mut w = sea(source);
        measure(&format!("{name}, asleep"), &mut w, 100, |_, _| {});
        measure(&format!("{name}, a block built at depth 5 in each tick"), &mut w, 200, |w, t| {
            w.wall([200 + (t as i32 * 7) % 900, 26, 300 + (t as i32 * 13) % 900], true);
        });
        measure(&format!("{name}, a block built at the top in each tick"), &mut w, 200, |w, t| {
            w.wall([200 + (t as i32 * 7) % 900, 31, 300 + (t as i32 * 13) % 900], true);
        });
        measure(&format!("{name}, after it"), &mut w, 20, |_, _| {});
        measure(&format!("{name}, a drop in each tick"), &mut w, 1000, |w, t| {
            w.pour([200 + (t as i32 * 7) % 900, 36, 300 + (t as i32 * 13) % 900], 1);
        });
        settle(&mut w);
        w.wall([800, 15, 800], false);
        measure(&format!("{name}, breach, first 100"), &mut w, 100, |_, _| {});
        measure(&format!("{name}, breach, next 1000"), &mut w, 1000, |_, _| {});
        settle(&mut w);
        println!("  at rest at tick {}", w.tick);
        w.wall([800, 9, 800], true);
        for x in 790..=800 {
            w.wall([x, 3, 790], true);
        }
        measure(&format!("{name}, cut off, 20 ticks"), &mut w, 20, |_, _| {});
    }
}

fn drain() {
    let mut b = Build::new([256, 32, 256], Cell::Solid);
    b.fill([0, 1, 0], [255, 16, 255], Cell::Water(7));
    b.fill([0, 17, 0], [255, 20, 255], Cell::Air);
    b.set([128, 0, 128], Cell::Air);
    let mut w = b.world(1);
    w.sinks.push([128, 0, 128]);
    w.run(500);
    println!("drained {}", w.ledger.drained);
    measure("lake_drain from 500", &mut w, 2000, |_, _| {});
    w.run(13_500);
    println!("drained {}", w.ledger.drained);
    measure("lake_drain from 16,000", &mut w, 2000, |_, _| {});
    println!("  {:?}", oracle::bodies(&w));
}

fn drain_end() {
    let mut b = Build::new([256, 32, 256], Cell::Solid);
    b.fill([0, 1, 0], [255, 16, 255], Cell::Water(7));
    b.fill([0, 17, 0], [255, 20, 255], Cell::Air);
    b.set([0, 0, 0], Cell::Air);
    let mut w = b.world(1);
    w.sinks.push([0, 0, 0]);
    w.run(500);
    measure("lake drained at a corner, from 500", &mut w, 2000, |_, _| {});
    w.run(13_500);
    measure("lake drained at a corner, from 16,000", &mut w, 2000, |_, _| {});
    println!("drained {}", w.ledger.drained);
}

fn dam() {
    let mut b = Build::new([256, 16, 32], Cell::Solid);
    b.fill([0, 1, 0], [255, 14, 31], Cell::Air);
    b.fill([0, 1, 0], [63, 12, 31], Cell::Water(7));
    let mut w = b.world(1);
    let s = measure("dam break 64x12x32, first 200", &mut w, 200, |_, _| {});
    let _ = s;
    let before = (w.visited, w.changed);
    let start = Instant::now();
    settle(&mut w);
    println!("  rest at tick {}, {:?} more, {} visits, {} changes", w.tick, start.elapsed(), w.visited - before.0, w.changed - before.1);
    println!("  {:?}", oracle::bodies(&w));
    // The same without pools, for the share of the local rule.
    let mut b = Build::new([256, 16, 32], Cell::Solid);
    b.fill([0, 1, 0], [255, 14, 31], Cell::Air);
    b.fill([0, 1, 0], [63, 12, 31], Cell::Water(7));
    let mut w = b.world(1);
    w.pools_on = false;
    measure("dam break without pools, first 200", &mut w, 200, |_, _| {});
}

fn bathtub() {
    let mut b = Build::new([32, 32, 32], Cell::Solid);
    b.fill([0, 9, 0], [31, 16, 31], Cell::Water(7));
    b.fill([0, 17, 0], [31, 20, 31], Cell::Air);
    b.fill([3, 0, 20], [3, 8, 20], Cell::Air);
    b.set([3, 8, 20], Cell::Solid);
    let mut w = b.world(1);
    w.sinks.push([3, 0, 20]);
    settle(&mut w);
    w.wall([3, 8, 20], false);
    for k in 0..4 {
        measure(&format!("bathtub, plug pulled, {k}"), &mut w, 2000, |_, _| {});
    }
    println!("  drained {} of {}", w.ledger.drained, w.ledger.placed);
    settle(&mut w);
    println!("  rest at {}, {:?}", w.tick, oracle::bodies(&w).len());
}

/// Calls with a budget of 256: how far they overshoot and how long they take.
fn slices() {
    let mut drain = Build::new([256, 32, 256], Cell::Solid);
    drain.fill([0, 1, 0], [255, 16, 255], Cell::Water(7));
    drain.fill([0, 17, 0], [255, 20, 255], Cell::Air);
    drain.set([128, 0, 128], Cell::Air);
    let mut drain = drain.world(1);
    drain.sinks.push([128, 0, 128]);
    let mut b = Build::new([48, 16, 32], Cell::Solid);
    b.fill([0, 0, 0], [39, 6, 23], Cell::Air);
    let mut springs = b.world(1);
    for p in [[5, 1, 5], [30, 4, 18], [20, 6, 3], [38, 3, 22]] {
        springs.source(p, true);
    }
    let mut b = Build::new([256, 16, 32], Cell::Solid);
    b.fill([0, 1, 0], [255, 14, 31], Cell::Air);
    b.fill([0, 1, 0], [63, 12, 31], Cell::Water(7));
    let dam = b.world(1);
    for (name, mut w) in [("lake_drain", drain), ("springs", springs), ("dam", dam)] {
        let mut ns = vec![];
        let mut most = 0;
        for _ in 0..600 {
            w.begin_tick();
            w.pools_begin();
            loop {
                let mut left = 256;
                let start = Instant::now();
                let done = w.pools_advance(&mut left);
                ns.push(start.elapsed().as_nanos() as u64);
                most = most.max(256 - left);
                if done {
                    break;
                }
            }
            w.end_tick();
        }
        ns.sort_unstable();
        println!(
            "slices {name}: {} calls, looked at most {most}, p50 {:.1} us, p99 {:.1}, p99.9 {:.1}, worst {:.1}",
            ns.len(), ns[ns.len() / 2] as f64 / 1e3, ns[ns.len() * 99 / 100] as f64 / 1e3, ns[ns.len() * 999 / 1000] as f64 / 1e3, ns[ns.len() - 1] as f64 / 1e3
        );
    }
}

/// A thousand chunks of still pond, all surface.
fn ebb() {
    for (name, per_cell) in [("2^-16", 1u32 << 16), ("2^-20", 1 << 12), ("1/1024", 1 << 22)] {
        let mut b = Build { chunks: Default::default() };
        for x in 0..50 {
            for z in 0..20 {
                let mut ch = Chunk::new([x, 0, z]);
                ch.solid[0] = [!0; 4];
                for l in 1..6 {
                    ch.h[l] = [[!0; 4]; 3];
                }
                b.chunks.insert([x, 0, z], ch);
            }
        }
        let mut w = b.world(1);
        settle(&mut w);
        let mut ebb = pools::ebb::Ebb::new(per_cell);
        for s in 0..1000 {
            ebb.enter(&w, s, w.tick + 1);
        }
        // The wheel alone, then with the losses and what they set in motion.
        let ticks = if per_cell > 1 << 20 { 1000 } else { 100_000 };
        let (start, cpu) = (Instant::now(), cpu_ns());
        let mut empty = pools::ebb::Ebb::new(per_cell);
        let mut dry = World::new(1);
        for s in 0..1000 {
            let mut ch = Chunk::new([s % 50, 0, s / 50]);
            ch.solid[0] = [!0; 4];
            dry.insert(ch);
            empty.enter(&dry, s as u32, 1);
        }
        for t in 1..=ticks {
            dry.tick = t;
            empty.step(&mut dry);
        }
        println!("ebb {name}: the draws alone {:.3} us wall, {:.3} us cpu a tick", start.elapsed().as_secs_f64() * 1e6 / ticks as f64, (cpu_ns() - cpu) as f64 / 1e3 / ticks as f64);
        let before = ebb.losses;
        measure(&format!("ebb {name}, 1,000 chunks of pond"), &mut w, ticks as usize, |w, _| {
            // The world counts the tick when it begins it.
            w.tick += 1;
            ebb.step(w);
            w.tick -= 1;
        });
        println!("  {:.3} losses a tick", (ebb.losses - before) as f64 / ticks as f64);
    }
}

/// Surface levels of a pool while it flows: the greatest difference, but for columns with falling
/// water in them and those beside these.
fn spread(w: &World, low: [i32; 3], high: [i32; 3]) -> Option<(i32, i32, usize)> {
    let mut tops = std::collections::BTreeMap::new();
    let mut falls = std::collections::BTreeSet::new();
    for x in low[0]..=high[0] {
        for z in low[2]..=high[2] {
            let mut held = true;
            for y in low[1]..=high[1] {
                let c = [x, y, z];
                if w.is_solid(c) {
                    held = true;
                    continue;
                }
                let h = w.height(c);
                if h > 0 && held {
                    tops.insert((x, z), 7 * y + i32::from(h));
                }
                if h > 0 && (!held || w.place(c).is_some_and(|p| w.is_src(p))) {
                    for (dx, dz) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)] {
                        falls.insert((x + dx, z + dz));
                    }
                }
                held = h == 7;
            }
        }
    }
    for f in falls {
        tops.remove(&f);
    }
    let low = *tops.values().min()?;
    Some((low, *tops.values().max()?, tops.len()))
}
fn report(name: &str, w: &mut World, boxes: &[([i32; 3], [i32; 3])], from: usize, ticks: usize) {
    let mut worst = vec![0; boxes.len()];
    let mut over = vec![0; boxes.len()];
    let mut last = vec![None; boxes.len()];
    w.run(from);
    let cpu = cpu_ns();
    let mut looks = 0;
    let start = w.ledger;
    for t in 0..ticks {
        w.step();
        if t % 10 == 0 {
            looks += 1;
            for (k, b) in boxes.iter().enumerate() {
                last[k] = spread(w, b.0, b.1);
                if let Some((low, high, _)) = last[k] {
                    worst[k] = worst[k].max(high - low);
                    over[k] += usize::from(high - low > 2);
                }
            }
        }
    }
    let _ = cpu;
    println!(
        "flow {name}, ticks {from} to {}: worst difference {worst:?}, above 2 in {over:?} of {looks} looks, last {last:?}; in {:.2}, out {:.2} a tick",
        from + ticks,
        (w.ledger.injected - start.injected) as f64 / ticks as f64,
        (w.ledger.drained - start.drained) as f64 / ticks as f64
    );
}
fn flow() {
    // Three terraces of 24 by 24, each with a rim two high that has a notch, and a spring on top.
    let mut b = Build::new([80, 32, 32], Cell::Solid);
    let mut boxes = vec![];
    for k in 0..3 {
        let (x, y) = (k * 26, 20 - 8 * k);
        b.fill([x, y, 0], [x + 23, 30, 23], Cell::Air);
        b.fill([x + 24, y, 0], [x + 25, 30, 23], Cell::Solid);
        b.fill([x + 24, y + 2, 10], [x + 25, 30, 12], Cell::Air);
        boxes.push(([x, y, 0], [x + 23, y + 7, 23]));
    }
    b.fill([78, 2, 0], [79, 30, 23], Cell::Air);
    let mut w = b.world(3);
    for z in 0..24 {
        for x in 78..80 {
            w.sinks.push([x, 2, z]);
        }
    }
    w.source([2, 25, 12], true);
    report("terraces, filling", &mut w, &boxes, 50, 1500);
    report("terraces, steady", &mut w, &boxes, 0, 1500);
    measure("terraces", &mut w, 500, |_, _| {});
    // A crater lake with an island, a spring at one side and a notch at the other.
    let mut b = Build::new([64, 32, 48], Cell::Solid);
    b.fill([2, 4, 2], [45, 30, 45], Cell::Air);
    b.fill([18, 4, 18], [29, 16, 29], Cell::Solid);
    b.fill([46, 10, 23], [47, 30, 24], Cell::Air);
    b.fill([48, 1, 20], [50, 30, 27], Cell::Air);
    let mut w = b.world(3);
    for z in 20..28 {
        for x in 48..51 {
            w.sinks.push([x, 1, z]);
        }
    }
    w.source([3, 20, 3], true);
    w.source([3, 20, 40], true);
    let boxes = [([2, 4, 2], [45, 20, 45])];
    report("crater, filling", &mut w, &boxes, 50, 4000);
    w.run(2000);
    report("crater, steady", &mut w, &boxes, 0, 2000);
    measure("crater", &mut w, 500, |_, _| {});
    // A quarry with two springs over its floor, and one in it.
    let mut b = Build::new([64, 32, 48], Cell::Solid);
    b.fill([4, 2, 4], [59, 30, 40], Cell::Air);
    b.fill([4, 2, 4], [20, 4, 40], Cell::Solid);
    let mut w = b.world(3);
    w.source([6, 20, 6], true);
    w.source([50, 12, 38], true);
    let boxes = [([4, 5, 4], [20, 20, 40]), ([21, 2, 4], [59, 20, 40])];
    report("quarry, filling", &mut w, &boxes, 300, 3000);
    measure("quarry", &mut w, 500, |_, _| {});
}

fn main() {
    let all: [(&str, fn()); 11] = [
        ("slices", slices),
        ("ebb", ebb),
        ("flow", flow),
        ("trickle", trickle),
        ("drop", drop),
        ("springs", springs),
        ("seas", seas),
        ("drain", drain),
        ("corner", drain_end),
        ("dam", dam),
        ("bathtub", bathtub),
    ];
    let which: Vec<String> = std::env::args().skip(1).collect();
    let mut w = World::new(0);
    open(&mut w, [1, 1, 1]);
    for (name, run) in all {
        if which.is_empty() || which.iter().any(|w| w == name) {
            println!("--- {name}");
            run();
        }
    }
}
