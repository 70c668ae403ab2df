//! The ebb that sleeps: in a tick a chunk is drawn with chance 256 · p, and in it one of its 256
//! columns; what is a still surface there loses a unit. So each surface cell loses one with chance
//! p, exactly, and which chunk is drawn when depends on (seed, chunk, tick) alone, not on its water:
//! a chunk that sleeps, is woken, saved or loaded has the same losses. When its next one is due is
//! read off its epochs, in each of which a binomial number of ticks is drawn at once.

use crate::bits::*;
use crate::world::*;

/// Ticks of the longest epoch; chunks begin theirs at different ticks.
const MOST: u64 = 256;

#[derive(Default)]
pub struct Ebb {
    /// Ticks of an epoch: few enough that some four are drawn at most.
    epoch: u64,
    /// By number of drawn ticks in an epoch: chance of at most so many, of 2^64.
    most: Vec<u64>,
    /// By tick modulo its length: chunks that are due, or whose epoch begins.
    wheel: Vec<Vec<(u64, u32)>>,
    pub losses: u64,
    pub vain: u64,
}

fn seed_of(seed: u64, pos: [i32; 3]) -> u64 {
    mix(seed ^ 0xEBB, pack(pos))
}

impl Ebb {
    /// For a chance p = `per_cell` / 2^32 that a surface cell loses a unit in a tick.
    pub fn new(per_cell: u32) -> Self {
        let chance = (u64::from(per_cell) * 256).min(u64::from(u32::MAX)) as u32;
        let mut epoch = MOST;
        while epoch > 1 && epoch * u64::from(chance) > 4 << 32 {
            epoch /= 2;
        }
        Ebb {
            epoch,

            most: binomial(epoch as u32, chance),
            wheel: vec![vec![]; 2 * epoch as usize],
            ..Ebb::default()
        }
    }
    fn phase(&self, s: u64) -> u64 {
        s % self.epoch
    }
    /// The drawn ticks of the epoch that a tick lies in, the least first, without repetition.
    fn drawn(&self, s: u64, tick: u64, out: &mut Vec<u64>) {
        let epoch = (tick + self.phase(s)) / self.epoch;
        // Ticks before the world's first are drawn like others, and do not come.
        let base = epoch * self.epoch;
        let r = mix(s, epoch);
        let n = self.most.partition_point(|&most| most < mix(r, 0)).min(self.epoch as usize);
        out.clear();
        // Floyd's sample of n out of self.epoch.
        for k in self.epoch - n as u64..self.epoch {
            let t = (u128::from(mix(r, k + 1)) * u128::from(k + 1) >> 64) as u64;
            let t = if out.contains(&(base + t)) { k } else { t };
            out.push(base + t);
        }
        out.retain(|&t| t >= self.phase(s));
        out.iter_mut().for_each(|t| *t -= self.phase(s));
        out.sort_unstable();
    }
    /// Whether a chunk is drawn in a tick, said without the wheel.
    pub fn is_drawn(&self, seed: u64, pos: [i32; 3], tick: u64) -> bool {
        let mut out = vec![];
        self.drawn(seed_of(seed, pos), tick, &mut out);
        out.contains(&tick)
    }
    /// Puts a chunk on the wheel for what is due from `tick` on.
    pub fn enter(&mut self, w: &World, slot: u32, tick: u64) {
        let s = seed_of(w.seed, w.chunks[slot as usize].pos);
        self.plan(s, slot, tick);
    }
    fn plan(&mut self, s: u64, slot: u32, tick: u64) {
        let mut out = vec![];
        self.drawn(s, tick, &mut out);
        let len = self.wheel.len() as u64;
        for t in out.into_iter().filter(|&t| t >= tick) {
            self.wheel[(t % len) as usize].push((t, slot));
        }
        let next = ((tick + self.phase(s)) / self.epoch + 1) * self.epoch - self.phase(s);
        self.wheel[(next % len) as usize].push((next, slot | PLAN));
    }
    /// What is due in this tick. Still cells of the drawn columns lose a unit.
    pub fn step(&mut self, w: &mut World) {
        let at = (w.tick % self.wheel.len() as u64) as usize;
        let mut due = std::mem::take(&mut self.wheel[at]);
        // By position, so that nothing depends on slots: losses of different chunks do not touch
        // each other's cells, so no order is needed here.
        for &(t, slot) in &due {
            debug_assert_eq!(t, w.tick);
            if slot & PLAN != 0 {
                let slot = slot & !PLAN;
                let s = seed_of(w.seed, w.chunks[slot as usize].pos);
                self.plan(s, slot, t);
            }
        }
        for (t, slot) in std::mem::take(&mut self.wheel[at]) {
            due.push((t, slot));
        }
        for (_, slot) in due.drain(..) {
            if slot & PLAN == 0 {
                self.lose(w, slot);
            }
        }
        self.wheel[at] = due;
    }
    fn lose(&mut self, w: &mut World, slot: u32) {
        let s = seed_of(w.seed, w.chunks[slot as usize].pos);
        let column = (mix(mix(s, w.tick), 7) & 255) as usize;
        let mut lost = false;
        for l in 0..16 {
            let ch = &w.chunks[slot as usize];
            let h = ch.height(l << 8 | column);
            if h == 0 || has(&ch.src[l], column) {
                continue;
            }
            let above_wet = match w.layer_at(slot, l, 5) {
                Some((s, l)) => w.chunks[s as usize].height(l << 8 | column) > 0,
                None => false,
            };
            if above_wet {
                continue;
            }
            w.sink_quietly((slot, l << 8 | column));
            w.ledger.evaporated += 1;
            self.losses += 1;
            lost = true;
        }
        self.vain += u64::from(!lost);
    }
}

