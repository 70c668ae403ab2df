//! Region files of every version: read cell by cell, and written back with all that is not water as
//! it was.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::import::{BlockRules, RegionChunks, RegionFile, RegionReport, Sources};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::import::nbt::Tag;
use support::import::region::{
    Block, Column, GZIP, Holds, PLAIN, Version, ZLIB, catalogue, documents, file,
};
use support::import::sea::sea;
use support::import::{gorge, region_laws};

/// A random column of one to three sections at a place of any sign, whose section at 3 has room for
/// water to move.
fn column(version: Version, seed: u64) -> Column {
    let mut rng = Rng::with_seed(seed);
    let blocks = catalogue(version);
    let mut sections = BTreeMap::new();
    for y in 2..=2 + rng.i32(0..=2) {
        // Few kinds or all, so that indices of several widths are there.
        let kinds = [1, 2, 5, blocks.len()][rng.usize(..4)];
        let air = blocks.iter().position(|(_, holds)| *holds == Holds::Units(0)).unwrap();
        let kinds: Vec<usize> =
            (0..kinds).map(|_| rng.usize(..blocks.len())).chain([air]).collect();
        let block = |_| blocks[kinds[rng.usize(..kinds.len())]].0.clone();
        sections.insert(y, (0..CHUNK_CELLS).map(block).collect());
    }
    let at = [-1, 0, 5, -100_000][rng.usize(..4)];
    Column { version, x: at, z: 31, sections }
}

fn region_of(column: &Column, compression: u8) -> Vec<u8> {
    file(&[(column.place(), compression, column.tag().document())])
}

/// What a cell holds, by the table in the documentation.
fn voxel(holds: Holds, is_sea: bool, sources: Sources) -> Voxel {
    let still = |height| Voxel::water(WaterCell::with_height(height).unwrap());
    match (holds, sources) {
        (Holds::Ground, _) => Voxel::SOLID,
        (Holds::Units(height), _) => still(height),
        (Holds::Source, Sources::Springs) => Voxel::water(WaterCell::SOURCE),
        (Holds::Source, Sources::Sea(_)) if is_sea => Voxel::SEA,
        (Holds::Source, _) => still(7),
    }
}

fn sources() -> impl Strategy<Value = Sources> {
    prop_oneof![Just(Sources::Finite), Just(Sources::Springs), (30..64_i32).prop_map(Sources::Sea),]
}

fn version() -> impl Strategy<Value = Version> {
    proptest::sample::select(&Version::ALL[..])
}

/// Some edits in the column's sections, from all that change what a cell holds.
fn change(world: &mut WaterWorld, column: &Column, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..rng.usize(..40) {
        let y = rng.i32(1..=5);
        let corner = Cube::cell_at(ChunkPos::new(column.x, y, column.z), 0);
        // A column may lie at the end of all coordinates.
        let cell = corner.wrapping_add(IVec3::new(rng.i32(..16), rng.i32(..16), rng.i32(..16)));
        let done = match rng.u8(..6) {
            0 => world.set_solid(cell).map(drop),
            1 => world.clear_solid(cell).map(drop),
            2 => world.pour(cell, rng.u32(1..=7)).map(drop),
            3 => world.scoop(cell, rng.u32(1..=7)).map(drop),
            4 => world.add_source(cell).map(drop),
            _ => world.set_sea(cell).map(drop),
        };
        // Solid cells hold no water: that is refused.
        let _ = done;
    }
}

/// The names of the fields that store blocks.
const STATES: [&str; 7] = ["Blocks", "Add", "Data", "Palette", "BlockStates", "palette", "data"];

/// Compares all that is no block, and the sections that both have; new ones come last.
fn check_rest(old: &Tag, new: &Tag) {
    let sections = |tag: &Tag| -> Vec<Tag> {
        let parent = tag.get("Level").unwrap_or(tag);
        let sections = parent.get("Sections").or(parent.get("sections")).expect("sections");
        sections.elements().iter().map(|tag| tag.clone().without(&STATES)).collect()
    };
    let rest = |tag: &Tag| tag.clone().without(&["Sections", "sections"]);
    assert_eq!(rest(old), rest(new));
    let (old, new) = (sections(old), sections(new));
    assert_eq!(old[..], new[..old.len()]);
}

fn is_a_source(block: &Block) -> bool {
    *block == Block::named("water", "level", "0") || *block == Block::Numbered(9, 0)
}

