//! Recordings: what is done to a world, for bug reports, lock-step games and undo.
//!
//! A recording is a mode of a world: while it runs, every edit and step of the handle is recorded.

use crate::border::{border, enter, list, out, out_or_none, room};
use crate::edits::limits_of;
#[cfg(feature = "fields")]
use crate::fields;
use crate::limits::FpLimits;
use crate::make::give_world;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{BytesOf, FpWorld, Kept, Played, State, with_world};
use floodplain::recording::Recording;
use floodplain::water::WaterWorld;
use floodplain::world::World;

/// Returns the recording of a world.
fn recording<W: Played>(kept: &Kept<W>) -> Answer<&Recording<W>> {
    match kept {
        Kept::Recorded(recorded) => Ok(recorded.recorder.recording()),
        _ => Err(Fault::new(FpStatus::Recording, "the world is not recorded")),
    }
}

/// Begins a recording of a world, with a snapshot of it; a tick that is underway is completed.
///
/// `check_every` is after how many ticks the hash of the state is kept, `keyframe_every` after how
/// many a whole snapshot; 0 for none. `limits` are of the edits that other machines send; they may
/// be null: without limits.
///
/// Errors: `FP_STATUS_RECORDING` if it is recorded already, or if edits are in line;
/// `FP_STATUS_SIZE`, `FP_STATUS_TAG`, `FP_STATUS_VALUE` of limits; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_start(
    world: *mut FpWorld,
    check_every: u64,
    keyframe_every: u64,
    limits: *const FpLimits,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, limits) = unsafe { (enter(world)?, limits_of(limits)?) };
        with_world!(world.change(), kept => kept.record(check_every, keyframe_every, limits))
    })
}

/// Ends the recording of a world, after the tick that is underway, and drops it: take its bytes
/// before.
///
/// Errors: `FP_STATUS_RECORDING` if it is not recorded, or if edits are in line; `FP_STATUS_KIND`
/// for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_stop(world: *mut FpWorld) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let mut world = unsafe { enter(world) }?;
        with_world!(world.change(), kept => kept.end_recording())
    })
}

/// Writes what has been recorded until now, as bytes for a bug report or `fp_record_replay`.
///
/// `out` has room for `capacity` bytes; `length` becomes how many there are. If they do not fit,
/// they are kept until the world changes.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for
/// mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_bytes(
    world: *mut FpWorld,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let make = |state: &State| with_world!(state, kept => Ok(recording(kept)?.to_bytes()));
        room.fill(world.bytes(BytesOf::Recording, make)?)?;
        world.drop_bytes();
        Ok(())
    })
}

/// Does again what was recorded, compares all checks, and makes the world at its end.
///
/// `kind` is the world's `FpKind`. `bytes` are `count` bytes of `fp_record_bytes`. `world` becomes
/// a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_DIFFERS` with the first difference in words; `FP_STATUS_DECODE`;
/// `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_replay(
    kind: u32,
    bytes: *const u8,
    count: usize,
    world: *mut *mut FpWorld,
) -> FpStatus {
    /// Replays a recording of a kind of world.
    fn replay<W: Played>(bytes: &[u8]) -> Answer<*mut FpWorld> {
        Ok(give_world(Recording::<W>::from_bytes(bytes)?.replay()?))
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (bytes, place) = unsafe { (list(bytes, count, "bytes")?, out(world, "world")?) };
        place.put(match FpKind::of(kind)? {
            FpKind::Water => replay::<WaterWorld>(bytes)?,
            FpKind::Materials if cfg!(feature = "materials") => replay::<World>(bytes)?,
            #[cfg(feature = "fields")]
            FpKind::HumiditySheet => replay::<fields::HumiditySheet>(bytes)?,
            #[cfg(feature = "fields")]
            FpKind::HumidityCube => replay::<fields::HumidityCube>(bytes)?,
            #[cfg(feature = "fields")]
            FpKind::BlastSheet => replay::<fields::BlastSheet>(bytes)?,
            #[cfg(feature = "fields")]
            FpKind::BlastCube => replay::<fields::BlastCube>(bytes)?,
            _ => return Err(Fault::kind("a world of this kind is not recorded here")),
        });
        Ok(())
    })
}

/// Writes the edits of a tick of a recording, to be sent to the other machines of a lock-step game.
///
/// `tick` counts from 0 at the start of the recording. `out` has room for `capacity` bytes;
/// `length` becomes how many there are.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for
/// mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_tick_bytes(
    world: *mut FpWorld,
    tick: u64,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let make =
            |state: &State| with_world!(state, kept => Ok(recording(kept)?.tick_bytes(tick)));
        room.fill(world.bytes(BytesOf::Tick(tick), make)?)?;
        world.drop_bytes();
        Ok(())
    })
}

/// Makes the edits of a tick that another machine has sent, in a world that is recorded too. All
/// are checked before the first is made.
///
/// `bytes` are `count` bytes of `fp_record_tick_bytes`. `made` becomes the number of edits that
/// were not refused; it may be null.
///
/// Errors: `FP_STATUS_DECODE`, also for another tick than the next; `FP_STATUS_LIMIT`;
/// `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_apply_bytes(
    world: *mut FpWorld,
    bytes: *const u8,
    count: usize,
    made: *mut u64,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, bytes, place) =
            unsafe { (enter(world)?, list(bytes, count, "bytes")?, out_or_none(made, "made")?) };
        place.put(with_world!(world.change(), kept => kept.recorded()?.apply_bytes(bytes))?);
        Ok(())
    })
}

/// Takes back the last edit of a recorded world, and all that has happened since. Edits in line are
/// dropped. Feeds of the world are to be made anew.
///
/// Errors: `FP_STATUS_NONE` if there is none; `FP_STATUS_RECORDING` if it is not recorded;
/// `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_undo(world: *mut FpWorld) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let mut world = unsafe { enter(world) }?;
        with_world!(world.change(), kept => kept.recorded()?.undo())
    })
}

/// Goes back to an earlier tick of a recording, counted from 0 at its start. What came after is no
/// more, and edits in line are dropped. Feeds of the world are to be made anew.
///
/// Errors: `FP_STATUS_VALUE` if there were fewer ticks; `FP_STATUS_RECORDING` if it is not
/// recorded; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_record_rewind(world: *mut FpWorld, tick: u64) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let mut world = unsafe { enter(world) }?;
        with_world!(world.change(), kept => kept.recorded()?.rewind(tick))
    })
}
