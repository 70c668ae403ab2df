//! The sea of a region is what hangs together with it; lakes in caves are inland.

use floodplain::glam::IVec3;
use floodplain::import::{BlockRules, Inland, RegionFile, Sources};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Cube, Shape};
use support::import::nbt::{Tag, compound, text};
use support::import::region::{Block, Column, Version, ZLIB, file};

/// The level of the sea.
const LEVEL: i32 = 40;

/// Rock of two columns, whose sea lies above x = 0 to 7, with a channel at its bottom into the
/// second column. In the rock of that are two lakes of sources, at y = 5 and 12, and an open shaft
/// from one to the other. A pond on top lies above the level.
fn block(x: i32, y: i32, z: i32) -> Block {
    let plain = |name| Block::named(name, "", "");
    let source = || Block::named("water", "level", "0");
    let is_cave = (18..=26).contains(&x) && (2..=9).contains(&z) && (3..=16).contains(&y);
    let is_ledge = (18..=21).contains(&x) && (3..=11).contains(&y);
    match (x, y) {
        _ if y <= 1 => plain("bedrock"),
        (..=7, 32..=LEVEL) => source(),
        (8..=20, 32) if z == 8 => source(),
        (10..=11, 45) if z == 3 => source(),
        _ if is_cave && is_ledge => plain("stone"),
        (..=21, 12) if is_cave => source(),
        (_, 3..=5) if is_cave => source(),
        _ if is_cave => plain("cave_air"),
        _ if y <= 44 && (x > 7 || y < 32) => plain("stone"),
        _ => plain("air"),
    }
}

fn region() -> RegionFile {
    let columns = [0, 1].map(|x| {
        let column = Column::of(Version::Contained, [x, 0], 0..3, block);
        (column.place(), ZLIB, column.tag().document())
    });
    RegionFile::from_bytes(file(&columns)).unwrap()
}

fn rules(inland: Inland) -> BlockRules<'static> {
    BlockRules { sources: Sources::Sea(LEVEL), inland, ..BlockRules::default() }
}

fn world(region: &RegionFile, rules: &BlockRules<'_>) -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunks(region.chunks(rules).unwrap().chunks).unwrap();
    world
}

const OCEAN: IVec3 = IVec3::new(0, LEVEL, 0);
const CHANNEL: IVec3 = IVec3::new(20, 32, 8);
const LEDGE: IVec3 = IVec3::new(18, 12, 2);
const FLOOR: IVec3 = IVec3::new(26, 5, 9);
const POND: IVec3 = IVec3::new(10, 45, 3);

#[test]
fn lakes_in_caves_are_inland_and_come_to_rest() {
    let region = region();
    let still = Voxel::water(WaterCell::STILL);
    let spring = Voxel::water(WaterCell::SOURCE);
    for (inland, held) in [(Inland::Still, still), (Inland::Springs, spring)] {
        let world = world(&region, &rules(inland));
        for (at, wanted) in
            [(OCEAN, Voxel::SEA), (CHANNEL, Voxel::SEA), (LEDGE, held), (FLOOR, held), (POND, held)]
        {
            assert_eq!(world.voxel(at), Some(wanted), "{at} {inland:?}");
        }
    }
    let mut world = world(&region, &rules(Inland::Still));
    let total = world.total();
    let ticks = (0..2000).find(|_| {
        world.step();
        world.is_at_rest()
    });
    assert!(ticks.is_some(), "it flows for ever: {:?}", world.ledger());
    let ledger = world.ledger();
    assert_eq!((world.total(), ledger.from_sea, ledger.into_sea), (total, 0, 0));
    assert!(world.units(LEDGE) < 7, "the upper lake has run down the shaft");
}

/// The contrast: with both lakes as sea, the upper one pours into the lower one for ever.
#[test]
fn lakes_in_caves_as_sea_never_come_to_rest() {
    let region = region();
    let mut world = world(&region, &rules(Inland::Still));
    let lakes: Vec<IVec3> = world
        .chunks()
        .flat_map(|(at, _)| Cube::region_of(at).positions())
        .filter(|&at| at.y <= LEVEL && world.units(at) == 7)
        .collect();
    lakes.into_iter().for_each(|at| _ = world.set_sea(at).unwrap());
    world.run(1000);
    let before = world.ledger().from_sea;
    world.run(1000);
    assert!(world.ledger().from_sea > before && !world.is_at_rest());
}