/// Checks that a block differs only if its cell holds something else. Full cells may become sea or
/// inland where there is a sea.
fn check_blocks(old: &[u8], new: &[u8], sources: Sources) {
    let rules = BlockRules { sources, ..BlockRules::default() };
    let chunks =
        |bytes: &[u8]| RegionFile::from_bytes(bytes).unwrap().chunks(&rules).unwrap().chunks;
    let (held, holds) = (chunks(old), chunks(new));
    for ((place, old), (_, new)) in documents(old).into_iter().zip(documents(new)) {
        let (old, new) = (Tag::read(&old), Tag::read(&new));
        check_rest(&old, &new);
        let (old, new) = (Column::of_tag(&old), Column::of_tag(&new));
        assert_eq!(place, [(old.x & 31) as u8, (old.z & 31) as u8]);
        for (y, blocks) in &old.sections {
            let at = IVec3::new(old.x, *y, old.z);
            let chunk =
                held.iter().position(|(position, _)| *position == at.into()).expect("its chunk");
            for (cell, block) in blocks.iter().enumerate() {
                let (held, holds) = (held[chunk].1.get(cell), holds[chunk].1.get(cell));
                let is_full =
                    [held, holds].iter().all(|voxel| voxel.is_sea() || voxel.height() == 7);
                if matches!(sources, Sources::Sea(_)) && is_full {
                    continue;
                }
                let is_same = held == holds;
                let is_kept = *block == new.sections[y][cell];
                // A spring where the rules have none: full as before, but a source in the file.
                let is_source = is_a_source(&new.sections[y][cell]);
                assert!(is_kept == is_same || is_same && is_source, "cell {cell} of {at}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_version_is_read_cell_by_cell(
        version in version(),
        seed in any::<u64>(),
        sources in sources(),
        compression in proptest::sample::select(&[GZIP, ZLIB, PLAIN][..]),
    ) {
        let column = column(version, seed);
        let region = RegionFile::from_bytes(region_of(&column, compression)).unwrap();
        let rules = BlockRules { sources, ..BlockRules::default() };
        let RegionChunks { chunks, report } = region.chunks(&rules).unwrap();
        prop_assert_eq!(report, RegionReport { columns: 1, left_out: Vec::new() });
        let holds: BTreeMap<Block, Holds> = catalogue(version).into_iter().collect();
        let low = *version.span().start();
        let high = if version == Version::Contained {
            *column.sections.keys().last().unwrap()
        } else {
            15
        };
        prop_assert_eq!(chunks.len() as i32, high - low + 1);
        let cells = column.sections.iter().flat_map(|(&y, blocks)| {
            let at = move |at: i32| [at % 16, y * 16 + at / 256, at / 16 % 16];
            (0..).map(at).zip(blocks.iter().map(|block| holds[block]))
        });
        let cells: BTreeMap<[i32; 3], Holds> = cells.collect();
        let is_sea = match sources {
            Sources::Sea(level) => sea(&cells, level),
            _ => BTreeSet::new(),
        };
        for (y, (position, chunk)) in (low..=high).zip(&chunks) {
            prop_assert_eq!(*position, ChunkPos::new(column.x, y, column.z));
            for cell in 0..CHUNK_CELLS {
                let at = [cell as i32 % 16, y * 16 + cell as i32 / 256, cell as i32 / 16 % 16];
                let wanted = cells.get(&at).map_or(Voxel::OPEN, |&holds| {
                    voxel(holds, is_sea.contains(&at), sources)
                });
                prop_assert_eq!(chunk.get(cell), wanted, "cell {} of {}", cell, position);
            }
        }
        prop_assert_eq!(region.column(column.place(), &rules), Ok(chunks));
        prop_assert!(region.columns().eq([column.place()]));
    }

    #[test]
    fn water_is_written_back_and_all_else_is_kept(
        version in version(),
        seed in any::<u64>(),
        sources in sources(),
    ) {
        let column = column(version, seed);
        let old = region_of(&column, ZLIB);
        let new = region_laws(&old, sources, |world| change(world, &column, seed)).unwrap();
        check_blocks(&old, &new, sources);
    }
}

#[test]
fn a_world_without_the_column_leaves_the_file_as_it_was() {
    for version in Version::ALL {
        let old = region_of(&column(version, 3), GZIP);
        let region = RegionFile::from_bytes(old.clone()).unwrap();
        let world = WaterWorld::new(1, Rules::default()).unwrap();
        assert_eq!(region.with_water(&world, &BlockRules::default()).unwrap().bytes, old);
    }
}

#[test]
fn water_rises_into_sections_that_were_not_stored() {
    for version in Version::ALL {
        let air = catalogue(version).into_iter().find(|(_, holds)| *holds == Holds::Units(0));
        let sections = BTreeMap::from([(0, vec![air.unwrap().0; 4096]), (4, vec![])]);
        let mut column = Column { version, x: 0, z: 0, sections };
        column.sections.insert(4, column.sections[&0].clone());
        let old = region_of(&column, ZLIB);
        let region = RegionFile::from_bytes(old.clone()).unwrap();
        let rules = BlockRules::default();
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        world.insert_chunks(region.chunks(&rules).unwrap().chunks).unwrap();
        let cell = IVec3::new(3, 35, 8);
        world.pour(cell, 5).unwrap();
        let new = region.with_water(&world, &rules).unwrap().bytes;
        check_blocks(&old, &new, Sources::Finite);
        let new = RegionFile::from_bytes(new).unwrap().chunks(&rules).unwrap().chunks;
        let chunk = new.iter().find(|(position, _)| position.y == 2).unwrap();
        assert_eq!(chunk.1.get(Cube::index_of(cell)).height(), 5, "{version:?}");
        assert_eq!(new.iter().map(|(_, chunk)| chunk.units()).sum::<u64>(), 5);
    }
}

/// Writes one cell that held `block`, and returns the block then.
fn written(block: &Block, voxel: Voxel, sources: Sources) -> Block {
    let version = match block {
        Block::Named(..) => Version::Contained,
        Block::Numbered(..) => Version::Numbered,
    };
    let mut blocks = vec![block.clone(); 4096];
    // A second kind, so that the palette does not consist of the first.
    blocks[7] = catalogue(version)[20].0.clone();
    let column = Column { version, x: 0, z: 0, sections: BTreeMap::from([(0, blocks)]) };
    let region = RegionFile::from_bytes(region_of(&column, ZLIB)).unwrap();
    let rules = BlockRules { sources, ..BlockRules::default() };
    let mut chunks = region.chunks(&rules).unwrap().chunks;
    let chunk = chunks.iter_mut().find(|(position, _)| position.y == 0).unwrap();
    chunk.1.set(1000, voxel);
    let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
    world.insert_chunks(chunks).unwrap();
    let new = region.with_water(&world, &rules).unwrap().bytes;
    let new = Column::of_tag(&Tag::read(&documents(&new)[0].1));
    assert_eq!(new.sections[&0][999], *block, "its neighbour stays");
    new.sections[&0][1000].clone()
}

#[test]
fn blocks_give_way_to_water_as_documented() {
    let still = |height| Voxel::water(WaterCell::with_height(height).unwrap());
    let water = |level: u8| Block::named("water", "level", &level.to_string());
    let block = |name| Block::named(name, "", "");
    let rail = |value| Block::named("rail", "waterlogged", value);
    let (air, stone, spring) = (block("air"), block("stone"), Voxel::water(WaterCell::SOURCE));
    let slab = Block::named("oak_slab", "waterlogged", "true");
    use Sources::{Finite, Sea, Springs};
    for (old, voxel, sources, new) in [
        (water(0), still(6), Finite, water(2)),
        (water(0), still(1), Finite, water(7)),
        (water(0), Voxel::OPEN, Finite, air.clone()),
        (water(8), still(7), Finite, water(8)),
        (water(3), still(7), Finite, water(0)),
        (air.clone(), still(7), Springs, water(8)),
        (air.clone(), spring, Springs, water(0)),
        (air.clone(), spring, Finite, water(0)),
        (air.clone(), Voxel::SEA, Sea(63), water(0)),
        (air.clone(), still(7), Sea(63), water(8)),
        (air.clone(), still(7), Sea(-1), water(0)),
        (block("poppy"), still(3), Finite, water(5)),
        (block("kelp"), still(3), Finite, water(5)),
        (block("kelp"), Voxel::OPEN, Finite, air.clone()),
        (rail("true"), Voxel::OPEN, Finite, rail("false")),
        (rail("false"), still(7), Finite, rail("true")),
        (rail("true"), still(4), Finite, water(4)),
        (slab.clone(), Voxel::SOLID, Finite, slab.clone()),
        (slab, Voxel::OPEN, Finite, air.clone()),
        (air, Voxel::SOLID, Finite, stone.clone()),
        (stone, still(2), Finite, water(6)),
        (Block::Numbered(66, 5), still(2), Finite, Block::Numbered(9, 6)),
        (Block::Numbered(3000, 7), Voxel::OPEN, Finite, Block::Numbered(0, 0)),
        (Block::Numbered(8, 0), Voxel::SOLID, Finite, Block::Numbered(1, 0)),
    ] {
        assert_eq!(written(&old, voxel, sources), new, "{old:?} {voxel:?} {sources:?}");
    }
}

#[test]
fn a_function_of_the_callers_says_what_is_open() {
    let bytes = gorge::file();
    let region = RegionFile::from_bytes(bytes).unwrap();
    let flooded = |is_open| {
        let rules = BlockRules { is_open, ..BlockRules::default() };
        let chunks = region.column([1, 1], &rules).unwrap();
        chunks.iter().any(|(_, chunk)| (0..4096).any(|cell| chunk.get(cell).is_solid()))
    };
    assert!(flooded(&floodplain::import::is_open_block));
    assert!(!flooded(&|_| true));
}

#[test]
fn a_file_without_bytes_has_no_columns() {
    let region = RegionFile::from_bytes(Vec::new()).unwrap();
    let world = WaterWorld::new(1, Rules::lossless()).unwrap();
    assert_eq!(region.columns().count(), 0);
    let written = region.with_water(&world, &BlockRules::default()).unwrap();
    assert_eq!((written.bytes, written.report), (Vec::new(), RegionReport::default()));
    assert_eq!(region.column([32, 0], &BlockRules::default()), Ok(Vec::new()));
}

/// The region of the example is the one that is described in the code.
#[test]
fn the_region_of_the_example_is_the_gorge() {
    let wanted = gorge::file();
    let copy = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("gorge.mca");
    std::fs::write(&copy, &wanted).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/gorge.mca");
    let found = std::fs::read(path).expect("the file of the example");
    assert_eq!(documents(&found), documents(&wanted), "copy {} to {path}", copy.display());
}
