//! Files that ask for much work with few bytes: read within a bound on it, or refused.
//!
//! The times that are asserted are those of two seconds a megabyte, with room for a busy machine
//! and, in builds that are hardly optimised, four times as much.

use flate2::Compression;
use flate2::read::ZlibEncoder;
use floodplain::glam::IVec3;
use floodplain::import::{
    BlockRules, Budget, HeightRules, Heightmap, HeightmapError, RegionError, RegionFile, Sources,
    VoxError, VoxFile, VoxRules,
};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Chunk, ChunkPos, Region};
use std::io::Read;
use std::time::{Duration, Instant};
use support::import::nbt::{Tag, compound, list, text};
use support::import::region::{PLAIN, ZLIB, file};
use support::import::{gorge, vox};

/// Returns how long this thread has waited for a core, where Linux counts that: other programs on a
/// busy machine are not the file's fault.
fn waited_for_a_core() -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited = counted.split(' ').nth(1).and_then(|nanoseconds| nanoseconds.parse().ok());
    Duration::from_nanos(waited.unwrap_or_default())
}

/// Runs the work on a hostile file; it must not take longer than its bytes allow, in the best of
/// some turns.
fn within_time<T>(name: &str, bytes: usize, work: impl Fn() -> T) -> T {
    const TURNS: usize = 4;
    let a_megabyte = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 2 });
    let allowed = Duration::from_millis(500) + a_megabyte.mul_f64(bytes as f64 / 1e6);
    let mut times = Vec::new();
    loop {
        let (start, waited) = (Instant::now(), waited_for_a_core());
        let result = work();
        let took = start.elapsed().saturating_sub(waited_for_a_core() - waited);
        if took < allowed {
            println!("{name}: {bytes} bytes, {took:.2?} of {allowed:.2?}");
            return result;
        }
        times.push(took);
        assert!(times.len() < TURNS, "{name}: {bytes} bytes took {times:.2?} of {allowed:.2?}");
    }
}

fn read_within(bytes: Vec<u8>, budget: Budget) -> Result<usize, RegionError> {
    let region = RegionFile::from_bytes_within(bytes, budget)?;
    Ok(region.chunks(&BlockRules::default())?.chunks.len())
}

/// Reads a hostile file with the default budget, and with next to none.
fn read(name: &str, bytes: Vec<u8>) -> Result<usize, RegionError> {
    let budget = Budget { base: 1000, per_byte: 0 };
    assert_eq!(read_within(bytes.clone(), budget), Err(RegionError::OverBudget { units: 1000 }));
    within_time(name, bytes.len(), || read_within(bytes.clone(), Budget::default()))
}

