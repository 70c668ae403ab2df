//! What any bytes must keep to as a file of another program: they are refused, or become chunks of
//! a lawful world, whose water a region file reads back.

use floodplain::import::{
    BlockRules, ColumnFault, HeightRules, Heightmap, HeightmapError, MAX_CHUNKS, MapWater,
    RegionChunks, RegionError, RegionFile, RegionReport, Sources, VoxError, VoxFile, VoxRules,
    WhyLeftOut,
};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos};

/// Ticks before the water is written back.
const TICKS: u64 = 2;

/// Worlds of more chunks are not run: they take too long.
const MOST_RUN: usize = 2000;

/// Columns that are also read by themselves.
const MOST_ALONE: usize = 4;

fn world(chunks: Vec<(ChunkPos, Chunk<Voxel>)>) -> WaterWorld {
    assert!(chunks.len() <= MAX_CHUNKS);
    let mut world = WaterWorld::new(3, Rules::lossless()).expect("rules within their ranges");
    world.insert_chunks(chunks).expect("chunks at places of their own");
    world
}

/// Whether a voxel of a world may be read back as another: flow is lost, and what is without end
/// where the rules do not have it. Sea is sea only where it hangs together with the sea.
fn reads_back(voxel: Voxel, read: Voxel, y: i32, sources: Sources) -> bool {
    let is_endless = voxel.is_sea() || voxel.cell().is_some_and(WaterCell::is_source);
    let still = |height| Voxel::water(WaterCell::with_height(height).expect("0 to 7"));
    match sources {
        Sources::Springs if is_endless => read == Voxel::water(WaterCell::SOURCE),
        Sources::Sea(top) if y <= top && is_endless => read == Voxel::SEA || read == still(7),
        _ if voxel.is_solid() => read == Voxel::SOLID,
        _ if voxel.is_sea() => read == still(7),
        _ => read == still(voxel.height()),
    }
}

/// Reads bytes as a region file, runs the water, and writes it back; returns the file written.
/// `change` edits the world before that.
pub fn region_laws(
    bytes: &[u8],
    sources: Sources,
    change: impl FnOnce(&mut WaterWorld),
) -> Result<Vec<u8>, RegionError> {
    let region = RegionFile::from_bytes(bytes)?;
    let rules = BlockRules { sources, ..BlockRules::default() };
    let RegionChunks { chunks, report: RegionReport { left_out, .. } } = region.chunks(&rules)?;
    for at in region.columns().take(MOST_ALONE) {
        // Refused, or some chunks: those that were left out may be read.
        let _ = region.column(at, &rules);
    }
    let is_run = chunks.len() <= MOST_RUN;
    let mut world = world(chunks.clone());
    let untouched = region.with_water(&world, &rules)?;
    assert!(untouched.bytes == bytes, "nothing was changed");
    // Sections are read only where the world has chunks.
    let is_named = |report: &RegionReport| report.left_out.iter().all(|one| left_out.contains(one));
    assert!(is_named(&untouched.report));
    if !is_run {
        return Ok(bytes.to_vec());
    }
    change(&mut world);
    world.run(TICKS);
    assert_eq!(world.validate(), Ok(()));
    let written = region.with_water(&world, &rules)?;
    assert!(is_named(&written.report));
    // What was said to reach beyond the end of the file need not do so once the file is longer.
    let is_cut = left_out
        .iter()
        .any(|one| matches!(one.why, WhyLeftOut::Unreadable(ColumnFault::Place { .. })));
    let again = RegionFile::from_bytes(written.bytes.clone()).expect("its own file");
    let read = again.chunks(&rules).expect("its own columns").chunks;
    for (position, chunk) in &read {
        let Some(wanted) = world.chunk(*position) else {
            assert!(is_cut, "{position} was not loaded");
            continue;
        };
        for cell in 0..CHUNK_CELLS {
            let y = position.y * 16 + (cell / 256) as i32;
            let (wanted, read) = (wanted.get(cell), chunk.get(cell));
            let is_right = reads_back(wanted, read, y, sources);
            assert!(is_right, "cell {cell} of {position}: {read:?} of {wanted:?}");
        }
    }
    assert!(read.len() == chunks.len() || is_cut);
    Ok(written.bytes)
}

/// Reads bytes as a MagicaVoxel file, and runs its water.
pub fn vox_laws(bytes: &[u8]) -> Result<usize, VoxError> {
    let vox = VoxFile::from_bytes(bytes)?;
    let chunks = vox.chunks(&VoxRules::default())?.chunks;
    let count = chunks.len();
    let bounds = vox.bounds().expect("its chunks were found");
    assert_eq!(bounds.is_none(), count == 0);
    run(chunks);
    Ok(count)
}

/// Reads bytes as a heightmap with a sea, and runs its water.
pub fn heightmap_laws(bytes: &[u8]) -> Result<[u32; 2], HeightmapError> {
    let map = Heightmap::from_png(bytes)?;
    let rules = HeightRules { per: 256, water: MapWater::Sea(9), ..HeightRules::default() };
    let chunks = map.chunks(&rules)?;
    let [width, depth] = map.size();
    let is_within = map.value(width - 1, depth - 1).is_some() && map.value(width, 0).is_none();
    assert!(is_within);
    run(chunks);
    Ok(map.size())
}

fn run(chunks: Vec<(ChunkPos, Chunk<Voxel>)>) {
    let is_run = chunks.len() <= MOST_RUN;
    let mut world = world(chunks);
    if is_run {
        world.run(TICKS);
        assert_eq!(world.validate(), Ok(()));
    }
}
