//! Expectations of water in motion, on drawings in which the answer can be counted.

use super::format::failures;

/// A drawing at tick 0, with this check.
fn drawn(rows: &[&str], check: &str) -> Vec<String> {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    failures(&format!(
        "automaton = \"water\"\nticks = 0\n[[layer]]\nrows = [{}]\n[[expect.check]]\n{check}",
        rows.join(", ")
    ))
}

/// Wet cells no further from the middle than this, of a square with 21 cells to a side.
fn disc(radius: f64) -> Vec<String> {
    let row = |z: i32| {
        let cell = |x: i32| f64::from((x - 10) * (x - 10) + (z - 10) * (z - 10)).sqrt() <= radius;
        (0..21).map(|x| if cell(x) { '3' } else { '.' }).collect()
    };
    (0..21).map(row).collect()
}

const AROUND: &str = "around = [10, 0, 10]\nround = ";

#[test]
fn a_disc_is_round_and_a_strip_is_not() {
    let disc = disc(8.0);
    let disc: Vec<&str> = disc.iter().map(String::as_str).collect();
    assert_eq!(drawn(&disc, &format!("{AROUND}0.9")), [] as [&str; 0]);
    // From elsewhere the same disc reaches less far on one side: 4 cells of 12.
    let off = drawn(&disc, "around = [14, 0, 10]\nround = 0.4");
    assert!(off.len() == 1 && off[0].starts_with("file.toml:7: round: 0.3"), "{off:?}");
    assert_eq!(drawn(&disc, "around = [14, 0, 10]\nround = 0.3"), [] as [&str; 0]);

    let strip = [".....", ".....", "33333", ".....", "....."];
    let said = drawn(&strip, "around = [2, 0, 2]\nround = 0.1");
    assert_eq!(said, ["file.toml:7: round: 0 at tick 0, expected 0.1 to 1"]);
    let dry = drawn(&["...", ".3.", "..."], "around = [1, 0, 1]\nround = 0.0");
    assert_eq!(dry, ["file.toml:7: round: no wet cell around at tick 0, expected 0 to 1"]);
}

/// Of the quarter of a disc, cells in some directions are missing altogether.
#[test]
fn every_direction_counts() {
    let disc = disc(8.0);
    for quarter in 0..4 {
        let kept = |x: usize, z: usize| match quarter {
            0 => x >= 10,
            1 => x <= 10,
            2 => z >= 10,
            _ => z <= 10,
        };
        let half: Vec<String> = (disc.iter().enumerate())
            .map(|(z, row)| {
                let cell = |(x, c)| if kept(x, z) { c } else { '.' };
                row.chars().enumerate().map(cell).collect()
            })
            .collect();
        let half: Vec<&str> = half.iter().map(String::as_str).collect();
        let said = drawn(&half, &format!("{AROUND}0.01"));
        assert_eq!(said, ["file.toml:7: round: 0 at tick 0, expected 0.01 to 1"], "{quarter}");
    }
}

#[test]
fn incomplete_measures_of_motion_are_refused() {
    let refused = |check: &str| {
        let said = std::panic::catch_unwind(|| drawn(&["3"], check));
        assert!(said.is_err(), "{check} is refused");
    };
    refused("round = 0.5");
    refused("round = 1.5\naround = [0, 0, 0]");
    refused("round = 0.5\naround = [4, 0, 0]");
    refused("around = [0, 0, 0]\ntotal = 3");
    refused("share = [0.0, 1.0]");
    refused("when = 0\noutflow_per_tick = 7");
    refused("level_while_flowing = 1.5");
}

#[test]
fn a_pool_is_level_but_for_dry_ground() {
    let pool = ["###.#", "#576#", "#####"];
    assert_eq!(drawn(&pool, "level_while_flowing = 2"), [] as [&str; 0]);
    let said = drawn(&pool, "level_while_flowing = 1");
    assert_eq!(said, ["file.toml:6: level_while_flowing: 2 at tick 0, expected 0 to 1"]);
    let said = drawn(&["###"], "level_while_flowing = 1");
    assert_eq!(said, ["file.toml:6: level_while_flowing: no surface at tick 0, expected 0 to 1"]);
}

/// A spring 6 cells above a pit of 3 by 3 cells: water falls into its middle, and fills it.
fn pit(check: &str) -> Vec<String> {
    let wall = "rows = [\"#####\", \"#...#\", \"#...#\", \"#...#\", \"#####\"]";
    let top = wall.replacen("#...#\", \"#...#\", \"#...#", "#...#\", \"#.S.#\", \"#...#", 1);
    failures(&format!(
        "automaton = \"water\"\nticks = 12\nseed = 4\n[rules]\nevaporation = 0.0\n[[layer]]\n{}\n\
         [[layer]]\nrepeat = 6\n{wall}\n[[layer]]\n{top}\n[[expect.check]]\n{check}",
        wall.replace('.', "#"),
    ))
}

/// Where it falls the surface is no surface.
#[test]
fn a_pool_that_is_fed_from_above_is_level_but_where_water_falls() {
    assert_eq!(pit("when = [8, 12]\nlevel_while_flowing = 8"), [] as [&str; 0]);
    assert_eq!(pit("when = [8, 12]\nlevel_while_flowing = 0").len(), 1);
    let spread = pit("when = [8, 12]\nspread = [0, 20]");
    assert_eq!(spread.len(), 1, "the spring is the surface of its column: {spread:?}");
    let falls = "from = [2, 2, 2]\nto = [2, 5, 2]\nwhen = [8, 12]\nfalls = true";
    assert_eq!(pit(falls), [] as [&str; 0]);
    assert_eq!(pit(&falls.replace("true", "false")).len(), 1);
}

/// A spring between two ends, one of them walled off or not.
fn ends(row: &str, check: &str) -> Vec<String> {
    failures(&format!(
        "automaton = \"water\"\nticks = 200\nseed = 4\n[rules]\nevaporation = 0.0\n[world]\n\
         west = \"drain\"\neast = \"drain\"\n[legend]\nW = \".\"\nE = \".\"\n[[layer]]\n\
         rows = [\"{row}\"]\n[[expect.check]]\nwhen = [100, \"end\"]\n{check}",
    ))
}

#[test]
fn outflow_is_counted_where_it_leaves() {
    let way = "W...S#E";
    assert_eq!(ends(way, "cells = \"W\"\noutflow_per_tick = 7\nshare = 1"), [] as [&str; 0]);
    assert_eq!(ends(way, "cells = \"E\"\noutflow_per_tick = 0\nshare = 0"), [] as [&str; 0]);
    let said = ends(way, "cells = \"W\"\nshare = [0.4, 0.6]");
    assert_eq!(said, ["file.toml:17: share: 1 at tick 200, expected 0.4 to 0.6"]);
    let said = ends(way, "cells = \"WE\"\noutflow_per_tick = [1, 6]");
    assert_eq!(said, ["file.toml:17: outflow_per_tick: 7 at tick 200, expected 1 to 6"]);
}

/// What leaves at both ends is all of it.
#[test]
fn the_shares_of_all_ends_are_one() {
    let way = "W..S..E";
    assert_eq!(ends(way, "cells = \"WE\"\nshare = 1"), [] as [&str; 0]);
    let one = |cells: &str| ends(way, &format!("cells = \"{cells}\"\nshare = [0.0, 0.5]"));
    let (west, east) = (one("W").len(), one("E").len());
    assert!(west + east <= 1, "not more than half of it at both ends");
}