/// A column of 1.18 at 0, 0 with four million bytes of fields that say nothing, a byte each.
fn tiny_fields() -> Vec<u8> {
    let column = compound([
        ("DataVersion", Tag::Int(3465)),
        ("xPos", Tag::Int(0)),
        ("zPos", Tag::Int(0)),
        ("sections", list(vec![section(0, 2)])),
    ]);
    let document = column.document();
    let (root, fields) = document.split_at(3);
    let document = [root, &[1, 0, 0, 1].repeat(1_000_000), fields].concat();
    let mut bytes = Vec::new();
    ZlibEncoder::new(&document[..], Compression::fast()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// A section of 1.18 with so many states, one after another.
fn section(y: i8, states: usize) -> Tag {
    let bits = (usize::BITS - (states - 1).leading_zeros()).max(4);
    let fit = 64 / bits as usize;
    let word = |cell: usize| {
        let numbers = (cell..(cell + fit).min(4096)).zip(0..);
        numbers.fold(0, |word, (cell, at)| word | ((cell % states) as u64) << (at * bits))
    };
    let words = (0..4096).step_by(fit).map(word).collect();
    let state = |at: usize| {
        let properties = compound([("a", text(&at.to_string()))]);
        compound([("Name", text("b")), ("Properties", properties)])
    };
    let states = list((0..states).map(state).collect());
    let blocks = compound([("data", Tag::Longs(words)), ("palette", states)]);
    compound([("Y", Tag::Byte(y)), ("block_states", blocks)])
}

#[test]
fn fields_that_say_nothing_are_passed_once() {
    let column = tiny_fields();
    // The others belong elsewhere, which is known only when they have been read.
    let columns: Vec<_> = (0..4).map(|x| ([x, 0], PLAIN, column.clone())).collect();
    let mut bytes = file(&columns);
    for sector in 2..bytes.len() / 4096 {
        let length = &bytes[4096 * sector..][..4];
        if length == ((column.len() as u32 + 1).to_be_bytes()) {
            bytes[4096 * sector + 4] = ZLIB;
        }
    }
    assert_eq!(read("tiny fields", bytes), Ok(1));
}

#[test]
fn a_column_with_all_places_is_read_once() {
    let mut bytes = file(&[([0, 0], PLAIN, tiny_fields())]);
    bytes[8192 + 4] = ZLIB;
    let entry: [u8; 4] = bytes[..4].try_into().unwrap();
    (0..1024).for_each(|at| bytes[4 * at..][..4].copy_from_slice(&entry));
    assert_eq!(read("a column with all places", bytes), Ok(1));
}

#[test]
fn states_of_blocks_count_as_work() {
    let named = |x: u8| {
        let sections = list((0..4).map(|y| section(y, 4096)).collect());
        let position = [("xPos", Tag::Int(x.into())), ("zPos", Tag::Int(0))];
        let [x, z] = position;
        compound([("DataVersion", Tag::Int(3465)), x, z, ("sections", sections)])
    };
    let numbered = |x: u8| {
        let section = |y: i8| {
            let blocks = (0..4096).map(|cell| (cell / 16) as u8).collect();
            let data =
                (0..2048).map(|pair| (2 * pair % 16) as u8 | (((2 * pair + 1) % 16) << 4) as u8);
            let (blocks, data) = (Tag::Bytes(blocks), Tag::Bytes(data.collect()));
            compound([("Y", Tag::Byte(y)), ("Blocks", blocks), ("Data", data)])
        };
        let sections = list((0..16).map(section).collect());
        let position = [("xPos", Tag::Int(x.into())), ("zPos", Tag::Int(0))];
        let [x, z] = position;
        compound([("Level", compound([x, z, ("Sections", sections)]))])
    };
    for (name, count, column) in [
        ("names", 1, &named as &dyn Fn(u8) -> Tag),
        ("numbers", 4, &numbered as &dyn Fn(u8) -> Tag),
    ] {
        let columns = (0..count).map(|x| ([x, 0], ZLIB, column(x).document()));
        let columns: Vec<_> = columns.collect();
        let bytes = file(&columns);
        let region = RegionFile::from_bytes(bytes.clone()).unwrap();
        let units = Budget::default().base + Budget::default().per_byte * bytes.len() as u64;
        let read = read(name, bytes.clone());
        let is_bounded = [Ok(4), Ok(64), Err(RegionError::OverBudget { units })].contains(&read);
        assert!(is_bounded, "{read:?}");
        // Water in all of them: each state gets another in its place.
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        let water = Chunk::uniform(Voxel::water(WaterCell::with_height(3).unwrap()));
        let at = (0..4).flat_map(|x| (0..16).map(move |y| ChunkPos::new(x, y, 0)));
        world.insert_chunks(at.map(|at| (at, water.clone()))).unwrap();
        for sources in [Sources::Finite, Sources::Sea(62)] {
            let rules = BlockRules { sources, ..BlockRules::default() };
            let write = || region.with_water(&world, &rules).map(|written| written.report);
            let written = within_time(&format!("{name}, {sources:?}"), bytes.len(), write);
            let is_bounded = matches!(written, Ok(_) | Err(RegionError::OverBudget { .. }));
            assert!(is_bounded, "{written:?}");
        }
    }
}

#[test]
fn voxels_count_wherever_they_are_placed_again() {
    let voxels = (0..200_000_u32).map(|at| [at as u8, (at >> 8) as u8, (at >> 16) as u8, 1]);
    let model = || vox::Model { size: [256, 256, 4], voxels: voxels.clone().collect() };
    let placed = |count| {
        let scene = [vox::Node::Group(vec![1; count]), vox::Node::Shape(0)];
        let bytes = vox::file(&[model()], &scene, &[], &[]);
        let read = || {
            let chunks = VoxFile::from_bytes(&bytes).unwrap().chunks(&VoxRules::default());
            chunks.map(|read| read.report.placed)
        };
        let read = within_time(&format!("placed {count} times"), bytes.len(), read);
        let all = VoxFile::from_bytes_within(&bytes, Budget { base: 0, per_byte: 0 }).unwrap();
        let refused = all.chunks(&VoxRules::default()).map(|read| read.report);
        assert_eq!(refused, Err(VoxError::OverBudget { units: 0 }));
        (read, Budget::default().base + Budget::default().per_byte * bytes.len() as u64)
    };
    assert_eq!(placed(200).0, Ok(200));
    let (refused, units) = placed(1340);
    assert_eq!(refused, Err(VoxError::OverBudget { units }));
}

#[test]
fn pictures_are_refused_before_they_are_decoded() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 300, 200);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[9; 3 * 300 * 200]).unwrap();
    let read = |base| {
        let budget = Budget { base, per_byte: 0 };
        Heightmap::from_png_within(&bytes, budget).map(|map| map.size())
    };
    let units = 3 * 300 * 200 - 1;
    assert_eq!(read(units), Err(HeightmapError::OverBudget { units }));
    assert_eq!(read(units + 1), Ok([300, 200]));
}

