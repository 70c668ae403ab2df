//! Which columns of a chunk may lose water in a tick: Bernoulli trials of all columns in all ticks.
//! The trials of an epoch are drawn together: a binomial number of successes, and which trials
//! succeed by Floyd's sample.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::water::random::{chosen, fraction, mix};
use smallvec::SmallVec;

/// The bits of a chance, which is a multiple of 2⁻³².
const CHANCE_BITS: u32 = 32;
/// The mean number of columns drawn in a sparse epoch is at most this power of two: 2².
const MEAN_BITS: u32 = 2;
/// An epoch has 2¹² ticks at most.
const MOST_TICKS_BITS: u32 = 12;

/// How a chance for each column in each tick is drawn. The columns drawn depend on a seed and the
/// tick alone, never on the water, so they stay valid when water moves.
pub(super) enum LossSampler {
    /// The chance is 0.
    Never,
    /// The chance is at most 1/64. A trial is one column in one tick.
    Sparse {
        /// An epoch has 2 to this power ticks.
        ticks_bits: u32,
        /// By number of successes in an epoch: the chance of at most this many, in units of 2⁻⁶⁴.
        at_most: Vec<u64>,
    },
    /// The chance of each column in each tick, in 65,536ths.
    Dense { fraction: u32 },
}

impl LossSampler {
    /// Returns the sampler of a chance from 0 to 1.
    pub(super) fn new(chance: f64) -> Self {
        let whole = (chance * (1u64 << CHANCE_BITS) as f64).ceil() as u64;
        let trials_bits = LAYER_CELLS.trailing_zeros();
        if whole == 0 {
            return LossSampler::Never;
        }
        if whole << trials_bits > 1 << (CHANCE_BITS + MEAN_BITS) {
            return LossSampler::Dense { fraction: fraction(chance) };
        }
        let is_few = |bits: &u32| whole << (trials_bits + bits) <= 1 << (CHANCE_BITS + MEAN_BITS);
        let ticks_bits = (0..=MOST_TICKS_BITS).rev().find(is_few).unwrap_or(0);
        LossSampler::Sparse { ticks_bits, at_most: binomial(trials_bits + ticks_bits, whole) }
    }

    /// Returns the columns drawn in a tick, and the number of ticks, at least one, until the next
    /// call is due: no column is drawn before that. `None` if no column is ever drawn. Epochs begin
    /// at ticks that depend on the seed.
    pub(super) fn at(&self, seed: u64, tick: u64) -> Option<(LayerMask, u64)> {
        match *self {
            LossSampler::Never => None,
            LossSampler::Dense { fraction } => Some((chosen(mix(seed, tick), fraction), 1)),
            LossSampler::Sparse { ticks_bits, ref at_most } => {
                // Powers of two, so that epochs stay aligned when ticks wrap.
                let ticks = 1u64 << ticks_bits;
                let at = tick.wrapping_add(mix(seed, 0));
                let (epoch, now) = (at >> ticks_bits, at & (ticks - 1));
                let (mut columns, mut next) = (LayerMask::NONE, ticks);
                for trial in successes(mix(seed, epoch), at_most, LAYER_CELLS as u64 * ticks) {
                    let (tick, column) = (trial / LAYER_CELLS as u64, trial % LAYER_CELLS as u64);
                    if tick == now {
                        columns.insert(column as usize);
                    } else if tick > now {
                        next = next.min(tick);
                    }
                }
                Some((columns, next - now))
            }
        }
    }
}

/// Returns the successful trials of an epoch, each below `trials`: Floyd's sample without
/// repetition.
fn successes(random: u64, at_most: &[u64], trials: u64) -> SmallVec<[u64; 16]> {
    let count = at_most.partition_point(|&most| most < mix(random, 0)) as u64;
    let mut sample = SmallVec::new();
    for last in trials - count.min(trials)..trials {
        let trial = ((u128::from(mix(random, last + 1)) * u128::from(last + 1)) >> 64) as u64;
        let trial = if sample.contains(&trial) { last } else { trial };
        sample.push(trial);
    }
    sample
}