/// The blocks of a lake are sources. When the sea comes to touch it, the lake must not be sea in
/// the file as well, but what the world has.
#[test]
fn a_lake_that_the_sea_reaches_is_written_as_it_is() {
    let region = region();
    let rules = rules(Inland::Still);
    let mut world = world(&region, &rules);
    // From the end of the channel down to the upper lake: sea that a game has put there.
    for y in 13..32 {
        world.set_sea(CHANNEL.with_y(y)).unwrap();
    }
    let written = region.with_water(&world, &rules).unwrap().bytes;
    let read = RegionFile::from_bytes(written).unwrap();
    let again = self::world(&read, &rules);
    for at in [OCEAN, CHANNEL, CHANNEL.with_y(13), LEDGE, FLOOR, POND] {
        assert_eq!(again.voxel(at), world.voxel(at), "{at}");
    }
    assert_eq!(again.voxel(CHANNEL.with_y(13)), Some(Voxel::SEA));
    assert_eq!(again.total(), world.total());
}

#[test]
fn sea_that_is_cut_off_is_inland_in_the_file() {
    let region = region();
    let rules = rules(Inland::Still);
    let mut world = world(&region, &rules);
    for x in 8..14 {
        world.set_solid(IVec3::new(x, 32, 8)).unwrap();
    }
    assert_eq!(world.voxel(CHANNEL), Some(Voxel::SEA));
    let written = region.with_water(&world, &rules).unwrap().bytes;
    let again = self::world(&RegionFile::from_bytes(written).unwrap(), &rules);
    assert_eq!(again.voxel(CHANNEL), Some(Voxel::water(WaterCell::STILL)));
    assert_eq!(again.voxel(OCEAN), Some(Voxel::SEA));
}

/// The field for the biomes of a column that has the same everywhere, and its name.
fn biomes(version: Version, number: u8, name: &str) -> (&'static str, Tag) {
    let ints = |count: u32| {
        let numbers = [0, 0, 0, number].repeat(count as usize);
        Tag::Other(11, [&count.to_be_bytes()[..], &numbers].concat())
    };
    match version {
        Version::Numbered => ("Biomes", Tag::Bytes(vec![number; 256])),
        Version::Spanning => ("Biomes", ints(256)),
        Version::Padded => ("Biomes", ints(1024)),
        Version::Contained => {
            // Of two kinds in turn, as a section has them: 64 indices of a bit.
            let palette = Tag::List(8, vec![text("minecraft:plains"), text(name)]);
            let data = Tag::Longs(vec![u64::MAX]);
            ("biomes", compound([("data", data), ("palette", palette)]))
        }
    }
}

/// Under ice nothing is under the sky; the biome tells an ocean from a lake in a glacier.
#[test]
fn an_ocean_under_ice_is_sea_by_its_biome() {
    for version in Version::ALL {
        let block = |_, y, _| match (version, y) {
            (Version::Numbered, ..=30) => Block::Numbered(1, 0),
            (Version::Numbered, LEVEL) => Block::Numbered(79, 0),
            (Version::Numbered, 31..LEVEL) => Block::Numbered(9, 0),
            (Version::Numbered, _) => Block::Numbered(0, 0),
            (_, ..=30) => Block::named("stone", "", ""),
            (_, LEVEL) => Block::named("ice", "", ""),
            (_, 31..LEVEL) => Block::named("water", "level", "0"),
            _ => Block::named("air", "", ""),
        };
        let column = Column::of(version, [0, 0], 0..4, block);
        for (number, name, wanted) in [
            (10, "minecraft:frozen_ocean", Voxel::SEA),
            (24, "minecraft:deep_ocean", Voxel::SEA),
            (12, "minecraft:snowy_plains", Voxel::water(WaterCell::STILL)),
        ] {
            let (field, value) = biomes(version, number, name);
            let mut tag = column.tag();
            let holders = match version {
                Version::Contained => match tag.get_mut("sections") {
                    Tag::List(_, sections) => sections.iter_mut().collect(),
                    tag => panic!("no list: {tag:?}"),
                },
                _ => vec![tag.get_mut("Level")],
            };
            for holder in holders {
                let Tag::Compound(fields) = holder else { panic!("no compound") };
                fields.retain(|(name, _)| name != field);
                fields.push((field.to_owned(), value.clone()));
            }
            let file = file(&[([0, 0], ZLIB, tag.document())]);
            let region = RegionFile::from_bytes(file).unwrap();
            let world = world(&region, &rules(Inland::Still));
            for y in [31, LEVEL - 1] {
                let found = world.voxel(IVec3::new(5, y, 9));
                assert_eq!(found, Some(wanted), "{version:?} {name} {y}");
            }
            assert!(world.is_solid(IVec3::new(5, LEVEL, 9)));
        }
    }
}
