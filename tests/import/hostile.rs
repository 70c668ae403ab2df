//! Damaged files are refused with the place of the damage, or have fewer chunks; none makes a
//! reader panic, and none takes memory that its bytes do not account for.

use floodplain::glam::IVec2;
use floodplain::import::{
    BlockRules, ColumnFault, LeftOut, RegionError, RegionFile, SectionFault, Sources, VoxError,
    WhyLeftOut,
};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, ChunkPos, Cube, Shape};
use proptest::prelude::*;
use std::collections::BTreeMap;
use support::import::nbt::{Tag, list};
use support::import::region::{Block, Column, PLAIN, Version, ZLIB, catalogue, file};
use support::import::{heightmap_laws, region_laws, vox, vox_laws};

/// A column with one section of two kinds of blocks and one of a single kind.
fn column(version: Version) -> Column {
    let blocks = catalogue(version);
    let mixed = (0..4096).map(|cell| blocks[cell % 2 * 12].0.clone()).collect();
    let sections = BTreeMap::from([(1, mixed), (2, vec![blocks[3].0.clone(); 4096])]);
    Column { version, x: 3, z: 4, sections }
}

fn region_with(document: Vec<u8>) -> Vec<u8> {
    file(&[([3, 4], PLAIN, document)])
}

fn read(bytes: Vec<u8>) -> Result<(usize, Vec<LeftOut>), RegionError> {
    let read = RegionFile::from_bytes(bytes)?.chunks(&BlockRules::default())?;
    Ok((read.chunks.len(), read.report.left_out))
}

/// The fault of the only column, at this byte.
fn fault_at(offset: usize, bytes: Vec<u8>) -> ColumnFault {
    let (chunks, left_out) = read(bytes).unwrap();
    assert_eq!((chunks, left_out.len()), (0, 1));
    match left_out.into_iter().next() {
        Some(LeftOut { at: [3, 4], offset: at, why: WhyLeftOut::Unreadable(fault) }) => {
            assert_eq!(at, offset);
            fault
        }
        other => panic!("{other:?}"),
    }
}

/// The fault of the only column, which all calls name.
fn named_fault_at(offset: usize, bytes: Vec<u8>) -> ColumnFault {
    let fault = fault_at(offset, bytes.clone());
    let region = RegionFile::from_bytes(bytes.clone()).unwrap();
    let (rules, at) = (BlockRules::default(), [3, 4]);
    match region.column(at, &rules) {
        // Only a column that lies elsewhere can be read.
        Ok(chunks) => assert!(matches!(fault, ColumnFault::Position { .. }) && !chunks.is_empty()),
        Err(error) => {
            assert_eq!(error, RegionError::Column { at, offset, fault: fault.clone() });
        }
    }
    // What cannot be read is written as it is, whatever water lies there.
    let water = |y| (ChunkPos::new(3, y, 4), Chunk::uniform(Voxel::water(WaterCell::STILL)));
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    world.insert_chunks((-4..20).map(water)).unwrap();
    let written = region.with_water(&world, &rules).unwrap();
    let why = WhyLeftOut::Unreadable(fault.clone());
    assert_eq!(written.report.left_out, [LeftOut { at, offset, why }]);
    assert!(written.bytes == bytes, "{fault}");
    fault
}

fn fault(bytes: Vec<u8>) -> ColumnFault {
    fault_at(8192, bytes)
}

#[test]
fn every_truncation_of_a_region_is_refused_or_has_the_same_chunks() {
    for version in Version::ALL {
        let bytes = file(&[([3, 4], ZLIB, column(version).tag().document())]);
        let whole = read(bytes.clone());
        let end = 8192 + 4 + u32::from_be_bytes(bytes[8192..8196].try_into().unwrap()) as usize;
        for length in (1..8192).step_by(61).chain(8191..bytes.len()) {
            let short = read(bytes[..length].to_vec());
            match length {
                0..8192 => assert_eq!(short, Err(RegionError::Header { bytes: length })),
                _ if length < end => {
                    let fault = fault(bytes[..length].to_vec());
                    assert_eq!(fault, ColumnFault::Place { file: length });
                }
                // Only the rest of the last sector is missing.
                _ => assert_eq!(short, whole),
            }
        }
    }
}

#[test]
fn every_truncation_of_a_column_is_refused_with_a_place_in_it() {
    for version in Version::ALL {
        let document = column(version).tag().document();
        for length in (0..document.len()).rev().step_by(3) {
            match fault(region_with(document[..length].to_vec())) {
                ColumnFault::Malformed { at, .. } => assert!(at <= length),
                other => panic!("{length}: {other:?}"),
            }
        }
    }
}

/// Changes a column's tag, and returns what is wrong with it then.
fn changed(version: Version, change: impl FnOnce(&mut Tag)) -> ColumnFault {
    let mut tag = column(version).tag();
    change(&mut tag);
    named_fault_at(8192, region_with(tag.document()))
}

