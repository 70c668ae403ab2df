//! A step of the literal rule, as its source text has it: what is given comes after the old levels.

use super::slice::Slice;

/// Returns the levels after a step.
pub(super) fn step(old: &Slice, left_first: bool) -> Slice {
    let mut new = old.clone();
    let capacity = |at: usize| match old.open(old.above(at)) {
        Some((_, above)) if above >= 100 => above + 5,
        _ => 100,
    };
    for (at, mut left) in old.all_open() {
        let mut give = |to: usize, units: i64| {
            new.add(at, -units);
            new.add(to, units);
        };
        if let Some((below, there)) = old.open(old.below(at)) {
            let units = (capacity(below) - there).clamp(0, left);
            left -= units;
            give(below, units);
        }
        let mut sides = [old.west(at), old.east(at)];
        if !left_first {
            sides.reverse();
        }
        for (side, there) in sides.into_iter().filter_map(|side| old.open(side)) {
            let wanted = (left - there).max(0);
            let units = wanted / 2 + wanted % 2;
            left -= units;
            give(side, units);
        }
        if let Some((above, there)) = old.open(old.above(at))
            && there < left
            && left > capacity(at)
        {
            give(above, left - capacity(at));
        }
    }
    new
}
