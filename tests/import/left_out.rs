//! What a region file leaves out: columns that are not finished or cannot be read are named and
//! counted, and written as they were.

use fastrand::Rng;
use floodplain::import::{BlockRules, ColumnFault, LeftOut, RegionFile, RegionReport, WhyLeftOut};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, ChunkPos, ColumnPos};
use proptest::prelude::*;
use support::import::nbt::{Tag, compound, text};
use support::import::region::{Block, Column, PLAIN, Version, ZLIB, file};

fn stone_and_water(version: Version, at: [i32; 2]) -> Column {
    let block = |_, y, _| match version {
        Version::Numbered => Block::Numbered(if y < 20 { 1 } else { 9 }, 0),
        _ if y < 20 => Block::named("stone", "", ""),
        _ => Block::named("water", "level", "0"),
    };
    Column::of(version, at, 0..3, block)
}

/// The compound of a column with its sections.
fn parent(tag: &mut Tag) -> &mut Vec<(String, Tag)> {
    let parent = if tag.get("Level").is_some() { tag.get_mut("Level") } else { tag };
    let Tag::Compound(fields) = parent else { panic!("no compound") };
    fields
}

fn set(tag: &mut Tag, name: &str, value: Tag) {
    let fields = parent(tag);
    fields.retain(|(other, _)| other != name);
    fields.insert(0, (name.to_owned(), value));
}

fn report(tag: &Tag) -> (usize, RegionReport) {
    let region = RegionFile::from_bytes(file(&[([0, 0], PLAIN, tag.document())])).unwrap();
    let read = region.chunks(&BlockRules::default()).unwrap();
    // All of a column can be read, whatever the game has to do there.
    let all = region.column([0, 0], &BlockRules::default()).unwrap();
    assert!(all.len() >= read.chunks.len());
    (read.chunks.len(), read.report)
}

fn why(tag: &Tag) -> Option<WhyLeftOut> {
    let (_, report) = report(tag);
    let expected = usize::from(
        report.left_out.iter().all(|one| matches!(one.why, WhyLeftOut::BelowZero { .. })),
    );
    assert_eq!(report.columns, expected);
    report.left_out.into_iter().next().map(|left_out| left_out.why)
}

#[test]
fn columns_whose_blocks_are_placed_are_read_whatever_their_status() {
    let placed = ["full", "light", "spawn", "heightmaps", "lighted", "mobs_spawned", "finalized"];
    let placed = placed.into_iter().chain(["fullchunk", "postprocessed", "of_a_mod"]);
    let unfinished = ["empty", "structure_starts", "structure_references", "biomes", "noise"];
    let unfinished = unfinished.into_iter().chain(["surface", "carvers", "liquid_carvers"]);
    let unfinished =
        unfinished.chain(["features", "initialize_light", "base", "carved", "decorated"]);
    for version in [Version::Spanning, Version::Padded, Version::Contained] {
        for prefix in ["", "minecraft:"] {
            let with = |status: &str| {
                let status = format!("{prefix}{status}");
                let mut tag = stone_and_water(version, [0, 0]).tag();
                set(&mut tag, "Status", text(&status));
                (why(&tag), status)
            };
            for status in placed.clone() {
                assert_eq!(with(status).0, None, "{version:?} {status}");
            }
            for status in unfinished.clone() {
                let (why, status) = with(status);
                assert_eq!(why, Some(WhyLeftOut::Unfinished { status }), "{version:?}");
            }
        }
    }
}

#[test]
fn columns_before_1_13_are_read_once_they_are_populated() {
    let with = |populated: Option<i8>| {
        let mut tag = stone_and_water(Version::Numbered, [0, 0]).tag();
        if let Some(populated) = populated {
            set(&mut tag, "TerrainPopulated", Tag::Byte(populated));
        }
        why(&tag)
    };
    assert_eq!((with(None), with(Some(1))), (None, None));
    let status = "TerrainPopulated".to_owned();
    assert_eq!(with(Some(0)), Some(WhyLeftOut::Unfinished { status }));
}

/// A column of 1.17 in a world that was upgraded: its own blocks are finished, and the game is at
/// work on those below 0.
#[test]
fn upgraded_columns_are_read_down_to_what_is_made() {
    let upgraded = |status: &str, before: &str, made: i32| {
        let plain = |name| Block::named(name, "", "");
        let column = Column::of(Version::Contained, [0, 0], -4..3, |_, y, _| match y {
            _ if y < made * 16 => plain("air"),
            ..20 => plain("stone"),
            _ => Block::named("water", "level", "0"),
        });
        let mut tag = column.tag();
        set(&mut tag, "Status", text(status));
        let before = compound([("target_status", text(before))]);
        set(&mut tag, "below_zero_retrogen", before);
        tag
    };
    for status in ["minecraft:empty", "minecraft:structure_starts", "minecraft:spawn"] {
        for (made, sections) in [(0, 4), (-2, 2)] {
            let tag = upgraded(status, "minecraft:full", made);
            let (chunks, report) = report(&tag);
            let why = WhyLeftOut::BelowZero { sections };
            let left_out = vec![LeftOut { at: [0, 0], offset: 8192, why }];
            assert_eq!((chunks, report), (7 - sections, RegionReport { columns: 1, left_out }));
        }
        assert_eq!(why(&upgraded(status, "minecraft:full", -4)), None);
        let unfinished = WhyLeftOut::Unfinished { status: "minecraft:features".to_owned() };
        assert_eq!(why(&upgraded(status, "minecraft:features", 0)), Some(unfinished));
        assert_eq!(why(&upgraded(status, "minecraft:full", 9)), Some(WhyLeftOut::NoBlocks));
    }
}

