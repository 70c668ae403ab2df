//! Edits: made at once or put in line, as structs or as bytes; lists of chunks; other rules.

use crate::border::{border, enter, list, out, out_or_none, positions, room, value, value_or_none};
use crate::edit_structs::{FpEdit, FpEditReport, FpOutcome};
#[cfg(feature = "fields")]
use crate::fields;
use crate::limits::FpLimits;
use crate::places::chunk_at;
use crate::rules::FpWaterRules;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{FpWorld, Kept, Played, State, edit_of_bytes, with_world};
use floodplain::water::WaterWorld;
use floodplain::world::World;
use floodplain::{EditValue, Limits, water, world};

/// Makes an edit by its struct.
fn apply<W: Played>(kept: &mut Kept<W>, edit: &FpEdit) -> Answer<FpOutcome> {
    let edit = W::edit(edit)?;
    Ok(W::outcome(&kept.apply(edit)?))
}

/// Makes an edit by its bytes.
fn apply_bytes<W: Played>(
    kept: &mut Kept<W>,
    bytes: &[u8],
    limits: Option<&Limits>,
) -> Answer<FpOutcome> {
    let edit = edit_of_bytes::<W>(bytes, limits)?;
    Ok(W::outcome(&kept.apply(edit)?))
}

/// Returns limits; `None` for null.
///
/// # Safety
/// The caller's promises.
pub(crate) unsafe fn limits_of(limits: *const FpLimits) -> Answer<Option<Limits>> {
    // SAFETY: as of this function.
    let limits = unsafe { value_or_none(limits, "limits") }?;
    limits.map(|limits| limits.limits()).transpose()
}

/// Makes an edit at once, after those in line; it completes a tick that is underway first.
///
/// `edit` is copied. `outcome` becomes what it came to; it may be null.
///
/// Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of the edit's kind; `FP_STATUS_VALUE`,
/// `FP_STATUS_NOT_LOADED`, `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_SOLID`, `FP_STATUS_CHUNK_PRESENT`,
/// `FP_STATUS_REFUSED` of the world. The edit has changed nothing then; but edits in line may have
/// been made, and the tick underway may be complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_apply(
    world: *mut FpWorld,
    edit: *const FpEdit,
    outcome: *mut FpOutcome,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, edit, place) =
            unsafe { (enter(world)?, value(edit, "edit")?, out_or_none(outcome, "outcome")?) };
        place.put(with_world!(world.change(), kept => apply(kept, &edit))?);
        Ok(())
    })
}

/// Makes an edit of bytes at once, such as a client sends: see `fp_edit_bytes`.
///
/// `bytes` are `count` bytes of one edit. `limits` may be null: without limits. `outcome` becomes
/// what it came to; it may be null.
///
/// Errors: `FP_STATUS_DECODE`, `FP_STATUS_LIMIT`; those of `fp_world_apply`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_apply_bytes(
    world: *mut FpWorld,
    bytes: *const u8,
    count: usize,
    limits: *const FpLimits,
    outcome: *mut FpOutcome,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, bytes, limits, place) = unsafe {
            (
                enter(world)?,
                list(bytes, count, "bytes")?,
                limits_of(limits)?,
                out_or_none(outcome, "outcome")?,
            )
        };
        let limits = limits.as_ref();
        place.put(with_world!(world.change(), kept => apply_bytes(kept, bytes, limits))?);
        Ok(())
    })
}

/// Puts an edit in line, of a world of water or of materials: it is made before the next tick
/// begins, and does not complete the one that is underway. While a world of another kind is
/// recorded, it has a line too.
///
/// `edit` is copied. `ticket` becomes its number, by which `fp_world_take_edit_reports` says what
/// became of it: from 0, also at the begin of a recording. It may be null.
///
/// Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of the edit's kind; `FP_STATUS_VALUE` of its
/// fields; `FP_STATUS_KIND` of the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_queue(
    world: *mut FpWorld,
    edit: *const FpEdit,
    ticket: *mut u64,
) -> FpStatus {
    /// Queues an edit by its struct.
    fn queue<W: Played>(kept: &mut Kept<W>, edit: &FpEdit) -> Answer<u64> {
        kept.queue(W::edit(edit)?)
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, edit, place) =
            unsafe { (enter(world)?, value(edit, "edit")?, out_or_none(ticket, "ticket")?) };
        place.put(with_world!(world.change(), kept => queue(kept, &edit))?);
        Ok(())
    })
}

