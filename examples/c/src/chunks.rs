//! Chunks in and out: 4,096 cells by index, or one for a chunk of equal cells.

use crate::border::{border, enter, list, positions, room};
use crate::places::{chunk_at, chunk_numbers};
use crate::status::{Answer, Fault, FpStatus};
use crate::worlds::{FpWorld, Played, State, refused, with_world};
use floodplain::water::Voxel;
use floodplain::world::{ChunkContent, MaterialId};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, water, world};
use std::sync::LazyLock;

/// The word of a cell of solid ground.
pub const FP_WORD_SOLID: u16 = 0x003f;
/// The word of an open cell without water. The words 1 to 7 are cells with that many units, still.
pub const FP_WORD_OPEN: u16 = 0;
/// The word of the sea.
pub const FP_WORD_SEA: u16 = 0x043f;
/// The word of a spring, which no water passes through yet. In the words of springs, and in those
/// of no other cells that are open, bit 6 is set.
pub const FP_WORD_SPRING: u16 = 0x07c7;
/// The cells of a chunk.
pub const FP_CHUNK_CELLS: usize = 4096;
/// The impermeability of rock.
pub const FP_ROCK: f32 = 3.402_823_5e38;

/// Returns a chunk of one cell for all, or of 4,096.
pub(crate) fn chunk_of<C: Copy, T: Copy + PartialEq>(
    cells: &[C],
    first: T,
    of: impl FnMut(C) -> Answer<T>,
) -> Answer<Chunk<T>> {
    let mut of = of;
    match cells.len() {
        1 => Ok(Chunk::uniform(of(cells[0])?)),
        CHUNK_CELLS => {
            let mut made = [first; CHUNK_CELLS];
            for (made, &cell) in made.iter_mut().zip(cells) {
                *made = of(cell)?;
            }
            Ok(Chunk::from_cells(&made))
        }
        length => {
            let words = format_args!("a chunk has 1 or {CHUNK_CELLS} cells, not {length}");
            Err(Fault::new(FpStatus::Length, words))
        }
    }
}

/// The voxel of each word; open space, which has another word, for those that no cell has.
static VOXELS: LazyLock<Box<[Voxel; 1 << 16]>> = LazyLock::new(|| {
    let voxel = |word| Voxel::from_word(word).unwrap_or(Voxel::OPEN);
    let all: Vec<Voxel> = (0..=u16::MAX).map(voxel).collect();
    all.try_into().expect("one for each word")
});

/// Returns a chunk of voxels by their words. Each row is looked up without a branch for a cell, or
/// once if its words are equal: a chunk is read in a microsecond or two, and only a wrong one a
/// second time, for the words of the fault.
fn water_of(words: &[u16]) -> Answer<Chunk<Voxel>> {
    let Ok(words) = <&[u16; CHUNK_CELLS]>::try_from(words) else {
        return chunk_of(words, Voxel::OPEN, |word| Ok(Voxel::from_word(word)?));
    };
    let voxels: &[Voxel; 1 << 16] = &VOXELS;
    let (mut cells, mut difference) = ([Voxel::OPEN; CHUNK_CELLS], 0);
    let rows = words.as_chunks::<16>().0.iter();
    for (cells, words) in cells.as_chunks_mut::<16>().0.iter_mut().zip(rows) {
        if *words == [words[0]; 16] {
            let voxel = voxels[usize::from(words[0])];
            difference |= voxel.word() ^ words[0];
            *cells = [voxel; 16];
            continue;
        }
        for (cell, &word) in cells.iter_mut().zip(words) {
            *cell = voxels[usize::from(word)];
            difference |= cell.word() ^ word;
        }
    }
    if difference != 0 {
        words.iter().try_for_each(|&word| Voxel::from_word(word).map(drop))?;
    }
    Ok(Chunk::from_cells(&cells))
}

/// Returns the cells of a chunk: one if all are equal.
pub(crate) fn cells_of<T: Copy + PartialEq, C>(chunk: &Chunk<T>, of: impl Fn(T) -> C) -> Vec<C> {
    match chunk.as_uniform() {
        Some(cell) => vec![of(cell)],
        None => chunk.iter().map(of).collect(),
    }
}