#[test]
fn reports_count_left_out_columns_in_a_line() {
    let mut columns = Vec::new();
    for x in 0..6 {
        let mut tag = stone_and_water(Version::Contained, [x, 0]).tag();
        match x {
            1 | 2 => set(&mut tag, "Status", text("noise")),
            3 => set(&mut tag, "sections", Tag::List(10, Vec::new())),
            4 => set(&mut tag, "xPos", Tag::Int(9)),
            _ => {}
        }
        columns.push(([x as u8, 0], PLAIN, tag.document()));
    }
    let region = RegionFile::from_bytes(file(&columns)).unwrap();
    let report = region.chunks(&BlockRules::default()).unwrap().report;
    let line = "2 columns, 2 unfinished, 1 without blocks, 1 unreadable; the first: column 1, 0, \
                at byte 20480: its blocks are unfinished (noise)";
    assert_eq!(report.to_string(), line);
}

/// Water of random heights, which does not compress well.
fn rough_water(rng: &mut Rng) -> Chunk<Voxel> {
    let height = |rng: &mut Rng| Voxel::water(WaterCell::with_height(rng.u8(0..8)).unwrap());
    Chunk::from_cells(&std::array::from_fn(|_| height(rng)))
}

/// A world with rough water in the sections of 1.18 of a row of columns.
fn rough_world(columns: i32, sections: std::ops::Range<i32>, seed: u64) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    for x in 0..columns {
        for y in sections.clone() {
            world.insert_chunk(ChunkPos::new(x, y, 0), rough_water(&mut rng)).unwrap();
        }
    }
    world
}

fn entry(file: &[u8], x: usize) -> [u8; 4] {
    file[4 * x..][..4].try_into().unwrap()
}

/// The sectors of a column in the first row, as many as the file has.
fn sectors(file: &[u8], x: usize) -> &[u8] {
    let [high, middle, low, count] = entry(file, x);
    let start = u32::from_be_bytes([0, high, middle, low]) as usize * 4096;
    &file[start..(start + usize::from(count) * 4096).min(file.len())]
}

#[test]
fn a_bad_column_is_named_and_passes_through_byte_by_byte() {
    let sound: Vec<_> = (0..8_u8)
        .map(|x| {
            let document = stone_and_water(Version::Contained, [i32::from(x), 0]).tag().document();
            ([x, 0], ZLIB, document)
        })
        .collect();
    let mut bytes = file(&sound);
    // One with another compression, two that are stored as LZ4 or elsewhere, one that is damaged,
    // one at another's place, and the last cut short.
    let start = |x: usize| 8192 + 4096 * x;
    bytes[start(2) + 4] = 77;
    bytes[start(3) + 4] = 4;
    bytes[start(4) + 4] = 0x82;
    bytes[start(5) + 20] ^= 0xff;
    let moved = file(&[([6, 0], ZLIB, sound[0].2.clone())]);
    bytes[start(6)..start(7)].copy_from_slice(&moved[8192..]);
    let cut = bytes.len() - 4096 + 100;
    bytes.truncate(cut);
    // A place beyond the end of the file has no bytes that could pass.
    bytes[4 * 9..][..4].copy_from_slice(&[0, 1, 0, 1]);

    let region = RegionFile::from_bytes(bytes.clone()).unwrap();
    let rules = BlockRules::default();
    let written = region.with_water(&rough_world(8, 0..3, 3), &rules).unwrap();
    assert_eq!(written.report.columns, 2);
    let faults = [
        (2, ColumnFault::Compression { found: 77 }),
        (3, ColumnFault::Compression { found: 4 }),
        (4, ColumnFault::External),
        (5, ColumnFault::Inflate),
        (6, ColumnFault::Position { named: ColumnPos::new(0, 0) }),
        (7, ColumnFault::Place { file: cut }),
    ];
    let named: Vec<_> = faults
        .into_iter()
        .map(|(x, fault)| {
            let why = WhyLeftOut::Unreadable(fault);
            LeftOut { at: [x as u8, 0], offset: start(x), why }
        })
        .collect();
    assert_eq!(written.report.left_out[..6], named);
    assert_eq!(written.report.left_out[6].at, [9, 0]);
    assert_eq!(region.chunks(&rules).unwrap().report, written.report);
    for x in 2..8 {
        assert_eq!(entry(&bytes, x), entry(&written.bytes, x));
        let (old, new) = (sectors(&bytes, x), sectors(&written.bytes, x));
        assert!(new[..old.len()] == *old, "column {x}");
    }
    assert_eq!(entry(&written.bytes, 9), [0; 4]);

    // The sound ones have the new water, and nothing else has come to be sound.
    let again = RegionFile::from_bytes(written.bytes).unwrap();
    let read = again.chunks(&rules).unwrap();
    assert_eq!((read.report.columns, read.report.left_out.len()), (2, 6));
    let world = rough_world(8, 0..3, 3);
    assert_eq!(read.chunks.len(), 14);
    for (at, chunk) in read.chunks.into_iter().filter(|(at, _)| at.y >= 0) {
        assert!(*world.chunk(at).unwrap() == chunk, "{at}");
    }
}

