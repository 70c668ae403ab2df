//! Two-dimensional water cell by cell and unit by unit, without chunks, vectors or formulas: the
//! oracle of its kernels.

use std::collections::{BTreeMap, BTreeSet};

/// Levels by y, then x. What is not there is ground.
pub type Levels = BTreeMap<(i32, i32), i64>;

const SIDES: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];

/// One step as the source text has it: old levels noted, cells visited from the top down, what is
/// given put aside.
pub fn literal_step(levels: &Levels, left_first: bool) -> Levels {
    let old = levels;
    let mut level = levels.clone();
    let mut new: Levels = levels.keys().map(|&cell| (cell, 0)).collect();
    let capacity = |(y, x): (i32, i32)| match old.get(&(y + 1, x)) {
        Some(&above) if above >= 100 => above + 5,
        _ => 100,
    };
    for &(y, x) in old.keys().rev() {
        let below = (y - 1, x);
        if let Some(&there) = old.get(&below) {
            let given = (capacity(below) - there).clamp(0, level[&(y, x)]);
            *new.get_mut(&below).unwrap() += given;
            *level.get_mut(&(y, x)).unwrap() -= given;
        }
        let sides = if left_first { [x - 1, x + 1] } else { [x + 1, x - 1] };
        for side in sides.map(|side| (y, side)) {
            if let Some(&there) = old.get(&side) {
                let wanted = level[&(y, x)] - there;
                if wanted > 0 {
                    let given = wanted / 2 + wanted % 2;
                    *new.get_mut(&side).unwrap() += given;
                    *level.get_mut(&(y, x)).unwrap() -= given;
                }
            }
        }
        let above = (y + 1, x);
        if let Some(&there) = old.get(&above)
            && there < level[&(y, x)]
            && level[&(y, x)] > capacity((y, x))
        {
            let given = level[&(y, x)] - capacity((y, x));
            *new.get_mut(&above).unwrap() += given;
            *level.get_mut(&(y, x)).unwrap() -= given;
        }
    }
    level.iter().map(|(cell, level)| (*cell, level + new[cell])).collect()
}

/// The head of a unit, counted from 1, in a cell at height y.
pub fn head(y: i32, unit: i64) -> i64 {
    let floor = 100 * i64::from(y);
    if unit <= 100 { floor + unit } else { floor + 100 + 20 * (unit - 100) }
}

/// The sum of the heads of all units.
pub fn energy(levels: &Levels) -> i64 {
    levels.iter().flat_map(|(&(y, _), &level)| (1..=level).map(move |unit| head(y, unit))).sum()
}

/// One step of the settling rule.
pub fn settling_step(levels: &Levels, flow: i64) -> Levels {
    let mut levels = levels.clone();
    for parity in [0, 1] {
        sink(&mut levels, parity);
    }
    levels = spread(&levels);
    for body in bodies(&levels) {
        level(&mut levels, &body, flow);
    }
    levels
}

/// Pairs whose lower cell has this parity exchange units, one at a time, as long as the unit that
/// moves gets a lower head.
fn sink(levels: &mut Levels, parity: i32) {
    let cells: Vec<_> = levels.keys().copied().filter(|(y, _)| y.rem_euclid(2) == parity).collect();
    for lower in cells {
        let upper = (lower.0 + 1, lower.1);
        if !levels.contains_key(&upper) {
            continue;
        }
        loop {
            let (down, up) = (levels[&lower], levels[&upper]);
            let step = if up > 0 && head(lower.0, down + 1) < head(upper.0, up) {
                1
            } else if down > 0 && head(upper.0, up + 1) < head(lower.0, down) {
                -1
            } else {
                break;
            };
            *levels.get_mut(&lower).unwrap() += step;
            *levels.get_mut(&upper).unwrap() -= step;
        }
    }
}

/// Whether a cell of water is on ground or on a full cell.
fn stands(levels: &Levels, (y, x): (i32, i32)) -> bool {
    levels.get(&(y - 1, x)).is_none_or(|&below| below >= 100)
}

/// Standing water gives each lower side a quarter of the difference, rounded to the nearest; halves
/// down.
fn spread(levels: &Levels) -> Levels {
    let mut after = levels.clone();
    for (&(y, x), &level) in levels.iter().filter(|&(&cell, _)| stands(levels, cell)) {
        for side in [(y, x - 1), (y, x + 1)] {
            if let Some(&there) = levels.get(&side)
                && there < level
            {
                let given = (f64::from((level - there) as i32) / 4.0 - 0.01).round() as i64;
                *after.get_mut(&(y, x)).unwrap() -= given;
                *after.get_mut(&side).unwrap() += given;
            }
        }
    }
    after
}

/// Joined water with its rim of air, body by body.
pub fn bodies(levels: &Levels) -> Vec<BTreeSet<(i32, i32)>> {
    let standing = |cell: (i32, i32)| {
        levels.get(&cell).is_some_and(|&level| level > 0) && stands(levels, cell)
    };
    let air = |cell: (i32, i32)| levels.get(&cell) == Some(&0);
    let full = |cell: (i32, i32)| standing(cell) && levels[&cell] >= 100;
    let joined = |a: (i32, i32), b: (i32, i32)| {
        let members = (standing(a) || air(a)) && (standing(b) || air(b));
        let (lower, is_level) = (if a.0 < b.0 { a } else { b }, a.0 == b.0);
        members && if is_level { standing(a) || standing(b) } else { full(lower) }
    };
    let mut seen = BTreeSet::new();
    let mut bodies = Vec::new();
    for &seed in levels.keys().filter(|&&cell| standing(cell)) {
        let mut body = BTreeSet::new();
        let mut open = vec![seed];
        while let Some(cell) = open.pop() {
            if seen.insert(cell) {
                body.insert(cell);
                let beside = SIDES.map(|(up, along)| (cell.0 + up, cell.1 + along));
                open.extend(beside.into_iter().filter(|&there| joined(cell, there)));
            }
        }
        if !body.is_empty() {
            bodies.push(body);
        }
    }
    bodies
}

/// Moves what one step may move to one water line, in shares.
fn level(levels: &mut Levels, body: &BTreeSet<(i32, i32)>, flow: i64) {
    let volume: i64 = body.iter().map(|cell| levels[cell]).sum();
    let units = |y: i32, line: i64| (1..).take_while(|&unit| head(y, unit) <= line).count() as i64;
    let needed = |line: i64| body.iter().map(|&(y, _)| units(y, line)).sum::<i64>();
    let lowest = body.iter().map(|&(y, _)| 100 * i64::from(y)).min().unwrap();
    let line = (lowest..).find(|&line| needed(line + 1) > volume).unwrap();

    // What each cell has above the line by two heads or more, on the first head above it, lacks
    // below it, and lacks on it.
    let mut offers: [Vec<((i32, i32), i64)>; 4] = Default::default();
    for &(y, x) in body {
        let (level, least, most) = (levels[&(y, x)], units(y, line), units(y, line + 1));
        let amounts = [
            (level - most).clamp(0, flow),
            i64::from(least < most && level == most),
            (least - level).clamp(0, flow),
            i64::from(least < most && level == least),
        ];
        for (offers, amount) in offers.iter_mut().zip(amounts) {
            offers.push(((y, x), amount));
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
        for &(cell, amount) in offers {
            let due = |offered: i64| {
                if sums[index] == 0 { 0 } else { offered * parts[index] / sums[index] }
            };
            *levels.get_mut(&cell).unwrap() += sign * (due(offered + amount) - due(offered));
            offered += amount;
        }
    }
}
