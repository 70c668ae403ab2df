//! The literal rule gives what the original gives: every level after every recorded step of its
//! U-tube.

use floodplain::glam::IVec3;
use floodplain::water2d::{Cell, Rules, Water2dWorld};
use floodplain::{Chunk, Region, Shape, Sheet};
use serde_json::Value;
use std::collections::BTreeMap;

struct Golden {
    /// From the top down.
    map: Vec<Vec<char>>,
    levels_after: BTreeMap<u64, Vec<Vec<i64>>>,
}

fn golden() -> Golden {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/golden/water_2d_u_tube.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["first_step_left_focus"], true);
    let text = |row: &Value| row.as_str().unwrap().chars().collect();
    let levels =
        |row: &Value| row.as_array().unwrap().iter().map(|level| level.as_i64().unwrap()).collect();
    let rows = |rows: &Value| rows.as_array().unwrap().iter().map(levels).collect();
    Golden {
        map: file["map"].as_array().unwrap().iter().map(text).collect(),
        levels_after: file["levels_after"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(step, levels)| (step.parse().unwrap(), rows(levels)))
            .collect(),
    }
}

/// The drawing with its lower left corner at `origin`, in a world whose first step prefers the
/// left.
fn world(golden: &Golden, origin: IVec3) -> Water2dWorld {
    let seed = (0..)
        .find(|&seed| Water2dWorld::new(seed, Rules::literal()).unwrap().prefers_left())
        .unwrap();
    let mut world = Water2dWorld::new(seed, Rules::literal()).unwrap();
    let size = IVec3::new(golden.map[0].len() as i32 - 1, golden.map.len() as i32 - 1, 0);
    for chunk in Sheet::chunks_of(Region::new(origin, origin + size)) {
        world.insert_chunk(chunk, Chunk::uniform(Cell::SOLID)).unwrap();
    }
    for (cell, glyph) in cells(golden, origin).zip(golden.map.iter().flatten()) {
        let level = match glyph {
            '#' => continue,
            '.' => 0,
            '~' => 100,
            '@' => 500,
            other => panic!("{other}"),
        };
        world.fill_water(Region::cell(cell), level).unwrap();
    }
    world
}

/// The cells of the drawing, row by row from the top.
fn cells(golden: &Golden, origin: IVec3) -> impl Iterator<Item = IVec3> + use<> {
    let [width, height] = [golden.map[0].len() as i32, golden.map.len() as i32];
    (0..height)
        .flat_map(move |row| (0..width).map(move |x| origin + IVec3::new(x, height - 1 - row, 0)))
}

fn levels_agree(origin: IVec3) {
    let golden = golden();
    assert!(golden.levels_after.len() >= 5);
    let mut world = world(&golden, origin);
    let total = world.total();
    for (&step, expected) in &golden.levels_after {
        world.run(step - world.ticks());
        for (cell, &expected) in cells(&golden, origin).zip(expected.iter().flatten()) {
            let found = world.cell(cell).unwrap();
            let found = if found.is_solid() { -1 } else { i64::from(found.level()) };
            assert_eq!(found, expected, "{cell} after step {step}");
        }
        assert_eq!((world.validate(), world.total()), (Ok(()), total));
    }
}

#[test]
fn every_level_of_the_u_tube_is_the_originals() {
    levels_agree(IVec3::ZERO);
}

#[test]
fn chunk_borders_through_the_drawing_change_nothing() {
    for origin in
        [[-10, -4, 0], [-1, -1, 3], [57, 61, 0], [60, -6, -2], [1_000_000 * 64 - 8, -5, 9]]
    {
        levels_agree(origin.into());
    }
}
