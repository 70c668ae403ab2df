//! Heightmaps: each column solid up to its height, with the water that the rules say.

use floodplain::glam::IVec3;
use floodplain::import::{HeightRules, Heightmap, HeightmapError, MapWater};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{ChunkPos, Cube, Region, Shape};
use png::{BitDepth, ColorType, Encoder};
use proptest::prelude::*;

fn png(size: (u32, u32), colour: ColorType, depth: BitDepth, rows: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(rows).unwrap();
    writer.finish().unwrap();
    bytes
}

fn values(map: &Heightmap) -> Vec<u16> {
    let [width, depth] = map.size();
    (0..depth).flat_map(|z| (0..width).map(move |x| map.value(x, z).unwrap())).collect()
}

#[test]
fn grey_pictures_of_every_depth_are_read_as_they_are() {
    use BitDepth::{Eight, Four, One, Sixteen, Two};
    for (colour, depth, rows, expected) in [
        (ColorType::Grayscale, Eight, vec![1, 2, 255, 0, 5, 6], vec![1, 2, 255, 0, 5, 6]),
        (
            ColorType::Grayscale,
            Sixteen,
            vec![1, 2, 0, 7, 255, 255, 0, 0, 3, 0, 0, 9],
            vec![258, 7, 65535, 0, 768, 9],
        ),
        (
            ColorType::GrayscaleAlpha,
            Eight,
            vec![1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9],
            vec![1, 2, 3, 4, 5, 6],
        ),
        (ColorType::Grayscale, One, vec![0b1010_0000, 0b0110_0000], vec![1, 0, 1, 0, 1, 1]),
        (ColorType::Grayscale, Two, vec![0b1100_1000, 0b0111_0000], vec![3, 0, 2, 1, 3, 0]),
        (ColorType::Grayscale, Four, vec![0xf0, 0x90, 0x12, 0x30], vec![15, 0, 9, 1, 2, 3]),
    ] {
        let map = Heightmap::from_png(&png((3, 2), colour, depth, &rows)).unwrap();
        assert_eq!((map.size(), values(&map)), ([3, 2], expected), "{colour:?} {depth:?}");
    }
}

/// A picture by a palette of these colours.
fn indexed(size: (u32, u32), palette: &[[u8; 3]], depth: BitDepth, rows: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(depth);
    encoder.set_palette(palette.concat());
    encoder.write_header().unwrap().write_image_data(rows).unwrap();
    bytes
}

/// What editors save a grey picture as.
#[test]
fn grey_is_grey_however_it_is_stored() {
    use BitDepth::{Eight, Four, Sixteen, Two};
    let greys = [0_u8, 7, 200, 255];
    let colours = |alpha: &[u8]| greys.map(|grey| [&[grey; 3], alpha].concat()).concat();
    let wide = |alpha: &[u8]| greys.map(|grey| [&[grey, 9].repeat(3), alpha].concat()).concat();
    let plain = greys.map(u16::from).to_vec();
    let palette = greys.map(|grey| [grey; 3]);
    for (bytes, expected) in [
        (png((2, 2), ColorType::Rgb, Eight, &colours(&[])), &plain),
        (png((2, 2), ColorType::Rgba, Eight, &colours(&[3])), &plain),
        (
            png((2, 2), ColorType::Rgb, Sixteen, &wide(&[])),
            &greys.map(|grey| u16::from(grey) << 8 | 9).to_vec(),
        ),
        (
            png((2, 2), ColorType::Rgba, Sixteen, &wide(&[1, 2])),
            &greys.map(|grey| u16::from(grey) << 8 | 9).to_vec(),
        ),
        (indexed((2, 2), &palette, Eight, &[0, 1, 2, 3]), &plain),
        (indexed((2, 2), &palette, Four, &[0x01, 0x23]), &plain),
        (indexed((2, 2), &palette, Two, &[0b0001_0000, 0b1011_0000]), &plain),
    ] {
        assert_eq!(&values(&Heightmap::from_png(&bytes).unwrap()), expected);
    }
    let coloured = HeightmapError::Colour { x: 1, z: 0 };
    for bytes in [
        png((2, 1), ColorType::Rgb, Eight, &[5, 5, 5, 5, 6, 5]),
        png((2, 1), ColorType::Rgb, Sixteen, &[5, 0, 5, 0, 5, 0, 5, 1, 5, 1, 5, 2]),
        png((2, 1), ColorType::Rgba, Eight, &[5, 5, 5, 5, 5, 5, 6, 6]),
        indexed((2, 1), &[[5, 5, 5], [5, 5, 6]], Eight, &[0, 1]),
        indexed((2, 1), &[[5; 3]], Eight, &[0, 1]),
    ] {
        assert_eq!(Heightmap::from_png(&bytes), Err(coloured.clone()));
    }
}