fn section(tag: &mut Tag, at: usize) -> &mut Tag {
    let parent = if tag.get("Level").is_some() { tag.get_mut("Level") } else { tag };
    let name = if parent.get("sections").is_some() { "sections" } else { "Sections" };
    let Tag::List(_, sections) = parent.get_mut(name) else { panic!("no list") };
    &mut sections[at]
}

fn in_section(y: i32, fault: SectionFault) -> ColumnFault {
    ColumnFault::Section { y, fault }
}

#[test]
fn faults_name_what_is_wrong() {
    use Version::{Contained, Numbered, Padded, Spanning};
    let named = IVec2::new(4, 4);
    assert_eq!(
        changed(Contained, |tag| *tag.get_mut("xPos") = Tag::Int(4)),
        ColumnFault::Position { named: named.into() }
    );
    let named = IVec2::new(i32::MAX - 28, 4);
    assert_eq!(
        changed(Contained, |tag| *tag.get_mut("xPos") = Tag::Int(named.x)),
        ColumnFault::Position { named: named.into() }
    );
    let renamed = |tag: &mut Tag, name: &str| {
        let Tag::Compound(fields) = tag else { panic!("no compound") };
        fields.iter_mut().find(|(key, _)| key == name).unwrap().0 = "other".to_owned();
    };
    for name in ["xPos", "zPos", "sections"] {
        assert_eq!(changed(Contained, |tag| renamed(tag, name)), ColumnFault::Missing { name });
    }
    let other = changed(Padded, |tag| renamed(section(tag, 0), "Y"));
    assert_eq!(other, ColumnFault::Missing { name: "Y" });
    for (version, y) in [(Numbered, 1), (Spanning, 1), (Contained, 1), (Contained, 500)] {
        let twice = changed(version, |tag| *section(tag, 1).get_mut("Y") = Tag::Int(y));
        assert_eq!(twice, in_section(y, SectionFault::Place));
    }
    for (version, wanted) in [(Spanning, 256), (Padded, 256)] {
        let cut = changed(version, |tag| {
            *section(tag, 0).get_mut("BlockStates") = Tag::Longs(vec![0; 255]);
        });
        let fault = SectionFault::Length { name: "BlockStates", found: 255, wanted };
        assert_eq!(cut, in_section(1, fault));
        let wild = changed(version, |tag| {
            *section(tag, 0).get_mut("BlockStates") = Tag::Longs(vec![0x20; 256]);
        });
        assert_eq!(wild, in_section(1, SectionFault::Index { cell: 1, found: 2, states: 2 }));
        let empty = changed(version, |tag| *section(tag, 0).get_mut("Palette") = list(vec![]));
        assert_eq!(empty, in_section(1, SectionFault::NoStates));
        let nameless = changed(version, |tag| {
            let Tag::List(_, states) = section(tag, 0).get_mut("Palette") else { panic!() };
            renamed(&mut states[1], "Name");
        });
        let fault = SectionFault::State { index: 1, wanted: "the name of a block" };
        assert_eq!(nameless, in_section(1, fault));
    }
    let cut = changed(Numbered, |tag| *section(tag, 0).get_mut("Data") = Tag::Bytes(vec![1]));
    let fault = SectionFault::Length { name: "Data", found: 1, wanted: 2048 };
    assert_eq!(cut, in_section(1, fault));
}

#[test]
fn frames_of_columns_are_checked() {
    let bytes = region_with(column(Version::Contained).tag().document());
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    let entry = 4 * (3 + 32 * 4);
    assert_eq!(fault(with(8196, &[4])), ColumnFault::Compression { found: 4 });
    assert_eq!(fault(with(8196, &[0x82])), ColumnFault::External);
    assert_eq!(fault(with(8196, &[2])), ColumnFault::Inflate);
    let sectors = bytes[entry + 3];
    for length in [0, 256 * 4096, u32::MAX] {
        let found = fault(with(8192, &length.to_be_bytes()));
        assert_eq!(found, ColumnFault::Length { length, sectors });
    }
    for sector in [0, 1, 0xff_ffff_u32] {
        let place = (sector << 8 | 9).to_be_bytes();
        let found = named_fault_at(sector as usize * 4096, with(entry, &place));
        assert_eq!(found, ColumnFault::Place { file: bytes.len() });
    }
}

#[test]
fn a_few_bytes_do_not_become_gigabytes() {
    let zeros = file(&[([3, 4], ZLIB, vec![0; (1 << 24) + 1])]);
    assert!(zeros.len() < 40_000);
    assert_eq!(fault(zeros), ColumnFault::TooLong { limit: 1 << 24 });
    // A list of compounds without fields takes a byte each.
    let many = Tag::List(10, vec![Tag::Compound(Vec::new()); 1_000_000]);
    let found = changed(Version::Contained, |tag| *tag.get_mut("sections") = many.clone());
    assert!(matches!(found, ColumnFault::Malformed { wanted: "a shorter list", .. }), "{found:?}");
    let found = changed(Version::Padded, |tag| *section(tag, 0).get_mut("Palette") = many);
    let fault = |fault: &SectionFault| {
        matches!(fault, SectionFault::Malformed { wanted: "a shorter list", .. })
    };
    assert!(matches!(&found, ColumnFault::Section { y: 1, fault: found } if fault(found)));
}