#[test]
fn a_misplaced_column_can_be_read_by_itself() {
    let misplaced = stone_and_water(Version::Contained, [70, -3]);
    let bytes = file(&[([1, 1], ZLIB, misplaced.tag().document())]);
    let region = RegionFile::from_bytes(bytes).unwrap();
    let rules = BlockRules::default();
    assert_eq!(region.chunks(&rules).unwrap().chunks, Vec::new());
    let chunks = region.column([1, 1], &rules).unwrap();
    let right = file(&[(misplaced.place(), ZLIB, misplaced.tag().document())]);
    let right = RegionFile::from_bytes(right).unwrap().chunks(&rules).unwrap().chunks;
    assert_eq!((chunks[0].0, &chunks), (ChunkPos::new(70, -4, -3), &right));
}

#[test]
fn overlapping_columns_are_read_once_or_not_at_all() {
    let columns: Vec<_> = (0..3_u8)
        .map(|x| {
            let tag = stone_and_water(Version::Contained, [i32::from(x), 0]).tag();
            ([x, 0], PLAIN, tag.document())
        })
        .collect();
    let mut bytes = file(&columns);
    let whole = u32::from_be_bytes(entry(&bytes, 1)) >> 8;
    // Two more places for column 1, and one that begins within column 2.
    for x in [5, 7] {
        let same = entry(&bytes, 1);
        bytes[4 * x..][..4].copy_from_slice(&same);
    }
    let third = u32::from_be_bytes(entry(&bytes, 2)) >> 8;
    let within = ((third + 1) << 8 | 1).to_be_bytes();
    bytes[4 * 6..][..4].copy_from_slice(&within);
    let at = (third as usize + 1) * 4096;
    bytes[at..at + 5].copy_from_slice(&[0, 0, 0, 9, 3]);

    let region = RegionFile::from_bytes(bytes.clone()).unwrap();
    let read = region.chunks(&BlockRules::default()).unwrap();
    let left_out = |x: u8, sector: u32, with: u8| LeftOut {
        at: [x, 0],
        offset: sector as usize * 4096,
        why: WhyLeftOut::Unreadable(ColumnFault::Overlap { with: [with, 0] }),
    };
    let expected = [(2, third, 6), (5, whole, 1), (6, third + 1, 2), (7, whole, 1)];
    assert_eq!(read.report.left_out, expected.map(|(x, at, with)| left_out(x, at, with)));
    assert_eq!(read.report.columns, 2);
    // Column 1 is written elsewhere, because its sectors are others' as well.
    let world = rough_world(8, 0..3, 5);
    let written = region.with_water(&world, &BlockRules::default()).unwrap().bytes;
    for x in [2, 5, 6, 7] {
        assert!(
            entry(&bytes, x) == entry(&written, x) && sectors(&bytes, x) == sectors(&written, x)
        );
    }
    assert!(entry(&bytes, 1) != entry(&written, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Sectors are used again: a file that is written again and again has a bound.
    #[test]
    fn files_do_not_grow_without_end(seed in any::<u64>()) {
        let columns: Vec<_> = (0..4_u8).map(|x| {
            let tag = stone_and_water(Version::Contained, [i32::from(x), 0]).tag();
            ([x, 0], ZLIB, tag.document())
        }).collect();
        let mut bytes = file(&columns);
        let mut sizes = Vec::new();
        for turn in 0..4 {
            // From one sector to several, and back.
            let sections = if turn % 2 == 0 { 0..3 } else { 0..1 };
            let world = rough_world(4, sections, seed ^ turn);
            let region = RegionFile::from_bytes(bytes).unwrap();
            bytes = region.with_water(&world, &BlockRules::default()).unwrap().bytes;
            prop_assert_eq!(bytes.len() % 4096, 0);
            let read = RegionFile::from_bytes(bytes.clone()).unwrap();
            let read = read.chunks(&BlockRules::default()).unwrap();
            prop_assert_eq!(read.report, RegionReport { columns: 4, left_out: Vec::new() });
            for (at, chunk) in read.chunks {
                prop_assert!(world.chunk(at).is_none_or(|wanted| *wanted == chunk), "{}", at);
            }
            sizes.push(bytes.len());
        }
        prop_assert!(sizes[3] <= 2 * sizes[0], "{:?}", sizes);
    }
}
