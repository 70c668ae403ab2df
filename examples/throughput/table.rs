//! The figures as a table of text.

use crate::figures::Figures;
use std::fmt::Write;

/// Returns the table. Workloads that an earlier run had too are compared with it.
pub fn of(figures: &[Figures], before: &[Figures]) -> String {
    let mut text = format!(
        "{:<14} {:>7} {:>11} {:>9} {:>9} {:>12} {:>12} {:>9} {:>7}  {}\n",
        "workload",
        "threads",
        "ms a tick",
        "p99",
        "worst",
        "chunks/s",
        "cells/s",
        "KB",
        "spread",
        if before.is_empty() { "" } else { "times as fast as before" }
    );
    for row in figures {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<14} {:>7} {:>11.4} {:>9.4} {:>9.4} {:>12} {:>12} {:>9} {:>6.0}%  {}",
            row.workload,
            row.threads,
            1e3 * row.median() / row.ticks as f64,
            1e3 * row.p99,
            1e3 * row.worst,
            rate(row.chunks_a_second()),
            rate(row.cells_a_second()),
            row.bytes / 1024,
            100.0 * row.spread(),
            row.same_in(before).map(|before| ratio(row, before)).unwrap_or_default(),
        );
    }
    text
}

fn ratio(now: &Figures, before: &Figures) -> String {
    let [ratio, least, most] = now.ratio(before);
    let other = if now.hash == before.hash { "" } else { ", other work" };
    format!("{ratio:.2} ({least:.2} to {most:.2}){other}")
}

/// Returns a rate with three digits that count.
fn rate(a_second: f64) -> String {
    match a_second {
        1e9.. => format!("{:.2} G", a_second / 1e9),
        1e6.. => format!("{:.2} M", a_second / 1e6),
        1e3.. => format!("{:.2} k", a_second / 1e3),
        _ => format!("{a_second:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::tests::figures;

    #[test]
    fn a_row_for_each_and_ratios_where_there_was_one_before() {
        let now = [figures("floor", 1, [1.0, 2.0, 4.0]), figures("sea", 2, [1.0, 1.0, 1.0])];
        let mut before = vec![figures("floor", 1, [4.0, 4.0, 4.0]), figures("sea", 1, [1.0; 3])];
        let plain = of(&now, &[]);
        assert_eq!(plain.lines().count(), 3);
        assert!(!plain.contains("before"), "{plain}");
        let compared = of(&now, &before);
        assert!(compared.contains("2.00 (1.00 to 4.00)\n"), "{compared}");
        assert_eq!(compared.matches(" to ").count(), 1, "{compared}");
        before[0].hash = 1;
        assert!(of(&now, &before).contains("other work"));
    }

    #[test]
    fn rates_have_a_unit() {
        let rates = [12.34, 1_234.0, 2.5e6, 3e9].map(rate);
        assert_eq!(rates, ["12.3", "1.23 k", "2.50 M", "3.00 G"]);
    }
}