/// Returns a picture of 64 columns by 64, of this value and of 0 in turns.
fn rough(value: u16) -> Vec<u8> {
    let values = (0..4096).map(|at| if at % 2 == 0 { 0 } else { value });
    let rows: Vec<u8> = values.flat_map(u16::to_be_bytes).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 64, 64);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.write_header().unwrap().write_image_data(&rows).unwrap();
    bytes
}

/// A few hundred bytes could ask for as many chunks as any file may become, all of mixed cells.
#[test]
fn chunks_of_a_heightmap_count_as_work() {
    let rules = HeightRules { sky: 0, ..HeightRules::default() };
    let chunks = |bytes: &[u8], budget| {
        let map = Heightmap::from_png_within(bytes, budget)?;
        map.chunks(&rules).map(|chunks| chunks.len())
    };
    let (high, low) = (rough(65_535), rough(255));
    let Budget { base, per_byte } = Budget::default();
    let units = base + per_byte * high.len() as u64;
    let read = within_time("a high map", high.len(), || chunks(&high, Budget::default()));
    assert_eq!(read, Err(HeightmapError::OverBudget { units }));
    let units = 16 * 16 * 2048;
    let read = |base| chunks(&low, Budget { base, per_byte: 0 });
    assert_eq!(read(units), Ok(16 * 16));
    assert_eq!(read(units - 1), Err(HeightmapError::OverBudget { units: units - 1 }));
    // Each call has the whole budget, so a map can be loaded part by part.
    let map = Heightmap::from_png(&high).unwrap();
    for x in [0, 16] {
        let part = Region::new(IVec3::new(x, 0, 0), IVec3::new(x + 15, 8191, 63));
        assert_eq!(map.chunks_in(part, &rules).map(|chunks| chunks.len()), Ok(4 * 512));
    }
}

#[test]
fn files_of_the_game_take_less_than_a_quarter_of_the_budget() {
    let budget = Budget { base: 0, per_byte: Budget::default().per_byte / 4 };
    assert_eq!(read_within(gorge::file(), budget), Ok(4 * 6 * 12));
    assert_eq!(read_within(gorge::file(), Budget::UNLIMITED), Ok(4 * 6 * 12));
}
