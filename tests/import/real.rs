//! Columns of real worlds: `tests/data/import`.

use floodplain::glam::IVec3;
use floodplain::import::{BlockRules, Budget, RegionFile, Sources};
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use std::path::Path;
use support::import::nbt::Tag;
use support::import::region::{Block, Column, GZIP, decompressed, documents, file};
use support::import::region_laws;

/// The region file with one of the columns, as the game would store it.
fn real(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/import").join(name);
    let compressed = std::fs::read(path).unwrap();
    let decompressed = decompressed(GZIP, &compressed);
    let column = Column::of_tag(&Tag::read(&decompressed));
    file(&[([(column.x & 31) as u8, (column.z & 31) as u8], GZIP, decompressed)])
}

/// The plants in these columns that only grow in water.
const PLANTS: [&str; 4] =
    ["minecraft:kelp", "minecraft:kelp_plant", "minecraft:seagrass", "minecraft:tall_seagrass"];

/// Cells with water of each height, counted by the naive reader.
fn counted(column: &Column) -> [usize; 8] {
    let mut counts = [0; 8];
    for block in column.sections.values().flatten() {
        let level = match block {
            Block::Numbered(8 | 9, data) => i32::from(*data),
            Block::Named(name, properties) if name == "minecraft:water" => {
                properties[0].1.parse().unwrap()
            }
            Block::Named(name, _) if PLANTS.contains(&name.as_str()) => 0,
            _ => continue,
        };
        counts[if level == 0 || level > 7 { 7 } else { 8 - level as usize }] += 1;
    }
    counts
}

const COLUMNS: [(&str, ChunkPos, usize); 3] = [
    ("1.12.chunk.gz", ChunkPos::new(0, 0, 7), 16),
    ("1.17.1.chunk.gz", ChunkPos::new(0, 0, 2), 16),
    ("forge-1.20.1.nbt.gz", ChunkPos::new(0, -4, 0), 24),
];

#[test]
fn real_columns_have_the_water_that_a_naive_reader_counts() {
    for (name, lowest, chunks) in COLUMNS {
        let bytes = real(name);
        // The header is half of these files, and next to nothing of a whole one.
        let budget = Budget { base: 0, per_byte: Budget::default().per_byte / 8 };
        let region = RegionFile::from_bytes_within(bytes.clone(), budget).unwrap();
        let read = region.chunks(&BlockRules::default()).unwrap().chunks;
        assert_eq!((read[0].0, read.len()), (lowest, chunks), "{name}");
        let mut counts = [0; 8];
        for (_, chunk) in &read {
            for cell in 0..CHUNK_CELLS {
                counts[usize::from(chunk.get(cell).height())] += 1;
            }
        }
        let column = Column::of_tag(&Tag::read(&documents(&bytes)[0].1));
        assert_eq!(counts[1..], counted(&column)[1..], "{name}");
    }
}

#[test]
fn real_columns_read_back_as_the_same_water() {
    for (name, _, _) in COLUMNS {
        let bytes = real(name);
        for sources in [Sources::Finite, Sources::Springs, Sources::Sea(40)] {
            let new = region_laws(&bytes, sources, |world| {
                let tops: Vec<IVec3> =
                    world.chunks().map(|(chunk, _)| Cube::cell_at(chunk, 4000)).collect();
                for cell in tops {
                    // Solid cells take none.
                    let _ = world.pour(cell, 7);
                }
            });
            let new = new.unwrap();
            let rest = |bytes: &[u8]| {
                let names = ["Sections", "sections"];
                Tag::read(&documents(bytes)[0].1).without(&names)
            };
            assert_eq!(rest(&bytes), rest(&new), "{name}");
        }
    }
}