/// Loads chunks of water, all or none.
///
/// `chunks` are `count` chunk positions of three numbers. `words` are the cells of the first chunk,
/// then of the second: `words_each` is 4,096, by index, or 1, a word for all cells of a chunk.
/// A word is one that `fp_water_chunk` returns, `FP_WORD_SOLID`, `FP_WORD_OPEN`, `FP_WORD_SEA`,
/// `FP_WORD_SPRING`, or 1 to 7 units of still water. The words are copied.
///
/// Errors: `FP_STATUS_LENGTH` for other `words_each`; `FP_STATUS_VALUE` for a word that no cell
/// has; `FP_STATUS_CHUNK_PRESENT`, `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND` unless it is a world
/// of water.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_insert_chunks(
    world: *mut FpWorld,
    chunks: *const i32,
    count: usize,
    words: *const u16,
    words_each: usize,
) -> FpStatus {
    border(|| {
        if ![1, CHUNK_CELLS].contains(&words_each) {
            let words = format_args!("a chunk has 1 or {CHUNK_CELLS} words, not {words_each}");
            return Err(Fault::new(FpStatus::Length, words));
        }
        let all = count.saturating_mul(words_each);
        // SAFETY: the caller's promises.
        let (mut world, chunks, words) =
            unsafe { (enter(world)?, positions(chunks, count)?, list(words, all, "words")?) };
        let State::Water(kept) = world.change() else { return world.read().refuse() };
        let made = chunks.iter().zip(words.chunks_exact(words_each));
        let mut made = made.map(|(&at, words)| Ok((chunk_at(at), water_of(words)?)));
        if count == 1
            && let Some(chunk) = made.next()
        {
            let (position, chunk) = chunk?;
            return kept.apply(water::Edit::InsertChunk { position, chunk }).map(drop);
        }
        let chunks = made.collect::<Answer<Vec<_>>>()?;
        kept.apply(water::Edit::InsertChunks(chunks)).map(drop)
    })
}

/// Writes the words of a chunk of water, of a world of water or of materials.
///
/// x, y and z are its chunk position. `out` has room for `capacity` words; `length` becomes 4,096,
/// by index, or 1 if all cells are equal. Bits 0 to 2 of an open cell's word are its units; the
/// other bits are flow.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_chunk(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut u16,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let chunk = world.read().water()?.chunk(chunk_at([x, y, z]));
        let chunk = chunk.ok_or_else(|| Fault::absent([x, y, z]))?;
        room.fill(&cells_of(&chunk, Voxel::word))
    })
}

/// A chunk of a world of materials. Each list has 4,096 values, by index, or one for all cells; the
/// lists are the caller's, and are copied.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FpContent {
    /// The chunk position.
    pub chunk: [i32; 3],
    /// Unused.
    pub reserved: u32,
    /// The number of the material of each cell.
    pub materials: *const u8,
    /// 1 or 4,096.
    pub material_count: usize,
    /// The words of water, as of `fp_water_insert_chunks`; solid cells are dry or solid.
    pub water: *const u16,
    /// 0, for no water, 1 or 4,096.
    pub water_count: usize,
    /// The moisture of each cell, in 1/65,536.
    pub moisture: *const u32,
    /// 0, for dry ground, 1 or 4,096.
    pub moisture_count: usize,
}

impl FpContent {
    /// Returns the chunk.
    ///
    /// # Safety
    /// The caller's promises.
    unsafe fn content(&self) -> Answer<ChunkContent> {
        // SAFETY: as of this function.
        let (materials, water, moisture) = unsafe {
            (
                list(self.materials, self.material_count, "materials")?,
                list(self.water, self.water_count, "water")?,
                list(self.moisture, self.moisture_count, "moisture")?,
            )
        };
        let some = |count: usize| count > 0;
        Ok(ChunkContent {
            materials: chunk_of(materials, MaterialId(0), |number| Ok(MaterialId(number)))?,
            water: some(water.len()).then(|| water_of(water)).transpose()?,
            moisture: some(moisture.len()).then(|| chunk_of(moisture, 0, Ok)).transpose()?,
        })
    }
}

