//! Worlds of other programs as worlds of water, and their water back: Minecraft region files,
//! MagicaVoxel models, heightmaps.
//!
//! Feature `import`. Each reader returns chunks that
//! [`WaterWorld::insert_chunks`](crate::water::WaterWorld::insert_chunks) takes, at positions of
//! `i32`, and reports the parts that it left out. No bytes make a reader panic: damaged files are
//! refused with the place of the damage, and a file becomes at most [`MAX_CHUNKS`] chunks and takes
//! no more work than its [`Budget`], whatever sizes it states.
//!
//! # Minecraft
//!
//! [`RegionFile`] reads and writes the region files (`.mca`) of Minecraft's Java edition, all
//! versions since 1.2: blocks as numbers (before 1.13), as palettes (1.13 to 1.17, packed with and
//! without gaps), and in the layout since 1.18, with heights below 0. Cells are in the same order
//! as here, YZX, and at the same positions.
//!
//! | the game's block | cell of water |
//! |---|---|
//! | water of level 0, a source | 7 units, a spring or sea, by [`Sources`] and [`Inland`] |
//! | water of level 1 to 7, flowing | 7 to 1 units |
//! | water of level 8 and above, falling | 7 units |
//! | kelp, seagrass, columns of bubbles | as a source |
//! | open blocks: air, plants, torches, rails … ([`is_open_block`], or [a function of the caller's](BlockRules::is_open)) | open and dry; waterlogged, as a source |
//! | all others, lava too | solid; waterlogged ones keep their water |
//!
//! [`RegionFile::with_water`] writes the water of a world back. It leaves out columns that the game
//! has not finished or that are damaged, columns compressed by LZ4, which the game uses only as an
//! option, and columns in separate files (`.mcc`). The [`RegionReport`] of each read and write
//! names and counts them; written files contain them byte by byte.
//!
//! # Why this crate has its own readers
//!
//! fastanvil 0.32 panics on unknown old blocks, and reads columns without a bound on their
//! decompressed size. fastnbt 2.6 panics on a list without elements in a field that is skipped,
//! overflows the stack on deep nesting, and forgets the order of fields, so nothing could be
//! written back byte by byte. dot_vox 5.2 overflows the stack on nested chunks, ignores damaged
//! ones, and forgets the numbers of nodes. The formats are small, and the readers here work on the
//! bytes: NBT is read in place, and only the ranges that change are replaced. Decompression uses
//! `flate2`, in Rust; pictures are read by `png`.

mod anvil;
mod boxes;
mod budget;
mod heightmap;
mod vox;

pub use anvil::{
    Block, BlockRules, ColumnFault, Inland, LeftOut, RegionBytes, RegionChunks, RegionError,
    RegionFile, RegionReport, SectionFault, Sources, WhyLeftOut, is_open_block,
};
pub use budget::Budget;
pub use heightmap::{HeightRules, Heightmap, HeightmapError, MAX_HEIGHTMAP_SIDE, MapWater};
pub use vox::{
    VoxChunks, VoxColour, VoxError, VoxFile, VoxMaterial, VoxReport, VoxRules, looks_like_water,
};

/// The most chunks that one file becomes: 65,536, half a gigabyte if none of them is uniform.
pub const MAX_CHUNKS: usize = 1 << 16;
