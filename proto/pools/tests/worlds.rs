use fastrand::Rng;
use pools::oracle::*;
use pools::world::*;

/// A few chunks of random caves, of a kind drawn from the seed.
fn cave(r: &mut Rng, pos: [i32; 3], kind: u8) -> Chunk {
    let mut w = World::new(0);
    w.insert(Chunk::new(pos));
    let at = |x: i32, y: i32, z: i32| [pos[0] * 16 + x, pos[1] * 16 + y, pos[2] * 16 + z];
    let density = [0, 8, 20, 35, 50][r.usize(..5)];
    for y in 0..16 {
        for z in 0..16 {
            for x in 0..16 {
                if r.u32(..100) < density || y < 2 && kind == 1 {
                    w.wall(at(x, y, z), true);
                }
            }
        }
    }
    // Pipes and rooms.
    for _ in 0..r.usize(..30) {
        let axis = r.usize(..3);
        let c = [r.i32(..16), r.i32(..16), r.i32(..16)];
        for k in 0..16 {
            let mut c = c;
            c[axis] = k;
            w.wall(at(c[0], c[1], c[2]), kind == 2);
        }
    }
    let amount = [0, 0, 1, 3, 6][r.usize(..5)];
    for y in 0..16 {
        for z in 0..16 {
            for x in 0..16 {
                if r.u32(..10) < amount {
                    w.pour(at(x, y, z), r.u8(1..8));
                }
            }
        }
    }
    w.update_all();
    let s = w.place(at(0, 0, 0)).unwrap().0 as usize;
    let old = &w.chunks[s];
    let mut new = Chunk::new(pos);
    (new.h, new.solid, new.src) = (old.h, old.solid, old.src);
    new
}

fn edit(w: &mut World, r: &mut Rng, low: [i32; 3], high: [i32; 3], sources: bool) {
    let c = [r.i32(low[0]..high[0]), r.i32(low[1]..high[1]), r.i32(low[2]..high[2])];
    match r.u8(..if sources { 6 } else { 5 }) {
        0 | 1 => {
            w.pour(c, r.u8(1..8));
        }
        2 => {
            w.scoop(c, r.u8(1..8));
        }
        3 => w.wall(c, true),
        4 => w.wall(c, false),
        _ => {
            let on = r.bool();
            w.source(c, on);
        }
    }
}

fn build(seed: u64, size: [i32; 3]) -> (World, Rng, [i32; 3]) {
    let mut r = Rng::with_seed(seed);
    let mut w = World::new(seed);
    let kind = r.u8(..3);
    let mut list = vec![];
    for x in 0..size[0] {
        for y in 0..size[1] {
            for z in 0..size[2] {
                list.push([x, y, z]);
            }
        }
    }
    r.shuffle(&mut list);
    for pos in list {
        let ch = cave(&mut r, pos, kind);
        w.insert(ch);
    }
    (w, r, [size[0] * 16, size[1] * 16, size[2] * 16])
}

fn sizes(seed: u64) -> [i32; 3] {
    [[1, 1, 1], [2, 1, 1], [1, 2, 1], [2, 1, 2], [2, 2, 1]][seed as usize % 5]
}

/// What is known of bodies is what a flood of cells finds, through edits, ticks and streaming.
#[test]
fn bodies_are_those_of_a_flood() {
    let worlds: u64 = std::env::var("WORLDS").map_or(300, |v| v.parse().unwrap());
    let mut compared = 0;
    for seed in 0..worlds {
        let (mut w, mut r, high) = build(seed, sizes(seed));
        let mut away: Vec<Chunk> = vec![];
        for round in 0..12 {
            for _ in 0..r.usize(..20) {
                edit(&mut w, &mut r, [0; 3], high, true);
            }
            if r.u8(..4) == 0 {
                if let Some(ch) = away.pop() {
                    w.insert(ch);
                } else {
                    let pos = *w.map.keys().min().unwrap();
                    let old = &w.chunks[w.map[&pos] as usize];
                    let mut ch = Chunk::new(pos);
                    (ch.h, ch.solid, ch.src) = (old.h, old.solid, old.src);
                    w.remove(pos);
                    away.push(ch);
                }
            }
            if r.bool() {
                w.step();
            }
            if r.u8(..3) > 0 {
                // Splits stay unsettled over several rounds.
                w.update_all();
                continue;
            }
            let (found, expected) = (known(&mut w), bodies(&w));
            let odd: Vec<_> = found.iter().filter(|(k, v)| expected.get(*k) != Some(*v)).collect();
            let miss: Vec<_> = expected.iter().filter(|(k, v)| found.get(*k) != Some(*v)).collect();
            assert!(odd.is_empty() && miss.is_empty(), "seed {seed}, round {round}: {odd:?}, not {miss:?}");
            assert_eq!(w.total(), w.ledger.total(), "seed {seed}, round {round}");
            compared += expected.len();
        }
    }
    println!("{compared} bodies compared");
}

