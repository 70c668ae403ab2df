//! A gorge with a dam and a lake behind it, 64 × 96 blocks, as a region file: the world of the
//! example `flood_region`.

use super::nbt::Tag;
use super::region::{self, Block, Column, Version, ZLIB};

/// The columns of chunks along x and z.
const COLUMNS: [i32; 2] = [4, 6];

/// The dam: its first and last z, its top, and the level of the lake behind it.
const DAM: [i32; 2] = [36, 38];
const CREST: i32 = 86;
const LAKE: i32 = 84;

/// The middle of the gorge at z: it winds.
fn middle(z: i32) -> i32 {
    let phase = (z + 20) % 64;
    24 + if phase < 32 { phase } else { 64 - phase } / 2
}

/// The highest ground of a column.
fn ground(x: i32, z: i32) -> i32 {
    let away = (x - middle(z)).abs();
    let bed = 74 - z / 12;
    // A flat bed, steep sides, and a plain with some waves.
    let side = (away - 6).max(0) * 2;
    let plain = 92 + (x * 5 + z * 3) % 7 / 5;
    (bed + side).min(plain)
}

fn block(x: i32, y: i32, z: i32) -> Block {
    let plain = |name| Block::named(name, "", "");
    let top = ground(x, z);
    let is_dam = (DAM[0]..=DAM[1]).contains(&z) && y <= CREST;
    let scatter = (x * 31 + z * 17) % 23;
    match top - y {
        0 if y > LAKE || z > DAM[1] => Block::named("grass_block", "snowy", "false"),
        0..=2 => plain("dirt"),
        3.. => plain(if y < 8 { "deepslate" } else { "stone" }),
        _ if is_dam => plain("stone_bricks"),
        _ if z < DAM[0] && y <= LAKE => Block::named("water", "level", "0"),
        -1 if scatter == 0 => plain("poppy"),
        -1 if scatter < 5 => plain("short_grass"),
        _ => plain("air"),
    }
}

fn column(x: i32, z: i32) -> Tag {
    Column::of(Version::Contained, [x, z], -4..8, block).tag()
}

/// The region file.
pub fn file() -> Vec<u8> {
    let places = (0..COLUMNS[1]).flat_map(|z| (0..COLUMNS[0]).map(move |x| (x, z)));
    let columns: Vec<_> =
        places.map(|(x, z)| ([x as u8, z as u8], ZLIB, column(x, z).document())).collect();
    region::file(&columns)
}
