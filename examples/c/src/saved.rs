//! Worlds as bytes: snapshots, and records of chunks that come and go.

use crate::border::{border, enter, list, out, out_or_none, positions, room};
#[cfg(feature = "fields")]
use crate::fields;
use crate::make::give_world;
use crate::places::chunk_at;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{BytesOf, FpWorld, State, with_world};
use floodplain::snapshot::Saved;
use floodplain::water::WaterWorld;
use floodplain::world::World;
use floodplain::{water, world};

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
            FpKind::Materials if cfg!(feature = "materials") => give_world(World::load(bytes)?),
            #[cfg(feature = "fields")]
            FpKind::HumiditySheet => give_world(fields::HumiditySheet::load(bytes)?),
            #[cfg(feature = "fields")]
            FpKind::HumidityCube => give_world(fields::HumidityCube::load(bytes)?),
            #[cfg(feature = "fields")]
            FpKind::BlastSheet => give_world(fields::BlastSheet::load(bytes)?),
            #[cfg(feature = "fields")]
            FpKind::BlastCube => give_world(fields::BlastCube::load(bytes)?),
            _ => return Err(Fault::kind("a world of this kind is not saved here")),
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
