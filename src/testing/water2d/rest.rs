//! The results of the settling rule: less energy after each step, and level water at rest.

use super::settling::{bodies, head, stands};
use super::slice::Slice;

/// Returns the sum of the heads of all units.
pub(super) fn energy(levels: &Slice) -> i64 {
    let of_cell = |(at, level)| (1..=level).map(|unit| head(levels.height(at), unit)).sum::<i64>();
    levels.all_open().map(of_cell).sum()
}

/// Checks the surfaces and the pressure of a slice at rest, by the contents of its cells alone.
pub(super) fn check_rest(levels: &Slice) -> Result<(), String> {
    for (at, level) in levels.all_open().filter(|&(_, level)| level > 0) {
        if !stands(levels, at) {
            return Err(format!("{level} units at rest lie on nothing"));
        }
        if let Some((_, side)) = levels.open(levels.east(at))
            && level.abs_diff(side) > 1
        {
            return Err(format!("{level} units at rest beside {side}"));
        }
    }
    bodies(levels).iter().try_for_each(|body| check_body(levels, body))
}

/// Checks that all surfaces of a body are level, and that the pressure below them is that of their
/// depth.
fn check_body(levels: &Slice, body: &[usize]) -> Result<(), String> {
    let cells = || body.iter().filter_map(|&at| levels.open(Some(at)));
    // A surface is water with air above it, or with room above it in its cell.
    let is_surface = |&(at, level): &(usize, i64)| {
        let has_air = || levels.open(levels.above(at)).is_some_and(|(_, above)| above == 0);
        level > 0 && (level < 100 || level == 100 && has_air())
    };
    let surface = |(at, level)| 100 * levels.height(at) + level;
    let surfaces = || cells().filter(is_surface).map(surface);
    let (Some(least), Some(most)) = (surfaces().min(), surfaces().max()) else { return Ok(()) };
    if most - least > 1 {
        return Err(format!("surfaces at rest from {least} to {most}"));
    }
    for (at, level) in cells() {
        let depth = least - 100 * (levels.height(at) + 1);
        let pressures = 100 + (depth - 1) / 20..=100 + (depth + 1) / 20;
        if depth > 0 && !pressures.contains(&level) {
            return Err(format!("{level} units at rest, {depth} below the surface"));
        }
    }
    Ok(())
}
