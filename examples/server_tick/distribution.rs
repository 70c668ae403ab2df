//! How times are distributed: in the middle, nearly at worst, and at worst.

use std::time::Duration;

/// Returns times in milliseconds, in ascending order.
pub fn sorted(times: impl Iterator<Item = Duration>) -> Vec<f64> {
    let mut times: Vec<f64> = times.map(|time| 1e3 * time.as_secs_f64()).collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// Returns the median, the 99th percentile and the worst of times in ascending order, of which
/// there are some.
pub fn distribution(times: &[f64]) -> String {
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("p50 {:.2} ms, p99 {:.2} ms, worst {:.2} ms", at(50), at(99), at(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let times = sorted((1..=200).rev().map(Duration::from_millis));
        assert_eq!(distribution(&times), "p50 101.00 ms, p99 199.00 ms, worst 200.00 ms");
        assert_eq!(distribution(&[3.0]), "p50 3.00 ms, p99 3.00 ms, worst 3.00 ms");
    }
}
