//! Worlds as bytes: snapshots, records of chunks that come and go, files on disk.

use crate::border::{
    Handle, border, enter, free, give, list, out, out_or_none, positions, room, text,
};
use crate::make::give_world;
use crate::places::chunk_at;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{BytesOf, FpWorld, State, with_world};
use core::ffi::c_char;
use floodplain::blast::BlastWorld;
use floodplain::humidity::HumidityWorld;
use floodplain::save_file::{SaveFile, SaveReport};
use floodplain::snapshot::Saved;
use floodplain::water::WaterWorld;
use floodplain::world::World;
use floodplain::{Cube, Sheet, water, world};

/// Writes a world as bytes, which all later versions of the library load. A tick that is underway
/// is part of it.
///
/// `out` has room for `capacity` bytes; `length` becomes how many there are. If they do not fit,
/// they are kept until the world changes, so that the next call does not make them again.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_snapshot(
    world: *mut FpWorld,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let make = |state: &State| with_world!(state, kept => Ok(kept.world().save()));
        room.fill(world.bytes(BytesOf::Snapshot, make)?)?;
        world.drop_bytes();
        Ok(())
    })
}

/// Makes the world of a snapshot.
///
/// `kind` is its `FpKind`. `bytes` are `count` bytes of `fp_world_snapshot`. `world` becomes a new
/// handle, which the caller owns.
///
/// Errors: `FP_STATUS_TAG`; `FP_STATUS_KIND` for a mirror; `FP_STATUS_DECODE`, also for a world of
/// another kind; `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_load(
    kind: u32,
    bytes: *const u8,
    count: usize,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (bytes, place) = unsafe { (list(bytes, count, "bytes")?, out(world, "world")?) };
        place.put(match FpKind::of(kind)? {
            FpKind::Water => give_world(WaterWorld::load(bytes)?),
            FpKind::Materials => give_world(World::load(bytes)?),
            FpKind::HumiditySheet => give_world(HumidityWorld::<Sheet>::load(bytes)?),
            FpKind::HumidityCube => give_world(HumidityWorld::<Cube>::load(bytes)?),
            FpKind::BlastSheet => give_world(BlastWorld::<Sheet>::load(bytes)?),
            FpKind::BlastCube => give_world(BlastWorld::<Cube>::load(bytes)?),
            _ => return Err(Fault::kind("a mirror is not saved")),
        });
        Ok(())
    })
}

/// Appends a record and before it its length, a `u32`, lowest byte first.
fn put_record(out: &mut Vec<u8>, record: &[u8]) {
    out.extend_from_slice(&(record.len() as u32).to_le_bytes());
    out.extend_from_slice(record);
}

/// Returns the records of bytes.
fn records_of(mut bytes: &[u8]) -> Answer<Vec<&[u8]>> {
    let short = || Fault::new(FpStatus::Decode, "a record ends early");
    let mut records = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let (record, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        records.push(record);
        bytes = rest;
    }
    if bytes.is_empty() { Ok(records) } else { Err(short()) }
}

/// Unloads chunks of a world of water or of materials, all or none, and keeps their records with
/// the handle until `fp_world_take_records` takes them.
///
/// `chunks` are `count` chunk positions of three numbers. `length` becomes the bytes of all records
/// that wait; it may be null.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_remove_chunks(
    world: *mut FpWorld,
    chunks: *const i32,
    count: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, chunks, place) =
            unsafe { (enter(world)?, positions(chunks, count)?, out_or_none(length, "length")?) };
        let chunks = chunks.iter().copied().map(chunk_at).collect();
        let mut records = Vec::new();
        match world.change() {
            State::Water(kept) => {
                let outcome = kept.apply(water::Edit::RemoveChunks(chunks))?;
                if let water::Outcome::Records(removed) = outcome {
                    removed.iter().for_each(|one| put_record(&mut records, &one.to_bytes()));
                }
            }
            State::Materials(kept) => {
                let outcome = kept.apply(world::Edit::RemoveChunks(chunks))?;
                if let world::Outcome::Records(removed) = outcome {
                    removed.iter().for_each(|one| put_record(&mut records, &one.to_bytes()));
                }
            }
            other => return other.refuse(),
        }
        world.records.append(&mut records);
        place.put(world.records.len());
        Ok(())
    })
}

/// Takes the records of the chunks that were unloaded: for each a length of four bytes, lowest
/// first, and its bytes, which a game may keep one by one.
///
/// `out` has room for `capacity` bytes; `length` becomes how many there are. What does not fit is
/// kept for the next call.
///
/// Errors: `FP_STATUS_BUFFER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_take_records(
    world: *mut FpWorld,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        room.deliver(&mut world.records)
    })
}