#[test]
fn more_chunks_than_the_limit_are_refused() {
    let sections: BTreeMap<i32, Vec<Block>> =
        [-128, 127].into_iter().map(|y| (y, vec![Block::named("air", "", ""); 4096])).collect();
    let columns: Vec<_> = (0..257)
        .map(|at| {
            let (x, z) = (at % 32, at / 32);
            let sections = sections.clone();
            let column = Column { version: Version::Contained, x, z, sections };
            ([x as u8, z as u8], ZLIB, column.tag().document())
        })
        .collect();
    assert_eq!(read(file(&columns[..256])), Ok((65_536, Vec::new())));
    assert_eq!(read(file(&columns)), Err(RegionError::TooManyChunks));
}

/// A small file of each sort.
fn vox_file() -> Vec<u8> {
    let model = vox::Model { size: [3, 2, 4], voxels: vec![[0, 1, 3, 1], [2, 0, 0, vox::WATER]] };
    let scene = [
        vox::Node::Transform {
            child: 1,
            layer: -1,
            attributes: Vec::new(),
            frame: vec![("_r", "20".to_owned()), ("_t", "5 -6 7".to_owned())],
        },
        vox::Node::Group(vec![2]),
        vox::Node::Shape(0),
    ];
    vox::file(&[model], &scene, &[], &[])
}

fn png_file() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 5, 3);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[7; 30]).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn every_truncation_of_a_model_and_of_a_heightmap_is_refused() {
    let (vox, png) = (vox_file(), png_file());
    assert_eq!(vox_laws(&vox), Ok(1));
    assert_eq!(heightmap_laws(&png), Ok([5, 3]));
    for length in 0..vox.len() {
        match vox_laws(&vox[..length]) {
            Err(VoxError::Malformed { at, .. }) => assert!(at <= length),
            other => panic!("{length}: {other:?}"),
        }
    }
    // The chunk that ends a PNG holds nothing.
    for length in 0..png.len() - 12 {
        assert!(heightmap_laws(&png[..length]).is_err(), "{length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn changed_bytes_are_refused_or_keep_the_laws(
        version in proptest::sample::select(&Version::ALL[..]),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        is_early in any::<bool>(),
        sources in proptest::sample::select(&[Sources::Finite, Sources::Springs, Sources::Sea(30)]),
    ) {
        let changed = |mut bytes: Vec<u8>| {
            for (at, byte) in &changes {
                // Most fields lie before the long arrays.
                let length = if is_early { bytes.len().min(300) } else { bytes.len() };
                bytes[at.index(length)] = *byte;
            }
            bytes
        };
        let document = column(version).tag().document();
        let _ = region_laws(&region_with(changed(document)), sources, |_| {});
        let _ = vox_laws(&changed(vox_file()));
        let _ = heightmap_laws(&changed(png_file()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Places that overlap or lead elsewhere, wrong lengths, files that end too soon: what can be
    /// read still is after the water has been written back.
    #[test]
    fn changed_frames_keep_the_laws(
        version in proptest::sample::select(&Version::ALL[..]),
        entries in proptest::collection::vec((0..4_u8, 0..16_u32, 0..9_u32), 0..3),
        frames in proptest::collection::vec((0..8_usize, 0..5_usize, any::<u8>()), 0..3),
        cut in 0..9000_usize,
        poured in 0..4096_usize,
    ) {
        let columns: Vec<_> = (0..3_u8).map(|x| {
            let column = Column { x: x.into(), z: 0, ..column(version) };
            ([x, 0], if x == 1 { ZLIB } else { PLAIN }, column.tag().document())
        }).collect();
        let mut bytes = file(&columns);
        for (x, sector, count) in entries {
            bytes[4 * usize::from(x)..][..4].copy_from_slice(&(sector << 8 | count).to_be_bytes());
        }
        for (sector, at, byte) in frames {
            let sector = sector % (bytes.len() / 4096 - 2);
            bytes[8192 + 4096 * sector + at] = byte;
        }
        // Half of the files are whole.
        bytes.truncate(bytes.len() - cut.saturating_sub(4500));
        let written = region_laws(&bytes, Sources::Finite, |world| {
            let chunks: Vec<ChunkPos> = world.chunks().map(|(at, _)| at).collect();
            for at in chunks {
                // Solid cells take none.
                let _ = world.pour(Cube::cell_at(at, poured), 5);
            }
        });
        prop_assert!(written.is_ok());
    }
}
