//! Which sources are the sea, found naively: all cells are asked until no more become sea.

use super::region::Holds;
use std::collections::{BTreeMap, BTreeSet};

/// The cells of the sea at a level, of what the cells of some columns hold. All others are open.
pub fn sea(cells: &BTreeMap<[i32; 3], Holds>, level: i32) -> BTreeSet<[i32; 3]> {
    let is_source = |at: &[i32; 3]| at[1] <= level && cells.get(at) == Some(&Holds::Source);
    let highest = cells.keys().map(|at| at[1]).max().unwrap_or(0);
    let is_under_sky = |&[x, y, z]: &[i32; 3]| {
        (y + 1..=highest).all(|y| cells.get(&[x, y, z]) != Some(&Holds::Ground))
    };
    let sources: Vec<[i32; 3]> = cells.keys().copied().filter(is_source).collect();
    let mut sea: BTreeSet<[i32; 3]> = sources.iter().copied().filter(is_under_sky).collect();
    loop {
        let touches = |at: &&[i32; 3]| {
            let step = |axis: usize, by: i32| {
                let mut next = **at;
                next[axis] += by;
                next
            };
            (0..3).any(|axis| [-1, 1].iter().any(|&by| sea.contains(&step(axis, by))))
        };
        let new: Vec<[i32; 3]> =
            sources.iter().filter(|at| !sea.contains(*at)).filter(touches).copied().collect();
        if new.is_empty() {
            return sea;
        }
        sea.extend(new);
    }
}