const PLAN: u32 = 1 << 31;

/// Chances of at most k of n, each with chance c / 2^32, as fractions of 2^64, in whole numbers.
fn binomial(n: u32, c: u32) -> Vec<u64> {
    // P(0) = (1 - p)^n in 64-bit fixed point, then P(k+1) = P(k) (n-k)/(k+1) p/(1-p).
    let q = (1u64 << 32) - u64::from(c);
    let mut p0: u128 = 1 << 64;
    for _ in 0..n {
        p0 = p0 * u128::from(q) >> 32;
    }
    let (mut p, mut sum, mut out) = (p0, 0u128, vec![]);
    for k in 0..=n {
        sum += p;
        out.push(u64::try_from(sum).unwrap_or(u64::MAX));
        p = p * u128::from(n - k) / u128::from(k + 1) * u128::from(c) / u128::from(q.max(1));
        if p == 0 && k > n / 2 {
            break;
        }
    }
    if let Some(last) = out.last_mut() {
        *last = u64::MAX;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn cells_lose_with_their_chance_and_the_wheel_says_what_a_look_at_each_tick_says() {
        let mut w = World::new(5);
        let n = 40;
        for x in 0..n {
            let mut ch = Chunk::new([x * 3, 0, x % 7]);
            ch.solid[0] = ALL;
            for l in 1..3 {
                ch.h[l] = [ALL; 3];
            }
            w.insert(ch);
        }
        w.pools_on = false;
        let mut ebb = Ebb::new(1 << 15); // p = 2^-17
        for s in 0..n as u32 {
            ebb.enter(&w, s, 1);
        }
        let mut expected = 0u64;
        let ticks = 20_000u64;
        for t in 1..=ticks {
            w.tick = t;
            let before = ebb.losses + ebb.vain;
            for s in 0..n as usize {
                expected += u64::from(ebb.is_drawn(w.seed, w.chunks[s].pos, t));
            }
            ebb.step(&mut w);
            let _ = before;
            assert_eq!(expected, ebb.losses + ebb.vain, "tick {t}");
        }
        let mean = n as f64 * ticks as f64 * 256.0 / (1u64 << 17) as f64;
        let found = ebb.losses as f64;
        assert!((found - mean).abs() < 4.0 * mean.sqrt(), "{found}, {mean} expected");
        assert_eq!(w.total(), w.ledger.total());
    }
}