/// Loads chunks of a world of materials, one after the other.
///
/// `contents` are `count` chunks, which are copied.
///
/// Errors: `FP_STATUS_LENGTH` and `FP_STATUS_VALUE` of a chunk's lists; `FP_STATUS_CHUNK_PRESENT`,
/// `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_REFUSED`; `FP_STATUS_KIND`. If the world refuses a chunk,
/// those before it stay loaded, unless the world is not recorded: then none is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_insert_chunks(
    world: *mut FpWorld,
    contents: *const FpContent,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, contents) = unsafe { (enter(world)?, list(contents, count, "contents")?) };
        let State::Materials(kept) = world.change() else { return world.read().refuse() };
        let content = |content: &FpContent| {
            // SAFETY: the caller's promises.
            Ok((chunk_at(content.chunk), unsafe { content.content() }?))
        };
        let contents = contents.iter().map(content).collect::<Answer<Vec<_>>>()?;
        if let Ok(world) = kept.unrecorded() {
            let inserted = world.insert_chunks(contents);
            return inserted.map_err(|error| refused::<world::World>(&error));
        }
        contents.into_iter().try_for_each(|(position, content)| {
            kept.apply(world::Edit::InsertChunk { position, content }).map(drop)
        })
    })
}

/// Writes the numbers of the materials of a chunk, of a world of materials or of a mirror of one.
///
/// x, y and z are its chunk position. `out` has room for `capacity` bytes; `length` becomes 4,096,
/// by index, or 1 if all cells are equal.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_chunk(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    use floodplain::world::WorldView;
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let at = chunk_at([x, y, z]);
        let chunk = match world.read() {
            State::Materials(kept) => kept.world().materials(at),
            State::MaterialsMirror(mirror) => mirror.materials(at),
            other => return other.refuse(),
        };
        let chunk = chunk.ok_or_else(|| Fault::absent([x, y, z]))?;
        room.fill(&cells_of(chunk, |material| material.0))
    })
}

/// Writes the moisture of a chunk of a world of materials, in 1/65,536.
///
/// x, y and z are its chunk position. `out` has room for `capacity` numbers; `length` becomes
/// 4,096, by index, or 1 if all cells are equal.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_moisture(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut u32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let content = world.read().materials()?.chunk(chunk_at([x, y, z]));
        let content = content.ok_or_else(|| Fault::absent([x, y, z]))?;
        room.fill(&content.moisture.map_or(vec![0], |moisture| cells_of(&moisture, |cell| cell)))
    })
}

/// Lists the chunks of a world or of a mirror, in order of position.
///
/// `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
/// there are.
///
/// Errors: `FP_STATUS_BUFFER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_chunks(
    world: *const FpWorld,
    out: *mut i32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    /// Lists the chunks of a kind of world.
    fn chunks<W: Played>(world: &W) -> Vec<[i32; 3]> {
        let mut chunks = Vec::new();
        world.visit_chunk_hashes(&mut |at, _| chunks.push(chunk_numbers(at)));
        chunks
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let of_mirror = |chunks: Vec<ChunkPos>| chunks.into_iter().map(chunk_numbers).collect();
        let chunks: Vec<[i32; 3]> = match world.read() {
            State::Water(kept) => kept.world().chunks().map(|(at, _)| chunk_numbers(at)).collect(),
            State::Materials(kept) => {
                kept.world().chunks().map(|(at, _)| chunk_numbers(at)).collect()
            }
            State::WaterMirror(mirror) => of_mirror(mirror.chunks()),
            State::MaterialsMirror(mirror) => of_mirror(mirror.chunks()),
            #[allow(unreachable_patterns)] // without the feature `fields` there is no other
            other => with_world!(other, kept => Ok(chunks(kept.world())))?,
        };
        room.fill(chunks.as_flattened())
    })
}
