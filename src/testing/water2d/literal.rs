//! A step of the literal rule, as its source text has it: units are passed according to the old
//! levels.

use super::slice::Slice;
use crate::water2d::MAX_LEVEL;

/// Returns the levels after a step.
pub(super) fn step(old: &Slice, left_first: bool) -> Slice {
    let mut new = old.clone();
    let capacity = |at: usize| match old.open(old.above(at)) {
        Some((_, above)) if above >= 100 => above + 5,
        _ => 100,
    };
    // Each of four neighbours gives at most a quarter of a cell's room up to the highest level.
    let accepted = |there: i64, offer: i64| offer.clamp(0, (i64::from(MAX_LEVEL) - there) / 4);
    for (at, mut left) in old.all_open() {
        let mut give = |to: usize, units: i64| {
            new.add(at, -units);
            new.add(to, units);
        };
        if let Some((below, there)) = old.open(old.below(at)) {
            let units = accepted(there, (capacity(below) - there).min(left));
            left -= units;
            give(below, units);
        }
        let mut sides = [old.west(at), old.east(at)];
        if !left_first {
            sides.reverse();
        }
        for (side, there) in sides.into_iter().filter_map(|side| old.open(side)) {
            let wanted = (left - there).max(0);
            let units = accepted(there, wanted / 2 + wanted % 2);
            left -= units;
            give(side, units);
        }
        if let Some((above, there)) = old.open(old.above(at))
            && there < left
        {
            give(above, accepted(there, left - capacity(at)));
        }
    }
    new
}