/// A map of 1009 × 1009 with a relief of 300 cells, as terrain editors make them.
#[test]
fn a_map_that_is_too_large_is_read_column_by_column() {
    let side = 1009;
    let values: Vec<u16> =
        (0..side * side).map(|at| ((at % side + at / side) % 301) as u16).collect();
    let map = Heightmap::new(side, side, values).unwrap();
    let rules = HeightRules { origin: IVec3::new(-20, -60, 5), ..HeightRules::default() };
    assert_eq!(map.chunks(&rules), Err(HeightmapError::TooLarge));
    let bounds = map.bounds(&rules).unwrap();
    assert_eq!(bounds.size(), [1009, 317, 1009]);
    let (low, high) = (Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max()));
    for (x, z) in [(low.x, low.z), (high.x, high.z), (3, 7)] {
        let column = Region::new(IVec3::new(x, low.y, z), IVec3::new(x, high.y, z));
        let cells = Region::new(
            Cube::cell_at(column.min().into(), 0).with_y(i32::MIN),
            Cube::region_of(column.max().into()).max().with_y(i32::MAX),
        );
        let chunks = map.chunks_in(cells, &rules).unwrap();
        assert!(
            chunks.iter().map(|(at, _)| *at).eq(column.positions().map(ChunkPos::from)),
            "{x}, {z}"
        );
    }
    let beside = Region::cell(IVec3::new(-21, 0, 5));
    assert_eq!(map.chunks_in(beside, &rules), Ok(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_part_of_a_map_has_the_chunks_of_the_whole(
        heights in proptest::collection::vec(0..70_u16, 40 * 3),
        (a, b) in (proptest::array::uniform3(-40..60_i32), proptest::array::uniform3(-40..60_i32)),
    ) {
        let map = Heightmap::new(40, 3, heights).unwrap();
        let origin = IVec3::new(-7, -9, 15);
        let rules = HeightRules { origin, water: MapWater::Sea(20), ..HeightRules::default() };
        let region = Region::new(IVec3::from_array(a), IVec3::from_array(b));
        let bounds = map.bounds(&rules).unwrap();
        let mut whole = map.chunks(&rules).unwrap();
        whole.retain(|&(at, _)| {
            let cells = Cube::region_of(at).intersection(&bounds);
            cells.is_some_and(|cells| cells.intersection(&region).is_some())
        });
        prop_assert_eq!(map.chunks_in(region, &rules), Ok(whole));
    }
}

#[test]
fn the_survey_of_the_examples_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/jacksboro_dem_m.png");
    let map = Heightmap::from_png(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(map.size(), [403, 344]);
    let rules = HeightRules { per: 16, sky: 8, ..HeightRules::default() };
    let bounds = map.bounds(&rules).unwrap();
    let mut world = WaterWorld::with_bounds(1, Rules::lossless(), bounds).unwrap();
    world.insert_chunks(map.chunks(&rules).unwrap()).unwrap();
    let top = i32::from(map.value(200, 100).unwrap()) / 16;
    assert!(world.is_solid(IVec3::new(200, top, 100)));
    assert!(world.cell(IVec3::new(200, top + 1, 100)).is_some());
}

#[test]
fn sizes_and_rules_out_of_range_are_refused() {
    let size = |width, depth, values| HeightmapError::Size { width, depth, values };
    for (width, depth, count) in [(0, 3, 0), (3, 0, 0), (2, 2, 5), (8193, 1, 8193), (4097, 4096, 0)]
    {
        let map = Heightmap::new(width, depth, vec![0; count]);
        assert_eq!(map, Err(size(width, depth, count)));
    }
    let map = Heightmap::new(2, 1, vec![0, 65535]).unwrap();
    let refused = |rules: HeightRules| {
        let error = map.chunks(&rules).unwrap_err();
        assert!(map.bounds(&rules).err().is_none_or(|found| found == error));
        error
    };
    let rules = HeightRules::default();
    assert_eq!(refused(HeightRules { per: 0, ..rules }), HeightmapError::Scale);
    let origin = IVec3::new(0, i32::MAX, 0);
    assert_eq!(refused(HeightRules { origin, ..rules }), HeightmapError::Position);
    let origin = IVec3::new(i32::MAX, 0, 0);
    assert_eq!(refused(HeightRules { origin, ..rules }), HeightmapError::Position);
    assert_eq!(refused(HeightRules { cells: 1000, ..rules }), HeightmapError::TooLarge);
    let water = MapWater::Cells(i32::MAX);
    assert_eq!(refused(HeightRules { water, sky: 0, ..rules }), HeightmapError::TooLarge);
}

#[test]
fn a_picture_that_claims_to_be_large_is_refused_before_memory_is_taken() {
    let mut bytes = png((1, 1), ColorType::Grayscale, BitDepth::Eight, &[1]);
    // Width and height in the header, and its checksum.
    bytes[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
    let checksum = crc32fast::hash(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let error = HeightmapError::Size { width: 0x8000, depth: 0x8000, values: 1 << 30 };
    assert_eq!(Heightmap::from_png(&bytes), Err(error));
}

#[test]
fn bytes_that_are_no_picture_are_refused_with_their_place() {
    assert!(matches!(Heightmap::from_png(b"GIF89a"), Err(HeightmapError::Png { at: 0..=6, .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_column_is_solid_up_to_its_height_and_wet_up_to_the_water(
        heights in proptest::collection::vec(0..90_u16, 15),
        origin in [-30..30_i32, -30..30, -30..30],
        scale in (1..4_u16, 1..4_u16),
        sky in 0..20_u16,
        level in -40..80_i32,
        kind in 0..3_usize,
    ) {
        let map = Heightmap::new(5, 3, heights.clone()).unwrap();
        let origin = IVec3::from_array(origin);
        let water = [MapWater::None, MapWater::Cells(level), MapWater::Sea(level)][kind];
        let rules = HeightRules { origin, cells: scale.0, per: scale.1, sky, water };
        let top = |x: i32, z: i32| {
            let value = i32::from(heights[(x + 5 * z) as usize]);
            origin.y + value * i32::from(scale.0) / i32::from(scale.1)
        };
        let tops: Vec<i32> = (0..15).map(|column| top(column % 5, column / 5)).collect();
        let (low, mut high) = (tops.iter().min().unwrap(), *tops.iter().max().unwrap());
        if kind > 0 {
            high = high.max(level);
        }
        let max = IVec3::new(origin.x + 4, high + i32::from(sky), origin.z + 2);
        let bounds = Region::new(origin.with_y(*low), max);
        prop_assert_eq!(map.bounds(&rules), Ok(bounds));
        let chunks: Vec<_> = map.chunks(&rules).unwrap();
        let wet = [Voxel::OPEN, Voxel::water(WaterCell::STILL), Voxel::SEA][kind];
        for cell in bounds.positions() {
            let (_, chunk) =
                chunks.iter().find(|(position, _)| *position == Cube::chunk_of(cell)).unwrap();
            let wanted = if cell.y <= top(cell.x - origin.x, cell.z - origin.z) {
                Voxel::SOLID
            } else if cell.y <= level {
                wet
            } else {
                Voxel::OPEN
            };
            prop_assert_eq!(chunk.get(Cube::index_of(cell)), wanted, "{}", cell);
        }
    }
}