/// Loads chunks by their records, all or none.
///
/// `bytes` are `count` bytes: records, each after its length, as `fp_world_take_records` has them.
///
/// Errors: `FP_STATUS_DECODE`; `FP_STATUS_CHUNK_PRESENT`, `FP_STATUS_OUT_OF_BOUNDS`,
/// `FP_STATUS_REFUSED`; `FP_STATUS_KIND` unless it is a world of water or of materials.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_insert_records(
    world: *mut FpWorld,
    bytes: *const u8,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, bytes) = unsafe { (enter(world)?, list(bytes, count, "bytes")?) };
        let records = records_of(bytes)?.into_iter();
        match world.change() {
            State::Water(kept) => {
                let records = records.map(water::ChunkRecord::from_bytes);
                let records = records.collect::<Result<_, _>>()?;
                kept.apply(water::Edit::InsertRecords(records)).map(drop)
            }
            State::Materials(kept) => {
                let records = records.map(world::ChunkRecord::from_bytes);
                let records = records.collect::<Result<_, _>>()?;
                kept.apply(world::Edit::InsertRecords(records)).map(drop)
            }
            other => other.refuse(),
        }
    })
}

/// A world's file on disk. Opaque. Free it by `fp_save_free`, which closes the file.
pub struct FpSave {
    _opaque: [u8; 0],
}

impl Handle for FpSave {
    type Inner = File;
    const MARK: u64 = u64::from_le_bytes(*b"fp save\0");
    const NAME: &'static str = "save";
}

/// The file of each kind of world.
pub(crate) enum File {
    Water(SaveFile<WaterWorld>),
    Materials(SaveFile<World>),
    HumiditySheet(SaveFile<HumidityWorld<Sheet>>),
    HumidityCube(SaveFile<HumidityWorld<Cube>>),
    BlastSheet(SaveFile<BlastWorld<Sheet>>),
    BlastCube(SaveFile<BlastWorld<Cube>>),
}

/// Runs an expression for each kind of world, by the names of the variants.
macro_rules! each_kind {
    ($($kind:ident),+ => $($run:tt)+) => { each_kind!(@ ($($kind),+) $($run)+) };
    (@ ($($kind:ident),+) create $state:expr, $path:expr) => {
        match $state {
            $(State::$kind(kept) => File::$kind(SaveFile::create($path, kept.world())?),)+
            other => return other.refuse(),
        }
    };
    (@ ($($kind:ident),+) open $number:expr, $path:expr) => {
        match $number {
            $(FpKind::$kind => {
                let (file, world) = SaveFile::open($path)?;
                (File::$kind(file), give_world(world))
            })+
            _ => return Err(Fault::kind("a mirror is not saved")),
        }
    };
    (@ ($($kind:ident),+) write $file:expr, $state:expr) => {
        match ($file, $state) {
            $((File::$kind(file), State::$kind(kept)) => file.save(kept.world())?,)+
            (_, other) => return other.refuse(),
        }
    };
}

/// What a save wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpSaveReport {
    /// Chunks that differ from the last save.
    pub chunks_written: u64,
    /// Chunks that are gone since.
    pub chunks_removed: u64,
    /// Bytes of all that was written.
    pub bytes: u64,
}

impl From<SaveReport> for FpSaveReport {
    fn from(report: SaveReport) -> FpSaveReport {
        FpSaveReport {
            chunks_written: report.chunks_written as u64,
            chunks_removed: report.chunks_removed as u64,
            bytes: report.bytes,
        }
    }
}

/// Creates a file with a world in it.
///
/// `path` is in UTF-8, ended by a byte of 0. `save` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also if there is a file; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_create(
    path: *const c_char,
    world: *const FpWorld,
    save: *mut *mut FpSave,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, world, place) =
            unsafe { (text(path, "path")?, enter(world)?, out(save, "save")?) };
        let file = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet, BlastCube
            => create world.read(), path);
        place.put(give::<FpSave>(file));
        Ok(())
    })
}

/// Opens a file and makes the world of its last save, also after a crash.
///
/// `path` is in UTF-8, ended by a byte of 0. `kind` is the world's `FpKind`. `save` and `world`
/// become new handles, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also for a file of another kind of world; `FP_STATUS_TAG`,
/// `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_open(
    path: *const c_char,
    kind: u32,
    save: *mut *mut FpSave,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, save, world) =
            unsafe { (text(path, "path")?, out(save, "save")?, out(world, "world")?) };
        let (file, opened) = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet,
            BlastCube => open FpKind::of(kind)?, path);
        save.put(give::<FpSave>(file));
        world.put(opened);
        Ok(())
    })
}

/// Saves a world into its file in one transaction: the chunks that differ from the last save. When
/// it returns, they are on the disk.
///
/// `report` may be null.
///
/// Errors: `FP_STATUS_FILE`: the file then holds this save or the last one; `FP_STATUS_KIND` for a
/// world of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_write(
    save: *mut FpSave,
    world: *const FpWorld,
    report: *mut FpSaveReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut save, world, place) =
            unsafe { (enter(save)?, enter(world)?, out_or_none(report, "report")?) };
        let report = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet, BlastCube
            => write &mut *save, world.read());
        place.put(report.into());
        Ok(())
    })
}

/// Closes a file. Null is none. The handle is not to be used again. What was not saved is not in
/// the file.
///
/// Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: it stays open then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_free(save: *mut FpSave) -> FpStatus {
    // SAFETY: the caller's promises.
    border(|| unsafe { free(save) })
}
