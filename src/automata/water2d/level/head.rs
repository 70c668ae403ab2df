//! Hydraulic heads: the energy of a unit of water, by its height and by the number of units under
//! it in its cell. Water is at rest if no move of a unit to another cell would lower its head.
//!
//! The k-th unit of a cell at height y has the head `100·y + k` while the cell fills, k ≤ 100, and
//! `100·(y+1) + 20·(k − 100)` above that: five units of pressure weigh as much as a whole cell of
//! depth. A body is at rest if all its units have heads up to its water line and no further unit
//! would fit below the line. Then free surfaces are level within a unit, and d cells below a full
//! surface the level is 100 + 5·d.

use crate::automata::water2d::cell::{FULL, MAX_LEVEL, PRESSURE};

/// Units of head in a cell's height.
pub(in crate::automata::water2d) const CELL: i64 = FULL as i64;

/// Units of head in a unit of pressure.
const WEIGHT: i64 = CELL / PRESSURE as i64;

/// Returns the head of the `unit`-th unit, counted from 1, of a cell at this height.
pub(in crate::automata::water2d) fn head(height: i64, unit: i64) -> i64 {
    CELL * height + if unit <= CELL { unit } else { CELL + WEIGHT * (unit - CELL) }
}

/// Returns the number of units of a cell, from its bottom, that have at most this head: 0 to
/// [`MAX_LEVEL`].
pub(in crate::automata::water2d) fn units_up_to(head: i64) -> i32 {
    let units = if head <= CELL { head.max(0) } else { CELL + (head - CELL) / WEIGHT };
    units.min(i64::from(MAX_LEVEL)) as i32
}

/// Returns the units that move down from a cell to the one below it, negative for up, until no
/// exchange between the two would lower a head. The result is 0 if either cell is ground.
///
/// Of the units that exceed a full lower cell, the upper cell gets 20 for each unit that the lower
/// cell gets, until the upper cell is full too; from there on the cells share equally. Equal heads
/// leave a choice of one unit, and then the lower cell is left unchanged if possible.
#[inline(always)]
pub(in crate::automata::water2d) fn sinking(lower: i32, upper: i32) -> i32 {
    const FULL_BOTH: i32 = FULL as i32 + PRESSURE as i32;
    let total = lower + upper;
    let more = (total - FULL as i32).max(0);
    let least = twenty_firsts(more).max(PRESSURE as i32 + ((more - FULL_BOTH) >> 1));
    let most = twenty_firsts(more + 1).max(PRESSURE as i32 + ((more + 1 - FULL_BOTH) >> 1));
    let settled = lower.max(total.min(FULL as i32 + least)).min(total.min(FULL as i32 + most));
    if lower | upper < 0 { 0 } else { settled.min(MAX_LEVEL as i32) - lower }
}

/// Returns a twenty-first of `more`, rounded down, at most 5.
#[inline(always)]
fn twenty_firsts(more: i32) -> i32 {
    (more.min(106) * 49) >> 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_by_their_heads() {
        let mut unit = 0;
        for line in -5..3000 {
            while head(0, unit + 1) <= line {
                unit += 1;
            }
            assert_eq!(i64::from(units_up_to(line)), unit, "{line}");
        }
        let last = head(0, i64::from(MAX_LEVEL));
        assert_eq!([last - 1, last, last + 500].map(units_up_to), [999_999, 1_000_000, 1_000_000]);
        assert_eq!(units_up_to(i64::MAX), MAX_LEVEL as i32);
    }

    /// Moves units from the upper cell to the lower one at a time, as long as each move lowers the
    /// unit's head. Returns the units that the lower cell has gained.
    fn sinking_by_hand(mut lower: i64, mut upper: i64) -> i64 {
        let before = lower;
        while upper > 0 && head(0, lower + 1) < head(1, upper) {
            (lower, upper) = (lower + 1, upper - 1);
        }
        while lower > 0 && head(1, upper + 1) < head(0, lower) {
            (lower, upper) = (lower - 1, upper + 1);
        }
        lower - before
    }

    #[test]
    fn two_cells_settle_as_their_units_would_one_by_one() {
        let levels = (0..260).chain([500, 999, 1000, 1001]);
        for lower in levels.clone() {
            for upper in levels.clone() {
                assert_eq!(
                    i64::from(sinking(lower as i32, upper as i32)),
                    sinking_by_hand(lower, upper),
                    "{lower} {upper}"
                );
            }
        }
    }

    #[test]
    fn ground_takes_nothing_and_the_highest_level_is_never_passed() {
        let highest = MAX_LEVEL as i32;
        for level in [0, 1, 100, 5000, highest] {
            assert_eq!((sinking(-1, level), sinking(level, -1)), (0, 0));
            let moved = sinking(level, highest);
            assert!(level + moved <= highest && highest - moved <= highest);
            let moved = sinking(highest, level);
            assert!(highest + moved <= highest && level - moved <= highest, "{level} {moved}");
        }
        assert_eq!((sinking(highest, highest), sinking(highest - 2, highest)), (0, 2));
    }
}