/// Puts an edit of bytes in line: as `fp_world_queue` and `fp_world_apply_bytes`.
///
/// Errors: `FP_STATUS_DECODE`; `FP_STATUS_LIMIT`, also if too many edits and reports wait; those of
/// `fp_world_queue`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_queue_bytes(
    world: *mut FpWorld,
    bytes: *const u8,
    count: usize,
    limits: *const FpLimits,
    ticket: *mut u64,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, bytes, limits, place) = unsafe {
            (
                enter(world)?,
                list(bytes, count, "bytes")?,
                limits_of(limits)?,
                out_or_none(ticket, "ticket")?,
            )
        };
        place.put(with_world!(world.change(), kept => match &limits {
            Some(limits) => kept.queue_bytes(bytes, limits),
            None => edit_of_bytes_of(kept, bytes).and_then(|edit| kept.queue(edit)),
        })?);
        Ok(())
    })
}

/// Returns the edit of bytes for the kind of a world.
fn edit_of_bytes_of<W: Played>(_: &Kept<W>, bytes: &[u8]) -> Answer<W::Edit> {
    edit_of_bytes::<W>(bytes, None)
}

/// Writes an edit of a kind of world as bytes, which mean the same in all later versions.
///
/// `kind` is an `FpKind` of a world. `out` has room for `capacity` bytes; `length` becomes how many
/// there are, 1 to 64.
///
/// Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of both kinds; `FP_STATUS_VALUE`;
/// `FP_STATUS_BUFFER`; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_edit_bytes(
    kind: u32,
    edit: *const FpEdit,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (edit, room) = unsafe { (value(edit, "edit")?, room(out, capacity, length)?) };
        // The edits of both shapes are the same.
        room.fill(&match FpKind::of(kind)? {
            FpKind::Water => WaterWorld::edit(&edit)?.to_bytes(),
            FpKind::Materials if cfg!(feature = "materials") => World::edit(&edit)?.to_bytes(),
            #[cfg(feature = "fields")]
            FpKind::HumiditySheet | FpKind::HumidityCube => {
                fields::HumiditySheet::edit(&edit)?.to_bytes()
            }
            #[cfg(feature = "fields")]
            FpKind::BlastSheet | FpKind::BlastCube => fields::BlastSheet::edit(&edit)?.to_bytes(),
            _ => return Err(Fault::kind("a world of this kind has no edits here")),
        })
    })
}

/// Takes what became of the queued edits that were made since the last call, in order.
///
/// `out` has room for `capacity` reports; `length` becomes their number. What does not fit is kept
/// for the next call.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_take_edit_reports(
    world: *mut FpWorld,
    out: *mut FpEditReport,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        if world.reports.is_empty() {
            world.reports = with_world!(world.change(), kept => Ok(kept.take_reports()))?;
        }
        room.deliver(&mut world.reports)
    })
}

/// Freezes chunks of water at once, or thaws them: they stand still, or go on. All or none.
///
/// `chunks` are `count` chunk positions of three numbers. `frozen` is 1 to freeze, 0 to thaw.
/// `changed` becomes 1 if anything changed, else 0; it may be null.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_VALUE` of `frozen`; `FP_STATUS_KIND` unless it is a
/// world of water or of materials.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_freeze(
    world: *mut FpWorld,
    chunks: *const i32,
    count: usize,
    frozen: u32,
    changed: *mut u32,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, chunks, place) =
            unsafe { (enter(world)?, positions(chunks, count)?, out_or_none(changed, "changed")?) };
        let chunks = chunks.iter().copied().map(chunk_at).collect();
        let edit = match frozen {
            0 => water::Edit::Thaw(chunks),
            1 => water::Edit::Freeze(chunks),
            other => return Err(Fault::value(format_args!("frozen is 0 or 1, not {other}"))),
        };
        place.put(apply_water(world.change(), edit)?.changed);
        Ok(())
    })
}

/// Makes an edit of water in a world of water or of materials.
fn apply_water(state: &mut State, edit: water::Edit) -> Answer<FpOutcome> {
    match state {
        State::Water(kept) => Ok(WaterWorld::outcome(&kept.apply(edit)?)),
        State::Materials(kept) => Ok(World::outcome(&kept.apply(world::Edit::Water(edit))?)),
        other => other.refuse(),
    }
}

/// Replaces the rules of water of a world of water or of materials, and wakes all.
///
/// Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG`, `FP_STATUS_VALUE`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_set_rules(
    world: *mut FpWorld,
    rules: *const FpWaterRules,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, rules) = unsafe { (enter(world)?, value(rules, "rules")?) };
        apply_water(world.change(), water::Edit::SetRules(rules.rules()?)).map(drop)
    })
}

/// Writes the rules of water of a world of water or of materials.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_rules(
    world: *const FpWorld,
    rules: *mut FpWaterRules,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(rules, "rules")?) };
        place.put(world.read().water()?.rules().into());
        Ok(())
    })
}