/// Closed worlds come to rest, level; a sleeping world is one that is woken before every tick, and
/// one whose knowledge is dropped at any time, and one whose chunks came in another order, and one
/// whose ticks are done in slices.
#[test]
fn worlds_come_to_rest_level_in_the_same_way_however_they_are_run() {
    let worlds: u64 = std::env::var("WORLDS").map_or(150, |v| v.parse().unwrap());
    let (mut ticks, mut longest) = (0, 0);
    let mut stats = vec![0; 5];
    let start: u64 = std::env::var("FROM").map_or(0, |v| v.parse().unwrap());
    for seed in start..start + worlds {
        let (mut w, mut r, high) = build(seed, sizes(seed));
        let (mut woken, _, _) = build(seed, sizes(seed));
        // Another order of chunks.
        let mut other = World::new(seed);
        let mut keys: Vec<_> = w.map.keys().copied().collect();
        keys.sort();
        r.shuffle(&mut keys);
        for pos in keys {
            let old = &w.chunks[w.map[&pos] as usize];
            let mut ch = Chunk::new(pos);
            (ch.h, ch.solid, ch.src) = (old.h, old.solid, old.src);
            other.insert(ch);
        }
        let mut rest = 0;
        let mut slices = Rng::with_seed(seed + std::env::var("SALT").map_or(0, |v| v.parse::<u64>().unwrap()));
        for tick in 0.. {
            if tick < 60 && r.u8(..4) == 0 {
                let s = r.u64(..);
                for w in [&mut w, &mut woken, &mut other] {
                    let mut r = Rng::with_seed(s);
                    for _ in 0..r.usize(..10) {
                        edit(w, &mut r, [0; 3], high, false);
                    }
                }
            }
            let before = w.state_hash();
            if std::env::var("CHECK").is_ok() && (46..50).contains(&tick) {
                for c in [[30, 3, 24], [31, 3, 24], [29, 3, 24], [30, 4, 24], [30, 2, 24], [30, 3, 25], [30, 3, 23]] {
                    let p = w.place(c).unwrap();
                    println!("CHECK tick {tick} {c:?} height {} solid {} piece {:?}", w.height(c), w.is_solid(c), w.piece_at(p));
                }
            }
            w.step();
            if tick < 200 || tick % 16 == 0 {
                woken.wake_all();
            }
            if tick % 3 == 0 && slices.bool() && std::env::var("NODROP").is_err() {
                drop_cache(&mut other);
            }
            woken.step();
            other.begin_tick();
            other.pools_begin();
            loop {
                let mut left = slices.i64(1..300) * if std::env::var("NOSLICE").is_err() { 1 } else { 100_000 };
                if other.pools_advance(&mut left) {
                    break;
                }
            }
            other.end_tick();
            if std::env::var("CHECK").is_ok_and(|v| tick >= v.parse::<i32>().unwrap()) {
                let (found, expected) = (known(&mut w), bodies(&w));
                let odd: Vec<_> = found.iter().filter(|(k, v)| expected.get(*k) != Some(*v)).collect();
                let miss: Vec<_> = expected.iter().filter(|(k, v)| found.get(*k) != Some(*v)).collect();
                if let Some((c, _)) = miss.last() {
                    for d in [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]] {
                        let c = [c[0] + d[0], c[1] + d[1], c[2] + d[2]];
                        let p = w.place(c).unwrap();
                        let at = w.piece_at(p);
                        let key = at.map(|at| (at, w.pools.find(at), w.pools.pieces[at as usize].bits.map(|b| b.count_ones())));
                        println!("CHECK {c:?} height {} solid {} piece {key:?}", w.height(c), w.is_solid(c));
                    }
                }
                assert!(odd.is_empty() && miss.is_empty(), "CHECK seed {seed}, tick {tick}: {odd:?}, not {miss:?}");
            }
            let hash = w.state_hash();
            assert_eq!(hash, woken.state_hash(), "woken: seed {seed}, tick {tick}");
            assert_eq!(hash, other.state_hash(), "dropped: seed {seed}, tick {tick}");
            ticks += 1;
            rest = if w.is_asleep() { rest + 1 } else { 0 };
            if rest > 0 && tick > 60 {
                assert_eq!(before, hash, "seed {seed}: asleep and yet changed");
                longest = longest.max(tick);
                break;
            }
            assert!(tick < 20_000, "seed {seed} does not come to rest");
        }
        let found = bodies(&w);
        assert!(is_level(&found), "seed {seed}: {found:?}");
        assert_eq!(known(&mut w), found, "seed {seed}");
        assert_eq!(w.total(), w.ledger.total());
        let s = w.pools.stats;
        for (sum, n) in stats.iter_mut().zip([s.draws, s.vain, s.units, s.splits, s.split_steps]) {
            *sum += n;
        }
    }
    println!("{stats:?}");
    println!("{ticks} ticks, the longest way to rest {longest}");
}