/// Returns the chances, in units of 2⁻⁶⁴, of at most 0, 1, … successes in 2^`trials_bits` trials
/// with the chance `chance` / 2³² each, by the recurrence of the binomial distribution in whole
/// numbers. The list ends where the chance of more is 0 to that precision.
fn binomial(trials_bits: u32, chance: u64) -> Vec<u64> {
    let (one, trials) = (1u128 << 64, 1u128 << trials_bits);
    let failure = (1 << CHANCE_BITS) - u128::from(chance);
    let squared = |power: u128, _| (power * power) >> 64;
    // (1 − chance)^trials by repeated squaring. The square of a number below 2⁶⁴ fits.
    let none = (0..trials_bits).fold((failure << 32).min(one - 1), squared);
    let (mut exactly, mut sum, mut at_most) = (none, 0, Vec::new());
    for successes in 0..trials {
        sum += exactly;
        at_most.push(u64::try_from(sum).unwrap_or(u64::MAX));
        exactly = exactly * (trials - successes) / (successes + 1) * u128::from(chance) / failure;
        if exactly == 0 {
            break;
        }
    }
    // Without its last entry, the table leaves the rounding errors, a few 2⁻⁶⁴ for each entry, to
    // the largest number of successes.
    at_most.pop();
    at_most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_that_of_the_binomial_distribution() {
        for chance in [
            1.0 / 4_294_967_296.0,
            1e-6,
            1.0 / 1_048_576.0,
            1.0 / 65_536.0,
            1.0 / 1024.0,
            1.0 / 64.0,
        ] {
            let LossSampler::Sparse { ticks_bits, at_most } = LossSampler::new(chance) else {
                panic!("{chance} is few enough")
            };
            let trials = f64::from(256u32 << ticks_bits);
            let mut exactly = (1.0 - chance).powf(trials);
            let mut sum = 0.0;
            for (successes, &most) in at_most.iter().enumerate() {
                sum += exactly;
                let found = most as f64 / 2f64.powi(64);
                assert!((found - sum).abs() < 1e-3, "{chance}: {successes}: {found}, not {sum}");
                let successes = successes as f64;
                exactly *= (trials - successes) / (successes + 1.0) * chance / (1.0 - chance);
            }
            assert!(at_most.is_sorted() && sum > 1.0 - 1e-9, "{chance}: {sum}");
            assert!(trials * chance <= 4.001, "{chance}: {trials} trials");
        }
    }

    /// A caller that skips the ticks without draws finds the same columns as one that calls in
    /// every tick, also when the ticks wrap.
    #[test]
    fn no_column_is_drawn_before_the_tick_in_which_to_ask_again() {
        for chance in [1.0 / 65_536.0, 1.0 / 4096.0, 0.005, 0.02, 0.7, 1.0] {
            for seed in 0..20 {
                let draws = LossSampler::new(chance);
                let start = 0u64.wrapping_sub(3000);
                let mut due = 0;
                for at in 0..6000 {
                    let tick = start.wrapping_add(at);
                    let (columns, ticks) = draws.at(seed, tick).expect("a chance above 0");
                    assert!(ticks > 0);
                    if at == due {
                        due += ticks;
                    } else {
                        assert!(columns.is_empty(), "{chance}, seed {seed}, tick {tick}");
                        assert_eq!(at + ticks, due, "{chance}, seed {seed}, tick {tick}");
                    }
                }
            }
        }
        assert!(LossSampler::new(0.0).at(1, 1).is_none());
    }

    #[test]
    fn each_column_is_drawn_as_often_as_its_chance_says() {
        for (chance, ticks) in [
            (1.0 / 65_536.0, 40_000),
            (1.0 / 1024.0, 4000),
            (1.0 / 64.0, 1000),
            (0.3, 400),
            (1.0, 10),
        ] {
            let draws = LossSampler::new(chance);
            let (mut drawn, mut halves) = (0.0, [0.0; 2]);
            for seed in 0..40 {
                for tick in 0..ticks {
                    let (columns, _) = draws.at(mix(9, seed), tick).expect("a chance above 0");
                    drawn += f64::from(columns.count());
                    for column in columns.iter() {
                        halves[column / 8 % 2] += 1.0;
                    }
                }
            }
            let trials = 40.0 * ticks as f64 * 256.0;
            let deviation = (trials * chance * (1.0 - chance)).sqrt();
            let mean = trials * chance;
            assert!((drawn - mean).abs() <= 4.0 * deviation, "{chance}: {drawn}, not {mean}");
            let apart: f64 = halves[0] - halves[1];
            assert!(apart.abs() <= 4.0 * deviation, "{chance}: {halves:?} by half");
        }
    }
}
