//! A step of the settling rule, unit by unit and body by body.

use super::slice::Slice;
use crate::water2d::MAX_LEVEL;

/// The most units in a cell.
const MOST: i64 = MAX_LEVEL as i64;

/// Returns the head of a unit, counted from 1, in a cell at this height.
pub(super) fn head(height: i64, unit: i64) -> i64 {
    let floor = 100 * height;
    if unit <= 100 { floor + unit } else { floor + 100 + 20 * (unit - 100) }
}

/// Returns the number of units of a cell at this height with a head of at most `line`.
fn units_up_to(height: i64, line: i64) -> i64 {
    let above_floor = (line - 100 * height).max(0);
    if above_floor <= 100 { above_floor } else { MOST.min(100 + (above_floor - 100) / 20) }
}

/// Returns the levels after a step in which a cell passes on at most `flow` of its pressure.
pub(super) fn step(old: &Slice, flow: i64) -> Slice {
    let mut levels = old.clone();
    for parity in [0, 1] {
        sink(&mut levels, parity);
    }
    levels = spread(&levels);
    for body in bodies(&levels) {
        level(&mut levels, &body, flow);
    }
    levels
}

/// Exchanges units in the pairs of cells whose lower cell is at a height of this parity, one unit
/// at a time, as long as the unit that moves gets a lower head.
fn sink(levels: &mut Slice, parity: i64) {
    for lower in 0..levels.levels.len() {
        let (low, upper) = (levels.height(lower), levels.above(lower));
        let (Some((_, mut down)), Some((upper, mut up))) =
            (levels.open(Some(lower)), levels.open(upper))
        else {
            continue;
        };
        if low % 2 != parity {
            continue;
        }
        let before = down;
        loop {
            let sinks = up > 0 && down < MOST && head(low, down + 1) < head(low + 1, up);
            let rises = down > 0 && head(low + 1, up + 1) < head(low, down);
            let units = i64::from(sinks) - i64::from(rises);
            if units == 0 {
                break;
            }
            down += units;
            up -= units;
        }
        levels.add(lower, down - before);
        levels.add(upper, before - down);
    }
}

/// Returns whether a cell of water is on ground or on a full cell.
pub(super) fn stands(levels: &Slice, at: usize) -> bool {
    levels.open(levels.below(at)).is_none_or(|(_, below)| below >= 100)
}

/// Returns the levels after standing water has given each lower side a quarter of the difference,
/// rounded to the nearest unit, and halves rounded down.
fn spread(levels: &Slice) -> Slice {
    let mut after = levels.clone();
    for (at, level) in levels.all_open().filter(|&(at, _)| stands(levels, at)) {
        for side in [levels.west(at), levels.east(at)] {
            if let Some((side, there)) = levels.open(side)
                && there < level
            {
                let given = ((level - there) as f64 / 4.0 - 0.01).round() as i64;
                after.add(at, -given);
                after.add(side, given);
            }
        }
    }
    after
}

/// Returns the bodies of joined water, each with its rim of air and in order from its lowest row
/// up.
pub(super) fn bodies(levels: &Slice) -> Vec<Vec<usize>> {
    let standing = |(at, level): (usize, i64)| level > 0 && stands(levels, at);
    let is_member = |cell: (usize, i64)| cell.1 == 0 || standing(cell);
    // Side by side, at least one of the two is water; one above the other, the lower one is full of
    // water.
    let beside = |a, b| is_member(a) && is_member(b) && (standing(a) || standing(b));
    let stacked =
        |lower: (usize, i64), upper| standing(lower) && lower.1 >= 100 && is_member(upper);
    let mut is_seen = vec![false; levels.levels.len()];
    let mut bodies = Vec::new();
    for seed in levels.all_open().filter(|&cell| standing(cell)) {
        let (mut body, mut ahead) = (Vec::new(), vec![seed]);
        while let Some(cell) = ahead.pop() {
            if std::mem::replace(&mut is_seen[cell.0], true) {
                continue;
            }
            body.push(cell.0);
            let [west, east, below, above] = [
                levels.west(cell.0),
                levels.east(cell.0),
                levels.below(cell.0),
                levels.above(cell.0),
            ]
            .map(|there| levels.open(there));
            ahead.extend([west, east].into_iter().flatten().filter(|&there| beside(cell, there)));
            ahead.extend(below.filter(|&there| stacked(there, cell)));
            ahead.extend(above.filter(|&there| stacked(cell, there)));
        }
        body.sort_unstable();
        bodies.extend((!body.is_empty()).then_some(body));
    }
    bodies
}

/// Returns the highest head up to which a body has units for each of its cells.
fn water_line(levels: &Slice, body: &[usize]) -> i64 {
    let volume: i64 = body.iter().filter_map(|&at| levels.levels[at]).sum();
    let needed = |line| body.iter().map(|&at| units_up_to(levels.height(at), line)).sum::<i64>();
    // The search starts at the lowest floor, by steps that become smaller: the sum of all steps is
    // above any line.
    let lowest = body.iter().map(|&at| 100 * levels.height(at)).min().unwrap_or(0);
    (0..42)
        .rev()
        .map(|bit| 1 << bit)
        .fold(lowest, |line, step| if needed(line + step) <= volume { line + step } else { line })
}

/// Moves the units of a body towards one water line, as far as one step may move them, in shares.
fn level(levels: &mut Slice, body: &[usize], flow: i64) {
    let line = water_line(levels, body);
    // For each cell: its units above the line by two heads or more, a unit on the first head above
    // the line, the units that it lacks below the line, and the unit that it lacks on that first
    // head.
    let mut offers: [Vec<(usize, i64)>; 4] = Default::default();
    for (at, level) in body.iter().filter_map(|&at| levels.open(Some(at))) {
        let height = levels.height(at);
        let (least, most) = (units_up_to(height, line), units_up_to(height, line + 1));
        let amounts = [
            (level - most).clamp(0, flow),
            i64::from(least < most && level == most),
            (least - level).clamp(0, flow),
            i64::from(least < most && level == least),
        ];
        for (offers, amount) in offers.iter_mut().zip(amounts) {
            offers.push((at, amount));
        }
    }
    let sums = offers.each_ref().map(|offers| offers.iter().map(|(_, amount)| amount).sum::<i64>());
    let [spare, ready, lacking, room] = sums;
    let moving = (spare + ready).min(lacking + room).min(spare.max(lacking));
    let parts = [
        moving.min(spare),
        moving - moving.min(spare),
        moving.min(lacking),
        moving - moving.min(lacking),
    ];
    for (index, offers) in offers.iter().enumerate() {
        let sign = if index < 2 { -1 } else { 1 };
        let mut offered = 0;
        for &(at, amount) in offers {
            let due = |offered: i64| {
                if sums[index] == 0 { 0 } else { offered * parts[index] / sums[index] }
            };
            levels.add(at, sign * (due(offered + amount) - due(offered)));
            offered += amount;
        }
    }
}
