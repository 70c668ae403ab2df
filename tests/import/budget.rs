//! Time bounds.
use floodplain::import::{BlockRules, RegionFile, VoxFile, VoxRules};
use std::collections::BTreeMap;
use std::time::Instant;
use support::import::nbt::{Tag, compound, list, text};
use support::import::region::{Column, Version, ZLIB, catalogue, file};
use support::import::vox;

fn column(version: Version) -> Column {
    let blocks = catalogue(version);
    let mixed: Vec<_> = (0..4096).map(|cell| blocks[cell % 2 * 12].0.clone()).collect();
    let sections = (0..16).map(|y| (y, mixed.clone())).collect();
    Column { version, x: 0, z: 0, sections }
}

fn timed(name: &str, bytes: usize, run: impl FnOnce() -> String) {
    let start = Instant::now();
    let said = run();
    let took = start.elapsed().as_secs_f64();
    eprintln!("{name}: {bytes} bytes, {took:.2} s, {:.1} s/MB: {said}", took / bytes as f64 * 1e6);
}

fn region(name: &str, bytes: Vec<u8>) {
    timed(name, bytes.len(), || {
        let read = RegionFile::from_bytes(bytes.clone()).unwrap();
        format!(
            "{:?}",
            read.chunks(&BlockRules::default()).map(|c| (c.chunks.len(), c.report.to_string()))
        )
    });
}

#[test]
fn before() {
    // 16 MB of tiny fields
    let mut tag = column(Version::Contained).tag();
    let Tag::Compound(fields) = &mut tag else { panic!() };
    fields.insert(
        0,
        (
            "a".into(),
            Tag::List(10, vec![Tag::Compound(vec![(String::new(), Tag::Byte(0))]); 3_000_000]),
        ),
    );
    let many: Vec<_> = (0..2_000_000).map(|_| (String::new(), Tag::Byte(1))).collect();
    for field in many {
        fields.insert(1, field);
        if fields.len() > 30 {
            break;
        }
    }
    let document = tag.document();
    let one = file(&[([0, 0], ZLIB, document.clone())]);
    region("one of tiny fields", one);
    let columns: Vec<_> = (0..40u8)
        .map(|at| {
            let mut tag = tag.clone();
            *tag.get_mut("xPos") = Tag::Int((at % 32).into());
            *tag.get_mut("zPos") = Tag::Int((at / 32).into());
            ([at % 32, at / 32], ZLIB, tag.document())
        })
        .collect();
    region("forty of tiny fields", file(&columns));
    // tiny at the root
    let mut tag = column(Version::Contained).tag();
    let Tag::Compound(fields) = &mut tag else { panic!() };
    let mut many: Vec<_> = (0..4_000_000).map(|_| (String::new(), Tag::Byte(1))).collect();
    many.append(fields);
    *fields = many;
    let columns: Vec<_> = (0..20u8)
        .map(|at| {
            *tag.get_mut("xPos") = Tag::Int((at % 32).into());
            *tag.get_mut("zPos") = Tag::Int((at / 32).into());
            ([at % 32, at / 32], ZLIB, tag.document())
        })
        .collect();
    region("twenty with fields at the root", file(&columns));
    // states
    for version in [Version::Contained, Version::Numbered] {
        let mut c = column(version);
        for (y, blocks) in c.sections.iter_mut() {
            for (at, block) in blocks.iter_mut().enumerate() {
                *block = match version {
                    Version::Numbered => support::import::region::Block::Numbered(
                        (at / 16) as u16 + 256 * (*y as u16 % 2),
                        at as u8 % 16,
                    ),
                    _ => support::import::region::Block::named(
                        "a",
                        "b",
                        &(at + 4096 * *y as usize).to_string(),
                    ),
                };
            }
        }
        let columns: Vec<_> = (0..8u8)
            .map(|at| {
                c.x = at.into();
                ([at, 0], ZLIB, c.tag().document())
            })
            .collect();
        region(&format!("states {version:?}"), file(&columns));
    }
    // shared
    let mut c = column(Version::Contained);
    for y in -4..20 {
        c.sections.insert(y, c.sections[&0].clone());
    }
    let mut bytes = file(&[([0, 0], 3, c.tag().document())]);
    let entry: [u8; 4] = bytes[..4].try_into().unwrap();
    for at in 0..1024 {
        bytes[4 * at..][..4].copy_from_slice(&entry);
    }
    region("1024 places on one column", bytes);
    let model = vox::Model {
        size: [256, 256, 4],
        voxels: (0..200_000u32).map(|i| [i as u8, (i >> 8) as u8, (i >> 16) as u8, 1]).collect(),
    };
    let mut scene = vec![vox::Node::Group(vec![1; 1340])];
    scene.push(vox::Node::Shape(0));
    let bytes = vox::file(&[model], &scene, &[], &[]);
    timed("vox", bytes.len(), || {
        format!(
            "{:?}",
            VoxFile::from_bytes(&bytes).unwrap().chunks(&VoxRules::default()).map(|c| c.chunks.len())
        )
    });
    let _ = (compound([]), list(vec![]), text(""), BTreeMap::<u8, u8>::new());
}
